// Synchronisation beyond `bar.sync 0`, in kernels with defined memory.
//
//     no race at any byte                       order made by the program, or invisible
//     own words, atomics on own cells           turns by a word that warps spin on
//     neighbouring bytes and halves             flags: warps spin until one warp has stored data
//     producers arrive, consumers wait          locks, compare-and-swap loops
//     groups of warps, a barrier each           tickets drawn once each; chains of exchanges
//     jump tables, lanes parting alike          the last block sums the parts of all blocks
//
// Statements of the right column are written only where all threads of the block arrive, with a barrier
// before and behind. One lane of a warp waits for other warps, or with `splits` threads of a warp wait for
// threads of the same warp.
#include "generator/redundancy_impl.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 8 };

static unsigned blocks_of(const struct maker *m) { return m->g->grid[0] * m->g->grid[1] * m->g->grid[2]; }

void together_declare(const struct maker *m, struct strbuf *out)
{
    unsigned blocks = blocks_of(m);
    strbuf_printf(out, ".shared .align 16 .b8 bytes[%u];\n.shared .align 4 .b32 cells[%u];\n", 4 * m->threads,
                  m->threads);
    strbuf_printf(out,
                  ".shared .align 16 .b32 words[%u];\n.global .align 16 .b32 gwords[%u];\n"
                  ".global .align 4 .b32 parts[%u];\n.global .align 4 .b32 come;\n\n",
                  WORDS, WORDS * blocks, blocks);
}

// Initialises every word a statement may read: slots and cells hold the thread's number, the table holds 7.
void together_prologue(struct maker *m)
{
    LINE("st.shared.u32 [%%mine], %%thread;");
    LINE("mov.u32 %%e0, cells;");
    LINE("mad.lo.u32 %%cell, %%thread, 4, %%e0;");
    LINE("st.shared.u32 [%%cell], %%tx;");
    LINE("mov.u32 %%e0, bytes;");
    LINE("mad.lo.u32 %%e1, %%thread, 4, %%e0;");
    LINE("st.shared.u32 [%%e1], %%thread;");
    LINE("setp.eq.u32 %%h, %%thread, 0;");
    LINE("mov.u32 %%e0, 7;");
    for (unsigned k = 0; k < 16; k++) LINE("@%%h st.shared.u32 [stab+%u], %%e0;", 4 * k);
    for (unsigned k = 0; k < UNSURE; k++) LINE("mov.u32 %%w%u, %u;", k, k);
    LINE("bar.sync 0;");
}

// Accesses the thread's own words of global memory; no other thread touches these words, and the kernel's
// last stores overwrite them.
void together_own(struct maker *m)
{
    unsigned at = 4 * below(m, VARIABLES), d = variable(m), v = variable(m);
    static const char *const types[] = {"u32", "u32", "u8", "s16"};
    LINE("st.global.u32 [%%out+%u], %%v%u;", at, v);
    if (chance(m, 30)) LINE("st.global.u8 [%%out+%u], %%v%u;", at + below(m, 4), d);
    if (chance(m, 70)) LINE("ld.global.%s %%v%u, [%%out+%u];", types[below(m, 4)], d, at);
}

// Atomics on cells of the thread alone: the returned value is the thread's own last write.
void together_cells(struct maker *m)
{
    static const char *const ops[] = {"add.u32", "exch.b32", "max.u32", "inc.u32", "xor.b32", "min.s32"};
    unsigned d = variable(m), v = variable(m), at = 4 * below(m, VARIABLES);
    const char *op = ops[below(m, 6)];
    bool global = chance(m, 50);
    if (global) LINE("st.global.u32 [%%out+%u], %%v%u;", at, variable(m));
    char place[32];
    snprintf(place, sizeof place, global ? "%%out+%u" : "%%cell", at);
    if (chance(m, 25))
        LINE("atom.%s.cas.b32 %%v%u, [%s], %u, %%v%u;", global ? "global" : "shared", d, place, below(m, 8),
             v);
    else
        LINE("atom.%s.%s %%v%u, [%s], %%v%u;", global ? "global" : "shared", op, d, place, v);
}

void together_switch(struct maker *m)
{
    unsigned cases = 2 + below(m, 4), table = m->tables++, end = m->label++, first = m->label;
    bool was = m->parted;
    const char *asked[] = {"%v", "%tx", "%warp", "%a", "%thread"};
    unsigned which = below(m, 5);
    m->label += cases;
    if (which == 0)
        LINE("rem.u32 %%t, %%v%u, %u;", variable(m), cases);
    else
        LINE("rem.u32 %%t, %s, %u;", asked[which], cases);
    strbuf_printf(&m->body, "    T%u: .branchtargets ", table);
    for (unsigned k = 0; k < cases; k++) strbuf_printf(&m->body, "%sL%u", k ? ", " : "", first + k);
    strbuf_puts(&m->body, ";\n");
    LINE("brx.idx %%t, T%u;", table);
    m->parted |= which != 3;
    m->depth++;
    m->recent = variable(m);
    unsigned left_behind = m->recent;
    for (unsigned k = 0; k < cases; k++) {
        LABEL(first + k);
        redundancy_statements(m, below(m, 3));
        if (chance(m, 60)) LINE("mov.u32 %%v%u, %u;", left_behind, 20 + k);
        if (k + 1 < cases && chance(m, 80)) LINE("bra L%u;", end); // else falls into the next case
    }
    m->depth--;
    m->parted = was;
    LABEL(end);
    m->recent = left_behind;
}

// -- warps ahead of others, and partial writes of a vector -------------------------------------------------

// Some warps load a separate line of memory per lane in front of a store, so the remaining warps get ahead.
void together_delay(struct maker *m)
{
    static const char *const numbers[] = {"%tx", "%warp", "%ty", "%thread"};
    unsigned which = below(m, 4), of[] = {m->g->block[0], m->warps, m->g->block[1], m->threads};
    unsigned from = below(m, of[which] + 1), at = 4 * below(m, VARIABLES);
    if (which == 0 && from > m->warp_size) from -= from % m->warp_size;
    LINE("setp.%s.u32 %%h, %s, %u;", chance(m, 70) ? "ge" : "lt", numbers[which], from);
    LINE("selp.u32 %%e0, 128, 0, %%h;");
    LINE("and.b32 %%e1, %%thread, %u;", (m->warp_size - 1) & 31);
    LINE("mul.lo.u32 %%e0, %%e0, %%e1;");
    LINE("cvt.u64.u32 %%d1, %%e0;");
    LINE("add.s64 %%d1, %%d1, %%in;");
    LINE("ld.global.u32 %%e1, [%%d1];");
    LINE("st.global.u32 [%%out+%u], %%e1;", at);
}

// Lanes diverge alike in all warps, and some lanes overwrite a value common to all lanes.
void together_lanes(struct maker *m)
{
    static const char *const names[] = {"%tid.x", "%tid.x", "%tid.x", "%tid.y", "%ctaid.x"};
    static const char *const compares[] = {"lt", "ge", "eq", "ne"};
    unsigned join = m->label++, d = variable(m), from = variable(m), k = 1 + below(m, m->warp_size);
    unsigned name = below(m, 5), compare = below(m, 4);
    if (chance(m, 35)) together_delay(m);
    if (chance(m, 60)) LINE("mov.u32 %%v%u, %s;", d, names[name]);
    LINE("and.b32 %%e0, %%thread, %u;", m->warp_size - 1);
    LINE("setp.%s.u32 %%h, %%e0, %u;", compares[compare], k - 1);
    LINE("@%%h bra L%u;", join);
    for (unsigned count = 1 + below(m, 3); count; count--) {
        if (chance(m, 50))
            LINE("mov.u32 %%v%u, %u;", d, below(m, 99));
        else if (chance(m, 50))
            LINE("mov.u32 %%v%u, %s;", d, names[name]);
        else
            LINE("mad.lo.u32 %%v%u, %%v%u, %u, %%v%u;", d, from, 2 + below(m, 9), d);
        if (chance(m, 30)) d = variable(m);
    }
    LABEL(join);
    m->recent = d;
}

// -- barriers ----------------------------------------------------------------------------------------------

// A count that is no multiple of 32, needed with other warp sizes, may not be a constant.
void together_counted(struct maker *m, const char *form, unsigned number, unsigned count)
{
    if (count % 32) LINE("mov.u32 %%e0, %u;", count);
    if (count % 32)
        LINE("bar.%s %u, %%e0;", form, number);
    else
        LINE("bar.%s %u, %u;", form, number, count);
}

static bool all_come(const struct maker *m) { return !m->depth && !m->exits && !m->parted && !m->quiet; }

// Neighbours store bytes and halves of one word; each thread then reads words, halves and bytes of other
// threads.
void together_bytes(struct maker *m)
{
    unsigned size = chance(m, 60) ? 1 : 2, d = variable(m), stride = chance(m, 70) ? 1 : 2,
             read = below(m, 3);
    static const char *const types[] = {"u8", "s16", "u32"};
    if (!all_come(m)) return;
    LINE("bar.sync 0;");
    LINE("mov.u32 %%e0, bytes;");
    LINE("mad.lo.u32 %%e1, %%thread, %u, %%e0;", size * stride);
    LINE("st.shared.u%u [%%e1], %%v%u;", 8 * size, variable(m));
    LINE("bar.sync 0;");
    if (chance(m, 50)) {
        LINE("ld.shared.%s %%v%u, [bytes+%u];", types[read], d, below(m, m->threads) << read);
    } else {
        LINE("rem.u32 %%e2, %%v%u, %u;", variable(m), m->threads);
        LINE("mad.lo.u32 %%e2, %%e2, %u, %%e0;", 1u << read);
        LINE("ld.shared.%s %%v%u, [%%e2];", types[read], d);
    }
}

// The first warps store and arrive; the remaining warps wait and load.
void together_halves(struct maker *m)
{
    unsigned others = m->label++, end = m->label++, all = m->counted;
    if (!all_come(m) || m->warps < 2) return;
    unsigned first = 1 + below(m, m->warps - 1), number = 1 + below(m, 15), d = variable(m);
    bool swap = chance(m, 50); // the waiting side comes first in the text
    LINE("bar.sync 0;");
    LINE("setp.lt.u32 %%h, %%warp, %u;", first);
    LINE("@%s%%h bra L%u;", swap ? "" : "!", others);
    for (unsigned way = 0; way < 2; way++) {
        if ((way == 0) == swap) {
            together_counted(m, "sync", number, all);
            LINE("ld.shared.u32 %%v%u, [slots+%u];", d, 4 * below(m, first * m->warp_size));
        } else {
            LINE("st.shared.u32 [%%mine], %%v%u;", variable(m));
            together_counted(m, "arrive", number, all);
            LINE("add.s32 %%v%u, %%v%u, %u;", d, d, 1 + below(m, 9));
        }
        if (way == 0) LINE("bra L%u;", end);
        if (way == 0) LABEL(others);
    }
    LABEL(end);
    m->recent = d;
    LINE("bar.sync 0;");
}

// Two groups of warps, each with its own barrier, exchange values within the group.
void together_groups(struct maker *m)
{
    unsigned others = m->label++, end = m->label++;
    if (!all_come(m) || m->warps < 2) return;
    unsigned first = 1 + below(m, m->warps - 1), d = variable(m);
    unsigned counts[2] = {first * m->warp_size, m->counted - first * m->warp_size};
    bool swapped = chance(m, 50);
    LINE("bar.sync 0;");
    LINE("st.shared.u32 [%%mine], %%v%u;", variable(m));
    LINE("setp.lt.u32 %%h, %%warp, %u;", first);
    LINE("@!%%h bra L%u;", others);
    for (unsigned way = 0; way < 2; way++) {
        unsigned from = way ? first * m->warp_size : 0, to = way ? m->threads : first * m->warp_size;
        for (unsigned rounds = 1 + below(m, 2); rounds; rounds--) {
            together_counted(m, "sync", swapped ? 2 - way : 1 + way, counts[way]);
            LINE("ld.shared.u32 %%e2, [slots+%u];", 4 * (from + below(m, to - from)));
            together_counted(m, "sync", swapped ? 2 - way : 1 + way, counts[way]);
            LINE("add.s32 %%v%u, %%v%u, %%e2;", d, d);
            LINE("st.shared.u32 [%%mine], %%v%u;", d);
        }
        if (way == 0) LINE("bra L%u;", end);
        if (way == 0) LABEL(others);
    }
    LABEL(end);
    LINE("bar.sync 0;");
}

// -- orders of the program's own ---------------------------------------------------------------------------

struct place { // of the words polled by waiting threads
    const char *space, *base;
};

// Zeroes the words, with barriers before and behind.
static struct place clean_words(struct maker *m)
{
    struct place p = {chance(m, 70) ? "shared" : "global", "words"};
    LINE("bar.sync 0;");
    if (str_equal(p.space, "global")) {
        p.base = "%d1";
        LINE("mov.u64 %%d1, gwords;");
        LINE("mad.wide.u32 %%d1, %%cta, %u, %%d1;", 4 * WORDS);
    }
    LINE("setp.eq.u32 %%h, %%thread, 0;");
    LINE("mov.u32 %%e0, 0;");
    for (unsigned k = 0; k < WORDS; k++) LINE("@%%h st.%s.u32 [%s+%u], %%e0;", p.space, p.base, 4 * k);
    LINE("bar.sync 0;");
    return p;
}

static void look(struct maker *m, struct place p, unsigned at, const char *to)
{
    switch (below(m, 4)) {
    case 0: LINE("atom.%s.add.u32 %s, [%s+%u], 0;", p.space, to, p.base, at); break;
    case 1: LINE("atom.%s.or.b32 %s, [%s+%u], 0;", p.space, to, p.base, at); break;
    case 2: LINE("ld.volatile.%s.u32 %s, [%s+%u];", p.space, to, p.base, at); break;
    default: LINE("ld.acquire.gpu.%s.u32 %s, [%s+%u];", p.space, to, p.base, at);
    }
    LINE("membar.%s;", str_equal(p.space, "shared") ? "cta" : "gl");
}

static void tell(struct maker *m, struct place p, unsigned at, const char *value)
{
    LINE("membar.%s;", str_equal(p.space, "shared") ? "cta" : "gl");
    switch (below(m, 3)) {
    case 0: LINE("atom.%s.exch.b32 _, [%s+%u], %s;", p.space, p.base, at, value); break;
    case 1: LINE("st.volatile.%s.u32 [%s+%u], %s;", p.space, p.base, at, value); break;
    default: LINE("st.release.gpu.%s.u32 [%s+%u], %s;", p.space, p.base, at, value);
    }
}

// Extra work in a spin loop, mostly redundant across the warps of the block.
static void idle(struct maker *m)
{
    if (chance(m, 30)) LINE("mad.lo.u32 %%e6, %%tx, %u, %%a;", 3 + below(m, 9));
    if (chance(m, 20)) LINE("ld.global.u32 %%e6, [%%in+%u];", 4 * below(m, 100));
    if (chance(m, 20)) LINE("ld.param.u32 %%e6, [blob+%u];", 4 * below(m, 8));
}

// Chooses the participants: a lane of each warp, or the first few threads. %e4: the participant's number.
// Returns the number of participants. Threads are few: a turn among lanes of one warp costs hundreds of
// tries of the waiting lanes.
static unsigned partake(struct maker *m, unsigned skip)
{
    if (m->options.splits && chance(m, 60)) {
        unsigned few = 2 + below(m, 4);
        m->g->splits = true;
        LINE("mov.u32 %%e4, %%thread;");
        LINE("setp.ge.u32 %%h, %%thread, %u;", few);
        LINE("@%%h bra L%u;", skip);
        return few < m->threads ? few : m->threads;
    }
    unsigned lane = m->threads % m->warp_size ? 0 : below(m, m->warp_size);
    LINE("mov.u32 %%e4, %%warp;");
    LINE("and.b32 %%e1, %%thread, %u;", m->warp_size - 1);
    LINE("setp.ne.u32 %%h, %%e1, %u;", lane);
    LINE("@%%h bra L%u;", skip);
    return m->warps;
}

static void turns(struct maker *m)
{
    struct place p = clean_words(m);
    unsigned skip = m->label++, again = m->label++, spin = m->label++, d = variable(m),
             rounds = 1 + below(m, 3);
    unsigned all = partake(m, skip);
    LABEL(again);
    LABEL(spin);
    look(m, p, 0, "%e2");
    idle(m);
    LINE("setp.ne.u32 %%h, %%e2, %%e4;");
    LINE("@%%h bra L%u;", spin);
    LINE("ld.volatile.%s.u32 %%e3, [%s+4];", p.space, p.base);
    LINE("mad.lo.u32 %%e3, %%e3, 33, %%v%u;", variable(m));
    LINE("st.volatile.%s.u32 [%s+4], %%e3;", p.space, p.base);
    LINE("add.u32 %%e2, %%e2, 1;");
    tell(m, p, 0, "%e2");
    if (rounds > 1) {
        LINE("add.u32 %%e4, %%e4, %u;", all);
        LINE("setp.lt.u32 %%h, %%e4, %u;", rounds * all);
        LINE("@%%h bra L%u;", again);
    }
    LABEL(skip);
    LINE("bar.sync 0;");
    LINE("ld.%s.u32 %%v%u, [%s+4];", p.space, d, p.base);
}

// One warp stores data; the remaining warps spin for it.
static void flags(struct maker *m)
{
    struct place p = clean_words(m);
    unsigned wait = m->label++, end = m->label++, d = variable(m), by = below(m, m->warps);
    LINE("setp.ne.u32 %%h, %%warp, %u;", by);
    LINE("@%%h bra L%u;", wait);
    LINE("st.shared.u32 [%%mine], %%v%u;", variable(m));
    LINE("setp.eq.u32 %%h, %%thread, %u;", by * m->warp_size);
    LINE("@!%%h bra L%u;", end);
    LINE("mov.u32 %%e2, %u;", 1 + below(m, 5));
    LINE("st.volatile.%s.u32 [%s+4], %%v%u;", p.space, p.base, variable(m));
    tell(m, p, 0, "%e2");
    LINE("bra L%u;", end);
    LABEL(wait);
    look(m, p, 0, "%e2");
    idle(m);
    LINE("setp.eq.u32 %%h, %%e2, 0;");
    LINE("@%%h bra L%u;", wait);
    if (chance(m, 60)) LINE("ld.%s.u32 %%v%u, [%s+4];", p.space, d, p.base);
    LINE("add.u32 %%v%u, %%v%u, %%e2;", d, d);
    LABEL(end);
    m->recent = d;
    LINE("bar.sync 0;");
}

// A sum made under a lock.
static void lock(struct maker *m)
{
    struct place p = clean_words(m);
    unsigned skip = m->label++, spin = m->label++, d = variable(m);
    partake(m, skip);
    LABEL(spin);
    LINE("atom.%s.cas.b32 %%e2, [%s], 0, 1;", p.space, p.base);
    idle(m);
    LINE("setp.ne.u32 %%h, %%e2, 0;");
    LINE("@%%h bra L%u;", spin);
    LINE("membar.gl;");
    LINE("ld.volatile.%s.u32 %%e3, [%s+4];", p.space, p.base);
    LINE("add.u32 %%e3, %%e3, %%v%u;", variable(m));
    LINE("st.volatile.%s.u32 [%s+4], %%e3;", p.space, p.base);
    LINE("mov.u32 %%e2, 0;");
    tell(m, p, 0, "%e2");
    LABEL(skip);
    LINE("bar.sync 0;");
    LINE("ld.%s.u32 %%v%u, [%s+4];", p.space, d, p.base);
}

static void swap_loop(struct maker *m)
{
    struct place p = clean_words(m);
    unsigned again = m->label++, d = variable(m);
    LINE("ld.volatile.%s.u32 %%e2, [%s];", p.space, p.base);
    LABEL(again);
    LINE("%s %%e3, %%e2, %%v%u;", chance(m, 50) ? "add.u32" : "xor.b32", variable(m));
    LINE("mov.u32 %%e4, %%e2;");
    LINE("atom.%s.cas.b32 %%e2, [%s], %%e4, %%e3;", p.space, p.base);
    LINE("setp.ne.u32 %%h, %%e2, %%e4;");
    LINE("@%%h bra L%u;", again);
    LINE("bar.sync 0;");
    LINE("ld.%s.u32 %%v%u, [%s];", p.space, d, p.base);
}

// Every thread, or every thread with a false predicate, draws a ticket and marks the ticket's cell. Each
// ticket is drawn exactly once.
static void tickets(struct maker *m)
{
    struct place p = clean_words(m);
    unsigned skip = m->label++, d = variable(m);
    bool some = chance(m, 30);
    LINE("mov.u32 %%e0, 0;");
    LINE("st.shared.u32 [%%cell], %%e0;");
    LINE("bar.sync 0;");
    if (some) LINE("@%%q%u bra L%u;", below(m, PREDICATES), skip);
    if (chance(m, 70))
        LINE("atom.%s.add.u32 %%e2, [%s], 1;", p.space, p.base);
    else
        LINE("atom.%s.inc.u32 %%e2, [%s], 100000;", p.space, p.base);
    LINE("mov.u32 %%e0, cells;");
    LINE("mad.lo.u32 %%e3, %%e2, 4, %%e0;");
    LINE("atom.shared.add.u32 %%e3, [%%e3], 5;");
    LINE("mad.lo.u32 %%e2, %%e2, %u, %%e3;", 3 + below(m, 90));
    LINE("red.%s.%s [%s+4], %%e2;", p.space, chance(m, 50) ? "add.u32" : "xor.b32", p.base);
    LABEL(skip);
    LINE("bar.sync 0;");
    LINE("ld.%s.u32 %%v%u, [%s+4];", p.space, d, p.base);
    LINE("ld.shared.u32 %%e2, [%%cell];");
    LINE("add.u32 %%v%u, %%v%u, %%e2;", d, d);
}

// Each thread leaves its value and takes its predecessor's. The sum of the taken values and the last value
// left does not depend on the order.
static void exchanges(struct maker *m)
{
    struct place p = clean_words(m);
    unsigned d = variable(m);
    LINE("atom.%s.exch.b32 %%e2, [%s], %%v%u;", p.space, p.base, variable(m));
    LINE("red.%s.add.u32 [%s+4], %%e2;", p.space, p.base);
    LINE("bar.sync 0;");
    LINE("ld.%s.u32 %%e3, [%s];", p.space, p.base);
    LINE("ld.%s.u32 %%v%u, [%s+4];", p.space, d, p.base);
    LINE("add.u32 %%v%u, %%v%u, %%e3;", d, d);
}

void together_order(struct maker *m)
{
    static void (*const acts[])(struct maker *) = {turns, flags, lock, swap_loop, tickets, exchanges};
    if (!m->options.order || !all_come(m)) return;
    acts[below(m, 6)](m);
}

// Each block stores a part; the last block to arrive sums the parts of all blocks.
void together_last_block(struct maker *m)
{
    unsigned skip = m->label++, blocks = blocks_of(m);
    if (!m->options.order || !all_come(m) || blocks < 2) return;
    LINE("setp.ne.u32 %%h, %%thread, %u;", below(m, m->threads));
    LINE("@%%h bra L%u;", skip);
    LINE("mov.u64 %%d1, parts;");
    LINE("mad.wide.u32 %%d2, %%cta, 4, %%d1;");
    LINE("st.global.u32 [%%d2], %%v%u;", variable(m));
    LINE("membar.gl;");
    LINE("atom.global.inc.u32 %%e2, [come], %u;", blocks - 1);
    LINE("setp.ne.u32 %%h, %%e2, %u;", blocks - 1);
    LINE("@%%h bra L%u;", skip);
    LINE("membar.gl;");
    LINE("mov.u32 %%e3, 0;");
    for (unsigned k = 0; k < blocks; k++) {
        LINE("ld.volatile.global.u32 %%e2, [%%d1+%u];", 4 * k);
        LINE("mad.lo.u32 %%e3, %%e3, 7, %%e2;");
    }
    LINE("st.global.u32 [%%acc+240], %%e3;");
    LABEL(skip);
}
