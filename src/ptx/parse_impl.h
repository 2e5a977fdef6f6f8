// Shared by the files of the parser: the state, names in scope, and cross-file functions.
//
//     parse.c       module: directives, recovery        parse_inst.c     mnemonic, modifiers, guard
//     parse_decl.c  variables, registers, parameters    parse_operand.c  operands, call lists
//     parse_func.c  functions, bodies, labels           expr.c, init.c   constant expressions, initialisers
//     scope.c       names to objects                    debug.c          .file, .loc, .section
//     suffix.c      modifier text to fields             signature.c      forms of instructions
//     check*.c      type check of instructions          print*.c         the module as text
//
// A failing function reports its error and returns false, passed up to the statement loop. The loop resumes
// after the next ';', at a '}', or at a new statement's line.
#pragma once
#include "ptx/lex.h"
#include "ptx/ptx.h"
#include "ptx/suffix.h"

// Nesting limits. Deeper text is refused, so input cannot exhaust the stack.
enum { EXPR_DEPTH_MAX = 200, BLOCK_DEPTH_MAX = 200, INIT_DEPTH_MAX = 64 };
enum { ERRORS_MAX = 100 }; // errors before the parser gives up

enum name_kind { NAME_REG, NAME_VARIABLE, NAME_FUNCTION, NAME_TABLE, NAME_PROTOTYPE, NAME_RANGE };

// The binding of a name in one scope. `shadowed`: the binding of the name in an outer scope, restored at the
// end of the scope.
struct binding {
    const char *name; // in the text
    uint32_t length;
    enum name_kind kind;
    uint32_t scope;         // index into parser.scopes, 0 = module
    uint32_t shadowed;      // 1 + binding, 0 = none
    uint32_t next_in_scope; // 1 + binding
    uint32_t index;         // REG: first register; TABLE: index into tables
    uint32_t elements;      // REG, RANGE: elements of a vector, 1 = scalar
    enum ptx_type type;     // REG, RANGE
    uint64_t range;         // RANGE: number of registers
    struct ptx_variable *variable;
    struct ptx_function *function;
    struct ptx_prototype *prototype;
};

struct scope {
    uint32_t first_binding; // 1 + binding, linked by next_in_scope
    // start of the block's part of the parser's open_labels and references
    uint32_t first_label, first_reference;
    uint32_t deepest_range; // deepest enclosing scope with a range
};

// A use of a label by an instruction or table, kept until a block with the label closes.
struct label_reference {
    const char *name;
    uint32_t length;
    struct loc loc;
    bool in_table;
    uint32_t index; // instruction, or table
    uint32_t slot;  // operand, or entry
};

// Literal kind of an immediate; kept in operand.component until check_immediate converts the constant.
enum literal { LITERAL_INT, LITERAL_F32, LITERAL_F64 };

struct function_name { // name of an inlined function, as a .loc gives it: a label in .debug_str
    uint32_t line_info, length;
    const char *name;
};

struct alias {
    struct ptx_function *name, *target;
};

struct parser {
    struct lexer lex;
    struct token t;                       // current token
    uint32_t previous_line, previous_end; // end of the previous token
    struct diag *d;
    struct ptx_module *m;
    struct arena *arena;
    unsigned errors_before; // d->errors when parsing began

    struct strmap mnemonics; // text to enum ptx_op
    struct strmap sregs;     // text to enum ptx_sreg
    struct suffix_table suffixes;
    struct signature_index *signatures;

    struct strmap names, ranges; // text to 1 + binding, 0 = unbound
    VEC(struct binding) bindings;
    VEC(struct scope) scopes; // [0] is the module

    // The function being parsed.
    struct ptx_function *function;
    VEC(struct ptx_reg) regs;
    VEC(struct ptx_inst) insts;
    VEC(struct ptx_label) labels;
    VEC(uint32_t) open_labels; // labels of open blocks
    VEC(struct label_reference) references;
    struct strmap label_names; // used while closing a block
    VEC(struct ptx_table) tables;
    VEC(struct ptx_variable *) locals;
    uint32_t line_info;

    // The module being built.
    VEC(struct ptx_variable *) variables;
    VEC(struct ptx_function *) functions;
    VEC(struct ptx_file) files;
    VEC(struct ptx_line_info) line_infos;
    struct u64map line_places; // hash of file, line, column to the latest line info of the place
    VEC(struct function_name) function_names;
    struct strmap debug_strings; // label to index in debug_texts
    VEC(const char *) debug_texts;
    VEC(struct alias) aliases;
    struct u64map alias_numbers; // address of the alias's function to index in aliases
    uint64_t init_bytes;         // bytes of initialised data so far
    unsigned expr_depth;
};

// parse.c: tokens
void parse_advance(struct parser *p);
static inline bool at(const struct parser *p, enum token_kind kind) { return p->t.kind == kind; }
bool parse_at_dot(const struct parser *p, const char *word);
bool parse_accept(struct parser *p, enum token_kind kind);
bool parse_accept_dot(struct parser *p, const char *word);
bool parse_expect(struct parser *p, enum token_kind kind, const char *after);
bool parse_semicolon(struct parser *p, const char *after);
bool parse_error(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct loc parse_here(const struct parser *p);
bool parse_gave_up(const struct parser *p);
const char *parse_copy_token(struct parser *p, const struct token *t);
bool parse_u32(struct parser *p, const char *what, uint32_t *value);
// Skips past the next ';', or up to a '}' or the start of a line that looks like a new statement.
void parse_skip_statement(struct parser *p);
// At '{': skips past the matching '}'.
bool parse_skip_braces(struct parser *p);
#define ARENA_COPY(arena, vec) parse_copy_array((arena), (vec)->data, (vec)->count * sizeof *(vec)->data)
void *parse_copy_array(struct arena *a, const void *data, size_t bytes);

// scope.c
void scope_push(struct parser *p);
void scope_pop(struct parser *p);
// Binds a name in the current scope; a duplicate is reported and bound, too. The caller fills in the result.
struct binding *scope_bind(struct parser *p, const struct token *name, enum name_kind kind);
struct binding *scope_find(struct parser *p, const char *name, size_t length); // NULL when unknown
// Reports `name` as unknown, with the nearest name of the kind. Always false.
bool scope_unknown(struct parser *p, const struct token *name, enum name_kind kind, const char *what);
uint32_t scope_new_register(struct parser *p, const char *name, size_t length, enum ptx_type type,
                            uint32_t elements);

// parse_decl.c
bool parse_type_word(const struct token *t, enum ptx_type *type);
bool parse_space_word(const struct token *t, enum ptx_space *space);
struct linkage {
    bool is_extern, is_visible, is_weak, is_common;
};
// Parses variables, from the state space on: ".global .align 4 .b8 x[4] = {…}, y;"
bool parse_variables(struct parser *p, struct linkage linkage);
bool parse_registers(struct parser *p); // after ".reg"
// At '(': parses a parameter list, without binding the names.
bool parse_parameters(struct parser *p, bool is_entry, struct ptx_variable ***list, uint32_t *count);
uint64_t parse_layout(struct ptx_variable **list, uint32_t count);

// parse_func.c
bool parse_function(struct parser *p, bool is_entry, struct linkage linkage);
bool parse_alias(struct parser *p);

// parse_inst.c
bool parse_instruction(struct parser *p, const struct token *mnemonic, int32_t guard, bool guard_negated);
bool parse_guard(struct parser *p, int32_t *guard, bool *negated);

// parse_operand.c
bool parse_operands(struct parser *p, struct ptx_inst *i);
bool parse_call(struct parser *p, struct ptx_inst *i);

// expr.c: value of a constant expression
struct constant {
    enum literal literal;
    bool is_unsigned;
    uint64_t bits; // integer, or the bits of the float
};
bool parse_constant(struct parser *p, struct constant *value);
bool parse_constant_i64(struct parser *p, int64_t *value); // integers only
double expr_to_f64(struct constant c);
// Converts a constant to the bits of a `type` (PTX ISA 4.5). False: an integer for a float type, or a float
// for a type other than .f32, .f64 and the bit type of the float's width.
bool expr_to_type(struct constant c, enum ptx_type type, uint64_t *bits);

// init.c: after '='
bool parse_initialiser(struct parser *p, struct ptx_variable *v, const uint64_t *dimensions, unsigned rank);

// debug.c
bool parse_file_directive(struct parser *p);
bool parse_loc_directive(struct parser *p);
bool parse_section(struct parser *p);
void debug_resolve_strings(struct parser *p);

// check.c
bool check_instruction(struct parser *p, struct ptx_inst *i, uint64_t given);
