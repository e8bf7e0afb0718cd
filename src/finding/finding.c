#include "finding/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "property/ast.h"
#include "property/source_text.h"

#define DEFINITION_BYTES 4000u /* of a declaration that are shown */

const char *norn_finding_kind_name(enum norn_finding_kind kind)
{
	static const char *const names[] = {
	        "race", "deadlock", "atomicity", "use-after-free", "property", "liveness", "crash", "assertion"};
	return names[kind];
}

void norn_findings_init(struct norn_findings *findings)
{
	*findings = (struct norn_findings){.stats.complete = true};
}

void norn_findings_done(struct norn_findings *findings)
{
	norn_arena_done(&findings->arena);
	free(findings->list);
	free(findings->notes);
	free(findings->reasons);
	*findings = (struct norn_findings){0};
}

struct norn_finding *norn_findings_get(struct norn_findings *findings, const char *id)
{
	for (uint32_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].id, id) == 0)
			return &findings->list[i];
	return NULL;
}

struct norn_finding *norn_findings_add(struct norn_findings *f, const struct norn_finding *finding)
{
	norn_must_grow(&f->list, f->count + UINT64_C(1), &f->room, sizeof *f->list);
	f->list[f->count] = *finding;
	return &f->list[f->count++];
}

void norn_findings_suspected_last(struct norn_findings *f)
{
	struct norn_finding *sorted = norn_must_alloc(f->count, sizeof *sorted);
	uint32_t count = 0;
	for (unsigned suspected = 0; suspected < 2; suspected++)
		for (uint32_t i = 0; i < f->count; i++)
			if ((strcmp(f->list[i].status, "suspected") == 0) == suspected)
				sorted[count++] = f->list[i];
	if (count)
		memcpy(f->list, sorted, count * sizeof *sorted);
	free(sorted);
}

static const char *format_text(struct norn_arena *arena, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int bytes = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (bytes < 0)
		norn_out_of_memory();
	char *text = norn_must_arena_alloc(arena, (size_t)bytes + 1);
	vsnprintf(text, (size_t)bytes + 1, format, arguments);
	return text;
}

const char *norn_findings_text(struct norn_findings *findings, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const char *text = format_text(&findings->arena, format, arguments);
	va_end(arguments);
	return text;
}

int norn_findings_note(struct norn_findings *f, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const char *text = format_text(&f->arena, format, arguments);
	va_end(arguments);
	norn_must_grow(&f->notes, f->note_count + UINT64_C(1), &f->note_room, sizeof *f->notes);
	f->notes[f->note_count++] = text;
	return 0;
}

/* ---- definitions ---- */

void norn_finding_define(
        struct norn_finding *finding, const struct norn_sources *sources, const struct norn_decl *decl, struct norn_findings *f)
{
	unsigned column;
	size_t bytes;
	if (!decl || !sources)
		return;
	const struct norn_span span = decl->span;
	const char *text = norn_sources_text(sources, span.file, &bytes);
	size_t length = span.length < DEFINITION_BYTES ? span.length : DEFINITION_BYTES;
	if (text && span.offset + length <= bytes)
		finding->definition = norn_findings_text(f, "%.*s", (int)length, text + span.offset);
	finding->definition_file = norn_findings_text(f, "%s", norn_sources_name(sources, span.file));
	norn_sources_position(sources, span, &finding->definition_line, &column);
}
