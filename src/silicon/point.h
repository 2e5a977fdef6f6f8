// Launches that real cards were measured with (silicon/README.md): read from points.csv, chosen by words, and given
// measurements from elsewhere.
//
// Those of silicon/ are part of the library. A list of one's own is a file points.csv with points/NAME.wf beside it.
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

// Of `clocks`: launches that were measured at several clocks, for how time answers to them alone (elasticity.h). Of `variants`:
// versions of one kernel, for how they rank alone (ranks.h). Both are chosen by that word or by name.
enum point_set { POINT_TUNING, POINT_SECOND, POINT_CLOCKS, POINT_VARIANTS, POINT_SETS };
extern const char *const point_set_names[POINT_SETS];
enum point_counted { POINT_ALL, POINT_LAST, POINT_MEAN }; // of the script's launches

enum { POINT_MODELS_MOST = 8 };

struct point {
    // gpu: the file it runs on, the card's, wherever it was measured
    const char *name, *card, *class, *gpu, *application, *kernel, *grid, *block;
    const char *settings;  // KEY=VALUE words
    const char *elsewhere; // FILE?COLUMN=VALUE&…#COLUMN; ""
    const char *source, *licence, *note;
    const char *script; // its file in points/, without .wf
    const char *series; // of set clocks: the row that the point is of, at core_mhz and dram_mhz; NULL
    double core_mhz, dram_mhz;
    const char *folder; // of the list, where the script is; NULL: part of the library
    enum point_set set;
    enum point_counted counted;
    double measured[QUANTITIES];      // NAN: not; of set variants the cycles are milliseconds
    double models[POINT_MODELS_MOST]; // cycles of other simulators, by points.models; NAN: none
    const char *why;                  // cycles are not measured
    bool left_out;                    // it is chosen, and not to be run
};

struct points {
    struct arena arena;
    VEC(struct point) list;
    VEC(const char *) models; // other simulators that measurements have cycles of
};

// Its own figures are compared with the card's: it is of a set that is run unasked.
static inline bool point_stands_alone(const struct point *p)
{
    return p->set == POINT_TUNING || p->set == POINT_SECOND;
}

void points_init(struct points *p);
void points_fini(struct points *p);
// Whether an operand of `reproduce` means points: silicon or FILE.csv, and behind a colon which of them.
bool points_are(const char *operand);
// Adds them. Words, with commas between them, are sets, cards, classes and names of points: words of one kind widen
// the choice, words of different kinds narrow it. -WORD: what is called so stays on the list and is not run. False and errors.
bool points_add(struct points *p, const char *operand, struct diag *d);
// Measurements of a CSV file, or of those of a folder: points named in a column `point` are measured there and
// nowhere else; others where their `elsewhere` says (measurement.c). False and errors.
bool points_measure(struct points *p, const char *path, struct diag *d);

// A file of silicon/ that is part of the library ("points/NAME.wf"); NULL: none of that name.
const char *silicon_file(const char *name);
// The point's script and the files it names, each told by its path relative to the list's folder; stops when `tell`
// says false. False and an error when one is not there.
typedef bool point_file(void *context, const char *name, const char *text, size_t length);
bool point_files(const struct point *p, point_file *tell, void *context, struct diag *d);
