// The parts of an SM, each in a header of its own. Only a part's .c files and the inline functions of its
// header write the part's members; `make check-layers` verifies this.
//
//     room.h     resident grids, blocks and warps         front.h    fetch and I-buffers
//     ready.h    ready warps, and why others wait         issue.h    schedulers
//     operand.h  registers and pipelines in time          lsu.h      memory instructions
//     tags.h     L1 and the other caches                  account.h  use of the schedulers' slots
//     board.h    results waiting for commit in program order
//     predict.h  branch prediction and wrong paths
//     guest.h    instruction streams of mechanisms, without a warp slot
//     bulk.h     the engine of bulk copies
//     net.h      entries between the SMs of a GPC, for clusters
//     line_buffer.h  lines beside L1, requested by a mechanism
#pragma once
#include "sm/account.h"
#include "sm/board.h"
#include "sm/check.h"
#include "sm/coalesce.h"
#include "sm/front.h"
#include "sm/issue/guest.h"
#include "sm/issue/issue.h"
#include "sm/issue/pick.h"
#include "sm/line_buffer.h"
#include "sm/lsu.h"
#include "sm/mech/mech.h"
#include "sm/operand.h"
#include "sm/predict.h"
#include "sm/ready.h"
#include "sm/room.h"
#include "sm/stall.h"
#include "sm/tags.h"
#include "sm/warpgroup.h"
#include "sm/watched.h"

struct sm_warp {          // a warp slot; room.c (for guests, guest.c) writes the first five members
    struct warp *warp;    // NULL: empty slot
    struct sm_grid *grid; // grid of the warp
    uint32_t age;         // serial number among all warps started on the SM
    uint8_t block, place; // indices: in the grid's `room.blocks`; among the grid's warps on the SM
    struct front_warp front;
    struct ready_warp ready;
    struct operand_warp operands;
    struct lsu_warp lsu;
    struct tags_warp tags;
};

_Static_assert(sizeof(struct sm_warp) == 256, "a slot is found by a shift, on a hot path");

// An SM's part of a grid: engine, counts, account, mechanisms.
struct sm_grid {
    struct tech_sight sight; // of its mechanisms; the first member
    struct sm *sm;
    const struct sm_launch *launch;
    const struct op *ops; // decoded instructions of the grid
    struct timed_engine *engine;
    struct room_grid room;
    struct operands_grid operands;
    struct lsu_grid lsu;
    struct tags_grid tags;
    struct account_grid account;
    struct gpu_counts counts;

    struct sm_tech techs[TECH_MAX];
    unsigned tech_count;
    const struct sm_tech *leaves_out; // the mechanism with a leaves_out hook; NULL: none
    const uint32_t *left_out;         // of that mechanism (tech_concerns); NULL: unknown
    const struct mech_hooks *hooks;   // of the only mechanism; with several, &joined; without, an empty table
    void *hooked;                     // argument of the hooks: the only mechanism's state, or the grid
    struct tech_concerns concerns;    // of the only mechanism; `hooks` NULL: unknown
    struct mech_hooks joined;         // for several mechanisms: each hook asks the mechanisms in order
    // place of a warp certain to be evaluated after the running hooks, so that tech_hold need not; NO_WARP:
    // none
    unsigned looked_at;
    struct event_ring events;        // by block: cycles requested by mechanisms (tech_at)
    struct guest *guest;             // NULL: no mechanism of the grid claims the guest stream
    struct line_buffer *line_buffer; // NULL: lines requested by mechanisms go to L1
};

struct sm {
    const struct gpu_config *config;
    uint32_t line_bytes; // of cache lines
    unsigned index;
    uint64_t now, window_end;
    bool faulted;

    // by slot; slot NO_WARP is always empty, guests have the slots after NO_WARP
    struct sm_warp warps[SM_SLOTS];
    struct room room;
    struct front front;
    struct ready ready;
    struct issue issue;
    struct operands operands;
    struct lsu lsu;
    struct coalesce coalesce;
    struct tags tags;
    struct account account;
    struct board board;
    struct predict predict;
    struct warpgroups *warpgroups; // NULL: no product of a warpgroup so far

    bool has_techs;         // some grid on the SM has mechanisms
    bool asks_fetch;        // a mechanism has the hook `fetch`
    bool has_guests;        // some grid may have a guest
    uint8_t guests_running; // number of guests under way
    bool has_port;          // some grid's warps may issue through a mechanism's port
    // earliest cycle requested by a mechanism (tech_at); CYCLE_NEVER: none
    uint64_t event_at;
    bool has_onlookers; // mechanisms, a watch, sim.check, sim.no_divergence or a stall look are active
    bool has_watchers;  // a watch, sim.check, sim.no_divergence or a stall look is active

    struct check check;     // with sim.check
    struct stall *stall;    // NULL: no look for launches without end
    struct bulk_unit *bulk; // the copy engine (bulk.h); NULL: no bulk copy yet
    struct net *net;        // entries between SMs (net.h); NULL: none yet
    struct watch_sm *watch; // NULL: not watched
};

static inline unsigned slot_of(const struct sm *s, const struct sm_warp *w)
{
    return (unsigned)(w - s->warps);
}

// Slot of the warp in `among` (not empty) that has been on the SM longest.
static inline unsigned oldest_of(const struct sm *s, uint64_t among)
{
    const struct sm_warp *oldest = &s->warps[bit_lowest(among)];
    for (uint64_t left = among & (among - 1); left; left &= left - 1) {
        const struct sm_warp *w = &s->warps[bit_lowest(left)];
        if (w->age < oldest->age) oldest = w;
    }
    return slot_of(s, oldest);
}

// Index of the instruction charged for the warp's wait: the next instruction, or the barrier or sleep
// issued last.
static inline uint32_t waits_with(const struct sm_warp *w)
{
    return w->ready.why == SLOT_BARRIER ? w->ready.stopped_at : w->front.head;
}

// Whether a warp's next instruction, which is ready, needs the load/store unit. A memory instruction with a
// false guard in all active lanes completes at issue.
static inline bool accesses_memory(const struct sm_warp *w, const struct op *o)
{
    if (o->path != PATH_MEMORY || !o->is_guarded) return o->path == PATH_MEMORY;
    uint64_t guard = w->warp->pred[o->guard];
    return w->warp->active & (o->guard_not ? ~guard : guard);
}

// Iterates over the grids on the SM.
#define EACH_GRID(s, g)                                                                                      \
    for (struct sm_grid *const *at_ = (s)->room.grids, *g = *at_;                                            \
         at_ < (s)->room.grids + (s)->room.grid_count && (g = *at_, true); at_++)

static inline struct sm_grid *sm_grid_of(const struct sm *s, uint8_t number)
{
    struct sm_grid *const *at = s->room.grids;
    while ((*at)->launch->number != number) at++;
    return *at;
}

const char *sm_reason(enum gpu_slot why); // text of a reason, to follow "waits for"
void sm_note_onlookers(struct sm *s);     // recomputes has_techs and has_onlookers

// Whether a grid on the SM has mechanisms; rare, like other observers (watch.h, check.h). Without any, an SM
// pays for a well-predicted test.
static inline bool has_techs(const struct sm *s) { return __builtin_expect(s->has_techs, 0); }
// What an SM's run has to reckon with, a constant of the functions of a cycle. PLAIN: no mechanisms and other
// onlookers, at most one grid. BESIDE: everything, also guests, ports, prediction and schedulers kept busy.
enum sm_mode { MODE_PLAIN, MODE_OBSERVED, MODE_BESIDE };

static inline bool is_guest(const struct sm_warp *w) { return w->place == NO_PLACE; }
static inline bool has_onlookers(const struct sm *s) { return __builtin_expect(s->has_onlookers, 0); }
