// DAC-IDEAL inside: the affine stream of a block, and what its warps know of it.
//
//     fetch ── lookup ─▶ skip               (stream.c)  an instance the stream has executed: on to the next
//     PC I-buffer ─ order ─▶ lead, skip, own   (stream.c)  in program order, not past an unissued branch …
//     issue ─ expand ─▶ execute           (lanes.c)   lanes are made from tuples where they are read
//
//     warp:   front ─ after all that was ordered      back ─ after all that has issued
//             tuples of registers and predicates, or "a vector of the warp's own"
#pragma once
#include "base/vec.h"
#include "exec/exec_impl.h"
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

// What may be affine where its sources are: a function of them, or a load that reads one value.
enum candidate { NOT_CANDIDATE, COMPUTES, LOADS };

struct dac_launch {
    const struct dac_options *options;
    const struct program *program;
    const struct op *ops;
    struct threads threads;
    uint8_t *candidates;    // by instruction: enum candidate
    bool *thread_dependent; // reads a special register that differs between threads
    bool *blocks;           // nothing behind it is ordered before it has issued
    bool verify;
    uint64_t *mismatches;
};

// What an instruction of the affine stream writes: tuples of registers, and predicates, either one value for
// the block or expanded for each warp.
struct outcome {
    uint8_t words, preds, uniform, value; // preds …: a bit for each of dst[0] and dst[1]
    struct tuple tuples[DST_MAX];
    uint64_t *masks; // of predicates that are not uniform: [dst][warp]
};

// One execution of an instruction for a block, or the knowledge that its result is not affine.
struct instance {
    uint64_t passed; // warps that have been there
    bool affine;
    uint8_t key_count, key_preds; // values of the predicates it reads
    struct tuple key[KEY_MAX];    // of the registers it reads
    struct outcome outcome;
};

struct dac_block {
    uint64_t live;                    // warps of the block that have not ended
    VEC(struct instance) * instances; // by instruction, oldest first
};

struct known { // tuples
    uint64_t registers[4];
    uint64_t pending[4];    // bits: of these the warp's own lanes do not hold the tuple yet
    uint8_t preds, uniform; // bits
    uint64_t masks[8];      // of predicates, for this warp
    struct tuple tuples[256];
};

enum role { ROLE_OWN, ROLE_LEADER, ROLE_SKIPPED };
struct line { // an instruction that has been fetched or skipped and has not issued
    uint32_t pc;
    uint8_t role;
    bool writes; // its guard was true
    struct outcome outcome;
    uint64_t masks[2]; // this warp's
};

struct dac_warp {
    uint8_t block, index;     // where it is
    struct line lines[LINES]; // ring
    uint32_t first, count, ordered;
    uint32_t blocking; // of those ordered: that decide what comes next
    struct known front, back;
};

struct dac {
    struct dac_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct dac_block blocks[BLOCKS];
    struct dac_warp *warps;
    uint64_t looked_at; // bits by place: nothing is to be skipped where it is fetched; until it goes on, or
                        // its block makes an instance
    uint32_t *values;   // of a block, while a result is looked at
    uint64_t led;
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
// All lanes that are left are here.
static inline bool is_whole(const struct warp *w) { return w->active == (w->present & ~w->exited); }
static inline bool is_known(const struct known *k, unsigned r) { return k->registers[r / 64] >> r % 64 & 1; }

// The warp wrote a vector of its own.
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
void dac_forget(struct dac_block *b, uint32_t inst_count); // all instances

// -- evaluate.c
// What the instruction makes of these tuples, for all threads of the block.
void dac_evaluate(struct dac *d, unsigned place, uint32_t pc, struct instance *e);
// Whether the warp would load now what the instance says.
bool dac_loads_the_same(struct dac *d, unsigned place, uint32_t pc, const struct instance *e);

// -- lanes.c
void dac_reads(void *state, unsigned place, uint32_t index);
void dac_executed(void *state, unsigned place, uint32_t index);
bool dac_leads(void *state, unsigned place, uint32_t index);
void dac_saved(void *state, unsigned place, uint32_t index, enum tech_saving what);
// What is known after an instruction of the affine stream.
void dac_learn(const struct dac *d, struct known *k, const struct line *l);
static inline void learn(const struct dac *d, struct known *k, const struct line *l) // … and of any other
{
    if (l->role == ROLE_OWN)
        forget_results(k, &d->launch->ops[l->pc]);
    else
        dac_learn(d, k, l);
}
void dac_verify(struct dac *d, unsigned place, const struct line *l);
