// Clusters, waits and small instructions of sm_90, one kernel a case: registers and addresses against the rules of the PTX
// ISA in C, checks of a launch, and faults with their texts. Random kernels: tests/differential/test_phases.c.
#include "harness/test.h"

#include "api/warpfold.h"
#include "base/arena.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)%s\n{\n.reg .pred "   \
    "%%p<9>;\n"                                                                                              \
    ".reg .b32 %%r<40>;\n.reg .b64 %%rd<9>;\n.shared .align 16 .b8 s[1024];\n"                               \
    "ld.param.u64 %%rd1, [out];\nmov.u32 %%r0, %%tid.x;\n"

struct run {
    const char *directives, *body;
    struct wf_launch_config shape;
    const char *gpu, *tech, *key, *value;
    unsigned threads; // of the host; 0: as it comes
    uint32_t out[4096];
    char errors[4000];
    enum wf_status status;
};

static void run(struct run *r)
{
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    strbuf_printf(&text, HEAD, r->directives ? r->directives : "");
    strbuf_printf(&text, "%s\nret;\n}\n", r->body);
    if (r->gpu) wf_gpu(c, r->gpu);
    if (r->tech) wf_tech(c, r->tech);
    wf_set(c, "exec.look", "10000");
    if (r->threads) wf_set_threads(c, r->threads);
    if (r->key) wf_set(c, r->key, r->value);
    struct wf_module *m = wf_module_load(c, "k.ptx", text.text, text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t out = wf_alloc(c, sizeof r->out);
    void *args[] = {&out};
    memset(r->out, 0, sizeof r->out);
    r->status = k ? wf_launch(k, &r->shape, args, 1, NULL) : WF_BAD_INPUT;
    if (r->status == WF_OK) wf_read(c, out, r->out, sizeof r->out);
    snprintf(r->errors, sizeof r->errors, "%s", wf_errors(c));
    wf_context_destroy(c);
    strbuf_fini(&text);
}

static void run_good(struct test *t, struct run *r)
{
    run(r);
    CHECK_MSG(t, r->status == WF_OK, "%s", r->errors);
}

static void run_bad(struct test *t, struct run *r, const char *text)
{
    run(r);
    CHECK(t, r->status != WF_OK);
    CHECK_HAS(t, r->errors, text);
}

// The ways to run a launch in clusters: way 0 functional, the others timed.
enum { WAYS = 4 };
static void choose_way(struct run *r, unsigned way)
{
    static const unsigned threads[WAYS] = {0, 1, 2, 4};
    r->gpu = way ? "h100" : NULL;
    r->threads = threads[way];
}

static void run_bad_anyhow(struct test *t, struct run *r, const char *text)
{
    char errors[sizeof r->errors] = "";
    for (unsigned way = 0; way < WAYS; way++) {
        choose_way(r, way);
        run_bad(t, r, text);
        if (way > 1) CHECK_STR(t, r->errors, errors);
        if (way == 1) memcpy(errors, r->errors, sizeof errors);
    }
}

// Stores %r1 to %r8 of thread 0 at out + 32 * linear block.
#define STORE_EIGHT                                                                                          \
    "mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ctaid.y; mov.u32 %r22, %ctaid.z; mov.u32 %r23, %nctaid.x;\n"     \
    "mov.u32 %r24, %nctaid.y; mad.lo.u32 %r21, %r22, %r24, %r21; mad.lo.u32 %r20, %r21, %r23, %r20;\n"       \
    "mul.wide.u32 %rd2, %r20, 32; add.u64 %rd2, %rd1, %rd2; st.global.v4.u32 [%rd2], {%r1, %r2, %r3, "       \
    "%r4};\n"                                                                                                \
    "st.global.v4.u32 [%rd2+16], {%r5, %r6, %r7, %r8};\n"

// Grid of 4 x 6 x 2 blocks in clusters of 2 x 3 x 1.
static void test_registers(struct test *t)
{
    static struct run r = {
        .body = "mov.u32 %r1, %clusterid.x; mov.u32 %r2, %clusterid.y; mov.u32 %r3, %nclusterid.x;\n"
                "mov.u32 %r4, %cluster_ctaid.x; mov.u32 %r5, %cluster_ctaid.y; mov.u32 %r6, "
                "%cluster_ctarank;\nmov.u32 %r7, %cluster_nctarank; mov.u32 %r8, %cluster_nctaid.y;\n"
                "mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r8, %r8, 100;\n" STORE_EIGHT};
    for (unsigned way = 0; way < WAYS; way++) {
        choose_way(&r, way);
        r.shape = (struct wf_launch_config){.grid = {4, 6, 2}, .block = {32, 1, 1}, .cluster = {2, 3, 1}};
        run_good(t, &r);
        for (uint32_t b = 0; b < 48; b++) {
            uint32_t x = b % 4, y = b / 4 % 6;
            const uint32_t want[8] = {x / 2, y / 3, 2, x % 2, y % 3, x % 2 + y % 3 * 2, 6, 103};
            CHECK_EQ(t, memcmp(&r.out[8 * b], want, sizeof want), 0);
        }
        r.shape = (struct wf_launch_config){.grid = {3, 1, 1}, .block = {32, 1, 1}}; // every block a cluster
        run_good(t, &r);
        for (uint32_t b = 0; b < 3; b++) {
            const uint32_t want[8] = {b, 0, 3, 0, 0, 0, 1, 1};
            CHECK_EQ(t, memcmp(&r.out[8 * b], want, sizeof want), 0);
        }
    }
}

// mapa and getctarank in both address forms; generic loads and atomics of another block.
static void test_addresses(struct test *t)
{
    static struct run r = {
        .directives = " .reqnctapercluster 4",
        .shape = {.grid = {8, 1, 1}, .block = {32, 1, 1}},
        .body = "mov.u32 %r9, %cluster_ctarank; mov.u32 %r10, %ctaid.x; add.u32 %r11, %r9, 1; and.b32 %r11, "
                "%r11, 3;\n"
                "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [s+8], %r10; barrier.cluster.arrive; "
                "barrier.cluster.wait;\n"
                "mapa.shared::cluster.u32 %r12, s, %r11; getctarank.shared::cluster.u32 %r1, %r12;\n"
                "mov.u32 %r13, s; getctarank.shared::cluster.u32 %r2, %r13;\n"
                "cvt.u64.u32 %rd3, %r13; cvta.shared.u64 %rd3, %rd3; mapa.u64 %rd4, %rd3, %r11; "
                "getctarank.u64 %r3, %rd4;\n"
                "ld.u32 %r4, [%rd4+8]; ld.shared::cluster.u32 %r5, [%r12+8]; isspacep.shared::cluster %p2, "
                "%rd4;\n"
                "selp.u32 %r6, 1, 0, %p2; barrier.cluster.arrive; barrier.cluster.wait;\n"
                "@%p1 atom.shared::cluster.add.u32 %r7, [%r12+8], 1000; @%p1 red.shared::cluster.add.u32 "
                "[%r12+12], 7;\n"
                "barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r8, [s+8]; ld.shared.u32 %r14, "
                "[s+12];\n"
                "add.u32 %r8, %r8, %r14; @!%p1 ret;\n" STORE_EIGHT};
    for (unsigned way = 0; way < WAYS; way++) {
        choose_way(&r, way);
        run_good(t, &r);
        for (uint32_t b = 0; b < 8; b++) {
            uint32_t rank = b % 4, next = (rank + 1) % 4, of_next = b - rank + next;
            const uint32_t want[8] = {next, rank, next, of_next, of_next, 1, of_next, b + 1007};
            CHECK_EQ(t, memcmp(&r.out[8 * b], want, sizeof want), 0);
        }
    }
}

static void test_checks(struct test *t)
{
    struct run *r = heap_alloc(sizeof *r);
    *r = (struct run){.body = "", .shape = {.grid = {6, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}}};
    run_bad(t, r, "6 blocks along x are no multiple of a cluster's 4");
    r->shape = (struct wf_launch_config){.grid = {32, 1, 1}, .block = {32, 1, 1}, .cluster = {32, 1, 1}};
    run_bad(t, r, "cluster of 32 x 1 x 1; at most 16 blocks are possible");
    r->shape.cluster[1] = 0;
    run_bad(t, r, "no dimension may be 0");
    r->shape = (struct wf_launch_config){.grid = {8, 1, 1}, .block = {32, 1, 1}, .cluster = {8, 1, 1}};
    r->directives = " .maxclusterrank 4";
    run_bad(t, r, "at most 4 blocks are possible (.maxclusterrank)");
    r->directives = " .reqnctapercluster 2";
    run_bad(t, r, "kernel k requires 2 x 1 x 1 (.reqnctapercluster)");
    r->directives = " .explicitcluster";
    r->shape.cluster[0] = r->shape.cluster[1] = r->shape.cluster[2] = 0;
    run_bad(t, r, "the launch names none");
    r->directives = " .reqnctapercluster 2";
    r->gpu = "tiny";
    run_bad(t, r, "tiny has no clusters of more than one block (gpu.gpcs)");
    r->directives = NULL;
    r->tech = "darsie";
    r->body = "barrier.cluster.arrive; barrier.cluster.wait;";
    run_bad(t, r, "kernel k has barrier.cluster, unknown to mechanisms (darsie) yet");
    r->tech = NULL;
    run_good(t, r);
    r->directives = " .reqnctapercluster 2";
    r->gpu = "h100";
    r->tech = "darsie";
    r->body = "";
    run_bad(t, r, "clusters of more than one block are unknown to mechanisms (darsie) yet");
    r->tech = NULL;
    r->key = "dsmem.latency";
    r->value = "27";
    run_bad(t, r, "dsmem.latency is 27");
    CHECK_HAS(t, r->errors, "both must be at least a window of time, 28 cycles");
    r->value = "28";
    run_good(t, r);
    r->key = "gpu.gpcs";
    r->value = "1,1,1";
    run_bad(t, r, "a cluster of 2 blocks, each on an SM of its own, fits on no GPC (gpu.gpcs)");
    r->value = "4,,4";
    run_bad(t, r, "gpu.gpcs is \"4,,4\", and not numbers of SMs");
    r->value = "1,2";
    run_good(t, r);
    free(r);
}

static void test_faults(struct test *t)
{
    struct run *r = heap_alloc(sizeof *r);
    *r = (struct run){.directives = " .reqnctapercluster 2",
                      .shape = {.grid = {2, 1, 1}, .block = {32, 1, 1}}};
    r->body =
        "mapa.shared::cluster.u32 %r1, s, 5; ld.shared::cluster.u32 %r2, [%r1]; st.global.u32 [%rd1], %r2;";
    run_bad_anyhow(t, r, "is of the block of rank 5, and the cluster has 2 blocks");
    r->body = "mapa.shared::cluster.u32 %r1, s, 1; ld.shared::cluster.u32 %r2, [%r1+4096]; st.global.u32 "
              "[%rd1], %r2;";
    run_bad_anyhow(t, r, "outside its shared memory of 1024 bytes");
    // The block of rank 0 ends while the other reads its memory.
    r->body =
        "mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p1, %r3, 0; @%p1 ret; mov.u32 %r4, 0;\n"
        "L: add.u32 %r4, %r4, 1; ld.volatile.global.u32 %r5, [%rd1]; setp.lt.u32 %p2, %r4, 400; @%p2 bra "
        "L;\n"
        "mapa.shared::cluster.u32 %r1, s, 0; ld.shared::cluster.u32 %r2, [%r1]; st.global.u32 [%rd1], %r2;";
    run_bad_anyhow(t, r, "which has ended");
    r->body = "barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;";
    run_bad_anyhow(t, r, "arrives at the cluster's barrier again");
    // Blocks wait for words of each other.
    r->body = "mov.u32 %r3, %cluster_ctarank; xor.b32 %r3, %r3, 1; mapa.shared::cluster.u32 %r1, s, %r3;\n"
              "L: ld.volatile.shared::cluster.u32 %r2, [%r1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;";
    run_bad_anyhow(t, r, "reads shared 0x100000 of the block of rank 1");
    r->body = "mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p1, %r3, 0; @%p1 bra A; bar.sync 1, 64;\n"
              "A: barrier.cluster.arrive; barrier.cluster.wait;";
    run_bad_anyhow(t, r, "deadlock in block");
    CHECK_HAS(t, r->errors, "waits for the other threads of the cluster");
    choose_way(r, 0);
    // Rank 1 waits for an arrival that never comes, in a loop: the launch never ends.
    r->body = "mbarrier.init.shared.b64 [s], 2; mbarrier.arrive.expect_tx.shared.b64 _, [s], 48;\n"
              "W: mbarrier.try_wait.parity.shared.b64 %p1, [s], 0; @!%p1 bra W;";
    run_bad(t, r, "never end");
    CHECK_HAS(t, r->errors, "SYNCS.WAIT");
    free(r);
}

// try_wait with a time gives up, timed and not: 0, 1 and the count of tries.
static void test_limit(struct test *t)
{
    static struct run r = {
        .shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}},
        .body = "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [s], 1; bar.sync 0; mov.u32 %r1, 0;\n"
                "W: add.u32 %r1, %r1, 1; mbarrier.try_wait.parity.shared.b64 %p2, [s], 0, 50;\n"
                "setp.lt.u32 %p3, %r1, 9; not.pred %p4, %p2; and.pred %p3, %p3, %p4; @%p3 bra W;\n"
                "selp.u32 %r2, 1, 0, %p2; @%p1 st.global.v2.u32 [%rd1], {%r1, %r2};"};
    for (unsigned k = 0; k < 2; k++) {
        run_good(t, &r);
        CHECK_EQ(t, r.out[0], 9);
        CHECK_EQ(t, r.out[1], 0);
        r.gpu = "tiny";
    }
}

// stmatrix against the rule: lane l of matrix j stores to row l / 4 the elements 2 (l % 4) and the next.
static void test_stmatrix(struct test *t)
{
    static struct run r = {
        .shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}},
        .body =
            "shl.b32 %r1, %r0, 4; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; mad.lo.u32 %r3, %r0, 131072, %r0;\n"
            "mad.lo.u32 %r3, %r0, 2, %r3; add.u32 %r4, %r3, 0x01000100; add.u32 %r5, %r3, 0x02000200; "
            "add.u32 %r6, %r3, "
            "0x03000300;\nstmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r3, %r4, %r5, %r6}; bar.sync 0;\n"
            "ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r1]; mul.wide.u32 %rd2, %r0, 16; add.u64 %rd2, %rd1, "
            "%rd2;\n"
            "st.global.v4.u32 [%rd2], {%r7, %r8, %r9, %r10};\n"
            "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r1], {%r4}; bar.sync 0;\n"
            "ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r1]; st.global.v4.u32 [%rd2+512], {%r7, %r8, %r9, "
            "%r10};"};
    for (unsigned k = 0; k < 2; k++) {
        run_good(t, &r);
        const uint16_t *rows = (const uint16_t *)r.out, *turned = rows + 256;
        for (unsigned j = 0; j < 4; j++)
            for (unsigned l = 0; l < 32; l++) {
                uint32_t word = l * 131072 + 3 * l + j * 0x01000100;
                CHECK_EQ(t, rows[64 * j + l / 4 * 8 + 2 * (l % 4)], (uint16_t)word);
                CHECK_EQ(t, rows[64 * j + l / 4 * 8 + 2 * (l % 4) + 1], (uint16_t)(word >> 16));
            }
        for (unsigned l = 0; l < 32; l++) {
            uint32_t word = l * 131072 + 3 * l + 0x01000100;
            CHECK_EQ(t, turned[2 * (l % 4) * 8 + l / 4], (uint16_t)word);
            CHECK_EQ(t, turned[(2 * (l % 4) + 1) * 8 + l / 4], (uint16_t)(word >> 16));
        }
        r.gpu = "tiny";
    }
}

// Instructions without an effect on values.
static void test_accepted(struct test *t)
{
    static struct run r = {
        .directives = " .maxntid 128 .maxnreg 128",
        .shape = {.grid = {2, 1, 1}, .block = {128, 1, 1}},
        .body = "griddepcontrol.wait; setmaxnreg.dec.sync.aligned.u32 40; fence.proxy.async;\n"
                "fence.proxy.async.shared::cta; fence.mbarrier_init.release.cluster; mov.u32 %r1, %ctaid.x;\n"
                "mad.lo.u32 %r1, %r1, 128, %r0; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;\n"
                "setmaxnreg.inc.sync.aligned.u32 232; st.global.u32 [%rd2], %r1; "
                "griddepcontrol.launch_dependents;"};
    for (unsigned k = 0; k < 2; k++) {
        run_good(t, &r);
        for (uint32_t n = 0; n < 256; n++) CHECK_EQ(t, r.out[n], n);
        r.gpu = "tiny";
    }
}

// Clusters resident at once, as a card says by cudaOccupancyMaxActiveClusters (silicon/h100/card.csv): with eight
// blocks an SM, and with one. (Of 16 blocks, eight an SM, the card has 58.)
static void test_occupancy(struct test *t)
{
    static const struct {
        uint32_t size;
        uint64_t eight, one;
    } cases[] = {{1, 1056, 132}, {2, 528, 66}, {4, 248, 30}, {8, 124, 15}, {16, 57, 7}};
    static const char text[] =
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
    struct wf_context *c = wf_context_create();
    wf_gpu(c, "h100");
    struct wf_module *m = wf_module_load(c, "k.ptx", text, sizeof text - 1);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    for (unsigned n = 0; k && n < TEST_COUNT(cases); n++) {
        struct wf_launch_config shape = {
            .grid = {16, 1, 1}, .block = {256, 1, 1}, .cluster = {cases[n].size, 1, 1}};
        CHECK_EQ(t, wf_clusters_resident(k, &shape), cases[n].eight);
        shape.shared_bytes = 200 << 10;
        CHECK_EQ(t, wf_clusters_resident(k, &shape), cases[n].one);
    }
    CHECK_MSG(t, k, "%s", wf_errors(c));
    wf_context_destroy(c);
}

// -- time ---------------------------------------------------------------------------------------------------

// Measured on an H100 (silicon/h100/card.csv, docs/notes/h100-measured.md). A kernel repeats a piece of PTX between two
// reads of the clock. %r9: the address of the thread's word in the block of the next rank; %r11: 0.
struct piece {
    const char *name, *text;
    uint32_t blocks, threads, times;
    double bytes; // of a time, of all threads of a block: a rate is compared; 0: the cycles of a time
    double card, percent;
};
#define LOAD4                                                                                                \
    "ld.volatile.shared::cluster.u32 %r12, [%r9]; ld.volatile.shared::cluster.u32 %r13, [%r9]; "             \
    "ld.volatile.shared::cluster.u32 "                                                                       \
    "%r14, [%r9]; ld.volatile.shared::cluster.u32 %r15, [%r9];"
#define STORE4                                                                                               \
    "st.shared::cluster.u32 [%r9], %r0; st.shared::cluster.u32 [%r9], %r0; st.shared::cluster.u32 "          \
    "[%r9], %r0; st.shared::cluster.u32 [%r9], %r0;"
#define RED4                                                                                                 \
    "red.shared::cluster.add.u32 [%r9], %r0; red.shared::cluster.add.u32 [%r9], %r0; "                       \
    "red.shared::cluster.add.u32 [%r9], %r0; red.shared::cluster.add.u32 [%r9], %r0;"
static const struct piece pieces[] = {
    {"ld", "ld.volatile.shared::cluster.u32 %r12, [%r9]; add.u32 %r9, %r9, %r12;", 2, 32, 64, 0, 189, 8},
    {"relaxed, 2", "barrier.cluster.arrive.relaxed; barrier.cluster.wait;", 2, 32, 32, 0, 74.2, 10},
    {"relaxed, 8", "barrier.cluster.arrive.relaxed; barrier.cluster.wait;", 8, 32, 32, 0, 79.2, 10},
    {"relaxed, 16", "barrier.cluster.arrive.relaxed; barrier.cluster.wait;", 16, 32, 32, 0, 82.2, 10},
    {"release, 2", "barrier.cluster.arrive; barrier.cluster.wait;", 2, 32, 8, 0, 728.6, 10},
    {"release, 8, 128 threads", "barrier.cluster.arrive; barrier.cluster.wait;", 8, 128, 8, 0, 795.9, 15},
    {"release, 8, 512 threads", "barrier.cluster.arrive; barrier.cluster.wait;", 8, 512, 8, 0, 1311.9, 15},
    {"ld both ways", LOAD4, 2, 1024, 16, 16384, 16.65, 10},
    {"ld ring of 8", LOAD4, 8, 1024, 16, 16384, 16.63, 10},
    {"st both ways", STORE4, 2, 1024, 16, 16384, 19.74, 10},
    {"red both ways", RED4, 2, 1024, 16, 16384, 9.36, 10},
};

static void test_time(struct test *t)
{
    for (unsigned n = 0; n < TEST_COUNT(pieces); n++) {
        const struct piece *p = &pieces[n];
        struct strbuf body = {0};
        static struct run r;
        strbuf_puts(
            &body,
            "mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; add.u32 %r3, %r1, 1; rem.u32 "
            "%r3, %r3, "
            "%r2;\nand.b32 %r4, %r0, 255; mov.u32 %r9, s; mad.lo.u32 %r9, %r4, 4, %r9; mov.u32 %r11, 0; "
            "st.shared.u32 [%r9], %r11;\nmapa.shared::cluster.u32 %r9, %r9, %r3; barrier.cluster.arrive; "
            "barrier.cluster.wait;\nbar.sync 0; mov.u32 %r5, %clock;\n");
        for (uint32_t k = 0; k < p->times; k++) strbuf_puts(&body, p->text), strbuf_puts(&body, "\n");
        strbuf_puts(&body, "fence.acq_rel.cluster; bar.sync 0; mov.u32 %r6, %clock; sub.u32 %r6, %r6, %r5;\n"
                           "setp.eq.u32 %p1, %r0, 0; barrier.cluster.arrive; barrier.cluster.wait; @%p1 "
                           "st.global.u32 [%rd1], "
                           "%r6; ");
        r = (struct run){
            .gpu = "h100",
            .body = body.text,
            .shape = {.grid = {p->blocks, 1, 1}, .block = {p->threads, 1, 1}, .cluster = {p->blocks, 1, 1}}};
        run_good(t, &r);
        double cycles = (double)r.out[0] / p->times, got = p->bytes > 0 ? p->bytes / cycles : cycles;
        CHECK_MSG(t, got > p->card * (1 - p->percent / 100) && got < p->card * (1 + p->percent / 100),
                  "%s: %g, on the card %g", p->name, got, p->card);
        strbuf_fini(&body);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"registers", test_registers}, {"addresses", test_addresses}, {"checks", test_checks},
        {"faults", test_faults},       {"limit", test_limit},         {"stmatrix", test_stmatrix},
        {"accepted", test_accepted},   {"time", test_time},           {"occupancy", test_occupancy}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
