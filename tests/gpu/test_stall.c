// Launches that never end are stopped and say so, and none that would end is.
#include "gpu/bench.h"

#include <stdio.h>
#include <string.h>

#define SOON "sim.stall=4000 "

struct spinner {
    const char *what, *settings, *text;
    uint32_t threads, blocks;
};

// c[0x0][0x160] is a buffer of zeros.
#define BUFFER                                                                                               \
    "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R4, 0x1\nS2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\n"
#define FIRST "ISETP.LT.AND P1, PT, R0, 0x20, PT\n"

static const struct spinner stalled[] = {
    {"a flag that nobody sets", "",
     BUFFER "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n", 256, 8},
    {"more blocks than places", "sm.blocks=1",
     BUFFER "ISETP.EQ.AND P0, PT, R1, 0x7, PT\n@P0 STG.E [R2], R4\n"
            "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     32, 8},
    {"adding nothing", "",
     ".shared 4\n" BUFFER
     "wait:\nATOMS.ADD.U32 R5, [RZ], RZ\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     512, 1},
    {"adding nothing to global memory", "",
     BUFFER "wait:\nATOMG.E.ADD.U32 R5, [R2], RZ\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n", 64,
     4},
    {"a lock that is never released", "",
     ".shared 4\n" BUFFER
     "wait:\nATOMS.CAS.U32 R5, [RZ], RZ, R4\nISETP.NE.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     32, 1},
    {"lanes of one warp, with a stack", "simt=stack",
     ".shared 4\n" BUFFER
     "wait:\nATOMS.CAS.U32 R5, [RZ], RZ, R4\nISETP.NE.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\n"
     "ATOMS.EXCH.U32 R5, [RZ], RZ\nEXIT\n",
     32, 1},
    {"two that wait for each other", "",
     ".shared 8\n" BUFFER FIRST "@P1 BRA one\n"
     "two:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA two\nSTS [RZ+0x4], R4\nEXIT\n"
     "one:\nLDS R5, [RZ+0x4]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA one\nSTS [RZ], R4\nEXIT\n",
     64, 1},
    {"a barrier, and one that never comes", "",
     BUFFER FIRST "@P1 BRA meet\nwait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\n"
                  "meet:\nBAR.SYNC 0x0\nEXIT\n",
     96, 2},
    {"a barrier, and two that meet at another for ever", "",
     BUFFER "ISETP.GE.AND P1, PT, R0, 0x40, PT\n@P1 BRA meet\nloop:\nBAR.SYNC 0x1, 0x40\nBRA loop\n"
            "meet:\nBAR.SYNC 0x0\nEXIT\n",
     96, 2},
    {"a barrier in one block, and its like in another, where warps meet for ever", "",
     BUFFER
     "ISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\n" FIRST "@!P1 BRA meet\n"
     "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nmeet:\nBAR.SYNC 0x0\nEXIT\n"
     "loop:\nBAR.SYNC 0x0\nBRA loop\n",
     64, 2},
    {"two parts of a warp, each in a circle of its own", "simt=splits",
     BUFFER "ISETP.LT.AND P1, PT, R0, 0x5, PT\n@P1 BRA one\n"
            "two:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA two\nEXIT\n"
            "one:\nLDG.E R5, [R2+0x4]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA one\nEXIT\n",
     32, 1},
    {"a store that changes nothing", "",
     BUFFER "wait:\nSTG.E [R2], RZ\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n",
     64, 2},
    {"a loop of nothing", "", "wait:\nBRA wait\n", 64, 2},
};

// Each of these ends, some of them long after a look or several.
static const struct spinner ending[] = {
    {"registers alone", "",
     "MOV R1, 0x2710\nloop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\nEXIT\n",
     64, 2},
    {"a flag that is set late", "",
     ".shared 4\n" BUFFER FIRST "MOV R1, 0x1388\n@P1 BRA count\n"
     "wait:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n"
     "count:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA count\n"
     "STS [RZ], R4\nEXIT\n",
     64, 1},
    {"another SM's flag", "gpu.sm_count=2",
     BUFFER
     "ISETP.EQ.AND P1, PT, R1, RZ, PT\nMOV R1, 0x1388\n@P1 BRA count\n"
     "wait:\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n"
     "count:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA count\nSTG.E [R2], R4\nEXIT\n",
     32, 2},
    {"a clock", "",
     "S2R R4, SR_CLOCKLO\nloop:\nS2R R5, SR_CLOCKLO\nIADD3 R5, R5, -R4, RZ\n"
     "ISETP.LT.U32.AND P0, PT, R5, 0x4e20, PT\nMOV R5, RZ\n@P0 BRA loop\nEXIT\n",
     64, 1},
    {"a sleep", "",
     ".shared 4\n" BUFFER FIRST "MOV R6, 0x4e20\n@P1 BRA sleep\n"
     "wait:\nLDS R5, [RZ]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n@P0 BRA wait\nEXIT\n"
     "sleep:\nNANOSLEEP R6\nSTS [RZ], R4\nEXIT\n",
     64, 1},
    {"memory that counts", "",
     BUFFER "loop:\nATOMG.E.ADD.U32 R5, [R2], R4\nISETP.LT.U32.AND P0, PT, R5, 0x800, PT\nMOV R5, RZ\n@P0 "
            "BRA loop\nEXIT\n",
     32, 1},
    {"arrivals that complete a barrier", "",
     BUFFER FIRST
     "MOV R6, 0x4e20\n@P1 BRA arrive\nBAR.SYNC 0x1, 0x3e0\nSTG.E [R2], R4\nEXIT\n"
     "arrive:\nBAR.ARV 0x1, 0x3e0\nMOV R7, 0x10\ncount:\nIADD3 R7, R7, -0x1, RZ\n"
     "ISETP.NE.AND P0, PT, R7, RZ, PT\n@P0 BRA count\nLDG.E R5, [R2]\nISETP.EQ.AND P0, PT, R5, RZ, PT\n"
     "@P0 BRA arrive\nEXIT\n",
     64, 1},
};

static void run_one(struct test *t, const struct spinner *p, const char *settings, unsigned threads,
                    bool stalls)
{
    char all[200];
    struct gpu_bench b;
    snprintf(all, sizeof all, SOON "%s %s", strncmp(p->settings, "simt", 4) ? p->settings : "", settings);
    if (gpu_bench_init(&b, t, "tiny", all, p->text, p->threads)) {
        b.max_cycles = 1000000;
        b.threads = threads;
        b.m.launch.grid[0] = p->blocks;
        b.m.launch.simt = strstr(p->settings, "simt=splits") ? SIMT_SPLITS : SIMT_STACK;
        machine_buffer(&b.m, 256);
        bool ended = gpu_bench_run(&b);
        CHECK_MSG(t, ended == !stalls && b.m.fault.kind == (stalls ? FAULT_STALL : FAULT_NONE), "%s (%s): %s",
                  p->what, all, b.m.fault.text ? b.m.fault.text : "ended");
        if (stalls && b.m.fault.text) CHECK_HAS(t, b.m.fault.text, "will never end");
        if (stalls && b.m.fault.text) CHECK_HAS(t, b.m.fault.text, "SM 0, block (0,0,0), warp 0: waits for");
        // Two parts have 256 rounds each until it is the other's turn.
        uint64_t soon = b.m.launch.simt == SIMT_SPLITS ? 600000 : 60000;
        if (stalls)
            CHECK_MSG(t, b.result.cycles < soon, "%s (%s): %llu", p->what, all,
                      (unsigned long long)b.result.cycles);
    }
    gpu_bench_fini(&b);
}

static void run_all(struct test *t, const struct spinner *p, size_t count, bool stalls)
{
    static const char *const settings[] = {"", "issue.scheduler=lrr",
                                           "issue.scheduler=two-level issue.dependences=encoded",
                                           "sim.check=1 lsu.queue=1"};
    for (size_t k = 0; k < count; k++)
        for (size_t n = 0; n < TEST_COUNT(settings); n++)
            run_one(t, &p[k], settings[n], n == 1 ? 2 : 1, stalls);
}

static void test_stalled(struct test *t) { run_all(t, stalled, TEST_COUNT(stalled), true); }
static void test_ending(struct test *t) { run_all(t, ending, TEST_COUNT(ending), false); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"stalled", test_stalled},
        {"ending", test_ending},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
