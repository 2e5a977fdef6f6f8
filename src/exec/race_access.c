// Accesses of lanes, compared with the last write and the last two reads of their places. A place is a word. A sub-word
// access divides its page into bytes, each with accesses of its own:
//
//     words   [ t0 t0 t0 t0 | t1 t1 t1 t1 | …          st.u8 by threads 4, 5, 6, 7
//     bytes   [ t0 t0 t0 t0 | t4 t5 t6 t7 | …          every byte has its own writer
//
// race_lanes compares and records many lanes, and stops before a lane with anything unusual; race_lane does the rest.
#include "base/bits.h"
#include "base/clones.h"
#include "check/written.h"
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/phase.h"
#include "exec/race_impl.h"
#include "isa/fields.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

// -- reporting ----------------------------------------------------------------------------------------------

// Accesses to one place: an earlier access, and the present access.
static void report(struct warp *w, const struct lane_access *a, uint32_t before_access, bool before_writes,
                   uint32_t now_access, bool now_writes)
{
    struct race_detector *r = w->exec->races;
    const struct launch *l = w->exec->launch;
    const struct race_record before = race_book_access(r->book, before_access),
                             now = race_book_access(r->book, now_access);
    if (r->count < RACES_COUNTED_MAX) r->count++;
    if (w->exec->checker)
        checker_race(l, a->space == SPACE_SHARED, a->address, &before, before_writes, l, &now, now_writes);
    if (r->text) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "race in kernel %s on %s address 0x%llx", w->exec->program->name,
                  a->space == SPACE_SHARED ? "shared" : "global", (unsigned long long)a->address);
    if (a->space != SPACE_SHARED) {
        strbuf_puts(&text, ": ");
        memory_describe(l->memory, a->address, &text);
    }
    strbuf_putc(&text, '\n');
    race_describe(l, &before, before_writes, &text);
    strbuf_putc(&text, '\n');
    race_describe(l, &now, now_writes, &text);
    if (r->book->overflowed)
        strbuf_puts(&text, "\n    (memory touched later than the detector can hold is not watched)");
    char *kept = heap_alloc(text.length + 1);
    memcpy(kept, strbuf_text(&text), text.length);
    r->text = kept;
    strbuf_fini(&text);
}

// -- the present access -------------------------------------------------------------------------------------

static struct race_page *page_of(struct warp *w, enum isa_space space, uint64_t address)
{
    struct race_detector *r = w->exec->races;
    struct race_page *p = w->cta->race->shared;
    if (space != SPACE_SHARED) {
        uint64_t number = address / 4 / RACE_PAGE_WORDS;
        struct race_page **found = &r->pages[number % RACE_PAGES];
        if (!*found || (*found)->number != number) *found = race_book_page(r->book, number);
        p = *found;
    }
    if (p) r->since = p->since;
    return p;
}

static bool is_strong(const struct inst *i) { return i->sem != SEM_WEAK || isa_has(i, ISA_ATOMIC); }

void race_instruction(struct warp *w, const struct bound *d)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    const struct race_block *b = w->cta->race;
    r->now_access = 0;
    r->now = (struct race_record){.time = ++r->time,
                                  .block = (uint32_t)w->cta->linear,
                                  .inst = d->index,
                                  .stamp = b->now[w->index],
                                  .sync = b->sync[w->index],
                                  .thread = (uint16_t)(w->index << r->warp_shift),
                                  .strong = is_strong(bound_inst(d, w))};
}

// Access of lane 0 by the present instruction or copy. Before page_of: cells may be renumbered.
static uint32_t present_access(struct race_detector *r)
{
    if (!r->now_access) r->now_access = race_book_add(r->book, &r->now);
    return r->now_access;
}

static bool releases(const struct inst *i)
{
    return i->op == OP_ARRIVES || i->sem == SEM_RELEASE || i->sem == SEM_ACQ_REL || i->sem == SEM_SC;
}

// Orders made by a strong access: a write publishes what the writer's fences cover, a read acquires what is
// published.
static void follow_flag(struct warp *w, const struct inst *i, struct race_page *p, size_t cell,
                        enum race_access access)
{
    uint32_t published = race_page_published(p, cell);
    if (access != RACE_WRITE && published) race_acquire(w, published);
    if (access == RACE_READ) return;
    if (releases(i)) race_fence(w);
    race_page_publish(p, cell, w->cta->race->fenced);
}

// -- a lane -------------------------------------------------------------------------------------------------

static bool is_of_warp(const struct warp *w, const struct race_record *before)
{
    const struct race_detector *r = w->exec->races;
    return before->block == r->now.block && (uint32_t)before->thread >> r->warp_shift == w->index &&
           before->is_copy == r->now.is_copy;
}

static bool is_behind(const struct warp *w, unsigned lane, uint32_t access)
{
    const struct race_record *before = race_book_record(w->exec->races->book, access);
    return race_is_ordered(w, lane, before, access % WARP_SIZE_MAX);
}

// An earlier access and the present access, one of them a write.
static bool conflicts(const struct race_detector *r, uint32_t access)
{
    return access > r->since && !(r->now.strong && race_book_record(r->book, access)->strong);
}

// Whether the cell's last write was observed by a strong read that happens before the lane's present access.
static bool is_observed(const struct warp *w, unsigned lane, const struct race_cells *c, size_t cell)
{
    const struct race_detector *r = w->exec->races;
    const struct race_record *write = race_book_record(r->book, c->write[cell]);
    for (unsigned k = 0; write->strong && k < 2; k++) {
        uint32_t access = c->read[k][cell];
        if (access <= r->since) continue;
        const struct race_record *read = race_book_record(r->book, access);
        if (read->strong && read->time > write->time && is_behind(w, lane, access)) return true;
    }
    return false;
}

static bool races_with_write(const struct warp *w, unsigned lane, const struct race_cells *c, size_t cell)
{
    uint32_t access = c->write[cell];
    return conflicts(w->exec->races, access) && !is_behind(w, lane, access) && !is_observed(w, lane, c, cell);
}

static void cell_read(struct warp *w, unsigned lane, const struct lane_access *a, const struct race_cells *c,
                      size_t cell)
{
    const struct race_detector *r = w->exec->races;
    uint32_t now = r->now_access + lane, *read = &c->read[0][cell];
    if (races_with_write(w, lane, c, cell)) report(w, a, c->write[cell], true, now, false);
    if (*read > r->since && !is_of_warp(w, race_book_record(r->book, *read))) c->read[1][cell] = *read;
    *read = now;
}

static void cell_write(struct warp *w, unsigned lane, const struct lane_access *a, const struct race_cells *c,
                       size_t cell, uint32_t value)
{
    const struct race_detector *r = w->exec->races;
    uint32_t now = r->now_access + lane, before = c->write[cell];
    bool together =
        before > r->since && race_book_record(r->book, before)->time == r->now.time; // one instruction
    if (!(together && c->value[cell] == value) && races_with_write(w, lane, c, cell))
        report(w, a, before, true, now, true);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t read = c->read[k][cell];
        if (conflicts(r, read) && !is_behind(w, lane, read)) report(w, a, read, false, now, true);
    }
    c->write[cell] = now;
    c->value[cell] = value;
}

// An access to shared memory of another block of the cluster orders like any flag, and is not compared with others.
static void access_remote(struct warp *w, const struct bound *d, const struct lane_access *a,
                          enum race_access access)
{
    const struct cta *owner = cluster_block(w->cta, a->address);
    struct race_page *p = owner ? owner->race->shared : NULL;
    uint64_t offset = a->address & ((1u << ISA_RANK_SHIFT) - 1);
    if (!p || !w->exec->races->now.strong) return;
    follow_flag(w, bound_inst(d, w), p, race_page_index(p, offset), access);
}

void race_lane(struct warp *w, const struct bound *d, unsigned lane, const struct lane_access *a,
               unsigned bytes, enum race_access access, const void *value)
{
    struct race_detector *r = w->exec->races;
    if (!r) return;
    if (a->space == SPACE_SHARED && !w->exec->launch->flat && a->address >> ISA_RANK_SHIFT) {
        access_remote(w, d, a, access);
        return;
    }
    if (w->exec->checker) checker_access(w, d, lane, a, bytes, access);
    if (a->space == SPACE_LOCAL || a->space == SPACE_CONST) return;
    struct lane_access at = *a;
    present_access(r);
    for (unsigned n = 0, step; n < bytes; n += step, at.address += step) {
        struct race_page *p = page_of(w, a->space, at.address);
        bool whole = at.address % 4 == 0 && bytes - n >= 4;
        if (p && !p->by_byte && !whole) race_page_divide(r->book, p, a->space != SPACE_SHARED);
        step = whole && !(p && p->by_byte) ? 4 : 1;
        if (!p) continue;
        uint32_t word = 0;
        if (value) memcpy(&word, (const uint8_t *)value + n, step);
        size_t cell =
            race_page_index(p, a->space == SPACE_SHARED ? at.address : at.address % (4 * RACE_PAGE_WORDS));
        if (r->now.strong) follow_flag(w, bound_inst(d, w), p, cell, access);
        if (access == RACE_READ)
            cell_read(w, lane, &at, &p->cells, cell);
        else
            cell_write(w, lane, &at, &p->cells, cell, word);
    }
}

// -- lanes --------------------------------------------------------------------------------------------------

struct sweep { // over lanes of an instruction that is no copy
    struct warp *w;
    const struct race_lanes *a;
    uint32_t now;            // access of lane 0
    uint64_t from, bytes;    // addresses of the page
    struct race_cells cells; // of the page
    uint32_t since;          // of the page
    unsigned step, shift;    // bytes of a cell; log2 of the cells of a lane
    uint32_t behind;         // an access whose record is ordered before all lanes, or 0
    uint32_t own, other;     // accesses whose records are of the warp, and are not, or 0
    uint64_t chunk;          // number of the 64 bytes whose bits are at `bits`
    uint64_t *bits;          // written bytes (checker.h)
    bool is_checked, checks_reads, is_write;
};

// The order and the warp of an access's record, looked up once an instruction. Two strong accesses need no order.
static const struct race_known *look_up(const struct sweep *s, uint32_t access)
{
    const struct warp *w = s->w;
    struct race_detector *r = w->exec->races;
    uint32_t number = access / WARP_SIZE_MAX;
    struct race_known *k = &r->known[number % RACE_KNOWN];
    if (k->time == r->now.time && k->number == number) return k;
    const struct race_record *before = race_book_record(r->book, access);
    bool is_own = is_of_warp(w, before);
    enum race_order order = RACE_BY_LANE;
    if ((is_own && w->cta->race->all_sync[w->index] > before->sync) || (r->now.strong && before->strong))
        order = RACE_ORDERED;
    else if (!is_own && !before->is_copy)
        order = race_is_ordered(w, 0, before, 0) ? RACE_ORDERED : RACE_UNORDERED;
    *k = (struct race_known){r->now.time, number, order, is_own};
    return k;
}

static bool is_one_record(uint32_t a, uint32_t b) { return (a ^ b) < WARP_SIZE_MAX; }

// Whether there is no access, or the lane is behind it.
static inline bool is_lane_behind(struct sweep *s, unsigned lane, uint32_t access)
{
    if (access <= s->since || is_one_record(access, s->behind)) return true;
    const struct race_known *k = look_up(s, access);
    if (k->order == RACE_ORDERED) {
        s->behind = access;
        return true;
    }
    return k->order == RACE_BY_LANE && is_behind(s->w, lane, access);
}

static inline bool is_own_access(struct sweep *s, uint32_t access)
{
    if (is_one_record(access, s->own)) return true;
    if (is_one_record(access, s->other)) return false;
    bool is_own = is_of_warp(s->w, race_book_record(s->w->exec->races->book, access));
    *(is_own ? &s->own : &s->other) = access;
    return is_own;
}

// Puts a read before the reads kept of the cell. `access`: of the lane.
static inline void keep_read(struct sweep *s, size_t cell, uint32_t access)
{
    uint32_t *read = &s->cells.read[0][cell];
    if (*read > s->since && !is_own_access(s, *read)) s->cells.read[1][cell] = *read;
    *read = access;
}

// Value of a cell from byte k of a lane's access on.
static inline uint32_t value_of(const struct sweep *s, unsigned lane, unsigned k)
{
    if (!s->a->values) return 0;
    uint32_t word = s->a->values[k / 4][lane];
    return s->step == 1 ? word >> k % 4 * 8 & 0xff : word;
}

static bool find_page(struct sweep *s, uint64_t address)
{
    unsigned bytes = s->a->bytes;
    struct race_page *p = page_of(s->w, s->a->space, address);
    bool may_order = s->w->exec->races->now.strong && p && p->published;
    if (!p || may_order || (!p->by_byte && bytes < 4)) return false;
    s->from = s->a->space == SPACE_SHARED ? 0 : address & ~(uint64_t)(4 * RACE_PAGE_WORDS - 1);
    s->bytes = 4 * p->words;
    s->cells = p->cells;
    s->since = p->since;
    s->step = p->by_byte ? 1 : 4;
    s->shift = bit_lowest(bytes / s->step);
    return true;
}

// Bytes within 64, as checker_access. False: a byte read is not written.
static inline bool check_word(struct sweep *s, uint64_t address, unsigned bytes)
{
    if (address / 64 != s->chunk) {
        s->bits = checker_word(s->w, s->a->space, address, s->is_write);
        s->chunk = address / 64;
    }
    uint64_t bits = written_bits(address, bytes);
    if (s->checks_reads && (!s->bits || (*s->bits & bits) != bits)) return false;
    if (s->is_write) *s->bits |= bits;
    return true;
}

static bool check_bytes(struct sweep *s, uint64_t address, unsigned bytes)
{
    for (unsigned step; bytes; bytes -= step, address += step) {
        unsigned room = 64 - address % 64;
        step = bytes < room ? bytes : room;
        if (!check_word(s, address, step)) return false;
    }
    return true;
}

static inline bool sweep_cell(struct sweep *s, unsigned lane, size_t cell, unsigned k)
{
    const struct race_cells *c = &s->cells;
    uint32_t value = s->is_write ? value_of(s, lane, k) : 0;
    bool together = s->is_write && is_one_record(c->write[cell], s->now) && c->value[cell] == value;
    if (!together && !is_lane_behind(s, lane, c->write[cell])) return false;
    if (!s->is_write) {
        keep_read(s, cell, s->now + lane);
        return true;
    }
    if (!is_lane_behind(s, lane, c->read[0][cell]) || !is_lane_behind(s, lane, c->read[1][cell]))
        return false;
    c->write[cell] = s->now + lane;
    c->value[cell] = value;
    return true;
}

static inline bool sweep_lane(struct sweep *s, unsigned lane)
{
    uint64_t address = s->a->address[lane];
    unsigned bytes = s->a->bytes;
    if (address - s->from >= s->bytes && !find_page(s, address)) return false;
    if (s->is_checked && !check_word(s, address, bytes)) return false;
    size_t cell = (address - s->from) / s->step;
    for (unsigned k = 0; k < bytes; k += s->step, cell++)
        if (!sweep_cell(s, lane, cell, k)) return false;
    return true;
}

// Lanes with a word each, one by one. Returns the lanes left.
static inline uint64_t sweep_words(struct sweep *s, uint64_t lanes, bool is_write)
{
    struct race_cells c = s->cells;
    uint64_t from = s->from, bytes = s->bytes, left = lanes;
    uint32_t since = s->since;
    for (; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        uint64_t address = s->a->address[lane];
        if (address - from >= bytes || s->step != 4) {
            if (!find_page(s, address)) return left;
            c = s->cells;
            from = s->from;
            bytes = s->bytes;
            since = s->since;
        }
        if (s->step != 4) {
            if (!sweep_lane(s, lane)) return left;
            continue;
        }
        if (s->is_checked && !check_word(s, address, 4)) return left;
        size_t cell = (address - from) / 4;
        bool is_new = c.write[cell] <= since && c.read[0][cell] <= since;
        if (is_write && is_new && c.read[1][cell] <= since) {
            c.write[cell] = s->now + lane;
            c.value[cell] = value_of(s, lane, 0);
        } else if (!is_write && is_new) {
            c.read[0][cell] = s->now + lane;
        } else if (!sweep_cell(s, lane, cell, 0)) {
            return left;
        }
    }
    return 0;
}

// -- lanes with one place -----------------------------------------------------------------------------------

// Reads of `count` lanes: the last lane's is kept. False: nothing done, the lanes go one by one.
static bool sweep_same(struct sweep *s, unsigned lane, unsigned count)
{
    uint64_t address = s->a->address[lane];
    if (address - s->from >= s->bytes && !find_page(s, address)) return false;
    if (s->is_checked && !check_bytes(s, address, s->a->bytes)) return false;
    size_t cell = (address - s->from) / s->step, end = cell + ((size_t)1 << s->shift);
    for (size_t k = cell; k < end; k++) {
        uint32_t write = s->cells.write[k];
        if (!is_one_record(write, s->behind) && write > s->since && look_up(s, write)->order != RACE_ORDERED)
            return false;
    }
    for (; cell < end; cell++) keep_read(s, cell, s->now + lane + count - 1);
    return true;
}

// -- lanes with places one after another --------------------------------------------------------------------

// Accesses of neighbouring cells, found at both ends: mostly there are no others between.
struct ends {
    uint32_t of[2];   // 0: none
    uint32_t by_lane; // access of lane 0 by a record of the warp, behind which is each lane alone
};

static inline bool is_of_ends(uint32_t access, struct ends e)
{
    return ((access ^ e.of[0]) < WARP_SIZE_MAX) | ((access ^ e.of[1]) < WARP_SIZE_MAX);
}

// Lanes of a row: cell k is of lane `lane` + (k >> shift).
static inline bool all_behind(const uint32_t *access, unsigned cells, uint32_t since, struct ends e,
                              unsigned lane, unsigned shift)
{
    uint32_t others = 0;
    for (unsigned k = 0; k < cells; k++) {
        uint32_t x = access[k];
        others |= (uint32_t)((x > since) & !is_of_ends(x, e) & (x != e.by_lane + lane + (k >> shift)));
    }
    return !others;
}

static inline bool all_of_ends(const uint32_t *access, unsigned cells, uint32_t since, struct ends e)
{
    uint32_t others = 0;
    for (unsigned k = 0; k < cells; k++)
        others |= (uint32_t)((access[k] > since) & !is_of_ends(access[k], e));
    return !others;
}

static inline void keep_ends(const uint32_t *restrict read, uint32_t *restrict before, unsigned cells,
                             uint32_t since, struct ends e)
{
    for (unsigned k = 0; k < cells; k++)
        before[k] = ((read[k] > since) & is_of_ends(read[k], e)) ? read[k] : before[k];
}

static inline void fill(uint32_t *access, unsigned cells, uint32_t first, unsigned shift)
{
    for (unsigned k = 0; k < cells; k++) access[k] = first + (k >> shift);
}

// The row's records at both ends. False: the row is not behind one of them.
static bool find_ends(const struct sweep *s, const uint32_t *access, unsigned cells, struct ends *e)
{
    *e = (struct ends){{0}, 0};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t x = access[k ? cells - 1 : 0];
        if (x <= s->since) continue;
        const struct race_known *known = look_up(s, x);
        if (known->order == RACE_ORDERED) e->of[k] = x;
        if (known->order == RACE_BY_LANE && known->is_own) e->by_lane = x - x % WARP_SIZE_MAX;
        if (known->order == RACE_UNORDERED) return false;
    }
    return true;
}

CLONES static bool read_row(struct sweep *s, unsigned lane, size_t cell, unsigned cells)
{
    struct ends e, others = {{0}, 0};
    uint32_t *read = s->cells.read[0] + cell;
    const uint32_t *write = s->cells.write + cell;
    if (!find_ends(s, write, cells, &e) || !all_behind(write, cells, s->since, e, lane, s->shift))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        e.of[k] = read[k ? cells - 1 : 0];
        if (e.of[k] <= s->since) e.of[k] = 0;
        if (e.of[k] && !is_own_access(s, e.of[k])) others.of[k] = e.of[k];
    }
    if (!all_of_ends(read, cells, s->since, e)) {
        for (unsigned k = 0; k < cells; k++) keep_read(s, cell + k, s->now + lane + (k >> s->shift));
        return true;
    }
    if (others.of[0] | others.of[1]) keep_ends(read, s->cells.read[1] + cell, cells, s->since, others);
    fill(read, cells, s->now + lane, s->shift);
    return true;
}

CLONES static bool write_row(struct sweep *s, unsigned lane, size_t cell, unsigned cells)
{
    uint32_t *const access[3] = {s->cells.write + cell, s->cells.read[0] + cell, s->cells.read[1] + cell};
    for (unsigned n = 0; n < 3; n++) {
        struct ends e;
        if (!find_ends(s, access[n], cells, &e) || !all_behind(access[n], cells, s->since, e, lane, s->shift))
            return false;
    }
    fill(access[0], cells, s->now + lane, s->shift);
    uint32_t *value = s->cells.value + cell;
    unsigned in_lane = (1u << s->shift) - 1;
    if (s->step == 4 && s->shift == 0 && s->a->values)
        memcpy(value, s->a->values[0] + lane, 4 * (size_t)cells);
    else
        for (unsigned k = 0; k < cells; k++)
            value[k] = value_of(s, lane + (k >> s->shift), (k & in_lane) * s->step);
    return true;
}

// Returns the number of lanes done, of one page; 0: the lanes go one by one.
static unsigned sweep_row(struct sweep *s, unsigned lane, unsigned count)
{
    const struct race_lanes *a = s->a;
    uint64_t address = a->address[lane];
    if (address - s->from >= s->bytes && !find_page(s, address)) return 0;
    uint64_t room = (s->bytes - (address - s->from)) / a->bytes;
    count = count < room ? count : (unsigned)room;
    if (s->is_checked && !check_bytes(s, address, count * a->bytes)) return 0;
    size_t cell = (address - s->from) / s->step;
    bool done = s->is_write ? write_row(s, lane, cell, count << s->shift)
                            : read_row(s, lane, cell, count << s->shift);
    return done ? count : 0;
}

// -- all lanes ----------------------------------------------------------------------------------------------

enum { ROW_LEAST = 8 };

// Lanes of `left` from `lane` on; bits of `next`: the next lane goes on.
static unsigned count_run(uint64_t next, uint64_t left, unsigned lane)
{
    uint64_t ends = ~(next >> lane), gaps = ~(left >> lane);
    unsigned count = ends ? 1 + bit_lowest(ends) : 64, most = gaps ? bit_lowest(gaps) : 64;
    return count < most ? count : most;
}

// Lanes with which ROW_LEAST lanes of a row begin.
static uint64_t row_starts(uint64_t rows, uint64_t lanes)
{
    uint64_t two = rows & lanes & lanes >> 1, four = two & two >> 1 & two >> 2;
    return four & four >> 4;
}

static uint64_t sweep_singles(struct sweep *s, uint64_t lanes)
{
    if (s->a->bytes == 4) return s->is_write ? sweep_words(s, lanes, true) : sweep_words(s, lanes, false);
    while (lanes && sweep_lane(s, bit_lowest(lanes))) lanes &= lanes - 1;
    return lanes;
}

// A strong access that orders nothing: no fence comes before, and it does not release. Pages: find_page.
static bool orders_nothing(const struct warp *w)
{
    const struct race_detector *r = w->exec->races;
    return !r->now.strong || !(w->cta->race->fenced || releases(&w->exec->insts[r->now.inst]));
}

uint64_t race_lanes(struct warp *w, const struct race_lanes *a, uint64_t lanes)
{
    struct race_detector *r = w->exec->races;
    if (!r || r->now.is_copy || !orders_nothing(w)) return 0;
    struct sweep s = {.w = w, .a = a, .now = present_access(r), .chunk = UINT64_MAX};
    s.is_write = a->access != RACE_READ;
    s.checks_reads = a->access != RACE_WRITE && w->exec->checker && checker_reads(w, a->space);
    s.is_checked = w->exec->checker && (s.is_write || s.checks_reads);
    uint64_t left = lanes, rows = row_starts(a->rows, lanes), same = a->same & lanes & lanes >> 1;
    if (s.is_write) same = 0;
    while (left) {
        unsigned lane = bit_lowest(left), count = 0, done = 0;
        if (rows >> lane & 1) {
            count = count_run(a->rows, left, lane);
            done = sweep_row(&s, lane, count);
        } else if (same >> lane & 1) {
            count = count_run(a->same, left, lane);
            done = sweep_same(&s, lane, count) ? count : 0;
        }
        left &= ~(bit_mask(done) << lane);
        if (done) continue;
        uint64_t runs = (rows | same) >> lane >> 1 << 1 << lane; // behind the lane
        uint64_t singles = count  ? left & bit_mask(count) << lane
                           : runs ? left & bit_mask(bit_lowest(runs))
                                  : left,
                 still = sweep_singles(&s, singles);
        left = (left & ~singles) | still;
        if (still) break;
    }
    if (s.is_write && w->exec->checker) checker_acted(w, lanes & ~left);
    return lanes & ~left;
}
