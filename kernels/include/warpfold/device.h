// All of CUDA's device side but half precision: what a kernel sees without any #include of its own.
#pragma once
typedef __SIZE_TYPE__ size_t;

#include "atomic.h"
#include "builtin.h"
#include "cache.h"
#include "convert.h"
#include "integer.h"
#include "io.h"
#include "math_basic.h"
#include "math_double.h"
#include "math_float.h"
#include "math_names.h"
#include "math_special.h"
#include "qualifiers.h"
#include "rounded.h"
#include "simd.h"
#include "texture.h"
#include "vector_types.h"
#include "warp.h"
