// Expansion of tuples at the receiving end of the queue, into records (lines and masks) and predicates.
//
// Records are built thread by thread. The result equals the output of an adder stepping through lines, and
// covers rows of any shape.
#include "decouple/tuple.h"

#include <assert.h>

static unsigned granule_of(unsigned bytes) { return bytes < 4 ? bytes : 4; }

struct growing { // a record under construction, its number of threads, the address of the last thread
    struct decouple_record *r;
    unsigned threads;
    uint64_t previous;
};

static uint32_t granules_at(const struct decouple_record *r, uint64_t address, unsigned bytes)
{
    unsigned granules = bytes / r->granule;
    return ((1u << granules) - 1) << ((address - r->region) / r->granule);
}

// Extends a record by a thread at `address`. False, record unchanged: the record cannot express the thread.
static bool extend(struct growing *g, uint64_t address, unsigned bytes)
{
    struct decouple_record *r = g->r;
    if (address < r->region || address - r->region >= (uint64_t)DECOUPLE_REGION * r->granule) return false;
    bool same = address == g->previous, up = address > g->previous;
    bool is_first_step = g->threads == 1;
    if (!is_first_step && (r->broadcast != same || (!same && r->reversed == up))) return false;
    r->broadcast = same;
    r->reversed = !same && !up;
    r->granules |= granules_at(r, address, bytes);
    g->threads++;
    g->previous = address;
    return true;
}

unsigned decouple_expand(const struct decouple_tuple *address, const struct decouple_warp *w, uint64_t lanes,
                         unsigned bytes, struct decouple_record records[DECOUPLE_RECORDS_MAX])
{
    struct growing g = {0};
    unsigned count = 0, thread = 0;
    uint32_t threads = decouple_warp_threads(w);
    for (uint32_t lane = 0; lane < threads; lane++) {
        if (!(lanes >> lane & 1)) continue;
        uint32_t index[DECOUPLE_DIMENSIONS];
        decouple_warp_index(w, lane, index);
        uint64_t at = decouple_tuple_value(address, index);
        if (at % bytes) return 0;
        if (!count || !extend(&g, at, bytes)) {
            unsigned granule = granule_of(bytes);
            g = (struct growing){.r = &records[count++], .threads = 1, .previous = at};
            *g.r = (struct decouple_record){.region = at - at % (DECOUPLE_REGION * granule),
                                            .first = (uint8_t)thread,
                                            .granule = (uint8_t)granule};
            g.r->granules = granules_at(g.r, at, bytes);
        }
        thread++;
    }
    if (count) records[count - 1].last = true;
    return count;
}

void decouple_record_addresses(const struct decouple_record *records, unsigned count_of_records,
                               unsigned bytes, unsigned count, uint64_t *addresses)
{
    for (unsigned n = 0; n < count_of_records; n++) {
        const struct decouple_record *r = &records[n];
        unsigned end = r->last ? count : records[n + 1].first, granules = bytes / r->granule;
        uint32_t left = r->granules;
        for (unsigned k = r->first; k < end; k++) {
            assert(left);
            unsigned bit =
                r->reversed ? 32 - (unsigned)__builtin_clz(left) - granules : (unsigned)__builtin_ctz(left);
            addresses[k] = r->region + bit * r->granule;
            if (!r->broadcast) left &= ~granules_at(r, addresses[k], bytes);
        }
    }
}

// -- predicates ---------------------------------------------------------------------------------------------

static bool holds(enum isa_cmp cmp, int64_t a, int64_t b)
{
    switch ((unsigned)cmp) {
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_GE: return a >= b;
    case CMP_GT: return a > b;
    default: return cmp == CMP_T; // integers: NaN forms do not occur
    }
}

static int64_t number_of(uint64_t word, bool is_signed)
{
    return is_signed ? (int64_t)(int32_t)(uint32_t)word : (int64_t)(uint32_t)word;
}

// Whether a comparison has one outcome for all values of the range. For an order relation, equal outcomes at
// both ends suffice. For equality, the range must be a single value or lie on one side of the scalar.
// Example: of thread numbers 0 to 31, only number 5 equals 5.
static bool ends_decide(const struct decouple_range *r, enum isa_cmp cmp, int64_t scalar)
{
    bool is_order = cmp != CMP_EQ && cmp != CMP_NE;
    if (is_order) return holds(cmp, r->low, scalar) == holds(cmp, r->high, scalar);
    return r->low == r->high || r->high < scalar || r->low > scalar;
}

struct decouple_comparison decouple_compare(const struct decouple_tuple *a,
                                            const struct decouple_tuple *scalar, enum isa_cmp cmp,
                                            bool is_signed, const struct decouple_warp *w)
{
    uint32_t threads = decouple_warp_threads(w);
    uint64_t all = threads == 64 ? UINT64_MAX : (1ull << threads) - 1;
    struct decouple_box box = decouple_warp_box(w);
    struct decouple_range range;
    struct decouple_comparison c = {.effort = EFFORT_LANES};
    int64_t limit = number_of(decouple_tuple_value(scalar, box.low), is_signed);
    if (decouple_tuple_is_block_scalar(a)) {
        c.effort = EFFORT_BLOCK;
        c.lanes = holds(cmp, number_of(decouple_tuple_value(a, box.low), is_signed), limit) ? all : 0;
        return c;
    }
    if (decouple_tuple_range(a, &box, is_signed, &range) && ends_decide(&range, cmp, limit)) {
        c.effort = EFFORT_ENDS;
        c.lanes = holds(cmp, range.low, limit) ? all : 0;
        return c;
    }
    for (uint32_t lane = 0; lane < threads; lane++) {
        uint32_t index[DECOUPLE_DIMENSIONS];
        decouple_warp_index(w, lane, index);
        c.lanes |= (uint64_t)holds(cmp, number_of(decouple_tuple_value(a, index), is_signed), limit) << lane;
    }
    return c;
}
