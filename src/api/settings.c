// Settings of a context: the table of keys, checks of changes, and the table as data for `list keys`.
#include "api/impl.h"
#include "base/bits.h"
#include "chip/gpus.h"
#include "chip/slice.h"
#include "study/study.h"

#include <string.h>

static const char *const check_words[] = {
    [CHECK_STOP] = "stop", [CHECK_WARN] = "warn", [CHECK_IGNORE] = "ignore", NULL};
static const char *const unwritten_words[] = {[UNWRITTEN_ALL] = "all", [UNWRITTEN_GLOBAL] = "global", NULL};
static const char *const closure_words[] = {
    [API_CLOSURE_LOADS] = "loads", [API_CLOSURE_CONSTANTS] = "constants", NULL};
static const char *const async_words[] = {[ASYNC_EARLY] = "early", [ASYNC_LATE] = "late", NULL};
static const char *const simt_words[] = {[SIMT_STACK] = "stack", [SIMT_SPLITS] = "splits", NULL};
static const char *const isa_words[] = {
    [EXEC_ISA_AUTO] = "auto",     [EXEC_ISA_PORTABLE] = "portable", [EXEC_ISA_AVX2] = "avx2",
    [EXEC_ISA_AVX512] = "avx512", [EXEC_ISA_GENERAL] = "general",   NULL};

static const char *const sample_words[] = {[API_SAMPLE_OFF] = "off",
                                           [API_SAMPLE_LAUNCHES] = "launches",
                                           [API_SAMPLE_BLOCKS] = "blocks",
                                           [API_SAMPLE_BOTH] = "both",
                                           NULL};

static const struct config_key keys[] = {
#define SETTING(field, ctype, type, key, low, high, words, initial, meaning)                                 \
    CONFIG_KEY(struct api_settings, field, type, key, low, high, words, initial, meaning),
#include "api/config.def"
#undef SETTING
};

void api_settings_add(struct wf_context *c)
{
    config_init(&c->config);
    config_add(&c->config, keys, sizeof keys / sizeof keys[0], &c->settings);
    config_add(&c->config, compile_config_keys, compile_config_key_count, &c->compile);
    config_add(&c->config, mark_config_keys, mark_config_key_count, &c->mark);
    config_add(&c->config, study_config_keys, study_config_key_count, &c->study_settings);
    config_add(&c->config, chip_config_keys, chip_config_key_count, &c->chip_set);
    config_add(&c->config, gpu_config_keys, gpu_config_key_count, &c->chip_set.gpu);
    config_add(&c->config, memory_config_keys, memory_config_key_count, &c->chip_set.memory);
    config_add(&c->config, simtight_config_keys, simtight_config_key_count, &c->simtight);
    config_add(&c->config, energy_config_keys, energy_config_key_count, &c->energy);
    gpu_classes_init(&c->classes, &c->config);
}

// Whether device memory, compiled code or a begun timeline depends on the key's present value.
static bool is_frozen(const struct wf_context *c, const char *key)
{
    if (str_equal(key, "memory.size")) return c->memory != NULL;
    if (str_starts_with(key, "timeline.")) return c->watcher && c->watcher->launches.count;
    return str_starts_with(key, "compile.") && c->modules.count != 0;
}

// Drops the chip and the SIMTight core after a change of settings. The next timed launch makes a new chip;
// the context's clock continues.
static void forget_chip(struct wf_context *c)
{
    chip_destroy(c->chip_state);
    api_core_forget(c);
    api_sample_new_chip(c);
    c->clock_before = c->clock;
    c->chip_state = NULL;
}

// Makes the chip of timed launches. False: the settings have no such slice (*why), and c->chip is the whole chip.
static bool bind_chip(struct wf_context *c, struct strbuf *why)
{
    c->chip = c->chip_set;
    return chip_slice(&c->chip, why);
}

// As bind_chip, before all settings are known: wf_check_settings reports a refused slice.
static void bind_meanwhile(struct wf_context *c)
{
    struct strbuf why = {0};
    bind_chip(c, &why);
    strbuf_fini(&why);
}

static bool check_chip(struct wf_context *c, const struct chip_config *before)
{
    const char *wrong = gpu_config_check(&c->chip_set.gpu);
    if (!wrong) wrong = memory_config_check(&c->chip_set.memory);
    if (!wrong) return true;
    c->chip_set = *before;
    return diag_error(&c->diag, loc_none(), "%s", wrong);
}

// Whether the new GPU's file leaves all compile.* settings unchanged, or no module is loaded. Else false, and
// an error.
static bool check_loaded(struct wf_context *c, const char *gpu, const struct compile_settings *before)
{
    if (!c->modules.count || memcmp(before, &c->compile, sizeof *before) == 0) return true;
    return diag_error(&c->diag, loc_none(),
                      "GPU %s has a different code profile from the loaded modules; choose the GPU "
                      "before the first module is loaded, or set compile.profile",
                      gpu);
}

// text: contents of a GPU file named `name`; NULL: `name` is a bundled GPU or a path.
static enum wf_status choose_gpu(struct wf_context *c, const char *name, const char *text, size_t length)
{
    struct chip_config before = c->chip_set;
    struct gpu_classes classes_before = c->classes;
    struct compile_settings compile_before = c->compile;
    struct config_saved *saved = config_save(&c->config);
    bool is_like;
    config_forget_files(&c->config);
    gpu_classes_clear(&c->classes);
    bool loaded = text ? gpu_text_load(&c->config, name, text, length, &is_like, &c->diag)
                       : gpu_file_load(&c->config, name, &is_like, &c->diag);
    if (!loaded || !check_chip(c, &before) || !check_loaded(c, name, &compile_before) ||
        !gpu_classes_resolve(&c->classes, &c->chip_set, &c->diag)) {
        config_restore(&c->config, saved);
        c->chip_set = before;
        c->classes = classes_before;
        return WF_BAD_USAGE;
    }
    config_drop(saved);
    forget_chip(c);
    bind_meanwhile(c);
    free(c->gpu);
    c->gpu = heap_strdup(name);
    c->gpu_is_like = is_like;
    return WF_OK;
}

enum wf_status wf_gpu(struct wf_context *c, const char *name)
{
    api_wait(c);
    if (name) return choose_gpu(c, name, NULL, 0);
    free(c->gpu);
    c->gpu = NULL;
    return WF_OK;
}

enum wf_status api_gpu_text(struct wf_context *c, const char *name, const char *text, size_t length)
{
    api_wait(c);
    return choose_gpu(c, name, text, length);
}

static bool gpu_of_kind(bool is_riscv, size_t index, const char **name, const char **meaning)
{
    const struct gpu_file *g;
    for (size_t k = 0; (g = gpu_file_at(k)); k++) {
        if (g->is_riscv != is_riscv || index--) continue;
        *name = g->name;
        *meaning = g->meaning;
        return true;
    }
    return false;
}

bool wf_gpu_at(size_t index, const char **name, const char **meaning)
{
    return gpu_of_kind(false, index, name, meaning);
}

bool wf_riscv_gpu_at(size_t index, const char **name, const char **meaning)
{
    return gpu_of_kind(true, index, name, meaning);
}

// Mechanisms of the chip: the selected ones, then the observer of a timed study, which is not part of
// c->tech.
void api_choose_techs(struct wf_context *c)
{
    const struct tech *looks_on = c->study ? c->study->class->timed : NULL;
    forget_chip(c);
    c->chip_set.techs = c->techs.uses;
    c->chip_set.tech_count = c->techs.count;
    if (looks_on)
        c->techs.uses[c->chip_set.tech_count++] = (struct tech_use){.tech = looks_on, .options = c->study};
    bind_meanwhile(c);
}

enum wf_status wf_tech(struct wf_context *c, const char *text)
{
    struct tech_choice choice;
    api_wait(c);
    tech_choice_init(&choice);
    if (!tech_choose(&choice, text, &c->diag)) {
        tech_choice_fini(&choice);
        return WF_BAD_USAGE;
    }
    if (c->study && c->study->class->timed && choice.count == TECH_MAX) {
        diag_error(&c->diag, loc_none(), "%d mechanisms and study %s exceed the limit by one", TECH_MAX,
                   c->study->name);
        tech_choice_fini(&choice);
        return WF_BAD_USAGE;
    }
    tech_choice_fini(&c->techs);
    c->techs = choice;
    api_choose_techs(c);
    free(c->tech);
    c->tech = choice.count ? heap_strdup(text) : NULL;
    return WF_OK;
}

bool wf_tech_at(size_t index, const char **name, const char **meaning)
{
    const struct tech *t = tech_at_index(index);
    if (!t) return false;
    *name = t->name;
    *meaning = t->meaning;
    return true;
}

bool wf_tech_feature_at(size_t tech, size_t index, struct wf_feature *f)
{
    static const struct wf_feature features[] = {
#define FEATURE(id, name, meaning) {name, meaning, false},
#include "sm/mech/features.def"
#undef FEATURE
    };
    const struct tech *t = tech_at_index(tech);
    if (!t || index >= FEATURE_COUNT) return false;
    *f = features[index];
    f->has = t->features >> index & 1;
    return true;
}

bool wf_tech_claim_at(size_t tech, size_t index, struct wf_claim *claim)
{
    const struct tech *t = tech_at_index(tech);
    const struct tech_claim_info *info = tech_claim_at(index);
    if (!t || !info) return false;
    *claim = (struct wf_claim){info->name, info->meaning, info->is_exclusive, t->claims >> index & 1};
    return true;
}

void wf_set_verify(struct wf_context *c, bool verify)
{
    api_wait(c);
    c->verify = verify;
}

void wf_set_upsets(struct wf_context *c, const struct upsets *upsets)
{
    api_wait(c);
    c->upsets = upsets;
}

void wf_set_max_cycles(struct wf_context *c, uint64_t cycles) { c->max_cycles = cycles; }
void wf_set_interrupt(struct wf_context *c, bool (*is_interrupted)(void *context), void *context)
{
    c->is_interrupted = is_interrupted;
    c->interrupt_context = context;
}
void wf_set_threads(struct wf_context *c, unsigned threads) { c->threads = threads; }

// Checks settings for conditions beyond the ranges in the tables of keys. False and an error: the settings of
// `before` are restored.
static bool check_value(struct wf_context *c, const struct api_settings *before)
{
    const struct api_settings *s = &c->settings;
    if (!is_power_of_two(s->warp_size))
        diag_error(&c->diag, loc_none(), "warp.size=%u: must be a power of two", s->warp_size);
    else if (!exec_isa_available((enum exec_isa)s->isa))
        diag_error(&c->diag, loc_none(), "exec.isa=%s: not available on this processor or in this build",
                   isa_words[s->isa]);
    else if (api_timeline_check(s, &c->diag))
        return true;
    c->settings = *before;
    return false;
}

static bool check_compile(struct wf_context *c, const struct compile_settings *before)
{
    struct compile_options options;
    if (compile_options_from(&options, &c->compile, loc_none(), &c->diag)) return true;
    c->compile = *before;
    return false;
}

static bool set_plain(struct wf_context *c, const char *key, const char *value)
{
    return config_set(&c->config, key, value, loc_none(), &c->diag);
}

// Sets a key of a class of SMs. The simulated chip with its contents is dropped only if a class has changed.
// False and an error: for instance no such key, or no value of the key.
static bool set_of_class(struct wf_context *c, const char *key, const char *value)
{
    struct gpu_classes before = c->classes;
    if (!set_plain(c, key, value)) return false;
    if (memcmp(&before, &c->classes, sizeof before) != 0) forget_chip(c);
    return true;
}

enum wf_status wf_set(struct wf_context *c, const char *key, const char *value)
{
    api_wait(c);
    if (config_find(&c->config, key) && is_frozen(c, key)) {
        diag_error(&c->diag, loc_none(), "%s must be set before the first %s", key,
                   str_equal(key, "memory.size")       ? "allocation"
                   : str_starts_with(key, "timeline.") ? "watched launch"
                                                       : "module is loaded");
        return WF_BAD_USAGE;
    }
    struct api_settings before = c->settings;
    struct compile_settings compile_before = c->compile;
    struct chip_config chip_before = c->chip_set;
    bool is_of_class = str_starts_with(key, "class.");
    if (!(is_of_class ? set_of_class : set_plain)(c, key, value)) return WF_BAD_USAGE;
    if (memcmp(&chip_before, &c->chip_set, sizeof chip_before) != 0) forget_chip(c);
    bool good = check_value(c, &before) && check_compile(c, &compile_before) && check_chip(c, &chip_before);
    bind_meanwhile(c);
    return good ? WF_OK : WF_BAD_USAGE;
}

static bool check_slice(struct wf_context *c)
{
    struct strbuf why = {0};
    bool good = bind_chip(c, &why);
    if (!good)
        diag_error(&c->diag, config_origin(&c->config, config_find(&c->config, "gpu.slice")).loc, "%s",
                   strbuf_text(&why));
    strbuf_fini(&why);
    return good;
}

// Checks the SIMTight core, the classes of SMs and the slice here and not in wf_set, since their keys may be
// set in any order.
enum wf_status wf_check_settings(struct wf_context *c)
{
    const char *wrong = simtight_config_check(&c->simtight);
    if (wrong) diag_error(&c->diag, loc_none(), "%s", wrong);
    bool good = gpu_classes_resolve(&c->classes, &c->chip_set, &c->diag) && check_slice(c) && !wrong;
    return good && api_sample_check(c) ? WF_OK : WF_BAD_USAGE;
}

static const char *keep_text(struct wf_context *c, struct strbuf *text)
{
    const char *kept = arena_strndup(&c->config.arena, strbuf_text(text), text->length);
    strbuf_fini(text);
    return kept;
}

static void describe_key(struct wf_context *c, const struct config_key *k, struct wf_key *key)
{
    struct strbuf range = {0};
    config_format_range(k, &range);
    *key = (struct wf_key){.name = k->name,
                           .type = config_type_name(k->type),
                           .range = keep_text(c, &range),
                           .initial = k->initial,
                           .meaning = k->meaning,
                           .source = k->source};
}

// Origin of a value: "tiny:5" (line of a file), "set" or "default".
static const char *describe_origin(struct wf_context *c, const struct config_origin *origin)
{
    if (!origin->is_set) return "default";
    if (!origin->loc.source) return "set";
    return arena_printf(&c->config.arena, "%s:%u", c->diag.sources.data[origin->loc.source - 1].name,
                        origin->loc.line);
}

static bool is_in(const struct config_key *k, const struct config_key *table, size_t count)
{
    return k >= table && k < table + count;
}

static bool is_cores(const struct config_key *k)
{
    return is_in(k, simtight_config_keys, simtight_config_key_count);
}

static bool is_sms(const struct config_key *k)
{
    return is_in(k, chip_config_keys, chip_config_key_count) ||
           is_in(k, gpu_config_keys, gpu_config_key_count) ||
           is_in(k, memory_config_keys, memory_config_key_count) ||
           is_in(k, energy_config_keys, energy_config_key_count);
}

// Whether a key describes the selected GPU. SMs and the SIMTight core have separate keys; every GPU has
// `machine` and `gpu.core_mhz`. The key `machine` decides, also without a GPU.
static bool is_gpus(const struct wf_context *c, const struct config_key *k)
{
    bool is_both = str_equal(k->name, "machine") || str_equal(k->name, "gpu.core_mhz");
    return c->chip.machine == MACHINE_SIMTIGHT ? is_cores(k) || is_both : is_sms(k);
}

// Whether a key describes the selected GPU as hardware. False for keys of the simulator itself (`sim.`,
// `machine`, `gpu.slice`).
static bool is_of_card(const struct wf_context *c, const struct config_key *k)
{
    return is_gpus(c, k) && !str_starts_with(k->name, "sim.") && !str_equal(k->name, "machine") &&
           !str_equal(k->name, "gpu.slice");
}

// The key's value in the slice of the chip; NULL if the whole chip has the same.
static const char *value_in_slice(struct wf_context *c, const struct config_key *k)
{
    const struct {
        const struct config_key *keys;
        size_t count;
        const void *whole, *slice;
    } tables[] = {{chip_config_keys, chip_config_key_count, &c->chip_set, &c->chip},
                  {memory_config_keys, memory_config_key_count, &c->chip_set.memory, &c->chip.memory}};
    struct strbuf whole = {0}, slice = {0};
    for (size_t n = 0; n < sizeof tables / sizeof tables[0]; n++) {
        if (!is_in(k, tables[n].keys, tables[n].count)) continue;
        config_format_value(k, tables[n].whole, &whole);
        config_format_value(k, tables[n].slice, &slice);
    }
    bool same = str_equal(strbuf_text(&whole), strbuf_text(&slice));
    strbuf_fini(&whole);
    if (!same) return keep_text(c, &slice);
    strbuf_fini(&slice);
    return NULL;
}

// True for gpu.sm_count, if not set but computed as the sum of the classes' counts.
static bool is_sum(const struct wf_context *c, const struct config_key *k)
{
    return c->chip.class_count && str_equal(k->name, "gpu.sm_count") && !config_origin(&c->config, k).is_set;
}

bool wf_key_at(struct wf_context *c, size_t index, struct wf_key *key)
{
    const struct config_key *k = config_at(&c->config, index);
    if (!k) return false;
    struct strbuf value = {0};
    struct config_origin origin = config_origin(&c->config, k);
    bool is_counted = is_sum(c, k);
    config_format(&c->config, k, &value);
    describe_key(c, k, key);
    // The source in the table of keys describes the default value only.
    if (origin.is_set || is_counted) key->source = origin.why;
    key->value = keep_text(c, &value);
    key->sliced = value_in_slice(c, k);
    key->from = is_counted ? "the classes' counts" : describe_origin(c, &origin);
    key->is_gpus = is_gpus(c, k);
    return true;
}

size_t wf_gpu_left_out(struct wf_context *c, bool *is_like)
{
    size_t count = 0;
    *is_like = c->gpu && c->gpu_is_like;
    for (size_t i = 0; config_at(&c->config, i); i++) {
        const struct config_key *k = config_at(&c->config, i);
        count += is_of_card(c, k) && !config_origin(&c->config, k).is_set && !is_sum(c, k);
    }
    return count;
}

bool wf_gpu_differs(struct wf_context *c)
{
    static const char *const alike[] = {"gpu.core_mhz", "icnt.mhz",        "l2.mhz",
                                        "dram.mhz",     "gpu.keep_caches", "gpu.warm"};
    for (size_t i = 0; config_at(&c->config, i); i++) {
        const struct config_key *k = config_at(&c->config, i);
        struct config_origin origin = config_origin(&c->config, k);
        bool counts = is_gpus(c, k) || str_starts_with(k->name, "compile.");
        bool is_alike = !origin.is_set || origin.loc.source || !counts;
        for (size_t n = 0; n < sizeof alike / sizeof alike[0] && !is_alike; n++)
            is_alike = str_equal(k->name, alike[n]);
        if (!is_alike) return true;
    }
    return false;
}

bool wf_class_key(struct wf_context *c, size_t index, struct wf_key *key)
{
    if (index >= c->classes.count) return false;
    const struct gpu_class *class = &c->classes.all[index];
    const struct config_origin *origin = &class->count_origin;
    struct strbuf value = {0};
    if (str_equal(key->name, "count")) {
        strbuf_printf(&value, "%u", class->count);
    } else {
        const struct config_key *k = config_find(&c->config, key->name);
        if (!is_in(k, gpu_config_keys, gpu_config_key_count)) return false;
        origin = &class->origins[k - gpu_config_keys];
        if (origin->is_set) config_format_value(k, &class->values, &value);
    }
    if (!origin->is_set) return false;
    key->value = keep_text(c, &value);
    key->source = origin->why;
    key->from = describe_origin(c, origin);
    return true;
}

bool wf_class_at(struct wf_context *c, size_t index, struct wf_class *k)
{
    if (index >= c->chip.class_count) return false;
    const struct gpu_kind *kind = &c->chip.classes[index];
    *k = (struct wf_class){kind->name, kind->first, kind->count, kind->config.registers * 32ull};
    return true;
}

bool wf_slice_of(const struct wf_context *c, struct wf_slice *s)
{
    const struct memory_config *m = &c->chip.memory;
    *s = (struct wf_slice){.parts = c->chip.slice,
                           .sms = c->chip.sm_count,
                           .whole_sms = c->chip_set.sm_count,
                           .partitions = m->partitions,
                           .whole_partitions = c->chip_set.memory.partitions,
                           .dram_rate =
                               (double)c->chip_set.memory.partitions / (m->partitions * c->chip.slice)};
    return c->gpu && s->sms < s->whole_sms;
}

bool wf_tech_key_at(struct wf_context *c, const char *tech, size_t index, struct wf_key *key)
{
    for (size_t n = 0; tech_at_index(n); n++) {
        const struct tech *t = tech_at_index(n);
        if (!str_equal(t->name, tech)) continue;
        for (size_t k = 0; k < t->key_count; k++) {
            if (!t->keys[k].meaning || index--) continue; // a key without a meaning is for tests only
            describe_key(c, &t->keys[k], key);
            return true;
        }
    }
    return false;
}

const char *wf_config_json(struct wf_context *c)
{
    struct json j;
    strbuf_clear(&c->config_json);
    json_init(&j, &c->config_json);
    config_write_json(&c->config, &j);
    return strbuf_text(&c->config_json);
}
