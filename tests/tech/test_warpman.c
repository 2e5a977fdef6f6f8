// WarpMan: the examples of Xiang's chapter 3 to the register, the warp and the bit; start times on the cards
// of its Figures 18 and 19. Every variant keeps its promise, and nothing changes but time.
#include "harness/scene.h"
#include "tech/tap.h"
#include "tech/warpman/warpman.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial { // a launch of WarpMan, observed by a tap
    struct scene scene;
    struct warpman_options options;
    struct tap tap;
};

// variant -1: without WarpMan.
static struct trial *trial_begin(struct test *t, const char *gpu, const char *settings, const char *text,
                                 uint32_t threads, uint32_t blocks, int variant)
{
    struct trial *x = calloc(1, sizeof *x);
    x->options = (struct warpman_options){variant, .limit = 36, .epoch = 1000, .hold = 1, .leaders = 1};
    const struct tech_use uses[] = {{.tech = &tech_tap, .options = &x->tap},
                                    {.tech = variant < 0 ? NULL : &tech_warpman, .options = &x->options},
                                    {0}};
    const struct scene_plan plan = {
        .gpu = gpu, .settings = settings, .uses = uses, .text = text, .block = {threads}, .blocks = blocks};
    scene_begin(&x->scene, t, &plan);
    return x;
}

static void trial_end(struct trial *x)
{
    scene_end(&x->scene);
    tap_fini(&x->tap);
    free(x);
}

// -- the buffer ---------------------------------------------------------------------------------------------

static void test_bits(struct test *t)
{
    struct chip_config c;
    gpu_settings(t, &c, "gtx480-warpman", "");
    CHECK_EQ(t, warpman_buffer_bits(&c.gpu), 26 + 3 + 5 + 5 + 1);
    const struct warpman_buffer parts[] = {
        {.physical = 7}, {.logical = (1 << 26) - 1}, {.start = 31}, {.end = 31}, {.valid = true}};
    static const unsigned low[] = {37, 11, 6, 1, 0}, bits[] = {3, 26, 5, 5, 1};
    for (unsigned k = 0; k < TEST_COUNT(parts); k++) {
        struct warpman_buffer back;
        uint64_t word = warpman_buffer_pack(&parts[k], &c.gpu);
        CHECK_EQ(t, word, ((1ull << bits[k]) - 1) << low[k]);
        warpman_buffer_unpack(&back, word, &c.gpu);
        CHECK_EQ(t, warpman_buffer_pack(&back, &c.gpu), word);
    }
    gpu_settings(t, &c, "gtx1080ti", ""); // 32 blocks
    CHECK_EQ(t, warpman_buffer_bits(&c.gpu), 42);
}

// -- start times --------------------------------------------------------------------------------------------

#define ROUNDS "loop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\nEXIT\n"

// Section 3.4's matrix product: 2 kB, 8 warps of 24 registers a thread. Five blocks fit; the 2,048 registers
// left over hold the sixth block's first two warps.
static void test_matrix_product(struct test *t)
{
    enum { BLOCKS = 6, WARPS = 8 };
    struct trial *x = trial_begin(t, "gtx480-warpman", "gpu.sm_count=1 sim.check=1",
                                  ".shared 2048\nMOV R1, 0xc8\n" ROUNDS, 32 * WARPS, BLOCKS, VARIANT_SPATIAL);
    x->scene.bench.m.launch.registers = 24;
    scene_listen(&x->scene);
    scene_run(&x->scene);
    const struct tech_step *steps = x->scene.steps.data;
    const size_t count = x->scene.steps.count;
    CHECK(t, count > 5 * WARPS + 2);
    if (test_failed(t)) return;
    uint64_t first = steps[0].cycle;
    size_t at_first = 0;
    while (at_first < count && steps[at_first].cycle == first) at_first++;
    CHECK_EQ(t, at_first, 5 * WARPS + 2);
    const struct tech_step *last = &steps[at_first - 1];
    CHECK_STR(t, last->what, "to come");
    CHECK_EQ(t, last->block, 5);
    CHECK_EQ(t, last->warp, 2); // {2, 7}
    CHECK_EQ(t, last->value, 7);
    CHECK_EQ(t, scene_counter(&x->scene, "warpman.partial"), 1);
    CHECK_EQ(t, scene_counter(&x->scene, "warpman.late"), WARPS - 2);
    CHECK_EQ(t, scene_counter(&x->scene, "warpman.beyond"), 2);
    uint64_t before = 0;
    for (uint32_t k = 2; k < WARPS; k++) { // in order of warps
        uint64_t start = tap_life(&x->tap, t, 5, k).start;
        CHECK(t, start > first && start >= before);
        before = start;
    }
    CHECK_STR(t, steps[count - 1].what, "complete");
    trial_end(x);
}

// No context or no shared memory for a sixth block: no part of it starts.
static void test_by_block(struct test *t)
{
    static const char *const settings[] = {"sm.blocks=5", "sm.shared_bytes=10240"};
    for (size_t k = 0; k < TEST_COUNT(settings); k++) {
        char all[100];
        snprintf(all, sizeof all, "gpu.sm_count=1 sim.check=1 %s", settings[k]);
        struct trial *x = trial_begin(t, "gtx480-warpman", all, ".shared 2048\nMOV R1, 0xc8\n" ROUNDS, 256, 6,
                                      VARIANT_SPATIAL);
        x->scene.bench.m.launch.registers = 24;
        scene_run(&x->scene);
        CHECK_EQ(t, scene_counter(&x->scene, "warpman.beyond"), 0);
        trial_end(x);
    }
}

// The kernel of Figure 17: the first warp of a block runs long, the
// other 31 end at once. 120 blocks of 32 warps.
#define DELAYED                                                                                              \
    "S2R R0, SR_TID.X\nMOV R1, 0x1\nISETP.LT.U32.AND P0, PT, R0, 0x20, PT\n@P0 MOV R1, 0x7d0\n" ROUNDS

enum { DELAYED_BLOCKS = 120, DELAYED_WARPS = 32 };

struct delayed {
    uint64_t begin;               // start of the first block
    unsigned first;               // blocks with a warp started at `begin`
    uint64_t next;                // start of the first block after the `first` blocks
    uint64_t short_end, long_end; // of the first short and the first long warp
    unsigned at_begin;            // warps
};

static struct delayed delayed(struct test *t, const char *gpu, int variant)
{
    struct trial *x =
        trial_begin(t, gpu, "sim.check=1", DELAYED, 32 * DELAYED_WARPS, DELAYED_BLOCKS, variant);
    struct delayed d = {.short_end = UINT64_MAX, .long_end = UINT64_MAX, .next = UINT64_MAX};
    scene_run(&x->scene);
    d.begin = tap_life(&x->tap, t, 0, 0).start;
    for (unsigned sm = 0; sm < TAP_SMS; sm++)
        for (size_t k = 0; k < x->tap.sms[sm].warps.count; k++) {
            const struct tap_warp *w = &x->tap.sms[sm].warps.data[k];
            uint64_t *end = w->warp ? &d.short_end : &d.long_end;
            d.at_begin += w->start == d.begin;
            d.first += !w->warp && w->start == d.begin;
            if (w->start != d.begin && w->start < d.next) d.next = w->start;
            if (w->end < *end) *end = w->end;
        }
    trial_end(x);
    return d;
}

// From a warp's end to the start of its successor: latency.branch of the exit, and gpu.dispatch_latency.
enum { GAP = 1 + 24 };

// 15 SMs with room for one block (the GTX 480 starts 15 blocks), 8 SMs with room for two (the GTX 680 starts
// 16). The next block starts after the end of a first warp; by warp, after the end of the first short warp.
// With variant=spatial the room for half a block of the GTX 480 is used from the beginning.
static void test_cards(struct test *t)
{
    static const struct {
        const char *gpu;
        unsigned first, more; // more: warps of partly started blocks
    } cards[] = {{"gtx480", 15, 15 * 16}, {"gtx680", 16, 0}};
    for (size_t k = 0; k < TEST_COUNT(cards); k++) {
        struct delayed whole = delayed(t, cards[k].gpu, -1), base = delayed(t, cards[k].gpu, VARIANT_BASE),
                       temporal = delayed(t, cards[k].gpu, VARIANT_TEMPORAL),
                       spatial = delayed(t, cards[k].gpu, VARIANT_SPATIAL);
        CHECK_EQ(t, whole.first, cards[k].first);
        CHECK_EQ(t, base.first, cards[k].first);
        CHECK_EQ(t, whole.next, whole.long_end + GAP);
        CHECK_EQ(t, base.next, whole.next);
        CHECK_EQ(t, temporal.first, cards[k].first);
        CHECK_EQ(t, temporal.next, temporal.short_end + GAP);
        CHECK(t, temporal.next < whole.long_end);
        CHECK_EQ(t, spatial.at_begin, cards[k].first * DELAYED_WARPS + cards[k].more);
    }
}

// -- promises of the variants -------------------------------------------------------------------------------

// Five warps a block, of different lengths; registers for seventeen, slots for 48, contexts for eight.
#define UNEVEN "S2R R0, SR_TID.X\nSHR.U32 R2, R0, 0x5\nIMAD R1, R2, 0x28, R2\nIADD3 R1, R1, 0x9, RZ\n" ROUNDS

static struct chip_result run_uneven(struct test *t, const char *more, int variant, unsigned threads,
                                     uint64_t counters[COUNT_TOTAL])
{
    char settings[200];
    snprintf(settings, sizeof settings, "sim.check=1 sm.registers=%u gpu.sm_count=4 %s", 17 * 512, more);
    struct trial *x = trial_begin(t, "gtx480-warpman", settings, UNEVEN, 160, 80, variant);
    x->scene.bench.m.launch.registers = 16;
    x->scene.bench.threads = threads;
    scene_run(&x->scene); // warpman's own check looks at every start of a warp
    struct chip_result r = x->scene.bench.result;
    if (counters) memcpy(counters, r.techs[1], COUNT_TOTAL * sizeof *counters);
    trial_end(x);
    return r;
}

static void test_variants(struct test *t)
{
    uint64_t n[VARIANT_THRESHOLD + 1][COUNT_TOTAL];
    struct chip_result by_block = run_uneven(t, "", -1, 1, NULL);
    for (int v = VARIANT_BASE; v <= VARIANT_THRESHOLD; v++) {
        struct chip_result r = run_uneven(t, "", v, 1, n[v]);
        CHECK_EQ(t, r.gpu.issue_issued, by_block.gpu.issue_issued);
        CHECK_EQ(t, n[v][COUNT_blocks], 80);
        if (v == VARIANT_BASE) {
            CHECK_EQ(t, r.cycles, by_block.cycles);
            CHECK(t, memcmp(&r.gpu, &by_block.gpu, sizeof r.gpu) == 0);
            CHECK(t, memcmp(&r.memory, &by_block.memory, sizeof r.memory) == 0);
        } else {
            CHECK(t, r.cycles < by_block.cycles && n[v][COUNT_late] > 40);
        }
    }
    CHECK(t, !n[VARIANT_BASE][COUNT_late] && !n[VARIANT_BASE][COUNT_partial]);
    CHECK(t, !n[VARIANT_TEMPORAL][COUNT_beyond] && n[VARIANT_SPATIAL][COUNT_beyond] > 10);
    CHECK(t, n[VARIANT_THRESHOLD][COUNT_beyond] == n[VARIANT_SPATIAL][COUNT_beyond]); // 17 warps are below 36
    CHECK(t, n[VARIANT_DUELING][COUNT_beyond] &&
                 n[VARIANT_DUELING][COUNT_beyond] <= n[VARIANT_SPATIAL][COUNT_beyond]);
}

struct moment {
    uint64_t at;
    int warps; // started (positive) or ended (negative)
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->warps - y->warps; // ends before starts
}

// Maximum number of resident warps on an SM.
static int most_at_once(const struct tap_sm *sm)
{
    size_t count = 2 * sm->warps.count;
    struct moment *moments = heap_alloc(count * sizeof *moments);
    for (size_t n = 0; n < count; n++) {
        const struct tap_warp *w = &sm->warps.data[n / 2];
        moments[n] = n % 2 ? (struct moment){w->end, -1} : (struct moment){w->start, 1};
    }
    qsort(moments, count, sizeof *moments, by_time);
    int most = 0, now = 0;
    for (size_t n = 0; n < count; n++) {
        now += moments[n].warps;
        most = now > most ? now : most;
    }
    free(moments);
    return most;
}

// Three blocks of five warps fit, and registers for two warps more: no variant exceeds its limit of resident
// warps, and every variant reaches it.
static void test_resident(struct test *t)
{
    static const struct {
        int variant;
        uint32_t limit;
        int most;
    } rows[] = {{-1, 1, 15},
                {VARIANT_BASE, 1, 15},
                {VARIANT_TEMPORAL, 1, 15},
                {VARIANT_SPATIAL, 1, 17},
                {VARIANT_THRESHOLD, 9, 15}, // never fewer than by block
                {VARIANT_THRESHOLD, 16, 16},
                {VARIANT_THRESHOLD, 36, 17}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct trial *x = trial_begin(t, "gtx480-warpman", "sim.check=1 sm.registers=8704 gpu.sm_count=2",
                                      UNEVEN, 160, 40, rows[k].variant);
        x->options.limit = rows[k].limit;
        x->scene.bench.m.launch.registers = 16;
        scene_run(&x->scene);
        for (unsigned sm = 0; sm < 2; sm++) CHECK_EQ(t, most_at_once(&x->tap.sms[sm]), rows[k].most);
        trial_end(x);
    }
}

// The ratio of temporal underutilisation of a block by hand. All five warps start together and differ in
// length by the same time, so 1 + 2 + 3 + 4 such times are lost, of five times the longest.
static void test_lost(struct test *t)
{
    struct trial *x = trial_begin(t, "gtx480-warpman", "gpu.sm_count=1", UNEVEN, 160, 1, VARIANT_BASE);
    scene_run(&x->scene);
    uint64_t longest = 0, sum = 0;
    for (uint32_t k = 0; k < 5; k++) {
        const struct tap_warp w = tap_life(&x->tap, t, 0, k);
        uint64_t cycles = w.end - 1 - w.start;
        longest = cycles > longest ? cycles : longest;
        sum += cycles;
    }
    CHECK_EQ(t, scene_counter(&x->scene, "warpman.held"), 5 * longest);
    CHECK_EQ(t, scene_counter(&x->scene, "warpman.lost"), 5 * longest - sum);
    trial_end(x);
}

// Dueling: leaders never change, and neither the number of host threads nor skipped cycles change a result.
static void test_dueling(struct test *t)
{
    static const char *const settings[] = {"", "sim.skip_idle=0"};
    uint64_t first[COUNT_TOTAL], n[COUNT_TOTAL];
    struct chip_result expected = {0};
    for (unsigned k = 0; k < 4; k++) {
        struct chip_result r =
            run_uneven(t, settings[k / 2], VARIANT_DUELING, 1 + 2 * (k % 2), k ? n : first);
        if (!k) expected = r;
        CHECK_EQ(t, r.cycles, expected.cycles);
        CHECK(t, memcmp(&r.gpu, &expected.gpu, sizeof r.gpu) == 0);
        if (k) CHECK(t, memcmp(n, first, sizeof n) == 0);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"bits", test_bits},         {"matrix_product", test_matrix_product},
        {"by_block", test_by_block}, {"cards", test_cards},
        {"variants", test_variants}, {"resident", test_resident},
        {"lost", test_lost},         {"dueling", test_dueling}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
