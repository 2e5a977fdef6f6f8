// Issue slots by reason: summed per instruction over a kernel's timed launches, and per SM of each timed
// launch.
#include "api/impl.h"
#include "isa/program.h"

#include <string.h>

static const struct wf_slot names[SLOT_COLUMNS] = {
// of slots, then of levels
#define GPU_COUNTER(group, name, unit, meaning)
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name_, meaning_) [SLOT_##which] = {.name = #name_, .meaning = meaning_},
#define GPU_LEVEL(which, name_, meaning_)                                                                    \
    [SLOT_COUNT + LEVEL_##which] = {.name = #name_, .meaning = meaning_},
#include "sm/counters.def"
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

bool wf_level_at(size_t index, struct wf_slot *level)
{
    if (index >= LEVEL_COUNT) return false;
    *level = names[SLOT_COUNT + index];
    return true;
}

// A kernel of an image (RISC-V code) has one list of counts for all of its forms. The forms have equal
// instruction numbers, and differ in loads of arguments (closure.c).
static struct api_form *counting_form(const struct wf_pending *l)
{
    return l->kernel->module->image ? l->kernel->form : l->form;
}

// The program whose instructions are printed: with arguments as constants, the program of the form made last.
static const struct program *printed_program(const struct wf_kernel *k)
{
    return k->constants.count ? vec_last(&k->constants).form->program : k->form->program;
}

void api_account_begin(struct wf_pending *l, struct chip_account *account)
{
    struct api_form *f = counting_form(l);
    if (!f->slots) {
        f->slots = heap_alloc((f->program->inst_count + 1) * SLOT_COLUMNS * sizeof *f->slots);
        f->saved = heap_alloc(f->program->inst_count * SAVINGS * sizeof *f->saved);
    }
    l->sms = API_ARRAY(l, struct gpu_counts, l->context->chip.sm_count);
    *account = (struct chip_account){.inst_slots = f->slots, .inst_saved = f->saved, .sms = l->sms};
    api_observe(l, account);
}

const struct wf_sm_account *api_account_sms(struct wf_pending *l)
{
    uint32_t count = l->context->chip.sm_count;
    struct wf_sm_account *sms = API_ARRAY(l, struct wf_sm_account, count);
    for (uint32_t k = 0; k < count; k++)
        sms[k] = (struct wf_sm_account){.active_cycles = l->sms[k].sm_active_cycles,
                                        .warp_instructions = l->sms[k].issue_issued,
                                        .slots = l->sms[k].slots,
                                        .levels = l->sms[k].levels};
    struct wf_class class;
    for (size_t n = 0; wf_class_at(l->context, n, &class); n++) {
        const char *name = api_keep(l, class.name);
        for (uint32_t k = 0; k < class.count; k++) sms[class.first + k].sm_class = name;
    }
    return sms;
}

const struct wf_class_account *api_account_classes(struct wf_pending *l)
{
    struct wf_class class;
    struct wf_class_account *classes = API_ARRAY(l, struct wf_class_account, l->context->chip.class_count);
    for (size_t n = 0; wf_class_at(l->context, n, &class); n++) {
        struct gpu_counts sum = {0};
        for (uint32_t k = 0; k < class.count; k++) gpu_counts_add(&sum, &l->sms[class.first + k]);
        uint64_t *values = API_ARRAY(l, uint64_t, API_COUNTERS);
        api_counter_values(NULL, &sum, NULL, values);
        class.name = api_keep(l, class.name);
        classes[n] = (struct wf_class_account){class, values};
    }
    return classes;
}

const struct wf_account *wf_kernel_account(struct wf_kernel *k, size_t *count)
{
    const struct api_form *f = k->form;
    *count = 0;
    api_wait(k->module->context);
    if (!f->slots) return NULL;
    arena_fini(&k->account);
    arena_init(&k->account);
    const struct program *p = printed_program(k);
    uint32_t n = p->inst_count;
    struct wf_account *out = ARENA_ARRAY(&k->account, struct wf_account, n + 1);
    struct strbuf text = {0};
    for (uint32_t i = 0; i <= n; i++) {
        const uint64_t *row = f->slots + (size_t)i * SLOT_COLUMNS;
        out[i] = (struct wf_account){.pc = program_pc(p, i), .slots = row, .levels = row + SLOT_COUNT};
        if (i == n) break;
        out[i].skipped = f->saved[i * SAVINGS + SAVED_FETCH];
        out[i].reused = f->saved[i * SAVINGS + SAVED_EXECUTION];
        out[i].beside = f->saved[i * SAVINGS + SAVED_SLOT];
        program_print_inst(p, i, &text);
        out[i].instruction = arena_strndup(&k->account, strbuf_text(&text), text.length);
        strbuf_clear(&text);
        program_print_lines(p, i, &text);
        out[i].lines = arena_strndup(&k->account, strbuf_text(&text), text.length);
        strbuf_clear(&text);
    }
    strbuf_fini(&text);
    *count = n + 1;
    return out;
}
