// Two levels (Narasiman et al., MICRO 2011): round robin among a scheduler's active set. The active set holds
// the scheduler's oldest warps that wait neither for memory nor for other warps.
#include "sm/issue/pick.h"
#include "sm/sm_impl.h"

// Warps held by a mechanism (SLOT_SYNC) count as waiting, too: in the active set, a held warp could exclude
// the very warp it waits for.
static bool is_away(enum gpu_slot why)
{
    return why == SLOT_MEMORY || why == SLOT_BARRIER || why == SLOT_SYNC || why == SLOT_COPY;
}

static uint64_t active_set(const struct sm *s, unsigned scheduler, uint64_t among)
{
    uint32_t share = s->config->two_level_active / s->config->schedulers, most = share ? share : 1;
    uint64_t set = 0;
    for (unsigned k = 0; k < s->issue.order_count[scheduler] && most; k++) {
        unsigned slot = s->issue.order[scheduler][k];
        if (!(s->ready.now >> slot & 1) && is_away((enum gpu_slot)s->warps[slot].ready.why)) continue;
        set |= 1ull << slot;
        most--;
    }
    return set & among;
}

const struct pick pick_two_level = {.is_fair = true, .first = pick_behind, .limit = active_set};
