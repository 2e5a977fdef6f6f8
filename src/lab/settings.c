#include "lab/settings.h"
#include "api/warpfold.h"
#include "base/hash.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

struct origins {
    struct arena arena;
    VEC(const struct json_value *) list; // configurations of the bundled GPUs, in the order of wf_gpu_at
};

static const char *text_of(const struct json_value *v)
{
    return v->text ? v->text : v->type == JSON_TRUE ? "true" : "false";
}

static void name_of(const struct json_value *config, char name[17])
{
    struct strbuf all = {0};
    for (const struct json_value *v = config->first; v; v = v->next)
        strbuf_printf(&all, "%s=%s\n", v->key, text_of(v));
    snprintf(name, 17, "%016llx", (unsigned long long)hash_bytes(all.text, all.length, 0));
    strbuf_fini(&all);
}

static struct origins *make_origins(void)
{
    struct origins *o = heap_alloc(sizeof *o);
    const char *gpu, *meaning, *why;
    size_t offset;
    arena_init(&o->arena);
    for (size_t i = 0; wf_gpu_at(i, &gpu, &meaning); i++) {
        struct wf_context *c = wf_context_create();
        const char *text = wf_gpu(c, gpu) == WF_OK ? wf_config_json(c) : "";
        const struct json_value *v = json_parse(text, strlen(text), &o->arena, &why, &offset);
        if (v) vec_push(&o->list, v);
        wf_context_destroy(c);
    }
    return o;
}

void settings_fini(struct database *db)
{
    if (!db->origins) return;
    vec_fini(&db->origins->list);
    arena_fini(&db->origins->arena);
    free(db->origins);
    db->origins = NULL;
}

// Number of settings with different values; the comparison stops at `most` differences. SIZE_MAX: keys
// differ before the stop.
static size_t difference(const struct json_value *a, const struct json_value *b, size_t most)
{
    size_t count = 0;
    for (a = a->first, b = b->first; a && b && count < most; a = a->next, b = b->next) {
        if (!str_equal(a->key, b->key)) return SIZE_MAX;
        count += !str_equal(text_of(a), text_of(b));
    }
    return count >= most ? most : a || b ? SIZE_MAX : count;
}

// The bundled GPU's configuration with the fewest settings different from `config`. NULL: the keys of
// `config` differ from the build's keys.
static const struct json_value *nearest(const struct origins *o, const struct json_value *config)
{
    const struct json_value *best = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < o->list.count && least; i++) {
        size_t count = difference(o->list.data[i], config, least);
        if (count >= least) continue;
        least = count;
        best = o->list.data[i];
    }
    return best;
}

static bool is_known(struct database *db, const char *name)
{
    sqlite3_stmt *s = database_query(db, "SELECT 1 FROM config_origins WHERE config = ?", "t", name);
    bool known = s && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return known;
}

// Stores a configuration as differences from `origin`, a bundled GPU's configuration; in full if both have
// the same name.
static bool store(struct database *db, const struct json_value *config, const char *name,
                  const struct json_value *origin, const char *origin_name)
{
    bool whole = str_equal(name, origin_name),
         good = database_do(db, "INSERT INTO config_origins VALUES (?, ?)", "tt", name, origin_name);
    for (const struct json_value *v = config->first, *o = origin->first; v && good; v = v->next, o = o->next)
        if (whole || !str_equal(text_of(v), text_of(o)))
            good = database_do(db, "INSERT INTO config_values VALUES (?, ?, ?)", "ttt", name, v->key,
                               text_of(v));
    return good;
}

bool settings_store(struct database *db, const struct json_value *config, char name[17])
{
    char origin_name[17];
    name_of(config, name);
    if (is_known(db, name)) return true;
    if (!db->origins) db->origins = make_origins();
    const struct json_value *origin = nearest(db->origins, config);
    if (!origin) origin = config;
    name_of(origin, origin_name);
    if (!str_equal(origin_name, name) && !is_known(db, origin_name) &&
        !store(db, origin, origin_name, origin, origin_name))
        return false;
    return store(db, config, name, origin, origin_name);
}
