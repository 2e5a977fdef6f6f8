// UV inside: which instructions can be uniform (found.c), which are, and what becomes of them (uv.c); the reuse buffer (buffer.c); where the one value of a
// register is kept (store.c); what checks cover (coverage.c), find (check.c) and where bits turn that they are to find (upset.c).
#pragma once
#include "exec/exec_impl.h"
#include "sm/mech/tech.h"

enum uv_rules { UV_SOUND, UV_PAPER };
enum uv_variant { UV_DARSIE, UV_TOKEN, UV_SRF };         // what of the dissertation is there
enum uv_part { UV_OFF, UV_COUNT, UV_ON, UV_AS_VARIANT }; // COUNT: it is counted, and nothing else
enum uv_store { UV_STORE_LANES, UV_STORE_TOKEN, UV_STORE_SRF, UV_STORE_AS_VARIANT };
enum uv_copy { UV_COPY_ANY, UV_COPY_PAPER };
enum uv_found { UV_FOUND_TOKENS, UV_FOUND_COMPILER, UV_FOUND_TURING };
enum uv_lanes { UV_LANES_ALL, UV_LANES_PRESENT };
enum uv_valid { UV_FROM_RESULT, UV_FROM_ISSUE };

struct uv_options {
    uint32_t entries, ways, words, tag_bits, ports, latency, registers, corrupt;
    int loads, predicates, rules, variant, intra, inter, store, copy, lanes, found, protect, parity, valid;
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
    bool parity;        // of key, result and preds, as they were filled in
    uint64_t looked_at; // cycle
    uint64_t ready;     // cycle; UINT64_MAX: not known yet
    uint64_t last_used; // serial
};

// What may come of an instruction whose sources are one value: nothing; a load leaves one value; it computes one value, that an entry
// can hold, or none.
enum candidate { NOT_CANDIDATE, BROADCAST, CANDIDATE, TOO_WIDE };

struct uv_launch {
    struct uv_options options; // what the variant says is put in
    const struct program *program;
    const struct op *ops;
    uint8_t *candidates; // by instruction: enum candidate
    bool verify;
    uint64_t *mismatches;
    const struct upsets *upsets; // NULL: no bit turns
};

struct tokens { // bits: registers and predicates that are the same in every lane
    uint64_t registers[4];
    uint8_t predicates;
};
static inline bool uv_has_token(const struct tokens *t, unsigned r)
{
    return t->registers[r / 64] >> r % 64 & 1;
}

enum { UV_WARPS = 64, UV_REGISTERS = 256, UV_NO_SCALAR = 0 };

// Scalar registers, numbered from 1, and which of them stands for a warp's register.
struct scalars {
    uint32_t *words;
    uint16_t *free; // a stack of numbers
    uint32_t count, free_count;
    uint16_t (*map)[UV_REGISTERS]; // of each warp; UV_NO_SCALAR: the register is in its lanes
    bool are_audited;
    const char *broken; // what has not added up, static text
};

// When a register was written or read last, for what of the time in which it is live it is checked.
struct life {
    uint64_t since;
    bool is_protected;
};

struct uv_warp {
    struct warp *warp; // NULL: it has not started, or has ended
    struct tokens tokens;
    unsigned lane; // N
};

struct uv {
    struct uv_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct uv_warp warps[UV_WARPS];
    struct entry *entries;
    struct scalars scalars;
    struct life *lives; // by warp and register; NULL: nobody asks, neither checks nor bits that turn
    uint64_t serial, port_cycle, hits;
    uint32_t ports_left;
    // Of the instruction that is issuing.
    // All sources are the same in every lane, and it has all lanes; another warp is computing it, and an entry waits for that;
    // it is to have an entry; one lane executes it.
    bool uniform, known, fills, converted, lacks_register;
    bool same_sources;   // they are the same in every lane
    unsigned words_read; // bits: sources that are one value
    uint64_t executing;  // lanes
    struct key key;
    struct entry *own, *filling; // that there is for it, looked up, and that it fills; NULL
};

// By instruction, for launch_end to free.
uint8_t *uv_candidates(const struct uv_launch *v, const struct mark_settings *s, unsigned warp_size);
static inline bool uv_computes(const struct uv *v, uint32_t index)
{
    return v->launch->candidates[index] >= CANDIDATE;
}

// -- lanes --------------------------------------------------------------------------------------------------
static inline uint64_t uv_live(const struct warp *w) // with a thread that has not ended
{
    return w->present & ~w->exited;
}
static inline uint64_t uv_written(const struct warp *w,
                                  const struct op *o) // that the instruction at hand executes in
{
    uint64_t guard = w->pred[o->guard];
    return o->is_guarded ? w->active & (o->guard_not ? ~guard : guard) : w->active;
}
static inline uint32_t *uv_lanes(const struct uv *v, unsigned place, unsigned r)
{
    const struct warp *w = v->warps[place].warp;
    return reg_lanes(w->regs, r * w->exec->vector_bytes);
}
static inline uint32_t uv_value(const struct uv *v, unsigned place, unsigned r) // of the first live one
{
    uint64_t live = uv_live(v->warps[place].warp);
    return uv_lanes(v, place, r)[live ? bit_lowest(live) : 0];
}
bool uv_lanes_equal(const struct uv *v, unsigned place, unsigned r); // all live ones

// -- where the value of a register with a token is (store.c) ------------------------------------------------
void uv_store_begin(struct uv *v);
void uv_store_end(struct uv *v);
void uv_store_warp_end(struct uv *v, unsigned place); // all that is kept for it is free
// Whether so many registers more can be kept as one value each; with `r`, those from there on are given up for it.
bool uv_store_has_room(const struct uv *v, unsigned place, unsigned r, unsigned words);
void uv_store_keep(struct uv *v, unsigned place,
                   unsigned r); // its lanes have one value: they lose it, but for one or none
void uv_store_take_back(struct uv *v, unsigned place,
                        unsigned r); // spread for somebody to read, it is as before
void uv_store_forget(struct uv *v, unsigned place, unsigned r); // it is in its lanes again
void uv_store_tell(const struct uv *v, unsigned place, struct tech_kept words[TECH_REGISTERS]);
void uv_store_spread(struct uv *v, unsigned place, unsigned r); // into all live lanes, for who reads them
void uv_store_fill(struct uv *v, unsigned place, unsigned r, uint32_t word); // all live lanes
unsigned uv_store_lane(const struct uv *v, const struct warp *w);            // N
// Where the value is, or its second copy (with protect=on).
uint32_t *uv_store_copy(struct uv *v, unsigned place, unsigned r, unsigned copy);
void uv_store_audit(struct uv *v); // with sim.check, at every instruction: what is kept and free adds up
const char *uv_store_check(const struct uv *v); // at the end; NULL: it always has

// -- what is checked (coverage.c): where `lives` are -----------------------------------------------------------
void uv_coverage_begin(struct uv *v);
void uv_coverage_warp(struct uv *v, unsigned place); // it starts, or ends
void uv_coverage_read(struct uv *v, unsigned place, uint32_t index);
// A register is read for its copy, and in all lanes from now on.
void uv_coverage_copied(struct uv *v, unsigned place, uint32_t index, unsigned r);
void uv_coverage_written(struct uv *v, unsigned place, const struct op *o, bool is_protected);
void uv_coverage_executed(struct uv *v, const struct op *o, bool is_protected); // or reused
uint64_t uv_coverage_lanes(const struct uv *v, const struct op *o);             // results that there are
void uv_coverage_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e); // it has been found

// -- what checks find (check.c) -----------------------------------------------------------------------------
struct uv_pair { // of lanes that compute for all
    unsigned first, second;
};
struct uv_pair uv_pair(const struct uv *v, unsigned place);
void uv_found(struct uv *v); // an error
void uv_check_lanes(struct uv *v, unsigned place,
                    uint32_t index); // one has computed, or two that are compared
bool uv_parity(const struct entry *e);
bool uv_is_sound(struct uv *v, const struct entry *e); // as far as a bit of parity says

// -- bits that turn (upset.c); without wf_set_upsets nothing ------------------------------------------------
void uv_upset_lanes(struct uv *v, unsigned place, uint32_t index); // what has executed
void uv_upset_reused(struct uv *v, unsigned place, uint32_t index,
                     struct entry *e); // what is taken from an entry
void uv_upset_register(struct uv *v, unsigned place, uint32_t index, unsigned r, uint64_t from,
                       uint64_t cycles);
void uv_upset_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e, uint64_t from,
                    uint64_t cycles);

// What the result of the instruction that is issuing depends on, into `key`.
void uv_set_key(struct uv *v, unsigned place, uint32_t index);
// The entry with this key, if its result is there and a port is free; counts, and sets `known`.
struct entry *uv_look_up(struct uv *v, unsigned place, uint32_t index);
// An entry for the instruction that was looked up: its own, a free one, or the least recently used.
struct entry *uv_make_entry(struct uv *v, uint32_t index);

static inline bool uv_keeps(const struct uv *v) { return v->launch->options.store != UV_STORE_LANES; }
static inline void uv_mismatch(const struct uv *v)
{
    __atomic_add_fetch(v->launch->mismatches, 1, __ATOMIC_RELAXED);
}
static inline unsigned uv_width(const struct operand *o) { return o->width ? o->width : 1; }
