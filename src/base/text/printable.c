#include "base/text/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

unsigned norn_utf8_character(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	unsigned more = *at < 0x80                  ? 0
	                : *at >= 0xc2 && *at < 0xe0 ? 1
	                : *at >= 0xe0 && *at < 0xf0 ? 2
	                : *at >= 0xf0 && *at < 0xf5 ? 3
	                                            : 4;
	if (more == 4)
		return 0;
	for (unsigned i = 1; i <= more; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
	bool surrogate = *at == 0xed && at[1] >= 0xa0, beyond = *at == 0xf4 && at[1] >= 0x90;
	return overlong || surrogate || beyond ? 0 : more + 1;
}

/* The number of a character of up to three bytes; 0 for others, which are all printable. */
static unsigned number_of(const unsigned char *at, unsigned bytes)
{
	return bytes == 1   ? at[0]
	       : bytes == 2 ? (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu)
	       : bytes == 3 ? (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu)
	                    : 0;
}

static bool changes_direction(unsigned number)
{
	return number == 0x61c || number == 0x200e || number == 0x200f || (number >= 0x202a && number <= 0x202e) ||
	       (number >= 0x2066 && number <= 0x2069);
}

static bool must_escape(unsigned number, bool lines)
{
	if (lines && (number == '\n' || number == '\t'))
		return false;
	return (number && number < 0x20) || (number >= 0x7f && number < 0xa0) || number == 0x2028 || number == 0x2029 ||
	       changes_direction(number);
}

/* The character at *at, or its escape, to where to points; both go on. Returns the bytes that it takes. to NULL: only that. */
static unsigned next(const char **at, bool lines, char *to)
{
	char escape[8];
	unsigned bytes = norn_utf8_character(*at), number = number_of((const unsigned char *)*at, bytes);
	const char *from = *at;
	*at += bytes ? bytes : 1;
	if (bytes && !must_escape(number, lines)) {
		if (to)
			memcpy(to, from, bytes);
		return bytes;
	}
	int length = number == '\n'   ? snprintf(escape, sizeof escape, "\\n")
	             : number == '\t' ? snprintf(escape, sizeof escape, "\\t")
	             : bytes > 1      ? snprintf(escape, sizeof escape, "\\u%04x", number)
	                              : snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)*from);
	if (to)
		memcpy(to, escape, (size_t)length);
	return (unsigned)length;
}

bool norn_is_printable(const char *text, bool lines)
{
	while (*text) {
		unsigned bytes = norn_utf8_character(text);
		if (!bytes || must_escape(number_of((const unsigned char *)text, bytes), lines))
			return false;
		text += bytes;
	}
	return true;
}

char *norn_printable(const char *text, bool lines)
{
	size_t bytes = 0;
	for (const char *at = text; *at;)
		bytes += next(&at, lines, NULL);
	char *copy = norn_must_alloc(bytes + 1, 1), *to = copy;
	for (const char *at = text; *at;)
		to += next(&at, lines, to);
	*to = 0;
	return copy;
}
