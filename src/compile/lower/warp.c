// Exchange between the lanes of a warp (PTX ISA 9.7.9.5, 9.7.9.6, 9.7.13.8 to 9.7.13.12).
//
// Forms without .sync of older PTX act on the active lanes: their IR operations have no member mask.
#include "compile/lower/impl.h"
#include "isa/modes.h"

static const enum ir_class value_and_predicate[] = {IR_CLASS_32, IR_CLASS_PRED};
static const enum ir_class predicate[] = {IR_CLASS_PRED};

// shfl d|p, a, b, c, members: defs are d and, if present, p.
void lower_shfl(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    const struct ptx_operand *in_range = lower_pair(&p->operands[0], 1);
    struct ir_value *uses[4];
    unsigned count = p->sync ? 4 : 3;
    for (unsigned k = 0; k < count; k++) uses[k] = lower_read(l, 1 + k, PTX_B32);
    struct ir_inst *i =
        lower_effect(l, IR_SHFL, TYPE_B32, in_range ? 2 : 1, value_and_predicate, count, uses);
    i->mode = (uint8_t)(MODE_SHFL_UP + (p->mode - PTX_MODE_SHFL_UP));
    lower_write_def(l, lower_pair(&p->operands[0], 0), i, 0);
    if (in_range) lower_write_def(l, in_range, i, 1);
}

void lower_vote(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    bool ballot = p->mode == PTX_MODE_VOTE_BALLOT;
    struct ir_value *uses[2] = {lower_read(l, 1, PTX_PRED)};
    if (p->sync) uses[1] = lower_read(l, 2, PTX_B32);
    struct ir_inst *i = lower_effect(l, IR_VOTE, ballot ? TYPE_B32 : TYPE_NONE, 1,
                                     ballot ? value_and_predicate : predicate, p->sync ? 2 : 1, uses);
    if (!ballot) i->mode = (uint8_t)(MODE_VOTE_ALL + (p->mode - PTX_MODE_VOTE_ALL));
    lower_write_def(l, &p->operands[0], i, 0);
}

void lower_match(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    enum ptx_type type = lower_type0(l);
    const struct ptx_operand *all_equal = lower_pair(&p->operands[0], 1);
    struct ir_value *uses[] = {lower_read(l, 1, type), lower_read(l, 2, PTX_B32)};
    struct ir_inst *i = lower_effect(l, IR_MATCH, ptx_type_bits(type) == 64 ? TYPE_B64 : TYPE_B32,
                                     all_equal ? 2 : 1, value_and_predicate, 2, uses);
    i->mode = p->mode == PTX_MODE_VOTE_ALL ? MODE_VOTE_ALL : MODE_VOTE_ANY;
    lower_write_def(l, lower_pair(&p->operands[0], 0), i, 0);
    if (all_equal) lower_write_def(l, all_equal, i, 1);
}

void lower_redux(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *uses[] = {lower_read(l, 1, type), lower_read(l, 2, PTX_B32)};
    struct ir_inst *i = lower_effect(l, IR_REDUX, lower_type(type), 1, value_and_predicate, 2, uses);
    i->mode = (uint8_t)(MODE_ATOM_ADD + (l->inst->atom - PTX_ATOM_ADD));
    lower_write_def(l, &l->inst->operands[0], i, 0);
}

void lower_activemask(struct lower *l)
{
    struct ir_inst *i = lower_effect(l, IR_ACTIVEMASK, TYPE_B32, 1, value_and_predicate, 0, NULL);
    lower_write_def(l, &l->inst->operands[0], i, 0);
}
// elect d|p, members: the lowest member leads; d is the leader's lane number.
void lower_elect(struct lower *l)
{
    const struct ptx_operand *d = &l->inst->operands[0];
    struct ir_value *members = lower_read(l, 1, PTX_B32), *lane = lower_sreg(l, PTX_SREG_LANEID, 0);
    lower_effect(l, IR_WARPSYNC, TYPE_NONE, 0, NULL, 1, &members);
    struct ir_value *lowest = op2(l, IR_AND, TYPE_U32, members, op1(l, IR_NEG, TYPE_U32, members));
    struct ir_value *leader = op1(l, IR_POPC, TYPE_U32, op2(l, IR_SUB, TYPE_U32, lowest, word(l, 1)));
    lower_write_operand(l, &d->elements[0], leader);
    lower_write_operand(l, &d->elements[1], lower_compare(l, CMP_EQ, TYPE_U32, lane, leader));
}

_Static_assert((int)MODE_SHFL_IDX - MODE_SHFL_UP == (int)PTX_MODE_SHFL_IDX - PTX_MODE_SHFL_UP &&
                   (int)MODE_VOTE_UNI - MODE_VOTE_ALL == (int)PTX_MODE_VOTE_UNI - PTX_MODE_VOTE_ALL &&
                   (int)MODE_ATOM_XOR - MODE_ATOM_ADD == (int)PTX_ATOM_XOR - PTX_ATOM_ADD,
               "modes stand in the same order in PTX and in the machine");
