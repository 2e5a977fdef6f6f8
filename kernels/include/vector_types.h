// CUDA has this name for a part of what cuda_runtime.h brings.
#pragma once
#include "cuda_runtime.h"
