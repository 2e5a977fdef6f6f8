// Names from the library's registries: tests cover every entry without a list of their own.
#pragma once
#include "base/vec.h"

#include <stddef.h>

typedef VEC(const char *) test_names;

void test_name_gpus(test_names *names);
// Settings to make the blocks of every bundled kernel fit on the GPU: "" for most GPUs, more registers
// and shared memory for old GPUs.
const char *test_gpu_room(const char *gpu);
void test_name_techs(test_names *names);
void test_name_more(test_names *names, const char *const *more, size_t count);
