#include "cluster/status.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN = 20 }; // points of a kind; the others are counted

static bool read_queue(const struct plan *p, struct tokens *all, struct diag *d)
{
    char *path = plan_path(p, "queue", "");
    bool good = tokens_read(all, path, d);
    free(path);
    return good;
}

static const struct plan_point *point_of(const struct plan *p, const struct token *t)
{
    uint32_t index;
    return strmap_get(&p->by_id, t->id, 16, &index) ? &p->points.data[index] : NULL;
}

bool status_count(const struct plan *p, size_t counts[TOKEN_STATES], struct diag *d)
{
    struct tokens all;
    for (unsigned s = 0; s < TOKEN_STATES; s++) counts[s] = 0;
    bool good = read_queue(p, &all, d);
    for (size_t i = 0; i < all.list.count; i++)
        if (point_of(p, &all.list.data[i])) counts[all.list.data[i].state]++;
    tokens_fini(&all);
    return good;
}

char *status_reason(const struct plan *p, const char *id)
{
    char name[40], *text;
    size_t length;
    const char *why;
    snprintf(name, sizeof name, "%s.failed", id);
    char *path = plan_path(p, "committed", name);
    if (!file_read(path, &text, &length, &why)) text = heap_strdup("it left no message");
    free(path);
    return text;
}

// "2 h 03 min", of seconds.
static void put_time(struct strbuf *out, double seconds)
{
    uint64_t s = seconds > 0 ? (uint64_t)seconds : 0, h = s / 3600, m = s / 60 % 60;
    if (h)
        strbuf_printf(out, "%llu h %02llu min", (unsigned long long)h, (unsigned long long)m);
    else if (m)
        strbuf_printf(out, "%llu min %02llu s", (unsigned long long)m, (unsigned long long)(s % 60));
    else
        strbuf_printf(out, "%llu s", (unsigned long long)s);
}

// Since when it is held: a rename changes the time of a file's state, on the clock of the file system.
static double held_seconds(const struct plan *p, const struct token *t)
{
    char name[TOKEN_NAME_MAX];
    struct stat st;
    token_name(t, name);
    char *path = plan_path(p, "queue", name);
    double seconds = stat(path, &st) == 0 ? difftime(time(NULL), st.st_ctime) : 0;
    free(path);
    return seconds;
}

static void put_points(const struct plan *p, const struct tokens *all, enum token_state state,
                       struct strbuf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < all->list.count; i++) {
        const struct token *t = &all->list.data[i];
        const struct plan_point *point = point_of(p, t);
        if (!point || t->state != state || count++ >= SHOWN) continue;
        if (state == TOKEN_HELD) {
            printable_format(out, "  runs on %s since ", t->who);
            put_time(out, held_seconds(p, t));
            printable_format(out, ": %s\n", point->command);
        } else {
            char *reason = status_reason(p, t->id);
            printable_format(out, "  left after %u tries: %s: %s\n", t->failures, point->command, reason);
            free(reason);
        }
    }
    if (count > SHOWN) strbuf_printf(out, "  and %zu more\n", count - SHOWN);
}

// What the workers say of themselves: how many there are, their rate, and what was run again.
static double put_workers(const struct plan *p, struct strbuf *out)
{
    struct beats beats;
    char *path = plan_path(p, "workers", "");
    beats_read(&beats, path);
    free(path);
    size_t at_work = 0;
    uint64_t again = 0, taken = 0, failed = 0;
    double rate = 0;
    for (size_t i = 0; i < beats.list.count; i++) {
        const struct beat *b = &beats.list.data[i];
        at_work += !b->ended;
        again += b->again;
        taken += b->taken;
        failed += b->failed;
        if (!b->ended && b->seconds > 0) rate += (double)b->done / b->seconds;
    }
    strbuf_printf(out, "workers: %zu, of which %zu have ended\n", beats.list.count,
                  beats.list.count - at_work);
    strbuf_printf(out,
                  "run twice: %llu claims taken over from workers that were gone, %llu results that were "
                  "somebody's too; tries that "
                  "failed: %llu\n",
                  (unsigned long long)taken, (unsigned long long)again, (unsigned long long)failed);
    beats_fini(&beats);
    return rate;
}

bool status_write(const struct plan *p, struct strbuf *out, struct diag *d)
{
    struct tokens all;
    size_t counts[TOKEN_STATES] = {0};
    if (!read_queue(p, &all, d)) return false;
    for (size_t i = 0; i < all.list.count; i++)
        if (point_of(p, &all.list.data[i])) counts[all.list.data[i].state]++;
    strbuf_printf(out, "points: %zu; done %zu, running %zu, waiting %zu, left %zu\n", p->points.count,
                  counts[TOKEN_DONE], counts[TOKEN_HELD], counts[TOKEN_OPEN], counts[TOKEN_LEFT]);
    double rate = put_workers(p, out);
    size_t ahead = counts[TOKEN_HELD] + counts[TOKEN_OPEN];
    if (ahead && rate > 0) {
        strbuf_printf(out, "rate: %.2f points a second; left: about ", rate);
        put_time(out, (double)ahead / rate);
        strbuf_putc(out, '\n');
    }
    put_points(p, &all, TOKEN_HELD, out);
    put_points(p, &all, TOKEN_LEFT, out);
    tokens_fini(&all);
    return true;
}

bool status_retry(const struct plan *p, size_t *count, struct diag *d)
{
    struct tokens all;
    *count = 0;
    if (!read_queue(p, &all, d)) return false;
    char *path = plan_path(p, "queue", "");
    int queue = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), problem = queue < 0 ? errno : 0;
    for (size_t i = 0; i < all.list.count && !problem; i++) {
        const struct token *t = &all.list.data[i];
        struct token to = *t;
        if (t->state != TOKEN_LEFT || !point_of(p, t)) continue;
        to.state = TOKEN_OPEN;
        to.failures = 0;
        problem = token_move(queue, t, &to);
        *count += !problem;
    }
    if (queue >= 0) close(queue);
    tokens_fini(&all);
    if (problem) diag_error(d, loc_none(), "cannot change %s: %s", path, strerror(problem));
    free(path);
    return !problem;
}
