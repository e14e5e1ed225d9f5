/* The ways of reading a file that read_corpus compares with libhdf5's own local driver. */
#ifndef FILE_DRIVERS_H
#define FILE_DRIVERS_H

#include "compare_text.h"

#include <hdf5.h>

struct file_driver {
    const char *label;
    herr_t (*set)(hid_t fapl);
    enum error_rule rule; /* of comparing with the local driver */
};

extern const struct file_driver local_driver;
extern const struct file_driver buffered_driver; /* stdio */
extern const struct file_driver memory_driver;   /* core, without backing store */
#ifndef REMFILE_LOCAL_ONLY
extern const struct file_driver remote_driver;
#endif

#endif
