// The oldest warp that could go, but not twice in a row while others could: the oldest moves ahead, and those
// behind it fill the cycles in which its next instruction would only wait for the one before.
#include "base/bits.h"
#include "sm/issue/pick.h"

static unsigned first(const struct sm *s, unsigned last, uint64_t among)
{
    return pick_oldest(s, among & ~(1ull << last)); // two at least could go: another than the last does
}

const struct pick pick_loose_oldest = {.first = first};
