// Arbitrary bytes: no crash, no hang, always a module or a message, and parse time linear in the length of
// the text.
#include "base/rng.h"
#include "harness/files.h"
#include "support.h"

#include <malloc.h>
#include <string.h>
#include <time.h>

static void check_any(struct test *t, const char *what, const char *text, size_t length)
{
    struct strbuf messages = {0};
    char *exact = malloc(length ? length : 1); // exact size: a sanitizer detects a read past the end
    memcpy(exact, text, length);
    struct ptx_module *m = support_parse("any", exact, length, &messages);
    CHECK_MSG(t, m || messages.length, "%s: no module and no message", what);
    ptx_module_free(m);
    strbuf_fini(&messages);
    free(exact);
}

static const char sample_path[] = "tests/fuzz/corpus/ptx/module.ptx";

static void test_truncated(struct test *t)
{
    size_t length;
    char *text = test_read_file(t, sample_path, &length);
    for (size_t cut = 0; cut < length; cut++) check_any(t, "truncated", text, cut);
    free(text);
}

// Between 1 and 8 bytes changed, copied, removed or repeated.
static void test_mutated(struct test *t)
{
    size_t length;
    char *text = test_read_file(t, sample_path, &length);
    struct rng r;
    rng_init(&r, test_seed(1));
    unsigned rounds = test_is_long() ? 200000 : test_is_quick() ? 2000 : 10000;
    char *copy = malloc(length + 64);
    for (unsigned round = 0; text && round < rounds; round++) {
        size_t n = length;
        memcpy(copy, text, n);
        for (uint64_t change = 0, changes = 1 + rng_next(&r) % 8; change < changes; change++) {
            size_t where = rng_next(&r) % n, from = rng_next(&r) % n, size = 1 + rng_next(&r) % 8;
            if (where + size > n) size = n - where;
            if (from + size > n) from = n - size;
            switch (rng_next(&r) % 3) {
            case 0: copy[where] = (char)rng_next(&r); break;
            case 1: memmove(copy + where, copy + from, size); break;
            default:
                memmove(copy + where, copy + where + size, n - where - size);
                if (n > size + 100) n -= size;
            }
        }
        check_any(t, "mutated", copy, n);
    }
    free(copy);
    free(text);
}

// `count` times `repeated` between `before` and `after`.
static double seconds_for(struct test *t, const char *before, const char *repeated, const char *after,
                          unsigned count)
{
    struct strbuf text = {0};
    struct timespec start, stop;
    strbuf_puts(&text, ".version 8.0\n.target sm_80\n.address_size 64\n");
    strbuf_puts(&text, before);
    for (unsigned i = 0; i < count; i++) strbuf_printf(&text, repeated, i, i, i, i);
    strbuf_puts(&text, after);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    check_any(t, repeated, text.text, text.length);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &stop);
    strbuf_fini(&text);
    return (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec);
}

// Inputs that caused quadratic time, deep recursion or much memory in some parser. A hundred thousand of
// each must take about a second, even on a busy machine.
static void test_hostile(struct test *t)
{
    static const char *const shapes[][3] = {
        {".entry k() {", "{", ""},
        {".entry k() {", "{ }", "}"},
        {".entry k() { .reg .b32 r; mov.b32 r, ", "(", ""},
        {".entry k() { .reg .b32 r; mov.b32 r, ", "-", "1; }"},
        {".entry k() { .reg .b32 r; mov.b32 r, ", "1 ? 2 : ", "1; }"},
        {".entry k() { .reg .b32 r; mov.b32 r, 1", " + 1", "; }"},
        {".global .b32 x = ", "{", ""},
        {".global .b32 x[] = {", "1,", "1};"},
        {".global .b8 x", "[1]", ";"},
        {"", ".global .b32 x%u;\n", ""},
        {"", ".entry k%u() { ret; }\n", ""},
        {"", ".func f() ;\n", ""},
        {".entry k() {", "L%u: bra L%u;\n", "}"},
        {".entry k() {", "L: bra L;\n", "}"},
        {".entry k() {", "bra L%u;\n", "}"},
        {".entry k() {", "{ bra L%u;\n", ""},
        {".entry k() {", ".reg .b32 r%u<1000000>;\n", "}"},
        {".entry k() { .reg .b32 r<4294967295>;", "mov.b32 r%u, r%u;\n", "}"},
        {".entry k() { .reg .b32 r1;", "mov.b32 r1, unknown_name_number_%u;\n", "}"},
        {".entry k() {", "nonsense;\n", "}"},
        {".entry k() {", "mma.sync {{{", "}"},
        {".entry k() { .reg .b32 r; mov.b32 {", "r,", "r}, r; }"},
        {".entry k() { call f, (", "1,", "1); }"},
        {".entry k() { T: .branchtargets ", "L,", "L; L: }"},
        {".entry k() { add", ".s32", " ; }"},
        {".entry k() { ", ".loc 1 %u 3\n", "}"},
        {".entry k() { ", ".loc 1 %u 3, function_name x, inlined_at 1 %u 3\n", "}"},
        {".entry k(", ".param .b32 p%u,", ".param .b32 q) { ret; }"},
        {".section .debug_str {", "L%u: .b8 65, 0\n", "}"},
        {"/*", "*", ""},
        {"//", "x", ""},
        {"\"", "x", ""},
        {".", "x", ""},
        {".global .b32 ", "x", ";"},
        {"", "\n", ""},
        {"", "\x01", ""},
        {"", "# 1\n", ""},
        {"", "#define x\n", ""},
    };
    unsigned count = test_is_quick() ? 10000 : 100000;
    for (size_t s = 0; s < TEST_COUNT(shapes); s++) {
        double seconds = seconds_for(t, shapes[s][0], shapes[s][1], shapes[s][2], count);
        CHECK_MSG(t, seconds < 5, "'%s' %u times took %.1f s", shapes[s][1], count, seconds);
    }
}

// Twice the text takes about twice the time; the bound is three times, to allow for other load on the
// machine.
static void test_linear(struct test *t)
{
    static const char body[] =
        ".entry k() { .reg .b32 r<100000>; .reg .f32 f<100000>; .reg .b64 a; .reg .pred p;\n";
    static const char line[] =
        "@p mad.lo.s32 r%u, r%u, 5, r1; ld.global.f32 f%u, [a+16]; L%u: add.f32 f1, f2, 1.5;\n";
    double best_small = 1e9, best_large = 1e9;
    // Memory stays with the process between rounds: page faults, dear on some virtual machines, are not the parser's time.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (int round = 0; round < 3; round++) {
        double small = seconds_for(t, body, line, "}", 5000), large = seconds_for(t, body, line, "}", 20000);
        if (small < best_small) best_small = small;
        if (large < best_large) best_large = large;
    }
    CHECK_MSG(t, best_large < 12 * best_small, "4 times the text took %.1f times as long",
              best_large / best_small);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"truncated", test_truncated},
                                             {"mutated", test_mutated},
                                             {"hostile", test_hostile},
                                             {"linear", test_linear}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
