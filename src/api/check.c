// The checker of a context: written bytes of host calls, findings in the types of the public API, leaks.
#include "check/check.h"
#include "api/impl.h"
#include "exec/memory.h"

#include <string.h>

enum wf_status wf_check(struct wf_context *c)
{
    api_wait(c);
    if (c->study) {
        diag_error(&c->diag, loc_none(), "a study and the checker cannot watch the same launch");
        return WF_BAD_USAGE;
    }
    if (!c->check) c->check = check_create();
    c->settings.check_races = true;
    return WF_OK;
}

void api_check_written(struct wf_context *c, uint64_t address, uint64_t bytes)
{
    if (c->check) written_mark(&c->check->global, address, bytes);
}

void wf_check_written(struct wf_context *c, uint64_t address, uint64_t bytes)
{
    api_check_written(c, address, bytes);
}

void api_check_copied(struct wf_context *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (c->check) written_copy(&c->check->global, to, from, bytes);
}

void wf_check_at(struct wf_context *c, const char *file, uint32_t line)
{
    if (!c->check) return;
    c->check->host_file = arena_strndup(&c->check->arena, file, strlen(file));
    c->check->host_line = line;
}

bool api_check_free(struct wf_context *c, uint64_t address)
{
    if (!c->check) return false;
    const struct check_event host = {.ptx_file = c->check->host_file, .line = c->check->host_line};
    if (check_found(c->check, CHECK_FREE, &host, NULL, address)) {
        struct strbuf place = {0};
        memory_describe(api_memory(c), address, &place);
        check_say(c->check, "%s of 0x%llx: %s", memory_was_freed(c->memory, address) ? "second free" : "free",
                  (unsigned long long)address, strbuf_text(&place));
        strbuf_fini(&place);
    }
    return true;
}

// struct wf_finding_place and struct check_place have the same fields, in another order.
static struct wf_finding_place show(const struct check_place *p)
{
    struct wf_finding_place out = {.kernel = p->kernel,
                                   .instruction = p->instruction,
                                   .file = p->file,
                                   .line = p->line,
                                   .column = p->column,
                                   .lines = p->lines,
                                   .ptx_file = p->ptx_file,
                                   .ptx_line = p->ptx_line,
                                   .ptx_column = p->ptx_column,
                                   .act = p->act};
    memcpy(out.block, p->block, sizeof out.block);
    memcpy(out.thread, p->thread, sizeof out.thread);
    return out;
}

bool wf_finding_at(struct wf_context *c, size_t index, struct wf_finding *f)
{
    api_wait(c);
    size_t count = c->check ? c->check->findings.count : 0, at = 0;
    for (; at < count; at++)
        if (!check_is_effect(c->check, at) && !index--) break;
    if (at == count) return false;
    const struct check_finding *from = &c->check->findings.data[at];
    struct wf_finding_place *places = ARENA_ARRAY(&c->check->arena, struct wf_finding_place, 2);
    for (unsigned k = 0; k < from->place_count; k++) places[k] = show(&from->places[k]);
    *f = (struct wf_finding){.kind = check_kind_name(from->kind),
                             .what = from->what,
                             .right = check_kind_right(from->kind),
                             .count = from->count,
                             .places = places,
                             .place_count = from->place_count};
    return true;
}

void wf_check_leak(struct wf_context *c, uint64_t address, const char *file, uint32_t line)
{
    const struct check_event host = {.ptx_file = file, .line = line};
    const struct memory_allocation *a = memory_find(api_memory(c), address);
    if (!c->check || !a || !check_found(c->check, CHECK_LEAK, &host, NULL, address)) return;
    check_say(c->check, "%llu bytes of %s are never freed", (unsigned long long)a->size_bytes,
              a->label ? a->label : "an allocation");
}

// Whether an allocation belongs to a module, which frees it.
static bool is_of_module(const struct memory_allocation *a)
{
    return a->label && (str_starts_with(a->label, "variable ") || str_equal(a->label, "constant bank"));
}

void wf_check_leaks(struct wf_context *c)
{
    api_wait(c);
    const struct memory_allocation *a;
    for (size_t k = 0; (a = memory_allocation_at(api_memory(c), k)) != NULL; k++)
        if (!a->freed && !is_of_module(a)) wf_check_leak(c, a->address, NULL, 0);
}
