// Lanes of a warp together (shfl, vote, match, redux, activemask, bar.warp.sync) and barriers.
//
// A thread stops in front of an instruction that needs other lanes. With a member mask, the instruction
// runs when every living lane of the mask has stopped at it. Without a mask (and for activemask), the
// instruction runs for the stopped lanes once no lane of the warp can move: in a program whose meaning does
// not depend on scheduling, the stopped lanes are the whole warp.
#include "oracle/oracle_impl.h"

bool oracle_is_group(const struct ptx_inst *i)
{
    switch ((int)i->op) {
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ACTIVEMASK: return true;
    case PTX_OP_BAR:
    case PTX_OP_BARRIER: return i->mode == PTX_MODE_BAR_WARP_SYNC;
    }
    return false;
}

static const struct ptx_inst *stopped_at(struct oracle_thread *t) { return &top(t)->f->insts[top(t)->pc]; }

// Reads the member mask: the only operand of bar.warp.sync, the last operand of other instructions. False:
// no mask.
static bool member_mask(struct oracle_thread *t, const struct ptx_inst *i, uint64_t *mask)
{
    if (!i->sync && i->mode != PTX_MODE_BAR_WARP_SYNC) return false;
    if (i->op == PTX_OP_ACTIVEMASK) return false;
    *mask = oracle_read(t, &i->operands[i->operand_count - 1], PTX_B32);
    if (t->block->warp_size > 32 && *mask == 0xffffffff) *mask = bit_mask(t->block->warp_size);
    return true;
}

struct group {
    struct oracle_thread *lanes[64]; // NULL: not a member
    uint64_t mask;
    unsigned warp_size;
    const struct ptx_inst *i;
};

static const struct ptx_operand *first_of(const struct ptx_operand *op)
{
    return op->kind == PTX_OPERAND_PAIR ? &op->elements[0] : op;
}
static const struct ptx_operand *second_of(const struct ptx_operand *op)
{
    return op->kind == PTX_OPERAND_PAIR ? &op->elements[1] : NULL;
}

static void shfl(struct group *g)
{
    const struct ptx_inst *i = g->i;
    uint64_t source[64] = {0}, result[64] = {0};
    bool in_range[64] = {0};
    unsigned top_lane = g->warp_size - 1;
    for (unsigned k = 0; k < g->warp_size; k++)
        if (g->lanes[k]) source[k] = oracle_read(g->lanes[k], &i->operands[1], PTX_B32);
    for (unsigned k = 0; k < g->warp_size; k++) {
        struct oracle_thread *t = g->lanes[k];
        if (!t) continue;
        unsigned b = (unsigned)oracle_read(t, &i->operands[2], PTX_B32) & top_lane;
        unsigned c = (unsigned)oracle_read(t, &i->operands[3], PTX_B32), clamp = c & top_lane,
                 seg = c >> 8 & top_lane;
        int lane = (int)k, j = lane, max_lane = (int)((k & seg) | (clamp & ~seg)), min_lane = (int)(k & seg);
        if (i->mode == PTX_MODE_SHFL_UP) {
            j = lane - (int)b;
            in_range[k] = j >= max_lane;
        } else {
            if (i->mode == PTX_MODE_SHFL_DOWN)
                j = lane + (int)b;
            else if (i->mode == PTX_MODE_SHFL_BFLY)
                j = lane ^ (int)b;
            else
                j = min_lane | (int)(b & ~seg & top_lane);
            in_range[k] = j <= max_lane;
        }
        if (!in_range[k]) j = lane;
        if (!oracle_check_lane(t, g->lanes[j] != NULL)) return;
        result[k] = source[j];
    }
    for (unsigned k = 0; k < g->warp_size; k++) {
        if (!g->lanes[k]) continue;
        oracle_write(g->lanes[k], first_of(&i->operands[0]), PTX_B32, result[k]);
        if (second_of(&i->operands[0]))
            oracle_write(g->lanes[k], second_of(&i->operands[0]), PTX_PRED, in_range[k]);
    }
}

static void vote(struct group *g)
{
    const struct ptx_inst *i = g->i;
    uint64_t ones = 0;
    for (unsigned k = 0; k < g->warp_size; k++)
        if (g->lanes[k] && oracle_read_pred(g->lanes[k], &i->operands[1])) ones |= 1ull << k;
    for (unsigned k = 0; k < g->warp_size; k++) {
        struct oracle_thread *t = g->lanes[k];
        if (!t) continue;
        if (i->mode == PTX_MODE_VOTE_BALLOT)
            oracle_write(t, &i->operands[0], PTX_B32, ones);
        else if (i->mode == PTX_MODE_VOTE_ANY)
            oracle_write(t, &i->operands[0], PTX_PRED, ones != 0);
        else if (i->mode == PTX_MODE_VOTE_ALL)
            oracle_write(t, &i->operands[0], PTX_PRED, ones == g->mask);
        else
            oracle_write(t, &i->operands[0], PTX_PRED, ones == 0 || ones == g->mask);
    }
}

static void match(struct group *g)
{
    const struct ptx_inst *i = g->i;
    uint64_t source[64] = {0}, same[64] = {0};
    bool all = true;
    for (unsigned k = 0; k < g->warp_size; k++)
        if (g->lanes[k]) source[k] = oracle_read(g->lanes[k], &i->operands[1], i->types[0]);
    for (unsigned k = 0; k < g->warp_size; k++)
        for (unsigned j = 0; j < g->warp_size; j++)
            if (g->lanes[j] && g->lanes[k] && source[j] == source[k]) same[k] |= 1ull << j;
    for (unsigned k = 0; k < g->warp_size; k++)
        if (g->lanes[k]) all = all && same[k] == g->mask;
    for (unsigned k = 0; k < g->warp_size; k++) {
        struct oracle_thread *t = g->lanes[k];
        if (!t) continue;
        uint64_t d = i->mode == PTX_MODE_VOTE_ANY ? same[k] : all ? g->mask : 0;
        oracle_write(t, first_of(&i->operands[0]), PTX_B32, d);
        if (second_of(&i->operands[0])) oracle_write(t, second_of(&i->operands[0]), PTX_PRED, all);
    }
}

static uint64_t reduce(const struct ptx_inst *i, uint64_t a, uint64_t b)
{
    bool lower = ptx_type_is_signed(i->types[0]) ? oracle_extend(b, 32) < oracle_extend(a, 32) : b < a;
    switch ((int)i->atom) {
    case PTX_ATOM_ADD: return a + b;
    case PTX_ATOM_MIN: return lower ? b : a;
    case PTX_ATOM_MAX: return lower ? a : b;
    case PTX_ATOM_AND: return a & b;
    case PTX_ATOM_OR: return a | b;
    }
    return a ^ b;
}

static void redux(struct group *g)
{
    uint64_t d = 0;
    bool first = true;
    for (unsigned k = 0; k < g->warp_size; k++) {
        if (!g->lanes[k]) continue;
        uint64_t v = oracle_read(g->lanes[k], &g->i->operands[1], PTX_B32);
        d = first ? v : reduce(g->i, d, v);
        first = false;
    }
    for (unsigned k = 0; k < g->warp_size; k++)
        if (g->lanes[k]) oracle_write(g->lanes[k], &g->i->operands[0], PTX_B32, d);
}

static void run(struct group *g)
{
    const struct ptx_inst *i = g->i;
    if (i->op == PTX_OP_SHFL)
        shfl(g);
    else if (i->op == PTX_OP_VOTE)
        vote(g);
    else if (i->op == PTX_OP_MATCH)
        match(g);
    else if (i->op == PTX_OP_REDUX)
        redux(g);
    else if (i->op == PTX_OP_ACTIVEMASK)
        for (unsigned k = 0; k < g->warp_size; k++)
            if (g->lanes[k]) oracle_write(g->lanes[k], &i->operands[0], PTX_B32, g->mask);
    for (unsigned k = 0; k < g->warp_size; k++) {
        if (!g->lanes[k]) continue;
        top(g->lanes[k])->pc++;
        g->lanes[k]->state = THREAD_READY;
        g->lanes[k]->block->o->steps++;
    }
}

// Collects the lanes of `mask` stopped at the same instruction as t. False when a living lane of the mask
// is elsewhere.
static bool gather(struct oracle_block *b, uint32_t warp, struct oracle_thread *t, uint64_t mask,
                   struct group *g)
{
    *g = (struct group){.warp_size = b->warp_size, .i = stopped_at(t)};
    bool complete = true;
    for (uint32_t k = 0; k < b->warp_size; k++) {
        uint32_t index = warp * b->warp_size + k;
        if (index >= b->thread_count || !(mask >> k & 1)) continue;
        struct oracle_thread *other = &b->threads[index];
        if (other->state == THREAD_EXITED) continue;
        if (other->state == THREAD_GROUP && stopped_at(other) == g->i) {
            g->lanes[k] = other;
            g->mask |= 1ull << k;
        } else {
            complete = false;
        }
    }
    return complete;
}

bool oracle_run_groups(struct oracle_block *b, uint32_t warp)
{
    bool moved = false, ready = false;
    struct oracle_thread *lowest = NULL; // stopped thread without a mask, least pc
    struct group g;
    for (uint32_t k = 0; k < b->warp_size; k++) {
        uint32_t index = warp * b->warp_size + k;
        if (index >= b->thread_count) break;
        struct oracle_thread *t = &b->threads[index];
        uint64_t mask;
        if (t->state == THREAD_READY) ready = true;
        if (t->state != THREAD_GROUP) continue;
        if (!member_mask(t, stopped_at(t), &mask)) {
            if (!lowest || stopped_at(t) < stopped_at(lowest)) lowest = t;
        } else if (gather(b, warp, t, mask, &g)) {
            run(&g);
            moved = ready = true;
        }
    }
    if (ready || !lowest) return moved;
    bool whole = gather(b, warp, lowest, ~0ull, &g);
    if (!oracle_check_lane(lowest, whole)) return false;
    run(&g);
    return true;
}

// ---- barriers (PTX ISA 9.7.13.1)

// Threads per counting unit of a barrier: groups of 32 (two in a warp of 64), or whole warps if smaller.
static uint32_t counted_by(const struct oracle_block *b) { return b->warp_size < 32 ? b->warp_size : 32; }

enum oracle_step oracle_bar(struct oracle_thread *t, const struct ptx_inst *i)
{
    // Operands: [d,] a [, b] [, c]; red has a destination and a predicate, arrive and the counted forms have
    // b.
    bool red = i->mode == PTX_MODE_BAR_RED;
    unsigned first = red ? 1 : 0, rest = i->operand_count - first - 1 - (red ? 1u : 0u);
    uint64_t number = oracle_read(t, &i->operands[first], PTX_U32);
    if (number >= 16) return oracle_fault(t, "barrier %llu", (unsigned long long)number);
    struct oracle_barrier *b = &t->block->barriers[number];
    if (rest) {
        b->expected = (uint32_t)oracle_read(t, &i->operands[first + 1], PTX_U32);
        if (!b->expected || b->expected % counted_by(t->block))
            return oracle_fault(t, "barrier for %u threads", b->expected);
    }
    b->in_use = true;
    if (red) {
        b->votes++;
        b->ones += oracle_read_pred(t, &i->operands[i->operand_count - 1]);
    }
    vec_push(&b->arrived, t->index);
    if (i->mode == PTX_MODE_BAR_ARRIVE) return STEP_NEXT;
    vec_push(&b->waiting, t->index);
    t->barrier = (uint32_t)number;
    return STEP_BARRIER;
}

// A warp with an arrival counts whole: exited lanes count, and lanes missing in the block's last warp.
static bool complete(const struct oracle_block *b, const struct oracle_barrier *bar)
{
    uint32_t count = 0, all = (uint32_t)align_up(b->thread_count, counted_by(b));
    for (uint32_t w = 0; w < b->warp_count; w++) {
        uint32_t arrived = 0, absent = 0;
        for (size_t k = 0; k < bar->arrived.count; k++) arrived += b->threads[bar->arrived.data[k]].warp == w;
        for (uint32_t lane = 0; lane < b->warp_size; lane++) {
            uint32_t index = w * b->warp_size + lane;
            if (index >= all) break;
            bool gone = index >= b->thread_count || b->threads[index].state == THREAD_EXITED;
            bool counted = false;
            for (size_t k = 0; gone && k < bar->arrived.count; k++) counted |= bar->arrived.data[k] == index;
            absent += gone && !counted;
        }
        if (arrived || !bar->expected) count += arrived + absent;
    }
    return count >= (bar->expected ? bar->expected : all);
}

static void release(struct oracle_block *b, struct oracle_barrier *bar)
{
    b->epoch++;
    for (size_t k = 0; k < bar->waiting.count; k++) {
        struct oracle_thread *t = &b->threads[bar->waiting.data[k]];
        const struct ptx_inst *i = stopped_at(t);
        if (i->mode == PTX_MODE_BAR_RED) {
            uint64_t d = i->boolean == PTX_BOOL_POPC  ? bar->ones
                         : i->boolean == PTX_BOOL_AND ? bar->ones == bar->votes
                                                      : bar->ones != 0;
            oracle_write(t, &i->operands[0], i->boolean == PTX_BOOL_POPC ? PTX_U32 : PTX_PRED, d);
        }
        top(t)->pc++;
        t->state = THREAD_READY;
    }
    bar->waiting.count = bar->arrived.count = 0;
    bar->ones = bar->votes = bar->expected = 0;
    bar->in_use = false;
}

bool oracle_run_barriers(struct oracle_block *b)
{
    bool moved = false;
    for (unsigned k = 0; k < 16; k++) {
        struct oracle_barrier *bar = &b->barriers[k];
        if (!bar->in_use || !complete(b, bar)) continue;
        release(b, bar);
        moved = true;
    }
    return moved;
}
