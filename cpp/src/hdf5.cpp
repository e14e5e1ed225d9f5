// The functions of remfile/hdf5.hpp.
#include <remfile/hdf5.hpp>

#include <remfile/remfile_vfd.h>

#include "hdf5/library.hpp"
#include "hdf5/storage.hpp"
#include "vfd/config.hpp"
#include "vfd/error_stack.hpp"
#include "vfd/name.hpp"

namespace remfile_detail {

namespace {

void set_driver(hid_t fapl, const remfile::Options &options) {
    const Config config = to_config(options);
    const hid_t driver = checked(H5FD_remfile_init(), "cannot register the remfile driver");
    checked(H5Pset_driver(fapl, driver, config.get()), "cannot set the remfile driver");
}

// The driver under the file that an object lies in.
class OpenFile {
  public:
    explicit OpenFile(hid_t object)
        : file_(H5Iget_file_id(object), H5Fclose, "cannot find the object's file"),
          fapl_(H5Fget_access_plist(file_), H5Pclose, "cannot read the file's access properties") {
        if (H5Pget_driver(fapl_) != H5FD_remfile_init())
            throw remfile::Error(remfile::ErrorCode::hdf5, "the file was not opened through remfile");
        void *handle = nullptr;
        checked(H5Fget_vfd_handle(file_, H5P_DEFAULT, &handle), "cannot reach the file's driver");
        driver_ = static_cast<const remfile::Driver *>(handle);
    }

    hid_t fapl() const noexcept { return fapl_; }
    const remfile::Driver &driver() const noexcept { return *driver_; }

    remfile::Options options() const {
        const auto *config = static_cast<const H5FD_remfile_config_t *>(H5Pget_driver_info(fapl_));
        return config ? to_options(*config) : remfile::Options();
    }

  private:
    Id file_; // keeps the driver alive
    Id fapl_;
    const remfile::Driver *driver_ = nullptr;
};

} // namespace

} // namespace remfile_detail

namespace remfile {

using namespace remfile_detail;

hid_t open_hdf5(const std::string &url, const Options &options, hid_t access_plist, unsigned flags) {
    if (url.empty()) // libhdf5 would not come to the driver with it
        throw Error(ErrorCode::invalid_url, "cannot open a file without a name");
    if (url.find('\0') != std::string::npos)
        throw Error(ErrorCode::invalid_url,
                    "cannot read " + shown(url.c_str()) + ": the URL has a NUL in it");
    const Libhdf5 lib = libhdf5_of(nullptr);
    const Silence silence(lib);
    const Id fapl(access_plist == H5P_DEFAULT ? H5Pcreate(H5P_FILE_ACCESS) : H5Pcopy(access_plist), H5Pclose,
                  "cannot copy the file access property list");
    set_driver(fapl, options);
    const ErrorCatcher catcher;
    const hid_t file = H5Fopen(url.c_str(), flags, fapl);
    if (file >= 0)
        return file;
    if (catcher.first())
        throw *catcher.first();
    throw hdf5_error("cannot open " + shown(url));
}

void set_fapl(hid_t access_plist, const Options &options) {
    const Libhdf5 lib = libhdf5_of(nullptr);
    const Silence silence(lib);
    set_driver(access_plist, options);
}

Stats stats(hid_t file) {
    const Libhdf5 lib = libhdf5_of(nullptr);
    const Silence silence(lib);
    return OpenFile(file).driver().stats();
}

std::uint64_t prefetch(hid_t dataset, hid_t selection) {
    const Libhdf5 lib = libhdf5_of(nullptr);
    const Silence silence(lib);
    const OpenFile file(dataset);
    const Blocks blocks(file.options(), file.driver().size());
    const auto wanted =
        whole_blocks(stored_ranges(dataset, selection, file.fapl(), file.driver(), blocks), blocks);
    file.driver().prefetch(wanted);
    std::uint64_t bytes = 0;
    for (const ByteRange &range : wanted)
        bytes += range.size;
    return bytes;
}

} // namespace remfile
