// Claims: the grammar, and the meaning of each order for two numbers.
//
//     claim ::= (category | group of kernels) ["on" gpu] ":" term (order term)+ ["within" number]
//     term  ::= series ["at" category] | number | "paper"
//     order ::= ">" | ">=" | "<" | "<=" | "~", with blanks on both sides, since labels may contain the signs
#include "lab/claim.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *sign, *words;
} orders[] = {[CLAIM_ABOVE] = {" > ", "above"},
              [CLAIM_AT_LEAST] = {" >= ", "at least"},
              [CLAIM_BELOW] = {" < ", "below"},
              [CLAIM_AT_MOST] = {" <= ", "at most"},
              [CLAIM_ABOUT] = {" ~ ", "near"}};
enum { ORDERS = sizeof orders / sizeof orders[0] };

const char *claim_order_words(enum claim_order order) { return orders[order].words; }

bool claim_holds(enum claim_order order, double left, double right, double within)
{
    static const double room = 0.01;
    switch (order) {
    case CLAIM_ABOVE: return left > right;
    case CLAIM_AT_LEAST: return left >= right - room;
    case CLAIM_BELOW: return left < right;
    case CLAIM_AT_MOST: return left <= right + room;
    case CLAIM_ABOUT: return fabs(left - right) <= within;
    }
    return false;
}

// "3%" is 0.03.
static bool claim_number(const char *text, double *value)
{
    size_t length = strlen(text);
    bool percent = length && text[length - 1] == '%';
    char digits[32];
    if (!length || length >= sizeof digits) return false;
    memcpy(digits, text, length + 1);
    if (percent) digits[length - 1] = 0;
    if (!str_to_f64(digits, value) || !isfinite(*value)) return false;
    if (percent) *value /= 100;
    return true;
}

// Cuts the text at the last occurrence of `word`, which has its blanks (" at "). Returns the trimmed text
// behind the word; NULL: no occurrence.
static char *claim_cut(char *text, const char *word)
{
    char *at = NULL;
    for (char *next = text; (next = strstr(next, word)) != NULL; next++) at = next;
    if (!at) return NULL;
    *at = 0;
    return str_trim(at + strlen(word));
}

static void claim_add_term(struct claim *c, char *text)
{
    struct claim_term term = {0};
    text = str_trim(text);
    term.is_paper = str_equal(text, "paper");
    if (!term.is_paper && !claim_number(text, &term.number)) {
        term.category = claim_cut(text, " at ");
        term.series = str_trim(text);
    }
    vec_push(&c->terms, term);
}

// The first sign of an order in the text, and *order, its meaning; NULL: no sign.
static char *claim_sign(char *text, enum claim_order *order)
{
    char *first = NULL;
    for (size_t i = 0; i < ORDERS; i++) {
        char *at = strstr(text, orders[i].sign);
        if (!at || (first && at > first)) continue;
        first = at;
        *order = (enum claim_order)i;
    }
    return first;
}

size_t claim_paper_of(size_t term) { return term ? term - 1 : 1; }

static bool has_papers(const struct claim *c)
{
    for (size_t i = 0; i < c->terms.count; i++)
        if (c->terms.data[i].is_paper && !c->terms.data[claim_paper_of(i)].series) return false;
    return true;
}

bool claim_parse(const char *text, struct arena *arena, struct claim *c, const char **why)
{
    *c = (struct claim){.text = text, .within = 0.05};
    char *rest = arena_strndup(arena, text, strlen(text)), *chain = strchr(rest, ':'), *sign;
    enum claim_order order;
    *why = "a claim is CATEGORY : SERIES > SERIES, with > >= < <= or ~";
    if (!chain) return false;
    *chain++ = 0;
    char *gpu = claim_cut(rest, " on "), *category = str_trim(rest), *within = claim_cut(chain, " within ");
    if (!*category || (gpu && !*gpu)) return false;
    if (within && !claim_number(within, &c->within)) {
        *why = "`within` must be followed by a number, with or without %";
        return false;
    }
    c->gpu = gpu;
    c->category = category;
    while ((sign = claim_sign(chain, &order)) != NULL) {
        *sign = 0;
        claim_add_term(c, chain);
        vec_push(&c->orders, order);
        chain = sign + strlen(orders[order].sign);
    }
    claim_add_term(c, chain);
    if (!c->orders.count) return false;
    *why = "`paper` must follow its series, or precede the first";
    return has_papers(c);
}

void claim_fini(struct claim *c)
{
    vec_fini(&c->terms);
    vec_fini(&c->orders);
}
