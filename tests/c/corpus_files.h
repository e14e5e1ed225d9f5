/* Names and copies of files for read_corpus. */
#ifndef CORPUS_FILES_H
#define CORPUS_FILES_H

#include "text_table.h"

/* Adds the names of the regular files *.hdf5, *.h5 and *.nwb in `directory`, sorted; -1 on error.
 */
int list_corpus(const char *directory, struct text_list *names);

/* Texts to be freed by the caller. */
char *join_path(const char *directory, const char *name);
char *join_url(const char *base, const char *name); /* `name` is percent-encoded */

int copy_file(const char *from, const char *to);

#endif
