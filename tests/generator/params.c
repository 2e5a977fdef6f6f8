// The parameters of a generated kernel. A kernel without mixed parameters has eight, in fixed order:
//
//     in 0   out 8   acc 16   n 24   a 28   x 32   y 40   blob 48 to 80
//
// Mixed: the eight stand in any order. Between are one to five extra parameters of every scalar type and of
// arrays of any length, so the parameter block may end at any offset.
#include "generator/params.h"
#include "base/bits.h"
#include "base/hash.h"

#include <assert.h>
#include <string.h>

static const struct param fixed[PARAM_EXTRA] = {
    [PARAM_IN] = {.type = "u64", .name = "in", .bytes = 8, .align = 8},
    [PARAM_OUT] = {.type = "u64", .name = "out", .bytes = 8, .align = 8},
    [PARAM_ACC] = {.type = "u64", .name = "acc", .bytes = 8, .align = 8},
    [PARAM_N] = {.type = "u32", .name = "n", .bytes = 4, .align = 4},
    [PARAM_A] = {.type = "s32", .name = "a", .bytes = 4, .align = 4},
    [PARAM_X] = {.type = "f32", .name = "x", .bytes = 4, .align = 4},
    [PARAM_Y] = {.type = "f64", .name = "y", .bytes = 8, .align = 8},
    [PARAM_BLOB] =
        {.type = "b8", .name = "blob", .bytes = GENERATOR_BLOB_BYTES, .align = 16, .is_array = true},
};

static struct param extra_param(struct rng *r, unsigned number)
{
    static const struct param scalars[] = {
        {.type = "u8", .bytes = 1},  {.type = "s8", .bytes = 1},  {.type = "b8", .bytes = 1},
        {.type = "u16", .bytes = 2}, {.type = "s16", .bytes = 2}, {.type = "b16", .bytes = 2},
        {.type = "u32", .bytes = 4}, {.type = "b32", .bytes = 4}, {.type = "f32", .bytes = 4},
        {.type = "u64", .bytes = 8}, {.type = "b64", .bytes = 8}, {.type = "f64", .bytes = 8}};
    static const char *const names[PARAMS_EXTRA] = {"e0", "e1", "e2", "e3", "e4"};
    struct param p = scalars[rng_below(r, sizeof scalars / sizeof scalars[0])];
    p.align = p.bytes;
    if (rng_below(r, 6) == 0)
        p = (struct param){.type = "b8",
                           .bytes = (uint16_t)(1 + rng_below(r, 19)),
                           .align = (uint16_t)(1u << rng_below(r, 5)),
                           .is_array = true};
    p.role = PARAM_EXTRA;
    p.name = names[number];
    return p;
}

static void shuffle(struct rng *r, struct param_list *list)
{
    for (unsigned k = list->count; k > 1; k--) {
        unsigned other = rng_below(r, k);
        struct param p = list->params[other];
        list->params[other] = list->params[k - 1];
        list->params[k - 1] = p;
    }
}

static void lay_out(struct param_list *list)
{
    for (unsigned k = 0; k < list->count; k++) {
        struct param *p = &list->params[k];
        p->offset = (uint16_t)align_up(list->bytes, p->align);
        list->bytes = p->offset + p->bytes;
    }
    assert(list->bytes <= GENERATOR_PARAMS_MAX);
}

void param_list_make(const struct generated *g, struct param_list *list)
{
    struct rng r;
    *list = (struct param_list){.count = PARAM_EXTRA};
    memcpy(list->params, fixed, sizeof fixed);
    for (unsigned k = 0; k < PARAM_EXTRA; k++) list->params[k].role = (enum param_role)k;
    if (g->mixed) {
        rng_init(&r, hash_u64(g->seed ^ 0x9a7a));
        unsigned extra = 1 + rng_below(&r, PARAMS_EXTRA);
        for (unsigned k = 0; k < extra; k++) list->params[list->count++] = extra_param(&r, k);
        shuffle(&r, list);
    }
    lay_out(list);
}

void param_list_declare(const struct param_list *list, struct strbuf *out)
{
    for (unsigned k = 0; k < list->count; k++) {
        const struct param *p = &list->params[k];
        strbuf_puts(out, k ? ", .param " : ".param ");
        if (p->is_array)
            strbuf_printf(out, ".align %u .%s %s[%u]", p->align, p->type, p->name, p->bytes);
        else
            strbuf_printf(out, ".%s %s", p->type, p->name);
    }
}

// Folds each extra parameter. Of an array: the last byte, and the first word if its address is a multiple
// of four.
void param_list_fold(const struct param_list *list, struct strbuf *body)
{
    strbuf_puts(body, "    mov.u64 %params, 0;\n");
    for (unsigned k = 0; k < list->count; k++) {
        const struct param *p = &list->params[k];
        if (p->role != PARAM_EXTRA) continue;
        if (p->is_array && p->align >= 4 && p->bytes >= 4)
            strbuf_printf(
                body, "    ld.param.u32 %%param, [%s];\n    mad.lo.u64 %%params, %%params, 31, %%param;\n",
                p->name);
        strbuf_printf(body,
                      "    ld.param.%s %%param, [%s+%u];\n    mad.lo.u64 %%params, %%params, 31, %%param;\n",
                      p->is_array ? "u8" : p->type, p->name, p->is_array ? p->bytes - 1u : 0);
    }
}

uint32_t generator_param_bytes(const struct generated *g)
{
    struct param_list list;
    param_list_make(g, &list);
    return list.bytes;
}

void generator_params(const struct generated *g, uint64_t in, uint64_t out, uint64_t acc, uint8_t *params)
{
    struct param_list list;
    struct rng r;
    rng_init(&r, g->seed ^ 0xa465);
    uint32_t threads = g->block[0] * g->block[1] * g->block[2];
    int32_t a = (int32_t)(rng_next(&r) & 7);
    uint32_t x = generator_word(&r);
    double y = (double)rng_next(&r) * 1e-12;
    uint8_t blob[GENERATOR_BLOB_BYTES], other[GENERATOR_PARAMS_MAX];
    for (unsigned k = 0; k < sizeof blob; k += 4) memcpy(blob + k, &(uint32_t){generator_word(&r)}, 4);
    for (unsigned k = 0; k < sizeof other; k++) other[k] = (uint8_t)rng_next(&r);
    const void *values[] = {
        [PARAM_IN] = &in, [PARAM_OUT] = &out, [PARAM_ACC] = &acc,  [PARAM_N] = &threads, [PARAM_A] = &a,
        [PARAM_X] = &x,   [PARAM_Y] = &y,     [PARAM_BLOB] = blob, [PARAM_EXTRA] = other};
    param_list_make(g, &list);
    memset(params, 0, list.bytes);
    for (unsigned k = 0; k < list.count; k++) {
        const struct param *p = &list.params[k];
        memcpy(params + p->offset,
               (const uint8_t *)values[p->role] + (p->role == PARAM_EXTRA ? p->offset : 0), p->bytes);
    }
}
