// Order of the optimiser: repeats the rows of passes.def until a whole round changes nothing. At most
// ROUNDS_EARLY rounds run before legalisation, at most ROUNDS_LATE after it.
#include "compile/pass/passes.h"
#include "compile/ir/options.h"

static const struct {
    const char *name;
    bool (*run)(struct ir_function *f, const struct pass_context *c);
} passes[] = {
#define PASS(function, name, meaning) {name, function},
#include "compile/pass/passes.def"
#undef PASS
};

enum { PASS_COUNT = sizeof passes / sizeof passes[0], ROUNDS_EARLY = 6, ROUNDS_LATE = 4 };

static const char *check(struct ir_function *f, const char *after)
{
    const struct ir_unit *u = f->unit;
    const char *wrong = u->options->check ? ir_verify(f) : NULL;
    return wrong ? arena_printf(&f->unit->arena, "after %s: %s", after, wrong) : NULL;
}

// Runs the passes in turn, at most `rounds` times, and stops once every pass in succession has left the
// function unchanged. Returns NULL, or under options->check the text of a fault.
static const char *run_rounds(struct ir_function *f, bool late, unsigned rounds)
{
    const struct compile_options *o = f->unit->options;
    unsigned quiet = 0; // consecutive passes without a change
    for (unsigned k = 0; k < rounds * PASS_COUNT && quiet < PASS_COUNT; k++, quiet++) {
        unsigned pass = k % PASS_COUNT;
        if (o->disabled_passes >> pass & 1) continue;
        struct pass_context c = {.late = late, .broken = o->broken_passes >> pass & 1};
        if (!passes[pass].run(f, &c)) continue;
        quiet = 0;
        const char *wrong = check(f, passes[pass].name);
        if (wrong) return wrong;
    }
    return NULL;
}

static const char *run_function(struct ir_function *f)
{
    bool optimise = f->unit->options->optimise;
    const char *wrong = check(f, "lowering");
    if (!wrong && optimise) wrong = run_rounds(f, false, ROUNDS_EARLY);
    if (wrong) return wrong;
    legalise(f);
    wrong = check(f, "legalise");
    if (!wrong && optimise) wrong = run_rounds(f, true, ROUNDS_LATE);
    return wrong;
}

const char *passes_run(struct ir_unit *u)
{
    for (size_t k = 0; k < u->functions.count; k++) {
        const char *wrong = run_function(u->functions.data[k]);
        if (wrong) return wrong;
    }
    return NULL;
}
