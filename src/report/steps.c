#include "report/steps.h"
#include "base/json.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "report/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char steps_template[];
__asm__(".pushsection .rodata\n.global steps_template\nsteps_template:\n.incbin \"web/steps.html\"\n.byte "
        "0\n.popsection\n");

struct kernel {
    const struct program *program;
    uint32_t *numbers; // heap; by instruction: 1 + its number in `used`; 0: not in a record
    VEC(uint32_t) used;
};

struct writer {
    struct json *json;
    const struct watcher *watcher;
    VEC(struct kernel) kernels;
    VEC(uint32_t) kernel_of; // by launch
    struct strmap masks;
    VEC(char *) mask_texts; // heap
    struct timeline_texts texts;
    uint64_t at; // cycle of the last record
};

// -- numbers ------------------------------------------------------------------------------------------------

static void find_kernels(struct writer *w)
{
    for (size_t l = 0; l < w->watcher->launches.count; l++) {
        const struct program *p = w->watcher->launches.data[l].program;
        uint32_t k = 0;
        while (k < w->kernels.count && w->kernels.data[k].program != p) k++;
        if (k == w->kernels.count) {
            struct kernel one = {.program = p, .numbers = heap_alloc(p->inst_count * sizeof *one.numbers)};
            vec_push(&w->kernels, one);
        }
        vec_push(&w->kernel_of, k);
    }
}

// Number of the instruction in its kernel's list.
static uint32_t number_of(struct writer *w, uint32_t launch, uint32_t inst)
{
    struct kernel *k = &w->kernels.data[w->kernel_of.data[launch]];
    if (!k->numbers[inst]) {
        vec_push(&k->used, inst);
        k->numbers[inst] = (uint32_t)k->used.count;
    }
    return k->numbers[inst] - 1;
}

static uint32_t mask_number(struct writer *w, uint64_t mask)
{
    char text[24];
    uint32_t number = (uint32_t)w->mask_texts.count;
    int length = snprintf(text, sizeof text, "%08" PRIx64, mask);
    if (strmap_get(&w->masks, text, (size_t)length, &number)) return number;
    vec_push(&w->mask_texts, heap_strdup(text));
    strmap_set(&w->masks, vec_last(&w->mask_texts), (size_t)length, number);
    return number;
}

static void write_cycle(struct writer *w, uint64_t cycle)
{
    json_u64(w->json, cycle - w->at);
    w->at = cycle;
}

// The end may lie before the beginning: an instruction dropped on its way to the I-buffer.
static void write_apart(struct writer *w, uint64_t from, uint64_t to)
{
    json_i64(w->json, (int64_t)(to - from));
}

static void begin_list(struct writer *w, const char *name)
{
    json_key(w->json, name);
    json_open_array(w->json);
    w->at = 0;
}

// -- records of an SM ---------------------------------------------------------------------------------------

static int by_fetch(const void *a, const void *b)
{
    const struct watch_inst *x = *(const struct watch_inst *const *)a,
                            *y = *(const struct watch_inst *const *)b;
    if (x->fetched != y->fetched) return x->fetched < y->fetched ? -1 : 1;
    return (x > y) - (x < y);
}

static int by_begin(const void *a, const void *b)
{
    const struct watch_span *x = *(const struct watch_span *const *)a,
                            *y = *(const struct watch_span *const *)b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x > y) - (x < y);
}

static void write_inst(struct writer *w, const struct watch_inst *i)
{
    bool is_queued = i->lines || i->passes;
    json_u64(w->json, (i->flushed ? STEPS_FLUSHED : 0u) | (i->memory ? STEPS_MEMORY : 0u) |
                          (i->second ? STEPS_SECOND : 0u) | (i->reused ? STEPS_REUSED : 0u) |
                          (is_queued ? STEPS_QUEUED : 0u));
    json_u64(w->json, i->slot);
    json_u64(w->json, i->launch);
    json_u64(w->json, number_of(w, i->launch, i->inst));
    write_apart(w, i->fetched, i->buffered);
    write_apart(w, i->buffered, i->issued);
    if (i->flushed) return;
    write_apart(w, i->issued, i->collected);
    write_apart(w, i->issued, i->done ? i->done : i->issued);
    json_u64(w->json, mask_number(w, i->mask));
    if (!is_queued) return;
    json_u64(w->json, i->lines);
    json_u64(w->json, i->passes);
    write_apart(w, i->issued, i->sent ? i->sent : i->issued);
}

static void write_insts(struct writer *w, const struct watch_sm *sm)
{
    const struct watch_inst **order = heap_alloc((sm->insts.count + 1) * sizeof *order);
    for (size_t k = 0; k < sm->insts.count; k++) order[k] = &sm->insts.data[k];
    qsort(order, sm->insts.count, sizeof *order, by_fetch);
    begin_list(w, "insts");
    for (size_t k = 0; k < sm->insts.count; k++) {
        write_cycle(w, order[k]->fetched);
        write_inst(w, order[k]);
    }
    json_close_array(w->json);
    free(order);
}

static void write_span(struct writer *w, const struct watch_span *s)
{
    json_u64(w->json, s->to - s->from);
    json_u64(w->json, s->kind);
    json_u64(w->json, s->slot);
    json_u64(w->json, s->launch);
    if (s->kind == WATCH_WAIT) {
        bool is_known = s->inst < w->watcher->launches.data[s->launch].program->inst_count;
        json_u64(w->json, s->state);
        json_u64(w->json, is_known ? 1 + number_of(w, s->launch, s->inst) : 0);
        return;
    }
    if (s->kind != WATCH_BLOCK) json_u64(w->json, s->index);
    for (unsigned k = 0; k < 3; k++) json_u64(w->json, s->block[k]);
}

static void write_spans(struct writer *w, const struct watch_sm *sm)
{
    const struct watch_span **order = heap_alloc((sm->spans.count + 1) * sizeof *order);
    for (size_t k = 0; k < sm->spans.count; k++) order[k] = &sm->spans.data[k];
    qsort(order, sm->spans.count, sizeof *order, by_begin);
    begin_list(w, "spans");
    for (size_t k = 0; k < sm->spans.count; k++) {
        write_cycle(w, order[k]->from);
        write_span(w, order[k]);
    }
    json_close_array(w->json);
    free(order);
}

static void write_skips(struct writer *w, const struct watch_sm *sm)
{
    begin_list(w, "skips");
    for (size_t k = 0; k < sm->skips.count; k++) {
        const struct watch_skip *s = &sm->skips.data[k];
        write_cycle(w, s->time);
        json_u64(w->json, s->slot);
        json_u64(w->json, s->launch);
        json_u64(w->json, number_of(w, s->launch, s->inst));
    }
    json_close_array(w->json);
}

static void write_rows(struct writer *w, const struct watch_rows *r)
{
    begin_list(w, "tables");
    for (size_t k = 0; k < r->tables.count; k++) {
        json_open_array(w->json);
        json_string(w->json, r->tables.data[k].tech);
        json_string(w->json, r->tables.data[k].name);
        json_close_array(w->json);
    }
    json_close_array(w->json);
    begin_list(w, "rows");
    for (size_t k = 0; k < r->rows.count; k++) {
        const struct watch_row *x = &r->rows.data[k];
        json_u64(w->json, x->table);
        json_u64(w->json, x->owner);
        json_u64(w->json, x->index);
        json_u64(w->json, x->number);
        json_u64(w->json, x->launch);
    }
    json_close_array(w->json);
    begin_list(w, "texts");
    for (size_t k = 0; k < r->texts.count; k++) json_string(w->json, r->texts.data[k]);
    json_close_array(w->json);
    begin_list(w, "changes");
    for (size_t k = 0; k < r->changes.count; k++) {
        write_cycle(w, r->changes.data[k].time);
        json_u64(w->json, r->changes.data[k].row);
        json_u64(w->json, r->changes.data[k].text);
    }
    json_close_array(w->json);
}

static void write_sm(struct writer *w, unsigned index)
{
    const struct watch_sm *sm = w->watcher->sms[index];
    json_open_object(w->json);
    json_key(w->json, "sm");
    json_u64(w->json, index);
    json_key(w->json, "class");
    json_string(w->json, sm->class);
    json_key(w->json, "schedulers");
    json_u64(w->json, sm->schedulers);
    write_insts(w, sm);
    write_spans(w, sm);
    write_skips(w, sm);
    write_rows(w, &sm->rows);
    json_close_object(w->json);
}

// -- launches and kernels -----------------------------------------------------------------------------------

static void write_shape(struct writer *w, const char *name, const uint32_t shape[3])
{
    json_key(w->json, name);
    json_open_array(w->json);
    for (unsigned k = 0; k < 3; k++) json_u64(w->json, shape[k]);
    json_close_array(w->json);
}

static void write_launches(struct writer *w)
{
    json_key(w->json, "launches");
    json_open_array(w->json);
    for (size_t k = 0; k < w->watcher->launches.count; k++) {
        const struct watch_launch *l = &w->watcher->launches.data[k];
        json_open_object(w->json);
        json_key(w->json, "kernel");
        json_u64(w->json, w->kernel_of.data[k]);
        json_key(w->json, "stream");
        json_string(w->json, l->stream.number ? l->stream.name : "");
        json_key(w->json, "from");
        json_u64(w->json, l->from);
        json_key(w->json, "to");
        json_u64(w->json, l->to);
        write_shape(w, "grid", l->grid);
        write_shape(w, "block", l->block);
        json_close_object(w->json);
    }
    json_close_array(w->json);
}

// Appends " R2 R3", " P0".
static void print_registers(const struct operand *o, struct strbuf *out)
{
    bool is_vector = o->kind == OPERAND_REG || o->kind == OPERAND_MEM || o->kind == OPERAND_SHARED;
    if (o->kind == OPERAND_PRED && o->reg != PRED_TRUE) strbuf_printf(out, " P%u", o->reg);
    for (unsigned n = 0; is_vector && o->reg != REG_ZERO && n < operand_words(o); n++)
        strbuf_printf(out, " R%u", o->reg + n);
}

static void write_names(struct writer *w, struct strbuf *names)
{
    json_string(w->json, names->length ? strbuf_text(names) + 1 : "");
    strbuf_clear(names);
}

static void write_program_inst(struct writer *w, const struct program *p, uint32_t index)
{
    const struct inst *i = &p->insts[index];
    struct strbuf names = {0};
    char pc[24];
    snprintf(pc, sizeof pc, "0x%04x", program_pc(p, index));
    json_open_array(w->json);
    json_string(w->json, pc);
    json_string(w->json, timeline_inst(&w->texts, p, index));
    json_string(w->json, timeline_lines(&w->texts, p, index));
    for (unsigned k = 0; k < 2; k++) print_registers(&i->dst[k], &names);
    write_names(w, &names);
    for (unsigned k = 0; k < 4; k++) print_registers(&i->src[k], &names);
    if (i->guard != PRED_TRUE) strbuf_printf(&names, " P%u", i->guard);
    write_names(w, &names);
    strbuf_fini(&names);
    json_close_array(w->json);
}

// After the records: the instructions in use are known.
static void write_kernels(struct writer *w)
{
    json_key(w->json, "kernels");
    json_open_array(w->json);
    for (size_t k = 0; k < w->kernels.count; k++) {
        const struct kernel *one = &w->kernels.data[k];
        json_open_object(w->json);
        json_key(w->json, "name");
        json_string(w->json, one->program->name);
        json_key(w->json, "insts");
        json_open_array(w->json);
        for (size_t n = 0; n < one->used.count; n++) write_program_inst(w, one->program, one->used.data[n]);
        json_close_array(w->json);
        json_close_object(w->json);
    }
    json_close_array(w->json);
    begin_list(w, "masks");
    for (size_t k = 0; k < w->mask_texts.count; k++) json_string(w->json, w->mask_texts.data[k]);
    json_close_array(w->json);
}

// -- runs ---------------------------------------------------------------------------------------------------

static void writer_fini(struct writer *w)
{
    for (size_t k = 0; k < w->kernels.count; k++) {
        free(w->kernels.data[k].numbers);
        vec_fini(&w->kernels.data[k].used);
    }
    for (size_t k = 0; k < w->mask_texts.count; k++) free(w->mask_texts.data[k]);
    vec_fini(&w->kernels);
    vec_fini(&w->kernel_of);
    vec_fini(&w->mask_texts);
    strmap_fini(&w->masks);
    timeline_texts_fini(&w->texts);
}

static void write_run(const struct report_steps_run *run, struct json *j)
{
    struct writer w = {.json = j, .watcher = run->watcher};
    uint64_t from = run->watcher->config.from, to = run->watcher->now;
    find_kernels(&w);
    json_open_object(j);
    json_key(j, "name");
    json_string(j, run->name);
    json_key(j, "from");
    json_u64(j, from ? from : 1);
    json_key(j, "to");
    json_u64(j, to < run->watcher->config.to ? to : run->watcher->config.to);
    json_key(j, "truncated");
    json_bool(j, run->watcher->truncated);
    write_launches(&w);
    json_key(j, "sms");
    json_open_array(j);
    for (unsigned k = 0; k < WATCH_SMS; k++)
        if (run->watcher->sms[k]) write_sm(&w, k);
    json_close_array(j);
    write_kernels(&w);
    json_close_object(j);
    writer_fini(&w);
}

void report_steps(const struct report_steps_run *runs, size_t count, struct strbuf *out)
{
    static const char mark[] = "@DATA@";
    const char *place = strstr(steps_template, mark);
    struct strbuf text = {0};
    struct json j;
    json_init(&j, &text);
    json_open_object(&j);
    json_key(&j, "states");
    json_open_array(&j);
    for (unsigned k = 0; k < WATCH_STATES; k++) json_string(&j, timeline_state((enum watch_state)k));
    json_close_array(&j);
    json_key(&j, "runs");
    json_open_array(&j);
    for (size_t k = 0; k < count; k++) write_run(&runs[k], &j);
    json_close_array(&j);
    json_close_object(&j);
    strbuf_write(out, steps_template, (size_t)(place - steps_template));
    json_embed(out, strbuf_text(&text));
    strbuf_puts(out, place + strlen(mark));
    strbuf_fini(&text);
}
