// What a work item has read, kept until the clock has stopped.
#ifndef REMFILE_BENCH_VALUES_HPP
#define REMFILE_BENCH_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

class Values {
  public:
    static constexpr std::size_t ready_bytes = 160 << 20; // the largest stream's

    Values() : array_(ready_bytes, 1) {}

    void add_bytes(std::string_view bytes) { text_.append(bytes); }
    void add_number(std::uint64_t number); // eight bytes, the lowest first

    // Memory for `size` bytes. What fits in `ready_bytes` is there and touched since the constructor,
    // before the clock started, so that reading does not pay for page faults. Called at most once.
    unsigned char *array(std::size_t size);

    // CRC-32 of all of it, as zlib has it.
    std::uint32_t checksum() const;

  private:
    std::string text_;
    std::vector<unsigned char> array_;
    std::size_t used_ = 0;
};

} // namespace bench

#endif
