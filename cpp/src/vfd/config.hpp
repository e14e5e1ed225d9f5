// The C struct of options: what a file access property list carries for this driver.
#ifndef REMFILE_SRC_VFD_CONFIG_HPP
#define REMFILE_SRC_VFD_CONFIG_HPP

#include <cstdlib>
#include <memory>
#include <string>

#include <remfile/options.hpp>
#include <remfile/remfile_vfd.h>

namespace remfile_detail {

struct FreeConfig {
    void operator()(H5FD_remfile_config_t *config) const noexcept { std::free(config); }
};

// A config that owns its strings. It is one block from malloc, so that libhdf5 can hold it as plain
// driver information and a program can read it back with H5Pget_driver_info.
using Config = std::unique_ptr<H5FD_remfile_config_t, FreeConfig>;

// A copy with its strings; null for want of memory.
Config copy_config(const H5FD_remfile_config_t &config) noexcept;

// What `config` stands for. Throws Error (invalid_option) where a value is out of bounds.
remfile::Options to_options(const H5FD_remfile_config_t &config);

// The inverse, with the origin of an open file (see source.hpp). Throws Error (invalid_option) where a value
// is out of bounds, std::bad_alloc.
Config to_config(const remfile::Options &options, const std::string &origin = {});

} // namespace remfile_detail

#endif
