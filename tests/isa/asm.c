// The test assembler. Modifiers are read by trying each value of each modifier that the listing could
// print; optional operands by trying which places of the row give a sound instruction. So the assembler
// contains no code for particular instructions.
#include "isa/asm.h"
#include "isa/sregs.h"
#include "isa/units.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"
#include "isa/shape.h"
#include "isa/syntax.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS_MAX = 16, TOKEN_LENGTH = 64 };

enum fix_kind { FIX_TARGET, FIX_JOIN, FIX_TABLE };

struct fix { // a label's use: by instruction `at`, or by entry `entry` of table `at`
    enum fix_kind kind;
    uint32_t at, entry;
    char label[TOKEN_LENGTH];
    int line;
};

struct assembler {
    struct test *test;
    struct program *p;
    int line;
    bool failed;
    struct strmap labels;
    VEC(struct fix) fixes;
    VEC(struct inst) insts;
    VEC(struct program_symbol) symbols;
    VEC(struct program_function) functions;
    VEC(struct program_table) tables;
    VEC(uint8_t) literals;
};

struct tokens {
    char text[TOKENS_MAX][TOKEN_LENGTH];
    unsigned count;
};

static void fail(struct assembler *a, const char *what, const char *text)
{
    if (!a->failed) test_fail(a->test, "asm", a->line, "line %d: %s: %s", a->line, what, text);
    a->failed = true;
}

static bool ends_word(char c) { return !c || c == '.' || isspace((unsigned char)c); }

// Finds the longest mnemonic at the start of the text ("IMAD.WIDE" before "IMAD").
static const char *read_mnemonic(struct assembler *a, struct inst *i, const char *text)
{
    size_t best = 0;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        size_t length = strlen(isa_table[op].mnemonic);
        if (length > best && !strncmp(text, isa_table[op].mnemonic, length) && ends_word(text[length])) {
            best = length;
            i->op = (uint16_t)op;
        }
    }
    if (!best) fail(a, "unknown mnemonic", text);
    return text + best;
}

static const char *read_modifiers(const char *text, struct inst *i)
{
    EACH_MODIFIER(m, (enum isa_op)i->op)
    {
        struct inst best = *i;
        size_t best_length = 0;
        bool has_default = false;
        for (unsigned v = 0;; v++) {
            struct inst tried = *i;
            if (!isa_modifier_set(&tried, m, v)) break;
            const char *name = isa_modifier_text(&tried, m);
            size_t length = strlen(name);
            if (!length && !best_length && !has_default)
                best = tried, has_default = true; // the value not written
            if (length > best_length && *text == '.' && !strncmp(text + 1, name, length) &&
                ends_word(text[1 + length])) {
                best_length = length;
                best = tried;
            }
        }
        *i = best;
        if (best_length) text += 1 + best_length;
    }
    return text;
}

static unsigned read_register(const char **text)
{
    if (!strncmp(*text, "RZ", 2)) return *text += 2, REG_ZERO;
    char *end;
    unsigned long reg = strtoul(*text + 1, &end, 10);
    *text = end;
    return (unsigned)reg;
}

static void read_address(const char *text, struct operand *o) // behind the '['
{
    o->reg = REG_ZERO;
    if (*text == 'R') o->reg = (uint8_t)read_register(&text);
    if (*text && *text != ']') o->value = (uint32_t)strtoll(text, NULL, 0);
}

static uint32_t read_immediate(const struct inst *i, const char *text)
{
    bool is_double = isa_table[i->op].unit == UNIT_DOUBLE;
    bool is_float = strncmp(text, "0x", 2) && strpbrk(text, ".eIN");
    double value = strstr(text, "INF") ? (*text == '-' ? -INFINITY : INFINITY) : strtod(text, NULL);
    if (is_float && is_double) return (uint32_t)(f64_bits(value) >> 32);
    if (is_float) return f32_bits((float)value);
    return (uint32_t)strtoll(text, NULL, 0);
}

static enum isa_sreg read_sreg(const char *text)
{
    unsigned s = 0;
    while (s < SREG_COUNT && strcmp(isa_sreg_name((enum isa_sreg)s), text)) s++;
    return (enum isa_sreg)s;
}

// Reads an operand as far as its text tells; the place determines the width.
static struct operand read_operand(const struct inst *i, const char *text)
{
    struct operand o = {.kind = OPERAND_IMM, .width = 1};
    if (*text == '-' && (text[1] == 'R' || text[1] == '|' || text[1] == 'c' || text[1] == 's'))
        o.flags |= OPERAND_NEG, text++;
    if (*text == '~') o.flags |= OPERAND_NEG, text++;
    if (*text == '|') o.flags |= OPERAND_ABS, text++;
    if (*text == '!') o.flags |= OPERAND_NOT, text++;
    if (str_ends_with(text, ".T")) o.flags |= OPERAND_T;
    if (strstr(text, ".H0_H0")) o.flags |= OPERAND_H0_H0;
    if (strstr(text, ".H1_H1") || str_ends_with(text, ".H1")) o.flags |= OPERAND_H1_H1;
    if (!strncmp(text, "SR_", 3)) {
        o.kind = OPERAND_SREG;
        o.reg = (uint8_t)read_sreg(text);
    } else if (*text == 'P') {
        o.kind = OPERAND_PRED;
        o.reg = text[1] == 'T' ? PRED_TRUE : (uint8_t)strtoul(text + 1, NULL, 10);
    } else if (*text == 'R') {
        o.kind = OPERAND_REG;
        o.reg = (uint8_t)read_register(&text);
    } else if (*text == 'c') {
        char *end;
        o.bank = (uint8_t)strtoul(text + 2, &end, 0);
        o.kind = isa_shapes[i->op].src[0].kind == SHAPE_BANK ? OPERAND_MEM : OPERAND_CONST;
        read_address(end + 2, &o);
        if (o.kind == OPERAND_CONST) o.reg = 0;
    } else if (*text == '[' || *text == 's') {
        o.kind = *text == '[' ? OPERAND_MEM : OPERAND_SHARED;
        read_address(text + (*text == 's') + 1, &o);
    } else {
        o.value = read_immediate(i, text);
    }
    return o;
}

// Puts the operands into the places of `mask` (bits 0, 1: dst, 2 to 5: src). True if the instruction is
// sound.
static bool try_places(struct inst *i, const struct operand *operands, unsigned mask)
{
    unsigned at = 0;
    for (unsigned k = 0; k < 6; k++) {
        if (!(mask >> k & 1)) continue;
        struct operand o = operands[at++];
        unsigned width = k < 2 ? isa_dst_width(i) : isa_src_width(i, k - 2);
        if (o.kind == OPERAND_REG || o.kind == OPERAND_IMM || o.kind == OPERAND_CONST)
            o.width = (uint8_t)width;
        if (o.kind == OPERAND_MEM) { // the width came with the modifier .E
            o.width = k < 2 || !i->src[k - 2].width ? 1 : i->src[k - 2].width;
            if (isa_shapes[i->op].src[0].kind == SHAPE_BANK) i->bank = o.bank, o.bank = 0;
        }
        *(k < 2 ? &i->dst[k] : &i->src[k - 2]) = o;
    }
    if (isa_table[i->op].flags & ISA_CARRY && mask & 2) i->flags |= INST_CC;
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_NONE) i->src[k].width = 0;
    return !isa_check(i);
}

static unsigned places_of(const struct inst *i)
{
    const struct isa_shape *shape = &isa_shapes[i->op];
    unsigned mask = 0;
    for (unsigned k = 0; k < 6; k++)
        if ((k < 2 ? &shape->dst[k] : &shape->src[k - 2])->kind) mask |= 1u << k;
    return mask;
}

static void add_fix(struct assembler *a, enum fix_kind kind, size_t at, uint32_t entry, const char *label)
{
    struct fix f = {kind, (uint32_t)at, entry, "", a->line};
    strncpy(f.label, label, TOKEN_LENGTH - 1);
    vec_push(&a->fixes, f);
}

static void drop_token(struct tokens *tokens, unsigned at)
{
    tokens->count--;
    memmove(tokens->text[at], tokens->text[at + 1], sizeof tokens->text[0] * (tokens->count - at));
}

// Takes the fields out of the operands: see print_fields and the shift of LEA.
static void read_fields(struct inst *i, struct tokens *tokens)
{
    enum isa_op op = (enum isa_op)i->op;
    char(*last)[TOKEN_LENGTH] = tokens->count ? &tokens->text[tokens->count - 1] : NULL;
    if (!last) return;
    if (isa_mode_fits(op, MODE_MIN)) {
        i->mode = strcmp(*last, "PT") ? MODE_MAX : MODE_MIN;
        drop_token(tokens, tokens->count - 1);
    } else if (isa_has_modifier(op, MODIFIER_LUT2) && tokens->count > 2) {
        i->lut2 = (uint8_t)strtoul(*last, NULL, 0);
        i->lut = (uint8_t)strtoul(last[-1], NULL, 0);
        tokens->count -= 2;
    } else if (isa_has_modifier(op, MODIFIER_LUT)) {
        i->lut = (uint8_t)strtoul(*last, NULL, 0);
        drop_token(tokens, tokens->count - 1);
    } else if (isa_has_modifier(op, MODIFIER_SHIFT) && tokens->count > 1) {
        const struct isa_place *e =
            &isa_shapes[op].src[3]; // the carry, or a register: the shift stands before
        bool is_before_last = i->flags & INST_X || (e->kind >= SHAPE_REG && e->when == WHEN_ALWAYS);
        unsigned at = tokens->count - (is_before_last ? 2 : 1);
        i->shift = (uint8_t)strtoul(tokens->text[at], NULL, 0);
        drop_token(tokens, at);
    } else if (isa_has_modifier(op, MODIFIER_TABLE)) {
        i->table = (uint16_t)strtoul(*last + strlen("table"), NULL, 0);
        drop_token(tokens, tokens->count - 1);
    }
}

static void read_targets(struct assembler *a, struct inst *i, struct tokens *tokens, char target[],
                         char join[])
{
    target[0] = join[0] = 0;
    i->target = i->reconverge = NO_TARGET;
    if (tokens->count && !strncmp(tokens->text[tokens->count - 1], "join ", 5))
        strcpy(join, tokens->text[--tokens->count] + 5);
    if (isa_has_modifier((enum isa_op)i->op, MODIFIER_TARGET)) {
        if (!tokens->count) return fail(a, "no target", "");
        strcpy(target, tokens->text[--tokens->count]);
    }
}

static void split(struct tokens *tokens, const char *text)
{
    tokens->count = 0;
    while (*text && tokens->count < TOKENS_MAX) {
        while (isspace((unsigned char)*text) || *text == ',') text++;
        size_t length = strcspn(text, ",;");
        size_t trimmed = length;
        while (trimmed && isspace((unsigned char)text[trimmed - 1])) trimmed--;
        if (trimmed && trimmed < TOKEN_LENGTH) {
            memcpy(tokens->text[tokens->count], text, trimmed);
            tokens->text[tokens->count++][trimmed] = 0;
        }
        text += length;
        if (*text == ';') break;
    }
}

// Types that the text omits: the only type of a row without a modifier for types.
static void set_sole_types(struct inst *i)
{
    const struct isa_shape *s = &isa_shapes[i->op];
    if (bit_count(s->types) == 1 && !isa_has_modifier((enum isa_op)i->op, MODIFIER_TYPE))
        i->type = (uint8_t)bit_lowest(s->types);
    if (bit_count(s->types2) == 1 && !isa_has_modifier((enum isa_op)i->op, MODIFIER_TYPE2))
        i->type2 = (uint8_t)bit_lowest(s->types2);
}

static void read_inst(struct assembler *a, const char *text)
{
    struct inst i = {.guard = PRED_TRUE};
    struct tokens tokens;
    char target[TOKEN_LENGTH], join[TOKEN_LENGTH];
    const char *whole = text;
    if (*text == '@') {
        i.guard_not = text[1] == '!';
        text += 2 + i.guard_not;
        i.guard = *text == 'T' ? PRED_TRUE : (uint8_t)(*text - '0');
        text++;
        while (isspace((unsigned char)*text)) text++;
    }
    text = read_mnemonic(a, &i, text);
    if (a->failed) return;
    set_sole_types(&i);
    text = read_modifiers(text, &i);
    if (*text && !isspace((unsigned char)*text) && *text != ';') return fail(a, "unknown modifier", text);
    split(&tokens, text);
    read_targets(a, &i, &tokens, target, join);
    read_fields(&i, &tokens);
    struct operand operands[TOKENS_MAX];
    for (unsigned k = 0; k < tokens.count; k++) operands[k] = read_operand(&i, tokens.text[k]);
    unsigned places = places_of(&i);
    struct inst made = i;
    const char *wrong = "operands that fit no form of the instruction";
    for (unsigned mask = 64; mask-- > 0;) {
        if (mask & ~places || bit_count(mask) != tokens.count) continue;
        made = i;
        if (try_places(&made, operands, mask)) {
            if (target[0]) add_fix(a, FIX_TARGET, a->insts.count, 0, target);
            if (join[0]) add_fix(a, FIX_JOIN, a->insts.count, 0, join);
            vec_push(&a->insts, made);
            return;
        }
        wrong = isa_check(&made);
    }
    fail(a, wrong, whole);
}

static bool directive(const char *text, const char *name, const char **rest)
{
    size_t length = strlen(name);
    if (strncmp(text, name, length) || !isspace((unsigned char)text[length])) return false;
    *rest = text + length + 1;
    return true;
}

static void read_literals(struct assembler *a, const char *text)
{
    char *end;
    for (uint32_t word = (uint32_t)strtoul(text, &end, 0); end != text;
         word = (uint32_t)strtoul(text, &end, 0)) {
        for (unsigned k = 0; k < 4; k++) vec_push(&a->literals, (uint8_t)(word >> 8 * k));
        text = end;
    }
}

static void read_table(struct assembler *a, const char *text)
{
    char label[TOKEN_LENGTH];
    int used;
    struct program_table table = {NULL, 0};
    while (isspace((unsigned char)*text) || isdigit((unsigned char)*text))
        text++; // the number equals the table's position
    while (sscanf(text, "%63s%n", label, &used) == 1) {
        add_fix(a, FIX_TABLE, a->tables.count, table.count++, label);
        text += used;
    }
    table.targets = ARENA_ARRAY(&a->p->arena, uint32_t, table.count);
    vec_push(&a->tables, table);
}

static void read_function(struct assembler *a, const char *name)
{
    char *kept = arena_strndup(&a->p->arena, name, strcspn(name, " \t"));
    struct program_function f = {kept, (uint32_t)a->insts.count, 0};
    struct program_symbol s = {SYMBOL_FUNCTION, kept, NULL, a->insts.count};
    vec_push(&a->functions, f);
    vec_push(&a->symbols, s);
    strmap_set(&a->labels, kept, strlen(kept), (uint32_t)a->insts.count);
}

static void read_directive(struct assembler *a, const char *text)
{
    const char *rest;
    struct program *p = a->p;
    if (directive(text, ".params", &rest))
        p->param_bytes = (uint32_t)strtoul(rest, NULL, 0);
    else if (directive(text, ".shared", &rest))
        p->shared_bytes = (uint32_t)strtoul(rest, NULL, 0);
    else if (directive(text, ".local", &rest))
        p->local_bytes = (uint32_t)strtoul(rest, NULL, 0);
    else if (directive(text, ".spills", &rest))
        p->spill_bytes = (uint32_t)strtoul(rest, NULL, 0);
    else if (directive(text, ".stack", &rest))
        p->stack_bytes = (uint32_t)strtoul(rest, NULL, 0);
    else if (directive(text, ".literal", &rest))
        read_literals(a, rest);
    else if (directive(text, ".table", &rest))
        read_table(a, rest);
    else if (directive(text, ".function", &rest))
        read_function(a, rest);
    else
        fail(a, "unknown directive", text);
}

// Reads a line without comment: label, directive or instruction.
static void read_line(struct assembler *a, char *text)
{
    char *comment = strstr(text, "//");
    if (comment) *comment = 0;
    while (isspace((unsigned char)*text)) text++;
    if (!strncmp(text, "/*", 2)) { // the listing's pc
        char *end = strstr(text, "*/");
        text = end ? end + 2 : text;
        while (isspace((unsigned char)*text)) text++;
    }
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
    if (!length) return;
    if (text[length - 1] == ':') {
        char *label = arena_strndup(&a->p->arena, text, length - 1);
        strmap_set(&a->labels, label, length - 1, (uint32_t)a->insts.count);
    } else if (*text == '.') {
        read_directive(a, text);
    } else {
        read_inst(a, text);
    }
}

static uint32_t label_index(struct assembler *a, const struct fix *f)
{
    uint32_t index = 0;
    if (strmap_get(&a->labels, f->label, strlen(f->label), &index)) return index;
    if (!strncmp(f->label, ".L_", 3)) return (uint32_t)strtoul(f->label + 3, NULL, 16) / PC_STEP;
    a->line = f->line;
    fail(a, "unknown label", f->label);
    return 0;
}

static void resolve(struct assembler *a)
{
    for (size_t k = 0; k < a->fixes.count; k++) {
        const struct fix *f = &a->fixes.data[k];
        uint32_t index = label_index(a, f);
        if (f->kind == FIX_TARGET)
            a->insts.data[f->at].target = index;
        else if (f->kind == FIX_JOIN)
            a->insts.data[f->at].reconverge = index;
        else
            ((uint32_t *)(uintptr_t)a->tables.data[f->at].targets)[f->entry] = index;
    }
}

static void count_registers(struct program *p)
{
    p->reg_count = 1;
    for (uint32_t n = 0; n < p->inst_count; n++) {
        const struct inst *i = &p->insts[n];
        if (i->guard < PRED_LIMIT && i->guard >= p->pred_count) p->pred_count = i->guard + 1u;
        for (unsigned k = 0; k < 6; k++) {
            const struct operand *o = k < 2 ? &i->dst[k] : &i->src[k - 2];
            bool has_reg = o->kind == OPERAND_REG || o->kind == OPERAND_MEM || o->kind == OPERAND_SHARED;
            uint32_t end = (uint32_t)o->reg + o->width;
            if (has_reg && o->reg != REG_ZERO && end > p->reg_count) p->reg_count = end;
            if (o->kind == OPERAND_PRED && o->reg < PRED_LIMIT && o->reg >= p->pred_count)
                p->pred_count = o->reg + 1u;
        }
    }
}

#define KEEP(a, vector, place, number)                                                                       \
    do {                                                                                                     \
        (place) = arena_alloc(&(a)->p->arena, sizeof *(place) * (vector)->count + 1);                        \
        if ((vector)->count) memcpy((place), (vector)->data, sizeof *(place) * (vector)->count);             \
        (number) = (uint32_t)(vector)->count;                                                                \
    } while (0)

static void finish(struct assembler *a)
{
    struct program *p = a->p;
    struct program_function kernel = {p->name, 0, (uint32_t)a->insts.count};
    if (a->functions.count) kernel.count = a->functions.data[0].first;
    for (size_t k = 0; k < a->functions.count; k++) {
        size_t end = k + 1 < a->functions.count ? a->functions.data[k + 1].first : a->insts.count;
        a->functions.data[k].count = (uint32_t)end - a->functions.data[k].first;
    }
    p->function_count = (uint32_t)a->functions.count + 1;
    p->functions = ARENA_ARRAY(&p->arena, struct program_function, p->function_count);
    p->functions[0] = kernel;
    for (size_t k = 0; k < a->functions.count; k++) p->functions[k + 1] = a->functions.data[k];
    KEEP(a, &a->insts, p->insts, p->inst_count);
    KEEP(a, &a->symbols, p->symbols, p->symbol_count);
    KEEP(a, &a->tables, p->tables, p->table_count);
    KEEP(a, &a->literals, p->literals, p->literal_bytes);
    count_registers(p);
}

struct program *asm_program(struct test *t, const char *text)
{
    struct assembler a = {.test = t, .p = program_create(), .line = 0};
    a.p->name = "asm";
    a.p->barrier_count = 1;
    while (*text && !a.failed) {
        size_t length = strcspn(text, "\n");
        char *line = arena_strndup(&a.p->arena, text, length);
        a.line++;
        read_line(&a, line);
        text += length + (text[length] == '\n');
    }
    if (!a.failed) resolve(&a);
    if (!a.failed) {
        finish(&a);
        const char *wrong = program_check(a.p);
        if (wrong) fail(&a, "not sound", wrong);
    }
    vec_fini(&a.insts);
    vec_fini(&a.fixes);
    vec_fini(&a.symbols);
    vec_fini(&a.functions);
    vec_fini(&a.tables);
    vec_fini(&a.literals);
    strmap_fini(&a.labels);
    if (!a.failed) return a.p;
    program_free(a.p);
    return NULL;
}
