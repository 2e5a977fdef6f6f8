#include "watch/rows.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void watch_rows_fini(struct watch_rows *r)
{
    for (size_t k = 0; k < r->texts.count; k++) free(r->texts.data[k]);
    vec_fini(&r->texts);
    vec_fini(&r->tables);
    vec_fini(&r->rows);
    vec_fini(&r->changes);
    strmap_fini(&r->numbers);
    u64map_fini(&r->by_key);
}

uint8_t watch_rows_table(struct watch_rows *r, const char *tech, const char *name)
{
    size_t k = 0;
    while (k < r->tables.count && (r->tables.data[k].tech != tech || r->tables.data[k].name != name)) k++;
    if (k == r->tables.count) vec_push(&r->tables, (struct watch_table){tech, name});
    return (uint8_t)k;
}

static uint32_t text_number(struct watch_rows *r, const char *text)
{
    uint32_t number;
    size_t length = strlen(text);
    if (!r->texts.count) vec_push(&r->texts, heap_strdup(""));
    if (!length) return 0;
    if (strmap_get(&r->numbers, text, length, &number)) return number;
    number = (uint32_t)r->texts.count;
    vec_push(&r->texts, heap_strdup(text));
    strmap_set(&r->numbers, vec_last(&r->texts), length, number);
    return number;
}

static uint64_t key_of(const struct watch_row *x)
{
    return (uint64_t)x->launch << 40 | (uint64_t)(x->number & 0xffff) << 24 | (uint64_t)x->table << 16 |
           (uint64_t)x->owner << 8 | x->index;
}

static void change(struct watch_rows *r, uint32_t row, uint64_t time, uint32_t text)
{
    if (r->rows.data[row].text == text) return;
    r->rows.data[row].text = text;
    vec_push(&r->changes, (struct watch_change){time, row, text});
}

void watch_rows_begin(struct watch_rows *r) { r->round++; }

void watch_rows_tell(struct watch_rows *r, struct watch_row is, uint64_t time, const char *text)
{
    uint32_t row, number = text_number(r, text);
    if (!u64map_get(&r->by_key, key_of(&is), &row)) {
        if (!number) return;
        row = (uint32_t)r->rows.count;
        u64map_set(&r->by_key, key_of(&is), row);
        is.text = 0;
        vec_push(&r->rows, is);
    }
    r->rows.data[row].round = r->round;
    change(r, row, time, number);
}

void watch_rows_end(struct watch_rows *r, uint32_t launch, uint64_t time)
{
    for (uint32_t k = 0; k < r->rows.count; k++)
        if (r->rows.data[k].launch == launch && r->rows.data[k].round != r->round) change(r, k, time, 0);
}
