// What the pipeline has to know of an instruction, looked up once a launch.
#pragma once
#include "base/arena.h"
#include "isa/program.h"
#include "sm/config.h"

enum { OP_READS_MAX = 16 };

enum { OP_STORES = 1, OP_LOADS = 2 }; // memory, of its warp's program order

enum op_path { PATH_ALU, PATH_CONTROL, PATH_MEMORY, PATH_FENCE };

// Pipelines; integer and single precision may be one.
enum pipe { PIPE_INT, PIPE_FLOAT, PIPE_SPECIAL, PIPE_DOUBLE, PIPE_LSU, PIPE_CONTROL, PIPE_COUNT };

// What kind of work a lane does (counters.def).
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
    uint8_t read_count, reads[OP_READS_MAX];     // registers
    uint8_t dst, dst_words;                      // first of consecutive registers
    uint8_t need_count, needs[OP_READS_MAX + 4]; // registers that must be ready: those read, and written
    uint8_t pred_reads, pred_writes;             // bits; PT is none
    uint8_t guard;                               // predicate
    bool guard_not, is_guarded;
    uint16_t latency, interval;
    uint16_t collected,
        cycles; // from issue to operands and until the result can be had, when nothing is in the way
    uint8_t stall, wait, barrier; // waits.h; without encoded waits 0
    uint8_t order;                // OP_STORES, OP_LOADS
    uint8_t bypass;               // cycles before it is written at which its result can be had
    uint32_t constant;            // number of the constant cache line an operand is in, + 1; 0: none
};

struct decoded {
    struct op *ops;           // by instruction
    uint64_t *constant_lines; // addresses of the lines, by number
    uint32_t constant_count;
};

// Where the constant banks and a program's code are for the caches: beyond every device address.
#define GPU_CODE_ADDRESS     (1ull << 44)
#define GPU_CONSTANT_ADDRESS (1ull << 43)
#define GPU_LOCAL_ADDRESS    (1ull << 42)

// Of a grid: what is added to them.
#define GPU_SPACE(number) ((uint64_t)(number) << 45)

// What the instruction writes and which path it goes, the same on every GPU: path, dst, dst_words, pred_writes.
void gpu_decode_results(struct op *o, const struct inst *i);
// line_bytes: of caches.
void gpu_decode(struct decoded *d, const struct program *p, const struct gpu_config *c, uint32_t line_bytes,
                struct arena *a);
