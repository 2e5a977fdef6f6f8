// Guests: streams of instructions that mechanisms run beside the warps (tech.h). guest.c alone writes these;
// everybody may read them.
//
//     fetch ─▶ I-buffer ─▶ scheduler or beside it ─▶ collector ─▶ pipeline ─▶ its registers
//
// A guest is a warp to the stages, but for what they keep a bit for: those are the slots', and it has none. What
// its instructions do the mechanism says; nothing of it goes to the load/store unit.
#pragma once
#include "exec/timed.h"
#include "sm/mech/tech.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm_grid;
struct sm_tech;

struct guest { // a grid's on an SM
    unsigned slot, scheduler;
    enum guest_turn turn;
    bool runs;
    uint64_t since; // it has issued nothing
    // At the last look for who starves: it could have gone, or been fetched for; it could at the one before and has not since.
    bool was_passed_over, starves;
    uint64_t look_since; // what `since` was then
    const struct sm_tech *host;
    uint16_t map[MAP_REGISTERS]; // its Rr's physical number
    struct cta *block;           // NULL, or one that is nowhere, for values
};

void guest_begin(struct sm_grid *g); // it may have one
void guest_end(struct sm_grid *g);
void guest_start(struct sm_grid *g, const struct sm_tech *host, uint32_t pc, unsigned scheduler,
                 enum guest_turn turn);
void guest_stop(struct sm_grid *g);

static inline bool guest_runs(const struct guest *x) { return x && x->runs; }
// Its registers and what its mechanism says let the next instruction issue.
bool guest_can_issue(const struct sm_grid *g);
void guest_issue(struct sm_grid *g);
// Who starves of them; is_next: the look is the one behind the last.
bool guest_look(struct sm *s, bool is_next);
bool guest_is_favoured(const struct sm *s,
                       const struct guest *x); // until the next look: goes before all warps
uint64_t guest_next(const struct sm *s);       // the first cycle at which one of them can do anything
void guest_report(const struct sm_grid *g, uint64_t begin, struct strbuf *out); // as sm_report
// A warp of that block as it is when it begins, for values; and its instruction, unless others would notice.
struct warp *guest_values(struct sm_grid *g, uint64_t block, unsigned warp);
bool guest_compute(struct sm_grid *g, struct warp *values, uint32_t index);

// The turn of a guest among warps that could issue (bits by slot): true, the guest goes before all of them. last: the warp slot served
// last; went_last: the guest has gone since.
bool guest_goes(enum guest_turn turn, unsigned last, bool went_last, uint64_t among);
