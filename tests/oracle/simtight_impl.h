// What the files of the oracle for RISC-V share.
//
//     simtight.c         one program: create, run, results      simtight_decode.c  words to operations
//     simtight_elf.c     ELF files                              simtight_value.c   what an operation computes
//     simtight_host.c    the host hart, its CSRs and cache      simtight_warp.c    kernels: threads, nesting, barriers
//     simtight_access.c  loads and stores of a warp: groups, beats, the stack cache
//     simtight_regs.c    which registers are uniform, affine or vectors; the scalar pipeline
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
#define STACKS_BASE     0xc0000000u // physical; what threads see of theirs begins at
#define STACK_WINDOW    0xfff80000u
#define MEMORY_BYTES    (1ull << 32)
#define ALL_LANES       0xffffffffu

// name, form, may go to the scalar pipeline. Forms: R rd rs1 rs2, I rd rs1 imm, U rd imm, B rs1 rs2 imm, L load,
// S store, A atomic, F rd rs1, C CSR, N nothing.
#define SIMTIGHT_OPS(X)                                                                                      \
    X(ADD, R, 1)                                                                                             \
    X(SUB, R, 1)                                                                                             \
    X(SLL, R, 1)                                                                                             \
    X(SLT, R, 1)                                                                                             \
    X(SLTU, R, 1)                                                                                            \
    X(XOR, R, 1)                                                                                             \
    X(SRL, R, 1)                                                                                             \
    X(SRA, R, 1)                                                                                             \
    X(OR, R, 1)                                                                                              \
    X(AND, R, 1) X(MUL, R, 1) X(MULH, R, 1) X(MULHSU, R, 1) X(MULHU, R, 1) X(DIV, R, 1) X(DIVU, R, 1)        \
        X(REM, R, 1) X(REMU, R, 1) X(ADDI, I, 1) X(SLTI, I, 1) X(SLTIU, I, 1) X(XORI, I, 1) X(ORI, I, 1)     \
            X(ANDI, I, 1) X(SLLI, I, 1) X(SRLI, I, 1) X(SRAI, I, 1) X(LUI, U, 1) X(AUIPC, U, 1) X(JAL, U, 1) \
                X(JALR, I, 1) X(BEQ, B, 1) X(BNE, B, 1) X(BLT, B, 1) X(BGE, B, 1) X(BLTU, B, 1)              \
                    X(BGEU, B, 1) X(LB, L, 0) X(LH, L, 0) X(LW, L, 0) X(LBU, L, 0) X(LHU, L, 0) X(SB, S, 0)  \
                        X(SH, S, 0) X(SW, S, 0) X(AMOSWAP, A, 0) X(AMOADD, A, 0) X(AMOXOR, A, 0)             \
                            X(AMOAND, A, 0) X(AMOOR, A, 0) X(AMOMIN, A, 0) X(AMOMAX, A, 0) X(AMOMINU, A, 0)  \
                                X(AMOMAXU, A, 0) X(FADD, R, 0) X(FSUB, R, 0) X(FMUL, R, 0) X(FDIV, R, 0)     \
                                    X(FSQRT, F, 0) X(FSGNJ, R, 0) X(FSGNJN, R, 0) X(FSGNJX, R, 0)            \
                                        X(FMIN, R, 0) X(FMAX, R, 0) X(FCVT_W_S, F, 0) X(FCVT_WU_S, F, 0)     \
                                            X(FCVT_S_W, F, 0) X(FCVT_S_WU, F, 0) X(FEQ, R, 0) X(FLT, R, 0)   \
                                                X(FLE, R, 0) X(CSRRW, C, 0) X(CSRRS, C, 0) X(CSRRC, C, 0)    \
                                                    X(CSRRWI, C, 0) X(CSRRSI, C, 0) X(CSRRCI, C, 0)          \
                                                        X(FENCE, N, 0) X(PUSH, N, 1) X(POP, N, 1)            \
                                                            X(FLUSH, N, 0) X(TRAP, N, 0) X(ILLEGAL, N, 0)

enum simtight_op {
#define X(NAME, FORM, SCALAR) OP_##NAME,
    SIMTIGHT_OPS(X)
#undef X
        OP_COUNT
};
enum simtight_form { FORM_R, FORM_I, FORM_U, FORM_B, FORM_L, FORM_S, FORM_A, FORM_F, FORM_C, FORM_N };

struct simtight_inst {
    uint8_t op, rd, rs1, rs2; // registers that the form does not have are x0
    uint32_t imm;             // a CSR's number; for a CSR's immediate form the value is rs1's number
    uint32_t word;
};
extern const char *const simtight_op_names[OP_COUNT];
extern const uint8_t simtight_op_forms[OP_COUNT], simtight_op_scalar[OP_COUNT];
struct simtight_inst simtight_decode(uint32_t word);

// simtight_value.c: the result for rd of what computes (forms R, I, U, F; JAL and JALR: the address behind), whether a
// branch is taken, what memory holds after an atomic.
uint32_t simtight_value(const struct simtight_inst *i, uint32_t a, uint32_t b, uint32_t pc);
bool simtight_branches(enum simtight_op op, uint32_t a, uint32_t b);
uint32_t simtight_atomic(enum simtight_op op, uint32_t old, uint32_t b);
static inline unsigned simtight_width(enum simtight_op op)
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
    bool is_scalar; // it is in the scalar pipeline
    // What the compressed register file keeps: a vector, or a scalar with a stride of 0, 1, 2 or 4.
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
    bool predicted[CODE_WORDS]; // was scalarisable when it was executed last
    unsigned vectors;           // registers that are vectors now
    struct stack_line stack_cache[STACK_CACHE_LINES];
    struct simtight_counts counts; // of the launch that runs, or was last
    struct simtight_counts *launches;
    size_t launch_count;
    struct simtight_result result;
};

// The first error counts. False, for the caller to return.
bool simtight_error(struct simtight_oracle *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool simtight_step_counted(struct simtight_oracle *o); // false: the limit is reached
const struct simtight_inst *simtight_fetch(struct simtight_oracle *o, uint32_t pc, const char *who);
uint32_t simtight_load(const struct simtight_oracle *o, enum simtight_op op, uint32_t address);
void simtight_store(struct simtight_oracle *o, enum simtight_op op, uint32_t address, uint32_t value);
void simtight_put(struct simtight_oracle *o, uint8_t byte); // to the UART

bool simtight_host_run(struct simtight_oracle *o);
bool simtight_kernel_run(struct simtight_oracle *o, uint32_t pc, uint32_t *exit_code);

// Where a thread's address is in memory: stacks lie word by word, lanes side by side.
uint32_t simtight_physical(uint32_t address, unsigned warp, unsigned lane);
// Counts a load, store or fence of the lanes in mask by their physical addresses; calls `group` for each group, in order.
struct simtight_access {
    enum simtight_op op;
    uint32_t mask, address[LANES];
    bool is_store, is_compressed; // what is stored is uniform or affine
};
void simtight_access(struct simtight_oracle *o, const struct simtight_access *a,
                     void (*group)(void *context, uint32_t lanes), void *context);
static inline bool simtight_is_scratchpad(uint32_t address) { return address >> 16 == SCRATCHPAD_BASE >> 16; }

void simtight_regs_reset(struct simtight_oracle *o);
// The lanes of register rd have just been written, together.
void simtight_regs_written(struct simtight_oracle *o, struct warp *w, unsigned rd, uint32_t lanes);
bool simtight_regs_scalarisable(const struct warp *w, const struct simtight_inst *i, uint32_t active);
// Before an instruction at pc: whether the scalar pipeline executes it; and after it.
bool simtight_scalar_begin(struct simtight_oracle *o, struct warp *w, const struct simtight_inst *i);
void simtight_scalar_end(struct simtight_oracle *o, struct warp *w, const struct simtight_inst *i,
                         uint32_t pc, uint32_t active, bool was_scalar, bool was_scalarisable);
