#include "report/sampled.h"
#include "report/fields.h"
#include "report/table.h"

#include <math.h>
#include <string.h>

void report_sampled_add(struct report_run *r, const struct wf_stats *stats)
{
    const struct wf_sampling *s = &stats->sampling;
    const struct wf_error all[] = {[FIGURE_CYCLES] = s->cycles,
                                   [FIGURE_FETCHED] = s->fetched,
                                   [FIGURE_SKIPPED] = s->skipped,
                                   [FIGURE_REUSED] = s->reused,
                                   [FIGURE_WARP_INSTRUCTIONS] = s->warp_instructions,
                                   [FIGURE_THREAD_INSTRUCTIONS] = s->thread_instructions,
                                   [FIGURE_ENERGY] = s->energy_pj,
                                   [FIGURE_WARP_CYCLES] = {s->occupancy.shared * (double)stats->cycles,
                                                           s->occupancy.own * (double)stats->cycles}};
    size_t figures = FIGURE_COUNTERS + stats->counter_count;
    if (s->how != WF_SAMPLED_BLOCKS && s->how != WF_SAMPLED_LAUNCH) return;
    for (size_t i = 0; i < FIGURE_COUNTERS; i++) report_errors_add(&r->errors, figures, s->group, i, all[i]);
    for (size_t i = 0; i < stats->counter_count; i++)
        report_errors_add(&r->errors, figures, s->group, FIGURE_COUNTERS + i, stats->counters[i].error);
}

bool report_run_is_sampled(const struct report_run *r)
{
    for (size_t i = 0; i < r->launches.count; i++)
        if (r->launches.data[i].sampling.how > WF_TIMED) return true;
    return false;
}

double report_run_cycles_half(const struct report_run *r, const char *mangled)
{
    struct report_errors e = {0};
    for (size_t i = 0; i < r->launches.count; i++) {
        const struct report_launch *l = &r->launches.data[i];
        if (mangled && strcmp(l->mangled, mangled) != 0) continue;
        report_errors_add(&e, 1, l->sampling.group, 0, l->sampling.cycles);
    }
    double half = report_errors_half(&e, 0);
    report_errors_fini(&e);
    return half;
}

static double half_of(const struct report_run *r, size_t figure)
{
    return r->errors.own ? report_errors_half(&r->errors, figure) : 0;
}

// The interval of a ratio: relative half-widths of its parts add in squares.
static double ratio_half(double ratio, double half, double of, double half2, double of2)
{
    return ratio * hypot(of > 0 ? half / of : 0, of2 > 0 ? half2 / of2 : 0);
}

static void write_errors(const struct report_run *r, struct json *j)
{
    const struct report_launch sum = report_run_sum(r);
    double cycles = half_of(r, FIGURE_CYCLES), warp = half_of(r, FIGURE_WARP_INSTRUCTIONS);
    double all = (double)sum.cycles;
    json_key(j, "errors");
    json_open_object(j);
    report_f64(j, "cycles", cycles);
    report_f64(j, "elapsed_cycles", cycles);
    report_f64(j, "warp_instructions", warp);
    report_f64(j, "thread_instructions", half_of(r, FIGURE_THREAD_INSTRUCTIONS));
    report_f64(j, "fetched_warp_instructions", half_of(r, FIGURE_FETCHED));
    report_f64(j, "skipped_warp_instructions", half_of(r, FIGURE_SKIPPED));
    report_f64(j, "reused_warp_instructions", half_of(r, FIGURE_REUSED));
    report_f64(j, "ipc", ratio_half(report_run_ipc(&sum), cycles, all, warp, (double)sum.warp_instructions));
    report_f64(j, "occupancy", all > 0 ? half_of(r, FIGURE_WARP_CYCLES) / all : 0);
    report_f64(j, "energy_pj", half_of(r, FIGURE_ENERGY));
    for (size_t i = 0; i < r->counter_count; i++) {
        double half = half_of(r, FIGURE_COUNTERS + i);
        if (half > 0) report_f64(j, r->counters[i].name, half);
    }
    json_close_object(j);
}

struct tally {  // of the launches
    bool is_on; // sampling is on
    uint64_t timed, timed_blocks, blocks;
};

static struct tally tally_of(const struct report_run *r)
{
    struct tally t = {0};
    for (size_t i = 0; i < r->launches.count; i++) {
        const struct report_launch *l = &r->launches.data[i];
        t.is_on |= l->sampling.how != WF_NOT_SAMPLED;
        t.timed += l->sampling.how == WF_TIMED || l->sampling.how == WF_SAMPLED_BLOCKS;
        t.timed_blocks += l->sampling.timed_blocks;
        t.blocks += l->blocks;
    }
    return t;
}

void report_run_sample(const struct report_run *r, struct json *j)
{
    const struct tally t = tally_of(r);
    json_key(j, "sample");
    if (!t.is_on) {
        json_null(j);
        return;
    }
    json_open_object(j);
    report_f64(j, "confidence", 0.95);
    report_u64(j, "timed_launches", t.timed);
    report_u64(j, "launches", r->launches.count);
    report_u64(j, "timed_blocks", t.timed_blocks);
    report_u64(j, "blocks", t.blocks);
    write_errors(r, j);
    json_close_object(j);
}

void report_sampled_launch(struct json *j, const struct report_launch *l)
{
    static const char *const names[] = {
        [WF_TIMED] = "timed", [WF_SAMPLED_BLOCKS] = "blocks", [WF_SAMPLED_LAUNCH] = "launch"};
    const struct wf_sampling *s = &l->sampling;
    json_key(j, "sample");
    if (s->how == WF_NOT_SAMPLED) {
        json_null(j);
        return;
    }
    json_open_object(j);
    report_text(j, "how", names[s->how]);
    report_text(j, "why", s->why);
    report_u64(j, "timed_blocks", s->timed_blocks);
    report_f64(j, "cycles_error", hypot(s->cycles.shared, s->cycles.own));
    json_close_object(j);
}

void report_sampled_print(const struct report_run *r, struct strbuf *out)
{
    const struct tally t = tally_of(r);
    if (!t.is_on) return;
    strbuf_printf(out, "sampled: %llu of %zu launches and ", (unsigned long long)t.timed, r->launches.count);
    table_format_u64(t.timed_blocks, out);
    strbuf_puts(out, " of ");
    table_format_u64(t.blocks, out);
    strbuf_puts(out, " blocks timed; ± is the half-width of a 95 % interval\n");
    for (size_t i = 0; i < r->launches.count; i++) {
        const struct report_launch *l = &r->launches.data[i];
        bool is_told = !l->sampling.why;
        for (size_t k = 0; k < i && !is_told; k++)
            is_told = r->launches.data[k].sampling.why == l->sampling.why &&
                      strcmp(r->launches.data[k].mangled, l->mangled) == 0;
        if (!is_told) strbuf_printf(out, "%s is timed whole: %s\n", l->kernel, l->sampling.why);
    }
}
