#include "local_file.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <remfile/error.hpp>

namespace remfile_detail {

namespace {

using remfile::ErrorCode;

[[noreturn]] void refuse(ErrorCode code, const std::string &path, const std::string &why) {
    throw remfile::Error(code, "cannot read the local file '" + path + "': " + why);
}

} // namespace

LocalFile::LocalFile(const std::string &path) : path_(path), size_(0) {
    std::error_code error;
    const auto full = std::filesystem::canonical(path, error);
    if (error || !std::filesystem::is_regular_file(full, error)) // a pipe would keep us waiting
        refuse(ErrorCode::not_found, path, "there is no such file");
    path_ = full.string();
    size_ = std::filesystem::file_size(full, error);
    if (error)
        refuse(ErrorCode::not_found, path_, error.message());
}

void LocalFile::read(std::uint64_t offset, void *buffer, std::size_t size) const {
    if (offset > size_ || size > size_ - offset)
        refuse(ErrorCode::out_of_bounds, path_,
               std::to_string(size) + " bytes at " + std::to_string(offset) + " reach past its end");
    std::ifstream file(path_, std::ios::binary);
    if (!file)
        refuse(ErrorCode::not_found, path_, "it cannot be opened");
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(static_cast<char *>(buffer), static_cast<std::streamsize>(size));
    if (!file || static_cast<std::size_t>(file.gcount()) != size)
        refuse(ErrorCode::changed, path_, "it has become shorter since it was opened");
}

} // namespace remfile_detail
