#include "sm/board_shadow.h"
#include "exec/timed.h"
#include "isa/program.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

struct board_shadow {
    uint32_t (*latest)[LANES_MAX], (*committed)[LANES_MAX]; // by physical register
    uint32_t count;
    uint32_t values[BOARD_ENTRIES][BOARD_WORDS][LANES_MAX];
    uint64_t before[BOARD_ENTRIES]; // digest of `latest` before the instruction
    uint64_t digest_latest[SM_SLOTS], digest_committed[SM_SLOTS];
    // by slot: the warp's values are not compared, since mechanisms or atomics change registers in other ways
    bool is_blind[SM_SLOTS];
    const char *broken; // the first broken rule, static text; NULL
};

struct board_shadow *board_shadow_create(void) { return heap_alloc(sizeof(struct board_shadow)); }

void board_shadow_destroy(struct board_shadow *x)
{
    if (!x) return;
    free(x->latest);
    free(x->committed);
    free(x);
}

const char *board_shadow_broken(const struct board_shadow *x) { return x->broken; }

static void expect(struct board_shadow *x, bool holds, const char *otherwise)
{
    if (!holds && !x->broken) x->broken = otherwise;
}

static uint64_t digest_of(uint32_t reg, unsigned lane, uint32_t value)
{
    uint64_t x = ((uint64_t)reg << 6 | lane) * 0x9e3779b97f4a7c15ull ^ value;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static void put(uint32_t *lanes_of, uint64_t *digest, uint32_t reg, unsigned lane, uint32_t value)
{
    *digest += digest_of(reg, lane, value) - digest_of(reg, lane, lanes_of[lane]);
    lanes_of[lane] = value;
}

static const uint32_t *values_of(const struct sm_warp *w, unsigned r)
{
    return reg_lanes(w->warp->regs, r * w->grid->engine->exec.vector_bytes);
}

void board_shadow_start(struct board_shadow *x, const struct sm *s, unsigned slot)
{
    const struct sm_warp *w = &s->warps[slot];
    if (x->count < s->operands.numbers) {
        x->latest = heap_resize(x->latest, s->operands.numbers * sizeof *x->latest);
        x->committed = heap_resize(x->committed, s->operands.numbers * sizeof *x->committed);
        x->count = s->operands.numbers;
    }
    x->is_blind[slot] = has_techs(s);
    x->digest_latest[slot] = x->digest_committed[slot] = 0;
    for (uint32_t r = 0; r < w->grid->launch->launch->program->reg_count && !x->is_blind[slot]; r++) {
        memcpy(x->latest[w->operands.registers + r], values_of(w, r), w->grid->engine->exec.vector_bytes);
        memcpy(x->committed[w->operands.registers + r], values_of(w, r), w->grid->engine->exec.vector_bytes);
    }
}

// Value of a register in a lane of the warp: from the matching board entry, else from the register file
// `committed`.
static uint32_t value_read(const struct sm *s, unsigned slot, uint16_t reg, unsigned lane)
{
    const struct board *b = &s->board;
    for (uint8_t e = b->warps[slot].head; e != BOARD_NONE; e = b->insts[e].next)
        for (unsigned n = 0; n < b->insts[e].words; n++)
            if (b->insts[e].registers[n] == reg && b->insts[e].matches >> n & 1 &&
                b->insts[e].lanes >> lane & 1)
                return b->shadow->values[e][n][lane];
    return b->shadow->committed[reg][lane];
}

void board_shadow_reads(struct board_shadow *x, const struct sm *s, unsigned slot, const struct op *o)
{
    for (unsigned k = 0; k < o->read_count && !x->is_blind[slot]; k++) {
        uint16_t reg = s->warps[slot].operands.map[o->reads[k]];
        for (uint64_t left = s->board.lanes; left; left &= left - 1) {
            unsigned lane = bit_lowest(left);
            expect(x, value_read(s, slot, reg, lane) == x->latest[reg][lane],
                   "the board and the registers together hold a value different from the program's");
        }
    }
}

// Whether no younger element of the list defines a register for which `older` still has its match bit.
static bool is_only_match(const struct board *b, const struct board_inst *older)
{
    for (uint8_t e = older->next; e != BOARD_NONE; e = b->insts[e].next)
        for (unsigned n = 0; n < b->insts[e].words; n++)
            for (unsigned k = 0; k < older->words; k++)
                if (older->matches >> k & 1 && older->registers[k] == b->insts[e].registers[n]) return false;
    return true;
}

// Expects every element in use to be in exactly one list, of its own warp, in order of issue. Within a list,
// commits must be in order, none before completion, and only one element may match a register. The entries of
// all lists must add up to `used`.
static void expect_lists(struct board_shadow *x, const struct board *b)
{
    uint64_t seen = 0;
    uint32_t used = 0;
    for (unsigned slot = 0; slot < SM_SLOTS; slot++) {
        uint64_t since = 0, commit = 0;
        for (uint8_t e = b->warps[slot].head; e != BOARD_NONE; e = b->insts[e].next) {
            const struct board_inst *i = &b->insts[e];
            expect(x, !(seen >> e & 1), "an entry is in two lists of the board, or a list has no end");
            if (seen >> e & 1) return;
            seen |= 1ull << e;
            used += i->words;
            expect(x, i->slot == slot, "an entry of the board is in the list of a different warp");
            expect(x, i->since >= since, "a warp's entries are not in order of issue");
            expect(x, i->commit > commit || i->commit == CYCLE_NEVER, "a warp's commits are not in order");
            expect(x, i->commit == CYCLE_NEVER || i->commit >= i->done,
                   "an incomplete instruction is committed");
            expect(x, is_only_match(b, i), "two entries match one register");
            expect(x, i->next != BOARD_NONE || b->warps[slot].tail == e, "a list of the board ends early");
            since = i->since;
            commit = i->commit;
        }
    }
    expect(x, seen == b->taken, "an entry in use is in no list, or a free entry is in a list");
    expect(x, used == b->used && used <= b->entries, "the board's entries do not match their count");
}

// element: the instruction's element in the board; BOARD_NONE when the instruction writes its registers at
// once.
void board_shadow_writes(struct board_shadow *x, const struct sm *s, unsigned slot, const struct op *o,
                         uint8_t element)
{
    const struct sm_warp *w = &s->warps[slot];
    expect_lists(x, &s->board);
    x->is_blind[slot] |= (o->order & OP_STORES) && o->dst_words;
    if (x->is_blind[slot]) return;
    if (element != BOARD_NONE) x->before[element] = x->digest_latest[slot];
    for (unsigned n = 0; n < o->dst_words; n++) {
        uint16_t reg = w->operands.map[o->dst + n];
        const uint32_t *values = values_of(w, o->dst + n);
        if (element != BOARD_NONE) memcpy(x->values[element][n], values, w->grid->engine->exec.vector_bytes);
        for (uint64_t left = s->board.lanes; left; left &= left - 1) {
            unsigned lane = bit_lowest(left);
            put(x->latest[reg], &x->digest_latest[slot], reg, lane, values[lane]);
            if (element == BOARD_NONE)
                put(x->committed[reg], &x->digest_committed[slot], reg, lane, values[lane]);
        }
    }
}

void board_shadow_commits(struct board_shadow *x, const struct board *b, uint8_t element)
{
    const struct board_inst *i = &b->insts[element];
    if (x->is_blind[i->slot]) return;
    for (unsigned n = 0; n < i->words; n++)
        for (uint64_t left = i->lanes; left; left &= left - 1) {
            unsigned lane = bit_lowest(left);
            put(x->committed[i->registers[n]], &x->digest_committed[i->slot], i->registers[n], lane,
                x->values[element][n][lane]);
        }
    uint64_t program = i->next == BOARD_NONE ? x->digest_latest[i->slot] : x->before[i->next];
    expect(x, x->digest_committed[i->slot] == program,
           "committed registers differ from the program's at the instruction");
}

const uint32_t *board_shadow_lanes(const struct board_shadow *x, uint32_t physical)
{
    return x->committed[physical];
}
