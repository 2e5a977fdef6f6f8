// Constant expressions (PTX ISA 4.5.4): C operators on 64-bit integers and, except bitwise operators, shifts
// and '%', on f64.
//
//     constant := binary ["?" constant ":" constant]
//     binary   := unary {operator binary}         precedences as in C
//     unary    := ("+" | "-" | "!" | "~") unary | "(.s64)" unary | "(.u64)" unary | "(" constant ")"
//               | literal
//
// Types follow C's usual conversions between .s64 and .u64; '%' and '~' always give .u64. Shifts count
// modulo 64. Measured: ptxas emits the same data.
#include "base/bits.h"
#include "ptx/names.h"
#include "ptx/parse_impl.h"

#include <string.h>

static bool is_float(struct constant c) { return c.literal != LITERAL_INT; }

double expr_to_f64(struct constant c)
{
    if (c.literal == LITERAL_F32) return (double)f32_from_bits((uint32_t)c.bits);
    if (c.literal == LITERAL_F64) return f64_from_bits(c.bits);
    return c.is_unsigned ? (double)c.bits : (double)(int64_t)c.bits;
}

static struct constant from_f64(double value)
{
    return (struct constant){LITERAL_F64, false, f64_bits(value)};
}
static struct constant from_bool(bool value) { return (struct constant){LITERAL_INT, false, value}; }
static bool is_true(struct constant c) { return is_float(c) ? expr_to_f64(c) != 0 : c.bits != 0; }

static int precedence(enum token_kind kind) // 0: not a binary operator
{
    static const unsigned char levels[TOKEN_TILDE + 1] = {
        [TOKEN_OROR] = 1,  [TOKEN_ANDAND] = 2, [TOKEN_PIPE] = 3,     [TOKEN_CARET] = 4, [TOKEN_AMP] = 5,
        [TOKEN_EQ] = 6,    [TOKEN_NE] = 6,     [TOKEN_LT] = 7,       [TOKEN_GT] = 7,    [TOKEN_LE] = 7,
        [TOKEN_GE] = 7,    [TOKEN_SHL] = 8,    [TOKEN_SHR] = 8,      [TOKEN_PLUS] = 9,  [TOKEN_MINUS] = 9,
        [TOKEN_STAR] = 10, [TOKEN_SLASH] = 10, [TOKEN_PERCENT] = 10,
    };
    return levels[kind];
}

static bool float_operation(enum token_kind op, struct constant a, struct constant b, struct constant *r)
{
    double x = expr_to_f64(a), y = expr_to_f64(b);
    switch ((int)op) {
    case TOKEN_PLUS: *r = from_f64(x + y); return true;
    case TOKEN_MINUS: *r = from_f64(x - y); return true;
    case TOKEN_STAR: *r = from_f64(x * y); return true;
    case TOKEN_SLASH: *r = from_f64(x / y); return true;
    case TOKEN_LT: *r = from_bool(x < y); return true;
    case TOKEN_GT: *r = from_bool(x > y); return true;
    case TOKEN_LE: *r = from_bool(x <= y); return true;
    case TOKEN_GE: *r = from_bool(x >= y); return true;
    case TOKEN_EQ: *r = from_bool(x == y); return true;
    case TOKEN_NE: *r = from_bool(x != y); return true;
    case TOKEN_ANDAND: *r = from_bool(is_true(a) && is_true(b)); return true;
    case TOKEN_OROR: *r = from_bool(is_true(a) || is_true(b)); return true;
    default: return false;
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned)
{
    if (is_unsigned) return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b); // INT64_MIN / -1 wraps
}

// The divisor is not zero.
static struct constant integer_operation(enum token_kind op, struct constant a, struct constant b)
{
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    uint64_t x = a.bits, y = b.bits, flip = is_unsigned ? 0 : 1ull << 63;
    struct constant r = {LITERAL_INT, is_unsigned, 0};
    switch ((int)op) {
    case TOKEN_PLUS: r.bits = x + y; break;
    case TOKEN_MINUS: r.bits = x - y; break;
    case TOKEN_STAR: r.bits = x * y; break;
    case TOKEN_SLASH: r.bits = divide(x, y, is_unsigned); break;
    case TOKEN_PERCENT: return (struct constant){LITERAL_INT, true, x % y};
    case TOKEN_SHL: return (struct constant){LITERAL_INT, a.is_unsigned, x << (y & 63)};
    case TOKEN_SHR:
        return (struct constant){LITERAL_INT, a.is_unsigned,
                                 a.is_unsigned ? x >> (y & 63) : (uint64_t)((int64_t)x >> (y & 63))};
    case TOKEN_AMP: r.bits = x & y; break;
    case TOKEN_PIPE: r.bits = x | y; break;
    case TOKEN_CARET: r.bits = x ^ y; break;
    case TOKEN_LT: return from_bool((x ^ flip) < (y ^ flip));
    case TOKEN_GT: return from_bool((x ^ flip) > (y ^ flip));
    case TOKEN_LE: return from_bool((x ^ flip) <= (y ^ flip));
    case TOKEN_GE: return from_bool((x ^ flip) >= (y ^ flip));
    case TOKEN_EQ: return from_bool(x == y);
    case TOKEN_NE: return from_bool(x != y);
    case TOKEN_ANDAND: return from_bool(x && y);
    case TOKEN_OROR: return from_bool(x || y);
    default: break;
    }
    return r;
}

static bool apply(struct parser *p, const struct token *op, struct constant *a, struct constant b)
{
    struct loc loc = lex_loc(&p->lex, op);
    bool division = op->kind == TOKEN_SLASH || op->kind == TOKEN_PERCENT;
    if (is_float(*a) != is_float(b))
        return diag_error(p->d, loc, "integer and floating-point constants do not mix; write 1.0 for 1");
    if (is_float(*a)) {
        if (float_operation(op->kind, *a, b, a)) return true;
        return diag_error(p->d, loc, "this operator needs integers");
    }
    if (division && !b.bits) return diag_error(p->d, loc, "the constant expression divides by zero");
    *a = integer_operation(op->kind, *a, b);
    return true;
}

static bool parse_unary(struct parser *p, struct constant *value);

static bool parse_binary(struct parser *p, int least, struct constant *value)
{
    if (!parse_unary(p, value)) return false;
    for (int level; (level = precedence(p->t.kind)) >= least && level;) {
        struct token op = p->t;
        struct constant right;
        parse_advance(p);
        if (!parse_binary(p, level + 1, &right) || !apply(p, &op, value, right)) return false;
    }
    return true;
}

static bool parse_conditional(struct parser *p, struct constant *value)
{
    struct constant yes, no;
    if (!parse_binary(p, 1, value)) return false;
    if (!parse_accept(p, TOKEN_QUESTION)) return true;
    if (!parse_constant(p, &yes) || !parse_expect(p, TOKEN_COLON, "after '?' and a value") ||
        !parse_constant(p, &no))
        return false;
    *value = is_true(*value) ? yes : no;
    return true;
}

// After '(': a cast or an expression in parentheses.
static bool parse_parentheses(struct parser *p, struct constant *value)
{
    bool to_signed = parse_at_dot(p, "s64"), to_unsigned = parse_at_dot(p, "u64");
    if (!to_signed && !to_unsigned)
        return parse_constant(p, value) && parse_expect(p, TOKEN_RPAREN, "to match '('");
    parse_advance(p);
    if (!parse_expect(p, TOKEN_RPAREN, "after the type of a cast") || !parse_unary(p, value)) return false;
    if (is_float(*value)) return parse_error(p, "only integers can be cast");
    value->is_unsigned = to_unsigned;
    return true;
}

static bool parse_sign(struct parser *p, enum token_kind sign, struct constant *value)
{
    struct loc loc = parse_here(p);
    if (!parse_unary(p, value)) return false;
    switch ((int)sign) {
    case TOKEN_MINUS:
        if (value->literal == LITERAL_F64)
            value->bits ^= 1ull << 63;
        else if (value->literal == LITERAL_F32)
            value->bits ^= 1ull << 31;
        else
            value->bits = 0 - value->bits;
        return true;
    case TOKEN_NOT: *value = from_bool(!is_true(*value)); return true;
    case TOKEN_TILDE:
        if (is_float(*value)) return diag_error(p->d, loc, "'~' needs an integer");
        *value = (struct constant){LITERAL_INT, true, ~value->bits};
        return true;
    default: return true;
    }
}

static bool parse_unary(struct parser *p, struct constant *value)
{
    if (p->expr_depth >= EXPR_DEPTH_MAX) return parse_error(p, "the expression nests too deep");
    p->expr_depth++;
    struct token t = p->t;
    bool good = true;
    char found[TOKEN_TEXT_BYTES];
    parse_advance(p);
    switch ((int)t.kind) {
    case TOKEN_INT: *value = (struct constant){LITERAL_INT, t.is_unsigned, t.value}; break;
    case TOKEN_F32: *value = (struct constant){LITERAL_F32, false, t.value}; break;
    case TOKEN_F64: *value = (struct constant){LITERAL_F64, false, t.value}; break;
    case TOKEN_LPAREN: good = parse_parentheses(p, value); break;
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_NOT:
    case TOKEN_TILDE: good = parse_sign(p, t.kind, value); break;
    default:
        if (t.kind == TOKEN_NAME && token_is(&t, "WARP_SZ", 7)) {
            *value = (struct constant){LITERAL_INT, false, 32};
            break;
        }
        good = diag_error(p->d, lex_loc(&p->lex, &t), "expected a constant, found %s",
                          lex_token_text(&t, found));
    }
    p->expr_depth--;
    return good;
}

bool parse_constant(struct parser *p, struct constant *value)
{
    if (p->expr_depth >= EXPR_DEPTH_MAX) return parse_error(p, "the expression nests too deep");
    p->expr_depth++;
    bool good = parse_conditional(p, value);
    p->expr_depth--;
    return good;
}

bool parse_constant_i64(struct parser *p, int64_t *value)
{
    struct constant c;
    struct loc loc = parse_here(p);
    if (!parse_constant(p, &c)) return false;
    if (is_float(c)) return diag_error(p->d, loc, "expected an integer constant");
    *value = (int64_t)c.bits;
    return true;
}

static uint64_t extend(uint64_t bits, enum ptx_type type)
{
    unsigned width = ptx_type_bits(type);
    if (width >= 64) return bits;
    bits &= bit_mask(width);
    bool negative = bits >> (width - 1) & 1;
    return ptx_type_is_signed(type) && negative ? bits | ~bit_mask(width) : bits;
}

bool expr_to_type(struct constant c, enum ptx_type type, uint64_t *bits)
{
    bool bit_type = ptx_type_is_bits(type);
    if (type == PTX_PRED) {
        *bits = is_true(c);
        return !is_float(c);
    }
    if (!is_float(c)) {
        *bits = extend(c.bits, type);
        return !ptx_type_is_float(type);
    }
    if (type == PTX_F32) {
        *bits = c.literal == LITERAL_F32 ? c.bits : f32_bits((float)expr_to_f64(c));
        return true;
    }
    if (type == PTX_F64) {
        *bits = f64_bits(expr_to_f64(c));
        return true;
    }
    *bits = c.bits; // a bit type takes a float literal of its own width unchanged
    return bit_type && ptx_type_bits(type) == (c.literal == LITERAL_F32 ? 32u : 64u);
}
