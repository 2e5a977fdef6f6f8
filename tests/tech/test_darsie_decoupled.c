// DARSIE and decoupled streams together, counted by hand. Decoupling yields shared values to DARSIE; warps
// do not execute what only addresses need; neither mechanism sees register values of the other. Unchanged
// results in any program: tests/tech/test_kernels.c and tests/differential.
#include "harness/scene.h"

#include <string.h>

enum { WORDS = 2048 };

struct outcome {
    struct scene scene; // after the run
    uint32_t words[WORDS];
};

struct trial {
    const char *tech, *code;
    uint32_t block[3];
    enum launch_simt simt;
};

#define INDEX "    S2R R0, SR_TID.X\n    S2R R1, SR_TID.Y\n"
// the thread's number, in rows of 32
#define THREAD  "    MOV R2, 0x20\n    IMAD R3, R1, R2, R0\n    MOV R4, 0x4\n"
#define ADDRESS "    IMAD.WIDE R6, R3, R4, c[0x0][0x160]\n"

// Launches the program as transformed by the mechanisms. Out: the first words
// of the buffer, where word k is k at first.
static void play(struct test *t, const struct trial *x, struct outcome *out)
{
    const struct scene_plan plan = {.gpu = "gtx480",
                                    .settings = "icache.perfect=1 sim.check=1",
                                    .tech = x->tech,
                                    .text = x->code,
                                    .block = {x->block[0], x->block[1], x->block[2]},
                                    .bytes = 1 << 16,
                                    .verify = true};
    struct scene *s = &out->scene;
    memset(out->words, 0, sizeof out->words);
    if (!scene_begin(s, t, &plan)) return;
    s->bench.m.launch.simt = x->simt;
    scene_transform(s);
    uint32_t *words = machine_words(&s->bench.m, s->buffer);
    for (uint32_t k = 0; k < 1 << 14; k++) words[k] = k;
    scene_run(s);
    memcpy(out->words, words, sizeof out->words);
}

static void forget(struct outcome *o) { scene_end(&o->scene); }

// Memory equals the run without mechanisms, and every warp instruction is issued, skipped or removed.
static void same(struct test *t, struct trial x, struct outcome *with)
{
    struct outcome without;
    play(t, &x, with);
    x.tech = "base";
    play(t, &x, &without);
    CHECK(t, memcmp(with->words, without.words, sizeof with->words) == 0);
    const struct gpu_counts *n = &with->scene.bench.result.gpu;
    uint64_t skipped = scene_counter_if_used(&with->scene, "darsie.skipped"),
             removed = scene_counter(&with->scene, "decoupled.removed");
    CHECK_EQ(t, n->issue_issued - n->guest_issued + skipped + removed,
             without.scene.bench.result.gpu.issue_issued);
    CHECK_EQ(t, with->scene.bench.result.mismatches, 0);
    forget(&without);
}

// -- division of instructions -------------------------------------------------------------------------------

// Four warps load the same word. Decoupled, every warp takes its address from a queue; with DARSIE a
// leader loads the word and the other warps share its register. In a block of a single warp nothing
// can be skipped, and the load is decoupled.
static void test_marked_load(struct test *t)
{
    static const char code[] = INDEX THREAD "    MOV R8, c[0x0][0x160]\n    MOV R9, c[0x0][0x164]\n"
                                            "    LDG R5, [R8+0x40]\n" ADDRESS
                                            "    IADD3 R5, R5, R3, RZ\n    STG [R6], R5\n    EXIT\n";
    static const struct {
        const char *tech;
        uint32_t rows, loads, skipped_loads, addresses;
    } rows[] = {{"decoupled:gain=off", 4, 4, 0, 4},
                {"darsie+decoupled:gain=off", 4, 0, 3, 4},
                {"darsie+decoupled:gain=off", 1, 1, 0, 1}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct trial x = {.tech = rows[k].tech, .code = code, .block = {32, rows[k].rows, 1}};
        struct outcome o;
        same(t, x, &o);
        CHECK_EQ(t, scene_counter(&o.scene, "decoupled.data"), rows[k].loads);
        CHECK_EQ(t, scene_counter_if_used(&o.scene, "darsie.skipped_loads"), rows[k].skipped_loads);
        CHECK_EQ(t, scene_counter(&o.scene, "decoupled.addresses"), rows[k].addresses);
        CHECK_EQ(t, scene_counter(&o.scene, "decoupled.astray"), 0);
        for (uint32_t n = 0; n < 32 * rows[k].rows; n++) CHECK_EQ(t, o.words[n], 16 + n);
        forget(&o);
    }
}

// A uniform comparison comes from the queue, unless DARSIE shares predicates.
static void test_marked_predicate(struct test *t)
{
    static const char code[] =
        INDEX THREAD "    MOV R5, 0x1\n    ISETP.NE.AND P0, PT, RZ, c[0x0][0x160], PT\n"
                     "    @P0 BRA on, join out\n    BRA out\n"
                     "on:\n    IADD3 R5, R3, 0x2, RZ\nout:\n" ADDRESS "    STG [R6], R5\n    EXIT\n";
    static const struct {
        const char *tech;
        uint64_t predicates;
    } rows[] = {{"darsie+decoupled:gain=off", 4}, {"darsie:predicates=on+decoupled:gain=off", 0}};
    uint64_t skipped[TEST_COUNT(rows)];
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct trial x = {.tech = rows[k].tech, .code = code, .block = {32, 4, 1}};
        struct outcome o;
        same(t, x, &o);
        CHECK_EQ(t, scene_counter(&o.scene, "decoupled.preds_block"), rows[k].predicates);
        skipped[k] = scene_counter(&o.scene, "darsie.skipped");
        for (uint32_t n = 0; n < 128; n++) CHECK_EQ(t, o.words[n], n + 2);
        forget(&o);
    }
    CHECK_EQ(t, skipped[1], skipped[0] + 3);
}

// Four warps: three of four skip tid.x and the two products, which lanes use as data. The instructions
// between feed addresses alone and are removed from every warp, marked (MOV R4) or not.
static void test_left_out_between(struct test *t)
{
    static const char code[] = "    S2R R0, SR_TID.X\n"     // led
                               "    S2R R1, SR_TID.Y\n"     // left out
                               "    MOV R2, 0x20\n"         // left out
                               "    IMAD R8, R0, R0, R0\n"  // led
                               "    IMAD R3, R1, R2, R0\n"  // left out
                               "    MOV R4, 0x4\n"          // left out
                               "    IMAD R9, R8, R0, R8\n"  // led
        ADDRESS                                             // left out
                               "    IADD3 R5, R9, R8, RZ\n" // led
                               "    STG [R6], R5\n    EXIT\n";
    static const char *const techs[] = {
        "darsie+decoupled:gain=off", "darsie:entries=1+decoupled:gain=off,pwaq=1,atq=1",
        "darsie:registers=1+decoupled:gain=off", "darsie:early=on,evict=on+decoupled:gain=off"};
    for (size_t k = 0; k < TEST_COUNT(techs); k++) {
        struct trial x = {.tech = techs[k], .code = code, .block = {32, 4, 1}};
        struct outcome o;
        same(t, x, &o);
        CHECK_EQ(t, scene_counter(&o.scene, "decoupled.removed"), 4 * 5);
        if (k == 0) CHECK_EQ(t, scene_counter(&o.scene, "darsie.leaders"), 4);
        if (k == 0) CHECK_EQ(t, scene_counter(&o.scene, "darsie.skipped"), 3 * 4);
        for (uint32_t n = 0; n < 128; n++) {
            uint32_t x0 = n % 32, square = x0 * x0 + x0;
            CHECK_EQ(t, o.words[n], square * x0 + square + square);
        }
        forget(&o);
    }
}

// Part of an address is also lane data: that part is led and shared, and the address reads it from the
// shared register. The rest is removed.
static void test_partly_shared(struct test *t)
{
    static const char code[] =
        INDEX "    IMAD R8, R0, R0, R0\n" // tid.x, shared by its readers below
              "    IADD3 R9, R0, 0x7, RZ\n" THREAD "    IADD3 R3, R3, 0x3, RZ\n" ADDRESS
              "    LDG R5, [R6]\n    IADD3 R5, R5, R9, R8\n    IADD3 R5, R5, R0, RZ\n"
              "    STG [R6+0x1000], R5\n    EXIT\n";
    struct trial x = {.tech = "darsie+decoupled:gain=off", .code = code, .block = {32, 4, 1}};
    struct outcome o;
    same(t, x, &o);
    CHECK_EQ(t, scene_counter(&o.scene, "darsie.skipped"), 3 * 3);              // tid.x, R8 and R9
    CHECK_EQ(t, scene_counter(&o.scene, "decoupled.removed"), 4 * (1 + 3 + 2)); // tid.y, THREAD, + 3, ADDRESS
    CHECK_EQ(t, scene_counter(&o.scene, "decoupled.data"), 4);
    forget(&o);
}

// -- lanes --------------------------------------------------------------------------------------------------

// Lanes diverge on conditions known to the streams and on conditions known to lanes alone, around
// instructions of every kind. The last warp lacks threads. Both modes of divergence.
static void test_parted(struct test *t)
{
    static const char code[] =
        INDEX THREAD ADDRESS "    IADD3 R8, R0, 0x9, RZ\n    LDG R5, [R6]\n"
                             "    ISETP.LT.AND P0, PT, R0, 0x11, PT\n    @P0 BRA low, join out\n"
                             "    IADD3 R9, R8, 0x1, RZ\n    IADD3 R10, R3, 0x40, RZ\n"
                             "    IMAD.WIDE R6, R10, R4, c[0x0][0x160]\n    LDG R5, [R6]\n    BRA out\n"
                             "low:\n    IADD3 R9, R8, 0x2, RZ\n    LOP3.LUT R11, R5, 0x1, RZ, 0xc0\n"
                             "    ISETP.NE.AND P1, PT, R11, RZ, PT\n    @P1 BRA odd, join out\n"
                             "    IADD3 R5, R5, R9, RZ\n    BRA out\n"
                             "odd:\n    LDG R12, [R6+0x400]\n    IADD3 R5, R12, R9, RZ\nout:\n"
                             "    IADD3 R13, R8, 0x5, RZ\n    IADD3 R5, R5, R13, RZ\n"
                             "    IMAD.WIDE R6, R3, R4, c[0x0][0x160]\n    STG [R6+0x1000], R5\n    EXIT\n";
    static const struct {
        uint32_t block[3];
        enum launch_simt simt;
    } shapes[] = {{{32, 4, 1}, SIMT_STACK},
                  {{32, 4, 1}, SIMT_SPLITS},
                  {{16, 7, 1}, SIMT_STACK}, // three warps of 32, one of 16
                  {{16, 7, 1}, SIMT_SPLITS}};
    static const char *const techs[] = {
        "darsie:watchdog=0+decoupled:gain=off", "darsie:watchdog=0,diverged=on+decoupled:gain=off",
        "darsie:watchdog=0,branch-sync=first,partial=on+decoupled:gain=off,told=1,pwpq=1",
        "darsie:watchdog=0,predicates=on+decoupled:gain=off,feedback=off"};
    for (size_t k = 0; k < TEST_COUNT(shapes); k++)
        for (size_t n = 0; n < TEST_COUNT(techs); n++) {
            struct trial x = {.tech = techs[n], .code = code, .simt = shapes[k].simt};
            struct outcome o;
            memcpy(x.block, shapes[k].block, sizeof x.block);
            same(t, x, &o);
            CHECK(t, scene_counter(&o.scene, "darsie.skipped") > 0);
            CHECK(t, scene_counter(&o.scene, "decoupled.removed") > 0);
            forget(&o);
        }
}

// -- registers ----------------------------------------------------------------------------------------------

// R6 and R7 are an address computed by a leader for the block, and lane data, too. Both stay shared; a value
// from a queue goes to the warp's own register.
static const char shared_address[] =
    INDEX THREAD "    MOV R6, c[0x0][0x160]\n    MOV R7, c[0x0][0x164]\n    MOV R8, 0x63\n"
                 "    STG [R6+0x1ffc], R8\n" // every thread stores the same word
                 "    IADD3 R9, R6, -c[0x0][0x160], RZ\n    IADD3 R9, R9, R3, RZ\n"
                 "    IMAD.WIDE R10, R3, R4, c[0x0][0x160]\n    STG [R10], R9\n    EXIT\n";

static void test_shared_address(struct test *t)
{
    struct trial x = {.tech = "darsie+decoupled:gain=off", .code = shared_address, .block = {32, 4, 1}};
    struct outcome o;
    same(t, x, &o);
    CHECK_EQ(t, scene_counter(&o.scene, "decoupled.addresses"), 8);
    CHECK(t, scene_counter(&o.scene, "darsie.skipped") >= 3 * 3); // MOV R6, MOV R8, and R6 less its own value
    for (uint32_t n = 0; n < 128; n++) CHECK_EQ(t, o.words[n], n);
    CHECK_EQ(t, o.words[WORDS - 1], 0x63);
    forget(&o);
}

// A bit flipped in the first of these addresses: one lane of a warp stores elsewhere, and no instruction
// computes with the address. Verification finds the mismatch.
static void test_turned_address(struct test *t)
{
    struct trial x = {
        .tech = "darsie+decoupled:gain=off,corrupt=1", .code = shared_address, .block = {32, 4, 1}};
    struct outcome o;
    play(t, &x, &o);
    CHECK(t, o.scene.bench.result.mismatches > 0);
    CHECK_EQ(t, o.words[WORDS - 1], 0x63);
    for (uint32_t n = 0; n < 128; n++) CHECK_EQ(t, o.words[n], n);
    forget(&o);
}

// -- refused combinations -----------------------------------------------------------------------------------

static void test_refused(struct test *t)
{
    static const struct {
        const char *names, *says;
    } rows[] = {{"dac+decoupled:gain=off", "both claim affine;"},
                {"cae+decoupled:gain=off", "both claim affine;"},
                {"scalarise+decoupled:gain=off", "both claim L1 lines;"},
                {"darsie+dac", "both claim register storage, I-buffer;"},
                {"darsie+decoupled:gain=off", NULL},
                {"darsie+uv+decoupled:gain=off", NULL}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct tech_choice choice;
        struct strbuf text = {0};
        struct diag d;
        diag_init(&d);
        tech_choice_init(&choice);
        CHECK_EQ(t, tech_choose(&choice, rows[k].names, &d), !rows[k].says);
        diag_format(&d, false, &text);
        if (rows[k].says) CHECK_HAS(t, strbuf_text(&text), rows[k].says);
        strbuf_fini(&text);
        diag_fini(&d);
        tech_choice_fini(&choice);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"marked_load", test_marked_load},
        {"marked_predicate", test_marked_predicate},
        {"left_out_between", test_left_out_between},
        {"partly_shared", test_partly_shared},
        {"parted", test_parted},
        {"shared_address", test_shared_address},
        {"turned_address", test_turned_address},
        {"refused", test_refused},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
