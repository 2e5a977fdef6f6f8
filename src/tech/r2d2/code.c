// The linear instructions as code: a function behind the kernel.
//
//     a copy of every instruction that may be linear, in order     coefficients
//     IMAD.WIDE, which issues again and again                      thread parts, bases
//
// Which copies a launch needs is known with its parameters. In memory, the kernel is without the instructions that it
// loses if everything that may be linear is.
#include "decouple/decouple.h"
#include "decouple/linear.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/sregs.h"
#include "isa/types.h"
#include "tech/r2d2/r2d2.h"

#include <string.h>

static const char function_name[] = "linear";

static struct inst copy_of(const struct inst *i)
{
    struct inst copy = *i;
    copy.guard = PRED_TRUE;
    copy.guard_not = 0;
    return copy;
}

static struct inst product(uint32_t lines)
{
    struct inst i = {.op = OP_IMADW,
                     .guard = PRED_TRUE,
                     .type = TYPE_U32,
                     .target = NO_TARGET,
                     .reconverge = NO_TARGET,
                     .lines = lines};
    i.dst[0] = (struct operand){.kind = OPERAND_REG, .width = 2, .reg = R2D2_SOURCES};
    for (unsigned k = 0; k < 3; k++)
        i.src[k] = (struct operand){.kind = OPERAND_REG, .width = k < 2 ? 1 : 2, .reg = (uint8_t)k};
    return i;
}

// Layout in memory, without the removable instructions of the kernel. The program counters of instructions do not change.
static void place(const struct decouple *d, struct program *both, const bool *removable)
{
    uint32_t *places = ARENA_ARRAY(&both->arena, uint32_t, both->inst_count + 1), next = 0;
    uint32_t *at = ARENA_ARRAY(&both->arena, uint32_t, both->inst_count + 1);
    for (uint32_t k = 0; k < both->inst_count; k++) {
        places[k] = next;
        if (k >= d->count || !removable[k]) at[next++] = k;
    }
    places[both->inst_count] = next;
    at[next] = both->inst_count;
    both->places = places;
    both->at_place = at;
}

static struct program *with_linear(struct decouple *d)
{
    const struct program *p = d->program;
    const bool *maybe = decouple_find_maybe_linear(d);
    struct inst *insts = ARENA_ARRAY(&d->arena, struct inst, d->count + 1);
    uint32_t count = 0;
    for (uint32_t k = 0; k < d->count; k++)
        if (maybe[k]) insts[count++] = copy_of(&p->insts[k]);
    if (!count) return NULL;
    const struct r2d2_code code = {.product = d->count + count};
    insts[count++] = product(insts->lines);
    struct program stream = *p;
    struct program_function function = {.name = function_name, .count = count};
    stream.insts = insts;
    stream.inst_count = count;
    stream.functions = &function;
    stream.function_count = 1;
    stream.table_count = 0;
    if (stream.reg_count < R2D2_SOURCES + 2) stream.reg_count = R2D2_SOURCES + 2;
    struct program *both = program_join(p, &stream);
    struct r2d2_code *kept = ARENA_ARRAY(&both->arena, struct r2d2_code, 1);
    uint32_t *of = ARENA_ARRAY(&both->arena, uint32_t, d->count + 1), next = d->count;
    for (uint32_t k = 0; k < d->count; k++) of[k] = maybe[k] ? next++ : 0;
    place(d, both, r2d2_find_removable(d, maybe));
    *kept = (struct r2d2_code){.copies = of, .product = code.product};
    both->plan = kept;
    return both;
}

struct program *r2d2_transform(const struct tech_use *u, const struct program *p, const uint32_t block[3],
                               unsigned warp_size, const bool *shared)
{
    struct decouple *d = r2d2_analyse(p);
    struct program *both = d->whole ? NULL : with_linear(d);
    (void)u, (void)block, (void)warp_size, (void)shared;
    decouple_free(d);
    return both;
}

const struct r2d2_code *r2d2_code_of(const struct program *p, struct program *kernel)
{
    const struct program_function *last = &p->functions[p->function_count - 1];
    if (!p->plan || p->function_count < 2 || strcmp(last->name, function_name) != 0) return NULL;
    *kernel = *p;
    kernel->inst_count = last->first;
    kernel->function_count = 1;
    return p->plan;
}
