// Addresses of device functions: the same in every kernel of a module, so that one kernel, or initialised data, may have
// what another calls; at once in several streams; after a resumed checkpoint.
#include "api/warpfold.h"
#include "base/file.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 64 };

struct functions {
    struct wf_context *c;
    struct wf_module *m;
    uint64_t out, table, ready;
};

static bool open_functions(struct test *t, struct functions *f, const char *gpu, const char *tech)
{
    char *ptx;
    size_t length;
    const char *why;
    f->c = wf_context_create();
    if (gpu) wf_gpu(f->c, gpu);
    if (tech) wf_tech(f->c, tech);
    CHECK(t, file_read("tests/api/functions.ptx", &ptx, &length, &why));
    f->m = wf_module_load(f->c, "functions.ptx", ptx, length);
    free(ptx);
    CHECK_MSG(t, f->m, "%s", wf_errors(f->c));
    if (!f->m) return false;
    f->out = wf_alloc(f->c, 4 * THREADS);
    return wf_symbol(f->m, "table", &f->table, NULL) == WF_OK &&
           wf_symbol(f->m, "ready", &f->ready, NULL) == WF_OK;
}

static void apply(struct test *t, const struct functions *f, uint64_t from, struct wf_stream *s)
{
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .stream = s};
    const uint64_t params[] = {f->out, from};
    struct wf_kernel *k = wf_kernel_find(f->m, "apply");
    CHECK_MSG(t, k && wf_launch_packed(k, &shape, params, sizeof params, NULL) == WF_OK, "%s",
              wf_errors(f->c));
}

static void store(struct test *t, const struct functions *f)
{
    struct wf_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct wf_kernel *k = wf_kernel_find(f->m, "store");
    CHECK_MSG(t, k && wf_launch_packed(k, &one, NULL, 0, NULL) == WF_OK, "%s", wf_errors(f->c));
}

// odd_doubles: the odd threads' function doubles, the even threads' adds 100; else the other way round.
static void check_out(struct test *t, const struct functions *f, bool odd_doubles)
{
    uint32_t got[THREADS];
    wf_read(f->c, f->out, got, sizeof got);
    for (uint32_t i = 0; i < THREADS; i++) CHECK_EQ(t, got[i], (i % 2 == 1) == odd_doubles ? 2 * i : i + 100);
}

static void check_way(struct test *t, const char *gpu, const char *tech)
{
    struct functions f;
    if (!open_functions(t, &f, gpu, tech)) return;
    apply(t, &f, f.ready, NULL);
    check_out(t, &f, false);
    store(t, &f);
    apply(t, &f, f.table, NULL);
    check_out(t, &f, true);
    wf_context_destroy(f.c);
}

static void test_kernels(struct test *t)
{
    check_way(t, NULL, NULL);
    check_way(t, "tiny", NULL);
    check_way(t, "tiny", "darsie");
    check_way(t, "tiny", "decoupled");
}

static void test_checkpoint(struct test *t)
{
    struct functions f, g;
    size_t length;
    if (!open_functions(t, &f, NULL, NULL) || !open_functions(t, &g, "tiny", NULL)) return;
    store(t, &f);
    void *saved = wf_checkpoint(f.c, 1, &length);
    CHECK_MSG(t, saved && wf_resume(g.c, 1, saved, length) == WF_OK, "%s", wf_errors(g.c));
    apply(t, &g, g.table, NULL);
    check_out(t, &g, true);
    free(saved);
    wf_context_destroy(f.c);
    wf_context_destroy(g.c);
}

static void test_wrong(struct test *t)
{
    struct functions f;
    static const uint64_t wrong[2] = {99, 0};
    if (!open_functions(t, &f, NULL, NULL)) return;
    wf_write(f.c, f.table, wrong, sizeof wrong);
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    const uint64_t params[] = {f.out, f.table};
    CHECK(t, wf_launch_packed(wf_kernel_find(f.m, "apply"), &shape, params, sizeof params, NULL) != WF_OK);
    CHECK_MSG(t, strstr(wf_errors(f.c), "0x63 is not the address of a function"), "%s", wf_errors(f.c));
    wf_context_destroy(f.c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"kernels", test_kernels}, {"checkpoint", test_checkpoint}, {"wrong", test_wrong}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
