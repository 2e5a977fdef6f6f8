// Lookup by name in a module, and the identifier inside an Itanium-mangled name.
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

struct entry_list {
    const struct ptx_module *m;
    const char **names; // mangled name and identifier of each entry
    uint32_t count;
};

static const char *entry_name(const void *context, size_t i)
{
    const struct entry_list *l = context;
    return i < l->count ? l->names[i] : NULL;
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

// Reports an unknown kernel with the names of the module's kernels, the first eight.
static void report_names(const struct entry_list *l, const char *name, struct diag *d)
{
    enum { SHOWN = 8 };
    struct strbuf names = {0};
    for (uint32_t i = 0; i < l->count / 2 && i < SHOWN; i++)
        strbuf_printf(&names, "%s'%.60s'", i ? ", " : "", l->names[2 * i + 1]);
    diag_error(d, loc_none(), "no kernel '%.200s'; the module has %s%s", name, strbuf_text(&names),
               l->count / 2 > SHOWN ? ", ..." : "");
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
                   ptx_unmangle(scratch, only->name));
    else
        report_names(l, name, d);
    return NULL;
}

static struct ptx_function *report_ambiguous(const struct ptx_module *m, const char *name, struct diag *d,
                                             struct arena *scratch)
{
    unsigned shown = 0;
    diag_error(d, loc_none(), "more than one kernel is called '%.200s'; use the mangled name", name);
    for (uint32_t f = 0; f < m->function_count && shown < 8; f++) {
        const struct ptx_function *k = m->functions[f];
        if (!k->is_entry || !str_equal(ptx_unmangle(scratch, k->name), name)) continue;
        diag_note(d, k->loc, "'%s'", k->name);
        shown++;
    }
    return NULL;
}

struct ptx_function *ptx_find_entry(const struct ptx_module *m, const char *name, struct diag *d)
{
    struct ptx_function *match = NULL;
    bool ambiguous = false;
    struct arena scratch;
    arena_init(&scratch);
    struct entry_list list = {m, ARENA_ARRAY(&scratch, const char *, 2 * (size_t)m->function_count), 0};
    for (uint32_t f = 0; f < m->function_count; f++) {
        struct ptx_function *k = m->functions[f];
        if (!k->is_entry) continue;
        if (str_equal(k->name, name)) {
            arena_fini(&scratch);
            return k;
        }
        const char *identifier = ptx_unmangle(&scratch, k->name);
        list.names[list.count++] = k->name;
        list.names[list.count++] = identifier;
        if (!str_equal(identifier, name)) continue;
        ambiguous |= match != NULL;
        match = k;
    }
    if (ambiguous)
        match = report_ambiguous(m, name, d, &scratch);
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
