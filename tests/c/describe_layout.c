/* A dataset's creation properties: layout, chunk shape, filters, fill value, external files. */
#include "value_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static void describe_chunk_shape(struct description *d, hid_t dcpl) {
    hsize_t shape[H5S_MAX_RANK] = {0};
    unsigned options = 0;
    int rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, shape);

    if (rank < 0) {
        emit_error_line(d, "  ", "H5Pget_chunk");
        return;
    }
    if (H5Pget_chunk_opts(dcpl, &options) < 0)
        emit_error_line(d, "  ", "H5Pget_chunk_opts");
    emit(d, "  chunk shape ");
    emit_extents(d, rank, shape);
    emit(d, " options=%u\n", options);
}

static void describe_filter(struct description *d, hid_t dcpl, unsigned index) {
    unsigned flags = 0, *values;
    size_t count = 0;
    char name[256] = "";
    /* Twice: first for the number of client values. */
    H5Z_filter_t filter = H5Pget_filter2(dcpl, index, &flags, &count, NULL, sizeof name, name, NULL);

    if (filter < 0) {
        emit_error_line(d, "  ", "H5Pget_filter2");
        return;
    }
    values = must_allocate(count, sizeof *values);
    H5Pget_filter2(dcpl, index, &flags, &count, values, sizeof name, name, NULL);
    emit(d, "  filter %d flags=%u name=", (int)filter, flags);
    emit_quoted(d, name, strlen(name));
    emit(d, " values=");
    for (size_t i = 0; i < count; i++)
        emit(d, "%s%u", i ? "," : "", values[i]);
    emit(d, "\n");
    free(values);
}

static void describe_filters(struct description *d, hid_t dcpl) {
    int count = H5Pget_nfilters(dcpl);

    if (count < 0)
        emit_error_line(d, "  ", "H5Pget_nfilters");
    for (int i = 0; i < count; i++)
        describe_filter(d, dcpl, (unsigned)i);
}

static void emit_fill_value(struct description *d, hid_t dcpl, hid_t memory_type) {
    struct value_plan *plan = value_plan_new(memory_type);

    if (plan == NULL)
        return;
    unsigned char *value = must_allocate(1, plan->size);
    if (H5Pget_fill_value(dcpl, memory_type, value) < 0) {
        emit_error(d, "H5Pget_fill_value");
    } else {
        hid_t scalar = H5Screate(H5S_SCALAR);

        emit_value(d, plan, dcpl, value);
        reclaim_values(plan, memory_type, scalar, value);
        H5Sclose(scalar);
    }
    free(value);
    value_plan_free(plan);
}

static void describe_fill(struct description *d, hid_t dcpl, hid_t memory_type) {
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    H5D_alloc_time_t allocated = H5D_ALLOC_TIME_ERROR;
    H5D_fill_time_t filled = H5D_FILL_TIME_ERROR;

    if (H5Pfill_value_defined(dcpl, &defined) < 0)
        emit_error_line(d, "  ", "H5Pfill_value_defined");
    if (H5Pget_alloc_time(dcpl, &allocated) < 0)
        emit_error_line(d, "  ", "H5Pget_alloc_time");
    if (H5Pget_fill_time(dcpl, &filled) < 0)
        emit_error_line(d, "  ", "H5Pget_fill_time");
    emit(d, "  fill defined=%d allocated=%d filled=%d ", (int)defined, (int)allocated, (int)filled);
    if (defined == H5D_FILL_VALUE_USER_DEFINED)
        emit_fill_value(d, dcpl, memory_type);
    emit(d, "\n");
}

static void describe_external_files(struct description *d, hid_t dcpl) {
    int count = H5Pget_external_count(dcpl);

    if (count < 0)
        emit_error_line(d, "  ", "H5Pget_external_count");
    for (int i = 0; i < count; i++) {
        char name[1024] = ""; /* longer names are cut, and the last byte stays NUL */
        hsize_t size = 0;
#if H5_VERSION_GE(2, 0, 0)
        HDoff_t offset = 0;
#else
        off_t offset = 0;
#endif

        if (H5Pget_external(dcpl, (unsigned)i, sizeof name - 1, name, &offset, &size) < 0) {
            emit_error_line(d, "  ", "H5Pget_external");
            continue;
        }
        emit(d, "  external file ");
        emit_quoted(d, name, strlen(name));
        emit(d, " offset=%" PRId64 " size=%" PRIu64 "\n", (int64_t)offset, (uint64_t)size);
    }
}

void describe_layout(struct description *d, hid_t dcpl, hid_t memory_type) {
    H5D_layout_t layout = H5Pget_layout(dcpl);

    if (layout == H5D_LAYOUT_ERROR)
        emit_error_line(d, "  ", "H5Pget_layout");
    emit(d, "  layout %d\n", (int)layout);
    describe_creation_common(d, dcpl);
    if (layout == H5D_CHUNKED)
        describe_chunk_shape(d, dcpl);
    describe_filters(d, dcpl);
    describe_fill(d, dcpl, memory_type);
    describe_external_files(d, dcpl);
    if (layout == H5D_VIRTUAL)
        describe_virtual_sources(d, dcpl);
}
