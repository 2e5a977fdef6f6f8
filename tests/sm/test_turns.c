// Nobody is kept for ever out of the load/store unit, a unit that is busy most of the time, or the scheduler's
// choice: warps that spin on a word while another, to change it, needs what they take again and again.
#include "chip/bench.h"

#include <stdio.h>

static const char *const policies[] = {
#define PICK(symbol, word, meaning) word,
#include "sm/issue/pick.def"
#undef PICK
};

// Each warp waits until the word says its number, asking by an atomic that adds nothing, and its first thread
// passes the turn on. All lanes of an asking warp go over the banks one after the other, so the queue is full
// of warps whose turn it is not.
static const char taking_turns[] =
    ".shared 4\nS2R R0, SR_TID.X\nSHR.U32 R1, R0, 0x5\nLOP3.LUT R3, R0, 0x1f, RZ, 0xc0\n"
    "ISETP.NE.AND P1, PT, R3, RZ, PT\nMOV R4, 0x1\n"
    "wait:\nATOMS.ADD.U32 R2, [RZ], RZ\nISETP.NE.AND P0, PT, R1, R2, PT\n@P0 BRA wait\n"
    "@!P1 ATOMS.ADD.U32 R2, [RZ], R4\nEXIT\n";

static void take_turns(struct test *t, const char *gpu, const char *settings, unsigned warps)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, gpu, settings, taking_turns, warps * 32)) {
        b.max_cycles = 100000;
        CHECK_MSG(t, gpu_bench_run(&b), "%u warps on %s with %s do not end", warps, gpu, settings);
    }
    gpu_bench_fini(&b);
}

static void test_turns(struct test *t)
{
    static const char *const gpus[] = {"tiny", "gtx1080ti-paper", "gtx1080ti", "titanv"};
    static const unsigned queues[] = {1, 4, 8}, warps[] = {8, 16, 32};
    for (size_t g = 0; g < TEST_COUNT(gpus); g++)
        for (size_t p = 0; p < TEST_COUNT(policies); p++)
            for (size_t n = 0; n < TEST_COUNT(queues) * TEST_COUNT(warps); n++) {
                char settings[80];
                snprintf(settings, sizeof settings, "gpu.sm_count=1 issue.scheduler=%s lsu.queue=%u",
                         policies[p], queues[n / 3]);
                take_turns(t, gpus[g], settings, warps[n % 3]);
            }
}

// 16 warps draw four numbers each from one counter. They all ask for the only place before the first of them
// can come again, and so on: in each round everybody draws once.
static void test_order_of_asking(struct test *t)
{
    static const char drawing[] = ".shared 4\nS2R R0, SR_TID.X\nSHR.U32 R1, R0, 0x5\nMOV R5, 0x10\n"
                                  "IMAD.WIDE R6, R1, R5, c[0x0][0x160]\nMOV R4, 0x1\n"
                                  "ATOMS.ADD.U32 R2, [RZ], R4\nSTG.E [R6], R2\n"
                                  "ATOMS.ADD.U32 R2, [RZ], R4\nSTG.E [R6+0x4], R2\n"
                                  "ATOMS.ADD.U32 R2, [RZ], R4\nSTG.E [R6+0x8], R2\n"
                                  "ATOMS.ADD.U32 R2, [RZ], R4\nSTG.E [R6+0xc], R2\nEXIT\n";
    enum { WARPS = 16, ROUNDS = 4 };
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "lsu.queue=1 icache.perfect=1", drawing, WARPS * 32)) {
        uint64_t numbers = machine_buffer(&b.m, WARPS * ROUNDS * 4);
        gpu_cycles(&b);
        const uint32_t *drawn = machine_words(&b.m, numbers);
        for (unsigned w = 0; w < WARPS; w++)
            for (unsigned n = 0; n < ROUNDS; n++) CHECK_EQ(t, drawn[w * ROUNDS + n] / (32 * WARPS), n);
    }
    gpu_bench_fini(&b);
}

// Warp c[0x0][0x160] counts eight turns of a loop and sets the word; all others of 16 wait for it.
static const char waiting_for_one[] =
    ".shared 4\nS2R R0, SR_TID.X\nSHR.U32 R1, R0, 0x5\nMOV R3, c[0x0][0x160]\nMOV R4, 0x8\n"
    "ISETP.EQ.AND P1, PT, R1, R3, PT\n@P1 BRA count\n"
    "wait:\nLDS R2, [RZ]\nISETP.EQ.AND P0, PT, R2, RZ, PT\n@P0 BRA wait\nEXIT\n"
    "count:\nIADD3 R4, R4, -0x1, RZ\nISETP.NE.AND P0, PT, R4, RZ, PT\n@P0 BRA count\n"
    "MOV R4, 0x1\nSTS [RZ], R4\nEXIT\n";

static void wait_for(struct test *t, const char *gpu, const char *settings, unsigned warps, unsigned one)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, gpu, settings, waiting_for_one, warps * 32)) {
        machine_param(&b.m, one);
        b.max_cycles = 400000;
        CHECK_MSG(t, gpu_bench_run(&b), "%u warps wait for warp %u on %s with %s for ever", warps, one, gpu,
                  settings);
        CHECK_MSG(t, !b.result.imbalance, "%s", b.result.imbalance);
    }
    gpu_bench_fini(&b);
}

static void test_waiting_for_one(struct test *t)
{
    static const char *const gpus[] = {"tiny", "gtx1080ti-paper", "gtx1080ti", "titanv"};
    static const char *const units[] = {"",
                                        "interval.branch=19",
                                        "interval.branch=20",
                                        "interval.branch=64",
                                        "operands.collectors=1",
                                        "operands.collectors=1 interval.branch=7 lsu.queue=1"};
    for (size_t g = 0; g < TEST_COUNT(gpus); g++)
        for (unsigned schedulers = 1; schedulers <= 4; schedulers *= 2)
            for (size_t n = 0; n < TEST_COUNT(policies) * TEST_COUNT(units); n++)
                for (unsigned warps = 4; warps <= 16; warps *= 4) {
                    char settings[160];
                    snprintf(settings, sizeof settings,
                             "gpu.sm_count=1 issue.schedulers=%u issue.scheduler=%s %s", schedulers,
                             policies[n % TEST_COUNT(policies)], units[n / TEST_COUNT(policies)]);
                    wait_for(t, gpus[g], settings, warps, 0);
                    wait_for(t, gpus[g], settings, warps, warps - 1);
                }
}

// The front end passes over nobody for ever, either: those that spin would want instructions again before the
// one that they wait for has had any.
static void test_waiting_for_instructions(struct test *t)
{
    static const char *const front[] = {"", "fetch.width=1 fetch.ibuffer=1",
                                        "issue.scheduler=lrr fetch.width=1 fetch.ibuffer=1"};
    for (size_t p = 0; p < TEST_COUNT(policies); p++)
        for (size_t n = 0; n < TEST_COUNT(front); n++)
            for (unsigned warps = 8; warps <= 32; warps *= 2) {
                char settings[160];
                snprintf(settings, sizeof settings, "gpu.sm_count=1 icache.perfect=1 fetch.arbiter=%s %s",
                         policies[p], front[n]);
                wait_for(t, "gtx1080ti-paper", settings, warps, 0);
                wait_for(t, "gtx1080ti-paper", settings, warps, warps - 1);
            }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"turns", test_turns},
        {"order_of_asking", test_order_of_asking},
        {"waiting_for_one", test_waiting_for_one},
        {"waiting_for_instructions", test_waiting_for_instructions},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
