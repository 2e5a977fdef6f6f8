// Bulk copies (PTX ISA 9.7.9.25): cp.async.bulk, cp.reduce.async.bulk, their groups and prefetches.
//
//     cp.async.bulk.shared::cluster.global.mbarrier…{.multicast}   [to], [from], size, [mbarrier] {, blocks}
//     cp.async.bulk.shared::cluster.shared::cta.mbarrier…          [to], [from], size, [mbarrier]
//     cp.async.bulk.global.shared::cta.bulk_group                  [to], [from], size
//     cp.async.bulk.prefetch.L2.global                             [from], size
//     cp.reduce.async.bulk…                                        as the copies to shared::cluster and global
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

bool check_bulk(struct check *c)
{
    struct ptx_inst *i = c->i;
    bool reduces = has(i, PTX_WORD_REDUCE);
    if (!has(i, PTX_WORD_BULK)) return check_says(c, "'cp' has .async or .async.bulk");
    if (!check_target(c, FIRST)) return false;
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
