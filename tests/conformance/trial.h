// A trial: a kernel of hand-made PTX, its input, and the memory expected in every configuration.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test;

struct trial {
    const char *name;
    const char *ptx;      // entry k(.param .u64 in, .param .u64 out); the header may be missing
    uint32_t grid, block; // one dimension; 0: 1 and 32
    uint32_t shape[3];    // instead of block, when not zero
    uint32_t dynamic_shared;
    const void *in;
    size_t in_bytes;
    const void *out; // expected
    size_t out_bytes;
    const void *out_before; // NULL: zeros
    // threads read words changed by other threads meanwhile: not for the oracle's strict mode
    bool racy;
};

// Runs the trial on the oracle and on the engine: both profiles, with and without the optimiser, both
// `simt` modes, every build of the interpreter. Each run must leave `out`.
void trial_run(struct test *t, const struct trial *x);
