// Bytes of an address space that have been written: a bit per byte, in pages made at the first write.
#pragma once
#include "base/hash.h"

enum { WRITTEN_PAGE = 1 << 16 }; // bytes of memory per page; 64 bytes per word of bits

struct written {
    struct u64map pages; // page number -> index in list
    VEC(uint64_t *) list;
    uint64_t last;  // number of the page found last; with bits NULL: none
    uint64_t *bits; // of the page
};

void written_fini(struct written *w);
uint64_t *written_page(struct written *w, uint64_t number,
                       bool is_made); // NULL: no byte of the page is written
void written_mark(struct written *w, uint64_t address, uint64_t bytes);
void written_forget(struct written *w, uint64_t address, uint64_t bytes);
// Bytes [to, to + bytes) become written where the bytes at `from` are. The ranges do not overlap.
void written_copy(struct written *w, uint64_t to, uint64_t from, uint64_t bytes);

// Bits of an access of at most 64 bytes inside a word of bits, at address modulo 64.
static inline uint64_t written_bits(uint64_t address, unsigned bytes)
{
    return (bytes >= 64 ? ~0ull : (1ull << bytes) - 1) << address % 64;
}

// Word of bits of an address; NULL: no byte near the address is written (is_made: made).
static inline uint64_t *written_word(struct written *w, uint64_t address, bool is_made)
{
    uint64_t number = address / WRITTEN_PAGE;
    uint64_t *bits = w->bits && w->last == number ? w->bits : written_page(w, number, is_made);
    return bits ? bits + address % WRITTEN_PAGE / 64 : NULL;
}
