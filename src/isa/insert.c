// Inserting instructions into a register-allocated program: indices of the instructions behind grow.
#include "isa/isa.h"
#include "isa/program.h"

#include <string.h>

struct move {
    struct program *to;
    // by old index of an instruction: new index; of the instruction inserted in front, if there is one
    uint32_t *places;
};

static uint32_t place_of(const struct move *m, uint32_t index)
{
    return index == NO_TARGET ? NO_TARGET : m->places[index];
}

static void move_insts(struct move *m, const struct program *p, const struct inst *what, const bool *before)
{
    struct inst *to = m->to->insts;
    for (uint32_t n = 0; n < p->inst_count; n++) {
        if (before[n]) {
            *to = *what;
            to++->lines = p->insts[n].lines;
        }
        *to = p->insts[n];
        if (isa_names_others(to)) {
            to->target = place_of(m, to->target);
            to->reconverge = place_of(m, to->reconverge);
        }
        to++;
    }
}

static void move_tables(struct move *m, const struct program *p)
{
    struct program *q = m->to;
    q->tables = ARENA_ARRAY(&q->arena, struct program_table, p->table_count);
    for (uint32_t t = 0; t < p->table_count; t++) {
        uint32_t *targets = ARENA_ARRAY(&q->arena, uint32_t, p->tables[t].count);
        for (uint32_t k = 0; k < p->tables[t].count; k++) targets[k] = place_of(m, p->tables[t].targets[k]);
        q->tables[t] = (struct program_table){targets, p->tables[t].count};
    }
}

static void move_functions(struct move *m, const struct program *p)
{
    struct program *q = m->to;
    q->functions = ARENA_ARRAY(&q->arena, struct program_function, p->function_count);
    q->symbols = ARENA_ARRAY(&q->arena, struct program_symbol, p->symbol_count);
    for (uint32_t f = 0; f < p->function_count; f++) {
        uint32_t first = p->functions[f].first, end = first + p->functions[f].count;
        uint32_t new_end = end < p->inst_count ? m->places[end] : q->inst_count;
        q->functions[f] = p->functions[f];
        q->functions[f].first = m->places[first];
        q->functions[f].count = new_end - m->places[first];
    }
    for (uint32_t s = 0; s < p->symbol_count; s++) {
        q->symbols[s] = p->symbols[s];
        if (p->symbols[s].kind == SYMBOL_FUNCTION) q->symbols[s].value = m->places[p->symbols[s].value];
    }
}

struct program *program_insert(const struct program *p, const struct inst *what, const bool *before)
{
    struct program *q = program_create();
    struct arena arena = q->arena;
    uint32_t inserted = 0;
    *q = *p;
    q->places = NULL;
    q->print_word = NULL; // indices no longer equal word numbers
    q->plan = NULL;
    q->arena = arena;
    struct move m = {q, ARENA_ARRAY(&q->arena, uint32_t, p->inst_count)};
    for (uint32_t n = 0; n < p->inst_count; n++) {
        m.places[n] = n + inserted;
        inserted += before[n];
    }
    q->inst_count = p->inst_count + inserted;
    q->insts = ARENA_ARRAY(&q->arena, struct inst, q->inst_count);
    move_insts(&m, p, what, before);
    move_tables(&m, p);
    move_functions(&m, p);
    return q;
}
