/* Compares two texts line by line. */
#ifndef COMPARE_TEXT_H
#define COMPARE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * ERRORS_MAY_BE_CUT is for libhdf5's stdio driver, which clears the error stack when it closes a
 * file: in the second text an error may lack its inner entries.
 */
enum error_rule { ERRORS_MUST_EQUAL, ERRORS_MAY_BE_CUT };

/* Returns the number of lines that differ. */
size_t count_differences(FILE *a, FILE *b, enum error_rule rule);

/* Prints the first `most` differing lines of both, with the last line that began "object". */
void print_differences(FILE *a, const char *label_a, FILE *b, const char *label_b, enum error_rule rule,
                       size_t most, FILE *out);

#endif
