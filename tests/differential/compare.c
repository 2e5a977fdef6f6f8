// One kernel: memory after the oracle's run compared with memory after the engine's.
#include "differential/differential.h"
#include "differential/laws.h"

#include "api/warpfold.h"
#include "base/arena.h"
#include "base/rng.h"
#include "harness/settings.h"
#include "harness/test.h"
#include "oracle/oracle.h"
#include "report/run.h"
#include "tech/counts.h"
#include "tech/extra.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = {"same",   "invalid", "differs",  "refused",
                                        "failed", "crashed", "timed out"};
    return names[v];
}

// Requests of a way besides the context's keys.
struct asked {
    struct wf_context *c;
    struct wf_study *study;
    bool timed, counts, adds_barriers, stack;
    // seed of the SMs given to programs running together; 0: every program may use every SM
    uint64_t places;
    const char *again; // extra setting of a second run; NULL: no second run
    // warp instructions of each program of a joint run without mechanisms; NULL: not known
    const uint64_t *executions;
};

static bool set_pair(struct asked *a, const char *pair)
{
    const char *value = strchr(pair, '=') + 1;
    unsigned long long number = strtoull(value, NULL, 10);
    if (str_starts_with(pair, "gpu=")) return a->timed = true, wf_gpu(a->c, value) == WF_OK;
    if (str_starts_with(pair, "tech=")) { // values shared by a mechanism are verified
        wf_set_verify(a->c, true);
        a->adds_barriers = strstr(value, "silicon-sync");
        return wf_tech(a->c, value) == WF_OK;
    }
    if (str_starts_with(pair, "above=") || str_starts_with(pair, "below="))
        return a->timed = true, extra_add(a->c, value, str_starts_with(pair, "above="));
    if (str_starts_with(pair, "study="))
        return (a->study = wf_study_create(value)) && wf_set_study(a->c, a->study) == WF_OK;
    if (str_starts_with(pair, "host.verify=")) return wf_set_verify(a->c, number), true;
    if (str_starts_with(pair, "host.threads=")) return wf_set_threads(a->c, (unsigned)number), true;
    if (str_starts_with(pair, "host.cycles=")) return wf_set_max_cycles(a->c, number), true;
    if (str_starts_with(pair, "host.places=")) return a->places = number, true;
    if (str_starts_with(pair, "host.watch=")) return wf_watch(a->c, number), true;
    if (str_starts_with(pair, "host.again=")) return a->again = value, true;
    if (str_starts_with(pair, "host.counts=")) return a->counts = number, true;
    if (str_starts_with(pair, "simt=")) a->stack = str_equal(value, "stack");
    return settings_pair(a->c, pair);
}

// Whether instructions issued and skipped with mechanisms must add up to the instructions issued without.
// False where the count depends on time: warps that spin, and diverged parts of a warp. Such parts may meet
// at a barrier inserted by a mechanism and continue together; without the barrier the parts run separately.
static bool has_same_counts(const struct asked *a, const struct generated *g)
{
    return !g->order && !g->undefined && (a->stack || !a->adds_barriers);
}

static void first_accumulators(uint64_t seed, uint8_t *acc)
{
    struct rng r;
    rng_init(&r, seed ^ 0xacc);
    for (unsigned k = 0; k < GENERATOR_ACC_BYTES; k += 8) {
        uint64_t v = rng_next(&r);
        if (k >= 192 && k < 208) v = 0; // sums of small floats begin at 0
        memcpy(acc + k, &v, 8);
    }
}

static uint32_t threads_of(const struct generated *g) { return g->block[0] * g->block[1] * g->block[2]; }

// ---- the oracle

enum {
    IN_AT = 0x10000000,
    ACC_AT = 0x20000000,
    OUT_AT = 0x30000000
}; // addresses that no stored value depends on

void expectation_fini(struct expectation *e)
{
    free(e->in);
    free(e->out);
    *e = (struct expectation){0};
}

static bool run_oracle(const struct ptx_module *m, const struct ptx_function *kernel, uint64_t max_steps,
                       uint64_t schedule, struct expectation *e, struct strbuf *why)
{
    uint8_t params[GENERATOR_PARAMS_MAX];
    struct oracle *o = oracle_create(m);
    struct oracle_launch l = {.kernel = kernel,
                              .params = params,
                              .strict = true,
                              .ordered = e->launch.order,
                              .schedule = schedule,
                              .warp_size = e->launch.warp,
                              .max_steps = max_steps ? max_steps : 100000000};
    memcpy(l.grid, e->launch.grid, sizeof l.grid);
    memcpy(l.block, e->launch.block, sizeof l.block);
    generator_input(e->launch.seed, e->in);
    first_accumulators(e->launch.seed, e->acc);
    memset(e->out, 0, e->out_bytes);
    generator_params(&e->launch, IN_AT, OUT_AT, ACC_AT, params);
    oracle_map(o, IN_AT, e->in, GENERATOR_IN_BYTES);
    oracle_map(o, ACC_AT, e->acc, sizeof e->acc);
    oracle_map(o, OUT_AT, e->out, e->out_bytes);
    bool good = oracle_launch(o, &l);
    if (!good) strbuf_puts(why, oracle_error(o));
    e->steps = oracle_steps(o);
    oracle_destroy(o);
    return good;
}

// A kernel ordering threads by more than barriers must leave the same memory under any schedule.
static bool run_schedules(const struct ptx_module *m, const struct ptx_function *kernel, uint64_t max_steps,
                          struct expectation *e, struct strbuf *why)
{
    if (!run_oracle(m, kernel, max_steps, 0, e, why)) return false;
    struct expectation again = *e;
    bool same = true;
    again.in = heap_alloc(GENERATOR_IN_BYTES);
    again.out = heap_alloc(e->out_bytes + 1);
    for (uint64_t schedule = 1; e->launch.order && schedule <= 3 && same; schedule++) {
        same = run_oracle(m, kernel, max_steps, e->launch.seed + schedule, &again, why) &&
               memcmp(again.out, e->out, e->out_bytes) == 0 && memcmp(again.acc, e->acc, sizeof e->acc) == 0;
        if (!same && !why->length) strbuf_puts(why, "another schedule leaves other memory");
    }
    expectation_fini(&again);
    return same;
}

bool expect(const char *text, uint64_t max_steps, struct expectation *e, struct strbuf *why)
{
    struct diag d;
    *e = (struct expectation){0};
    strbuf_clear(why);
    if (!generated_read(text, &e->launch)) {
        strbuf_puts(why, "no \"// launch\" comment");
        return false;
    }
    uint32_t blocks = e->launch.grid[0] * e->launch.grid[1] * e->launch.grid[2];
    e->out_bytes = blocks * (e->launch.undefined ? 64u * 1024 : threads_of(&e->launch) * GENERATOR_OUT_BYTES);
    e->in = heap_alloc(GENERATOR_IN_BYTES);
    e->out = heap_alloc(e->out_bytes + 1);
    diag_init(&d);
    struct ptx_module *m =
        ptx_parse(text, strlen(text), diag_add_source(&d, "kernel.ptx", text, strlen(text)), &d);
    struct ptx_function *kernel = m ? ptx_find_entry(m, "k", &d) : NULL;
    bool good = false;
    if (kernel && kernel->prototype.param_bytes == generator_param_bytes(&e->launch))
        good = e->launch.undefined || run_schedules(m, kernel, max_steps, e, why);
    else
        diag_format(&d, false, why);
    if (m) ptx_module_free(m);
    diag_fini(&d);
    if (!good) expectation_fini(e);
    return good;
}

// ---- the engine

static void describe_difference(const uint8_t *got, const uint8_t *want, uint32_t size, const char *what,
                                struct strbuf *why)
{
    uint32_t first = 0, count = 0;
    for (uint32_t k = size; k-- > 0;) {
        if (got[k] == want[k]) continue;
        first = k;
        count++;
    }
    if (!count) return;
    uint32_t at = first & ~3u, g, w;
    memcpy(&g, got + at, 4);
    memcpy(&w, want + at, 4);
    strbuf_printf(why, "%s+0x%x", what, at);
    if (str_equal(what, "out"))
        strbuf_printf(why, " (thread %u, byte %u)", at / GENERATOR_OUT_BYTES, at % GENERATOR_OUT_BYTES);
    strbuf_printf(why, " is 0x%08x, the oracle has 0x%08x; %u bytes differ. ", g, w, count);
}

static bool check_memory(struct wf_context *c, uint64_t address, const uint8_t *want, uint32_t size,
                         const char *what, struct strbuf *why)
{
    uint8_t *got = heap_alloc(size + 1);
    bool same = wf_read(c, address, got, size) == WF_OK && memcmp(got, want, size) == 0;
    if (!same) describe_difference(got, want, size, what, why);
    free(got);
    return same;
}

struct addresses {
    uint64_t in, acc, out;
};

// Places the launch's data in memory; fills the parameters and returns the launch's shape.
static struct wf_launch_config prepare(struct wf_context *c, const struct expectation *e,
                                       struct addresses *at, uint8_t params[GENERATOR_PARAMS_MAX])
{
    uint8_t bytes[GENERATOR_IN_BYTES];
    *at = (struct addresses){wf_alloc(c, sizeof bytes), wf_alloc(c, GENERATOR_ACC_BYTES), 0};
    at->out = wf_alloc(c, e->out_bytes);
    generator_input(e->launch.seed, bytes);
    wf_write(c, at->in, bytes, sizeof bytes);
    first_accumulators(e->launch.seed, bytes);
    wf_write(c, at->acc, bytes, GENERATOR_ACC_BYTES);
    generator_params(&e->launch, at->in, at->out, at->acc, params);
    struct wf_launch_config shape = {0};
    memcpy(shape.grid, e->launch.grid, sizeof shape.grid);
    memcpy(shape.block, e->launch.block, sizeof shape.block);
    return shape;
}

static enum wf_status launch(struct wf_context *c, struct wf_kernel *k, const struct expectation *e,
                             struct addresses *at, struct wf_stats *stats)
{
    uint8_t params[GENERATOR_PARAMS_MAX];
    struct wf_launch_config shape = prepare(c, e, at, params);
    return wf_launch_packed(k, &shape, params, generator_param_bytes(&e->launch), stats);
}

static bool check_all(struct wf_context *c, const struct addresses *at, const struct expectation *e,
                      struct strbuf *why)
{
    bool same = check_memory(c, at->out, e->out, e->out_bytes, "out", why);
    same &= check_memory(c, at->acc, e->acc, sizeof e->acc, "acc", why);
    same &= check_memory(c, at->in, e->in, GENERATOR_IN_BYTES, "in", why);
    return same;
}

static enum verdict run_engine(struct asked *a, const char *text, const struct expectation *e,
                               struct counts *counts, struct strbuf *why)
{
    struct wf_context *c = a->c;
    struct wf_stats stats = {0};
    struct addresses at;
    struct wf_module *m = wf_module_load(c, "kernel.ptx", text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    enum wf_status status = k ? launch(c, k, e, &at, &stats) : WF_BAD_INPUT;
    if (status != WF_OK) {
        strbuf_puts(why, wf_errors(c));
        if (stats.fault_text) strbuf_puts(why, stats.fault_text);
        return status == WF_PROGRAM_FAILED ? FAILED : REFUSED;
    }
    if (counts && a->timed) {
        counts_launched(counts, k);
        counts_take(counts);
    }
    if (stats.verify_mismatches != WF_UNKNOWN && stats.verify_mismatches) {
        strbuf_printf(why, "%llu shared values are not what their readers would have computed",
                      (unsigned long long)stats.verify_mismatches);
        return DIFFERS;
    }
    if (e->launch.undefined) return SAME;
    return check_all(c, &at, e, why) ? SAME : DIFFERS;
}

// The settings a run includes.
enum part { ALL, WITHOUT_MECHANISMS, WITHOUT_TIME };

static bool takes(enum part part, const char *pair)
{
    bool mechanism =
        str_starts_with(pair, "tech=") || str_starts_with(pair, "above=") || str_starts_with(pair, "below=");
    if (part != ALL && mechanism) return false;
    return part != WITHOUT_TIME || !str_starts_with(pair, "gpu=");
}

static bool set_all(struct asked *a, const struct generated *g, way settings, const char *extra,
                    enum part part, struct strbuf *why)
{
    bool set = set_pair(a, "exec.max_warp_instructions=20000000") && set_pair(a, "memory.size=16M") &&
               set_pair(a, "compile.stack_bytes=16384");
    if (g->warp) {
        char size[32];
        snprintf(size, sizeof size, "warp.size=%u", g->warp);
        set = set && set_pair(a, size);
    }
    for (unsigned k = 0; set && settings[k]; k++)
        if (takes(part, settings[k])) set = set_pair(a, settings[k]);
    if (set && g->splits) set = set_pair(a, "simt=splits");
    if (set && extra) set = set_pair(a, extra);
    if (!set) strbuf_puts(why, wf_errors(a->c));
    return set;
}

static enum verdict run_with(const char *text, const struct expectation *e, way settings, const char *extra,
                             enum part part, struct counts *counts, struct strbuf *why)
{
    struct asked a = {.c = wf_context_create()};
    bool set = set_all(&a, &e->launch, settings, extra, part, why);
    enum verdict v =
        set ? run_engine(&a, text, e, a.counts && has_same_counts(&a, &e->launch) ? counts : NULL, why)
            : REFUSED;
    wf_context_destroy(a.c);
    wf_study_destroy(a.study);
    return v;
}

enum verdict compare(const char *text, const struct expectation *e, way settings, const char *extra,
                     struct strbuf *why)
{
    struct counts with = {0}, without = {0};
    strbuf_clear(why);
    if (e->launch.undefined && run_with(text, e, settings, extra, WITHOUT_TIME, &with, why) == FAILED) {
        strbuf_clear(why); // fails without timing as well: warps wait for each other at different barriers
        return SAME;
    }
    enum verdict v = run_with(text, e, settings, extra, ALL, &with, why);
    if (v == SAME && with.rows.count) {
        v = run_with(text, e, settings, extra, WITHOUT_MECHANISMS, &without, why);
        if (v == SAME && !counts_agree(&without, &with, why)) v = DIFFERS;
    }
    counts_fini(&with);
    counts_fini(&without);
    return v;
}

// ---- several at once

enum { TOGETHER_MAX = 8 };

struct guest { // ready for launch: no waiting call is needed between launches
    struct wf_kernel *kernel;
    struct wf_launch_config shape;
    struct addresses at;
    uint8_t params[GENERATOR_PARAMS_MAX];
    size_t param_bytes;
    struct wf_pending *launch;
};

static bool load(struct asked *a, const char *text, struct guest *g)
{
    struct wf_module *m = wf_module_load(a->c, "kernel.ptx", text, strlen(text));
    g->kernel = m ? wf_kernel_find(m, "k") : NULL;
    g->shape.stream = wf_stream_create(a->c);
    return g->kernel;
}

static bool invite(struct asked *a, const char *text, const struct expectation *e, struct guest *g)
{
    *g = (struct guest){.param_bytes = generator_param_bytes(&e->launch)};
    g->shape = prepare(a->c, e, &g->at, g->params);
    return load(a, text, g);
}

// A program that fails; its parameter points to an allocated word.
static bool invite_breaker(struct asked *a, const char *text, uint32_t warp_size, struct guest *g)
{
    uint32_t threads = warp_size && warp_size < 32 ? 4 : 48;
    *g = (struct guest){.shape = {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, .param_bytes = 8};
    uint64_t word = wf_alloc(a->c, 64);
    memcpy(g->params, &word, 8);
    return load(a, text, g);
}

static uint64_t number_of(struct wf_context *c, const char *name)
{
    struct wf_key key;
    for (size_t k = 0; wf_key_at(c, k, &key); k++)
        if (str_equal(key.name, name)) return strtoull(key.value, NULL, 10);
    return 0;
}

static uint32_t count_sms(struct wf_context *c)
{
    uint64_t sms = number_of(c, "gpu.sm_count");
    return sms ? (uint32_t)sms : 1;
}

// Restricts every second program's stream to a random range of SMs.
static void place(const struct asked *a, struct wf_stream *s, unsigned k)
{
    struct rng r;
    rng_init(&r, a->places + k);
    uint32_t sms = count_sms(a->c), first = rng_below(&r, sms);
    if (a->places && rng_below(&r, 2)) wf_stream_place(s, first, 1 + rng_below(&r, sms - first));
}

// Launches; if the stream's SMs have no room for the kernel, launches on all SMs.
static bool begin(struct asked *a, struct guest *g)
{
    for (unsigned turn = 0; turn < 2; turn++) {
        if (wf_launch_async_packed(g->kernel, &g->shape, g->params, g->param_bytes, &g->launch) == WF_OK)
            return true;
        if (!a->places || turn) break;
        wf_clear_errors(a->c);
        wf_stream_place(g->shape.stream, 0, 0);
    }
    return false;
}

static enum verdict ended_well(struct wf_pending *l, struct strbuf *why)
{
    const struct wf_stats *stats = wf_launch_stats(l);
    if (stats->status != WF_OK) {
        strbuf_printf(why, "beside others: %s", stats->fault_text ? stats->fault_text : "failed");
        return stats->status == WF_PROGRAM_FAILED ? FAILED : REFUSED;
    }
    if (stats->verify_mismatches == WF_UNKNOWN || !stats->verify_mismatches) return SAME;
    strbuf_printf(why, "%llu shared values are not what their readers would have computed",
                  (unsigned long long)stats->verify_mismatches);
    return DIFFERS;
}

// Lines with figures of the host.
static bool is_of_host(const char *line)
{
    return strstr(line, "wall_seconds") || strstr(line, "_per_second") ||
           str_starts_with(line, "  \"config\"");
}

// The JSON of all launches, one line per figure, without figures of the host.
static void write_figures(const struct guest *guests, unsigned count, struct strbuf *out)
{
    struct report_run r = {.config_json = "null"};
    struct strbuf all = {0};
    for (unsigned k = 0; k < count; k++)
        report_run_add(&r, guests[k].kernel, &guests[k].shape, wf_launch_stats(guests[k].launch));
    report_run_json(&r, &all);
    for (char *line = all.text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        if (!is_of_host(line)) strbuf_printf(out, "%s\n", line);
    }
    strbuf_fini(&all);
    report_run_fini(&r);
}

// Checks the laws on the figures of one of `count` simultaneous launches.
static bool keeps_laws(struct asked *a, const struct guest *g, uint64_t executions, unsigned count,
                       struct strbuf *why)
{
    const struct wf_stats *s = wf_launch_stats(g->launch);
    struct laws l = {.stats = s, .perfect = number_of(a->c, "memory.perfect"), .executions = executions};
    if (count == 1 && !s->class_count)
        l.slots_a_cycle = number_of(a->c, "issue.schedulers") * number_of(a->c, "issue.width");
    return laws_hold(&l, why);
}

// figures: written only if all checks pass; NULL: not wanted.
static enum verdict run_together(struct asked *a, const char *const *texts, const struct expectation *e,
                                 unsigned count, const char *breaker, struct strbuf *figures,
                                 struct strbuf *why)
{
    struct guest guests[TOGETHER_MAX], broken;
    bool good = !breaker || invite_breaker(a, breaker, e->launch.warp, &broken);
    for (unsigned k = 0; k < count && good; k++) good = invite(a, texts[k], &e[k], &guests[k]);
    for (unsigned k = 0; k < count && good; k++) place(a, guests[k].shape.stream, k);
    for (unsigned k = 0; k < count && good; k++) good = begin(a, &guests[k]);
    if (good && breaker) {
        wf_set_max_cycles(a->c, 100000); // ends a breaker that waits for ever
        good = begin(a, &broken);
    }
    if (!good) strbuf_puts(why, wf_errors(a->c));
    enum verdict v = good ? SAME : REFUSED;
    for (unsigned k = 0; k < count && v == SAME; k++) v = ended_well(guests[k].launch, why);
    if (v == SAME && breaker && wf_launch_status(broken.launch) == WF_OK) {
        strbuf_puts(why, "what should have failed did not");
        v = DIFFERS;
    }
    for (unsigned k = 0; k < count && v == SAME; k++)
        if (!e[k].launch.undefined && !check_all(a->c, &guests[k].at, &e[k], why)) v = DIFFERS;
    for (unsigned k = 0; k < count && v == SAME && figures; k++)
        if (!keeps_laws(a, &guests[k], a->executions ? a->executions[k] : WF_UNKNOWN, count, why))
            v = DIFFERS;
    if (v == SAME && figures) write_figures(guests, count, figures);
    return v;
}

// extra: a further setting, or NULL.
static enum verdict run_together_with(const char *const *texts, const struct expectation *e, unsigned count,
                                      const char *breaker, way settings, const char *extra, struct asked *a,
                                      struct strbuf *figures, struct strbuf *why)
{
    enum verdict v = REFUSED;
    a->c = wf_context_create();
    if (set_all(a, &e->launch, settings, extra, ALL, why))
        v = run_together(a, texts, e, count, breaker, figures, why);
    wf_context_destroy(a->c);
    wf_study_destroy(a->study);
    return v;
}

// Warp instructions of the program alone, without mechanisms; WF_UNKNOWN: mechanisms may change the number.
static uint64_t executions_of(const char *text, const struct expectation *e, way settings)
{
    struct asked a = {.c = wf_context_create()};
    struct strbuf why = {0};
    struct addresses at;
    struct wf_stats stats = {0};
    uint64_t executed = WF_UNKNOWN;
    bool is_same = set_all(&a, &e->launch, settings, NULL, ALL, &why) && !e->launch.order &&
                   !e->launch.undefined && !a.adds_barriers;
    wf_context_destroy(a.c);
    wf_study_destroy(a.study);
    a = (struct asked){.c = wf_context_create()};
    if (is_same && set_all(&a, &e->launch, settings, NULL, WITHOUT_MECHANISMS, &why)) {
        struct wf_module *m = wf_module_load(a.c, "kernel.ptx", text, strlen(text));
        struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
        if (k && launch(a.c, k, e, &at, &stats) == WF_OK) executed = stats.warp_instructions;
    }
    wf_context_destroy(a.c);
    wf_study_destroy(a.study);
    strbuf_fini(&why);
    return executed;
}

// Compares two texts; on a difference writes the first differing line to `why`.
static bool figures_agree(const char *once, const char *again, const char *setting, struct strbuf *why)
{
    const char *a = once, *b = again;
    while (*a && *a == *b) a++, b++;
    if (*a == *b) return true;
    while (a > once && a[-1] != '\n') a--, b--;
    strbuf_printf(why, "with %s: %.*s instead of %.*s", setting, (int)strcspn(b, "\n"), b,
                  (int)strcspn(a, "\n"), a);
    return false;
}

enum verdict compare_together(const char *const *texts, const struct expectation *e, unsigned count,
                              const char *breaker, way settings, struct strbuf *why)
{
    struct asked a = {0}, b = {0};
    struct strbuf once = {0}, again = {0};
    strbuf_clear(why);
    uint64_t executions[TOGETHER_MAX];
    for (unsigned k = 0; k < count && !breaker; k++) executions[k] = executions_of(texts[k], &e[k], settings);
    if (!breaker) a.executions = executions;
    enum verdict v = run_together_with(texts, e, count, breaker, settings, NULL, &a, &once, why);
    if (v == SAME && a.again) {
        b.executions = a.executions;
        v = run_together_with(texts, e, count, breaker, settings, a.again, &b, &again, why);
        if (v == SAME && !figures_agree(strbuf_text(&once), strbuf_text(&again), a.again, why)) v = DIFFERS;
    }
    strbuf_fini(&once);
    strbuf_fini(&again);
    return v;
}

// ---- in a child

static void child(const char *text, way settings, const char *extra, uint64_t max_steps, int to)
{
    struct expectation e;
    struct strbuf why = {0};
    enum verdict v = INVALID;
    if (expect(text, max_steps, &e, &why)) v = compare(text, &e, settings, extra, &why);
    if (write(to, strbuf_text(&why), why.length) < 0) _exit(INVALID);
    _exit((int)v);
}

enum verdict judge(const char *text, way settings, const char *extra, uint64_t max_steps, unsigned limit_s,
                   struct strbuf *why)
{
    int pipes[2], status = 0;
    strbuf_clear(why);
    if (pipe(pipes)) return INVALID;
    pid_t pid = fork();
    if (pid == 0) {
        close(pipes[0]);
        if (!freopen("/dev/null", "w", stderr)) _exit(INVALID);
        test_limit_time(limit_s);
        child(text, settings, extra, max_steps, pipes[1]);
    }
    close(pipes[1]);
    char part[512];
    for (ssize_t n; (n = read(pipes[0], part, sizeof part)) > 0;) strbuf_write(why, part, (size_t)n);
    close(pipes[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status))
        return (enum verdict)WEXITSTATUS(status) <= TIMED_OUT ? (enum verdict)WEXITSTATUS(status) : CRASHED;
    return test_is_limit(WTERMSIG(status)) ? TIMED_OUT : CRASHED;
}
