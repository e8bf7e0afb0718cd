#include "jobs/results/known_findings.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/must.h"
#include "base/text/printable.h"
#include "jobs/results/json_reader.h"

#define FILE_BYTES_MAX (256u << 20)

struct norn_known_finding *norn_known_findings_get(const struct norn_known_findings *known, const char *fingerprint)
{
	for (uint32_t i = 0; i < known->count; i++)
		if (strcmp(known->items[i].fingerprint, fingerprint) == 0)
			return &known->items[i];
	return NULL;
}

void norn_known_findings_done(struct norn_known_findings *known)
{
	for (uint32_t i = 0; i < known->count; i++) {
		free(known->items[i].fingerprint);
		free(known->items[i].id);
		free(known->items[i].text);
	}
	norn_vector_done(known);
}

/* Takes the texts. */
static void add(struct norn_known_findings *known, char *fingerprint, char *id, char *text)
{
	if (norn_known_findings_get(known, fingerprint)) {
		free(fingerprint);
		free(id);
		free(text);
		return;
	}
	norn_must_push(known, ((struct norn_known_finding){.fingerprint = fingerprint, .id = id, .text = text}));
}

/* ---- a baseline ---- */

static bool ends_word(char c)
{
	return c == 0 || isspace((unsigned char)c);
}

/* A fingerprint: eight hexadecimal digits, and a number if there are several. 0: it is none. */
static size_t fingerprint_length(const char *line)
{
	size_t digits = strspn(line, "0123456789abcdef"),
	       more = line[digits] == '-' ? 1 + strspn(line + digits + 1, "0123456789") : 0;
	return digits == 8 && more != 1 && ends_word(line[digits + more]) ? digits + more : 0;
}

/* An id: a letter and eight hexadecimal digits. */
static size_t id_length(const char *line)
{
	size_t digits = isupper((unsigned char)*line) ? strspn(line + 1, "0123456789abcdef") : 0;
	return digits == 8 && ends_word(line[9]) ? 9 : 0;
}

static bool read_line(char *line, struct norn_known_findings *known)
{
	line += strspn(line, " \t\r");
	if (!*line || *line == '#')
		return true;
	size_t length = fingerprint_length(line);
	char *id = line + length + strspn(line + length, " \t");
	if (!length || !id_length(id))
		return false;
	char *what = id + 9 + strspn(id + 9, " \t");
	what[strcspn(what, "\r")] = 0;
	add(known, norn_must_format("%.*s", (int)length, line), norn_must_format("%.9s", id), norn_printable(what, false));
	return true;
}

static int read_lines(char *text, const char *path, struct norn_known_findings *known, struct norn_error *err)
{
	char *rest = text;
	for (unsigned number = 1; rest; number++)
		if (!read_line(strsep(&rest, "\n"), known))
			return norn_error_set(err, -EINVAL,
			        "%s:%u: a line of a baseline begins with the fingerprint and the id of a finding; norn baseline "
			        "writes "
			        "such files",
			        path, number);
	return 0;
}

/* ---- a result ---- */

static void read_finding(struct norn_json *json, struct norn_known_findings *known)
{
	static const char *const wanted[] = {"id", "outcome", "message", "property", "fingerprint"};
	char *texts[5] = {NULL}, name[32];
	bool first = true;
	if (!norn_json_enter(json, '{'))
		return;
	while (norn_json_member(json, &first, name, sizeof name)) {
		unsigned i = 0;
		while (i < 5 && strcmp(wanted[i], name) != 0)
			i++;
		if (i == 5 || texts[i])
			norn_json_skip(json);
		else
			texts[i] = norn_json_string(json);
	}
	const char *outcome = texts[1] ? texts[1] : "", *message = texts[2] ? texts[2] : "", *property = texts[3] ? texts[3] : "";
	json->bad |= !texts[0] || id_length(texts[0]) == 0 || !texts[4] || fingerprint_length(texts[4]) == 0;
	if (!json->bad) {
		char *text = norn_must_format("%s%s%s%s%s%s", *property ? "property " : "", property, *property ? " is " : "",
		        outcome, *message ? ": " : "", message);
		add(known, norn_must_text(texts[4]), norn_must_text(texts[0]), norn_printable(text, false));
		free(text);
	}
	for (unsigned i = 0; i < 5; i++)
		free(texts[i]);
}

static int read_result(const char *text, size_t bytes, const char *path, struct norn_known_findings *known, struct norn_error *err)
{
	struct norn_json json = {text, text + bytes, false};
	bool first = true, first_finding = true, is_result = false, has_findings = false;
	char name[32];
	norn_json_enter(&json, '{');
	while (norn_json_member(&json, &first, name, sizeof name)) {
		if (strcmp(name, "format") == 0) {
			char *format = norn_json_string(&json);
			is_result = format && strcmp(format, "norn-findings") == 0;
			free(format);
		} else if (strcmp(name, "findings") == 0 && is_result && norn_json_enter(&json, '[')) {
			has_findings = true;
			while (norn_json_item(&json, &first_finding))
				read_finding(&json, known);
		} else {
			norn_json_skip(&json);
		}
	}
	if (!norn_json_at_end(&json) || !has_findings)
		return norn_error_set(err, -EINVAL, "%s is not a result of Norn (--json FILE), or only a part of one", path);
	return 0;
}

/* ---- both ---- */

int norn_known_findings_read(const char *path, struct norn_known_findings *ret_known, struct norn_error *err)
{
	char *text;
	size_t bytes;
	struct norn_known_findings known = {0};
	int r = norn_read_input(path, "result or baseline of Norn", FILE_BYTES_MAX, &text, &bytes, err);
	if (r != 0)
		return r;
	if (text[strspn(text, " \t\r\n")] == '{')
		r = read_result(text, bytes, path, &known, err);
	else
		r = read_lines(text, path, &known, err);
	free(text);
	if (r != 0)
		norn_known_findings_done(&known);
	else
		*ret_known = known;
	return r;
}

uint32_t norn_known_findings_mark(struct norn_known_findings *known, struct norn_findings *findings)
{
	uint32_t missing = 0;
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_known_finding *one = norn_known_findings_get(known, findings->list[i].fingerprint);
		findings->list[i].baseline = one ? NORN_BASELINE_KNOWN : NORN_BASELINE_NEW;
		if (one)
			one->met = true;
	}
	for (uint32_t i = 0; i < known->count; i++)
		missing += !known->items[i].met;
	return missing;
}

void norn_known_findings_add(struct norn_known_findings *known, const struct norn_findings *findings)
{
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		add(known, norn_must_text(f->fingerprint), norn_must_text(f->id),
		        norn_must_format("%s%s%s%s%s%s", *f->property ? "property " : "", f->property, *f->property ? " is " : "",
		                f->outcome, *f->message ? ": " : "", f->message));
	}
}

void norn_known_findings_join(struct norn_known_findings *known, struct norn_known_findings *others)
{
	for (uint32_t i = 0; i < others->count; i++)
		add(known, others->items[i].fingerprint, others->items[i].id, others->items[i].text);
	norn_vector_done(others);
}

static int by_fingerprint(const void *a, const void *b)
{
	return strcmp(((const struct norn_known_finding *)a)->fingerprint, ((const struct norn_known_finding *)b)->fingerprint);
}

void norn_known_findings_write(const struct norn_known_findings *known, FILE *to)
{
	if (known->count)
		qsort(known->items, known->count, sizeof *known->items, by_fingerprint);
	fputs("# Findings that are known: norn run and norn check --baseline this file fail only on others. Written by norn "
	      "baseline;\n"
	      "# a line whose error is fixed can be taken out.\n",
	        to);
	for (uint32_t i = 0; i < known->count; i++)
		fprintf(to, "%s %s %s\n", known->items[i].fingerprint, known->items[i].id, known->items[i].text);
}
