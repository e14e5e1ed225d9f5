/* References, shown as what they point to. */
#include "value_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool all_zero(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Asks for a name once per object: libhdf5 searches the whole file for it. */
static void emit_cached_name(struct description *d, hid_t object) {
    struct object_identity identity;
    char key[sizeof identity.file + sizeof identity.address + 2];

    if (!object_identity(object, &identity)) {
        emit_error(d, "object_identity");
        return;
    }
    object_key(&identity, key, sizeof key);
    const char *known = text_table_get(&d->reference_names, key);
    if (known == NULL) {
        ssize_t length = H5Iget_name(object, NULL, 0);

        if (length < 0) {
            emit_error(d, "H5Iget_name");
            return;
        }
        char *name = must_allocate((size_t)length + 1, 1);
        H5Iget_name(object, name, (size_t)length + 1);
        text_table_put(&d->reference_names, key, name);
        free(name);
        known = text_table_get(&d->reference_names, key);
    }
    emit_quoted(d, known, strlen(known));
}

/* Emits the path that a reference of `size` bytes leads to; false where it leads nowhere. */
static bool emit_target(struct description *d, hid_t where, H5R_type_t type, const unsigned char *reference,
                        size_t size) {
    if (all_zero(reference, size)) {
        emit(d, "->null");
        return false;
    }
    hid_t object = H5Rdereference2(where, H5P_DEFAULT, type, reference);
    emit(d, "->");
    if (object < 0) {
        emit_error(d, "H5Rdereference2");
        return false;
    }
    emit_cached_name(d, object);
    H5Oclose(object);
    return true;
}

void emit_object_reference(struct description *d, hid_t where, const unsigned char *reference) {
    emit_target(d, where, H5R_OBJECT, reference, sizeof(hobj_ref_t));
}

void emit_region_reference(struct description *d, hid_t where, const unsigned char *reference) {
    if (!emit_target(d, where, H5R_DATASET_REGION, reference, sizeof(hdset_reg_ref_t)))
        return;

    hid_t space = H5Rget_region(where, H5R_DATASET_REGION, reference);
    emit(d, "@(");
    if (space < 0) {
        emit_error(d, "H5Rget_region");
    } else {
        emit_selection(d, space);
        H5Sclose(space);
    }
    emit(d, ")");
}

#if H5_VERSION_GE(1, 12, 0)

static void emit_referenced_region(struct description *d, H5R_ref_t *reference) {
    hid_t space = H5Ropen_region(reference, H5P_DEFAULT, H5P_DEFAULT);

    emit(d, "@(");
    if (space < 0) {
        emit_error(d, "H5Ropen_region");
    } else {
        emit_selection(d, space);
        H5Sclose(space);
    }
    emit(d, ")");
}

static void emit_referenced_attribute(struct description *d, const H5R_ref_t *reference) {
    ssize_t length = H5Rget_attr_name(reference, NULL, 0);

    emit(d, "@attribute ");
    if (length < 0) {
        emit_error(d, "H5Rget_attr_name");
        return;
    }
    char *name = must_allocate((size_t)length + 1, 1);
    H5Rget_attr_name(reference, name, (size_t)length + 1);
    emit_quoted(d, name, strlen(name));
    free(name);
}

void emit_reference(struct description *d, hid_t where, const unsigned char *bytes) {
    H5R_ref_t reference; /* a copy for its alignment; the original keeps what it owns */

    (void)where;
    emit(d, "->");
    if (all_zero(bytes, sizeof reference)) {
        emit(d, "null");
        return;
    }
    memcpy(&reference, bytes, sizeof reference);
    hid_t object = H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT);
    if (object < 0) {
        emit_error(d, "H5Ropen_object");
        return;
    }
    emit_cached_name(d, object);
    H5Oclose(object);
    switch (H5Rget_type(&reference)) {
    case H5R_DATASET_REGION2:
        emit_referenced_region(d, &reference);
        break;
    case H5R_ATTR:
        emit_referenced_attribute(d, &reference);
        break;
    default:
        break;
    }
}

#else

/* No plan asks for it: HDF5 1.10 does not know this type. */
void emit_reference(struct description *d, hid_t where, const unsigned char *bytes) {
    (void)where;
    (void)bytes;
    emit(d, "?");
}

#endif
