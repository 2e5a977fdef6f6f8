// Loose round robin.
#include "gpu/pick.h"

const struct pick pick_lrr = {.is_fair = true, .first = pick_behind};
