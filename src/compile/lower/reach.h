// Functions, blocks and variables that a kernel can reach. Unreachable code is not compiled, and an
// unsupported construct in it does not refuse the kernel. An indirect call reaches every function of its shape whose
// address the module takes: another kernel, or the host, may have stored the address.
#pragma once
#include "base/hash.h"
#include "compile/lower/cut.h"

struct reach_function {
    const struct ptx_function *function;
    struct cut cut;
    bool address_taken; // an indirect call can reach it
};

struct reach {
    struct arena arena;
    VEC(struct reach_function) functions;       // [0] is the kernel; in the order of discovery
    struct u64map function_index;               // struct ptx_function * -> index
    VEC(const struct ptx_variable *) variables; // of any space, in the order of discovery
    struct u64map variable_index;
    bool takes_params; // cvta.param: the kernel's parameters need generic addresses
};

// False and a located error if the kernel has no body, or reaches an unsupported construct, a function
// without a body, or an undefined variable. Call reach_fini in both cases.
bool reach_kernel(struct reach *r, const struct ptx_module *m, const struct ptx_function *kernel,
                  struct diag *d);
void reach_fini(struct reach *r);
bool reach_has(const struct reach *r, const struct ptx_variable *v);

// Functions without a body, provided by the machine. SERVICE_NONE: any other function.
enum reach_service { SERVICE_NONE, SERVICE_VPRINTF, SERVICE_ASSERTFAIL };
enum reach_service reach_service_of(const struct ptx_function *f);
