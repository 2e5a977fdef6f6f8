// What an experiment expects, in a form that can be held against its values:
//
//     claim = GMEAN-2D on gtx1080ti-paper : DARSIE > DAC-IDEAL > UV
//     claim = all : DARSIE at LIB >= DARSIE
//     claim = GMEAN : LRR ~ two-level within 2%
//     claim = all : DARSIE ~ paper within 2%
//
// Before the colon a category, or a group of kernels for each of them, and a GPU when the claim is of one
// alone; behind it series, or numbers, in an order. `>=` and `<=` leave room of a hundredth; `~` is no
// further apart than `within`. `paper` is the paper's value of the series beside, in the same category.
#pragma once
#include "base/vec.h"

#include <stdbool.h>

enum claim_order { CLAIM_ABOVE, CLAIM_AT_LEAST, CLAIM_BELOW, CLAIM_AT_MOST, CLAIM_ABOUT };

struct claim_term {
    const char *series;   // NULL: the number, or the paper's value
    bool is_paper;        // of the series of the term before, or of the term behind the first
    const char *category; // the series' value there, whatever the claim's; NULL: at the claim's own
    double number;
};

struct claim {
    const char *text;     // as it was written
    const char *category; // NULL: every kernel
    const char *gpu;      // NULL: every one
    double within;
    VEC(struct claim_term) terms;
    VEC(enum claim_order) orders; // [i] stands between terms i and i + 1
};

// On the caller's storage, with texts in the arena. False, and *why says what is wrong.
bool claim_parse(const char *text, struct arena *arena, struct claim *c, const char **why);
void claim_fini(struct claim *c);
size_t claim_paper_of(size_t term); // the term with the series of a term `paper`

bool claim_holds(enum claim_order order, double left, double right, double within);
const char *claim_order_words(enum claim_order order); // "above"
