// Type check of one instruction: its form, its operands letter by letter, then checks of the single
// operation.
#include "ptx/check.h"

#include <string.h>

const char ptx_unsupported_form[] = "unsupported form";

static bool check_operands(struct check *c, const char *operands)
{
    unsigned least, most, o = 0;
    if (*operands == '@') return true;
    signature_operands(operands, &least, &most);
    if (!check_count(c, least, most)) return false;
    for (const char *letter = operands; *letter; letter++) {
        if (*letter == '?') continue;
        if (o == c->i->operand_count) break;
        if (!check_letter(c, *letter, &c->i->operands[o++])) return false;
    }
    return true;
}

static bool check_operation(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (i->bulk && i->op != PTX_OP_CP) return check_bulk_relative(c);
    switch ((int)i->op) {
    case PTX_OP_SET:
    case PTX_OP_SETP: return check_comparison(c);
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_MADC:
    case PTX_OP_MUL24:
    case PTX_OP_MAD24:
    case PTX_OP_DP2A: return check_product(c) && check_half_rounding(c);
    case PTX_OP_ADD:
    case PTX_OP_SUB: return check_half_rounding(c);
    case PTX_OP_FMA:
        if (i->sat && i->relu) return check_says(c, ".sat and .relu exclude each other");
        return check_half_rounding(c);
    case PTX_OP_MIN:
    case PTX_OP_MAX: return check_min_max(c);
    case PTX_OP_SLCT:
        return !i->ftz || i->types[1] == PTX_F32 || check_says(c, ".ftz needs an .f32 selector in 'slct'");
    case PTX_OP_LOP3: return check_integer(c, &i->operands[4], 0, 0xffff);
    case PTX_OP_BFE: return check_field(c, 2);
    case PTX_OP_BFI: return check_field(c, 3);
    case PTX_OP_PMEVENT: return check_integer(c, &i->operands[0], 0, c->given & F(WORD) ? 0xffff : 15);
    case PTX_OP_VOTE:
    case PTX_OP_MATCH: return check_vote(c);
    case PTX_OP_SHFL: return check_shuffle(c);
    case PTX_OP_REDUX: return check_redux(c);
    case PTX_OP_FENCE: return check_fence(c);
    case PTX_OP_ISSPACEP:
    case PTX_OP_CVTA: return check_isspacep(c);
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: return check_load_store(c);
    case PTX_OP_ATOM:
    case PTX_OP_RED: return check_atom(c);
    case PTX_OP_CP: return check_cp(c);
    case PTX_OP_MBARRIER: return check_mbarrier(c);
    case PTX_OP_CREATEPOLICY: return check_policy(c);
    case PTX_OP_ELECT:
        return i->operands[0].kind == PTX_OPERAND_PAIR || check_says(c, "'elect' needs a pair d|p");
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD: return check_prefetch(c);
    case PTX_OP_MOV: return check_mov(c);
    case PTX_OP_CVT: return check_cvt(c);
    case PTX_OP_TEX:
    case PTX_OP_TLD4: return check_texture(c);
    case PTX_OP_TXQ:
    case PTX_OP_SUQ: return check_texture_query(c);
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_SURED: return check_surface(c);
    case PTX_OP_BAR:
    case PTX_OP_BARRIER: return check_barrier(c);
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX: return check_matrix_rows(c);
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK: return check_cluster_address(c);
    case PTX_OP_GRIDDEPCONTROL: return check_griddepcontrol(c);
    case PTX_OP_SETMAXNREG: return check_setmaxnreg(c);
    case PTX_OP_MOVMATRIX: return check_movmatrix(c);
    case PTX_OP_CALL: return check_call(c);
    default: return true;
    }
}

// With .L2::cache_hint: drops the cache policy (a result of createpolicy), an extra last operand without
// effect on values. False and an error: the policy is missing or no 64-bit operand.
static bool drop_cache_policy(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (!(c->given & F(CACHE_HINT))) return true;
    if (i->operand_count < 2)
        return check_says(c, "'%s' with .L2::cache_hint needs a cache policy", ptx_op_name(i->op));
    if (!check_source(c, &i->operands[i->operand_count - 1], PTX_B64)) return false;
    i->operand_count--;
    return true;
}

static void refuse_for_variables(struct ptx_inst *i)
{
    for (unsigned o = 0; o < i->operand_count; o++)
        if (i->operands[o].variable && i->operands[o].variable->unsupported)
            i->unsupported = i->operands[o].variable->unsupported;
}

bool check_instruction(struct parser *p, struct ptx_inst *i, uint64_t given)
{
    struct check c = {p, i, given};
    if (!drop_cache_policy(&c)) return false;
    if (i->op == PTX_OP_MMA) return check_mma(&c);
    if (i->op == PTX_OP_WMMA) return check_wmma(&c);
    if (i->op == PTX_OP_WGMMA) return check_wgmma(&c);
    const struct signature *s = signature_find(&c);
    if (!s || !check_operands(&c, s->operands)) return false;
    if (s->refuse) i->unsupported = ptx_unsupported_form;
    refuse_for_variables(i);
    return (!i->of_cluster || check_of_cluster(&c)) && check_operation(&c);
}
