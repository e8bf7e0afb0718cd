#include "finding/error_findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/error_context.h"
#include "trace/record.h"

static enum norn_finding_kind kind_of(const struct norn_predicted *p)
{
	switch (p->kind) {
	case NORN_PREDICTED_RACE:
		return NORN_FINDING_RACE;
	case NORN_PREDICTED_DEADLOCK:
		return NORN_FINDING_DEADLOCK;
	case NORN_PREDICTED_ATOMICITY:
		return NORN_FINDING_ATOMICITY;
	default:
		return NORN_FINDING_USE_AFTER_FREE;
	}
}

/* ---- places ---- */

/* The events of where, in the order in which they come; room for two more than there are stops. */
static uint32_t place_numbers(const struct norn_predicted *p, uint32_t *numbers)
{
	uint32_t count = 0;
	if (p->first)
		numbers[count++] = p->first;
	if (p->second)
		numbers[count++] = p->second;
	for (uint32_t i = 0; i < p->stop_count; i++)
		numbers[count++] = p->stops[i];
	return count;
}

static void find_places(const struct norn_error_context *s, const uint32_t *numbers, struct norn_finding *finding)
{
	struct norn_arena *arena = &s->findings->arena;
	struct norn_step_text *where = norn_must_arena_alloc(arena, finding->where_count * sizeof *where);
	struct norn_side *sides = norn_must_arena_alloc(arena, finding->where_count * sizeof *sides);
	for (uint32_t i = 0; i < finding->where_count; i++) {
		norn_error_context_step(s, numbers[i], false, &where[i]);
		norn_error_context_side(s, numbers[i], &sides[i]);
	}
	finding->where = where;
	finding->sides = sides;
}

/* The locks of a deadlock, as they wait for each other. */
static const char *lock_names(const struct norn_error_context *s, const struct norn_predicted *p)
{
	const char *names = "";
	for (uint32_t i = 0; i < p->stop_count; i++)
		if (norn_graph_event(s->graph, p->stops[i])->kind == NORN_EVENT_SYNC)
			names = norn_findings_text(
			        s->findings, "%s%s%s", names, *names ? ", " : "", norn_error_context_lock(s, p->stops[i]));
	return names;
}

/* ---- what stays the same from run to run ---- */

/* The last folder and the name: where a program was built does not matter, and two files of one name are told apart. */
static const char *short_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	while (slash && slash > path && slash[-1] != '/')
		slash--;
	return slash && slash > path ? slash : path;
}

/* A line that reads and writes, x++, is one place. Lines that are not known are told apart by what they do. Of a deadlock also
 * which lock: one function may take many. What is a number among locks of one name differs from run to run. */
static const char *place_text(const struct norn_finding *x, const struct norn_step_text *w, struct norn_findings *f)
{
	bool lock = x->kind == NORN_FINDING_DEADLOCK;
	return norn_findings_text(f, "%s:%u:%s:%s:%.*s", short_path(w->file), w->line, w->function, w->line ? "" : w->event,
	        lock ? (int)strcspn(w->what, "#") : 0, w->what);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All that tells this error from others, in words. Places count as a set: which of two threads comes first differs from run to
 * run. */
static const char *make_identity(const struct norn_finding *x, struct norn_findings *f)
{
	const char **places = norn_must_alloc(x->where_count, sizeof(*places));
	for (uint32_t i = 0; i < x->where_count; i++)
		places[i] = place_text(x, &x->where[i], f);
	qsort(places, x->where_count, sizeof(*places), by_text);
	/* The names of locks come in the order of the threads: they are with the places. */
	const char *text = norn_findings_text(
	        f, "%s\n%s", norn_finding_kind_name(x->kind), x->kind == NORN_FINDING_DEADLOCK ? "" : x->variable);
	for (uint32_t i = 0; i < x->where_count; i++)
		text = norn_findings_text(f, "%s\n%s", text, places[i]);
	free(places);
	return text;
}

const char *norn_error_id(enum norn_finding_kind kind, const char *identity, unsigned again, struct norn_findings *f)
{
	static const char letters[] = {[NORN_FINDING_RACE] = 'R',
	        [NORN_FINDING_DEADLOCK] = 'D',
	        [NORN_FINDING_ATOMICITY] = 'A',
	        [NORN_FINDING_USE_AFTER_FREE] = 'U',
	        [NORN_FINDING_CRASH] = 'C',
	        [NORN_FINDING_ASSERTION] = 'F'};
	uint64_t h = 0xcbf29ce484222325u + again;
	for (const char *c = identity; *c; c++) {
		h = (h ^ (unsigned char)*c) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29; /* so that no byte is undone by a later one */
	}
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	return norn_findings_text(f, "%c%08x", letters[kind], (unsigned)(h >> 32));
}

struct norn_finding *norn_error_find_same(struct norn_finding *x, struct norn_findings *f)
{
	x->identity = make_identity(x, f);
	for (unsigned again = 0;; again++) {
		x->id = norn_error_id(x->kind, x->identity, again, f);
		struct norn_finding *known = norn_findings_get(f, x->id);
		if (!known || (known->identity && strcmp(known->identity, x->identity) == 0))
			return known;
	}
}

static const char *quoted(struct norn_findings *f, const char *text)
{
	return strpbrk(text, " \t\"*?[]\\#") ? norn_findings_text(f, "\"%s\"", text) : text;
}

/* A glob that matches the name alone: brackets and stars of names stand for themselves. */
static const char *glob_of(struct norn_findings *f, const char *name)
{
	const char *glob = "";
	for (const char *c = name; *c; c++)
		glob = norn_findings_text(f, "%s%s%c", glob, strchr("*?[]\\", *c) ? "\\" : "", *c);
	return glob;
}

const char *norn_error_finding_suppression(const struct norn_finding *finding, struct norn_findings *f)
{
	const char *line = norn_findings_text(f, "%s", norn_finding_kind_name(finding->kind));
	if (*finding->variable)
		line = norn_findings_text(f, "%s variable=%s", line, quoted(f, glob_of(f, finding->variable)));
	for (uint32_t i = 0; i < finding->where_count; i++) {
		const struct norn_step_text *w = &finding->where[i];
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= strcmp(finding->where[k].function, w->function) == 0;
		if (*w->function && !again)
			line = norn_findings_text(f, "%s function=%s", line, quoted(f, glob_of(f, w->function)));
	}
	if (!*finding->variable && !strstr(line, "function="))
		line = norn_findings_text(f, "%s id=%s", line, finding->id);
	return line;
}

/* ---- words ---- */

static const char *at(struct norn_findings *f, const struct norn_step_text *w)
{
	if (!*w->file)
		return "a place that is not known";
	if (!w->line)
		return norn_findings_text(f, "%s", basename(w->file));
	return norn_findings_text(f, "%s:%u", basename(w->file), w->line);
}

static const char *done_to(const struct norn_step_text *w)
{
	return strcmp(w->event, "read") == 0 ? "reads" : strcmp(w->event, "free") == 0 ? "frees" : "writes";
}

static const char *race_message(const struct norn_finding *x, struct norn_findings *f)
{
	return norn_findings_text(f, "%s %s it at %s while %s %s it at %s", x->where[0].thread, done_to(&x->where[0]),
	        at(f, &x->where[0]), x->where[1].thread, done_to(&x->where[1]), at(f, &x->where[1]));
}

static const char *deadlock_message(const struct norn_finding *x, struct norn_findings *f)
{
	const char *text = "";
	for (uint32_t i = 0; i < x->where_count; i++)
		text = strcmp(x->where[i].event, "join") == 0
		               ? norn_findings_text(f, "%s%s%s waits for the end of %s", text, i ? "; " : "", x->where[i].thread,
		                         x->where[i].what)
		               : norn_findings_text(f, "%s%s%s waits for %s, which %s holds", text, i ? "; " : "",
		                         x->where[i].thread, x->where[i].what, x->where[(i + 1) % x->where_count].thread);
	return text;
}

static const char *lock_list(const struct norn_side *side, struct norn_findings *f)
{
	const char *text = "";
	for (uint32_t i = 0; i < side->lock_count; i++)
		text = norn_findings_text(f, "%s%s%s", text, i ? " and " : "", side->locks[i].what);
	return text;
}

static const char *race_advice(const struct norn_finding *x, struct norn_findings *f)
{
	const struct norn_side *a = &x->sides[0], *b = &x->sides[1];
	if (!a->lock_count && !b->lock_count)
		return "guard both accesses by one lock, or make both atomic";
	if (a->lock_count && b->lock_count && strcmp(lock_list(a, f), lock_list(b, f)) == 0)
		return norn_findings_text(
		        f, "these are two locks, though both are called %s: hold one and the same", lock_list(a, f));
	if (a->lock_count && b->lock_count)
		return norn_findings_text(
		        f, "%s and %s do not exclude each other: hold one lock at both places", lock_list(a, f), lock_list(b, f));
	uint32_t guarded = a->lock_count ? 0 : 1;
	return norn_findings_text(f, "%s is held at %s only: hold it at %s, too", lock_list(&x->sides[guarded], f),
	        at(f, &x->where[guarded]), at(f, &x->where[!guarded]));
}

static void word_race(struct norn_finding *x, struct norn_findings *f)
{
	x->outcome = *x->variable ? norn_findings_text(f, "race on %s", x->variable) : "race";
	x->message = race_message(x, f);
	x->advice = race_advice(x, f);
}

static void word_deadlock(struct norn_finding *x, struct norn_findings *f)
{
	x->outcome = norn_findings_text(f, "deadlock of %u threads", x->where_count);
	x->message = deadlock_message(x, f);
	x->advice = "take these locks in the same order everywhere, or back off by trylock";
	for (uint32_t i = 0; i < x->where_count; i++)
		if (strcmp(x->where[i].event, "join") == 0)
			x->advice = "do not hold locks while waiting for the end of a thread that may need them";
}

static void word_free(const struct norn_predicted *p, struct norn_finding *x, struct norn_findings *f)
{
	const struct norn_step_text *freed = &x->where[0], *use = &x->where[1];
	bool twice = p->kind == NORN_PREDICTED_DOUBLE_FREE;
	x->outcome =
	        norn_findings_text(f, "%s%s%s", twice ? "double free" : "use after free", *x->variable ? " of " : "", x->variable);
	x->message = norn_findings_text(f, "%s %s it at %s after %s has freed it at %s", use->thread, done_to(use), at(f, use),
	        freed->thread, at(f, freed));
	x->advice = twice ? "let one thread own the block, or count its users"
	                  : "free the block when nobody can use it any more: join the thread, count users, or hold a lock for both";
}

static const char *block_name(const struct norn_error_context *s, const struct norn_predicted *p)
{
	if (!p->begin)
		return "";
	const struct norn_graph_event *begin = norn_graph_event(s->graph, p->begin);
	struct norn_site_info info;
	if (begin->kind == NORN_EVENT_MARK)
		return norn_findings_text(s->findings, "%s", norn_trace_name(s->trace, (uint32_t)begin->value));
	norn_trace_site(s->trace, begin->site, &info);
	return norn_findings_text(s->findings, "%s", info.name);
}

static void word_atomicity(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	const char *block = block_name(s, p);
	const struct norn_step_text *first = &x->where[0], *foreign = &x->where[1], *second = &x->where[2];
	x->atomic = block;
	x->outcome =
	        *block ? norn_findings_text(f, "atomic block %s is broken", block) : "accesses that belong together are torn apart";
	x->message = norn_findings_text(f, "%s %s %s at %s between %s (%s) and %s (%s) of %s", foreign->thread, done_to(foreign),
	        *x->variable ? x->variable : "it", at(f, foreign), at(f, first), first->event, at(f, second), second->event,
	        first->thread);
	x->advice = "hold one lock from the first access to the last, and at the foreign one";
}

/* ---- findings ---- */

static void fill(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *x)
{
	find_places(s, numbers, x);
	x->variable =
	        p->kind == NORN_PREDICTED_DEADLOCK ? lock_names(s, p) : norn_error_context_variable(s, numbers, x->where_count);
	if (!*x->variable && p->kind == NORN_PREDICTED_DOUBLE_FREE && strncmp(x->where[0].what, "0x", 2) != 0)
		x->variable = x->where[0].what;
}

static void complete(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *x)
{
	if (p->kind == NORN_PREDICTED_RACE)
		word_race(x, s->findings);
	else if (p->kind == NORN_PREDICTED_DEADLOCK)
		word_deadlock(x, s->findings);
	else if (p->kind == NORN_PREDICTED_ATOMICITY)
		word_atomicity(s, p, x);
	else
		word_free(p, x, s->findings);
	x->block = p->kind == NORN_PREDICTED_DEADLOCK ? "" : norn_error_context_block(s, numbers[0]);
	x->suppression = norn_error_finding_suppression(x, s->findings);
	norn_error_context_witness(s, p, x);
	norn_error_context_swaps(s, p, x);
}

static void find_assumptions(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	struct norn_assumption *list = norn_must_arena_alloc(&f->arena, (p->assumed_count + 1ul) * sizeof *list);
	for (uint32_t i = 0; i < p->assumed_count; i++) {
		struct norn_site_info info;
		norn_trace_site(s->trace, norn_graph_event(s->graph, p->assumed[i])->site, &info);
		bool again = false;
		for (uint32_t k = 0; k < x->assumption_count; k++)
			again |= strcmp(list[k].function, info.name) == 0 && list[k].line == info.line &&
			         strcmp(list[k].file, info.file) == 0;
		if (again)
			continue;
		list[x->assumption_count++] = (struct norn_assumption){.function = norn_findings_text(f, "%s", info.name),
		        .file = norn_findings_text(f, "%s", info.file),
		        .line = info.line,
		        .model = *info.name ? norn_findings_text(f, "%s pure", info.name) : ""};
	}
	x->assumptions = list;
}

/* Of the same error: what is sure is shown, not what rests on assumptions. */
static void make_sure(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *known)
{
	if (strcmp(known->status, "suspected") != 0 || p->assumed_count)
		return;
	known->status = p->observed ? "observed" : "predicted";
	known->assumption_count = 0;
	norn_error_context_witness(s, p, known);
	norn_error_context_swaps(s, p, known);
}

static int add(struct norn_error_context *s, const struct norn_predicted *p, const struct norn_described *told, uint32_t *ret_index)
{
	uint32_t *numbers = norn_must_calloc(p->stop_count + 2ul, sizeof *numbers);
	int r = 0;
	struct norn_finding x = {.kind = kind_of(p),
	        .property = "",
	        .status = p->assumed_count ? "suspected"
	                  : p->observed    ? "observed"
	                                   : "predicted",
	        .causality = "sliced",
	        .message = "",
	        .key = "",
	        .definition_file = "",
	        .definition = "",
	        .extent = "",
	        .actions = "",
	        .where_count = place_numbers(p, numbers),
	        .sourceless = s->imported,
	        .count = p->pairs ? p->pairs : 1};
	norn_error_context_label(s, numbers, x.where_count);
	fill(s, p, numbers, &x);
	struct norn_finding *known = norn_error_find_same(&x, s->findings);
	if (known) {
		*ret_index = (uint32_t)(known - s->findings->list);
		known->count += p->pairs; /* 0: all were counted before, in another window */
		make_sure(s, p, known);
		known->status = p->observed && !p->assumed_count ? "observed" : known->status;
	} else {
		complete(s, p, numbers, &x);
		find_assumptions(s, p, &x);
		*ret_index = s->findings->count;
		norn_findings_add(s->findings, &x);
		if (told)
			r = told->take(told->context, &x, p);
	}
	free(numbers);
	return r;
}

int norn_describe(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *predicted, uint32_t count,
        const struct norn_described *told, struct norn_findings *findings, uint32_t *ret_indices)
{
	struct norn_error_context scene;
	if (count == 0)
		return 0;
	int r = 0;
	norn_error_context_init(&scene, trace, graph, predicted, count, findings);
	for (uint32_t i = 0, index; r == 0 && i < count; i++)
		r = add(&scene, &predicted[i], told, ret_indices ? &ret_indices[i] : &index);
	norn_error_context_done(&scene);
	return r;
}
