// A line number program is a state machine producing rows (address, file, line, column). A row covers the
// code words up to the address of the next row.
//
//     advance by 4, line 12  ─▶  row 0x08000a44 VecAdd.c:12      words 0x08000a44, 0x08000a48 are line 12
//     advance by 8, line 14  ─▶  row 0x08000a4c VecAdd.c:14
#include "riscv/dwarf.h"
#include "base/vec.h"

#include <string.h>

enum { // DWARF 5, 7.22: standard and extended opcodes, content types; 7.5.6: forms
    LNS_COPY = 1,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_NEGATE_STMT,
    LNS_SET_BASIC_BLOCK,
    LNS_CONST_ADD_PC,
    LNS_FIXED_ADVANCE_PC,
    LNE_END_SEQUENCE = 1,
    LNE_SET_ADDRESS,
    CONTENT_PATH = 1,
    CONTENT_DIRECTORY,
    FORM_DATA2 = 0x05,
    FORM_DATA4,
    FORM_DATA8,
    FORM_STRING,
    FORM_BLOCK,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
};

enum { ENTRIES_MAX = 4096, FORMATS_MAX = 16, NOT_USED = UINT32_MAX };

// -- bytes --------------------------------------------------------------------------------------------------
struct cursor { // past the end: reads give 0 and set `bad`
    const uint8_t *at, *end;
    bool bad;
};

static size_t left(const struct cursor *c) { return (size_t)(c->end - c->at); }

static void skip(struct cursor *c, uint64_t bytes)
{
    c->bad |= bytes > left(c);
    c->at = c->bad ? c->end : c->at + bytes;
}

static uint64_t fixed(struct cursor *c, unsigned bytes)
{
    const uint8_t *from = c->at;
    uint64_t x = 0;
    skip(c, bytes);
    for (unsigned k = 0; k < bytes && !c->bad; k++) x |= (uint64_t)from[k] << 8 * k;
    return x;
}

static uint64_t variable(struct cursor *c, bool is_signed)
{
    uint64_t x = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = (uint8_t)fixed(c, 1);
        if (shift < 64) x |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80 && !c->bad) continue;
        if (is_signed && byte & 0x40 && shift + 7 < 64) x |= ~0ull << (shift + 7);
        return x;
    }
}
static uint64_t uleb(struct cursor *c) { return variable(c, false); }
static int64_t sleb(struct cursor *c) { return (int64_t)variable(c, true); }

static const char *string(struct cursor *c)
{
    const char *text = (const char *)c->at;
    const void *end = left(c) ? memchr(c->at, 0, left(c)) : NULL;
    if (!end) {
        c->bad = true;
        return "";
    }
    c->at = (const uint8_t *)end + 1;
    return text;
}

static const char *string_of(const struct dwarf_bytes *section, uint64_t offset)
{
    if (offset >= section->length) return "";
    struct cursor c = {section->bytes + offset, section->bytes + section->length, false};
    return string(&c);
}

// -- a unit -------------------------------------------------------------------------------------------------
struct entry { // a directory or a file
    const char *path;
    uint64_t directory;
    uint32_t number; // index in the image's files; NOT_USED: not entered
};

struct entries {
    VEC(struct entry) all;
};

struct files {
    VEC(const char *) all;
};
struct places {
    VEC(struct image_line) all;
};

struct reader {
    struct image *image;
    const struct dwarf *dwarf;
    struct files files;
    struct places places;
    uint64_t may_cover; // words left to cover: bounds overlapping sequences
};

struct unit {
    struct reader *reader;
    unsigned version, offset_bytes, minimum, line_range, opcode_base;
    int line_base;
    uint8_t operands[256]; // of standard opcodes
    struct entries directories, files;
};

static void add(struct entries *e, struct entry x, struct cursor *c)
{
    c->bad |= e->all.count >= ENTRIES_MAX;
    x.number = NOT_USED;
    if (!c->bad) vec_push(&e->all, x);
}

// Reads the lists of folders and files, DWARF 2 to 4: strings numbered from 1, ended by an empty string.
static void read_old_lists(struct unit *u, struct cursor *c)
{
    add(&u->directories, (struct entry){.path = ""}, c); // the compilation directory is in another section
    add(&u->files, (struct entry){.path = ""}, c);
    for (const char *path; !c->bad && *(path = string(c));)
        add(&u->directories, (struct entry){.path = path}, c);
    for (const char *path; !c->bad && *(path = string(c));) {
        struct entry f = {.path = path, .directory = uleb(c)};
        uleb(c); // modification time, length
        uleb(c);
        add(&u->files, f, c);
    }
}

struct content {
    uint64_t type, form;
};

static void read_content(const struct unit *u, struct cursor *c, const struct content *what, struct entry *to)
{
    const char *path = NULL;
    uint64_t number = 0;
    switch (what->form) {
    case FORM_STRING: path = string(c); break;
    case FORM_STRP: path = string_of(&u->reader->dwarf->strings, fixed(c, u->offset_bytes)); break;
    case FORM_LINE_STRP: path = string_of(&u->reader->dwarf->line_strings, fixed(c, u->offset_bytes)); break;
    case FORM_UDATA: number = uleb(c); break;
    case FORM_DATA1: number = fixed(c, 1); break;
    case FORM_DATA2: number = fixed(c, 2); break;
    case FORM_DATA4: number = fixed(c, 4); break;
    case FORM_DATA8: number = fixed(c, 8); break;
    case FORM_DATA16: skip(c, 16); break;
    case FORM_BLOCK: skip(c, uleb(c)); break;
    default: c->bad = true; break;
    }
    if (what->type == CONTENT_PATH && path) to->path = path;
    if (what->type == CONTENT_DIRECTORY) to->directory = number;
}

// Reads a list of folders or files, DWARF 5: the format of an entry, the count, the entries numbered from 0.
static void read_list(struct unit *u, struct cursor *c, struct entries *to)
{
    struct content format[FORMATS_MAX];
    uint64_t contents = fixed(c, 1);
    c->bad |= contents > FORMATS_MAX;
    for (unsigned k = 0; k < contents && !c->bad; k++) format[k] = (struct content){uleb(c), uleb(c)};
    uint64_t count = uleb(c);
    for (uint64_t n = 0; n < count && !c->bad; n++) {
        struct entry e = {.path = ""};
        for (unsigned k = 0; k < contents; k++) read_content(u, c, &format[k], &e);
        add(to, e, c);
    }
}

static bool read_header(struct unit *u, struct cursor *c)
{
    u->version = (unsigned)fixed(c, 2);
    if (u->version < 2 || u->version > 5) return false;
    if (u->version == 5) skip(c, 2); // address size, segment selector size
    uint64_t length = fixed(c, u->offset_bytes);
    if (c->bad || length > left(c)) return false;
    struct cursor h = {c->at, c->at + length, false};
    c->at = h.end; // the line number program begins after the unit's header, whatever the header holds
    u->minimum = (unsigned)fixed(&h, 1);
    if (u->version >= 4) skip(&h, 1); // maximum operations per instruction: 1 on RISC-V
    skip(&h, 1);                      // default_is_stmt: ignored, every row counts
    u->line_base = (int8_t)fixed(&h, 1);
    u->line_range = (unsigned)fixed(&h, 1);
    u->opcode_base = (unsigned)fixed(&h, 1);
    for (unsigned k = 1; k < u->opcode_base; k++) u->operands[k] = (uint8_t)fixed(&h, 1);
    if (h.bad || !u->line_range || !u->opcode_base) return false;
    if (u->version == 5) {
        read_list(u, &h, &u->directories);
        read_list(u, &h, &u->files);
    } else {
        read_old_lists(u, &h);
    }
    return !h.bad;
}

// -- rows ---------------------------------------------------------------------------------------------------
static const char *path_of(const struct unit *u, const struct entry *f)
{
    struct arena *a = &u->reader->image->arena;
    const char *directory =
        f->directory < u->directories.all.count ? u->directories.all.data[f->directory].path : "";
    bool alone = f->path[0] == '/' || !*directory || str_equal(directory, ".");
    return alone ? arena_strndup(a, f->path, strlen(f->path)) : arena_printf(a, "%s/%s", directory, f->path);
}

static uint32_t file_number(struct unit *u, uint64_t index)
{
    if (index >= u->files.all.count || !*u->files.all.data[index].path) return NOT_USED;
    struct entry *f = &u->files.all.data[index];
    struct files *files = &u->reader->files;
    if (f->number != NOT_USED) return f->number;
    const char *path = path_of(u, f);
    for (f->number = 0; f->number < files->all.count; f->number++)
        if (str_equal(files->all.data[f->number], path)) return f->number;
    if (f->number < ENTRIES_MAX) vec_push(&files->all, path);
    return f->number < ENTRIES_MAX ? f->number : (f->number = NOT_USED);
}

struct row {
    uint64_t address, file, line, column;
};

// Assigns the words from row->address up to `end` to the row's line. Code dropped by the linker lies
// outside the image.
static void cover(struct unit *u, const struct row *row, uint64_t end)
{
    struct reader *r = u->reader;
    struct image *i = r->image;
    uint64_t code_end = i->code + 4ull * i->word_count,
             from = row->address < i->code ? i->code : row->address;
    if (end > code_end) end = code_end;
    uint32_t file = from < end && row->line && row->line <= INT32_MAX ? file_number(u, row->file) : NOT_USED;
    if (file == NOT_USED) return;
    struct image_line place = {file, (uint32_t)row->line, (uint32_t)row->column};
    const struct image_line *last = &vec_last(&r->places.all);
    bool same = last->file == file && last->line == place.line && last->column == place.column;
    if (!same) vec_push(&r->places.all, place);
    for (uint64_t at = (from + 3) / 4 * 4; at < end && r->may_cover; at += 4, r->may_cover--)
        i->line_of[(at - i->code) / 4] = (uint32_t)r->places.all.count - 1;
}

struct machine { // registers of DWARF 5, 6.2.2, as far as used
    struct unit *unit;
    struct row now, last;
    bool has_last;
};

static void start(struct machine *m)
{
    m->now = (struct row){.file = 1, .line = 1};
    m->has_last = false;
}

static void put_row(struct machine *m, bool ends)
{
    if (m->has_last) cover(m->unit, &m->last, m->now.address);
    m->last = m->now;
    m->has_last = true;
    if (ends) start(m);
}

static void advance(struct machine *m, uint64_t operations)
{
    m->now.address = (uint32_t)(m->now.address + operations * m->unit->minimum);
}

static void run_extended(struct machine *m, struct cursor *c)
{
    uint64_t length = uleb(c);
    c->bad |= !length || length > left(c);
    if (c->bad) return;
    const uint8_t *end = c->at + length;
    uint64_t opcode = fixed(c, 1);
    if (opcode == LNE_END_SEQUENCE) put_row(m, true);
    if (opcode == LNE_SET_ADDRESS) m->now.address = fixed(c, length - 1 < 8 ? (unsigned)length - 1 : 8);
    c->at = end; // skip other opcodes
}

static void run_standard(struct machine *m, struct cursor *c, unsigned opcode)
{
    const struct unit *u = m->unit;
    switch (opcode) {
    case LNS_COPY: put_row(m, false); break;
    case LNS_ADVANCE_PC: advance(m, uleb(c)); break;
    case LNS_ADVANCE_LINE: m->now.line += (uint64_t)sleb(c); break;
    case LNS_SET_FILE: m->now.file = uleb(c); break;
    case LNS_SET_COLUMN: m->now.column = uleb(c); break;
    case LNS_CONST_ADD_PC: advance(m, (255 - u->opcode_base) / u->line_range); break;
    case LNS_FIXED_ADVANCE_PC: m->now.address = (uint32_t)(m->now.address + fixed(c, 2)); break;
    default:
        for (unsigned k = 0; k < u->operands[opcode]; k++) uleb(c);
        break;
    }
}

static void run(struct unit *u, struct cursor *c)
{
    struct machine m = {.unit = u};
    start(&m);
    while (left(c) && !c->bad && u->reader->may_cover) {
        unsigned opcode = (unsigned)fixed(c, 1);
        if (!opcode) {
            run_extended(&m, c);
        } else if (opcode < u->opcode_base) {
            run_standard(&m, c, opcode);
        } else {
            unsigned special = opcode - u->opcode_base;
            advance(&m, special / u->line_range);
            m.now.line += (uint64_t)(int64_t)(u->line_base + (int)(special % u->line_range));
            put_row(&m, false);
        }
    }
}

static void read_unit(struct reader *r, struct cursor *all)
{
    enum { LONG_FORM = 0xffffffffu };
    struct unit u = {.reader = r, .offset_bytes = 4};
    uint64_t length = fixed(all, 4);
    if (length == LONG_FORM) {
        length = fixed(all, 8);
        u.offset_bytes = 8;
    }
    struct cursor c = *all;
    skip(all, length);
    if (all->bad) return;
    c.end = all->at;
    if (read_header(&u, &c)) run(&u, &c);
    vec_fini(&u.directories.all);
    vec_fini(&u.files.all);
}

void dwarf_read(struct image *i, const struct dwarf *d)
{
    struct reader r = {.image = i, .dwarf = d, .may_cover = 4ull * i->word_count};
    if (!d->lines.length) return;
    struct cursor all = {d->lines.bytes, d->lines.bytes + d->lines.length, false};
    i->line_of = ARENA_ARRAY(&i->arena, uint32_t, i->word_count);
    vec_push(&r.places.all, (struct image_line){0}); // line 0: unknown
    while (left(&all) && !all.bad) read_unit(&r, &all);
    i->line_count = (uint32_t)r.places.all.count;
    i->lines = ARENA_ARRAY(&i->arena, struct image_line, i->line_count);
    memcpy(i->lines, r.places.all.data, i->line_count * sizeof *i->lines);
    i->file_count = (uint32_t)r.files.all.count;
    i->files = ARENA_ARRAY(&i->arena, const char *, i->file_count + 1);
    if (i->file_count) memcpy(i->files, r.files.all.data, i->file_count * sizeof *i->files);
    vec_fini(&r.places.all);
    vec_fini(&r.files.all);
}
