/* Texts of effects: one entry for each function.
 *
 * 	# comment
 * 	char *getenv(const char *name)   : reads name[text], global environ[texts]; reads environment
 * 	real log~(real x)                : errno                 # log, logf, logl, logf32, …
 * 	void *__memcpy_chk(void *to, const void *from, size_t n, size_t room) = memcpy
 * 	open64, __open = open
 * 	my_log_* : adds files
 *
 * docs/effects.md explains all of it. A line that begins with white space goes on with the one before it. The text after # on the
 * lines of an entry is its reason. */
#ifndef NORN_EFFECTS_EFFECTS_PARSE_H
#define NORN_EFFECTS_EFFECTS_PARSE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "effects/effects.h"

/* In the order of their texts. All-zero is empty. The arena owns what the entries point to. */
struct norn_effects_list {
	NORN_VECTOR(struct norn_effects) entries;
	struct norn_arena arena;
};

/* Adds the entries of one text; file is its name in messages and entries. `=` finds entries of this list, the last one of that
 * name, and those of Norn's own table. -EINVAL with a sentence in err, which names file and line. */
int norn_effects_parse(const char *text, const char *file, struct norn_effects_list *list, struct norn_error *err);
void norn_effects_list_done(struct norn_effects_list *list);

#endif
