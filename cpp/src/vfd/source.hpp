// Which file is meant by the name that libhdf5 opens.
#ifndef REMFILE_SRC_VFD_SOURCE_HPP
#define REMFILE_SRC_VFD_SOURCE_HPP

#include <string>

namespace remfile_detail {

// Where a file came from, for the targets of its links: they are seen from there.
//
// It travels in H5FD_remfile_config_t as text, because the driver information of the file with the link is
// all that libhdf5 hands to its targets.
struct Origin {
    std::string url;
    std::string folder; // the pointer file's, with a '/' at its end; empty where there was none

    std::string to_text() const;
    static Origin from_text(const std::string &text);
};

struct Source {
    Origin origin;       // of a local file that of the file with the link
    std::string options; // what a pointer file says, as text
    std::string local;   // the path of a local file, which is read in place of the origin's URL; else empty
};

// What the target of a link may be: as a rule no local file, for a remote file has no say in what is read of
// this machine.
enum class LinksTo { remote_files, any_file };

// `name` is a URL, a local pointer file or, where `parent` is given, the target of a link in that file.
// Throws Error (invalid_url, invalid_option).
Source source_of(const std::string &name, const Origin *parent, LinksTo allowed);

} // namespace remfile_detail

#endif
