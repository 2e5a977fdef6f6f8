// Marks at launch: the two mark bits in the program, promotion by the driver and by the hardware, classes
// of warps, marks at grid scope, and the patterns of marked instructions. Fails when a mark, class or
// pattern differs from its row, or marks change a result.
#include "chip/bench.h"
#include "isa/asm.h"
#include "isa/inst.h"
#include "mark/mark.h"

#include <string.h>

// Words of threadIdx.x and threadIdx.y, and a loop with a barrier.
static const char kernel[] =
    "S2R R0, SR_TID.X\n S2R R1, SR_TID.Y\n S2R R8, SR_CTAID.X\n"
    "SHL R2, R0, 0x2\n IADD3 R3, R2, 0x40, RZ\n IADD3 R4, R1, R8, RZ\n"
    "MOV R5, RZ\n top:\n IADD3 R4, R4, R3, RZ\n IADD3 R5, R5, 0x1, RZ\n BAR.SYNC 0x0\n"
    "ISETP.LT.AND P0, PT, R5, 0x5, PT\n @P0 BRA top, join out\n out:\n"
    "MOV R6, c[0x0][0x160]\n MOV R7, c[0x0][0x164]\n IMAD R10, R1, 0x20, R0\n"
    "IMAD.WIDE R6, R10, 0x4, R6\n STG [R6], R4\n EXIT\n";

static struct program *program_of(struct test *t, const char *code)
{
    struct strbuf text = {0};
    strbuf_printf(&text, ".params 16\n%s", code);
    struct program *p = asm_program(t, strbuf_text(&text));
    strbuf_fini(&text);
    return p;
}

static struct mark_rules rules_with(bool tid_y)
{
    struct mark_rules r;
    mark_rules_default(&r);
    r.tid_y = tid_y;
    return r;
}

static void test_both_ways_of_promotion(struct test *t)
{
    static const uint32_t shapes[][3] = {{32, 4, 1}, {16, 2, 1}, {64, 2, 1}, {8, 8, 4}, {256, 1, 1}};
    for (unsigned tid_y = 0; tid_y < 2; tid_y++) {
        struct program *p = program_of(t, kernel);
        if (!p) return;
        struct mark_rules r = rules_with(tid_y);
        struct marks *m = marks_compute(p, &r);
        for (size_t s = 0; s < TEST_COUNT(shapes); s++) {
            marks_encode(m, p);
            CHECK_EQ(t, p->mark_conditions, tid_y ? MARK_IF_TID_X | MARK_IF_TID_Y : MARK_IF_TID_X);
            bool promotes = mark_hardware_promotes(&r, p, shapes[s]);
            unsigned driver = 0, hardware = 0;
            for (uint32_t n = 0; n < p->inst_count; n++)
                hardware += mark_hardware_kind(p->insts[n].mark, promotes) == MARK_REDUNDANT;
            struct inst *encoded = heap_alloc(p->inst_count * sizeof *encoded);
            memcpy(encoded, p->insts, p->inst_count * sizeof *encoded);
            marks_finalise(m, shapes[s], p);
            for (uint32_t n = 0; n < p->inst_count; n++) {
                driver += p->insts[n].mark == MARK_REDUNDANT;
                CHECK(t, p->insts[n].mark != MARK_CONDITIONAL);
                // The comparison knows less than the driver and never promotes more.
                if (mark_hardware_kind(encoded[n].mark, promotes) == MARK_REDUNDANT)
                    CHECK_EQ(t, p->insts[n].mark, MARK_REDUNDANT);
            }
            free(encoded);
            // With one kind of condition driver and hardware agree; with two, only the driver tells the
            // conditions apart.
            if (!tid_y) CHECK_EQ(t, driver, hardware);
            if (tid_y && s == 0) CHECK(t, driver > hardware); // x divides the warp, x * y does not
        }
        marks_free(m);
        program_free(p);
    }
}

// Hardware without a mechanism ignores marks, and a program without marks counts as marked V throughout:
// both run, functionally and in time, to the same bytes and cycles.
static void test_marked_and_unmarked_run(struct test *t)
{
    uint32_t words[2][128];
    uint64_t cycles[2], executed[2];
    for (unsigned marked = 0; marked < 2; marked++) {
        struct gpu_bench b;
        if (!gpu_bench_init(&b, t, "tiny", "", kernel, 128)) return;
        b.m.launch.block[0] = 32, b.m.launch.block[1] = 4;
        uint64_t out = machine_buffer(&b.m, 128 * 4);
        struct mark_rules r = rules_with(false);
        struct marks *m = marks_compute(b.m.program, &r);
        if (marked) marks_encode(m, b.m.program);
        unsigned set = 0;
        for (uint32_t n = 0; n < b.m.program->inst_count; n++) set += b.m.program->insts[n].mark != 0;
        CHECK_EQ(t, set > 0, marked);
        marks_free(m);
        machine_must_run(&b.m);
        executed[marked] = b.m.counts.warp_instructions;
        memcpy(words[marked], machine_words(&b.m, out), sizeof words[marked]);
        memset(machine_words(&b.m, out), 0, sizeof words[marked]);
        cycles[marked] = gpu_cycles(&b);
        CHECK(t, !memcmp(words[marked], machine_words(&b.m, out), sizeof words[marked]));
        gpu_bench_fini(&b);
    }
    CHECK(t, !memcmp(words[0], words[1], sizeof words[0]));
    CHECK_EQ(t, cycles[0], cycles[1]);
    CHECK_EQ(t, executed[0], executed[1]);
}

static const struct mark *mark_of(const struct marks *m, unsigned reg)
{
    for (uint32_t k = m->program->inst_count; k-- > 0;)
        if (m->program->insts[k].dst[0].kind == OPERAND_REG && m->program->insts[k].dst[0].reg == reg)
            return &m->marks[k];
    return NULL;
}

static void test_warp_classes(struct test *t)
{
    static const struct {
        const char *code;
        uint32_t block[3], classes;
    } rows[] = {
        {"S2R R9, SR_TID.X\n EXIT\n", {32, 4, 1}, 1},
        {"S2R R9, SR_TID.X\n EXIT\n", {64, 4, 1}, 2},
        {"S2R R9, SR_TID.X\n EXIT\n", {128, 8, 1}, 4},
        {"S2R R9, SR_TID.X\n EXIT\n", {256, 1, 1}, 0},
        {"S2R R9, SR_TID.X\n EXIT\n", {24, 8, 1}, 3}, // 96 threads are four rows and three warps
        {"S2R R9, SR_TID.X\n EXIT\n", {24, 4, 1}, 0}, // no two warps of a class
        {"S2R R9, SR_TID.Y\n EXIT\n", {8, 8, 4}, 2},
        {"S2R R9, SR_TID.Y\n EXIT\n", {64, 1, 2}, 1},
        {"S2R R0, SR_TID.X\n S2R R1, SR_TID.Y\n IADD3 R9, R0, R1, RZ\n EXIT\n", {16, 6, 4}, 3},
        {"S2R R0, SR_TID.X\n S2R R1, SR_TID.Y\n IADD3 R9, R0, R1, RZ\n EXIT\n", {16, 6, 1}, 0},
        {"S2R R0, SR_CLOCKLO\n IADD3 R9, R0, RZ, RZ\n EXIT\n", {64, 4, 1}, 0},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct program *p = program_of(t, rows[k].code);
        struct mark_rules r = rules_with(true);
        r.warp_classes = true;
        struct marks *m = marks_compute(p, &r);
        uint32_t got = mark_warp_classes(&r, mark_of(m, 9), rows[k].block);
        CHECK_MSG(t, got == rows[k].classes, "row %zu: %u classes", k, got);
        r.warp_classes = false;
        CHECK_EQ(t, mark_warp_classes(&r, mark_of(m, 9), rows[k].block), rows[k].classes == 1);
        marks_free(m);
        program_free(p);
    }
}

static void test_grid(struct test *t)
{
    static const struct {
        const char *code;
        bool grid;
    } rows[] = {
        {"MOV R9, c[0x0][0x160]\n EXIT\n", true},
        {"S2R R9, SR_TID.X\n EXIT\n", true},
        {"S2R R9, SR_NCTAID.X\n EXIT\n", true},
        {"S2R R9, SR_CTAID.X\n EXIT\n", false},
        {"S2R R9, SR_SMID\n EXIT\n", false},
        {".shared 16\n LDS R9, [RZ]\n EXIT\n", false},
        {"MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LDG R9, [R2]\n EXIT\n", true},
        {"MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MEMBAR.SC.GPU\n LDG R9, [R2]\n EXIT\n", false},
        {"MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MEMBAR.SC.GPU\n LDG.CONSTANT R9, [R2]\n EXIT\n",
         true},
        // One side of a branch taken by block, and a barrier behind the join.
        {"S2R R1, SR_CTAID.X\n ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n"
         "MOV R0, 0x1\n out:\n BAR.SYNC 0x0\n IADD3 R9, R0, 0x5, RZ\n EXIT\n",
         false},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct program *p = program_of(t, rows[k].code);
        struct mark_rules r = rules_with(false);
        struct marks *m = marks_compute(p, &r);
        CHECK(t, !mark_of(m, 9)->grid);
        CHECK(t, mark_of(m, 9)->kind != MARK_VECTOR); // every row is redundant in the block
        marks_free(m);
        r.grid = true;
        m = marks_compute(p, &r);
        CHECK_MSG(t, mark_of(m, 9)->grid == rows[k].grid, "row %zu", k);
        marks_free(m);
        program_free(p);
    }
}

static void test_patterns(struct test *t)
{
    static const struct {
        const char *code, *want;
    } rows[] = {
        {"S2R R9, SR_TID.X\n", "affine threadIdx.x"},
        {"S2R R0, SR_TID.X\n SHL R1, R0, 0x2\n IADD3 R9, R1, 0x1000, RZ\n", "affine 0x1000+4*threadIdx.x"},
        {"S2R R0, SR_TID.X\n IMAD R9, R0, c[0x0][0x160], RZ\n", "affine ?*threadIdx.x"},
        {"S2R R0, SR_TID.X\n IADD3 R9, -R0, c[0x0][0x160], RZ\n", "affine ?+-1*threadIdx.x"},
        {"S2R R0, SR_TID.X\n S2R R1, SR_LANEID\n IADD3 R9, R0, R1, RZ\n", "unstructured"},
        {"S2R R0, SR_TID.X\n IMAD R9, R0, R0, RZ\n", "unstructured"},
        {"MOV R0, 0x7\n IMAD R9, R0, R0, 0x3\n", "uniform 0x34"},
        // The low word of the pair is the sum, the high word is not.
        {"S2R R0, SR_TID.X\n MOV R1, 0x4\n IMAD.WIDE R2, R0, R1, c[0x0][0x160]\n MOV R9, R2\n",
         "affine ?+4*threadIdx.x"},
        {"S2R R0, SR_TID.X\n MOV R1, 0x4\n IMAD.WIDE R2, R0, R1, c[0x0][0x160]\n MOV R9, R3\n",
         "unstructured"},
        // Diverged lanes keep the values of their sides, with or without a barrier.
        {"S2R R0, SR_TID.X\n ISETP.LT.AND P0, PT, R0, 0x5, PT\n MOV R1, RZ\n @P0 BRA out, join out\n MOV R1, "
         "0x1\n"
         "out:\n MOV R9, R1\n",
         "unstructured"},
        {"S2R R0, SR_TID.X\n ISETP.LT.AND P0, PT, R0, 0x5, PT\n MOV R1, RZ\n @P0 MOV R1, 0x1\n MOV R9, R1\n",
         "unstructured"},
        // Lanes leave a loop with different counts, although the count was uniform inside.
        {"S2R R0, SR_TID.X\n MOV R1, RZ\n top:\n IADD3 R1, R1, 0x1, RZ\n ISETP.LT.AND P0, PT, R1, R0, PT\n"
         "@P0 BRA top, join out\n out:\n MOV R9, R1\n",
         "unstructured"},
        {"S2R R0, SR_TID.X\n MOV R1, RZ\n top:\n IADD3 R9, R1, 0x1, RZ\n MOV R1, R9\n ISETP.LT.AND P0, PT, "
         "R9, R0, PT\n"
         "@P0 BRA top, join out\n out:\n MOV R8, RZ\n",
         "uniform"},
        // Zero or four times the index: affine with an unknown slope.
        {"S2R R0, SR_TID.X\n SHL R2, R0, 0x2\n MOV R1, RZ\n ISETP.NE.AND P0, PT, RZ, c[0x0][0x160], PT\n"
         "@P0 BRA out, join out\n MOV R1, R2\n out:\n MOV R9, R1\n",
         "affine ?*threadIdx.x"},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct strbuf code = {0}, text = {0};
        strbuf_printf(&code, "%s EXIT\n", rows[k].code);
        struct program *p = program_of(t, strbuf_text(&code));
        struct mark_rules r = rules_with(false);
        struct marks *m = marks_compute(p, &r);
        mark_print_pattern(&mark_of(m, 9)->pattern, &text);
        CHECK_MSG(t, !strcmp(strbuf_text(&text), rows[k].want), "row %zu: %s, not %s", k, strbuf_text(&text),
                  rows[k].want);
        strbuf_fini(&text);
        strbuf_fini(&code);
        marks_free(m);
        program_free(p);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"both_ways_of_promotion", test_both_ways_of_promotion},
                                             {"marked_and_unmarked_run", test_marked_and_unmarked_run},
                                             {"warp_classes", test_warp_classes},
                                             {"grid", test_grid},
                                             {"patterns", test_patterns}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
