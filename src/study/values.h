// Register contents of warps as seen by studies: a hash of the values, and the pattern over the lanes.
// Computed once at a register write, looked up at reads.
//
// The hash is NH twice with different keys (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999: UMAC): a sum of
// products of word pairs, which vectorises. Two different vectors collide with a probability of about 2^-64.
#pragma once
#include "base/arena.h"
#include "exec/observe.h"

struct inst;
struct program;

enum pattern { PATTERN_UNIFORM, PATTERN_AFFINE, PATTERN_OTHER, PATTERN_COUNT }; // stronger first

struct value {
    uint64_t hash; // of all lanes; absent ones are zero
    uint32_t base, stride;
    // enum pattern; uniform, affine: every lane l with a thread holds base + l * stride (mod 2^32). After
    // values_by_row, affine may also mean base + (l mod x) * stride.
    uint32_t pattern;
};

// Sets *v to hash and pattern of a register vector with 32 or 64 lanes, of which the first `lanes` have
// threads.
void value_of(const uint32_t *vector, unsigned vector_lanes, unsigned lanes, struct value *v);

// Role of an instruction, when several warps repeat it.
enum value_role {
    ROLE_RESULT,  // only writes registers or predicates: one execution can serve many warps
    ROLE_CONTROL, // branches, calls, exits
    ROLE_EFFECT   // stores, atomics, barriers, fences, output: must happen for every warp
};

// Operands of an instruction, determined once per kernel. RZ, PT, constants and immediates are left out.
struct value_op {
    // Numbers of the registers read, without RZ; of a guarded instruction also the old destination.
    uint8_t reads[15], read_count;
    uint8_t preds[5], pred_count; // predicates read, the guard first, PT left out
    uint8_t write, write_count;   // first register written, and number of registers
    uint8_t pred_writes[2], pred_write_count;
    uint8_t role;        // enum value_role
    bool awaits_barrier; // results arrive when a barrier completes
    bool special;        // a source is a special register; the sources count with the result's pattern
};
void value_op_of(const struct inst *i, struct value_op *op);

struct values;
typedef void values_take(struct values *v, const struct observed *o);

// The registers and predicates of a block's warps.
struct values {
    values_take *written;       // set at the start; see values_written
    const struct value_op *ops; // of the program
    uint32_t registers, lanes;  // number of registers of a warp; number of lanes of a register vector
    struct value *value;        // hash and pattern of each register, by warp and register
    uint64_t (*pred)[8];        // by warp: lanes in which each predicate is true
    uint32_t *awaits;           // by warp: index of the reduction pending at a barrier, + 1; 0: no reduction
    uint32_t *threads;          // by warp: number of threads
    uint32_t row;               // period in lanes of an affine pattern; 0: the whole warp
};

struct value_op *values_ops(struct arena *a, const struct program *p); // one per instruction, in the arena
void values_start(struct values *v, const struct value_op *ops, const struct program *p,
                  const struct observed_block *b, uint32_t threads);
// A further pattern counts as affine: base + (lane mod x) * stride, with one base for all rows of
// threadIdx.x. No effect unless x properly divides warp_size.
void values_by_row(struct values *v, uint32_t x, uint32_t warp_size);
void values_stop(struct values *v);
// Call at the end of `after`, behind all lookups of sources: takes over the instruction's results.
static inline void values_written(struct values *v, const struct observed *o) { v->written(v, o); }
// Call from `barrier`: takes over the results of a reduction.
void values_barrier(struct values *v, const struct observed_block *b);

static inline const struct value *values_at(const struct values *v, uint32_t warp, unsigned r)
{
    return &v->value[warp * v->registers + r];
}

// Folds one more number into a hash. The result may be folded again.
static inline uint64_t value_fold(uint64_t sum, uint64_t x)
{
    sum = sum * 0xd6e8feb86659fd93ull + x;
    sum = (sum ^ sum >> 32) * 0x9fb21c651e98df25ull;
    return sum ^ sum >> 29;
}

// Weights by position, for hashing several numbers as a weighted sum; the terms may be added in any order.
// For hashes and lane sets that are only compared for equality.
extern const uint64_t value_weights[24];
