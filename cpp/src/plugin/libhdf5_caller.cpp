// The libhdf5 that called the plugin. A process may hold several: Python wheels bring one each, under
// names of their own and invisible to each other. So it is found by the address that the call came from.
#include "vfd/libhdf5.hpp"

#include <dlfcn.h>
#include <link.h>

namespace remfile_detail {

namespace {

// A library or program in memory. It stays there as long as it has code that is running, which the
// caller's has, so what is found in it outlives this.
class Object {
  public:
    explicit Object(const void *address) noexcept {
        Dl_info info{};
        link_map *map = nullptr;
        if (!dladdr1(address, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) || !map)
            return;
        base_ = info.dli_fbase;
        const bool is_program = !map->l_name || !*map->l_name;
        handle_ = dlopen(is_program ? nullptr : map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    }
    ~Object() {
        if (handle_)
            dlclose(handle_);
    }
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;

    // What it exports under `name`, or null. dlsym also looks in the libraries that the object needs, and
    // for a program in all that it loaded: a libhdf5 that is another one's copy would be the wrong one.
    void *find(const char *name) const noexcept {
        void *symbol = handle_ ? dlsym(handle_, name) : nullptr;
        Dl_info info{};
        return symbol && dladdr(symbol, &info) && info.dli_fbase == base_ ? symbol : nullptr;
    }

  private:
    void *base_ = nullptr;
    void *handle_ = nullptr;
};

// Fills in a Libhdf5 and notes the first name that is not there.
class Finder {
  public:
    Finder(const Object &object, Libhdf5 &lib) noexcept : object_(object), lib_(lib) {}

    template <class Function> void function(Function &place, const char *name) const noexcept {
        optional(place, name);
        if (!place)
            note_missing(name);
    }

    template <class Function> void optional(Function &place, const char *name) const noexcept {
        place = reinterpret_cast<Function>(object_.find(name));
    }

    // An identifier is a variable, which holds something once libhdf5 runs.
    void identifier(hid_t &place, const char *name) const noexcept {
        const auto *variable = static_cast<const hid_t *>(object_.find(name));
        if (variable)
            place = *variable;
        else
            note_missing(name);
    }

  private:
    void note_missing(const char *name) const noexcept {
        if (!lib_.missing)
            lib_.missing = name;
    }

    const Object &object_;
    Libhdf5 &lib_;
};

} // namespace

Libhdf5 libhdf5_of(const void *caller) {
    const Object object(caller);
    Libhdf5 lib{};
    const Finder find(object, lib);
    find.function(lib.push_error, "H5Epush2");
    find.function(lib.clear_errors, "H5Eclear2");
    find.function(lib.is_auto_v2, "H5Eauto_is_v2");
    find.function(lib.get_auto2, "H5Eget_auto2");
    find.function(lib.set_auto2, "H5Eset_auto2");
    find.optional(lib.get_auto1, "H5Eget_auto1"); // not in a build without deprecated functions
    find.optional(lib.set_auto1, "H5Eset_auto1");
    find.function(lib.driver_info, "H5Pget_driver_info");
    find.function(lib.driver_config, "H5Pget_driver_config_str");
    find.identifier(lib.error_class, "H5E_ERR_CLS_g");
    find.identifier(lib.major_vfl, "H5E_VFL_g");
    find.identifier(lib.major_plist, "H5E_PLIST_g");
    find.identifier(lib.minor_open, "H5E_CANTOPENFILE_g");
    find.identifier(lib.minor_read, "H5E_READERROR_g");
    find.identifier(lib.minor_write, "H5E_WRITEERROR_g");
    find.identifier(lib.minor_value, "H5E_BADVALUE_g");
    return lib;
}

} // namespace remfile_detail
