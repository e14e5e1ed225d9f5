// What reading costs in dependent round trips, thanks to the metadata passing by.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <remfile/hdf5.hpp>

#include "hdf5_support.hpp"
#include "test_server.hpp"

namespace {

class Hints : public testing::Test {
  protected:
    TemporaryFolder folder;
    TestServer server{folder.path(), {"--first-byte-ms", "5"}};

    // Only hints can help: nothing is fetched because the file is small.
    static remfile::Options options() {
        remfile::Options options;
        options.complete_small_files = false;
        return options;
    }
};

void write_attribute(hid_t object, const std::string &name, int value) {
    const Handle space(H5Screate(H5S_SCALAR));
    const Handle attribute(H5Acreate2(object, name.c_str(), H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(attribute, H5T_NATIVE_INT, &value);
}

herr_t visit(hid_t root, const char *name, const H5O_info_t *, void *sum) {
    const Handle object(H5Oopen(root, name, H5P_DEFAULT));
    const Handle attribute(H5Aopen(object, "a", H5P_DEFAULT));
    int value = 0;
    if (H5Aread(attribute, H5T_NATIVE_INT, &value) < 0)
        return -1;
    *static_cast<int *>(sum) += value;
    return 0;
}

int walk(hid_t file) {
    int sum = 0;
#if H5_VERSION_GE(1, 12, 0)
    EXPECT_GE(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, visit, &sum, H5O_INFO_BASIC), 0);
#else
    EXPECT_GE(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &sum), 0);
#endif
    return sum;
}

// 1,000 groups with an attribute each, scattered over a file by data written between them.
void make_groups(const std::string &path, bool latest) {
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    if (latest)
        H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    write_attribute(file, "a", 1000);
    const std::vector<char> filler(20'000, 'x');
    for (int i = 0; i < 1000; ++i) {
        const Handle group(
            H5Gcreate2(file, ("g" + std::to_string(i)).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        write_attribute(group, "a", i);
        if (i % 2 == 0)
            continue;
        const hsize_t size = filler.size();
        const Handle space(H5Screate_simple(1, &size, nullptr));
        const Handle data(
            H5Dcreate2(group, "filler", H5T_NATIVE_CHAR, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        write_attribute(data, "a", 0);
        H5Dwrite(data, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, filler.data());
    }
}

TEST_F(Hints, AWalkOf1000GroupsTakesAtMost8RoundTrips) {
    for (const bool latest : {false, true}) {
        const std::string name = latest ? "latest.h5" : "earliest.h5";
        make_groups(folder.path(name), latest);
        const Handle file(remfile::open_hdf5(server.url("files/" + name), options()));
        EXPECT_EQ(walk(file), 1000 + 999 * 1000 / 2);
        EXPECT_LE(remfile::stats(file).round_trips, 8u) << name;

        auto without = options();
        without.hints = false;
        without.read_ahead = false;
        const Handle plain(remfile::open_hdf5(server.url("files/" + name + "?plain"), without));
        EXPECT_EQ(walk(plain), 1000 + 999 * 1000 / 2);
        EXPECT_GT(remfile::stats(plain).round_trips, 50u) << name;
    }
}

// 96 rows of chunks, and a read of one column of them: every chunk lies far from the others.
TEST_F(Hints, OneReadOver96ScatteredChunksTakesFewRoundTrips) {
    constexpr hsize_t rows = 96, columns = 16, side = 100;
    {
        const Handle file(H5Fcreate(folder.path("c.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hsize_t dims[] = {rows * side, columns * side};
        const hsize_t chunk[] = {side, side};
        const Handle space(H5Screate_simple(2, dims, nullptr));
        const Handle dcpl(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_chunk(dcpl, 2, chunk);
        H5Pset_shuffle(dcpl);
        H5Pset_fletcher32(dcpl);
        const Handle data(H5Dcreate2(file, "data", H5T_NATIVE_INT32, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        std::vector<std::int32_t> values(dims[0] * dims[1]);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::int32_t>(i * 2654435761u);
        H5Dwrite(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    const Handle file(remfile::open_hdf5(server.url("files/c.h5"), options()));
    const Handle data(H5Dopen2(file, "data", H5P_DEFAULT));
    const auto before = remfile::stats(file).round_trips;
    const hsize_t start[] = {0, 3 * side}, count[] = {rows * side, 1};
    const Handle space(H5Dget_space(data));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    const Handle memory(H5Screate_simple(2, count, nullptr));
    std::vector<std::int32_t> column(rows * side);
    ASSERT_GE(H5Dread(data, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, column.data()), 0);
    for (std::size_t i = 0; i < column.size(); ++i)
        ASSERT_EQ(column[i], static_cast<std::int32_t>((i * columns * side + 3 * side) * 2654435761u));
    EXPECT_LE(remfile::stats(file).round_trips - before, 4u);
}

} // namespace
