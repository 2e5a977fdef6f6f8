// The table of studies, the kernels kept by studies, and reports.
#include "study/study.h"
#include "exec/launch.h"
#include "flow/blocks.h"
#include "isa/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STUDY(name, meaning) extern const struct study_class study_##name;
#include "study/studies.def"
#undef STUDY

static const struct {
    const struct study_class *class;
    const char *name, *meaning;
} studies[] = {
#define STUDY(name, meaning) {&study_##name, #name, meaning},
#include "study/studies.def"
#undef STUDY
};
enum { STUDY_COUNT_ALL = sizeof studies / sizeof studies[0] };

bool study_at(size_t index, const char **name, const char **meaning)
{
    if (index >= STUDY_COUNT_ALL) return false;
    *name = studies[index].name;
    *meaning = studies[index].meaning;
    return true;
}

struct study *study_create(const char *name)
{
    size_t n = 0;
    while (n < STUDY_COUNT_ALL && !str_equal(studies[n].name, name)) n++;
    if (n == STUDY_COUNT_ALL) return NULL;
    struct study *s = heap_alloc(sizeof *s);
    s->class = studies[n].class;
    s->name = studies[n].name;
    s->observer = s->class->observer;
    s->observer.context = s;
    s->state = heap_alloc(s->class->state_bytes + 1);
    arena_init(&s->arena);
    return s;
}

void study_destroy(struct study *s)
{
    if (s->class->fini) s->class->fini(s);
    free(s->state);
    vec_fini(&s->kernels);
    vec_fini(&s->named);
    arena_fini(&s->arena);
    free(s);
}

void study_group(struct study *s, const char *group)
{
    s->group = group ? arena_strndup(&s->arena, group, strlen(group)) : NULL;
}

// -- kernels ------------------------------------------------------------------------------------------------

void study_sources(struct study *s, const char *folder)
{
    s->sources = folder ? arena_strndup(&s->arena, folder, strlen(folder)) : NULL;
}

static void describe_inst(struct study *s, const struct program *p, uint32_t index, uint32_t line,
                          struct study_inst *to)
{
    struct strbuf text = {0};
    to->pc = program_pc(p, index);
    program_print_inst(p, index, &text);
    to->text = arena_strndup(&s->arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    to->line = "";
    if (!line) return;
    const struct program_line *l = &p->line_table[line];
    const char *path = l->file < p->file_count ? p->files[l->file] : "?", *name = strrchr(path, '/');
    to->line = arena_printf(&s->arena, "%s:%u", name ? name + 1 : path, l->line);
    to->line_key = (l->file << 20) + l->line + 1;
    to->path = arena_strndup(&s->arena, path, strlen(path));
    to->number = l->line;
}

// By instruction: true if reachable, or if some indirect jump has unknown targets. On the heap.
static bool *find_shown(const struct program *p)
{
    bool *is_shown = heap_alloc(p->inst_count * sizeof *is_shown);
    struct arena scratch;
    struct flow_blocks flow;
    arena_init(&scratch);
    flow_blocks_init(&flow, p, &scratch);
    for (uint32_t n = 0; n < p->inst_count; n++)
        is_shown[n] = flow.jumps_anywhere || flow.blocks[flow.block_of[n]].function != FLOW_NONE;
    arena_fini(&scratch);
    return is_shown;
}

static bool is_same(const struct study *s, const struct study_kernel *k, const struct launch *l)
{
    return k->group == s->group && k->program == l->program &&
           memcmp(k->block, l->block, sizeof k->block) == 0 && k->warp_size == l->warp_size;
}

void study_name(struct study *s, const struct launch *l, const char *name)
{
    vec_push(&s->named, (struct study_named){l, name});
}

bool study_is_new(const struct study *s, const struct launch *l)
{
    for (size_t i = 0; i < s->named.count; i++)
        if (s->named.data[i].launch == l) return true;
    return false;
}

static void take_name(struct study *s, const struct launch *l)
{
    size_t left = 0;
    for (size_t i = 0; i < s->named.count; i++) {
        if (s->named.data[i].launch == l)
            s->kernel_name = s->named.data[i].name;
        else
            s->named.data[left++] = s->named.data[i];
    }
    s->named.count = left;
}

struct study_kernel *study_kernel_enter(struct study *s, const struct launch *l)
{
    struct study_kernel *k = NULL;
    take_name(s, l);
    for (size_t i = 0; i < s->kernels.count && !k; i++)
        if (is_same(s, s->kernels.data[i], l)) k = s->kernels.data[i];
    if (!k) {
        const struct program *p = l->program;
        k = ARENA_NEW(&s->arena, struct study_kernel);
        k->group = s->group;
        const char *name = s->kernel_name ? s->kernel_name : p->name ? p->name : "kernel";
        k->name = arena_strndup(&s->arena, name, strlen(name));
        k->program = p;
        memcpy(k->block, l->block, sizeof k->block);
        k->warp_size = l->warp_size;
        k->warps = (l->block[0] * l->block[1] * l->block[2] + l->warp_size - 1) / l->warp_size;
        k->inst_count = p->inst_count;
        k->insts = ARENA_ARRAY(&s->arena, struct study_inst, p->inst_count);
        uint32_t *lines = heap_alloc(p->inst_count * sizeof *lines);
        bool *is_shown = find_shown(p);
        study_lines(p, is_shown, lines);
        for (uint32_t n = 0; n < p->inst_count; n++) {
            describe_inst(s, p, n, lines[n], &k->insts[n]);
            k->insts[n].shown = is_shown[n];
        }
        free(lines);
        free(is_shown);
        vec_push(&s->kernels, k);
    }
    memcpy(k->grid, l->grid, sizeof k->grid);
    k->launches++;
    k->blocks += (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    return s->kernel = k;
}

// -- reports ------------------------------------------------------------------------------------------------

void study_report_init(struct study_report *r)
{
    *r = (struct study_report){0};
    arena_init(&r->arena);
}

void study_report_fini(struct study_report *r)
{
    for (size_t i = 0; i < r->tables.count; i++) {
        vec_fini(&r->tables.data[i]->cells);
        vec_fini(&r->tables.data[i]->rules);
    }
    vec_fini(&r->tables);
    vec_fini(&r->notes);
    vec_fini(&r->failures);
    arena_fini(&r->arena);
}

void study_report_fill(struct study *s, struct study_report *r) { s->class->report(s, r); }

struct study_table *study_table_add(struct study_report *r, const char *name, const char *title,
                                    const struct study_column *columns, size_t column_count)
{
    struct study_table *t = ARENA_NEW(&r->arena, struct study_table);
    *t = (struct study_table){
        .name = name, .title = title, .columns = columns, .column_count = column_count, .arena = &r->arena};
    vec_push(&r->tables, t);
    return t;
}

void study_text(struct study_table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vec_push(&t->cells,
             (struct study_cell){.kind = STUDY_TEXT, .text = arena_vprintf(t->arena, format, arguments)});
    va_end(arguments);
}

void study_count(struct study_table *t, uint64_t n)
{
    vec_push(&t->cells, (struct study_cell){.kind = STUDY_COUNT, .count = n});
}

void study_share(struct study_table *t, double share)
{
    enum study_cell_kind kind = isnan(share) ? STUDY_NONE : STUDY_SHARE;
    vec_push(&t->cells, (struct study_cell){.kind = kind, .number = share});
}

void study_ratio(struct study_table *t, uint64_t part, uint64_t whole)
{
    study_share(t, whole ? (double)part / (double)whole : (double)NAN);
}

void study_number(struct study_table *t, double x)
{
    vec_push(&t->cells, (struct study_cell){.kind = isnan(x) ? STUDY_NONE : STUDY_NUMBER, .number = x});
}

void study_none(struct study_table *t) { vec_push(&t->cells, (struct study_cell){.kind = STUDY_NONE}); }

void study_rule(struct study_table *t) { vec_push(&t->rules, t->cells.count); }

void study_kernel_cells(struct study_table *t, const struct study_kernel *k)
{
    if (k->group)
        study_text(t, "%s", k->group);
    else
        study_none(t);
    study_text(t, "%s", k->name);
    study_text(t, "%u,%u,%u", k->block[0], k->block[1], k->block[2]);
}

void study_each_inst(const struct study *s, struct study_report *r, const struct study_column *columns,
                     size_t column_count,
                     void (*cells)(struct study_table *t, const struct study_kernel *k, uint32_t inst))
{
    struct study_table *t = study_table_add(r, "instructions", "By instruction", columns, column_count);
    t->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        for (uint32_t x = 0; x < k->inst_count; x++) {
            if (!k->insts[x].shown) continue;
            study_text(t, "%s", k->name);
            study_text(t, "%04x", k->insts[x].pc);
            cells(t, k, x);
            study_text(t, "%s", k->insts[x].text);
            study_text(t, "%s", k->insts[x].line);
        }
    }
}

void study_each_line(const struct study *s, struct study_report *r, const struct study_rows *rows)
{
    struct study_table *t = study_table_add(r, "lines", "By source line", rows->columns, rows->column_count);
    t->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct study_kernel *k = s->kernels.data[i];
        uint32_t *line_of = ARENA_ARRAY(&r->arena, uint32_t, k->inst_count);
        uint32_t *first = ARENA_ARRAY(&r->arena, uint32_t, k->inst_count),
                 count = study_group_lines(k, line_of, first);
        uint8_t *sums = ARENA_ARRAY(&r->arena, uint8_t, count * rows->bytes);
        for (uint32_t x = 0; x < k->inst_count; x++) rows->add(sums + line_of[x] * rows->bytes, k, x);
        for (uint32_t l = 0; l < count; l++) {
            study_text(t, "%s", k->name);
            study_text(t, "%s", k->insts[first[l]].line);
            rows->cells(t, sums + l * rows->bytes);
        }
    }
}

void study_note(struct study_report *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vec_push(&r->notes, arena_vprintf(&r->arena, format, arguments));
    va_end(arguments);
}

void study_fail(struct study_report *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vec_push(&r->failures, arena_vprintf(&r->arena, format, arguments));
    va_end(arguments);
}
