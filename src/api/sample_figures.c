#include "api/sample_figures.h"

#include <math.h>
#include <string.h>

// Spans of 64-bit words of struct chip_result.
static const struct span {
    size_t offset, words;
} spans[] = {
#define SPAN(member)                                                                                         \
    {                                                                                                        \
        offsetof(struct chip_result, member), sizeof(((struct chip_result *)0)->member) / 8                  \
    }
    SPAN(cycles), SPAN(chip_cycles), SPAN(sm_cycles), SPAN(exec),
    SPAN(gpu),    SPAN(memory),      SPAN(techs),     SPAN(kind_techs),
#undef SPAN
};
enum { SPANS = sizeof spans / sizeof spans[0] };

size_t figures_count(void)
{
    size_t n = 0;
    for (unsigned k = 0; k < SPANS; k++) n += spans[k].words;
    return n;
}

static uint64_t *word_of(struct chip_result *r, size_t word)
{
    unsigned k = 0;
    while (word >= spans[k].words) word -= spans[k++].words;
    return (uint64_t *)(void *)((char *)r + spans[k].offset) + word;
}

void figures_read(const struct chip_result *r, double *words)
{
    size_t n = 0;
    for (unsigned k = 0; k < SPANS; k++) {
        const uint64_t *from = (const uint64_t *)(const void *)((const char *)r + spans[k].offset);
        for (size_t i = 0; i < spans[k].words; i++) words[n++] = (double)from[i];
    }
}

void figures_read_sums(const struct chip_sums *s, double *words)
{
    struct chip_result r;
    memset(&r, 0, sizeof r);
    r.cycles = r.chip_cycles = s->cycle;
    r.gpu = s->gpu;
    r.memory = s->memory;
    figures_read(&r, words);
}

void figures_add(struct chip_result *r, size_t word, double value)
{
    if (value > 0) *word_of(r, word) += (uint64_t)llround(value);
}

bool figures_is_executed(size_t word)
{
    struct chip_result r;
    const char *at = (const char *)word_of(&r, word), *exec = (const char *)&r.exec;
    return at >= exec && at < exec + sizeof r.exec;
}

bool figures_is_event(size_t word)
{
    enum { CYCLES = 3 }; // the first spans
    return word >= CYCLES && !figures_is_executed(word);
}
