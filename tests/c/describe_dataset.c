/* Datasets: what they are, and all their values in slabs of bounded size. */
#include "value_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SLAB_BYTES ((hsize_t)8 << 20)
/* A dataset far larger than what is stored of it is a sparse giant (or a damaged extent), mostly
 * fill values: the beginning must do. Deflate packs at most 1032 times. */
#define MOST_BYTES ((hsize_t)64 << 30)
#define UNSTORED_BYTES ((hsize_t)64 << 20)
#define DENSEST_PACKING 1032

struct slabs {
    hid_t dataset;
    hid_t memory_type;
    const struct value_plan *plan;
    int rank;
    hsize_t extents[H5S_MAX_RANK];
    hsize_t shape[H5S_MAX_RANK]; /* of a full slab */
};

static hsize_t smaller(hsize_t a, hsize_t b) { return a < b ? a : b; }

/*
 * The slab's shape: whole chunks where they fit, so that no chunk is decoded twice, grown along the
 * last dimensions first, which is the order of the file.
 */
static void choose_shape(struct slabs *slabs, const hsize_t *unit) {
    hsize_t bytes = slabs->plan->size;

    for (int i = 0; i < slabs->rank; i++) {
        slabs->shape[i] = smaller(unit[i], slabs->extents[i]);
        bytes *= slabs->shape[i];
    }
    for (int i = 0; i < slabs->rank && bytes > SLAB_BYTES; i++) {
        hsize_t row = bytes / slabs->shape[i];

        slabs->shape[i] = row >= SLAB_BYTES ? 1 : SLAB_BYTES / row;
        bytes = row * slabs->shape[i];
    }
    for (int i = slabs->rank - 1; i >= 0 && bytes <= SLAB_BYTES / 2; i--) {
        hsize_t row = bytes / slabs->shape[i];

        slabs->shape[i] = smaller(slabs->shape[i] * (SLAB_BYTES / bytes), slabs->extents[i]);
        bytes = row * slabs->shape[i];
        if (slabs->shape[i] < slabs->extents[i])
            break;
    }
}

/* So that libhdf5 goes the same way with every driver, and says the same where it fails: by itself it makes
 * vector reads with those that take them. */
static hid_t reading_plist(void) {
    hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);

#if H5_VERSION_GE(1, 14, 1)
    H5Pset_selection_io(dxpl, H5D_SELECTION_IO_MODE_ON);
#endif
    return dxpl;
}

static void read_slab(struct description *d, const struct slabs *slabs, hid_t space, const hsize_t *start) {
    hsize_t count[H5S_MAX_RANK] = {0};
    size_t elements = 1;

    for (int i = 0; i < slabs->rank; i++) {
        count[i] = smaller(slabs->shape[i], slabs->extents[i] - start[i]);
        elements *= (size_t)count[i];
    }
    hid_t memory = slabs->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(slabs->rank, count, NULL);
    hid_t dxpl = reading_plist();
    unsigned char *values = must_allocate(elements, slabs->plan->size);

    if (slabs->rank > 0)
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    emit(d, "  values from ");
    emit_extents(d, slabs->rank, start);
    emit(d, " count ");
    emit_extents(d, slabs->rank, count);
    emit(d, "\n");
    if (H5Dread(slabs->dataset, slabs->memory_type, memory, space, dxpl, values) < 0) {
        /* What a failed read has left behind must not be reclaimed: pointers may be half made. */
        emit_error_line(d, "    ", "H5Dread");
    } else {
        emit_values(d, slabs->plan, slabs->dataset, values, elements, "    ");
        reclaim_values(slabs->plan, slabs->memory_type, memory, values);
    }
    free(values);
    H5Pclose(dxpl);
    H5Sclose(memory);
}

/* Moves `start` to the next slab; false after the last one. */
static bool next_slab(const struct slabs *slabs, hsize_t *start) {
    for (int i = slabs->rank - 1; i >= 0; i--) {
        start[i] += slabs->shape[i];
        if (start[i] < slabs->extents[i])
            return true;
        start[i] = 0;
    }
    return false;
}

static hsize_t most_bytes(hid_t dataset, hid_t dcpl) {
    hsize_t stored = H5Dget_storage_size(dataset);

    if (H5Pget_layout(dcpl) == H5D_VIRTUAL || stored > MOST_BYTES / DENSEST_PACKING)
        return MOST_BYTES;
    return smaller(MOST_BYTES, UNSTORED_BYTES + stored * DENSEST_PACKING);
}

static void read_values(struct description *d, hid_t dataset, hid_t memory_type, hid_t space, hid_t dcpl,
                        const struct value_plan *plan) {
    struct slabs slabs = {dataset, memory_type, plan, 0, {0}, {0}};
    hsize_t unit[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0};
    hsize_t elements = 0, most = most_bytes(dataset, dcpl) / plan->size;
    hssize_t count = H5Sget_simple_extent_npoints(space);

    if (count <= 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return;
    slabs.rank = H5Sget_simple_extent_dims(space, slabs.extents, NULL);
    for (int i = 0; i < H5S_MAX_RANK; i++)
        unit[i] = 1;
    if (H5Pget_layout(dcpl) == H5D_CHUNKED)
        H5Pget_chunk(dcpl, slabs.rank, unit);
    choose_shape(&slabs, unit);
    do {
        hsize_t slab = 1;

        for (int i = 0; i < slabs.rank; i++)
            slab *= slabs.shape[i];
        elements += slab;
        if (elements > most) {
            emit(d, "  the rest is too large to be read\n");
            return;
        }
        read_slab(d, &slabs, space, start);
    } while (next_slab(&slabs, start));
}

static void describe_storage(struct description *d, hid_t dataset, hid_t type, hid_t space) {
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;

    emit(d, "  type ");
    emit_type(d, type);
    emit(d, "\n  space ");
    emit_space(d, space);
    emit(d, "\n");
    if (H5Dget_space_status(dataset, &status) < 0)
        emit_error_line(d, "  ", "H5Dget_space_status");
    emit(d, "  stored=%" PRIu64 " status=%d", (uint64_t)H5Dget_storage_size(dataset), (int)status);
    emit_address(d, "offset", H5Dget_offset(dataset));
    emit(d, "\n");
}

static void describe_contents(struct description *d, hid_t dataset, hid_t type, hid_t space, hid_t dcpl) {
    hid_t memory_type;

    describe_storage(d, dataset, type, space);
    memory_type = memory_type_of(d, type, "  ");
    describe_layout(d, dcpl, memory_type);
    if (H5Pget_layout(dcpl) == H5D_CHUNKED)
        describe_chunks(d, dataset);
    struct value_plan *plan = value_plan_new(memory_type);
    if (plan == NULL)
        emit_error_line(d, "  ", "value_plan_new");
    else
        read_values(d, dataset, memory_type, space, dcpl, plan);
    value_plan_free(plan);
    if (memory_type >= 0)
        H5Tclose(memory_type);
}

void describe_dataset(struct description *d, hid_t dataset) {
    hid_t type = H5Dget_type(dataset);
    if (type < 0)
        emit_error_line(d, "  ", "H5Dget_type");
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        emit_error_line(d, "  ", "H5Dget_space");
    hid_t dcpl = H5Dget_create_plist(dataset);
    if (dcpl < 0)
        emit_error_line(d, "  ", "H5Dget_create_plist");
    if (type >= 0 && space >= 0 && dcpl >= 0)
        describe_contents(d, dataset, type, space, dcpl);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (dcpl >= 0)
        H5Pclose(dcpl);
}
