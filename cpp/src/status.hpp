// How a call over the bridge ended, as an exception.
#ifndef REMFILE_SRC_STATUS_HPP
#define REMFILE_SRC_STATUS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <remfile/error.hpp>
#include <remfile/options.hpp>

#include "remfile_bridge/lib.h"

namespace remfile_detail {

inline rust::Slice<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

inline void throw_if_failed(const remfile_bridge::Status &status) {
    if (status.code != 0)
        throw remfile::Error(static_cast<remfile::ErrorCode>(status.code), std::string(status.message),
                             status.http_status, status.attempts);
}

// A fresh status for one call.
inline remfile_bridge::Status no_status() { return {0, 0, 0, rust::String()}; }

remfile_bridge::Options to_bridge(const remfile::Options &options);

} // namespace remfile_detail

#endif
