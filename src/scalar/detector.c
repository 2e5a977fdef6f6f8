// The first two lanes examined give the only possible stride: the difference of their words, divided by their
// distance. A single lane examined has stride 0. Every lane examined is then compared with base + lane *
// stride. If all lanes are examined, the comparison takes one pass without branches.
#include "scalar/detector.h"

#include <assert.h>

// Code of the stride if the words of two lanes, `distance` lanes apart, differ by `difference`. SCALAR_CODES:
// no stride fits.
static unsigned code_of(uint32_t difference, unsigned distance)
{
    unsigned code = 0;
    while (code < SCALAR_CODES && difference != distance * scalar_stride(code)) code++;
    return code;
}

static inline __attribute__((always_inline)) uint32_t differences(struct scalar_form form, unsigned lanes,
                                                                  const uint32_t *words)
{
    uint32_t stride = scalar_stride(form.code), different = 0;
    for (uint32_t n = 0; n < lanes; n++) different |= words[n] ^ (form.base + n * stride);
    return different;
}

static bool is_all_of(struct scalar_form form, unsigned lanes, const uint32_t *words, uint64_t among)
{
    if (among == bit_mask(lanes))
        return !(lanes == 32 ? differences(form, 32, words) : differences(form, lanes, words));
    while (among && words[bit_lowest(among)] == scalar_word(form, bit_lowest(among))) among &= among - 1;
    return !among;
}

enum scalar_kind scalar_detect(const struct scalar_rule *rule, const uint32_t *words, uint64_t among,
                               struct scalar_form *form)
{
    assert(among && !(among & ~bit_mask(rule->lanes)));
    unsigned first = bit_lowest(among), code = 0;
    uint64_t others = among & (among - 1);
    if (others) code = code_of(words[bit_lowest(others)] - words[first], bit_lowest(others) - first);
    if (code == SCALAR_CODES || !(rule->strides >> code & 1)) return SCALAR_VECTOR;
    struct scalar_form found = {words[first] - first * scalar_stride(code), (uint8_t)code};
    if (!scalar_may_begin_at(rule, found.base, code) || !is_all_of(found, rule->lanes, words, among))
        return SCALAR_VECTOR;
    *form = found;
    return code ? SCALAR_AFFINE : SCALAR_UNIFORM;
}

void scalar_expand(struct scalar_form form, unsigned lanes, uint32_t *words)
{
    uint32_t stride = scalar_stride(form.code);
    for (uint32_t n = 0; n < lanes; n++) words[n] = form.base + n * stride;
}
