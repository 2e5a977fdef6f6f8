// Integer products on a machine that multiplies halves of words (profile pascal). With a = a1:a0, b = b1:b0:
//
//     low word                              high word
//     XMAD.MRG      t = b0 : low16(a0 b1)   XMAD       ll = a0 b0
//     XMAD          u = a0 b0 + c           XMAD       lh = a0 b1
//     XMAD.PSL.CBCC d = (a1 b0 << 16)       XMAD       hh = a1 b1
//                       + (t << 16) + u     XMAD.CHI   hl = a1 b0 + (ll >> 16)
//                                           IADD3.RS    d = ((lh + hl) >> 16) + hh
//
// The halves of a constant are immediates, so a1 b0 and a0 b1 are added by one XMAD.PSL each. A half known to
// be zero needs no instruction. Of a signed factor only the upper half is signed. Disassemblies of sm_50 to
// sm_61 show the same code, except for signed products: they correct the sign with XMAD's .CSFU, where
// IADD3.RS adds signed numbers here.
#include "base/bits.h"
#include "compile/select/select.h"
#include "isa/modes.h"
#include "isa/sregs.h"

// Lower 16 bits of a word as an operand of XMAD.
static struct source lower_half(struct source o)
{
    return source_is_imm(&o) ? source_imm(o.o.value & 0xffff) : o;
}

static struct source upper_half(struct source o)
{
    if (source_is_imm(&o)) return source_imm(o.o.value >> 16);
    if (!source_is_zero(&o)) o.o.flags |= OPERAND_H1_H1;
    return o;
}

static struct source word(uint32_t unit) { return source_unit(unit, 1); }

struct factor { // one half of a factor
    struct source o;
    bool is_signed;
};

static uint32_t emit_xmad(struct select *s, uint32_t dst, enum isa_mode mode, struct factor a,
                          struct factor b, struct source c)
{
    struct mach_inst *i = begin3(s, OP_XMAD, dst, a.o, b.o, source_is_imm(&c) ? in_register(s, c) : c);
    i->i.mode = (uint8_t)mode;
    i->i.type = a.is_signed ? TYPE_S16 : TYPE_U16;
    i->i.type2 = b.is_signed ? TYPE_S16 : TYPE_U16;
    finish(s, i);
    return dst;
}

static uint32_t xmad(struct select *s, enum isa_mode mode, struct factor a, struct factor b, struct source c)
{
    return emit_xmad(s, mach_reg(s->f, 1), mode, a, b, c);
}

struct factors {
    struct factor a0, a1, b0, b1;
    bool a_fits, b_fits; // in 16 bits: the upper half is zero
};

static bool fits_constant(const struct source *o) { return source_is_imm(o) && o->o.value <= 0xffff; }

// True if v fits in 16 bits as far as ptxas knows. Launch dimensions and block indices may fit, too, but
// ptxas ignores it: blockIdx * blockDim + threadIdx takes three XMAD on the card, in x and in y. Measured:
// vectorAdd executes 12 integer instructions per thread, PolyBench's 2DCONV 22.
static bool fits_half(const struct select *s, struct ir_value *v)
{
    uint64_t bits;
    struct ir_inst *special = def_of(v, IR_SREG);
    if (constant_of(v, &bits)) return (uint32_t)bits <= 0xffff;
    if (def_of(v, IR_BANK) || (special && special->offset >= SREG_NTID_X && special->offset <= SREG_NCTAID_Z))
        return false;
    return known_max(&s->known, strip(v)) <= 0xffff;
}

// Splits the factors into 16-bit halves, exchanged if a is not in a register. The first factor goes to a
// register; the second may be any operand. a_fits, b_fits: the factor fits in 16 bits.
static struct factors factors_of(struct select *s, struct source a, bool a_fits, struct source b, bool b_fits,
                                 bool is_signed)
{
    if (!source_is_reg(&a)) {
        struct source o = a;
        bool fits = a_fits;
        a = b, a_fits = b_fits;
        b = o, b_fits = fits;
    }
    a = in_register(s, a);
    return (struct factors){.a0 = {lower_half(a), false},
                            .a1 = {upper_half(a), is_signed},
                            .b0 = {lower_half(b), false},
                            .b1 = {upper_half(b), is_signed},
                            .a_fits = a_fits,
                            .b_fits = b_fits};
}

// Adds the cross products a0 * b1 and a1 * b0 to `sum` (a0 * b0 + c), for the low word of the product.
static void add_cross(struct select *s, uint32_t dst, const struct factors *f, struct source sum)
{
    struct factor a1 = {f->a1.o, false}, b1 = {f->b1.o, false}; // signs do not matter in 32 bits
    if (!f->a_fits && !f->b_fits && !source_is_imm(&f->b0.o) && !source_is_imm(&f->b1.o)) {
        struct source t = word(xmad(s, MODE_XMAD_MRG, f->a0, b1, source_zero()));
        emit_xmad(s, dst, MODE_XMAD_PSL_CBCC, a1, (struct factor){upper_half(t), false}, sum);
        return;
    }
    bool last = f->b_fits || source_is_zero(&b1.o);
    if (!f->a_fits) {
        uint32_t to = last ? dst : mach_reg(s->f, 1);
        sum = word(emit_xmad(s, to, MODE_XMAD_PSL, a1, f->b0, sum));
    }
    if (!last) emit_xmad(s, dst, MODE_XMAD_PSL, f->a0, b1, sum);
}

static bool has_cross(const struct factors *f)
{
    return !f->a_fits || !(f->b_fits || source_is_zero(&f->b1.o));
}

// dst = (x << amount) + y, one LEA.
static void emit_scaled_add(struct select *s, uint32_t dst, struct source x, unsigned amount, struct source y)
{
    struct mach_inst *i = begin(s, OP_LEA);
    i->i.shift = (uint8_t)amount;
    set_dst(i, 0, dst, 1);
    set_src(i, 0, x);
    set_src(i, 1, y);
    finish(s, i);
}

// dst = low word of a * b + c. Returns the unit of a0 * b0 + c.
static uint32_t multiply(struct select *s, uint32_t dst, const struct factors *f, struct source c)
{
    bool alone = !has_cross(f);
    uint32_t sum = emit_xmad(s, alone ? dst : mach_reg(s->f, 1), MODE_NONE, f->a0, f->b0, c);
    if (!alone) add_cross(s, dst, f, word(sum));
    return sum;
}

static bool is_power(struct ir_value *v, unsigned *amount)
{
    uint64_t bits;
    bool is = constant_of(v, &bits) && bits > 1 && bits <= 1u << 30 && is_power_of_two(bits);
    if (is) *amount = bit_lowest(bits);
    return is;
}

static struct factors factors_of_values(struct select *s, struct ir_value *a, struct ir_value *b,
                                        bool is_signed)
{
    return factors_of(s, source_any(s, a), fits_half(s, a), source_any(s, b), fits_half(s, b), is_signed);
}

void xmad_low(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b, struct source c)
{
    unsigned amount;
    if (is_power(b, &amount)) {
        emit_scaled_add(s, dst, source_reg(s, a), amount, c);
        return;
    }
    struct factors f = factors_of_values(s, a, b, false);
    multiply(s, dst, &f, c);
}

void xmad_low_words(struct select *s, uint32_t dst, struct source a, struct source b, struct source c)
{
    struct factors f = factors_of(s, a, fits_constant(&a), b, fits_constant(&b), false);
    multiply(s, dst, &f, c);
}

// Computes the high word of the product a1:a0 * b1:b0 (16-bit halves). `low`: register unit with a0 * b0.
static void finish_high(struct select *s, uint32_t dst, const struct factors *f, uint32_t low)
{
    bool is_signed = f->a1.is_signed;
    uint32_t cross = xmad(s, MODE_XMAD_CHI, f->a1, f->b0, word(low));
    if (f->b_fits) { // b1 = 0: the high word is (a1 b0 + (a0 b0 >> 16)) >> 16
        struct mach_inst *shift = begin(s, OP_SHR);
        shift->i.type = is_signed ? TYPE_S32 : TYPE_U32;
        set_dst(shift, 0, dst, 1);
        set_src(shift, 0, word(cross));
        set_src(shift, 1, source_imm(16));
        finish(s, shift);
        return;
    }
    uint32_t other = xmad(s, MODE_NONE, f->a0, f->b1, source_zero());
    uint32_t high = xmad(s, MODE_NONE, f->a1, f->b1, source_zero());
    struct mach_inst *sum = begin3(s, OP_IADD3RS, dst, word(other), word(cross), word(high));
    sum->i.type = is_signed ? TYPE_S32 : TYPE_U32;
    finish(s, sum);
}

static void swap_factors(struct factors *f)
{
    struct factors was = *f;
    *f = (struct factors){was.b0, was.b1, was.a0, was.a1, was.b_fits, was.a_fits};
}

// Makes a factor that fits in 16 bits the second factor, if the other factor is in a register. If both
// factors fit, the product is one XMAD.
static void order_by_size(struct factors *f)
{
    if (f->a_fits && !f->b_fits && source_is_reg(&f->b0.o)) swap_factors(f);
}

void xmad_high(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b, bool is_signed)
{
    struct factors f = factors_of_values(s, a, b, is_signed);
    order_by_size(&f);
    finish_high(s, dst, &f, xmad(s, MODE_NONE, f.a0, f.b0, source_zero()));
}

static void emit_shift_by(struct select *s, unsigned op, uint32_t dst, struct source a, unsigned amount,
                          bool is_signed)
{
    struct mach_inst *i = begin(s, op);
    if (op == OP_SHR) i->i.type = is_signed ? TYPE_S32 : TYPE_U32;
    set_dst(i, 0, dst, 1);
    set_src(i, 0, a);
    set_src(i, 1, source_imm(amount));
    finish(s, i);
}

// An extended word times a power of two, the usual form of an address.
static void emit_shifted_pair(struct select *s, uint32_t dst, struct source a, unsigned amount,
                              bool is_signed)
{
    emit_shift_by(s, OP_SHL, dst, a, amount, false);
    emit_shift_by(s, OP_SHR, dst + 1, a, 32 - amount, is_signed);
}

static void multiply_wide(struct select *s, uint32_t dst, struct factors *f)
{
    order_by_size(f);
    uint32_t low = multiply(s, dst, f, source_zero());
    if (f->a_fits && f->b_fits)
        move_to(s, dst + 1, source_zero());
    else
        finish_high(s, dst + 1, f, low);
}

static void multiply_values(struct select *s, uint32_t dst, struct ir_value *a, struct ir_value *b,
                            bool is_signed)
{
    unsigned amount;
    if (is_power(b, &amount)) {
        emit_shifted_pair(s, dst, source_reg(s, a), amount, is_signed);
        return;
    }
    struct factors f = factors_of_values(s, a, b, is_signed);
    multiply_wide(s, dst, &f);
}

static void emit_add64(struct select *s, uint32_t dst, uint32_t pair, struct source low, struct source high)
{
    uint32_t carry = mach_pred(s->f);
    emit_add(s, dst, word(pair), low, carry);
    emit_addx(s, dst + 1, word(pair + 1), high, source_predicate(carry), MACH_NONE);
}

void xmad_wide_words(struct select *s, uint32_t dst, struct source a, struct source b, struct source c)
{
    struct factors f = factors_of(s, a, fits_constant(&a), b, fits_constant(&b), false);
    bool alone = source_is_zero(&c);
    uint32_t product = alone ? dst : mach_reg(s->f, 2);
    multiply_wide(s, product, &f);
    if (alone) return;
    struct source high = c;
    c.o.width = high.o.width = 1;
    if (source_is_reg(&c))
        high.unit++;
    else
        high.o.value += 4;
    emit_add64(s, dst, product, c, high);
}

// The pair at dst = (x << amount) + high:low for an unsigned word x.
static void emit_element(struct select *s, uint32_t dst, struct source x, unsigned amount, struct source low,
                         struct source high)
{
    uint32_t carry = mach_pred(s->f);
    struct mach_inst *i = begin(s, OP_LEA);
    i->i.shift = (uint8_t)amount;
    set_dst(i, 0, dst, 1);
    set_src(i, 0, x);
    set_src(i, 1, low);
    set_carry_out(i, carry);
    finish(s, i);
    i = begin(s, OP_LEA);
    i->i.shift = (uint8_t)amount;
    i->i.flags = INST_HI;
    set_dst(i, 0, dst + 1, 1);
    set_src(i, 0, x);
    set_src(i, 1, high);
    set_src(i, 2, source_zero());
    set_carry_in(i, source_predicate(carry));
    finish(s, i);
}

void xmad_wide(struct select *s, uint32_t dst, struct ir_inst *i)
{
    struct ir_value *a = ir_operand(i, 0), *b = ir_operand(i, 1);
    bool is_signed = i->type == TYPE_S32;
    unsigned amount;
    if (i->op == IR_MULWIDE) {
        multiply_values(s, dst, a, b, is_signed);
        return;
    }
    struct source low = source_half(s, ir_operand(i, 2), LOW), high = source_half(s, ir_operand(i, 2), HIGH);
    if (!is_signed && is_power(b, &amount)) {
        emit_element(s, dst, source_reg(s, a), amount, low, high);
        return;
    }
    uint32_t product = mach_reg(s->f, 2);
    multiply_values(s, product, a, b, is_signed);
    emit_add64(s, dst, product, low, high);
}
