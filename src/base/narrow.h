// Floating-point numbers of 16 bits: f16 (IEEE 754 binary16) and bf16 (the upper half of binary32).
#pragma once
#include <stdint.h>

enum narrow_format { NARROW_F16, NARROW_BF16 };

// Rounds once, to nearest, ties to even. Too large: infinity. NaN: 0x7fff.
uint16_t narrow_from(enum narrow_format format, double value);
double narrow_to(enum narrow_format format, uint16_t bits);
