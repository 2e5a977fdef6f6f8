// The conformance suite: every instruction, type and modifier against the PTX ISA's rule for it, stated in C.
//
// A row is one spelling of an instruction with the rule of its result. Rows are applied to the cross
// product (sampled when large) of edge values of their operand types. One kernel loads the operands; a
// second kernel has constants for some or all operands, so that constant folding obeys the same rules. The
// rules are written from the PTX ISA alone, without code of the engine or the oracle.
//
//     rows_integer.c  9.7.1, 9.7.2, 9.7.8     rows_real.c     9.7.3 to 9.7.5, approximations
//     rows_select.c   9.7.6, 9.7.7, moves     rows_convert.c  cvt
//     format.c        floating-point formats  run.c           kernels made, run and compared
//     trial.c         hand-made kernels (trial.h) for memory, lanes, control flow
#pragma once
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 swide;

enum round { NEAREST, TO_ZERO, DOWN, UP, NEAREST_AWAY };

struct row;
// The results for operands v[0..3] (zero-extended bits): the first is returned, a second goes to *second.
typedef uint64_t (*row_rule)(const struct row *r, const uint64_t *v, uint64_t *second);
// Whether `got` is near enough, for approximations.
typedef bool (*row_near)(const struct row *r, const uint64_t *v, uint64_t got);

struct row {
    // "add.sat.s32 D, A, B": D and Q are destinations, A B C E sources, each a whole word.
    char text[104];
    // Operand kinds, destinations ':' sources: r 32 bits, d 64, h 16, f f32, g f64, p predicate, q f16, b
    // bf16, x f16x2, y bf16x2, s shift amount, w bit position or length, c byte selector
    char kinds[12];
    row_rule rule;
    row_near near; // instead of rule
    // Parameters of the rule, set by the builder of the row.
    swide (*op)(swide a, swide b, swide c, unsigned bits);
    unsigned bits, from_bits;
    bool is_signed, from_signed;
    int code; // operation, comparison …, in the rule's own numbering
    enum round round;
    bool ftz, sat, relu, nan, xorsign, integral;
    double tolerance;
    const char *refused; // PTX refused by this machine: a word in the message; NULL: accepted
};

struct rows {
    VEC(struct row) list;
};

// Adds a copy of the row with the text formatted.
void row_add(struct rows *rows, struct row r, const char *format, ...) __attribute__((format(printf, 3, 4)));

void rows_integer(struct rows *rows);
void rows_select(struct rows *rows);
void rows_real(struct rows *rows);
void rows_approximate(struct rows *rows);
void rows_convert(struct rows *rows);

// ---- statements of the formats, shared by the rows (format.c)

struct format { // IEEE 754 interchange formats in numbers
    unsigned bits, fraction_bits;
    int bias;
};
extern const struct format half, brain, single, twice; // f16, bf16, f32, f64
bool format_is_nan(const struct format *f, uint64_t bits);
bool format_is_subnormal(const struct format *f, uint64_t bits);
uint64_t format_flush(const struct format *f, uint64_t bits); // subnormal to zero with its sign
double format_value(const struct format *f, uint64_t bits);   // exact; f16, bf16, f32
// The bits of the value of `f` nearest to x in direction `round`, found by bisection over the format's
// values. above: the side of the double x on which the exact value lies (-1, 0, 1).
uint64_t format_round(const struct format *f, double x, int above, enum round round);
uint64_t format_canonical_nan(const struct format *f);

// ---- running (run.c)
struct test;
struct configuration {
    const char *name;
    const char *settings[5];
};
// Runs every row under the configuration and compares with the rules; a difference fails the case.
void run_rows(struct test *t, const struct rows *rows, const struct configuration *c);
void run_rows_oracle(struct test *t, const struct rows *rows);
// A module of every n-th row as text, for other tools to judge.
struct strbuf;
void write_rows(const struct rows *rows, unsigned every, struct strbuf *text);
