// The reuse buffer: results by instruction and by source values.
//
//   entry   partial PC │ opcode, modifiers │ values of all sources │ result │ ready from
//           └── found by ┘└───────── compared ─────────────────────┘
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "isa/sregs.h"
#include "tech/uv/uv.h"

#include <string.h>

static void add_word(struct key *k, uint32_t word) { k->words[k->count++] = word; }

static void add_source(struct uv *v, struct key *key, unsigned place, uint32_t index, unsigned k)
{
    const struct warp *w = v->warps[place].warp;
    const struct operand *o = &v->launch->program->insts[index].src[k];
    uint64_t value = w->exec->general[index].value[k];
    bool whole_key = v->launch->options.rules == UV_SOUND;
    switch ((enum operand_kind)o->kind) {
    case OPERAND_REG:
        for (unsigned n = 0; n < operand_words(o); n++)
            add_word(key, o->reg == REG_ZERO ? 0 : uv_value(v, place, o->reg + n));
        break;
    case OPERAND_PRED: add_word(key, (w->pred[o->reg] & uv_live(w)) != 0); break;
    case OPERAND_IMM:
    case OPERAND_CONST:
        if (!whole_key && o->kind == OPERAND_IMM) break;
        add_word(key, (uint32_t)value);
        add_word(key, (uint32_t)(value >> 32));
        break;
    // Block indices are part of the key (rules=sound). Other uniform special registers are equal for all
    // blocks on an SM.
    case OPERAND_SREG:
        if (whole_key && o->reg >= SREG_CTAID_X && o->reg <= SREG_CTAID_Z)
            add_word(key, w->cta->id[o->reg - SREG_CTAID_X]);
        break;
    case OPERAND_NONE:
    case OPERAND_MEM:
    case OPERAND_SHARED: break;
    }
}

static bool same_operand(const struct operand *a, const struct operand *b)
{
    bool special = a->kind == OPERAND_SREG && a->reg != b->reg;
    return a->kind == b->kind && a->flags == b->flags && a->width == b->width && !special;
}

// Whether both instructions compute the same function of the key's words, with the same kinds of results.
// rules=paper: whether opcode and kinds of results are the same.
static bool same_operation(const struct inst *a, const struct inst *b, bool whole_key)
{
    bool same = a->op == b->op;
    for (unsigned k = 0; k < 2; k++)
        same &= a->dst[k].kind == b->dst[k].kind && a->dst[k].width == b->dst[k].width;
    if (!whole_key) return same;
    for (unsigned k = 0; k < 4; k++) same &= same_operand(&a->src[k], &b->src[k]);
    return same && a->type == b->type && a->type2 == b->type2 && a->cmp == b->cmp && a->mode == b->mode &&
           a->boolean == b->boolean && a->round == b->round && a->lut == b->lut && a->lut2 == b->lut2 &&
           a->shift == b->shift && a->flags == b->flags;
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->count == b->count && memcmp(a->words, b->words, a->count * sizeof a->words[0]) == 0;
}

void uv_set_key(struct uv *v, unsigned place, uint32_t index)
{
    v->key.count = 0;
    for (unsigned k = 0; k < 4; k++) add_source(v, &v->key, place, index, k);
}

static struct entry *set_of(struct uv *v, uint32_t index, uint32_t *ways)
{
    const struct uv_options *o = &v->launch->options;
    *ways = o->ways && o->ways < o->entries ? o->ways : o->entries;
    return v->entries + index % (o->entries / *ways) * *ways;
}

static bool is_alike(const struct uv *v, uint32_t a, uint32_t b)
{
    const struct inst *insts = v->launch->program->insts;
    return a == b || same_operation(&insts[a], &insts[b], v->launch->options.rules == UV_SOUND);
}

static struct entry *find(struct uv *v, uint32_t index)
{
    uint32_t ways, tag = (uint32_t)bit_mask(v->launch->options.tag_bits);
    struct entry *set = set_of(v, index, &ways);
    for (struct entry *e = set; e < set + ways; e++)
        if (e->used && !((e->inst ^ index) & tag) && is_alike(v, e->inst, index)) return e;
    return NULL;
}

struct entry *uv_make_entry(struct uv *v, uint32_t index)
{
    uint32_t ways;
    struct entry *set = set_of(v, index, &ways), *victim = v->own;
    for (uint32_t k = 0; k < ways && !victim; k++)
        if (!set[k].used) victim = &set[k];
    if (!victim) {
        victim = set;
        for (uint32_t k = 1; k < ways; k++)
            if (set[k].last_used < victim->last_used) victim = &set[k];
        v->counters[COUNT_replaced]++;
    }
    *victim = (struct entry){.used = true, .inst = index, .ready = UINT64_MAX, .last_used = ++v->serial};
    return victim;
}

static bool take_port(struct uv *v)
{
    uint64_t cycle = tech_now(v->grid) + 1;
    if (v->port_cycle != cycle) {
        v->port_cycle = cycle;
        v->ports_left = v->launch->options.ports;
    }
    if (!v->ports_left) return false;
    v->ports_left--;
    return true;
}

struct entry *uv_look_up(struct uv *v, unsigned place, uint32_t index)
{
    v->own = find(v, index);
    if (!take_port(v)) {
        v->counters[COUNT_port_misses]++;
        return NULL;
    }
    struct entry *e = v->own;
    if (e && v->lives) uv_coverage_entry(v, place, index, e);
    if (e && !uv_is_sound(v, e)) e = NULL; // to be filled again
    bool same = e && same_key(&e->key, &v->key);
    bool there = e && (e->ready <= tech_now(v->grid) || v->launch->options.valid == UV_FROM_ISSUE);
    v->counters[COUNT_lookups]++;
    v->known = same;
    if (!e)
        v->counters[COUNT_no_entry]++;
    else if (!same)
        v->counters[COUNT_other_values]++;
    else if (!there)
        v->counters[COUNT_pending]++;
    return same && there ? e : NULL;
}
