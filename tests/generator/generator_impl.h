// Types and functions shared by the files of the generator.
//
//     generator.c  module, prologue and epilogue, launch    traffic.c  memory, barriers, atomics
//     statement.c  branches, loops, calls, switches         lanes.c    lanes of a warp together
//     values.c     registers, constants, operations         idiom.c    instructions that belong together
//
// The text is one instruction a line, so that shrinking can drop lines. A register is in the pool of its
// class while it is certainly defined: at the end of a branch or loop, registers defined inside leave the
// pool.
#pragma once
#include "base/rng.h"
#include "generator/generator.h"
#include "generator/params.h"

enum reg_class { CLASS_R, CLASS_D, CLASS_H, CLASS_F, CLASS_G, CLASS_P, CLASS_COUNT };

enum { POOL_MAX = 400, HISTORY_MAX = 64, FUNCTIONS_MAX = 4, PARAMS_MAX = 12 };

struct pool {
    struct {
        uint16_t number;
        bool fixed; // not to be written again: loop counters, indices
    } v[POOL_MAX];
    unsigned count;
};

struct signature {
    enum reg_class result, params[PARAMS_MAX];
    unsigned param_count;
    bool recursive; // the first parameter is the depth
};

struct gen {
    struct rng rng;
    struct generator_options options;
    struct generated *g;
    struct strbuf body; // of the function being written
    struct pool pools[CLASS_COUNT];
    unsigned next[CLASS_COUNT]; // register numbers
    unsigned next_label, next_call, next_table;
    unsigned depth;   // of nested control flow
    unsigned repeats; // product of the trip counts around
    unsigned left;    // statements still to be written at most
    uint32_t threads;
    bool uniform;       // all threads of the block are together at this place
    bool warp_together; // all threads of the warp are together at this place
    bool in_kernel;
    bool some_exited;         // lanes may be missing
    bool has_local, touching; // touching: the array is the caller's, known by generic address only
    struct {
        char text[160]; // "add.s32 %s, %r1, 5": an operation complete but for its destination
        enum reg_class class;
    } history[HISTORY_MAX];
    unsigned history_count;
    struct signature functions[FUNCTIONS_MAX];
    unsigned function_count;
    unsigned function_current; // functions below may be called; FUNCTIONS_MAX in the kernel
};

struct mark { // pool sizes, to go back to
    unsigned counts[CLASS_COUNT];
    unsigned history;
};

// values.c
static inline unsigned below(struct gen *g, unsigned n) { return rng_below(&g->rng, n); }
static inline bool chance(struct gen *g, unsigned percent) { return below(g, 100) < percent; }
void line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *class_prefix(enum reg_class c);
unsigned fresh(struct gen *g, enum reg_class c); // a number; not in the pool yet
void define(struct gen *g, enum reg_class c, unsigned number, bool fixed);
int pick(struct gen *g, enum reg_class c);          // a defined register
int pick_variable(struct gen *g, enum reg_class c); // a register that may be overwritten, -1: none
// Writes a source operand by the letters of operations.def.
void operand(struct gen *g, char kind, char *text, size_t size);
bool constant_text(struct gen *g, char kind, char *text, size_t size); // a special value, by the same letters
uint32_t special_u32(struct gen *g);
uint64_t special_u64(struct gen *g);
void operation(struct gen *g);         // a random operation, to a fresh register or over an old value
void guarded_operation(struct gen *g); // old destinations, random guard
void repeated_operation(struct gen *g);
unsigned operation_into(struct gen *g, enum reg_class c); // to a fresh register of the class
struct mark mark_pools(const struct gen *g);
void reset_pools(struct gen *g, struct mark m);

// traffic.c
void load_input(struct gen *g);
void load_table(struct gen *g);
void load_parameter(struct gen *g);
void local_access(struct gen *g);
void shared_own(struct gen *g);
void neighbours(struct gen *g);
void swap_values(struct gen *g);
void logic_tree(struct gen *g);
void own_slot(struct gen *g);
void shared_phase(struct gen *g);
void atomic_update(struct gen *g);
void shared_atomics(struct gen *g);
void lanes(struct gen *g);
void masked_lanes(struct gen *g);
void carry_chain(struct gen *g);
void pack_unpack(struct gen *g);
void bit_idiom(struct gen *g);

// statement.c
void statements(struct gen *g, unsigned count);
void call_function(struct gen *g, unsigned callee, int depth_register);
