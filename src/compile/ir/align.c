// Trailing zero bits by a walk over definitions, limited in depth. A loop counter is as aligned as its start
// value and its step: a phi reached again on its own walk imposes no limit.
#include "base/bits.h"
#include "compile/ir/known.h"

enum { DEPTH_MAX = 12, PATH_MAX = 16 };

struct walk {
    const struct ir_value *path[PATH_MAX]; // phis on the current walk
    unsigned count;
};

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned constant_zeros(uint64_t bits) { return bits ? bit_lowest(bits) : 64; }

static unsigned zeros(struct walk *w, const struct ir_value *v, unsigned depth);

static unsigned phi_zeros(struct walk *w, const struct ir_value *v, unsigned depth)
{
    for (unsigned k = 0; k < w->count; k++)
        if (w->path[k] == v) return 64; // an assumption that the remaining operands restrict
    if (w->count == PATH_MAX) return 0;
    w->path[w->count++] = v;
    unsigned known = 64;
    for (uint32_t k = 0; k < v->def->use_count && known; k++)
        known = least(known, zeros(w, ir_operand(v->def, k), depth + 1));
    w->count--;
    return known;
}

static unsigned shifted(struct walk *w, const struct ir_inst *i, unsigned depth, bool left)
{
    const struct ir_value *amount = ir_operand(i, 1);
    unsigned known = zeros(w, ir_operand(i, 0), depth + 1);
    if (!amount->is_constant || amount->bits > 63) return left ? known : 0;
    unsigned by = (unsigned)amount->bits;
    if (left) return known + by > 64 ? 64 : known + by;
    return known == 64 ? 64 : known > by ? known - by : 0;
}

static unsigned zeros(struct walk *w, const struct ir_value *v, unsigned depth)
{
    if (v->is_constant) return constant_zeros(v->bits);
    if (!v->def || depth > DEPTH_MAX) return 0;
    const struct ir_inst *i = v->def;
#define OPERAND(k) zeros(w, ir_operand(i, (k)), depth + 1)
    unsigned product;
    switch ((unsigned)i->op) {
    case IR_PHI: return phi_zeros(w, v, depth);
    case IR_COPY:
    case IR_LO:
    case IR_ZEXT:
    case IR_SEXT:
    case IR_NEG: return OPERAND(0);
    case IR_FRAME: return constant_zeros((uint64_t)i->offset);
    case IR_PACK: {
        unsigned low = OPERAND(0);
        return low < 32 ? low : 32;
    }
    case IR_ADD:
    case IR_SUB:
    case IR_OR:
    case IR_XOR:
    case IR_ADDCC:
    case IR_SUBCC: return v == i->defs[0] ? least(OPERAND(0), OPERAND(1)) : 0;
    case IR_AND: {
        unsigned a = OPERAND(0), b = OPERAND(1);
        return a > b ? a : b;
    }
    case IR_MUL:
    case IR_MULWIDE: product = OPERAND(0) + OPERAND(1); return product > 64 ? 64 : product;
    case IR_MAD:
    case IR_MADWIDE: product = OPERAND(0) + OPERAND(1); return least(product, OPERAND(2));
    case IR_SHL: return shifted(w, i, depth, true);
    case IR_SHR: return shifted(w, i, depth, false);
    case IR_SELECT:
    case IR_MIN:
    case IR_MAX: return least(OPERAND(0), OPERAND(1));
    default: return 0;
    }
#undef OPERAND
}

unsigned align_known_zeros(const struct ir_value *v)
{
    struct walk w = {.count = 0};
    return zeros(&w, v, 0);
}
