// Mechanisms' view of memory and of warps' lives. The counters of the caches, of the
// load/store unit and of warps follow from the records alone. Records are equal for any number
// of host threads, and observing changes nothing.
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "harness/test.h"
#include "tech/tap.h"

#include <stdlib.h>

struct outcome {
    struct tap tap;
    VEC(struct wf_counter) counters; // of all launches
    uint64_t cycles, hash;
};

static void add(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct outcome *o = context;
    (void)k, (void)shape;
    bool first = !o->counters.count;
    for (size_t n = 0; n < stats->counter_count; n++)
        if (first)
            vec_push(&o->counters, stats->counters[n]);
        else
            o->counters.data[n].value += stats->counters[n].value;
    o->cycles += stats->cycles;
}

static struct outcome *run(struct test *t, const char *kernel, const char *settings, unsigned threads,
                           bool tapped)
{
    struct wf_context *c = wf_context_create();
    struct outcome *o = calloc(1, sizeof *o);
    CHECK_EQ(t, wf_gpu(c, "tiny"), WF_OK);
    settings_apply(t, c, settings);
    wf_set_threads(c, threads);
    if (tapped) CHECK(t, tap_add(c, &o->tap));
    o->hash = bundled_run(t, c, kernel, add, o).output_hash;
    wf_context_destroy(c);
    return o;
}

static void outcome_destroy(struct outcome *o)
{
    tap_fini(&o->tap);
    vec_fini(&o->counters);
    free(o);
}

static uint64_t counter_of(struct test *t, const struct outcome *o, const char *name)
{
    return counter_in(t, o->counters.data, o->counters.count, name);
}

// -- counters from records ----------------------------------------------------------------------------------

static bool is_l1s(enum lsu_kind k) { return k == LSU_LOAD || k == LSU_LOCAL_LOAD || k == LSU_LOCAL_STORE; }

static uint64_t count(const struct outcome *o, enum line_outcome outcome, bool texture)
{
    uint64_t n = 0;
    for (unsigned sm = 0; sm < TAP_SMS; sm++)
        for (size_t k = 0; k < o->tap.sms[sm].lines.count; k++) {
            const struct tech_line *l = &o->tap.sms[sm].lines.data[k].line;
            n += l->outcome == outcome && (texture ? l->kind == LSU_TEXTURE : is_l1s(l->kind));
        }
    return n;
}

static void check_counters(struct test *t, const struct outcome *o)
{
    uint64_t lines = 0, sectors = 0, cycles = 0, instructions = 0, disordered = 0;
    for (unsigned sm = 0; sm < TAP_SMS; sm++) {
        const struct tap_sm *s = &o->tap.sms[sm];
        for (size_t k = 0; k < s->lines.count; k++) {
            lines++;
            sectors += (unsigned)__builtin_popcount(s->lines.data[k].line.sectors);
            disordered += k && s->lines.data[k].cycle <= s->lines.data[k - 1].cycle; // one line a cycle
        }
        for (size_t k = 0; k < s->warps.count; k++) {
            cycles += s->warps.data[k].end - s->warps.data[k].start;
            instructions += s->warps.data[k].instructions;
        }
    }
    CHECK_EQ(t, disordered, 0);
    CHECK_EQ(t, lines, counter_of(t, o, "sm.lsu.transactions"));
    CHECK_EQ(t, sectors, counter_of(t, o, "sm.lsu.sectors"));
    CHECK_EQ(t, cycles, counter_of(t, o, "sm.sm.warp_cycles"));
    CHECK_EQ(t, instructions, counter_of(t, o, "sm.issue.issued"));
    CHECK_EQ(t, count(o, LINE_HIT, false), counter_of(t, o, "sm.l1.hits"));
    CHECK_EQ(t, count(o, LINE_MISS, false), counter_of(t, o, "sm.l1.misses"));
    CHECK_EQ(t, count(o, LINE_JOINED, false), counter_of(t, o, "sm.l1.pending_hits"));
    CHECK_EQ(t, count(o, LINE_KEPT, false), counter_of(t, o, "sm.l1.stores"));
    CHECK_EQ(t, count(o, LINE_MISS, true), counter_of(t, o, "sm.texture.misses"));
    CHECK_EQ(t, count(o, LINE_HIT, true) + count(o, LINE_JOINED, true), counter_of(t, o, "sm.texture.hits"));
}

static bool same_records(const struct outcome *a, const struct outcome *b)
{
    for (unsigned sm = 0; sm < TAP_SMS; sm++) {
        const struct tap_sm *x = &a->tap.sms[sm], *y = &b->tap.sms[sm];
        if (x->lines.count != y->lines.count || x->warps.count != y->warps.count) return false;
        for (size_t k = 0; k < x->lines.count; k++) {
            const struct tap_line *l = &x->lines.data[k], *m = &y->lines.data[k];
            if (l->cycle != m->cycle || l->line.line != m->line.line || l->line.block != m->line.block ||
                l->line.warp != m->line.warp || l->line.index != m->line.index ||
                l->line.sectors != m->line.sectors || l->line.kind != m->line.kind ||
                l->line.outcome != m->line.outcome)
                return false;
        }
        for (size_t k = 0; k < x->warps.count; k++) {
            const struct tap_warp *w = &x->warps.data[k], *v = &y->warps.data[k];
            if (w->start != v->start || w->end != v->end || w->block != v->block ||
                w->instructions != v->instructions || w->warp != v->warp)
                return false;
        }
    }
    return true;
}

static const struct {
    const char *kernel, *settings;
} cases[] = {{"matrixMul", "l1.global=1"},
             {"bfs", "l1.global=1 l1.write=through-allocate"},
             {"LIB", ""}, // local memory
             {"convolutionTexture", "l1.allocate=miss"},
             {"scan", "l1.global=1 l1.allocate=fill l1.mshrs=2 lsu.queue=2"}};

static void test_counters(struct test *t)
{
    uint64_t seen[LINE_PASSED] = {0};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct outcome *o = run(t, cases[k].kernel, cases[k].settings, 1, true);
        check_counters(t, o);
        for (unsigned n = 0; n < LINE_PASSED; n++) seen[n] += count(o, (enum line_outcome)n, false);
        outcome_destroy(o);
    }
    for (unsigned n = 0; n < LINE_PASSED; n++) CHECK(t, (seen[n] != 0) == (n != LINE_STALLED));
}

static void test_same(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct strbuf slow = {0};
        strbuf_printf(&slow, "%s sim.skip_idle=0", cases[k].settings);
        struct outcome *one = run(t, cases[k].kernel, cases[k].settings, 1, true),
                       *three = run(t, cases[k].kernel, strbuf_text(&slow), 3, true),
                       *none = run(t, cases[k].kernel, cases[k].settings, 1, false);
        CHECK_MSG(t, same_records(one, three), "%s", cases[k].kernel);
        CHECK_EQ(t, one->cycles, none->cycles);
        CHECK_EQ(t, one->hash, none->hash);
        for (size_t n = 0; n < none->counters.count; n++)
            CHECK_MSG(t, none->counters.data[n].value == counter_of(t, one, none->counters.data[n].name),
                      "%s: %s", cases[k].kernel, none->counters.data[n].name);
        outcome_destroy(one);
        outcome_destroy(three);
        outcome_destroy(none);
        strbuf_fini(&slow);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case tests[] = {{"counters", test_counters}, {"same", test_same}};
    return test_main(argc, argv, tests, TEST_COUNT(tests));
}
