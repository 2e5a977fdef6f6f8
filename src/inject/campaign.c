// Many injections: a single run carries all injections, and forks at each place of an injection.
//
//   carrier ──┬────────────┬──┬───────────────────▶ end           (fault-free)
//             └ child: flips its bit ─ runs on ─▶ output, fault, or a detecting check
//
// A child writes the outcome into memory shared with the carrier. The carrier appends the outcome to the
// journal after the child's end. Children die with the carrier.
#include "base/progress.h"
#include "inject/impl.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MAX = 64 };

struct pending {
    uint32_t number;
    struct inject_injection injection;
};

// Pending injections into one kind of place, ordered by the place's index in the run.
struct queue {
    VEC(struct pending) list;
    size_t next;
    uint64_t passed; // places passed so far
};

struct worker {
    pid_t process; // 0: free
    uint32_t number;
};

struct carrier {
    struct inject_watch watch;
    const struct inject_space *space;
    struct journal *journal;
    struct queue queues[UPSET_PLACES];
    struct inject_result *shared; // results by injection number, in memory shared with the children
    // in a child: the child's entry in `shared`; NULL in the carrier, the parent process
    struct inject_result *self;
    struct worker workers[WORKERS_MAX];
    unsigned working;
    bool is_stopping; // no injection is started any more
    bool has_failed;  // an error is in the diag
    struct progress bar;
};

// -- a child ------------------------------------------------------------------------------------------------

static _Noreturn void finish(struct carrier *k, enum inject_outcome outcome)
{
    k->self->outcome = (uint8_t)outcome;
    _exit(0); // _exit: buffers inherited from the carrier are not flushed
}

static void become_child(struct carrier *k, const struct pending *p, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // the carrier died before prctl took effect
    setpgid(0, 0);                     // a terminal's interrupt reaches only the carrier
    k->self = &k->shared[p->number];
    *k->self = (struct inject_result){.number = p->number, .seed = p->injection.seed};
}

static void turned(void *context, const struct upset_site *s, const struct upset_flip *f)
{
    struct carrier *k = context;
    inject_note(k->self, &k->watch, s, f);
}

static void found(void *context, uint64_t cycle)
{
    struct carrier *k = context;
    if (!k->self) return;
    k->self->found = cycle;
    finish(k, INJECT_DETECTED);
}

// -- ended children -----------------------------------------------------------------------------------------

static bool settle(struct carrier *k, uint32_t number, int status)
{
    const struct inject_result *r = &k->shared[number];
    const struct inject *c = k->watch.campaign;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && r->outcome != INJECT_NONE)
        return journal_add(k->journal, r);
    if (WIFSIGNALED(status))
        return diag_error(c->diag, loc_none(),
                          "%s: the process of injection 0x%016llx was killed by signal %d", c->workload->name,
                          (unsigned long long)r->seed, WTERMSIG(status));
    return diag_error(c->diag, loc_none(), "%s: the process of injection 0x%016llx ended without a result",
                      c->workload->name, (unsigned long long)r->seed);
}

// Collects an ended child process and stores the outcome of its injection, unless the campaign stops. waits:
// blocks until a child ends. False: no child ended.
static bool reap(struct carrier *k, bool waits)
{
    int status;
    pid_t process;
    do process = waitpid(-1, &status, waits ? 0 : WNOHANG);
    while (process < 0 && errno == EINTR);
    if (process <= 0) return false;
    for (unsigned n = 0; n < WORKERS_MAX; n++) {
        struct worker *w = &k->workers[n];
        if (w->process != process) continue;
        w->process = 0;
        k->working--;
        if (!k->is_stopping && !settle(k, w->number, status)) k->is_stopping = k->has_failed = true;
    }
    progress_update(&k->bar, k->journal->done);
    return true;
}

static void stop(struct carrier *k)
{
    k->is_stopping = true;
    for (unsigned n = 0; n < WORKERS_MAX; n++)
        if (k->workers[n].process) kill(k->workers[n].process, SIGKILL);
}

// -- the carrier --------------------------------------------------------------------------------------------

static bool has_room(struct carrier *k)
{
    while (reap(k, false)) {
    }
    while (!k->is_stopping && k->working >= k->watch.campaign->workers && reap(k, true)) {
    }
    return !k->is_stopping;
}

// Forks a child for an injection. Returns true in the child; false in the carrier, also when no child was
// started.
static bool start(struct carrier *k, const struct pending *p)
{
    struct worker *w = k->workers;
    if (!has_room(k)) return false;
    while (w->process) w++;
    pid_t parent = getpid(), process = fork();
    if (process == 0) {
        become_child(k, p, parent);
        return true;
    }
    if (process < 0) {
        diag_error(k->watch.campaign->diag, loc_none(), "cannot start a process: %s", strerror(errno));
        k->is_stopping = k->has_failed = true;
        return false;
    }
    *w = (struct worker){process, p->number};
    k->working++;
    return false;
}

static bool pass(void *context, const struct upset_site *s, struct upset_hit *hit)
{
    struct carrier *k = context;
    struct queue *q = &k->queues[s->place];
    uint64_t first = q->passed;
    if (k->self) return false; // the child has flipped its bit
    q->passed += s->count;
    while (q->next < q->list.count && q->list.data[q->next].injection.nth < q->passed) {
        const struct pending *p = &q->list.data[q->next++];
        if (!start(k, p)) continue;
        *hit = (struct upset_hit){p->injection.nth - first, p->injection.draw};
        return true;
    }
    return false;
}

static int by_nth(const void *a, const void *b)
{
    const struct pending *x = a, *y = b;
    if (x->injection.nth != y->injection.nth) return x->injection.nth < y->injection.nth ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static size_t plan(struct carrier *k, uint32_t count)
{
    size_t all = 0;
    for (uint32_t n = 0; n < count; n++) {
        if (journal_has(k->journal, n)) continue;
        struct pending p = {n, inject_draw(k->watch.campaign, k->space, inject_seed(k->watch.campaign, n))};
        vec_push(&k->queues[p.injection.place].list, p);
        all++;
    }
    for (unsigned p = 0; p < UPSET_PLACES; p++)
        if (k->queues[p].list.count)
            qsort(k->queues[p].list.data, k->queues[p].list.count, sizeof(struct pending), by_nth);
    return all;
}

static enum wf_status carry(struct carrier *k)
{
    struct upsets u = {pass, turned, found, k};
    struct workload_result result;
    inject_watch_limit(&k->watch, k->space);
    enum wf_status status = inject_execute(&k->watch, &u, false, &result);
    if (k->self) finish(k, inject_judge(&k->watch, k->space, status, &result));
    if (status == WF_INTERRUPTED) stop(k);
    while (k->working && reap(k, true)) {
    }
    return k->has_failed ? WF_BAD_INPUT : status;
}

enum wf_status inject_run(const struct inject *c, const struct inject_space *space, uint32_t count,
                          struct journal *j)
{
    struct carrier k = {.watch = {.campaign = c}, .space = space, .journal = j};
    size_t bytes = (count + 1ull) * sizeof *k.shared;
    enum wf_status status = WF_OK;
    if (plan(&k, count)) {
        k.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (k.shared == MAP_FAILED) wf_heap_exhausted(bytes);
        progress_init(&k.bar, c->workload->name, "injections", count, c->progress);
        status = carry(&k);
        progress_fini(&k.bar);
        munmap(k.shared, bytes);
    }
    for (unsigned p = 0; p < UPSET_PLACES; p++) vec_fini(&k.queues[p].list);
    return status;
}
