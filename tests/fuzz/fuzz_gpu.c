// libFuzzer target: any text as a GPU file. Refused: an error, and the context has no GPU. Accepted: the
// classes cover all SMs, their settings are consistent, and a file of all keys makes the same GPU.
#include "api/impl.h"
#include "base/str.h"
#include "fuzz/lines.h"

#include <stdlib.h>
#include <string.h>

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

// A file of all keys of the context's GPU, then class by class. With classes gpu.sm_count is the sum of their
// counts, so the key is left out.
static void put_file(const struct wf_context *c, struct strbuf *out)
{
    const struct gpu_classes *all = &c->classes;
    for (size_t l = 0; l < c->config.layer_count; l++)
        for (size_t i = 0; i < c->config.layers[l].key_count; i++) {
            const struct config_key *key = &c->config.layers[l].keys[i];
            bool is_sum = all->count && strcmp(key->name, "gpu.sm_count") == 0;
            if (is_sum || key->type == CONFIG_TEXT) continue; // an empty text has no line
            strbuf_printf(out, "%s = ", key->name);
            config_format(&c->config, key, out);
            strbuf_putc(out, '\n');
        }
    for (unsigned k = 0; k < all->count; k++) {
        const struct gpu_class *class = &all->all[k];
        strbuf_printf(out, "class.%s.count = %u\n", class->name, class->count);
        for (size_t i = 0; i < gpu_config_key_count; i++) {
            if (!class->origins[i].is_set) continue;
            strbuf_printf(out, "class.%s.%s = ", class->name, gpu_config_keys[i].name);
            config_format_value(&gpu_config_keys[i], &class->values, out);
            strbuf_putc(out, '\n');
        }
    }
}

static void check_kinds(struct wf_context *c)
{
    struct gpu_kind kinds[GPU_KINDS_MAX];
    unsigned count = chip_kinds(&c->chip, kinds), sms = 0;
    require(count >= 1 && count <= GPU_KINDS_MAX);
    for (unsigned k = 0; k < count; k++) {
        require(kinds[k].first == sms && kinds[k].count > 0 && !gpu_config_check(&kinds[k].config));
        for (uint32_t each = 1; each < 256; each += 50) gpu_registers_for(&kinds[k].config, 32 * each);
        sms += kinds[k].count;
    }
    require(sms == c->chip.sm_count && !memory_config_check(&c->chip.memory));
}

static void check_again(const struct wf_context *c)
{
    struct wf_context *other = wf_context_create();
    struct strbuf file = {0}, again = {0};
    put_file(c, &file);
    require(api_gpu_text(other, "again.gpu", strbuf_text(&file), file.length) == WF_OK);
    put_file(other, &again);
    require(strcmp(strbuf_text(&file), strbuf_text(&again)) == 0);
    wf_context_destroy(other);
    strbuf_fini(&file);
    strbuf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wf_context *c = wf_context_create();
    if (api_gpu_text(c, "fuzz.gpu", (const char *)data, size) == WF_OK) {
        require(!*wf_errors(c));
        check_kinds(c);
        if (hash_bytes(data, size, 0) % 4 == 0) check_again(c); // five times as slow as the rest
        wf_check_settings(c);
    } else {
        require(*wf_errors(c) && !c->gpu);
    }
    wf_context_destroy(c);
    return 0;
}
