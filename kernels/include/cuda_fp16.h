// Half precision: warpfold/half.h.
#pragma once
#include "cuda_runtime.h"
#include "warpfold/half.h"
