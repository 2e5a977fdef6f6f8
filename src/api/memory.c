// Device memory from the host. Every range is checked against the allocations. Calls that read, write or free
// memory first wait for launches, as CUDA's synchronous copies do. Stream calls wait only for launches of the
// stream and the default stream.
#include "exec/memory.h"
#include "api/impl.h"
#include "isa/bank.h"

#include <string.h>

struct memory *api_memory(struct wf_context *c)
{
    if (!c->memory) c->memory = memory_create(c->settings.memory_bytes);
    return c->memory;
}

bool wf_share_memory(struct wf_context *c)
{
    if (c->memory)
        return diag_error(&c->diag, loc_none(), "memory to be shared with the host exists already");
    c->memory = memory_create_shared(c->settings.memory_bytes);
    c->is_shared = c->memory != NULL;
    return c->is_shared ||
           diag_error(&c->diag, loc_none(),
                      "device memory cannot be shared with the host: addresses from 4 GiB on, twice "
                      "memory.size, are in use or refused by a limit (ulimit -v)");
}

uint64_t wf_alloc_named(struct wf_context *c, uint64_t bytes, const char *label)
{
    uint64_t address = memory_alloc(api_memory(c), bytes, 256, label);
    if (!address)
        diag_error(&c->diag, loc_none(),
                   "out of device memory: %s wants %llu bytes, %llu of %llu are in use (memory.size)",
                   label ? label : "an allocation", (unsigned long long)bytes,
                   (unsigned long long)memory_in_use(c->memory),
                   (unsigned long long)c->settings.memory_bytes);
    return address;
}

uint64_t wf_alloc(struct wf_context *c, uint64_t bytes) { return wf_alloc_named(c, bytes, NULL); }

enum wf_status wf_free(struct wf_context *c, uint64_t address)
{
    api_wait(c);
    if (memory_free(api_memory(c), address)) return api_told(c);
    if (api_check_free(c, address)) return WF_OK;
    diag_error(&c->diag, loc_none(), "free of 0x%llx, which is not the start of a live allocation",
               (unsigned long long)address);
    return WF_BAD_INPUT;
}

// Host pointer to a device range. NULL: the range is not inside one allocation; the error names neighbouring
// allocations.
static uint8_t *range(struct wf_context *c, const char *what, uint64_t address, uint64_t bytes)
{
    uint8_t *host = memory_host(api_memory(c), address, bytes);
    if (host) return host;
    struct strbuf where = {0};
    memory_describe(c->memory, address, &where);
    diag_error(&c->diag, loc_none(), "%s of %llu bytes at 0x%llx: %s", what, (unsigned long long)bytes,
               (unsigned long long)address, strbuf_text(&where));
    strbuf_fini(&where);
    return NULL;
}

void *wf_host(struct wf_context *c, uint64_t address, uint64_t bytes)
{
    return range(c, "access", address, bytes);
}

enum wf_status wf_lend(struct wf_context *c, void *host, uint64_t bytes)
{
    uint64_t address = (uintptr_t)host;
    if (!c->is_shared || !bytes || address + bytes < address || memory_overlaps(c->memory, address, bytes) ||
        (address < MEMORY_WINDOWS_END && address + bytes > ISA_SHARED_WINDOW)) {
        diag_error(&c->diag, loc_none(), "%llu bytes at 0x%llx cannot be lent to the device: %s",
                   (unsigned long long)bytes, (unsigned long long)address,
                   c->is_shared ? "no bytes, or a part belongs to the device or its windows"
                                : "memory is not shared (wf_share_memory)");
        return WF_BAD_INPUT;
    }
    memory_place(c->memory, address, bytes, "registered host memory");
    c->is_far |= address + bytes > LAUNCH_FAR_ADDRESS;
    return WF_OK;
}

enum wf_status wf_take_back(struct wf_context *c, void *host)
{
    api_wait(c);
    const struct memory_allocation *a = memory_find(api_memory(c), (uintptr_t)host);
    bool is_lent = a && str_equal(a->label, "registered host memory");
    if (is_lent && memory_unplace(c->memory, (uintptr_t)host)) return api_told(c);
    diag_error(&c->diag, loc_none(), "0x%llx is not the start of lent host memory",
               (unsigned long long)(uintptr_t)host);
    return WF_BAD_INPUT;
}

static void note_copied(struct wf_context *c, uint64_t address, uint64_t bytes)
{
    if (!c->chip.l2_copies) return;
    if (c->chip_state)
        chip_copied(c->chip_state, address, bytes);
    else
        vec_push(&c->copied, ((struct span){address, bytes}));
}

// Writes device memory; the caller has waited for launches. Returns WF_BAD_INPUT if the range is not inside
// one allocation. Otherwise returns the status of a launch that failed during a wait (api_told), or WF_OK.
static enum wf_status write_now(struct wf_context *c, uint64_t address, const void *host, uint64_t bytes)
{
    if (!bytes) return api_told(c);
    uint8_t *to = range(c, "write", address, bytes);
    if (!to) return WF_BAD_INPUT;
    memcpy(to, host, bytes);
    api_check_written(c, address, bytes);
    note_copied(c, address, bytes);
    return api_told(c);
}

static enum wf_status read_now(struct wf_context *c, uint64_t address, void *host, uint64_t bytes)
{
    if (!bytes) return api_told(c);
    const uint8_t *from = range(c, "read", address, bytes);
    if (!from) return WF_BAD_INPUT;
    memcpy(host, from, bytes);
    return api_told(c);
}

enum wf_status wf_write(struct wf_context *c, uint64_t address, const void *host, uint64_t bytes)
{
    api_wait(c);
    return write_now(c, address, host, bytes);
}

enum wf_status wf_read(struct wf_context *c, uint64_t address, void *host, uint64_t bytes)
{
    api_wait(c);
    return read_now(c, address, host, bytes);
}

enum wf_status wf_stream_write(struct wf_stream *s, uint64_t address, const void *host, uint64_t bytes)
{
    api_wait_stream(s);
    return write_now(s->context, address, host, bytes);
}

enum wf_status wf_stream_read(struct wf_stream *s, uint64_t address, void *host, uint64_t bytes)
{
    api_wait_stream(s);
    return read_now(s->context, address, host, bytes);
}

enum wf_status wf_copy(struct wf_context *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    api_wait(c);
    if (!bytes) return api_told(c);
    const uint8_t *source = range(c, "copy from", from, bytes);
    uint8_t *target = source ? range(c, "copy to", to, bytes) : NULL;
    if (!target) return WF_BAD_INPUT;
    memmove(target, source, bytes);
    api_check_copied(c, to, from, bytes);
    return api_told(c);
}

enum wf_status wf_fill(struct wf_context *c, uint64_t address, uint32_t pattern, unsigned pattern_bytes,
                       uint64_t count)
{
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4) {
        diag_error(&c->diag, loc_none(),
                   "fill with a pattern of %u bytes; a pattern must have 1, 2 or 4 bytes", pattern_bytes);
        return WF_BAD_INPUT;
    }
    api_wait(c);
    if (!count) return api_told(c);
    uint64_t bytes;
    if (__builtin_mul_overflow(count, (uint64_t)pattern_bytes, &bytes)) bytes = UINT64_MAX;
    uint8_t *to = range(c, "fill", address, bytes);
    if (!to) return WF_BAD_INPUT;
    api_check_written(c, address, bytes);
    if (pattern_bytes == 1) {
        memset(to, (int)(pattern & 0xff), bytes);
        return api_told(c);
    }
    for (uint64_t i = 0; i < bytes; i += pattern_bytes) memcpy(to + i, &pattern, pattern_bytes);
    return api_told(c);
}
