// The effect of each extension of the marks. By workload or kernel: instructions marked in blocks of the
// launched shape, and executions saved by a mechanism at block scope. Columns: without extensions; what each
// alone, and all together, add; and at grid scope, where one block would execute for all blocks.
//
// One run judges all sets. Ghosts (study/identity.h) follow the marks with every extension on, whose
// guarantees include those of every single extension. Marks at grid scope must give equal bits in all blocks.
// Only the first GRID_ROOM instances of a launch are compared.
#include "base/hash.h"
#include "exec/launch.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "study/identity.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, TID_Y, LANEID, TID_X_MOD, WARP_CLASSES, ALL, SETS };
static const char *const set_names[SETS] = {"none",           "mark.tid_y",        "mark.laneid",
                                            "mark.tid_x_mod", "mark.warp_classes", "all together"};
enum { GRID_ROOM = 1 << 16 }; // instances of a launch compared over blocks

struct inst_counts {
    bool marked[SETS], grid;     // marked, by set of extensions; with all extensions, marked at grid scope
    uint64_t executions, shared; // shared: all but one execution of each group of corresponding executions
    // executions of instances compared over all blocks, without each instance's first
    uint64_t grid_shared;
};

struct grid_entry {
    uint64_t key, results; // key 0: free
};

struct kernel_data {
    struct inst_counts *insts;
    struct marks *marks; // valid during the launch, with all extensions
    struct identity *ghosts;
    struct grid_entry *grid; // of the current launch
    uint32_t grid_used;
    uint64_t not_compared; // executions not compared at grid scope, for lack of room
    uint64_t way;          // path of the executing warp
    uint64_t executed, compared, holes, grid_compared, grid_holes;
    const char *hole;
    uint32_t grid_hole; // first instruction with unequal results at grid scope, if grid_holes is not 0
};

struct block {
    void *ghosts;   // identity's state of the block
    uint64_t *ways; // by warp: path since its start
};

static struct kernel_data *data_of(const struct study_kernel *k) { return k->data; }

// -- launches -----------------------------------------------------------------------------------------------

static void rules_of(struct mark_rules *r, const struct study *s, const struct launch *l, unsigned set)
{
    mark_rules_from(r, &s->mark, l->warp_size);
    r->tid_y = set == TID_Y || set == ALL;
    r->laneid = set == LANEID || set == ALL;
    r->tid_x_mod = set == TID_X_MOD || set == ALL;
    r->warp_classes = set == WARP_CLASSES || set == ALL;
    r->grid = set == ALL;
}

static void describe(const struct study *s, const struct launch *l, struct kernel_data *d)
{
    for (unsigned set = 0; set < SETS; set++) {
        struct mark_rules r;
        rules_of(&r, s, l, set);
        struct marks *m = marks_compute(l->program, &r);
        unsigned met = mark_conditions_met(&r, l->block);
        for (uint32_t n = 0; n < l->program->inst_count; n++) {
            const struct mark *x = &m->marks[n];
            d->insts[n].marked[set] = x->has_result && mark_warp_classes(&r, x, l->block) > 0;
            if (set == ALL) d->insts[n].grid = x->has_result && x->grid && !(x->grid_conditions & ~met);
        }
        marks_free(m);
    }
}

static void group_done(void *context, const struct identity_group *g)
{
    struct kernel_data *d = context;
    d->insts[g->index].executions += g->count;
    d->insts[g->index].shared += g->count - 1;
}

// For instructions marked at grid scope: compares an execution with the first of its instance in any block,
// as long as there is room. An instance is named by instruction and path of the warp, since a path never
// returns to an earlier value.
static void compare_over_grid(void *context, const struct observed *o, uint64_t results)
{
    struct kernel_data *d = context;
    struct inst_counts *n = &d->insts[o->index];
    if (!n->grid) return;
    uint64_t key = hash_u64(d->way ^ hash_u64(o->index + 1)) | 1;
    uint32_t at = (uint32_t)(key >> 1) & (2 * GRID_ROOM - 1);
    while (d->grid[at].key && d->grid[at].key != key) at = (at + 1) & (2 * GRID_ROOM - 1);
    struct grid_entry *e = &d->grid[at];
    if (!e->key && d->grid_used == GRID_ROOM) {
        d->not_compared++;
        return;
    }
    if (!e->key) {
        *e = (struct grid_entry){key, results};
        d->grid_used++;
        return;
    }
    n->grid_shared++;
    d->grid_compared++;
    if (e->results != results && !d->grid_holes++) d->grid_hole = o->index;
}

static void launch_begin(void *context, const struct launch *l)
{
    struct study *s = context;
    struct study_kernel *k = study_kernel_enter(s, l);
    struct kernel_data *d = k->data;
    if (!d) {
        d = k->data = ARENA_NEW(&s->arena, struct kernel_data);
        d->insts = ARENA_ARRAY(&s->arena, struct inst_counts, k->inst_count);
        describe(s, l, d);
    }
    struct mark_rules r;
    rules_of(&r, s, l, ALL);
    d->marks = marks_compute(l->program, &r);
    struct identity_options options = {.group = group_done, .executed = compare_over_grid, .context = d};
    d->ghosts = identity_create(d->marks, &options);
    d->grid = heap_alloc(2 * GRID_ROOM * sizeof *d->grid);
    d->grid_used = 0;
    const struct observer *ghosts = identity_observer(d->ghosts);
    s->observer.wants_access = ghosts->wants_access;
    ghosts->launch_begin(ghosts->context, l);
}

static void launch_end(void *context)
{
    struct study *s = context;
    struct kernel_data *d = data_of(s->kernel);
    const struct identity_counts *n = identity_counts(d->ghosts);
    d->compared += n->compared;
    d->holes += n->holes;
    if (n->holes && !d->hole) {
        const char *hole = identity_first_hole(d->ghosts);
        d->hole = arena_strndup(&s->arena, hole, strlen(hole));
    }
    identity_destroy(d->ghosts);
    marks_free(d->marks);
    free(d->grid);
    d->ghosts = NULL;
    d->marks = NULL;
    d->grid = NULL;
}

// -- executions ---------------------------------------------------------------------------------------------

static const struct observer *ghosts_of(const struct study *s)
{
    return identity_observer(data_of(s->kernel)->ghosts);
}

static void block_begin(void *context, struct observed_block *o)
{
    const struct observer *g = ghosts_of(context);
    struct block *b = heap_alloc(sizeof *b);
    b->ways = heap_alloc(o->warps * sizeof *b->ways);
    g->block_begin(g->context, o);
    b->ghosts = o->state;
    o->state = b;
}

static void block_end(void *context, struct observed_block *o)
{
    const struct observer *g = ghosts_of(context);
    struct block *b = o->state;
    o->state = b->ghosts;
    g->block_end(g->context, o);
    free(b->ways);
    free(b);
}

static void before(void *context, const struct observed *o)
{
    const struct observer *g = ghosts_of(context);
    struct block *b = o->block->state;
    o->block->state = b->ghosts;
    g->before(g->context, o);
    o->block->state = b;
}

static void after(void *context, const struct observed *o)
{
    struct study *s = context;
    struct kernel_data *d = data_of(s->kernel);
    const struct observer *g = ghosts_of(s);
    struct block *b = o->block->state;
    d->executed++;
    d->way = b->ways[o->warp];
    o->block->state = b->ghosts;
    g->after(g->context, o);
    o->block->state = b;
    if (o->path != o->full || !isa_has(o->inst, ISA_BRANCH)) return;
    uint64_t outcome = isa_has(o->inst, ISA_INDIRECT) ? o->lanes : o->lanes == o->path ? 1 : o->lanes ? 2 : 0;
    b->ways[o->warp] = hash_u64(d->way ^ hash_u64((uint64_t)o->index << 32 ^ outcome));
}

static void barrier(void *context, struct observed_block *o, const struct observed_barrier *met)
{
    const struct observer *g = ghosts_of(context);
    struct block *b = o->state;
    o->state = b->ghosts;
    g->barrier(g->context, o, met);
    o->state = b;
}

// -- report -------------------------------------------------------------------------------------------------

struct sums {
    uint64_t insts, marked[SETS], grid_marked;
    uint64_t executed, shared[SETS], grid_shared;
};

static void add_kernel(struct sums *to, const struct study_kernel *k)
{
    const struct kernel_data *d = data_of(k);
    for (uint32_t n = 0; n < k->inst_count; n++) to->insts += k->insts[n].shown;
    to->executed += d->executed;
    for (uint32_t n = 0; n < k->inst_count; n++) {
        const struct inst_counts *x = &d->insts[n];
        to->grid_marked += x->grid;
        to->grid_shared += x->grid_shared;
        for (unsigned set = 0; set < SETS; set++) {
            to->marked[set] += x->marked[set];
            to->shared[set] += x->marked[set] ? x->shared : 0;
        }
    }
}

#define SET_COLUMNS(what, grid)                                                                              \
    {"none", what ", without any extension"}, {"tid_y", "more with mark.tid_y"},                             \
        {"laneid", "more with mark.laneid"}, {"tid_x_mod", "more with mark.tid_x_mod"},                      \
        {"warp_classes", "more with mark.warp_classes"}, {"all", "more with all extensions"},                \
    {                                                                                                        \
        "grid", grid                                                                                         \
    }

// One row a workload, or a kernel outside of workloads, and the mean over rows. A workload's kernels are
// consecutive.
static void report_sums(struct study *s, struct study_table *t, bool dynamic)
{
    double mean[SETS + 1] = {0};
    size_t rows = 0;
    for (size_t i = 0; i < s->kernels.count;) {
        const struct study_kernel *first = s->kernels.data[i];
        struct sums n = {0};
        do {
            add_kernel(&n, s->kernels.data[i++]);
        } while (i < s->kernels.count && first->group && s->kernels.data[i]->group == first->group);
        study_text(t, "%s", first->group ? first->group : first->name);
        study_count(t, dynamic ? n.executed : n.insts);
        double whole = (double)(dynamic ? n.executed : n.insts);
        const uint64_t *of = dynamic ? n.shared : n.marked;
        for (unsigned set = 0; set <= SETS; set++) {
            uint64_t part = set == SETS ? (dynamic ? n.grid_shared : n.grid_marked)
                            : set       ? of[set] - of[NONE]
                                        : of[NONE];
            study_share(t, (double)part / whole);
            mean[set] += (double)part / whole;
        }
        rows++;
    }
    if (rows < 2) return;
    study_rule(t);
    study_text(t, "mean");
    study_none(t);
    for (unsigned set = 0; set <= SETS; set++) study_share(t, mean[set] / (double)rows);
}

static void report_workloads(struct study *s, struct study_report *r)
{
    static const struct study_column statics[] = {
        {"workload", "bundled workload, or kernel"},
        {"instructions", "of its kernels"},
        SET_COLUMNS("marked, in blocks of the launches' shape",
                    "with mark.grid: marked as equal in all blocks")};
    static const struct study_column dynamics[] = {
        {"workload", "bundled workload, or kernel"},
        {"warp_instructions", "executed"},
        SET_COLUMNS("unnecessary if a single warp executed for all corresponding warps",
                    "with mark.grid: unnecessary if a single block executed for all blocks")};
    report_sums(s,
                study_table_add(r, "static", "Marked instructions, and the additions of every extension",
                                statics, sizeof statics / sizeof statics[0]),
                false);
    report_sums(s,
                study_table_add(r, "dynamic",
                                "Executions saved by the marks, and the additions of every extension",
                                dynamics, sizeof dynamics / sizeof dynamics[0]),
                true);
}

// Prints the single extensions with which the instruction is marked; if no single one suffices, "all
// together".
static void print_sets(struct study_table *t, const struct inst_counts *x)
{
    char text[160] = "";
    for (unsigned set = TID_Y; set < ALL; set++)
        if (x->marked[set])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                     set_names[set]);
    study_text(t, "%s", *text ? text : set_names[ALL]);
}

static void report_insts(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},     {"kernel", "entry"},
        {"block", "threads in x, y, z"},      {"pc", "of the instruction"},
        {"instruction", "as in the listing"}, {"line", "source line"},
        {"marked_by", "marking extensions"},  {"saves", "of the kernel's executed warp instructions"}};
    struct study_table *t = study_table_add(r, "instructions", "Instructions marked by extensions only",
                                            columns, sizeof columns / sizeof columns[0]);
    t->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        const struct kernel_data *d = data_of(k);
        for (uint32_t n = 0; n < k->inst_count; n++) {
            if (!k->insts[n].shown || !d->insts[n].marked[ALL] || d->insts[n].marked[NONE]) continue;
            study_kernel_cells(t, k);
            study_text(t, "0x%04x", k->insts[n].pc);
            study_text(t, "%s", k->insts[n].text);
            study_text(t, "%s", k->insts[n].line);
            print_sets(t, &d->insts[n]);
            study_ratio(t, d->insts[n].shared, d->executed);
        }
    }
}

static void report(struct study *s, struct study_report *r)
{
    uint64_t compared = 0, grid_compared = 0, not_compared = 0;
    report_workloads(s, r);
    report_insts(s, r);
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        const struct kernel_data *d = data_of(k);
        compared += d->compared;
        grid_compared += d->grid_compared;
        not_compared += d->not_compared;
        if (d->holes)
            study_fail(r,
                       "%s: %llu executions of marked instructions differ from corresponding "
                       "executions: %s",
                       k->name, (unsigned long long)d->holes, d->hole);
        if (d->grid_holes)
            study_fail(r, "%s: %llu executions marked as equal in all blocks differ, first of %s", k->name,
                       (unsigned long long)d->grid_holes, k->insts[d->grid_hole].text);
    }
    study_note(r, "%llu marked executions were compared with corresponding executions, %llu over all blocks.",
               (unsigned long long)compared, (unsigned long long)grid_compared);
    if (not_compared)
        study_note(
            r,
            "%llu executions at grid scope were beyond the first %d instances of a launch, and not compared.",
            (unsigned long long)not_compared, GRID_ROOM);
}

static void fini(struct study *s)
{
    for (size_t i = 0; i < s->kernels.count; i++) {
        struct kernel_data *d = data_of(s->kernels.data[i]);
        if (!d || !d->ghosts) continue; // not created: a fault ended the launch
        identity_destroy(d->ghosts);
        marks_free(d->marks);
        free(d->grid);
    }
}

const struct study_class study_extensions = {.observer = {.launch_begin = launch_begin,
                                                          .launch_end = launch_end,
                                                          .block_begin = block_begin,
                                                          .block_end = block_end,
                                                          .before = before,
                                                          .after = after,
                                                          .barrier = barrier},
                                             .fini = fini,
                                             .report = report};
