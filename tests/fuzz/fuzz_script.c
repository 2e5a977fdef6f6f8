// libFuzzer target: any bytes as a script, read but not run. A refused script
// gives an error with its position.
#include "cli/script.h"
#include "fuzz/lines.h"

#include <stdlib.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return lines_mutate(data, size, max_size, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag d;
    struct strbuf messages = {0};
    diag_init(&d);
    uint32_t source = diag_add_source(&d, "fuzz.wf", (const char *)data, size);
    bool ok = script_check((const char *)data, size, source, &d);
    diag_format(&d, false, &messages);
    require(ok ? d.errors == 0 : d.errors > 0 && messages.length > 0);
    strbuf_fini(&messages);
    diag_fini(&d);
    return 0;
}
