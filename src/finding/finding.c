#include "finding/finding.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/judged_pairs.h"
#include "finding/own_place.h"
#include "property/ast.h"
#include "property/source_text.h"

#define DEFINITION_BYTES 4000u /* of a declaration that are shown */

const char *norn_consequence_name(enum norn_consequence_kind kind)
{
	static const char *const names[] = {[NORN_CONSEQUENCE_UNKNOWN] = "unknown",
	        [NORN_CONSEQUENCE_NOTHING] = "nothing",
	        [NORN_CONSEQUENCE_VALUE] = "value",
	        [NORN_CONSEQUENCE_DECISION] = "decision",
	        [NORN_CONSEQUENCE_LOST_UPDATE] = "lost-update",
	        [NORN_CONSEQUENCE_ASSERTION] = "assertion"};
	return names[kind];
}

const char *norn_finding_kind_name(enum norn_finding_kind kind)
{
	static const char *const names[] = {"race", "deadlock", "atomicity", "use-after-free", "property", "liveness", "crash",
	        "assertion", "double-free", "use-after-return", "null-dereference"};
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
	free(findings->paths);
	free(findings->reasons);
	norn_judged_pairs_free(findings->judged);
	*findings = (struct norn_findings){0};
}

struct norn_finding norn_finding_new(enum norn_finding_kind kind)
{
	return (struct norn_finding){.kind = kind,
	        .property = "",
	        .variable = "",
	        .status = "observed",
	        .causality = "observed",
	        .message = "",
	        .key = "",
	        .definition_file = "",
	        .definition = "",
	        .outcome = "",
	        .extent = "",
	        .actions = "",
	        .count = 1};
}

struct norn_finding norn_finding_of_property(struct norn_findings *findings, const char *id, const char *property)
{
	struct norn_finding finding = norn_finding_new(NORN_FINDING_PROPERTY);
	finding.id = norn_findings_text(findings, "%s", id);
	finding.property = norn_findings_text(findings, "%s", property);
	return finding;
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
	assert(finding->status && finding->causality && finding->property && finding->variable && finding->message && finding->key);
	assert(finding->definition_file && finding->definition && finding->outcome && finding->extent && finding->actions);
	norn_must_grow(&f->list, f->count + UINT64_C(1), &f->room, sizeof *f->list);
	f->list[f->count] = *finding;
	return &f->list[f->count++];
}

/* Observed and confirmed errors are more than predicted ones. */
static bool is_surer(const struct norn_finding *a, const struct norn_finding *b)
{
	static const char *const by_weight[] = {"confirmed", "observed", "predicted", "potential", "suspected"};
	for (unsigned i = 0; i < sizeof by_weight / sizeof *by_weight; i++)
		if (strcmp(b->status, by_weight[i]) == 0 || strcmp(a->status, by_weight[i]) == 0)
			return strcmp(b->status, by_weight[i]) != 0;
	return false;
}

/* Two errors may have got one id in two processes. */
static bool is_same(const struct norn_finding *a, const struct norn_finding *b)
{
	return strcmp(a->id, b->id) == 0 && (!a->identity || !b->identity || strcmp(a->identity, b->identity) == 0);
}

static void add_process(struct norn_findings *f, struct norn_finding *finding, const struct norn_finding_process *process)
{
	if (!process->trace)
		return;
	if (finding->in_count == finding->in_room) {
		finding->in_room = finding->in_room ? 2 * finding->in_room : 4;
		struct norn_finding_process *list = norn_must_arena_alloc(&f->arena, finding->in_room * sizeof *list);
		if (finding->in_count)
			memcpy(list, finding->in, finding->in_count * sizeof *list);
		finding->in = list;
	}
	finding->in[finding->in_count++] = *process;
}

static void merge_finding(struct norn_findings *into, const struct norn_finding *x, const struct norn_finding_process *process)
{
	struct norn_finding *same = NULL;
	for (uint32_t i = 0; !same && i < into->count; i++)
		if (is_same(&into->list[i], x))
			same = &into->list[i];
	if (!same) {
		same = norn_findings_add(into, x);
		same->processes = 1;
		add_process(into, same, process);
		return;
	}
	struct norn_finding shown = is_surer(x, same) ? *x : *same;
	shown.count = same->count + x->count;
	shown.processes = same->processes + 1;
	shown.in = same->in;
	shown.in_count = same->in_count;
	shown.in_room = same->in_room;
	*same = shown;
	add_process(into, same, process);
}

static void merge_stats(struct norn_finding_stats *into, const struct norn_finding_stats *from)
{
	into->events += from->events;
	into->relevant += from->relevant;
	if (from->slice_events > into->slice_events) {
		into->slice_events = from->slice_events;
		into->slice_steps = from->slice_steps;
	}
	into->lost += from->lost;
	into->lost_unknown |= from->lost_unknown;
	into->cuts += from->cuts;
	into->refused += from->refused;
	into->own_errors += from->own_errors;
	into->threads += from->threads;
	into->processes++;
	into->complete &= from->complete;
	into->loops_cut |= from->loops_cut;
	into->seconds += from->seconds;
	into->memory = from->memory > into->memory ? from->memory : into->memory;
}

static struct norn_source_path *find_path(const struct norn_findings *findings, const char *file)
{
	for (uint32_t i = 0; i < findings->path_count; i++)
		if (strcmp(findings->paths[i].file, file) == 0)
			return &findings->paths[i];
	return NULL;
}

const char *norn_findings_path(const struct norn_findings *findings, const char *file)
{
	const struct norn_source_path *known = find_path(findings, file);
	return known ? known->path : file;
}

void norn_findings_add_path(struct norn_findings *findings, const char *file, const char *path)
{
	struct norn_source_path *known = find_path(findings, file);
	if (known) {
		known->path = strcmp(known->path, path) == 0 ? known->path : known->file;
		return;
	}
	norn_must_grow(&findings->paths, findings->path_count + UINT64_C(1), &findings->path_room, sizeof *findings->paths);
	struct norn_source_path *added = &findings->paths[findings->path_count++];
	added->file = norn_findings_text(findings, "%s", file);
	added->path = norn_findings_text(findings, "%s", path);
}

void norn_findings_merge(struct norn_findings *into, const struct norn_findings *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		merge_finding(into, &from->list[i], &from->process);
	for (uint32_t i = 0; i < from->note_count; i++) {
		bool said = false;
		for (uint32_t k = 0; k < into->note_count; k++)
			said |= strcmp(into->notes[k], from->notes[i]) == 0;
		if (!said)
			norn_findings_note(into, "%s", from->notes[i]);
	}
	for (uint32_t i = 0; i < from->reason_count; i++)
		norn_findings_partial(
		        into, from->reasons[i].kind, from->reasons[i].count, from->reasons[i].remedy, "%s", from->reasons[i].what);
	for (uint32_t i = 0; i < from->path_count; i++)
		norn_findings_add_path(into, from->paths[i].file, from->paths[i].path);
	norn_judged_pairs_merge(into, from->judged);
	into->command = into->command ? into->command : from->command;
	merge_stats(&into->stats, &from->stats);
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

void norn_findings_note(struct norn_findings *f, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const char *text = format_text(&f->arena, format, arguments);
	va_end(arguments);
	norn_must_grow(&f->notes, f->note_count + UINT64_C(1), &f->note_room, sizeof *f->notes);
	f->notes[f->note_count++] = text;
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

struct norn_step_text norn_finding_own_where(const struct norn_finding *x, uint32_t where)
{
	struct norn_step_text place = x->where[where];
	const struct norn_side *side = x->sides ? &x->sides[where] : NULL;
	if (!side || !norn_is_library_file(place.file))
		return place;
	for (uint32_t i = 0; i < side->frame_count && strcmp(side->frames[i].event, "created") != 0; i++)
		if (side->frames[i].line && !norn_is_library_file(side->frames[i].file)) {
			place.file = side->frames[i].file;
			place.line = side->frames[i].line;
			place.function = side->frames[i].function;
			break;
		}
	return place;
}
