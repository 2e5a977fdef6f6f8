// The PC skip table: redundant instructions executed for the block, and the warps still to pass each
// instruction. Lookups happen before the instruction cache, beside the fetch arbiter (DARSIE 4.3.2 to 4.3.5).
#include "tech/darsie/darsie.h"

// The block's entries with this pc, bits; entries with other pcs may be among them.
static uint64_t entries_with(const struct dblock *b, uint32_t pc) { return b->with_pc[pc % PC_CLASSES]; }

struct entry *skip_find(struct darsie *d, unsigned place, uint32_t pc)
{
    const struct dblock *b = block_of(d, place);
    for (uint64_t left = entries_with(b, pc); left;) {
        struct entry *e = take_entry(b, &left);
        if (e->pc != pc) continue;
        if (d->launch->diverged && e->lanes != tech_warp(d->grid, place)->active) continue;
        if ((e->tag == d->warps[place].tag || !keeps(d, RULE_TAG)) && e->whom >> index_in_block(d, place) & 1)
            return e;
    }
    return NULL;
}

struct entry *skip_led(struct darsie *d, unsigned place, const struct line *l)
{
    const struct dblock *b = block_of(d, place);
    for (uint64_t left = entries_with(b, l->pc); left;) {
        struct entry *e = take_entry(b, &left);
        bool mine = e->pc == l->pc && e->leader == index_in_block(d, place) && !e->read_at;
        if (mine && e->registers[0] == l->registers[0]) return e;
    }
    return NULL;
}

static void new_cycle(struct darsie *d)
{
    if (d->port_cycle == tech_now(d->grid)) return;
    d->port_cycle = tech_now(d->grid);
    d->reads_left = d->launch->options->read_ports;
    d->writes_left = d->launch->options->write_ports;
    d->looked_up = 0;
}

// A lookup takes a read port, unless the block has looked up the same PC in this cycle (coalescer=on). False:
// no port is free.
static bool read_port(struct darsie *d, unsigned block, uint32_t pc)
{
    for (uint32_t k = 0; d->launch->options->coalescer && k < d->looked_up; k++)
        if (d->lookups[k].block == block && d->lookups[k].pc == pc) return true;
    if (!d->reads_left) return false;
    d->reads_left--;
    d->counters[COUNT_lookups]++;
    d->lookups[d->looked_up].block = block;
    d->lookups[d->looked_up++].pc = pc;
    return true;
}

bool skip_write_port(struct darsie *d)
{
    new_cycle(d);
    if (!d->writes_left) return false;
    d->writes_left--;
    return true;
}

void skip_release(struct dblock *b, const struct entry *e)
{
    for (unsigned n = 0; n < e->count; n++) {
        release(b, e->registers[n]);
        if (!keeps(b->owner, RULE_READERS)) b->free |= 1ull << e->registers[n];
    }
    uint64_t bit = 1ull << (e - b->entries);
    b->used &= ~bit;
    b->with_pc[e->pc % PC_CLASSES] &= ~bit;
    // The leader's result will not be reported any more: wake warps waiting at fetch.
    struct darsie *d = b->owner;
    if (!e->written_back) tech_at(d->grid, (unsigned)(b - d->blocks), tech_now(d->grid) + 1);
}

uint64_t skip_registers(const struct dblock *b)
{
    uint64_t mask = 0;
    for (uint64_t left = b->used; left;) {
        const struct entry *e = take_entry(b, &left);
        for (unsigned n = 0; n < e->count; n++) mask |= 1ull << e->registers[n];
    }
    return mask;
}

void skip_recheck(struct dblock *b)
{
    for (uint64_t left = b->used & b->unchecked; left;) {
        const struct entry *e = take_entry(b, &left);
        if (!(b->majority & e->whom & ~e->passed)) skip_release(b, e);
    }
    b->unchecked = 0;
}

void skip_pass(struct dblock *b, struct entry *e, unsigned index)
{
    e->passed |= 1ull << index;
    b->unchecked |= 1ull << (e - b->entries);
    skip_recheck(b);
}

void skip_clear(struct dblock *b)
{
    for (uint64_t left = b->used; left;) skip_release(b, take_entry(b, &left));
}

void skip_follow(struct darsie *d, unsigned place, struct entry *e, struct line *l)
{
    struct dblock *b = block_of(d, place);
    l->role = ROLE_SKIPPED;
    l->count = e->count;
    l->read_at = e->read_at;
    for (unsigned n = 0; n < e->count; n++) refer(b, l->registers[n] = e->registers[n]);
    unsigned n = 0;
    for (unsigned left = d->launch->ops[l->pc].pred_writes; left; left &= left - 1)
        l->preds[n++] = e->preds[__builtin_ctz(left)];
    ways_verify(d, place, e);
    rename_poison(d, place, l->pc, false);
    d->counters[COUNT_skipped]++;
    uint64_t worth = d->launch->options->give_up;
    b->loss -= worth < b->loss ? worth : b->loss;
    say(d, b, index_in_block(d, place), STEP_FOLLOW, l->pc, e->registers[0]);
    d->counters[COUNT_skipped_loads] += d->launch->ops[l->pc].path == PATH_MEMORY;
    skip_pass(b, e, index_in_block(d, place));
}

// Whether the warp may take the entry's registers, whole vectors. For a diverged leader's entry, the lanes
// not written must have the same values, too.
bool skip_fits(struct darsie *d, unsigned place, const struct entry *e)
{
    if (e->lanes == d->whole || !d->launch->diverged) return true;
    const struct op *o = &d->launch->ops[e->pc];
    for (unsigned n = 0; n < e->count; n++)
        if (!values_keeps(d, place, o->dst + n, e, n)) return false;
    return true;
}

// Whether followers wait for the leader's result: for a load always, otherwise with pending=wait. A private
// execution computes the same value, but a private load may return another value.
bool skip_waits(const struct darsie *d, const struct entry *e)
{
    return e->is_load || d->launch->options->pending == PENDING_WAIT;
}

// Looks up the next instruction of a warp ready to fetch. True: the fetch arbiter may choose the warp.
static bool look_up(struct darsie *d, unsigned place)
{
    struct dwarp *w = &d->warps[place];
    uint32_t pc = tech_fetch_pc(d->grid, place);
    if (!d->launch->period[pc] || !path_is_on(d, place) || !rename_is_open(w)) {
        d->unlooked |= 1ull << place;
        return true;
    }
    if (w->count + 1 >= LINES_SKIPPING) return true;
    // The active lanes of a diverged warp are known only when the warp gets to the instruction.
    if (d->launch->diverged && tech_warp(d->grid, place)->active != d->whole) return true;
    if (!read_port(d, d->warps[place].block, pc)) {
        d->counters[COUNT_port_waits]++;
        return false;
    }
    struct entry *e = skip_find(d, place, pc);
    if (!e || e->passed >> index_in_block(d, place) & 1 || e->dropped || rename_is_poisoned(d, place, pc))
        return true;
    if (!e->written_back && !skip_waits(d, e)) return true;
    if (!e->written_back) {
        d->counters[COUNT_leader_waits]++;
        w->waits = WAITS_FETCH_LEADER;
        rename_hold(d, place);
        return false;
    }
    struct line *l = rename_push(w, pc);
    w->renamed++;
    skip_follow(d, place, e, l);
    tech_skip_fetch(d->grid, place);
    rename_pass(d, place);
    return false;
}

uint64_t skip_fetch(void *state, uint64_t fetchable)
{
    struct darsie *d = state;
    uint64_t may = fetchable;
    if (!(fetchable & ~d->unlooked)) return may;
    new_cycle(d);
    for (uint64_t left = fetchable & ~d->unlooked; left; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);
        if (!look_up(d, place)) may &= ~(1ull << place);
    }
    return may;
}

// -- the leader's result ------------------------------------------------------------------------------------

static void known(struct darsie *d, unsigned place, struct entry *e, uint64_t cycle)
{
    e->ready = cycle;
    tech_at(d->grid, d->warps[place].block, cycle);
}

// Notes the pool registers with a memory reply under way: the leader of a load has its registers mapped to
// the pool by now. A pool register stays allocated until the reply, even without readers: a reply to a
// register with a new value would report the new value as ready.
static void await_reply(struct darsie *d, unsigned place, const struct op *o)
{
    struct dblock *b = block_of(d, place);
    for (unsigned r = o->dst; r < (unsigned)o->dst + o->dst_words && keeps(d, RULE_REPLIES); r++)
        if (is_shared(&d->warps[place], r)) b->awaited |= 1ull << values_place(d, place, r);
}

void skip_result(void *state, unsigned place, uint32_t index, uint64_t cycle)
{
    struct darsie *d = state;
    if (!d->leads) return;
    if (cycle == UINT64_MAX)
        await_reply(d, place, &d->launch->ops[index]);
    else if (d->leading)
        known(d, place, d->leading, cycle);
}

static void end_wait(struct dblock *b, unsigned r)
{
    if (!(b->awaited >> r & 1)) return;
    b->awaited &= ~(1ull << r);
    if (!b->references[r]) set_free(b, r);
}

void skip_replied(void *state, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    struct darsie *d = state;
    struct dblock *b = block_of(d, place);
    uint16_t pool = b->first_register;
    bool is_pool = registers[0] >= pool && registers[0] < pool + d->pool;
    // Warps may wait for the register after its entry has gone: early skips, or copies out of the register.
    if (is_pool || d->warps[place].overtakes || d->warps[place].leaving)
        tech_at(d->grid, d->warps[place].block, cycle);
    if (is_pool && cycle >= b->replied_until) b->replied_until = cycle;
    if (is_pool && b->replied_until <= tech_now(d->grid)) b->replied_until = tech_now(d->grid) + 1;
    for (uint64_t left = entries_with(b, index); left;) {
        struct entry *e = take_entry(b, &left);
        // Entries of other iterations have other pool registers, because the replied registers were not free
        // until now.
        if (e->pc == index && e->ready == UINT64_MAX && e->count && registers[0] == pool + e->registers[0])
            known(d, place, e, cycle);
    }
    for (unsigned n = 0; is_pool && n < d->launch->ops[index].dst_words; n++)
        end_wait(b, (unsigned)(registers[n] - pool));
}

// The warp may have waited for another warp's load.
static void note_reply(struct darsie *d, struct dwarp *w)
{
    const uint16_t pool = d->blocks[w->block].first_register;
    w->stale = true;
    for (uint64_t left = w->unready; left; left &= left - 1) {
        unsigned r = (unsigned)__builtin_ctzll(left);
        if (tech_ready(d->grid, (uint16_t)(pool + r)) <= tech_now(d->grid)) w->unready &= ~(1ull << r);
    }
}

static void wake(struct darsie *d, unsigned place, bool replied)
{
    struct dwarp *w = &d->warps[place];
    if (replied && w->unready) note_reply(d, w);
    if (!rename_is_settled(d, w) || w->stale) rename_wake(d, place); // most warps are not affected
}

void skip_event(void *state, unsigned block)
{
    struct darsie *d = state;
    struct dblock *b = &d->blocks[block];
    uint64_t now = tech_now(d->grid);
    for (uint64_t left = b->used; left;) {
        struct entry *e = take_entry(b, &left);
        if (e->ready <= now) e->written_back = true;
    }
    for (uint64_t left = b->live; left; left &= left - 1)
        wake(d, place_in(b, (unsigned)__builtin_ctzll(left)), now <= b->replied_until);
    uint32_t patience = d->launch->options->watchdog;
    bool waiting = b->arrived || b->gathered;
    for (uint64_t left = d->launch->counts ? b->majority : 0; left && !waiting; left &= left - 1)
        waiting = d->warps[place_in(b, (unsigned)__builtin_ctzll(left))].too_far;
    bool is_late = patience && waiting && now >= b->arrived_since + patience;
    if (!b->off && (is_late || path_has_lost(d, b))) path_give_up(d, b);
}
