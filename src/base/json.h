// A JSON writer into a string buffer: it places commas and indentation and escapes text, the caller gives
// structure. Numbers that JSON cannot hold (nan, inf) become null.
#pragma once
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 32 };

struct json {
    struct strbuf *out;
    unsigned depth;
    bool filled[JSON_DEPTH_MAX]; // this level has an element already
    bool after_key;
};

void json_init(struct json *j, struct strbuf *out);
void json_open_object(struct json *j);
void json_close_object(struct json *j);
void json_open_array(struct json *j);
void json_close_array(struct json *j);
void json_key(struct json *j, const char *key);
void json_string(struct json *j, const char *text); // NULL writes null
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_f64(struct json *j, double value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);
void json_quote(struct strbuf *out, const char *text); // "text", escaped, for those who write JSON themselves
void json_raw(struct json *j, const char *text); // a whole value written elsewhere, indented to this level
