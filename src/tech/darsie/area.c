// Bits of DARSIE's structures, as configured. With 8 entries, 32 registers and the 32 blocks of the paper's
// GPU the first three are the structures of section 6.3, bit for bit:
//
//     PC skip table entry:  | PC 48 | waiting warps 32 | IsLoad | LeaderWB |    82 x 8 x 32 = 20,992
//     majority mask:        | warps 32 |                                        32 x 32     =  1,024
//     rename entry:         | register 8 | physical 8 | version 5 |             21 x 32 x 32 = 21,504
//
// The mechanism needs the other structures, too; section 6.3 does not count them.
#include "tech/darsie/darsie.h"

enum { PC_BITS = 48, WARP_BITS = 32, REGISTER_BITS = 8 }; // a block has 1024 threads at most

static uint64_t bits_for(uint64_t values) // bits of a number below `values`
{
    uint64_t bits = 1;
    while (1ull << bits < values) bits++;
    return bits;
}

size_t darsie_storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    const struct darsie_options *o = options;
    uint64_t blocks = c->max_blocks, warps = c->max_warps, version = bits_for(o->registers);
    uint64_t entries = o->entries * blocks, renamed = o->registers * blocks;
    const struct tech_storage rows[] = {
        {"PC skip table", entries, PC_BITS + WARP_BITS + 1 + 1, true, 1},
        {"majority masks", blocks, WARP_BITS, true, 1},
        {"register renaming", renamed, REGISTER_BITS + REGISTER_BITS + version, true, 1},
        {"passed masks", entries, WARP_BITS, false, 1},
        {"leaders and dropped bits", entries, bits_for(WARP_BITS) + 1, false, 1},
        {"version counters of warps", o->registers * warps, version, false, 1},
        {"readers of registers", renamed, bits_for(WARP_BITS + 1), false, 1},
        {"arrived masks", 2 * blocks, WARP_BITS, false, 1},
        {"poison bits of warps", warps, 256 + 8, false, 1},
        // Branch counts of entries and warps: branch-sync=parting and first. Ways at branches: first alone.
        {"branch counts", counts_branches(o) ? entries + warps : 0, bits_for(o->ahead + 1), false, 1},
        {"losses of blocks", o->give_up ? blocks : 0, bits_for((uint64_t)o->loss + 1), false, 1},
        {"ways at branches", o->branch_sync == BRANCH_FIRST ? (o->ahead + 1) * blocks : 0, PC_BITS, false, 1},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    _Static_assert((int)ROWS <= (int)TECH_STORAGE_MAX, "room for the structures");
    size_t count = 0;
    for (size_t n = 0; n < ROWS; n++)
        if (rows[n].entries) out[count++] = rows[n];
    return count;
}
