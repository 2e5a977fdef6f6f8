// Pages of bits, found by number.
#include "check/written.h"

#include <string.h>

enum { PAGE_WORDS = WRITTEN_PAGE / 64 };

void written_fini(struct written *w)
{
    for (size_t k = 0; k < w->list.count; k++) free(w->list.data[k]);
    vec_fini(&w->list);
    u64map_fini(&w->pages);
    *w = (struct written){0};
}

uint64_t *written_page(struct written *w, uint64_t number, bool is_made)
{
    uint32_t index;
    if (!u64map_get(&w->pages, number, &index)) {
        if (!is_made) return NULL;
        index = (uint32_t)w->list.count;
        vec_push(&w->list, heap_alloc(PAGE_WORDS * sizeof(uint64_t)));
        u64map_set(&w->pages, number, index);
    }
    w->last = number;
    return w->bits = w->list.data[index];
}

// Bytes from `address` to the end of its word of bits, at most `bytes`.
static unsigned step_of(uint64_t address, uint64_t bytes)
{
    uint64_t room = 64 - address % 64;
    return (unsigned)(bytes < room ? bytes : room);
}

void written_mark(struct written *w, uint64_t address, uint64_t bytes)
{
    for (unsigned step; bytes; bytes -= step, address += step) {
        step = step_of(address, bytes);
        *written_word(w, address, true) |= written_bits(address, step);
    }
}

void written_forget(struct written *w, uint64_t address, uint64_t bytes)
{
    for (unsigned step; bytes; bytes -= step, address += step) {
        step = step_of(address, bytes);
        uint64_t *word = written_word(w, address, false);
        if (word) *word &= ~written_bits(address, step);
    }
}

static bool is_written(struct written *w, uint64_t address)
{
    const uint64_t *word = written_word(w, address, false);
    return word && *word & written_bits(address, 1);
}

void written_copy(struct written *w, uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint64_t n = 0; n < bytes; n++)
        if (is_written(w, from + n))
            written_mark(w, to + n, 1);
        else
            written_forget(w, to + n, 1);
}
