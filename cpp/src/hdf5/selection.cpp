#include "selection.hpp"

#include <algorithm>
#include <set>

#include "library.hpp"

namespace remfile_detail {

namespace {

constexpr hsize_t most_blocks = 65536;

remfile::Error unfit(const std::string &why) {
    return remfile::Error(remfile::ErrorCode::hdf5, "cannot prefetch the selection: " + why);
}

// A block from its first to its last element.
Grid grid_of(const hsize_t *first, const hsize_t *last, std::size_t rank) {
    Grid grid;
    for (std::size_t d = 0; d < rank; ++d)
        grid.push_back({first[d], 1, 1, last[d] - first[d] + 1});
    return grid;
}

Grid regular_grid(hid_t space, std::size_t rank) {
    std::vector<hsize_t> start(rank), stride(rank), count(rank), block(rank);
    checked(H5Sget_regular_hyperslab(space, start.data(), stride.data(), count.data(), block.data()),
            "cannot read the selection");
    Grid grid;
    for (std::size_t d = 0; d < rank; ++d)
        grid.push_back({start[d], stride[d], count[d], block[d]});
    return grid;
}

std::vector<Grid> listed_blocks(hid_t space, std::size_t rank) {
    const auto all = checked(H5Sget_select_hyper_nblocks(space), "cannot read the selection");
    const hsize_t count = std::min(static_cast<hsize_t>(all), most_blocks);
    std::vector<hsize_t> corners(static_cast<std::size_t>(count) * rank * 2);
    checked(H5Sget_select_hyper_blocklist(space, 0, count, corners.data()), "cannot read the selection");
    std::vector<Grid> grids;
    for (std::size_t at = 0; at < corners.size(); at += 2 * rank)
        grids.push_back(grid_of(&corners[at], &corners[at + rank], rank));
    return grids;
}

std::vector<Grid> listed_points(hid_t space, std::size_t rank) {
    const auto all = checked(H5Sget_select_elem_npoints(space), "cannot read the selection");
    const hsize_t count = std::min(static_cast<hsize_t>(all), most_blocks);
    std::vector<hsize_t> points(static_cast<std::size_t>(count) * rank);
    checked(H5Sget_select_elem_pointlist(space, 0, count, points.data()), "cannot read the selection");
    std::vector<Grid> grids;
    for (std::size_t at = 0; at < points.size(); at += rank)
        grids.push_back(grid_of(&points[at], &points[at], rank));
    return grids;
}

// Odometer over the chunks of one grid; `visit` gets chunk coordinates.
bool walk(const Grid &grid, const std::vector<hsize_t> &chunk, std::size_t dimension,
          std::vector<hsize_t> &at, const std::function<bool(const std::vector<hsize_t> &)> &visit) {
    if (dimension == grid.size())
        return visit(at);
    const std::uint64_t length = chunk[dimension];
    std::uint64_t place = 0;
    for (std::uint64_t from = 0; grid[dimension].next(from, place); from = at[dimension] + length) {
        at[dimension] = place / length * length;
        if (!walk(grid, chunk, dimension + 1, at, visit))
            return false;
    }
    return true;
}

// One grid in the bytes of a contiguous dataset.
class RowWalk {
  public:
    RowWalk(const Grid &grid, const Rows &rows, std::vector<remfile::ByteRange> &ranges)
        : grid_(grid), rows_(rows), ranges_(ranges), pitch_(grid.size()), low_(grid.size() + 1, 0),
          high_(grid.size() + 1, rows.element_size), size_(rows.element_size) {
        std::uint64_t piece = rows.element_size;
        bool is_whole = true; // all dimensions after this one are read from end to end
        for (std::size_t d = grid.size(); d-- > 0;) {
            pitch_[d] = size_;
            size_ *= rows.dims[d];
            low_[d] = low_[d + 1] + grid[d].start * pitch_[d];
            high_[d] = high_[d + 1] + grid[d].last() * pitch_[d];
            const std::uint64_t run = grid[d].is_solid() ? grid[d].last() - grid[d].start + 1 : grid[d].block;
            if (is_whole)
                piece = run * pitch_[d];
            is_whole = is_whole && run == rows.dims[d];
        }
        sieved_ = rows.sieve > piece ? rows.sieve - piece : 0;
    }

    // Adds what is selected of the dimensions from `d` on, for one place in those before it; false if
    // there is no room for more.
    bool collect(std::size_t d, std::uint64_t base) {
        if (d == grid_.size())
            return add(base, base + high_[d]);
        const Steps &steps = grid_[d];
        const std::uint64_t pitch = pitch_[d];
        // Neighbours here, and all that lies between them, are nearer to each other than a gap. That
        // holds for blocks too where what is skipped between two of them is as small.
        const bool is_dense = pitch <= rows_.gap;
        if (is_dense && (steps.is_solid() || (steps.stride - steps.block + 1) * pitch <= rows_.gap))
            return add(base + low_[d], base + high_[d]);
        for (std::uint64_t step = 0; step < steps.count; ++step) {
            const std::uint64_t start = base + (steps.start + step * steps.stride) * pitch;
            const std::uint64_t end = start + (steps.block - 1) * pitch;
            if (is_dense) {
                if (!add(start + low_[d + 1], end + high_[d + 1]))
                    return false;
                continue;
            }
            for (std::uint64_t row = start; row <= end; row += pitch)
                if (!collect(d + 1, row))
                    return false;
        }
        return true;
    }

  private:
    bool add(std::uint64_t start, std::uint64_t end) {
        end = std::min(end + sieved_, size_);
        if (!ranges_.empty()) {
            auto &last = ranges_.back();
            if (start >= last.offset && start - last.offset < last.size + rows_.gap) {
                last.size = std::max(last.size, end - last.offset);
                return true;
            }
        }
        if (ranges_.size() == rows_.most)
            return false;
        ranges_.push_back({start, end - start});
        return true;
    }

    const Grid &grid_;
    const Rows &rows_;
    std::vector<remfile::ByteRange> &ranges_;
    std::vector<std::uint64_t> pitch_; // bytes from one place of a dimension to the next
    // First and end byte of what is selected of the dimensions from d on.
    std::vector<std::uint64_t> low_;
    std::vector<std::uint64_t> high_;
    std::uint64_t size_;       // of the dataset
    std::uint64_t sieved_ = 0; // bytes read after a piece, at the most
};

// A dataspace may shift its selection (H5Soffset_simple); only its bounds show that.
void shift(std::vector<Grid> &grids, const std::vector<hsize_t> &low) {
    for (std::size_t d = 0; d < low.size(); ++d) {
        std::uint64_t first = grids.front()[d].start;
        for (const Grid &grid : grids)
            first = std::min(first, grid[d].start);
        for (Grid &grid : grids)
            grid[d].start += low[d] - first; // may wrap round, twice
    }
}

} // namespace

bool Steps::next(std::uint64_t from, std::uint64_t &place) const noexcept {
    if (from <= start) {
        place = start;
        return true;
    }
    const std::uint64_t step = count == 1 ? 0 : std::min((from - start) / stride, count - 1);
    const std::uint64_t block_start = start + step * stride;
    if (from - block_start < block) {
        place = from;
        return true;
    }
    place = block_start + stride;
    return step + 1 < count;
}

std::vector<Grid> grids_of(hid_t space, const std::vector<hsize_t> &dims) {
    const std::size_t rank = dims.size();
    const auto given = checked(H5Sget_simple_extent_ndims(space), "cannot read the selection");
    if (static_cast<std::size_t>(given) != rank)
        throw unfit("it has " + std::to_string(given) + " dimensions, the dataset " + std::to_string(rank));
    if (checked(H5Sget_select_npoints(space), "cannot read the selection") == 0)
        return {};
    if (rank == 0)
        return {Grid{}};
    std::vector<hsize_t> low(rank), high(rank);
    checked(H5Sget_select_bounds(space, low.data(), high.data()), "cannot read the selection");
    for (std::size_t d = 0; d < rank; ++d)
        if (high[d] >= dims[d])
            throw unfit("it reaches past the dataset's extent");
    std::vector<Grid> grids;
    switch (H5Sget_select_type(space)) {
    case H5S_SEL_HYPERSLABS:
        if (checked(H5Sis_regular_hyperslab(space), "cannot read the selection"))
            grids = {regular_grid(space, rank)};
        else
            grids = listed_blocks(space, rank);
        break;
    case H5S_SEL_POINTS:
        grids = listed_points(space, rank);
        break;
    default:
        grids = {grid_of(low.data(), high.data(), rank)};
    }
    if (grids.size() < most_blocks) // else those that were cut off may be the first
        shift(grids, low);
    return grids;
}

void for_each_chunk(const std::vector<Grid> &grids, const std::vector<hsize_t> &chunk,
                    const std::function<bool(const std::vector<hsize_t> &)> &visit) {
    std::vector<hsize_t> at(chunk.size());
    if (grids.size() == 1) {
        walk(grids.front(), chunk, 0, at, visit);
        return;
    }
    // Several may lie in one chunk.
    std::set<std::vector<hsize_t>> chunks;
    const auto remember = [&](const std::vector<hsize_t> &place) {
        chunks.insert(place);
        return chunks.size() < most_blocks;
    };
    for (const Grid &grid : grids)
        if (!walk(grid, chunk, 0, at, remember))
            break;
    for (const auto &place : chunks)
        if (!visit(place))
            return;
}

std::vector<remfile::ByteRange> contiguous_ranges(const std::vector<Grid> &grids, const Rows &rows) {
    std::vector<remfile::ByteRange> ranges;
    for (const Grid &grid : grids)
        if (!RowWalk(grid, rows, ranges).collect(0, 0))
            break;
    return ranges;
}

} // namespace remfile_detail
