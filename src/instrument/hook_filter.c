#include "instrument/hook_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/function_name.h"

const char *norn_hook_filter_text(void)
{
	return getenv("NORN_ONLY");
}

bool norn_hook_filter_set(void)
{
	return norn_hook_filter_text() != NULL;
}

/* True if the list has kind:name among its words. */
static bool has(char kind, const char *name, size_t length)
{
	for (const char *at = norn_hook_filter_text(); at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		size_t whole = strcspn(at, " ");
		if (whole == length + 2 && at[0] == kind && at[1] == ':' && memcmp(at + 2, name, length) == 0)
			return true;
	}
	return false;
}

static bool asks(const char *word)
{
	size_t length = strlen(word);
	const char *found = norn_hook_filter_text() ? strstr(norn_hook_filter_text(), word) : NULL;
	return found && (found[length] == ' ' || !found[length]);
}

bool norn_hook_filter_all_accesses(void)
{
	return asks("access=all");
}

/* True if the list has kind:word with a word that names the function. */
static bool has_function(char kind, const char *function)
{
	bool found = false;
	for (const char *at = norn_hook_filter_text(); !found && at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		if (at[0] != kind || at[1] != ':')
			continue;
		char *word = strndup(at + 2, strcspn(at + 2, " "));
		found = !word || norn_function_is_named(function, word);
		free(word);
	}
	return found;
}

bool norn_hook_filter_function(const char *name)
{
	return has_function('f', name);
}

bool norn_hook_filter_values(const char *name)
{
	return has_function('a', name);
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

bool norn_hook_filter_access(const char *name, bool member)
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
