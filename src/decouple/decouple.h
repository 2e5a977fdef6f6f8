// Decoupled affine computation, the compiler's half (Wang and Lin, ISCA 2017, sections 3 and 4): which instructions of a program
// an affine warp can compute once for all threads of an SM, and the program as two streams, one for that warp and one for
// all others.
//
//   program ─ SSA (mark/ssa.h) ─▶ kind of each definition ─▶ sites ─▶ two slices ─▶ the affine stream as code of its own
//                                 (kinds.c)                   (slices.c)            (code.c)
//
// A site is where something passes from the affine stream to the others: the address of an access, or a predicate. The
// affine stream is what sites are computed from, the branches that lead there, and what orders memory; the other stream is
// the program without what only sites needed. It keeps its place in memory: what is left out is passed over.
//
// What is promised, and checked of every split by decouple_check, which was written apart from what makes it:
//   Order    Both streams have a warp's sites in the order of the program, and the affine stream takes every branch that
//            decides whether it comes to something of its own: by a predicate it computes, or by one it is told.
//   Closure  What a stream reads it has computed, on all ways that lead there, or it comes from a queue.
// A kind is a promise about cost and none about values: the affine stream's are right whatever it is called.
//
// What another mechanism shares among warps is yielded to it: it is no site, and what the others need of it they compute. What
// sites alone need the affine stream has all the same.
// docs/techniques/decoupled.md has the rules, and what the text leaves open.
#pragma once
#include "base/arena.h"
#include "base/config.h"
#include "base/str.h"
#include "isa/program.h"

// Of a result, over the threads of a block. Each is a case of those behind it.
enum decouple_kind {
    DECOUPLE_SCALAR, // one value
    DECOUPLE_AFFINE, // a tuple, or the upper word or the carry of one; of predicates: a comparison of one with a scalar
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
    uint8_t kind;    // of the first result; of what has none VECTOR
    uint8_t pieces;  // of a PIECEWISE one
    uint8_t cause;   // enum decouple_cause of VECTOR, or of an access that is no site
    uint8_t streams; // DECOUPLE_IN_*
    uint8_t site;    // enum decouple_site
    // Of ENQ_PRED: the instruction compares, and the others have a dequeue in its place; otherwise it is guarded by the
    // predicate, and takes it from the queue itself.
    bool compares;
    uint8_t predicate_kind; // of ENQ_PRED: of what is enqueued
    bool has_result,
        potential; // potential: computed from scalars and thread indices, whatever the operations (Figure 6)
    bool feedback; // the others tell the predicate that guards it
    bool orders;   // the affine stream may not run ahead of a warp across it
    bool slot;     // it moves between registers and a spill slot that is followed as registers are
    uint32_t from; // instruction that the cause points at; FLOW_NONE
};

struct decouple {
    struct arena arena;
    const struct program *program;
    uint32_t count; // instructions of the kernel
    struct decouple_rules rules;
    const bool *shared;          // by instruction: yielded; NULL: none are
    uint8_t whole;               // enum decouple_cause why the program is not split; 0: it is
    struct decouple_inst *insts; // one an instruction
    struct decouple_slices *analysis;
};

// Of a program's kernel, which is all that it has, or `whole` says so. NULL never. The program must outlive it, and so must
// `shared`, the instructions that another mechanism shares among warps; NULL: none.
struct decouple *decouple_compute(const struct program *p, const struct decouple_rules *r,
                                  const bool *shared);
void decouple_free(struct decouple *d);

// The affine stream as code: a step is an instruction of the program, or what is put before it or behind it.
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
    uint8_t site; // of ENQUEUES
    uint8_t word; // of COMPUTES where the instruction moves a slot's words: which of them
};
struct decouple_code {
    struct decouple_step *steps;
    uint32_t count;
    uint32_t *first; // of instruction i: steps[first[i]] … steps[first[i + 1]]
};
void decouple_code_of(const struct decouple *d, struct arena *a, struct decouple_code *out);
// The program with that code behind it, as a function of its own, and what is known of both; freed before `d`'s program is.
struct program *decouple_program(const struct decouple *d);
extern const char decouple_function[]; // its name
struct decouple_plan {
    uint32_t count; // instructions of the kernel; the affine stream's begin there
    const struct decouple_inst *insts;
    struct decouple_code code;
    bool yields; // some of it may be another mechanism's
};
// Of such a program, unless it has been changed since; NULL: of any other.
const struct decouple_plan *decouple_plan_of(const struct program *p);

// The kernel alone, by the same instructions, for who analyses what warps do: good as long as the program is.
struct program decouple_kernel(const struct program *p, const struct decouple_plan *plan);
// Warps execute it: it is the kernel's, and in the others' stream.
static inline bool decouple_is_for_warps(const struct decouple_plan *p, uint32_t inst)
{
    return inst < p->count && p->insts[inst].streams & DECOUPLE_IN_OTHERS;
}
// Of an instruction that moves a spill slot: registers of a warp on the one side, the slot's address on the other.
struct decouple_slot {
    const struct operand *registers;
    uint32_t address; // local
    unsigned words;
    bool is_store;
};
struct decouple_slot decouple_slot_of(const struct inst *i);

// Of an access, the operand that is its address; NULL: none, or several.
const struct operand *decouple_address(const struct inst *i);
// What an instruction of the others' stream does not read, since it comes from a queue: Rr; of predicates, bits.
bool decouple_dequeues_register(const struct decouple_inst *n, const struct inst *i, unsigned r);
unsigned decouple_dequeued_predicates(const struct decouple_inst *n, const struct inst *i);

// Whether the promises hold that can be seen in the program; else *why says where not, from the arena.
bool decouple_check(struct decouple *d, const char **why);

// Warp instructions: `executions` of each instruction by all warps of the original program, and by one that goes all ways
// that any goes; what the streams execute.
struct decouple_cost {
    uint64_t base, affine, others,
        replicated; // replicated: of `others`, what the affine stream computes, too
};
struct decouple_cost decouple_cost_of(const struct decouple *d, const uint64_t *executions,
                                      const uint64_t *once);

const char *decouple_kind_name(enum decouple_kind k);
const char *decouple_site_name(enum decouple_site s);
const char *decouple_whole(const struct decouple *d); // why the program is not split; NULL: it is
// "vector: loaded from memory at 0x40": the chain down to its root.
void decouple_explain(const struct decouple *d, uint32_t inst, struct strbuf *out);
// Figure 7: a stream (DECOUPLE_IN_*), one step a line.
void decouple_print(const struct decouple *d, unsigned stream, struct strbuf *out);
