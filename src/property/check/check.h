/* The parts of the checker, for check*.c only.
 *
 * Declarations get their names first (check_names.c), then aliases their places (check_place.c), events, threads and ghosts their
 * meaning (check_event.c), and properties and scopes theirs (check_property.c, check_scope.c). A form is type-checked and lowered
 * in one walk (check_form.c) to an expression (check_expr.c) or to nodes over atoms (check_node.c).
 *
 * Everything lies in the arena of the spec. A mistake sets `bad`: what is being checked will not be part of the spec. */
#ifndef NORN_PROPERTY_CHECK_H
#define NORN_PROPERTY_CHECK_H

#include "base/arena.h"
#include "base/map.h"
#include "base/table.h"
#include "base/vector.h"
#include "property/property.h"

/* Far beyond what a person writes, so that lists may be searched one by one. */
#define NORN_PARAMETERS_MAX 64u
#define NORN_SELECTORS_MAX 256u
/* Forms that one formula may have once its predicates are expanded, and how deep they may then nest. */
#define NORN_EXPANSION_MAX 100000u
#define NORN_NESTING_MAX NORN_DEPTH_MAX
/* Forms that all predicates of a file may expand to, and states of an fsm: far beyond what a person writes. */
#define NORN_EXPANSIONS_MAX 2000000u
#define NORN_STATES_MAX 10000u

/* A name and what it stands for. */
struct norn_named {
	const char *text;
	struct norn_span span;
	const struct norn_decl *decl; /* or NULL */
	uint32_t index; /* VAR, LOCK: place; in a scope: enum norn_item_kind; else in the list of its kind */
	uint32_t place; /* in a scope: in the list of its kind */
	bool known; /* VAR, LOCK: has its place; PRED: looked at */
	bool bad; /* its declaration has a mistake */
};

struct norn_name_table {
	struct norn_table names;
	NORN_VECTOR(struct norn_named *) newest; /* by number of a name */
	NORN_VECTOR(struct norn_named *) list; /* as they came */
};

/* Nodes and atoms of the property that is being checked. */
struct norn_builder {
	bool discard; /* only types are wanted: no atoms are kept */
	bool full; /* the diagnostic about too many atoms was made */
	struct norn_node *nodes;
	uint32_t node_count, node_room;
	struct norn_map shared; /* operator and operands to node */
	struct norn_atom *atoms;
	uint32_t atom_count, atom_room;
	struct norn_name_table atom_names; /* by text; index: atom */
	struct norn_thread_name threads[NORN_THREAD_VARIABLES_MAX]; /* MTTL */
	uint32_t thread_count;
};

/* A spec and the arena in which it lies. */
struct norn_owned_spec {
	struct norn_spec spec;
	struct norn_arena arena;
};

struct norn_checker {
	struct norn_owned_spec *owned;
	struct norn_sources *sources;
	const struct norn_tree *tree;
	const struct norn_program *program;
	bool bad;
	char *form_text; /* the last one that was made */
	uint32_t expanded; /* forms in expanded predicates, of all formulas */

	struct norn_name_table values; /* var, lock, event, ghost, pred: what a form can name */
	struct norn_name_table threads;
	struct norn_name_table items; /* properties and scopes */
	struct norn_name_table place_keys; /* places by their meaning, whatever they are called; index: place */
	struct norn_name_table scope_names; /* locals and atoms of the scope that is being checked */
	struct norn_name_table states; /* of the fsm that is being checked */
	struct norn_builder builder;

	struct norn_place *places;
	struct norn_checked_event *events;
	struct norn_thread_type *types;
	struct norn_ghost *ghosts;
	struct norn_property *properties;
	struct norn_scope *scopes;
	uint32_t place_count, place_room, event_count, event_room, type_count, type_room, ghost_count, ghost_room, property_count,
	        property_room, scope_count, scope_room;

	/* The scope that is being checked. */
	struct norn_scope_local *locals;
	struct norn_scope_atom *atoms;
	struct norn_tally *tallies;
	struct norn_scope_check *checks;
	uint32_t local_count, local_room, atom_count, atom_room, tally_count, tally_room, check_count, check_room;
	struct norn_named *sync; /* the event of that name, which is known where a local is kept; NULL: none such so far */
	bool keeping; /* such a local is being checked */
};

/* ---- memory, text, diagnostics, names (check_names.c) ---- */

void *norn_check_alloc(struct norn_checker *c, size_t bytes); /* zeroed */
/* Makes room for one more element behind count of them. array: address of the pointer. */
void norn_check_grow(struct norn_checker *c, void *array, uint32_t *room, uint32_t count, size_t element);
/* A copy of count elements in the arena, NULL if there are none. */
void *norn_check_copy(struct norn_checker *c, const void *elements, uint32_t count, size_t element);
const char *norn_check_print(struct norn_checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for the help of a diagnostic; NULL if none will be shown any more. */
const char *norn_check_advise(struct norn_checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct norn_growing_text {
	char *chars;
	size_t length, room;
};
void norn_text_append(struct norn_checker *c, struct norn_growing_text *text, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* The same diagnostic is made once, however often a macro is expanded. */
void norn_check_error(struct norn_checker *c, struct norn_span span, const char *help, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
void norn_check_warn(struct norn_checker *c, struct norn_span span, const char *help, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

void norn_name_table_done(struct norn_name_table *table); /* leaves an empty one */
struct norn_named *norn_name_table_find(const struct norn_name_table *table, const char *text);
struct norn_named *norn_name_table_add(
        struct norn_checker *c, struct norn_name_table *table, const char *text); /* no matter if it is there */
const char *norn_check_nearest(
        struct norn_checker *c, const struct norn_name_table *table, const char *text); /* NULL: none is near */
bool norn_check_is_silent(const struct norn_checker *c); /* no more diagnostics will be shown: no need to search for advice */
/* "did you mean `x`?", or instead (which may be NULL) if nearest is NULL. */
const char *norn_check_meant(struct norn_checker *c, const char *nearest, const char *instead);
/* "line 3", with the file's name if it is not the one of `from`. */
const char *norn_check_where(struct norn_checker *c, struct norn_span span, struct norn_span from);
/* Adds a name, or complains that it was there. NULL if so, and if the parser found no name. */
struct norn_named *norn_check_declare(struct norn_checker *c, struct norn_name_table *table, struct norn_name name);
bool norn_check_is_builtin(const char *name); /* value old self tid */
/* Of a list of names: their number and an array of them, bounded and without doubles. what: "parameter". */
uint32_t norn_check_parameters(
        struct norn_checker *c, const struct norn_names *names, const char *what, const char *const **ret_parameters);
/* The meanings that a name in a form can have. */
struct norn_named *norn_check_value_name(const struct norn_checker *c, const char *name);
/* The declared event of that name; NULL after a diagnostic. */
struct norn_named *norn_check_event_name(struct norn_checker *c, struct norn_name name);
/* The tally of the scope that this is; it is made if it is new. */
uint32_t norn_check_tally(struct norn_checker *c, struct norn_tally tally); /* check_scope.c */
/* Index of the declared thread type; NORN_SLOT_NONE after a diagnostic. */
uint32_t norn_check_thread_name(struct norn_checker *c, struct norn_name name);

/* ---- places (check_place.c) ---- */

/* Finds the place of an lval; false after a diagnostic. lock: the place of a lock, so a pointer stands for what it points to. */
bool norn_check_place(struct norn_checker *c, const struct norn_lval *lval, bool lock, uint32_t *ret_place);
/* The type of what an lval stands for, NULL if it is unknown; makes no place. False after a diagnostic. */
bool norn_check_place_type(struct norn_checker *c, const struct norn_lval *lval, const struct norn_type **ret_type);
/* True if a place has one value that is a number, with a diagnostic if not. */
bool norn_check_place_value(struct norn_checker *c, struct norn_span span, uint32_t place, bool *ret_real);
/* Places of a list of lvals (race, deadlock). */
uint32_t norn_check_place_list(struct norn_checker *c, const struct norn_lval *lvals, bool lock, const uint32_t **ret_places);
const struct norn_symbol *norn_check_find_function(struct norn_checker *c, struct norn_name name); /* NULL: none, or no program */
/* The function of that name; NULL if there is no program, or after a diagnostic. */
const struct norn_symbol *norn_check_function(struct norn_checker *c, struct norn_name name);
/* Complains if the calls of a function (which may be NULL) are not recorded. */
void norn_check_recorded(struct norn_checker *c, const struct norn_symbol *function, struct norn_span span);
/* Least and greatest value of a type (bit_size: 0, or bits of a bit-field); false if it has no such bounds. NULL: 64 bits,
 * signed. */
bool norn_check_type_range(const struct norn_type *type, uint16_t bit_size, __int128 *ret_min, __int128 *ret_max);

/* ---- expressions (check_expr.c) ---- */

const struct norn_expr *norn_check_int(struct norn_checker *c, __int128 number, struct norn_span span);
const struct norn_expr *norn_check_real(struct norn_checker *c, uint64_t bits, struct norn_span span);
const struct norn_expr *norn_check_leaf(struct norn_checker *c, enum norn_expr_op op, uint32_t index, struct norn_span span);
/* Constants are folded, operands of commutative operators ordered. b is NULL for one operand.
 * NULL: the constant does not exist (division by zero, overflow). */
const struct norn_expr *norn_check_operation(struct norn_checker *c, enum norn_expr_op op, const struct norn_expr *a,
        const struct norn_expr *b, bool real, struct norn_span span);
/* A comparison as EQ, LT or LE, perhaps negated. real: an operand is a float, where !(a < b) is not a >= b. */
const struct norn_expr *norn_check_comparison(struct norn_checker *c, enum norn_form_kind kind, const struct norn_expr *a,
        const struct norn_expr *b, bool real, struct norn_span span, bool *ret_negated);
const struct norn_expr *norn_check_known(struct norn_checker *c, const struct norn_expr *a, uint32_t thread, struct norn_span span);
const char *norn_check_expr_text(struct norn_checker *c, const struct norn_expr *expr, const char *const *keys);
/* True if it depends on the valuation. */
bool norn_check_has_state(const struct norn_expr *expr);

/* ---- nodes (check_node.c) ---- */

void norn_builder_done(struct norn_builder *builder);
void norn_check_begin(struct norn_checker *c, bool discard); /* empties the builder */
/* Folds constants, orders commutative operands, and shares equal nodes. */
uint32_t norn_check_node(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span);
uint32_t norn_check_not(struct norn_checker *c, uint32_t a, struct norn_span span);
/* The number of the atom with this text, made if it is new; NORN_SLOT_NONE after a diagnostic about too many. */
uint32_t norn_check_atom(struct norn_checker *c, struct norn_atom atom);
/* The same as a node. */
uint32_t norn_check_atom_node(struct norn_checker *c, struct norn_atom atom);
/* Gives the property what root needs, and no more. */
void norn_check_finish_nodes(struct norn_checker *c, uint32_t root, struct norn_property *property);
void norn_check_finish_atoms(struct norn_checker *c, struct norn_property *property);

/* ---- forms (check_form.c) ---- */

enum norn_form_where {
	NORN_IN_PTLTL,
	NORN_IN_LTL,
	NORN_IN_MTTL,
	NORN_IN_CHECK, /* of a scope; looks back or ahead as `future` says */
	NORN_IN_CONDITION, /* of a selector */
	NORN_IN_UPDATE, /* of a ghost */
	NORN_IN_INITIAL, /* of a ghost */
	NORN_IN_ACTION,
	NORN_IN_ATOM /* of a scope */
};

/* A thread that a formula of mttl names. */
struct norn_thread_variable {
	const char *name;
	uint32_t index; /* in the builder's threads */
	const struct norn_thread_variable *outer;
};

/* The context of a form, and the names that it can use besides declarations and the program. */
struct norn_form_env {
	enum norn_form_where where;
	bool future; /* CHECK */
	enum norn_point_kind point; /* CONDITION */
	const char *const *slots; /* CONDITION, UPDATE */
	const struct norn_type *const *slot_types; /* or NULL */
	uint32_t slot_count;
	const char *const *keys;
	uint32_t key_count;
	const struct norn_thread_variable *threads; /* MTTL */
	uint32_t context; /* MTTL: the variable whose thread's state the form is about */
	/* Its progress; zero at first. */
	const struct norn_expansion *expansion; /* of the predicate whose text this is, or NULL */
	bool argument; /* of an event */
	bool exhausted;
	uint32_t depth, size;
};

enum norn_term_kind { NORN_TERM_BAD, NORN_TERM_NUMBER, NORN_TERM_TRUTH, NORN_TERM_EVENT, NORN_TERM_TEMPORAL };

/* The kind of a form. In formulas all but numbers are nodes, elsewhere all are expressions. */
struct norn_term {
	enum norn_term_kind kind;
	bool real; /* NUMBER: a float */
	const struct norn_expr *expr;
	uint32_t node;
};

struct norn_term norn_check_form(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form);
/* A formula as a node; false after a diagnostic. */
bool norn_check_formula(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, uint32_t *ret_root);
/* A condition or a value as an expression; NULL after a diagnostic. ret_real may be NULL. */
const struct norn_expr *norn_check_expression(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, bool *ret_real);
/* A comparison with a string (check_text.c). */
struct norn_term norn_check_text_comparison(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form);
/* The meaning of names (check_lookup.c). */
struct norn_term norn_check_name(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form);
bool norn_check_form_place(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_lval *lval, bool lock, uint32_t *ret_place);
/* What the lval stands for where it is written: parameters of predicates replaced; NULL if it is no memory of the program. */
const struct norn_lval *norn_check_form_memory(
        struct norn_checker *c, const struct norn_form_env *env, const struct norn_lval *lval);
/* True if it is one variable, as threads know values of variables, and not of what a pointer led to at their time; false after a
 * diagnostic. */
bool norn_check_single_place(struct norn_checker *c, uint32_t place, struct norn_span span);
/* The thread variable of that name; NORN_SLOT_NONE after a diagnostic. */
uint32_t norn_check_thread_variable(struct norn_checker *c, const struct norn_form_env *env, struct norn_name name);
/* The number of a thread variable, made if it is new; NORN_SLOT_NONE after a diagnostic. Variables that stand for the same threads
 * are one. */
uint32_t norn_check_thread_number(struct norn_checker *c, struct norn_name name, uint32_t type, uint32_t other);
/* Complains about predicates that are defined through themselves. */
void norn_check_predicates(struct norn_checker *c);

/* ---- declarations ---- */

void norn_check_thread(struct norn_checker *c, const struct norn_decl *decl); /* check_event.c */
void norn_check_event(struct norn_checker *c, const struct norn_decl *decl);
void norn_check_ghost(struct norn_checker *c, const struct norn_decl *decl);
void norn_check_property(struct norn_checker *c, const struct norn_decl *decl); /* check_property.c */
void norn_check_handlers(struct norn_checker *c, const struct norn_decl *decl, struct norn_property *property); /* check_action.c */
void norn_check_rex(struct norn_checker *c, const struct norn_rex *rex, struct norn_property *property); /* check_rex.c */
/* regions: of a scope's check, whose transitions are by atoms of the scope; else they are by events. */
void norn_check_fsm(struct norn_checker *c, const struct norn_logic *logic, bool regions, struct norn_property *property);
/* race or atomic as a formula of MTTL: what the attribute mttl asks for. */
enum norn_by_knowledge { NORN_BY_NONE, NORN_BY_PAPER, NORN_BY_FULL, NORN_BY_COUNTER };
void norn_check_builtin(
        struct norn_checker *c, const struct norn_logic *logic, enum norn_by_knowledge by, struct norn_property *property);
void norn_check_scope(struct norn_checker *c, const struct norn_decl *decl); /* check_scope.c */

/* A name that may be one of the file's own declarations: not "f.c"::x, fn::x or struct x. */
static inline bool norn_lval_is_plain(const struct norn_lval *lval)
{
	return !lval->file && !lval->tagged && !lval->function.text;
}

#endif
