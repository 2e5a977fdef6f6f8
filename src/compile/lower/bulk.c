// Bulk copies (isa.def): operands in words, one instruction each.
//
//     multicast      blocks as given, with bit 16 set; otherwise the block in the address
//     wait_group N   2 N; .read: 2 N + 1
#include "compile/lower/impl.h"
#include "isa/program.h"
#include "isa/space.h"

enum { MULTICAST = 1 << 16 };

static bool has(const struct lower *l, unsigned word) { return (l->inst->bulk & word) != 0; }

// An address as a value, the offset added.
static struct ir_value *address_value(struct lower *l, unsigned operand, enum ptx_space space)
{
    struct address a = lower_address(l, &l->inst->operands[operand], space);
    bool is_wide = a.base->class == IR_CLASS_64;
    if (a.space == SPACE_GLOBAL && !is_wide) {
        a.base = lower_to_wide(l, PTX_U32, a.base);
        is_wide = true;
    }
    if (!a.offset) return a.base;
    return op2(l, IR_ADD, is_wide ? TYPE_U64 : TYPE_U32, a.base,
               ir_constant(l->f, is_wide ? IR_CLASS_64 : IR_CLASS_32, (uint64_t)a.offset));
}

static struct ir_value *blocks_of(struct lower *l, unsigned operand)
{
    if (!has(l, PTX_WORD_MULTICAST)) return word(l, 0);
    struct ir_value *blocks =
        op2(l, IR_AND, TYPE_U32, lower_read(l, operand, PTX_U16), word(l, MULTICAST - 1));
    return op2(l, IR_OR, TYPE_U32, blocks, word(l, MULTICAST));
}

static void groups(struct lower *l)
{
    if (l->inst->mode == PTX_MODE_CP_COMMIT_GROUP) {
        lower_effect(l, IR_BULKCOMMIT, TYPE_NONE, 0, NULL, 0, NULL);
        return;
    }
    struct ir_inst *wait = lower_effect(l, IR_BULKWAIT, TYPE_NONE, 0, NULL, 0, NULL);
    wait->offset = (int64_t)(2 * l->inst->operands[0].imm + has(l, PTX_WORD_READ));
}

static void copy(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    struct ir_value *none = word(l, 0), *uses[5] = {none, none, NULL, NULL, none};
    enum ir_op op = IR_BULKPREFETCH;
    bool reduces = has(l, PTX_WORD_REDUCE);
    if (has(l, PTX_WORD_PREFETCH)) {
        uses[2] = address_value(l, 0, PTX_SPACE_GLOBAL);
        uses[3] = lower_read(l, 1, PTX_U32);
    } else if (p->space == PTX_SPACE_GLOBAL) {
        op = reduces ? IR_BULKREDUCE : IR_BULKSTORE;
        uses[0] = address_value(l, 1, PTX_SPACE_SHARED);
        uses[2] = address_value(l, 0, PTX_SPACE_GLOBAL);
        uses[3] = lower_read(l, 2, PTX_U32);
    } else {
        bool is_load = p->space_to == PTX_SPACE_GLOBAL;
        op = is_load ? IR_BULKLOAD : reduces ? IR_BULKREDUCESHARED : IR_BULKSEND;
        uses[0] = address_value(l, 0, PTX_SPACE_SHARED);
        uses[2] = address_value(l, 1, p->space_to);
        if (!is_load) uses[2] = lower_to_wide(l, PTX_U32, uses[2]);
        uses[3] = lower_read(l, 2, PTX_U32);
        uses[1] = address_value(l, 3, PTX_SPACE_SHARED);
        uses[4] = blocks_of(l, 4);
    }
    struct ir_inst *i = lower_effect(l, op, reduces ? lower_type(p->types[0]) : TYPE_NONE, 0, NULL, 5, uses);
    if (reduces) i->mode = (uint8_t)lower_atom_mode(p->atom);
    l->u->unit->program->uses_atomics |= op != IR_BULKPREFETCH;
}

// -- tensors ------------------------------------------------------------------------------------------------

enum { FIRST_COORDINATE = 3, COORDINATES = 5, BLOCKS = 8, TENSOR_USES = 11 };

static void tensor(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    struct ir_value *uses[TENSOR_USES];
    bool is_load = has(l, PTX_WORD_MBARRIER), prefetches = has(l, PTX_WORD_PREFETCH);
    unsigned map = is_load;
    const struct ptx_operand *coordinates = &p->operands[map]; // its elements
    for (unsigned k = 0; k < TENSOR_USES; k++) uses[k] = word(l, 0);
    if (!prefetches) uses[0] = address_value(l, is_load ? 0 : 1, PTX_SPACE_SHARED);
    if (is_load) uses[1] = address_value(l, 2, PTX_SPACE_SHARED);
    struct address a = lower_address(l, &p->operands[map], PTX_SPACE_GENERIC);
    if (!a.base || (a.space != SPACE_GENERIC && a.space != SPACE_GLOBAL)) {
        lower_refuse(l, "a tensor map named by its variable outside global memory");
        return;
    }
    uses[2] = address_value(l, map, PTX_SPACE_GENERIC);
    if (uses[2]->class == IR_CLASS_32) uses[2] = lower_to_wide(l, PTX_U32, uses[2]);
    for (unsigned k = 0; k < coordinates->count && k < COORDINATES; k++)
        uses[FIRST_COORDINATE + k] = lower_read_operand(l, &coordinates->elements[k], PTX_S32);
    if (is_load) uses[BLOCKS] = blocks_of(l, 3);
    enum ir_op op = prefetches                ? IR_TENSORPREFETCH
                    : is_load                 ? IR_TENSORLOAD
                    : has(l, PTX_WORD_REDUCE) ? IR_TENSORREDUCE
                                              : IR_TENSORSTORE;
    struct ir_inst *i = lower_effect(l, op, TYPE_NONE, 0, NULL, TENSOR_USES, uses);
    if (op == IR_TENSORREDUCE) i->mode = (uint8_t)lower_atom_mode(p->atom);
    i->bank = coordinates->count;
}

void lower_bulk(struct lower *l)
{
    if (has(l, PTX_WORD_TENSOR)) {
        tensor(l);
        return;
    }

    if (l->inst->mode != PTX_MODE_NONE)
        groups(l);
    else
        copy(l);
}
