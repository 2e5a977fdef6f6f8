// Addresses of a cluster's shared memory (isa/bank.h), and setmaxnreg.
//
//     mapa d, a, rank      d = a with the field of the rank replaced by rank + 1
//     getctarank d, a      d = field - 1; of field 0 the rank of the own block
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/modes.h"

enum { FIELD_BITS = 24 - ISA_RANK_SHIFT };

void lower_mapa(struct lower *l)
{
    bool is_wide = lower_type0(l) == PTX_U64;
    struct ir_value *a = lower_read(l, 1, lower_type0(l)), *low = is_wide ? lower_low(l, a) : a;
    struct ir_value *field = op2(l, IR_ADD, TYPE_U32, lower_read(l, 2, PTX_U32), word(l, 1));
    const uint32_t mask = ((1u << FIELD_BITS) - 1) << ISA_RANK_SHIFT;
    low = op2(l, IR_OR, TYPE_U32, op2(l, IR_AND, TYPE_U32, low, word(l, ~mask)),
              op2(l, IR_SHL, TYPE_U32, field, word(l, ISA_RANK_SHIFT)));
    lower_write(l, 0, is_wide ? lower_pack(l, low, lower_high(l, a)) : low);
}

void lower_getctarank(struct lower *l)
{
    bool is_wide = lower_type0(l) == PTX_U64;
    struct ir_value *a = lower_read(l, 1, lower_type0(l)), *low = is_wide ? lower_low(l, a) : a;
    struct ir_value *field = op3(l, IR_BFE, TYPE_U32, low, word(l, ISA_RANK_SHIFT), word(l, FIELD_BITS));
    struct ir_value *is_own = lower_compare(l, CMP_EQ, TYPE_U32, field, word(l, 0));
    struct ir_value *rank = op2(l, IR_SUB, TYPE_U32, field, word(l, 1));
    lower_write(l, 0, lower_select(l, is_own, lower_sreg(l, PTX_SREG_CLUSTER_CTARANK, 0), rank));
}

void lower_setmaxnreg(struct lower *l)
{
    struct ir_inst *i = lower_effect(l, IR_MAXREG, TYPE_NONE, 0, NULL, 0, NULL);
    i->mode = l->inst->atom == PTX_ATOM_INC ? MODE_ATOM_INC : MODE_ATOM_DEC;
    i->offset = (int64_t)l->inst->operands[0].imm;
}
