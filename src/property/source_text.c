#include "property/source_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/must.h"

#define FILE_BYTES_MAX (64u << 20)
#define LINE_SHOWN 160u /* bytes of a source line that are shown around the place */

struct source_file {
	char *name, *text; /* text ends with a NUL that bytes does not count */
	size_t bytes;
};

struct norn_sources {
	NORN_VECTOR(struct source_file) files;
	struct norn_diagnostic diagnostics[NORN_COMPLAINTS_MAX];
	uint32_t diagnostic_count, errors;
};

struct norn_sources *norn_sources_new(void)
{
	return norn_must_calloc(1, sizeof(struct norn_sources));
}

void norn_sources_free(struct norn_sources *sources)
{
	if (!sources)
		return;
	for (uint32_t i = 0; i < sources->files.count; i++) {
		free(sources->files.items[i].name);
		free(sources->files.items[i].text);
	}
	for (uint32_t i = 0; i < sources->diagnostic_count; i++) {
		free(sources->diagnostics[i].message);
		free(sources->diagnostics[i].help);
	}
	norn_vector_done(&sources->files);
	free(sources);
}

/* Takes text over. */
static uint32_t add(struct norn_sources *sources, const char *name, char *text, size_t bytes)
{
	norn_must_push(&sources->files, (struct source_file){.name = norn_must_text(name), .text = text, .bytes = bytes});
	return sources->files.count - 1;
}

uint32_t norn_sources_add(struct norn_sources *sources, const char *name, const char *text, size_t bytes)
{
	return add(sources, name, norn_must_text_n(text, bytes), bytes);
}

int norn_sources_read(struct norn_sources *sources, const char *path, uint32_t *ret_file, struct norn_error *err)
{
	for (uint32_t i = 0; i < sources->files.count; i++)
		if (strcmp(sources->files.items[i].name, path) == 0) {
			*ret_file = i;
			return 0;
		}
	char *text;
	size_t bytes;
	int r = norn_read_input_once(path, "property file", FILE_BYTES_MAX, &text, &bytes, err);
	if (r == 0)
		*ret_file = add(sources, path, text, bytes);
	return r;
}

const char *norn_sources_name(const struct norn_sources *sources, uint32_t file)
{
	return sources->files.items[file].name;
}

const char *norn_sources_text(const struct norn_sources *sources, uint32_t file, size_t *ret_bytes)
{
	if (ret_bytes)
		*ret_bytes = sources->files.items[file].bytes;
	return sources->files.items[file].text;
}

static bool begins_character(char c)
{
	return (c & 0xc0) != 0x80;
}

void norn_sources_position(const struct norn_sources *sources, struct norn_span span, unsigned *ret_line, unsigned *ret_column)
{
	const char *text = sources->files.items[span.file].text;
	unsigned line = 1, column = 1;
	for (uint32_t i = 0; i < span.offset; i++)
		if (text[i] == '\n') {
			line++;
			column = 1;
		} else {
			column += begins_character(text[i + 1]);
		}
	*ret_line = line;
	*ret_column = column;
}

void norn_diagnose(
        struct norn_sources *sources, enum norn_severity severity, struct norn_span span, const char *help, const char *format, ...)
{
	sources->errors += severity == NORN_SEVERITY_ERROR;
	if (sources->diagnostic_count == NORN_COMPLAINTS_MAX)
		return;
	va_list arguments;
	va_start(arguments, format);
	char *message;
	if (vasprintf(&message, format, arguments) < 0)
		norn_out_of_memory();
	va_end(arguments);
	sources->diagnostics[sources->diagnostic_count++] =
	        (struct norn_diagnostic){.severity = severity, .span = span, .message = message, .help = norn_must_text(help)};
}

uint32_t norn_diagnostics(const struct norn_sources *sources, const struct norn_diagnostic **ret_diagnostics)
{
	*ret_diagnostics = sources->diagnostics;
	return sources->diagnostic_count;
}

static bool stands_before(struct norn_span a, struct norn_span b)
{
	return a.file != b.file ? a.file < b.file : a.offset < b.offset;
}

/* Insertion, so that diagnostics about one place stay in their order. */
void norn_diagnostics_sort(struct norn_sources *sources)
{
	for (uint32_t i = 1; i < sources->diagnostic_count; i++) {
		struct norn_diagnostic diagnostic = sources->diagnostics[i];
		uint32_t k = i;
		for (; k > 0 && stands_before(diagnostic.span, sources->diagnostics[k - 1].span); k--)
			sources->diagnostics[k] = sources->diagnostics[k - 1];
		sources->diagnostics[k] = diagnostic;
	}
}

uint32_t norn_diagnostics_errors(const struct norn_sources *sources)
{
	return sources->errors;
}

/* Text that may hold anything, for a terminal: control characters and bytes that are no UTF-8 become '?', tabs a space. */
static void show_text(const char *text, size_t bytes, FILE *to)
{
	for (size_t i = 0; i < bytes;) {
		unsigned char c = text[i];
		unsigned length = c < 0x80 ? 1 : c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
		bool whole = length && c < 0xf5 && i + length <= bytes;
		for (unsigned k = 1; whole && k < length; k++)
			whole = !begins_character(text[i + k]);
		if (!whole || (length == 1 && (c < ' ' || c == 0x7f)) || (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0)) {
			fputc(c == '\t' ? ' ' : '?', to);
			i += whole ? length : 1;
		} else {
			fwrite(text + i, 1, length, to);
			i += length;
		}
	}
}

static size_t characters(const char *text, size_t bytes)
{
	size_t count = 0;
	for (size_t i = 0; i < bytes; i++)
		count += begins_character(text[i]);
	return count;
}

static void show_line(const struct norn_sources *sources, struct norn_span span, const char *colour, const char *plain, FILE *to)
{
	const struct source_file *file = &sources->files.items[span.file];
	size_t at = span.offset < file->bytes ? span.offset : file->bytes, start = at, end = at;
	while (start > 0 && file->text[start - 1] != '\n' && at - start < LINE_SHOWN)
		start--;
	while (end < file->bytes && file->text[end] != '\n' && end - at < LINE_SHOWN)
		end++;
	size_t marked = at + span.length < end ? span.length : end - at;
	fputs("  ", to);
	show_text(file->text + start, end - start, to);
	fprintf(to, "\n  %*s%s^", (int)characters(file->text + start, at - start), "", colour);
	for (size_t i = 1; i < characters(file->text + at, marked); i++)
		fputc('~', to);
	fprintf(to, "%s\n", plain);
}

void norn_diagnostic_show(const struct norn_sources *sources, const struct norn_diagnostic *diagnostic, bool colour, FILE *to)
{
	unsigned line, column;
	norn_sources_position(sources, diagnostic->span, &line, &column);
	bool error = diagnostic->severity == NORN_SEVERITY_ERROR;
	const char *strong = colour ? error ? "\033[1;31m" : "\033[1;35m" : "", *plain = colour ? "\033[0m" : "";
	fprintf(to, "%s:%u:%u: %s%s:%s ", norn_sources_name(sources, diagnostic->span.file), line, column, strong,
	        error ? "error" : "warning", plain);
	show_text(diagnostic->message, strlen(diagnostic->message), to);
	fputc('\n', to);
	show_line(sources, diagnostic->span, colour ? "\033[1;32m" : "", plain, to);
	if (diagnostic->help) {
		fputs("  help: ", to);
		show_text(diagnostic->help, strlen(diagnostic->help), to);
		fputc('\n', to);
	}
}
