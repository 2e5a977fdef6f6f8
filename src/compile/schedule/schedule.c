// List scheduling, block by block, before allocation.
//
// Each step issues one ready instruction (all its operands are issued). Preferred are instructions that can
// start now, then the longest latency to the end of the window, then code order. While the number of live
// registers or predicates is at its limit, the instruction that frees most goes first.
//
// A loop hands a value from its end to its start: d = phi(…, u). If all readers of d in the block precede the
// definition of u, u and d can share a register. So readers of d get an edge to the definition of u, except
// where the edge would close a cycle. The pascal profile omits the edges (docs/explanation/profiles.md). The
// old value of a guarded instruction is treated alike, in every profile.
//
// A block is cut into windows of WINDOW instructions, and at instructions with a fixed place (calls and the
// copies around calls, clocks, traps). The work is thus linear in the length of the code.
#include "compile/schedule/schedule.h"
#include "base/vec.h"
#include "compile/allocate/allocate.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "isa/units.h"

#include <string.h>

enum {
    WINDOW = 192,
    REGISTERS_FEW = 28,
    REGISTERS_MANY = 40,
    PREDICATE_LIMIT = PRED_LIMIT - 1,
    SEARCH_LIMIT = 4096
};

enum file { REGISTERS, PREDICATES };

// A read or write of a register unit by a node of the window.
struct access {
    uint32_t unit, node;
    uint32_t next; // the next read of the unit in the window: index into accesses, 0 = none
    uint8_t file;  // enum file
    bool write;
    bool frees; // a read: the last one left in the block ends the unit's live range
};

struct node {
    struct mach_inst *inst;
    uint32_t first_access; // index into accesses; the node's accesses end where the next node's begin
    uint32_t first_edge;   // head of the list of outgoing edges: index into edges, 0 = none
    uint32_t waiting;      // predecessors not yet issued
    uint32_t height;       // longest latency to the end of the window, in cycles
    uint32_t start;        // earliest cycle to issue the node: operands are ready
    uint32_t seen;         // stamp of the last search that reached the node
};

struct edge {
    uint32_t to, next;
    uint32_t latency;
};

struct scheduler {
    struct mach_function *f;
    bool keeps_variables;
    struct mach_block *block;
    struct arena scratch;
    struct allocation live;
    struct node nodes[WINDOW + 1]; // one behind the last ends the last one's accesses
    uint32_t count;
    VEC(struct access) accesses;
    VEC(struct edge) edges;
    uint32_t stamp;
    uint32_t *maker;                  // by register unit: 1 + the window's node that writes the unit, 0: none
    uint32_t *first_read, *last_read; // by register unit: its reads in the window, in code order; 0: none
    uint32_t *reads_left;             // by register unit: reads in the block not yet issued
    int32_t pressure[2], limit[2];    // registers live now and the limit, by enum file
};

static bool has_shared_operand(const struct mach_inst *i)
{
    bool has = false;
    for (unsigned k = 0; k < 4; k++) has |= i->i.src[k].kind == OPERAND_SHARED;
    return has;
}

static uint32_t latency_of(const struct mach_inst *i)
{
    static const uint8_t cycles[LATENCY_COUNT] = {
        [LATENCY_FIXED] = 2,     [LATENCY_IADD] = 4,     [LATENCY_IMAD] = 5,          [LATENCY_IMINMAX] = 5,
        [LATENCY_SHIFT] = 4,     [LATENCY_COMPARE] = 4,  [LATENCY_CONVERT_WIDE] = 12, [LATENCY_FADD] = 4,
        [LATENCY_FMUL] = 4,      [LATENCY_FMA] = 4,      [LATENCY_DADD] = 10,         [LATENCY_SFU] = 14,
        [LATENCY_CONVERT] = 12,  [LATENCY_SREG] = 16,    [LATENCY_LOAD] = 120,        [LATENCY_SHARED] = 24,
        [LATENCY_CONSTANT] = 30, [LATENCY_STORE] = 2,    [LATENCY_ATOMIC] = 120,      [LATENCY_FENCE] = 20,
        [LATENCY_TEXTURE] = 140, [LATENCY_SHUFFLE] = 24, [LATENCY_VOTE] = 10,         [LATENCY_BRANCH] = 2,
        [LATENCY_BARRIER] = 10,  [LATENCY_PRODUCT] = 24};
    if (has_shared_operand(i)) return cycles[LATENCY_SHARED];
    return i->i.op < OP_COUNT ? cycles[isa_table[i->i.op].latency] : 1;
}

// -- instructions with a fixed order ------------------------------------------------------------------------

static bool has_fixed_unit(const struct scheduler *s, const struct mach_inst *i)
{
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k] != MACH_NONE && mach_group_of(s->f, i->dst[k])->fixed >= 0) return true;
    for (uint32_t k = 0; k < i->move_count; k++) {
        const struct mach_move *m = &i->moves[k];
        if (m->dst != MACH_NONE && mach_group_of(s->f, m->dst)->fixed >= 0) return true;
        if (m->src != MACH_NONE && mach_group_of(s->f, m->src)->fixed >= 0) return true;
    }
    return false;
}

static bool stays(const struct scheduler *s, const struct mach_inst *i)
{
    if (mach_is_terminator(i) || i->i.op == MACH_ENTRY || i->i.op == MACH_LANDED) return true;
    if (i->i.op < OP_COUNT && isa_has(&i->i, ISA_CALL | ISA_BRANCH | ISA_EXIT | ISA_SIDE_EFFECT)) return true;
    if (i->i.op == OP_S2R || i->i.op == OP_CS2R) {
        unsigned sreg = i->i.src[0].reg;
        return sreg >= SREG_CLOCK_LO && sreg <= SREG_GLOBALTIMER;
    }
    return has_fixed_unit(s, i);
}

static bool is_memory(const struct mach_inst *i)
{
    if (has_shared_operand(i)) return true;
    return i->i.op < OP_COUNT && isa_has(&i->i, ISA_LOAD | ISA_STORE | ISA_ATOMIC) && i->i.op != OP_LDC &&
           !isa_is_fetch(i->i.op) && !(i->i.op == OP_LDG && i->i.flags & INST_NC);
}

static bool is_effect(const struct mach_inst *i)
{
    return i->i.op < OP_COUNT && isa_has(&i->i, ISA_BARRIER | ISA_FENCE | ISA_CROSS_LANE);
}

static bool writes_memory(const struct mach_inst *i) { return isa_has(&i->i, ISA_STORE | ISA_ATOMIC); }

static bool is_ordered(const struct mach_inst *i) { return i->i.sem != SEM_WEAK; }

// True if two accesses may touch the same byte; callers ask only if one of them writes. Different spaces
// never overlap (generic overlaps every space); neither do disjoint offsets from the same base register.
// Counted as overlapping: LDGSTS and any access; a shared-memory operand and any access to shared memory.
static bool may_overlap(const struct mach_inst *a, const struct mach_inst *b)
{
    enum isa_space x = has_shared_operand(a) ? SPACE_SHARED : isa_space_of(&a->i),
                   y = has_shared_operand(b) ? SPACE_SHARED : isa_space_of(&b->i);
    if (a->i.op == OP_LDGSTS || b->i.op == OP_LDGSTS) return true;
    if (x != y) return x == SPACE_GENERIC || y == SPACE_GENERIC;
    if (has_shared_operand(a) || has_shared_operand(b)) return true;
    if (a->src[0] != b->src[0] || a->i.src[0].width != b->i.src[0].width ||
        a->i.src[0].bank != b->i.src[0].bank)
        return true;
    int64_t p = (int32_t)a->i.src[0].value, q = (int32_t)b->i.src[0].value;
    return p < q + (int64_t)isa_type_bytes((enum isa_type)b->i.type) &&
           q < p + (int64_t)isa_type_bytes((enum isa_type)a->i.type);
}

// -- the graph ----------------------------------------------------------------------------------------------

static void add_edge(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
    struct edge e = {to, s->nodes[from].first_edge, latency};
    s->nodes[from].first_edge = (uint32_t)s->edges.count;
    vec_push(&s->edges, e);
    s->nodes[to].waiting++;
}

// True if the register unit is live past the end of the block, or if its live range starts before the block
// (in layout order). Then reads in the block do not free the register.
static bool leaves_block(const struct scheduler *s, uint32_t unit)
{
    const struct range *r = &s->live.live[unit];
    return !r->count || r->segments[r->count - 1].end >= s->block->end ||
           r->segments[0].start < s->block->start;
}

// Notes an access of the window's newest node; a read joins the list of the unit's reads.
static void note_access(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access)
{
    struct scheduler *s = context;
    uint32_t index = (uint32_t)s->accesses.count;
    bool write = access == MACH_WRITE;
    vec_push(&s->accesses,
             ((struct access){.unit = unit,
                              .node = i->note,
                              .file = mach_group_of(s->f, unit)->predicate ? PREDICATES : REGISTERS,
                              .write = write,
                              .frees = !write && !leaves_block(s, unit)}));
    if (write) return;
    if (s->last_read[unit])
        s->accesses.data[s->last_read[unit]].next = index;
    else
        s->first_read[unit] = index;
    s->last_read[unit] = index;
}

static void order_by_registers(struct scheduler *s, uint32_t n)
{
    for (uint32_t k = s->nodes[n].first_access; k < s->accesses.count; k++) {
        const struct access *a = &s->accesses.data[k];
        uint32_t maker = a->write ? 0 : s->maker[a->unit];
        if (maker) add_edge(s, maker - 1, n, latency_of(s->nodes[maker - 1].inst));
    }
    for (uint32_t k = s->nodes[n].first_access; k < s->accesses.count; k++)
        if (s->accesses.data[k].write) s->maker[s->accesses.data[k].unit] = n + 1;
}

// Clears what note_access and order_by_registers left by unit.
static void forget_accesses(struct scheduler *s)
{
    for (size_t k = 1; k < s->accesses.count; k++) {
        uint32_t unit = s->accesses.data[k].unit;
        s->maker[unit] = s->first_read[unit] = s->last_read[unit] = 0;
    }
}

static void order_memory(struct scheduler *s, uint32_t n)
{
    const struct mach_inst *i = s->nodes[n].inst;
    bool memory = is_memory(i), effect = is_effect(i);
    if (!memory && !effect) return;
    for (uint32_t k = n; k-- > 0;) {
        const struct mach_inst *j = s->nodes[k].inst;
        bool other_memory = is_memory(j), other_effect = is_effect(j);
        if (!other_memory && !other_effect) continue;
        bool lanes_only = isa_has(&i->i, ISA_CROSS_LANE) || isa_has(&j->i, ISA_CROSS_LANE);
        bool ordered;
        if (memory && other_memory)
            ordered = is_ordered(i) || is_ordered(j) ||
                      ((writes_memory(i) || writes_memory(j)) && may_overlap(i, j));
        else
            ordered = (effect && other_effect) || !lanes_only;
        if (ordered) add_edge(s, k, n, 1);
    }
}

static bool reaches(struct scheduler *s, uint32_t from, uint32_t to)
{
    uint32_t stack[WINDOW], depth = 0, steps = 0;
    s->stamp++;
    stack[depth++] = from;
    s->nodes[from].seen = s->stamp;
    while (depth && steps++ < SEARCH_LIMIT) {
        uint32_t n = stack[--depth];
        if (n == to) return true;
        for (uint32_t e = s->nodes[n].first_edge; e; e = s->edges.data[e].next) {
            uint32_t next = s->edges.data[e].to;
            if (s->nodes[next].seen == s->stamp) continue;
            s->nodes[next].seen = s->stamp;
            stack[depth++] = next;
        }
    }
    return steps >= SEARCH_LIMIT;
}

// Orders the readers of `old` before the node that makes the next value.
static void keep_register(struct scheduler *s, uint32_t old, uint32_t node)
{
    for (uint32_t k = s->first_read[old]; k; k = s->accesses.data[k].next) {
        uint32_t reader = s->accesses.data[k].node;
        if (reader != node && !reaches(s, node, reader)) add_edge(s, reader, node, 0);
    }
}

// `phi` of the successor `to` receives a value of the block. Readers of the phi's result and of its other
// operands (OTHERS_MAX at most) go before the definition, so a single register can hold the values.
static void keep_phi_register(struct scheduler *s, const struct mach_block *to, const struct mach_phi *phi,
                              uint32_t pred)
{
    enum { OTHERS_MAX = 4 };
    uint32_t made = phi->src[pred];
    if (made == MACH_NONE || !s->maker[made]) return;
    keep_register(s, phi->dst, s->maker[made] - 1);
    for (uint32_t k = 0; k < to->pred_count && k < OTHERS_MAX; k++)
        if (phi->src[k] != MACH_NONE && phi->src[k] != made)
            keep_register(s, phi->src[k], s->maker[made] - 1);
}

static void keep_phi_registers(struct scheduler *s, const struct mach_block *b)
{
    for (uint32_t k = 0; k < b->succ_count; k++) {
        const struct mach_block *to = b->succs[k];
        for (uint32_t pred = 0; pred < to->pred_count; pred++)
            for (size_t p = 0; to->preds[pred] == b && p < to->phis.count; p++)
                keep_phi_register(s, to, &to->phis.data[p], pred);
    }
}

static void keep_old_registers(struct scheduler *s)
{
    for (uint32_t n = 0; n < s->count; n++)
        for (unsigned k = 0; k < 2; k++)
            if (s->nodes[n].inst->old[k] != MACH_NONE) keep_register(s, s->nodes[n].inst->old[k], n);
}

// Computes node heights by relaxing in reverse code order until nothing changes: only the edges of
// keep_reader point backwards in the code.
static void measure_heights(struct scheduler *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = s->count; n-- > 0;) {
            uint32_t height = latency_of(s->nodes[n].inst);
            for (uint32_t e = s->nodes[n].first_edge; e; e = s->edges.data[e].next) {
                uint32_t through = s->nodes[s->edges.data[e].to].height + s->edges.data[e].latency;
                if (through > height) height = through;
            }
            if (height > s->nodes[n].height) {
                s->nodes[n].height = height;
                changed = true;
            }
        }
    }
}

// -- registers ----------------------------------------------------------------------------------------------

struct balance { // of an instruction: registers it defines minus registers it frees, by enum file
    int32_t change[2];
};

// One access's part of a balance. `issue`: the read is done.
static void weigh_access(struct scheduler *s, struct balance *b, const struct access *a, bool issue)
{
    if (a->write)
        b->change[a->file]++;
    else if (s->reads_left[a->unit] == 1 && a->frees)
        b->change[a->file]--;
    if (!a->write && issue) s->reads_left[a->unit]--;
}

static struct balance weigh(struct scheduler *s, uint32_t n, bool issue)
{
    struct balance b = {{0, 0}};
    for (uint32_t k = s->nodes[n].first_access; k < s->nodes[n + 1].first_access; k++)
        weigh_access(s, &b, &s->accesses.data[k], issue);
    return b;
}

static void issued(struct scheduler *s, uint32_t n)
{
    struct balance b = weigh(s, n, true);
    for (unsigned file = 0; file < 2; file++) s->pressure[file] += b.change[file];
}

static void count_read(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access)
{
    struct scheduler *s = context;
    (void)i;
    if (access == MACH_READ) s->reads_left[unit]++;
}

static void clear_read(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access)
{
    struct scheduler *s = context;
    (void)i;
    if (access == MACH_READ) s->reads_left[unit] = 0;
}

// -- issuing ------------------------------------------------------------------------------------------------

struct choice { // of a ready node, for one step
    struct scheduler *s;
    bool full[2]; // by enum file: live registers are at the limit
    uint32_t now;
    struct balance balance[WINDOW]; // by index in `ready`; set if one of the files is full
};

static void weigh_choices(struct choice *c, const uint32_t *ready, uint32_t count)
{
    for (unsigned file = 0; file < 2; file++) c->full[file] = c->s->pressure[file] >= c->s->limit[file];
    if (!c->full[REGISTERS] && !c->full[PREDICATES]) return;
    for (uint32_t k = 0; k < count; k++) c->balance[k] = weigh(c->s, ready[k], false);
}

// True if ready node k is to be issued rather than ready node `best`.
static bool is_better(const struct choice *c, const uint32_t *ready, uint32_t k, uint32_t best)
{
    const struct node *x = &c->s->nodes[ready[k]], *y = &c->s->nodes[ready[best]];
    for (unsigned file = 2; file-- > 0;)
        if (c->full[file] && c->balance[k].change[file] != c->balance[best].change[file])
            return c->balance[k].change[file] < c->balance[best].change[file];
    bool waits = x->start > c->now, other_waits = y->start > c->now;
    if (waits != other_waits) return !waits;
    if (waits && x->start != y->start) return x->start < y->start;
    if (x->height != y->height) return x->height > y->height;
    return ready[k] < ready[best];
}

static void issue_all(struct scheduler *s, struct mach_block *b, struct mach_inst *where)
{
    uint32_t ready[WINDOW], ready_count = 0;
    struct choice c = {.s = s};
    for (uint32_t n = 0; n < s->count; n++) {
        mach_remove(s->nodes[n].inst);
        if (!s->nodes[n].waiting) ready[ready_count++] = n;
    }
    for (; ready_count; c.now++) {
        uint32_t best = 0;
        weigh_choices(&c, ready, ready_count);
        for (uint32_t k = 1; k < ready_count; k++)
            if (is_better(&c, ready, k, best)) best = k;
        uint32_t index = ready[best];
        struct node *n = &s->nodes[index];
        ready[best] = ready[--ready_count];
        if (n->start > c.now) c.now = n->start;
        mach_insert_before(b, where, n->inst);
        issued(s, index);
        for (uint32_t e = n->first_edge; e; e = s->edges.data[e].next) {
            struct node *to = &s->nodes[s->edges.data[e].to];
            if (c.now + s->edges.data[e].latency > to->start) to->start = c.now + s->edges.data[e].latency;
            if (--to->waiting == 0) ready[ready_count++] = s->edges.data[e].to;
        }
    }
}

// Starts the window's lists; index 0 of each ends lists.
static void clear_window(struct scheduler *s)
{
    s->edges.count = s->accesses.count = 0;
    vec_push(&s->edges, (struct edge){0});
    vec_push(&s->accesses, (struct access){0});
}

static void add_node_accesses(struct scheduler *s, uint32_t n)
{
    s->nodes[n].inst->note = n;
    s->nodes[n].first_access = (uint32_t)s->accesses.count;
    mach_each_unit(s->f, s->nodes[n].inst, note_access, s);
    s->nodes[n + 1].first_access = (uint32_t)s->accesses.count;
}

static void schedule_window(struct scheduler *s, struct mach_block *b, struct mach_inst *where)
{
    clear_window(s);
    for (uint32_t n = 0; n < s->count; n++) {
        add_node_accesses(s, n);
        order_by_registers(s, n);
        order_memory(s, n);
    }
    if (s->keeps_variables) keep_phi_registers(s, b);
    keep_old_registers(s);
    measure_heights(s);
    forget_accesses(s);
    issue_all(s, b, where);
    s->count = 0;
}

// An instruction that keeps its place, behind the window before it.
static void issue_fixed(struct scheduler *s, struct mach_inst *i)
{
    clear_window(s);
    s->nodes[0].inst = i;
    add_node_accesses(s, 0);
    forget_accesses(s);
    issued(s, 0);
}

static void schedule_block(struct scheduler *s, struct mach_block *b)
{
    s->block = b;
    for (struct mach_inst *i = b->first; i; i = i->next) mach_each_unit(s->f, i, count_read, s);
    for (struct mach_inst *i = b->first, *next; i; i = next) {
        next = i->next;
        bool fixed = stays(s, i);
        if (!fixed) s->nodes[s->count++] = (struct node){.inst = i};
        if (s->count && (fixed || s->count == WINDOW)) schedule_window(s, b, fixed ? i : next);
        if (fixed) issue_fixed(s, i);
    }
    if (s->count) schedule_window(s, b, NULL);
    for (struct mach_inst *i = b->first; i; i = i->next) mach_each_unit(s->f, i, clear_read, s);
}

// The sums of matrix products are live across a loop and many: a limit below them would keep every load behind the use of the load before.
static bool has_products(const struct mach_function *f)
{
    for (uint32_t k = 0; k < f->block_count; k++)
        for (const struct mach_inst *i = f->blocks[k]->first; i; i = i->next)
            if (i->i.op < OP_COUNT && isa_table[i->i.op].latency == LATENCY_PRODUCT) return true;
    return false;
}

void mach_schedule(struct mach_function *f, bool keeps_variables)
{
    struct scheduler *s = heap_alloc(sizeof *s);
    int32_t most;
    s->f = f;
    s->keeps_variables = keeps_variables;
    arena_init(&s->scratch);
    s->live = (struct allocation){.f = f, .arena = &s->scratch};
    allocate_live(&s->live);
    int32_t *live[2];
    live[PREDICATES] = allocate_live_counts(&s->live, &s->scratch, true, &most);
    live[REGISTERS] = allocate_live_counts(&s->live, &s->scratch, false, &most);
    s->maker = ARENA_ARRAY(&s->scratch, uint32_t, mach_unit_count(f));
    s->first_read = ARENA_ARRAY(&s->scratch, uint32_t, mach_unit_count(f));
    s->last_read = ARENA_ARRAY(&s->scratch, uint32_t, mach_unit_count(f));
    s->reads_left = ARENA_ARRAY(&s->scratch, uint32_t, mach_unit_count(f));
    s->limit[REGISTERS] = most < REGISTERS_FEW                        ? REGISTERS_FEW
                          : most > REGISTERS_MANY && !has_products(f) ? REGISTERS_MANY
                                                                      : most;
    s->limit[PREDICATES] = PREDICATE_LIMIT;
    for (uint32_t k = 0; k < f->block_count; k++) {
        for (unsigned file = 0; file < 2; file++) s->pressure[file] = live[file][f->blocks[k]->start];
        schedule_block(s, f->blocks[k]);
    }
    vec_fini(&s->edges);
    vec_fini(&s->accesses);
    arena_fini(&s->scratch);
    free(s);
}
