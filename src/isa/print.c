// Listings in the manner of NVIDIA's disassembly:
//
//     /*0048*/ @!P0 IMAD.WIDE R2, R0, R3, c[0x0][0x160] ;          // vecadd.cu:12
//
// Operands come in the order of the rows in isa.def. Minimum and maximum print NVIDIA's predicate (PT
// minimum, !PT maximum). Look-up tables and shifts print as numbers in NVIDIA's positions.
#include "base/bits.h"
#include "isa/bank.h"
#include "isa/program.h"
#include "isa/shape.h"
#include "isa/space.h"
#include "isa/sregs.h"
#include "isa/syntax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_register(const struct operand *o, struct strbuf *out)
{
    if (o->reg == REG_ZERO)
        strbuf_puts(out, "RZ");
    else
        strbuf_printf(out, "R%u", o->reg);
}

static void print_predicate(unsigned reg, bool negated, struct strbuf *out)
{
    if (negated) strbuf_putc(out, '!');
    if (reg == PRED_TRUE)
        strbuf_puts(out, "PT");
    else
        strbuf_printf(out, "P%u", reg);
}

// Prints the shortest decimal that reads back as the same value; infinity as +INF or -INF. The caller prints
// NaN as raw bits.
static void print_float(double value, bool is_double, struct strbuf *out)
{
    char text[40];
    int digits = 1;
    if (isinf(value)) {
        strbuf_puts(out, value < 0 ? "-INF" : "+INF");
        return;
    }
    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (is_double ? back == value : (float)back == (float)value) break;
    } while (digits++ < 17);
    strbuf_puts(out, text);
    if (!strpbrk(text, ".e")) strbuf_puts(out, ".0");
}

static void print_immediate(const struct isa_place *place, const struct operand *o, struct strbuf *out)
{
    bool is_double = place->width == WIDTH_2;
    double value = is_double ? f64_from_bits((uint64_t)o->value << 32) : (double)f32_from_bits(o->value);
    if (place->kind == SHAPE_FLOAT && !isnan(value))
        print_float(value, is_double, out);
    else
        strbuf_printf(out, "0x%x", o->value);
}

static void print_offset(uint32_t value, bool alone, struct strbuf *out)
{
    int32_t offset = (int32_t)value;
    if (alone)
        strbuf_printf(out, "0x%x", value);
    else if (offset < 0)
        strbuf_printf(out, "-0x%x", 0u - value);
    else if (offset > 0)
        strbuf_printf(out, "+0x%x", value);
}

static void print_address(const struct operand *o, struct strbuf *out)
{
    strbuf_putc(out, '[');
    if (o->reg != REG_ZERO) print_register(o, out);
    print_offset(o->value, o->reg == REG_ZERO, out);
    strbuf_putc(out, ']');
}

static void print_operand(const struct inst *i, const struct isa_place *place, const struct operand *o,
                          struct strbuf *out)
{
    if (o->kind != OPERAND_PRED && o->flags & OPERAND_NEG) strbuf_putc(out, i->flags & INST_X ? '~' : '-');
    if (o->flags & OPERAND_ABS) strbuf_putc(out, '|');
    switch ((enum operand_kind)o->kind) {
    case OPERAND_NONE: break;
    case OPERAND_REG: print_register(o, out); break;
    case OPERAND_PRED: print_predicate(o->reg, o->flags & OPERAND_NOT, out); break;
    case OPERAND_IMM: print_immediate(place, o, out); break;
    case OPERAND_CONST: strbuf_printf(out, "c[0x%x][0x%x]", o->bank, o->value); break;
    case OPERAND_SREG: strbuf_puts(out, isa_sreg_name((enum isa_sreg)o->reg)); break;
    case OPERAND_MEM:
        if (place->kind == SHAPE_BANK) strbuf_printf(out, "c[0x%x]", i->bank);
        print_address(o, out);
        break;
    case OPERAND_SHARED:
        strbuf_putc(out, 's');
        print_address(o, out);
        break;
    }
    if (o->flags & OPERAND_ABS) strbuf_putc(out, '|');
    if (o->flags & OPERAND_T) strbuf_puts(out, ".T");
    if (o->flags & OPERAND_H0_H0) strbuf_puts(out, ".H0_H0");
    if (o->flags & OPERAND_H1_H1) strbuf_puts(out, place->modifiers & OPERAND_H0_H0 ? ".H1_H1" : ".H1");
}

static void comma(bool *first, struct strbuf *out)
{
    strbuf_puts(out, *first ? " " : ", ");
    *first = false;
}

static void print_label(const struct program *p, uint32_t target, struct strbuf *out)
{
    if (target == NO_TARGET)
        strbuf_puts(out, "nowhere");
    else
        strbuf_printf(out, ".L_%x", program_pc(p, target));
}

static bool has(const struct inst *i, enum isa_modifier m) { return isa_has_modifier((enum isa_op)i->op, m); }

// Prints the instruction's fields that NVIDIA's disassembly places between or after the operands.
static void print_fields(const struct program *p, const struct inst *i, bool *first, struct strbuf *out)
{
    if (i->mode == MODE_MIN || i->mode == MODE_MAX) {
        comma(first, out);
        strbuf_puts(out, i->mode == MODE_MIN ? "PT" : "!PT");
    }
    if (has(i, MODIFIER_LUT)) {
        comma(first, out);
        strbuf_printf(out, "0x%x", i->lut);
    }
    if (has(i, MODIFIER_LUT2)) strbuf_printf(out, ", 0x%x", i->lut2);
    if (has(i, MODIFIER_TABLE)) {
        comma(first, out);
        strbuf_printf(out, "table %u", i->table);
    }
    if (has(i, MODIFIER_TARGET)) {
        comma(first, out);
        print_label(p, i->target, out);
    }
    if (has(i, MODIFIER_JOIN) && i->reconverge != NO_TARGET) {
        strbuf_puts(out, ", join ");
        print_label(p, i->reconverge, out);
    }
}

void program_print_inst(const struct program *p, uint32_t index, struct strbuf *out)
{
    if (p->print_word && p->print_word(p, index, out)) return;
    const struct inst *i = &p->insts[index];
    const struct isa_shape *s = &isa_shapes[i->op];
    bool first = true;
    if (i->guard != PRED_TRUE || i->guard_not) {
        strbuf_putc(out, '@');
        print_predicate(i->guard, i->guard_not, out);
        strbuf_putc(out, ' ');
    }
    strbuf_puts(out, isa_table[i->op].mnemonic);
    EACH_MODIFIER(m, (enum isa_op)i->op)
    {
        const char *text = isa_modifier_text(i, m);
        if (*text) strbuf_printf(out, ".%s", text);
    }
    for (unsigned k = 0; k < 6; k++) {
        const struct operand *o = k < 2 ? &i->dst[k] : &i->src[k - 2];
        if (has(i, MODIFIER_SHIFT) && k == 5) { // the shift stands before the carry
            comma(&first, out);
            strbuf_printf(out, "0x%x", i->shift);
        }
        if (o->kind == OPERAND_NONE) continue;
        comma(&first, out);
        print_operand(i, k < 2 ? &s->dst[k] : &s->src[k - 2], o, out);
    }
    print_fields(p, i, &first, out);
}

static void print_place(const struct program *p, uint32_t line, struct strbuf *out)
{
    const struct program_line *l = &p->line_table[line];
    const char *path = l->file < p->file_count ? p->files[l->file] : "?";
    const char *slash = strrchr(path, '/');
    strbuf_printf(out, "%s:%u", slash ? slash + 1 : path, l->line);
}

// False: a compiler's line 0, code of no line.
static bool has_place(const struct program *p, uint32_t line)
{
    return p->line_table[line].line || p->line_table[line].inlined_at;
}

void program_print_lines(const struct program *p, uint32_t index, struct strbuf *out)
{
    uint32_t set = p->insts[index].lines, places = 0;
    if (!set || set >= p->line_set_count) return;
    const uint32_t *lines = p->line_sets[set].lines, count = p->line_sets[set].count;
    for (uint32_t k = 0; k < count; k++) places += has_place(p, lines[k]);
    size_t start = out->length;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t line = lines[k];
        if (places && !has_place(p, line)) continue;
        if (out->length > start) strbuf_puts(out, ", ");
        print_place(p, line, out);
        // Bounds the chain of inlined calls by the table size: a guard against a cyclic table.
        uint32_t left = p->line_count;
        for (uint32_t at = p->line_table[line].inlined_at; at && at < p->line_count && left; left--) {
            strbuf_puts(out, " (inlined at ");
            print_place(p, at, out);
            strbuf_putc(out, ')');
            at = p->line_table[at].inlined_at;
        }
    }
}

static void print_header(const struct program *p, struct strbuf *out)
{
    strbuf_printf(out, "// %s: %u instructions, %u registers, %u predicates", p->name ? p->name : "?",
                  p->inst_count, p->reg_count, p->pred_count);
    static const char *const profiles[] = {[PROFILE_SASS] = "volta",
                                           [PROFILE_PTXPLUS] = "ptxplus",
                                           [PROFILE_PASCAL] = "pascal",
                                           [PROFILE_RISCV] = "riscv"};
    strbuf_printf(out, ", profile %s\n", profiles[p->profile]);
    strbuf_printf(out, "// %u bytes shared, %u local, %u stack%s, %u parameters\n", p->shared_bytes,
                  p->local_bytes, p->stack_bytes, p->stack_unbounded ? " (unbounded)" : "", p->param_bytes);
    if (p->spill_bytes)
        strbuf_printf(out, "// spills: %u bytes, %u loads, %u stores\n", p->spill_bytes, p->spill_loads,
                      p->spill_stores);
    for (uint32_t s = 0; s < p->symbol_count; s++)
        strbuf_printf(out, "// c[0x%x][0x%x] is the address of %s\n", BANK_ADDRESS, s * 8,
                      p->symbols[s].name);
    for (uint32_t t = 0; t < p->table_count; t++) {
        strbuf_printf(out, "// table %u:", t);
        for (uint32_t k = 0; k < p->tables[t].count; k++)
            strbuf_printf(out, " .L_%x", program_pc(p, p->tables[t].targets[k]));
        strbuf_putc(out, '\n');
    }
}

void program_print(const struct program *p, struct strbuf *out)
{
    enum { LINES_COLUMN = 80 };
    print_header(p, out);
    uint32_t function = 0;
    for (uint32_t k = 0; k < p->inst_count; k++) {
        if (function < p->function_count && p->functions[function].first == k)
            strbuf_printf(out, "%s:\n", p->functions[function++].name);
        size_t start = out->length;
        strbuf_printf(out, "    /*%04x*/ ", program_pc(p, k));
        program_print_inst(p, k, out);
        strbuf_puts(out, " ;");
        size_t mark = out->length;
        strbuf_printf(out, "%*s // ",
                      out->length - start < LINES_COLUMN ? (int)(LINES_COLUMN - (out->length - start)) : 0,
                      "");
        size_t before = out->length;
        program_print_lines(p, k, out);
        if (out->length == before) out->text[out->length = mark] = 0;
        strbuf_putc(out, '\n');
    }
}
