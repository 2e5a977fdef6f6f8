#include "mark/chain.h"

bool mark_chain_goes_on(const struct mark_ssa *s, uint32_t followed, uint32_t def)
{
    const struct mark_def *d = &s->defs[def];
    return (followed >> d->cause & 1) && d->from_def != FLOW_NONE;
}

uint32_t *mark_chain_ends(const struct mark_ssa *s, uint32_t followed, struct arena *a)
{
    enum { UNKNOWN = FLOW_NONE, PASSED = FLOW_NONE - 1 }; // PASSED: on the way from `first`
    uint32_t *ends = arena_alloc(a, (s->def_count + 1) * sizeof *ends);
    for (uint32_t d = 0; d < s->def_count; d++) ends[d] = UNKNOWN;
    for (uint32_t first = 0; first < s->def_count; first++) {
        uint32_t d = first;
        for (; ends[d] == UNKNOWN && mark_chain_goes_on(s, followed, d); d = s->defs[d].from_def)
            ends[d] = PASSED;
        uint32_t end = ends[d] == UNKNOWN || ends[d] == PASSED ? d : ends[d];
        for (uint32_t k = first; ends[k] == PASSED; k = s->defs[k].from_def) ends[k] = end;
        ends[d] = end;
    }
    return ends;
}
