#include "values.hpp"

#include <zlib.h>

namespace bench {

void Values::add_number(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte)
        text_.push_back(static_cast<char>(number >> (8 * byte) & 0xff));
}

unsigned char *Values::array(std::size_t size) {
    if (size > array_.size())
        array_.resize(size);
    used_ = size;
    return array_.data();
}

std::uint32_t Values::checksum() const {
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(text_.data()), text_.size());
    return static_cast<std::uint32_t>(crc32_z(crc, array_.data(), used_));
}

} // namespace bench
