// Inside an SM: its parts, each in a header of its own. Only the part's .c (and inline functions of its header)
// writes the part's members; `make check-layers` proves it.
//
//     room.h     who lives here: blocks, warps          front.h    fetch and the I-buffers
//     ready.h    who can issue, what others wait for    issue.h    the schedulers
//     operand.h  registers and pipelines in time        lsu.h      memory instructions
//     tags.h     L1 and the other caches                account.h  what the schedulers' slots went to
//     board.h    results that wait to be written in order
//     predict.h  where branches are predicted to go, and wrong paths
//     guest.h    mechanisms' streams of instructions, which have no slot
#pragma once
#include "sm/account.h"
#include "sm/board.h"
#include "sm/check.h"
#include "sm/front.h"
#include "sm/issue/guest.h"
#include "sm/issue/issue.h"
#include "sm/issue/pick.h"
#include "sm/lsu.h"
#include "sm/mech/tech.h"
#include "sm/operand.h"
#include "sm/predict.h"
#include "sm/ready.h"
#include "sm/room.h"
#include "sm/stall.h"
#include "sm/tags.h"
#include "sm/watched.h"

struct sm_warp {          // a slot
    struct warp *warp;    // NULL: it is empty
    struct sm_grid *grid; // that the warp is of
    uint32_t age;         // number of the warp among those that came to the SM
    uint8_t block, place; // of the grid's here; these five are room.c's
    struct front_warp front;
    struct ready_warp ready;
    struct operand_warp operands;
    struct lsu_warp lsu;
    struct tags_warp tags;
};

_Static_assert(sizeof(struct sm_warp) == 256, "a slot is found by a shift: it is looked for all the time");

// What an SM has of a grid: who it is, what it has counted here, and its mechanisms.
struct sm_grid {
    struct sm *sm;
    const struct sm_launch *launch;
    const struct op *ops; // its instructions
    struct timed_engine *engine;
    struct room_grid room;
    struct operands_grid operands;
    struct lsu_grid lsu;
    struct tags_grid tags;
    struct account_grid account;
    struct gpu_counts counts;

    struct sm_tech {
        const struct tech *tech;
        void *state;
        uint64_t *counters;
        struct sm_pool pool;
        uint8_t held[SM_WARPS]; // enum tech_hold
    } techs[TECH_MAX];
    unsigned tech_count;
    const struct sm_tech *leaves_out; // the one whose warps do not come to all instructions; NULL
    const struct tech *hooks;         // of the only mechanism, or of one that calls those of all
    void *hooked;                     // its state
    unsigned looked_at;               // warp whose readiness is seen to behind the hooks under way; NO_WARP
    struct event_ring events;         // by block: mechanisms'
    struct guest *guest;              // NULL: it will have none
};

struct sm {
    const struct gpu_config *config;
    uint32_t line_bytes; // of caches
    unsigned index;
    uint64_t now, window_end;
    bool faulted;

    struct sm_warp warps[SM_SLOTS]; // by slot, NO_WARP's, which is always empty, and guests'
    struct room room;
    struct front front;
    struct ready ready;
    struct issue issue;
    struct operands operands;
    struct lsu lsu;
    struct tags tags;
    struct account account;
    struct board board;
    struct predict predict;

    bool has_techs;     // some grid has mechanisms
    bool has_guests;    // some grid may have a guest
    bool has_port;      // some grid's warps may issue through a mechanism's port
    uint64_t event_at;  // of theirs, the first that is due; CYCLE_NEVER
    bool has_onlookers; // mechanisms, a watch, the book or a look for a stall

    struct check check;     // with sim.check
    struct stall *stall;    // NULL: nobody asks whether the launch will end
    struct watch_sm *watch; // NULL: nobody watches
};

static inline unsigned slot_of(const struct sm *s, const struct sm_warp *w)
{
    return (unsigned)(w - s->warps);
}

// The instruction that is charged for the warp's waiting: its next, or the barrier or sleep that keeps it
// from it.
static inline uint32_t waits_with(const struct sm_warp *w)
{
    return w->ready.why == SLOT_BARRIER ? w->ready.stopped_at : w->front.head;
}

// Whether a warp's next instruction, which is ready, goes to the load/store unit. One that accesses memory in
// no lane, for its guard, is over when it has issued.
static inline bool accesses_memory(const struct sm_warp *w, const struct op *o)
{
    if (o->path != PATH_MEMORY || !o->is_guarded) return o->path == PATH_MEMORY;
    uint64_t guard = w->warp->pred[o->guard];
    return w->warp->active & (o->guard_not ? ~guard : guard);
}

// Grids here, one after the other.
#define EACH_GRID(s, g)                                                                                      \
    for (struct sm_grid *const *at_ = (s)->room.grids, *g = *at_;                                            \
         at_ < (s)->room.grids + (s)->room.grid_count && (g = *at_, true); at_++)

static inline struct sm_grid *sm_grid_of(const struct sm *s, uint8_t number)
{
    struct sm_grid *const *at = s->room.grids;
    while ((*at)->launch->number != number) at++;
    return *at;
}

const char *sm_reason(enum gpu_slot why); // what whoever waits so waits for
void sm_note_onlookers(struct sm *s);     // somebody has come to look on, or gone

// Mechanisms, and whoever looks on besides (watch.h, check.h): rare, so that an SM without any pays a test
// that the branch predictor knows.
static inline bool has_techs(const struct sm *s) { return __builtin_expect(s->has_techs, 0); }
static inline bool is_guest(const struct sm_warp *w) { return w->place == NO_PLACE; }
static inline bool has_onlookers(const struct sm *s) { return __builtin_expect(s->has_onlookers, 0); }

// -- tech.c: the hooks of all mechanisms of a grid; called only when there are any. They know warps by their
// places, not by slots.
void tech_none(struct sm_grid *g);                        // has come, and has none yet
void tech_block_start(struct sm_grid *g, unsigned block); // the first brings them
void tech_end(struct sm_grid *g);
void tech_warp_end(struct sm_grid *g, unsigned slot); // and nobody holds it any more
const char *tech_check(const struct sm_grid *g);
// Of all grids: who may be fetched for; whose events are due.
uint64_t tech_fetch(struct sm *s, uint64_t fetchable);
void tech_events(struct sm *s);

void tech_block_end(struct sm_grid *g, unsigned block);
void tech_warp_start(const struct sm_warp *w);
uint32_t tech_fetched(const struct sm_warp *w, uint32_t pc, uint32_t *count, uint32_t most);
void tech_filled(const struct sm_warp *w, uint32_t pc, unsigned count);
void tech_flushed(const struct sm_warp *w);
uint32_t tech_reuse(const struct sm_warp *w, uint32_t index);
bool tech_port(const struct sm_warp *w, uint32_t index);
uint32_t tech_copies(const struct sm_warp *w,
                     uint32_t index); // a register to be written into all lanes first, + 1; 0: none
// The warp's instruction issues, from `reads` to `issued` or tech_settles: who holds the warp meanwhile has its readiness
// looked at behind that.
void tech_reads(const struct sm_warp *w, uint32_t index);
void tech_settles(struct sm_grid *g); // it has not issued, or its block has ended with it
void tech_executed(const struct sm_warp *w, uint32_t index);
void tech_kept(const struct sm_warp *w,
               struct tech_kept words[TECH_REGISTERS]); // of registers that are not in lanes
// Bits: of which registers that are read, or written, tech_operand is to be called. The others are in the main register file. Of
// hooks that have it.
uint32_t tech_elsewhere(const struct sm_warp *w, uint32_t index, bool is_write);
void tech_operand(const struct sm_warp *w, uint32_t index, struct operand_access *a);
void tech_cost(const struct sm_warp *w, uint32_t index, struct op_cost *c);
void tech_result(const struct sm_warp *w, uint32_t index, uint64_t cycle);
void tech_issued(const struct sm_warp *w, uint32_t index, bool goes_on); // in this cycle
// Its next line has gone. n: of what is to come with it, NULL: nothing can; and which mechanism says so, which is told what
// became of each.
struct tech_neighbours;
unsigned tech_access_line(const struct lsu_entry *e, enum line_outcome outcome, struct tech_neighbours *n);
void tech_neighbour(struct sm_grid *g, unsigned tech, uint64_t line, enum line_outcome outcome);
void tech_line(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token); // of that mechanism
void tech_replied(const struct sm_warp *w, uint32_t index, const uint16_t *registers, uint64_t cycle);
