// The device as the program sees it: number 0, with the properties of the GPU's file.
#pragma once
#include "cudart/state.h"

enum { DEVICE_SHARED_BYTES = 48 << 10 }; // of a block, without cudaFuncAttributeMaxDynamicSharedMemorySize

struct device_facts {
    char name[64];
    int major, minor; // compute capability
    int sms, warps, blocks, registers, shared_bytes, l2_bytes, core_khz, memory_khz, bus_bits;
    int double_ratio; // rate of single over rate of double precision
    int shared_optin; // largest shared memory of a block
    uint64_t memory_bytes;
};
// Number or size by the name of a key of the context; 0: no such key, or a word.
uint64_t device_key(struct wf_context *c, const char *name);
const struct device_facts *device_facts(struct cudart *r);
unsigned device_architecture(struct cudart *r); // 61 for compute capability 6.1
uint32_t device_sms(struct cudart *r);
// A note that the program's code is for newer devices than the GPU; once.
void device_say_newer(struct cudart *r, unsigned architecture);
