// A page for the author of a kernel: source lines by work repeated among warps of a block. Content: the kind
// of work, why a compiler could or could not detect the repetition, and changes to the source with an upper
// bound of savings. Next, what keeps other work apart, and the effect of other block shapes. PTX lines stand
// in for an unknown source.
//
// The counts come from `redundancy` (study/repeat.h), plus the warp's own past; the reasons come from the
// marks under the launch's settings.
#include "study/explain.h"
#include "base/file.h"
#include "exec/launch.h"
#include "isa/isa.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 8 };
// Least savings, as shares of a kernel's executions, for a line and for a piece of advice to be reported.
static const double line_share = 0.01, advice_share = 0.005;

// -- kernels ------------------------------------------------------------------------------------------------

static enum explain_work work_of(const struct inst *i)
{
    if (isa_is_fetch(i->op)) return WORK_TEXTURE;
    if (i->op == OP_LDC) return WORK_CONSTANT;
    if (i->op == OP_LDS) return WORK_SHARED;
    if (i->op == OP_LDL) return WORK_LOCAL;
    if (isa_has(i, ISA_LOAD)) return WORK_GLOBAL;
    if (isa_has(i, ISA_SPECIAL_READ)) return WORK_INDEX;
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED && !isa_has(i, ISA_FLOAT)) return WORK_SHARED;
    if (i->dst[0].kind == OPERAND_PRED) return WORK_COMPARE;
    return isa_has(i, ISA_FLOAT) ? WORK_FLOAT : WORK_INTEGER;
}

static bool copies_constant(const struct inst *i)
{
    return i->op == OP_MOV && i->src[0].kind != OPERAND_SHARED &&
           (i->src[0].kind != OPERAND_REG || i->src[0].reg == REG_ZERO);
}

static const char *keep(struct study *s, struct strbuf *text)
{
    const char *kept = arena_strndup(&s->arena, strbuf_text(text), text->length);
    strbuf_clear(text);
    return kept;
}

// The group of an instruction: its source line. Lines of PTX are too small to explain one by one, so PTX has
// one group per basic block and kind of work.
static uint32_t group_of(const struct study_inst *i, const struct marks *m, uint32_t n,
                         enum explain_work work)
{
    bool is_ptx = i->path && str_ends_with(i->path, ".ptx");
    return is_ptx ? 1u << 31 | mark_block(m, n) << 4 | work : i->line_key;
}

static void describe(struct study *s, const struct study_kernel *k, const struct marks *m,
                     struct explain_kernel *to)
{
    struct strbuf text = {0};
    for (uint32_t n = 0; n < k->inst_count; n++) {
        const struct inst *i = &m->program->insts[n];
        struct explain_inst *e = &to->insts[n];
        uint32_t root;
        *e = (struct explain_inst){.group = group_of(&k->insts[n], m, n, work_of(i)),
                                   .work = (uint8_t)work_of(i),
                                   .mark = m->marks[n].kind,
                                   .conditions = m->marks[n].conditions};
        mark_leaves_of(m, n, &e->leaves);
        e->invariant = mark_loop_depth(m, n) && !(e->leaves.from & LEAF_OWN_LOOP) && !copies_constant(i);
        mark_root_cause(m, n, &root);
        mark_print_root(m, n, &text);
        e->root = keep(s, &text);
        e->root_line = root < k->inst_count ? k->insts[root].line : "";
        mark_explain(m, n, &text);
        const char *reason = strchr(strbuf_text(&text), ' '); // behind "V:"
        e->reason = reason ? arena_strndup(&s->arena, reason + 1, strlen(reason + 1)) : "";
        strbuf_clear(&text);
    }
    strbuf_fini(&text);
}

static struct explain_kernel *own_of(const struct study_kernel *k)
{
    return ((struct repeat_kernel *)k->data)->own;
}

static void launch_begin(void *context, const struct launch *l)
{
    struct study *s = context;
    repeat_launch_begin_all(s, l);
    struct repeat_kernel *d = s->kernel->data;
    if (d->own) return;
    struct explain_kernel *k = d->own = ARENA_NEW(&s->arena, struct explain_kernel);
    mark_rules_from(&k->rules, &s->mark, l->warp_size);
    k->insts = ARENA_ARRAY(&s->arena, struct explain_inst, s->kernel->inst_count);
    struct marks *m = marks_compute(l->program, &k->rules);
    describe(s, s->kernel, m, k);
    marks_free(m);
}

static bool is_marked(const struct explain_kernel *k, uint32_t n, unsigned met)
{
    const struct explain_inst *e = &k->insts[n];
    return e->mark == MARK_REDUNDANT || (e->mark == MARK_CONDITIONAL && !(e->conditions & ~met));
}

// -- lines --------------------------------------------------------------------------------------------------

static void add_inst(struct explain_line *l, const struct study_kernel *k, uint32_t n, unsigned met)
{
    const struct explain_kernel *own = own_of(k);
    const struct explain_inst *e = &own->insts[n];
    const struct repeat_kernel *d = k->data;
    struct repeat_totals t = {0};
    repeat_add(&t, k, n);
    repeat_add(&l->n, k, n);
    if (d->ops[n].role != ROLE_RESULT) return;
    uint64_t block = repeat_in_block(&t), lanes = block - t.block[PATTERN_UNIFORM];
    bool loads = e->work == WORK_GLOBAL || e->work == WORK_TEXTURE;
    l->repeated += block;
    l->lanes += lanes;
    l->work[e->work] += block;
    if (e->invariant) l->again += d->counts[n].again;
    bool arguments = !(e->leaves.from & ~(uint32_t)(LEAF_SHAPE | LEAF_CONSTANT)) && e->leaves.params;
    if (arguments && e->mark == MARK_REDUNDANT) l->from_arguments += t.executed - t.diverged;
    if (block) {
        l->leaves.from |= e->leaves.from;
        l->leaves.params |= e->leaves.params;
    }
    if (is_marked(own, n, met)) {
        l->proved += block;
        l->proved_lanes += lanes;
        l->saved_work[e->work] += t.saved;
        if (loads && block) l->saved_loads_by_lane += t.saved * lanes / block;
        l->conditional |= e->mark == MARK_CONDITIONAL && block;
    } else if (block > l->unproved_work) {
        l->unproved_work = block;
        l->unproved = n;
    }
}

static int by_saving(const void *a, const void *b)
{
    const struct explain_line *x = a, *y = b;
    uint64_t of_x = x->n.saved, of_y = y->n.saved;
    if (of_x != of_y) return of_x < of_y ? 1 : -1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static size_t collect_lines(const struct study_kernel *k, struct explain_line *lines)
{
    size_t count = 0;
    unsigned met = mark_conditions_met(&own_of(k)->rules, k->block);
    for (uint32_t n = 0; n < k->inst_count; n++) {
        size_t at = 0;
        uint32_t group = own_of(k)->insts[n].group;
        while (at < count && lines[at].group != group) at++;
        if (at == count) lines[count++] = (struct explain_line){.at = &k->insts[n], .group = group};
        if (k->insts[n].number < lines[at].at->number) lines[at].at = &k->insts[n];
        if (k->insts[n].number > lines[at].last) lines[at].last = k->insts[n].number;
        add_inst(&lines[at], k, n, met);
    }
    qsort(lines, count, sizeof *lines, by_saving);
    return count;
}

// PTX may name any path as its source; reading a device or a pipe might never end. Only regular files are
// therefore read.
static bool read_source(const char *path, char **text)
{
    size_t length;
    const char *why;
    return file_is_regular(path) && file_read(path, text, &length, &why);
}

// The source line, without surrounding white space; "" when the file or the line is not found.
static const char *source_text(const struct study *s, struct study_report *r, const struct study_inst *at)
{
    char *text = NULL;
    if (!at->path) return "";
    const char *name = strrchr(at->path, '/');
    name = name ? name + 1 : at->path;
    bool found = read_source(at->path, &text);
    if (!found && s->sources)
        found = read_source(arena_printf(&r->arena, "%s/%s", s->sources, at->path), &text) ||
                read_source(arena_printf(&r->arena, "%s/%s", s->sources, name), &text);
    if (!found) return "";
    const char *line = text;
    for (uint32_t n = 1; n < at->number && line; n++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    const char *kept = "";
    if (line) {
        line += strspn(line, " \t");
        size_t end = strcspn(line, "\r\n");
        while (end && (line[end - 1] == ' ' || line[end - 1] == '\t')) end--;
        kept = arena_strndup(&r->arena, line, end);
    }
    free(text);
    return kept;
}

static void advice_cells(struct study_table *t, const struct explain_choice *c, uint64_t executed)
{
    if ((double)c->saves < advice_share * (double)executed) {
        study_none(t);
        study_none(t);
        return;
    }
    study_text(t, "%s", explain_advice_text(c->advice));
    study_ratio(t, c->saves, executed);
}

static void line_row(struct study *s, struct study_report *r, struct study_table *t,
                     const struct study_kernel *k, const struct explain_line *l, uint64_t executed)
{
    struct strbuf what = {0}, from = {0}, why = {0};
    struct explain_choice choices[EXPLAIN_CHOICES];
    explain_what(l, &what);
    explain_from(l, &from);
    explain_why(l, own_of(k), k->block, &why);
    explain_choose(l, k->warps, choices);
    study_text(t, "%s", k->name);
    if (l->last > l->at->number)
        study_text(t, "%s-%u", l->at->line, l->last);
    else
        study_text(t, "%s", l->at->line_key ? l->at->line : "(no line)");
    study_ratio(t, l->n.executed, executed);
    study_ratio(t, repeat_in_block(&l->n), executed);
    study_ratio(t, l->n.saved, executed);
    study_text(t, "%s", source_text(s, r, l->at));
    study_text(t, "%s", strbuf_text(&what));
    study_text(t, "%s", strbuf_text(&from));
    study_text(t, "%s", strbuf_text(&why));
    for (unsigned c = 0; c < EXPLAIN_CHOICES; c++) advice_cells(t, &choices[c], executed);
    strbuf_fini(&what);
    strbuf_fini(&from);
    strbuf_fini(&why);
}

static void report_lines(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"kernel", "entry"},
        {"line", "source line; PTX line without source information"},
        {"executed", "instructions of the line, over the kernel's executed instructions"},
        {"repeated", "share repeated by every warp of a block"},
        {"saving", "share saved if a single warp executed for its block, f * (1 - 1/W)"},
        {"source", "the line itself"},
        {"what", "the repeated work"},
        {"from", "origin of the computed values; arguments count from 0"},
        {"why", "provable by a compiler or not"},
        {"do", "advice with the largest saving"},
        {"saves", "over the kernel's executed instructions"},
        {"or", "advice with the second saving"},
        {"saves_then", "over the kernel's executed instructions"}};
    struct study_table *t = study_table_add(r, "lines", "By source line, the most repeated work first",
                                            columns, sizeof columns / sizeof columns[0]);
    t->cards = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct explain_line *lines = heap_alloc(k->inst_count * sizeof *lines);
        struct repeat_totals all = {0};
        repeat_add_kernel(&all, k);
        size_t count = collect_lines(k, lines), shown = 0;
        uint64_t left = 0;
        for (size_t n = 0; n < count; n++) {
            bool worth = (double)lines[n].n.saved >= line_share * (double)all.executed;
            if (worth && shown < LINES_MAX) {
                line_row(s, r, t, k, &lines[n], all.executed);
                shown++;
            } else {
                left += lines[n].n.saved;
            }
        }
        if (left)
            study_note(r, "%s: lines not shown could save another %.1f %%", k->name,
                       100 * (double)left / (double)all.executed);
        free(lines);
    }
}

// -- the kernel as a whole ----------------------------------------------------------------------------------

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"kernel", "entry"},
        {"grid", "blocks"},
        {"block", "threads in x, y, z"},
        {"warps", "of a block"},
        {"warp_instructions", "executed"},
        {"repeated", "repeated by every warp of a block"},
        {"one_value", "repeated, with the same value in all threads of the block"},
        {"saving", "share saved if a single warp executed for its block"},
        {"again", "repeated by a loop from the iteration before"},
        {"diverged", "executed by part of a warp"}};
    struct study_table *t = study_table_add(r, "kernels", "Work repeated by the warps of a block", columns,
                                            sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        const struct repeat_kernel *d = k->data;
        struct repeat_totals n = {0};
        uint64_t again = 0;
        repeat_add_kernel(&n, k);
        for (uint32_t x = 0; x < k->inst_count; x++)
            if (own_of(k)->insts[x].invariant && d->ops[x].role == ROLE_RESULT) again += d->counts[x].again;
        study_text(t, "%s", k->name);
        study_text(t, "%u,%u,%u", k->grid[0], k->grid[1], k->grid[2]);
        study_text(t, "%u,%u,%u", k->block[0], k->block[1], k->block[2]);
        study_count(t, k->warps);
        study_count(t, n.executed);
        study_ratio(t, repeat_in_block(&n), n.executed);
        study_ratio(t, n.block[PATTERN_UNIFORM], n.executed);
        study_ratio(t, n.saved, n.executed);
        study_ratio(t, again, n.executed);
        study_ratio(t, n.diverged, n.executed);
    }
}

struct apart {
    const char *because, *line;
    uint64_t executions;
};

static int by_executions(const void *a, const void *b)
{
    const struct apart *x = a, *y = b;
    if (x->executions != y->executions) return x->executions < y->executions ? 1 : -1;
    int order = strcmp(x->because, y->because);
    return order ? order : strcmp(x->line, y->line);
}

struct aparts {
    VEC(struct apart) rows;
};

static void add_apart(struct aparts *a, const char *because, const char *line, uint64_t executions)
{
    size_t n = 0;
    if (!executions) return;
    while (n < a->rows.count &&
           !(str_equal(a->rows.data[n].because, because) && str_equal(a->rows.data[n].line, line)))
        n++;
    if (n == a->rows.count) vec_push(&a->rows, (struct apart){because, line, 0});
    a->rows.data[n].executions += executions;
}

static void collect_apart(struct aparts *a, const struct study_kernel *k)
{
    const struct explain_kernel *own = own_of(k);
    const struct repeat_kernel *d = k->data;
    unsigned met = mark_conditions_met(&own->rules, k->block);
    for (uint32_t n = 0; n < k->inst_count; n++) {
        const struct explain_inst *e = &own->insts[n];
        struct repeat_totals t = {0};
        repeat_add(&t, k, n);
        add_apart(a, "executed by part of a warp", "", t.diverged);
        uint64_t whole = t.executed - t.diverged;
        if (d->ops[n].role != ROLE_RESULT) {
            add_apart(a, "branches, stores, barriers, atomics: required in every warp", "", whole);
            continue;
        }
        uint64_t rest = whole - repeat_in_block(&t);
        if (is_marked(own, n, met))
            add_apart(a, "warps of a block that took different ways, or were alone", "", rest);
        else
            add_apart(a, e->root, e->root_line, rest);
    }
    if (a->rows.count) qsort(a->rows.data, a->rows.count, sizeof *a->rows.data, by_executions);
}

static void report_apart(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"kernel", "entry"},
        {"share", "over the kernel's executed instructions"},
        {"because", "reason for different values in the warps of a block"},
        {"line", "source line of the reason"}};
    enum { ROWS_MAX = 6 };
    struct study_table *t = study_table_add(r, "apart", "Reasons for work not repeated", columns,
                                            sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        struct repeat_totals all = {0};
        struct aparts a = {0};
        repeat_add_kernel(&all, k);
        collect_apart(&a, k);
        for (size_t n = 0; n < a.rows.count && n < ROWS_MAX; n++) {
            study_text(t, "%s", k->name);
            study_ratio(t, a.rows.data[n].executions, all.executed);
            study_text(t, "%s", a.rows.data[n].because);
            study_text(t, "%s", a.rows.data[n].line);
        }
        vec_fini(&a.rows);
    }
}

// -- other shapes -------------------------------------------------------------------------------------------

static uint64_t marked_in_shape(const struct study_kernel *k, const uint32_t block[3])
{
    const struct explain_kernel *own = own_of(k);
    const struct repeat_kernel *d = k->data;
    unsigned met = mark_conditions_met(&own->rules, block);
    uint64_t marked = 0;
    for (uint32_t n = 0; n < k->inst_count; n++)
        if (d->ops[n].role == ROLE_RESULT && is_marked(own, n, met))
            marked += d->counts[n].executed - d->counts[n].diverged;
    return marked;
}

// Reports provable repetition by block shape, for kernels with several warps and blockDim.y above 1. Shapes:
// the launched one, and others with as many threads, the same z, and for x a power of two from 4.
static void report_shapes(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        {"kernel", "entry"},
        {"block", "threads in x, y, z"},
        {"marked", "share of provably repeated executions"},
        {"saving", "share saved if a single warp executed for its block"},
        {"launched", "here: the shape of this run"}};
    struct study_table *t = NULL;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        uint32_t plane = k->block[0] * k->block[1];
        struct repeat_totals all = {0};
        repeat_add_kernel(&all, k);
        if (k->block[1] == 1 || k->warps == 1) continue;
        if (!t)
            t = study_table_add(r, "shapes", "Other shapes of the block, had the kernel been launched so",
                                columns, sizeof columns / sizeof columns[0]);
        for (uint32_t x = 1; x <= plane; x++) {
            bool power = !(x & (x - 1)), here = x == k->block[0];
            if (plane % x || (!power && !here) || (x < 4 && !here)) continue;
            const uint32_t block[3] = {x, plane / x, k->block[2]};
            uint64_t marked = marked_in_shape(k, block);
            study_text(t, "%s", k->name);
            study_text(t, "%u,%u,%u", block[0], block[1], block[2]);
            study_ratio(t, marked, all.executed);
            study_share(t, (double)marked / (double)all.executed * (1 - 1 / (double)k->warps));
            study_text(t, "%s", here ? "here" : "");
        }
    }
}

static void report(struct study *s, struct study_report *r)
{
    report_kernels(s, r);
    report_lines(s, r);
    report_apart(s, r);
    report_shapes(s, r);
    study_note(r, "A compiler could prove provable repetition, but compiles code for a single thread, and no "
                  "thread sees "
                  "the registers of another warp. Savings are upper bounds, in executed warp instructions.");
    repeat_notes(s, r);
}

const struct study_class study_explain = {
    .observer = {.launch_begin = launch_begin, .launch_end = repeat_launch_end_grid, REPEAT_EVENTS},
    .report = report};
