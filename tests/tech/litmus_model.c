// Every outcome of a litmus test, by visiting every state. Knows nothing of the engine.
//
//     warp ── load, store ──▶ view of its SM ── queue, in order of issue ──▶ memory
//                             (the newest entry of the queue, else memory)
//
// - A warp executes its statements in order. Shared memory changes at once, as does global memory if blocks
//   share an SM. Otherwise stores and atomics go through the queue of the SM; the head of a queue may be
//   applied at any time. Loads see the queue of their SM, but wait for an atomic to the same word. Behind an
//   atomic that acquires, the warp waits.
// - A fence of .gpu scope waits until the entries of its warp have been applied; a barrier waits for the
//   block's warps.
// - A weak load may be late (`weak_is_late`): it gives any value seen by the SM in its word since the warp's
//   last ordering point. Fences, acquires, barriers, atomics and the warp's own stores to the word are such
//   points. So two weak loads may change places, even two loads of the same word. The PTX memory model
//   permits reordered racing weak loads, and GPUs show them (coRR in Alglave et al., "GPU concurrency",
//   ASPLOS 2015). But every use of a load's result sees the same value, and no load gives a value never
//   written.
//
// A spin is a volatile load: loads of 0 before the last load changed nothing.
#include "base/hash.h"
#include "tech/litmus.h"

#include <string.h>

enum { VALUES = 64, QUEUE = LITMUS_ACCESSES, STATES_MOST = 3000000, ACQUIRING = 1 << 7 };

struct entry {
    uint8_t kind, order, location, value, warp, dst; // value: interned; kind: LITMUS_STORE or an atomic
};

struct state {                                     // compared bytewise: padding and unused parts are 0
    uint64_t seen[LITMUS_WARPS][LITMUS_LOCATIONS]; // bits: values a late load may give
    uint8_t registers[LITMUS_WARPS][LITMUS_REGISTERS];
    uint8_t pc[LITMUS_WARPS];
    uint8_t pending[LITMUS_WARPS]; // bits: registers with an atomic outstanding; ACQUIRING
    uint8_t memory[LITMUS_LOCATIONS];
    uint8_t queued[2];
    struct entry queue[2][QUEUE];
    uint8_t unused;
};

_Static_assert(sizeof(struct state) == 248, "states have no holes");

struct model {
    const struct litmus *program;
    struct litmus_machine machine;
    uint32_t values[VALUES]; // interned
    unsigned value_count;
    bool overflow;
    struct u64map visited, found;
    VEC(struct state) stack;
    struct litmus_set *set;
};

static uint8_t intern(struct model *m, uint32_t value)
{
    for (unsigned k = 0; k < m->value_count; k++)
        if (m->values[k] == value) return (uint8_t)k;
    if (m->value_count == VALUES) {
        m->overflow = true;
        return 0;
    }
    m->values[m->value_count] = value;
    return (uint8_t)m->value_count++;
}

static unsigned block_of(const struct model *m, unsigned warp) { return warp >= m->program->live[0]; }
static unsigned index_of(const struct model *m, unsigned warp)
{
    return warp - (block_of(m, warp) ? m->program->live[0] : 0);
}
static uint32_t value_in(const struct model *m, const struct state *s, unsigned warp, unsigned r)
{
    return m->values[s->registers[warp][r]];
}

static const struct litmus_statement *statement_of(const struct model *m, const struct state *s,
                                                   unsigned warp)
{
    unsigned block = block_of(m, warp);
    return s->pc[warp] < m->program->count[block] ? &m->program->code[block][s->pc[warp]] : NULL;
}

// -- what an SM sees ----------------------------------------------------------------------------------------

static bool is_seen(const struct litmus_statement *i, unsigned index) { return i->warps >> index & 1; }

// Bit of the value of a load issued now; 0: the load waits for an atomic.
static uint64_t view(const struct state *s, unsigned block, unsigned location)
{
    uint64_t bit = 1ull << s->memory[location];
    for (unsigned k = 0; k < s->queued[block]; k++) {
        const struct entry *e = &s->queue[block][k];
        if (e->location != location) continue;
        if (e->kind != LITMUS_STORE) return 0;
        bit = 1ull << e->value;
    }
    return bit;
}

static void look(const struct model *m, struct state *s)
{
    for (unsigned w = 0; w < litmus_warps(m->program); w++)
        for (unsigned k = 0; k < LITMUS_LOCATIONS; k++) {
            bool over = !statement_of(m, s, w); // the warp has ended
            uint64_t now = over ? 0 : view(s, block_of(m, w), k);
            s->seen[w][k] = !over && m->machine.weak_is_late ? s->seen[w][k] | now : now;
        }
}

static void order(const struct model *m, struct state *s, unsigned warp)
{
    for (unsigned k = 0; k < LITMUS_LOCATIONS; k++) s->seen[warp][k] = view(s, block_of(m, warp), k);
}

// -- memory -------------------------------------------------------------------------------------------------

static uint8_t atomic(struct model *m, unsigned kind, uint8_t old, uint8_t operand)
{
    if (kind == LITMUS_ADD) return intern(m, m->values[old] + m->values[operand]);
    return kind == LITMUS_COMPARE && m->values[old] ? old : operand;
}

static void apply(struct model *m, struct state *s, const struct entry *e)
{
    uint8_t old = s->memory[e->location];
    if (e->kind == LITMUS_STORE) {
        s->memory[e->location] = e->value;
        return;
    }
    s->memory[e->location] = atomic(m, e->kind, old, e->value);
    s->registers[e->warp][e->dst] = old;
    s->pending[e->warp] &= (uint8_t) ~(1u << e->dst | ACQUIRING);
}

static void drain(struct model *m, struct state *s, unsigned block)
{
    struct entry head = s->queue[block][0];
    memmove(s->queue[block], s->queue[block] + 1, --s->queued[block] * sizeof head);
    memset(&s->queue[block][s->queued[block]], 0, sizeof head);
    apply(m, s, &head);
    look(m, s);
    if (head.order == ORDER_ACQUIRE) order(m, s, head.warp);
}

static unsigned location_of(const struct model *m, const struct state *s, unsigned warp,
                            const struct litmus_statement *i)
{
    return i->location + (i->index == LITMUS_NONE ? 0 : value_in(m, s, warp, i->index) & 1);
}

static void write(struct model *m, struct state *s, unsigned warp, const struct litmus_statement *i)
{
    unsigned block = block_of(m, warp);
    uint32_t value = i->constant + (i->per_warp ? 16 * index_of(m, warp) : 0) +
                     (i->a == LITMUS_NONE ? 0 : value_in(m, s, warp, i->a));
    struct entry e = {i->kind,          i->order,      (uint8_t)location_of(m, s, warp, i),
                      intern(m, value), (uint8_t)warp, i->dst};
    bool is_store = i->kind == LITMUS_STORE;
    if (!is_store) s->pending[warp] |= (uint8_t)(1u << i->dst);
    if (i->order == ORDER_ACQUIRE) s->pending[warp] |= ACQUIRING;
    if (m->machine.own_sms && e.location < LITMUS_GLOBALS)
        s->queue[block][s->queued[block]++] = e;
    else
        apply(m, s, &e);
    if (is_store)
        s->seen[warp][e.location] = view(s, block, e.location);
    else
        order(m, s, warp);
    look(m, s);
}

// -- statements ---------------------------------------------------------------------------------------------

static bool waits_for(const struct state *s, unsigned warp, const struct litmus_statement *i)
{
    const uint8_t of[] = {i->dst, i->a, i->b, i->index};
    for (unsigned k = 0; k < sizeof of; k++)
        if (of[k] != LITMUS_NONE && s->pending[warp] >> of[k] & 1) return true;
    return false;
}

static uint32_t operand(const struct model *m, const struct state *s, unsigned warp, uint8_t r)
{
    return r == LITMUS_NONE ? 0 : value_in(m, s, warp, r);
}

// Executes statements at once whose effect no other warp can see.
static void settle(struct model *m, struct state *s, unsigned warp)
{
    const struct litmus_statement *i;
    while ((i = statement_of(m, s, warp)) != NULL) {
        bool off = !is_seen(i, index_of(m, warp));
        if (!off && (i->kind < LITMUS_SUM || waits_for(s, warp, i))) return;
        s->pc[warp]++;
        if (off || i->kind == LITMUS_WAIT) continue;
        uint32_t a = operand(m, s, warp, i->a), b = operand(m, s, warp, i->b);
        if (i->kind == LITMUS_SKIP)
            s->pc[warp] = (uint8_t)(s->pc[warp] + (a ? 0 : i->count));
        else
            s->registers[warp][i->dst] = intern(m, (i->kind == LITMUS_SUM ? a + b : a - b) + i->constant);
    }
}

static void visit(struct model *m, struct state *s)
{
    for (unsigned w = 0; w < litmus_warps(m->program); w++) settle(m, s, w);
    uint64_t key = hash_bytes(s, sizeof *s, 1);
    if (u64map_set(&m->visited, key, 1)) vec_push(&m->stack, *s);
}

static void load(struct model *m, const struct state *from, unsigned warp, const struct litmus_statement *i)
{
    unsigned location = location_of(m, from, warp, i);
    bool is_weak = i->kind == LITMUS_LOAD && i->order == ORDER_WEAK;
    uint64_t may = is_weak ? from->seen[warp][location] : view(from, block_of(m, warp), location);
    for (; may; may &= may - 1) {
        struct state s = *from;
        s.registers[warp][i->dst] = (uint8_t)__builtin_ctzll(may);
        s.pc[warp]++;
        if (i->order == ORDER_ACQUIRE) order(m, &s, warp);
        visit(m, &s);
    }
}

static bool has_queued(const struct state *s, unsigned block, unsigned warp)
{
    for (unsigned k = 0; k < s->queued[block]; k++)
        if (s->queue[block][k].warp == warp) return true;
    return false;
}

static bool all_at_barrier(const struct model *m, const struct state *s, unsigned block)
{
    for (unsigned w = 0; w < litmus_warps(m->program); w++) {
        const struct litmus_statement *i = statement_of(m, s, w);
        if (block_of(m, w) == block && (!i || i->kind != LITMUS_BARRIER)) return false;
    }
    return true;
}

static void pass_barrier(struct model *m, const struct state *from, unsigned block)
{
    struct state s = *from;
    for (unsigned w = 0; w < litmus_warps(m->program); w++) {
        if (block_of(m, w) != block) continue;
        s.pc[w]++;
        order(m, &s, w);
    }
    visit(m, &s);
}

static void step(struct model *m, const struct state *from, unsigned warp)
{
    const struct litmus_statement *i = statement_of(m, from, warp);
    unsigned block = block_of(m, warp);
    if (!i || from->pending[warp] & ACQUIRING || waits_for(from, warp, i)) return;
    struct state s = *from;
    switch ((enum litmus_kind)i->kind) {
    case LITMUS_LOAD:
    case LITMUS_SPIN: load(m, from, warp, i); return;
    case LITMUS_STORE:
    case LITMUS_ADD:
    case LITMUS_EXCHANGE:
    case LITMUS_COMPARE: write(m, &s, warp, i); break;
    case LITMUS_FENCE:
        if (!i->block_alone && has_queued(from, block, warp)) return;
        order(m, &s, warp);
        break;
    case LITMUS_BARRIER:
        if (index_of(m, warp) == 0 && all_at_barrier(m, from, block)) pass_barrier(m, from, block);
        return;
    case LITMUS_SUM:
    case LITMUS_DIFFERENCE:
    case LITMUS_SKIP:
    case LITMUS_WAIT: return;
    }
    s.pc[warp]++;
    visit(m, &s);
}

static void record(struct model *m, const struct state *s)
{
    struct litmus_outcome o = {0};
    for (unsigned w = 0; w < litmus_warps(m->program); w++) {
        if (statement_of(m, s, w)) return;
        for (unsigned k = 0; k < LITMUS_REGISTERS; k++) o.registers[w][k] = value_in(m, s, w, k);
    }
    if (s->queued[0] || s->queued[1]) return;
    for (unsigned k = 0; k < LITMUS_LOCATIONS; k++) o.memory[k] = m->values[s->memory[k]];
    if (u64map_set(&m->found, hash_bytes(&o, sizeof o, 2), 1)) vec_push(&m->set->outcomes, o);
}

bool litmus_allow(const struct litmus *p, struct litmus_machine machine, struct litmus_set *set)
{
    struct model m = {.program = p, .machine = machine, .set = set};
    struct state s = {0};
    *set = (struct litmus_set){0};
    intern(&m, 0);
    look(&m, &s);
    visit(&m, &s);
    while (m.stack.count && set->states < STATES_MOST && !m.overflow) {
        struct state at = m.stack.data[--m.stack.count];
        set->states++;
        record(&m, &at);
        for (unsigned w = 0; w < litmus_warps(p); w++) step(&m, &at, w);
        for (unsigned b = 0; b < 2; b++) {
            if (!at.queued[b]) continue;
            struct state next = at;
            drain(&m, &next, b);
            visit(&m, &next);
        }
    }
    bool whole = !m.stack.count && !m.overflow;
    vec_fini(&m.stack);
    u64map_fini(&m.visited);
    u64map_fini(&m.found);
    return whole;
}

bool litmus_is_allowed(const struct litmus_set *set, const struct litmus_outcome *o)
{
    for (size_t k = 0; k < set->outcomes.count; k++)
        if (memcmp(&set->outcomes.data[k], o, sizeof *o) == 0) return true;
    return false;
}

void litmus_set_fini(struct litmus_set *set) { vec_fini(&set->outcomes); }
