// Drawing, writing, trying and shrinking combinations.
#include "differential/combination.h"

#include "api/impl.h"
#include "base/hash.h"
#include "base/rng.h"
#include "tech/extra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- keys excluded from the draw, and the values of drawn keys ---------------------------------------------

// Excluded keys by prefix. Keys without a meaning exist for tests that plant an error on purpose;
// is_excluded refuses such keys without a row.
static const struct {
    const char *prefix, *reason;
} excluded[] = {
    {"memory.size", "room for the program's data"},
    {"launch.max_shared", "a limit: what goes past it is refused"},
    {"exec.max_warp_instructions", "a limit: what goes past it fails"},
    {"riscv.max_host_instructions", "the same, of a host part"},
    {"exec.patience", "a limit: what waits for longer fails"},
    {"sim.patience", "a limit: what waits for longer fails"},
    {"compile.stack_bytes", "room for recursion: what goes past it faults"},
    {"warp.size", "the program's, which may depend on it"},
    {"check.", "judges programs, which are legal here: races, bounds and members have no timing"},
    {"sim.lose_reply", "makes a hang"},
    {"sim.no_barriers", "makes values void"},
    {"sim.block_warps", "makes values void"},
    {"sim.block_instructions", "makes values void"},
    {"sim.warp_instructions", "makes values void"},
    {"sim.no_divergence",
     "instructions without time are in no counter of issues: tests/cli/test_profile.c compares values"},
    {"timeline.", "of runs that are watched (tests/report)"},
    {"sample", "figures become estimates (tests/sample)"},
    {"study.", "of studies (tests/study)"},
    {"energy.", "prices of what was counted"},
    {"gpu.slice", "must divide the number of SMs (tests/api/test_slice.c)"},
    {"machine", "the other machine runs RISC-V programs alone (tests/simtight)"},
    {"simt.", "of that machine"},
};

static bool is_excluded(const struct config_key *key)
{
    if (!key->meaning) return true;
    for (size_t k = 0; k < sizeof excluded / sizeof excluded[0]; k++)
        if (str_starts_with(key->name, excluded[k].prefix)) return true;
    return false;
}

// Unsound rules, such as literal ones of a paper, have the same names under every key.
static bool is_unsound(const char *word)
{
    return str_equal(word, "paper") || str_equal(word, "early") || str_equal(word, "unsound");
}

// Room for blocks: too small a value makes the launch fail, and give_room then drops the part.
static bool is_room(const char *part)
{
    return str_starts_with(part, "sm.") || (str_starts_with(part, "class.") && strstr(part, ".sm."));
}

// A number of schedulers that does not divide the warps of an SM evenly. Dropped together with is_room
// parts.
static bool is_uneven(const char *part)
{
    enum { WARPS = 64 }; // of an SM, or a multiple of every power-of-two number of schedulers
    static const char key[] = "issue.schedulers=";
    const char *at = strstr(part, key);
    return at && WARPS % strtoul(at + strlen(key), NULL, 10) != 0;
}

// Keys with a list of values, because the ends of the range and the neighbours of the default are not worth
// a test.
static const struct {
    const char *key, *values[6];
} values[] = {
    {"compile.max_registers", {"16", "20", "24", "32", "64"}}, // fewer than 16: kernels are refused
    {"report.interval", {"50", "1000"}},
    {"sim.stall", {"0", "20", "300", "4000"}}, // checked very often: every program ends
    {"exec.look", {"0", "1", "300", "4000"}},
    {"gpu.sm_count", {"1", "2", "3"}},
    {"mark.rules", {"sound", "sound", "sound", "sound", "none"}}, // nothing is shared without marks
    // With lower clocks, spinning warps would need more cycles than the hang limit.
    {"l2.mhz", {"400", "700", "1418", "2834"}},
    {"icnt.mhz", {"400", "700", "1418", "2834"}},
    {"dram.mhz", {"400", "1250", "2507", "5000"}},
    {"sm.registers", {"4096", "8192", "16384", "65536"}},
    {"kernels", {"k:1", "k:4", "j:4/k:2"}}, // of coarse
};

static void draw_number(struct rng *r, const struct config_key *key, struct strbuf *out)
{
    double initial = strtod(key->initial, NULL), low = key->low, some = rng_below(r, 24);
    bool large = initial >= 1000; // small values are alike: no kernel can run
    double near[] = {low,         large ? low : low + 1, large ? initial / 1000 : low + 2,
                     low + some,  initial / 2,           initial + 1,
                     2 * initial, initial + some};
    double v = near[rng_below(r, sizeof near / sizeof near[0])];
    v = v < low ? low : v > key->high ? key->high : v;
    strbuf_printf(out, "%.0f", (double)(uint64_t)v);
}

static void draw_word(struct rng *r, const struct config_key *key, struct strbuf *out)
{
    unsigned count = 0;
    while (key->words[count]) count++;
    const char *word = key->words[rng_below(r, count)];
    strbuf_puts(out, is_unsound(word) ? key->initial : word);
}

// A random stream per name: a new key or option does not change the draws of existing keys.
static struct rng stream(uint64_t seed, const char *name)
{
    struct rng r;
    rng_init(&r, hash_bytes(name, strlen(name), seed));
    return r;
}

static void draw_passes(uint64_t seed, struct strbuf *out)
{
    for (unsigned k = 0; compile_pass_name(k); k++) {
        struct rng r = stream(seed, compile_pass_name(k));
        if (!rng_below(&r, 4)) strbuf_printf(out, "%s%s", out->length ? "," : "", compile_pass_name(k));
    }
}

static void draw_value(uint64_t seed, struct rng *r, const struct config_key *key, struct strbuf *out)
{
    unsigned count = 0;
    strbuf_clear(out);
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        if (!str_equal(values[k].key, key->name)) continue;
        while (values[k].values[count]) count++;
        strbuf_puts(out, values[k].values[rng_below(r, count)]);
        return;
    }
    switch (key->type) {
    case CONFIG_WORD: draw_word(r, key, out); break;
    case CONFIG_BOOL:
        strbuf_printf(out, "%d", rng_below(r, 4) ? key->initial[0] != '1' : key->initial[0] == '1');
        break;
    case CONFIG_TEXT: draw_passes(seed, out); break; // of compile.disable, the only text key
    case CONFIG_U32:
    case CONFIG_U64:
    case CONFIG_F64:
    case CONFIG_BYTES: draw_number(r, key, out); break;
    }
}

// -- drawing -----------------------------------------------------------------------------------------------

static void add(struct combination *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct combination *c, const char *format, ...)
{
    char part[600];
    va_list args;
    va_start(args, format);
    vsnprintf(part, sizeof part, format, args);
    va_end(args);
    vec_push(&c->parts, strdup(part));
}

void combination_fini(struct combination *c)
{
    for (size_t k = 0; k < c->parts.count; k++) free(c->parts.data[k]);
    vec_fini(&c->parts);
}

// Draws a GPU or none. Most programs run on "tiny", the quickest.
static void draw_gpu(uint64_t seed, struct wf_context *ask, struct combination *c)
{
    const char *name, *meaning;
    unsigned count = 0;
    struct rng r = stream(seed, "gpu");
    if (!rng_below(&r, 12)) return;
    bool small = rng_below(&r, 3);
    while (wf_gpu_at(count, &name, &meaning)) count++;
    wf_gpu_at(rng_below(&r, count), &name, &meaning);
    if (small) name = "tiny";
    wf_gpu(ask, name);
    add(c, "gpu=%s", name);
}

static bool is_tech(const char *part) { return str_starts_with(part, "tech="); }

static void draw_options(uint64_t seed, const struct tech *t, unsigned of_ten, struct combination *c)
{
    struct strbuf name = {0}, value = {0};
    for (size_t k = 0; k < t->key_count; k++) {
        strbuf_clear(&name);
        strbuf_printf(&name, "%s:%s", t->name, t->keys[k].name);
        struct rng r = stream(seed, strbuf_text(&name));
        if (!t->keys[k].meaning || rng_below(&r, 10) >= of_ten) continue;
        draw_value(seed, &r, &t->keys[k], &value);
        add(c, "%s=%s", strbuf_text(&name), strbuf_text(&value));
    }
    strbuf_fini(&name);
    strbuf_fini(&value);
}

// A mechanism's score: the best of four draws with 12 options or more, else a single draw. Because of the
// step, a further option rarely changes the order of mechanisms.
static uint64_t luck(uint64_t seed, const struct tech *t)
{
    enum { MANY = 12 };
    struct rng r = stream(seed, t->name);
    uint64_t best = 0;
    for (unsigned k = 0; k < (t->key_count >= MANY ? 4 : 1); k++) {
        uint64_t score = rng_next(&r);
        best = score > best ? score : best;
    }
    return best;
}

// Returns the mechanism with the highest score under `below` and lowers `below` to its score; NULL: none
// left.
static const struct tech *next_mechanism(uint64_t seed, uint64_t *below)
{
    const struct tech *next = NULL;
    uint64_t best = 0;
    for (size_t k = 0; tech_at_index(k); k++) {
        uint64_t score = luck(seed, tech_at_index(k));
        if (score >= *below || score < best) continue;
        best = score;
        next = tech_at_index(k);
    }
    *below = best;
    return next;
}

// One mechanism in most combinations, several where wf_tech accepts the set.
static void add_techs(const struct combination *c, struct strbuf *out);

static bool is_option(const char *part);

static bool go_together(struct wf_context *ask, const struct combination *c)
{
    struct strbuf all = {0};
    add_techs(c, &all);
    bool good = wf_tech(ask, strbuf_text(&all)) == WF_OK;
    strbuf_fini(&all);
    return good;
}

static void give_up(struct combination *c, size_t k)
{
    free(c->parts.data[k]);
    memmove(&c->parts.data[k], &c->parts.data[k + 1], (c->parts.count - k - 1) * sizeof *c->parts.data);
    c->parts.count--;
}

// Gives up options from the last backwards until the mechanisms go together.
static void keep_together(struct wf_context *ask, struct combination *c)
{
    for (size_t k = c->parts.count; k-- && !go_together(ask, c);)
        if (is_option(c->parts.data[k])) give_up(c, k);
}

static void draw_mechanisms(uint64_t seed, struct wf_context *ask, unsigned of_ten, struct combination *c)
{
    struct rng r = stream(seed, "tech");
    unsigned some = rng_below(&r, 12), wanted = some == 0 ? 0 : some < 9 ? 1 : 2 + rng_below(&r, 3);
    struct strbuf names = {0}, more = {0};
    const struct tech *t;
    for (uint64_t below = UINT64_MAX; wanted && (t = next_mechanism(seed, &below)); wanted--) {
        strbuf_clear(&more);
        strbuf_printf(&more, "%s%s%s", strbuf_text(&names), names.length ? "+" : "", t->name);
        if (wf_tech(ask, strbuf_text(&more)) != WF_OK) continue;
        strbuf_clear(&names);
        strbuf_puts(&names, strbuf_text(&more));
        add(c, "tech=%s", t->name);
        draw_options(seed, t, of_ten, c);
        keep_together(ask, c);
    }
    strbuf_fini(&names);
    strbuf_fini(&more);
}

// Returns the exclusive claims of the mechanisms drawn so far; *by_options: claims made by their options.
static uint32_t exclusive_claims(const struct combination *c, uint32_t *by_options)
{
    const struct tech_claim_info *claim;
    uint32_t claims = 0, exclusive = 0;
    struct tech_choice choice;
    struct strbuf techs = {0};
    struct diag d;
    diag_init(&d);
    tech_choice_init(&choice);
    add_techs(c, &techs);
    tech_choose(&choice, strbuf_text(&techs), &d);
    *by_options = 0;
    for (unsigned k = 0; k < choice.count; k++) {
        const struct tech_use *u = &choice.uses[k];
        const struct tech_description *of = u->tech->description;
        *by_options |= of && of->more_claims ? of->more_claims(u->options) : 0;
        claims |= u->tech->claims;
    }
    for (size_t k = 0; (claim = tech_claim_at(k)); k++) exclusive |= (uint32_t)claim->is_exclusive << k;
    tech_choice_fini(&choice);
    strbuf_fini(&techs);
    diag_fini(&d);
    return (claims | *by_options) & exclusive;
}

void combination_stay_in_lanes(struct combination *c)
{
    uint32_t by_options;
    exclusive_claims(c, &by_options);
    for (size_t k = c->parts.count; k-- && by_options;) {
        if (!is_option(c->parts.data[k])) continue;
        give_up(c, k);
        exclusive_claims(c, &by_options);
    }
}

// Sometimes adds a mechanism of tech/extra.h, if its claims fit those drawn. A mechanism claiming L1_LINES
// gets global loads served by L1.
static void draw_extra(uint64_t seed, struct combination *c)
{
    struct rng r = stream(seed, "extra");
    unsigned count = 0, drawn = 0;
    while (extra_techs[count]) count++;
    for (size_t k = 0; k < c->parts.count; k++) drawn += is_tech(c->parts.data[k]);
    if (rng_below(&r, 4) || drawn == TECH_MAX) return;
    const struct tech *t = extra_techs[rng_below(&r, count)];
    uint32_t by_options, taken = exclusive_claims(c, &by_options);
    if (t->claims & taken || by_options) return;
    add(c, "%s=%s", rng_below(&r, 2) ? "above" : "below", t->name);
    if (t->claims & CLAIMS(L1_LINES)) add(c, "l1.global=1");
}

static bool has_classes(struct wf_context *ask)
{
    struct wf_class first;
    return wf_class_at(ask, 0, &first);
}

static void draw_keys(uint64_t seed, struct wf_context *ask, const struct generated *program, unsigned of_ten,
                      struct combination *c)
{
    static const unsigned densities[] = {0, 3, 3, 30}; // percent of the keys of the timing model
    struct rng dense = stream(seed, "density");
    unsigned density = densities[rng_below(&dense, 4)];
    const struct config_key *key;
    struct strbuf value = {0};
    bool is_mixed = has_classes(ask); // the classes determine the number of SMs
    for (size_t k = 0; (key = config_at(&ask->config, k)); k++) {
        struct rng r = stream(seed, key->name);
        if (is_mixed && str_equal(key->name, "gpu.sm_count")) continue;
        bool few = str_starts_with(key->name, "mark.") || str_starts_with(key->name, "compile.") ||
                   str_starts_with(key->name, "exec.") || str_equal(key->name, "simt");
        if (is_excluded(key) || rng_below(&r, 100) >= (few ? 10 * of_ten : density)) continue;
        draw_value(seed, &r, key, &value);
        if (program->splits && str_equal(key->name, "simt")) continue;
        if (value.length && wf_set(ask, key->name, strbuf_text(&value)) == WF_OK)
            add(c, "%s=%s", key->name, strbuf_text(&value));
    }
    strbuf_fini(&value);
}

static void draw_class_keys(uint64_t seed, const char *class, struct wf_context *ask, struct combination *c)
{
    struct strbuf name = {0}, value = {0}, before = {0};
    for (size_t k = 0; k < gpu_config_key_count; k++) {
        const struct config_key *key = &gpu_config_keys[k];
        strbuf_clear(&name);
        strbuf_printf(&name, "class.%s.%s", class, key->name);
        struct rng r = stream(seed, strbuf_text(&name));
        if (gpu_config_is_chips(k) || rng_below(&r, 100) >= 8) continue;
        draw_value(seed, &r, key, &value);
        if (wf_set(ask, strbuf_text(&name), strbuf_text(&value)) != WF_OK) continue;
        if (wf_check_settings(ask) == WF_OK) {
            add(c, "%s=%s", strbuf_text(&name), strbuf_text(&value));
            continue;
        }
        strbuf_clear(&before); // the key itself fits
        config_format(&ask->config, key, &before);
        wf_set(ask, strbuf_text(&name), strbuf_text(&before));
    }
    strbuf_fini(&name);
    strbuf_fini(&value);
    strbuf_fini(&before);
}

// Sometimes makes a chip with two classes of SMs; few SMs, so that blocks reach both classes.
static void draw_classes(uint64_t seed, struct wf_context *ask, struct combination *c)
{
    struct rng r = stream(seed, "classes");
    if (rng_below(&r, 6) || has_classes(ask)) return;
    unsigned a = 1 + rng_below(&r, 2), b = 1 + rng_below(&r, 2);
    const char *const parts[][2] = {{"class.a.count", a == 1 ? "1" : "2"},
                                    {"class.b.count", b == 1 ? "1" : "2"},
                                    {"gpu.sm_count", a + b == 2   ? "2"
                                                     : a + b == 3 ? "3"
                                                                  : "4"}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (wf_set(ask, parts[k][0], parts[k][1]) == WF_OK) add(c, "%s=%s", parts[k][0], parts[k][1]);
    draw_class_keys(seed, "a", ask, c);
    draw_class_keys(seed, "b", ask, c);
}

static void draw_host(uint64_t seed, struct combination *c)
{
    struct rng verify = stream(seed, "host.verify"), threads = stream(seed, "host.threads"),
               counts = stream(seed, "host.counts");
    if (!rng_below(&verify, 4)) add(c, "host.verify=0");
    if (!rng_below(&threads, 3)) add(c, "host.threads=%u", 1 + (unsigned)rng_below(&threads, 3));
    if (!rng_below(&counts, 3)) add(c, "host.counts=1");
    add(c, "host.cycles=10000000");
}

// Returns how many of ten options are set: many in a third of the combinations, where faults need several
// options at once, and few in another third.
static unsigned draw_share(uint64_t seed)
{
    struct rng r = stream(seed, "options");
    unsigned third = 2 * rng_below(&r, 3);
    return 2 + third + rng_below(&r, 2);
}

void combination_draw_with(uint64_t seed, const struct generated *program, const struct tech *const *techs,
                           unsigned count, struct combination *out)
{
    struct wf_context *ask = wf_context_create();
    unsigned of_ten = draw_share(seed);
    *out = (struct combination){0};
    wf_gpu(ask, "tiny");
    add(out, "gpu=tiny");
    for (unsigned k = 0; k < count; k++) {
        add(out, "tech=%s", techs[k]->name);
        draw_options(seed, techs[k], of_ten, out);
        keep_together(ask, out);
    }
    draw_keys(seed, ask, program, of_ten, out);
    draw_host(seed, out);
    wf_context_destroy(ask);
}

void combination_draw(uint64_t seed, const struct generated *program, struct combination *out)
{
    struct wf_context *ask = wf_context_create();
    unsigned of_ten = draw_share(seed);
    *out = (struct combination){0};
    draw_gpu(seed, ask, out);
    if (out->parts.count) {
        draw_mechanisms(seed, ask, of_ten, out);
        draw_extra(seed, out);
    }
    draw_keys(seed, ask, program, of_ten, out);
    if (out->parts.count && str_starts_with(out->parts.data[0], "gpu=")) draw_classes(seed, ask, out);
    draw_host(seed, out);
    wf_context_destroy(ask);
}

void combination_draw_on(uint64_t seed, const char *gpu, struct combination *out)
{
    const struct generated any = {.splits = true}; // excludes `simt`: divergence is the program's business
    struct wf_context *ask = wf_context_create();
    unsigned of_ten = draw_share(seed);
    size_t kept = 0;
    *out = (struct combination){0};
    wf_gpu(ask, gpu);
    draw_mechanisms(seed, ask, of_ten, out);
    draw_keys(seed, ask, &any, of_ten, out);
    for (size_t k = 0; k < out->parts.count; k++)
        if (is_room(out->parts.data[k]) || is_uneven(out->parts.data[k]))
            free(out->parts.data[k]);
        else
            out->parts.data[kept++] = out->parts.data[k];
    out->parts.count = kept;
    wf_context_destroy(ask);
}

// -- as text -----------------------------------------------------------------------------------------------

static bool is_option(const char *part)
{
    const char *colon = strchr(part, ':');
    return colon && colon < strchr(part, '=');
}

static void write_options(const struct combination *c, const char *tech, struct strbuf *out)
{
    char separator = ':';
    size_t length = strlen(tech);
    for (size_t k = 0; k < c->parts.count; k++) {
        const char *part = c->parts.data[k];
        if (!is_option(part) || strncmp(part, tech, length) != 0 || part[length] != ':') continue;
        strbuf_printf(out, "%c%s", separator, part + length + 1);
        separator = ',';
    }
}

// "darsie:entries=3+uv", or "base".
static void add_techs(const struct combination *c, struct strbuf *out)
{
    size_t before = out->length;
    for (size_t k = 0; k < c->parts.count; k++) {
        if (!is_tech(c->parts.data[k])) continue;
        strbuf_printf(out, "%s%s", out->length > before ? "+" : "", c->parts.data[k] + strlen("tech="));
        write_options(c, c->parts.data[k] + strlen("tech="), out);
    }
    if (out->length == before) strbuf_puts(out, "base");
}

void combination_write(const struct combination *c, struct strbuf *out)
{
    bool several = false;
    strbuf_clear(out);
    for (size_t k = 0; k < c->parts.count; k++) {
        const char *part = c->parts.data[k];
        if (is_option(part)) continue; // written with its mechanism
        if (is_tech(part) && several) {
            strbuf_printf(out, "+%s", part + 5);
        } else {
            strbuf_printf(out, "%s%s", out->length ? " " : "", part);
        }
        if (is_tech(part)) write_options(c, part + 5, out);
        several = is_tech(part); // mechanisms are joined by '+'
    }
}

static void read_mechanisms(char *text, struct combination *out)
{
    for (char *rest = text, *one; (one = strtok_r(rest, "+", &rest)) != NULL;) {
        char *options = strchr(one, ':');
        if (options) *options++ = 0;
        add(out, "tech=%s", one);
        for (char *more = options, *pair; options && (pair = strtok_r(more, ",", &more)) != NULL;)
            add(out, "%s:%s", one, pair);
    }
}

void combination_read(const char *text, struct combination *out)
{
    *out = (struct combination){0};
    char *copy = strndup(text, strcspn(text, "\n")), *rest = copy;
    for (char *part; (part = strtok_r(rest, " ", &rest)) != NULL;)
        if (str_starts_with(part, "tech="))
            read_mechanisms(part + 5, out);
        else
            add(out, "%s", part);
    free(copy);
}

// -- trying ------------------------------------------------------------------------------------------------

enum { PARTS_MAX = 512 };

struct pieces { // the text in pieces, as taken by compare() and judge()
    struct strbuf text;
    const char *pieces[PARTS_MAX];
};

static way split(struct pieces *s, const struct combination *c)
{
    unsigned count = 0;
    s->text = (struct strbuf){0};
    combination_write(c, &s->text);
    for (char *rest = s->text.text, *piece; rest && (piece = strtok_r(rest, " ", &rest)) != NULL;)
        if (count + 1 < PARTS_MAX) s->pieces[count++] = piece;
    s->pieces[count] = NULL;
    return s->pieces;
}

// Copies `c` without the parts [at, at + run). The copy shares the texts of `c`.
static struct combination without(const struct combination *c, size_t at, size_t run)
{
    struct combination less = {0};
    for (size_t k = 0; k < c->parts.count; k++)
        if (k < at || k >= at + run) vec_push(&less.parts, c->parts.data[k]);
    return less;
}

static void give_room(struct combination *c)
{
    size_t kept = 0;
    for (size_t k = 0; k < c->parts.count; k++) {
        if (is_room(c->parts.data[k]) || is_uneven(c->parts.data[k]))
            free(c->parts.data[k]);
        else
            c->parts.data[kept++] = c->parts.data[k];
    }
    c->parts.count = kept;
    add(c, "sm.registers=1048576");
}

static enum verdict try(const char *text, const struct expectation *e, const struct combination *c,
                        struct strbuf *why)
{
    struct pieces s;
    enum verdict v = compare(text, e, split(&s, c), NULL, why);
    strbuf_fini(&s.text);
    return v;
}

enum verdict combination_try(const char *text, struct combination *c, struct strbuf *why)
{
    struct expectation e;
    if (!expect(text, 0, &e, why)) return INVALID;
    enum verdict v = try(text, &e, c, why);
    if (v == REFUSED) {
        give_room(c);
        strbuf_clear(why);
        v = try(text, &e, c, why);
    }
    expectation_fini(&e);
    return v;
}

enum { TOGETHER = 4 };

enum verdict combination_try_together(const char *const *texts, unsigned count, const char *breaker,
                                      struct combination *c, struct strbuf *why)
{
    struct expectation e[TOGETHER] = {0};
    enum verdict v = SAME;
    for (unsigned k = 0; k < count && v == SAME; k++)
        if (!expect(texts[k], 0, &e[k], why)) v = INVALID;
    for (unsigned turn = 0; v == SAME || (v == REFUSED && turn == 1); turn++) {
        struct pieces s;
        v = compare_together(texts, e, count, breaker, split(&s, c), why);
        strbuf_fini(&s.text);
        if (v != REFUSED || turn) break;
        give_room(c);
        strbuf_clear(why);
    }
    for (unsigned k = 0; k < count; k++) expectation_fini(&e[k]);
    return v;
}

static enum verdict judge_parts(const char *text, const struct combination *c, unsigned limit_s,
                                struct strbuf *why)
{
    struct pieces s;
    enum verdict v = judge(text, split(&s, c), NULL, 0, limit_s, why);
    strbuf_fini(&s.text);
    return v;
}

enum verdict combination_judge(const char *text, struct combination *c, unsigned limit_s, struct strbuf *why)
{
    enum verdict v = judge_parts(text, c, limit_s, why);
    if (v != REFUSED) return v;
    give_room(c);
    strbuf_clear(why);
    return judge_parts(text, c, limit_s, why);
}

// -- shrinking ---------------------------------------------------------------------------------------------

enum { LIMIT_S = 20 };

static bool fails_without(const char *text, struct combination *c, size_t at, size_t run, enum verdict wanted)
{
    struct strbuf why = {0};
    struct combination less = without(c, at, run);
    bool fails = judge_parts(text, &less, LIMIT_S, &why) == wanted;
    if (fails) {
        for (size_t k = at; k < at + run; k++) free(c->parts.data[k]);
        vec_fini(&c->parts);
        *c = less;
    } else {
        vec_fini(&less.parts);
    }
    strbuf_fini(&why);
    return fails;
}

static bool fewer_parts(const char *text, struct combination *c, enum verdict wanted)
{
    bool any = false;
    for (size_t run = c->parts.count / 2; run; run /= 2)
        for (size_t at = c->parts.count; at-- > 0;)
            if (at + run <= c->parts.count) any |= fails_without(text, c, at, run, wanted);
    return any;
}

void combination_shrink(struct strbuf *text, struct combination *c, enum verdict wanted, bool verbose)
{
    for (bool better = true; better;) {
        struct pieces s;
        size_t before = text->length;
        fewer_parts(strbuf_text(text), c, wanted);
        if (verbose) fprintf(stderr, "%zu parts\n", c->parts.count);
        shrink(text, split(&s, c), NULL, wanted, verbose);
        strbuf_fini(&s.text);
        better = text->length < before && fewer_parts(strbuf_text(text), c, wanted);
    }
}
