// The seam between the runtime and its surroundings: settings of the context, and reports of launches. `warpfold run
// -- PROGRAM` fills the table (cli/attached.c); the runtime calls the functions under its lock.
#pragma once
#include "api/warpfold.h"

struct cudart_hooks {
    // Applies settings to the new context. Returns the state that the other functions get. NULL: messages have been
    // printed, and the program gets no device.
    void *(*begin)(struct wf_context *c);
    // Before a launch of the kernel: chooses time or none for the launch.
    void (*choose)(void *state, const char *kernel);
    // A launch is over.
    void (*over)(void *state, struct wf_kernel *k, const struct wf_launch_config *shape,
                 const struct wf_stats *stats);
    // The program ends; is_idle: no launch is under way. failed_launches: launches that
    // ended with a fault, 0 if the program has asked for the error.
    void (*end)(void *state, bool is_idle, unsigned failed_launches);
    const char *(*gpu)(const void *state); // the GPU's name; NULL: functional
    bool (*is_quiet)(const void *state);   // no notes on stderr
};
extern const struct cudart_hooks cudart_hooks;
