// Known and demanded bits, one walk for each. Known bits: forwards in reverse post-order; a phi operand from
// a loop not yet visited counts as unknown. Demanded bits: backwards; a user not yet visited counts as
// reading every bit. Both are conservative without iteration.
#include "compile/ir/known.h"
#include "isa/bank.h"
#include "isa/space.h"
#include "isa/sregs.h"

#include "base/bits.h"

static uint64_t width_mask(enum ir_class class)
{
    return class == IR_CLASS_32 ? UINT32_MAX : class == IR_CLASS_PRED ? 1 : UINT64_MAX;
}

static unsigned width_of(const struct ir_value *v) { return v->class == IR_CLASS_64 ? 64 : 32; }

static struct known_bits nothing(enum ir_class class) { return (struct known_bits){~width_mask(class), 0}; }

static struct known_bits below(enum ir_class class, uint64_t limit) // a number <= limit
{
    struct known_bits k = nothing(class);
    k.zeros |= limit ? ~bit_mask(bit_highest(limit) + 1) : ~0ull;
    return k;
}

struct known_bits known_of(const struct known *k, const struct ir_value *v)
{
    if (v->is_constant) return (struct known_bits){~v->bits, v->bits};
    if (v->id >= k->count) return nothing(v->class);
    return k->bits[v->id];
}

uint64_t known_demanded(const struct known *k, const struct ir_value *v)
{
    return v->id < k->count ? k->demanded[v->id] : ~0ull;
}

uint64_t known_max(const struct known *k, const struct ir_value *v) { return ~known_of(k, v).zeros; }

bool known_not_negative(const struct known *k, const struct ir_value *v)
{
    return known_of(k, v).zeros >> (width_of(v) - 1) & 1;
}

// -- forwards -----------------------------------------------------------------------------------------------

// Known bits of a special register by its largest value: CUDA's limits, but warps of up to 64 lanes.
static struct known_bits of_sreg(const struct ir_inst *i)
{
    enum ir_class class = i->defs[0]->class;
    switch ((int)i->offset) {
    case SREG_TID_X:
    case SREG_TID_Y:
    case SREG_TID_Z: return below(class, 1023);
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z: return below(class, 1024);
    case SREG_CTAID_X:
    case SREG_NCTAID_X: return below(class, INT32_MAX);
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z: return below(class, 65535);
    case SREG_LANEID: return below(class, 63);
    case SREG_WARPID:
    case SREG_NWARPID: return below(class, 2047);
    }
    return nothing(class);
}

static struct known_bits of_bank(const struct ir_inst *i)
{
    enum ir_class class = i->defs[0]->class;
    if (i->bank != BANK_LAUNCH || class != IR_CLASS_32) return nothing(class);
    if (i->offset >= LAUNCH_NTID && i->offset < LAUNCH_NTID + 12) return below(class, 1024);
    if (i->offset == LAUNCH_NCTAID) return below(class, INT32_MAX);
    if (i->offset > LAUNCH_NCTAID && i->offset < LAUNCH_NCTAID + 12) return below(class, 65535);
    return nothing(class);
}

// Bits of a + b + carry: known if both operand bits and the carry into the bit are known.
static struct known_bits of_sum(struct known_bits a, struct known_bits b, unsigned carry)
{
    uint64_t most = ~a.zeros + ~b.zeros + carry, least = a.ones + b.ones + carry; // sums of extreme operands
    uint64_t carry_zero = ~(most ^ a.zeros ^ b.zeros), carry_one = least ^ a.ones ^ b.ones;
    uint64_t known = (a.zeros | a.ones) & (b.zeros | b.ones) & (carry_zero | carry_one);
    return (struct known_bits){~most & known, least & known};
}

static unsigned trailing_zeros(struct known_bits k) { return ~k.zeros ? bit_lowest(~k.zeros) : 64; }

static struct known_bits of_product(struct known_bits a, struct known_bits b, enum ir_class class)
{
    struct known_bits k = nothing(class);
    unsigned low = trailing_zeros(a) + trailing_zeros(b);
    k.zeros |= bit_mask(low);
    unsigned __int128 most = (unsigned __int128)~a.zeros * ~b.zeros;
    if (most <= width_mask(class)) k.zeros |= below(class, (uint64_t)most).zeros;
    return k;
}

static struct known_bits common(struct known_bits a, struct known_bits b)
{
    return (struct known_bits){a.zeros & b.zeros, a.ones & b.ones};
}

static struct known_bits extended(struct known_bits k, enum isa_type from, enum ir_class to)
{
    unsigned bits = 8 * isa_type_bytes(from);
    uint64_t mask = bit_mask(bits), above = ~mask;
    bool zero_top = k.zeros >> (bits - 1) & 1, one_top = k.ones >> (bits - 1) & 1;
    struct known_bits r = {k.zeros & mask, k.ones & mask};
    if (!isa_type_is_signed(from) || zero_top)
        r.zeros |= above;
    else if (one_top)
        r.ones |= above;
    r.ones &= width_mask(to);
    r.zeros |= ~width_mask(to);
    return r;
}

static struct known_bits shifted_left(struct known_bits k, unsigned n, enum ir_class class)
{
    uint64_t mask = width_mask(class);
    return (struct known_bits){(k.zeros << n | bit_mask(n)) | ~mask, k.ones << n & mask};
}

static struct known_bits shifted_right(struct known_bits k, unsigned n, enum ir_class class, bool is_signed)
{
    unsigned width = class == IR_CLASS_64 ? 64 : 32;
    uint64_t mask = width_mask(class), fill = mask & ~(mask >> n);
    bool one_top = k.ones >> (width - 1) & 1, zero_top = k.zeros >> (width - 1) & 1;
    struct known_bits r = {(k.zeros & mask) >> n | ~mask, (k.ones & mask) >> n};
    if (!is_signed || zero_top)
        r.zeros |= fill;
    else if (one_top)
        r.ones |= fill;
    return r;
}

static struct known_bits of_load(const struct ir_inst *i, enum ir_class class)
{
    if (i->type == TYPE_U8) return below(class, 0xff);
    if (i->type == TYPE_U16) return below(class, 0xffff);
    return nothing(class);
}

// Known bits of a minimum or maximum: the bits common to both operands. An unsigned minimum is also bounded
// by the smaller of the operands' largest values.
static struct known_bits of_minimum(const struct ir_inst *i, struct known_bits a, struct known_bits b,
                                    enum ir_class class)
{
    struct known_bits k = common(a, b);
    if (isa_type_is_signed((enum isa_type)i->type)) return k;
    uint64_t most = ~a.zeros < ~b.zeros ? ~a.zeros : ~b.zeros;
    if (i->op == IR_MIN) k.zeros |= below(class, most).zeros;
    return k;
}

static struct known_bits of_inst(const struct known *known, const struct ir_inst *i)
{
    const struct ir_value *d = i->defs[0];
    enum ir_class class = d->class;
    enum isa_type type = (enum isa_type)i->type;
    bool is_signed = isa_type_is_signed(type);
    struct known_bits a = nothing(class), b = a, c = a;
    if (i->use_count > 0) a = known_of(known, ir_operand(i, 0));
    if (i->use_count > 1) b = known_of(known, ir_operand(i, 1));
    if (i->use_count > 2) c = known_of(known, ir_operand(i, 2));
    uint64_t mask = width_mask(class), n = 0;
    bool by_constant = i->use_count > 1 && ir_constant_bits(ir_operand(i, 1), &n) && n < width_of(d);
    struct known_bits r = nothing(class);
    switch ((int)i->op) {
    case IR_COPY: return a;
    case IR_SREG: return of_sreg(i);
    case IR_BANK: return of_bank(i);
    case IR_LOAD: return i->guard.value ? r : of_load(i, class);
    case IR_PHI:
        r = a;
        for (uint32_t k = 1; k < i->use_count; k++) r = common(r, known_of(known, ir_operand(i, k)));
        return r;
    case IR_SELECT: return common(a, b);
    case IR_PACK:
        return (struct known_bits){(a.zeros & UINT32_MAX) | b.zeros << 32,
                                   (a.ones & UINT32_MAX) | b.ones << 32};
    case IR_LO: return (struct known_bits){a.zeros | ~mask, a.ones & mask};
    case IR_HI: return (struct known_bits){a.zeros >> 32 | ~mask, a.ones >> 32};
    case IR_ZEXT:
    case IR_SEXT: return extended(a, (enum isa_type)i->type2, class);
    case IR_ADD: r = of_sum(a, b, 0); break;
    case IR_SUB: r = of_sum(a, (struct known_bits){b.ones, b.zeros}, 1); break;
    case IR_NEG: r = of_sum((struct known_bits){~0ull, 0}, (struct known_bits){a.ones, a.zeros}, 1); break;
    case IR_MUL: return of_product(a, b, class);
    case IR_MULWIDE: // a signed product of non-negative numbers equals the unsigned product
        if (is_signed && !((a.zeros & b.zeros) >> 31 & 1)) {
            r.zeros |= bit_mask(
                trailing_zeros(a) + trailing_zeros(b) > 31 ? 31 : trailing_zeros(a) + trailing_zeros(b));
            return r;
        }
        return of_product(a, b, class);
    case IR_MAD: r = of_sum(of_product(a, b, class), c, 0); break;
    case IR_MIN:
    case IR_MAX: return of_minimum(i, a, b, class);
    case IR_AND: return (struct known_bits){a.zeros | b.zeros, a.ones & b.ones};
    case IR_OR: return (struct known_bits){a.zeros & b.zeros, a.ones | b.ones};
    case IR_XOR:
        return (struct known_bits){((a.zeros & b.zeros) | (a.ones & b.ones)) | ~mask,
                                   (a.zeros & b.ones) | (a.ones & b.zeros)};
    case IR_NOT: return (struct known_bits){a.ones | ~mask, a.zeros & mask};
    case IR_SHL: return by_constant ? shifted_left(a, (unsigned)n, class) : r;
    case IR_SHR:
        return by_constant ? shifted_right(a, (unsigned)n, class, is_signed)
               : is_signed ? r
                           : below(class, ~a.zeros);
    case IR_DIV: // the quotient never exceeds the dividend
        return isa_type_is_float(type) || is_signed || !b.ones ? r : below(class, ~a.zeros / b.ones);
    case IR_REM:
        if (isa_type_is_float(type) || is_signed) return r;
        r = below(class, ~a.zeros);
        return b.ones && ~b.zeros < ~a.zeros ? below(class, ~b.zeros) : r;
    case IR_BFE:
        if (is_signed || !ir_constant_bits(ir_operand(i, 2), &n) || (n & 255) >= width_of(d)) return r;
        return below(class, bit_mask((unsigned)n & 255));
    case IR_POPC: return below(class, 64);
    default: return r;
    }
    r.zeros |= ~mask;
    r.ones &= mask;
    return r;
}

// -- backwards ----------------------------------------------------------------------------------------------

// Every bit up to the highest demanded bit: demanded operand bits of a sum, since carries move upwards only.
static uint64_t up_to_top(uint64_t demanded) { return demanded ? bit_mask(bit_highest(demanded) + 1) : 0; }

static uint64_t through_store(const struct ir_inst *i, uint32_t operand)
{
    if (operand == 0) return ~0ull;
    if (i->type == TYPE_U8 || i->type == TYPE_S8) return 0xff;
    if (i->type == TYPE_U16 || i->type == TYPE_S16) return 0xffff;
    return ~0ull;
}

// Demanded bits of an operand of AND. A bit does not matter where the other operand is known to be clear.
// Where both operands are known to be clear, the bit of the second operand counts as demanded.
static uint64_t through_and(const struct known *known, const struct ir_inst *i, uint32_t operand,
                            uint64_t demanded)
{
    uint64_t first = known_of(known, ir_operand(i, 0)).zeros,
             second = known_of(known, ir_operand(i, 1)).zeros;
    return demanded & ~(operand ? first & ~second : second);
}

// Bits of use `operand` that influence the demanded bits of the result.
static uint64_t through(const struct known *known, const struct ir_inst *i, uint32_t operand)
{
    if (i->op == IR_STORE) return through_store(i, operand);
    if (i->def_count != 1) return ~0ull;
    uint64_t demanded = known_demanded(known, i->defs[0]) & width_mask(i->defs[0]->class), n = 0;
    unsigned width = width_of(i->defs[0]);
    bool by_constant = i->use_count > 1 && ir_constant_bits(ir_operand(i, 1), &n) && n < width;
    switch ((int)i->op) {
    case IR_COPY:
    case IR_PHI:
    case IR_OR:
    case IR_XOR:
    case IR_NOT: return demanded;
    case IR_AND: return through_and(known, i, operand, demanded);
    case IR_SELECT: return operand == 2 ? ~0ull : demanded;
    case IR_ADD:
    case IR_SUB:
    case IR_NEG:
    case IR_MUL:
    case IR_MAD: return up_to_top(demanded);
    case IR_PACK: return operand ? demanded >> 32 : demanded & UINT32_MAX;
    case IR_LO: return demanded;
    case IR_HI: return demanded << 32;
    case IR_ZEXT: return demanded & bit_mask(8 * isa_type_bytes((enum isa_type)i->type2));
    case IR_SEXT: {
        uint64_t mask = bit_mask(8 * isa_type_bytes((enum isa_type)i->type2));
        return (demanded & mask) | (demanded & ~mask ? mask & ~(mask >> 1) : 0);
    }
    case IR_SHL: return operand == 0 && by_constant ? demanded >> n : ~0ull;
    case IR_SHR:
        if (operand != 0 || !by_constant) return ~0ull;
        if (isa_type_is_signed((enum isa_type)i->type)) return demanded << n | 1ull << (width - 1);
        return demanded << n;
    case IR_CVT:
        if (isa_type_is_float((enum isa_type)i->type2) && isa_type_bytes((enum isa_type)i->type2) > 2)
            return ~0ull;
        return bit_mask(8 * isa_type_bytes((enum isa_type)i->type2));
    }
    return ~0ull;
}

static void demand(struct known *k, const struct ir_inst *i)
{
    for (uint32_t n = 0; n < i->use_count; n++) {
        const struct ir_value *v = ir_operand(i, n);
        if (!v->is_constant) k->demanded[v->id] |= through(k, i, n);
    }
    for (uint32_t n = 0; i->old && n < i->def_count; n++)
        if (i->old[n].value) k->demanded[i->old[n].value->id] = ~0ull;
}

// Operands of a back edge are visited before their phi, when the demand on the phi is still unknown: every
// bit counts as demanded.
static void demand_phis_early(struct known *k, const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first; i && i->op == IR_PHI; i = i->next)
        for (uint32_t n = 0; n < i->use_count; n++)
            if (b->preds[n]->rpo >= b->rpo) k->demanded[ir_operand(i, n)->id] = ~0ull;
}

static struct ir_block **reverse_postorder(const struct ir_function *f)
{
    struct ir_block **order = heap_alloc(f->block_count * sizeof *order);
    for (struct ir_block *b = f->first_block; b; b = b->next)
        if (b->rpo < f->block_count) order[b->rpo] = b;
    return order;
}

static void learn(struct known *k, const struct ir_inst *i)
{
    for (uint32_t d = 0; d < i->def_count; d++) k->bits[i->defs[d]->id] = nothing(i->defs[d]->class);
    if (!i->def_count || i->defs[0]->class > IR_CLASS_64 || (i->def_count > 1 && i->op != IR_LOAD)) return;
    struct known_bits bits = of_inst(k, i);
    // equal for every element of a load
    for (uint32_t d = 0; d < i->def_count; d++) k->bits[i->defs[d]->id] = bits;
}

void known_init(struct known *k, struct ir_function *f)
{
    *k = (struct known){.count = f->value_count};
    k->bits = heap_alloc(k->count * sizeof *k->bits);
    for (uint32_t n = 0; n < f->param_count; n++) k->bits[f->params[n]->id] = nothing(f->params[n]->class);
    struct ir_block **order = reverse_postorder(f);
    for (uint32_t n = 0; n < f->block_count && order[n]; n++)
        for (const struct ir_inst *i = order[n]->first; i; i = i->next) learn(k, i);
    free(order);
}

void known_demand(struct known *k, struct ir_function *f)
{
    k->demanded = heap_alloc(k->count * sizeof *k->demanded);
    struct ir_block **order = reverse_postorder(f);
    for (struct ir_block *b = f->first_block; b; b = b->next) demand_phis_early(k, b);
    for (uint32_t n = f->block_count; n-- > 0;)
        for (const struct ir_inst *i = order[n] ? order[n]->last : NULL; i; i = i->previous) demand(k, i);
    free(order);
}

void known_fini(struct known *k)
{
    free(k->bits);
    free(k->demanded);
}
