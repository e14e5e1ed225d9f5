// What of a program's settings the file at hand may have. Settings are inherited by the targets of links,
// which a remote file chooses, and may meet a pointer file, which may come from anybody.
#ifndef REMFILE_SRC_VFD_TRUST_HPP
#define REMFILE_SRC_VFD_TRUST_HPP

#include <remfile/driver.hpp>
#include <remfile/options.hpp>
#include <remfile/remfile_vfd.h>

#include "source.hpp"

namespace remfile_detail {

// Takes from `options` the credentials that are not for the host of `source`. `parent` is the file whose
// link led there, or null. Throws Error (invalid_option) where a pointer file would choose who gets them.
void confine_credentials(remfile::Options &options, const Source &source, const Origin *parent);

// The program's callback for fresh URLs, if it has one and it is for this very file; else an empty one.
remfile::RefreshUrl refresh_of(const H5FD_remfile_config_t *config, const Source &source,
                               const Origin *parent);

} // namespace remfile_detail

#endif
