// The low word of an address depends only on low words. So 64-bit sums, products, bitwise logic, selects,
// phis and left shifts by a constant get a 32-bit twin, created on demand. A twin follows the original
// directly, so it is defined wherever the original is.
//
//     v7:64 = madwide v3, 4, v1        v7:64 = …  (dead unless the high word is read)
//     load [v7]                  ─▶    v9:32 = mad v3, 4, lo v1
//                                      load [v9]
#include "compile/pass/passes.h"
#include "isa/space.h"

struct narrower {
    struct ir_function *f;
    struct ir_value **low; // by id of the 64-bit value: its low word, NULL: not yet made
    unsigned depth;        // of the recursion; at DEPTH_MAX a value is not decomposed further
};

enum { DEPTH_MAX = 500 };

static struct ir_value *low_of(struct narrower *n, struct ir_value *v);

static void insert_behind(struct ir_inst *def, struct ir_inst *twin)
{
    struct ir_inst *at = def;
    twin->lines = def->lines;
    while (at->op == IR_PHI && twin->op != IR_PHI && at->next && at->next->op == IR_PHI) at = at->next;
    ir_insert_after(at, twin);
}

static struct ir_inst *make(struct narrower *n, enum ir_op op, enum isa_type type, uint32_t count,
                            struct ir_value *const *uses)
{
    static const enum ir_class word[] = {IR_CLASS_32};
    return ir_inst_create(n->f, op, type, 1, word, count, uses);
}

// The same operation on low words.
static struct ir_inst *narrow_operation(struct narrower *n, const struct ir_inst *i, enum ir_op op)
{
    struct ir_value *uses[3];
    for (uint32_t k = 0; k < i->use_count; k++) {
        struct ir_value *v = ir_operand(i, k);
        uses[k] = v->class == IR_CLASS_64 ? low_of(n, v) : v;
    }
    return make(n, op, TYPE_U32, i->use_count, uses);
}

// Creates the twin of a phi before the twins of its operands, so that a walk around a loop finds the twin.
static struct ir_value *narrow_phi(struct narrower *n, struct ir_inst *i)
{
    struct ir_value **uses = ARENA_ARRAY(&n->f->unit->arena, struct ir_value *, i->use_count);
    struct ir_value *zero = ir_constant(n->f, IR_CLASS_32, 0);
    for (uint32_t k = 0; k < i->use_count; k++) uses[k] = zero;
    struct ir_inst *twin = make(n, IR_PHI, TYPE_NONE, i->use_count, uses);
    insert_behind(i, twin);
    n->low[i->defs[0]->id] = twin->defs[0];
    for (uint32_t k = 0; k < i->use_count; k++) ir_set_use(twin, k, low_of(n, ir_operand(i, k)));
    return twin->defs[0];
}

static struct ir_inst *narrow_inst(struct narrower *n, struct ir_inst *i)
{
    struct ir_inst *twin;
    switch ((int)i->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_NOT:
    case IR_NEG:
    case IR_SELECT:
    case IR_MAD: return narrow_operation(n, i, i->op);
    case IR_MULWIDE: return narrow_operation(n, i, IR_MUL);
    case IR_MADWIDE: return narrow_operation(n, i, IR_MAD);
    // only shifts by a constant below 32; of any other shift, IR_LO takes the low word of the 64-bit result
    case IR_SHL:
        return ir_operand(i, 1)->is_constant && ir_operand(i, 1)->bits < 32 ? narrow_operation(n, i, IR_SHL)
                                                                            : NULL;
    case IR_BANK:
        twin = make(n, IR_BANK, TYPE_U32, 0, NULL);
        twin->bank = i->bank;
        twin->offset = i->offset;
        return twin;
    }
    return NULL;
}

// Low word of a value that needs no instruction (half of a pair, extension, copy), or NULL.
static struct ir_value *known_low(struct narrower *n, const struct ir_inst *i)
{
    switch ((int)i->op) {
    case IR_PACK: return ir_operand(i, 0);
    case IR_COPY: return low_of(n, ir_operand(i, 0));
    case IR_ZEXT:
    case IR_SEXT: return isa_type_bytes((enum isa_type)i->type2) == 4 ? ir_operand(i, 0) : NULL;
    }
    return NULL;
}

static struct ir_value *make_low(struct narrower *n, struct ir_value *v)
{
    struct ir_inst *i = v->def, *twin = NULL;
    bool deeper = i && n->depth < DEPTH_MAX;
    struct ir_value *low = deeper ? known_low(n, i) : NULL;
    if (low) return low;
    if (deeper && i->op == IR_PHI) return narrow_phi(n, i);
    if (deeper) twin = narrow_inst(n, i);
    if (!twin) {
        struct ir_value *uses[] = {v};
        twin = make(n, IR_LO, TYPE_NONE, 1, uses);
    }
    if (i)
        insert_behind(i, twin);
    else
        ir_insert_before(n->f->first_block->first, twin); // a parameter
    return twin->defs[0];
}

static struct ir_value *low_of(struct narrower *n, struct ir_value *v)
{
    if (v->is_constant) return ir_constant(n->f, IR_CLASS_32, (uint32_t)v->bits);
    if (n->low[v->id]) return n->low[v->id];
    n->depth++;
    n->low[v->id] = make_low(n, v);
    n->depth--;
    return n->low[v->id];
}

static uint32_t address_use(const struct ir_inst *i)
{
    bool global = i->space == SPACE_GLOBAL || i->space == SPACE_GENERIC;
    if (i->op == IR_CPASYNC) return 1;
    bool access =
        i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_ATOM || i->op == IR_RED || i->op == IR_PREFETCH;
    return access && global ? 0 : UINT32_MAX;
}

bool narrow_addresses(struct ir_function *f)
{
    struct narrower n = {.f = f};
    bool changed = false;
    n.low = ARENA_ARRAY(&f->unit->arena, struct ir_value *, f->value_count); // twins are never looked up
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (struct ir_inst *i = b->first; i; i = i->next) {
            uint32_t k = address_use(i);
            if (k == UINT32_MAX || ir_operand(i, k)->class != IR_CLASS_64) continue;
            ir_set_use(i, k, low_of(&n, ir_operand(i, k)));
            changed = true;
        }
    return changed;
}
