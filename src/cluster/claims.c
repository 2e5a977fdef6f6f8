#include "cluster/claims.h"
#include "base/progress.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// After this many tokens claimed first by other workers, the list of claimable tokens is stale. The queue is
// then read again, scan_seconds after the last scan at the earliest.
enum { MISSES_MOST = 32 };
static const double scan_seconds = 0.5; // least time between two scans of the queue
// A token may be invisible during a rename, and for some seconds where a client caches the folder. A token
// missing in this many consecutive scans is lost.
enum { MISSED_MOST = 10 };

bool claims_begin(struct claims *c, const struct plan *plan, const char *who, double lease_seconds,
                  void (*tell)(const char *line), struct diag *d)
{
    *c = (struct claims){
        .plan = plan, .who = who, .lease_seconds = lease_seconds, .tell = tell, .diag = d, .scanned = -1e9};
    c->missed = heap_alloc(plan->points.count + 1);
    c->queue_path = plan_path(plan, "queue", "");
    c->workers_path = plan_path(plan, "workers", "");
    c->queue = open(c->queue_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return c->queue >= 0 || diag_error(d, loc_none(), "cannot read %s: %s", c->queue_path, strerror(errno));
}

void claims_fini(struct claims *c)
{
    if (c->queue >= 0) close(c->queue);
    vec_fini(&c->open);
    vec_fini(&c->others);
    free(c->missed);
    free(c->queue_path);
    free(c->workers_path);
}

static struct watched *watched_of(struct claims *c, const char *who)
{
    for (size_t i = 0; i < c->others.count; i++)
        if (str_equal(c->others.data[i].beat.who, who)) return &c->others.data[i];
    struct watched w = {.since = clock_seconds()};
    beat_read(&w.beat, c->workers_path, who);
    vec_push(&c->others, w);
    return &vec_last(&c->others);
}

// Reads again the beats of all workers seen before as holders of tokens; called once per scan.
static void watch_others(struct claims *c)
{
    for (size_t i = 0; i < c->others.count; i++) {
        struct watched *w = &c->others.data[i];
        struct beat now;
        bool readable = beat_read(&now, c->workers_path, w->beat.who);
        if (!readable || now.count == w->beat.count) continue;
        w->beat = now;
        w->since = clock_seconds();
    }
}

static bool is_gone(struct claims *c, const char *who)
{
    const struct watched *w = watched_of(c, who);
    return w->beat.ended || clock_seconds() - w->since > c->lease_seconds;
}

// Number of losses of token t once this worker has claimed t. One more than before, at most TOKEN_TRIES, if t
// is held by a lost worker. A worker that ended its beat is not lost.
static unsigned losses_of(struct claims *c, const struct token *t)
{
    bool lost = t->state == TOKEN_HELD && !watched_of(c, t->who)->beat.ended;
    return t->losses + (lost && t->losses < TOKEN_TRIES);
}

static bool is_suspect(struct claims *c, const struct token *t)
{
    return token_is_suspect(&(struct token){.losses = losses_of(c, t)});
}

static bool may_claim(struct claims *c, const struct token *t)
{
    return t->state == TOKEN_OPEN ||
           (t->state == TOKEN_HELD && !str_equal(t->who, c->who) && is_gone(c, t->who));
}

// Creates an open token for a point whose token is lost. The point's progress is unknown; at worst the point
// runs twice. Returns 0 or errno.
static int restore(struct claims *c, size_t point)
{
    const struct plan_point *p = &c->plan->points.data[point];
    struct strbuf line = {0};
    if (!plan_make_token(c->queue, p, TOKEN_OPEN)) return errno;
    c->missed[point] = 0;
    strbuf_printf(&line, "point %s has lost its token in %s and is open again: %s", p->id, c->queue_path,
                  p->command);
    if (c->tell) c->tell(line.text);
    strbuf_fini(&line);
    return 0;
}

// Counts unfinished points and restores lost tokens. *problem: unchanged, or errno if a token cannot be
// created.
static size_t count_unfinished(struct claims *c, const struct token *const *of, int *problem)
{
    size_t unfinished = 0;
    for (size_t k = 0; k < c->plan->points.count; k++) {
        const struct token *t = of[k];
        c->missed[k] = t ? 0 : (uint8_t)(c->missed[k] + 1);
        unfinished += !t || t->state == TOKEN_OPEN || t->state == TOKEN_HELD;
        if (!t && c->missed[k] >= MISSED_MOST && !*problem) *problem = restore(c, k);
    }
    return unfinished;
}

// Reads the queue and lists the claimable tokens: open tokens, and tokens held by lost or ended workers.
// Restores lost tokens and sets c->finished. Returns 0 or errno.
static int scan(struct claims *c)
{
    struct tokens all;
    c->scanned = clock_seconds();
    c->misses = 0;
    c->open.count = 0;
    int problem = tokens_list(&all, c->queue_path);
    if (problem) {
        tokens_fini(&all);
        return problem;
    }
    watch_others(c);
    const struct token **of = plan_tokens(c->plan, &all, NULL);
    for (unsigned healthy = 0; healthy < 2; healthy++)
        for (size_t k = c->plan->points.count; k--;)
            if (of[k] && may_claim(c, of[k]) && is_suspect(c, of[k]) != healthy) vec_push(&c->open, *of[k]);
    c->finished = !count_unfinished(c, of, &problem);
    free(of);
    tokens_fini(&all);
    return problem;
}

enum claim_answer claims_next(struct claims *c, bool busy, struct token *t, bool *taken, int *problem)
{
    *problem = 0;
    if ((!c->open.count || c->misses >= MISSES_MOST) && clock_seconds() - c->scanned >= scan_seconds)
        *problem = scan(c);
    if (*problem) return CLAIM_FAILED;
    while (c->open.count) {
        struct token was = vec_last(&c->open);
        if (busy && is_suspect(c, &was)) return CLAIM_NONE;
        c->open.count--;
        *t = was;
        t->losses = losses_of(c, &was);
        t->state = TOKEN_HELD;
        snprintf(t->who, sizeof t->who, "%s", c->who);
        *taken = was.state == TOKEN_HELD;
        *problem = token_move(c->queue, &was, t);
        if (!*problem) return CLAIM_GOT;
        if (*problem != ENOENT) {
            vec_push(&c->open, was);
            return CLAIM_FAILED;
        }
        c->misses++;
    }
    return CLAIM_NONE;
}
