/* A growing map from text to text, and a growing list of texts. Both own copies. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include <stddef.h>

struct text_table {
    char **keys;
    char **values;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

const char *text_table_get(const struct text_table *table, const char *key);
void text_table_put(struct text_table *table, const char *key, const char *value);
void text_table_free(struct text_table *table);

struct text_list {
    char **texts;
    size_t capacity;
    size_t count;
};

void text_list_add(struct text_list *list, const char *text);
void text_list_sort(struct text_list *list);
void text_list_free(struct text_list *list);

/* Out of memory ends the program: a test has nothing better to do. */
void *must_allocate(size_t count, size_t size);
void *must_resize(void *memory, size_t count, size_t size);
char *must_copy(const char *text);
char *must_join(const char *first, const char *second, const char *third);

#endif
