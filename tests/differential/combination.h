// Random combinations of everything that must not change a result.
//
// Mechanisms and their options, GPUs and keys come from the registries and tables themselves, so that new
// ones are drawn from the day they exist. What is left out is a table in combination.c with a reason for
// each; what does not go together is known by asking who refuses it.
#pragma once
#include "base/vec.h"
#include "differential/differential.h"
#include "sm/mech/tech.h"

// "gpu=tiny", "tech=darsie", "darsie:registers=2", "fetch.ibuffer=1", "host.threads=3": one a part, so that
// shrinking can drop parts.
struct combination {
    VEC(char *) parts;
};

void combination_fini(struct combination *c);
// A program (program.c) and a combination that it may be run with.
void combination_program(uint64_t seed, struct generated *out);
void combination_draw(uint64_t seed, const struct generated *program, struct combination *out);
// The same on the small GPU with these mechanisms, which go together.
void combination_draw_with(uint64_t seed, const struct generated *program, const struct tech *const *techs,
                           unsigned count, struct combination *out);
// Gives up options by which mechanisms keep values elsewhere than in a register's lanes, where the tests' own look for them.
void combination_stay_in_lanes(struct combination *c);
// On this GPU, for a program that is not made by the generator: mechanisms and keys, but none of the room that blocks need.
void combination_draw_on(uint64_t seed, const char *gpu, struct combination *out);
// As a user writes it: "gpu=tiny tech=darsie:registers=2+dac fetch.ibuffer=1".
void combination_write(const struct combination *c, struct strbuf *out);
void combination_read(const char *text, struct combination *out);
// One program in it. What is refused, for want of room, is given room (in `c`).
enum verdict combination_try(const char *text, struct combination *c, struct strbuf *why);
// Several programs at once (compare_together).
enum verdict combination_try_together(const char *const *texts, unsigned count, const char *breaker,
                                      struct combination *c, struct strbuf *why);
// The same from the beginning in a child process with a time limit.
enum verdict combination_judge(const char *text, struct combination *c, unsigned limit_s, struct strbuf *why);
// Makes the program and the combination as small as they get while the verdict stays `wanted`.
void combination_shrink(struct strbuf *text, struct combination *c, enum verdict wanted, bool verbose);
