// Compressed stack cache: keeps stores of scalars to stacks as scalars (SIMTight, ICCD 2024, III-B).
//
// Stacks are interleaved word by word, so a warp's store of one word a lane fills a line of 128 bytes. A
// line expressible as a scalar becomes an entry, without memory access until eviction. Loads never
// allocate. Nothing is written back at the end: memory under an entry stays stale.
//
//     address  31 ─ 18  17 ─ 7  6 ─ 0           entry   valid · tag 14 · base 32 · stride 2
//              tag      index   in the line              direct-mapped, 2,048 entries
#pragma once
#include "scalar/detector.h"

enum { STACKCACHE_LINE_BYTES = 128 };

struct stackcache_entry {
    uint32_t tag;
    struct scalar_form form;
    bool is_valid;
};

struct stackcache {
    struct stackcache_entry *entries;
    uint32_t count; // a power of two
    uint64_t load_hits, load_misses, stores, written_back;
};

// Result of an access. A write-back goes to memory before the access, as an access of its own.
struct stackcache_outcome {
    bool is_here;      // load: `form` is the value; store: an entry took the scalar. The access skips memory.
    bool written_back; // the entry of address `line` leaves; `victim`: form of its words
    struct scalar_form form, victim;
    uint32_t line;
};

void stackcache_init(struct stackcache *c, uint32_t entries);
void stackcache_fini(struct stackcache *c);
// Load of a group of lanes from a line. is_stack: the line may have an entry; other lines never hit and
// count no miss.
struct stackcache_outcome stackcache_load(struct stackcache *c, uint32_t address, bool is_stack);
// Store of a group of lanes. form: a full-warp store of a scalar, a word a lane, to a stack. NULL: any other
// store, sent to memory behind the write-back of its line's entry, if any.
struct stackcache_outcome stackcache_store(struct stackcache *c, uint32_t address,
                                           const struct scalar_form *form);
uint64_t stackcache_storage_bits(uint32_t entries); // by the paper's accounting: 12 KB for 2,048
