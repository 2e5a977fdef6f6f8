// Exchanges among lanes of a warp, written only where the whole warp is together.
#include "generator/generator_impl.h"

#include <stdio.h>

static void shuffle(struct gen *g)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    unsigned m = below(g, 4), d = fresh(g, CLASS_R);
    static const unsigned segments[] = {0x0000, 0x1000, 0x1800, 0x1c00, 0x1e00};
    unsigned c = segments[below(g, 5)] | (m == 0 ? 0 : 31);
    char lane[16];
    if (chance(g, 60))
        snprintf(lane, sizeof lane, "%u", below(g, 32));
    else
        snprintf(lane, sizeof lane, "%%r%d", pick(g, CLASS_R));
    if (chance(g, 50)) {
        unsigned p = fresh(g, CLASS_P);
        line(g, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%d, %s, 0x%x, 0xffffffff;", modes[m], d, p,
             pick(g, CLASS_R), lane, c);
        define(g, CLASS_P, p, false);
    } else {
        line(g, "shfl.sync.%s.b32 %%r%u, %%r%d, %s, 0x%x, -1;", modes[m], d, pick(g, CLASS_R), lane, c);
    }
    define(g, CLASS_R, d, false);
}

void lanes(struct gen *g)
{
    static const char *const votes[] = {"any", "all", "uni"}, *const reductions[] = {
                                                                  "add.s32", "add.u32", "min.s32", "max.u32",
                                                                  "and.b32", "or.b32",  "xor.b32"};
    bool whole = g->threads % 32 == 0 && !g->some_exited;
    unsigned d = fresh(g, CLASS_R);
    switch (below(g, whole ? 10 : 5)) {
    case 0:
        line(g, "vote.sync.ballot.b32 %%r%u, %s%%p%d, 0xffffffff;", d, chance(g, 30) ? "!" : "",
             pick(g, CLASS_P));
        break;
    case 1:
        line(g, "redux.sync.%s %%r%u, %%r%d, 0xffffffff;", reductions[below(g, 7)], d, pick(g, CLASS_R));
        break;
    case 2: line(g, "match.any.sync.b32 %%r%u, %%r%d, 0xffffffff;", d, pick(g, CLASS_R)); break;
    case 3: {
        unsigned p = fresh(g, CLASS_P);
        line(g, "vote.sync.%s.pred %%p%u, %%p%d, 0xffffffff;", votes[below(g, 3)], p, pick(g, CLASS_P));
        define(g, CLASS_P, p, false);
        return;
    }
    case 4: {
        static const char *const special[] = {"laneid", "lanemask_lt", "lanemask_ge", "lanemask_eq",
                                              "warpid"};
        line(g, "mov.u32 %%r%u, %%%s;", d, special[below(g, 5)]);
        break;
    }
    default: shuffle(g); return;
    }
    define(g, CLASS_R, d, false);
}

// Lanes with a true predicate exchange values inside a branch taken by exactly these lanes.
void masked_lanes(struct gen *g)
{
    unsigned m = fresh(g, CLASS_R), label = g->next_label++, leader = fresh(g, CLASS_R),
             d = fresh(g, CLASS_R);
    int p = pick(g, CLASS_P);
    line(g, "vote.sync.ballot.b32 %%r%u, %%p%d, 0xffffffff;", m, p);
    line(g, "mov.u32 %%r%u, %%r%d;", d, pick(g, CLASS_R));
    line(g, "@!%%p%d bra L%u;", p, label);
    switch (below(g, 3)) {
    case 0: line(g, "redux.sync.add.s32 %%r%u, %%r%d, %%r%u;", d, pick(g, CLASS_R), m); break;
    case 1:
        line(g, "bfind.u32 %%r%u, %%r%u;", leader, m);
        line(g, "shfl.sync.idx.b32 %%r%u, %%r%d, %%r%u, 31, %%r%u;", d, pick(g, CLASS_R), leader, m);
        break;
    default: line(g, "match.any.sync.b32 %%r%u, %%r%d, %%r%u;", d, pick(g, CLASS_R), m); break;
    }
    strbuf_printf(&g->body, "L%u:\n", label);
    if (chance(g, 50)) line(g, "bar.warp.sync 0xffffffff;");
    define(g, CLASS_R, d, false);
    define(g, CLASS_R, m, false);
}
