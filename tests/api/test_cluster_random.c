// Random programs of clusters: stores, loads and atomics of other blocks' shared memory, st.async and red.async, sends and
// multicasts of bulk copies, remote arrivals, barriers of the cluster, against a model of memory in C that shares no code.
// Functional early and late, timed at any number of host threads, and in pairs that share the chip.
//
// A program is rounds with a synchronisation of the cluster behind each. A round's steps use different regions of shared
// memory, and are free of conflicts or commute, so the model executes them one after another.
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 4, WORDS = 128, SHARED = REGIONS * WORDS, BLOCKS_MAX = 64, THREADS_MAX = 128, INPUT = 4096 };

struct model {
    uint32_t blocks, threads, size; // size: of a cluster
    uint32_t input[INPUT];
    uint32_t shared[BLOCKS_MAX][SHARED], sum[BLOCKS_MAX][THREADS_MAX];
    struct strbuf text;
    unsigned labels;
    bool has_phase; // a step of the round uses the block's mbarrier of bytes
};

static uint32_t below(struct rng *r, uint32_t n) { return (uint32_t)rng_below(r, n); }

// Block of the rank in the cluster of `block`.
static uint32_t peer(const struct model *m, uint32_t block, uint32_t rank)
{
    return block - block % m->size + rank % m->size;
}

// -- program ------------------------------------------------------------------------------------------------

// %r0 thread, %r1 shared memory, %r2 mbarrier of bytes, %r3 mbarrier of arrivals, %r4 rank, %r5 size of the cluster, %r6 the
// thread's sum, %r8 and %r9 parities of the two mbarriers' next phases; %p1 thread 0. From %r10 on: of a step.
static const char head[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .pred %%p<9>;\n.reg .b16 %%h<4>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<12>;\n.shared .align 1024 .b8 "
    "s[2048];\n"
    ".shared .align 8 .b64 bars[2];\nld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nmov.u32 %%r0, "
    "%%tid.x;\n"
    "mov.u32 %%r1, s;\nmov.u32 %%r2, bars;\nadd.u32 %%r3, %%r2, 8;\nmov.u32 %%r4, %%cluster_ctarank;\n"
    "mov.u32 %%r5, %%cluster_nctarank;\nmov.u32 %%r6, %%ctaid.x;\nmad.lo.u32 %%r6, %%r6, 7919, %%r0;\n"
    "mov.u32 %%r8, 0;\nmov.u32 %%r9, 0;\nsetp.eq.u32 %%p1, %%r0, 0;\n"
    "@%%p1 mbarrier.init.shared.b64 [%%r2], 1;\n@%%p1 mbarrier.init.shared.b64 [%%r3], %u;\n"
    "@%%p1 fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n";

static void wait_for(struct model *m, unsigned barrier, unsigned parity, const char *order)
{
    strbuf_printf(&m->text,
                  "W%u: mbarrier.try_wait.parity%s.shared::cta.b64 %%p2, [%%r%u], %%r%u;\n@!%%p2 bra W%u;\n",
                  m->labels, order, barrier, parity, m->labels);
    strbuf_printf(&m->text, "xor.b32 %%r%u, %%r%u, 1;\n", parity, parity);
    m->labels++;
}

static void synchronise(struct rng *r, struct model *m)
{
    static const char *const arrive[] = {"", ".release", ".aligned", ".release.aligned"};
    static const char *const wait[] = {"", ".acquire"};
    if (below(r, 3)) {
        bool is_aligned = below(r, 2);
        strbuf_printf(&m->text, "barrier.cluster.arrive%s;\n", arrive[below(r, 2) + 2 * is_aligned]);
        if (below(r, 2)) { // work between
            strbuf_puts(&m->text, "mad.lo.u32 %r6, %r6, 5, 1;\n");
            for (uint32_t b = 0; b < m->blocks; b++)
                for (uint32_t t = 0; t < m->threads; t++) m->sum[b][t] = m->sum[b][t] * 5 + 1;
        }
        strbuf_printf(&m->text, "barrier.cluster.wait%s%s;\n", wait[below(r, 2)],
                      is_aligned ? ".aligned" : "");
        return;
    }
    // Thread n arrives at the block of rank n.
    strbuf_puts(&m->text,
                "bar.sync 0;\nsetp.lt.u32 %p3, %r0, %r5;\nmapa.shared::cluster.u32 %r10, %r3, %r0;\n"
                "@%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];\n");
    wait_for(m, 3, 9, ".acquire.cluster");
}

// -- steps --------------------------------------------------------------------------------------------------

// %r11: the address of the region in the block `distance` ranks further; %rd5: the generic address.
static void find_region(struct model *m, unsigned region, uint32_t distance)
{
    strbuf_printf(&m->text,
                  "add.u32 %%r10, %%r4, %u;\nrem.u32 %%r10, %%r10, %%r5;\nadd.u32 %%r11, %%r1, %u;\n"
                  "cvt.u64.u32 %%rd4, %%r11;\ncvta.shared.u64 %%rd4, %%rd4;\nmapa.u64 %%rd5, %%rd4, %%r10;\n"
                  "mapa.shared::cluster.u32 %%r11, %%r11, %%r10;\n",
                  distance, region * 4 * WORDS);
}

static uint32_t *region_of(struct model *m, uint32_t block, unsigned region, uint32_t rank)
{
    return m->shared[peer(m, block, rank)] + region * WORDS;
}

// Every thread below `count` stores a value of 1, 2, 4, 8 or 16 bytes, or exchanges 4, in a block at a distance.
static void add_store(struct rng *r, struct model *m, unsigned region)
{
    static const char *const types[] = {"u8", "u16", "u32", "v2.u32", "v4.u32"};
    uint32_t distance = below(r, m->size), factor = below(r, 1000), form = below(r, 7), value[4];
    uint32_t bytes = form < 5 ? 1u << form : 4, count = 1 + below(r, m->threads);
    bool is_generic = below(r, 2);
    const char *place = is_generic ? "%rd6" : "%r13", *space = is_generic ? "" : ".shared::cluster";
    if (count * bytes > 4 * WORDS) count = 4 * WORDS / bytes;
    find_region(m, region, distance);
    strbuf_printf(
        &m->text,
        "setp.lt.u32 %%p4, %%r0, %u;\nmad.lo.u32 %%r12, %%r0, %u, %%r6;\nmul.lo.u32 %%r14, %%r0, %u;\n"
        "add.u32 %%r13, %%r11, %%r14;\ncvt.u64.u32 %%rd6, %%r14;\nadd.u64 %%rd6, %%rd6, %%rd5;\n",
        count, factor, bytes);
    if (form == 3)
        strbuf_printf(&m->text, "@%%p4 st%s.v2.u32 [%s], {%%r12, %%r6};\n", space, place);
    else if (form == 4)
        strbuf_printf(&m->text, "@%%p4 st%s.v4.u32 [%s], {%%r12, %%r6, %%r0, %%r4};\n", space, place);
    else if (form < 3)
        strbuf_printf(&m->text, "@%%p4 st%s.%s [%s], %%r12;\n", space, types[form], place);
    else // 5, 6: the old value joins the sum; of a compare-and-swap the expected value is often wrong
        strbuf_printf(
            &m->text,
            "mov.u32 %%r15, 0;\n@%%p4 atom%s.%s.b32 %%r15, [%s], %s%%r12;\nadd.u32 %%r6, %%r6, %%r15;\n",
            space, form == 5 ? "exch" : "cas", place, form == 5 ? "" : "%r4, ");
    for (uint32_t b = 0; b < m->blocks; b++)
        for (uint32_t t = 0; t < count; t++) {
            uint8_t *to = (uint8_t *)region_of(m, b, region, b % m->size + distance) + t * bytes;
            uint32_t old;
            memcpy(value, (uint32_t[4]){t * factor + m->sum[b][t], m->sum[b][t], t, b % m->size}, 16);
            if (form > 4) {
                memcpy(&old, to, 4);
                m->sum[b][t] += old;
                if (form == 6 && old != b % m->size) continue;
            }
            memcpy(to, value, bytes);
        }
}

// Every thread loads a word, of 1, 2 or 4 bytes or two words, and takes it into its sum.
static void add_load(struct rng *r, struct model *m, unsigned region)
{
    static const char *const types[] = {"u8", "s16", "u32", "v2.u32"};
    uint32_t distance = below(r, m->size), step = 2 * below(r, 8) + 1, form = below(r, 4), bytes = 1u << form;
    uint32_t count = 4 * WORDS / bytes;
    bool is_generic = below(r, 2);
    find_region(m, region, distance);
    strbuf_printf(&m->text,
                  "mul.lo.u32 %%r14, %%r0, %u;\nand.b32 %%r14, %%r14, %u;\nmul.lo.u32 %%r14, %%r14, %u;\n"
                  "add.u32 %%r13, %%r11, %%r14;\ncvt.u64.u32 %%rd6, %%r14;\nadd.u64 %%rd6, %%rd6, %%rd5;\n"
                  "mov.u32 %%r16, 0;\nld%s.%s %s, [%s];\nmad.lo.u32 %%r6, %%r6, 3, %%r15;\nadd.u32 %%r6, "
                  "%%r6, %%r16;\n",
                  step, count - 1, bytes, is_generic ? "" : ".shared::cluster", types[form],
                  form == 3 ? "{%r15, %r16}" : "%r15", is_generic ? "%rd6" : "%r13");
    for (uint32_t b = 0; b < m->blocks; b++)
        for (uint32_t t = 0; t < m->threads; t++) {
            const uint8_t *from =
                (uint8_t *)region_of(m, b, region, b % m->size + distance) + (t * step & (count - 1)) * bytes;
            uint32_t word[2] = {0};
            memcpy(word, from, bytes);
            if (form == 1) word[0] = (uint32_t)(int16_t)word[0];
            m->sum[b][t] = m->sum[b][t] * 3 + word[0] + word[1];
        }
}

static uint32_t reduced(unsigned which, uint32_t a, uint32_t b)
{
    switch (which) {
    case 0: return a + b;
    case 1: return (int32_t)a < (int32_t)b ? a : b;
    case 2: return a > b ? a : b;
    case 3: return a ^ b;
    case 4: return a & b;
    }
    return a | b;
}

// Every thread reduces a word of a block of its own choice: many meet.
static void add_reduction(struct rng *r, struct model *m, unsigned region)
{
    static const char *const names[] = {"add.u32", "min.s32", "max.u32", "xor.b32", "and.b32", "or.b32"};
    uint32_t which = below(r, 6), spread = 1 + below(r, 9), word = below(r, WORDS), step = below(r, 40);
    bool is_async = below(r, 2) && !m->has_phase;
    strbuf_printf(
        &m->text,
        "mul.lo.u32 %%r10, %%r0, %u;\nadd.u32 %%r10, %%r10, %%r4;\nrem.u32 %%r10, %%r10, %%r5;\n"
        "mad.lo.u32 %%r14, %%r0, %u, %u;\nand.b32 %%r14, %%r14, %u;\nmad.lo.u32 %%r13, %%r14, 4, %%r1;\n"
        "mapa.shared::cluster.u32 %%r13, %%r13, %%r10;\n",
        spread, step, word, WORDS - 1);
    uint32_t bytes[BLOCKS_MAX] = {0};
    for (uint32_t b = 0; b < m->blocks; b++)
        for (uint32_t t = 0; t < m->threads; t++) {
            uint32_t rank = (t * spread + b) % m->size;
            uint32_t *to = region_of(m, b, region, rank) + ((t * step + word) & (WORDS - 1));
            *to = reduced(which, *to, m->sum[b][t]);
            bytes[rank] += b < m->size ? 4 : 0;
        }
    if (!is_async) {
        strbuf_printf(&m->text, "red.relaxed.cluster.shared::cluster.%s [%%r13+%u], %%r6;\n", names[which],
                      region * 4 * WORDS);
        return;
    }
    m->has_phase = true;
    strbuf_puts(&m->text, "mov.u32 %r15, 0;\n");
    for (uint32_t rank = 0; rank < m->size; rank++)
        strbuf_printf(&m->text, "setp.eq.u32 %%p5, %%r4, %u;\n@%%p5 mov.u32 %%r15, %u;\n", rank, bytes[rank]);
    strbuf_printf(
        &m->text,
        "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %%r15;\nmapa.shared::cluster.u32 %%r16, %%r2, "
        "%%r10;\nred.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.%s [%%r13+%u], %%r6, "
        "[%%r16];\n",
        names[which], region * 4 * WORDS);
    wait_for(m, 2, 8, ".acquire.cluster");
}

// st.async of every thread to the block at a distance.
static void add_async(struct rng *r, struct model *m, unsigned region)
{
    uint32_t distance = below(r, m->size);
    find_region(m, region, distance);
    strbuf_printf(
        &m->text,
        "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\nmad.lo.u32 %%r13, %%r0, 4, %%r11;\n"
        "mapa.shared::cluster.u32 %%r14, %%r2, %%r10;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%%r13], %%r6, [%%r14];\n",
        4 * m->threads);
    wait_for(m, 2, 8, ".acquire.cluster");
    for (uint32_t b = 0; b < m->blocks; b++)
        for (uint32_t t = 0; t < m->threads; t++)
            region_of(m, b, region, b % m->size + distance)[t] = m->sum[b][t];
}

// Thread 0 sends a region of its block to another region of the block at a distance.
static void add_send(struct rng *r, struct model *m, unsigned from, unsigned to)
{
    uint32_t distance = below(r, m->size), bytes = 16 * (1 + below(r, 4 * WORDS / 16));
    find_region(m, to, distance);
    strbuf_printf(
        &m->text,
        "fence.proxy.async;\nbar.sync 0;\n@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
        "mapa.shared::cluster.u32 %%r14, %%r2, %%r10;\n@%%p1 cp.async.bulk.shared::cluster.shared::cta."
        "mbarrier::complete_tx::bytes [%%r11], [%%r1+%u], %u, [%%r14];\n",
        bytes, from * 4 * WORDS, bytes);
    wait_for(m, 2, 8, ".acquire.cluster");
    for (uint32_t b = 0; b < m->blocks; b++)
        memcpy(region_of(m, b, to, b % m->size + distance), m->shared[b] + from * WORDS, bytes);
}

// Thread 0 of one rank loads a region of some of the blocks; the others do not wait.
static void add_multicast(struct rng *r, struct model *m, unsigned region)
{
    uint32_t rank = below(r, m->size), bytes = 16 * (1 + below(r, 4 * WORDS / 16)),
             at = 4 * below(r, INPUT / 8);
    uint32_t mask = 1 + below(r, (1u << m->size) - 1);
    bool is_single = below(r, 4) == 0; // without multicast, to the first block of the mask
    if (is_single) mask &= ~mask + 1;
    uint32_t first = 0;
    while (!(mask >> first & 1)) first++;
    find_region(m, region, 0);
    strbuf_printf(&m->text,
                  "shr.u32 %%r14, %u, %%r4;\nand.b32 %%r14, %%r14, 1;\nsetp.ne.u32 %%p5, %%r14, 0;\n"
                  "and.pred %%p6, %%p5, %%p1;\n@%%p6 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
                  "setp.eq.u32 %%p7, %%r4, %u;\nand.pred %%p7, %%p7, %%p1;\n",
                  mask, bytes, rank);
    if (is_single)
        strbuf_printf(
            &m->text,
            "mov.u32 %%r15, %u;\nadd.u32 %%r11, %%r1, %u;\nmapa.shared::cluster.u32 %%r11, %%r11, %%r15;\n"
            "mapa.shared::cluster.u32 %%r16, %%r2, %%r15;\n@%%p7 cp.async.bulk.shared::cluster.global."
            "mbarrier::complete_tx::bytes [%%r11], [%%rd1+%u], %u, [%%r16];\n",
            first, region * 4 * WORDS, 4 * at, bytes);
    else
        strbuf_printf(
            &m->text,
            "mov.u16 %%h1, %u;\n@%%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
            "multicast::cluster [%%r1+%u], [%%rd1+%u], %u, [%%r2], %%h1;\n",
            mask, region * 4 * WORDS, 4 * at, bytes);
    strbuf_printf(&m->text, "@!%%p5 bra N%u;\n", m->labels);
    unsigned label = m->labels++;
    wait_for(m, 2, 8, "");
    strbuf_printf(&m->text, "N%u:\n", label);
    for (uint32_t b = 0; b < m->blocks; b++)
        if (mask >> b % m->size & 1) memcpy(m->shared[b] + region * WORDS, m->input + at, bytes);
}

static void add_round(struct rng *r, struct model *m)
{
    m->has_phase = false;
    for (unsigned region = 0, steps = 1 + below(r, 3); steps && region < REGIONS; steps--, region++) {
        unsigned kind = below(r, 6);
        if (kind > 2 && m->has_phase) kind = below(r, 3);
        switch (kind) {
        case 0: add_store(r, m, region); break;
        case 1: add_load(r, m, region); break;
        case 2: add_reduction(r, m, region); break;
        case 3: add_async(r, m, region); break;
        case 4: add_multicast(r, m, region); break;
        case 5:
            if (region + 1 < REGIONS) add_send(r, m, region, region + 1);
            region++;
            break;
        }
        m->has_phase |= kind > 2;
    }
    synchronise(r, m);
}

static void make(struct rng *r, struct model *m)
{
    static const uint32_t sizes[] = {2, 4, 8, 3, 5, 16, 2, 1};
    m->size = sizes[below(r, TEST_COUNT(sizes))];
    m->blocks = m->size * (1 + below(r, m->size > 8 ? 3 : 5));
    m->threads = 32 * (1 + below(r, THREADS_MAX / 32));
    for (unsigned n = 0; n < INPUT; n++) m->input[n] = (uint32_t)rng_next(r);
    for (uint32_t b = 0; b < m->blocks; b++)
        for (uint32_t t = 0; t < m->threads; t++) m->sum[b][t] = b * 7919 + t;
    memset(m->shared, 0, sizeof m->shared);
    strbuf_printf(&m->text, head, m->size);
    // Shared memory is not cleared on a card.
    strbuf_puts(&m->text,
                "mov.u32 %r10, %r0;\nmov.u32 %r14, %ntid.x;\nmov.u32 %r12, 0;\n"
                "Z: mad.lo.u32 %r11, %r10, 4, %r1;\nst.shared.u32 [%r11], %r12;\nadd.u32 %r10, %r10, %r14;\n"
                "setp.lt.u32 %p2, %r10, 512;\n@%p2 bra Z;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    for (unsigned n = 2 + below(r, 6); n--;) add_round(r, m);
    strbuf_puts(
        &m->text,
        "mov.u32 %r10, %ctaid.x;\nmul.lo.u32 %r10, %r10, 2560;\ncvt.u64.u32 %rd3, %r10;\n"
        "add.u64 %rd2, %rd2, %rd3;\nmul.wide.u32 %rd3, %r0, 4;\nadd.u64 %rd3, %rd3, %rd2;\n"
        "st.global.u32 [%rd3+2048], %r6;\nmov.u32 %r10, %r0;\nmov.u32 %r14, %ntid.x;\n"
        "E: mad.lo.u32 %r11, %r10, 4, %r1;\nld.shared.u32 %r12, [%r11];\nmul.wide.u32 %rd3, %r10, 4;\n"
        "add.u64 %rd3, %rd3, %rd2;\nst.global.u32 [%rd3], %r12;\nadd.u32 %r10, %r10, %r14;\n"
        "setp.lt.u32 %p2, %r10, 512;\n@%p2 bra E;\nret;\n}\n");
}

// -- runs ---------------------------------------------------------------------------------------------------

static const struct way {
    const char *gpu, *keys[4][2];
    unsigned threads;
    bool repeats; // the cycles of the way before
} ways[] = {
    {.keys = {{"exec.async", "early"}}},
    {.keys = {{"exec.async", "late"}}},
    {.keys = {{"exec.async", "late"}, {"compile.optimise", "0"}, {"exec.isa", "general"}}},
    {.gpu = "h100", .threads = 1},
    {.gpu = "h100", .threads = 2, .repeats = true},
    {.gpu = "h100", .threads = 4, .repeats = true},
    {.gpu = "h100", .threads = 4, .keys = {{"sim.check", "1"}}, .repeats = true},
    {.gpu = "h100", .threads = 4, .keys = {{"sim.skip_idle", "0"}}, .repeats = true},
    {.gpu = "h200", .threads = 2, .keys = {{"dsmem.latency", "28"}, {"cluster.barrier_latency", "28"}}},
    {.gpu = "h100",
     .threads = 1,
     .keys = {{"gpu.gpcs", "16"}, {"gpu.sm_count", "16"}, {"dsmem.bytes", "1"}, {"sm.blocks", "2"}}},
    {.gpu = "h100",
     .threads = 4,
     .keys = {{"gpu.gpcs", "16"}, {"gpu.sm_count", "16"}, {"dsmem.bytes", "1"}, {"sm.blocks", "2"}},
     .repeats = true},
    {.gpu = "h100", .threads = 2, .keys = {{"issue.dependences", "single"}, {"cluster.release", "0"}}},
    {.gpu = "h100", .threads = 2, .keys = {{"issue.dependences", "encoded"}, {"lsu.pending", "1"}}},
};

static bool is_as_expected(struct test *t, const struct model *m, const uint32_t *got, uint64_t seed,
                           unsigned way)
{
    for (uint32_t b = 0; b < m->blocks; b++, got += SHARED + THREADS_MAX) {
        uint32_t n = 0;
        while (n < SHARED && got[n] == m->shared[b][n]) n++;
        for (; n >= SHARED && n < SHARED + m->threads && got[n] == m->sum[b][n - SHARED];) n++;
        if (n == SHARED + m->threads) continue;
        CHECK_MSG(t, false,
                  "case %llu way %u: block %u of %u in clusters of %u, %s %u is 0x%x, expected 0x%x\n%s",
                  (unsigned long long)seed, way, b, m->blocks, m->size, n < SHARED ? "word" : "sum of thread",
                  n < SHARED ? n : n - SHARED, got[n], n < SHARED ? m->shared[b][n] : m->sum[b][n - SHARED],
                  m->text.text);
        return false;
    }
    return true;
}

// Runs the programs, each in a stream of its own if there are several. Returns the cycles of the first, 1
// without time; 0 after a failure.
static uint64_t run(struct test *t, struct model *const *models, unsigned count, unsigned way, uint64_t seed)
{
    enum { BYTES = BLOCKS_MAX * 4 * (SHARED + THREADS_MAX) };
    struct wf_context *c = wf_context_create();
    struct wf_stream *streams[2] = {NULL};
    struct wf_pending *launches[2] = {NULL};
    uint64_t in[2], out[2];
    bool good = true;
    if (ways[way].gpu) wf_gpu(c, ways[way].gpu);
    for (unsigned k = 0; k < 4 && ways[way].keys[k][0]; k++)
        wf_set(c, ways[way].keys[k][0], ways[way].keys[k][1]);
    if (ways[way].threads) wf_set_threads(c, ways[way].threads);
    for (unsigned n = 0; n < count; n++) {
        const struct model *m = models[n];
        struct wf_module *module = wf_module_load(c, "k.ptx", m->text.text, m->text.length);
        struct wf_kernel *k = module ? wf_kernel_find(module, "k") : NULL;
        if (count > 1) streams[n] = wf_stream_create(c);
        in[n] = wf_alloc(c, sizeof m->input);
        out[n] = wf_alloc(c, BYTES);
        wf_write(c, in[n], m->input, sizeof m->input);
        struct wf_launch_config shape = {.grid = {m->blocks, 1, 1},
                                         .block = {m->threads, 1, 1},
                                         .cluster = {m->size, 1, 1},
                                         .stream = streams[n]};
        void *args[] = {&in[n], &out[n]};
        good &= k && wf_launch_async(k, &shape, args, 2, &launches[n]) == WF_OK;
    }
    uint64_t cycles = 0;
    for (unsigned n = 0; n < count; n++) {
        uint32_t *got = heap_alloc(BYTES);
        good = good && wf_launch_status(launches[n]) == WF_OK;
        CHECK_MSG(t, good, "case %llu way %u: %s\n%s", (unsigned long long)seed, way, wf_errors(c),
                  models[n]->text.text);
        if (good) wf_read(c, out[n], got, BYTES);
        good = good && is_as_expected(t, models[n], got, seed, way);
        if (good && !cycles) cycles = wf_launch_stats(launches[n])->cycles;
        free(got);
        if (launches[n]) wf_launch_free(launches[n]);
    }
    wf_context_destroy(c);
    return !good ? 0 : ways[way].gpu ? cycles : 1;
}

static void check_case(struct test *t, uint64_t seed, unsigned count)
{
    struct model *models[2];
    uint64_t before = 0;
    struct rng r;
    rng_init(&r, seed);
    for (unsigned n = 0; n < count; n++) {
        models[n] = heap_alloc(sizeof *models[n]);
        make(&r, models[n]);
    }
    for (unsigned way = count > 1 ? 3 : 0; way < TEST_COUNT(ways); way++) {
        uint64_t cycles = run(t, models, count, way, seed);
        if (!cycles) break;
        if (ways[way].repeats)
            CHECK_MSG(t, cycles == before, "case %llu way %u: other cycles", (unsigned long long)seed, way);
        before = cycles;
    }
    for (unsigned n = 0; n < count; n++) {
        strbuf_fini(&models[n]->text);
        free(models[n]);
    }
}

static void test_random(struct test *t)
{
    uint64_t first = test_seed(1), count = test_is_long() ? 2000 : 12;
    for (uint64_t seed = first; seed < first + count; seed++) check_case(t, seed, 1);
}

static void test_pairs(struct test *t)
{
    uint64_t first = test_seed(1) + 1000000, count = test_is_long() ? 500 : 4;
    for (uint64_t seed = first; seed < first + count; seed++) check_case(t, seed, 2);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"random", test_random}, {"pairs", test_pairs}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
