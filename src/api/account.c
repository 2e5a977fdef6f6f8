// Where the schedulers' slots went: instruction by instruction over a kernel's timed launches, and SM by SM
// in the last one.
#include "api/impl.h"

static const struct wf_slot names[SLOT_COUNT] = {
#define GPU_COUNTER(group, name, unit, meaning)
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name_, meaning_) [SLOT_##which] = {.name = #name_, .meaning = meaning_},
#include "gpu/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
};

bool wf_slot_at(size_t index, struct wf_slot *slot)
{
    if (index >= SLOT_COUNT) return false;
    *slot = names[index];
    return true;
}

void api_account_begin(struct wf_kernel *k, struct chip_account *account)
{
    struct wf_context *c = k->module->context;
    if (!k->slots) {
        k->slots = heap_alloc((k->launched->inst_count + 1) * SLOT_COUNT * sizeof *k->slots);
        k->saved = heap_alloc(k->launched->inst_count * SAVINGS * sizeof *k->saved);
    }
    free(c->sm_counts);
    c->sm_counts = heap_alloc(c->chip.gpu.sm_count * sizeof *c->sm_counts);
    *account = (struct chip_account){.inst_slots = k->slots, .inst_saved = k->saved, .sms = c->sm_counts};
    api_observe(c, account);
}

void api_account_end(struct wf_kernel *k)
{
    free(k->slots);
    free(k->saved);
    k->slots = k->saved = NULL;
}

const struct wf_sm_account *api_account_sms(struct wf_context *c)
{
    uint32_t count = c->chip.gpu.sm_count;
    free(c->sms);
    c->sms = heap_alloc(count * sizeof *c->sms);
    for (uint32_t k = 0; k < count; k++)
        c->sms[k] = (struct wf_sm_account){.active_cycles = c->sm_counts[k].sm_active_cycles,
                                           .warp_instructions = c->sm_counts[k].issue_issued,
                                           .slots = c->sm_counts[k].slots};
    struct wf_class class;
    for (size_t n = 0; wf_class_at(c, n, &class); n++)
        for (uint32_t k = 0; k < class.count; k++) c->sms[class.first + k].sm_class = class.name;
    return c->sms;
}

const struct wf_class_account *api_account_classes(struct wf_context *c)
{
    struct wf_class class;
    for (size_t n = 0; wf_class_at(c, n, &class); n++) {
        struct gpu_counts sum = {0};
        for (uint32_t k = 0; k < class.count; k++) gpu_counts_add(&sum, &c->sm_counts[class.first + k]);
        api_counter_values(NULL, &sum, NULL, c->class_counters[n]);
        c->classes_counted[n] = (struct wf_class_account){class, c->class_counters[n]};
    }
    return c->classes_counted;
}

const struct wf_account *wf_kernel_account(struct wf_kernel *k, size_t *count)
{
    *count = 0;
    if (!k->slots) return NULL;
    arena_fini(&k->account);
    arena_init(&k->account);
    uint32_t n = k->launched->inst_count;
    struct wf_account *out = ARENA_ARRAY(&k->account, struct wf_account, n + 1);
    struct strbuf text = {0};
    for (uint32_t i = 0; i <= n; i++) {
        out[i] = (struct wf_account){.pc = i * PC_STEP, .slots = k->slots + (size_t)i * SLOT_COUNT};
        if (i == n) break;
        out[i].skipped = k->saved[i * SAVINGS + SAVED_FETCH];
        out[i].reused = k->saved[i * SAVINGS + SAVED_EXECUTION];
        program_print_inst(k->launched, i, &text);
        out[i].instruction = arena_strndup(&k->account, strbuf_text(&text), text.length);
        strbuf_clear(&text);
        program_print_lines(k->launched, i, &text);
        out[i].lines = arena_strndup(&k->account, strbuf_text(&text), text.length);
        strbuf_clear(&text);
    }
    strbuf_fini(&text);
    *count = n + 1;
    return out;
}
