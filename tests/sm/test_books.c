// The model's books: register writes by instructions of every path, time after a launch's end, accesses
// without lanes, and the accounting of time at a barrier.
#include "base/rng.h"
#include "chip/bench.h"
#include "harness/settings.h"
#include "isa/program.h"
#include "workload/workload.h"

#include <stdio.h>

// A call writes its return address to a register still to be read by the previous instruction: the operands
// of eight warps queue for one port. The book of registers reports a write before the read.
static void test_call_writes(struct test *t)
{
    static const char *const dependences[] = {"scoreboard", "encoded", "single", "board"};
    static const char call[] = "MOV R4, R3\nCALL R3, leaf\nMOV R5, R4\nMOV R6, R3\nCALL R3, leaf\nEXIT\n"
                               ".function leaf\nleaf:\nIADD3 R7, R3, R4, R5\nRET R3\n";
    for (size_t k = 0; k < TEST_COUNT(dependences); k++)
        for (unsigned ports = 1; ports <= 4; ports++) {
            struct gpu_bench b;
            char settings[160];
            snprintf(settings, sizeof settings,
                     "sim.check=1 icache.perfect=1 operands.banks=1 operands.ports=1 operands.write_ports=%u "
                     "fetch.width=4 fetch.ibuffer=8 issue.dependences=%s",
                     ports, dependences[k]);
            if (gpu_bench_init(&b, t, "tiny", settings, call, 256)) gpu_cycles(&b);
            gpu_bench_fini(&b);
        }
}

// Total cycles of a workload under DARSIE with a watchdog of `watchdog` cycles.
static uint64_t darsie_cycles(struct test *t, const char *workload, const char *watchdog, uint64_t max_cycles)
{
    const char *near;
    char tech[80];
    struct wf_context *c = wf_context_create();
    struct workload_options options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC};
    struct workload_result r = {0};
    snprintf(tech, sizeof tech, "darsie:watchdog=%s", watchdog);
    CHECK(t, wf_gpu(c, "gtx1080ti-paper") == WF_OK && wf_tech(c, tech) == WF_OK);
    wf_set_max_cycles(c, max_cycles);
    enum wf_status status = workload_run(workload_find(workload, &near), c, &options, &r);
    CHECK_MSG(t, status == WF_OK, "%s with %s and at most %llu cycles: %s", workload, tech,
              (unsigned long long)max_cycles, wf_errors(c));
    wf_context_destroy(c);
    return r.cycles;
}

// A launch is over when its blocks have ended, even with watchdogs still armed. A
// limit of exactly its cycles holds, a limit one lower does not, and the next launch
// begins at the same cycle as without watchdogs.
static void test_watchdogs_end(struct test *t)
{
    uint64_t cycles = darsie_cycles(t, "matrixMul", "100000", 0);
    CHECK(t, cycles < 50000);
    darsie_cycles(t, "matrixMul", "100000", cycles);
    CHECK_EQ(t, darsie_cycles(t, "spmv", "100000", 0), darsie_cycles(t, "spmv", "0", 0));
}

// Limits hold to the cycle, although time passes in windows.
static void test_limit(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "",
                       "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nSTG.E [R2], R3\nEXIT\n", 64)) {
        machine_buffer(&b.m, 256);
        uint64_t cycles = gpu_cycles(&b);
        b.max_cycles = cycles;
        CHECK_EQ(t, gpu_cycles(&b), cycles);
        b.max_cycles = cycles - 1;
        CHECK(t, !gpu_bench_run(&b));
        CHECK_EQ(t, b.m.fault.kind, FAULT_LIMIT);
        b.max_cycles = 0; // two warps of four instructions
        b.m.launch.max_warp_instructions = 8;
        CHECK_EQ(t, gpu_cycles(&b), cycles);
        b.m.launch.max_warp_instructions = 7;
        CHECK(t, !gpu_bench_run(&b));
        CHECK_HAS(t, b.m.fault.text, "the limit of 7 warp instructions (exec.max_warp_instructions)");
    }
    gpu_bench_fini(&b);
    if (gpu_bench_init(&b, t, "tiny", "", "MOV R2, 0xf4240\nNANOSLEEP R2\nEXIT\n", 32)) {
        b.max_cycles = 5000;
        CHECK(t, !gpu_bench_run(&b));
        CHECK(t, b.result.cycles >= 5000 && b.result.cycles < 5100); // not at the warp's wake-up
    }
    gpu_bench_fini(&b);
}

// Number of passes over the banks for 32 lanes, by definition: the
// maximum over banks of distinct words requested.
static unsigned passes_of(const uint32_t address[32])
{
    unsigned most = 1;
    for (unsigned bank = 0; bank < 32; bank++) {
        unsigned words = 0;
        for (unsigned l = 0; l < 32; l++) {
            bool first = address[l] / 4 % 32 == bank;
            for (unsigned before = 0; before < l; before++) first &= address[before] != address[l];
            words += first;
        }
        if (words > most) most = words;
    }
    return most;
}

// Runs of lanes as in programs: adjacent words, a common word, or a stride;
// often at or beside the words of another run.
static void draw_runs(struct rng *r, uint32_t address[32])
{
    enum { WORDS = 1024 };
    uint32_t start = (uint32_t)rng_below(r, WORDS);
    for (unsigned l = 0; l < 32;) {
        uint32_t length = 1 + (uint32_t)rng_below(r, rng_below(r, 4) ? 32 : 4),
                 stride = (uint32_t)rng_below(r, 3);
        static const uint32_t jumps[] = {0, 1, 8, 16, 32, 33, 64};
        if (!rng_below(r, 4)) start = (uint32_t)rng_below(r, WORDS);
        if (!rng_below(r, 16)) stride = 32;
        for (uint32_t n = 0; n < length && l < 32; n++) address[l++] = (start + n * stride) % WORDS * 4;
        start += jumps[rng_below(r, TEST_COUNT(jumps))];
    }
}

// Patterns with a fast path in the model and patterns without one cost the same.
static void test_bank_passes(struct test *t)
{
    enum { PATTERNS = 4096 };
    static const char text[] =
        ".shared 4096\nS2R R0, SR_TID.X\nMOV R5, 0x4\n"
        "loop:\nIMAD.WIDE R6, R0, R5, c[0x0][0x160]\nLDG.E R1, [R6]\nLDS R2, [R1]\n"
        "IADD3 R0, R0, 0x20, RZ\nISETP.LT.AND P0, PT, R0, 0x20000, PT\n@P0 BRA loop\nEXIT\n";
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "", text, 32)) {
        uint64_t buffer = machine_buffer(&b.m, PATTERNS * 32 * 4), expected = 0;
        uint32_t *address = machine_words(&b.m, buffer);
        struct rng r;
        rng_init(&r, 7);
        for (unsigned n = 0; n < PATTERNS; n++) {
            draw_runs(&r, address + n * 32);
            expected += passes_of(address + n * 32) - 1;
        }
        gpu_cycles(&b);
        CHECK_EQ(t, b.result.gpu.shared_accesses, PATTERNS);
        CHECK_EQ(t, b.result.gpu.shared_conflict_cycles, expected);
    }
    gpu_bench_fini(&b);
}

// Accesses with a guard false in every lane, of every kind, take their slots and nothing else. In front of
// them in the queue, the banks of shared memory are busy for a thousand cycles.
static void test_no_lanes(struct test *t)
{
    static const char *const dependences[] = {"scoreboard", "encoded", "single", "board"};
    static const char text[] =
        ".shared 4096\nMOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R5, 0x2\n"
        "ISETP.NE.AND P0, PT, RZ, RZ, PT\n"
        "LDS R4, [RZ]\n"
        "@P0 LDG.E R5, [R2]\n@P0 STG.E [R2], R5\n@P0 LDS R5, [RZ]\n@P0 STS [RZ], R5\n"
        "@P0 ATOMG.E.ADD.U32 R5, [R2], R5\n@P0 RED.E.ADD.U32 [R2], R5\n@P0 ATOMS.ADD.U32 R5, [RZ], R5\n"
        "IADD3 R5, R5, 0x1, RZ\n@!P0 STG.E [R2], R5\nEXIT\n";
    for (size_t k = 0; k < TEST_COUNT(dependences); k++) {
        struct gpu_bench b;
        char settings[100];
        snprintf(settings, sizeof settings, "sim.check=1 issue.dependences=%s", dependences[k]);
        if (gpu_bench_init(&b, t, "tiny", settings, text, 64)) {
            uint64_t word = machine_buffer(&b.m, 256);
            gpu_cycles(&b);
            CHECK_EQ(t, b.result.gpu.lsu_accesses, 2 * 2);
            CHECK_EQ(t, b.result.gpu.shared_accesses, 2);
            CHECK_EQ(t, b.result.exec.warp_instructions, 2 * 15);
            CHECK_EQ(t, machine_words(&b.m, word)[0], 3);
            CHECK_EQ(t, b.result.gpu.operand_reads, 2 * (1 + 3)); // of the sum, and of the last store
        }
        gpu_bench_fini(&b);
    }
}

// The second instruction of a pair takes its result from the reuse buffer a cycle after issue. In the
// same cycle the first instruction reads its operands, possibly the same register. The book of
// registers reports a write before the read.
static void test_reused_second(struct test *t)
{
    static const char *const gpus[] = {"tiny", "gtx1080ti-paper", "titanv"};
    const char *near;
    for (size_t g = 0; g < TEST_COUNT(gpus); g++) {
        struct wf_context *c = wf_context_create();
        struct workload_options options = {.size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC};
        struct workload_result r = {0};
        CHECK(t, wf_gpu(c, gpus[g]) == WF_OK && wf_tech(c, "uv:latency=1") == WF_OK);
        settings_apply(t, c, "issue.width=2 sim.check=1");
        enum wf_status status = workload_run(workload_find("hotspot", &near), c, &options, &r);
        CHECK_MSG(t, status == WF_OK, "%s: %s", gpus[g], wf_errors(c));
        wf_context_destroy(c);
    }
}

// Slots of an instruction with reason `why`.
static uint64_t slots_of(const uint64_t *account, uint32_t inst, enum gpu_slot why)
{
    return account[inst * SLOT_COLUMNS + why];
}

// The second warp reaches the barrier a thousand additions late, and then both warps sleep. The time is
// charged to the barrier and to the sleep, not to the instructions behind them.
static void test_time_at_a_barrier(struct test *t)
{
    static const char text[] =
        "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x20, PT\nMOV R1, 0x3e8\n@P0 BRA meet\n"
        "loop:\nIADD3 R1, R1, -0x1, RZ\nISETP.NE.AND P1, PT, R1, RZ, PT\n@P1 BRA loop\n"
        "meet:\nBAR.SYNC 0x0\nIADD3 R2, R0, 0x1, RZ\nMOV R3, 0x3e8\nNANOSLEEP R3\n"
        "IADD3 R2, R2, 0x1, RZ\nEXIT\n";
    enum { BARRIER = 7, SLEEP = 10, COUNT = 13 };
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", "icache.perfect=1", text, 64)) {
        uint64_t account[(COUNT + 1) * SLOT_COLUMNS] = {0};
        struct chip *c = chip_create(&b.config);
        machine_prepare(&b.m);
        CHECK_EQ(t, b.m.launch.program->inst_count, COUNT);
        CHECK(t, chip_run_alone(c, &b.m.launch, 0, 1, &(struct chip_account){.inst_slots = account},
                                &b.result, &b.m.fault));
        chip_destroy(c);
        CHECK(t, slots_of(account, BARRIER, SLOT_BARRIER) > 5000);
        CHECK(t, slots_of(account, SLEEP, SLOT_BARRIER) > 1000);
        CHECK_EQ(t, slots_of(account, BARRIER, SLOT_BARRIER) + slots_of(account, SLEEP, SLOT_BARRIER),
                 b.result.gpu.slots[SLOT_BARRIER]);
    }
    gpu_bench_fini(&b);
}

// A straight program too long for the front end to hide instruction-cache misses. With a
// perfect instruction cache no slot waits for code; without it most slots do. Other waits for
// the front end have the same reason in both runs.
static void test_cold_code(struct test *t)
{
    static const char *const settings[] = {"icache.perfect=1", ""};
    struct strbuf text = {0};
    for (unsigned k = 0; k < 300; k++) strbuf_printf(&text, "MOV R%u, 0x1\n", k % 8);
    strbuf_puts(&text, "EXIT\n");
    for (unsigned k = 0; k < 2; k++) {
        struct gpu_bench b;
        if (gpu_bench_init(&b, t, "tiny", settings[k], strbuf_text(&text), 32)) {
            uint64_t cycles = gpu_cycles(&b), code = b.result.gpu.slots[SLOT_CODE];
            CHECK_MSG(t, k ? code > cycles / 4 : code == 0, "%llu slots of %llu cycles",
                      (unsigned long long)code, (unsigned long long)cycles);
            CHECK(t, b.result.gpu.slots[SLOT_FETCH] > 0);
        }
        gpu_bench_fini(&b);
    }
    strbuf_fini(&text);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"call_writes", test_call_writes},
        {"watchdogs_end", test_watchdogs_end},
        {"limit", test_limit},
        {"bank_passes", test_bank_passes},
        {"no_lanes", test_no_lanes},
        {"reused_second", test_reused_second},
        {"time_at_a_barrier", test_time_at_a_barrier},
        {"cold_code", test_cold_code},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
