#include "simtight/barrier.h"
#include "base/bits.h"

int simtight_release(struct simtight_barrier *b, uint64_t waiting, unsigned size, bool is_frozen)
{
    if (!b->is_loaded) {
        *b = (struct simtight_barrier){.left = waiting, .is_loaded = waiting != 0};
        return SIMTIGHT_NONE_RELEASED;
    }
    if (!b->shifts) { // check
        uint64_t group = bit_mask(size);
        b->is_loaded = b->left != 0;
        b->releases = (b->left & group) == group;
        b->shifts = b->is_loaded ? size : 0;
        return SIMTIGHT_NONE_RELEASED;
    }
    if (is_frozen) return SIMTIGHT_NONE_RELEASED;
    int warp = (int)b->first++;
    b->left >>= 1;
    b->shifts--;
    return b->releases ? warp : SIMTIGHT_NONE_RELEASED;
}
