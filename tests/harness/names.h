// Names from the library's registries, so that what is added there is tried without a list that names it.
#pragma once
#include "base/vec.h"

#include <stddef.h>

typedef VEC(const char *) test_names;

void test_name_gpus(test_names *names);
// Settings with which the blocks of every bundled kernel fit on the GPU: "" of most, more registers and shared memory of old ones.
const char *test_gpu_room(const char *gpu);
void test_name_techs(test_names *names);
void test_name_more(test_names *names, const char *const *more, size_t count);
