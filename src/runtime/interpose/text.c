/* Functions of libc whose use of memory only shows while they run: those that cut texts into tokens, and those that take a format
 * and a list of arguments.
 *
 * They read and write through the hooks, at the site of the call; so all of that decides (value_flow.c). Calls by code
 * without hooks are not recorded: it may synchronise in ways that are not seen. */

/* Each function under its own name, and no inline function of the headers in its place. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1

#include <stdint.h>
#include <string.h>

#include "runtime/interpose/interpose.h"
#include "runtime/interpose/libraries.h"
#include "trace/site.h"

/* Their names under -D_FORTIFY_SOURCE. */
int __vsnprintf_chk(char *to, size_t room, int flag, size_t known, const char *format, va_list list);
int __vsprintf_chk(char *to, int flag, size_t known, const char *format, va_list list);
int __vasprintf_chk(char **to, int flag, const char *format, va_list list);
int __asprintf_chk(char **to, int flag, const char *format, ...);

static void scans(const char *text, const char *end, uint32_t site)
{
	__norn_passed_memory(text, NULL, (size_t)(end - text) + 1, NORN_EXTENT_SCANNED, site);
}

static void reads_text(const char *text, size_t limit, uint32_t site)
{
	if (!norn_is_constant(text))
		__norn_passed_memory(text, NULL, limit, NORN_EXTENT_TEXT, site);
}

static void has_written(void *at, size_t bytes, uint32_t site)
{
	__norn_filled(at, bytes, NORN_EXTENT_BYTES, site);
}

/* ---- tokens ---- */

/* The text that is left, and where what is left of it then is to be kept. */
static char *next_token(char *text, const char *delimiters, char **rest, uint32_t site)
{
	reads_text(delimiters, SIZE_MAX, site);
	char *token = text + strspn(text, delimiters), *end = token + strcspn(token, delimiters);
	scans(text, end, site);
	if (*end)
		__norn_write1(end++, 0, site);
	__norn_write8(rest, (uintptr_t)end, site);
	return end == token ? NULL : token;
}

NORN_EXPORT char *strtok_r(char *text, const char *delimiters, char **rest)
{
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen())
		return REAL(strtok_r)(text, delimiters, rest);
	if (!text)
		text = (char *)(uintptr_t)__norn_read8(rest, site);
	return text ? next_token(text, delimiters, rest, site) : NULL;
}

NORN_EXPORT char *__strtok_r(char *text, const char *delimiters, char **rest)
{
	return strtok_r(text, delimiters, rest);
}

NORN_EXPORT char *strtok(char *text, const char *delimiters)
{
	/* Ours, not libc's: code with hooks and code without would not go on with each other's texts. So all go by this one. */
	static char *rest;
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen()) {
		if (!text && !rest)
			return NULL;
		return REAL(strtok_r)(text, delimiters, &rest);
	}
	if (!text)
		text = (char *)(uintptr_t)__norn_read8(&rest, site);
	return text ? next_token(text, delimiters, &rest, site) : NULL;
}

NORN_EXPORT char *strsep(char **text, const char *delimiters)
{
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen())
		return REAL(strsep)(text, delimiters);
	char *token = (char *)(uintptr_t)__norn_read8(text, site);
	if (!token)
		return NULL;
	reads_text(delimiters, SIZE_MAX, site);
	char *end = token + strcspn(token, delimiters);
	scans(token, end, site);
	char *rest = *end ? end + 1 : NULL;
	if (rest)
		__norn_write1(end, 0, site);
	__norn_write8(text, (uintptr_t)rest, site);
	return token;
}

/* ---- formats ---- */

/* The argument that a conversion takes. */
struct text_conversion {
	char letter;
	unsigned longs; /* l, or j z t q as two */
	bool wide; /* L */
	int precision; /* -1: none */
};

/* Goes through the arguments as the real function will; false: something in the format is not understood. */
static bool convert(const char **format, va_list list, struct text_conversion *c)
{
	const char *at = *format + strspn(*format, "-+ #0'I");
	for (unsigned part = 0; part < 2; part++) {
		int number = 0;
		if (*at == '*') {
			number = va_arg(list, int);
			at++;
		}
		for (; *at >= '0' && *at <= '9'; at++)
			number = number < 1 << 20 ? number * 10 + (*at - '0') : number;
		if (*at == '$')
			return false;
		if (part == 1)
			c->precision = number < 0 ? -1 : number;
		else if (*at == '.')
			at++;
		else
			break;
	}
	for (; *at && strchr("hlLjztq", *at); at++) {
		c->longs += *at == 'l' ? 1 : strchr("jztq", *at) ? 2 : 0;
		c->wide |= *at == 'L';
	}
	c->letter = *at;
	*format = at + (*at != 0);
	return c->letter && strchr("diouxXeEfFgGaAcspnm%", c->letter) && !(c->longs && strchr("cs", c->letter));
}

static void take(const struct text_conversion *c, va_list list, uint32_t site)
{
	if (strchr("eEfFgGaA", c->letter)) {
		if (c->wide)
			(void)va_arg(list, long double);
		else
			(void)va_arg(list, double);
	} else if (strchr("pn", c->letter)) {
		(void)va_arg(list, void *); /* the write of %n shows at the next read as an external write */
	} else if (c->letter == 's') {
		const char *text = va_arg(list, const char *);
		if (text && c->precision != 0)
			reads_text(text, c->precision < 0 ? SIZE_MAX : (size_t)c->precision, site);
	} else if (strchr("diouxXc", c->letter)) {
		if (c->longs || c->wide)
			(void)va_arg(list, long);
		else
			(void)va_arg(list, int);
	}
}

/* Reads what the real function will, the format first. A format that is not understood may do anything. */
static void look(const char *format, va_list arguments, uint32_t site)
{
	va_list list;
	va_copy(list, arguments);
	reads_text(format, SIZE_MAX, site);
	for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
		struct text_conversion c = {.precision = -1};
		at++;
		if (!convert(&at, list, &c)) {
			norn_call_unknown();
			break;
		}
		take(&c, list, site);
	}
	va_end(list);
}

static int printed(int result, char *to, size_t room, uint32_t site)
{
	if (result >= 0 && room)
		has_written(to, (size_t)result < room ? (size_t)result + 1 : room, site);
	return result;
}

NORN_EXPORT int vsnprintf(char *to, size_t room, const char *format, va_list list)
{
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen())
		return REAL(vsnprintf)(to, room, format, list);
	look(format, list, site);
	return printed(REAL(vsnprintf)(to, room, format, list), to, room, site);
}

NORN_EXPORT int __vsnprintf_chk(char *to, size_t room, int flag, size_t known, const char *format, va_list list)
{
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen())
		return REAL(__vsnprintf_chk)(to, room, flag, known, format, list);
	look(format, list, site);
	return printed(REAL(__vsnprintf_chk)(to, room, flag, known, format, list), to, room, site);
}

NORN_EXPORT int vsprintf(char *to, const char *format, va_list list)
{
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen())
		return REAL(vsprintf)(to, format, list);
	look(format, list, site);
	return printed(REAL(vsprintf)(to, format, list), to, SIZE_MAX, site);
}

NORN_EXPORT int __vsprintf_chk(char *to, int flag, size_t known, const char *format, va_list list)
{
	uint32_t site = __norn_call_site;
	if (!norn_call_is_seen())
		return REAL(__vsprintf_chk)(to, flag, known, format, list);
	look(format, list, site);
	return printed(REAL(__vsprintf_chk)(to, flag, known, format, list), to, SIZE_MAX, site);
}

/* The block is allocated by libc, through malloc, before it is written. */
static int print_block(char **to, const char *format, va_list list, uint32_t site)
{
	if (!norn_call_is_seen())
		return REAL(vasprintf)(to, format, list);
	look(format, list, site);
	char *block = NULL;
	int result = REAL(vasprintf)(&block, format, list);
	if (result >= 0)
		printed(result, block, SIZE_MAX, site);
	__norn_write8(to, (uintptr_t)block, site);
	return result;
}

NORN_EXPORT int vasprintf(char **to, const char *format, va_list list)
{
	return print_block(to, format, list, __norn_call_site);
}

NORN_EXPORT int asprintf(char **to, const char *format, ...)
{
	uint32_t site = __norn_call_site;
	va_list list;
	va_start(list, format);
	int result = print_block(to, format, list, site);
	va_end(list);
	return result;
}

NORN_EXPORT int __vasprintf_chk(char **to, int flag, const char *format, va_list list)
{
	return print_block(to, format, list, __norn_call_site);
}

NORN_EXPORT int __asprintf_chk(char **to, int flag, const char *format, ...)
{
	uint32_t site = __norn_call_site;
	va_list list;
	va_start(list, format);
	int result = print_block(to, format, list, site);
	va_end(list);
	return result;
}
