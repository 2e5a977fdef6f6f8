#include "cluster/token.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const states[TOKEN_STATES] = {"open", "held", "done", "left"};

void token_name(const struct token *t, char name[TOKEN_NAME_MAX])
{
    bool held = t->state == TOKEN_HELD;
    snprintf(name, TOKEN_NAME_MAX, "%s.%u.%u.%s%s%s", t->id, t->failures, t->losses, states[t->state],
             held ? "." : "", held ? t->who : "");
}

bool token_is_suspect(const struct token *t) { return t->losses + 1 >= TOKEN_TRIES; }

bool token_beats(const struct token *a, const struct token *b)
{
    static const unsigned rank[TOKEN_STATES] = {
        [TOKEN_DONE] = 3, [TOKEN_HELD] = 2, [TOKEN_OPEN] = 1, [TOKEN_LEFT] = 0};
    if (a->state != b->state) return rank[a->state] > rank[b->state];
    return a->failures + a->losses > b->failures + b->losses;
}

// Parses ".N" with a single digit.
static bool parse_count(const char *text, unsigned *count)
{
    if (text[0] != '.' || !isdigit((unsigned char)text[1])) return false;
    *count = (unsigned)(text[1] - '0');
    return true;
}

bool token_parse(const char *name, struct token *t)
{
    *t = (struct token){.state = TOKEN_STATES};
    size_t length = strspn(name, "0123456789abcdef");
    if (length != 16 || !parse_count(name + 16, &t->failures) || !parse_count(name + 18, &t->losses) ||
        name[20] != '.')
        return false;
    memcpy(t->id, name, 16);
    const char *state = name + 21;
    for (unsigned s = 0; s < TOKEN_STATES; s++) {
        size_t n = strlen(states[s]);
        if (strncmp(state, states[s], n) != 0 || state[n] != (s == TOKEN_HELD ? '.' : 0)) continue;
        if (s == TOKEN_HELD && snprintf(t->who, sizeof t->who, "%s", state + n + 1) >= (int)sizeof t->who)
            return false;
        t->state = (enum token_state)s;
    }
    return t->state != TOKEN_STATES;
}

int tokens_list(struct tokens *t, const char *queue)
{
    *t = (struct tokens){0};
    DIR *folder = opendir(queue);
    if (!folder) return errno;
    struct token one;
    errno = 0;
    for (struct dirent *e; (e = readdir(folder)) != NULL; errno = 0)
        if (token_parse(e->d_name, &one)) vec_push(&t->list, one);
    int problem = errno;
    closedir(folder);
    return problem;
}

bool tokens_read(struct tokens *t, const char *queue, struct diag *d)
{
    int problem = tokens_list(t, queue);
    return !problem || diag_error(d, loc_none(), "cannot read %s: %s", queue, strerror(problem));
}

void tokens_fini(struct tokens *t) { vec_fini(&t->list); }

int token_move(int queue, const struct token *from, const struct token *to)
{
    char old[TOKEN_NAME_MAX], new[TOKEN_NAME_MAX];
    token_name(from, old);
    token_name(to, new);
    return renameat(queue, old, queue, new) == 0 ? 0 : errno;
}
