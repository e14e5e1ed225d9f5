/* The sources of a virtual dataset. */
#include "description.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef ssize_t (*get_name)(hid_t dcpl, size_t index, char *name, size_t size);

static void emit_source_name(struct description *d, hid_t dcpl, size_t index, get_name get,
                             const char *call) {
    ssize_t length = get(dcpl, index, NULL, 0);

    if (length < 0) {
        emit_error(d, call);
        return;
    }
    char *name = must_allocate((size_t)length + 1, 1);
    get(dcpl, index, name, (size_t)length + 1);
    emit_quoted(d, name, strlen(name));
    free(name);
}

static void emit_source_space(struct description *d, hid_t space, const char *call) {
    if (space < 0) {
        emit_error(d, call);
        return;
    }
    emit_selection(d, space);
    H5Sclose(space);
}

void describe_virtual_sources(struct description *d, hid_t dcpl) {
    size_t count = 0;

    if (H5Pget_virtual_count(dcpl, &count) < 0)
        emit_error_line(d, "  ", "H5Pget_virtual_count");
    for (size_t i = 0; i < count; i++) {
        emit(d, "  source file ");
        emit_source_name(d, dcpl, i, H5Pget_virtual_filename, "H5Pget_virtual_filename");
        emit(d, " dataset ");
        emit_source_name(d, dcpl, i, H5Pget_virtual_dsetname, "H5Pget_virtual_dsetname");
        emit(d, " selection ");
        emit_source_space(d, H5Pget_virtual_srcspace(dcpl, i), "H5Pget_virtual_srcspace");
        emit(d, " maps to ");
        emit_source_space(d, H5Pget_virtual_vspace(dcpl, i), "H5Pget_virtual_vspace");
        emit(d, "\n");
    }
}
