// Kernels for rows: written, run through the public API or the oracle, compared with the rules.
//
// A row has two kernels. The first loads each thread's operands from memory. The second runs a few tuples
// in a single thread, with constants in place of some or all operands, so the compiler folds the operation.
#include "conformance/conformance.h"

#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"
#include "oracle/oracle.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TUPLES_MAX = 768, CONSTANT_TUPLES = 12, ROWS_IN_MODULE = 64, SHOWN = 40, SLOT_IN = 32, SLOT_OUT = 16 };

void row_add(struct rows *rows, struct row r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r.text, sizeof r.text, format, args);
    va_end(args);
    vec_push(&rows->list, r);
}

// ---- operand values

static const uint64_t edges_16[] = {0,      1,      2,      3,      0x7f,   0x80,   0xff,  0x100,
                                    0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x1234};
static const uint64_t edges_32[] = {0,          1,          2,          3,          7,          31,
                                    32,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                                    0xffff,     0x10000,    0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001,
                                    0xfffffffe, 0xffffffff, 0xffff8000, 0x00ffffff, 0x00800000, 0x55555555};
static const uint64_t edges_64[] = {0,
                                    1,
                                    2,
                                    3,
                                    0x7f,
                                    0xffff,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0xfffffffffffffffe,
                                    0xffffffffffffffff,
                                    0xffffffff80000000,
                                    0xffffffff00000000,
                                    0x20000000000001,
                                    0x1fffffffffffff,
                                    0xaaaaaaaa55555555,
                                    0x7fffffbfffffffff,
                                    0x7fffff4000000001};
static const uint64_t edges_f32[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x40000000, 0x3fc00000,
    0x40200000, 0xc0200000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff, 0xffc12345, 0x7f800001,
    0xffbfffff, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
    0x7f7fffff, 0xff7fffff, 0x3f800001, 0x3f7fffff, 0x4b000000, 0x4b000001, 0x4affffff, 0x4f000000,
    0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x33800000, 0x33800001,
    0x477fe000, 0x477ff000, 0x38800000, 0x387fe000, 0x33000000, 0x33000001, 0x40490fdb, 0x3dcccccd,
    0x42fe0000, 0x437f0000};
static const uint64_t edges_f64[] = {0,
                                     0x8000000000000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x3fe0000000000000,
                                     0x3ff8000000000000,
                                     0x4004000000000000,
                                     0xc004000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0xfff8000000000123,
                                     0x7ff0000000000001,
                                     0xfff7ffffffffffff,
                                     1,
                                     0x8000000000000001,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x8010000000000000,
                                     0x7fefffffffffffff,
                                     0xffefffffffffffff,
                                     0x3ff0000000000001,
                                     0x3fefffffffffffff,
                                     0x41dfffffffc00000,
                                     0x41e0000000000000,
                                     0xc1e0000000000000,
                                     0x41efffffffe00000,
                                     0x43e0000000000000,
                                     0xc3e0000000000000,
                                     0x43f0000000000000,
                                     0x4330000000000000,
                                     0x4330000000000001,
                                     0x47efffffe0000000,
                                     0x47effffff0000000,
                                     0x47efffffefffffff,
                                     0x3810000000000000,
                                     0x36a0000000000000,
                                     0x3690000000000000,
                                     0x3690000000000001,
                                     0x40effc0000000000,
                                     0x40effe0000000000,
                                     0x3f10000000000000};
static const uint64_t edges_f16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x4000, 0x3e00,
                                     0x4100, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe01, 0x7c01, 1,
                                     0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x7bff, 0xfbff,
                                     0x3c01, 0x3bff, 0x6400, 0x6401, 0x5c00, 0x1400, 0x7800};
static const uint64_t edges_bf16[] = {0,      0x8000, 0x3f80, 0xbf80, 0x3f00, 0x4000, 0x3fc0, 0x7f80, 0xff80,
                                      0x7fc0, 0x7fff, 0xffc1, 0x7f81, 1,      0x8001, 0x007f, 0x807f, 0x0080,
                                      0x7f7f, 0xff7f, 0x3f81, 0x3f7f, 0x4b00, 0x3380, 0x4f00, 0x0081};
static const uint64_t edges_shift[] = {0,  1,  5,  8,  15, 16,  17,  24,      31,         32,
                                       33, 47, 63, 64, 65, 255, 256, 0x10001, 0x80000000, 0xffffffff};
static const uint64_t edges_field[] = {0,  1,  2,  5,  8,   15,  16,  24,  31,  32,  33,
                                       48, 63, 64, 65, 100, 128, 200, 255, 256, 259, 0xffffffff};
static const uint64_t edges_selector[] = {0x3210, 0x7654, 0x0123, 0xba98,     0xfedc, 0,     1,
                                          2,      3,      0x8888, 0xffff3210, 0x5140, 0x7362};
static const uint64_t edges_predicate[] = {0, 1};

#define EDGES(name) name, sizeof name / sizeof name[0]
static const struct kind {
    char letter;
    const uint64_t *edges;
    size_t count;
    unsigned bits;
    const char *reg, *load; // register type, load type
    bool constant;
} kinds[] = {{'r', EDGES(edges_32), 32, ".b32", "u32", true},
             {'d', EDGES(edges_64), 64, ".b64", "u64", true},
             {'h', EDGES(edges_16), 16, ".b16", "u16", true},
             {'f', EDGES(edges_f32), 32, ".f32", "f32", true},
             {'g', EDGES(edges_f64), 64, ".f64", "f64", true},
             {'p', EDGES(edges_predicate), 1, ".pred", "u32", false},
             {'q', EDGES(edges_f16), 16, ".b16", "u16", false},
             {'b', EDGES(edges_bf16), 16, ".b16", "u16", false},
             {'x', EDGES(edges_f16), 32, ".b32", "u32", false},
             {'y', EDGES(edges_bf16), 32, ".b32", "u32", false},
             {'s', EDGES(edges_shift), 32, ".b32", "u32", true},
             {'w', EDGES(edges_field), 32, ".b32", "u32", true},
             {'c', EDGES(edges_selector), 32, ".b32", "u32", true},
             {'R', EDGES(edges_32), 32, ".b32", "u32", false},
             {'D', EDGES(edges_64), 64, ".b64", "u64", false},
             {'F', EDGES(edges_f32), 32, ".f32", "f32", false},
             {'G', EDGES(edges_f64), 64, ".f64", "f64", false}};

static const struct kind *kind_of(char letter)
{
    const struct kind *k = kinds;
    while (k->letter != letter) k++;
    return k;
}

static unsigned destinations(const struct row *r) { return (unsigned)strcspn(r->kinds, ":"); }
static const char *source_kinds(const struct row *r) { return strchr(r->kinds, ':') + 1; }

static uint64_t edge(const struct kind *k, uint64_t index)
{
    uint64_t v = k->edges[index % k->count];
    if (k->letter == 'x' || k->letter == 'y') v |= k->edges[index * 7 / k->count % k->count] << 16;
    return v;
}

// Values near the edges of the format; random bits would rarely come near.
static uint64_t random_value(const struct kind *k, struct rng *r)
{
    uint64_t v = rng_next(r);
    if (k->letter == 's' || k->letter == 'w') return v % 70;
    if (k->letter == 'f' || k->letter == 'F')
        return (v & 0x807fffff) | (uint64_t)(100 + rng_below(r, 60)) << 23;
    if (k->letter == 'g' || k->letter == 'G')
        return (v & 0x800fffffffffffff) | (uint64_t)(960 + rng_below(r, 130)) << 52;
    return v & (k->bits == 64 ? ~0ull : (1ull << k->bits) - 1);
}

// Fills the row's tuples: the cross product of the edges when small, else a sample mixed with random
// values. Returns the number of tuples.
static unsigned make_tuples(const struct row *r, uint64_t (*v)[4])
{
    const char *s = source_kinds(r);
    uint64_t product = 1;
    struct rng g;
    rng_init(&g, 0x77);
    memset(v, 0, sizeof *v * TUPLES_MAX);
    for (unsigned k = 0; s[k]; k++) product *= kind_of(s[k])->count;
    bool all = product <= TUPLES_MAX / 2;
    for (unsigned t = 0; t < TUPLES_MAX; t++) {
        uint64_t index = t;
        bool from_product = all && t < product;
        for (unsigned k = 0; s[k]; k++) {
            const struct kind *kind = kind_of(s[k]);
            if (from_product)
                v[t][k] = edge(kind, index);
            else
                v[t][k] = rng_below(&g, 3) ? edge(kind, rng_next(&g) >> 32) : random_value(kind, &g);
            index /= kind->count;
        }
    }
    return TUPLES_MAX;
}

// ---- kernels

static const char names[] = "DQABCE";

// Writes the row's text with letters replaced by register names, or by constants where given.
static void substitute(const struct row *r, const char *const *constants, struct strbuf *out)
{
    for (const char *p = r->text; *p; p++) {
        const char *letter = strchr(names, *p);
        bool word = (p == r->text || !strchr("._%", p[-1])) &&
                    (p == r->text || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[1]) &&
                    p[1] != '.';
        if (letter && word && letter - names >= 2 && constants[letter - names - 2])
            strbuf_puts(out, constants[letter - names - 2]);
        else if (letter && word)
            strbuf_printf(out, "%%%c", tolower(*p));
        else
            strbuf_putc(out, *p);
    }
    strbuf_puts(out, ";\n");
}

static void write_load(const struct kind *k, char name, unsigned offset, struct strbuf *out)
{
    if (k->letter == 'p') {
        strbuf_printf(out, "ld.global.u32 %%t, [%%in+%u];\nsetp.ne.u32 %%%c, %%t, 0;\n", offset, name);
    } else {
        strbuf_printf(out, "ld.global.%s %%%c, [%%in+%u];\n", k->load, name, offset);
    }
}

static void write_store(const struct kind *k, char name, unsigned offset, struct strbuf *out)
{
    if (k->letter == 'p')
        strbuf_printf(out, "selp.u64 %%u, 1, 0, %%%c;\n", name);
    else if (k->bits == 16)
        strbuf_printf(out, "cvt.u64.u16 %%u, %%%c;\n", name);
    else if (k->bits == 64)
        strbuf_printf(out, "mov.b64 %%u, %%%c;\n", name);
    else
        strbuf_printf(out, "mov.b32 %%t, %%%c;\ncvt.u64.u32 %%u, %%t;\n", name);
    strbuf_printf(out, "st.global.u64 [%%out+%u], %%u;\n", offset);
}

static void write_registers(const struct row *r, struct strbuf *out)
{
    for (unsigned k = 0; k < destinations(r); k++)
        strbuf_printf(out, ".reg %s %%%c;\n", kind_of(r->kinds[k])->reg, "dq"[k]);
    for (unsigned k = 0; source_kinds(r)[k]; k++)
        strbuf_printf(out, ".reg %s %%%c;\n", kind_of(source_kinds(r)[k])->reg, "abce"[k]);
}

static void write_head(const char *prefix, unsigned index, struct strbuf *out)
{
    strbuf_printf(out,
                  ".visible .entry %s%u(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %%in, %%out, %%in0, "
                  "%%out0, %%u;\n"
                  ".reg .b32 %%i, %%c0, %%n0, %%t;\nld.param.u64 %%in0, [in];\nld.param.u64 %%out0, [out];\n"
                  "mov.u32 %%i, %%tid.x;\nmov.u32 %%c0, %%ctaid.x;\nmov.u32 %%n0, %%ntid.x;\nmad.lo.u32 %%i, "
                  "%%c0, %%n0, %%i;\n"
                  "mad.wide.u32 %%in, %%i, %d, %%in0;\nmad.wide.u32 %%out, %%i, %d, %%out0;\n",
                  prefix, index, SLOT_IN, SLOT_OUT);
}

static void write_loaded(const struct row *r, unsigned index, struct strbuf *out)
{
    static const char *const no_constants[4];
    write_head("r", index, out);
    write_registers(r, out);
    for (unsigned k = 0; source_kinds(r)[k]; k++)
        write_load(kind_of(source_kinds(r)[k]), "abce"[k], 8 * k, out);
    substitute(r, no_constants, out);
    for (unsigned k = 0; k < destinations(r); k++) write_store(kind_of(r->kinds[k]), "dq"[k], 8 * k, out);
    strbuf_puts(out, "ret;\n}\n");
}

static void write_constant(const struct kind *k, uint64_t v, char *text, size_t size)
{
    if (k->reg[1] == 'f' && k->bits == 32)
        snprintf(text, size, "0f%08x", (uint32_t)v);
    else if (k->reg[1] == 'f')
        snprintf(text, size, "0d%016llx", (unsigned long long)v);
    else if (k->bits == 16)
        snprintf(text, size, "%d", (int16_t)v);
    else
        snprintf(text, size, "0x%llx", (unsigned long long)v);
}

// Writes the second kernel: constants replace every operand in even rounds, one operand in odd rounds.
static void write_folded(const struct row *r, unsigned index, uint64_t (*v)[4], unsigned count,
                         struct strbuf *out)
{
    const char *s = source_kinds(r);
    unsigned sources = (unsigned)strlen(s);
    write_head("c", index, out);
    for (unsigned n = 0; n < CONSTANT_TUPLES; n++) {
        unsigned t = n * 61 % count;
        char texts[4][32];
        const char *constants[4] = {NULL};
        strbuf_puts(out, "{\n");
        write_registers(r, out);
        for (unsigned k = 0; k < sources; k++) {
            const struct kind *kind = kind_of(s[k]);
            bool folded = kind->constant && (n % 2 == 0 || k == n / 2 % sources);
            if (folded) {
                if (kind->letter == 'w')
                    v[t][k] &= 0xff; // "restricted to the 8-bit value range" as a constant
                write_constant(kind, v[t][k], texts[k], sizeof texts[k]);
                constants[k] = texts[k];
            } else {
                write_load(kind, "abce"[k], t * SLOT_IN + 8 * k, out);
            }
        }
        substitute(r, constants, out);
        for (unsigned k = 0; k < destinations(r); k++)
            write_store(kind_of(r->kinds[k]), "dq"[k], t * SLOT_OUT + 8 * k, out);
        strbuf_puts(out, "}\n");
    }
    strbuf_puts(out, "ret;\n}\n");
}

// ---- comparing

struct checker {
    struct test *t;
    const char *configuration;
    unsigned rows, bad_rows;
};

static bool result_holds(const struct row *r, const uint64_t *v, const uint64_t *got, uint64_t *want)
{
    want[0] = want[1] = 0;
    if (r->near) return r->near(r, v, got[0]);
    uint64_t *second = destinations(r) > 1 ? &want[1] : NULL;
    want[0] = r->rule(r, v, second);
    return got[0] == want[0] && (!second || got[1] == want[1]);
}

static void check_results(struct checker *c, const struct row *r, uint64_t (*v)[4], const uint64_t (*got)[2],
                          unsigned count, bool folded)
{
    unsigned bad = 0;
    for (unsigned n = 0; n < (folded ? CONSTANT_TUPLES : count); n++) {
        unsigned t = folded ? n * 61 % count : n;
        uint64_t want[2];
        if (result_holds(r, v[t], got[t], want) || bad++) continue;
        if (c->bad_rows++ < SHOWN)
            printf("    %s%s: %s: A=%llx B=%llx C=%llx E=%llx gives %llx,%llx, the rule %llx,%llx\n",
                   c->configuration, folded ? " (constants)" : "", r->text, (unsigned long long)v[t][0],
                   (unsigned long long)v[t][1], (unsigned long long)v[t][2], (unsigned long long)v[t][3],
                   (unsigned long long)got[t][0], (unsigned long long)got[t][1], (unsigned long long)want[0],
                   (unsigned long long)want[1]);
    }
}

static void module_text(const struct rows *rows, size_t first, size_t count, struct strbuf *text)
{
    uint64_t v[TUPLES_MAX][4];
    strbuf_clear(text);
    strbuf_puts(text, ".version 8.6\n.target sm_90\n.address_size 64\n");
    for (size_t k = first; k < first + count; k++) {
        unsigned tuples = make_tuples(&rows->list.data[k], v);
        write_loaded(&rows->list.data[k], (unsigned)k, text);
        write_folded(&rows->list.data[k], (unsigned)k, v, tuples, text);
    }
}

static void complain(struct checker *c, const struct row *r, const char *what)
{
    if (c->bad_rows++ < SHOWN) printf("    %s: %s: %.160s\n", c->configuration, r ? r->text : "module", what);
}

// ---- through the API

static const char *const isas[] = {"general", "portable", "avx2", "avx512"};

static void run_kernel(struct checker *c, struct wf_context *x, struct wf_module *m, const struct row *r,
                       unsigned index, bool folded)
{
    char name[32];
    static uint64_t v[TUPLES_MAX][4], got[TUPLES_MAX][2];
    unsigned count = make_tuples(r, v);
    snprintf(name, sizeof name, "%c%u", folded ? 'c' : 'r', index);
    struct wf_kernel *k = wf_kernel_find(m, name);
    if (!k) {
        if (!r->refused || !strstr(wf_errors(x), r->refused)) complain(c, r, wf_errors(x));
        wf_clear_errors(x);
        return;
    }
    if (r->refused) complain(c, r, "runs, and should be refused");
    uint64_t in = wf_alloc(x, sizeof v), out = wf_alloc(x, sizeof got), params[] = {in, out};
    struct wf_launch_config shape = {.grid = {folded ? 1 : count / 128, 1, 1},
                                     .block = {folded ? 1 : 128, 1, 1}};
    wf_write(x, in, v, sizeof v);
    for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++) {
        if (wf_set(x, "exec.isa", isas[i]) != WF_OK) {
            wf_clear_errors(x);
            continue;
        }
        wf_fill(x, out, 0xdeadbeef, 4, sizeof got / 4);
        if (wf_launch_packed(k, &shape, params, sizeof params, NULL) != WF_OK) {
            complain(c, r, wf_errors(x));
            wf_clear_errors(x);
            break;
        }
        wf_read(x, out, got, sizeof got);
        check_results(c, r, v, (const uint64_t(*)[2])got, count, folded);
        if (folded) break; // the compiler did the work
    }
    wf_free(x, in);
    wf_free(x, out);
}

void run_rows(struct test *t, const struct rows *rows, const struct configuration *cfg)
{
    struct checker c = {.t = t, .configuration = cfg->name};
    struct strbuf text = {0};
    for (size_t first = 0; first < rows->list.count; first += ROWS_IN_MODULE) {
        size_t count = rows->list.count - first < ROWS_IN_MODULE ? rows->list.count - first : ROWS_IN_MODULE;
        struct wf_context *x = wf_context_create();
        wf_set(x, "memory.size", "4M");
        for (unsigned k = 0; cfg->settings[k]; k += 2)
            CHECK(t, wf_set(x, cfg->settings[k], cfg->settings[k + 1]) == WF_OK);
        module_text(rows, first, count, &text);
        struct wf_module *m = wf_module_load(x, "rows.ptx", text.text, text.length);
        if (!m) complain(&c, NULL, wf_errors(x));
        for (size_t k = first; m && k < first + count; k++)
            for (int folded = 0; folded < 2; folded++)
                run_kernel(&c, x, m, &rows->list.data[k], (unsigned)k, folded);
        wf_context_destroy(x);
    }
    strbuf_fini(&text);
    CHECK_MSG(t, c.bad_rows == 0, "%s: %u of %zu rows do not follow the rule", cfg->name, c.bad_rows,
              rows->list.count);
}

// ---- through the oracle

static void oracle_kernel(struct checker *c, struct oracle *o, const struct ptx_module *m, struct diag *d,
                          const struct row *r, unsigned index, bool folded, uint64_t (*v)[4],
                          uint64_t (*got)[2])
{
    char name[32];
    unsigned count = make_tuples(r, v);
    uint64_t params[] = {0x10000000, 0x20000000};
    snprintf(name, sizeof name, "%c%u", folded ? 'c' : 'r', index);
    struct oracle_launch l = {.kernel = ptx_find_entry(m, name, d),
                              .params = params,
                              .strict = true,
                              .grid = {folded ? 1 : count / 128, 1, 1},
                              .block = {folded ? 1 : 128, 1, 1}};
    if (!oracle_launch(o, &l))
        complain(c, r, oracle_error(o));
    else
        check_results(c, r, v, (const uint64_t(*)[2])got, count, folded);
}

void run_rows_oracle(struct test *t, const struct rows *rows)
{
    static uint64_t v[TUPLES_MAX][4], got[TUPLES_MAX][2];
    struct checker c = {.t = t, .configuration = "oracle"};
    struct strbuf text = {0}, errors = {0};
    for (size_t first = 0; first < rows->list.count; first += ROWS_IN_MODULE) {
        size_t count = rows->list.count - first < ROWS_IN_MODULE ? rows->list.count - first : ROWS_IN_MODULE;
        struct diag d;
        diag_init(&d);
        module_text(rows, first, count, &text);
        struct ptx_module *m =
            ptx_parse(text.text, text.length, diag_add_source(&d, "rows.ptx", text.text, text.length), &d);
        struct oracle *o = m ? oracle_create(m) : NULL;
        diag_format(&d, false, &errors);
        if (!m) complain(&c, NULL, strbuf_text(&errors));
        if (o) {
            oracle_map(o, 0x10000000, v, sizeof v);
            oracle_map(o, 0x20000000, got, sizeof got);
        }
        for (size_t k = first; o && k < first + count; k++)
            for (int folded = 0; folded < 2; folded++)
                if (!rows->list.data[k].near)
                    oracle_kernel(&c, o, m, &d, &rows->list.data[k], (unsigned)k, folded, v, got);
        oracle_destroy(o);
        if (m) ptx_module_free(m);
        diag_fini(&d);
    }
    strbuf_fini(&text);
    strbuf_fini(&errors);
    CHECK_MSG(t, c.bad_rows == 0, "the oracle: %u of %zu rows do not follow the rule", c.bad_rows,
              rows->list.count);
}

void write_rows(const struct rows *rows, unsigned every, struct strbuf *text)
{
    struct rows some = {0};
    for (size_t k = 0; k < rows->list.count; k += every) vec_push(&some.list, rows->list.data[k]);
    module_text(&some, 0, some.list.count, text);
    vec_fini(&some.list);
}
