// The parameters of a generated kernel (params.c).
#pragma once
#include "base/rng.h"
#include "generator/generator.h"

enum param_role {
    PARAM_IN,
    PARAM_OUT,
    PARAM_ACC,
    PARAM_N,
    PARAM_A,
    PARAM_X,
    PARAM_Y,
    PARAM_BLOB,
    PARAM_EXTRA // folded into a stored value, read nowhere else
};

enum { PARAMS_EXTRA = 5 };

struct param {
    const char *type, *name; // type without the leading dot
    uint16_t bytes, align, offset;
    enum param_role role;
    bool is_array; // of bytes
};

struct param_list {
    struct param params[PARAM_EXTRA + PARAMS_EXTRA];
    unsigned count;
    uint32_t bytes; // of the whole block
};

void param_list_make(const struct generated *g, struct param_list *list); // from g->seed and g->mixed alone
void param_list_declare(const struct param_list *list, struct strbuf *out);
// Writes instructions that sum the extra parameters in %params; the kernel declares %param and %params,
// .b64.
void param_list_fold(const struct param_list *list, struct strbuf *body);

uint32_t generator_word(struct rng *r); // a value of the input: special, small, a float near 1, or any
