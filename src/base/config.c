// Settings: finds keys, parses values, and reports what would be valid.
#include "base/config.h"

#include <assert.h>
#include <string.h>

void config_init(struct config *c)
{
    *c = (struct config){0};
    arena_init(&c->arena);
}

void config_fini(struct config *c)
{
    arena_fini(&c->arena);
    strmap_fini(&c->numbers);
    c->layer_count = 0;
}

const struct config_key *config_at(const struct config *c, size_t index)
{
    const struct config_layer *l = c->layers, *end = l + c->layer_count;
    for (; l < end && index >= l->shown; l++) index -= l->shown;
    if (l == end) return NULL;
    if (l->shown == l->key_count) return &l->keys[index];
    for (const struct config_key *k = l->keys;; k++)
        if (k->meaning && index-- == 0) return k;
}

static const struct config_key *find(const struct config *c, const char *name,
                                     const struct config_layer **layer)
{
    uint32_t number;
    if (!strmap_get(&c->numbers, name, strlen(name), &number)) return NULL;
    *layer = &c->layers[number >> 16];
    return &(*layer)->keys[number & UINT16_MAX];
}

const struct config_key *config_find(const struct config *c, const char *name)
{
    const struct config_layer *layer;
    return find(c, name, &layer);
}

struct config_origin config_origin(const struct config *c, const struct config_key *key)
{
    const struct config_layer *layer;
    const struct config_key *found = find(c, key->name, &layer);
    return found ? layer->origins[found - layer->keys] : (struct config_origin){0};
}

const char *config_type_name(enum config_type type)
{
    switch (type) {
    case CONFIG_BOOL: return "bool";
    case CONFIG_U32: return "u32";
    case CONFIG_U64: return "u64";
    case CONFIG_F64: return "f64";
    case CONFIG_WORD: return "word";
    case CONFIG_TEXT: return "text";
    case CONFIG_BYTES: return "bytes";
    }
    return "?";
}

// Prints a number of bytes with the largest exact binary suffix: 1073741824 as "1G".
static void format_bytes(double value, struct strbuf *out)
{
    static const char suffixes[] = " KMG";
    unsigned i = 0;
    uint64_t n = (uint64_t)value;
    while (i < 3 && n && n % 1024 == 0) {
        n /= 1024;
        i++;
    }
    strbuf_printf(out, "%llu", (unsigned long long)n);
    if (i) strbuf_putc(out, suffixes[i]);
}

// Length of the primary name in "NAME|OTHER".
static size_t name_length(const char *word) { return strcspn(word, "|"); }

// Appends `before` (a separator) and a word as "volta (sass)": the primary name and its other names.
static void add_word(struct strbuf *out, const char *before, const char *word)
{
    size_t length = name_length(word);
    strbuf_printf(out, "%s%.*s", before, (int)length, word);
    if (word[length]) strbuf_printf(out, " (%s)", word + length + 1);
}

void config_format_range(const struct config_key *key, struct strbuf *out)
{
    switch (key->type) {
    case CONFIG_BOOL: strbuf_puts(out, "0 or 1"); break;
    case CONFIG_U32:
    case CONFIG_U64:
        if (key->high >= 0x1p63)
            strbuf_printf(out, "a whole number from %.0f", key->low);
        else
            strbuf_printf(out, "%.0f to %.0f", key->low, key->high);
        break;
    case CONFIG_F64: strbuf_printf(out, "%g to %g", key->low, key->high); break;
    case CONFIG_WORD:
        for (size_t i = 0; key->words[i]; i++)
            add_word(out, i == 0 ? "" : key->words[i + 1] ? ", " : " or ", key->words[i]);
        break;
    case CONFIG_TEXT: strbuf_puts(out, "any text"); break;
    case CONFIG_BYTES:
        format_bytes(key->low, out);
        strbuf_puts(out, " to ");
        format_bytes(key->high, out);
        break;
    }
}

static bool in_range(const struct config_key *key, double value)
{
    return value >= key->low && value <= key->high;
}

static bool read_bool(const char *text, bool *value)
{
    if (str_equal(text, "1") || str_equal(text, "true")) return *value = true;
    *value = false;
    return str_equal(text, "0") || str_equal(text, "false");
}

// Parses a count with an optional binary suffix (K, M or G). False: malformed, or over 64 bits.
static bool read_bytes(const char *text, uint64_t *value)
{
    size_t length = strlen(text);
    char digits[32];
    if (!length || length >= sizeof digits) return false;
    memcpy(digits, text, length + 1);
    unsigned shift = 0;
    switch (digits[length - 1]) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    default: break;
    }
    if (shift) digits[length - 1] = 0;
    if (!str_to_u64(digits, value) || *value > UINT64_MAX >> shift) return false;
    *value <<= shift;
    return true;
}

// Whether text is one of the names in "NAME|OTHER".
static bool is_word(const char *names, const char *text)
{
    size_t length = name_length(names);
    return (strlen(text) == length && !memcmp(names, text, length)) ||
           (names[length] && is_word(names + length + 1, text));
}

static bool read_word(const struct config_key *key, const char *text, int *value)
{
    for (int i = 0; key->words[i]; i++)
        if (is_word(key->words[i], text)) {
            *value = i;
            return true;
        }
    return false;
}

// Parses text into *value. False if text is outside the key's type or range; *value is then unchanged.
static bool store_value(struct arena *texts, const struct config_key *key, const char *text, void *value)
{
    uint64_t n;
    double f;
    bool b;
    switch (key->type) {
    case CONFIG_BOOL:
        if (!read_bool(text, &b)) return false;
        *(bool *)value = b;
        return true;
    case CONFIG_U32:
        if (!str_to_u64(text, &n) || !in_range(key, (double)n) || n > UINT32_MAX) return false;
        *(uint32_t *)value = (uint32_t)n;
        return true;
    case CONFIG_U64:
    case CONFIG_BYTES:
        if (key->type == CONFIG_BYTES ? !read_bytes(text, &n) : !str_to_u64(text, &n)) return false;
        if (!in_range(key, (double)n)) return false;
        *(uint64_t *)value = n;
        return true;
    case CONFIG_F64:
        if (!str_to_f64(text, &f) || !in_range(key, f)) return false; // NaN is outside every range
        *(double *)value = f;
        return true;
    case CONFIG_WORD: return read_word(key, text, value);
    case CONFIG_TEXT: *(const char **)value = arena_strndup(texts, text, strlen(text)); return true;
    }
    return false;
}

static void set_default(struct config *c, const struct config_key *key, void *values)
{
    bool ok = store_value(&c->arena, key, key->initial, (char *)values + key->offset);
    assert(ok);
    (void)ok;
}

void config_add(struct config *c, const struct config_key *keys, size_t key_count, void *values)
{
    size_t shown = 0;
    assert(c->layer_count < CONFIG_LAYERS_MAX);
    for (size_t k = 0; k < key_count; k++) {
        assert(!config_find(c, keys[k].name));
        shown += keys[k].meaning != NULL;
        strmap_set(&c->numbers, keys[k].name, strlen(keys[k].name), (uint32_t)(c->layer_count << 16 | k));
        set_default(c, &keys[k], values);
    }
    c->layers[c->layer_count++] = (struct config_layer){
        keys, key_count, shown, values, ARENA_ARRAY(&c->arena, struct config_origin, key_count)};
}

void config_forget_files(struct config *c)
{
    for (size_t l = 0; l < c->layer_count; l++)
        for (size_t k = 0; k < c->layers[l].key_count; k++) {
            struct config_layer *layer = &c->layers[l];
            if (!layer->origins[k].loc.source) continue;
            layer->origins[k] = (struct config_origin){0};
            set_default(c, &layer->keys[k], layer->values);
        }
}

static size_t value_bytes(const struct config_key *key)
{
    switch (key->type) {
    case CONFIG_BOOL: return sizeof(bool);
    case CONFIG_U32: return sizeof(uint32_t);
    case CONFIG_U64:
    case CONFIG_BYTES: return sizeof(uint64_t);
    case CONFIG_F64: return sizeof(double);
    case CONFIG_WORD: return sizeof(int);
    case CONFIG_TEXT: return sizeof(const char *);
    }
    return 0;
}

enum { VALUE_MOST = 8 }; // bytes of a value

struct config_saved {
    struct saved_key {
        struct config_origin origin;
        unsigned char value[VALUE_MOST];
    } * layers[CONFIG_LAYERS_MAX];
};

struct config_saved *config_save(const struct config *c)
{
    struct config_saved *saved = heap_alloc(sizeof *saved);
    for (size_t l = 0; l < c->layer_count; l++) {
        const struct config_layer *layer = &c->layers[l];
        saved->layers[l] = heap_alloc(layer->key_count * sizeof *saved->layers[l]);
        for (size_t k = 0; k < layer->key_count; k++) {
            const struct config_key *key = &layer->keys[k];
            saved->layers[l][k].origin = layer->origins[k];
            memcpy(saved->layers[l][k].value, (const char *)layer->values + key->offset, value_bytes(key));
        }
    }
    return saved;
}

void config_restore(struct config *c, struct config_saved *saved)
{
    for (size_t l = 0; l < c->layer_count; l++) {
        struct config_layer *layer = &c->layers[l];
        for (size_t k = 0; k < layer->key_count; k++) {
            const struct config_key *key = &layer->keys[k];
            layer->origins[k] = saved->layers[l][k].origin;
            memcpy((char *)layer->values + key->offset, saved->layers[l][k].value, value_bytes(key));
        }
    }
    config_drop(saved);
}

void config_drop(struct config_saved *saved)
{
    for (size_t l = 0; l < CONFIG_LAYERS_MAX; l++) free(saved->layers[l]);
    free(saved);
}

void config_add_family(struct config *c, const struct config_family *family)
{
    assert(!c->family.prefix);
    c->family = *family;
}

static const char *next_name(const void *context, size_t i)
{
    const struct config_key *key = config_at(context, i);
    return key ? key->name : NULL;
}

static bool refuse(const struct config_key *key, const char *name, const char *text, struct loc loc,
                   struct diag *d)
{
    struct strbuf range = {0};
    config_format_range(key, &range);
    diag_error(d, loc, "%s=%s: must be %s", name, text, strbuf_text(&range));
    strbuf_fini(&range);
    return false;
}

bool config_read(const struct config_key *key, const char *name, const char *text, void *values,
                 struct loc loc, struct diag *d)
{
    assert(key->type != CONFIG_TEXT);
    return store_value(NULL, key, text, (char *)values + key->offset) || refuse(key, name, text, loc, d);
}

static const struct config_key *find_or_say(const struct config *c, const char *name,
                                            const struct config_layer **layer, struct loc loc, struct diag *d)
{
    const struct config_key *key = find(c, name, layer);
    const char *near = key ? NULL : str_nearest(name, next_name, c);
    if (near)
        diag_error(d, loc, "unknown key \"%s\"; did you mean \"%s\"?", name, near);
    else if (!key)
        diag_error(d, loc, "unknown key \"%s\"; `warpfold list keys` lists every key", name);
    return key;
}

static bool is_of_family(const struct config *c, const char *name)
{
    return c->family.prefix && str_starts_with(name, c->family.prefix);
}

// Sets a key of the layer. keep: checks the text, and leaves the present value and its origin. False and an
// error: the text is no value of the key.
static bool set_found(struct config *c, const struct config_layer *layer, const struct config_key *key,
                      const char *name, const char *text, bool keep, struct config_origin origin,
                      struct diag *d)
{
    union { // a value of any type
        bool b;
        uint64_t n;
        double f;
        const char *text;
    } unused;
    void *value = keep ? (void *)&unused : (char *)layer->values + key->offset;
    if (!store_value(&c->arena, key, text, value)) return refuse(key, name, text, origin.loc, d);
    if (!keep) layer->origins[key - layer->keys] = origin;
    return true;
}

bool config_set(struct config *c, const char *name, const char *text, struct loc loc, struct diag *d)
{
    const struct config_layer *layer;
    if (is_of_family(c, name)) return c->family.set(c->family.context, name, text, loc, d);
    const struct config_key *key = find_or_say(c, name, &layer, loc, d);
    return key && set_found(c, layer, key, name, text, false, (struct config_origin){true, loc, NULL}, d);
}

bool config_set_from_file(struct config *c, const char *name, const char *text, const char *why,
                          struct loc loc, struct diag *d)
{
    const struct config_layer *layer;
    if (is_of_family(c, name)) return config_set(c, name, text, loc, d);
    const struct config_key *key = find_or_say(c, name, &layer, loc, d);
    if (!key) return false;
    const struct config_origin *before = &layer->origins[key - layer->keys];
    bool is_settled = before->is_set && !before->loc.source;
    return set_found(c, layer, key, name, text, is_settled, (struct config_origin){true, loc, why}, d);
}

bool config_set_pair(struct config *c, const char *pair, struct loc loc, struct diag *d)
{
    const char *equals = strchr(pair, '=');
    if (!equals) return diag_error(d, loc, "\"%s\" is no setting; write KEY=VALUE", pair);
    char *name = heap_strndup(pair, (size_t)(equals - pair));
    bool ok = config_set(c, name, equals + 1, loc, d);
    free(name);
    return ok;
}

void config_format_value(const struct config_key *key, const void *values, struct strbuf *out)
{
    const void *value = (const char *)values + key->offset;
    switch (key->type) {
    case CONFIG_BOOL: strbuf_puts(out, *(const bool *)value ? "1" : "0"); break;
    case CONFIG_U32: strbuf_printf(out, "%u", *(const uint32_t *)value); break;
    case CONFIG_U64: strbuf_printf(out, "%llu", (unsigned long long)*(const uint64_t *)value); break;
    case CONFIG_BYTES: format_bytes((double)*(const uint64_t *)value, out); break;
    case CONFIG_F64: strbuf_printf(out, "%g", *(const double *)value); break;
    case CONFIG_WORD: {
        const char *word = key->words[*(const int *)value];
        strbuf_write(out, word, name_length(word));
        break;
    }
    case CONFIG_TEXT: // NULL: no value has been set
        strbuf_puts(out, *(const char *const *)value ? *(const char *const *)value : "");
        break;
    }
}

void config_format(const struct config *c, const struct config_key *key, struct strbuf *out)
{
    const struct config_layer *layer;
    if (find(c, key->name, &layer)) config_format_value(key, layer->values, out);
}

void config_write_value(const struct config_key *key, const void *values, struct json *j)
{
    const void *value = (const char *)values + key->offset;
    switch (key->type) {
    case CONFIG_BOOL: json_bool(j, *(const bool *)value); break;
    case CONFIG_U32: json_u64(j, *(const uint32_t *)value); break;
    case CONFIG_U64:
    case CONFIG_BYTES: json_u64(j, *(const uint64_t *)value); break;
    case CONFIG_F64: json_f64(j, *(const double *)value); break;
    case CONFIG_WORD: {
        const char *word = key->words[*(const int *)value];
        char *name = heap_strndup(word, name_length(word));
        json_string(j, name);
        free(name);
        break;
    }
    case CONFIG_TEXT: json_string(j, *(const char *const *)value); break;
    }
}

void config_write_json(const struct config *c, struct json *j)
{
    json_open_object(j);
    for (size_t l = 0; l < c->layer_count; l++)
        for (size_t k = 0; k < c->layers[l].key_count; k++) {
            const struct config_key *key = &c->layers[l].keys[k];
            if (!key->meaning) continue;
            json_key(j, key->name);
            config_write_value(key, c->layers[l].values, j);
        }
    if (c->family.prefix) c->family.write_json(c->family.context, j);
    json_close_object(j);
}
