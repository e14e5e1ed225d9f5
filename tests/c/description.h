/* What the parts of describe_file share: the text being written, and what was met so far. */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "describe.h"
#include "text_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FNV1A_START UINT64_C(0xcbf29ce484222325)

struct description {
    FILE *out;
    const char *name; /* as given to H5Fopen */
    struct describe_counts counts;
    struct text_table seen;            /* object key -> path of its first visit */
    struct text_table reference_names; /* file and reference -> path */
    bool hashing;                      /* the text goes into `hash` instead of `out` */
    uint64_t hash;
};

/* description.c: writing text */
uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size);
void emit_text(struct description *d, const char *text, size_t length);
void emit(struct description *d, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void emit_quoted(struct description *d, const char *text, size_t length);
void emit_hex(struct description *d, const unsigned char *bytes, size_t size);
void emit_address(struct description *d, const char *label, haddr_t address);
void emit_extents(struct description *d, int rank, const hsize_t *extents);
void emit_creation_order(struct description *d, bool valid, int64_t order);

/* describe_error.c: the error stack of the call that has just failed */
void emit_error(struct description *d, const char *call);
void emit_error_line(struct description *d, const char *indent, const char *call);

/* object_info.c */
struct object_identity {
    H5O_type_t type;
    char address[48];
    char file[256]; /* last part of the name of the file the object is in */
};
bool object_identity(hid_t object, struct object_identity *identity);
void object_key(const struct object_identity *identity, char *key, size_t size);
const char *object_type_name(H5O_type_t type);
void describe_object_info(struct description *d, hid_t object);
void describe_comment(struct description *d, hid_t object);

/* describe_object.c, describe_group.c */
void describe_object(struct description *d, hid_t object, const char *path, unsigned depth);
void describe_group(struct description *d, hid_t group, const char *path, unsigned depth);
void describe_creation_common(struct description *d, hid_t plist);

/* describe_attribute.c, describe_dataset.c, describe_layout.c, describe_chunks.c */
void describe_attributes(struct description *d, hid_t object);
void describe_dataset(struct description *d, hid_t dataset);
void describe_layout(struct description *d, hid_t dcpl, hid_t memory_type);
void describe_virtual_sources(struct description *d, hid_t dcpl);
void describe_chunks(struct description *d, hid_t dataset);

/* describe_type.c, describe_space.c */
void emit_type(struct description *d, hid_t type);
void emit_space(struct description *d, hid_t space);
void emit_selection(struct description *d, hid_t space);

#endif
