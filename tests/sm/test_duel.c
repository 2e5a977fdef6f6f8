// Duel: leaders, followers, and changes of followers, epoch by epoch.
#include "harness/test.h"
#include "sm/mech/duel.h"

enum { EPOCH = 100 };

static struct duel duel_of(unsigned hold, unsigned leaders)
{
    struct duel d;
    struct duel_config c = {EPOCH, hold, leaders, .first = 0};
    duel_init(&d, &c, 7);
    return d;
}

static void test_roles(struct test *t)
{
    struct duel d = duel_of(1, 2);
    for (unsigned sm = 0; sm < 6; sm++) {
        CHECK_EQ(t, duel_role(&d, sm), sm < 2 ? DUEL_ON : sm < 4 ? DUEL_OFF : DUEL_FOLLOWS);
        CHECK_EQ(t, duel_is_on(&d, sm), sm < 2);
    }
    d.config.first = 3; // SMs below `first` follow, too
    for (unsigned sm = 0; sm < 9; sm++)
        CHECK_EQ(t, duel_role(&d, sm), sm < 3 || sm >= 7 ? DUEL_FOLLOWS : sm < 5 ? DUEL_ON : DUEL_OFF);
    d.config.first = 0;
    duel_tell(&d, 7 + EPOCH, 5, 4);
    for (unsigned sm = 0; sm < 6; sm++) CHECK_EQ(t, duel_is_on(&d, sm), sm < 2 || sm >= 4);
}

// Work of the on-leaders and of the off-leaders in an epoch, and whether followers are on afterwards.
struct epoch {
    uint64_t on, off;
    bool followers;
};

static void follow(struct test *t, unsigned hold, const struct epoch *epochs, unsigned count)
{
    struct duel d = duel_of(hold, 1);
    uint64_t on = 0, off = 0, now = 7;
    for (unsigned k = 0; k < count; k++) {
        duel_tell(&d, now + EPOCH - 1, on + epochs[k].on / 2, off + 1000); // the epoch has not ended
        CHECK_EQ(t, duel_is_on(&d, 2), k ? epochs[k - 1].followers : false);
        duel_tell(&d, now += EPOCH, on += epochs[k].on, off += epochs[k].off);
        CHECK_MSG(t, duel_is_on(&d, 2) == epochs[k].followers, "epoch %u", k);
    }
}

static void test_epochs(struct test *t)
{
    static const struct epoch at_once[] = {{5, 6, false}, {6, 5, true}, {6, 6, true}, {0, 9, true},
                                           {9, 0, true},  {0, 0, true}, {5, 6, false}};
    follow(t, 1, at_once, TEST_COUNT(at_once));
    // Two wins in a row switch the followers: ties, and epochs with an
    // idle leader, keep the state and end a row.
    static const struct epoch held[] = {{6, 5, false}, {5, 6, false}, {6, 5, false}, {5, 5, false},
                                        {6, 5, false}, {0, 5, false}, {7, 5, false}, {6, 5, true},
                                        {4, 5, true},  {6, 5, true},  {4, 5, true},  {4, 5, false}};
    follow(t, 2, held, TEST_COUNT(held));
}

// Two idle epochs: a single report after both equals a report after every epoch.
static void test_idle(struct test *t)
{
    struct duel once = duel_of(2, 1), each = duel_of(2, 1);
    for (unsigned k = 1; k <= 4; k++) {
        uint64_t on = k == 4 ? 40 : 10, off = k == 4 ? 36 : 9;
        if (k != 2) duel_tell(&once, 7 + k * EPOCH, on, off);
        duel_tell(&each, 7 + k * EPOCH, on, off);
    }
    CHECK(t, once.ends == each.ends && once.followers_on == each.followers_on && once.on == each.on);
    struct duel d = duel_of(1, 1);
    duel_tell(&d, 7 + 3 * EPOCH, 10, 9); // all work belongs to the first epoch
    CHECK(t, duel_is_on(&d, 2) && d.ends == 7 + 4 * EPOCH);
}

// In total: the followers keep the way that has done more since the begin, whatever the last epoch says; they begin as
// told.
static void test_total(struct test *t)
{
    struct duel d;
    const struct duel_config c = {EPOCH, .hold = 1, .leaders = 1, .in_total = true, .begins_on = true};
    duel_init(&d, &c, 0);
    CHECK(t, duel_is_on(&d, 2) && duel_is_on(&d, 0) && !duel_is_on(&d, 1));
    duel_tell(&d, EPOCH, 10, 20);
    CHECK(t, !duel_is_on(&d, 2));
    duel_tell(&d, 2 * EPOCH, 28, 30); // 18 to 10 in the epoch, 28 to 30 in total
    CHECK(t, !duel_is_on(&d, 2));
    duel_tell(&d, 3 * EPOCH, 41, 40);
    CHECK(t, duel_is_on(&d, 2));
    duel_tell(&d, 4 * EPOCH, 41, 42);
    CHECK(t, !duel_is_on(&d, 2));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"roles", test_roles}, {"epochs", test_epochs}, {"idle", test_idle}, {"total", test_total}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
