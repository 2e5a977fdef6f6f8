// Limit studies: statistics of a kernel's instructions, gathered by an observer that changes nothing
// (exec/observe.h). Timed studies gather by a mechanism that only looks on (sm/mech/tech.h).
//
// A study is a class, one row in studies.def and one file: the events watched, and the report after the last
// launch. Reports are plain tables with named columns, so a printer (terminal, JSON) knows no study.
//
//   study_create ─▶ launches, any number, of any kernels ─▶ study_report ─▶ tables, notes, verdict
//                    grouped by study_group (a workload's name)
#pragma once
#include "base/diag.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/observe.h"
#include "mark/mark.h"
#include "sm/mech/tech.h"
#include "study/settings.h"

struct program;
struct study;
struct study_report;

struct study_class {          // name and meaning are in studies.def
    size_t state_bytes;       // of study->state, zeroed
    struct observer observer; // the functions' context is the struct study *
    // Mechanism that looks on during timed launches, its options the struct study *. NULL: the study observes
    // functional runs.
    const struct tech *timed;
    // Reads launches or accesses from a file's text in place of runs. False: an error, added to `d`. NULL, no
    // function: the study needs runs.
    bool (*read)(struct study *s, const char *text, uint32_t source, struct diag *d);
    void (*fini)(struct study *s); // frees memory owned by the state; NULL: nothing to free
    void (*report)(struct study *s, struct study_report *r);
};

struct study_named {
    const struct launch *launch;
    const char *name; // name of the launch's kernel
};

struct study {
    const struct study_class *class;
    const char *name;
    struct observer observer; // for struct launch
    struct arena arena;       // lives as long as the study
    const char *group;        // group (workload) of the following launches; NULL: no group
    // Name of the next launch's kernel; NULL: the mangled name in the program.
    const char *kernel_name;
    const char *sources;            // folder also searched for source files; NULL: no folder
    struct mark_settings mark;      // mark settings of the launching context
    struct study_settings settings; // study settings of the launching context
    VEC(struct study_kernel *) kernels;
    struct study_kernel *kernel;   // current launch's kernel
    VEC(struct study_named) named; // timed launches not yet begun
    void *state;
};

// The studies in order; false past the last.
bool study_at(size_t index, const char **name, const char **meaning);

struct study *study_create(const char *name); // NULL: no study of this name
void study_destroy(struct study *s);
void study_group(struct study *s, const char *group);
void study_sources(struct study *s, const char *folder);

// -- kernels
// An instruction of a kernel, in the form kept by studies beyond the program's life.
struct study_inst {
    uint32_t pc;
    bool shown;        // shown in reports: may be reached; RISC-V programs hold all code of a file
    const char *text;  // the instruction as printed in a listing
    const char *line;  // "file.cu:31", the line chosen by study_lines; "" when unknown
    uint32_t line_key; // equal for instructions of the same line, ascending by file and line; 0: unknown
    const char *path;  // of the source file, as named in the PTX; NULL when unknown
    uint32_t number;   // line number in the file
};

// A kernel, in the form kept by studies: one for each group, program, block shape and warp size.
struct study_kernel {
    const char *group, *name;
    const struct program *program; // the kernel's code, valid during a launch
    uint32_t grid[3];              // grid size, in blocks, of the last launch
    uint32_t block[3], warp_size, warps;
    uint32_t inst_count;
    struct study_inst *insts;
    uint64_t launches, blocks;
    void *data; // data of the study; NULL at first
};

static inline uint32_t study_kernel_threads(const struct study_kernel *k) // threads of a block
{
    return k->block[0] * k->block[1] * k->block[2];
}
// Chooses the source line shown with each instruction, as an index into the program's table of lines. 0:
// unknown, or an instruction not shown.
void study_lines(const struct program *p, const bool *is_shown, uint32_t *lines);
// Groups instructions by shown line, in order of file and line. Returns the number of lines. line_of: the
// line of every instruction; first: the first instruction of every line. Both are arrays of inst_count;
// line_of must be zeroed, and instructions not shown keep line 0.
uint32_t study_group_lines(const struct study_kernel *k, uint32_t *line_of, uint32_t *first);
// Sets the kernel name of a timed launch, before the launch begins. Several launches may be named before the
// first begins.
void study_name(struct study *s, const struct launch *l, const char *name);
// True: the timed launch was named by study_name, but study_kernel_enter has not been called for the launch.
bool study_is_new(const struct study *s, const struct launch *l);
// Call from launch_begin. Counts the launch, and sets and returns study->kernel: known, or added.
struct study_kernel *study_kernel_enter(struct study *s, const struct launch *l);

// -- reports
enum study_cell_kind { STUDY_NONE, STUDY_TEXT, STUDY_COUNT, STUDY_SHARE, STUDY_NUMBER };
struct study_cell {
    enum study_cell_kind kind;
    const char *text;
    uint64_t count;
    double number; // of a share: 0 to 1
};

struct study_column {
    const char *name, *meaning; // name: key in JSON; with spaces for underscores, the column head
};

struct study_table {
    const char *name, *title;
    const struct study_column *columns;
    size_t column_count;
    bool detail; // long table, such as a row per instruction: left out of an overview of many kernels
    bool cards;  // rows with long texts: each row is shown as a paragraph
    struct arena *arena;
    VEC(struct study_cell) cells; // row by row
    VEC(size_t) rules;            // cells below a drawn rule
};

struct study_report {
    struct arena arena;
    VEC(struct study_table *) tables;
    VEC(const char *) notes;
    VEC(const char *) failures; // violated guarantees: the command ends with status 4
};

void study_report_init(struct study_report *r);
void study_report_fini(struct study_report *r);
void study_report_fill(struct study *s, struct study_report *r);

// Adds a table to the report. `columns` must be static data. Cells are added row by row.
struct study_table *study_table_add(struct study_report *r, const char *name, const char *title,
                                    const struct study_column *columns, size_t column_count);
void study_text(struct study_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void study_count(struct study_table *t, uint64_t n);
void study_share(struct study_table *t, double share); // NaN: an empty cell
// Adds a cell with the share part / whole; an empty cell if `whole` is 0.
void study_ratio(struct study_table *t, uint64_t part, uint64_t whole);
void study_number(struct study_table *t, double x);
void study_none(struct study_table *t);
// Draws a rule above the next row.
void study_rule(struct study_table *t);
// Adds the cells workload, kernel, block.
void study_kernel_cells(struct study_table *t, const struct study_kernel *k);
// The detail tables `instructions` and `lines`: one row per instruction, or per source line in order of file
// and line. Rows begin with the kernel's name and the pc or the line. Rows of instructions end with the text
// and the line. `cells` adds the cells between. The sum of a line has `bytes` bytes, zeroed at first; `add`
// adds an instruction to the sum.
struct study_rows {
    const struct study_column *columns;
    size_t column_count, bytes;
    void (*add)(void *sum, const struct study_kernel *k, uint32_t inst);
    void (*cells)(struct study_table *t, const void *sum);
};
void study_each_inst(const struct study *s, struct study_report *r, const struct study_column *columns,
                     size_t column_count,
                     void (*cells)(struct study_table *t, const struct study_kernel *k, uint32_t inst));
void study_each_line(const struct study *s, struct study_report *r, const struct study_rows *rows);
void study_note(struct study_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void study_fail(struct study_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
