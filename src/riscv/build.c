// Translates RISC-V code words to a program of the machine, one instruction per word.
//
//   rv.def ── row and HAS ──▶ a template of struct inst      form ──▶ operands, from the fields of the word
//
// Control register instructions alone do not follow the table: the register number decides (build_csr).
#include "riscv/build.h"
#include "isa/program.h"
#include "isa/shape.h"
#include "isa/sregs.h"
#include "riscv/decode.h"
#include "riscv/map.h"

#include <string.h>

enum {
    CSR_EMIT = 0x800,
    CSR_FINISH = 0x801,
    CSR_WARP_COMMAND = 0x830,
    CSR_CLOSURE = 0x831,
    CSR_HART = 0xf14
};

static const struct inst templates[RV_COUNT] = {
#define SIGN                                                                                                 \
    {                                                                                                        \
        .kind = OPERAND_IMM, .width = 1, .value = 0x80000000u                                                \
    }
#define HAS(...) __VA_ARGS__
#define RV(name, mnemonic, mask, match, form, row, has, scalar, latency, meaning)                            \
    [RV_##name] = {.op = OP_##row, .guard = PRED_TRUE, .reconverge = NO_TARGET, has},
#include "riscv/rv.def"
#undef RV
};

static struct operand reg(unsigned r)
{
    return (struct operand){.kind = OPERAND_REG, .reg = (uint8_t)(r ? r : REG_ZERO), .width = 1};
}
static struct operand imm(uint32_t value)
{
    return (struct operand){.kind = OPERAND_IMM, .width = 1, .value = value};
}
static struct operand memory(unsigned r, uint32_t offset)
{
    return (struct operand){
        .kind = OPERAND_MEM, .reg = (uint8_t)(r ? r : REG_ZERO), .width = 1, .value = offset};
}

static struct inst undefined(uint32_t word)
{
    return (struct inst){.op = OP_UNDEF, .guard = PRED_TRUE, .reconverge = NO_TARGET, .src[0] = imm(word)};
}

// Builds an access to a control register. A kernel reads the hart number and the closure address, and writes
// warp commands, text and the end of the simulation (a fault when executed). Writes to read-only registers
// are ignored, as in the hardware. Other accesses become UNDEF.
static struct inst build_csr(const struct rv_inst *f, uint32_t word)
{
    struct inst i = templates[f->op];
    bool is_write = f->op == RV_CSRRW || f->op == RV_CSRRWI;
    if (f->csr == CSR_HART || f->csr == CSR_CLOSURE) {
        i.op = OP_S2R;
        i.dst[0] = reg(f->rd);
        i.src[0] = (struct operand){
            .kind = OPERAND_SREG, .width = 1, .reg = f->csr == CSR_HART ? SREG_HART : SREG_CLOSURE};
        return i;
    }
    bool is_known = f->csr == CSR_WARP_COMMAND || f->csr == CSR_EMIT || f->csr == CSR_FINISH;
    if (!is_known || !is_write || f->rd) return undefined(word);
    i.src[0] = f->op == RV_CSRRW ? reg(f->rs1) : imm(f->imm);
    if (f->csr == CSR_WARP_COMMAND)
        i.op = OP_WARPCMD;
    else
        i.src[1] = imm(f->csr);
    return i;
}

// Sets source operands required by the row of isa.def, and absent from the code word, to zero.
static void fill_sources(struct inst *i)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct isa_place *place = &isa_shapes[i->op].src[k];
        if (place->kind >= SHAPE_REG && i->src[k].kind == OPERAND_NONE &&
            isa_presence(i, place) == PRESENCE_ALWAYS)
            i->src[k] = reg(0);
    }
}

static void put(struct operand *to, struct operand o)
{
    o.flags = to->flags; // keep the template's flags
    *to = o;
}

// Index of a branch target; NO_TARGET: outside the code or between two words.
static uint32_t target_of(const struct image *i, uint32_t index, const struct rv_inst *f)
{
    int64_t to = (int64_t)index * 4 + (int32_t)f->imm;
    return to < 0 || to % 4 || to / 4 >= i->word_count ? NO_TARGET : (uint32_t)(to / 4);
}

static struct inst build_inst(const struct image *image, uint32_t index)
{
    uint32_t word = image->words[index];
    uint32_t pc = (uint32_t)image->code + 4 * index;
    struct rv_inst f = rv_decode(word);
    if (f.op == RV_NONE || templates[f.op].op == OP_UNDEF) return undefined(word);
    struct inst i = templates[f.op];
    switch (rv_table[f.op].form) {
    case RV_FORM_N: break;
    case RV_FORM_R:
        i.dst[0] = reg(f.rd);
        put(&i.src[0], reg(f.rs1));
        put(&i.src[1], reg(f.rs2));
        break;
    case RV_FORM_R1:
        i.dst[0] = reg(f.rd);
        i.src[0] = reg(f.rs1);
        break;
    case RV_FORM_I:
    case RV_FORM_SH:
        if (f.op != RV_JR) i.dst[0] = reg(f.rd);
        i.src[0] = reg(f.rs1);
        i.src[1] = imm(f.imm);
        break;
    case RV_FORM_L:
        i.dst[0] = reg(f.rd);
        i.src[0] = memory(f.rs1, f.imm);
        break;
    case RV_FORM_S:
        i.src[0] = memory(f.rs1, f.imm);
        i.src[1] = reg(f.rs2);
        break;
    case RV_FORM_A:
        i.dst[0] = reg(f.rd);
        i.src[0] = memory(f.rs1, 0);
        i.src[1] = reg(f.rs2);
        break;
    case RV_FORM_B:
        i.src[0] = reg(f.rs1);
        i.src[1] = reg(f.rs2);
        i.target = target_of(image, index, &f);
        break;
    case RV_FORM_J:
        if (f.op == RV_JAL) i.dst[0] = reg(f.rd);
        i.target = target_of(image, index, &f);
        break;
    case RV_FORM_U:
    case RV_FORM_UP:
        i.dst[0] = reg(f.rd);
        i.src[0] = imm(f.imm + (rv_table[f.op].form == RV_FORM_UP ? pc : 0));
        break;
    case RV_FORM_C:
    case RV_FORM_CI: return build_csr(&f, word);
    }
    fill_sources(&i);
    return i.target == NO_TARGET ? undefined(word) : i; // a branch to no code word: data
}

// -- control ------------------------------------------------------------------------------------------------
static bool goes_on(enum rv_op op) { return op != RV_J && op != RV_JR && op != RV_NONE && op != RV_EBREAK; }

void riscv_reach(const struct image *i, uint64_t entry, bool *reached)
{
    VEC(uint32_t) open = {0};
    uint32_t first = (uint32_t)((entry - i->code) / 4);
    if (entry < i->code || first >= i->word_count || reached[first]) return;
    reached[first] = true;
    vec_push(&open, first);
    while (open.count) {
        uint32_t index = open.data[--open.count], next[2] = {NO_TARGET, NO_TARGET};
        struct rv_inst f = rv_decode(i->words[index]);
        if (goes_on((enum rv_op)f.op)) next[0] = index + 1;
        if (f.op != RV_NONE && (rv_table[f.op].form == RV_FORM_B || rv_table[f.op].form == RV_FORM_J))
            next[1] = target_of(i, index, &f);
        for (unsigned k = 0; k < 2; k++)
            if (next[k] < i->word_count && !reached[next[k]]) {
                reached[next[k]] = true;
                vec_push(&open, next[k]);
            }
    }
    vec_fini(&open);
}

// -- the program --------------------------------------------------------------------------------------------
static void build_functions(struct program *p, const struct image *i)
{
    p->functions = ARENA_ARRAY(&p->arena, struct program_function, i->symbol_count + 1);
    for (uint32_t k = 0; k < i->symbol_count; k++) {
        const struct image_symbol *s = &i->symbols[k];
        uint32_t first = (uint32_t)((s->address - i->code) / 4);
        struct program_function *last = p->function_count ? &p->functions[p->function_count - 1] : NULL;
        if (!s->is_code || (last && last->first == first)) continue;
        if (last) last->count = first - last->first;
        p->functions[p->function_count++] =
            (struct program_function){.name = arena_strndup(&p->arena, s->name, strlen(s->name)),
                                      .first = first,
                                      .count = p->inst_count - first};
    }
}

// Each entry of i->lines becomes a line of the program and a line set of its own.
static void build_lines(struct program *p, const struct image *i)
{
    if (i->line_count < 2) return;
    p->files = ARENA_ARRAY(&p->arena, const char *, i->file_count);
    p->file_count = i->file_count;
    for (uint32_t k = 0; k < i->file_count; k++)
        p->files[k] = arena_strndup(&p->arena, i->files[k], strlen(i->files[k]));
    p->line_count = p->line_set_count = i->line_count;
    p->line_table = ARENA_ARRAY(&p->arena, struct program_line, i->line_count);
    p->line_sets = ARENA_ARRAY(&p->arena, struct program_line_set, i->line_count);
    uint32_t *numbers = ARENA_ARRAY(&p->arena, uint32_t, i->line_count);
    for (uint32_t k = 1; k < i->line_count; k++) {
        numbers[k] = k;
        p->line_table[k] = (struct program_line){
            .file = i->lines[k].file, .line = i->lines[k].line, .column = i->lines[k].column};
        p->line_sets[k] = (struct program_line_set){&numbers[k], 1};
    }
    for (uint32_t k = 0; k < i->word_count; k++) p->insts[k].lines = i->line_of[k];
}

// Row of isa.def for a word, even if build_inst makes the word UNDEF because of its branch target.
static enum isa_op row_of(uint32_t word)
{
    struct rv_inst f = rv_decode(word);
    if (f.op == RV_NONE) return OP_UNDEF;
    bool is_csr = rv_table[f.op].form == RV_FORM_C || rv_table[f.op].form == RV_FORM_CI;
    return (enum isa_op)(is_csr ? build_csr(&f, word).op : templates[f.op].op);
}

// Prints the word at an index as RISC-V. False: the caller prints the instruction. Either no word has the
// index; or " = " is appended, and the instruction has changed (a load replaced by a constant, closure.h).
static bool print_word(const struct program *p, uint32_t index, struct strbuf *out)
{
    if (index >= p->word_count) return false;
    uint32_t word = p->words[index], op = p->insts[index].op;
    rv_print(word, program_pc(p, index), out);
    if (op == OP_UNDEF || op == row_of(word)) return true;
    strbuf_puts(out, " = ");
    return false;
}

static const char *name_of(struct program *p, const struct image *i, uint64_t entry)
{
    const struct image_symbol *s = image_symbol_at(i, entry, true);
    if (s && s->address == entry) return arena_strndup(&p->arena, s->name, strlen(s->name));
    return arena_printf(&p->arena, "0x%08x", (uint32_t)entry);
}

struct program *riscv_program(const struct image *i, uint64_t entry, struct diag *d)
{
    if (entry % 4 || entry < i->code || entry >= i->code + 4ull * i->word_count) {
        diag_error(d, (struct loc){.source = i->source}, "a kernel is started at 0x%08x, where no code is",
                   (uint32_t)entry);
        return NULL;
    }
    struct program *p = program_create();
    p->profile = PROFILE_RISCV;
    p->inst_count = i->word_count;
    p->entry = (uint32_t)((entry - i->code) / 4);
    p->code_base = (uint32_t)i->code;
    p->reg_count = RISCV_REGISTERS;
    p->name = name_of(p, i, entry);
    uint32_t *words = ARENA_ARRAY(&p->arena, uint32_t, i->word_count);
    memcpy(words, i->words, i->word_count * sizeof *words);
    p->words = words;
    p->word_count = i->word_count;
    p->print_word = print_word;
    p->insts = ARENA_ARRAY(&p->arena, struct inst, i->word_count);
    for (uint32_t k = 0; k < i->word_count; k++) p->insts[k] = build_inst(i, k);
    build_functions(p, i);
    build_lines(p, i);
    return p;
}
