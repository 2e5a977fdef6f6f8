// The parts of UV:
//
//     found.c     instructions that can be uniform
//     uv.c        uniform instructions at run time, and their execution or reuse
//     buffer.c    the reuse buffer
//     store.c     storage of the value of a uniform register
//     coverage.c  lanes, registers and entries covered by checks
//     check.c     errors found by checks
//     upset.c     injected bit flips
#pragma once
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "exec/warp.h"
#include "sm/mech/tech.h"

enum uv_rules { UV_SOUND, UV_PAPER };
enum uv_variant { UV_DARSIE, UV_TOKEN, UV_SRF };         // designs from the dissertation
enum uv_part { UV_OFF, UV_COUNT, UV_ON, UV_AS_VARIANT }; // COUNT: counts only, without any effect
enum uv_store { UV_STORE_LANES, UV_STORE_TOKEN, UV_STORE_SRF, UV_STORE_AS_VARIANT };
enum uv_copy { UV_COPY_ANY, UV_COPY_PAPER };
enum uv_found { UV_FOUND_TOKENS, UV_FOUND_COMPILER, UV_FOUND_TURING };
enum uv_lanes { UV_LANES_ALL, UV_LANES_PRESENT };
enum uv_valid { UV_FROM_RESULT, UV_FROM_ISSUE };

struct uv_options {
    uint32_t entries, ways, words, tag_bits, ports, latency, registers, corrupt;
    int loads, predicates, rules, variant, intra, inter, store, copy, lanes, found, protect, parity,
        value_parity, valid;
};

enum uv_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/uv/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { KEY_WORDS = 20 };
struct key { // the values a result depends on, beside the operation
    uint8_t count;
    uint32_t words[KEY_WORDS];
};

struct entry {
    bool used;
    uint32_t inst; // instruction that filled the entry; a different instruction may have the same tag
    struct key key;
    uint32_t result[4];
    uint8_t preds;      // bit k: value of dst[k], if dst[k] is a predicate
    bool parity;        // parity of key, result and preds at the fill
    uint64_t looked_at; // cycle of the last lookup that found the entry, for coverage
    uint64_t ready;     // cycle of the result; UINT64_MAX: not known yet
    uint64_t last_used; // serial number of the last use
};

// Possible outcome for an instruction with sources of one value. NOT_CANDIDATE: none. BROADCAST: a load
// leaves one value. CANDIDATE, TOO_WIDE: the result is one value; operands and result fit, or do not fit, an
// entry.
enum candidate { NOT_CANDIDATE, BROADCAST, CANDIDATE, TOO_WIDE };

struct uv_launch {
    struct uv_options options; // with the variant's choices filled in
    const struct program *program;
    const struct op *ops;
    uint8_t *candidates; // by instruction: enum candidate. Heap.
    bool verify;
    uint64_t *mismatches;
    const struct upsets *upsets; // NULL: no bit flips
};

struct tokens { // bits: registers and predicates known to have the same value in every lane
    uint64_t registers[4];
    uint8_t predicates;
};
static inline bool uv_has_token(const struct tokens *t, unsigned r)
{
    return t->registers[r / 64] >> r % 64 & 1;
}

enum { UV_WARPS = 64, UV_REGISTERS = 256, UV_NO_SCALAR = 0 };

// Scalar registers, numbered from 1, and the map from warps' registers to scalar registers.
struct scalars {
    uint32_t *words;
    uint16_t *free; // stack of free numbers
    uint32_t count, free_count;
    uint16_t (*map)[UV_REGISTERS]; // [place][r]: scalar register; UV_NO_SCALAR: the value is in the lanes
    bool are_audited;
    const char *broken; // first imbalance found, static text; NULL: none
};

// The last access to a register, for measuring the live time covered by checks.
struct life {
    uint64_t since;
    bool is_protected;
};

struct uv_warp {
    struct warp *warp; // NULL: not started, or ended
    struct tokens tokens;
    unsigned lane;        // lane N, storage of the warp's uniform values with store=token
    uint64_t parities[4]; // bits: parity of registers' values when they were kept, with value-parity=on
};

struct uv {
    struct uv_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct uv_warp warps[UV_WARPS];
    struct entry *entries;
    struct scalars scalars;
    // By warp and register; NULL: with neither protect=on nor injected flips.
    struct life *lives;
    uint64_t serial, port_cycle, hits;
    uint32_t ports_left;
    // State of the issuing instruction. uniform: every source has a single value, every required lane is
    // active, and storage for the result is free. known: an entry has this key. fills: the instruction fills
    // an entry. converted: executes on one lane (protect=on: two). lacks_register: not uniform for want of a
    // scalar register or, with store=token, of lane N.
    bool uniform, known, fills, converted, lacks_register;
    bool same_sources;   // every source is one value
    unsigned words_read; // bits: sources with one value
    uint64_t executing;  // lanes that execute
    struct key key;
    // own: the instruction's entry, found at the lookup. filling: entry being filled. NULL: none.
    struct entry *own, *filling;
};

// Candidates by instruction, to be freed by the caller. Heap.
uint8_t *uv_candidates(const struct uv_launch *v, const struct mark_settings *s, unsigned warp_size);
static inline bool uv_computes(const struct uv *v, uint32_t index)
{
    return v->launch->candidates[index] >= CANDIDATE;
}

// -- lanes --------------------------------------------------------------------------------------------------
static inline uint64_t uv_live(const struct warp *w) // lanes with a thread that has not ended
{
    return w->present & ~w->exited;
}
// Lanes in which the instruction will execute, after the guard.
static inline uint64_t uv_written(const struct warp *w, const struct op *o)
{
    uint64_t guard = w->pred[o->guard];
    return o->is_guarded ? w->active & (o->guard_not ? ~guard : guard) : w->active;
}
static inline uint32_t *uv_lanes(const struct uv *v, unsigned place, unsigned r)
{
    const struct warp *w = v->warps[place].warp;
    return reg_lanes(w->regs, r * w->exec->vector_bytes);
}
// Value of the first live lane.
static inline uint32_t uv_value(const struct uv *v, unsigned place, unsigned r)
{
    uint64_t live = uv_live(v->warps[place].warp);
    return uv_lanes(v, place, r)[live ? bit_lowest(live) : 0];
}
bool uv_lanes_equal(const struct uv *v, unsigned place, unsigned r); // every live lane holds the same value

// -- storage of registers with a token (store.c) ------------------------------------------------------------
void uv_store_begin(struct uv *v);
void uv_store_end(struct uv *v);
void uv_store_warp_end(struct uv *v, unsigned place); // frees the warp's scalar registers
// Whether registers r to r + words - 1 can be kept as a single value each. store=lanes: always. token: if
// lane N is live. srf: if enough scalar registers are free, counting those already held for these registers.
bool uv_store_has_room(const struct uv *v, unsigned place, unsigned r, unsigned words);
// Every live lane holds the same value: keeps a single copy (protect=on: two), and invalidates the lanes.
void uv_store_keep(struct uv *v, unsigned place, unsigned r);
// Invalidates the register's lanes again, except the stored value, after a spread for an instruction to read.
void uv_store_take_back(struct uv *v, unsigned place, unsigned r);
void uv_store_forget(struct uv *v, unsigned place, unsigned r); // the value is in the lanes again
void uv_store_tell(const struct uv *v, unsigned place, struct tech_kept words[TECH_REGISTERS]);
// Writes the value to every live lane, for an instruction to read.
void uv_store_spread(struct uv *v, unsigned place, unsigned r);
// Writes `word` to every live lane.
void uv_store_fill(struct uv *v, unsigned place, unsigned r, uint32_t word);
unsigned uv_store_lane(const struct uv *v, const struct warp *w); // lane N of the warp
// Address of the kept value (copy 0), or of the second copy (copy 1, with protect=on).
uint32_t *uv_store_copy(struct uv *v, unsigned place, unsigned r, unsigned copy);
// With sim.check, at every instruction: checks that used and free scalar registers add up.
void uv_store_audit(struct uv *v);
const char *uv_store_check(const struct uv *v); // at the end; NULL: every audit passed

// -- coverage of checks (coverage.c), if `lives` is not NULL ------------------------------------------------
void uv_coverage_begin(struct uv *v);
void uv_coverage_warp(struct uv *v, unsigned place); // at the warp's start and end
void uv_coverage_read(struct uv *v, unsigned place, uint32_t index);
// A register is read for a move to all lanes; from now on the lanes hold the value.
void uv_coverage_copied(struct uv *v, unsigned place, uint32_t index, unsigned r);
void uv_coverage_written(struct uv *v, unsigned place, const struct op *o, bool is_protected);
void uv_coverage_executed(struct uv *v, const struct op *o, bool is_protected); // executed or reused
// number of executing lanes of an ALU instruction; 0 for other instructions
uint64_t uv_coverage_lanes(const struct uv *v, const struct op *o);
// Counts the entry's cycles up to this lookup, from the last lookup or from the cycle of the result.
void uv_coverage_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e);

// -- errors found by checks (check.c) -----------------------------------------------------------------------
struct uv_pair { // the lanes that compute for the warp
    unsigned first, second;
};
struct uv_pair uv_pair(const struct uv *v, unsigned place);
void uv_found(struct uv *v); // counts an error
// Takes the result of a single lane (protect=on: compares two lanes) for the warp.
void uv_check_lanes(struct uv *v, unsigned place, uint32_t index);
// The kept value of register r, for a read. protect=on compares the two copies; value-parity=on compares the first
// copy's parity and, where the copies differ, repairs the one with the wrong parity.
uint32_t uv_checked_value(struct uv *v, unsigned place, unsigned r);
bool uv_parity(const struct entry *e);
bool uv_is_sound(struct uv *v, const struct entry *e); // compares the parity bit

// -- injected bit flips (upset.c); no effect without wf_set_upsets ------------------------------------------
void uv_upset_lanes(struct uv *v, unsigned place, uint32_t index); // results of lanes after execution
// If an injected flip is due: flips a bit of the entry's result, before the result is taken.
void uv_upset_reused(struct uv *v, unsigned place, uint32_t index, struct entry *e);
void uv_upset_register(struct uv *v, unsigned place, uint32_t index, unsigned r, uint64_t from,
                       uint64_t cycles);
void uv_upset_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e, uint64_t from,
                    uint64_t cycles);

// Sets v->key to the values the issuing instruction's result depends on.
void uv_set_key(struct uv *v, unsigned place, uint32_t index);
// The instruction's entry, if its key is v->key, its result is ready (not needed with valid=issue) and a port
// is free. NULL otherwise, or after a parity error. Counts the lookup, and sets v->own and v->known.
struct entry *uv_look_up(struct uv *v, unsigned place, uint32_t index);
// An entry of the set for the instruction just looked up: its own, a free entry, or the least recently used.
struct entry *uv_make_entry(struct uv *v, uint32_t index);

static inline bool uv_keeps(const struct uv *v) { return v->launch->options.store != UV_STORE_LANES; }
// Whether a read of a kept value finds an error in it: by a second copy or by parity.
static inline bool uv_checks_values(const struct uv *v)
{
    return v->launch->options.protect || (v->launch->options.value_parity && uv_keeps(v));
}
static inline void uv_mismatch(const struct uv *v)
{
    __atomic_add_fetch(v->launch->mismatches, 1, __ATOMIC_RELAXED);
}
