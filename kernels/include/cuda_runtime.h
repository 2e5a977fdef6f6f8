// What nvcc includes by itself, for clang without CUDA: the whole device side, the host's calls, and of the C
// library what comes along with them, where it is installed.
#pragma once
#include "warpfold/device.h"
#include "warpfold/host.h"
#if __has_include(<cmath>)
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#endif
#include <limits.h>
#include <math.h>
