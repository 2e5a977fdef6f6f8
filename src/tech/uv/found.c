// Instructions that may be found uniform: static knowledge from decoding.
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/sregs.h"
#include "tech/uv/uv.h"

#include <stdlib.h>

// A load of one address by all lanes, from memory shared by the lanes, leaves one value in all lanes. The
// load executes as usual.
static enum candidate load_of(const struct inst *i, const struct uv_options *options)
{
    bool is_shared = i->op == OP_LDG || i->op == OP_LDS || i->op == OP_LDC;
    // found=turing: the uniform datapath's only load reads constants
    if (options->found == UV_FOUND_TURING) is_shared = i->op == OP_LDC;
    return is_shared && options->loads ? BROADCAST : NOT_CANDIDATE;
}

static enum candidate candidate_of(const struct inst *i, const struct op *o, const struct uv_options *options)
{
    bool fits = o->dst_words <= options->words;
    if (isa_has(i, ISA_LOAD)) return load_of(i, options);
    if (o->path != PATH_ALU || !isa_has(i, ISA_PURE | ISA_SPECIAL_READ)) return NOT_CANDIDATE;
    if (!o->dst_words && !o->pred_writes) return NOT_CANDIDATE;
    if (!options->predicates && (o->pred_writes || o->pred_reads)) return NOT_CANDIDATE;
    if (options->found == UV_FOUND_TURING && isa_has(i, ISA_FLOAT)) return NOT_CANDIDATE;
    for (unsigned k = 0; k < 4; k++) {
        if (i->src[k].kind == OPERAND_SREG && isa_sreg_whose((enum isa_sreg)i->src[k].reg) != SREG_OF_BLOCK)
            return NOT_CANDIDATE;
        if (i->src[k].kind == OPERAND_REG || i->src[k].kind == OPERAND_CONST)
            fits &= operand_words(&i->src[k]) <= options->words;
    }
    return fits ? CANDIDATE : TOO_WIDE;
}

// Removes candidates whose result the compiler does not prove uniform, before the shape of a block is known.
// Sources with one value are checked at run time as usual, since diverged lanes may reach an instruction
// separately.
static void keep_proved(const struct uv_launch *v, uint8_t *candidates, const struct mark_settings *s,
                        unsigned warp_size)
{
    struct mark_rules rules;
    mark_rules_from(&rules, s, warp_size);
    struct marks *m = marks_compute(v->program, &rules);
    for (uint32_t n = 0; n < v->program->inst_count; n++)
        if (m->marks[n].pattern.class != MARK_UNIFORM) candidates[n] = NOT_CANDIDATE;
    marks_free(m);
}

uint8_t *uv_candidates(const struct uv_launch *v, const struct mark_settings *s, unsigned warp_size)
{
    uint32_t count = v->program->inst_count;
    uint8_t *candidates = heap_alloc(count);
    for (uint32_t n = 0; n < count; n++)
        candidates[n] = (uint8_t)candidate_of(&v->program->insts[n], &v->ops[n], &v->options);
    if (v->options.found != UV_FOUND_TOKENS) keep_proved(v, candidates, s, warp_size);
    return candidates;
}
