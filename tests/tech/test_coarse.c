// Lines by twos and fours: lines brought, time, packets, counters. Switched off, the
// mechanism leaves every figure as without it.
#include "harness/scene.h"
#include "isa/program.h"
#include "tech/coarse/coarse.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 128, SMS = 8 };

static const struct coarse_options plain = {.lines = LINES_2,
                                            .when = WHEN_MISS,
                                            .touch = true,
                                            .epoch = 500,
                                            .hold = 1,
                                            .leaders = 1,
                                            .before = 2,
                                            .kernels = ""};

// Sets up blocks of a warp on a buffer, for scene_run; o NULL: without the mechanism.
static void begin(struct scene *s, struct test *t, const struct coarse_options *o, const char *settings,
                  const char *text, uint64_t bytes, uint32_t blocks)
{
    const struct tech_use uses[] = {{.tech = o ? &tech_coarse : NULL, .options = o}, {0}};
    const struct scene_plan plan = {
        .settings = settings, .uses = uses, .text = text, .block = {32}, .blocks = blocks, .bytes = bytes};
    if (scene_begin(s, t, &plan)) s->bench.m.program->name = "k";
}

static void run(struct scene *s, struct test *t, const struct coarse_options *o, const char *settings,
                const char *text, uint64_t bytes, uint32_t blocks)
{
    begin(s, t, o, settings, text, bytes, blocks);
    scene_run(s);
}

#define L1      "l1.global=1 l1.allocate=miss l1.fetch=line "
#define ADDRESS "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
// The warp loads a word and waits for it.
#define LOAD(offset) "LDG.E R5, [R2+" #offset "]\nIADD3 R6, R5, R6, RZ\n"
// A load taking longer than the arrival of neighbouring lines.
#define WAIT "LDG.E.CG R5, [R2+0x1000]\nIADD3 R6, R5, R6, RZ\n"
#define END  "EXIT\n"

// -- lines brought ------------------------------------------------------------------------------------------

// Loads every line of a buffer in turn. The aligned partner comes along, or the other lines of the aligned
// four, but no line before the buffer's beginning or behind its end.
static void test_lines(struct test *t)
{
    for (unsigned lines = LINES_2; lines <= LINES_4; lines++)
        for (unsigned held = 1; held <= 8; held++)
            for (unsigned k = 0; k < held; k++) {
                char text[200];
                struct coarse_options o = plain;
                o.lines = (int)lines;
                snprintf(text, sizeof text, ADDRESS "LDG.E R5, [R2+0x%x]\n" END, k * LINE);
                struct scene s;
                begin(&s, t, &o, L1, text, held * LINE, 1);
                scene_listen(&s);
                scene_run(&s);
                uint32_t first = (uint32_t)(s.buffer / LINE), wanted = 0, found = 0, asked = 0;
                CHECK_EQ(t, s.buffer % (4 * LINE), 0);
                for (unsigned n = k & ~((1u << lines) - 1), end = n + (1u << lines); n < end; n++)
                    if (n != k && n < held) wanted |= 1u << n;
                for (size_t n = 0; n < s.steps.count; n++) {
                    if (strcmp(s.steps.data[n].what, "asked") != 0) continue;
                    found |= 1u << (s.steps.data[n].pc - first);
                    asked++;
                }
                CHECK_MSG(t, found == wanted, "%u lines, %u of %u: %x came, not %x", 1u << lines, k, held,
                          found, wanted);
                CHECK_EQ(t, s.bench.result.gpu.l1_early_misses, asked);
                scene_end(&s);
            }
}

// -- time ---------------------------------------------------------------------------------------------------

// A reduction evicts the second line from L1; the next access to the first line hits alone.
#define PART                                                                                                 \
    ADDRESS LOAD(0x0) "MOV R7, 0x1\nRED.E.ADD.U32 [R2+0x80], R7\nMEMBAR.SC.GPU\n" LOAD(0x4) LOAD(0x84) END

static void test_when(struct test *t)
{
    struct coarse_options on_miss = plain, on_access = plain, waits = plain;
    on_access.when = waits.when = WHEN_ACCESS;
    waits.wait = true;
    struct scene base, miss, access, wait;
    run(&base, t, NULL, L1, PART, 1024, 1);
    run(&miss, t, &on_miss, L1, PART, 1024, 1);
    run(&access, t, &on_access, L1, PART, 1024, 1);
    run(&wait, t, &waits, L1, PART, 1024, 1);
    CHECK_EQ(t, base.bench.result.gpu.l1_misses, 2);
    CHECK_EQ(t, miss.bench.result.gpu.l1_misses, 2); // the second line, not brought again
    CHECK_EQ(t, scene_counter(&miss, "coarse.brought"), 1);
    CHECK_EQ(t, scene_counter(&miss, "coarse.used"), 0);
    CHECK_EQ(t, scene_counter(&miss, "coarse.split"),
             1); // on the miss of the second line, the first is resident
    CHECK_EQ(t, access.bench.result.gpu.l1_misses, 1);
    CHECK_EQ(t, scene_counter(&access, "coarse.brought"), 2);
    CHECK_EQ(t, scene_counter(&access, "coarse.used"), 1);
    CHECK_EQ(t, scene_counter(&access, "coarse.split"), 1);
    CHECK_EQ(t, wait.bench.result.gpu.l1_misses, 1);
    // With `waits` the second line is resident when the first arrives; otherwise it is still under way.
    CHECK_EQ(t, access.bench.result.gpu.l1_pending_hits, 1);
    CHECK_EQ(t, scene_counter(&access, "coarse.late"), 1);
    CHECK_EQ(t, wait.bench.result.gpu.l1_pending_hits, 0);
    CHECK_EQ(t, scene_counter(&wait, "coarse.late"), 0);
    CHECK_EQ(t, wait.bench.result.gpu.l1_hits, 2);
    scene_end(&base);
    scene_end(&miss);
    scene_end(&access);
    scene_end(&wait);
}

// Two sets of two ways: pairs P and Q, P's first line again, then R. R replaces a whole pair if P's second
// line was touched along with its first; both lines of P are then resident.
static void test_touch(struct test *t)
{
    static const char text[] = ADDRESS LOAD(0x0) LOAD(0x100) LOAD(0x4) LOAD(0x200) LOAD(0x8) LOAD(0x80) END;
    for (unsigned touch = 0; touch < 2; touch++) {
        struct coarse_options o = plain;
        o.touch = touch;
        struct scene s;
        run(&s, t, &o, L1 "l1.sets=2 l1.ways=2", text, 1024, 1);
        CHECK_EQ(t, s.bench.result.gpu.l1_misses, touch ? 3 : 4);
        CHECK_EQ(t, scene_counter(&s, "coarse.used"), touch);
        CHECK_EQ(t, scene_counter(&s, "coarse.touched"),
                 touch ? 3 : 0); // P's second line, twice, and its first
        CHECK_EQ(t, scene_counter(&s, "coarse.split"), !touch);
        scene_end(&s);
    }
}

// -- packets ------------------------------------------------------------------------------------------------

// A warp reads 64 lines in sequence, or every second or fourth of them, and waits after every load.
#define STREAM(count, stride)                                                                                \
    ADDRESS "MOV R9, " #count "\n"                                                                           \
            "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, " #stride ", RZ\n"                   \
            "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"

// A pair goes in one packet. A four goes in one packet if its lines belong to
// one slice, in two packets if to two slices.
static void test_packets(struct test *t)
{
    static const struct {
        int lines;
        const char *settings;
        uint64_t packets; // of 64 lines
    } rows[] = {{LINES_1, L1 "memory.partitions=2", 64},
                {LINES_2, L1 "memory.partitions=2", 32},
                {LINES_4, L1 "memory.partitions=2", 32},
                {LINES_4, L1 "memory.partitions=2 memory.interleave_bytes=512", 16},
                {LINES_2, L1 "memory.partitions=2 memory.interleave_bytes=128", 64}};
    struct scene none;
    run(&none, t, NULL, L1, ADDRESS END, 64 * LINE, 1);
    uint64_t others = none.bench.result.memory.request_flits; // code and constants
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct coarse_options o = plain;
        o.lines = rows[k].lines;
        struct scene s;
        run(&s, t, &o, rows[k].settings, STREAM(0x40, 0x80), 64 * LINE, 1);
        const struct memory_counts *n = &s.bench.result.memory;
        CHECK_EQ(t, n->requests - n->rides, n->request_flits); // a flit a packet
        CHECK_EQ(t, n->rides, 64 - rows[k].packets);
        CHECK(t, n->request_flits >= others + rows[k].packets);
        CHECK_EQ(t, n->requests, n->replies);
        CHECK_EQ(t, s.bench.result.gpu.l1_misses + s.bench.result.gpu.l1_early_misses, 64);
        scene_end(&s);
    }
    scene_end(&none);
}

// -- use of brought lines -----------------------------------------------------------------------------------

// A brought line counts as used if a warp accesses it while resident. The rows have every line used, no
// line, and the lines kept long enough by an L1 of one way per set. Without an MSHR no lines come.
static void test_used(struct test *t)
{
    static const struct {
        const char *text, *settings;
        int lines;
        uint64_t misses, brought, used, dropped;
    } rows[] = {{STREAM(0x40, 0x80), L1, LINES_2, 32, 32, 32, 0},
                {STREAM(0x40, 0x80), L1, LINES_4, 16, 48, 48, 0},
                {STREAM(0x20, 0x100), L1, LINES_2, 32, 32, 0, 0},
                {STREAM(0x20, 0x100), L1, LINES_4, 16, 48, 16, 0},
                {STREAM(0x40, 0x80), L1 "l1.mshrs=1", LINES_2, 64, 0, 0, 32},
                // Both lines of a pair map to the only set, and its only way is waiting for the first.
                {STREAM(0x40, 0x80), L1 "l1.sets=1 l1.ways=1", LINES_2, 64, 0, 0, 64},
                // P, then Q in P's place, then P's second line, a miss that brings the first.
                {ADDRESS LOAD(0x0) WAIT LOAD(0x100) WAIT LOAD(0x80) WAIT LOAD(0x4) END,
                 L1 "l1.sets=2 l1.ways=1", LINES_2, 3, 3, 1, 0}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct coarse_options o = plain;
        o.lines = rows[k].lines;
        struct scene s;
        run(&s, t, &o, rows[k].settings, rows[k].text, 64 * LINE, 1);
        const struct gpu_counts *n = &s.bench.result.gpu;
        CHECK_MSG(
            t,
            n->l1_misses == rows[k].misses && scene_counter(&s, "coarse.brought") == rows[k].brought &&
                scene_counter(&s, "coarse.used") == rows[k].used && n->l1_early_dropped == rows[k].dropped,
            "row %zu: %llu misses, %llu brought, %llu used, %llu dropped", k,
            (unsigned long long)n->l1_misses, (unsigned long long)scene_counter(&s, "coarse.brought"),
            (unsigned long long)scene_counter(&s, "coarse.used"), (unsigned long long)n->l1_early_dropped);
        CHECK_EQ(t, scene_counter(&s, "coarse.grouped"), n->l1_misses);
        CHECK_EQ(t, scene_counter(&s, "coarse.loads"), n->l1_hits + n->l1_misses + n->l1_pending_hits);
        CHECK_EQ(t, n->l1_early_misses, scene_counter(&s, "coarse.brought"));
        scene_end(&s);
    }
}

// -- off ----------------------------------------------------------------------------------------------------

// Behaves as if absent: groups of one line, a kernel declared fine-grained, and an L1 without global lines.
// A declaration for another kernel has no effect.
static void test_off(struct test *t)
{
    struct coarse_options one = plain, fine = plain, other = plain;
    one.lines = LINES_1;
    fine.kernels = "j:4/k:1";
    other.kernels = "j:1/kk:1";
    const struct {
        const struct coarse_options *options;
        const char *settings;
        uint32_t blocks;
        bool is_off;
    } rows[] = {{&one, L1, 6, true},
                {&fine, L1, 6, true},
                {&other, L1, 6, false},
                {&plain, "l1.global=0", 6, true},
                {&plain, L1, 6, false}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene base, s;
        run(&base, t, NULL, rows[k].settings, STREAM(0x40, 0x80), 64 * LINE, rows[k].blocks);
        run(&s, t, rows[k].options, rows[k].settings, STREAM(0x40, 0x80), 64 * LINE, rows[k].blocks);
        CHECK_MSG(t, scene_is_like(&base, &s) == rows[k].is_off, "row %zu", k);
        scene_end(&base);
        scene_end(&s);
    }
    struct coarse_options four = plain;
    four.kernels = "k:4";
    struct scene s;
    run(&s, t, &four, L1, STREAM(0x40, 0x80), 64 * LINE, 1);
    CHECK_EQ(t, scene_counter(&s, "coarse.brought"), 48);
    scene_end(&s);
}

// The option `kernels` is parsed whole, or refused.
static void test_verdicts(struct test *t)
{
    static const char *const good[] = {"coarse:kernels=", "coarse:kernels=k:1",
                                       "coarse:kernels=k:1/j:2/_Z3abc:4,lines=4"},
                             *const bad[] = {"k",     ":1",   "k:",    "k:3",    "k:1/", "/k:1",
                                             "k:1//", "k:12", "k/j:1", "k:1/:4", "k: 1"};
    struct tech_choice c;
    struct diag d;
    diag_init(&d);
    for (size_t k = 0; k < TEST_COUNT(good); k++) {
        tech_choice_init(&c);
        CHECK_MSG(t, tech_choose(&c, good[k], &d), "%s", good[k]);
        bool is_named;
        if (k == 2) CHECK(t, coarse_lines(c.uses[0].options, "_Z3abc", &is_named) == 4 && is_named);
        tech_choice_fini(&c);
    }
    for (size_t k = 0; k < TEST_COUNT(bad); k++) {
        char text[64];
        snprintf(text, sizeof text, "coarse:kernels=%s", bad[k]);
        tech_choice_init(&c);
        bool is_end = strcmp(bad[k], "k:1/") == 0; // nothing follows
        CHECK_MSG(t, tech_choose(&c, text, &d) == is_end, "%s", bad[k]);
        tech_choice_fini(&c);
    }
    diag_fini(&d);
}

// -- a duel -------------------------------------------------------------------------------------------------

// Blocks that stream through 64 lines of their own, or through 32 lines.
#define OWN(count, stride)                                                                                   \
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nSHL R1, R1, 0xb\nIADD3 R0, R0, R1, RZ\nMOV R4, 0x4\n"             \
    "IMAD.WIDE R2, R0, R4, c[0x0][0x160]\nMOV R9, 0x40\n"                                                    \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, " #stride ", RZ\n"                           \
    "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"

static void duel(struct scene *s, struct test *t, const struct coarse_options *o, const char *settings,
                 const char *text, unsigned threads, struct gpu_counts sms[SMS])
{
    begin(s, t, o, settings, text, 1 << 21, 160);
    memset(sms, 0, SMS * sizeof *sms);
    s->bench.threads = threads;
    s->bench.sms = sms;
    scene_run(s);
}

// SM 2 leads with the mechanism, SM 3 without; the other six follow the better leader. One kernel waits for
// streams, in the other an unused line evicts a useful line. Host threads and skipped cycles do not matter.
static void test_duel(struct test *t)
{
#define CHIP L1 "gpu.sm_count=8 sm.blocks=2 memory.partitions=4 "
    static const struct {
        const char *settings, *text;
        bool pays;
    } chips[] = {{CHIP, OWN(0x40, 0x80), true},
                 {CHIP "sm.blocks=16 icnt.flit_bytes=8 icnt.mhz=350", OWN(0x20, 0x100), false}};
    struct coarse_options o = plain;
    o.dueling = true;
    for (size_t k = 0; k < TEST_COUNT(chips); k++) {
        char slowly[200];
        snprintf(slowly, sizeof slowly, "%s sim.skip_idle=0", chips[k].settings);
        struct scene one, three, slow;
        struct gpu_counts of_one[SMS], of_three[SMS], of_slow[SMS];
        duel(&one, t, &o, chips[k].settings, chips[k].text, 1, of_one);
        duel(&three, t, &o, chips[k].settings, chips[k].text, 3, of_three);
        duel(&slow, t, &o, slowly, chips[k].text, 2, of_slow);
        uint64_t followed = 0, loads = 0;
        for (unsigned sm = 0; sm < SMS; sm++) {
            const struct gpu_counts *n = &of_one[sm];
            if (sm == 2 || sm == 3) continue;
            followed += n->l1_early_requests;
            loads += n->l1_hits + n->l1_misses + n->l1_pending_hits;
        }
        CHECK(t, of_one[2].l1_early_requests > 0);
        CHECK_EQ(t, of_one[3].l1_early_requests, 0);
        CHECK_MSG(t, chips[k].pays ? 2 * followed > loads : 4 * followed < loads, "%s: %llu of %llu",
                  chips[k].settings, (unsigned long long)followed, (unsigned long long)loads);
        CHECK(t, memcmp(of_one, of_three, sizeof of_one) == 0);
        CHECK(t, memcmp(of_one, of_slow, sizeof of_one) == 0);
        CHECK(t, scene_is_like(&one, &three) && scene_is_like(&one, &slow));
        scene_end(&one);
        scene_end(&three);
        scene_end(&slow);
    }
}

// -- the classifier -----------------------------------------------------------------------------------------

// A launch decides by its own accesses: streams through neighbouring lines bring neighbours once the sample is full;
// streams through every other line bring none by twos, and some by fours. A launch that ends before the sample, and a
// kernel named fine, are as without the mechanism. Host threads do not matter.
static void test_classify(struct test *t)
{
    static const struct {
        const char *text;
        unsigned lines;
        uint32_t sample;
        const char *kernels;
        bool brings;
    } rows[] = {{OWN(0x40, 0x80), LINES_2, 64, "", true},       {OWN(0x40, 0x80), LINES_4, 64, "", true},
                {OWN(0x20, 0x100), LINES_2, 64, "", false},     {OWN(0x20, 0x100), LINES_4, 64, "", true},
                {OWN(0x40, 0x80), LINES_2, 1 << 20, "", false}, {OWN(0x40, 0x80), LINES_2, 64, "k:1", false}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct coarse_options o = plain, all = plain;
        struct gpu_counts of_one[SMS], of_three[SMS];
        struct scene one, three, base, whole;
        o.classify = true;
        o.sample = rows[k].sample;
        o.lines = all.lines = (int)rows[k].lines;
        o.kernels = rows[k].kernels;
        duel(&one, t, &o, CHIP, rows[k].text, 1, of_one);
        duel(&three, t, &o, CHIP, rows[k].text, 3, of_three);
        run(&base, t, NULL, CHIP, rows[k].text, 1 << 21, 160);
        run(&whole, t, &all, CHIP, rows[k].text, 1 << 21, 160);
        uint64_t early = one.bench.result.gpu.l1_early_requests;
        CHECK_MSG(t, (early > 0) == rows[k].brings, "row %zu: %llu neighbours", k, (unsigned long long)early);
        CHECK(t, !rows[k].brings || early < whole.bench.result.gpu.l1_early_requests);
        CHECK(t, rows[k].brings || scene_is_like(&one, &base));
        CHECK(t, memcmp(of_one, of_three, sizeof of_one) == 0 && scene_is_like(&one, &three));
        scene_end(&one);
        scene_end(&three);
        scene_end(&base);
        scene_end(&whole);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"lines", test_lines},       {"when", test_when}, {"touch", test_touch},
        {"packets", test_packets},   {"used", test_used}, {"off", test_off},
        {"verdicts", test_verdicts}, {"duel", test_duel}, {"classify", test_classify}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
