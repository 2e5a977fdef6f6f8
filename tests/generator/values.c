// Registers, constants and single operations.
#include "generator/generator_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *mnemonic, *operands;
    unsigned weight;
} operations[] = {
#define OPERATION(mnemonic, operands, weight) {mnemonic, operands, weight},
#include "generator/operations.def"
#undef OPERATION
};
enum { OPERATION_COUNT = sizeof operations / sizeof operations[0] };

void line(struct gen *g, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    strbuf_printf(&g->body, "    %s\n", text);
}

const char *class_prefix(enum reg_class c)
{
    static const char *const prefixes[] = {"%r", "%rd", "%rs", "%f", "%fd", "%p"};
    return prefixes[c];
}

static enum reg_class class_of(char kind)
{
    switch (kind | 32) {
    case 'd': return CLASS_D;
    case 'h':
    case 'q':
    case 'b': return CLASS_H;
    case 'f': return CLASS_F;
    case 'g': return CLASS_G;
    case 'p':
    case 'n': return CLASS_P;
    }
    return CLASS_R;
}

unsigned fresh(struct gen *g, enum reg_class c) { return g->next[c]++; }

void define(struct gen *g, enum reg_class c, unsigned number, bool fixed)
{
    struct pool *p = &g->pools[c];
    if (p->count == POOL_MAX) return;
    p->v[p->count].number = (uint16_t)number;
    p->v[p->count++].fixed = fixed;
}

// Prefers recent registers, so that values depend on one another.
int pick(struct gen *g, enum reg_class c)
{
    const struct pool *p = &g->pools[c];
    unsigned window = chance(g, 60) && p->count > 6 ? 6 : p->count;
    return p->v[p->count - 1 - below(g, window)].number;
}

int pick_variable(struct gen *g, enum reg_class c)
{
    const struct pool *p = &g->pools[c];
    for (unsigned tries = 0; tries < 8; tries++) {
        unsigned k = below(g, p->count);
        if (!p->v[k].fixed) return p->v[k].number;
    }
    return -1;
}

uint32_t special_u32(struct gen *g)
{
    static const uint32_t values[] = {0,          1,          2,          3,          4,          5,
                                      7,          8,          10,         15,         16,         31,
                                      32,         33,         63,         64,         100,        127,
                                      128,        255,        256,        1000,       0x7fff,     0x8000,
                                      0xffff,     0x10000,    0xff00ff,   0x55555555, 0xaaaaaaaa, 0x7fffffff,
                                      0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xff800000};
    switch (below(g, 6)) {
    case 0: return below(g, 40);
    case 1: return 1u << below(g, 32);
    case 2: return (1u << below(g, 32)) - 1;
    case 3: return (uint32_t)rng_next(&g->rng);
    }
    return values[below(g, sizeof values / sizeof values[0])];
}

uint64_t special_u64(struct gen *g)
{
    switch (below(g, 5)) {
    case 0: return special_u32(g);
    case 1: return (uint64_t)(int64_t)(int32_t)special_u32(g);
    case 2: return (uint64_t)special_u32(g) << 32;
    case 3: return (uint64_t)special_u32(g) << 32 | special_u32(g);
    }
    return 1ull << below(g, 64);
}

static uint32_t special_f32(struct gen *g)
{
    static const uint32_t values[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000,
                                      0x7f800000, 0xff800000, 0x7fffffff, 0x7fc00000, 0xffc12345, 0x7f800001,
                                      0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff,
                                      0xff7fffff, 0x3f800001, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000,
                                      0x5f000000, 0x3dcccccd, 0x40490fdb, 0x33800000, 0x477fe000};
    return chance(g, 25) ? (uint32_t)rng_next(&g->rng) : values[below(g, sizeof values / sizeof values[0])];
}

static uint64_t special_f64(struct gen *g)
{
    static const uint64_t values[] = {0,
                                      1ull << 63,
                                      0x3ff0000000000000,
                                      0xbff0000000000000,
                                      0x3fe0000000000000,
                                      0x7ff0000000000000,
                                      0xfff0000000000000,
                                      0xfff8000000000000,
                                      0x7ff0000000000001,
                                      1,
                                      0x000fffffffffffff,
                                      0x0010000000000000,
                                      0x7fefffffffffffff,
                                      0x41e0000000000000,
                                      0x43e0000000000000,
                                      0x3fb999999999999a,
                                      0x47efffffe0000000,
                                      0x3810000000000000,
                                      0x4330000000000000,
                                      0x36a0000000000000};
    return chance(g, 25) ? rng_next(&g->rng) : values[below(g, sizeof values / sizeof values[0])];
}

bool constant_text(struct gen *g, char kind, char *text, size_t size)
{
    switch (kind) {
    case 'r': snprintf(text, size, chance(g, 50) ? "%d" : "0x%x", (int)special_u32(g)); return true;
    case 'd': snprintf(text, size, "0x%llx", (unsigned long long)special_u64(g)); return true;
    case 'h': snprintf(text, size, "%d", (int16_t)special_u32(g)); return true;
    case 'f': snprintf(text, size, "0f%08x", special_f32(g)); return true;
    case 'g': snprintf(text, size, "0d%016llx", (unsigned long long)special_f64(g)); return true;
    case 'c':
        snprintf(text, size, "0x%04x", (unsigned)rng_next(&g->rng) & (chance(g, 70) ? 0x7777 : 0xffff));
        return true;
    case 's': snprintf(text, size, "%u", below(g, chance(g, 85) ? 32 : 70)); return true;
    case 'w': snprintf(text, size, "%u", below(g, chance(g, 85) ? 33 : 256)); return true;
    }
    return false;
}

void operand(struct gen *g, char kind, char *text, size_t size)
{
    unsigned percent = kind == 's' || kind == 'w' || kind == 'c' ? 75 : 22;
    if (kind == 'k') {
        snprintf(text, size, "0x%x", below(g, 256));
        return;
    }
    if (kind != 'q' && kind != 'b' && kind >= 'a' && chance(g, percent) && constant_text(g, kind, text, size))
        return;
    enum reg_class c = class_of(kind);
    if (c == CLASS_F && chance(g, 8)) c = CLASS_R; // .b32 registers suit f32 instructions
    if (c == CLASS_G && chance(g, 8)) c = CLASS_D;
    snprintf(text, size, "%s%s%d", kind == 'N' && chance(g, 40) ? "!" : "", class_prefix(c), pick(g, c));
}

// The operands after the destination: ", %r1, 5".
static void sources(struct gen *g, const char *pattern, char *text, size_t size)
{
    text[0] = 0;
    for (const char *k = strchr(pattern, ',');; k += 2) {
        char one[32];
        if (!k || !*k) return;
        operand(g, k[1], one, sizeof one);
        size_t used = strlen(text);
        snprintf(text + used, size - used, ", %s", one);
    }
}

static unsigned pick_operation(struct gen *g, int wanted) // wanted: destination class, or -1 for any
{
    unsigned total = 0;
    for (unsigned k = 0; k < OPERATION_COUNT; k++)
        if (wanted < 0 || (int)class_of(operations[k].operands[0]) == wanted) total += operations[k].weight;
    unsigned at = below(g, total);
    for (unsigned k = 0; k < OPERATION_COUNT; k++) {
        if (wanted >= 0 && (int)class_of(operations[k].operands[0]) != wanted) continue;
        if (at < operations[k].weight) return k;
        at -= operations[k].weight;
    }
    return 0;
}

static void remember(struct gen *g, enum reg_class c, const char *mnemonic, const char *rest)
{
    if (g->history_count == HISTORY_MAX) g->history_count = below(g, HISTORY_MAX);
    int length =
        snprintf(g->history[g->history_count].text, sizeof g->history[0].text, "%s %%s%s", mnemonic, rest);
    if (length >= (int)sizeof g->history[0].text) return;
    g->history[g->history_count++].class = c;
}

// Emits operation k to register `d`; a pair's second predicate is fresh, or `d2` when given.
static void emit(struct gen *g, unsigned k, const char *guard, unsigned d, int d2)
{
    char rest[128];
    enum reg_class c = class_of(operations[k].operands[0]);
    bool pair = operations[k].operands[1] == '|';
    sources(g, operations[k].operands, rest, sizeof rest);
    if (pair) {
        unsigned second = d2 >= 0 ? (unsigned)d2 : fresh(g, CLASS_P);
        line(g, "%s%s %%p%u|%%p%u%s;", guard, operations[k].mnemonic, d, second, rest);
        if (d2 < 0) define(g, CLASS_P, second, false);
    } else {
        line(g, "%s%s %s%u%s;", guard, operations[k].mnemonic, class_prefix(c), d, rest);
        remember(g, c, operations[k].mnemonic, rest);
    }
}

unsigned operation_into(struct gen *g, enum reg_class c)
{
    unsigned d = fresh(g, c);
    emit(g, pick_operation(g, (int)c), "", d, -1);
    define(g, c, d, false);
    return d;
}

void operation(struct gen *g)
{
    unsigned k = pick_operation(g, -1);
    enum reg_class c = class_of(operations[k].operands[0]);
    int old = chance(g, 30) ? pick_variable(g, c) : -1;
    unsigned d = old >= 0 ? (unsigned)old : fresh(g, c);
    emit(g, k, "", d, -1);
    if (old < 0) define(g, c, d, false);
}

void guarded_operation(struct gen *g)
{
    unsigned k = pick_operation(g, -1);
    enum reg_class c = class_of(operations[k].operands[0]);
    int d = pick_variable(g, c), d2 = pick_variable(g, CLASS_P);
    char guard[16];
    snprintf(guard, sizeof guard, "@%s%%p%d ", chance(g, 40) ? "!" : "", pick(g, CLASS_P));
    if (d < 0 || d2 < 0 || d == d2) return;
    emit(g, k, guard, (unsigned)d, d2);
}

// Flips the sign of a type where both forms exist: "shr.s32" to "shr.u32". A careless comparison of
// expressions would merge two operations with equal operands and different types.
static void other_sign(char *text)
{
    static const char *const both[] = {"setp.lt", "setp.gt", "shr.",     "min.",     "max.", "div.",
                                       "rem.",    "mul.hi",  "mul.wide", "mad.wide", "bfe."};
    bool known = false;
    for (size_t k = 0; k < sizeof both / sizeof both[0]; k++) known |= str_starts_with(text, both[k]);
    char *type = strchr(text, ' ') - 4;
    if (!known || type[0] != '.' || (type[2] != '1' && type[2] != '3' && type[2] != '6')) return;
    if (type[1] == 's')
        type[1] = 'u';
    else if (type[1] == 'u')
        type[1] = 's';
}

void repeated_operation(struct gen *g)
{
    if (!g->history_count) return;
    unsigned k = below(g, g->history_count);
    enum reg_class c = g->history[k].class;
    unsigned d = fresh(g, c);
    char name[16], text[192];
    snprintf(name, sizeof name, "%s%u", class_prefix(c), d);
    const char *hole = strstr(g->history[k].text, "%s");
    snprintf(text, sizeof text, "%.*s%s%s;", (int)(hole - g->history[k].text), g->history[k].text, name,
             hole + 2);
    if (chance(g, 30)) other_sign(text);
    line(g, "%s", text);
    define(g, c, d, false);
}

struct mark mark_pools(const struct gen *g)
{
    struct mark m = {.history = g->history_count};
    for (int c = 0; c < CLASS_COUNT; c++) m.counts[c] = g->pools[c].count;
    return m;
}

// Restores the pool sizes. Operations recorded since the mark may use undefined registers, so their history
// is dropped as well.
void reset_pools(struct gen *g, struct mark m)
{
    for (int c = 0; c < CLASS_COUNT; c++) g->pools[c].count = m.counts[c];
    if (g->history_count > m.history)
        g->history_count = m.history;
    else if (g->history_count < m.history)
        g->history_count = 0; // the history wrapped around meanwhile
}
