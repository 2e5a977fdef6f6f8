// Guests: streams of instructions that mechanisms run beside the warps (tech.h). Written by guest.c alone,
// read by every part of the SM.
//
//     fetch ─▶ I-buffer ─▶ scheduler or beside it ─▶ collector ─▶ pipeline ─▶ the guest's registers
//
// The stages treat a guest as a warp with a slot number behind the slots of warps; sets of warps as bits by
// slot leave guests out. The mechanism defines the effect of the guest's instructions. Guests do not use the
// load/store unit.
#pragma once
#include "sm/mech/tech.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm_grid;
struct sm_tech;

// State of the guest of one grid on one SM. A guest is a stream of instructions that a mechanism of the
// simulated GPU runs beside the grid's warps.
struct guest {
    unsigned slot, scheduler; // scheduler: also the port of its fetches
    bool roams;               // issued by any scheduler
    enum guest_turn turn;
    bool runs;
    uint64_t since; // cycle of the guest's last issue; before the first issue: cycle of the guest's start
    // Results of the starvation checks, one every 4096 cycles. was_passed_over: the last check was on time,
    // and the guest could issue or wanted a fetch. starves: so at the last two checks, without an issue in
    // between.
    bool was_passed_over, starves;
    uint64_t look_since; // value of `since` at the last starvation check
    const struct sm_tech *host;
    uint16_t map[MAP_REGISTERS]; // physical number of the guest's register Rr
    // Block outside the grid's dispatch, whose warps hold values for the guest; NULL: not created yet.
    struct cta *block;
};

void guest_begin(struct sm_grid *g); // reserves a guest for the grid
void guest_end(struct sm_grid *g);
void guest_start(struct sm_grid *g, const struct sm_tech *host, uint32_t pc, unsigned scheduler,
                 enum guest_turn turn);
void guest_stop(struct sm_grid *g);

static inline bool guest_runs(const struct guest *x) { return x && x->runs; }
// Whether the guest's next instruction is in the I-buffer with its registers ready, and the mechanism lets
// the instruction issue. Units are not checked.
bool guest_can_issue(const struct sm_grid *g);
void guest_issue(struct sm_grid *g);
// Checks all guests for starvation and notes the starving guests; true: at least one guest starves. is_next:
// this check is on time, in the cycle set by the previous check.
bool guest_look(struct sm *s, bool is_next);
// True: the guest starves and issues before all warps, until the next starvation check.
bool guest_is_favoured(const struct sm *s, const struct guest *x);
// First cycle at which a guest of the SM can issue, be fetched for, or receive instructions in flight;
// CYCLE_NEVER: not known, or no guest runs.
uint64_t guest_next(const struct sm *s);
void guest_report(const struct sm_grid *g, uint64_t begin, struct strbuf *out); // as sm_report
// guest_values: a warp of the block in the state of its start. guest_compute: executes the instruction for
// this warp; false: passed over, since the instruction has effects beyond the warp's own registers or could
// fail.
struct warp *guest_values(struct sm_grid *g, uint64_t block, unsigned warp);
bool guest_compute(struct sm_grid *g, struct warp *values, uint32_t index);

// The turn of a guest among warps that could issue or be fetched for (`among`, bits by slot). True: the guest
// goes before all of these warps. last: slot of the warp served last; went_last: a guest was served since.
bool guest_goes(enum guest_turn turn, unsigned last, bool went_last, uint64_t among);
