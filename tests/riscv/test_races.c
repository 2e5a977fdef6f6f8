// The race detector on RISC-V kernels: order by barriers of groups, in the scratchpad and in main memory,
// between warps and between lanes. Fails where a race is missed, an ordered access is reported, or a study
// fails on a program with a host part.
#include "api/warpfold.h"
#include "cli/cli.h"
#include "riscv/bench.h"
#include "riscv/map.h"

#include <string.h>

enum { COMMAND = 0x830, WARP = 32, HALF_OF_ALL = BENCH_THREADS / 2 };

struct kernel {
    uint32_t memory;   // address of the words, one a thread
    uint32_t distance; // each thread reads the word of the thread `distance` before
    uint32_t group;    // warps
    bool has_barrier;
};

// Each thread stores its number in its own word and then reads the word of another thread.
static void make(struct maker *m, const struct kernel *k)
{
    bench_begin(m);
    m->data_bytes = 8 * BENCH_THREADS;
    maker_li(m, A2, k->memory);
    maker_put(m, add(A3, A2, A1));
    maker_put(m, sw(A0, A3, 0));
    if (k->has_barrier) maker_put(m, csrwi(COMMAND, 0));
    maker_li(m, A4, BENCH_THREADS - k->distance);
    maker_put(m, add(A4, A0, A4));
    maker_put(m, slli(A4, A4, 21)); // modulo 2,048
    maker_put(m, srli(A4, A4, 19));
    maker_put(m, add(A4, A4, A2));
    maker_put(m, lw(A5, A4, 0));
    bench_end(m);
}

static uint64_t races_of(struct test *t, struct maker *m, uint32_t group, struct strbuf *text)
{
    struct bench b;
    struct launch_race race = {0};
    if (!bench_init(&b, t, m)) return 0;
    b.flat.barrier_warps = group;
    b.launch.check_races = true;
    bool good = exec_run(&b.launch, &b.counts, &b.fault, &race);
    CHECK_MSG(t, good, "%s", b.fault.text ? b.fault.text : "");
    CHECK_EQ(t, race.found, race.count > 0);
    if (race.text) strbuf_puts(text, race.text);
    uint64_t count = race.count;
    launch_race_fini(&race);
    bench_fini(&b);
    maker_fini(m);
    return count;
}

static void check(struct test *t, const struct kernel *k, const char *want)
{
    struct maker m = {0};
    struct strbuf text = {0};
    make(&m, k);
    uint64_t count = races_of(t, &m, k->group, &text);
    CHECK_EQ(t, count > 0, want != NULL);
    if (want)
        CHECK_HAS(t, strbuf_text(&text), want);
    else
        CHECK_STR(t, strbuf_text(&text), "");
    strbuf_fini(&text);
}

static void test_warps(struct test *t)
{
    static const struct {
        uint32_t at;
        const char *racy;
    } memories[] = {{RISCV_SCRATCH, "race in kernel 0x08000400 on shared address 0x"},
                    {MAKER_DATA, "race in kernel 0x08000400 on global address 0x"}};
    for (unsigned n = 0; n < TEST_COUNT(memories); n++) {
        struct kernel k = {.memory = memories[n].at, .distance = WARP};
        check(t, &k, memories[n].racy);
        k.has_barrier = true;
        check(t, &k, NULL);
        k.distance = 0; // its own word
        k.has_barrier = false;
        check(t, &k, NULL);
    }
}

// A barrier orders the warps of one group and no other warps.
static void test_groups(struct test *t)
{
    static const struct {
        uint32_t group, distance;
        bool races;
    } cases[] = {{1, 1, true}, // the first lane of a warp reads the last one's of another
                 // group 1, distance 1: lane 0 of a warp reads the last word of the previous warp
                 {1, WARP, true},
                 {2, WARP, true},
                 {64, WARP, false},
                 {0, HALF_OF_ALL, false},
                 {32, HALF_OF_ALL, true}};
    for (unsigned n = 0; n < TEST_COUNT(cases); n++) {
        struct kernel k = {RISCV_SCRATCH, cases[n].distance, cases[n].group, true};
        check(t, &k, cases[n].races ? "race in kernel" : NULL);
    }
}

// Each warp reads words of its own lanes: only a barrier orders lanes, even in lockstep.
static void test_lanes(struct test *t)
{
    for (unsigned n = 0; n < 2; n++) {
        struct maker m = {0};
        struct strbuf text = {0};
        bench_begin(&m);
        maker_li(&m, A2, RISCV_SCRATCH);
        maker_put(&m, add(A3, A2, A1));
        maker_put(&m, sw(A0, A3, 0));
        if (n) maker_put(&m, csrwi(COMMAND, 0));
        maker_put(&m, rv_i(0x13, 4, A4, A1, 4)); // xori: the neighbouring lane
        maker_put(&m, add(A4, A4, A2));
        maker_put(&m, lw(A5, A4, 0));
        bench_end(&m);
        CHECK_EQ(t, races_of(t, &m, 1, &text) > 0, n == 0);
        strbuf_fini(&text);
    }
}

// Atomics do not race with each other, but a plain load of the word races with them.
static void test_atomics(struct test *t)
{
    for (unsigned n = 0; n < 2; n++) {
        struct maker m = {0};
        struct strbuf text = {0};
        bench_begin(&m);
        maker_li(&m, A2, RISCV_SCRATCH);
        maker_put(&m, amoadd(A3, A0, A2));
        if (n) maker_put(&m, lw(A4, A2, 0));
        bench_end(&m);
        CHECK_EQ(t, races_of(t, &m, 0, &text) > 0, n == 1);
        strbuf_fini(&text);
    }
}

// -- the command line ---------------------------------------------------------------------------------------
// A host part to start the kernel behind it and wait; barrier groups of k->group warps.
static void make_program(struct maker *m, const struct kernel *k)
{
    enum { START = 0x823, CAN_ANSWER, ANSWER, WARPS = 0x827 };
    struct maker alone = {0};
    maker_function(m, "_start");
    maker_put(m, csrwi(WARPS, k->group));
    maker_put(m, rv_u(0x17, T1, 0)); // auipc
    maker_put(m, addi(T1, T1, 28));
    maker_put(m, csrrw(X0, START, T1));
    maker_put(m, csrr(A0, CAN_ANSWER));
    maker_put(m, beq(A0, X0, -4));
    maker_put(m, csrrw(A0, ANSWER, X0));
    maker_put(m, RET);
    maker_function(m, "neighbours");
    make(&alone, k);
    for (size_t n = 0; n < alone.words.count; n++) maker_put(m, alone.words.data[n]);
    m->data_bytes = alone.data_bytes;
    maker_fini(&alone);
}

static void test_command_line(struct test *t)
{
    struct cli c = {.t = t};
    for (unsigned n = 0; n < 2; n++) {
        struct maker m = {0};
        struct strbuf file = {0};
        make_program(&m, &(struct kernel){MAKER_DATA, WARP, 2 * n, true});
        maker_elf(&m, &file);
        cli_write(&c, "app.elf", file.text, file.length);
        cli_run(&c, "run $D/app.elf --set check.races=1 --json -");
        CHECK_EQ(t, c.status, n ? 3 : 0);
        CHECK_EQ(t, str_equal(cli_json(c.out, "races"), "0"), n == 0);
        if (n) CHECK_HAS(t, c.err, "error: race in kernel neighbours on global address 0x");
        if (!n) CHECK_STR(t, c.err, "");
        strbuf_fini(&file);
        maker_fini(&m);
    }
    cli_run(&c, "run kernels/riscv/elf/Scan.elf --quiet --set check.races=1");
    CHECK_STR(t, c.err, "");
    cli_fini(&c);
}

// Every study of a program names the kernel and its source lines.
static void test_studies(struct test *t)
{
    struct cli c = {.t = t};
    const char *name, *meaning;
    for (size_t n = 0; wf_study_at(n, &name, &meaning); n++) {
        struct strbuf arguments = {0};
        bool is_timed = str_equal(name, "warps") || str_equal(name, "locality");
        strbuf_printf(&arguments, "study %s kernels/riscv/elf/Transpose.elf%s", name,
                      is_timed ? " --gpu gtx1080ti" : "");
        cli_run(&c, strbuf_text(&arguments));
        CHECK_EQ(t, c.status, 0);
        CHECK_HAS(t, c.out, "transpose");
        bool by_line = !str_equal(name, "shapes") && !str_equal(name, "extensions") && !is_timed;
        if (by_line) CHECK_HAS(t, c.out, "Transpose.c:");
        CHECK_STR(t, c.err,
                  "Transpose 256: self test passed\n"); // output of the program, not of the study
        strbuf_fini(&arguments);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"warps", test_warps},
                                             {"groups", test_groups},
                                             {"lanes", test_lanes},
                                             {"atomics", test_atomics},
                                             {"command line", test_command_line},
                                             {"studies", test_studies}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
