// Modes: sub-functions of instructions. modes.def has a row per value.
#pragma once
// clang-format off

enum isa_mode {
#define MODE(name, text) MODE_##name,
#include "isa/modes.def"
#undef MODE
    MODE_COUNT
};

const char *isa_mode_name(enum isa_mode mode); // "RCP"
