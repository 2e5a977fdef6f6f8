// `warpfold list gpus`: the bundled GPUs. With a name or file: settings of the GPU, each with its origin.
#include "cli/list.h"
#include "cli/print.h"

static int list_all(void)
{
    static const char *const heads[] = {"GPU", "what it is"};
    struct table t;
    const char *name, *meaning;
    table_init(&t, heads, 2);
    for (size_t i = 0; wf_gpu_at(i, &name, &meaning); i++) {
        table_add(&t, "%s", name);
        table_add(&t, "%s", meaning);
    }
    for (size_t i = 0; wf_riscv_gpu_at(i, &name, &meaning); i++) {
        table_add(&t, "%s", name);
        table_add(&t, "%s", meaning);
    }
    list_print(&t);
    return WF_OK;
}

static const char *from_text(const struct wf_key *key)
{
    return str_equal(key->from, "set") ? "--set" : key->from;
}

static void list_classes(struct wf_context *c)
{
    static const char *const heads[] = {"class of SMs", "SMs", "numbers", "from"};
    struct wf_class class;
    struct wf_key count = {.name = "count"};
    struct table t;
    if (!wf_class_at(c, 0, &class)) return;
    table_init(&t, heads, 4);
    for (size_t k = 0; wf_class_at(c, k, &class); k++) {
        table_add(&t, "%s", class.name);
        table_add(&t, "%u", class.count);
        table_add(&t, "%u to %u", class.first, class.first + class.count - 1);
        table_add(&t, "%s", wf_class_key(c, k, &count) ? from_text(&count) : "");
    }
    list_print(&t);
}

static void add_key(struct table *t, const struct wf_key *key)
{
    table_add(t, "%s", key->value);
    if (key->source)
        table_add(t, "%s: %s", from_text(key), key->source);
    else
        table_add(t, "%s", from_text(key));
}

// Lists keys of the GPU, and other keys set by the file or --set. Values of SM classes follow below a key.
static void list_keys_of(struct wf_context *c)
{
    static const char *const heads[] = {"key", "value", "from"};
    struct wf_class class;
    struct wf_key key;
    struct table t;
    table_init(&t, heads, 3);
    for (size_t i = 0; wf_key_at(c, i, &key); i++) {
        if (!key.is_gpus && str_equal(key.from, "default")) continue;
        table_add(&t, "%s", key.name);
        add_key(&t, &key);
        if (key.sliced) {
            table_add(&t, "  in the slice");
            table_add(&t, "%s", key.sliced);
            table_add(&t, "gpu.slice");
        }
        for (size_t k = 0; wf_class_at(c, k, &class); k++) {
            if (!wf_class_key(c, k, &key)) continue;
            table_add(&t, "  class %s", class.name);
            add_key(&t, &key);
        }
    }
    list_print(&t);
}

static void list_left_out(struct wf_context *c)
{
    bool is_like;
    size_t count = wf_gpu_left_out(c, &is_like);
    struct strbuf text = {0};
    if (!count) return;
    strbuf_printf(&text, "%zu keys are left out: missing keys have their defaults\n", count);
    print_text(stdout, text.text);
    strbuf_fini(&text);
}

int list_gpus(const struct options *o)
{
    if (o->operands.count < 2) return list_all();
    struct wf_context *c = wf_context_create();
    struct diag d;
    diag_init(&d);
    bool good = wf_gpu(c, o->operands.data[1]) == WF_OK && command_set(o, c, &d) == WF_OK;
    if (good) {
        list_classes(c);
        list_keys_of(c);
        list_left_out(c);
    }
    int status = good ? WF_OK : command_fail_both(c, &d, WF_BAD_USAGE);
    wf_context_destroy(c);
    diag_fini(&d);
    return status;
}
