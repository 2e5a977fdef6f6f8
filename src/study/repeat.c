// The counts of repeat.h: warps walk along the log of their block, and instances of a grid are sampled.
#include "study/repeat.h"
#include "base/bits.h"
#include "exec/launch.h"
#include "isa/program.h"
#include "study/history.h"

#include <string.h>

enum {
    LOG_FIRST = 256, // initial entries of a log
    // Log entries searched ahead; also: consecutive instances absent from the log before a warp is APART.
    SEARCH = 16
};

struct instance {
    uint64_t history, sources, result;
    uint32_t base, stride; // of the result in the first warp
    uint32_t index;        // number of the instruction
    // seen: number of warps that have executed the instance; first: number of the first such warp.
    uint16_t seen, first;
    uint8_t pattern; // weakest pattern of the sources, enum pattern
    uint8_t out_pattern;
    bool same_sources, same_result, tb_affine;
};

enum follow { FOLLOWS, APART, LOST };

struct walker { // one warp
    // history since the last barrier of the whole block; history since the warp's start
    uint64_t history, path;
    uint64_t place;     // place of the next instance in the log
    uint8_t follow;     // enum follow
    bool full;          // no thread is missing or has exited
    uint8_t strays;     // consecutive instances absent from the log
    uint32_t *executed; // at grid scope: executions by instruction
    // by instruction: hash of operands and result of the warp's previous execution; NULL: not wanted
    uint64_t *last;
};

struct block {
    struct values values;
    struct repeat_kernel *kernel;
    struct walker *walkers;
    uint32_t walker_count;
    uint32_t participants; // full warps with all threads alive at the interval's start
    // closed: the log takes no more instances until the next interval; lost: closed because the log is full.
    bool closed, lost;
    uint64_t begin, end; // positions of the log's first entry and behind its last; positions only grow
    struct instance *log;
    uint32_t log_size;
    uint32_t *executed; // storage of all walkers' `executed`
    uint64_t *last;     // storage of all walkers' `last`
};

struct sample { // an instance at grid scope
    uint64_t value;
    uint64_t equal; // number of warps with an equal value
};

struct grid {
    VEC(struct sample) * samples; // by instruction, of the current launch
    uint64_t warps;               // number of full warps
};

struct kernel_data {
    struct repeat_kernel shown; // must stand first
    struct grid grid;           // samples NULL: no grid scope
    bool remembers;
};

static struct kernel_data *data_of(struct study *s) { return s->kernel->data; }

// -- launches -----------------------------------------------------------------------------------------------

static void launch(struct study *s, const struct launch *l, bool grid)
{
    struct study_kernel *k = study_kernel_enter(s, l);
    struct kernel_data *d = k->data;
    if (!d) {
        d = k->data = ARENA_NEW(&s->arena, struct kernel_data);
        d->shown.ops = values_ops(&s->arena, l->program);
        d->shown.counts = ARENA_ARRAY(&s->arena, struct repeat_counts, k->inst_count);
    }
    if (!grid) return;
    d->grid.warps = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] * (study_kernel_threads(k) / k->warp_size);
    d->grid.samples = heap_alloc(k->inst_count * sizeof *d->grid.samples);
}

void repeat_launch_begin(void *context, const struct launch *l) { launch(context, l, false); }
void repeat_launch_begin_grid(void *context, const struct launch *l) { launch(context, l, true); }

void repeat_launch_begin_all(void *context, const struct launch *l)
{
    launch(context, l, true);
    data_of(context)->remembers = true;
}

void repeat_launch_end_grid(void *context)
{
    struct study *s = context;
    struct kernel_data *d = data_of(s);
    for (uint32_t n = 0; n < s->kernel->inst_count; n++) {
        for (size_t i = 0; i < d->grid.samples[n].count && d->grid.warps > 1; i++)
            if (d->grid.samples[n].data[i].equal == d->grid.warps) d->shown.counts[n].grid += d->grid.warps;
        vec_fini(&d->grid.samples[n]);
    }
    free(d->grid.samples);
    d->grid.samples = NULL;
}

// -- blocks -------------------------------------------------------------------------------------------------

static void begin_interval(struct block *x, uint64_t history)
{
    x->participants = 0;
    x->begin = x->end = 0;
    x->closed = x->lost = false;
    for (uint32_t w = 0; w < x->walker_count; w++) {
        struct walker *k = &x->walkers[w];
        k->history = history;
        k->place = 0;
        k->follow = k->full ? FOLLOWS : APART;
        k->strays = 0;
        x->participants += k->full;
    }
}

void repeat_block_begin(void *context, struct observed_block *b)
{
    struct study *s = context;
    struct block *x = b->state = heap_alloc(sizeof *x);
    uint32_t insts = s->kernel->inst_count, threads = study_kernel_threads(s->kernel);
    x->kernel = &data_of(s)->shown;
    values_start(&x->values, x->kernel->ops, s->kernel->program, b, threads);
    if (s->settings.affine == AFFINE_ROW) values_by_row(&x->values, s->kernel->block[0], b->warp_size);
    x->walker_count = b->warps;
    x->walkers = heap_alloc(b->warps * sizeof *x->walkers);
    if (data_of(s)->grid.samples) x->executed = heap_alloc((size_t)b->warps * insts * sizeof *x->executed);
    if (data_of(s)->remembers) x->last = heap_alloc((size_t)b->warps * insts * sizeof *x->last);
    for (uint32_t w = 0; w < b->warps; w++) {
        x->walkers[w].full = w < threads / b->warp_size;
        x->walkers[w].path = HISTORY_START;
        if (x->executed) x->walkers[w].executed = x->executed + (size_t)w * insts;
        if (x->last) x->walkers[w].last = x->last + (size_t)w * insts;
    }
    x->log_size = LOG_FIRST;
    x->log = heap_alloc(x->log_size * sizeof *x->log);
    begin_interval(x, HISTORY_START);
}

void repeat_block_end(void *context, struct observed_block *b)
{
    struct block *x = b->state;
    (void)context;
    values_stop(&x->values);
    free(x->walkers);
    free(x->executed);
    free(x->last);
    free(x->log);
    free(x);
}

// Starts a new interval if all live warps of the block continue together from one place.
void repeat_barrier(void *context, struct observed_block *b, const struct observed_barrier *met)
{
    struct block *x = b->state;
    (void)context;
    values_barrier(&x->values, b);
    if (met->whole && met->whole_warps && met->index != NO_TARGET)
        begin_interval(x, value_fold(HISTORY_START, met->index));
}

void repeat_warp_exit(void *context, struct observed_block *b, uint32_t warp)
{
    struct block *x = b->state;
    (void)context;
    if (x->walkers[warp].full) x->closed = true; // a full warp exited: close the interval
    x->walkers[warp].full = false;
}

// -- the log ------------------------------------------------------------------------------------------------

static struct instance *at(struct block *x, uint64_t place) { return &x->log[place & (x->log_size - 1)]; }

// Counts an instance that all participating warps have executed, and drops finished instances from the log's
// head.
static void finish(struct block *x, const struct instance *i)
{
    struct repeat_counts *n = &x->kernel->counts[i->index];
    const struct value_op *op = &x->kernel->ops[i->index];
    if (i->same_sources && i->same_result) {
        n->block[i->pattern] += x->participants;
        n->block_first++;
    } else {
        n->differs += x->participants;
    }
    if (op->write_count) {
        enum repeat_output kind = i->same_result ? (enum repeat_output)i->out_pattern
                                  : i->tb_affine ? OUTPUT_TB_AFFINE
                                                 : OUTPUT_UNRELATED;
        n->outputs[kind] += x->participants;
    }
    while (x->begin < x->end && at(x, x->begin)->seen == x->participants) x->begin++;
}

static bool make_room(struct block *x)
{
    if (x->end - x->begin < x->log_size) return true;
    if (x->log_size == REPEAT_LOG) return false;
    struct instance *log = heap_alloc(2 * x->log_size * sizeof *log);
    for (uint64_t p = x->begin; p < x->end; p++) log[p & (2 * x->log_size - 1)] = *at(x, p);
    free(x->log);
    x->log = log;
    x->log_size *= 2;
    return true;
}

// Appends an instance to the log: the warp is ahead of all warps that still follow the log. If the log is
// closed, or is closed now for lack of room, the warp stops following instead.
static void append(struct block *x, struct walker *k, const struct instance *i)
{
    if (!x->closed && !make_room(x)) x->closed = x->lost = true;
    if (x->closed) {
        k->follow = x->lost ? LOST : APART;
        return;
    }
    *at(x, x->end++) = *i;
    k->place = x->end;
}

// Position in the log of an instance, at most SEARCH entries ahead of the warp; UINT64_MAX: absent. A warp
// leaving a divergent region in parts has instances unknown to the other warps.
static uint64_t search(struct block *x, const struct walker *k, const struct instance *i)
{
    for (uint64_t p = k->place; p < x->end && p < k->place + SEARCH; p++)
        if (at(x, p)->index == i->index && at(x, p)->history == i->history) return p;
    return UINT64_MAX;
}

static void stray(struct block *x, struct walker *k)
{
    if (++k->strays < SEARCH) return;
    k->follow = APART;
    x->closed = true;
}

static void walk(struct block *x, struct walker *k, const struct instance *i, uint32_t warp_size)
{
    if (k->place == x->end) {
        append(x, k, i);
        return;
    }
    struct instance *e = at(x, k->place);
    if (e->index != i->index || e->history != i->history) {
        uint64_t place = search(x, k, i);
        if (place == UINT64_MAX) {
            stray(x, k);
            return;
        }
        k->place = place;
        e = at(x, place);
    }
    k->strays = 0;
    k->place++;
    e->same_sources = e->same_sources && e->sources == i->sources;
    e->same_result = e->same_result && e->result == i->result;
    e->tb_affine = e->tb_affine && e->stride == i->stride &&
                   i->base - e->base == (uint32_t)(i->first - e->first) * warp_size * e->stride;
    if (++e->seen == x->participants) finish(x, e);
}

// -- grids --------------------------------------------------------------------------------------------------

static void sample(struct kernel_data *d, struct walker *k, const struct instance *i)
{
    uint32_t n = k->executed[i->index];
    if (n == REPEAT_SAMPLES) {
        d->shown.counts[i->index].unsampled++;
        return;
    }
    k->executed[i->index]++;
    uint64_t value =
        i->sources * value_weights[21] + i->result * value_weights[22] + k->path * value_weights[23];
    if (n == d->grid.samples[i->index].count) {
        vec_push(&d->grid.samples[i->index], (struct sample){value, 1});
    } else {
        struct sample *s = &d->grid.samples[i->index].data[n];
        s->equal += s->value == value;
    }
}

static void compare_with_last(struct walker *k, const struct instance *i, struct repeat_counts *n)
{
    // 0 means never executed
    uint64_t now = (i->sources * value_weights[21] + i->result * value_weights[22]) | 1;
    n->again += k->last[i->index] == now;
    k->last[i->index] = now;
}

// -- instructions -------------------------------------------------------------------------------------------

// Collects hash and pattern of the instruction's sources; the values tracked are still the values before the
// instruction.
static void look_up_sources(const struct block *x, const struct observed *o, const struct value_op *op,
                            struct instance *i)
{
    for (unsigned n = 0; n < op->read_count; n++) {
        const struct value *v = values_at(&x->values, o->warp, op->reads[n]);
        i->sources += v->hash * value_weights[n];
        if (v->pattern > i->pattern) i->pattern = (uint8_t)v->pattern;
    }
    for (unsigned n = 0; n < op->pred_count; n++) {
        uint64_t lanes = x->values.pred[o->warp][op->preds[n]];
        i->sources += lanes * value_weights[15 + n];
        if (lanes && lanes != o->full) i->pattern = PATTERN_OTHER;
    }
}

static void look_up_results(const struct block *x, const struct observed *o, const struct value_op *op,
                            struct instance *i)
{
    i->same_sources = i->same_result = true;
    for (unsigned n = 0; n < op->write_count; n++) {
        const struct value *v = values_at(&x->values, o->warp, op->write + n);
        i->result += v->hash * value_weights[n];
        if (v->pattern > i->out_pattern) i->out_pattern = (uint8_t)v->pattern;
    }
    for (unsigned n = 0; n < op->pred_write_count; n++)
        i->result += x->values.pred[o->warp][op->pred_writes[n]] * value_weights[4 + n];
    if (op->special) i->pattern = i->out_pattern;
    if (op->write_count != 1) return;
    const struct value *v = values_at(&x->values, o->warp, op->write);
    i->tb_affine = v->pattern != PATTERN_OTHER && !x->values.row;
    i->base = v->base;
    i->stride = v->stride;
}

void repeat_after(void *context, const struct observed *o)
{
    struct block *x = o->block->state;
    struct walker *k = &x->walkers[o->warp];
    const struct value_op *op = &x->kernel->ops[o->index];
    struct repeat_counts *n = &x->kernel->counts[o->index];
    n->executed++;
    if (o->path != o->full) {
        values_written(&x->values, o);
        ++*(o->path != o->live ? &n->diverged : &n->partial);
        return;
    }
    struct instance i = {.history = k->history, .index = o->index, .seen = 1, .first = (uint16_t)o->warp};
    look_up_sources(x, o, op, &i);
    uint64_t history = k->history, path = k->path;
    if (op->role == ROLE_CONTROL) {
        history = history_after(history, o, &x->values);
        path = history_after(path, o, &x->values);
    }
    values_written(&x->values, o);
    look_up_results(x, o, op, &i);
    n->warp += i.pattern == PATTERN_UNIFORM;
    if (k->follow == FOLLOWS && x->participants > 1) walk(x, k, &i, o->block->warp_size);
    n->lost += k->follow == LOST;
    if (k->executed) sample(data_of(context), k, &i);
    if (k->last) compare_with_last(k, &i, n);
    if (op->role != ROLE_CONTROL) return;
    k->history = history;
    k->path = path;
    if (isa_has(o->inst, ISA_EXIT) && o->lanes) {
        k->full = false;
        k->follow = APART;
        x->closed = true;
    }
}

// -- sums ---------------------------------------------------------------------------------------------------

void repeat_add(struct repeat_totals *to, const struct study_kernel *k, uint32_t index)
{
    const struct repeat_kernel *d = k->data;
    const struct repeat_counts *n = &d->counts[index];
    uint64_t block = n->block[PATTERN_UNIFORM] + n->block[PATTERN_AFFINE] + n->block[PATTERN_OTHER];
    to->executed += n->executed;
    to->diverged += n->diverged;
    to->partial += n->partial;
    to->lost += n->lost;
    to->unsampled += n->unsampled;
    if (d->ops[index].role != ROLE_RESULT) {
        to->effects_block += block;
        return;
    }
    to->warp += n->warp;
    to->grid += n->grid;
    to->saved += block - n->block_first;
    for (unsigned p = 0; p < PATTERN_COUNT; p++) to->block[p] += n->block[p];
}

void repeat_add_kernel(struct repeat_totals *to, const struct study_kernel *k)
{
    for (uint32_t n = 0; n < k->inst_count; n++) repeat_add(to, k, n);
}

void repeat_notes(const struct study *s, struct study_report *r)
{
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct repeat_totals n = {0};
        repeat_add_kernel(&n, k);
        if (n.lost)
            study_note(r,
                       "%s: %llu of %llu executions were not followed at block scope: one warp was more than "
                       "%d instructions "
                       "ahead of another",
                       k->name, (unsigned long long)n.lost, (unsigned long long)n.executed, REPEAT_LOG);
        if (n.unsampled)
            study_note(r,
                       "%s: %llu of %llu executions were not sampled at grid scope: a warp's first %d of an "
                       "instruction are",
                       k->name, (unsigned long long)n.unsampled, (unsigned long long)n.executed,
                       REPEAT_SAMPLES);
        if (k->warps == 1)
            study_note(r, "%s: blocks of one warp have nothing to share at block scope", k->name);
    }
}
