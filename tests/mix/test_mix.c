// Workloads together: passes with restored memory, bytes and figures independent of neighbours, the steering
// rule, and the composition of figures.
#include "base/file.h"
#include "harness/test.h"
#include "mix/mix.h"
#include "workload/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 256 };

// Adds a word to a word, so that the result depends on the initial value.
static const char bump[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry bump(.param .u64 words, .param .u32 rounds)\n{\n"
                           ".reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %d<3>;\n"
                           "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
                           "mad.lo.u32 %r0, %r1, %r2, %r0;\nld.param.u64 %d0, [words];\n"
                           "ld.param.u32 %r3, [rounds];\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d2, %d0, %d1;\n"
                           "ld.global.u32 %r4, [%d2];\n"
                           "L:\nmad.lo.u32 %r4, %r4, 3, 1;\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p, %r3, 0;\n"
                           "@%p bra L;\nst.global.u32 [%d2], %r4;\nret;\n}\n";

// -- by hand ------------------------------------------------------------------------------------------------

struct made { // a program whose host writes, launches twice, and reads
    struct tape tape;
    uint64_t words;
};

static uint32_t bumped(uint32_t word, uint32_t rounds)
{
    for (; rounds; rounds--) word = word * 3 + 1;
    return word;
}

static void make(struct wf_context *c, struct wf_kernel *k, uint32_t first, uint32_t rounds, struct made *m)
{
    uint32_t words[WORDS];
    const struct wf_launch_config shape = {.grid = {WORDS / 64, 1, 1}, .block = {64, 1, 1}};
    tape_init(&m->tape);
    m->words = wf_alloc(c, sizeof words);
    for (uint32_t n = 0; n < WORDS; n++) words[n] = first + n;
    tape_write(&m->tape, m->words, words, sizeof words);
    tape_launch(&m->tape, k, &shape, (const void *[]){&m->words, &rounds}, 2);
    tape_launch(&m->tape, k, &shape, (const void *[]){&m->words, &rounds}, 2);
    for (uint32_t n = 0; n < WORDS; n++) words[n] = bumped(first + n, 2 * rounds);
    tape_output(&m->tape, m->words, words, sizeof words);
}

static void play_made(struct test *t, bool forget)
{
    struct wf_context *c = wf_context_create();
    struct made made[2];
    struct mix_part parts[2] = {0};
    CHECK(t, wf_gpu(c, "gtx285") == WF_OK);
    struct wf_module *m = wf_module_load(c, "bump.ptx", bump, strlen(bump));
    CHECK_MSG(t, m != NULL, "%s", wf_errors(c));
    make(c, wf_kernel_find(m, "bump"), 5, 40, &made[0]);
    make(c, wf_kernel_find(m, "bump"), 7, 2000, &made[1]);
    if (forget) { // the initial memory of its first pass is not restored
        struct tape_step *first = &made[0].tape.steps.data[0];
        CHECK(t, wf_write(c, first->address, first->bytes, first->size_bytes) == WF_OK);
        memmove(first, first + 1, --made[0].tape.steps.count * sizeof *first);
    }
    for (unsigned k = 0; k < 2; k++) {
        parts[k] = (struct mix_part){.name = "bump", .tape = &made[k].tape, .is_exact = true};
        parts[k].stream = wf_stream_create(c);
        wf_stream_place(parts[k].stream, 15 * k, 15);
    }
    enum wf_status status = mix_play(c, parts, 2);
    CHECK_MSG(t, status == (forget ? WF_MISMATCH : WF_OK), "status %d: %s", (int)status, wf_errors(c));
    CHECK_MSG(t, parts[0].passes > 3 && parts[1].passes == 1, "%llu and %llu passes",
              (unsigned long long)parts[0].passes, (unsigned long long)parts[1].passes);
    CHECK_EQ(t, parts[0].compared, parts[0].passes * WORDS * 4);
    CHECK(t, (parts[0].different != 0) == forget && parts[1].different == 0);
    CHECK(t, parts[0].run.launches == 2 && parts[1].run.launches == 2);
    CHECK(t, parts[0].run.cycles * parts[0].passes < 2 * parts[1].run.cycles);
    wf_context_destroy(c);
    for (unsigned k = 0; k < 2; k++) tape_fini(&made[k].tape);
}

static void test_passes(struct test *t) { play_made(t, false); }
static void test_forgotten(struct test *t) { play_made(t, true); }

// -- workloads ----------------------------------------------------------------------------------------------

struct pair {
    const char *names[2], *gpu, *set; // set: KEY=VALUE, or NULL
    bool everywhere;                  // no separate SMs
    unsigned threads;
};

struct outcome {
    struct mix_part parts[2];
    uint64_t apart[2];
};

static const struct workload *find(const char *name)
{
    const char *near;
    return workload_find(name, &near);
}

static void play(struct test *t, const struct pair *p, struct outcome *out)
{
    struct wf_context *c = wf_context_create();
    struct tape tapes[2];
    struct mix_place places[2] = {{0}};
    CHECK_MSG(t, wf_gpu(c, p->gpu) == WF_OK, "%s", wf_errors(c));
    if (p->set) CHECK(t, wf_set(c, "gpu.dispatch", p->set) == WF_OK);
    wf_set_threads(c, p->threads);
    if (!p->everywhere) mix_split(30, 2, places);
    for (unsigned k = 0; k < 2; k++) {
        struct workload_result result;
        tape_init(&tapes[k]);
        enum wf_status status =
            workload_run(find(p->names[k]), c,
                         &(struct workload_options){.size = WORKLOAD_SMALL, .tape = &tapes[k]}, &result);
        CHECK_MSG(t, status == WF_OK, "%s: %s", p->names[k], wf_errors(c));
        out->parts[k] = (struct mix_part){.name = p->names[k], .tape = &tapes[k], .is_exact = true};
        out->parts[k].stream = wf_stream_create(c);
        wf_stream_place(out->parts[k].stream, places[k].first, places[k].count);
        struct mix_part alone = out->parts[k];
        CHECK_MSG(t, mix_play(c, &alone, 1) == WF_OK && alone.passes == 1 && alone.compared, "%s again",
                  p->names[k]);
        out->apart[k] = alone.run.cycles;
    }
    CHECK_MSG(t, mix_play(c, out->parts, 2) == WF_OK, "%s and %s: %s", p->names[0], p->names[1],
              wf_errors(c));
    for (unsigned k = 0; k < 2; k++) CHECK(t, out->parts[k].compared && !out->parts[k].different);
    wf_context_destroy(c);
    for (unsigned k = 0; k < 2; k++) tape_fini(&tapes[k]);
}

// Chapter 4's kinds of pairs, on halves and mixed within the SMs: bytes equal a run alone; cycles and energy
// are equal for any number of host threads.
static void test_pairs(struct test *t)
{
    static const struct pair pairs[] = {
        {{"storeGPU", "matrixMul16"}, "gtx285", NULL, false, 1},
        {{"nqueens", "matrixVector"}, "gtx285", "even", true, 1},
        {{"nw", "scalarProd"}, "gtx285", "fill", true, 1},
        {{"bfs", "fft512"}, "gtx285", NULL, false, 1}, // its host reads data for the next launch
    };
    for (size_t n = 0; n < TEST_COUNT(pairs); n++) {
        struct outcome one, many;
        struct pair p = pairs[n];
        play(t, &p, &one);
        p.threads = 3;
        play(t, &p, &many);
        for (unsigned k = 0; k < 2; k++) {
            const struct mix_part *a = &one.parts[k], *b = &many.parts[k];
            CHECK_EQ(t, b->run.cycles, a->run.cycles);
            CHECK_EQ(t, b->passes, a->passes);
            CHECK(t, memcmp(&a->run.energy_pj, &b->run.energy_pj, sizeof(double)) == 0);
            CHECK_EQ(t, many.apart[k], one.apart[k]);
        }
        CHECK(t, one.parts[0].passes == 1 || one.parts[1].passes == 1);
    }
}

// -- figures and steering -----------------------------------------------------------------------------------

static void test_figures(struct test *t)
{
    struct mix_part parts[2] = {{.run = {.energy_pj = 3}}, {.run = {.energy_pj = 4}}};
    struct mix_shares s = mix_figures(parts, (double[]){0.5, 0.8}, 2);
    CHECK(t, fabs(s.weighted_speedup - 0.65) < 1e-12 && fabs(s.throughput - 1.3) < 1e-12);
    CHECK(t, fabs(s.turnaround - (2 + 1.25) / 2) < 1e-12 && fabs(s.fairness - 0.625) < 1e-12);
    CHECK(t, fabs(s.energy_pj - 7) < 1e-12);
    struct mix_place places[3];
    mix_split(38, 3, places);
    CHECK(t, places[0].first == 0 && places[0].count == 13 && places[1].first == 13 && places[1].count == 13);
    CHECK(t, places[2].first == 26 && places[2].count == 12);
}

static void test_steering(struct test *t)
{
    // warps of an SM, threads in total; expected class of the first and second workload: i or t
    static const struct {
        struct mix_need needs[2];
        const char *to;
    } rows[] = {
        {{{15, 100000, 1}, {16, 100000, 1}}, "it"},
        {{{16, 100000, 1}, {16, 32768, 1}}, "ti"},
        {{{16, 32769, 1}, {2, 100, 1}}, "ti"},
        {{{3, 100, 1}, {8, 100, 1}}, "it"},         // both prefer the first class
        {{{32, 100000, 1}, {24, 100000, 1}}, "ti"}, // both prefer the second
    };
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_gpu(c, "gtx285") == WF_OK);
    struct mix_place places[2];
    CHECK(t, !mix_steer(c, rows[0].needs, 2, places));
    CHECK(t, wf_set(c, "class.tlp.count", "16") == WF_OK && wf_set(c, "class.ilp.count", "14") == WF_OK);
    CHECK_MSG(t, wf_check_settings(c) == WF_OK, "%s", wf_errors(c));
    for (size_t n = 0; n < TEST_COUNT(rows); n++) {
        CHECK(t, mix_steer(c, rows[n].needs, 2, places));
        for (unsigned k = 0; k < 2; k++) {
            bool is_ilp = rows[n].to[k] == 'i';
            CHECK_MSG(t, places[k].first == (is_ilp ? 16 : 0) && places[k].count == (is_ilp ? 14 : 16),
                      "row %zu: part %u goes to SM %u", n, k, places[k].first);
        }
    }
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"passes", test_passes},   {"forgotten", test_forgotten}, {"pairs", test_pairs},
        {"figures", test_figures}, {"steering", test_steering},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
