#include "silicon/run.h"

#include "base/rng.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void point_run(struct point *p, struct test *t, const char *name, const char *buffers)
{
    *p = (struct point){.cli = {.t = t}, .name = name};
    struct strbuf command = {0};
    strbuf_printf(&command, "run --script silicon/points/%s.wf --functional --quiet", name);
    for (const char *word = buffers; *word;) {
        int length = (int)strcspn(word, " ");
        strbuf_printf(&command, " --dump %.*s=$D/%.*s", length, word, length, word);
        word += length + (word[length] == ' ');
    }
    cli_run(&p->cli, command.text);
    CHECK_MSG(t, p->cli.status == 0, "%s: status %d\n%s", name, p->cli.status, p->cli.err);
    strbuf_fini(&command);
}

void *point_buffer(struct point *p, const char *name, size_t bytes)
{
    size_t length = 0;
    char *content = cli_read(&p->cli, name, &length);
    if (content && length == bytes) return content;
    test_fail(p->cli.t, __FILE__, __LINE__, "%s: %s has %zu bytes, not %zu", p->name, name, length, bytes);
    free(content);
    return calloc(1, bytes);
}

void point_fini(struct point *p) { cli_fini(&p->cli); }

float *random_f32(size_t count, uint64_t seed)
{
    struct rng rng;
    float *values = malloc(count * sizeof *values);
    rng_init(&rng, seed);
    for (size_t i = 0; i < count; i++) values[i] = rng_f32(rng_next(&rng));
    return values;
}

bool is_close(struct point *p, size_t index, double got, double want, double tolerance)
{
    if (fabs(got - want) <= tolerance) return true;
    test_fail(p->cli.t, __FILE__, __LINE__, "%s: element %zu is %.9g, not %.9g", p->name, index, got, want);
    return false;
}
