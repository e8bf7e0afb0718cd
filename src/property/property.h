/* Checked properties: names resolved, types right, macros expanded. The input of monitors, and the relevant events.
 *
 * A spec is what check.c makes of a tree. Formulas are directed acyclic graphs of a few operators over atoms; an atom is an event
 * that happens at a position, or a predicate over the valuation. Nodes come after their operands, so that no one needs recursion.
 * The spec owns everything, and keeps pointing into its tree, sources and program, which must live longer. */
#ifndef NORN_PROPERTY_PROPERTY_H
#define NORN_PROPERTY_PROPERTY_H

#include <string.h>

#include "property/ast.h"
#include "program/program.h"

#define NORN_SLOT_NONE UINT32_MAX

/* A piece of memory that a name stands for: start at base; at each hop, move on by offset and, but for the last hop, load a
 * pointer. */
enum norn_place_kind {
	NORN_PLACE_OBJECT, /* a variable, or a part of one */
	NORN_PLACE_FIELD, /* that field of every object: sites with this tag.field */
	NORN_PLACE_SET, /* a name that norn_set gives values to */
	NORN_PLACE_FREE /* no program was given: a name that stands for itself */
};

struct norn_place {
	enum norn_place_kind kind;
	const char *text; /* as written, canonical: "radio", "struct acct.balance" */
	const struct norn_symbol *base; /* OBJECT */
	const uint64_t *offsets; /* OBJECT: one per hop */
	uint32_t hops;
	uint64_t cell_step, count; /* OBJECT with [*]: elements from there on, count 0: unlimited; else 0, 1 */
	const char *field; /* FIELD: "acct.balance", as sites spell it */
	const struct norn_type *type; /* NULL: unknown (FREE, SET: a signed 64-bit number) */
	uint64_t size; /* bytes */
	uint16_t bit_offset, bit_size;
};

/* Expressions compute in mathematical integers (128 bits; overflow and division by zero are unknown), or in double as soon as one
 * operand is a float. Truth is a number: 0 or 1. */
enum norn_expr_op {
	NORN_EXPR_INT,
	NORN_EXPR_REAL, /* number: the bits of the double */
	NORN_EXPR_PLACE, /* index: of the place */
	NORN_EXPR_GHOST, /* index: of the ghost; that of the event's thread */
	NORN_EXPR_SLOT, /* index: value bound by the selector (selectors' conditions and ghost updates: event's parameters) */
	NORN_EXPR_KEY, /* index: of the property's keys */
	NORN_EXPR_VALUE, /* of the event */
	NORN_EXPR_OLD,
	NORN_EXPR_SELF, /* address of the object that the event is about */
	NORN_EXPR_TID, /* number of its thread */
	NORN_EXPR_TALLY, /* index: of the scope's tallies; in its atoms only */
	NORN_EXPR_EVENT, /* index: of the event; 1 if it happens now */
	NORN_EXPR_NOT, /* a */
	NORN_EXPR_NEGATE,
	NORN_EXPR_INVERT,
	NORN_EXPR_AND, /* a, b */
	NORN_EXPR_OR,
	NORN_EXPR_EQ,
	NORN_EXPR_LT,
	NORN_EXPR_LE,
	NORN_EXPR_ADD,
	NORN_EXPR_SUB,
	NORN_EXPR_MUL,
	NORN_EXPR_DIV,
	NORN_EXPR_MOD,
	NORN_EXPR_BITAND,
	NORN_EXPR_AT /* MTTL; index: of the thread variable; a, as it is known of that thread */
};

static inline double norn_real_of(__int128 bits)
{
	double value;
	memcpy(&value, &(uint64_t){(uint64_t)bits}, sizeof value);
	return value;
}

/* As a property spells it: the shortest text that is read as this number. */
#define NORN_DOUBLE_TEXT 40u
void norn_real_text(double value, char to[NORN_DOUBLE_TEXT]);

struct norn_expr {
	enum norn_expr_op op;
	uint32_t index;
	__int128 number; /* INT: literals go up to 2^64 - 1, and may be negated */
	struct norn_span span;
	const char *text; /* AND, EQ: what was written, of a comparison with a string (`name == "bob"`); else NULL */
	const struct norn_expr *a, *b;
};

enum norn_atom_kind { NORN_ATOM_EVENT, NORN_ATOM_PREDICATE, NORN_ATOM_ACCESS /* MTTL: read(x) write(x) access(x) */ };

struct norn_atom {
	enum norn_atom_kind kind;
	uint32_t event; /* EVENT */
	const struct norn_expr *const
	        *arguments; /* EVENT: one per parameter that must be equal, NULL entries: any; NULL: all any */
	const struct norn_expr *predicate;
	enum norn_word word; /* ACCESS */
	uint32_t place; /* ACCESS */
	const char *text; /* canonical: "landing == 1", "suspend" */
	struct norn_span span; /* its first place in the formula */
};

/* Operators that are left after desugaring. Future: F p = true U p, G p = false R p, p W q = q R (p || q), WX stays. */
enum norn_op {
	NORN_OP_TRUE,
	NORN_OP_FALSE,
	NORN_OP_ATOM,
	NORN_OP_NOT,
	NORN_OP_AND,
	NORN_OP_OR,
	NORN_OP_PREV,
	NORN_OP_START,
	NORN_OP_END,
	NORN_OP_ONCE,
	NORN_OP_HIST,
	NORN_OP_SINCE,
	NORN_OP_WEAK_SINCE,
	NORN_OP_INTERVAL,
	NORN_OP_WEAK_INTERVAL,
	NORN_OP_NEXT,
	NORN_OP_WEAK_NEXT,
	NORN_OP_UNTIL,
	NORN_OP_RELEASE,
	/* MTTL: b is the thread variable */
	NORN_OP_AT, /* a, as it is known of that thread */
	NORN_OP_FORALL, /* a, for all threads that the variable can stand for */
	NORN_OP_EXISTS
};

struct norn_node {
	enum norn_op op;
	uint32_t a, b; /* nodes before this one; ATOM: a is the atom */
	struct norn_span span; /* its source */
};

struct norn_rnode {
	enum norn_rex_kind kind;
	uint32_t a, b; /* nodes before this one; EVENT: a is the atom */
	uint32_t least, most;
};

#define NORN_FSM_DEAD UINT32_MAX /* no transition: the run has failed, for ever */
struct norn_fsm_state {
	const char *name;
	bool accept, error;
	const uint32_t *targets; /* per atom: a state or NORN_FSM_DEAD */
};

/* An action's arguments are evaluated where it runs. */
struct norn_checked_action {
	enum norn_action_kind kind;
	const char *format;
	const char *function;
	const struct norn_expr *const *arguments;
	uint32_t argument_count;
};

struct norn_checked_handler {
	enum norn_outcome outcome;
	uint32_t state; /* of the fsm */
	const struct norn_checked_action *actions;
	uint32_t action_count;
};

enum norn_predict { NORN_PREDICT_DEFAULT, NORN_PREDICT_NONE, NORN_PREDICT_MVC, NORN_PREDICT_SLICED };
enum norn_end { NORN_END_OPEN, NORN_END_FINITE, NORN_END_STUTTER };

#define NORN_ATOMS_MAX 62u
#define NORN_THREAD_VARIABLES_MAX 32u

/* A name for threads in an MTTL formula: number 0 is the formula's own thread, the others are quantified. */
struct norn_thread_name {
	const char *name;
	uint32_t type; /* of those that it can stand for; NORN_SLOT_NONE: any */
	uint32_t other; /* the variable that it is not equal to, or NORN_SLOT_NONE */
};

struct norn_property {
	const char *name;
	const struct norn_decl *decl; /* its syntax: what MTTL and the built-ins are made of */
	const char *source; /* the file that declares it; NULL: unknown */
	enum norn_logic_kind logic;
	enum norn_predict predict;
	enum norn_end end;
	bool liveness; /* LTL: search for infinite runs that violate it, too, if there can be any that no finite run shows */
	const char *const *keys;
	uint32_t key_count;
	const struct norn_atom *atoms;
	uint32_t atom_count;
	bool states; /* has a predicate atom over places or ghosts: position 0 is the initial valuation */
	const struct norn_node *nodes; /* PTLTL, LTL, MTTL; the root is the last */
	uint32_t node_count;
	const struct norn_rnode *rnodes; /* ERE, FORBID; the root is the last */
	uint32_t rnode_count;
	const struct norn_fsm_state *fsm; /* FSM */
	const struct norn_state
	        *fsm_source; /* its syntax: where several atoms hold, the transition that is written first is taken */
	uint32_t fsm_count, fsm_initial;
	const struct norn_checked_handler *handlers;
	uint32_t handler_count;
	const struct norn_thread_name *threads; /* MTTL, which has nodes and atoms like PTLTL */
	uint32_t thread_count;
	const uint32_t *on, *except; /* RACE, DEADLOCK: places */
	uint32_t on_count, except_count;
};

/* The meaning of a selector of the kind NOTE: norn_event, norn_atomic_begin (note NULL: of any name), norn_atomic_end. */
enum norn_note_mark { NORN_NOTE_EVENT, NORN_NOTE_BLOCK, NORN_NOTE_BLOCK_END };

struct norn_checked_selector {
	enum norn_point_kind kind;
	const char *function; /* CALL, RETURN; START, EXIT, JOIN of a start routine */
	const char *file; /* of the function if it is a static that was named by file, else NULL */
	const char *note;
	enum norn_note_mark mark; /* NOTE */
	uint32_t place; /* READ … UNLOCK */
	uint32_t thread_type; /* by; START, EXIT of a thread type; NORN_SLOT_NONE: any */
	uint32_t joined_type; /* JOIN: of the thread that is joined; NORN_SLOT_NONE: any */
	const uint32_t *slots; /* CALL, RETURN: slot of each argument, NORN_SLOT_NONE for _ */
	uint32_t slot_count;
	bool more; /* ...: further arguments are welcome */
	uint32_t result; /* slot of the result, or NORN_SLOT_NONE */
	bool anyhow; /* RETURN: also where the function is left by longjmp, an exception or its thread's end */
	const struct norn_expr *condition;
	const struct norn_type *const *types; /* per slot: C type of the argument or result, NULL unknown */
	uint32_t slots_total; /* the event's parameters first, then what only this selector names */
};

struct norn_checked_event {
	const char *name;
	const char *const *parameters;
	uint32_t parameter_count;
	const struct norn_checked_selector *selectors;
	uint32_t selector_count;
};

struct norn_thread_type {
	const char *name;
	const struct norn_tsel *selectors; /* a thread is of the type if one of them fits */
};

struct norn_checked_update {
	uint32_t event;
	bool fresh;
	const struct norn_expr *value; /* SLOT: the event's parameters */
};

struct norn_ghost {
	const char *name;
	const struct norn_expr *initial;
	const struct norn_checked_update *updates;
	uint32_t update_count;
};

/* ---- scopes (opportunistic monitoring: see docs/property-language.md) ---- */

/* The things that an atom counts: threads of a type that belong to the region, or those where a local's verdict is true (or a
 * match), or false. */
struct norn_tally {
	enum norn_word word; /* ALL, SOME, NONE, SIZE, COUNT */
	uint32_t local; /* but for SIZE */
	uint32_t type; /* SIZE; COUNT: only threads that are of this type, too, or NORN_SLOT_NONE */
	bool falsified; /* COUNT: those whose verdict is false */
};

struct norn_scope_local {
	uint32_t type; /* of the threads that have this monitor */
	bool keep; /* its state goes on from region to region */
	struct norn_property property; /* PTLTL, LTL, ERE, FSM; its atoms are events */
	uint32_t sync; /* keep: the atom that is the synchronizing action, or NORN_SLOT_NONE if the local does not speak of it */
};

struct norn_scope_atom {
	const char *name;
	const struct norn_expr *expr; /* of tallies */
};

struct norn_scope_check {
	struct norn_property property; /* PTLTL, LTL, FSM; its name is SCOPE.CHECK, or SCOPE; its handlers are the scope's */
	const uint32_t *atoms; /* per atom of the property: which one of the scope's */
};

struct norn_scope {
	const char *name;
	const struct norn_decl *decl;
	bool nested; /* one channel for each thread that acts, with the threads that it created; else one for all */
	bool trusted; /* the user says that actions are ordered, by means that cannot be seen (atomics) */
	const uint32_t *sync; /* events that are synchronizing actions */
	uint32_t sync_count;
	const struct norn_scope_local *locals;
	uint32_t local_count;
	const struct norn_tally *tallies;
	uint32_t tally_count;
	const struct norn_scope_atom *atoms;
	uint32_t atom_count;
	const struct norn_scope_check *checks;
	uint32_t check_count;
};

struct norn_spec {
	const struct norn_place *places;
	uint32_t place_count;
	const struct norn_checked_event *events;
	uint32_t event_count;
	const struct norn_thread_type *types;
	uint32_t type_count;
	const struct norn_ghost *ghosts;
	uint32_t ghost_count;
	const struct norn_property *properties;
	uint32_t property_count;
	const struct norn_scope *scopes;
	uint32_t scope_count;
};

/* Checks a tree. program may be NULL: then every name that is not declared is a free variable (`norn prop check` without a program,
 * `norn prop try`). Mistakes become diagnostics in sources; the spec holds the properties that have none (and all events, places,
 * …). */
struct norn_spec *norn_spec_check(struct norn_sources *sources, const struct norn_tree *tree, const struct norn_program *program);
void norn_spec_free(struct norn_spec *spec);
/* NULL if there is none of that name. */
const struct norn_property *norn_spec_property(const struct norn_spec *spec, const char *name);
/* Is a property of this logic? */
static inline bool norn_spec_has(const struct norn_spec *spec, enum norn_logic_kind logic)
{
	for (uint32_t i = 0; i < spec->property_count; i++)
		if (spec->properties[i].logic == logic)
			return true;
	return false;
}

/* True if one event can be both at once, by their selectors alone. */
bool norn_events_may_coincide(const struct norn_spec *spec, uint32_t a, uint32_t b);

#endif
