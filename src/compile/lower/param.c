// .param variables of a function: of the function's signature, and of its calls (PTX ISA 5.1.6, 7.1).
//
// The PTX ABI requires constant offsets into .param variables, so variables of up to LOWER_SPLIT_BYTES are
// kept as words in SSA variables. A struct passed through a call thus costs no memory:
//
//     st.param.b64 [p+8], %rd1;   ▶   p.word2 = lo rd1, p.word3 = hi rd1
//     ld.param.u8 %r1, [p+9];     ▶   r1 = bfe p.word2, 8, 8
//
// Larger variables, and variables with their address taken, lie in the frame. A variable passed by address
// lies in the caller's frame. `struct place` (lower/impl.h) records where a variable lies. A kernel's
// parameters have none: they are in the launch's constant bank.
#include "compile/lower/impl.h"

static uint64_t key_of(const void *p) { return (uint64_t)(uintptr_t)p; }

const struct place *lower_place(const struct lower *l, const struct ptx_variable *v)
{
    uint32_t index;
    return u64map_get(&l->places, key_of(v), &index) ? &l->place_list.data[index] : NULL;
}

// -- finding places -----------------------------------------------------------------------------------------

static void take_address(struct u64map *taken, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_SYMBOL && o->variable->space == PTX_SPACE_PARAM)
        u64map_set(taken, key_of(o->variable), 1);
}

static void find_taken(const struct lower *l, struct u64map *taken)
{
    const struct cut *cut = &l->source->cut;
    for (uint32_t b = 0; b < cut->count; b++) {
        if (!cut->blocks[b].reached) continue;
        for (uint32_t k = cut->blocks[b].first; k < cut->blocks[b].end; k++)
            for (unsigned n = 0; n < l->ptx->insts[k].operand_count; n++)
                take_address(taken, &l->ptx->insts[k].operands[n]);
    }
}

struct place_maker {
    struct lower *l;
    struct u64map taken;
    uint32_t next_variable;
};

static void make_place(struct place_maker *m, const struct ptx_variable *v, bool in_signature)
{
    struct lower *l = m->l;
    uint32_t unused;
    struct place p = {.kind = PLACE_WORDS};
    if (v->space != PTX_SPACE_PARAM || u64map_get(&l->places, key_of(v), &unused)) return;
    uint64_t bytes = v->size_bytes ? v->size_bytes : 8; // an opaque handle
    bool large = bytes > LOWER_SPLIT_BYTES;
    if (large && in_signature) {
        p.kind = PLACE_POINTER;
    } else if (large || u64map_get(&m->taken, key_of(v), &unused)) {
        p.kind = PLACE_FRAME;
        p.frame_offset = lower_frame_alloc(l, align_up(bytes, 4), v->align_bytes < 4 ? 4 : v->align_bytes);
    } else {
        p.words = (uint32_t)(align_up(bytes, 4) / 4);
        p.first_variable = m->next_variable;
        m->next_variable += p.words;
    }
    u64map_set(&l->places, key_of(v), (uint32_t)l->place_list.count);
    vec_push(&l->place_list, p);
}

uint32_t lower_places(struct lower *l, uint32_t first_variable)
{
    struct place_maker m = {.l = l, .next_variable = first_variable};
    const struct ptx_prototype *t = &l->ptx->prototype;
    find_taken(l, &m.taken);
    for (uint32_t k = 0; !l->f->is_kernel && k < t->param_count; k++) make_place(&m, t->params[k], true);
    for (uint32_t k = 0; !l->f->is_kernel && k < t->return_count; k++) make_place(&m, t->returns[k], true);
    for (uint32_t k = 0; k < l->ptx->variable_count; k++) make_place(&m, l->ptx->variables[k], false);
    u64map_fini(&m.taken);
    return m.next_variable;
}

// -- bytes of words -----------------------------------------------------------------------------------------

static struct ir_value *read_word(struct lower *l, const struct place *p, uint64_t index)
{
    if (index >= p->words) return word(l, 0);
    return ssa_read(&l->ssa, p->first_variable + (uint32_t)index);
}

static void write_word(struct lower *l, const struct place *p, uint64_t index, struct ir_value *v)
{
    if (index < p->words) lower_write_variable(l, p->first_variable + (uint32_t)index, v);
}

struct ir_value *lower_words_load(struct lower *l, const struct place *p, uint64_t offset, enum ptx_type type)
{
    unsigned bits = ptx_type_bits(type);
    struct ir_value *v = read_word(l, p, offset / 4);
    if (bits == 64) return lower_pack(l, v, read_word(l, p, offset / 4 + 1));
    if (bits == 32) return v;
    return op3(l, IR_BFE, lower_integer_type(type), v, word(l, (uint32_t)(offset % 4 * 8)), word(l, bits));
}

void lower_words_store(struct lower *l, const struct place *p, uint64_t offset, enum ptx_type type,
                       struct ir_value *v)
{
    unsigned bits = ptx_type_bits(type);
    if (bits < 32) {
        struct ir_value *at = word(l, (uint32_t)(offset % 4 * 8)), *old = read_word(l, p, offset / 4);
        v = op4(l, IR_BFI, TYPE_U32, v, old, at, word(l, bits));
    }
    write_word(l, p, offset / 4, lower_low(l, v));
    if (bits == 64) write_word(l, p, offset / 4 + 1, lower_high(l, v));
}
