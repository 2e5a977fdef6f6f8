// Lexer. A class table says how a byte may start or continue a token; lex_next does the rest.
#include "ptx/lex.h"

#include <math.h>
#include <string.h>

enum { FOLLOW = 1, DIGIT = 2, HEX = 4, SPACE = 8 };

// Class of a byte: bits FOLLOW (in names and numbers), DIGIT, HEX, SPACE. Bytes from 0x80 count as name
// characters, so UTF-8 identifiers written by other PTX compilers pass through.
static inline unsigned class_of(unsigned char c)
{
    static const unsigned char classes[256] = {
        ['0' ... '9'] = FOLLOW | DIGIT | HEX,
        ['a' ... 'f'] = FOLLOW | HEX,
        ['A' ... 'F'] = FOLLOW | HEX,
        ['g' ... 'z'] = FOLLOW,
        ['G' ... 'Z'] = FOLLOW,
        ['_'] = FOLLOW,
        ['$'] = FOLLOW,
        [0x80 ... 0xff] = FOLLOW,
        [' '] = SPACE,
        ['\t'] = SPACE,
        ['\r'] = SPACE,
        ['\f'] = SPACE,
        ['\v'] = SPACE,
    };
    return classes[c];
}

static inline int peek(const struct lexer *l, size_t ahead)
{
    return (size_t)(l->end - l->at) > ahead ? (unsigned char)l->at[ahead] : -1;
}

void lex_init(struct lexer *l, const char *text, size_t length, uint32_t source, struct diag *d)
{
    *l = (struct lexer){
        .at = text, .end = text + length, .line_start = text, .line = 1, .source = source, .d = d};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) l->at += 3; // byte order mark
}

static struct loc here(const struct lexer *l, size_t length)
{
    return (struct loc){l->source, l->line, (uint32_t)(l->at - l->line_start) + 1, (uint32_t)length};
}

static void new_line(struct lexer *l)
{
    l->line++;
    l->line_start = l->at;
}

static void skip_to_line_end(struct lexer *l)
{
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->at = stop ? stop : l->end;
}

static void skip_block_comment(struct lexer *l)
{
    struct loc start = here(l, 2);
    l->at += 2;
    while (l->at < l->end) {
        if (*l->at == '*' && peek(l, 1) == '/') {
            l->at += 2;
            return;
        }
        if (*l->at++ == '\n') new_line(l);
    }
    diag_error(l->d, start, "this comment has no end; expected \"*/\"");
}

// "# 12 "k.cu"", "#line 12": skips a line marker, or #pragma. Other lines with '#' are for a preprocessor: an
// error.
static void skip_hash_line(struct lexer *l)
{
    const char *p = l->at + 1;
    while (p < l->end && (*p == ' ' || *p == '\t')) p++;
    size_t left = (size_t)(l->end - p);
    bool marker = !left || *p == '\n' || *p == '\r' || class_of((unsigned char)*p) & DIGIT ||
                  (left >= 4 && memcmp(p, "line", 4) == 0) || (left >= 6 && memcmp(p, "pragma", 6) == 0);
    if (!marker)
        diag_error(l->d, here(l, 1), "preprocessor line in PTX; run the C preprocessor over the file first");
    skip_to_line_end(l);
}

// Skips blanks, comments and lines with "#" or "@@". Leaves `at` on the first byte of a token, or at the end.
static void skip_blank(struct lexer *l)
{
    for (;;) {
        int c = peek(l, 0);
        if (c == '\n') {
            l->at++;
            new_line(l);
        } else if (c >= 0 && class_of((unsigned char)c) & SPACE) {
            l->at++;
        } else if (c == '/' && peek(l, 1) == '/') {
            skip_to_line_end(l);
        } else if (c == '/' && peek(l, 1) == '*') {
            skip_block_comment(l);
        } else if (c == '@' && peek(l, 1) == '@') { // "@@DWARF …": debug data of old compilers
            skip_to_line_end(l);
        } else if (c == '#') {
            skip_hash_line(l);
        } else {
            return;
        }
    }
}

static size_t follow_length(const struct lexer *l, size_t from)
{
    const char *p = l->at + from;
    while (p < l->end && class_of((unsigned char)*p) & FOLLOW) p++;
    return (size_t)(p - l->at);
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static bool hex_bits(const char *text, size_t length, uint64_t *bits)
{
    *bits = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_value(text[i]);
        if (digit > 15) return false;
        *bits = *bits << 4 | (uint64_t)digit;
    }
    return true;
}

// 0[fF]hex{8} and 0[dD]hex{16} (PTX ISA 4.5.2).
static void lex_exact_float(struct lexer *l, struct token *t, size_t length, size_t digits)
{
    t->kind = digits == 8 ? TOKEN_F32 : TOKEN_F64;
    if (length != 2 + digits || !hex_bits(l->at + 2, digits, &t->value)) {
        diag_error(l->d, here(l, length),
                   "'%.*s' is no %s constant; expected 0%c and exactly %zu hexadecimal digits",
                   (int)(length > 40 ? 40 : length), l->at, digits == 8 ? "f32" : "f64", l->at[1], digits);
        t->value = 0;
    }
    l->at += length;
}

static void lex_decimal_float(struct lexer *l, struct token *t, size_t length)
{
    char digits[128], *end;
    size_t n = length < sizeof digits - 1 ? length : sizeof digits - 1;
    memcpy(digits, l->at, n);
    digits[n] = 0;
    double value = strtod(digits, &end);
    if (isinf(value))
        diag_error(l->d, here(l, length), "the constant %.40s does not fit an f64", digits);
    else if (n < length || end != digits + n)
        diag_error(l->d, here(l, length), "'%.40s' is no floating-point constant", digits);
    memcpy(&t->value, &value, sizeof value);
    t->kind = TOKEN_F64;
    l->at += length;
}

// Length of a decimal float literal at the lexer: digits [. digits] [e [sign] digits]; 0 without a dot or an
// exponent.
static size_t decimal_float_length(const struct lexer *l)
{
    size_t i = 0;
    bool is_float = false;
    while (peek(l, i) >= '0' && peek(l, i) <= '9') i++;
    if (peek(l, i) == '.') {
        is_float = true;
        i++;
        while (peek(l, i) >= '0' && peek(l, i) <= '9') i++;
    }
    if (i && (peek(l, i) == 'e' || peek(l, i) == 'E')) {
        size_t j = i + 1;
        if (peek(l, j) == '+' || peek(l, j) == '-') j++;
        if (peek(l, j) >= '0' && peek(l, j) <= '9') {
            is_float = true;
            for (i = j; peek(l, i) >= '0' && peek(l, i) <= '9';) i++;
        }
    }
    return is_float ? i : 0;
}

static void lex_integer(struct lexer *l, struct token *t, size_t length)
{
    const char *p = l->at, *stop = p + length;
    int base = 10;
    if (length > 1 && *p == '0') {
        base = p[1] == 'x' || p[1] == 'X' ? 16 : p[1] == 'b' || p[1] == 'B' ? 2 : 8;
        p += base == 8 ? 1 : 2;
    }
    if (stop > p && stop[-1] == 'U') {
        t->is_unsigned = true;
        stop--;
    }
    bool good = stop > p || (base == 8 && p > l->at), fits = true;
    uint64_t value = 0;
    for (; p < stop; p++) {
        int digit = digit_value(*p);
        good &= digit < base;
        fits &= !__builtin_mul_overflow(value, (uint64_t)base, &value) &&
                !__builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    if (!good)
        diag_error(l->d, here(l, length), "'%.*s' is no integer constant", (int)(length > 40 ? 40 : length),
                   l->at);
    else if (!fits)
        diag_error(l->d, here(l, length), "the constant does not fit 64 bits");
    if (value > INT64_MAX) t->is_unsigned = true;
    t->kind = TOKEN_INT;
    t->value = value;
    l->at += length;
}

static void lex_number(struct lexer *l, struct token *t)
{
    size_t length = follow_length(l, 0);
    int second = peek(l, 1);
    size_t float_length = second == 'x' || second == 'X' ? 0 : decimal_float_length(l);
    if (*l->at == '0' && (second == 'f' || second == 'F'))
        lex_exact_float(l, t, length, 8);
    else if (*l->at == '0' && (second == 'd' || second == 'D'))
        lex_exact_float(l, t, length, 16);
    else if (float_length)
        lex_decimal_float(l, t, float_length);
    else
        lex_integer(l, t, length);
    t->length = (uint32_t)(l->at - t->text);
}

// ".word", with "::" inside words (".shared::cta", ".L2::128B").
static void lex_dot(struct lexer *l, struct token *t)
{
    size_t length = follow_length(l, 1);
    while (length > 1 && peek(l, length) == ':' && peek(l, length + 1) == ':' && peek(l, length + 2) >= 0 &&
           class_of((unsigned char)peek(l, length + 2)) & FOLLOW)
        length = follow_length(l, length + 2);
    if (length == 1) diag_error(l->d, here(l, 1), "expected a word after '.'");
    t->kind = TOKEN_DOT;
    t->text = l->at + 1;
    t->length = (uint32_t)length - 1;
    l->at += length;
}

static void lex_string(struct lexer *l, struct token *t)
{
    const char *p = l->at + 1;
    while (p < l->end && *p != '"' && *p != '\n') p += *p == '\\' && l->end - p > 1 && p[1] != '\n' ? 2 : 1;
    t->kind = TOKEN_STRING;
    t->text = l->at + 1;
    t->length = (uint32_t)(p - t->text);
    if (p >= l->end || *p != '"')
        diag_error(l->d, here(l, 1), "this string has no end; expected '\"' on the same line");
    else
        p++;
    l->at = p;
}

// Token of a single byte; TOKEN_END: no token.
static enum token_kind single(unsigned char c)
{
    static const unsigned char kinds[256] = {
        [','] = TOKEN_COMMA,   [';'] = TOKEN_SEMICOLON, [':'] = TOKEN_COLON,    ['?'] = TOKEN_QUESTION,
        ['@'] = TOKEN_AT,      ['='] = TOKEN_ASSIGN,    ['('] = TOKEN_LPAREN,   [')'] = TOKEN_RPAREN,
        ['{'] = TOKEN_LBRACE,  ['}'] = TOKEN_RBRACE,    ['['] = TOKEN_LBRACKET, [']'] = TOKEN_RBRACKET,
        ['+'] = TOKEN_PLUS,    ['-'] = TOKEN_MINUS,     ['*'] = TOKEN_STAR,     ['/'] = TOKEN_SLASH,
        ['%'] = TOKEN_PERCENT, ['<'] = TOKEN_LT,        ['>'] = TOKEN_GT,       ['&'] = TOKEN_AMP,
        ['^'] = TOKEN_CARET,   ['|'] = TOKEN_PIPE,      ['!'] = TOKEN_NOT,      ['~'] = TOKEN_TILDE,
    };
    return (enum token_kind)kinds[c];
}

// Token of two bytes; TOKEN_END: the bytes are two tokens.
static enum token_kind paired(unsigned char c, int second)
{
    if (second == '=') {
        if (c == '<') return TOKEN_LE;
        if (c == '>') return TOKEN_GE;
        if (c == '=') return TOKEN_EQ;
        if (c == '!') return TOKEN_NE;
    } else if (second == c) {
        if (c == '<') return TOKEN_SHL;
        if (c == '>') return TOKEN_SHR;
        if (c == '&') return TOKEN_ANDAND;
        if (c == '|') return TOKEN_OROR;
    }
    return TOKEN_END;
}

// Reports a run of bytes outside any token as one error, and skips the run.
static void skip_garbage(struct lexer *l)
{
    const char *p = l->at;
    while (p < l->end && !class_of((unsigned char)*p) && !strchr("\n\"#.", *p) && !single((unsigned char)*p))
        p++;
    size_t length = (size_t)(p - l->at) + (p == l->at);
    unsigned char c = (unsigned char)*l->at;
    if (c > ' ' && c < 0x7f)
        diag_error(l->d, here(l, length), "'%c' has no meaning in PTX", c);
    else
        diag_error(l->d, here(l, length), "byte 0x%02x has no place in PTX text", c);
    l->at += length;
}

void lex_next(struct lexer *l, struct token *t)
{
    for (;;) {
        skip_blank(l);
        int c = peek(l, 0), second = peek(l, 1);
        t->text = l->at;
        t->line = l->line;
        t->column = (uint32_t)(l->at - l->line_start) + 1;
        t->is_unsigned = false;
        t->value = 0;
        t->length = 0;
        t->kind = TOKEN_END;
        if (c < 0) return;
        unsigned class = class_of((unsigned char)c);
        bool glued = l->at > l->line_start && class_of((unsigned char)l->at[-1]) & FOLLOW;
        if (class & DIGIT || (c == '.' && !glued && second >= '0' && second <= '9')) {
            lex_number(l, t);
        } else if (class & FOLLOW || (c == '%' && second >= 0 && class_of((unsigned char)second) & FOLLOW)) {
            size_t length = follow_length(l, 1);
            t->kind = TOKEN_NAME;
            t->length = (uint32_t)length;
            l->at += length;
        } else if (c == '.') {
            lex_dot(l, t);
        } else if (c == '"') {
            lex_string(l, t);
        } else {
            t->kind = single((unsigned char)c);
            if (t->kind == TOKEN_END) {
                skip_garbage(l);
                continue;
            }
            enum token_kind pair = paired((unsigned char)c, second);
            if (pair) t->kind = pair;
            t->length = pair ? 2 : 1;
            l->at += t->length;
        }
        return;
    }
}

const char *lex_kind_text(enum token_kind kind)
{
    static const char *const texts[] = {
        [TOKEN_END] = "end of file", [TOKEN_NAME] = "a name",    [TOKEN_DOT] = "a directive",
        [TOKEN_INT] = "an integer",  [TOKEN_F32] = "a constant", [TOKEN_F64] = "a constant",
        [TOKEN_STRING] = "a string", [TOKEN_COMMA] = "','",      [TOKEN_SEMICOLON] = "';'",
        [TOKEN_COLON] = "':'",       [TOKEN_QUESTION] = "'?'",   [TOKEN_AT] = "'@'",
        [TOKEN_ASSIGN] = "'='",      [TOKEN_LPAREN] = "'('",     [TOKEN_RPAREN] = "')'",
        [TOKEN_LBRACE] = "'{'",      [TOKEN_RBRACE] = "'}'",     [TOKEN_LBRACKET] = "'['",
        [TOKEN_RBRACKET] = "']'",    [TOKEN_PLUS] = "'+'",       [TOKEN_MINUS] = "'-'",
        [TOKEN_STAR] = "'*'",        [TOKEN_SLASH] = "'/'",      [TOKEN_PERCENT] = "'%'",
        [TOKEN_SHL] = "'<<'",        [TOKEN_SHR] = "'>>'",       [TOKEN_LT] = "'<'",
        [TOKEN_GT] = "'>'",          [TOKEN_LE] = "'<='",        [TOKEN_GE] = "'>='",
        [TOKEN_EQ] = "'=='",         [TOKEN_NE] = "'!='",        [TOKEN_AMP] = "'&'",
        [TOKEN_CARET] = "'^'",       [TOKEN_PIPE] = "'|'",       [TOKEN_ANDAND] = "'&&'",
        [TOKEN_OROR] = "'||'",       [TOKEN_NOT] = "'!'",        [TOKEN_TILDE] = "'~'",
    };
    return texts[kind];
}

const char *lex_token_text(const struct token *t, char *buffer)
{
    int length = t->length > 40 ? 40 : (int)t->length;
    switch ((int)t->kind) {
    case TOKEN_NAME:
    case TOKEN_INT:
    case TOKEN_F32:
    case TOKEN_F64: snprintf(buffer, TOKEN_TEXT_BYTES, "'%.*s'", length, t->text); return buffer;
    case TOKEN_DOT: snprintf(buffer, TOKEN_TEXT_BYTES, "'.%.*s'", length, t->text); return buffer;
    case TOKEN_STRING: return "a string";
    default: return lex_kind_text(t->kind);
    }
}
