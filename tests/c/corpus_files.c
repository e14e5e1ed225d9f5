#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "corpus_files.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static bool belongs(const char *directory, const char *name) {
    struct stat status;
    bool regular;
    char *path;

    if (!ends_with(name, ".hdf5") && !ends_with(name, ".h5") && !ends_with(name, ".nwb"))
        return false;
    path = join_path(directory, name);
    regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    free(path);
    return regular;
}

int list_corpus(const char *directory, struct text_list *names) {
    DIR *entries = opendir(directory);

    if (entries == NULL)
        return -1;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (belongs(directory, entry->d_name))
            text_list_add(names, entry->d_name);
    closedir(entries);
    text_list_sort(names);
    return 0;
}

char *join_path(const char *directory, const char *name) { return must_join(directory, "/", name); }

char *join_url(const char *base, const char *name) {
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    char *encoded = must_allocate(3 * strlen(name) + 1, 1);
    char *to = encoded;
    char *url;

    for (const char *c = name; *c != '\0'; c++) {
        if (strchr(kept, *c) != NULL)
            *to++ = *c;
        else
            to += sprintf(to, "%%%02X", (unsigned)(unsigned char)*c);
    }
    *to = '\0';
    url = must_join(base, ends_with(base, "/") ? "" : "/", encoded);
    free(encoded);
    return url;
}

int copy_file(const char *from, const char *to) {
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    int result = in == NULL || out == NULL ? -1 : 0;
    char block[65536];

    while (result == 0 && !feof(in)) {
        size_t got = fread(block, 1, sizeof block, in);

        if (ferror(in) || fwrite(block, 1, got, out) != got)
            result = -1;
    }
    if (in != NULL)
        fclose(in);
    if (out != NULL && fclose(out) != 0)
        result = -1;
    return result;
}
