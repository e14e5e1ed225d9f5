// An open file as libhdf5 sees it, and the callbacks that work on it.
#ifndef REMFILE_SRC_VFD_FILE_HPP
#define REMFILE_SRC_VFD_FILE_HPP

#include <string>
#include <variant>
#include <vector>

#include <hdf5.h>

#include <remfile/driver.hpp>

#include "config.hpp"
#include "libhdf5.hpp"
#include "local_file.hpp"

namespace remfile_detail {

// What a file's bytes come from.
using Bytes = std::variant<remfile::Driver, LocalFile>;

// libhdf5 holds it by its base.
struct File : H5FD_t {
    File(const Libhdf5 &lib, std::string given_name, Bytes opened, Config given_config)
        : H5FD_t{}, libhdf5(lib), name(std::move(given_name)), bytes(std::move(opened)),
          config(std::move(given_config)) {
        if (const remfile::Driver *driver = remote())
            identity = driver->identity();
    }

    const remfile::Driver *remote() const noexcept { return std::get_if<remfile::Driver>(&bytes); }
    std::uint64_t size() const;
    void read(std::uint64_t offset, void *buffer, std::size_t count, H5FD_mem_t type) const;
    void read_vector(const std::vector<remfile::ReadPiece> &pieces) const;

    Libhdf5 libhdf5;  // the one that opened it
    std::string name; // the URL as it was given, with its secrets, or a local file's path
    Bytes bytes;
    std::string identity; // of a remote object
    Config config;        // what it was opened with: link targets inherit it
    haddr_t end_of_address = 0;
};

// Offsets are signed in what libhdf5 asks of a file system.
constexpr haddr_t largest_address = (static_cast<haddr_t>(1) << 63) - 1;

// The callbacks, each as H5FD_class_t documents it.
H5FD_t *open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr) noexcept;
herr_t close(H5FD_t *base) noexcept;
int compare(const H5FD_t *left, const H5FD_t *right) noexcept;
herr_t query(const H5FD_t *base, unsigned long *flags) noexcept;
haddr_t get_eoa(const H5FD_t *base, H5FD_mem_t type) noexcept;
herr_t set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address) noexcept;
haddr_t get_eof(const H5FD_t *base, H5FD_mem_t type) noexcept;
herr_t get_handle(H5FD_t *base, hid_t fapl, void **handle) noexcept; // a remfile::Driver *, of remote files
herr_t read(H5FD_t *base, H5FD_mem_t type, hid_t dxpl, haddr_t address, std::size_t size,
            void *buffer) noexcept;
// In `types` H5FD_MEM_NOLIST, and in `sizes` 0, stand for the value before it, here and to the end.
herr_t read_vector(H5FD_t *base, hid_t dxpl, std::uint32_t count, H5FD_mem_t *types, haddr_t *addresses,
                   std::size_t *sizes, void **buffers) noexcept;
herr_t write(H5FD_t *base, H5FD_mem_t type, hid_t dxpl, haddr_t address, std::size_t size,
             const void *buffer) noexcept;
herr_t remove(const char *name, hid_t fapl) noexcept;
void *fapl_get(H5FD_t *base) noexcept;
void *fapl_copy(const void *config) noexcept;
herr_t fapl_free(void *config) noexcept;

// While it lives, what libhdf5 wants of a driver's raw data on this thread is noted and not read: the
// buffers stay as they are. So libhdf5 itself tells where data lies, without anybody waiting for it.
class ReadRecorder {
  public:
    explicit ReadRecorder(const remfile::Driver &driver) noexcept;
    ~ReadRecorder();
    ReadRecorder(const ReadRecorder &) = delete;
    ReadRecorder &operator=(const ReadRecorder &) = delete;

    const std::vector<remfile::ByteRange> &noted() const noexcept { return noted_; }
    bool watches(const remfile::Driver &driver) const noexcept { return &driver == &driver_; }
    void note(remfile::ByteRange range) { noted_.push_back(range); }

  private:
    const remfile::Driver &driver_;
    std::vector<remfile::ByteRange> noted_;
    ReadRecorder *outer_;
};

} // namespace remfile_detail

#endif
