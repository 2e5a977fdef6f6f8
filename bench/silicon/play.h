// Plays a script on a device and takes the time of its launches: commands load, buffer, texture, symbol, fill, copy, launch,
// repeat, end, swap, with the library's own reader and data.
#pragma once
#include "bench/silicon/device.h"

struct play_times {
    VEC(struct device_time) list; // of launches, in order
};

// False and errors. What the script made is given back.
bool play_script(struct device *device, const char *path, struct play_times *times, struct diag *d);
