// Books of the race detector: pages of cells, kept from launch to launch.
#include "exec/race_book.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RACE_CELLS_MAX = 16 << 20,
    SLAB_LEAST = 4 * RACE_PAGE_WORDS,   // cells of the first slab; later slabs are as large as all before
    SLAB_MOST = 1024 * RACE_PAGE_WORDS, // 20 MB
    SLAB_LARGE_BYTES = 4 << 20 // in pages of 2 MiB: a tenth of the faults' time (measured: pathfinder)
};
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
    for (size_t k = 0; k < b->slabs.count; k++)
        munmap(b->slabs.data[k].cells, b->slabs.data[k].room * sizeof(struct race_cell));
    for (size_t k = 0; k < b->spare.count; k++) free(b->spare.data[k].cells);
    vec_fini(&b->slabs);
    vec_fini(&b->unused);
    vec_fini(&b->list);
    vec_fini(&b->spare);
    u64map_fini(&b->pages);
    free(b);
}

// -- global memory ------------------------------------------------------------------------------------------

static void add_slab(struct race_book *b)
{
    size_t cells = b->held < SLAB_LEAST  ? SLAB_LEAST
                   : b->held < SLAB_MOST ? (size_t)b->held
                                         : SLAB_MOST,
           bytes = cells * sizeof(struct race_cell);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) wf_heap_exhausted(bytes);
#ifdef MADV_HUGEPAGE
    if (bytes >= SLAB_LARGE_BYTES) madvise(p, bytes, MADV_HUGEPAGE); // refused: small pages
#endif
    vec_push(&b->slabs, (struct race_slab){.cells = p, .room = cells});
}

// Cells of `pages` pages, zero.
static struct race_cell *take_cells(struct race_book *b, size_t pages)
{
    size_t count = pages * RACE_PAGE_WORDS;
    if (!b->slabs.count || vec_last(&b->slabs).room - vec_last(&b->slabs).used < count) add_slab(b);
    struct race_slab *s = &b->slabs.data[b->slabs.count - 1];
    s->used += count;
    b->held += count;
    return s->cells + s->used - count;
}

static void leave_cells(struct race_book *b, struct race_page *p)
{
    for (size_t k = 0; k < p->room; k += RACE_PAGE_WORDS) vec_push(&b->unused, p->cells + k);
    p->cells = NULL;
    p->room = 0;
}

// Empties a page that the launch has not touched yet. False: the book is full.
static bool begin_page(struct race_book *b, struct race_page *p)
{
    if (b->touched + p->words > RACE_CELLS_MAX) {
        b->overflowed = true;
        return false;
    }
    if (!p->cells && !b->unused.count && b->held + p->words > RACE_CELLS_MAX)
        for (size_t k = 0; k < b->list.count; k++)
            if (!race_page_is_of(&b->list.data[k], b)) leave_cells(b, &b->list.data[k]);
    if (!p->cells) {
        p->cells = b->unused.count ? vec_pop(&b->unused) : take_cells(b, 1);
        p->room = p->words;
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

static void divide(struct race_page *p, struct race_cell *to)
{
    for (size_t k = 4 * p->words; k-- > 0;) {
        to[k] = p->cells[k / 4];
        to[k].value = to[k].value >> k % 4 * 8 & 0xff;
    }
}

void race_page_divide(struct race_book *b, struct race_page *p, bool is_global)
{
    struct race_cell *bytes = p->cells;
    size_t room = 4 * p->words;
    if (p->room < room && is_global)
        bytes = take_cells(b, 4);
    else if (p->room < room)
        bytes = p->cells = heap_resize(p->cells, room * sizeof *bytes);
    divide(p, bytes);
    if (bytes != p->cells) {
        memset(p->cells, 0, p->room * sizeof *p->cells); // records of this launch
        leave_cells(b, p);
    }
    p->cells = bytes;
    p->room = p->room < room ? room : p->room;
    p->by_byte = true;
    if (is_global) b->touched += 3 * p->words;
}
