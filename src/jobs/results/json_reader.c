#include "jobs/results/json_reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define DEPTH_MAX 64u

static char peek(struct norn_json *j)
{
	while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
		j->at++;
	return j->bad || j->at == j->end ? 0 : *j->at;
}

static bool take(struct norn_json *j, char c)
{
	bool there = peek(j) == c;
	j->bad |= !there;
	j->at += there;
	return there;
}

bool norn_json_enter(struct norn_json *j, char bracket)
{
	return take(j, bracket);
}

/* Goes on to the next part of what was entered, behind its comma; false: it ends here. */
static bool next(struct norn_json *j, bool *first, char end)
{
	bool begins = *first;
	*first = false;
	if (peek(j) == end)
		return take(j, end) && false;
	return begins ? peek(j) != 0 : take(j, ',');
}

bool norn_json_member(struct norn_json *j, bool *first, char *name, size_t room)
{
	if (!next(j, first, '}'))
		return false;
	char *text = norn_json_string(j);
	bool there = text && take(j, ':');
	snprintf(name, room, "%s", text ? text : "");
	free(text);
	return there;
}

bool norn_json_item(struct norn_json *j, bool *first)
{
	return next(j, first, ']');
}

static unsigned hex(struct norn_json *j)
{
	unsigned code = 0;
	for (int i = 0; i < 4; i++, j->at++) {
		const char *digits = "0123456789abcdef", *digit = j->at < j->end && *j->at ? strchr(digits, *j->at | 32) : NULL;
		j->bad |= !digit;
		if (j->bad)
			return 0;
		code = code << 4 | (unsigned)(digit - digits);
	}
	return code;
}

static void put_code(FILE *to, unsigned code)
{
	if (code < 0x80) {
		fputc((int)code, to);
	} else if (code < 0x800) {
		fprintf(to, "%c%c", 0xc0 | code >> 6, 0x80 | (code & 63));
	} else {
		fprintf(to, "%c%c%c", 0xe0 | code >> 12, 0x80 | (code >> 6 & 63), 0x80 | (code & 63));
	}
}

static void put_escape(struct norn_json *j, FILE *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	char c = j->at < j->end ? *j->at++ : 0;
	const char *known = c ? strchr(from, c) : NULL;
	if (known)
		fputc(into[known - from], to);
	else if (c == 'u')
		put_code(to, hex(j));
	else
		j->bad = true;
}

char *norn_json_string(struct norn_json *j)
{
	char *text = NULL;
	size_t bytes;
	if (!take(j, '"'))
		return NULL;
	FILE *to = norn_must(open_memstream(&text, &bytes));
	while (!j->bad && j->at < j->end && *j->at != '"') {
		char c = *j->at++;
		if (c == '\\')
			put_escape(j, to);
		else
			fputc(c, to);
	}
	j->bad |= j->at == j->end;
	j->at += !j->bad;
	norn_must_close(to);
	if (j->bad) {
		free(text);
		return NULL;
	}
	return text;
}

static void skip(struct norn_json *j, unsigned depth)
{
	char name[8], c = peek(j);
	bool first = true;
	j->bad |= depth > DEPTH_MAX;
	if (c == '{' && norn_json_enter(j, '{')) {
		while (norn_json_member(j, &first, name, sizeof name))
			skip(j, depth + 1);
	} else if (c == '[' && norn_json_enter(j, '[')) {
		while (norn_json_item(j, &first))
			skip(j, depth + 1);
	} else if (c == '"') {
		free(norn_json_string(j));
	} else {
		const char *from = j->at;
		while (j->at < j->end && *j->at && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *j->at))
			j->at++;
		j->bad |= j->at == from;
	}
}

void norn_json_skip(struct norn_json *j)
{
	skip(j, 0);
}

bool norn_json_at_end(struct norn_json *j)
{
	peek(j);
	return !j->bad && j->at == j->end;
}
