/* Object information; the one place where HDF5 1.10 (addresses) and 1.12 (tokens) differ. */
#include "description.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if H5_VERSION_GE(1, 12, 0)
typedef H5O_info2_t object_info;
typedef H5O_native_info_t native_info;
#else
typedef H5O_info_t object_info;
typedef H5O_info_t native_info;
#endif

static herr_t get_basic(hid_t object, object_info *info) {
    memset(info, 0, sizeof *info);
#if H5_VERSION_GE(1, 12, 0)
    return H5Oget_info3(object, info, H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS);
#elif H5_VERSION_GE(1, 10, 3)
    return H5Oget_info2(object, info, H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS);
#else
    return H5Oget_info(object, info);
#endif
}

static herr_t get_native(hid_t object, native_info *info) {
    memset(info, 0, sizeof *info);
#if H5_VERSION_GE(1, 12, 0)
    return H5Oget_native_info(object, info, H5O_NATIVE_INFO_ALL);
#elif H5_VERSION_GE(1, 10, 3)
    return H5Oget_info2(object, info, H5O_INFO_HDR | H5O_INFO_META_SIZE);
#else
    return H5Oget_info(object, info);
#endif
}

static bool get_address(hid_t object, const object_info *info, char *address, size_t size) {
#if H5_VERSION_GE(1, 12, 0)
    char *token = NULL;

    if (H5Otoken_to_str(object, &info->token, &token) < 0)
        return false;
    snprintf(address, size, "%s", token);
    H5free_memory(token);
#else
    (void)object;
    snprintf(address, size, "%" PRIu64, (uint64_t)info->addr);
#endif
    return true;
}

static int hex_digit(char c) {
    const char *digits = "0123456789ABCDEF";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int)(at - digits);
}

/* In a URL the last part is percent-encoded. */
static void decode_percent(char *text) {
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        int high = *from == '%' ? hex_digit(from[1]) : -1;
        int low = high < 0 ? -1 : hex_digit(from[2]);

        if (low < 0) {
            *to++ = *from;
        } else {
            *to++ = (char)(16 * high + low);
            from += 2;
        }
    }
    *to = '\0';
}

static bool file_label(hid_t object, char *label, size_t size) {
    ssize_t length = H5Fget_name(object, NULL, 0);

    if (length < 0)
        return false;
    char *name = must_allocate((size_t)length + 1, 1);
    H5Fget_name(object, name, (size_t)length + 1);
    char *slash = strrchr(name, '/');
    if (strstr(name, "://") != NULL && slash != NULL)
        decode_percent(slash);
    snprintf(label, size, "%s", slash == NULL ? name : slash + 1);
    free(name);
    return true;
}

bool object_identity(hid_t object, struct object_identity *identity) {
    object_info info;

    memset(identity, 0, sizeof *identity);
    if (get_basic(object, &info) < 0 ||
        !get_address(object, &info, identity->address, sizeof identity->address))
        return false;
    identity->type = info.type;
    return file_label(object, identity->file, sizeof identity->file);
}

/* Not libhdf5's file number: a file that is opened a second time gets another one. */
void object_key(const struct object_identity *identity, char *key, size_t size) {
    snprintf(key, size, "%s|%s", identity->file, identity->address);
}

const char *object_type_name(H5O_type_t type) {
    switch (type) {
    case H5O_TYPE_GROUP:
        return "group";
    case H5O_TYPE_DATASET:
        return "dataset";
    case H5O_TYPE_NAMED_DATATYPE:
        return "datatype";
    default:
        return "unknown";
    }
}

static void emit_header(struct description *d, const native_info *info) {
    emit(d, "  header version=%u messages=%u chunks=%u flags=%u", info->hdr.version, info->hdr.nmesgs,
         info->hdr.nchunks, info->hdr.flags);
    emit(d, " space=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, (uint64_t)info->hdr.space.total,
         (uint64_t)info->hdr.space.meta, (uint64_t)info->hdr.space.mesg, (uint64_t)info->hdr.space.free);
    emit(d, " present=%" PRIx64 " shared=%" PRIx64, (uint64_t)info->hdr.mesg.present,
         (uint64_t)info->hdr.mesg.shared);
    emit(d, " index=%" PRIu64 " heap=%" PRIu64 " attribute_index=%" PRIu64,
         (uint64_t)info->meta_size.obj.index_size, (uint64_t)info->meta_size.obj.heap_size,
         (uint64_t)info->meta_size.attr.index_size);
    emit(d, " attribute_heap=%" PRIu64 "\n", (uint64_t)info->meta_size.attr.heap_size);
}

void describe_object_info(struct description *d, hid_t object) {
    object_info info;
    native_info native;

    if (get_basic(object, &info) < 0)
        emit_error_line(d, "  ", "H5Oget_info");
    else
        emit(d,
             "  info references=%u attributes=%" PRIu64 " times=%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
             "\n",
             info.rc, (uint64_t)info.num_attrs, (int64_t)info.atime, (int64_t)info.mtime, (int64_t)info.ctime,
             (int64_t)info.btime);
    if (get_native(object, &native) < 0)
        emit_error_line(d, "  ", "H5Oget_info of the header");
    else
        emit_header(d, &native);
}

void describe_comment(struct description *d, hid_t object) {
    ssize_t length = H5Oget_comment(object, NULL, 0);

    if (length < 0)
        emit_error_line(d, "  ", "H5Oget_comment");
    if (length <= 0)
        return;
    char *comment = must_allocate((size_t)length + 1, 1);
    H5Oget_comment(object, comment, (size_t)length + 1);
    emit(d, "  comment ");
    emit_quoted(d, comment, strlen(comment));
    emit(d, "\n");
    free(comment);
}
