#include "harness/names.h"
#include "base/str.h"

#include "api/warpfold.h"

const char *test_gpu_room(const char *gpu)
{
    bool is_small =
        str_starts_with(gpu, "gtx28") || str_starts_with(gpu, "gtx480") || str_starts_with(gpu, "gpu-");
    return is_small ? "sm.registers=65536 sm.shared_bytes=65536" : "";
}

void test_name_gpus(test_names *names)
{
    const char *name, *meaning;
    for (size_t i = 0; wf_gpu_at(i, &name, &meaning); i++) vec_push(names, name);
}

void test_name_techs(test_names *names)
{
    const char *name, *meaning;
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++) vec_push(names, name);
}

void test_name_more(test_names *names, const char *const *more, size_t count)
{
    for (size_t i = 0; i < count; i++) vec_push(names, more[i]);
}
