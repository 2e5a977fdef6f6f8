#include "watch/grammar.h"
#include "base/vec.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- JSON ---------------------------------------------------------------------------------------------------

static void skip_space(const char **p) { *p += strspn(*p, " \t\r\n"); }

static bool take(const char **p, const char *word)
{
    if (strncmp(*p, word, strlen(word)) != 0) return false;
    *p += strlen(word);
    return true;
}

static bool string(const char **p)
{
    if (!take(p, "\"")) return false;
    for (; **p && **p != '"'; ++*p) {
        if ((unsigned char)**p < 0x20) return false;
        if (**p != '\\') continue;
        ++*p;
        if (**p == 'u') {
            for (int k = 0; k < 4; k++)
                if (!isxdigit((unsigned char)*++*p)) return false;
        } else if (!**p || !strchr("\"\\/bfnrt", **p)) {
            return false;
        }
    }
    return take(p, "\"");
}

static bool number(const char **p)
{
    take(p, "-");
    size_t digits = strspn(*p, "0123456789");
    if (!digits || (digits > 1 && **p == '0')) return false;
    *p += digits;
    if (take(p, ".")) {
        if (!(digits = strspn(*p, "0123456789"))) return false;
        *p += digits;
    }
    if (**p != 'e' && **p != 'E') return true;
    ++*p;
    if (**p == '+' || **p == '-') ++*p;
    digits = strspn(*p, "0123456789");
    *p += digits;
    return digits != 0;
}

static bool value(const char **p, int depth);

static bool members(const char **p, int depth, bool object, const char *close)
{
    skip_space(p);
    if (take(p, close)) return true;
    do {
        skip_space(p);
        if (object) {
            if (!string(p)) return false;
            skip_space(p);
            if (!take(p, ":")) return false;
        }
        if (!value(p, depth + 1)) return false;
        skip_space(p);
    } while (take(p, ","));
    return take(p, close);
}

static bool value(const char **p, int depth)
{
    skip_space(p);
    if (depth > 64) return false;
    if (take(p, "{")) return members(p, depth, true, "}");
    if (take(p, "[")) return members(p, depth, false, "]");
    if (**p == '"') return string(p);
    return take(p, "true") || take(p, "false") || take(p, "null") || number(p);
}

bool grammar_json(const char *text)
{
    if (!value(&text, 0)) return false;
    skip_space(&text);
    return !*text;
}

// -- rows ---------------------------------------------------------------------------------------------------

struct slice {
    uint64_t row, from, to;
};

static int by_place(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to < y->to) - (x->to > y->to); // an enclosing slice comes first
}

bool grammar_rows(const char *json, uint64_t *slices)
{
    VEC(struct slice) all = {0};
    VEC(uint64_t) ends = {0}; // of the slices enclosing the present slice
    for (const char *line = json; line; line = strchr(line, '\n')) {
        uint64_t pid, tid, from, duration;
        char head[120]; // sscanf measures the whole input
        line += *line == '\n';
        snprintf(head, sizeof head, "%.*s", (int)strnlen(line, sizeof head - 1), line);
        if (sscanf(head,
                   "{\"ph\":\"X\",\"pid\":%" SCNu64 ",\"tid\":%" SCNu64 ",\"ts\":%" SCNu64
                   ",\"dur\":%" SCNu64,
                   &pid, &tid, &from, &duration) == 4)
            vec_push(&all, (struct slice){pid << 32 | tid, from, from + duration});
    }
    if (all.count) qsort(all.data, all.count, sizeof *all.data, by_place);
    bool good = true;
    for (size_t k = 0; k < all.count; k++) {
        const struct slice *s = &all.data[k];
        if (k && s->row != all.data[k - 1].row) ends.count = 0;
        while (ends.count && vec_last(&ends) <= s->from) ends.count--;
        good &= s->to > s->from && (!ends.count || s->to <= vec_last(&ends));
        vec_push(&ends, s->to);
    }
    *slices = all.count;
    vec_fini(&all);
    vec_fini(&ends);
    return good;
}

// -- Konata -------------------------------------------------------------------------------------------------

enum life { BEGUN, STAGED, ENDED };

struct state {
    struct grammar_konata *k;
    VEC(enum life) lives;
    bool timed;
};

static bool is_alive(const struct state *s, uint64_t id)
{
    return id < s->lives.count && s->lives.data[id] != ENDED;
}

static bool ended(struct state *s, uint64_t id, uint64_t retire, unsigned type)
{
    if (!is_alive(s, id) || s->lives.data[id] != STAGED || type > 1 || retire != s->k->retired) return false;
    s->lives.data[id] = ENDED;
    *(type ? &s->k->flushed : &s->k->retired) += 1;
    return true;
}

static bool command(struct state *s, const char *line)
{
    uint64_t a, b;
    unsigned c;
    int length = 0;
    if (sscanf(line, "C=\t%" SCNu64 "%n", &a, &length) == 1 && !line[length]) {
        if (s->timed) return false;
        s->timed = true;
        s->k->first = s->k->last = a;
        return true;
    }
    if (!s->timed) return false;
    if (sscanf(line, "C\t%" SCNu64 "%n", &a, &length) == 1 && !line[length]) {
        s->k->last += a;
        return a > 0;
    }
    if (sscanf(line, "I\t%" SCNu64 "\t%" SCNu64 "\t%u%n", &a, &b, &c, &length) == 3 && !line[length]) {
        if (a != s->lives.count) return false;
        vec_push(&s->lives, BEGUN);
        s->k->started++;
        return true;
    }
    if (sscanf(line, "L\t%" SCNu64 "\t%u\t%n", &a, &c, &length) == 2 && length && line[length])
        return is_alive(s, a) && c <= 1 && !strchr(line + length, '\t');
    if (sscanf(line, "S\t%" SCNu64 "\t%u\t%n", &a, &c, &length) == 2 && length && line[length]) {
        if (!is_alive(s, a) || c || line[length + 1]) return false;
        s->lives.data[a] = STAGED;
        return true;
    }
    if (sscanf(line, "R\t%" SCNu64 "\t%" SCNu64 "\t%u%n", &a, &b, &c, &length) == 3 && !line[length])
        return ended(s, a, b, c);
    return false;
}

bool grammar_konata(struct test *t, const char *text, struct grammar_konata *k)
{
    struct state s = {.k = k};
    char *copy = strdup(text), *rest = copy, *line = strtok_r(rest, "\n", &rest);
    *k = (struct grammar_konata){0};
    bool good = line && strcmp(line, "Kanata\t0004") == 0;
    while (good && (line = strtok_r(rest, "\n", &rest)) != NULL) good = command(&s, line);
    CHECK_MSG(t, good, "Konata: \"%s\"", line ? line : "");
    for (size_t i = 0; i < s.lives.count; i++) good &= s.lives.data[i] == ENDED;
    vec_fini(&s.lives);
    free(copy);
    return good;
}
