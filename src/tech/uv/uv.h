// UV inside: tokens of registers (uv.c) and the reuse buffer (buffer.c).
#pragma once
#include "exec/exec_impl.h"
#include "gpu/tech.h"

enum uv_rules { UV_SOUND, UV_PAPER };
struct uv_options {
    uint32_t entries, ways, words, tag_bits, ports, latency, corrupt;
    int loads, predicates, rules;
};

enum uv_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/uv/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { KEY_WORDS = 20 };
struct key { // what a result depends on beside the operation
    uint8_t count;
    uint32_t words[KEY_WORDS];
};

struct entry {
    bool used;
    uint32_t inst; // a later one with the same tag may be another
    struct key key;
    uint32_t result[4];
    uint8_t preds;      // bits, of dst[0] and dst[1]
    uint64_t ready;     // cycle; UINT64_MAX: not known yet
    uint64_t last_used; // serial
};

enum candidate { NOT_CANDIDATE, CANDIDATE, TOO_WIDE };

struct uv_launch {
    const struct uv_options *options;
    const struct program *program;
    const struct op *ops;
    uint8_t *candidates; // by instruction: enum candidate
    bool verify;
    uint64_t *mismatches;
};

struct tokens { // bits: registers and predicates that are the same in every lane
    uint64_t registers[4];
    uint8_t predicates;
};

struct uv {
    struct uv_launch *launch;
    struct sm_grid *sm;
    uint64_t *counters;
    struct tokens warps[64];
    struct entry *entries;
    uint64_t serial, port_cycle, hits;
    uint32_t ports_left;
    // Of the instruction that is issuing.
    // All sources are the same in every lane; another warp is computing it, and an entry waits for that; it is
    // to have an entry.
    bool uniform, known, fills;
    struct key key;
    struct entry *filling;
};

// What the result of the instruction that is issuing depends on, into `key`.
void uv_set_key(struct uv *v, unsigned slot, uint32_t index);
// The entry with this key, if its result is there and a port is free; counts, and sets `known`.
struct entry *uv_look_up(struct uv *v, uint32_t index);
// An entry for the instruction: its own, a free one, or the least recently used.
struct entry *uv_make_entry(struct uv *v, uint32_t index);

static inline unsigned uv_width(const struct operand *o) { return o->width ? o->width : 1; }
