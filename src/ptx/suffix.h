// Modifiers of instructions: text to field and value, from suffix.def.
//
// One word can mean several things (".lo" is half of a product or an unsigned comparison); the instruction's
// signature says which fields it has, and the first meaning that fits is taken.
#pragma once
#include "base/hash.h"
#include "ptx/ptx.h"

enum ptx_field {
#define FIELD(name) FIELD_##name,
#include "ptx/suffix.def"
#undef FIELD
    FIELD_COUNT
};
_Static_assert(FIELD_COUNT <= 64, "fields are kept as bits of a 64-bit set");

#define F(name) (1ull << FIELD_##name)

struct suffix {
    const char *text;
    enum ptx_field field;
    uint8_t value;
};

// Which instructions know a word of REFUSED.
enum { REFUSED_ARITHMETIC = 1, REFUSED_MEMORY = 2, REFUSED_TEXTURE = 4, REFUSED_BARRIER = 8 };

struct suffix_table {
    struct strmap first; // text to the first row with that text; further meanings follow it
};

void suffix_table_init(struct suffix_table *table);
void suffix_table_fini(struct suffix_table *table);
// The meaning of `text` for an instruction with these fields. `*known` is false when no instruction has such
// a word.
const struct suffix *suffix_find(const struct suffix_table *table, const char *text, size_t length,
                                 uint64_t fields, bool *known);
// The i-th word of the fields in the set that `context` points to (for str_nearest).
const char *suffix_name(const void *context, size_t i);
// The text of a field's value, without the dot ("rn"); NULL for none.
const char *suffix_text(enum ptx_field field, unsigned value);
