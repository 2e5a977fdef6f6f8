// The intermediate representation as text, for people and golden files:
//
//     kernel vecadd
//     block0:
//       v3:32 = sreg sr_tid.x                           ; vecadd.cu:4
//       v4:64 = madwide.s32 v3, 4, v1
//       v5:32 = load.f32.global [v4 + 16] @!p7 old v2
//       branch p6, block1, block2
//
// Values print as v (p for predicates) and a number; the definition adds the class, except for predicates.
// Constants print as numbers, hexadecimal from 1024 on, and predicate constants as true and false.
#include "compile/ir/ir.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/sregs.h"

#include <ctype.h>
#include <inttypes.h>

static void put_lower(struct strbuf *out, const char *text)
{
    for (; *text; text++) strbuf_putc(out, (char)tolower((unsigned char)*text));
}

static const char *class_name(enum ir_class class)
{
    static const char *const names[] = {"32", "64", "128", "p"};
    return names[class];
}

static void put_value(struct strbuf *out, const struct ir_value *v)
{
    if (!v) {
        strbuf_puts(out, "?");
    } else if (v->is_constant && v->class == IR_CLASS_PRED) {
        strbuf_puts(out, v->bits ? "true" : "false");
    } else if (v->is_constant) {
        strbuf_printf(out, v->bits < 1024 ? "%" PRIu64 : "0x%" PRIx64, v->bits);
    } else {
        strbuf_printf(out, "%c%u", v->class == IR_CLASS_PRED ? 'p' : 'v', v->id);
    }
}

static void put_suffix(struct strbuf *out, const char *text)
{
    strbuf_putc(out, '.');
    put_lower(out, text);
}

static const char *word(const char *const *names, unsigned count, unsigned index)
{
    return index < count ? names[index] : "?";
}
#define WORD(names, index) word(names, sizeof(names) / sizeof(names)[0], index)

static void put_modifiers(struct strbuf *out, const struct ir_inst *i)
{
    static const char *const rounds[] = {"rn", "rz", "rm", "rp", "rna"};
    static const char *const spaces[] = {"generic", "global", "shared", "local", "const"};
    static const char *const caches[] = {"default", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};
    static const char *const sems[] = {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"};
    static const char *const scopes[] = {"cta", "gpu", "sys"};
    static const char *const flags[] = {"ftz",    "sat",          "cc",      "x",    "hi", "sx", "ex",
                                        "wrap",   "nan",          "xorsign", "relu", "bf", "nc", "uniform",
                                        "scalar", "vector_return"};
    bool memory =
        i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_ATOM || i->op == IR_RED || i->op == IR_PREFETCH;
    if (i->mode) put_suffix(out, isa_mode_name(i->mode));
    if (i->op == IR_SETP) put_suffix(out, isa_cmp_name(i->cmp));
    if (i->type) put_suffix(out, isa_type_name(i->type));
    if (i->type2) put_suffix(out, isa_type_name(i->type2));
    if (i->round) put_suffix(out, WORD(rounds, i->round));
    if (memory) put_suffix(out, WORD(spaces, i->space));
    if (i->cache) put_suffix(out, WORD(caches, i->cache));
    if (i->sem) put_suffix(out, WORD(sems, i->sem));
    if (i->scope) put_suffix(out, WORD(scopes, i->scope));
    if (i->boolean) strbuf_printf(out, ".bool%u", i->boolean);
    for (unsigned k = 0; k < 16; k++)
        if (i->flags >> k & 1) put_suffix(out, flags[k]);
    if (i->op == IR_LOP3) strbuf_printf(out, ".0x%02x", i->lut);
}

static void put_address(struct strbuf *out, const struct ir_value *base, int64_t offset)
{
    strbuf_putc(out, '[');
    put_value(out, base);
    if (offset)
        strbuf_printf(out, " %c %" PRIu64, offset < 0 ? '-' : '+',
                      offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset);
    strbuf_putc(out, ']');
}

static void put_phi(struct strbuf *out, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->use_count; k++) {
        strbuf_puts(out, k ? ", " : " ");
        if (i->block && k < i->block->pred_count) strbuf_printf(out, "block%u: ", i->block->preds[k]->id);
        put_value(out, i->uses[k].value);
    }
}

static void put_operands(struct strbuf *out, const struct ir_inst *i)
{
    switch ((int)i->op) {
    case IR_PHI: put_phi(out, i); return;
    case IR_BANK: strbuf_printf(out, " c[%u][0x%" PRIx64 "]", i->bank, (uint64_t)i->offset); return;
    case IR_SREG: strbuf_putc(out, ' '), put_lower(out, isa_sreg_name((enum isa_sreg)i->offset)); return;
    case IR_SYMBOL: strbuf_printf(out, " symbol%" PRId64, i->offset); return;
    case IR_FRAME:
    case IR_CPWAIT:
    case IR_BULKWAIT: strbuf_printf(out, " %" PRId64, i->offset); return;
    }
    uint32_t k = 0;
    if (i->callee) strbuf_printf(out, " %s", i->callee->name);
    bool addressed =
        (ir_table[i->op].flags & (IR_READ | IR_WRITE) && i->op != IR_TEX) || i->op == IR_PREFETCH;
    if (addressed && i->use_count) {
        strbuf_putc(out, ' ');
        put_address(out, i->uses[0].value, i->offset);
        k = 1;
        if (i->op == IR_CPASYNC && i->use_count > 1) {
            strbuf_puts(out, ", ");
            put_address(out, i->uses[1].value, i->offset2);
            k = 2;
        }
    }
    for (; k < i->use_count; k++) {
        strbuf_puts(out, k || i->callee ? ", " : " ");
        put_value(out, i->uses[k].value);
    }
}

// What a fetch or a surface address has beside its operands.
static void put_fetch(struct strbuf *out, const struct ir_inst *i)
{
    if (i->op == IR_SUADDR) strbuf_printf(out, "%s %" PRId64 " bytes", i->bank ? " clamped" : "", i->offset);
    if (i->op != IR_TEX) return;
    if (i->offset == FETCH_LEVEL) strbuf_puts(out, " level");
    if (i->offset == FETCH_GRADIENT) strbuf_puts(out, " gradients");
    if (i->offset == FETCH_GATHER) strbuf_printf(out, " gather %u", i->bank);
}

static void put_targets(struct strbuf *out, const struct ir_inst *i)
{
    if (!(ir_table[i->op].flags & IR_END) || !i->block || i->block->last != i) return;
    for (uint32_t k = 0; k < i->block->succ_count; k++)
        strbuf_printf(out, "%sblock%u", k || i->use_count ? ", " : " ", i->block->succs[k]->id);
}

static void put_guard(struct strbuf *out, const struct ir_inst *i)
{
    if (!i->guard.value) return;
    strbuf_printf(out, " @%s", i->guard_not ? "!" : "");
    put_value(out, i->guard.value);
    for (uint32_t k = 0; i->old && k < i->def_count; k++) {
        strbuf_puts(out, k ? ", " : " old ");
        put_value(out, i->old[k].value);
    }
}

static void put_lines(struct strbuf *out, const struct ir_inst *i, size_t start)
{
    const struct program *p = i->function->unit->program;
    if (!i->lines || i->lines >= p->line_set_count) return;
    while (out->length - start < 48) strbuf_putc(out, ' ');
    const struct program_line_set *s = &p->line_sets[i->lines];
    for (uint32_t k = 0; k < s->count; k++) {
        const struct program_line *l = &p->line_table[s->lines[k]];
        strbuf_printf(out, "%s%s:%u", k ? ", " : " ; ", l->file < p->file_count ? p->files[l->file] : "?",
                      l->line);
    }
}

void ir_print_inst(const struct ir_inst *i, struct strbuf *out)
{
    size_t start = out->length;
    strbuf_puts(out, "  ");
    for (uint32_t k = 0; k < i->def_count; k++) {
        if (k) strbuf_puts(out, ", ");
        put_value(out, i->defs[k]);
        if (i->defs[k] && i->defs[k]->class != IR_CLASS_PRED)
            strbuf_printf(out, ":%s", class_name(i->defs[k]->class));
    }
    if (i->def_count) strbuf_puts(out, " = ");
    strbuf_puts(out, ir_table[i->op].name);
    put_modifiers(out, i);
    put_operands(out, i);
    put_targets(out, i);
    put_fetch(out, i);
    put_guard(out, i);
    put_lines(out, i, start);
    strbuf_putc(out, '\n');
}

void ir_print(const struct ir_function *f, struct strbuf *out)
{
    strbuf_printf(out, "%s %s", f->is_kernel ? "kernel" : "function", f->name);
    for (uint32_t k = 0; k < f->param_count; k++) {
        strbuf_puts(out, k ? ", " : " ");
        put_value(out, f->params[k]);
        if (f->params[k]->class != IR_CLASS_PRED) strbuf_printf(out, ":%s", class_name(f->params[k]->class));
    }
    strbuf_putc(out, '\n');
    for (const struct ir_block *b = f->first_block; b; b = b->next) {
        strbuf_printf(out, "block%u:", b->id);
        for (uint32_t k = 0; k < b->pred_count; k++)
            strbuf_printf(out, "%sblock%u", k ? ", " : " ; from ", b->preds[k]->id);
        strbuf_putc(out, '\n');
        for (const struct ir_inst *i = b->first; i; i = i->next) ir_print_inst(i, out);
    }
}
