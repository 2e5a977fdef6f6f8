// From a failing kernel to a small one.
//
// The text is a list of lines, one instruction a line. Tried in turn until no change helps: leaving out
// runs of lines (half the lines, a quarter … single lines); a smaller launch; an instruction without its
// guard; a source register replaced by 0 or 1; a result replaced by a constant. A candidate is kept if the
// oracle in strict mode still finds the kernel well defined and the verdict is the wanted verdict. A fault
// found by the compiler in itself is not exchanged for another refusal. The order of candidates is fixed,
// so the same failure always shrinks to the same kernel.
#include "differential/differential.h"

#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum { LIMIT_S = 10 };

struct shrinker {
    VEC(char *) lines;
    way settings;
    const char *extra;
    enum verdict wanted;
    bool compiler_fault; // of the refusals, accept only a fault the compiler found in itself
    uint64_t max_steps;  // ends candidates with an endless loop
    unsigned tried;
    bool verbose;
};

static void join(const struct shrinker *s, struct strbuf *out)
{
    strbuf_clear(out);
    for (size_t k = 0; k < s->lines.count; k++)
        if (s->lines.data[k]) strbuf_printf(out, "%s\n", s->lines.data[k]);
}

static bool is_compiler_fault(const struct strbuf *why)
{
    return strstr(strbuf_text(why), "a fault of the compiler") != NULL;
}

static bool still_fails(struct shrinker *s)
{
    struct strbuf text = {0}, why = {0};
    join(s, &text);
    s->tried++;
    bool fails = judge(strbuf_text(&text), s->settings, s->extra, s->max_steps, LIMIT_S, &why) == s->wanted;
    if (fails && s->wanted == REFUSED) fails = is_compiler_fault(&why) == s->compiler_fault;
    strbuf_fini(&text);
    strbuf_fini(&why);
    return fails;
}

static void compact(struct shrinker *s)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->lines.count; k++)
        if (s->lines.data[k]) s->lines.data[kept++] = s->lines.data[k];
    s->lines.count = kept;
}

// Leaves out lines [at, at + run) if the kernel still fails.
static bool leave_out(struct shrinker *s, size_t at, size_t run)
{
    char *saved[4096];
    if (run > 4096) return false;
    for (size_t k = 0; k < run; k++) {
        saved[k] = s->lines.data[at + k];
        s->lines.data[at + k] = NULL;
    }
    bool fails = still_fails(s);
    for (size_t k = 0; k < run; k++) {
        if (fails)
            free(saved[k]);
        else
            s->lines.data[at + k] = saved[k];
    }
    if (fails) compact(s);
    return fails;
}

static bool leave_out_runs(struct shrinker *s)
{
    bool any = false;
    for (size_t run = s->lines.count / 2; run; run /= 2)
        for (size_t at = s->lines.count; at-- > 1;) // later lines first: definitions stand before uses
            if (at + run <= s->lines.count) any |= leave_out(s, at, run);
    return any;
}

static bool replace_line(struct shrinker *s, size_t at, const char *with)
{
    char *saved = s->lines.data[at], *fresh = strdup(with);
    if (strcmp(saved, with) == 0) {
        free(fresh);
        return false;
    }
    s->lines.data[at] = fresh;
    bool fails = still_fails(s);
    if (!fails) s->lines.data[at] = saved;
    free(fails ? saved : fresh);
    return fails;
}

static bool smaller_launch(struct shrinker *s)
{
    struct generated g;
    struct strbuf text = {0};
    bool any = false;
    static const uint32_t shapes[][6] = {
        {1, 1, 1, 1, 1, 1}, {1, 1, 1, 2, 1, 1}, {1, 1, 1, 32, 1, 1}, {1, 1, 1, 0, 0, 0}};
    join(s, &text);
    if (!generated_read(strbuf_text(&text), &g)) return false;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0] && !any; k++) {
        const uint32_t *h = shapes[k], *b = h[3] ? h + 3 : g.block;
        uint64_t before = (uint64_t)g.grid[0] * g.grid[1] * g.grid[2] * g.block[0] * g.block[1] * g.block[2];
        if ((uint64_t)b[0] * b[1] * b[2] >= before) continue;
        struct strbuf line = {0};
        struct generated smaller = g;
        memcpy(smaller.grid, h, sizeof smaller.grid);
        memcpy(smaller.block, b, sizeof smaller.block);
        generated_comment(&smaller, &line);
        any = replace_line(s, 0, strbuf_text(&line));
        strbuf_fini(&line);
    }
    strbuf_fini(&text);
    return any;
}

static bool without_guard(struct shrinker *s, size_t at)
{
    const char *line = s->lines.data[at], *guard = strchr(line, '@');
    const char *rest = guard ? strchr(guard, ' ') : NULL;
    char text[600];
    if (!rest) return false;
    snprintf(text, sizeof text, "   %s", rest);
    return replace_line(s, at, text);
}

// Replaces each register behind the first comma by 0, then by 1.
static bool constant_sources(struct shrinker *s, size_t at)
{
    bool any = false;
    const char *comma = strchr(s->lines.data[at], ',');
    if (!comma || strstr(s->lines.data[at], ".reg ")) return false;
    size_t from = (size_t)(comma - s->lines.data[at]);
    for (const char *p; (p = strchr(s->lines.data[at] + from, '%')) != NULL;) {
        const char *line = s->lines.data[at];
        size_t start = (size_t)(p - line),
               end = start + 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789_.");
        bool floating = str_starts_with(p, "%f"), is_double = str_starts_with(p, "%fd"), better = false;
        for (int v = 0; v < 2 && !better; v++) {
            char text[600];
            const char *constant = is_double  ? (v ? "0d3ff0000000000000" : "0d0000000000000000")
                                   : floating ? (v ? "0f3f800000" : "0f00000000")
                                              : (v ? "1" : "0");
            snprintf(text, sizeof text, "%.*s%s%s", (int)start, line, constant, line + end);
            better = replace_line(s, at, text);
        }
        any |= better;
        from = better ? start + 1 : end;
    }
    return any;
}

// "mov" to the destination of any other instruction.
static bool constant_result(struct shrinker *s, size_t at)
{
    static const struct {
        const char *prefix, *type, *value;
    } kinds[] = {{"%rd", "u64", "1"},
                 {"%rs", "u16", "1"},
                 {"%r", "u32", "1"},
                 {"%fd", "f64", "0d3ff0000000000000"},
                 {"%f", "f32", "0f3f800000"}};
    const char *line = s->lines.data[at], *space = strchr(line + strspn(line, " "), ' ');
    if (!space || strstr(line, "mov.") || strchr(line, '@')) return false;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        char text[200];
        if (!str_starts_with(space + 1, kinds[k].prefix)) continue;
        snprintf(text, sizeof text, "    mov.%s %.*s, %s;", kinds[k].type, (int)strcspn(space + 1, ",|"),
                 space + 1, kinds[k].value);
        return replace_line(s, at, text);
    }
    return false;
}

static bool simplify_lines(struct shrinker *s)
{
    bool any = false;
    for (size_t at = s->lines.count; at-- > 1;) {
        any |= without_guard(s, at);
        any |= constant_result(s, at);
        any |= constant_sources(s, at);
    }
    return any;
}

static void split(struct shrinker *s, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        vec_push(&s->lines, strndup(text, length));
        text += length + (text[length] == '\n');
    }
}

void shrink(struct strbuf *text, way settings, const char *extra, enum verdict wanted, bool verbose)
{
    struct shrinker s = {.settings = settings, .extra = extra, .wanted = wanted, .verbose = verbose};
    struct expectation e;
    struct strbuf why = {0};
    if (expect(strbuf_text(text), 0, &e, &why)) s.max_steps = 2 * e.steps + 10000;
    expectation_fini(&e);
    judge(strbuf_text(text), settings, extra, 0, LIMIT_S, &why);
    s.compiler_fault = is_compiler_fault(&why);
    split(&s, strbuf_text(text));
    bool better = still_fails(&s);
    while (better) {
        better = smaller_launch(&s);
        better |= leave_out_runs(&s);
        if (verbose) fprintf(stderr, "%zu lines after %u candidates\n", s.lines.count, s.tried);
        if (!better || s.lines.count < 80) better |= simplify_lines(&s);
    }
    join(&s, text);
    for (size_t k = 0; k < s.lines.count; k++) free(s.lines.data[k]);
    vec_fini(&s.lines);
    strbuf_fini(&why);
}
