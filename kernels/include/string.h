// <string.h> on the device is warpfold/io.h. The host's own follows where there is one.
#pragma once
#include "warpfold/device.h"
#if __has_include_next(<string.h>)
#include_next <string.h>
#endif
