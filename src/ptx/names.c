// Lookup by name in a module, and the identifier inside an Itanium-mangled name.
#include "ptx/demangle.h"
#include "ptx/ptx.h"

#include <string.h>

// ---- unmangling
//
//     mangled := "_Z" encoding          encoding := ["L"] (nested | source) [template arguments] …
//     nested  := "N" {"K" | "V" | "r" | "R" | "O"} component {component} "E"
//     component := source | "S" … "_" | "St" | "I" template arguments "E" | constructor …
//     source  := LENGTH IDENTIFIER
//
// Only the last identifier before the parameters is needed: template arguments are skipped by nesting,
// without interpretation.

struct mangled {
    const char *at, *end;
    const char *name; // the last identifier seen outside template arguments
    size_t length;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool source_name(struct mangled *m, bool keep)
{
    size_t length = 0;
    while (m->at < m->end && is_digit(*m->at) && length < 100000)
        length = length * 10 + (size_t)(*m->at++ - '0');
    if (!length || length > (size_t)(m->end - m->at)) return false;
    if (keep) m->name = m->at;
    if (keep) m->length = length;
    m->at += length;
    return true;
}

// After "I": skips past the matching "E", over names with lengths and nested N…E, I…E, X…E, L…E, J…E, F…E.
// False: no matching "E", or a name longer than the text.
static bool skip_template_arguments(struct mangled *m)
{
    unsigned depth = 1;
    while (depth && m->at < m->end) {
        char c = *m->at;
        if (is_digit(c)) {
            if (!source_name(m, false)) return false;
            continue;
        }
        m->at++;
        if (c == 'E') depth--;
        if (c == 'S' || c == 'T') { // substitution S_, S1_, St; template parameter T_, T1_
            while (m->at < m->end && (is_digit(*m->at) || (*m->at >= 'A' && *m->at <= 'Z'))) m->at++;
            if (m->at < m->end && (*m->at == '_' || (*m->at >= 'a' && *m->at <= 'z'))) m->at++;
        }
        if (c == 'N' || c == 'I' || c == 'X' || c == 'J' || c == 'F') depth++;
        if (c == 'L') { // literal: L type value E; digits of the value do not start a name
            depth++;
            if (m->at < m->end && *m->at != '_' && !is_digit(*m->at)) {
                m->at++;
                while (m->at < m->end && (is_digit(*m->at) || *m->at == 'n')) m->at++;
            }
        }
    }
    return depth == 0;
}

static bool component(struct mangled *m)
{
    char c = *m->at;
    if (is_digit(c)) return source_name(m, true);
    m->at++;
    if (c == 'I') return skip_template_arguments(m);
    if (c == 'L' || c == 'K' || c == 'V' || c == 'r' || c == 'R' || c == 'O') return true;
    if (c == 'S') {
        while (m->at < m->end && (is_digit(*m->at) || (*m->at >= 'A' && *m->at <= 'Z'))) m->at++;
        if (m->at < m->end) m->at++;
        return true;
    }
    return (c == 'C' || c == 'D') && m->at < m->end && is_digit(*m->at++); // constructor, destructor
}

static bool unmangle(struct mangled *m)
{
    if (m->end - m->at < 3 || memcmp(m->at, "_Z", 2) != 0) return false;
    m->at += 2;
    if (*m->at == 'L') m->at++; // internal linkage
    if (m->at < m->end && *m->at == 'N') {
        m->at++;
        while (m->at < m->end && *m->at != 'E')
            if (!component(m)) return false;
        return m->at < m->end && m->name;
    }
    if (m->end - m->at > 2 && memcmp(m->at, "St", 2) == 0) m->at += 2;
    return m->at < m->end && source_name(m, true);
}

const char *ptx_unmangle(struct arena *a, const char *name)
{
    struct mangled m = {.at = name, .end = name + strlen(name)};
    if (unmangle(&m)) return arena_strndup(a, m.name, m.length);
    return arena_strndup(a, name, strlen(name));
}

// ---- entries and variables

// Names of each entry, in this order.
enum { MANGLED, IDENTIFIER, WHOLE, NAMES };

struct entry_list {
    const struct ptx_module *m;
    const char **names; // NAMES of each entry
    uint32_t count;
};

static const char *entry_name(const void *context, size_t i)
{
    const struct entry_list *l = context;
    return i < l->count ? l->names[i] : NULL;
}

// A whole name without blanks, casts and suffixes of numbers: "axpy<unsigned int, 2u>" is "axpy<unsignedint,2>",
// and `unsigned` is unsigned int.
static void simplify(const char *name, struct strbuf *out)
{
    for (const char *at = name; *at; at++) {
        bool ends_number = at > name && (is_digit(at[-1]) || strchr("uUlL", at[-1])) && strchr("uUlL", *at);
        if (*at == '(' && strchr(at, ')')) { // a cast, or the parameters of the function
            at = strchr(at, ')');
            continue;
        }
        if (*at == ' ' || (ends_number && strspn(at, "uUlL") == strcspn(at, ",> "))) continue;
        strbuf_putc(out, *at);
        if (str_ends_with(strbuf_text(out), "unsigned") && (at[1] == ',' || at[1] == '>' || at[1] == '*'))
            strbuf_puts(out, "int");
    }
}

// Whether `name` is the identifier, or the whole name, with or without namespaces.
static bool is_called(const char *const names[NAMES], const char *name)
{
    struct strbuf given = {0}, whole = {0};
    if (str_equal(names[IDENTIFIER], name)) return true;
    simplify(name, &given);
    simplify(names[WHOLE], &whole);
    const char *end = strbuf_text(&whole);
    bool is = str_ends_with(end, strbuf_text(&given)) && given.length;
    if (is && given.length < whole.length) is = end[whole.length - given.length - 1] == ':';
    strbuf_fini(&given);
    strbuf_fini(&whole);
    return is;
}

static struct ptx_function *only_kernel(const struct ptx_module *m)
{
    struct ptx_function *only = NULL;
    for (uint32_t f = 0; f < m->function_count; f++) {
        if (!m->functions[f]->is_entry) continue;
        if (only) return NULL;
        only = m->functions[f];
    }
    return only;
}

// Reports an unknown kernel, or a kernel not named (NULL), with the names of the module's kernels, the first eight.
static void report_names(const struct entry_list *l, const char *name, struct diag *d)
{
    enum { SHOWN = 8 };
    struct strbuf names = {0};
    for (uint32_t i = 0; i < l->count / NAMES && i < SHOWN; i++)
        strbuf_printf(&names, "%s'%.60s'", i ? ", " : "", l->names[NAMES * i + WHOLE]);
    const char *more = l->count / NAMES > SHOWN ? ", ..." : "";
    if (name)
        diag_error(d, loc_none(), "no kernel '%.200s'; the module has %s%s", name, strbuf_text(&names), more);
    else if (!l->count)
        diag_error(d, loc_none(), "the module has no kernels");
    else
        diag_error(d, loc_none(), "name a kernel: the module has %s%s", strbuf_text(&names), more);
    strbuf_fini(&names);
}

static struct ptx_function *report_unknown(const struct ptx_module *m, struct entry_list *l, const char *name,
                                           struct diag *d, struct arena *scratch)
{
    const char *near = str_nearest(name, entry_name, l);
    const struct ptx_function *only = only_kernel(m);
    if (!l->count)
        diag_error(d, loc_none(), "no kernel '%.200s': the module has no kernels", name);
    else if (near)
        diag_error(d, loc_none(), "no kernel '%.200s'; did you mean '%s'?", name, near);
    else if (only)
        diag_error(d, loc_none(), "no kernel '%.200s'; the module has only '%s'", name,
                   ptx_demangle(scratch, only->name));
    else
        report_names(l, name, d);
    return NULL;
}

// Whether an entry before number `index` has the same whole name, as overloads have.
static bool has_twin(const struct entry_list *l, uint32_t index)
{
    for (uint32_t i = 0; i < l->count; i += NAMES)
        if (i != index && str_equal(l->names[i + WHOLE], l->names[index + WHOLE])) return true;
    return false;
}

static struct ptx_function *report_ambiguous(const struct entry_list *l, const char *name, struct diag *d)
{
    unsigned shown = 0;
    diag_error(d, loc_none(), "more than one kernel is called '%.200s'; name one of:", name);
    for (uint32_t i = 0; i < l->count && shown < 8; i += NAMES) {
        if (!is_called(&l->names[i], name)) continue;
        diag_note(d, loc_none(), "'%s'", l->names[i + (has_twin(l, i) ? MANGLED : WHOLE)]);
        shown++;
    }
    return NULL;
}

struct ptx_function *ptx_find_entry(const struct ptx_module *m, const char *name, struct diag *d)
{
    struct ptx_function *match = NULL;
    bool ambiguous = false;
    if (!name && (match = only_kernel(m)) != NULL) return match;
    struct arena scratch;
    arena_init(&scratch);
    struct entry_list list = {m, ARENA_ARRAY(&scratch, const char *, NAMES *(size_t)m->function_count), 0};
    for (uint32_t f = 0; f < m->function_count; f++) {
        struct ptx_function *k = m->functions[f];
        if (!k->is_entry) continue;
        if (name && str_equal(k->name, name)) {
            arena_fini(&scratch);
            return k;
        }
        const char **names = &list.names[list.count];
        list.count += NAMES;
        names[MANGLED] = k->name;
        names[IDENTIFIER] = ptx_unmangle(&scratch, k->name);
        names[WHOLE] = ptx_demangle(&scratch, k->name);
        if (!name || !is_called(names, name)) continue;
        ambiguous |= match != NULL;
        match = k;
    }
    if (!name)
        report_names(&list, name, d);
    else if (ambiguous)
        match = report_ambiguous(&list, name, d);
    else if (!match)
        match = report_unknown(m, &list, name, d, &scratch);
    arena_fini(&scratch);
    return match;
}

struct ptx_variable *ptx_find_variable(const struct ptx_module *m, const char *name)
{
    for (uint32_t v = 0; v < m->variable_count; v++)
        if (str_equal(m->variables[v]->name, name)) return m->variables[v];
    return NULL;
}
