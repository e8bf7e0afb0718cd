/* The parser, shared by the files that it is made of (parse*.c), and included by no others.
 *
 * Recursive descent, one token at a time. A function that finds a mistake complains once and returns NULL or false; from then on
 * the parser is in panic and complains no more until a caller that knows where to go on has skipped there (norn_parser_skip). */
#ifndef NORN_PROPERTY_PARSE_H
#define NORN_PROPERTY_PARSE_H

#include "property/ast.h"
#include "property/lex.h"

struct norn_tree {
	struct norn_arena arena;
	struct norn_decl *decls, **end; /* end: where the next one is hung */
};

struct norn_parser {
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_lexer lexer;
	struct norn_token now;
	struct norn_span last; /* the token before now */
	enum norn_token_kind last_kind;
	bool panic;
	unsigned nesting; /* of brackets */
};

/* parse.c */
struct norn_tree *norn_tree_parse_alone(struct norn_sources *sources, uint32_t file); /* without what it includes */

void norn_parser_next(struct norn_parser *p);
struct norn_token norn_parser_peek(const struct norn_parser *p, unsigned ahead); /* 1: the token behind now */
void *norn_parser_make(struct norn_parser *p, size_t bytes); /* zeroed, in the tree */
struct norn_span norn_parser_since(const struct norn_parser *p, struct norn_span first); /* from first to the last token */

/* Complain about now ("expected a name, found `;`") or any place, and panic. Both return false. */
bool norn_parser_expected(struct norn_parser *p, const char *help, const char *what);
bool norn_parser_wrong(struct norn_parser *p, struct norn_span span, const char *help, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
/* now should be one of words (up to the NULL) but is not; help names the nearest. Returns false. */
bool norn_parser_unknown(struct norn_parser *p, const char *what, const char *const *words);

bool norn_parser_at_word(const struct norn_parser *p, const char *word);
bool norn_parser_take_word(struct norn_parser *p, const char *word);
bool norn_parser_take(struct norn_parser *p, enum norn_token_kind kind);
/* what: "`(` after `start`" */
bool norn_parser_expect(struct norn_parser *p, enum norn_token_kind kind, const char *what);
/* The `;` behind what. If it was forgotten at the end of a line, says so there and goes on as if it stood there. */
bool norn_parser_end(struct norn_parser *p, const char *what);

bool norn_parser_name(struct norn_parser *p, const char *what, struct norn_name *ret_name);
bool norn_parser_field(struct norn_parser *p, struct norn_name *ret_name); /* behind a `.`, where reserved words are names, too */
bool norn_parser_string(struct norn_parser *p, const char *what, const char **ret_text);
/* ID {"," ID}, hung behind *end. */
bool norn_parser_function(
        struct norn_parser *p, const char *what, struct norn_name *ret_name); /* C++ too: base/text/function_name.h */
bool norn_parser_names(struct norn_parser *p, const char *what, enum norn_token_kind separator, struct norn_names **ret_names);

/* Skips to where a statement of a body may begin: behind a `;`, or before the `}` that ends the body or a new declaration. */
void norn_parser_skip(struct norn_parser *p);
/* The `}` behind a body; false if there was a mistake in it (whole is false), too. After one, a missing `}` is no news: where it is
 * missing a new declaration begins, or the file ends. */
bool norn_parser_body_end(struct norn_parser *p, const char *what, bool whole);
bool norn_parser_at_declaration(const struct norn_parser *p);

/* parse_form.c */
struct norn_form *norn_parse_form(struct norn_parser *p);
extern const char *const norn_logic_words[]; /* by enum norn_logic, NULL after the last */
bool norn_parse_forms(struct norn_parser *p, const char *what, struct norn_form **ret_forms); /* "(" [form {"," form}] ")" */
bool norn_parse_form_end(struct norn_parser *p, const char *what); /* norn_parser_end behind a formula: knows what may be meant */
struct norn_lval *norn_parse_lval(struct norn_parser *p);
struct norn_lval *norn_parse_lvals(struct norn_parser *p);
/* Complains about a tree that is too deep. */
bool norn_parser_deep(struct norn_parser *p, unsigned depth, struct norn_span span);

/* parse_rex.c */
struct norn_rex *norn_parse_rex(struct norn_parser *p);

/* parse_property.c */
bool norn_parse_property(struct norn_parser *p, struct norn_decl *decl);
bool norn_parse_scope(struct norn_parser *p, struct norn_decl *decl);

/* parse_decl.c: hangs what it understood into the tree; NULL if there was a mistake, perhaps one that is passed already (no
 * panic). */
struct norn_decl *norn_parse_decl(struct norn_parser *p);

#endif
