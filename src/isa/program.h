// A program: one kernel, with every device function it can reach, compiled for the machine.
//
// Made by a front end (compile/ from PTX), read by everything else; immutable once made, and shared by
// launches, threads and simulations. All memory is in its arena.
#pragma once
// clang-format off
#include "base/arena.h"
#include "base/str.h"
#include "isa/isa.h"

// A place in the user's source, with the calls that inlined it (outermost last).
struct program_line {
    uint32_t file; // index into program->files
    uint32_t line, column;
    uint32_t inlined_at; // index into program->line_table of the call site; 0 = not inlined ([0] is unused)
    const char *function;
};

// The set of source lines an instruction stands for: one, or several after fusion and common subexpressions.
struct program_line_set {
    const uint32_t *lines; // indices into program->line_table, ascending
    uint32_t count;
};

struct program_param {
    const char *name;
    enum isa_type type; // of a scalar; TYPE_NONE for structures by value
    uint32_t offset, size_bytes, align_bytes;
    bool is_array;
};

enum program_symbol_kind { SYMBOL_GLOBAL, SYMBOL_CONST, SYMBOL_FUNCTION, SYMBOL_TEXTURE };

// An address the loader fills into BANK_ADDRESS at 8 * index.
struct program_symbol {
    enum program_symbol_kind kind;
    const char *name;
    const void *key; // GLOBAL, CONST, TEXTURE: the front end's variable; FUNCTION: NULL, see value
    uint64_t value;  // FUNCTION: instruction index; others: addend
};

struct program_function { // the kernel itself is [0]; RISC-V: in order of address
    const char *name;
    uint32_t first, count; // instructions
};

struct program_table { // BRX
    const uint32_t *targets;
    uint32_t count;
};

enum program_profile { PROFILE_SASS, PROFILE_PTXPLUS, PROFILE_PASCAL, PROFILE_RISCV };

struct program {
    struct arena arena;
    const char *name; // mangled
    enum program_profile profile;
    struct inst *insts;
    uint32_t inst_count;
    // Which instruction of the code in memory each is, ascending; NULL: all are there. One that is not has the place of the next
    // that is.
    const uint32_t *places;
    const uint32_t *at_place; // the other way: which instruction is there, one entry more
    const void *plan; // what who made this program of another wants to find again; NULL
    uint32_t entry;              // the instruction that a thread begins with
    uint32_t code_base;          // RISCV: address of the first instruction
    const uint32_t *words;       // RISCV: instructions as they were, one a word; NULL
    uint32_t word_count;
    // RISCV: appends the file's instruction. False where the program's instruction differs, or the file has no word: the machine's
    // text follows. NULL: print the machine's instructions
    bool (*print_word)(const struct program *p, uint32_t index, struct strbuf *out);
    uint32_t reg_count;  // R0..reg_count-1 are used; at least 1
    uint32_t beside_reg_count; // of what runs beside its warps (program_join), if that has more registers; 0
    uint32_t pred_count;
    uint32_t shared_bytes;       // static, dynamic shared memory begins at shared_bytes rounded up to dynamic_align
    uint32_t dynamic_align;      // alignment of extern .shared arrays, at least 16
    uint32_t local_bytes;        // per thread: variables and spill slots, from local address 0
    uint32_t spill_bytes;        // part of local_bytes
    uint32_t spill_loads, spill_stores; // static instructions
    uint32_t stack_bytes;        // per thread, for calls: above local_bytes; 0 when nothing is called
    bool stack_unbounded;        // recursion or indirect calls: stack_bytes is the configured size
    uint32_t barrier_count;      // highest barrier number named by an immediate, + 1; 16 when a register names it
    uint8_t mark_conditions;     // of the redundancy marks in insts[].mark, see mark/; 0: none is conditional
    bool uses_textures, uses_printf, uses_clock, uses_atomics;
    uint32_t max_threads[3], required_threads[3]; // .maxntid, .reqntid; 0 = none
    struct program_param *params;
    uint32_t param_count, param_bytes;
    uint8_t *literals; // BANK_LITERAL
    uint32_t literal_bytes;
    struct program_symbol *symbols;
    uint32_t symbol_count;
    struct program_function *functions;
    uint32_t function_count;
    struct program_table *tables;
    uint32_t table_count;
    const char **files;
    uint32_t file_count;
    struct program_line *line_table; // [0] is unused
    uint32_t line_count;
    struct program_line_set *line_sets; // [0] is the empty set
    uint32_t line_set_count;
};

struct program *program_create(void); // empty, arena ready
void program_free(struct program *p);
// The same program with an instruction more before each of those marked: who branches to them, or meets there,
// comes to it first. Shares with `p`, which must outlive it, what it does not change.
struct program *program_insert(const struct program *p, const struct inst *what, const bool *before);
// Two programs as one, a kernel and what goes beside it: the functions of `q` behind those of `p`, which stay where they
// are. `q` is made of `p` or like it, with the same constants, symbols and source lines, which are those of `p`; both
// must outlive it. A warp has the registers of `p`.
struct program *program_join(const struct program *p, const struct program *q);

// Where an instruction's code lies, in bytes from the program's first, and how many instructions from it on begin within so
// many bytes. Reports name an instruction by its pc (program_pc); fetch has these. Pascal has three instructions of 8 bytes
// in 32, behind a word with their stall counts, barriers and yield hints, and lines of code are whole groups. An instruction
// of RISC-V takes 4 bytes, of the other profiles PC_STEP.
enum { PASCAL_GROUP = 3, PASCAL_GROUP_BYTES = 32, RISCV_STEP = 4 };
static inline uint32_t program_place(const struct program *p, uint32_t index) { return p->places ? p->places[index] : index; }
static inline uint32_t program_code_offset(const struct program *p, uint32_t index)
{
    uint32_t place = program_place(p, index);
    if (p->profile != PROFILE_PASCAL) return place * (p->profile == PROFILE_RISCV ? RISCV_STEP : PC_STEP);
    return place / PASCAL_GROUP * PASCAL_GROUP_BYTES + (1 + place % PASCAL_GROUP) * PC_STEP;
}
static inline uint32_t program_insts_within(const struct program *p, uint32_t index, uint32_t bytes)
{
    uint32_t place = program_place(p, index);
    uint32_t count = p->profile != PROFILE_PASCAL
                         ? (p->profile == PROFILE_RISCV ? bytes / RISCV_STEP : bytes / PC_STEP)
                         : (program_code_offset(p, index) + bytes) / PASCAL_GROUP_BYTES * PASCAL_GROUP - place;
    if (!p->places) return count;
    uint32_t last = p->places[p->inst_count];
    return p->at_place[place + count < last ? place + count : last] - index;
}

// What an instruction is called by: PC_STEP times its index, in all profiles but RISC-V, where it is its address.
static inline uint32_t program_pc(const struct program *p, uint32_t index)
{
    return p->profile == PROFILE_RISCV ? p->code_base + index * RISCV_STEP : index * PC_STEP;
}
// The instruction at an address of RISC-V's; NO_TARGET: none is.
static inline uint32_t program_index(const struct program *p, uint32_t pc)
{
    uint32_t offset = pc - p->code_base, index = offset / RISCV_STEP;
    return offset % RISCV_STEP || index >= p->inst_count ? NO_TARGET : index;
}

// Checks every instruction (isa_check), targets, reconvergence points, tables, line sets. NULL when sound, else a
// text in the program's arena that names the instruction.
const char *program_check(struct program *p);

// One instruction as text: "@!P0 IMAD.WIDE R2, R0, R3, c[0x0][0x160]". Targets print as labels ".L_12" of their pc. RISC-V:
// the file's instruction, "lw a0, 16(a5)", with a replaced instruction behind: "lw a0, 16(a5) = MOV R10, c[0x0][0x170]".
void program_print_inst(const struct program *p, uint32_t index, struct strbuf *out);
// The listing: header (registers, shared and local bytes …), then pc, instruction and source line, one a line.
void program_print(const struct program *p, struct strbuf *out);
// "file.cu:31" of the innermost line of an instruction, followed by " (inlined at …)"; "" when unknown.
void program_print_lines(const struct program *p, uint32_t index, struct strbuf *out);
