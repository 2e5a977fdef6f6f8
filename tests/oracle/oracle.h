// The oracle: runs a PTX module one thread at a time, in the plainest way there is.
//
// It exists to be compared with, so it shares nothing with the compiler and the engine: it reads the typed
// module of ptx/ and follows the text of the PTX ISA, one instruction at a time, every register a 64-bit
// number. Threads of a block take turns: each runs until it waits (a barrier, or an instruction whose result
// needs other lanes of its warp), ends, or has used up its turn. Blocks run one after another.
//
// Approximate functions (sin.approx and the like) give the host's value of them, so programs that use them
// cannot be compared bit by bit.
#pragma once
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

struct oracle;

struct oracle *oracle_create(const struct ptx_module *m); // m must outlive it
void oracle_destroy(struct oracle *o);

// Device addresses [address, address + size) are these host bytes.
void oracle_map(struct oracle *o, uint64_t address, void *bytes, uint64_t size);
// A module variable (.global) has this device address instead of one of the oracle's choosing; its bytes are
// the oracle's own, initialised as the module says. Before the first launch.
void oracle_place(struct oracle *o, const struct ptx_variable *v, uint64_t address);
// The current bytes of a module variable.
uint8_t *oracle_variable(struct oracle *o, const struct ptx_variable *v);

enum oracle_texel {
    ORACLE_TEXEL_U8,
    ORACLE_TEXEL_S8,
    ORACLE_TEXEL_U16,
    ORACLE_TEXEL_S16,
    ORACLE_TEXEL_U32,
    ORACLE_TEXEL_S32,
    ORACLE_TEXEL_F16,
    ORACLE_TEXEL_F32
};
enum oracle_address { ORACLE_WRAP, ORACLE_CLAMP, ORACLE_MIRROR, ORACLE_BORDER };

struct oracle_texture { // handle = index + 1, as the host library numbers them
    uint64_t data;
    enum oracle_texel texel;
    unsigned channels;
    uint32_t width, height, depth, pitch_bytes;
    bool normalised_coordinates, normalised_read, linear;
    enum oracle_address address[3];
};
void oracle_texture(struct oracle *o, uint64_t handle, const struct oracle_texture *t);

struct oracle_launch {
    const struct ptx_function *kernel;
    uint32_t grid[3], block[3];
    uint32_t warp_size;      // 0: 32
    uint32_t dynamic_shared; // bytes
    const void *params;      // the kernel's parameter block
    uint64_t max_steps;      // thread instructions; 0: no limit
    bool strict;             // what has no defined result is a fault: see check.c
    bool ordered;      // with strict: threads may order what they do by strong accesses, too; whether they
                       // do must be seen by schedules that leave the same memory
    uint64_t schedule; // 0: threads take long turns, in order of their numbers; else a seed of short ones
    void (*print)(void *context, const char *text, size_t length); // vprintf; NULL drops it
    void *print_context;
};
// False when the program faults; oracle_error says how.
bool oracle_launch(struct oracle *o, const struct oracle_launch *l);
const char *oracle_error(const struct oracle *o);
uint64_t oracle_steps(const struct oracle *o); // thread instructions so far
