#include "finding/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

#define SHOWN 3u /* units, functions; of more their number is told */

/* ---- units ---- */

void norn_units_done(struct norn_units *units)
{
	norn_vector_done(&units->tables);
}

void norn_units_add(struct norn_units *units, const struct norn_site_table *table)
{
	norn_must_push(&units->tables, table);
}

void norn_units_of_trace(struct norn_units *units, const struct norn_trace *trace)
{
	uint32_t base;
	const char *path;
	const struct norn_site_table *table;
	for (unsigned i = 0; norn_trace_module(trace, i, &base, &path, &table); i++)
		norn_units_add(units, table);
}

bool norn_units_are_whole(const struct norn_units *units)
{
	for (uint32_t i = 0; i < units->tables.count; i++)
		if (!norn_unit_is_whole(units->tables.items[i]))
			return false;
	return true;
}

/* A list of names that tells how many it leaves out. */
struct coverage_list {
	char text[512];
	unsigned count;
};

static void list_add(struct coverage_list *list, const char *name)
{
	size_t used = strlen(list->text);
	if (list->count++ < SHOWN)
		snprintf(list->text + used, sizeof list->text - used, "%s%s", used ? ", " : "", name);
}

static void list_end(struct coverage_list *list)
{
	size_t used = strlen(list->text);
	if (list->count > SHOWN)
		snprintf(list->text + used, sizeof list->text - used, " and %u more", list->count - SHOWN);
}

void norn_units_say_partial(const struct norn_units *units, struct norn_findings *f)
{
	struct coverage_list list = {0};
	bool sync = false, only = false;
	for (uint32_t i = 0; i < units->tables.count; i++) {
		const struct norn_site_table *table = units->tables.items[i];
		if (norn_unit_is_whole(table))
			continue;
		only |= table->only != 0;
		sync |= table->only == 0;
		list_add(&list, norn_unit_source(table));
	}
	list_end(&list);
	norn_findings_partial(f, NORN_REASON_HOOKS, list.count,
	        list.count == 1 ? "build it by norn cc without that" : "build them by norn cc without that",
	        "%s %s built by norn cc %s: what is read and written there was not recorded, so nothing is predicted, and data "
	        "races, atomicity violations and uses after free there cannot be seen",
	        list.text, list.count == 1 ? "was" : "were",
	        sync && only ? "--level sync or --prop"
	        : sync       ? "--level sync"
	                     : "--prop");
}

void norn_units_say_missing(
        const struct norn_units *units, const struct norn_needs *needs, const char *file, struct norn_findings *f)
{
	struct coverage_list list = {0};
	char missing[384] = "", more[384];
	for (uint32_t i = 0; i < units->tables.count; i++) {
		if (!norn_needs_missing(needs, units->tables.items[i], more, sizeof more))
			continue;
		if (list.count == 0)
			memcpy(missing, more, sizeof missing);
		list_add(&list, norn_unit_source(units->tables.items[i]));
	}
	if (list.count == 0)
		return;
	list_end(&list);
	norn_findings_partial(f, NORN_REASON_HOOKS, list.count,
	        norn_findings_text(f, "build it without that, or by --prop %s", file),
	        "the properties of %s speak of what %s has no hooks for (%s), as it was built by norn cc --level sync or by --prop "
	        "with another file: what happens there cannot be seen",
	        file, list.text, missing);
}

void norn_units_say_loose(const struct norn_units *units, const struct norn_needs *needs, const char *file, struct norn_findings *f)
{
	struct coverage_list list = {0};
	for (uint32_t i = 0; i < units->tables.count && (needs->named || needs->all); i++)
		if (units->tables.items[i]->level & NORN_SITE_LOOSE_WRITES && units->tables.items[i]->only == 0)
			list_add(&list, norn_unit_source(units->tables.items[i]));
	if (list.count == 0)
		return;
	list_end(&list);
	norn_findings_partial(f, NORN_REASON_HOOKS, list.count,
	        norn_findings_text(f, "build it by norn cc --prop %s, or at -O1", file),
	        "the properties of %s speak of variables, and %s %s optimised: a write through a pointer that another write "
	        "follows "
	        "may be missing",
	        file, list.text, list.count == 1 ? "was" : "were");
}

/* ---- calls ---- */

void norn_unseen_init(struct norn_unseen *unseen)
{
	*unseen = (struct norn_unseen){0};
}

void norn_unseen_done(struct norn_unseen *unseen)
{
	norn_table_done(&unseen->functions);
	norn_vector_done(&unseen->counts);
}

/* A function that is called through a pointer has no name: each place of such a call counts by itself. */
static void count_one(struct norn_unseen *unseen, const struct norn_graph *graph, uint32_t site)
{
	struct norn_graph_site known;
	bool is_new;
	norn_graph_site(graph, site, &known);
	bool named = known.name && *known.name;
	uint64_t place = site; /* no name has NUL bytes in it */
	const void *key = named ? (const void *)known.name : &place;
	uint32_t number = norn_must_table_put(&unseen->functions, key, named ? strlen(known.name) : sizeof place, &is_new);
	if (is_new)
		norn_must_push(&unseen->counts, (struct norn_unseen_function){.site = site});
	unseen->counts.items[number].calls++;
	unseen->calls++;
}

void norn_unseen_count(struct norn_unseen *unseen, const struct norn_graph *graph)
{
	uint32_t first = norn_graph_carried(graph) + 1;
	unseen->threads |= norn_graph_threads(graph) > 1;
	for (uint32_t i = first; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		bool call = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL;
		if (!call || e->flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED) || norn_graph_number(graph, i) <= unseen->before ||
		        e->site == 0)
			continue;
		count_one(unseen, graph, e->site);
	}
	if (norn_graph_count(graph))
		unseen->before = norn_graph_number(graph, norn_graph_count(graph));
}

/* Those called most often go first; of equals the one whose site is first. */
static const struct norn_unseen_function *most(const struct norn_unseen *unseen, const struct norn_unseen_function *after)
{
	const struct norn_unseen_function *best = NULL;
	for (uint32_t i = 0; i < unseen->counts.count; i++) {
		const struct norn_unseen_function *u = &unseen->counts.items[i];
		bool later = !after || u->calls < after->calls || (u->calls == after->calls && u->site > after->site);
		bool better = !best || u->calls > best->calls || (u->calls == best->calls && u->site < best->site);
		if (later && better)
			best = u;
	}
	return best;
}

void norn_unseen_say_barred(const struct norn_trace *trace, uint32_t site, struct norn_findings *f)
{
	struct norn_site_info info;
	norn_trace_site(trace, site, &info);
	norn_findings_partial(f, NORN_REASON_CALL, 1, "build it with norn cc, or say what it does (--model FILE)",
	        "errors may be missing: by %s:%u code without hooks had called back, or changed memory, and may have waited for "
	        "anything "
	        "before",
	        basename(info.file), info.line);
}

void norn_say_freed_pointer(const struct norn_trace *trace, uint32_t freed, uint32_t read, struct norn_findings *f)
{
	struct norn_site_info at_free, at_read;
	norn_trace_site(trace, freed, &at_free);
	norn_trace_site(trace, read, &at_read);
	norn_findings_partial(f, NORN_REASON_ORDER, 1,
	        "set the pointer anew where it is taken, under the same lock, or record it again, until it is read so",
	        "a use after free or a double free may be missing: the pointer read at %s:%u may still be the one that another "
	        "thread frees at %s:%u, and what would be done with it then was not recorded",
	        basename(at_read.file), at_read.line, basename(at_free.file), at_free.line);
}

void norn_say_doubted_assertion(const struct norn_trace *trace, uint32_t read, uint32_t places, struct norn_findings *f)
{
	struct norn_site_info info;
	norn_trace_site(trace, read, &info);
	norn_findings_partial(f, NORN_REASON_ORDER, places, "put what it compares into a few variables, and compare these",
	        "a failing assertion may be missing: its condition goes by what is read at %s:%u, in a way that cannot be "
	        "evaluated, and another thread may write that otherwise",
	        basename(info.file), info.line);
}

void norn_unseen_say_jobs(const struct norn_trace *trace, uint32_t site, struct norn_findings *f)
{
	struct norn_site_info info;
	norn_trace_site(trace, site, &info);
	norn_findings_partial(f, NORN_REASON_ORDER, 1, "record it again, until two threads of the pool have run such jobs",
	        "jobs that one thread of a pool ran one after the other count as ordered; what one of them accesses at %s:%u "
	        "another one "
	        "did, and no lock is common to both",
	        basename(info.file), info.line);
}

void norn_unseen_say(const struct norn_unseen *unseen, const struct norn_trace *trace, bool partial, struct norn_findings *f)
{
	struct coverage_list list = {0};
	if (!unseen->calls || !unseen->threads)
		return;
	const struct norn_unseen_function *u = NULL;
	for (unsigned i = 0; i < SHOWN && (u = most(unseen, u)); i++) {
		struct norn_site_info info;
		char text[160];
		norn_trace_site(trace, u->site, &info);
		snprintf(text, sizeof text, "%.64s %llu time%s (%.64s:%u)", *info.name ? info.name : "a function through a pointer",
		        (unsigned long long)u->calls, u->calls == 1 ? "" : "s", basename(info.file), info.line);
		list_add(&list, text);
	}
	list.count = unseen->functions.count;
	list_end(&list);
	if (partial)
		norn_findings_partial(f, NORN_REASON_CALL, unseen->calls,
		        "build them with norn cc, or say what they do (--model FILE)",
		        "functions without hooks that may do anything were called: %s; what their threads did after that is taken "
		        "only as "
		        "it was recorded, so errors may be missed",
		        list.text);
	else
		norn_findings_note(f,
		        "functions without hooks that may do anything were called: %s; what would be an error if they do nothing "
		        "that "
		        "matters is suspected: build them with norn cc, or say what they do (--model FILE)",
		        list.text);
}
