// Classes of SMs: settings, in a GPU's file or elsewhere, for SMs that differ from the rest.
//
//     class.NAME.count = N        number of SMs of the class
//     class.NAME.KEY = VALUE      value of KEY, a setting of an SM, for the class's SMs; settings left out
//                                 have the chip's value
//
// SMs are numbered class by class, in the order of the first mention of a class. Values are kept as set, so
// that settings may come in any order. gpu_classes_resolve turns classes into kinds of SM and finds
// conflicts.
#pragma once
#include "base/config.h"
#include "chip/config.h"

struct gpu_class {
    char name[GPU_KIND_NAME];
    struct config_origin named, count_origin; // named: first mention
    uint32_t count;                           // 0: not set
    struct gpu_config values;                 // of keys set for the class
    struct config_origin origins[GPU_KEYS];
};

struct gpu_classes {
    struct gpu_class all[GPU_KINDS_MAX];
    unsigned count;
    struct config *config; // holds the keys without a class
};

// Registers the keys of classes as settings of `c`. A zeroed struct has no classes.
void gpu_classes_init(struct gpu_classes *g, struct config *c);
void gpu_classes_clear(struct gpu_classes *g); // removes all classes
// Fills chip->classes. With classes, gpu.sm_count becomes the sum of the counts; a different explicit value
// is an error. False and located diagnostics: for instance, a class has no count, or its SM settings are in
// conflict.
bool gpu_classes_resolve(const struct gpu_classes *g, struct chip_config *chip, struct diag *d);
