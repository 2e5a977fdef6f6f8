// Memory of the race detector: records, and pages of cells, kept from launch to launch.
#include "exec/race_book.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RACE_CELLS_MAX = 16 << 20,
    // Cells of a slab: as many as all before, from LEAST to MOST, but between SMALL and LARGE as many as LARGE. From LARGE
    // (4 MB) on in pages of 2 MiB: a tenth of the faults' time (measured: pathfinder).
    SLAB_LEAST = 4 * RACE_PAGE_WORDS,
    SLAB_SMALL = 256 * RACE_PAGE_WORDS,
    SLAB_LARGE = 1024 * RACE_PAGE_WORDS,
    SLAB_MOST = 4096 * RACE_PAGE_WORDS,
    NUMBERS = UINT32_MAX / WARP_SIZE_MAX,
    RECORDS_LEAST = 1 << 13 // 200 KB, which fit into a cache
};
#define NOT_IN_USE UINT32_MAX // as a page's `since`

// -- records ------------------------------------------------------------------------------------------------

// A renumbering takes time by cells held, and comes after half as many records.
static void set_most(struct race_book *b)
{
    size_t most = 2 * b->records.count, by_cells = (size_t)(b->held + b->shared_held) / 2;
    most = most > by_cells ? most : by_cells;
    most = most > RECORDS_LEAST ? most : RECORDS_LEAST;
    b->records_most = most < NUMBERS - b->first ? most : NUMBERS - b->first;
}

// Accesses of a page's cells: the first three arrays.
static size_t accesses_of(const struct race_page *p) { return 3 * race_page_cells(p); }

static bool is_one_record(uint32_t a, uint32_t b) { return (a ^ b) < WARP_SIZE_MAX; }

// Neighbouring cells often have accesses of one record.
static void mark(const struct race_book *b, const struct race_page *p, uint32_t *number)
{
    uint32_t last = 0;
    for (size_t k = 0; k < accesses_of(p); k++) {
        uint32_t access = p->memory[k];
        if (access <= p->since || is_one_record(access, last)) continue;
        number[access / WARP_SIZE_MAX - b->first] = 1;
        last = access;
    }
}

static void move(const struct race_book *b, struct race_page *p, const uint32_t *number)
{
    uint32_t last = 0, first = 0; // an access of the record moved last, and the record's access 0 now
    for (size_t k = 0; k < accesses_of(p); k++) {
        uint32_t access = p->memory[k];
        if (access > p->since && !is_one_record(access, last)) {
            last = access;
            first = number[access / WARP_SIZE_MAX - b->first] * WARP_SIZE_MAX;
        }
        p->memory[k] = access > p->since && first ? first + access % WARP_SIZE_MAX : 0;
    }
    size_t behind = 3 * p->room - accesses_of(p); // of an earlier division
    memset(p->memory + accesses_of(p), 0, behind * sizeof *p->memory);
    p->since = 0;
}

static size_t bytes_of(size_t cells) { return cells * RACE_CELL_WORDS * sizeof(uint32_t); }

static void clear(struct race_page *p)
{
    if (p->memory) memset(p->memory, 0, bytes_of(p->room));
    p->since = NOT_IN_USE;
}

static void mark_all(const struct race_book *b, uint32_t *number)
{
    for (size_t k = 0; k < b->list.count; k++)
        if (race_page_is_of(b->list.data[k], b)) mark(b, b->list.data[k], number);
    for (size_t k = 0; k < b->shared.count; k++)
        if (b->shared.data[k]->since != NOT_IN_USE) mark(b, b->shared.data[k], number);
}

static void move_all(struct race_book *b, const uint32_t *number)
{
    for (size_t k = 0; k < b->list.count; k++) {
        struct race_page *p = b->list.data[k];
        race_page_is_of(p, b) ? move(b, p, number) : clear(p);
    }
    for (size_t k = 0; k < b->shared.count; k++) {
        struct race_page *p = b->shared.data[k];
        p->since != NOT_IN_USE ? move(b, p, number) : clear(p);
    }
    for (size_t k = 0; k < b->unused.count; k++) memset(b->unused.data[k], 0, bytes_of(RACE_PAGE_WORDS));
}

// Drops records without a cell of the launch, and numbers the rest from 1. Too many: drops all.
static void renumber(struct race_book *b)
{
    size_t count = b->records.count;
    uint32_t kept = 0, *number;
    vec_reserve(&b->numbers, count + 1);
    number = memset(b->numbers.data, 0, count * sizeof *number);
    mark_all(b, number);
    for (size_t k = 0; k < count; k++)
        if (number[k]) {
            b->records.data[kept++] = b->records.data[k];
            number[k] = kept;
        }
    if (kept > NUMBERS - RECORDS_LEAST) {
        memset(number, 0, count * sizeof *number);
        kept = 0;
        b->overflowed = true;
    }
    move_all(b, number);
    b->records.count = kept;
    b->first = 1;
    b->start = 0;
    set_most(b);
}

// No number of an access is higher.
static uint32_t last_access(const struct race_book *b)
{
    return (b->first + (uint32_t)b->records.count) * WARP_SIZE_MAX - 1;
}

uint32_t race_book_add(struct race_book *b, const struct race_record *r)
{
    if (b->records.count >= b->records_most) renumber(b);
    vec_push(&b->records, *r);
    return (b->first + (uint32_t)b->records.count - 1) * WARP_SIZE_MAX;
}

// -- books --------------------------------------------------------------------------------------------------

// No access so far is of the launch that begins.
static void begin_numbers(struct race_book *b)
{
    b->first += (uint32_t)b->records.count + 1;
    b->records.count = 0;
    b->start = b->first * WARP_SIZE_MAX - 1;
    if (b->first > NUMBERS / 2) renumber(b);
    set_most(b);
}

struct race_book *race_book_take(struct race_book **spare)
{
    struct race_book *b = spare ? *spare : NULL;
    if (spare) *spare = NULL;
    if (!b) b = heap_alloc(sizeof *b);
    begin_numbers(b);
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
        munmap(b->slabs.data[k].memory, bytes_of(b->slabs.data[k].room));
    for (size_t k = 0; k < b->list.count; k++) {
        free(b->list.data[k]->published);
        free(b->list.data[k]);
    }
    for (size_t k = 0; k < b->shared.count; k++) {
        free(b->shared.data[k]->memory);
        free(b->shared.data[k]->published);
        free(b->shared.data[k]);
    }
    vec_fini(&b->records);
    vec_fini(&b->numbers);
    vec_fini(&b->slabs);
    vec_fini(&b->unused);
    vec_fini(&b->list);
    vec_fini(&b->shared);
    vec_fini(&b->spare);
    u64map_fini(&b->pages);
    free(b);
}

// -- global memory ------------------------------------------------------------------------------------------

static size_t slab_cells(uint64_t held)
{
    if (held < SLAB_LEAST) return SLAB_LEAST;
    if (held < SLAB_SMALL) return held;
    if (held < SLAB_LARGE) return SLAB_LARGE;
    return held < SLAB_MOST ? held : SLAB_MOST;
}

static void add_slab(struct race_book *b)
{
    size_t cells = slab_cells(b->held), bytes = bytes_of(cells);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) wf_heap_exhausted(bytes);
#ifdef MADV_HUGEPAGE
    if (cells >= SLAB_LARGE) madvise(p, bytes, MADV_HUGEPAGE); // refused: small pages
#endif
    vec_push(&b->slabs, (struct race_slab){.memory = p, .room = cells});
}

// Cells of `pages` pages, zero.
static uint32_t *take_cells(struct race_book *b, size_t pages)
{
    size_t count = pages * RACE_PAGE_WORDS;
    if (!b->slabs.count || vec_last(&b->slabs).room - vec_last(&b->slabs).used < count) add_slab(b);
    struct race_slab *s = &b->slabs.data[b->slabs.count - 1];
    s->used += count;
    b->held += count;
    return s->memory + (s->used - count) * RACE_CELL_WORDS;
}

static void leave_cells(struct race_book *b, struct race_page *p)
{
    if (p->room > RACE_PAGE_WORDS) memset(p->memory, 0, bytes_of(p->room)); // values are no accesses
    for (size_t k = 0; k < p->room; k += RACE_PAGE_WORDS)
        vec_push(&b->unused, p->memory + k * RACE_CELL_WORDS);
    p->memory = NULL;
    p->room = 0;
}

static void lay_out(struct race_page *p)
{
    size_t cells = race_page_cells(p);
    p->cells =
        (struct race_cells){p->memory, {p->memory + cells, p->memory + 2 * cells}, p->memory + 3 * p->room};
}

static void begin_accesses(struct race_page *p, uint32_t since)
{
    free(p->published);
    p->published = NULL;
    p->since = since;
    p->by_byte = false;
    if (p->memory) lay_out(p);
}

// Empties a page that the launch has not touched yet. False: the book is full.
static bool begin_page(struct race_book *b, struct race_page *p)
{
    if (b->touched + p->words > RACE_CELLS_MAX) {
        b->overflowed = true;
        return false;
    }
    if (!p->memory && !b->unused.count && b->held + p->words > RACE_CELLS_MAX)
        for (size_t k = 0; k < b->list.count; k++)
            if (!race_page_is_of(b->list.data[k], b)) leave_cells(b, b->list.data[k]);
    if (!p->memory) {
        p->memory = b->unused.count ? vec_pop(&b->unused) : take_cells(b, 1);
        p->room = p->words;
    }
    b->touched += p->words;
    begin_accesses(p, b->start);
    return true;
}

struct race_page *race_book_page(struct race_book *b, uint64_t number)
{
    uint32_t index;
    if (!u64map_get(&b->pages, number, &index)) {
        if (b->touched + RACE_PAGE_WORDS > RACE_CELLS_MAX) {
            b->overflowed = true;
            return NULL;
        }
        struct race_page *fresh = heap_alloc(sizeof *fresh);
        fresh->words = RACE_PAGE_WORDS;
        fresh->number = number;
        u64map_set(&b->pages, number, (uint32_t)b->list.count);
        vec_push(&b->list, fresh);
        begin_page(b, fresh);
        return fresh;
    }
    struct race_page *p = b->list.data[index];
    return race_page_is_of(p, b) || begin_page(b, p) ? p : NULL;
}

// -- shared memory ------------------------------------------------------------------------------------------

struct race_page *race_book_shared(struct race_book *b, size_t words)
{
    if (!b->spare.count) {
        vec_push(&b->shared, (struct race_page *)heap_alloc(sizeof(struct race_page)));
        vec_push(&b->spare, vec_last(&b->shared));
    }
    struct race_page *p = vec_pop(&b->spare);
    if (p->room < words) {
        free(p->memory);
        p->memory = heap_alloc(bytes_of(words));
        b->shared_held += words - p->room;
        p->room = words;
    }
    p->words = words;
    begin_accesses(p, last_access(b));
    return p;
}

void race_book_settle(const struct race_book *b, struct race_page *shared) { shared->since = last_access(b); }

void race_book_give_back(struct race_book *b, struct race_page *shared)
{
    shared->since = NOT_IN_USE;
    vec_push(&b->spare, shared);
}

// -- pages --------------------------------------------------------------------------------------------------

void race_page_publish(struct race_page *p, size_t cell, uint32_t time)
{
    if (time <= race_page_published(p, cell)) return;
    if (!p->published) p->published = heap_alloc((p->by_byte ? 4 : 1) * p->words * sizeof *p->published);
    p->published[cell] = time;
}

// From the last cell to the first, since `to` may be the page's memory.
static void divide(struct race_page *p, uint32_t *to)
{
    size_t words = p->words;
    for (size_t k = 3 * 4 * words; k-- > 0;) to[k] = p->memory[k / 4];
    uint32_t *value = to == p->memory ? p->cells.value : to + 12 * words;
    for (size_t k = 4 * words; k-- > 0;) value[k] = p->cells.value[k / 4] >> k % 4 * 8 & 0xff;
    if (!p->published) return;
    p->published = heap_resize(p->published, 4 * words * sizeof *p->published);
    for (size_t k = 4 * words; k-- > 0;) p->published[k] = p->published[k / 4];
}

void race_page_divide(struct race_book *b, struct race_page *p, bool is_global)
{
    size_t room = 4 * p->words;
    uint32_t *bytes = p->memory;
    if (p->room < room) bytes = is_global ? take_cells(b, 4) : heap_resize(NULL, bytes_of(room));
    divide(p, bytes);
    if (bytes != p->memory) {
        if (is_global) {
            memset(p->memory, 0, bytes_of(p->room)); // accesses of this launch
            leave_cells(b, p);
        } else {
            free(p->memory);
            b->shared_held += room - p->room;
        }
        p->memory = bytes;
        p->room = room;
    }
    if (is_global) b->touched += 3 * p->words;
    p->by_byte = true;
    lay_out(p);
}
