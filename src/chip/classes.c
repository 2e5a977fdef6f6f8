// Settings of classes of SMs, and the kinds of SM made from the classes.
#include "chip/classes.h"

#include <string.h>

#define PREFIX "class."

static const struct config_key count_key = {.name = "count",
                                            .type = CONFIG_U32,
                                            .low = 1,
                                            .high = 256,
                                            .initial = "1",
                                            .meaning = "SMs of the class"};

// -- setting ------------------------------------------------------------------------------------------------

static bool is_word(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return length && length < GPU_KIND_NAME && strchr(letters, *text) && strspn(text, others) >= length;
}

static struct gpu_class *find_class(struct gpu_classes *g, const char *name, size_t length)
{
    for (unsigned k = 0; k < g->count; k++)
        if (strlen(g->all[k].name) == length && memcmp(g->all[k].name, name, length) == 0) return &g->all[k];
    return NULL;
}

static const char *next_key(const void *context, size_t i)
{
    (void)context;
    return i < GPU_KEYS ? gpu_config_keys[i].name : i == GPU_KEYS ? count_key.name : NULL;
}

static bool unknown_key(const struct gpu_classes *g, const char *name, const char *key, struct loc loc,
                        struct diag *d)
{
    const char *near = str_nearest(key, next_key, NULL);
    if (config_find(g->config, key))
        return diag_error(d, loc, "%s: %s is not a setting of an SM, so a class cannot set the key; set %s",
                          name, key, key);
    if (near)
        return diag_error(d, loc, "%s: a class has no key \"%s\"; did you mean \"%s\"?", name, key, near);
    return diag_error(
        d, loc,
        "%s: a class has no key \"%s\"; a class has count and the keys of an SM (`warpfold list keys`)", name,
        key);
}

// The key of a class of SMs by name; NULL and a diagnostic: a class has no such key. *index: the key's index
// in gpu_config_keys; GPU_KEYS for the key `count`.
static const struct config_key *key_of(const struct gpu_classes *g, const char *name, const char *rest,
                                       size_t *index, struct loc loc, struct diag *d)
{
    *index = GPU_KEYS;
    if (str_equal(rest, count_key.name)) return &count_key;
    for (*index = 0; *index < GPU_KEYS; ++*index)
        if (str_equal(gpu_config_keys[*index].name, rest) && !gpu_config_is_chips(*index))
            return &gpu_config_keys[*index];
    unknown_key(g, name, rest, loc, d);
    return NULL;
}

// "class.NAME.KEY".
static bool set(void *context, const char *name, const char *text, struct loc loc, struct diag *d)
{
    struct gpu_classes *g = context;
    const char *word = name + strlen(PREFIX), *dot = strchr(word, '.');
    size_t length = dot ? (size_t)(dot - word) : strlen(word), index;
    if (!is_word(word, length))
        return diag_error(
            d, loc,
            "%s: a class's name must be a letter and then letters, digits, _ or -, at most %d together", name,
            GPU_KIND_NAME - 1);
    if (!dot)
        return diag_error(d, loc, "%s: no key of class %s; write class.%s.count = N or class.%s.KEY = VALUE",
                          name, word, word, word);
    const struct config_key *key = key_of(g, name, dot + 1, &index, loc, d);
    struct gpu_class *c = find_class(g, word, length), new = {.named = {true, loc, NULL}};
    if (!key) return false;
    if (!c && g->count == GPU_KINDS_MAX)
        return diag_error(d, loc, "%s: a chip has %d classes of SMs at most", name, GPU_KINDS_MAX);
    memcpy(new.name, word, length);
    struct gpu_class *into = c ? c : &new;
    bool is_count = index == GPU_KEYS;
    if (!config_read(key, name, text, is_count ? (void *)&into->count : &into->values, loc, d)) return false;
    *(is_count ? &into->count_origin : &into->origins[index]) = (struct config_origin){true, loc, NULL};
    if (!c) g->all[g->count++] = new;
    return true;
}

static void write_json(const void *context, struct json *j)
{
    const struct gpu_classes *g = context;
    struct strbuf name = {0};
    for (unsigned k = 0; k < g->count; k++) {
        const struct gpu_class *c = &g->all[k];
        for (size_t n = 0; n <= GPU_KEYS; n++) { // the count, then the keys
            const struct config_key *key = n ? &gpu_config_keys[n - 1] : &count_key;
            if (n && !c->origins[n - 1].is_set) continue;
            strbuf_clear(&name);
            strbuf_printf(&name, PREFIX "%s.%s", c->name, key->name);
            json_key(j, strbuf_text(&name));
            config_write_value(key, n ? (const void *)&c->values : &c->count, j);
        }
    }
    strbuf_fini(&name);
}

void gpu_classes_init(struct gpu_classes *g, struct config *c)
{
    const struct config_family family = {PREFIX, g, set, write_json};
    g->config = c;
    config_add_family(c, &family);
}

// -- kinds of SM --------------------------------------------------------------------------------------------

void gpu_classes_clear(struct gpu_classes *g)
{
    memset(g->all, 0, sizeof g->all);
    g->count = 0;
}

static void overlay(struct gpu_config *to, const struct gpu_class *c)
{
    for (size_t n = 0; n < GPU_KEYS; n++) {
        size_t at = gpu_config_keys[n].offset,
               bytes = gpu_config_keys[n].type == CONFIG_BOOL ? sizeof(bool) : 4;
        if (c->origins[n].is_set) memcpy((char *)to + at, (const char *)&c->values + at, bytes);
    }
}

// "tlp 20, ilp 18".
static uint32_t sum_counts(const struct gpu_classes *g, struct strbuf *text)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k < g->count; k++) {
        strbuf_printf(text, "%s%s %u", k ? ", " : "", g->all[k].name, g->all[k].count);
        sum += g->all[k].count;
    }
    return sum;
}

static bool check_sum(const struct gpu_classes *g, struct chip_config *chip, struct diag *d)
{
    const struct config_key *key = config_find(g->config, "gpu.sm_count");
    struct config_origin origin = config_origin(g->config, key);
    struct strbuf counts = {0};
    uint32_t sum = sum_counts(g, &counts);
    bool good = true;
    if (sum > key->high)
        good = diag_error(d, g->all[g->count - 1].count_origin.loc,
                          "the classes have %u SMs (%s); a GPU has %.0f at most", sum, strbuf_text(&counts),
                          key->high);
    else if (!origin.is_set)
        chip->sm_count = sum;
    else if (chip->sm_count != sum)
        good = diag_error(d, origin.loc, "gpu.sm_count is %u, and the classes have %u SMs (%s)",
                          chip->sm_count, sum, strbuf_text(&counts));
    strbuf_fini(&counts);
    return good;
}

bool gpu_classes_resolve(const struct gpu_classes *g, struct chip_config *chip, struct diag *d)
{
    bool good = true;
    uint32_t first = 0;
    chip->class_count = 0;
    for (unsigned k = 0; k < g->count; k++)
        if (!g->all[k].count)
            good = diag_error(d, g->all[k].named.loc, "class %s has no count; say class.%s.count = N",
                              g->all[k].name, g->all[k].name);
    if (!good) return false;
    if (!g->count) return true;
    if (!check_sum(g, chip, d)) return false;
    for (unsigned k = 0; k < g->count; k++) {
        const struct gpu_class *c = &g->all[k];
        struct gpu_kind *kind = &chip->classes[k];
        memcpy(kind->name, c->name, sizeof kind->name);
        kind->first = first;
        kind->count = c->count;
        kind->config = chip->gpu;
        overlay(&kind->config, c);
        first += c->count;
        const char *wrong = gpu_config_check(&kind->config);
        if (wrong) good = diag_error(d, c->named.loc, "class %s: %s", c->name, wrong);
    }
    if (good) chip->class_count = g->count;
    return good;
}
