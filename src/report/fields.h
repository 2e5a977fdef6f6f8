// Fields of a JSON object: key and value in one call.
#pragma once
#include "base/json.h"

void report_text(struct json *j, const char *key, const char *text); // NULL: null
void report_u64(struct json *j, const char *key, uint64_t value);    // WF_UNKNOWN: null
void report_f64(struct json *j, const char *key, double value);      // nan, inf: null
// Writes null for every key of the list, which ends with NULL; for keys without a measured value.
void report_nulls(struct json *j, const char *const *keys);
