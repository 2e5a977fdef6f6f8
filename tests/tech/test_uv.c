// UV as in the dissertation, counted by hand: instructions on a single lane and their time, the
// lane of a value, copies, and the life of scalar registers. Unchanged results:
// tests/tech/test_kernels.c and tests/differential.
#include "base/str.h"
#include "harness/scene.h"

// An SM of 8 lanes with one scheduler, as the GTX 285's.
#define EIGHT_LANES                                                                                          \
    "issue.schedulers=1 issue.scheduler=lrr issue.interval=4 units.shared=1 units.float=1 "                  \
    "interval.fixed=4 interval.int_add=4 operands.collectors=16 operands.banks=16 sm.warps=32 "
#define EIGHT_LANES_PLAN                                                                                     \
    {                                                                                                        \
        .settings = EIGHT_LANES, .bytes = 4096, .verify = true                                               \
    }

static void run(struct scene *s, struct test *t, const char *tech, const char *settings, const char *text,
                uint32_t threads)
{
    struct strbuf all = {0};
    strbuf_printf(&all, EIGHT_LANES "%s", settings);
    const struct scene_plan plan = {
        .settings = all.text, .tech = tech, .text = text, .block = {threads}, .bytes = 4096, .verify = true};
    if (scene_begin(s, t, &plan)) scene_run(s);
    strbuf_fini(&all);
}

// Independent instructions of several warps: a scheduler of 8 lanes issues an instruction of 32 lanes every
// four cycles, and an instruction of a single lane every cycle.
static void test_rate(struct test *t)
{
    enum { INSTRUCTIONS = 64, WARPS = 8 };
    struct strbuf uniform = {0}, vector = {0};
    strbuf_puts(&uniform, "MOV R1, 0x5\n");
    strbuf_puts(&vector, "S2R R1, SR_TID.X\n");
    for (unsigned k = 0; k < INSTRUCTIONS; k++) {
        strbuf_printf(&uniform, "IADD3 R%u, R1, 0x%x, RZ\n", 2 + k % 16, k);
        strbuf_printf(&vector, "IADD3 R%u, R1, 0x%x, RZ\n", 2 + k % 16, k);
    }
    strbuf_puts(&uniform, "EXIT\n");
    strbuf_puts(&vector, "EXIT\n");
    static const char fast[] = "fetch.width=16 fetch.ibuffer=16 fetch.refill=space fetch.latency=1 "
                               "icache.perfect=1 fetch.per_scheduler=1";
    struct scene s;
    const uint64_t all = INSTRUCTIONS * WARPS;
    struct {
        const char *tech;
        const struct strbuf *text;
        uint64_t least, most;
    } rows[] = {{"uv:variant=token,inter=off", &vector, 4 * all, 4 * all + 120},
                {"uv:variant=token,inter=off", &uniform, all, all + 120},
                {"uv:variant=srf,inter=off,registers=0", &uniform, all, all + 120},
                {"uv:variant=srf,inter=off,registers=1", &uniform, 4 * all - 3 * 64, 4 * all + 120},
                {"uv:variant=token,intra=off", &vector, 4 * all, 4 * all + 120},
                {"uv", &vector, 4 * all, 4 * all + 120},
                // Of eight warps in step the first executes, in four cycles, and seven find its entry.
                {"uv:variant=token,intra=off,valid=issue", &uniform, INSTRUCTIONS * (4 + WARPS - 1),
                 INSTRUCTIONS * (4 + WARPS - 1) + 120},
                {"base", &uniform, 4 * all, 4 * all + 120}, // never more than 8 thread instructions a cycle
                {"base", &vector, 4 * all, 4 * all + 120}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        run(&s, t, rows[k].tech, fast, rows[k].text->text, 32 * WARPS);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        CHECK_MSG(t, s.bench.result.cycles >= rows[k].least && s.bench.result.cycles <= rows[k].most,
                  "row %zu: %llu cycles are not %llu to %llu", k, (unsigned long long)s.bench.result.cycles,
                  (unsigned long long)rows[k].least, (unsigned long long)rows[k].most);
        scene_end(&s);
    }
    strbuf_fini(&uniform);
    strbuf_fini(&vector);
}

// R3 is uniform and becomes R3 + R0, not uniform. Then some lanes alone write R4, with R4 as
// a source, and R5, without R5 as a source.
static const char chain[] = "S2R R0, SR_TID.X\n"
                            "MOV R1, c[0x0][0x160]\n" // single lane, from R1
                            "IADD3 R2, R1, 0x4, RZ\n"
                            "IADD3 R3, R2, R1, RZ\n"
                            "MOV R4, 0x7\nMOV R5, 0x9\n" // to R5
                            "IADD3 R3, R3, R0, RZ\n"
                            "ISETP.LT.AND P0, PT, R0, 0x8, PT\n"
                            "@P0 IADD3 R4, R4, 0x1, RZ\n"
                            "@P0 IADD3 R5, R0, 0x1, RZ\n"
                            "IADD3 R6, R5, R4, RZ\n"
                            "EXIT\n";

// Lanes that do not work are counted, and no instruction goes missing.
static void compare(const struct scene *with, const struct scene *without)
{
    CHECK_EQ(with->t, scene_lanes(with) + scene_counter(with, "uv.lanes"), scene_lanes(without));
    CHECK_EQ(with->t, with->bench.result.gpu.issue_issued, without->bench.result.gpu.issue_issued);
}

static void test_counted(struct test *t)
{
    static const struct scene_row rows[] = {
        {"uv:variant=token,inter=off", "", chain, 32, {5, 5 * 31, 2, 2, 0, 0, 0}},
        {"uv:variant=token,inter=off", "issue.interval=2", chain, 32, {5, 5 * 31, 2, 2, 0, 0, 0}},
        {"uv:variant=token,inter=off,protect=on", "", chain, 32, {5, 5 * 30, 2, 2, 0, 0, 0}},
        {"uv:variant=token,inter=off,copy=paper", "", chain, 32, {5, 5 * 31, 1, 1, 0, 0, 1}},
        {"uv:variant=token", "", chain, 32, {5, 5 * 31, 2, 2, 0, 0, 0}},
        {"uv:intra=on,inter=off", "", chain, 32, {5, 5 * 31, 0, 0, 0, 0, 0}},
        {"uv:variant=token,intra=count", "", chain, 32, {0, 0, 2, 2, 0, 0, 0}},
        {"uv:variant=srf,inter=off", "", chain, 32, {5, 5 * 31, 2, 2, 5, 0, 0}},
        {"uv:variant=srf,inter=off,registers=5", "", chain, 32, {5, 5 * 31, 2, 2, 5, 0, 0}},
        // R1, R2 and R3 have a scalar register; R4 and R5 have none, and stay in their lanes.
        {"uv:variant=srf,inter=off,registers=3", "", chain, 32, {3, 3 * 31, 0, 0, 3, 2, 0}},
    };
    static const struct scene_table table = {
        .plan = EIGHT_LANES_PLAN,
        .columns = {"scalar", "lanes", "copies", "sm.issue.copies", "registers", "no_register", "mismatches"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare,
    };
    scene_check_table(t, &table);
}

// Every lane loads the same word, at an address uniform only by its values; then
// integers and a float of the loaded word.
static const char found_text[] =
    "S2R R0, SR_TID.X\n"
    "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n" // single lane in all three
    "LOP3.LUT R1, R0, 0x0, RZ, 0xc0\n"               // 0, for every lane
    "IMAD.WIDE R2, R1, 0x4, R2\n"
    "LDG.E R4, [R2.64]\n"
    "IADD3 R5, R4, 0x1, RZ\n" // single lane by tokens, since the load was uniform
    "MOV R6, 0x3f800000\n"    // single lane in all three
    "FADD R7, R6, R6\n"       // not in a datapath of integers
    "EXIT\n";

static void test_found(struct test *t)
{
    static const struct scene_row rows[] = {
        {"uv:variant=token,inter=off", "", found_text, 32, {5}},
        {"uv:variant=token,inter=off,loads=off", "", found_text, 32, {4}},
        {"uv:variant=token,inter=off,found=compiler", "", found_text, 32, {4}},
        {"uv:variant=srf,inter=off,found=compiler", "", found_text, 32, {4}},
        {"uv:variant=token,inter=off,found=turing", "", found_text, 32, {3}},
    };
    static const struct scene_table table = {
        .plan = EIGHT_LANES_PLAN,
        .columns = {"scalar"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

// N, the lane of the uniform value, is in the last group of lanes to execute: 24 with 8 lanes at once, 16
// with 16, 0 with 32. A warp without lane N has no place for the value, and its MOV executes on its lanes; a
// warp without some other lane does have a place.
static void test_lane(struct test *t)
{
    static const struct {
        const char *settings;
        unsigned lane; // ends first
        uint64_t scalar, no_register;
    } rows[] = {
        {"issue.interval=4", 24, 0, 1}, {"issue.interval=4", 16, 2, 0}, {"issue.interval=4", 0, 2, 0},
        {"issue.interval=2", 16, 0, 1}, {"issue.interval=2", 24, 2, 0}, {"issue.interval=2", 0, 2, 0},
        {"issue.interval=1", 0, 0, 1},  {"issue.interval=1", 16, 2, 0}, {"issue.interval=1", 24, 2, 0}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        struct strbuf text = {0};
        strbuf_printf(&text,
                      "S2R R0, SR_TID.X\nISETP.EQ.AND P0, PT, R0, 0x%x, PT\n@P0 EXIT\n"
                      "MOV R1, 0x5\nIADD3 R2, R1, 0x4, RZ\nEXIT\n",
                      rows[k].lane);
        run(&s, t, "uv:variant=token,inter=off,lanes=present", rows[k].settings, text.text, 32);
        CHECK_EQ(t, scene_counter(&s, "uv.scalar"), rows[k].scalar);
        CHECK_EQ(t, scene_counter(&s, "uv.no_register"), rows[k].no_register);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        scene_end(&s);
        strbuf_fini(&text);
    }
}

// Two warps in step: the second finds the first warp's entries, with results under way for 64 cycles.
static void test_valid(struct test *t)
{
    static const char text[] = "MOV R1, 0x5\nIADD3 R2, R1, 0x4, RZ\nIADD3 R3, R2, 0x4, RZ\nEXIT\n";
    static const char slow[] = "latency.fixed=64 latency.int_add=64 icache.perfect=1";
    static const struct scene_row rows[] = {
        {"uv:variant=token,intra=off", slow, text, 64, {0, 3}},
        {"uv:variant=token,intra=off,valid=issue", slow, text, 64, {3, 0}},
        {"uv:valid=issue", slow, text, 64, {3, 0}},
    };
    static const struct scene_table table = {
        .plan = EIGHT_LANES_PLAN,
        .columns = {"reused", "pending"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

// Instructions that find entries A, B, C or D by the last two bits of their index, in the order of
// `letters`. A lower-case letter has another value. Instructions between have no uniform source.
static void write_accesses(struct strbuf *text, const char *letters)
{
    unsigned index = 0;
    strbuf_puts(text, "S2R R0, SR_TID.X\n");
    for (; *letters; letters++) {
        bool is_small = *letters >= 'a';
        for (index++; index % 4 != (unsigned)(*letters - (is_small ? 'a' : 'A')); index++)
            strbuf_puts(text, "IADD3 R2, R0, R0, RZ\n");
        strbuf_puts(text, is_small ? "MOV R1, 0x5\n" : "MOV R1, 0x7\n");
    }
    strbuf_puts(text, "EXIT\n");
}

// Of two entries the least recently found or filled is replaced.
static void test_replacement(struct test *t)
{
    static const struct {
        const char *letters;
        uint64_t reused, replaced, other_values;
    } rows[] = {
        {"ABAB", 2, 0, 0},   {"ABCA", 0, 2, 0},  // C takes A's place, A takes B's
        {"ABCAB", 0, 3, 0},                      // and B takes C's
        {"ABACA", 2, 1, 0},                      // A was found after B was filled: C takes B's place
        {"ABACAB", 2, 2, 0},                     // and B takes C's
        {"ABBCB", 2, 1, 0},  {"ABaCa", 1, 1, 1}, // A was filled anew
        {"ABaCA", 0, 1, 2},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        struct strbuf text = {0};
        write_accesses(&text, rows[k].letters);
        run(&s, t, "uv:entries=2,tag=2,valid=issue", "", text.text, 32);
        CHECK_EQ(t, scene_counter(&s, "uv.reused"), rows[k].reused);
        CHECK_EQ(t, scene_counter(&s, "uv.replaced"), rows[k].replaced);
        CHECK_EQ(t, scene_counter(&s, "uv.other_values"), rows[k].other_values);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        scene_end(&s);
        strbuf_fini(&text);
    }
}

// With sim.check scalar registers are counted at every instruction. Covered: allocation, rewriting,
// shortage, and release by a non-uniform result, before a partial write, and at the end of warps.
static void test_scalars_add_up(struct test *t)
{
    static const char *const techs[] = {"uv:variant=srf", "uv:variant=srf,inter=off",
                                        "uv:variant=srf,registers=3", "uv:variant=srf,registers=7",
                                        "uv:variant=srf,registers=0,protect=on"};
    for (size_t k = 0; k < TEST_COUNT(techs); k++) {
        struct scene s;
        run(&s, t, techs[k], "sim.check=1", chain, 4 * 32); // expects balanced books
        CHECK(t, scene_counter(&s, "uv.registers") >= 3);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        scene_end(&s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"rate", test_rate},
                                             {"counted", test_counted},
                                             {"found", test_found},
                                             {"lane", test_lane},
                                             {"valid", test_valid},
                                             {"replacement", test_replacement},
                                             {"scalars_add_up", test_scalars_add_up}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
