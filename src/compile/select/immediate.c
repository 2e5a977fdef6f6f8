// Which constants an instruction of floats holds (profile pascal). Volta's instructions of 16 bytes have a whole word for one; those
// of Maxwell and Pascal, of 8, have 20 bits, the uppermost of a float. Sums and products have a long form besides, with a word of 32
// bits. Of a sum of products only a factor can be a constant, and its long form adds to the register it writes. What fits nowhere
// comes to a register by a MOV.
//
// The fields are those that Mesa's emitter of this machine code fills (nouveau's codegen, emit_gm107). That ptxas takes a MOV, not
// the constant bank, is what a GTX 1080 Ti counts: PolyBench's fdtd step, with one such factor, executes one
// instruction more than the rest of its code explains; its convolution, with seven, five (it finds the long form for two).
// Integers, of which no such launch says anything, are left as they are: in the constant bank they take no instruction.
#include "compile/select/select.h"

static bool fits(uint32_t bits) { return (bits & 0xfff) == 0; }

bool fits_in_place(const struct mach_inst *m, unsigned k)
{
    uint32_t bits = m->i.src[k].value;
    if (m->i.op == OP_FFMA) return k == 1 && fits(bits);
    if (m->i.op == OP_FMNMX || m->i.op == OP_FSETP) return fits(bits);
    return true;
}
