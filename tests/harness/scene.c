#include "harness/scene.h"
#include "base/str.h"
#include "harness/counter.h"
#include "isa/program.h"

#include <stddef.h>
#include <string.h>

static void heard(void *context, const struct tech_step *step)
{
    struct scene *s = context;
    vec_push(&s->steps, *step);
}

// Fills s->choice. False: a failed case.
static bool choose(struct scene *s, const struct scene_plan *plan)
{
    struct diag d;
    struct strbuf why = {0};
    const char *tech = plan->tech ? plan->tech : "base";
    diag_init(&d);
    bool good = tech_choose(&s->choice, tech, &d);
    diag_format(&d, false, &why);
    CHECK_MSG(s->t, good, "%s is refused: %s", tech, strbuf_text(&why));
    strbuf_fini(&why);
    diag_fini(&d);
    for (const struct tech_use *u = plan->uses; good && u && u->tech; u++) {
        good = s->choice.count < TECH_MAX;
        CHECK_MSG(s->t, good, "no place for %s", u->tech->name);
        if (good) s->choice.uses[s->choice.count++] = *u;
    }
    for (unsigned k = 0; k < s->choice.count; k++) {
        struct tech_use *u = &s->choice.uses[k];
        u->marks = &s->marks;
        u->verify = plan->verify;
    }
    return good;
}

bool scene_begin(struct scene *s, struct test *t, const struct scene_plan *plan)
{
    *s = (struct scene){.t = t, .listener = {heard, s}};
    tech_choice_init(&s->choice);
    if (!choose(s, plan) || !gpu_bench_init(&s->bench, t, plan->gpu ? plan->gpu : "tiny",
                                            plan->settings ? plan->settings : "", plan->text, 1))
        return false;
    struct launch *l = &s->bench.m.launch;
    for (unsigned k = 0; k < 3; k++) l->block[k] = plan->block[k] ? plan->block[k] : 1;
    l->grid[0] = plan->blocks ? plan->blocks : 1;
    s->bench.config.techs = s->choice.uses;
    s->bench.config.tech_count = s->choice.count;
    if (plan->bytes) s->buffer = machine_buffer(&s->bench.m, plan->bytes);
    return true;
}

void scene_end(struct scene *s)
{
    gpu_bench_fini(&s->bench);
    tech_choice_fini(&s->choice);
    vec_fini(&s->steps);
    if (s->changed) program_free(s->changed);
    s->changed = NULL;
}

void scene_listen(struct scene *s)
{
    for (unsigned k = 0; k < s->choice.count; k++) s->choice.uses[k].listener = &s->listener;
}

void scene_transform(struct scene *s)
{
    struct launch *l = &s->bench.m.launch;
    for (unsigned k = 0; k < s->choice.count; k++) {
        struct tech_use *u = &s->choice.uses[k];
        u->code_bytes = gpu_code_bytes(&s->bench.config.gpu, s->bench.config.memory.line_bytes);
        if (!u->tech->program || !u->tech->program->transform) continue;
        bool *shared =
            tech_shared(s->choice.uses, s->choice.count, u->tech, s->bench.m.program, l->block, l->warp_size);
        struct program *changed =
            u->tech->program->transform(u, s->bench.m.program, l->block, l->warp_size, shared);
        free(shared);
        if (!changed) continue;
        if (s->changed) program_free(s->changed);
        l->program = s->changed = changed;
    }
}

uint64_t scene_run(struct scene *s) { return s->bench.m.program ? gpu_cycles(&s->bench) : 0; }

// -- counters -----------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    size_t offset; // in struct gpu_counts
} sm_counters[] = {
#define GPU_COUNTER(group, name, unit, meaning)                                                              \
    {"sm." #group "." #name, offsetof(struct gpu_counts, group##_##name)},
#define GPU_LANES(which, name, meaning)                                                                      \
    {"sm.lanes." #name, offsetof(struct gpu_counts, lanes) + sizeof(uint64_t) * LANES_##which},
#define GPU_SLOT(which, name, meaning)                                                                       \
    {"sm.slots." #name, offsetof(struct gpu_counts, slots) + sizeof(uint64_t) * SLOT_##which},
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
};

// The counter of a mechanism of the scene by its printed name; NULL: none.
static const uint64_t *find_of_tech(const struct scene *s, const char *name)
{
    for (unsigned k = 0; k < s->choice.count; k++) {
        const struct tech *tech = s->choice.uses[k].tech;
        const size_t length = strlen(tech->name);
        if (strncmp(name, tech->name, length) != 0 || name[length] != '.') continue;
        for (size_t n = 0; n < tech->counter_count; n++)
            if (str_equal(tech->counters[n].name, name + length + 1)) return &s->bench.result.techs[k][n];
    }
    return NULL;
}

// NULL: no such counter in the scene.
static const uint64_t *find_counter(const struct scene *s, const char *name)
{
    const struct chip_result *r = &s->bench.result;
    if (str_equal(name, "mismatches")) return &r->mismatches;
    for (size_t k = 0; k < TEST_COUNT(sm_counters); k++)
        if (str_equal(sm_counters[k].name, name))
            return (const uint64_t *)(const void *)((const char *)&r->gpu + sm_counters[k].offset);
    return find_of_tech(s, name);
}

uint64_t scene_counter(const struct scene *s, const char *name)
{
    const uint64_t *value = find_counter(s, name);
    CHECK_MSG(s->t, value, "no counter %s", name);
    return value ? *value : UINT64_MAX;
}

uint64_t scene_counter_if_used(const struct scene *s, const char *name)
{
    return counter_is_of_tech(name) && !find_counter(s, name) ? 0 : scene_counter(s, name);
}

uint64_t scene_lanes(const struct scene *s)
{
    uint64_t all = 0;
    for (unsigned k = 0; k < LANES_COUNT; k++) all += s->bench.result.gpu.lanes[k];
    return all;
}

bool scene_is_like(const struct scene *a, const struct scene *b)
{
    const struct chip_result *x = &a->bench.result, *y = &b->bench.result;
    return x->cycles == y->cycles && memcmp(&x->gpu, &y->gpu, sizeof x->gpu) == 0 &&
           memcmp(&x->memory, &y->memory, sizeof x->memory) == 0;
}

// -- tables -------------------------------------------------------------------------------------------------

// Sum of the counters of a column; a name without "." belongs to the first mechanism.
static uint64_t sum_of(const struct scene *s, const char *column)
{
    uint64_t sum = 0;
    char *names = strdup(column), *rest = names;
    for (char *name; (name = strtok_r(rest, "+", &rest)) != NULL;) {
        struct strbuf full = {0};
        if (!strchr(name, '.') && !str_equal(name, "mismatches") && s->choice.count)
            strbuf_printf(&full, "%s.", s->choice.uses[0].tech->name);
        strbuf_puts(&full, name);
        sum += scene_counter(s, full.text);
        strbuf_fini(&full);
    }
    free(names);
    return sum;
}

static void check_row(const struct scene_table *table, const struct scene_row *row, const struct scene *with,
                      const struct scene *without)
{
    struct test *t = with->t;
    bool has_mismatches = false;
    for (size_t k = 0; table->columns[k]; k++) {
        const char *column = table->columns[k];
        uint64_t got =
            *column == '-' ? sum_of(without, column + 1) - sum_of(with, column + 1) : sum_of(with, column);
        CHECK_MSG(t, got == row->counts[k], "row %td, %s: %s is %lld, not %lld", row - table->rows, row->tech,
                  column, (long long)got, (long long)row->counts[k]);
        has_mismatches |= str_equal(column, "mismatches");
    }
    CHECK_MSG(t, has_mismatches || !with->bench.result.mismatches, "row %td, %s: %llu mismatches",
              row - table->rows, row->tech, (unsigned long long)with->bench.result.mismatches);
    if (table->compare) table->compare(with, without);
}

void scene_check_table(struct test *t, const struct scene_table *table)
{
    for (const struct scene_row *row = table->rows; row < table->rows + table->count; row++) {
        struct scene with, without;
        struct strbuf settings = {0};
        struct scene_plan plan = table->plan, base;
        strbuf_printf(&settings, "%s %s", plan.settings ? plan.settings : "",
                      row->settings ? row->settings : "");
        plan.settings = settings.text;
        plan.tech = row->tech;
        if (row->text) plan.text = row->text;
        if (row->threads) plan.block[0] = row->threads;
        base = plan;
        base.tech = NULL;
        bool good = scene_begin(&with, t, &plan);
        good &= scene_begin(&without, t, &base);
        if (good) {
            scene_run(&with);
            scene_run(&without);
            check_row(table, row, &with, &without);
        }
        scene_end(&with);
        scene_end(&without);
        strbuf_fini(&settings);
    }
}
