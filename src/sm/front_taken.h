// Fetches, inline: warps that want instructions, fetches from the code line hit last, arrivals in I-buffers. Belongs to
// front.c.
#pragma once
#include "sm/ready_look.h"

// -- front.c
// A fetch with a lookup of its line, or with mechanisms that change what a fetch brings.
void front_look_up(struct sm *s, unsigned slot);
void front_cycle_general(struct sm *s); // front_cycle for any number of ports and any arbiter
void front_fill_with_techs(struct sm *s, unsigned slot);

// Of a warp or a guest.
static inline __attribute__((always_inline)) bool front_has_room(const struct sm *s, const struct sm_warp *w)
{
    return w->front.count < s->front.below && !w->front.fetching && !w->front.waits_for_line;
}

static inline __attribute__((always_inline)) bool front_has_code(const struct sm_warp *w)
{
    return w->front.pc < w->grid->launch->decoded.count;
}

// front_update for a live warp after its I-buffer has lost an instruction, or after the end of a fetch: the warp
// may want instructions that it did not want before. _plain: no mechanisms on the SM.
static inline __attribute__((always_inline)) void front_taken_plain(struct sm *s, const struct sm_warp *w,
                                                                    unsigned slot)
{
    if (front_has_room(s, w)) s->front.fetchable |= (uint64_t)front_has_code(w) << slot;
}

static inline __attribute__((always_inline)) void front_taken(struct sm *s, const struct sm_warp *w,
                                                              unsigned slot)
{
    uint64_t wants = front_has_room(s, w) && front_has_code(w);
    s->front.fetchable = (s->front.fetchable & ~(1ull << slot)) | (wants << slot & ~s->front.held);
}

static inline const struct code_place *front_place(const struct sm_warp *w, uint32_t pc)
{
    return &w->grid->launch->decoded.places[pc];
}

// The next instructions of a warp or guest set out for its I-buffer; their line is present.
static inline __attribute__((always_inline)) void front_depart(const struct sm *s, struct sm_warp *w,
                                                               const struct code_place *at, bool has_techs)
{
    uint32_t n = s->config->fetch_width, space = s->config->ibuffer - w->front.count;
    struct gpu_counts *counts = &w->grid->counts;
    counts->fetch_icache_hits++;
    if (n > at->most) n = at->most;
    if (n > space) n = space;
    uint32_t span = n;
    if (has_techs) span = mech_fetched(w, w->front.pc, &n, at->most);
    w->front.fetching = (uint8_t)n;
    w->front.pc += span;
    w->front.fill_at = s->now + s->config->fetch_latency;
    counts->fetch_fetched += n;
}

// A fetch has set out for a warp of a grid with mechanisms, which may have skipped all its instructions.
static inline void front_set_out(struct sm *s, const struct sm_warp *w, unsigned slot)
{
    s->front.moved |= 1ull << slot;
    if (!w->front.fetching) front_update(s, slot);
}

// fetch.latency is far below RING_CYCLES.
static inline void front_expect(struct sm *s, const struct sm_warp *w, unsigned slot)
{
    ring_add_near(&s->front.fills, w->front.fill_at, slot);
}

static inline __attribute__((always_inline)) void front_fetch(struct sm *s, unsigned slot, enum sm_mode mode)
{
    struct sm_warp *w = &s->warps[slot];
    const struct code_place *at = front_place(w, w->front.pc);
    uint64_t line = w->grid->launch->code + at->line;
    bool is_asked = mode != MODE_PLAIN && has_techs(s) && (w->grid->leaves_out || w->grid->hooks->fetched);
    if (line != s->front.line || line == w->tags.granted) {
        front_look_up(s, slot);
        return;
    }
    front_depart(s, w, at, is_asked);
    front_expect(s, w, slot);
    s->front.fetchable &= ~(1ull << slot);
    if (is_asked) front_set_out(s, w, slot);
}

// The warps of `fetchable` (bits by slot) that the mechanisms leave to the arbiter.
static inline uint64_t front_ask(struct sm *s, uint64_t fetchable)
{
    uint64_t moved = fetchable & s->front.moved;
    if (!moved && !s->asks_fetch) return fetchable;
    s->front.moved &= ~fetchable; // a mechanism may move the warps on
    return mech_fetch(s, fetchable, moved);
}

// The fetches of a cycle in which some warp wants instructions.
static inline __attribute__((always_inline)) void front_cycle(struct sm *s, enum sm_mode mode)
{
    uint64_t among = s->front.fetchable;
    if (!s->front.is_plain) {
        front_cycle_general(s);
        return;
    }
    if (mode != MODE_PLAIN && has_techs(s)) {
        among = front_ask(s, among);
        among &= s->front.fetchable; // less what a mechanism has skipped to the end, or holds
        if (!among) return;
    }
    s->front.last[0] = pick_next(s->front.last[0], among);
    front_fetch(s, s->front.last[0], mode);
}

static inline void front_land(struct front_warp *w)
{
    w->count = (uint8_t)(w->count + w->fetching);
    w->fetching = 0;
    w->fill_at = 0;
}

// Instructions in flight of the warp arrive.
static inline __attribute__((always_inline)) void front_fill(struct sm *s, unsigned slot, enum sm_mode mode)
{
    struct sm_warp *w = &s->warps[slot];
    if (w->front.fill_at != s->now) return; // dropped since
    if (mode != MODE_PLAIN && has_techs(s)) {
        front_fill_with_techs(s, slot);
        return;
    }
    front_land(&w->front);
    front_taken_plain(s, w, slot);
    ready_look_plain(s, w, slot);
}
