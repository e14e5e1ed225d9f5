#include "value_plan.h"

#include <stdlib.h>

hid_t memory_type_of(struct description *d, hid_t file_type, const char *indent) {
    hid_t type = H5Tget_native_type(file_type, H5T_DIR_DEFAULT);

    if (type >= 0)
        return type;
    emit_error_line(d, indent, "H5Tget_native_type");
    return H5Tcopy(file_type);
}

void value_plan_free(struct value_plan *plan) {
    if (plan == NULL)
        return;
    if (plan->parts != NULL) {
        size_t parts = plan->kind == VALUE_COMPOUND ? plan->count : 1;

        for (size_t i = 0; i < parts; i++)
            value_plan_free(plan->parts[i]);
    }
    free(plan->parts);
    free(plan->offsets);
    free(plan);
}

static bool plan_number(struct value_plan *plan, hid_t type) {
    size_t precision = H5Tget_precision(type);
    int offset = H5Tget_offset(type);

    plan->kind = VALUE_NUMBER;
    plan->significant = plan->size;
    plan->big_endian = H5Tget_order(type) == H5T_ORDER_BE;
    /* An x87 long double occupies 16 bytes of which 6 are whatever was there before. */
    if (H5Tget_class(type) == H5T_FLOAT && !plan->big_endian && precision > 0 && offset >= 0 &&
        (precision + (size_t)offset + 7) / 8 < plan->size)
        plan->significant = (precision + (size_t)offset + 7) / 8;
    plan->flat = plan->significant == plan->size;
    return true;
}

static bool plan_base(struct value_plan *plan, hid_t type) {
    hid_t base = H5Tget_super(type);

    if (base < 0)
        return false;
    plan->parts = must_allocate(1, sizeof *plan->parts);
    plan->parts[0] = value_plan_new(base);
    H5Tclose(base);
    return plan->parts[0] != NULL;
}

static bool plan_array(struct value_plan *plan, hid_t type) {
    hsize_t extents[H5S_MAX_RANK] = {0};
    int rank = H5Tget_array_dims2(type, extents);

    plan->kind = VALUE_ARRAY;
    plan->count = 1;
    for (int i = 0; i < rank; i++)
        plan->count *= (size_t)extents[i];
    if (rank < 0 || !plan_base(plan, type))
        return false;
    plan->flat = plan->parts[0]->flat;
    plan->owns_memory = plan->parts[0]->owns_memory;
    return true;
}

static bool plan_compound(struct value_plan *plan, hid_t type) {
    int members = H5Tget_nmembers(type);

    plan->kind = VALUE_COMPOUND;
    if (members < 0)
        return false;
    plan->count = (size_t)members;
    plan->offsets = must_allocate(plan->count, sizeof *plan->offsets);
    plan->parts = must_allocate(plan->count, sizeof *plan->parts);
    for (int i = 0; i < members; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);

        if (member < 0)
            return false;
        plan->offsets[i] = H5Tget_member_offset(type, (unsigned)i);
        plan->parts[i] = value_plan_new(member);
        H5Tclose(member);
        if (plan->parts[i] == NULL)
            return false;
        plan->owns_memory = plan->owns_memory || plan->parts[i]->owns_memory;
    }
    return true;
}

static bool plan_string(struct value_plan *plan, hid_t type) {
    bool variable = H5Tis_variable_str(type) > 0;

    plan->kind = variable ? VALUE_VARIABLE_STRING : VALUE_STRING;
    plan->owns_memory = variable;
    return true;
}

static bool plan_reference(struct value_plan *plan, hid_t type) {
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0)
        plan->kind = VALUE_OBJECT_REFERENCE;
    else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0)
        plan->kind = VALUE_REGION_REFERENCE;
#if H5_VERSION_GE(1, 12, 0)
    else if (H5Tequal(type, H5T_STD_REF) > 0) {
        plan->kind = VALUE_REFERENCE;
        plan->owns_memory = true;
    }
#endif
    else
        plan->kind = VALUE_BYTES;
    return true;
}

static bool plan_class(struct value_plan *plan, hid_t type) {
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
    case H5T_ENUM:
        return plan_number(plan, type);
    case H5T_STRING:
        return plan_string(plan, type);
    case H5T_COMPOUND:
        return plan_compound(plan, type);
    case H5T_ARRAY:
        return plan_array(plan, type);
    case H5T_REFERENCE:
        return plan_reference(plan, type);
    case H5T_VLEN:
        plan->kind = VALUE_SEQUENCE;
        plan->owns_memory = true;
        return plan_base(plan, type);
    case H5T_NO_CLASS:
        return false;
    default:
        plan->kind = VALUE_BYTES;
        plan->flat = true;
        return true;
    }
}

struct value_plan *value_plan_new(hid_t memory_type) {
    struct value_plan *plan = must_allocate(1, sizeof *plan);

    plan->size = H5Tget_size(memory_type);
    if (plan->size == 0 || !plan_class(plan, memory_type)) {
        value_plan_free(plan);
        return NULL;
    }
    return plan;
}
