/*
 * Proves that files read over HTTP equal the same files read locally: value by value, error by
 * error.
 *
 *   read_corpus BASE_URL DIRECTORY [FILE...]      remfile against sec2
 *   read_corpus --local-only DIRECTORY [FILE...]  stdio and core against sec2
 *   read_corpus --describe NAME                   prints the description of a path or URL
 *   read_corpus --compare NAME NAME               compares two, each a path or URL
 *
 * Exit code: 0 all the same, 1 some differ, 2 wrong use, 3 broken test.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#endif

#include "clear_flags.h"
#include "compare_text.h"
#include "corpus_files.h"
#include "describe.h"
#include "file_drivers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIFFERENCES_SHOWN 10

struct corpus {
    const char *base_url; /* NULL: local only */
    char *directory;
    char *scratch;      /* a temporary directory of ours */
    char *other;        /* in it, a link to `directory`: the same files under other names */
    char *scratch_link; /* in it, a link to itself */
};

struct text {
    FILE *lines;
    enum describe_result result;
    struct describe_counts counts;
};

static void broken(const char *what, const char *name) {
    fprintf(stderr, "read_corpus: %s: %s\n", what, name);
    exit(3);
}

static struct text describe_with(const struct file_driver *driver, const char *name) {
    struct text text;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    memset(&text, 0, sizeof text);
    text.lines = tmpfile();
    if (text.lines == NULL || fapl < 0 || driver->set(fapl) < 0)
        broken("cannot begin", name);
    text.result = describe_file_counting(name, fapl, text.lines, &text.counts);
    H5Pclose(fapl);
    if (text.result == DESCRIBE_BROKEN)
        broken("cannot be described", name);
    return text;
}

static bool compare_with(const struct text *local, const struct text *other, const struct file_driver *driver,
                         const char *name) {
    if (count_differences(local->lines, other->lines, driver->rule) == 0)
        return true;
    printf("DIFFERS %s (%s)\n", name, driver->label);
    print_differences(local->lines, local_driver.label, other->lines, driver->label, driver->rule,
                      DIFFERENCES_SHOWN, stdout);
    return false;
}

/* libhdf5 refuses a file whose writer did not finish, whatever is in it. */
static bool refused_for_flags(const struct text *text) {
    char line[4096];
    bool found = false;

    rewind(text->lines);
    while (text->result == DESCRIBE_REFUSED && fgets(line, sizeof line, text->lines) != NULL)
        found = found || strstr(line, "file is already open for write") != NULL ||
                strstr(line, "file is not already open for SWMR writing") != NULL;
    return found;
}

/* A copy of the file in the scratch directory without its flags; the caller removes it. */
static char *copy_without_flags(const struct corpus *corpus, const char *name) {
    char *from = join_path(corpus->directory, name);
    char *to = join_path(corpus->scratch, name);

    if (copy_file(from, to) != 0)
        broken("cannot be copied", name);
    if (clear_consistency_flags(to) != 0)
        broken("has no flags that could be cleared", name);
    free(from);
    return to;
}

/* One file under two names: the text must not depend on the name either. */
static bool local_drivers_agree(const struct text *local, const char *path, const char *other_path,
                                const char *name) {
    struct text buffered = describe_with(&buffered_driver, other_path);
    struct text memory = describe_with(&memory_driver, path);
    bool same = compare_with(local, &buffered, &buffered_driver, name);

    same = compare_with(local, &memory, &memory_driver, name) && same;
    fclose(buffered.lines);
    fclose(memory.lines);
    return same;
}

static bool check_locally(const struct corpus *corpus, const char *name, struct text *local, bool *cleared) {
    char *path = join_path(corpus->directory, name);
    char *other_path = join_path(corpus->other, name);
    bool same;

    *local = describe_with(&local_driver, path);
    same = local_drivers_agree(local, path, other_path, name);
    free(path);
    free(other_path);
    *cleared = same && refused_for_flags(local);
    if (!*cleared)
        return same;
    fclose(local->lines);
    path = copy_without_flags(corpus, name);
    other_path = join_path(corpus->scratch_link, name);
    *local = describe_with(&local_driver, path);
    same = local->result == DESCRIBE_OPENED && local_drivers_agree(local, path, other_path, name);
    remove(path);
    free(path);
    free(other_path);
    return same;
}

#ifndef REMFILE_LOCAL_ONLY
static bool check_remotely(const struct corpus *corpus, const char *name, struct text *local, bool *cleared) {
    char *path = join_path(corpus->directory, name);
    char *url = join_url(corpus->base_url, name);
    struct text remote = describe_with(&remote_driver, url);
    bool same;

    *local = describe_with(&local_driver, path);
    free(path);
    free(url);
    *cleared = refused_for_flags(local) && remote.result == DESCRIBE_OPENED;
    if (*cleared) {
        fclose(local->lines);
        path = copy_without_flags(corpus, name);
        *local = describe_with(&local_driver, path);
        remove(path);
        free(path);
    }
    same = compare_with(local, &remote, &remote_driver, name);
    fclose(remote.lines);
    return same;
}
#else
static bool check_remotely(const struct corpus *corpus, const char *name, struct text *local, bool *cleared) {
    return check_locally(corpus, name, local, cleared);
}
#endif

static bool check(const struct corpus *corpus, const char *name) {
    struct text local;
    bool cleared = false;
    bool same = corpus->base_url == NULL ? check_locally(corpus, name, &local, &cleared)
                                         : check_remotely(corpus, name, &local, &cleared);

    if (same)
        printf("same%s  %s  objects=%llu attributes=%llu datasets=%llu values_bytes=%llu "
               "errors=%llu\n",
               cleared ? " (flags cleared)" : "", name, local.counts.objects, local.counts.attributes,
               local.counts.datasets, local.counts.values_bytes, local.counts.errors);
    fflush(stdout);
    fclose(local.lines);
    return same;
}

static void open_corpus(struct corpus *corpus, const char *base_url, const char *directory) {
    char scratch[] = "/tmp/read_corpus.XXXXXX";

    corpus->base_url = base_url;
    /* Absolute, for libhdf5 resolves external links against the working directory as well. */
    corpus->directory = realpath(directory, NULL);
    if (corpus->directory == NULL || mkdtemp(scratch) == NULL)
        broken("no such directory", directory);
    corpus->scratch = must_copy(scratch);
    corpus->other = join_path(scratch, "other");
    corpus->scratch_link = join_path(scratch, "scratch");
    if (symlink(corpus->directory, corpus->other) != 0 || symlink(scratch, corpus->scratch_link) != 0)
        broken("cannot make links", scratch);
}

static void close_corpus(struct corpus *corpus) {
    remove(corpus->other);
    remove(corpus->scratch_link);
    rmdir(corpus->scratch);
    free(corpus->directory);
    free(corpus->scratch);
    free(corpus->other);
    free(corpus->scratch_link);
}

static int check_all(struct corpus *corpus, const struct text_list *names) {
    size_t same = 0;

    for (size_t i = 0; i < names->count; i++)
        same += check(corpus, names->texts[i]) ? 1 : 0;
    printf("%zu files, %zu same, %zu differ (HDF5 %s)\n", names->count, same, names->count - same,
           H5_VERS_INFO);
    return same == names->count ? 0 : 1;
}

static const struct file_driver *driver_for(const char *name) {
#ifndef REMFILE_LOCAL_ONLY
    if (strstr(name, "://") != NULL)
        return &remote_driver;
#endif
    (void)name;
    return &local_driver;
}

static int describe_one(const char *name) {
    struct text text = describe_with(driver_for(name), name);
    int c;

    rewind(text.lines);
    while ((c = getc(text.lines)) != EOF)
        putchar(c);
    fclose(text.lines);
    return text.result == DESCRIBE_OPENED ? 0 : 1;
}

/* The last parts of the names should be equal, as they are part of the text. */
static int compare_two(const char *first, const char *second) {
    struct text local = describe_with(driver_for(first), first);
    struct text other = describe_with(driver_for(second), second);
    bool same = compare_with(&local, &other, driver_for(second), second);

    printf("%s", same ? "same\n" : "");
    fclose(local.lines);
    fclose(other.lines);
    return same ? 0 : 1;
}

int main(int count, char **arguments) {
    struct corpus corpus;
    struct text_list names = {0};
    bool local_only = count > 1 && strcmp(arguments[1], "--local-only") == 0;
    int result;

    if (count == 3 && strcmp(arguments[1], "--describe") == 0)
        return describe_one(arguments[2]);
    if (count == 4 && strcmp(arguments[1], "--compare") == 0)
        return compare_two(arguments[2], arguments[3]);
#ifdef REMFILE_LOCAL_ONLY
    if (count < 3 || !local_only) {
#else
    if (count < 3) {
#endif
        fprintf(stderr, "usage: read_corpus BASE_URL|--local-only DIRECTORY [FILE...]\n"
                        "       read_corpus --describe NAME\n"
                        "       read_corpus --compare NAME NAME\n");
        return 2;
    }
    open_corpus(&corpus, local_only ? NULL : arguments[1], arguments[2]);
    for (int i = 3; i < count; i++)
        text_list_add(&names, arguments[i]);
    if (count == 3 && list_corpus(corpus.directory, &names) != 0)
        broken("cannot be listed", corpus.directory);
    result = names.count == 0 ? 2 : check_all(&corpus, &names);
    close_corpus(&corpus);
    text_list_free(&names);
    return result;
}
