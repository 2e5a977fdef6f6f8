// Energy of a launch and storage of the chosen mechanisms or of a SIMTight core, as structs of the public
// API.
#include "api/impl.h"
#include "scalar/stackcache.h"

#include <string.h>

bool wf_energy_part_at(size_t index, const char **name, const char **meaning)
{
    if (index >= ENERGY_PARTS) return false;
    *name = energy_part_name((enum energy_part)index);
    *meaning = energy_part_meaning((enum energy_part)index);
    return true;
}

const struct wf_energy *api_energy(struct wf_pending *l, const struct chip_result *timed, size_t *count)
{
    struct wf_context *c = l->context;
    *count = energy_rows(&c->energy, &c->chip, timed, c->energy_rows);
    struct wf_energy *out = API_ARRAY(l, struct wf_energy, *count);
    // A copy of the context's rows, so that names in the stats live as long as the launch.
    struct energy_row *rows = API_ARRAY(l, struct energy_row, *count);
    memcpy(rows, c->energy_rows, *count * sizeof *rows);
    for (size_t i = 0; i < *count; i++) {
        const struct energy_row *row = &rows[i];
        out[i] = (struct wf_energy){.name = row->name,
                                    .part = energy_part_name(row->part),
                                    .unit = row->unit,
                                    .count = row->count,
                                    .pj_each = row->pj};
    }
    return out;
}

static size_t fill_storage_of(const struct tech_use *u, const struct gpu_kind *kind, const char *sm_class,
                              struct wf_structure *rows)
{
    struct tech_storage all[TECH_STORAGE_MAX];
    size_t count = u->tech->storage ? u->tech->storage(u->options, &kind->config, all) : 0;
    for (size_t n = 0; n < count; n++)
        rows[n] = (struct wf_structure){.tech = u->tech->name,
                                        .name = all[n].name,
                                        .sm_class = sm_class,
                                        .entries = all[n].entries,
                                        .bits = tech_storage_bits(&all[n]),
                                        .in_paper = all[n].in_paper,
                                        .instead = !all[n].arrays};
    return count;
}

// Storage of a SIMTight core: the registers in their configured form, and the stack cache. Returns the number
// of rows.
static size_t fill_core_storage(const struct simtight_config *s, struct wf_structure *rows)
{
    size_t count = 0;
    rows[count++] = (struct wf_structure){.tech = "simtight",
                                          .name = "registers",
                                          .entries = s->vectors,
                                          .bits = simtight_register_bits(s),
                                          .in_paper = true,
                                          .instead = true};
    if (s->stack_cache)
        rows[count++] = (struct wf_structure){.tech = "simtight",
                                              .name = "stack cache",
                                              .entries = s->stack_cache,
                                              .bits = stackcache_storage_bits(s->stack_cache),
                                              .in_paper = true};
    return count;
}

size_t api_storage_fill(struct wf_context *c)
{
    if (api_has_core(c)) return fill_core_storage(&c->simtight, c->storage);
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned kind_count = chip_kinds(&c->chip, kinds);
    size_t filled = 0;
    for (unsigned k = 0; k < c->techs.count; k++)
        for (unsigned n = 0; n < kind_count; n++)
            filled +=
                fill_storage_of(&c->techs.uses[k], &kinds[n],
                                c->chip.class_count ? c->chip.classes[n].name : NULL, &c->storage[filled]);
    return filled;
}

size_t wf_storage(struct wf_context *c, const struct wf_structure **rows)
{
    *rows = c->storage;
    return api_storage_fill(c);
}

uint64_t wf_register_file_bits(const struct wf_context *c) { return c->chip.gpu.registers * 32ull; }
