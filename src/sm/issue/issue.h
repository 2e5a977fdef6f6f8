// The schedulers of an SM: written by the files of sm/issue/ alone, read by every part of the SM.
#pragma once
#include "sm/places.h"
#include "sm/sm.h"

struct op;
struct pick;
struct sm_grid;
struct sm_warp;

struct issue {
    const struct pick *pick;          // scheduling policy
    uint64_t warps_of[SM_SCHEDULERS]; // bits by warp slot: the scheduler's warps
    uint32_t last[SM_SCHEDULERS];     // slot of the warp that issued last
    // By scheduler: slots of its warps, from the oldest to the youngest, and the number of warps.
    uint8_t order[SM_SCHEDULERS][SM_WARPS], order_count[SM_SCHEDULERS];
    uint64_t branch_free[SM_SCHEDULERS]; // cycle from which on the scheduler's branch unit is free
    uint64_t free[SM_SCHEDULERS];        // cycle from which on the scheduler can issue
    uint64_t lanes;                      // active lanes of the issuing instruction
    uint8_t chosen[SM_SLOTS]; // by warp slot, with sim.no_divergence: lane whose instructions take time

    // Outcome of the cycle.
    uint64_t all;                  // bits: the schedulers
    uint64_t went;                 // bits by scheduler: has issued
    uint64_t refusers;             // bits by scheduler: `refused` is set
    uint64_t without_warps;        // bits by scheduler: no warps
    uint8_t issued[SM_SCHEDULERS]; // number of instructions issued
    // By scheduler: why the first refused warp, ready in this cycle, could not issue (enum gpu_slot); 0: no
    // refusal.
    uint8_t refused[SM_SCHEDULERS];
    uint8_t refused_slot[SM_SCHEDULERS];
    uint32_t refused_inst[SM_SCHEDULERS];

    // Guests. A guest's instruction never pairs with another instruction.
    struct sm_grid *guest_of[SM_SCHEDULERS]; // grid whose guest took an issue slot in this cycle; NULL: none
    uint64_t guest_went_last;                // bits by scheduler: a guest, not a warp, was the last to issue

    // Bits by warp slot: warps that issue through a mechanism's port, by no scheduler.
    uint64_t at_port;
    unsigned last_at_port; // slot of the warp chosen last at the port

    // Starvation checks (looks, starve.c).
    uint64_t unserved;              // bits by warp slot: warps ready at the last look; 0 if the look was late
    uint64_t look_issued[SM_WARPS]; // unserved warps' counts of executed instructions at the last check
    uint32_t look_head[SM_WARPS];   // unserved warps' next instruction at the last starvation check
    uint64_t favoured;   // bit of the starving warp that issues first until the next look; 0: no warp
    bool favours_guests; // in place of a warp, starving guests issue first until the next look
    // next_look: cycle of the next look. calm_until: before this cycle no look is due and no warp is
    // favoured.
    uint64_t next_look, calm_until;
    unsigned last_favoured; // slot of the warp favoured last
};

void issue_init(struct sm *s);
// A cycle as issue_cycle (cycle.h), with guests, a mechanism's port, wrong paths, and schedulers kept busy by an instruction
// for several cycles.
void issue_cycle_beside(struct sm *s);
void issue_to_port(struct sm *s, unsigned slot, bool to_port);
void issue_forget_guests(struct sm *s);
// dependences=encoded, grid with mechanisms: the instruction is done at cycle `done`. If `done` is later than
// the control word says, the control word's wait is extended. Clears the waits left over from instructions
// that mechanisms skipped (operand_warp.owed).
void issue_pay(const struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done);
void issue_nothing(struct sm *s); // clears the outcome of the cycle: at its begin, and before skipped cycles
void issue_join(struct sm *s, unsigned slot);
void issue_leave(struct sm *s, unsigned slot);
