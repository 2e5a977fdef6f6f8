#include "cluster/status.h"
#include "base/printable.h"
#include "base/str.h"
#include "cluster/result.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN = 20 };   // points listed per state in the report; further points are only counted
enum { RECENT = 120 }; // seconds; a worker whose last beat is older does not contribute to the rate

// The queue as read, and each point's token.
struct queue {
    struct tokens all;
    const struct token **of; // by point; NULL: no token
    size_t surplus;
};

static bool read_queue(const struct plan *p, struct queue *q, struct diag *d)
{
    char *path = plan_path(p, "queue", "");
    *q = (struct queue){0};
    bool good = tokens_read(&q->all, path, d);
    if (good) q->of = plan_tokens(p, &q->all, &q->surplus);
    free(path);
    return good;
}

static void queue_fini(struct queue *q)
{
    free(q->of);
    tokens_fini(&q->all);
}

char *status_reason(const struct plan *p, const char *id)
{
    char name[40], *text;
    size_t length;
    snprintf(name, sizeof name, "%s.failed", id);
    char *path = plan_path(p, "committed", name);
    enum result_state state = result_read(path, id, &text, &length);
    if (state == RESULT_ABSENT) text = heap_strdup("no message");
    if (state == RESULT_BROKEN) text = heap_strdup("the message has different bytes from the written bytes");
    free(path);
    return text;
}

void status_put_time(struct strbuf *out, double seconds)
{
    const double longest = 1e12; // bound for any value in a plan
    uint64_t s = seconds > 0 ? (uint64_t)(seconds < longest ? seconds : longest) : 0, h = s / 3600,
             m = s / 60 % 60;
    if (h)
        strbuf_printf(out, "%llu h %02llu min", (unsigned long long)h, (unsigned long long)m);
    else if (m)
        strbuf_printf(out, "%llu min %02llu s", (unsigned long long)m, (unsigned long long)(s % 60));
    else
        strbuf_printf(out, "%llu s", (unsigned long long)s);
}

// -- the file server's clock --------------------------------------------------------------------------------
//
// The start of a claim is the time of the token's last rename, on the file server's clock. Touching a file
// reads the present time of the same clock. The local clock may differ.

// 0: the file is gone.
static double changed(const struct plan *p, const char *folder, const char *name)
{
    struct stat st;
    char *path = plan_path(p, folder, name);
    double seconds = stat(path, &st) == 0 ? (double)st.st_ctim.tv_sec + (double)st.st_ctim.tv_nsec / 1e9 : 0;
    free(path);
    return seconds;
}

static double beaten(const struct plan *p, const char *who)
{
    char name[TOKEN_WHO_MAX + 8];
    beat_file(who, name);
    return changed(p, "workers", name);
}

// Present time on the file server's clock. Without write access to DIR/workers: the time of the latest beat.
static double file_system_now(const struct plan *p, const struct beats *beats)
{
    static const char name[] = "clock";
    char *path = plan_path(p, "workers", name);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    double now = file >= 0 && futimens(file, NULL) == 0 ? changed(p, "workers", name) : 0;
    if (file >= 0) close(file);
    free(path);
    for (size_t i = 0; i < beats->list.count; i++) {
        double at = beaten(p, beats->list.data[i].who);
        if (at > now) now = at;
    }
    return now;
}

// -- the report ---------------------------------------------------------------------------------------------

static void put_losses(const struct token *t, struct strbuf *out)
{
    if (t->losses)
        strbuf_printf(out, ", lost %u %s together with a worker", t->losses,
                      t->losses == 1 ? "time" : "times");
}

static void put_held(const struct plan *p, const struct token *t, const char *command, double now,
                     struct strbuf *out)
{
    char name[TOKEN_NAME_MAX];
    token_name(t, name);
    double start = changed(p, "queue", name), beat = beaten(p, t->who);
    printable_format(out, "  runs on %s since ", t->who);
    status_put_time(out, start > 0 ? now - start : 0); // the token has moved on in this moment
    strbuf_puts(out, beat > 0 ? ", last beat " : ", no record of beats");
    if (beat > 0) {
        status_put_time(out, now - beat);
        strbuf_puts(out, " ago");
    }
    put_losses(t, out);
    printable_format(out, ": %s\n", command);
}

static void put_failed(const struct plan *p, const struct token *t, const char *command, struct strbuf *out)
{
    printable_format(out, "  %s after %u %s", t->state == TOKEN_LEFT ? "given up" : "will be tried again",
                     t->failures, t->failures == 1 ? "try" : "tries");
    put_losses(t, out);
    printable_format(out, ": %s", command);
    if (t->failures || t->state == TOKEN_LEFT) {
        char *reason = status_reason(p, t->id);
        printable_format(out, ": %s", reason);
        free(reason);
    }
    strbuf_putc(out, '\n');
}

static void put_points(const struct plan *p, const struct queue *q, enum token_state state, double now,
                       struct strbuf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < p->points.count; i++) {
        const struct token *t = q->of[i];
        bool shown = t && t->state == state && (state != TOKEN_OPEN || t->failures || t->losses);
        if (!shown || count++ >= SHOWN) continue;
        if (state == TOKEN_HELD)
            put_held(p, t, p->points.data[i].command, now, out);
        else
            put_failed(p, t, p->points.data[i].command, out);
    }
    if (count > SHOWN) strbuf_printf(out, "  and %zu more\n", count - SHOWN);
}

// Reports damage: missing tokens, surplus tokens and missing folders.
static void put_damage(const struct plan *p, const struct queue *q, size_t missing, struct strbuf *out)
{
    static const char *const folders[] = {"committed", "workers"};
    size_t count = 0;
    for (size_t i = 0; i < p->points.count && missing; i++) {
        if (q->of[i] || count++ >= SHOWN) continue;
        strbuf_printf(out, "  no token in queue, to be restored by a worker: %s ", p->points.data[i].id);
        printable_format(out, "%s\n", p->points.data[i].command);
    }
    if (count > SHOWN) strbuf_printf(out, "  and %zu more\n", count - SHOWN);
    if (q->surplus) strbuf_printf(out, "  surplus tokens in queue: %zu\n", q->surplus);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *path = plan_path(p, folders[i], "");
        if (access(path, F_OK) != 0) printable_format(out, "  %s is missing\n", path);
        free(path);
    }
}

// Appends the numbers of workers, failed runs, claims taken over and duplicate runs. Returns the rate of the
// active workers in points per second.
static double put_workers(const struct plan *p, const struct beats *beats, size_t done, double now,
                          struct strbuf *out)
{
    size_t ended = 0;
    uint64_t runs = 0, taken = 0, failed = 0;
    double rate = 0;
    for (size_t i = 0; i < beats->list.count; i++) {
        const struct beat *b = &beats->list.data[i];
        ended += b->ended;
        runs += b->runs;
        taken += b->taken;
        failed += b->failed;
        bool at_work = !b->ended && now - beaten(p, b->who) < RECENT;
        if (at_work && b->seconds > 0) rate += (double)b->runs / b->seconds;
    }
    strbuf_printf(out, "workers: %zu, including %zu ended\n", beats->list.count, ended);
    strbuf_printf(out,
                  "failed tries: %" PRIu64 "; claims taken over from vanished workers: %" PRIu64
                  "; points run twice: %" PRIu64 "\n",
                  failed, taken, runs > done ? runs - done : 0);
    return rate;
}

// Mean expected seconds of a remaining point, divided by the mean of a finished point. Longest points run
// first, so the ratio is usually below 1. Unknown: 1.
static double length_ahead(const struct plan *p, const struct queue *q)
{
    double seconds[2] = {0};
    size_t counts[2] = {0};
    for (size_t i = 0; i < p->points.count; i++) {
        const struct token *t = q->of[i];
        if (t && t->state == TOKEN_LEFT) continue;
        bool is_done = t && t->state == TOKEN_DONE;
        seconds[is_done] += p->points.data[i].seconds;
        counts[is_done]++;
    }
    if (seconds[0] <= 0 || seconds[1] <= 0) return 1;
    return seconds[0] / (double)counts[0] * (double)counts[1] / seconds[1];
}

bool status_write(const struct plan *p, struct strbuf *out, struct diag *d)
{
    struct queue q;
    struct beats beats;
    size_t counts[TOKEN_STATES] = {0}, missing = 0;
    if (!read_queue(p, &q, d)) {
        queue_fini(&q);
        return false;
    }
    char *workers = plan_path(p, "workers", "");
    beats_read(&beats, workers);
    free(workers);
    for (size_t i = 0; i < p->points.count; i++) {
        if (q.of[i])
            counts[q.of[i]->state]++;
        else
            missing++;
    }
    strbuf_printf(out, "points: %zu; done %zu, running %zu, waiting %zu, given up %zu", p->points.count,
                  counts[TOKEN_DONE], counts[TOKEN_HELD], counts[TOKEN_OPEN], counts[TOKEN_LEFT]);
    if (missing) strbuf_printf(out, ", without a token %zu", missing);
    strbuf_putc(out, '\n');
    double now = file_system_now(p, &beats), rate = put_workers(p, &beats, counts[TOKEN_DONE], now, out);
    size_t ahead = counts[TOKEN_HELD] + counts[TOKEN_OPEN] + missing;
    if (ahead && rate > 0) {
        strbuf_printf(out, "rate: %.2f points a second; done in about ", rate);
        status_put_time(out, (double)ahead / rate * length_ahead(p, &q));
        strbuf_putc(out, '\n');
    }
    put_damage(p, &q, missing, out);
    put_points(p, &q, TOKEN_HELD, now, out);
    put_points(p, &q, TOKEN_OPEN, now, out);
    put_points(p, &q, TOKEN_LEFT, now, out);
    beats_fini(&beats);
    queue_fini(&q);
    return true;
}

bool status_retry(const struct plan *p, size_t *count, struct diag *d)
{
    struct queue q;
    *count = 0;
    if (!read_queue(p, &q, d)) {
        queue_fini(&q);
        return false;
    }
    char *path = plan_path(p, "queue", "");
    int queue = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), problem = queue < 0 ? errno : 0;
    for (size_t i = 0; i < p->points.count && !problem; i++) {
        const struct token *t = q.of[i];
        if (!t || t->state != TOKEN_LEFT) continue;
        struct token to = *t;
        to.state = TOKEN_OPEN;
        to.failures = to.losses = 0;
        problem = token_move(queue, t, &to);
        *count += !problem;
    }
    if (queue >= 0) close(queue);
    queue_fini(&q);
    if (problem) diag_error(d, loc_none(), "cannot change %s: %s", path, strerror(problem));
    free(path);
    return !problem;
}
