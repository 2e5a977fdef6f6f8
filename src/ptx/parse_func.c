// Functions: headers, bodies, blocks and labels (PTX ISA 4.3, 7.1, 11.2 to 11.4).
//
//     function  := (".entry" | ".func") [parameters] NAME [parameters] {directive}
//                  (";" | "{" {statement} "}")
//     statement := "{" {statement} "}" | ".reg" … | variables | ".loc" … | ".pragma" …
//                | ["@" ["!"] NAME] instruction
//                | NAME ":" [".branchtargets" … | ".calltargets" … | ".callprototype" …]
//
// Blocks use a counter and a stack of scopes, not recursion. A label belongs to its block; a branch may
// name a label before its definition. References therefore wait until a block closes and are matched with
// the labels of the block; unmatched references move to the enclosing block.
#include "ptx/names.h"
#include "ptx/parse_impl.h"

#include <string.h>

// ---- labels

static void define_label(struct parser *p, const struct token *name)
{
    struct ptx_label label = {.name = parse_copy_token(p, name),
                              .inst = (uint32_t)p->insts.count,
                              .defined = true,
                              .loc = lex_loc(&p->lex, name)};
    vec_push(&p->open_labels, (uint32_t)p->labels.count);
    vec_push(&p->labels, label);
}

static void name_label(struct parser *p, uint32_t label)
{
    const struct ptx_label *l = &p->labels.data[label];
    uint32_t old = 0;
    if (strmap_get(&p->label_names, l->name, strlen(l->name), &old) && old) {
        diag_error(p->d, l->loc, "label '%.80s' is defined twice in this block", l->name);
        return;
    }
    strmap_set(&p->label_names, l->name, strlen(l->name), label + 1);
}

static void set_reference(struct parser *p, const struct label_reference *r, uint32_t label)
{
    if (r->in_table)
        p->tables.data[r->index].labels[r->slot] = label;
    else
        p->insts.data[r->index].operands[r->slot].label = label;
}

struct label_list {
    const struct ptx_label *labels;
    size_t count;
};

static const char *label_name(const void *context, size_t i)
{
    const struct label_list *l = context;
    return i < l->count && i < 5000 ? l->labels[i].name : NULL;
}

static void report_unknown_label(struct parser *p, const struct label_reference *r)
{
    struct label_list list = {p->labels.data, p->labels.count};
    bool asked = r->length < 100 && !parse_gave_up(p);
    const char *near =
        asked ? str_nearest(arena_strndup(p->arena, r->name, r->length), label_name, &list) : NULL;
    int length = r->length > 80 ? 80 : (int)r->length;
    if (near && strlen(near) == r->length && memcmp(near, r->name, r->length) == 0)
        diag_error(p->d, r->loc, "label '%.*s' is inside another block; a branch cannot enter it", length,
                   r->name);
    else if (near)
        diag_error(p->d, r->loc, "unknown label '%.*s'; did you mean '%s'?", length, r->name, near);
    else
        diag_error(p->d, r->loc, "unknown label '%.*s'", length, r->name);
}

static void close_block(struct parser *p)
{
    struct scope s = vec_last(&p->scopes);
    for (size_t i = s.first_label; i < p->open_labels.count; i++) name_label(p, p->open_labels.data[i]);
    size_t kept = s.first_reference;
    for (size_t i = s.first_reference; i < p->references.count; i++) {
        struct label_reference r = p->references.data[i];
        uint32_t label = 0;
        if (strmap_get(&p->label_names, r.name, r.length, &label) && label)
            set_reference(p, &r, label - 1);
        else
            p->references.data[kept++] = r;
    }
    p->references.count = kept;
    for (size_t i = s.first_label; i < p->open_labels.count; i++) {
        const char *name = p->labels.data[p->open_labels.data[i]].name;
        strmap_set(&p->label_names, name, strlen(name), 0);
    }
    p->open_labels.count = s.first_label;
    scope_pop(p);
}

// ---- tables and prototypes after a label

static bool parse_branch_targets(struct parser *p, const struct token *name)
{
    uint32_t index = (uint32_t)p->tables.count, count = 0;
    size_t references = p->references.count;
    do {
        if (!at(p, TOKEN_NAME)) {
            p->references.count = references; // drop references into a table never created
            return parse_error(p, "expected a label");
        }
        vec_push(&p->references, (struct label_reference){.name = p->t.text,
                                                          .length = p->t.length,
                                                          .in_table = true,
                                                          .loc = parse_here(p),
                                                          .index = index,
                                                          .slot = count++});
        parse_advance(p);
    } while (parse_accept(p, TOKEN_COMMA));
    struct ptx_table table = {.name = parse_copy_token(p, name),
                              .count = count,
                              .loc = lex_loc(&p->lex, name),
                              .labels = ARENA_ARRAY(p->arena, uint32_t, count)};
    vec_push(&p->tables, table);
    scope_bind(p, name, NAME_TABLE)->index = index;
    return parse_semicolon(p, "after the branch targets");
}

static bool parse_call_targets(struct parser *p, const struct token *name)
{
    VEC(struct ptx_function *) list = {0};
    bool good = true;
    do {
        const struct binding *b = at(p, TOKEN_NAME) ? scope_find(p, p->t.text, p->t.length) : NULL;
        good = b && b->kind == NAME_FUNCTION;
        if (good)
            vec_push(&list, b->function);
        else if (at(p, TOKEN_NAME))
            scope_unknown(p, &p->t, NAME_FUNCTION, "function");
        else
            parse_error(p, "expected a function");
        if (good) parse_advance(p);
    } while (good && parse_accept(p, TOKEN_COMMA));
    struct ptx_table table = {.name = parse_copy_token(p, name),
                              .count = (uint32_t)list.count,
                              .loc = lex_loc(&p->lex, name),
                              .functions = ARENA_COPY(p->arena, &list)};
    vec_fini(&list);
    if (!good) return false;
    scope_bind(p, name, NAME_TABLE)->index = (uint32_t)p->tables.count;
    vec_push(&p->tables, table);
    return parse_semicolon(p, "after the call targets");
}

// Parses a directive allowed in function headers and prototypes. *found: a directive was present.
// False and an error: its number is missing.
static bool parse_abi_directive(struct parser *p, bool *noreturn, bool *found)
{
    uint32_t ignored;
    *found = true;
    if (parse_accept_dot(p, "noreturn"))
        *noreturn = true;
    else if (parse_accept_dot(p, "abi_preserve") || parse_accept_dot(p, "abi_preserve_control"))
        return parse_u32(p, "a number of registers", &ignored);
    else
        *found = false;
    return true;
}

// "(.param .b32 _) _ (.param .b64 _, …)"
static bool parse_call_prototype(struct parser *p, const struct token *name)
{
    struct ptx_prototype *t = ARENA_NEW(p->arena, struct ptx_prototype);
    bool found = true;
    if (at(p, TOKEN_LPAREN) && !parse_parameters(p, false, &t->returns, &t->return_count)) return false;
    if (!at(p, TOKEN_NAME)) return parse_error(p, "expected '_' for the function's name in .callprototype");
    parse_advance(p);
    if (at(p, TOKEN_LPAREN) && !parse_parameters(p, false, &t->params, &t->param_count)) return false;
    parse_layout(t->returns, t->return_count);
    t->param_bytes = parse_layout(t->params, t->param_count);
    while (found)
        if (!parse_abi_directive(p, &t->noreturn, &found)) return false;
    scope_bind(p, name, NAME_PROTOTYPE)->prototype = t;
    return parse_semicolon(p, "after the prototype");
}

// ---- bodies

static bool parse_labelled(struct parser *p, const struct token *name)
{
    if (parse_accept_dot(p, "branchtargets")) return parse_branch_targets(p, name);
    if (parse_accept_dot(p, "calltargets")) return parse_call_targets(p, name);
    if (parse_accept_dot(p, "callprototype")) return parse_call_prototype(p, name);
    define_label(p, name);
    return true;
}

static bool parse_pragma(struct parser *p)
{
    do {
        if (!parse_accept(p, TOKEN_STRING)) return parse_error(p, "expected a string after .pragma");
    } while (parse_accept(p, TOKEN_COMMA));
    return true;
}

static bool parse_body_directive(struct parser *p)
{
    enum ptx_space space;
    struct linkage linkage = {0};
    if (parse_accept_dot(p, "reg")) return parse_registers(p);
    if (parse_accept_dot(p, "loc")) return parse_loc_directive(p);
    if (parse_accept_dot(p, "pragma")) return parse_pragma(p) && parse_semicolon(p, "after .pragma");
    if (parse_accept_dot(p, "file")) return parse_file_directive(p);
    if (parse_accept_dot(p, "section")) return parse_section(p);
    if (parse_accept_dot(p, "extern")) linkage.is_extern = true;
    if (at(p, TOKEN_DOT) && parse_space_word(&p->t, &space)) return parse_variables(p, linkage);
    char found[TOKEN_TEXT_BYTES];
    return parse_error(p, "directive %s does not belong in a function", lex_token_text(&p->t, found));
}

static bool parse_statement(struct parser *p)
{
    struct token name;
    int32_t guard = -1;
    bool negated = false;
    char found[TOKEN_TEXT_BYTES];
    if (at(p, TOKEN_DOT)) return parse_body_directive(p);
    if (at(p, TOKEN_AT)) {
        if (!parse_guard(p, &guard, &negated)) return false;
        if (!at(p, TOKEN_NAME)) return parse_error(p, "expected an instruction after the guard");
    }
    if (!at(p, TOKEN_NAME))
        return parse_error(p, "expected an instruction, found %s", lex_token_text(&p->t, found));
    name = p->t;
    parse_advance(p);
    if (guard < 0 && parse_accept(p, TOKEN_COLON)) return parse_labelled(p, &name);
    return parse_instruction(p, &name, guard, negated);
}

// In a body: whether a module-level directive follows, so that the body's '}' is missing.
static bool at_module_directive(const struct parser *p)
{
    static const char *const words[] = {"entry",   "func",   "visible",     "weak",
                                        "version", "target", "address_size"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (parse_at_dot(p, words[i])) return true;
    return false;
}

static void parse_body(struct parser *p, struct loc open)
{
    uint32_t depth = 1;
    while (!parse_gave_up(p)) {
        if (at(p, TOKEN_END) || at_module_directive(p)) {
            diag_error(p->d, open, "the body of '%.80s' has no closing '}'", p->function->name);
            break;
        }
        if (parse_accept(p, TOKEN_RBRACE)) {
            close_block(p);
            if (!--depth) return;
        } else if (at(p, TOKEN_LBRACE)) {
            if (depth >= BLOCK_DEPTH_MAX) {
                parse_error(p, "blocks nest deeper than %d", BLOCK_DEPTH_MAX);
                break;
            }
            parse_advance(p);
            scope_push(p);
            depth++;
        } else if (!parse_accept(p, TOKEN_SEMICOLON) && !parse_statement(p)) {
            parse_skip_statement(p);
        }
    }
    while (depth--) close_block(p);
}

static void bind_parameters(struct parser *p, struct ptx_variable **list, uint32_t count, bool output)
{
    for (uint32_t i = 0; i < count; i++) {
        struct ptx_variable *v = list[i];
        v->is_output = output;
        v->is_input = !output;
        struct token name = {.kind = TOKEN_NAME,
                             .text = v->name,
                             .length = (uint32_t)strlen(v->name),
                             .line = v->loc.line,
                             .column = v->loc.column};
        v->function = p->function;
        if (v->space == PTX_SPACE_REG) {
            v->reg = (int32_t)scope_new_register(p, name.text, name.length, v->type, 1);
            struct binding *b = scope_bind(p, &name, NAME_REG);
            b->type = v->type;
            b->index = (uint32_t)v->reg;
        } else {
            scope_bind(p, &name, NAME_VARIABLE)->variable = v;
        }
    }
}

static void begin_function(struct parser *p, struct ptx_function *f)
{
    p->function = f;
    p->regs.count = p->labels.count = p->tables.count = p->locals.count = 0;
    p->references.count = p->open_labels.count = 0;
    p->line_info = 0;
    scope_push(p);
    bind_parameters(p, f->prototype.returns, f->prototype.return_count, true);
    bind_parameters(p, f->prototype.params, f->prototype.param_count, false);
}

static void end_function(struct parser *p, struct ptx_function *f)
{
    for (size_t i = 0; i < p->references.count; i++) report_unknown_label(p, &p->references.data[i]);
    f->regs = ARENA_COPY(p->arena, &p->regs);
    f->reg_count = (uint32_t)p->regs.count;
    f->labels = ARENA_COPY(p->arena, &p->labels);
    f->label_count = (uint32_t)p->labels.count;
    f->tables = ARENA_COPY(p->arena, &p->tables);
    f->table_count = (uint32_t)p->tables.count;
    f->variables = ARENA_COPY(p->arena, &p->locals);
    f->variable_count = (uint32_t)p->locals.count;
    // The instructions, a module's only heap array: too large to copy, so the spare capacity is returned.
    f->insts = p->insts.count ? heap_resize(p->insts.data, p->insts.count * sizeof *p->insts.data) : NULL;
    f->inst_count = (uint32_t)p->insts.count;
    if (!f->insts) free(p->insts.data);
    memset(&p->insts, 0, sizeof p->insts);
    p->function = NULL;
}

// ---- headers

// "256", "16,16", "8,8,4": missing dimensions are 1.
static bool parse_dimensions3(struct parser *p, uint32_t dimensions[3])
{
    dimensions[0] = dimensions[1] = dimensions[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!parse_u32(p, "a number of threads", &dimensions[i])) return false;
        if (!parse_accept(p, TOKEN_COMMA)) break;
    }
    return true;
}

static bool parse_cluster_directive(struct parser *p, struct ptx_function *f, bool *found)
{
    *found = true;
    if (parse_accept_dot(p, "maxclusterrank")) return parse_u32(p, "a number of blocks", &f->max_cluster);
    if (parse_accept_dot(p, "reqnctapercluster")) return parse_dimensions3(p, f->cluster);
    if (parse_accept_dot(p, "explicitcluster"))
        f->is_explicit_cluster = true;
    else if (parse_accept_dot(p, "blocksareclusters"))
        f->unsupported = ".blocksareclusters";
    else
        *found = false;
    return true;
}

static bool parse_function_directive(struct parser *p, struct ptx_function *f, bool *found)
{
    uint32_t ignored;
    if (!parse_abi_directive(p, &f->prototype.noreturn, found)) return false;
    if (*found) return true;
    if (!parse_cluster_directive(p, f, found)) return false;
    if (*found) return true;
    *found = true;
    if (parse_accept_dot(p, "maxnreg")) return parse_u32(p, "a number of registers", &f->max_registers);
    if (parse_accept_dot(p, "minnctapersm")) return parse_u32(p, "a number of blocks", &f->min_blocks);
    if (parse_accept_dot(p, "maxnctapersm")) return parse_u32(p, "a number of blocks", &ignored);
    if (parse_accept_dot(p, "maxntid")) return parse_dimensions3(p, f->max_threads);
    if (parse_accept_dot(p, "reqntid")) return parse_dimensions3(p, f->required_threads);
    if (parse_accept_dot(p, "pragma")) { // its ';' does not end the header
        if (!parse_pragma(p)) return false;
        parse_accept(p, TOKEN_SEMICOLON);
        return true;
    }
    *found = false;
    return true;
}

static bool same_parameter(const struct ptx_variable *a, const struct ptx_variable *b)
{
    bool sized = a->size_bytes == b->size_bytes && ptx_type_is_float(a->type) == ptx_type_is_float(b->type);
    bool bits = (a->type >= PTX_B8 && a->type <= PTX_B128) || (b->type >= PTX_B8 && b->type <= PTX_B128);
    return a->size_bytes == b->size_bytes && (sized || bits) && a->space == b->space;
}

static bool same_prototype(const struct ptx_prototype *a, const struct ptx_prototype *b)
{
    if (a->param_count != b->param_count || a->return_count != b->return_count) return false;
    for (uint32_t i = 0; i < a->param_count; i++)
        if (!same_parameter(a->params[i], b->params[i])) return false;
    for (uint32_t i = 0; i < a->return_count; i++)
        if (!same_parameter(a->returns[i], b->returns[i])) return false;
    return true;
}

// Returns the function of a name, new or declared before; reports an earlier declaration that differs.
static struct ptx_function *declare_function(struct parser *p, const struct token *name,
                                             const struct ptx_function *fresh)
{
    const struct binding *b = scope_find(p, name->text, name->length);
    if (b && b->kind == NAME_FUNCTION) {
        struct ptx_function *f = b->function;
        if (f->is_entry != fresh->is_entry || !same_prototype(&f->prototype, &fresh->prototype))
            diag_error(p->d, fresh->loc, "'%.80s' does not match its earlier declaration on line %u", f->name,
                       f->loc.line);
        return f;
    }
    struct ptx_function *f = ARENA_NEW(p->arena, struct ptx_function);
    *f = *fresh;
    f->name = parse_copy_token(p, name);
    scope_bind(p, name, NAME_FUNCTION)->function = f;
    vec_push(&p->functions, f);
    return f;
}

static void take_header(struct ptx_function *f, const struct ptx_function *fresh)
{
    const char *name = f->name;
    bool visible = f->is_visible || fresh->is_visible, weak = f->is_weak || fresh->is_weak;
    *f = *fresh;
    f->name = name;
    f->is_visible = visible;
    f->is_weak = weak;
    f->is_extern = false;
}

static bool parse_header(struct parser *p, struct ptx_function *f, struct token *name)
{
    bool found = true;
    char text[TOKEN_TEXT_BYTES];
    while (parse_accept_dot(p, "attribute")) {
        if (!parse_accept(p, TOKEN_LPAREN)) return parse_error(p, "expected '(' after .attribute");
        for (uint32_t depth = 1; depth && !at(p, TOKEN_END); parse_advance(p)) {
            if (at(p, TOKEN_LPAREN)) depth++;
            if (at(p, TOKEN_RPAREN)) depth--;
        }
    }
    while (found)
        if (!parse_abi_directive(p, &f->prototype.noreturn, &found)) return false;
    if (!f->is_entry && at(p, TOKEN_LPAREN) &&
        !parse_parameters(p, false, &f->prototype.returns, &f->prototype.return_count))
        return false;
    if (!at(p, TOKEN_NAME))
        return parse_error(p, "expected the function's name, found %s", lex_token_text(&p->t, text));
    *name = p->t;
    f->loc = parse_here(p);
    if (f->prototype.return_count > 1 && f->prototype.returns[0]->space == PTX_SPACE_PARAM)
        return parse_error(p, "a function returns one .param; put the values in an array");
    parse_advance(p);
    if (at(p, TOKEN_LPAREN) &&
        !parse_parameters(p, f->is_entry, &f->prototype.params, &f->prototype.param_count))
        return false;
    parse_layout(f->prototype.returns, f->prototype.return_count);
    f->prototype.param_bytes = parse_layout(f->prototype.params, f->prototype.param_count);
    for (found = true; found;)
        if (!parse_function_directive(p, f, &found)) return false;
    return true;
}

bool parse_function(struct parser *p, bool is_entry, struct linkage linkage)
{
    struct ptx_function fresh = {.is_entry = is_entry,
                                 .is_extern = linkage.is_extern,
                                 .is_visible = linkage.is_visible,
                                 .is_weak = linkage.is_weak};
    struct token name;
    char found[TOKEN_TEXT_BYTES];
    if (!parse_header(p, &fresh, &name)) {
        // Skip the body: a wrong header would only repeat the error.
        while (!at(p, TOKEN_END) && !at(p, TOKEN_LBRACE) && !at(p, TOKEN_SEMICOLON) &&
               !at_module_directive(p))
            parse_advance(p);
        if (at(p, TOKEN_LBRACE)) parse_skip_braces(p);
        return true;
    }
    struct ptx_function *f = declare_function(p, &name, &fresh);
    if (parse_accept(p, TOKEN_SEMICOLON)) return true;
    struct loc open = parse_here(p);
    if (!at(p, TOKEN_LBRACE))
        return parse_error(p, "expected '{' or ';' after the header of '%.80s', found %s", f->name,
                           lex_token_text(&p->t, found));
    if (linkage.is_extern) diag_error(p->d, fresh.loc, "'%.80s' is .extern: it has no body here", f->name);
    if (f->has_body) diag_error(p->d, fresh.loc, "'%.80s' is defined twice", f->name);
    parse_advance(p);
    free(f->insts);
    take_header(f, &fresh);
    f->has_body = true;
    begin_function(p, f);
    parse_body(p, open);
    end_function(p, f);
    return true;
}

// ".alias NAME, TARGET;": records the pair; calls are redirected at the end of the module.
bool parse_alias(struct parser *p)
{
    struct ptx_function *pair[2] = {0};
    for (int i = 0; i < 2; i++) {
        const struct binding *b = at(p, TOKEN_NAME) ? scope_find(p, p->t.text, p->t.length) : NULL;
        if (!b || b->kind != NAME_FUNCTION) return scope_unknown(p, &p->t, NAME_FUNCTION, "function");
        pair[i] = b->function;
        if (i == 0 && b->function->has_body) return parse_error(p, "an alias cannot have a body of its own");
        if (i == 1 && !b->function->has_body)
            return parse_error(p, "the target of an alias must be defined before it");
        parse_advance(p);
        if (i == 0 && !parse_expect(p, TOKEN_COMMA, "after the alias")) return false;
    }
    if (!same_prototype(&pair[0]->prototype, &pair[1]->prototype))
        return parse_error(p, "'%.80s' and '%.80s' have different parameters", pair[0]->name, pair[1]->name);
    u64map_set(&p->alias_numbers, (uintptr_t)pair[0], (uint32_t)p->aliases.count);
    vec_push(&p->aliases, (struct alias){pair[0], pair[1]});
    return parse_semicolon(p, "after .alias");
}
