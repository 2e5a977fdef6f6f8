// Module level of the parser, and shared services: tokens, errors, recovery.
//
//     module    := ".version" M "." N | ".target" NAME {"," NAME} | ".address_size" (32 | 64) | declaration …
//     declaration := [".visible" | ".extern" | ".weak" | ".common"] (variable | function)
//                  | ".file" … | ".loc" … | ".section" … | ".alias" NAME "," NAME ";" | ".pragma" STRING ";"
//
// After an error in a declaration, parsing resumes after the declaration (';', or '}' of a body), so several
// errors are found in one run. A module with any error is discarded.
#include "ptx/check.h"
#include "ptx/parse_impl.h"

#include <stdarg.h>
#include <string.h>

void parse_advance(struct parser *p)
{
    p->previous_line = p->t.line;
    p->previous_end = (uint32_t)(p->lex.at - p->lex.line_start) + 1;
    lex_next(&p->lex, &p->t);
}

bool parse_at_dot(const struct parser *p, const char *word)
{
    return p->t.kind == TOKEN_DOT && token_is(&p->t, word, strlen(word));
}

bool parse_accept(struct parser *p, enum token_kind kind)
{
    if (p->t.kind != kind) return false;
    parse_advance(p);
    return true;
}

bool parse_accept_dot(struct parser *p, const char *word)
{
    if (!parse_at_dot(p, word)) return false;
    parse_advance(p);
    return true;
}

struct loc parse_here(const struct parser *p) { return lex_loc(&p->lex, &p->t); }

bool parse_error(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag_verror(p->d, parse_here(p), format, args);
    va_end(args);
    return false;
}

bool parse_expect(struct parser *p, enum token_kind kind, const char *after)
{
    if (parse_accept(p, kind)) return true;
    char found[TOKEN_TEXT_BYTES];
    return parse_error(p, "expected %s %s, found %s", lex_kind_text(kind), after,
                       lex_token_text(&p->t, found));
}

// Takes a ';'; false and an error without one. A ';' missing at the end of a line is reported at the end of
// the line, not before the next line's first word.
bool parse_semicolon(struct parser *p, const char *after)
{
    if (at(p, TOKEN_SEMICOLON) || p->t.line == p->previous_line)
        return parse_expect(p, TOKEN_SEMICOLON, after);
    struct loc end = {p->lex.source, p->previous_line, p->previous_end, 1};
    return diag_error(p->d, end, "expected ';' %s", after);
}

bool parse_gave_up(const struct parser *p) { return p->d->errors - p->errors_before >= ERRORS_MAX; }

const char *parse_copy_token(struct parser *p, const struct token *t)
{
    return arena_strndup(p->arena, t->text, t->length);
}

void *parse_copy_array(struct arena *a, const void *data, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    if (bytes) memcpy(copy, data, bytes);
    return copy;
}

bool parse_u32(struct parser *p, const char *what, uint32_t *value)
{
    if (!at(p, TOKEN_INT) || p->t.value > UINT32_MAX) {
        char found[TOKEN_TEXT_BYTES];
        return parse_error(p, "expected %s, found %s", what, lex_token_text(&p->t, found));
    }
    *value = (uint32_t)p->t.value;
    parse_advance(p);
    return true;
}

bool parse_skip_braces(struct parser *p)
{
    struct loc open = parse_here(p);
    uint64_t depth = 0;
    do {
        if (at(p, TOKEN_LBRACE)) depth++;
        if (at(p, TOKEN_RBRACE)) depth--;
        if (at(p, TOKEN_END)) return diag_error(p->d, open, "this '{' is never closed");
        parse_advance(p);
    } while (depth);
    return true;
}

// A forgotten ';' must not cost the next line: skipping stops at a token that begins a line and can begin a
// statement.
void parse_skip_statement(struct parser *p)
{
    uint32_t line = p->t.line;
    while (!at(p, TOKEN_END) && !at(p, TOKEN_RBRACE)) {
        if (at(p, TOKEN_LBRACE)) {
            parse_skip_braces(p);
            continue;
        }
        bool fresh_line = p->t.line > p->previous_line && p->t.line > line;
        if (fresh_line && (at(p, TOKEN_AT) || at(p, TOKEN_DOT) || at(p, TOKEN_NAME))) return;
        if (parse_accept(p, TOKEN_SEMICOLON)) return;
        parse_advance(p);
    }
}

// ---- module directives

static bool parse_version(struct parser *p)
{
    double version = 0;
    if (at(p, TOKEN_F64)) memcpy(&version, &p->t.value, sizeof version);
    char text[16], *dot;
    size_t length = p->t.length < sizeof text - 1 ? p->t.length : sizeof text - 1;
    memcpy(text, p->t.text, length);
    text[length] = 0;
    dot = strchr(text, '.');
    if (!at(p, TOKEN_F64) || !dot || version < 1 || version > 99)
        return parse_error(p, "expected a PTX version such as 7.8 after .version");
    p->m->version_major = (unsigned)strtoul(text, NULL, 10);
    p->m->version_minor = (unsigned)strtoul(dot + 1, NULL, 10);
    parse_advance(p);
    return true;
}

// ".target sm_75, debug": the first architecture counts; other words are options of the driver's
// translation.
static bool parse_target(struct parser *p)
{
    do {
        if (!at(p, TOKEN_NAME)) return parse_error(p, "expected a target such as sm_75 after .target");
        const char *name = parse_copy_token(p, &p->t);
        const char *digits = str_starts_with(name, "sm_")        ? name + 3
                             : str_starts_with(name, "compute_") ? name + 8
                                                                 : NULL;
        if (digits && !p->m->target) {
            p->m->target = name;
            p->m->target_sm = (unsigned)strtoul(digits, NULL, 10);
            if (!p->m->target_sm)
                return parse_error(p, "'%s' names no architecture; expected one such as sm_75", name);
        }
        parse_advance(p);
    } while (parse_accept(p, TOKEN_COMMA));
    return true;
}

static bool parse_address_size(struct parser *p)
{
    if (!at(p, TOKEN_INT) || (p->t.value != 32 && p->t.value != 64))
        return parse_error(p, "expected 32 or 64 after .address_size");
    p->m->address_bits = (unsigned)p->t.value;
    parse_advance(p);
    return true;
}

static bool parse_module_pragma(struct parser *p)
{
    do {
        if (!parse_accept(p, TOKEN_STRING)) return parse_error(p, "expected a string after .pragma");
    } while (parse_accept(p, TOKEN_COMMA));
    return parse_semicolon(p, "after .pragma");
}

static bool accept_linkage(struct parser *p, struct linkage *l)
{
    for (;;) {
        if (parse_accept_dot(p, "extern"))
            l->is_extern = true;
        else if (parse_accept_dot(p, "visible"))
            l->is_visible = true;
        else if (parse_accept_dot(p, "weak"))
            l->is_weak = true;
        else if (parse_accept_dot(p, "common"))
            l->is_common = true;
        else
            return true;
    }
}

static const char *directive_name(const void *context, size_t i)
{
    static const char *const names[] = {
        "version",      "target",       "address_size",  "entry",         "func",        "global",
        "const",        "shared",       "visible",       "extern",        "weak",        "common",
        "file",         "loc",          "section",       "alias",         "pragma",      "param",
        "local",        "reg",          "align",         "maxntid",       "reqntid",     "maxnreg",
        "minnctapersm", "maxnctapersm", "branchtargets", "callprototype", "calltargets", "noreturn",
        "tex"};
    (void)context;
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

// Whether a directive about the whole file follows. Such directives precede all declarations.
static bool at_preamble(const struct parser *p)
{
    return parse_at_dot(p, "version") || parse_at_dot(p, "target") || parse_at_dot(p, "address_size");
}

static bool parse_preamble(struct parser *p)
{
    if (p->functions.count || p->variables.count)
        return parse_error(p, "this directive must stand before all declarations");
    if (parse_accept_dot(p, "version")) return parse_version(p);
    if (parse_accept_dot(p, "target")) return parse_target(p);
    parse_advance(p);
    return parse_address_size(p);
}

static bool parse_declaration(struct parser *p)
{
    struct linkage linkage = {0};
    enum ptx_space space;
    if (at_preamble(p)) return parse_preamble(p);
    if (parse_accept_dot(p, "pragma")) return parse_module_pragma(p);
    if (parse_accept_dot(p, "file")) return parse_file_directive(p);
    if (parse_accept_dot(p, "loc")) return parse_loc_directive(p);
    if (parse_accept_dot(p, "section")) return parse_section(p);
    if (parse_accept_dot(p, "alias")) return parse_alias(p);
    accept_linkage(p, &linkage);
    if (parse_accept_dot(p, "entry")) return parse_function(p, true, linkage);
    if (parse_accept_dot(p, "func")) return parse_function(p, false, linkage);
    if (at(p, TOKEN_DOT) && parse_space_word(&p->t, &space)) return parse_variables(p, linkage);
    char found[TOKEN_TEXT_BYTES];
    if (!at(p, TOKEN_DOT))
        return parse_error(p, "expected a directive such as .entry, found %s", lex_token_text(&p->t, found));
    const char *near = str_nearest(parse_copy_token(p, &p->t), directive_name, NULL);
    if (near && !token_is(&p->t, near, strlen(near)))
        return parse_error(p, "unknown directive %s; did you mean .%s?", lex_token_text(&p->t, found), near);
    return parse_error(p, "directive %s does not belong here", lex_token_text(&p->t, found));
}

static void parse_module(struct parser *p)
{
    parse_advance(p);
    if (at(p, TOKEN_END) && !p->lex.d->errors)
        diag_error(p->d, (struct loc){p->lex.source, 0, 0, 0},
                   "the file is empty; a PTX file starts with .version");
    else if (!parse_at_dot(p, "version"))
        parse_error(p, "a PTX file starts with .version; this does not look like PTX");
    if (p->d->errors > p->errors_before) return;
    while (!at(p, TOKEN_END) && !parse_gave_up(p)) {
        if (parse_accept(p, TOKEN_SEMICOLON)) continue;
        if (parse_declaration(p)) continue;
        parse_skip_statement(p);
        while (parse_accept(p, TOKEN_RBRACE)) {
        }
    }
    if (p->m->version_major && !p->m->target && !parse_gave_up(p))
        diag_error(p->d, (struct loc){p->lex.source, 1, 1, 1},
                   "no .target directive; expected one such as .target sm_75");
}

// ---- whole file

static void parser_init(struct parser *p, const char *text, size_t length, uint32_t source, struct diag *d)
{
    *p = (struct parser){.d = d, .errors_before = d->errors};
    p->m = heap_alloc(sizeof *p->m);
    arena_init(&p->m->arena);
    p->arena = &p->m->arena;
    p->m->address_bits = 32; // PTX ISA 11.1.3: default without .address_size
    lex_init(&p->lex, text, length, source, d);
    for (uint32_t op = 0; op < PTX_OP_COUNT; op++) {
        const char *name = ptx_op_name((enum ptx_op)op);
        strmap_set(&p->mnemonics, name, strlen(name), op);
    }
    for (uint32_t r = 0; r < PTX_SREG_COUNT; r++) {
        const char *name = ptx_sreg_name((enum ptx_sreg)r);
        strmap_set(&p->sregs, name, strlen(name), r);
    }
    suffix_table_init(&p->suffixes);
    p->signatures = signature_index_create();
    vec_push(&p->scopes, (struct scope){0});
    vec_push(&p->line_infos, (struct ptx_line_info){0});
}

static void parser_fini(struct parser *p)
{
    strmap_fini(&p->mnemonics);
    strmap_fini(&p->sregs);
    suffix_table_fini(&p->suffixes);
    signature_index_destroy(p->signatures);
    strmap_fini(&p->names);
    strmap_fini(&p->ranges);
    strmap_fini(&p->label_names);
    strmap_fini(&p->debug_strings);
    u64map_fini(&p->line_places);
    vec_fini(&p->bindings);
    vec_fini(&p->scopes);
    vec_fini(&p->regs);
    vec_fini(&p->insts);
    vec_fini(&p->labels);
    vec_fini(&p->open_labels);
    vec_fini(&p->references);
    vec_fini(&p->tables);
    vec_fini(&p->locals);
    vec_fini(&p->variables);
    vec_fini(&p->functions);
    vec_fini(&p->files);
    vec_fini(&p->line_infos);
    vec_fini(&p->function_names);
    vec_fini(&p->debug_texts);
    vec_fini(&p->aliases);
    u64map_fini(&p->alias_numbers);
}

// The target of f if f is an alias, else f: calls of an alias become calls of its target (PTX ISA 11.2.5,
// ".alias").
static struct ptx_function *resolve_alias(const struct parser *p, struct ptx_function *f)
{
    uint32_t alias;
    return u64map_get(&p->alias_numbers, (uintptr_t)f, &alias) ? p->aliases.data[alias].target : f;
}

static void resolve_aliases_in(const struct parser *p, struct ptx_function *f)
{
    for (uint32_t n = 0; n < f->inst_count; n++) {
        struct ptx_inst *i = &f->insts[n];
        if (i->call_target.function) i->call_target.function = resolve_alias(p, i->call_target.function);
        for (unsigned o = 0; o < i->operand_count; o++)
            if (i->operands[o].function) i->operands[o].function = resolve_alias(p, i->operands[o].function);
    }
    for (uint32_t t = 0; t < f->table_count; t++)
        for (uint32_t e = 0; f->tables[t].functions && e < f->tables[t].count; e++)
            f->tables[t].functions[e] = resolve_alias(p, f->tables[t].functions[e]);
}

static void resolve_aliases(struct parser *p)
{
    if (!p->aliases.count) return;
    for (size_t f = 0; f < p->functions.count; f++) resolve_aliases_in(p, p->functions.data[f]);
    for (size_t v = 0; v < p->variables.count; v++) {
        struct ptx_variable *variable = p->variables.data[v];
        for (uint32_t r = 0; r < variable->relocation_count; r++)
            if (variable->relocations[r].function)
                variable->relocations[r].function = resolve_alias(p, variable->relocations[r].function);
    }
}

// Notes whose addresses the module takes, for indirect calls.
static void note_addresses(struct parser *p)
{
    for (size_t f = 0; f < p->functions.count; f++) {
        const struct ptx_function *function = p->functions.data[f];
        for (uint32_t k = 0; k < function->inst_count; k++) {
            const struct ptx_inst *i = &function->insts[k];
            if (i->op == PTX_OP_MOV && i->operand_count == 2 && i->operands[1].kind == PTX_OPERAND_FUNCTION)
                i->operands[1].function->address_taken = true;
        }
    }
    for (size_t v = 0; v < p->variables.count; v++)
        for (uint32_t r = 0; r < p->variables.data[v]->relocation_count; r++)
            if (p->variables.data[v]->relocations[r].function)
                p->variables.data[v]->relocations[r].function->address_taken = true;
}

static void finish_module(struct parser *p)
{
    struct ptx_module *m = p->m;
    debug_resolve_strings(p);
    resolve_aliases(p);
    note_addresses(p);
    m->variables = ARENA_COPY(p->arena, &p->variables);
    m->variable_count = (uint32_t)p->variables.count;
    m->functions = ARENA_COPY(p->arena, &p->functions);
    m->function_count = (uint32_t)p->functions.count;
    m->files = ARENA_COPY(p->arena, &p->files);
    m->file_count = (uint32_t)p->files.count;
    m->line_infos = ARENA_COPY(p->arena, &p->line_infos);
    m->line_info_count = (uint32_t)p->line_infos.count;
}

struct ptx_module *ptx_parse(const char *text, size_t length, uint32_t source, struct diag *d)
{
    struct parser p;
    parser_init(&p, length ? text : "", length, source, d);
    parse_module(&p);
    finish_module(&p);
    struct ptx_module *m = p.m;
    bool good = d->errors == p.errors_before;
    parser_fini(&p);
    if (good) return m;
    ptx_module_free(m);
    return NULL;
}

void ptx_module_free(struct ptx_module *m)
{
    if (!m) return;
    for (uint32_t i = 0; i < m->function_count; i++) free(m->functions[i]->insts);
    arena_fini(&m->arena);
    free(m);
}
