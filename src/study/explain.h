// What the study `explain` knows of a kernel, and how it becomes advice: explain.c watches and counts,
// advice.c judges a line.
#pragma once
#include "mark/leaves.h"
#include "study/repeat.h"

enum explain_work { // what an instruction does, as an author of kernels would sort it
    WORK_INTEGER,
    WORK_FLOAT,
    WORK_COMPARE,
    WORK_INDEX,
    WORK_CONSTANT,
    WORK_GLOBAL,
    WORK_SHARED,
    WORK_LOCAL,
    WORK_TEXTURE,
    WORK_COUNT
};

struct explain_inst {
    uint32_t group;     // of instructions that are explained together: a source line
    uint8_t work;       // enum explain_work
    uint8_t mark;       // enum mark_kind
    uint8_t conditions; // of CR
    bool invariant;     // in a loop that carries nothing into it
    struct mark_leaves leaves;
    const char *root, *root_line; // of the mark: "threadIdx.y", "k.cu:31"
    const char *reason;
};

struct explain_kernel { // repeat_kernel->own
    struct mark_rules rules;
    struct explain_inst *insts;
};

// Everything that instructions of one source line executed.
struct explain_line {
    const struct study_inst *at;
    uint32_t group, last; // last: line number, where they are several
    struct repeat_totals n;
    uint64_t repeated, proved;       // in the block; by instructions that are marked so
    uint64_t lanes, proved_lanes;    // of those: not uniform over the lanes
    uint64_t work[WORK_COUNT];       // of the repeated
    uint64_t saved_work[WORK_COUNT]; // of the proved: what sharing it would save
    uint64_t saved_loads_by_lane; // of global loads and textures: those with an address of their own a lane
    uint64_t again;               // of the invariant: with operands and result of the execution before
    uint64_t from_arguments;      // made of arguments and dimensions: the host could compute it
    struct mark_leaves leaves;    // of the repeated
    bool conditional;             // some of it only in blocks of such a shape
    uint32_t unproved;            // the instruction with most repeated work that no mark proves
    uint64_t unproved_work;
};

enum explain_advice {
    ADVICE_NONE,
    ADVICE_HOIST,
    ADVICE_ARGUMENT,
    ADVICE_CONSTANT,
    ADVICE_STAGE,
    ADVICE_KEEP,
    ADVICE_ROWS,
    ADVICE_SCALAR,
    ADVICE_COUNT
};

struct explain_choice {
    enum explain_advice advice;
    uint64_t saves; // executions
};

enum { EXPLAIN_ROWS = 4, EXPLAIN_CHOICES = 2 };
// The pieces of advice that would save most, best first; ADVICE_NONE where there are fewer.
void explain_choose(const struct explain_line *l, uint32_t warps,
                    struct explain_choice choices[EXPLAIN_CHOICES]);
const char *explain_advice_text(enum explain_advice a);
// "loads from shared memory (96 %), integer arithmetic (4 %): a value a lane, the same in every warp"
void explain_what(const struct explain_line *l, struct strbuf *out);
// "arguments 3 and 4, blockIdx, a loop's counter"
void explain_from(const struct explain_line *l, struct strbuf *out);
// Whether a compiler could tell.
void explain_why(const struct explain_line *l, const struct explain_kernel *k, const uint32_t block[3],
                 struct strbuf *out);
