// libFuzzer target: any bytes as JSON. No crash; refused input gives an error with its offset, and accepted
// input can be traversed and written again.
#include "base/json.h"
#include "base/json_read.h"

#include <stdlib.h>

static void require(int condition)
{
    if (!condition) abort();
}

static void write(struct json *j, const struct json_value *v, unsigned depth)
{
    if (depth > JSON_DEPTH_MAX - 2) return json_null(j);
    switch (v->type) {
    case JSON_NULL: return json_null(j);
    case JSON_FALSE:
    case JSON_TRUE: return json_bool(j, v->type == JSON_TRUE);
    case JSON_NUMBER: return json_f64(j, json_number(v));
    case JSON_STRING: return json_string(j, json_text(v));
    case JSON_ARRAY:
        json_open_array(j);
        for (v = v->first; v; v = v->next) write(j, v, depth + 1);
        return json_close_array(j);
    case JSON_OBJECT:
        json_open_object(j);
        for (v = v->first; v; v = v->next) {
            json_key(j, v->key);
            write(j, v, depth + 1);
        }
        return json_close_object(j);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct strbuf again = {0};
    struct json j;
    const char *why;
    size_t offset;
    arena_init(&a);
    const struct json_value *v = json_parse((const char *)data, size, &a, &why, &offset);
    require(offset <= size && (v != NULL) == (why == NULL));
    if (v) {
        json_init(&j, &again);
        write(&j, v, 0);
        require(json_parse(strbuf_text(&again), again.length, &a, &why, &offset) != NULL);
    }
    strbuf_fini(&again);
    arena_fini(&a);
    return 0;
}
