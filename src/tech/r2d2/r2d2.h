// The parts of R2D2:
//
//     decouple/linear.c  combinations of thread and block indices, with the launch's parameters
//     code.c             the linear instructions, behind the kernel
//     plan.c             instructions removed from the warps, linear registers, operands that read them
//     prologue.c         coefficients once a kernel, thread parts once a kernel, block parts once a block
//     r2d2.c             the warps: instructions left out, operands, waits
//
// A linear register is a thread-index register and a base, either of which may be absent:
//
//     value(thread, block) = thread part (32 bits, extended by its sign) + base (64 bits)
//                            Σ ci·tid.i, shared by all blocks             c0 + Σ dj·ctaid.j, of the block
//
// A base without block indices is a coefficient register. The lower word of the sum is exact modulo 2^32 whatever wraps;
// where the upper word is read, the thread part is known to fit into 32 bits with its sign.
#pragma once
#include "base/bits.h"
#include "decouple/linear.h"
#include "sm/mech/tech.h"

enum { R2D2_LINEAR_MAX = 64, R2D2_BLOCKS = 64, R2D2_LANES = 64, R2D2_BANKS = 8 };
enum { R2D2_NONE = UINT8_MAX };
enum { R2D2_SOURCES = 4 }; // registers of the guest that the product reads

struct r2d2_options {
    uint32_t vectors, registers, cycles, corrupt;
    int wrap, priority;
};

enum r2d2_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/r2d2/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

struct r2d2_code {          // of a program with the linear instructions behind the kernel
    const uint32_t *copies; // by instruction of the kernel: index of its copy; 0: none
    uint32_t product;       // index of the instruction that issues for parts
};

struct r2d2_thread { // a thread part
    int32_t offset[3];
};
struct r2d2_base {
    uint64_t base, offset[3];
    bool is_of_block; // an offset is not 0
};
struct r2d2_register {
    uint8_t thread, base; // numbers; R2D2_NONE: absent
};
struct r2d2_operand { // a register of an instruction that is read from a linear register
    uint8_t r, linear;
    bool is_upper; // the upper word
    uint8_t nth;   // among op.reads
};

enum r2d2_meeting { R2D2_ALONE, R2D2_MEETS, R2D2_ENDS }; // MEETS: a barrier; ENDS: an exit

struct r2d2_plan {  // of a launch. Heap.
    uint32_t count; // instructions of the kernel
    const struct r2d2_code *code;
    bool
        has_waits; // the kernel has waits that end without a look at the warp: warps wait for the prologue from their start
    // By instruction, copies included: number of consecutive instructions removed from the warps, from here on; bits by number
    // (op.reads) of the registers read from linear registers; hooks to be called.
    uint32_t *removed, *served;
    uint8_t *concerns, *meets; // meets: enum r2d2_meeting
    // Operands of instruction i: first[i] … first[i + 1] - 1.
    uint32_t *first;
    struct r2d2_operand *operands;
    // Copies of instructions that compute coefficients, in order: of the removed ones, and of what these read. components: of each
    // one's result, 1 and a coefficient for every index.
    uint32_t *insts;
    uint8_t *components;
    uint32_t inst_count, removed_count;
    struct r2d2_thread threads[R2D2_LINEAR_MAX];
    struct r2d2_base bases[R2D2_LINEAR_MAX];
    struct r2d2_register registers[R2D2_LINEAR_MAX];
    unsigned thread_count, base_count, register_count;
};

struct r2d2_launch {
    const struct r2d2_options *options;
    const struct launch *launch;
    const struct op *ops;
    const struct inst *insts;
    uint32_t warps; // of a block
    struct r2d2_plan plan;
    bool verify;
    uint64_t *mismatches;
};

// What a prologue does in its steps: an instruction for every part, again for every index with an offset.
enum r2d2_phase { R2D2_COEFFICIENTS, R2D2_THREADS, R2D2_OF_BLOCK, R2D2_DONE };
struct r2d2_cursor {
    uint8_t phase;
    unsigned dimension; // THREADS, OF_BLOCK
    uint32_t part;      // of insts, threads, bases
    uint32_t warp;      // THREADS
};

enum r2d2_ends { R2D2_ENDS_NOT, R2D2_ENDS_KERNEL, R2D2_ENDS_BLOCK };
enum r2d2_state { R2D2_EMPTY, R2D2_WAITS, R2D2_SETTLES, R2D2_READY };
struct r2d2_block {
    uint8_t state; // enum r2d2_state. SETTLES: all steps have issued, registers written at ready_at
    uint32_t id[3];
    uint64_t since, ready_at;
};

struct r2d2 {
    struct r2d2_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    bool is_begun;           // the kernel's steps
    uint64_t kernel_ready;   // cycle from which the kernel's registers are there; CYCLE_NEVER: not known yet
    struct r2d2_cursor step; // the next to issue
    unsigned serving;        // OF_BLOCK: the block; R2D2_BLOCKS: a block that has ended before
    uint8_t queue[R2D2_BLOCKS];    // blocks whose steps come next
    unsigned queued;               // number of these
    uint64_t settled_at;           // cycle of the last result so far
    bool settles;                  // the next step waits until then
    uint8_t ends;                  // enum r2d2_ends: what the step at hand completes
    unsigned ended;                // the block
    uint32_t first_register, turn; // of the guest: physical number of its R0; instructions of parts so far
    struct r2d2_block blocks[R2D2_BLOCKS + 1]; // the last one for steps of a block that has ended
    uint64_t coefficients[R2D2_LINEAR_MAX];    // bases of the kernel
    uint64_t *bases;                           // [block][base]
    uint32_t *threads;                         // [part][warp][lane]
    uint64_t bank_free[R2D2_BANKS]; // cycle from which a bank of thread-index registers can be read
    uint8_t held[R2D2_BLOCKS];      // by place: bits of enum tech_hold
    // Bits by place. late: the warp waits for a reply before a removed instruction. attentive: the linear registers of the
    // warp's block are not there yet.
    uint64_t alive, late, attentive;
    uint64_t served; // operands so far, for `corrupt`
};

static inline uint32_t *r2d2_thread_lanes(const struct r2d2 *d, unsigned part, uint32_t warp)
{
    return d->threads + ((size_t)part * d->launch->warps + warp) * R2D2_LANES;
}

static inline uint64_t *r2d2_bases(const struct r2d2 *d, unsigned block)
{
    return d->bases + (size_t)block * d->launch->plan.base_count;
}

// code.c. r2d2_code_of: with the kernel alone, sharing the instructions of `p`. NULL: no program of r2d2_transform, or
// changed since.
struct program *r2d2_transform(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                               unsigned warp_size, const bool *shared);
const struct r2d2_code *r2d2_code_of(const struct program *p, struct program *kernel);

// plan.c. False: nothing is removed. kernel, code: of r2d2_code_of.
bool r2d2_plan(struct r2d2_launch *l, const struct program *kernel, const struct r2d2_code *code);
// By instruction: removed from the warps if everything that may be linear is, and fits. In the arena of `d`.
bool *r2d2_find_removable(struct decouple *d, const bool *maybe);
struct decouple *r2d2_analyse(const struct program *kernel);
void r2d2_plan_end(struct r2d2_plan *p);

// prologue.c
void r2d2_block_arrives(struct r2d2 *d, unsigned block); // with its indices
void r2d2_block_leaves(struct r2d2 *d, unsigned block);
void r2d2_guest(void *state, uint32_t index, struct guest_step *step);
bool r2d2_guest_may(const void *state, uint32_t index);
void r2d2_guest_result(void *state, uint32_t index, uint64_t cycle);
