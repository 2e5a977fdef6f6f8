// `warpfold mark`: the listing of a kernel's machine code.
#include "cli/command.h"
#include "cli/session.h"
#include "report/fields.h"

#include <string.h>

static void write_json(struct wf_kernel *k, const char *config, struct strbuf *out)
{
    const struct wf_kernel_info *info = wf_kernel_info(k);
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {{"instructions", info->instructions}, {"registers", info->registers},
                   {"predicates", info->predicates},     {"shared_bytes", info->shared_bytes},
                   {"local_bytes", info->local_bytes},   {"stack_bytes", info->stack_bytes},
                   {"spill_loads", info->spill_loads},   {"spill_stores", info->spill_stores}};
    struct json j;
    json_init(&j, out);
    json_open_object(&j);
    report_text(&j, "schema", "warpfold.mark/1");
    report_text(&j, "version", WF_VERSION);
    report_text(&j, "kernel", info->mangled_name);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        report_u64(&j, figures[i].key, figures[i].value);
    json_key(&j, "config");
    json_raw(&j, config);
    json_key(&j, "listing");
    json_open_array(&j);
    for (const char *p = wf_kernel_listing(k); *p;) {
        size_t length = strcspn(p, "\n");
        char *line = strndup(p, length);
        json_string(&j, line);
        free(line);
        p += length + (p[length] == '\n');
    }
    json_close_array(&j);
    json_close_object(&j);
}

static enum wf_status list(const struct options *o, struct session *s)
{
    const char *json = options_value(o, OPTION_JSON), *block = options_value(o, OPTION_BLOCK);
    uint32_t shape[3];
    if (block && !command_parse_shape("--block", block, shape, loc_none(), s->diag)) return WF_BAD_INPUT;
    if (json && !str_equal(json, "-") && !session_check_output(s, json, loc_none())) return WF_BAD_INPUT;
    if (session_load(s, o->operands.data[0], loc_none()) != WF_OK) return WF_BAD_INPUT;
    struct wf_kernel *k = session_kernel(s, options_value(o, OPTION_KERNEL), loc_none());
    if (!k) return WF_BAD_INPUT;
    struct strbuf text = {0};
    if (json) write_json(k, wf_config_json(s->context), &text);
    if (!json)
        fputs(wf_kernel_listing(k), stdout);
    else if (str_equal(json, "-"))
        fputs(strbuf_text(&text), stdout);
    else
        session_output(s, json, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return session_write_outputs(s);
}

static bool check_usage(const struct options *o, struct diag *d)
{
    if (o->operands.count != 1) return diag_error(d, loc_none(), "mark takes one PTX file");
    if (!options_has(o, OPTION_KERNEL)) return diag_error(d, loc_none(), "mark needs --kernel NAME");
    return true;
}

int command_mark(int argc, char **argv)
{
    struct options o;
    int exit_status;
    if (!command_begin(&o, COMMAND_MARK, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct session s;
    diag_init(&d);
    session_init(&s, wf_context_create(), &d);
    enum wf_status status = check_usage(&o, &d) ? command_settings(&o, s.context, &d) : WF_BAD_USAGE;
    if (status == WF_OK) status = list(&o, &s);
    exit_status = command_fail_both(s.context, &d, (int)status);
    wf_context_destroy(s.context);
    session_fini(&s);
    diag_fini(&d);
    options_fini(&o);
    return exit_status;
}
