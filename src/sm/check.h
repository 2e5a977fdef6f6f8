// Self-check of the model (sim.check). issue.dependences decides how long instructions wait for registers. An
// independent record of reads and writes, not used for the decisions, verifies:
//
//   - no lane reads a register or predicate before the result is ready,
//   - no register is written before an operand collector's outstanding read,
//   - an issued instruction is the instruction at the warp's pc,
//   - registers change hands only without outstanding reads and writes,
//   - remembered passes over the banks of shared memory are those of the addresses.
#pragma once
#include "base/arena.h"
#include "sm/decode.h"

struct check_place {  // a physical register, or a predicate of a warp slot
    uint64_t ready;   // cycle from which reads are allowed; UINT64_MAX: a reply is outstanding
    uint64_t written; // with a bypass, cycle of the register write, later than `ready`; else 0
    uint64_t lanes;   // of the result in flight
    uint64_t serial;  // of the last write
    uint64_t read_until;
};

struct check {
    struct check_place *registers, *preds; // heap
    uint32_t count;                        // number of registers
    uint64_t serial;
    const char *broken; // the first broken rule, static text; NULL
};

void check_init(struct check *k, uint32_t slots);
void check_fini(struct check *k);
void check_grow(struct check *k, uint32_t registers); // `registers`: the new total
// Checks that the issuing instruction `index` is the instruction at its warp's `pc`.
void check_issue(struct check *k, uint32_t index, uint32_t pc);
// check_read: an instruction issues at `now` for `lanes` and reads register `reg` at cycle `at`.
// check_read_preds: an instruction of the warp in `slot` reads its predicates.
void check_read(struct check *k, uint32_t reg, uint64_t lanes, uint64_t now, uint64_t at);
void check_read_preds(struct check *k, unsigned slot, const struct op *o, uint64_t lanes, uint64_t now);
// The instruction's result is written to `registers` at cycle `written` and may be read from `ready` on.
// Returns the serial number of the write, for a later check_reply if `ready` is UINT64_MAX (unknown).
uint64_t check_writes(struct check *k, unsigned slot, const uint16_t *registers, const struct op *o,
                      uint64_t lanes, uint64_t ready, uint64_t written);
void check_reply(struct check *k, unsigned slot, const uint16_t *registers, const struct op *o,
                 uint64_t serial, uint64_t ready);
// A shared-memory access takes `counted` passes over the banks; `remembered` are charged.
void check_passes(struct check *k, unsigned remembered, unsigned counted);
// The warp slot and `count` registers from `first` on pass to another warp. Checks that no read or write is
// outstanding, and clears the records.
void check_recycle(struct check *k, unsigned slot, uint32_t first, uint32_t count, uint64_t now);
