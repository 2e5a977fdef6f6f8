// Reading lists of points, and choosing points.
#include "base/csv.h"
#include "base/file.h"
#include "silicon/point_row.h"

#include <math.h>
#include <string.h>

const struct quantity_info quantity_info[QUANTITIES] = {
#define QUANTITY(id, column, heading, counter) [QUANTITY_##id] = {column, heading, counter},
#include "silicon/quantities.def"
#undef QUANTITY
};
const char *const point_set_names[POINT_SETS] = {[POINT_TUNING] = "tuning",
                                                 [POINT_SECOND] = "second",
                                                 [POINT_CLOCKS] = "clocks",
                                                 [POINT_VARIANTS] = "variants"};
static const char *const counted_names[] = {
    [POINT_ALL] = "all", [POINT_LAST] = "last", [POINT_MEAN] = "mean"};
static const char *const class_names[] = {"memory",  "latency", "compute",   "shared",
                                          "texture", "double",  "divergent", NULL};

void points_init(struct points *p)
{
    *p = (struct points){0};
    arena_init(&p->arena);
}

void points_fini(struct points *p)
{
    vec_fini(&p->list);
    vec_fini(&p->models);
    arena_fini(&p->arena);
}

// -- rows ---------------------------------------------------------------------------------------------------

// Columns of points.csv kept as text, each with the member of struct point for the text.
static const struct {
    const char *head;
    size_t offset; // of a const char *
} texts[] = {
    {"point", offsetof(struct point, name)},          {"card", offsetof(struct point, card)},
    {"class", offsetof(struct point, class)},         {"application", offsetof(struct point, application)},
    {"kernel", offsetof(struct point, kernel)},       {"grid", offsetof(struct point, grid)},
    {"block", offsetof(struct point, block)},         {"settings", offsetof(struct point, settings)},
    {"elsewhere", offsetof(struct point, elsewhere)}, {"source", offsetof(struct point, source)},
    {"licence", offsetof(struct point, licence)},     {"note", offsetof(struct point, note)}};
enum { TEXTS = sizeof texts / sizeof texts[0] };

struct list { // points.csv during reading
    struct points *points;
    struct csv csv;
    const char *file, *folder;
    size_t row;
    struct diag *diag;
};

static bool refuse(struct list *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct list *l, const char *format, ...)
{
    struct strbuf text = {0};
    size_t column;
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    bool named = csv_column(&l->csv, "point", &column) && l->row < l->csv.rows.count;
    diag_error(l->diag, loc_none(), "%s%s%s: %s", l->file, named ? ", point " : "",
               named ? l->csv.rows.data[l->row][column] : "", text.text);
    strbuf_fini(&text);
    return false;
}

static const char *field(const struct list *l, const char *head)
{
    size_t column = 0;
    csv_column(&l->csv, head, &column);
    return l->csv.rows.data[l->row][column];
}

// Text in a column that only some lists have; "" in a list without the column.
static const char *optional(const struct list *l, const char *head)
{
    size_t column;
    return csv_column(&l->csv, head, &column) ? l->csv.rows.data[l->row][column] : "";
}

static const char *keep(struct points *p, const char *text)
{
    return arena_strndup(&p->arena, text, strlen(text));
}

static bool find_word(const char *const *words, size_t count, const char *word, size_t *index)
{
    for (*index = 0; *index < count && words[*index]; ++*index)
        if (str_equal(words[*index], word)) return true;
    return false;
}

// True: the text is usable as a file name and as a word of a choice.
static bool is_name(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+");
    return length && !text[length];
}

bool point_are_settings(const char *text)
{
    while (*text) {
        size_t word = strcspn(text, " ");
        if (word && !memchr(text, '=', word)) return false;
        text += word + (text[word] == ' ');
    }
    return true;
}

// Reads the column `milliseconds` into the measured cycles, since times rank in the same way as cycles. Only
// points of set variants may have times.
static bool read_milliseconds(struct list *l, struct point *p)
{
    const char *text = optional(l, "milliseconds");
    if (!*text) return true;
    if (p->set != POINT_VARIANTS) return refuse(l, "milliseconds are of set variants");
    return (str_to_f64(text, &p->measured[QUANTITY_CYCLES]) && p->measured[QUANTITY_CYCLES] > 0) ||
           refuse(l, "milliseconds \"%s\" are no measured time", text);
}

static bool read_measured(struct list *l, struct point *p)
{
    for (size_t q = 0; q < QUANTITIES; q++) {
        const char *text = field(l, quantity_info[q].column);
        p->measured[q] = NAN;
        if (*text && (!str_to_f64(text, &p->measured[q]) || !(p->measured[q] >= 0)))
            return refuse(l, "%s \"%s\" is no measured number", quantity_info[q].column, text);
    }
    if (!read_milliseconds(l, p)) return false;
    p->why =
        !isnan(p->measured[QUANTITY_CYCLES]) ? NULL
        : *p->elsewhere
            ? "not measured: figures not redistributable; give a file of measurements with --measurements"
            : "not measured";
    return true;
}

static bool read_point(struct list *l, struct point *p)
{
    size_t set, counted, class;
    *p = (struct point){.folder = l->folder};
    for (size_t i = 0; i < TEXTS; i++)
        *(const char **)((char *)p + texts[i].offset) = keep(l->points, field(l, texts[i].head));
    if (!is_name(p->name)) return refuse(l, "a point's name is letters, digits, - + and _");
    if (!find_word(point_set_names, POINT_SETS, field(l, "set"), &set))
        return refuse(l, "set \"%s\": must be tuning, second, clocks or variants", field(l, "set"));
    if (!find_word(counted_names, sizeof counted_names / sizeof counted_names[0], field(l, "counted"),
                   &counted))
        return refuse(l, "counted \"%s\": must be all, last or mean", field(l, "counted"));
    if (!find_word(class_names, SIZE_MAX, p->class, &class))
        return refuse(
            l, "no class \"%s\"; must be one of memory, latency, compute, shared, texture, double, divergent",
            p->class);
    if (!*p->card || strpbrk(p->card, " \t")) return refuse(l, "\"%s\" is no GPU", p->card);
    if (!point_are_settings(p->settings))
        return refuse(l, "settings are KEY=VALUE words, not \"%s\"", p->settings);
    p->gpu = p->card;
    p->cause = keep(l->points, optional(l, "cause"));
    p->script = *optional(l, "script") ? keep(l->points, optional(l, "script")) : p->name;
    if (!is_name(p->script)) return refuse(l, "a script's name is letters, digits, - + and _");
    p->set = (enum point_set)set;
    p->counted = (enum point_counted)counted;
    for (size_t i = 0; i < POINT_MODELS_MOST; i++) p->models[i] = NAN;
    return read_measured(l, p);
}

static bool has_columns(struct list *l)
{
    static const char *const others[] = {"set", "counted"};
    size_t column;
    for (size_t i = 0; i < TEXTS; i++)
        if (!csv_column(&l->csv, texts[i].head, &column)) return refuse(l, "no column %s", texts[i].head);
    for (size_t i = 0; i < 2; i++)
        if (!csv_column(&l->csv, others[i], &column)) return refuse(l, "no column %s", others[i]);
    for (size_t q = 0; q < QUANTITIES; q++)
        if (!csv_column(&l->csv, quantity_info[q].column, &column))
            return refuse(l, "no column %s", quantity_info[q].column);
    return true;
}

// -- choosing -----------------------------------------------------------------------------------------------

enum choice { CHOICE_SET, CHOICE_CARD, CHOICE_CLASS, CHOICE_NAME, CHOICES };

static bool is_called(const struct point *p, enum choice kind, const char *word)
{
    switch (kind) {
    case CHOICE_SET: return str_equal(point_set_names[p->set], word);
    case CHOICE_CARD: return str_equal(p->card, word);
    case CHOICE_CLASS: return str_equal(p->class, word);
    case CHOICE_NAME: return str_equal(p->name, word) || (p->series && str_equal(p->series, word));
    case CHOICES: break;
    }
    return false;
}

struct names { // all known words, for suggestions
    VEC(struct point) points;
};

static const char *next_word(const void *context, size_t i)
{
    const struct names *n = context;
    if (i < n->points.count) return n->points.data[i].name;
    i -= n->points.count;
    if (i < n->points.count) return n->points.data[i].card;
    i -= n->points.count;
    if (i < POINT_SETS) return point_set_names[i];
    return class_names[i - POINT_SETS];
}

// The kind of a word in a choice of points (set, card, class or name); CHOICES: no point has the word.
static enum choice kind_of(const struct names *all, const char *word)
{
    for (unsigned kind = 0; kind < CHOICES; kind++)
        for (size_t i = 0; i < all->points.count; i++)
            if (is_called(&all->points.data[i], (enum choice)kind, word)) return (enum choice)kind;
    return CHOICES;
}

struct word_list {
    VEC(const char *) list;
};

struct choosing {
    struct word_list words[CHOICES], left_out[CHOICES];
};

static bool has_call(const struct word_list *words, const struct point *p, enum choice kind)
{
    for (size_t i = 0; i < words->list.count; i++)
        if (is_called(p, kind, words->list.data[i])) return true;
    return false;
}

static bool is_chosen(const struct choosing *c, const struct point *p)
{
    bool is_asked = c->words[CHOICE_SET].list.count || c->words[CHOICE_NAME].list.count;
    if (!point_stands_alone(p) && !is_asked) return false;
    for (unsigned kind = 0; kind < CHOICES; kind++)
        if (c->words[kind].list.count && !has_call(&c->words[kind], p, (enum choice)kind)) return false;
    return true;
}

static bool is_left_out(const struct choosing *c, const struct point *p)
{
    for (unsigned kind = 0; kind < CHOICES; kind++)
        if (has_call(&c->left_out[kind], p, (enum choice)kind)) return true;
    return false;
}

static bool read_words(struct choosing *c, const struct names *all, char *words, const char *operand,
                       struct diag *d)
{
    for (char *word; (word = strsep(&words, ",")) != NULL;) {
        bool is_out = *word == '-';
        word += is_out;
        enum choice kind = kind_of(all, word);
        if (kind == CHOICES) {
            const char *near = str_nearest(word, next_word, all);
            return diag_error(d, loc_none(), "%s: no point, set, card or class \"%s\"%s%s%s", operand, word,
                              near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
        }
        vec_push(is_out ? &c->left_out[kind].list : &c->words[kind].list, word);
    }
    return true;
}

static bool is_there(const struct points *p, const char *name)
{
    for (size_t i = 0; i < p->list.count; i++)
        if (str_equal(p->list.data[i].name, name)) return true;
    return false;
}

static bool choose(struct points *p, const struct names *all, char *words, const char *operand,
                   struct diag *d)
{
    struct choosing c = {0};
    size_t before = p->list.count;
    bool good = !words || read_words(&c, all, words, operand, d);
    for (size_t i = 0; i < all->points.count && good; i++)
        if (is_chosen(&c, &all->points.data[i]) && !is_there(p, all->points.data[i].name)) {
            vec_push(&p->list, all->points.data[i]);
            p->list.data[p->list.count - 1].left_out = is_left_out(&c, &all->points.data[i]);
        }
    if (good && p->list.count == before && !before)
        good = diag_error(d, loc_none(),
                          "%s: no point matches every word (points of sets clocks and variants are chosen by "
                          "the set's name)",
                          operand);
    for (unsigned kind = 0; kind < CHOICES; kind++) {
        vec_fini(&c.words[kind].list);
        vec_fini(&c.left_out[kind].list);
    }
    return good;
}

// -- lists --------------------------------------------------------------------------------------------------

bool points_are(const char *operand)
{
    size_t length = strcspn(operand, ":");
    return (length == 7 && strncmp(operand, "silicon", 7) == 0) ||
           (length > 4 && strncmp(operand + length - 4, ".csv", 4) == 0);
}

static bool is_second(const struct names *all, const char *name)
{
    for (size_t i = 0; i < all->points.count; i++)
        if (str_equal(all->points.data[i].name, name)) return true;
    return false;
}

struct adding {
    struct list *list;
    struct names *all;
    bool good;
};

static void add_point(void *context, const struct point *p)
{
    struct adding *a = context;
    if (is_second(a->all, p->name)) a->good = refuse(a->list, "a second row with the same name");
    vec_push(&a->all->points, *p);
}

static bool add_row(struct list *l, struct names *all, const struct point *row)
{
    struct adding a = {l, all, true};
    const char *wrong = NULL;
    if (row->set == POINT_CLOCKS)
        wrong = point_at_clocks(&l->points->arena, row, optional(l, "clocks"), add_point, &a);
    else
        add_point(&a, row);
    return wrong ? refuse(l, "%s", wrong) : a.good;
}

static bool read_list(struct list *l, const char *text, size_t length, struct names *all)
{
    const char *why;
    size_t line;
    bool good = csv_parse(&l->csv, text, length, &why, &line);
    if (!good)
        diag_error(l->diag, loc_none(), "%s: line %zu: %s", l->file, line, why);
    else {
        l->row = SIZE_MAX;
        good = has_columns(l);
    }
    for (l->row = 0; good && l->row < l->csv.rows.count; l->row++) {
        struct point p;
        good = read_point(l, &p);
        good = good && add_row(l, all, &p);
    }
    csv_fini(&l->csv);
    return good;
}

// Reads the lists of points of silicon/: points.csv, clocks.csv and variants.csv, embedded in the library.
static bool read_own(struct list *l, struct names *all)
{
    static const char *const lists[] = {"points.csv", "clocks.csv", "variants.csv"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char *text;
        size_t length;
        if (!silicon_file(lists[i], &text, &length))
            return diag_error(l->diag, loc_none(), "this warpfold was built without points of silicon");
        bool good = read_list(l, text, length, all);
        free(text);
        if (!good) return false;
    }
    return true;
}

static bool read_file(struct list *l, struct names *all)
{
    char *bytes;
    const char *why, *slash = strrchr(l->file, '/');
    size_t length;
    if (!file_read(l->file, &bytes, &length, &why))
        return diag_error(l->diag, loc_none(), "cannot read %s: %s", l->file, why);
    char *folder = slash ? heap_strndup(l->file, (size_t)(slash - l->file) + 1) : heap_strdup("./");
    char *absolute = realpath(folder, NULL);
    l->folder = keep(l->points, absolute ? absolute : folder);
    bool good = read_list(l, bytes, length, all);
    free(folder);
    free(absolute);
    free(bytes);
    return good;
}

bool points_add(struct points *p, const char *operand, struct diag *d)
{
    char *file = heap_strdup(operand), *words = strchr(file, ':');
    if (words) *words++ = 0;
    struct list l = {.points = p, .file = file, .diag = d};
    struct names all = {0};
    bool good = (str_equal(file, "silicon") ? read_own(&l, &all) : read_file(&l, &all)) &&
                choose(p, &all, words, operand, d);
    vec_fini(&all.points);
    free(file);
    return good;
}
