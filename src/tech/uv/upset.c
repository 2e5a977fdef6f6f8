// Injected bit flips in the state of UV: results of lanes, registers or their copies, entries
// (sm/mech/upset.h).
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "tech/uv/uv.h"

static bool pass(struct uv *v, unsigned place, struct upset_site *s, struct upset_hit *hit)
{
    const struct upsets *u = v->launch->upsets;
    const struct warp *w = v->warps[place].warp;
    s->sm = tech_index(v->grid);
    s->block = w->cta->linear;
    s->warp = w->index;
    return u->pass(u->context, s, hit);
}

static void turned(struct uv *v, const struct upset_site *s, struct upset_flip f)
{
    v->launch->upsets->turned(v->launch->upsets->context, s, &f);
}

// -- lanes' results -----------------------------------------------------------------------------------------

static unsigned result_predicates(const struct inst *i, uint8_t predicates[2])
{
    unsigned n = 0;
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE) predicates[n++] = (uint8_t)k;
    return n;
}

static uint64_t nth_lane(uint64_t lanes, uint64_t n)
{
    while (n--) lanes &= lanes - 1;
    return bit_lowest(lanes);
}

static bool pass_lanes(struct uv *v, unsigned place, uint32_t index, struct upset_site *s,
                       struct upset_hit *hit)
{
    *s = (struct upset_site){.place = UPSET_LANE,
                             .index = index,
                             .from = tech_now(v->grid),
                             .count = uv_coverage_lanes(v, &v->launch->ops[index])};
    return s->count && pass(v, place, s, hit);
}

// If an injected flip is due: flips a bit of one lane's result. An instruction on one lane (or two) computes
// for all lanes: the flip hits the computing lane.
void uv_upset_lanes(struct uv *v, unsigned place, uint32_t index)
{
    const struct op *o = &v->launch->ops[index];
    const struct inst *i = &v->launch->program->insts[index];
    struct upset_site s;
    struct upset_hit hit;
    uint8_t predicates[2] = {0};
    if (!v->launch->upsets || !pass_lanes(v, place, index, &s, &hit)) return;
    struct upset_flip f = {.cycle = s.from, .what = "nothing"};
    uint32_t lane = (uint32_t)nth_lane(v->executing, hit.nth), words = 32u * o->dst_words;
    uint32_t bits = words + result_predicates(i, predicates), bit = upset_draw(&hit, bits);
    if (v->converted) {
        struct uv_pair pair = uv_pair(v, place);
        lane = v->launch->options.protect && hit.nth & 1 ? pair.second : pair.first;
    }
    if (bit < words) {
        f = (struct upset_flip){s.from, "result register", o->dst + bit / 32, lane, bit % 32};
        uv_lanes(v, place, f.number)[lane] ^= 1u << f.bit;
    } else if (bits) {
        unsigned p = i->dst[predicates[bit - words]].reg;
        f = (struct upset_flip){s.from, "result predicate", p, lane, 0};
        v->warps[place].warp->pred[p] ^= 1ull << lane;
    }
    turned(v, &s, f);
}

// -- entries ------------------------------------------------------------------------------------------------

static void turn_result(struct entry *e, uint32_t words, uint32_t bit, const uint8_t predicates[2])
{
    if (bit < words)
        e->result[bit / 32] ^= 1u << bit % 32;
    else
        e->preds ^= (uint8_t)(1u << predicates[bit - words]);
}

// If an injected flip is due: flips a bit of a reused result, in the entry. An entry holds the result (a word for each
// register, a bit for each predicate) once for all lanes, so the flip reaches every lane.
void uv_upset_reused(struct uv *v, unsigned place, uint32_t index, struct entry *e)
{
    struct upset_site s;
    struct upset_hit hit;
    uint8_t predicates[2] = {0};
    if (!v->launch->upsets || !pass_lanes(v, place, index, &s, &hit)) return;
    uint32_t words = 32u * v->launch->ops[index].dst_words;
    uint32_t bits = words + result_predicates(&v->launch->program->insts[index], predicates);
    struct upset_flip f = {.cycle = s.from,
                           .what = "result from entry",
                           .number = (uint32_t)(e - v->entries),
                           .lane = (uint32_t)nth_lane(v->executing, hit.nth),
                           .bit = upset_draw(&hit, bits)};
    turn_result(e, words, f.bit, predicates);
    turned(v, &s, f);
}

// If an injected flip is due: flips a bit of the words compared or taken at a lookup, not of the tag.
void uv_upset_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e, uint64_t from,
                    uint64_t cycles)
{
    struct upset_site s = {.place = UPSET_ENTRY, .index = index, .from = from, .count = cycles};
    struct upset_hit hit;
    uint8_t predicates[2] = {0};
    if (!v->launch->upsets || !pass(v, place, &s, &hit)) return;
    uint32_t key = 32u * e->key.count, words = 32u * v->launch->ops[e->inst].dst_words;
    uint32_t bits = key + words + result_predicates(&v->launch->program->insts[e->inst], predicates);
    struct upset_flip f = {.cycle = from + hit.nth,
                           .what = "operand in entry",
                           .number = (uint32_t)(e - v->entries),
                           .bit = upset_draw(&hit, bits)};
    if (f.bit < key) {
        e->key.words[f.bit / 32] ^= 1u << f.bit % 32;
    } else {
        f.what = "result in entry";
        turn_result(e, words, f.bit - key, predicates);
    }
    turned(v, &s, f);
}

// -- registers ----------------------------------------------------------------------------------------------

// If an injected flip is due: flips a bit of register r. A uniform value is stored once, or with protect=on
// twice, and one of the copies is hit. Other values are stored in the lanes.
void uv_upset_register(struct uv *v, unsigned place, uint32_t index, unsigned r, uint64_t from,
                       uint64_t cycles)
{
    struct upset_site s = {.place = UPSET_REGISTER, .index = index, .from = from, .count = cycles};
    struct upset_hit hit;
    if (!v->launch->upsets || !pass(v, place, &s, &hit)) return;
    struct upset_flip f = {.cycle = from + hit.nth, .what = "register", .number = r};
    f.bit = upset_draw(&hit, 32);
    if (uv_keeps(v) && uv_has_token(&v->warps[place].tokens, r)) {
        unsigned copy = v->launch->options.protect ? upset_draw(&hit, 2) : 0;
        f.what = copy ? "second copy of register" : "one value of register";
        *uv_store_copy(v, place, r, copy) ^= 1u << f.bit;
    } else {
        f.lane = upset_draw(&hit, tech_launch(v->grid)->launch->warp_size);
        uv_lanes(v, place, r)[f.lane] ^= 1u << f.bit;
    }
    turned(v, &s, f);
}
