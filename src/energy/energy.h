// Energy of a timed launch: counts of events times what one costs, by part of the chip.
//
// Every row is one kind of event, and the total is the sum of the rows: nothing is fitted or scaled after the
// fact. What an event costs is a setting (energy.*, events.def), which a GPU's file may change; a mechanism's
// structures cost what their size, width and ports make of an SRAM (sram.h, structures.def).
// Left out: temperature, voltage and frequency other than the node's, and power gating.
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
    char name
        [96]; // "register_read"; of a structure "darsie: PC skip table, reads", with classes of SMs "…, class big"
    enum energy_part part;
    const char *unit;
    uint64_t count;
    double pj; // each
};
enum { ENERGY_ROWS_MAX = 40 + GPU_KINDS_MAX * TECH_MAX * (2 * TECH_STORAGE_MAX + 1) };

// The same rows in the same order for every launch with the same mechanisms.
size_t energy_rows(const struct energy_config *e, const struct chip_config *c, const struct chip_result *r,
                   struct energy_row rows[ENERGY_ROWS_MAX]);
