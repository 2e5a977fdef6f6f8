// Settings of studies (study.*): rows of config.def.
#pragma once
#include "base/config.h"
#include "decouple/decouple.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum study_affine { AFFINE_WARP, AFFINE_ROW };
struct study_settings { // config.def
    int affine;         // enum study_affine
    uint64_t block;
    uint32_t bin; // width of a histogram's bin, in instructions
    int level;    // enum stream_level, or STREAM_LEVELS for all
    int window;   // enum reuse_window
    bool stores;
    uint32_t accesses;
    struct decouple_rules rules; // of `study affine`
};
extern const struct config_key study_config_keys[];
extern const size_t study_config_key_count;
