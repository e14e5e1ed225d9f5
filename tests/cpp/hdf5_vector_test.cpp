// Vector reads, which libhdf5 makes from 1.14 on: of scattered selections, and in the shorthand of its
// interface.
#include <numeric>
#include <vector>

#include "hdf5_served_file.hpp"

#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

namespace {

constexpr hsize_t rows = 64, columns = 8192, step = 8; // 32 KiB a row

// A contiguous dataset of rows that lie apart, after a user block or not.
class Vectors : public testing::TestWithParam<hsize_t> {
  protected:
    void SetUp() override {
        const Handle fcpl(H5Pcreate(H5P_FILE_CREATE));
        H5Pset_userblock(fcpl, GetParam());
        const Handle file(H5Fcreate(folder.path("a.h5").c_str(), H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
        const hsize_t dims[] = {rows, columns};
        const Handle space(H5Screate_simple(2, dims, nullptr));
        const Handle data(
            H5Dcreate2(file, "values", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        std::vector<std::int32_t> values(rows * columns);
        std::iota(values.begin(), values.end(), 0);
        ASSERT_GE(H5Dwrite(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }

    TemporaryFolder folder;
    TestServer server{folder.path(), {"--first-byte-ms", "5"}};
    H5FD_remfile_config_t config = frugal_config();
};

TEST_P(Vectors, OfAColumnsElementsTakeOneRoundTrip) {
#if !H5_VERSION_GE(1, 14, 1)
    GTEST_SKIP() << "libhdf5 makes single reads before 1.14.1";
#endif
    const Handle file = open_remote(server.url("files/a.h5"), &config);
    const Handle data(H5Dopen2(file, "values", H5P_DEFAULT));
    const Handle space(H5Dget_space(data));
    const hsize_t start[] = {3, 5000}, stride[] = {step, 1}, count[] = {rows / step, 1};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, nullptr);
    const auto before = driver_of(file)->stats();
    const auto values = read_ints(file, "values", space);
    const auto after = driver_of(file)->stats();
    ASSERT_EQ(values.size(), rows / step);
    for (hsize_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], static_cast<std::int32_t>((3 + i * step) * columns + 5000));
    EXPECT_EQ(after.reads - before.reads, 1u);
    EXPECT_EQ(after.round_trips - before.round_trips, 1u);
    EXPECT_EQ(after.requests - before.requests, rows / step);
}

TEST_P(Vectors, FailWithTheDriversSentence) {
    config.max_retries = -1;
    const Handle file = open_remote(server.url("files/a.h5"), &config);
    const Handle data(H5Dopen2(file, "values", H5P_DEFAULT));
    const Handle space(H5Dget_space(data));
    const hsize_t start[] = {3, 5000}, stride[] = {step, 1}, count[] = {rows / step, 1};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, nullptr);
    server.kill();
    const QuietHdf5 quiet;
    std::int32_t values[rows / step];
    const hsize_t length = rows / step;
    const Handle memory(H5Screate_simple(1, &length, nullptr));
    EXPECT_LT(H5Dread(data, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, values), 0);
    EXPECT_HOLDS(error_stack().front(), "remfile: cannot read " + server.url("files/a.h5"));
}

INSTANTIATE_TEST_SUITE_P(UserBlocks, Vectors, testing::Values(0, 512));

#if H5_VERSION_GE(1, 14, 0)

// A file as drivers see it, under no H5F.
class BareVectors : public ServedFile {
  protected:
    void SetUp() override {
        ServedFile::SetUp();
        fapl = remote_fapl(&config);
        remote = H5FDopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl, HADDR_UNDEF);
        const Handle plain(H5Pcreate(H5P_FILE_ACCESS));
        local = H5FDopen(folder.path("a.h5").c_str(), H5F_ACC_RDONLY, plain, HADDR_UNDEF);
        ASSERT_TRUE(remote && local);
        size = H5FDget_eof(remote, H5FD_MEM_DEFAULT);
        ASSERT_EQ(size, H5FDget_eof(local, H5FD_MEM_DEFAULT));
        for (H5FD_t *file : {remote, local})
            ASSERT_GE(H5FDset_eoa(file, H5FD_MEM_DEFAULT, size + 100), 0);
    }

    void TearDown() override {
        H5FDclose(remote);
        H5FDclose(local);
    }

    // Reads with both drivers; compares `bytes` bytes. The arrays end where the shorthand begins.
    void expect_same(std::vector<H5FD_mem_t> types, std::vector<haddr_t> addresses,
                     std::vector<std::size_t> sizes, std::vector<std::size_t> bytes) {
        std::vector<std::vector<unsigned char>> results[2];
        for (int i = 0; i < 2; ++i) {
            std::vector<void *> buffers;
            for (const std::size_t length : bytes)
                results[i].emplace_back(length, 0xEE);
            for (auto &result : results[i])
                buffers.push_back(result.data());
            ASSERT_GE(H5FDread_vector(i ? local : remote, H5P_DEFAULT, std::uint32_t(addresses.size()),
                                      types.data(), addresses.data(), sizes.data(), buffers.data()),
                      0)
                << error_stack().front();
        }
        EXPECT_EQ(results[0], results[1]);
    }

    Handle fapl;
    H5FD_t *remote = nullptr;
    H5FD_t *local = nullptr;
    haddr_t size = 0;
};

TEST_F(BareVectors, MayLeaveOutSizesAndTypesThatAreAsTheOneBefore) {
    expect_same({H5FD_MEM_DRAW, H5FD_MEM_NOLIST}, {5000, 10, 4000, 5004}, {7, 30, 0}, {7, 30, 30, 30});
    expect_same({H5FD_MEM_SUPER, H5FD_MEM_DRAW, H5FD_MEM_NOLIST}, {0, 3000, 9000, 100}, {8, 0}, {8, 8, 8, 8});
    expect_same({H5FD_MEM_DRAW, H5FD_MEM_OHDR}, {20, 3000}, {8, 9}, {8, 9});
    expect_same({H5FD_MEM_DRAW}, {20}, {8}, {8});
    EXPECT_GE(H5FDread_vector(remote, H5P_DEFAULT, 0, nullptr, nullptr, nullptr, nullptr), 0);
}

TEST_F(BareVectors, ReadZerosBetweenTheEndOfTheFileAndThatOfTheAddressSpace) {
    expect_same({H5FD_MEM_DRAW, H5FD_MEM_NOLIST}, {size - 5, 40, size, size + 80}, {20, 0}, {20, 20, 20, 20});
}

TEST_F(BareVectors, PastTheAddressSpaceAreRefused) {
    const QuietHdf5 quiet;
    H5FD_mem_t types[] = {H5FD_MEM_DRAW, H5FD_MEM_NOLIST};
    haddr_t addresses[] = {40, size + 90};
    std::size_t sizes[] = {20, 0};
    char bytes[20];
    void *buffers[] = {bytes, bytes};
    EXPECT_LT(H5FDread_vector(remote, H5P_DEFAULT, 2, types, addresses, sizes, buffers), 0);
}

#endif

} // namespace
