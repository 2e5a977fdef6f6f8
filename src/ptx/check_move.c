// mov, cvt, bar and call.
#include "ptx/check.h"
#include "ptx/names.h"

// ---- mov

static enum ptx_type bits_type(unsigned bits)
{
    return bits == 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : bits == 64 ? PTX_B64 : PTX_NONE;
}

//   mov.b64 d, {lo, hi}     pack       d: |....hi....|....lo....|
//   mov.b64 {lo, hi}, a     unpack
static bool check_pack(struct check *c, struct ptx_operand *vector, struct ptx_operand *whole, bool unpack)
{
    enum ptx_type type = c->i->types[0], element = bits_type(ptx_type_bits(type) / vector->count);
    char name[CHECK_NAME_BYTES];
    bool counted = vector->count == 2 || vector->count == 4;
    if (!ptx_type_is_bits(type) || element == PTX_NONE || !counted)
        return check_says(c, "'%s' does not move %u elements; expected 2 or 4 that fill a .b16, .b32 or .b64",
                          check_name(c->i, name), vector->count);
    for (unsigned e = 0; e < vector->count; e++) {
        struct ptx_operand *o = &vector->elements[e];
        if (unpack && o->kind == PTX_OPERAND_SINK) continue;
        if (!(unpack ? check_dest(c, o, element) : check_source(c, o, element))) return false;
    }
    return unpack ? check_source(c, whole, type) : check_dest(c, whole, type);
}

// Checks a special register read as a `type`, by mov or cvt. False and an error: a wrong width, or a float.
bool check_special(struct check *c, const struct ptx_operand *o, enum ptx_type type)
{
    enum ptx_type own = ptx_sreg_type(o->sreg);
    bool legacy =
        o->sreg <= PTX_SREG_NCTAID || o->sreg == PTX_SREG_GRIDID; // were 16 and 32 bits in old versions
    unsigned bits = ptx_type_bits(type), own_bits = ptx_type_bits(own);
    bool width = bits == own_bits || (legacy && bits >= 16 && bits < own_bits);
    if (o->sreg == PTX_SREG_RESERVED_SMEM || o->sreg == PTX_SREG_CURRENT_GRAPH_EXEC)
        c->i->unsupported = ptx_sreg_name(o->sreg);
    if (width && !ptx_type_is_float(type)) return true;
    return diag_error(c->p->d, o->loc, "%s has %u bits; expected a .u%u", ptx_sreg_name(o->sreg), own_bits,
                      own_bits);
}

static bool check_mov_address(struct check *c, const struct ptx_operand *o)
{
    unsigned bits = ptx_type_bits(c->i->types[0]);
    if (o->kind == PTX_OPERAND_SYMBOL && !ptx_type_bits(o->variable->type))
        c->i->unsupported = "the address of a texture, sampler or surface";
    if (o->kind == PTX_OPERAND_SYMBOL && o->variable->space == PTX_SPACE_PARAM && !o->variable->is_input)
        return diag_error(c->p->d, o->loc, "the parameter '%.80s' of a call has no address",
                          o->variable->name);
    if ((bits == 32 || bits == 64) && !ptx_type_is_float(c->i->types[0])) return true;
    return diag_error(c->p->d, o->loc, "an address has 64 bits; expected mov.u64");
}

bool check_mov(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (!check_count(c, 2, 2)) return false;
    struct ptx_operand *d = &i->operands[0], *a = &i->operands[1];
    if (i->vector > 1) {
        if (d->kind != PTX_OPERAND_VECTOR || a->kind != PTX_OPERAND_VECTOR || d->count != i->vector ||
            a->count != i->vector)
            return check_says(c, "a vector 'mov' needs two vectors of %u elements", i->vector);
        i->unsupported = ptx_unsupported_form;
        return true;
    }
    if (d->kind == PTX_OPERAND_VECTOR && a->kind != PTX_OPERAND_VECTOR) return check_pack(c, d, a, true);
    if (a->kind == PTX_OPERAND_VECTOR && d->kind != PTX_OPERAND_VECTOR) return check_pack(c, a, d, false);
    if (!check_dest(c, d, i->types[0])) return false;
    switch (a->kind) {
    case PTX_OPERAND_SREG: return check_special(c, a, i->types[0]);
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_FUNCTION: return check_mov_address(c, a);
    case PTX_OPERAND_REG:
    case PTX_OPERAND_IMM:
    case PTX_OPERAND_NONE:
    case PTX_OPERAND_MEMORY:
    case PTX_OPERAND_LABEL:
    case PTX_OPERAND_LABELS:
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_PAIR:
    case PTX_OPERAND_SINK: break;
    }
    return check_source(c, a, i->types[0]);
}

// ---- cvt

enum rounding { NONE = 1, TO_FLOAT = 2, TO_INTEGER = 4 }; // rounding modifiers allowed on a conversion

static unsigned cvt_rounding(enum ptx_type to, enum ptx_type from)
{
    bool to_float = ptx_type_is_float(to), from_float = ptx_type_is_float(from);
    if (!to_float) return from_float ? TO_INTEGER : NONE;
    if (!from_float) return TO_FLOAT;
    if (to == from) return NONE | TO_INTEGER;
    if (from == PTX_BF16 || (to == PTX_BF16 && from == PTX_F16)) return NONE | TO_FLOAT;
    return ptx_type_bits(to) < ptx_type_bits(from) ? TO_FLOAT : NONE;
}

static bool check_cvt_rounding(struct check *c)
{
    struct ptx_inst *i = c->i;
    enum ptx_type to = i->types[0], from = i->types[1];
    char name[CHECK_NAME_BYTES];
    bool has_eights = from == PTX_E4M3X2 || from == PTX_E5M2X2 || to == PTX_E4M3X2 || to == PTX_E5M2X2;
    if (has_eights)
        return i->round == PTX_ROUND_RN || check_says(c, "'%s' rounds with .rn", check_name(i, name));
    if (to == PTX_F16X2 || to == PTX_BF16X2) {
        if (i->round == PTX_ROUND_RN || i->round == PTX_ROUND_RZ) return true;
        return check_says(c, "'%s' rounds with .rn or .rz", check_name(i, name));
    }
    if (to == PTX_TF32) {
        if (i->round == PTX_ROUND_RNA ? !i->relu : i->round == PTX_ROUND_RN || i->round == PTX_ROUND_RZ)
            return true;
        return check_says(c, "'%s' rounds with .rna, or with .rn or .rz and perhaps .relu",
                          check_name(i, name));
    }
    unsigned given = c->given & F(ROUND) ? TO_FLOAT : c->given & F(ROUND_INT) ? TO_INTEGER : NONE;
    unsigned allowed = cvt_rounding(to, from);
    if (given == TO_FLOAT && c->given & F(ROUND_INT))
        return check_says(c, "'%s' has two rounding modifiers", check_name(i, name));
    if (given & allowed) return true;
    if (allowed == TO_INTEGER)
        return check_says(c, "'%s' needs a rounding to an integer: .rzi, .rni, .rmi or .rpi",
                          check_name(i, name));
    if (allowed == TO_FLOAT)
        return check_says(c, "'%s' needs a rounding: .rn, .rz, .rm or .rp", check_name(i, name));
    return check_says(c, "'%s' is exact: %s", check_name(i, name),
                      allowed & TO_INTEGER ? "only rounding to an integer (.rni, .rzi, .rmi, .rpi) applies"
                                           : "no rounding applies");
}

bool check_cvt(struct check *c)
{
    struct ptx_inst *i = c->i;
    enum ptx_type to = i->types[0], from = i->types[1];
    char name[CHECK_NAME_BYTES];
    if (i->unsupported) return true; // no further checks
    bool bf16_byte =
        (to == PTX_BF16 && ptx_type_bits(from) == 8) || (from == PTX_BF16 && ptx_type_bits(to) == 8);
    if (bf16_byte) return check_says(c, "no conversion goes between .bf16 and 8-bit integers");
    if (i->ftz && to != PTX_F32 && from != PTX_F32)
        return check_says(c, "'%s' has no .f32 that .ftz could flush", check_name(i, name));
    bool bf16 = to == PTX_BF16 || from == PTX_BF16;
    if (i->sat && bf16) return check_says(c, "'%s' has no .sat", check_name(i, name));
    if (i->relu && (i->sat || i->ftz)) return check_says(c, ".relu goes with neither .sat nor .ftz");
    bool has_eights = from == PTX_E4M3X2 || from == PTX_E5M2X2 || to == PTX_E4M3X2 || to == PTX_E5M2X2;
    if (i->relu && !has_eights &&
        (from != PTX_F32 ||
         (to != PTX_F16 && to != PTX_BF16 && to != PTX_F16X2 && to != PTX_BF16X2 && to != PTX_TF32)))
        return check_says(c, ".relu converts from .f32 to a half or tf32");
    return check_cvt_rounding(c);
}

// ---- bar, barrier

static bool check_barrier_number(struct check *c, struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_IMM && !check_integer(c, o, 0, 15)) return false;
    return check_source(c, o, PTX_U32);
}

// Checks a barrier's number of participating threads: a multiple of 32, if constant. A constant 0 means the
// whole block, as does a missing operand, and is removed; .arrive refuses 0.
static bool check_barrier_count(struct check *c, unsigned index)
{
    struct ptx_inst *i = c->i;
    struct ptx_operand *o = &i->operands[index];
    bool constant = o->kind == PTX_OPERAND_IMM && o->component == LITERAL_INT;
    if (constant && o->imm % 32)
        return diag_error(c->p->d, o->loc, "the number of threads at a barrier must be a multiple of 32");
    if (constant && !o->imm && i->mode == PTX_MODE_BAR_ARRIVE)
        return diag_error(c->p->d, o->loc, "arriving needs the number of threads that take part");
    if (!constant || o->imm) return check_source(c, o, PTX_U32);
    for (unsigned next = index + 1; next < i->operand_count; next++)
        i->operands[next - 1] = i->operands[next];
    i->operand_count--;
    return true;
}

static bool check_barrier_reduction(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool popc = i->boolean == PTX_BOOL_POPC;
    if (i->boolean == PTX_BOOL_NONE || i->boolean == PTX_BOOL_XOR)
        return check_says(c, "'%s.red' needs .popc, .and or .or", ptx_op_name(i->op));
    if (popc != (i->types[0] == PTX_U32))
        return check_says(c, popc ? "'.red.popc' gives a .u32" : "'.red' with .and or .or gives a .pred");
    return check_count(c, 3, 4) && check_dest(c, &i->operands[0], i->types[0]) &&
           check_barrier_number(c, &i->operands[1]) && (i->operand_count == 3 || check_barrier_count(c, 2)) &&
           check_source_predicate(c, &i->operands[i->operand_count - 1]);
}

bool check_barrier(struct check *c)
{
    struct ptx_inst *i = c->i;
    const char *op = ptx_op_name(i->op);
    if (i->of_cluster) return check_cluster_barrier(c);
    if (c->given & F(SEM)) return check_says(c, "'%s' of a block names no memory order", op);
    if (i->mode == PTX_MODE_BAR_WAIT || i->mode == PTX_MODE_BAR_LAUNCH)
        return check_says(c, "'%s' has .sync, .arrive and .red", op);
    if (c->given & F(WORD)) {
        if (i->mode != PTX_MODE_BAR_SYNC) return check_says(c, "'bar.warp' has only .sync");
        i->mode = PTX_MODE_BAR_WARP_SYNC;
        return check_count(c, 1, 1) && check_source(c, &i->operands[0], PTX_U32);
    }
    if (i->op == PTX_OP_BAR && i->aligned)
        return check_says(c, "'bar' is aligned as it is; .aligned goes with 'barrier'");
    if (i->op == PTX_OP_BAR) i->aligned = true;
    if (i->mode == PTX_MODE_BAR_RED) {
        if (!i->type_count) return check_says(c, "'%s.red' needs a type: .u32 or .pred", op);
        return check_barrier_reduction(c);
    }
    if (i->type_count) return check_says(c, "only '%s.red' has a type", op);
    bool arrive = i->mode == PTX_MODE_BAR_ARRIVE;
    return check_count(c, arrive ? 2 : 1, 2) && check_barrier_number(c, &i->operands[0]) &&
           (i->operand_count == 1 || check_barrier_count(c, 1));
}

// ---- call

// Checks one argument or returned value of a call against the function's parameter: size and alignment of a
// .param variable, else the type.
static bool check_argument(struct check *c, struct ptx_operand *o, const struct ptx_variable *formal,
                           bool is_return)
{
    const char *what = is_return ? "returned value" : "parameter";
    if (o->kind == PTX_OPERAND_SINK && is_return) return true;
    if (o->kind == PTX_OPERAND_SYMBOL && o->variable->space == PTX_SPACE_PARAM) {
        const struct ptx_variable *actual = o->variable;
        if (formal->size_bytes && actual->size_bytes != formal->size_bytes)
            return diag_error(c->p->d, o->loc, "'%.80s' has %llu bytes, the %s has %llu", actual->name,
                              (unsigned long long)actual->size_bytes, what,
                              (unsigned long long)formal->size_bytes);
        if (actual->align_bytes < formal->align_bytes)
            return diag_error(c->p->d, o->loc, "'%.80s' is aligned to %u bytes, the %s to %u", actual->name,
                              actual->align_bytes, what, formal->align_bytes);
        return true;
    }
    if (formal->is_array || formal->vector > 1)
        return diag_error(c->p->d, o->loc, "the %s is an array of bytes; expected a .param variable", what);
    if (o->kind == PTX_OPERAND_IMM && !is_return) return check_immediate(c, o, formal->type);
    return is_return ? check_dest(c, o, formal->type) : check_source(c, o, formal->type);
}

static bool check_argument_list(struct check *c, struct ptx_operand *list, unsigned count,
                                struct ptx_variable **formals, unsigned formal_count, bool is_return)
{
    if (count != formal_count)
        return diag_error(c->p->d, c->i->call_target.loc, "the function has %u %s%s, the call has %u",
                          formal_count, is_return ? "returned value" : "parameter",
                          formal_count == 1 ? "" : "s", count);
    for (unsigned a = 0; a < count; a++)
        if (!check_argument(c, &list[a], formals[a], is_return)) return false;
    return true;
}

bool check_call(struct check *c)
{
    struct ptx_inst *i = c->i;
    const struct ptx_prototype *t = i->call_prototype;
    if (i->call_target.kind == PTX_OPERAND_FUNCTION) {
        if (i->call_target.function->is_entry) return check_says(c, "a kernel cannot be called");
        t = &i->call_target.function->prototype;
    } else {
        if (!check_source(c, &i->call_target, c->p->m->address_bits == 32 ? PTX_U32 : PTX_U64)) return false;
        if (!t)
            return check_says(c,
                              "an indirect call needs a .callprototype or .calltargets as its last operand");
    }
    return check_argument_list(c, i->call_returns, i->call_return_count, t->returns, t->return_count, true) &&
           check_argument_list(c, i->call_arguments, i->call_argument_count, t->params, t->param_count,
                               false);
}
