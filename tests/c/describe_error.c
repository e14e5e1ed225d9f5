/*
 * Error stacks, reduced to what libhdf5 itself says.
 *
 * A driver's own entries, and libhdf5's entries about drivers, are left out; names of the file and
 * its directory are replaced. What remains must not depend on how the file was reached.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "description.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct error_walk {
    struct description *d;
    unsigned entries;
};

/* Returns `text` with every `from` replaced by `to`; frees `text`. */
static char *replace_all(char *text, const char *from, const char *to) {
    size_t from_length = strlen(from);

    if (from_length == 0)
        return text;
    for (char *at = strstr(text, from); at != NULL;) {
        size_t offset = (size_t)(at - text);

        *at = '\0';
        char *replaced = must_join(text, to, at + from_length);
        free(text);
        text = replaced;
        at = strstr(text + offset + strlen(to), from);
    }
    return text;
}

/* "time = Mon Jan ...," becomes "time = <time>,". */
static char *replace_time(char *text) {
    char *at = strstr(text, "time = ");
    char *end = at == NULL ? NULL : strchr(at, ',');

    if (end == NULL)
        return text;
    at[strlen("time = ")] = '\0';
    char *replaced = must_join(text, "<time>", end);
    free(text);
    return replaced;
}

static char *without_names(const struct description *d, const char *description) {
    char *text = replace_all(must_copy(description), d->name, "<file>");
    char *directory = must_copy(d->name);
    char *slash = strrchr(directory, '/');

    if (slash != NULL) {
        char working[4096];

        slash[1] = '\0';
        text = replace_all(text, directory, "<dir>/");
        /* libhdf5 takes a URL for a relative path and prepends the working directory. */
        if (getcwd(working, sizeof working) != NULL) {
            char *prefixed = must_join(working, "/", "<dir>/");

            text = replace_all(text, prefixed, "<dir>/");
            free(prefixed);
        }
    }
    free(directory);
    return replace_time(text);
}

static bool of_driver(const H5E_error2_t *error) {
    const char *file = error->file_name == NULL ? "" : error->file_name;
    const char *function = error->func_name == NULL ? "" : error->func_name;
    const char *slash = strrchr(file, '/');
    const char *base = slash == NULL ? file : slash + 1;

    return error->cls_id != H5E_ERR_CLS || error->maj_num == H5E_VFL || strncmp(function, "H5FD", 4) == 0 ||
           strncmp(base, "H5FD", 4) == 0 || strstr(function, "remfile") != NULL ||
           strstr(base, "remfile") != NULL;
}

static void emit_message(struct description *d, hid_t message) {
    char text[256] = "";

    if (H5Eget_msg(message, NULL, text, sizeof text) < 0)
        strcpy(text, "?");
    emit(d, "%s", text);
}

static herr_t emit_entry(unsigned n, const H5E_error2_t *error, void *data) {
    struct error_walk *walk = data;
    struct description *d = walk->d;

    (void)n;
    if (of_driver(error))
        return 0;
    emit(d, "%s%s(", walk->entries++ ? " < " : "", error->func_name ? error->func_name : "?");
    emit_message(d, error->maj_num);
    emit(d, " / ");
    emit_message(d, error->min_num);
    if (error->desc != NULL && error->desc[0] != '\0') {
        char *text = without_names(d, error->desc);

        emit(d, ": %s", text);
        free(text);
    }
    emit(d, ")");
    return 0;
}

/* On one line, from the API function inwards. */
void emit_error(struct description *d, const char *call) {
    struct error_walk walk = {d, 0};
    /* A copy, taken before any other call can clear the stack. */
    hid_t stack = H5Eget_current_stack();

    d->counts.errors++;
    emit(d, "error %s: ", call);
    if (stack < 0 || H5Ewalk2(stack, H5E_WALK_DOWNWARD, emit_entry, &walk) < 0)
        emit(d, "?");
    else if (walk.entries == 0)
        emit(d, "no entries");
    if (stack >= 0)
        H5Eclose_stack(stack);
}

void emit_error_line(struct description *d, const char *indent, const char *call) {
    /* The stack is to be read before anything else happens, hence no emit() of a prefix first
     * that could touch libhdf5: emit() does not. */
    emit(d, "%s", indent);
    emit_error(d, call);
    emit(d, "\n");
}
