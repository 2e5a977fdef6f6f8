// The compiler's settings: the table, and options made from it.
#include "compile/compile.h"
#include "isa/profile.h"

#include <string.h>

static const char *const profile_words[] = {
    [PROFILE_SASS] = "volta|sass", [PROFILE_PTXPLUS] = "ptxplus", [PROFILE_PASCAL] = "pascal", NULL};

const struct config_key compile_config_keys[] = {
#define SETTING(field, type, key, low, high, words, initial, meaning)                                        \
    CONFIG_KEY(struct compile_settings, field, type, key, low, high, words, initial, meaning),
#include "compile/config.def"
#undef SETTING
};
const size_t compile_config_key_count = sizeof compile_config_keys / sizeof compile_config_keys[0];

static const char *const pass_names[] = {
#define PASS(function, name, meaning) name,
#include "compile/pass/passes.def"
#undef PASS
};
enum { PASS_COUNT = sizeof pass_names / sizeof pass_names[0] };
_Static_assert(PASS_COUNT <= 32, "passes are kept as bits of a 32-bit set");

const char *compile_pass_name(unsigned index) { return index < PASS_COUNT ? pass_names[index] : NULL; }

static const char *pass_name(const void *context, size_t i)
{
    (void)context;
    return compile_pass_name((unsigned)i);
}

void compile_options_default(struct compile_options *o)
{
    *o = (struct compile_options){
        .profile = PROFILE_SASS, .optimise = 1, .address_bits = 64, .stack_bytes = 1024};
}

static bool find_pass(const char *name, size_t length, uint32_t *bit)
{
    for (unsigned k = 0; k < PASS_COUNT; k++)
        if (strlen(pass_names[k]) == length && !memcmp(pass_names[k], name, length)) {
            *bit = 1u << k;
            return true;
        }
    return false;
}

// Sets *bits to the rows of passes.def named in a list such as "values,loads". False and an error at `loc`
// for an unknown name.
static bool read_passes(const char *key, const char *list, uint32_t *bits, struct loc loc, struct diag *d)
{
    *bits = 0;
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        uint32_t bit;
        if (length && !find_pass(at, length, &bit)) {
            char word[64];
            size_t kept = length < sizeof word ? length : sizeof word - 1;
            memcpy(word, at, kept);
            word[kept] = 0;
            const char *near = str_nearest(word, pass_name, NULL);
            if (near) return diag_error(d, loc, "%s: no pass '%s'; did you mean '%s'?", key, word, near);
            return diag_error(d, loc, "%s: no pass '%s'", key, word);
        }
        if (length) *bits |= bit;
        at += length + (at[length] == ',');
    }
    return true;
}

bool compile_options_from(struct compile_options *o, const struct compile_settings *s, struct loc loc,
                          struct diag *d)
{
    compile_options_default(o);
    o->profile = (uint8_t)s->profile;
    o->optimise = s->optimise;
    o->max_registers = s->max_registers;
    o->stack_bytes = s->stack_bytes;
    o->check = s->check;
    return read_passes("compile.disable", s->disable ? s->disable : "", &o->disabled_passes, loc, d) &&
           read_passes("compile.break", s->broken ? s->broken : "", &o->broken_passes, loc, d);
}
