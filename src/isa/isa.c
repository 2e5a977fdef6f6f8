// The instruction table, and the names of types, modes, comparisons, special registers, units and latencies.
// Names follow NVIDIA's disassembly, so listings read alike.
#include "isa/isa.h"
#include "isa/fields.h"
#include "isa/modes.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "isa/units.h"

#include <stddef.h>

const struct isa_info isa_table[OP_COUNT] = {
#define IN(space) (SPACE_##space << ISA_SPACE_SHIFT)
#define INST(name, mnemonic, unit, latency, traits, body, form, meaning)                                     \
    [OP_##name] = {#name, mnemonic, meaning, UNIT_##unit, LATENCY_##latency, traits},
#include "isa/isa.def"
#undef INST
};

static const struct {
    const char *name;
    uint8_t bytes;
    bool is_signed, is_float;
} types[TYPE_COUNT] = {
#define TYPE(name, text, bytes, is_signed, is_float) {text, bytes, is_signed, is_float},
#include "isa/fields.def"
#undef TYPE
};

unsigned isa_type_bytes(enum isa_type type) { return type < TYPE_COUNT ? types[type].bytes : 0; }

bool isa_type_is_signed(enum isa_type type) { return type < TYPE_COUNT && types[type].is_signed; }

bool isa_type_is_float(enum isa_type type) { return type < TYPE_COUNT && types[type].is_float; }

const char *isa_type_name(enum isa_type type) { return type < TYPE_COUNT ? types[type].name : "?"; }

const char *isa_mode_name(enum isa_mode mode)
{
    static const char *const names[] = {
#define MODE(name, text) text,
#include "isa/modes.def"
#undef MODE
    };
    return mode < MODE_COUNT ? names[mode] : "?";
}

const char *isa_cmp_name(enum isa_cmp cmp)
{
    static const char *const names[] = {
#define CMP(name) #name,
#include "isa/fields.def"
#undef CMP
    };
    return cmp <= CMP_T ? names[cmp] : "?";
}

const char *isa_sreg_name(enum isa_sreg sreg)
{
    static const char *const names[] = {
#define SREG(name, text, whose) text,
#include "isa/sregs.def"
#undef SREG
    };
    return sreg < SREG_COUNT ? names[sreg] : "?";
}

enum isa_sreg_whose isa_sreg_whose(enum isa_sreg sreg)
{
    static const uint8_t whose_it_is[] = {
#define SREG(name, text, whose) SREG_OF_##whose,
#include "isa/sregs.def"
#undef SREG
    };
    return sreg < SREG_COUNT ? (enum isa_sreg_whose)whose_it_is[sreg] : SREG_OF_LANE;
}

const char *isa_unit_name(enum isa_unit unit)
{
    static const char *const names[] = {
#define UNIT(name, text) text,
#include "isa/units.def"
#undef UNIT
    };
    return unit < UNIT_COUNT ? names[unit] : "?";
}

const char *isa_latency_name(enum isa_latency latency)
{
    static const char *const names[] = {
#define LATENCY(name, text) text,
#include "isa/units.def"
#undef LATENCY
    };
    return latency < LATENCY_COUNT ? names[latency] : "?";
}
