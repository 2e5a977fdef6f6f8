// libFuzzer target: any bytes as a packed text. No crash; refused input gives a message; an accepted text is unchanged
// by packing and unpacking.
#include "base/packed.h"

#include <stdlib.h>

static void require(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PACKED_AGAIN_MOST = 1 << 20 };
    struct strbuf packed = {0};
    char *text, *again;
    size_t length, again_length;
    const char *why = NULL;
    if (!packed_read(data, size, &text, &length, &why)) {
        require(why != NULL);
        return 0;
    }
    if (length < PACKED_AGAIN_MOST) {
        require(packed_write(text, length, &packed));
        require(packed_read(packed.text, packed.length, &again, &again_length, &why));
        require(again_length == length && memcmp(again, text, length) == 0);
        free(again);
    }
    free(text);
    strbuf_fini(&packed);
    return 0;
}
