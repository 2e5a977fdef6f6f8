// The reference meaning of every arithmetic instruction: a plain C loop over lanes, one function per row.
// Every faster form must reproduce the results bit for bit, on any host.
//
// Sources are arrays of one 32-bit word per lane, before operand modifiers (applied by the functions); 64-bit
// values are two arrays. Results go to fresh arrays, so a destination may also be a source.
//
// NaN: f32 results are 0x7fffffff, f16 and bf16 results 0x7fff, as in PTX; RISC-V's f32 results 0x7fc00000
// (RFMNMX: the chosen operand's bits). f64 keeps payloads (PTX ISA 9.7.3): the result is the NaN operand of
// largest payload, quiet, with the sign bit set. F2F to f64 and FRND in f64 keep the operand's sign instead.
// An invalid operation gives 0xfff8000000000000. NaN bits of sums, products and fused operations do not
// depend on the order and the signs of operands, so the compiler may exchange operands.
#pragma once
#include "base/bits.h"
#include "isa/fields.h"
#include "isa/modes.h"

struct inst;

struct lane_io {
    const struct inst *inst;
    unsigned lanes;
    uint64_t active;           // results of other lanes are ignored
    const uint32_t *src[4][4]; // [source][word]
    uint64_t psrc[4];          // predicate sources, negation applied
    uint32_t *dst[4];          // [word]
    uint64_t pdst[2];
};

typedef void lane_operation(struct lane_io *io);

lane_operation *lane_operation_of(unsigned op); // NULL: not plain arithmetic

// One function for every row of plain arithmetic in isa.def, defined in lane_*.c. Integers are in lane_int.c,
// bits and integer widths in lane_bits.c, floats in lane_float.c, lane_half.c and lane_double.c, conversions
// from or to floats in lane_convert.c, RISC-V's rows in lane_riscv.c.
#define ALU(function) lane_operation function;
#define RUN(function)
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning) body
#include "isa/isa.def"
#undef INST
#undef RUN
#undef ALU

bool lane_combine(enum isa_bool b, bool compared, bool with); // setp's boolean operator
uint32_t lane_lut(uint8_t lut, uint32_t a, uint32_t b, uint32_t c);
// One lane of an atomic: returns the new value. 16- and 32-bit types use the low bits.
uint64_t lane_atomic(enum isa_mode mode, enum isa_type type, bool ftz, uint64_t old, uint64_t b, uint64_t c);
uint32_t lane_mufu32(enum isa_mode mode, uint32_t x); // RCP … TANH on f32 bits, subnormals kept
