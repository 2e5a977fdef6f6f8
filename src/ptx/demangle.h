// Whole names of templates' instances, from Itanium-mangled names.
#pragma once
#include "base/arena.h"

// The whole name with namespaces and template arguments ("ns::foo<float, 2>"), without parameters. As
// ptx_unmangle where the mangled name has parts of other kinds. Points into arena memory.
const char *ptx_demangle(struct arena *a, const char *name);
