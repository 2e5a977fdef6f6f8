// The name of a template's instance inside an Itanium-mangled name: "_ZN2ns4axpyIfLi2EEEvT_PS1_" gives
// "ns::axpy<float, 2>". (Itanium C++ ABI, 5.1; parameters behind the name are not read.)
//
//     name   := "N" qualifiers {part} "E" | part          part := source | substitution | "I" {argument} "E"
//     argument := type | "L" type value "E" | "J" {argument} "E"
//     type   := builtin | ("P" | "R" | "O" | "K" | "V") type | name
//
// Other forms (expressions, functions, arrays) end the reading; the caller then uses the identifier alone.
#include "ptx/demangle.h"
#include "base/vec.h"
#include "ptx/ptx.h"

#include <string.h>

enum { NESTING_MOST = 40 };

struct demangler {
    const char *at;
    struct arena *arena;
    VEC(const char *) known; // substitutions S_, S0_, S1_ …
    unsigned nesting;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *type(struct demangler *m);

static const char *keep(struct demangler *m, const char *text)
{
    if (text) vec_push(&m->known, text);
    return text;
}

static const char *source(struct demangler *m)
{
    size_t length = 0;
    while (is_digit(*m->at) && length < 10000) length = length * 10 + (size_t)(*m->at++ - '0');
    if (!length || strnlen(m->at, length) < length) return NULL;
    const char *text = arena_strndup(m->arena, m->at, length);
    m->at += length;
    return str_starts_with(text, "_GLOBAL__N") ? "(anonymous namespace)" : text;
}

// After "S": "_" is the first substitution, "0_" the second, in base 36.
static const char *substitution(struct demangler *m)
{
    size_t index = 0;
    if (*m->at == 't') {
        m->at++;
        return "std";
    }
    if (*m->at != '_') {
        for (; is_digit(*m->at) || (*m->at >= 'A' && *m->at <= 'Z'); m->at++)
            index = index * 36 + (size_t)(is_digit(*m->at) ? *m->at - '0' : *m->at - 'A' + 10);
        index++;
    }
    return *m->at++ == '_' && index < m->known.count ? m->known.data[index] : NULL;
}

// A literal behind "L": "i2E" is 2, "j2E" 2u, "b1E" true.
static const char *literal(struct demangler *m)
{
    char kind = *m->at;
    const char *cast = type(m);
    if (!cast) return NULL;
    bool negative = *m->at == 'n';
    m->at += negative;
    size_t length = strspn(m->at, "0123456789");
    const char *digits = arena_strndup(m->arena, m->at, length);
    m->at += length;
    if (!length || *m->at++ != 'E') return NULL;
    if (kind == 'b') return str_equal(digits, "0") ? "false" : "true";
    const char *suffix = kind == 'j' ? "u" : kind == 'l' ? "l" : kind == 'm' ? "ul" : "";
    bool is_plain = kind == 'i' || *suffix;
    return arena_printf(m->arena, "%s%s%s%s%s%s", is_plain ? "" : "(", is_plain ? "" : cast,
                        is_plain ? "" : ")", negative ? "-" : "", digits, suffix);
}

// Appends arguments up to "E", with commas between.
static bool arguments(struct demangler *m, struct strbuf *out)
{
    for (bool first = true; *m->at != 'E'; first = false) {
        if (!*m->at || m->nesting > NESTING_MOST) return false;
        if (*m->at == 'J') {
            m->at++;
            if (*m->at != 'E' && !first) strbuf_puts(out, ", ");
            if (!arguments(m, out)) return false;
            continue;
        }
        const char *text;
        if (*m->at == 'L') {
            m->at++;
            text = literal(m);
        } else {
            text = type(m);
        }
        if (!text) return false;
        strbuf_printf(out, "%s%s", first ? "" : ", ", text);
    }
    m->at++;
    return true;
}

// Arguments behind `base` if an "I" is there; the instance is a substitution. NULL: not readable.
static const char *instance(struct demangler *m, const char *base)
{
    if (*m->at != 'I') return base;
    struct strbuf text = {0};
    m->at++;
    strbuf_printf(&text, "%s<", base);
    bool good = arguments(m, &text);
    strbuf_putc(&text, '>');
    const char *kept = good ? arena_strndup(m->arena, text.text, text.length) : NULL;
    strbuf_fini(&text);
    return kept;
}

// Behind "N", to "E". Every prefix is a substitution, except the whole name of a function (is_type false).
static const char *nested(struct demangler *m, bool is_type)
{
    const char *name = NULL;
    m->at += strspn(m->at, "rVKRO");
    while (*m->at != 'E') {
        bool is_old = *m->at == 'S';
        const char *before = name;
        if (*m->at == 'I' && name) {
            name = instance(m, name);
        } else {
            if (is_old || *m->at == 'L') m->at++;
            const char *part = is_old ? substitution(m) : source(m);
            if (!part) return NULL;
            name = before ? arena_printf(m->arena, "%s::%s", before, part) : part;
        }
        if (!name) return NULL;
        if (!is_old && (is_type || *m->at != 'E')) keep(m, name);
    }
    m->at++;
    return name;
}

static const char *class_type(struct demangler *m)
{
    bool is_old = *m->at == 'S';
    const char *name;
    if (*m->at == 'N') {
        m->at++;
        return nested(m, true);
    }
    if (is_old) m->at++;
    name = is_old ? substitution(m) : source(m);
    if (is_old && name && str_equal(name, "std")) {
        const char *part = source(m);
        name = part ? keep(m, arena_printf(m->arena, "std::%s", part)) : NULL;
    } else if (!is_old) {
        keep(m, name);
    }
    if (!name || *m->at != 'I') return name;
    return keep(m, instance(m, name));
}

static const char *builtin(char c)
{
    static const char *const names[26] = {['a' - 'a'] = "signed char",   ['b' - 'a'] = "bool",
                                          ['c' - 'a'] = "char",          ['d' - 'a'] = "double",
                                          ['e' - 'a'] = "long double",   ['f' - 'a'] = "float",
                                          ['h' - 'a'] = "unsigned char", ['i' - 'a'] = "int",
                                          ['j' - 'a'] = "unsigned int",  ['l' - 'a'] = "long",
                                          ['m' - 'a'] = "unsigned long", ['n' - 'a'] = "__int128",
                                          ['s' - 'a'] = "short",         ['t' - 'a'] = "unsigned short",
                                          ['v' - 'a'] = "void",          ['w' - 'a'] = "wchar_t",
                                          ['x' - 'a'] = "long long",     ['y' - 'a'] = "unsigned long long"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static const char *type(struct demangler *m)
{
    static const char letters[] = "PROKV";
    static const char *const endings[] = {"*", "&", "&&", " const", " volatile"};
    const char *mark = *m->at ? strchr(letters, *m->at) : NULL, *text = builtin(*m->at);
    if (text) {
        m->at++;
        return text;
    }
    if (!mark) return is_digit(*m->at) || *m->at == 'S' || *m->at == 'N' ? class_type(m) : NULL;
    if (m->nesting++ > NESTING_MOST) return NULL;
    m->at++;
    const char *of = type(m);
    m->nesting--;
    return of ? keep(m, arena_printf(m->arena, "%s%s", of, endings[mark - letters])) : NULL;
}

const char *ptx_demangle(struct arena *a, const char *name)
{
    struct demangler m = {.at = name + 2, .arena = a};
    const char *found = NULL;
    if (str_starts_with(name, "_Z")) {
        if (*m.at == 'L') m.at++;
        if (*m.at == 'N') {
            m.at++;
            found = nested(&m, false);
        } else {
            found = source(&m);
            if (found && *m.at == 'I') {
                keep(&m, found);
                found = instance(&m, found);
            }
        }
    }
    vec_fini(&m.known);
    return found ? found : ptx_unmangle(a, name);
}
