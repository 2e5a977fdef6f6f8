// States of points: one file per point in a folder. The file's name holds the state; a rename changes the
// state.
//
//   ID.FAILURES.LOSSES.open       claimable
//   ID.FAILURES.LOSSES.held.WHO   claimed by a worker
//   ID.FAILURES.LOSSES.done       the result is committed
//   ID.FAILURES.LOSSES.left       given up after TOKEN_TRIES failures or losses, until --retry
//
// A loss is a worker that disappeared while holding the point. A worker whose time expired, after it had run
// the point for nearly the whole time, counts as well. The point may be the cause (memory) or not. A point
// with one loss less than the limit is a suspect: a worker runs it alone, after all other points.
//
// The protocol relies on a single POSIX property: a rename within a folder happens once. Of two workers
// renaming the same file, one succeeds and the other gets ENOENT. On a file system without the property (or
// with a failure report for a successful rename), a point runs twice or its claim expires. Neither loses a
// result, because results are committed by name (worker.h). Locks, links and exclusive creation are not used.
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
    char who[TOKEN_WHO_MAX]; // TOKEN_HELD: the worker
};

void token_name(const struct token *t, char name[TOKEN_NAME_MAX]);
bool token_is_suspect(const struct token *t);
bool token_parse(const char *name, struct token *t); // false: not a token
// Whether token a wins over token b of the same point. Two tokens appear when a folder is read during
// renames, or copied. Done wins over held over open over left; equal states: the token with the greater sum
// of failures and losses.
bool token_beats(const struct token *a, const struct token *b);

struct tokens {
    VEC(struct token) list;
};
// Lists the tokens, unordered. During concurrent renames a token may appear twice or not at all. Returns 0,
// or errno: the folder cannot be read.
int tokens_list(struct tokens *t, const char *queue);
// Like tokens_list, with an error message. False and an error: the folder cannot be read.
bool tokens_read(struct tokens *t, const char *queue, struct diag *d);
void tokens_fini(struct tokens *t);

// Renames a token; queue: a descriptor of the folder. Returns 0 or errno. ENOENT: another worker was first.
int token_move(int queue, const struct token *from, const struct token *to);
