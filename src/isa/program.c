// The program container: creation, and the check every consumer relies on.
#include "isa/program.h"
#include "base/bits.h"
#include "isa/bank.h"
#include "isa/shape.h"
#include "isa/space.h"

#include <stdlib.h>

struct program *program_create(void)
{
    struct program *p = heap_alloc(sizeof *p);
    arena_init(&p->arena);
    return p;
}

void program_free(struct program *p)
{
    if (!p) return;
    arena_fini(&p->arena);
    free(p);
}

static uint32_t highest_register(const struct inst *i)
{
    uint32_t end = 0;
    for (unsigned k = 0; k < 6; k++) {
        const struct operand *o = k < 2 ? &i->dst[k] : &i->src[k - 2];
        bool has_reg = o->kind == OPERAND_REG || o->kind == OPERAND_MEM || o->kind == OPERAND_SHARED;
        if (has_reg && o->reg != REG_ZERO && o->reg + (uint32_t)o->width > end)
            end = o->reg + (uint32_t)o->width;
    }
    return end;
}

static uint32_t highest_predicate(const struct inst *i)
{
    uint32_t end = i->guard < PRED_LIMIT ? i->guard + 1u : 0;
    for (unsigned k = 0; k < 6; k++) {
        const struct operand *o = k < 2 ? &i->dst[k] : &i->src[k - 2];
        if (o->kind == OPERAND_PRED && o->reg < PRED_LIMIT && o->reg + 1u > end) end = o->reg + 1u;
    }
    return end;
}

static bool is_bank_operand_inside(const struct program *p, const struct inst *i)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct operand *o = &i->src[k];
        if (o->kind != OPERAND_CONST) continue;
        uint64_t end = (uint64_t)o->value + 4u * o->width;
        if (o->bank == BANK_LITERAL && end > p->literal_bytes) return false;
        if (o->bank == BANK_ADDRESS && end > 8ull * p->symbol_count) return false;
        if (o->bank == BANK_LAUNCH && end > BANK_LAUNCH_PARAMS + align_up(p->param_bytes, 8)) return false;
    }
    return true;
}

static const char *check_inst(const struct program *p, const struct inst *i)
{
    const char *wrong = isa_check(i);
    bool is_beside = p->beside_reg_count && i - p->insts >= p->functions[0].count;
    uint32_t registers = is_beside ? p->beside_reg_count : p->reg_count;
    if (wrong) return wrong;
    if (isa_has_modifier((enum isa_op)i->op, MODIFIER_TARGET) && i->target >= p->inst_count)
        return "a target outside the program";
    bool splits = (i->op == OP_BRA && i->guard != PRED_TRUE) || i->op == OP_BRX;
    if (splits && i->reconverge != NO_TARGET && i->reconverge >= p->inst_count)
        return "a reconvergence point outside the program";
    if (isa_has_modifier((enum isa_op)i->op, MODIFIER_TABLE) && i->table >= p->table_count)
        return "an unknown jump table";
    if (i->lines >= p->line_set_count && i->lines) return "an unknown set of source lines";
    if (highest_register(i) > registers) return "a register past the program's count";
    if (highest_predicate(i) > p->pred_count) return "a predicate past the program's count";
    if (!is_bank_operand_inside(p, i)) return "a constant past the end of its bank";
    return NULL;
}

// True: control never continues behind the instruction, as required of a function's last instruction (other
// than in RISC-V programs).
static bool ends_function(const struct inst *i)
{
    bool leaves =
        i->op == OP_BRA || i->op == OP_BRX || i->op == OP_RET || i->op == OP_EXIT || i->op == OP_TRAP;
    return leaves && i->guard == PRED_TRUE && !i->guard_not;
}

static const char *check_tables(struct program *p)
{
    for (uint32_t t = 0; t < p->table_count; t++)
        for (uint32_t k = 0; k < p->tables[t].count; k++)
            if (p->tables[t].targets[k] >= p->inst_count)
                return arena_printf(&p->arena, "jump table %u leaves the program", t);
    for (uint32_t s = 0; s < p->line_set_count; s++)
        for (uint32_t k = 0; k < p->line_sets[s].count; k++)
            if (!p->line_sets[s].lines[k] || p->line_sets[s].lines[k] >= p->line_count)
                return arena_printf(&p->arena, "set %u of source lines names an unknown line", s);
    for (uint32_t s = 0; s < p->symbol_count; s++)
        if (p->symbols[s].kind == SYMBOL_FUNCTION && p->symbols[s].value >= p->inst_count)
            return arena_printf(&p->arena, "function %s is outside the program", p->symbols[s].name);
    for (uint32_t f = 0; f < p->function_count; f++) {
        uint64_t end = (uint64_t)p->functions[f].first + p->functions[f].count;
        if (end > p->inst_count || !p->functions[f].count)
            return arena_printf(&p->arena, "function %s is outside the program", p->functions[f].name);
        if (p->profile != PROFILE_RISCV && !ends_function(&p->insts[end - 1]))
            return arena_printf(&p->arena, "control runs past the end of %s", p->functions[f].name);
    }
    return NULL;
}

const char *program_check(struct program *p)
{
    if (!p->inst_count) return "a program without instructions";
    if (!p->reg_count || p->reg_count > REG_LIMIT) return "a register count outside 1 to 255";
    if (p->pred_count > PRED_LIMIT) return "more than seven predicates";
    if (p->spill_bytes > p->local_bytes) return "more spill slots than local memory";
    for (uint32_t k = 0; k < p->inst_count; k++) {
        const char *wrong = check_inst(p, &p->insts[k]);
        if (!wrong) continue;
        struct strbuf text = {0};
        program_print_inst(p, k, &text);
        wrong = arena_printf(&p->arena, "/*%04x*/ %s: %s", program_pc(p, k), strbuf_text(&text), wrong);
        strbuf_fini(&text);
        return wrong;
    }
    if (p->entry >= p->inst_count) return "an entry outside the program";
    // Linked RISC-V code may end in any instruction.
    if (p->profile != PROFILE_RISCV && !ends_function(&p->insts[p->inst_count - 1]))
        return "control runs past the last instruction";
    return check_tables(p);
}
