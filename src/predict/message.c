#include "predict/message.h"

#include <stdio.h>
#include <stdlib.h>
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

static void print_value(FILE *to, const struct spec *s, struct norn_value value)
{
	char format[32], plain[48], precision[16] = "";
	int width = s->width < 0 ? 0 : s->width;
	if (s->precision >= 0)
		snprintf(precision, sizeof precision, ".%d", s->precision);
	if (!value.known || (!value.is_float && (value.integer > UINT64_MAX || value.integer < INT64_MIN))) {
		norn_value_text(value, plain, sizeof plain);
		fprintf(to, "%*s", width, plain);
	} else if (is_real(s->conversion) || value.is_float) {
		snprintf(format, sizeof format, "%%%s*%s%c", s->flags, precision, is_real(s->conversion) ? s->conversion : 'g');
		fprintf(to, format, width, value.is_float ? value.real : (double)value.integer);
	} else if (s->conversion == 'c') {
		fprintf(to, "%*c", width, value.integer >= 32 && value.integer < 127 ? (int)value.integer : '?');
	} else if (s->conversion == 'p') {
		snprintf(plain, sizeof plain, "0x%llx", (unsigned long long)value.integer);
		fprintf(to, "%*s", width, plain);
	} else if (strchr("xXo", s->conversion)) {
		snprintf(format, sizeof format, "%%%s*%sll%c", s->flags, precision, s->conversion);
		fprintf(to, format, width, (unsigned long long)value.integer);
	} else {
		norn_value_text(value, plain, sizeof plain);
		fprintf(to, strchr(s->flags, '-') ? "%-*s" : "%*s", width, plain);
	}
}

char *norn_message(const char *format, const struct norn_value *values, uint32_t count)
{
	char *text = NULL;
	size_t bytes;
	uint32_t next = 0;
	FILE *to = open_memstream(&text, &bytes);
	if (!to)
		return NULL;
	for (const char *at = format; *at; at++) {
		struct spec spec;
		if (*at != '%') {
			fputc(*at, to);
		} else if (at[1] == '%') {
			fputc('%', to);
			at++;
		} else if (next < count && read_spec(at + 1, &spec)) {
			print_value(to, &spec, values[next++]);
			at += spec.length;
		} else {
			fputc('%', to);
		}
	}
	if (fclose(to) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
