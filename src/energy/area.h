// Areas in square millimetres, of parts that papers give and of what is made of them (area.def).
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct area {
    const char *kind; // "part", "SM", "chip"
    const char *name;
    double mm2;   // a part's as the text has it, others' added up
    double paper; // what the text prints for the sum; 0: nothing, or it is a part
};
bool area_at(size_t index, struct area *a); // false past the last
