// Arithmetic over names and numbers, as users write it: `l2.misses / (instructions + 1)`.
//
//   sum     = product { ("+" | "-") product }
//   product = factor { ("*" | "/") factor }
//   factor  = NUMBER | NAME | "(" sum ")" | "-" factor
//
// A NAME begins with a letter, and has letters, digits, "_" and ".". The module knows no names: callers walk
// the tree, or pass the values of names.
#pragma once
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum expression_op {
    EXPRESSION_NUMBER,
    EXPRESSION_NAME,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_NEGATE // of `left`
};

struct expression {
    enum expression_op op;
    const char *text; // NUMBER and NAME: as written
    const struct expression *left, *right;
};

// Parses the whole text into the arena. NULL: *why is a static text, and *at the place of the fault.
const struct expression *expression_parse(const char *text, struct arena *arena, const char **why,
                                          size_t *at);
// Integer value, with quotients rounded towards zero. value_of gives the value of a name. False: *why is a
// static text (division by zero, a number with a point, overflow, an unknown name).
bool expression_integer(const struct expression *e,
                        bool (*value_of)(void *context, const char *name, int64_t *value), void *context,
                        int64_t *value, const char **why);
