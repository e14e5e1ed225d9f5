#include "value_plan.h"

#include <inttypes.h>
#include <string.h>

/* Above these sizes in memory a hash stands for the values. Text is kept longer than numbers,
 * because a difference in it is worth reading. */
#define FLAT_BYTES_PRINTED 4096
#define OTHER_BYTES_PRINTED 65536
#define FLAT_VALUES_PER_LINE 16

static void emit_number_value(struct description *d, const struct value_plan *plan,
                              const unsigned char *value) {
    if (plan->big_endian) {
        emit_hex(d, value, plan->significant);
        return;
    }
    for (size_t i = plan->significant; i > 0; i--)
        emit_hex(d, value + i - 1, 1);
}

/* Trailing NULs as their number: "abc"+5. */
static void emit_fixed_string(struct description *d, const unsigned char *value, size_t size) {
    size_t length = size;

    while (length > 0 && value[length - 1] == '\0')
        length--;
    emit_quoted(d, (const char *)value, length);
    if (length < size)
        emit(d, "+%zu", size - length);
}

static void emit_variable_string(struct description *d, const unsigned char *value) {
    const char *text;

    memcpy(&text, value, sizeof text);
    if (text == NULL)
        emit(d, "null");
    else
        emit_quoted(d, text, strlen(text));
}

static void emit_row(struct description *d, const struct value_plan *plan, hid_t where,
                     const unsigned char *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            emit_text(d, " ", 1);
        emit_value(d, plan, where, values + i * plan->size);
    }
}

static void emit_compound_value(struct description *d, const struct value_plan *plan, hid_t where,
                                const unsigned char *value) {
    emit_text(d, "{", 1);
    for (size_t i = 0; i < plan->count; i++) {
        if (i > 0)
            emit_text(d, " ", 1);
        emit_value(d, plan->parts[i], where, value + plan->offsets[i]);
    }
    emit_text(d, "}", 1);
}

static void emit_sequence(struct description *d, const struct value_plan *plan, hid_t where,
                          const unsigned char *value) {
    hvl_t sequence;

    memcpy(&sequence, value, sizeof sequence);
    emit(d, "<%zu:", sequence.len);
    if (sequence.p != NULL)
        emit_row(d, plan->parts[0], where, sequence.p, sequence.len);
    emit_text(d, ">", 1);
}

void emit_value(struct description *d, const struct value_plan *plan, hid_t where,
                const unsigned char *value) {
    switch (plan->kind) {
    case VALUE_NUMBER:
        emit_number_value(d, plan, value);
        break;
    case VALUE_BYTES:
        emit_hex(d, value, plan->size);
        break;
    case VALUE_STRING:
        emit_fixed_string(d, value, plan->size);
        break;
    case VALUE_VARIABLE_STRING:
        emit_variable_string(d, value);
        break;
    case VALUE_COMPOUND:
        emit_compound_value(d, plan, where, value);
        break;
    case VALUE_ARRAY:
        emit_text(d, "[", 1);
        emit_row(d, plan->parts[0], where, value, plan->count);
        emit_text(d, "]", 1);
        break;
    case VALUE_SEQUENCE:
        emit_sequence(d, plan, where, value);
        break;
    case VALUE_OBJECT_REFERENCE:
        emit_object_reference(d, where, value);
        break;
    case VALUE_REGION_REFERENCE:
        emit_region_reference(d, where, value);
        break;
    case VALUE_REFERENCE:
        emit_reference(d, where, value);
        break;
    }
}

/* One line each, or one line with a hash of what those lines would be. */
void emit_values(struct description *d, const struct value_plan *plan, hid_t where,
                 const unsigned char *values, size_t count, const char *indent) {
    size_t bytes = count * plan->size;
    size_t step = plan->flat ? FLAT_VALUES_PER_LINE : 1;

    d->counts.values_bytes += bytes;
    if (plan->flat && bytes > FLAT_BYTES_PRINTED) {
        emit(d, "%s%zu values fnv1a=%016" PRIx64 "\n", indent, count, fnv1a(FNV1A_START, values, bytes));
        return;
    }
    d->hashing = !plan->flat && bytes > OTHER_BYTES_PRINTED;
    d->hash = FNV1A_START;
    for (size_t i = 0; i < count; i += step) {
        emit(d, "%s#%zu ", indent, i);
        emit_row(d, plan, where, values + i * plan->size, count - i < step ? count - i : step);
        emit_text(d, "\n", 1);
    }
    if (d->hashing) {
        d->hashing = false;
        emit(d, "%s%zu values text fnv1a=%016" PRIx64 "\n", indent, count, d->hash);
    }
}

void reclaim_values(const struct value_plan *plan, hid_t memory_type, hid_t space, void *values) {
    if (!plan->owns_memory)
        return;
#if H5_VERSION_GE(1, 12, 0)
    H5Treclaim(memory_type, space, H5P_DEFAULT, values);
#else
    H5Dvlen_reclaim(memory_type, space, H5P_DEFAULT, values);
#endif
}
