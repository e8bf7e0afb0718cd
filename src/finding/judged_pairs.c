#include "finding/judged_pairs.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "finding/own_place.h"
#include "finding/error_context.h"
#include "trace/record.h"

static const struct {
	enum norn_pair_verdict verdict;
	const char *name, *text;
} reasons[NORN_PAIR_REASONS] = {
        [NORN_PAIR_ATOMIC] = {NORN_PAIR_IS_PROVED, "atomic", "both accesses are atomic"},
        [NORN_PAIR_LOCK] = {NORN_PAIR_IS_PROVED, "common-lock", "always under a common lock"},
        [NORN_PAIR_FORK_JOIN] = {NORN_PAIR_IS_PROVED, "fork-join", "ordered by the begin or the end of a thread"},
        [NORN_PAIR_SEARCHED] = {NORN_PAIR_IS_PROVED, "searched", "other orders were searched, and none has both at once"},
        [NORN_PAIR_NOT_ASKED] = {NORN_PAIR_IS_UNJUDGED, "not-asked", "only the observed order was asked for"},
        [NORN_PAIR_INTERRUPTED] = {NORN_PAIR_IS_UNJUDGED, "interrupted", "it was interrupted"},
        [NORN_PAIR_TRACE] = {NORN_PAIR_IS_UNJUDGED, "trace", "the run was not recorded to its end"},
        [NORN_PAIR_LOST] = {NORN_PAIR_IS_UNJUDGED, "lost-events", "events are missing: the rest of the run was not looked at"},
        [NORN_PAIR_HOOKS] = {NORN_PAIR_IS_UNJUDGED, "hooks", "code of the program was built with fewer hooks than that takes"},
        [NORN_PAIR_MEMORY] = {NORN_PAIR_IS_UNJUDGED, "memory", "the run was looked at in parts (--max-memory)"},
        [NORN_PAIR_ORDER] = {NORN_PAIR_IS_UNJUDGED, "order", "events keep their recorded order though another may be possible"},
        [NORN_PAIR_FORGOTTEN] = {NORN_PAIR_IS_UNJUDGED, "forgotten",
                "memory that is used at many places: not all accesses were compared (--effort)"},
        [NORN_PAIR_SAMPLED] = {NORN_PAIR_IS_UNJUDGED, "sampled", "they met more often than was tried (--effort)"},
        [NORN_PAIR_GIVEN_UP] = {NORN_PAIR_IS_UNJUDGED, "given-up", "the search for another order was given up (--effort)"},
        [NORN_PAIR_CALL] = {NORN_PAIR_IS_UNJUDGED, "call", "it depends on what functions without hooks do (--model)"},
        [NORN_PAIR_REFUSED] = {NORN_PAIR_IS_UNJUDGED, "refused", "the checker refused what was predicted: please report it"},
        [NORN_PAIR_FINDING] = {NORN_PAIR_IS_FOUND, "finding", "a finding"},
};

const char *norn_pair_verdict_name(enum norn_pair_verdict verdict)
{
	static const char *const names[NORN_PAIR_VERDICTS] = {
	        [NORN_PAIR_IS_PROVED] = "proved", [NORN_PAIR_IS_UNJUDGED] = "unjudged", [NORN_PAIR_IS_FOUND] = "found"};
	return names[verdict];
}

const char *norn_pair_reason_name(enum norn_pair_reason reason)
{
	return reasons[reason].name;
}

const char *norn_pair_reason_text(enum norn_pair_reason reason)
{
	return reasons[reason].text;
}

enum norn_pair_verdict norn_pair_verdict_of(enum norn_pair_reason reason)
{
	return reasons[reason].verdict;
}

enum norn_pair_verdict norn_judged_variable_verdict(const struct norn_judged_variable *v)
{
	return v->pairs[NORN_PAIR_IS_FOUND]      ? NORN_PAIR_IS_FOUND
	       : v->pairs[NORN_PAIR_IS_UNJUDGED] ? NORN_PAIR_IS_UNJUDGED
	                                         : NORN_PAIR_IS_PROVED;
}

bool norn_judged_place_is_later(const struct norn_judged_place *place)
{
	return !place->file;
}

void norn_judged_pairs_begin(struct norn_findings *f)
{
	if (!f->judged)
		f->judged = norn_must_calloc(1, sizeof *f->judged);
}

void norn_judged_pairs_free(struct norn_judged_pairs *judged)
{
	if (!judged)
		return;
	norn_table_done(&judged->by_name);
	norn_table_done(&judged->by_function);
	norn_vector_done(&judged->list);
	norn_vector_done(&judged->functions);
	norn_vector_done(&judged->variables);
	free(judged);
}

/* ---- pairs ---- */

static int compare_places(const struct norn_judged_place *a, const struct norn_judged_place *b)
{
	if (norn_judged_place_is_later(a) || norn_judged_place_is_later(b))
		return norn_judged_place_is_later(b) - norn_judged_place_is_later(a);
	int files = strcmp(a->file, b->file), functions = strcmp(a->function, b->function);
	return files ? files : a->line != b->line ? (a->line > b->line ? 1 : -1) : functions;
}

static struct norn_judged_place place_of(
        const struct norn_trace *trace, const struct norn_graph *graph, uint32_t event, struct norn_findings *f)
{
	struct norn_site_info info;
	norn_trace_site(trace, norn_graph_event(graph, event)->site, &info);
	return (struct norn_judged_place){
	        norn_findings_text(f, "%s", info.file), norn_findings_text(f, "%s", info.function), info.line};
}

void norn_judged_pair_name(const struct norn_trace *trace, const struct norn_graph *graph, const uint32_t events[2],
        struct norn_findings *f, struct norn_judged_pair *pair)
{
	/* Names of variables take no walk over the run (norn_error_context_init). */
	const struct norn_error_context context = {.trace = (struct norn_trace *)(uintptr_t)trace, .graph = graph, .findings = f};
	pair->variable = norn_error_context_variable(&context, events, events[1] ? 2 : 1);
	pair->places[0] = place_of(trace, graph, events[0], f);
	pair->places[1] = events[1] ? place_of(trace, graph, events[1], f) : (struct norn_judged_place){NULL, NULL, 0};
	if (events[1] && compare_places(&pair->places[0], &pair->places[1]) > 0) {
		struct norn_judged_place first = pair->places[0];
		pair->places[0] = pair->places[1];
		pair->places[1] = first;
	}
}

void norn_judged_pairs_add(struct norn_findings *f, const struct norn_judged_pair *pair)
{
	struct norn_judged_pairs *j = f->judged;
	bool is_new;
	if (!j)
		return;
	assert(pair->reason != NORN_PAIR_NONE);
	const struct norn_judged_place *a = &pair->places[0], *b = &pair->places[1];
	bool later = norn_judged_place_is_later(b);
	char *key = norn_must_format("%s\n%s\n%u\n%s\n%s\n%u\n%s%s", pair->variable, a->file, a->line, a->function,
	        later ? "" : b->file, b->line, later ? "" : b->function, later ? "\nlater" : "");
	uint32_t number = norn_must_table_put(&j->by_name, key, strlen(key), &is_new);
	free(key);
	if (is_new) {
		norn_must_push(&j->list, *pair);
		return;
	}
	struct norn_judged_pair *known = &j->list.items[number];
	known->meetings += pair->meetings;
	if (pair->reason > known->reason) {
		known->reason = pair->reason;
		known->finding = pair->finding;
	}
}

void norn_judged_pairs_doubt(struct norn_findings *f, enum norn_pair_reason reason)
{
	for (uint32_t i = 0; f->judged && i < f->judged->list.count; i++)
		if (norn_pair_verdict_of(f->judged->list.items[i].reason) == NORN_PAIR_IS_PROVED)
			f->judged->list.items[i].reason = reason;
}

/* ---- functions ---- */

static void add_function(struct norn_judged_pairs *j, const char *name, const char *file, uint32_t thread, bool several)
{
	bool is_new;
	char *key = norn_must_format("%s\n%s", name, file);
	uint32_t number = norn_must_table_put(&j->by_function, key, strlen(key), &is_new);
	free(key);
	if (is_new)
		norn_must_push(&j->functions, (struct norn_judged_function){name, file, thread, several});
	else
		j->functions.items[number].several |= several || j->functions.items[number].thread != thread;
}

static void ran(struct norn_findings *f, const char *name, const char *file, uint32_t thread)
{
	if (*name)
		add_function(f->judged, norn_findings_text(f, "%s", name), norn_findings_text(f, "%s", file), thread, false);
}

void norn_judged_pairs_ran(struct norn_findings *f, const struct norn_trace *trace, const struct norn_graph *graph)
{
	struct norn_map seen;
	if (!f->judged)
		return;
	norn_map_init(&seen, 1);
	for (uint32_t i = norn_graph_carried(graph) + 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		struct norn_site_info info;
		const char *function, *file;
		unsigned line;
		uint8_t *known = norn_must_map_put(&seen, (uint64_t)e->site << 32 | e->thread);
		/* The beginning of a thread, or a callback of code without hooks, is at another function's site. */
		bool others = e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_BEGIN || e->op == NORN_THREAD_BACK);
		if (!e->site || others || *known)
			continue;
		*known = 1;
		norn_trace_site(trace, e->site, &info);
		ran(f, info.function, info.file, e->thread);
		uint32_t frame = info.site ? info.site->inlined_at : 0;
		while (frame && norn_trace_frame(&info, &frame, &function, &file, &line))
			ran(f, function, file, e->thread);
	}
	norn_map_done(&seen);
}

/* ---- all together ---- */

void norn_judged_pairs_merge(struct norn_findings *into, const struct norn_judged_pairs *from)
{
	if (!from)
		return;
	norn_judged_pairs_begin(into);
	for (uint32_t i = 0; i < from->list.count; i++)
		norn_judged_pairs_add(into, &from->list.items[i]);
	for (uint32_t i = 0; i < from->functions.count; i++) {
		const struct norn_judged_function *x = &from->functions.items[i];
		add_function(into->judged, x->name, x->file, 0, x->several); /* each process has threads of its own */
	}
}

/* C and C++ keep names that begin like this for the implementation: _Head_base, __gthread_mutex_t. */
static bool is_reserved(const char *name)
{
	return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

bool norn_judged_pair_is_library(const struct norn_judged_pair *pair)
{
	if (is_reserved(pair->variable))
		return true;
	return norn_is_library_file(pair->places[0].file) &&
	       (norn_judged_place_is_later(&pair->places[1]) || norn_is_library_file(pair->places[1].file));
}

bool norn_judged_function_is_library(const struct norn_judged_function *function)
{
	return norn_is_library_file(function->file);
}

/* Pairs with a finding come first, then those not judged, each by its reason; of these the program's own before those inside of a
 * library; then those that met most often. */
static int by_importance(const void *a, const void *b)
{
	const struct norn_judged_pair *x = a, *y = b;
	if (x->reason != y->reason)
		return x->reason > y->reason ? -1 : 1;
	if (norn_judged_pair_is_library(x) != norn_judged_pair_is_library(y))
		return norn_judged_pair_is_library(x) ? 1 : -1;
	if (x->meetings != y->meetings)
		return x->meetings > y->meetings ? -1 : 1;
	int names = strcmp(x->variable, y->variable), first = compare_places(&x->places[0], &y->places[0]);
	return names ? names : first ? first : compare_places(&x->places[1], &y->places[1]);
}

static int by_verdict(const void *a, const void *b)
{
	const struct norn_judged_variable *x = a, *y = b;
	enum norn_pair_verdict mine = norn_judged_variable_verdict(x), others = norn_judged_variable_verdict(y);
	if (mine != others)
		return mine > others ? -1 : 1;
	return x->own != y->own ? (x->own ? -1 : 1) : strcmp(x->name, y->name);
}

static int by_thread(const void *a, const void *b)
{
	const struct norn_judged_function *x = a, *y = b;
	bool mine = norn_is_library_file(x->file), others = norn_is_library_file(y->file);
	int names = mine != others ? (mine ? 1 : -1) : strcmp(x->name, y->name);
	return x->several != y->several ? (x->several ? 1 : -1) : names ? names : strcmp(x->file, y->file);
}

void norn_judged_pairs_sum(struct norn_findings *f)
{
	struct norn_judged_pairs *j = f->judged;
	struct norn_table names = {0};
	if (!j)
		return;
	for (uint32_t i = 0; i < j->list.count; i++) {
		const struct norn_judged_pair *pair = &j->list.items[i];
		enum norn_pair_verdict verdict = norn_pair_verdict_of(pair->reason);
		bool is_new;
		uint32_t number = norn_must_table_put(&names, pair->variable, strlen(pair->variable), &is_new);
		if (is_new)
			norn_must_push(&j->variables, (struct norn_judged_variable){.name = pair->variable});
		j->variables.items[number].pairs[verdict]++;
		j->variables.items[number].own |= !norn_judged_pair_is_library(pair);
		j->totals[verdict]++;
	}
	norn_table_done(&names);
	/* The tables of both lists are not used any more. */
	if (j->list.count)
		qsort(j->list.items, j->list.count, sizeof *j->list.items, by_importance);
	if (j->variables.count)
		qsort(j->variables.items, j->variables.count, sizeof *j->variables.items, by_verdict);
	if (j->functions.count)
		qsort(j->functions.items, j->functions.count, sizeof *j->functions.items, by_thread);
	while (j->alone < j->functions.count && !j->functions.items[j->alone].several)
		j->alone++;
}
