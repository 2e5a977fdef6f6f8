#include "report/limits.h"
#include "report/fields.h"
#include "report/measured.h"
#include "report/run.h"
#include "report/table.h"

#include <math.h>
#include <string.h>

enum { SECTOR = 32, LINES_MANY = 8 }; // LINES_MANY: of an access, more than any coalesced access has

// -- sums -----------------------------------------------------------------------------------------------------------

static double share(double part, double of) { return of > 0 ? part / of : 0; }

static struct report_kernel *kernel_of(struct report_run *r, struct wf_kernel *kernel)
{
    const struct wf_kernel_facts *info = wf_kernel_info(kernel);
    for (size_t i = 0; i < r->limits.count; i++)
        if (strcmp(r->limits.data[i].mangled, info->mangled_name) == 0) return &r->limits.data[i];
    vec_push(&r->limits, (struct report_kernel){.name = info->name, .mangled = info->mangled_name});
    return &vec_last(&r->limits);
}

// Warps that fit on an SM, and the resource that a further block lacks: with fewer blocks a SM than fit, the grid.
static void find_occupancy(struct report_kernel *k, struct wf_kernel *kernel,
                           const struct wf_launch_config *shape, const struct wf_stats *stats)
{
    struct wf_occupancy o;
    k->occupancy_most = -1;
    if (stats->class_count > 1 || !wf_occupancy_at(kernel, shape, 0, &o)) return;
    double blocks = ceil((double)shape->grid[0] * shape->grid[1] * shape->grid[2] / stats->peaks.sms);
    double all = (double)o.blocks * o.warps + o.free_warps;
    bool is_small = blocks < o.blocks;
    k->occupancy_most = share((is_small ? blocks : o.blocks) * o.warps, all);
    // "registers (sm.registers)": the resource without its key.
    size_t length = strcspn(o.limit, "(");
    while (length && o.limit[length - 1] == ' ') length--;
    k->occupancy_limit = is_small ? heap_strdup("grid") : heap_strndup(o.limit, length);
}

void report_limits_add(struct report_run *r, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                       const struct wf_stats *stats)
{
    if (stats->peaks.sms <= 0 || stats->cycles == WF_UNKNOWN || !stats->counters) return;
    struct report_kernel *k = kernel_of(r, kernel);
    if (!k->launches++) {
        k->counters = heap_alloc(stats->counter_count * sizeof *k->counters);
        k->core_mhz = stats->core_mhz;
        k->peaks = stats->peaks;
        find_occupancy(k, kernel, shape, stats);
    }
    k->cycles += (double)stats->cycles;
    k->warp_cycles += (double)stats->cycles * stats->occupancy;
    for (size_t i = 0; i < stats->counter_count; i++)
        if (stats->counters[i].value != WF_UNKNOWN) k->counters[i] += stats->counters[i].value;
}

void report_limits_fini(struct report_run *r)
{
    for (size_t i = 0; i < r->limits.count; i++) {
        free(r->limits.data[i].counters);
        free(r->limits.data[i].occupancy_limit);
    }
    vec_fini(&r->limits);
}

// -- shares ---------------------------------------------------------------------------------------------------------

static double counter_of(const struct report_run *r, const struct report_kernel *k, const char *name)
{
    for (size_t i = 0; i < r->counter_count; i++)
        if (strcmp(r->counters[i].name, name) == 0) return (double)k->counters[i];
    return 0;
}

// A share of a peak, and the words for a kernel near the peak.
struct named_share {
    double share;
    const char *words;
};

static const char *greatest(const struct named_share *shares, size_t count, double *value)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (shares[i].share > shares[best].share) best = i;
    *value = shares[best].share;
    return shares[best].words;
}

// The words for accesses that request many lines.
static const char *many_lines(const struct report_limits *l)
{
    return l->local > 0.5 ? "local memory" : "uncoalesced accesses";
}

// The words for slots lost to busy units: conflicts and lines fill the queue of the load/store unit, and else the
// busiest pipeline.
static const char *busy_unit(const struct report_limits *l)
{
    double value;
    const struct named_share units[] = {{l->shared, l->conflicts > 0.5 ? "bank conflicts" : "shared memory"},
                                        {l->special_lanes, "special functions"},
                                        {l->double_lanes, "doubles"},
                                        {fmax(l->float_lanes, l->integer_lanes), "arithmetic"}};
    const char *words = greatest(units, sizeof units / sizeof units[0], &value);
    return l->lines > LINES_MANY && value < 0.5 * l->busy_sms ? many_lines(l) : words;
}

// The words for the slots that no instruction used.
static const char *lost_slots(const struct report_run *r, const struct report_kernel *k,
                              const struct report_limits *l)
{
    double value, memory = counter_of(r, k, "sm.slots.memory");
    bool is_local = counter_of(r, k, "sm.memory_slots.local") > 0.5 * memory;
    const struct named_share lost[] = {
        {counter_of(r, k, "sm.slots.unit_busy"), busy_unit(l)},
        {memory, is_local ? "local memory" : "memory latency"},
        {counter_of(r, k, "sm.slots.alu"), "arithmetic latency"},
        {counter_of(r, k, "sm.slots.barrier"), "barriers"},
        {counter_of(r, k, "sm.slots.not_fetched"), "fetch"},
        {counter_of(r, k, "sm.slots.icache"), "cold code"},
        {counter_of(r, k, "sm.slots.no_warp"), "too few warps"},
        {counter_of(r, k, "sm.slots.copy"), "asynchronous copies"},
        {counter_of(r, k, "sm.slots.sync"), "a mechanism's waiting"},
        {counter_of(r, k, "sm.slots.operand"), "register ports"},
    };
    return greatest(lost, sizeof lost / sizeof lost[0], &value);
}

// A peak that is near, else SMs without blocks, else the reason of most lost slots.
static const char *limit_of(const struct report_run *r, const struct report_kernel *k,
                            const struct report_limits *l)
{
    static const double near = 0.6, idle = 0.5;
    double value;
    const struct named_share peaks[] = {
        {l->dram, "DRAM bandwidth"},
        {l->l2, l->lines > LINES_MANY ? many_lines(l) : "L2 bandwidth"},
        {l->issued, "issue slots"},
        {l->float_lanes, "arithmetic"},
        {l->integer_lanes, "arithmetic"},
        {l->special_lanes, "special functions"},
        {l->double_lanes, "doubles"},
        {l->shared, l->conflicts > 0.5 ? "bank conflicts" : "shared memory"},
    };
    const char *words = greatest(peaks, sizeof peaks / sizeof peaks[0], &value);
    if (value >= near) return words;
    return l->busy_sms < idle ? "too few blocks" : lost_slots(r, k, l);
}

struct report_limits report_limits_of(const struct report_run *r, const struct report_kernel *k)
{
    const struct wf_peaks *p = &k->peaks;
    double cycles = k->cycles, second = share(k->core_mhz * 1e6, cycles); // 1 / seconds
    double adds = counter_of(r, k, "sm.lanes.float_add"),
           multiplies = counter_of(r, k, "sm.lanes.float_multiply"),
           fmas = counter_of(r, k, "sm.lanes.float_fma"), doubles = counter_of(r, k, "sm.lanes.double");
    double accesses = counter_of(r, k, "sm.shared.accesses"),
           conflicts = counter_of(r, k, "sm.shared.conflict_cycles");
    double sectors = counter_of(r, k, "memory.l2_read_sectors") + counter_of(r, k, "memory.l2_write_sectors"),
           dram = counter_of(r, k, "dram.reads") + counter_of(r, k, "dram.writes");
    double up = counter_of(r, k, "memory.request_flits"), down = counter_of(r, k, "memory.reply_flits");
    double integers = counter_of(r, k, "sm.lanes.integer") + counter_of(r, k, "sm.lanes.integer_multiply");
    double locals = counter_of(r, k, "exec.local_loads") + counter_of(r, k, "exec.local_stores"),
           globals = counter_of(r, k, "exec.global_loads") + counter_of(r, k, "exec.global_stores");
    struct report_limits l = {
        .occupancy = share(k->warp_cycles, cycles),
        .busy_sms = share(counter_of(r, k, "sm.sm.active_cycles"), cycles * p->sms),
        .issued = share(counter_of(r, k, "sm.issue.issued"), cycles * p->issued),
        .float_lanes =
            share(adds + multiplies + fmas + (p->integer_lanes > 0 ? 0 : integers), cycles * p->float_lanes),
        .integer_lanes = share(integers, cycles * p->integer_lanes),
        .special_lanes = share(counter_of(r, k, "sm.lanes.special"), cycles * p->special_lanes),
        .double_lanes = share(doubles, cycles * p->double_lanes),
        .shared = share(accesses + conflicts, cycles * p->shared_accesses),
        .conflicts = share(conflicts, accesses + conflicts),
        .lines =
            share(counter_of(r, k, "sm.lsu.transactions"), counter_of(r, k, "sm.lsu.accesses") - accesses),
        .local = share(locals, locals + globals),
        .l2 = share(fmax(up, down), cycles * p->l2_flits),
        .dram = share(dram * SECTOR, cycles * p->dram_bytes),
        .flops = (adds + multiplies + 2 * fmas) * second,
        .doubles = doubles * second,
        .l2_bytes = sectors * SECTOR * second,
        .dram_bytes = dram * SECTOR * second,
    };
    l.by = limit_of(r, k, &l);
    return l;
}

// -- output ---------------------------------------------------------------------------------------------------------

static void add_percent(struct table *t, double share_of)
{
    if (share_of < 0)
        table_add(t, "-");
    else
        table_add(t, "%.1f", 100 * share_of);
}

void report_limits_table(const struct report_run *r, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {
        "share of peak, %", "limited by", "occupancy", "at most", "because of", "SMs busy", "issue", "float",
        "shared",           "L2",         "DRAM",      "GFLOP/s", "L2 GB/s",    "DRAM GB/s"};
    if (!r->limits.count) return;
    struct table t;
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < r->limits.count; i++) {
        const struct report_kernel *k = &r->limits.data[i];
        struct report_limits l = report_limits_of(r, k);
        table_add(&t, "%s", k->name);
        table_add(&t, "%s", l.by);
        add_percent(&t, l.occupancy);
        add_percent(&t, k->occupancy_most);
        table_add(&t, "%s", k->occupancy_limit ? k->occupancy_limit : "-");
        add_percent(&t, l.busy_sms);
        add_percent(&t, l.issued);
        add_percent(&t, fmax(l.float_lanes, l.double_lanes));
        add_percent(&t, l.shared);
        add_percent(&t, l.l2);
        add_percent(&t, l.dram);
        table_add(&t, "%.1f", (l.flops + l.doubles) / 1e9);
        table_add(&t, "%.1f", l.l2_bytes / 1e9);
        table_add(&t, "%.1f", l.dram_bytes / 1e9);
    }
    table_print(&t, colour, out);
    table_fini(&t);
}

static void write_kernel(const struct report_run *r, const struct report_kernel *k, struct json *j)
{
    struct report_limits l = report_limits_of(r, k);
    json_open_object(j);
    report_text(j, "kernel", k->mangled);
    const struct measured *m = r->differs_from_card ? NULL : measured_of(r->gpu, l.by);
    report_text(j, "limited_by", l.by);
    report_text(j, "kind", measured_kind(l.by));
    report_u64(j, "measured_launches", m ? m->launches : WF_UNKNOWN);
    report_f64(j, "measured_error", m ? m->error : NAN);
    report_f64(j, "occupancy", l.occupancy);
    report_f64(j, "occupancy_most", k->occupancy_most < 0 ? NAN : k->occupancy_most);
    report_text(j, "occupancy_limit", k->occupancy_limit);
    report_f64(j, "seconds", k->cycles / k->core_mhz / 1e6);
    report_f64(j, "busy_sms", l.busy_sms);
    report_f64(j, "issue", l.issued);
    report_f64(j, "float", l.float_lanes);
    report_f64(j, "integer", k->peaks.integer_lanes > 0 ? l.integer_lanes : NAN);
    report_f64(j, "special", l.special_lanes);
    report_f64(j, "double", l.double_lanes);
    report_f64(j, "shared", l.shared);
    report_f64(j, "l2", l.l2);
    report_f64(j, "dram", l.dram);
    report_f64(j, "float_operations_per_second", l.flops);
    report_f64(j, "double_operations_per_second", l.doubles);
    report_f64(j, "l2_bytes_per_second", l.l2_bytes);
    report_f64(j, "dram_bytes_per_second", l.dram_bytes);
    json_close_object(j);
}

void report_limits_json(const struct report_run *r, struct json *j)
{
    json_key(j, "limits");
    if (!r->limits.count) {
        json_null(j);
        return;
    }
    json_open_array(j);
    for (size_t i = 0; i < r->limits.count; i++) write_kernel(r, &r->limits.data[i], j);
    json_close_array(j);
}
