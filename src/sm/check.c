// Every register and predicate has one record, of its last write and the end of its reads. A younger write
// replaces the record of an older write that is still outstanding.
#include "sm/check.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { PREDS = 8 };

void check_init(struct check *k, uint32_t slots)
{
    *k = (struct check){.preds = heap_alloc((size_t)slots * PREDS * sizeof *k->preds)};
}

void check_fini(struct check *k)
{
    free(k->registers);
    free(k->preds);
}

void check_grow(struct check *k, uint32_t registers)
{
    k->registers = heap_resize(k->registers, registers * sizeof *k->registers);
    memset(k->registers + k->count, 0, (registers - k->count) * sizeof *k->registers);
    k->count = registers;
}

static void expect(struct check *k, bool holds, const char *otherwise)
{
    if (!holds && !k->broken) k->broken = otherwise;
}

void check_issue(struct check *k, uint32_t index, uint32_t pc)
{
    expect(k, index == pc, "a warp issued an instruction different from its next");
}

void check_passes(struct check *k, unsigned remembered, unsigned counted)
{
    expect(k, remembered == counted,
           "remembered passes over the banks of shared memory were not those of the addresses");
}

static struct check_place *pred_place(struct check *k, unsigned slot, unsigned pred)
{
    return &k->preds[(size_t)slot * PREDS + pred];
}

static void read_place(struct check *k, struct check_place *p, uint64_t lanes, uint64_t now, uint64_t at)
{
    expect(k, p->ready <= now || !(p->lanes & lanes), "a register was read before its result was ready");
    if (at > p->read_until) p->read_until = at;
}

void check_read(struct check *k, uint32_t reg, uint64_t lanes, uint64_t now, uint64_t at)
{
    read_place(k, &k->registers[reg], lanes, now, at);
}

void check_read_preds(struct check *k, unsigned slot, const struct op *o, uint64_t lanes, uint64_t now)
{
    for (unsigned left = o->pred_reads; left; left &= left - 1)
        read_place(k, pred_place(k, slot, bit_lowest(left)), lanes, now, now);
}

static void write_place(struct check *k, struct check_place *p, uint64_t lanes, uint64_t ready,
                        uint64_t written)
{
    expect(k, written > p->read_until, "a register was written while an operand collector had to read it");
    p->ready = ready;
    p->written = ready == written ? 0 : written;
    p->lanes = lanes;
    p->serial = k->serial;
}

uint64_t check_writes(struct check *k, unsigned slot, const uint16_t *registers, const struct op *o,
                      uint64_t lanes, uint64_t ready, uint64_t written)
{
    k->serial++;
    for (unsigned n = 0; n < o->dst_words; n++)
        write_place(k, &k->registers[registers[n]], lanes, ready, written);
    for (unsigned left = o->pred_writes; left; left &= left - 1)
        write_place(k, pred_place(k, slot, bit_lowest(left)), lanes, ready, written);
    return k->serial;
}

void check_reply(struct check *k, unsigned slot, const uint16_t *registers, const struct op *o,
                 uint64_t serial, uint64_t ready)
{
    for (unsigned n = 0; n < o->dst_words; n++) {
        struct check_place *p = &k->registers[registers[n]];
        if (p->serial == serial) p->ready = ready;
    }
    for (unsigned left = o->pred_writes; left; left &= left - 1) {
        struct check_place *p = pred_place(k, slot, bit_lowest(left));
        if (p->serial == serial) p->ready = ready;
    }
}

static void recycle_place(struct check *k, struct check_place *p, uint64_t now)
{
    expect(k, p->ready <= now && p->written <= now && p->read_until <= now,
           "a register in use was given to a different warp");
    *p = (struct check_place){0};
}

void check_recycle(struct check *k, unsigned slot, uint32_t first, uint32_t count, uint64_t now)
{
    for (uint32_t r = first; r < first + count; r++) recycle_place(k, &k->registers[r], now);
    for (unsigned p = 0; p < PREDS; p++) recycle_place(k, pred_place(k, slot, p), now);
}
