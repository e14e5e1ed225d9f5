// Files that are not for everybody, through libhdf5: links, pointer files, URLs that expire.
#include <cstring>
#include <fstream>
#include <string>

#include <remfile/pointer.hpp>

#include "hdf5_served_file.hpp"

namespace {

class VfdPrivate : public ServedFile {
  protected:
    // A file with a link to "values" in the file at `target`.
    void link_to(const std::string &target) {
        const Handle file(
            H5Fcreate(folder.path("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external(target.c_str(), "/values", file, "link", H5P_DEFAULT, H5P_DEFAULT);
    }

    void give_everything() {
        config.authorization = "token topsecret";
        config.username = "me";
        config.password = "topsecret";
        config.headers = "X-Key: topsecret";
        config.cookies = "session=topsecret";
    }

    static bool has_secret(const LoggedRequest &request) {
        for (const auto &[name, value] : request.headers)
            if (name == "authorization" || value.find("topsecret") != std::string::npos)
                return true;
        return false;
    }

    TestServer other{folder.path()};
};

TEST_F(VfdPrivate, LinksToTheSameHostGetTheCredentialsAndLinksToOthersDoNot) {
    give_everything();
    for (const bool is_same : {true, false}) {
        link_to(is_same ? "a.h5" : other.url("files/a.h5"));
        server.reset();
        const Handle file = open_remote(server.url("files/links.h5"), &config);
        EXPECT_EQ(read_ints(file, "link").size(), counting_rows * counting_columns);
        for (const auto &request : server.requests())
            EXPECT_TRUE(has_secret(request)) << request.path;
        EXPECT_EQ(server.requests("/files/a.h5").empty(), !is_same);
    }
    EXPECT_FALSE(other.requests("/files/a.h5").empty());
    for (const auto &request : other.requests())
        EXPECT_FALSE(has_secret(request)) << request.path;
}

TEST_F(VfdPrivate, CredentialsForANamedHostGoThereWhereverALinkLeads) {
    give_everything();
    const std::string host = other.url();
    config.credentials_host = host.c_str();
    link_to(other.url("files/a.h5"));
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    EXPECT_EQ(read_ints(file, "link").size(), counting_rows * counting_columns);
    for (const auto &request : server.requests())
        EXPECT_FALSE(has_secret(request)) << request.path;
    EXPECT_FALSE(other.requests("/files/a.h5").empty());
    for (const auto &request : other.requests())
        EXPECT_TRUE(has_secret(request)) << request.path;
}

TEST_F(VfdPrivate, NoErrorOnTheStackHasACredential) {
    give_everything();
    const std::string why =
        failure("files/a.h5?status=403&body=bad%20topsecret&X-Amz-Signature=topsecret", 1);
    EXPECT_HOLDS(why, "[denied]");
    EXPECT_EQ(why.find("topsecret"), std::string::npos) << why;
    config.headers = "X-Key: topsecret\rX-Evil: 1";
    const QuietHdf5 quiet;
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    EXPECT_LT(H5Pset_fapl_remfile(fapl, &config), 0);
    EXPECT_HOLDS(error_stack().front(), "the option headers");
    EXPECT_EQ(error_stack().front().find("topsecret"), std::string::npos);
}

// A callback of a program: returns the URL behind `user`, and counts.
struct Fresh {
    std::string url;
    int outcome = 0;
    int calls = 0;
};

int fresh_url(void *user, char *url, size_t size) {
    auto *fresh = static_cast<Fresh *>(user);
    ++fresh->calls;
    std::strncpy(url, fresh->url.c_str(), size);
    return fresh->outcome;
}

TEST_F(VfdPrivate, AFreshUrlServesAnOpenFileAndTheFilesOpenedWithItsProperties) {
    Fresh fresh{server.url("files/a.h5?fresh=1")};
    config.refresh_url = fresh_url;
    config.refresh_user = &fresh;
    const Handle fapl = remote_fapl(&config);
    const Handle copy(H5Pcopy(fapl));
    const Handle file(H5Fopen(server.url("files/a.h5?status=403&after=2").c_str(), H5F_ACC_RDONLY, copy));
    ASSERT_GE(file, 0);
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
    EXPECT_EQ(fresh.calls, 1);
    const Handle own(H5Fget_access_plist(file));
    const Handle again(H5Fopen(server.url("files/a.h5?status=403&after=2").c_str(), H5F_ACC_RDONLY, own));
    EXPECT_GE(again, 0);
    EXPECT_EQ(fresh.calls, 2);
}

// A callback that reads another file through libhdf5 before it answers.
struct Reader {
    std::string other;
    Fresh fresh;
    std::size_t read = 0;
};

int read_and_refresh(void *user, char *url, size_t size) {
    auto *reader = static_cast<Reader *>(user);
    const Handle file = open_remote(reader->other);
    reader->read = read_ints(file, "values").size();
    return fresh_url(&reader->fresh, url, size);
}

TEST_F(VfdPrivate, ACallbackMayReadAnotherFileThroughLibhdf5) {
    Reader reader{other.url("files/a.h5"), {server.url("files/a.h5?fresh=1")}};
    config.refresh_url = read_and_refresh;
    config.refresh_user = &reader;
    const Handle file = open_remote(server.url("files/a.h5?status=403&after=2"), &config);
    const auto values = read_ints(file, "values");
    ASSERT_EQ(values.size(), counting_rows * counting_columns);
    for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], static_cast<std::int32_t>(i));
    EXPECT_EQ(reader.read, values.size());
    EXPECT_EQ(reader.fresh.calls, 1);
}

TEST_F(VfdPrivate, ACallbackThatFailsIsOnTheErrorStackWithItsReason) {
    Fresh fresh{"logged out", -1};
    config.refresh_url = fresh_url;
    config.refresh_user = &fresh;
    const std::string why = failure("files/a.h5?status=403", 1);
    EXPECT_HOLDS(why, "logged out");
    EXPECT_HOLDS(why, "[denied]");
}

TEST_F(VfdPrivate, TheTargetOfALinkIsNotReplacedByTheFilesFreshUrl) {
    Fresh fresh{server.url("files/links.h5?fresh=1")};
    config.refresh_url = fresh_url;
    config.refresh_user = &fresh;
    link_to(server.url("files/a.h5?status=403"));
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    const QuietHdf5 quiet;
    EXPECT_LT(H5Dopen2(file, "link", H5P_DEFAULT), 0);
    EXPECT_EQ(fresh.calls, 0);
}

TEST_F(VfdPrivate, TwoSignedUrlsOfOneObjectAreOneFileToLibhdf5) {
    const auto number = [](hid_t file) {
        H5O_info_t info{};
#if H5_VERSION_GE(1, 12, 0)
        H5Oget_info3(file, &info, H5O_INFO_BASIC);
#else
        H5Oget_info(file, &info);
#endif
        return info.fileno;
    };
    const Handle first = open_remote(server.url("files/a.h5?X-Amz-Signature=1"), &config);
    const Handle second = open_remote(server.url("files/a.h5?X-Amz-Signature=2"), &config);
    const Handle changed = open_remote(server.url("files/a.h5?etag_flip=1&X-Amz-Signature=1"), &config);
    EXPECT_EQ(number(first), number(second));
    EXPECT_NE(number(first), number(changed));
}

#if H5_VERSION_GE(1, 14, 0)
TEST_F(VfdPrivate, APointerFileDoesNotChooseWhoGetsTheProgramsCredentials) {
    const std::string path = folder.path("pointer.h5");
    remfile::write_pointer_file(path, server.url("files/a.h5"));
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    H5FD_remfile_init();
    const auto open = [&](const std::string &text) {
        const QuietHdf5 quiet;
        EXPECT_GE(H5Pset_driver_by_name(fapl, "remfile", text.c_str()), 0);
        const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, fapl));
        return file >= 0 ? std::string() : error_stack().front();
    };
    EXPECT_HOLDS(open("authorization=token topsecret"), "credentials_host");
    EXPECT_TRUE(server.requests().empty());
    EXPECT_EQ(open("authorization=token topsecret, credentials_host=" + other.url()), "");
    EXPECT_FALSE(has_secret(server.requests().back()));
    EXPECT_EQ(open("authorization=token topsecret, credentials_host=" + server.url()), "");
    EXPECT_TRUE(has_secret(server.requests().back()));
}
#endif

} // namespace
