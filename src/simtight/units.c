#include "simtight/units.h"

#include <assert.h>
#include <string.h>

// The multiplier and the pipelined divider never refuse: a warp has one instruction under way.
void simtight_units_init(struct simtight_units *u, const struct simtight_config *c)
{
    memset(u, 0, sizeof *u);
    u->of[SIMTIGHT_MUL].most = SIMTIGHT_RESULTS;
    u->of[SIMTIGHT_DIV].most = c->divider == SIMTIGHT_SEQUENTIAL ? 1 : SIMTIGHT_RESULTS;
    u->of[SIMTIGHT_FPU].most = c->fp_inflight;
}

bool simtight_unit_takes(const struct simtight_units *u, enum simtight_unit which)
{
    return u->of[which].count < u->of[which].most;
}

void simtight_unit_begin(struct simtight_units *u, enum simtight_unit which, struct simtight_result r)
{
    struct simtight_unit_state *s = &u->of[which];
    uint32_t k = s->count++;
    assert(s->count <= SIMTIGHT_RESULTS);
    for (; k && s->all[k - 1].at > r.at; k--) s->all[k] = s->all[k - 1];
    s->all[k] = r;
}

bool simtight_unit_take(struct simtight_units *u, enum simtight_unit which, uint64_t now,
                        struct simtight_result *r)
{
    struct simtight_unit_state *s = &u->of[which];
    if (!s->count || s->all[0].at > now) return false;
    *r = s->all[0];
    memmove(s->all, s->all + 1, --s->count * sizeof *s->all);
    return true;
}

uint64_t simtight_units_next(const struct simtight_units *u)
{
    uint64_t next = UINT64_MAX;
    for (unsigned k = 0; k < SIMTIGHT_UNITS; k++)
        if (u->of[k].count && u->of[k].all[0].at < next) next = u->of[k].all[0].at;
    return next;
}
