// Fetch: one warp a cycle in the whole SM, or one for each scheduler, chosen by fetch.arbiter among the
// warps that want instructions. On a miss in the instruction cache the line is requested and the warp waits
// for it.
//
//     cycle c: fetch ─▶ c + fetch.latency: decoded, in the I-buffer, may issue
//
// Without branch prediction, instructions behind a branch are fetched as if the branch were not taken, and
// dropped when the branch is taken.
#include "exec/timed.h"
#include "isa/program.h"
#include "sm/front_taken.h"
#include "sm/ready_look.h"

void front_init(struct sm *s)
{
    s->front.pick = pick_policy(s->config->fetch_arbiter);
    s->front.is_plain = !s->config->fetch_per_scheduler && s->front.pick->first == pick_behind;
    s->front.below = s->config->fetch_refill == FETCH_WHEN_EMPTY ? 1 : s->config->ibuffer;
}

void front_end(struct sm_grid *g) { g->sm->front.line = 0; }

void front_fini(struct sm *s) { vec_fini(&s->front.fills.far); }

bool front_wants(const struct sm *s, const struct sm_warp *w)
{
    return front_has_room(s, w) && front_has_code(w);
}

static inline __attribute__((always_inline)) void update(struct sm *s, const struct sm_warp *w, unsigned slot)
{
    bool wants = front_has_room(s, w) && w->warp && w->warp->state != WARP_DONE && front_has_code(w);
    s->front.fetchable = (s->front.fetchable & ~(1ull << slot)) | ((uint64_t)wants << slot & ~s->front.held);
}

void front_update(struct sm *s, unsigned slot) { update(s, &s->warps[slot], slot); }

void front_start(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    w->front.head = w->front.pc = w->warp->pc;
    s->front.moved |= 1ull << slot;
    front_update(s, slot);
}

void front_flush(struct sm *s, unsigned slot, uint32_t pc)
{
    struct sm_warp *w = &s->warps[slot];
    w->grid->counts.fetch_flushed += w->front.count + w->front.fetching;
    w->front.count = w->front.fetching = 0;
    w->front.fill_at = 0;
    w->front.waits_for_line = false; // the requested line still arrives in the cache
    w->front.head = w->front.pc = pc;
    if (!has_techs(s) || is_guest(w)) return;
    s->front.moved |= 1ull << slot;
    mech_flushed(w);
}

// Prefetches the icache.prefetch code lines after `line`, up to the end of the program; no warp waits for the
// lines. After a hit only the farthest of the lines is looked up; after a miss (`all`), every line. A line
// requested may take the way of `line`: front.line is then cleared.
static void prefetch(struct sm *s, struct sm_grid *g, uint64_t line, bool all)
{
    const struct sm_launch *l = g->launch;
    uint64_t bytes = s->line_bytes, count = s->config->icache_prefetch;
    const struct program *p = g->engine->exec.program;
    uint64_t end = l->code + program_code_offset(p, p->inst_count - 1) + PC_STEP;
    struct mshr_waiter nobody = {.sectors = (uint8_t)bit_mask(s->line_bytes / SECTOR_BYTES),
                                 .kind = WAITER_NOBODY};
    for (uint64_t k = all ? 1 : count; k <= count && line + k * bytes < end; k++) {
        bool started;
        tags_load(g, &s->tags.code, TOKEN_CODE, line + k * bytes, nobody, &started);
        g->counts.fetch_prefetches += started;
        if (started && s->front.line && !tags_contain(g, &s->tags.code, line)) s->front.line = 0;
    }
}

static __attribute__((noinline)) bool look_up_line(struct sm *s, unsigned slot, uint64_t line,
                                                   enum waiter_kind kind)
{
    bool started;
    uint8_t all = (uint8_t)bit_mask(s->line_bytes / SECTOR_BYTES);
    struct mshr_waiter who = {.token = slot, .sectors = all, .kind = (uint8_t)kind};
    enum tag_outcome o = tags_load(s->warps[slot].grid, &s->tags.code, TOKEN_CODE, line, who, &started);
    if (o == TAG_WAITS) s->warps[slot].front.waits_for_line = true;
    s->front.line = o == TAG_HIT ? line : 0;
    if (s->config->icache_prefetch) prefetch(s, s->warps[slot].grid, line, o != TAG_HIT);
    return o == TAG_HIT;
}

static inline __attribute__((always_inline)) bool line_is_there(struct sm *s, unsigned slot, uint64_t line,
                                                                enum waiter_kind kind)
{
    if (s->config->icache_perfect || tags_take_granted(&s->warps[slot].tags, line)) return true;
    // the instruction cache's last lookup for a fetch hit the same line, and no prefetch has evicted it
    return s->front.line == line || look_up_line(s, slot, line, kind);
}

// Starts the fetch of the next instructions of a warp or guest. False: the code line is not in the
// instruction cache.
static bool set_out(struct sm *s, unsigned slot, enum waiter_kind kind)
{
    struct sm_warp *w = &s->warps[slot];
    const struct code_place *at = front_place(w, w->front.pc);
    if (!line_is_there(s, slot, w->grid->launch->code + at->line, kind)) {
        w->grid->counts.fetch_icache_misses++;
        return false;
    }
    front_depart(s, w, at, has_techs(s));
    return true;
}

void front_follow(struct sm *s, unsigned slot, uint32_t pc)
{
    struct sm_warp *w = &s->warps[slot];
    uint32_t count = w->front.count;
    if (has_techs(s) || !count || pc >= w->grid->launch->decoded.count ||
        !line_is_there(s, slot, w->grid->launch->code + front_place(w, pc)->line, WAITER_WARP)) {
        front_flush(s, slot, pc);
        return;
    }
    uint32_t most = front_place(w, pc)->most;
    if (count < most) most = count;
    front_flush(s, slot, pc);
    // not dropped: `most` instructions stay in the I-buffer, now from pc on
    w->grid->counts.fetch_flushed -= most;
    w->front.count = (uint8_t)most;
    w->front.pc = pc + most;
    front_update(s, slot);
}

void front_look_up(struct sm *s, unsigned slot)
{
    bool has_line = set_out(s, slot, WAITER_WARP);
    if (has_line) front_expect(s, &s->warps[slot], slot);
    s->front.moved |= 1ull << slot;
    s->front.fetchable &= ~(1ull << slot);
    // without the line, the warp may fetch again at once; a mechanism may have skipped all instructions
    if (!has_line || has_techs(s)) front_update(s, slot);
}

// The warp to fetch for. An unfair policy can pass over a warp for ever, while the favoured warps spin on a
// word to be written by the neglected warp. Every CHOICES-th choice under an unfair policy is therefore round
// robin.
static unsigned choose(struct sm *s, unsigned port, uint64_t want)
{
    enum { CHOICES = 64 }; // choices of a fetch port from one round-robin choice to the next
    const struct pick *pick = s->front.pick;
    if (pick->is_fair || ++s->front.choices[port] % CHOICES) return pick->first(s, s->front.last[port], want);
    return s->front.in_turn[port] = pick_behind(s, s->front.in_turn[port], want);
}

static void fetch_one(struct sm *s, unsigned port, uint64_t mine)
{
    uint64_t want = s->front.fetchable & mine;
    if (!want) return;
    bool is_one = !(want & (want - 1));
    s->front.last[port] = is_one ? bit_lowest(want) : choose(s, port, want);
    front_fetch(s, s->front.last[port], MODE_OBSERVED);
}

static void fetch_among(struct sm *s, uint64_t fetchable)
{
    uint64_t among = has_techs(s) ? front_ask(s, fetchable) : ~0ull;
    if (!s->config->fetch_per_scheduler) {
        fetch_one(s, 0, among);
        return;
    }
    for (unsigned k = 0; k < s->config->schedulers; k++) fetch_one(s, k, among & s->issue.warps_of[k]);
}

void front_cycle_general(struct sm *s) { fetch_among(s, s->front.fetchable); }

void front_fill_with_techs(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    unsigned n = w->front.fetching;
    front_land(&w->front);
    mech_filled(w, w->front.pc - n, n);
    update(s, w, slot);
    ready_look(s, w, slot);
}

// -- guests -------------------------------------------------------------------------------------------------

static uint64_t warps_of_port(const struct sm *s, unsigned port)
{
    return s->config->fetch_per_scheduler ? s->issue.warps_of[port] : ~0ull;
}

static void fetch_guest(struct sm *s, const struct guest *x)
{
    unsigned port = s->config->fetch_per_scheduler ? x->scheduler : 0, bit = 1u << port;
    uint64_t among = s->front.fetchable & warps_of_port(s, port);
    if (s->front.taken & bit || !front_wants(s, &s->warps[x->slot])) return;
    if (!guest_is_favoured(s, x) &&
        !guest_goes(x->turn, s->front.last[port], s->front.guest_went_last & bit, among))
        return;
    set_out(s, x->slot, WAITER_GUEST);
    s->front.taken |= (uint8_t)bit;
    s->front.guest_went_last |= (uint8_t)bit;
}

// Returns the warps of `fetchable` (bits by slot) whose port has served no guest in this cycle.
static uint64_t pass_over_taken(struct sm *s, uint64_t fetchable)
{
    unsigned ports = s->config->fetch_per_scheduler ? s->config->schedulers : 1;
    for (unsigned port = 0; port < ports; port++) {
        uint64_t mine = warps_of_port(s, port);
        if (s->front.taken >> port & 1)
            fetchable &= ~mine;
        else if (fetchable & mine)
            s->front.guest_went_last &= (uint8_t) ~(1u << port);
    }
    return fetchable;
}

void front_cycle_beside_guests(struct sm *s)
{
    s->front.taken = 0;
    EACH_GRID(s, g)
    {
        if (guest_runs(g->guest)) fetch_guest(s, g->guest);
    }
    uint64_t left = pass_over_taken(s, s->front.fetchable);
    if (left) fetch_among(s, left);
}

void front_cycle_without_guests(struct sm *s)
{
    s->front.taken = 0;
    if (s->front.guest_went_last) pass_over_taken(s, s->front.fetchable);
    front_cycle(s, MODE_OBSERVED);
}

void front_forget_guests(struct sm *s) { s->front.guest_went_last = 0; }

void front_fill_guests(struct sm *s)
{
    EACH_GRID(s, g)
    {
        struct front_warp *w = g->guest ? &s->warps[g->guest->slot].front : NULL;
        if (w && w->fetching && w->fill_at <= s->now) front_land(w);
    }
}

void front_forget(struct sm *s, unsigned slot) { s->front.fetchable &= ~(1ull << slot); }

// -- for mechanisms ----------------------------------------------------------------------------------------

void front_hold(struct sm *s, unsigned slot, bool held)
{
    uint64_t bit = 1ull << slot;
    s->front.held = held ? s->front.held | bit : s->front.held & ~bit;
}

void front_skip(struct sm *s, unsigned slot)
{
    s->warps[slot].front.pc++;
    s->front.moved |= 1ull << slot;
    front_update(s, slot);
}

void front_drop(struct sm *s, unsigned slot)
{
    s->warps[slot].front.count--;
    s->warps[slot].grid->counts.fetch_flushed++;
}

void front_drop_fetching(struct sm *s, unsigned slot)
{
    s->warps[slot].front.fetching--;
    s->warps[slot].grid->counts.fetch_flushed++;
}

void front_advance(struct sm *s, unsigned slot, uint32_t head) { s->warps[slot].front.head = head; }
