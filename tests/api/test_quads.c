// mma.m8n8k4 of f16, the four products of Volta's instruction, from PTX to registers: all layouts, sums in f16 and f32, c of f16 for d of f32, functional and
// timed. Whole numbers, so every order of adding is exact. Fragments: PTX ISA 9.7.14.5.1.
#include "api/warpfold.h"
#include "base/narrow.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <string.h>

enum { LANES = 32, PARTS = 4, SIZE = 8, DEPTH = 4 };

struct product {
    bool a_by_column, b_by_row, is_float; // is_float: d is f32, and c unless is_mixed
    bool is_mixed;
};

static uint16_t half_of(int x) { return narrow_from(NARROW_F16, x); }

static void write_ptx(const struct product *p, struct strbuf *out)
{
    const char *sum = p->is_float ? "f32" : "f16", *type = p->is_float ? "f" : "r";
    bool has_float_c = p->is_float && !p->is_mixed;
    unsigned count = p->is_float ? 8 : 4, c_count = has_float_c ? 8 : 4;
    strbuf_printf(out, ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 from, "
                       ".param .u64 to)\n{\n"
                       ".reg .b32 %%r<40>;\n.reg .f32 %%f<8>;\n.reg .b64 %%d<8>;\nld.param.u64 %%d1, "
                       "[from];\nld.param.u64 %%d2, [to];\n"
                       "mov.u32 %%r20, %%tid.x;\nmul.wide.u32 %%d3, %%r20, 48;\nadd.s64 %%d1, %%d1, "
                       "%%d3;\nmul.wide.u32 %%d3, %%r20, 32;\n"
                       "add.s64 %%d2, %%d2, %%d3;\n");
    for (unsigned k = 0; k < 4; k++) strbuf_printf(out, "ld.global.b32 %%r%u, [%%d1+%u];\n", 30 + k, 4 * k);
    for (unsigned k = 0; k < c_count; k++)
        strbuf_printf(out, "ld.global.b32 %%%s%u, [%%d1+%u];\n", has_float_c ? "f" : "r", k, 16 + 4 * k);
    struct strbuf sums = {0}, addends = {0};
    for (unsigned k = 0; k < count; k++) strbuf_printf(&sums, "%s%%%s%u", k ? ", " : "", type, k);
    for (unsigned k = 0; k < c_count; k++)
        strbuf_printf(&addends, "%s%%%s%u", k ? ", " : "", has_float_c ? "f" : "r", k);
    strbuf_printf(out,
                  "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s {%s}, {%%r30, %%r31}, {%%r32, %%r33}, {%s};\n",
                  p->a_by_column ? "col" : "row", p->b_by_row ? "row" : "col", sum,
                  has_float_c ? "f32" : "f16", sums.text, addends.text);
    for (unsigned k = 0; k < count; k++)
        strbuf_printf(out, "st.global.%s [%%d2+%u], %%%s%u;\n", p->is_float ? "f32" : "b32", 4 * k, type, k);
    strbuf_printf(out, "ret;\n}\n");
    strbuf_fini(&sums);
    strbuf_fini(&addends);
}

struct matrices {
    int a[PARTS][SIZE][DEPTH], b[PARTS][DEPTH][SIZE], c[PARTS][SIZE][SIZE];
};

static int part_of(int lane) { return lane % 16 / 4; }

// The lane's element `i` of c or d.
static int *sum_at(struct matrices *x, const struct product *p, int lane, int i)
{
    int upper = lane / 16 * 4;
    if (!p->is_float) return &x->c[part_of(lane)][lane % 4 + upper][i];
    return &x->c[part_of(lane)][lane % 2 + i / 2 % 2 * 2 + upper][i / 4 * 4 + lane % 4 / 2 * 2 + i % 2];
}

static void fill_lane(struct matrices *x, const struct product *p, int lane, char *to)
{
    uint16_t halves[8];
    int part = part_of(lane), upper = lane / 16 * 4, l = lane % 4;
    for (int i = 0; i < 4; i++) {
        halves[i] = half_of(p->a_by_column ? x->a[part][i + upper][l] : x->a[part][l + upper][i]);
        halves[4 + i] = half_of(p->b_by_row ? x->b[part][l][i + upper] : x->b[part][i][l + upper]);
    }
    memcpy(to, halves, sizeof halves);
    struct product c_only = {.is_float = p->is_float && !p->is_mixed};
    for (int i = 0; i < 8; i++) {
        float f = (float)*sum_at(x, &c_only, lane, i);
        uint16_t h = half_of((int)f);
        if (c_only.is_float)
            memcpy(to + 16 + 4 * i, &f, 4);
        else
            memcpy(to + 16 + 2 * i, &h, 2);
    }
}

static void draw(struct matrices *x, struct rng *g)
{
    int *all = &x->a[0][0][0];
    for (size_t n = 0; n < sizeof *x / sizeof *all; n++) all[n] = (int)(rng_next(g) % 33) - 16;
}

static void add_products(struct matrices *x)
{
    for (int part = 0; part < PARTS; part++)
        for (int row = 0; row < SIZE; row++)
            for (int column = 0; column < SIZE; column++)
                for (int k = 0; k < DEPTH; k++)
                    x->c[part][row][column] += x->a[part][row][k] * x->b[part][k][column];
}

static void check(struct test *t, const struct product *p, const char *gpu, struct rng *g)
{
    struct matrices x;
    static char in[LANES * 48], out[LANES * 32];
    struct strbuf ptx = {0};
    struct wf_context *c = wf_context_create();
    if (gpu) CHECK(t, wf_gpu(c, gpu) == WF_OK);
    draw(&x, g);
    for (int lane = 0; lane < LANES; lane++) fill_lane(&x, p, lane, in + (size_t)lane * 48);
    add_products(&x);
    write_ptx(p, &ptx);
    struct wf_module *m = wf_module_load(c, "quads.ptx", ptx.text, ptx.length);
    struct wf_kernel *kernel = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t from = wf_alloc(c, sizeof in), to = wf_alloc(c, sizeof out);
    wf_write(c, from, in, sizeof in);
    void *args[] = {&from, &to};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {LANES, 1, 1}};
    bool ran = kernel && wf_launch(kernel, &shape, args, 2, NULL) == WF_OK;
    CHECK_MSG(t, ran, "%s", wf_errors(c));
    wf_read(c, to, out, sizeof out);
    for (int lane = 0; ran && lane < LANES; lane++)
        for (int i = 0; i < 8; i++) {
            float f;
            uint16_t h, want = half_of(*sum_at(&x, p, lane, i));
            memcpy(&f, out + lane * 32 + 4 * i, 4);
            memcpy(&h, out + lane * 32 + 2 * i, 2);
            bool same = p->is_float ? f == (float)*sum_at(&x, p, lane, i) : h == want;
            CHECK_MSG(t, same, "%s.%s, %s: lane %d, element %d", p->a_by_column ? "col" : "row",
                      p->b_by_row ? "row" : "col", gpu ? gpu : "functional", lane, i);
        }
    strbuf_fini(&ptx);
    wf_context_destroy(c);
}

static void test_layouts(struct test *t)
{
    struct rng g = {test_seed(5)};
    for (unsigned k = 0; k < 12; k++) {
        struct product p = {
            .a_by_column = k & 1, .b_by_row = k >> 1 & 1, .is_float = k >= 4, .is_mixed = k >= 8};
        check(t, &p, NULL, &g);
        check(t, &p, "titanv", &g);
        check(t, &p, "a100", &g);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"layouts", test_layouts}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
