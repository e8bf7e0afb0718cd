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
