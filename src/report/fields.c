#include "report/fields.h"
#include "api/warpfold.h"

void report_text(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_string(j, text);
}

void report_u64(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    if (value == WF_UNKNOWN)
        json_null(j);
    else
        json_u64(j, value);
}

void report_f64(struct json *j, const char *key, double value)
{
    json_key(j, key);
    json_f64(j, value);
}

void report_nulls(struct json *j, const char *const *keys)
{
    for (; *keys; keys++) {
        json_key(j, *keys);
        json_null(j);
    }
}
