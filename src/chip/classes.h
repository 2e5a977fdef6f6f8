// Classes of SMs: what a GPU's file, or settings, say of SMs that differ from the others.
//
//     class.NAME.count = N        so many SMs are of this class
//     class.NAME.KEY = VALUE      this key's value for them; what a class leaves out, the key itself says
//
// SMs are numbered class by class, in the order in which the classes are first named. What is said is kept as it
// was said, so that settings may come in any order; gpu_classes_resolve makes kinds of SM of it, and finds what
// does not fit together.
#pragma once
#include "base/config.h"
#include "chip/config.h"

struct gpu_class {
    char name[GPU_KIND_NAME];
    struct config_origin named, count_origin; // named: where it is named first
    uint32_t count;                           // 0: nobody has said
    struct gpu_config values;                 // of keys that are set
    struct config_origin origins[GPU_KEYS];
};

struct gpu_classes {
    struct gpu_class all[GPU_KINDS_MAX];
    unsigned count;
    struct config *config; // of the keys without a class
};

// Their keys are settings of `c` from now on. An empty struct is none.
void gpu_classes_init(struct gpu_classes *g, struct config *c);
void gpu_classes_clear(struct gpu_classes *g); // there are none any more
// Fills chip->classes. With classes gpu.sm_count is the sum of their counts; where it was set to something else,
// that is an error. False and diagnostics, at the places in files that said it.
bool gpu_classes_resolve(const struct gpu_classes *g, struct chip_config *chip, struct diag *d);
