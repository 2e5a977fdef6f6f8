// Divergence: choice of the lanes of a warp that run together, and of their reconvergence points.
//
// simt=stack. A divergent branch leaves the running lanes on the stack at their reconvergence point and
// pushes one entry per side. An entry ends when its lanes reach the reconvergence point, the pc of the entry
// below.
//
//        BRA at 4, rejoins at 9          running ─▶ {pc 5, lanes b, until 9}
//        lanes a take it, to 7                      {pc 7, lanes a, until 9}
//                                                   {pc 9, lanes a|b, until …}
//
// A call likewise leaves its lanes at the return site, so the lanes reconverge after the call whatever their
// paths inside. A reconvergence point is a pc and a call depth; without the depth, recursive calls would
// reconverge with their caller.
//
// simt=splits. Every side is a split of its own, and any ready split may run. The split of greatest call
// depth runs first, then the split of lowest pc: splits behind catch up. Ready splits at the same pc and
// depth merge.
//
// Backward branches use up fuel, against starvation behind a spinning split. With the fuel used up, the next
// split by lane number has a turn, and does not yield at the next joins. An instruction with member lanes
// waits until every live member has arrived.
//
// simt=nest. Lanes have a nest level, changed by PUSH and POP and kept in `depth`. The deepest lanes run
// first, and among splits of equal level the split with the highest lane. Lanes at the same pc and level run
// together, from whatever paths (Naylor et al., ICCD 2024, III-A). A waiting split never precedes the running
// split until the running split changes its level or diverges.
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "exec/phase.h"
#include "exec/timed.h"
#include "isa/program.h"

enum { SPLIT_FUEL = 256, TURN_JOINS = 64 };

static bool is_stack(const struct warp *w) { return w->exec->launch->simt == SIMT_STACK; }
static bool is_nest(const struct warp *w) { return w->exec->launch->simt == SIMT_NEST; }

// Few warps ever have more splits at once.
static void make_room(struct warp *w)
{
    enum { FIRST = 2 };
    if (w->splits.capacity) return;
    w->splits.data = heap_resize(NULL, FIRST * sizeof *w->splits.data);
    w->splits.capacity = FIRST;
}

void split_init(struct warp *w)
{
    make_room(w);
    w->splits.count = 0;
    w->active = w->present;
    w->depth = 0;
    w->pc = w->exec->program->entry;
    w->exited = 0;
    w->current = 0;
    w->split_fuel = SPLIT_FUEL;
    w->split_turn = w->turn_lane = 0;
    w->waiting_places = 0;
    vec_push(&w->splits, (struct split){.mask = w->present, .pc = w->pc, .rejoin_pc = NO_TARGET});
}

// simt=nest: sets waiting_places, the PCs of splits that wait at the running split's level, modulo 64. The
// mask is tested before every instruction; the splits are searched only on a hit.
static void note_waiting(struct warp *w)
{
    const struct split *s = w->splits.data;
    uint64_t places = 0;
    for (uint32_t i = 0; i < w->splits.count; i++)
        if (s[i].depth == w->depth && i != w->current) places |= 1ull << s[i].pc % 64;
    w->waiting_places = places;
}

static void make_current(struct warp *w, uint32_t index)
{
    const struct split *s = &w->splits.data[index];
    w->current = index;
    w->active = s->mask;
    w->depth = s->depth;
    w->pc = s->pc;
    if (is_nest(w)) note_waiting(w);
}

static void remove_split(struct warp *w, uint32_t index)
{
    uint32_t last = (uint32_t)w->splits.count - 1;
    w->splits.data[index] = w->splits.data[last];
    if (w->current == last) w->current = index;
    w->splits.count--;
}

static bool can_merge(const struct split *a, const struct split *b)
{
    return (a->pc == b->pc) & (a->depth == b->depth) & (a->state == SPLIT_READY) & (b->state == SPLIT_READY);
}

// Merges ready splits at the same pc and depth. The record of the running split must hold its current pc.
static void merge_ready(struct warp *w)
{
    struct split *s = w->splits.data;
    for (uint32_t i = 0; i < w->splits.count; i++) {
        for (uint32_t j = i + 1; j < w->splits.count;) {
            if (!can_merge(&s[i], &s[j])) {
                j++;
                continue;
            }
            s[i].mask |= s[j].mask;
            if (w->current == j) w->current = i;
            remove_split(w, j);
        }
    }
}

static inline bool before(bool by_lane, const struct split *a, const struct split *b)
{
    if (a->depth != b->depth) return a->depth > b->depth;
    // by_lane: the split with the highest lane runs first. Lane sets are disjoint, so the greater mask has
    // the lane.
    return by_lane ? a->mask > b->mask : a->pc < b->pc;
}

static bool pick_best(struct warp *w)
{
    const struct split *s = w->splits.data;
    uint32_t best = UINT32_MAX;
    bool by_lane = is_nest(w);
    for (uint32_t i = 0; i < w->splits.count; i++)
        if (s[i].state == SPLIT_READY && (best == UINT32_MAX || before(by_lane, &s[i], &s[best]))) best = i;
    if (best == UINT32_MAX) return false;
    make_current(w, best);
    return true;
}

bool split_pick(struct warp *w)
{
    if (!is_stack(w)) return pick_best(w);
    if (!w->splits.count || vec_last(&w->splits).state != SPLIT_READY) return false;
    make_current(w, (uint32_t)w->splits.count - 1);
    return true;
}

static const struct bound *run_picked(struct warp *w)
{
    if (split_pick(w) || (barrier_try_arrive(w) && split_pick(w))) return warp_go(w, w->pc);
    w->state = WARP_BARRIER;
    return NULL;
}

// Gives the turn to another ready split: to the split with the lowest lane above turn_lane, or if no ready
// lane is above, to the split with the lowest ready lane.
static void take_turn(struct warp *w)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < w->splits.count; i++)
        if (w->splits.data[i].state == SPLIT_READY && i != w->current) ready |= w->splits.data[i].mask;
    w->split_fuel = SPLIT_FUEL;
    if (!ready) return;
    uint64_t later = w->turn_lane < 63 ? ready & ~bit_mask(w->turn_lane + 1) : 0;
    w->turn_lane = bit_lowest(later ? later : ready);
    for (uint32_t i = 0; i < w->splits.count; i++) {
        if (w->splits.data[i].mask >> w->turn_lane & 1) {
            make_current(w, i);
            break;
        }
    }
    w->split_turn = TURN_JOINS;
}

// Merges a moved split. All other splits are merged already, so the moved split can merge with one other
// split at most. A merge is unpredictable to a branch predictor: no branch in the loop.
static void merge_moved(struct warp *w, uint32_t moved)
{
    struct split *s = w->splits.data;
    uint32_t met = moved;
    for (uint32_t i = 0; i < w->splits.count; i++)
        met = (can_merge(&s[i], &s[moved]) & (i != moved)) ? i : met;
    if (met == moved) return;
    s[met].mask |= s[moved].mask;
    if (w->current == moved) w->current = met;
    remove_split(w, moved);
}

// Divides the running split into groups[]: the first group stays in its entry, the rest are appended.
static void divide(struct warp *w, const struct lane_group *groups, unsigned count)
{
    for (unsigned g = 0; g < count; g++) {
        if (g) vec_push(&w->splits, (struct split){.rejoin_pc = NO_TARGET});
        struct split *s = g ? &vec_last(&w->splits) : &w->splits.data[w->current];
        s->mask = groups[g].mask;
        s->pc = groups[g].pc;
        s->depth = groups[g].depth;
    }
}

static const struct bound *nest_transfer(struct warp *w, const struct lane_group *groups, unsigned count)
{
    uint32_t first = (uint32_t)w->splits.count;
    divide(w, groups, count);
    for (uint32_t i = first + count - 1; i-- > first;)
        merge_moved(w, i); // from the last split down: a merge moves the last split into the freed entry
    merge_moved(w, w->current);
    pick_best(w);
    return warp_go(w, w->pc);
}

static const struct bound *splits_transfer(struct warp *w, const struct lane_group *groups, unsigned count)
{
    bool backward = groups[0].pc <= w->pc;
    divide(w, groups, count);
    make_current(w, w->current);
    if (w->splits.count == 1) return warp_go(w, w->pc);
    if (count > 1 && !w->split_turn) {
        merge_ready(w);
        pick_best(w);
    } else if (backward && --w->split_fuel == 0) {
        take_turn(w);
    }
    return warp_go(w, w->pc);
}

// Ends the running entry; its lanes have reached their reconvergence point, the pc of the entry below.
static const struct bound *stack_pop(struct warp *w)
{
    w->splits.count--;
    make_current(w, (uint32_t)w->splits.count - 1);
    return warp_go(w, w->pc);
}

static const struct bound *stack_transfer(struct warp *w, const struct lane_group *groups, unsigned count,
                                          uint32_t rejoin, uint32_t rejoin_depth)
{
    struct split *top = &vec_last(&w->splits);
    bool is_call = rejoin != NO_TARGET && groups[count - 1].depth > rejoin_depth;
    if (count == 1 && !is_call) {
        uint32_t pc = groups[0].pc;
        w->depth = top->depth = groups[0].depth;
        return top->rejoin_pc == pc && top->rejoin_depth == w->depth ? stack_pop(w) : warp_go(w, pc);
    }
    uint32_t until = top->rejoin_pc, until_depth = top->rejoin_depth;
    if (rejoin != NO_TARGET && (rejoin != until || rejoin_depth != until_depth)) {
        top->pc = until = rejoin;
        top->depth = until_depth = rejoin_depth;
    } else {
        w->splits.count--;
    }
    bool pushed[LANES_MAX] = {false};
    for (unsigned n = 0; n < count; n++) { // groups pushed by descending pc: the lowest pc ends on top
        unsigned highest = count;
        for (unsigned g = 0; g < count; g++)
            if (!pushed[g] && (highest == count || groups[g].pc > groups[highest].pc)) highest = g;
        pushed[highest] = true;
        const struct lane_group *g = &groups[highest];
        if (g->pc == until && g->depth == until_depth) continue;
        vec_push(&w->splits, (struct split){.mask = g->mask,
                                            .pc = g->pc,
                                            .depth = g->depth,
                                            .rejoin_pc = until,
                                            .rejoin_depth = until_depth});
    }
    make_current(w, (uint32_t)w->splits.count - 1);
    return warp_go(w, w->pc);
}

const struct bound *split_transfer(struct warp *w, const struct lane_group *groups, unsigned count,
                                   uint32_t rejoin, uint32_t rejoin_depth)
{
    struct lane_group one;
    if (count == 2 && groups[0].pc == groups[1].pc && groups[0].depth == groups[1].depth) {
        one = (struct lane_group){groups[0].mask | groups[1].mask, groups[0].pc, groups[0].depth};
        groups = &one;
        count = 1;
    }
    if (is_stack(w)) return stack_transfer(w, groups, count, rejoin, rejoin_depth);
    return is_nest(w) ? nest_transfer(w, groups, count) : splits_transfer(w, groups, count);
}

static bool waits_here(const struct warp *w, uint32_t pc)
{
    for (uint32_t i = 0; i < w->splits.count; i++) {
        const struct split *s = &w->splits.data[i];
        if (i != w->current && s->pc == pc && s->depth == w->depth) return true;
    }
    return false;
}

const struct bound *split_join(struct warp *w, const struct bound *d)
{
    struct split *s = &w->splits.data[w->current];
    if (is_stack(w)) {
        if (s->rejoin_pc != d->index || s->rejoin_depth != w->depth) return d;
        warp_count_before(w, d);
        return stack_pop(w);
    }
    if (w->splits.count == 1) return d;
    if (is_nest(w) && !waits_here(w, d->index)) return d;
    s->pc = d->index;
    uint64_t lanes = w->active;
    uint32_t current = w->current;
    warp_count_before(w, d);
    merge_ready(w);
    if (w->split_turn)
        w->split_turn--;
    else
        pick_best(w);
    if (w->current == current && w->splits.data[current].mask == lanes) {
        w->run_start = d;
        return d;
    }
    make_current(w, w->current);
    return warp_go(w, w->pc);
}

static uint64_t still_there(const struct warp *w, uint64_t lanes) { return lanes & w->present & ~w->exited; }

// Lanes of all splits that wait in the same state as `like` for the same members; SYNC: also at the same pc
// and call depth.
static uint64_t waiting_with(const struct warp *w, const struct split *like)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < w->splits.count; i++) {
        const struct split *s = &w->splits.data[i];
        if (s->state != like->state || s->waits_for != like->waits_for) continue;
        if (s->state == SPLIT_SYNC && (s->pc != like->pc || s->depth != like->depth)) continue;
        lanes |= s->mask;
    }
    return lanes;
}

// Makes ready each waiting split whose live members have all arrived; exited lanes are not waited for.
static void wake_waiting(struct warp *w)
{
    for (uint32_t i = 0; i < w->splits.count; i++) {
        struct split like = w->splits.data[i];
        if (like.state != SPLIT_SYNC && like.state != SPLIT_WARPSYNC) continue;
        if (still_there(w, like.waits_for) & ~waiting_with(w, &like)) continue;
        for (uint32_t j = 0; j < w->splits.count; j++) {
            struct split *s = &w->splits.data[j];
            bool same_place = s->pc == like.pc && s->depth == like.depth;
            if (s->state == like.state && s->waits_for == like.waits_for &&
                (like.state != SPLIT_SYNC || same_place))
                s->state = SPLIT_READY;
        }
    }
}

static void warp_ended(struct warp *w)
{
    w->active = 0;
    w->state = WARP_DONE;
    w->cta->warps_left--;
    w->cta->threads_left -= w->arrival;
    w->counts.warps++;
    if (w->exec->observed) observed_warp_exit(w);
    barrier_warp_exited(w);
}

void timed_end_warp(struct warp *w)
{
    if (w->state == WARP_DONE) return;
    if (w->waits_at != NO_BARRIER) w->cta->barriers[w->waits_at].arrived -= w->arrival;
    w->waits_at = NO_BARRIER;
    w->exited = w->present;
    w->splits.count = 0;
    warp_ended(w);
}

const struct bound *split_exit(struct warp *w, uint64_t lanes, uint32_t next_pc)
{
    w->exited |= lanes;
    if (w->splits.count == 1 && lanes == w->active) {
        w->splits.count = 0;
    } else if (is_stack(w)) {
        vec_last(&w->splits).pc = next_pc;
        size_t kept = 0;
        for (size_t i = 0; i < w->splits.count; i++) {
            struct split s = w->splits.data[i];
            s.mask &= ~lanes;
            if (s.mask) w->splits.data[kept++] = s;
        }
        w->splits.count = kept;
    } else {
        struct split *s = &w->splits.data[w->current];
        s->mask &= ~lanes;
        s->pc = next_pc;
        if (!s->mask) remove_split(w, w->current);
        wake_waiting(w);
        merge_ready(w);
    }
    if (!w->splits.count) warp_ended(w);
    if (w->cta->cluster->is_open) phase_exited(w->cta);
    return w->splits.count ? run_picked(w) : NULL;
}

const struct bound *split_wait(struct warp *w, uint64_t lanes, uint32_t rest_pc, uint32_t pc,
                               enum split_state state, uint64_t waits_for)
{
    uint64_t rest = w->active & ~lanes;
    if (rest && !is_stack(w))
        vec_push(&w->splits,
                 (struct split){.mask = rest, .pc = rest_pc, .depth = w->depth, .rejoin_pc = NO_TARGET});
    struct split *s = &w->splits.data[w->current];
    s->mask &= ~rest | (is_stack(w) ? rest : 0);
    s->pc = pc;
    s->state = (uint8_t)state;
    s->waits_for = waits_for;
    if (!is_stack(w)) {
        wake_waiting(w);
        merge_ready(w);
    }
    return run_picked(w);
}

bool split_sync(struct warp *w, const struct bound *d, uint64_t lanes, uint64_t members,
                const struct bound **next)
{
    if (is_stack(w) || !(still_there(w, members) & ~lanes)) return true;
    warp_count_before(w, d);
    if (w->exec->observed) observed_deferred(w);
    *next = split_wait(w, lanes, d->index + 1, d->index, SPLIT_SYNC, members);
    return false;
}

const struct bound *split_warpsync(struct warp *w, uint64_t lanes, uint32_t pc, uint64_t members)
{
    if (is_stack(w) || !(still_there(w, members) & ~lanes)) return warp_go(w, pc);
    return split_wait(w, lanes, pc, pc, SPLIT_WARPSYNC, members);
}

void split_release(struct warp *w, enum split_state state, unsigned barrier)
{
    for (uint32_t i = 0; i < w->splits.count; i++) {
        struct split *s = &w->splits.data[i];
        if (s->state == state && s->barrier == barrier) s->state = SPLIT_READY;
    }
    if (!is_stack(w)) merge_ready(w);
}

bool split_resume(struct warp *w)
{
    if (w->state != WARP_BARRIER) return false;
    if (!is_stack(w)) merge_ready(w);
    if (!split_pick(w)) return false;
    w->state = WARP_READY;
    return true;
}

bool split_all_wait_at(const struct warp *w, unsigned barrier)
{
    if (is_stack(w)) return true;
    for (uint32_t i = 0; i < w->splits.count; i++) {
        const struct split *s = &w->splits.data[i];
        if ((s->state != SPLIT_BARRIER && s->state != SPLIT_ARRIVE) || s->barrier != barrier) return false;
    }
    return true;
}
