// How timed launches end: faults, deadlocks, limits, printed text, occupancy.
#include "chip/bench.h"

#include <string.h>

static void must_fault(struct test *t, const char *settings, const char *text, uint32_t threads,
                       uint64_t max_cycles, enum launch_fault_kind kind, const char *part, const char *other)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", settings, text, threads)) {
        b.max_cycles = max_cycles;
        machine_buffer(&b.m, 256);
        CHECK(t, !gpu_bench_run(&b));
        CHECK_EQ(t, b.m.fault.kind, kind);
        CHECK_HAS(t, b.m.fault.text ? b.m.fault.text : "", part);
        CHECK_HAS(t, b.m.fault.text ? b.m.fault.text : "", other);
    }
    gpu_bench_fini(&b);
}

// Of two warps, one goes to barrier 0, the other to barrier 1.
static void test_deadlock(struct test *t)
{
    must_fault(t, "",
               "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x20, PT\n@P0 BRA first\nBAR.SYNC 0x1\nEXIT\n"
               "first:\nBAR.SYNC 0x0\nEXIT\n",
               64, 0, FAULT_DEADLOCK, "warp 1", "waits for a barrier since cycle");
}

// A lost reply: to the first use of a parameter, a load with a pending use, a load of a warp
// ended since, a store before a fence, or a fetch of code. The report names the waiting warps,
// and comes once no other event can happen.
static void test_lost_reply(struct test *t)
{
    static const char load[] = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2]\n";
    static const struct {
        const char *settings, *end, *part;
    } cases[] = {
        {"icache.perfect=1 sim.lose_reply=1", "EXIT\n", "waits for memory or a fence since cycle"},
        {"icache.perfect=1 sim.lose_reply=2", "IADD3 R4, R4, 0x1, RZ\nEXIT\n",
         "waits for memory or a fence since cycle"},
        {"icache.perfect=1 sim.lose_reply=2", "EXIT\n",
         "has ended, but waits for replies to 1 memory instruction"},
        {"icache.perfect=1 sim.lose_reply=3", "STG.E [R2], R4\nMEMBAR.SC.GPU\nEXIT\n",
         "waits for memory or a fence since cycle"},
        {"sim.lose_reply=1", "EXIT\n", "waits for instructions since cycle"},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%s%s", load, cases[k].end);
        must_fault(t, cases[k].settings, strbuf_text(&text), 32, 100000, FAULT_DEADLOCK, cases[k].part,
                   "SM 0, block (0,0,0), warp 0");
        must_fault(t, cases[k].settings, strbuf_text(&text), 32, 100000, FAULT_DEADLOCK,
                   "deadlock: 1 memory request has no reply", "");
        strbuf_fini(&text);
    }
}

// A lost acknowledgement without a waiting warp: the launch ends, and its books do not balance.
static void test_lost_acknowledgement(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "icache.perfect=1 sim.lose_reply=2",
                       "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nSTG.E [R2], R3\nEXIT\n", 32)) {
        machine_buffer(&b.m, 256);
        CHECK(t, gpu_bench_run(&b));
        CHECK_HAS(t, b.result.imbalance ? b.result.imbalance : "", "a memory request has no reply");
    }
    gpu_bench_fini(&b);
}

static void test_limits(struct test *t)
{
    must_fault(t, "", "loop:\nIADD3 R0, R0, 0x1, RZ\nBRA loop\n", 32, 5000, FAULT_LIMIT,
               "5000 cycles (--max-cycles)", "SM 0, block (0,0,0), warp 0");
}

static void test_fault(struct test *t)
{
    must_fault(t, "", "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nSTG.E [R2+0x1000], R0\nEXIT\n", 32, 0,
               FAULT_BOUNDS, "0x", "block (0,0,0)");
}

// The first buffer is independent of the order of warps: 64 blocks add to one word. The first thread of a
// block writes the value seen by a load directly after the thread's own store and atomic.
static void test_own_stores(struct test *t)
{
    static const char text[] =
        "S2R R0, SR_CTAID.X\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
        "MOV R4, 0x4\nIMAD.WIDE R6, R0, R4, c[0x0][0x168]\n"
        "IADD3 R8, R0, 0x64, RZ\nSTG.E [R6], R8\nLDG.E R9, [R6]\nIADD3 R9, R9, 0x1, RZ\n"
        "STG.E [R6], R9\nMOV R10, 0x1\nRED.E.ADD.U32 [R6], R10\nLDG.E R11, [R6]\n"
        "IADD3 R11, R11, 0x3e8, RZ\nSTG.E [R6], R11\nRED.E.ADD.U32 [R2], R10\nEXIT\n";
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct gpu_bench b;
        if (gpu_bench_init(&b, t, "gtx1080ti-paper", "", text, 1)) {
            b.threads = threads;
            b.m.launch.grid[0] = 64;
            uint64_t sum = machine_buffer(&b.m, 4), each = machine_buffer(&b.m, 256);
            gpu_cycles(&b);
            CHECK_EQ(t, machine_words(&b.m, sum)[0], 64);
            for (unsigned k = 0; k < 64; k++)
                CHECK_EQ(t, machine_words(&b.m, each)[k], k + 100 + 1 + 1 + 1000);
        }
        gpu_bench_fini(&b);
    }
}

// An atomic returns a distinct old value to every lane; a compare-and-swap replaces the value it found.
static void test_atomics_return(struct test *t)
{
    static const char text[] =
        "S2R R0, SR_TID.X\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R4, 0x4\n"
        "IMAD.WIDE R6, R0, R4, c[0x0][0x168]\nMOV R10, 0x2\nATOMG.E.ADD.U32 R8, [R2], R10\n"
        "STG.E [R6], R8\nEXIT\n";
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "", text, 64)) {
        uint64_t word = machine_buffer(&b.m, 4), each = machine_buffer(&b.m, 256);
        uint64_t seen = 0;
        gpu_cycles(&b);
        CHECK_EQ(t, machine_words(&b.m, word)[0], 128);
        for (unsigned k = 0; k < 64; k++) seen |= 1ull << machine_words(&b.m, each)[k] / 2;
        CHECK(t, seen == UINT64_MAX); // every even value from 0 to 126 once
    }
    gpu_bench_fini(&b);
}

// 16 warps a block and 24 registers a thread: registers allow 5 blocks on an SM of 65,536, warps 4.
static void test_residency(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", "gpu.sm_count=1 icache.perfect=1",
                       "MOV R20, 0x400\nloop:\nIADD3 R20, R20, -0x1, RZ\nISETP.NE.AND P0, PT, R20, RZ, "
                       "PT\n@P0 BRA loop\nEXIT\n",
                       512)) {
        b.m.launch.grid[0] = 4;
        uint64_t four = gpu_cycles(&b);
        CHECK(t, b.result.occupancy > 0.95);
        b.m.launch.grid[0] = 5;
        CHECK(t, gpu_cycles(&b) > four + four / 8); // the fifth block waits for room
        b.m.launch.shared_total = 40000;            // two blocks
        b.m.launch.grid[0] = 4;
        gpu_cycles(&b);
        CHECK(t, b.result.occupancy > 0.45 && b.result.occupancy < 0.55);
        struct strbuf why = {0};
        b.m.launch.shared_total = 100000;
        CHECK(t, !chip_fits(&b.config, &b.m.launch, &why));
        CHECK_HAS(t, strbuf_text(&why), "shared memory (sm.shared_bytes)");
        strbuf_fini(&why);
    }
    gpu_bench_fini(&b);
}

// Stores whose operands wait for a single port long after the end of their warp. The next block gets the
// registers after the last read, as the book of registers confirms.
static void test_late_operands(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(
            &b, t, "tiny", "sim.check=1 sm.blocks=1 gpu.dispatch_latency=1 operands.banks=1 operands.ports=1",
            "S2R R0, SR_TID.X\nMOV R4, 0x10\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"
            "STG.E.128 [R2], R4\nSTG.E.128 [R2], R4\nSTG.E.128 [R2], R4\nSTG.E.128 [R2], R4\nEXIT\n",
            256)) {
        machine_buffer(&b.m, 4096);
        b.m.launch.grid[0] = 4;
        gpu_cycles(&b);
    }
    gpu_bench_fini(&b);
}

// The same launch twice on one chip. Without gpu.keep_caches both launches take the same time. With
// gpu.keep_caches, the second launch finds only its 32 lines of data, in the L2. With l1.keep the lines are
// in the L1; with icache.keep the line of code is in the L2, with icache.warm in the SM as well. With
// constant.keep the line of parameters is in the SM. A launch latency is a separate figure.
static void test_launches(struct test *t)
{
    static const char text[] = "S2R R0, SR_TID.X\nMOV R4, 0x80\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"
                               "LDG.E R5, [R2]\nEXIT\n";
    static const char *const settings[] = {"",
                                           "gpu.keep_caches=1",
                                           "gpu.launch_latency=700",
                                           "l1.global=1 l1.keep=1",
                                           "l1.global=1",
                                           "icache.keep=1",
                                           "icache.keep=1 icache.warm=1",
                                           "constant.keep=1"};
    uint64_t plain = 0;
    for (unsigned k = 0; k < TEST_COUNT(settings); k++) {
        struct gpu_bench b;
        if (!gpu_bench_init(&b, t, "tiny", settings[k], text, 32)) continue;
        struct chip *c = chip_create(&b.config);
        struct chip_result first, second;
        machine_buffer(&b.m, 4096);
        machine_prepare(&b.m);
        CHECK(t, chip_run_alone(c, &b.m.launch, 0, 1, NULL, &first, &b.m.fault) && !first.imbalance);
        CHECK(t, chip_run_alone(c, &b.m.launch, 0, 1, NULL, &second, &b.m.fault) && !second.imbalance);
        CHECK_EQ(t, first.memory.l2_hits, 0);
        CHECK_EQ(t, second.memory.l2_hits, k == 1 ? 32 : k == 5 ? 1 : 0);
        CHECK_EQ(t, first.memory.dram.reads - second.memory.dram.reads,
                 k == 1 || k == 3 ? 32
                 : k >= 5         ? 4
                                  : 0);
        CHECK_EQ(t, second.gpu.fetch_icache_misses, k == 6 ? 0 : first.gpu.fetch_icache_misses);
        CHECK_EQ(t, first.gpu.constant_misses, 1);
        CHECK_EQ(t, second.gpu.constant_misses, k == 7 ? 0 : 1);
        CHECK_EQ(t, first.gpu.l1_hits, 0);
        CHECK_EQ(t, second.gpu.l1_hits, k == 3 ? 32 : 0);
        if (k == 0) plain = first.cycles;
        CHECK_EQ(t, first.overhead, k == 2 ? 700 : 0);
        if (k == 2) CHECK_EQ(t, first.cycles, plain);
        chip_destroy(c);
        gpu_bench_fini(&b);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"deadlock", test_deadlock},
        {"lost_reply", test_lost_reply},
        {"lost_acknowledgement", test_lost_acknowledgement},
        {"limits", test_limits},
        {"fault", test_fault},
        {"own_stores", test_own_stores},
        {"atomics_return", test_atomics_return},
        {"launches", test_launches},
        {"late_operands", test_late_operands},
        {"residency", test_residency},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
