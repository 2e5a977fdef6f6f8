// Queued launches: order in streams, the default stream, events, lasting statistics, failures, and which
// calls wait. Fails where the order, a value in memory or a status differs from the documented rules.
#include "api/warpfold.h"
#include "base/rng.h"
#include "harness/counter.h"
#include "harness/fixture.h"
#include "harness/test.h"
#include "watch/watch.h"

#include <string.h>

#define PTX "tests/api/streams.ptx"

// No GPU, a small GPU, a large GPU.
static const char *const gpus[] = {NULL, "tiny", "gtx1080ti-paper"};
#define FOR_EACH_GPU(gpu)                                                                                    \
    for (size_t g_ = 0, go_ = 1; g_ < TEST_COUNT(gpus) && go_; g_++)                                         \
        for (const char *gpu = (go_ = 0, gpus[g_]); !go_; go_ = 1)

enum { WORDS = 64, LONG = 3000 }; // LONG: rounds of a step slow enough to be overtaken

static struct fixture setup(struct test *t, const char *gpu) { return fixture_begin(t, gpu, "", PTX, WORDS); }

static uint64_t word(const struct fixture *f, unsigned n) { return f->words + 4 * n; }

static uint32_t read_word(struct fixture *f, unsigned n)
{
    uint32_t value = 0xdead;
    CHECK(f->t, wf_read(f->c, word(f, n), &value, 4) == WF_OK);
    return value;
}

static void write_word(struct fixture *f, unsigned n, uint32_t value)
{
    CHECK(f->t, wf_write(f->c, word(f, n), &value, 4) == WF_OK);
}

static enum wf_status try_step(struct fixture *f, struct wf_stream *s, uint64_t to, uint64_t from,
                               uint32_t rounds, uint32_t k, struct wf_pending **l)
{
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = s};
    return wf_launch_async(wf_kernel_find(f->m, "step"), &shape, (void *[]){&to, &from, &rounds, &k}, 4, l);
}

// Queues word[to] = word[from] * 31 + k, computed after `rounds` rounds.
static struct wf_pending *step(struct fixture *f, struct wf_stream *s, unsigned to, unsigned from,
                               uint32_t rounds, uint32_t k)
{
    struct wf_pending *l = NULL;
    enum wf_status status = try_step(f, s, word(f, to), word(f, from), rounds, k, &l);
    CHECK_MSG(f->t, status == WF_OK && l, "status %d: %s", (int)status, wf_errors(f->c));
    return l;
}

// Queues a step ending in a fault: a read of address 0.
static struct wf_pending *faulty(struct fixture *f, struct wf_stream *s, uint32_t rounds)
{
    struct wf_pending *l = NULL;
    CHECK(f->t, try_step(f, s, word(f, 0), 0, rounds, 1, &l) == WF_OK);
    return l;
}

static struct wf_pending *endless(struct fixture *f, struct wf_stream *s)
{
    struct wf_pending *l = NULL;
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = s};
    CHECK(f->t, wf_launch_async(wf_kernel_find(f->m, "endless"), &shape, NULL, 0, &l) == WF_OK && l);
    return l;
}

static void check_errors(struct fixture *f, const char *part)
{
    CHECK_HAS(f->t, wf_errors(f->c), part);
    wf_clear_errors(f->c);
}

// -- order --------------------------------------------------------------------------------------------------

static void test_order(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        uint32_t want[2] = {0, 0};
        for (unsigned k = 1; k <= 8; k++)
            // a stream's later steps are shorter and would overtake, if possible
            for (unsigned s = 0; s < 2; s++) {
                step(&f, s ? f.b : f.a, s, s, (8 - k) * 100, k + s);
                want[s] = want[s] * 31 + k + s;
            }
        CHECK(t, wf_stream_wait(f.a) == WF_OK);
        CHECK_EQ(t, read_word(&f, 0), want[0]);
        CHECK_EQ(t, read_word(&f, 1), want[1]);
        CHECK(t, wf_synchronise(f.c) == WF_OK);
        fixture_end(&f);
    }
}

// a: 0 -> 1, slowly; default: 1 -> 2; b: 2 -> 3. Every step sees the value of the previous step.
static void test_default_stream(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        write_word(&f, 0, 2);
        step(&f, f.a, 1, 0, LONG, 1);
        step(&f, NULL, 2, 1, 500, 1);
        step(&f, f.b, 3, 2, 0, 1);
        step(&f, f.a, 4, 2, 0, 7);
        CHECK(t, wf_stream_wait(f.b) == WF_OK);
        CHECK_EQ(t, read_word(&f, 3), ((2 * 31 + 1) * 31 + 1) * 31 + 1);
        CHECK_EQ(t, read_word(&f, 4), ((2 * 31 + 1) * 31 + 1) * 31 + 7);
        // wf_launch in the default stream waits, too.
        step(&f, f.a, 1, 0, LONG, 3);
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        uint64_t to = word(&f, 2), from = word(&f, 1);
        uint32_t rounds = 0, k = 1;
        struct wf_stats stats;
        CHECK(t, wf_launch(wf_kernel_find(f.m, "step"), &shape, (void *[]){&to, &from, &rounds, &k}, 4,
                           &stats) == WF_OK);
        CHECK_EQ(t, read_word(&f, 2), (2 * 31 + 3) * 31 + 1);
        fixture_end(&f);
    }
}

// Streams behind a launch of the default stream: a wait for one includes the default stream's
// launch, whatever else is queued.
static void test_behind_default(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        uint32_t got = 0, other = 5;
        write_word(&f, 0, 2);
        struct wf_pending *slow = step(&f, f.a, 5, 0, LONG, 1), *l = step(&f, NULL, 1, 0, LONG, 1);
        CHECK(t, wf_stream_wait(f.b) == WF_OK && wf_launch_is_over(l) && wf_launch_is_over(slow));
        step(&f, NULL, 2, 1, LONG, 1);
        CHECK(t, wf_stream_read(f.b, word(&f, 2), &got, sizeof got) == WF_OK);
        CHECK_EQ(t, got, (2 * 31 + 1) * 31 + 1);
        l = step(&f, NULL, 3, 0, LONG, 1);
        CHECK(t, wf_stream_write(f.b, word(&f, 0), &other, sizeof other) == WF_OK && wf_launch_is_over(l));
        CHECK_EQ(t, read_word(&f, 3), 2 * 31 + 1);
        // Launches of another stream are not waited for.
        l = step(&f, f.a, 4, 0, LONG, 1);
        CHECK(t, wf_stream_wait(f.b) == WF_OK && !wf_launch_is_over(l));
        fixture_end(&f);
    }
}

// Orders all launches of `from` so far before the next launch of `to`.
static void put_before(struct fixture *f, struct wf_stream *from, struct wf_stream *to)
{
    struct wf_event *e = wf_event_create(f->c);
    CHECK(f->t, wf_event_record(e, from) == WF_OK && wf_stream_wait_event(to, e) == WF_OK);
}

// Random steps in streams with words of their own. A step reading another stream's word is ordered after the
// other stream, and the other stream after the step. Memory must equal a sequential execution.
static void test_random(struct test *t)
{
    enum { STREAMS = 4, STEPS = 80 };
    uint64_t seeds = test_is_long() ? 300 : 10;
    FOR_EACH_GPU(gpu)
    {
        for (uint64_t seed = test_seed(1), last = seed + seeds; seed < last; seed++) {
            struct fixture f = setup(t, gpu);
            struct rng r;
            struct wf_stream *streams[STREAMS + 1] = {f.a, f.b, wf_stream_create(f.c), wf_stream_create(f.c)};
            uint32_t words[WORDS] = {
                0}; // stream n owns 8 words from 8 * n on; the default stream owns the last 8
            rng_init(&r, seed);
            for (unsigned n = 0; n < STEPS; n++) {
                unsigned who = (unsigned)rng_below(&r, STREAMS + (rng_below(&r, 4) == 0)), whose = who;
                if (rng_below(&r, 4) == 0) whose = (unsigned)rng_below(&r, STREAMS);
                unsigned to = 8 * who + (unsigned)rng_below(&r, 8),
                         from = 8 * whose + (unsigned)rng_below(&r, 8);
                if (whose != who) put_before(&f, streams[whose], streams[who]);
                wf_launch_free(step(&f, streams[who], to, from, (uint32_t)rng_below(&r, 300), n));
                if (whose != who) put_before(&f, streams[who], streams[whose]);
                words[to] = words[from] * 31 + n;
                if (rng_below(&r, 10) == 0) wf_stream_wait(streams[rng_below(&r, STREAMS)]);
                unsigned looked = (unsigned)rng_below(&r, WORDS);
                if (rng_below(&r, 20) == 0) CHECK_EQ(t, read_word(&f, looked), words[looked]);
            }
            for (unsigned n = 0; n < WORDS; n++)
                CHECK_MSG(t, read_word(&f, n) == words[n], "seed %llu on %s: word %u is %u, not %u",
                          (unsigned long long)seed, gpu ? gpu : "no GPU", n, read_word(&f, n), words[n]);
            fixture_end(&f);
        }
    }
}

static void test_events(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        struct wf_event *start = wf_event_create(f.c), *middle = wf_event_create(f.c),
                        *end = wf_event_create(f.c);
        CHECK(t, wf_event_cycles(start, end) == WF_UNKNOWN); // not recorded
        CHECK(t, wf_event_wait(start) == WF_OK);
        write_word(&f, 0, 2);
        CHECK(t, wf_event_record(start, f.a) == WF_OK);
        struct wf_pending *first = step(&f, f.a, 1, 0, LONG, 1);
        CHECK(t, wf_event_record(middle, f.a) == WF_OK);
        step(&f, f.a, 5, 0, LONG, 1); // after the event
        CHECK(t, wf_stream_wait_event(f.b, middle) == WF_OK);
        struct wf_pending *second = step(&f, f.b, 2, 1, 0, 1);
        CHECK(t, wf_event_record(end, f.b) == WF_OK);
        CHECK(t, wf_event_wait(end) == WF_OK);
        CHECK_EQ(t, read_word(&f, 2), (2 * 31 + 1) * 31 + 1);
        const struct wf_stats *one = wf_launch_stats(first), *two = wf_launch_stats(second);
        if (gpu) {
            CHECK_EQ(t, wf_event_cycles(start, middle), one->cycles);
            CHECK(t, two->start > one->start && two->start + two->cycles > one->start + one->cycles);
            CHECK_EQ(t, wf_event_cycles(middle, end), two->start + two->cycles - one->start - one->cycles);
            CHECK(t, wf_event_cycles(end, middle) == WF_UNKNOWN);
            CHECK_EQ(t, wf_event_cycles(start, start), 0);
        } else {
            CHECK(t, wf_event_cycles(start, end) == WF_UNKNOWN && one->start == WF_UNKNOWN);
        }
        // An event recorded in the default stream comes after all streams; a stream
        // of another context is refused.
        step(&f, f.a, 6, 0, LONG, 1);
        CHECK(t, wf_event_record(end, NULL) == WF_OK && wf_event_wait(end) == WF_OK);
        CHECK_EQ(t, read_word(&f, 6), 2 * 31 + 1);
        struct fixture other = setup(t, gpu);
        CHECK(t, wf_event_record(end, other.a) == WF_BAD_INPUT);
        CHECK(t, wf_stream_wait_event(other.a, end) == WF_BAD_INPUT);
        CHECK(t, try_step(&f, other.a, word(&f, 0), word(&f, 0), 0, 0, NULL) == WF_BAD_INPUT);
        check_errors(&f, "error: the stream belongs to a different context");
        fixture_end(&other);
        fixture_end(&f);
    }
}

// The clock of events continues after a change of the GPU.
static void test_clock(struct test *t)
{
    struct fixture f = setup(t, "tiny");
    struct wf_event *e[3];
    uint64_t cycles[2];
    for (int k = 0; k < 3; k++) e[k] = wf_event_create(f.c);
    wf_event_record(e[0], NULL);
    for (int k = 0; k < 2; k++) {
        CHECK(t, wf_gpu(f.c, k ? "gtx1080ti-paper" : "tiny") == WF_OK);
        cycles[k] = wf_launch_stats(step(&f, NULL, 1, 0, 100, 1))->cycles;
        wf_event_record(e[k + 1], NULL);
    }
    CHECK_EQ(t, wf_event_cycles(e[0], e[1]), cycles[0]);
    CHECK_EQ(t, wf_event_cycles(e[1], e[2]), cycles[1]);
    fixture_end(&f);
}

// -- statistics ---------------------------------------------------------------------------------------------

// Statistics of earlier launches stay the same after later launches, another GPU and another mechanism.
static void test_stats_stay(struct test *t)
{
    enum { COUNT = 6 };
    struct fixture f = setup(t, "gtx1080ti-paper");
    struct wf_pending *l[COUNT];
    uint64_t alone[COUNT];
    CHECK(t, wf_tech(f.c, "uv") == WF_OK);
    for (unsigned k = 0; k < COUNT; k++) {
        struct fixture own = setup(t, "gtx1080ti-paper");
        struct wf_pending *same = step(&own, NULL, k, 0, 100 * k, 1);
        alone[k] = wf_launch_stats(same)->warp_instructions;
        wf_launch_free(same);
        fixture_end(&own);
        l[k] = step(&f, k % 2 ? f.a : f.b, k, 0, 100 * k, 1);
    }
    CHECK(t, wf_launch_status(l[COUNT - 1]) == WF_OK);
    CHECK(t, wf_tech(f.c, "darsie") == WF_OK && wf_gpu(f.c, "tiny") == WF_OK);
    for (unsigned k = 0; k < 3; k++) wf_launch_free(step(&f, NULL, k, 0, 10, 1));
    CHECK(t, wf_synchronise(f.c) == WF_OK);
    for (unsigned k = 0; k < COUNT; k++) {
        const struct wf_stats *s = wf_launch_stats(l[k]);
        CHECK(t, s->status == WF_OK && s->has_run && !s->fault_text);
        CHECK_EQ(t, s->warp_instructions, alone[k]);
        CHECK_EQ(t, counter(t, s, "exec.warp_instructions"), alone[k]);
        CHECK_EQ(t, counter(t, s, "exec.blocks"), 1);
        CHECK_STR(t, s->gpu, "gtx1080ti-paper");
        CHECK_STR(t, s->tech, "uv");
        CHECK(t, s->cycles != WF_UNKNOWN && s->sm_count == 28 && s->energy_count && s->storage_count);
        CHECK_STR(t, s->storage[0].tech, "uv");
        uint64_t issued = 0;
        for (size_t n = 0; n < s->sm_count; n++) issued += s->sms[n].warp_instructions;
        CHECK(t, issued <= alone[k] && issued);
        CHECK(t, *s->energy[0].name && strncmp(s->counters[s->counter_count - 1].name, "uv.", 3) == 0);
        if (k % 2) wf_launch_free(l[k]); // the rest is freed with the context
    }
    fixture_end(&f);
}

// The accounts of a kernel's launches add up, and so do their samples.
static void test_accounts(struct test *t)
{
    struct fixture f = setup(t, "tiny");
    CHECK(t, wf_set(f.c, "report.interval", "500") == WF_OK);
    struct wf_pending *l[2] = {step(&f, f.a, 1, 0, LONG, 1), step(&f, f.b, 2, 0, LONG / 2, 1)};
    size_t count;
    const struct wf_account *rows = wf_kernel_account(wf_kernel_find(f.m, "step"), &count); // waits
    uint64_t issued = 0, want = 0;
    for (size_t k = 0; rows && k < count; k++) issued += rows[k].slots[0];
    for (unsigned k = 0; k < 2; k++) {
        const struct wf_stats *s = wf_launch_stats(l[k]);
        uint64_t sampled = 0;
        want += s->warp_instructions;
        size_t index = counter_index(t, "sm.issue.issued");
        for (size_t n = 0; n < s->sample_count; n++) sampled += s->samples[n].counters[index];
        CHECK(t, s->sample_count > 2);
        CHECK_EQ(t, sampled, s->warp_instructions);
    }
    struct wf_slot slot;
    CHECK(t, wf_slot_at(0, &slot) && strcmp(slot.name, "issued") == 0);
    CHECK_EQ(t, issued, want);
    fixture_end(&f);
}

// A timeline shows the launches side by side, under their streams' names.
static void test_watched(struct test *t)
{
    struct fixture f = setup(t, "tiny");
    wf_watch(f.c, true);
    wf_stream_name(f.b, "right");
    step(&f, f.a, 1, 0, 100, 1);
    step(&f, f.b, 2, 0, 100, 1);
    step(&f, NULL, 3, 0, 1, 1);
    const struct watcher *w = wf_watched(f.c);
    CHECK(t, w && w->launches.count == 3);
    if (w && w->launches.count == 3) {
        const struct watch_launch *l = w->launches.data;
        CHECK(t, l[0].to > l[1].from && l[2].from >= l[0].to && l[2].from >= l[1].to);
        CHECK_STR(t, l[0].stream.name, "1");
        CHECK_STR(t, l[1].stream.name, "right");
        CHECK(t, l[2].stream.number == 0 && !l[2].stream.name);
    }
    wf_watch(f.c, false);
    CHECK(t, !wf_watched(f.c));
    fixture_end(&f);
}

// -- copies made by calls -----------------------------------------------------------------------------------

static void test_copies(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = f.a};
        uint64_t to = word(&f, 1), from = word(&f, 0);
        uint32_t rounds = 5, k = 9;
        void *args[] = {&to, &from, &rounds, &k};
        CHECK(t, wf_launch_async(wf_kernel_find(f.m, "step"), &shape, args, 4, NULL) == WF_OK);
        to = from = 0;
        k = 1;
        memset(args, 0, sizeof args);
        shape = (struct wf_launch_config){0};
        // A texture bound later, and more textures, so that the list of textures moves.
        write_word(&f, 2, 11);
        write_word(&f, 3, 12);
        struct wf_texture_config config = {.texel = WF_TEXEL_U32, .channels = 1, .width = 1};
        uint64_t one = wf_texture_create(f.c, word(&f, 2), &config), out = word(&f, 4);
        shape = (struct wf_launch_config){.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = f.b};
        CHECK(t, wf_bind_texture(f.m, "words", one) == WF_OK);
        CHECK(t,
              wf_launch_async(wf_kernel_find(f.m, "first_word"), &shape, (void *[]){&out}, 1, NULL) == WF_OK);
        for (int n = 0; n < 40; n++) one = wf_texture_create(f.c, word(&f, 3), &config);
        CHECK(t, wf_bind_texture(f.m, "words", one) == WF_OK);
        CHECK_EQ(t, read_word(&f, 1), 9);
        CHECK_EQ(t, read_word(&f, 4), 11);
        fixture_end(&f);
    }
}

// Programs rebuilt by a mechanism for every shape, and tables of functions, valid for one program at a time.
static void test_programs(struct test *t)
{
    struct fixture f = setup(t, "gtx1080ti-paper");
    CHECK(t, wf_tech(f.c, "silicon-sync") == WF_OK);
    for (unsigned k = 0; k < 4; k++) {
        struct wf_launch_config shape = {
            .grid = {1, 1, 1}, .block = {4, 1 + k % 2, 1}, .stream = k % 2 ? f.a : f.b};
        uint64_t out = word(&f, 16 * k);
        CHECK(t, wf_launch_async(wf_kernel_find(f.m, "number"), &shape, (void *[]){&out}, 1, NULL) == WF_OK);
    }
    for (unsigned k = 0; k < 4; k++) CHECK_EQ(t, read_word(&f, 16 * k + 3), 3);
    CHECK_EQ(t, read_word(&f, 16 + 7), 3);
    fixture_end(&f);

    f = setup(t, "tiny");
    struct wf_module *m = wf_module_load_file(f.c, "tests/api/kernels.ptx");
    struct wf_kernel *one = wf_kernel_find(m, "operate"), *other = wf_kernel_find(m, "operate_twice");
    uint32_t in = 5;
    for (unsigned k = 0; k < 4; k++) {
        struct wf_launch_config shape = {
            .grid = {1, 1, 1}, .block = {k % 2 ? 1 : 4, 1, 1}, .stream = k % 2 ? f.a : f.b};
        uint64_t out = word(&f, 4 * k);
        CHECK(t, wf_launch_async(k % 2 ? other : one, &shape, (void *[]){&out, &in}, 2, NULL) == WF_OK);
    }
    for (unsigned k = 0; k < 4; k++) CHECK_EQ(t, read_word(&f, 4 * k), k % 2 ? 2 * 16 * 16 : 10);
    fixture_end(&f);
}

// -- failures -----------------------------------------------------------------------------------------------

static void test_faults(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        write_word(&f, 10, 2);
        struct wf_pending *bad = faulty(&f, f.a, 0), *behind = step(&f, f.a, 1, 10, 0, 1);
        struct wf_pending *beside = step(&f, f.b, 2, 10, LONG, 1), *later = step(&f, f.b, 3, 10, 0, 1);
        CHECK(t, wf_synchronise(f.c) == WF_PROGRAM_FAILED);
        check_errors(&f, "kernel step: out-of-bounds global read of 4 bytes");
        CHECK(t, wf_launch_status(bad) == WF_PROGRAM_FAILED && wf_launch_stats(bad)->has_run);
        CHECK_HAS(t, wf_launch_stats(bad)->fault_text, "out-of-bounds global read");
        const struct wf_pending *const never[] = {behind, later};
        for (size_t k = 0; k < 2; k++) {
            const struct wf_stats *s = wf_launch_stats((struct wf_pending *)never[k]);
            CHECK(t, s->status == WF_PROGRAM_FAILED && !s->has_run && s->warp_instructions == 0);
            CHECK_STR(t, s->fault_text,
                      "kernel step did not begin: an earlier launch (kernel step) failed: out-of-bounds "
                      "global read "
                      "of 4 bytes; wf_reset(context) makes the context usable again");
            CHECK(t, s->counter_count && s->cycles == (gpu ? 0 : WF_UNKNOWN));
        }
        // On a chip the other launch goes on; without a chip it would have come later.
        CHECK(t, wf_launch_status(beside) == (gpu ? WF_OK : WF_PROGRAM_FAILED));
        CHECK_EQ(t, read_word(&f, 2), gpu ? 2 * 31 + 1 : 0);
        CHECK(t, read_word(&f, 1) == 0 && read_word(&f, 3) == 0 && read_word(&f, 10) == 2);
        // No launch begins after a fault, and memory is unchanged.
        struct wf_pending *refused = bad;
        CHECK(t,
              try_step(&f, f.b, word(&f, 4), word(&f, 10), 0, 1, &refused) == WF_PROGRAM_FAILED && !refused);
        check_errors(
            &f, "error: kernel step is not launched: an earlier launch (kernel step) failed: out-of-bounds");
        CHECK(t, wf_stream_wait(f.b) == WF_PROGRAM_FAILED && wf_synchronise(f.c) == WF_PROGRAM_FAILED);
        write_word(&f, 10, 3);
        wf_reset(f.c);
        CHECK(t, wf_synchronise(f.c) == WF_OK);
        step(&f, f.b, 4, 10, 0, 1);
        CHECK_EQ(t, read_word(&f, 4), 3 * 31 + 1);
        fixture_end(&f);
    }
}

// wf_launch reports the fault of an earlier launch.
static void test_found_late(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        faulty(&f, f.a, 100);
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
        uint64_t out = word(&f, 0);
        struct wf_stats stats;
        struct wf_kernel *k = wf_kernel_find(f.m, "number");
        CHECK(t, wf_launch(k, &shape, (void *[]){&out}, 1, &stats) == WF_PROGRAM_FAILED && !stats.has_run);
        CHECK_HAS(t, wf_errors(f.c),
                  "error: kernel number did not begin: an earlier launch (kernel step) failed: ");
        CHECK(t, wf_launch(k, &shape, (void *[]){&out}, 1, &stats) == WF_PROGRAM_FAILED && !stats.fault_text);
        wf_reset(f.c);
        CHECK(t, wf_launch(k, &shape, (void *[]){&out}, 1, &stats) == WF_OK && stats.has_run);
        fixture_end(&f);
    }
}

// Races between unordered launches: two launches touch one word, and at least one writes.
static void test_races_between(struct test *t)
{
    enum { APART, EVENT, WAITED, DEFAULT, READ_ONLY, OTHER_WORDS, FREED };
    static const bool races[] = {true, false, false, false, false, false, true};
    for (unsigned k = 0; k < TEST_COUNT(races); k++) {
        struct fixture f = setup(t, NULL);
        struct wf_event *e = wf_event_create(f.c);
        struct wf_pending *first, *second;
        bool reads = k == READ_ONLY, apart = k == OTHER_WORDS;
        CHECK(t, wf_set(f.c, "check.races", "1") == WF_OK);
        try_step(&f, f.a, word(&f, reads ? 1 : 0), word(&f, 0), 3, 1, &first);
        wf_event_record(e, f.a);
        if (k == EVENT) wf_stream_wait_event(f.b, e);
        if (k == WAITED) wf_stream_wait(f.a);
        if (k == FREED) wf_launch_free(first);
        try_step(&f, k == DEFAULT ? NULL : f.b,
                 word(&f, reads   ? 2
                          : apart ? 3
                                  : 0),
                 word(&f, apart ? 3 : 0), 3, 2, &second);
        const struct wf_stats *stats = wf_launch_stats(second);
        CHECK_MSG(t, (stats->races != 0) == races[k], "%u: %llu races", k, (unsigned long long)stats->races);
        if (races[k])
            CHECK_HAS(t, stats->race_text,
                      "race between kernels step and step, unordered by streams or events");
        if (races[k]) CHECK_HAS(t, stats->race_text, "by thread (0,0,0) of block (0,0,0) at pc");
        if (k != FREED) CHECK_EQ(t, wf_launch_stats(first)->races, 0);
        fixture_end(&f);
    }
}

// A limit stops one launch; other launches go on. The next waiting call reports the failure, once.
static void test_limits(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        write_word(&f, 10, 2);
        CHECK(t, wf_set(f.c, "exec.max_warp_instructions", "50000") == WF_OK);
        struct wf_pending *stopped = endless(&f, f.a), *behind = step(&f, f.a, 1, 10, 0, 1);
        struct wf_pending *beside = step(&f, f.b, 2, 10, LONG, 1);
        uint32_t value = 0;
        CHECK(t, wf_read(f.c, word(&f, 1), &value, 4) == WF_PROGRAM_FAILED && value == 2 * 31 + 1);
        check_errors(&f, "50000 warp instructions");
        CHECK(t, wf_synchronise(f.c) == WF_OK);
        CHECK_EQ(t, read_word(&f, 2), 2 * 31 + 1);
        CHECK(t, wf_launch_status(behind) == WF_OK && wf_launch_status(beside) == WF_OK);
        CHECK(t, wf_launch_status(stopped) == WF_PROGRAM_FAILED);
        // A direct query of the launch's status counts as the report.
        stopped = endless(&f, f.a);
        CHECK(t, wf_set(f.c, "exec.max_warp_instructions", "0") == WF_OK); // waits
        CHECK(t, wf_launch_status(stopped) == WF_PROGRAM_FAILED && wf_synchronise(f.c) == WF_OK);
        if (gpu) {
            wf_set_max_cycles(f.c, 20000); // for launches from now on, each from its arrival
            stopped = endless(&f, f.b);
            wf_set_max_cycles(f.c, 0);
            step(&f, f.a, 3, 10, LONG, 1);
            CHECK(t, wf_launch_status(stopped) == WF_PROGRAM_FAILED && wf_synchronise(f.c) == WF_OK);
            CHECK_EQ(t, read_word(&f, 3), 2 * 31 + 1);
        }
        fixture_end(&f);
    }
}

static bool interrupt_once(void *context)
{
    int *left = context;
    return (*left)-- == 0;
}

static void test_interrupt(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        int left = 3;
        wf_set_interrupt(f.c, interrupt_once, &left);
        struct wf_pending *l[3] = {endless(&f, f.a), endless(&f, f.b), step(&f, f.a, 1, 0, 0, 1)};
        CHECK(t, wf_launch_status(l[0]) == WF_INTERRUPTED);
        for (int k = 0; k < 3; k++) CHECK_EQ(t, wf_launch_status(l[k]), WF_INTERRUPTED);
        CHECK(t, !wf_launch_stats(l[2])->has_run);
        CHECK_HAS(t, wf_launch_stats(l[2])->fault_text, "kernel step did not begin: interrupted");
        wf_synchronise(f.c);
        left = -1; // no more interrupts
        step(&f, f.a, 1, 0, 0, 7);
        CHECK_EQ(t, read_word(&f, 1), 7);
        fixture_end(&f);
    }
}

// -- waiting calls ------------------------------------------------------------------------------------------

static void count_print(void *context, const char *text, size_t length)
{
    (void)text, (void)length;
    ++*(int *)context;
}

enum host_call {
    CALL_WRITE,
    CALL_READ,
    CALL_COPY,
    CALL_FILL,
    CALL_FREE,
    CALL_SET,
    CALL_GPU,
    CALL_TECH,
    CALL_VERIFY,
    CALL_PRINT,
    CALL_STUDY,
    CALL_WATCH,
    CALL_WATCHED,
    CALL_ACCOUNT,
    CALL_RESET,
    CALL_STREAM,
    CALL_ALL,
    CALL_EVENT,
    CALL_CYCLES,
    CALL_STATUS,
    CALL_STATS,
    CALL_LAUNCH,
    WAITING_CALLS,
    CALL_ALLOC = WAITING_CALLS,
    CALL_TEXTURE,
    CALL_BIND,
    CALL_LOAD,
    CALL_FIND,
    CALL_RECORD,
    CALL_AFTER,
    CALL_QUEUE,
    CALL_LISTING,
    CALL_SYMBOL,
    CALL_FORGET,
    CALLS
};

// Makes the call. l: a launch of kernel `k`, just queued in stream a.
static void call(struct fixture *f, enum host_call which, struct wf_pending *l, struct wf_kernel *k)
{
    struct wf_event *e = wf_event_create(f->c), *before = wf_event_create(f->c);
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct wf_texture_config config = {.texel = WF_TEXEL_U32, .channels = 1, .width = 1};
    uint64_t address, bytes;
    uint32_t value = 0;
    size_t count;
    wf_event_record(e, f->a);
    switch (which) {
    case CALL_WRITE: wf_write(f->c, f->words, &value, 4); break;
    case CALL_READ: wf_read(f->c, f->words, &value, 4); break;
    case CALL_COPY: wf_copy(f->c, f->words, f->words + 4, 4); break;
    case CALL_FILL: wf_fill(f->c, f->words, 0, 4, 1); break;
    case CALL_FREE: wf_free(f->c, f->words); break;
    case CALL_SET: wf_set(f->c, "simt", "stack"); break;
    case CALL_GPU: wf_gpu(f->c, "titanv"); break;
    case CALL_TECH: wf_tech(f->c, "uv"); break;
    case CALL_VERIFY: wf_set_verify(f->c, true); break;
    case CALL_PRINT: wf_set_print(f->c, NULL, NULL); break;
    case CALL_STUDY: wf_set_study(f->c, NULL); break;
    case CALL_WATCH: wf_watch(f->c, false); break;
    case CALL_WATCHED: wf_watched(f->c); break;
    case CALL_ACCOUNT: wf_kernel_account(k, &count); break;
    case CALL_RESET: wf_reset(f->c); break;
    case CALL_STREAM: wf_stream_wait(f->a); break;
    case CALL_ALL: wf_synchronise(f->c); break;
    case CALL_EVENT: wf_event_wait(e); break;
    case CALL_CYCLES: wf_event_cycles(e, e); break;
    case CALL_STATUS: wf_launch_status(l); break;
    case CALL_STATS: wf_launch_stats(l); break;
    case CALL_LAUNCH:
        wf_launch(wf_kernel_find(f->m, "number"), &shape, (void *[]){&f->words}, 1, NULL);
        break;
    case CALL_ALLOC: wf_alloc(f->c, 100); break;
    case CALL_TEXTURE: wf_texture_create(f->c, f->words, &config); break;
    case CALL_BIND: wf_bind_texture(f->m, "words", wf_texture_create(f->c, f->words, &config)); break;
    case CALL_LOAD: wf_module_load_file(f->c, PTX); break;
    case CALL_FIND: wf_kernel_find(f->m, "number"); break;
    case CALL_RECORD: wf_event_record(before, NULL); break;
    case CALL_AFTER: wf_stream_wait_event(f->b, e); break;
    case CALL_QUEUE: step(f, NULL, 1, 0, 0, 1); break;
    case CALL_LISTING: wf_kernel_listing(k); break;
    case CALL_SYMBOL: wf_symbol(f->m, "bias", &address, &bytes); break;
    case CALL_FORGET: wf_launch_free(l); break;
    case CALLS: break;
    }
}

// A kernel prints; after the call, its output has arrived exactly if the call waits.
static void test_who_waits(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        for (enum host_call which = 0; which < CALLS; which++) {
            struct fixture f = setup(t, gpu);
            int printed = 0;
            wf_set_print(f.c, count_print, &printed);
            struct wf_module *m = wf_module_load_file(f.c, "tests/api/kernels.ptx");
            struct wf_kernel *k = wf_kernel_find(m, "hello");
            struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = f.a};
            struct wf_pending *l;
            CHECK(t, wf_launch_async(k, &shape, NULL, 0, &l) == WF_OK && !printed);
            call(&f, which, l, k);
            CHECK_MSG(t, (printed != 0) == (which < WAITING_CALLS), "call %d on %s: %d texts", (int)which,
                      gpu ? gpu : "no GPU", printed);
            CHECK(t, wf_synchronise(f.c) == WF_OK);
            CHECK_MSG(t, printed != 0, "call %d", (int)which);
            fixture_end(&f);
        }
    }
}

// The host writes constants while a launch reads them.
static void test_symbols(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = f.a};
        uint64_t bias, out[2] = {word(&f, 0), word(&f, 1)};
        CHECK(t, wf_symbol(f.m, "bias", &bias, NULL) == WF_OK);
        for (unsigned k = 0; k < 2; k++) {
            CHECK(t, wf_launch_async(wf_kernel_find(f.m, "add_bias"), &shape, (void *[]){&out[k]}, 1, NULL) ==
                         WF_OK);
            CHECK(t, wf_fill(f.c, bias, 77, 4, 1) == WF_OK);
        }
        CHECK_EQ(t, read_word(&f, 0), 5);
        CHECK_EQ(t, read_word(&f, 1), 77);
        fixture_end(&f);
    }
}

// -- lives --------------------------------------------------------------------------------------------------

static void test_lives(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct fixture f = setup(t, gpu);
        wf_launch_free(NULL);
        wf_launch_free(step(&f, f.a, 1, 0, LONG, 4)); // queued
        struct wf_pending *running = step(&f, f.b, 2, 0, LONG, 5), *short_one = step(&f, NULL, 3, 0, 0, 6);
        CHECK(t, wf_launch_status(short_one) == WF_OK);
        wf_launch_free(running);
        wf_launch_free(short_one);
        CHECK(t, read_word(&f, 1) == 4 && read_word(&f, 2) == 5 && read_word(&f, 3) == 6);
        // The first stream is waited for; of the other stream one launch is on the
        // chip and another waits behind it.
        struct wf_pending *over = step(&f, f.a, 1, 0, 0, 4);
        endless(&f, f.b);
        wf_launch_free(endless(&f, f.b));
        CHECK(t, wf_launch_status(over) == WF_OK);
        wf_event_record(wf_event_create(f.c), f.b);
        fixture_end(&f); // ends every launch
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"order", test_order},
        {"default_stream", test_default_stream},
        {"behind_default", test_behind_default},

        {"random", test_random},
        {"events", test_events},
        {"clock", test_clock},
        {"stats_stay", test_stats_stay},
        {"accounts", test_accounts},
        {"watched", test_watched},
        {"copies", test_copies},
        {"programs", test_programs},
        {"faults", test_faults},
        {"found_late", test_found_late},
        {"races_between", test_races_between},
        {"limits", test_limits},
        {"interrupt", test_interrupt},
        {"who_waits", test_who_waits},
        {"symbols", test_symbols},
        {"lives", test_lives},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
