// Memory: addresses, loads, stores, atomics, shared memory with barriers.
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

// Forms a 64-bit address, base register plus a bounded index times scale, in one of the shapes found in
// compiled code.
static unsigned indexed(struct gen *g, const char *base, unsigned mask, unsigned scale)
{
    unsigned address = fresh(g, CLASS_D), offset = fresh(g, CLASS_D);
    if (chance(g, 40)) {
        unsigned index = fresh(g, CLASS_R);
        line(g, "and.b32 %%r%u, %%r%d, %u;", index, pick(g, CLASS_R), mask);
        if (chance(g, 60)) {
            line(g, "mad.wide.%s %%rd%u, %%r%u, %u, %s;", chance(g, 50) ? "u32" : "s32", address, index,
                 scale, base);
        } else { // the index moved by a constant, compensated in the base
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

// A load skipped by some lanes: their destination keeps its old value.
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

// Writes ld of one value or a vector from [address]; `wide`: the address has room for 16 bytes.
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

// Loads from the module's own arrays: ctab in .const, gtab in .global, 32 words each.
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

// Accesses bytes 128 to 255 of the thread's own output: stores, loads of stored bytes, atomics without a
// second user.
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
        if (chance(g, 12)) { // far from the base, compensated by the offset
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

// Every thread writes 16 bytes of shared memory, waits at a barrier, reads 16 bytes of another thread,
// waits again.
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

// Words 0 to 7 of `counters`: zeroed, changed by all threads, read by all threads, with barriers between.
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

// Updates a word of `acc`. Each word has a single operation, so the order of updates does not show.
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
    } else if (words[k].kind == 'i') { // small integers: sums are exact in any order
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

// ---- several accesses that an optimiser must not confuse

// The thread's own 16 bytes of shared memory, between the phases: stored before loaded.
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
