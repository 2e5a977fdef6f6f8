#include "watch/steps.h"
#include "report/steps.h"

#include <stdlib.h>
#include <string.h>

const struct json_value *steps_data(struct test *t, const char *page, struct arena *a)
{
    static const char begin[] = "<script id=\"data\" type=\"application/json\">";
    const char *from = strstr(page, begin), *to = from ? strstr(from, "</script>") : NULL, *why = "no data";
    size_t offset = 0;
    const struct json_value *data = NULL;
    if (to) {
        from += strlen(begin);
        data = json_parse(from, (size_t)(to - from), a, &why, &offset);
    }
    CHECK_MSG(t, data != NULL, "byte %zu: %s", offset, why);
    return data;
}

const struct json_value *steps_run(const struct json_value *data, const char *name)
{
    const struct json_value *runs = json_member(data, "runs");
    for (const struct json_value *r = runs ? runs->first : NULL; r; r = r->next)
        if (strcmp(json_text(json_member(r, "name")), name) == 0) return r;
    return NULL;
}

size_t steps_length(const struct json_value *list)
{
    size_t n = 0;
    for (const struct json_value *v = list ? list->first : NULL; v; v = v->next) n++;
    return n;
}

const struct json_value *steps_element(const struct json_value *list, size_t index)
{
    const struct json_value *v = list ? list->first : NULL;
    while (v && index--) v = v->next;
    return v;
}

static uint64_t take(const struct json_value **at)
{
    const struct json_value *v = *at;
    if (!v) return UINT64_MAX;
    *at = v->next;
    return (uint64_t)(int64_t)json_number(v);
}

static void read_inst(const struct json_value **at, const struct json_value *run, uint64_t *cycle,
                      struct steps_inst *i)
{
    *cycle += take(at);
    i->fetched = *cycle;
    i->flags = (uint32_t)take(at);
    i->slot = (uint32_t)take(at);
    i->launch = (uint32_t)take(at);
    uint64_t number = take(at), kernel;
    i->buffered = i->fetched + take(at);
    i->issued = i->buffered + take(at);
    kernel = json_unsigned(json_member(steps_element(json_member(run, "launches"), i->launch), "kernel"));
    const struct json_value *inst =
        steps_element(json_member(steps_element(json_member(run, "kernels"), kernel), "insts"), number);
    i->pc = json_text(steps_element(inst, 0));
    i->text = json_text(steps_element(inst, 1));
    if (i->flags & STEPS_FLUSHED) return;
    i->collected = i->issued + take(at);
    uint64_t done = take(at);
    i->done = done ? i->issued + done : 0;
    i->mask = json_text(steps_element(json_member(run, "masks"), take(at)));
    if (!(i->flags & STEPS_QUEUED)) return;
    i->lines = (uint32_t)take(at);
    i->passes = (uint32_t)take(at);
    uint64_t sent = take(at);
    i->sent = sent ? i->issued + sent : 0;
}

struct place {
    struct steps_inst inst;
    size_t order;
};

static int by_fetch(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->inst.fetched != y->inst.fetched) return x->inst.fetched < y->inst.fetched ? -1 : 1;
    if (x->inst.sm != y->inst.sm) return x->inst.sm < y->inst.sm ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

struct steps_inst *steps_insts(struct test *t, const struct json_value *run, size_t *count)
{
    VEC(struct place) all = {0};
    const struct json_value *sms = json_member(run, "sms");
    for (const struct json_value *sm = sms ? sms->first : NULL; sm; sm = sm->next) {
        const struct json_value *at = json_member(sm, "insts")->first;
        uint64_t cycle = 0;
        while (at) {
            struct place p = {.order = all.count};
            p.inst.sm = (uint32_t)json_unsigned(json_member(sm, "sm"));
            read_inst(&at, run, &cycle, &p.inst);
            CHECK(t, p.inst.text != NULL);
            vec_push(&all, p);
        }
    }
    if (all.count) qsort(all.data, all.count, sizeof *all.data, by_fetch);
    struct steps_inst *list = heap_alloc((all.count + 1) * sizeof *list);
    for (size_t k = 0; k < all.count; k++) list[k] = all.data[k].inst;
    *count = all.count;
    vec_fini(&all);
    return list;
}
