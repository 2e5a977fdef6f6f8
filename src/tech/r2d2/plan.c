// Which instructions the warps lose, and which operands read linear registers instead.
//
// An instruction is removed if every result is linear and every reader is removed, too, or reads the result as an
// operand of a linear register: not through a merge of several paths (the instruction that brings a value to a loop
// stays), not as a guard, not as the old value of a guarded write. Found as the greatest such set: all linear
// instructions first, then less and less.
//
// A linear register can be read if its thread part fits into 32 bits, and the structures have room. Without room, the
// part with the fewest readers is given up, until the rest fits.
#include "base/vec.h"
#include "decouple/decouple.h"
#include "decouple/slices.h"
#include "exec/launch.h"
#include "isa/bank.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/r2d2/r2d2.h"

#include <stdlib.h>
#include <string.h>

struct planning {
    struct r2d2_launch *l;
    struct r2d2_plan *plan;
    struct decouple *d;
    const struct r2d2_code *code;
    const struct mark_ssa *s;
    struct decouple_linear *values; // by definition
    struct r2d2_register *as;       // by definition: a register's parts, numbers in threads and bases
    bool *no_operand;               // by definition: no linear register holds the value
    bool *merged;                   // by definition: read by a phi that is read
    bool *removed;                  // by instruction
    uint32_t *readers;              // by thread part
    VEC(struct r2d2_thread) threads;
    VEC(struct r2d2_base) bases;
};

// -- parts of values ----------------------------------------------------------------------------------------

// The thread part of a value: false: it does not fit.
static bool split(const struct planning *x, const struct decouple_linear *v, struct r2d2_thread *t,
                  struct r2d2_base *b)
{
    bool is_wide = v->kind == LINEAR_UPPER;
    const uint32_t *block = x->l->launch->block;
    int64_t low = 0, high = 0;
    for (unsigned k = 0; k < 3; k++) {
        uint64_t offset = v->tuple.offset[DECOUPLE_TID_X + k];
        t->offset[k] = (int32_t)(uint32_t)offset;
        int64_t end = (int64_t)t->offset[k] * (block[k] - 1);
        if (is_wide && (uint64_t)(int64_t)t->offset[k] != offset) return false;
        *(end < 0 ? &low : &high) += end;
        b->offset[k] = v->tuple.offset[DECOUPLE_CTAID_X + k];
        b->is_of_block |= b->offset[k] != 0;
    }
    b->base = v->tuple.base;
    return !is_wide || (low >= INT32_MIN && high <= INT32_MAX);
}

static bool is_thread(const struct r2d2_thread *a, const struct r2d2_thread *b)
{
    return memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

static uint8_t number_of_thread(struct planning *x, const struct r2d2_thread *t)
{
    if (!t->offset[0] && !t->offset[1] && !t->offset[2]) return R2D2_NONE;
    for (size_t k = 0; k < x->threads.count; k++)
        if (is_thread(&x->threads.data[k], t)) return (uint8_t)k;
    if (x->threads.count == R2D2_NONE) return R2D2_NONE;
    vec_push(&x->threads, *t);
    return (uint8_t)(x->threads.count - 1);
}

// Whether base b serves for a: equal, or of 64 bits with a as its lower word. A thread part that goes with it is the same
// for both.
static bool serves(const struct r2d2_base *b, const struct r2d2_base *a, bool is_wide)
{
    uint64_t mask = is_wide ? UINT64_MAX : UINT32_MAX, difference = b->base ^ a->base;
    for (unsigned k = 0; k < 3; k++) difference |= b->offset[k] ^ a->offset[k];
    return !(difference & mask);
}

static uint8_t number_of_base(struct planning *x, const struct r2d2_base *b, bool is_wide, bool has_thread)
{
    if (!b->base && !b->is_of_block && has_thread) return R2D2_NONE;
    for (size_t k = 0; k < x->bases.count; k++)
        if (serves(&x->bases.data[k], b, is_wide)) return (uint8_t)k;
    if (x->bases.count == R2D2_NONE) return R2D2_NONE;
    vec_push(&x->bases, *b);
    return (uint8_t)(x->bases.count - 1);
}

// Upper words first: a word may be the lower word of a number of 64 bits.
static void find_parts(struct planning *x)
{
    for (unsigned kind = LINEAR_UPPER; kind >= LINEAR_WORD; kind--)
        for (uint32_t k = 0; k < x->s->def_count; k++) {
            const struct decouple_linear *v = &x->values[k];
            struct r2d2_thread t = {0};
            struct r2d2_base b = {0};
            if (v->kind != kind) continue;
            x->no_operand[k] = !split(x, v, &t, &b);
            if (x->no_operand[k]) continue;
            uint8_t thread = number_of_thread(x, &t);
            bool has_thread = thread != R2D2_NONE;
            uint8_t base = number_of_base(x, &b, kind == LINEAR_UPPER, has_thread);
            bool is_lost = (!has_thread && (t.offset[0] | t.offset[1] | t.offset[2])) ||
                           (base == R2D2_NONE && (b.base || b.is_of_block || !has_thread));
            x->as[k] = (struct r2d2_register){thread, base};
            x->no_operand[k] = is_lost;
        }
}

// -- the removed instructions -------------------------------------------------------------------------------

static uint32_t pred_count(const struct planning *x, uint32_t block)
{
    const struct flow_graph *g = &x->s->flow.graph;
    return g->pred_first[block + 1] - g->pred_first[block];
}

// Definitions read by a phi whose value some instruction reads.
static void find_merged(struct planning *x)
{
    const struct mark_ssa *s = x->s;
    bool *read = ARENA_ARRAY(&x->d->arena, bool, s->def_count);
    x->merged = ARENA_ARRAY(&x->d->arena, bool, s->def_count);
    for (uint32_t k = 0; k < s->read_first[x->d->count]; k++) read[s->reads[k]] = true;
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < s->def_count; k++) {
            const struct mark_def *at = &s->defs[k];
            for (uint32_t n = 0; at->kind == DEF_PHI && read[k] && n < pred_count(x, at->block); n++) {
                news |= !read[at->sources[n]] || !x->merged[at->sources[n]];
                read[at->sources[n]] = x->merged[at->sources[n]] = true;
            }
        }
    }
}

static bool is_linear(const struct planning *x, uint32_t inst)
{
    const struct mark_ssa *s = x->s;
    const struct inst *i = &x->d->program->insts[inst];
    bool linear = s->write_first[inst + 1] > s->write_first[inst];
    if ((i->guard != PRED_TRUE || i->guard_not) && !x->d->insts[inst].free) return false;
    for (uint32_t k = s->write_first[inst]; k < s->write_first[inst + 1]; k++)
        linear &= x->values[s->writes[k]].kind != LINEAR_NOT && !x->merged[s->writes[k]];
    return linear;
}

// A wait that another block, or a copy, ends. The warp is not looked at then.
static bool is_wait(const struct inst *i) { return i->op == OP_SYNCSWAIT || i->op == OP_UCGABAR; }

static bool is_behind_wait(const struct planning *x, uint32_t inst)
{
    return inst && is_wait(&x->d->program->insts[inst - 1]);
}

static bool is_removed_def(const struct planning *x, uint32_t def)
{
    const struct mark_def *at = &x->s->defs[def];
    return at->kind == DEF_INST && x->removed[at->inst];
}

// Keeps instructions whose results the instruction, kept, cannot read from linear registers. Returns whether one is.
static bool keep_sources(struct planning *x, uint32_t inst)
{
    struct access_list list;
    bool news = false;
    access_reads(x->d->program, &x->d->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++) {
        uint32_t def = x->s->reads[x->s->read_first[inst] + k];
        bool is_old = list.at[k].role == ROLE_OLD;
        if (!is_removed_def(x, def) || (is_old && x->d->insts[inst].drops)) continue;
        bool is_operand = list.at[k].role == ROLE_SOURCE && x->values[def].kind != LINEAR_CARRY &&
                          !x->no_operand[def] && list.count < OP_READS_MAX;
        if (is_operand) continue;
        x->removed[x->s->defs[def].inst] = false;
        news = true;
    }
    return news;
}

static void find_removed(struct planning *x)
{
    for (uint32_t k = 0; k < x->d->count; k++) x->removed[k] = is_linear(x, k) && !is_behind_wait(x, k);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = x->d->count; k-- > 0;)
            if (!x->removed[k]) news |= keep_sources(x, k);
    }
}

bool *r2d2_find_removable(struct decouple *d, const bool *maybe)
{
    const struct mark_ssa *s = &d->analysis->ssa;
    struct planning x = {.d = d, .s = s};
    x.values = ARENA_ARRAY(&d->arena, struct decouple_linear, s->def_count);
    x.no_operand = ARENA_ARRAY(&d->arena, bool, s->def_count);
    x.removed = ARENA_ARRAY(&d->arena, bool, d->count + 1);
    for (uint32_t k = 0; k < s->def_count; k++) {
        const struct mark_def *at = &s->defs[k];
        if (at->kind != DEF_INST || !maybe[at->inst]) continue;
        x.values[k].kind = at->location < LOCATION_PREDICATE ? LINEAR_WORD : LINEAR_CARRY;
    }
    find_merged(&x);
    find_removed(&x);
    return x.removed;
}

// -- room ---------------------------------------------------------------------------------------------------

struct needs {
    uint32_t registers, threads, bases;
    uint32_t of_register[R2D2_LINEAR_MAX + 1];
};

static int index_of_operand(const struct op *o, unsigned r)
{
    for (unsigned k = 0; k < o->read_count; k++)
        if (o->reads[k] == r) return (int)k;
    return -1;
}

static int register_of(struct r2d2_plan *p, struct r2d2_register r)
{
    for (unsigned k = 0; k < p->register_count; k++)
        if (p->registers[k].thread == r.thread && p->registers[k].base == r.base) return (int)k;
    if (p->register_count == R2D2_LINEAR_MAX) return -1;
    p->registers[p->register_count] = r;
    return (int)p->register_count++;
}

// By thread part and by base, number of operands that read it. Returns whether all linear registers have room.
static bool count_readers(struct planning *x, uint32_t *threads, uint32_t *bases)
{
    struct r2d2_plan *p = x->plan;
    bool fits = true;
    p->register_count = 0;
    memset(threads, 0, (R2D2_NONE + 1) * sizeof *threads);
    memset(bases, 0, (R2D2_NONE + 1) * sizeof *bases);
    for (uint32_t k = 0; k < x->d->count; k++) {
        struct access_list list;
        if (x->removed[k]) continue;
        access_reads(x->d->program, &x->d->program->insts[k], &list);
        for (unsigned n = 0; n < list.count; n++) {
            uint32_t def = x->s->reads[x->s->read_first[k] + n];
            if (list.at[n].role != ROLE_SOURCE || !is_removed_def(x, def)) continue;
            threads[x->as[def].thread]++;
            bases[x->as[def].base]++;
            fits &= register_of(p, x->as[def]) >= 0;
        }
    }
    unsigned used = 0, held = 0;
    for (unsigned k = 0; k < R2D2_NONE; k++) used += threads[k] != 0, held += bases[k] != 0;
    return fits && p->register_count <= x->l->options->registers && held <= R2D2_LINEAR_MAX &&
           used <= R2D2_LINEAR_MAX && used * x->l->warps <= x->l->options->vectors;
}

// Gives up the linear registers with the part that has the fewest readers.
static void give_up(struct planning *x, const uint32_t *threads, const uint32_t *bases)
{
    unsigned thread = R2D2_NONE, base = R2D2_NONE;
    for (unsigned k = 0; k < R2D2_NONE; k++) {
        if (threads[k] && (thread == R2D2_NONE || threads[k] < threads[thread])) thread = k;
        if (bases[k] && (base == R2D2_NONE || bases[k] < bases[base])) base = k;
    }
    bool is_thread_part = thread != R2D2_NONE && (base == R2D2_NONE || threads[thread] <= bases[base]);
    for (uint32_t k = 0; k < x->s->def_count; k++) {
        bool has = is_thread_part ? x->as[k].thread == thread : x->as[k].base == base;
        if (x->values[k].kind != LINEAR_NOT && has) x->no_operand[k] = true;
    }
}

static void fit(struct planning *x)
{
    uint32_t threads[R2D2_NONE + 1], bases[R2D2_NONE + 1];
    for (;;) {
        find_removed(x);
        if (count_readers(x, threads, bases)) break;
        give_up(x, threads, bases);
    }
}

// -- the plan -----------------------------------------------------------------------------------------------

// Copies the parts in use to the plan, and numbers them anew.
static void number(struct planning *x)
{
    struct r2d2_plan *p = x->plan;
    uint8_t threads[R2D2_NONE + 1], bases[R2D2_NONE + 1];
    memset(threads, R2D2_NONE, sizeof threads);
    memset(bases, R2D2_NONE, sizeof bases);
    for (unsigned k = 0; k < p->register_count; k++) {
        struct r2d2_register *r = &p->registers[k];
        if (r->thread != R2D2_NONE && threads[r->thread] == R2D2_NONE) {
            p->threads[p->thread_count] = x->threads.data[r->thread];
            threads[r->thread] = (uint8_t)p->thread_count++;
        }
        if (r->base != R2D2_NONE && bases[r->base] == R2D2_NONE) {
            p->bases[p->base_count] = x->bases.data[r->base];
            bases[r->base] = (uint8_t)p->base_count++;
        }
        *r = (struct r2d2_register){threads[r->thread], bases[r->base]};
    }
}

static void list_operands(struct planning *x)
{
    struct r2d2_plan *p = x->plan;
    VEC(struct r2d2_operand) all = {0};
    p->register_count = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        struct access_list list;
        p->first[k] = (uint32_t)all.count;
        if (x->removed[k]) continue;
        access_reads(x->d->program, &x->d->program->insts[k], &list);
        for (unsigned n = 0; n < list.count; n++) {
            uint32_t def = x->s->reads[x->s->read_first[k] + n];
            if (list.at[n].role != ROLE_SOURCE || !is_removed_def(x, def)) continue;
            int nth = index_of_operand(&x->l->ops[k], list.at[n].location);
            struct r2d2_operand o = {.r = (uint8_t)list.at[n].location,
                                     .linear = (uint8_t)register_of(p, x->as[def]),
                                     .is_upper = x->values[def].kind == LINEAR_UPPER,
                                     .nth = (uint8_t)nth};
            bool again = false;
            for (uint32_t m = p->first[k]; m < all.count; m++) again |= all.data[m].r == o.r;
            if (again) continue;
            vec_push(&all, o);
            if (nth >= 0) p->served[k] |= 1u << nth;
        }
    }
    p->first[p->count] = (uint32_t)all.count;
    p->operands = all.data;
}

static void list_removed(struct planning *x)
{
    struct r2d2_plan *p = x->plan;
    for (uint32_t k = p->count; k-- > 0;) p->removed[k] = x->removed[k] ? p->removed[k + 1] + 1 : 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const struct inst *i = &x->d->program->insts[k];
        p->meets[k] = isa_has(i, ISA_EXIT) ? R2D2_ENDS : isa_has(i, ISA_BARRIER) ? R2D2_MEETS : R2D2_ALONE;
        p->has_waits |= is_wait(i);
        p->removed_count += x->removed[k];
        p->concerns[k] = (uint8_t)((p->served[k] ? CONCERNS_READS | CONCERNS_OPERANDS : 0) |
                                   (p->removed[k + 1] ? CONCERNS_ISSUED : 0));
    }
}

static uint8_t components_of(const struct decouple_linear *v)
{
    uint8_t count = 1;
    for (unsigned d = 0; d < DECOUPLE_DIMENSIONS; d++) count = (uint8_t)(count + (v->tuple.offset[d] != 0));
    return count;
}

// An instruction with coefficients of its own is needed by a removed one, although the warps execute it, too.
static void list_coefficients(struct planning *x)
{
    const struct mark_ssa *s = x->s;
    struct r2d2_plan *p = x->plan;
    bool *needed = ARENA_ARRAY(&x->d->arena, bool, p->count + 1);
    memcpy(needed, x->removed, p->count);
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < p->count; k++)
            for (uint32_t n = s->read_first[k]; needed[k] && n < s->read_first[k + 1]; n++) {
                const struct mark_def *at = &s->defs[s->reads[n]];
                if (at->kind != DEF_INST || !x->values[s->reads[n]].kind || needed[at->inst]) continue;
                needed[at->inst] = news = true;
            }
    }
    for (uint32_t k = 0; k < p->count; k++) {
        if (!needed[k]) continue;
        p->components[p->inst_count] = components_of(&x->values[s->writes[s->write_first[k]]]);
        p->insts[p->inst_count++] = x->code->copies[k];
    }
}

static void lay_out(struct planning *x, uint32_t count)
{
    struct r2d2_plan *p = x->plan;
    p->count = x->d->count;
    p->code = x->code;
    p->removed = heap_alloc((count + 1) * sizeof *p->removed);
    p->served = heap_alloc((count + 1) * sizeof *p->served);
    p->first = heap_alloc((p->count + 1) * sizeof *p->first);
    p->insts = heap_alloc((p->count + 1) * sizeof *p->insts);
    p->concerns = heap_alloc(count + 1);
    p->meets = heap_alloc(count + 1);
    p->components = heap_alloc(p->count + 1);
    list_operands(x);
    number(x);
    list_removed(x);
    list_coefficients(x);
}

struct decouple *r2d2_analyse(const struct program *kernel)
{
    static const struct decouple_rules rules = {.pieces = 1};
    return decouple_begin(kernel, &rules, NULL);
}

bool r2d2_plan(struct r2d2_launch *l, const struct program *kernel, const struct r2d2_code *code)
{
    const struct launch *launch = l->launch;
    struct planning x = {.l = l, .plan = &l->plan, .d = r2d2_analyse(kernel), .code = code};
    struct decouple_facts facts = {.bank = launch->bank[BANK_LAUNCH],
                                   .bank_bytes = launch->bank_bytes[BANK_LAUNCH],
                                   .wraps_freely = !l->options->wrap};
    memcpy(facts.block, launch->block, sizeof facts.block);
    memcpy(facts.grid, launch->grid, sizeof facts.grid);
    x.s = &x.d->analysis->ssa;
    x.values = ARENA_ARRAY(&x.d->arena, struct decouple_linear, x.s->def_count);
    x.as = ARENA_ARRAY(&x.d->arena, struct r2d2_register, x.s->def_count);
    x.no_operand = ARENA_ARRAY(&x.d->arena, bool, x.s->def_count);
    x.removed = ARENA_ARRAY(&x.d->arena, bool, x.d->count);
    decouple_find_linear(x.d, &facts, x.values);
    find_merged(&x);
    find_parts(&x);
    fit(&x);
    lay_out(&x, launch->program->inst_count);
    vec_fini(&x.threads);
    vec_fini(&x.bases);
    decouple_free(x.d);
    return l->plan.removed_count;
}

void r2d2_plan_end(struct r2d2_plan *p)
{
    free(p->removed);
    free(p->served);
    free(p->first);
    free(p->insts);
    free(p->concerns);
    free(p->meets);
    free(p->components);
    free(p->operands);
}
