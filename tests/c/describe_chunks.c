/*
 * Chunks as they are stored: where, how large, and a hash of their raw bytes.
 *
 * HDF5 1.14 lists all chunks in one pass. Before, asking for the n-th chunk walks there, which is
 * quadratic; so there only some are asked for their address, and the raw bytes are found by going
 * through the grid of all possible chunks.
 */
#include "description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void emit_raw_bytes(struct description *d, hid_t dataset, const hsize_t *offset, hsize_t size) {
#if H5_VERSION_GE(1, 10, 3)
    unsigned char *bytes = must_allocate((size_t)size, 1);
    uint32_t mask = 0;
#if H5_VERSION_GE(2, 0, 0)
    size_t got = (size_t)size;
    herr_t status = H5Dread_chunk2(dataset, H5P_DEFAULT, offset, &mask, bytes, &got);
#else
    herr_t status = H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, bytes);
#endif

    emit(d, " ");
    if (status < 0)
        emit_error(d, "H5Dread_chunk");
    else
        emit(d, "read_mask=%" PRIu32 " fnv1a=%016" PRIx64, mask, fnv1a(FNV1A_START, bytes, (size_t)size));
    free(bytes);
#else
    (void)d;
    (void)dataset;
    (void)offset;
    (void)size;
#endif
}

#if H5_VERSION_GE(1, 14, 0)

struct chunk {
    hsize_t offset[H5S_MAX_RANK];
    haddr_t address;
    hsize_t size;
    unsigned mask;
};

struct chunk_list {
    struct chunk *chunks;
    size_t count;
    size_t capacity;
    int rank;
};

static int keep_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *data) {
    struct chunk_list *list = data;

    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->chunks = must_resize(list->chunks, list->capacity, sizeof *list->chunks);
    }
    struct chunk *chunk = &list->chunks[list->count++];
    memcpy(chunk->offset, offset, (size_t)list->rank * sizeof *offset);
    chunk->address = address;
    chunk->size = size;
    chunk->mask = mask;
    return H5_ITER_CONT;
}

/* Reads after the iteration, not in it, so that libhdf5 is not entered from its own callback. */
static void describe_each_chunk(struct description *d, hid_t dataset, hid_t space) {
    struct chunk_list list = {NULL, 0, 0, H5Sget_simple_extent_ndims(space)};

    if (H5Dchunk_iter(dataset, H5P_DEFAULT, keep_chunk, &list) < 0)
        emit_error_line(d, "  ", "H5Dchunk_iter");
    emit(d, "  chunks %zu\n", list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct chunk *chunk = &list.chunks[i];

        emit(d, "  chunk ");
        emit_extents(d, list.rank, chunk->offset);
        emit_address(d, "address", chunk->address);
        emit(d, " size=%" PRIu64 " mask=%u", (uint64_t)chunk->size, chunk->mask);
        if (chunk->address != HADDR_UNDEF)
            emit_raw_bytes(d, dataset, chunk->offset, chunk->size);
        emit(d, "\n");
    }
    free(list.chunks);
}

#else

#define MOST_ADDRESSES 256
#define MOST_CELLS 1000000

#if H5_VERSION_GE(1, 10, 5)
static void describe_some_addresses(struct description *d, hid_t dataset, hid_t space, int rank) {
    hsize_t count = 0;

    if (H5Dget_num_chunks(dataset, space, &count) < 0)
        emit_error_line(d, "  ", "H5Dget_num_chunks");
    emit(d, "  chunks %" PRIu64 "\n", (uint64_t)count);
    for (hsize_t i = 0; i < count; i += count / MOST_ADDRESSES + 1) {
        hsize_t offset[H5S_MAX_RANK] = {0}, size = 0;
        haddr_t address = HADDR_UNDEF;
        unsigned mask = 0;

        if (H5Dget_chunk_info(dataset, space, i, offset, &mask, &address, &size) < 0) {
            emit_error_line(d, "  ", "H5Dget_chunk_info");
            return;
        }
        emit(d, "  chunk #%" PRIu64 " ", (uint64_t)i);
        emit_extents(d, rank, offset);
        emit_address(d, "address", address);
        emit(d, " size=%" PRIu64 " mask=%u\n", (uint64_t)size, mask);
    }
}
#endif

static void describe_cell(struct description *d, hid_t dataset, int rank, const hsize_t *offset) {
    hsize_t size = 0;

    if (H5Dget_chunk_storage_size(dataset, offset, &size) >= 0 && size == 0)
        return;
    emit(d, "  chunk ");
    emit_extents(d, rank, offset);
    if (size == 0) {
        emit(d, " ");
        emit_error(d, "H5Dget_chunk_storage_size");
    } else {
        emit(d, " size=%" PRIu64, (uint64_t)size);
        emit_raw_bytes(d, dataset, offset, size);
    }
    emit(d, "\n");
}

static void describe_cells(struct description *d, hid_t dataset, int rank, const hsize_t *extents,
                           const hsize_t *shape) {
    hsize_t offset[H5S_MAX_RANK] = {0};
    double cells = 1;
    int i;

    for (i = 0; i < rank; i++)
        cells *= (double)((extents[i] + shape[i] - 1) / shape[i]);
    if (cells > MOST_CELLS)
        emit(d, "  too many possible chunks to try each\n");
    if (cells > MOST_CELLS || cells < 1)
        return;
    do {
        describe_cell(d, dataset, rank, offset);
        for (i = rank - 1; i >= 0; i--) {
            offset[i] += shape[i];
            if (offset[i] < extents[i])
                break;
            offset[i] = 0;
        }
    } while (i >= 0);
}

static void describe_each_chunk(struct description *d, hid_t dataset, hid_t space) {
    hsize_t extents[H5S_MAX_RANK] = {0}, shape[H5S_MAX_RANK] = {0};
    int rank = H5Sget_simple_extent_dims(space, extents, NULL);
    hid_t dcpl = H5Dget_create_plist(dataset);

    if (dcpl < 0 || H5Pget_chunk(dcpl, H5S_MAX_RANK, shape) != rank) {
        emit_error_line(d, "  ", "H5Pget_chunk");
    } else {
#if H5_VERSION_GE(1, 10, 5)
        describe_some_addresses(d, dataset, space, rank);
#endif
        describe_cells(d, dataset, rank, extents, shape);
    }
    if (dcpl >= 0)
        H5Pclose(dcpl);
}

#endif

void describe_chunks(struct description *d, hid_t dataset) {
    hid_t space = H5Dget_space(dataset);

    if (space < 0) {
        emit_error_line(d, "  ", "H5Dget_space");
        return;
    }
    describe_each_chunk(d, dataset, space);
    H5Sclose(space);
}
