// A program: one kernel and every device function reachable from it, compiled for the machine.
//
// Built by a front end (compile/ from PTX) and read by all other parts; immutable once built, shared by
// launches, threads and simulations. All memory is in its arena, or of a derived copy also in the original's.
#pragma once
// clang-format off
#include "base/arena.h"
#include "base/str.h"
#include "isa/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct inst;

enum { PC_STEP = 8 };        // bytes of pc from an instruction to the next (RISC-V: RISCV_STEP)
#define NO_TARGET UINT32_MAX // no instruction index

// A place in the user's source, with the chain of inlining calls (outermost last).
struct program_line {
    uint32_t file; // index into program->files
    uint32_t line, column;
    uint32_t inlined_at; // index into program->line_table of the call site; 0 = not inlined ([0] is unused)
    const char *function;
    uint32_t ptx_line, ptx_column; // in the PTX file; 0: not recorded (ptx_number_places)
};

// Source lines of an instruction: one line, or several after fusion and common subexpression elimination.
struct program_line_set {
    const uint32_t *lines; // indices into program->line_table, ascending
    uint32_t count;
};

struct program_param {
    const char *name;
    uint8_t type; // enum isa_type of a scalar parameter; TYPE_NONE: a structure by value
    uint32_t offset, size_bytes, align_bytes;
    bool is_array;
};

enum program_symbol_kind { SYMBOL_GLOBAL, SYMBOL_CONST, SYMBOL_FUNCTION, SYMBOL_TEXTURE };

// An address the loader fills into BANK_ADDRESS at 8 * index.
struct program_symbol {
    enum program_symbol_kind kind;
    const char *name;
    const void *key; // GLOBAL, CONST, TEXTURE: the front end's variable; FUNCTION: NULL, see value
    uint64_t value;  // FUNCTION: instruction index; other kinds: addend
};

// PTX: [0] is the kernel. RISC-V: the file's code symbols in order of address; the kernel begins at entry.
struct program_function {
    const char *name;
    uint32_t first, count; // instructions
};

struct program_table { // BRX
    const uint32_t *targets;
    uint32_t count;
};

struct program {
    struct arena arena;
    const char *name; // mangled
    enum program_profile profile;
    struct inst *insts;
    uint32_t inst_count;
    // By instruction, plus an entry for the end: position in code memory, counted in instructions. An
    // instruction omitted from code memory has the position of the next instruction present. NULL: no
    // instruction is omitted.
    const uint32_t *places;
    // By position in code memory: index of the instruction (inverse of `places`), plus an entry for the end.
    const uint32_t *at_place;
    // Annotations of the pass that derived the program, for the pass's own use; NULL: absent.
    const void *plan;
    uint32_t entry;              // first instruction of a thread
    uint32_t code_base;          // RISCV: address of the first instruction
    const uint32_t *words;       // RISCV: instruction words of the file, one per instruction; otherwise NULL
    uint32_t word_count;
    // RISCV: appends the file's text of an instruction. False: the caller appends the machine's text, too.
    // For a replaced instruction, " = " follows the file's text; without a word in the file, nothing is
    // appended. print_word NULL: the caller prints the machine's text only.
    bool (*print_word)(const struct program *p, uint32_t index, struct strbuf *out);
    uint32_t reg_count;  // R0..reg_count-1 are used; at least 1
    // Registers per thread of the second program of program_join (the affine stream of decouple/, which runs
    // beside the kernel's warps), if more than reg_count; else 0.
    uint32_t beside_reg_count;
    uint32_t pred_count;
    // Bytes of static shared memory. Dynamic shared memory begins at shared_bytes rounded up to
    // dynamic_align.
    uint32_t shared_bytes;
    uint32_t dynamic_align;      // alignment of extern .shared arrays, at least 16
    uint32_t local_bytes;        // per thread: variables and spill slots, from local address 0
    uint32_t spill_bytes;        // part of local_bytes
    uint32_t spill_loads, spill_stores; // static instructions
    // Bytes of call stack per thread, at local addresses from local_bytes on; 0: no calls.
    uint32_t stack_bytes;
    bool stack_unbounded;        // recursion or indirect calls: stack_bytes is the configured size
    // Highest barrier number in an immediate, + 1; 16 with a barrier number in a register.
    uint32_t barrier_count;
    uint32_t target_sm; // the module's .target: 80 of sm_80; 0: none (RISC-V)
    // Conditions of the redundancy marks in insts[].mark, see mark/; 0: unconditional.
    uint8_t mark_conditions;
    bool uses_textures, uses_printf, uses_clock, uses_atomics;
    uint32_t max_threads[3], required_threads[3]; // .maxntid, .reqntid; 0 = none
    uint32_t cluster[3], max_cluster;             // .reqnctapercluster, .maxclusterrank; 0 = none
    bool is_explicit_cluster;                     // .explicitcluster
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
// Copies a program with `what` inserted before each instruction marked in `before`. Branches to a marked
// instruction go to the inserted instruction, and lanes reconverge there. Unchanged parts are shared with
// `p`, which must outlive the copy.
struct program *program_insert(const struct program *p, const struct inst *what, const bool *before);
// Joins a kernel `p` and a program `q` to run beside `p`. The functions of `q` follow the functions of `p`;
// instruction indices of `p` stay. `q` must have the constants, symbols and source lines of `p` (for example,
// be derived from `p`). Both must outlive the result. A warp gets the registers of `p`.
struct program *program_join(const struct program *p, const struct program *q);

// program_code_offset: byte offset of an instruction from the start of code. program_insts_within: number of
// instructions beginning in the `bytes` bytes of code from an instruction's start. Pascal: the bytes must end
// where a group ends, like code lines. Both serve fetch; reports name instructions by pc (program_pc). Pascal
// packs three 8-byte instructions into 32 bytes behind a control word (stall counts, barriers, yield hints);
// code lines are whole groups. A RISC-V instruction takes 4 bytes, in other profiles PC_STEP.
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

// pc of an instruction: PC_STEP times its index; RISC-V: the code address.
static inline uint32_t program_pc(const struct program *p, uint32_t index)
{
    return p->profile == PROFILE_RISCV ? p->code_base + index * RISCV_STEP : index * PC_STEP;
}
// RISC-V: index of the instruction at a code address; NO_TARGET: misaligned, or outside the code.
static inline uint32_t program_index(const struct program *p, uint32_t pc)
{
    uint32_t offset = pc - p->code_base, index = offset / RISCV_STEP;
    return offset % RISCV_STEP || index >= p->inst_count ? NO_TARGET : index;
}

// Checks every instruction (isa_check), targets, reconvergence points, tables, line sets, register counts,
// constants' offsets and functions' last instructions. NULL when valid, else a text on the violation
// (constant, or in the program's arena).
const char *program_check(struct program *p);

// Writes one instruction: "@!P0 IMAD.WIDE R2, R0, R3, c[0x0][0x160]". Targets print as labels ".L_12", of the
// target's pc. RISC-V: the file's instruction, "lw a0, 16(a5)", followed by a replacement, if any: "lw a0,
// 16(a5) = MOV R10, c[0x0][0x170]".
void program_print_inst(const struct program *p, uint32_t index, struct strbuf *out);
// The listing: header (registers, shared and local bytes …), then pc, text and source line of every
// instruction.
void program_print(const struct program *p, struct strbuf *out);
// Appends the source lines of an instruction, as "file.cu:31" of the innermost line, each followed by "
// (inlined at …)" for every inlining call. Appends nothing when unknown.
void program_print_lines(const struct program *p, uint32_t index, struct strbuf *out);
