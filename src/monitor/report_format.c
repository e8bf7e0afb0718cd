#include "monitor/report_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One conversion: from the character after % on. */
struct spec {
	char flags[8];
	int width, precision; /* -1: none */
	char conversion;
	size_t length; /* of all this */
};

static bool read_spec(const char *text, struct spec *ret_spec)
{
	const char *at = text;
	struct spec s = {.width = -1, .precision = -1};
	for (size_t n = 0; *at && strchr("-+ #0", *at) && n + 1 < sizeof s.flags; at++)
		s.flags[n++] = *at;
	if (*at >= '0' && *at <= '9')
		for (s.width = 0; *at >= '0' && *at <= '9'; at++)
			s.width = s.width < 1000 ? s.width * 10 + (*at - '0') : s.width;
	if (*at == '.')
		for (s.precision = 0, at++; *at >= '0' && *at <= '9'; at++)
			s.precision = s.precision < 1000 ? s.precision * 10 + (*at - '0') : s.precision;
	while (*at && strchr("hlzjtqL", *at))
		at++;
	if (!*at || !strchr("diuxXocpfFgGeEs", *at))
		return false;
	s.conversion = *at;
	s.length = (size_t)(at - text) + 1;
	*ret_spec = s;
	return true;
}

static bool is_real(char conversion)
{
	return strchr("fFgGeE", conversion) != NULL;
}

/* Text that is written as far as there is room; used counts on. */
struct sink {
	char *to;
	size_t room, used;
};

static void put(struct sink *k, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	size_t left = k->used < k->room ? k->room - k->used : 0;
	int n = vsnprintf(left ? k->to + k->used : NULL, left, format, arguments);
	va_end(arguments);
	k->used += n > 0 ? (size_t)n : 0;
}

static void print_value(struct sink *to, const struct spec *s, struct norn_value value)
{
	char format[32], plain[48], precision[16] = "";
	int width = s->width < 0 ? 0 : s->width;
	if (s->precision >= 0)
		snprintf(precision, sizeof precision, ".%d", s->precision);
	if (!value.known || (!value.is_float && (value.integer > UINT64_MAX || value.integer < INT64_MIN))) {
		norn_value_text(value, plain, sizeof plain);
		put(to, "%*s", width, plain);
	} else if (is_real(s->conversion) || value.is_float) {
		snprintf(format, sizeof format, "%%%s*%s%c", s->flags, precision, is_real(s->conversion) ? s->conversion : 'g');
		put(to, format, width, value.is_float ? value.real : (double)value.integer);
	} else if (s->conversion == 'c') {
		put(to, "%*c", width, value.integer >= 32 && value.integer < 127 ? (int)value.integer : '?');
	} else if (s->conversion == 'p') {
		snprintf(plain, sizeof plain, "0x%llx", (unsigned long long)value.integer);
		put(to, "%*s", width, plain);
	} else if (strchr("xXo", s->conversion)) {
		snprintf(format, sizeof format, "%%%s*%sll%c", s->flags, precision, s->conversion);
		put(to, format, width, (unsigned long long)value.integer);
	} else {
		norn_value_text(value, plain, sizeof plain);
		put(to, strchr(s->flags, '-') ? "%-*s" : "%*s", width, plain);
	}
}

size_t norn_message_put(char *to, size_t room, const char *format, const struct norn_value *values, uint32_t count)
{
	struct sink sink = {to, room, 0};
	uint32_t next = 0;
	if (room)
		*to = 0;
	for (const char *at = format; *at; at++) {
		struct spec spec;
		if (*at != '%') {
			put(&sink, "%c", *at);
		} else if (at[1] == '%') {
			put(&sink, "%%");
			at++;
		} else if (next < count && read_spec(at + 1, &spec)) {
			print_value(&sink, &spec, values[next++]);
			at += spec.length;
		} else {
			put(&sink, "%%");
		}
	}
	return sink.used;
}
