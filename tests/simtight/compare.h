// A program on a GPU beside the oracle, which shares no code with it and knows no time: the same text, bytes and
// instructions, those that mechanisms spared included; on the machine's own GPUs the same beats and hits of the stack cache, and compressed registers that hold
// what plain ones do.
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

// Runs it on the oracle. False, and the case has failed: it did not come to its end there.
bool compared_init(struct compared *c, struct test *t, const char *name, const char *bytes, size_t length,
                   uint8_t input);
void compared_fini(struct compared *c);
// gpu NULL: functionally. settings: "tech=T KEY=VALUE KEY=VALUE", "". The registers that were spilled.
uint64_t compared_run(const struct compared *c, struct test *t, const char *gpu, const char *settings);
