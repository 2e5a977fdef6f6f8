// Bulk copies (PTX ISA 9.7.9.25): cp.async.bulk, cp.reduce.async.bulk, their groups and prefetches.
//
//     cp.async.bulk.shared::cluster.global.mbarrier…{.multicast}   [to], [from], size, [mbarrier] {, blocks}
//     cp.async.bulk.shared::cluster.shared::cta.mbarrier…          [to], [from], size, [mbarrier]
//     cp.async.bulk.global.shared::cta.bulk_group                  [to], [from], size
//     cp.async.bulk.prefetch.L2.global                             [from], size
//     cp.reduce.async.bulk…                                        as the copies to shared::cluster and global
//     cp.async.bulk.tensor.{1..5}d…: the same with [map, coordinates] in place of the global address; .tile, .im2col
//     cp.async.bulk.commit_group, .wait_group{.read} N
#include "ptx/check.h"
#include "ptx/names.h"

enum { FIRST = 90 };

static bool has(const struct ptx_inst *i, unsigned word) { return (i->bulk & word) != 0; }

// Exactly the words of `all`, and at most those of `may`.
static bool check_words(struct check *c, unsigned all, unsigned may, const char *form)
{
    unsigned words = c->i->bulk & ~(unsigned)(PTX_WORD_BULK | PTX_WORD_REDUCE);
    return ((words & all) == all && !(words & ~(all | may))) || check_says(c, "%s", form);
}

static bool check_size(struct check *c, unsigned operand)
{
    struct ptx_operand *o = &c->i->operands[operand];
    if (!check_source(c, o, PTX_U32)) return false;
    return o->kind != PTX_OPERAND_IMM || o->imm % 16 == 0 ||
           diag_error(c->p->d, o->loc, "a bulk copy has a multiple of 16 bytes");
}

static bool check_groups(struct check *c)
{
    const struct ptx_inst *i = c->i;
    bool is_commit = i->mode == PTX_MODE_CP_COMMIT_GROUP;
    if (!is_commit && i->mode != PTX_MODE_CP_WAIT_GROUP)
        return check_says(c, "'cp.async.bulk' has .commit_group and .wait_group");
    if (!check_words(c, 0, is_commit ? 0 : PTX_WORD_READ,
                     "groups of bulk copies have .commit_group and .wait_group{.read}") ||
        c->given & (F(SPACE) | F(L2) | F(HINT)))
        return check_says(c, "this form of 'cp.async.bulk' names no spaces");
    return is_commit ? check_count(c, 0, 0)
                     : check_count(c, 1, 1) && check_integer(c, &c->i->operands[0], 0, INT32_MAX / 2);
}

// The completion at an mbarrier, and with .multicast the blocks.
static bool check_completion(struct check *c, unsigned operand)
{
    struct ptx_inst *i = c->i;
    bool is_cast = has(i, PTX_WORD_MULTICAST);
    return check_count(c, operand + 1 + is_cast, operand + 1 + is_cast) &&
           check_memory_operand(c, &i->operands[operand], PTX_SPACE_SHARED) &&
           (!is_cast || check_source(c, &i->operands[operand + 1], PTX_U16));
}

static bool check_to_shared(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_load = i->space_to == PTX_SPACE_GLOBAL;
    if (!is_load && (i->space_to != PTX_SPACE_SHARED || !i->of_cluster))
        return check_says(c,
                          "a bulk copy to shared memory comes .global or, to .shared::cluster, .shared::cta");
    return check_words(c, PTX_WORD_MBARRIER, is_load && i->of_cluster ? PTX_WORD_MULTICAST : 0,
                       "a bulk copy to shared memory has .mbarrier::complete_tx::bytes, from .global to "
                       ".shared::cluster also .multicast::cluster") &&
           check_memory_operand(c, &i->operands[0], PTX_SPACE_SHARED) &&
           check_memory_operand(c, &i->operands[1], i->space_to) && check_size(c, 2) &&
           check_completion(c, 3);
}

static bool check_to_global(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (i->space_to != PTX_SPACE_SHARED || i->of_cluster)
        return check_says(c, "a bulk copy to .global comes from .shared::cta");
    return check_words(c, PTX_WORD_GROUP, 0, "a bulk copy to .global has .bulk_group") &&
           check_count(c, 3, 3) && check_memory_operand(c, &i->operands[0], PTX_SPACE_GLOBAL) &&
           check_memory_operand(c, &i->operands[1], PTX_SPACE_SHARED) && check_size(c, 2);
}

static bool check_bulk_prefetch(struct check *c)
{
    struct ptx_inst *i = c->i;
    if (!(c->given & F(L2)) || i->space != PTX_SPACE_GLOBAL)
        return check_says(c, "'cp.async.bulk.prefetch' is .L2.global");
    return check_words(c, PTX_WORD_PREFETCH, 0, "this prefetch has no other words") && check_count(c, 2, 2) &&
           check_memory_operand(c, &i->operands[0], PTX_SPACE_GLOBAL) && check_size(c, 1);
}

static bool is_one_of(enum ptx_type type, const enum ptx_type *types, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (types[k] == type) return true;
    return false;
}

// Types of an operation, those of shared memory first.
static bool check_reduction(struct check *c)
{
    static const enum ptx_type add[] = {PTX_U32, PTX_S32, PTX_U64, PTX_F16, PTX_BF16, PTX_F32, PTX_F64},
                               extremes[] = {PTX_U32, PTX_S32, PTX_U64, PTX_S64, PTX_F16, PTX_BF16},
                               steps[] = {PTX_U32}, bits[] = {PTX_B32, PTX_B64};
    const struct ptx_inst *i = c->i;
    bool is_global = i->space == PTX_SPACE_GLOBAL,
         is_half = i->types[0] == PTX_F16 || i->types[0] == PTX_BF16;
    bool fits = false;
    switch (i->atom) {
    case PTX_ATOM_ADD: fits = is_one_of(i->types[0], add, is_global ? 7 : 3); break;
    case PTX_ATOM_MIN:
    case PTX_ATOM_MAX: fits = is_one_of(i->types[0], extremes, is_global ? 6 : 2); break;
    case PTX_ATOM_INC:
    case PTX_ATOM_DEC: fits = is_one_of(i->types[0], steps, 1); break;
    case PTX_ATOM_AND:
    case PTX_ATOM_OR:
    case PTX_ATOM_XOR: fits = is_one_of(i->types[0], bits, is_global ? 2 : 1); break;
    case PTX_ATOM_NONE:
    case PTX_ATOM_EXCH:
    case PTX_ATOM_CAS: break;
    }
    if (!fits)
        return check_says(c, "'cp.reduce.async.bulk' has no such operation of .%s",
                          ptx_type_name(i->types[0]));
    bool needs_noftz = is_half && i->atom == PTX_ATOM_ADD;
    if (needs_noftz != ((c->given & F(NOFTZ)) != 0))
        return check_says(c, ".noftz goes with .add of .f16 and .bf16, and only with them");
    return true;
}

// -- tensors ------------------------------------------------------------------------------------------------

enum { DIMENSIONS = PTX_WORD_1D | PTX_WORD_2D | PTX_WORD_3D | PTX_WORD_4D | PTX_WORD_5D };

static unsigned dimensions_of(const struct ptx_inst *i)
{
    for (unsigned n = 1; n <= 5; n++)
        if ((i->bulk & DIMENSIONS) == (unsigned)(PTX_WORD_1D << (n - 1))) return n;
    return 0;
}

static bool check_list(struct check *c, struct ptx_operand *o, unsigned count, enum ptx_type type,
                       const char *what)
{
    if (o->count != count || !o->elements)
        return diag_error(c->p->d, o->loc, "expected %u %s in braces", count, what);
    for (unsigned k = 0; k < count; k++)
        if (!check_source(c, &o->elements[k], type)) return false;
    return true;
}

// The map and the coordinates.
static bool check_box(struct check *c, unsigned operand, unsigned dimensions)
{
    struct ptx_operand *o = &c->i->operands[operand];
    return check_memory_operand(c, o, PTX_SPACE_GENERIC) &&
           check_list(c, o, dimensions, PTX_S32, "coordinates");
}

static bool check_offsets(struct check *c, unsigned operand, unsigned dimensions)
{
    struct ptx_operand *o = &c->i->operands[operand];
    return !has(c->i, PTX_WORD_IM2COL) || check_list(c, o, dimensions - 2, PTX_U16, "offsets");
}

static bool check_tensor_load(struct check *c, unsigned dimensions)
{
    struct ptx_inst *i = c->i;
    unsigned offsets = has(i, PTX_WORD_IM2COL), blocks = has(i, PTX_WORD_MULTICAST);
    enum ptx_space space = i->space;
    if (space != PTX_SPACE_SHARED || i->space_to != PTX_SPACE_GLOBAL || i->atom || (blocks && !i->of_cluster))
        return check_says(c, "a tensor's box is loaded .shared::cluster.global or .shared::cta.global");
    if (!check_words(c, PTX_WORD_TENSOR | PTX_WORD_MBARRIER,
                     DIMENSIONS | PTX_WORD_TILE | PTX_WORD_IM2COL | PTX_WORD_MULTICAST,
                     "the load of a box has .mbarrier::complete_tx::bytes") ||
        !check_count(c, 3 + offsets + blocks, 3 + offsets + blocks))
        return false;
    bool good = check_memory_operand(c, &i->operands[0], PTX_SPACE_SHARED) && check_box(c, 1, dimensions) &&
                check_memory_operand(c, &i->operands[2], PTX_SPACE_SHARED) &&
                check_offsets(c, 3, dimensions) &&
                (!blocks || check_source(c, &i->operands[3 + offsets], PTX_U16));
    i->space = space; // not that of a map's variable
    return good;
}

static bool check_tensor_store(struct check *c, unsigned dimensions)
{
    struct ptx_inst *i = c->i;
    bool reduces = has(i, PTX_WORD_REDUCE);
    if (i->space != PTX_SPACE_GLOBAL || i->space_to != PTX_SPACE_SHARED || i->of_cluster)
        return check_says(c, "a tensor's box is stored .global.shared::cta");
    if (reduces != (i->atom != PTX_ATOM_NONE) || i->atom == PTX_ATOM_EXCH || i->atom == PTX_ATOM_CAS)
        return check_says(c, "an operation goes with 'cp.reduce.async.bulk.tensor', and only with it");
    return check_words(c, PTX_WORD_TENSOR | PTX_WORD_GROUP, DIMENSIONS | PTX_WORD_TILE,
                       "the store of a box has .bulk_group") &&
           check_count(c, 2, 2) && check_box(c, 0, dimensions) &&
           check_memory_operand(c, &i->operands[1], PTX_SPACE_SHARED);
}

static bool check_tensor(struct check *c)
{
    struct ptx_inst *i = c->i;
    unsigned dimensions = dimensions_of(i), offsets = has(i, PTX_WORD_IM2COL);
    if (!dimensions) return check_says(c, "a tensor copy has one of .1d to .5d");
    if (offsets && (dimensions < 3 || has(i, PTX_WORD_TILE)))
        return check_says(c, ".im2col goes with .3d to .5d, and not with .tile");
    if (i->type_count) return check_says(c, "the type of a tensor is in its map");
    if (offsets) i->unsupported = ptx_unsupported_form;
    if (!has(i, PTX_WORD_PREFETCH)) {
        if (c->given & F(L2)) return check_says(c, ".L2 goes with .prefetch");
        return has(i, PTX_WORD_MBARRIER) ? check_tensor_load(c, dimensions)
                                         : check_tensor_store(c, dimensions);
    }
    if (!(c->given & F(L2)) || i->space != PTX_SPACE_GLOBAL || i->atom)
        return check_says(c, "'cp.async.bulk.prefetch.tensor' is .L2.global");
    return check_words(c, PTX_WORD_TENSOR | PTX_WORD_PREFETCH, DIMENSIONS | PTX_WORD_TILE | PTX_WORD_IM2COL,
                       "this prefetch has no other words") &&
           check_count(c, 1 + offsets, 1 + offsets) && check_box(c, 0, dimensions) &&
           check_offsets(c, 1, dimensions);
}

// -- relatives ----------------------------------------------------------------------------------------------

// st.async and red.async: a store or reduction in a block of the cluster that completes at an mbarrier there.
static bool check_async(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool is_store = i->op == PTX_OP_ST;
    enum ptx_sem own = is_store ? PTX_SEM_WEAK : PTX_SEM_RELAXED;
    if (i->bulk != PTX_WORD_MBARRIER || i->space != PTX_SPACE_SHARED)
        return check_says(c, "'%s.async' has .shared::cluster.mbarrier::complete_tx::bytes",
                          ptx_op_name(i->op));
    if ((i->sem != own && (i->sem != PTX_SEM_NONE || !is_store)) ||
        (!is_store && i->scope != PTX_SCOPE_CLUSTER))
        return check_says(c, is_store ? "'st.async' can be .weak" : "'red.async' is .relaxed.cluster");
    if (is_store) return true;
    bool is_logic = i->atom == PTX_ATOM_AND || i->atom == PTX_ATOM_OR || i->atom == PTX_ATOM_XOR;
    bool is_step = i->atom == PTX_ATOM_INC || i->atom == PTX_ATOM_DEC;
    bool fits = is_logic  ? i->types[0] == PTX_B32
                : is_step ? i->types[0] == PTX_U32
                : i->atom == PTX_ATOM_ADD
                    ? i->types[0] == PTX_U32 || i->types[0] == PTX_S32 || i->types[0] == PTX_U64
                    : i->types[0] == PTX_U32 || i->types[0] == PTX_S32;
    if (i->atom == PTX_ATOM_EXCH || i->atom == PTX_ATOM_CAS) fits = false;
    return fits || check_says(c, "'red.async' has no such operation of .%s", ptx_type_name(i->types[0]));
}

bool check_bulk_relative(struct check *c)
{
    if (!check_target(c, FIRST)) return false;
    if (c->i->op != PTX_OP_PREFETCH) return check_async(c);
    return c->i->bulk == PTX_WORD_TENSORMAP || check_says(c, "'prefetch' has .tensormap");
}

bool check_bulk(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool reduces = has(i, PTX_WORD_REDUCE);
    if (!has(i, PTX_WORD_BULK)) return check_says(c, "'cp' has .async or .async.bulk");
    if (!check_target(c, FIRST)) return false;
    if (has(i, PTX_WORD_TENSOR)) return check_tensor(c);
    if (reduces != (i->type_count == 1) || reduces != (i->atom != PTX_ATOM_NONE))
        return check_says(c, "an operation and a type go with 'cp.reduce.async.bulk', and only with it");
    if (i->mode != PTX_MODE_NONE) return check_groups(c);
    if (reduces && !check_reduction(c)) return false;
    if (has(i, PTX_WORD_PREFETCH) && !reduces) return check_bulk_prefetch(c);
    if (c->given & F(L2)) return check_says(c, ".L2 goes with .prefetch");
    if (i->operand_count < 3) return check_count(c, 3, 5);
    if (i->space == PTX_SPACE_GLOBAL) return check_to_global(c);
    if (i->space != PTX_SPACE_SHARED) return check_says(c, "a bulk copy goes to .shared::cluster or .global");
    if (reduces && i->space_to != PTX_SPACE_SHARED)
        return check_says(c, "a reduction to .shared::cluster comes from .shared::cta");
    return check_to_shared(c);
}
