/*
 * A complete, canonical, line-oriented description of an HDF5 file.
 *
 * Two descriptions of the same file are equal byte for byte whatever file driver read it: values,
 * metadata and errors are all in the text, while everything that depends on the driver or on the
 * file's place (entries pushed by the driver, the file's name and directory) is left out of it.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <hdf5.h>
#include <stdio.h>

struct describe_counts {
    unsigned long long objects;
    unsigned long long attributes;
    unsigned long long datasets;
    unsigned long long values_bytes; /* size in memory of all values read */
    unsigned long long errors;       /* failed calls, each of them a line of the text */
};

enum describe_result {
    DESCRIBE_BROKEN = -1, /* the description itself failed: out could not be written, ids leaked */
    DESCRIBE_OPENED = 0,
    DESCRIBE_REFUSED = 1 /* H5Fopen failed; the text holds its error */
};

/* Opens `name` read-only with `fapl` and writes its description to `out`. */
int describe_file(const char *name, hid_t fapl, FILE *out);

/* The same, also telling how much there was; `counts` may be NULL. */
int describe_file_counting(const char *name, hid_t fapl, FILE *out, struct describe_counts *counts);

#endif
