// Settings of the chip, and the configuration of a whole chip.
#pragma once
#include "memory/config.h"
#include "sm/config.h"

enum gpu_machine { MACHINE_SM, MACHINE_SIMTIGHT };
// tensor.values: target, or 1 + enum tensor_generation
enum { TENSOR_VALUES_TARGET };

// Settings from the tables of the chip, the SM and the memory system. The memory system uses the core clock
// of the SM.
struct tech_use;
struct chip_config {
// A setting with words as values holds a value of an enum, or the index of a row of a table (dispatch.def).
#define CHIP_U32  CONFIG_MEMBER_U32
#define CHIP_BOOL CONFIG_MEMBER_BOOL
#define CHIP_TEXT CONFIG_MEMBER_TEXT
#define CHIP_WORD CONFIG_MEMBER_WORD
#include "chip/config.def"
    struct gpu_config gpu; // settings of all SMs, unless overridden by a class of SMs (classes)
    struct memory_config memory;
    const struct tech_use *techs; // mechanisms (tech.h), in order
    unsigned tech_count;
    struct gpu_kind classes[GPU_KINDS_MAX]; // set by gpu_classes_resolve
    unsigned class_count;
};

extern const struct config_key chip_config_keys[]; // offsets into struct chip_config
extern const size_t chip_config_key_count;

// Fills in the chip's kinds of SM, in order of SM number; returns how many.
unsigned chip_kinds(const struct chip_config *c, struct gpu_kind kinds[GPU_KINDS_MAX]);
