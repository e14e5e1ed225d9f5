// Writing pointer files, without HDF5.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <gtest/gtest.h>

#include <remfile/error.hpp>
#include <remfile/pointer.hpp>

namespace {

class PointerFile : public testing::Test {
  protected:
    std::string written() const {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    remfile::ErrorCode refusal(const std::string &url, const remfile::Options &options = {},
                               remfile::UrlSecrets secrets = remfile::UrlSecrets::refuse) const {
        try {
            remfile::write_pointer_file(path, url, options, secrets);
        } catch (const remfile::Error &error) {
            EXPECT_FALSE(std::filesystem::exists(path)) << url;
            return error.code();
        }
        return remfile::ErrorCode::ok;
    }

    void TearDown() override { std::filesystem::remove(path); }

    const std::string path = testing::TempDir() + "remfile-pointer-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::string head = "\x89HDF\r\n\x1a\nremfile-pointer 1\nurl=";
};

TEST_F(PointerFile, HoldsTheUrlAndWhatDiffersFromTheDefaults) {
    remfile::write_pointer_file(path, "https://example.org/a.nwb");
    EXPECT_EQ(written(), head + "https://example.org/a.nwb\n");
    remfile::Options options;
    options.max_retries = 20;
    options.read_ahead = false;
    options.min_chunk_size = 4096;
    remfile::write_pointer_file(path, "HTTP://example.org/a.nwb#x", options);
    EXPECT_EQ(written(),
              head + "HTTP://example.org/a.nwb#x\nmin_chunk_size=4096\nread_ahead=0\nmax_retries=20\n");
}

TEST_F(PointerFile, HoldsASecretOnlyIfThatIsAskedFor) {
    for (const char *url : {"https://me:word@example.org/a", "https://example.org/a?signature=1",
                            "https://example.org/a?file=b", "https://me@example.org"}) {
        EXPECT_EQ(refusal(url), remfile::ErrorCode::invalid_url) << url;
        remfile::write_pointer_file(path, url, {}, remfile::UrlSecrets::keep);
        EXPECT_EQ(written(), head + url + "\n");
        std::filesystem::remove(path);
    }
    EXPECT_EQ(refusal("https://example.org/me@home"), remfile::ErrorCode::ok);
}

TEST_F(PointerFile, HoldsNothingThatCouldBeReadAsAnotherLine) {
    for (const char *url : {"https://example.org/a\nproxy=b", "https://example.org/a b",
                            "https://example.org/\r", "ftp://example.org/a", "/etc/passwd", "https://", ""})
        EXPECT_EQ(refusal(url, {}, remfile::UrlSecrets::keep), remfile::ErrorCode::invalid_url) << url;
    EXPECT_EQ(refusal("https://example.org/" + std::string(70'000, 'x')), remfile::ErrorCode::invalid_url);
}

TEST_F(PointerFile, HasNoSayInWhomToTrustAndWhatToReveal) {
    remfile::Options options;
    options.verify_tls = false;
    EXPECT_EQ(refusal("https://example.org/a", options), remfile::ErrorCode::invalid_option);
    options = {};
    options.max_cache_size = 1;
    EXPECT_EQ(refusal("https://example.org/a", options), remfile::ErrorCode::invalid_option);
    options = {};
    options.min_chunk_size = 1; // out of bounds
    EXPECT_EQ(refusal("https://example.org/a", options), remfile::ErrorCode::invalid_option);
}

TEST_F(PointerFile, ThatCannotBeWrittenIsAnErrorOfTheSystem) {
    EXPECT_THROW(remfile::write_pointer_file("/nonexistent/a", "https://example.org/a"), std::system_error);
}

} // namespace
