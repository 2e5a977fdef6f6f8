// How far points are: a file a point in one folder, whose name says it, and which is renamed to say something else.
//
//   ID.FAILURES.LOSSES.open        anybody's
//   ID.FAILURES.LOSSES.held.WHO    a worker's
//   ID.FAILURES.LOSSES.done        its result was committed
//   ID.FAILURES.LOSSES.left        given up: failed or was lost as often as TOKEN_TRIES; nobody tries again before --retry
//
// A loss is a worker that disappeared while it held the point, or whose time was up though it had run the point from its beginning.
// The point may be why (memory), or may have been there by chance; so one that was lost as often as it may be but once is a suspect: a
// worker runs it alone, and after all others.
//
// Of POSIX this relies on: a rename within a folder happens once. Of two that rename the same name one succeeds, the other is
// told that there is no such name. Where a file system does not keep that (or tells a client that its rename failed when it
// had succeeded), a point is run twice or its claim expires; results are committed by name (worker.h), so nothing is
// lost by either. No lock, no link and no exclusive creation is used.
#pragma once
#include "base/diag.h"
#include "base/vec.h"

enum { TOKEN_TRIES = 3 };
enum { TOKEN_NAME_MAX = 160, TOKEN_WHO_MAX = 100 };

enum token_state { TOKEN_OPEN, TOKEN_HELD, TOKEN_DONE, TOKEN_LEFT, TOKEN_STATES };

struct token {
    char id[17];
    unsigned failures, losses;
    enum token_state state;
    char who[TOKEN_WHO_MAX]; // of one that is held
};

void token_name(const struct token *t, char name[TOKEN_NAME_MAX]);
bool token_is_suspect(const struct token *t);
bool token_parse(const char *name, struct token *t); // false: it is none
// Of two tokens of one point, which a folder shows that is read while others rename, or that were copied: whether `a` is the one to
// believe. Done before held before open before left; of two alike the one with more failures and losses.
bool token_beats(const struct token *a, const struct token *b);

struct tokens {
    VEC(struct token) list;
};
// All that there are, in no order; while others rename, one may be seen twice or not at all. 0, or errno: the folder cannot be read.
int tokens_list(struct tokens *t, const char *queue);
// The same. False and an error.
bool tokens_read(struct tokens *t, const char *queue, struct diag *d);
void tokens_fini(struct tokens *t);

// Renames; queue: a descriptor of the folder. 0, or errno: ENOENT: somebody else was first.
int token_move(int queue, const struct token *from, const struct token *to);
