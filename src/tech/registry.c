// Parses a user's choice of mechanisms and options, against each mechanism's own table of options.
#include "tech/registry.h"

#include <stdlib.h>
#include <string.h>

static const struct tech *const all[] = {
#define TECH(symbol) &tech_##symbol,
#include "tech/registry.def"
#undef TECH
};

const struct tech *tech_at_index(size_t index)
{
    return index < sizeof all / sizeof all[0] ? all[index] : NULL;
}

static const struct tech_claim_info claims[] = {
#define CLAIM(id, name, is_exclusive, meaning) {name, meaning, is_exclusive},
#include "sm/mech/claims.def"
#undef CLAIM
};

const struct tech_claim_info *tech_claim_at(size_t index)
{
    return index < CLAIM_COUNT ? &claims[index] : NULL;
}

static uint32_t claims_of(const struct tech_use *u)
{
    const struct tech_description *of = u->tech->description;
    return u->tech->claims | (of && of->more_claims ? of->more_claims(u->options) : 0);
}

// Names of exclusive claims made by both mechanisms a and b; empty: a and b are compatible.
static void find_overlap(const struct tech_use *a, const struct tech_use *b, struct strbuf *names)
{
    for (unsigned k = 0; k < CLAIM_COUNT; k++)
        if (claims[k].is_exclusive && (claims_of(a) & claims_of(b)) >> k & 1)
            strbuf_printf(names, "%s%s", names->length ? ", " : "", claims[k].name);
}

void tech_choice_init(struct tech_choice *c)
{
    *c = (struct tech_choice){0};
    arena_init(&c->arena);
}

void tech_choice_fini(struct tech_choice *c) { arena_fini(&c->arena); }

static const char *next_name(const void *context, size_t i)
{
    (void)context;
    const struct tech *t = tech_at_index(i);
    return t ? t->name : NULL;
}

static const struct tech *find(const char *name, struct diag *d)
{
    for (size_t i = 0; tech_at_index(i); i++)
        if (str_equal(tech_at_index(i)->name, name)) return tech_at_index(i);
    const char *near = str_nearest(name, next_name, NULL);
    if (near)
        diag_error(d, loc_none(), "no mechanism \"%s\"; did you mean \"%s\"?", name, near);
    else
        diag_error(d, loc_none(), "no mechanism \"%s\"; `warpfold list techs` lists every mechanism", name);
    return NULL;
}

static const char *next_option(const void *context, size_t i)
{
    const struct tech *t = context;
    return i < t->key_count ? t->keys[i].name : NULL;
}

static bool set_option(struct config *config, const struct tech *t, const char *pair, struct diag *d)
{
    size_t length = strcspn(pair, "=");
    for (size_t k = 0; k < t->key_count; k++)
        if (strlen(t->keys[k].name) == length && memcmp(t->keys[k].name, pair, length) == 0) {
            if (config_set_pair(config, pair, loc_none(), d)) return true;
            diag_note(d, loc_none(), "%s of %s: %s; `warpfold list techs` lists every option",
                      t->keys[k].name, t->name, t->keys[k].meaning);
            return false;
        }
    char *name = heap_strndup(pair, length);
    const char *near = str_nearest(name, next_option, t);
    if (near)
        diag_error(d, loc_none(), "%s has no option \"%s\"; did you mean \"%s\"?", t->name, name, near);
    else
        diag_error(d, loc_none(), "%s has no option \"%s\"; `warpfold list techs` lists every option",
                   t->name, name);
    free(name);
    return false;
}

// Copies an option's text from the config's memory to the choice's arena.
static void keep_text(struct tech_choice *c, const struct config_key *key, void *options)
{
    if (key->type != CONFIG_TEXT) return;
    const char **text = (const char **)((char *)options + key->offset);
    *text = arena_strndup(&c->arena, *text, strlen(*text));
}

// Parses "KEY=V,KEY=V" into the mechanism's options; text NULL: all defaults. False: an error, in d.
static bool set_options(struct tech_choice *c, struct tech_use *u, char *text, struct diag *d)
{
    struct config config;
    void *options = arena_alloc(&c->arena, u->tech->options_bytes);
    bool good = true;
    config_init(&config);
    config_add(&config, u->tech->keys, u->tech->key_count, options);
    for (char *pair = text; pair && good;) {
        char *comma = strchr(pair, ',');
        if (comma) *comma++ = 0;
        good = set_option(&config, u->tech, pair, d);
        pair = comma;
    }
    for (size_t k = 0; k < u->tech->key_count && good; k++) keep_text(c, &u->tech->keys[k], options);
    config_fini(&config);
    u->options = options;
    const struct tech_description *of = u->tech->description;
    const char *wrong = good && of && of->wrong ? of->wrong(options) : NULL;
    return wrong ? diag_error(d, loc_none(), "%s", wrong) : good;
}

static bool check_claims(const struct tech_use *chosen, const struct tech_use *u, struct diag *d)
{
    struct strbuf names = {0};
    find_overlap(chosen, u, &names);
    bool good = !names.length;
    if (!good)
        diag_error(d, loc_none(),
                   "%s and %s do not go together: both claim %s; choose one of the two, or see `warpfold "
                   "list claims`",
                   chosen->tech->name, u->tech->name, strbuf_text(&names));
    strbuf_fini(&names);
    return good;
}

static bool add(struct tech_choice *c, char *text, struct diag *d)
{
    char *colon = strchr(text, ':');
    if (colon) *colon++ = 0;
    if (str_equal(text, "base") && !colon) return true;
    const struct tech *t = find(text, d);
    if (!t) return false;
    for (unsigned k = 0; k < c->count; k++)
        if (c->uses[k].tech == t) return diag_error(d, loc_none(), "mechanism %s is named twice", text);
    if (c->count == TECH_MAX) return diag_error(d, loc_none(), "%d mechanisms at most go together", TECH_MAX);
    c->uses[c->count].tech = t;
    struct tech_use *use = &c->uses[c->count];
    if (!set_options(c, use, colon, d)) return false;
    for (unsigned k = 0; k < c->count; k++)
        if (!check_claims(&c->uses[k], use, d)) return false;
    c->count++;
    return true;
}

// Comparison for qsort: by position in the registry.
static int by_registry(const void *a, const void *b)
{
    const struct tech *x = ((const struct tech_use *)a)->tech, *y = ((const struct tech_use *)b)->tech;
    size_t i = 0, j = 0;
    while (all[i] != x) i++;
    while (all[j] != y) j++;
    return (i > j) - (i < j);
}

bool tech_choose(struct tech_choice *c, const char *text, struct diag *d)
{
    char *copy = heap_strdup(text), *part = copy;
    bool good = true;
    while (part && good) {
        char *plus = strchr(part, '+');
        if (plus) *plus++ = 0;
        good = add(c, part, d);
        part = plus;
    }
    free(copy);
    if (good && c->count > 1) qsort(c->uses, c->count, sizeof c->uses[0], by_registry);
    return good;
}
