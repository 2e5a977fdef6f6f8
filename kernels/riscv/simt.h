// CUDA's words for C on SIMTight: what a file of kernels/riscv includes.
//
// One ELF holds both halves. The host hart begins at _start (start.S) and runs main; a launch puts all hardware threads
// (2,048, unless the loader writes another shape to simt_shape) at a kernel's entry, and they take the grid's blocks in
// turn: as many blocks at once as there is room for.
//
//     KERNEL(add, int n; const int *a, *b; int *sum;)
//     {
//         for (int i = threadIdx.x; i < arg.n; i += blockDim.x) arg.sum[i] = arg.a[i] + arg.b[i];
//     }
//     ... LAUNCH(add, dim(1, 1), dim(2048, 1), .n = n, .a = a, .b = b, .sum = sum);
//
// In a kernel there are arg, threadIdx, blockIdx, blockDim, gridDim, and SHARED(TYPE, COUNT): an array in the block's
// part of the scratchpad. Dimensions of a block are powers of two, a warp to all threads together; grids have any size.
//
// What decides over gcc's registers is as in the public suite: indices are int, arrays of shared memory are taken from
// a pointer in the struct, and the function of a launch returns (one that does not return saves no register for a
// caller, so gcc gives it ra as well, a thirteenth of sixteen registers). Arguments, dimensions and indices are a struct
// on the stack of every thread, as the suite has an object there.
// gcc inlines a short kernel and keeps the members that it needs in registers. A long kernel is a call with the
// struct's address: stores of words, barriers and CONVERGE may change the members, so each use afterwards loads its
// member again.
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
#define CSR_WRITE(NUMBER, VALUE) __asm__ volatile("csrw " #NUMBER ", %z0" ::"rJ"(VALUE) : "memory")

enum {
    SIMT_LANES = 32,     // of a warp, at most
    SIMT_THREADS = 2048, // at most
    SCRATCHPAD_BYTES = 65536,
};
#define SCRATCHPAD 0xbfff0000u

struct dim {
    int x, y;
};
INLINE struct dim dim(int x, int y) { return (struct dim){x, y}; }

// What the host hands every thread, in front of the kernel's own arguments. Each thread sets at, thread and scratch in
// its copy.
struct simt_launch {
    struct dim grid, block;
    struct dim at, thread;            // blockIdx, threadIdx
    char *scratch;                    // the block's shared memory that no array has yet
    unsigned x_mask, x_shift, y_mask; // threadIdx is cut out of the hart's number
    unsigned block_shift;             // as is the place of its block
    // Places in a row of blocks, and rows at once; a place's column is cut out of its number.
    unsigned column_mask, row_shift, columns, rows;
    unsigned shared_bytes; // of each block
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

// Threads of the warp that have parted meet here, at the level of the kernel's own statements.
INLINE void simt_meet(void)
{
    simt_pop();
    simt_push();
}

// All threads of the block: the warp meets, then waits for the other warps.
INLINE void __syncthreads(void)
{
    simt_meet();
    CSR_WRITE(0x830, 0);
}

// The next bytes of the block's shared memory.
INLINE void *simt_take(struct simt_launch *launch, unsigned bytes)
{
    void *const taken = launch->scratch;
    launch->scratch += bytes;
    return taken;
}

// Atomics are the scratchpad's.
INLINE int atomicAdd(int *address, int value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }

// Of the kernel's struct, in a kernel:
#define arg                 (*kernel_)
#define threadIdx           (kernel_->launch.thread)
#define blockIdx            (kernel_->launch.at)
#define blockDim            (kernel_->launch.block)
#define gridDim             (kernel_->launch.grid)
#define SHARED(TYPE, COUNT) ((TYPE *)simt_take(&kernel_->launch, (unsigned)(COUNT) * sizeof(TYPE)))

// KERNEL(NAME, arguments) and the statements. gcc inlines a short kernel. Two kernels are about as long as gcc's limit,
// and are fixed on the side on which gcc puts the public suite's: one is a call, one inline.
#define KERNEL(NAME, ...)         KERNEL_AS(inline, NAME, __VA_ARGS__)
#define KERNEL_CALLED(NAME, ...)  KERNEL_AS(__attribute__((noinline)), NAME, __VA_ARGS__)
#define KERNEL_INLINED(NAME, ...) KERNEL_AS(inline __attribute__((always_inline)), NAME, __VA_ARGS__)
#define KERNEL_AS(HOW, NAME, ...)                                                                                      \
    struct NAME {                                                                                                      \
        struct simt_launch launch;                                                                                     \
        __VA_ARGS__                                                                                                    \
    };                                                                                                                 \
    static HOW void NAME##_block(struct NAME *kernel_);                                                                \
    __attribute__((noinline, used)) void NAME##_blocks(void)                                                           \
    {                                                                                                                  \
        struct NAME own = *(const struct NAME *)CSR_READ(0x831);                                                       \
        const unsigned hart = CSR_READ(0xf14), place = hart >> own.launch.block_shift;                                 \
        const unsigned column = place & own.launch.column_mask;                                                        \
        own.launch.thread = (struct dim){hart & own.launch.x_mask, hart >> own.launch.x_shift & own.launch.y_mask};    \
        own.launch.at.y = place >> own.launch.row_shift;                                                               \
        for (; own.launch.at.y < own.launch.grid.y; own.launch.at.y += own.launch.rows) {                              \
            own.launch.at.x = column;                                                                                  \
            for (; own.launch.at.x < own.launch.grid.x; own.launch.at.x += own.launch.columns) {                       \
                own.launch.scratch = (char *)(SCRATCHPAD + place * own.launch.shared_bytes);                           \
                NAME##_block(&own);                                                                                    \
                __syncthreads(); /* the next block writes over this one's shared memory */                             \
            }                                                                                                          \
        }                                                                                                              \
        __asm__ volatile("fence" ::: "memory");                                                                        \
        simt_pop();                                                                                                    \
        CSR_WRITE(0x830, 3); /* the warp ends well */                                                                  \
    }                                                                                                                  \
    __attribute__((naked)) void NAME(void)                                                                             \
    {                                                                                                                  \
        __asm__ volatile("li sp, -8\n.word 0x00050009\nj " #NAME "_blocks");                                           \
    }                                                                                                                  \
    static HOW void NAME##_block(struct NAME *kernel_)

// -- the host ----------------------------------------------------------------------------------------------------
// Sizes of the problem: the first byte of the console's input, 0 the paper's, otherwise (or without input) small ones.
int host_is_small(void);
unsigned host_lanes(void);   // of a warp
unsigned host_threads(void); // of the machine
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
