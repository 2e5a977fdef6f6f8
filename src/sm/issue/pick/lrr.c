// Loose round robin.
#include "sm/issue/pick.h"

const struct pick pick_lrr = {.is_fair = true, .first = pick_behind};
