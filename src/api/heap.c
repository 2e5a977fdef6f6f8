// malloc and free of device code. A module that calls them is read together with kernels/libraries/heap.cu: the names
// become aliases of its functions, and the heap they share is one allocation of the context, made for the first such
// module.
#include "api/impl.h"
#include "base/str.h"
#include "exec/memory.h"

#include <string.h>

__asm__(
    ".pushsection .rodata\n.local heap_ptx\nheap_ptx:\n.incbin \"kernels/libraries/ptx/heap.ptx\"\n.byte 0\n"
    ".popsection\n");
extern const char heap_ptx[];

enum { HEAP_CLASSES = 144 };
struct heap { // as in kernels/libraries/heap.cu
    uint64_t heads[HEAP_CLASSES], next, end;
};

struct function_list {
    const struct ptx_function **data;
    size_t count, capacity;
};

static const struct {
    const char *name, *body;
} services[] = {{"malloc", "warpfold_malloc"}, {"free", "warpfold_free"}};

// Whether the module declares the function and has no body for it.
static bool lacks(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->function_count; i++)
        if (str_equal(m->functions[i]->name, name)) return !m->functions[i]->has_body;
    return false;
}

static void reach(const struct ptx_function *f, struct u64map *seen, struct function_list *list)
{
    uint32_t index;
    if (u64map_get(seen, (uintptr_t)f, &index)) return;
    u64map_set(seen, (uintptr_t)f, 0);
    vec_push(list, f);
}

// Whether a kernel, or a function that it calls or whose address is taken, calls malloc or free. A linked module may
// have many functions of NVIDIA's device runtime that nothing reaches.
bool api_heap_is_called(const struct ptx_module *m)
{
    struct u64map seen = {0};
    struct function_list list = {0};
    bool called = false;
    if (!lacks(m, "malloc") && !lacks(m, "free")) return false;
    for (uint32_t i = 0; i < m->function_count; i++)
        if (m->functions[i]->is_entry || m->functions[i]->address_taken) reach(m->functions[i], &seen, &list);
    for (size_t k = 0; k < list.count && !called; k++)
        for (uint32_t n = 0; n < list.data[k]->inst_count && !called; n++) {
            const struct ptx_inst *i = &list.data[k]->insts[n];
            if (i->op != PTX_OP_CALL || i->call_target.kind != PTX_OPERAND_FUNCTION) continue;
            const struct ptx_function *f = i->call_target.function;
            called = !f->has_body && (str_equal(f->name, "malloc") || str_equal(f->name, "free"));
            reach(f, &seen, &list);
        }
    u64map_fini(&seen);
    vec_fini(&list);
    return called;
}

void api_heap_join(const struct ptx_module *m, const char *ptx, size_t length, struct strbuf *joined)
{
    static const char header_end[] = ".address_size 64";
    strbuf_write(joined, ptx, length);
    strbuf_putc(joined, '\n');
    strbuf_puts(joined, strstr(heap_ptx, header_end) + strlen(header_end));
    for (size_t i = 0; i < sizeof services / sizeof *services; i++)
        if (lacks(m, services[i].name))
            strbuf_printf(joined, ".alias %s, %s;\n", services[i].name, services[i].body);
}

// The context's heap; 0 and an error: no room.
static uint64_t heap_of(struct wf_context *c)
{
    if (c->heap) return c->heap;
    uint64_t bytes = c->settings.heap_bytes;
    c->heap = memory_alloc(c->memory, bytes, 256, "the heap of malloc in device code");
    if (!c->heap) {
        diag_error(&c->diag, loc_none(),
                   "out of device memory: the heap of malloc in device code has %llu bytes (memory.heap), "
                   "%llu of %llu "
                   "are in use",
                   (unsigned long long)bytes, (unsigned long long)memory_in_use(c->memory),
                   (unsigned long long)c->settings.memory_bytes);
        return 0;
    }
    struct heap *h = (struct heap *)(void *)memory_host(c->memory, c->heap, sizeof *h);
    *h = (struct heap){.next = align_up(sizeof *h, 16), .end = bytes};
    api_check_written(c, c->heap, sizeof *h);
    return c->heap;
}

bool api_heap_attach(struct wf_module *m)
{
    const struct ptx_variable *v = ptx_find_variable(m->ptx, "warpfold_heap");
    uint64_t place, heap = v ? heap_of(m->context) : 0;
    if (!heap || !api_variable_address(m, v, &place)) return false;
    memcpy(memory_host(m->context->memory, place, sizeof heap), &heap, sizeof heap);
    return true;
}
