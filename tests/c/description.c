#include "description.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

uint64_t fnv1a(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void emit_text(struct description *d, const char *text, size_t length) {
    if (d->hashing)
        d->hash = fnv1a(d->hash, text, length);
    else
        fwrite(text, 1, length, d->out);
}

void emit(struct description *d, const char *format, ...) {
    char small[512];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if ((size_t)length < sizeof small) {
        emit_text(d, small, (size_t)length);
        return;
    }
    char *large = must_allocate((size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(large, (size_t)length + 1, format, arguments);
    va_end(arguments);
    emit_text(d, large, (size_t)length);
    free(large);
}

/* Printable ASCII as it is, every other byte as \xNN: no locale, no multibyte decoding. */
void emit_quoted(struct description *d, const char *text, size_t length) {
    size_t start = 0;

    emit_text(d, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\')
            continue;
        emit_text(d, text + start, i - start);
        start = i + 1;
        if (c == '"' || c == '\\')
            emit(d, "\\%c", c);
        else if (c == '\n')
            emit_text(d, "\\n", 2);
        else
            emit(d, "\\x%02x", c);
    }
    emit_text(d, text + start, length - start);
    emit_text(d, "\"", 1);
}

void emit_hex(struct description *d, const unsigned char *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    char pair[2];

    for (size_t i = 0; i < size; i++) {
        pair[0] = digits[bytes[i] >> 4];
        pair[1] = digits[bytes[i] & 15];
        emit_text(d, pair, 2);
    }
}

void emit_address(struct description *d, const char *label, haddr_t address) {
    if (address == HADDR_UNDEF)
        emit(d, " %s=undefined", label);
    else
        emit(d, " %s=%" PRIu64, label, (uint64_t)address);
}

void emit_extents(struct description *d, int rank, const hsize_t *extents) {
    emit(d, "[");
    for (int i = 0; i < rank; i++) {
        if (extents[i] == H5S_UNLIMITED)
            emit(d, "%sunlimited", i ? "," : "");
        else
            emit(d, "%s%" PRIu64, i ? "," : "", (uint64_t)extents[i]);
    }
    emit(d, "]");
}

void emit_creation_order(struct description *d, bool valid, int64_t order) {
    if (valid)
        emit(d, " order=%" PRId64, order);
    else
        emit(d, " order=none");
}
