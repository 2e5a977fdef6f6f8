// Liveness of the registers of an allocated program.
#pragma once
#include "sm/decode.h"

struct program;

struct live {
    bool is_known;         // false: several functions or RISC-V; every register counts as live
    uint64_t (*before)[4]; // by instruction: bits of live registers; heap
};

void live_init(struct live *l, const struct program *p, const struct op *ops);
void live_fini(struct live *l);
static inline bool live_reads(const struct live *l, uint32_t pc, unsigned r)
{
    return !l->is_known || (l->before[pc][r / 64] >> r % 64 & 1);
}
