// The rule of a generation, with the keys of a GPU's file in place of single numbers.
#include "chip/values.h"

static void set(uint8_t *to, uint32_t key)
{
    if (key) *to = (uint8_t)key;
}

bool chip_tensor_card(const struct chip_config *c, struct tensor_card *card)
{
    if (c->tensor_values == TENSOR_VALUES_TARGET) return false;
    *card = tensor_cards[c->tensor_values - TENSOR_VALUES_TARGET - 1];
    // A file may give times to types that the generation lacks. Their values are of the first generation with the type.
    if (!card->tf32.length) card->tf32 = tensor_cards[TENSOR_AMPERE].tf32;
    if (!card->eight.length) card->eight = tensor_cards[TENSOR_ADA].eight;
    set(&card->half.length, c->half_length);
    set(&card->half.align, c->half_align);
    set(&card->half.cut, c->half_cut);
    set(&card->tf32.length, c->tf32_length);
    set(&card->tf32.align, c->tf32_align);
    set(&card->tf32.cut, c->tf32_cut);
    set(&card->eight.length, c->fp8_length);
    set(&card->eight.align, c->fp8_align);
    set(&card->eight.cut, c->fp8_cut);
    return true;
}
