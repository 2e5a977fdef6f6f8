// Which registers of a warp are read again: liveness of an allocated program, register by register.
#pragma once
#include "sm/decode.h"

struct live {
    bool is_known;         // false: of programs with several functions, of whose registers all may be read
    uint64_t (*before)[4]; // by instruction: bits of registers that are read before they are written
};

void live_init(struct live *l, const struct program *p, const struct op *ops);
void live_fini(struct live *l);
static inline bool live_reads(const struct live *l, uint32_t pc, unsigned r)
{
    return !l->is_known || (l->before[pc][r / 64] >> r % 64 & 1);
}
