// Makes RISC-V programs for tests: instruction words built by hand from the formats of the ISA manual, and
// ELF files. Shares no code with src/riscv.
#pragma once
#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

enum {
    X0,
    RA,
    SP,
    T0 = 5,
    T1,
    T2,
    S0,
    S1,
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    A7,
    S2,
    S3,
    S4,
    S5,
    T3 = 28,
    T4,
    T5,
    T6
};

// -- formats
uint32_t rv_r(unsigned opcode, unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2);
uint32_t rv_i(unsigned opcode, unsigned f3, unsigned rd, unsigned rs1, int32_t imm);
uint32_t rv_s(unsigned f3, unsigned rs2, unsigned rs1, int32_t imm);
uint32_t rv_b(unsigned f3, unsigned rs1, unsigned rs2, int32_t offset);
uint32_t rv_u(unsigned opcode, unsigned rd, uint32_t imm);
uint32_t rv_j(unsigned rd, int32_t offset);

// -- instructions for test programs -------------------------------------------------------------------------
static inline uint32_t addi(unsigned rd, unsigned rs1, int32_t imm) { return rv_i(0x13, 0, rd, rs1, imm); }
static inline uint32_t slli(unsigned rd, unsigned rs1, int32_t n) { return rv_i(0x13, 1, rd, rs1, n); }
static inline uint32_t srli(unsigned rd, unsigned rs1, int32_t n) { return rv_i(0x13, 5, rd, rs1, n); }
static inline uint32_t andi(unsigned rd, unsigned rs1, int32_t imm) { return rv_i(0x13, 7, rd, rs1, imm); }
static inline uint32_t add(unsigned rd, unsigned a, unsigned b) { return rv_r(0x33, 0, 0, rd, a, b); }
static inline uint32_t sub(unsigned rd, unsigned a, unsigned b) { return rv_r(0x33, 0, 0x20, rd, a, b); }
static inline uint32_t mul(unsigned rd, unsigned a, unsigned b) { return rv_r(0x33, 0, 1, rd, a, b); }
static inline uint32_t lui(unsigned rd, uint32_t upper) { return rv_u(0x37, rd, upper); }
static inline uint32_t lw(unsigned rd, unsigned rs1, int32_t imm) { return rv_i(0x03, 2, rd, rs1, imm); }
static inline uint32_t sw(unsigned rs2, unsigned rs1, int32_t imm) { return rv_s(2, rs2, rs1, imm); }
static inline uint32_t beq(unsigned a, unsigned b, int32_t offset) { return rv_b(0, a, b, offset); }
static inline uint32_t bne(unsigned a, unsigned b, int32_t offset) { return rv_b(1, a, b, offset); }
static inline uint32_t blt(unsigned a, unsigned b, int32_t offset) { return rv_b(4, a, b, offset); }
static inline uint32_t jal(unsigned rd, int32_t offset) { return rv_j(rd, offset); }
static inline uint32_t jalr(unsigned rd, unsigned rs1, int32_t imm) { return rv_i(0x67, 0, rd, rs1, imm); }
static inline uint32_t csrrw(unsigned rd, unsigned csr, unsigned rs1)
{
    return rv_i(0x73, 1, rd, rs1, (int32_t)csr);
}
static inline uint32_t csrr(unsigned rd, unsigned csr) { return rv_i(0x73, 2, rd, 0, (int32_t)csr); }
static inline uint32_t csrwi(unsigned csr, unsigned imm) { return rv_i(0x73, 5, 0, imm, (int32_t)csr); }
static inline uint32_t amoadd(unsigned rd, unsigned rs2, unsigned rs1)
{
    return rv_r(0x2f, 2, 0, rd, rs1, rs2);
}
#define FENCE 0x0ff0000fu
#define PUSH  0x00050009u
#define POP   0x00051009u
#define RET   0x00008067u

// -- programs
struct maker_symbol {
    const char *name;
    uint32_t address, size;
};
// Place of the file's headers in memory.
enum maker_layout {
    LAYOUT_NO_HEADERS,    // nowhere: a segment of code, a segment of data
    LAYOUT_IN_CODE,       // GNU ld: at 0x08000000, at the beginning of the code's segment
    LAYOUT_READ_ONLY,     // lld: at 0x08000000, in a read-only segment, with a PT_PHDR
    LAYOUT_READ_ONLY_DATA // the same segment, but with 16 bytes of data behind the headers
};
struct maker {
    VEC(uint32_t) words; // from 0x08000400 on
    enum maker_layout layout;
    bool has_no_sections; // the file has neither section headers nor names
    VEC(uint8_t) data;    // from 0x08008000 on
    uint32_t data_bytes;  // in memory, at least data.count
    VEC(struct maker_symbol) symbols;
};

#define MAKER_CODE 0x08000400u
#define MAKER_DATA 0x08008000u

void maker_fini(struct maker *m);
void maker_put(struct maker *m, uint32_t word);
void maker_li(struct maker *m, unsigned rd, uint32_t value); // one or two instructions
uint32_t maker_here(const struct maker *m);                  // address of the next instruction
// Patches the branch or jump at `address` to go to the next instruction.
void maker_land(struct maker *m, uint32_t address);
void maker_function(struct maker *m, const char *name);    // begins here
void maker_word(struct maker *m, uint32_t value);          // data
void maker_elf(const struct maker *m, struct strbuf *out); // the file
