// Timelines of launches resident on the chip together: their contents, and unchanged results.
#include "api/warpfold.h"
#include "harness/counter.h"
#include "harness/fixture.h"
#include "harness/test.h"
#include "isa/program.h"
#include "report/timeline.h"
#include "watch/grammar.h"

#include <stdlib.h>
#include <string.h>

#define PTX "tests/api/streams.ptx"

enum { LAUNCHES = 4, WORDS = 1024 };

struct played { // launches in two streams and in the default stream
    struct fixture f;
    struct wf_pending *launches[LAUNCHES];
    unsigned count;
};

static void begin(struct played *s, struct test *t, const char *gpu, const char *settings, bool watch)
{
    *s = (struct played){.f = fixture_begin(t, gpu, settings, PTX, WORDS)};
    wf_watch(s->f.c, watch);
    wf_stream_name(s->f.a, "\"left\"");
}

static void launch(struct played *s, const char *kernel, struct wf_stream *stream, uint32_t blocks,
                   uint32_t threads, void *const *args, size_t count)
{
    s->launches[s->count++] = fixture_launch(&s->f, kernel, stream, blocks, threads, args, count);
}

static void step(struct played *s, struct wf_stream *stream, uint32_t blocks, uint32_t threads,
                 uint32_t rounds)
{
    uint64_t to = s->f.words + 4 * s->count, from = to;
    uint32_t k = 1;
    launch(s, "step", stream, blocks, threads, (void *[]){&to, &from, &rounds, &k}, 4);
}

static void number(struct played *s, struct wf_stream *stream, uint32_t blocks, uint32_t threads)
{
    uint64_t out = s->f.words + 64;
    launch(s, "number", stream, blocks, threads, (void *[]){&out}, 1);
}

// The third launch begins at the end of the first; the second outlasts the first.
static void play(struct played *s)
{
    step(s, s->f.a, 5, 64, 20);
    number(s, s->f.b, 24, 96);
    step(s, s->f.a, 3, 32, 50);
    step(s, NULL, 4, 64, 5);
    CHECK(s->f.t, wf_synchronise(s->f.c) == WF_OK);
}

static char *timeline_of(struct played *s, bool konata)
{
    struct strbuf text = {0};
    report_timeline(wf_watched(s->f.c), konata, &text);
    return text.text;
}

static const struct {
    const char *gpu, *settings;
} chips[] = {
    {"tiny", "gpu.sm_count=1 gpu.dispatch=even"},
    {"tiny", "gpu.dispatch=fill"},
    {"gtx1080ti-paper", "gpu.sm_count=3 gpu.dispatch=even sm.warps=12"},
    {"gtx1080ti-paper", "gpu.dispatch=apart"},
};

// -- measured statistics ------------------------------------------------------------------------------------

static void check_same_stats(struct test *t, struct played *plain, struct played *seen)
{
    for (unsigned k = 0; k < plain->count; k++) {
        const struct wf_stats *a = wf_launch_stats(plain->launches[k]),
                              *b = wf_launch_stats(seen->launches[k]);
        CHECK_EQ(t, b->status, a->status);
        CHECK_EQ(t, b->cycles, a->cycles);
        CHECK_EQ(t, b->start, a->start);
        for (size_t n = 0; n < a->counter_count; n++)
            CHECK_MSG(t, a->counters[n].value == b->counters[n].value, "%s", a->counters[n].name);
    }
}

static void test_unchanged(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(chips); n++) {
        struct played plain, seen;
        begin(&plain, t, chips[n].gpu, chips[n].settings, false);
        begin(&seen, t, chips[n].gpu, chips[n].settings, true);
        play(&plain);
        play(&seen);
        check_same_stats(t, &plain, &seen);
        const struct wf_stats *first = wf_launch_stats(plain.launches[0]);
        CHECK(t, wf_launch_stats(plain.launches[1])->start < first->start + first->cycles);
        fixture_end(&plain.f);
        fixture_end(&seen.f);
    }
}

// A failing launch leaves the rows of other launches alone; work in flight
// of the failed launch ends with the launch.
static void test_failure(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(chips); n++) {
        struct played scenes[2];
        for (unsigned watch = 0; watch < 2; watch++) {
            struct played *s = &scenes[watch];
            uint64_t to, nowhere = 0;
            uint32_t rounds = 30, k = 1;
            begin(s, t, chips[n].gpu, chips[n].settings, watch);
            to = s->f.words;
            step(s, s->f.a, 8, 64, 300);
            launch(s, "step", s->f.b, 4, 64, (void *[]){&to, &nowhere, &rounds, &k}, 4);
            CHECK(t, wf_synchronise(s->f.c) == WF_PROGRAM_FAILED);
        }
        check_same_stats(t, &scenes[0], &scenes[1]);
        CHECK(t, wf_launch_stats(scenes[1].launches[0])->status == WF_OK);
        const struct watcher *w = wf_watched(scenes[1].f.c);
        const struct watch_launch *good = &w->launches.data[0], *failed = &w->launches.data[1];
        uint64_t slices;
        CHECK(t, failed->to < good->to);
        for (unsigned k = 0; k < WATCH_SMS; k++)
            for (size_t i = 0; w->sms[k] && i < w->sms[k]->spans.count; i++) {
                const struct watch_span *x = &w->sms[k]->spans.data[i];
                CHECK(t, x->launch == 0 || x->to <= failed->to);
            }
        char *json = timeline_of(&scenes[1], false);
        CHECK(t, grammar_json(json) && grammar_rows(json, &slices));
        free(json);
        fixture_end(&scenes[0].f);
        fixture_end(&scenes[1].f);
    }
}

// -- contents -----------------------------------------------------------------------------------------------

struct told { // totals of a launch
    uint64_t issued, flushed, warps, blocks, warp_cycles;
};

static void add_sm(struct test *t, const struct watcher *w, const struct watch_sm *sm, struct told *told)
{
    for (size_t i = 0; i < sm->insts.count; i++) {
        const struct watch_inst *x = &sm->insts.data[i];
        const struct watch_launch *l = &w->launches.data[x->launch];
        CHECK(t, x->inst < l->program->inst_count && x->fetched >= l->from && x->done <= l->to);
        *(x->flushed ? &told[x->launch].flushed : &told[x->launch].issued) += 1;
    }
    for (size_t i = 0; i < sm->spans.count; i++) {
        const struct watch_span *x = &sm->spans.data[i];
        CHECK(t, x->from >= w->launches.data[x->launch].from && x->to <= w->launches.data[x->launch].to);
        told[x->launch].blocks += x->kind == WATCH_BLOCK;
        if (x->kind != WATCH_WARP) continue;
        told[x->launch].warps++;
        told[x->launch].warp_cycles += x->to - x->from;
    }
}

// Every record of a launch's work names the launch.
static void test_told(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(chips); n++) {
        struct played s;
        struct told told[LAUNCHES] = {0};
        begin(&s, t, chips[n].gpu, chips[n].settings, true);
        play(&s);
        const struct watcher *w = wf_watched(s.f.c);
        CHECK_EQ(t, w->launches.count, LAUNCHES);
        for (unsigned k = 0; k < WATCH_SMS; k++)
            if (w->sms[k]) add_sm(t, w, w->sms[k], told);
        for (unsigned k = 0; k < LAUNCHES; k++) {
            const struct wf_stats *stats = wf_launch_stats(s.launches[k]);
            CHECK_EQ(t, told[k].issued, counter(t, stats, "sm.issue.issued"));
            CHECK_EQ(t, told[k].flushed, counter(t, stats, "sm.fetch.flushed"));
            CHECK_EQ(t, told[k].warps, counter(t, stats, "exec.warps"));
            CHECK_EQ(t, told[k].blocks, counter(t, stats, "exec.blocks"));
            CHECK_EQ(t, told[k].warp_cycles, counter(t, stats, "sm.sm.warp_cycles"));
        }
        fixture_end(&s.f);
    }
}

// Warps of two launches on one SM: at the same time, in separate slots.
static void test_one_sm(struct test *t)
{
    struct played s;
    uint64_t beside = 0;
    begin(&s, t, chips[0].gpu, chips[0].settings, true);
    play(&s);
    const struct watch_sm *sm = wf_watched(s.f.c)->sms[0];
    for (size_t i = 0; i < sm->spans.count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct watch_span *a = &sm->spans.data[i], *b = &sm->spans.data[k];
            if (a->kind != WATCH_WARP || b->kind != WATCH_WARP || a->from >= b->to || b->from >= a->to)
                continue;
            CHECK(t, a->slot != b->slot);
            beside += a->launch != b->launch;
        }
    CHECK(t, beside > 4);
    fixture_end(&s.f);
}

// No record of a launch stands in a row of another stream.
static void test_rows(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(chips); n++) {
        struct played s;
        struct grammar_konata k;
        uint64_t slices, lives = 0, pid, launch;
        unsigned stream_of[4 * WATCH_SMS] = {0}; // by process: 1 + the stream's place
        static const unsigned place[LAUNCHES] = {1, 2, 1, 0};
        begin(&s, t, chips[n].gpu, chips[n].settings, true);
        play(&s);
        char *json = timeline_of(&s, false), *konata = timeline_of(&s, true);
        CHECK(t, grammar_json(json) && grammar_rows(json, &slices));
        CHECK(t, grammar_konata(t, konata, &k));
        CHECK_HAS(t, json, "\"args\":{\"name\":\"SM 0, stream \\\"left\\\": step\"}");
        CHECK_HAS(t, json, ", stream 2: number\"}");
        CHECK_HAS(t, json, ", default stream: step\"}");
        for (const char *p = json; (p = strstr(p, "\n{\"ph\":\"X\",\"pid\":")) != NULL; p++) {
            const char *args = strstr(p, "\"args\":{\"launch\":"), *end = strchr(p + 1, '\n');
            if (!args || args > end) continue;
            sscanf(p, "\n{\"ph\":\"X\",\"pid\":%lu", &pid);
            sscanf(args, "\"args\":{\"launch\":%lu", &launch);
            unsigned *stream = &stream_of[pid];
            CHECK(t, !*stream || *stream == 1 + place[launch]);
            *stream = 1 + place[launch];
            lives++;
        }
        CHECK(t, lives > 40);
        free(json);
        free(konata);
        fixture_end(&s.f);
    }
}

// Neither host threads nor single-stepped idle cycles change a record.
static void test_same(struct test *t)
{
    static const struct {
        const char *settings;
        unsigned threads;
    } others[] = {{"", 3}, {" sim.skip_idle=0", 1}};
    for (size_t n = 0; n < TEST_COUNT(chips); n++) {
        struct played first;
        begin(&first, t, chips[n].gpu, chips[n].settings, true);
        play(&first);
        char *json = timeline_of(&first, false);
        for (size_t k = 0; k < TEST_COUNT(others); k++) {
            struct played other;
            char settings[200];
            snprintf(settings, sizeof settings, "%s%s", chips[n].settings, others[k].settings);
            begin(&other, t, chips[n].gpu, settings, true);
            wf_set_threads(other.f.c, others[k].threads);
            play(&other);
            char *text = timeline_of(&other, false);
            CHECK_MSG(t, strcmp(json, text) == 0, "%s%s", chips[n].settings, others[k].settings);
            free(text);
            fixture_end(&other.f);
        }
        free(json);
        fixture_end(&first.f);
    }
}

// Two launches of a single warp.
static void test_golden(struct test *t)
{
    struct played s;
    begin(&s, t, "tiny", "gpu.sm_count=1 gpu.dispatch=even", true);
    step(&s, s.f.a, 1, 32, 2);
    number(&s, s.f.b, 1, 32);
    CHECK(t, wf_synchronise(s.f.c) == WF_OK);
    char *json = timeline_of(&s, false), *konata = timeline_of(&s, true);
    CHECK_GOLDEN(t, "tests/watch/timeline_streams.golden", json);
    CHECK_GOLDEN(t, "tests/watch/timeline_streams_konata.golden", konata);
    free(json);
    free(konata);
    fixture_end(&s.f);
}

// The program made by a mechanism for a kernel and shape lives as long as the timeline referring to it.
static void test_programs(struct test *t)
{
    struct played s;
    begin(&s, t, "tiny", "", false);
    CHECK(t, wf_tech(s.f.c, "silicon-sync") == WF_OK);
    wf_watch(s.f.c, true);
    for (uint32_t warps = 1; warps <= 3; warps++) {
        number(&s, s.f.a, 1, 32 * warps);
        CHECK(t, wf_launch_status(s.launches[0]) == WF_OK);
        wf_launch_free(s.launches[0]);
        s.count = 0;
    }
    const struct watcher *w = wf_watched(s.f.c);
    char *json = timeline_of(&s, false);
    CHECK(t, w->launches.data[0].program != w->launches.data[1].program);
    CHECK(t, grammar_json(json));
    for (size_t k = 0; k < w->launches.count; k++) CHECK_STR(t, w->launches.data[k].program->name, "number");
    free(json);
    fixture_end(&s.f);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"unchanged", test_unchanged}, {"failure", test_failure},   {"told", test_told},
        {"one_sm", test_one_sm},       {"rows", test_rows},         {"same", test_same},
        {"golden", test_golden},       {"programs", test_programs},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
