// remfile::prefetch: what it fetches is what reading the selection needs, no more and no less.
#include <algorithm>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include <remfile/hdf5.hpp>

#include "hdf5_support.hpp"
#include "test_server.hpp"

namespace {

constexpr std::uint64_t block_size = 1024;

// Blocks of the file, by number.
using BlockSet = std::set<std::uint64_t>;

remfile::Options frugal() {
    remfile::Options options;
    options.min_chunk_size = block_size;
    options.head_size = 1;
    options.read_ahead = false;
    options.hints = false;
    options.complete_small_files = false;
    return options;
}

void add_blocks(BlockSet &blocks, std::uint64_t offset, std::uint64_t size) {
    for (std::uint64_t block = offset / block_size; block * block_size < offset + size; ++block)
        blocks.insert(block);
}

// Is the element selected? Slow and simple.
bool is_selected(hid_t selection, hsize_t row, hsize_t column) {
    const hsize_t start[] = {row, column};
    const hsize_t one[] = {1, 1};
    const Handle probe(H5Scopy(selection));
    if (H5Sget_select_type(selection) == H5S_SEL_POINTS) {
        const auto count = static_cast<std::size_t>(H5Sget_select_elem_npoints(selection));
        std::vector<hsize_t> points(2 * count);
        H5Sget_select_elem_pointlist(selection, 0, count, points.data());
        for (std::size_t i = 0; i < count; ++i)
            if (points[2 * i] == row && points[2 * i + 1] == column)
                return true;
        return false;
    }
    H5Sselect_hyperslab(probe, H5S_SELECT_AND, start, nullptr, one, nullptr);
    return H5Sget_select_npoints(probe) > 0;
}

// A way to select; it gets a dataspace of all rows and columns.
struct Selection {
    const char *name;
    std::function<void(hid_t)> select;
};

void hyperslab(hid_t space, H5S_seloper_t op, std::vector<hsize_t> start, std::vector<hsize_t> stride,
               std::vector<hsize_t> count, std::vector<hsize_t> block) {
    ASSERT_GE(H5Sselect_hyperslab(space, op, start.data(), stride.data(), count.data(), block.data()), 0);
}

const std::vector<Selection> selections = {
    {"all", [](hid_t) {}},
    {"none", [](hid_t space) { H5Sselect_none(space); }},
    {"one element",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {63, 255}, {1, 1}, {1, 1}, {1, 1});
     }},
    {"a box",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {10, 30}, {1, 1}, {1, 1}, {8, 40});
     }},
    {"a column",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {0, 100}, {1, 1}, {64, 1}, {1, 1});
     }},
    {"strided blocks that skip chunks",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {3, 5}, {40, 70}, {2, 3}, {2, 9});
     }},
    {"strides of less than a chunk",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {1, 1}, {3, 5}, {20, 50}, {1, 2});
     }},
    {"two boxes",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {0, 0}, {1, 1}, {1, 1}, {5, 5});
         hyperslab(space, H5S_SELECT_OR, {40, 200}, {1, 1}, {1, 1}, {20, 17});
     }},
    {"a shifted box",
     [](hid_t space) {
         hyperslab(space, H5S_SELECT_SET, {0, 0}, {1, 1}, {1, 1}, {2, 2});
         const hssize_t offset[] = {33, 129};
         H5Soffset_simple(space, offset);
     }},
    {"points",
     [](hid_t space) {
         const hsize_t points[] = {0, 0, 17, 250, 63, 3, 17, 251};
         H5Sselect_elements(space, H5S_SELECT_SET, 4, points);
     }},
};

// The blocks that hold selected elements, found the long way round with the local file.
BlockSet needed_blocks(const std::string &path, hid_t selection, bool is_chunked, std::uint64_t user_block) {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    BlockSet blocks;
    for (hsize_t row = 0; row < counting_rows; ++row) {
        for (hsize_t column = 0; column < counting_columns; ++column) {
            // H5Soffset_simple moves what is read, not what H5Sselect_hyperslab sees.
            if (!is_selected(selection, row, column))
                continue;
            if (!is_chunked) {
                add_blocks(blocks, H5Dget_offset(dataset) + (row * counting_columns + column) * 4, 4);
                continue;
            }
            const hsize_t offset[] = {row / counting_chunk * counting_chunk,
                                      column / counting_chunk * counting_chunk};
            haddr_t address = HADDR_UNDEF;
            hsize_t size = 0;
            unsigned filters = 0;
            H5Dget_chunk_info_by_coord(dataset, offset, &filters, &address, &size);
#if !H5_VERSION_GE(1, 14, 4)
            address += user_block;
#else
            (void)user_block;
#endif
            add_blocks(blocks, address, size);
        }
    }
    return blocks;
}

struct Case {
    const char *name;
    bool is_chunked;
    hsize_t user_block;
    bool has_page_buffer;
    std::size_t sieve; // libhdf5's buffer for contiguous data, bytes
};

class Prefetch : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        const Handle fcpl(H5Pcreate(H5P_FILE_CREATE));
        ASSERT_GE(H5Pset_userblock(fcpl, GetParam().user_block), 0);
        if (GetParam().has_page_buffer)
            H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, false, 1);
        make_counting_file(folder.path("a.h5"), GetParam().is_chunked, fcpl);
    }

    Handle open() const {
        const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
        H5Pset_sieve_buf_size(fapl, GetParam().sieve);
        if (GetParam().has_page_buffer)
            H5Pset_page_buffer_size(fapl, 1 << 16, 0, 0);
        return Handle(remfile::open_hdf5(server.url("files/a.h5"), frugal(), fapl));
    }

    TemporaryFolder folder;
    TestServer server{folder.path()};
};

TEST_P(Prefetch, FetchesTheBlocksOfTheSelectionAndReadingItNeedsNoMore) {
    for (const Selection &selection : selections) {
        SCOPED_TRACE(selection.name);
        const Handle file = open();
        const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
        const Handle space(H5Dget_space(dataset));
        selection.select(space);
        const std::uint64_t size = std::uint64_t(H5Dget_storage_size(dataset));
        const std::uint64_t promised = remfile::prefetch(dataset, space);
        const remfile::Stats before = remfile::stats(dataset);

        const auto values = read_ints(file, "values", space);
        const remfile::Stats after = remfile::stats(dataset);
        if (!GetParam().has_page_buffer) { // which reads whole pages
            EXPECT_EQ(after.missed_blocks, before.missed_blocks);
            EXPECT_EQ(after.round_trips, before.round_trips);
        }

        const Handle local(H5Fopen(folder.path("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
        EXPECT_EQ(values, read_ints(local, "values", space));

        const Handle plain(H5Scopy(space));
        hssize_t none[] = {0, 0};
        if (std::string(selection.name) == "a shifted box") { // what the long way round can see
            H5Soffset_simple(plain, none);
            hyperslab(plain, H5S_SELECT_SET, {33, 129}, {1, 1}, {1, 1}, {2, 2});
        }
        const BlockSet needed =
            needed_blocks(folder.path("a.h5"), plain, GetParam().is_chunked, GetParam().user_block);
        if (GetParam().sieve == 1) { // else libhdf5 reads some of what follows as well
            EXPECT_LE(promised, needed.size() * block_size);
        }
        EXPECT_GT(promised + block_size, needed.size() * block_size); // the last block may be short
        EXPECT_LE(promised, size + 2 * block_size);
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Prefetch,
                         testing::Values(Case{"Chunks", true, 0, false, 1},
                                         Case{"ChunksAfterAUserBlock", true, 4096, false, 1},
                                         Case{"ChunksUnderAPageBuffer", true, 0, true, 1},
                                         Case{"Rows", false, 0, false, 1},
                                         Case{"RowsAfterAUserBlock", false, 512, false, 1},
                                         Case{"RowsThroughTheSieve", false, 0, false, 5000}),
                         [](const auto &info) { return std::string(info.param.name); });

class PrefetchOf : public testing::Test {
  protected:
    TemporaryFolder folder;
    TestServer server{folder.path()};
};

TEST_F(PrefetchOf, DatasetsOfOtherKindsFetchesNothing) {
    const hsize_t dims[] = {100};
    {
        const Handle file(
            H5Fcreate(folder.path("kinds.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const Handle space(H5Screate_simple(1, dims, nullptr));
        const Handle compact(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_layout(compact, H5D_COMPACT);
        Handle(H5Dcreate2(file, "compact", H5T_STD_I32LE, space, H5P_DEFAULT, compact, H5P_DEFAULT));
        const Handle external(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_external(external, "other.raw", 0, 400);
        Handle(H5Dcreate2(file, "external", H5T_STD_I32LE, space, H5P_DEFAULT, external, H5P_DEFAULT));
        const Handle virtual_(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_virtual(virtual_, space, "other.h5", "values", space);
        Handle(H5Dcreate2(file, "virtual", H5T_STD_I32LE, space, H5P_DEFAULT, virtual_, H5P_DEFAULT));
        Handle(H5Dcreate2(file, "unwritten", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const Handle chunks(H5Pcreate(H5P_DATASET_CREATE));
        const hsize_t chunk[] = {10};
        H5Pset_chunk(chunks, 1, chunk);
        Handle(H5Dcreate2(file, "unwritten chunks", H5T_STD_I32LE, space, H5P_DEFAULT, chunks, H5P_DEFAULT));
        const Handle null(H5Screate(H5S_NULL));
        Handle(H5Dcreate2(file, "null", H5T_STD_I32LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    const Handle file(remfile::open_hdf5(server.url("files/kinds.h5"), frugal()));
    for (const char *name : {"compact", "external", "virtual", "unwritten", "unwritten chunks", "null"}) {
        const Handle dataset(H5Dopen2(file, name, H5P_DEFAULT));
        ASSERT_GE(dataset, 0) << name;
        EXPECT_EQ(remfile::prefetch(dataset), 0u) << name;
    }
}

TEST_F(PrefetchOf, AScalarFetchesItsBlock) {
    {
        const Handle file(H5Fcreate(folder.path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const Handle space(H5Screate(H5S_SCALAR));
        const Handle dataset(
            H5Dcreate2(file, "values", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const int value = 7;
        H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
    }
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), frugal()));
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    const auto bytes = remfile::prefetch(dataset);
    EXPECT_GT(bytes, 0u);
    EXPECT_LE(bytes, block_size);
}

TEST_F(PrefetchOf, MoreThanTheCacheHoldsIsCutToHalfOfIt) {
    make_counting_file(folder.path("a.h5"), true);
    remfile::Options options = frugal();
    options.max_cache_size = 16 * block_size;
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), options));
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    EXPECT_EQ(remfile::prefetch(dataset), 8 * block_size);
}

TEST_F(PrefetchOf, ASelectionThatDoesNotFitIsRefused) {
    make_counting_file(folder.path("a.h5"), true);
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), frugal()));
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    const hsize_t longer[] = {counting_rows + 1, counting_columns};
    const Handle too_long(H5Screate_simple(2, longer, nullptr));
    const Handle too_flat(H5Screate_simple(1, longer, nullptr));
    for (const hid_t selection : {hid_t(too_long), hid_t(too_flat), hid_t(file)}) {
        try {
            remfile::prefetch(dataset, selection);
            ADD_FAILURE();
        } catch (const remfile::Error &error) {
            EXPECT_EQ(error.code(), remfile::ErrorCode::hdf5) << error.what();
        }
    }
    EXPECT_THROW(remfile::prefetch(file), remfile::Error);
}

TEST_F(PrefetchOf, ChunksWhoseIndexCannotBeReadThrowsWhatTheDriverFound) {
    make_counting_file(folder.path("a.h5"), true);
    remfile::Options options = frugal();
    options.max_retries = 0;
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), options));
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    server.kill();
    try {
        remfile::prefetch(dataset);
        FAIL();
    } catch (const remfile::Error &error) {
        EXPECT_NE(error.code(), remfile::ErrorCode::hdf5) << error.what();
    }
}

} // namespace
