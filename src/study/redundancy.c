// Share of repeated warp executions at the scope of the grid, the threadblock and the warp (DARSIE, Figure
// 1). By workload, kernel, source line and instruction, with an upper bound of the savings.
#include "study/repeat.h"

#include <stdlib.h>

#define SHARES                                                                                               \
    {"warp_instructions", "executed"},                                                                       \
        {"grid", "redundant in the grid: a single execution would do for all warps"},                        \
        {"block", "redundant in the threadblock: a single execution would do for all warps"},                \
        {"warp", "redundant in the warp: all lanes do the same"},                                            \
        {"saving", "largest saving of a mechanism at block scope: f * (1 - 1/W)"},                           \
        {"control", "branches, stores, barriers executed by all warps of a block with equal operands"},      \
    {                                                                                                        \
        "diverged", "executed by part of a warp"                                                             \
    }

static void add_shares(struct study_table *t, const struct repeat_totals *n)
{
    study_count(t, n->executed);
    study_ratio(t, n->grid, n->executed);
    study_ratio(t, repeat_in_block(n), n->executed);
    study_ratio(t, n->warp, n->executed);
    study_ratio(t, n->saved, n->executed);
    study_ratio(t, n->effects_block, n->executed);
    study_ratio(t, n->diverged, n->executed);
}

struct mean {
    double grid, block, warp, saved, control, diverged;
    size_t count;
};

static void add_mean(struct mean *m, const struct repeat_totals *n)
{
    if (!n->executed) return;
    double all = (double)n->executed;
    m->grid += (double)n->grid / all;
    m->block += (double)repeat_in_block(n) / all;
    m->warp += (double)n->warp / all;
    m->saved += (double)n->saved / all;
    m->control += (double)n->effects_block / all;
    m->diverged += (double)n->diverged / all;
    m->count++;
}

static void mean_row(struct study_table *t, const struct mean *m)
{
    double count = (double)m->count;
    study_rule(t);
    study_text(t, "mean");
    study_none(t);
    study_none(t);
    study_share(t, m->grid / count);
    study_share(t, m->block / count);
    study_share(t, m->warp / count);
    study_share(t, m->saved / count);
    study_share(t, m->control / count);
    study_share(t, m->diverged / count);
    study_text(t, "paper");
    for (unsigned n = 0; n < 3; n++) study_none(t);
    study_share(t, 0.33);
    for (unsigned n = 0; n < 4; n++) study_none(t);
}

// One row a workload; the mean weights all workloads equally, as in the paper.
static void report_workloads(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"workload", "bundled workload"},
        {"warps", "of a block, of the kernel with the most instructions"},
        SHARES};
    struct study_table *t = study_table_add(r, "workloads", "Redundant executions by workload", columns,
                                            sizeof columns / sizeof columns[0]);
    struct mean mean = {0};
    for (size_t i = 0; i < s->kernels.count;) {
        const struct study_kernel *first = s->kernels.data[i];
        struct repeat_totals n = {0};
        uint64_t most = 0;
        uint32_t warps = 0;
        for (; i < s->kernels.count && s->kernels.data[i]->group == first->group; i++) {
            uint64_t before = n.executed;
            repeat_add_kernel(&n, s->kernels.data[i]);
            if (n.executed - before >= most) warps = s->kernels.data[i]->warps;
            if (n.executed - before >= most) most = n.executed - before;
        }
        study_text(t, "%s", first->group);
        study_count(t, warps);
        add_shares(t, &n);
        add_mean(&mean, &n);
    }
    if (mean.count > 1) mean_row(t, &mean);
}

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"workload", "bundled workload"},
                                                  {"kernel", "entry"},
                                                  {"shape", "threads of a block in x, y, z"},
                                                  {"warps", "of a block"},
                                                  SHARES};
    struct study_table *t = study_table_add(r, "kernels", "Redundant executions by kernel", columns,
                                            sizeof columns / sizeof columns[0]);
    t->detail = s->kernels.count > 1 && s->kernels.data[0]->group;
    for (size_t i = 0; i < s->kernels.count; i++) {
        struct repeat_totals n = {0};
        repeat_add_kernel(&n, s->kernels.data[i]);
        study_kernel_cells(t, s->kernels.data[i]);
        study_count(t, s->kernels.data[i]->warps);
        add_shares(t, &n);
    }
}

// -- lines --------------------------------------------------------------------------------------------------

struct line {
    const char *name;
    uint32_t key;
    struct repeat_totals n;
};

static int by_saving(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->n.saved != y->n.saved) return x->n.saved < y->n.saved ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static size_t collect_lines(const struct study_kernel *k, struct line *lines)
{
    uint32_t *line_of = heap_alloc(k->inst_count * sizeof *line_of),
             *first = heap_alloc(k->inst_count * sizeof *first);
    size_t count = study_group_lines(k, line_of, first);
    for (size_t n = 0; n < count; n++)
        lines[n] = (struct line){.name = k->insts[first[n]].line, .key = k->insts[first[n]].line_key};
    for (uint32_t x = 0; x < k->inst_count; x++) repeat_add(&lines[line_of[x]].n, k, x);
    qsort(lines, count, sizeof *lines, by_saving);
    free(line_of);
    free(first);
    return count;
}

static void report_lines(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"kernel", "entry"},
        {"line", "source line"},
        SHARES,
        {"kernel_saving", "saving of the line over the kernel's executed instructions"}};
    struct study_table *t = study_table_add(r, "lines", "By source line, the most repeated work first",
                                            columns, sizeof columns / sizeof columns[0]);
    t->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct line *lines = heap_alloc(k->inst_count * sizeof *lines);
        struct repeat_totals all = {0};
        repeat_add_kernel(&all, k);
        size_t count = collect_lines(k, lines);
        for (size_t n = 0; n < count; n++) {
            study_text(t, "%s", k->name);
            study_text(t, "%s", lines[n].name);
            add_shares(t, &lines[n].n);
            study_ratio(t, lines[n].n.saved, all.executed);
        }
        free(lines);
    }
}

static void inst_cells(struct study_table *t, const struct study_kernel *k, uint32_t inst)
{
    struct repeat_totals n = {0};
    repeat_add(&n, k, inst);
    add_shares(t, &n);
}

static void report_insts(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {{"kernel", "entry"},
                                                  {"pc", "of the instruction"},
                                                  SHARES,
                                                  {"instruction", "as in the listing"},
                                                  {"line", "source line"}};
    study_each_inst(s, r, columns, sizeof columns / sizeof columns[0], inst_cells);
}

static void report(struct study *s, struct study_report *r)
{
    if (s->kernels.count && s->kernels.data[0]->group) report_workloads(s, r);
    report_kernels(s, r);
    report_lines(s, r);
    report_insts(s, r);
    repeat_notes(s, r);
}

const struct study_class study_redundancy = {.observer = REPEAT_OBSERVER_GRID, .report = report};
