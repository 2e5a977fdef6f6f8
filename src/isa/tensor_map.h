// Tensor maps: what cuTensorMapEncodeTiled puts into 128 bytes, and what a tensor copy reads there.
//
//     word 0, 1   global address             word 13       steps - 1 (3 bits a dimension), bits 24 to 31: box[0] - 1
//     word 2      flags (tensor_map.c)       word 14       box[1..4] - 1 (8 bits each)
//     word 3..    strides / 16, from         word 16       bytes of a box
//                 dimension 1 on
//     word 8..    sizes - 1                  word 18       a bit for the swizzle
//
// The layout is that of NVIDIA's driver 580 as far as public notes have it, so maps dumped from a card can be read.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_WORDS = 32, TENSOR_RANK_MAX = 5 };

enum tensor_type { // numbered as CUtensorMapDataType
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};

struct tensor_map {
    uint64_t address;
    uint8_t type, rank; // enum tensor_type
    uint8_t swizzle;    // 0: none; 1, 2, 3: over 32, 64, 128 bytes
    uint8_t promotion;  // of the L2: no effect
    bool fills_nan;
    // Dimension 0 is the innermost; strides in bytes, strides[0] an element's.
    uint64_t sizes[TENSOR_RANK_MAX], strides[TENSOR_RANK_MAX];
    uint32_t box[TENSOR_RANK_MAX], steps[TENSOR_RANK_MAX];
};

unsigned tensor_type_bytes(enum tensor_type type);
// NULL, or why there is no such map.
const char *tensor_map_encode(const struct tensor_map *m, uint32_t words[TENSOR_MAP_WORDS]);
// False: the words are no map of tiles, or have channels interleaved.
bool tensor_map_decode(struct tensor_map *m, const uint32_t words[TENSOR_MAP_WORDS]);
