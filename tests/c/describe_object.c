#include "description.h"

#include <string.h>

/* Deeper files exist only to exhaust the stack. */
#define DEEPEST 1000

static void describe_committed_type(struct description *d, hid_t type) {
    hid_t plist = H5Tget_create_plist(type);

    emit(d, "  datatype ");
    emit_type(d, type);
    emit(d, "\n");
    if (plist < 0) {
        emit_error_line(d, "  ", "H5Tget_create_plist");
        return;
    }
    describe_creation_common(d, plist);
    H5Pclose(plist);
}

/* What groups, datasets and committed datatypes all have in their creation property lists. */
void describe_creation_common(struct description *d, hid_t plist) {
    unsigned order = 0, compact = 0, dense = 0;
    hbool_t times = 0;

    if (H5Pget_attr_creation_order(plist, &order) < 0)
        emit_error_line(d, "  ", "H5Pget_attr_creation_order");
    if (H5Pget_attr_phase_change(plist, &compact, &dense) < 0)
        emit_error_line(d, "  ", "H5Pget_attr_phase_change");
    if (H5Pget_obj_track_times(plist, &times) < 0)
        emit_error_line(d, "  ", "H5Pget_obj_track_times");
    emit(d, "  created attribute_order=%u attribute_phase=%u,%u times=%d\n", order, compact, dense,
         times ? 1 : 0);
}

/* Describes an object with all that hangs on it, unless that was done before: links form cycles. */
void describe_object(struct description *d, hid_t object, const char *path, unsigned depth) {
    struct object_identity identity;
    char key[sizeof identity.file + sizeof identity.address + 2];

    if (!object_identity(object, &identity)) {
        emit(d, "object ");
        emit_quoted(d, path, strlen(path));
        emit(d, "\n");
        emit_error_line(d, "  ", "H5Oget_info");
        return;
    }
    object_key(&identity, key, sizeof key);
    if (text_table_get(&d->seen, key) != NULL)
        return;
    text_table_put(&d->seen, key, path);
    d->counts.objects++;

    emit(d, "object ");
    emit_quoted(d, path, strlen(path));
    emit(d, " %s at %s of ", object_type_name(identity.type), identity.address);
    emit_quoted(d, identity.file, strlen(identity.file));
    emit(d, "\n");
    describe_object_info(d, object);
    describe_comment(d, object);
    describe_attributes(d, object);
    switch (H5Iget_type(object)) {
    case H5I_GROUP:
        if (depth < DEEPEST)
            describe_group(d, object, path, depth);
        else
            emit(d, "  too deep\n");
        break;
    case H5I_DATASET:
        d->counts.datasets++;
        describe_dataset(d, object);
        break;
    case H5I_DATATYPE:
        describe_committed_type(d, object);
        break;
    default:
        break;
    }
}
