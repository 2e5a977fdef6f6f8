// A register file that keeps a register of one value or of an affine vector as a scalar, and other vectors where there
// is room for some of them only (SIMTight, ICCD 2024, III-B).
//
//     SRF, an entry a register                      VRF, fewer slots than registers
//       scalar   base, stride ─▶ base + lane x stride
//       pointer  slot ─────────────────────────────▶ a word a lane        free slots: a stack
//       evicted  the words are in memory, where the caller has put them
//
//     write ─▶ detect ─┬─ scalar ─▶ SRF; a slot that it had is free        (stages 1, 2, 3a)
//                      └─ vector ─▶ into its slot, or a free one, with the old words in lanes not written (3b, 3c)
//
// Values are here and nowhere else: what is read is made of what is stored. A write is compressed only if all lanes
// that have a thread are written. When few slots are free (spill mode) the caller lets nothing write, but moves victims
// to memory; what is evicted comes back before an instruction that reads it, or writes some of its lanes.
//
// Left out: time, and traffic; they are the caller's.
#pragma once
#include "scalar/detector.h"

#include <stddef.h>

enum { SCALAR_REGISTERS_MAX = 256, SCALAR_NONE = -1 };

// Which of a warp's vectors is spilled, of those that may be: the one with the lowest number among those that
enum scalar_spill {
    SPILL_LRU,  // are used seldom: no more often than the seldomest of odd number among the warp's vectors
    SPILL_RR,   // have a higher number than the last victim of whatever warp
    SPILL_FIRST // are there
};
// … or, where the policy names none, of all.

struct scalar_shape {
    struct scalar_rule rule;
    uint32_t warps, registers; // of each, SCALAR_REGISTERS_MAX at most
    uint32_t vectors;          // slots of the VRF; as many as there are registers: nothing is ever spilled
    uint32_t reserve;          // spill mode is on while fewer slots than this are free
    enum scalar_spill spill;
    uint32_t count_bits; // of a register's count of uses, 31 at most
    bool keeps_partial;  // extension: some lanes written with what they hold leave a scalar as it is
};

struct scalar_entry {
    uint32_t word;      // base, or slot
    uint8_t kind, code; // enum scalar_kind
};

struct scalar_regfile {
    struct scalar_shape shape;
    struct scalar_entry *entries;                     // [warp][register]
    uint64_t (*is_vector)[SCALAR_REGISTERS_MAX / 64]; // [warp], bits: registers in the VRF
    uint32_t *words;                                  // [slot][lane]
    uint32_t *free_slots, free_count;
    uint32_t uses[SCALAR_REGISTERS_MAX]; // that scalar_note_use has been told of
    int last_victim;                     // SCALAR_NONE: there was no victim
    uint32_t most;                       // slots taken at once so far
    uint64_t spills, unspills;
    uint64_t samples, sampled; // samples taken, and the slots that were taken then, added up
};

void scalar_init(struct scalar_regfile *f, const struct scalar_shape *shape); // all registers hold 0
void scalar_fini(struct scalar_regfile *f);
void scalar_clear(struct scalar_regfile *f, unsigned warp); // this warp's registers hold 0

static inline struct scalar_entry *scalar_at(const struct scalar_regfile *f, unsigned warp, unsigned r)
{
    return &f->entries[(size_t)warp * f->shape.registers + r];
}
static inline enum scalar_kind scalar_kind_of(const struct scalar_regfile *f, unsigned warp, unsigned r)
{
    return (enum scalar_kind)scalar_at(f, warp, r)->kind;
}
// Of a register that is stored as a scalar.
static inline struct scalar_form scalar_form_of(const struct scalar_regfile *f, unsigned warp, unsigned r)
{
    const struct scalar_entry *e = scalar_at(f, warp, r);
    return (struct scalar_form){e->word, e->code};
}
static inline uint32_t scalar_vectors(const struct scalar_regfile *f) // in the VRF now
{
    return f->shape.vectors - f->free_count;
}

// All lanes' words, expanded. Not of an evicted register.
void scalar_read(const struct scalar_regfile *f, unsigned warp, unsigned r, uint32_t *words);
// These lanes of the register are written; `threads` are those of the warp that have a thread. What it is kept as from
// now on. An evicted register must be unspilled before some of its lanes are written. A slot must be free.
enum scalar_kind scalar_write(struct scalar_regfile *f, unsigned warp, unsigned r, const uint32_t *words,
                              uint64_t written, uint64_t threads);
// What the scalar pipeline writes: no detector looks at it.
void scalar_write_form(struct scalar_regfile *f, unsigned warp, unsigned r, struct scalar_form form);

// -- spilling -----------------------------------------------------------------------------------------------
static inline bool scalar_spills(const struct scalar_shape *s)
{
    return s->vectors < s->warps * s->registers;
}
static inline bool scalar_must_spill(const struct scalar_regfile *f)
{
    return f->free_count < f->shape.reserve && scalar_spills(&f->shape);
}
// An instruction uses these registers as sources. (The hardware counts for warp 0 alone: of others it is not told.)
void scalar_note_use(struct scalar_regfile *f, const uint8_t *sources, unsigned count);
// A vector of the warp that its next instruction does not need; SCALAR_NONE: there is none.
int scalar_victim(struct scalar_regfile *f, unsigned warp, const uint8_t *needed, unsigned count);
// Its words go to the caller, its slot is free.
void scalar_spill(struct scalar_regfile *f, unsigned warp, unsigned r, uint32_t *words);
// The first of these that is evicted; SCALAR_NONE.
int scalar_first_evicted(const struct scalar_regfile *f, unsigned warp, const uint8_t *registers,
                         unsigned count);
void scalar_unspill(struct scalar_regfile *f, unsigned warp, unsigned r, const uint32_t *words);

// -- books --------------------------------------------------------------------------------------------------
void scalar_sample(struct scalar_regfile *f);
// Slots and pointers balance: NULL, or what does not.
const char *scalar_check(const struct scalar_regfile *f);
// Bits of the file: the VRF, two copies of the SRF (base, stride, and whether it is a pointer), the stack of free
// slots. This gives Fig. 8 of the paper to the bit.
unsigned scalar_slot_bits(uint64_t vectors); // to number the VRF's slots
uint64_t scalar_storage_bits(uint64_t registers, unsigned lanes, uint64_t vectors);
