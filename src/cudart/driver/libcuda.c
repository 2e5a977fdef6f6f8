// libcuda.so.1: the names of driver.def as jumps into the CUDA runtime's library, which has the device, the heap and the
// functions (lookup.c). The runtime that the program is linked with is taken, else libcudart.so.13 beside this library.
//
//     cuInit:  jmp *slot          slots: words, in the order of driver.def, filled as the library is loaded
#include "cudart/driver/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define JUMP(name)                                                                                           \
    ".globl " #name "\n.type " #name ",@function\n.p2align 3\n" #name ":\tjmp *9f(%rip)\n.size " #name       \
    ",.-" #name "\n.pushsection driver_slots,\"aw\"\n9:\t.quad 0\n.popsection\n"
#define TWIN_NONE(name)
#define TWIN_PTSZ(name)                                 JUMP(name##_ptsz)
#define TWIN_PTDS(name)                                 JUMP(name##_ptds)
#define CALL(name, twin, since, need, parameters, call) JUMP(name) TWIN_##twin(name)
#define OWN(name, twin, since, need, parameters, call)  CALL(name, twin, since, need, parameters, call)
#define ABSENT(name)                                    JUMP(name)
__asm__(".text\n"
#include "cudart/driver/driver.def"
);

extern driver_function *__start_driver_slots[], *__stop_driver_slots[];

static const struct driver_table *table_of(const char *runtime, int flags)
{
    void *library = dlopen(runtime, RTLD_NOW | RTLD_GLOBAL | flags);
    return library ? dlsym(library, "warpfold_driver") : NULL;
}

static const struct driver_table *find_table(void)
{
    const struct driver_table *table = dlsym(RTLD_DEFAULT, "warpfold_driver");
    if (!table) table = table_of("libcudart.so.13", RTLD_NOLOAD);
    if (!table) table = table_of("libcudart.so.11.0", RTLD_NOLOAD);
    return table ? table : table_of("libcudart.so.13", 0);
}

static void fail(void)
{
    fputs("warpfold: libcuda.so.1 finds no CUDA runtime of its build: start the program by `warpfold run -- "
          "PROGRAM`\n",
          stderr);
    exit(WF_BAD_INPUT);
}

static __attribute__((constructor)) void fill_slots(void)
{
    const struct driver_table *table = find_table();
    size_t count = (size_t)(__stop_driver_slots - __start_driver_slots);
    if (table && table->count != count) table = NULL;
    for (size_t i = 0; i < count; i++) __start_driver_slots[i] = table ? table->functions[i] : fail;
}
