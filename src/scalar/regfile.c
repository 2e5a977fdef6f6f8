#include "scalar/regfile.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// -- creation -----------------------------------------------------------------------------------------------

void scalar_init(struct scalar_regfile *f, const struct scalar_shape *shape)
{
    size_t registers = (size_t)shape->warps * shape->registers;
    assert(shape->registers <= SCALAR_REGISTERS_MAX && shape->rule.lanes <= SCALAR_LANES_MAX);
    *f = (struct scalar_regfile){.shape = *shape, .free_count = shape->vectors, .last_victim = SCALAR_NONE};
    f->entries = heap_alloc(registers * sizeof *f->entries); // all zeros: a scalar 0
    f->is_vector = heap_alloc(shape->warps * sizeof *f->is_vector);
    f->words = heap_alloc((size_t)shape->vectors * shape->rule.lanes * sizeof *f->words);
    f->free_slots = heap_alloc((shape->vectors + 1) * sizeof *f->free_slots);
    for (uint32_t n = 0; n < shape->vectors; n++) f->free_slots[n] = shape->vectors - 1 - n;
}

_Static_assert(SCALAR_UNIFORM == 0, "registers of zeros hold a single value");

void scalar_fini(struct scalar_regfile *f)
{
    free(f->entries);
    free(f->is_vector);
    free(f->words);
    free(f->free_slots);
}

void scalar_clear(struct scalar_regfile *f, unsigned warp)
{
    for (unsigned r = 0; r < f->shape.registers; r++) scalar_write_form(f, warp, r, (struct scalar_form){0});
}

// -- slots --------------------------------------------------------------------------------------------------

static uint32_t *words_of(const struct scalar_regfile *f, const struct scalar_entry *e)
{
    return f->words + (size_t)e->word * f->shape.rule.lanes;
}

static void take_slot(struct scalar_regfile *f, unsigned warp, unsigned r)
{
    assert(f->free_count);
    *scalar_at(f, warp, r) = (struct scalar_entry){f->free_slots[--f->free_count], SCALAR_VECTOR, 0};
    f->is_vector[warp][r / 64] |= 1ull << r % 64;
    if (scalar_vectors(f) > f->most) f->most = scalar_vectors(f);
}

static void leave_slot(struct scalar_regfile *f, unsigned warp, unsigned r)
{
    const struct scalar_entry *e = scalar_at(f, warp, r);
    if (e->kind != SCALAR_VECTOR) return;
    f->free_slots[f->free_count++] = e->word;
    f->is_vector[warp][r / 64] &= ~(1ull << r % 64);
}

// -- reads and writes ---------------------------------------------------------------------------------------

void scalar_read(const struct scalar_regfile *f, unsigned warp, unsigned r, uint32_t *words)
{
    const struct scalar_entry *e = scalar_at(f, warp, r);
    assert(e->kind != SCALAR_EVICTED);
    if (e->kind == SCALAR_VECTOR)
        memcpy(words, words_of(f, e), f->shape.rule.lanes * sizeof *words);
    else
        scalar_expand((struct scalar_form){e->word, e->code}, f->shape.rule.lanes, words);
}

void scalar_write_form(struct scalar_regfile *f, unsigned warp, unsigned r, struct scalar_form form)
{
    leave_slot(f, warp, r);
    *scalar_at(f, warp, r) =
        (struct scalar_entry){form.base, form.code ? SCALAR_AFFINE : SCALAR_UNIFORM, form.code};
}

static bool holds_already(struct scalar_form old, const uint32_t *words, uint64_t lanes)
{
    while (lanes && words[bit_lowest(lanes)] == scalar_word(old, bit_lowest(lanes))) lanes &= lanes - 1;
    return !lanes;
}

// Promotes a register to a vector: allocates a slot and expands the old value into the slot. The old value of
// an evicted register is left out.
static void become_vector(struct scalar_regfile *f, unsigned warp, unsigned r)
{
    struct scalar_entry *e = scalar_at(f, warp, r), old = *e;
    take_slot(f, warp, r);
    if (old.kind != SCALAR_EVICTED)
        scalar_expand((struct scalar_form){old.word, old.code}, f->shape.rule.lanes, words_of(f, e));
}

enum scalar_kind scalar_write(struct scalar_regfile *f, unsigned warp, unsigned r, const uint32_t *words,
                              uint64_t written, uint64_t threads)
{
    struct scalar_entry *e = scalar_at(f, warp, r);
    struct scalar_form form = {e->word, e->code};
    bool is_whole = !(threads & ~written);
    if (is_whole && scalar_detect(&f->shape.rule, words, threads, &form) != SCALAR_VECTOR) {
        scalar_write_form(f, warp, r, form);
        return (enum scalar_kind)e->kind;
    }
    bool was_scalar = e->kind == SCALAR_UNIFORM || e->kind == SCALAR_AFFINE;
    if (was_scalar && f->shape.keeps_partial && holds_already(form, words, written))
        return (enum scalar_kind)e->kind;
    assert(is_whole || e->kind != SCALAR_EVICTED);
    if (e->kind != SCALAR_VECTOR) become_vector(f, warp, r);
    uint32_t *into = words_of(f, e), lanes = f->shape.rule.lanes;
    if ((written & bit_mask(lanes)) == bit_mask(lanes))
        memcpy(into, words, lanes * sizeof *into);
    else
        for (uint32_t n = 0; n < lanes; n++) into[n] = written >> n & 1 ? words[n] : into[n];
    return SCALAR_VECTOR;
}

// -- spilling -----------------------------------------------------------------------------------------------

void scalar_note_use(struct scalar_regfile *f, const uint8_t *sources, unsigned count)
{
    uint32_t full = (1u << f->shape.count_bits) - 1;
    bool is_any_full = false;
    for (unsigned r = 0; r < f->shape.registers; r++) is_any_full |= f->uses[r] == full;
    for (unsigned r = 0; is_any_full && r < f->shape.registers; r++) f->uses[r] /= 2;
    for (unsigned k = 0; !is_any_full && k < count; k++) {
        bool is_again = memchr(sources, sources[k], k) != NULL;
        f->uses[sources[k]] += !is_again;
    }
}

// Least use count among the warp's odd-numbered vector registers; UINT32_MAX: no such register. Odd only, to
// halve the hardware's comparators.
static uint32_t least_use(const struct scalar_regfile *f, unsigned warp)
{
    uint32_t least = UINT32_MAX;
    for (unsigned r = 1; r < f->shape.registers; r += 2)
        if (scalar_kind_of(f, warp, r) == SCALAR_VECTOR && f->uses[r] < least) least = f->uses[r];
    return least;
}

int scalar_victim(struct scalar_regfile *f, unsigned warp, const uint8_t *needed, unsigned count)
{
    uint32_t least = f->shape.spill == SPILL_LRU ? least_use(f, warp) : 0;
    int first = SCALAR_NONE, preferred = SCALAR_NONE;
    for (unsigned k = 0; k < SCALAR_REGISTERS_MAX / 64 && preferred == SCALAR_NONE; k++)
        for (uint64_t left = f->is_vector[warp][k]; left && preferred == SCALAR_NONE; left &= left - 1) {
            int r = (int)(64 * k + bit_lowest(left));
            if (memchr(needed, r, count)) continue;
            if (first == SCALAR_NONE) first = r;
            bool is_preferred = f->shape.spill == SPILL_LRU  ? f->uses[r] <= least
                                : f->shape.spill == SPILL_RR ? r > f->last_victim
                                                             : true;
            if (is_preferred) preferred = r;
        }
    return f->last_victim = preferred != SCALAR_NONE ? preferred : first;
}

void scalar_spill(struct scalar_regfile *f, unsigned warp, unsigned r, uint32_t *words)
{
    assert(scalar_kind_of(f, warp, r) == SCALAR_VECTOR);
    scalar_read(f, warp, r, words);
    leave_slot(f, warp, r);
    *scalar_at(f, warp, r) = (struct scalar_entry){.kind = SCALAR_EVICTED};
    f->spills++;
}

int scalar_first_evicted(const struct scalar_regfile *f, unsigned warp, const uint8_t *registers,
                         unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (scalar_kind_of(f, warp, registers[k]) == SCALAR_EVICTED) return registers[k];
    return SCALAR_NONE;
}

// Takes back an evicted register with `words`, loaded by the caller, as a write of all lanes. The detector
// may find a scalar in a register written a few lanes at a time.
void scalar_unspill(struct scalar_regfile *f, unsigned warp, unsigned r, const uint32_t *words)
{
    assert(scalar_kind_of(f, warp, r) == SCALAR_EVICTED);
    uint64_t all = bit_mask(f->shape.rule.lanes);
    scalar_write(f, warp, r, words, all, all);
    f->unspills++;
}

// -- books --------------------------------------------------------------------------------------------------

void scalar_sample(struct scalar_regfile *f)
{
    f->samples++;
    f->sampled += scalar_vectors(f);
}

const char *scalar_check(const struct scalar_regfile *f)
{
    uint32_t pointers = 0;
    for (unsigned warp = 0; warp < f->shape.warps; warp++)
        for (unsigned r = 0; r < f->shape.registers; r++) {
            bool is_vector = scalar_kind_of(f, warp, r) == SCALAR_VECTOR;
            if (is_vector != (f->is_vector[warp][r / 64] >> r % 64 & 1))
                return "the scalar register file and its masks disagree on vectors";
            pointers += is_vector;
        }
    return pointers == scalar_vectors(f) ? NULL : "slots of the vector register file belong to no register";
}

unsigned scalar_slot_bits(uint64_t vectors)
{
    unsigned bits = 0;
    while (1ull << bits < vectors) bits++;
    return bits;
}

uint64_t scalar_storage_bits(uint64_t registers, unsigned lanes, uint64_t vectors)
{
    enum { WORD = 32, STRIDE = 2, IS_POINTER = 1, COPIES = 2 };
    return vectors * lanes * WORD + COPIES * registers * (WORD + STRIDE + IS_POINTER) +
           vectors * scalar_slot_bits(vectors);
}
