// The affine stream as code, and the program joined from kernel and affine stream.
#include "decouple/slices.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

const char decouple_function[] = "affine stream";

static void add(struct decouple_code *c, uint32_t inst, enum decouple_step_kind kind, unsigned site)
{
    c->steps[c->count++] = (struct decouple_step){.inst = inst, .kind = (uint8_t)kind, .site = (uint8_t)site};
}

static void add_moves(struct decouple_code *c, uint32_t inst, unsigned words)
{
    for (unsigned k = 0; k < words; k++)
        c->steps[c->count++] =
            (struct decouple_step){.inst = inst, .kind = DECOUPLE_COMPUTES, .word = (uint8_t)k};
}

static void add_steps(struct decouple_code *c, const struct decouple *d, uint32_t inst)
{
    const struct decouple_inst *n = &d->insts[inst];
    const struct inst *i = &d->program->insts[inst];
    if (!(n->streams & DECOUPLE_IN_AFFINE)) return;
    bool computes = n->has_result && n->kind != DECOUPLE_VECTOR && !n->orders;
    bool takes_guard = n->site == DECOUPLE_ENQ_PRED && !n->compares;
    if (takes_guard) add(c, inst, DECOUPLE_ENQUEUES, n->site);
    if (computes && n->slot) add_moves(c, inst, decouple_slot_of(i).words);
    if (computes && !n->slot) add(c, inst, DECOUPLE_COMPUTES, 0);
    if (n->site && !takes_guard) add(c, inst, DECOUPLE_ENQUEUES, n->site);
    if (n->orders) add(c, inst, DECOUPLE_ORDERS, 0);
    if (isa_has(i, ISA_BRANCH)) add(c, inst, isa_has(i, ISA_EXIT) ? DECOUPLE_ENDS : DECOUPLE_BRANCHES, 0);
}

void decouple_code_of(const struct decouple *d, struct arena *a, struct decouple_code *out)
{
    enum { STEPS_MAX = 4 }; // most steps per instruction: four words of a spill move; else up to three
    out->steps = ARENA_ARRAY(a, struct decouple_step, STEPS_MAX * d->count + 1);
    out->first = ARENA_ARRAY(a, uint32_t, d->count + 1);
    out->count = 0;
    for (uint32_t k = 0; k < d->count; k++) {
        out->first[k] = out->count;
        add_steps(out, d, k);
    }
    out->first[d->count] = out->count;
}

static struct inst unguarded(const struct inst *i)
{
    struct inst all = *i;
    all.guard = PRED_TRUE;
    all.guard_not = 0;
    return all;
}

// An enqueue of an access keeps the address and the guard; data and results belong to the others' stream. An
// enqueue of a predicate becomes a NOP guarded by the predicate.
static struct inst enqueue_of(const struct inst *i, const struct decouple_step *s,
                              const struct decouple_inst *n)
{
    struct inst e = *i;
    if (s->site == DECOUPLE_ENQ_PRED)
        return (struct inst){.op = OP_NOP,
                             .guard = n->compares ? i->dst[0].reg : i->guard,
                             .guard_not = n->compares ? 0 : i->guard_not,
                             .target = NO_TARGET,
                             .reconverge = NO_TARGET,
                             .lines = i->lines};
    for (unsigned k = 0; k < 2; k++)
        if (e.dst[k].kind == OPERAND_REG) e.dst[k].reg = REG_ZERO;
    for (unsigned k = 0; k < 4; k++)
        if (e.src[k].kind == OPERAND_REG) e.src[k].reg = REG_ZERO;
    return n->unguarded ? unguarded(&e) : e;
}

static struct inst inst_of(const struct decouple *d, const struct decouple_step *s)
{
    const struct inst *i = &d->program->insts[s->inst];
    const struct decouple_inst *n = &d->insts[s->inst];
    if (s->kind == DECOUPLE_ENQUEUES) return enqueue_of(i, s, n);
    if (s->kind == DECOUPLE_COMPUTES && n->slot) return decouple_move_of_slot(d->program, i, s->word);
    return n->free ? unguarded(i) : *i;
}

// Number of registers of the affine stream: registers of the program, then one per spill word up to the last
// slot kept in registers.
static uint32_t count_registers(const struct decouple *d)
{
    uint32_t count = d->program->reg_count;
    for (uint32_t k = 0; k < d->count; k++) {
        if (!d->insts[k].slot) continue;
        struct decouple_slot x = decouple_slot_of(&d->program->insts[k]);
        uint32_t end = decouple_name_of_slot(d->program, x.address) + x.words;
        if (end > count) count = end;
    }
    return count;
}

static uint32_t entry_of(const struct decouple_code *c, uint32_t inst)
{
    if (inst == NO_TARGET) return NO_TARGET;
    return c->first[inst] < c->count ? c->first[inst] : c->count - 1;
}

// Layout in memory (`places`, `at_place`): the others' stream without omitted instructions, then the affine
// stream. The program counters of instructions do not change.
static void place(const struct decouple *d, struct program *both)
{
    uint32_t *places = ARENA_ARRAY(&both->arena, uint32_t, both->inst_count + 1), next = 0;
    uint32_t *at = ARENA_ARRAY(&both->arena, uint32_t, both->inst_count + 1);
    for (uint32_t k = 0; k < both->inst_count; k++) {
        bool is_there = k >= d->count || (d->insts[k].streams & DECOUPLE_IN_OTHERS);
        places[k] = next;
        if (is_there) at[next++] = k;
    }
    places[both->inst_count] = next;
    at[next] = both->inst_count;
    both->places = places;
    both->at_place = at;
}

static const struct decouple_plan *plan_of(const struct decouple *d, struct program *both)
{
    struct decouple_plan *plan = ARENA_ARRAY(&both->arena, struct decouple_plan, 1);
    struct decouple_inst *insts = ARENA_ARRAY(&both->arena, struct decouple_inst, d->count + 1);
    memcpy(insts, d->insts, d->count * sizeof *insts);
    plan->count = d->count;
    plan->insts = insts;
    plan->yields = d->shared != NULL;
    decouple_code_of(d, &both->arena, &plan->code);
    return plan;
}

const struct decouple_plan *decouple_plan_of(const struct program *p)
{
    const char *last = p->functions[p->function_count - 1].name;
    return p->plan && p->function_count > 1 && strcmp(last, decouple_function) == 0 ? p->plan : NULL;
}

struct program decouple_kernel(const struct program *p, const struct decouple_plan *plan)
{
    struct program kernel = *p;
    kernel.inst_count = plan->count;
    kernel.function_count = 1;
    return kernel;
}

struct program *decouple_program(const struct decouple *d)
{
    struct arena a;
    struct decouple_code c;
    arena_init(&a);
    decouple_code_of(d, &a, &c);
    struct program stream = *d->program;
    struct program_function function = {.name = decouple_function, .count = c.count};
    stream.insts = ARENA_ARRAY(&a, struct inst, c.count);
    stream.inst_count = c.count;
    stream.functions = &function;
    stream.function_count = 1;
    stream.table_count = 0;
    stream.reg_count = count_registers(d);
    for (uint32_t k = 0; k < c.count; k++) {
        const struct decouple_step *s = &c.steps[k];
        const struct inst *i = &d->program->insts[s->inst];
        stream.insts[k] = inst_of(d, s);
        if (!isa_names_others(i) || s->kind == DECOUPLE_ENQUEUES) continue;
        stream.insts[k].target = entry_of(&c, i->target);
        stream.insts[k].reconverge = entry_of(&c, i->reconverge);
    }
    struct program *both = program_join(d->program, &stream);
    for (uint32_t k = 0; k < d->count;
         k++) // `free` instructions of the lanes; removed ones are left as they are
        if (d->insts[k].free && d->insts[k].streams & DECOUPLE_IN_OTHERS)
            both->insts[k] = unguarded(&both->insts[k]);
    place(d, both);
    both->plan = plan_of(d, both);
    arena_fini(&a);
    return both;
}
