// Areas in square millimetres, of parts as given in Xiang's dissertation, and of sums of parts (area.def).
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct area {
    const char *kind; // "part", "SM", "chip"
    const char *name;
    double mm2;   // area: of a part as printed in a paper, of an SM or chip as the sum of parts
    double paper; // of a chip: sum printed in the paper; 0: not printed, or an SM or a part
};
bool area_at(size_t index, struct area *a); // false past the last
