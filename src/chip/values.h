// The rule of matrix products from the keys of a GPU (tensor.*).
#pragma once
#include "chip/config.h"
#include "exec/tensor/card.h"

// Fills in *card. False: tensor.values is target, and the code's .target decides.
bool chip_tensor_card(const struct chip_config *c, struct tensor_card *card);
