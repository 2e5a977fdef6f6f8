// Loads, stores, prefetches and asynchronous copies (PTX ISA 9.7.9.8 to 9.7.9.15, 9.7.9.25).
//
// Vector elements of 8 and 16 bits are accessed together, as words or as one half-word; an access of 256 bits
// is two accesses of 128 bits.
#include "compile/lower/impl.h"
#include "isa/bank.h"
#include "isa/inst.h"
#include "isa/space.h"

// -- properties of an access --------------------------------------------------------------------------------

static enum isa_sem semantics(enum ptx_sem sem)
{
    static const uint8_t sems[] = {
        [PTX_SEM_NONE] = SEM_WEAK,       [PTX_SEM_WEAK] = SEM_WEAK,       [PTX_SEM_VOLATILE] = SEM_VOLATILE,
        [PTX_SEM_RELAXED] = SEM_RELAXED, [PTX_SEM_ACQUIRE] = SEM_ACQUIRE, [PTX_SEM_RELEASE] = SEM_RELEASE,
        [PTX_SEM_ACQ_REL] = SEM_ACQ_REL, [PTX_SEM_SC] = SEM_SC,           [PTX_SEM_MMIO] = SEM_RELAXED,
    };
    return (enum isa_sem)sems[sem];
}

enum isa_scope lower_scope(enum ptx_scope scope, enum isa_scope otherwise)
{
    switch (scope) {
    case PTX_SCOPE_CTA:
    case PTX_SCOPE_CLUSTER: return SCOPE_CTA; // a cluster is one block
    case PTX_SCOPE_GPU: return SCOPE_GPU;
    case PTX_SCOPE_SYS: return SCOPE_SYS;
    case PTX_SCOPE_NONE: break;
    }
    return otherwise;
}

void lower_order(struct lower *l, struct ir_inst *i)
{
    enum ptx_sem sem = l->inst->sem;
    bool whole_system = sem == PTX_SEM_VOLATILE || sem == PTX_SEM_MMIO;
    i->sem = (uint8_t)semantics(sem);
    i->scope = (uint8_t)lower_scope(l->inst->scope, whole_system ? SCOPE_SYS : SCOPE_CTA);
}

void lower_place_access(struct ir_inst *i, const struct address *a)
{
    i->space = (uint8_t)a->space;
    i->offset = a->offset;
    if (a->space == SPACE_CONST) i->bank = (uint8_t)a->bank;
}

static void describe(struct lower *l, struct ir_inst *i, const struct address *a)
{
    lower_place_access(i, a);
    lower_order(l, i);
    i->cache = (uint8_t)(CACHE_DEFAULT + (l->inst->cache - PTX_CACHE_NONE));
    if (l->inst->non_coherent || l->inst->op == PTX_OP_LDU) i->flags |= INST_NC;
}
_Static_assert((int)CACHE_WT - CACHE_DEFAULT == (int)PTX_CACHE_WT - PTX_CACHE_NONE,
               "cache operators stand in the same order in PTX and in the machine");

// Shape of a PTX access: each of `instructions` machine instructions accesses `count` values of `type`, and
// each value holds `per` PTX elements.
struct shape {
    enum isa_type type;
    uint32_t count, per, instructions;
};

static struct shape shape_of(enum ptx_type type, uint32_t elements)
{
    uint32_t bits = ptx_type_bits(type);
    struct shape s = {.count = 1, .per = 1, .instructions = 1};
    if (bits < 32 && elements == 1) {
        bool is_signed = ptx_type_is_signed(type);
        s.type = bits == 8 ? (is_signed ? TYPE_S8 : TYPE_U8) : is_signed ? TYPE_S16 : TYPE_U16;
        return s;
    }
    uint32_t total = bits * elements, unit = bits == 64 ? 64 : total < 32 ? total : 32;
    s.type = unit == 64 ? TYPE_B64 : unit == 32 ? TYPE_B32 : TYPE_U16;
    s.per = unit / bits;
    s.instructions = total > 128 ? total / 128 : 1;
    s.count = total / unit / s.instructions;
    return s;
}

static const struct ptx_operand *element(const struct ptx_operand *o, unsigned k)
{
    return o->kind == PTX_OPERAND_VECTOR ? &o->elements[k] : o;
}

static unsigned element_count(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_VECTOR ? o->count : 1;
}

// -- loads --------------------------------------------------------------------------------------------------

// A constant place in a bank as an operand, without a load. Parts of a word are extracted.
static struct ir_value *bank_value(struct lower *l, enum isa_bank bank, uint32_t offset, enum ptx_type type)
{
    unsigned bits = ptx_type_bits(type);
    if (bits == 64 && offset % 8) {
        struct ir_value *low = bank_value(l, bank, offset, PTX_U32);
        return lower_pack(l, low, bank_value(l, bank, offset + 4, PTX_U32));
    }
    bool is_wide = bits == 64;
    struct ir_value *v =
        lower_make(l, IR_BANK, is_wide ? TYPE_U64 : TYPE_U32, is_wide ? IR_CLASS_64 : IR_CLASS_32, 0, NULL);
    v->def->bank = (uint8_t)bank;
    v->def->offset = is_wide ? offset : offset & ~3u;
    if (bits >= 32) return v;
    return op3(l, IR_BFE, lower_integer_type(type), v, word(l, offset % 4 * 8), word(l, bits));
}

// Writes a loaded value to a register of up to 64 bits. A value of 32 bits (shorter ones are extended to 32
// already) is widened here for a 64-bit register.
static void write_loaded(struct lower *l, const struct ptx_operand *d, enum ptx_type type, struct ir_value *v)
{
    if (lower_register_bits(l, d) == 64 && v->class == IR_CLASS_32) v = lower_to_wide(l, type, v);
    lower_write_operand(l, d, v);
}

static void load_words(struct lower *l, const struct address *a, const struct ptx_operand *d,
                       enum ptx_type type)
{
    for (unsigned k = 0; k < element_count(d); k++) {
        uint64_t offset = (uint64_t)a->offset + k * (ptx_type_bits(type) / 8);
        write_loaded(l, element(d, k), type, lower_words_load(l, a->words, offset, type));
    }
}

// Whether `count` elements at the address can be constant operands. *offset: byte offset of the first element
// in the bank. Other elements are loaded; the load reports a misaligned address, or an address past the end
// of the parameters.
static bool in_bank(const struct lower *l, const struct address *a, enum ptx_type type, unsigned count,
                    uint64_t *offset)
{
    if (a->space != SPACE_CONST || !ir_constant_bits(a->base, offset)) return false;
    uint64_t bytes = ptx_type_bits(type) / 8, end = *offset + count * align_up(bytes, 4);
    if (a->bank == BANK_LAUNCH && end > BANK_LAUNCH_PARAMS + align_up(l->ptx->prototype.param_bytes, 8))
        return false;
    return *offset % (bytes == 8 ? 4 : bytes) == 0;
}

static void load_bank(struct lower *l, enum isa_bank bank, uint64_t offset, const struct ptx_operand *d,
                      enum ptx_type type)
{
    struct ir_value *values[8];
    for (unsigned k = 0; k < element_count(d); k++)
        values[k] = bank_value(l, bank, (uint32_t)offset + k * (ptx_type_bits(type) / 8), type);
    for (unsigned k = 0; k < element_count(d); k++) write_loaded(l, element(d, k), type, values[k]);
}

// Writes the elements loaded by instruction i to the registers in d, from number `first` on. Under a guard,
// the load itself merges a whole value with the old value; an extracted or widened value is merged
// afterwards.
static void write_elements(struct lower *l, struct ir_inst *i, const struct shape *s, unsigned first,
                           const struct ptx_operand *d, enum ptx_type type)
{
    for (unsigned k = 0; k < s->count * s->per; k++) {
        const struct ptx_operand *e = element(d, first + k);
        struct ir_value *v = i->defs[k / s->per];
        unsigned bits = ptx_type_bits(type);
        bool widened = lower_register_bits(l, e) == 64 && v->class == IR_CLASS_32;
        if (s->per > 1)
            v = op3(l, IR_BFE, lower_integer_type(type), v, word(l, k % s->per * bits), word(l, bits));
        else if (!widened) {
            lower_write_def(l, e, i, k);
            continue;
        }
        write_loaded(l, e, type, v);
    }
}

void lower_load_elements(struct lower *l, struct address a, const struct ptx_operand *d, enum ptx_type type)
{
    struct shape s = shape_of(type, element_count(d));
    enum ir_class class = ir_class_of_type(s.type), classes[] = {class, class, class, class};
    struct ir_inst *made[2];
    // both loads of a 256-bit access precede the writes, since a destination may be the address register
    for (unsigned n = 0; n < s.instructions; n++, a.offset += 16) {
        made[n] = lower_effect(l, IR_LOAD, s.type, s.count, classes, 1, &a.base);
        describe(l, made[n], &a);
    }
    for (unsigned n = 0; n < s.instructions; n++)
        write_elements(l, made[n], &s, n * s.count * s.per, d, type);
}

static void load_b128(struct lower *l, const struct address *a, const struct ptx_operand *d)
{
    if (a->words) {
        uint64_t offset = (uint64_t)a->offset;
        struct ir_value *low = lower_words_load(l, a->words, offset, PTX_B64);
        lower_write_b128(l, d,
                         (struct ir_value *[]){low, lower_words_load(l, a->words, offset + 8, PTX_B64)});
        return;
    }
    static const enum ir_class classes[] = {IR_CLASS_64, IR_CLASS_64};
    struct ir_inst *i = lower_effect(l, IR_LOAD, TYPE_B64, 2, classes, 1, (struct ir_value *[]){a->base});
    describe(l, i, a);
    lower_write_b128(l, d, i->defs);
}

void lower_ld(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    const struct ptx_operand *d = &l->inst->operands[0];
    struct address a = lower_address(l, &l->inst->operands[1], l->inst->space);
    uint64_t offset;
    if (type == PTX_B128)
        load_b128(l, &a, d);
    else if (a.words)
        load_words(l, &a, d, type);
    else if (in_bank(l, &a, type, element_count(d), &offset))
        load_bank(l, a.bank, offset, d, type);
    else
        lower_load_elements(l, a, d, type);
}

struct ir_value *lower_load_value(struct lower *l, const struct address *a, enum ptx_type type)
{
    uint64_t offset;
    if (a->words) return lower_words_load(l, a->words, (uint64_t)a->offset, type);
    if (in_bank(l, a, type, 1, &offset)) return bank_value(l, a->bank, (uint32_t)offset, type);
    struct shape s = shape_of(type, 1);
    enum ir_class class = ir_class_of_type(s.type);
    struct ir_inst *i = lower_effect(l, IR_LOAD, s.type, 1, &class, 1, (struct ir_value *[]){a->base});
    lower_place_access(i, a);
    return i->defs[0];
}

void lower_store_value(struct lower *l, const struct address *a, enum ptx_type type, struct ir_value *v)
{
    if (a->words) {
        lower_words_store(l, a->words, (uint64_t)a->offset, type, v);
        return;
    }
    struct ir_value *uses[] = {a->base, v};
    lower_place_access(lower_effect(l, IR_STORE, shape_of(type, 1).type, 0, NULL, 2, uses), a);
}

// -- stores -------------------------------------------------------------------------------------------------

static void store_words(struct lower *l, const struct address *a, const struct ptx_operand *s,
                        enum ptx_type type)
{
    for (unsigned k = 0; k < element_count(s); k++) {
        uint64_t offset = (uint64_t)a->offset + k * (ptx_type_bits(type) / 8);
        lower_words_store(l, a->words, offset, type, lower_read_operand(l, element(s, k), type));
    }
}

// Value to store: `per` elements of operand s, from element `first` on, packed into one value.
static struct ir_value *gather(struct lower *l, const struct ptx_operand *s, enum ptx_type type,
                               unsigned first, unsigned per)
{
    if (per == 1) return lower_read_operand(l, element(s, first), type);
    const struct ptx_operand part = {
        .kind = PTX_OPERAND_VECTOR, .count = (uint8_t)per, .elements = &s->elements[first]};
    return lower_read_operand(l, &part, ptx_type_bits(type) * per == 32 ? PTX_B32 : PTX_B16);
}

void lower_store_elements(struct lower *l, struct address a, const struct ptx_operand *s, enum ptx_type type)
{
    struct shape shape = shape_of(type, element_count(s));
    for (unsigned n = 0; n < shape.instructions; n++, a.offset += 16) {
        struct ir_value *uses[5] = {a.base};
        for (unsigned k = 0; k < shape.count; k++)
            uses[1 + k] = gather(l, s, type, (n * shape.count + k) * shape.per, shape.per);
        describe(l, lower_effect(l, IR_STORE, shape.type, 0, NULL, 1 + shape.count, uses), &a);
    }
}

static void store_b128(struct lower *l, const struct address *a, const struct ptx_operand *s)
{
    struct ir_value *uses[3] = {a->base};
    lower_read_b128(l, s, &uses[1]);
    if (!a->words) {
        describe(l, lower_effect(l, IR_STORE, TYPE_B64, 0, NULL, 3, uses), a);
        return;
    }
    for (unsigned k = 0; k < 2; k++)
        lower_words_store(l, a->words, (uint64_t)a->offset + 8 * k, PTX_B64, uses[1 + k]);
}

void lower_st(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    const struct ptx_operand *s = &l->inst->operands[1];
    struct address a = lower_address(l, &l->inst->operands[0], l->inst->space);
    if (type == PTX_B128)
        store_b128(l, &a, s);
    else if (a.words)
        store_words(l, &a, s, type);
    else
        lower_store_elements(l, a, s, type);
    if (l->inst->bulk) lower_complete(l, 2, ptx_type_bits(type) / 8 * element_count(s));
}

// -- prefetch, asynchronous copy ----------------------------------------------------------------------------

void lower_prefetch(struct lower *l)
{
    struct address a = lower_address(l, &l->inst->operands[0], l->inst->space);
    if (a.words || a.space == SPACE_CONST || l->inst->bulk) return;
    lower_place_access(lower_effect(l, IR_PREFETCH, TYPE_NONE, 0, NULL, 1, &a.base), &a);
}

// createpolicy: a hint; every policy is 0.
void lower_createpolicy(struct lower *l) { lower_write(l, 0, wide(l, 0)); }

void lower_nothing(struct lower *l) { (void)l; } // hints and markers that change no state

// Bytes read of the source: the operand src-size, or with the predicate ignore-src none.
static struct ir_value *source_size(struct lower *l, uint32_t bytes)
{
    const struct ptx_operand *o = &l->inst->operands[3];
    bool ignores = o->kind == PTX_OPERAND_REG && lower_register_bits(l, o) == 1;
    if (!ignores) return lower_read(l, 3, PTX_U32);
    return lower_select(l, lower_read(l, 3, PTX_PRED), word(l, 0), word(l, bytes));
}

static void copy_async(struct lower *l)
{
    const struct ptx_inst *p = l->inst;
    struct address to = lower_address(l, &p->operands[0], PTX_SPACE_SHARED);
    struct address from = lower_address(l, &p->operands[1], PTX_SPACE_GLOBAL);
    uint64_t bytes = p->operands[2].imm;
    enum isa_type type = bytes == 16 ? TYPE_B128 : bytes == 8 ? TYPE_B64 : TYPE_B32;
    struct ir_value *uses[3] = {to.base, from.base};
    if (p->zfill) uses[2] = source_size(l, (uint32_t)bytes);
    struct ir_inst *i = lower_effect(l, IR_CPASYNC, type, 0, NULL, p->zfill ? 3 : 2, uses);
    i->space = SPACE_SHARED;
    i->offset = to.offset;
    i->offset2 = from.offset;
    i->cache = p->cache == PTX_CACHE_CG ? CACHE_CG : CACHE_CA;
}

void lower_cp(struct lower *l)
{
    enum ptx_mode mode = l->inst->mode;
    if (l->inst->bulk) {
        lower_bulk(l);
        return;
    }
    if (mode == PTX_MODE_CP_ASYNC) {
        copy_async(l);
        return;
    }
    if (mode == PTX_MODE_CP_ARRIVE) {
        lower_copy_arrive(l);
        return;
    }
    if (mode != PTX_MODE_CP_WAIT_GROUP) lower_effect(l, IR_CPCOMMIT, TYPE_NONE, 0, NULL, 0, NULL);
    if (mode == PTX_MODE_CP_COMMIT_GROUP) return;
    struct ir_inst *wait = lower_effect(l, IR_CPWAIT, TYPE_NONE, 0, NULL, 0, NULL);
    if (mode == PTX_MODE_CP_WAIT_GROUP) wait->offset = (int64_t)l->inst->operands[0].imm;
}
