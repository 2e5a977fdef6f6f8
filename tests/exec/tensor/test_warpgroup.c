// Products of a warpgroup (wgmma): random types, columns, layouts of shared memory, swizzles, transposes, signs and groups, against
// a model of the test's own, element by element. Places of elements are CuTe's canonical layouts in elements, values those of the
// judge (exact.h). Functional early and late, and timed. Then programs that show a forgotten wait under exec.async=late.
#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"
#include "exec/tensor/exact.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

enum {
    A_AT = 0,
    B_AT = 32768,
    SHARED = B_AT + 131072,
    THREADS = 128,
    ROWS = 64,
    COLUMNS = 256,
    STEPS = 3,
    WORDS = 5, // of a thread in a step: a in registers, metadata
    FACTORS_AT = SHARED,
    SUMS_AT = FACTORS_AT + STEPS * THREADS * WORDS * 4,
    ALL = SUMS_AT + THREADS * 128 * 4
};

static const struct {
    const char *a, *b, *d;
    uint8_t type_a, type_b, type_d, bits;
} families[] = {
    {"f16", "f16", "f32", TYPE_F16, TYPE_F16, TYPE_F32, 16},
    {"f16", "f16", "f16", TYPE_F16, TYPE_F16, TYPE_F16, 16},
    {"bf16", "bf16", "f32", TYPE_BF16, TYPE_BF16, TYPE_F32, 16},
    {"tf32", "tf32", "f32", TYPE_TF32, TYPE_TF32, TYPE_F32, 32},
    {"e4m3", "e4m3", "f32", TYPE_E4M3, TYPE_E4M3, TYPE_F32, 8},
    {"e5m2", "e4m3", "f16", TYPE_E5M2, TYPE_E4M3, TYPE_F16, 8},
    {"e4m3", "e5m2", "f32", TYPE_E4M3, TYPE_E5M2, TYPE_F32, 8},
    {"e5m2", "e5m2", "f16", TYPE_E5M2, TYPE_E5M2, TYPE_F16, 8},
    {"s8", "s8", "s32", TYPE_S8, TYPE_S8, TYPE_S32, 8},
    {"u8", "s8", "s32", TYPE_U8, TYPE_S8, TYPE_S32, 8},
    {"s8", "u8", "s32", TYPE_S8, TYPE_U8, TYPE_S32, 8},
    {"u8", "u8", "s32", TYPE_U8, TYPE_U8, TYPE_S32, 8},
    {"b1", "b1", "s32", TYPE_B1, TYPE_B1, TYPE_S32, 1},
};

struct layout { // of a matrix in shared memory
    uint32_t start, pattern, leading, stride, span;
    bool turned;
};

struct step {
    struct layout a, b;
    bool adds, by_register, minus_a, minus_b, closes;
    uint8_t column[ROWS][64]; // sparse: column of a stored element
};

struct job {
    unsigned family, n, k, stored, steps, pending, selector;
    bool sparse, clamps, whole; // whole: small whole numbers; else any bits
    struct step step[STEPS];
    uint64_t a[STEPS][ROWS][64], b[STEPS][64][COLUMNS]; // elements; b1: bits in words
    uint64_t sums[ROWS][COLUMNS];
    uint8_t before[ALL], after[ALL];
};

static uint32_t below(struct rng *r, uint32_t n) { return rng_below(r, n); }
static unsigned bits_of(const struct job *j) { return families[j->family].bits; }
static bool is_integer(const struct job *j) { return families[j->family].type_d == TYPE_S32; }
// Elements of the judge: words of 32 bits of b1.
static unsigned unit_of(const struct job *j) { return bits_of(j) == 1 ? 32 : 1; }

// -- layouts ------------------------------------------------------------------------------------------------

// Byte of element (line, k) by the canonical layouts, T elements to 16 bytes:
//   along k, none     ((8,m),(T,2k)) : ((T,SBO),(1,LBO))          turned, none     ((T,1,m),(8,k)) : ((1,T,SBO),(T,LBO))
//   along k, span     ((8,m),(T,2k)) : ((span,SBO),(1,T))         turned, span     ((T,s,m),(8,k)) : ((1,T,LBO),(span,SBO))
static uint32_t byte_of(const struct layout *l, unsigned bits, unsigned line, unsigned k)
{
    uint32_t t = 128 / bits, at;
    if (!l->turned) {
        uint32_t in_cell = k % t * bits / 8;
        at = line / 8 * l->stride + in_cell;
        at += l->span ? line % 8 * l->span + k / t * 16 : line % 8 * 16 + k / t * l->leading;
    } else if (!l->span)
        at = line % t * 2 + line / t * l->stride + k % 8 * 16 + k / 8 * l->leading;
    else {
        uint32_t wide = l->span / 2;
        at = line % wide * 2 + line / wide * l->leading + k % 8 * l->span + k / 8 * l->stride;
    }
    at += l->start;
    if (!l->span) return at;
    uint32_t row = (at - l->pattern) / 128, cell = at / 16 % 8;
    return at / 128 * 128 + (cell ^ (row % 8 & (l->span / 16 - 1))) * 16 + at % 16;
}

static uint64_t descriptor_of(const struct layout *l)
{
    uint64_t mode = l->span == 128 ? 1 : l->span == 64 ? 2 : l->span == 32 ? 3 : 0;
    uint64_t offset = l->span ? l->pattern >> 7 & 7 : 0;
    return (l->start >> 4) | (uint64_t)(l->leading >> 4) << 16 | (uint64_t)(l->stride >> 4) << 32 |
           offset << 49 | mode << 62;
}

// A layout of `lines` rows of 32 (or 64) bytes at `at`, of step number `step`: along the depth, steps share the rows of a swizzle.
static struct layout draw_layout(struct rng *r, unsigned lines, unsigned cells, bool turned, uint32_t at,
                                 unsigned step)
{
    static const uint8_t spans[] = {0, 32, 64, 128};
    struct layout l = {.span = spans[below(r, 4)], .turned = turned};
    if (cells > 2 && !turned && l.span == 32) l.span = 128; // 64 bytes of a row do not fit
    if (!l.span) {
        uint32_t inner = 128 + 16 * below(r, 3), outer = turned ? cells * inner : cells * inner;
        bool leads = below(r, 2);
        l.start = l.pattern = at + 16 * below(r, 64);
        if (!turned) // cells of a row, eights of rows
            l.leading = leads ? inner : inner * ((lines + 7) / 8), l.stride = leads ? outer : inner;
        else // eights of the depth, eights of rows
            l.leading = leads ? inner : inner * ((lines + 7) / 8), l.stride = leads ? inner * cells : inner;
        return l;
    }
    l.pattern = at + (below(r, 3) ? 0 : 128 * below(r, 8));
    l.start = l.pattern;
    uint32_t block = 8 * l.span;
    if (!turned) {
        l.start += step * cells * 16 % l.span;
        l.stride = block * (1 + below(r, 2));
        l.leading = 16 * below(r, 1 << 14); // not read
        return l;
    }
    unsigned across = (lines * 2 + l.span - 1) / l.span;
    bool leads = below(r, 2);
    l.stride = leads ? block : block * across;
    l.leading = leads ? block * cells : block;
    return l;
}

// -- cases --------------------------------------------------------------------------------------------------

static uint64_t draw_element(struct rng *r, const struct job *j, unsigned type)
{
    uint64_t any = rng_next(r);
    switch (type) {
    case TYPE_F16: // half of all: small numbers; else bits, but few infinities and NaNs
        return j->whole ? (any % 2 ? 0x8000u : 0) | (uint64_t)(15 + any / 2 % 3) << 10 | (any / 8 % 4) << 8
                        : any % 61440;
    case TYPE_BF16:
        return j->whole ? (any % 2 ? 0x8000u : 0) | (uint64_t)(125 + any / 2 % 5) << 7 | any / 16 % 128
                        : any % 65536;
    case TYPE_TF32:
        return j->whole
                   ? (any % 2 ? 0x80000000u : 0) | (uint64_t)(125 + any / 2 % 5) << 23 | any / 16 % (1 << 23)
                   : any % (1ull << 32);
    case TYPE_E4M3: return any % 127 + (any >> 32) % 2 * 128;
    case TYPE_E5M2: return any % 124 + (any >> 32) % 2 * 128;
    case TYPE_B1: return any & UINT32_MAX;
    default: return any % 256;
    }
}

static uint64_t draw_sum(struct rng *r, unsigned type)
{
    uint64_t any = rng_next(r);
    if (type == TYPE_F16) return any % 2 * 0x8000 + any / 2 % 0x5000;
    if (type == TYPE_F32)
        return any % 2 * 0x80000000u + (120 + any / 2 % 16) * (1ull << 23) + any / 64 % (1 << 23);
    return any & UINT32_MAX;
}

static void draw_columns(struct rng *r, struct job *j, struct step *s)
{
    unsigned chunk = bits_of(j) == 32 ? 2 : 4;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned k = 0; k < j->stored; k++) {
            unsigned base = k / (chunk / 2) * chunk;
            bool is_second = chunk == 4 && k % 2;
            s->column[row][k] = (uint8_t)(base + (chunk == 2  ? below(r, 2)
                                                  : is_second ? 2 + below(r, 2)
                                                              : below(r, 2)));
        }
}

static void draw(struct rng *r, struct job *j)
{
    memset(j, 0, sizeof *j);
    j->family = below(r, TEST_COUNT(families));
    do j->n = 8 * (1 + (below(r, 3) ? below(r, 8) : below(r, 32)));
    while (is_integer(j) && j->n > 32 && j->n % 16);
    j->sparse = bits_of(j) != 1 && below(r, 4) == 0;
    j->stored = 256 / bits_of(j);
    j->k = j->stored * (j->sparse ? 2 : 1);
    j->selector = j->sparse && bits_of(j) > 8 ? below(r, 2) : 0;
    j->clamps = is_integer(j) && bits_of(j) == 8 && below(r, 2);
    j->whole = below(r, 2);
    j->steps = 1 + below(r, STEPS);
    j->pending = below(r, 3);
    for (unsigned n = 0; n < j->steps; n++) {
        struct step *s = &j->step[n];
        bool is_half = bits_of(j) == 16;
        s->by_register = below(r, 3) == 0;
        s->adds = below(r, 4) != 0;
        s->minus_a = !is_integer(j) && below(r, 4) == 0;
        s->minus_b = !is_integer(j) && below(r, 4) == 0;
        s->closes = below(r, 2);
        s->a = draw_layout(r, ROWS, 2, is_half && below(r, 2), A_AT, n);
        s->b = draw_layout(r, j->n, j->sparse ? 4 : 2, is_half && below(r, 2), B_AT, n);
        draw_columns(r, j, s);
    }
    for (unsigned at = 0; at < SHARED; at++) j->before[at] = (uint8_t)rng_next(r);
}

// -- the model ----------------------------------------------------------------------------------------------

static void put(uint8_t *bytes, unsigned bits, uint64_t value)
{
    memcpy(bytes, &value, bits < 8 ? 4 : bits / 8);
}

static uint64_t get(const uint8_t *bytes, unsigned bits)
{
    uint64_t value = 0;
    memcpy(&value, bytes, bits < 8 ? 4 : bits / 8);
    return value;
}

// Factors lie where descriptors or registers say; steps may overlap, so they are read back from memory.
static void place_factors(struct rng *r, struct job *j)
{
    unsigned unit = unit_of(j), bits = bits_of(j);
    for (unsigned n = 0; n < j->steps; n++) {
        struct step *s = &j->step[n];
        for (unsigned row = 0; row < ROWS; row++)
            for (unsigned k = 0; k < j->stored; k += unit)
                put(j->before + byte_of(&s->a, bits, row, k), bits,
                    draw_element(r, j, families[j->family].type_a));
        for (unsigned k = 0; k < j->k; k += unit)
            for (unsigned c = 0; c < j->n; c++)
                put(j->before + byte_of(&s->b, bits, c, k), bits,
                    draw_element(r, j, families[j->family].type_b));
        uint8_t *words = j->before + FACTORS_AT + n * THREADS * WORDS * 4;
        for (unsigned t = 0; t < THREADS; t++)
            for (unsigned w = 0; w < 4; w++)
                for (unsigned at = 0; at < 32; at += bits < 8 ? 32 : bits)
                    put(words + (t * WORDS + w) * 4 + at / 8, bits,
                        draw_element(r, j, families[j->family].type_a));
    }
}

// a in registers: lane 4g + q of warp w has in register r the elements of row 16w + g + 8 (r % 2) from the word q + 4 (r / 2) on.
static uint64_t a_of(const struct job *j, const struct step *s, const uint8_t *words, unsigned row,
                     unsigned k)
{
    unsigned bits = bits_of(j), bit = k * bits, word = bit / 32;
    if (!s->by_register) return get(j->before + byte_of(&s->a, bits, row, k), bits);
    unsigned t = row / 16 * 32 + row % 8 * 4 + word % 4, w = row % 16 / 8 + word / 4 * 2;
    return get(words + (t * WORDS + w) * 4 + bit % 32 / 8, bits);
}

static uint64_t minus(uint64_t v, unsigned bits, bool is_minus)
{
    return is_minus ? v ^ 1ull << (bits - 1) : v;
}

static struct exact_rule rule_of(const struct job *j)
{
    struct exact_rule r = exact_rule_of(TENSOR_HOPPER, families[j->family].type_a);
    if (bits_of(j) == 8 && !is_integer(j)) r = (struct exact_rule){32, 13, 13, -133, -21, false};
    return r;
}

static void model_step(struct job *j, unsigned n)
{
    struct step *s = &j->step[n];
    const uint8_t *words = j->before + FACTORS_AT + n * THREADS * WORDS * 4;
    unsigned unit = unit_of(j), bits = bits_of(j);
    struct exact_rule rule = rule_of(j);
    struct tensor_form f = {.m = 16,
                            .n = 8,
                            .k = (uint16_t)j->k,
                            .a = families[j->family].type_a,
                            .b = families[j->family].type_b,
                            .c = families[j->family].type_d,
                            .d = families[j->family].type_d,
                            .is_sparse = j->sparse,
                            .saturates = j->clamps,
                            .ands = true};
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned c = 0; c < j->n; c++) {
            uint64_t a[64], b[64];
            int count = 0;
            for (unsigned k = 0; k < j->stored; k += unit, count++) {
                unsigned at = j->sparse ? s->column[row][k] : k;
                a[count] = minus(a_of(j, s, words, row, k), bits, s->minus_a);
                b[count] = minus(get(j->before + byte_of(&s->b, bits, c, at), bits), bits, s->minus_b);
            }
            j->sums[row][c] = exact_element(&rule, &f, a, b, count, s->adds ? j->sums[row][c] : 0);
        }
}

// Metadata: as of mma.sp, rows 16w on in warp w.
static void place_metadata(struct job *j, unsigned n)
{
    struct tensor_form f = {
        .m = 16, .n = 8, .k = (uint16_t)j->k, .a = families[j->family].type_a, .is_sparse = true};
    for (unsigned w = 0; w < 4 && j->sparse; w++) {
        uint32_t e[32] = {0};
        exact_metadata(&f, (const uint8_t(*)[64])j->step[n].column[16 * w], j->selector, e);
        for (unsigned lane = 0; lane < 32; lane++)
            put(j->before + FACTORS_AT + ((n * THREADS + 32 * w + lane) * WORDS + 4) * 4, 32, e[lane]);
    }
}

static unsigned registers_of(const struct job *j)
{
    return families[j->family].type_d == TYPE_F16 ? j->n / 4 : j->n / 2;
}

// Byte of the sum in row and column: register 2 * (column / 8) + ... of lane 4 * (row % 8) + column % 8 / 2.
static unsigned sum_at(const struct job *j, unsigned row, unsigned c)
{
    unsigned t = row / 16 * 32 + row % 8 * 4 + c % 8 / 2, i = c / 8 * 4 + row % 16 / 8 * 2 + c % 2;
    unsigned size = families[j->family].type_d == TYPE_F16 ? 2 : 4;
    return SUMS_AT + t * 128 * 4 + i * size;
}

static void model(struct rng *r, struct job *j)
{
    unsigned size = families[j->family].type_d == TYPE_F16 ? 16 : 32;
    place_factors(r, j);
    for (unsigned n = 0; n < j->steps; n++) place_metadata(j, n);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned c = 0; c < j->n; c++) {
            j->sums[row][c] = draw_sum(r, families[j->family].type_d);
            put(j->before + sum_at(j, row, c), size, j->sums[row][c]);
        }
    memcpy(j->after, j->before, ALL);
    for (unsigned n = 0; n < j->steps; n++) model_step(j, n);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned c = 0; c < j->n; c++) put(j->after + sum_at(j, row, c), size, j->sums[row][c]);
}

// -- runs ---------------------------------------------------------------------------------------------------

static void write_head(struct strbuf *b)
{
    strbuf_printf(
        b,
        ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
        ".visible .entry k(.param .u64 data)\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<9>, %%a<5>, %%d<128>;\n"
        ".reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [data];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\n"
        "mad.lo.u32 %%r2, %%r0, 4, %%r1;\nmul.wide.u32 %%rd2, %%r0, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\n"
        "mov.u32 %%r3, 0;\nF: ld.global.u32 %%r4, [%%rd2];\nst.shared.u32 [%%r2], %%r4;\n"
        "add.u64 %%rd2, %%rd2, 512;\nadd.u32 %%r2, %%r2, 512;\nadd.u32 %%r3, %%r3, 512;\n"
        "setp.lt.u32 %%p1, %%r3, %u;\n@%%p1 bra F;\nfence.proxy.async;\nbar.sync 0;\n"
        "mul.wide.u32 %%rd3, %%r0, %u;\nadd.u64 %%rd3, %%rd1, %%rd3;\nadd.u64 %%rd3, %%rd3, %u;\n"
        "mul.wide.u32 %%rd4, %%r0, 512;\nadd.u64 %%rd4, %%rd1, %%rd4;\nadd.u64 %%rd4, %%rd4, %u;\n",
        SHARED, WORDS * 4, FACTORS_AT, SUMS_AT);
}

static void write_sums(struct strbuf *b, unsigned count, bool is_store)
{
    for (unsigned n = 0; n < count; n++)
        if (is_store)
            strbuf_printf(b, "st.global.u32 [%%rd4+%u], %%d%u;\n", 4 * n, n);
        else
            strbuf_printf(b, "ld.global.u32 %%d%u, [%%rd4+%u];\n", n, 4 * n);
}

static void write_list(struct strbuf *b, char name, unsigned count)
{
    for (unsigned n = 0; n < count; n++) strbuf_printf(b, "%s%%%c%u", n ? "," : "{", name, n);
    strbuf_puts(b, "}");
}

static void write_step(const struct job *j, unsigned n, struct strbuf *b)
{
    const struct step *s = &j->step[n];
    unsigned at = n * THREADS * WORDS * 4;
    for (unsigned w = 0; w < WORDS; w++)
        strbuf_printf(b, "ld.global.u32 %%a%u, [%%rd3+%u];\n", w, at + 4 * w);
    strbuf_printf(b, "mov.u64 %%rd5, %llu;\nmov.u64 %%rd6, %llu;\nsetp.eq.u32 %%p2, %d, 1;\n",
                  (unsigned long long)descriptor_of(&s->a), (unsigned long long)descriptor_of(&s->b),
                  s->adds);
    strbuf_printf(b, "wgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s%s ",
                  j->sparse ? ".sp" : "", j->n, j->k, j->clamps ? ".satfinite" : "", families[j->family].d,
                  families[j->family].a, families[j->family].b, bits_of(j) == 1 ? ".and.popc" : "");
    write_list(b, 'd', registers_of(j));
    strbuf_puts(b, ", ");
    if (s->by_register)
        write_list(b, 'a', 4);
    else
        strbuf_puts(b, "%rd5");
    strbuf_puts(b, ", %rd6, ");
    if (j->sparse) strbuf_printf(b, "%%a4, %u, ", j->selector);
    strbuf_puts(b, "%p2");
    if (!is_integer(j)) strbuf_printf(b, ", %d, %d", s->minus_a ? -1 : 1, s->minus_b ? -1 : 1);
    if (bits_of(j) == 16 && !s->by_register) strbuf_printf(b, ", %d", s->a.turned);
    if (bits_of(j) == 16) strbuf_printf(b, ", %d", s->b.turned);
    strbuf_puts(b, ";\n");
    if (s->closes) strbuf_puts(b, "wgmma.commit_group.sync.aligned;\n");
    if (s->closes && s->by_register) strbuf_puts(b, "wgmma.wait_group.sync.aligned 0;\n");
}

static void write_kernel(const struct job *j, struct strbuf *b)
{
    write_head(b);
    write_sums(b, registers_of(j), false);
    for (unsigned n = 0; n < j->steps; n++) write_step(j, n, b);
    strbuf_printf(b,
                  "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned "
                  "%u;\nwgmma.wait_group.sync.aligned 0;\n",
                  j->pending);
    write_sums(b, registers_of(j), true);
    strbuf_puts(b, "ret;\n}\n");
}

struct way {
    const char *gpu, *tech, *keys[2][2];
};

static const struct way ways[] = {
    {.keys = {{"exec.async", "early"}, {"exec.isa", "general"}}},
    {.keys = {{"exec.async", "early"}, {"compile.check", "1"}}},
    {.keys = {{"exec.async", "late"}, {"check.races", "1"}}},
    {.keys = {{"exec.async", "late"}, {"compile.optimise", "0"}}},
    {.gpu = "h100"},
    {.gpu = "h100", .keys = {{"sim.check", "1"}, {"wgmma.queue", "1"}}},
    {.gpu = "h100", .tech = "darsie"},
    {.gpu = "h100", .tech = "decoupled"},
    {.gpu = "h100", .tech = "uv"},
    {.gpu = "h100", .tech = "rfcache"},
    {.gpu = "h100", .tech = "scalarise"},
    {.gpu = "h100", .tech = "gscalar"},
    {.gpu = "h100", .tech = "dac"},
    {.gpu = "h100", .tech = "cae"},
};

// Runs the text with `data`, ALL bytes, in place. False: a failure, reported.
static bool run(struct test *t, const struct way *way, const struct strbuf *text, uint8_t *data)
{
    struct wf_context *c = wf_context_create();
    if (way->gpu) wf_gpu(c, way->gpu);
    if (way->tech) CHECK(t, wf_tech(c, way->tech) == WF_OK);
    if (way->tech) wf_set_verify(c, true);
    for (unsigned k = 0; k < 2 && way->keys[k][0]; k++) wf_set(c, way->keys[k][0], way->keys[k][1]);
    struct wf_module *m = wf_module_load(c, "k.ptx", text->text, text->length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t at = wf_alloc(c, ALL);
    void *args[] = {&at};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .shared_bytes = SHARED};
    struct wf_stats stats = {.races = 0};
    if (k) wf_write(c, at, data, ALL);
    enum wf_status status = k ? wf_launch(k, &shape, args, 1, &stats) : WF_BAD_INPUT;
    if (status == WF_OK) wf_read(c, at, data, ALL);
    bool good = status == WF_OK && (stats.races == WF_UNKNOWN || !stats.races);
    CHECK_MSG(t, good, "%s%s", wf_errors(c), stats.race_text ? stats.race_text : "");
    wf_context_destroy(c);
    return good;
}

static bool check_case(struct test *t, uint64_t seed)
{
    static struct job j;
    static uint8_t got[ALL];
    struct rng r;
    struct strbuf text = {0};
    rng_init(&r, seed);
    draw(&r, &j);
    model(&r, &j);
    write_kernel(&j, &text);
    bool good = true;
    for (unsigned way = 0; way < TEST_COUNT(ways) && good; way++) {
        memcpy(got, j.before, ALL);
        good = run(t, &ways[way], &text, got);
        unsigned n = 0;
        while (n < ALL && got[n] == j.after[n]) n++;
        good = good && n == ALL;
        unsigned row = 0, c = 0;
        for (unsigned at = 0; at < ROWS * j.n && n < ALL; at++)
            if (sum_at(&j, at / j.n, at % j.n) == n / 4 * 4) row = at / j.n, c = at % j.n;
        CHECK_MSG(t, good, "case %llu way %u: row %u column %u is %08x, expected %08x\n%s",
                  (unsigned long long)seed, way, row, c, n < ALL ? (unsigned)get(got + n / 4 * 4, 32) : 0,
                  n < ALL ? (unsigned)get(j.after + n / 4 * 4, 32) : 0, text.text);
    }
    strbuf_fini(&text);
    return good;
}

static void test_random(struct test *t)
{
    uint64_t first = test_seed(1), count = test_is_long() ? 20000 : 24;
    for (uint64_t seed = first; seed < first + count; seed++)
        if (!check_case(t, seed)) return;
}

// -- litmus -------------------------------------------------------------------------------------------------

// d is a ones matrix times itself, 16 in every sum. `between`: behind the commit.
static uint32_t litmus(struct test *t, const char *async, const char *between)
{
    static uint8_t data[ALL];
    struct strbuf text = {0};
    const struct way way = {.keys = {{"exec.async", async}}};
    memset(data, 0, sizeof data);
    for (unsigned at = 0; at < SHARED; at += 2) put(data + at, 16, 0x3c00);
    write_head(&text);
    write_sums(&text, 4, false);
    strbuf_printf(&text,
                  "mov.u64 %%rd5, 0x4000004000010000;\nwgmma.fence.sync.aligned;\n"
                  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%d0,%%d1,%%d2,%%d3}, %%rd5, %%rd5, 1, "
                  "1, 1, 0, 0;\n"
                  "wgmma.commit_group.sync.aligned;\n%s\n",
                  between);
    write_sums(&text, 4, true);
    strbuf_puts(&text, "wgmma.wait_group.sync.aligned 0;\nret;\n}\n");
    run(t, &way, &text, data);
    strbuf_fini(&text);
    return (uint32_t)get(data + SUMS_AT, 32);
}

// A sum read before the wait is the old one, and an overwritten factor the new one, if products are late.
static void test_waits(struct test *t)
{
    enum { SIXTEEN = 0x41800000 };
    static const char *const forgotten = "wgmma.wait_group.sync.aligned 1;";
    static const char *const reused =
        "bar.sync 0;\nmov.u32 %r5, 0;\nmad.lo.u32 %r6, %r0, 4, %r1;\nst.shared.u32 [%r6], %r5;\n"
        "st.shared.u32 [%r6+512], %r5;\nbar.sync 0;\nwgmma.wait_group.sync.aligned 0;";
    static const char *const right = "wgmma.wait_group.sync.aligned 0;";
    CHECK_EQ(t, litmus(t, "early", right), SIXTEEN);
    CHECK_EQ(t, litmus(t, "late", right), SIXTEEN);
    CHECK_EQ(t, litmus(t, "early", forgotten), SIXTEEN);
    CHECK_EQ(t, litmus(t, "late", forgotten), 0);
    CHECK_EQ(t, litmus(t, "early", reused), SIXTEEN);
    CHECK_EQ(t, litmus(t, "late", reused), 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"random", test_random}, {"waits", test_waits}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
