// Every bundled workload against its CPU reference, with the PTX of either compiler. Fails where results are
// wrong, or where bytes depend on the code profile, the divergence model or the optimiser. Fails also where a
// reference accepts a kernel with one instruction exchanged. The long form adds the larger sizes.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    const char *key, *value;
};

// Runs in a context of its own. A setting without a key ends the list.
static enum wf_status run(struct test *t, const struct workload *w, enum workload_size size,
                          enum workload_ptx ptx, const struct setting *settings,
                          struct workload_result *result)
{
    struct wf_context *c = wf_context_create();
    for (; settings && settings->key; settings++)
        CHECK_MSG(t, wf_set(c, settings->key, settings->value) == WF_OK, "%s=%s: %s", settings->key,
                  settings->value, wf_errors(c));
    const struct workload_options options = {.size = size, .ptx = ptx};
    enum wf_status status = workload_run(w, c, &options, result);
    if (status != WF_OK && status != WF_MISMATCH)
        test_fail(t, __FILE__, __LINE__, "%s: %s%s", w->name, wf_errors(c),
                  result->fault_text ? result->fault_text : "");
    result->fault_text = NULL; // the context owned the text
    wf_context_destroy(c);
    return status;
}

static void check(struct test *t, const struct workload *w, enum workload_size size, enum workload_ptx ptx)
{
    struct workload_result result;
    run(t, w, size, ptx, NULL, &result);
    CHECK_MSG(t, result.verified, "%s (%s, %s): %s", w->name, workload_size_name(size),
              workload_ptx_name(ptx), result.first_mismatch);
    CHECK_MSG(t, result.compared > 0 && result.launches > 0 && result.warp_instructions > 0,
              "%s compared %llu values", w->name, (unsigned long long)result.compared);
}

static void check_all(struct test *t, enum workload_size size, enum workload_ptx ptx)
{
    for (size_t i = 0; workload_at(i); i++) check(t, workload_at(i), size, ptx);
}

static void test_small_nvcc(struct test *t) { check_all(t, WORKLOAD_SMALL, WORKLOAD_NVCC); }
static void test_small_clang(struct test *t) { check_all(t, WORKLOAD_SMALL, WORKLOAD_CLANG); }

// The larger sizes: a sample, or in the long form all workloads.
static void test_larger(struct test *t)
{
    static const char *const sample[] = {"pathfinder", "hotspot", "scan"};
    if (test_is_long()) {
        check_all(t, WORKLOAD_MEDIUM, WORKLOAD_NVCC);
        check_all(t, WORKLOAD_MEDIUM, WORKLOAD_CLANG);
        check_all(t, WORKLOAD_LARGE, WORKLOAD_NVCC);
        return;
    }
    for (size_t i = 0; i < TEST_COUNT(sample); i++) {
        const char *nearest;
        check(t, workload_find(sample[i], &nearest), WORKLOAD_MEDIUM, WORKLOAD_NVCC);
    }
}

// Class D: identical bytes under every setting. Other classes: correct by their own check.
static void test_same_bytes(struct test *t)
{
    static const struct setting variants[][3] = {{{"compile.profile", "ptxplus"}},
                                                 {{"compile.profile", "pascal"}},
                                                 {{"simt", "stack"}},
                                                 {{"simt", "splits"}},
                                                 {{"compile.optimise", "0"}},
                                                 {{"compile.profile", "ptxplus"}, {"simt", "splits"}}};
    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);
        struct workload_result base, other;
        run(t, w, WORKLOAD_SMALL, WORKLOAD_NVCC, NULL, &base);
        for (size_t v = 0; v < TEST_COUNT(variants); v++) {
            run(t, w, WORKLOAD_SMALL, WORKLOAD_NVCC, variants[v], &other);
            CHECK_MSG(t, other.verified, "%s with %s=%s: %s", w->name, variants[v]->key, variants[v]->value,
                      other.first_mismatch);
            if (w->output_class == WORKLOAD_CLASS_D)
                CHECK_MSG(t, other.output_hash == base.output_hash, "%s gives other bytes with %s=%s",
                          w->name, variants[v]->key, variants[v]->value);
        }
    }
}

static void add_races(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                      const struct wf_stats *stats)
{
    (void)kernel;
    (void)shape;
    uint64_t *races = context;
    *races += stats->races;
}

// A workload's declared class agrees with the race detector.
static void check_class(struct test *t, const struct workload *w)
{
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_set(c, "check.races", "1"), WF_OK);
    uint64_t races = 0;
    struct workload_result result;
    const struct workload_options options = {.launched = add_races, .launched_context = &races};
    workload_run(w, c, &options, &result);
    CHECK_MSG(t, result.verified, "%s: %s%s", w->name, result.first_mismatch, wf_errors(c));
    bool racy = w->output_class == WORKLOAD_CLASS_R;
    CHECK_MSG(t, racy == (races > 0), "%s is class %c and has %llu races", w->name,
              workload_class_letter(w->output_class), (unsigned long long)races);
    wf_context_destroy(c);
}

static void test_classes(struct test *t)
{
    for (size_t i = 0; workload_at(i); i++) check_class(t, workload_at(i));
}

static void check_entries(struct test *t, const struct workload *w, enum workload_ptx by)
{
    for (size_t k = 0; w->kernels[k]; k++) {
        char entry[96];
        snprintf(entry, sizeof entry, ".visible .entry %s(", w->kernels[k]);
        CHECK_HAS(t, w->ptx[by], entry);
    }
}

// The embedded text is the whole file of the tree, with the kernels.
static void check_embedded(struct test *t, const struct workload *w, enum workload_ptx by)
{
    size_t length, embedded = (size_t)(w->ptx_end[by] - w->ptx[by]);
    char *bytes = test_read_file(t, w->ptx_file[by], &length);
    CHECK_MSG(t, embedded == length && memcmp(bytes, w->ptx[by], length) == 0, "%s is not the embedded text",
              w->ptx_file[by]);
    CHECK(t, *w->ptx_end[by] == '\0');
    free(bytes);
    check_entries(t, w, by);
}

static void test_embedded(struct test *t)
{
    for (size_t i = 0; workload_at(i); i++)
        for (int by = 0; by < WORKLOAD_PTX_SOURCES; by++)
            check_embedded(t, workload_at(i), (enum workload_ptx)by);
}

// The kernels for tensor cores: correct, without a race, and no part of the others.
static void test_tensor(struct test *t)
{
    const struct workload *w;
    size_t count = 0;
    for (; (w = workload_in_group("tensor", count, NULL)) != NULL; count++) {
        check_embedded(t, w, WORKLOAD_NVCC);
        check(t, w, test_is_long() ? WORKLOAD_LARGE : WORKLOAD_SMALL, WORKLOAD_NVCC);
        check_class(t, w);
        for (size_t i = 0; workload_at(i); i++) CHECK(t, workload_at(i) != w);
    }
    CHECK_EQ(t, count, 13);
}

static void test_find(struct test *t)
{
    const char *nearest;
    const struct workload *w = workload_find("hotspot", &nearest);
    CHECK(t, w && strcmp(w->name, "hotspot") == 0);
    CHECK(t, !workload_find("hotspott", &nearest));
    CHECK_STR(t, nearest, "hotspot");
    CHECK(t, !workload_find("zzzzzzzzzzzz", &nearest));
    CHECK(t, nearest == NULL);
}

// The text with every `from` replaced, heap; *count: number of replacements.
static char *replace_all(const char *text, const char *from, const char *to, size_t *count)
{
    struct strbuf out = {0};
    *count = 0;
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from), ++*count) {
        strbuf_write(&out, text, (size_t)(at - text));
        strbuf_puts(&out, to);
    }
    strbuf_puts(&out, text);
    return out.text;
}

// One kind of instruction, or one offset, of each benchmark is exchanged: the reference must notice.
static void test_references_notice(struct test *t)
{
    static const struct {
        const char *workload, *from, *to;
    } breaks[] = {
        {"binomialOptions", "sub.f32", "add.f32"},
        {"pathfinder", "1023;", "1000;"},
        {"fastWalshTransform", "sub.f32", "add.f32"},
        {"SRADv1", "sub.f32", "add.f32"},
        {"LIB", "sub.f32", "add.f32"},
        {"imageDenoisingNLM", "sub.f32", "add.f32"},
        {"backprop", "mul.f32", "add.f32"},
        {"DCT8x8", "div.rn.f32", "mul.rn.f32"},
        {"floydWarshall", "setp.ge.s32", "setp.le.s32"},
        {"hotspot", "sub.f32", "add.f32"},
        {"CP", "rsqrt.approx.f32", "sqrt.approx.f32"},
        {"convolutionTexture", "add.f32", "sub.f32"},
        {"matrixMul", "+128]", "+256]"},
        {"vecadd", "add.f32", "sub.f32"},
        {"reduction", "shfl.sync.down", "shfl.sync.up"},
        {"scan", "ld.global.u32", "ld.global.u16"},
        {"transpose", "+1056]", "+2112]"},
        {"histogram", "atom.shared.add", "atom.shared.max"},
        {"spmv", "shfl.sync.down", "shfl.sync.up"},
        {"bfs", "st.global.u32", "st.global.u16"},
        {"stencil3d", "add.f32", "sub.f32"},
        {"bitonicSort", "xor.pred", "or.pred"},
        {"nqueens", "shr.u32", "shl.b32"},
        {"matrixVector", "add.f32", "sub.f32"},
        {"stencil2d", "add.f32", "sub.f32"},
        {"gcd", "rem.u32", "div.u32"},
        {"blockMatching", "abs.s32", "neg.s32"},
        {"matrixMul16", "+64]", "+128]"},
        {"pathfinder256", "255;", "200;"},
        {"scalarProd", "add.f32", "sub.f32"},
        {"convolutionSeparable", "taps+64]", "taps+60]"},
        {"fft512", "sub.f32", "add.f32"},
        {"mersenneTwister", "xor.b32", "or.b32"},
        {"rayTrace", "sub.f32", "add.f32"},
        {"dxtc", "max.f32", "min.f32"},
        {"heartwall", "sub.s64", "add.s64"},
        {"convolutionTexture12", "add.f32", "sub.f32"},
        {"bitonicSort512", "xor.pred", "or.pred"},
        {"stencil25d", "add.f32", "sub.f32"},
        {"stencil7", "add.f32", "sub.f32"},
        {"nqueens256", "shr.u32", "shl.b32"},
        {"monteCarlo", "ex2.approx.ftz.f32", "lg2.approx.ftz.f32"},
        {"radixSort", "+2044]", "+2040]"},
        {"neuralNet", "add.f32", "sub.f32"},
        {"kmeans", "setp.lt.f32", "setp.gt.f32"},
        {"lud", "sub.f32", "add.f32"},
        {"nw", "max.s32", "min.s32"},
        {"bPlusTree", "setp.eq.s32", "setp.ne.s32"},
        {"lavaMD", "sub.f32", "add.f32"},
        {"myocyte", "ex2.approx.ftz.f32", "lg2.approx.ftz.f32"},
        {"storeGPU", "not.b32", "mov.u32"},
        {"blackScholes", "sub.f32", "add.f32"},
        {"scanLarge", "+1020]", "+1016]"},
        {"affineLoop", "st.global.u32", "st.global.u16"},
        {"gaussian", "div.rn.f32", "mul.rn.f32"},
        {"nearestNeighbour", "sqrt.rn.f32", "rcp.rn.f32"},
        {"mandelbrot", "sub.f32", "add.f32"},
        {"latticeBoltzmann", "sub.f32", "add.f32"},
        {"mriQ", "neg.f32", "abs.f32"},
        {"tbClock", "setp.lt.s64", "setp.gt.s64"},
    };
    for (size_t i = 0; workload_at(i); i++) {
        struct workload broken = *workload_at(i);
        size_t b = 0, count = 0;
        while (b < TEST_COUNT(breaks) && !str_equal(breaks[b].workload, broken.name)) b++;
        if (b == TEST_COUNT(breaks)) {
            test_fail(t, __FILE__, __LINE__, "no way to break %s is listed here", broken.name);
            continue;
        }
        char *ptx = replace_all(broken.ptx[WORKLOAD_NVCC], breaks[b].from, breaks[b].to, &count);
        CHECK_MSG(t, count > 0, "%s has no %s", broken.name, breaks[b].from);
        broken.ptx[WORKLOAD_NVCC] = ptx;
        broken.ptx_end[WORKLOAD_NVCC] = ptx + strlen(ptx);
        struct workload_result result;
        enum wf_status status = run(t, &broken, WORKLOAD_SMALL, WORKLOAD_NVCC, NULL, &result);
        CHECK_MSG(
            t, status == WF_MISMATCH && !result.verified && result.mismatches > 0 && result.first_mismatch[0],
            "%s did not notice %s in place of %s", broken.name, breaks[b].to, breaks[b].from);
        free(ptx);
    }
}

// A run unable to finish reports failure, and its result is not verified.
static void test_failures(struct test *t)
{
    const char *nearest;
    struct workload w = *workload_find("vecadd", &nearest);
    struct workload_result result;
    const struct workload_options options = {0};

    struct wf_context *c = wf_context_create();
    w.ptx_end[WORKLOAD_NVCC] = w.ptx[WORKLOAD_NVCC] + (w.ptx_end[WORKLOAD_NVCC] - w.ptx[WORKLOAD_NVCC]) / 2;
    CHECK_EQ(t, workload_run(&w, c, &options, &result), WF_BAD_INPUT);
    CHECK_HAS(t, wf_errors(c), "kernels/ptx/nvcc/vecadd.ptx:");
    CHECK(t, !result.verified && result.launches == 0);
    wf_context_destroy(c);
}

// -- size `paper` -------------------------------------------------------------------------------------------

struct first_launch {
    char kernel[64];
    struct wf_launch_config shape;
    uint64_t launches;
};

static void note_launch(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                        const struct wf_stats *stats)
{
    struct first_launch *f = context;
    (void)stats;
    if (f->launches++) return;
    snprintf(f->kernel, sizeof f->kernel, "%s", wf_kernel_info(kernel)->name);
    f->shape = *shape;
}

// Blocks of a kernel resident on an SM of Table 2's GPU: 2048 vector registers, allocated a warp in units of
// 8, 64 warps, 32 blocks, 96 KB.
static uint32_t blocks_on_an_sm(struct test *t, const struct wf_kernel_facts *info,
                                const struct wf_launch_config *shape)
{
    uint32_t threads = shape->block[0] * shape->block[1] * shape->block[2], warps = (threads + 31) / 32;
    uint32_t registers = ((shape->registers ? shape->registers : info->registers) + 7) / 8 * 8;
    uint32_t shared = info->shared_bytes + shape->shared_bytes, most = 32;
    CHECK(t, registers && warps);
    if (64 / warps < most) most = 64 / warps;
    if (2048 / (registers * warps) < most) most = 2048 / (registers * warps);
    if (shared && 98304 / shared < most) most = 98304 / shared;
    return most;
}

// Runs the workload to its first launch, stopped at the second instruction. Kernel, blocks and
// registers must match the table.
static void check_input(struct test *t, const struct workload *w, enum workload_size size, const char *kernel,
                        const unsigned grid[2])
{
    struct wf_context *c = wf_context_create();
    struct first_launch first = {0};
    struct workload_result result;
    const struct workload_options options = {
        .size = size, .ptx = WORKLOAD_NVCC, .launched = note_launch, .launched_context = &first};
    CHECK_EQ(t, wf_set(c, "exec.max_warp_instructions", "1"), WF_OK);
    CHECK(t, workload_run(w, c, &options, &result) != WF_OK);
    CHECK_EQ(t, first.launches, 1);
    CHECK_STR(t, first.kernel, kernel);
    CHECK_MSG(t, first.shape.grid[0] == grid[0] && first.shape.grid[1] == grid[1] && first.shape.grid[2] == 1,
              "%s: %u x %u blocks", w->name, first.shape.grid[0], first.shape.grid[1]);
    CHECK_MSG(t, memcmp(first.shape.block, w->block, sizeof w->block) == 0, "%s: other blocks", w->name);
    CHECK_EQ(t, first.shape.registers, workload_registers(WORKLOAD_NVIDIA, kernel));
    wf_context_destroy(c);
}

static bool is_in_group(const char *group, const struct workload *w)
{
    const struct workload *member;
    for (size_t i = 0; (member = workload_in_group(group, i, NULL)) != NULL; i++)
        if (member == w) return true;
    return false;
}

// As many members as the paper names, each under a name of its own.
static void test_groups(struct test *t)
{
    static const struct {
        const char *name;
        size_t members;
    } groups[] = {{"darsie", 13}, {"uv", 13}, {"warpman", 11}, {"locality", 11}, {"ilp", 12}, {"dac", 29}};
    for (size_t g = 0; g < TEST_COUNT(groups); g++) {
        const char *name, *other;
        size_t count = 0;
        for (; workload_in_group(groups[g].name, count, &name); count++)
            for (size_t k = 0; k < count; k++) {
                workload_in_group(groups[g].name, k, &other);
                CHECK_MSG(t, !str_equal(name, other), "%s has two %s", groups[g].name, name);
            }
        CHECK_EQ(t, count, groups[g].members);
    }
}

// Register counts of a group's paper reach launches of the group alone.
static void test_group_registers(struct test *t)
{
    const char *nearest;
    const struct workload *w = workload_find("hotspot", &nearest);
    CHECK_EQ(t, workload_registers("warpman", w->name), 35);
    CHECK_EQ(t, workload_registers("uv", w->name), 0);
    for (unsigned registers = 0; registers <= 35; registers += 35) {
        struct wf_context *c = wf_context_create();
        struct first_launch first = {0};
        struct workload_result result;
        const struct workload_options options = {
            .registers = registers, .launched = note_launch, .launched_context = &first};
        CHECK_EQ(t, workload_run(w, c, &options, &result), WF_OK);
        CHECK_EQ(t, first.shape.registers, registers);
        wf_context_destroy(c);
    }
}

static void test_paper_inputs(struct test *t)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        const struct workload_paper *p = workload_paper(w);
        CHECK_EQ(t, workload_has_size(w, WORKLOAD_PAPER), p != NULL);
        CHECK(t, workload_has_size(w, WORKLOAD_LARGE));
        if (!p) continue;
        check_input(t, w, WORKLOAD_PAPER, p->kernel, p->grid);
        CHECK_MSG(t, p->times <= p->original_times && (p->times == p->original_times || *p->note),
                  "%s: why fewer times?", w->name);
        CHECK_MSG(t, p->from == WORKLOAD_FROM_SUITE || *p->note, "%s: what differs?", w->name);
        CHECK_MSG(t, is_in_group("darsie", w) || is_in_group("uv", w) || is_in_group("warpman", w),
                  "%s: whose input?", w->name);
    }
    for (size_t i = 0; (w = workload_in_group("darsie", i, NULL)) != NULL; i++) CHECK(t, workload_paper(w));
    for (size_t i = 0; (w = workload_in_group("uv", i, NULL)) != NULL; i++) CHECK(t, workload_paper(w));
}

// The kernels of Table 1 have size `slice`: the first launch of size `paper`, with about a seventh of the blocks,
// or half of a seventh.
static void test_slice_inputs(struct test *t)
{
    const struct workload *w;
    unsigned count = 0;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        const struct workload_slice *s = workload_slice(w);
        const struct workload_paper *p = workload_paper(w);
        CHECK_EQ(t, workload_has_size(w, WORKLOAD_SLICE), s != NULL);
        CHECK_EQ(t, s != NULL, is_in_group("darsie", w));
        if (!s || !p) continue;
        count++;
        double share = 7.0 * s->grid[0] * s->grid[1] / (p->grid[0] * p->grid[1]);
        if (str_equal(w->name, "imageDenoisingNLM") || str_equal(w->name, "convolutionTexture")) share *= 2;
        if (str_equal(w->name, "floydWarshall")) share /= 7;      // fewer launches
        bool is_power = str_equal(w->name, "fastWalshTransform"); // of powers of two alone
        CHECK_MSG(t, is_power || (share > 0.85 && share < 1.1), "%s: %.2f of the paper's blocks", w->name,
                  share);
        check_input(t, w, WORKLOAD_SLICE, p->kernel, s->grid);
    }
    CHECK_EQ(t, count, 13);
}

// Inputs of our own fill the chip exactly once.
static void test_paper_waves(struct test *t)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        const struct workload_paper *p = workload_paper(w);
        if (!p || p->from != WORKLOAD_FROM_WAVE) continue;
        struct wf_context *c = wf_context_create();
        struct wf_module *m =
            wf_module_load(c, w->name, w->ptx[WORKLOAD_NVCC], strlen(w->ptx[WORKLOAD_NVCC]));
        struct wf_kernel *k = m ? wf_kernel_find(m, p->kernel) : NULL;
        const struct wf_launch_config shape = {.block = {w->block[0], w->block[1], w->block[2]},
                                               .registers = workload_registers(WORKLOAD_NVIDIA, p->kernel)};
        CHECK(t, k);
        if (k) CHECK_EQ(t, p->grid[0] * p->grid[1], 28 * blocks_on_an_sm(t, wf_kernel_info(k), &shape));
        wf_context_destroy(c);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"embedded", test_embedded},
        {"tensor", test_tensor},
        {"find", test_find},
        {"small_nvcc", test_small_nvcc},
        {"small_clang", test_small_clang},
        {"same_bytes", test_same_bytes},
        {"classes", test_classes},

        {"references_notice", test_references_notice},
        {"failures", test_failures},
        {"larger", test_larger},
        {"groups", test_groups},
        {"group_registers", test_group_registers},
        {"paper_inputs", test_paper_inputs},
        {"slice_inputs", test_slice_inputs},
        {"paper_waves", test_paper_waves},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
