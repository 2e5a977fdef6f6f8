// Settings of a slice from the settings of the whole chip.
#include "chip/slice.h"

// A capacity or rate of the slice: given / of of the whole chip's, rounded.
static void scale(uint32_t *value, uint32_t given, uint32_t of)
{
    uint64_t scaled = ((uint64_t)*value * given + of / 2) / of;
    *value = scaled ? (uint32_t)scaled : *value != 0;
}

static bool refuse(const struct chip_config *c, struct strbuf *why)
{
    strbuf_printf(
        why, "gpu.slice is %u, and gpu.sm_count is %u: a slice has a whole number of SMs; gpu.slice may be",
        c->slice, c->sm_count);
    const char *before = " ";
    for (uint32_t n = 1; n <= c->sm_count; n++) {
        if (c->sm_count % n) continue;
        strbuf_printf(why, "%s%u", before, n);
        before = ", ";
    }
    return false;
}

// Fewest partitions of the slice: at least the chip's share, and a divisor of the number of L2 slices.
static uint32_t fewest_partitions(const struct memory_config *m, uint32_t parts)
{
    uint32_t n = (m->partitions + parts - 1) / parts;
    while (m->partitions * m->slices % n) n++;
    return n;
}

static void slice_l2(struct memory_config *m, uint32_t parts)
{
    scale(&m->l2_sets, 1, parts);
    scale(&m->l2_mshrs, 1, parts);
    m->l2_interval *= parts;
    m->atomic_interval *= parts;
    m->partial_interval *= parts;
    m->port_cycles = parts;
}

static void slice_dram(struct memory_config *m, uint32_t parts)
{
    uint32_t whole = m->partitions, all_slices = whole * m->slices;
    m->partitions = fewest_partitions(m, parts);
    m->slices = all_slices / m->partitions;
    uint32_t of = m->partitions * parts;
    scale(&m->dram_mhz, whole, of);
    scale(&m->dram_queue, whole, of);
    scale(&m->dram_backlog, whole, of);
}

bool chip_slice(struct chip_config *c, struct strbuf *why)
{
    if (c->slice <= 1) return true;
    if (c->machine == MACHINE_SIMTIGHT) {
        strbuf_printf(why, "gpu.slice is %u: SIMTight has one core, and no slices", c->slice);
        return false;
    }
    if (c->class_count) {
        strbuf_printf(why,
                      "gpu.slice is %u, and the SMs have classes: a slice of classes is not supported; set "
                      "their counts",
                      c->slice);
        return false;
    }
    if (c->sm_count % c->slice) return refuse(c, why);
    c->sm_count /= c->slice;
    slice_l2(&c->memory, c->slice);
    slice_dram(&c->memory, c->slice);
    return true;
}
