#include "sm/mech/duel.h"
#include "sm/mech/tech.h"

void duel_init(struct duel *d, const struct duel_config *config, uint64_t now)
{
    *d = (struct duel){.config = *config, .ends = now + config->epoch, .followers_on = config->begins_on};
}

enum duel_role duel_role(const struct duel *d, unsigned sm)
{
    unsigned n = d->config.leaders, place = sm - d->config.first;
    if (sm < d->config.first || place >= 2 * n) return DUEL_FOLLOWS;
    return place < n ? DUEL_ON : DUEL_OFF;
}

bool duel_is_on(const struct duel *d, unsigned sm)
{
    enum duel_role role = duel_role(d, sm);
    return role == DUEL_FOLLOWS ? d->followers_on : role == DUEL_ON;
}

static void judge(struct duel *d, uint64_t on, uint64_t off)
{
    bool says_something = on && off && on != off;
    bool is_against = says_something && (on > off) != d->followers_on;
    d->against = is_against ? d->against + 1 : 0;
    if (d->against < d->config.hold) return;
    d->followers_on = on > off;
    d->against = 0;
}

// Several epochs may have ended since the last call: all the work counts for the first, and the later epochs,
// without work, are undecided.
void duel_tell(struct duel *d, uint64_t now, uint64_t on, uint64_t off)
{
    for (; now >= d->ends; d->ends += d->config.epoch) {
        bool has_work = on > d->on || off > d->off;
        if (!d->config.in_total)
            judge(d, on - d->on, off - d->off);
        else if (has_work)
            judge(d, on, off);
        d->on = on;
        d->off = off;
    }
}

void duel_watch(struct duel *d, const struct tech_view *v)
{
    uint64_t work[DUEL_FOLLOWS + 1] = {0};
    if (v->now < d->ends) return;
    for (unsigned k = 0; k < v->count; k++)
        for (unsigned n = 0; n < LANES_COUNT; n++)
            work[duel_role(d, v->sms[k].index)] += v->sms[k].counts->lanes[n];
    duel_tell(d, v->now, work[DUEL_ON], work[DUEL_OFF]);
}
