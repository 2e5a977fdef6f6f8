// The host's floating-point modes while the library loads, compiles or runs code: round to nearest,
// subnormals on, traps off. With other modes, set by the calling program or by -ffast-math start-up code,
// values and generated code would differ. host_modes_end restores the caller's modes and flags.
#pragma once
#include <fenv.h>

static inline fenv_t host_modes_begin(void)
{
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV); // FTZ and DAZ off as well
    return before;
}
static inline void host_modes_end(const fenv_t *before) { fesetenv(before); }
