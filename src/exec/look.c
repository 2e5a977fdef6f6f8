#include "exec/look.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

struct look_warp {
    struct circle circle;
    uint64_t began; // value of the warp's `issued` at the start of the look
};

struct look_block {
    // Bit k: a warp of the block has executed BAR for barrier k since the look began. A barrier number in a
    // register sets every bit. A look is a check, while a launch runs, whether any warp can still make
    // progress (look.h).
    uint32_t met;
    struct look_warp *warps;
};

struct look {
    bool is_over;
    // A warp without signs of waiting counts as busy after so many of its instructions in the look.
    uint64_t busy;
    uint64_t wanted; // instructions in the look that look_is_likely requires of a polling warp
    struct look_block *blocks;
    size_t count;
    struct exec_code code; // code without stepping, restored at the end
};

static void begin_block(struct look_block *b, struct cta *c)
{
    b->warps = heap_alloc(c->warp_count * sizeof *b->warps);
    for (uint32_t i = 0; i < c->warp_count; i++) b->warps[i].began = c->warps[i].issued;
    c->looked_at = b;
}

void look_begin(struct exec *e, struct cta *const *blocks, size_t count, uint64_t busy)
{
    struct look *x = e->look = heap_alloc(sizeof *x);
    x->busy = busy;
    x->blocks = heap_alloc((count + 1) * sizeof *x->blocks);
    x->count = count;
    for (size_t k = 0; k < count; k++) begin_block(&x->blocks[k], blocks[k]);
    x->code = exec_code_of(e);
    exec_bind_stepped(e);
}

void look_end(struct exec *e)
{
    struct look *x = e->look;
    if (!x) return;
    for (size_t k = 0; k < x->count; k++) {
        for (uint32_t i = 0; i < e->warps_per_block; i++) circle_fini(&x->blocks[k].warps[i].circle);
        free(x->blocks[k].warps);
    }
    exec_code_use(e, &x->code);
    free(x->blocks);
    free(x);
    e->look = NULL;
}

bool look_is_over(const struct exec *e) { return e->look->is_over; }

// -- memory -------------------------------------------------------------------------------------------------

// Before an instruction executes: the bytes of global and shared memory that the instruction may write.
struct bytes_before {
    unsigned count;
    uint8_t *host[LANES_MAX];
    uint8_t size[LANES_MAX];
    uint8_t bytes[LANES_MAX][16];
};

static uint8_t *host_of(struct warp *w, const struct exec_access *a, unsigned lane)
{
    struct lane_access at;
    enum launch_fault_kind kind;
    enum isa_space space = a->shared >> lane & 1  ? SPACE_SHARED
                           : a->local >> lane & 1 ? SPACE_LOCAL
                                                  : SPACE_GLOBAL;
    if (exec_resolve(w, lane, space, a->address[lane], a->bytes, &at, &kind)) return at.host;
    return memory_mapped(w->exec->launch->memory, a->address[lane], a->bytes); // tolerated by check.bounds
}

// Saves the bytes that the instruction may write. Local memory is excluded, as part of the warp's state; on a
// flat machine local memory is memory like the rest, saved by words.
static void save_bytes(struct warp *w, const struct exec_access *a, struct bytes_before *b)
{
    b->count = 0;
    for (uint64_t left = w->exec->flat ? a->mask : a->mask & ~a->local; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        uint8_t *host = host_of(w, a, lane);
        if (!host) continue; // a fault follows
        b->size[b->count] = a->local >> lane & 1 ? sizeof(uint32_t) : a->bytes;
        memcpy(b->bytes[b->count], host, b->size[b->count]);
        b->host[b->count++] = host;
    }
}

static bool are_changed(const struct bytes_before *b)
{
    bool is_changed = false;
    for (unsigned n = 0; n < b->count; n++) is_changed |= memcmp(b->bytes[n], b->host[n], b->size[n]) != 0;
    return is_changed;
}

// -- instructions -------------------------------------------------------------------------------------------

// True for a warp waiting at a barrier for which no BAR has executed since the start of the look. False after
// such a BAR: arrivals might complete the barrier. A stopped warp that has not arrived waits for lanes of its
// own: true. A warp parked for a phase goes on when its time is up: false.
static bool waits(const struct look_block *b, const struct warp *w)
{
    return w->state == WARP_BARRIER && !w->parked &&
           (w->waits_at >= BARRIERS || !(b->met >> w->waits_at & 1));
}

static bool polls(const struct look_warp *x, const struct warp *w)
{
    uint64_t lasted = w->issued - x->began;
    return lasted && circle_polls(&x->circle, w->issued, lasted / 4 * 3);
}

static uint32_t barriers_of(const struct inst *i)
{
    bool is_known = i->src[0].kind == OPERAND_IMM && i->src[0].value < BARRIERS;
    return is_known ? 1u << i->src[0].value : (uint32_t)bit_mask(BARRIERS);
}

// Records an executed instruction. next: the warp's next instruction, or NULL after a stop.
static void executed(struct warp *w, uint32_t index, const struct exec_access *a, const struct bound *next)
{
    const struct inst *i = &w->exec->program->insts[index];
    struct look_block *b = w->cta->looked_at;
    struct circle *c = &b->warps[w->index].circle;
    if (next) {
        w->pc = next->index;
        w->splits.data[w->current].pc = next->index;
    }
    if (i->op == OP_BAR) b->met |= barriers_of(i);
    if (w->state == WARP_DONE || circle_is_outward(i)) w->exec->look->is_over = true;
    circle_executed(c, w, index, a, w->issued);
    if (!isa_has(i, ISA_BRANCH) || w->state != WARP_READY || w->pc > index) return;
    circle_branched(c, w, (struct circle_elsewhere){0});
}

const struct bound *look_step(struct warp *w, const struct bound *d)
{
    struct exec *e = w->exec;
    struct exec_access access;
    struct bytes_before before;
    before.count = 0;
    const uint32_t index = d->index;
    bool is_fault = index == e->program->inst_count;
    if (is_fault || e->look->is_over) return exec_step(w, d);
    const struct inst *i = &e->program->insts[index];
    bool is_memory = e->address_operand[index] != 0;
    if (is_memory) exec_find_access(w, d, &access);
    if (is_memory && isa_has(i, ISA_STORE)) save_bytes(w, &access, &before);
    const uint64_t landings = e->landings;
    const struct bound *next = e->observed ? observed_step(w, d) : exec_step(w, d);
    if (e->fault->kind != FAULT_NONE) return next;
    // A copy (cp.async) and its landing end the look: changes of its destination bytes are not tracked.
    if (i->op == OP_LDGSTS || e->landings != landings || are_changed(&before)) e->look->is_over = true;
    executed(w, index, is_memory ? &access : NULL, next);
    return next;
}

static bool is_busy(const struct look_warp *x, const struct warp *w)
{
    bool is_long = w->issued - x->began >= w->exec->look->busy;
    return is_long && !x->circle.came_back && !polls(x, w);
}

// Ends the look and returns the warp's next instruction in code without stepping. Adds the instructions from
// w->run_start to before d, executed but not yet counted, to the counts.
static const struct bound *leave(struct warp *w, const struct bound *d)
{
    warp_count_before(w, d);
    look_end(w->exec);
    return w->run_start = warp_code(w, w->pc);
}

const struct bound *look_execute(struct warp *w, const struct bound *d)
{
    struct look *look = w->exec->look;
    const struct look_warp *x = &w->cta->looked_at->warps[w->index];
    if (w->exec->observed) observed_enter(w);
    while (d && !look->is_over) {
        const struct bound *met = exec_meet(w, d);
        d = met == d ? look_step(w, d) : met;
        look->is_over |= is_busy(x, w);
        if (!d || !x->circle.came_back || look->is_over) continue;
        exec_stop(d, w);
        return NULL;
    }
    return d ? leave(w, d) : NULL;
}

// -- the verdict --------------------------------------------------------------------------------------------

bool look_has_seen(const struct cta *c)
{
    for (uint32_t i = 0; i < c->warp_count; i++) {
        const struct warp *w = &c->warps[i];
        if (w->state != WARP_DONE && !waits(c->looked_at, w) && !c->looked_at->warps[i].circle.came_back)
            return false;
    }
    return true;
}

typedef bool (*opinion)(const struct look_warp *x, const struct warp *w);

static bool holds_for_all(const struct exec *e, struct cta *const *blocks, size_t count, opinion good)
{
    if (e->look->is_over) return false;
    for (size_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < blocks[k]->warp_count; i++) {
            const struct warp *w = &blocks[k]->warps[i];
            const struct look_block *b = blocks[k]->looked_at;
            if (w->state != WARP_DONE && !waits(b, w) && !good(&b->warps[i], w)) return false;
        }
    return true;
}

static bool came_back(const struct look_warp *x, const struct warp *w)
{
    return (void)w, x->circle.came_back;
}

bool look_is_certain(const struct exec *e, struct cta *const *blocks, size_t count)
{
    return holds_for_all(e, blocks, count, came_back);
}

static bool waits_long(const struct look_warp *x, const struct warp *w)
{
    return x->circle.came_back || (w->issued - x->began >= w->exec->look->wanted && polls(x, w));
}

bool look_is_likely(const struct exec *e, struct cta *const *blocks, size_t count, uint64_t instructions)
{
    e->look->wanted = instructions;
    return holds_for_all(e, blocks, count, waits_long);
}

static void describe_warp(const struct look_warp *x, const struct warp *w, struct strbuf *out)
{
    struct strbuf round = {0};
    exec_describe_warp(w, out);
    circle_describe(&x->circle, w, &round);
    if (round.length) strbuf_printf(out, "; %s", strbuf_text(&round));
    strbuf_fini(&round);
}

void look_describe(const struct exec *e, struct cta *const *blocks, size_t count, struct strbuf *out)
{
    enum { SHOWN = 16 };
    uint64_t warps = 0;
    (void)e;
    for (size_t k = 0; k < count; k++) {
        const struct cta *c = blocks[k];
        if (warps < SHOWN) strbuf_printf(out, "\n  block (%u,%u,%u):", c->id[0], c->id[1], c->id[2]);
        for (uint32_t i = 0; i < c->warp_count; i++) {
            if (c->warps[i].state == WARP_DONE || warps++ >= SHOWN) continue;
            describe_warp(&c->looked_at->warps[i], &c->warps[i], out);
        }
    }
    if (warps > SHOWN)
        strbuf_printf(out, "\n  and %llu more waiting warp%s", (unsigned long long)(warps - SHOWN),
                      warps == SHOWN + 1 ? "" : "s");
}
