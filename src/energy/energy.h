// Energy of a timed launch: number of events times energy of an event, by part of the chip.
//
// Every row is a kind of event, and the total is the sum of the rows, without fitting or scaling
// afterwards. The energy of an event is a setting (energy.*, events.def), and a GPU's file may change the
// setting. Structures of a mechanism are SRAMs: size, width and ports give the energy (sram.h,
// structures.def). Not modelled: temperature, power gating, and any voltage and frequency but those of the
// technology node (40 to 45 nm).
#pragma once
#include "chip/chip.h"

enum energy_part {
#define ENERGY_PART(id, name, meaning) ENERGY_##id,
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source)
#define ENERGY_SCALE(field, pj, meaning, source)
#include "energy/events.def"
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
    ENERGY_PARTS
};

struct energy_config { // pJ
#define ENERGY_PART(id, name, meaning)
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source) double field##_pj;
#define ENERGY_SCALE(field, pj, meaning, source)                    double field##_pj;
#include "energy/events.def"
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
};
extern const struct config_key energy_config_keys[];
extern const size_t energy_config_key_count;

const char *energy_part_name(enum energy_part part);    // "registers"
const char *energy_part_meaning(enum energy_part part); // "register file"

struct energy_row {
    // Event "register_read"; structure "darsie: PC skip table, reads"; with SM classes "…, class big".
    char name[96];
    enum energy_part part;
    const char *unit;
    uint64_t count;
    double pj; // per event
};
enum { ENERGY_ROWS_MAX = 48 + GPU_KINDS_MAX * TECH_MAX * (2 * TECH_STORAGE_MAX + 2) };

// Fills the rows of a launch and returns their number. Launches with the same settings and mechanisms give
// rows of the same names in the same order.
size_t energy_rows(const struct energy_config *e, const struct chip_config *c, const struct chip_result *r,
                   struct energy_row rows[ENERGY_ROWS_MAX]);
