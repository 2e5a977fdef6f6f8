// Observers of the core: samples add up to the launch's counts; a timeline has every instruction once and
// every warp's time without overlaps; neither changes a result. Also the storage of registers.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/test.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTERS_MAX = 400, INTERVAL = 3000 };

struct outcome {
    uint64_t cycles, warp_instructions, counters[COUNTERS_MAX], sums[COUNTERS_MAX], most[COUNTERS_MAX];
    size_t count, samples;
    bool is_most[COUNTERS_MAX];
    uint64_t sampled_to; // end of the last launch's samples
    uint64_t register_bits;
};

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *s)
{
    struct outcome *o = context;
    (void)k;
    (void)shape;
    o->cycles += s->cycles;
    o->warp_instructions += s->warp_instructions;
    o->count = s->counter_count < COUNTERS_MAX ? s->counter_count : COUNTERS_MAX;
    for (size_t n = 0; n < o->count; n++) {
        o->is_most[n] = s->counters[n].is_most;
        if (s->counters[n].value != WF_UNKNOWN) o->counters[n] += s->counters[n].value;
    }
    o->samples += s->sample_count;
    for (size_t n = 0; n < s->storage_count; n++)
        if (str_equal(s->storage[n].name, "registers")) o->register_bits = s->storage[n].bits;
    o->sampled_to = s->sample_count ? s->samples[s->sample_count - 1].to : 0;
    for (size_t k2 = 0; k2 < s->sample_count; k2++)
        for (size_t n = 0; n < o->count; n++) {
            uint64_t value = n < s->samples[k2].counter_count ? s->samples[k2].counters[n] : WF_UNKNOWN;
            if (value == WF_UNKNOWN) continue;
            o->sums[n] += value;
            o->most[n] = value;
        }
}

// Runs a program. The context lives on, for its records.
static struct wf_context *run(struct test *t, const char *elf, const char *gpu, bool is_watched,
                              const char *setting, const char *value, struct outcome *o)
{
    struct wf_context *c = wf_context_create();
    struct wf_program_config config = {.launched = launched, .launched_context = o};
    struct wf_program_stats stats;
    *o = (struct outcome){0};
    CHECK(t, wf_gpu(c, gpu) == WF_OK && (!setting || wf_set(c, setting, value) == WF_OK));
    wf_watch(c, is_watched);
    struct wf_module *m = wf_module_load_file(c, elf);
    CHECK_MSG(t, m && wf_program_run(m, &config, &stats) == WF_OK, "%s: %s", elf, wf_errors(c));
    return c;
}

static const char *const gpus[] = {"simtight", "simtight-rfc256", "simtight-ads"};
#define ONE     "kernels/riscv/elf/MatMul.elf"
#define SEVERAL "kernels/riscv/elf/BitonicLa.elf"

static void check_same(struct test *t, const struct outcome *a, const struct outcome *b)
{
    CHECK_EQ(t, a->cycles, b->cycles);
    CHECK_EQ(t, a->count, b->count);
    for (size_t n = 0; n < a->count; n++) CHECK_EQ(t, a->counters[n], b->counters[n]);
}

static void test_samples(struct test *t)
{
    for (unsigned g = 0; g < TEST_COUNT(gpus); g++) {
        struct outcome plain, sampled;
        wf_context_destroy(run(t, ONE, gpus[g], false, NULL, NULL, &plain));
        wf_context_destroy(run(t, ONE, gpus[g], false, "report.interval", "3000", &sampled));
        check_same(t, &plain, &sampled);
        CHECK_EQ(t, plain.samples, 0);
        CHECK_EQ(t, sampled.samples, (sampled.cycles + INTERVAL - 1) / INTERVAL);
        CHECK_EQ(t, sampled.sampled_to, sampled.cycles);
        unsigned known = 0;
        for (size_t n = 0; n < sampled.count; n++) {
            if (!sampled.sums[n]) continue; // not sampled, or 0
            known++;
            CHECK_EQ(t, sampled.is_most[n] ? sampled.most[n] : sampled.sums[n], sampled.counters[n]);
        }
        CHECK(t, known >= 10);
    }
}

// The waits of a warp follow each other within its life.
static void check_spans(struct test *t, const struct watch_sm *sm)
{
    uint64_t ends[WATCH_WARPS] = {0};
    size_t lives = 0;
    for (size_t k = 0; k < sm->spans.count; k++) {
        const struct watch_span *s = &sm->spans.data[k];
        if (s->kind == WATCH_WARP) lives++;
        if (s->kind == WATCH_WARP) CHECK(t, s->to >= ends[s->slot]);
        if (s->kind != WATCH_WAIT) continue;
        CHECK(t, s->from >= ends[s->slot] && s->to > s->from);
        ends[s->slot] = s->to;
    }
    CHECK_EQ(t, lives % WATCH_WARPS, 0);
    CHECK(t, lives > 0);
}

static void test_timeline(struct test *t)
{
    static const char *const elfs[] = {ONE, SEVERAL};
    for (unsigned g = 0; g < TEST_COUNT(gpus); g++)
        for (unsigned e = 0; e < TEST_COUNT(elfs); e++) {
            struct outcome plain, watched;
            wf_context_destroy(run(t, elfs[e], gpus[g], false, NULL, NULL, &plain));
            struct wf_context *c = run(t, elfs[e], gpus[g], true, "timeline.limit", "100000000", &watched);
            check_same(t, &plain, &watched);
            const struct watcher *w = wf_watched(c);
            CHECK(t, w && w->sms[0] && !w->sms[1] && !w->truncated);
            if (w && w->sms[0]) {
                CHECK_EQ(t, w->sms[0]->insts.count, watched.warp_instructions);
                CHECK_EQ(t, w->now - 1, watched.cycles); // launches in sequence
                for (size_t k = 0; k < w->sms[0]->insts.count; k++) {
                    const struct watch_inst *i = &w->sms[0]->insts.data[k];
                    CHECK(t, i->fetched < i->issued && i->done > i->issued);
                }
                check_spans(t, w->sms[0]);
            }
            wf_context_destroy(c);
        }
}

// Part of a timeline: records that begin before or end behind the window are cut.
static void test_part(struct test *t)
{
    struct outcome o;
    struct wf_context *c = run(t, ONE, "simtight-ads", true, "timeline.to", "2000", &o);
    const struct watch_sm *sm = wf_watched(c)->sms[0];
    CHECK(t, sm->insts.count > 100 && sm->insts.count < o.warp_instructions);
    for (size_t k = 0; k < sm->insts.count; k++) CHECK(t, sm->insts.data[k].issued < 2000);
    for (size_t k = 0; k < sm->spans.count; k++) CHECK(t, sm->spans.data[k].to <= 2000);
    wf_context_destroy(c);
    c = run(t, ONE, "simtight-ads", true, "timeline.limit", "5000", &o);
    sm = wf_watched(c)->sms[0];
    CHECK(t, wf_watched(c)->truncated && sm->insts.count < 5000);
    wf_context_destroy(c);
    c = run(t, ONE, "simtight-ads", true, "timeline.warps", "7", &o);
    sm = wf_watched(c)->sms[0];
    CHECK(t, sm->insts.count > 0);
    for (size_t k = 0; k < sm->insts.count; k++) CHECK_EQ(t, sm->insts.data[k].slot, 7);
    wf_context_destroy(c);
}

// The paper's Figure 8, to the bit.
static void test_storage(struct test *t)
{
    static const struct {
        const char *gpu;
        uint64_t bits;
    } sizes[] = {{"simtight", 2097152},
                 {"simtight-rfc1024", 1202176},
                 {"simtight-rfc512", 672256},
                 {"simtight-rfc256", 407552}};
    for (unsigned k = 0; k < TEST_COUNT(sizes); k++) {
        struct outcome o;
        wf_context_destroy(run(t, "kernels/riscv/elf/VecAdd.elf", sizes[k].gpu, false, NULL, NULL, &o));
        CHECK_EQ(t, o.register_bits, sizes[k].bits);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"samples", test_samples},
                                             {"timeline", test_timeline},
                                             {"part", test_part},
                                             {"storage", test_storage}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
