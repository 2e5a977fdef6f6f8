// The expectations of an experiment, in a checkable form:
//
//     claim = GMEAN-2D on gtx1080ti-paper : DARSIE > DAC-IDEAL > UV
//     claim = all : DARSIE at LIB >= DARSIE
//     claim = GMEAN : LRR ~ two-level within 2%
//     claim = all : DARSIE ~ paper within 2%
//
// Before the colon: a category, or a group of kernels for each of its members, and optionally the only GPU
// concerned. Behind the colon: series or numbers in an order. `>=` and `<=` tolerate a difference of 0.01;
// `~` tolerates `within`, by default 0.05. `paper` is the paper's value of the neighbouring series in the
// same category.
#pragma once
#include "base/vec.h"

#include <stdbool.h>

enum claim_order { CLAIM_ABOVE, CLAIM_AT_LEAST, CLAIM_BELOW, CLAIM_AT_MOST, CLAIM_ABOUT };

struct claim_term {
    const char *series;   // label; NULL: the literal in `number` or, with is_paper, the paper's value
    bool is_paper;        // the paper's value of the series of the previous term (first term: of the next)
    const char *category; // category of this term; NULL: the claim's category
    double number;
};

struct claim {
    const char *text;     // as written
    const char *category; // a category, or a group of kernels
    const char *gpu;      // NULL: every GPU
    double within;
    VEC(struct claim_term) terms;
    VEC(enum claim_order) orders; // [i] stands between terms i and i + 1
};

// Parses a claim into *c, the caller's storage; end with claim_fini. c->text is `text`, other texts are
// copied into the arena. False: a syntax error, described by *why.
bool claim_parse(const char *text, struct arena *arena, struct claim *c, const char **why);
void claim_fini(struct claim *c);
// index of the term whose series is meant by the term `paper` at index `term`
size_t claim_paper_of(size_t term);

bool claim_holds(enum claim_order order, double left, double right, double within);
const char *claim_order_words(enum claim_order order); // "above"
