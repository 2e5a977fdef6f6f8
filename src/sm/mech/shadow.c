// Blocks outside the dispatch (tech.h). A mechanism takes the blocks' warps through instructions of its
// choice. Registers, predicates and control flow change as in the engine; the launch's counts and time do
// not.
#include "exec/timed.h"
#include "sm/mech/tech.h"
#include "sm/sm_impl.h"

struct cta *tech_shadow_create(struct sm_grid *g) { return timed_block_create(g->engine); }
void tech_shadow_start(struct sm_grid *g, struct cta *c, uint64_t block)
{
    timed_block_start(g->engine, c, block, NULL);
}
void tech_shadow_destroy(struct cta *c) { timed_block_destroy(c); }

void tech_shadow_compute(struct sm_grid *g, struct warp *w, uint32_t index)
{
    w->pc = index;
    timed_recompute(g->engine, w, g->sm->now);
    w->pc = index;
}

void tech_shadow_branch(struct sm_grid *g, struct warp *w, uint32_t index)
{
    w->pc = index;
    timed_step(g->engine, w, g->sm->now);
}

void tech_shadow_go(struct warp *w, uint32_t index)
{
    w->pc = index;
    timed_settle(w);
}
