// The name under which libhdf5 opens a file.
#ifndef REMFILE_SRC_VFD_NAME_HPP
#define REMFILE_SRC_VFD_NAME_HPP

#include <optional>
#include <string>
#include <string_view>

namespace remfile_detail {

// Whether `text` begins as the URLs that can be read do.
bool is_url(std::string_view text);

// The URL in `name`, if there is one. The target of a relative link in http://host/d/a.h5 comes from
// libhdf5 as "<current folder>/http://host/d/target". Of a file whose URL has a '/' in its query, libhdf5
// takes that for the end of the folder: right for "?file=/d/a.h5", and beyond our reach in all other cases.
std::optional<std::string> url_in(std::string_view name);

// The folder of the local path `path` with a '/' at its end, as libhdf5 puts it before the targets of the
// file's links.
std::string folder_of(const std::string &path);

// `target`, which is relative, as seen from `url`.
std::string neighbour_of(std::string_view url, std::string_view target);

// `url` without user, password and the query's values: fit for messages.
std::string shown(std::string_view url);

// Scheme, host and port of `url` in one spelling; the bucket of s3://bucket/key.
std::string site_of(std::string_view url);

} // namespace remfile_detail

#endif
