/* The inside of the parser (effects_parse.h), for the files that it is made of: effects_declaration.c (the function's declaration),
 * effects_parse.c (its effects). */
#ifndef NORN_EFFECTS_EFFECTS_PARSE_STATE_H
#define NORN_EFFECTS_EFFECTS_PARSE_STATE_H

#include <ctype.h>

#include "base/vector.h"
#include "effects/effects_parse.h"

#define ARGUMENTS 16
#define WORD 256
#define NAME 2048 /* of a function: those of C++ are long */
#define TEXT 4096

struct argument_name {
	char text[WORD];
	uint8_t behind; /* bytes of what it points to, if that is a number */
};

/* One entry: its line, joined, without comments. */
struct entry_parser {
	struct norn_effects_list *list;
	struct norn_error *err;
	const char *file;
	unsigned line;
	const char *at;
	char name[NAME], type[WORD];
	bool any_type; /* type says nothing */
	struct argument_name arguments[ARGUMENTS];
	unsigned argument_count, fixed; /* fixed: those before "..." */
	bool more;
	struct norn_effects made;
	NORN_VECTOR(struct norn_effects_use) uses;
	NORN_VECTOR(struct norn_effects_part) parts;
};

static inline bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Sets the error at the entry's line; false. */
__attribute__((format(printf, 2, 3))) bool norn_effects_complain(struct entry_parser *p, const char *format, ...);
int norn_effects_find_resource(const char *word); /* -1: there is none of that name */

/* Does an entry begin with a name of C++, as reports print it: std::map<int, int>::insert? Then ret_length is that of what stands
 * before the ":" or the class. There is no declaration, and it has no other name. */
bool norn_effects_begins_cxx(const char *text, size_t *ret_length);

/* The text before the ":" or "=": fills name, type and arguments. */
bool norn_effects_parse_declaration(struct entry_parser *p, const char *text, size_t length);

#endif
