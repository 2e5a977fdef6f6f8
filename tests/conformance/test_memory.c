// Loads, stores, atomics and copies: every width, vector and space (PTX ISA 9.7.9.8 and on, 9.7.13.5).
// Fails when memory differs from the values computed in C, in any configuration.
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "conformance/trial.h"
#include "harness/test.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char entry[] = ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %a, "
                            "%b;\n.reg .b32 %t, %i, %c, %w;\n"
                            ".reg .b64 %x<4>;\n.reg .b32 %y<4>;\n.reg .b16 %h<4>;\n.reg .f32 %f<4>;\n.reg "
                            ".f64 %g<4>;\n.reg .pred %p;\n"
                            "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n";

static const struct type {
    const char *name;
    unsigned bytes;
    bool is_signed;
    char letter;
} types[] = {{"b8", 1, 0, 'x'},  {"u8", 1, 0, 'x'},  {"s8", 1, 1, 'x'},  {"b16", 2, 0, 'x'},
             {"u16", 2, 0, 'x'}, {"s16", 2, 1, 'x'}, {"b32", 4, 0, 'x'}, {"u32", 4, 0, 'x'},
             {"s32", 4, 1, 'x'}, {"b64", 8, 0, 'x'}, {"u64", 8, 0, 'x'}, {"s64", 8, 1, 'x'},
             {"f32", 4, 0, 'f'}, {"f64", 8, 0, 'g'}};
enum { TYPES = sizeof types / sizeof types[0], COMBINATIONS = TYPES * 3, LANES = 32, SLOT = 32 };

static void fill(uint8_t *bytes, size_t size, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed);
    for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)(rng_next(&r) >> 40);
}

static uint64_t element(const uint8_t *at, const struct type *t, unsigned register_bytes)
{
    uint64_t v = 0;
    memcpy(&v, at, t->bytes);
    if (t->is_signed && t->bytes < 8 && v >> (8 * t->bytes - 1)) v |= ~bit_mask(8 * t->bytes);
    return v & bit_mask(8 * register_bytes);
}

static void write_vector(struct strbuf *s, char letter, unsigned count)
{
    if (count == 1)
        strbuf_printf(s, "%%%c0", letter);
    else if (count == 2)
        strbuf_printf(s, "{%%%c0, %%%c1}", letter, letter);
    else
        strbuf_printf(s, "{%%%c0, %%%c1, %%%c2, %%%c3}", letter, letter, letter, letter);
}

struct space {
    const char *name;         // of the trial
    const char *load, *store; // ".shared"
    const char *declare;      // declaration of the accessed variable
    const char *setup;        // the thread's slot of 32 bytes to %a
};

// Every thread copies its 32 input bytes into its slot, then loads the bytes back by every type and vector;
// each element goes to the output as 64 bits.
static void loads_of(struct test *t, const struct space *sp)
{
    static uint8_t in[LANES * SLOT], out[LANES * COMBINATIONS * 32];
    struct strbuf s = {0};
    fill(in, sizeof in, 7);
    memset(out, 0, sizeof out);
    strbuf_puts(&s, entry);
    strbuf_puts(&s, sp->declare);
    strbuf_printf(&s, "mad.wide.u32 %%b, %%t, %d, %%in;\n", SLOT);
    strbuf_puts(&s, sp->setup);
    for (int k = 0; sp->store && k < SLOT; k += 8)
        strbuf_printf(&s, "ld.global.u64 %%x0, [%%b+%d];\nst%s.u64 [%%a+%d], %%x0;\n", k, sp->store, k);
    strbuf_printf(&s, "mad.wide.u32 %%out, %%t, %d, %%out;\n", COMBINATIONS * 32);
    for (unsigned c = 0; c < COMBINATIONS; c++) {
        const struct type *ty = &types[c % TYPES];
        unsigned count = 1u << c / TYPES;
        if (ty->bytes * count > 16) continue;
        // the second group of elements in half of the combinations
        unsigned at = ty->bytes * count * (c % 2);
        strbuf_printf(&s, "ld%s%s.%s ", sp->load, count == 1 ? "" : count == 2 ? ".v2" : ".v4", ty->name);
        write_vector(&s, ty->letter, count);
        strbuf_printf(&s, ", [%%a+%u];\n", at);
        for (unsigned e = 0; e < count; e++) {
            const char *as = ty->letter == 'f' ? "f32" : ty->letter == 'g' ? "f64" : "u64";
            strbuf_printf(&s, "st.global.%s [%%out+%u], %%%c%u;\n", as, c * 32 + 8 * e, ty->letter, e);
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint64_t v = element(in + lane * SLOT + at + e * ty->bytes, ty, 8);
                memcpy(out + lane * COMBINATIONS * 32 + c * 32 + 8 * e, &v, 8);
            }
        }
    }
    strbuf_puts(&s, "ret;\n}\n");
    trial_run(t, &(struct trial){.name = sp->name,
                                 .ptx = s.text,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out});
    strbuf_fini(&s);
}

static const struct space spaces[] = {
    {"global", ".global", NULL, "", "mov.u64 %a, %b;\n"},
    {"generic global", "", NULL, "", "mov.u64 %a, %b;\n"},
    {"read-only global", ".global.nc", NULL, "", "mov.u64 %a, %b;\n"},
    {"shared", ".shared", ".shared", ".shared .align 16 .b8 s[1024];\n",
     "mov.u64 %a, s;\nmad.wide.u32 %a, %t, 32, %a;\n"},
    {"generic shared", "", "", ".shared .align 16 .b8 s[1024];\n",
     "mov.u64 %a, s;\nmad.wide.u32 %a, %t, 32, %a;\ncvta.shared.u64 %a, %a;\n"},
    {"local", ".local", ".local", ".local .align 16 .b8 l[64];\n",
     "mov.u64 %a, l;\nand.b32 %i, %t, 1;\nmad.wide.u32 %a, %i, 32, %a;\n"},
    {"generic local", "", "", ".local .align 16 .b8 l[64];\n", "mov.u64 %a, l;\ncvta.local.u64 %a, %a;\n"},
};

static void test_loads(struct test *t)
{
    for (size_t k = 0; k < sizeof spaces / sizeof spaces[0]; k++) loads_of(t, &spaces[k]);
}

// Stores of every type and vector from 64-bit registers, into zeros.
static void stores_of(struct test *t, const char *space, bool through_shared)
{
    static uint8_t in[LANES * SLOT], out[LANES * COMBINATIONS * 16];
    struct strbuf s = {0};
    fill(in, sizeof in, 8);
    memset(out, 0, sizeof out);
    strbuf_puts(&s, entry);
    if (through_shared) strbuf_puts(&s, ".shared .align 16 .b8 s[512];\n");
    strbuf_printf(&s, "mad.wide.u32 %%b, %%t, %d, %%in;\n", SLOT);
    for (int k = 0; k < 4; k++)
        strbuf_printf(&s,
                      "ld.global.u64 %%x%d, [%%b+%d];\nmov.b64 %%g%d, %%x%d;\ncvt.u32.u64 %%y%d, "
                      "%%x%d;\nmov.b32 %%f%d, %%y%d;\n",
                      k, 8 * k, k, k, k, k, k, k);
    strbuf_printf(&s, "mad.wide.u32 %%out, %%t, %d, %%out;\n", COMBINATIONS * 16);
    if (through_shared) strbuf_puts(&s, "mov.u64 %a, s;\nmad.wide.u32 %a, %t, 16, %a;\n");
    if (through_shared && !*space) strbuf_puts(&s, "cvta.shared.u64 %a, %a;\n");
    for (unsigned c = 0; c < COMBINATIONS; c++) {
        const struct type *ty = &types[c % TYPES];
        unsigned count = 1u << c / TYPES;
        if (ty->bytes * count > 16) continue;
        if (through_shared) strbuf_printf(&s, "st%s.v2.u64 [%%a], {0, 0};\n", space);
        strbuf_printf(&s, "st%s%s.%s [%%%s+%u], ", space,
                      count == 1   ? ""
                      : count == 2 ? ".v2"
                                   : ".v4",
                      ty->name, through_shared ? "a" : "out", through_shared ? 0 : c * 16);
        write_vector(&s, ty->letter, count);
        strbuf_puts(&s, ";\n");
        if (through_shared)
            strbuf_printf(&s, "ld%s.v2.u64 {%%b, %%in}, [%%a];\nst.global.v2.u64 [%%out+%u], {%%b, %%in};\n",
                          space, c * 16);
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned e = 0; e < count; e++)
                memcpy(out + lane * COMBINATIONS * 16 + c * 16 + e * ty->bytes, in + lane * SLOT + 8 * e,
                       ty->bytes);
    }
    strbuf_puts(&s, "ret;\n}\n");
    trial_run(t, &(struct trial){.name = space,
                                 .ptx = s.text,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out});
    strbuf_fini(&s);
}

static void test_stores(struct test *t)
{
    stores_of(t, ".global", false);
    stores_of(t, "", false);
    stores_of(t, ".shared", true);
    stores_of(t, "", true);
}

// Cache operators, semantics and scopes do not change results in a single thread.
static void test_qualifiers(struct test *t)
{
    static const char *const loads[] = {".global.ca",
                                        ".global.cg",
                                        ".global.cs",
                                        ".global.lu",
                                        ".global.cv",
                                        ".weak.global",
                                        ".volatile.global",
                                        ".relaxed.cta.global",
                                        ".relaxed.gpu.global",
                                        ".relaxed.sys.global",
                                        ".acquire.gpu.global",
                                        ".acquire.sys",
                                        ".mmio.relaxed.sys.global",
                                        ".global.L1::evict_last",
                                        ".global.L2::128B",
                                        ".volatile",
                                        ".global.nc.L1::no_allocate"};
    static const char *const stores[] = {".global.wb",
                                         ".global.cg",
                                         ".global.cs",
                                         ".global.wt",
                                         ".weak.global",
                                         ".volatile.global",
                                         ".relaxed.cta.global",
                                         ".relaxed.gpu.global",
                                         ".release.gpu.global",
                                         ".release.sys",
                                         ".mmio.relaxed.sys.global",
                                         ".global.L1::evict_first"};
    enum { L = sizeof loads / sizeof loads[0], S = sizeof stores / sizeof stores[0], ALL = L + S };
    static uint32_t in[LANES], out[LANES * ALL];
    struct strbuf s = {0};
    for (unsigned k = 0; k < LANES; k++) in[k] = k * 2654435761u;
    strbuf_puts(&s, entry);
    strbuf_printf(&s, "mad.wide.u32 %%a, %%t, 4, %%in;\nmad.wide.u32 %%out, %%t, %d, %%out;\n", ALL * 4);
    for (int k = 0; k < L; k++)
        strbuf_printf(&s, "ld%s.u32 %%y0, [%%a];\nst.global.u32 [%%out+%d], %%y0;\n", loads[k], 4 * k);
    strbuf_puts(&s, "membar.cta;\nmembar.gl;\nmembar.sys;\nfence.sc.cta;\nfence.acq_rel.gpu;\nfence.sc.sys;"
                    "\nfence.proxy.alias;\n"
                    "prefetch.global.L1 [%a];\nprefetch.L2 [%a];\nprefetchu.L1 [%a];\n");
    for (int k = 0; k < S; k++) strbuf_printf(&s, "st%s.u32 [%%out+%d], %%y0;\n", stores[k], 4 * (L + k));
    strbuf_puts(&s, "ret;\n}\n");
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned k = 0; k < ALL; k++) out[lane * ALL + k] = in[lane];
    trial_run(t, &(struct trial){.name = "qualifiers",
                                 .ptx = s.text,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out});
    strbuf_fini(&s);
}

// ---- atomics

enum { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_INC, ATOM_DEC, ATOM_EXCH, ATOM_CAS };
static const char *const atom_names[] = {"add", "min", "max", "and",  "or",
                                         "xor", "inc", "dec", "exch", "cas"};
static const struct atom {
    int op;
    const char *type;
    unsigned bits;
    bool is_signed, is_float;
} atoms[] = {{ATOM_ADD, "u32", 32, 0, 0},  {ATOM_ADD, "s32", 32, 1, 0},  {ATOM_ADD, "u64", 64, 0, 0},
             {ATOM_ADD, "f32", 32, 0, 1},  {ATOM_ADD, "f64", 64, 0, 1},  {ATOM_MIN, "u32", 32, 0, 0},
             {ATOM_MIN, "s32", 32, 1, 0},  {ATOM_MIN, "u64", 64, 0, 0},  {ATOM_MIN, "s64", 64, 1, 0},
             {ATOM_MAX, "u32", 32, 0, 0},  {ATOM_MAX, "s32", 32, 1, 0},  {ATOM_MAX, "u64", 64, 0, 0},
             {ATOM_MAX, "s64", 64, 1, 0},  {ATOM_AND, "b32", 32, 0, 0},  {ATOM_AND, "b64", 64, 0, 0},
             {ATOM_OR, "b32", 32, 0, 0},   {ATOM_OR, "b64", 64, 0, 0},   {ATOM_XOR, "b32", 32, 0, 0},
             {ATOM_XOR, "b64", 64, 0, 0},  {ATOM_INC, "u32", 32, 0, 0},  {ATOM_DEC, "u32", 32, 0, 0},
             {ATOM_EXCH, "b32", 32, 0, 0}, {ATOM_EXCH, "b64", 64, 0, 0}, {ATOM_CAS, "b32", 32, 0, 0},
             {ATOM_CAS, "b64", 64, 0, 0},  {ATOM_CAS, "b16", 16, 0, 0}};
enum { ATOMS = sizeof atoms / sizeof atoms[0], PAIRS = 64 };

static float flushed(float f) { return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f; }

static uint64_t after(const struct atom *a, uint64_t old, uint64_t b, uint64_t c, bool global)
{
    uint64_t mask = bit_mask(a->bits);
    old &= mask, b &= mask, c &= mask;
    int unused = 64 - (int)a->bits;
    bool less = a->is_signed ? (int64_t)(b << unused) < (int64_t)(old << unused) : b < old;
    if (a->is_float && a->bits == 32) { // on .global, subnormals are flushed
        float x = f32_from_bits((uint32_t)old), y = f32_from_bits((uint32_t)b);
        float d = global ? flushed(flushed(x) + flushed(y)) : x + y;
        return isnan(d) ? 0x7fffffff : f32_bits(d);
    }
    if (a->is_float) {
        double x = f64_from_bits(old), y = f64_from_bits(b);
        return isnan(x) && (!isnan(y) || (old & bit_mask(51)) > (b & bit_mask(51))) ? old | 0xfff8ull << 48
               : isnan(y)                                                           ? b | 0xfff8ull << 48
               : isnan(x + y)                                                       ? 0xfff8000000000000
                                                                                    : f64_bits(x + y);
    }
    switch (a->op) {
    case ATOM_ADD: return (old + b) & mask;
    case ATOM_MIN: return less ? b : old;
    case ATOM_MAX: return less ? old : b;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    case ATOM_XOR: return old ^ b;
    case ATOM_INC: return old >= b ? 0 : old + 1;
    case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOM_EXCH: return b;
    }
    return old == b ? c : old;
}

// {old, b, c} of edge values; each thread has its own word in the space. Output: returned value, then
// memory.
static void atomic_of(struct test *t, const struct atom *a, const char *space, bool shared, bool reduce)
{
    static const uint64_t f32s[] = {0,          0x80000000, 0x3f800000, 1,          0x80000001, 0x00800000,
                                    0x007fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xbf800001};
    static const uint64_t f64s[] = {0,
                                    1ull << 63,
                                    0x3ff0000000000000,
                                    1,
                                    0x0010000000000000,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000123,
                                    0x7fefffffffffffff};
    static const uint64_t ints[] = {0,
                                    1,
                                    2,
                                    5,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff,
                                    0x123456789abcdef0};
    uint64_t in[PAIRS][4], out[PAIRS][2];
    struct strbuf s = {0};
    char name[80];
    struct rng r;
    rng_init(&r, 5);
    for (unsigned k = 0; k < PAIRS; k++) {
        for (unsigned j = 0; j < 3; j++) {
            uint64_t v = rng_next(&r) >> 20;
            in[k][j] = a->is_float && a->bits == 32 ? f32s[v % 12]
                       : a->is_float                ? f64s[v % 9]
                                                    : ints[v % 11] & bit_mask(a->bits);
        }
        if (a->op == ATOM_CAS && k % 2) in[k][1] = in[k][0];
        in[k][3] = 0;
        out[k][0] = reduce ? 0 : in[k][0] & bit_mask(a->bits);
        out[k][1] = after(a, in[k][0], in[k][1], in[k][2], !shared);
    }
    const char *letter = a->bits == 16   ? "h"
                         : a->bits == 64 ? (a->is_float ? "g" : "x")
                         : a->is_float   ? "f"
                                         : "y";
    const char *b = a->bits == 16 ? "b16" : a->bits == 64 ? "b64" : "b32";
    strbuf_puts(&s, entry);
    if (shared) strbuf_puts(&s, ".shared .align 8 .b8 s[512];\n");
    strbuf_puts(&s,
                "mad.wide.u32 %b, %t, 32, %in;\nmad.wide.u32 %out, %t, 16, %out;\nadd.u64 %a, %out, 8;\n");
    if (shared) strbuf_puts(&s, "mov.u64 %a, s;\nmad.wide.u32 %a, %t, 8, %a;\n");
    if (shared && !*space) strbuf_puts(&s, "cvta.shared.u64 %a, %a;\n");
    for (int k = 0; k < 3; k++) strbuf_printf(&s, "ld.global.%s %%%s%d, [%%b+%d];\n", b, letter, k, 8 * k);
    strbuf_printf(&s, "st%s.u64 [%%a], 0;\nst%s.%s [%%a], %%%s0;\n", space, space, b, letter);
    snprintf(name, sizeof name, "%s%s.%s.%s%s", reduce ? "red" : "atom", space, atom_names[a->op], a->type,
             shared && !*space ? " in shared memory" : "");
    if (reduce)
        strbuf_printf(&s, "red%s.%s.%s [%%a], %%%s1;\n", space, atom_names[a->op], a->type, letter);
    else
        strbuf_printf(&s, "atom%s.%s.%s %%%s3, [%%a], %%%s1", space, atom_names[a->op], a->type, letter,
                      letter);
    if (a->op == ATOM_CAS) strbuf_printf(&s, ", %%%s2", letter);
    if (!reduce) strbuf_printf(&s, ";\nst.global.%s [%%out], %%%s3;\n", b, letter);
    if (shared) strbuf_printf(&s, "ld%s.u64 %%in, [%%a];\nst.global.u64 [%%out+8], %%in;\n", space);
    strbuf_puts(&s, "ret;\n}\n");
    trial_run(t, &(struct trial){.name = name,
                                 .ptx = s.text,
                                 .block = PAIRS,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out});
    strbuf_fini(&s);
}

static void test_atomics(struct test *t)
{
    for (unsigned k = 0; k < ATOMS; k++) {
        atomic_of(t, &atoms[k], ".global", false, false);
        atomic_of(t, &atoms[k], "", false, false);
        atomic_of(t, &atoms[k], ".shared", true, false);
        atomic_of(t, &atoms[k], "", true, false);
        if (atoms[k].op >= ATOM_EXCH) continue;
        atomic_of(t, &atoms[k], ".global", false, true);
        atomic_of(t, &atoms[k], ".shared", true, true);
    }
}

// Every thread of several blocks updates the same words.
static void test_contention(struct test *t)
{
    enum { BLOCKS = 3, BLOCK = 100, ALL = BLOCKS * BLOCK };
    uint32_t in = 0, out[16] = {0}, before[16] = {0};
    before[3] = 0xffffffff;
    out[0] = ALL * (ALL - 1) / 2;
    out[1] = ALL - 1;
    out[2] = ALL % 8; // inc with 7: 0..7 round and round
    out[3] = 0;       // and of every number with 0xffffffff
    out[4] = 0x1ff;   // or of 0..299
    out[5] = 0;
    for (uint32_t k = 0; k < ALL; k++) out[5] ^= k;
    float sum = ALL;
    memcpy(&out[6], &sum, 4);
    out[7] = (uint32_t)((10 - ALL % 10) % 10); // dec with 9 from 0: 9, 8 …
    out[8] = ALL;                              // a lock-free counter by compare-and-swap
    uint64_t wide_sum = (uint64_t)ALL << 32;
    memcpy(&out[10], &wide_sum, 8);
    struct strbuf s = {0};
    strbuf_puts(&s, entry);
    strbuf_puts(&s, "mov.u32 %c, %ctaid.x;\nmov.u32 %w, %ntid.x;\nmad.lo.u32 %i, %c, %w, %t;\n"
                    "red.global.add.u32 [%out], %i;\natom.global.max.u32 %y0, [%out+4], "
                    "%i;\nred.global.inc.u32 [%out+8], 7;\n"
                    "red.global.and.b32 [%out+12], %i;\nred.global.or.b32 [%out+16], %i;\nred.global.xor.b32 "
                    "[%out+20], %i;\n"
                    "red.global.add.f32 [%out+24], 0f3f800000;\nred.global.dec.u32 [%out+28], 9;\n"
                    "LOOP: ld.relaxed.gpu.global.u32 %y1, [%out+32];\nadd.u32 %y2, %y1, "
                    "1;\natom.global.cas.b32 %y3, [%out+32], %y1, %y2;\n"
                    "setp.ne.u32 %p, %y3, %y1;\n@%p bra LOOP;\n"
                    "red.global.add.u64 [%out+40], 0x100000000;\nret;\n}\n");
    struct trial x = {.name = "contention",
                      .ptx = s.text,
                      .grid = BLOCKS,
                      .block = BLOCK,
                      .in = &in,
                      .in_bytes = 4,
                      .out = out,
                      .out_bytes = sizeof out,
                      .out_before = before,
                      .racy = true};
    trial_run(t, &x);
    strbuf_fini(&s);
}

// ---- copies and address forms

static void test_async_copies(struct test *t)
{
    static uint8_t in[LANES * 64], out[LANES * 64];
    fill(in, sizeof in, 9);
    memset(out, 0, sizeof out);
    struct strbuf s = {0};
    strbuf_puts(&s, entry);
    strbuf_puts(
        &s, ".shared .align 16 .b8 s[2048];\nmov.u64 %a, s;\nmad.wide.u32 %a, %t, 64, %a;\nmad.wide.u32 %b, "
            "%t, 64, %in;\nmad.wide.u32 %out, %t, 64, %out;\n"
            "cp.async.cg.shared.global [%a], [%b], 16;\ncp.async.commit_group;\ncp.async.ca.shared.global "
            "[%a+16], [%b+16], 8;\n"
            "cp.async.ca.shared.global [%a+24], [%b+24], 4;\ncp.async.ca.shared.global [%a+28], [%b+28], 4, "
            "2;\ncp.async.commit_group;\ncp.async.wait_group 1;\n"
            "and.b32 %y0, %t, 15;\ncp.async.cg.shared.global [%a+32], [%b+32], 16, "
            "%y0;\ncp.async.ca.shared.global [%a+48], [%b+48], 16, 0;\ncp.async.wait_all;\nbar.sync 0;\n");
    for (int k = 0; k < 64; k += 16)
        strbuf_printf(
            &s, "ld.shared.v2.u64 {%%x0, %%x1}, [%%a+%d];\nst.global.v2.u64 [%%out+%d], {%%x0, %%x1};\n", k,
            k);
    strbuf_puts(&s, "ret;\n}\n");
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint8_t *o = out + 64 * lane;
        memcpy(o, in + 64 * lane, 32);
        o[30] = o[31] = 0;
        memcpy(o + 32, in + 64 * lane + 32, lane & 15);
    }
    trial_run(t, &(struct trial){.name = "cp.async",
                                 .ptx = s.text,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out});
    strbuf_fini(&s);
}

static void run_copies(struct test *t, const char *name, const char *body, const uint32_t *out, size_t words,
                       bool racy)
{
    static uint32_t in[64 * 4];
    struct strbuf s = {0};
    for (uint32_t k = 0; k < 64 * 4; k++) in[k] = 1000 + k;
    strbuf_puts(&s, entry);
    strbuf_puts(&s, ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 bar;\n"
                    "mov.u64 %a, s;\nmad.wide.u32 %a, %t, 16, %a;\nmad.wide.u32 %b, %t, 16, %in;\n"
                    "mad.wide.u32 %out, %t, 4, %out;\n");
    strbuf_puts(&s, body);
    strbuf_puts(&s, "ret;\n}\n");
    trial_run(t, &(struct trial){.name = name,
                                 .ptx = s.text,
                                 .block = 64,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = words * 4,
                                 .racy = racy});
    strbuf_fini(&s);
}

// Every thread copies 16 bytes and reads a word of its neighbour in the other warp, by bar.sync or an mbarrier.
static void test_copy_waits(struct test *t)
{
    static const char read[] =
        "xor.b32 %y0, %t, 32;\nshl.b32 %y0, %y0, 4;\nmov.u32 %y1, s;\n"
        "add.u32 %y0, %y0, %y1;\nld.shared.u32 %y2, [%y0+4];\nst.global.u32 [%out], %y2;\n";
    static const char *const waits[] = {
        "cp.async.wait_all;\nbar.sync 0;\n",
        "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n",
        "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;\nbar.sync 0;\n",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
        "W: mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra W;\n",
        "cp.async.mbarrier.arrive.shared.b64 [bar];\nmbarrier.arrive.shared.b64 %x0, [bar];\n"
        "W: mbarrier.test_wait.shared::cta.b64 %p, [bar], %x0;\n@!%p bra W;\n",
        "cp.async.mbarrier.arrive.shared::cta.b64 [bar];\nmbarrier.arrive.noComplete.shared.b64 _, [bar], "
        "0;\n"
        "mbarrier.arrive.release.cta.shared.b64 %x0, [bar], 1;\n"
        "W: mbarrier.test_wait.acquire.cta.shared.b64 %p, [bar], %x0;\n@!%p bra W;\n",
    };
    uint32_t out[64];
    for (uint32_t k = 0; k < 64; k++) out[k] = 1000 + (k ^ 32) * 4 + 1;
    for (size_t k = 0; k < TEST_COUNT(waits); k++) {
        struct strbuf s = {0};
        char name[40];
        snprintf(name, sizeof name, "cp.async, wait %zu", k);
        strbuf_printf(&s,
                      "setp.eq.u32 %%p, %%t, 0;\n@%%p mbarrier.init.shared.b64 [bar], 64;\nbar.sync 0;\n"
                      "cp.async.cg.shared.global.L2::128B [%%a], [%%b], 16;\n%s%s",
                      waits[k], read);
        run_copies(t, name, s.text, out, 64, k > 2);
        strbuf_fini(&s);
    }
    for (uint32_t k = 0; k < 64; k++) out[k] = k & 1 ? 0 : 1000 + (k ^ 32) * 4 + 1;
    struct strbuf s = {0};
    strbuf_printf(&s,
                  "and.b32 %%y0, %%t, 1;\nsetp.ne.u32 %%p, %%y0, 0;\n"
                  "cp.async.ca.shared.global [%%a], [%%b], 16, %%p;\ncp.async.wait_all;\nbar.sync 0;\n%s",
                  read);
    run_copies(t, "cp.async, ignore-src", s.text, out, 64, false);
    strbuf_fini(&s);
}

// Counts, phases and states of an mbarrier, by one thread: PTX ISA 9.7.13.15.
static void test_barrier_counts(struct test *t)
{
    static const char body[] = "setp.ne.u32 %p, %t, 0;\n@%p bra DONE;\nmbarrier.init.shared.b64 [bar], 3;\n"
                               "mbarrier.arrive.shared.b64 %x0, [bar];\n"               // 3 missing before
                               "mbarrier.arrive.noComplete.shared.b64 %x1, [bar], 1;\n" // 2 missing before
                               "mbarrier.pending_count.b64 %y0, %x0;\nst.global.u32 [%out], %y0;\n"
                               "mbarrier.pending_count.b64 %y0, %x1;\nst.global.u32 [%out+4], %y0;\n"
                               "mbarrier.test_wait.shared.b64 %p, [bar], %x0;\nselp.u32 %y0, 1, 0, "
                               "%p;\nst.global.u32 [%out+8], %y0;\n"
                               "mbarrier.test_wait.parity.shared.b64 %p, [bar], 1;\nselp.u32 %y0, 1, 0, %p;\n"
                               "st.global.u32 [%out+12], %y0;\n"
                               "mbarrier.arrive_drop.shared.b64 %x2, [bar];\n" // ends phase 0; 2 expected
                               "mbarrier.test_wait.shared.b64 %p, [bar], %x0;\nselp.u32 %y0, 1, 0, "
                               "%p;\nst.global.u32 [%out+16], %y0;\n"
                               "mbarrier.test_wait.parity.shared.b64 %p, [bar], 0;\nselp.u32 %y0, 1, 0, %p;\n"
                               "st.global.u32 [%out+20], %y0;\n"
                               "mbarrier.arrive.b64 %x0, [bar];\nmbarrier.pending_count.b64 %y0, "
                               "%x0;\nst.global.u32 [%out+24], %y0;\n"
                               "mbarrier.arrive_drop.noComplete.shared.b64 _, [bar], 0;\n"
                               "mbarrier.arrive.shared.b64 %x1, [bar];\n" // ends phase 1
                               "mbarrier.test_wait.shared.b64 %p, [bar], %x0;\nselp.u32 %y0, 1, 0, "
                               "%p;\nst.global.u32 [%out+28], %y0;\n"
                               "mbarrier.inval.shared.b64 [bar];\nDONE:\n";
    static const uint32_t out[64] = {3, 2, 0, 1, 1, 1, 2, 1};
    run_copies(t, "mbarrier", body, out, 64, false);
}

static void test_addresses(struct test *t)
{
    uint32_t in[8] = {11, 22, 33, 44, 55, 66, 77, 88}, out[16] = {0};
    static const char ptx[] =
        ".const .align 4 .u32 c[4] = {1000, 1001, 1002, 1003};\n.global .align 8 .u32 g[4] = {2000, "
        "2001, 2002, 2003};\n"
        ".global .align 8 .u64 pointers[2] = {g, g+8};\n.extern .shared .align 16 .b8 dynamic[];\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %a, %b;\n.reg "
        ".b32 %y<8>, %s;\n.reg .pred %p, %q;\n"
        ".shared .align 4 .u32 s[4];\n.local .align 4 .u32 l[4];\n"
        "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
        "add.u64 %a, %in, 16;\nld.global.u32 %y0, [%a+-8];\nst.global.u32 [%out], %y0;\n"     // 33
        "ld.const.u32 %y0, [c+8];\nst.global.u32 [%out+4], %y0;\n"                            // 1002
        "ld.global.u32 %y0, [g+4];\nst.global.u32 [%out+8], %y0;\n"                           // 2001
        "ld.global.u64 %a, [pointers+8];\nld.u32 %y0, [%a];\nst.global.u32 [%out+12], %y0;\n" // 2002
        "mov.u64 %a, c;\nadd.u64 %a, %a, 4;\nld.const.u32 %y0, [%a];\nst.global.u32 [%out+16], "
        "%y0;\n" // 1001
        "mov.u32 %s, s;\nst.shared.u32 [%s+4], 7;\nld.shared.u32 %y0, [s+4];\nst.global.u32 "
        "[%out+20], %y0;\n" // 7
        "mov.u32 %s, dynamic;\nst.shared.u32 [%s+12], 8;\nld.shared.u32 %y0, "
        "[dynamic+12];\nst.global.u32 [%out+24], %y0;\n" // 8
        "st.local.u32 [l+8], 9;\nmov.u64 %a, l;\ncvta.local.u64 %b, %a;\nld.u32 %y0, "
        "[%b+8];\nst.global.u32 [%out+28], %y0;\n" // 9
        "isspacep.local %p, %b;\nisspacep.shared %q, %b;\nselp.u32 %y1, 1, 0, %p;\nselp.u32 %y2, 2, "
        "0, %q;\nadd.u32 %y1, %y1, %y2;\nst.global.u32 [%out+32], %y1;\n"                       // 1
        "cvta.to.local.u64 %b, %b;\nld.local.u32 %y0, [%b+8];\nst.global.u32 [%out+36], %y0;\n" // 9
        "cvta.shared.u64 %b, s;\nld.u32 %y0, [%b+4];\nst.global.u32 [%out+40], %y0;\n"          // 7
        "isspacep.shared %p, %b;\nisspacep.global %q, %b;\nselp.u32 %y1, 1, 0, %p;\nselp.u32 %y2, "
        "2, 0, %q;\nadd.u32 %y1, %y1, %y2;\nst.global.u32 [%out+44], %y1;\n"                 // 1
        "isspacep.global %p, %in;\nselp.u32 %y1, 1, 0, %p;\nst.global.u32 [%out+48], %y1;\n" // 1
        "mov.u32 %y0, %dynamic_smem_size;\nst.global.u32 [%out+52], %y0;\n"                  // 64
        "cvta.const.u64 %b, c;\nld.u32 %y0, [%b+12];\nst.global.u32 [%out+56], %y0;\n"       // 1003
        "ret;\n}\n";
    static const uint32_t want[] = {33, 1002, 2001, 2002, 1001, 7, 8, 9, 1, 9, 7, 1, 1, 64, 1003, 0};
    memcpy(out, want, sizeof out);
    trial_run(t, &(struct trial){.name = "addresses",
                                 .ptx = ptx,
                                 .block = 1,
                                 .dynamic_shared = 64,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out});
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"loads", test_loads},           {"stores", test_stores},
        {"qualifiers", test_qualifiers}, {"atomics", test_atomics},
        {"contention", test_contention}, {"async copies", test_async_copies},
        {"copy waits", test_copy_waits}, {"barrier counts", test_barrier_counts},
        {"addresses", test_addresses}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
