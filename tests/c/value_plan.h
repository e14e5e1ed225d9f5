/*
 * How to print values of a memory datatype, worked out once per datatype so that printing millions
 * of values asks libhdf5 nothing but the references in them.
 */
#ifndef VALUE_PLAN_H
#define VALUE_PLAN_H

#include "description.h"

enum value_kind {
    VALUE_NUMBER,           /* hex, most significant byte first */
    VALUE_BYTES,            /* hex, in memory order */
    VALUE_STRING,           /* fixed length */
    VALUE_VARIABLE_STRING,  /* char * */
    VALUE_COMPOUND,         /* members at offsets */
    VALUE_ARRAY,            /* `count` times `base` */
    VALUE_SEQUENCE,         /* hvl_t of `base` */
    VALUE_OBJECT_REFERENCE, /* hobj_ref_t */
    VALUE_REGION_REFERENCE, /* hdset_reg_ref_t */
    VALUE_REFERENCE         /* H5R_ref_t, since HDF5 1.12 */
};

struct value_plan {
    enum value_kind kind;
    size_t size;               /* of one value in memory */
    size_t significant;        /* bytes of a number that are not padding */
    bool big_endian;           /* of a number */
    bool flat;                 /* every byte of the value in memory counts: no pointers, no padding */
    bool owns_memory;          /* libhdf5 allocates for it: to be reclaimed */
    size_t count;              /* members of a compound, elements of an array */
    size_t *offsets;           /* of the members */
    struct value_plan **parts; /* the members, or the one base */
};

/* NULL when the datatype cannot be understood; the error stack tells why. */
struct value_plan *value_plan_new(hid_t memory_type);
void value_plan_free(struct value_plan *plan);

/* The native type to read `file_type` as; if there is none, says so and copies `file_type`. */
hid_t memory_type_of(struct description *d, hid_t file_type, const char *indent);

/* describe_values.c */
void emit_value(struct description *d, const struct value_plan *plan, hid_t where,
                const unsigned char *value);
void emit_values(struct description *d, const struct value_plan *plan, hid_t where,
                 const unsigned char *values, size_t count, const char *indent);
void reclaim_values(const struct value_plan *plan, hid_t memory_type, hid_t space, void *values);

/* describe_reference.c; `where` is an object of the file that holds the reference */
void emit_object_reference(struct description *d, hid_t where, const unsigned char *reference);
void emit_region_reference(struct description *d, hid_t where, const unsigned char *reference);
void emit_reference(struct description *d, hid_t where, const unsigned char *reference);

#endif
