// The judge of matrix products: shares no code with src/exec/tensor. Values are numbers of long double (64 bits of significand), cut and
// rounded by truncl and rintl; places of elements are strides in the manner of CuTe.
#pragma once
#include "exec/tensor/tensor.h"

struct exact_rule { // 0 length: as many as there are
    int length, align, cut, floor_f32, floor_f16;
    bool by_half;
};

// The rule of a type on a card, from a table of the test's own.
struct exact_rule exact_rule_of(enum tensor_generation card, unsigned type);

// As tensor_element.
uint64_t exact_element(const struct exact_rule *r, const struct tensor_form *f, const uint64_t *a,
                       const uint64_t *b, int count, uint64_t c);

// A product with every operand as a matrix; [row][k], [k][column], [row][column]. m8n8k4: four products below each other.
struct exact_matrices {
    uint64_t a[32][256], b[256][32], c[32][8], d[32][8];
};
// Puts a, b, c into registers of 32 lanes; takes d from registers.
void exact_to_registers(const struct tensor_form *f, const struct exact_matrices *x, uint32_t a[][32],
                        uint32_t b[][32], uint32_t c[][32]);
void exact_from_registers(const struct tensor_form *f, uint32_t d[][32], struct exact_matrices *x);
// Metadata that makes the stored element k of a row that of column[row][k].
void exact_metadata(const struct tensor_form *f, const uint8_t column[16][64], unsigned selector,
                    uint32_t e[32]);
