// The rule by which a card adds products: docs/explanation/tensor.md.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// How one unit adds products of one type.
struct tensor_rule {
    uint8_t length;               // products in a group; 0: the unit lacks the type
    uint8_t align;                // F: terms are cut to multiples of 2^(emax - F)
    uint8_t cut;                  // fraction bits of an f32 result
    int16_t floor_f32, floor_f16; // least emax, by type of result
};

// The tensor cores of one generation, or of a GPU's file.
struct tensor_card {
    const char *name;
    struct tensor_rule half, tf32, eight; // f16 and bf16; tf32; e4m3 and e5m2
    bool eight_by_half;                   // mma.sync of 8-bit floats: two products of f16 and an addition
};

enum tensor_generation {
    TENSOR_VOLTA,
    TENSOR_TURING,
    TENSOR_AMPERE,
    TENSOR_ADA,
    TENSOR_HOPPER,
    TENSOR_BLACKWELL,     // data centre: B200
    TENSOR_RTX_BLACKWELL, // sm_120
    TENSOR_GENERATIONS
};
// 8-bit floats of wgmma on Hopper: groups of 32 products, results of 14 bits (MMA-Sim; public rows of an H100 with c = 0).
extern const struct tensor_rule tensor_warpgroup_eight;
extern const struct tensor_card tensor_cards[TENSOR_GENERATIONS];
