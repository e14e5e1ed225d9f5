/*
 * Reads a remote HDF5 file from C: what is in its root group, and the beginning of a dataset.
 *
 *     read https://example.org/recording.nwb /acquisition/probe0/data
 */
#include <stdio.h>
#include <string.h>

#include <remfile/remfile_vfd.h>

enum { MAX_VALUES = 8 };

static const char usage[] =
    "usage: read URL [DATASET]\n"
    "\n"
    "Lists the root group of the HDF5 file at URL; with DATASET, a dataset of numbers in\n"
    "it, prints its shape and the first values.\n";

/* The first record on the error stack, going up from where it failed, tells why. */
static herr_t print_first(unsigned depth, const H5E_error2_t *error, void *unused) {
    (void)depth;
    (void)unused;
    fprintf(stderr, "read: %s\n", error->desc);
    return 1; /* stop */
}

static int fail(void) {
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, print_first, NULL);
    return 1;
}

static herr_t print_name(hid_t group, const char *name, const H5L_info_t *info, void *unused) {
    (void)group;
    (void)info;
    (void)unused;
    puts(name);
    return 0;
}

static int list_root(hid_t file) {
    return H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, print_name, NULL) < 0 ? fail() : 0;
}

/* At most MAX_VALUES elements along the last dimension, from the first of every other one. */
static int print_values(hid_t dataset, hid_t space, int rank, const hsize_t *shape) {
    hsize_t first[H5S_MAX_RANK] = {0};
    hsize_t count[H5S_MAX_RANK];
    double values[MAX_VALUES];
    hsize_t wanted = 1;
    hid_t memory;
    herr_t status = 0;

    for (int i = 0; i < rank; i++)
        count[i] = shape[i] > 0 ? 1 : 0;
    if (rank > 0)
        wanted = count[rank - 1] = shape[rank - 1] < MAX_VALUES ? shape[rank - 1] : MAX_VALUES;
    for (int i = 0; i < rank; i++)
        if (count[i] == 0)
            return 0; /* an empty dataset */
    if (rank > 0)
        status = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL);
    memory = H5Screate_simple(1, &wanted, NULL);
    if (status >= 0)
        status = H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
    H5Sclose(memory);
    if (status < 0)
        return fail();
    for (hsize_t i = 0; i < wanted; i++)
        printf("%s%g", i == 0 ? "" : " ", values[i]);
    putchar('\n');
    return 0;
}

static int print_dataset(hid_t file, const char *name) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    hsize_t shape[H5S_MAX_RANK];
    int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, shape, NULL);
    int result;

    if (rank < 0) {
        result = fail();
    } else {
        printf("%s:", name);
        for (int i = 0; i < rank; i++)
            printf(" %llu", (unsigned long long)shape[i]);
        putchar('\n');
        result = print_values(dataset, space, rank, shape);
    }
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return result;
}

int main(int count, char **arguments) {
    hid_t fapl;
    hid_t file;
    int result;

    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (count < 2 || count > 3) {
        fputs(usage, stderr);
        return 2;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are printed by fail() */

    /* These two lines are all that a remote file needs. */
    fapl = H5Pcreate(H5P_FILE_ACCESS);
    if (fapl < 0 || H5Pset_fapl_remfile(fapl, NULL) < 0)
        return fail();

    file = H5Fopen(arguments[1], H5F_ACC_RDONLY, fapl);
    if (file < 0)
        return fail(); /* before any other call, for each begins with an empty error stack */
    H5Pclose(fapl);
    result = list_root(file);
    if (result == 0 && count == 3)
        result = print_dataset(file, arguments[2]);
    H5Fclose(file);
    return result;
}
