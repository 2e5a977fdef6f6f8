#include "mix/report.h"
#include "report/fields.h"
#include "report/table.h"

// Instructions per cycle in the mix over instructions per cycle alone: clock rates are left out, even with a
// reference GPU of another clock. 0: the part did not run.
double mix_progress(const struct mix_result *r)
{
    return r->part.run.cycles ? mix_ipc(&r->part.run) / mix_ipc(&r->alone) : 0;
}

static void add_place(struct table *t, const struct mix_place *p)
{
    if (p->count)
        table_add(t, "%u to %u", p->first, p->first + p->count - 1);
    else
        table_add(t, "all");
}

static void add_row(struct table *t, const struct mix_result *r)
{
    table_add(t, "%s", r->name);
    add_place(t, &r->place);
    table_add_u64(t, r->part.run.launches);
    table_add_u64(t, r->part.run.warp_instructions);
    table_add_u64(t, r->need.warps);
    table_add_u64(t, r->alone.cycles);
    if (r->apart.launches)
        table_add_u64(t, r->apart.cycles);
    else
        table_add(t, "-");
    table_add_u64(t, r->part.run.cycles);
    table_add(t, "%.3f", mix_progress(r));
    table_add(t, "%.2f", mix_ipc(&r->part.run));
    table_add_u64(t, r->part.passes);
    table_add(t, "%s", r->part.different ? "DIFFER" : r->part.is_exact ? "same" : "not compared");
}

void mix_report_table(const struct mix_report *m, bool colour, struct strbuf *out)
{
    static const char *const heads[] = {"workload",     "SMs",          "launches", "warp instr",
                                        "warps an SM",  "cycles alone", "apart",    "together",
                                        "of its speed", "thread IPC",   "passes",   "outputs"};
    struct table t;
    table_init(&t, heads, sizeof heads / sizeof heads[0]);
    for (size_t k = 0; k < m->count; k++) add_row(&t, &m->results[k]);
    table_print(&t, colour, out);
    table_fini(&t);
    for (size_t k = 0; k < m->count; k++)
        if (m->results[k].reference)
            strbuf_printf(out, "%s alone: on %s\n", m->results[k].name, m->results[k].reference);
    strbuf_printf(out,
                  "weighted speedup %.4f, throughput (STP) %.4f, turnaround (ANTT) %.4f, fairness %.4f, "
                  "energy %.4f mJ\n",
                  m->shares.weighted_speedup, m->shares.throughput, m->shares.turnaround, m->shares.fairness,
                  m->shares.energy_pj * 1e-9);
}

static void write_run(struct json *j, const char *key, const struct mix_run *r)
{
    json_key(j, key);
    if (!r->launches) {
        json_null(j);
        return;
    }
    json_open_object(j);
    report_u64(j, "launches", r->launches);
    report_u64(j, "cycles", r->cycles);
    report_u64(j, "warp_instructions", r->warp_instructions);
    report_u64(j, "thread_instructions", r->thread_instructions);
    report_f64(j, "thread_ipc", mix_ipc(r));
    report_f64(j, "energy_pj", r->energy_pj);
    json_close_object(j);
}

static void write_result(struct json *j, const struct mix_result *r)
{
    json_open_object(j);
    report_text(j, "workload", r->name);
    report_u64(j, "first_sm", r->place.count ? r->place.first : WF_UNKNOWN);
    report_u64(j, "sm_count", r->place.count ? r->place.count : WF_UNKNOWN);
    report_u64(j, "warps_on_sm", r->need.warps);
    report_u64(j, "threads", r->need.threads);
    json_key(j, "latency_bound");
    json_bool(j, mix_is_latency_bound(&r->need));
    report_text(j, "reference", r->reference);
    write_run(j, "alone", &r->alone);
    write_run(j, "apart", &r->apart);
    write_run(j, "together", &r->part.run);
    report_f64(j, "progress", mix_progress(r));
    report_u64(j, "passes", r->part.passes);
    report_u64(j, "compared_bytes", r->part.is_exact ? r->part.compared : WF_UNKNOWN);
    report_u64(j, "different_bytes", r->part.is_exact ? r->part.different : WF_UNKNOWN);
    json_close_object(j);
}

void mix_report_json(const struct mix_report *m, struct strbuf *out)
{
    struct json j;
    bool good = true;
    for (size_t k = 0; k < m->count; k++) good &= !m->results[k].part.different;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.mix/1");
    report_text(&j, "version", WF_VERSION);
    report_text(&j, "status", good ? "ok" : "mismatch");
    report_text(&j, "gpu", m->gpu);
    report_text(&j, "tech", m->tech ? m->tech : "base");
    report_text(&j, "size", m->size);
    report_text(&j, "ptx", m->ptx);
    report_text(&j, "placement", m->placement);
    report_f64(&j, "weighted_speedup", m->shares.weighted_speedup);
    report_f64(&j, "throughput", m->shares.throughput);
    report_f64(&j, "turnaround", m->shares.turnaround);
    report_f64(&j, "fairness", m->shares.fairness);
    report_f64(&j, "energy_pj", m->shares.energy_pj);
    report_f64(&j, "wall_seconds", m->wall_seconds);
    json_key(&j, "workloads");
    json_open_array(&j);
    for (size_t k = 0; k < m->count; k++) write_result(&j, &m->results[k]);
    json_close_array(&j);
    json_key(&j, "config");
    json_raw(&j, m->config_json);
    json_close_object(&j);
    strbuf_putc(out, '\n');
}
