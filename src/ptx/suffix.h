// Modifiers of instructions: text to field and value, from suffix.def.
//
// A word can have several meanings (".lo" is half of a product or an unsigned comparison). Taken is the first
// row of suffix.def for the word with a field that some signature of the operation has.
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
    uint16_t value;
};

// Value of a REFUSED word in suffix.def: bits of the instruction classes that have the word.
enum { REFUSED_ARITHMETIC = 1, REFUSED_MEMORY = 2, REFUSED_TEXTURE = 4 };

struct suffix_table {
    struct strmap first; // text to its first row; further meanings follow
};

void suffix_table_init(struct suffix_table *table);
void suffix_table_fini(struct suffix_table *table);
// Finds the meaning of `text` for an instruction with the fields `fields`; NULL: no meaning. *known: some
// instruction has the word.
const struct suffix *suffix_find(const struct suffix_table *table, const char *text, size_t length,
                                 uint64_t fields, bool *known);
// The i-th word of the fields in the set that `context` points to (for str_nearest). NULL past the last.
const char *suffix_name(const void *context, size_t i);
// Text of a field's value, without the dot ("rn"); NULL: no such value.
const char *suffix_text(enum ptx_field field, unsigned value);
