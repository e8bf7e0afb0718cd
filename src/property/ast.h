/* The syntax tree of property files: what the parser makes, and the formatter prints.
 *
 * Everything lies in the tree's arena and dies with it. Lists are linked through `next`. Names are not resolved here: check.h turns
 * a tree into properties that monitors can be made of. No node is deeper than NORN_DEPTH_MAX, so recursion over a tree is safe. */
#ifndef NORN_PROPERTY_AST_H
#define NORN_PROPERTY_AST_H

#include "property/source_text.h"

#define NORN_DEPTH_MAX 2000u

struct norn_name {
	const char *text; /* without the backquotes of `X` */
	struct norn_span span;
};

/* A list of names: parameters, transition labels, keys. */
struct norn_names {
	struct norn_name name;
	struct norn_names *next;
};

/* lval = [STR "::"] ["struct"|"union"] ID ["::" ID] {"." ID | "[" (INT|"*") "]"} */
struct norn_step {
	bool index; /* [number] or [*], else .field */
	bool every; /* [*] */
	uint64_t number;
	struct norn_name field;
	struct norn_step *next;
};

struct norn_lval {
	struct norn_span span;
	const char *file; /* "f.c"::, or NULL */
	bool tagged; /* struct or union: the field of every object */
	bool is_union;
	struct norn_name function; /* fn::, text NULL if none */
	struct norn_name name;
	struct norn_step *steps;
	struct norn_lval *next;
};

enum norn_form_kind {
	/* leaves */
	NORN_FORM_INT,
	NORN_FORM_REAL, /* number: the bits of the double */
	NORN_FORM_TEXT, /* "..." */
	NORN_FORM_TRUE,
	NORN_FORM_FALSE,
	NORN_FORM_NAME, /* lval, with arguments if called */
	NORN_FORM_ACCESS, /* read(lval) write(lval) access(lval); word says which */
	NORN_FORM_COUNT, /* all some none size count; word says which; names one or two */
	/* one operand, a */
	NORN_FORM_NOT,
	NORN_FORM_NEGATE,
	NORN_FORM_INVERT, /* ~ */
	NORN_FORM_ALWAYS,
	NORN_FORM_EVENTUALLY,
	NORN_FORM_NEXT,
	NORN_FORM_WEAK_NEXT,
	NORN_FORM_PREV,
	NORN_FORM_ONCE,
	NORN_FORM_HIST,
	NORN_FORM_START,
	NORN_FORM_END,
	NORN_FORM_AT, /* @name a */
	NORN_FORM_FORALL, /* forall name [!= other] [: type]. a */
	NORN_FORM_EXISTS,
	/* two operands, a and b */
	NORN_FORM_INTERVAL, /* [a, b) */
	NORN_FORM_WEAK_INTERVAL,
	NORN_FORM_UNTIL,
	NORN_FORM_UNLESS, /* W */
	NORN_FORM_RELEASE,
	NORN_FORM_SINCE,
	NORN_FORM_WEAK_SINCE,
	NORN_FORM_IFF,
	NORN_FORM_IMPLIES,
	NORN_FORM_XOR,
	NORN_FORM_OR,
	NORN_FORM_AND,
	NORN_FORM_EQ,
	NORN_FORM_NE,
	NORN_FORM_LT,
	NORN_FORM_LE,
	NORN_FORM_GT,
	NORN_FORM_GE,
	NORN_FORM_ADD,
	NORN_FORM_SUB,
	NORN_FORM_MUL,
	NORN_FORM_DIV,
	NORN_FORM_MOD,
	NORN_FORM_BITAND,
	NORN_FORM_KINDS
};

enum norn_word {
	NORN_WORD_READ,
	NORN_WORD_WRITE,
	NORN_WORD_ACCESS,
	NORN_WORD_ALL,
	NORN_WORD_SOME,
	NORN_WORD_NONE,
	NORN_WORD_SIZE,
	NORN_WORD_COUNT
};

struct norn_form {
	enum norn_form_kind kind;
	enum norn_word word;
	bool called; /* NAME: has parentheses */
	uint16_t depth;
	struct norn_span span; /* the whole form */
	uint64_t number;
	const char *text; /* TEXT */
	struct norn_lval *lval;
	struct norn_form *arguments; /* NAME: linked through next */
	struct norn_name name, other, type; /* AT, FORALL, EXISTS, COUNT */
	struct norn_form *a, *b;
	struct norn_form *next;
};

enum norn_rex_kind {
	NORN_REX_EVENT,
	NORN_REX_ANY, /* . */
	NORN_REX_NOT,
	NORN_REX_REPEAT, /* a{least, most}; * + ? are {0,∞} {1,∞} {0,1} */
	NORN_REX_CAT,
	NORN_REX_AND,
	NORN_REX_OR
};
#define NORN_REX_UNBOUNDED UINT32_MAX

struct norn_rex {
	enum norn_rex_kind kind;
	uint16_t depth;
	uint32_t least, most;
	struct norn_span span;
	struct norn_name event;
	struct norn_rex *a, *b;
};

enum norn_point_kind {
	NORN_POINT_CALL,
	NORN_POINT_RETURN,
	NORN_POINT_READ,
	NORN_POINT_WRITE,
	NORN_POINT_ACCESS,
	NORN_POINT_LOCK,
	NORN_POINT_UNLOCK,
	NORN_POINT_START,
	NORN_POINT_EXIT,
	NORN_POINT_JOIN,
	NORN_POINT_NOTE
};

/* sel = point ["if" form] ["by" ID] */
struct norn_selector {
	enum norn_point_kind kind;
	struct norn_span span;
	struct norn_name name; /* CALL, RETURN: function; START, EXIT, JOIN: thread type or start routine */
	const char *note; /* NOTE */
	struct norn_lval *lval;
	struct norn_names *arguments; /* CALL, RETURN: names, "_" and "..." */
	struct norn_name result; /* -> ID, text NULL if none */
	struct norn_form *condition; /* or NULL */
	struct norn_name by; /* text NULL if none */
	struct norn_selector *next;
};

enum norn_tsel_kind { NORN_TSEL_MAIN, NORN_TSEL_SPAWN, NORN_TSEL_NAMED };

struct norn_tsel {
	enum norn_tsel_kind kind;
	struct norn_span span;
	struct norn_name function;
	const char *named;
	struct norn_tsel *next;
};

/* ghost ID = form { ID : (form | fresh); } */
struct norn_update {
	struct norn_name event;
	bool fresh;
	struct norn_form *form;
	struct norn_update *next;
};

enum norn_outcome {
	NORN_OUTCOME_VIOLATION,
	NORN_OUTCOME_SATISFACTION,
	NORN_OUTCOME_MATCH,
	NORN_OUTCOME_FAIL,
	NORN_OUTCOME_INCONCLUSIVE,
	NORN_OUTCOME_STATE /* an fsm's state is entered */
};

enum norn_action_kind { NORN_ACTION_REPORT, NORN_ACTION_ABORT, NORN_ACTION_RESET, NORN_ACTION_CALL };

struct norn_action {
	enum norn_action_kind kind;
	struct norn_span span;
	const char *format; /* REPORT: or NULL */
	struct norn_name function; /* CALL */
	struct norn_form *arguments;
	struct norn_action *next;
};

struct norn_handler {
	enum norn_outcome outcome;
	struct norn_name state; /* STATE */
	struct norn_span span;
	struct norn_action *actions;
	struct norn_handler *next;
};

struct norn_transition {
	struct norn_names *events; /* NULL: else */
	struct norn_name target;
	struct norn_transition *next;
};

struct norn_state {
	bool initial, accept, error;
	struct norn_name name;
	struct norn_transition *transitions;
	struct norn_state *next;
};

enum norn_logic_kind {
	NORN_LOGIC_PTLTL,
	NORN_LOGIC_LTL,
	NORN_LOGIC_ERE,
	NORN_LOGIC_FORBID,
	NORN_LOGIC_FSM,
	NORN_LOGIC_MTTL,
	NORN_LOGIC_RACE,
	NORN_LOGIC_DEADLOCK,
	NORN_LOGIC_ATOMIC
};

struct norn_attribute {
	struct norn_name key, value; /* value.text of a number is its digits */
	struct norn_attribute *next;
};

struct norn_ablk {
	bool block; /* block STR, else call ID */
	struct norn_name name;
	struct norn_ablk *next;
};

struct norn_logic {
	enum norn_logic_kind kind;
	struct norn_span span;
	struct norn_form *form; /* PTLTL, LTL, MTTL */
	struct norn_rex *rex; /* ERE, FORBID */
	struct norn_state *states; /* FSM */
	struct norn_name thread, type; /* MTTL: for thread [: type]; the type may be left out */
	struct norn_lval *on, *except; /* RACE, DEADLOCK */
	struct norn_ablk *blocks; /* ATOMIC */
};

/* local, atom and check of a scope */
enum norn_item_kind { NORN_ITEM_LOCAL, NORN_ITEM_ATOM, NORN_ITEM_CHECK };

struct norn_item {
	enum norn_item_kind kind;
	struct norn_span span;
	struct norn_name name; /* of a check: text NULL if none */
	struct norn_name thread; /* LOCAL: for */
	bool keep;
	struct norn_logic logic; /* LOCAL, CHECK */
	struct norn_form *form; /* ATOM */
	struct norn_item *next;
};

enum norn_decl_kind {
	NORN_DECL_INCLUDE,
	NORN_DECL_VAR,
	NORN_DECL_LOCK,
	NORN_DECL_THREAD,
	NORN_DECL_EVENT,
	NORN_DECL_GHOST,
	NORN_DECL_PRED,
	NORN_DECL_PROPERTY,
	NORN_DECL_SCOPE
};

struct norn_decl {
	enum norn_decl_kind kind;
	struct norn_span span;
	struct norn_name name;
	const char *include; /* INCLUDE: path as written */
	struct norn_lval *lval; /* VAR, LOCK */
	struct norn_tsel *threads; /* THREAD */
	struct norn_names *parameters; /* EVENT, PRED */
	struct norn_selector *selectors; /* EVENT */
	struct norn_form *form; /* GHOST: initial value; PRED */
	struct norn_update *updates; /* GHOST */
	struct norn_attribute *attributes; /* PROPERTY */
	struct norn_names *keys; /* PROPERTY: per */
	struct norn_logic logic; /* PROPERTY */
	struct norn_handler *handlers; /* PROPERTY, SCOPE */
	struct norn_names *sync; /* SCOPE: events */
	bool nested, trusted; /* SCOPE */
	struct norn_item *items; /* SCOPE */
	struct norn_decl *next;
};

struct norn_tree;

/* Parses a file of sources and those that it includes (each once; paths are relative to the including file). Errors are diagnostics
 * in sources; the tree is made all the same, of what could be understood. */
struct norn_tree *norn_tree_parse(struct norn_sources *sources, uint32_t file);
void norn_tree_free(struct norn_tree *tree);
/* All declarations, those of included files where the include stands; decl->span.file tells whose. */
const struct norn_decl *norn_tree_decls(const struct norn_tree *tree);

/* One form or property as text in canonical layout, with the fewest parentheses. malloc'ed. */
char *norn_form_text(const struct norn_form *form);
char *norn_rex_text(const struct norn_rex *rex);
/* The whole file formatted, comments kept. Needs a file without syntax errors. */
int norn_tree_format(const struct norn_sources *sources, uint32_t file, char **ret_text, struct norn_error *err);

#endif
