// Pointer files: small local files that stand for a remote one.
//
// For programs that insist on a local path (pynwb, netCDF4, PyTables, ...): the remfile driver, loaded as
// a plugin or linked, opens such a file and reads the URL that is written in it.
#ifndef REMFILE_POINTER_HPP
#define REMFILE_POINTER_HPP

#include <string>
#include <string_view>

#include <remfile/export.h>
#include <remfile/options.hpp>

namespace remfile {

// What to do about a URL with a user name, a password or a query, any of which may be a secret.
enum class UrlSecrets { refuse, keep };

// Writes a pointer file for `url`. A file is easily passed on, so it carries no secrets unless told to,
// and of the options only these: min_chunk_size, max_chunk_size, head_size, read_ahead,
// connect_timeout_ms, stall_timeout_ms, read_timeout_ms, max_retries. Throws Error (invalid_url,
// invalid_option) and, where the file cannot be written, std::system_error.
REMFILE_API void write_pointer_file(const std::string &path, std::string_view url,
                                    const Options &options = {}, UrlSecrets secrets = UrlSecrets::refuse);

} // namespace remfile

#endif
