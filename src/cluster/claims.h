// Claimable points, from a worker's view of the queue and of other workers' beats.
#pragma once
#include "cluster/beat.h"
#include "cluster/plan.h"

struct watched {
    struct beat beat; // as last read
    double since;     // own clock, seconds: first reading of the present beat count
};

struct claims {
    const struct plan *plan;
    char *queue_path, *workers_path;
    int queue;
    const char *who;
    double lease_seconds;
    struct diag *diag;
    // Claimable tokens, claimed from the end. Suspects (points one loss short of the limit, token.h) stand at
    // the front, so they are claimed last. In both parts the longest point stands last.
    VEC(struct token) open;
    VEC(struct watched) others;
    // Prints a line for the user when a lost token is restored; NULL: no output.
    void (*tell)(const char *line);
    uint8_t *missed; // by point: consecutive scans without the point's token
    double scanned;  // time of the last scan
    unsigned misses; // since the last scan: tokens claimed first by other workers
    bool finished;   // as of the last scan: every point is done or given up
};

bool claims_begin(struct claims *c, const struct plan *plan, const char *who, double lease_seconds,
                  void (*tell)(const char *line), struct diag *d);
void claims_fini(struct claims *c);

enum claim_answer {
    CLAIM_GOT,    // the worker holds the token
    CLAIM_NONE,   // no token is claimable at present, or all points are finished
    CLAIM_FAILED, // the queue cannot be read or changed; *problem is the errno
};
// Claims the next token. `busy`: the worker runs other points, so no suspect is claimed. *taken: the token
// was held by another worker, lost or ended. Only a lost worker counts as a loss of the point. The caller
// gives up a token with TOKEN_TRIES losses.
enum claim_answer claims_next(struct claims *c, bool busy, struct token *t, bool *taken, int *problem);
