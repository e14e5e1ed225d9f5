// What tests of the HDF5 driver have in common: files to serve, identifiers that close themselves, the
// error stack as text.
#ifndef REMFILE_TESTS_HDF5_SUPPORT_HPP
#define REMFILE_TESTS_HDF5_SUPPORT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include <hdf5.h>

#include <remfile/remfile_vfd.h>

// A folder of its own that goes away with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string path(const std::string &name = "") const { return folder_ + "/" + name; }

  private:
    std::string folder_;
};

// An identifier that is closed at the end, whatever it stands for.
class Handle {
  public:
    Handle(hid_t id = H5I_INVALID_HID) : id_(id) {}
    ~Handle() { close(); }
    Handle(Handle &&other) noexcept : id_(other.id_) { other.id_ = H5I_INVALID_HID; }
    Handle &operator=(Handle &&other) noexcept;

    operator hid_t() const { return id_; }
    void close();

  private:
    hid_t id_;
};

// While it lives, libhdf5 does not print errors; tests that provoke some look at the stack instead.
class QuietHdf5 {
  public:
    QuietHdf5();
    ~QuietHdf5();

  private:
    H5E_auto2_t function_ = nullptr;
    void *data_ = nullptr;
};

// A file access property list with the remfile driver.
Handle remote_fapl(const H5FD_remfile_config_t *config = nullptr);

// Small blocks, nothing that is not asked for, no retries: every request has its reason.
H5FD_remfile_config_t frugal_config();

// Opens `url` with H5Fopen.
Handle open_remote(const std::string &url, const H5FD_remfile_config_t *config = nullptr,
                   unsigned flags = H5F_ACC_RDONLY);

// What the error stack holds, one description a line, the deepest first. Closing an identifier clears it.
std::vector<std::string> error_stack();

// The deepest description after H5Fopen has failed; empty if it has not.
std::string why_not_open(const std::string &url, const H5FD_remfile_config_t *config = nullptr,
                         unsigned flags = H5F_ACC_RDONLY);

// Makes a file of one dataset "values" that counts up from 0: 64 x 256 int32 in chunks of 16 x 16, or
// contiguous. The creation property list may say more.
void make_counting_file(const std::string &path, bool is_chunked, hid_t fcpl = H5P_DEFAULT);
constexpr hsize_t counting_rows = 64;
constexpr hsize_t counting_columns = 256;
constexpr hsize_t counting_chunk = 16;

// All elements of a dataset of int32, or of a selection of it.
std::vector<std::int32_t> read_ints(hid_t file, const char *dataset, hid_t selection = H5S_ALL);

#endif
