#include "description.h"

#include <inttypes.h>

void emit_space(struct description *d, hid_t space) {
    hsize_t extents[H5S_MAX_RANK] = {0}, limits[H5S_MAX_RANK] = {0};

    switch (H5Sget_simple_extent_type(space)) {
    case H5S_NULL:
        emit(d, "null");
        return;
    case H5S_SCALAR:
        emit(d, "scalar");
        return;
    case H5S_SIMPLE: {
        int rank = H5Sget_simple_extent_dims(space, extents, limits);

        if (rank < 0)
            break;
        emit(d, "simple ");
        emit_extents(d, rank, extents);
        emit(d, " limits ");
        emit_extents(d, rank, limits);
        return;
    }
    default:
        break;
    }
    emit_error(d, "H5Sget_simple_extent_dims");
}

static const char *selection_name(H5S_sel_type type) {
    switch (type) {
    case H5S_SEL_NONE:
        return "none";
    case H5S_SEL_POINTS:
        return "points";
    case H5S_SEL_HYPERSLABS:
        return "hyperslabs";
    case H5S_SEL_ALL:
        return "all";
    default:
        return "unknown";
    }
}

void emit_selection(struct description *d, hid_t space) {
    hsize_t first[H5S_MAX_RANK] = {0}, last[H5S_MAX_RANK] = {0};
    int rank = H5Sget_simple_extent_ndims(space);
    H5S_sel_type type = H5Sget_select_type(space);

    emit(d, "%s of ", selection_name(type));
    emit_space(d, space);
    emit(d, " elements=%" PRId64, (int64_t)H5Sget_select_npoints(space));
    if (type == H5S_SEL_HYPERSLABS)
        emit(d, " blocks=%" PRId64, (int64_t)H5Sget_select_hyper_nblocks(space));
    if (type == H5S_SEL_NONE || rank <= 0)
        return;
    if (H5Sget_select_bounds(space, first, last) < 0) {
        emit(d, " ");
        emit_error(d, "H5Sget_select_bounds");
        return;
    }
    emit(d, " from ");
    emit_extents(d, rank, first);
    emit(d, " to ");
    emit_extents(d, rank, last);
}
