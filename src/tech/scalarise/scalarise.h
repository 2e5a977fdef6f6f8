// Dynamic scalarisation: registers of one value and affine ones are kept as scalars, as they are written (scalar/), the
// others in a vector register file that may be smaller than what warps have of registers.
//
//     scalarise.c   which values go into the file, and come out of it; what that costs
//     spill.c       registers that go to memory, and come back
//     pipe.c        instructions that one lane executes for all, beside the schedulers
#pragma once
#include "exec/exec_impl.h"
#include "scalar/predict.h"
#include "scalar/regfile.h"
#include "sm/mech/tech.h"

struct options {
    uint32_t strides, vectors, read_cycles, write_cycles, predictions, corrupt, spoil;
    int detect, spill, partial, scalar, warps;
};

enum { DETECT_ALIGNED, DETECT_ANY_BASE, DETECT_OFF_AFFINE };

enum counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/scalarise/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

enum { SLOTS = 64, REGISTERS = 256 };

struct launch_state {
    const struct options *options;
    const struct program *program;
    const struct op *ops;
    uint64_t spill_area; // address of the lines that registers are spilled to: behind the grid's local memory
    uint8_t sectors;     // of a line that a register's words take
    unsigned pipe_warps; // that may be at the scalar pipe at once; 0: there is none
    bool verify;
    uint64_t *mismatches;
};

// A register's lanes that have been written at some time since the file was told last: by what comes when memory answers,
// or other lanes of the warp get there. By the time that anybody reads it they are in the warp's own register.
struct open_warp {
    uint64_t is_open[REGISTERS / 64], lanes[REGISTERS];
};

struct scalarise {
    struct launch_state *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct scalar_regfile file;
    struct open_warp open[SLOTS];
    uint64_t since;  // the cycle up to which vector_cycles are counted
    uint64_t writes; // so far, for `corrupt`
    // Of the instruction at hand.
    uint64_t lanes;              // that execute it
    uint8_t kinds[OP_READS_MAX]; // enum scalar_kind, of its sources
    // Of the scalar pipe.
    struct scalar_table table; // what was scalarisable the last time
    uint64_t at_pipe;          // bits: slots whose warps are there
    bool is_in_pipe;           // the instruction at hand is
    uint8_t code;              // of the stride of its result
    bool is_scalarisable;      // or could be
    // Of spilling.
    uint32_t *memory;          // [place][register][lane]: what has been spilled
    uint16_t waits_for[SLOTS]; // the register on its way back that a warp waits for, + 1; 0: none
    uint8_t asked[SLOTS];      // registers that were asked for since it has issued
    bool spills;               // all warps wait while registers are spilled
    uint64_t rests_until;      // no such time begins before this cycle
    unsigned turn;             // the place whose register is the next
};

static inline uint32_t *scalarise_memory(struct scalarise *x, unsigned place, unsigned r)
{
    return x->memory + ((size_t)place * x->file.shape.registers + r) * x->file.shape.rule.lanes;
}
// The cycles since the last call go to as many vectors as there are now: before their number changes.
void scalarise_count(struct scalarise *x);

static inline uint64_t scalarise_threads(const struct warp *w) { return w->present & ~w->exited; }

// -- pipe.c
bool scalarise_port(void *state, unsigned place, uint32_t index);
// Before the instruction at hand executes, whose operands are what x->kinds says: could one lane execute it?
void scalarise_look(struct scalarise *x, unsigned place, uint32_t index);
void scalarise_move(struct scalarise *x, unsigned place, uint32_t index); // behind it: which pipe is next?
void scalarise_leave_pipe(struct scalarise *x, unsigned place);

// -- spill.c
// A place of the file is free from now on, which the instruction of the warp that is at hand may take for one register.
void scalarise_make_room(struct scalarise *x, unsigned place, const struct op *at_hand);
void scalarise_after_writes(struct scalarise *x, unsigned place); // few slots may be free now
void scalarise_look_ahead(struct scalarise *x, unsigned place); // what does the warp's next instruction need?
void scalarise_bring_back(struct scalarise *x, unsigned place, unsigned r, const struct op *at_hand);
void scalarise_event(void *state, unsigned block);
void scalarise_line(void *state, uint64_t line, uint32_t token);
