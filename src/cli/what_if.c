#include "cli/what_if.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// PTX in place of quotients and roots, for @division. The upper half of a product is below its factors, so an index by
// a remainder stays in its array.
static const char *const cheap_division[][2] = {
    {"div.rn.f32", "div.approx.f32"},   {"div.rn.ftz.f32", "div.approx.ftz.f32"},
    {"div.full.f32", "div.approx.f32"}, {"div.full.ftz.f32", "div.approx.ftz.f32"},
    {"sqrt.rn.f32", "sqrt.approx.f32"}, {"sqrt.rn.ftz.f32", "sqrt.approx.ftz.f32"},
    {"rcp.rn.f32", "rcp.approx.f32"},   {"rcp.rn.ftz.f32", "rcp.approx.ftz.f32"},
    {"div.rn.f64", "mul.rn.f64"},       {"sqrt.rn.f64", "abs.f64"},
    {"rcp.rn.f64", "abs.f64"},          {"div.s32", "mul.hi.s32"},
    {"div.u32", "mul.hi.u32"},          {"rem.s32", "mul.hi.s32"},
    {"rem.u32", "mul.hi.u32"},          {"div.s64", "mul.hi.s64"},
    {"div.u64", "mul.hi.u64"},          {"rem.s64", "mul.hi.s64"},
    {"rem.u64", "mul.hi.u64"},          {"div.s16", "mul.hi.s16"},
    {"div.u16", "mul.hi.u16"},          {"rem.s16", "mul.hi.s16"},
    {"rem.u16", "mul.hi.u16"},
};

struct what_if {
    struct wf_context *context;
    const struct facts *facts;
    struct session_change *change; // NULL: settings become words
    struct strbuf *words;
};

static bool find_key(struct wf_context *c, const char *name, struct wf_key *key)
{
    for (size_t n = 0; wf_key_at(c, n, key); n++)
        if (str_equal(key->name, name)) return true;
    return false;
}

// The largest value of a key with a range such as "1 to 64".
static double most_of(const struct wf_key *key)
{
    const char *last = key->range ? strrchr(key->range, ' ') : NULL;
    double most;
    char digits[32];
    size_t n = 0;
    for (; last && *last && n < sizeof digits - 1; last++)
        if (*last >= '0' && *last <= '9') digits[n++] = *last;
    digits[n] = 0;
    return str_to_f64(digits, &most) ? most : 1e18;
}

// Warps of a block of the hottest kernel, if the warps of all blocks were spread over all SMs.
static uint32_t part_of_warps(const struct facts *f)
{
    uint64_t warps = f->blocks * f->block_warps, sms = f->sms ? f->sms : 1;
    return (uint32_t)((warps + sms - 1) / sms);
}

// Appends the value of a setting: "@KEY", "*N", "@", "@mean", "@warp", "@part", or the text.
static bool find_value(const struct what_if *w, const char *name, const char *value, struct strbuf *out)
{
    struct wf_key key;
    if (str_equal(value, "@")) {
        strbuf_printf(out, "%u", w->facts->registers);
    } else if (str_equal(value, "@mean")) {
        strbuf_printf(out, "%" PRIu64, w->facts->block_instructions);
    } else if (str_equal(value, "@warp")) {
        strbuf_printf(out, "%" PRIu64, facts_warp_instructions(w->facts));
    } else if (str_equal(value, "@part")) {
        strbuf_printf(out, "%u", part_of_warps(w->facts));
    } else if (*value == '@') {
        const char *of = facts_key_text(w->facts, value + 1);
        if (!of) return false;
        strbuf_puts(out, of);
    } else if (*value == '*') {
        double factor;
        if (!find_key(w->context, name, &key) || !str_to_f64(value + 1, &factor)) return false;
        double times = factor * (double)strtoull(key.value, NULL, 10), most = most_of(&key);
        strbuf_printf(out, "%.0f", times < most ? times : most);
    } else {
        strbuf_puts(out, value);
    }
    return true;
}

// A key's setting: applied to the context, or a word.
static bool set_key(const struct what_if *w, const char *name, const char *value)
{
    struct strbuf text = {0};
    bool good = find_value(w, name, value, &text);
    if (good && w->words)
        strbuf_printf(w->words, "--set=%s=%s\n", name, strbuf_text(&text));
    else if (good)
        good = wf_set(w->context, name, strbuf_text(&text)) == WF_OK;
    strbuf_fini(&text);
    return good;
}

static bool set_tech(const struct what_if *w, const char *value)
{
    if (!w->words) return wf_tech(w->context, value) == WF_OK;
    strbuf_printf(w->words, "--tech=%s\n", value);
    return true;
}

static bool apply_one(const struct what_if *w, const char *name, const char *value)
{
    bool divides = str_equal(name, "@division"), is_of_waves = str_equal(name, "@waves"),
         is_of_warps = str_equal(name, "@warps");
    if (str_equal(name, "@tech")) return set_tech(w, value);
    if (!divides && !is_of_waves && !is_of_warps) return set_key(w, name, value);
    if (!w->change) return false;
    if (divides) {
        w->change->rewrites = cheap_division;
        w->change->rewrite_count = sizeof cheap_division / sizeof cheap_division[0];
    } else if (is_of_waves) {
        w->change->whole_waves = w->facts->sms;
    } else {
        w->change->whole_warps = (uint32_t)facts_key(w->facts, "warp.size");
    }
    return true;
}

// Settings are separated by spaces. False: a setting was refused.
static bool apply_all(const struct what_if *w, const char *settings)
{
    char *copy = heap_strdup(settings), *rest = copy, *word;
    bool good = true;
    while (good && (word = strtok_r(rest, " ", &rest)) != NULL) {
        char *equals = strchr(word, '=');
        if (equals) *equals = 0;
        good = equals && apply_one(w, word, equals + 1);
    }
    free(copy);
    return good;
}

bool what_if_apply(struct wf_context *c, const struct facts *f, struct session_change *change,
                   const char *settings)
{
    return apply_all(&(struct what_if){c, f, change, NULL}, settings);
}

bool what_if_words(struct wf_context *c, const struct facts *f, const char *settings, struct strbuf *out)
{
    return apply_all(&(struct what_if){c, f, NULL, out}, settings);
}

uint64_t what_if_max_cycles(const struct report_run *base)
{
    enum { LONGEST = 4, LEAST = 10000 }; // LONGEST: over the longest launch of the base run
    uint64_t most = 0;
    for (size_t i = 0; i < base->launches.count; i++) {
        uint64_t cycles = base->launches.data[i].cycles;
        if (cycles != WF_UNKNOWN && cycles > most) most = cycles;
    }
    return LONGEST * most + LEAST;
}
