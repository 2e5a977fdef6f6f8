// Facts of a timed run, for the evidence of rules: counters, settings, slots by instruction, and shares of peaks.
//
// A slot lost to a wait is charged to the waiting instruction. `for_memory`, `for_result` and `for_barrier` name the
// instruction whose result or barrier is waited for, so a load has the slots of its readers.
#pragma once
#include "base/hash.h"
#include "report/run.h"

struct facts_row {
    size_t kernel;                              // index in report_run.kernels
    const char *instruction, *lines;            // without the guard
    size_t line;                                // number of the pair of kernel and lines, from 0
    const uint64_t *slots;                      // by wf_slot_at
    uint64_t skipped;                           // by a mechanism
    size_t for_memory, for_result, for_barrier; // indices of rows; the row's own: no such instruction
};

struct facts {
    const struct report_run *run;
    struct wf_context *context;
    struct arena arena; // texts of rows
    VEC(struct facts_row) rows;
    struct strmap key_numbers; // of `keys`, by name
    VEC(const char *) keys;    // values of the context's settings
    size_t lines;              // different numbers
    double slots;              // of all schedulers and SMs with a warp
    double cycles;             // of all launches
    // Of the kernel with the most cycles. No kernel: `hottest` NULL.
    const struct report_kernel *hottest;
    struct report_limits limits;
    uint64_t blocks;             // of its longest launch
    uint64_t block_instructions; // of a mean block of this launch: warp instructions
    uint32_t block_warps;        // of a block
    uint64_t block_threads;
    bool is_row;            // the block has a single dimension
    uint32_t resident, sms; // blocks that fit on an SM; SMs
    uint32_t registers, spills;
};

// Reads the accounts of the run's kernels. The run and the context outlive the facts.
void facts_init(struct facts *f, const struct report_run *run, struct wf_context *context);
void facts_fini(struct facts *f);

// Of a mean warp of the longest launch; at least 1.
static inline uint64_t facts_warp_instructions(const struct facts *f)
{
    return f->block_warps && f->block_instructions > f->block_warps ? f->block_instructions / f->block_warps
                                                                    : 1;
}
double facts_row_slots(const struct facts_row *r);                  // sum
double facts_counter(const struct facts *f, const char *name);      // 0: not counted
double facts_key(const struct facts *f, const char *key);           // value of a setting
const char *facts_key_text(const struct facts *f, const char *key); // NULL: no such key
double facts_slot(const struct facts *f, const char *reasons); // share of all slots; words of wf_slot.name
// A counter of cycles, summed over SMs, as a share of the launches' cycles of all SMs.
double facts_per_cycle(const struct facts *f, const char *counter);
// Share of all slots at instructions of the classes, for the reasons. Classes: beginnings of opcodes, separated by
// spaces; "*": every instruction.
double facts_class(const struct facts *f, const char *classes, const char *reasons);
// Share of all slots at source lines with an instruction of the classes.
double facts_lines_with(const struct facts *f, const char *classes);
bool facts_has(const struct facts *f, const char *classes); // executed
// Source lines, and index of the kernel, with the most slots as facts_class. NULL: none.
const char *facts_line(const struct facts *f, const char *classes, const char *reasons, size_t *kernel);
const char *facts_skipped_line(const struct facts *f); // the most skipped instructions; NULL: none

// Whether a word of the list begins the opcode, or is the word.
bool facts_is_class(const char *instruction, const char *classes);
