// Compressed register file. A uniform or affine register is kept as a scalar; the vector storage has slots
// for only some of the registers (SIMTight, ICCD 2024, III-B).
//
//     SRF, an entry a register                      VRF, fewer slots than registers
//       scalar   base, stride ─▶ base + lane x stride
//       pointer  slot ─────────────────────────────▶ a word a lane        free slots: a stack
//       evicted  words in memory, written by the caller
//
//     write ─▶ detect ─┬─ scalar ─▶ SRF; frees the old slot                               (stages 1, 2, 3a)
//                      └─ vector ─▶ old or new slot; unwritten lanes keep the old words   (stages 3b, 3c)
//
// Values are stored only here: reads return what the compressed storage holds. A write is compressed only
// if it covers all lanes with a thread. When few slots are free (spill mode), the caller stops writes and
// moves victims to memory. An evicted register must return before an instruction reads it or writes some of
// its lanes.
//
// Left out: time and traffic, modelled by the caller.
#pragma once
#include "scalar/detector.h"

#include <stddef.h>

enum { SCALAR_REGISTERS_MAX = 256, SCALAR_NONE = -1 };

// Victim policy. A register is spillable if it is stored as a vector and the caller does not need it. The
// victim is the warp's lowest-numbered spillable register with the given property:
enum scalar_spill {
    // use count at most that of the warp's least used odd-numbered vector; without one, any use count
    SPILL_LRU,
    SPILL_RR,   // number above that of the victim chosen last, of whatever warp
    SPILL_FIRST // no further property
};
// If no spillable register of the warp has the policy's property, the victim is the lowest-numbered spillable
// register.

struct scalar_shape {
    struct scalar_rule rule;
    uint32_t warps, registers; // registers: of each warp, at most SCALAR_REGISTERS_MAX
    // slots of the vector register file (VRF); with warps * registers slots or more, the file never spills
    uint32_t vectors;
    uint32_t reserve; // spill mode while fewer slots are free
    enum scalar_spill spill;
    uint32_t count_bits; // width of a use counter, at most 31
    bool keeps_partial;  // extension: a partial write of the values already held keeps the scalar
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
    uint32_t uses[SCALAR_REGISTERS_MAX]; // use counts, from scalar_note_use
    // SCALAR_NONE: no choice so far, or the last choice found no victim (round robin then begins at the lowest
    // register, as in SIMTight's published source)
    int last_victim;
    uint32_t most; // most slots taken at once
    uint64_t spills, unspills;
    uint64_t samples, sampled; // samples: number of samples; sampled: sum of slots taken over samples
};

void scalar_init(struct scalar_regfile *f, const struct scalar_shape *shape); // every register holds 0
void scalar_fini(struct scalar_regfile *f);
void scalar_clear(struct scalar_regfile *f, unsigned warp); // sets the warp's registers to 0

static inline struct scalar_entry *scalar_at(const struct scalar_regfile *f, unsigned warp, unsigned r)
{
    return &f->entries[(size_t)warp * f->shape.registers + r];
}
static inline enum scalar_kind scalar_kind_of(const struct scalar_regfile *f, unsigned warp, unsigned r)
{
    return (enum scalar_kind)scalar_at(f, warp, r)->kind;
}
// Base and stride code of a register stored as a scalar.
static inline struct scalar_form scalar_form_of(const struct scalar_regfile *f, unsigned warp, unsigned r)
{
    const struct scalar_entry *e = scalar_at(f, warp, r);
    return (struct scalar_form){e->word, e->code};
}
static inline uint32_t scalar_vectors(const struct scalar_regfile *f) // vectors in the VRF
{
    return f->shape.vectors - f->free_count;
}

// Expands a register to the words of all lanes. The register must not be evicted.
void scalar_read(const struct scalar_regfile *f, unsigned warp, unsigned r, uint32_t *words);
// Writes lanes `written` of a register; `threads`: lanes of the warp with a live thread. Returns the new
// kind. A partial write, without some lanes of `threads`, requires a register that is not evicted. If the
// register becomes a vector, a slot must be free.
enum scalar_kind scalar_write(struct scalar_regfile *f, unsigned warp, unsigned r, const uint32_t *words,
                              uint64_t written, uint64_t threads);
// Makes the register a scalar of the given form, without the detector: for results of the scalar pipeline.
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
// Counts a use for every distinct source register of an instruction; if a counter is full, halves all
// counters instead. (The hardware counts uses by warp 0 alone; the caller selects the warp.)
void scalar_note_use(struct scalar_regfile *f, const uint8_t *sources, unsigned count);
// Chooses a victim: a register of the warp, stored as a vector and not in the list `needed`. SCALAR_NONE: no
// victim.
int scalar_victim(struct scalar_regfile *f, unsigned warp, const uint8_t *needed, unsigned count);
// Evicts a vector: copies its words to the caller and frees its slot.
void scalar_spill(struct scalar_regfile *f, unsigned warp, unsigned r, uint32_t *words);
// First evicted register in the list; SCALAR_NONE: no register of the list is evicted.
int scalar_first_evicted(const struct scalar_regfile *f, unsigned warp, const uint8_t *registers,
                         unsigned count);
void scalar_unspill(struct scalar_regfile *f, unsigned warp, unsigned r, const uint32_t *words);

// -- books --------------------------------------------------------------------------------------------------
void scalar_sample(struct scalar_regfile *f);
// NULL: kinds of registers, masks of vectors and number of taken slots agree. Otherwise the failed invariant.
const char *scalar_check(const struct scalar_regfile *f);
unsigned scalar_slot_bits(uint64_t vectors); // bits of a VRF slot number
// Storage of the file in bits: the VRF, two copies of the SRF (base, stride, pointer flag), the stack of free
// slots. Agrees with Fig. 8 of the SIMTight paper in whole kilobits.
uint64_t scalar_storage_bits(uint64_t registers, unsigned lanes, uint64_t vectors);
