// Typed, documented, range-checked settings.
//
// Each layer describes its settings as a table of config_key over a plain struct of its own; a `struct
// config` is a list of such (table, struct) pairs and knows how to set a key by name, say what would be
// right, and print all keys. Settings come from defaults, then a GPU's file, then --set, and are frozen
// before anything runs.
#pragma once
#include "base/diag.h"
#include "base/hash.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum config_type { CONFIG_BOOL, CONFIG_U32, CONFIG_U64, CONFIG_F64, CONFIG_WORD, CONFIG_TEXT, CONFIG_BYTES };

struct config_key {
    const char *name;      // "compile.max_registers"
    enum config_type type; // BOOL is a bool, U32 a uint32_t, …, WORD an int (index into words), TEXT a const
                           // char *, BYTES a uint64_t that may be written with a suffix: 64K, 512M, 4G
    size_t offset;         // in the layer's struct
    double low, high;      // inclusive, numbers
    const char *const *words; // WORD: NULL-terminated; "NAME|OTHER" is one, NAME is written
    const char *initial;      // default, as text
    const char *meaning;      // with unit; NULL: for tests, shown in no list, suggestion or JSON
    const char *source;       // where the value comes from, or NULL
};

// A key without a source, of a setting that is a member of `struct_`.
#define CONFIG_KEY(struct_, field, type_, key, low_, high_, words_, initial_, meaning_)                      \
    {                                                                                                        \
        .name = key, .type = CONFIG_##type_, .offset = offsetof(struct_, field), .low = low_, .high = high_, \
        .words = words_, .initial = initial_, .meaning = meaning_                                            \
    }

// Keys that begin with a word of their own and that no table can list, because users name a part of them.
struct config_family {
    const char *prefix; // "class."
    void *context;
    // As config_set, with the whole name.
    bool (*set)(void *context, const char *name, const char *text, struct loc loc, struct diag *d);
    void (*write_json)(const void *context, struct json *j); // "class.big.count": 2, …
};

struct config_origin { // of a key's value
    bool is_set;       // otherwise it is the default
    struct loc loc;    // none: no file says it
    const char *why;   // what the file says of where it has the value from; NULL: nothing
};

enum { CONFIG_LAYERS_MAX = 12 };

struct config {
    struct arena arena; // texts
    struct config_layer {
        const struct config_key *keys;
        size_t key_count, shown; // shown: keys with a meaning
        void *values;
        struct config_origin *origins; // by key
    } layers[CONFIG_LAYERS_MAX];
    size_t layer_count;
    struct strmap numbers;       // by name: layer << 16 | key
    struct config_family family; // prefix NULL: there is none
};

void config_init(struct config *c);
void config_fini(struct config *c);
// Adds a layer and sets its defaults.
void config_add(struct config *c, const struct config_key *keys, size_t key_count, void *values);
void config_add_family(struct config *c, const struct config_family *family); // one at most
// Sets one key from text. False and a diagnostic (at `loc`) naming the nearest key or the allowed range.
bool config_set(struct config *c, const char *name, const char *text, struct loc loc, struct diag *d);
// As config_set, for a line of a file at `loc`: what was set without a file stays, wherever the two stand. `why`: where the
// file has the value from; NULL.
bool config_set_from_file(struct config *c, const char *name, const char *text, const char *why,
                          struct loc loc, struct diag *d);
// "KEY=VALUE".
bool config_set_pair(struct config *c, const char *pair, struct loc loc, struct diag *d);
// Reads a value of the key into another struct than its layer's. `name`: of the key, for the diagnostic. Not
// for texts.
bool config_read(const struct config_key *key, const char *name, const char *text, void *values,
                 struct loc loc, struct diag *d);
const struct config_key *config_find(const struct config *c, const char *name);
// Keys that files have set get their defaults again.
void config_forget_files(struct config *c);
struct config_origin config_origin(const struct config *c, const struct config_key *key);
// In order of the tables; NULL past the last.
const struct config_key *config_at(const struct config *c, size_t index);
void config_format(const struct config *c, const struct config_key *key, struct strbuf *out); // current value
void config_format_value(const struct config_key *key, const void *values, struct strbuf *out);
void config_format_range(const struct config_key *key, struct strbuf *out); // "16 to 255", "sass or ptxplus"
const char *config_type_name(enum config_type type);
void config_write_json(const struct config *c, struct json *j); // {"compile.profile": "sass", …}
void config_write_value(const struct config_key *key, const void *values, struct json *j);
