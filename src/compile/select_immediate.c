// Which constants an instruction holds (profile pascal). Volta's instructions of 16 bytes have a whole word for one; those of
// Maxwell and Pascal, of 8, have 20 bits: of an integer the lowest, with their sign, of a float the uppermost. Some
// have a long form besides, with a word of 32 bits: sums and products of two, moves, bit operations on two. Of a sum of
// products only a factor can be a constant, and its long form adds to the register it writes. What fits nowhere comes to a register by a MOV.
//
// The fields are those that Mesa's emitter of this machine code fills (nouveau's codegen, emit_gm107). That ptxas takes a MOV, not
// the constant bank, is what a GTX 1080 Ti counts: PolyBench's fdtd step, with one such factor, executes one
// instruction more than the rest of its code explains; its convolution, with seven, five (it finds the long form for two).
#include "compile/select.h"

static bool fits_integer(uint32_t value)
{
    int32_t number = (int32_t)value;
    return number >= -(1 << 19) && number < 1 << 19;
}

static bool fits_float(uint32_t bits) { return (bits & 0xfff) == 0; }

// One source is RZ, or 0: a sum of two, which has the long form.
static bool is_sum_of_two(const struct mach_inst *m)
{
    unsigned zeroes = 0;
    for (unsigned k = 0; k < 3; k++)
        zeroes += m->i.src[k].kind == OPERAND_REG ? m->src[k] == MACH_NONE : !m->i.src[k].value;
    return zeroes > 0;
}

// A LOP3 whose table does not look at the third input.
static bool is_of_two(const struct inst *i) { return (i->lut & 0x55) == (i->lut >> 1 & 0x55); }

bool fits_in_place(const struct mach_inst *m, unsigned k)
{
    uint32_t value = m->i.src[k].value;
    switch (m->i.op) {
    case OP_FFMA: return k == 1 && fits_float(value);
    case OP_FMNMX:
    case OP_FSETP: return fits_float(value);
    case OP_IADD3: return fits_integer(value) || is_sum_of_two(m);
    case OP_LOP3: return fits_integer(value) || is_of_two(&m->i);
    case OP_ISETP:
    case OP_IMNMX:
    case OP_SEL: return fits_integer(value);
    }
    return true;
}
