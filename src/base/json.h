// A JSON writer into a string buffer. The writer places commas, indentation and escapes; the caller gives the
// structure. Numbers without a JSON form (nan, inf) become null.
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 32 };

struct json {
    struct strbuf *out;
    unsigned depth;
    bool filled[JSON_DEPTH_MAX]; // the level has an element already
    bool after_key;
};

void json_init(struct json *j, struct strbuf *out);
void json_open_object(struct json *j);
void json_close_object(struct json *j);
void json_open_array(struct json *j);
void json_close_array(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *text); // NULL: writes null
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_f64(struct json *j, double value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);
void json_quote(struct strbuf *out, const char *text); // appends "text" with quotes and escapes
void json_raw(struct json *j, const char *text);       // a complete JSON value; indented to the present level
// Appends JSON for the script element of a page: escapes every "<", since "</" would end the element, and drops
// indentation.
void json_embed(struct strbuf *out, const char *text);
