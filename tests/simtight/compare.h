// A program on a GPU beside the oracle, which shares no code with the library and has no time.
// Equal are the text, the bytes and the instructions, including instructions saved by mechanisms.
// On the machine's own GPUs equal are also beats and hits of the stack cache, and compressed
// registers hold the values of plain registers.
#pragma once
#include "harness/test.h"
#include "oracle/simtight.h"

struct compared {
    const char *name;
    const char *bytes; // the ELF file
    size_t length;
    uint8_t input; // the byte of its console
    struct simtight_oracle *oracle;
    const struct simtight_oracle_result *want;
};

// Runs the program on the oracle. False: the program did not end normally, and the case has failed.
bool compared_init(struct compared *c, struct test *t, const char *name, const char *bytes, size_t length,
                   uint8_t input);
void compared_fini(struct compared *c);
// gpu NULL: functionally. settings: "tech=T KEY=VALUE KEY=VALUE", "".
// Returns the number of spilled registers.
uint64_t compared_run(const struct compared *c, struct test *t, const char *gpu, const char *settings);
