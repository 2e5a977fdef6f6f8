// A trial: one kernel of hand-made PTX, what it is given, and the memory it must leave, in every
// configuration.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct test;

struct trial {
    const char *name;
    const char *ptx;      // entry k(.param .u64 in, .param .u64 out); a header is added when it has none
    uint32_t grid, block; // one dimension; 0: 1 and 32
    uint32_t shape[3];    // instead of block, when not zero
    uint32_t dynamic_shared;
    const void *in;
    size_t in_bytes;
    const void *out; // expected
    size_t out_bytes;
    const void *out_before; // NULL: zeros
    bool racy;              // threads look at what others change meanwhile: not for the oracle's strict mode
};

// Runs it on the oracle, and on the engine with both profiles, with and without the optimiser, both `simt`
// modes and every instruction set; each must leave `out`.
void trial_run(struct test *t, const struct trial *x);
