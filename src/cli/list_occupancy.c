// `warpfold list occupancy`: resources of an SM used and left free by blocks of the bundled kernels (Figure
// 20 of Xiang's dissertation). Kernels run once, functionally and at size small, because host programs choose
// the block shapes.
#include "cli/bench.h"
#include "cli/list.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

struct listing {
    struct table table;
    struct bench_member of;
    const char *seen[8]; // kernels of the workload listed so far
    size_t seen_count;
    // Sums of logarithms of the share of registers in use, for geometric means: over all rows with at least
    // one block on an SM, over those rows whose blocks are limited by registers, and over workloads, each with
    // the mean of its own rows.
    double log_used, log_used_limited, log_used_workloads;
    unsigned rows, limited_rows, workloads;
};

static void add_row(struct listing *l, const char *kernel, const char *from, const struct wf_occupancy *o)
{
    struct table *t = &l->table;
    double used = (double)o->blocks * o->registers / o->file_registers;
    bool is_limited = str_starts_with(o->limit, "registers");
    table_add(t, "%s", l->of.workload->name);
    table_add(t, "%s%s%s", kernel, o->sm_class ? ", class " : "", o->sm_class ? o->sm_class : "");
    table_add(t, "%u", o->warps);
    table_add(t, "%u", o->thread_registers);
    table_add(t, "%s", from);
    table_add_u64(t, o->registers);
    table_add_u64(t, o->shared_bytes);
    table_add(t, "%u", o->blocks);
    table_add(t, "%s", o->limit);
    table_add(t, "%.1f", 100 * used);
    table_add_u64(t, o->free_registers);
    table_add(t, "%u", o->more_warps);
    if (!o->blocks) return;
    l->log_used += log(used);
    l->rows++;
    if (is_limited) l->log_used_limited += log(used);
    l->limited_rows += is_limited;
}

static bool is_new(struct listing *l, const char *kernel)
{
    for (size_t k = 0; k < l->seen_count; k++)
        if (str_equal(l->seen[k], kernel)) return false;
    if (l->seen_count < sizeof l->seen / sizeof l->seen[0]) l->seen[l->seen_count++] = kernel;
    return true;
}

// Source of a kernel's register count: "setting" (launch.registers, which takes precedence), the kernel's
// "code" as compiled here, the "paper" of the group in --bench, or "nvcc" (NVIDIA's code, registers.def).
static const char *source_of(const struct listing *l, struct wf_kernel *kernel, unsigned given,
                             const struct wf_occupancy *o)
{
    if (o->thread_registers != (given ? given : wf_kernel_info(kernel)->registers)) return "setting";
    return !given ? "code" : l->of.registers ? "paper" : "nvcc";
}

static void launched(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct listing *l = context;
    struct wf_launch_config with = *shape;
    struct wf_occupancy o;
    const char *name = wf_kernel_info(kernel)->name;
    (void)stats;
    if (!is_new(l, name)) return;
    if (!with.registers) with.registers = workload_registers(WORKLOAD_NVIDIA, name);
    for (size_t k = 0; wf_occupancy_at(kernel, &with, k, &o); k++) {
        add_row(l, name, source_of(l, kernel, with.registers, &o), &o);
    }
}

static enum wf_status run_one(struct listing *l, const struct options *o, struct diag *d)
{
    const char *gpu = options_value(o, OPTION_GPU);
    struct wf_context *c = wf_context_create();
    enum wf_status status = wf_gpu(c, gpu ? gpu : "gtx1080ti");
    if (status == WF_OK) status = command_set(o, c, d);
    if (status == WF_OK) status = wf_gpu(c, NULL); // keeps the GPU's settings and makes runs functional
    struct workload_options how = {
        .size = WORKLOAD_SMALL, .registers = l->of.registers, .launched = launched, .launched_context = l};
    struct workload_result r;
    l->seen_count = 0;
    double before = l->log_used;
    unsigned rows = l->rows;
    if (status == WF_OK) status = workload_run(l->of.workload, c, &how, &r);
    if (status != WF_OK) command_fail_context(c, (int)status);
    if (l->rows > rows) l->log_used_workloads += (l->log_used - before) / (l->rows - rows);
    l->workloads += l->rows > rows;
    wf_context_destroy(c);
    return status;
}

static void add_mean(struct table *t, const char *of, double log_used, unsigned rows)
{
    if (!rows) return;
    table_add(t, "%s", "geometric mean");
    table_add(t, "%s", of);
    for (unsigned k = 0; k < 7; k++) table_add(t, "%s", "");
    table_add(t, "%.1f", 100 * exp(log_used / rows));
    table_add(t, "%s", "");
    table_add(t, "%s", "");
}

int list_occupancy(const struct options *o)
{
    static const char *const heads[] = {
        "workload",         "kernel",       "warps",      "registers", "from",           "a block's",
        "its shared bytes", "blocks an SM", "limited by", "used %",    "free registers", "warps more"};
    const char *names = options_value(o, OPTION_BENCHES);
    struct listing l = {0};
    struct diag d;
    diag_init(&d);
    table_init(&l.table, heads, sizeof heads / sizeof heads[0]);
    struct bench_list list = {0};
    char *copy = heap_strdup(names ? names : "all"), *rest = copy;
    enum wf_status status = WF_OK;
    for (const char *name; status == WF_OK && (name = strsep(&rest, ",")) != NULL;)
        status = bench_add(&list, name, &(struct bench_selection){WORKLOAD_SMALL, WORKLOAD_NVCC}, &d);
    free(copy);
    for (size_t k = 0; status == WF_OK && k < list.all.count; k++) {
        l.of = list.all.data[k];
        status = run_one(&l, o, &d);
    }
    vec_fini(&list.all);
    table_rule(&l.table);
    add_mean(&l.table, "of workloads", l.log_used_workloads, l.workloads);
    add_mean(&l.table, "of kernels", l.log_used, l.rows);
    add_mean(&l.table, "of kernels limited by registers", l.log_used_limited, l.limited_rows);
    if (status == WF_OK)
        list_print(&l.table);
    else
        table_fini(&l.table);
    status = (enum wf_status)command_fail(&d, (int)status);
    diag_fini(&d);
    return (int)status;
}
