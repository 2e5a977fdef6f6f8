// The static marks beside observed repetition. For each instruction: executions repeated within the
// threadblock, and whether the mark caught the repetition, or the reason for missing it. A marked instruction
// with unequal executions is a failure of the analysis and of the study.
//
// *Repeated*: two or more corresponding executions with all lanes on the path (study/identity.h), all with
// equal operands and equal results. Stores, barriers, branches and other instructions necessary for every
// warp are not counted. After launches of a group under the same name with other inputs, only executions
// repeated in every run count: no compiler can know the inputs.
//
// A miss is an *accident* when the executions computed equal values from different sources (the ghost names
// differ): a carry never set, a comparison passed by all warps. No analysis of origins can see an accident.
#include "exec/launch.h"
#include "isa/program.h"
#include "study/identity.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCE_LIMIT = 1 << 21 };

struct instance {   // a group of corresponding executions
    uint64_t key;   // 0: free
    uint32_t index; // of the instruction
    uint32_t count; // executions, in the first run
    uint32_t runs;  // number of runs in which the group repeats
    bool accident;  // in some run, the ghost names of the equal executions differ
};

struct inst_facts {
    const char *mark, *promoted, *reason;
    const char *root; // why the mark is not stronger, in a few words, for tables
    bool counts;      // the instruction has results that warps could share
    bool caught;      // the mark proves warps equal in blocks of this shape
    uint64_t executions;
};

struct marks_kernel {
    const struct study_kernel *kernel; // of the first run
    const char *run;                   // name of the group; differs between runs
    uint32_t runs;
    struct inst_facts *insts;
    struct instance *instances;
    uint32_t room, used;
    uint64_t not_kept;
    uint64_t compared, holes;
    const char *hole;
    struct marks *marks; // valid during the program's life
    const struct program *program;
    struct identity *ids;
};

struct marks_state {
    VEC(struct marks_kernel *) kernels;
    struct marks_kernel *current;
    const struct observer *ghosts;
};

// -- launches -----------------------------------------------------------------------------------------------

static const char *copy(struct study *s, struct strbuf *text)
{
    const char *kept = arena_strndup(&s->arena, strbuf_text(text), text->length);
    strbuf_clear(text);
    return kept;
}

static const char *root_text(struct study *s, const struct marks *m, uint32_t n, bool conditional)
{
    struct strbuf text = {0};
    if (conditional)
        strbuf_puts(&text, "the block's shape");
    else
        mark_print_root(m, n, &text);
    const char *kept = copy(s, &text);
    strbuf_fini(&text);
    return kept;
}

static void describe(struct study *s, struct marks_kernel *k)
{
    struct strbuf text = {0};
    unsigned met = mark_conditions_met(&k->marks->rules, k->kernel->block);
    k->insts = ARENA_ARRAY(&s->arena, struct inst_facts, k->kernel->inst_count);
    for (uint32_t n = 0; n < k->kernel->inst_count; n++) {
        const struct mark *m = &k->marks->marks[n];
        struct inst_facts *f = &k->insts[n];
        enum mark_kind promoted = mark_promoted(m, met);
        f->mark = mark_kind_name((enum mark_kind)m->kind);
        f->promoted = mark_kind_name(promoted);
        f->caught = mark_warp_classes(&k->marks->rules, m, k->kernel->block) > 0;
        f->counts = m->has_result && m->cause != CAUSE_EFFECT && m->cause != CAUSE_CONTROL &&
                    m->cause != CAUSE_ATOMIC;
        mark_explain(k->marks, n, &text);
        const char *reason = strchr(strbuf_text(&text), ' ');
        f->reason = arena_strndup(&s->arena, reason ? reason + 1 : "", reason ? strlen(reason + 1) : 0);
        strbuf_clear(&text);
        f->root = root_text(s, k->marks, n, m->kind == MARK_CONDITIONAL);
    }
    strbuf_fini(&text);
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && str_equal(a, b)); }

static struct marks_kernel *find(struct marks_state *x, const struct study_kernel *k)
{
    for (size_t i = 0; i < x->kernels.count; i++) {
        const struct study_kernel *have = x->kernels.data[i]->kernel;
        if (same_text(have->group, k->group) && str_equal(have->name, k->name) &&
            memcmp(have->block, k->block, sizeof k->block) == 0 && have->inst_count == k->inst_count)
            return x->kernels.data[i];
    }
    return NULL;
}

static struct instance *instance_at(struct marks_kernel *k, uint64_t key)
{
    if (2 * k->used >= k->room && k->room < INSTANCE_LIMIT) {
        struct instance *old = k->instances;
        uint32_t room = k->room;
        k->room = room ? 4 * room : 1024;
        k->instances = heap_alloc(k->room * sizeof *k->instances);
        memset(k->instances, 0, k->room * sizeof *k->instances);
        for (uint32_t n = 0; n < room; n++)
            if (old[n].key) *instance_at(k, old[n].key) = old[n];
        free(old);
    }
    uint32_t at = (uint32_t)key & (k->room - 1);
    for (unsigned tries = 0; tries < 64; tries++, at = (at + 1) & (k->room - 1))
        if (!k->instances[at].key || k->instances[at].key == key) return &k->instances[at];
    return NULL;
}

static void group_done(void *context, const struct identity_group *g)
{
    struct marks_kernel *k = context;
    bool repeated = g->count > 1 && g->same_operands;
    k->insts[g->index].executions += k->runs == 1 ? g->count : 0;
    if (!repeated || !k->insts[g->index].counts) return;
    struct instance *i = instance_at(k, g->key | 1);
    if (!i) {
        k->not_kept++;
        return;
    }
    if (!i->key) {
        if (k->runs > 1) return; // not repeated in an earlier run
        *i = (struct instance){.key = g->key | 1, .index = g->index, .count = g->count};
        k->used++;
    }
    if (i->runs == k->runs - 1) i->runs++;
    i->accident |= !g->same_names;
}

static void close_run(struct study *s, struct marks_kernel *k)
{
    if (!k->ids) return;
    const struct identity_counts *n = identity_counts(k->ids);
    k->compared += n->compared;
    k->holes += n->holes;
    k->not_kept += n->not_kept;
    if (n->holes && !k->hole)
        k->hole = arena_strndup(&s->arena, identity_first_hole(k->ids), strlen(identity_first_hole(k->ids)));
    identity_destroy(k->ids);
    marks_free(k->marks);
    k->ids = NULL;
    k->marks = NULL;
}

static void begin_run(struct study *s, struct marks_kernel *k, const struct launch *l)
{
    struct mark_rules rules;
    mark_rules_from(&rules, &s->mark, l->warp_size);
    close_run(s, k);
    k->program = l->program;
    k->run = s->group;
    k->runs++;
    k->marks = marks_compute(l->program, &rules);
    if (!k->insts) describe(s, k);
    struct identity_options options = {.group = group_done, .context = k};
    k->ids = identity_create(k->marks, &options);
}

static void launch_begin(void *context, const struct launch *l)
{
    struct study *s = context;
    struct marks_state *x = s->state;
    const struct study_kernel *kernel = study_kernel_enter(s, l);
    struct marks_kernel *k = find(x, kernel);
    if (!k) {
        k = ARENA_NEW(&s->arena, struct marks_kernel);
        k->kernel = kernel;
        vec_push(&x->kernels, k);
    }
    if (!k->ids || k->run != s->group || k->program != l->program) begin_run(s, k, l);
    x->current = k;
    x->ghosts = identity_observer(k->ids);
    s->observer.wants_access = x->ghosts->wants_access;
    x->ghosts->launch_begin(x->ghosts->context, l);
}

static const struct observer *ghosts(void *context)
{
    return ((struct marks_state *)((struct study *)context)->state)->ghosts;
}

static void block_begin(void *context, struct observed_block *b)
{
    ghosts(context)->block_begin(ghosts(context)->context, b);
}

static void block_end(void *context, struct observed_block *b)
{
    ghosts(context)->block_end(ghosts(context)->context, b);
}

static void before(void *context, const struct observed *o)
{
    ghosts(context)->before(ghosts(context)->context, o);
}

static void after(void *context, const struct observed *o)
{
    ghosts(context)->after(ghosts(context)->context, o);
}

static void barrier(void *context, struct observed_block *b, const struct observed_barrier *met)
{
    ghosts(context)->barrier(ghosts(context)->context, b, met);
}

// -- report -------------------------------------------------------------------------------------------------

struct tally {
    uint64_t executions, marked, repeated, caught;
};

// By instruction: executions, in the first run, of groups repeated in every run. accidents_only: only groups
// whose ghost names differ.
static uint64_t *repeated_of(struct study_report *r, const struct marks_kernel *k, bool accidents_only)
{
    uint64_t *repeated = ARENA_ARRAY(&r->arena, uint64_t, k->kernel->inst_count);
    for (uint32_t n = 0; n < k->room; n++)
        if (k->instances[n].key && k->instances[n].runs == k->runs &&
            (k->instances[n].accident || !accidents_only))
            repeated[k->instances[n].index] += k->instances[n].count;
    return repeated;
}

static void add_inst(struct tally *t, const struct marks_kernel *k, uint32_t n, uint64_t repeated)
{
    const struct inst_facts *f = &k->insts[n];
    if (!f->counts) return;
    t->executions += f->executions;
    t->marked += f->caught ? f->executions : 0;
    t->repeated += repeated;
    t->caught += f->caught ? repeated : 0;
}

static void add_kernel(struct tally *t, const struct marks_kernel *k, const uint64_t *repeated)
{
    for (uint32_t n = 0; n < k->kernel->inst_count; n++) add_inst(t, k, n, repeated[n]);
}

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"kernel", "entry"},
        {"block", "threads in x, y, z"},
        {"runs", "runs with different inputs; repeated: repeated in every run"},
        {"executions", "of instructions with results, all lanes on the path, in the first run"},
        {"marked", "executions of instructions marked redundant in blocks of this shape"},
        {"repeated", "executions repeated in the threadblock"},
        {"caught", "repeated executions with a mark"},
        {"recall", "caught / repeated"},
        {"compared", "marked executions compared with a corresponding execution, required to be equal"}};
    struct marks_state *x = s->state;
    struct study_table *t = study_table_add(r, "kernels", "Static marks beside measured repetition", columns,
                                            sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < x->kernels.count; i++) {
        const struct marks_kernel *k = x->kernels.data[i];
        struct tally n = {0};
        add_kernel(&n, k, repeated_of(r, k, false));
        study_kernel_cells(t, k->kernel);
        study_count(t, k->runs);
        study_count(t, n.executions);
        study_ratio(t, n.marked, n.executions);
        study_ratio(t, n.repeated, n.executions);
        study_ratio(t, n.caught, n.executions);
        study_ratio(t, n.caught, n.repeated);
        study_count(t, k->compared);
    }
}

struct miss {
    const char *root;
    uint64_t executions, accidents;
    uint32_t example; // the instruction with most misses
    uint64_t example_executions;
};

static int by_weight(const void *a, const void *b)
{
    const struct miss *x = a, *y = b;
    if (x->executions != y->executions) return x->executions < y->executions ? 1 : -1;
    return strcmp(x->root, y->root);
}

static void report_misses(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"kernel", "entry"},
        {"block", "threads in x, y, z"},
        {"because", "what the mark could not see past"},
        {"missed", "of the kernel's repeated executions"},
        {"accident", "of them, equal by accident: computed from unequal values"},
        {"example", "the instruction that was missed most"},
        {"line", "source line"},
        {"reason", "of its mark"}};
    struct marks_state *x = s->state;
    struct study_table *t =
        study_table_add(r, "misses", "Repeated executions that the marks missed, by reason", columns,
                        sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < x->kernels.count; i++) {
        const struct marks_kernel *k = x->kernels.data[i];
        const uint64_t *repeated = repeated_of(r, k, false);
        const uint64_t *accidents = repeated_of(r, k, true);
        struct tally all = {0};
        VEC(struct miss) misses = {0};
        add_kernel(&all, k, repeated);
        for (uint32_t n = 0; n < k->kernel->inst_count; n++) {
            if (k->insts[n].caught || !repeated[n]) continue;
            size_t m = 0;
            while (m < misses.count && !str_equal(misses.data[m].root, k->insts[n].root)) m++;
            if (m == misses.count) vec_push(&misses, (struct miss){.root = k->insts[n].root});
            misses.data[m].executions += repeated[n];
            misses.data[m].accidents += accidents[n];
            if (repeated[n] > misses.data[m].example_executions) {
                misses.data[m].example = n;
                misses.data[m].example_executions = repeated[n];
            }
        }
        if (misses.count) qsort(misses.data, misses.count, sizeof *misses.data, by_weight);
        for (size_t m = 0; m < misses.count; m++) {
            const struct miss *e = &misses.data[m];
            study_kernel_cells(t, k->kernel);
            study_text(t, "%s", e->root);
            study_ratio(t, e->executions, all.repeated);
            study_ratio(t, e->accidents, e->executions);
            study_text(t, "%s", k->kernel->insts[e->example].text);
            study_text(t, "%s", k->kernel->insts[e->example].line);
            study_text(t, "%s", k->insts[e->example].reason);
        }
        vec_fini(&misses);
    }
}

static void report_lines(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"kernel", "entry"},
        {"block", "threads in x, y, z"},
        {"line", "source line"},
        {"executions",
         "executions of the line's instructions with results, all lanes on the path, in the first run"},
        {"repeated", "executions repeated in every run"},
        {"caught", "repeated executions with a mark"},
        {"saving", "share saved if a single warp executed caught work for its block: f * (1 - 1/W)"}};
    struct marks_state *x = s->state;
    struct study_table *t = study_table_add(r, "lines", "Marks and truth by source line", columns,
                                            sizeof columns / sizeof columns[0]);
    t->detail = s->kernels.count > 1 || s->kernels.data[0]->group;
    for (size_t i = 0; i < x->kernels.count; i++) {
        const struct marks_kernel *k = x->kernels.data[i];
        const uint64_t *repeated = repeated_of(r, k, false);
        uint32_t insts = k->kernel->inst_count, *line_of = ARENA_ARRAY(&r->arena, uint32_t, insts);
        uint32_t *first = ARENA_ARRAY(&r->arena, uint32_t, insts),
                 count = study_group_lines(k->kernel, line_of, first);
        struct tally *n = ARENA_ARRAY(&r->arena, struct tally, count);
        for (uint32_t q = 0; q < insts; q++) add_inst(&n[line_of[q]], k, q, repeated[q]);
        for (uint32_t l = 0; l < count; l++) {
            study_kernel_cells(t, k->kernel);
            study_text(t, "%s", k->kernel->insts[first[l]].line);
            study_count(t, n[l].executions);
            study_ratio(t, n[l].repeated, n[l].executions);
            study_ratio(t, n[l].caught, n[l].executions);
            study_share(t,
                        (double)n[l].caught / (double)n[l].executions * (1 - 1 / (double)k->kernel->warps));
        }
    }
}

static void report_instructions(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"kernel", "entry"},
        {"block", "threads in x, y, z"},
        {"pc", "of the instruction"},
        {"instruction", "as in the listing"},
        {"line", "source line"},
        {"mark", "before the launch"},
        {"in_launch", "in blocks of this shape"},
        {"executions", "all lanes on the path"},
        {"repeated", "executions repeated in every run"},
        {"verdict", "caught, missed, or nothing where nothing was repeated"},
        {"reason", "of the mark"}};
    struct marks_state *x = s->state;
    struct study_table *t = study_table_add(r, "instructions", "Marks and truth by instruction", columns,
                                            sizeof columns / sizeof columns[0]);
    t->detail = s->kernels.count > 1 || s->kernels.data[0]->group;
    for (size_t i = 0; i < x->kernels.count; i++) {
        const struct marks_kernel *k = x->kernels.data[i];
        const uint64_t *repeated = repeated_of(r, k, false);
        for (uint32_t n = 0; n < k->kernel->inst_count; n++) {
            const struct inst_facts *f = &k->insts[n];
            if (!k->kernel->insts[n].shown) continue;
            study_kernel_cells(t, k->kernel);
            study_text(t, "0x%04x", k->kernel->insts[n].pc);
            study_text(t, "%s", k->kernel->insts[n].text);
            study_text(t, "%s", k->kernel->insts[n].line);
            study_text(t, "%s", f->mark);
            study_text(t, "%s", f->promoted);
            study_count(t, f->executions);
            study_ratio(t, repeated[n], f->executions);
            study_text(t, "%s", !repeated[n] ? "" : f->caught ? "caught" : "missed");
            study_text(t, "%s", f->reason);
        }
    }
}

static void report(struct study *s, struct study_report *r)
{
    struct marks_state *x = s->state;
    uint64_t lost = 0;
    for (size_t i = 0; i < x->kernels.count; i++) close_run(s, x->kernels.data[i]);
    report_kernels(s, r);
    report_misses(s, r);
    report_lines(s, r);
    report_instructions(s, r);
    study_note(
        r,
        "Repeated: executions of two or more warps of a block, with equal operands and results, after equal "
        "histories (docs/explanation/soundness.md).");
    for (size_t i = 0; i < x->kernels.count; i++) {
        const struct marks_kernel *k = x->kernels.data[i];
        lost += k->not_kept;
        if (k->holes)
            study_fail(r,
                       "%s: %llu executions of marked instructions differ from corresponding "
                       "executions: %s",
                       k->kernel->name, (unsigned long long)k->holes, k->hole);
    }
    if (lost)
        study_note(r, "%llu groups of executions found no room and are left out.", (unsigned long long)lost);
}

static void fini(struct study *s)
{
    struct marks_state *x = s->state;
    for (size_t i = 0; i < x->kernels.count; i++) {
        close_run(s, x->kernels.data[i]);
        free(x->kernels.data[i]->instances);
    }
    vec_fini(&x->kernels);
}

const struct study_class study_marks = {.state_bytes = sizeof(struct marks_state),
                                        .observer = {.launch_begin = launch_begin,
                                                     .block_begin = block_begin,
                                                     .block_end = block_end,
                                                     .before = before,
                                                     .after = after,
                                                     .barrier = barrier},
                                        .fini = fini,
                                        .report = report};
