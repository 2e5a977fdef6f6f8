// Streams: Figure 4's machine code gives Figure 7's streams. Small programs check kinds of values with
// their causes, and the promises of a split; a split broken on purpose must be noticed. Fails when a
// stream or kind differs from its row.
#include "decouple/decouple.h"
#include "harness/test.h"
#include "isa/asm.h"
#include "isa/isa.h"
#include "mark/mark.h"

#include <stdio.h>

static const struct decouple_rules plain = {.pieces = 2, .feedback = 1, .shared = 1, .stores = 1, .slots = 1};

// Figure 4b: six instructions, a loop of nine, and an exit. Block and thread indices need an instruction
// each in this machine; in exchange a shifted sum replaces two instructions.
static const char figure_4[] = ".params 16\n"
                               "    S2R R0, SR_CTAID.X\n"
                               "    S2R R1, SR_TID.X\n"
                               "    IMAD R0, R0, c[0x0][0x0], R1\n"
                               "    LEA R2, R0, c[0x0][0x160], 0x2\n"
                               "    LEA R3, R0, c[0x0][0x164], 0x2\n"
                               "    MOV R4, RZ\n"
                               "loop:\n"
                               "    LDG R5, [R2]\n"
                               "    IADD3 R6, R5, 0x1, RZ\n"
                               "    STG [R3], R6\n"
                               "    IADD3 R4, R4, 0x1, RZ\n"
                               "    IMAD R7, R4, RZ, c[0x0][0x16c]\n" // 4 * num
                               "    IADD3 R2, R7, R2, RZ\n"
                               "    IADD3 R3, R7, R3, RZ\n"
                               "    ISETP.NE.U32.AND P0, PT, R4, c[0x0][0x168], PT\n"
                               "    @P0 BRA loop, join out\n"
                               "out:\n"
                               "    EXIT\n";

static const char affine_of_figure_7[] = "S2R R0, SR_CTAID.X\n"
                                         "S2R R1, SR_TID.X\n"
                                         "IMAD R0, R0, c[0x0][0x0], R1\n"
                                         "LEA R2, R0, c[0x0][0x160], 0x2\n"
                                         "LEA R3, R0, c[0x0][0x164], 0x2\n"
                                         "MOV R4, RZ\n"
                                         "enq.data LDG R5, [R2]\n"
                                         "enq.addr STG [R3], R6\n"
                                         "IADD3 R4, R4, 0x1, RZ\n"
                                         "IMAD R7, R4, RZ, c[0x0][0x16c]\n"
                                         "IADD3 R2, R7, R2, RZ\n"
                                         "IADD3 R3, R7, R3, RZ\n"
                                         "ISETP.NE.U32.AND P0, PT, R4, c[0x0][0x168], PT\n"
                                         "enq.pred @P0 BRA .L_30, join .L_78\n"
                                         "@P0 BRA .L_30, join .L_78\n"
                                         "EXIT\n";
static const char others_of_figure_7[] = "deq.data LDG R5, [R2]\n"
                                         "IADD3 R6, R5, 0x1, RZ\n"
                                         "deq.addr STG [R3], R6\n"
                                         "deq.pred @P0 BRA .L_30, join .L_78\n"
                                         "EXIT\n";

static void check_stream(struct test *t, const struct decouple *d, unsigned stream, const char *want)
{
    struct strbuf text = {0};
    decouple_print(d, stream, &text);
    CHECK_STR(t, strbuf_text(&text), want);
    strbuf_fini(&text);
}

static void check_promises(struct test *t, struct decouple *d)
{
    const char *why = NULL;
    CHECK_MSG(t, decouple_check(d, &why), "%s", why);
}

// 48 warps, 100 iterations: 43,488 warp instructions become 20,106, exits apart.
static void test_figure_7(struct test *t)
{
    enum { WARPS = 48, ITERATIONS = 100, BEFORE = 6, EXITS = 1 };
    struct program *p = asm_program(t, figure_4);
    if (!p) return;
    struct decouple *d = decouple_compute(p, &plain, NULL);
    CHECK(t, !d->whole);
    check_promises(t, d);
    check_stream(t, d, DECOUPLE_IN_AFFINE, affine_of_figure_7);
    check_stream(t, d, DECOUPLE_IN_OTHERS, others_of_figure_7);
    uint64_t executions[32] = {0}, once[32] = {0};
    for (uint32_t k = 0; k + EXITS < p->inst_count; k++) {
        once[k] = k < BEFORE ? 1 : ITERATIONS;
        executions[k] = WARPS * once[k];
    }
    struct decouple_cost c = decouple_cost_of(d, executions, once);
    CHECK_EQ(t, c.base, 43488);
    CHECK_EQ(t, c.affine + c.others, 20106);
    CHECK_EQ(t, c.replicated, 0);
    decouple_free(d);
    program_free(p);
}

// -- the program with its stream ---------------------------------------------------------------------------

static void test_program(struct test *t)
{
    struct program *p = asm_program(t, figure_4);
    if (!p) return;
    struct decouple *d = decouple_compute(p, &plain, NULL);
    struct program *both = decouple_program(d);
    const struct decouple_plan *plan = decouple_plan_of(both);
    CHECK(t, !program_check(both));
    CHECK(t, plan && plan->count == p->inst_count && !decouple_plan_of(p));
    CHECK_EQ(t, both->inst_count, p->inst_count + 16);
    // In memory the non-affine code has no holes: five instructions, and the affine stream behind.
    CHECK_EQ(t, program_code_offset(both, p->inst_count), 5 * PC_STEP);
    CHECK_EQ(t, program_code_offset(both, both->inst_count - 1), (5 + 15) * PC_STEP);
    // up to the store: two instructions are in the non-affine code
    CHECK_EQ(t, program_insts_within(both, 0, 2 * PC_STEP), 8);
    // A program changed again has no plan.
    bool before[64] = {[3] = true};
    struct program *changed = program_insert(both, &p->insts[3], before);
    CHECK(t, !decouple_plan_of(changed));
    program_free(changed);
    program_free(both);
    decouple_free(d);
    program_free(p);
}

// -- kinds -------------------------------------------------------------------------------------------------

#define STORE  "    STG [R2], R9\n    EXIT\n"
#define TID    "    S2R R0, SR_TID.X\n    S2R R1, SR_TID.Y\n"
#define LOADED "    MOV R2, c[0x0][0x160]\n    LDG R8, [R2]\n"

static const struct {
    const char *code; // checked: the last write of R9, or P1
    const char *says;
} kinds[] = {
    {TID "    MOV R9, c[0x0][0x160]\n", "scalar"},
    {TID "    S2R R9, SR_CTAID.Y\n", "scalar"},
    {TID "    MOV R3, c[0x0][0x160]\n    I2F.F32.U32 R9, R3\n", "scalar"}, // any function of scalars
    {TID "    IADD3 R9, R0, R1, 0x7\n", "affine"},
    {TID "    IMAD R9, R0, c[0x0][0x160], R1\n", "affine"},
    {TID "    SHL R9, R0, 0x2\n", "affine"},
    {TID "    LEA R9, R0, R1, 0x3\n", "affine"},
    {TID "    IMAD R9, R0, R1, RZ\n", "vector: a product of two varying values 0x10"},
    {TID "    I2F.F32.U32 R9, R0\n", "vector: no operation on tuples 0x10"},
    {TID "    LOP3.LUT R9, R0, 0xf, RZ, 0xc0\n", "piecewise"},
    {TID "    IMNMX R9, R0, 0x10, PT\n", "piecewise"},
    {TID "    IMNMX R3, R0, 0x10, PT\n    IMNMX R4, R3, 0x12, PT\n    IADD3 R9, R4, R4, RZ\n",
     "vector: computed from 0x18, more tuples than a register holds 0x18"},
    {TID "    S2R R9, SR_LANEID\n", "vector: a clock, or the number of a warp or a lane 0x10"},
    {TID LOADED "    IADD3 R9, R8, R0, RZ\n", "vector: computed from 0x18, loaded from memory 0x18"},
    {TID LOADED "    ISETP.NE.AND P0, PT, R8, RZ, PT\n    MOV R9, RZ\n    @P0 MOV R9, 0x1\n",
     "vector: under a predicate known only to the lanes 0x30"},
    {TID "    ISETP.NE.AND P0, PT, R0, 0x5, PT\n    MOV R9, RZ\n    @P0 MOV R9, 0x1\n", "piecewise"},
    {TID "    ISETP.NE.AND P0, PT, R0, R1, PT\n    MOV R9, RZ\n    @P0 MOV R9, 0x1\n",
     "vector: under a predicate known only to the lanes 0x20"},
};

static uint32_t last_write_of_r9(const struct program *p)
{
    uint32_t last = 0;
    for (uint32_t k = 0; k < p->inst_count; k++)
        if (p->insts[k].dst[0].kind == OPERAND_REG && p->insts[k].dst[0].reg == 9) last = k;
    return last;
}

static struct program *kind_program(struct test *t, const char *directives, const char *before)
{
    struct strbuf code = {0};
    strbuf_printf(&code, ".params 16\n%s%s%s", directives, before, "    MOV R2, c[0x0][0x164]\n" STORE);
    struct program *p = asm_program(t, strbuf_text(&code));
    strbuf_fini(&code);
    return p;
}

static void check_kind(struct test *t, const char *directives, const char *before,
                       const struct decouple_rules *rules, const char *says)
{
    struct strbuf text = {0};
    struct program *p = kind_program(t, directives, before);
    if (!p) return;
    struct decouple *d = decouple_compute(p, rules, NULL);
    decouple_explain(d, last_write_of_r9(p), &text);
    CHECK_STR(t, strbuf_text(&text), says);
    check_promises(t, d);
    decouple_free(d);
    program_free(p);
    strbuf_fini(&text);
}

static void test_kinds(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(kinds); n++) check_kind(t, "", kinds[n].code, &plain, kinds[n].says);
}

// -- spill slots -------------------------------------------------------------------------------------------

// Sixteen bytes of variables, then four slots of a word.
#define SLOTS ".local 32\n.spills 16\n"
#define DATA  "    ISETP.NE.AND P0, PT, R8, RZ, PT\n"

static const struct {
    const char *code; // checked: the last load of R9
    const char *says;
} slots[] = {
    // A stored value keeps its kind; a load from the slot has the same kind.
    {TID "    STL [0x10], R0\n    LDL R9, [0x10]\n", "affine"},
    {TID "    MOV R3, c[0x0][0x160]\n    STL [0x10], R3\n    LDL R9, [0x10]\n", "scalar"},
    {TID "    STL [0x10], RZ\n    LDL R9, [0x10]\n", "scalar"},
    {TID "    IMNMX R3, R0, 0x10, PT\n    STL [0x10], R3\n    LDL R9, [0x10]\n", "piecewise"},
    {TID LOADED "    STL [0x10], R8\n    LDL R9, [0x10]\n",
     "vector: computed from 0x20, computed from 0x18, loaded from memory 0x18"},
    // Only the last store to the same slot before the load counts; a wide store writes one slot per word.
    {TID LOADED "    STL [0x10], R8\n    STL [0x10], R0\n    LDL R9, [0x10]\n", "affine"},
    {TID LOADED "    STL [0x10], R0\n    STL [0x14], R8\n    LDL R9, [0x10]\n", "affine"},
    {TID "    STL.64 [0x18], R0\n    LDL R9, [0x1c]\n", "affine"},
    {TID LOADED "    STL.64 [0x18], R0\n    STL [0x1c], R8\n    LDL R9, [0x18]\n", "affine"},
    {TID LOADED "    STL.64 [0x18], R0\n    STL [0x18], R8\n    LDL R9, [0x18]\n",
     "vector: computed from 0x28, computed from 0x18, loaded from memory 0x18"},
    // Lanes that skip a store keep the old value.
    {TID "    STL [0x10], RZ\n    ISETP.LT.AND P0, PT, R0, 0x5, PT\n@P0 STL [0x10], R1\n    LDL R9, [0x10]\n",
     "piecewise"},
    {TID LOADED DATA "    STL [0x10], RZ\n@P0 STL [0x10], R1\n    LDL R9, [0x10]\n",
     "vector: computed from 0x30, under a predicate known only to the lanes 0x30"},
    {TID LOADED
     "    STL [0x10], R8\n    ISETP.LT.AND P0, PT, R0, 0x5, PT\n@P0 STL [0x10], R1\n    LDL R9, [0x10]\n",
     "vector: computed from 0x30, computed from 0x20, computed from 0x18, loaded from memory 0x18"},
    // Lanes on another path keep the old value as well, and lanes that leave a loop in another iteration.
    {TID LOADED DATA
     "    STL [0x10], RZ\n@P0 BRA out, join out\n    STL [0x10], R1\nout:\n    LDL R9, [0x10]\n",
     "vector: computed from"},
    {TID LOADED
     "    STL [0x10], R0\nloop:\n    LDL R4, [0x10]\n    IADD3 R4, R4, 0x1, RZ\n    STL [0x10], R4\n"
     "    ISETP.NE.AND P0, PT, R4, R8, PT\n@P0 BRA loop, join out\nout:\n    LDL R9, [0x10]\n",
     "vector: computed from 0x38"},
    {TID LOADED "    MOV R5, RZ\n    STL [0x10], R0\nloop:\n    LDL R4, [0x10]\n    IADD3 R4, R4, 0x1, RZ\n"
                "    STL [0x10], R4\n    IADD3 R5, R5, 0x1, RZ\n    ISETP.NE.AND P0, PT, R5, 0x4, PT\n"
                "@P0 BRA loop, join out\nout:\n    LDL R9, [0x10]\n",
     "affine"},
    {TID "    LDL R9, [0x10]\n", "vector: computed from"},
    // Accesses to a thread's variables are not slots, and do not alias slots.
    {TID "    STL [0x10], R0\n    STL [R1], R1\n    LDL R9, [0x10]\n", "affine"},
    {TID "    STL [0x0], R0\n    LDL R9, [0x0]\n", "vector: loaded from memory 0x18"},
    {TID "    STL [0x10], R0\n    LDL R9, [R1]\n", "vector: loaded from memory 0x18"},
    // An access to part of a word, or partly outside the slots: slots are not followed.
    {TID "    STL [0x10], R0\n    STL.U8 [0x15], R1\n    LDL R9, [0x10]\n",
     "vector: a spilled register 0x10"},
    {TID "    STL [0x10], R0\n    LDL.64 R4, [0xc]\n    LDL R9, [0x10]\n", "vector: a spilled register 0x10"},
    {TID "    STL [0x10], R0\n    LDL.64 R4, [0x1c]\n    LDL R9, [0x10]\n",
     "vector: a spilled register 0x10"},
    // A program with too many registers: slots have no register names left.
    {TID "    MOV R254, RZ\n    STL [0x10], R0\n    LDL R9, [0x10]\n", "vector: a spilled register 0x18"},
    {TID "    MOV R253, RZ\n    STL [0x10], R0\n    STL [0x14], R0\n    LDL R9, [0x10]\n", "affine"},
    {TID "    MOV R253, RZ\n    STL [0x10], R0\n    STL [0x14], R0\n    LDL R9, [0x14]\n",
     "vector: a spilled register 0x20"},
};

static void test_slots(struct test *t)
{
    struct decouple_rules off = plain;
    off.slots = 0;
    for (size_t n = 0; n < TEST_COUNT(slots); n++) {
        check_kind(t, SLOTS, slots[n].code, &plain, slots[n].says);
        struct program *p = kind_program(t, SLOTS, slots[n].code);
        if (!p) continue;
        struct decouple *d = decouple_compute(p, &off, NULL);
        CHECK_EQ(t, d->insts[last_write_of_r9(p)].kind, DECOUPLE_VECTOR);
        check_promises(t, d);
        decouple_free(d);
        program_free(p);
    }
}

static const struct {
    const char *name, *code, *affine, *others;
    unsigned names; // registers standing for slots
} spilled[] = {
    {"a spilled index stays with the affine stream, and the lanes have nothing of it",
     TID "    SHL R3, R0, 0x2\n    STL [0x10], R3\n    MOV R3, c[0x0][0x160]\n    STL [0x14], R3\n"
         "    LDL R4, [0x10]\n    LDL R5, [0x14]\n    IADD3 R2, R4, R5, RZ\n    LDG R8, [R2]\n"
         "    STG [R2+0x4], R8\n    EXIT\n",
     "S2R R0, SR_TID.X\nSHL R3, R0, 0x2\nmove STL [0x10], R3\nMOV R3, c[0x0][0x160]\nmove STL [0x14], R3\n"
     "move LDL R4, [0x10]\nmove LDL R5, [0x14]\nIADD3 R2, R4, R5, RZ\nenq.data LDG R8, [R2]\n"
     "enq.addr STG [R2+0x4], R8\nEXIT\n",
     "deq.data LDG R8, [R2]\ndeq.addr STG [R2+0x4], R8\nEXIT\n", 2},
    {"what lanes compute with is in both, its store as well",
     TID LOADED "    STL [0x10], R0\n    LDL R3, [0x10]\n    IADD3 R4, R3, R8, RZ\n    LEA R5, R3, R2, 0x2\n"
                "    STG [R5], R4\n    EXIT\n",
     "S2R R0, SR_TID.X\nMOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nmove STL [0x10], R0\n"
     "move LDL R3, [0x10]\nLEA R5, R3, R2, 0x2\nenq.addr STG [R5], R4\nEXIT\n",
     "S2R R0, SR_TID.X\ndeq.data LDG R8, [R2]\nSTL [0x10], R0\nLDL R3, [0x10]\nIADD3 R4, R3, R8, RZ\n"
     "deq.addr STG [R5], R4\nEXIT\n",
     1},
    {"what was loaded stays with the lanes, spilled or not",
     TID LOADED "    STL [0x10], R8\n    LDL R3, [0x10]\n    STG [R2+0x4], R3\n    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nenq.addr STG [R2+0x4], R3\nEXIT\n",
     "deq.data LDG R8, [R2]\nSTL [0x10], R8\nLDL R3, [0x10]\ndeq.addr STG [R2+0x4], R3\nEXIT\n", 1},
    {"a pair is two moves",
     TID "    MOV R1, 0x8\n    IMAD.WIDE R4, R0, R1, c[0x0][0x160]\n    STL.64 [0x18], R4\n    LDL.64 R6, "
         "[0x18]\n"
         "    LDG.64 R8, [R6]\n    STG.64 [R6+0x8], R8\n    EXIT\n",
     "S2R R0, SR_TID.X\nMOV R1, 0x8\nIMAD.WIDE R4, R0, R1, c[0x0][0x160]\nmove STL.64 [0x18], R4\n"
     "move LDL.64 R6, [0x18]\nenq.data LDG.64 R8, [R6]\nenq.addr STG.64 [R6+0x8], R8\nEXIT\n",
     "deq.data LDG.64 R8, [R6]\ndeq.addr STG.64 [R6+0x8], R8\nEXIT\n", 4},
};

// The program with both streams: slots are registers beyond the program's own, and the number of registers
// per warp is unchanged.
static void check_moves(struct test *t, const struct program *p, const struct decouple *d, unsigned names)
{
    struct program *both = decouple_program(d);
    unsigned moves = 0, words = 0;
    CHECK_MSG(t, !program_check(both), "%s", program_check(both));
    CHECK_EQ(t, both->reg_count, p->reg_count);
    CHECK_EQ(t, both->beside_reg_count, p->reg_count + names);
    for (uint32_t k = p->inst_count; k < both->inst_count; k++) {
        const struct inst *i = &both->insts[k];
        CHECK(t, i->op != OP_LDL && i->op != OP_STL);
        bool to = i->dst[0].kind == OPERAND_REG && i->dst[0].reg >= p->reg_count && i->dst[0].reg != REG_ZERO;
        bool from =
            i->src[0].kind == OPERAND_REG && i->src[0].reg >= p->reg_count && i->src[0].reg != REG_ZERO;
        CHECK(t, !to || !from);
        CHECK(t, (!to && !from) || i->op == OP_MOV);
        moves += to || from;
    }
    for (uint32_t k = 0; k < p->inst_count; k++)
        if (d->insts[k].slot && d->insts[k].streams & DECOUPLE_IN_AFFINE)
            words += decouple_slot_of(&p->insts[k]).words;
    CHECK_EQ(t, moves, words);
    program_free(both);
}

static void test_spilled(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(spilled); n++) {
        struct strbuf code = {0};
        strbuf_printf(&code, ".params 16\n" SLOTS "%s", spilled[n].code);
        struct program *p = asm_program(t, strbuf_text(&code));
        strbuf_fini(&code);
        if (!p) continue;
        struct decouple *d = decouple_compute(p, &plain, NULL);
        printf("  %s\n", spilled[n].name);
        check_stream(t, d, DECOUPLE_IN_AFFINE, spilled[n].affine);
        check_stream(t, d, DECOUPLE_IN_OTHERS, spilled[n].others);
        check_promises(t, d);
        check_moves(t, p, d, spilled[n].names);
        decouple_free(d);
        program_free(p);
    }
}

// -- followed branches -------------------------------------------------------------------------------------

static const struct {
    const char *name, *code, *affine, *others;
} programs[] = {
    {"nothing of the stream lies behind a branch: it is passed",
     TID LOADED
     "    ISETP.NE.AND P0, PT, R8, RZ, PT\n    @P0 BRA out, join out\n    IADD3 R8, R8, 0x1, RZ\nout:\n"
     "    STG [R2+0x4], R8\n    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nenq.addr STG [R2+0x4], R8\nEXIT\n",
     "deq.data LDG R8, [R2]\nISETP.NE.AND P0, PT, R8, RZ, PT\n@P0 BRA .L_38, join .L_38\n"
     "IADD3 R8, R8, 0x1, RZ\ndeq.addr STG [R2+0x4], R8\nEXIT\n"},
    {"an access lies behind it: the lanes tell where they go",
     TID LOADED "    ISETP.NE.AND P0, PT, R8, RZ, PT\n    @P0 BRA out, join out\n    STG [R2+0x4], R8\nout:\n"
                "    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\ntold @P0 BRA .L_38, join .L_38\nenq.addr STG [R2+0x4], "
     "R8\nEXIT\n",
     "deq.data LDG R8, [R2]\nISETP.NE.AND P0, PT, R8, RZ, PT\n@P0 BRA .L_38, join .L_38\n"
     "deq.addr STG [R2+0x4], R8\nEXIT\n"},
    {"a loop that lanes leave by what they load may be waiting for somebody",
     TID LOADED "loop:\n    LDG R8, [R2]\n    ISETP.NE.AND P0, PT, R8, RZ, PT\n    @P0 BRA loop, join "
                "out\nout:\n    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nenq.data LDG R8, [R2]\ntold @P0 BRA .L_20, join "
     ".L_38\nEXIT\n",
     "deq.data LDG R8, [R2]\ndeq.data LDG R8, [R2]\nISETP.NE.AND P0, PT, R8, RZ, PT\n"
     "@P0 BRA .L_20, join .L_38\nEXIT\n"},
    {"a comparison that two instructions read is a dequeue of its own; a barrier is a token",
     TID "    ISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\n    @P0 FADD R5, R6, R6\n    BAR.SYNC 0x0\n    @P0 "
         "FADD R7, R6, R6\n    FADD R7, R5, R7\n    STG [R0], R7\n    EXIT\n",
     "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\n"
     "enq.pred ISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\ntoken BAR.SYNC 0x0\nenq.addr STG [R0], R7\nEXIT\n",
     "deq.pred ISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\n@P0 FADD R5, R6, R6\nBAR.SYNC 0x0\n"
     "@P0 FADD R7, R6, R6\nFADD R7, R5, R7\ndeq.addr STG [R0], R7\nEXIT\n"},
    {"what lanes compute with is in both",
     TID LOADED "    IADD3 R3, R0, 0x1, RZ\n    IADD3 R4, R3, R8, RZ\n    LEA R5, R3, R2, 0x2\n    STG [R5], "
                "R4\n    EXIT\n",
     "S2R R0, SR_TID.X\nMOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nIADD3 R3, R0, 0x1, RZ\n"
     "LEA R5, R3, R2, 0x2\nenq.addr STG [R5], R4\nEXIT\n",
     "S2R R0, SR_TID.X\ndeq.data LDG R8, [R2]\nIADD3 R3, R0, 0x1, RZ\nIADD3 R4, R3, R8, RZ\n"
     "deq.addr STG [R5], R4\nEXIT\n"},
    {"a load that overwrites its address, read under its own guard alone: address and comparison leave the "
     "lanes",
     TID
     "    IADD3 R2, R0, c[0x0][0x160], RZ\n    ISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\n    MOV R4, R2\n"
     "    @P0 LDG R2, [R2]\n    FADD R5, R2, R2\n    @P0 STG [R4], R5\n    EXIT\n",
     "S2R R0, SR_TID.X\nIADD3 R2, R0, c[0x0][0x160], RZ\nISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\nMOV R4, "
     "R2\n"
     "enq.data @P0 LDG R2, [R2]\nenq.addr @P0 STG [R4], R5\nEXIT\n",
     "deq.data @P0 LDG R2, [R2]\nFADD R5, R2, R2\ndeq.addr @P0 STG [R4], R5\nEXIT\n"},
    {"the old word is stored for the lanes without a load: it stays",
     TID
     "    IADD3 R2, R0, c[0x0][0x160], RZ\n    ISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\n    MOV R4, R2\n"
     "    @P0 LDG R2, [R2]\n    STG [R4], R2\n    EXIT\n",
     "S2R R0, SR_TID.X\nIADD3 R2, R0, c[0x0][0x160], RZ\nISETP.LT.AND P0, PT, R0, c[0x0][0x168], PT\nMOV R4, "
     "R2\n"
     "enq.data @P0 LDG R2, [R2]\nenq.addr STG [R4], R2\nEXIT\n",
     "S2R R0, SR_TID.X\nIADD3 R2, R0, c[0x0][0x160], RZ\ndeq.data @P0 LDG R2, [R2]\ndeq.addr STG [R4], "
     "R2\nEXIT\n"},
    {"a store under a guard on data takes the address of all lanes; what leads to the address needs no guard",
     TID LOADED
     "    ISETP.NE.AND P0, PT, R8, RZ, PT\n    @P0 IADD3 R3, R2, R0, RZ\n    @P0 STG [R3], R8\n    EXIT\n",
     "S2R R0, SR_TID.X\nMOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\n@P0 IADD3 R3, R2, R0, RZ\n"
     "enq.addr @P0 STG [R3], R8\nEXIT\n",
     "deq.data LDG R8, [R2]\nISETP.NE.AND P0, PT, R8, RZ, PT\ndeq.addr @P0 STG [R3], R8\nEXIT\n"},
    {"a guard of the iteration before is another guard: its lanes are not known any more",
     TID "    MOV R2, c[0x0][0x160]\n    MOV R3, R0\nloop:\n    LDG R8, [R2]\n    IADD3 R3, R3, R8, RZ\n"
         "    @P0 STG [R2], R3\n    ISETP.NE.AND P0, PT, R8, RZ, PT\n    @P0 MOV R3, R0\n    @P0 BRA loop, "
         "join out\n"
         "out:\n    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nenq.addr @P0 STG [R2], R3\ntold @P0 BRA .L_20, join "
     ".L_50\nEXIT\n",
     "S2R R0, SR_TID.X\nMOV R3, R0\ndeq.data LDG R8, [R2]\nIADD3 R3, R3, R8, RZ\ndeq.addr @P0 STG [R2], R3\n"
     "ISETP.NE.AND P0, PT, R8, RZ, PT\n@P0 MOV R3, R0\n@P0 BRA .L_20, join .L_50\nEXIT\n"},
    {"a relaxed atomic is no token, one that acquires is",
     TID "    MOV R2, c[0x0][0x160]\n    RED.ADD.U32.STRONG.GPU [R2], R9\n"
         "    ATOMG.ADD.U32.ACQUIRE.GPU R8, [R2], R9\n    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.addr RED.ADD.U32.STRONG.GPU [R2], R9\n"
     "enq.addr ATOMG.ADD.U32.ACQUIRE.GPU R8, [R2], R9\ntoken ATOMG.ADD.U32.ACQUIRE.GPU R8, [R2], R9\nEXIT\n",
     "deq.addr RED.ADD.U32.STRONG.GPU [R2], R9\ndeq.addr ATOMG.ADD.U32.ACQUIRE.GPU R8, [R2], R9\nEXIT\n"},
    {"a loop that computes alone waits for nobody: it is passed",
     TID LOADED
     "loop:\n    SHR.U32 R8, R8, 0x1\n    ISETP.NE.AND P0, PT, R8, RZ, PT\n    @P0 BRA loop, join out\n"
     "out:\n    STG [R2+0x4], R8\n    EXIT\n",
     "MOV R2, c[0x0][0x160]\nenq.data LDG R8, [R2]\nenq.addr STG [R2+0x4], R8\nEXIT\n",
     "deq.data LDG R8, [R2]\nSHR.U32 R8, R8, 0x1\nISETP.NE.AND P0, PT, R8, RZ, PT\n@P0 BRA .L_20, join "
     ".L_38\n"
     "deq.addr STG [R2+0x4], R8\nEXIT\n"},
};

static void test_followed(struct test *t)
{
    for (size_t n = 0; n < TEST_COUNT(programs); n++) {
        struct strbuf code = {0};
        strbuf_printf(&code, ".params 16\n%s", programs[n].code);
        struct program *p = asm_program(t, strbuf_text(&code));
        strbuf_fini(&code);
        if (!p) continue;
        struct decouple *d = decouple_compute(p, &plain, NULL);
        printf("  %s\n", programs[n].name);
        check_stream(t, d, DECOUPLE_IN_AFFINE, programs[n].affine);
        check_stream(t, d, DECOUPLE_IN_OTHERS, programs[n].others);
        check_promises(t, d);
        decouple_free(d);
        program_free(p);
    }
}

// Without feedback, code behind branches on data stays unsplit; a loop on data leaves no affine stream.
static void test_without_feedback(struct test *t)
{
    struct decouple_rules rules = plain;
    rules.feedback = 0;
    static const unsigned splits[] = {1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1};
    for (size_t n = 0; n < TEST_COUNT(programs); n++) {
        struct strbuf code = {0};
        strbuf_printf(&code, ".params 16\n%s", programs[n].code);
        struct program *p = asm_program(t, strbuf_text(&code));
        strbuf_fini(&code);
        if (!p) continue;
        struct decouple *d = decouple_compute(p, &rules, NULL);
        CHECK_EQ(t, !d->whole, splits[n]);
        check_promises(t, d);
        decouple_free(d);
        program_free(p);
    }
}

// -- values shared by another mechanism --------------------------------------------------------------------

// A shared load and a shared comparison stay with the warps, and so do their operands. Instructions needed
// only for the store's address do not stay, shared or not.
static void test_shared(struct test *t)
{
    static const char code[] =
        ".params 16\n" TID "    MOV R2, c[0x0][0x160]\n    LDG R8, [R2]\n"
        "    ISETP.LT.AND P0, PT, R2, 0x9, PT\n    MOV R9, RZ\n    @P0 IADD3 R8, R8, "
        "0x1, RZ\n    MOV R4, 0x4\n    IMAD R5, R0, R4, R1\n    STG [R5], R8\n    EXIT\n";
    static const char all[] = "deq.data LDG R8, [R2]\ndeq.pred @P0 IADD3 R8, R8, 0x1, RZ\n"
                              "deq.addr STG [R5], R8\nEXIT\n",
                      yielded[] = "MOV R2, c[0x0][0x160]\nLDG R8, [R2]\nISETP.LT.AND P0, PT, R2, 0x9, PT\n"
                                  "@P0 IADD3 R8, R8, 0x1, RZ\ndeq.addr STG [R5], R8\nEXIT\n";
    struct program *p = asm_program(t, code);
    if (!p) return;
    bool shared[16] = {[2] = true, [3] = true, [4] = true, [7] = true};
    struct decouple *d = decouple_compute(p, &plain, NULL);
    check_stream(t, d, DECOUPLE_IN_OTHERS, all);
    decouple_free(d);
    struct strbuf text = {0};
    d = decouple_compute(p, &plain, shared);
    check_stream(t, d, DECOUPLE_IN_OTHERS, yielded);
    check_promises(t, d);
    decouple_explain(d, 3, &text);
    CHECK_HAS(t, strbuf_text(&text), "by another mechanism");
    strbuf_fini(&text);
    decouple_free(d);
    program_free(p);
}

// For any set of shared instructions, the streams keep their promises, and no shared instruction is a site.
static void test_any_shared(struct test *t)
{
    uint64_t splits = 0;
    for (size_t n = 0; n < TEST_COUNT(programs); n++) {
        struct strbuf code = {0};
        strbuf_printf(&code, ".params 16\n%s", programs[n].code);
        struct program *p = asm_program(t, strbuf_text(&code));
        strbuf_fini(&code);
        if (!p) continue;
        for (uint32_t set = 0; set < 1u << p->inst_count; set++) {
            bool shared[32];
            for (uint32_t k = 0; k < p->inst_count; k++) shared[k] = set >> k & 1;
            struct decouple *d = decouple_compute(p, &plain, shared);
            check_promises(t, d);
            for (uint32_t k = 0; k < p->inst_count; k++) {
                const struct decouple_inst *i = &d->insts[k];
                bool takes_guard =
                    i->site == DECOUPLE_ENQ_PRED && !i->compares; // nothing is shared under a guard
                CHECK(t, !shared[k] || !i->site || takes_guard);
            }
            splits += !d->whole;
            decouple_free(d);
        }
        program_free(p);
    }
    printf("  %llu splits\n", (unsigned long long)splits);
    CHECK(t, splits > 1000);
}

// The kernel keeps its marks. (Marks of the program with the stream would be weaker: the stream's branches
// would be a function's, callable from anywhere.)
static void test_marks(struct test *t)
{
    struct mark_rules rules;
    unsigned redundant = 0;
    mark_rules_default(&rules);
    for (size_t n = 0; n <= TEST_COUNT(programs); n++) {
        struct strbuf code = {0};
        strbuf_printf(&code, "%s%s", n < TEST_COUNT(programs) ? ".params 16\n" : "",
                      n < TEST_COUNT(programs) ? programs[n].code : figure_4);
        struct program *p = asm_program(t, strbuf_text(&code));
        strbuf_fini(&code);
        if (!p) continue;
        struct decouple *d = decouple_compute(p, &plain, NULL);
        struct program *both = decouple_program(d);
        const struct program kernel = decouple_kernel(both, decouple_plan_of(both));
        struct marks *alone = marks_compute(p, &rules), *beside = marks_compute(&kernel, &rules);
        for (uint32_t k = 0; k < p->inst_count; k++) {
            const struct mark *a = &alone->marks[k], *b = &beside->marks[k];
            CHECK_EQ(t, a->kind, b->kind);
            CHECK_EQ(t, a->conditions, b->conditions);
            CHECK_EQ(t, a->way, b->way);
            redundant += a->kind != MARK_VECTOR;
        }
        marks_free(alone);
        marks_free(beside);
        program_free(both);
        decouple_free(d);
        program_free(p);
    }
    CHECK(t, redundant > 20);
}

// -- broken splits -----------------------------------------------------------------------------------------

// Removing an instruction that the rest of its stream needs, or a branch that leads to a part of the
// stream, is detected.
static void test_broken(struct test *t)
{
    unsigned tried = 0, found = 0;
    for (size_t n = 0; n <= TEST_COUNT(programs) + TEST_COUNT(spilled); n++) {
        struct strbuf code = {0};
        if (n < TEST_COUNT(programs))
            strbuf_printf(&code, ".params 16\n%s", programs[n].code);
        else if (n == TEST_COUNT(programs))
            strbuf_puts(&code, figure_4);
        else
            strbuf_printf(&code, ".params 16\n" SLOTS "%s", spilled[n - TEST_COUNT(programs) - 1].code);
        struct program *p = asm_program(t, strbuf_text(&code));
        strbuf_fini(&code);
        if (!p) continue;
        for (uint32_t k = 0; k < p->inst_count; k++)
            for (unsigned stream = DECOUPLE_IN_AFFINE; stream <= DECOUPLE_IN_OTHERS; stream++) {
                struct decouple *d = decouple_compute(p, &plain, NULL);
                const char *why;
                bool needed = d->insts[k].streams & stream && !d->insts[k].site && !d->insts[k].orders;
                needed &= (d->insts[k].has_result && d->insts[k].kind != DECOUPLE_VECTOR) ||
                          (stream == DECOUPLE_IN_AFFINE && isa_is_conditional(&p->insts[k]));
                d->insts[k].streams &= (uint8_t)~stream;
                tried += needed;
                bool missed = needed && !decouple_check(d, &why);
                found += missed;
                CHECK_MSG(t, missed == needed, "program %zu: %#x left out of stream %u", n, program_pc(p, k),
                          stream);
                decouple_free(d);
            }
        program_free(p);
    }
    printf("  %u of %u instructions left out are missed\n", found, tried);
    CHECK(t, tried > 20);
    CHECK_EQ(t, found, tried);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"figure_7", test_figure_7},
                                             {"program", test_program},
                                             {"kinds", test_kinds},
                                             {"slots", test_slots},
                                             {"spilled", test_spilled},
                                             {"followed", test_followed},
                                             {"without_feedback", test_without_feedback},
                                             {"shared", test_shared},
                                             {"any_shared", test_any_shared},
                                             {"marks", test_marks},
                                             {"broken", test_broken}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
