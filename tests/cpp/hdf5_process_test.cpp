// The file driver from its registration to the end of the process, in threads and forks.
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "hdf5_served_file.hpp"

namespace {

class VfdProcess : public ServedFile {};

TEST_F(VfdProcess, IsRegisteredOnceAndAgainAfterH5close) {
    const hid_t first = H5FD_remfile_init();
    EXPECT_EQ(H5FD_remfile_init(), first);
    EXPECT_EQ(H5Iget_type(first), H5I_VFL);
    for (int round = 0; round < 3; ++round) {
        {
            Handle file = open_remote(server.url("files/a.h5"), &config);
            ASSERT_GE(file, 0);
            EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
            ASSERT_GE(H5close(), 0); // with the file open
        }
        // Another driver takes the number first.
        const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
        ASSERT_GE(H5Pset_fapl_core(fapl, 1 << 16, 0), 0);
        EXPECT_NE(H5Pget_driver(fapl), H5FD_remfile_init());
    }
}

TEST_F(VfdProcess, IsRegisteredFromSeveralThreadsAtOnce) {
    hbool_t is_threadsafe = 0;
    H5is_library_threadsafe(&is_threadsafe);
    if (!is_threadsafe)
        GTEST_SKIP() << "this libhdf5 is not thread-safe";
    H5close();
    std::vector<hid_t> ids(8);
    std::vector<std::thread> threads;
    for (auto &id : ids)
        threads.emplace_back([&id] { id = H5FD_remfile_init(); });
    for (auto &thread : threads)
        thread.join();
    for (const hid_t id : ids)
        EXPECT_EQ(H5Iget_type(id), H5I_VFL);
    EXPECT_EQ(read_ints(open_remote(server.url("files/a.h5"), &config), "values").size(),
              counting_rows * counting_columns);
}

TEST_F(VfdProcess, MayBeOpenWhenTheProgramEnds) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const hid_t file =
                H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, remote_fapl(&config));
            const hid_t dataset = H5Dopen2(file, "values", H5P_DEFAULT);
            driver_of(file)->prefetch({{0, 1 << 20}});  // in flight at the end
            std::filesystem::remove_all(folder.path()); // nobody else does: this is a process of its own
            std::exit(dataset >= 0 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "^$");
}

TEST_F(VfdProcess, IsUsableOnBothSidesOfAFork) {
    const Handle file = open_remote(server.url("files/a.h5"), &config);
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    const pid_t child = fork();
    if (child == 0) {
        const auto values = read_ints(file, "values");
        _exit(values.size() == counting_rows * counting_columns && values.back() == 64 * 256 - 1 ? 0 : 1);
    }
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
