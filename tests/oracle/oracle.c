// Launches: variables get addresses, blocks run one after another, threads of a block take turns.
#include "oracle/oracle_impl.h"

#include "base/rng.h"

#include <string.h>

struct oracle *oracle_create(const struct ptx_module *m)
{
    struct oracle *o = heap_alloc(sizeof *o);
    o->m = m;
    o->next_global = ADDRESS_GLOBAL;
    o->next_const = ADDRESS_CONST;
    arena_init(&o->arena);
    return o;
}

void oracle_destroy(struct oracle *o)
{
    if (!o) return;
    for (size_t k = 0; k < o->regions.count; k++) free(o->regions.data[k].cells);
    vec_fini(&o->regions);
    vec_fini(&o->textures);
    u64map_fini(&o->offsets);
    u64map_fini(&o->frame_bytes);
    strbuf_fini(&o->error);
    arena_fini(&o->arena);
    free(o);
}

const char *oracle_error(const struct oracle *o) { return strbuf_text(&o->error); }
uint64_t oracle_steps(const struct oracle *o) { return o->steps; }

void oracle_map(struct oracle *o, uint64_t address, void *bytes, uint64_t size)
{
    vec_push(&o->regions, (struct oracle_region){.address = address, .size = size, .bytes = bytes});
}

void oracle_texture(struct oracle *o, uint64_t handle, const struct oracle_texture *t)
{
    while (o->textures.count < handle) vec_push(&o->textures, (struct oracle_texture){0});
    o->textures.data[handle - 1] = *t;
}

static struct oracle_region *region_of(struct oracle *o, const struct ptx_variable *v)
{
    for (size_t k = 0; k < o->regions.count; k++)
        if (o->regions.data[k].variable == v) return &o->regions.data[k];
    return NULL;
}

static void give_place(struct oracle *o, const struct ptx_variable *v, uint64_t address)
{
    uint64_t size = v->size_bytes ? v->size_bytes : 8;
    uint8_t *bytes = arena_alloc(&o->arena, size);
    if (v->init) memcpy(bytes, v->init, v->size_bytes);
    vec_push(&o->regions, (struct oracle_region){.address = address,
                                                 .size = size,
                                                 .bytes = bytes,
                                                 .variable = v,
                                                 .read_only = v->space == PTX_SPACE_CONST});
}

void oracle_place(struct oracle *o, const struct ptx_variable *v, uint64_t address)
{
    give_place(o, v, address);
}

static void place_default(struct oracle *o, const struct ptx_variable *v)
{
    uint64_t *next = v->space == PTX_SPACE_CONST ? &o->next_const : &o->next_global;
    if ((v->space != PTX_SPACE_CONST && v->space != PTX_SPACE_GLOBAL) || region_of(o, v)) return;
    *next = align_up(*next, v->align_bytes > 256 ? v->align_bytes : 256);
    give_place(o, v, *next);
    *next += v->size_bytes + 256;
}

static uint64_t function_address(const struct oracle *o, const struct ptx_function *f)
{
    for (uint32_t k = 0; k < o->m->function_count; k++)
        if (o->m->functions[k] == f) return ADDRESS_CODE + 16ull * k;
    return 0;
}

// Resolves addresses in initialisers, once every variable has an address.
static void relocate(struct oracle *o, const struct ptx_variable *v)
{
    struct oracle_region *own = region_of(o, v);
    for (uint32_t k = 0; own && k < v->relocation_count; k++) {
        const struct ptx_relocation *r = &v->relocations[k];
        uint64_t a = 0;
        if (r->function)
            a = function_address(o, r->function);
        else if (region_of(o, r->variable))
            a = region_of(o, r->variable)->address;
        else
            a = oracle_offset_of(o, r->variable);
        a = (a + (uint64_t)r->addend) >> r->shift;
        memcpy(own->bytes + r->offset, &a, r->size);
    }
}

static void place_shared(struct oracle *o, const struct ptx_variable *v)
{
    if (v->space != PTX_SPACE_SHARED || v->is_extern) return;
    o->shared_static = (uint32_t)align_up(o->shared_static, v->align_bytes);
    u64map_set(&o->offsets, (uintptr_t)v, o->shared_static);
    o->shared_static += (uint32_t)v->size_bytes;
}

static void place_frame(struct oracle *o, const struct ptx_function *f)
{
    uint64_t bytes = 0;
    for (int list = 0; list < 3; list++) {
        struct ptx_variable **vs = list == 0   ? f->variables
                                   : list == 1 ? f->prototype.params
                                               : f->prototype.returns;
        uint32_t count = list == 0   ? f->variable_count
                         : list == 1 ? f->prototype.param_count
                                     : f->prototype.return_count;
        if (list == 1 && f->is_entry) continue;
        for (uint32_t k = 0; k < count; k++) {
            if (vs[k]->space != PTX_SPACE_LOCAL && vs[k]->space != PTX_SPACE_PARAM) continue;
            bytes = align_up(bytes, vs[k]->align_bytes);
            u64map_set(&o->offsets, (uintptr_t)vs[k], (uint32_t)bytes);
            bytes += vs[k]->size_bytes;
        }
    }
    u64map_set(&o->frame_bytes, (uintptr_t)f, (uint32_t)align_up(bytes, 16));
}

static void each_variable(struct oracle *o, void (*act)(struct oracle *, const struct ptx_variable *))
{
    for (uint32_t k = 0; k < o->m->variable_count; k++) act(o, o->m->variables[k]);
    for (uint32_t f = 0; f < o->m->function_count; f++)
        for (uint32_t k = 0; k < o->m->functions[f]->variable_count; k++)
            act(o, o->m->functions[f]->variables[k]);
}

static void ready_variables(struct oracle *o)
{
    if (o->variables_ready) return;
    o->variables_ready = true;
    each_variable(o, place_default);
    each_variable(o, place_shared);
    o->shared_static = (uint32_t)align_up(o->shared_static, 16); // offset of dynamic shared memory
    for (uint32_t f = 0; f < o->m->function_count; f++) place_frame(o, o->m->functions[f]);
    each_variable(o, relocate);
}

uint8_t *oracle_variable(struct oracle *o, const struct ptx_variable *v)
{
    ready_variables(o);
    struct oracle_region *r = region_of(o, v);
    return r ? r->bytes : NULL;
}

uint32_t oracle_offset_of(struct oracle *o, const struct ptx_variable *v)
{
    uint32_t offset;
    if (u64map_get(&o->offsets, (uintptr_t)v, &offset)) return offset;
    return v->space == PTX_SPACE_SHARED ? o->shared_static : 0; // extern shared
}

void oracle_push_frame(struct oracle_thread *t, const struct ptx_function *f)
{
    uint32_t bytes = 0;
    u64map_get(&t->block->o->frame_bytes, (uintptr_t)f, &bytes);
    struct oracle_frame frame = {.f = f, .base = (uint32_t)t->local.count};
    frame.regs = heap_alloc((f->reg_count + 1) * sizeof *frame.regs);
    frame.high = heap_alloc((f->reg_count + 1) * sizeof *frame.high);
    frame.defined = heap_alloc(f->reg_count + 1);
    vec_reserve(&t->local, t->local.count + bytes + 1);
    memset(t->local.data + t->local.count, 0, bytes);
    t->local.count += bytes;
    if (t->block->l->strict) {
        vec_reserve(&t->local_defined, t->local.count + 1);
        memset(t->local_defined.data + frame.base, 0, bytes);
    }
    vec_push(&t->frames, frame);
    if (t->local.count > LOCAL_BYTES_MAX) oracle_fault(t, "local memory is full");
}

static void drop_thread(struct oracle_thread *t)
{
    for (size_t k = 0; k < t->frames.count; k++) {
        free(t->frames.data[k].regs);
        free(t->frames.data[k].high);
        free(t->frames.data[k].defined);
    }
    vec_fini(&t->local_defined);
    vec_fini(&t->frames);
    vec_fini(&t->local);
}

// Runs one thread until it stops or its turn ends, so threads waiting for each other through memory make
// progress.
static void take_turn(struct oracle_thread *t, unsigned turn, uint64_t limit)
{
    struct oracle *o = t->block->o;
    for (unsigned left = turn; left && t->state == THREAD_READY && !t->block->failed; left--) {
        if (++o->steps > limit) {
            oracle_fault(t, "more than %llu instructions", (unsigned long long)limit);
            return;
        }
        switch (oracle_step(t)) {
        case STEP_NEXT: top(t)->pc++; break;
        case STEP_YIELD: top(t)->pc++; return;
        case STEP_JUMPED: break;
        case STEP_GROUP: t->state = THREAD_GROUP; break;
        case STEP_BARRIER: t->state = THREAD_BARRIER; break;
        case STEP_EXIT: t->state = THREAD_EXITED; break;
        case STEP_FAULT: return;
        }
    }
}

static void run_block(struct oracle_block *b, uint64_t limit)
{
    struct rng r;
    rng_init(&r, b->l->schedule);
    for (;;) {
        bool ready = false, living = false;
        uint32_t first = b->l->schedule ? rng_below(&r, b->thread_count) : 0;
        for (uint32_t k = 0; k < b->thread_count && !b->failed; k++) {
            struct oracle_thread *t = &b->threads[(first + k) % b->thread_count];
            take_turn(t, b->l->schedule ? 1 + rng_below(&r, 60) : 20000, limit);
            ready |= t->state == THREAD_READY;
            living |= t->state != THREAD_EXITED;
        }
        if (b->failed || !living) return;
        bool moved = ready;
        for (uint32_t w = 0; w < b->warp_count; w++) moved |= oracle_run_groups(b, w);
        if (!moved) moved = oracle_run_barriers(b);
        if (moved) continue;
        for (uint32_t k = 0; k < b->thread_count; k++)
            if (b->threads[k].state != THREAD_EXITED) oracle_fault(&b->threads[k], "waits for ever");
    }
}

static void init_threads(struct oracle_block *b)
{
    const uint32_t *n = b->l->block;
    for (uint32_t k = 0; k < b->thread_count; k++) {
        struct oracle_thread *t = &b->threads[k];
        *t = (struct oracle_thread){.block = b,
                                    .tid = {k % n[0], k / n[0] % n[1], k / n[0] / n[1]},
                                    .index = k,
                                    .lane = k % b->warp_size,
                                    .warp = k / b->warp_size};
        oracle_push_frame(t, b->l->kernel);
    }
}

static bool launch_block(struct oracle *o, const struct oracle_launch *l, uint32_t x, uint32_t y, uint32_t z)
{
    struct oracle_block b = {.o = o, .l = l, .ctaid = {x, y, z}};
    b.thread_count = l->block[0] * l->block[1] * l->block[2];
    b.warp_size = l->warp_size ? l->warp_size : 32;
    b.warp_count = (b.thread_count + b.warp_size - 1) / b.warp_size;
    b.shared_bytes = o->shared_static + l->dynamic_shared;
    b.threads = heap_alloc(b.thread_count * sizeof *b.threads);
    b.shared = heap_alloc(b.shared_bytes + 1);
    b.epoch = 1;
    if (l->strict) b.cells = heap_alloc((b.shared_bytes + 1) * sizeof *b.cells);
    init_threads(&b);
    run_block(&b, l->max_steps ? o->steps + l->max_steps : UINT64_MAX);
    for (uint32_t k = 0; k < b.thread_count; k++) drop_thread(&b.threads[k]);
    for (unsigned k = 0; k < 16; k++) {
        vec_fini(&b.barriers[k].waiting);
        vec_fini(&b.barriers[k].arrived);
    }
    free(b.threads);
    free(b.shared);
    free(b.cells);
    return !b.failed;
}

static void new_cells(struct oracle *o)
{
    for (size_t k = 0; k < o->regions.count; k++) {
        struct oracle_region *r = &o->regions.data[k];
        free(r->cells);
        r->cells = heap_alloc((r->size + 1) * sizeof *r->cells);
        for (uint64_t at = 0; at < r->size; at++) r->cells[at].defined = true;
    }
}

bool oracle_launch(struct oracle *o, const struct oracle_launch *l)
{
    ready_variables(o);
    strbuf_clear(&o->error);
    if (l->strict) new_cells(o);
    for (uint32_t z = 0; z < l->grid[2]; z++)
        for (uint32_t y = 0; y < l->grid[1]; y++)
            for (uint32_t x = 0; x < l->grid[0]; x++)
                if (!launch_block(o, l, x, y, z)) return false;
    return true;
}
