// Special registers. sregs.def has a row per register.
#pragma once
// clang-format off

enum isa_sreg {
#define SREG(name, text, whose) SREG_##name,
#include "isa/sregs.def"
#undef SREG
    SREG_COUNT
};

const char *isa_sreg_name(enum isa_sreg sreg); // "SR_TID.X"

// Threads reading equal values of a special register. SREG_OF_LANE: a lane alone; SREG_OF_WARP: the lanes of
// a warp, at one moment (%warpid in a 64-lane warp: a group of 32); SREG_OF_BLOCK: the threads of a block.
enum isa_sreg_whose { SREG_OF_LANE, SREG_OF_WARP, SREG_OF_BLOCK };
enum isa_sreg_whose isa_sreg_whose(enum isa_sreg sreg);
