/* Groups: their links, what the links hold, and where following them leads. */
#include "description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if H5_VERSION_GE(1, 12, 0)
typedef H5L_info2_t link_info;
#define ITERATE_LINKS H5Literate2
#define GET_LINK_INFO H5Lget_info2
#else
typedef H5L_info_t link_info;
#define ITERATE_LINKS H5Literate
#define GET_LINK_INFO H5Lget_info
#endif

static herr_t keep_name(hid_t group, const char *name, const link_info *info, void *data) {
    (void)group;
    (void)info;
    text_list_add(data, name);
    return 0;
}

/* Returns the flags of the links' creation order. */
static unsigned describe_group_properties(struct description *d, hid_t group) {
    hid_t plist = H5Gget_create_plist(group);
    unsigned order = 0, compact = 0, dense = 0, entries = 0, length = 0;
    size_t heap = 0;
    H5G_info_t info = {0};

    if (H5Gget_info(group, &info) < 0)
        emit_error_line(d, "  ", "H5Gget_info");
    else
        emit(d, "  group storage=%d links=%" PRIu64 " max_order=%" PRId64 " mounted=%d\n",
             (int)info.storage_type, (uint64_t)info.nlinks, (int64_t)info.max_corder, info.mounted ? 1 : 0);
    if (plist < 0) {
        emit_error_line(d, "  ", "H5Gget_create_plist");
        return 0;
    }
    if (H5Pget_link_creation_order(plist, &order) < 0)
        emit_error_line(d, "  ", "H5Pget_link_creation_order");
    if (H5Pget_link_phase_change(plist, &compact, &dense) < 0)
        emit_error_line(d, "  ", "H5Pget_link_phase_change");
    if (H5Pget_est_link_info(plist, &entries, &length) < 0)
        emit_error_line(d, "  ", "H5Pget_est_link_info");
    if (H5Pget_local_heap_size_hint(plist, &heap) < 0)
        emit_error_line(d, "  ", "H5Pget_local_heap_size_hint");
    emit(d, "  created link_order=%u link_phase=%u,%u estimated=%u,%u heap=%zu\n", order, compact, dense,
         entries, length, heap);
    describe_creation_common(d, plist);
    H5Pclose(plist);
    return order;
}

/* Keeps the names of the links in the asked order; those met before an error are kept as well. */
static void list_links(struct description *d, hid_t group, H5_index_t index, H5_iter_order_t order,
                       const char *label, struct text_list *names) {
    hsize_t position = 0;
    bool failed = ITERATE_LINKS(group, index, order, &position, keep_name, names) < 0;

    if (failed)
        emit_error_line(d, "  ", label);
    emit(d, "  %s %zu:", label, names->count);
    for (size_t i = 0; i < names->count; i++) {
        emit(d, " ");
        emit_quoted(d, names->texts[i], strlen(names->texts[i]));
    }
    emit(d, "\n");
}

static void emit_external_value(struct description *d, const char *value, size_t size) {
    const char *file = NULL, *path = NULL;
    unsigned flags = 0;

    if (H5Lunpack_elink_val(value, size, &flags, &file, &path) < 0) {
        emit(d, " ");
        emit_error(d, "H5Lunpack_elink_val");
        return;
    }
    emit(d, " external flags=%u file=", flags);
    emit_quoted(d, file, strlen(file));
    emit(d, " path=");
    emit_quoted(d, path, strlen(path));
}

static void emit_link_value(struct description *d, hid_t group, const char *name, const link_info *info) {
    size_t size = info->u.val_size;
    char *value = must_allocate(size + 1, 1);

    if (H5Lget_val(group, name, value, size, H5P_DEFAULT) < 0) {
        emit(d, " ");
        emit_error(d, "H5Lget_val");
    } else if (info->type == H5L_TYPE_SOFT) {
        emit(d, " soft ");
        emit_quoted(d, value, strlen(value));
    } else if (info->type == H5L_TYPE_EXTERNAL) {
        emit_external_value(d, value, size);
    } else {
        emit(d, " user class=%d value=", (int)info->type);
        emit_hex(d, (const unsigned char *)value, size);
    }
    free(value);
}

static void describe_link(struct description *d, hid_t group, const char *name) {
    link_info info;

    memset(&info, 0, sizeof info);
    emit(d, "  link ");
    emit_quoted(d, name, strlen(name));
    if (GET_LINK_INFO(group, name, &info, H5P_DEFAULT) < 0) {
        emit(d, " ");
        emit_error(d, "H5Lget_info");
        return;
    }
    emit_creation_order(d, info.corder_valid, info.corder);
    emit(d, " cset=%d", (int)info.cset);
    if (info.type == H5L_TYPE_HARD)
        emit(d, " hard");
    else
        emit_link_value(d, group, name, &info);
}

/* Follows the link and ends its line with what is there; negative if nothing is. */
static hid_t follow_link(struct description *d, hid_t group, const char *name) {
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    struct object_identity identity;

    emit(d, " -> ");
    if (object < 0) {
        emit_error(d, "H5Oopen");
    } else if (!object_identity(object, &identity)) {
        emit_error(d, "H5Oget_info");
    } else {
        emit(d, "%s at %s of ", object_type_name(identity.type), identity.address);
        emit_quoted(d, identity.file, strlen(identity.file));
    }
    emit(d, "\n");
    return object;
}

/* First all links, then the objects behind them: a group's own lines stay together. */
void describe_group(struct description *d, hid_t group, const char *path, unsigned depth) {
    struct text_list native = {0}, named = {0}, created = {0}, found = {0};
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";

    unsigned order = describe_group_properties(d, group);

    list_links(d, group, H5_INDEX_NAME, H5_ITER_NATIVE, "links in native order", &native);
    list_links(d, group, H5_INDEX_NAME, H5_ITER_INC, "links by name", &named);
    if (order & H5P_CRT_ORDER_TRACKED)
        list_links(d, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, "links by creation", &created);
    for (size_t i = 0; i < named.count; i++) {
        describe_link(d, group, named.texts[i]);
        hid_t object = follow_link(d, group, named.texts[i]);
        if (object < 0)
            continue;
        text_list_add(&found, named.texts[i]);
        H5Oclose(object);
    }
    for (size_t i = 0; i < found.count; i++) {
        hid_t object = H5Oopen(group, found.texts[i], H5P_DEFAULT);
        char *child = must_join(path, slash, found.texts[i]);

        if (object >= 0) {
            describe_object(d, object, child, depth + 1);
            H5Oclose(object);
        } else {
            emit_error_line(d, "  ", "H5Oopen");
        }
        free(child);
    }
    text_list_free(&native);
    text_list_free(&named);
    text_list_free(&created);
    text_list_free(&found);
}
