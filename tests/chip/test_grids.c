// Several launches on one chip at a time.
#include "chip/bench.h"
#include "chip/chip.h"
#include "exec/memory.h"
#include "tech/extra.h"

#include <string.h>

enum { GRIDS = 40, SMS = 8 };

struct many { // programs on one chip, in the memory of the first
    struct test *t;
    struct chip_config config;
    struct tech_use use;
    struct machine m[GRIDS];
    struct grid *grids[GRIDS];
    struct chip_result results[GRIDS];
    struct launch_fault faults[GRIDS];
    struct gpu_counts sms[GRIDS][SMS];
    struct chip_account accounts[GRIDS];
    uint64_t max_cycles[GRIDS];
    bool good[GRIDS];
    unsigned count, threads;
    unsigned over[GRIDS]; // grids in order of their ends
};

static void many_init(struct many *x, struct test *t, const char *gpu, const char *settings)
{
    memset(x, 0, sizeof *x);
    x->t = t;
    x->threads = 1;
    gpu_settings(t, &x->config, gpu, settings);
}

// Blocks are dispatched by the mechanism; NULL: by block.
static void dispatch_by(struct many *x, const struct tech *tech)
{
    x->use.tech = tech;
    x->config.techs = &x->use;
    x->config.tech_count = tech != NULL;
}

static const struct tech *const dispatchers[] = {NULL, &tech_piecemeal, &tech_grudging};

static struct machine *add(struct many *x, const char *text, uint32_t threads, uint32_t blocks)
{
    struct machine *m = &x->m[x->count++];
    machine_init(m, x->t, text, threads);
    m->launch.grid[0] = blocks;
    m->launch.memory = x->m[0].memory;
    return m;
}

static uint64_t buffer(struct many *x, struct machine *m, uint64_t bytes)
{
    uint64_t address = memory_alloc(x->m[0].memory, bytes, 256, "buffer");
    machine_param(m, address);
    return address;
}

static uint32_t *words(struct many *x, uint64_t address) { return machine_words(&x->m[0], address); }

static void run(struct many *x)
{
    struct chip *c = chip_create(&x->config);
    for (unsigned k = 0; k < x->count; k++) {
        machine_prepare(&x->m[k]);
        x->accounts[k].sms = x->sms[k];
        x->grids[k] = chip_begin(c, &x->m[k].launch, x->max_cycles[k], &x->accounts[k]);
    }
    unsigned ended = 0;
    for (struct grid *g; (g = chip_run(c, x->threads)); ended++) {
        unsigned k = 0;
        while (x->grids[k] != g) k++;
        x->good[k] = chip_end(c, g, &x->results[k], &x->faults[k]);
        CHECK_MSG(x->t, !x->results[k].imbalance, "%u: %s", k, x->results[k].imbalance);
        x->over[ended] = k;
        x->grids[k] = NULL;
    }
    CHECK_EQ(x->t, ended, x->count);
    chip_destroy(c);
}

static void fini(struct many *x)
{
    for (unsigned k = x->count; k-- > 0;) machine_fini(&x->m[k]);
    for (unsigned k = 0; k < x->count; k++) launch_fault_fini(&x->faults[k]);
}

// Every thread writes block x 1000 + thread, after c[0x0][0x168] rounds of a loop.
static const char writes[] =
    "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nMOV R4, 0x4\nMOV R8, c[0x0][0x168]\n"
    "IMAD R2, R1, c[0x0][0x0], R0\nIMAD.WIDE R6, R2, R4, c[0x0][0x160]\n"
    "IMAD R3, R1, 0x3e8, R0\nMOV R5, RZ\n"
    "loop:\nIADD3 R5, R5, 0x1, RZ\nISETP.LT.U32.AND P0, PT, R5, R8, PT\n@P0 BRA loop\n"
    "STG.E [R6], R3\nEXIT\n";

static const char spins[] = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"
                            "loop:\nLDG.E.STRONG.GPU R4, [R2]\nISETP.EQ.U32.AND P0, PT, R4, RZ, PT\n"
                            "@P0 BRA loop\nEXIT\n";

static uint64_t add_writer(struct many *x, uint32_t threads, uint32_t blocks, uint32_t turns)
{
    struct machine *m = add(x, writes, threads, blocks);
    uint64_t out = buffer(x, m, 4ull * threads * blocks);
    machine_param(m, turns);
    return out;
}

static void check_written(struct many *x, uint64_t out, uint32_t threads, uint32_t blocks)
{
    uint32_t wrong = 0;
    for (uint32_t n = 0; n < threads * blocks; n++)
        wrong += words(x, out)[n] != n / threads * 1000 + n % threads;
    CHECK_EQ(x->t, wrong, 0);
}

static unsigned on_both(const struct many *x)
{
    unsigned n = 0;
    for (unsigned sm = 0; sm < SMS; sm++) n += x->sms[0][sm].issue_issued && x->sms[1][sm].issue_issued;
    return n;
}

static unsigned sms_of(const struct many *x, unsigned k)
{
    unsigned n = 0;
    for (unsigned sm = 0; sm < SMS; sm++) n += x->sms[k][sm].issue_issued != 0;
    return n;
}

// Placement by policy: 4 SMs of 16 warps; both grids have 32 blocks of 4 warps.
static void test_policies(struct test *t)
{
    static const struct {
        const char *policy;
        bool same_sms, together; // same_sms: both on an SM; together: the second ends soon after the first
    } cases[] = {
        {"oldest", true, false}, {"fill", true, false}, {"even", true, true}, {"apart", false, true}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct many x;
        char settings[80];
        snprintf(settings, sizeof settings, "gpu.sm_count=4 sm.warps=16 gpu.dispatch=%s", cases[k].policy);
        many_init(&x, t, "gtx1080ti-paper", settings);
        uint64_t first = add_writer(&x, 128, 32, 300), second = add_writer(&x, 128, 32, 300);
        run(&x);
        check_written(&x, first, 128, 32);
        check_written(&x, second, 128, 32);
        const struct chip_result *a = &x.results[0], *b = &x.results[1];
        CHECK_MSG(t, (on_both(&x) != 0) == cases[k].same_sms, "%s", cases[k].policy);
        if (!cases[k].same_sms) CHECK_EQ(t, sms_of(&x, 0) + sms_of(&x, 1), 4);
        CHECK_MSG(t, (b->cycles < a->cycles + a->cycles / 4) == cases[k].together, "%s: %llu and %llu",
                  cases[k].policy, (unsigned long long)a->cycles, (unsigned long long)b->cycles);
        fini(&x);
    }
}

// The second grid has blocks of 16 warps, a whole SM; a resident block of the
// first grid, of a single warp, keeps it out.
static void test_order(struct test *t)
{
    for (unsigned fill = 0; fill < 2; fill++) {
        struct many x;
        many_init(&x, t, "gtx1080ti-paper",
                  fill ? "gpu.sm_count=1 sm.warps=16 gpu.dispatch=fill" : "gpu.sm_count=1 sm.warps=16");
        add_writer(&x, 32, 1, 500);
        add_writer(&x, 512, 1, 1);
        add_writer(&x, 32, 1, 1);
        run(&x);
        // The third grid waits for the second, unless small blocks may fill the room left.
        CHECK_EQ(t, x.over[0], fill ? 2 : 0);
        CHECK_EQ(t, x.over[1], fill ? 0 : 1);
        fini(&x);
    }
}

// Two SMs. A grid whose blocks do not fit keeps younger grids waiting until it has no blocks left to
// dispatch. Then younger grids get the room left.
static void test_room_left(struct test *t)
{
    struct many x;
    many_init(&x, t, "gtx1080ti-paper", "gpu.sm_count=2 sm.warps=16");
    add_writer(&x, 32, 2, 3000); // a warp on each SM
    add_writer(&x, 512, 1, 1);   // does not fit beside the first
    add_writer(&x, 64, 2, 100);
    run(&x);
    CHECK_EQ(t, x.over[0], 0);
    CHECK(t, x.results[2].cycles < x.results[1].cycles + 2000); // at once beside the second
    fini(&x);

    // A failed grid is out of the others' way.
    many_init(&x, t, "gtx1080ti-paper", "gpu.sm_count=2 sm.warps=16 sim.stall=200");
    buffer(&x, add(&x, spins, 32, 2), 4);
    add(&x, "EXIT\n", 512, 4);
    uint64_t out = add_writer(&x, 64, 40, 100);
    x.max_cycles[1] = 20000;
    run(&x);
    CHECK(t, !x.good[0] && x.good[1] && x.good[2]);
    check_written(&x, out, 64, 40);
    fini(&x);
}

// Counts by grid add up: instructions as alone; active cycles and slots to the total of the SM.
static void test_counts(struct test *t)
{
    struct gpu_counts alone[2] = {0};
    struct many x;
    for (unsigned k = 0; k < 3; k++) {
        many_init(&x, t, "gtx1080ti-paper", "gpu.sm_count=1 sm.warps=32 gpu.dispatch=even sim.check=1");
        if (k != 1) add_writer(&x, 128, 8, 400);
        if (k != 0) add_writer(&x, 256, 3, 100);
        run(&x);
        if (k < 2) alone[k] = x.results[0].gpu;
        if (k < 2) fini(&x);
    }
    const struct gpu_counts *a = &x.results[0].gpu, *b = &x.results[1].gpu;
    CHECK_EQ(t, a->issue_issued, alone[0].issue_issued);
    CHECK_EQ(t, b->issue_issued, alone[1].issue_issued);
    CHECK_EQ(t, a->lsu_transactions, alone[0].lsu_transactions);
    CHECK_EQ(t, x.results[0].memory.l2_stores, alone[0].lsu_transactions);
    CHECK_EQ(t, x.results[1].memory.l2_stores, alone[1].lsu_transactions);
    uint64_t slots = 0, cycles = a->sm_active_cycles + b->sm_active_cycles;
    for (unsigned k = 0; k < SLOT_COUNT; k++) slots += a->slots[k] + b->slots[k];
    uint64_t all = cycles * x.config.gpu.schedulers * x.config.gpu.issue_width;
    // Fractions of a cycle are lost at the end of a grid.
    CHECK(t, slots <= all + 64 && slots + 64 >= all);
    CHECK(t, cycles <= x.results[0].cycles + x.results[1].cycles);
    // The chip's cycles are divided among grids, too: the sum is the longest grid's.
    uint64_t longest = x.results[0].cycles > x.results[1].cycles ? x.results[0].cycles : x.results[1].cycles;
    uint64_t shared = x.results[0].chip_cycles + x.results[1].chip_cycles;
    CHECK_MSG(t, shared + 64 > longest && shared < longest + 64, "%llu of %llu", (unsigned long long)shared,
              (unsigned long long)longest);
    CHECK(t, x.results[0].sm_cycles && x.results[0].sm_cycles < x.results[0].cycles);
    fini(&x);
}

// A grid waits for a word written by another: both are resident at the same time, even on a single SM.
static void test_meeting(struct test *t)
{
    for (unsigned sms = 1; sms <= 2; sms++) {
        struct many x;
        many_init(&x, t, "tiny", sms == 1 ? "gpu.sm_count=1" : "gpu.sm_count=2 gpu.dispatch=apart");
        uint64_t flag = buffer(&x, add(&x, spins, 32, 1), 4);
        struct machine *m = add(&x,
                                "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R4, 0x1\n"
                                "STG.E.STRONG.GPU [R2], R4\nEXIT\n",
                                32, 1);
        machine_param(m, flag);
        x.max_cycles[0] = 100000;
        run(&x);
        CHECK(t, x.good[0] && x.good[1]);
        fini(&x);
    }
}

// A fault, an endless loop, a deadlock or a limit ends only its own grid; the
// memory of the other grids equals a run alone.
static void test_failures(struct test *t)
{
    static const struct {
        const char *text;
        uint32_t threads;
        uint64_t max_cycles;
        enum launch_fault_kind kind;
    } cases[] = {
        {"MOV R2, 0x124\nMOV R3, RZ\nLDG.E R4, [R2]\nEXIT\n", 64, 0, FAULT_BOUNDS},
        {"S2R R0, SR_TID.X\nISETP.EQ.U32.AND P0, PT, R0, RZ, PT\nMOV R2, c[0x0][0x160]\nMOV R3, "
         "c[0x0][0x164]\n"
         "LDG.E R5, [R2]\n@P0 EXIT\nMOV R2, RZ\nLDG.E R4, [R2]\nEXIT\n",
         256, 0, FAULT_BOUNDS},
        {spins, 64, 0, FAULT_STALL},
        {spins, 64, 900, FAULT_LIMIT},
        {"MOV R2, RZ\nBAR.SYNC 0x0, 0x40\nEXIT\n", 32, 0, FAULT_DEADLOCK},
    };
    static const char *const settings[] = {"gpu.sm_count=1 gpu.dispatch=fill sim.stall=100",
                                           "gpu.sm_count=2 gpu.dispatch=apart sim.stall=100 sim.check=1",
                                           "gpu.sm_count=3 gpu.dispatch=even sim.stall=100",
                                           "gpu.sm_count=2 sm.warps=10 gpu.dispatch=even sim.stall=100",
                                           "gpu.sm_count=1 sm.warps=8 gpu.dispatch=fill sim.stall=100"};
    size_t count = TEST_COUNT(cases) * TEST_COUNT(settings);
    for (size_t k = 0; k < count * TEST_COUNT(dispatchers); k++) {
        unsigned n = (unsigned)(k % TEST_COUNT(cases));
        struct many x;
        many_init(&x, t, "tiny", settings[k % count / TEST_COUNT(cases)]);
        dispatch_by(&x, dispatchers[k / count]);
        uint64_t first = add_writer(&x, 64, 5, 200);
        buffer(&x, add(&x, cases[n].text, cases[n].threads, 9), 64);
        x.max_cycles[1] = cases[n].max_cycles;
        uint64_t last = add_writer(&x, 96, 7, 150);
        run(&x);
        CHECK_MSG(t, x.good[0] && x.good[2], "%zu: %s; %s", k, x.faults[0].text ? x.faults[0].text : "",
                  x.faults[2].text ? x.faults[2].text : "");
        CHECK(t, !x.good[1]);
        // An endless wait at a barrier may also be found by the stall detector, while other grids still run.
        bool is_kind = x.faults[1].kind == cases[n].kind ||
                       (cases[n].kind == FAULT_DEADLOCK && x.faults[1].kind == FAULT_STALL);
        CHECK_MSG(t, is_kind, "%zu: %s", k, x.faults[1].text ? x.faults[1].text : "ended");
        check_written(&x, first, 64, 5);
        check_written(&x, last, 96, 7);
        fini(&x);
    }
}

// More grids than an SM has places for.
static void test_crowd(struct test *t)
{
    struct many x;
    uint64_t out[20];
    many_init(&x, t, "gtx1080ti-paper", "gpu.sm_count=1 gpu.dispatch=even");
    for (unsigned k = 0; k < 20; k++) out[k] = add_writer(&x, 32, 2, 100 + k);
    run(&x);
    for (unsigned k = 0; k < 20; k++) check_written(&x, out[k], 32, 2);
    // the last grid had to wait
    CHECK(t, x.results[19].cycles > x.results[0].cycles + x.results[0].cycles / 2);
    fini(&x);
}

// More grids than numbers: the rest start as numbers come free. A chip whose
// grids have all failed is as good as new.
static void test_many(struct test *t)
{
    struct many x;
    uint64_t out[GRIDS];
    many_init(&x, t, "tiny", "");
    for (unsigned k = 0; k < GRIDS; k++) out[k] = add_writer(&x, 32, 1 + k % 3, 10 + k);
    run(&x);
    for (unsigned k = 0; k < GRIDS; k++) check_written(&x, out[k], 32, 1 + k % 3);
    fini(&x);

    many_init(&x, t, "tiny", "");
    add(&x, "MOV R2, 0x124\nMOV R3, RZ\nLDG.E R4, [R2]\nEXIT\n", 32, 9);
    out[1] = add_writer(&x, 32, 2, 10);
    struct chip *c = chip_create(&x.config);
    machine_prepare(&x.m[0]);
    machine_prepare(&x.m[1]);
    for (unsigned k = 0; k < 3; k++) {
        CHECK(t, !chip_run_alone(c, &x.m[0].launch, 0, 1, NULL, &x.results[0], &x.faults[0]));
        launch_fault_fini(&x.faults[0]);
        x.faults[0] = (struct launch_fault){0};
        CHECK(t, chip_run_alone(c, &x.m[1].launch, 0, 1, NULL, &x.results[1], &x.faults[1]));
        check_written(&x, out[1], 32, 2);
    }
    chip_destroy(c);
    fini(&x);
}

// In sequence: the second launch gets the same placement as the first. (The DRAM's open rows differ.)
static void test_again(struct test *t)
{
    struct many x;
    struct chip_result results[2];
    struct gpu_counts sms[2][SMS] = {0};
    many_init(&x, t, "gtx1080ti-paper", "gpu.sm_count=6 sm.blocks=4");
    add_writer(&x, 64, 8, 50); // two SMs have two blocks
    machine_prepare(&x.m[0]);
    struct chip *c = chip_create(&x.config);
    for (unsigned k = 0; k < 2; k++) {
        const struct chip_account account = {.sms = sms[k]};
        CHECK(t, chip_run_alone(c, &x.m[0].launch, 0, 1, &account, &results[k], &x.faults[0]));
        CHECK(t, !results[k].imbalance);
    }
    for (unsigned sm = 0; sm < SMS; sm++) CHECK_EQ(t, sms[1][sm].issue_issued, sms[0][sm].issue_issued);
    chip_destroy(c);
    fini(&x);
}

// Host threads change nothing, whether grids share SMs or not.
static void test_threads(struct test *t)
{
    static const char *const policies[] = {
        "gpu.sm_count=6 gpu.dispatch=even", "gpu.sm_count=6 gpu.dispatch=apart",
        "gpu.sm_count=6 gpu.dispatch=fill sim.skip_idle=0",
        "gpu.sm_count=6 class.a.count=4 class.b.count=2 class.b.sm.warps=8 gpu.dispatch=even"};
    for (size_t p = 0; p < TEST_COUNT(policies) * TEST_COUNT(dispatchers); p++) {
        struct chip_result results[2][3];
        for (unsigned n = 0; n < 2; n++) {
            struct many x;
            many_init(&x, t, "tiny", policies[p % TEST_COUNT(policies)]);
            dispatch_by(&x, dispatchers[p / TEST_COUNT(policies)]);
            x.threads = n ? 3 : 1;
            add_writer(&x, 64, 40, 30);
            add_writer(&x, 96, 20, 70);
            add_writer(&x, 32, 60, 20);
            run(&x);
            memcpy(results[n], x.results, sizeof results[n]);
            fini(&x);
        }
        CHECK(t, memcmp(results[0], results[1], sizeof results[0]) == 0);
    }
}

// Six slots, two grids with blocks of four and of three warps: freed slots go to the partly started block,
// whichever grid's warps end. An SM has at most one partly started block.
static void test_by_warp(struct test *t)
{
    static const char *const policies[] = {"oldest", "fill", "even", "apart"};
    for (unsigned n = 0; n < TEST_COUNT(policies) * TEST_COUNT(dispatchers); n++) {
        const struct tech *by = dispatchers[n / TEST_COUNT(policies)];
        struct many x;
        char settings[100];
        snprintf(settings, sizeof settings,
                 "gpu.sm_count=2 sm.warps=6 sm.blocks=8 sim.check=1 gpu.dispatch=%s",
                 policies[n % TEST_COUNT(policies)]);
        many_init(&x, t, "tiny", settings);
        dispatch_by(&x, by);
        uint64_t first = add_writer(&x, 128, 12, 50), second = add_writer(&x, 96, 12, 80);
        run(&x);
        check_written(&x, first, 128, 12);
        check_written(&x, second, 96, 12);
        uint64_t late = x.results[0].techs[0][1] + x.results[1].techs[0][1];
        CHECK_MSG(t, by ? late > 0 : !late, "%s", settings);
        fini(&x);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"policies", test_policies}, {"order", test_order},     {"room_left", test_room_left},
        {"counts", test_counts},     {"meeting", test_meeting}, {"failures", test_failures},
        {"crowd", test_crowd},       {"again", test_again},     {"many", test_many},
        {"threads", test_threads},   {"by_warp", test_by_warp},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
