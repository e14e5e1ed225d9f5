// The name under which libhdf5 opens a file, as a URL.
#ifndef REMFILE_SRC_VFD_NAME_HPP
#define REMFILE_SRC_VFD_NAME_HPP

#include <string>
#include <string_view>

namespace remfile_detail {

// The URL that `name` means. The target of a relative link in http://host/d/a.h5 comes from libhdf5 as
// "<current folder>/http://host/d/target". Of a file whose URL has a '/' in its query, libhdf5 takes that
// for the end of the folder: right for "?file=/d/a.h5", and beyond our reach in all other cases. Throws
// Error (invalid_url) where there is no URL in it.
std::string url_of(std::string_view name);

// `url` without user, password and the query's values: fit for messages.
std::string shown(std::string_view url);

} // namespace remfile_detail

#endif
