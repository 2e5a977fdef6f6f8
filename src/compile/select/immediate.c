// Constants with an encoding in a float instruction (profile pascal). Volta's 16-byte instructions hold a
// whole word. The 8-byte instructions of Maxwell and Pascal hold 20 bits, the uppermost bits of a float; FADD
// and FMUL have a long form with a 32-bit word. In FFMA only a factor can be a constant, and the long form
// adds to the destination register. A constant without an encoding goes to a register by MOV.
//
// Source of the fields: Mesa's emitter of the machine code (nouveau's codegen, emit_gm107). Measured
// instruction counts on a GTX 1080 Ti show that ptxas takes a MOV, not the constant bank. PolyBench's fdtd
// step, with one factor without an encoding, executes one instruction more than the rest of its code
// explains. The convolution, with seven such factors, executes five more (ptxas uses the long form for two).
// No measured launch gives evidence for integers, so integer constants stay in the constant bank, at no
// instruction.
#include "compile/select/select.h"

static bool fits(uint32_t bits) { return (bits & 0xfff) == 0; }

bool fits_in_place(const struct mach_inst *m, unsigned k)
{
    uint32_t bits = m->i.src[k].value;
    if (m->i.op == OP_FFMA) return k == 1 && fits(bits);
    if (m->i.op == OP_FMNMX || m->i.op == OP_FSETP) return fits(bits);
    return true;
}
