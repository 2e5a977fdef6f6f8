// Detector: classifies the words of a register over the lanes of a warp. A register holds one value, a base
// with a stride from lane to lane, or a plain vector.
//
//     lane        0   1   2   3 …                      stride   a base must be a multiple of
//     uniform     b   b   b   b                           0     1
//     affine      b  b+s b+2s b+3s                     1, 2, 4  lanes x stride, unless any base will do
//     vector      anything else
//
// Adding lane * stride to an aligned base never carries. The hardware therefore compares bits without adders
// (SIMTight, ICCD 2024, Fig. 2a, stage 2).
#pragma once
#include "base/bits.h"

enum { SCALAR_LANES_MAX = 64, SCALAR_CODES = 4 };

enum scalar_kind { SCALAR_UNIFORM, SCALAR_AFFINE, SCALAR_VECTOR, SCALAR_EVICTED }; // EVICTED: regfile.h

// Stride of a two-bit code: 0, 1, 2 or 4.
static inline uint32_t scalar_stride(unsigned code) { return code ? 1u << (code - 1) : 0; }

struct scalar_form {
    uint32_t base; // value of lane 0
    uint8_t code;  // stride code
};

struct scalar_rule {
    uint8_t lanes;   // lanes of a warp, a power of two
    uint8_t strides; // bit k: look for the stride of code k; bit 0 is always set
    bool any_base;
};

enum { SCALAR_ALL_STRIDES = 15, SCALAR_NO_AFFINE = 1 };

static inline bool scalar_may_begin_at(const struct scalar_rule *rule, uint32_t base, unsigned code)
{
    return rule->any_base || !code || !(base & (rule->lanes * scalar_stride(code) - 1));
}

// Classifies the words of a register in lanes `among` (not empty), ignoring other lanes. Sets *form unless
// the result is SCALAR_VECTOR.
enum scalar_kind scalar_detect(const struct scalar_rule *rule, const uint32_t *words, uint64_t among,
                               struct scalar_form *form);

static inline uint32_t scalar_word(struct scalar_form form, unsigned lane)
{
    return form.base + lane * scalar_stride(form.code);
}
void scalar_expand(struct scalar_form form, unsigned lanes, uint32_t *words);
