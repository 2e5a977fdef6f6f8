// bfloat16: warpfold/bfloat16.h.
#pragma once
#include "cuda_runtime.h"
#include "warpfold/bfloat16.h"
