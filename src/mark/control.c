#include "mark/control.h"
#include "base/vec.h"

#include <stdlib.h>

enum { RETURN_ADDRESS = 1 }; // x1 (RISC-V's calling convention)

struct walk {
    const struct program *program;
    bool *is_first; // of a function
    bool *seen;
    VEC(uint32_t) open;
};

static bool go(struct walk *w, uint32_t inst)
{
    if (inst >= w->program->inst_count) return false;
    if (w->seen[inst]) return true;
    w->seen[inst] = true;
    vec_push(&w->open, inst);
    return true;
}

// What is in registers where the program begins has no edge that brings it.
static bool jump(struct walk *w, uint32_t target)
{
    return target != w->program->functions[0].first && target != w->program->entry && go(w, target);
}

static bool call(struct walk *w, const struct inst *i)
{
    return i->dst[0].reg == RETURN_ADDRESS && w->is_first[i->target] && go(w, i->target);
}

// False: it may lead where nobody knows.
static bool go_on(struct walk *w, uint32_t n)
{
    const struct inst *i = &w->program->insts[n];
    switch ((int)i->op) {
    case OP_UNDEF: return true; // a fault
    case OP_RJR: return i->src[0].reg == RETURN_ADDRESS;
    case OP_RJALR: return false;
    case OP_RJAL: return call(w, i) && go(w, n + 1);
    case OP_BRA: return jump(w, i->target);
    case OP_RBR: return jump(w, i->target) && go(w, n + 1);
    case OP_WARPCMD: go(w, n + 1); return true; // the last one ends the warp
    }
    return go(w, n + 1);
}

bool mark_control_is_known(const struct program *p)
{
    if (p->profile != PROFILE_RISCV) return true;
    if (!p->function_count) return false;
    struct walk w = {.program = p,
                     .is_first = heap_alloc(p->inst_count * sizeof *w.is_first),
                     .seen = heap_alloc(p->inst_count * sizeof *w.seen)};
    for (uint32_t f = 0; f < p->function_count; f++) w.is_first[p->functions[f].first] = true;
    bool is_known = w.is_first[p->entry] && go(&w, p->entry);
    while (is_known && w.open.count) is_known = go_on(&w, vec_pop(&w.open));
    vec_fini(&w.open);
    free(w.is_first);
    free(w.seen);
    return is_known;
}
