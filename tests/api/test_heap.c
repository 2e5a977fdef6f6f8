// malloc and free of device code: blocks that never overlap, keep what is stored, are used again, run out with NULL,
// whatever the mechanism and the number of host threads; a wrong free is said.
#include "api/warpfold.h"
#include "base/file.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 6, THREADS = 96, COUNT = BLOCKS * THREADS };

struct heap_run {
    struct wf_context *c;
    struct wf_module *m;
    uint64_t list, sizes, seen;
    uint64_t size[8], at[COUNT];
};

static bool open_run(struct test *t, struct heap_run *h, const char *gpu, const char *tech, const char *bytes)
{
    char *ptx;
    size_t length;
    const char *why;
    memset(h, 0, sizeof *h);
    h->c = wf_context_create();
    wf_set(h->c, "memory.size", "16M");
    wf_set(h->c, "memory.heap", bytes);
    if (gpu) wf_gpu(h->c, gpu);
    if (tech) wf_tech(h->c, tech);
    CHECK(t, file_read("tests/api/heap.ptx", &ptx, &length, &why));
    h->m = wf_module_load(h->c, "heap.ptx", ptx, length);
    free(ptx);
    CHECK_MSG(t, h->m, "%s", wf_errors(h->c));
    h->list = wf_alloc(h->c, COUNT * 8);
    h->sizes = wf_alloc(h->c, sizeof h->size);
    h->seen = wf_alloc(h->c, COUNT * 4);
    return h->m;
}

static bool launch(struct test *t, struct heap_run *h, const char *kernel, unsigned blocks,
                   const uint64_t *params, size_t count)
{
    struct wf_launch_config shape = {.grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}};
    struct wf_kernel *k = wf_kernel_find(h->m, kernel);
    CHECK_MSG(t, k, "%s", wf_errors(h->c));
    return k && wf_launch_packed(k, &shape, params, count * sizeof *params, NULL) == WF_OK;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// Takes a block a thread and looks at all; returns the highest address behind a block.
static uint64_t take_all(struct test *t, struct heap_run *h, unsigned *missing)
{
    uint64_t ends[COUNT][2], most = 0;
    unsigned live = 0;
    *missing = 0;
    wf_write(h->c, h->sizes, h->size, sizeof h->size);
    CHECK_MSG(t, launch(t, h, "take", BLOCKS, (uint64_t[]){h->list, h->sizes}, 2), "%s", wf_errors(h->c));
    wf_read(h->c, h->list, h->at, sizeof h->at);
    for (unsigned i = 0; i < COUNT; i++) {
        if (!h->at[i]) {
            *missing += h->size[i % 8] != 0;
            continue;
        }
        CHECK(t, h->size[i % 8] && h->at[i] % 16 == 0);
        ends[live][0] = h->at[i];
        ends[live++][1] = h->at[i] + h->size[i % 8];
    }
    qsort(ends, live, sizeof *ends, by_address);
    for (unsigned i = 0; i < live; i++) {
        if (i) CHECK(t, ends[i - 1][1] <= ends[i][0]);
        if (ends[i][1] > most) most = ends[i][1];
    }
    return most;
}

static void give_all(struct test *t, struct heap_run *h)
{
    uint32_t seen[COUNT];
    CHECK_MSG(t, launch(t, h, "give", BLOCKS, (uint64_t[]){h->list, h->sizes, h->seen}, 3), "%s",
              wf_errors(h->c));
    wf_read(h->c, h->seen, seen, sizeof seen);
    for (unsigned i = 0; i < COUNT; i++) CHECK_EQ(t, seen[i], h->at[i] ? 2 * i : UINT32_MAX);
}

static void check_run(struct test *t, const char *gpu, const char *tech, unsigned threads)
{
    static const uint64_t sizes[8] = {4, 16, 20, 100, 0, 1000, 64, 68};
    struct heap_run h;
    unsigned missing;
    if (!open_run(t, &h, gpu, tech, "1M")) return;
    wf_set_threads(h.c, threads);
    memcpy(h.size, sizes, sizeof sizes);
    uint64_t first = take_all(t, &h, &missing);
    CHECK_EQ(t, missing, 0);
    for (int round = 0; round < 3; round++) {
        give_all(t, &h);
        uint64_t again = take_all(t, &h, &missing);
        CHECK_EQ(t, missing, 0);
        CHECK_EQ(t, again, first); // freed blocks are taken, and nothing new
    }
    wf_context_destroy(h.c);
}

static void test_blocks(struct test *t)
{
    check_run(t, NULL, NULL, 1);
    check_run(t, "tiny", "base", 1);
    check_run(t, "tiny", "darsie", 2);
    check_run(t, "tiny", "decoupled", 1);
    check_run(t, "gtx1080ti", "base", 3);
}

// Blocks go from thread to thread without a race.
static void test_races(struct test *t)
{
    struct heap_run h;
    unsigned missing;
    if (!open_run(t, &h, NULL, NULL, "1M")) return;
    CHECK(t, wf_set(h.c, "check.races", "1") == WF_OK);
    for (int i = 0; i < 8; i++) h.size[i] = 16 + 16 * (uint64_t)(i % 2);
    struct wf_launch_config shape = {.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}};
    struct wf_kernel *k = wf_kernel_find(h.m, "churn");
    wf_write(h.c, h.sizes, h.size, sizeof h.size);
    const uint64_t params[] = {h.sizes};
    struct wf_stats stats = {0};
    CHECK_MSG(t, k && wf_launch_packed(k, &shape, params, sizeof params, &stats) == WF_OK, "%s",
              wf_errors(h.c));
    CHECK_MSG(t, stats.races == 0, "%s", stats.race_text);
    take_all(t, &h, &missing);
    CHECK_EQ(t, missing, 0);
    wf_context_destroy(h.c);
}

static void test_exhausted(struct test *t)
{
    struct heap_run h;
    unsigned missing;
    if (!open_run(t, &h, "tiny", NULL, "64K")) return;
    for (int i = 0; i < 8; i++) h.size[i] = 1000;
    take_all(t, &h, &missing);
    CHECK(t, missing > COUNT - 66 && missing < COUNT - 50); // 64 KiB, less the heads
    give_all(t, &h);
    for (int i = 0; i < 8; i++) h.size[i] = (uint64_t)1 << 40;
    take_all(t, &h, &missing);
    CHECK_EQ(t, missing, COUNT);
    wf_context_destroy(h.c);
}

static void check_wrong(struct test *t, uint64_t address, const char *says)
{
    struct heap_run h;
    unsigned missing;
    if (!open_run(t, &h, NULL, NULL, "1M")) return;
    for (int i = 0; i < 8; i++) h.size[i] = 32;
    take_all(t, &h, &missing);
    const uint64_t where = address ? address : h.at[0];
    struct wf_kernel *k = wf_kernel_find(h.m, "free_at");
    struct wf_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    enum wf_status status = WF_OK;
    for (int i = 0; i < 2 && status == WF_OK; i++)
        status = wf_launch_packed(k, &one, &where, sizeof where, NULL);
    CHECK(t, status != WF_OK);
    CHECK_MSG(t, strstr(wf_errors(h.c), says), "%s", wf_errors(h.c));
    wf_context_destroy(h.c);
}

static void test_wrong(struct test *t)
{
    check_wrong(t, 0, "free of memory that is free already");
    check_wrong(t, 0x1234560, "free of a pointer that malloc of device code has not given");
}

// Two modules share the heap: what one takes the other gives back.
static void test_shared(struct test *t)
{
    struct heap_run a, b;
    unsigned missing;
    char *ptx;
    size_t length;
    const char *why;
    if (!open_run(t, &a, "tiny", NULL, "1M")) return;
    for (int i = 0; i < 8; i++) a.size[i] = 48;
    uint64_t first = take_all(t, &a, &missing);
    b = a;
    CHECK(t, file_read("tests/api/heap.ptx", &ptx, &length, &why));
    b.m = wf_module_load(b.c, "again.ptx", ptx, length);
    free(ptx);
    give_all(t, &b);
    CHECK_EQ(t, take_all(t, &a, &missing), first);
    wf_context_destroy(a.c);
}

static void test_no_room(struct test *t)
{
    struct wf_context *c = wf_context_create();
    char *ptx;
    size_t length;
    const char *why;
    wf_set(c, "memory.size", "1M");
    CHECK(t, file_read("tests/api/heap.ptx", &ptx, &length, &why));
    CHECK(t, !wf_module_load(c, "heap.ptx", ptx, length));
    free(ptx);
    CHECK_MSG(t, strstr(wf_errors(c), "memory.heap"), "%s", wf_errors(c));
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"blocks", test_blocks},       {"races", test_races},
                                             {"exhausted", test_exhausted}, {"wrong", test_wrong},
                                             {"shared", test_shared},       {"no_room", test_no_room}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
