// kernels/include, the substitute for CUDA's headers when only clang is installed, checked by value. Every
// row of expressions.def is compiled by the documented command, run, and compared with its reference in C.
// Where nvcc is installed, the rows are also compiled with CUDA's own headers and compared. Fails where a row
// does not compile, or a result is off by more than its tolerance. Operands are edges and random numbers;
// --long takes many more and writes the measured errors to build/warpfold-accuracy.txt.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"
#include "kernels/values.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 128 };

struct operands {
    const void *a, *b, *c;
};
struct expected {
    u64 bits; // of the result, if exact
    ld value; // otherwise
};
struct row {
    const char *name;
    enum kind result, a, b, c;
    unsigned ulps;
    void (*reference)(struct operands o, size_t count, struct expected *expected);
};

#define X(NAME, R, A, B, C, EXPRESSION, REFERENCE, ULPS)                                                     \
    static void NAME##_reference(struct operands o, size_t count, struct expected *expected)                 \
    {                                                                                                        \
        const A *as = o.a;                                                                                   \
        const B *bs = o.b;                                                                                   \
        const C *cs = o.c;                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                                 \
            A a = as[i];                                                                                     \
            B b = bs[i];                                                                                     \
            C c = cs[i];                                                                                     \
            (void)a, (void)b, (void)c;                                                                       \
            expected[i] = (struct expected){0};                                                              \
            if (ULPS) {                                                                                      \
                expected[i].value = (ld)(REFERENCE);                                                         \
            } else {                                                                                         \
                R r = (R)(REFERENCE);                                                                        \
                memcpy(&expected[i].bits, &r, sizeof r);                                                     \
            }                                                                                                \
        }                                                                                                    \
    }
#include "expressions.def"
#undef X
static const struct row ROWS[] = {
#define X(NAME, R, A, B, C, EXPRESSION, REFERENCE, ULPS)                                                     \
    {#NAME, KIND_##R, KIND_##A, KIND_##B, KIND_##C, ULPS, NAME##_reference},
#include "expressions.def"
#undef X
};

// -- running a row ------------------------------------------------------------------------------------------
struct run {
    struct wf_context *context;
    struct wf_module *module; // NULL: no compiler, or a compile error
    size_t count;             // threads
};

static uint64_t upload(struct run *run, const void *bytes, size_t size)
{
    uint64_t address = wf_alloc(run->context, size);
    wf_write(run->context, address, bytes, size);
    return address;
}

// Results of a row's kernel for the operands, heap; NULL, and a failed check, if the kernel does not run.
static void *run_row(struct test *t, struct run *run, const struct row *row, struct operands o)
{
    char name[100];
    snprintf(name, sizeof name, "%s_row", row->name);
    size_t n = run->count, size = values_size(row->result) * n;
    float *fours = calloc(4 * n, sizeof *fours);
    for (size_t i = 0; i < 4 * n; i++) fours[i] = (float)(i % 4);
    void *out = calloc(1, size);
    uint64_t at[] = {upload(run, out, size),
                     upload(run, o.a, n * values_size(row->a)),
                     upload(run, o.b, n * values_size(row->b)),
                     upload(run, o.c, n * values_size(row->c)),
                     upload(run, o.a, n * values_size(row->a)),
                     upload(run, fours, 4 * n * sizeof *fours)};
    void *arguments[TEST_COUNT(at)];
    for (size_t i = 0; i < TEST_COUNT(at); i++) arguments[i] = &at[i];
    struct wf_launch_config shape = {
        .grid = {(uint32_t)(n / BLOCK), 1, 1}, .block = {BLOCK, 1, 1}, .shared_bytes = BLOCK * 4};
    struct wf_kernel *kernel = wf_kernel_find(run->module, name);
    bool ran = kernel && wf_launch(kernel, &shape, arguments, TEST_COUNT(at), NULL) == WF_OK;
    CHECK_MSG(t, ran, "%s does not run: %s", row->name, wf_errors(run->context));
    wf_clear_errors(run->context);
    wf_read(run->context, at[0], out, size);
    for (size_t i = 0; i < TEST_COUNT(at); i++) wf_free(run->context, at[i]);
    free(fours);
    if (ran) return out;
    free(out);
    return NULL;
}

// -- comparing ----------------------------------------------------------------------------------------------
static u64 bits_at(const void *values, enum kind kind, size_t i)
{
    u64 bits = 0;
    size_t size = values_size(kind);
    memcpy(&bits, (const char *)values + i * size, size);
    return bits;
}
static ld real_of(u64 bits, enum kind kind)
{
    return kind == KIND_f32 ? (ld)float_of((u32)bits) : (ld)double_of(bits);
}
static bool is_real(enum kind kind) { return kind == KIND_f32 || kind == KIND_f64; }
static bool is_nan(u64 bits, enum kind kind)
{
    return is_real(kind) ? real_of(bits, kind) != real_of(bits, kind) : false;
}
// Maps every NaN of a half or bfloat in bits to one pattern.
static u64 plain(u64 bits, const struct row *row)
{
    bool half_nan = row->result == KIND_u16 && str_starts_with(row->name, "half") && (bits & 0x7fff) > 0x7c00;
    bool bfloat_nan = row->result == KIND_u16 && strstr(row->name, "bfloat") && (bits & 0x7fff) > 0x7f80;
    half_nan |=
        row->result == KIND_u16 && str_starts_with(row->name, "float2half") && (bits & 0x7fff) > 0x7c00;
    return half_nan || bfloat_nan ? 0x7fff : bits;
}

// Distance of a result from a number, in units of the last place of the format at the number. Infinity counts
// as the successor of the greatest number.
static ld ulps_between(u64 bits, ld value, enum kind kind)
{
    int digits = kind == KIND_f32 ? FLT_MANT_DIG : DBL_MANT_DIG,
        least = kind == KIND_f32 ? FLT_MIN_EXP : DBL_MIN_EXP,
        most = kind == KIND_f32 ? FLT_MAX_EXP : DBL_MAX_EXP;
    ld got = real_of(bits, kind), end = ldexpl(1, most);
    if (got != got || value != value) return (got != got) == (value != value) ? 0 : INFINITY;
    got = fmaxl(fminl(got, end), -end);
    value = fmaxl(fminl(value, end), -end);
    int exponent = value == 0 ? least : ilogbl(value) + 1;
    if (exponent < least) exponent = least;
    if (exponent > most) exponent = most;
    return fabsl(got - value) / ldexpl(1, exponent - digits);
}

// False where the guide promises no relative error: lgamma near its zeros between -11 and
// -2 has an absolute error only.
static bool is_promised(const struct row *row, struct operands o, size_t i)
{
    if (!str_starts_with(row->name, "lgamma")) return true;
    ld a = real_of(bits_at(o.a, row->a, i), row->a);
    return !(a > -11.0001L && a < -2.2637L);
}

static void describe(const struct row *row, struct operands o, size_t i, char text[200])
{
    const void *operands[] = {o.a, o.b, o.c};
    enum kind kinds[] = {row->a, row->b, row->c};
    size_t length = 0;
    for (unsigned k = 0; k < 3 && kinds[k] != KIND_none; k++) {
        u64 bits = bits_at(operands[k], kinds[k], i);
        bool real = values_size(kinds[k]) >= 4 && kinds[k] >= KIND_f32;
        ld value = real ? (values_size(kinds[k]) == 4 ? (ld)float_of((u32)bits) : (ld)double_of(bits)) : 0;
        length += (size_t)(real ? snprintf(text + length, 200 - length, "%s%.17Lg (0x%llx)", k ? ", " : "",
                                           value, bits)
                                : snprintf(text + length, 200 - length, "%s0x%llx", k ? ", " : "", bits));
    }
}

// The greatest error of a row; reports the first wrong result.
static ld check_row(struct test *t, const struct row *row, struct operands o, size_t count, const void *got,
                    const struct expected *expected)
{
    ld worst = 0;
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        u64 bits = bits_at(got, row->result, i);
        bool good;
        ld off = 0;
        if (row->ulps) {
            off = is_promised(row, o, i) ? ulps_between(bits, expected[i].value, row->result) : 0;
            good = off <= row->ulps && (expected[i].value != 0 || bits == 0 || is_nan(bits, row->result) ||
                                        signbit(expected[i].value));
        } else {
            good = plain(bits, row) == plain(expected[i].bits, row) ||
                   (is_nan(bits, row->result) && is_nan(expected[i].bits, row->result));
        }
        worst = fmaxl(worst, off);
        char where[200] = "";
        if (good || wrong++) continue;
        describe(row, o, i, where);
        if (row->ulps)
            test_fail(t, __FILE__, __LINE__,
                      "%s of %s is %.17Lg, not %.21Lg: %.2Lf units in the last place, %u are allowed",
                      row->name, where, real_of(bits, row->result), expected[i].value, off, row->ulps);
        else
            test_fail(t, __FILE__, __LINE__, "%s of %s is 0x%llx, not 0x%llx", row->name, where, bits,
                      expected[i].bits);
    }
    CHECK_MSG(t, wrong < 2, "%s: %u of %zu results are wrong", row->name, wrong, count);
    return worst;
}

static void check_equal(struct test *t, const struct row *row, struct operands o, size_t count,
                        const void *ours, const void *nvcc)
{
    for (size_t i = 0; i < count; i++) {
        u64 x = bits_at(ours, row->result, i), y = bits_at(nvcc, row->result, i);
        bool same = plain(x, row) == plain(y, row) || (is_nan(x, row->result) && is_nan(y, row->result)) ||
                    (row->ulps && (!is_promised(row, o, i) ||
                                   (ulps_between(x, real_of(y, row->result), row->result) <= 2 * row->ulps)));
        if (same) continue;
        char where[200] = "";
        describe(row, o, i, where);
        test_fail(t, __FILE__, __LINE__, "%s of %s is 0x%llx by clang and 0x%llx by nvcc", row->name, where,
                  x, y);
        return;
    }
}

// -- cases --------------------------------------------------------------------------------------------------
// A compiler message naming an expression is a failure.
static bool compile(struct test *t, const char *command)
{
    struct strbuf full = {0};
    char *out;
    strbuf_printf(&full, "{ %s; } 2>&1", command);
    int status = test_command(strbuf_text(&full), 300, &out, NULL);
    for (char *line = strtok(out, "\n"); status && line; line = strtok(NULL, "\n"))
        if (strstr(line, "error")) test_fail(t, __FILE__, __LINE__, "%s", line);
    CHECK_MSG(t, status == 0, "%s ends with status %d", command, status);
    strbuf_fini(&full);
    free(out);
    return status == 0;
}

static struct run start(struct test *t, const char *compiler, const char *options)
{
    struct run run = {.context = wf_context_create(), .count = test_is_long() ? 16384 : 2048};
    char command[1000], path[600];
    snprintf(path, sizeof path, "%s/%s.ptx", test_directory(t), compiler);
    snprintf(command, sizeof command, "kernels/make-ptx %s tests/kernels/expressions.cu %s %s", compiler,
             path, options);
    if (compile(t, command)) {
        run.module = wf_module_load_file(run.context, path);
        CHECK_MSG(t, run.module, "%s", wf_errors(run.context));
    }
    return run;
}

static struct operands make_operands(const struct row *row, size_t count)
{
    void *values[3];
    enum kind kinds[] = {row->a, row->b, row->c};
    for (unsigned k = 0; k < 3; k++) {
        values[k] = calloc(count, 8);
        values_fill(kinds[k], k, values[k], count);
    }
    return (struct operands){values[0], values[1], values[2]};
}
static void free_operands(struct operands o)
{
    free((void *)o.a);
    free((void *)o.b);
    free((void *)o.c);
}

static void write_accuracy(struct test *t, const ld *worst)
{
    struct strbuf page = {0};
    char path[600];
    snprintf(path, sizeof path, "%s-accuracy.txt", test_binary());
    for (size_t i = 0; i < TEST_COUNT(ROWS); i++)
        if (ROWS[i].ulps) strbuf_printf(&page, "%s %u %.2Lf\n", ROWS[i].name, ROWS[i].ulps, worst[i]);
    test_write_file(t, path, page.text, page.length);
    strbuf_fini(&page);
}

static void test_reference(struct test *t)
{
    if (!test_has_tool("clang")) {
        test_skip_tool(t, "clang");
        return;
    }
    ld worst[TEST_COUNT(ROWS)] = {0};
    struct run run = start(t, "clang", "-Wall -Wextra -Werror");
    struct expected *expected = calloc(run.count, sizeof *expected);
    for (size_t i = 0; run.module && i < TEST_COUNT(ROWS); i++) {
        struct operands o = make_operands(&ROWS[i], run.count);
        void *got = run_row(t, &run, &ROWS[i], o);
        ROWS[i].reference(o, run.count, expected);
        if (got) worst[i] = check_row(t, &ROWS[i], o, run.count, got, expected);
        free(got);
        free_operands(o);
    }
    if (test_is_long()) write_accuracy(t, worst);
    free(expected);
    wf_context_destroy(run.context);
}

// nvcc compiles these to video instructions, unsupported by warpfold (docs/reference/ptx.md).
static bool nvcc_writes_video(const struct row *row)
{
    static const char *const names[] = {"vsadu2", "vsadu4", "vabsdiffs4", "vabsdiffu4", "vabs4", "vabsss4"};
    for (size_t i = 0; i < TEST_COUNT(names); i++)
        if (str_equal(row->name, names[i])) return true;
    return false;
}

static void test_nvcc(struct test *t)
{
    if (!test_has_tool("clang") || !test_has_tool("nvcc")) {
        test_skip(t, "nvcc with CUDA's own headers, or clang, is not installed");
        return;
    }
    struct run ours = start(t, "clang", ""), theirs = start(t, "nvcc", "--expt-relaxed-constexpr -w");
    for (size_t i = 0; ours.module && theirs.module && i < TEST_COUNT(ROWS); i++) {
        if (nvcc_writes_video(&ROWS[i])) continue;
        struct operands o = make_operands(&ROWS[i], ours.count);
        void *x = run_row(t, &ours, &ROWS[i], o), *y = run_row(t, &theirs, &ROWS[i], o);
        if (x && y) check_equal(t, &ROWS[i], o, ours.count, x, y);
        free(x);
        free(y);
        free_operands(o);
    }
    wf_context_destroy(ours.context);
    wf_context_destroy(theirs.context);
}

static void test_many(struct test *t) { CHECK(t, TEST_COUNT(ROWS) >= 300); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"many", test_many}, {"reference", test_reference}, {"nvcc", test_nvcc}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
