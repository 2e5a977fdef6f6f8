// Memory, barriers, lanes, atomics, and idioms of several instructions.
#include "generator/generator_impl.h"

#include <stdio.h>

static const struct access {
    const char *type;
    enum reg_class class;
    unsigned bytes;
} accesses[] = {{"b32", CLASS_R, 4}, {"u32", CLASS_R, 4}, {"f32", CLASS_F, 4}, {"b64", CLASS_D, 8},
                {"f64", CLASS_G, 8}, {"s32", CLASS_R, 4}, {"u16", CLASS_H, 2}, {"s8", CLASS_R, 1},
                {"u8", CLASS_R, 1},  {"s16", CLASS_R, 2}, {"s8", CLASS_H, 1},  {"b16", CLASS_H, 2},
                {"s32", CLASS_D, 4}, {"u8", CLASS_D, 1}};
enum { ACCESS_COUNT = sizeof accesses / sizeof accesses[0] };

static const struct access *pick_access(struct gen *g)
{
    return &accesses[below(g, chance(g, 60) ? 5 : ACCESS_COUNT)];
}

// A fresh 32-bit register holding a random register masked and scaled: (x & mask) * scale.
static unsigned bounded(struct gen *g, unsigned mask, unsigned scale)
{
    unsigned d = fresh(g, CLASS_R), e = fresh(g, CLASS_R);
    line(g, "and.b32 %%r%u, %%r%d, %u;", d, pick(g, CLASS_R), mask);
    if (chance(g, 50))
        line(g, "mul.lo.u32 %%r%u, %%r%u, %u;", e, d, scale);
    else
        line(g, "shl.b32 %%r%u, %%r%u, %u;", e, d, (unsigned)__builtin_ctz(scale));
    define(g, CLASS_R, d, false);
    return e;
}

// A 64-bit address: base register plus a bounded index times scale, in one of the ways compilers write it.
static unsigned indexed(struct gen *g, const char *base, unsigned mask, unsigned scale)
{
    unsigned address = fresh(g, CLASS_D), offset = fresh(g, CLASS_D);
    if (chance(g, 40)) {
        unsigned index = fresh(g, CLASS_R);
        line(g, "and.b32 %%r%u, %%r%d, %u;", index, pick(g, CLASS_R), mask);
        if (chance(g, 60)) {
            line(g, "mad.wide.%s %%rd%u, %%r%u, %u, %s;", chance(g, 50) ? "u32" : "s32", address, index,
                 scale, base);
        } else { // the index moved by a constant that the base takes back
            unsigned moved = fresh(g, CLASS_R), wide = fresh(g, CLASS_D);
            int by = (int)below(g, 20) - 10;
            line(g, "add.s32 %%r%u, %%r%u, %d;", moved, index, by);
            line(g, "mul.wide.s32 %%rd%u, %%r%u, %u;", wide, moved, scale);
            line(g, "add.s64 %%rd%u, %%rd%u, %s;", offset, wide, base);
            line(g, "add.s64 %%rd%u, %%rd%u, %d;", address, offset, -by * (int)scale);
        }
        return address;
    }
    if (chance(g, 30)) { // from a 64-bit value
        unsigned index = fresh(g, CLASS_D);
        line(g, "and.b64 %%rd%u, %%rd%d, %u;", index, pick(g, CLASS_D), mask);
        line(g, "shl.b64 %%rd%u, %%rd%u, %u;", offset, index, (unsigned)__builtin_ctz(scale));
    } else {
        unsigned index = bounded(g, mask, scale);
        line(g, chance(g, 50) ? "cvt.u64.u32 %%rd%u, %%r%u;" : "cvt.s64.s32 %%rd%u, %%r%u;", offset, index);
    }
    line(g, "add.s64 %%rd%u, %s, %%rd%u;", address, base, offset);
    return address;
}

static unsigned define_fresh(struct gen *g, enum reg_class c)
{
    unsigned d = fresh(g, c);
    define(g, c, d, false);
    return d;
}

// A load that some lanes skip: what was there before stays.
static void guarded_load(struct gen *g, const char *space, const char *address)
{
    int r = pick_variable(g, CLASS_R), s = pick_variable(g, CLASS_R), p = pick(g, CLASS_P),
        d = pick_variable(g, CLASS_D);
    const char *no = chance(g, 40) ? "!" : "";
    if (r < 0 || s < 0 || d < 0) return;
    if (r != s && chance(g, 50))
        line(g, "@%s%%p%d ld%s.v2.u32 {%%r%d, %%r%d}, [%s];", no, p, space, r, s, address);
    else if (chance(g, 30))
        line(g, "@%s%%p%d ld%s.u64 %%rd%d, [%s];", no, p, space, d, address);
    else if (chance(g, 30))
        line(g, "@%s%%p%d ld%s.s8 %%r%d, [%s];", no, p, space, r, address);
    else
        line(g, "@%s%%p%d ld%s.u32 %%r%d, [%s];", no, p, space, r, address);
}

// Vectors of small elements; the address has room for 8 bytes.
static void small_vector(struct gen *g, const char *space, const char *address)
{
    static const char *const types[] = {"u8", "s8", "u16", "s16", "b8"};
    unsigned type = below(g, 5), d[4];
    bool halves = chance(g, 50);
    enum reg_class c = halves ? CLASS_H : CLASS_R;
    const char *p = class_prefix(c);
    for (unsigned k = 0; k < 4; k++) d[k] = fresh(g, c);
    if (chance(g, 50)) {
        line(g, "ld%s.v2.%s {%s%u, %s%u}, [%s];", space, types[type], p, d[0], p, d[1], address);
    } else {
        line(g, "ld%s.v4.%s {%s%u, %s%u, %s%u, %s%u}, [%s];", space, types[type], p, d[0], p, d[1], p, d[2],
             p, d[3], address);
        define(g, c, d[2], false);
        define(g, c, d[3], false);
    }
    define(g, c, d[0], false);
    define(g, c, d[1], false);
}

// ld of one access, or a vector of them, from [address]; the address has room for 16 bytes when `wide`.
static void load(struct gen *g, const char *space, const char *address, bool wide)
{
    if (wide && chance(g, 12)) {
        guarded_load(g, space, address);
        return;
    }
    if (wide && chance(g, 8)) {
        small_vector(g, space, address);
        return;
    }
    const struct access *a = pick_access(g);
    const char *p = class_prefix(a->class);
    unsigned d[4];
    unsigned count = !wide || a->bytes < 4 || chance(g, 70) ? 1 : a->bytes == 8 || chance(g, 50) ? 2 : 4;
    for (unsigned k = 0; k < count; k++) d[k] = fresh(g, a->class);
    if (count == 1)
        line(g, "ld%s.%s %s%u, [%s];", space, a->type, p, d[0], address);
    else if (count == 2)
        line(g, "ld%s.v2.%s {%s%u, %s%u}, [%s];", space, a->type, p, d[0], p, d[1], address);
    else
        line(g, "ld%s.v4.%s {%s%u, %s%u, %s%u, %s%u}, [%s];", space, a->type, p, d[0], p, d[1], p, d[2], p,
             d[3], address);
    for (unsigned k = 0; k < count; k++) define(g, a->class, d[k], false);
}

void load_input(struct gen *g)
{
    char address[64];
    bool generic = chance(g, 15);
    unsigned base = indexed(g, generic ? "%gin" : "%in", 255, 16);
    unsigned times = chance(g, 30) ? 3 : 1; // neighbours: candidates for one wide access
    for (unsigned k = 0; k < times; k++) {
        snprintf(address, sizeof address, "%%rd%u+%u", base, (below(g, 4)) * 16);
        load(g, generic ? "" : chance(g, 30) ? ".global.nc" : ".global", address, true);
    }
    if (chance(g, 25)) {
        for (unsigned k = 0; k < 4; k++) {
            unsigned d = define_fresh(g, CLASS_F);
            line(g, "ld.global.f32 %%f%u, [%%rd%u+%u];", d, base, 4 * k);
        }
    }
}

// The module's own arrays: ctab in .const, gtab in .global, 32 words each.
void load_table(struct gen *g)
{
    char address[64];
    if (chance(g, 30)) {
        snprintf(address, sizeof address, chance(g, 50) ? "ctab+%u" : "gtab+%u", below(g, 8) * 16);
        load(g, address[0] == 'c' ? ".const" : ".global", address, true);
        return;
    }
    bool in_const = chance(g, 50);
    unsigned base = fresh(g, CLASS_D);
    char name[16];
    line(g, "mov.u64 %%rd%u, %s;", base, in_const ? "ctab" : "gtab");
    snprintf(name, sizeof name, "%%rd%u", base);
    snprintf(address, sizeof address, "%%rd%u", indexed(g, name, 7, 16));
    load(g, in_const ? ".const" : ".global", address, true);
}

void load_parameter(struct gen *g)
{
    char address[64];
    if (chance(g, 50)) {
        snprintf(address, sizeof address, "blob+%u", below(g, 2) * 16);
        load(g, ".param", address, true);
        return;
    }
    if (chance(g, 25)) {
        unsigned base = fresh(g, CLASS_D);
        char name[16];
        line(g, "mov.b64 %%rd%u, blob;", base);
        snprintf(name, sizeof name, "%%rd%u", base);
        snprintf(address, sizeof address, "%%rd%u", indexed(g, name, 1, 16));
        load(g, ".param", address, true);
        return;
    }
    static const struct {
        const char *name;
        enum reg_class class;
        const char *type;
    } scalars[] = {
        {"n", CLASS_R, "u32"}, {"a", CLASS_R, "s32"}, {"x", CLASS_F, "f32"}, {"y", CLASS_G, "f64"}};
    unsigned k = below(g, 4);
    line(g, "ld.param.%s %s%u, [%s];", scalars[k].type, class_prefix(scalars[k].class),
         define_fresh(g, scalars[k].class), scalars[k].name);
}

static void store(struct gen *g, const char *space, const char *address, bool guarded)
{
    const struct access *a = pick_access(g);
    char guard[16] = "", value[32];
    static const char letters[] = {'r', 'd', 'h', 'f', 'g'};
    static const unsigned sizes[] = {4, 8, 2, 4, 8};
    if (guarded && chance(g, 30))
        snprintf(guard, sizeof guard, "@%s%%p%d ", chance(g, 50) ? "!" : "", pick(g, CLASS_P));
    if (chance(g, 15) && a->bytes == sizes[a->class])
        operand(g, letters[a->class], value, sizeof value);
    else
        snprintf(value, sizeof value, "%s%d", class_prefix(a->class), pick(g, a->class));
    line(g, "%sst%s.%s [%s], %s;", guard, space, a->type, address, value);
}

// The thread's local array of 64 bytes, zeroed in the prologue.
void local_access(struct gen *g)
{
    char address[64];
    if (!g->has_local) return;
    for (unsigned times = 1 + below(g, 4); times; times--) {
        bool generic = g->touching || chance(g, 20);
        if (chance(g, 50))
            snprintf(address, sizeof address, generic ? "%%glocal+%u" : "%%local+%u", below(g, 8) * 8);
        else
            snprintf(address, sizeof address, "%%rd%u", indexed(g, generic ? "%glocal" : "%local", 7, 8));
        const char *space = generic ? "" : ".local";
        if (chance(g, 60)) store(g, space, address, true);
        if (chance(g, 70)) load(g, space, address, false);
    }
}

// Bytes 128 to 255 of the thread's own output: stores, loads of what was stored, atomics nobody else sees.
void own_slot(struct gen *g)
{
    char address[64];
    static const char *const atomics[] = {"add.u32", "exch.b32", "min.s32", "max.u32", "and.b32",
                                          "or.b32",  "xor.b32",  "inc.u32", "dec.u32"};
    for (unsigned times = 1 + below(g, 3); times; times--) {
        if (chance(g, 60))
            snprintf(address, sizeof address, "%%out+%u", 128 + below(g, 16) * 8);
        else
            snprintf(address, sizeof address, "%%rd%u+128", indexed(g, "%out", 15, 8));
        if (chance(g, 12)) { // far from its base, and back by the offset
            static const int far[] = {0x7ffff000, 0x800000, 0x7fff00, -0x7ffff000, -0x800000, 0x12345678};
            int by = far[below(g, 6)];
            unsigned moved = fresh(g, CLASS_D);
            line(g, "sub.s64 %%rd%u, %%out, %d;", moved, by);
            snprintf(address, sizeof address, "%%rd%u+%d", moved, by + 128 + (int)below(g, 16) * 8);
        }
        if (chance(g, 10)) line(g, chance(g, 50) ? "membar.gl;" : "fence.acq_rel.cta;");
        const char *space = chance(g, 15) ? ".volatile.global" : ".global";
        if (chance(g, 70)) store(g, space, address, true);
        if (chance(g, 70)) load(g, space, address, false);
        if (chance(g, 20)) {
            unsigned d = fresh(g, CLASS_R);
            char value[32];
            operand(g, 'r', value, sizeof value);
            line(g, "atom.global.%s %%r%u, [%s], %s;", atomics[below(g, 9)], d, address, value);
            define(g, CLASS_R, d, false);
        }
        if (chance(g, 8)) {
            unsigned d = fresh(g, CLASS_D);
            line(g, "atom.global.cas.b64 %%rd%u, [%s], %%rd%d, %%rd%d;", d, address, pick(g, CLASS_D),
                 pick(g, CLASS_D));
            define(g, CLASS_D, d, false);
        }
    }
}

static void barrier(struct gen *g)
{
    static const char *const forms[] = {"bar.sync 0;", "bar.sync 0;", "barrier.sync 0;", "bar.sync 1;"};
    if (chance(g, 80)) {
        line(g, "%s", forms[below(g, 4)]);
    } else if (chance(g, 50)) {
        unsigned d = define_fresh(g, CLASS_R);
        line(g, "bar.red.popc.u32 %%r%u, 0, %%p%d;", d, pick(g, CLASS_P));
    } else {
        unsigned d = fresh(g, CLASS_P);
        line(g, "bar.red.%s.pred %%p%u, 0, %%p%d;", chance(g, 50) ? "and" : "or", d, pick(g, CLASS_P));
        define(g, CLASS_P, d, false);
    }
}

// Every thread writes its own 16 bytes of shared memory, all meet, every thread reads some other's, all meet.
void shared_phase(struct gen *g)
{
    char address[64];
    unsigned other = fresh(g, CLASS_R), index = fresh(g, CLASS_R), base = fresh(g, CLASS_R);
    unsigned words = 1 + below(g, 4);
    for (unsigned k = 0; k < words; k++)
        line(g, "st.shared.%s [%%mine+%u], %%r%d;", chance(g, 50) ? "b32" : "u32", 4 * k, pick(g, CLASS_R));
    if (chance(g, 30)) line(g, "st.shared.f64 [%%mine], %%fd%d;", pick(g, CLASS_G));
    barrier(g);
    switch (below(g, 3)) {
    case 0: line(g, "add.u32 %%r%u, %%thread, %u;", other, 1 + below(g, g->threads)); break;
    case 1: line(g, "xor.b32 %%r%u, %%thread, %u;", other, 1u << below(g, 7)); break;
    default: line(g, "mov.u32 %%r%u, %%r%d;", other, pick(g, CLASS_R)); break;
    }
    line(g, "rem.u32 %%r%u, %%r%u, %u;", index, other, g->threads);
    line(g, "mad.lo.u32 %%r%u, %%r%u, 16, %%shared;", base, index);
    for (unsigned k = 0; k < words; k++) {
        snprintf(address, sizeof address, "%%r%u+%u", base, 4 * k);
        unsigned d = define_fresh(g, CLASS_R);
        line(g, "ld.shared.%s %%r%u, [%s];", chance(g, 50) ? "b32" : "s32", d, address);
    }
    if (words == 4 && chance(g, 50)) {
        snprintf(address, sizeof address, "%%r%u", base);
        load(g, ".shared", address, true);
    }
    define(g, CLASS_R, index, false);
    barrier(g);
}

// Words 0 to 7 of `counters` are zeroed, then changed by everybody, then read by everybody.
void shared_atomics(struct gen *g)
{
    static const char *const ops[] = {"add.u32", "max.s32", "or.b32", "xor.b32", "min.u32"};
    unsigned p = fresh(g, CLASS_P), a = fresh(g, CLASS_R), b = fresh(g, CLASS_R), d = fresh(g, CLASS_R);
    char value[32];
    line(g, "setp.lt.u32 %%p%u, %%thread, 8;", p);
    line(g, "shl.b32 %%r%u, %%thread, 2;", a);
    line(g, "mov.u32 %%r%u, counters;", b);
    unsigned own = fresh(g, CLASS_R), other = fresh(g, CLASS_R), at = fresh(g, CLASS_R);
    line(g, "add.u32 %%r%u, %%r%u, %%r%u;", own, b, a);
    line(g, "@%%p%u st.shared.u32 [%%r%u], 0;", p, own);
    line(g, "bar.sync 0;");
    unsigned limit = g->threads < 8 ? g->threads : 8;
    line(g, "rem.u32 %%r%u, %%r%d, %u;", other, pick(g, CLASS_R), limit);
    line(g, "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u;", at, other, b);
    operand(g, 'r', value, sizeof value);
    line(g, "red.shared.%s [%%r%u], %s;", ops[below(g, 5)], at, value);
    line(g, "bar.sync 0;");
    line(g, "ld.shared.u32 %%r%u, [%%r%u];", d, at);
    define(g, CLASS_R, d, false);
    define(g, CLASS_R, other, false);
    line(g, "bar.sync 0;");
}

// Every word of `acc` has one operation, so that the order of updates does not show.
void atomic_update(struct gen *g)
{
    static const struct {
        unsigned first, scale;
        const char *op;
        char kind;
    } words[] = {{0, 4, "add.u32", 'r'},   {32, 4, "max.s32", 'r'},  {48, 4, "min.u32", 'r'},
                 {64, 4, "and.b32", 'r'},  {80, 4, "or.b32", 'r'},   {96, 4, "xor.b32", 'r'},
                 {112, 4, "inc.u32", '7'}, {128, 8, "add.u64", 'd'}, {160, 8, "max.s64", 'd'},
                 {192, 4, "add.f32", 'i'}, {208, 4, "dec.u32", '7'}, {224, 8, "xor.b64", 'd'}};
    unsigned k = below(g, sizeof words / sizeof words[0]);
    unsigned at = indexed(g, "%acc", 3, words[k].scale);
    char value[32], guard[16] = "";
    if (words[k].kind == '7') {
        snprintf(value, sizeof value, "%u", 7u);
    } else if (words[k].kind == 'i') { // small integers: their sums are exact in any order
        unsigned small = fresh(g, CLASS_R), f = fresh(g, CLASS_F);
        line(g, "and.b32 %%r%u, %%r%d, 15;", small, pick(g, CLASS_R));
        line(g, "cvt.rn.f32.u32 %%f%u, %%r%u;", f, small);
        snprintf(value, sizeof value, "%%f%u", f);
    } else {
        operand(g, words[k].kind, value, sizeof value);
    }
    if (chance(g, 30)) snprintf(guard, sizeof guard, "@%%p%d ", pick(g, CLASS_P));
    if (chance(g, 50))
        line(g, "%sred.global.%s [%%rd%u+%u], %s;", guard, words[k].op, at, words[k].first, value);
    else
        line(g, "%satom.global.%s _, [%%rd%u+%u], %s;", guard, words[k].op, at, words[k].first, value);
}

// ---- lanes: only where the whole warp is together

static void shuffle(struct gen *g)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    unsigned m = below(g, 4), d = fresh(g, CLASS_R);
    static const unsigned segments[] = {0x0000, 0x1000, 0x1800, 0x1c00, 0x1e00};
    unsigned c = segments[below(g, 5)] | (m == 0 ? 0 : 31);
    char lane[16];
    if (chance(g, 60))
        snprintf(lane, sizeof lane, "%u", below(g, 32));
    else
        snprintf(lane, sizeof lane, "%%r%d", pick(g, CLASS_R));
    if (chance(g, 50)) {
        unsigned p = fresh(g, CLASS_P);
        line(g, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%d, %s, 0x%x, 0xffffffff;", modes[m], d, p,
             pick(g, CLASS_R), lane, c);
        define(g, CLASS_P, p, false);
    } else {
        line(g, "shfl.sync.%s.b32 %%r%u, %%r%d, %s, 0x%x, -1;", modes[m], d, pick(g, CLASS_R), lane, c);
    }
    define(g, CLASS_R, d, false);
}

void lanes(struct gen *g)
{
    static const char *const votes[] = {"any", "all", "uni"}, *const reductions[] = {
                                                                  "add.s32", "add.u32", "min.s32", "max.u32",
                                                                  "and.b32", "or.b32",  "xor.b32"};
    bool whole = g->threads % 32 == 0 && !g->some_exited;
    unsigned d = fresh(g, CLASS_R);
    switch (below(g, whole ? 10 : 5)) {
    case 0:
        line(g, "vote.sync.ballot.b32 %%r%u, %s%%p%d, 0xffffffff;", d, chance(g, 30) ? "!" : "",
             pick(g, CLASS_P));
        break;
    case 1:
        line(g, "redux.sync.%s %%r%u, %%r%d, 0xffffffff;", reductions[below(g, 7)], d, pick(g, CLASS_R));
        break;
    case 2: line(g, "match.any.sync.b32 %%r%u, %%r%d, 0xffffffff;", d, pick(g, CLASS_R)); break;
    case 3: {
        unsigned p = fresh(g, CLASS_P);
        line(g, "vote.sync.%s.pred %%p%u, %%p%d, 0xffffffff;", votes[below(g, 3)], p, pick(g, CLASS_P));
        define(g, CLASS_P, p, false);
        return;
    }
    case 4: {
        static const char *const special[] = {"laneid", "lanemask_lt", "lanemask_ge", "lanemask_eq",
                                              "warpid"};
        line(g, "mov.u32 %%r%u, %%%s;", d, special[below(g, 5)]);
        break;
    }
    default: shuffle(g); return;
    }
    define(g, CLASS_R, d, false);
}

// The lanes where a predicate holds work together inside the branch that only they take.
void masked_lanes(struct gen *g)
{
    unsigned m = fresh(g, CLASS_R), label = g->next_label++, leader = fresh(g, CLASS_R),
             d = fresh(g, CLASS_R);
    int p = pick(g, CLASS_P);
    line(g, "vote.sync.ballot.b32 %%r%u, %%p%d, 0xffffffff;", m, p);
    line(g, "mov.u32 %%r%u, %%r%d;", d, pick(g, CLASS_R));
    line(g, "@!%%p%d bra L%u;", p, label);
    switch (below(g, 3)) {
    case 0: line(g, "redux.sync.add.s32 %%r%u, %%r%d, %%r%u;", d, pick(g, CLASS_R), m); break;
    case 1:
        line(g, "bfind.u32 %%r%u, %%r%u;", leader, m);
        line(g, "shfl.sync.idx.b32 %%r%u, %%r%d, %%r%u, 31, %%r%u;", d, pick(g, CLASS_R), leader, m);
        break;
    default: line(g, "match.any.sync.b32 %%r%u, %%r%d, %%r%u;", d, pick(g, CLASS_R), m); break;
    }
    strbuf_printf(&g->body, "L%u:\n", label);
    if (chance(g, 50)) line(g, "bar.warp.sync 0xffffffff;");
    define(g, CLASS_R, d, false);
    define(g, CLASS_R, m, false);
}

// ---- several instructions that belong together

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

// A 64-bit operation of which the words are wanted.
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
    case 4: // shift and add, and its undoing
        line(g, "shl.b32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "add.s32 %%r%u, %%r%u, %%r%d;", b, a, y);
        line(g, "sub.s32 %%r%u, %%r%u, %%r%u;", c, b, a);
        break;
    case 5: // division and remainder by the same constant
        line(g, "div.s32 %%r%u, %%r%d, %d;", a, x, (int)special_u32(g));
        line(g, "mul.lo.s32 %%r%u, %%r%u, %u;", b, a, 1 + n);
        line(g, "sub.s32 %%r%u, %%r%d, %%r%u;", c, x, b);
        break;
    case 7: { // the same operands read with and without a sign
        unsigned p = fresh(g, CLASS_P);
        line(g, "shr.s32 %%r%u, %%r%d, %u;", a, x, n);
        line(g, "shr.u32 %%r%u, %%r%d, %u;", b, x, n);
        line(g, "setp.lt.s32 %%p%u, %%r%d, %%r%d;", p, x, y);
        line(g, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;", c, a, b, p);
        line(g, "setp.lt.u32 %%p%u, %%r%d, %%r%d;", p, x, y);
        line(g, "@%%p%u xor.b32 %%r%u, %%r%u, 5;", p, c, c);
        break;
    }
    case 9: { // comparisons that fold into simpler ones
        unsigned p = fresh(g, CLASS_P), q = fresh(g, CLASS_P);
        line(g, "xor.b32 %%r%u, %%r%d, %d;", a, x, (int)special_u32(g));
        line(g, "setp.%s %%p%u, %%r%u, %d;", chance(g, 50) ? "eq.s32" : "ne.s32", p, a, (int)special_u32(g));
        line(g, "selp.s32 %%r%u, 1, 0, %%p%u;", b, p);
        line(g, "setp.%s %%p%u, %%r%u, %u;", chance(g, 50) ? "eq.s32" : "gt.u32", q, b, below(g, 2));
        line(g, "selp.s32 %%r%u, %%r%d, %%r%d, %%p%u;", c, x, y, q);
        define(g, CLASS_P, q, false);
        break;
    }
    case 10: { // minimum and maximum by comparison, and clamping
        unsigned p = fresh(g, CLASS_P);
        const char *t = chance(g, 50) ? "s32" : "u32";
        line(g, "setp.%s.%s %%p%u, %%r%d, %%r%d;", chance(g, 50) ? "lt" : "ge", t, p, x, y);
        line(g, "selp.b32 %%r%u, %%r%d, %%r%d, %%p%u;", a, x, y, p);
        line(g, "min.%s %%r%u, %%r%u, %d;", t, b, a, (int)special_u32(g));
        line(g, "max.%s %%r%u, %%r%u, %d;", t, c, b, (int)special_u32(g));
        break;
    }
    case 6: // chained constants
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

// ---- more than one access, and what an optimiser must not confuse

// The thread's own 16 bytes of shared memory, between the phases: stored before they are loaded.
void shared_own(struct gen *g)
{
    unsigned at = below(g, 4) * 4, a = fresh(g, CLASS_R), b = fresh(g, CLASS_R), other = fresh(g, CLASS_R);
    line(g, "st.shared.v4.b32 [%%mine], {%%r%d, %%r%d, %%r%d, %%r%d};", pick(g, CLASS_R), pick(g, CLASS_R),
         pick(g, CLASS_R), pick(g, CLASS_R));
    line(g, "and.b32 %%r%u, %%r%d, 12;", a, pick(g, CLASS_R));
    line(g, "add.u32 %%r%u, %%mine, %%r%u;", b, a);
    line(g, "ld.shared.u32 %%r%u, [%%mine+%u];", other, at);
    define(g, CLASS_R, other, false);
    for (unsigned k = 1 + below(g, 3); k; k--) {
        unsigned d = fresh(g, CLASS_R);
        if (chance(g, 60))
            line(g, "st.shared.u32 [%%r%u], %%r%d;", b, pick(g, CLASS_R));
        else
            line(g, "@%%p%d st.shared.u8 [%%mine+%u], %%r%d;", pick(g, CLASS_P), below(g, 16),
                 pick(g, CLASS_R));
        if (chance(g, 40))
            line(g, "ld.shared.s16 %%r%u, [%%mine+%u];", d, below(g, 8) * 2);
        else if (chance(g, 50))
            line(g, "ld.shared.u32 %%r%u, [%%r%u];", d, b);
        else
            line(g, "ld.shared.u32 %%r%u, [%%mine+%u];", d, at);
        define(g, CLASS_R, d, false);
    }
}

// Neighbouring words of the thread's output in any order, with guards, loads and other stores between.
void neighbours(struct gen *g)
{
    unsigned base = 128 + below(g, 7) * 16, first = below(g, 4), step = chance(g, 50) ? 1 : 3, d[4];
    bool wide = chance(g, 30);
    for (unsigned k = 0; k < 4; k++) {
        unsigned word = (first + k * step) % 4;
        char guard[16] = "";
        if (chance(g, 12)) snprintf(guard, sizeof guard, "@%%p%d ", pick(g, CLASS_P));
        if (wide)
            line(g, "%sst.global.u64 [%%out+%u], %%rd%d;", guard, base + (word & 1) * 8, pick(g, CLASS_D));
        else if (chance(g, 15))
            line(g, "%sst.global.f32 [%%out+%u], %%f%d;", guard, base + word * 4, pick(g, CLASS_F));
        else
            line(g, "%sst.global.u32 [%%out+%u], %%r%d;", guard, base + word * 4, pick(g, CLASS_R));
        if (chance(g, 12)) {
            d[0] = fresh(g, CLASS_R);
            line(g, "ld.global.u32 %%r%u, [%%out+%u];", d[0], base + below(g, 4) * 4);
            define(g, CLASS_R, d[0], false);
        }
        if (chance(g, 8))
            line(g, "st.global.u16 [%%out+%u], %%rs%d;", base + below(g, 8) * 2, pick(g, CLASS_H));
    }
    if (chance(g, 50)) return;
    for (unsigned k = 0; k < 4; k++) d[k] = fresh(g, CLASS_R);
    for (unsigned k = 0; k < 4; k++) line(g, "ld.global.u32 %%r%u, [%%out+%u];", d[k], base + 4 * k);
    for (unsigned k = 0; k < 4; k++) define(g, CLASS_R, d[k], false);
}

// a, b = b, a, or three of them round: what copies at the ends of blocks get wrong.
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
