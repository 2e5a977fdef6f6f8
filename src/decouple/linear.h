// Linear values of a launch: definitions (mark/ssa.h) whose value is a combination of thread and block indices,
//
//     c0 + Σ ci · tid.i + Σ dj · ctaid.j,
//
// with coefficients that depend on the launch's parameters and dimensions alone. Found by carrying tuples (tuple.h)
// through the program, once the parameters are known. No value of a loop is linear, and no value merged from several
// paths.
//
// Words are sums modulo 2^32, exact whatever wraps. A 64-bit number in two registers is a tuple of 64 bits: the lower
// word is a sum modulo 2^32 again, the upper word and the carry follow from the whole. Where an instruction extends a
// word, shifts it right or takes one half of it, the tuple goes on only if no value of the launch wraps there.
#pragma once
#include "decouple/tuple.h"

struct decouple;

enum decouple_linear_kind {
    LINEAR_NOT,
    LINEAR_WORD,  // the 32-bit tuple
    LINEAR_UPPER, // the upper word of the 64-bit tuple
    LINEAR_CARRY  // a predicate: carry of the sum of two words, tuple and second
};

struct decouple_linear {
    uint8_t kind;
    bool negated[2]; // CARRY: of tuple, of second. A negated word enters the sum as its complement + 1
    struct decouple_tuple tuple, second;
};

struct decouple_facts { // of the launch
    uint32_t block[3], grid[3];
    const uint8_t *bank; // constants of the launch: parameters and dimensions
    uint32_t bank_bytes;
    bool wraps_freely; // unsound: extensions go on without a look at the range
};

// By instruction: whether the result may be linear for some parameters and dimensions. In the arena of `d`.
bool *decouple_find_maybe_linear(struct decouple *d);
// values: by definition of d->analysis->ssa, zeroed by the caller.
void decouple_find_linear(const struct decouple *d, const struct decouple_facts *f,
                          struct decouple_linear *values);
