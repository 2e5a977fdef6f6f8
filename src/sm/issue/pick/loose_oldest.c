// The oldest warp that could issue, but not twice in a row while other warps could. The oldest warp moves
// ahead. Younger warps fill the cycles in which its next instruction would only wait for the previous
// instruction.
#include "base/bits.h"
#include "sm/issue/pick.h"

static unsigned first(const struct sm *s, unsigned last, uint64_t among)
{
    // `among` has at least two bits: a warp other than `last` is left.
    return pick_oldest(s, among & ~(1ull << last));
}

const struct pick pick_loose_oldest = {.first = first};
