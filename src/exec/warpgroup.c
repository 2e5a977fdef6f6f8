// Products of a warpgroup: see warpgroup.h.
#include "exec/warpgroup.h"
#include "base/hash.h"
#include "exec/async.h"
#include "exec/checker.h"
#include "exec/general.h"
#include "exec/race.h"
#include "exec/tensor/tensor.h"
#include "isa/mma.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

enum { CELL = 16, QUARTER = 16, WARPS = 4, ROW_SHIFT = 7, EIGHT = 8 };

// -- matrices in shared memory ------------------------------------------------------------------------------

struct warpgroup_matrix warpgroup_matrix_of(uint64_t descriptor, bool is_turned)
{
    enum { FIELD = 0x3fff, LEADING = 16, STRIDE = 32, PHASE = 49, SWIZZLE = 62 };
    static const uint8_t spans[] = {0, 128, 64, 32};
    return (struct warpgroup_matrix){.start = (uint32_t)(descriptor & FIELD) * CELL,
                                     .leading = (uint32_t)(descriptor >> LEADING & FIELD) * CELL,
                                     .stride = (uint32_t)(descriptor >> STRIDE & FIELD) * CELL,
                                     .phase = (uint32_t)(descriptor >> PHASE & 7),
                                     .span = spans[descriptor >> SWIZZLE],
                                     .is_turned = is_turned};
}

//               along the depth                               turned
//   no swizzle   8 rows of a cell; stride, leading per cell    8 depths of a cell; stride per cell of rows, leading per 8 depths
//   swizzle      8 rows of a span; stride                      8 depths of a span; leading per span of rows, stride per 8 depths
uint32_t warpgroup_cell(const struct warpgroup_matrix *m, unsigned line, unsigned at)
{
    if (!m->span) {
        unsigned outer = m->is_turned ? line : line / EIGHT, inner = m->is_turned ? at % EIGHT : line % EIGHT;
        return m->start + outer * m->stride + (m->is_turned ? at / EIGHT : at) * m->leading + inner * CELL;
    }
    unsigned cells = m->span / CELL, row = m->is_turned ? at : line, cell = m->is_turned ? line : at;
    uint32_t address = m->start + row / EIGHT * m->stride + row % EIGHT * m->span +
                       cell / cells * m->leading + cell % cells * CELL;
    return address ^ (((address >> ROW_SHIFT) - m->phase) & (cells - 1)) * CELL;
}

// -- factors ------------------------------------------------------------------------------------------------

struct reader { // of a product's factors
    struct warp *w;
    const struct bound *d;
    bool is_good; // false: a fault
};

// Copies a cell. A cell outside shared memory is a fault, or zeros where the checker tolerates the access.
static void read_cell(struct reader *x, uint32_t address, unsigned lane, void *to)
{
    struct lane_access a = {.space = SPACE_SHARED};
    enum launch_fault_kind kind;
    memset(to, 0, CELL);
    if (!x->is_good) return;
    if (!exec_resolve(x->w, lane, SPACE_SHARED, address, CELL, &a, &kind) &&
        !exec_tolerates(x->w, x->d, kind, lane, &a, CELL, false)) {
        exec_fault_address(x->w, x->d, kind, lane, a.space, a.address, CELL, false);
        x->is_good = false;
        return;
    }
    exec_read(x->w, &a, CELL, to);
}

// Reads `lines` times eight rows from row `first` on as fragments: register lines * c + n of lane 4g + q has word q of cell c of row
// 8n + g.
static void read_along(struct reader *x, const struct warpgroup_matrix *m, unsigned first, unsigned lines,
                       unsigned cells, uint32_t to[][GROUP_LANES])
{
    for (unsigned n = 0; n < lines; n++)
        for (unsigned c = 0; c < cells; c++)
            for (unsigned g = 0; g < EIGHT; g++)
                read_cell(x, warpgroup_cell(m, first + EIGHT * n + g, c), 4 * g, &to[lines * c + n][4 * g]);
}

// The same of a turned matrix with elements of 16 bits.
static void read_turned(struct reader *x, const struct warpgroup_matrix *m, unsigned first, unsigned lines,
                        unsigned cells, uint32_t to[][GROUP_LANES])
{
    for (unsigned n = 0; n < lines; n++)
        for (unsigned k = 0; k < cells * EIGHT; k++) {
            uint16_t element[EIGHT];
            uint32_t *words = to[lines * (k / EIGHT) + n];
            read_cell(x, warpgroup_cell(m, first / EIGHT + n, k), k % GROUP_LANES, element);
            for (unsigned g = 0; g < EIGHT; g++) {
                uint32_t *word = &words[4 * g + k % EIGHT / 2];
                *word = k % 2 ? *word | (uint32_t)element[g] << 16 : element[g];
            }
        }
}

static void read_factor(struct reader *x, const struct warpgroup_matrix *m, unsigned first, unsigned lines,
                        unsigned cells, uint32_t to[][GROUP_LANES])
{
    (m->is_turned ? read_turned : read_along)(x, m, first, lines, cells, to);
}

static uint32_t signs_of(unsigned type)
{
    unsigned bits = isa_element_bits(type);
    return bits == 32 ? 0x80000000 : bits == 16 ? 0x80008000 : 0x80808080;
}

static void negate(uint32_t words[][GROUP_LANES], unsigned count, unsigned type)
{
    for (unsigned n = 0; n < count; n++)
        for (unsigned lane = 0; lane < GROUP_LANES; lane++) words[n][lane] ^= signs_of(type);
}

// -- products -----------------------------------------------------------------------------------------------

// 8-bit floats of wgmma, unlike those of mma.sync: groups of 32 products, results of 14 bits.
static struct tensor_card card_of(const struct exec *e)
{
    struct tensor_card card =
        e->launch->tensor ? *e->launch->tensor : *tensor_card_of_target(e->program->target_sm);
    if (card.eight_by_half) {
        card.eight = tensor_warpgroup_eight;
        card.eight_by_half = false;
    }
    return card;
}

static struct tensor_form form_of(const struct inst *i)
{
    return (struct tensor_form){.m = QUARTER,
                                .n = TENSOR_COLUMNS,
                                .k = (uint16_t)isa_warpgroup_depth(i),
                                .a = i->type2,
                                .b = i->type3,
                                .c = i->type,
                                .d = i->type,
                                .is_sparse = isa_is_sparse(i),
                                .saturates = (i->flags & INST_SAT) != 0,
                                .ands = true};
}

static bool has_descriptor(const struct inst *i) { return i->op == OP_WGMMAS || i->op == OP_WGMMASSP; }

// The product of 32 lanes from `base` on. False: a fault.
static bool multiply(struct warp *w, uint8_t *regs, const struct warpgroup_product *p, unsigned base)
{
    static const uint32_t zeros[GROUP_LANES];
    enum { B_MAX = 4, SUMS = 4 };
    const struct inst *i = bound_inst(p->d, w);
    struct tensor_card card = card_of(w->exec);
    struct tensor_form f = form_of(i);
    struct tensor_operands o = {.metadata = p->metadata + base, .selector = i->flags & INST_HI ? 1 : 0};
    struct warpgroup_matrix a = warpgroup_matrix_of(p->a_descriptor, i->src[0].flags & OPERAND_T),
                            b = warpgroup_matrix_of(p->b_descriptor, i->src[1].flags & OPERAND_T);
    struct reader x = {w, p->d, true};
    unsigned rank = (w->index * (w->exec->lanes / GROUP_LANES) + base / GROUP_LANES) % WARPS;
    unsigned cells = f.is_sparse ? B_MAX : 2, each = i->type == TYPE_F16 ? SUMS / 2 : SUMS,
             step = w->exec->vector_bytes;
    uint32_t left[4][GROUP_LANES], right[B_MAX][GROUP_LANES];
    if (has_descriptor(i))
        read_factor(&x, &a, QUARTER * rank, 2, 2, left);
    else
        for (unsigned n = 0; n < 4; n++) memcpy(left[n], p->a[n] + base, sizeof left[n]);
    if (i->src[0].flags & OPERAND_NEG) negate(left, 4, i->type2);
    for (unsigned n = 0; n < 4; n++) o.a[n] = left[n];
    for (unsigned n = 0; n < cells; n++) o.b[n] = right[n];
    for (unsigned slice = 0; slice < isa_warpgroup_columns(i) / EIGHT; slice++) {
        read_factor(&x, &b, EIGHT * slice, 1, cells, right);
        if (!x.is_good) return false;
        if (i->src[1].flags & OPERAND_NEG) negate(right, cells, i->type3);
        for (unsigned n = 0; n < each; n++) {
            o.d[n] = reg_lanes(regs, p->d->dst + (slice * each + n) * step) + base;
            o.c[n] = p->adds ? o.d[n] : zeros;
        }
        tensor_product(&card, &f, &o, tensor_tiles_of(w->exec->isa));
    }
    return true;
}

static bool finish(struct warp *w, uint8_t *regs, const struct warpgroup_product *p)
{
    for (unsigned base = 0; base < w->exec->lanes; base += GROUP_LANES)
        if (!multiply(w, regs, p, base)) return false;
    return true;
}

static uint64_t descriptor_of(const struct bound *d, const struct warp *w, uint8_t *regs, unsigned source)
{
    return reg_lanes(regs, d->src[source])[0] |
           (uint64_t)reg_lanes(regs, d->src[source] + w->exec->vector_bytes)[0] << 32;
}

static void take_operands(const struct bound *d, const struct warp *w, uint8_t *regs,
                          struct warpgroup_product *p)
{
    const struct inst *i = bound_inst(d, w);
    p->d = d;
    p->adds = pred_source(w, d->src[2]) & 1;
    p->b_descriptor = descriptor_of(d, w, regs, 1);
    p->a_descriptor = has_descriptor(i) ? descriptor_of(d, w, regs, 0) : 0;
    for (unsigned n = 0; n < 4 && !has_descriptor(i); n++)
        memcpy(p->a[n], reg_lanes(regs, d->src[0] + n * w->exec->vector_bytes), w->exec->vector_bytes);
    if (isa_is_sparse(i)) memcpy(p->metadata, reg_lanes(regs, d->src[3]), w->exec->vector_bytes);
}

// -- factors at the issue and at the wait, for the checker --------------------------------------------------

// Adds the cells of `lines` times eight rows from row `first` on to a checksum.
static uint64_t add_cells(const struct warp *w, const struct warpgroup_matrix *m, unsigned first,
                          unsigned lines, unsigned cells, uint64_t sum)
{
    unsigned outer = m->is_turned ? lines : EIGHT * lines, inner = m->is_turned ? EIGHT * cells : cells;
    for (unsigned n = 0; n < outer; n++)
        for (unsigned c = 0; c < inner; c++) {
            uint32_t at = warpgroup_cell(m, (m->is_turned ? first / EIGHT : first) + n, c);
            uint64_t words[2] = {0};
            if (exec_shared_holds(w, at, CELL)) memcpy(words, w->shared + at, CELL);
            sum = hash_u64(sum ^ words[0]) + words[1];
        }
    return sum;
}

// The same cells are read by the async proxy.
static void read_cells(struct warp *w, const struct bound *d, const struct warpgroup_matrix *m,
                       unsigned first, unsigned lines, unsigned cells)
{
    unsigned outer = m->is_turned ? lines : EIGHT * lines, inner = m->is_turned ? EIGHT * cells : cells;
    for (unsigned n = 0; n < outer; n++)
        for (unsigned c = 0; c < inner; c++)
            race_proxy_read(w, d, 0, warpgroup_cell(m, (m->is_turned ? first / EIGHT : first) + n, c), CELL);
}

static void read_factors(struct warp *w, const struct bound *d, const struct warpgroup_product *p)
{
    const struct inst *i = bound_inst(d, w);
    struct warpgroup_matrix a = warpgroup_matrix_of(p->a_descriptor, i->src[0].flags & OPERAND_T),
                            b = warpgroup_matrix_of(p->b_descriptor, i->src[1].flags & OPERAND_T);
    read_cells(w, d, &b, 0, isa_warpgroup_columns(i) / EIGHT, isa_is_sparse(i) ? 4 : 2);
    if (has_descriptor(i)) read_cells(w, d, &a, QUARTER * (w->index % WARPS), 2, 2);
}

static uint64_t checksum(const struct warp *w, const struct warpgroup_product *p)
{
    const struct inst *i = bound_inst(p->d, w);
    struct warpgroup_matrix a = warpgroup_matrix_of(p->a_descriptor, i->src[0].flags & OPERAND_T),
                            b = warpgroup_matrix_of(p->b_descriptor, i->src[1].flags & OPERAND_T);
    uint64_t sum = add_cells(w, &b, 0, isa_warpgroup_columns(i) / EIGHT, isa_is_sparse(i) ? 4 : 2, 0);
    return has_descriptor(i) ? add_cells(w, &a, QUARTER * (w->index % WARPS), 2, 2, sum) : sum;
}

// -- the queue of late runs ---------------------------------------------------------------------------------

static struct warpgroup_warp *queue_of(struct warp *w)
{
    struct async_warp *a = async_of(w);
    if (!a->warpgroup) a->warpgroup = heap_alloc(sizeof *a->warpgroup);
    return a->warpgroup;
}

void warpgroup_start(struct warp *w)
{
    struct warpgroup_warp *q = w->async->warpgroup;
    if (!q) return;
    q->queue.count = 0;
    q->commits = 0;
}

void warpgroup_fini(struct warp *w)
{
    if (!w->async->warpgroup) return;
    vec_fini(&w->async->warpgroup->queue);
    free(w->async->warpgroup);
}

void warpgroup_exit(struct warp *w)
{
    struct warpgroup_warp *q = w->async->warpgroup;
    if (!q || !w->exec->checker) return;
    for (size_t k = 0; k < q->queue.count; k++) checker_open_product(w, q->queue.data[k].d->index);
    q->queue.count = 0;
}

static bool is_late(const struct exec *e) { return e->defers_copies && !e->is_timed; }
static bool keeps_queue(const struct exec *e) { return is_late(e) || e->checker; }

// -- instructions -------------------------------------------------------------------------------------------

const struct bound *exec_wgmma(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next;
    struct warpgroup_product p;
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    if (w->exec->checker) checker_unordered_product(w, d);
    take_operands(d, w, regs, &p);
    if (w->exec->checker) read_factors(w, d, &p);
    p.is_over = !is_late(w->exec);
    if (p.is_over && !finish(w, regs, &p)) return NULL;
    if (p.is_over && !w->exec->checker) return d + 1;
    p.checksum = w->exec->checker ? checksum(w, &p) : 0;
    p.group = queue_of(w)->commits;
    vec_push(&queue_of(w)->queue, p);
    return d + 1;
}

const struct bound *exec_wgarrive(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next;
    (void)regs;
    return exec_assemble_warp(d, w, active, &next) ? d + 1 : next;
}

const struct bound *exec_wgcommit(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next;
    (void)regs;
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    if (keeps_queue(w->exec)) queue_of(w)->commits++;
    return d + 1;
}

// In timed runs the wait issues once the products are over.
const struct bound *exec_wgwait(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct bound *next;
    unsigned pending = (unsigned)w->exec->general[d->index].value[0];
    if (!exec_assemble_warp(d, w, active, &next)) return next;
    if (!keeps_queue(w->exec)) return d + 1;
    struct warpgroup_warp *q = queue_of(w);
    size_t kept = 0;
    bool is_good = true;
    for (size_t k = 0; k < q->queue.count; k++) {
        bool is_covered = (uint64_t)q->queue.data[k].group + pending < q->commits;
        if (is_covered && w->exec->checker && checksum(w, &q->queue.data[k]) != q->queue.data[k].checksum)
            checker_changed_factor(w, q->queue.data[k].d->index);
        if (is_covered)
            is_good = is_good && (q->queue.data[k].is_over || finish(w, regs, &q->queue.data[k]));
        else
            q->queue.data[kept++] = q->queue.data[k];
    }
    q->queue.count = kept;
    return is_good ? d + 1 : NULL;
}
