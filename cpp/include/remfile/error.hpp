// What can go wrong, as something a program can switch on and a person can read.
#ifndef REMFILE_ERROR_HPP
#define REMFILE_ERROR_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

#include <remfile/export.h>

namespace remfile {

// The values are part of the interface: they do not change between releases.
enum class ErrorCode : std::int32_t {
    ok = 0,
    invalid_url = 1,       // not an http://, https:// or s3:// URL that can be fetched
    invalid_option = 2,    // an unknown option or a value out of bounds
    not_found = 3,         // HTTP 404 or 410
    denied = 4,            // HTTP 401, 403 or 407, or a 400 about something expired
    range_unsupported = 5, // the server ignores or refuses byte ranges
    changed = 6,           // the remote file is not the one that was opened
    timed_out = 7,         // no answer within the limits, retries included
    unreachable = 8,       // the host was not found or does not accept a connection
    tls = 9,               // the secure connection was not trusted or could not be made
    server = 10,           // any other HTTP status that means failure
    bad_response = 11,     // an answer that contradicts itself, the request or HTTP
    interrupted = 12,      // connections broke again and again in the middle of an answer
    out_of_bounds = 13,    // a read past the end of the file
    not_hdf5 = 14,         // the file is a web page or the like
    read_only = 15,        // opened for writing or creating
    out_of_memory = 16,    //
    hdf5 = 17,             // libhdf5 refused; what() carries its message
    internal = 18,         // a defect in remfile
};

// The code's name as in the enumeration, "not_found" for example. Static storage. Never throws.
REMFILE_API const char *to_string(ErrorCode code) noexcept;

// Thrown by everything in this library that fails. what() is one sentence with the URL (its
// secrets removed), the HTTP status and the server's own words where there are any.
class REMFILE_API Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string &message, int http_status = 0, std::uint32_t attempts = 0);
    ~Error() override;

    ErrorCode code() const noexcept { return code_; }
    // The HTTP status that decided, or 0 where none arrived.
    int http_status() const noexcept { return http_status_; }
    // How many requests were made before giving up, or 0 where none was needed to know.
    std::uint32_t attempts() const noexcept { return attempts_; }

  private:
    ErrorCode code_;
    int http_status_;
    std::uint32_t attempts_;
};

} // namespace remfile

#endif
