// Instructions that can be reused, and their operations. An operation is everything of an instruction but its guard
// and the numbers of its registers: opcode, modifiers, immediates, constants, widths, and which operands are RZ.
// Operations are numbered once a launch, so instructions of different places of the program share entries.
#include "base/hash.h"
#include "isa/fields.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/wir/wir.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 24 + 2 * 3 + 4 * 6 };

struct text { // an operation in words
    unsigned count;
    uint32_t words[WORDS];
};

static void add(struct text *x, uint32_t word) { x->words[x->count++] = word; }

static bool names_registers(const struct operand *o)
{
    return o->kind == OPERAND_REG || o->kind == OPERAND_MEM;
}

static void describe(const struct inst *i, struct text *x)
{
    const uint32_t fields[] = {i->op,   i->type,  i->type2, i->cmp,   i->boolean, i->round,
                               i->mode, i->space, i->cache, i->sem,   i->scope,   i->lut,
                               i->lut2, i->shift, i->bank,  i->flags, i->shape,   i->type3};
    x->count = 0;
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) add(x, fields[k]);
    for (unsigned k = 0; k < 2; k++) {
        add(x, i->dst[k].kind);
        add(x, i->dst[k].width);
        add(x, i->dst[k].reg == REG_ZERO);
    }
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        add(x, o->kind);
        add(x, names_registers(o) ? o->reg == REG_ZERO : o->reg);
        add(x, o->width);
        add(x, o->flags);
        add(x, o->bank);
        add(x, o->value);
    }
}

// Source registers in the order of the operands; false: more than an entry names, or a source that is no register,
// immediate or constant.
static bool list_sources(const struct inst *i, struct wir_plan *p)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (o->kind == OPERAND_PRED || o->kind == OPERAND_SREG || o->kind == OPERAND_SHARED) return false;
        if (!names_registers(o) || o->reg == REG_ZERO) continue;
        if (p->count + operand_words(o) > WIR_SOURCES) return false;
        for (unsigned n = 0; n < operand_words(o); n++) p->sources[p->count++] = (uint8_t)(o->reg + n);
    }
    return true;
}

static enum wir_kind kind_of(const struct wir_options *options, const struct inst *i, const struct op *o)
{
    bool fits = o->dst_words && o->dst_words <= WIR_RESULTS && !o->pred_writes;
    bool is_weak = i->sem == SEM_WEAK && options->loads != WIR_LOADS_OFF;
    if (!fits) return WIR_EXECUTES;
    if (o->path == PATH_ALU && isa_has(i, ISA_PURE)) return WIR_COMPUTES;
    if (o->path == PATH_MEMORY && is_weak && i->op == OP_LDG) return WIR_GLOBAL;
    if (o->path == PATH_MEMORY && is_weak && i->op == OP_LDS) return WIR_SHARED;
    return WIR_EXECUTES;
}

// Whether another warp's write may be seen by later loads: the instruction writes memory, or orders the warp behind
// others. Also whatever has effects not known here.
static bool ends_loads(const struct inst *i, const struct op *o)
{
    bool orders = isa_has(i, ISA_FENCE | ISA_BARRIER) || o->path == PATH_FENCE || o->path == PATH_COPIES;
    bool writes = isa_has(i, ISA_STORE | ISA_ATOMIC) || (isa_has(i, ISA_LOAD) && i->sem != SEM_WEAK);
    return orders || writes || (isa_has(i, ISA_SIDE_EFFECT) && i->op != OP_SSY && i->op != OP_SYNC);
}

static bool keeps_memory_order(const struct inst *i)
{
    bool is_store = isa_has(i, ISA_STORE) && !isa_has(i, ISA_ATOMIC);
    return !is_store && !isa_has(i, ISA_BARRIER);
}

// A hash table over the operations seen so far: number + 1, and the first instruction of each.
struct numbering {
    uint32_t *slots, *first;
    uint32_t mask, count;
};

static uint32_t number_of(struct numbering *n, const struct program *p, uint32_t index)
{
    struct text own, other;
    describe(&p->insts[index], &own);
    uint64_t at = hash_bytes(own.words, own.count * sizeof own.words[0], 0);
    for (;; at++) {
        uint32_t *slot = &n->slots[at & n->mask];
        if (!*slot) {
            n->first[n->count] = index;
            *slot = ++n->count;
            return *slot - 1;
        }
        describe(&p->insts[n->first[*slot - 1]], &other);
        if (memcmp(own.words, other.words, own.count * sizeof own.words[0]) == 0) return *slot - 1;
    }
}

struct wir_plan *wir_plans(const struct wir_launch *l)
{
    const struct program *p = l->program;
    struct wir_plan *plans = heap_alloc((p->inst_count + 1) * sizeof *plans);
    struct numbering n = {.mask = 63};
    while (n.mask < 2 * p->inst_count) n.mask = 2 * n.mask + 1;
    n.slots = heap_alloc(((size_t)n.mask + 1) * sizeof *n.slots);
    n.first = heap_alloc((p->inst_count + 1) * sizeof *n.first);
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        const struct op *o = &l->ops[k];
        struct wir_plan *x = &plans[k];
        x->kind = (uint8_t)kind_of(l->options, i, o);
        if (x->kind != WIR_EXECUTES && !list_sources(i, x)) x->kind = WIR_EXECUTES;
        if (x->kind != WIR_EXECUTES) x->operation = number_of(&n, p, k);
        x->is_late = o->path != PATH_ALU && (!isa_has(i, ISA_LOAD) || isa_has(i, ISA_ATOMIC));
        x->ends_loads = ends_loads(i, o);
        x->is_ordering = x->ends_loads && keeps_memory_order(i);
        x->is_read_only = i->op == OP_LDG && i->flags & INST_NC;
    }
    free(n.slots);
    free(n.first);
    return plans;
}
