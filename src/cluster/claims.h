// What a worker may claim: what it has seen of the queue, and of the beats of others.
#pragma once
#include "cluster/beat.h"
#include "cluster/plan.h"

struct watched {
    struct beat beat; // as it was last seen
    double since;     // when it was first seen so
};

struct claims {
    const struct plan *plan;
    char *queue_path, *workers_path;
    int queue;
    const char *who;
    double lease_seconds;
    struct diag *diag;
    VEC(struct token) open; // that may be claimed, the longest last, suspects before all others
    VEC(struct watched) others;
    // Tells people a line while the worker works; NULL: nobody listens.
    void (*tell)(const char *line);
    uint8_t *missed; // by point: how often in a row no token of it was seen
    double scanned;  // when the queue was last read
    unsigned misses; // since then: claimed by others
    bool finished;   // nothing is open or held
};

bool claims_begin(struct claims *c, const struct plan *plan, const char *who, double lease_seconds,
                  void (*tell)(const char *line), struct diag *d);
void claims_fini(struct claims *c);

enum claim_answer {
    CLAIM_GOT,    // the token is ours
    CLAIM_NONE,   // nothing to claim just now, or nothing any more (finished)
    CLAIM_FAILED, // the queue cannot be changed: *problem is the errno
};
// `busy`: we run others, so that suspects wait. `taken`: it was a worker's that is gone, which is a loss unless that worker has said
// that it ends. A token with TOKEN_TRIES losses is to be given up.
enum claim_answer claims_next(struct claims *c, bool busy, struct token *t, bool *taken, int *problem);
