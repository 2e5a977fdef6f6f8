#include "energy/energy.h"
#include "energy/sram.h"

#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct energy_config, field##_pj)
#define ENERGY_PART(id, name, meaning)
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source)                                          \
    {"energy." #field, CONFIG_F64, AT(field), 0, 1e9, NULL, #pj, "pJ: " meaning, source},
#define ENERGY_SCALE(field, pj, meaning, source)                                                             \
    {"energy." #field, CONFIG_F64, AT(field), 0, 1e9, NULL, #pj, "pJ: " meaning, source},
const struct config_key energy_config_keys[] = {
#include "energy/events.def"
};
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
const size_t energy_config_key_count = sizeof energy_config_keys / sizeof energy_config_keys[0];

static const struct {
    const char *name, *meaning;
} parts[ENERGY_PARTS] = {
#define ENERGY_PART(id, name, meaning) {name, meaning},
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source)
#define ENERGY_SCALE(field, pj, meaning, source)
#include "energy/events.def"
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
};
const char *energy_part_name(enum energy_part part) { return parts[part].name; }
const char *energy_part_meaning(enum energy_part part) { return parts[part].meaning; }

// -- mechanisms ---------------------------------------------------------------------------------------------

static const struct structure {
    const char *tech, *name;
    uint64_t bits; // of an access; 0: a whole entry
    const char *read_ports, *write_ports, *reads, *writes;
    bool is_scalar_file;
} structures[] = {
#define STRUCTURE(tech, name, bits, read_ports, write_ports, reads, writes)                                  \
    {tech, name, bits, read_ports, write_ports, reads, writes, false},
#define SCALAR_FILE(tech, name, bits, read_ports, write_ports, reads, writes)                                \
    {tech, name, bits, read_ports, write_ports, reads, writes, true},
#include "energy/structures.def"
#undef STRUCTURE
#undef SCALAR_FILE
};

// Number of ports: the value of the mechanism's option named `text`, else the number in `text`.
static unsigned ports(const struct tech_use *u, const char *text)
{
    for (size_t k = 0; k < u->tech->key_count; k++) {
        const struct config_key *key = &u->tech->keys[k];
        if (key->type != CONFIG_U32 || strcmp(key->name, text) != 0) continue;
        uint32_t value;
        memcpy(&value, (const char *)u->options + key->offset, sizeof value);
        return value;
    }
    return (unsigned)strtoul(text, NULL, 10);
}

// Sum of the counters named in `names`, such as "lookups+leaders"; an unknown name counts as 0.
static uint64_t sum(const struct tech *t, const uint64_t *counters, const char *names)
{
    uint64_t total = 0;
    while (*names) {
        size_t length = strcspn(names, "+");
        for (size_t k = 0; k < t->counter_count; k++)
            if (strncmp(t->counters[k].name, names, length) == 0 && !t->counters[k].name[length])
                total += counters[k];
        names += length + (names[length] == '+');
    }
    return total;
}

struct list {
    struct energy_row *rows;
    size_t count;
    const char *class; // SM class named in the rows added next; "": all SMs
};

static void add(struct list *l, enum energy_part part, const char *unit, uint64_t count, double pj,
                const char *tech, const char *name, const char *what)
{
    struct energy_row *row = &l->rows[l->count++];
    *row = (struct energy_row){.part = part, .unit = unit, .count = count, .pj = pj};
    const char *words[] = {tech, *tech ? ": " : "", name, what, *l->class ? ", class " : "", l->class};
    size_t length = 0; // copied by hand: snprintf took 2 % of the time of a series of short launches
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        for (const char *c = words[k]; *c && length + 1 < sizeof row->name; c++) row->name[length++] = *c;
}

static const struct structure *find_structure(const char *tech, const char *name)
{
    for (size_t k = 0; k < sizeof structures / sizeof structures[0]; k++)
        if (strcmp(structures[k].tech, tech) == 0 && strcmp(structures[k].name, name) == 0)
            return &structures[k];
    return NULL;
}

// Adds the rows of reads and writes of a mechanism's structure.
static void add_structure(struct list *l, const struct energy_config *e, const struct tech_use *u,
                          const struct structure *s, const struct tech_storage *storage,
                          const uint64_t *counters)
{
    unsigned all = ports(u, s->read_ports) + ports(u, s->write_ports);
    double pj = sram_access_pj(e->sram_access_pj, tech_storage_bits(storage) / storage->arrays,
                               s->bits ? s->bits : storage->bits_each, all);
    double read = s->is_scalar_file && e->scalar_read_pj > 0 ? e->scalar_read_pj : pj,
           write = s->is_scalar_file && e->scalar_write_pj > 0 ? e->scalar_write_pj : pj;
    add(l, ENERGY_MECHANISM, "accesses", sum(u->tech, counters, s->reads), read, s->tech, s->name, ", reads");
    add(l, ENERGY_MECHANISM, "accesses", sum(u->tech, counters, s->writes), write, s->tech, s->name,
        ", writes");
}

// Adds the rows of a mechanism on SMs of one kind; `counters` are sums over SMs of the kind.
static void add_mechanism(struct list *l, const struct energy_config *e, const struct tech_use *u,
                          const struct gpu_kind *kind, const uint64_t *counters, uint64_t cycles)
{
    const struct tech *t = u->tech;
    struct tech_storage storage[TECH_STORAGE_MAX];
    size_t count = t->storage ? t->storage(u->options, &kind->config, storage) : 0;
    uint64_t bits = 0;
    for (size_t n = 0; n < count; n++) {
        const struct structure *s = find_structure(t->name, storage[n].name);
        bool leaks_apart = s && s->is_scalar_file && e->scalar_leakage_pj > 0;
        bits += storage[n].arrays && !leaks_apart ? tech_storage_bits(&storage[n]) : 0;
        if (s) add_structure(l, e, u, s, &storage[n], counters);
        if (leaks_apart) {
            uint64_t own = tech_storage_bits(&storage[n]);
            add(l, ENERGY_MECHANISM, "bit cycles", own * kind->count * cycles,
                e->scalar_leakage_pj / (double)own, t->name, s->name, ", leakage");
        }
    }
    add(l, ENERGY_MECHANISM, "bit cycles", bits * kind->count * cycles, e->sram_leakage_pj, t->name,
        "leakage", "");
}

// Amounts of hardware that only some SMs have, summed over all SMs: scoreboard entries, SMs with bypasses.
struct parts_of_sms {
    uint64_t board_entries, bypasses;
};

static struct parts_of_sms parts_of(const struct gpu_kind *kinds, unsigned count)
{
    struct parts_of_sms has = {0};
    for (unsigned k = 0; k < count; k++) {
        const struct gpu_config *g = &kinds[k].config;
        has.board_entries += g->dependences == DEPENDENCES_BOARD ? kinds[k].count * g->board_entries : 0;
        has.bypasses += g->bypass ? kinds[k].count : 0;
    }
    return has;
}

size_t energy_rows(const struct energy_config *e, const struct chip_config *c, const struct chip_result *r,
                   struct energy_row rows[ENERGY_ROWS_MAX])
{
    struct list l = {.rows = rows, .class = ""};
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned kind_count = chip_kinds(c, kinds);
    struct parts_of_sms has = parts_of(kinds, kind_count);
    struct energy_config slice = *e; // a slice of the chip has a part of what is not in SMs
    if (c->slice > 1) slice.chip_leakage_pj /= c->slice;
    e = &slice;
#define ENERGY_PART(id, name, meaning)
#define ENERGY_EVENT(part, field, pj, unit, count, meaning, source)                                          \
    add(&l, ENERGY_##part, unit, count, e->field##_pj, "", #field, "");
#define ENERGY_SCALE(field, pj, meaning, source)
#include "energy/events.def"
#undef ENERGY_PART
#undef ENERGY_EVENT
#undef ENERGY_SCALE
    for (unsigned n = 0; n < c->tech_count; n++)
        for (unsigned k = 0; k < kind_count; k++) {
            l.class = kinds[k].name;
            add_mechanism(&l, e, &c->techs[n], &kinds[k], r->kind_techs[k][n], r->chip_cycles);
        }
    return l.count;
}
