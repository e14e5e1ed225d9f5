#include <remfile/error.hpp>

namespace remfile {

Error::Error(ErrorCode code, const std::string &message, int http_status, std::uint32_t attempts)
    : std::runtime_error(message), code_(code), http_status_(http_status), attempts_(attempts) {}

// Defined here so that the class has one home for its type information.
Error::~Error() = default;

const char *to_string(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::ok:
        return "ok";
    case ErrorCode::invalid_url:
        return "invalid_url";
    case ErrorCode::invalid_option:
        return "invalid_option";
    case ErrorCode::not_found:
        return "not_found";
    case ErrorCode::denied:
        return "denied";
    case ErrorCode::range_unsupported:
        return "range_unsupported";
    case ErrorCode::changed:
        return "changed";
    case ErrorCode::timed_out:
        return "timed_out";
    case ErrorCode::unreachable:
        return "unreachable";
    case ErrorCode::tls:
        return "tls";
    case ErrorCode::server:
        return "server";
    case ErrorCode::bad_response:
        return "bad_response";
    case ErrorCode::interrupted:
        return "interrupted";
    case ErrorCode::out_of_bounds:
        return "out_of_bounds";
    case ErrorCode::not_hdf5:
        return "not_hdf5";
    case ErrorCode::read_only:
        return "read_only";
    case ErrorCode::out_of_memory:
        return "out_of_memory";
    case ErrorCode::hdf5:
        return "hdf5";
    case ErrorCode::internal:
        return "internal";
    }
    return "unknown";
}

} // namespace remfile
