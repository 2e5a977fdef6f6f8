#include "chip/pace.h"

static const uint64_t MS = 1000000;

enum { TURNS = 8 };                         // of each number in a measurement
enum { ROUNDS_MORE = 8, ROUNDS_FEWER = 2 }; // least rounds of a turn, with the greater and the smaller number
enum { US_MORE = 2000, US_FEWER = 400 };    // least microseconds of a turn
// A thread without a core stops all threads for milliseconds, and rarely: the greater number needs the longer
// turns.
enum { MS_FIRST = 20, MS_SETTLED = 200, MS_MOST = 1600, MS_MOST_FEWER = 400 };

void pace_begin(struct pace *p, unsigned most, unsigned cores, uint64_t now_ns)
{
    if (p->most != most) {
        *p = (struct pace){.most = most, .now = most < cores ? most : cores};
        p->left_ns = MS_FIRST * MS;
        p->settled_ns = MS_SETTLED * MS;
    }
    p->stamp = now_ns;
    p->is_fresh = true;
}

static unsigned rival_of(const struct pace *p, bool up)
{
    unsigned rival = up ? 2 * p->now : p->now / 2;
    if (rival > p->most) rival = p->most;
    return rival ? rival : 1;
}

static void begin_turn(struct pace *p, bool is_rival)
{
    p->is_rival = is_rival;
    p->is_fresh = true;
    p->rounds = 0;
    p->turn_ns = 0;
}

static void begin_measurement(struct pace *p)
{
    p->looks_up = !p->looks_up;
    p->rival = rival_of(p, p->looks_up);
    if (p->rival == p->now) p->rival = rival_of(p, p->looks_up = !p->looks_up);
    p->is_measuring = true;
    p->turns = 0;
    p->round_ns[0] = p->round_ns[1] = 0;
    begin_turn(p, false);
}

// The rival must be faster by 3 %; then the next rival in the same direction comes soon. Fewer threads than
// possible are questioned again sooner.
static void settle(struct pace *p)
{
    if (p->round_ns[1] < 0.97 * p->round_ns[0]) {
        p->now = p->rival;
        p->looks_up = !p->looks_up;
        p->settled_ns = MS_SETTLED * MS;
        p->left_ns = MS_FIRST * MS;
    } else {
        uint64_t longest = (p->now < p->most ? MS_MOST_FEWER : MS_MOST) * MS;
        p->left_ns = p->settled_ns;
        p->settled_ns = 2 * p->settled_ns < longest ? 2 * p->settled_ns : longest;
    }
    p->is_measuring = false;
    begin_turn(p, false);
}

static void count_in_turn(struct pace *p, uint64_t ns)
{
    bool has_more = p->is_rival == (p->rival > p->now);
    unsigned least = has_more ? ROUNDS_MORE : ROUNDS_FEWER;
    uint64_t least_ns = (has_more ? US_MORE : US_FEWER) * MS / 1000;
    p->rounds++;
    p->turn_ns += ns;
    if (p->rounds < least || p->turn_ns < least_ns) return;
    p->round_ns[p->is_rival] += (double)p->turn_ns / p->rounds;
    p->turns += p->is_rival;
    if (p->turns == TURNS)
        settle(p);
    else
        begin_turn(p, !p->is_rival);
}

void pace_count(struct pace *p, uint64_t now_ns)
{
    uint64_t ns = now_ns - p->stamp;
    p->stamp = now_ns;
    if (p->is_fresh)
        p->is_fresh = false;
    else if (p->is_measuring)
        count_in_turn(p, ns);
    else if (p->left_ns > ns)
        p->left_ns -= ns;
    else if (p->most > 1)
        begin_measurement(p);
}
