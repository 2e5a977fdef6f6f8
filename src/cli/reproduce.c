// `warpfold reproduce`: runs experiments from files and produces tables, a database and a page. All output is
// in one folder. Repeating an interrupted command continues in the folder.
#include "base/file.h"
#include "base/printable.h"
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/folder.h"
#include "cli/gather.h"
#include "cli/print.h"
#include "cluster/estimate.h"
#include "cluster/status.h"
#include "lab/page.h"
#include "silicon/silicon.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lab {
    const struct options *options; // options of the experiments to run and show
    // said: options typed on the command line. With --collect, `options` come from the plan instead.
    const struct options *said;
    const char *collected; // folder of --collect; NULL: absent
    struct diag *diag;
    const char *size; // NULL: --size not given
    char *folder;     // absolute
    char *program;    // path of the running program
    char *gpu_file;   // file of --gpu, absolute; NULL: not a file
    char build[17];
    int lock;
    struct experiments experiments;
    struct silicon silicon;
    struct jobs jobs;
    VEC(struct figure) figures;
    struct database database;
    struct pool pool;
};

// -- the folder ---------------------------------------------------------------------------------------------

static char *path_in(const struct lab *l, const char *folder, const char *name, const char *ending)
{
    struct strbuf path = {0};
    strbuf_printf(&path, "%s%s%s/%s%s", l->folder, *folder ? "/" : "", folder, name, ending);
    return path.text;
}

// Removes partial files of an interrupted run in one folder of the results. In folders below the results'
// folder, removes files with the ending .err, too.
static void sweep(const struct lab *l, const char *folder)
{
    static const char *const endings[] = {
        ".json",       ".csv",         "report.html",  "paper.md",
        "fidelity.md", "measured.def", "fidelity.svg", "fidelity-launches.md",
        ".ptx",        ".wf",          ".elf",         NULL};
    char *path = path_in(l, folder, "", "");
    folder_sweep(path, endings, *folder ? ".err" : NULL);
    free(path);
}

static bool open_folder(struct lab *l)
{
    const char *out = l->collected ? l->collected : options_value(l->options, OPTION_OUT);
    if (!out) out = "results";
    if (!folder_make(out, l->diag)) return false;
    l->folder = realpath(out, NULL);
    if (!l->folder)
        return diag_error(l->diag, loc_none(), "cannot write into the folder %s: %s", out, strerror(errno));
    char *runs = path_in(l, "", "runs", ""), *kernels = path_in(l, "", "kernels", "");
    l->lock = folder_lock(out, "reproduce", l->diag);
    bool good = l->lock >= 0 && folder_make(runs, l->diag) && folder_make(kernels, l->diag);
    if (good) {
        sweep(l, "");
        sweep(l, "runs");
        sweep(l, "kernels");
        sweep(l, "silicon/points");
        sweep(l, "silicon/ptx");
    }
    free(runs);
    free(kernels);
    return good;
}

static bool write_file(struct lab *l, const char *folder, const char *name, const char *ending,
                       const char *text, size_t length)
{
    char *path = path_in(l, folder, name, ending);
    const char *why;
    bool good = file_write(path, text, length, &why);
    if (!good) diag_error(l->diag, loc_none(), "cannot write %s: %s", path, why);
    free(path);
    return good;
}

// -- experiments and points ---------------------------------------------------------------------------------

// Whether a word has no blanks, as words passed to a run must have none. False adds an error.
static bool is_word(struct lab *l, enum option_id id, const char *text)
{
    return !strpbrk(text, " \t\n") ||
           diag_error(l->diag, loc_none(), "%s %s: must not have blanks", options_name(id), text);
}

static bool choose_gpu(struct lab *l, const char *gpu)
{
    if (!gpu || !is_word(l, OPTION_GPU, gpu)) return !gpu;
    // Runs have the results' folder as working directory, so a path must be absolute.
    l->gpu_file = strpbrk(gpu, "/.") ? realpath(gpu, NULL) : NULL;
    l->silicon.gpu = l->gpu_file ? l->gpu_file : gpu;
    return !l->gpu_file || is_word(l, OPTION_GPU, l->gpu_file);
}

// Applies --gpu, --set and --measurements, which affect only points of `silicon` (comparisons with measured
// GPUs). Without such points, refuses the options.
static enum wf_status choose_silicon(struct lab *l)
{
    static const enum option_id own[] = {OPTION_GPU, OPTION_SET, OPTION_MEASUREMENTS};
    const struct options *o = l->options;
    const char *measurements = options_value(o, OPTION_MEASUREMENTS);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (options_has(o, own[i]) && !l->silicon.points.list.count) {
            diag_error(l->diag, loc_none(),
                       "%s is for points of silicon: an experiment's file has its own settings",
                       options_name(own[i]));
            return WF_BAD_USAGE;
        }
    if (!choose_gpu(l, options_value(o, OPTION_GPU))) return WF_BAD_USAGE;
    for (size_t i = 0; i < o->given.count; i++) {
        const char *pair = o->given.data[i].value;
        if (o->given.data[i].id != OPTION_SET) continue;
        if (!is_word(l, OPTION_SET, pair)) return WF_BAD_USAGE;
        if (!strchr(pair, '=')) {
            diag_error(l->diag, loc_none(), "--set %s: write KEY=VALUE", pair);
            return WF_BAD_USAGE;
        }
        strbuf_printf(&l->silicon.settings, "%s%s", l->silicon.settings.length ? " " : "", pair);
    }
    return !measurements || points_measure(&l->silicon.points, measurements, l->diag) ? WF_OK : WF_BAD_INPUT;
}

static enum wf_status choose_operand(struct lab *l, const char *operand)
{
    bool good = points_are(operand) ? points_add(&l->silicon.points, operand, l->diag)
                                    : experiments_add(&l->experiments, operand, l->diag);
    return good ? WF_OK : strpbrk(operand, "/.") ? WF_BAD_INPUT : WF_BAD_USAGE;
}

static enum wf_status choose(struct lab *l)
{
    const struct options *o = l->options;
    struct bench_selection what;
    uint64_t processes = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    const char *text = options_value(o, OPTION_PROCESSES);
    if (bench_selection(o, &what, l->diag) != WF_OK) return WF_BAD_USAGE;
    if (options_has(o, OPTION_SIZE)) l->size = workload_size_name(what.size);
    if (text && (!str_to_u64(text, &processes) || !processes || processes > 64)) {
        diag_error(l->diag, loc_none(), "--processes %s: must be a number from 1 to 64", text);
        return WF_BAD_USAGE;
    }
    l->pool.workers = (unsigned)processes;
    if (!o->operands.count && !experiments_add(&l->experiments, "darsie", l->diag)) return WF_BAD_USAGE;
    for (size_t i = 0; i < o->operands.count; i++) {
        enum wf_status status = choose_operand(l, o->operands.data[i]);
        if (status != WF_OK) return status;
    }
    for (size_t i = 0; i < o->given.count; i++)
        if (o->given.data[i].id == OPTION_ONLY &&
            !experiments_keep_only(&l->experiments, o->given.data[i].value, l->diag))
            return WF_BAD_USAGE;
    text = options_value(o, OPTION_PROGRAMS);
    if (text && !experiments_take_programs(&l->experiments, text, l->diag)) return WF_BAD_INPUT;
    for (size_t i = 0; i < l->experiments.list.count; i++)
        if (!figure_has_kernels(&l->experiments.list.data[i], l->size, l->diag)) return WF_BAD_INPUT;
    return choose_silicon(l);
}

static bool plan(struct lab *l)
{
    l->jobs.diag = l->diag;
    bool good = silicon_plan(&l->silicon, &l->jobs, l->folder, l->diag);
    for (size_t i = 0; i < l->experiments.list.count; i++) {
        struct figure f;
        figure_plan(&f, &l->experiments.list.data[i], l->size, &l->jobs);
        vec_push(&l->figures, f);
    }
    for (size_t i = 0; i < l->jobs.files.count && good; i++) {
        const struct job_file *file = &l->jobs.files.data[i];
        good = write_file(l, "kernels", file->name, "", file->bytes, file->length);
    }
    good = good && !l->diag->errors;
    for (size_t i = 0; i < l->jobs.bundles.count && good; i++)
        good = own_bundle_write(&l->jobs.bundles.data[i], l->folder, l->diag);
    return good;
}

// Prints the tables of an experiment (not with --quiet) and writes the CSV files.
static bool publish_chart(struct lab *l, const struct chart *c, const struct figure *f)
{
    struct strbuf text = {0};
    chart_csv(c, &text);
    bool good = write_file(l, "", c->name, ".csv", text.text, text.length);
    if (good && c->experiment->kind == EXPERIMENT_RUNS) {
        strbuf_clear(&text);
        good = chart_tidy(c, f, &l->jobs, &l->database, &text) &&
               write_file(l, "", c->name, "-runs.csv", text.text, text.length);
    }
    strbuf_clear(&text);
    chart_table(c, file_takes_colour(STDOUT_FILENO), &text);
    strbuf_putc(&text, '\n');
    if (good && !options_has(l->said, OPTION_QUIET)) print_text(stdout, text.text);
    strbuf_fini(&text);
    return good;
}

// Last line of a page.
static void name_build(const struct lab *l, struct strbuf *page)
{
    strbuf_printf(page, "\nMeasured by warpfold %s, build %s.\n", WF_VERSION, l->build);
}

// Prints the comparison with measured GPUs (silicon; not with --quiet), and writes it as CSV and Markdown.
static bool publish_silicon(struct lab *l)
{
    const struct fidelity *f = &l->silicon.fidelity;
    struct strbuf text = {0};
    if (!l->silicon.points.list.count) return true;
    if (!silicon_judge(&l->silicon, &l->jobs, &l->pool, &l->database)) return false;
    fidelity_csv(f, &text);
    bool good = write_file(l, "", "silicon", ".csv", text.text, text.length);
    strbuf_clear(&text);
    fidelity_measured(f, &text);
    good = good && write_file(l, "", "measured.def", "", text.text, text.length);
    strbuf_clear(&text);
    fidelity_plot(f, &text);
    good = good && write_file(l, "", "fidelity.svg", "", text.text, text.length);
    strbuf_clear(&text);
    fidelity_launches_markdown(f, &text);
    name_build(l, &text);
    good = good && write_file(l, "", "fidelity-launches.md", "", text.text, text.length);
    strbuf_clear(&text);
    fidelity_markdown(f, &text);
    name_build(l, &text);
    good = good && write_file(l, "", "fidelity.md", "", text.text, text.length);
    strbuf_clear(&text);
    fidelity_table(f, file_takes_colour(STDOUT_FILENO), &text);
    strbuf_putc(&text, '\n');
    if (good && !options_has(l->said, OPTION_QUIET)) print_text(stdout, text.text);
    strbuf_fini(&text);
    return good;
}

// Size of inputs named at the page's top: of --size, else of the first figure.
static const char *shown_size(const struct lab *l)
{
    return l->size ? l->size : l->figures.count ? l->figures.data[0].size : "medium";
}

// missing: runs to come.
static bool write_page(struct lab *l, const struct charts *charts, const struct page_part *part,
                       size_t missing)
{
    struct strbuf text = {0};
    struct page page = {.figures = l->figures.data,
                        .count = l->figures.count,
                        .charts = charts,
                        .jobs = &l->jobs,
                        .size = shown_size(l),
                        .parts = part,
                        .part_count = part->write != NULL,
                        .runs_missing = missing,
                        .runs = l->jobs.list.count};
    bool good = page_write(&page, &l->database, &text) &&
                write_file(l, "", "report.html", "", text.text, text.length);
    strbuf_fini(&text);
    return good;
}

static bool publish(struct lab *l)
{
    struct charts charts = {0};
    struct strbuf text = {0};
    bool good = true;
    for (size_t i = 0; i < l->figures.count && good; i++) {
        struct chart c;
        good = chart_make(&c, &l->figures.data[i], &l->jobs, &l->database) && chart_store(&c, &l->database);
        vec_push(&charts.list, c);
    }
    for (size_t i = 0; i < charts.list.count && good; i++)
        good = publish_chart(l, &charts.list.data[i], &l->figures.data[i]);
    good = good && publish_silicon(l);
    if (charts.list.count) {
        chart_papers(&charts, &text);
        name_build(l, &text);
        good = good && write_file(l, "", "paper.md", "", text.text, text.length);
        strbuf_clear(&text);
    }
    const struct page_part silicon = silicon_page_part(&l->silicon);
    good = good && write_page(l, &charts, &silicon, 0);
    strbuf_fini(&text);
    charts_fini(&charts);
    return good;
}

// The report while runs are made: figures of the values so far. Comparisons with cards come at the end.
static bool publish_growing(void *context)
{
    struct lab *l = context;
    struct charts charts = {0};
    struct page_part none = {.write = NULL};
    bool good = true;
    for (size_t i = 0; i < l->figures.count && good; i++) {
        struct chart c;
        good = chart_make(&c, &l->figures.data[i], &l->jobs, &l->database);
        vec_push(&charts.list, c);
    }
    size_t made = l->pool.done + l->pool.reused + l->pool.left_out, all = l->jobs.list.count;
    good = good && write_page(l, &charts, &none, all > made ? all - made : 0);
    charts_fini(&charts);
    return good;
}

// Drops figures with missing runs.
static void leave_out_incomplete(struct lab *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->figures.count; i++) {
        struct figure f = l->figures.data[i];
        bool complete = true;
        for (size_t k = 0; k < f.cells.count && complete; k++) {
            size_t both[2] = {f.cells.data[k].job, f.cells.data[k].base};
            for (size_t b = 0; b < 2 && complete; b++)
                complete = both[b] == NO_JOB || database_has_run(&l->database, l->jobs.list.data[both[b]].id);
        }
        if (complete)
            l->figures.data[kept++] = f;
        else
            figure_fini(&f);
    }
    l->figures.count = kept;
}

// Submits the plan (--submit), then collects results of workers on other machines. False: no results to show
// yet, an error, or an interrupt. *complete: no point is waiting or running.
static bool gather(struct lab *l, bool *complete)
{
    struct gather g = {l->said, l->folder, l->program, l->build, &l->jobs, &l->database, &l->pool, l->diag};
    if (options_has(l->said, OPTION_SUBMIT) && !gather_submit(&g)) return false;
    if (options_has(l->said, OPTION_SUBMIT) && !options_has(l->said, OPTION_WAIT)) return false;
    if (!gather_collect(&g, complete) || l->pool.interrupted) return false;
    leave_out_incomplete(l);
    if (!*complete) l->silicon.points.list.count = 0; // the means cover all points
    return true;
}

static void say_gathered(struct lab *l, size_t figures)
{
    struct strbuf text = {0};
    printable_format(
        &text,
        "%zu of %zu points are in results.db, %zu were given up; %zu of %zu figures are complete: "
        "%s/report.html\n",
        l->pool.done + l->pool.reused, l->jobs.list.count, l->pool.failures.count, l->figures.count, figures,
        l->folder);
    if (!options_has(l->said, OPTION_QUIET)) print_text(stdout, strbuf_text(&text));
    strbuf_fini(&text);
}

static enum wf_status reproduce_elsewhere(struct lab *l)
{
    bool complete;
    size_t figures = l->figures.count;
    if (!gather(l, &complete)) return l->diag->errors ? WF_BAD_INPUT : WF_OK;
    if (!publish(l)) return WF_BAD_INPUT;
    say_gathered(l, figures);
    return WF_OK;
}

// Whether functional runs of every subject take long.
static bool has_large_inputs(const struct lab *l)
{
    bool has = false;
    for (size_t i = 0; i < l->figures.count; i++)
        has |= str_equal(l->figures.data[i].size, "paper") || str_equal(l->figures.data[i].size, "large");
    return has;
}

static size_t count_missing(struct lab *l, const double *seconds, double *sum, size_t *unknown)
{
    size_t missing = 0;
    for (size_t i = 0; i < l->jobs.list.count; i++) {
        const struct job *j = &l->jobs.list.data[i];
        if (j->left_out || database_has_run(&l->database, j->id)) continue;
        missing++;
        if (!seconds) continue;
        *sum += seconds[i];
        *unknown += seconds[i] <= 0;
    }
    return missing;
}

// Says before the start how many runs are to be made and how long they may take: by runs in the database, functional
// runs and runs of size small (cluster/estimate.h). A few runs, and --quiet, begin at once.
static void say_cost(struct lab *l)
{
    enum { FEW = 16, MEASURING_SECONDS = 3 };
    size_t missing = count_missing(l, NULL, NULL, NULL), unknown = 0;
    double sum = 0;
    if (missing < FEW || options_has(l->said, OPTION_QUIET)) return;
    struct estimate e = {.folder = l->folder,
                         .program = l->program,
                         .jobs = &l->jobs,
                         .db = &l->database,
                         .progress = true,
                         .most_seconds = has_large_inputs(l) ? 0 : MEASURING_SECONDS};
    double *seconds = estimate_seconds(&e);
    struct strbuf text = {0};
    count_missing(l, seconds, &sum, &unknown);
    strbuf_printf(&text, "%zu of %zu runs to make, %u at a time", missing, l->jobs.list.count,
                  l->pool.workers);
    if (sum > 0) {
        strbuf_puts(&text, "; about ");
        status_put_time(&text, sum / l->pool.workers);
        strbuf_puts(&text, ", likely from ");
        status_put_time(&text, sum / l->pool.workers / e.factor);
        strbuf_puts(&text, " to ");
        status_put_time(&text, sum / l->pool.workers * e.factor);
    }
    if (unknown) strbuf_printf(&text, "; how long %zu of them take is not known", unknown);
    strbuf_puts(&text, "\n");
    print_text(stderr, strbuf_text(&text));
    strbuf_fini(&text);
    free(seconds);
}

static enum wf_status reproduce(struct lab *l)
{
    enum wf_status status = choose(l);
    if (status != WF_OK) return status;
    if (!open_folder(l) || !folder_program(&l->program, l->build, l->diag)) return WF_BAD_INPUT;
    char *path = path_in(l, "", "results.db", "");
    bool good = database_open(&l->database, path, l->build, l->diag) && plan(l);
    free(path);
    if (!good) return WF_BAD_INPUT;
    l->pool.program = l->program;
    l->pool.folder = l->folder;
    l->pool.progress = !options_has(l->said, OPTION_QUIET);
    l->pool.diag = l->diag;
    if (l->collected || options_has(l->said, OPTION_SUBMIT)) return reproduce_elsewhere(l);
    if (l->figures.count) {
        l->pool.grown = publish_growing;
        l->pool.grown_context = l;
    }
    say_cost(l);
    if (!pool_run(&l->pool, &l->database, &l->jobs)) {
        if (l->pool.interrupted) {
            struct strbuf text = {0};
            strbuf_printf(&text, "stopped with %zu of %zu runs done; repeat the command to continue\n",
                          l->pool.done + l->pool.reused, l->jobs.list.count);
            print_text(stderr, strbuf_text(&text));
            strbuf_fini(&text);
        }
        return WF_BAD_INPUT;
    }
    if (!publish(l)) return WF_BAD_INPUT;
    if (!options_has(l->said, OPTION_QUIET)) {
        struct strbuf text = {0};
        printable_format(&text, "%zu run%s, %zu done before", l->jobs.list.count,
                         l->jobs.list.count == 1 ? "" : "s", l->pool.reused);
        if (l->pool.left_out) strbuf_printf(&text, ", %zu left out", l->pool.left_out);
        printable_format(&text, "; in %s: report.html to look at, results.db, and CSV\n", l->folder);
        print_text(stdout, strbuf_text(&text));
        strbuf_fini(&text);
    }
    return WF_OK;
}

static void fini(struct lab *l)
{
    for (size_t i = 0; i < l->figures.count; i++) figure_fini(&l->figures.data[i]);
    vec_fini(&l->figures);
    if (l->database.handle) database_close(&l->database);
    pool_fini(&l->pool);
    silicon_fini(&l->silicon);
    jobs_fini(&l->jobs);
    experiments_fini(&l->experiments);
    if (l->lock >= 0) close(l->lock);
    free(l->folder);
    free(l->program);
    free(l->gpu_file);
}

// Executes the command. With --collect, the plan in the folder supplies the options; otherwise the command
// line does.
static enum wf_status begin(struct lab *l, struct plan *p, struct options *planned)
{
    const char *folder = options_value(l->said, OPTION_COLLECT);
    if (!gather_check(l->said, l->diag)) return WF_BAD_USAGE;
    if (gather_is_plain(l->said)) return gather_plain(l->said, l->diag);
    if (!folder) return reproduce(l);
    if (l->said->operands.count) {
        diag_error(l->diag, loc_none(), "--collect %s: takes no experiments: the plan has the experiments",
                   folder);
        return WF_BAD_USAGE;
    }
    if (!gather_words(p, folder, planned, l->diag)) return WF_BAD_INPUT;
    l->options = planned;
    l->collected = p->folder;
    return reproduce(l);
}

int command_reproduce(int argc, char **argv)
{
    struct options o, planned = {0};
    int exit_status;
    if (!command_begin(&o, COMMAND_REPRODUCE, argc, argv, &exit_status)) return exit_status;
    struct diag d;
    struct plan p = {0};
    struct lab l = {.options = &o, .said = &o, .diag = &d, .lock = -1};
    diag_init(&d);
    experiments_init(&l.experiments);
    silicon_init(&l.silicon);
    jobs_init(&l.jobs);
    enum wf_status status = begin(&l, &p, &planned);
    print_flush(stdout); // stdout precedes the messages
    int interrupted = l.pool.interrupted;
    exit_status = command_fail(&d, (int)status);
    fini(&l);
    plan_fini(&p);
    diag_fini(&d);
    options_fini(&planned);
    options_fini(&o);
    if (interrupted) { // end by the same signal, as the parent process expects
        signal(interrupted, SIG_DFL);
        raise(interrupted);
    }
    return exit_status;
}
