// Lexer: PTX text to tokens, one at a time, without copying.
//
// A word starting with a dot is one token: a directive (".reg"), a modifier (".rn", ".shared::cta") or a
// vector element (".x"), distinguished by the parser. Literals arrive converted. A byte outside any token
// is reported and skipped.
//
// Left out: the C preprocessor. Line markers ("# 12 file.cu", "#line") and #pragma are skipped, other
// directives are errors.
#pragma once
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,   // foo, %r1, $L__BB0_1, _
    TOKEN_DOT,    // .word, text is without the dot
    TOKEN_INT,    // value, is_unsigned
    TOKEN_F32,    // 0f3F800000: value is the 32 bits
    TOKEN_F64,    // 0d… or decimal: value is the 64 bits
    TOKEN_STRING, // text is between the quotes, escapes as written
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_COLON,
    TOKEN_QUESTION,
    TOKEN_AT,
    TOKEN_ASSIGN,
    TOKEN_LPAREN,
    TOKEN_RPAREN,
    TOKEN_LBRACE,
    TOKEN_RBRACE,
    TOKEN_LBRACKET,
    TOKEN_RBRACKET,
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_SLASH,
    TOKEN_PERCENT,
    TOKEN_SHL,
    TOKEN_SHR,
    TOKEN_LT,
    TOKEN_GT,
    TOKEN_LE,
    TOKEN_GE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_AMP,
    TOKEN_CARET,
    TOKEN_PIPE,
    TOKEN_ANDAND,
    TOKEN_OROR,
    TOKEN_NOT,
    TOKEN_TILDE
};

struct token {
    enum token_kind kind;
    bool is_unsigned;
    uint32_t length; // of text
    const char *text;
    uint64_t value;
    uint32_t line, column; // of the first byte, dot and quote included
};

struct lexer {
    const char *at, *end, *line_start;
    uint32_t line, source;
    struct diag *d;
};

void lex_init(struct lexer *l, const char *text, size_t length, uint32_t source, struct diag *d);
void lex_next(struct lexer *l, struct token *t);

// Text of a token for messages: "','", "end of file", "'foo'". Buffer of TOKEN_TEXT_BYTES.
enum { TOKEN_TEXT_BYTES = 64 };
const char *lex_token_text(const struct token *t, char *buffer);
// Text of an expected kind for messages.
const char *lex_kind_text(enum token_kind kind);

static inline struct loc lex_loc(const struct lexer *l, const struct token *t)
{
    uint32_t length = t->length + (t->kind == TOKEN_DOT) + (t->kind == TOKEN_STRING ? 2 : 0);
    return (struct loc){l->source, t->line, t->column, length};
}

static inline bool token_is(const struct token *t, const char *text, size_t length)
{
    return t->length == length && __builtin_memcmp(t->text, text, length) == 0;
}
