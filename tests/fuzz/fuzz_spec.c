// libFuzzer target: any text as SPEC. No crash and no leak; a refused text gives an error, and an accepted
// SPEC can be filled. Specs naming files are left out, because they would read the host's files.
#include "base/str.h"
#include "cli/spec.h"

#include <stdlib.h>
#include <string.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = heap_alloc(size + 1);
    memcpy(text, data, size);
    struct diag d;
    struct spec s;
    diag_init(&d);
    if (!strstr(text, "file:") && !strstr(text, "bytes=@")) {
        bool ok = spec_parse(&s, text, NULL, "--arg 0", loc_none(), &d);
        require(ok ? d.errors == 0 : d.errors == 1);
        if (ok && (s.kind == SPEC_BUFFER || s.kind == SPEC_TEXTURE)) {
            uint8_t some[64];
            spec_fill(&s, s.count / 2, s.count < 8 ? s.count - s.count / 2 : 4, some);
        }
        if (ok) spec_fini(&s);
    }
    diag_fini(&d);
    free(text);
    return 0;
}
