// Typed, documented, range-checked settings.
//
// Each layer describes its settings in a table of config_key over a plain struct. A `struct config` is a list
// of (table, struct) pairs. The functions set keys by name, report valid values, and print all keys. A value
// set by --set goes before the value in a GPU's file, which goes before the default.
#pragma once
#include "base/diag.h"
#include "base/hash.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum config_type { CONFIG_BOOL, CONFIG_U32, CONFIG_U64, CONFIG_F64, CONFIG_WORD, CONFIG_TEXT, CONFIG_BYTES };

struct config_key {
    const char *name; // "compile.max_registers"
    // BOOL: bool. U32: uint32_t. U64: uint64_t. F64: double. WORD: int, an index into `words`. TEXT: const
    // char *. BYTES: uint64_t, written with an optional suffix (64K, 512M, 4G).
    enum config_type type;
    size_t offset;            // in the layer's struct
    double low, high;         // bounds of a number, inclusive
    const char *const *words; // WORD: NULL-terminated; "NAME|OTHER" is a single word, printed as NAME
    const char *initial;      // default, as text
    const char *meaning;      // with unit; NULL: a key for tests, absent from lists, suggestions and JSON
    const char *source;       // source of the default value, or NULL
};

// A config_key without a source, for the member `field` of `struct_`.
#define CONFIG_KEY(struct_, field, type_, key, low_, high_, words_, initial_, meaning_)                      \
    {                                                                                                        \
        .name = key, .type = CONFIG_##type_, .offset = offsetof(struct_, field), .low = low_, .high = high_, \
        .words = words_, .initial = initial_, .meaning = meaning_                                            \
    }

// Rows of config.def in a room (a folder of src/), for both uses of the file: a member of the room's struct,
// and the config_key of the member. A room names its rows and defines the names before an include:
//
//     ROOM_U32(field, "key", low, high, initial, "meaning", "source")         uint32_t
//     ROOM_BOOL(field, "key", "initial", "meaning", "source")                 bool
//     ROOM_TEXT(field, "key", "initial", "meaning", "source")                 const char *
//     ROOM_WORD(field, "key", type, words, "initial", "meaning", "source")    int, an index into type##_words
//
//     #define ROOM_U32 CONFIG_MEMBER_U32                                      in the struct
//     #define ROOM_U32(...) CONFIG_ROW_U32(struct room_config, __VA_ARGS__)   in the array of keys
//
// `words` is for readers of config.def alone: the words of the room's array type##_words.
#define CONFIG_MEMBER_U32(field, ...)  uint32_t field;
#define CONFIG_MEMBER_BOOL(field, ...) bool field;
#define CONFIG_MEMBER_TEXT(field, ...) const char *field;
#define CONFIG_MEMBER_WORD(field, ...) int field;

#define CONFIG_ROW_U32(struct_, field, key, low, high, initial, meaning, source)                             \
    {key, CONFIG_U32, offsetof(struct_, field), low, high, NULL, #initial, meaning, source},
#define CONFIG_ROW_BOOL(struct_, field, key, initial, meaning, source)                                       \
    {key, CONFIG_BOOL, offsetof(struct_, field), 0, 1, NULL, initial, meaning, source},
#define CONFIG_ROW_TEXT(struct_, field, key, initial, meaning, source)                                       \
    {key, CONFIG_TEXT, offsetof(struct_, field), 0, 0, NULL, initial, meaning, source},
#define CONFIG_ROW_WORD(struct_, field, key, type, words, initial, meaning, source)                          \
    {key, CONFIG_WORD, offsetof(struct_, field), 0, 0, type##_words, initial, meaning, source},

// Keys with a common prefix that no table can list, because users choose a part of the name.
struct config_family {
    const char *prefix; // "class."
    void *context;
    // config_set for the whole name.
    bool (*set)(void *context, const char *name, const char *text, struct loc loc, struct diag *d);
    void (*write_json)(const void *context, struct json *j); // "class.big.count": 2, …
};

// Origin of a key's value.
struct config_origin {
    bool is_set;     // false: the default
    struct loc loc;  // loc_none: not set by a file
    const char *why; // source of the value given in the file, or NULL
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
    struct config_family family; // prefix NULL: no family
};

void config_init(struct config *c);
void config_fini(struct config *c);
// Adds a layer and sets its defaults.
void config_add(struct config *c, const struct config_key *keys, size_t key_count, void *values);
void config_add_family(struct config *c, const struct config_family *family); // at most one family
// Sets one key from text. False and a diagnostic (at `loc`) naming the nearest key or the allowed range.
bool config_set(struct config *c, const char *name, const char *text, struct loc loc, struct diag *d);
// config_set for a line of a file at `loc`. A value set outside files is kept, whatever the order of the
// calls; not so for keys of the family. `why`: source of the value given in the file, or NULL.
bool config_set_from_file(struct config *c, const char *name, const char *text, const char *why,
                          struct loc loc, struct diag *d);
// config_set from "KEY=VALUE".
bool config_set_pair(struct config *c, const char *pair, struct loc loc, struct diag *d);
// Parses a value of the key into a struct other than the layer's. `name`: the key's name in diagnostics. Not
// for keys of type TEXT. False and a diagnostic: the text is no value of the key.
bool config_read(const struct config_key *key, const char *name, const char *text, void *values,
                 struct loc loc, struct diag *d);
const struct config_key *config_find(const struct config *c, const char *name);
// Resets keys set by files to their defaults.
void config_forget_files(struct config *c);
// All values and origins at one time. config_restore takes `saved` back and frees it; config_drop frees it. Not for
// keys of the family.
struct config_saved;
struct config_saved *config_save(const struct config *c);
void config_restore(struct config *c, struct config_saved *saved);
void config_drop(struct config_saved *saved);
struct config_origin config_origin(const struct config *c, const struct config_key *key);
// Keys with a meaning, in order of the tables. NULL past the last.
const struct config_key *config_at(const struct config *c, size_t index);
void config_format(const struct config *c, const struct config_key *key, struct strbuf *out); // current value
void config_format_value(const struct config_key *key, const void *values, struct strbuf *out);
void config_format_range(const struct config_key *key,
                         struct strbuf *out); // "16 to 255", "volta (sass), ptxplus or pascal"
const char *config_type_name(enum config_type type);
void config_write_json(const struct config *c, struct json *j); // {"compile.profile": "volta", …}
void config_write_value(const struct config_key *key, const void *values, struct json *j);
