/* A program in C that opens files with libhdf5 through remfile. */
#include <stdio.h>
#include <string.h>

#include <remfile/remfile_vfd.h>

static herr_t find_reason(unsigned depth, const H5E_error2_t *error, void *found) {
    (void)depth;
    if (error->desc != NULL && strstr(error->desc, "unreachable") != NULL) {
        puts(error->desc);
        *(int *)found = 1;
    }
    return 0;
}

int main(void) {
    int found = 0;
    H5FD_remfile_config_t config;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    H5FD_remfile_config_init(&config);
    config.max_retries = -1;
    if (H5Pset_fapl_remfile(fapl, &config) < 0)
        return 1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5Fopen("http://127.0.0.1:1/file.h5", H5F_ACC_RDONLY, fapl) >= 0)
        return 1;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, find_reason, &found);
    H5Pclose(fapl);
    return found ? 0 : 1;
}
