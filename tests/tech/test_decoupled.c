// Decoupled streams in a machine, counted by hand: single issue, early requests, messages. Also the places
// where the text taken literally is unsound or deadlocks (holes D40, D46 to D57), with a program for every
// hole. Unchanged results in any other program: tests/tech/test_kernels.c and tests/differential.
#include "decouple/decouple.h"
#include "harness/scene.h"
#include "tech/decoupled/decoupled.h"

#include <string.h>

struct outcome {
    uint64_t n[COUNT_TOTAL], cycles, issued, guest, mismatches;
    uint32_t words[1024];
};

struct trial {
    const char *gpu, *settings, *tech, *code;
    uint32_t block[3], grid;
    uint32_t param; // behind the buffer's address
};

#define GTX "icache.perfect=1"

// Launches the program as transformed by the mechanism. Out: the first words of its
// buffer of 64 KB, where word k is k at first.
static void launch(struct test *t, const struct trial *x, struct outcome *out)
{
    struct scene s;
    const struct scene_plan plan = {.gpu = x->gpu,
                                    .settings = x->settings,
                                    .tech = x->tech,
                                    .text = x->code,
                                    .block = {x->block[0], x->block[1], x->block[2]},
                                    .blocks = x->grid,
                                    .bytes = 1 << 16,
                                    .verify = true};
    *out = (struct outcome){.cycles = 0};
    if (scene_begin(&s, t, &plan)) {
        const struct chip_result *r = &s.bench.result;
        uint32_t *words = machine_words(&s.bench.m, s.buffer);
        s.bench.m.launch.simt = SIMT_STACK;
        scene_transform(&s);
        machine_param(&s.bench.m, x->param);
        for (uint32_t k = 0; k < 1 << 14; k++) words[k] = k;
        out->cycles = scene_run(&s);
        if (s.choice.count) memcpy(out->n, r->techs[0], sizeof out->n);
        out->issued = r->gpu.issue_issued;
        out->guest = r->gpu.guest_issued;
        out->mismatches = r->mismatches;
        memcpy(out->words, words, sizeof out->words);
    }
    scene_end(&s);
}

static void play(struct test *t, const struct trial *x, struct outcome *out)
{
    launch(t, x, out);
    CHECK_EQ(t, out->mismatches, 0);
}

// Memory equals the run without the mechanism. Returns the mechanism's counters.
static struct outcome same(struct test *t, struct trial x)
{
    struct outcome with, without;
    play(t, &x, &with);
    x.tech = "base";
    play(t, &x, &without);
    CHECK(t, memcmp(with.words, without.words, sizeof with.words) == 0);
    CHECK_EQ(t, with.issued - with.guest + with.n[COUNT_removed], without.issued);
    CHECK_EQ(t, with.n[COUNT_steps], with.guest);
    CHECK_EQ(t, with.n[COUNT_locked], with.n[COUNT_unlocked]);
    CHECK_EQ(t, with.n[COUNT_pushed], with.n[COUNT_taken] + with.n[COUNT_dropped]);
    CHECK_EQ(t, with.n[COUNT_astray], 0);
    return with;
}

#define INDEX   "    S2R R0, SR_TID.X\n    MOV R1, 0x4\n"
#define ADDRESS "    IMAD.WIDE R2, R0, R1, c[0x0][0x160]\n"

// -- once for every warp ------------------------------------------------------------------------------------

// Four warps: the affine stream issues three instructions once, as well as an address and the exit.
static void test_once(struct test *t)
{
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX,
                      .tech = "decoupled:gain=off",
                      .block = {128, 1, 1},
                      .code = INDEX ADDRESS
                      "    LDG R5, [R2]\n    IADD3 R5, R5, 0x1, RZ\n    STG [R2], R5\n    EXIT\n"};
    struct outcome o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_removed], 4 * 3);
    CHECK_EQ(t, o.n[COUNT_steps], 3 + 2 + 1);
    CHECK_EQ(t, o.n[COUNT_served], 4 * 6);
    CHECK_EQ(t, o.n[COUNT_data], 4);
    CHECK_EQ(t, o.n[COUNT_addresses], 4);
    CHECK_EQ(t, o.n[COUNT_kept], 0);
    CHECK_EQ(t, o.n[COUNT_records], 8);
    CHECK_EQ(t, o.n[COUNT_asked], 4);
    CHECK_EQ(t, o.n[COUNT_locked], 4);
    for (unsigned k = 0; k < 128; k++) CHECK_EQ(t, o.words[k], k + 1);
}

// A spilled and reloaded address: four moves of a word in the affine stream, and no warp accesses local
// memory. With slots not followed, the lanes execute the spill code.
static void test_spilled(struct test *t)
{
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX,
                      .tech = "decoupled:gain=off",
                      .block = {128, 1, 1},
                      .code = ".local 16\n.spills 16\n" INDEX ADDRESS
                              "    STL.64 [0x8], R2\n    MOV R2, RZ\n    MOV R3, RZ\n    LDL.64 R6, [0x8]\n"
                              "    LDG R5, [R6]\n    IADD3 R5, R5, 0x1, RZ\n    STG [R6], R5\n    EXIT\n"};
    struct outcome o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_removed], 4 * 7);
    CHECK_EQ(t, o.n[COUNT_steps], 3 + 4 + 2 + 1);
    CHECK_EQ(t, o.n[COUNT_data], 4);
    CHECK_EQ(t, o.n[COUNT_addresses], 4);
    CHECK_EQ(t, o.n[COUNT_kept], 0);
    CHECK_EQ(t, o.n[COUNT_asked], 4);
    for (unsigned k = 0; k < 128; k++) CHECK_EQ(t, o.words[k], k + 1);
    x.tech = "decoupled:gain=off,slots=off,feedback=on";
    x.code = ".local 16\n.spills 16\n" INDEX ADDRESS
             "    STL.64 [0x8], R2\n    LDG R4, [R2]\n    LDL.64 R6, [0x8]\n"
             "    LDG R5, [R6]\n    IADD3 R5, R5, 0x1, RZ\n    STG [R6], R5\n    EXIT\n";
    o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_removed], 0);
    CHECK_EQ(t, o.n[COUNT_data], 4);
    CHECK_EQ(t, o.n[COUNT_kept], 4 * 4);
    x.tech = "decoupled:gain=off";
    o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_removed], 4 * 5);
    CHECK_EQ(t, o.n[COUNT_kept], 0);
    // Forty lanes store to the slot anew; from the middle of a warp on, lanes do not.
    x.code = ".local 16\n.spills 8\n" INDEX ADDRESS
             "    STL.64 [0x8], R2\n    IADD3 R4, R2, 0x800, RZ\n    ISETP.LT.AND P0, PT, R0, 0x28, PT\n"
             "@P0 STL [0x8], R4\n    MOV R6, RZ\n@P0 LDL R6, [0x8]\n@!P0 LDL R6, [0x8]\n    LDL R7, [0xc]\n"
             "    LDG R5, [R6]\n    IADD3 R5, R5, 0x1, RZ\n    STG [R6], R5\n    EXIT\n";
    x.tech = "decoupled:gain=off,pieces=8";
    o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_kept], 0);
    for (unsigned k = 0; k < 128; k++)
        CHECK_EQ(t, o.words[k + (k < 40 ? 512 : 0)], k + (k < 40 ? 512 : 0) + 1);
}

// Figure 3: an affine instruction and another instruction, of four warps, take eight slots. With affine
// units, four of the eight slots are theirs. With an affine warp, five slots suffice.
static void test_slots(struct test *t)
{
    static const char without[] = INDEX ADDRESS "    LDG R5, [R2]\n    STG [R2], R5\n    EXIT\n",
                      with[] =
                          INDEX "    IADD3 R0, R0, 0x20, RZ\n" ADDRESS
                                "    LDG R5, [R2]\n    IADD3 R5, R5, 0x1, RZ\n    STG [R2], R5\n    EXIT\n";
    static const struct {
        const char *tech;
        unsigned slots;
    } rows[] = {{"base", 8}, {"cae", 8}, {"decoupled:gain=off", 5}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct trial x = {.gpu = "gtx480", .settings = GTX, .tech = rows[k].tech, .block = {128, 1, 1}};
        struct outcome few, more;
        x.code = without;
        play(t, &x, &few);
        x.code = with;
        play(t, &x, &more);
        CHECK_MSG(t, more.issued - few.issued == rows[k].slots, "%s: %llu slots", rows[k].tech,
                  (unsigned long long)(more.issued - few.issued));
    }
}

// Addresses and predicates really come from the queues: with a bit flipped in the
// first record, a lane reads another word.
static void test_values_move(struct test *t)
{
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX,
                      .tech = "decoupled:gain=off,corrupt=1",
                      .block = {32, 1, 1},
                      .code = INDEX ADDRESS "    LDG R5, [R2]\n    STG [R2+0x200], R5\n    EXIT\n"};
    struct outcome o;
    launch(t, &x, &o);
    CHECK_EQ(t, o.words[128], 1);
    CHECK(t, o.mismatches > 0); // verification finds the flipped bit
    x.tech = "decoupled:gain=off";
    play(t, &x, &o);
    CHECK_EQ(t, o.words[128], 0);
}

// -- ahead --------------------------------------------------------------------------------------------------

// A warp reads lines in sequence and needs every line before the next load; ahead
// of the warp they are under way together.
#define CHAIN                                                                                                \
    INDEX ADDRESS "    MOV R9, 0x20\n    MOV R6, RZ\n"                                                       \
                  "loop:\n    LDG R5, [R2]\n    IADD3 R6, R5, R6, RZ\n    IADD3 R2, R2, 0x80, RZ\n"          \
                  "    IADD3 R9, R9, -0x1, RZ\n    ISETP.NE.AND P0, PT, R9, RZ, PT\n"                        \
                  "    @P0 BRA loop, join out\nout:\n    STG [R2], R6\n    EXIT\n"

static void test_ahead(struct test *t)
{
    struct trial x = {
        .gpu = "gtx480", .settings = GTX, .tech = "decoupled:gain=off", .code = CHAIN, .block = {32, 1, 1}};
    struct outcome ahead = same(t, x), late, base;
    x.tech = "decoupled:gain=off,early=off";
    late = same(t, x);
    x.tech = "base";
    play(t, &x, &base);
    x.tech = "decoupled:gain=off,batch=wait";
    x.grid = 40;
    CHECK_EQ(t, same(t, x).n[COUNT_data], 40 * 32); // later blocks wait, and no warp runs without the stream
    x.grid = 1;
    CHECK_EQ(t, ahead.n[COUNT_asked], 32);
    CHECK_EQ(t, late.n[COUNT_asked], 0);
    CHECK(t, ahead.cycles * 2 < base.cycles); // four are under way
    x.tech = "decoupled:gain=off,pwaq=4,pwpq=4";
    uint64_t four = same(t, x).cycles;
    x.tech = "decoupled:gain=off,pwaq=1";
    CHECK(t, same(t, x).cycles > four);
    CHECK(t, four > ahead.cycles);
}

// The bounds: no instruction of an affine warp, values and accesses as with the mechanism, and verified. With loads
// that have arrived the chain takes less time than the mechanism, and as many lines come from memory.
static void test_ideal(struct test *t)
{
    struct trial x = {
        .gpu = "gtx480", .settings = GTX, .tech = "decoupled:gain=off", .code = CHAIN, .block = {32, 1, 1}};
    struct outcome real = same(t, x), removed, arrived;
    x.tech = "decoupled:gain=off,ideal=removed";
    removed = same(t, x);
    x.tech = "decoupled:gain=off,ideal=arrived";
    arrived = same(t, x);
    CHECK_EQ(t, removed.guest + arrived.guest, 0);
    CHECK_EQ(t, removed.n[COUNT_data], real.n[COUNT_data]);
    CHECK_EQ(t, removed.n[COUNT_removed], real.n[COUNT_removed]);
    CHECK_EQ(t, removed.mismatches + arrived.mismatches, 0);
    CHECK(t, removed.cycles > 2 * real.cycles); // every load waits for memory
    CHECK(t, arrived.cycles < real.cycles);
    x.tech = "decoupled:gain=off,ideal=arrived,corrupt=3";
    launch(t, &x, &arrived);
    CHECK(t, arrived.mismatches > 0);
}

// Five blocks on an SM: addresses linear in blockIdx share a step and an entry of the queue, squares of blockIdx do not.
// With a row of threads for a warp, the address unit also takes cycles at the begin of blocks.
static void test_blocks(struct test *t)
{
#define OF_BLOCK(factor)                                                                                     \
    "    S2R R0, SR_TID.X\n    S2R R4, SR_CTAID.X\n    MOV R1, 0x4\n    IMAD R4, R4, " factor                \
    ", RZ\n    IADD3 R0, R0, R4, RZ\n" ADDRESS "    LDG R5, [R2]\n    LDG R6, [R2+0x4]\n"                    \
    "    IADD3 R5, R5, R6, RZ\n    STG [R2+0x2000], R5\n    EXIT\n"
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX " gpu.sm_count=1",
                      .tech = "decoupled:gain=off",
                      .block = {64, 1, 1},
                      .grid = 5,
                      .code = OF_BLOCK("0x40")};
    struct outcome line = same(t, x), square;
    x.code = OF_BLOCK("R4");
    square = same(t, x);
    CHECK_EQ(t, square.n[COUNT_served], line.n[COUNT_served]);
    CHECK_EQ(t, square.n[COUNT_data], line.n[COUNT_data]);
    CHECK(t, square.n[COUNT_steps] > line.n[COUNT_steps]);
    CHECK(t, square.n[COUNT_enqueued] > line.n[COUNT_enqueued]);
    CHECK_EQ(t, square.mismatches, 0);
}

#define ADD        "    IADD3 R5, R5, 0x1, RZ\n"
#define TEN        ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#define ADDS(more) INDEX ADDRESS "    LDG R5, [R2]\n" TEN more "    STG [R2], R5\n    EXIT\n"

// Six steps for three instructions removed from each warp: one warp gains nothing, and four warps do.
static void test_gain(struct test *t)
{
    static const char straight[] = INDEX ADDRESS "    LDG R5, [R2]\n    STG [R2], R5\n    EXIT\n";
    struct trial x = {.gpu = "gtx480", .settings = GTX, .tech = "decoupled", .code = straight};
    for (unsigned warps = 1; warps <= 4; warps += 3) {
        struct outcome o;
        x.block[0] = 32 * warps;
        x.block[1] = x.block[2] = 1;
        play(t, &x, &o);
        CHECK_EQ(t, o.n[COUNT_removed], warps == 1 ? 0 : 4 * 3);
    }
    // Sixteen instructions of the kernel fill the line of 128 bytes, and thirteen of the lanes with six of the stream do not fit.
    // One more, and the kernel does not fit either. Code behind the last exit is not counted.
    static const struct {
        const char *tech, *settings, *code;
        bool splits;
    } rows[] = {
        {"decoupled", "icache.sets=1 icache.ways=1", straight, true},
        {"decoupled", "icache.sets=1 icache.ways=1", ADDS(""), false},
        {"decoupled", "icache.sets=1 icache.ways=1", ADDS(ADD), true},
        {"decoupled", "icache.sets=1 icache.ways=2", ADDS(""), true},
        {"decoupled", "icache.sets=1 icache.ways=1 " GTX, ADDS(""), true},
        {"decoupled:code=any", "icache.sets=1 icache.ways=1", ADDS(""), true},
        {"decoupled", "icache.sets=1 icache.ways=1",
         INDEX ADDRESS "    LDG R5, [R2]\n    ISETP.GE.AND P0, PT, R5, RZ, PT\n    @!P0 BRA .slow\n.back:\n"
                       "    STG [R2], R5\n    EXIT\n.slow:\n" TEN "    BRA .back\n",
         true},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct outcome o;
        x.tech = rows[k].tech;
        x.settings = rows[k].settings;
        x.code = rows[k].code;
        play(t, &x, &o);
        CHECK_MSG(t, !o.n[COUNT_removed] == !rows[k].splits, "row %zu: %u", k, (unsigned)o.n[COUNT_removed]);
    }
}

// With plain loads bypassing L1, decoupled loads find their requested lines in L1; other loads find nothing.
static void test_no_cache(struct test *t)
{
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX " l1.global=0",
                      .tech = "decoupled:gain=off",
                      .code = CHAIN,
                      .block = {64, 1, 1}};
    struct outcome o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_data], 64);
    CHECK_EQ(t, o.n[COUNT_asked], 64);
    CHECK_EQ(t, o.n[COUNT_locked], 64);
    x.tech = "decoupled:gain=off,early=off";
    struct outcome late = same(t, x);
    CHECK_EQ(t, late.n[COUNT_asked], 0);
    CHECK(t, o.cycles * 2 < late.cycles); // as with an L1 for all loads
}

// -- predicates ---------------------------------------------------------------------------------------------

// A block of 64: tid < 32 is decided by the end lanes of both warps, tid < 40 by the end lanes of the first.
// For tid == 5 end lanes decide nothing (D52: the end lanes differ from 5, and thread 5 does not).
static void test_predicates(struct test *t)
{
#define COMPARE(how, limit)                                                                                  \
    INDEX ADDRESS "    MOV R5, RZ\n    ISETP." how ".AND P0, PT, R0, " limit ", PT\n"                        \
                  "    @P0 BRA in, join out\n    BRA out\nin:\n    LDG R5, [R2+0x800]\nout:\n"               \
                  "    STG [R2], R5\n    EXIT\n"
    static const struct {
        const char *code;
        unsigned block, ends, lanes;
    } rows[] = {
        {COMPARE("LT", "0x20"), 0, 2, 0},
        {COMPARE("LT", "0x28"), 0, 1, 1},
        {COMPARE("EQ", "0x5"), 0, 1, 1},
        {COMPARE("LT.U32", "c[0x0][0x168]"), 0, 2, 0},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct trial x = {.gpu = "gtx480",
                          .settings = GTX,
                          .tech = "decoupled:gain=off",
                          .code = rows[k].code,
                          .block = {64, 1, 1},
                          .param = 64};
        struct outcome o = same(t, x);
        CHECK_EQ(t, o.n[COUNT_preds_block], rows[k].block);
        CHECK_EQ(t, o.n[COUNT_preds_ends], rows[k].ends);
        CHECK_EQ(t, o.n[COUNT_preds_lanes], rows[k].lanes);
    }
}

// -- holes of the text, taken literally ---------------------------------------------------------------------

// Programs that meet a hole of the text (its number first); each leaves
// the same memory as without the mechanism.
static const struct {
    const char *hole, *code;
    uint32_t block[3], grid;
} holes[] = {
    {"D40: a load has more lines in a set than can be kept",
     INDEX "    MOV R1, 0x400\n" ADDRESS "    LDG R5, [R2]\n    LDG R6, [R2+0x80]\n    IADD3 R5, R5, R6, RZ\n"
           "    MOV R1, 0x4\n" ADDRESS "    STG [R2], R5\n    EXIT\n",
     {32, 1, 1},
     1},
    {"D46: a thread loads what it has just stored",
     INDEX ADDRESS
     "    IADD3 R5, R0, 0x64, RZ\n    STG [R2], R5\n    LDG R6, [R2]\n    STG [R2+0x400], R6\n    EXIT\n",
     {64, 1, 1},
     1},
    {"D47: warps exchange words over a barrier",
     INDEX ADDRESS
     "    IADD3 R5, R0, 0x64, RZ\n    STG [R2], R5\n    BAR.SYNC 0x0\n    LOP3.LUT R7, R0, 0x20, RZ, 0x3c\n"
     "    IMAD.WIDE R8, R7, R1, c[0x0][0x160]\n    LDG R6, [R8]\n    STG [R2+0x400], R6\n    EXIT\n",
     {64, 1, 1},
     1},
    {"D50: an atomic changes a line that is kept",
     INDEX ADDRESS
     "    LDG R4, [R2]\n    MOV R5, 0x64\n    RED.E.ADD.U32.STRONG.GPU [R2], R5\n    MEMBAR.SC.GPU\n"
     "    LDG R6, [R2]\n    STG [R2+0x400], R6\n    EXIT\n",
     {64, 1, 1},
     1},
    {"D51: a comparison wraps between the ends of a warp",
     INDEX ADDRESS
     "    MOV R4, 0x7ffffff0\n    IADD3 R5, R4, R0, RZ\n    ISETP.LT.AND P0, PT, R5, 0x7ffffff8, PT\n"
     "    MOV R6, RZ\n    @P0 BRA in, join out\n    BRA out\nin:\n    LDG R6, [R2]\nout:\n    STG "
     "[R2+0x400], R6\n"
     "    EXIT\n",
     {32, 1, 1},
     1},
    {"D53: rows in a warp",
     "    S2R R0, SR_TID.X\n    S2R R4, SR_TID.Y\n    MOV R1, 0x4\n    IMAD R0, R4, 0x14, R0\n" ADDRESS
     "    LDG R6, [R2]\n    STG [R2+0x400], R6\n    EXIT\n",
     {16, 4, 1},
     1},
    {"D54: an index wraps before it is widened",
     INDEX "    MOV R4, 0xfffffff0\n    IADD3 R0, R4, R0, RZ\n    IADD3 R0, R0, 0x10, RZ\n    IMAD.WIDE.U32 "
           "R2, R0, R1, c[0x0][0x160]\n"
           "    LDG R6, [R2]\n    STG [R2+0x400], R6\n    EXIT\n",
     {32, 1, 1},
     1},
    {"D55: descending words, pairs, one word for all",
     INDEX "    MOV R1, -0x4\n" ADDRESS "    LDG R5, [R2+0x200]\n    MOV R1, 0x8\n" ADDRESS
           "    LDG.64 R6, [R2]\n"
           "    MOV R1, RZ\n" ADDRESS
           "    LDG R8, [R2]\n    IADD3 R5, R5, R6, R7\n    IADD3 R5, R5, R8, RZ\n    MOV R1, 0x4\n" ADDRESS
           "    STG [R2+0x400], R5\n    EXIT\n",
     {32, 1, 1},
     1},
    {"D37: warps end before they come for what is theirs",
     INDEX ADDRESS
     "    LDG R4, [R2]\n    ISETP.GT.AND P0, PT, R4, 0x1f, PT\n    @P0 EXIT\n    LDG R5, [R2+0x80]\n"
     "    STG [R2+0x400], R5\n    EXIT\n",
     {128, 1, 1},
     1},
    {"D56: blocks wait for each other's words",
     "    S2R R0, SR_CTAID.X\n    MOV R1, 0x100\n" ADDRESS "    MOV R5, 0x1234\n"
     "    ISETP.NE.AND P0, PT, R0, RZ, PT\n    @P0 BRA wait, join out\n    STG.STRONG.GPU [R2+0x100], R5\n   "
     " BRA out\n"
     "wait:\n    LDG.STRONG.GPU R6, [R2]\n    ISETP.NE.AND P1, PT, R6, R5, PT\n    @P1 BRA wait, join "
     "done\ndone:\n"
     "    STG.STRONG.GPU [R2+0x100], R5\nout:\n    EXIT\n",
     {32, 1, 1},
     4},
};

static void test_holes(struct test *t)
{
    static const char *const options[] = {
        "decoupled:gain=off", "decoupled:gain=off,pwaq=1,pwpq=1,atq=1,told=1",
        "decoupled:gain=off,batch=wait,priority=last", "decoupled:gain=off,feedback=off",
        "decoupled:gain=off,pieces=8,priority=first"};
    for (size_t k = 0; k < TEST_COUNT(holes); k++) {
        printf("  %s\n", holes[k].hole);
        for (size_t o = 0; o < TEST_COUNT(options); o++) {
            struct trial x = {.gpu = "gtx480",
                              .settings = GTX " l1.sets=4",
                              .tech = options[o],
                              .code = holes[k].code,
                              .grid = holes[k].grid};
            memcpy(x.block, holes[k].block, sizeof x.block);
            struct outcome with, without;
            play(t, &x, &with);
            x.tech = "base";
            play(t, &x, &without);
            CHECK_MSG(t, memcmp(with.words, without.words, sizeof with.words) == 0, "%s", options[o]);
        }
    }
}

// Data that arrives before the warp needs it, the text taken literally: a thread's load misses the thread's
// own store, since the previous load has brought the line.
static void test_data_ahead(struct test *t)
{
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX,
                      .code = INDEX ADDRESS
                      "    LDG R4, [R2]\n    IADD3 R5, R4, 0x64, RZ\n    STG [R2], R5\n    LDG R6, [R2]\n"
                      "    STG [R2+0x400], R6\n    EXIT\n",
                      .block = {64, 1, 1}};
    struct outcome without, with;
    x.tech = "base";
    play(t, &x, &without);
    x.tech = "decoupled:gain=off";
    play(t, &x, &with);
    CHECK(t, memcmp(with.words, without.words, sizeof with.words) == 0);
    x.tech = "decoupled:gain=off,loads=early";
    play(t, &x, &with);
    for (unsigned k = 0; k < 64; k++) {
        CHECK_EQ(t, with.words[k], without.words[k]);                    // stored values are right
        CHECK_EQ(t, with.words[256 + k], without.words[256 + k] - 0x64); // loaded values are stale
    }
}

// Behaviour on a full set and on early ends, by the counters.
static void test_kept_lines(struct test *t)
{
    struct trial x = {.gpu = "gtx480",
                      .settings = GTX " l1.sets=4 l1.ways=2",
                      .tech = "decoupled:gain=off",
                      .code = holes[0].code,
                      .block = {32, 1, 1}};
    struct outcome o = same(t, x);
    CHECK(t, o.n[COUNT_unlockable] > 0);
    CHECK(t, o.n[COUNT_locked] <= 4 * 2 * 2); // a way of every set stays free
    x.settings = GTX;
    x.code = holes[8].code;
    x.block[0] = 128;
    o = same(t, x);
    CHECK_EQ(t, o.n[COUNT_told], 1);    // three warps have ended before their turn
    CHECK_EQ(t, o.n[COUNT_dropped], 0); // told before the stream enqueued more
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"once", test_once},
        {"spilled", test_spilled},
        {"slots", test_slots},
        {"values_move", test_values_move},
        {"ahead", test_ahead},
        {"ideal", test_ideal},
        {"gain", test_gain},
        {"blocks", test_blocks},
        {"no_cache", test_no_cache},
        {"predicates", test_predicates},
        {"holes", test_holes},
        {"data_ahead", test_data_ahead},
        {"kept_lines", test_kept_lines},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
