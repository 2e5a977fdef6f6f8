// The table of policies, and functions shared by policies.
#include "sm/issue/pick.h"
#include "sm/sm_impl.h"

#define PICK(symbol, word, meaning) extern const struct pick pick_##symbol;
#include "sm/issue/pick.def"
#undef PICK

const struct pick *pick_policy(int policy)
{
    static const struct pick *const all[] = {
#define PICK(symbol, word, meaning) &pick_##symbol,
#include "sm/issue/pick.def"
#undef PICK
    };
    return all[policy];
}

unsigned pick_oldest(const struct sm *s, uint64_t among) { return oldest_of(s, among); }

unsigned pick_behind(const struct sm *s, unsigned last, uint64_t among)
{
    (void)s;
    return pick_next(last, among);
}
