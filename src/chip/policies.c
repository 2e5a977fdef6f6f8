// Policies of dispatch.def: each chooses the grid whose next block goes to a given SM; NULL: no grid.
#include "chip/chip_impl.h"

// The earliest-arrived grid with blocks left that may use the SM; must_fit: the next block fits on the SM
// now. NULL: none.
static struct grid *first_grid(const struct chip *c, unsigned sm, bool must_fit)
{
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (grid_has_blocks(g, sm) && (!must_fit || dispatch_fits(c, g, sm))) return g;
    }
    return NULL;
}

struct grid *dispatch_oldest(const struct chip *c, unsigned sm)
{
    struct grid *g = first_grid(c, sm, false);
    return g && dispatch_fits(c, g, sm) ? g : NULL;
}

struct grid *dispatch_fill(const struct chip *c, unsigned sm) { return first_grid(c, sm, true); }

struct grid *dispatch_even(const struct chip *c, unsigned sm)
{
    struct grid *best = NULL;
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        if (!grid_has_blocks(g, sm) || !dispatch_fits(c, g, sm)) continue;
        if (!best || grid_warps_on(g, sm) < grid_warps_on(best, sm)) best = g;
    }
    return best;
}

struct grid *dispatch_apart(const struct chip *c, unsigned sm)
{
    struct grid *best = NULL;
    for (size_t k = 0; k < c->grids.count; k++) {
        struct grid *g = c->grids.data[k];
        bool may = grid_has_blocks(g, sm) && dispatch_fits(c, g, sm);
        if (grid_warps_on(g, sm)) return may ? g : NULL;
        if (may && (!best || g->parts.count < best->parts.count)) best = g;
    }
    return best;
}
