#include "workload/tape.h"

#include <string.h>

void tape_init(struct tape *t)
{
    *t = (struct tape){0};
    arena_init(&t->arena);
}

void tape_fini(struct tape *t)
{
    vec_fini(&t->steps);
    arena_fini(&t->arena);
}

static const void *keep(struct tape *t, const void *bytes, size_t size_bytes)
{
    void *kept = arena_alloc(&t->arena, size_bytes); // zeros
    if (bytes && size_bytes) memcpy(kept, bytes, size_bytes);
    return kept;
}

static void add_bytes(struct tape *t, enum tape_what what, uint64_t address, const void *bytes,
                      size_t size_bytes)
{
    vec_push(&t->steps, (struct tape_step){.what = what,
                                           .address = address,
                                           .size_bytes = size_bytes,
                                           .bytes = keep(t, bytes, size_bytes)});
}

void tape_write(struct tape *t, uint64_t address, const void *bytes, size_t size_bytes)
{
    add_bytes(t, TAPE_WRITE, address, bytes, size_bytes);
}

void tape_output(struct tape *t, uint64_t address, const void *bytes, size_t size_bytes)
{
    add_bytes(t, TAPE_OUTPUT, address, bytes, size_bytes);
}

void tape_launch(struct tape *t, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                 const void *const *args, size_t arg_count)
{
    void **kept = ARENA_ARRAY(&t->arena, void *, arg_count ? arg_count : 1);
    const struct wf_kernel_facts *info = wf_kernel_info(kernel);
    for (size_t k = 0; k < arg_count; k++) {
        size_t bytes = info->params[k].bytes;
        kept[k] = arena_alloc(&t->arena, bytes);
        memcpy(kept[k], args[k], bytes);
    }
    vec_push(
        &t->steps,
        (struct tape_step){
            .what = TAPE_LAUNCH, .kernel = kernel, .shape = *shape, .args = kept, .arg_count = arg_count});
}
