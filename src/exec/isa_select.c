// Which build of the fast forms runs: asked of the processor, never of a file-scope variable.
#include "exec/exec_impl.h"

const char *exec_isa_name(enum exec_isa isa)
{
    switch (isa) {
    case EXEC_ISA_AUTO: return "auto";
    case EXEC_ISA_PORTABLE: return "portable";
    case EXEC_ISA_AVX2: return "avx2";
    case EXEC_ISA_AVX512: return "avx512";
    case EXEC_ISA_COUNT: break;
    }
    return NULL;
}

bool exec_isa_available(enum exec_isa isa) { return isa == EXEC_ISA_AUTO || isa == EXEC_ISA_PORTABLE; }

enum exec_isa exec_isa_resolve(enum exec_isa isa)
{
    (void)isa;
    return EXEC_ISA_PORTABLE;
}

const struct handlers *exec_fast_form(const struct exec *e, const struct inst *i, struct bound *d)
{
    (void)e, (void)i, (void)d;
    return NULL;
}
