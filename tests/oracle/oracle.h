// The oracle: runs a PTX module one thread at a time, as plainly as possible.
//
// The oracle is the reference for comparisons and shares no code with the compiler and the engine. It reads
// the typed module of ptx/ and follows the text of the PTX ISA, one instruction at a time; every register
// is a 64-bit number. Threads of a block take turns: a thread runs until it waits (at a barrier, or at an
// instruction that needs other lanes), ends, or has used up its turn. Blocks run one after another.
//
// Approximate functions (sin.approx, for example) give the host's value, so programs with approximate
// functions cannot be compared bit by bit.
#pragma once
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

struct oracle;

struct oracle *oracle_create(const struct ptx_module *m); // m: the caller's, must outlive the oracle
void oracle_destroy(struct oracle *o);

// Maps device addresses [address, address + size) to host bytes.
void oracle_map(struct oracle *o, uint64_t address, void *bytes, uint64_t size);
// Gives a module variable (.global) a device address instead of an address chosen by the oracle. The bytes
// are the oracle's own, initialised as the module says. Call before the first launch.
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

struct oracle_texture { // handle = index + 1, as numbered by the host library
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
    bool strict;             // an undefined result is a fault: see check.c
    // with strict: threads may order accesses by strong accesses, too; a missing order shows only as
    // different memory under another schedule
    bool ordered;
    // 0: threads take long turns, in order of thread numbers; else a seed for short turns
    uint64_t schedule;
    void (*print)(void *context, const char *text, size_t length); // vprintf; NULL drops it
    void *print_context;
};
// False when the program faults; oracle_error says how.
bool oracle_launch(struct oracle *o, const struct oracle_launch *l);
const char *oracle_error(const struct oracle *o);
uint64_t oracle_steps(const struct oracle *o); // thread instructions so far
