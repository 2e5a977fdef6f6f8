// Which executed instructions repeat what others did: the counts behind the studies `redundancy` and
// `taxonomy`.
//
// Instances correspond as docs/studies.md defines it: in a block, the same pc and the same history since the
// last barrier of the whole block; in a grid, the same pc, how many times the warp had executed it, and the
// same history since it started. Only executions by all threads of a full warp count.
//
//   block, an interval between barriers        log: instances in the order the first warp had them
//                                              ┌─────┬─────┬─────┬─────┬─────┐
//        warp 0, first ───────────────────────▶│ i 0 │ i 1 │ i 2 │ i 3 │ i 4 │◀─ appended by who comes first
//        warp 1, at its place in the log ──────┴──▲──┘ seen by 1 …
//
// Warps that have the same history execute the same instances in the same order, so each walks along the log
// and compares; one that goes another way leaves it until the next barrier. An instance that every warp has
// seen with equal operands and equal results is redundant in its block.
//
// Memory: of a resident block, the values of its registers and a log of at most REPEAT_LOG instances; of a
// launch at grid scope, REPEAT_SAMPLES numbers an instruction. What is beyond is counted as not followed,
// never guessed.
#pragma once
#include "study/study.h"
#include "study/values.h"

enum { REPEAT_LOG = 1 << 16, REPEAT_SAMPLES = 1 << 16 };

// Results over the warps of a block, as Figure 3 of DARSIE names them. The first three are equal in all
// warps; in a TB_AFFINE one thread t of the block holds base + t * stride.
enum repeat_output {
    OUTPUT_UNIFORM,
    OUTPUT_AFFINE,
    OUTPUT_UNSTRUCTURED,
    OUTPUT_TB_AFFINE,
    OUTPUT_UNRELATED,
    OUTPUT_COUNT
};

struct repeat_counts { // executions of one instruction by warps
    uint64_t executed;
    uint64_t diverged;              // not all threads of the warp that are left were together
    uint64_t partial;               // the warp was not full, or some of its threads had exited
    uint64_t warp;                  // redundant in the warp: every register and predicate it reads is uniform
    uint64_t block[PATTERN_COUNT];  // redundant in the block, by the weakest pattern among the sources
    uint64_t block_first;           // of them, one a block and instance: what still has to be executed
    uint64_t differs;               // all warps of the block executed it, with other operands or results
    uint64_t lost;                  // beyond the log
    uint64_t grid;                  // redundant in the grid
    uint64_t unsampled;             // beyond the samples at grid scope
    uint64_t again;                 // the warp did the same when it was here before (repeat_launch_begin_all)
    uint64_t outputs[OUTPUT_COUNT]; // of instances that all warps of a block executed
};

struct repeat_kernel { // study_kernel->data
    struct value_op *ops;
    struct repeat_counts *counts;
    void *own; // the study's
};

// What observes, for study_class; with grid scope or without.
void repeat_launch_begin(void *study, const struct launch *l);
void repeat_launch_begin_grid(void *study, const struct launch *l);
void repeat_launch_begin_all(void *study, const struct launch *l); // the grid, and the warp's own past
void repeat_launch_end_grid(void *study);
void repeat_block_begin(void *study, struct observed_block *b);
void repeat_block_end(void *study, struct observed_block *b);
void repeat_after(void *study, const struct observed *o);
void repeat_barrier(void *study, struct observed_block *b, const struct observed_barrier *met);
void repeat_warp_exit(void *study, struct observed_block *b, uint32_t warp);
#define REPEAT_EVENTS                                                                                        \
    .block_begin = repeat_block_begin, .block_end = repeat_block_end, .after = repeat_after,                 \
    .barrier = repeat_barrier, .warp_exit = repeat_warp_exit
#define REPEAT_OBSERVER                                                                                      \
    {                                                                                                        \
        .launch_begin = repeat_launch_begin, REPEAT_EVENTS                                                   \
    }
#define REPEAT_OBSERVER_GRID                                                                                 \
    {                                                                                                        \
        .launch_begin = repeat_launch_begin_grid, .launch_end = repeat_launch_end_grid, REPEAT_EVENTS        \
    }

// The share of a kernel's executions that some scope repeats: of instructions that only compute or load
// (ROLE_RESULT), over all.
struct repeat_totals {
    uint64_t executed, diverged, partial, lost, unsampled;
    uint64_t warp, grid, block[PATTERN_COUNT], saved; // of ROLE_RESULT
    uint64_t effects_block;                           // of other roles, redundant in the block
};
void repeat_add(struct repeat_totals *to, const struct study_kernel *k, uint32_t index);
void repeat_add_kernel(struct repeat_totals *to, const struct study_kernel *k);
static inline uint64_t repeat_in_block(const struct repeat_totals *t)
{
    return t->block[PATTERN_UNIFORM] + t->block[PATTERN_AFFINE] + t->block[PATTERN_OTHER];
}
// Says what was not followed or not sampled.
void repeat_notes(const struct study *s, struct study_report *r);
