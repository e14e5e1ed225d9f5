// The bytes that the test server makes for /bytes/SIZE, computed again.
#ifndef REMFILE_TESTS_GENERATED_HPP
#define REMFILE_TESTS_GENERATED_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

// Byte `offset` is the byte offset % 8 of the little-endian word splitmix64(offset / 8), seed 0; see
// tests/server/src/generated.rs.
inline std::uint8_t generated_byte(std::uint64_t offset) {
    std::uint64_t x = offset / 8 + 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return static_cast<std::uint8_t>(x >> (8 * (offset % 8)));
}

inline std::vector<std::uint8_t> generated(std::uint64_t offset, std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = generated_byte(offset + i);
    return bytes;
}

#endif
