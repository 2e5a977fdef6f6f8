// What the registers of warps hold, as far as studies care: a hash that tells values apart, and whether the
// lanes follow a pattern. Computed once when a register is written, looked up when it is read.
//
// The hash is NH twice with different keys (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999: UMAC), a sum of
// products of pairs of words, which vectorises; two different vectors collide with probability 2^-64.
#pragma once
#include "exec/observe.h"

enum pattern { PATTERN_UNIFORM, PATTERN_AFFINE, PATTERN_OTHER, PATTERN_COUNT }; // stronger first

struct value {
    uint64_t hash; // of all lanes; absent ones are zero
    uint32_t base, stride;
    uint32_t pattern; // enum pattern: lane l holds base + l * stride (mod 2^32) in every thread of the warp
};

// `vector_lanes` 32 or 64, of which the first `lanes` have threads.
void value_of(const uint32_t *vector, unsigned vector_lanes, unsigned lanes, struct value *v);

// What an instruction reads and writes, looked up once a kernel. RZ, constants and immediates are left out.
enum value_role {
    ROLE_RESULT,  // writes registers or predicates and does nothing else: what can be done once for many
    ROLE_CONTROL, // branches, calls, exits
    ROLE_EFFECT   // stores, atomics, barriers, fences, output: must happen for every warp
};

struct value_op {
    uint8_t reads[15], read_count; // registers; of a guarded instruction also the old destination
    uint8_t preds[5], pred_count;  // predicates read, the guard first, PT left out
    uint8_t write, write_count;    // registers
    uint8_t pred_writes[2], pred_write_count;
    uint8_t role;        // enum value_role
    bool awaits_barrier; // its results come when a barrier completes
    bool special;        // its source is a special register, whose pattern is its result's
};
void value_op_of(const struct inst *i, struct value_op *op);

struct values;
typedef void values_take(struct values *v, const struct observed *o);

// The registers and predicates of a block's warps.
struct values {
    values_take *written;       // see values_written
    const struct value_op *ops; // of the program
    uint32_t registers, lanes;  // of a warp; lanes of a register vector
    struct value *value;        // by warp, register
    uint64_t (*pred)[8];        // by warp: lanes
    uint32_t *awaits;           // by warp: the instruction of a reduction at a barrier, + 1
    uint32_t *threads;          // by warp
    uint32_t row;               // lanes after which an affine pattern begins again; 0: never
};

struct value_op *values_ops(struct arena *a, const struct program *p); // one an instruction
void values_start(struct values *v, const struct value_op *ops, const struct program *p,
                  const struct observed_block *b, uint32_t threads);
// From now on affine means base + (lane mod x) * stride: affine in every row of threadIdx.x.
void values_by_row(struct values *v, uint32_t x, uint32_t warp_size);
void values_stop(struct values *v);
// To be called by `after` when what was read has been looked up: takes over what the instruction wrote.
static inline void values_written(struct values *v, const struct observed *o) { v->written(v, o); }
// To be called by `barrier`: a reduction's results.
void values_barrier(struct values *v, const struct observed_block *b);

static inline const struct value *values_at(const struct values *v, uint32_t warp, unsigned r)
{
    return &v->value[warp * v->registers + r];
}

// Takes one more number into a hash. What comes out of it may go into it again.
static inline uint64_t value_fold(uint64_t sum, uint64_t x)
{
    sum = sum * 0xd6e8feb86659fd93ull + x;
    sum = (sum ^ sum >> 32) * 0x9fb21c651e98df25ull;
    return sum ^ sum >> 29;
}

// Several numbers as one, each times a weight of its own, which can be added in any order: for hashes and
// sets of lanes that are compared for equality only.
extern const uint64_t value_weights[24];
