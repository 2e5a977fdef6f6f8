// The host's floating-point modes while something of ours computes: to nearest, with subnormals, without
// traps. A program that uses the library may have set others, or have been started by what -ffast-math links
// to it, and would get other values and other code. It finds its modes and flags as they were.
#pragma once
#include <fenv.h>

static inline fenv_t host_modes_begin(void)
{
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV); // with FTZ and DAZ off, too
    return before;
}
static inline void host_modes_end(const fenv_t *before) { fesetenv(before); }
