#include "instrument/only.h"

#include <stdlib.h>
#include <string.h>

const char *norn_only_list(void)
{
	return getenv("NORN_ONLY");
}

bool norn_only_some(void)
{
	return norn_only_list() != NULL;
}

/* Whether the list has kind:name among its words. */
static bool has(char kind, const char *name, size_t length)
{
	for (const char *at = norn_only_list(); at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		size_t whole = strcspn(at, " ");
		if (whole == length + 2 && at[0] == kind && at[1] == ':' && memcmp(at + 2, name, length) == 0)
			return true;
	}
	return false;
}

static bool asks(const char *word)
{
	size_t length = strlen(word);
	const char *found = norn_only_list() ? strstr(norn_only_list(), word) : NULL;
	return found && (found[length] == ' ' || !found[length]);
}

bool norn_only_all(void)
{
	return asks("access=all");
}

bool norn_only_function(const char *name)
{
	return has('f', name, strlen(name));
}

bool norn_only_values(const char *name)
{
	return has('a', name, strlen(name));
}

/* Any part of the path that is named as a field: "acct.limits.max", "box.x|y". */
static bool has_field(const char *name)
{
	for (const char *at = name; *at;) {
		size_t length = strcspn(at, ".|[]");
		if (length && has('m', at, length))
			return true;
		at += length + (at[length] != 0);
	}
	return false;
}

bool norn_only_access(const char *name, bool member)
{
	if (!asks("access=named"))
		return asks("access=all");
	if (!*name || *name == '*')
		return true; /* whatever it points at */
	if (member)
		return has_field(name) || !strpbrk(name, "."); /* a whole object */
	size_t length = strcspn(name, ".[|");
	const char *root = name;
	for (const char *at; (at = strstr(root, "::")) && at < name + length; root = at + 2)
		;
	return has('v', root, length - (size_t)(root - name)) || has_field(root + strcspn(root, ".")); /* pointers may lead there */
}
