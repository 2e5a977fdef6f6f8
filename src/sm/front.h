// Front end of an SM: choice of a warp to fetch for, instructions in flight, the warps' I-buffers. Written
// only in front.c and in this header, readable everywhere.
#pragma once
#include "sm/event_ring.h"
#include "sm/places.h"

struct sm;
struct sm_grid;
struct sm_warp;

struct front_warp {
    uint64_t fill_at; // cycle of arrival of the instructions in flight; 0: none in flight
    uint32_t pc;      // of the next instruction to fetch
    // index of the warp's next instruction, at the head of the I-buffer once fetched; the rest follow in
    // program order
    uint32_t head;
    uint8_t count, fetching; // instructions in the I-buffer; instructions in flight
    bool waits_for_line;     // the warp waits for a code line not in the instruction cache
};

struct pick;

struct front {
    const struct pick *pick;      // fetch arbiter (fetch.arbiter)
    bool is_plain;                // one fetch port, in round robin
    uint64_t fetchable;           // bits by warp slot: the warp wants instructions and is not in `held`
    uint64_t held;                // bits: a mechanism forbids fetching for the warp
    uint64_t moved;               // bits: `pc` has changed since mech_fetch saw the warp; with mechanisms
    uint32_t last[SM_SCHEDULERS]; // slot of the last warp served, by fetch port
    // by fetch port, for unfair policies: choices so far; slot of the last round-robin choice, made to keep
    // warps from starving
    uint32_t choices[SM_SCHEDULERS], in_turn[SM_SCHEDULERS];
    uint32_t below; // a warp is served only if its I-buffer has fewer instructions than `below`
    uint64_t line; // code line of the last instruction-cache lookup; 0: missed, evicted since, or a grid left
    struct event_ring fills; // arrivals in I-buffers, by warp slot
    // Bits by fetch port: served a guest in the current cycle; served a guest since last serving a warp.
    uint8_t taken, guest_went_last;
};

void front_init(struct sm *s);
void front_fini(struct sm *s);
void front_end(struct sm_grid *g); // a grid leaves the SM: forgets the code line of the last fetch
void front_cycle_beside_guests(struct sm *s);
void front_cycle_without_guests(struct sm *s); // guests exist, but none runs
void front_fill_guests(struct sm *s);
void front_forget_guests(struct sm *s); // the last guest has gone
// Whether a warp or guest wants a fetch: room in the I-buffer, nothing in flight or awaited, more code ahead.
bool front_wants(const struct sm *s, const struct sm_warp *w);
void front_update(struct sm *s, unsigned slot); // recomputes whether the warp wants instructions
void front_start(struct sm *s, unsigned slot);  // a warp has started: fetch from its pc
void front_flush(struct sm *s, unsigned slot, uint32_t pc);
// Redirects the I-buffer to `pc`: replaces the buffered instructions by as many from `pc` on, within a code
// line that hits. On a miss, past the program's end, or with mechanisms, empties the I-buffer like
// front_flush.
void front_follow(struct sm *s, unsigned slot, uint32_t pc);
void front_forget(struct sm *s, unsigned slot); // the warp has ended

static inline void front_line_came(struct front_warp *w) { w->waits_for_line = false; }
static inline uint64_t front_arrivals(struct front *f, uint64_t now) { return ring_take(&f->fills, now); }

// Removes the issued instruction from the head of the I-buffer.
static inline void front_take(struct front_warp *w)
{
    w->head++;
    w->count--;
}

// -- for mechanisms (tech.h)
void front_hold(struct sm *s, unsigned slot, bool held);
void front_skip(struct sm *s, unsigned slot); // skips the next instruction to fetch
void front_drop(struct sm *s, unsigned slot); // drops an instruction from the I-buffer
void front_drop_fetching(struct sm *s, unsigned slot);
void front_advance(struct sm *s, unsigned slot, uint32_t head);
