// CUDA's words for C on SIMTight: what a file of kernels/riscv includes.
//
// One ELF holds both halves. The host hart begins at _start (start.S) and runs main; a launch puts all 2,048 hardware
// threads at a kernel's entry, and they take the grid's blocks in turn: as many blocks at once as there is room for.
//
//     KERNEL(add, int n; const int *a, *b; int *sum;)
//     {
//         for (int i = threadIdx.x; i < arg.n; i += blockDim.x) arg.sum[i] = arg.a[i] + arg.b[i];
//     }
//     ... LAUNCH(add, dim(1, 1), dim(2048, 1), .n = n, .a = a, .b = b, .sum = sum);
//
// In a kernel there are arg, threadIdx, blockIdx, blockDim, gridDim, and shared: the block's part of the scratchpad.
// Dimensions of a block are powers of two, 32 to 2,048 threads together; grids have any size.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

// -- the machine -------------------------------------------------------------------------------------------------
// CSRs are read by csrrw with x0: a write of zero to those that are read only does nothing.
#define CSR_READ(NUMBER)                                                                                               \
    ({                                                                                                                 \
        unsigned value_;                                                                                               \
        __asm__ volatile("csrrw %0, " #NUMBER ", zero" : "=r"(value_)::"memory");                                      \
        value_;                                                                                                        \
    })
#define CSR_WRITE(NUMBER, VALUE) __asm__ volatile("csrw " #NUMBER ", %0" ::"r"(VALUE) : "memory")

enum {
    SIMT_LANES = 32,
    SIMT_THREADS = 2048,
    SCRATCHPAD_BYTES = 65536,
};
#define SCRATCHPAD 0xbfff0000u

struct dim {
    unsigned x, y;
};
INLINE struct dim dim(unsigned x, unsigned y) { return (struct dim){x, y}; }

// What the host hands every thread, in front of the kernel's own arguments.
struct simt_launch {
    struct dim grid, block;
    unsigned x_mask, x_shift, y_mask; // threadIdx is cut out of the hart's number
    unsigned block_shift;             // as is the place of its block
    unsigned places;                  // blocks at once
    unsigned shared_bytes;            // of each
};

// -- threads -----------------------------------------------------------------------------------------------------
// Of a warp's threads those go on that are nested deepest. push before threads part, pop where they meet again.
INLINE void simt_push(void) { __asm__ volatile(".word 0x00050009" ::: "memory"); }
INLINE void simt_pop(void) { __asm__ volatile(".word 0x00051009" ::: "memory"); }

// The statements, after which those threads of the warp meet that came here together.
#define CONVERGE(...)                                                                                                  \
    do {                                                                                                               \
        simt_push();                                                                                                   \
        __VA_ARGS__                                                                                                    \
        simt_pop();                                                                                                    \
    } while (0)

// All threads of the block. The warp meets at the level of the entry, then waits for the other warps.
INLINE void __syncthreads(void)
{
    simt_pop();
    simt_push();
    CSR_WRITE(0x830, 0);
}

// Atomics are the scratchpad's.
INLINE int atomicAdd(int *address, int value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }

#define KERNEL(NAME, ...)                                                                                              \
    struct NAME {                                                                                                      \
        struct simt_launch launch;                                                                                     \
        __VA_ARGS__                                                                                                    \
    };                                                                                                                 \
    INLINE void NAME##_block(const struct NAME arg, struct dim threadIdx, struct dim blockIdx, struct dim blockDim,    \
                             struct dim gridDim, void *shared);                                                        \
    __attribute__((noreturn, used)) void NAME##_blocks(void)                                                           \
    {                                                                                                                  \
        const struct NAME arg = *(const struct NAME *)CSR_READ(0x831);                                                 \
        const struct simt_launch *l = &arg.launch;                                                                     \
        unsigned hart = CSR_READ(0xf14), place = hart >> l->block_shift;                                               \
        struct dim threadIdx = {hart & l->x_mask, hart >> l->x_shift & l->y_mask}, blockIdx = {place, 0};              \
        for (;; blockIdx.x += l->places) {                                                                             \
            for (; blockIdx.x >= l->grid.x; blockIdx.x -= l->grid.x) blockIdx.y++;                                     \
            if (blockIdx.y >= l->grid.y) break;                                                                        \
            NAME##_block(arg, threadIdx, blockIdx, l->block, l->grid, (char *)SCRATCHPAD + place * l->shared_bytes);   \
            __syncthreads(); /* the next block writes over this one's shared memory */                                 \
        }                                                                                                              \
        __asm__ volatile("fence" ::: "memory");                                                                        \
        simt_pop();                                                                                                    \
        CSR_WRITE(0x830, 3); /* the warp ends well */                                                                  \
        __builtin_unreachable();                                                                                       \
    }                                                                                                                  \
    __attribute__((naked)) void NAME(void)                                                                             \
    {                                                                                                                  \
        __asm__ volatile("li sp, -8\n.word 0x00050009\nj " #NAME "_blocks");                                           \
    }                                                                                                                  \
    INLINE void NAME##_block(const struct NAME arg, struct dim threadIdx, struct dim blockIdx, struct dim blockDim,    \
                             struct dim gridDim, void *shared)

// -- the host ----------------------------------------------------------------------------------------------------
// Sizes of the problem: the first byte of the console's input, 0 the paper's, otherwise (or without input) small ones.
int host_is_small(void);
void host_print(const char *text);
void host_print_number(unsigned value); // decimal
void *host_alloc(size_t bytes);         // 128-byte aligned, zero, never freed
// Pseudo-random numbers of 15 bits: the linear congruence of "Numerical Recipes", its upper bits.
struct random {
    unsigned state;
};
unsigned random_next(struct random *r);

// Runs a kernel to its end; whoever launches one that fails ends there, with a line on the console.
void host_launch(void (*kernel)(void), struct simt_launch *launch, struct dim grid, struct dim block);
#define LAUNCH(NAME, GRID, BLOCK, ...)                                                                                 \
    do {                                                                                                               \
        struct NAME closure_ = {__VA_ARGS__};                                                                          \
        host_launch(NAME, &closure_.launch, GRID, BLOCK);                                                              \
    } while (0)

// The line that ends every program here: "NAME N: self test passed", or what was wrong first.
int host_report_passed(const char *name, unsigned size);
int host_report_wrong(const char *name, unsigned index, unsigned got, unsigned want);
