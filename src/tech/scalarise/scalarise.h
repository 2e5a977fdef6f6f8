// Dynamic scalarisation: uniform and affine registers are kept as scalars, detected at the write (scalar/).
// The rest goes to a vector register file, possibly smaller than the warps' registers.
//
//     scalarise.c   values written to the register file and read from it, with their costs
//     spill.c       registers moved to memory and back
//     pipe.c        instructions executed by one lane for all, beside the schedulers
#pragma once
#include "exec/warp.h"
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
    uint64_t spill_area; // device address of the lines of spilled registers, after the grid's local memory
    uint8_t sectors;     // bits: sectors of a line taken by a register's words
    unsigned pipe_warps; // maximum number of warps at the scalar pipe; 0: no scalar pipe
    bool verify;
    uint64_t *mismatches;
};

// Lanes of a warp's registers with a result that arrives after execution (comes_later) and is not in the file
// yet. At the next read or write of the register the result is in the warp's own register.
struct open_warp {
    uint64_t is_open[REGISTERS / 64], lanes[REGISTERS];
};

struct scalarise {
    struct launch_state *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct scalar_regfile file;
    struct open_warp open[SLOTS];
    uint64_t since;  // cycle up to which counter vector_cycles has been counted
    uint64_t writes; // so far, for `corrupt`
    // Of the instruction at hand:
    uint64_t lanes;              // lanes that execute the instruction
    uint8_t kinds[OP_READS_MAX]; // enum scalar_kind, by source
    // Of the scalar pipe. table: by instruction index modulo its size; scalarisable at the last execution by
    // a vector pipe.
    struct scalar_table table;
    uint64_t at_pipe; // bits: places of warps assigned to the scalar pipe
    bool is_in_pipe;  // the instruction at hand executes in the scalar pipe
    uint8_t code;     // of the result's stride
    // the scalar pipe could execute the instruction, if the base of its result is allowed
    bool is_scalarisable;
    // Of spilling:
    uint32_t *memory; // [place][register][lane]: spilled words; heap
    // by place: number + 1 of the register on its way back from memory; 0: not waiting
    uint16_t waits_for[SLOTS];
    uint8_t asked[SLOTS]; // by place: number of spilled registers requested since the warp's last issue
    bool spills;          // all warps wait while registers are spilled
    uint64_t rests_until; // cycle before which spilling does not begin
    unsigned turn;        // place at which the search for the next warp to spill a register begins
};

static inline uint32_t *scalarise_memory(struct scalarise *x, unsigned place, unsigned r)
{
    return x->memory + ((size_t)place * x->file.shape.registers + r) * x->file.shape.rule.lanes;
}
// Adds to counter vector_cycles the cycles since the last call, times the present number of vectors in the
// file. To be called before the number changes.
void scalarise_count(struct scalarise *x);

static inline uint64_t scalarise_threads(const struct warp *w) { return w->present & ~w->exited; }

// -- pipe.c
bool scalarise_port(void *state, unsigned place, uint32_t index);
// Before execution: sets is_scalarisable and code (of the result's stride), from opcode, predicates, kinds of
// the sources and active lanes.
void scalarise_look(struct scalarise *x, unsigned place, uint32_t index);
// After an instruction: chooses the pipe, scalar or vector, of the warp's next instruction. After a vector
// pipe: notes in the table whether the instruction was scalarisable.
void scalarise_move(struct scalarise *x, unsigned place, uint32_t index);
void scalarise_leave_pipe(struct scalarise *x, unsigned place);

// -- spill.c
// If no slot of the vector file is free, spills a register of any warp to free one, sparing registers of the
// instruction at hand. The slot lasts for a single write.
void scalarise_make_room(struct scalarise *x, unsigned place, const struct op *at_hand);
void scalarise_after_writes(struct scalarise *x, unsigned place); // starts spilling if few slots are free
// After an issue: requests a spilled register needed by the warp's next instruction.
void scalarise_look_ahead(struct scalarise *x, unsigned place);
void scalarise_bring_back(struct scalarise *x, unsigned place, unsigned r, const struct op *at_hand);
void scalarise_event(void *state, unsigned block);
void scalarise_line(void *state, uint64_t line, uint32_t token);
