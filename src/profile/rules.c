#include "profile/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST = 0.03; // evidence without a what-if run
static const double MOST = 1.02;  // cycles of a what-if run, over the base run's

// -- evidence -------------------------------------------------------------------------------------------------------

#define DOUBLES "DADD DMUL DFMA DSETP DMNMX F2F.F64 F2F.F32.F64 I2F.F64 MUFU.RCP64H MUFU.RSQ64H"
#define AS_FLOATS                                                                                            \
    "units.double=@units.float latency.dp=@latency.fp_mad interval.dp=@interval.fp_mad "                     \
    "latency.convert=@latency.fp_mad interval.convert=@interval.fp_mad "                                     \
    "latency.convert_wide=@latency.fp_mad "                                                                  \
    "interval.convert_wide=@interval.fp_mad"
#define SHORT_LATENCIES                                                                                      \
    "latency.fixed=1 latency.int_add=1 latency.int_mad=1 latency.int_max=1 latency.fp_add=1 "                \
    "latency.fp_mul=1 "                                                                                      \
    "latency.fp_mad=1 latency.shift=1 latency.compare=1 latency.sreg=1 latency.vote=1 latency.dp=1 "         \
    "latency.sfu=1 "                                                                                         \
    "latency.convert=1 latency.convert_wide=1 latency.shuffle=1"
#define ALL_REASONS "issued not_fetched icache alu memory barrier unit_busy operand copy"

static double doubles(const struct facts *f)
{
    return fmax(f->limits.double_lanes, facts_class(f, DOUBLES, "issued unit_busy alu"));
}

// Share of the requested lines beyond a line for an access, of accesses to global memory.
static double scattered(const struct facts *f)
{
    double accesses = facts_counter(f, "sm.lsu.accesses") - facts_counter(f, "sm.shared.accesses"),
           lines = facts_counter(f, "sm.lsu.transactions");
    return lines > 0 ? fmax(1 - accesses / lines, 0) * (1 - f->limits.local) : 0;
}

// Time of the slice with the atomics, if a single slice has all.
static double atomic_time(const struct facts *f)
{
    double busy = facts_counter(f, "memory.l2_atomics") * facts_key(f, "l2.atomic_interval") *
                  facts_key(f, "gpu.core_mhz") / fmax(facts_key(f, "l2.mhz"), 1);
    return f->cycles > 0 ? fmin(busy / f->cycles, 1) : 0;
}

// Share of the warps that the resource keeps off an SM; 0: another resource does.
static double limited_by(const struct facts *f, const char *resource)
{
    const struct report_kernel *k = f->hottest;
    bool is_limit = k->occupancy_limit && strcmp(k->occupancy_limit, resource) == 0;
    return is_limit && k->occupancy_most >= 0 ? fmax(1 - k->occupancy_most, 0) : 0;
}

static double idle_sms(const struct facts *f) { return fmax(1 - f->limits.busy_sms, 0); }

// Part of the last wave without blocks, over all waves: the time that whole waves take less.
static double partial_wave(const struct facts *f)
{
    double wave = (double)f->sms * f->resident, blocks = (double)f->blocks;
    if (!f->sms || !f->resident || blocks < f->sms) return 0;
    double waves = blocks / (blocks < wave ? f->sms : wave);
    return 1 - waves / ceil(waves);
}

// Slots of atomics on shared memory; 0: plain accesses have more.
static double shared_atomics(const struct facts *f)
{
    double atomics = facts_class(f, "ATOMS", "unit_busy memory");
    return atomics > facts_class(f, "LDS STS", "unit_busy memory") ? atomics : 0;
}

// Instructions that warps lack to the longest warp of their block, over as many for all warps.
static double uneven_warps(const struct facts *f)
{
    double longest = facts_counter(f, "sm.sm.longest_instructions");
    return f->block_warps > 1 && longest > 0
               ? fmax(1 - facts_counter(f, "exec.warp_instructions") / longest, 0)
               : 0;
}

// Share of the time that the work takes on its busiest part of the GPU, however it is spread.
static double busiest(const struct facts *f)
{
    const struct report_limits *l = &f->limits;
    const double shares[] = {l->issued, l->float_lanes, l->integer_lanes, l->special_lanes, l->double_lanes,
                             l->shared, l->l2,          l->dram};
    double most = 0;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) most = fmax(most, shares[i]);
    return fmin(most, 1);
}

// Part of the lanes of a block's warps that have no thread; 0: a single warp, or a block of two dimensions.
static double partial_warp(const struct facts *f)
{
    double lanes = f->block_warps * fmax(facts_key(f, "warp.size"), 1);
    return f->is_row && f->block_warps > 1 ? 1 - (double)f->block_threads / lanes : 0;
}

static double idle_lanes(const struct facts *f)
{
    double warps = facts_counter(f, "exec.warp_instructions"), lanes = fmax(facts_key(f, "warp.size"), 1);
    return warps > 0 ? fmax(1 - facts_counter(f, "exec.thread_instructions") / (warps * lanes), 0) : 0;
}

static const struct {
    const char *name, *meaning, *what_if, *settings, *classes, *reasons, *covers, *advice;
} rows[] = {
#define RULE(id, name, meaning, evidence, what_if, settings, classes, reasons, covers, advice)               \
    {name, meaning, what_if, settings, classes, reasons, covers, advice},
#include "profile/rules.def"
#undef RULE
};
enum { RULES = sizeof rows / sizeof rows[0] };

static void find_evidence(const struct facts *f, double evidence[RULES])
{
    unsigned n = 0;
#define RULE(id, name, meaning, evidence_of, what_if, settings, classes, reasons, covers, advice)            \
    evidence[n++] = evidence_of;
#include "profile/rules.def"
#undef RULE
}

// -- trials ---------------------------------------------------------------------------------------------------------

static bool is_tried(const struct profile *p, const char *settings)
{
    for (size_t i = 0; i < p->trial_count; i++)
        if (strcmp(p->trials[i].settings, settings) == 0) return true;
    return false;
}

// A rule that covers others is tried behind them: half its evidence counts.
static double weight_of(const struct rule *r) { return *r->covers ? r->evidence / 2 : r->evidence; }

static bool changes_program(const char *settings)
{
    return strncmp(settings, "@division", 9) == 0 || strncmp(settings, "@waves", 6) == 0 ||
           strncmp(settings, "@warps", 6) == 0;
}

static const struct rule *next_trial(const struct profile *p)
{
    const struct rule *best = NULL;
    for (size_t i = 0; i < p->rules.count; i++) {
        const struct rule *r = &p->rules.data[i];
        if (!r->settings || r->evidence < LEAST || is_tried(p, r->settings)) continue;
        if (!p->may_change && changes_program(r->settings)) continue;
        if (!best || weight_of(r) > weight_of(best)) best = r;
    }
    return best;
}

static void choose_trials(struct profile *p)
{
    const struct rule *r;
    while (p->trial_count < PROFILE_TRIALS && (r = next_trial(p)) != NULL)
        p->trials[p->trial_count++] = (struct trial){r->settings, -1};
}

static const char *kernel_name(const struct profile *p, size_t kernel)
{
    return wf_kernel_info(p->facts.run->kernels.data[kernel])->name;
}

void profile_init(struct profile *p, const struct report_run *base, struct wf_context *context,
                  bool may_change)
{
    double evidence[RULES];
    *p = (struct profile){.may_change = may_change};
    facts_init(&p->facts, base, context);
    if (!p->facts.hottest) return;
    find_evidence(&p->facts, evidence);
    for (size_t i = 0; i < RULES; i++) {
        struct rule r = {.name = rows[i].name,
                         .meaning = rows[i].meaning,
                         .what_if = rows[i].what_if,
                         .settings = rows[i].settings,
                         .covers = rows[i].covers,
                         .advice = rows[i].advice,
                         .evidence = fmin(evidence[i], 1)};
        size_t kernel = 0;
        if (r.evidence >= LEAST) r.line = facts_line(&p->facts, rows[i].classes, rows[i].reasons, &kernel);
        if (r.line) r.kernel = kernel_name(p, kernel);
        vec_push(&p->rules, r);
    }
    choose_trials(p);
}

double profile_most_cycles(const struct profile *p) { return MOST * p->facts.cycles; }

void profile_fini(struct profile *p)
{
    for (size_t i = 0; i < p->rules.count; i++) free(p->rules.data[i].skipped_line);
    vec_fini(&p->rules);
    facts_fini(&p->facts);
}

static double share_of(uint64_t whole, uint64_t part) { return part ? (double)whole / (double)part : 1; }

static uint64_t threads_of(const struct report_launch *l)
{
    return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}

// Cycles of launch `l`, whose warps ended after the mean of instructions, with the work cut off as other warps' work: beside
// their own, at the rate of the busiest part of the GPU.
static double cycles_of_even(const struct profile *p, const struct report_launch *l,
                             const struct report_launch *b)
{
    double least = busiest(&p->facts) * (double)b->cycles,
           cut = fmax(1 - (double)l->warp_instructions / fmax((double)b->warp_instructions, 1), 0);
    return fmax(least, (double)l->cycles + cut * least);
}

// Cycles of launch `l`, in place of launch `b` of the base run, without the cost of the settings. Cuts of blocks fit the
// hottest kernel: other kernels keep their cycles. A launch with fewer blocks, or with blocks cut to equal work, counts in
// proportion.
static double cycles_of_launch(const struct profile *p, const char *settings, const struct report_launch *l,
                               const struct report_launch *b)
{
    bool cuts_warps = strncmp(settings, "sim.warp_instructions", 21) == 0,
         cuts = cuts_warps || strncmp(settings, "sim.block_", 10) == 0;
    if (cuts && strcmp(b->mangled, p->facts.hottest->mangled) != 0) return (double)b->cycles;
    if (cuts_warps) return cycles_of_even(p, l, b);
    double cycles = (double)l->cycles * share_of(b->blocks, l->blocks);
    if (strcmp(settings, "@warps=whole") == 0) cycles *= share_of(threads_of(b), threads_of(l));
    if (strncmp(settings, "sim.block_instructions", 22) == 0)
        cycles *= share_of(b->warp_instructions, l->warp_instructions);
    return cycles;
}

// Cycles of all launches. Below 0: a launch is missing or failed.
static double cycles_of(const struct profile *p, const char *settings, const struct report_run *run)
{
    const struct report_run *base = p->facts.run;
    double sum = 0;
    if (run->launches.count != base->launches.count) return -1;
    for (size_t i = 0; i < run->launches.count; i++) {
        const struct report_launch *l = &run->launches.data[i], *b = &base->launches.data[i];
        if (b->cycles == WF_UNKNOWN) continue; // functional
        if (l->status != WF_OK || l->cycles == WF_UNKNOWN) return -1;
        sum += cycles_of_launch(p, settings, l, b);
    }
    return sum;
}

void profile_tried(struct profile *p, size_t i, const struct report_run *run, bool is_over,
                   struct wf_context *context)
{
    struct trial *t = &p->trials[i];
    t->cycles = is_over ? profile_most_cycles(p) : run ? cycles_of(p, t->settings, run) : -1;
    if (is_over) return;
    if (t->cycles < 0 || !context || strncmp(t->settings, "@tech=", 6) != 0) return;
    struct facts f;
    facts_init(&f, run, context);
    const char *line = facts_skipped_line(&f);
    for (size_t k = 0; k < p->rules.count && line; k++) {
        struct rule *r = &p->rules.data[k];
        if (r->settings && strcmp(r->settings, t->settings) == 0)
            r->line = r->skipped_line = heap_strdup(line);
    }
    facts_fini(&f);
}

// -- ranks ----------------------------------------------------------------------------------------------------------

static const struct trial *trial_of(const struct profile *p, const struct rule *r)
{
    for (size_t i = 0; i < p->trial_count; i++)
        if (r->settings && strcmp(p->trials[i].settings, r->settings) == 0) return &p->trials[i];
    return NULL;
}

static void measure(const struct profile *p, struct rule *r)
{
    const struct trial *t = trial_of(p, r);
    if (r->evidence < LEAST) return;
    if (!r->settings)
        r->state = RULE_BOUND;
    else if (!t)
        r->state = !p->may_change && changes_program(r->settings) ? RULE_FAILED : RULE_NOT_TRIED;
    else
        r->state = t->cycles < 0 ? RULE_FAILED : RULE_MEASURED;
    if (r->state == RULE_BOUND) r->gain = r->evidence;
    if (r->state != RULE_MEASURED) return;
    r->cycles = t->cycles;
    r->gain = p->facts.cycles > 0 ? 1 - t->cycles / p->facts.cycles : 0;
}

// The largest gain of a rule named in the list.
static double covered_gain(const struct profile *p, const char *covers)
{
    double most = 0;
    for (const char *at = covers; *at;) {
        size_t length = strcspn(at, ",");
        for (size_t i = 0; i < p->rules.count; i++) {
            const struct rule *r = &p->rules.data[i];
            if (strlen(r->name) == length && memcmp(r->name, at, length) == 0) most = fmax(most, r->gain);
        }
        at += length + (at[length] == ',');
    }
    return most;
}

static int by_rest(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    if (x->rest != y->rest) return x->rest < y->rest ? 1 : -1;
    if (x->gain != y->gain) return x->gain < y->gain ? 1 : -1;
    if (x->evidence != y->evidence) return x->evidence < y->evidence ? 1 : -1;
    return strcmp(x->name, y->name);
}

void profile_rank(struct profile *p)
{
    for (size_t i = 0; i < p->rules.count; i++) measure(p, &p->rules.data[i]);
    for (size_t i = 0; i < p->rules.count; i++) {
        struct rule *r = &p->rules.data[i];
        r->rest = r->gain - fmin(covered_gain(p, r->covers), fmax(r->gain, 0));
    }
    if (p->rules.count) qsort(p->rules.data, p->rules.count, sizeof *p->rules.data, by_rest);
}

static bool is_header(const char *place, size_t length)
{
    const char *dot = NULL, *colon = NULL;
    for (size_t k = 0; k < length; k++) {
        if (place[k] == '.') dot = place + k;
        if (place[k] == ':') colon = place + k;
    }
    return dot && colon > dot &&
           (dot[1] == 'h' || str_starts_with(dot, ".cuh") || str_starts_with(dot, ".inl"));
}

const char *profile_place(const char *lines, int *length)
{
    static const char chain[] = "(inlined at ";
    size_t first = strcspn(lines, ",(");
    for (const char *at = lines; *at;) {
        if (str_starts_with(at, chain)) at += strlen(chain);
        size_t end = strcspn(at, ",()");
        while (end && at[end - 1] == ' ') end--;
        *length = (int)end;
        if (end && !is_header(at, end)) return at;
        at += strcspn(at, ",()");
        at += strspn(at, ",) ");
    }
    while (first && lines[first - 1] == ' ') first--;
    *length = (int)first;
    return lines;
}

void profile_sentence(const struct profile *p, struct strbuf *out)
{
    const struct rule *first = p->rules.count ? &p->rules.data[0] : NULL;
    if (!p->facts.hottest) {
        strbuf_puts(out, "nothing was timed on SMs");
        return;
    }
    strbuf_printf(out, "kernel %s is limited by %s", p->facts.hottest->name, p->facts.limits.by);
    if (!first || first->gain < LEAST) {
        strbuf_puts(out, "; no rule gains 3 % of the time");
        return;
    }
    strbuf_printf(out, "; without %s it takes at most %.1f %% less time", first->name, 100 * first->gain);
    if (first->state == RULE_BOUND) strbuf_puts(out, " (a bound, not a run)");
    if (!first->line) return;
    int length;
    const char *place = profile_place(first->line, &length);
    strbuf_printf(out, "; the line: %.*s", length, place);
}
