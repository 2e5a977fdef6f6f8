// Decoding and disassembling by rv.def.
#include "riscv/decode.h"

const struct rv_info rv_table[RV_COUNT] = {
#define YES true
#define NO  false
#define RV(name, mnemonic, mask, match, form, row, has, scalar, latency, meaning)                            \
    {mnemonic, meaning, mask, match, RV_FORM_##form, RV_LATENCY_##latency, scalar},
#include "riscv/rv.def"
#undef RV
};

static uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return word >> low & ((1u << count) - 1);
}

static uint32_t extended(uint32_t x, unsigned count)
{
    uint32_t sign = 1u << (count - 1);
    return (x ^ sign) - sign;
}

static uint32_t branch_offset(uint32_t w)
{
    return extended(bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 | bits(w, 8, 4) << 1,
                    13);
}

static uint32_t jump_offset(uint32_t w)
{
    return extended(bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1,
                    21);
}

static enum rv_op find(uint32_t word)
{
    for (unsigned k = 0; k < RV_COUNT; k++)
        if ((word & rv_table[k].mask) == rv_table[k].match) return (enum rv_op)k;
    return RV_NONE;
}

struct rv_inst rv_decode(uint32_t word)
{
    struct rv_inst i = {.op = (uint16_t)find(word)};
    uint8_t rd = (uint8_t)bits(word, 7, 5), rs1 = (uint8_t)bits(word, 15, 5),
            rs2 = (uint8_t)bits(word, 20, 5);
    if (i.op == RV_NONE) return i;
    switch (rv_table[i.op].form) {
    case RV_FORM_N: break;
    case RV_FORM_R:
    case RV_FORM_A: i.rd = rd, i.rs1 = rs1, i.rs2 = rs2; break;
    case RV_FORM_R1: i.rd = rd, i.rs1 = rs1; break;
    case RV_FORM_I:
    case RV_FORM_L: i.rd = rd, i.rs1 = rs1, i.imm = extended(word >> 20, 12); break;
    case RV_FORM_SH: i.rd = rd, i.rs1 = rs1, i.imm = rs2; break;
    case RV_FORM_S:
        i.rs1 = rs1, i.rs2 = rs2, i.imm = extended(bits(word, 25, 7) << 5 | bits(word, 7, 5), 12);
        break;
    case RV_FORM_B: i.rs1 = rs1, i.rs2 = rs2, i.imm = branch_offset(word); break;
    case RV_FORM_U:
    case RV_FORM_UP: i.rd = rd, i.imm = word & 0xfffff000; break;
    case RV_FORM_J: i.rd = rd, i.imm = jump_offset(word); break;
    case RV_FORM_C: i.rd = rd, i.rs1 = rs1, i.csr = (uint16_t)(word >> 20); break;
    case RV_FORM_CI: i.rd = rd, i.imm = rs1, i.csr = (uint16_t)(word >> 20); break;
    }
    return i;
}

const char *rv_register(unsigned r)
{
    static const char *const names[32] = {
        "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
        "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    return names[r & 31];
}

void rv_print(uint32_t word, uint32_t pc, struct strbuf *out)
{
    struct rv_inst i = rv_decode(word);
    if (i.op == RV_NONE) {
        strbuf_printf(out, ".word 0x%08x", word);
        return;
    }
    const char *d = rv_register(i.rd), *a = rv_register(i.rs1), *b = rv_register(i.rs2);
    int32_t imm = (int32_t)i.imm;
    bool has_rd = i.op != RV_J;
    strbuf_puts(out, rv_table[i.op].mnemonic);
    switch (rv_table[i.op].form) {
    case RV_FORM_N: break;
    case RV_FORM_R: strbuf_printf(out, " %s, %s, %s", d, a, b); break;
    case RV_FORM_R1: strbuf_printf(out, " %s, %s", d, a); break;
    case RV_FORM_I:
        if (i.op == RV_JR)
            strbuf_printf(out, " %d(%s)", imm, a);
        else if (i.op == RV_JALR)
            strbuf_printf(out, " %s, %d(%s)", d, imm, a);
        else
            strbuf_printf(out, " %s, %s, %d", d, a, imm);
        break;
    case RV_FORM_SH: strbuf_printf(out, " %s, %s, %u", d, a, i.imm); break;
    case RV_FORM_L: strbuf_printf(out, " %s, %d(%s)", d, imm, a); break;
    case RV_FORM_S: strbuf_printf(out, " %s, %d(%s)", b, imm, a); break;
    case RV_FORM_B: strbuf_printf(out, " %s, %s, 0x%08x", a, b, pc + i.imm); break;
    case RV_FORM_U:
    case RV_FORM_UP: strbuf_printf(out, " %s, 0x%x", d, i.imm >> 12); break;
    case RV_FORM_J:
        if (has_rd) strbuf_printf(out, " %s,", d);
        strbuf_printf(out, " 0x%08x", pc + i.imm);
        break;
    case RV_FORM_A: strbuf_printf(out, " %s, %s, (%s)", d, b, a); break;
    case RV_FORM_C: strbuf_printf(out, " %s, 0x%x, %s", d, i.csr, a); break;
    case RV_FORM_CI: strbuf_printf(out, " %s, 0x%x, %u", d, i.csr, i.imm); break;
    }
}
