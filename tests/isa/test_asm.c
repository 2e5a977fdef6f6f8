// Printing and reading instructions back: every modifier of every instruction, operands of every kind,
// whole programs. Fails when an instruction reads back differently, or the listing hides a flag or
// modifier.
#include "base/bits.h"
#include "harness/test.h"
#include "isa/asm.h"
#include "isa/shape.h"
#include "isa/sregs.h"
#include "isa/syntax.h"

#include <stdlib.h>
#include <string.h>

// An operand of the place's kind, in registers not used elsewhere.
static struct operand plain_operand(const struct isa_shape *shape, unsigned k, unsigned width)
{
    unsigned kind = (k < 2 ? &shape->dst[k] : &shape->src[k - 2])->kind;
    uint8_t reg = (uint8_t)(4 * k + 4);
    if (kind == SHAPE_PRED) return (struct operand){.kind = OPERAND_PRED, .reg = (uint8_t)k, .width = 1};
    if (kind >= SHAPE_REG) return (struct operand){.kind = OPERAND_REG, .reg = reg, .width = (uint8_t)width};
    if (kind == SHAPE_ADDRESS || kind == SHAPE_BANK)
        return (struct operand){.kind = OPERAND_MEM, .reg = reg, .width = 1, .value = 0x10};
    if (kind != SHAPE_SPECIAL) return (struct operand){.kind = OPERAND_NONE};
    bool is_pair = shape->dst[0].width == WIDTH_2;
    return (struct operand){.kind = OPERAND_SREG, .reg = is_pair ? SREG_CLOCK64 : SREG_TID_X, .width = 1};
}

// The first type of a set; TYPE_NONE if the set is empty.
static uint8_t first_type(uint32_t types)
{
    return (uint8_t)(types ? bit_lowest(types & ~ISA_TYPE(NONE)) : TYPE_NONE);
}

// A sound instruction of the given operation, before modifiers are varied: with the fewest operands.
static struct inst plain(enum isa_op op)
{
    const struct isa_shape *shape = &isa_shapes[op];
    struct inst i = {.op = (uint16_t)op, .guard = PRED_TRUE, .target = 0, .reconverge = NO_TARGET};
    for (unsigned mode = 0; !isa_mode_fits(op, (enum isa_mode)i.mode); mode++) i.mode = (uint8_t)mode;
    i.type = first_type(shape->types);
    i.type2 = first_type(shape->types2);
    i.type3 = first_type(shape->types3);
    if (shape->shapes) i.shape = (uint8_t)bit_lowest(shape->shapes);
    for (unsigned k = 0; k < 6; k++) {
        const struct isa_place *place = k < 2 ? &shape->dst[k] : &shape->src[k - 2];
        unsigned width = k < 2 ? isa_dst_width(&i) : isa_src_width(&i, k - 2);
        if (isa_presence(&i, place) == PRESENCE_ALWAYS)
            *(k < 2 ? &i.dst[k] : &i.src[k - 2]) = plain_operand(shape, k, width);
    }
    return i;
}

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->width == b->width && a->flags == b->flags &&
           a->bank == b->bank && a->value == b->value;
}

static bool same_inst(const struct inst *a, const struct inst *b)
{
    for (unsigned k = 0; k < 4; k++)
        if (!same_operand(&a->src[k], &b->src[k]) || (k < 2 && !same_operand(&a->dst[k], &b->dst[k])))
            return false;
    return a->op == b->op && a->guard == b->guard && a->guard_not == b->guard_not && a->type == b->type &&
           a->type2 == b->type2 && a->cmp == b->cmp && a->boolean == b->boolean && a->round == b->round &&
           a->mode == b->mode && a->space == b->space && a->cache == b->cache && a->sem == b->sem &&
           a->lut == b->lut && a->lut2 == b->lut2 && a->shift == b->shift && a->bank == b->bank &&
           a->flags == b->flags && a->shape == b->shape && a->type3 == b->type3;
}

static void round_trip(struct test *t, const struct inst *i)
{
    struct inst two[2] = {*i, {.op = OP_EXIT, .guard = PRED_TRUE}};
    struct program p = {.insts = two, .inst_count = 2};
    struct strbuf text = {0};
    program_print_inst(&p, 0, &text);
    size_t first = text.length;
    strbuf_puts(&text, i->op == OP_BRX ? "\n.table 0 .L_0\nEXIT\n" : "\nEXIT\n");
    struct program *back = asm_program(t, strbuf_text(&text));
    if (back) {
        struct strbuf again = {0};
        program_print_inst(back, 0, &again);
        text.text[first] = 0;
        CHECK_STR(t, strbuf_text(&again), text.text);
        struct inst was = *i, is = back->insts[0];
        was.reconverge = is.reconverge = was.target = is.target = 0;
        CHECK_MSG(t, same_inst(&was, &is), "%s", text.text);
        strbuf_fini(&again);
    }
    program_free(back);
    strbuf_fini(&text);
}

static void test_every_row_has_a_sound_form(struct test *t)
{
    for (unsigned op = 0; op < OP_COUNT; op++) {
        struct inst i = plain((enum isa_op)op);
        const char *wrong = isa_check(&i);
        CHECK_MSG(t, !wrong, "%s: %s", isa_table[op].mnemonic, wrong ? wrong : "");
        if (!wrong) round_trip(t, &i);
    }
}

// Each value of each modifier admitted by the check changes the text or is the default, and reads back.
static void test_every_modifier_reads_back(struct test *t)
{
    unsigned tried_count = 0;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        struct inst i = plain((enum isa_op)op);
        EACH_MODIFIER(m, (enum isa_op)op)
        for (unsigned v = 0;; v++) {
            struct inst changed = i;
            if (!isa_modifier_set(&changed, m, v)) break;
            if (isa_check(&changed)) continue;
            round_trip(t, &changed);
            tried_count++;
        }
    }
    CHECK_MSG(t, tried_count > 500, "%u modifiers tried", tried_count);
}

// Flags admitted by the check must be visible in the listing.
static void test_no_flag_is_hidden(struct test *t)
{
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned bit = 0; bit < 16; bit++) {
            unsigned flag = 1u << bit;
            if (!(isa_shapes[op].flags & flag) || flag == INST_CC) continue;
            bool written = false;
            struct inst i = {.op = (uint16_t)op, .flags = (uint16_t)flag};
            EACH_MODIFIER(m, (enum isa_op)op)
            for (unsigned v = 0; v < 2; v++) {
                struct inst changed = {.op = (uint16_t)op};
                if (isa_modifier_set(&changed, m, v) && changed.flags == i.flags) written = true;
            }
            CHECK_MSG(t, written, "flag %#x of %s", flag, isa_table[op].mnemonic);
        }
}

static const char *const samples[] = {
    "@!P0 IMAD.WIDE R2, R0, R3, c[0x0][0x160]",
    "IADD3 R2, P0, R4, -R6, RZ",
    "IADD3.X R3, R5, ~R7, RZ, P0",
    "ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x170], PT",
    "ISETP.LT.AND.EX P0, PT, R1, R3, PT, P0",
    "LOP3.LUT R5, R4, 0x1f, RZ, 0xc0",
    "LOP3.LUT RZ, P3, R4, 0x1f, RZ, 0xc0",
    "PLOP3.LUT P0, P1, P2, !P3, PT, 0x80, 0x7f",
    "LEA R0, R3, c[0x0][0x160], 0x2",
    "LEA.HI.SX32 R0, R3, R4, 0x1b",
    "LEA.HI.X R5, R3, c[0x0][0x164], R4, 0x2, P0",
    "IMNMX.U32 R0, R1, R2, PT",
    "FMNMX.FTZ R0, R1, |R2|, !PT",
    "FFMA.FTZ.RZ.SAT R0, -R1, 1.5, R2",
    "FADD R0, -|R1|, 3.4028235e+38",
    "FSETP.GTU.FTZ.OR P0, P1, |R2|, +INF, !P3",
    "FMUL R0, R1, 0x7fffffff",
    "DFMA R2, R4, c[0x2][0x8], -R6",
    "DMUL R2, R4, 0.5",
    "MUFU.RCP64H R1, R3",
    "F2F.F64.F32 R2, R5",
    "F2I.U32.F64.TRUNC R2, R6",
    "HFMA2.F16.FTZ R1, R2.H0_H0, -R3, R4.H1_H1",
    "LDG.E.128.CONSTANT R4, [R2+0x10]",
    "LDG.E.U8.STRONG.GPU R4, [R2-0x10]",
    "LDS.64 R4, [0x120]",
    "LDC R3, c[0x3][R4+0x8]",
    "STG.E [R2], R6",
    "ATOMG.E.CAS.U64 R6, [R2], R8, R10",
    "ATOMS.ADD.U32 R0, [R1], R2",
    "RED.E.ADD.F32 [R2], R0",
    "LDGSTS.E.128 [R1], [R2+0x40]",
    "SHFL.BFLY R3, PT, R4, 0x10, 0x1f, 0xffffffff",
    "VOTE R0, P1, 0xffffffff",
    "VOTE.ALL RZ, P0, P1, R2",
    "BAR.SYNC 0x0",
    "BAR.RED.POPC R1, 0x0, P2",
    "BAR.ARV 0x1, 0x40",
    "FADD R3, R4, s[R2+0x80]",
    "MOV R3, s[0x10]",
    "TEX.2D.F32.S32 R4, R2, R8",
    "SYSCALL.VPRINTF R4, R6, R8",
    "SHF.R.W.U32 R0, R1, 0x8, R2",
    "HMMA.16816.F32.BF16 R4, R8, R12, R4",
    "HMMA.884.CR.F16.F16 R4, R8, R10, RZ",
    "HMMA.884.RR.H1.F32.F16 R4, R8, R10, R4",
    "HMMA.SP.16832.F32.F16 R4, R8, R12, R4, 0x1, R16",
    "IMMA.16832.S8.U8.SAT R4, R8, R12, R4",
    "BMMA.168256.XOR R4, R8, R12, R4",
    "DMMA.884.RZ R4, R8, R10, R4",
    "QMMA.16832.F16.E4M3.E5M2 R4, R8, R12, R6",
    "LDSM.16.MT88.4 R4, [R1+0x400]",
    "MOVM.16.MT88 R4, R5",
    "@P6 BRA.U .L_0, join .L_8",
};

static void test_samples_print_as_written(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(samples); k++) {
        struct strbuf text = {0}, out = {0};
        strbuf_printf(&text, ".literal 0 0 0 0\n.params 32\n%s\nEXIT\n", samples[k]);
        struct program *p = asm_program(t, strbuf_text(&text));
        if (p) {
            program_print_inst(p, 0, &out);
            CHECK_STR(t, strbuf_text(&out), samples[k]);
        }
        program_free(p);
        strbuf_fini(&text);
        strbuf_fini(&out);
    }
}

// Ill-formed instructions whose operands alone would be legal elsewhere.
static void test_wrong_forms_are_refused(struct test *t)
{
    struct operand reg = {.kind = OPERAND_REG, .width = 1, .reg = 4}, imm = {.kind = OPERAND_IMM, .width = 1};
    struct operand pred = {.kind = OPERAND_PRED, .width = 1, .reg = PRED_TRUE};
    const struct {
        struct inst i;
        const char *wrong;
    } rows[] = {
        {{.op = OP_S2R, .dst = {reg}, .src = {reg}}, "S2R and CS2R read special registers"},
        {{.op = OP_FADD, .dst = {reg}, .src = {reg}}, "a missing source"},
        {{.op = OP_FADD, .dst = {reg}, .src = {reg, reg, reg}}, "a source the instruction does not have"},
        {{.op = OP_IADD3, .dst = {reg, pred}, .src = {reg, reg, reg}},
         "a destination the instruction does not have"},
        {{.op = OP_IADD3, .dst = {reg}, .src = {reg, imm, imm}}, "more than one source that is no register"},
        {{.op = OP_SHL, .dst = {reg}, .src = {reg, pred}}, "an operand of the wrong kind"},
        {{.op = OP_RET, .src = {imm}}, "an immediate where only a register goes"},
        {{.op = OP_SHR, .type = TYPE_F32, .dst = {reg}, .src = {reg, reg}},
         "a type the instruction does not have"},
        {{.op = OP_IMAD, .flags = INST_HI, .dst = {reg}, .src = {reg, reg, reg}},
         "a type the instruction does not have"},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct inst i = rows[k].i;
        i.guard = PRED_TRUE;
        CHECK_STR(t, isa_check(&i), rows[k].wrong);
    }
}

static void test_program_and_listing(struct test *t)
{
    struct program *p = asm_program(t, ".params 8\n"
                                       "    S2R R0, SR_TID.X\n"
                                       "    ISETP.NE.AND P0, PT, R0, RZ, PT\n"
                                       "@P0 BRA odd, join out\n"
                                       "    CALL R20, twice\n"
                                       "odd:\n"
                                       "    STG [R0], R0\n"
                                       "out:\n"
                                       "    EXIT\n"
                                       ".function twice\n"
                                       "    IADD3 R0, R0, R0, RZ\n"
                                       "    RET R20\n");
    if (!p) return;
    CHECK_EQ(t, p->inst_count, 8);
    CHECK_EQ(t, p->reg_count, 21);
    CHECK_EQ(t, p->pred_count, 1);
    CHECK_EQ(t, p->insts[2].target, 4);
    CHECK_EQ(t, p->insts[2].reconverge, 5);
    CHECK_EQ(t, p->insts[3].target, 6);
    CHECK_EQ(t, p->functions[1].first, 6);
    struct strbuf out = {0};
    program_print(p, &out);
    CHECK_GOLDEN(t, "tests/isa/listing.golden", strbuf_text(&out));
    strbuf_fini(&out);
    program_free(p);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"every_row_has_a_sound_form", test_every_row_has_a_sound_form},
        {"every_modifier_reads_back", test_every_modifier_reads_back},
        {"no_flag_is_hidden", test_no_flag_is_hidden},
        {"samples_print_as_written", test_samples_print_as_written},
        {"wrong_forms_are_refused", test_wrong_forms_are_refused},
        {"program_and_listing", test_program_and_listing},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
