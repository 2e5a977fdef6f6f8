// Settings of the chip, and everything together that makes one.
#pragma once
#include "memory/config.h"
#include "sm/config.h"

enum gpu_machine { MACHINE_SM, MACHINE_SIMTIGHT };

// What the tables of the chip, the SM and the memory set together, for one chip: the memory takes the core's clock.
struct tech_use;
struct chip_config {
#define CHIP_U32(field, key, low, high, initial, meaning, source) uint32_t field;
#define CHIP_BOOL(field, key, initial, meaning, source)           bool field;
#define CHIP_WORD(field, key, type, words, initial, meaning, source)                                         \
    int field; // by number, of enum type or a table (dispatch.def)
#include "chip/config.def"
    struct gpu_config gpu; // with classes: what they do not set
    struct memory_config memory;
    const struct tech_use *techs; // mechanisms (tech.h), in order
    unsigned tech_count;
    struct gpu_kind classes[GPU_KINDS_MAX]; // gpu_classes_resolve makes them
    unsigned class_count;
};

extern const struct config_key chip_config_keys[]; // offsets are of struct chip_config
extern const size_t chip_config_key_count;

// The kinds of SM that the chip is made of, in order of their SMs; how many.
unsigned chip_kinds(const struct chip_config *c, struct gpu_kind kinds[GPU_KINDS_MAX]);
