// Interpreter of the host: code decoded once, a switch over the instructions of rv.def.
#include "riscv/hart.h"
#include "riscv/decode.h"
#include "riscv/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NO_REGISTER = 32,
    STACK_ROOM = 8,
    ASK_AFTER = 1 << 22,
    EMPTY_POLLS = 1 << 20,
    NULL_POINTERS = 1 << 16 // lower addresses are null pointers plus an offset
};

struct hart_state {
    const struct image *image;
    uint8_t *memory;
    struct hart_devices devices;
    struct rv_inst *code; // word_count + 1 entries; the last is RV_NONE
    // Control registers.
    uint32_t closure, warps_per_block, response;
    bool has_response, has_input, is_done;
    uint8_t input;
    uint32_t empty_polls;
    uint32_t trap_vector, trap_pc, trap_cause;
    enum hart_end end;
};

enum host_csr { // numbers and meanings: docs/explanation/riscv.md
    CSR_TRAP_VECTOR = 0x305,
    CSR_TRAP_PC = 0x341,
    CSR_TRAP_CAUSE = 0x342,
    CSR_EMIT = 0x800,
    CSR_FINISH = 0x801,
    CSR_CAN_PUT = 0x802,
    CSR_PUT = 0x803,
    CSR_CAN_GET = 0x804,
    CSR_GET = 0x805,
    CSR_GPU_CAN_PUT = 0x820,
    CSR_GPU_START = 0x823,
    CSR_GPU_CAN_GET = 0x824,
    CSR_GPU_GET = 0x825,
    CSR_GPU_CLOSURE = 0x826,
    CSR_GPU_WARPS = 0x827,
    CSR_GPU_STATISTIC = 0x828,
    CSR_CYCLE = 0xc00,
    CSR_CYCLE_HIGH = 0xc80
};
enum { CAUSE_BREAKPOINT = 3, CAUSE_ECALL = 11 };

void hart_init(struct hart *h, const struct image *i, uint8_t *memory, const struct hart_devices *devices)
{
    struct hart_state *s = heap_alloc(sizeof *s);
    *h = (struct hart){.pc = (uint32_t)i->entry, .state = s};
    s->image = i;
    s->memory = memory;
    s->devices = *devices;
    s->code = heap_alloc((i->word_count + 1u) * sizeof *s->code);
    for (uint32_t k = 0; k < i->word_count; k++) {
        s->code[k] = rv_decode(i->words[k]);
        if (!s->code[k].rd) s->code[k].rd = NO_REGISTER;
    }
    s->code[i->word_count].op = RV_NONE;
    for (uint32_t k = 0; k < i->data_count; k++)
        memcpy(memory + i->data[k].address, i->data[k].bytes, i->data[k].given_bytes);
    h->x[1] = RISCV_RETURN;
    h->x[2] = RISCV_SPILL - STACK_ROOM;
}

void hart_fini(struct hart *h)
{
    free(h->state->code);
    free(h->state);
    strbuf_fini(&h->wrong);
}

void hart_where(const struct hart *h, struct strbuf *out)
{
    const struct image *i = h->state->image;
    const struct image_symbol *s = image_symbol_at(i, h->pc, true);
    uint32_t index = (h->pc - (uint32_t)i->code) / 4;
    struct strbuf line = {0};
    image_print_line(i, h->pc, &line);
    strbuf_printf(out, "the host's program at 0x%08x", h->pc);
    if (s) strbuf_printf(out, " (%s+0x%x)", s->name, (unsigned)(h->pc - s->address));
    if (line.length) strbuf_printf(out, ", %s", strbuf_text(&line));
    if (h->pc >= i->code && index < i->word_count) {
        strbuf_puts(out, ", ");
        rv_print(i->words[index], h->pc, out);
    }
    strbuf_fini(&line);
}

static bool fail(struct hart *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct hart *h, const char *format, ...)
{
    va_list arguments;
    hart_where(h, &h->wrong);
    strbuf_puts(&h->wrong, ": ");
    va_start(arguments, format);
    strbuf_vprintf(&h->wrong, format, arguments);
    va_end(arguments);
    h->state->end = HART_WRONG;
    return false;
}

// -- memory -------------------------------------------------------------------------------------------------
static inline bool is_memory(uint32_t address)
{
    return address - RISCV_DATA < RISCV_SPILL - RISCV_DATA || address >= RISCV_STACKS;
}

static bool refuse(struct hart *h, uint32_t address, unsigned bytes)
{
    if (address % bytes) return fail(h, "0x%08x is not a multiple of %u", address, bytes);
    return fail(h, "0x%08x is %s", address,
                address < NULL_POINTERS
                    ? "a null pointer, or a null pointer plus a small offset: memory begins at 0x08008000"
                : address < RISCV_CODE    ? "below all memory: memory begins at 0x08008000"
                : address < RISCV_DATA    ? "in the instructions' memory, for execution only"
                : address < RISCV_SCRATCH ? "in the memory for spilled registers"
                                          : "in the scratchpad, visible only to kernels");
}

static inline bool is_good(struct hart *h, uint32_t address, unsigned bytes)
{
    if (__builtin_expect(is_memory(address) && !(address & (bytes - 1)), 1)) return true;
    return refuse(h, address, bytes);
}

// -- control registers --------------------------------------------------------------------------------------
static bool has_input(struct hart *h)
{
    struct hart_state *s = h->state;
    if (s->has_input) return true;
    int byte = s->devices.get(s->devices.context);
    s->has_input = byte >= 0;
    s->input = (uint8_t)byte;
    if (!s->has_input && ++s->empty_polls == EMPTY_POLLS)
        return fail(
            h, "the program waits for a byte of input after the end of the input: give more with --input");
    return s->has_input;
}

static bool read_csr(struct hart *h, unsigned csr, uint32_t *value)
{
    struct hart_state *s = h->state;
    *value = 0;
    switch ((int)csr) {
    case CSR_TRAP_PC: *value = s->trap_pc; break;
    case CSR_TRAP_CAUSE: *value = s->trap_cause; break;
    case CSR_CAN_PUT:
    case CSR_GPU_CAN_PUT: *value = 1; break;
    case CSR_CAN_GET: *value = has_input(h); return s->end != HART_WRONG;
    case CSR_GET:
        if (!has_input(h))
            return s->end == HART_WRONG
                       ? false
                       : fail(h,
                              "the program reads a byte of input without any left: give more with --input");
        *value = s->input;
        s->has_input = false;
        s->empty_polls = 0;
        break;
    case CSR_GPU_CAN_GET: *value = s->has_response; break;
    case CSR_GPU_GET:
        if (!s->has_response) return fail(h, "the program reads an answer of the GPU before any answer");
        *value = s->response;
        s->has_response = false;
        break;
    case CSR_CYCLE: *value = (uint32_t)h->instructions; break;
    case CSR_CYCLE_HIGH: *value = (uint32_t)(h->instructions >> 32); break;
    }
    return true;
}

static void emit(struct hart_state *s, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "0x%08x\n", value);
    for (const char *c = text; *c; c++) s->devices.put(s->devices.context, (uint8_t)*c);
}

static bool respond(struct hart *h, uint32_t value)
{
    struct hart_state *s = h->state;
    if (s->has_response) return fail(h, "the program asks the GPU before reading the last answer");
    s->response = value;
    return s->has_response = true;
}

static bool start(struct hart *h, uint32_t pc)
{
    struct hart_state *s = h->state;
    int code = s->devices.start(s->devices.context, pc, s->closure, s->warps_per_block);
    if (code >= 0) return respond(h, (uint32_t)code);
    s->end = HART_STOPPED;
    return false;
}

// Writes a control register; writes to read-only registers are ignored, as in the hardware. False: the hart
// stops.
static bool write_csr(struct hart *h, unsigned csr, uint32_t value)
{
    struct hart_state *s = h->state;
    switch ((int)csr) {
    case CSR_TRAP_VECTOR: s->trap_vector = value; break;
    case CSR_EMIT: emit(s, value); break;
    case CSR_FINISH: s->is_done = true; return false;
    case CSR_PUT: s->devices.put(s->devices.context, (uint8_t)value); break;
    case CSR_GPU_START: return start(h, value);
    case CSR_GPU_CLOSURE: s->closure = value; break;
    case CSR_GPU_WARPS: s->warps_per_block = value & (RISCV_WARPS - 1); break;
    case CSR_GPU_STATISTIC: return respond(h, s->devices.statistic(s->devices.context, value));
    }
    return true;
}

static bool is_csr(unsigned csr)
{
    switch ((int)csr) {
    case CSR_TRAP_VECTOR:
    case CSR_TRAP_PC:
    case CSR_TRAP_CAUSE:
    case CSR_CYCLE:
    case CSR_CYCLE_HIGH: return true;
    }
    return (csr >= CSR_EMIT && csr <= CSR_GET) || csr == CSR_GPU_CAN_PUT ||
           (csr >= CSR_GPU_START && csr <= CSR_GPU_STATISTIC);
}

// Executes a control register access. False: the hart stops.
static bool execute_csr(struct hart *h, const struct rv_inst *i)
{
    bool replaces = i->op == RV_CSRRW || i->op == RV_CSRRWI, sets = i->op == RV_CSRRS || i->op == RV_CSRRSI;
    bool is_immediate = rv_table[i->op].form == RV_FORM_CI;
    uint32_t operand = is_immediate ? i->imm : h->x[i->rs1], old = 0;
    bool writes = replaces || (is_immediate ? i->imm : i->rs1) != 0;
    if (!is_csr(i->csr)) return fail(h, "0x%x is no control register of the host", i->csr);
    if ((!replaces || i->rd != NO_REGISTER) && !read_csr(h, i->csr, &old)) return false;
    h->x[i->rd] = old;
    return !writes || write_csr(h, i->csr, replaces ? operand : sets ? old | operand : old & ~operand);
}

// -- arithmetic ---------------------------------------------------------------------------------------------
static float to_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static uint32_t to_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return isnan(x) ? 0x7fc00000u : bits;
}

static uint32_t float_to_signed(float x)
{
    if (isnan(x) || x >= 2147483648.0f) return INT32_MAX;
    return x < -2147483648.0f ? 0x80000000u : (uint32_t)(int32_t)x;
}

static uint32_t float_to_unsigned(float x)
{
    if (isnan(x) || x >= 4294967296.0f) return UINT32_MAX;
    return x < 0 ? 0 : (uint32_t)x;
}

static uint32_t execute_float(const struct rv_inst *i, uint32_t a, uint32_t b)
{
    float x = to_float(a), y = to_float(b);
    switch ((int)i->op) {
    case RV_FADD: return to_bits(x + y);
    case RV_FSUB: return to_bits(x - y);
    case RV_FMUL: return to_bits(x * y);
    case RV_FDIV: return to_bits(x / y);
    case RV_FSQRT: return to_bits(sqrtf(x));
    case RV_FSGNJ: return (a & 0x7fffffff) | (b & 0x80000000);
    case RV_FSGNJN: return (a & 0x7fffffff) | (~b & 0x80000000);
    case RV_FSGNJX: return a ^ (b & 0x80000000);
    case RV_FMIN: return x < y ? a : b;
    case RV_FMAX: return x > y ? a : b;
    case RV_FCVTW: return float_to_signed(x);
    case RV_FCVTWU: return float_to_unsigned(x);
    case RV_FCVTS: return to_bits((float)(int32_t)a);
    case RV_FCVTSU: return to_bits((float)a);
    case RV_FLE: return x <= y;
    case RV_FLT: return x < y;
    case RV_FEQ: return x == y;
    }
    return 0;
}

static uint32_t divide(uint32_t a, uint32_t b)
{
    if (!b) return UINT32_MAX;
    return a == 0x80000000u && b == UINT32_MAX ? a : (uint32_t)((int32_t)a / (int32_t)b);
}

static uint32_t remainder_of(uint32_t a, uint32_t b)
{
    if (!b) return a;
    return a == 0x80000000u && b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
}

static bool trap(struct hart *h, uint32_t cause)
{
    struct hart_state *s = h->state;
    if (!s->trap_vector)
        return fail(h, "the program trapped (%s) without a trap handler",
                    cause == CAUSE_ECALL ? "ecall" : "ebreak");
    s->trap_pc = h->pc;
    s->trap_cause = cause;
    return true;
}

// -- the loop -----------------------------------------------------------------------------------------------
#define A   x[i->rs1]
#define B   x[i->rs2]
#define IMM i->imm
#define SET(value)                                                                                           \
    x[i->rd] = (value);                                                                                      \
    break
#define BRANCH(condition)                                                                                    \
    if (condition) {                                                                                         \
        target = pc + IMM;                                                                                   \
        goto jump;                                                                                           \
    }                                                                                                        \
    break
#define ACCESS(bytes, STATEMENT)                                                                             \
    {                                                                                                        \
        uint32_t address = A + IMM;                                                                          \
        h->pc = pc;                                                                                          \
        if (!is_good(h, address, bytes)) goto out;                                                           \
        STATEMENT;                                                                                           \
        break;                                                                                               \
    }
#define LOAD(type)                                                                                           \
    ACCESS(sizeof(type), type value; memcpy(&value, memory + address, sizeof value);                         \
           x[i->rd] = (uint32_t)value)
#define STORE(type) ACCESS(sizeof(type), type value = (type)B; memcpy(memory + address, &value, sizeof value))

// Runs at most `steps` instructions. False: the hart has ended, state->end says how. One flat switch.
static bool run(struct hart *h, uint64_t steps)
{
    struct hart_state *s = h->state;
    const uint32_t base = (uint32_t)s->image->code, count = s->image->word_count;
    const struct rv_inst *code = s->code, *i;
    uint8_t *memory = s->memory;
    uint32_t *x = h->x, pc = h->pc, target = pc;
    uint64_t left = steps;
    goto jump;
    for (;; pc += 4) {
        if (!left--) {
            left = 0;
            break;
        }
        i = &code[(pc - base) / 4];
        switch ((enum rv_op)i->op) {
        case RV_LUI: SET(IMM);
        case RV_AUIPC: SET(pc + IMM);
        case RV_J:
        case RV_JAL:
            x[i->rd] = pc + 4;
            target = pc + IMM;
            goto jump;
        case RV_JR:
        case RV_JALR:
            target = (A + IMM) & ~1u;
            if (i->op == RV_JALR) x[i->rd] = pc + 4;
            goto jump;
        case RV_BEQ: BRANCH(A == B);
        case RV_BNE: BRANCH(A != B);
        case RV_BLT: BRANCH((int32_t)A < (int32_t)B);
        case RV_BGE: BRANCH((int32_t)A >= (int32_t)B);
        case RV_BLTU: BRANCH(A < B);
        case RV_BGEU: BRANCH(A >= B);
        case RV_LB: LOAD(int8_t)
        case RV_LH: LOAD(int16_t)
        case RV_LW: LOAD(uint32_t)
        case RV_LBU: LOAD(uint8_t)
        case RV_LHU: LOAD(uint16_t)
        case RV_SB: STORE(uint8_t)
        case RV_SH: STORE(uint16_t)
        case RV_SW: STORE(uint32_t)
        case RV_ADDI: SET(A + IMM);
        case RV_SLTI: SET((int32_t)A < (int32_t)IMM);
        case RV_SLTIU: SET(A < IMM);
        case RV_XORI: SET(A ^ IMM);
        case RV_ORI: SET(A | IMM);
        case RV_ANDI: SET(A & IMM);
        case RV_SLLI: SET(A << IMM);
        case RV_SRLI: SET(A >> IMM);
        case RV_SRAI: SET((uint32_t)((int32_t)A >> IMM));
        case RV_ADD: SET(A + B);
        case RV_SUB: SET(A - B);
        case RV_SLL: SET(A << (B & 31));
        case RV_SLT: SET((int32_t)A < (int32_t)B);
        case RV_SLTU: SET(A < B);
        case RV_XOR: SET(A ^ B);
        case RV_SRL: SET(A >> (B & 31));
        case RV_SRA: SET((uint32_t)((int32_t)A >> (B & 31)));
        case RV_OR: SET(A | B);
        case RV_AND: SET(A & B);
        case RV_MUL: SET(A * B);
        case RV_MULH: SET((uint32_t)((uint64_t)((int64_t)(int32_t)A * (int32_t)B) >> 32));
        case RV_MULHSU: SET((uint32_t)((uint64_t)((int64_t)(int32_t)A * (int64_t)B) >> 32));
        case RV_MULHU: SET((uint32_t)((uint64_t)A * B >> 32));
        case RV_DIV: SET(divide(A, B));
        case RV_DIVU: SET(B ? A / B : UINT32_MAX);
        case RV_REM: SET(remainder_of(A, B));
        case RV_REMU: SET(B ? A % B : A);
        case RV_FENCE:
        case RV_FLUSH:
        case RV_PUSH: // PUSH and POP change a thread's divergence level in kernels; no effect on the host
        case RV_POP: break;
        case RV_CSRRW:
        case RV_CSRRS:
        case RV_CSRRC:
        case RV_CSRRWI:
        case RV_CSRRSI:
        case RV_CSRRCI:
            h->pc = pc;
            h->instructions += steps - left;
            steps = left;
            if (!execute_csr(h, i)) goto out;
            break;
        case RV_ECALL:
        case RV_EBREAK:
            h->pc = pc;
            if (!trap(h, i->op == RV_ECALL ? CAUSE_ECALL : CAUSE_BREAKPOINT)) goto out;
            target = s->trap_vector;
            goto jump;
        case RV_FADD:
        case RV_FSUB:
        case RV_FMUL:
        case RV_FDIV:
        case RV_FSQRT:
        case RV_FSGNJ:
        case RV_FSGNJN:
        case RV_FSGNJX:
        case RV_FMIN:
        case RV_FMAX:
        case RV_FCVTW:
        case RV_FCVTWU:
        case RV_FCVTS:
        case RV_FCVTSU:
        case RV_FLE:
        case RV_FLT:
        case RV_FEQ: SET(execute_float(i, A, B));
        case RV_AMOADD:
        case RV_AMOSWAP:
        case RV_AMOXOR:
        case RV_AMOOR:
        case RV_AMOAND:
        case RV_AMOMIN:
        case RV_AMOMAX:
        case RV_AMOMINU:
        case RV_AMOMAXU:
            h->pc = pc;
            fail(h, "the instruction is for kernels, not for the host part");
            goto out;
        case RV_NONE:
            h->pc = pc;
            fail(h, "not an instruction");
            goto out;
        }
        continue;
    jump:
        if (__builtin_expect(target - base < count * 4 && !(target & 3), 1)) {
            pc = target - 4;
            continue;
        }
        h->pc = target;
        // RISCV_CODE, where the image has no code: address of the boot loader, which is absent from the file.
        if (target == RISCV_RETURN || target == RISCV_CODE)
            s->is_done = true;
        else
            fail(h, "no code at the address");
        goto out;
    }
    h->pc = pc;
    h->instructions += steps - left;
    return true;
out:
    h->instructions += steps - left;
    return false;
}

enum hart_end hart_run(struct hart *h, uint64_t limit)
{
    struct hart_state *s = h->state;
    uint64_t until = limit ? h->instructions + limit : UINT64_MAX;
    s->end = HART_DONE;
    while (h->instructions < until) {
        uint64_t steps = until - h->instructions < ASK_AFTER ? until - h->instructions : ASK_AFTER;
        if (!run(h, steps)) return s->end;
        if (s->devices.is_interrupted && s->devices.is_interrupted(s->devices.context))
            return HART_INTERRUPTED;
    }
    return HART_LIMIT;
}
