// Results of every execution get names (naming.h). Comparable results are looked up among corresponding
// executions of the block (kept.h). The list is cleared when whole warps of the whole block meet at one
// barrier, because executions before and after never correspond.
#include "study/identity.h"
#include "base/bits.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "study/kept.h"
#include "study/naming.h"
#include "study/values.h"

#include <stdlib.h>
#include <string.h>

enum { BARRIERS = 16 };

struct ghost_warp {
    struct names names; // names of the values in the program's locations; behind them, the lanes' epochs
    uint64_t history;
    uint64_t arrived[BARRIERS]; // by barrier: lanes arrived since the barrier last completed
    uint32_t next;              // expected list entry of the next execution
};

struct ghost_block {
    struct values values;
    struct ghost_warp *warps;
    uint64_t number, meetings;
    bool raced;
    struct kept_list kept;
    uint32_t warp_count;
    struct ghost_block *next; // next in the list of spare blocks
};

struct identity {
    const struct marks *marks;
    struct identity_options options;
    struct observer observer;
    struct identity_counts counts;
    struct naming naming;
    struct value_op *ops;
    struct arena arena;
    const struct launch *launch;
    struct ghost_block *spare; // finished blocks of this launch, for reuse
    uint64_t launches;
    // By instruction: period of the warp numbers with equal results (mark_warp_classes). 1: all warps; 0: not
    // marked.
    uint32_t *classes;
    bool has_classes;  // some instruction has more than one class
    uint64_t operands; // hash of the current execution's sources
    struct strbuf first_hole, first_race, first_pattern;
};

static uint64_t mix(uint64_t h, uint64_t v) { return names_mix(h, v); }

// -- blocks -------------------------------------------------------------------------------------------------

static void finish_groups(struct identity *s, struct ghost_block *b)
{
    for (uint32_t k = 0; k < b->kept.count && s->options.group; k++) {
        const struct kept *e = &b->kept.at[k];
        struct identity_group g = {.key = e->key,
                                   .index = e->index,
                                   .count = e->count,
                                   .same_names = e->same_names,
                                   .same_results = e->same_results,
                                   .same_operands = e->same_operands};
        s->options.group(s->options.context, &g);
    }
    kept_clear(&b->kept);
}

static struct ghost_block *new_block(const struct identity *s, const struct observed_block *o)
{
    struct ghost_block *b = heap_alloc(sizeof *b);
    uint32_t threads = s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
    kept_init(&b->kept);
    b->warps = heap_alloc(o->warps * sizeof *b->warps);
    b->warp_count = o->warps;
    for (uint32_t k = 0; k < o->warps; k++) {
        uint32_t left = threads - k * o->warp_size;
        names_init(&b->warps[k].names, s->naming.epoch + 1,
                   bit_mask(left < o->warp_size ? left : o->warp_size));
    }
    return b;
}

static void free_block(struct ghost_block *b)
{
    for (uint32_t k = 0; k < b->warp_count; k++) names_fini(&b->warps[k].names);
    free(b->warps);
    kept_fini(&b->kept);
    free(b);
}

static void free_spares(struct identity *s)
{
    while (s->spare) {
        struct ghost_block *b = s->spare;
        s->spare = b->next;
        free_block(b);
    }
}

static void block_begin(void *context, struct observed_block *o)
{
    struct identity *s = context;
    struct ghost_block *b = s->spare;
    if (b)
        s->spare = b->next;
    else
        b = new_block(s, o);
    b->number = o->linear;
    b->meetings = 0;
    b->raced = false;
    values_start(&b->values, s->ops, s->marks->program, o,
                 s->launch->block[0] * s->launch->block[1] * s->launch->block[2]);
    for (uint32_t k = 0; k < o->warps; k++) {
        struct ghost_warp *w = &b->warps[k];
        w->history = mix(mix(NAMING_BLOCK, s->launches), o->linear);
        w->next = 0;
        memset(w->arrived, 0, sizeof w->arrived);
        for (uint32_t at = 0; at < s->naming.epoch; at++)
            w->names.at[at] = (struct name){NAMING_UNWRITTEN + ++s->naming.own, NULL};
        w->names.at[access_local(s->marks->program)].common = 0; // 0 in every thread
        w->names.at[s->naming.epoch] = (struct name){0, NULL};
    }
    o->state = b;
}

static void block_end(void *context, struct observed_block *o)
{
    struct identity *s = context;
    struct ghost_block *b = o->state;
    finish_groups(s, b);
    values_stop(&b->values);
    b->next = s->spare;
    s->spare = b;
    o->state = NULL;
}

static void launch_begin(void *context, const struct launch *l)
{
    struct identity *s = context;
    free_spares(s);
    s->launch = l;
    s->launches++;
    s->has_classes = false;
    for (uint32_t k = 0; k < s->marks->program->inst_count; k++) {
        s->classes[k] = mark_warp_classes(&s->marks->rules, &s->marks->marks[k], l->block);
        s->has_classes |= s->classes[k] > 1;
    }
}

// At a completed barrier of the whole block, met at one instruction, the arrived lanes get a new epoch. If no
// warp is diverged there, the groups so far are complete, and all warps correspond again.
static void barrier(void *context, struct observed_block *o, const struct observed_barrier *met)
{
    struct identity *s = context;
    struct ghost_block *b = o->state;
    // RISC-V: met->number is the number of a group of warps. At most one group is the whole block.
    bool is_group = s->naming.is_riscv;
    unsigned number = is_group ? 0 : met->number;
    bool at_one_place = met->whole && met->index != NO_TARGET &&
                        (is_group || access_is_full_barrier(&s->marks->program->insts[met->index]));
    uint64_t meeting = mix(mix(mix(NAMING_MEETING, s->launches), b->number), ++b->meetings);
    values_barrier(&b->values, o);
    if (at_one_place && met->whole_warps) finish_groups(s, b);
    for (uint32_t k = 0; k < o->warps; k++) {
        struct ghost_warp *w = &b->warps[k];
        if (at_one_place && w->arrived[number])
            names_set(&w->names, s->naming.epoch, w->arrived[number], meeting);
        w->arrived[number] = 0;
        if (!at_one_place || !met->whole_warps) continue;
        w->history = mix(meeting, met->index);
        w->next = 0;
    }
}

// -- executions ---------------------------------------------------------------------------------------------

// Hash of registers and predicates read by the instruction, from values before the instruction. Spill slots
// are left out: they pass values on and are judged by name only.
static uint64_t operands_of(const struct values *v, const struct observed *o)
{
    const struct value_op *op = &v->ops[o->index];
    uint64_t h = 1;
    for (unsigned n = 0; n < op->read_count; n++)
        h += values_at(v, o->warp, op->reads[n])->hash * value_weights[n];
    for (unsigned n = 0; n < op->pred_count; n++) h += v->pred[o->warp][op->preds[n]] * value_weights[15 + n];
    return h;
}

static uint64_t results_of(const struct values *v, const struct observed *o)
{
    const struct value_op *op = &v->ops[o->index];
    uint64_t h = 1;
    for (unsigned n = 0; n < op->write_count; n++)
        h += values_at(v, o->warp, op->write + n)->hash * value_weights[n];
    for (unsigned n = 0; n < op->pred_write_count; n++)
        h += v->pred[o->warp][op->pred_writes[n]] * value_weights[4 + n];
    return h;
}

static unsigned barrier_number(const struct observed *o)
{
    const struct operand *n = &o->inst->src[0];
    if (o->inst->op == OP_WARPCMD) return 0; // barrier 0: the operand is the warp's command, no number
    if (n->kind == OPERAND_IMM) return n->value % BARRIERS;
    if (n->kind != OPERAND_REG || n->reg == REG_ZERO || !o->lanes) return 0;
    return observed_register(o, n->reg)[__builtin_ctzll(o->lanes)] % BARRIERS;
}

// Gives lanes passing a fence a new epoch.
static void pass(struct names *n, uint32_t epoch, const struct observed *o)
{
    uint64_t now[WARP_SIZE_MAX];
    if (!n->at[epoch].lanes && !(n->all & ~o->lanes)) {
        n->at[epoch].common = mix(n->at[epoch].common, o->index);
        return;
    }
    for (uint64_t left = o->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        now[lane] = mix(names_lane(n, epoch, lane), o->index);
    }
    names_set_each(n, epoch, o->lanes, now);
}

static void go_on(const struct identity *s, const struct observed *o)
{
    const struct ghost_block *b = o->block->state;
    struct ghost_warp *w = &b->warps[o->warp];
    if (isa_has(o->inst, ISA_BARRIER)) w->arrived[barrier_number(o)] |= o->lanes;
    if (s->naming.insts[o->index].syncs) pass(&w->names, s->naming.epoch, o);
    if (!s->options.loose) {
        w->history = mix(mix(w->history, o->index), o->path);
    } else if (o->path == o->full && isa_has(o->inst, ISA_BRANCH | ISA_BARRIER)) {
        uint64_t outcome = o->lanes == o->path ? 1 : o->lanes ? 2 : 0;
        if (isa_has(o->inst, ISA_INDIRECT)) outcome = o->path; // any target: named by the lanes present
        w->history = mix(mix(w->history, o->index), outcome);
    }
}

static void before(void *context, const struct observed *o)
{
    if (isa_has(o->inst, ISA_BARRIER))
        go_on(context, o); // the last warp's arrival completes the barrier before `after` is called
}

// -- executions that correspond -----------------------------------------------------------------------------

static void report(struct identity *s, struct strbuf *out, const struct observed *o, const struct kept *e,
                   const char *what)
{
    if (out->length) return;
    const struct program *p = s->marks->program;
    strbuf_printf(out, "0x%04x ", program_pc(s->marks->program, o->index));
    program_print_inst(p, o->index, out);
    strbuf_puts(out, " at ");
    program_print_lines(p, o->index, out);
    strbuf_printf(out, ": warps %u and %u of block %llu, with equal histories, %s; the mark is ", e->warp,
                  o->warp, (unsigned long long)o->block->linear, what);
    mark_explain(s->marks, o->index, out);
}

static void keep(struct identity *s, struct ghost_block *b, struct ghost_warp *w, const struct observed *o,
                 uint64_t names)
{
    uint32_t classes = s->classes[o->index];
    uint64_t key = mix(w->history, o->index), results = results_of(&b->values, o);
    if (classes > 1) key = mix(key, 1 + o->warp % classes);
    // A warp at the list's end needs no search: a warp ahead with the same history would have appended the
    // entry already. Exceptions: loose histories may become equal again, and classes of warps have separate
    // entries.
    struct kept *e = kept_find(&b->kept, key, &w->next, !s->options.loose && !s->has_classes);
    s->counts.executions++;
    if (s->options.executed) s->options.executed(s->options.context, o, results);
    if (!e) {
        s->counts.not_kept++;
        return;
    }
    if (!e->count) {
        *e = (struct kept){key, names, results, s->operands, o->index, 1, o->warp, true, true, true};
        return;
    }
    e->count++;
    bool same_name = names == e->names, same_result = results == e->results;
    e->same_names &= same_name;
    e->same_results &= same_result;
    e->same_operands &= same_result && s->operands == e->operands;
    if (same_name && !same_result) {
        s->counts.raced++;
        b->raced = true;
        report(s, &s->first_race, o, e, "have equal names and unequal values");
    }
    if (!classes) return;
    s->counts.compared++;
    if (same_name || b->raced) return; // after a race, guards may differ, and so may names
    s->counts.holes++;
    report(s, &s->first_hole, o, e, same_result ? "compute the same value by accident" : "differ");
}

// -- patterns -----------------------------------------------------------------------------------------------

static bool lanes_follow(const struct mark_pattern *p, const struct observed *o, unsigned reg)
{
    const uint32_t *v = observed_register(o, reg);
    const uint32_t *tid = o->threads;
    uint32_t first = 0, first_index = 0, stride = (uint32_t)p->stride;
    bool stride_known = p->stride_known || p->class == MARK_UNIFORM, any = false;
    for (uint64_t left = o->full; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        uint32_t index = p->basis == MARK_BASIS_TID_X ? tid[lane] : lane;
        if (p->class == MARK_UNIFORM) index = 0;
        if (p->base_known && stride_known && v[lane] != p->base + stride * index) return false;
        if (!any) first = v[lane], first_index = index;
        any = true;
        // With an unknown stride, two lanes with adjacent indices give the stride.
        if (!stride_known && index == first_index + 1) stride = v[lane] - first, stride_known = true;
        if (stride_known && v[lane] != first + stride * (index - first_index)) return false;
    }
    return true;
}

static void check_pattern(struct identity *s, const struct observed *o)
{
    const struct mark_pattern *p = &s->marks->marks[o->index].pattern;
    const struct operand *dst = &o->inst->dst[0];
    if (p->class == MARK_UNSTRUCTURED || dst->kind != OPERAND_REG || dst->reg == REG_ZERO || dst->width > 1)
        return;
    if (lanes_follow(p, o, dst->reg)) return;
    if (!s->counts.patterns++) {
        strbuf_printf(&s->first_pattern, "0x%04x ", program_pc(s->marks->program, o->index));
        program_print_inst(s->marks->program, o->index, &s->first_pattern);
        strbuf_printf(&s->first_pattern, ": warp %u of block %llu is not ", o->warp,
                      (unsigned long long)o->block->linear);
        mark_print_pattern(p, &s->first_pattern);
    }
}

static void after(void *context, const struct observed *o)
{
    struct identity *s = context;
    struct ghost_block *b = o->block->state;
    struct ghost_warp *w = &b->warps[o->warp];
    const struct naming_inst *d = &s->naming.insts[o->index];
    bool kept = d->kept && o->path == o->full;
    if (kept) s->operands = operands_of(&b->values, o);
    values_written(&b->values, o);
    uint64_t names = naming_results(&s->naming, &w->names, o);
    if (kept) {
        keep(s, b, w, o, names);
        if (s->options.check_patterns) check_pattern(s, o);
    }
    if (!isa_has(o->inst, ISA_BARRIER)) go_on(s, o);
}

struct identity *identity_create(const struct marks *m, const struct identity_options *options)
{
    struct identity *s = heap_alloc(sizeof *s);
    *s = (struct identity){.marks = m};
    if (options) s->options = *options;
    s->classes = heap_alloc((m->program->inst_count + 1) * sizeof *s->classes);
    arena_init(&s->arena);
    s->ops = values_ops(&s->arena, m->program);
    naming_init(&s->naming, m);
    s->observer = (struct observer){.context = s,
                                    .launch_begin = launch_begin,
                                    .block_begin = block_begin,
                                    .block_end = block_end,
                                    .before = before,
                                    .after = after,
                                    .barrier = barrier,
                                    .wants_access = s->naming.wants_access};
    return s;
}

void identity_destroy(struct identity *s)
{
    if (!s) return;
    strbuf_fini(&s->first_hole);
    strbuf_fini(&s->first_race);
    strbuf_fini(&s->first_pattern);
    free_spares(s);
    arena_fini(&s->arena);
    naming_fini(&s->naming);
    free(s->classes);
    free(s);
}

const struct observer *identity_observer(struct identity *s) { return &s->observer; }
const struct identity_counts *identity_counts(const struct identity *s) { return &s->counts; }
const char *identity_first_hole(struct identity *s) { return strbuf_text(&s->first_hole); }
const char *identity_first_race(struct identity *s) { return strbuf_text(&s->first_race); }
const char *identity_first_pattern(struct identity *s) { return strbuf_text(&s->first_pattern); }
