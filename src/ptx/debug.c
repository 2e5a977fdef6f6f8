// Source lines: .file, .loc with inline information, and the .debug_str strings referenced by .loc (PTX ISA
// 11.5).
//
//     file := ".file" N [DIRECTORY] STRING ["," time "," size]
//     loc  := ".loc" FILE LINE COLUMN ["," "function_name" NAME ["+" N] "," "inlined_at" FILE LINE COLUMN]
//
// Sections hold DWARF for a debugger and are skipped, except .debug_str with the names of inlined
// functions.
#include "ptx/parse_impl.h"

#include <string.h>

bool parse_file_directive(struct parser *p)
{
    uint32_t ignored;
    struct ptx_file file;
    if (!parse_u32(p, "a file number after .file", &file.number)) return false;
    if (!at(p, TOKEN_STRING)) return parse_error(p, "expected the file's name in quotes");
    file.name = parse_copy_token(p, &p->t);
    parse_advance(p);
    if (at(p, TOKEN_STRING)) { // clang writes the folder as a separate string
        bool absolute = p->t.length && *p->t.text == '/';
        const char *name = parse_copy_token(p, &p->t);
        file.name = absolute ? name : arena_printf(p->arena, "%s/%s", file.name, name);
        parse_advance(p);
    }
    vec_push(&p->files, file);
    for (int i = 0; i < 2 && parse_accept(p, TOKEN_COMMA); i++) {
        if (!at(p, TOKEN_INT)) return parse_u32(p, "the file's time or size", &ignored);
        parse_advance(p);
    }
    return true;
}

static bool parse_place(struct parser *p, struct ptx_line_info *info)
{
    return parse_u32(p, "a file number", &info->file) && parse_u32(p, "a line number", &info->line) &&
           parse_u32(p, "a column", &info->column);
}

static uint64_t place_key(const struct ptx_line_info *info)
{
    return hash_u64(hash_u64(((uint64_t)info->file << 32) | info->line) + info->column);
}

static bool same_place(const struct ptx_line_info *a, const struct ptx_line_info *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

// Index of the line info of a call site: the last entry for the place, or a new entry, not inlined.
static uint32_t call_site(struct parser *p, const struct ptx_line_info *place)
{
    uint32_t index;
    if (u64map_get(&p->line_places, place_key(place), &index) &&
        same_place(&p->line_infos.data[index], place))
        return index;
    index = (uint32_t)p->line_infos.count;
    vec_push(&p->line_infos, *place);
    u64map_set(&p->line_places, place_key(place), index);
    return index;
}

// After "function_name": parses a label of .debug_str into *name, and the call site. The label's text is
// known only after the section is read.
static bool parse_inlined(struct parser *p, struct ptx_line_info *info, struct token *name)
{
    uint32_t offset;
    struct ptx_line_info site = {0};
    *name = p->t;
    if (!at(p, TOKEN_NAME) && !at(p, TOKEN_DOT)) return parse_error(p, "expected a label of .debug_str");
    parse_advance(p);
    if (parse_accept(p, TOKEN_PLUS) && !parse_u32(p, "an offset", &offset)) return false;
    if (!parse_expect(p, TOKEN_COMMA, "before inlined_at")) return false;
    if (!at(p, TOKEN_NAME) || !token_is(&p->t, "inlined_at", 10))
        return parse_error(p, "expected inlined_at");
    parse_advance(p);
    if (!parse_place(p, &site)) return false;
    info->inlined_at = call_site(p, &site);
    return true;
}

bool parse_loc_directive(struct parser *p)
{
    struct ptx_line_info info = {0};
    struct token function = {.kind = TOKEN_END};
    if (!parse_place(p, &info)) return false;
    if (parse_accept(p, TOKEN_COMMA)) {
        if (!at(p, TOKEN_NAME) || !token_is(&p->t, "function_name", 13))
            return parse_error(p, "expected function_name");
        parse_advance(p);
        if (!parse_inlined(p, &info, &function)) return false;
    }
    p->line_info = (uint32_t)p->line_infos.count;
    vec_push(&p->line_infos, info);
    u64map_set(&p->line_places, place_key(&info), p->line_info);
    if (function.kind != TOKEN_END)
        vec_push(&p->function_names, (struct function_name){p->line_info, function.length, function.text});
    return true;
}

// ---- .section

// After a label of .debug_str: records the label's string, which is the data bytes up to the first 0.
static void collect_string(struct parser *p, const struct token *label, struct strbuf *bytes)
{
    strbuf_clear(bytes);
    bool ended = false;
    while (at(p, TOKEN_DOT) || at(p, TOKEN_INT) || at(p, TOKEN_COMMA) || at(p, TOKEN_MINUS)) {
        if (at(p, TOKEN_INT) && !ended) {
            if (p->t.value)
                strbuf_putc(bytes, (char)p->t.value);
            else
                ended = true;
        }
        parse_advance(p);
    }
    strmap_set(&p->debug_strings, label->text, label->length, (uint32_t)p->debug_texts.count);
    vec_push(&p->debug_texts, arena_strndup(p->arena, strbuf_text(bytes), bytes->length));
}

static bool parse_debug_strings(struct parser *p, struct loc open)
{
    struct strbuf bytes = {0};
    while (!at(p, TOKEN_RBRACE) && !at(p, TOKEN_END)) {
        struct token label = p->t;
        parse_advance(p);
        if (label.kind == TOKEN_NAME && parse_accept(p, TOKEN_COLON)) collect_string(p, &label, &bytes);
    }
    strbuf_fini(&bytes);
    return parse_accept(p, TOKEN_RBRACE) || diag_error(p->d, open, "this '{' is never closed");
}

bool parse_section(struct parser *p)
{
    char found[TOKEN_TEXT_BYTES];
    bool strings = parse_at_dot(p, "debug_str");
    if (!at(p, TOKEN_DOT) && !at(p, TOKEN_NAME) && !at(p, TOKEN_STRING))
        return parse_error(p, "expected a section name, found %s", lex_token_text(&p->t, found));
    parse_advance(p);
    struct loc open = parse_here(p);
    if (!at(p, TOKEN_LBRACE)) return parse_error(p, "expected '{' after the section's name");
    if (!strings) return parse_skip_braces(p);
    parse_advance(p);
    return parse_debug_strings(p, open);
}

void debug_resolve_strings(struct parser *p)
{
    for (size_t i = 0; i < p->function_names.count; i++) {
        const struct function_name *f = &p->function_names.data[i];
        uint32_t text;
        bool known = strmap_get(&p->debug_strings, f->name, f->length, &text);
        p->line_infos.data[f->line_info].function_name =
            known ? p->debug_texts.data[text] : arena_strndup(p->arena, f->name, f->length);
    }
}

void ptx_number_lines(struct ptx_module *m, const char *name)
{
    if (m->line_info_count > 1 || m->file_count) return;
    VEC(struct ptx_line_info) places = {0};
    vec_push(&places, (struct ptx_line_info){0});
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t i = 0; i < m->functions[f]->inst_count; i++) {
            struct ptx_inst *inst = &m->functions[f]->insts[i];
            if (inst->loc.line != vec_last(&places).line)
                vec_push(&places, (struct ptx_line_info){.file = 1, .line = inst->loc.line});
            inst->line_info = (uint32_t)places.count - 1;
        }
    m->line_infos = ARENA_COPY(&m->arena, &places);
    m->line_info_count = (uint32_t)places.count;
    m->files = ARENA_NEW(&m->arena, struct ptx_file);
    *m->files = (struct ptx_file){1, arena_strndup(&m->arena, name, strlen(name))};
    m->file_count = 1;
    vec_fini(&places);
}

void ptx_number_places(struct ptx_module *m)
{
    VEC(struct ptx_line_info) places = {0};
    vec_push(&places, (struct ptx_line_info){0});
    for (uint32_t k = 1; k < m->line_info_count; k++) vec_push(&places, m->line_infos[k]);
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t i = 0; i < m->functions[f]->inst_count; i++) {
            struct ptx_inst *inst = &m->functions[f]->insts[i];
            struct ptx_line_info place = places.data[inst->line_info];
            place.ptx_line = inst->loc.line;
            place.ptx_column = inst->loc.column;
            inst->line_info = (uint32_t)places.count;
            vec_push(&places, place);
        }
    m->line_infos = ARENA_COPY(&m->arena, &places);
    m->line_info_count = (uint32_t)places.count;
    vec_fini(&places);
}
