// Fetch: one warp a cycle in the whole SM, or one for each scheduler, in loose round robin among the warps
// that want instructions. A line of code that is not in the instruction cache is asked for, and the warp
// waits for it.
//
//     cycle c: fetch ─▶ c + fetch.latency: decoded, in the I-buffer, may issue
//
// Instructions behind a branch are fetched as if it were not taken, and dropped when it is.
#include "gpu/sm_impl.h"

static uint64_t code_address(uint32_t pc) { return GPU_CODE_ADDRESS + (uint64_t)pc * PC_STEP; }

void fetch_update(struct sm *s, unsigned slot)
{
    const struct sm_warp *w = &s->warps[slot];
    bool wants = w->count < s->fetch_below && !w->fetching && !w->waits_for_line && w->warp &&
                 w->warp->state != WARP_DONE && w->fetch_pc < s->engine->exec.program->inst_count;
    s->fetchable = (s->fetchable & ~(1ull << slot)) | ((uint64_t)wants << slot & ~s->held_fetch);
}

void fetch_flush(struct sm *s, unsigned slot, uint32_t pc)
{
    struct sm_warp *w = &s->warps[slot];
    s->counts.fetch_flushed += w->count + w->fetching;
    w->count = w->fetching = 0;
    w->fill_at = 0;
    w->waits_for_line = false; // the line still comes, for whoever wants it then
    w->head = w->fetch_pc = pc;
    if (has_techs(s)) tech_flushed(s, slot);
}

static bool line_is_there(struct sm *s, unsigned slot, uint64_t address)
{
    uint32_t bytes = s->launch->config->memory.line_bytes;
    bool started;
    if (s->config->icache_perfect) return true;
    uint64_t line = address & ~(uint64_t)(bytes - 1);
    if (s->warps[slot].granted == line) {
        s->warps[slot].granted = 0;
        return true;
    }
    if (s->code_line == line) return true; // and is its set's newest already
    enum tag_outcome o = tags_load(s, &s->code, TOKEN_CODE, line, (uint8_t)bit_mask(bytes / SECTOR_BYTES),
                                   NONE32, slot, &started);
    if (o == TAG_WAITS) s->warps[slot].waits_for_line = true;
    s->code_line = o == TAG_HIT ? line : 0;
    return o == TAG_HIT;
}

static void fetch_for(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    uint32_t pc = w->fetch_pc, bytes = s->launch->config->memory.line_bytes;
    uint32_t to_end_of_line = (bytes - (uint32_t)(code_address(pc) & (bytes - 1))) / PC_STEP;
    uint32_t n = s->config->fetch_width, left = s->engine->exec.program->inst_count - pc;
    uint32_t space = s->config->ibuffer - w->count;
    if (!line_is_there(s, slot, code_address(pc))) {
        s->counts.fetch_icache_misses++;
        fetch_update(s, slot);
        return;
    }
    s->counts.fetch_icache_hits++;
    if (n > to_end_of_line) n = to_end_of_line;
    if (n > left) n = left;
    if (n > space) n = space;
    uint32_t span = n;
    if (has_techs(s)) span = tech_fetched(s, slot, pc, &n, to_end_of_line < left ? to_end_of_line : left);
    w->fetching = (uint8_t)n;
    w->fetch_pc = pc + span;
    w->fill_at = s->now + s->config->fetch_latency;
    s->counts.fetch_fetched += n;
    ring_add(&s->fills, s->now, w->fill_at, slot);
    fetch_update(s, slot);
}

static void fetch_one(struct sm *s, unsigned port, uint64_t mine)
{
    uint64_t want = s->fetchable & mine;
    if (!want) return;
    unsigned last = s->last_fetched[port];
    uint64_t behind = want & ~bit_mask(last + 1);
    unsigned slot = bit_lowest(behind ? behind : want);
    s->last_fetched[port] = slot;
    fetch_for(s, slot);
}

void fetch_cycle(struct sm *s)
{
    uint64_t among = has_techs(s) ? tech_fetch(s, s->fetchable) : ~0ull;
    if (!s->config->fetch_per_scheduler) {
        fetch_one(s, 0, among);
        return;
    }
    for (unsigned k = 0; k < s->config->schedulers; k++) fetch_one(s, k, among & s->scheduler_warps[k]);
}

void fetch_filled(struct sm *s, uint64_t warps)
{
    for (; warps; warps &= warps - 1) {
        unsigned slot = bit_lowest(warps);
        struct sm_warp *w = &s->warps[slot];
        if (w->fill_at != s->now) continue; // dropped since
        unsigned n = w->fetching;
        w->count = (uint8_t)(w->count + n);
        w->fetching = 0;
        w->fill_at = 0;
        if (has_techs(s)) tech_filled(s, slot, w->fetch_pc - n, n);
        fetch_update(s, slot);
        sm_evaluate(s, slot);
    }
}
