// Every known soundness hole of redundancy marking with a counter-example: a small program, the
// instruction in question (the last write of R9), and the block's shape. Expected: the marks by the sound
// rules, by the paper's literal rules, and by the sound rules without the rule at stake. Fails when a
// mark differs from its row.
#include "harness/test.h"
#include "isa/asm.h"
#include "isa/inst.h"
#include "mark/mark.h"

#include <stdlib.h>

enum { NOT_ASKED = -1 };
#define NO_RULE SOUND_COUNT

struct hole {
    const char *name;
    const char *code;
    uint32_t block[3];
    int sound;                // enum mark_kind after promotion
    int paper;                // likewise, NOT_ASKED where the paper has no rule
    enum mark_soundness rule; // without the rule the mark must be REDUNDANT
};

// R1 = threadIdx.y in every program.
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
    {"a relaxed load", TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LDG.STRONG.GPU R9, [R2]\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_ORDERED},
    {"an acquire load",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n LDG.ACQUIRE.GPU R9, [R2]\n EXIT\n", BLOCK,
     MARK_VECTOR, MARK_REDUNDANT, SOUND_ORDERED},
    {"a constant load is read-only", TY "MOV R2, c[0x0][0x160]\n LDC R9, c[0x3][R2]\n EXIT\n", BLOCK,
     MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"a texture fetch is read-only",
     TY "MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MOV R6, RZ\n MOV R7, RZ\n"
        "TEX.2D.F32.S32 R8, R2, R6\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"arriving at a barrier without waiting keeps warps apart",
     TY "S2R R1, SR_WARPID\n ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n MOV R0, "
        "0x1\n"
        "out:\n BAR.ARV 0x1, 0x80\n IADD3 R9, R0, 0x5, RZ\n EXIT\n",
     BLOCK, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"an indirect branch by threadIdx.y, and a barrier behind its join",
     TY ".table 2 one two\n MOV R0, RZ\n BRX R1, table 0, join out\n one:\n MOV R0, 0x1\n BRA out\n two:\n "
        "MOV R0, 0x2\n"
        "out:\n BAR.SYNC 0x0\n IADD3 R9, R0, 0x5, RZ\n EXIT\n",
     BLOCK, MARK_VECTOR, MARK_REDUNDANT, SOUND_JOIN},
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
    {"a register not written before", "IADD3 R9, R7, 0x1, RZ\n EXIT\n", BLOCK, MARK_VECTOR, MARK_REDUNDANT,
     SOUND_UNDEFINED},
    {"threadIdx.x, x = 32", "S2R R9, SR_TID.X\n EXIT\n", {32, 4, 1}, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"threadIdx.x, x = 16", "S2R R9, SR_TID.X\n EXIT\n", {16, 4, 1}, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
    {"threadIdx.x, x = 24", "S2R R9, SR_TID.X\n EXIT\n", {24, 4, 1}, MARK_VECTOR, MARK_VECTOR, NO_RULE},
    {"threadIdx.x, x = 64", "S2R R9, SR_TID.X\n EXIT\n", {64, 4, 1}, MARK_VECTOR, MARK_VECTOR, NO_RULE},
    {"threadIdx.x, x = 48", "S2R R9, SR_TID.X\n EXIT\n", {48, 4, 1}, MARK_VECTOR, MARK_VECTOR, NO_RULE},
    {"threadIdx.x, x = 3", "S2R R9, SR_TID.X\n EXIT\n", {3, 4, 1}, MARK_VECTOR, MARK_VECTOR, NO_RULE},
    {"threadIdx.x, x = 1", "S2R R9, SR_TID.X\n EXIT\n", {1, 96, 1}, MARK_REDUNDANT, MARK_REDUNDANT, NO_RULE},
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
        if (p->insts[k].dst[0].kind == OPERAND_REG && p->insts[k].dst[0].reg <= 9 &&
            p->insts[k].dst[0].reg + p->insts[k].dst[0].width > 9)
            return k;
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

// An instruction that must execute in every warp, or that reads values not shared by warps, is V even if
// its operands are redundant.
static void test_denied(struct test *t)
{
    static const char *const denied[] = {
        "ATOMG.ADD.U32 R9, [R2], R4",
        "ATOMS.ADD.U32 R9, [R4], R4",
        "RED.GLOBAL.ADD.U32 [R2], R4",
        "STG [R2], R4",
        "STS [R4], R4",
        "BAR.SYNC 0x0",
        "BAR.ARV 0x1, 0x80",
        "BAR.RED.OR P1, 0x1, P0",
        "BAR.RED.POPC R9, 0x0, P0",
        "MEMBAR.SC.GPU",
        "VOTE.ANY R9, PT, PT, 0xffffffff",
        "VOTE.ALL RZ, P1, P0, 0xffffffff",
        "SHFL.BFLY R9, PT, R4, 0x1, 0x1f, 0xffffffff",
        "MATCH.ANY.B32 R9, PT, R4, 0xffffffff",
        "REDUX.ADD.S32 R9, R4, 0xffffffff",
        "S2R R9, SR_CLOCKLO",
        "S2R R9, SR_CLOCKHI",
        "CS2R R10, SR_CLOCK64",
        "CS2R R10, SR_GLOBALTIMER",
        "S2R R9, SR_WARPID",
        "CCTL [R2]",
        "LDGSTS.E.128 [R4], [R2]",
        "NANOSLEEP R4",
        "SYSCALL.VPRINTF R9, R2, R6",
        "TRAP.ABORT",
        "EXIT",
    };
    for (size_t k = 0; k < sizeof denied / sizeof denied[0]; k++) {
        struct strbuf text = {0};
        strbuf_printf(&text,
                      ".params 16\n .shared 64\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n"
                      "MOV R4, 0x1\n MOV R5, RZ\n MOV R6, RZ\n MOV R7, RZ\n ISETP.NE.AND P0, PT, R2, RZ, PT\n"
                      "%s\n EXIT\n",
                      denied[k]);
        struct program *p = asm_program(t, strbuf_text(&text));
        strbuf_fini(&text);
        CHECK_MSG(t, p != NULL, "%s", denied[k]);
        if (!p) continue;
        struct mark_rules r;
        mark_rules_default(&r);
        struct marks *m = marks_compute(p, &r);
        const struct mark *mark = &m->marks[7];
        CHECK_MSG(t, mark->kind == MARK_VECTOR, "%s is %s", denied[k],
                  mark_kind_name((enum mark_kind)mark->kind));
        marks_free(m);
        program_free(p);
    }
}

// Results shareable by renaming before fetch: whole vector registers, also pairs and quads, without a
// guard. A guarded write would leave stale lanes in a fresh register, and predicates are not renamed; the
// marks themselves stay.
static void test_shareable(struct test *t)
{
    static const struct {
        const char *code;
        bool shareable;
    } rows[] = {
        {"IADD3 R9, R4, 0x1, RZ", true},
        {"@P0 IADD3 R9, R4, 0x1, RZ", false},
        {"ISETP.NE.AND P1, PT, R4, RZ, PT", false},
        {"LOP3.LUT R9, P1, R4, 0x3, RZ, 0xc0", false},
        {"IADD3 R9, P1, R4, 0x1, RZ", false},
        {"IMAD.WIDE R10, R4, 0x4, R2", true},
        {"LDG.64 R10, [R2]", true},
        {"LDG.128 R8, [R2]", true},
        {"@!P0 LDG R9, [R2]", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct strbuf text = {0};
        strbuf_printf(
            &text,
            ".params 16\n MOV R2, c[0x0][0x160]\n MOV R3, c[0x0][0x164]\n MOV R4, 0x1\n MOV R9, RZ\n"
            "ISETP.NE.AND P0, PT, R4, RZ, PT\n %s\n EXIT\n",
            rows[k].code);
        struct program *p = asm_program(t, strbuf_text(&text));
        strbuf_fini(&text);
        if (!p) continue;
        struct mark_rules r;
        mark_rules_default(&r);
        struct marks *m = marks_compute(p, &r);
        CHECK_MSG(t, m->marks[5].kind == MARK_REDUNDANT, "%s", rows[k].code);
        CHECK_MSG(t, m->marks[5].shareable == rows[k].shareable, "%s", rows[k].code);
        marks_free(m);
        program_free(p);
    }
}

// The condition on x uses the launch's warp size.
static void test_warp_sizes(struct test *t)
{
    static const struct {
        uint32_t x;
        unsigned warp_size;
        enum mark_kind want;
    } rows[] = {{64, 64, MARK_REDUNDANT}, {64, 32, MARK_VECTOR},    {32, 64, MARK_REDUNDANT},
                {32, 16, MARK_VECTOR},    {16, 16, MARK_REDUNDANT}, {4, 4, MARK_REDUNDANT}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct program *p = asm_program(t, "S2R R9, SR_TID.X\n EXIT\n");
        struct mark_rules r;
        mark_rules_default(&r);
        r.warp_size = rows[k].warp_size;
        enum mark_kind got = verdict(p, &r, (const uint32_t[]){rows[k].x, 4, 1});
        CHECK_MSG(t, got == rows[k].want, "x = %u in warps of %u: %s", rows[k].x, rows[k].warp_size,
                  mark_kind_name(got));
        program_free(p);
    }
}

// Extensions, each alone, on a value marked only with the extension.
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

#define ARM(value)                                                                                           \
    TY "ISETP.NE.AND P0, PT, R1, RZ, PT\n MOV R0, RZ\n @P0 BRA out, join out\n MOV R0, " value               \
       "\n out:\n BAR.SYNC 0x0\n IADD3 R9, R0, 0x5, RZ\n EXIT\n"

// Of two reasons for the same mark the simpler reason is reported.
static void test_reasons(struct test *t)
{
    static const struct {
        const char *code, *reason;
    } rows[] = {
        {ARM("0x1"),
         "V: depends on a value that merges values of two sides of the branch at 0x0018, which depends on "
         "threadIdx.y (0x0000)"},
        {ARM("R1"), "V: depends on threadIdx.y (0x0000)"},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct program *p = asm_program(t, rows[k].code);
        if (!p) continue;
        struct mark_rules r;
        mark_rules_default(&r);
        struct marks *m = marks_compute(p, &r);
        struct strbuf text = {0};
        mark_explain(m, last_write_of_r9(p), &text);
        CHECK_STR(t, strbuf_text(&text), rows[k].reason);
        strbuf_fini(&text);
        marks_free(m);
        program_free(p);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"holes", test_holes},           {"denied", test_denied},
                                             {"shareable", test_shareable},   {"warp_sizes", test_warp_sizes},
                                             {"extensions", test_extensions}, {"reasons", test_reasons}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
