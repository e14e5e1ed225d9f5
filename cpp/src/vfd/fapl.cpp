// The C functions of remfile/remfile_vfd.h.
#include <atomic>

#include <remfile/remfile_vfd.h>

#include "class.hpp"
#include "config.hpp"
#include "error_stack.hpp"

namespace {

using remfile_detail::Doing;
using remfile_detail::guarded;
using remfile_detail::libhdf5_of;

// Has no destructor: libhdf5 ends in an exit handler, and may do so after our statics are gone.
std::atomic<hid_t> registered{H5I_INVALID_HID};

// H5close ends all identifiers, and their numbers are given out anew: ours may then be another driver's.
herr_t forget() noexcept {
    registered = H5I_INVALID_HID;
    return 0;
}

hid_t driver_id() {
    hid_t known = registered;
    if (known >= 0 && H5Iget_type(known) == H5I_VFL)
        return known;
    const H5FD_class_t table = remfile_detail::driver_class(forget);
    const hid_t fresh = H5FDregister(&table);
    if (fresh < 0)
        return H5I_INVALID_HID;
    // No lock: it would be held while libhdf5 takes its own, which a thread that waits for ours in a
    // libhdf5 callback may hold. Of two that register at once the first wins; the other's registration
    // stays unused until H5close.
    return registered.compare_exchange_strong(known, fresh) ? fresh : known;
}

} // namespace

extern "C" {

void H5FD_remfile_config_init(H5FD_remfile_config_t *config) {
    if (!config)
        return;
    const remfile::Options defaults;
    *config = H5FD_remfile_config_t{};
    config->min_chunk_size = static_cast<std::size_t>(defaults.min_chunk_size);
    config->max_cache_size = static_cast<std::size_t>(defaults.max_cache_size);
    config->max_chunk_size = static_cast<std::size_t>(defaults.max_chunk_size);
    config->verbose = defaults.verbose ? 1 : 0;
}

hid_t H5FD_remfile_init(void) { return driver_id(); }

herr_t H5Pset_fapl_remfile(hid_t fapl_id, const H5FD_remfile_config_t *config) {
    const auto lib = libhdf5_of(nullptr);
    lib.clear_errors(H5E_DEFAULT); // as all functions of libhdf5 do: the stack is that of the last call
    return guarded(lib, Doing::configuring, "H5Pset_fapl_remfile", -1, [&] {
        const auto checked =
            remfile_detail::to_config(config ? remfile_detail::to_options(*config) : remfile::Options());
        if (config) {
            checked->refresh_url = config->refresh_url;
            checked->refresh_user = config->refresh_user;
        }
        const hid_t driver = driver_id();
        // libhdf5 copies what it is given, strings and all, by fapl_copy.
        return driver < 0 ? -1 : static_cast<int>(H5Pset_driver(fapl_id, driver, checked.get()));
    });
}

} // extern "C"
