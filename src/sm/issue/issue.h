// The schedulers of an SM. issue.c alone writes these; everybody may read them.
#pragma once
#include "sm/places.h"
#include "sm/sm.h"

struct op;
struct pick;
struct sm_grid;
struct sm_warp;

struct issue {
    const struct pick *pick;                                            // who goes first
    uint64_t warps_of[SM_SCHEDULERS];                                   // bits: each scheduler's warps
    uint32_t last[SM_SCHEDULERS];                                       // warp slot that issued last
    uint8_t order[SM_SCHEDULERS][SM_WARPS], order_count[SM_SCHEDULERS]; // its warps by age
    uint64_t branch_free[SM_SCHEDULERS];                                // each has a branch unit
    uint64_t free[SM_SCHEDULERS]; // it goes on behind its last instruction, from that cycle on
    uint64_t lanes;               // of the instruction being issued

    // What came of the cycle.
    uint8_t issued[SM_SCHEDULERS], second_why[SM_SCHEDULERS];
    uint8_t refused[SM_SCHEDULERS]; // why a ready warp could not go; 0: none was refused
    uint8_t refused_slot[SM_SCHEDULERS];
    uint32_t issued_inst[SM_SCHEDULERS], refused_inst[SM_SCHEDULERS];

    // Guests, of whose instructions none is the first of a pair.
    struct sm_grid *guest_of[SM_SCHEDULERS]; // that has issued in this cycle; NULL: none has
    bool guest_went_last[SM_SCHEDULERS];     // since a warp

    // Warps that issue through a mechanism's port, and none of a scheduler's.
    uint64_t at_port;
    unsigned last_at_port; // warp slot that issued there last

    // Nobody starves.
    uint64_t unserved;              // bits: ready at the last look for warps that starve
    uint64_t look_issued[SM_WARPS]; // of those: what they had executed then,
    uint32_t look_head[SM_WARPS];   // and what was next
    uint64_t favoured;              // bit: one that starved, until the next look
    bool favours_guests;            // or guests that did
    uint64_t next_look, calm_until; // before that no look is due and nobody favoured
    unsigned last_favoured;         // warp slot
};

void issue_init(struct sm *s);
void issue_cycle(struct sm *s);
// With what there may be beside warps and schedulers that issue every cycle: guests, a mechanism's port, schedulers that are
// busy with an instruction for longer.
void issue_cycle_beside(struct sm *s);
void issue_to_port(struct sm *s, unsigned slot, bool to_port);
void issue_forget_guests(struct sm *s);
// With encoded waits, the warp waits longer than its control words say, with mechanisms: its instruction is done at that cycle.
void issue_pay(const struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done);
void issue_nothing(struct sm *s); // in the cycles that are skipped
void issue_join(struct sm *s, unsigned slot);
void issue_leave(struct sm *s, unsigned slot);
