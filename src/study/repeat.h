// Repetition of executed instructions by other executions: the counts behind the studies `redundancy`,
// `taxonomy` and `explain`.
//
// docs/explanation/studies.md defines corresponding instances. In a block: the same pc and the same history since the
// last barrier of the whole block. In a grid: the same pc, the same number of earlier executions by the warp,
// and the same history since the warp's start. Only executions by all threads of a full warp count.
//
//   block, an interval between barriers        log: instances in the order of the leading warp
//                                              ┌─────┬─────┬─────┬─────┬─────┐
//        warp 0, first ───────────────────────▶│ i 0 │ i 1 │ i 2 │ i 3 │ i 4 │◀─ appended by the leading warp
//        warp 1, at its place in the log ──────┴──▲──┘ seen by 1 …
//
// Warps with the same history execute the same instances in the same order, so every warp walks along the log
// and compares. A warp on another path leaves the log until the next barrier. An instance seen by every warp
// with equal operands and equal results is redundant in its block.
//
// Memory: of a resident block, the values of its registers and a log of at most REPEAT_LOG instances; of a
// launch at grid scope, REPEAT_SAMPLES numbers an instruction. Executions beyond are counted as not followed,
// never guessed.
#pragma once
#include "study/study.h"
#include "study/values.h"

enum { REPEAT_LOG = 1 << 16, REPEAT_SAMPLES = 1 << 16 };

// Results over the warps of a block, in the terms of Figure 3 of DARSIE. Results of the first three kinds are
// equal in all warps. In a TB_AFFINE instance, thread t of the block holds base + t * stride.
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
    uint64_t diverged;             // some live threads of the warp were on another path
    uint64_t partial;              // the warp was not full, or some of its threads had exited
    uint64_t warp;                 // redundant in the warp: all source registers and predicates are uniform
    uint64_t block[PATTERN_COUNT]; // redundant in the block, by the weakest pattern among the sources
    // Of `block`: the first execution of each instance in a block, which sharing cannot save.
    uint64_t block_first;
    uint64_t differs;   // executed by all warps of the block, with different operands or results
    uint64_t lost;      // executions not followed, since the log was full
    uint64_t grid;      // executions redundant in the grid
    uint64_t unsampled; // executions beyond the samples kept at grid scope
    // Executions with operands and result of the warp's previous execution (repeat_launch_begin_all).
    uint64_t again;
    // Executions of instances executed by all warps of a block, by their results over the block.
    uint64_t outputs[OUTPUT_COUNT];
};

struct repeat_kernel { // study_kernel->data of studies based on repeat
    struct value_op *ops;
    struct repeat_counts *counts;
    void *own; // data of the study
};

// Observer functions for study_class. repeat_launch_begin: block scope alone.
void repeat_launch_begin(void *study, const struct launch *l);
void repeat_launch_begin_grid(void *study, const struct launch *l);
void repeat_launch_begin_all(void *study, const struct launch *l); // with grid scope and the warp's own past
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

// Sums of executions over instructions. `executed` to `unsampled`: of all instructions.
struct repeat_totals {
    uint64_t executed, diverged, partial, lost, unsampled;
    uint64_t warp, grid, block[PATTERN_COUNT], saved; // of computing or loading instructions (ROLE_RESULT)
    uint64_t effects_block;                           // of other roles: redundant in the block
};
void repeat_add(struct repeat_totals *to, const struct study_kernel *k, uint32_t index);
void repeat_add_kernel(struct repeat_totals *to, const struct study_kernel *k);
static inline uint64_t repeat_in_block(const struct repeat_totals *t)
{
    return t->block[PATTERN_UNIFORM] + t->block[PATTERN_AFFINE] + t->block[PATTERN_OTHER];
}
// Adds notes about executions not followed or not sampled, and about blocks of one warp.
void repeat_notes(const struct study *s, struct study_report *r);
