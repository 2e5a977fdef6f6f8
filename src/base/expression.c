#include "base/expression.h"
#include "base/str.h"

#include <string.h>

enum { NESTING_MOST = 100 };

struct reader {
    const char *text;
    size_t at;
    struct arena *arena;
    const char *why;
    unsigned nesting;
};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The next character that is no blank.
static char next(struct reader *r)
{
    while (r->text[r->at] == ' ' || r->text[r->at] == '\t') r->at++;
    return r->text[r->at];
}

static const struct expression *fail(struct reader *r, const char *why)
{
    if (!r->why) r->why = why;
    return NULL;
}

static const struct expression *make(struct reader *r, enum expression_op op, const struct expression *left,
                                     const struct expression *right)
{
    struct expression *e = ARENA_NEW(r->arena, struct expression);
    *e = (struct expression){.op = op, .left = left, .right = right};
    return e;
}

static const struct expression *make_leaf(struct reader *r, enum expression_op op, size_t length)
{
    struct expression *e = ARENA_NEW(r->arena, struct expression);
    *e = (struct expression){.op = op, .text = arena_strndup(r->arena, r->text + r->at, length)};
    r->at += length;
    return e;
}

static const struct expression *sum(struct reader *r);

static const struct expression *number(struct reader *r)
{
    const char *from = r->text + r->at;
    size_t length = strspn(from, "0123456789");
    double value;
    if (from[length] == '.') length += 1 + strspn(from + length + 1, "0123456789");
    if (from[length] == 'e' || from[length] == 'E') {
        size_t sign = from[length + 1] == '-' || from[length + 1] == '+';
        if (is_digit(from[length + 1 + sign]))
            length += 1 + sign + strspn(from + length + 1 + sign, "0123456789");
    }
    const struct expression *e = make_leaf(r, EXPRESSION_NUMBER, length);
    return str_to_f64(e->text, &value) && !is_letter(r->text[r->at]) ? e : fail(r, "a malformed number");
}

static const struct expression *name(struct reader *r)
{
    const char *from = r->text + r->at;
    size_t length = 0;
    while (is_letter(from[length]) || is_digit(from[length]) || from[length] == '.') length++;
    return make_leaf(r, EXPRESSION_NAME, length);
}

static const struct expression *in_brackets(struct reader *r)
{
    r->at++;
    const struct expression *e = sum(r);
    if (!e) return NULL;
    if (next(r) != ')') return fail(r, "a bracket is not closed");
    r->at++;
    return e;
}

static const struct expression *factor(struct reader *r)
{
    char c = next(r);
    const struct expression *e;
    if (r->nesting++ > NESTING_MOST) return fail(r, "nested too deep");
    if (is_digit(c)) {
        e = number(r);
    } else if (is_letter(c)) {
        e = name(r);
    } else if (c == '(') {
        e = in_brackets(r);
    } else if (c == '-') {
        r->at++;
        e = factor(r);
        if (e) e = make(r, EXPRESSION_NEGATE, e, NULL);
    } else {
        e = fail(r, "a name, a number or a bracket is missing");
    }
    r->nesting--;
    return e;
}

static const struct expression *product(struct reader *r)
{
    const struct expression *e = factor(r);
    for (char c; e && ((c = next(r)) == '*' || c == '/');) {
        r->at++;
        const struct expression *right = factor(r);
        e = right ? make(r, c == '*' ? EXPRESSION_MULTIPLY : EXPRESSION_DIVIDE, e, right) : NULL;
    }
    return e;
}

static const struct expression *sum(struct reader *r)
{
    const struct expression *e = product(r);
    for (char c; e && ((c = next(r)) == '+' || c == '-');) {
        r->at++;
        const struct expression *right = product(r);
        e = right ? make(r, c == '+' ? EXPRESSION_ADD : EXPRESSION_SUBTRACT, e, right) : NULL;
    }
    return e;
}

const struct expression *expression_parse(const char *text, struct arena *arena, const char **why, size_t *at)
{
    struct reader r = {.text = text, .arena = arena};
    const struct expression *e = sum(&r);
    if (e && next(&r)) e = fail(&r, "an operator is missing");
    *why = r.why;
    *at = r.at;
    return e;
}

// -- integers -----------------------------------------------------------------------------------------------

struct evaluation {
    bool (*value_of)(void *context, const char *name, int64_t *value);
    void *context;
    const char *why;
};

static bool stop(struct evaluation *v, const char *why)
{
    v->why = why;
    return false;
}

static bool combine(struct evaluation *v, enum expression_op op, int64_t a, int64_t b, int64_t *value)
{
    static const char overflow[] = "a value of more than 64 bits";
    switch (op) {
    case EXPRESSION_ADD: return !__builtin_add_overflow(a, b, value) || stop(v, overflow);
    case EXPRESSION_SUBTRACT: return !__builtin_sub_overflow(a, b, value) || stop(v, overflow);
    case EXPRESSION_MULTIPLY: return !__builtin_mul_overflow(a, b, value) || stop(v, overflow);
    case EXPRESSION_DIVIDE:
        if (!b) return stop(v, "a division by zero");
        if (a == INT64_MIN && b == -1) return stop(v, overflow);
        *value = a / b;
        return true;
    case EXPRESSION_NUMBER:
    case EXPRESSION_NAME:
    case EXPRESSION_NEGATE: break; // no operators of two operands
    }
    return false;
}

static bool evaluate(struct evaluation *v, const struct expression *e, int64_t *value)
{
    int64_t left, right = 0;
    if (e->op == EXPRESSION_NUMBER)
        return str_to_i64(e->text, value) || stop(v, "a number that is no integer");
    if (e->op == EXPRESSION_NAME)
        return v->value_of(v->context, e->text, value) || stop(v, "an unknown name");
    if (!evaluate(v, e->left, &left)) return false;
    if (e->op == EXPRESSION_NEGATE) return combine(v, EXPRESSION_SUBTRACT, 0, left, value);
    return evaluate(v, e->right, &right) && combine(v, e->op, left, right, value);
}

bool expression_integer(const struct expression *e,
                        bool (*value_of)(void *context, const char *name, int64_t *value), void *context,
                        int64_t *value, const char **why)
{
    struct evaluation v = {value_of, context, NULL};
    bool good = evaluate(&v, e, value);
    *why = v.why;
    return good;
}
