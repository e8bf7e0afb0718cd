#include "report/layout.h"

#include <string.h>

const char *norn_bold(const struct norn_text_printer *p)
{
	return p->colour ? "\033[1m" : "";
}

const char *norn_red(const struct norn_text_printer *p)
{
	return p->colour ? "\033[1;31m" : "";
}

const char *norn_plain(const struct norn_text_printer *p)
{
	return p->colour ? "\033[0m" : "";
}

unsigned norn_columns(const char *text)
{
	unsigned count = 0;
	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

#define FOLDED_FROM 48u /* columns */

/* The names of these have brackets that enclose nothing. */
static bool is_bracket_operator(const char *name)
{
	return strstr(name, "operator<") || strstr(name, "operator>") || strstr(name, "operator-");
}

/* Assertions have brackets that compare. */
static bool is_comparison(const char *name, const char *bracket)
{
	return bracket == name || bracket[-1] == ' ' || bracket[1] == ' ' || bracket[1] == '=';
}

const char *norn_folded(const char *name, char to[NORN_FOLDED])
{
	static const char fold[] = "<…>";
	size_t used = 0, depth = 0;
	if (norn_columns(name) < FOLDED_FROM || !strchr(name, '<') || is_bracket_operator(name))
		return name;
	for (const char *c = name; *c; c++) {
		if (used + sizeof fold > NORN_FOLDED || (*c == '>' && !depth))
			return name;
		if (*c == '<' && is_comparison(name, c))
			return name;
		if (*c == '<' && depth++ == 0) {
			memcpy(to + used, fold, sizeof fold);
			used += sizeof fold - 1;
		} else if (*c == '>') {
			depth--;
		} else if (!depth) {
			to[used++] = *c;
		}
	}
	to[used] = 0; /* brackets that are still open: the name was too long to be kept whole */
	return to;
}

void norn_put_wrapped(const struct norn_text_printer *p, unsigned indent, const char *text)
{
	unsigned at = indent;
	fprintf(p->to, "%*s", (int)indent, "");
	while (*text) {
		size_t bytes = strcspn(text, " ");
		char word[256];
		snprintf(word, sizeof word, "%.*s", (int)bytes, text);
		unsigned columns = norn_columns(word);
		if (at > indent && p->width && at + 1 + columns > p->width) {
			fprintf(p->to, "\n%*s", (int)indent + 2, "");
			at = indent + 2;
		} else if (at > indent) {
			fputc(' ', p->to);
			at++;
		}
		fwrite(text, 1, bytes, p->to);
		at += columns;
		text += bytes;
		text += strspn(text, " ");
	}
	fputc('\n', p->to);
}
