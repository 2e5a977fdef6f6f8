#include "gpu/duel.h"

void duel_init(struct duel *d, const struct duel_config *config, uint64_t now)
{
    *d = (struct duel){.config = *config, .ends = now + config->epoch};
}

enum duel_role duel_role(const struct duel *d, unsigned sm)
{
    unsigned n = d->config.leaders;
    return sm < n ? DUEL_ON : sm < 2 * n ? DUEL_OFF : DUEL_FOLLOWS;
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

// Cycles may have passed in which nothing happened, whole epochs of them: these say nothing each.
void duel_tell(struct duel *d, uint64_t now, uint64_t on, uint64_t off)
{
    for (; now >= d->ends; d->ends += d->config.epoch) {
        judge(d, on - d->on, off - d->off);
        d->on = on;
        d->off = off;
    }
}
