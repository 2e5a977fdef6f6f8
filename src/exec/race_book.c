// Books of the race detector: pages of cells, kept from launch to launch.
#include "exec/race_book.h"

#include <stdlib.h>

enum { RACE_CELLS_MAX = 16 << 20 };
// A launch begins below this time: as many memory instructions are left for it.
#define RACE_TIME_MAX (UINT32_MAX / 2)

struct race_book *race_book_take(struct race_book **spare)
{
    struct race_book *b = spare ? *spare : NULL;
    if (spare) *spare = NULL;
    if (b && b->time > RACE_TIME_MAX) {
        race_book_destroy(b);
        b = NULL;
    }
    if (!b) b = heap_alloc(sizeof *b);
    b->start = b->time;
    b->touched = 0;
    b->overflowed = false;
    return b;
}

void race_book_leave(struct race_book *b, struct race_book **spare)
{
    race_book_destroy(spare ? *spare : b);
    if (spare) *spare = b;
}

void race_book_destroy(struct race_book *b)
{
    if (!b) return;
    for (size_t k = 0; k < b->list.count; k++) free(b->list.data[k].cells);
    for (size_t k = 0; k < b->spare.count; k++) free(b->spare.data[k].cells);
    vec_fini(&b->list);
    vec_fini(&b->spare);
    u64map_fini(&b->pages);
    free(b);
}

// -- global memory ------------------------------------------------------------------------------------------

// Frees the cells of earlier launches.
static void drop_stale(struct race_book *b)
{
    for (size_t k = 0; k < b->list.count; k++) {
        struct race_page *p = &b->list.data[k];
        if (race_page_is_of(p, b)) continue;
        b->held -= p->room;
        free(p->cells);
        p->cells = NULL;
        p->room = 0;
    }
}

// Empties a page that the launch has not touched yet. False: the book is full.
static bool begin_page(struct race_book *b, struct race_page *p)
{
    if (b->touched + p->words > RACE_CELLS_MAX) {
        b->overflowed = true;
        return false;
    }
    if (!p->cells) {
        if (b->held + p->words > RACE_CELLS_MAX) drop_stale(b);
        p->cells = heap_alloc(p->words * sizeof *p->cells);
        p->room = p->words;
        b->held += p->room;
    }
    b->touched += p->words;
    p->since = b->start;
    p->by_byte = false;
    return true;
}

struct race_page *race_book_page(struct race_book *b, uint64_t number)
{
    uint32_t index;
    if (!u64map_get(&b->pages, number, &index)) {
        struct race_page fresh = {.words = RACE_PAGE_WORDS, .number = number};
        if (!begin_page(b, &fresh)) return NULL;
        index = (uint32_t)b->list.count;
        vec_push(&b->list, fresh);
        u64map_set(&b->pages, number, index);
        return &b->list.data[index];
    }
    struct race_page *p = &b->list.data[index];
    return race_page_is_of(p, b) || begin_page(b, p) ? p : NULL;
}

// -- shared memory ------------------------------------------------------------------------------------------

struct race_page race_book_shared(struct race_book *b, size_t words, uint32_t now)
{
    struct race_page p = {0};
    if (b->spare.count) p = vec_pop(&b->spare);
    if (p.room < words) {
        free(p.cells);
        p.cells = heap_alloc(words * sizeof *p.cells);
        p.room = words;
    }
    p.words = words;
    p.by_byte = false;
    p.since = now;
    return p;
}

void race_book_give_back(struct race_book *b, struct race_page shared) { vec_push(&b->spare, shared); }

void race_page_divide(struct race_book *b, struct race_page *p, bool is_global)
{
    size_t count = 4 * p->words;
    struct race_cell *bytes = p->cells;
    if (p->room < count) {
        bytes = heap_resize(bytes, count * sizeof *bytes);
        if (is_global) b->held += count - p->room;
        p->room = count;
    }
    for (size_t k = count; k-- > 0;) {
        bytes[k] = bytes[k / 4];
        bytes[k].value = bytes[k].value >> k % 4 * 8 & 0xff;
    }
    p->cells = bytes;
    p->by_byte = true;
    if (is_global) b->touched += 3 * p->words;
}
