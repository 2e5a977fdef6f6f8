#include "study/stream.h"
#include "base/csv.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const char *const stream_level_names[STREAM_LEVELS + 2] = {"chip", "sm", "block", "warp", "all", NULL};

// -- order --------------------------------------------------------------------------------------------------

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

// By launch, cycle and SM. An SM sends at most one line a cycle, so the order is total.
static int by_time(const struct stream_access *a, const struct stream_access *b)
{
    int by = order(a->launch, b->launch);
    if (!by) by = order(a->cycle, b->cycle);
    return by ? by : order(a->sm, b->sm);
}

static int by_chip(const void *a, const void *b) { return by_time(a, b); }

static int by_sm(const void *a, const void *b)
{
    int by = order(((const struct stream_access *)a)->sm, ((const struct stream_access *)b)->sm);
    return by ? by : by_time(a, b);
}

static int by_block(const void *a, const void *b)
{
    const struct stream_access *x = a, *y = b;
    int by = order(x->launch, y->launch);
    if (!by) by = order(x->block, y->block);
    return by ? by : by_time(x, y);
}

static int by_warp(const void *a, const void *b)
{
    const struct stream_access *x = a, *y = b;
    int by = order(x->launch, y->launch);
    if (!by) by = order(x->block, y->block);
    if (!by) by = order(x->warp, y->warp);
    return by ? by : by_time(x, y);
}

void stream_sort(struct stream *s, enum stream_level level)
{
    static int (*const orders[STREAM_LEVELS])(const void *, const void *) = {by_chip, by_sm, by_block,
                                                                             by_warp};
    qsort(s->list.data, s->list.count, sizeof s->list.data[0], orders[level]);
}

static bool is_one_stream(const struct stream_access *a, const struct stream_access *b,
                          enum stream_level level)
{
    switch (level) {
    case STREAM_CHIP: return true;
    case STREAM_SM: return a->sm == b->sm;
    case STREAM_BLOCK: return a->launch == b->launch && a->block == b->block;
    case STREAM_WARP: return a->launch == b->launch && a->block == b->block && a->warp == b->warp;
    case STREAM_LEVELS: break;
    }
    return false;
}

void stream_count(const struct stream *s, enum stream_level level, unsigned shift, enum reuse_window window,
                  struct reuse *r, uint64_t *addresses, struct reuse_counts *to)
{
    const struct stream_access *all = s->list.data;
    for (size_t first = 0, end; first < s->list.count; first = end) {
        for (end = first; end < s->list.count && is_one_stream(&all[first], &all[end], level); end++)
            addresses[end - first] = all[end].address;
        reuse_add(r, addresses, end - first, shift, window, to);
    }
}

// -- a file -------------------------------------------------------------------------------------------------

enum column { COLUMN_ADDRESS, COLUMN_SM, COLUMN_BLOCK, COLUMN_WARP, COLUMNS };

struct reading {
    struct csv csv;
    uint32_t source;
    struct diag *diag;
    bool has[COLUMNS];
    size_t at[COLUMNS];
};

static bool number(const struct reading *r, size_t row, enum column c, uint64_t most, uint64_t *value)
{
    static const char *const names[COLUMNS] = {"address", "sm", "block", "warp"};
    *value = 0;
    if (!r->has[c]) return true;
    const char *text = r->csv.rows.data[row][r->at[c]];
    if (str_to_u64(text, value) && *value <= most) return true;
    return diag_error(r->diag, (struct loc){.source = r->source, .line = (uint32_t)row + 2},
                      "%s is \"%s\": must be a number up to %llu", names[c], text, (unsigned long long)most);
}

static bool read_rows(struct reading *r, struct stream *s)
{
    for (size_t row = 0; row < r->csv.rows.count; row++) {
        uint64_t address, sm, block, warp;
        if (!number(r, row, COLUMN_ADDRESS, UINT64_MAX, &address) ||
            !number(r, row, COLUMN_SM, UINT16_MAX, &sm) ||
            !number(r, row, COLUMN_BLOCK, UINT64_MAX, &block) ||
            !number(r, row, COLUMN_WARP, UINT16_MAX, &warp))
            return false;
        vec_push(&s->list, ((struct stream_access){address, row, block, 0, (uint16_t)sm, (uint16_t)warp}));
    }
    return true;
}

bool stream_read(struct stream *s, const char *text, uint32_t source, struct diag *d)
{
    struct reading r = {.source = source, .diag = d};
    const char *why;
    size_t line;
    bool good = csv_parse(&r.csv, text, strlen(text), &why, &line) ||
                diag_error(d, (struct loc){.source = source, .line = (uint32_t)line}, "%s", why);
    static const char *const names[COLUMNS] = {"address", "sm", "block", "warp"};
    for (unsigned c = 0; c < COLUMNS && good; c++) r.has[c] = csv_column(&r.csv, names[c], &r.at[c]);
    if (good && !r.has[COLUMN_ADDRESS])
        good = diag_error(
            d, (struct loc){.source = source, .line = 1},
            "no column address: the first line must name the columns, address, and sm, block and warp "
            "if known");
    if (good && !r.csv.rows.count)
        good = diag_error(d, (struct loc){.source = source}, "the file has no accesses");
    good = good && read_rows(&r, s);
    csv_fini(&r.csv);
    return good;
}
