// Splits lines into words, finds commands, and walks the lines.
#include "cli/script_text.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name, *usage, *meaning;
    unsigned least, most;
} commands[SCRIPT_COUNT] = {
#define COMMAND(function, name, least, most, usage, meaning)                                                 \
    [SCRIPT_##function] = {name, usage, meaning, least, most},
#include "cli/script.def"
#undef COMMAND
};

const char *script_command_name(enum script_command command) { return commands[command].name; }
const char *script_command_usage(enum script_command command) { return commands[command].usage; }
const char *script_command_meaning(enum script_command command) { return commands[command].meaning; }

void script_text_init(struct script_text *s, struct diag *d)
{
    *s = (struct script_text){.diag = d};
    arena_init(&s->arena);
}

void script_text_fini(struct script_text *s)
{
    vec_fini(&s->lines);
    arena_fini(&s->arena);
}

// -- reading ------------------------------------------------------------------------------------------------

static const char *next_command(const void *context, size_t i)
{
    (void)context;
    return i < SCRIPT_COUNT ? commands[i].name : NULL;
}

static bool find_command(struct script_text *s, const struct script_word *w, enum script_command *command)
{
    for (unsigned i = 0; i < SCRIPT_COUNT; i++)
        if (str_equal(commands[i].name, w->text)) {
            *command = (enum script_command)i;
            return true;
        }
    const char *near = str_nearest(w->text, next_command, NULL);
    if (near)
        return diag_error(s->diag, w->loc, "unknown command \"%s\"; did you mean \"%s\"?", w->text, near);
    struct strbuf known = {0};
    for (unsigned i = 0; i < SCRIPT_COUNT; i++) strbuf_printf(&known, "%s%s", i ? " " : "", commands[i].name);
    diag_error(s->diag, w->loc, "unknown command \"%s\"; must be one of %s", w->text, strbuf_text(&known));
    strbuf_fini(&known);
    return false;
}

// Splits a line at blanks; "…" keeps blanks; # at the start of a word begins a comment. False and an error:
// an open quote, a NUL byte, or too many words.
static bool split(struct script_text *s, const char *text, size_t length, uint32_t source, uint32_t number,
                  struct script_word words[SCRIPT_WORDS_MAX], unsigned *count)
{
    *count = 0;
    for (size_t i = 0; i < length;) {
        if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
            i++;
            continue;
        }
        if (text[i] == '#') break;
        struct loc loc = {source, number, (uint32_t)i + 1, 1};
        if (*count == SCRIPT_WORDS_MAX)
            return diag_error(s->diag, loc, "a line has at most %d words", SCRIPT_WORDS_MAX);
        bool quoted = text[i] == '"';
        size_t first = i += quoted;
        for (; i < length && (quoted ? text[i] != '"' : text[i] != ' ' && text[i] != '\t' && text[i] != '\r');
             i++)
            if (!text[i]) return diag_error(s->diag, loc, "a NUL byte");
        if (quoted && i == length) return diag_error(s->diag, loc, "the quote is not closed");
        loc.length = (uint32_t)(i - first) + 2u * quoted;
        words[(*count)++] = (struct script_word){arena_strndup(&s->arena, text + first, i - first), loc};
        i += quoted;
    }
    return true;
}

static bool add_line(struct script_text *s, const struct script_word *words, unsigned count)
{
    struct script_line line = {.loc = words[0].loc, .count = count - 1};
    if (!find_command(s, &words[0], &line.command)) return false;
    if (line.count < commands[line.command].least || line.count > commands[line.command].most)
        return diag_error(s->diag, line.loc, "write %s", commands[line.command].usage);
    line.words = ARENA_ARRAY(&s->arena, struct script_word, line.count);
    if (line.count) memcpy(line.words, words + 1, line.count * sizeof *line.words);
    vec_push(&s->lines, line);
    return true;
}

static bool match_loops(struct script_text *s)
{
    size_t open[SCRIPT_NESTING_MAX];
    unsigned depth = 0;
    for (size_t i = 0; i < s->lines.count; i++) {
        struct script_line *line = &s->lines.data[i];
        if (line->command == SCRIPT_repeat) {
            if (depth == SCRIPT_NESTING_MAX)
                return diag_error(s->diag, line->loc, "loops are nested at most %d deep", SCRIPT_NESTING_MAX);
            open[depth++] = i;
        } else if (line->command == SCRIPT_end) {
            if (!depth) return diag_error(s->diag, line->loc, "end without a repeat");
            line->match = open[--depth];
            s->lines.data[line->match].match = i;
        }
    }
    return !depth || diag_error(s->diag, s->lines.data[open[depth - 1]].loc, "repeat without an end");
}

bool script_text_read(struct script_text *s, const char *text, size_t length, uint32_t source)
{
    bool ok = true;
    uint32_t number = 1;
    for (size_t i = 0; i < length; number++) {
        const char *stop = memchr(text + i, '\n', length - i);
        size_t end = stop ? (size_t)(stop - text) : length;
        struct script_word words[SCRIPT_WORDS_MAX];
        unsigned count;
        ok &= split(s, text + i, end - i, source, number, words, &count) &&
              (!count || add_line(s, words, count));
        i = end + 1;
    }
    return ok && match_loops(s);
}

// -- walking ------------------------------------------------------------------------------------------------

const struct script_line *script_text_line(const struct script_text *s)
{
    return s->at < s->lines.count ? &s->lines.data[s->at] : NULL;
}

// Moves to the next line to execute: past a finished loop, back to the first line in an unfinished loop, or
// one line on.
void script_text_go_on(struct script_text *s)
{
    const struct script_line *l = &s->lines.data[s->at];
    bool done = s->depth && !s->loops[s->depth - 1].left;
    if (l->command == SCRIPT_repeat && done) {
        s->depth--;
        s->at = l->match + 1;
    } else if (l->command == SCRIPT_end && !done) {
        s->at = l->match + 1;
    } else {
        s->depth -= l->command == SCRIPT_end;
        s->at++;
    }
}

static const struct script_loop *find_loop(const struct script_text *s, const char *name, size_t length)
{
    for (unsigned i = s->depth; i-- > 0;)
        if (s->loops[i].variable && strlen(s->loops[i].variable) == length &&
            memcmp(s->loops[i].variable, name, length) == 0)
            return &s->loops[i];
    return NULL;
}

// A word with its $VARIABLEs replaced. NULL and an error for an unknown variable.
static const char *expand(struct script_text *s, const struct script_word *w)
{
    if (!strchr(w->text, '$')) return w->text;
    struct strbuf out = {0};
    const char *p = w->text;
    while (*p) {
        size_t plain = strcspn(p, "$");
        strbuf_write(&out, p, plain);
        p += plain;
        if (!*p) break;
        size_t length = strspn(++p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const struct script_loop *loop = find_loop(s, p, length);
        if (!loop) {
            diag_error(s->diag, w->loc, "no enclosing loop has a variable \"%.*s\"", (int)length, p);
            strbuf_fini(&out);
            return NULL;
        }
        strbuf_printf(&out, "%" PRId64, loop->value);
        p += length;
    }
    const char *text = arena_strndup(&s->arena, strbuf_text(&out), out.length);
    strbuf_fini(&out);
    return text;
}

bool script_text_words(struct script_text *s, const struct script_line *l,
                       const char *words[SCRIPT_WORDS_MAX])
{
    for (unsigned i = 0; i < l->count; i++)
        if (!(words[i] = expand(s, &l->words[i]))) return false;
    return true;
}

bool script_text_repeat(struct script_text *s, const struct script_line *l, const char *const *words)
{
    struct script_loop loop = {.step = 1};
    if (!str_to_u64(words[0], &loop.left))
        return diag_error(s->diag, l->words[0].loc, "\"%s\" is not a count", words[0]);
    if (l->count > 1) loop.variable = words[1];
    if (l->count > 2 && !str_to_i64(words[2], &loop.value))
        return diag_error(s->diag, l->words[2].loc, "\"%s\" is not a number", words[2]);
    if (l->count > 3 && !str_to_i64(words[3], &loop.step))
        return diag_error(s->diag, l->words[3].loc, "\"%s\" is not a number", words[3]);
    s->loops[s->depth++] = loop;
    return true;
}

void script_text_end(struct script_text *s)
{
    struct script_loop *loop = &s->loops[s->depth - 1];
    loop->left--;
    loop->value = (int64_t)((uint64_t)loop->value + (uint64_t)loop->step);
}
