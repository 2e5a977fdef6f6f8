#include "exec/spare.h"

enum { SPARE_MOST = 32 }; // as many as blocks of an SM

void spare_fini(struct exec_spare *s)
{
    for (size_t k = 0; k < s->list.count; k++) free(s->list.data[k].memory);
    vec_fini(&s->list);
}

struct spare_memory spare_take(struct exec_spare *s, size_t size_bytes)
{
    for (size_t k = s ? s->list.count : 0; k-- > 0;) {
        struct spare_memory *at = &s->list.data[k], m = *at;
        if (m.size_bytes < size_bytes || m.size_bytes > 2 * size_bytes) continue;
        *at = vec_pop(&s->list);
        return m;
    }
    return (struct spare_memory){heap_resize(NULL, size_bytes), size_bytes};
}

// The oldest makes room.
void spare_give(struct exec_spare *s, struct spare_memory m)
{
    if (s && s->list.count < SPARE_MOST) {
        vec_push(&s->list, m);
        return;
    }
    if (s) {
        free(s->list.data[0].memory);
        s->list.data[0] = m;
    } else {
        free(m.memory);
    }
}
