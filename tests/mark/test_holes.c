// Every known soundness hole of redundancy marking, each with its counter-example: a small program, the
// instruction in question (the last one writing R9), the block's shape, and what the sound rules, the paper's
// literal rules, and the sound rules without the one rule at stake say of it.
#include "harness/test.h"
#include "isa/asm.h"
#include "mark/mark.h"

#include <stdlib.h>

enum { NOT_ASKED = -1 };
#define NO_RULE SOUND_COUNT

struct hole {
    const char *name;
    const char *code;
    uint32_t block[3];
    int sound;                // enum mark_kind after promotion
    int paper;                // likewise, NOT_ASKED where the paper says nothing
    enum mark_soundness rule; // without it the mark must be REDUNDANT
};

// R1 = threadIdx.y in all of them.
#define TY ".params 16\n .local 16\n S2R R1, SR_TID.Y\n"
#define BLOCK                                                                                                \
    {                                                                                                        \
        32, 4, 1                                                                                             \
    }

static const struct hole holes[] = {
    {"join of a divergent branch, then a barrier",
     TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n MOV R0, 0x1\n out:\n "
        "BAR.SYNC 0x0\n"
        "IADD3 R9, R0, 0x5, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_JOIN},
    {"join of a branch that divides warps, no barrier behind it",
     TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n MOV R0, 0x1\n out:\n "
        "IADD3 R9, R0, 0x5, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_JOIN},
    {"join of a branch that whole warps take, no barrier behind it",
     "S2R R1, SR_WARPID\n ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n MOV R0, "
     "0x1\n"
     "out:\n IADD3 R9, R0, 0x5, RZ\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"join of a uniform branch",
     TY "ISETP.NE.AND P0, PT, RZ, c[0x0][0x160], PT\n MOV R0, RZ\n @P0 BRA out, join out\n MOV R0, 0x1\n"
        "out:\n BAR.SYNC 0x0\n IADD3 R9, R0, 0x5, RZ\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"early exit of some threads is no join",
     TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, 0x1\n @P0 EXIT\n BAR.SYNC 0x0\n IADD3 R9, R0, 0x5, RZ\n "
        "EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"temporal divergence: trip count by warp",
     TY
     "MOV R0, RZ\n top:\n IADD3 R0, R0, 0x1, RZ\n ISETP.LT.AND P0, PT, R0, R1, PT\n @P0 BRA top, join out\n"
     "out:\n BAR.SYNC 0x0\n SHL R9, R0, 0x2\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_LOOP},
    {"constants merged at a loop's several exits",
     TY "MOV R2, RZ\n MOV R0, 0x3\n"
        "top:\n IADD3 R2, R2, 0x1, RZ\n ISETP.LT.AND P1, PT, R2, R1, PT\n @P1 BRA out, join out\n"
        "ISETP.LT.AND P0, PT, R2, 0x8, PT\n @P0 BRA top, join other\n other:\n MOV R0, 0x7\n"
        "out:\n BAR.SYNC 0x0\n IADD3 R9, R0, RZ, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_JOIN},
    {"a loop counter inside its loop is redundant",
     TY "MOV R0, RZ\n top:\n SHL R9, R0, 0x2\n IADD3 R0, R0, 0x1, RZ\n ISETP.LT.AND P0, PT, R0, R1, PT\n"
        "@P0 BRA top, join out\n out:\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"a barrier met in different iterations",
     TY "MOV R0, RZ\n top:\n ISETP.LT.AND P1, PT, R0, R1, PT\n @P1 BRA skip, join skip\n BAR.SYNC 0x0\n"
        "SHL R9, R0, 0x2\n skip:\n IADD3 R0, R0, 0x1, RZ\n ISETP.LT.AND P0, PT, R0, 0x8, PT\n @P0 BRA top, "
        "join out\n"
        "out:\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_BARRIER},
    {"a barrier met in every iteration keeps the counter redundant",
     TY "MOV R0, RZ\n top:\n ISETP.LT.AND P1, PT, R0, R1, PT\n @P1 BRA skip, join skip\n MOV R3, R1\n"
        "skip:\n BAR.SYNC 0x0\n SHL R9, R0, 0x2\n IADD3 R0, R0, 0x1, RZ\n ISETP.LT.AND P0, PT, R0, 0x8, PT\n"
        "@P0 BRA top, join out\n out:\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"barriers on both sides of a branch, at different places",
     TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n @P0 BRA other, join out\n MOV R0, 0x1\n BAR.SYNC 0x0\n BRA out, "
        "join out\n"
        "other:\n MOV R0, 0x2\n BAR.SYNC 0x0\n out:\n BAR.SYNC 0x0\n IADD3 R9, R0, RZ, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_JOIN},
    {"a barrier between a loop's end and a use that no barrier follows",
     TY "MOV R0, RZ\n ISETP.NE.AND P1, PT, RZ, c[0x0][0x160], PT\n"
        "top:\n IADD3 R0, R0, 0x1, RZ\n ISETP.LT.AND P0, PT, R0, R1, PT\n @P0 BRA top, join out\n"
        "out:\n BAR.SYNC 0x0\n @P1 BRA end, join end\n SHL R9, R0, 0x2\n end:\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_LOOP},
    {"a loop with two entries: temporal divergence without a header",
     TY "MOV R0, RZ\n ISETP.NE.AND P1, PT, RZ, c[0x0][0x160], PT\n @P1 BRA middle, join out\n"
        "top:\n IADD3 R0, R0, 0x1, RZ\n"
        "middle:\n IADD3 R0, R0, 0x2, RZ\n ISETP.LT.AND P0, PT, R0, R1, PT\n @P0 BRA top, join out\n"
        "out:\n BAR.SYNC 0x0\n SHL R9, R0, 0x2\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_LOOP},
    {"a load between barriers that warps meet in another order",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n ISETP.NE.AND P0, PT, R1, RZ, PT\n"
        "@P0 BRA load, join load\n BAR.SYNC 0x0\n load:\n LDG R4, [R2]\n @!P0 BRA out, join out\n"
        "BAR.SYNC 0x0\n out:\n BAR.SYNC 0x0\n IADD3 R9, R4, 0x1, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_EPOCH},
    {"a load behind a fence that some warps pass",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n ISETP.NE.AND P0, PT, R1, RZ, PT\n"
        "@P0 BRA load, join load\n MEMBAR.SC.GPU\n load:\n LDG R4, [R2]\n"
        "BAR.SYNC 0x0\n IADD3 R9, R4, 0x1, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_EPOCH},
    {"a load behind a guarded fence",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n ISETP.NE.AND P0, PT, R1, RZ, PT\n"
        "@P0 MEMBAR.SC.GPU\n LDG R4, [R2]\n BAR.SYNC 0x0\n IADD3 R9, R4, 0x1, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_EPOCH},
    {"a guarded barrier in a loop",
     TY "MOV R0, RZ\n top:\n ISETP.LT.AND P1, PT, R0, R1, PT\n @P1 BAR.SYNC 0x0\n SHL R9, R0, 0x2\n"
        "IADD3 R0, R0, 0x1, RZ\n ISETP.LT.AND P0, PT, R0, 0x8, PT\n @P0 BRA top, join out\n out:\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_BARRIER},
    {"a read-only load behind a fence that some warps pass",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n ISETP.NE.AND P0, PT, R1, RZ, PT\n"
        "@P0 BRA load, join load\n MEMBAR.SC.GPU\n load:\n LDG.CONSTANT R4, [R2]\n"
        "BAR.SYNC 0x0\n IADD3 R9, R4, 0x1, RZ\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"a load behind a fence that some warps pass, and behind a barrier that all do",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n ISETP.NE.AND P0, PT, R1, RZ, PT\n"
        "@P0 BRA load, join load\n MEMBAR.SC.GPU\n load:\n BAR.SYNC 0x0\n BRA next, join next\n next:\n LDG "
        "R4, [R2]\n"
        "BAR.SYNC 0x0\n IADD3 R9, R4, 0x1, RZ\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"a counted barrier that pairs with a loop's whole one",
     TY "MOV R0, RZ\n ISETP.NE.AND P0, PT, R1, RZ, PT\n @P0 BRA next, join next\n BAR.SYNC 0x0, 0x80\n "
        "next:\n MOV R6, RZ\n"
        "top:\n IADD3 R0, R0, 0x1, RZ\n BAR.SYNC 0x0\n SHL R9, R0, 0x2\n ISETP.LT.AND P1, PT, R0, 0x8, PT\n"
        "@P1 BRA top, join out\n out:\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_BARRIER},
    {"a function's parameter is what each call hands over",
     TY "MOV R8, R1\n CALL R20, fn\n EXIT\n .function fn\n fn:\n IADD3 R9, R8, 0x1, RZ\n RET R20\n", BLOCK,
     MARK_VECTOR, NOT_ASKED, SOUND_CALL},
    {"a call on one side of a branch leaves its registers to the join",
     TY "ISETP.NE.AND P0, PT, RZ, c[0x0][0x160], PT\n MOV R8, 0x5\n @P0 BRA out, join out\n CALL R20, fn\n"
        "out:\n IADD3 R9, R8, 0x1, RZ\n EXIT\n .function fn\n fn:\n MOV R8, R1\n RET R20\n",
     BLOCK, MARK_VECTOR, NOT_ASKED, SOUND_CALL},
    {"local memory has one address and many contents", TY "STL [RZ], R1\n LDL R9, [RZ]\n EXIT\n", BLOCK,
     MARK_VECTOR, MARK_REDUNDANT, SOUND_LOCAL},
    {"local memory in which nothing weak was stored",
     TY "MOV R2, 0x5\n STL [0x0], R2\n STL [0x4], R2\n LDL R9, [RZ]\n EXIT\n", BLOCK, MARK_REDUNDANT,
     MARK_REDUNDANT, NO_RULE},
    {"local memory behind a generic store",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n STL [0x0], R2\n ST [R2], R1\n LDL R9, [RZ]\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_LOCAL},
    {"local memory that some warps store to",
     TY
     "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R2, 0x5\n STL [0x0], R2\n @P0 BRA out, join out\n STL [0x4], R2\n"
     "out:\n BAR.SYNC 0x0\n LDL R9, [0x4]\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_LOCAL},
    {"a generic load may be local",
     TY ".params 16\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LD R9, [R2]\n EXIT\n", BLOCK,
     MARK_VECTOR, MARK_REDUNDANT, SOUND_GENERIC},
    {"a global load of a redundant address",
     TY ".params 16\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LDG R9, [R2]\n EXIT\n", BLOCK,
     MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"an atomic with redundant operands",
     TY ".params 16\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MOV R4, 0x1\n ATOMG.ADD.U32 R9, [R2], "
        "R4\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, NO_RULE},
    {"a value that follows from an atomic",
     TY ".params 16\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MOV R4, 0x1\n ATOMG.ADD.U32 R5, [R2], "
        "R4\n IADD3 R9, R5, 0x1, RZ\n"
        "EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_ATOMIC},
    {"a volatile load",
     TY ".params 16\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LDG.VOLATILE R9, [R2]\n EXIT\n", BLOCK,
     MARK_VECTOR, MARK_REDUNDANT, SOUND_ORDERED},
    {"the guard is a source",
     TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, 0x1\n @P0 MOV R0, 0x2\n IADD3 R9, R0, RZ, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_GUARD},
    {"the old destination of a guarded write is a source",
     TY "ISETP.NE.AND P0, PT, RZ, c[0x0][0x160], PT\n MOV R0, R1\n @P0 MOV R0, 0x2\n IADD3 R9, R0, RZ, RZ\n "
        "EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_OLD},
    {"the set of active lanes",
     "VOTE.ANY R0, PT, PT, 0xffffffff\n POPC R9, R0\n EXIT\n",
     {16, 3, 1},
     MARK_VECTOR,
     MARK_REDUNDANT,
     SOUND_CROSS_LANE},
    {"a clock", "S2R R0, SR_CLOCKLO\n IADD3 R9, R0, RZ, RZ\n EXIT\n", BLOCK, MARK_VECTOR, MARK_VECTOR,
     SOUND_CLOCK},
    {"the warp's number", "S2R R0, SR_WARPID\n IADD3 R9, R0, RZ, RZ\n EXIT\n", BLOCK, MARK_VECTOR, NOT_ASKED,
     NO_RULE},
    {"a register that nothing wrote", "IADD3 R9, R7, 0x1, RZ\n EXIT\n", BLOCK, MARK_VECTOR, MARK_REDUNDANT,
     SOUND_UNDEFINED},
    {"threadIdx.x, x = 32", "S2R R9, SR_TID.X\n EXIT\n", {32, 4, 1}, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"threadIdx.x, x = 16", "S2R R9, SR_TID.X\n EXIT\n", {16, 4, 1}, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"threadIdx.x, x = 24", "S2R R9, SR_TID.X\n EXIT\n", {24, 4, 1}, MARK_VECTOR, MARK_VECTOR, NO_RULE},
    {"threadIdx.x, x = 64", "S2R R9, SR_TID.X\n EXIT\n", {64, 4, 1}, MARK_VECTOR, MARK_VECTOR, NO_RULE},
    {"threadIdx.x, one dimension",
     "S2R R9, SR_TID.X\n EXIT\n",
     {256, 1, 1},
     MARK_VECTOR,
     MARK_VECTOR,
     NO_RULE},
    {"threadIdx.x in three dimensions: sound, though the paper's check wants two",
     "S2R R9, SR_TID.X\n EXIT\n",
     {8, 8, 4},
     MARK_REDUNDANT,
     MARK_VECTOR,
     NO_RULE},
    {"threadIdx.y is a vector without the extension",
     "S2R R9, SR_TID.Y\n EXIT\n",
     {8, 4, 4},
     MARK_VECTOR,
     MARK_VECTOR,
     NO_RULE},
    {"blockIdx", "S2R R9, SR_CTAID.X\n EXIT\n", BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
};

static uint32_t last_write_of_r9(const struct program *p)
{
    for (uint32_t k = p->inst_count; k-- > 0;)
        if (p->insts[k].dst[0].kind == OPERAND_REG && p->insts[k].dst[0].reg == 9) return k;
    return 0;
}

static enum mark_kind verdict(const struct program *p, const struct mark_rules *r, const uint32_t block[3])
{
    struct marks *m = marks_compute(p, r);
    enum mark_kind k = mark_promoted(&m->marks[last_write_of_r9(p)], mark_conditions_met(r, block));
    marks_free(m);
    return k;
}

static void test_holes(struct test *t)
{
    for (size_t k = 0; k < sizeof holes / sizeof holes[0]; k++) {
        const struct hole *h = &holes[k];
        struct program *p = asm_program(t, h->code);
        CHECK_MSG(t, p != NULL, "%s: no program", h->name);
        if (!p) continue;
        struct mark_rules r;
        mark_rules_default(&r);
        enum mark_kind sound = verdict(p, &r, h->block);
        CHECK_MSG(t, (int)sound == h->sound, "%s: the sound rules say %s", h->name, mark_kind_name(sound));
        if (h->rule != NO_RULE) {
            r.broken = 1u << h->rule;
            enum mark_kind without = verdict(p, &r, h->block);
            CHECK_MSG(t, without == MARK_REDUNDANT, "%s: without its rule it is still %s", h->name,
                      mark_kind_name(without));
            r.broken = 0;
        }
        r.paper = true;
        enum mark_kind paper = verdict(p, &r, h->block);
        CHECK_MSG(t, h->paper == NOT_ASKED || (int)paper == h->paper, "%s: the paper's rules say %s", h->name,
                  mark_kind_name(paper));
        program_free(p);
    }
}

// Extensions, each alone, on the value it adds.
static void test_extensions(struct test *t)
{
    static const struct {
        const char *code;
        uint32_t block[3];
        bool tid_y, laneid, tid_x_mod;
        enum mark_kind want;
    } rows[] = {
        {"S2R R9, SR_TID.Y\n EXIT\n", {8, 4, 4}, true, false, false, MARK_REDUNDANT},
        {"S2R R9, SR_TID.Y\n EXIT\n", {8, 8, 4}, true, false, false, MARK_VECTOR}, // warp 0 has y 0..3, warp
                                                                                   // 1 y 4..7
        {"S2R R9, SR_TID.Y\n EXIT\n", {64, 1, 2}, true, false, false, MARK_REDUNDANT},
        {"S2R R9, SR_TID.Z\n EXIT\n", {64, 2, 1}, true, false, false, MARK_REDUNDANT},
        {"S2R R9, SR_TID.Z\n EXIT\n", {8, 4, 2}, true, false, false, MARK_VECTOR},
        {"S2R R9, SR_LANEID\n EXIT\n", {256, 1, 1}, false, true, false, MARK_REDUNDANT},
        {"S2R R0, SR_TID.X\n LOP3.LUT R9, R0, 0x1f, RZ, 0xc0\n EXIT\n",
         {256, 1, 1},
         false,
         false,
         true,
         MARK_REDUNDANT},
        {"S2R R0, SR_TID.X\n LOP3.LUT R9, R0, 0x1f, RZ, 0xc0\n EXIT\n",
         {48, 2, 1},
         false,
         false,
         true,
         MARK_VECTOR},
        {"S2R R0, SR_TID.X\n LOP3.LUT R9, R0, 0x3f, RZ, 0xc0\n EXIT\n",
         {256, 1, 1},
         false,
         false,
         true,
         MARK_VECTOR},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct program *p = asm_program(t, rows[k].code);
        if (!p) continue;
        struct mark_rules r;
        mark_rules_default(&r);
        r.tid_y = rows[k].tid_y;
        r.laneid = rows[k].laneid;
        r.tid_x_mod = rows[k].tid_x_mod;
        enum mark_kind got = verdict(p, &r, rows[k].block);
        CHECK_MSG(t, got == rows[k].want, "row %zu: %s", k, mark_kind_name(got));
        mark_rules_default(&r);
        CHECK_EQ(t, verdict(p, &r, rows[k].block), MARK_VECTOR);
        program_free(p);
    }
}

static void test_reasons(struct test *t)
{
    static const char code[] = TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n "
                                  "MOV R0, 0x1\n out:\n BAR.SYNC 0x0\n"
                                  "IADD3 R9, R0, 0x5, RZ\n EXIT\n";
    struct program *p = asm_program(t, code);
    struct mark_rules r;
    mark_rules_default(&r);
    struct marks *m = marks_compute(p, &r);
    struct strbuf text = {0};
    mark_explain(m, last_write_of_r9(p), &text);
    CHECK_STR(
        t, strbuf_text(&text),
        "V: depends on a value that merges values of two sides of the branch at 0x0018, which depends on "
        "threadIdx.y (0x0000)");
    strbuf_fini(&text);
    marks_free(m);
    program_free(p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"holes", test_holes}, {"extensions", test_extensions}, {"reasons", test_reasons}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
