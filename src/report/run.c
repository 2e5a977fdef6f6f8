// Results of `warpfold run`. With several launches, top-level figures cover all launches: sums, for counters of a
// maximum the largest value, for occupancy the mean weighted by cycles. Fields of a single launch (kernel, grid,
// registers …) are then null at the top level and appear in "launches".
#include "report/run.h"
#include "report/account.h"
#include "report/fields.h"
#include "report/measured.h"
#include "report/sampled.h"
#include "report/table.h"

#include <math.h>
#include <string.h>

void report_run_fini(struct report_run *r)
{
    for (size_t i = 0; i < r->launches.count; i++) {
        free(r->launches.data[i].kernel);
        free(r->launches.data[i].mangled);
        free(r->launches.data[i].counters);
        free(r->launches.data[i].fault_text);
        report_energy_fini(&r->launches.data[i].energy);
    }
    for (size_t k = 0; k < r->sm_count; k++) {
        free(r->sms[k].slots);
        free(r->sms[k].sm_class);
    }
    free(r->sms);
    for (size_t k = 0; k < r->classes.count; k++) {
        free(r->classes.data[k].name);
        free(r->classes.data[k].counters);
    }
    vec_fini(&r->classes);
    for (size_t i = 0; i < r->samples.count; i++) free(r->samples.data[i].counters);
    vec_fini(&r->samples);
    report_errors_fini(&r->errors);
    vec_fini(&r->launches);
    vec_fini(&r->kernels);
    report_limits_fini(r);
    report_energy_fini(&r->energy);
    for (size_t i = 0; i < r->storage.count; i++) free((char *)(uintptr_t)r->storage.data[i].sm_class);
    vec_fini(&r->storage);
    for (size_t i = 0; i < r->counter_count; i++) free((char *)r->counters[i].name);
    free(r->counters);
    free(r->gpu);
    free(r->tech);
    strbuf_fini(&r->console);
    free(r->fault_text);
    free(r->race_text);
    for (size_t i = 0; i < r->warnings.count; i++) {
        free(r->warnings.data[i].name);
        free(r->warnings.data[i].text);
    }
    vec_fini(&r->warnings);
    *r = (struct report_run){0};
}

static void add_counters(struct report_run *r, const struct wf_stats *stats)
{
    if (!stats->counters) return; // a launch refused by the checks has no counts
    if (!r->counters) {
        r->counter_count = stats->counter_count;
        r->counters = heap_alloc(r->counter_count * sizeof *r->counters);
        memcpy(r->counters, stats->counters, r->counter_count * sizeof *r->counters);
        // A copy of the names: a mechanism's names live only as long as the context.
        for (size_t i = 0; i < r->counter_count; i++) r->counters[i].name = heap_strdup(r->counters[i].name);
        return;
    }
    for (size_t i = 0; i < r->counter_count; i++) {
        uint64_t *sum = &r->counters[i].value, more = stats->counters[i].value;
        if (*sum == WF_UNKNOWN || more == WF_UNKNOWN)
            *sum = WF_UNKNOWN;
        else if (stats->counters[i].is_most)
            *sum = more > *sum ? more : *sum;
        else
            *sum += more;
    }
}

static size_t counters_of_all_gpus(void) // without counters of mechanisms
{
    struct wf_counter counter;
    size_t n = 0;
    while (wf_counter_at(n, &counter)) n++;
    return n;
}

static void add_classes(struct report_run *r, const struct wf_stats *stats)
{
    size_t counters = counters_of_all_gpus();
    for (size_t k = 0; k < stats->class_count; k++) {
        const struct wf_class *from = &stats->classes[k].sm_class;
        const uint64_t *values = stats->classes[k].counters;
        if (k == r->classes.count)
            vec_push(&r->classes, (struct report_class){heap_strdup(from->name), from->first, from->count,
                                                        heap_alloc(counters * sizeof(uint64_t))});
        for (size_t n = 0; n < counters; n++) {
            uint64_t *sum = &r->classes.data[k].counters[n];
            *sum = values[n] == WF_UNKNOWN ? WF_UNKNOWN : *sum + values[n];
        }
    }
}

static void add_account(struct report_run *r, struct wf_kernel *kernel, const struct wf_stats *stats)
{
    bool known = false;
    for (size_t i = 0; i < r->kernels.count; i++) known |= r->kernels.data[i] == kernel;
    if (!known) vec_push(&r->kernels, kernel);
    struct wf_slot slot;
    size_t slots = 0;
    while (wf_slot_at(slots, &slot)) slots++;
    if (!r->sms) {
        r->sm_count = stats->sm_count;
        r->sms = heap_alloc(r->sm_count * sizeof *r->sms);
        for (size_t k = 0; k < r->sm_count; k++) {
            r->sms[k].slots = heap_alloc(slots * sizeof(uint64_t));
            if (stats->sms[k].sm_class) r->sms[k].sm_class = heap_strdup(stats->sms[k].sm_class);
        }
    }
    add_classes(r, stats);
    for (size_t k = 0; k < r->sm_count; k++) {
        r->sms[k].active_cycles += stats->sms[k].active_cycles;
        r->sms[k].warp_instructions += stats->sms[k].warp_instructions;
        for (size_t n = 0; n < slots; n++) r->sms[k].slots[n] += stats->sms[k].slots[n];
    }
}

static void add_samples(struct report_run *r, const struct wf_stats *stats)
{
    for (size_t i = 0; i < stats->sample_count; i++) {
        const struct wf_sample *from = &stats->samples[i];
        struct report_sample s = {.launch = r->launches.count - 1, .from = from->from, .to = from->to};
        s.counters = heap_alloc(stats->counter_count * sizeof *s.counters);
        for (size_t n = 0; n < stats->counter_count; n++)
            s.counters[n] = n < from->counter_count ? from->counters[n] : WF_UNKNOWN;
        vec_push(&r->samples, s);
    }
}

static void add_warning(struct report_run *r, const struct wf_warning *w)
{
    for (size_t i = 0; i < r->warnings.count; i++)
        if (strcmp(r->warnings.data[i].name, w->name) == 0) {
            r->warnings.data[i].count += w->count;
            return;
        }
    vec_push(&r->warnings, (struct report_warning){heap_strdup(w->name), heap_strdup(w->text), w->count});
}

void report_warning_print(const struct report_warning *w, struct strbuf *out)
{
    bool race = strcmp(w->name, "race") == 0;
    strbuf_puts(out, w->text);
    if (race)
        strbuf_puts(
            out, "\n    a functional run executes warps in turn, so its values may be impossible on a GPU; "
                 "check.races=1 finds every race");
    else if (w->count > 1)
        strbuf_printf(
            out,
            "\n    and %llu more; check.%s=stop ends the program at the first, ignore silences the warning",
            (unsigned long long)w->count - 1, w->name);
}

static void write_warnings(struct json *j, const struct report_run *r)
{
    json_key(j, "warnings");
    json_open_array(j);
    for (size_t i = 0; i < r->warnings.count; i++) {
        json_open_object(j);
        report_text(j, "name", r->warnings.data[i].name);
        report_u64(j, "count", r->warnings.data[i].count);
        report_text(j, "text", r->warnings.data[i].text);
        json_close_object(j);
    }
    json_close_array(j);
}

// Copies the launch's counters, energy and fault. The run's sums contain the same figures.
static void keep_details(struct report_launch *l, const struct wf_stats *stats)
{
    report_energy_add(&l->energy, stats);
    if (stats->fault_text) l->fault_text = heap_strdup(stats->fault_text);
    if (!stats->counters) return;
    l->counters = heap_alloc(stats->counter_count * sizeof *l->counters);
    for (size_t i = 0; i < stats->counter_count; i++) l->counters[i] = stats->counters[i].value;
}

void report_run_add(struct report_run *r, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                    const struct wf_stats *stats)
{
    const struct wf_kernel_facts *info = wf_kernel_info(kernel);
    struct report_launch l = {.kernel = heap_strdup(info->name),
                              .mangled = heap_strdup(info->mangled_name),
                              .registers = info->registers,
                              .instructions = info->instructions,
                              .shared_bytes = info->shared_bytes + shape->shared_bytes,
                              .status = stats->status,
                              .warp_instructions = stats->warp_instructions,
                              .thread_instructions = stats->thread_instructions,
                              .has_waited = stats->has_waited,
                              .races = stats->races,
                              .start = stats->start,
                              .cycles = stats->cycles,
                              .elapsed = stats->elapsed,
                              .fetched = stats->fetched,
                              .skipped = stats->skipped,
                              .reused = stats->reused,
                              .occupancy = stats->occupancy,
                              .core_mhz = stats->core_mhz,
                              .wall_seconds = stats->wall_seconds,
                              .sampling = stats->sampling};
    l.blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    memcpy(l.grid, shape->grid, sizeof l.grid);
    memcpy(l.block, shape->block, sizeof l.block);
    if (r->has_host || r->keeps_launches) keep_details(&l, stats);
    vec_push(&r->launches, l);
    add_counters(r, stats);
    report_limits_add(r, kernel, shape, stats);
    report_sampled_add(r, stats);
    if (stats->sms) add_account(r, kernel, stats);
    add_samples(r, stats);
    report_energy_add(&r->energy, stats);
    for (size_t i = r->storage.count; i < stats->storage_count; i++) {
        vec_push(&r->storage, stats->storage[i]);
        const char *class = stats->storage[i].sm_class;
        if (class) vec_last(&r->storage).sm_class = heap_strdup(class);
    }
    if (stats->gpu && !r->gpu) {
        r->gpu = heap_strdup(stats->gpu);
        r->slice = stats->slice;
    }
    if (stats->tech && !r->tech) r->tech = heap_strdup(stats->tech);
    if (stats->verify_mismatches != WF_UNKNOWN) r->verify_mismatches += stats->verify_mismatches;
    if (stats->fault_text && stats->has_run && !r->fault_text) r->fault_text = heap_strdup(stats->fault_text);
    for (size_t i = 0; i < stats->warning_count; i++) add_warning(r, &stats->warnings[i]);
    if (stats->race_text && !r->race_text) r->race_text = heap_strdup(stats->race_text);
}

// -- JSON ---------------------------------------------------------------------------------------------------

static void write_extent(struct json *j, const char *key, const uint32_t extent[3])
{
    json_key(j, key);
    json_open_array(j);
    for (int i = 0; i < 3; i++) json_u64(j, extent[i]);
    json_close_array(j);
}

// Writes the launch's kernel, grid and block. l NULL, at the top level unless the run has exactly one launch:
// nulls.
static void write_shape(struct json *j, const struct report_launch *l)
{
    report_text(j, "kernel", l ? l->mangled : NULL);
    if (l) {
        write_extent(j, "grid", l->grid);
        write_extent(j, "block", l->block);
    } else {
        report_nulls(j, (const char *const[]){"grid", "block", NULL});
    }
}

struct report_launch report_run_sum(const struct report_run *r)
{
    uint64_t none = r->launches.count ? 0 : WF_UNKNOWN;
    struct report_launch s = {
        .races = none, .cycles = none, .elapsed = none, .fetched = none, .skipped = none, .reused = none};
    for (size_t i = 0; i < r->launches.count; i++) {
        const struct report_launch *l = &r->launches.data[i];
        s.warp_instructions += l->warp_instructions;
        s.thread_instructions += l->thread_instructions;
        s.wall_seconds += l->wall_seconds;
        bool timed = l->cycles != WF_UNKNOWN && s.cycles != WF_UNKNOWN;
        if (timed && l->cycles) // weighted by cycles
            s.occupancy = (s.occupancy * (double)s.cycles + l->occupancy * (double)l->cycles) /
                          (double)(s.cycles + l->cycles);
        s.cycles = timed ? s.cycles + l->cycles : WF_UNKNOWN;
        s.elapsed = timed ? s.elapsed + l->elapsed : WF_UNKNOWN;
        s.fetched = timed ? s.fetched + l->fetched : WF_UNKNOWN;
        s.skipped = timed ? s.skipped + l->skipped : WF_UNKNOWN;
        s.reused = timed ? s.reused + l->reused : WF_UNKNOWN;
        if (l->races == WF_UNKNOWN)
            s.races = WF_UNKNOWN;
        else if (s.races != WF_UNKNOWN)
            s.races += l->races;
    }
    return s;
}

double report_run_ipc(const struct report_launch *l)
{
    return l->cycles != WF_UNKNOWN && l->cycles ? (double)l->warp_instructions / (double)l->cycles : NAN;
}

static void write_measured(struct json *j, const struct report_launch *l)
{
    bool timed = l->cycles != WF_UNKNOWN;
    report_u64(j, "cycles", l->cycles);
    report_u64(j, "elapsed_cycles", l->elapsed);
    report_u64(j, "warp_instructions", l->warp_instructions);
    report_u64(j, "thread_instructions", l->thread_instructions);
    report_u64(j, "fetched_warp_instructions", l->fetched);
    report_u64(j, "skipped_warp_instructions", l->skipped);
    report_u64(j, "reused_warp_instructions", l->reused);
    report_f64(j, "ipc", report_run_ipc(l));
    report_f64(j, "occupancy", timed ? l->occupancy : NAN);
    report_u64(j, "races", l->races);
    report_f64(j, "wall_seconds", l->wall_seconds);
    json_key(j, "simulated_warp_instructions_per_second");
    if (l->wall_seconds > 0)
        json_f64(j, (double)l->warp_instructions / l->wall_seconds);
    else
        json_null(j);
}

static void write_verified(struct json *j, const struct report_run *r)
{
    json_key(j, "verified");
    if (r->verified == REPORT_NOT_VERIFIED)
        json_null(j);
    else
        json_bool(j, r->verified == REPORT_VERIFIED);
    report_u64(j, "verify_mismatches",
               r->verified == REPORT_NOT_VERIFIED ? WF_UNKNOWN : r->verify_mismatches);
}

static const char *launch_status(enum wf_status status)
{
    return status == WF_OK ? "ok" : status == WF_INTERRUPTED ? "interrupted" : "failed";
}

static void write_details(struct json *j, const struct report_run *r, const struct report_launch *l)
{
    report_text(j, "status", launch_status(l->status));
    report_text(j, "fault", l->fault_text);
    report_energy_json(&l->energy, j);
    json_key(j, "counters");
    json_open_object(j);
    for (size_t i = 0; l->counters && i < r->counter_count; i++)
        report_u64(j, r->counters[i].name, l->counters[i]);
    json_close_object(j);
}

static void write_launches(struct json *j, const struct report_run *r)
{
    json_key(j, "launches");
    json_open_array(j);
    for (size_t i = 0; i < r->launches.count; i++) {
        const struct report_launch *l = &r->launches.data[i];
        json_open_object(j);
        write_shape(j, l);
        report_u64(j, "start", l->start);
        write_measured(j, l);
        report_u64(j, "registers", l->registers);
        report_u64(j, "shared_bytes", l->shared_bytes);
        report_sampled_launch(j, l);
        if (r->has_host || r->keeps_launches) write_details(j, r, l);
        json_close_object(j);
    }
    json_close_array(j);
}

// Writes the samples; null without samples. Counters updated only at the end of a block have no time and are
// omitted.
void report_run_samples(const struct report_run *r, struct json *j)
{
    json_key(j, "samples");
    if (!r->samples.count) {
        json_null(j);
        return;
    }
    json_open_array(j);
    for (size_t i = 0; i < r->samples.count; i++) {
        const struct report_sample *s = &r->samples.data[i];
        json_open_object(j);
        report_u64(j, "launch", s->launch);
        report_u64(j, "from", s->from);
        report_u64(j, "to", s->to);
        json_key(j, "counters");
        json_open_object(j);
        for (size_t n = 0; n < r->counter_count; n++)
            if (s->counters[n] != WF_UNKNOWN) report_u64(j, r->counters[n].name, s->counters[n]);
        json_close_object(j);
        json_close_object(j);
    }
    json_close_array(j);
}

static const char *status_text(const struct report_run *r)
{
    if (r->interrupted) return "interrupted";
    if (r->fault_text || r->race_text) return "failed";
    return r->verified == REPORT_MISMATCH ? "mismatch" : "ok";
}

static bool same_class(const struct wf_structure *a, const struct wf_structure *b)
{
    return a->sm_class && b->sm_class ? str_equal(a->sm_class, b->sm_class) : a->sm_class == b->sm_class;
}

// Bits of the storage that mechanisms add to an SM; with classes of SMs, the most bits of any class.
static uint64_t storage_bits(const struct report_run *r)
{
    uint64_t most = 0;
    for (size_t k = 0; k < r->storage.count; k++) {
        uint64_t bits = 0;
        for (size_t i = 0; i < r->storage.count; i++)
            if (same_class(&r->storage.data[i], &r->storage.data[k])) bits += r->storage.data[i].bits;
        if (bits > most) most = bits;
    }
    return most;
}

void report_run_storage(const struct report_run *r, struct json *j)
{
    report_u64(j, "storage_bits", r->storage.count ? storage_bits(r) : WF_UNKNOWN);
    json_key(j, "storage");
    json_open_array(j);
    for (size_t i = 0; i < r->storage.count; i++) {
        const struct wf_structure *s = &r->storage.data[i];
        json_open_object(j);
        report_text(j, "tech", s->tech);
        report_text(j, "structure", s->name);
        if (s->sm_class) report_text(j, "class", s->sm_class);
        report_u64(j, "bits", s->bits);
        json_key(j, "in_paper");
        json_bool(j, s->in_paper);
        json_close_object(j);
    }
    json_close_array(j);
}

void report_run_counters(const struct report_run *r, struct json *j)
{
    json_key(j, "counters");
    json_open_object(j);
    for (size_t i = 0; i < r->counter_count; i++) report_u64(j, r->counters[i].name, r->counters[i].value);
    json_close_object(j);
}

void report_slice_json(const struct wf_slice *s, struct json *j)
{
    json_key(j, "slice");
    if (!s->parts) {
        json_null(j);
        return;
    }
    json_open_object(j);
    report_u64(j, "parts", s->parts);
    report_u64(j, "sms", s->sms);
    report_u64(j, "whole_sms", s->whole_sms);
    report_u64(j, "partitions", s->partitions);
    report_u64(j, "whole_partitions", s->whole_partitions);
    report_f64(j, "dram_rate", s->dram_rate);
    json_close_object(j);
}

void report_run_members(const struct report_run *r, bool samples, struct json *j)
{
    const struct report_launch total = report_run_sum(r),
                               *only = r->launches.count == 1 ? &r->launches.data[0] : NULL;
    report_text(j, "schema", "warpfold.run/1");
    report_text(j, "version", WF_VERSION);
    report_text(j, "status", status_text(r));
    report_text(j, "fault", r->fault_text);
    report_text(j, "race", r->race_text);
    write_warnings(j, r);
    report_text(j, "gpu", r->gpu);
    report_slice_json(&r->slice, j);
    report_text(j, "tech", r->tech ? r->tech : "base");
    write_shape(j, only);
    write_measured(j, &total);
    report_u64(j, "registers", only ? only->registers : WF_UNKNOWN);
    report_u64(j, "shared_bytes", only ? only->shared_bytes : WF_UNKNOWN);
    write_verified(j, r);
    report_energy_json(&r->energy, j);
    report_run_storage(r, j);
    json_key(j, "config");
    json_raw(j, r->config_json);
    report_run_counters(r, j);
    write_launches(j, r);
    if (r->has_host) {
        json_key(j, "host");
        json_open_object(j);
        report_u64(j, "instructions", r->host_instructions);
        report_f64(j, "wall_seconds", r->host_seconds);
        report_text(j, "console", strbuf_text(&r->console));
        json_close_object(j);
    }
    if (samples) report_run_samples(r, j);
    report_run_sample(r, j);
    report_limits_json(r, j);
}

void report_run_json(const struct report_run *r, struct strbuf *out)
{
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_run_members(r, true, &j);
    json_key(&j, "account");
    report_account_json(r, &j);
    json_close_object(&j);
}

// -- table --------------------------------------------------------------------------------------------------

static void format_extent(const uint32_t extent[3], char text[40])
{
    if (extent[2] > 1)
        snprintf(text, 40, "%u,%u,%u", extent[0], extent[1], extent[2]);
    else if (extent[1] > 1)
        snprintf(text, 40, "%u,%u", extent[0], extent[1]);
    else
        snprintf(text, 40, "%u", extent[0]);
}

// Adds a table cell: a time given in microseconds, shown in ns, us, ms or s, usually with one to three digits
// before the point.
static void add_time(struct table *t, double us)
{
    if (us < 1)
        table_add(t, "%.1f ns", us * 1e3);
    else if (us < 1e3)
        table_add(t, "%.2f us", us);
    else if (us < 1e6)
        table_add(t, "%.2f ms", us / 1e3);
    else
        table_add(t, "%.2f s", us / 1e6);
}

static bool same_extent(const uint32_t a[3], const uint32_t b[3]) { return memcmp(a, b, 3 * sizeof *a) == 0; }

// Adds the cells of simulated time: the kernel's time, cycles, IPC.
static void add_simulated(struct table *t, const struct report_run *r, const struct report_launch *first,
                          const struct report_launch *total)
{
    if (total->cycles == WF_UNKNOWN) { // a launch was refused by the checks
        for (unsigned column = 0; column < 3; column++) table_add(t, "-");
        return;
    }
    double half = report_run_cycles_half(r, first->mangled);
    if (first->core_mhz > 0)
        add_time(t, (double)total->cycles / first->core_mhz);
    else
        table_add(t, "-");
    table_add_figure(t, total->cycles, half);
    report_add_ipc(t, total, half);
}

// Adds a row for all launches of the kernel whose first launch is number `first`.
static void add_kernel_row(struct table *t, const struct report_run *r, size_t first)
{
    const struct report_launch *l = &r->launches.data[first];
    struct report_launch total = {0};
    uint64_t count = 0;
    bool one_grid = true, one_block = true;
    for (size_t i = first; i < r->launches.count; i++) {
        const struct report_launch *k = &r->launches.data[i];
        if (strcmp(k->mangled, l->mangled) != 0) continue;
        count++;
        total.warp_instructions += k->warp_instructions;
        total.thread_instructions += k->thread_instructions;
        total.wall_seconds += k->wall_seconds;
        total.cycles =
            total.cycles == WF_UNKNOWN || k->cycles == WF_UNKNOWN ? WF_UNKNOWN : total.cycles + k->cycles;
        one_grid &= same_extent(k->grid, l->grid);
        one_block &= same_extent(k->block, l->block);
    }
    char extent[40];
    table_add(t, "%s", l->kernel);
    table_add_u64(t, count);
    format_extent(l->grid, extent);
    table_add(t, "%s", one_grid ? extent : "various");
    format_extent(l->block, extent);
    table_add(t, "%s", one_block ? extent : "various");
    table_add(t, "%u", l->registers);
    if (r->gpu) add_simulated(t, r, l, &total);
    table_add_u64(t, total.warp_instructions);
    table_add_u64(t, total.thread_instructions);
    table_add(t, "%.4f", total.wall_seconds);
    table_add(t, "%.1f",
              total.wall_seconds > 0 ? (double)total.warp_instructions / total.wall_seconds / 1e6 : 0.0);
}

void report_add_ipc(struct table *t, const struct report_launch *l, double half)
{
    double ipc = report_run_ipc(l);
    if (half > 0)
        table_add(t, "%.2f ± %.2f", ipc, ipc * half / (double)l->cycles);
    else
        table_add(t, "%.2f", ipc);
}

static bool seen_before(const struct report_run *r, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(r->launches.data[i].mangled, r->launches.data[index].mangled) == 0) return true;
    return false;
}

void report_run_compare(struct report_run *r, struct wf_context *c)
{
    r->differs_from_card = r->limits.count && (r->slice.parts || wf_gpu_differs(c));
}

void report_slice_print(const struct report_run *r, struct strbuf *out)
{
    const struct wf_slice *s = &r->slice;
    if (!s->parts) return;
    strbuf_printf(out, "A slice of %s, one part of %u: %u of %u SMs, %u of %u memory partitions", r->gpu,
                  s->parts, s->sms, s->whole_sms, s->partitions, s->whole_partitions);
    strbuf_puts(out, s->dram_rate < 1 ? "" : "\n");
    if (s->dram_rate < 1) strbuf_printf(out, ", DRAM at %.3f of the rate\n", s->dram_rate);
}

void report_run_table(const struct report_run *r, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"kernel", "launches", "grid", "block", "registers"},
                             *const timed[] = {"kernel time", "cycles", "IPC"},
                             *const host[] = {"warp instr", "thread instr", "host seconds",
                                              "M warp instr/host s"};
    const char *all[12];
    size_t columns = 0;
    struct table t;
    for (size_t i = 0; i < 5; i++) all[columns++] = heads[i];
    for (size_t i = 0; r->gpu && i < 3; i++) all[columns++] = timed[i];
    for (size_t i = 0; i < 4; i++) all[columns++] = host[i];
    table_init(&t, all, columns);
    for (size_t i = 0; i < r->launches.count; i++)
        if (!seen_before(r, i)) add_kernel_row(&t, r, i);
    table_print(&t, colour, out);
    table_fini(&t);
    if (!r->gpu) return;
    report_slice_print(r, out);
    report_sampled_print(r, out);
    report_limits_table(r, colour, out);
    measured_print(r, out);
    report_account_table(r, colour, out);
    report_classes_table(r, colour, out);
}
