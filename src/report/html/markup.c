#include "report/html/markup.h"

#include <string.h>

void norn_html_put_bytes(FILE *to, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		switch (text[i]) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			fputc(text[i], to);
		}
}

void norn_html_put(FILE *to, const char *text)
{
	norn_html_put_bytes(to, text, strlen(text));
}

void norn_html_attribute(FILE *to, const char *name, const char *text)
{
	if (!*text)
		return;
	fprintf(to, " %s=\"", name);
	norn_html_put(to, text);
	fputc('"', to);
}
