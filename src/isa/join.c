// Joins two programs: indices of instructions and jump tables in the second program grow by the counts of the
// first program. Indices of symbols and source lines stay, since both programs share the lists.
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

static void *concatenate(struct arena *a, const void *first, size_t first_bytes, const void *second,
                         size_t second_bytes)
{
    uint8_t *both = ARENA_ARRAY(a, uint8_t, first_bytes + second_bytes);
    if (first_bytes) memcpy(both, first, first_bytes);
    if (second_bytes) memcpy(both + first_bytes, second, second_bytes);
    return both;
}
#define CONCATENATE(a, p, q, member, count)                                                                  \
    concatenate(a, (p)->member, (p)->count * sizeof *(p)->member, (q)->member,                               \
                (q)->count * sizeof *(q)->member)

static uint32_t moved(uint32_t index, uint32_t by) { return index == NO_TARGET ? NO_TARGET : index + by; }

static void move_inst(struct inst *i, const struct program *behind)
{
    if (!isa_names_others(i)) return;
    i->target = moved(i->target, behind->inst_count);
    i->reconverge = moved(i->reconverge, behind->inst_count);
    i->table = (uint16_t)(i->table + behind->table_count);
}

static void move_table(struct program_table *t, const struct program *behind, struct arena *a)
{
    uint32_t *targets = ARENA_ARRAY(a, uint32_t, t->count);
    for (uint32_t k = 0; k < t->count; k++) targets[k] = t->targets[k] + behind->inst_count;
    t->targets = targets;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

struct program *program_join(const struct program *p, const struct program *q)
{
    struct program *both = program_create();
    struct arena arena = both->arena;
    *both = *p;
    both->arena = arena;
    both->places = NULL;
    both->plan = NULL;
    both->inst_count += q->inst_count;
    both->function_count += q->function_count;
    both->table_count += q->table_count;
    both->insts = CONCATENATE(&both->arena, p, q, insts, inst_count);
    both->functions = CONCATENATE(&both->arena, p, q, functions, function_count);
    both->tables = CONCATENATE(&both->arena, p, q, tables, table_count);
    for (uint32_t n = p->inst_count; n < both->inst_count; n++) move_inst(&both->insts[n], p);
    for (uint32_t f = p->function_count; f < both->function_count; f++)
        both->functions[f].first += p->inst_count;
    for (uint32_t t = p->table_count; t < both->table_count; t++)
        move_table(&both->tables[t], p, &both->arena);
    both->beside_reg_count = q->reg_count > p->reg_count ? q->reg_count : 0;
    both->pred_count = larger(p->pred_count, q->pred_count);
    both->stack_bytes = larger(p->stack_bytes, q->stack_bytes);
    both->barrier_count = larger(p->barrier_count, q->barrier_count);
    return both;
}
