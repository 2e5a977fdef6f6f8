// Types and functions shared by the files of the oracle for RISC-V.
//
//     simtight.c         a program: create, run, results        simtight_decode.c  words to operations
//     simtight_elf.c     ELF files                              simtight_value.c   results of operations
//     simtight_host.c    the host hart, its CSRs and cache      simtight_warp.c    kernels: nesting, barriers
//     simtight_access.c  loads and stores of a warp: groups, beats, the stack cache
//     simtight_regs.c    uniform, affine and vector registers; the scalar pipeline
#pragma once
#include "base/str.h"
#include "oracle/simtight.h"

enum {
    LANES = 32,
    WARPS = 64,
    REGISTERS = 32,
    CODE_BYTES = 32768, // instruction memory
    CODE_WORDS = CODE_BYTES / 4,
    NEST_MAX = 31,
    HOST_CACHE_LINES = 512,
    STACK_CACHE_LINES = 2048,
    VECTOR_REGISTERS = 2048,
};
#define CODE_BASE       0x08000000u
#define DATA_BASE       0x08008000u
#define HOST_STACK_TOP  0xbff70000u
#define HOST_STACK_LOW  0x7ff70000u
#define SCRATCHPAD_BASE 0xbfff0000u
#define STACKS_BASE     0xc0000000u // physical; as seen by threads, stacks begin at
#define STACK_WINDOW    0xfff80000u
#define MEMORY_BYTES    (1ull << 32)
#define ALL_LANES       0xffffffffu

enum simtight_op {
#define OP(NAME, FORM, SCALAR) OP_##NAME,
#include "oracle/simtight.def"
#undef OP
    OP_COUNT
};
enum simtight_form { FORM_R, FORM_I, FORM_U, FORM_B, FORM_L, FORM_S, FORM_A, FORM_F, FORM_C, FORM_N };

struct simtight_inst {
    uint8_t op, rd, rs1, rs2; // registers missing in the form are x0
    uint32_t imm;             // a CSR's number; for a CSR's immediate form the value is rs1's number
    uint32_t word;
};
extern const char *const oracle_rv_op_names[OP_COUNT];
extern const uint8_t oracle_rv_op_forms[OP_COUNT], oracle_rv_op_scalar[OP_COUNT];
struct simtight_inst oracle_rv_decode(uint32_t word);

// simtight_value.c: the value written to rd (forms R, I, U, F; JAL and JALR: the address behind); whether a
// branch is taken; the memory word after an atomic.
uint32_t oracle_rv_value(const struct simtight_inst *i, uint32_t a, uint32_t b, uint32_t pc);
bool oracle_rv_branches(enum simtight_op op, uint32_t a, uint32_t b);
uint32_t oracle_rv_atomic(enum simtight_op op, uint32_t old, uint32_t b);
static inline unsigned oracle_rv_width(enum simtight_op op)
{
    if (op == OP_LB || op == OP_LBU || op == OP_SB) return 1;
    return op == OP_LH || op == OP_LHU || op == OP_SH ? 2 : 4;
}

struct thread {
    uint32_t x[REGISTERS];
    uint32_t pc;
    unsigned nest;
};

enum warp_state { WARP_READY, WARP_BARRIER, WARP_ENDED };

struct warp {
    struct thread threads[LANES];
    enum warp_state state;
    bool is_scalar; // the warp is in the scalar pipeline
    // State of the compressed register file: a vector, or a scalar with a stride of 0, 1, 2 or 4.
    bool is_vector[REGISTERS];
    uint8_t stride[REGISTERS];
};

struct stack_line {
    bool valid;
    uint32_t block; // address / 128
};

struct host_line {
    bool valid, dirty;
    uint32_t block; // address / 64
};

struct simtight_oracle {
    uint8_t *memory;
    struct simtight_inst code[CODE_WORDS];
    uint32_t entry, code_begin, code_end;
    bool is_rv32e;
    uint64_t limit, steps;
    char *input;
    size_t input_length, input_read;
    struct strbuf console, error;
    bool console_ended, finished;
    bool is_lower_first;

    uint32_t host_x[REGISTERS], host_pc;
    struct host_line host_cache[HOST_CACHE_LINES];
    uint32_t closure, warps_per_block, answer;
    bool has_answer;

    struct warp warps[WARPS];
    bool failed_warp;           // a warp ended with failure
    bool predicted[CODE_WORDS]; // scalarisable at the last execution outside the scalar pipeline
    unsigned vectors;           // current number of vector registers
    struct stack_line stack_cache[STACK_CACHE_LINES];
    struct simtight_oracle_counts counts; // of the running launch, or of the last
    struct simtight_oracle_counts *launches;
    size_t launch_count;
    struct simtight_oracle_result result;
};

// The first error counts. False, for the caller to return.
bool oracle_rv_error(struct simtight_oracle *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool oracle_rv_step_counted(struct simtight_oracle *o); // false: the limit is reached
const struct simtight_inst *oracle_rv_fetch(struct simtight_oracle *o, uint32_t pc, const char *who);
uint32_t oracle_rv_load(const struct simtight_oracle *o, enum simtight_op op, uint32_t address);
void oracle_rv_store(struct simtight_oracle *o, enum simtight_op op, uint32_t address, uint32_t value);
void oracle_rv_put(struct simtight_oracle *o, uint8_t byte); // to the UART

bool oracle_rv_host_run(struct simtight_oracle *o);
bool oracle_rv_kernel_run(struct simtight_oracle *o, uint32_t pc, uint32_t *exit_code);

// Where a thread's address is in memory: stacks lie word by word, lanes side by side.
uint32_t oracle_rv_physical(uint32_t address, unsigned warp, unsigned lane);
// Counts a load, store or fence of the lanes in `mask` by physical addresses; calls `group` for each group,
// in order.
struct simtight_access {
    enum simtight_op op;
    uint32_t mask, address[LANES];
    bool is_store, is_compressed; // the stored value is uniform or affine
};
void oracle_rv_access(struct simtight_oracle *o, const struct simtight_access *a,
                      void (*group)(void *context, uint32_t lanes), void *context);
static inline bool oracle_rv_is_scratchpad(uint32_t address)
{
    return address >> 16 == SCRATCHPAD_BASE >> 16;
}

void oracle_rv_regs_reset(struct simtight_oracle *o);
// The lanes of register rd have just been written, together.
void oracle_rv_regs_written(struct simtight_oracle *o, struct warp *w, unsigned rd, uint32_t lanes);
bool oracle_rv_regs_scalarisable(const struct warp *w, const struct simtight_inst *i, uint32_t active);
// begin: call before an instruction; true: the scalar pipeline executes the instruction. end: call after
// it.
bool oracle_rv_scalar_begin(struct simtight_oracle *o, struct warp *w, const struct simtight_inst *i);
void oracle_rv_scalar_end(struct simtight_oracle *o, struct warp *w, const struct simtight_inst *i,
                          uint32_t pc, uint32_t active, bool was_scalar, bool was_scalarisable);
