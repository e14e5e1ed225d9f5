#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "compare_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Longer lines are cut when printed, from a little before their first difference. */
#define PRINTED 400
#define CONTEXT 60

struct line {
    char *text;
    size_t capacity;
    ssize_t length; /* negative after the last line */
};

static bool next_pair(FILE *a, struct line *line_a, FILE *b, struct line *line_b) {
    line_a->length = line_a->length < 0 ? -1 : getline(&line_a->text, &line_a->capacity, a);
    line_b->length = line_b->length < 0 ? -1 : getline(&line_b->text, &line_b->capacity, b);
    return line_a->length >= 0 || line_b->length >= 0;
}

static size_t first_difference(const struct line *a, const struct line *b) {
    size_t i = 0;

    while ((ssize_t)i < a->length && (ssize_t)i < b->length && a->text[i] == b->text[i])
        i++;
    return i;
}

static bool equal(const struct line *a, const struct line *b, enum error_rule rule) {
    size_t same = first_difference(a, b);

    if (a->length < 0 || b->length < 0)
        return false;
    if (a->length == b->length && same == (size_t)a->length)
        return true;
    return rule == ERRORS_MAY_BE_CUT && same > 0 && strcmp(b->text + same, "\n") == 0 &&
           strncmp(a->text + same, " < ", 3) == 0 && strstr(b->text, "error ") != NULL;
}

static void print_line(const char *label, const struct line *line, size_t from, FILE *out) {
    int length;

    if (line->length < 0) {
        fprintf(out, "    %s: <end of text>\n", label);
        return;
    }
    length = (int)strcspn(line->text + from, "\n");
    fprintf(out, "    %s: %s%.*s%s\n", label, from > 0 ? "... " : "", length > PRINTED ? PRINTED : length,
            line->text + from, length > PRINTED ? " ..." : "");
}

static size_t compare(FILE *a, const char *label_a, FILE *b, const char *label_b, enum error_rule rule,
                      size_t most, FILE *out) {
    struct line line_a = {NULL, 0, 0}, line_b = {NULL, 0, 0};
    char object[256] = "";
    size_t number = 0, differing = 0;

    rewind(a);
    rewind(b);
    while (next_pair(a, &line_a, b, &line_b)) {
        number++;
        if (line_a.length > 0 && strncmp(line_a.text, "object ", 7) == 0)
            snprintf(object, sizeof object, "%.*s", (int)strcspn(line_a.text, "\n"), line_a.text);
        if (equal(&line_a, &line_b, rule) || ++differing > most)
            continue;
        size_t at = first_difference(&line_a, &line_b);
        size_t from = at > PRINTED / 2 ? at - CONTEXT : 0;
        fprintf(out, "  line %zu, in %s\n", number, object);
        print_line(label_a, &line_a, from, out);
        print_line(label_b, &line_b, from, out);
    }
    free(line_a.text);
    free(line_b.text);
    return differing;
}

size_t count_differences(FILE *a, FILE *b, enum error_rule rule) {
    return compare(a, "", b, "", rule, 0, NULL);
}

void print_differences(FILE *a, const char *label_a, FILE *b, const char *label_b, enum error_rule rule,
                       size_t most, FILE *out) {
    size_t differing = compare(a, label_a, b, label_b, rule, most, out);

    if (differing > most)
        fprintf(out, "  and %zu more lines\n", differing - most);
}
