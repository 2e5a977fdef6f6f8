// The front end of an SM: who is fetched for, instructions on their way, and the warps' I-buffers.
// front.c alone writes these; everybody may read them.
#pragma once
#include "sm/event_ring.h"
#include "sm/places.h"

struct sm;
struct sm_grid;
struct sm_warp;

struct front_warp {
    uint64_t fill_at;        // instructions under way arrive in the I-buffer; 0: none are
    uint32_t pc;             // of the next instruction to be fetched
    uint32_t head;           // instruction at the head of the I-buffer; the others follow it
    uint8_t count, fetching; // in the I-buffer; under way to it
    bool waits_for_line;     // of code
};

struct pick;

struct front {
    const struct pick *pick;      // who is fetched for first
    uint64_t fetchable;           // bits by warp slot: they want instructions
    uint64_t held;                // bits: a mechanism keeps them from being fetched for
    uint32_t last[SM_SCHEDULERS]; // warp slot that a port fetched for last
    uint32_t choices[SM_SCHEDULERS], in_turn[SM_SCHEDULERS]; // nobody is passed over for ever
    uint32_t below;          // a warp with fewer instructions in its I-buffer is fetched for
    uint64_t line;           // of code, that the last fetch found in the cache; 0: it did not
    struct event_ring fills; // arrivals in I-buffers
    // Bits by port: a guest has it in this cycle; one has had it since a warp.
    uint8_t taken, guest_went_last;
};

void front_init(struct sm *s);
void front_fini(struct sm *s);
void front_end(struct sm_grid *g); // a grid leaves: the next fetch looks its line up
void front_cycle(struct sm *s);
void front_cycle_beside_guests(struct sm *s);
void front_fill_guests(struct sm *s);
void front_forget_guests(struct sm *s);                        // there is none any more
bool front_wants(const struct sm *s, const struct sm_warp *w); // instructions, and none are under way
void front_fill(struct sm *s, uint64_t warps);                 // of those something arrives
void front_update(struct sm *s, unsigned slot);                // whether the warp wants to be fetched for
void front_start(struct sm *s, unsigned slot);                 // a warp has come: from where it begins on
void front_flush(struct sm *s, unsigned slot, uint32_t pc);
// The I-buffer is not dropped but has what it would have had, had fetching gone on there, as far as that is in one line that the
// cache has.
void front_follow(struct sm *s, unsigned slot, uint32_t pc);
void front_forget(struct sm *s, unsigned slot); // the warp has ended

static inline void front_line_came(struct front_warp *w) { w->waits_for_line = false; } // the code is there
static inline uint64_t front_arrivals(struct front *f, uint64_t now) { return ring_take(&f->fills, now); }

// The head of the I-buffer issues.
static inline void front_take(struct front_warp *w)
{
    w->head++;
    w->count--;
}

// -- what mechanisms do (tech.h)
void front_hold(struct sm *s, unsigned slot, bool held);
void front_skip(struct sm *s, unsigned slot); // the next instruction to be fetched
void front_drop(struct sm *s, unsigned slot); // an instruction in the I-buffer
void front_drop_fetching(struct sm *s, unsigned slot);
void front_advance(struct sm *s, unsigned slot, uint32_t head);
