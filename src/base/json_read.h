// Reading JSON (RFC 8259) into a tree that lives in an arena.
#pragma once
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_type type;
    const char *key;          // in an object
    const char *text;         // of a string, unescaped; of a number, as it was written
    struct json_value *first; // element
    struct json_value *next;  // sibling
};

// NULL when the text is no JSON value: *why is a static text, *offset where it went wrong.
struct json_value *json_parse(const char *text, size_t length, struct arena *a, const char **why,
                              size_t *offset);
// All of these take NULL for an absent value, and then give their absent one.
const struct json_value *json_member(const struct json_value *v, const char *key); // NULL: none
const char *json_text(const struct json_value *v);                                 // NULL: no string
bool json_is_number(const struct json_value *v);
bool json_is_true(const struct json_value *v);      // false: another value, too
double json_number(const struct json_value *v);     // 0: no number
uint64_t json_unsigned(const struct json_value *v); // exact; 0: no such number
