// Names in scope.
//
// One map serves all scopes. The map gives the innermost binding of a name; a binding remembers the binding
// it hides, restored when the block closes. A register range (".reg .b32 %r<100>") is one binding of its
// prefix in a second map. Registers of a range are created on first use, so a range costs nothing whatever
// its length.
//
//     { .reg .b32 %r<9>;  … %r5 …  { .reg .f32 %r<9>;  … %r5 … }  … %r5 … }
//                          outer                       inner       outer again
//
// Vector registers (".reg .v4 .f32 v") are split into adjacent scalars v.x, v.y, v.z, v.w.
#include "ptx/parse_impl.h"

#include <string.h>

static uint32_t current_scope(const struct parser *p) { return (uint32_t)p->scopes.count - 1; }

void scope_push(struct parser *p)
{
    struct scope outer = vec_last(&p->scopes);
    vec_push(&p->scopes, (struct scope){.first_label = (uint32_t)p->open_labels.count,
                                        .first_reference = (uint32_t)p->references.count,
                                        .deepest_range = outer.deepest_range});
}

void scope_pop(struct parser *p)
{
    struct scope s = vec_pop(&p->scopes);
    for (uint32_t i = s.first_binding; i; i = p->bindings.data[i - 1].next_in_scope) {
        struct binding *b = &p->bindings.data[i - 1];
        strmap_set(b->kind == NAME_RANGE ? &p->ranges : &p->names, b->name, b->length, b->shadowed);
    }
}

static struct binding *lookup(const struct parser *p, const struct strmap *map, const char *name,
                              size_t length)
{
    uint32_t i;
    return strmap_get(map, name, length, &i) && i ? &p->bindings.data[i - 1] : NULL;
}

// Finds the range with a register of the name, innermost first. The trailing digits may be split anywhere
// ("%r12" is 12 of %r<> or 2 of %r1<>); in one scope, the number with the most digits wins.
// NULL: no range.
static struct binding *find_range(const struct parser *p, const char *name, size_t length)
{
    size_t digits = 0;
    while (digits < length && digits < 10 && name[length - 1 - digits] >= '0' &&
           name[length - 1 - digits] <= '9')
        digits++;
    struct binding *best = NULL;
    for (; digits; digits--) {
        const char *number = name + length - digits;
        if (*number == '0' && digits > 1) continue;
        struct binding *range = lookup(p, &p->ranges, name, length - digits);
        if (!range || (best && best->scope >= range->scope)) continue;
        uint64_t value = 0;
        for (size_t i = 0; i < digits; i++) value = value * 10 + (uint64_t)(number[i] - '0');
        if (value < range->range) best = range;
    }
    return best;
}

static struct binding *bind_in(struct parser *p, uint32_t scope, const char *name, size_t length,
                               enum name_kind kind)
{
    struct strmap *map = kind == NAME_RANGE ? &p->ranges : &p->names;
    struct scope *s = &p->scopes.data[scope];
    uint32_t shadowed = 0;
    strmap_get(map, name, length, &shadowed);
    struct binding b = {.name = name,
                        .length = (uint32_t)length,
                        .kind = kind,
                        .scope = scope,
                        .shadowed = shadowed,
                        .next_in_scope = s->first_binding,
                        .elements = 1};
    vec_push(&p->bindings, b);
    s->first_binding = (uint32_t)p->bindings.count;
    strmap_set(map, name, length, s->first_binding);
    if (kind == NAME_RANGE) s->deepest_range = scope;
    return &vec_last(&p->bindings);
}

struct binding *scope_bind(struct parser *p, const struct token *name, enum name_kind kind)
{
    const struct binding *old =
        lookup(p, kind == NAME_RANGE ? &p->ranges : &p->names, name->text, name->length);
    if (!old && kind != NAME_RANGE) old = find_range(p, name->text, name->length);
    if (old && old->scope == current_scope(p))
        diag_error(p->d, lex_loc(&p->lex, name), "'%.*s' is already declared in this scope",
                   (int)(name->length > 80 ? 80 : name->length), name->text);
    return bind_in(p, current_scope(p), name->text, name->length, kind);
}

uint32_t scope_new_register(struct parser *p, const char *name, size_t length, enum ptx_type type,
                            uint32_t elements)
{
    uint32_t first = (uint32_t)p->regs.count;
    for (uint32_t e = 0; e < elements; e++) {
        const char *own = elements == 1 ? arena_strndup(p->arena, name, length)
                                        : arena_printf(p->arena, "%.*s.%c", (int)length, name, "xyzw"[e]);
        vec_push(&p->regs, (struct ptx_reg){.name = own, .type = type, .vector = 1});
    }
    return first;
}

struct binding *scope_find(struct parser *p, const char *name, size_t length)
{
    struct binding *b = lookup(p, &p->names, name, length);
    if (b && b->scope >= vec_last(&p->scopes).deepest_range) return b;
    struct binding *range = find_range(p, name, length);
    if (!range || (b && b->scope >= range->scope)) return b;
    enum ptx_type type = range->type;
    uint32_t elements = range->elements, scope = range->scope;
    b = bind_in(p, scope, name, length, NAME_REG);
    b->type = type;
    b->elements = elements;
    b->index = scope_new_register(p, name, length, type, elements);
    return b;
}

// ---- suggestions for unknown names

struct candidates {
    const struct parser *p;
    enum name_kind kind;
    size_t length;         // of the unknown name: names of very different length are not compared
    struct arena *scratch; // candidates as C strings
    // Index into the entries of parser.names: the start of the next search. str_nearest asks for candidates
    // 0, 1, 2 …; candidate 0 starts the search anew.
    size_t *next;
};

enum { LONGEST_NEAR = 120, MOST_CANDIDATES = 20000 };

// Whether a name of `kind` is suggested for an unknown name of the kind `wanted`: the same kind. For a
// variable also registers and functions.
static bool is_candidate(enum name_kind kind, enum name_kind wanted)
{
    if (wanted == NAME_VARIABLE) return kind == NAME_VARIABLE || kind == NAME_REG || kind == NAME_FUNCTION;
    return kind == wanted;
}

static const char *special_register(const void *context, size_t i)
{
    (void)context;
    return i < PTX_SREG_COUNT ? ptx_sreg_name((enum ptx_sreg)i) : NULL;
}

static const char *next_candidate(const void *context, size_t i)
{
    const struct candidates *c = context;
    const struct strmap *names = &c->p->names;
    if (i == 0) *c->next = 0;
    while (*c->next < names->entries.count && *c->next < MOST_CANDIDATES) {
        const struct strmap_entry *e = &names->entries.data[(*c->next)++];
        if (!e->value || e->length > LONGEST_NEAR) continue;
        size_t apart = e->length > c->length ? e->length - c->length : c->length - e->length;
        if (is_candidate(c->p->bindings.data[e->value - 1].kind, c->kind) && apart <= c->length / 3 + 1)
            return arena_strndup(c->scratch, e->key, e->length);
    }
    return NULL;
}

// Nearest name of the kind (NAME_REG: special registers, too), copied into the parser's arena. NULL: no name
// is near, or the unknown name is too long.
static const char *nearest(struct parser *p, const struct token *name, enum name_kind kind)
{
    if (name->length > LONGEST_NEAR) return NULL;
    struct arena scratch;
    arena_init(&scratch);
    size_t next = 0;
    struct candidates c = {p, kind, name->length, &scratch, &next};
    const char *near = str_nearest(arena_strndup(&scratch, name->text, name->length), next_candidate, &c);
    if (!near && kind == NAME_REG)
        near = str_nearest(arena_strndup(&scratch, name->text, name->length), special_register, NULL);
    if (near) near = arena_strndup(p->arena, near, strlen(near));
    arena_fini(&scratch);
    return near;
}

// For an unknown register such as "%r12": its range, declared too short as %r<10>, for a precise message;
// NULL: no such range.
static const struct binding *range_too_short(const struct parser *p, const struct token *name)
{
    size_t digits = 0;
    while (digits < name->length && name->text[name->length - 1 - digits] >= '0' &&
           name->text[name->length - 1 - digits] <= '9')
        digits++;
    return digits ? lookup(p, &p->ranges, name->text, name->length - digits) : NULL;
}

bool scope_unknown(struct parser *p, const struct token *name, enum name_kind kind, const char *what)
{
    struct loc loc = lex_loc(&p->lex, name);
    int length = name->length > 80 ? 80 : (int)name->length;
    const struct binding *range = kind == NAME_REG ? range_too_short(p, name) : NULL;
    if (range)
        return diag_error(p->d, loc, "'%.*s' is not declared; the range ends with %.*s%llu", length,
                          name->text, (int)range->length, range->name, (unsigned long long)range->range - 1);
    const char *near = parse_gave_up(p) ? NULL : nearest(p, name, kind);
    if (near)
        return diag_error(p->d, loc, "unknown %s '%.*s'; did you mean '%s'?", what, length, name->text, near);
    return diag_error(p->d, loc, "unknown %s '%.*s'", what, length, name->text);
}
