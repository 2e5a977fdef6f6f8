// Greedy then oldest.
#include "gpu/pick.h"
#include "gpu/sm_impl.h"

static unsigned first(const struct sm *s, unsigned last, uint64_t among)
{
    return among >> last & 1 ? last : pick_oldest(s, among);
}

const struct pick pick_gto = {.first = first};
