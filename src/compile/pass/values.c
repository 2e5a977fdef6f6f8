// Common subexpression elimination: an equal dominating instruction replaces a pure instruction.
//
// Blocks are visited in reverse post-order, dominators first. A hash finds candidates, and is_equal
// compares every field that determines the result. Operands of commutative operations are put in order first:
// constants second, else by value number. Phis of a block are equal if their operands are equal.
#include "base/hash.h"
#include "compile/pass/passes.h"

// Limit of comparisons per instruction. The list of instructions with an equal hash also has instructions of
// blocks that do not dominate, and may grow long.
enum { CHAIN_MAX = 24 };

struct seen {
    struct ir_inst *inst;
    uint32_t next; // 1 + index of an earlier instruction with the same hash, 0: end
};

static void order_operands(struct ir_inst *i)
{
    if (!(ir_table[i->op].flags & IR_COMM) || i->use_count < 2) return;
    struct ir_value *a = ir_operand(i, 0), *b = ir_operand(i, 1);
    bool swap = a->is_constant != b->is_constant ? a->is_constant : a->id > b->id; // constants second
    if (!swap) return;
    ir_set_use(i, 0, b);
    ir_set_use(i, 1, a);
}

// Number of operands to compare: all. Broken on purpose: of a phi only the first.
static uint32_t compared(const struct ir_inst *i, bool broken)
{
    return broken && i->op == IR_PHI ? 1 : i->use_count;
}

static uint64_t hash_of(const struct ir_inst *i, bool broken)
{
    uint64_t h = i->op | (uint64_t)i->type2 << 16 | (uint64_t)i->cmp << 24 | (uint64_t)i->round << 32 |
                 (uint64_t)i->mode << 40 | (uint64_t)i->lut << 48 | (uint64_t)i->bank << 56;
    h = hash_u64(h ^ (uint64_t)i->offset * 0x9e3779b97f4a7c15ull ^ (uint64_t)i->flags << 20);
    if (i->op == IR_PHI) h ^= (uint64_t)i->block->id << 32;
    for (uint32_t k = 0; k < compared(i, broken); k++) h = hash_u64(h + i->uses[k].value->id + 1);
    return h;
}

static bool is_equal(const struct ir_inst *a, const struct ir_inst *b, bool broken)
{
    if (a->op != b->op || a->type != b->type || a->type2 != b->type2 || a->cmp != b->cmp ||
        a->boolean != b->boolean || a->round != b->round || a->mode != b->mode || a->space != b->space ||
        a->lut != b->lut || a->bank != b->bank || a->flags != b->flags || a->offset != b->offset ||
        a->offset2 != b->offset2 || a->def_count != b->def_count || a->use_count != b->use_count)
        return false;
    if (a->op == IR_PHI && a->block != b->block) return false;
    for (uint32_t k = 0; k < a->def_count; k++)
        if (a->defs[k]->class != b->defs[k]->class) return false;
    for (uint32_t k = 0; k < compared(a, broken); k++)
        if (a->uses[k].value != b->uses[k].value) return false;
    return true;
}

static struct ir_block **blocks_in_order(struct ir_function *f)
{
    struct ir_block **order = heap_alloc(f->block_count * sizeof *order);
    for (struct ir_block *b = f->first_block; b; b = b->next)
        if (b->rpo < f->block_count) order[b->rpo] = b; // unreachable blocks have no number
    return order;
}

bool pass_values(struct ir_function *f, const struct pass_context *c)
{
    struct u64map heads = {0}; // hash -> 1 + index of the newest instruction
    VEC(struct seen) all = {0};
    bool changed = false;
    ir_analyse(f);
    struct ir_block **order = blocks_in_order(f);
    uint32_t count = f->block_count;
    for (uint32_t n = 0; n < count && order[n]; n++)
        for (struct ir_inst *i = order[n]->first, *next; i; i = next) {
            next = i->next;
            if (i->op != IR_PHI && (!ir_is_pure(i) || !i->def_count)) continue;
            order_operands(i);
            uint64_t h = hash_of(i, c->broken);
            uint32_t head = 0, tried = 0;
            struct ir_inst *equal = NULL;
            u64map_get(&heads, h, &head);
            for (uint32_t at = head; at && tried++ < CHAIN_MAX && !equal; at = all.data[at - 1].next) {
                struct ir_inst *other = all.data[at - 1].inst;
                if (is_equal(other, i, c->broken) && ir_dominates(other->block, i->block)) equal = other;
            }
            if (equal) {
                for (uint32_t k = 0; k < i->def_count; k++) ir_replace(i->defs[k], equal->defs[k]);
                equal->lines = ir_line_set_union(f->unit, equal->lines, i->lines);
                ir_remove(i);
                changed = true;
                continue;
            }
            vec_push(&all, (struct seen){i, head});
            u64map_set(&heads, h, (uint32_t)all.count);
        }
    free(order);
    vec_fini(&all);
    u64map_fini(&heads);
    return changed;
}
