// One element of a product in whole numbers: the rule as it is written, for every value.
#pragma once
#include "exec/tensor/format.h"

// Adds `count` products and c by the rule; returns bits of format d. fraction: fraction bits of the products'
// significands.
uint32_t tensor_group(const struct tensor_rule *r, const struct tensor_format *d,
                      const struct tensor_value *products, unsigned count, unsigned fraction, uint32_t c);

const struct tensor_rule *tensor_rule_of(const struct tensor_card *card, unsigned type);
// Whether 8-bit floats of the card go through products of f16.
static inline bool tensor_is_emulated(const struct tensor_card *card, unsigned type)
{
    return card->eight_by_half && (type == TYPE_E4M3 || type == TYPE_E5M2);
}
// Where factor k of an emulated product stands: k mod 4 < 2 first.
static inline unsigned tensor_emulated_place(unsigned k, unsigned count)
{
    return k / 4 * 2 + k % 2 + (k % 4 >= 2 ? count / 2 : 0);
}
