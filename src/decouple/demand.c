// Lanes in which a value can be read: backwards over the SSA form, to the least fixed point.
//
//     ISETP P0, …          P0: all lanes
//     @!P0 LDG R1, [R1]    the result is read under !P0 alone: the address is dead behind the load
//     FADD R2, R1, R3      works in all lanes; R2 is read under !P0 alone
//     @!P0 STG [R4], R2
//
// A guarded instruction with a result read only under the same guard needs no old result (`drops`). Without
// effects beyond registers, the instruction needs no guard either (`free`), and works in all lanes.
//
// A guard in a demand means the guard's value at the demanded definition. So the guard's definition must dominate
// the demanded one: between the definition and a read of a dominated definition without a phi, no new instance
// of the guard is made. A value read by a phi is demanded in all lanes.
#include "decouple/slices.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

// No lane; all lanes; otherwise 2 + 2 * guard's definition + 1 for a negated guard.
typedef uint32_t demand;
enum { NO_LANE, ALL_LANES, GUARDED };

struct demands {
    const struct decouple *d;
    const struct mark_ssa *s;
    demand *of; // by definition
};

static demand join(demand a, demand b)
{
    if (a == NO_LANE || a == b) return b;
    return b == NO_LANE ? a : ALL_LANES;
}

// True: the instruction reads and writes registers and predicates of its own lane alone.
static bool is_pure(const struct inst *i)
{
    enum {
        OUTWARD = ISA_LOAD | ISA_STORE | ISA_ATOMIC | ISA_FENCE | ISA_BRANCH | ISA_BARRIER | ISA_CROSS_LANE |
                  ISA_SIDE_EFFECT | ISA_CALL | ISA_INDIRECT
    };
    return !isa_has(i, OUTWARD) && !access_reads_shared(i) && !isa_reads_textures(i->op);
}

static bool precedes(const struct mark_ssa *s, uint32_t guard, uint32_t def)
{
    const struct mark_def *g = &s->defs[guard], *x = &s->defs[def];
    if (g->block != x->block) return flow_dominates(&s->dominators, g->block, x->block);
    return x->kind == DEF_INST && (g->kind != DEF_INST || g->inst < x->inst);
}

static void raise(struct demands *x, uint32_t def, demand to, bool *news)
{
    if (to >= GUARDED && !precedes(x->s, (to - GUARDED) / 2, def)) to = ALL_LANES;
    demand joined = join(x->of[def], to);
    *news |= joined != x->of[def];
    x->of[def] = joined;
}

static demand result_of(const struct demands *x, uint32_t inst)
{
    demand result = NO_LANE;
    for (uint32_t k = x->s->write_first[inst]; k < x->s->write_first[inst + 1]; k++)
        result = join(result, x->of[x->s->writes[k]]);
    return result;
}

// The instruction's guard as a demand; ALL_LANES: without a guard.
static demand guard_of(const struct demands *x, uint32_t inst, const struct access_list *reads)
{
    for (unsigned k = 0; k < reads->count; k++)
        if (reads->at[k].role == ROLE_GUARD)
            return GUARDED + 2 * x->s->reads[x->s->read_first[inst] + k] +
                   x->d->program->insts[inst].guard_not;
    return ALL_LANES;
}

static void read_of_inst(struct demands *x, uint32_t inst, bool *news)
{
    const struct inst *i = &x->d->program->insts[inst];
    struct access_list list;
    access_reads(x->d->program, i, &list);
    demand result = result_of(x, inst), guard = guard_of(x, inst, &list);
    demand all = is_pure(i) ? result : ALL_LANES;
    for (unsigned k = 0; k < list.count; k++) {
        demand to = all;
        if (list.at[k].role == ROLE_SOURCE && all != NO_LANE && guard != ALL_LANES) to = guard;
        if (list.at[k].role == ROLE_GUARD && all == guard) to = NO_LANE;
        if (list.at[k].role == ROLE_OLD) to = result == guard ? NO_LANE : result;
        raise(x, x->s->reads[x->s->read_first[inst] + k], to, news);
    }
}

static void read_of_phi(struct demands *x, uint32_t def, bool *news)
{
    const struct mark_def *at = &x->s->defs[def];
    const struct flow_graph *g = &x->s->flow.graph;
    if (at->kind != DEF_PHI || x->of[def] == NO_LANE) return;
    for (uint32_t k = 0; k < g->pred_first[at->block + 1] - g->pred_first[at->block]; k++)
        raise(x, at->sources[k], ALL_LANES, news);
}

void decouple_find_demands(struct decouple *d)
{
    struct demands x = {.d = d, .s = &d->analysis->ssa};
    x.of = ARENA_ARRAY(&d->arena, demand, x.s->def_count);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = d->count; k-- > 0;) read_of_inst(&x, k, &news);
        for (uint32_t k = 0; k < x.s->def_count; k++) read_of_phi(&x, k, &news);
    }
    for (uint32_t k = 0; k < d->count && !d->shared; k++) {
        struct access_list list;
        access_reads(d->program, &d->program->insts[k], &list);
        demand guard = guard_of(&x, k, &list), result = result_of(&x, k);
        bool has_result = x.s->write_first[k + 1] > x.s->write_first[k];
        d->insts[k].drops = guard != ALL_LANES && has_result && (result == guard || result == NO_LANE);
        d->insts[k].free = d->insts[k].drops && is_pure(&d->program->insts[k]);
    }
}
