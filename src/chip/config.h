// Settings of the chip, and the configuration of a whole chip.
#pragma once
#include "memory/config.h"
#include "sm/config.h"

enum gpu_machine { MACHINE_SM, MACHINE_SIMTIGHT };

// Settings from the tables of the chip, the SM and the memory system. The memory system uses the core clock
// of the SM.
struct tech_use;
struct chip_config {
#define CHIP_U32(field, key, low, high, initial, meaning, source) uint32_t field;
#define CHIP_BOOL(field, key, initial, meaning, source)           bool field;
#define CHIP_WORD(field, key, type, words, initial, meaning, source)                                         \
    int field; // by number, of enum type or a table (dispatch.def)
#include "chip/config.def"
    struct gpu_config gpu; // with classes: the base for keys not set by a class
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
