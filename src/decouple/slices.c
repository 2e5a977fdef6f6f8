// Sites, and the split of the program into streams.
//
// The affine stream is found backwards from its purposes: accesses with an address computed by the stream,
// comparisons for the others, memory ordering, thread exits, branches without a reconvergence point, and
// loops left by predicates known only to lanes. In such a loop a warp may wait for another warp, and the
// affine stream must not run ahead. Branches controlling any of these are in the stream, too; a predicate
// unknown to the stream is requested from the others.
#include "decouple/slices.h"
#include "base/vec.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

struct slicing {
    struct decouple *d;
    const struct decouple_slices *a;
    const struct mark_ssa *s;
    VEC(uint32_t) work; // instructions with sources still to visit
    bool *phi_seen;
};

const struct operand *decouple_address(const struct inst *i)
{
    const struct operand *found = NULL;
    for (unsigned k = 0; k < 4; k++) {
        if (i->src[k].kind != OPERAND_MEM) continue;
        if (found) return NULL;
        found = &i->src[k];
    }
    return found;
}

bool decouple_dequeues_register(const struct decouple_inst *n, const struct inst *i, unsigned r)
{
    const struct operand *o = decouple_address(i);
    bool is_data = false;
    if (n->site == DECOUPLE_ENQ_PRED) return n->compares;
    for (unsigned k = 0; k < 4; k++)
        is_data |= i->src[k].kind == OPERAND_REG && r >= i->src[k].reg &&
                   r < i->src[k].reg + operand_words(&i->src[k]);
    return n->site && !is_data && r >= o->reg && r < o->reg + operand_words(o);
}

// Bit mask of predicates taken from a queue instead of read. A comparison: all bits, since its whole result
// is dequeued. Another site: the guard's bit. No site: 0.
unsigned decouple_dequeued_predicates(const struct decouple_inst *n, const struct inst *i)
{
    if (!n->site || n->unguarded) return 0;
    return n->compares ? ~0u : 1u << i->guard;
}

static bool is_shared(const struct decouple *d, uint32_t inst) { return d->shared && d->shared[inst]; }

// -- control dependence (Ferrante, Ottenstein and Warren 1987) ----------------------------------------------

static void find_dependences(struct decouple *d)
{
    struct decouple_slices *a = d->analysis;
    const struct flow_graph *g = &a->ssa.flow.graph;
    const struct flow_tree *after = &a->ssa.postdominators;
    uint32_t count = a->ssa.flow.count;
    a->depends_first = ARENA_ARRAY(&d->arena, uint32_t, count + 2);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < count; n++) {
            if (g->succ_first[n + 1] - g->succ_first[n] < 2) continue;
            for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++)
                for (uint32_t b = g->succs[e]; b != after->parent[n] && b < count; b = after->parent[b]) {
                    if (pass) a->depends[a->depends_first[b + 1]] = n;
                    a->depends_first[b + (pass ? 1 : 2)]++;
                }
        }
        if (pass) break;
        for (uint32_t b = 0; b <= count; b++) a->depends_first[b + 1] += a->depends_first[b];
        a->depends = ARENA_ARRAY(&d->arena, uint32_t, a->depends_first[count + 1] + 1);
    }
}

// -- the affine stream --------------------------------------------------------------------------------------

static void take_inst(struct slicing *x, uint32_t inst)
{
    if (x->d->insts[inst].streams & DECOUPLE_IN_AFFINE) return;
    x->d->insts[inst].streams |= DECOUPLE_IN_AFFINE;
    vec_push(&x->work, inst);
}

// Takes the instruction of a site into the affine stream. An instruction already in the stream, for memory
// order alone, is visited again.
static void take_site(struct slicing *x, uint32_t inst)
{
    x->d->insts[inst].streams |= DECOUPLE_IN_AFFINE;
    vec_push(&x->work, inst);
}

static void take_def(struct slicing *x, uint32_t def)
{
    const struct mark_def *at = &x->s->defs[def];
    if (at->kind == DEF_INST) take_inst(x, at->inst);
    if (at->kind != DEF_PHI || x->phi_seen[def]) return;
    x->phi_seen[def] = true;
    const struct flow_graph *g = &x->s->flow.graph;
    for (uint32_t k = 0; k < g->pred_first[at->block + 1] - g->pred_first[at->block]; k++)
        take_def(x, at->sources[k]);
}

static bool is_known(const struct slicing *x, uint32_t def, uint32_t block)
{
    return decouple_value_at(x->a, def, block).kind != DECOUPLE_VECTOR;
}

// Whether the affine stream can compute all reads of an instruction in the given roles (bit mask).
static bool knows(const struct slicing *x, uint32_t inst, unsigned roles)
{
    struct access_list list;
    uint32_t block = x->s->flow.block_of[inst];
    access_reads(x->d->program, &x->d->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++)
        if ((roles >> list.at[k].role & 1) && !is_known(x, x->s->reads[x->s->read_first[inst] + k], block))
            return false;
    return true;
}

static bool is_address(const struct inst *i, unsigned operand)
{
    return operand < 4 && i->src[operand].kind == OPERAND_MEM;
}

// Takes into the affine stream the definitions of the sources that the stream needs for an instruction.
static void take_sources(struct slicing *x, uint32_t inst)
{
    const struct inst *i = &x->d->program->insts[inst];
    const struct decouple_inst *n = &x->d->insts[inst];
    struct access_list list;
    bool branches = isa_has(i, ISA_BRANCH);
    bool computes = n->kind != DECOUPLE_VECTOR && !n->orders;
    access_reads(x->d->program, i, &list);
    for (unsigned k = 0; k < list.count; k++) {
        uint32_t def = x->s->reads[x->s->read_first[inst] + k];
        bool accesses = n->site == DECOUPLE_ENQ_DATA || n->site == DECOUPLE_ENQ_ADDR;
        bool guards = list.at[k].role == ROLE_GUARD && !n->unguarded &&
                      (branches || accesses || n->site == DECOUPLE_ENQ_PRED);
        bool leads = accesses && list.at[k].role == ROLE_SOURCE && is_address(i, list.at[k].operand);
        bool is_read = list.at[k].role == ROLE_SOURCE || !n->free;
        if ((guards && !n->feedback) || leads || (computes && is_read)) take_def(x, def);
    }
}

// Takes a branch into the affine stream. If the stream cannot compute the branch's predicate, the others
// report the predicate (feedback).
static void take_branch(struct slicing *x, uint32_t inst)
{
    x->d->insts[inst].feedback = !knows(x, inst, 1u << ROLE_GUARD | 1u << ROLE_SOURCE);
    take_inst(x, inst);
}

static void close_affine(struct slicing *x)
{
    while (x->work.count) {
        uint32_t inst = vec_pop(&x->work), block = x->s->flow.block_of[inst];
        take_sources(x, inst);
        for (uint32_t e = x->a->depends_first[block]; e < x->a->depends_first[block + 1]; e++)
            take_branch(x, decouple_last_of(x->s, x->a->depends[e]));
    }
}

// -- sites --------------------------------------------------------------------------------------------------

// Whether the instruction orders memory (barrier, fence, acquire …): another warp may store between the
// accesses before and the loads after the instruction. A relaxed atomic orders nothing and waits for nobody; a loop
// on an atomic's result is a loop on data.
static bool orders(const struct inst *i)
{
    return access_orders_memory(i) || (isa_has(i, ISA_ATOMIC) && i->sem > SEM_RELAXED) ||
           i->op == OP_WARPSYNC || i->op == OP_SYSCALL || i->op == OP_LDGDEPBAR || i->op == OP_NANOSLEEP ||
           (isa_has(i, ISA_STORE) && !isa_has(i, ISA_ATOMIC) && i->sem != SEM_WEAK);
}

static bool is_plain(const struct inst *i)
{
    return i->op == OP_LD || i->op == OP_LDG || i->op == OP_LDS || i->op == OP_LDL;
}

// Whether the address may be queued for lanes that a guard turns off: no line is requested ahead.
static bool speculates_nothing(const struct inst *i)
{
    return isa_has(i, ISA_STORE | ISA_ATOMIC) || i->op == OP_LDS;
}

static enum decouple_cause cause_against_site(const struct slicing *x, uint32_t inst)
{
    const struct decouple *d = x->d;
    const struct inst *i = &d->program->insts[inst];
    bool shared = i->op == OP_LDS || i->op == OP_STS || i->op == OP_ATOMS;
    struct access_list list;
    uint32_t block = x->s->flow.block_of[inst];
    if (!decouple_address(i) || isa_is_fetch(i->op)) return DECOUPLE_FOR_TEXTURE;
    if (is_shared(d, inst)) return DECOUPLE_FOR_SHARED;
    if (access_is_spill(d->program, i)) return DECOUPLE_FOR_SPILL;
    if ((shared && !d->rules.shared) || (!is_plain(i) && !d->rules.stores)) return DECOUPLE_FOR_OFF;
    if (!knows(x, inst, 1u << ROLE_GUARD) && !speculates_nothing(i)) return DECOUPLE_FOR_GUARD;
    access_reads(d->program, i, &list);
    for (unsigned k = 0; k < list.count; k++)
        if (is_address(i, list.at[k].operand) && list.at[k].role == ROLE_SOURCE &&
            !is_known(x, x->s->reads[x->s->read_first[inst] + k], block))
            return DECOUPLE_FOR_SOURCE;
    return DECOUPLE_FOR_NONE;
}

static uint32_t blamed(const struct slicing *x, uint32_t inst)
{
    struct access_list list;
    uint32_t block = x->s->flow.block_of[inst];
    access_reads(x->d->program, &x->d->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++) {
        uint32_t def = x->s->reads[x->s->read_first[inst] + k];
        bool data =
            list.at[k].role == ROLE_SOURCE && !is_address(&x->d->program->insts[inst], list.at[k].operand);
        if (!data && !is_known(x, def, block) && x->s->defs[def].kind == DEF_INST)
            return x->s->defs[def].inst;
    }
    return FLOW_NONE;
}

// By block: whether all branches controlling the block, directly or indirectly, have predicates known to the
// affine stream.
static bool *find_certain(const struct slicing *x)
{
    uint32_t count = x->s->flow.count;
    bool *certain = ARENA_ARRAY(&x->d->arena, bool, count);
    memset(certain, true, count);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t b = 0; b < count; b++)
            for (uint32_t e = x->a->depends_first[b]; certain[b] && e < x->a->depends_first[b + 1]; e++) {
                uint32_t n = x->a->depends[e], last = decouple_last_of(x->s, n);
                bool known = knows(x, last, 1u << ROLE_GUARD | 1u << ROLE_SOURCE);
                certain[b] = known && certain[n];
                news |= !certain[b];
            }
    }
    return certain;
}

static void find_accesses(struct slicing *x, const bool *certain)
{
    enum { ACCESSES = ISA_LOAD | ISA_STORE | ISA_ATOMIC };
    struct decouple *d = x->d;
    for (uint32_t k = 0; k < d->count; k++) {
        const struct inst *i = &d->program->insts[k];
        struct decouple_inst *n = &d->insts[k];
        if (!isa_has(i, ACCESSES) || i->op == OP_LDC || n->slot) continue;
        enum decouple_cause against = cause_against_site(x, k);
        if (!against && !d->rules.feedback && !certain[x->s->flow.block_of[k]])
            against = DECOUPLE_FOR_CONTROL;
        if (!against) n->site = is_plain(i) ? DECOUPLE_ENQ_DATA : DECOUPLE_ENQ_ADDR;
        n->unguarded = n->site && !knows(x, k, 1u << ROLE_GUARD);
        if (against || !n->has_result)
            n->cause = (uint8_t)against, n->from = against ? blamed(x, k) : FLOW_NONE;
        if (n->site) take_site(x, k);
    }
}

// Whether a warp in the loop can see another warp's work: the loop loads, or orders memory.
static bool sees_others(const struct slicing *x, uint32_t loop)
{
    const struct mark_ssa *s = x->s;
    for (uint32_t k = 0; k < x->d->count; k++) {
        const struct inst *i = &x->d->program->insts[k];
        bool sees = x->d->insts[k].orders || access_may_change(i) || isa_has(i, ISA_ATOMIC | ISA_CALL);
        if (sees && flow_loop_contains(&s->loops, loop, s->flow.block_of[k])) return true;
    }
    return false;
}

// Whether the branch at the end of block n leaves a loop by a predicate known only to lanes, and the loop may wait
// for another warp. In irreducible flow, every branch with such a predicate counts as leaving a loop.
static bool may_wait(const struct slicing *x, uint32_t n)
{
    const struct mark_ssa *s = x->s;
    const struct flow_graph *g = &s->flow.graph;
    uint32_t last = decouple_last_of(s, n), l = s->loops.innermost[n];
    bool leaves = s->loops.irreducible;
    if (!isa_is_conditional(&x->d->program->insts[last]) ||
        knows(x, last, 1u << ROLE_GUARD | 1u << ROLE_SOURCE))
        return false;
    for (; l != FLOW_NONE && !leaves; l = s->loops.loops[l].parent)
        for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++)
            leaves |= !flow_loop_contains(&s->loops, l, g->succs[e]) && sees_others(x, l);
    return leaves;
}

static void find_others(struct slicing *x)
{
    struct decouple *d = x->d;
    for (uint32_t k = 0; k < d->count; k++) {
        const struct inst *i = &d->program->insts[k];
        d->insts[k].orders = orders(i);
        if (d->insts[k].orders) take_inst(x, k);
        if (isa_has(i, ISA_EXIT)) take_branch(x, k);
        // Without a reconvergence point, the affine stream cannot pass over the branch.
        bool parts = isa_has(i, ISA_BRANCH) && isa_is_conditional(i) && i->reconverge == NO_TARGET;
        if (parts && !isa_has(i, ISA_EXIT)) take_branch(x, k);
    }
    for (uint32_t n = 0; n < x->s->flow.count; n++)
        if (isa_has(&d->program->insts[decouple_last_of(x->s, n)], ISA_BRANCH) && may_wait(x, n))
            take_branch(x, decouple_last_of(x->s, n));
}

// -- the others' stream -------------------------------------------------------------------------------------

struct others { // state of the search for the others' stream
    struct slicing *x;
    const bool *certain; // by block
    VEC(uint32_t) work;
    bool *phi_seen;
};

static void want_inst(struct others *o, uint32_t inst)
{
    struct decouple_inst *n = &o->x->d->insts[inst];
    if (n->streams & DECOUPLE_IN_OTHERS) return;
    n->streams |= DECOUPLE_IN_OTHERS;
    vec_push(&o->work, inst);
}

static void want_def(struct others *o, uint32_t def)
{
    const struct mark_ssa *s = o->x->s;
    const struct mark_def *at = &s->defs[def];
    if (at->kind == DEF_INST) want_inst(o, at->inst);
    if (at->kind != DEF_PHI || o->phi_seen[def]) return;
    o->phi_seen[def] = true;
    const struct flow_graph *g = &s->flow.graph;
    for (uint32_t k = 0; k < g->pred_first[at->block + 1] - g->pred_first[at->block]; k++)
        want_def(o, at->sources[k]);
}

// Whether the affine stream makes the comparison for the others: an unguarded ISETP or PLOP3 of known
// operands, not shared by another mechanism. The comparison is in a block reached without feedback, or in the
// affine stream anyway.
static bool is_compared_for(const struct others *o, uint32_t inst)
{
    const struct decouple *d = o->x->d;
    const struct inst *i = &d->program->insts[inst];
    bool is_predicate = i->dst[0].kind == OPERAND_PRED && (i->op == OP_ISETP || i->op == OP_PLOP3);
    return is_predicate && !is_shared(d, inst) && d->insts[inst].kind != DECOUPLE_VECTOR &&
           i->guard == PRED_TRUE && !i->guard_not &&
           (o->certain[o->x->s->flow.block_of[inst]] || (d->insts[inst].streams & DECOUPLE_IN_AFFINE));
}

static void want_sources(struct others *o, uint32_t inst)
{
    struct slicing *x = o->x;
    const struct inst *i = &x->d->program->insts[inst];
    struct decouple_inst *n = &x->d->insts[inst];
    struct access_list list;
    bool accesses = n->site == DECOUPLE_ENQ_DATA || n->site == DECOUPLE_ENQ_ADDR;
    if (n->site == DECOUPLE_ENQ_PRED && n->compares) return;
    access_reads(x->d->program, i, &list);
    for (unsigned k = 0; k < list.count; k++) {
        bool queued = accesses && list.at[k].role == ROLE_SOURCE && is_address(i, list.at[k].operand);
        queued |= n->site && list.at[k].role == ROLE_GUARD && !n->unguarded; // an address implies its lanes
        bool is_unread =
            (list.at[k].role == ROLE_OLD && n->drops) || (list.at[k].role == ROLE_GUARD && n->free);
        if (!queued && !is_unread) want_def(o, x->s->reads[x->s->read_first[inst] + k]);
    }
}

// Whether a comparison in the same block, made by the affine stream, computes the instruction's guard, and no
// other instruction reads the predicate. Sets predicate_kind.
static bool takes_guard(const struct others *o, uint32_t inst, const uint32_t *readers)
{
    const struct slicing *x = o->x;
    struct access_list list;
    access_reads(x->d->program, &x->d->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++) {
        if (list.at[k].role != ROLE_GUARD) continue;
        uint32_t def = x->s->reads[x->s->read_first[inst] + k];
        const struct mark_def *at = &x->s->defs[def];
        x->d->insts[inst].predicate_kind = x->a->values[def].kind;
        return at->kind == DEF_INST && readers[def] == 1 && is_compared_for(o, at->inst) &&
               at->block == x->s->flow.block_of[inst];
    }
    return false;
}

// Counts the reads of each definition; a read by a phi counts as two.
static uint32_t *count_readers(const struct slicing *x)
{
    const struct mark_ssa *s = x->s;
    const struct flow_graph *g = &s->flow.graph;
    uint32_t *readers = ARENA_ARRAY(&x->d->arena, uint32_t, s->def_count);
    for (uint32_t k = 0; k < s->read_first[x->d->count]; k++) readers[s->reads[k]]++;
    for (uint32_t k = 0; k < s->def_count; k++)
        for (uint32_t e = 0; s->defs[k].kind == DEF_PHI &&
                             e < g->pred_first[s->defs[k].block + 1] - g->pred_first[s->defs[k].block];
             e++)
            readers[s->defs[k].sources[e]] += 2;
    return readers;
}

// Finds the others' stream: work of the lanes alone, and its sources. Comparisons known to the affine stream
// come from a queue.
static void find_others_stream(struct slicing *x, const bool *certain)
{
    struct decouple *d = x->d;
    struct others o = {.x = x, .certain = certain, .phi_seen = ARENA_ARRAY(&d->arena, bool, x->s->def_count)};
    const uint32_t *readers = count_readers(x);
    for (uint32_t k = 0; k < d->count; k++) {
        struct decouple_inst *n = &d->insts[k];
        if (n->has_result && n->kind != DECOUPLE_VECTOR && !n->site && !n->orders) continue;
        bool alone =
            !n->site && !n->free && isa_is_conditional(&d->program->insts[k]) && takes_guard(&o, k, readers);
        if (alone) n->site = DECOUPLE_ENQ_PRED;
        want_inst(&o, k);
    }
    while (o.work.count) {
        uint32_t inst = vec_pop(&o.work);
        struct decouple_inst *n = &d->insts[inst];
        if (!n->site && is_compared_for(&o, inst)) {
            n->site = DECOUPLE_ENQ_PRED;
            n->compares = true;
            n->predicate_kind = n->kind;
        }
        if (n->site == DECOUPLE_ENQ_PRED) take_site(x, inst);
        want_sources(&o, inst);
    }
    vec_fini(&o.work);
    close_affine(x);
}

// Takes unconditional jumps on the affine stream's paths into the stream: jumps in blocks controlled by no
// branch, or only by branches of the affine stream.
static void take_jumps(struct slicing *x)
{
    for (uint32_t n = 0; n < x->s->flow.count; n++) {
        uint32_t last = decouple_last_of(x->s, n);
        const struct inst *i = &x->d->program->insts[last];
        bool goes = isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_EXIT) && !isa_is_conditional(i);
        for (uint32_t e = x->a->depends_first[n]; goes && e < x->a->depends_first[n + 1]; e++)
            goes = x->d->insts[decouple_last_of(x->s, x->a->depends[e])].streams & DECOUPLE_IN_AFFINE;
        if (goes) x->d->insts[last].streams |= DECOUPLE_IN_AFFINE;
    }
}

// -- whole analysis -----------------------------------------------------------------------------------------

static bool has_sites(const struct decouple *d)
{
    for (uint32_t k = 0; k < d->count; k++)
        if (d->insts[k].site) return true;
    return false;
}

static bool asks(const struct decouple *d)
{
    for (uint32_t k = 0; k < d->count; k++)
        if (d->insts[k].feedback) return true;
    return false;
}

void decouple_find_slices(struct decouple *d)
{
    struct slicing x = {.d = d, .a = d->analysis, .s = &d->analysis->ssa};
    x.phi_seen = ARENA_ARRAY(&d->arena, bool, x.s->def_count);
    find_dependences(d);
    const bool *certain = find_certain(&x);
    find_accesses(&x, certain);
    bool some = has_sites(d);
    find_others(&x);
    close_affine(&x);
    find_others_stream(&x, certain);
    take_jumps(&x);
    vec_fini(&x.work);
    if (!some && !has_sites(d)) d->whole = DECOUPLE_FOR_NOTHING;
    if (!d->rules.feedback && asks(d)) d->whole = DECOUPLE_FOR_CONTROL;
}
