#include "text_table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_resize(void *memory, size_t count, size_t size) {
    if (count == 0 || size == 0)
        count = size = 1;
    if (count <= SIZE_MAX / size)
        memory = realloc(memory, count * size);
    else
        memory = NULL;
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return memory;
}

void *must_allocate(size_t count, size_t size) {
    void *memory = must_resize(NULL, count, size);

    memset(memory, 0, count * size);
    return memory;
}

char *must_copy(const char *text) { return must_join(text, "", ""); }

char *must_join(const char *first, const char *second, const char *third) {
    size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    char *joined = must_resize(NULL, size, 1);

    snprintf(joined, size, "%s%s%s", first, second, third);
    return joined;
}

/* The slot that holds `key`, or the free one where it belongs. */
static size_t find_slot(const struct text_table *table, const char *key) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = key; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    size_t slot = (size_t)hash & (table->capacity - 1);
    while (table->keys[slot] != NULL && strcmp(table->keys[slot], key) != 0)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static void grow(struct text_table *table) {
    struct text_table bigger = {NULL, NULL, table->capacity ? 2 * table->capacity : 64, 0};

    bigger.keys = must_allocate(bigger.capacity, sizeof(char *));
    bigger.values = must_allocate(bigger.capacity, sizeof(char *));
    bigger.count = table->count;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->keys[i] == NULL)
            continue;
        size_t slot = find_slot(&bigger, table->keys[i]);
        bigger.keys[slot] = table->keys[i];
        bigger.values[slot] = table->values[i];
    }
    free(table->keys);
    free(table->values);
    *table = bigger;
}

const char *text_table_get(const struct text_table *table, const char *key) {
    return table->capacity == 0 ? NULL : table->values[find_slot(table, key)];
}

void text_table_put(struct text_table *table, const char *key, const char *value) {
    if (2 * (table->count + 1) > table->capacity)
        grow(table);
    size_t slot = find_slot(table, key);
    if (table->keys[slot] == NULL) {
        table->keys[slot] = must_copy(key);
        table->count++;
    }
    free(table->values[slot]);
    table->values[slot] = must_copy(value);
}

void text_table_free(struct text_table *table) {
    for (size_t i = 0; i < table->capacity; i++) {
        free(table->keys[i]);
        free(table->values[i]);
    }
    free(table->keys);
    free(table->values);
    memset(table, 0, sizeof *table);
}

void text_list_add(struct text_list *list, const char *text) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 16;
        list->texts = must_resize(list->texts, list->capacity, sizeof(char *));
    }
    list->texts[list->count++] = must_copy(text);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void text_list_sort(struct text_list *list) {
    if (list->count > 1)
        qsort(list->texts, list->count, sizeof(char *), compare_texts);
}

void text_list_free(struct text_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->texts[i]);
    free(list->texts);
    memset(list, 0, sizeof *list);
}
