// No warp is starved by the load/store unit, by a unit busy most of the time, or by the
// scheduler. Warps spin on a word while the warp due to change the word needs the very
// resource that spinning warps keep taking.
#include "chip/bench.h"

#include <stdio.h>

static const char *const policies[] = {
#define PICK(symbol, word, meaning) word,
#include "sm/issue/pick.def"
#undef PICK
};

// A warp waits until the word equals its number, polling by an atomic that adds nothing; its first thread
// then passes the turn on. The lanes of a polling warp go over the banks in sequence, so the queue is full
// of warps waiting for their turn.
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

// 16 warps draw four numbers from a counter. All of them request the only place before the first warp can
// request again, so in every round every warp draws once.
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

// Warp c[0x0][0x160] counts eight rounds of a loop and sets the word;
// the other 15 of 16 warps wait for the word.
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

// The front end starves no warp, either: spinning warps would need instructions
// again before the awaited warp has got any.
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
