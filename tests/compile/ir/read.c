// Three passes over the lines: instructions, results and blocks; edges and classes of results; operands.
#include "compile/ir/read.h"
#include "isa/modes.h"
#include "isa/space.h"
#include "isa/sregs.h"

#include "compile/ir/build.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct ir_unit *u;
    struct ir_function *f;
    struct strmap values, blocks; // name -> index
    VEC(struct ir_value *) value_list;
    VEC(struct ir_block *) block_list;
    const char *line, *at, *error;
};

static bool fail(struct reader *r, const char *what)
{
    if (!r->error) {
        int length = (int)strcspn(r->line, "\n");
        r->error = arena_printf(&r->u->arena, "%s in \"%.*s\"", what, length, r->line);
    }
    return false;
}

// -- words --------------------------------------------------------------------------------------------------

static void skip(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool eat(struct reader *r, const char *text)
{
    skip(r);
    size_t n = strlen(text);
    if (strncmp(r->at, text, n)) return false;
    r->at += n;
    return true;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') n++;
    return n;
}

static const char *word(struct reader *r)
{
    skip(r);
    size_t n = word_length(r->at);
    const char *text = arena_strndup(&r->u->arena, r->at, n);
    r->at += n;
    return text;
}

static bool at_end(struct reader *r)
{
    skip(r);
    return !*r->at || *r->at == '\n' || *r->at == ';';
}

static bool number(struct reader *r, int64_t *value)
{
    skip(r);
    char *end;
    uint64_t magnitude = strtoull(r->at + (*r->at == '-'), &end, 0);
    if (end == r->at + (*r->at == '-')) return fail(r, "a number was expected");
    *value = *r->at == '-' ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    r->at = end;
    return true;
}

static bool same_word(const char *text, size_t length, const char *name) // case aside
{
    if (strlen(name) != length) return false;
    for (size_t k = 0; k < length; k++)
        if (tolower((unsigned char)text[k]) != tolower((unsigned char)name[k])) return false;
    return true;
}

// -- names --------------------------------------------------------------------------------------------------

static void define(struct reader *r, const char *name, struct ir_value *v)
{
    strmap_set(&r->values, name, strlen(name), (uint32_t)r->value_list.count);
    vec_push(&r->value_list, v);
}

static enum ir_class class_suffix(struct reader *r)
{
    if (eat(r, ":32")) return IR_CLASS_32;
    if (eat(r, ":64")) return IR_CLASS_64;
    if (eat(r, ":128")) return IR_CLASS_128;
    return IR_CLASS_PRED;
}

static struct ir_block *block(struct reader *r, const char *name)
{
    uint32_t index;
    if (strmap_get(&r->blocks, name, strlen(name), &index)) return r->block_list.data[index];
    fail(r, "unknown block");
    return NULL;
}

static struct ir_value *value(struct reader *r, enum ir_class class)
{
    skip(r);
    if (isdigit((unsigned char)*r->at) || *r->at == '-') {
        int64_t bits;
        return number(r, &bits) ? ir_constant(r->f, class, (uint64_t)bits) : NULL;
    }
    const char *name = word(r);
    uint32_t index;
    if (!strcmp(name, "true") || !strcmp(name, "false"))
        return ir_constant(r->f, IR_CLASS_PRED, name[0] == 't');
    if (strmap_get(&r->values, name, strlen(name), &index)) return r->value_list.data[index];
    fail(r, "unknown value");
    return NULL;
}

// -- operations and modifiers ------------------------------------------------------------------------------

static bool lookup(const char *text, size_t length, const char *const *names, unsigned count, uint8_t *out)
{
    for (unsigned k = 0; k < count; k++) {
        if (!same_word(text, length, names[k])) continue;
        *out = (uint8_t)k;
        return true;
    }
    return false;
}

static bool mode_of(struct ir_inst *i, const char *text, size_t length)
{
    static const struct {
        enum ir_op op;
        enum isa_mode first, last;
    } ranges[] = {{IR_PRMT, MODE_PRMT_F4E, MODE_PRMT_RC16},   {IR_FUNNEL, MODE_SHF_L, MODE_SHF_R},
                  {IR_FLO, MODE_FLO_SH, MODE_FLO_SH},         {IR_DOT, MODE_IDP_4A, MODE_IDP_4A},
                  {IR_MUFU, MODE_MUFU_RCP, MODE_MUFU_RSQ64H}, {IR_ATOM, MODE_ATOM_ADD, MODE_ATOM_ARRIVE},
                  {IR_RED, MODE_ATOM_ADD, MODE_ATOM_ARRIVE},  {IR_SHFL, MODE_SHFL_UP, MODE_SHFL_IDX},
                  {IR_VOTE, MODE_VOTE_ALL, MODE_VOTE_UNI},    {IR_BAR, MODE_BAR_SYNC, MODE_BAR_RED}};
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++)
        for (unsigned m = ranges[k].first; i->op == ranges[k].op && m <= ranges[k].last; m++)
            if (same_word(text, length, isa_mode_name((enum isa_mode)m))) return i->mode = (uint8_t)m, true;
    return false;
}

static bool modifier(struct ir_inst *i, const char *text, size_t length)
{
    static const char *const rounds[] = {"rn", "rz", "rm", "rp", "rna"};
    static const char *const spaces[] = {"generic", "global", "shared", "local", "const"};
    static const char *const sems[] = {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"};
    static const char *const flags[] = {"ftz",  "sat", "cc",      "x",    "hi", "sx", "ex",
                                        "wrap", "nan", "xorsign", "relu", "bf", "nc"};
    uint8_t flag;
    if (mode_of(i, text, length)) return true;
    for (unsigned c = 0; c < 16 && i->op == IR_SETP && !i->type; c++)
        if (same_word(text, length, isa_cmp_name((enum isa_cmp)c))) return i->cmp = (uint8_t)c, true;
    for (unsigned k = 1; k < TYPE_COUNT; k++) {
        if (!same_word(text, length, isa_type_name((enum isa_type)k))) continue;
        if (i->type)
            i->type2 = (uint8_t)k;
        else
            i->type = (uint8_t)k;
        return true;
    }
    if (lookup(text, length, rounds, 5, &i->round) || lookup(text, length, spaces, 5, &i->space)) return true;
    if (lookup(text, length, sems, 7, &i->sem)) return true;
    if (i->op == IR_LOP3 && length > 2 && text[1] == 'x')
        return i->lut = (uint8_t)strtoul(text, NULL, 16), true;
    if (!lookup(text, length, flags, 13, &flag)) return false;
    i->flags |= (uint16_t)(1u << flag);
    return true;
}

static bool operation(struct reader *r, struct ir_inst *i)
{
    skip(r);
    size_t n = word_length(r->at);
    unsigned op = 0;
    while (op < IR_OP_COUNT && !same_word(r->at, n, ir_table[op].name)) op++;
    if (op == IR_OP_COUNT) return fail(r, "unknown operation");
    i->op = (enum ir_op)op;
    r->at += n;
    while (*r->at == '.') {
        n = word_length(++r->at);
        if (!modifier(i, r->at, n)) return fail(r, "unknown modifier");
        r->at += n;
    }
    return true;
}

// -- operands -----------------------------------------------------------------------------------------------

static enum ir_class place_class(const struct ir_inst *i, uint32_t k)
{
    enum ir_class type = ir_class_of_type((enum isa_type)i->type),
                  type2 = ir_class_of_type((enum isa_type)i->type2);
    switch ((int)i->op) {
    case IR_PHI:
    case IR_COPY:
    case IR_SELECT: return k == 2 ? IR_CLASS_PRED : i->defs[0]->class;
    case IR_PAND:
    case IR_POR:
    case IR_PXOR:
    case IR_PNOT:
    case IR_BRANCH: return IR_CLASS_PRED;
    case IR_LO:
    case IR_HI: return IR_CLASS_64;
    case IR_SHL:
    case IR_SHR: return k ? IR_CLASS_32 : type;
    case IR_BFE: return k ? IR_CLASS_32 : type;
    case IR_BFI: return k > 1 ? IR_CLASS_32 : type;
    case IR_MADWIDE: return k == 2 ? IR_CLASS_64 : IR_CLASS_32;
    case IR_ZEXT:
    case IR_SEXT:
    case IR_CVT:
    case IR_SATI: return type2;
    case IR_MULWIDE:
    case IR_PACK:
    case IR_FUNNEL: return IR_CLASS_32;
    case IR_RETURN: return (enum ir_class)i->function->result_classes[k];
    }
    return type;
}

static struct ir_value *address(struct reader *r, struct ir_inst *i, int64_t *offset)
{
    if (!eat(r, "[")) return fail(r, "an address was expected"), NULL;
    struct ir_value *base =
        value(r, i->space == SPACE_GLOBAL || i->space == SPACE_GENERIC ? IR_CLASS_64 : IR_CLASS_32);
    if (eat(r, "+"))
        number(r, offset);
    else if (eat(r, "-") && number(r, offset))
        *offset = -*offset;
    if (!eat(r, "]")) fail(r, "] was expected");
    return base;
}

static bool phi_operands(struct reader *r, struct ir_inst *i)
{
    struct ir_value **uses = heap_alloc((i->block->pred_count + 1) * sizeof(struct ir_value *));
    do {
        struct ir_block *from = block(r, word(r));
        if (!eat(r, ":")) fail(r, ": was expected");
        struct ir_value *v = value(r, i->defs[0]->class);
        for (uint32_t k = 0; k < i->block->pred_count; k++)
            if (i->block->preds[k] == from) uses[k] = v;
    } while (!r->error && eat(r, ","));
    ir_set_uses(i, i->block->pred_count, uses);
    free(uses);
    return !r->error;
}

static bool guard(struct reader *r, struct ir_inst *i)
{
    if (!eat(r, "@")) return true;
    bool negated = eat(r, "!");
    ir_set_guard(i, value(r, IR_CLASS_PRED), negated);
    for (uint32_t k = 0; (k ? eat(r, ",") : eat(r, "old")) && k < i->def_count; k++)
        ir_set_old(i, k, value(r, i->defs[k]->class));
    return !r->error;
}

static bool special_operands(struct reader *r, struct ir_inst *i, bool *done)
{
    int64_t bank;
    *done = true;
    switch ((int)i->op) {
    case IR_PHI: return phi_operands(r, i);
    case IR_FRAME: return number(r, &i->offset);
    case IR_SYMBOL: return eat(r, "symbol") && number(r, &i->offset);
    case IR_BANK:
        if (!eat(r, "c[") || !number(r, &bank) || !eat(r, "][") || !number(r, &i->offset) || !eat(r, "]"))
            return fail(r, "c[bank][offset] was expected");
        i->bank = (uint8_t)bank;
        return true;
    case IR_SREG:
        skip(r);
        for (unsigned k = 0; k < SREG_COUNT; k++) {
            size_t n = strlen(isa_sreg_name((enum isa_sreg)k));
            if (!same_word(r->at, n, isa_sreg_name((enum isa_sreg)k)) || isalnum((unsigned char)r->at[n]))
                continue;
            i->offset = k;
            r->at += n;
            return true;
        }
        return fail(r, "unknown special register");
    }
    *done = false;
    return true;
}

static bool is_access(const struct ir_inst *i)
{
    return i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_ATOM || i->op == IR_RED;
}

static bool operands(struct reader *r, struct ir_inst *i)
{
    struct ir_value *uses[8];
    uint32_t count = 0;
    bool done;
    if (!special_operands(r, i, &done)) return false;
    while (!done && !at_end(r) && *r->at != '@' && count < 8) {
        if (count && !eat(r, ",")) break;
        skip(r);
        if (!strncmp(r->at, "block", 5)) { // a successor
            struct ir_block *to = block(r, word(r));
            if (to && i->op != IR_PHI) continue;
        }
        uses[count] = is_access(i) && !count ? address(r, i, &i->offset) : value(r, place_class(i, count));
        if (!uses[count++]) return false;
    }
    if (!done) ir_set_uses(i, count, uses);
    return guard(r, i);
}

// -- passes over the lines ----------------------------------------------------------------------------------

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static bool is_block_line(const char *line) { return *line && *line != ' ' && *line != '\n'; }

static bool read_header(struct reader *r)
{
    if (!eat(r, "function")) return fail(r, "\"function\" was expected");
    r->f = ir_function_create(r->u, word(r), false);
    r->f->params = ARENA_ARRAY(&r->u->arena, struct ir_value *, 16);
    r->f->result_classes = ARENA_ARRAY(&r->u->arena, uint8_t, 4);
    while (!at_end(r) && r->f->param_count < 16) {
        const char *name = word(r);
        struct ir_value *v = ir_value_create(r->f, class_suffix(r));
        v->is_param = true;
        r->f->params[r->f->param_count++] = v;
        define(r, name, v);
        eat(r, ",");
    }
    return true;
}

static bool read_definition(struct reader *r, struct ir_block *b)
{
    const char *names[8];
    enum ir_class classes[8];
    uint32_t count = 0;
    const char *equals = strchr(r->line, '='), *end = strchr(r->line, '\n');
    r->at = r->line;
    if (equals && (!end || equals < end)) {
        do {
            names[count] = word(r);
            classes[count++] = class_suffix(r);
        } while (eat(r, ",") && count < 8);
        if (!eat(r, "=")) return fail(r, "= was expected");
    }
    struct ir_inst *i = ir_inst_create(r->f, IR_COPY, TYPE_NONE, count, classes, 0, NULL);
    for (uint32_t k = 0; k < count; k++) define(r, names[k], i->defs[k]);
    ir_append(b, i);
    if (!operation(r, i)) return false;
    i->note = (uint64_t)(r->at - r->line); // offset of the operands in the line
    return true;
}

// Successors are the words "blockN" of an END, in order.
static void read_edges(struct reader *r, struct ir_block *b)
{
    const char *end = strchr(r->line, '\n');
    for (const char *at = r->line; (at = strstr(at, "block")) && (!end || at < end); at += word_length(at)) {
        struct ir_block *to = block(r, arena_strndup(&r->u->arena, at, word_length(at)));
        if (to) ir_add_edge(b, to);
    }
}

static void result_classes(struct ir_function *f, const struct ir_inst *end, struct reader *r)
{
    f->result_count = 0;
    r->at = r->line + end->note;
    while (!at_end(r) && f->result_count < 4) {
        uint32_t index;
        const char *name = word(r);
        bool known = strmap_get(&r->values, name, strlen(name), &index);
        f->result_classes[f->result_count++] =
            (uint8_t)(known ? r->value_list.data[index]->class : IR_CLASS_32);
        eat(r, ",");
    }
}

static void each_line(struct reader *r, const char *body, int pass)
{
    struct ir_block *b = NULL;
    struct ir_inst *i = NULL;
    for (r->line = body; *r->line && !r->error; r->line = next_line(r->line)) {
        if (is_block_line(r->line)) {
            r->at = r->line;
            const char *name = word(r);
            if (pass == 0) {
                strmap_set(&r->blocks, name, strlen(name), (uint32_t)r->block_list.count);
                vec_push(&r->block_list, ir_block_create(r->f, NULL));
            }
            b = block(r, name);
            i = b ? b->first : NULL;
            continue;
        }
        r->at = r->line;
        if (at_end(r) || !b) continue;
        if (pass == 0) {
            read_definition(r, b);
            continue;
        }
        if (pass == 1 && ir_table[i->op].flags & IR_END) read_edges(r, b);
        if (pass == 1 && i->op == IR_RETURN) result_classes(r->f, i, r);
        if (pass == 2) {
            r->at = r->line + i->note;
            operands(r, i);
        }
        i = i->next;
    }
}

struct ir_function *ir_read(struct ir_unit *u, const char *text, const char **why)
{
    struct reader r = {.u = u, .line = text, .at = text};
    bool done = read_header(&r);
    for (int pass = 0; done && pass < 3 && !r.error; pass++) each_line(&r, next_line(text), pass);
    *why = r.error ? r.error : done ? ir_verify(r.f) : "no function";
    strmap_fini(&r.values);
    strmap_fini(&r.blocks);
    vec_fini(&r.value_list);
    vec_fini(&r.block_list);
    return *why ? NULL : r.f;
}
