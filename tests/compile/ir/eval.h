// An interpreter of the compiler's intermediate representation, one thread at a time, for tests: a pass
// must not change a function's meaning. Written from the comments of ir.def alone.
#pragma once
#include "base/rng.h"
#include "compile/ir/ir.h"
#include "isa/sregs.h"

enum { EVAL_BYTES = 4096 };
#define EVAL_GLOBAL 0x10000000ull // address of memory[SPACE_GLOBAL]; shared, local, const begin at 0

struct eval {
    uint8_t memory[5][EVAL_BYTES]; // by enum isa_space; GENERIC is unused
    uint8_t bank[EVAL_BYTES];      // BANK_LAUNCH
    uint32_t sregs[SREG_COUNT];
    uint64_t results[16]; // of RETURN
    uint32_t result_count;
    unsigned steps_max;
    // MUFU but RCP: off by up to an ulp, RCP64H, RSQ64H by one in the high word; NULL: nearest
    struct rng *perturb;
    uint64_t trace;    // hash of effects in order (volatile stores, atomics, barriers)
    const char *error; // the reason of an early stop, NULL after a normal end
};

// Runs f from its entry with parameters (device functions). False, and `error` set, on a fault or after too
// many steps.
bool eval_run(struct eval *e, struct ir_function *f, const uint64_t *params);
