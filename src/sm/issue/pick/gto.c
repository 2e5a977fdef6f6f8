// Greedy then oldest.
#include "sm/issue/pick.h"
#include "sm/sm_impl.h"

static unsigned first(const struct sm *s, unsigned last, uint64_t among)
{
    return among >> last & 1 ? last : pick_oldest(s, among);
}

const struct pick pick_gto = {.first = first};
