// Functions called between the files of the schedulers (sm/issue/). issue.c chooses warps, and slot.c issues
// a warp's instruction. starve.c issues for starving warps, port.c at a mechanism's port, guest.c for guests.
#pragma once
#include "sm/sm_impl.h"

// ISSUED: the warp may go on with the next instruction. STOPPED: issued, but the warp waits, has branched or
// ended, or a lane has faulted. REFUSED: not issued. COPIED: a mechanism's move, or an instruction of a wrong
// path, issued in place of the warp's next instruction.
enum outcome { OUTCOME_ISSUED, OUTCOME_STOPPED, OUTCOME_REFUSED, OUTCOME_COPIED };

static inline void refuse(struct sm *s, unsigned scheduler, unsigned slot, enum gpu_slot why)
{
    if (s->issue.refused[scheduler]) return;
    s->issue.refused_slot[scheduler] = (uint8_t)slot;
    s->issue.refused[scheduler] = (uint8_t)why;
    s->issue.refusers |= 1ull << scheduler;
    s->issue.refused_inst[scheduler] = s->warps[slot].front.head;
}

static inline void note_issue(struct sm *s, unsigned scheduler)
{
    s->issue.issued[scheduler] = 1;
    s->issue.went |= 1ull << scheduler;
}

// A scheduler has issued one instruction of grid `g` in this cycle, number `inst`, and no second for reason `why`.
static inline void charge_second(const struct sm *s, struct sm_grid *g, enum gpu_slot why, uint32_t inst)
{
    if (s->config->issue_width > 1) account_charge(&g->account, why, inst, 1);
}
// The same for the next instruction of the warp in `slot`.
static inline void charge_second_of(struct sm *s, unsigned slot, enum gpu_slot why, uint32_t inst)
{
    if (s->config->issue_width > 1 && why == SLOT_MEMORY)
        account_waited(s, slot, inst, 1);
    else
        charge_second(s, s->warps[slot].grid, why, inst);
}
// The warp's next instruction is refused for memory, or paused for an access: waits are charged to the level.
static inline void waits_for_level(struct sm *s, unsigned slot, enum gpu_level level)
{
    ready_awaits(&s->warps[slot].ready, (uint8_t)(SOURCE_LEVEL + level));
}

// -- slot.c
// Tries to issue the instruction at the head of the warp's I-buffer. issue_one: an instruction of the right
// path; issue_ghost: of a wrongly predicted path.
enum outcome issue_one(struct sm *s, unsigned scheduler, unsigned slot);
enum outcome issue_ghost(struct sm *s, unsigned scheduler, unsigned slot);
// Removes the instruction just issued from the head of the I-buffer, and applies its effects on barriers and
// mechanisms, or the warp's end. has_slot: issued in a scheduler's slot, not at a mechanism's port.
enum outcome issue_left(struct sm *s, struct sm_grid *g, unsigned slot, uint32_t index, const struct op *o,
                        bool has_slot);
// The cost of an instruction executed in `lanes` lanes, after the mechanisms' changes to the cost. Also
// counts the lanes spared and the registers compared: call once for each instruction.
struct op_cost issue_price(const struct sm_warp *w, const struct op *o, uint64_t lanes);
// Delays the warp's next instruction after the issue of `o`, whose result is available from cycle `done` on.
// is_over: `o` is a memory instruction without an accessing lane, or issued at a mechanism's port.
void issue_keep_warp(struct sm *s, struct sm_warp *w, const struct op *o, uint64_t done, bool is_over);

// Tries to issue the head of the warp's I-buffer, on the right path or a wrong path.
static inline __attribute__((always_inline)) enum outcome issue_head(struct sm *s, unsigned scheduler,
                                                                     unsigned slot, bool beside)
{
    bool is_wrong = beside && s->predict.wrong >> slot & 1;
    return is_wrong ? issue_ghost(s, scheduler, slot) : issue_one(s, scheduler, slot);
}

// For a cycle in which a look for starving warps is due or a warp is favoured. Makes a due look, and tries to
// issue for the favoured warp. Returns the warps (bits by slot) that may still issue in this cycle.
uint64_t issue_uneasy(struct sm *s);
// The favoured warp or guest was refused, so no other warp may issue in this cycle. Notes the oldest ready
// warp of every other scheduler as refused. own: scheduler of the favoured warp; SM_SCHEDULERS: a guest is
// favoured.
void issue_hold_all(struct sm *s, unsigned own);

// -- guest.c, port.c
// Issues the guests whose turn has come. Returns the warps of `warps` (bits by slot) whose scheduler has
// given no issue slot to a guest; 0: no warp may issue.
uint64_t issue_guests(struct sm *s, uint64_t warps);
void issue_port(struct sm *s); // issues at most one instruction of the warps at a mechanism's port
