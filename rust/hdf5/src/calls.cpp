// remfile/hdf5.hpp for Rust: exceptions as a value.
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <remfile/hdf5.hpp>

extern "C" {

struct remfile_hdf5_failure {
    int code;           // of remfile::ErrorCode; 0 for none
    int http_status;    // 0 for none
    char message[2048]; // UTF-8, cut where it is too long
};
}

namespace {

void note(remfile_hdf5_failure &failure, remfile::ErrorCode code, const char *message) {
    failure.code = static_cast<int>(code);
    std::strncpy(failure.message, message, sizeof failure.message - 1);
}

template <class Result, class Body>
Result guarded(remfile_hdf5_failure &failure, Result nothing, Body &&body) noexcept {
    failure = {};
    try {
        return std::forward<Body>(body)();
    } catch (const remfile::Error &error) {
        note(failure, error.code(), error.what());
        failure.http_status = error.http_status();
    } catch (const std::bad_alloc &) {
        note(failure, remfile::ErrorCode::out_of_memory, "there is no memory left");
    } catch (const std::exception &error) {
        note(failure, remfile::ErrorCode::internal, error.what());
    } catch (...) {
        note(failure, remfile::ErrorCode::internal, "an unknown exception");
    }
    return nothing;
}

} // namespace

extern "C" {

// Texts are given with their length; options are in the string form.
hid_t remfile_hdf5_open(const char *url, std::size_t url_size, const char *options, std::size_t options_size,
                        remfile_hdf5_failure *failure) {
    return guarded(*failure, static_cast<hid_t>(H5I_INVALID_HID), [&] {
        return remfile::open_hdf5(std::string(url, url_size),
                                  remfile::Options::parse({options, options_size}));
    });
}

void remfile_hdf5_set_fapl(hid_t fapl, const char *options, std::size_t options_size,
                           remfile_hdf5_failure *failure) {
    guarded(*failure, 0, [&] {
        remfile::set_fapl(fapl, remfile::Options::parse({options, options_size}));
        return 0;
    });
}

} // extern "C"
