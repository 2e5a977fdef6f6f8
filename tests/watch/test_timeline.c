// Timelines and samples agree with the counters, with each other, and with unobserved runs.
#include "api/warpfold.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "harness/test.h"
#include "isa/program.h"
#include "report/timeline.h"
#include "watch/grammar.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTERS_MAX = 400, SCHEDULERS = 8 };

struct sample_at {
    uint64_t from, to;
    uint64_t counters[COUNTERS_MAX];
};

struct observed {
    struct test *t;
    struct wf_context *context;
    uint64_t cycles, counters[COUNTERS_MAX]; // sums over the launches
    size_t counter_count;
    VEC(struct sample_at) samples;
};

static uint64_t counter_of(const struct observed *o, const char *name)
{
    return o->counters[counter_index(o->t, name)];
}

// Samples are contiguous from the launch's first cycle to its last, and add up to the launch's counters.
static void take_samples(struct observed *o, const struct wf_stats *stats)
{
    uint64_t sums[COUNTERS_MAX] = {0}, at = 0;
    for (size_t k = 0; k < stats->sample_count; k++) {
        const struct wf_sample *s = &stats->samples[k];
        struct sample_at copy = {.from = s->from, .to = s->to};
        CHECK(o->t, s->from == at && s->to > at);
        at = s->to;
        for (size_t n = 0; n < stats->counter_count; n++) {
            copy.counters[n] = s->counters[n];
            sums[n] += s->counters[n] == WF_UNKNOWN ? 0 : s->counters[n];
        }
        vec_push(&o->samples, copy);
    }
    if (!stats->sample_count) return;
    CHECK_EQ(o->t, at, stats->cycles);
    for (size_t n = 0; n < stats->counter_count; n++)
        if (stats->samples[0].counters[n] != WF_UNKNOWN)
            CHECK_MSG(o->t, sums[n] == stats->counters[n].value, "%s", stats->counters[n].name);
}

static void launched(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct observed *o = context;
    (void)kernel;
    (void)shape;
    o->cycles += stats->cycles;
    CHECK(o->t, stats->counter_count <= COUNTERS_MAX);
    if (stats->counter_count > COUNTERS_MAX) return;
    o->counter_count = stats->counter_count;
    for (size_t n = 0; n < stats->counter_count; n++) o->counters[n] += stats->counters[n].value;
    take_samples(o, stats);
}

// Runs a bundled kernel on a GPU with "key=value …". The caller ends it with observed_fini.
static void observe(struct observed *o, struct test *t, const char *name, const char *gpu,
                    const char *settings, unsigned threads, bool watch)
{
    *o = (struct observed){.t = t, .context = wf_context_create()};
    CHECK_EQ(t, wf_gpu(o->context, gpu), WF_OK);
    settings_apply(t, o->context, settings);
    wf_set_threads(o->context, threads);
    wf_watch(o->context, watch);
    bundled_run(t, o->context, name, launched, o);
}

static void observed_fini(struct observed *o)
{
    vec_fini(&o->samples);
    wf_context_destroy(o->context);
}

static const char *const kernels[][3] = {
    {"reduction", "tiny", ""},      // barriers
    {"bfs", "gtx1080ti-paper", ""}, // launches in sequence, divergence
    {"nqueens", "tiny", "issue.scheduler=lrr fetch.refill=space"},
    {"scan", "titanv", "issue.width=2"},
};

// -- contents of a watch ------------------------------------------------------------------------------------

static void check_inst(struct test *t, const struct watcher *w, const struct watch_inst *i)
{
    const struct watch_launch *l = &w->launches.data[i->launch];
    CHECK(t, i->inst < l->program->inst_count);
    CHECK(t, i->fetched >= l->from && i->fetched < i->buffered);
    if (i->flushed) {
        CHECK(t, i->issued > i->fetched && i->issued < l->to);
        return;
    }
    CHECK(t, i->mask && i->buffered <= i->issued && i->issued < i->collected);
    CHECK_MSG(t, i->done > i->issued && i->done <= l->to, "issued %llu, done %llu, launch's end %llu",
              (unsigned long long)i->issued, (unsigned long long)i->done, (unsigned long long)l->to);
}

// In every cycle of residence a warp either issues or has exactly one reason to wait.
static void check_warp(struct test *t, const struct watch_sm *w, const struct watch_span *life)
{
    uint64_t cycles = life->to - life->from, told = 0, at = life->from;
    for (size_t k = 0; k < w->spans.count; k++) {
        const struct watch_span *s = &w->spans.data[k];
        if (s->kind != WATCH_WAIT || s->slot != life->slot || s->from < life->from || s->from >= life->to)
            continue;
        CHECK(t, s->from >= at && s->to > s->from && s->to <= life->to); // in order, without overlap
        at = s->to;
        told += s->to - s->from;
    }
    for (size_t k = 0; k < w->insts.count; k++) {
        const struct watch_inst *i = &w->insts.data[k];
        if (i->slot != life->slot || i->flushed || i->issued < life->from || i->issued >= life->to) continue;
        told += !i->second;
        for (size_t n = 0; n < w->spans.count && n < 2000; n++) {
            const struct watch_span *s = &w->spans.data[n];
            bool waits = s->kind == WATCH_WAIT && s->slot == life->slot;
            CHECK(t, !waits || i->issued < s->from || i->issued >= s->to);
        }
    }
    CHECK_EQ(t, told, cycles);
}

// A scheduler issues for one warp a cycle, and its records are in order of issue.
static void check_order(struct test *t, const struct watch_sm *w, unsigned schedulers)
{
    uint64_t last[SCHEDULERS] = {0};
    uint8_t slot[SCHEDULERS] = {0};
    for (size_t k = 0; k < w->insts.count; k++) {
        const struct watch_inst *i = &w->insts.data[k];
        unsigned scheduler = i->slot % schedulers;
        if (i->flushed) continue;
        CHECK(t, i->issued >= last[scheduler]);
        CHECK_EQ(t, i->issued == last[scheduler], i->second);
        if (i->second) CHECK_EQ(t, i->slot, slot[scheduler]);
        last[scheduler] = i->issued;
        slot[scheduler] = i->slot;
    }
}

static void test_counts(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(kernels); n++) {
        struct observed o;
        uint64_t issued = 0, flushed = 0, warp_cycles = 0, warps = 0, blocks = 0;
        char settings[200];
        snprintf(settings, sizeof settings, "issue.schedulers=4 timeline.limit=10000000 %s", kernels[n][2]);
        observe(&o, t, kernels[n][0], kernels[n][1], settings, 1, true);
        const struct watcher *w = wf_watched(o.context);
        CHECK(t, !w->truncated);
        for (unsigned k = 0; k < WATCH_SMS; k++) {
            const struct watch_sm *sm = w->sms[k];
            if (!sm) continue;
            for (size_t i = 0; i < sm->insts.count; i++) {
                check_inst(t, w, &sm->insts.data[i]);
                *(sm->insts.data[i].flushed ? &flushed : &issued) += 1;
            }
            check_order(t, sm, 4);
            for (size_t i = 0; i < sm->spans.count; i++) {
                const struct watch_span *s = &sm->spans.data[i];
                blocks += s->kind == WATCH_BLOCK;
                if (s->kind != WATCH_WARP) continue;
                warp_cycles += s->to - s->from;
                if (warps++ < 40) check_warp(t, sm, s);
            }
        }
        CHECK_EQ(t, issued, counter_of(&o, "sm.issue.issued"));
        CHECK_EQ(t, flushed, counter_of(&o, "sm.fetch.flushed"));
        CHECK_EQ(t, issued + flushed, counter_of(&o, "sm.fetch.fetched"));
        CHECK_EQ(t, warp_cycles, counter_of(&o, "sm.sm.warp_cycles"));
        CHECK_EQ(t, warps, counter_of(&o, "exec.warps"));
        CHECK_EQ(t, blocks, counter_of(&o, "exec.blocks"));
        observed_fini(&o);
    }
}

// An observed run equals an unobserved run.
static void test_unchanged(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(kernels); n++) {
        struct observed plain, seen;
        char settings[200];
        snprintf(settings, sizeof settings, "report.interval=77 %s", kernels[n][2]);
        observe(&plain, t, kernels[n][0], kernels[n][1], kernels[n][2], 1, false);
        observe(&seen, t, kernels[n][0], kernels[n][1], settings, 1, true);
        CHECK(t, !plain.samples.count && seen.samples.count > 3);
        CHECK_EQ(t, seen.cycles, plain.cycles);
        CHECK(t, memcmp(seen.counters, plain.counters, sizeof plain.counters) == 0);
        observed_fini(&plain);
        observed_fini(&seen);
    }
}

static char *timeline_of(const struct observed *o, bool konata)
{
    struct strbuf text = {0};
    report_timeline(wf_watched(o->context), konata, &text);
    return text.text;
}

// Neither host threads nor single-stepped idle cycles change a record.
static void test_same(struct test *t)
{
    static const struct {
        const char *settings;
        unsigned threads;
    } others[] = {{"", 2}, {"sim.skip_idle=0", 1}, {"sim.skip_idle=0", 3}};
    for (size_t n = 0; n < 2; n++) {
        struct observed first;
        static const char base[] = "report.interval=100 timeline.limit=5000";
        observe(&first, t, kernels[n][0], kernels[n][1], base, 1, true);
        char *json = timeline_of(&first, false), *konata = timeline_of(&first, true);
        CHECK(t, grammar_json(json));
        for (size_t k = 0; k < TEST_COUNT(others); k++) {
            struct observed other;
            char settings[200];
            snprintf(settings, sizeof settings, "%s %s", base, others[k].settings);
            observe(&other, t, kernels[n][0], kernels[n][1], settings, others[k].threads, true);
            char *other_json = timeline_of(&other, false), *other_konata = timeline_of(&other, true);
            CHECK(t, strcmp(json, other_json) == 0);
            CHECK(t, strcmp(konata, other_konata) == 0);
            CHECK_EQ(t, other.samples.count, first.samples.count);
            if (other.samples.count == first.samples.count)
                CHECK(t, memcmp(other.samples.data, first.samples.data,
                                first.samples.count * sizeof *first.samples.data) == 0);
            free(other_json);
            free(other_konata);
            observed_fini(&other);
        }
        free(json);
        free(konata);
        observed_fini(&first);
    }
}

// -- windows and filters ------------------------------------------------------------------------------------

static bool same_inst(const struct watch_inst *a, const struct watch_inst *b)
{
    return a->fetched == b->fetched && a->buffered == b->buffered && a->issued == b->issued &&
           a->collected == b->collected && a->done == b->done && a->mask == b->mask && a->inst == b->inst &&
           a->launch == b->launch && a->slot == b->slot && a->flushed == b->flushed;
}

// A window with a filter keeps exactly the records that lie within both.
static void test_window(struct test *t)
{
    static const uint64_t from = 900, to = 2500, warps = 0x0b; // 0,1,3
    struct observed all, part;
    observe(&all, t, "bfs", "gtx1080ti-paper", "timeline.limit=10000000", 1, true);
    observe(&part, t, "bfs", "gtx1080ti-paper",
            "timeline.from=900 timeline.to=2500 timeline.sm=0,2-3 timeline.warps=0-1,3", 1, true);
    const struct watcher *a = wf_watched(all.context), *b = wf_watched(part.context);
    uint64_t kept = 0;
    for (unsigned k = 0; k < WATCH_SMS; k++) {
        bool wanted = k == 0 || k == 2 || k == 3;
        CHECK_EQ(t, b->sms[k] != NULL, wanted);
        if (!wanted) continue;
        size_t at = 0;
        for (size_t i = 0; i < a->sms[k]->insts.count; i++) {
            const struct watch_inst *x = &a->sms[k]->insts.data[i];
            if (x->issued < from || x->issued >= to || !(warps >> x->slot & 1)) continue;
            CHECK(t, at < b->sms[k]->insts.count && same_inst(x, &b->sms[k]->insts.data[at]));
            at++;
        }
        CHECK_EQ(t, at, b->sms[k]->insts.count);
        kept += at;
        for (size_t i = 0; i < b->sms[k]->spans.count; i++) {
            const struct watch_span *s = &b->sms[k]->spans.data[i];
            CHECK(t, s->from >= from && s->to <= to && s->from < s->to);
            CHECK(t, s->kind == WATCH_BLOCK || warps >> s->slot & 1);
        }
    }
    CHECK(t, kept > 100);
    observed_fini(&all);
    observed_fini(&part);
}

// A full timeline says so, and holds every record up to the cycle of its end.
static void test_limit(struct test *t)
{
    struct observed all, part;
    observe(&all, t, "reduction", "tiny", "timeline.limit=10000000", 1, true);
    observe(&part, t, "reduction", "tiny", "timeline.limit=1000", 1, true);
    const struct watcher *a = wf_watched(all.context), *b = wf_watched(part.context);
    CHECK(t, !a->truncated && b->truncated && b->config.to < a->now);
    uint64_t want = 0, got = b->sms[0]->insts.count, spans = b->sms[0]->spans.count;
    for (size_t i = 0; i < a->sms[0]->insts.count; i++)
        want += a->sms[0]->insts.data[i].issued < b->config.to;
    CHECK_EQ(t, got, want);
    CHECK(t, got + spans >= 1000 && got + spans < 1300);
    observed_fini(&all);
    observed_fini(&part);
}

// -- files --------------------------------------------------------------------------------------------------

static uint64_t count_of(const char *text, const char *part)
{
    uint64_t n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p += strlen(part)) n++;
    return n;
}

static void test_files(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(kernels); n++) {
        struct observed o;
        struct grammar_konata k;
        char settings[200];
        snprintf(settings, sizeof settings, "timeline.limit=10000000 %s", kernels[n][2]);
        observe(&o, t, kernels[n][0], kernels[n][1], settings, 1, true);
        char *json = timeline_of(&o, false), *konata = timeline_of(&o, true);
        uint64_t issued = counter_of(&o, "sm.issue.issued");
        uint64_t slices;
        CHECK(t, grammar_json(json));
        CHECK(t, grammar_rows(json, &slices) && slices > issued);
        CHECK_EQ(t, count_of(json, "\"cat\":\"issue\"") + count_of(json, "\"cat\":\"memory\""), issued);
        CHECK_EQ(t, count_of(json, "\"cat\":\"flush\""), counter_of(&o, "sm.fetch.flushed"));
        CHECK_EQ(t, count_of(json, "\"cat\":\"launch\""), wf_watched(o.context)->launches.count);
        CHECK(t, grammar_konata(t, konata, &k));
        CHECK_EQ(t, k.retired, issued);
        CHECK_EQ(t, k.flushed, counter_of(&o, "sm.fetch.flushed"));
        CHECK_EQ(t, k.started, counter_of(&o, "sm.fetch.fetched"));
        CHECK(t, k.last <= wf_watched(o.context)->now);
        free(json);
        free(konata);
        observed_fini(&o);
    }
    CHECK(t, report_timeline_is_konata("a/b.kanata") && report_timeline_is_konata("x.konata"));
    CHECK(t, !report_timeline_is_konata("konata") && !report_timeline_is_konata("b.json"));
}

// A warp of the first block reaches its barrier, waits until the last warp has, and goes on.
static void test_barrier(struct test *t)
{
    struct observed o;
    uint64_t last_arrival = 0, barriers = 0;
    observe(&o, t, "reduction", "tiny", "gpu.sm_count=1 sm.blocks=1", 1, true);
    const struct watch_sm *w = wf_watched(o.context)->sms[0];
    const struct watch_span *block = NULL;
    for (size_t i = 0; i < w->spans.count && !block; i++)
        if (w->spans.data[i].kind == WATCH_BLOCK) block = &w->spans.data[i];
    CHECK(t, block != NULL);
    uint64_t released = UINT64_MAX;
    for (size_t i = 0; block && i < w->spans.count; i++) {
        const struct watch_span *s = &w->spans.data[i];
        if (s->kind != WATCH_WAIT || s->state != WATCH_BARRIER || s->from >= block->to) continue;
        barriers++;
        if (released == UINT64_MAX) released = s->to;
        if (s->to == released && s->from > last_arrival) last_arrival = s->from;
    }
    CHECK(t, barriers > 2);
    CHECK_EQ(t, released, last_arrival + 4); // barrier.latency 5 from the cycle before, the issue cycle
    observed_fini(&o);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"counts", test_counts},   {"unchanged", test_unchanged}, {"same", test_same},
        {"window", test_window},   {"limit", test_limit},         {"files", test_files},
        {"barrier", test_barrier},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
