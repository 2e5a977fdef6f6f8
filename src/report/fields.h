// Fields of a JSON object, a key and its value in one call.
#pragma once
#include "base/json.h"

void report_text(struct json *j, const char *key, const char *text); // NULL: null
void report_u64(struct json *j, const char *key, uint64_t value);    // WF_UNKNOWN: null
void report_f64(struct json *j, const char *key, double value);      // nan, inf: null
void report_nulls(struct json *j, const char *const *keys);          // what was not measured; ends with NULL
