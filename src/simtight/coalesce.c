#include "simtight/coalesce.h"

static bool is_in(struct simtight_window w, uint32_t address)
{
    return address >= w.from && address <= w.end;
}

// First address of the leader's block: `bytes` for each lane of a warp.
static uint32_t block_of(uint32_t leader, uint32_t lanes, uint32_t bytes)
{
    return leader & ~(lanes * bytes - 1);
}

static bool follows(enum simtight_mode mode, uint32_t address, uint32_t leader, uint32_t lane, uint32_t lanes)
{
    switch (mode) {
    case SIMTIGHT_ADDRESS: return address == leader;
    case SIMTIGHT_BYTE: return address == (block_of(leader, lanes, 1) | lane);
    case SIMTIGHT_HALF: return (address & ~1u) == (block_of(leader, lanes, 2) | lane << 1);
    case SIMTIGHT_WORD: return address == (block_of(leader, lanes, 4) | lane << 2 | (leader & 3));
    case SIMTIGHT_SCRATCHPAD: break;
    }
    return false;
}

static uint32_t followers(const struct simtight_request *r, uint32_t pending, unsigned leader,
                          enum simtight_mode mode, unsigned warp_lanes)
{
    uint32_t lanes = 0, of_leader = r->address[leader];
    if (!follows(mode, of_leader, of_leader, leader, warp_lanes)) return 0; // a group must contain its leader
    for (uint32_t left = pending; left; left &= left - 1) {
        uint32_t l = bit_lowest(left);
        lanes |= (uint32_t)follows(mode, r->address[l], of_leader, l, warp_lanes) << l;
    }
    return lanes;
}

static uint32_t on_scratchpad(const struct simtight_request *r, uint32_t pending, struct simtight_window w)
{
    uint32_t lanes = 0;
    for (unsigned l = 0; l < SIMTIGHT_LANES_MAX; l++) lanes |= (uint32_t)is_in(w, r->address[l]) << l;
    return lanes & pending;
}

static bool has_another(uint32_t lanes, unsigned leader)
{
    return lanes >> leader & 1 && lanes != 1u << leader;
}

struct simtight_group simtight_group(const struct simtight_request *r, uint32_t pending,
                                     struct simtight_window scratchpad, unsigned lanes)
{
    unsigned leader = bit_lowest(pending);
    struct simtight_group g = {.address = r->address[leader], .mode = SIMTIGHT_ADDRESS, .beats = 1};
    if (r->is_fence) { // a fence has no address: one group of all lanes
        g.lanes = pending;
        return g;
    }
    if (is_in(scratchpad, g.address)) {
        g.mode = SIMTIGHT_SCRATCHPAD;
        g.lanes = on_scratchpad(r, pending, scratchpad);
        g.beats = 0;
        return g;
    }
    g.lanes = followers(r, pending, leader, SIMTIGHT_WORD, lanes);
    if (has_another(g.lanes, leader)) {
        g.mode = SIMTIGHT_WORD;
        g.beats = (uint8_t)simtight_word_beats(lanes);
        return g;
    }
    if (r->bytes < 4) {
        g.mode = r->bytes == 1 ? SIMTIGHT_BYTE : SIMTIGHT_HALF;
        g.lanes = followers(r, pending, leader, (enum simtight_mode)g.mode, lanes);
        if (has_another(g.lanes, leader)) return g;
        g.mode = SIMTIGHT_ADDRESS;
    }
    g.lanes = followers(r, pending, leader, SIMTIGHT_ADDRESS, lanes);
    return g;
}

// -- the stages ---------------------------------------------------------------------------------------------
enum { LAST = SIMTIGHT_COALESCER_STAGES - 1 };

const struct simtight_group *simtight_coalescer_group(struct simtight_coalescer *c)
{
    const struct simtight_stage *s = &c->stages[LAST];
    if (!s->request) return NULL;
    if (!c->has_group) c->group = simtight_group(s->request, s->pending, c->scratchpad, c->lanes);
    c->has_group = true;
    return &c->group;
}

bool simtight_coalescer_move(struct simtight_coalescer *c, const struct simtight_request *next,
                             const struct simtight_request **done)
{
    struct simtight_stage rest = c->stages[LAST];
    *done = NULL;
    if (rest.request) {
        rest.pending &= ~c->group.lanes;
        if (!rest.pending) {
            *done = rest.request;
            rest.request = NULL;
        }
    }
    c->has_group = false;
    for (unsigned k = LAST; k > 1; k--) c->stages[k] = c->stages[k - 1];
    c->stages[1] = rest;
    if (rest.request && c->stages[0].request) return false; // stage 0 waits: the remainder keeps stage 1
    if (!rest.request) {
        c->stages[1] = c->stages[0];
        c->stages[0] = (struct simtight_stage){0};
    }
    if (!next) return false;
    c->stages[0] = (struct simtight_stage){next, next->lanes};
    return true;
}

bool simtight_coalescer_is_empty(const struct simtight_coalescer *c)
{
    for (unsigned k = 0; k <= LAST; k++)
        if (c->stages[k].request) return false;
    return true;
}
