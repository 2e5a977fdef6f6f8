// wmma of every shape and type as PTX: matrices in rows and in columns, with and without room between lines, in global, shared and
// generic memory, c and d of one type or of two. Elements are small enough that sums are exact in f32; sums in f16 are rounded once, to
// nearest even. Functional and timed.
#include "api/warpfold.h"
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <math.h>
#include <string.h>

enum type { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, B1, S32 };

static const struct {
    const char *text, *kept; // `kept`: the type of a fragment's registers
    unsigned bits, fraction;
} types[] = {
    [F16] = {"f16", "b32", 16, 10}, [BF16] = {"bf16", "b32", 16, 7}, [TF32] = {"tf32", "b32", 32, 23},
    [F32] = {"f32", "f32", 32, 23}, [F64] = {"f64", "f64", 64, 52},  [S8] = {"s8", "b32", 8, 0},
    [U8] = {"u8", "b32", 8, 0},     [S4] = {"s4", "b32", 4, 0},      [U4] = {"u4", "b32", 4, 0},
    [B1] = {"b1", "b32", 1, 0},     [S32] = {"s32", "b32", 32, 0}};

// Registers of the fragments of a, b, c and d (PTX ISA 9.7.14.3).
static const struct form {
    unsigned m, n, k;
    enum type ab, c, d;
    unsigned registers[4];
    // Of .b1; .satfinite of an f16 d: sums pass the range, and c has a NaN and infinities.
    const char *operation;
} forms[] = {
    {16, 16, 16, F16, F32, F32, {8, 8, 8, 8}, ""},
    {32, 8, 16, F16, F32, F32, {8, 8, 8, 8}, ""},
    {8, 32, 16, F16, F32, F32, {8, 8, 8, 8}, ""},
    {16, 16, 16, F16, F16, F16, {8, 8, 4, 4}, ""},
    {32, 8, 16, F16, F16, F16, {8, 8, 4, 4}, ""},
    {8, 32, 16, F16, F16, F16, {8, 8, 4, 4}, ""},
    {16, 16, 16, F16, F32, F16, {8, 8, 8, 4}, ""},
    {32, 8, 16, F16, F32, F16, {8, 8, 8, 4}, ""},
    {8, 32, 16, F16, F32, F16, {8, 8, 8, 4}, ""},
    {16, 16, 16, F16, F16, F32, {8, 8, 4, 8}, ""},
    {32, 8, 16, F16, F16, F32, {8, 8, 4, 8}, ""},
    {8, 32, 16, F16, F16, F32, {8, 8, 4, 8}, ""},
    {16, 16, 16, F16, F16, F16, {8, 8, 4, 4}, ".satfinite"},
    {32, 8, 16, F16, F32, F16, {8, 8, 8, 4}, ".satfinite"},
    {16, 16, 16, BF16, F32, F32, {4, 4, 8, 8}, ""},
    {32, 8, 16, BF16, F32, F32, {8, 2, 8, 8}, ""},
    {8, 32, 16, BF16, F32, F32, {2, 8, 8, 8}, ""},
    {16, 16, 8, TF32, F32, F32, {4, 4, 8, 8}, ""},
    {8, 8, 4, F64, F64, F64, {1, 1, 2, 2}, ""},
    {16, 16, 16, S8, S32, S32, {2, 2, 8, 8}, ""},
    {32, 8, 16, S8, S32, S32, {4, 1, 8, 8}, ""},
    {8, 32, 16, S8, S32, S32, {1, 4, 8, 8}, ""},
    {16, 16, 16, U8, S32, S32, {2, 2, 8, 8}, ""},
    {32, 8, 16, U8, S32, S32, {4, 1, 8, 8}, ""},
    {8, 32, 16, U8, S32, S32, {1, 4, 8, 8}, ""},
    {8, 8, 32, S4, S32, S32, {1, 1, 2, 2}, ""},
    {8, 8, 32, U4, S32, S32, {1, 1, 2, 2}, ""},
    {8, 8, 128, B1, S32, S32, {1, 1, 2, 2}, ".xor.popc"},
    {8, 8, 128, B1, S32, S32, {1, 1, 2, 2}, ".and.popc"},
};

static bool is_finite(const struct form *f) { return str_equal(f->operation, ".satfinite"); }

// -- elements -----------------------------------------------------------------------------------------------

// Rounds to the type, to nearest even; values are 0 or normal.
static uint64_t bits_of(enum type type, double v)
{
    if (types[type].fraction == 0) return (uint64_t)(int64_t)v;
    if (type == F64) return f64_bits(v);
    if (type == F32 || type == TF32) return f32_bits((float)v);
    unsigned fraction = types[type].fraction;
    int bias = type == F16 ? 15 : 127;
    if (v == 0) return 0;
    double field = rint(ldexp(fabs(v), (int)fraction - ilogb(v)));
    uint64_t magnitude =
        ((uint64_t)(ilogb(v) + bias - 1) << fraction) + (uint64_t)field; // field has the leading 1
    return magnitude | (v < 0 ? 0x8000u : 0);
}

// Factors are whole. Addends of floats have steps of 1/64 unless every step of the sum is rounded to f16.
static double draw(struct rng *g, enum type type, bool is_factor, bool is_whole)
{
    int x = (int)(rng_next(g) % 4096);
    switch ((int)type) {
    case U8: return x % 256;
    case S8: return x % 256 - 128;
    case U4: return x % 16;
    case S4: return x % 16 - 8;
    case B1: return x % 2;
    case S32: return x * 1000 - 2000000;
    default: return is_factor ? x % 17 - 8 : is_whole ? x % 65 - 32 : (x - 2048) / 64.0;
    }
}

// A matrix in memory, and its values by row and column.
struct matrix {
    enum type type;
    unsigned rows, columns, stride; // stride: elements from line to line
    bool by_column;
    uint8_t bytes[32 * 64 * 8];
    double values[32 * 32 * 4];
};

static unsigned place_of(const struct matrix *m, unsigned row, unsigned column)
{
    return m->by_column ? column * m->stride + row : row * m->stride + column;
}

static unsigned bytes_of(const struct matrix *m)
{
    unsigned lines = m->by_column ? m->columns : m->rows;
    return lines * m->stride * types[m->type].bits / 8;
}

static void put(struct matrix *m, unsigned row, unsigned column, uint64_t bits)
{
    unsigned size = types[m->type].bits, at = place_of(m, row, column) * size;
    if (size >= 8) {
        memcpy(m->bytes + at / 8, &bits, size / 8);
        return;
    }
    unsigned mask = ((1u << size) - 1) << at % 8;
    m->bytes[at / 8] = (uint8_t)((m->bytes[at / 8] & ~mask) | (bits << at % 8 & mask));
}

// Lines are multiples of 16 bytes; `room`: 16 bytes more.
static void matrix_init(struct matrix *m, enum type type, unsigned rows, unsigned columns, bool by_column,
                        bool room)
{
    unsigned unit = 128 / types[type].bits, side = by_column ? rows : columns;
    *m = (struct matrix){.type = type, .rows = rows, .columns = columns, .by_column = by_column};
    m->stride = (side + unit - 1) / unit * unit + (room ? unit : 0);
}

static void matrix_draw(struct matrix *m, struct rng *g, bool is_factor, bool is_whole)
{
    for (unsigned r = 0; r < m->rows; r++)
        for (unsigned c = 0; c < m->columns; c++) {
            double v = draw(g, m->type, is_factor, is_whole);
            m->values[r * m->columns + c] = v;
            put(m, r, c, bits_of(m->type, v));
        }
}

// -- the program --------------------------------------------------------------------------------------------

enum space { GENERIC, GLOBAL, SHARED };
static const char *const spaces[] = {"", ".global", ".shared"};
static const char names[] = "abcd";

static const char *layout_of(const struct matrix *m) { return m->by_column ? "col" : "row"; }

static void write_fragment(struct strbuf *out, unsigned which, unsigned count)
{
    for (unsigned k = 0; k < count; k++) strbuf_printf(out, "%s%%%c%u", k ? "," : "{", names[which], k);
    strbuf_puts(out, "}");
}

// Copies words, a warp at a time.
static void write_copy(struct strbuf *out, unsigned which, unsigned bytes, bool to_shared)
{
    char x = names[which], label = to_shared ? x : 'r';
    strbuf_printf(out,
                  "mov.u32 %%i, %%tid.x;\nloop_%c:\nsetp.ge.u32 %%p, %%i, %u;\n@%%p bra end_%c;\n"
                  "mul.wide.u32 %%to, %%i, 4;\nadd.u64 %%to, %%to, %%at%c;\nshl.b32 %%s, %%i, 2;\n"
                  "mov.u32 %%base, s%c;\nadd.u32 %%s, %%s, %%base;\n",
                  label, bytes / 4, label, x, x);
    strbuf_puts(out, to_shared ? "ld.global.u32 %word, [%to];\nst.shared.u32 [%s], %word;\n"
                               : "ld.shared.u32 %word, [%s];\nst.global.u32 [%to], %word;\n");
    strbuf_printf(out, "add.u32 %%i, %%i, 32;\nbra loop_%c;\nend_%c:\nbar.sync 0;\n", label, label);
}

static void write_access(struct strbuf *out, const struct form *f, const struct matrix *m, unsigned which,
                         enum space space)
{
    bool is_store = which == 3;
    strbuf_printf(out, "wmma.%s.%c.sync.aligned.%s.m%un%uk%u%s.%s ", is_store ? "store" : "load",
                  names[which], layout_of(m), f->m, f->n, f->k, spaces[space], types[m->type].text);
    if (!is_store) write_fragment(out, which, f->registers[which]), strbuf_puts(out, ", ");
    strbuf_printf(out, space == SHARED ? "[s%c]" : "[%%at%c]", names[which]);
    if (is_store) strbuf_puts(out, ", "), write_fragment(out, which, f->registers[which]);
    strbuf_printf(out, ", %u;\n", m->stride);
}

static void write_product(struct strbuf *out, const struct form *f, const struct matrix *m)
{
    strbuf_printf(out, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u.%s", is_finite(f) ? "" : f->operation,
                  layout_of(&m[0]), layout_of(&m[1]), f->m, f->n, f->k, types[f->d].text);
    if (f->ab != F16) strbuf_printf(out, ".%s.%s", types[f->ab].text, types[f->ab].text);
    strbuf_printf(out, ".%s%s ", types[f->c].text, is_finite(f) ? ".satfinite" : "");
    write_fragment(out, 3, f->registers[3]);
    for (unsigned which = 0; which < 3; which++)
        strbuf_puts(out, ", "), write_fragment(out, which, f->registers[which]);
    strbuf_puts(out, ";\n");
}

static void write_program(struct strbuf *out, const struct form *f, const struct matrix *m, enum space space)
{
    strbuf_puts(out,
                ".version 8.0\n.target sm_80\n.address_size 64\n"
                ".visible .entry product(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
                ".reg .pred %p;\n.reg .b32 %i, %s, %base, %word;\n.reg .b64 %to;\n");
    for (unsigned which = 0; which < 4; which++) {
        strbuf_printf(out, ".reg .b64 %%at%c;\n.reg .%s %%%c<8>;\n", names[which], types[m[which].type].kept,
                      names[which]);
        if (space == SHARED)
            strbuf_printf(out, ".shared .align 32 .b8 s%c[%u];\n", names[which], bytes_of(&m[which]));
    }
    for (unsigned which = 0; which < 4; which++) {
        strbuf_printf(out, "ld.param.u64 %%at%c, [p%c];\n", names[which], names[which]);
        if (space == SHARED) write_copy(out, which, bytes_of(&m[which]), true);
    }
    for (unsigned which = 0; which < 3; which++) write_access(out, f, &m[which], which, space);
    write_product(out, f, m);
    write_access(out, f, &m[3], 3, space);
    if (space == SHARED) {
        strbuf_puts(out, "bar.sync 0;\n");
        write_copy(out, 3, bytes_of(&m[3]), false);
    }
    strbuf_puts(out, "ret;\n}\n");
}

// -- runs ---------------------------------------------------------------------------------------------------

static double product_of(const struct form *f, const struct matrix *m, unsigned row, unsigned column)
{
    double sum = m[2].values[row * f->n + column];
    for (unsigned k = 0; k < f->k; k++) {
        double x = m[0].values[row * f->k + k], y = m[1].values[k * f->n + column];
        sum += f->ab != B1 ? x * y : strstr(f->operation, "xor") ? x != y : x * y;
    }
    return sum;
}

static void put_value(struct matrix *m, unsigned place, double v, uint64_t bits)
{
    m->values[place] = v;
    put(m, place / m->columns, place % m->columns, bits);
}

static double scale(double v, unsigned row) { return fabs(v) * (row % 2 ? -512 : 512); }

// For .satfinite: sums of a row have one sign, so none returns from beyond the range, and are multiples of 512, so none is rounded. c
// has a NaN and infinities.
static void make_extreme(struct matrix *m)
{
    const struct {
        double value;
        uint64_t half, single;
    } extremes[] = {
        {NAN, 0x7e00, 0x7fc00000}, {INFINITY, 0x7c00, 0x7f800000}, {-INFINITY, 0xfc00, 0xff800000}};
    for (unsigned which = 0; which < 3; which++)
        for (unsigned k = 0; k < m[which].rows * m[which].columns; k++) {
            double v = m[which].values[k];
            v = which == 1 ? fabs(v) : scale(which ? trunc(v) : v, k / m[which].columns);
            put_value(&m[which], k, v, bits_of(m[which].type, v));
        }
    for (unsigned k = 0; k < TEST_COUNT(extremes); k++)
        put_value(&m[2], 7 * k + 3, extremes[k].value,
                  m[2].type == F16 ? extremes[k].half : extremes[k].single);
}

static double make_finite(double v) { return isnan(v) ? 0 : fmin(fmax(v, -65504), 65504); }

// One product; what lies between the lines of d stays.
static void check_form(struct test *t, const char *gpu, const struct form *f, unsigned round, struct rng *g)
{
    static struct matrix m[4], want;
    enum space space = round % 3;
    bool is_small = types[f->ab].bits < 8, is_whole = f->c == F16 && f->d == F16, room = rng_next(g) % 2;
    unsigned layouts = (unsigned)rng_next(g);
    matrix_init(&m[0], f->ab, f->m, f->k, is_small ? false : layouts & 1, room);
    matrix_init(&m[1], f->ab, f->k, f->n, is_small ? true : layouts & 2, room);
    matrix_init(&m[2], f->c, f->m, f->n, layouts & 4, room);
    matrix_init(&m[3], f->d, f->m, f->n, layouts & 8, room);
    for (unsigned which = 0; which < 3; which++) matrix_draw(&m[which], g, which < 2, is_whole);
    if (is_finite(f)) make_extreme(m);
    memset(m[3].bytes, 0xa5, sizeof m[3].bytes);
    want = m[3];
    for (unsigned r = 0; r < f->m; r++)
        for (unsigned c = 0; c < f->n; c++) {
            double v = product_of(f, m, r, c);
            put(&want, r, c, bits_of(f->d, is_finite(f) ? make_finite(v) : v));
        }

    struct strbuf text = {0};
    struct wf_context *context = wf_context_create();
    if (gpu) CHECK(t, wf_gpu(context, gpu) == WF_OK);
    write_program(&text, f, m, space);
    struct wf_module *module = wf_module_load(context, "product.ptx", strbuf_text(&text), text.length);
    struct wf_kernel *kernel = module ? wf_kernel_find(module, "product") : NULL;
    uint64_t at[4];
    void *args[4];
    for (unsigned which = 0; which < 4; which++) {
        at[which] = wf_alloc(context, sizeof m[which].bytes);
        wf_write(context, at[which], m[which].bytes, sizeof m[which].bytes);
        args[which] = &at[which];
    }
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    bool good = kernel && wf_launch(kernel, &shape, args, 4, NULL) == WF_OK;
    CHECK_MSG(t, good, "%s\n%s", wf_errors(context), strbuf_text(&text));
    if (good) {
        wf_read(context, at[3], m[3].bytes, sizeof m[3].bytes);
        CHECK_MSG(t, memcmp(m[3].bytes, want.bytes, sizeof want.bytes) == 0, "d is wrong:\n%s",
                  strbuf_text(&text));
    }
    strbuf_fini(&text);
    wf_context_destroy(context);
}

static void check_forms(struct test *t, const char *gpu, unsigned rounds)
{
    struct rng g;
    rng_init(&g, 47);
    for (size_t k = 0; k < TEST_COUNT(forms); k++)
        for (unsigned round = 0; round < rounds; round++) check_form(t, gpu, &forms[k], round, &g);
}

static void test_functional(struct test *t) { check_forms(t, NULL, 24); }
static void test_timed(struct test *t) { check_forms(t, "h100", 3); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"functional", test_functional}, {"timed", test_timed}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
