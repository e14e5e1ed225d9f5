#include "storage.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

#include "../vfd/error_stack.hpp"
#include "../vfd/file.hpp"
#include "library.hpp"
#include "selection.hpp"

namespace remfile_detail {

namespace {

// Chunks looked up for one call. A lookup takes microseconds; with more of them a prefetch would become
// a wait of its own.
constexpr std::size_t most_chunks = 100'000;

std::vector<hsize_t> dims_of(hid_t dataset) {
    const Id space(H5Dget_space(dataset), H5Sclose, "cannot read the dataset's extent");
    const int rank = checked(H5Sget_simple_extent_ndims(space), "cannot read the dataset's extent");
    std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
    checked(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "cannot read the dataset's extent");
    return dims;
}

std::vector<Grid> selected(hid_t dataset, hid_t selection, const std::vector<hsize_t> &dims) {
    if (selection != H5S_ALL)
        return grids_of(selection, dims);
    const Id space(H5Dget_space(dataset), H5Sclose, "cannot read the dataset's extent");
    return grids_of(space, dims);
}

// Finds the chunk whose first element is at `offset`; an empty range where it was never written.
using FindChunk = std::function<remfile::ByteRange(const std::vector<hsize_t> &offset)>;

// libhdf5 looks chunks up by their key in H5Dread_chunk only, so it is asked to read them, and the driver
// notes where. (H5Dget_chunk_info_by_coord walks the index from its start for each.)
FindChunk by_reading(hid_t dataset, const remfile::Driver &driver) {
    auto buffer = std::make_shared<std::unique_ptr<std::byte[]>>();
    auto capacity = std::make_shared<std::size_t>(0);
    return [dataset, &driver, buffer, capacity](const std::vector<hsize_t> &offset) -> remfile::ByteRange {
        hsize_t stored = 0;
        if (H5Dget_chunk_storage_size(dataset, offset.data(), &stored) < 0 || stored == 0)
            return {};
        // Large enough to be read to, even though it is not: no memory is touched.
        auto size = static_cast<std::size_t>(stored);
        if (size > *capacity) {
            buffer->reset(new std::byte[size]);
            *capacity = size;
        }
        const ReadRecorder recorder(driver);
        std::uint32_t filters = 0;
#if H5_VERSION_GE(2, 0, 0)
        size = *capacity;
        const herr_t done =
            H5Dread_chunk2(dataset, H5P_DEFAULT, offset.data(), &filters, buffer->get(), &size);
#else
        const herr_t done = H5Dread_chunk(dataset, H5P_DEFAULT, offset.data(), &filters, buffer->get());
#endif
        if (done < 0 || recorder.noted().size() != 1)
            return {};
        return recorder.noted().front();
    };
}

// With a page buffer, libhdf5 would keep what it believes to have read. So it is asked outright, for as
// many chunks as can be found in reasonable time by walking the index once for each.
FindChunk by_asking(hid_t dataset, std::uint64_t chunks_in_dataset) {
    std::uint64_t base = 0;
#if !H5_VERSION_GE(1, 14, 4)
    // Up to here the answer leaves the user block out.
    const Id file(H5Iget_file_id(dataset), H5Fclose, "cannot find the dataset's file");
    const Id fcpl(H5Fget_create_plist(file), H5Pclose, "cannot read the file's properties");
    hsize_t user_block = 0;
    checked(H5Pget_userblock(fcpl, &user_block), "cannot read the size of the user block");
    base = user_block;
#endif
    constexpr std::uint64_t most_steps = 20'000'000;
    auto left = std::make_shared<std::uint64_t>(most_steps / std::max<std::uint64_t>(chunks_in_dataset, 1));
    return [dataset, base, left](const std::vector<hsize_t> &offset) -> remfile::ByteRange {
        haddr_t address = HADDR_UNDEF;
        hsize_t size = 0;
        unsigned filters = 0;
        if (*left == 0 || H5Dget_chunk_info_by_coord(dataset, offset.data(), &filters, &address, &size) < 0 ||
            address == HADDR_UNDEF)
            return {};
        --*left;
        return {address + base, size};
    };
}

std::vector<remfile::ByteRange> chunked(hid_t dataset, hid_t dcpl, hid_t fapl, const remfile::Driver &driver,
                                        const std::vector<Grid> &grids, const std::vector<hsize_t> &dims,
                                        const Blocks &blocks) {
    std::vector<hsize_t> chunk(dims.size());
    checked(H5Pget_chunk(dcpl, static_cast<int>(chunk.size()), chunk.data()),
            "cannot read the shape of the chunks");
    std::uint64_t chunks_in_dataset = 1;
    for (std::size_t d = 0; d < dims.size(); ++d)
        chunks_in_dataset *= (dims[d] + chunk[d] - 1) / chunk[d];
    std::size_t page_buffer = 0;
    checked(H5Pget_page_buffer_size(fapl, &page_buffer, nullptr, nullptr),
            "cannot read the size of the page buffer");
    const FindChunk find =
        page_buffer > 0 ? by_asking(dataset, chunks_in_dataset) : by_reading(dataset, driver);

    // A chunk that was never written is an error to libhdf5; an index that cannot be read is one to us.
    const ErrorCatcher catcher;
    std::vector<remfile::ByteRange> ranges;
    std::uint64_t bytes = 0;
    std::size_t looked_up = 0;
    for_each_chunk(grids, chunk, [&](const std::vector<hsize_t> &offset) {
        const remfile::ByteRange range = find(offset);
        if (catcher.first())
            throw *catcher.first();
        if (range.size > 0) {
            ranges.push_back(range);
            bytes += range.size;
        }
        return bytes / blocks.size < blocks.room && ++looked_up < most_chunks;
    });
    return ranges;
}

std::vector<remfile::ByteRange> contiguous(hid_t dataset, hid_t fapl, const std::vector<Grid> &grids,
                                           const std::vector<hsize_t> &dims, const Blocks &blocks) {
    const haddr_t address = H5Dget_offset(dataset); // with the user block, in all versions
    std::uint64_t elements = 1;
    for (const hsize_t length : dims)
        elements *= length;
    // Not the datatype's size: that is of its form in memory.
    const std::uint64_t element_size = elements ? H5Dget_storage_size(dataset) / elements : 0;
    if (address == HADDR_UNDEF || element_size == 0)
        return {};
    std::size_t sieve = 0;
    checked(H5Pget_sieve_buf_size(fapl, &sieve), "cannot read the size of the sieve buffer");
    auto ranges = contiguous_ranges(
        grids, {dims, element_size, blocks.size, sieve, static_cast<std::size_t>(blocks.room)});
    for (auto &range : ranges)
        range.offset += address;
    return ranges;
}

} // namespace

Blocks::Blocks(const remfile::Options &options, std::uint64_t file_bytes)
    : size(options.min_chunk_size),
      room(std::max<std::uint64_t>(options.max_cache_size / options.min_chunk_size / 2, 1)),
      file_size(file_bytes) {}

std::vector<remfile::ByteRange> stored_ranges(hid_t dataset, hid_t selection, hid_t fapl,
                                              const remfile::Driver &driver, const Blocks &blocks) {
    const auto dims = dims_of(dataset);
    const auto grids = selected(dataset, selection, dims);
    const Id dcpl(H5Dget_create_plist(dataset), H5Pclose, "cannot read the dataset's properties");
    switch (checked(H5Pget_layout(dcpl), "cannot read the dataset's layout")) {
    case H5D_CHUNKED:
        return chunked(dataset, dcpl, fapl, driver, grids, dims, blocks);
    case H5D_CONTIGUOUS:
        // External data lies in other files.
        if (checked(H5Pget_external_count(dcpl), "cannot read the dataset's layout") == 0)
            return contiguous(dataset, fapl, grids, dims, blocks);
        break;
    default:
        break;
    }
    return {};
}

std::vector<remfile::ByteRange> whole_blocks(std::vector<remfile::ByteRange> ranges, const Blocks &blocks) {
    std::sort(ranges.begin(), ranges.end(), [](const auto &a, const auto &b) { return a.offset < b.offset; });
    std::vector<remfile::ByteRange> whole;
    std::uint64_t room = blocks.room;
    std::uint64_t next = 0; // the first block that is not in yet
    for (const auto &range : ranges) {
        const std::uint64_t end = std::min(range.offset + range.size, blocks.file_size);
        if (range.offset >= end)
            continue;
        const std::uint64_t first = std::max(range.offset / blocks.size, next);
        const std::uint64_t last = std::min((end - 1) / blocks.size + 1, first + room);
        if (first >= last)
            continue;
        const std::uint64_t start = first * blocks.size;
        const std::uint64_t length = std::min(last * blocks.size, blocks.file_size) - start;
        if (!whole.empty() && whole.back().offset + whole.back().size == start)
            whole.back().size += length;
        else
            whole.push_back({start, length});
        room -= last - first;
        next = last;
    }
    return whole;
}

} // namespace remfile_detail
