#include "clear_flags.h"

#include <stdio.h>
#include <string.h>

/* Superblock versions 2 and 3: signature, version, sizes, flags, four addresses, checksum. */
#define VERSION_AT 8
#define ADDRESS_SIZE_AT 9
#define FLAGS_AT 11
#define ADDRESSES_AT 12
#define LARGEST (ADDRESSES_AT + 4 * 8 + 4)

static uint32_t rotate(uint32_t x, int bits) { return (x << bits) | (x >> (32 - bits)); }

static void mix(uint32_t state[3]) {
    static const int bits[6] = {4, 6, 8, 16, 19, 4};

    for (int i = 0; i < 6; i++) {
        uint32_t *a = &state[i % 3], *b = &state[(i + 1) % 3], *c = &state[(i + 2) % 3];

        *a -= *c;
        *a ^= rotate(*c, bits[i]);
        *c += *b;
    }
}

static void finish(uint32_t state[3]) {
    static const int bits[7] = {14, 11, 25, 16, 4, 14, 24};

    for (int i = 0; i < 7; i++) {
        uint32_t *to = &state[(i + 2) % 3], *from = &state[(i + 1) % 3];

        *to ^= *from;
        *to -= rotate(*from, bits[i]);
    }
}

/* Adds up to 12 bytes to the state, each word little-endian, missing bytes as zero. */
static void absorb(uint32_t state[3], const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        state[i / 4] += (uint32_t)bytes[i] << (8 * (i % 4));
}

uint32_t lookup3(const unsigned char *bytes, size_t size) {
    uint32_t start = UINT32_C(0xdeadbeef) + (uint32_t)size;
    uint32_t state[3] = {start, start, start};

    for (; size > 12; bytes += 12, size -= 12) {
        absorb(state, bytes, 12);
        mix(state);
    }
    if (size > 0) {
        absorb(state, bytes, size);
        finish(state);
    }
    return state[2];
}

static int clear_at(FILE *file, long offset, unsigned char *block, size_t size) {
    uint32_t checksum;

    block[FLAGS_AT] = 0;
    checksum = lookup3(block, size - 4);
    for (int i = 0; i < 4; i++)
        block[size - 4 + (size_t)i] = (unsigned char)(checksum >> (8 * i));
    if (fseek(file, offset, SEEK_SET) != 0 || fwrite(block, 1, size, file) != size)
        return -1;
    return 0;
}

/* The superblock is at 0, 512, 1024, 2048, ... */
static int find_and_clear(FILE *file) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char block[LARGEST];

    for (long offset = 0; offset >= 0 && offset < 1L << 30; offset = offset ? 2 * offset : 512) {
        size_t got, size;

        if (fseek(file, offset, SEEK_SET) != 0)
            return -1;
        got = fread(block, 1, sizeof block, file);
        if (got <= ADDRESSES_AT)
            return -1;
        if (memcmp(block, signature, sizeof signature) != 0)
            continue;
        size = ADDRESSES_AT + 4 * (size_t)block[ADDRESS_SIZE_AT] + 4;
        if ((block[VERSION_AT] != 2 && block[VERSION_AT] != 3) || size > got)
            return -1;
        return clear_at(file, offset, block, size);
    }
    return -1;
}

int clear_consistency_flags(const char *path) {
    FILE *file = fopen(path, "r+b");
    int result;

    if (file == NULL)
        return -1;
    result = find_and_clear(file);
    if (fclose(file) != 0)
        result = -1;
    return result;
}
