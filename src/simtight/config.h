// Settings of the SIMTight core.
#pragma once
#include "base/config.h"
#include "scalar/regfile.h"

enum simtight_registers { SIMTIGHT_PLAIN, SIMTIGHT_UNIFORM, SIMTIGHT_AFFINE };
enum simtight_divider { SIMTIGHT_SEQUENTIAL, SIMTIGHT_FULL };

struct simtight_config {
#define SIMTIGHT_U32  CONFIG_MEMBER_U32
#define SIMTIGHT_BOOL CONFIG_MEMBER_BOOL
#define SIMTIGHT_WORD CONFIG_MEMBER_WORD
#include "simtight/config.def"
#undef SIMTIGHT_U32
#undef SIMTIGHT_BOOL
#undef SIMTIGHT_WORD
};

extern const struct config_key simtight_config_keys[];
extern const size_t simtight_config_key_count;

enum { SIMTIGHT_REGISTERS = 32 }; // of a thread

// Whether the vector register file has less room than there are registers.
static inline bool simtight_config_spills(const struct simtight_config *c)
{
    return c->vectors < c->warps * SIMTIGHT_REGISTERS;
}

// NULL when the settings fit together, else the conflict and its remedy; static text.
const char *simtight_config_check(const struct simtight_config *c);
