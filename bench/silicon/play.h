// Plays a script on a device and takes the time of its launches: commands load, buffer, texture, symbol, fill, copy, launch,
// repeat, end, swap, with the library's own reader and data.
#pragma once
#include "bench/silicon/device.h"

// Launches to profile: index `from` and up. After each of them a line `name,index,kernel,"grid","block"` goes to `out`.
struct play_watch {
    const char *name;
    size_t from;
    FILE *out;
};

struct play_times {
    VEC(struct device_time) list;   // of launches, in order
    const struct play_watch *watch; // NULL: no launch is profiled
};

// False and errors. What the script made is given back.
bool play_script(struct device *device, const char *path, struct play_times *times, struct diag *d);
// Stores the number of launches of a script, found without a device and without content. False and errors.
bool play_count(const char *path, size_t *launches, struct diag *d);
