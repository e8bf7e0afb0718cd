#include "report/json_string.h"

#include <stdbool.h>

/* Bytes of the UTF-8 character at text; 0 if it is none. */
static unsigned character(const unsigned char *text)
{
	unsigned more = *text < 0x80                    ? 0
	                : *text >= 0xc2 && *text < 0xe0 ? 1
	                : *text >= 0xe0 && *text < 0xf0 ? 2
	                : *text >= 0xf0 && *text < 0xf5 ? 3
	                                                : 4;
	if (more == 4)
		return 0;
	for (unsigned i = 1; i <= more; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
	bool surrogate = *text == 0xed && text[1] >= 0xa0, beyond = *text == 0xf4 && text[1] >= 0x90;
	return overlong || surrogate || beyond ? 0 : more + 1;
}

void norn_put_quoted(FILE *to, const char *text)
{
	fputc('"', to);
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		unsigned bytes = character(at);
		if (bytes == 0) {
			fputs("\\ufffd", to);
			at++;
			continue;
		}
		if (*at == '"' || *at == '\\')
			fprintf(to, "\\%c", *at);
		else if (*at < 0x20)
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
