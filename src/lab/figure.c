#include "lab/figure.h"
#include "lab/categories.h"
#include "lab/sweep.h"
#include "workload/workload.h"

#include <string.h>

void figure_fini(struct figure *f)
{
    vec_fini(&f->cells);
    vec_fini(&f->lines);
}

struct kernel {
    const char *name, *abbreviation;
    unsigned registers;            // registers per thread in the group's table; 0: not given
    const struct own_subject *own; // NULL: a bundled kernel
};
struct kernel_list {
    VEC(struct kernel) all;
};

static void add_kernel(struct kernel_list *list, const struct workload *w, const char *abbreviation,
                       unsigned registers, const char *size)
{
    enum workload_size which;
    if (!workload_size_find(size, &which) || !workload_has_size(w, which)) return;
    for (size_t i = 0; i < list->all.count; i++) {
        if (str_equal(list->all.data[i].name, w->name)) return;
        if (str_equal(list->all.data[i].abbreviation, abbreviation))
            abbreviation = w->name; // abbreviation of another paper
    }
    vec_push(&list->all,
             (struct kernel){.name = w->name, .abbreviation = abbreviation, .registers = registers});
}

static bool is_chosen(const struct experiment *x, const char *name)
{
    for (size_t i = 0; i < x->only.count; i++)
        if (str_equal(x->only.data[i], name)) return true;
    return !x->only.count;
}

// Registers per thread of a paper: by the table of the kernels' group, or, of a kernel named alone, of the experiment's.
static unsigned registers_of(const struct experiment *x, const char *kernels, const struct workload *w)
{
    unsigned count = workload_registers(kernels, w->name);
    return count || !x->group ? count : workload_registers(x->group, w->name);
}

// The experiment's kernels available in the size, groups resolved, without duplicates, and the user's own runs.
// every: also kernels left out by --only.
static struct kernel_list kernels_of(const struct experiment *x, const char *size, bool every)
{
    struct kernel_list list = {0};
    for (size_t k = 0; k < x->kernels.count; k++) {
        const char *abbreviation;
        const struct workload *w;
        for (size_t i = 0; (w = categories_named_kernel(x->kernels.data[k], i, &abbreviation)) != NULL; i++)
            if (every || is_chosen(x, w->name))
                add_kernel(&list, w, abbreviation, registers_of(x, x->kernels.data[k], w), size);
    }
    for (size_t i = 0; i < x->own.list.count; i++) {
        const struct own_subject *own = &x->own.list.data[i];
        if (every || is_chosen(x, own->name))
            vec_push(&list.all, (struct kernel){.name = own->name, .abbreviation = own->name, .own = own});
    }
    return list;
}

size_t figure_group_size(const struct experiment *x, const char *group, const char *size)
{
    size_t count =
        str_equal(group, "all") ? x->programs.list.count + x->programs_left_out + x->pairs.count : 0;
    struct kernel_list kernels = kernels_of(x, size, true);
    for (size_t k = 0; k < kernels.all.count; k++)
        count += categories_in_group(x, group, kernels.all.data[k].abbreviation);
    vec_fini(&kernels.all);
    return count;
}

const char *figure_part_of(const struct experiment *x, const char *group, const char *size, size_t count,
                           struct arena *arena)
{
    if (!x->only.count && !x->programs_left_out) return "";
    size_t all = figure_group_size(x, group, size);
    const char *what = x->programs.list.count ? "programs" : "kernels";
    return count < all ? arena_printf(arena, " of %zu of %zu %s", count, all, what) : "";
}

static void add(struct figure *f, size_t view, size_t category_order, const char *category, size_t series,
                size_t job, size_t base)
{
    vec_push(&f->cells, (struct figure_cell){view, category_order, series, category, job, base});
}

static size_t add_run(const struct figure *f, struct jobs *jobs, const struct kernel *k,
                      const struct experiment_view *v, const struct experiment_series *series)
{
    const struct experiment *x = f->experiment;
    return k->own ? jobs_own(jobs, x, k->own, v, series)
                  : jobs_bench(jobs, x, k->name, k->registers, f->size, v, series);
}

static void plan_runs(struct figure *f, struct jobs *jobs, const struct kernel_list *kernels, size_t view)
{
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[view];
    for (size_t k = 0; k < kernels->all.count; k++)
        for (size_t s = 0; s < x->series.count; s++) {
            const struct experiment_series *series = &x->series.data[s];
            const struct kernel *kernel = &kernels->all.data[k];
            const struct experiment_series *over = series->over ? series->over : &x->base;
            size_t base = add_run(f, jobs, kernel, v, over), job = add_run(f, jobs, kernel, v, series);
            add(f, view, k, kernels->all.data[k].abbreviation, s, job, base);
        }
}

static void plan_programs(struct figure *f, struct jobs *jobs, size_t view)
{
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[view];
    for (size_t k = 0; k < x->programs.list.count; k++)
        for (size_t s = 0; s < x->series.count; s++) {
            const struct experiment_series *series = &x->series.data[s];
            const struct program_subject *program = &x->programs.list.data[k];
            size_t base = jobs_program(jobs, x, program, f->size, v->gpu, v->profile, ""),
                   job = jobs_program(jobs, x, program, f->size, series->what,
                                      series->code ? series->code : v->profile, series->settings);
            add(f, view, k, program->name, s, job, base);
        }
}

static void plan_pairs(struct figure *f, struct jobs *jobs, size_t view)
{
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[view];
    for (size_t k = 0; k < x->pairs.count; k++)
        for (size_t s = 0; s < x->series.count; s++) {
            const struct experiment_pair *pair = &x->pairs.data[k];
            size_t base = jobs_mix(jobs, x, pair, f->size, v, &x->base),
                   job = jobs_mix(jobs, x, pair, f->size, v, &x->series.data[s]);
            add(f, view, k, pair->name, s, job, base);
        }
}

// -- sweeps -------------------------------------------------------------------------------------------------

// Plans the run and the base run of `program` or, if NULL, of `kernel` at a point of a sweep, and stores
// their indexes in *cell. Settings of the series and of the base stand behind the swept settings, and
// override the swept values.
static void plan_point(struct figure *f, struct jobs *jobs, const struct kernel *kernel,
                       const struct program_subject *program, struct figure_cell *cell, size_t point)
{
    const char *swept = sweep_settings(f->experiment, point, &jobs->arena);
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[cell->view];
    struct experiment_series series = x->series.data[cell->series], base = x->base;
    series.settings = arena_printf(&jobs->arena, "%s %s", swept, series.settings);
    series.what = sweep_mechanisms(x, series.what, point, &jobs->arena);
    base.what = sweep_mechanisms(x, base.what, point, &jobs->arena);
    base.settings = arena_printf(&jobs->arena, "%s %s", swept, base.settings);
    if (program) {
        cell->base = jobs_program(jobs, x, program, f->size, v->gpu, v->profile, base.settings);
        cell->job = jobs_program(jobs, x, program, f->size, series.what,
                                 series.code ? series.code : v->profile, series.settings);
    } else {
        cell->base = add_run(f, jobs, kernel, v, &base);
        cell->job = add_run(f, jobs, kernel, v, &series);
    }
}

// Plans a sweep. A series of the figure (a line of the chart) is a series of the experiment at one
// combination of all axes but the first, for one subject.
static void plan_sweep(struct figure *f, struct jobs *jobs, const struct kernel_list *kernels, size_t view)
{
    const struct experiment *x = f->experiment;
    size_t steps = sweep_steps(x), points = sweep_points(x), programs = x->programs.list.count,
           subjects = programs ? programs : kernels->all.count, line = 0;
    for (size_t s = 0; s < x->series.count; s++)
        for (size_t point = 0; point < points; point++) {
            bool first = point % steps == 0;
            for (size_t k = 0; k < subjects; k++) {
                const struct kernel *kernel = programs ? NULL : &kernels->all.data[k];
                const struct program_subject *program = programs ? &x->programs.list.data[k] : NULL;
                const char *subject = program ? program->name : kernel->abbreviation;
                struct figure_cell cell = {.view = view,
                                           .category_order = point % steps,
                                           .category = sweep_value(x, point),
                                           .series = s};
                plan_point(f, jobs, kernel, program, &cell, point);
                if (!view && first)
                    vec_push(&f->lines, sweep_line(x, x->series.data[s].label, point, subject, &jobs->arena));
                cell.series = line + k;
                vec_push(&f->cells, cell);
            }
            if (point % steps == steps - 1) line += subjects;
        }
    f->subjects = subjects;
}

static void plan_study(struct figure *f, struct jobs *jobs, const struct kernel_list *kernels, size_t view)
{
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[view];
    if (x->file || x->together) {
        struct strbuf names = {0};
        for (size_t k = 0; k < kernels->all.count; k++)
            strbuf_printf(&names, "%s%s", k ? "," : "", kernels->all.data[k].name);
        const char *kept = x->file ? NULL : arena_strndup(&jobs->arena, names.text, names.length);
        strbuf_fini(&names);
        add(f, view, 0, "", 0, jobs_study(jobs, x, kept, 0, f->size, v), NO_JOB);
        return;
    }
    for (size_t k = 0; k < kernels->all.count; k++) {
        size_t job =
            jobs_study(jobs, x, kernels->all.data[k].name, kernels->all.data[k].registers, f->size, v);
        for (size_t s = 0; s < (x->rows ? 1 : x->series.count); s++)
            add(f, view, k, kernels->all.data[k].abbreviation, s, job, NO_JOB);
    }
}

static const char *size_of(const struct experiment *x, const char *size)
{
    if (!size) size = x->default_size ? x->default_size : "medium";
    if (x->size) size = x->size;
    return x->programs.list.count ? program_size(size) : size;
}

bool figure_has_kernels(const struct experiment *x, const char *size, struct diag *d)
{
    if (!x->kernels.count) return true;
    struct kernel_list kernels = kernels_of(x, size_of(x, size), false);
    bool good = kernels.all.count > 0;
    vec_fini(&kernels.all);
    return good || diag_error(d, loc_none(), "%s: no kernel of the experiment%s has a size %s", x->name,
                              x->only.count ? " selected by --only" : "", size_of(x, size));
}

void figure_plan(struct figure *f, const struct experiment *x, const char *size, struct jobs *jobs)
{
    *f = (struct figure){.experiment = x, .size = size_of(x, size)};
    struct kernel_list kernels = kernels_of(x, f->size, false);
    for (size_t v = 0; v < x->views.count; v++) switch (x->kind) {
        case EXPERIMENT_RUNS:
            if (x->axes.count)
                plan_sweep(f, jobs, &kernels, v);
            else if (x->programs.list.count)
                plan_programs(f, jobs, v);
            else if (x->pairs.count)
                plan_pairs(f, jobs, v);
            else
                plan_runs(f, jobs, &kernels, v);
            break;
        case EXPERIMENT_TIME: plan_runs(f, jobs, &kernels, v); break;
        case EXPERIMENT_STUDY: plan_study(f, jobs, &kernels, v); break;
        case EXPERIMENT_MARKS:
            add(f, v, 0, "", 0, jobs_marks(jobs, x, kernels.all.data[0].name, &x->views.data[v]), NO_JOB);
            break;
        case EXPERIMENT_STORAGE:
            add(f, v, 0, "", 0,
                jobs_bench(jobs, x, kernels.all.data[0].name, kernels.all.data[0].registers, f->size,
                           &x->views.data[v],
                           &(struct experiment_series){.what = x->mechanism, .settings = ""}),
                NO_JOB);
            break;
        case EXPERIMENT_KERNELS:
            for (size_t k = 0; k < kernels.all.count; k++)
                add(f, v, k, kernels.all.data[k].abbreviation, 0, NO_JOB, NO_JOB);
            break;
        case EXPERIMENT_SETTINGS:
        case EXPERIMENT_FEATURES: break;
        }
    vec_fini(&kernels.all);
}
