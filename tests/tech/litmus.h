// Litmus tests: small programs with racing warps, and their permitted outcomes.
//
//     seed ─ litmus_generate ─▶ program ─┬─ litmus_write ─▶ PTX ─▶ a launch ─▶ outcome
//                                        └─ litmus_allow ─▶ every outcome the machine may show     ∈ ?
//
// A program has at most three warps, in one block or two, and at most eight accesses to shared locations.
// All lanes of a warp do the same, so a warp is a thread in the sense of litmus tests.
#pragma once
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LITMUS_WARPS = 3,
    LITMUS_REGISTERS = 6,
    LITMUS_GLOBALS = 3,   // words in global memory
    LITMUS_LOCATIONS = 5, // and two in the first block's shared memory
    LITMUS_STATEMENTS = 24,
    LITMUS_ACCESSES = 8,
    LITMUS_ALL = 0xff, // every warp
    LITMUS_NONE = 0xff // no register
};

enum litmus_kind {
    LITMUS_LOAD,
    LITMUS_SPIN, // volatile loads until a value other than 0 comes, at most `count` loads
    LITMUS_STORE,
    LITMUS_ADD, // atomics; old value to dst
    LITMUS_EXCHANGE,
    LITMUS_COMPARE, // compare and swap, with 0
    LITMUS_FENCE,
    LITMUS_BARRIER,
    LITMUS_SUM,        // dst = a + b + constant
    LITMUS_DIFFERENCE, // dst = a - b + constant
    LITMUS_SKIP,       // skip the next `count` statements where a is 0
    LITMUS_WAIT,       // for a time: `count` misses of every cache, or `count` additions
};

enum litmus_order { ORDER_WEAK, ORDER_VOLATILE, ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE };

struct litmus_statement {
    uint8_t kind, order; // enum litmus_kind, litmus_order
    uint8_t warps;       // bit mask: warps of the block with this statement
    uint8_t location;
    uint8_t index; // register, its lowest bit added to the location; or LITMUS_NONE
    uint8_t dst, a, b;
    uint8_t count;
    bool block_alone; // FENCE: of .cta scope
    bool per_warp;    // 16 x the warp's index is added to the stored value
    bool misses;      // WAIT
    bool kept;        // SUM, DIFFERENCE: the result goes through the thread's local memory
    uint32_t constant;
};

struct litmus {
    unsigned blocks, live[2]; // warps with statements, by block
    uint32_t shape[2];        // of a block
    unsigned count[2];
    struct litmus_statement code[2][LITMUS_STATEMENTS];
};

void litmus_generate(uint64_t seed, struct litmus *p);
void litmus_write(const struct litmus *p, struct strbuf *ptx);    // an entry `k`
void litmus_explain(const struct litmus *p, struct strbuf *text); // a line for every statement
unsigned litmus_warps(const struct litmus *p);

struct litmus_outcome { // at the end; warps by block
    uint32_t registers[LITMUS_WARPS][LITMUS_REGISTERS];
    uint32_t memory[LITMUS_LOCATIONS];
};

// Promises of the machine; litmus_model.c.
struct litmus_machine {
    bool own_sms;      // no two blocks share an SM
    bool weak_is_late; // weak loads may give a value present since the warp's last ordering point
};

struct litmus_set {
    VEC(struct litmus_outcome) outcomes;
    size_t states; // visited
};

// Computes the set of permitted outcomes. False: more states than can be visited.
bool litmus_allow(const struct litmus *p, struct litmus_machine m, struct litmus_set *set);
bool litmus_is_allowed(const struct litmus_set *set, const struct litmus_outcome *o);
void litmus_set_fini(struct litmus_set *set);

// Layout of a launch's results: words[block][warp][slot][lane]. Slots: registers, then the shared words,
// then the register that keeps waits from being removed.
enum { LITMUS_SLOTS = LITMUS_REGISTERS + LITMUS_LOCATIONS - LITMUS_GLOBALS + 1, LITMUS_STRIDE = 256 };
