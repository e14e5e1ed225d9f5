// What 20,000 small chunks cost: all of them, and every twentieth.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <remfile/hdf5.hpp>

#include "hdf5_support.hpp"
#include "test_server.hpp"

namespace {

constexpr hsize_t chunks = 20'000, chunk_bytes = 15'000, step = 20;

std::uint8_t value(hsize_t at) { return static_cast<std::uint8_t>((at * 2654435761u) >> 11); }

class SmallChunks : public testing::TestWithParam<const char *> {
  protected:
    // Filtered, so that libhdf5 reads every chunk by itself.
    void SetUp() override {
        const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
        if (GetParam() == std::string("latest.h5"))
            H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        const Handle file(H5Fcreate(folder.path(GetParam()).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
        const hsize_t size = chunks * chunk_bytes;
        const Handle space(H5Screate_simple(1, &size, nullptr));
        const Handle dcpl(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_chunk(dcpl, 1, &chunk_bytes);
        H5Pset_fletcher32(dcpl);
        const Handle data(H5Dcreate2(file, "data", H5T_NATIVE_UINT8, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        std::vector<std::uint8_t> values(size);
        for (hsize_t i = 0; i < size; ++i)
            values[i] = value(i);
        ASSERT_GE(H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }

    TemporaryFolder folder;
    TestServer server{folder.path(), {"--first-byte-ms", "5"}};
};

TEST_P(SmallChunks, AllOfThemTakeAtMost60Requests) {
    const Handle file(remfile::open_hdf5(server.url(std::string("files/") + GetParam())));
    const Handle data(H5Dopen2(file, "data", H5P_DEFAULT));
    std::vector<std::uint8_t> values(chunks * chunk_bytes);
    ASSERT_GE(H5Dread(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    for (hsize_t i = 0; i < values.size(); i += 997)
        ASSERT_EQ(values[i], value(i)) << i;
    EXPECT_LE(remfile::stats(file).requests, 60u);
    EXPECT_LE(remfile::stats(file).fetched_bytes, 320'000'000u);
}

TEST_P(SmallChunks, EveryTwentiethCostsAtMostTwiceTheBytesNeeded) {
    const Handle file(remfile::open_hdf5(server.url(std::string("files/") + GetParam())));
    const Handle data(H5Dopen2(file, "data", H5P_DEFAULT));
    const hsize_t start = 0, stride = step * chunk_bytes, count = chunks / step, total = count * chunk_bytes;
    const Handle space(H5Dget_space(data));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &chunk_bytes);
    const Handle memory(H5Screate_simple(1, &total, nullptr));
    std::vector<std::uint8_t> values(total);
    ASSERT_GE(H5Dread(data, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, values.data()), 0);
    for (hsize_t i = 0; i < total; i += 997)
        ASSERT_EQ(values[i], value(i / chunk_bytes * stride + i % chunk_bytes)) << i;
    const auto stats = remfile::stats(file);
    EXPECT_LE(stats.fetched_bytes, 2 * total);
    EXPECT_LE(stats.round_trips, 60u) << "the pattern is foretold";
}

INSTANTIATE_TEST_SUITE_P(Layouts, SmallChunks, testing::Values("earliest.h5", "latest.h5"));

} // namespace
