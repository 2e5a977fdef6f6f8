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

enum op_path { PATH_ALU, PATH_CONTROL, PATH_MEMORY, PATH_FENCE };

// Pipelines; with units.shared, integer instructions use PIPE_FLOAT.
enum pipe { PIPE_INT, PIPE_FLOAT, PIPE_SPECIAL, PIPE_DOUBLE, PIPE_LSU, PIPE_CONTROL, PIPE_COUNT };

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

struct op {
    uint8_t path, pipe, lanes;
    uint8_t read_count, reads[OP_READS_MAX]; // registers read
    uint8_t dst, dst_words; // first destination register, and number of consecutive registers
    uint8_t need_count, needs[OP_READS_MAX + 4]; // registers that must be ready: read and written
    uint8_t pred_reads, pred_writes;             // bits by predicate read, written; without PT
    uint8_t guard; // guard predicate; the instruction is unguarded if !is_guarded
    bool guard_not, is_guarded;
    uint16_t latency, interval;
    // Cycles from issue without contention: until operands are collected; until a result of fixed latency is
    // usable.
    uint16_t collected, cycles;
    uint8_t stall, wait, barrier; // control word (waits.h); 0 without encoded waits
    uint8_t order;                // OP_STORES, OP_LOADS
    uint8_t bypass;               // cycles from usable result to register write; 0: no bypass
    uint32_t constant;            // 1 + index in constant_lines of a constant operand's line; 0: none
};

struct decoded {
    struct op *ops;           // by instruction
    uint64_t *constant_lines; // addresses of constant cache lines, by number
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
