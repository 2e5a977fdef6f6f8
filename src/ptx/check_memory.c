// ld, st, ldu, atom, red, cp.async, prefetch: addresses, state spaces, memory orders, and data registers.
#include "ptx/check.h"
#include "ptx/names.h"

static bool space_is(enum ptx_space space, unsigned set) { return set >> space & 1; }
#define S(space) (1u << PTX_SPACE_##space)

static bool wrong_space(struct check *c, unsigned set)
{
    if (space_is(c->i->space, set)) return true;
    return check_says(c, "'%s' does not access .%s", ptx_op_name(c->i->op), ptx_space_name(c->i->space));
}

// A generic access naming a variable, except a parameter, becomes an access to the variable's space. False
// and an error: an access to another space, or to a texture, sampler or surface.
static bool check_variable(struct check *c, struct ptx_operand *o, enum ptx_space space)
{
    struct ptx_variable *v = o->variable;
    if (!ptx_type_bits(v->type))
        return diag_error(c->p->d, o->loc, "'%.80s' is a .%s: its bytes cannot be accessed", v->name,
                          ptx_type_name(v->type));
    if (space == PTX_SPACE_GENERIC && v->space != PTX_SPACE_PARAM) {
        if (o == &c->i->operands[0] || c->i->space == PTX_SPACE_GENERIC) c->i->space = v->space;
        space = v->space;
    }
    if (v->space == space) return true;
    return diag_error(c->p->d, o->loc, "'%.80s' is in .%s; this access is to .%s", v->name,
                      ptx_space_name(v->space),
                      space == PTX_SPACE_GENERIC ? "generic addresses" : ptx_space_name(space));
}

bool check_memory_operand(struct check *c, struct ptx_operand *o, enum ptx_space space)
{
    if (o->kind == PTX_OPERAND_SYMBOL) o->kind = PTX_OPERAND_MEMORY; // x[4] without brackets around
    if (o->kind != PTX_OPERAND_MEMORY) return check_wrong(c, o, "an address in brackets");
    if (o->variable) return check_variable(c, o, space);
    if (o->reg < 0) return true;
    enum ptx_type type = check_reg_type(c, o);
    if (check_fits(PTX_U64, type) || check_fits(PTX_U32, type)) return true;
    return diag_error(c->p->d, o->loc, "'%.60s' is a .%s register; an address is in a .b32 or .b64 register",
                      c->p->regs.data[o->reg].name, ptx_type_name(type));
}

static bool check_vector_shape(struct check *c, const struct ptx_operand *o)
{
    struct ptx_inst *i = c->i;
    bool is_vector = o->kind == PTX_OPERAND_VECTOR;
    if (i->vector == 1 && is_vector)
        return diag_error(c->p->d, o->loc, "a vector needs .v2 or .v4 in '%s'", ptx_op_name(i->op));
    if (i->vector > 1 && (!is_vector || o->count != i->vector))
        return diag_error(c->p->d, o->loc, "expected a vector of %u registers for .v%u", i->vector,
                          i->vector);
    return true;
}

bool check_loaded(struct check *c, struct ptx_operand *o)
{
    enum ptx_type type = c->i->types[0];
    unsigned sinks = 0;
    if (!check_vector_shape(c, o)) return false;
    if (o->kind != PTX_OPERAND_VECTOR) return check_wide_dest(c, o, type);
    for (unsigned e = 0; e < o->count; e++) {
        if (o->elements[e].kind == PTX_OPERAND_SINK)
            sinks++;
        else if (!check_wide_dest(c, &o->elements[e], type))
            return false;
    }
    return sinks < o->count || diag_error(c->p->d, o->loc, "at least one element must be a register");
}

bool check_stored(struct check *c, struct ptx_operand *o)
{
    enum ptx_type type = c->i->types[0];
    if (!check_vector_shape(c, o)) return false;
    if (o->kind != PTX_OPERAND_VECTOR) return check_wide_source(c, o, type);
    for (unsigned e = 0; e < o->count; e++)
        if (!check_wide_source(c, &o->elements[e], type)) return false;
    return true;
}

static bool check_order(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_store = i->op == PTX_OP_ST, ordered = i->sem >= PTX_SEM_RELAXED;
    const char *op = ptx_op_name(i->op);
    if (c->given & F(MMIO)) {
        if (i->sem != PTX_SEM_RELAXED || i->scope != PTX_SCOPE_SYS)
            return check_says(c, "'%s.mmio' needs .relaxed and .sys", op);
        i->sem = PTX_SEM_MMIO;
    }
    bool shared =
        i->space == PTX_SPACE_GENERIC || i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_SHARED;
    if (ordered && !shared)
        return check_says(c, ".%s is a thread's own: no memory order applies", ptx_space_name(i->space));
    if (i->sem == PTX_SEM_MMIO && i->space == PTX_SPACE_SHARED)
        return check_says(c, "'%s.mmio' does not access .shared", op);
    if (i->sem == (is_store ? PTX_SEM_ACQUIRE : PTX_SEM_RELEASE) || i->sem == PTX_SEM_ACQ_REL ||
        i->sem == PTX_SEM_SC)
        return check_says(c, "'%s' can be .weak, .volatile, .relaxed or .%s", op,
                          is_store ? "release" : "acquire");
    if (ordered && i->scope == PTX_SCOPE_NONE)
        return check_says(c, "'%s' with a memory order needs a scope: .cta, .cluster, .gpu or .sys", op);
    if (!ordered && i->scope != PTX_SCOPE_NONE)
        return check_says(c, "'%s' with a scope needs an order: .relaxed or .%s", op,
                          is_store ? "release" : "acquire");
    if (i->cache != PTX_CACHE_NONE && i->sem != PTX_SEM_NONE && i->sem != PTX_SEM_WEAK)
        return check_says(c, "a cache operator goes with weak accesses only");
    return true;
}

static bool check_cache(struct check *c)
{
    enum ptx_cache cache = c->i->cache;
    bool load = cache == PTX_CACHE_CA || cache == PTX_CACHE_LU || cache == PTX_CACHE_CV;
    bool store = cache == PTX_CACHE_WB || cache == PTX_CACHE_WT;
    if (c->i->op == PTX_OP_ST ? load : store)
        return check_says(c, "this cache operator belongs to %s", load ? "loads" : "stores");
    return true;
}

bool check_load_store(struct check *c)
{
    struct ptx_inst *i = c->i;
    const struct ptx_operand *address = &i->operands[i->op == PTX_OP_ST ? 0 : 1];
    unsigned bits = ptx_type_bits(i->types[0]) * i->vector;
    if (i->op == PTX_OP_LDU) {
        if (!wrong_space(c, S(GENERIC) | S(GLOBAL))) return false;
    } else if (i->op == PTX_OP_ST) {
        if (!wrong_space(c, S(GENERIC) | S(GLOBAL) | S(LOCAL) | S(PARAM) | S(SHARED))) return false;
        if (i->space == PTX_SPACE_PARAM && !address->variable)
            return diag_error(c->p->d, address->loc, "'st.param' names the parameter it writes");
        if (address->variable && address->variable->is_input)
            return diag_error(c->p->d, address->loc,
                              "'%.80s' is a parameter of this function: it can only be read",
                              address->variable->name);
    } else if (!wrong_space(c, S(GENERIC) | S(GLOBAL) | S(LOCAL) | S(PARAM) | S(SHARED) | S(CONST))) {
        return false;
    }
    if (i->non_coherent && i->space != PTX_SPACE_GLOBAL) return check_says(c, "'ld.nc' reads .global only");
    if (i->space == PTX_SPACE_CONST && i->sem > PTX_SEM_WEAK)
        return check_says(c, ".const is never written: no memory order applies");
    if (i->vector == 8 && ptx_type_bits(i->types[0]) != 32) return check_says(c, "a .v8 has 32-bit elements");
    if (bits > 256) return check_says(c, "a vector of %u bits is too wide", bits);
    if (bits > 128) i->unsupported = ptx_unsupported_form; // sm_100's 256-bit accesses
    return check_order(c) && check_cache(c);
}

// ---- atom, red

static uint32_t atom_types(enum ptx_atom atom) // set of enum ptx_type, all below 32
{
#define T(type) (1u << PTX_##type)
    switch (atom) {
    case PTX_ATOM_AND:
    case PTX_ATOM_OR:
    case PTX_ATOM_XOR: return T(B32) | T(B64);
    case PTX_ATOM_EXCH: return T(B32) | T(B64) | T(B128);
    case PTX_ATOM_CAS: return T(B16) | T(B32) | T(B64) | T(B128);
    case PTX_ATOM_INC:
    case PTX_ATOM_DEC: return T(U32);
    case PTX_ATOM_ADD:
        return T(U32) | T(S32) | T(U64) | T(F32) | T(F64) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2);
    case PTX_ATOM_MIN:
    case PTX_ATOM_MAX: return T(U32) | T(S32) | T(U64) | T(S64) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2);
    case PTX_ATOM_NONE: break;
    }
    return 0;
}

static bool check_atom_type(struct check *c)
{
    struct ptx_inst *i = c->i;
    enum ptx_type type = i->types[0];
    char name[CHECK_NAME_BYTES];
    bool is_vector = i->vector > 1,
         half = type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
    bool min_max = i->atom == PTX_ATOM_MIN || i->atom == PTX_ATOM_MAX;
    if (!(atom_types(i->atom) >> type & 1) || (min_max && half && !is_vector)) {
        check_says(c, "'%s' has no .%s on .%s", ptx_op_name(i->op),
                   suffix_text(FIELD_ATOM, (unsigned)i->atom), ptx_type_name(type));
        return false;
    }
    if (half && !(c->given & F(NOFTZ))) return check_says(c, "'%s' needs .noftz", check_name(i, name));
    if (!half && c->given & F(NOFTZ))
        return check_says(c, "'%s' does not go with .noftz", check_name(i, name));
    return true;
}

static bool check_atom_order(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool good = i->sem == PTX_SEM_NONE || i->sem == PTX_SEM_RELAXED || i->sem == PTX_SEM_RELEASE ||
                (i->op == PTX_OP_ATOM && (i->sem == PTX_SEM_ACQUIRE || i->sem == PTX_SEM_ACQ_REL));
    return good || check_says(c, i->op == PTX_OP_ATOM ? "'atom' is .relaxed, .acquire, .release or .acq_rel"
                                                      : "'red' is .relaxed or .release");
}

// Elements are accessed one by one, in global memory.
static bool check_atom_vector(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_atom = i->op == PTX_OP_ATOM;
    unsigned bits = ptx_type_bits(i->types[0]);
    struct ptx_operand *value = &i->operands[1 + is_atom];
    if (i->space == PTX_SPACE_SHARED) return check_says(c, "atomics on vectors are of global memory");
    if (i->vector * bits > 128 || (bits == 32 && i->vector == 8))
        return check_says(c, "a vector of more than 128 bits");
    if (!check_memory_operand(c, &i->operands[is_atom], i->space)) return false;
    if (value->kind != PTX_OPERAND_VECTOR || value->count != i->vector)
        return check_wrong(c, value, "a vector of as many values as the modifier says");
    for (unsigned e = 0; e < value->count; e++)
        if (!check_source(c, &value->elements[e], i->types[0])) return false;
    struct ptx_operand *d = &i->operands[0];
    if (!is_atom || d->kind == PTX_OPERAND_SINK) return true;
    if (d->kind != PTX_OPERAND_VECTOR || d->count != i->vector)
        return check_wrong(c, d, "a vector of as many registers as the modifier says");
    for (unsigned e = 0; e < d->count; e++)
        if (d->elements[e].kind != PTX_OPERAND_SINK && !check_dest(c, &d->elements[e], i->types[0]))
            return false;
    return true;
}

bool check_atom(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_atom = i->op == PTX_OP_ATOM, cas = i->atom == PTX_ATOM_CAS;
    if (!is_atom && (cas || i->atom == PTX_ATOM_EXCH))
        return check_says(c, "'red' has no .exch and no .cas; use 'atom'");
    unsigned count = 2u + is_atom + cas, o = 0;
    if (!check_atom_type(c) || !check_atom_order(c) || !check_count(c, count, count)) return false;
    if (!wrong_space(c, S(GENERIC) | S(GLOBAL) | S(SHARED))) return false;
    if (i->vector > 1) return check_atom_vector(c);
    if (is_atom && i->operands[o++].kind != PTX_OPERAND_SINK && !check_dest(c, &i->operands[0], i->types[0]))
        return false;
    if (!check_memory_operand(c, &i->operands[o++], i->space)) return false;
    for (; o < count; o++)
        if (!check_source(c, &i->operands[o], i->types[0])) return false;
    return true;
}

// ---- cp.async

static bool check_cp_copy(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool cg = i->cache == PTX_CACHE_CG;
    if (!cg && i->cache != PTX_CACHE_CA) return check_says(c, "'cp.async' needs .ca or .cg");
    if (i->space != PTX_SPACE_SHARED || i->space_to != PTX_SPACE_GLOBAL)
        return check_says(c, "'cp.async' copies .shared.global: from .global to .shared");
    if (!check_count(c, 3, 4) || !check_memory_operand(c, &i->operands[0], PTX_SPACE_SHARED) ||
        !check_memory_operand(c, &i->operands[1], PTX_SPACE_GLOBAL) ||
        !check_integer(c, &i->operands[2], 4, 16))
        return false;
    uint64_t size = i->operands[2].imm;
    if (size != 16 && (cg || (size != 4 && size != 8)))
        return diag_error(c->p->d, i->operands[2].loc, "'cp.async' copies %s bytes",
                          cg ? "16" : "4, 8 or 16");
    if (i->operand_count < 4) return true;
    struct ptx_operand *last = &i->operands[3];
    if (last->kind == PTX_OPERAND_REG && check_reg_type(c, last) == PTX_PRED) { // ignore-src
        i->zfill = true;
        return true;
    }
    i->zfill = true;
    return check_source(c, last, PTX_U32);
}

bool check_mbarrier_place(struct check *c, unsigned operand)
{
    return wrong_space(c, S(GENERIC) | S(SHARED)) &&
           check_memory_operand(c, &c->i->operands[operand], c->i->space);
}

static bool check_cp_arrive(struct check *c)
{
    if (c->i->phase != PTX_PHASE_NONE && c->i->phase != PTX_PHASE_NOINC)
        return check_says(c, "'cp.async.mbarrier.arrive' goes with .noinc alone");
    if (!c->i->type_count) return check_says(c, "'cp.async.mbarrier.arrive' needs .b64");
    return check_count(c, 1, 1) && check_mbarrier_place(c, 0);
}

bool check_cp(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (i->bulk) return check_bulk(c);
    if (i->mode == PTX_MODE_NONE) i->mode = PTX_MODE_CP_ASYNC;
    if (i->mode == PTX_MODE_CP_ARRIVE) return check_cp_arrive(c);
    bool is_known = i->mode >= PTX_MODE_CP_ASYNC && i->mode <= PTX_MODE_CP_WAIT_ALL;
    if (!is_known || i->type_count)
        return check_says(
            c, "'cp.async' has .commit_group, .wait_group, .wait_all and .mbarrier.arrive with .b64");
    if (i->mode == PTX_MODE_CP_ASYNC) return check_cp_copy(c);
    if (c->given & (F(CACHE) | F(SPACE) | F(HINT)))
        return check_says(c, "this form of 'cp.async' names no spaces or caches");
    if (i->mode != PTX_MODE_CP_WAIT_GROUP) return check_count(c, 0, 0);
    return check_count(c, 1, 1) && check_integer(c, &i->operands[0], 0, INT32_MAX);
}

bool check_prefetch(struct check *c)
{
    if (c->i->op == PTX_OP_DISCARD)
        return wrong_space(c, S(GENERIC) | S(GLOBAL)) && check_integer(c, &c->i->operands[1], 128, 128);
    if (c->i->op == PTX_OP_PREFETCHU) return wrong_space(c, S(GENERIC) | S(GLOBAL)); // of the named variable
    return wrong_space(c, S(GENERIC) | S(GLOBAL) | (c->i->op == PTX_OP_PREFETCH ? S(LOCAL) : 0));
}

// createpolicy: the policy is a hint without effect on values, so only the operands' kinds matter.
bool check_policy(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_range = i->mode == PTX_MODE_POLICY_RANGE, is_copy = i->mode == PTX_MODE_POLICY_CVT;
    if (is_copy != ((c->given & F(L2)) != 0) || is_copy == ((c->given & F(HINT)) != 0))
        return check_says(c, "'createpolicy' needs a priority such as .L2::evict_last; .cvt needs .L2");
    if (!check_count(c,
                     is_range  ? 4
                     : is_copy ? 2
                               : 1,
                     is_range ? 4 : 2) ||
        !check_dest(c, &i->operands[0], PTX_B64))
        return false;
    if (is_range)
        return check_memory_operand(c, &i->operands[1], i->space) &&
               check_source(c, &i->operands[2], PTX_U32) && check_source(c, &i->operands[3], PTX_U32);
    return i->operand_count < 2 || check_source(c, &i->operands[1], is_copy ? PTX_B64 : PTX_F32);
}
