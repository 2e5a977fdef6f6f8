// The compressed stack cache: stores of scalars to stacks, kept as scalars (SIMTight, ICCD 2024, III-B).
//
// Stacks are interleaved word by word, so that a warp's store of one word a lane is a line of 128 bytes. A line whose
// words a scalar says is an entry: no access to memory until it has to leave. Lines that are loaded from memory get no
// entry, and nothing is written back at the end: what is in memory then is older than what is here.
//
//     address  31 ─ 18  17 ─ 7  6 ─ 0           entry   valid · tag 14 · base 32 · stride 2
//              tag      index   in the line              direct-mapped, 2,048 of them
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

// What an access comes to. `written_back`: this line goes to memory first, which takes an access of its own.
struct stackcache_outcome {
    bool is_here;      // a load's value is `form`, a store's has gone into an entry; memory is not asked
    bool written_back; // `line`, whose words are `victim`
    struct scalar_form form, victim;
    uint32_t line;
};

void stackcache_init(struct stackcache *c, uint32_t entries);
void stackcache_fini(struct stackcache *c);
// A group of lanes loads from the line. is_stack: it is one that stores could have put here; others hit never, and
// count as no misses.
struct stackcache_outcome stackcache_load(struct stackcache *c, uint32_t address, bool is_stack);
// A group of lanes stores. form: of a store of a scalar, a word a lane, all lanes, to a stack; NULL: of any other, which
// goes to memory, behind the line where that is here.
struct stackcache_outcome stackcache_store(struct stackcache *c, uint32_t address,
                                           const struct scalar_form *form);
uint64_t stackcache_storage_bits(uint32_t entries); // as the paper counts them: 12 KB for 2,048
