// The benchmark's table and JSON.
#include "report/bench.h"
#include "report/fields.h"
#include "report/table.h"

#include <math.h>

void report_bench_fini(struct report_bench *b)
{
    for (size_t i = 0; i < b->rows.count; i++) report_run_fini(&b->rows.data[i].run);
    vec_fini(&b->rows);
}

static double speed(const struct report_launch *l)
{
    return l->wall_seconds > 0 ? (double)l->warp_instructions / l->wall_seconds : 0;
}

double report_bench_speed(const struct report_bench *b)
{
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; i < b->rows.count; i++) {
        struct report_launch total = report_run_sum(&b->rows.data[i].run);
        double v = speed(&total);
        if (v <= 0) continue;
        logs += log(v);
        count++;
    }
    return count ? exp(logs / (double)count) : 0;
}

static const char *outcome(const struct report_bench_row *r)
{
    switch (r->status) {
    case WF_OK: return r->verified ? "yes" : "no";
    case WF_MISMATCH: return "NO";
    case WF_PROGRAM_FAILED: return "failed";
    case WF_INTERRUPTED: return "interrupted";
    case WF_BAD_INPUT:
    case WF_BAD_USAGE: return "refused";
    }
    return "?";
}

void report_bench_table(const struct report_bench *b, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {
        "workload",  "launches", "warp instr", "host seconds", "M warp instr/host s",
        "max error", "verified", "cycles",     "IPC"};
    bool timed = b->rows.count && b->rows.data[0].run.gpu;
    struct table t;
    table_init(&t, heads, sizeof heads / sizeof heads[0] - (timed ? 0 : 2));
    uint64_t instructions = 0, launches = 0;
    double seconds = 0;
    for (size_t i = 0; i < b->rows.count; i++) {
        const struct report_bench_row *row = &b->rows.data[i];
        const struct report_launch total = report_run_sum(&row->run);
        table_add(&t, "%s", row->name);
        table_add_u64(&t, row->run.launches.count);
        table_add_u64(&t, total.warp_instructions);
        table_add(&t, "%.4f", total.wall_seconds);
        table_add(&t, "%.1f", speed(&total) / 1e6);
        table_add(&t, "%.1e", row->max_error);
        table_add(&t, "%s", outcome(row));
        if (timed && total.cycles == WF_UNKNOWN) { // a launch was refused by the checks
            table_add(&t, "-");
            table_add(&t, "-");
        } else if (timed) {
            double half = report_run_cycles_half(&row->run, NULL);
            table_add_figure(&t, total.cycles, half);
            report_add_ipc(&t, &total, half);
        }
        instructions += total.warp_instructions;
        launches += row->run.launches.count;
        seconds += total.wall_seconds;
    }
    if (b->rows.count > 1) {
        table_rule(&t);
        table_add(&t, "sum, geometric mean");
        table_add_u64(&t, launches);
        table_add_u64(&t, instructions);
        table_add(&t, "%.4f", seconds);
        table_add(&t, "%.1f", report_bench_speed(b) / 1e6);
    }
    table_print(&t, colour, out);
    table_fini(&t);
    if (b->rows.count) report_slice_print(&b->rows.data[0].run, out);
}

void report_bench_energy(const struct report_bench *b, bool colour, struct strbuf *out)
{
    struct report_energy all = {0};
    for (size_t i = 0; i < b->rows.count; i++) report_energy_merge(&all, &b->rows.data[i].run.energy);
    if (all.rows.count) report_energy_table(&all, colour, out);
    report_energy_fini(&all);
}

// Writes grid and block of a launch, and the grid's blocks over those that the chip holds at once.
static void write_shape(struct json *j, const struct report_launch *l)
{
    static const char *const keys[] = {"grid", "block"};
    const uint32_t *const extents[] = {l->grid, l->block};
    for (unsigned k = 0; k < 2; k++) {
        json_key(j, keys[k]);
        json_open_array(j);
        for (unsigned i = 0; i < 3; i++) json_u64(j, extents[k][i]);
        json_close_array(j);
    }
    report_f64(j, "waves", l->room ? (double)l->blocks / (double)l->room : NAN);
}

// Writes a row per kernel of the workload, summed over the kernel's launches; the shape is the first launch's.
static void write_kernels(struct json *j, const struct report_run *run)
{
    json_key(j, "kernels");
    json_open_array(j);
    for (size_t i = 0; i < run->launches.count; i++) {
        const struct report_launch *l = &run->launches.data[i];
        bool seen = false;
        uint64_t launches = 0, warps = 0, threads = 0;
        double seconds = 0;
        for (size_t k = 0; k < run->launches.count; k++) {
            const struct report_launch *m = &run->launches.data[k];
            if (!str_equal(m->mangled, l->mangled)) continue;
            seen |= k < i;
            launches++;
            warps += m->warp_instructions;
            threads += m->thread_instructions;
            seconds += m->wall_seconds;
        }
        if (seen) continue;
        json_open_object(j);
        report_text(j, "kernel", l->kernel);
        report_u64(j, "launches", launches);
        report_u64(j, "instructions", l->instructions);
        report_u64(j, "registers", l->registers);
        write_shape(j, l);
        report_u64(j, "warp_instructions", warps);
        report_u64(j, "thread_instructions", threads);
        report_f64(j, "wall_seconds", seconds);
        json_close_object(j);
    }
    json_close_array(j);
}

static void write_row(struct json *j, const struct report_bench_row *row)
{
    const struct report_launch total = report_run_sum(&row->run);
    const char class_letter[2] = {row->class_letter, 0};
    json_open_object(j);
    report_text(j, "workload", row->name);
    report_text(j, "class", class_letter);
    report_text(j, "outcome", outcome(row));
    json_key(j, "verified");
    json_bool(j, row->verified);
    report_u64(j, "compared", row->compared);
    report_u64(j, "mismatches", row->mismatches);
    report_f64(j, "max_error", row->max_error);
    report_f64(j, "tolerance", row->tolerance);
    report_u64(j, "output_hash", row->output_hash);
    report_u64(j, "launches", row->run.launches.count);
    report_u64(j, "cycles", total.cycles);
    report_u64(j, "fetched_warp_instructions", total.fetched);
    report_u64(j, "skipped_warp_instructions", total.skipped);
    report_u64(j, "reused_warp_instructions", total.reused);
    report_f64(j, "ipc", report_run_ipc(&total));
    report_f64(j, "occupancy", row->run.gpu ? total.occupancy : NAN);
    report_u64(j, "warp_instructions", total.warp_instructions);
    report_u64(j, "thread_instructions", total.thread_instructions);
    report_f64(j, "wall_seconds", total.wall_seconds);
    json_key(j, "simulated_warp_instructions_per_second");
    if (speed(&total) > 0)
        json_f64(j, speed(&total));
    else
        json_null(j);
    write_kernels(j, &row->run);
    report_energy_json(&row->run.energy, j);
    report_run_storage(&row->run, j);
    report_run_counters(&row->run, j);
    report_run_samples(&row->run, j);
    report_run_sample(&row->run, j);
    json_close_object(j);
}

void report_bench_json(const struct report_bench *b, struct strbuf *out)
{
    const struct wf_slice whole = {0};
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.bench/1");
    report_text(&j, "version", WF_VERSION);
    report_text(&j, "size", b->size);
    report_text(&j, "ptx", b->ptx);
    report_text(&j, "tech", b->rows.count && b->rows.data[0].run.tech ? b->rows.data[0].run.tech : "base");
    report_slice_json(b->rows.count ? &b->rows.data[0].run.slice : &whole, &j);
    json_key(&j, "config");
    json_raw(&j, b->config_json);
    report_f64(&j, "geometric_mean_warp_instructions_per_second", report_bench_speed(b));
    json_key(&j, "workloads");
    json_open_array(&j);
    for (size_t i = 0; i < b->rows.count; i++) write_row(&j, &b->rows.data[i]);
    json_close_array(&j);
    json_close_object(&j);
}
