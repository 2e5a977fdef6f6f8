// Fault injection: places of bit flips, derivation of an injection from its seed, and outcomes of runs.
#include "base/hash.h"
#include "base/rng.h"
#include "inject/impl.h"

#include <string.h>

enum { LIMIT = 10 }; // times the cycles or launches of the fault-free run; a longer run is a hang

const char *inject_place_name(enum upset_place place)
{
    static const char *const names[UPSET_PLACES] = {"lanes", "registers", "entries"};
    return names[place];
}

// -- seeds --------------------------------------------------------------------------------------------------

// Seed of injection `number`, from the campaign's seed and the workload's name, so workloads of one campaign
// have different seeds.
uint64_t inject_seed(const struct inject *c, uint32_t number)
{
    const char *name = c->workload->name;
    return hash_u64(hash_bytes(name, strlen(name), c->seed) ^ hash_u64(number + 1ull));
}

struct inject_injection inject_draw(const struct inject *c, const struct inject_space *space, uint64_t seed)
{
    struct inject_injection i = {.seed = seed};
    enum upset_place there[UPSET_PLACES] = {UPSET_LANE};
    uint32_t count = 0;
    struct rng r;
    for (unsigned p = 0; p < UPSET_PLACES; p++)
        if (c->places >> p & 1 && space->places[p]) there[count++] = (enum upset_place)p;
    rng_init(&r, seed);
    i.place = there[rng_below(&r, count)];
    i.nth = (uint64_t)((unsigned __int128)rng_next(&r) * space->places[i.place] >> 64);
    i.draw = rng_next(&r);
    return i;
}

// -- a run --------------------------------------------------------------------------------------------------

void inject_watch_limit(struct inject_watch *w, const struct inject_space *space)
{
    w->most_cycles = LIMIT * space->cycles;
    w->most_launches = LIMIT * space->launches;
}

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    struct inject_watch *w = context;
    (void)shape;
    if (w->launched) w->launched(w->context, k, stats);
    w->launches++;
    w->cycles += stats->cycles == WF_UNKNOWN ? 0 : stats->cycles;
    w->never_ends |= stats->never_ends;
    w->is_over |= w->most_launches && (w->launches > w->most_launches || w->cycles > w->most_cycles);
}

static bool is_interrupted(void *context)
{
    const struct inject_watch *w = context;
    const struct inject *c = w->campaign;
    return w->is_over || (c->is_interrupted && c->is_interrupted(NULL));
}

static void complain(const struct inject *c, struct wf_context *x)
{
    static const char error[] = "error: ";
    const char *text = wf_errors(x);
    size_t length = strlen(text);
    if (!length) return;
    if (strncmp(text, error, strlen(error)) == 0) text += strlen(error);
    diag_error(c->diag, loc_none(), "%s: %.*s", c->workload->name, (int)strcspn(text, "\n"), text);
}

enum wf_status inject_execute(struct inject_watch *w, const struct upsets *upsets, bool complains,
                              struct workload_result *result)
{
    const struct inject *c = w->campaign;
    struct wf_context *x = wf_context_create();
    struct workload_options options = c->options;
    options.launched = launched;
    options.launched_context = w;
    *result = (struct workload_result){0};
    enum wf_status status = c->prepare(c->prepare_context, x) ? WF_OK : WF_BAD_USAGE;
    if (status == WF_OK) {
        wf_set_threads(x, 1); // fixes the order of the places
        wf_set_max_cycles(x, w->most_cycles);
        wf_set_interrupt(x, is_interrupted, w);
        wf_set_upsets(x, upsets);
        status = workload_run(c->workload, x, &options, result);
    }
    if (status != WF_OK && complains) complain(c, x);
    wf_context_destroy(x);
    return status;
}

enum inject_outcome inject_judge(const struct inject_watch *w, const struct inject_space *space,
                                 enum wf_status status, const struct workload_result *result)
{
    bool is_exact = w->campaign->workload->output_class == WORKLOAD_CLASS_D;
    if (w->is_over || w->never_ends) return INJECT_HANG;
    if (status != WF_OK && status != WF_MISMATCH) return INJECT_CRASH;
    bool same = is_exact ? result->output_hash == space->output_hash : status == WF_OK;
    return same ? INJECT_MASKED : INJECT_SILENT;
}

void inject_note(struct inject_result *r, const struct inject_watch *w, const struct upset_site *s,
                 const struct upset_flip *f)
{
    r->place = (uint8_t)s->place;
    r->launch = (uint32_t)w->launches;
    r->cycle = f->cycle;
    r->sm = s->sm;
    r->block = s->block;
    r->warp = s->warp;
    r->index = s->index;
    snprintf(r->what, sizeof r->what, "%s", f->what);
    r->what_number = f->number;
    r->lane = f->lane;
    r->bit = f->bit;
}

// -- fault-free run -----------------------------------------------------------------------------------------

struct census {
    struct inject_space *space;
    bool was_found; // a check fired without a fault: an error
};

static bool count(void *context, const struct upset_site *s, struct upset_hit *hit)
{
    struct census *n = context;
    (void)hit;
    n->space->places[s->place] += s->count;
    return false;
}

static void no_bit(void *context, const struct upset_site *s, const struct upset_flip *f)
{
    (void)context, (void)s, (void)f;
}

static void found_nothing(void *context, uint64_t cycle)
{
    (void)cycle;
    ((struct census *)context)->was_found = true;
}

// Adds the launch's counters of places where the mechanism predicts detection to space->covered.
static void add_predicted(void *context, struct wf_kernel *k, const struct wf_stats *stats)
{
    static const char *const names[UPSET_PLACES] = {"uv.covered_lanes", "uv.covered_cycles",
                                                    "uv.covered_entry_cycles"};
    struct census *n = context;
    (void)k;
    for (size_t i = 0; i < stats->counter_count; i++)
        for (unsigned p = 0; p < UPSET_PLACES; p++)
            if (str_equal(stats->counters[i].name, names[p]))
                n->space->covered[p] += stats->counters[i].value;
}

enum wf_status inject_measure(const struct inject *c, struct inject_space *space)
{
    *space = (struct inject_space){0};
    struct census n = {.space = space};
    struct inject_watch w = {.campaign = c, .launched = add_predicted, .context = &n};
    struct upsets u = {count, no_bit, found_nothing, &n};
    struct workload_result result;
    enum wf_status status = inject_execute(&w, &u, true, &result);
    space->output_hash = result.output_hash;
    space->cycles = w.cycles;
    space->launches = w.launches;
    if (status == WF_MISMATCH || (status == WF_OK && n.was_found)) {
        diag_error(c->diag, loc_none(), "%s: %s without a fault", c->workload->name,
                   n.was_found ? "a check finds an error" : "the output differs from the reference's");
        return WF_MISMATCH;
    }
    uint64_t all = 0;
    for (unsigned p = 0; p < UPSET_PLACES; p++) all += c->places >> p & 1 ? space->places[p] : 0;
    if (status == WF_OK && !all) {
        diag_error(c->diag, loc_none(), "%s: the kernel has no place of the given kinds for a bit flip",
                   c->workload->name);
        return WF_BAD_INPUT;
    }
    return status;
}

// -- complete run for one injection -------------------------------------------------------------------------

struct replay {
    struct inject_watch watch;
    struct inject_injection injection;
    struct inject_replayed *to;
    uint64_t passed;
    bool has_turned;
};

static bool pass(void *context, const struct upset_site *s, struct upset_hit *hit)
{
    struct replay *r = context;
    uint64_t first = r->passed;
    if (s->place != r->injection.place || r->has_turned) return false;
    r->passed += s->count;
    if (r->injection.nth >= r->passed) return false;
    *hit = (struct upset_hit){r->injection.nth - first, r->injection.draw};
    return true;
}

static void turned(void *context, const struct upset_site *s, const struct upset_flip *f)
{
    struct replay *r = context;
    r->has_turned = true;
    inject_note(&r->to->result, &r->watch, s, f);
}

static void found(void *context, uint64_t cycle)
{
    struct replay *r = context;
    if (r->has_turned && !r->to->result.found) r->to->result.found = cycle;
}

static void name_instruction(void *context, struct wf_kernel *k, const struct wf_stats *stats)
{
    struct replay *r = context;
    (void)stats;
    if (!r->has_turned || r->to->result.launch != r->watch.launches) return;
    snprintf(r->to->kernel, sizeof r->to->kernel, "%s", wf_kernel_info(k)->name);
    size_t rows;
    const struct wf_account *a = wf_kernel_account(k, &rows);
    if (a && r->to->result.index < rows && a[r->to->result.index].instruction)
        snprintf(r->to->instruction, sizeof r->to->instruction, "%s", a[r->to->result.index].instruction);
}

enum wf_status inject_replay(const struct inject *c, const struct inject_space *space, uint64_t seed,
                             struct inject_replayed *to)
{
    struct replay r = {.watch = {.campaign = c}, .injection = inject_draw(c, space, seed), .to = to};
    struct upsets u = {pass, turned, found, &r};
    struct workload_result result;
    r.watch.launched = name_instruction;
    r.watch.context = &r;
    inject_watch_limit(&r.watch, space);
    *to = (struct inject_replayed){.result = {.seed = seed}};
    enum wf_status status = inject_execute(&r.watch, &u, false, &result);
    if (status == WF_INTERRUPTED && !r.watch.is_over) return WF_INTERRUPTED;
    to->result.outcome =
        (uint8_t)(to->result.found ? INJECT_DETECTED : inject_judge(&r.watch, space, status, &result));
    return WF_OK;
}
