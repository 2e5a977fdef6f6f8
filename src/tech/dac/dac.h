// The parts of DAC-IDEAL: the affine stream of a block, and the tuples known to the block's warps.
//
//     fetch ── lookup ─▶ skip                 (stream.c)  an instance executed by the stream: next PC
//     I-buffer ─ order ─▶ lead, skip, own     (stream.c)  in program order, not past an unissued branch
//     … issue ─ expand ─▶ execute             (lanes.c)   lanes are computed from tuples at the read
//
//     warp:   front: after all ordered instructions      back: after all issued instructions
//             tuples of registers and predicates; a register without a tuple is a vector of the warp's own
#pragma once
#include "base/vec.h"
#include "exec/warp.h"
#include "tech/dac/tuple.h"
#include "tech/registry.h"

enum dac_predicates { PREDICATES_OFF, PREDICATES_UNIFORM, PREDICATES_AFFINE };
enum dac_tuples { TUPLES_THREADS, TUPLES_LANES };
enum dac_loads { LOADS_OFF, LOADS_CONSTANT, LOADS_UNIFORM };
struct dac_options {
    uint32_t instances, corrupt;
    int predicates, loads, tuples;
};

enum dac_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/dac/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { KEY_MAX = 8, LINES = 64, DST_MAX = 4, BLOCKS = 64, WARPS = 64 };

// COMPUTES: computed from the sources, constant loads included; in the affine stream if the results are
// affine. LOADS: another load; in the affine stream if its address is uniform and all lanes of the warp load
// one value.
enum candidate { NOT_CANDIDATE, COMPUTES, LOADS };

struct dac_launch {
    const struct dac_options *options;
    const struct program *program;
    const struct op *ops;
    struct threads threads;
    uint8_t *candidates; // by instruction: enum candidate
    // by instruction: reads a special register whose value may differ between the block's threads
    bool *thread_dependent;
    // by instruction: a control instruction; the warp's younger instructions get a role (enum role) only
    // after its issue
    bool *blocks;
    bool verify;
    uint64_t *mismatches;
};

// Results of an instruction of the affine stream: tuples of registers, and predicates. A predicate has one
// value for the block, or is expanded for each warp.
struct outcome {
    // preds, uniform, value: bit k for predicate dst[k], k = 0 and 1. preds: written. uniform: one value for
    // the block. value: the uniform predicate's value. words: number of tuples.
    uint8_t words, preds, uniform, value;
    struct tuple tuples[DST_MAX];
    uint64_t *masks; // [k][warp]: lanes with predicate dst[k] true. Heap; NULL: none varies.
};

// An attempt of the affine stream to execute an instruction once for all warps of a block. affine == false:
// the result is not affine, so each warp with the same sources must issue the instruction.
struct instance {
    bool affine;
    uint8_t key_count, key_preds; // key_preds: bit k: value of predicate k, if read
    struct tuple key[KEY_MAX];    // tuples of the registers read
    struct outcome outcome;
};

// What the search for an instance looks at first.
struct instance_row {
    uint64_t passed; // bits: warps of the block that have taken the instance or passed it by
    uint64_t hash;   // of the sources' values, registers and predicates
    struct instance *instance;
};

struct dac_block {
    uint64_t live;                        // bits: warps of the block that have not ended
    VEC(struct instance_row) * instances; // by instruction, oldest first
};

struct known { // registers with known tuples, predicates with known values
    uint64_t registers[4];
    uint64_t pending[4];    // bits: registers whose lanes in the warp do not hold the tuple's values yet
    uint8_t preds, uniform; // preds: known predicates; uniform: known ones with one value for the block
    uint64_t masks[8];      // values of known predicates in this warp, by lane
    struct tuple tuples[256];
};

enum role { ROLE_OWN, ROLE_LEADER, ROLE_SKIPPED };
struct line { // an instruction fetched or skipped, and not yet issued or passed
    uint32_t pc;
    uint8_t role;
    bool writes; // the guard was true
    struct outcome outcome;
    uint64_t masks[2]; // [k]: values of predicate dst[k] in this warp's lanes, if not uniform
};

struct dac_warp {
    uint8_t block, index;     // number of the block on the SM; number of the warp within its block
    struct line lines[LINES]; // ring
    uint32_t first, count, ordered;
    uint32_t blocking; // number of ordered and unissued control instructions
    struct known front, back;
};

struct dac {
    struct dac_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct dac_block blocks[BLOCKS];
    struct dac_warp *warps;
    // Bits by place of a warp: fetch has found nothing more to skip. Cleared when the warp proceeds, or when
    // the warp's block creates an instance, an execution of an instruction for the whole block.
    uint64_t looked_at;
    uint32_t *values; // an instruction's results in all threads of a block, while examined for a tuple
    uint64_t led;
    VEC(struct instance *) spare; // no block's
};

static inline struct line *line_at(struct dac_warp *w, uint32_t n)
{
    return &w->lines[(w->first + n) % LINES];
}
static inline unsigned index_in_block(const struct dac *d, unsigned place) { return d->warps[place].index; }
static inline struct dac_block *block_of(struct dac *d, unsigned place)
{
    return &d->blocks[d->warps[place].block];
}
static inline void look_again(struct dac *d, unsigned place) { d->looked_at &= ~(1ull << place); }
// Whether all lanes with a thread not yet ended are active.
static inline bool is_whole(const struct warp *w) { return w->active == (w->present & ~w->exited); }
static inline bool is_known(const struct known *k, unsigned r) { return k->registers[r / 64] >> r % 64 & 1; }

// After an execution by the warp itself: the results are vectors, without known tuples or known predicate
// values.
static inline void forget_results(struct known *k, const struct op *o)
{
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words; r++) {
        k->registers[r / 64] &= ~(1ull << r % 64);
        k->pending[r / 64] &= ~(1ull << r % 64);
    }
    k->preds &= (uint8_t)~o->pred_writes;
    k->uniform &= (uint8_t)~o->pred_writes;
}

// -- stream.c
uint64_t dac_fetch(void *state, uint64_t fetchable);
uint32_t dac_fetched(void *state, unsigned place, uint32_t pc, uint32_t *count, uint32_t most);
void dac_flushed(void *state, unsigned place);
void dac_issued(void *state, unsigned place, uint32_t index);
void dac_warp_end(void *state, unsigned place);
void dac_forget(struct dac *d, struct dac_block *b); // drops all instances of the block

// -- evaluate.c
// Executes the instruction for the block from the tuples in e->key. Sets e->affine and e->outcome.
void dac_evaluate(struct dac *d, unsigned place, uint32_t pc, struct instance *e);
// Whether the load, executed now by the warp, would return the instance's value. False also if the load
// cannot execute now.
bool dac_loads_the_same(struct dac *d, unsigned place, uint32_t pc, const struct instance *e);

// -- lanes.c
void dac_reads(void *state, unsigned place, uint32_t index);
void dac_executed(void *state, unsigned place, uint32_t index);
bool dac_leads(void *state, unsigned place, uint32_t index);
void dac_saved(void *state, unsigned place, uint32_t index, enum tech_saving what);
// Updates the known tuples and predicates after an instruction of the affine stream: adds the results, if the
// guard was true.
void dac_learn(const struct dac *d, struct known *k, const struct line *l);
// Updates the known tuples and predicates after any instruction. Results of the warp's own execution are
// unknown.
static inline void learn(const struct dac *d, struct known *k, const struct line *l)
{
    if (l->role == ROLE_OWN)
        forget_results(k, &d->launch->ops[l->pc]);
    else
        dac_learn(d, k, l);
}
void dac_verify(struct dac *d, unsigned place, const struct line *l);
