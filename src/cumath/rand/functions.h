// Prototypes of cuRAND's functions.
#pragma once
#include "cumath/rand/rand.h"

#define FUNCTION(name, parameters, call) enum rand_status name parameters;
#define ABSENT(name)                     enum rand_status name(void);
#include "cumath/rand/curand.def"
#undef FUNCTION
#undef ABSENT
