// Kernels of asynchronous copies, groups and waits (cp.async), with one result whatever the moment of a copy.
//
// Threads of a block copy from `in`, or from the thread's own bytes of `out`, into stages of shared memory: 16 bytes a
// thread, at the thread's own place. A stage goes through
//
//     free ── copies ──▶ under way ── wait ──▶ landed (the thread may read) ── barrier ──▶ seen (all may read)
//      ▲                                                                                     │
//      └───────────────────────────── barrier, if others have read ───────────────────────────┘
//
// Even and odd threads are two classes with groups of their own, so that waits differ among lanes of a warp. Statements:
// copies of 4, 8 and 16 bytes, .ca and .cg, src-size, ignore-src, under a guard, of one class in a branch; commits, also
// of empty groups; waits for all but N groups, for all, by an mbarrier; barriers; stores into a stage and into a source
// after its copy has landed; reads of the thread's own place and of another's. Most kernels repeat all statements in
// a loop.
#include "generator/generator.h"
#include "generator/params.h"

#include "base/bits.h"
#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 5, CLASSES = 2, PLACE_BYTES = 16, SOURCES = 4, IN_WORDS = 1024 };

struct stage {
    bool under_way[CLASSES]; // copies not covered by a wait
    uint32_t group[CLASSES]; // number of the latest copy's group
    bool seen;               // a barrier has passed since the stage landed for both classes
    bool is_read;            // read by others since the last barrier
    bool is_stored;          // stored into since the last barrier
};

struct copier {
    struct rng rng;
    struct strbuf body;
    struct stage stages[STAGES];
    uint32_t commits[CLASSES];
    uint32_t source_group[CLASSES]; // of the latest copy from `out`
    bool source_under_way[CLASSES];
    unsigned threads, label;
    bool has_barrier; // an mbarrier
};

static unsigned below(struct copier *m, unsigned n) { return rng_below(&m->rng, n); }
static bool chance(struct copier *m, unsigned percent) { return below(m, 100) < percent; }

static void line(struct copier *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct copier *m, const char *format, ...)
{
    va_list args;
    char text[200];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    strbuf_printf(&m->body, "    %s\n", text);
}

// -- copies -------------------------------------------------------------------------------------------------

// Operand behind the size: bytes read, or a predicate under which nothing is read.
static void source_size(struct copier *m, unsigned bytes, char text[16])
{
    text[0] = 0;
    switch (below(m, 8)) {
    case 0: snprintf(text, 16, ", %u", below(m, bytes + 1)); break;
    case 1:
        line(m, "and.b32 %%s, %%t, %u;", bytes - 1);
        snprintf(text, 16, ", %%s");
        break;
    case 2:
        line(m, "setp.eq.u32 %%q, %%c, %u;", below(m, 2));
        snprintf(text, 16, ", %%q");
        break;
    default: break;
    }
}

// Copies of one place of a stage, in pieces of `bytes`.
static void copy_pieces(struct copier *m, unsigned stage, const char *from, unsigned bytes)
{
    static const char *const hints[] = {"", "", ".L2::128B", ".L2::64B"};
    for (unsigned at = 0; at < PLACE_BYTES; at += bytes) {
        char size[16];
        source_size(m, bytes, size);
        line(m, "cp.async.%s.shared.global%s [%%st%u+%u], [%s+%u], %u%s;",
             bytes == 16 && chance(m, 60) ? "cg" : "ca", hints[below(m, 4)], stage, at, from, at, bytes,
             size);
    }
}

static bool may_fill(const struct stage *s) { return !s->under_way[0] && !s->under_way[1] && !s->is_read; }

// class: 0 and 1 a branch of even or odd threads, 2 all.
static void copy(struct copier *m)
{
    unsigned k = below(m, STAGES), class = chance(m, 75) ? CLASSES : below(m, CLASSES), skip = m->label++;
    struct stage *s = &m->stages[k];
    bool from_out = chance(m, 25);
    if (!may_fill(s)) return;
    if (from_out)
        line(m, "add.u64 %%from, %%own, %u;", PLACE_BYTES * below(m, SOURCES));
    else
        line(m, "mad.wide.u32 %%from, %%place, %u, %%in;", PLACE_BYTES);
    if (!from_out) line(m, "add.u64 %%from, %%from, %u;", PLACE_BYTES * below(m, 64));
    if (class < CLASSES) {
        line(m, "setp.ne.u32 %%p, %%c, %u;", class);
        line(m, "@%%p bra L%u;", skip);
    }
    static const unsigned sizes[] = {16, 16, 8, 4};
    copy_pieces(m, k, "%from", sizes[below(m, 4)]);
    if (class < CLASSES) strbuf_printf(&m->body, "L%u:\n", skip);
    for (unsigned c = 0; c < CLASSES; c++) {
        if (class < CLASSES && c != class) continue;
        s->under_way[c] = true;
        s->group[c] = m->commits[c];
        if (from_out) m->source_under_way[c] = true, m->source_group[c] = m->commits[c];
    }
    s->seen = false;
}

// -- groups and waits ---------------------------------------------------------------------------------------

static void cover(struct copier *m, unsigned class, uint32_t groups)
{
    for (unsigned k = 0; k < STAGES; k++)
        if (m->stages[k].group[class] < groups) m->stages[k].under_way[class] = false;
    if (m->source_group[class] < groups) m->source_under_way[class] = false;
}

static void commit_class(struct copier *m, unsigned class)
{
    unsigned skip = m->label++;
    line(m, "setp.ne.u32 %%p, %%c, %u;", class);
    line(m, "@%%p bra L%u;", skip);
    line(m, "cp.async.commit_group;");
    strbuf_printf(&m->body, "L%u:\n", skip);
    m->commits[class]++;
}

static void commit(struct copier *m)
{
    if (chance(m, 15)) {
        commit_class(m, below(m, CLASSES));
        return;
    }
    line(m, "cp.async.commit_group;");
    for (unsigned c = 0; c < CLASSES; c++) m->commits[c]++;
}

static void wait(struct copier *m)
{
    unsigned pending = below(m, 4), class = chance(m, 80) ? CLASSES : below(m, CLASSES), skip = m->label++;
    bool all = chance(m, 25);
    if (class < CLASSES) {
        line(m, "setp.ne.u32 %%p, %%c, %u;", class);
        line(m, "@%%p bra L%u;", skip);
    }
    if (all)
        line(m, "cp.async.wait_all;");
    else
        line(m, "cp.async.wait_group %u;", pending);
    if (class < CLASSES) strbuf_printf(&m->body, "L%u:\n", skip);
    for (unsigned c = 0; c < CLASSES; c++) {
        if (class < CLASSES && c != class) continue;
        if (all) m->commits[c]++;
        uint32_t left = all ? 0 : pending;
        if (m->commits[c] > left) cover(m, c, m->commits[c] - left);
    }
}

static void see(struct copier *m)
{
    for (unsigned k = 0; k < STAGES; k++) {
        struct stage *s = &m->stages[k];
        s->is_read = s->is_stored = false;
        if (!s->under_way[0] && !s->under_way[1]) s->seen = true;
    }
}

static void barrier(struct copier *m)
{
    line(m, "bar.sync 0;");
    see(m);
}

// All copies so far, of all threads, by an mbarrier; the phase's parity is in %parity. An arrival behind copies alone orders
// copies, not the thread's loads and stores.
static void wait_by_mbarrier(struct copier *m)
{
    unsigned again = m->label++;
    bool counts = chance(m, 50);
    if (!m->has_barrier) return;
    if (counts) {
        line(m, "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];");
    } else {
        line(m, "cp.async.mbarrier.arrive.shared.b64 [bar];");
        line(m, "mbarrier.arrive.shared.b64 %%state, [bar];");
    }
    strbuf_printf(&m->body, "L%u:\n", again);
    if (counts || chance(m, 50))
        line(m, "mbarrier.test_wait.parity.shared.b64 %%p, [bar], %%parity;");
    else
        line(m, "mbarrier.test_wait.shared.b64 %%p, [bar], %%state;");
    line(m, "@!%%p bra L%u;", again);
    line(m, "xor.b32 %%parity, %%parity, 1;");
    for (unsigned c = 0; c < CLASSES; c++) cover(m, c, m->commits[c] + 1);
    if (!counts) see(m);
    for (unsigned k = 0; counts && k < STAGES; k++) m->stages[k].seen |= !m->stages[k].is_stored;
}

// -- reads and stores ---------------------------------------------------------------------------------------

static void fold(struct copier *m) { line(m, "mad.lo.u32 %%h, %%h, 31, %%v;"); }

static void read_own(struct copier *m)
{
    unsigned k = below(m, STAGES);
    struct stage *s = &m->stages[k];
    if (s->under_way[0] || s->under_way[1]) return;
    line(m, "ld.shared.u32 %%v, [%%st%u+%u];", k, 4 * below(m, 4));
    fold(m);
}

static void read_other(struct copier *m)
{
    unsigned k = below(m, STAGES);
    struct stage *s = &m->stages[k];
    if (!s->seen) return;
    line(m, "sub.u32 %%v, %%other, %%place;");
    line(m, "mad.lo.u32 %%v, %%v, %u, %%st%u;", PLACE_BYTES, k);
    if (chance(m, 50)) {
        line(m, "ld.shared.u32 %%v, [%%v+%u];", 4 * below(m, 4));
    } else {
        line(m, "ld.shared.v2.u32 {%%v, %%w}, [%%v+%u];", 8 * below(m, 2));
        line(m, "xor.b32 %%v, %%v, %%w;");
    }
    fold(m);
    s->is_read = true;
}

static void store_stage(struct copier *m)
{
    unsigned k = below(m, STAGES);
    struct stage *s = &m->stages[k];
    if (!may_fill(s)) return;
    line(m, "st.shared.u32 [%%st%u+%u], %%h;", k, 4 * below(m, 4));
    s->seen = false;
    s->is_stored = true;
}

static void store_source(struct copier *m)
{
    if (m->source_under_way[0] || m->source_under_way[1]) return;
    line(m, "st.global.u32 [%%own+%u], %%h;", 4 * below(m, SOURCES * PLACE_BYTES / 4));
}

static void statement(struct copier *m)
{
    unsigned kind = below(m, 20);
    if (kind < 6)
        copy(m);
    else if (kind < 9)
        commit(m);
    else if (kind < 12)
        wait(m);
    else if (kind < 14)
        barrier(m);
    else if (kind < 16)
        read_own(m);
    else if (kind < 18)
        read_other(m);
    else if (kind < 19)
        chance(m, 50) ? store_stage(m) : store_source(m);
    else
        wait_by_mbarrier(m);
}

// A ring of stages, as in tiled kernels: `depth` copies ahead, a wait for all but the newest, a barrier.
static void ring(struct copier *m)
{
    unsigned depth = 1 + below(m, STAGES - 2), rounds = depth + below(m, 6), stages = depth + 1;
    for (unsigned k = 0; k < rounds + depth; k++) {
        if (k < rounds) {
            line(m, "mad.wide.u32 %%from, %%place, %u, %%in;", PLACE_BYTES);
            line(m, "add.u64 %%from, %%from, %u;", PLACE_BYTES * (k % 64));
            copy_pieces(m, k % stages, "%from", 16);
        }
        line(m, "cp.async.commit_group;");
        if (k < depth) continue;
        line(m, "cp.async.wait_group %u;", depth);
        line(m, "bar.sync 0;");
        line(m, "sub.u32 %%v, %%other, %%place;");
        line(m, "mad.lo.u32 %%v, %%v, %u, %%st%u;", PLACE_BYTES, (k - depth) % stages);
        line(m, "ld.shared.u32 %%v, [%%v+%u];", 4 * below(m, 4));
        fold(m);
        line(m, "bar.sync 0;");
    }
}

// Nothing is under way, and all stages are seen by all threads.
static void come_to_rest(struct copier *m)
{
    line(m, "cp.async.wait_all;");
    for (unsigned c = 0; c < CLASSES; c++) cover(m, c, ++m->commits[c]);
    barrier(m);
}

// -- the kernel ---------------------------------------------------------------------------------------------

static void prologue(struct copier *m)
{
    line(m, "ld.param.u64 %%in, [in];");
    line(m, "ld.param.u64 %%own, [out];");
    line(m, "mov.u32 %%t, %%tid.x;");
    line(m, "and.b32 %%c, %%t, 1;");
    line(m, "mov.u32 %%place, %%t;");
    line(m, "xor.b32 %%other, %%t, %u;", 1 + below(m, 31));
    line(m, "setp.ge.u32 %%p, %%other, %u;", m->threads);
    line(m, "@%%p mov.u32 %%other, %%t;");
    if (m->threads == 128) line(m, "xor.b32 %%other, %%other, %u;", 32 * below(m, 4));
    if (m->threads == 64) line(m, "xor.b32 %%other, %%other, %u;", 32 * below(m, 2));
    line(m, "mov.u32 %%v, %%ctaid.x;");
    line(m, "mad.lo.u32 %%h, %%v, %u, %%t;", m->threads);
    line(m, "mad.wide.u32 %%own, %%h, %u, %%own;", GENERATOR_OUT_BYTES);
    line(m, "mov.u32 %%parity, 0;");
    line(m, "mov.u32 %%v, stages;");
    for (unsigned k = 0; k < STAGES; k++) {
        line(m, "mad.lo.u32 %%st%u, %%place, %u, %%v;", k, PLACE_BYTES);
        line(m, "add.u32 %%st%u, %%st%u, %u;", k, k, k * m->threads * PLACE_BYTES);
    }
    for (unsigned k = 0; k < SOURCES; k++)
        line(m, "st.global.v4.u32 [%%own+%u], {%%h, %%t, %%c, %%v};", PLACE_BYTES * k);
    for (unsigned k = 0; k < STAGES; k++) line(m, "st.shared.v4.u32 [%%st%u], {%%t, %%h, %%t, %%c};", k);
    if (m->has_barrier) {
        line(m, "setp.eq.u32 %%p, %%t, 0;");
        line(m, "@%%p mbarrier.init.shared.b64 [bar], %u;", m->threads);
    }
    barrier(m);
}

static void write_module(const struct copier *m, const struct generated *g, struct strbuf *out)
{
    struct param_list params;
    param_list_make(g, &params);
    strbuf_puts(out, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(");
    param_list_declare(&params, out);
    strbuf_printf(
        out,
        ")\n{\n    .shared .align 16 .b8 stages[%u];\n    .shared .align 8 .b64 bar;\n"
        "    .reg .b64 %%in, %%own, %%from, %%state;\n    .reg .b32 %%t, %%c, %%h, %%v, %%w, %%s, %%place, "
        "%%other, %%parity, %%round, %%st<%u>;\n    .reg .pred %%p, %%q;\n",
        STAGES * m->threads * PLACE_BYTES, STAGES);
    strbuf_puts(out, m->body.text);
    strbuf_puts(out, "}\n");
}

void generator_copies(uint64_t seed, struct generated *out)
{
    static const unsigned sizes[] = {32, 64, 128, 40, 96};
    struct copier *m = heap_alloc(sizeof *m);
    rng_init(&m->rng, hash_u64(seed ^ 0xc09135));
    m->threads = sizes[below(m, 5)];
    m->has_barrier = chance(m, 40);
    *out = (struct generated){.seed = seed,
                              .grid = {1 + below(m, 3), 1, 1},
                              .block = {m->threads, 1, 1},
                              .lanes = true,
                              .order = m->has_barrier,
                              .splits = m->has_barrier};
    prologue(m);
    unsigned rounds = chance(m, 60) ? 2 + below(m, 3) : 1;
    if (rounds > 1) strbuf_printf(&m->body, "    mov.u32 %%round, 0;\nROUND:\n");
    if (chance(m, 20)) {
        ring(m);
    } else {
        for (unsigned left = 20 + below(m, 40); left; left--) statement(m);
    }
    come_to_rest(m);
    if (rounds > 1) {
        line(m, "add.u32 %%round, %%round, 1;");
        line(m, "setp.lt.u32 %%p, %%round, %u;", rounds);
        line(m, "@%%p bra ROUND;");
    }
    for (unsigned k = 0; k < STAGES; k++) {
        line(m, "ld.shared.u32 %%v, [%%st%u+%u];", k, 4 * below(m, 4));
        fold(m);
    }
    line(m, "st.global.u32 [%%own+%u], %%h;", SOURCES * PLACE_BYTES);
    line(m, "ret;");
    generated_comment(out, &out->text);
    strbuf_putc(&out->text, '\n');
    write_module(m, out, &out->text);
    strbuf_fini(&m->body);
    free(m);
}
