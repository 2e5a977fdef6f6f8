// Places of arguments and results of device functions (docs/reference/abi.md): registers R4 to R15 in order,
// 64-bit values in aligned pairs. When registers run out, places lie in the caller's outgoing area on the
// stack, where results follow the arguments.
#pragma once
#include "base/bits.h"
#include "compile/mach/mach.h"

enum { ABI_VALUES_MAX = 32 };

struct abi_layout {
    unsigned next_reg;
    uint32_t stack_bytes;
};

struct abi_place {
    bool in_register;
    unsigned reg, words;
    uint32_t offset; // in the caller's outgoing area, bytes
};

static inline struct abi_layout abi_arguments(void) { return (struct abi_layout){ABI_FIRST_ARGUMENT, 0}; }

// Results reuse the registers R4 to R15; on the stack they follow the arguments.
static inline struct abi_layout abi_results(const struct abi_layout *after_arguments)
{
    return (struct abi_layout){ABI_FIRST_ARGUMENT, (uint32_t)align_up(after_arguments->stack_bytes, 8)};
}

static inline unsigned abi_words(enum ir_class class) { return class == IR_CLASS_64 ? 2 : 1; }

static inline struct abi_place abi_next(struct abi_layout *l, enum ir_class class)
{
    struct abi_place p = {.words = abi_words(class)};
    unsigned reg = (unsigned)align_up(l->next_reg, p.words);
    p.in_register = reg + p.words <= ABI_ARGUMENT_END;
    if (p.in_register) {
        p.reg = reg;
        l->next_reg = reg + p.words;
    } else {
        p.offset = (uint32_t)align_up(l->stack_bytes, 4 * p.words);
        l->stack_bytes = p.offset + 4 * p.words;
    }
    return p;
}

static inline uint64_t abi_round(uint32_t frame_bytes) { return align_up(frame_bytes, 16); }
