/* Clears the mark of an unfinished writer from an HDF5 file on disk. */
#ifndef CLEAR_FLAGS_H
#define CLEAR_FLAGS_H

#include <stddef.h>
#include <stdint.h>

/* Bob Jenkins' lookup3 ("hashlittle") with initial value 0: HDF5's metadata checksum. */
uint32_t lookup3(const unsigned char *bytes, size_t size);

/*
 * Zeroes the consistency flags in the superblock (version 2 or 3) of `path` and renews its
 * checksum. Returns 0, or -1 if there is no such superblock or the file cannot be changed.
 */
int clear_consistency_flags(const char *path);

#endif
