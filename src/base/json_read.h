// Reads JSON (RFC 8259) into a tree in an arena.
#pragma once
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_type type;
    const char *key;          // of a member of an object
    const char *text;         // string: unescaped; number: as written
    struct json_value *first; // first element or member
    struct json_value *next;  // sibling
};

// NULL if the text is no JSON value, is nested over 64 levels, or contains \u0000. *why is a static text,
// *offset the error's position in bytes.
struct json_value *json_parse(const char *text, size_t length, struct arena *a, const char **why,
                              size_t *offset);
// `v` may be NULL for an absent value; the result is then the value for absence.
const struct json_value *json_member(const struct json_value *v, const char *key); // NULL: absent
const char *json_text(const struct json_value *v);                                 // NULL: no string
bool json_is_number(const struct json_value *v);
bool json_is_true(const struct json_value *v);      // false also for other values
double json_number(const struct json_value *v);     // 0 if v is no number
uint64_t json_unsigned(const struct json_value *v); // exact; 0 if v is no unsigned number
