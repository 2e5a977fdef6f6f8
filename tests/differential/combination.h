// Random combinations of settings that must not change a result.
//
// Mechanisms with their options, GPUs and keys come from the registries and tables themselves, so new rows
// are drawn from their first day. A table in combination.c lists the excluded keys, each with a reason.
// Whether parts go together is found by asking the library, which refuses bad sets.
#pragma once
#include "base/vec.h"
#include "differential/differential.h"
#include "sm/mech/tech.h"

// One setting per part, so that shrinking can drop parts: "gpu=tiny", "tech=darsie", "darsie:registers=2",
// "fetch.ibuffer=1", "host.threads=3".
struct combination {
    VEC(char *) parts;
};

void combination_fini(struct combination *c);
// Makes a program (program.c), and a combination fit for the program.
void combination_program(uint64_t seed, struct generated *out);
void combination_draw(uint64_t seed, const struct generated *program, struct combination *out);
// Draws a combination on the small GPU with the given mechanisms, which must go together.
void combination_draw_with(uint64_t seed, const struct generated *program, const struct tech *const *techs,
                           unsigned count, struct combination *out);
// Gives up options by which a mechanism keeps values outside the lanes of a register, where mechanisms of
// tech/extra.h would look for values.
void combination_stay_in_lanes(struct combination *c);
// Draws mechanisms and keys on GPU `gpu` for a program not made by the generator; drops keys that limit the
// room for blocks.
void combination_draw_on(uint64_t seed, const char *gpu, struct combination *out);
// Writes the combination as on the command line: "gpu=tiny tech=darsie:registers=2+dac fetch.ibuffer=1".
void combination_write(const struct combination *c, struct strbuf *out);
void combination_read(const char *text, struct combination *out);
// Runs one program in the combination. A launch refused for want of room is repeated with more room
// (changes `c`).
enum verdict combination_try(const char *text, struct combination *c, struct strbuf *why);
// Several programs at once (compare_together).
enum verdict combination_try_together(const char *const *texts, unsigned count, const char *breaker,
                                      struct combination *c, struct strbuf *why);
// The same from the beginning in a child process with a time limit.
enum verdict combination_judge(const char *text, struct combination *c, unsigned limit_s, struct strbuf *why);
// Makes program and combination as small as possible while the verdict stays `wanted`.
void combination_shrink(struct strbuf *text, struct combination *c, enum verdict wanted, bool verbose);
