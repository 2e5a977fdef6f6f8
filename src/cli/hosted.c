// Runs a RISC-V program with a host part: checks the options, feeds --input to the program's console, and
// collects the results.
#include "cli/hosted.h"
#include "base/file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum hosted_kind hosted_kind(const char *path)
{
    enum { MACHINE_AT = 18, MACHINE_RISCV = 243, READ = 20 }; // of an ELF header
    static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};
    uint8_t bytes[READ];
    int file = file_is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return HOSTED_NONE;
    ssize_t count = read(file, bytes, sizeof bytes);
    close(file);
    if (count < (ssize_t)sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) return HOSTED_NONE;
    bool is_foreign = count == READ && (bytes[MACHINE_AT] | bytes[MACHINE_AT + 1] << 8) != MACHINE_RISCV;
    return is_foreign ? HOSTED_FOREIGN : HOSTED_PROGRAM;
}

struct refused {
    enum option_id id;
    const char *why;
};

static bool refuse(const struct options *o, const struct refused *r, const char *where, struct diag *d)
{
    bool good = true;
    for (; r->why; r++)
        if (options_has(o, r->id))
            good = diag_error(d, loc_none(), "%s does not go with %s, a RISC-V program%s: %s",
                              options_name(r->id), o->operands.data[0], where, r->why);
    return good;
}

bool hosted_check(const struct options *o, struct diag *d)
{
    static const struct refused always[] = {
        {OPTION_KERNEL, "the program's host part launches the kernels"},
        {OPTION_GRID, "the program's host part launches the kernels"},
        {OPTION_BLOCK, "the program's host part launches the kernels"},
        {OPTION_CLUSTER, "the program's host part launches the kernels"},
        {OPTION_ARG, "the program's host part passes the arguments; --input feeds the console"},
        {OPTION_SYMBOL, "the program's host part fills the variables"},
        {OPTION_SHARED, "every kernel has the whole scratchpad"},
        {OPTION_DUMP, "the program's host part prints the results"},
        {.why = NULL},
    };
    static const struct refused untimed[] = {
        {OPTION_TECH, "mechanisms change time, and the run has no time"},
        {OPTION_TIMELINE, "a timeline shows time, and the run has no time"},
        {OPTION_ENERGY, "part of the energy depends on time, and the run has no time"},
        {OPTION_LINES, "lines are ranked by time, and the run has no time"},
        {OPTION_MAX_CYCLES, "the run has no cycles"},
        {OPTION_VERIFY, "the run has no registers or mechanisms of a GPU to compare"},
        {.why = NULL},
    };
    bool good = refuse(o, always, "", d);
    return (options_has(o, OPTION_GPU) || refuse(o, untimed, ", without --gpu", d)) && good;
}

static bool has_sms(struct wf_context *c)
{
    struct wf_key k;
    size_t n = 0;
    while (wf_key_at(c, n, &k) && !str_equal(k.name, "machine")) n++;
    return str_equal(k.value, "sm");
}

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *stats)
{
    report_run_add(context, k, shape, stats);
}

static bool read_input(const struct options *o, struct session *s, struct spec *spec)
{
    const char *value = options_value(o, OPTION_INPUT);
    struct strbuf text = {0};
    *spec = (struct spec){0};
    if (!value) return true;
    strbuf_printf(&text, "bytes=%s", value);
    bool good = spec_parse(spec, strbuf_text(&text), NULL, "--input", loc_none(), s->diag) &&
                session_reads(s, spec, loc_none());
    strbuf_fini(&text);
    return good;
}

enum wf_status hosted_run(const struct options *o, struct session *s)
{
    struct spec input;
    // Without --gpu the run is functional.
    enum wf_status status = options_has(o, OPTION_GPU) ? WF_OK : wf_gpu(s->context, NULL);
    if (status == WF_OK) status = session_load(s, o->operands.data[0], loc_none());
    if (status != WF_OK) return status;
    if (options_has(o, OPTION_ENERGY) && !has_sms(s->context)) {
        diag_error(s->diag, loc_none(), "--energy: no model of the energy of --gpu %s",
                   options_value(o, OPTION_GPU));
        return WF_BAD_USAGE;
    }
    if (options_has(o, OPTION_LINES) && !has_sms(s->context)) {
        diag_error(s->diag, loc_none(), "--lines: the core of --gpu %s has no schedulers with issue slots",
                   options_value(o, OPTION_GPU));
        return WF_BAD_USAGE;
    }
    if (!read_input(o, s, &input)) return WF_BAD_INPUT;
    struct wf_program_config config = {.launched = launched, .launched_context = &s->report};
    if (input.bytes) {
        config.input = input.bytes;
        config.input_bytes = (size_t)spec_size_bytes(&input);
    }
    struct wf_program_stats stats;
    s->report.has_host = true;
    status = wf_program_run(s->module, &config, &stats);
    s->report.host_instructions = stats.host_instructions;
    s->report.host_seconds = stats.wall_seconds;
    if (status == WF_PROGRAM_FAILED && !s->report.fault_text)
        s->report.fault_text = heap_strdup(wf_errors(s->context));
    spec_fini(&input);
    return status;
}
