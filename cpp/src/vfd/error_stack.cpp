#include "error_stack.hpp"

#include <cstdio>

namespace remfile_detail {

namespace {

// A bare pointer: it needs no destructor, so callbacks at exit may still look at it.
thread_local ErrorCatcher *catcher = nullptr;

hid_t minor_of(const Libhdf5 &lib, Doing doing) {
    switch (doing) {
    case Doing::opening:
        return lib.minor_open;
    case Doing::reading:
        return lib.minor_read;
    case Doing::writing:
        return lib.minor_write;
    case Doing::configuring:
        break;
    }
    return lib.minor_value;
}

} // namespace

void push(const Libhdf5 &lib, Doing doing, const char *function, const remfile::Error &error) noexcept {
    if (catcher)
        catcher->note(error);
    if (!lib.push_error) { // only the plugin can meet such a libhdf5, and there is no other place to say it
        std::fprintf(stderr, "remfile: %s [%s]\n", error.what(), remfile::to_string(error.code()));
        return;
    }
    const hid_t major = doing == Doing::configuring ? lib.major_plist : lib.major_vfl;
    // A source line would tell a user nothing.
    lib.push_error(H5E_DEFAULT, "remfile", function, 0, lib.error_class, major, minor_of(lib, doing),
                   "remfile: %s [%s]", error.what(), remfile::to_string(error.code()));
}

void push(const Libhdf5 &lib, Doing doing, const char *function, remfile::ErrorCode code,
          const char *message) noexcept {
    try {
        push(lib, doing, function, remfile::Error(code, message));
    } catch (const std::exception &) { // no memory for a sentence: libhdf5 says that something failed
    }
}

ErrorCatcher::ErrorCatcher() noexcept : outer_(catcher) { catcher = this; }

ErrorCatcher::~ErrorCatcher() { catcher = outer_; }

void ErrorCatcher::note(const remfile::Error &error) noexcept {
    if (!first_)
        first_.emplace(error); // copying an exception does not throw
}

// H5Eget_auto2 fails, and reports that, where a handler of version 1 is set. So ask first.
Silence::Silence(const Libhdf5 &lib) noexcept : lib_(lib) {
    unsigned v2 = 1;
    if (!lib_.is_auto_v2 || lib_.is_auto_v2(H5E_DEFAULT, &v2) < 0)
        return;
    if (v2) {
        is_v2_ = lib_.get_auto2(H5E_DEFAULT, &function2_, &data_) >= 0 &&
                 lib_.set_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
    } else if (lib_.get_auto1 && lib_.set_auto1) {
        is_v1_ = lib_.get_auto1(&function1_, &data_) >= 0 && lib_.set_auto1(nullptr, nullptr) >= 0;
    }
}

Silence::~Silence() {
    if (is_v2_)
        lib_.set_auto2(H5E_DEFAULT, function2_, data_);
    if (is_v1_)
        lib_.set_auto1(function1_, data_);
}

} // namespace remfile_detail
