// Idioms: short instruction sequences of real code, and shapes that optimisers look for.
#include "generator/generator_impl.h"

#include <stdio.h>

void carry_chain(struct gen *g)
{
    unsigned d[4];
    char a[32], b[32];
    bool subtract = chance(g, 40), multiply = !subtract && chance(g, 40);
    unsigned words = 2 + below(g, 3);
    for (unsigned k = 0; k < words; k++) d[k] = fresh(g, CLASS_R);
    for (unsigned k = 0; k < words; k++) {
        const char *cc = k + 1 < words ? ".cc" : "";
        operand(g, 'r', a, sizeof a);
        operand(g, 'r', b, sizeof b);
        if (multiply && k)
            line(g, "madc.%s%s.u32 %%r%u, %s, %s, %%r%d;", chance(g, 50) ? "hi" : "lo", cc, d[k], a, b,
                 pick(g, CLASS_R));
        else if (multiply)
            line(g, "mad.lo.cc.u32 %%r%u, %s, %s, %%r%d;", d[0], a, b, pick(g, CLASS_R));
        else
            line(g, "%s%s%s.%s %%r%u, %s, %s;", subtract ? "sub" : "add", k ? "c" : "", cc,
                 chance(g, 70) ? "u32" : "s32", d[k], a, b);
    }
    for (unsigned k = 0; k < words; k++) define(g, CLASS_R, d[k], false);
}

// A 64-bit operation, then the two 32-bit words of its result.
static void words(struct gen *g)
{
    static const char *const ops[] = {"and.b64", "or.b64", "xor.b64", "add.s64", "sub.s64", "mul.lo.s64"};
    unsigned d = fresh(g, CLASS_D), a = fresh(g, CLASS_R), b = fresh(g, CLASS_R), e = fresh(g, CLASS_D);
    switch (below(g, 5)) {
    case 0:
        line(g, "mad.wide.%s %%rd%u, %%r%d, %%r%d, %%rd%d;", chance(g, 50) ? "u32" : "s32", d,
             pick(g, CLASS_R), pick(g, CLASS_R), pick(g, CLASS_D));
        break;
    case 1: line(g, "shl.b64 %%rd%u, %%rd%d, %u;", d, pick(g, CLASS_D), below(g, 66)); break;
    case 2:
        line(g, "shr.%s %%rd%u, %%rd%d, %u;", chance(g, 50) ? "u64" : "s64", d, pick(g, CLASS_D),
             below(g, 66));
        break;
    case 3:
        line(g, "cvt.%s %%rd%u, %%r%d;", chance(g, 50) ? "u64.u32" : "s64.s32", e, pick(g, CLASS_R));
        line(g, "%s %%rd%u, %%rd%u, %%rd%d;", ops[below(g, 6)], d, e, pick(g, CLASS_D));
        break;
    default: line(g, "%s %%rd%u, %%rd%d, %%rd%d;", ops[below(g, 6)], d, pick(g, CLASS_D), pick(g, CLASS_D));
    }
    if (chance(g, 60))
        line(g, "mov.b64 {%%r%u, %%r%u}, %%rd%u;", a, b, d);
    else {
        line(g, "cvt.u32.u64 %%r%u, %%rd%u;", a, d);
        line(g, "shr.u64 %%rd%u, %%rd%u, 32;", e, d);
        line(g, "cvt.u32.u64 %%r%u, %%rd%u;", b, e);
    }
    define(g, CLASS_R, a, false);
    define(g, CLASS_R, b, false);
    if (chance(g, 30)) define(g, CLASS_D, d, false);
}

void pack_unpack(struct gen *g)
{
    if (chance(g, 40)) {
        words(g);
        return;
    }
    unsigned d = fresh(g, CLASS_D), a = fresh(g, CLASS_R), b = fresh(g, CLASS_R), h = fresh(g, CLASS_H),
             i = fresh(g, CLASS_H);
    switch (below(g, 6)) {
    case 0:
        line(g, "mov.b64 %%rd%u, {%%r%d, %%r%d};", d, pick(g, CLASS_R), pick(g, CLASS_R));
        define(g, CLASS_D, d, false);
        break;
    case 1:
        line(g, "mov.b64 {%%r%u, %%r%u}, %%rd%d;", a, b, pick(g, CLASS_D));
        define(g, CLASS_R, a, false);
        define(g, CLASS_R, b, false);
        break;
    case 2:
        line(g, "mov.b32 {%%rs%u, %%rs%u}, %%r%d;", h, i, pick(g, CLASS_R));
        define(g, CLASS_H, h, false);
        define(g, CLASS_H, i, false);
        break;
    case 3:
        line(g, "mov.b32 %%r%u, {%%rs%d, %%rs%d};", a, pick(g, CLASS_H), pick(g, CLASS_H));
        define(g, CLASS_R, a, false);
        break;
    case 4:
        line(g, "mov.b32 %%r%u, %%f%d;", a, pick(g, CLASS_F));
        line(g, "mov.b64 %%rd%u, %%fd%d;", d, pick(g, CLASS_G));
        define(g, CLASS_R, a, false);
        define(g, CLASS_D, d, false);
        break;
    default: {
        unsigned f = fresh(g, CLASS_F), e = fresh(g, CLASS_G);
        line(g, "mov.b32 %%f%u, %%r%d;", f, pick(g, CLASS_R));
        line(g, "mov.b64 %%fd%u, %%rd%d;", e, pick(g, CLASS_D));
        define(g, CLASS_F, f, false);
        define(g, CLASS_G, e, false);
    }
    }
}

// Shapes that optimisers look for.
void bit_idiom(struct gen *g)
{
    unsigned a = fresh(g, CLASS_R), b = fresh(g, CLASS_R), c = fresh(g, CLASS_R), n = below(g, 32);
    int x = pick(g, CLASS_R), y = pick(g, CLASS_R);
    switch (below(g, 11)) {
    case 0: // extract
        line(g, "shr.u32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "and.b32 %%r%u, %%r%u, %u;", b, a, (1u << below(g, 32)) - 1);
        line(g, "shl.b32 %%r%u, %%r%u, %u;", c, b, below(g, 33));
        break;
    case 1: // sign extension by shifts
        line(g, "shl.b32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "shr.s32 %%r%u, %%r%u, %u;", b, a, n);
        line(g, "add.s32 %%r%u, %%r%u, %%r%d;", c, b, y);
        break;
    case 2: // rotate
        line(g, "shl.b32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "shr.u32 %%r%u, %%r%d, %u;", b, x, 32 - n);
        line(g, "or.b32 %%r%u, %%r%u, %%r%u;", c, a, b);
        break;
    case 3: // three-input logic
        line(g, "xor.b32 %%r%u, %%r%d, %%r%d;", a, x, y);
        line(g, "and.b32 %%r%u, %%r%u, %%r%d;", b, a, pick(g, CLASS_R));
        line(g, "%s.b32 %%r%u, %%r%u, %%r%d;", chance(g, 50) ? "or" : "xor", c, b, chance(g, 50) ? x : y);
        break;
    case 4: // shift and add, then the inverse operation
        line(g, "shl.b32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "add.s32 %%r%u, %%r%u, %%r%d;", b, a, y);
        line(g, "sub.s32 %%r%u, %%r%u, %%r%u;", c, b, a);
        break;
    case 5: // division and remainder by the same constant
        line(g, "div.s32 %%r%u, %%r%d, %d;", a, x, (int)special_u32(g));
        line(g, "mul.lo.s32 %%r%u, %%r%u, %u;", b, a, 1 + n);
        line(g, "sub.s32 %%r%u, %%r%d, %%r%u;", c, x, b);
        break;
    case 6: { // the same operands read with and without a sign
        unsigned p = fresh(g, CLASS_P);
        line(g, "shr.s32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "shr.u32 %%r%u, %%r%d, %u;", b, x, n);
        line(g, "setp.lt.s32 %%p%u, %%r%d, %%r%d;", p, x, y);
        line(g, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;", c, a, b, p);
        line(g, "setp.lt.u32 %%p%u, %%r%d, %%r%d;", p, x, y);
        line(g, "@%%p%u xor.b32 %%r%u, %%r%u, 5;", p, c, c);
        break;
    }
    case 7: { // comparisons that fold into simpler comparisons
        unsigned p = fresh(g, CLASS_P), q = fresh(g, CLASS_P);
        line(g, "xor.b32 %%r%u, %%r%d, %d;", a, x, (int)special_u32(g));
        line(g, "setp.%s %%p%u, %%r%u, %d;", chance(g, 50) ? "eq.s32" : "ne.s32", p, a, (int)special_u32(g));
        line(g, "selp.s32 %%r%u, 1, 0, %%p%u;", b, p);
        line(g, "setp.%s %%p%u, %%r%u, %u;", chance(g, 50) ? "eq.s32" : "gt.u32", q, b, below(g, 2));
        line(g, "selp.s32 %%r%u, %%r%d, %%r%d, %%p%u;", c, x, y, q);
        define(g, CLASS_P, q, false);
        break;
    }
    case 8: { // minimum and maximum by comparison, and clamping
        unsigned p = fresh(g, CLASS_P);
        const char *t = chance(g, 50) ? "s32" : "u32";
        line(g, "setp.%s.%s %%p%u, %%r%d, %%r%d;", chance(g, 50) ? "lt" : "ge", t, p, x, y);
        line(g, "selp.b32 %%r%u, %%r%d, %%r%d, %%p%u;", a, x, y, p);
        line(g, "min.%s %%r%u, %%r%u, %d;", t, b, a, (int)special_u32(g));
        line(g, "max.%s %%r%u, %%r%u, %d;", t, c, b, (int)special_u32(g));
        break;
    }
    case 9: // chained constants
        line(g, "add.s32 %%r%u, %%r%d, %d;", a, x, (int)special_u32(g));
        line(g, "add.s32 %%r%u, %%r%u, %d;", b, a, (int)special_u32(g));
        line(g, "mul.lo.s32 %%r%u, %%r%u, %d;", c, b, (int)special_u32(g));
        break;
    default: // narrow arithmetic widened again
        line(g, "cvt.u32.u8 %%r%u, %%r%d;", a, x);
        line(g, "cvt.s32.s16 %%r%u, %%r%d;", b, y);
        line(g, "mad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%d;", c, a, b, x);
        break;
    }
    define(g, CLASS_R, a, false);
    define(g, CLASS_R, b, false);
    define(g, CLASS_R, c, false);
}

// Swaps two variables or rotates three: a known trap for copies at block ends (the swap problem of SSA).
void swap_values(struct gen *g)
{
    static const char *const types[] = {"b32", "b64", "b16", "f32", "f64"};
    enum reg_class c = (enum reg_class)below(g, CLASS_P);
    int a = pick_variable(g, c), b = pick_variable(g, c), d = pick_variable(g, c);
    const char *p = class_prefix(c), *type = types[c];
    unsigned t = fresh(g, c);
    if (a < 0 || b < 0 || d < 0 || a == b) return;
    line(g, "mov.%s %s%u, %s%d;", type, p, t, p, a);
    line(g, "mov.%s %s%d, %s%d;", type, p, a, p, b);
    bool three = d != a && d != b && chance(g, 50);
    if (three) line(g, "mov.%s %s%d, %s%d;", type, p, b, p, d);
    line(g, "mov.%s %s%d, %s%u;", type, p, three ? d : b, p, t);
}

// Logic over three values, several levels deep.
void logic_tree(struct gen *g)
{
    static const char *const ops[] = {"and", "or", "xor"};
    const unsigned leaves[3] = {(unsigned)pick(g, CLASS_R), (unsigned)pick(g, CLASS_R),
                                (unsigned)pick(g, CLASS_R)};
    unsigned nodes[8], count = 3 + below(g, 5);
    for (unsigned k = 0; k < count; k++) {
        unsigned x = k && chance(g, 70) ? nodes[k - 1] : leaves[below(g, 3)], d = fresh(g, CLASS_R);
        unsigned y = k > 1 && chance(g, 30) ? nodes[below(g, k)] : leaves[below(g, 3)];
        const char *op = ops[below(g, 3)];
        if (chance(g, 15))
            line(g, "not.b32 %%r%u, %%r%u;", d, x);
        else if (chance(g, 12))
            line(g, "%s.b32 %%r%u, %%r%u, %d;", op, d, x, (int)special_u32(g));
        else if (chance(g, 15))
            line(g, "lop3.b32 %%r%u, %%r%u, %%r%u, %%r%u, 0x%x;", d, x, y, leaves[0], below(g, 256));
        else
            line(g, "%s.b32 %%r%u, %%r%u, %%r%u;", op, d, x, y);
        nodes[k] = d;
    }
    define(g, CLASS_R, nodes[count - 1], false);
    if (chance(g, 30)) define(g, CLASS_R, nodes[below(g, count)], false);
}
