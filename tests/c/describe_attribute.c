#include "value_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_READ ((size_t)1 << 30)

static herr_t keep_name(hid_t object, const char *name, const H5A_info_t *info, void *data) {
    (void)object;
    (void)info;
    text_list_add(data, name);
    return 0;
}

static void list_attributes(struct description *d, hid_t object, H5_index_t index, H5_iter_order_t order,
                            const char *label, struct text_list *names) {
    hsize_t position = 0;

    if (H5Aiterate2(object, index, order, &position, keep_name, names) < 0)
        emit_error_line(d, "  ", label);
    if (names->count == 0)
        return;
    emit(d, "  %s:", label);
    for (size_t i = 0; i < names->count; i++) {
        emit(d, " ");
        emit_quoted(d, names->texts[i], strlen(names->texts[i]));
    }
    emit(d, "\n");
}

static void emit_attribute_facts(struct description *d, hid_t attribute, hid_t type, hid_t space) {
    H5A_info_t info;

    memset(&info, 0, sizeof info);
    if (H5Aget_info(attribute, &info) < 0)
        emit_error_line(d, "    ", "H5Aget_info");
    emit(d, "    stored=%" PRIu64 " data=%" PRIu64 " cset=%d", (uint64_t)H5Aget_storage_size(attribute),
         (uint64_t)info.data_size, (int)info.cset);
    emit_creation_order(d, info.corder_valid, info.corder);
    emit(d, "\n    type ");
    emit_type(d, type);
    emit(d, "\n    space ");
    emit_space(d, space);
    emit(d, "\n");
}

static void read_values(struct description *d, hid_t attribute, hid_t memory_type, hid_t space,
                        const struct value_plan *plan) {
    hssize_t count = H5Sget_simple_extent_npoints(space);

    if (count <= 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return;
    if ((uint64_t)count > LARGEST_READ / plan->size) {
        emit(d, "    too large to be read\n");
        return;
    }
    unsigned char *values = must_allocate((size_t)count, plan->size);
    if (H5Aread(attribute, memory_type, values) < 0) {
        /* What a failed read has left behind must not be reclaimed: pointers may be half made. */
        emit_error_line(d, "    ", "H5Aread");
    } else {
        emit_values(d, plan, attribute, values, (size_t)count, "    ");
        reclaim_values(plan, memory_type, space, values);
    }
    free(values);
}

static void describe_contents(struct description *d, hid_t attribute, hid_t type, hid_t space) {
    hid_t memory_type;

    emit_attribute_facts(d, attribute, type, space);
    memory_type = memory_type_of(d, type, "    ");
    struct value_plan *plan = value_plan_new(memory_type);
    if (plan == NULL)
        emit_error_line(d, "    ", "value_plan_new");
    else
        read_values(d, attribute, memory_type, space, plan);
    value_plan_free(plan);
    if (memory_type >= 0)
        H5Tclose(memory_type);
}

static void describe_attribute(struct description *d, hid_t object, const char *name) {
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);

    d->counts.attributes++;
    emit(d, "  attribute ");
    emit_quoted(d, name, strlen(name));
    emit(d, "\n");
    if (attribute < 0) {
        emit_error_line(d, "    ", "H5Aopen");
        return;
    }
    hid_t type = H5Aget_type(attribute);
    if (type < 0)
        emit_error_line(d, "    ", "H5Aget_type");
    hid_t space = H5Aget_space(attribute);
    if (space < 0)
        emit_error_line(d, "    ", "H5Aget_space");
    if (type >= 0 && space >= 0)
        describe_contents(d, attribute, type, space);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    H5Aclose(attribute);
}

void describe_attributes(struct description *d, hid_t object) {
    struct text_list native = {0}, named = {0};

    list_attributes(d, object, H5_INDEX_NAME, H5_ITER_NATIVE, "attributes in native order", &native);
    list_attributes(d, object, H5_INDEX_NAME, H5_ITER_INC, "attributes by name", &named);
    for (size_t i = 0; i < named.count; i++)
        describe_attribute(d, object, named.texts[i]);
    text_list_free(&native);
    text_list_free(&named);
}
