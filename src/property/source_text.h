/* Property files as text, and what is wrong with them.
 *
 * A norn_sources holds every file that takes part (the one that was asked for, and those that it includes) and the diagnostics
 * about them, in the order in which they were found. A span is a piece of one of them; line and column are computed only to be
 * shown. Checking goes on after a diagnostic, so one run shows several. The sources own all text. */
#ifndef NORN_PROPERTY_SOURCE_TEXT_H
#define NORN_PROPERTY_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct norn_span {
	uint32_t file; /* index in norn_sources */
	uint32_t offset, length; /* bytes */
};

enum norn_severity { NORN_SEVERITY_ERROR, NORN_SEVERITY_WARNING };

struct norn_diagnostic {
	enum norn_severity severity;
	struct norn_span span;
	char *message; /* one sentence without a full stop */
	char *help; /* the text to write instead, or NULL */
};

struct norn_sources;

struct norn_sources *norn_sources_new(void);
void norn_sources_free(struct norn_sources *sources);

/* Reads a file (at most 64 MiB), or takes text as if it stood in a file of that name. A file that is read twice gets one index. */
int norn_sources_read(struct norn_sources *sources, const char *path, uint32_t *ret_file, struct norn_error *err);
uint32_t norn_sources_add(struct norn_sources *sources, const char *name, const char *text, size_t bytes); /* its index */

const char *norn_sources_name(const struct norn_sources *sources, uint32_t file);
const char *norn_sources_text(const struct norn_sources *sources, uint32_t file, size_t *ret_bytes);
/* Both from 1; columns count characters, a tab is one. */
void norn_sources_position(const struct norn_sources *sources, struct norn_span span, unsigned *ret_line, unsigned *ret_column);

/* After NORN_COMPLAINTS_MAX errors the rest is only counted. help may be NULL, else it is copied. */
#define NORN_COMPLAINTS_MAX 50u
void norn_diagnose(struct norn_sources *sources, enum norn_severity severity, struct norn_span span, const char *help,
        const char *format, ...) __attribute__((format(printf, 5, 6)));
uint32_t norn_diagnostics(const struct norn_sources *sources, const struct norn_diagnostic **ret_diagnostics);
/* Puts them into the order of the text; the checker does. */
void norn_diagnostics_sort(struct norn_sources *sources);
uint32_t norn_diagnostics_errors(const struct norn_sources *sources); /* all errors, those past the limit too */

/* "file:line:column: error: message", the source line, a caret line, and the help. colour: with escape sequences. */
void norn_diagnostic_show(const struct norn_sources *sources, const struct norn_diagnostic *diagnostic, bool colour, FILE *to);

#endif
