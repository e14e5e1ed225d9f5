/* A datatype as structural text, on one line. */
#include "description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *order_name(H5T_order_t order) {
    switch (order) {
    case H5T_ORDER_LE:
        return "LE";
    case H5T_ORDER_BE:
        return "BE";
    case H5T_ORDER_VAX:
        return "VAX";
    case H5T_ORDER_NONE:
        return "none";
    default:
        return "mixed";
    }
}

static void emit_number(struct description *d, hid_t type) {
    H5T_pad_t low = H5T_PAD_ZERO, high = H5T_PAD_ZERO;

    H5Tget_pad(type, &low, &high);
    emit(d, " order=%s precision=%zu offset=%d pad=%d,%d", order_name(H5Tget_order(type)),
         H5Tget_precision(type), H5Tget_offset(type), (int)low, (int)high);
}

static void emit_float(struct description *d, hid_t type) {
    size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;

    emit_number(d, type);
    if (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0) {
        emit(d, " ");
        emit_error(d, "H5Tget_fields");
        return;
    }
    emit(d, " sign@%zu exponent@%zu+%zu bias=%zu mantissa@%zu+%zu norm=%d inpad=%d", sign, exponent,
         exponent_size, H5Tget_ebias(type), mantissa, mantissa_size, (int)H5Tget_norm(type),
         (int)H5Tget_inpad(type));
}

static void emit_string_type(struct description *d, hid_t type) {
    emit(d, " %s pad=%d cset=%d", H5Tis_variable_str(type) > 0 ? "variable" : "fixed",
         (int)H5Tget_strpad(type), (int)H5Tget_cset(type));
}

static void emit_member_name(struct description *d, hid_t type, unsigned index) {
    char *name = H5Tget_member_name(type, index);

    if (name == NULL) {
        emit_error(d, "H5Tget_member_name");
        return;
    }
    emit_quoted(d, name, strlen(name));
    H5free_memory(name);
}

static void emit_base(struct description *d, hid_t type) {
    hid_t base = H5Tget_super(type);

    emit(d, " of ");
    if (base < 0) {
        emit_error(d, "H5Tget_super");
        return;
    }
    emit_type(d, base);
    H5Tclose(base);
}

static void emit_compound(struct description *d, hid_t type) {
    int members = H5Tget_nmembers(type);

    emit(d, " {");
    for (int i = 0; i < members; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);

        emit(d, "%s", i ? "; " : "");
        emit_member_name(d, type, (unsigned)i);
        emit(d, "@%zu ", H5Tget_member_offset(type, (unsigned)i));
        if (member < 0) {
            emit_error(d, "H5Tget_member_type");
            continue;
        }
        emit_type(d, member);
        H5Tclose(member);
    }
    emit(d, "}");
}

static void emit_enum(struct description *d, hid_t type) {
    int members = H5Tget_nmembers(type);
    unsigned char *value = must_allocate(H5Tget_size(type), 1);

    emit_base(d, type);
    emit(d, " {");
    for (int i = 0; i < members; i++) {
        emit(d, "%s", i ? "; " : "");
        emit_member_name(d, type, (unsigned)i);
        emit(d, "=");
        if (H5Tget_member_value(type, (unsigned)i, value) < 0)
            emit_error(d, "H5Tget_member_value");
        else
            emit_hex(d, value, H5Tget_size(type));
    }
    emit(d, "}");
    free(value);
}

static void emit_array(struct description *d, hid_t type) {
    hsize_t extents[H5S_MAX_RANK] = {0};
    int rank = H5Tget_array_dims2(type, extents);

    emit(d, " ");
    if (rank < 0)
        emit_error(d, "H5Tget_array_dims2");
    else
        emit_extents(d, rank, extents);
    emit_base(d, type);
}

static void emit_opaque(struct description *d, hid_t type) {
    char *tag = H5Tget_tag(type);

    if (tag == NULL)
        return;
    emit(d, " tag=");
    emit_quoted(d, tag, strlen(tag));
    H5free_memory(tag);
}

static void emit_reference_type(struct description *d, hid_t type) {
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0)
        emit(d, " to object");
    else if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0)
        emit(d, " to region");
    else
        emit(d, " general");
}

static void emit_class(struct description *d, hid_t type) {
    H5T_class_t class = H5Tget_class(type);

    switch (class) {
    case H5T_INTEGER:
        emit(d, "integer size=%zu sign=%d", H5Tget_size(type), (int)H5Tget_sign(type));
        emit_number(d, type);
        break;
    case H5T_FLOAT:
        emit(d, "float size=%zu", H5Tget_size(type));
        emit_float(d, type);
        break;
    case H5T_STRING:
        emit(d, "string size=%zu", H5Tget_size(type));
        emit_string_type(d, type);
        break;
    case H5T_BITFIELD:
        emit(d, "bitfield size=%zu", H5Tget_size(type));
        emit_number(d, type);
        break;
    case H5T_OPAQUE:
        emit(d, "opaque size=%zu", H5Tget_size(type));
        emit_opaque(d, type);
        break;
    case H5T_COMPOUND:
        emit(d, "compound size=%zu", H5Tget_size(type));
        emit_compound(d, type);
        break;
    case H5T_REFERENCE:
        emit(d, "reference size=%zu", H5Tget_size(type));
        emit_reference_type(d, type);
        break;
    case H5T_ENUM:
        emit(d, "enum size=%zu", H5Tget_size(type));
        emit_enum(d, type);
        break;
    case H5T_VLEN:
        emit(d, "sequence");
        emit_base(d, type);
        break;
    case H5T_ARRAY:
        emit(d, "array size=%zu", H5Tget_size(type));
        emit_array(d, type);
        break;
    case H5T_TIME:
        emit(d, "time size=%zu order=%s", H5Tget_size(type), order_name(H5Tget_order(type)));
        break;
    default: /* such as complex numbers, new in HDF5 2.0 */
        emit(d, "class %d size=%zu", (int)class, H5Tget_size(type));
        break;
    }
}

void emit_type(struct description *d, hid_t type) {
    size_t size = 0;

    emit(d, "(%s", H5Tcommitted(type) > 0 ? "committed " : "");
    emit_class(d, type);
    if (H5Tencode(type, NULL, &size) < 0) {
        emit(d, " ");
        emit_error(d, "H5Tencode");
    } else {
        unsigned char *bytes = must_allocate(size, 1);

        if (H5Tencode(type, bytes, &size) >= 0)
            emit(d, " encoded=%016" PRIx64, fnv1a(FNV1A_START, bytes, size));
        free(bytes);
    }
    emit(d, ")");
}
