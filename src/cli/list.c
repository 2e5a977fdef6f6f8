// `warpfold list`: tables of GPUs, mechanisms, kernels and more, an entry per line.
#include "cli/list.h"
#include "base/file.h"
#include "cli/print.h"
#include "lab/experiment.h"
#include "lab/measures.h"
#include "report/table.h"
#include "workload/workload.h"

#include <unistd.h>

void list_print(struct table *t)
{
    struct strbuf out = {0};
    table_print(t, file_takes_colour(STDOUT_FILENO), &out);
    print_text(stdout, strbuf_text(&out));
    strbuf_fini(&out);
    table_fini(t);
}

// Mechanisms, with options below.
static void list_techs(void)
{
    static const char *const heads[] = {"mechanism, option", "default", "range", "what it is"};
    struct table t;
    table_init(&t, heads, 4);
    table_add(&t, "base");
    table_add(&t, "%s", "");
    table_add(&t, "%s", "");
    table_add(&t, "the unmodified GPU");
    struct wf_context *c = wf_context_create();
    const char *name, *meaning;
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++) {
        table_add(&t, "%s", name);
        table_add(&t, "%s", "");
        table_add(&t, "%s", "");
        table_add(&t, "%s", meaning);
        struct wf_key key;
        for (size_t k = 0; wf_tech_key_at(c, name, k, &key); k++) {
            table_add(&t, "  %s", key.name);
            table_add(&t, "%s", key.initial);
            table_add(&t, "%s", key.range);
            table_add(&t, "%s", key.meaning);
        }
    }
    list_print(&t);
    wf_context_destroy(c);
}

static void add_kernel(struct table *t, const struct workload *w)
{
    table_add(t, "%s", w->name);
    table_add(t, "%u,%u,%u", w->block[0], w->block[1], w->block[2]);
    table_add(t, "%c", workload_class_letter(w->output_class));
    table_add(t, "%s", w->title);
    struct strbuf kernels = {0};
    for (size_t k = 0; w->kernels[k]; k++) strbuf_printf(&kernels, "%s%s", k ? " " : "", w->kernels[k]);
    table_add(t, "%s", strbuf_text(&kernels));
    strbuf_fini(&kernels);
}

static void list_kernels(void)
{
    static const char *const heads[] = {"workload", "block", "class", "what it is", "kernels"};
    struct table t;
    table_init(&t, heads, 5);
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) add_kernel(&t, w);
    for (size_t i = 0; (w = workload_in_group("tensor", i, NULL)) != NULL; i++) add_kernel(&t, w);
    list_print(&t);
}

static void add_grid(struct table *t, const unsigned grid[2])
{
    table_add(t, grid[1] > 1 ? "%ux%u" : "%u", grid[0], grid[1]);
}

// Inputs of size `paper`, with the blocks of size `slice`.
static void list_inputs(void)
{
    static const char *const heads[] = {"workload", "suite", "input",     "grid",
                                        "slice",    "times", "registers", "what differs"};
    struct table t;
    table_init(&t, heads, 8);
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        const struct workload_paper *p = workload_paper(w);
        if (!p) continue;
        table_add(&t, "%s", w->name);
        table_add(&t, "%s", p->suite);
        table_add(&t, "%s", p->input);
        add_grid(&t, p->grid);
        if (workload_slice(w))
            add_grid(&t, workload_slice(w)->grid);
        else
            table_add(&t, "%s", "");
        table_add(&t, p->times == p->original_times ? "%u" : "%u of %u", p->times, p->original_times);
        struct strbuf registers = {0};
        for (size_t k = 0; w->kernels[k]; k++)
            if (workload_registers(WORKLOAD_NVIDIA, w->kernels[k]))
                strbuf_printf(&registers, "%s%u", registers.length ? " " : "",
                              workload_registers(WORKLOAD_NVIDIA, w->kernels[k]));
        table_add(&t, "%s", strbuf_text(&registers));
        strbuf_fini(&registers);
        table_add(&t, "%s", p->note);
    }
    list_print(&t);
}

static void add_counter(struct table *t, const struct wf_counter *c)
{
    table_add(t, "%s", c->name);
    table_add(t, "%s", c->unit);
    table_add(t, "%s", c->meaning);
}

static void list_counters(void)
{
    static const char *const heads[] = {"counter", "unit", "meaning"};
    struct table t;
    table_init(&t, heads, 3);
    struct wf_counter counter;
    for (size_t i = 0; wf_counter_at(i, &counter); i++) add_counter(&t, &counter);
    for (size_t i = 0; wf_core_counter_at(i, &counter); i++) add_counter(&t, &counter);
    struct wf_context *c = wf_context_create();
    const char *name, *meaning;
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++)
        for (size_t k = 0; wf_tech_counter_at(c, name, k, &counter); k++) add_counter(&t, &counter);
    list_print(&t);
    wf_context_destroy(c);
}

// Measures of experiments, and figures of runs for expressions.
static void list_measures(void)
{
    static const char *const heads[] = {"measure", "mean", "meaning"};
    static const char *const means[] = {
        [MEASURE_RATIO] = "geometric", [MEASURE_SAVING] = "of remainders", [MEASURE_MEAN] = "arithmetic"};
    struct table t;
    const struct measure *m;
    const char *name, *meaning;
    table_init(&t, heads, 3);
    for (size_t i = 0; (m = measure_at(i)) != NULL; i++) {
        table_add(&t, "%s", m->name);
        table_add(&t, "%s", means[m->aggregate]);
        table_add(&t, "%s", m->meaning);
    }
    for (size_t i = 0; (name = measure_column_at(i, &meaning)) != NULL; i++) {
        if (measure_find(name)) continue;
        table_add(&t, "%s", name);
        table_add(&t, "%s", means[MEASURE_MEAN]);
        table_add(&t, "%s", meaning);
    }
    list_print(&t);
    print_text(stdout,
               "A measure is also an expression with + - * / and brackets over these names, counters "
               "(warpfold list counters) and keys (list keys), as l2.misses / instructions; base.NAME is "
               "of the base run.\n");
}

static void list_keys(void)
{
    static const char *const heads[] = {"key", "default", "range", "meaning"};
    struct table t;
    table_init(&t, heads, 4);
    struct wf_context *c = wf_context_create();
    struct wf_key key;
    for (size_t i = 0; wf_key_at(c, i, &key); i++) {
        table_add(&t, "%s", key.name);
        table_add(&t, "%s", key.initial);
        table_add(&t, "%s", key.range);
        table_add(&t, "%s", key.meaning);
    }
    list_print(&t);
    wf_context_destroy(c);
}

static void list_studies(void)
{
    static const char *const heads[] = {"study", "what it shows"};
    struct table t;
    const char *name, *meaning;
    table_init(&t, heads, 2);
    for (size_t i = 0; wf_study_at(i, &name, &meaning); i++) {
        table_add(&t, "%s", name);
        table_add(&t, "%s", meaning);
    }
    list_print(&t);
}

// A file with an error has a row with the error's first line; the errors follow on stderr.
static int list_experiments(const struct options *o)
{
    static const char *const heads[] = {"experiment", "of", "what it shows"};
    struct table t;
    struct diag d;
    struct experiments all;
    table_init(&t, heads, 3);
    diag_init(&d);
    experiments_init(&all);
    const char *name;
    for (size_t i = 0; (name = experiment_name_at(i)) != NULL; i++) {
        size_t before = d.messages.count;
        bool good = experiments_add(&all, name, &d);
        const char *error = d.messages.count > before ? d.messages.data[before].text : "";
        table_add(&t, "%s", name);
        table_add(&t, "%s", good ? vec_last(&all.list).source : "error");
        table_add(&t, "%s", good ? vec_last(&all.list).title : error);
    }
    list_print(&t);
    int status = d.errors ? command_fail(&d, WF_BAD_INPUT) : WF_OK;
    (void)o;
    experiments_fini(&all);
    diag_fini(&d);
    return status;
}

enum { TAKES_TECH = 1, TAKES_GPU = 2, TAKES_SET = 4, TAKES_BENCH = 8 };

static const struct list {
    const char *name;
    void (*list)(void);
    // instead of `list`: returns the exit status; may use TAKES_… options and an operand
    int (*list_with)(const struct options *o);
    unsigned takes; // bits, TAKES_TECH …
} lists[] = {{"gpus", NULL, list_gpus, TAKES_SET},
             {"techs", list_techs, NULL, 0},
             {"kernels", list_kernels, NULL, 0},
             {"studies", list_studies, NULL, 0},
             {"counters", list_counters, NULL, 0},
             {"measures", list_measures, NULL, 0},
             {"experiments", NULL, list_experiments, 0},
             {"inputs", list_inputs, NULL, 0},
             {"keys", list_keys, NULL, 0},
             {"features", list_features, NULL, 0},
             {"claims", list_claims, NULL, 0},
             {"area", NULL, list_area, TAKES_TECH | TAKES_GPU | TAKES_SET},
             {"occupancy", NULL, list_occupancy, TAKES_GPU | TAKES_SET | TAKES_BENCH}};
enum { LIST_COUNT = sizeof lists / sizeof lists[0] };

static const char *next_list(const void *context, size_t i)
{
    (void)context;
    return i < LIST_COUNT ? lists[i].name : NULL;
}

// The list named by the operands; NULL and an error: unknown name, or a wrong number of operands.
static const struct list *find(const struct options *o, struct diag *d)
{
    static const char all[] =
        "gpus, techs, kernels, inputs, studies, counters, measures, experiments, keys, features, "
        "claims, area, occupancy";
    const char *name = o->operands.count ? o->operands.data[0] : "", *near = NULL;
    bool is_one = o->operands.count == 1 || (o->operands.count == 2 && str_equal(name, "gpus"));
    for (size_t i = 0; i < LIST_COUNT && is_one; i++)
        if (str_equal(lists[i].name, name)) return &lists[i];
    if (is_one) near = str_nearest(name, next_list, NULL);
    if (!is_one)
        diag_error(d, loc_none(), "list takes one word of %s; a GPU may follow gpus", all);
    else if (near)
        diag_error(d, loc_none(), "list knows no \"%s\"; did you mean \"%s\"?", name, near);
    else
        diag_error(d, loc_none(), "list knows no \"%s\"; must be one of %s", name, all);
    return NULL;
}

static int run_list(const struct options *o, struct diag *d)
{
    const struct list *l = find(o, d);
    if (!l) return command_fail(d, WF_BAD_USAGE);
    bool is_all_gpus = l->list_with == list_gpus && o->operands.count < 2;
    if (options_has(o, OPTION_TECH) && !(l->takes & TAKES_TECH))
        diag_error(d, loc_none(), "--tech is for `warpfold list area`");
    else if (options_has(o, OPTION_GPU) && !(l->takes & TAKES_GPU))
        diag_error(d, loc_none(), "--gpu is for `warpfold list area` and `warpfold list occupancy`");
    else if (options_has(o, OPTION_BENCHES) && !(l->takes & TAKES_BENCH))
        diag_error(d, loc_none(), "--bench is for `warpfold list occupancy`");
    else if (options_has(o, OPTION_SET) && (!(l->takes & TAKES_SET) || is_all_gpus))
        diag_error(
            d, loc_none(),
            "--set is for `warpfold list area`, `warpfold list occupancy` and `warpfold list gpus NAME`");
    if (d->errors) return command_fail(d, WF_BAD_USAGE);
    if (l->list_with) return l->list_with(o);
    l->list();
    return WF_OK;
}

int command_list(int argc, char **argv)
{
    struct options o;
    int status;
    if (!command_begin(&o, COMMAND_LIST, argc, argv, &status)) return status;
    struct diag d;
    diag_init(&d);
    status = run_list(&o, &d);
    diag_fini(&d);
    options_fini(&o);
    return status;
}
