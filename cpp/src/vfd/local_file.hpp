// A file of this machine, to which a link in a remote file leads.
#ifndef REMFILE_SRC_VFD_LOCAL_FILE_HPP
#define REMFILE_SRC_VFD_LOCAL_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace remfile_detail {

// Holds no open file, so that it needs no care with forks: a child would share its position.
class LocalFile {
  public:
    // Throws Error (not_found) where `path` is no plain file.
    explicit LocalFile(const std::string &path);

    const std::string &path() const noexcept { return path_; } // absolute
    std::uint64_t size() const noexcept { return size_; }      // when it was opened

    // All of the bytes, or throws Error: out_of_bounds, changed, not_found.
    void read(std::uint64_t offset, void *buffer, std::size_t size) const;

  private:
    std::string path_;
    std::uint64_t size_;
};

} // namespace remfile_detail

#endif
