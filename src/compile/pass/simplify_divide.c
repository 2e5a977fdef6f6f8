// Division and remainder by constants: shifts for powers of two, else a multiplication by a rounded-up
// reciprocal (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI 1994). n
// is the dividend, N its width in bits, hi the high half of a product.
//
//   unsigned, by d   m = ceil(2^p / d) with the least p that gives exact quotients. If m has at most N bits:
//                        q = n * m >> p
//                    Otherwise n and an even d are shifted right first. For an odd d, p = N + l with
//                    l = ceil(log2 d), m has N + 1 bits, and with m' = m - 2^N:
//                        t = hi(n * m');  q = (((n - t) >> 1) + t) >> (l - 1)
//   signed, by d     the least p >= N with 2^p > c * (d - 2^p mod d), where c is the largest magnitude of a
//                    dividend with remainder d - 1, and M = (2^p + d - 2^p mod d) / d:
//                        q = (hi(n * M) >> (p - N)) - (n >> (N - 1)), then the sign of d
//                    An M of N bits reads as M - 2^N, so n is added back.
#include "compile/pass/simplify.h"

#include "base/bits.h"

typedef unsigned __int128 u128;

struct division {
    struct builder b;
    struct ir_inst *i;
    enum isa_type type, plain; // plain: the unsigned type of the same width
    unsigned width;
    struct ir_value *n;
};

static struct ir_value *op(struct division *v, enum ir_op o, enum isa_type type, struct ir_value *x,
                           struct ir_value *y)
{
    return build2(&v->b, o, type, x, y);
}

static struct ir_value *constant(struct division *v, uint64_t bits) { return simplify_constant(v->i, bits); }

static struct ir_value *shift(struct division *v, enum isa_type type, struct ir_value *x, unsigned amount)
{
    return amount ? op(v, IR_SHR, type, x, build_u32(&v->b, amount)) : x;
}

static enum isa_type signed_type(const struct division *v) { return v->width == 64 ? TYPE_S64 : TYPE_S32; }

static unsigned log2_up(uint64_t d) { return d <= 1 ? 0 : bit_highest(d - 1) + 1; }

// Quotient of n < 2^bits by d; d is neither zero nor a power of two.
static struct ir_value *unsigned_quotient(struct division *v, uint64_t d, unsigned bits)
{
    unsigned l = log2_up(d), width = v->width;
    // Find the least shift s with m * d - 2^(bits + s) <= 2^s, where m = ceil(2^(bits + s) / d). The quotient
    // of every n < 2^bits is then n * m >> (bits + s).
    for (unsigned s = 0; s <= l; s++) {
        u128 power = (u128)1 << (bits + s < 127 ? bits + s : 127);
        if (bits + s >= 127) break;
        u128 m = (power + d - 1) / d, error = m * d - power;
        if (error > (u128)1 << s) continue;
        if (m >> width) break; // m does not fit into the width: shift an even d, else use the long form
        unsigned product = bits + s;
        if (product < width) { // the low word holds the whole product
            if (m * (((u128)1 << bits) - 1) >> width) break;
            return shift(v, v->plain, op(v, IR_MUL, v->plain, v->n, constant(v, (uint64_t)m)), product);
        }
        return shift(v, v->plain, op(v, IR_MULHI, v->plain, v->n, constant(v, (uint64_t)m)), product - width);
    }
    unsigned even = bit_lowest(d); // even d: shifting n and d right first leaves room in m
    if (even) {
        struct division half = *v;
        half.n = shift(v, v->plain, v->n, even);
        return unsigned_quotient(&half, d >> even, bits > even ? bits - even : 1);
    }
    u128 m = (((u128)1 << width) * (((u128)1 << l) - d)) / d + 1; // m' of the long form
    struct ir_value *t = op(v, IR_MULHI, v->plain, v->n, constant(v, (uint64_t)m));
    struct ir_value *rest = shift(v, v->plain, op(v, IR_SUB, v->plain, v->n, t), 1);
    return shift(v, v->plain, op(v, IR_ADD, v->plain, rest, t), l - 1);
}

// n + (n < 0 ? 2^k - 1 : 0): makes a following shift round towards zero.
static struct ir_value *towards_zero(struct division *v, unsigned k)
{
    enum isa_type type = signed_type(v);
    struct ir_value *sign = shift(v, type, v->n, v->width - 1);
    return op(v, IR_ADD, v->plain, v->n, shift(v, v->plain, sign, v->width - k));
}

static uint64_t signed_reciprocal(uint64_t d, unsigned width, unsigned *p)
{
    u128 top = (u128)1 << (width - 1), c = top - 1 - top % d;
    for (*p = width;; ++*p) {
        u128 power = (u128)1 << *p, short_of = d - power % d;
        if (power > c * short_of) return (uint64_t)((power + short_of) / d);
    }
}

static struct ir_value *signed_quotient(struct division *v, uint64_t magnitude, bool negative)
{
    enum isa_type type = signed_type(v);
    struct ir_value *q;
    if (is_power_of_two(magnitude)) {
        unsigned k = bit_lowest(magnitude);
        q = k ? shift(v, type, towards_zero(v, k), k) : v->n;
    } else {
        unsigned p;
        uint64_t m = signed_reciprocal(magnitude, v->width, &p);
        struct ir_value *t = op(v, IR_MULHI, type, v->n, constant(v, m));
        if (m >> (v->width - 1)) t = op(v, IR_ADD, v->plain, v->n, t);
        t = shift(v, type, t, p - v->width);
        q = op(v, IR_SUB, v->plain, t, shift(v, type, v->n, v->width - 1));
    }
    return negative ? build1(&v->b, IR_NEG, v->plain, q) : q;
}

static struct ir_value *remainder_of(struct division *v, struct ir_value *q, uint64_t d)
{
    return op(v, IR_SUB, v->plain, v->n, op(v, IR_MUL, v->plain, q, constant(v, d)));
}

static struct ir_value *divide_unsigned(struct simplify *s, struct division *v, uint64_t d)
{
    bool remainder = v->i->op == IR_REM;
    uint64_t most = known_max(&s->known, v->n) & simplify_mask(v->i);
    if (most < d) return remainder ? v->n : constant(v, 0);
    if (is_power_of_two(d)) {
        unsigned k = bit_lowest(d);
        return remainder ? op(v, IR_AND, v->plain, v->n, constant(v, d - 1)) : shift(v, v->plain, v->n, k);
    }
    struct ir_value *q = unsigned_quotient(v, d, bit_highest(most) + 1);
    return remainder ? remainder_of(v, q, d) : q;
}

struct ir_value *simplify_divide(struct simplify *s, struct ir_inst *i)
{
    uint64_t d;
    if ((i->op != IR_DIV && i->op != IR_REM) || isa_type_is_float((enum isa_type)i->type)) return NULL;
    if (!ir_constant_bits(ir_operand(i, 1), &d) || !d) return NULL;
    struct division v = {builder_at(i),   i, (enum isa_type)i->type, simplify_unsigned(i), simplify_width(i),
                         ir_operand(i, 0)};
    bool is_signed = isa_type_is_signed(v.type);
    uint64_t top_bit = simplify_mask(i) ^ simplify_mask(i) >> 1;
    if (!is_signed || (known_not_negative(&s->known, v.n) && !(d & top_bit)))
        return divide_unsigned(s, &v, d);
    bool negative = (d & top_bit) != 0;
    uint64_t magnitude = negative ? (0 - d) & simplify_mask(i) : d;
    if (i->op == IR_DIV) return signed_quotient(&v, magnitude, negative);
    if (magnitude == 1) return constant(&v, 0);
    if (is_power_of_two(magnitude)) {
        struct ir_value *rounded =
            op(&v, IR_AND, v.plain, towards_zero(&v, bit_lowest(magnitude)), constant(&v, 0 - magnitude));
        return op(&v, IR_SUB, v.plain, v.n, rounded);
    }
    // a remainder does not depend on the sign of the divisor
    return remainder_of(&v, signed_quotient(&v, magnitude, false), magnitude);
}
