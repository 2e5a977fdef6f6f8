// Properties of an instruction used by the pipeline, decoded once per launch and class of SMs.
#pragma once
#include "base/arena.h"
#include "sm/config.h"

struct inst;
struct program;

enum { OP_READS_MAX = 16 };

// Bits of op.order, for memory instructions kept in the warp's program order (board.h): ordered as a store,
// as a load. An atomic has both bits.
enum { OP_STORES = 1, OP_LOADS = 2 };

enum op_path {
    PATH_ALU,
    PATH_CONTROL,
    PATH_MEMORY,
    PATH_FENCE,
    PATH_COPIES /* waits for copies; products of warpgroups and their waits */
};

// Pipelines; with units.shared, integer instructions use PIPE_FLOAT.
enum pipe {
    PIPE_INT,
    PIPE_FLOAT,
    PIPE_SPECIAL,
    PIPE_DOUBLE,
    PIPE_TENSOR,
    PIPE_LSU,
    PIPE_CONTROL,
    PIPE_COUNT
};

// Class of the work done by a lane, for the counters of counters.def.
enum gpu_lanes {
#define GPU_COUNTER(group, name, unit, meaning)
#define GPU_LANES(which, name, meaning) LANES_##which,
#define GPU_SLOT(which, name, meaning)
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
    LANES_COUNT
};

enum { READ_AND_WRITE = 2 }; // cycles for writing and reading the register file

// An instruction's plan, one cache line.
struct op {
    // Sets of registers and predicates (OP_FAR_BIT, OP_PRED_BIT): read or written; written.
    uint64_t needs, results;
    uint8_t path, pipe, lanes;
    uint8_t read_count;              // number of registers read, in `reads`
    uint8_t dst, dst_words;          // first destination register, and number of consecutive registers
    uint8_t pred_reads, pred_writes; // bits by predicate read, written; without PT
    uint32_t constant;               // 1 + index in constant_lines of a constant operand's line; 0: none
    uint16_t latency, interval;
    uint8_t reads[OP_READS_MAX]; // registers read
    // Cycles from issue without contention: until operands are collected; until a result of fixed latency is
    // usable.
    uint16_t collected, cycles;
    uint8_t guard;                // guard predicate; the instruction is unguarded if !is_guarded
    bool guard_not, is_guarded;   // is_guarded: also of products of warpgroups, which read their destination
    bool collects;                // takes a collector; a memory instruction: only with an accessing lane
    uint8_t stall, wait, barrier; // control word (waits.h); 0 without encoded waits
    uint8_t order;                // OP_STORES, OP_LOADS
    uint8_t bypass;               // cycles from usable result to register write: READ_AND_WRITE; 0: no bypass
    bool is_plain; // arithmetic that keeps neither its warp nor the scheduler from the next issue (one.h)
};
_Static_assert(sizeof(struct op) == 64, "an instruction's plan is a cache line");

// Bits of a set of registers and predicates: R0 to R54 have a bit each, later registers share OP_FAR_BIT, and
// predicate p has bit OP_PRED_BIT + p.
enum { OP_FAR_BIT = 55, OP_PRED_BIT = 56 };
#define OP_FAR (1ull << OP_FAR_BIT)
// In the needs of instructions whose readiness has further conditions: fences, waits for copies, all with dependences other than the
// scoreboard's. Always under way.
#define OP_ASK (1ull << 63)
static inline uint64_t op_bit(unsigned r) { return r < OP_FAR_BIT ? 1ull << r : OP_FAR; }

// Registers that must be ready before issue: read, then written.
static inline unsigned op_need_count(const struct op *o) { return o->read_count + o->dst_words; }
static inline unsigned op_need(const struct op *o, unsigned k)
{
    return k < o->read_count ? o->reads[k] : o->dst + k - o->read_count;
}

// Place of an instruction in the code.
struct code_place {
    uint32_t line; // offset of its code line from the start of code
    uint32_t most; // instructions from here to the end of the line or of the program
};

struct decoded {
    struct op *ops;            // by instruction
    struct code_place *places; // by instruction; one more at the program's end, with `most` 0
    uint32_t count;            // instructions
    uint64_t *constant_lines;  // addresses of constant cache lines, by number
    uint32_t constant_count;
};

// Start addresses of code, constant banks and local memory in the caches, beyond every address of device
// memory.
#define GPU_CODE_ADDRESS     (1ull << 44)
#define GPU_CONSTANT_ADDRESS (1ull << 43)
#define GPU_LOCAL_ADDRESS    (1ull << 42)

// Added to the addresses of a grid.
#define GPU_SPACE(number) ((uint64_t)(number) << 45)

// Sets path, dst, dst_words and pred_writes, which do not depend on the GPU.
void gpu_decode_results(struct op *o, const struct inst *i);
// Decodes a program into *d, with arrays allocated from `a`. line_bytes: size of a cache line.
void gpu_decode(struct decoded *d, const struct program *p, const struct gpu_config *c, uint32_t line_bytes,
                struct arena *a);
