// The model looks after itself (sim.check): what waits for what is decided by a scoreboard or by control
// words, and this book, which neither reads, says whether they were right.
//
//   - no lane reads a register or predicate before its result is there,
//   - nothing is written while an operand collector still has to read it,
//   - what issues is the instruction that its warp is at,
//   - registers change hands only when nobody reads or writes them any more.
#pragma once
#include "base/arena.h"
#include "sm/decode.h"

struct check_place {  // a physical register, or a predicate of a warp's slot
    uint64_t ready;   // may be read from then on; UINT64_MAX: when a reply comes
    uint64_t written; // by a bypass later; 0: as `ready`
    uint64_t lanes;   // that the result under way is for
    uint64_t serial;  // of the write
    uint64_t read_until;
};

struct check {
    struct check_place *registers, *preds; // heap
    uint32_t count;                        // of registers
    uint64_t serial;
    const char *broken; // the first rule that did not hold, static text; NULL: none
};

void check_init(struct check *k, uint32_t slots);
void check_fini(struct check *k);
void check_grow(struct check *k, uint32_t registers);           // there are so many now
void check_issue(struct check *k, uint32_t index, uint32_t pc); // an instruction issues; where its warp is
// An instruction issues for `lanes` and reads a register at cycle `at`; one of the warp in `slot` reads its
// predicates.
void check_read(struct check *k, uint32_t reg, uint64_t lanes, uint64_t now, uint64_t at);
void check_read_preds(struct check *k, unsigned slot, const struct op *o, uint64_t lanes, uint64_t now);
// Its result, which is in these physical registers at `written` and may be had from `ready` on; the serial of the write, by
// which check_reply knows it when that was not known.
uint64_t check_writes(struct check *k, unsigned slot, const uint16_t *registers, const struct op *o,
                      uint64_t lanes, uint64_t ready, uint64_t written);
void check_reply(struct check *k, unsigned slot, const uint16_t *registers, const struct op *o,
                 uint64_t serial, uint64_t ready);
// Another warp gets the slot and its registers.
void check_recycle(struct check *k, unsigned slot, uint32_t first, uint32_t count, uint64_t now);
