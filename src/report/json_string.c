#include "report/json_string.h"

#include "base/text/printable.h"

void norn_put_quoted(FILE *to, const char *text)
{
	fputc('"', to);
	for (const char *at = text; *at;) {
		unsigned bytes = norn_utf8_character(at);
		if (bytes == 0) {
			fputs("\\ufffd", to);
			at++;
			continue;
		}
		if (*at == '"' || *at == '\\')
			fprintf(to, "\\%c", *at);
		else if ((unsigned char)*at < 0x20)
			fprintf(to, "\\u%04x", *at);
		else
			fwrite(at, 1, bytes, to);
		at += bytes;
	}
	fputc('"', to);
}

void norn_put_field(FILE *to, const char *name, const char *text)
{
	fprintf(to, "\"%s\":", name);
	norn_put_quoted(to, text);
}
