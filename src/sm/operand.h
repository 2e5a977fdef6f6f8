// Registers in time: collectors, banks, pipelines, write ports, and when results are there. operand.c alone
// writes these; everybody may read them.
#pragma once
#include "base/bits.h"
#include "sm/decode.h"
#include "sm/places.h"
#include "sm/sm.h"
#include "sm/waits.h"

struct sm;
struct sm_grid;
struct sm_warp;

enum { WRITE_CYCLES = 1024 };

struct operand_warp {
    uint32_t registers;                      // physical number of its own R0
    uint16_t barrier_pending[WAIT_BARRIERS]; // of encoded waits: each barrier's memory instructions under way
    uint16_t *map;                           // Rr is map[r]; without a mechanism registers + r
    uint64_t busy_until;                     // operands are read and results that are known come until then
    uint64_t pred_ready[8];
    // Of encoded waits, and with one instruction at a time: no instruction issues before; when a barrier's memory
    // instructions that have come back, or those that need no memory, are done.
    uint64_t stall_until, barrier_ready[WAIT_BARRIERS];
    uint8_t pred_from_memory, barrier_from_memory; // bits
    bool stalls_for_memory;
    uint8_t owed; // bits: barriers that instructions skipped since would have waited for
};

struct operands {
    // By physical register.
    uint64_t *ready; // CYCLE_NEVER: a reply will say
    uint64_t *read;  // when the last collector that found its bank busy reads it
    uint8_t *from_memory;
    uint8_t *bank_of;
    uint32_t numbers; // there are
    uint64_t collector_free[64];
    unsigned collector; // free: what operand_has_collector found
    struct bank {
        uint64_t cycle;    // of its next read, the first of these to come
        uint32_t used;     // ports, in it
    } banks[SM_BANKS + 1]; // and NO_BANK, which no read has to wait for
    uint64_t pipe_free[PIPE_COUNT][32];
    uint32_t pipes[PIPE_COUNT];    // of each kind
    uint64_t writes[WRITE_CYCLES]; // by cycle mod WRITE_CYCLES: cycle << 8 | results written in it
};

struct operands_grid {
    uint32_t first, count; // its physical numbers
    uint32_t own;          // those of its warps
    uint16_t *linear;      // linear[n] is first + n
    uint16_t *maps;        // by place, when a mechanism may change them
    uint32_t guest;        // the first of its guest's, the last MAP_REGISTERS
};

void operand_init(struct sm *s);
void operand_fini(struct sm *s);
void operand_begin(struct sm_grid *g);
void operand_end(struct sm_grid *g);
void operand_begin_techs(struct sm_grid *g);                   // registers may be mapped from now on
uint32_t operand_own(const struct sm_grid *g, unsigned place); // R0 of the warp there
void operand_start(struct sm *s, unsigned slot);
void operand_start_guest(struct sm_grid *g, unsigned slot, uint16_t map[MAP_REGISTERS]); // the map is its own
bool operand_has_collector(struct sm *s);
// Reserves the collector that was found and the register banks from now on; the cycle at which all operands
// are there.
uint64_t operand_collect(struct sm *s, const struct sm_warp *w, const struct op *o);
// What it reads is read, and counted, with no collector and no bank's port: by who has ports of its own.
void operand_look_up(struct sm *s, const struct sm_warp *w, const struct op *o);
// Reserves a pipeline and says when the result is there.
uint64_t operand_execute(struct sm *s, const struct sm_warp *w, const struct op *o, uint64_t collected,
                         uint32_t interval);
// Why the instruction would take longer than its fixed latency if it issued now; SLOT_ISSUED: it would not.
enum gpu_slot operand_obstacle(struct sm *s, const struct sm_warp *w, const struct op *o);
// A mechanism's move of a register, without a collector; when the copy is there.
uint64_t operand_move(struct sm_grid *g, uint16_t from, uint16_t to);
// The same of a register that holds one value in a lane or beside them: into all its lanes.
uint64_t operand_spread(struct sm_grid *g, uint16_t physical);
void operand_compare(const struct sm_warp *w, uint32_t count); // a mechanism has, lanes of so many registers
// A mechanism's value goes to the warp's own Rr.
void operand_write_back(struct sm *s, struct sm_warp *w, unsigned r);
// The first cycle from `cycle` on at which nobody has to read the destination any more and a write port is
// free for it, which the result takes. Without a destination that is `cycle`.
uint64_t operand_write(struct sm *s, const struct sm_warp *w, const uint16_t *registers, const struct op *o,
                       uint64_t cycle);
void operand_result(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle, bool from_memory);
// The same of a pipeline's result, which its warp may have before it is written; when.
uint64_t operand_piped(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t cycle);

static inline void operand_keep_busy(struct operand_warp *w, uint64_t until)
{
    w->busy_until = later(w->busy_until, until);
}
// A memory instruction's reply, into the registers that it had when it issued. current, bits: those that nothing younger has
// defined.
static inline void operand_reply(struct operands *all, struct operand_warp *w, const struct op *o,
                                 const uint16_t *registers, uint64_t ready, uint8_t current)
{
    for (unsigned n = 0; n < o->dst_words; n++)
        if (current >> n & 1) all->ready[registers[n]] = ready;
    for (unsigned left = o->pred_writes; left; left &= left - 1) w->pred_ready[bit_lowest(left)] = ready;
    if (o->barrier) {
        w->barrier_pending[o->barrier - 1]--;
        w->barrier_ready[o->barrier - 1] = later(w->barrier_ready[o->barrier - 1], ready);
    }
    operand_keep_busy(w, ready);
}
static inline void operand_stall(struct operand_warp *w, uint64_t until)
{
    w->stall_until = until;
    w->stalls_for_memory = false;
}
static inline void operand_stall_for_memory(struct operand_warp *w, uint64_t until)
{
    w->stall_until = until;
    w->stalls_for_memory = true;
}
// The instruction has been waited for, with all that others before it had left it to wait for.
static inline void operand_settle(struct operand_warp *w) { w->owed = 0; }

// -- what mechanisms do (tech.h)
void operand_skip(struct sm *s, unsigned slot, const struct op *o); // what its control word says still holds
void operand_free_banks(struct sm *s, uint16_t first, uint32_t count); // need no ports from now on
