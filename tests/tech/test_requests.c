// Lines requested and locked by mechanisms: arrivals, cycles,
// evictions; counted by hand on an L1 of few ways.
#include "harness/scene.h"
#include "memory/cache.h"
#include "tech/extra.h"

#include <stdlib.h>
#include <string.h>

// Sets up blocks of a warp under a mechanism; NULL: none.
static bool begin(struct scene *s, struct test *t, const struct tech *tech, const char *settings,
                  const char *text, uint32_t blocks, uint64_t bytes)
{
    const struct tech_use uses[] = {{.tech = tech}, {0}};
    const struct scene_plan plan = {
        .settings = settings, .uses = uses, .text = text, .block = {32}, .blocks = blocks, .bytes = bytes};
    return scene_begin(s, t, &plan);
}

// The result may be out of balance.
static bool run(struct test *t, const struct tech *tech, const char *settings, const char *text,
                uint32_t blocks, struct chip_result *r)
{
    struct scene s;
    bool good = begin(&s, t, tech, settings, text, blocks, 1 << 20) && gpu_bench_run(&s.bench);
    CHECK_MSG(t, good, "%s", s.bench.m.fault.text ? s.bench.m.fault.text : "");
    *r = s.bench.result;
    scene_end(&s);
    return good;
}

// -- a stream -----------------------------------------------------------------------------------------------

// A warp reads 64 lines in sequence, and waits after every load.
#define STREAM                                                                                               \
    "S2R R0, SR_TID.X\nMOV R4, 0x4\nMOV R9, 0x40\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"                     \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, 0x80, RZ\n"                                  \
    "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"

// The first three lines miss: the second gives a stride and the third confirms it. From
// the fourth line on, a line has been requested during the use of the previous line. The
// 65th line is requested too, and never used.
static void test_stream(struct test *t)
{
    static const char *const settings[] = {"l1.global=1 l1.allocate=miss",
                                           "l1.global=1 l1.allocate=streaming",
                                           "l1.global=1 l1.allocate=fill l1.mshrs=2"};
    for (size_t k = 0; k < TEST_COUNT(settings); k++) {
        struct chip_result without, with;
        if (!run(t, NULL, settings[k], STREAM, 1, &without)) return;
        if (!run(t, &tech_prefetch, settings[k], STREAM, 1, &with)) return;
        CHECK_MSG(t, !with.imbalance, "%s", with.imbalance);
        CHECK_EQ(t, without.gpu.l1_misses, 64);
        CHECK_EQ(t, without.gpu.l1_early_requests, 0);
        CHECK_EQ(t, with.gpu.l1_misses, 3);
        CHECK_EQ(t, with.gpu.l1_hits + with.gpu.l1_pending_hits, 61);
        CHECK_EQ(t, with.gpu.l1_early_requests, 62);
        CHECK_EQ(t, with.gpu.l1_early_misses, 62);
        CHECK_EQ(t, with.gpu.lsu_accesses, without.gpu.lsu_accesses); // requests are no accesses
        CHECK_EQ(t, with.techs[0][0], 62);
        CHECK_EQ(t, with.techs[0][2], 62);
        CHECK(t, with.cycles < without.cycles);
    }
}

// With a single MSHR a request waits until the warp's own miss returns, and is not lost. Observing
// mechanisms and single-stepped time change nothing.
static void test_limits(struct test *t)
{
    struct chip_result fast, slow;
    if (!run(t, &tech_prefetch, "l1.global=1 l1.allocate=miss l1.mshrs=1 l1.merges=1", STREAM, 6, &fast))
        return;
    if (!run(t, &tech_prefetch, "l1.global=1 l1.allocate=miss l1.mshrs=1 l1.merges=1 sim.skip_idle=0", STREAM,
             6, &slow))
        return;
    CHECK(t, !fast.imbalance && !slow.imbalance);
    CHECK(t, fast.gpu.l1_early_requests > 0 && fast.techs[0][0] == fast.techs[0][2]);
    CHECK_EQ(t, fast.cycles, slow.cycles);
    CHECK(t, memcmp(&fast.gpu, &slow.gpu, sizeof fast.gpu) == 0);
}

// -- neighbours ---------------------------------------------------------------------------------------------

// Of four adjacent lines the first misses and brings the others, as far as MSHRs suffice.
// With three MSHRs the fourth line misses again; with one MSHR every line misses. Lines
// already resident are not counted as dropped.
static void test_neighbours(struct test *t)
{
    static const struct {
        const char *settings;
        uint64_t misses, brought, dropped;
    } cases[] = {{"l1.global=1 l1.allocate=miss", 16, 48, 0},
                 {"l1.global=1 l1.allocate=streaming", 16, 48, 0},
                 {"l1.global=1 l1.allocate=miss l1.mshrs=1", 64, 0, 96}, // 3 + 2 + 1 of four
                 {"l1.global=1 l1.allocate=miss l1.mshrs=3", 32, 32, 16},
                 {"l1.global=0", 0, 0, 0}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct chip_result r;
        if (!run(t, &tech_four, cases[k].settings, STREAM, 1, &r)) return;
        CHECK_MSG(t, !r.imbalance, "%s: %s", cases[k].settings, r.imbalance);
        CHECK_EQ(t, r.gpu.l1_misses, cases[k].misses);
        CHECK_EQ(t, r.gpu.l1_early_misses, cases[k].brought);
        CHECK_EQ(t, r.gpu.l1_early_dropped, cases[k].dropped);
        CHECK_EQ(t, r.techs[0][0], r.gpu.l1_early_requests);
    }
}

// The second of the buffer's three lines is read: the fourth line of the
// group, behind the buffer's end, does not come.
static void test_end_of_buffer(struct test *t)
{
    struct scene s;
    if (begin(&s, t, &tech_four, "l1.global=1",
              "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2+0x80]\nEXIT\n", 1, 3 * 128)) {
        CHECK_EQ(t, s.buffer % 512, 0);
        scene_run(&s);
        CHECK_EQ(t, s.bench.result.gpu.l1_misses, 1);
        CHECK_EQ(t, s.bench.result.gpu.l1_early_misses, 2);
        CHECK_EQ(t, s.bench.result.gpu.l1_early_dropped, 0);
    }
    scene_end(&s);
}

// -- a duel -------------------------------------------------------------------------------------------------

struct duelled {
    struct chip_result result;
    struct gpu_counts sms[6];
};

static void duel(struct test *t, const char *settings, const char *text, unsigned threads, struct duelled *d)
{
    struct scene s;
    *d = (struct duelled){0};
    begin(&s, t, &tech_dueling, settings, text, 60, 1 << 20);
    s.bench.threads = threads;
    s.bench.sms = d->sms;
    scene_run(&s);
    d->result = s.bench.result;
    scene_end(&s);
}

// Blocks that stream through 64 lines of their own.
#define STREAMS                                                                                              \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nSHL R1, R1, 0xb\nIADD3 R0, R0, R1, RZ\nMOV R4, 0x4\n"             \
    "MOV R9, 0x40\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"                                                    \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, 0x80, RZ\n"                                  \
    "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"

static uint64_t followers_asked(const struct duelled *d)
{
    uint64_t asked = 0;
    for (unsigned sm = 2; sm < 6; sm++) asked += d->sms[sm].l1_early_requests;
    return asked;
}

// Of six SMs the first prefetches and the second does not. The other four follow the prefetching leader
// where prefetching pays, and the other leader where the load/store unit stalls until a line under way for
// another request arrives. Host threads and skipped cycles do not matter.
static void test_duel(struct test *t)
{
#define CHIP "gpu.sm_count=6 sm.blocks=2 l1.global=1 l1.allocate=miss "
    static const struct {
        const char *settings;
        bool pays;
    } chips[] = {{CHIP, true},
                 {CHIP "gpu.dispatch_latency=40 lsu.pending=4", true},
                 {CHIP "l1.sets=1 l1.ways=2 l1.merges=1", false}};
    for (size_t k = 0; k < TEST_COUNT(chips); k++) {
        struct duelled one, three, slow;
        struct strbuf all = {0};
        strbuf_printf(&all, "%s sim.skip_idle=0", chips[k].settings);
        duel(t, chips[k].settings, STREAMS, 1, &one);
        duel(t, chips[k].settings, STREAMS, 3, &three);
        duel(t, strbuf_text(&all), STREAMS, 2, &slow);
        CHECK(t, one.sms[0].l1_early_requests > 0);
        CHECK_EQ(t, one.sms[1].l1_early_requests, 0);
        CHECK_MSG(t, (followers_asked(&one) > 0) == chips[k].pays, "%s", chips[k].settings);
        CHECK(t, memcmp(one.sms, three.sms, sizeof one.sms) == 0);
        CHECK(t, memcmp(one.sms, slow.sms, sizeof one.sms) == 0);
        CHECK_EQ(t, one.result.cycles, three.result.cycles);
        CHECK_EQ(t, one.result.cycles, slow.result.cycles);
        strbuf_fini(&all);
    }
}

// -- many at once -------------------------------------------------------------------------------------------

enum { CROWD = 40 };

struct crowd {
    struct sm_grid *grid;
    uint64_t *counts, first, came; // counts: accepted, refused, out of order
};

static void *crowd_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct crowd *c = heap_alloc(sizeof *c);
    (void)launch;
    *c = (struct crowd){.grid = grid, .counts = counts};
    return c;
}

static const struct tech tech_crowd;

static void crowd_access(void *state, const struct tech_line *l)
{
    struct crowd *c = state;
    if (l->kind != LSU_LOAD || c->first) return;
    c->first = l->line;
    for (uint32_t n = 1; n <= CROWD; n++)
        c->counts[!tech_request(c->grid, &tech_crowd, l->line + n * 128, 15, n)]++;
}

static void crowd_line(void *state, uint64_t line, uint32_t token)
{
    struct crowd *c = state;
    c->came++;
    c->counts[2] += line != c->first + (uint64_t)token * 128;
}

static const char *crowd_check(const void *state)
{
    const struct crowd *c = state;
    return c->came == c->counts[0] ? NULL : "a line has not come";
}

static const struct tech tech_crowd = {
    .name = "crowd",
    .claims = CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = crowd_begin,
    .sm_end = free,
    .check = crowd_check,
    .lines = &(const struct tech_lines){.access = crowd_access, .line = crowd_line},
};

// 16 places: of 40 requests at once, 24 are refused. The accepted requests return in sequence through a
// single MSHR, all of them, though the block has long ended.
static void test_crowd(struct test *t)
{
    struct chip_result r;
    if (!run(t, &tech_crowd, "l1.global=1 l1.allocate=miss l1.mshrs=1",
             "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2]\nEXIT\n", 1, &r))
        return;
    CHECK_MSG(t, !r.imbalance, "%s", r.imbalance);
    CHECK_EQ(t, r.techs[0][0], 16);
    CHECK_EQ(t, r.techs[0][1], CROWD - 16);
    CHECK_EQ(t, r.techs[0][2], 0);
    CHECK_EQ(t, r.gpu.l1_early_misses, 16);
    CHECK_EQ(t, r.gpu.l1_misses, 1);
}

// -- locks --------------------------------------------------------------------------------------------------

struct pin {
    struct sm_grid *grid;
    const struct tech *me;
    uint64_t *counts, line[2];
    unsigned met, count; // locked: the first two lines met
};

static void *pin_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct pin *p = heap_alloc(sizeof *p);
    (void)launch;
    *p = (struct pin){.grid = grid, .me = tech_launch(grid)->techs[0]->tech, .counts = counts};
    return p;
}

static void pin_access(void *state, const struct tech_line *l)
{
    struct pin *p = state;
    if (l->kind == LSU_LOAD && p->met++ < 2) tech_request(p->grid, p->me, l->line, l->sectors, 0);
}

static void pin_line(void *state, uint64_t line, uint32_t token)
{
    struct pin *p = state;
    (void)token;
    bool locked = tech_lock_line(p->grid, p->me, line);
    p->counts[!locked]++;
    if (locked) p->line[p->count++] = line;
}

static void pin_block_end(void *state, unsigned block)
{
    struct pin *p = state;
    (void)block;
    while (p->count) tech_unlock_line(p->grid, p->me, p->line[--p->count]);
}

#define PIN(its_name, ...)                                                                                   \
    {                                                                                                        \
        .name = its_name, .claims = CLAIMS(L1_LINES), .skipped = -1, .reused = -1,                           \
        .launch_begin = extra_launch, .launch_end = free, .sm_begin = pin_begin, .sm_end = free,             \
        .lines = &(const struct tech_lines){.access = pin_access, .line = pin_line}, __VA_ARGS__             \
    }
static const struct tech tech_pin =
                             PIN("pin", .blocks = &(const struct tech_blocks){.block_end = pin_block_end}),
                         tech_leaver = PIN("leaver", .meaning = "");

// Lines A and B, then 20 other lines of their set, waiting after every load, then A and B again. Two ways
// lose both; a lock keeps A. Of two ways one is never locked.
#define THRASH                                                                                               \
    "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R9, 0x16\nMOV R8, R2\n"                               \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, 0x80, RZ\n"                                  \
    "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\n"                                \
    "MOV R2, R8\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nLDG.E R5, [R2+0x80]\nIADD3 R6, R5, R6, RZ\nEXIT\n"

static void test_locks(struct test *t)
{
    static const struct {
        const char *settings;
        uint64_t locked, refused, hits;
    } cases[] = {{"l1.ways=1", 0, 2, 0}, {"l1.ways=2", 1, 1, 1}, {"l1.ways=3", 2, 0, 2}};
    static const char *const allocate[] = {"miss", "fill", "streaming"}, *const replacement[] = {
                                                                             "lru", "fifo", "random"};
    for (size_t k = 0; k < 9 * TEST_COUNT(cases); k++) {
        char settings[200];
        struct chip_result with, without;
        snprintf(settings, sizeof settings, "l1.global=1 l1.sets=1 %s l1.allocate=%s l1.replacement=%s",
                 cases[k / 9].settings, allocate[k % 3], replacement[k / 3 % 3]);
        if (!run(t, NULL, settings, THRASH, 1, &without) || !run(t, &tech_pin, settings, THRASH, 1, &with))
            return;
        CHECK_MSG(t, !with.imbalance, "%s: %s", settings, with.imbalance);
        CHECK_MSG(t, with.techs[0][0] == cases[k / 9].locked && with.techs[0][1] == cases[k / 9].refused,
                  "%s", settings);
        CHECK_EQ(t, without.gpu.l1_hits, 0);
        CHECK_EQ(t, with.gpu.l1_hits, cases[k / 9].hits);
        CHECK_EQ(t, with.gpu.l1_early_misses, 0); // the requested lines were under way
    }
}

// Locks never released are found when the books are closed.
static void test_left(struct test *t)
{
    struct chip_result r;
    if (!run(t, &tech_leaver, "l1.global=1 l1.sets=1 l1.ways=3", THRASH, 1, &r)) return;
    CHECK(t, r.imbalance);
    if (r.imbalance) CHECK_STR(t, r.imbalance, "a mechanism has left a line locked");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"stream", test_stream},         {"limits", test_limits},
        {"crowd", test_crowd},           {"duel", test_duel},
        {"neighbours", test_neighbours}, {"end_of_buffer", test_end_of_buffer},
        {"locks", test_locks},           {"left", test_left}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
