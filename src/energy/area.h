// Areas in square millimetres, of parts given in papers and of sums of parts (area.def).
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct area {
    const char *kind; // "part", "SM", "chip"
    const char *name;
    double mm2;   // part: as in the text; SM, chip: sum of parts
    double paper; // sum printed in the text; 0: not printed, or a part
};
bool area_at(size_t index, struct area *a); // false past the last
