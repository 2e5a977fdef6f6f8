// Runs many seeds in a child process that keeps its position in shared memory. When the child dies, the
// parent records a crash or a time-out for the position and starts the next child behind it.
#include "differential/differential.h"
#include "harness/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEED_LIMIT_S = 60, BOARD_FINDINGS = 64 };

struct board { // shared with the child
    uint64_t seed;
    unsigned variant; // next to run or running
    uint64_t programs, comparisons;
    unsigned count;
    struct finding found[BOARD_FINDINGS];
};

static void note(struct board *b, enum verdict v, const char *why)
{
    if (b->count == BOARD_FINDINGS) return;
    struct finding *f = &b->found[b->count++];
    *f = (struct finding){.seed = b->seed, .variant = b->variant, .verdict = v};
    snprintf(f->why, sizeof f->why, "%s", why);
}

static bool applies(const struct hunt *h, unsigned variant, uint64_t seed, bool lanes)
{
    const struct variant *v = &variants[variant];
    if (h->only_variant >= 0 && (unsigned)h->only_variant != variant) return false;
    if (v->any_warp_size && lanes) return false;
    return h->only_variant >= 0 || v->every == 0 || (seed / 4 + variant) % v->every == 0;
}

static void try_seed(const struct hunt *h, struct board *b)
{
    struct strbuf why = {0};
    test_limit_time(SEED_LIMIT_S);
    b->programs++;
    enum verdict v = h->try(b->seed, &why);
    if (v != SAME) note(b, v, strbuf_text(&why));
    strbuf_fini(&why);
}

static void one_seed(const struct hunt *h, struct board *b, const bool *available)
{
    struct generated g;
    struct expectation e;
    struct strbuf why = {0};
    struct generator_options o = options_of(b->seed);
    generator_make(b->seed, &o, &g);
    test_limit_time(SEED_LIMIT_S);
    if (!expect(g.text.text, 0, &e, &why)) {
        note(b, INVALID, strbuf_text(&why));
    } else {
        b->programs += b->variant == 0;
        for (; b->variant < variant_count; b->variant++) {
            if (!available[b->variant] || !applies(h, b->variant, b->seed, e.launch.lanes)) continue;
            enum verdict v = compare(g.text.text, &e, variants[b->variant].settings, h->extra, &why);
            b->comparisons++;
            if (v != SAME) note(b, v, strbuf_text(&why));
            if (h->stop_after && b->count >= h->stop_after) break;
        }
        expectation_fini(&e);
    }
    strbuf_fini(&why);
    generated_fini(&g);
}

static void child(const struct hunt *h, struct board *b)
{
    bool available[64];
    for (unsigned k = 0; k < variant_count; k++) available[k] = variant_available(k);
    while (b->seed < h->first + h->count) {
        if (!h->try)
            one_seed(h, b, available);
        else if (b->variant == 0) // a later variant: the seed killed the previous child
            try_seed(h, b);
        if (h->stop_after && b->count >= h->stop_after) break;
        b->seed++;
        b->variant = 0;
    }
    _exit(0);
}

unsigned hunt(struct hunt *h, struct finding *found, unsigned limit)
{
    struct board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return 0;
    b->seed = h->first;
    fflush(NULL);
    while (b->seed < h->first + h->count && !(h->stop_after && b->count >= h->stop_after)) {
        int status = 0;
        pid_t pid = fork();
        if (pid == 0) child(h, b);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        bool late = WIFSIGNALED(status) && test_is_limit(WTERMSIG(status));
        note(b, late ? TIMED_OUT : CRASHED, late ? "took too long" : "died of a signal");
        b->variant++; // go on behind the place
    }
    h->programs = b->programs;
    h->comparisons = b->comparisons;
    h->seeds_done = b->seed - h->first;
    unsigned count = b->count < limit ? b->count : limit;
    memcpy(found, b->found, count * sizeof *found);
    munmap(b, sizeof *b);
    return count;
}

void hunt_check(struct test *t, struct hunt *h, const char *what, const char *again)
{
    struct finding found[4];
    h->stop_after = TEST_COUNT(found) - 1;
    unsigned count = hunt(h, found, TEST_COUNT(found));
    printf("  %ss %llu to %llu\n", what, (unsigned long long)h->first,
           (unsigned long long)(h->first + h->programs - 1));
    for (unsigned k = 0; k < count; k++) {
        unsigned long long seed = found[k].seed;
        CHECK_MSG(t, false, "%s %llu: %s: %s", what, seed, verdict_name(found[k].verdict), found[k].why);
        CHECK_MSG(t, !again, "again: %s %llu", again, seed);
    }
    CHECK(t, count || h->programs == h->count);
}
