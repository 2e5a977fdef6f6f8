// Decoupled affine computation, compiler half (Wang and Lin, ISCA 2017, sections 3 and 4). Finds the
// instructions an affine warp can compute once for all threads of an SM, and splits the program into two
// streams: one for the affine warp, one for all other warps ("the others").
//
//   program ─ SSA (mark/ssa.h) ─▶ kinds of definitions ─▶ sites ─▶ two slices ─▶ code of the affine stream
//                                 (kinds.c)               (slices.c)             (code.c)
//
// A site passes an access address or a predicate from the affine stream to the others. The affine stream
// contains the computations of sites, the branches leading to sites, and memory-ordering instructions. The
// others' stream is the program without instructions needed only by sites. Its instructions keep their
// addresses; fetch skips omitted instructions.
//
// Promises, checked by decouple_check in the tests (written independently of the split):
//   Order    Both streams pass a warp's sites in program order. The affine stream takes every branch with
//            affine-stream code under its control, by a computed predicate or by a reported one.
//   Closure  Every value a stream reads was computed in the stream on all paths, or comes from a queue.
// A kind promises a cost, not a value: the affine stream computes correct values whatever the kind.
//
// Instructions another mechanism shares among warps are yielded: never a site, and the others compute values
// needed from them. A yielded instruction needed only by sites still belongs to the affine stream alone.
// docs/explanation/techniques/decoupled.md has the rules, and choices where the paper is silent.
#pragma once
#include "base/arena.h"
#include "base/config.h"
#include "base/str.h"

struct inst;
struct operand;
struct program;

// Kind of a result, over the threads of a block. Each kind is a special case of the next kind.
enum decouple_kind {
    DECOUPLE_SCALAR, // one value
    // An affine tuple (tuple.h), or the upper word or carry of a tuple. For predicates: one bit per lane,
    // from comparisons of tuples with scalars, or from logic on such bits.
    DECOUPLE_AFFINE,
    DECOUPLE_PIECEWISE, // one of a few tuples
    DECOUPLE_VECTOR
};

enum decouple_cause {
#define CAUSE(name, text) DECOUPLE_FOR_##name,
#include "decouple/causes.def"
#undef CAUSE
    DECOUPLE_CAUSE_COUNT
};

struct decouple_rules { // config.def
    uint32_t pieces;
    int feedback, shared, stores, slots;
};
extern const char *const decouple_switch_words[];

enum { DECOUPLE_IN_AFFINE = 1, DECOUPLE_IN_OTHERS = 2 }; // streams

enum decouple_site { DECOUPLE_NO_SITE, DECOUPLE_ENQ_DATA, DECOUPLE_ENQ_ADDR, DECOUPLE_ENQ_PRED };

struct decouple_inst {
    uint8_t kind;    // the worst kind of the results; DECOUPLE_VECTOR without a result
    uint8_t pieces;  // number of tuples of a DECOUPLE_PIECEWISE result
    uint8_t cause;   // enum decouple_cause: why the result is VECTOR, or why an access has no site
    uint8_t streams; // DECOUPLE_IN_*
    uint8_t site;    // enum decouple_site
    // ENQ_PRED: true: the instruction is a comparison, replaced by a dequeue in the others' stream. False:
    // the instruction is guarded by the predicate and dequeues it.
    bool compares;
    uint8_t predicate_kind; // ENQ_PRED: kind of the enqueued predicate
    // has_result: a register, predicate or spill slot is written. potential: the result is computed from
    // scalars and thread indices by any operations (DAC, Figure 6).
    bool has_result, potential;
    bool feedback; // a branch: the other warps report the guard predicate to the affine stream
    bool orders;   // memory order: the affine stream may not run ahead of a warp past the instruction
    // A guarded instruction whose result is read under the same guard alone. drops: the old result is dead. free:
    // without effects beyond registers, the instruction works in all lanes of both streams, without its guard.
    bool drops, free;
    // ENQ_ADDR under a guard known to the lanes alone: the address of all active lanes is queued, and the lanes'
    // own guard selects.
    bool unguarded;
    bool slot;     // spill store or load of a slot that the affine stream keeps in registers
    uint32_t from; // instruction the cause refers to; FLOW_NONE: no instruction
};

struct decouple {
    struct arena arena;
    const struct program *program;
    uint32_t count; // instructions of the kernel
    struct decouple_rules rules;
    const bool *shared;          // by instruction: yielded to another mechanism; NULL: no instruction
    uint8_t whole;               // enum decouple_cause: why the program is not split; 0: split
    struct decouple_inst *insts; // by instruction
    struct decouple_slices *analysis;
};

// Analyses the kernel of a program. Never NULL; the result's `whole` says why a program is not split, for
// instance calls, several functions, RISC-V code. `p` and `shared` must outlive the result. `shared`: by
// instruction, shared among warps by another mechanism; NULL: no instruction.
struct decouple *decouple_compute(const struct program *p, const struct decouple_rules *r,
                                  const bool *shared);
// The first part alone: SSA and the lanes in which values are read (`drops`, `free`); no kinds, no streams.
struct decouple *decouple_begin(const struct program *p, const struct decouple_rules *r, const bool *shared);
void decouple_free(struct decouple *d);

// The affine stream as code: a step is an instruction of the program, or an addition (enqueue, memory order)
// before or after an instruction.
enum decouple_step_kind {
    DECOUPLE_COMPUTES,
    DECOUPLE_ENQUEUES,
    DECOUPLE_ORDERS,
    DECOUPLE_BRANCHES,
    DECOUPLE_ENDS
};
struct decouple_step {
    uint32_t inst;
    uint8_t kind;
    uint8_t site; // ENQUEUES: enum decouple_site
    uint8_t word; // COMPUTES, a move between registers and a spill slot: index of the word moved
};
struct decouple_code {
    struct decouple_step *steps;
    uint32_t count;
    uint32_t *first; // steps of instruction i: first[i] … first[i + 1] - 1
};
void decouple_code_of(const struct decouple *d, struct arena *a, struct decouple_code *out);
// The program followed by the affine stream as a function of its own, with the plan of both. The result must
// be freed before the program of `d`.
struct program *decouple_program(const struct decouple *d);
extern const char decouple_function[]; // name of the affine stream's function
struct decouple_plan {
    uint32_t count; // instructions of the kernel, so also the index of the affine stream's first instruction
    const struct decouple_inst *insts;
    struct decouple_code code;
    bool yields; // another mechanism may share some instructions among warps
};
// Plan of a program made by decouple_program; NULL: any other program, or a program changed since.
const struct decouple_plan *decouple_plan_of(const struct program *p);

// The kernel alone, sharing the instructions of `p`, for analyses of the warps' code. Valid as long as `p`.
struct program decouple_kernel(const struct program *p, const struct decouple_plan *plan);
// Whether the other warps execute the instruction: it is in the kernel and in the others' stream.
static inline bool decouple_is_for_warps(const struct decouple_plan *p, uint32_t inst)
{
    return inst < p->count && p->insts[inst].streams & DECOUPLE_IN_OTHERS;
}
// Operands of a spill slot move: warp registers on one side, the slot's address on the other.
struct decouple_slot {
    const struct operand *registers;
    uint32_t address; // in local memory
    unsigned words;
    bool is_store;
};
struct decouple_slot decouple_slot_of(const struct inst *i);

// Address operand of an access; NULL: none, or several.
const struct operand *decouple_address(const struct inst *i);
// Operands that an instruction of the others' stream takes from a queue instead of reading.
// decouple_dequeues_register: whether register r is such an operand. decouple_dequeued_predicates: a bit
// mask.
bool decouple_dequeues_register(const struct decouple_inst *n, const struct inst *i, unsigned r);
unsigned decouple_dequeued_predicates(const struct decouple_inst *n, const struct inst *i);

// Whether the promises Order and Closure hold, as far as the code alone shows. If not, *why says where (text
// in the arena of `d`). An unsplit program passes and leaves *why alone.
bool decouple_check(struct decouple *d, const char **why);

// Warp instructions executed by the streams. Parameters of decouple_cost_of: `executions`: by instruction,
// over all warps of the original program; `once`: by a single warp taking every path taken by any warp.
struct decouple_cost {
    // base: of the original program. replicated: executions counted in `others` that the affine stream
    // repeats.
    uint64_t base, affine, others, replicated;
};
struct decouple_cost decouple_cost_of(const struct decouple *d, const uint64_t *executions,
                                      const uint64_t *once);

// Whether a block of so many warps issues fewer instructions by the split, counted over the code: the steps of the
// affine stream once for the block, or for each warp where the warps go apart, against the removed instructions of
// all warps. A loop counts as eight iterations.
bool decouple_gains(const struct decouple *d, uint32_t warps);

const char *decouple_kind_name(enum decouple_kind k);
const char *decouple_site_name(enum decouple_site s);
const char *decouple_whole(const struct decouple *d); // reason against a split; NULL: split
// Writes the kind of the result and its chain of causes down to the root, for instance "vector: loaded from
// memory 0x40". Without a result: the name of the site, or "the lanes'". For a program refused for more than
// a want of sites: "not decoupled:" and the reason.
void decouple_explain(const struct decouple *d, uint32_t inst, struct strbuf *out);
// Prints a stream (DECOUPLE_IN_*), one step a line, as in Figure 7 of the DAC paper.
void decouple_print(const struct decouple *d, unsigned stream, struct strbuf *out);
