// Modifier words: a map from text to its first row in the table; rows of equal text are adjacent.
#include "ptx/suffix.h"

#include <string.h>

static const struct suffix rows[] = {
#define SUFFIX(text, field, value) {text, FIELD_##field, value},
#include "ptx/suffix.def"
#undef SUFFIX
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

void suffix_table_init(struct suffix_table *table)
{
    *table = (struct suffix_table){0};
    for (uint32_t i = 0; i < ROW_COUNT; i++)
        if (i == 0 || strcmp(rows[i].text, rows[i - 1].text) != 0)
            strmap_set(&table->first, rows[i].text, strlen(rows[i].text), i);
}

void suffix_table_fini(struct suffix_table *table) { strmap_fini(&table->first); }

const struct suffix *suffix_find(const struct suffix_table *table, const char *text, size_t length,
                                 uint64_t fields, bool *known)
{
    uint32_t i;
    *known = strmap_get(&table->first, text, length, &i);
    if (!*known) return NULL;
    const char *same = rows[i].text;
    for (; i < ROW_COUNT && strcmp(rows[i].text, same) == 0; i++)
        if (fields >> rows[i].field & 1) return &rows[i];
    return NULL;
}

const char *suffix_name(const void *context, size_t i)
{
    const uint64_t *fields = context;
    for (size_t row = 0; row < ROW_COUNT; row++)
        if (*fields >> rows[row].field & 1 && i-- == 0) return rows[row].text;
    return NULL;
}

const char *suffix_text(enum ptx_field field, unsigned value)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].field == field && rows[i].value == value) return rows[i].text;
    return NULL;
}
