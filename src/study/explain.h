// The data of study `explain` about a kernel, and its conversion to advice. explain.c watches and counts,
// advice.c judges a line.
#pragma once
#include "mark/leaves.h"
#include "study/repeat.h"

enum explain_work { // kind of work of an instruction, in the terms of a kernel author
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
    // number of a group explained together: a source line, or one kind of work in a basic block of PTX
    uint32_t group;
    uint8_t work;       // enum explain_work
    uint8_t mark;       // enum mark_kind
    uint8_t conditions; // conditions of a conditional mark, as bits of enum mark_condition
    bool invariant;     // is in a loop, is no copy of a constant, and no input changes between iterations
    struct mark_leaves leaves;
    const char *root, *root_line; // root cause of the mark and its line: "threadIdx.y", "k.cu:31"
    const char *reason;
};

struct explain_kernel { // repeat_kernel->own
    struct mark_rules rules;
    struct explain_inst *insts;
};

// Everything executed by one group of instructions: a source line, or one kind of work in a basic block of
// PTX.
struct explain_line {
    const struct study_inst *at;
    uint32_t group, last; // last: greatest source line number in the group
    struct repeat_totals n;
    uint64_t repeated, proved; // executions: repeated in the block; repeated by marked instructions
    // Of `repeated` and `proved`: executions with sources that differ between lanes.
    uint64_t lanes, proved_lanes;
    uint64_t work[WORK_COUNT];       // executions of `repeated`, by kind of work
    uint64_t saved_work[WORK_COUNT]; // of `proved`: executions saved by sharing
    // Of `saved_work`: executions of global loads and texture fetches whose addresses differ between lanes.
    uint64_t saved_loads_by_lane;
    // executions of invariant instructions, equal in operands and result to the warp's previous execution of
    // the instruction
    uint64_t again;
    // Executions by whole warps, of marked instructions that compute from arguments, possibly with dimensions
    // and constant memory, as the host could.
    uint64_t from_arguments;
    struct mark_leaves leaves; // inputs from which `repeated` executions compute
    bool conditional;          // part of the proved work repeats only in blocks of some shapes
    uint32_t unproved;         // instruction with most repeated work unproved by a mark
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
    uint64_t saves; // number of executions saved at most
};

enum { EXPLAIN_ROWS = 4, EXPLAIN_CHOICES = 2 };
// Sets `choices` to the pieces of advice with the largest savings, best first; ADVICE_NONE fills the rest.
void explain_choose(const struct explain_line *l, uint32_t warps,
                    struct explain_choice choices[EXPLAIN_CHOICES]);
const char *explain_advice_text(enum explain_advice a);
// Writes up to three kinds of the line's repeated work, largest first, and whether lanes differ in value.
// Nothing without repeated work. For example: "loads from shared memory 90 %, integer arithmetic 10 %; a
// value per lane, the same in every warp".
void explain_what(const struct explain_line *l, struct strbuf *out);
// Writes the inputs of the line's repeated work, for example "blockIdx, a loop's counter, arguments 3 and 4".
void explain_from(const struct explain_line *l, struct strbuf *out);
// Writes whether a compiler could prove the line's repetition, and why not.
void explain_why(const struct explain_line *l, const struct explain_kernel *k, const uint32_t block[3],
                 struct strbuf *out);
