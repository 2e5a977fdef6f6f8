// Buckets are lists through one pool of events.
#include "memory/calendar.h"
#include "base/bits.h"

enum { NONE = UINT32_MAX, WORDS = CALENDAR_CYCLES / 64 };

void calendar_init(struct calendar *c, uint64_t lag)
{
    *c = (struct calendar){.free = NONE, .lag = lag};
    for (unsigned k = 0; k < CALENDAR_CYCLES; k++) c->buckets[k] = (struct calendar_bucket){NONE, NONE, NONE};
}

void calendar_fini(struct calendar *c)
{
    vec_fini(&c->events);
    event_heap_fini(&c->far);
}

static void insert(struct calendar *c, uint32_t n)
{
    struct calendar_event *e = &c->events.data[n];
    unsigned k = e->cycle % CALENDAR_CYCLES;
    struct calendar_bucket *b = &c->buckets[k];
    c->occupied[k / 64] |= 1ull << k % 64;
    if (e->turn == CALENDAR_NO_TURN) {
        e->next = NONE;
        if (b->first == NONE)
            b->first = n;
        else
            c->events.data[b->last].next = n;
        b->last = n;
        return;
    }
    uint32_t *link = &b->turns;
    while (*link != NONE && c->events.data[*link].turn <= e->turn) link = &c->events.data[*link].next;
    e->next = *link;
    *link = n;
}

void calendar_push(struct calendar *c, uint64_t cycle, uint32_t kind, uint32_t what, uint32_t turn)
{
    uint32_t n = c->free;
    if (n == NONE) {
        n = (uint32_t)c->events.count;
        vec_push(&c->events, (struct calendar_event){0});
    } else {
        c->free = c->events.data[n].next;
    }
    c->events.data[n] = (struct calendar_event){cycle, kind, what, turn, NONE};
    c->count++;
    if (cycle - c->base < CALENDAR_CYCLES)
        insert(c, n);
    else
        event_heap_push(&c->far, (struct event){cycle, c->order++, 0, n});
}

// The first bucket in use, at or after the base; far events are later than all of them.
static uint64_t next_in_ring(const struct calendar *c)
{
    unsigned start = c->base % CALENDAR_CYCLES;
    for (unsigned k = 0; k <= WORDS; k++) {
        unsigned word = (start / 64 + k) % WORDS;
        uint64_t bits = c->occupied[word];
        if (k == 0) bits &= ~0ull << start % 64;
        if (k == WORDS) bits &= bit_mask(start % 64);
        if (bits) return c->base + (word * 64 + bit_lowest(bits) + CALENDAR_CYCLES - start) % CALENDAR_CYCLES;
    }
    return UINT64_MAX;
}

uint64_t calendar_next(const struct calendar *c)
{
    uint64_t near = next_in_ring(c);
    if (near != UINT64_MAX || !c->far.count) return near;
    return c->far.events[0].cycle;
}

static void move_base(struct calendar *c, uint64_t to)
{
    if (to > c->base + c->lag) c->base = to - c->lag;
    while (c->far.count && c->far.events[0].cycle - c->base < CALENDAR_CYCLES)
        insert(c, event_heap_pop(&c->far).what);
}

bool calendar_pop(struct calendar *c, uint64_t until, struct calendar_event *e)
{
    uint64_t cycle = c->count ? calendar_next(c) : UINT64_MAX;
    if (cycle >= until) {
        move_base(c, until);
        return false;
    }
    move_base(c, cycle);
    unsigned k = cycle % CALENDAR_CYCLES;
    struct calendar_bucket *b = &c->buckets[k];
    uint32_t n = b->first != NONE ? b->first : b->turns;
    *e = c->events.data[n];
    if (b->first != NONE) {
        b->first = e->next;
        if (b->first == NONE) b->last = NONE;
    } else {
        b->turns = e->next;
    }
    if (b->first == NONE && b->turns == NONE) c->occupied[k / 64] &= ~(1ull << k % 64);
    c->events.data[n].next = c->free;
    c->free = n;
    c->count--;
    return true;
}
