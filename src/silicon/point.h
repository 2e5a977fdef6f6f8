// Points: launches measured on real cards (silicon/README.md), read from lists, chosen by words, and
// optionally given separate measurements.
//
// The lists of silicon/ are embedded in the library. An own list is a file LIST.csv, with scripts NAME.wf in
// the folder points/ beside the file.
#pragma once
#include "base/diag.h"

enum quantity {
#define QUANTITY(id, column, heading, counter) QUANTITY_##id,
#include "silicon/quantities.def"
#undef QUANTITY
    QUANTITIES
};
struct quantity_info {
    const char *column, *heading, *counter;
};
extern const struct quantity_info quantity_info[QUANTITIES];

// `clocks`: launches measured at several clocks, only for the elasticity of time (elasticity.h). `variants`:
// versions of one kernel, only for their ranking (ranks.h). Both are run only if chosen by set or by name.
enum point_set { POINT_TUNING, POINT_SECOND, POINT_CLOCKS, POINT_VARIANTS, POINT_SETS };
extern const char *const point_set_names[POINT_SETS];
enum point_counted { POINT_ALL, POINT_LAST, POINT_MEAN }; // launches of the script that count

enum { POINT_MODELS_MOST = 8 };

struct point {
    // gpu: GPU to simulate, the card of the list; card: the measured card, which --measurements may replace.
    const char *name, *card, *class, *gpu, *application, *kernel, *grid, *block;
    const char *settings; // KEY=VALUE words
    // Place of the measured cycles in a separate file of measurements: FILE?COLUMN=VALUE&…#COLUMN; "": no
    // place.
    const char *elsewhere;
    const char *source, *licence, *note;
    const char *cause;  // of a difference from the card; "": not said
    const char *script; // name of the script's file in points/, without .wf
    const char *series; // set clocks: name of the list's row, here at core_mhz and dram_mhz; otherwise NULL
    double core_mhz, dram_mhz;
    const char *folder; // folder of the list, with scripts in points/; NULL: embedded in the library
    enum point_set set;
    enum point_counted counted;
    double measured[QUANTITIES]; // NAN: not measured; in set variants, QUANTITY_CYCLES is in milliseconds
    // Cycles of other simulators, by index in points.models; NAN: no cycles.
    double models[POINT_MODELS_MOST];
    const char *why; // reason for missing cycles
    bool left_out;   // chosen, but not to be run
};

struct points {
    struct arena arena;
    VEC(struct point) list;
    VEC(const char *) models; // other simulators with cycles in the measurements
};

// True, for sets tuning and second: the point's simulated figures are compared with the card's, figure by
// figure, and the set is run by default.
static inline bool point_stands_alone(const struct point *p)
{
    return p->set == POINT_TUNING || p->set == POINT_SECOND;
}

// True: the text is KEY=VALUE words, separated by single blanks.
bool point_are_settings(const char *text);
void points_init(struct points *p);
void points_fini(struct points *p);
// True: an operand of `reproduce` means points: silicon or FILE.csv, with an optional choice behind a colon.
bool points_are(const char *operand);
// Adds points to the list. Words behind the operand's colon, separated by commas, are sets, cards, classes
// and names of points. Words of one kind widen the choice, words of different kinds narrow it. -WORD:
// matching points stay on the list but are not run. False: an error is in `d`.
bool points_add(struct points *p, const char *operand, struct diag *d);
// Reads measurements of a CSV file, or of all CSV files of a folder. A point named in a column `point` by a
// row with cycles takes its measurements from the row alone, and settings if the row has some. Other points
// look up their `elsewhere` (measurement.c). False: an error is in `d`.
bool points_measure(struct points *p, const char *path, struct diag *d);

// The text of an embedded file of silicon/ ("points/NAME.wf", "ptx/NAME.ptx"), on the heap: the caller frees
// *text. False: unknown name.
bool silicon_file(const char *name, char **text, size_t *length);
// Calls `tell` for the point's script and for files named in the script, by path relative to the list's
// folder. Absolute paths are skipped; of an embedded point, so are paths that do not begin with a single
// "../". False: `tell` returned false, or a file is missing and an error is in `d`.
typedef bool point_file(void *context, const char *name, const char *text, size_t length);
bool point_files(const struct point *p, point_file *tell, void *context, struct diag *d);
