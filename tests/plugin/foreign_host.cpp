// A program that calls the plugin as a libhdf5 would, but shows none of libhdf5's functions, like one that
// has libhdf5 linked into itself. The plugin must say so and not crash.
#include <cstdio>

#include <dlfcn.h>

#include <hdf5.h>

int main(int count, char **words) {
    void *plugin = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!plugin) {
        std::printf("usage: foreign_host PLUGIN\n");
        return 2;
    }
    const auto type = reinterpret_cast<int (*)()>(dlsym(plugin, "H5PLget_plugin_type"));
    const auto info = reinterpret_cast<const void *(*)()>(dlsym(plugin, "H5PLget_plugin_info"));
    if (!type || !info || type() != 2)
        return 2;
    const auto *driver = static_cast<const H5FD_class_t *>(info());
    if (driver != info() || driver->version != H5FD_CLASS_VERSION)
        return 1;
    unsigned long flags = 0;
    if (driver->query(nullptr, &flags) < 0 || flags == 0)
        return 1;
    H5FD_t *file = driver->open("http://127.0.0.1:1/a.h5", H5F_ACC_RDONLY, 0, ~haddr_t(0));
    dlclose(plugin); // it stays, for its threads may run
    std::fprintf(stderr, "%s\n", file ? "opened" : "refused");
    return file ? 1 : 0;
}
