// Errors found by checks (Xiang 2.4.4). The checks compare real values: two lanes' results before one is
// written to all lanes; two copies at every read of the value, and their parity; an entry's parity at every lookup.
// Differences are counted. Execution continues with the first of the two values, or with the one of the right
// parity; an entry is filled again.
#include "base/bits.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "tech/uv/uv.h"

void uv_found(struct uv *v)
{
    const struct upsets *u = v->launch->upsets;
    v->counters[COUNT_detected]++;
    if (u) u->found(u->context, tech_now(v->grid));
}

// -- lanes --------------------------------------------------------------------------------------------------

// Lane N, or the first live lane if lane N has ended, and the next live lane.
struct uv_pair uv_pair(const struct uv *v, unsigned place)
{
    uint64_t live = uv_live(v->warps[place].warp);
    unsigned n = v->warps[place].lane, first = live >> n & 1 ? n : bit_lowest(live);
    uint64_t behind = live & ~bit_mask(first + 1);
    return (struct uv_pair){first, bit_lowest(behind ? behind : live)};
}

// Gives the value of predicate p in the pair's first lane to all live lanes. protect=on: a different value in
// the second lane is an error found. The lanes differ only after a bit flip.
static void take_predicate(struct uv *v, unsigned place, unsigned p, struct uv_pair pair)
{
    struct warp *w = v->warps[place].warp;
    bool value = w->pred[p] >> pair.first & 1;
    if (v->launch->options.protect && value != (w->pred[p] >> pair.second & 1)) uv_found(v);
    w->pred[p] = (w->pred[p] & ~uv_live(w)) | (value ? uv_live(w) : 0);
}

void uv_check_lanes(struct uv *v, unsigned place, uint32_t index)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    struct uv_pair pair = uv_pair(v, place);
    for (unsigned n = 0; n < o->dst_words; n++) {
        const uint32_t *lanes = uv_lanes(v, place, o->dst + n);
        uint32_t word = lanes[pair.first];
        if (v->launch->options.protect && word != lanes[pair.second]) uv_found(v);
        uv_store_fill(v, place, o->dst + n, word);
    }
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE)
            take_predicate(v, place, i->dst[k].reg, pair);
}

// -- values -------------------------------------------------------------------------------------------------

uint32_t uv_checked_value(struct uv *v, unsigned place, unsigned r)
{
    const struct uv_options *o = &v->launch->options;
    uint32_t *first = uv_store_copy(v, place, r, 0),
             *second = o->protect ? uv_store_copy(v, place, r, 1) : first;
    bool parity = v->warps[place].parities[r / 64] >> r % 64 & 1;
    bool first_fails = o->value_parity && (bit_count(*first) & 1) != parity,
         second_fails = o->value_parity && (bit_count(*second) & 1) != parity;
    if (*first == *second && !first_fails) return *first;
    uv_found(v);
    if (first_fails != second_fails) {
        v->counters[COUNT_corrected]++;
        *(first_fails ? first : second) = *(first_fails ? second : first);
    }
    return *first;
}

// -- entries ------------------------------------------------------------------------------------------------

bool uv_parity(const struct entry *e)
{
    uint32_t all = e->preds;
    for (unsigned k = 0; k < e->key.count; k++) all ^= e->key.words[k];
    for (unsigned k = 0; k < 4; k++) all ^= e->result[k];
    return bit_count(all) & 1;
}

bool uv_is_sound(struct uv *v, const struct entry *e)
{
    bool sound = !v->launch->options.parity || uv_parity(e) == e->parity;
    if (!sound) uv_found(v);
    return sound;
}
