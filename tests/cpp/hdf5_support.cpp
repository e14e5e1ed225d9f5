#include "hdf5_support.hpp"

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "remfile-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
        throw std::runtime_error("cannot make a temporary folder");
    folder_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

Handle &Handle::operator=(Handle &&other) noexcept {
    close();
    id_ = other.id_;
    other.id_ = H5I_INVALID_HID;
    return *this;
}

void Handle::close() {
    if (id_ >= 0 && H5Iis_valid(id_) > 0)
        H5Idec_ref(id_);
    id_ = H5I_INVALID_HID;
}

QuietHdf5::QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Handle remote_fapl(const H5FD_remfile_config_t *config) {
    Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    EXPECT_GE(H5Pset_fapl_remfile(fapl, config), 0);
    return fapl;
}

H5FD_remfile_config_t frugal_config() {
    H5FD_remfile_config_t config;
    H5FD_remfile_config_init(&config);
    config.min_chunk_size = 1024;
    config.head_size = 1;
    config.read_ahead = -1;
    config.hints = -1;
    config.complete_small_files = -1;
    config.max_retries = -1;
    return config;
}

Handle open_remote(const std::string &url, const H5FD_remfile_config_t *config, unsigned flags) {
    const Handle fapl = remote_fapl(config);
    return Handle(H5Fopen(url.c_str(), flags, fapl));
}

std::string why_not_open(const std::string &url, const H5FD_remfile_config_t *config, unsigned flags) {
    const QuietHdf5 quiet;
    const Handle fapl = remote_fapl(config);
    const Handle file(H5Fopen(url.c_str(), flags, fapl));
    if (file >= 0)
        return "";
    const auto stack = error_stack();
    return stack.empty() ? "an empty error stack" : stack.front();
}

void make_counting_file(const std::string &path, bool is_chunked, hid_t fcpl) {
    std::vector<std::int32_t> values(counting_rows * counting_columns);
    std::iota(values.begin(), values.end(), 0);
    const hsize_t dims[] = {counting_rows, counting_columns};
    const hsize_t chunk[] = {counting_chunk, counting_chunk};
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
    const Handle space(H5Screate_simple(2, dims, nullptr));
    const Handle dcpl(H5Pcreate(H5P_DATASET_CREATE));
    if (is_chunked)
        H5Pset_chunk(dcpl, 2, chunk);
    const Handle dataset(H5Dcreate2(file, "values", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
}

std::vector<std::int32_t> read_ints(hid_t file, const char *name, hid_t selection) {
    const Handle dataset(H5Dopen2(file, name, H5P_DEFAULT));
    const Handle all(H5Dget_space(dataset));
    const hssize_t count = H5Sget_select_npoints(selection == H5S_ALL ? hid_t(all) : selection);
    if (dataset < 0 || count < 0)
        return {};
    const auto length = static_cast<hsize_t>(count);
    std::vector<std::int32_t> values(length);
    const Handle memory(H5Screate_simple(1, &length, nullptr));
    if (H5Dread(dataset, H5T_NATIVE_INT32, memory, selection, H5P_DEFAULT, values.data()) < 0)
        return {};
    return values;
}

std::vector<std::string> error_stack() {
    std::vector<std::string> lines;
    const auto look = [](unsigned, const H5E_error2_t *record, void *data) -> herr_t {
        static_cast<std::vector<std::string> *>(data)->emplace_back(record->desc ? record->desc : "");
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &lines);
    return lines;
}
