// Memory at one address for host and device, lent host memory, kinds of faults, and objects that are destroyed. Functional and
// timed runs give the same values.
#include "api/warpfold.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *const gpus[] = {NULL, "tiny"};
#define FOR_EACH_GPU(gpu)                                                                                    \
    for (size_t g_ = 0, go_ = 1; g_ < TEST_COUNT(gpus) && go_; g_++)                                         \
        for (const char *gpu = (go_ = 0, gpus[g_]); !go_; go_ = 1)

static const char copy_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry copy(.param .u64 to, .param .u64 from)\n{\n"
                               "    .reg .b64 %rd<5>; .reg .b32 %r<3>;\n"
                               "    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];\n"
                               "    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n"
                               "    add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r2, [%rd4];\n"
                               "    add.u64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r2; ret;\n}\n"
                               ".visible .entry stop() { trap; ret; }\n";

static struct wf_context *begin(struct test *t, const char *gpu, struct wf_module **m)
{
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_gpu(c, gpu), WF_OK);
    if (gpu) CHECK_EQ(t, wf_set(c, "sim.check", "1"), WF_OK);
    if (!wf_share_memory(c)) {
        test_skip(t, "addresses from 4 GiB on are taken (a sanitizer)");
        wf_context_destroy(c);
        return NULL;
    }
    *m = wf_module_load(c, "copy", copy_ptx, sizeof copy_ptx - 1);
    CHECK_MSG(t, *m, "%s", wf_errors(c));
    return c;
}

static enum wf_status copy(struct wf_module *m, uint64_t to, uint64_t from, struct wf_stats *stats)
{
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    return wf_launch(wf_kernel_find(m, "copy"), &shape, (void *[]){&to, &from}, 2, stats);
}

// The host reads and writes device memory by the device's addresses.
static void test_one_address(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct wf_module *m;
        struct wf_context *c = begin(t, gpu, &m);
        if (!c) return;
        uint64_t from = wf_alloc(c, 256), to = wf_alloc(c, 256);
        uint32_t *host_from = (uint32_t *)(uintptr_t)from,
                 *host_to = (uint32_t *)(uintptr_t)to; // NOLINT: one address
        CHECK(t, from >= 1ull << 32 && to < 1ull << 42);
        CHECK(t, wf_host(c, to, 256) == host_to);
        CHECK(t, !wf_host(c, to, 257));
        for (uint32_t i = 0; i < 64; i++) host_from[i] = i * i;
        CHECK_EQ(t, copy(m, to, from, NULL), WF_OK);
        CHECK(t, memcmp(host_from, host_to, 256) == 0);
        CHECK(t, !wf_share_memory(c)); // too late
        wf_context_destroy(c);
    }
}

// Memory of the heap below 2^42 and of mappings far above; a hole behind freed memory does not reach to lent memory.
static void test_lent(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct wf_module *m;
        struct wf_context *c = begin(t, gpu, &m);
        if (!c) return;
        uint32_t *own = malloc(256),
                 *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(t, (uintptr_t)mapped >> 42);
        for (uint32_t i = 0; i < 64; i++) own[i] = 7 * i;
        CHECK_EQ(t, wf_lend(c, own, 256), WF_OK);
        CHECK_EQ(t, wf_lend(c, mapped, 8192), WF_OK);
        CHECK_EQ(t, wf_lend(c, mapped + 4, 4), WF_BAD_INPUT);
        CHECK_EQ(t, copy(m, (uintptr_t)mapped, (uintptr_t)own, NULL), WF_OK);
        CHECK(t, memcmp(own, mapped, 256) == 0);
        CHECK_EQ(t, wf_free(c, wf_alloc(c, 4096)), WF_OK);
        CHECK(t, wf_alloc(c, 1ull << 31) < 1ull << 42);
        CHECK_EQ(t, wf_take_back(c, mapped), WF_OK);
        CHECK_EQ(t, wf_take_back(c, mapped), WF_BAD_INPUT);
        CHECK_EQ(t, copy(m, (uintptr_t)mapped, (uintptr_t)own, NULL), WF_PROGRAM_FAILED);
        munmap(mapped, 8192);
        wf_context_destroy(c);
        free(own);
    }
}

static void test_fault_kinds(struct test *t)
{
    FOR_EACH_GPU(gpu)
    {
        struct wf_module *m;
        struct wf_context *c = begin(t, gpu, &m);
        if (!c) return;
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        struct wf_stats stats;
        uint64_t p = wf_alloc(c, 512);
        copy(m, p, p, &stats);
        CHECK_EQ(t, stats.fault, WF_FAULT_NONE);
        copy(m, 0, p, &stats);
        CHECK_EQ(t, stats.fault, WF_FAULT_ADDRESS);
        wf_reset(c);
        copy(m, p, p + 1, &stats);
        CHECK_EQ(t, stats.fault, WF_FAULT_ALIGNMENT);
        wf_reset(c);
        wf_launch(wf_kernel_find(m, "stop"), &shape, NULL, 0, &stats);
        CHECK_EQ(t, stats.fault, WF_FAULT_TRAP);
        wf_context_destroy(c);
    }
}

// Streams, events and textures leave the context; a destroyed stream's launches are over.
static void test_destroyed(struct test *t)
{
    struct wf_module *m;
    struct wf_context *c = begin(t, "tiny", &m);
    if (!c) return;
    struct wf_texture_config shape = {.texel = WF_TEXEL_U32, .channels = 1, .width = 64};
    uint64_t to = wf_alloc(c, 256), from = wf_alloc(c, 256), texture = wf_texture_create(c, from, &shape);
    struct wf_stream *s = wf_stream_create(c), *other = wf_stream_create(c);
    struct wf_event *e = wf_event_create(c);
    struct wf_launch_config config = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .stream = s};
    struct wf_pending *l;
    CHECK_EQ(t, wf_launch_async(wf_kernel_find(m, "copy"), &config, (void *[]){&to, &from}, 2, &l), WF_OK);
    CHECK_EQ(t, wf_event_record(e, s), WF_OK);
    wf_event_destroy(e);
    wf_stream_destroy(s);
    CHECK(t, wf_launch_is_over(l));
    CHECK_EQ(t, wf_launch_status(l), WF_OK);
    CHECK_EQ(t, wf_stream_wait(other), WF_OK);
    CHECK_EQ(t, wf_texture_destroy(c, texture), WF_OK);
    CHECK_EQ(t, wf_texture_destroy(c, texture), WF_BAD_INPUT);
    CHECK_EQ(t, wf_texture_create(c, to, &shape), texture);
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"one-address", test_one_address},
                                             {"lent", test_lent},
                                             {"fault-kinds", test_fault_kinds},
                                             {"destroyed", test_destroyed}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
