#include "jobs/results/regression_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "jobs/say.h"
#include "jobs/processes/trace_set.h"
#include "trace/reader.h"
#include "trace/record.h"

/* ---- keeping them ---- */

static uint32_t count_threads(const struct norn_finding *f)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < f->where_count; i++) {
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= strcmp(f->where[k].thread, f->where[i].thread) == 0;
		count += !again;
	}
	return count ? count : 1;
}

void norn_regression_places_keep(struct norn_schedule_file *s, const struct norn_finding *f)
{
	s->kind = norn_finding_kind_name(f->kind);
	s->variable = f->variable;
	s->error_threads = count_threads(f);
	for (uint32_t i = 0; i < f->where_count; i++)
		norn_schedule_file_add_place(
		        s, &(struct norn_schedule_file_place){f->where[i].event, f->where[i].what, f->where[i].function});
}

/* ---- looking for them ---- */

/* In the order in which they are found out: the run that got furthest is the one to speak of. */
enum place_state { PLACE_NO_FUNCTION, PLACE_NO_VARIABLE, PLACE_NOT_EXECUTED, PLACE_FEW_THREADS, PLACE_EXECUTED };

#define BIT(kind) (1u << (kind))

static bool is_one_of(const char *word, const char *(*name)(unsigned), unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (name(i) && strcmp(word, name(i)) == 0)
			return true;
	return false;
}

/* The kinds of events that do what was done at the place. Another way to lock, or an access that is atomic now, is still there. */
static uint32_t kinds_of(const struct norn_schedule_file_place *place)
{
	const char *word = place->event;
	if (strcmp(word, norn_event_kind_name(NORN_EVENT_READ)) == 0)
		return BIT(NORN_EVENT_READ) | BIT(NORN_EVENT_RMW);
	if (strcmp(word, norn_event_kind_name(NORN_EVENT_WRITE)) == 0 ||
	        strcmp(word, norn_event_kind_name(NORN_EVENT_EXTERNAL)) == 0)
		return BIT(NORN_EVENT_WRITE) | BIT(NORN_EVENT_RMW) | BIT(NORN_EVENT_EXTERNAL);
	if (strcmp(word, norn_event_kind_name(NORN_EVENT_RMW)) == 0)
		return BIT(NORN_EVENT_WRITE) | BIT(NORN_EVENT_RMW);
	if (strcmp(word, norn_event_kind_name(NORN_EVENT_FREE)) == 0)
		return BIT(NORN_EVENT_FREE);
	if (is_one_of(word, norn_sync_op_name, NORN_SYNC_OPS))
		return BIT(NORN_EVENT_SYNC);
	if (is_one_of(word, norn_thread_op_name, NORN_THREAD_OPS))
		return BIT(NORN_EVENT_THREAD);
	return UINT32_MAX;
}

/* Does the place name a variable or a lock? Threads, addresses and locks without a name ("a mutex") differ from build to build. */
static bool is_named(const struct norn_schedule_file_place *place)
{
	uint32_t kinds = kinds_of(place);
	bool object = kinds != UINT32_MAX && kinds != BIT(NORN_EVENT_THREAD);
	return object && *place->what && strncmp(place->what, "0x", 2) != 0 && strncmp(place->what, "a ", 2) != 0;
}

static bool is_text(const char *text, const char *name, size_t length)
{
	return strlen(text) == length && memcmp(text, name, length) == 0;
}

/* Without the number among locks of one name, and the brackets of a call. A copy's source is called as the other place is. */
static bool has_name(const struct norn_schedule_file_place *place, const struct norn_site_info *info)
{
	const char *number = strstr(place->what, " #");
	size_t length = number ? (size_t)(number - place->what) : strlen(place->what);
	if (length > 2 && memcmp(place->what + length - 2, "()", 2) == 0)
		length -= 2;
	return is_text(info->name, place->what, length) || is_text(info->field, place->what, length) ||
	       (info->site->kind == NORN_SITE_COPY && strcmp(place->event, "read") == 0) ||
	       (kinds_of(place) == BIT(NORN_EVENT_SYNC) && !*info->field);
}

/* uses: site << 32 | thread to uint32_t, the kinds of events that the thread made there. false: the trace is damaged. */
static bool find_uses(struct norn_trace *trace, struct norn_map *uses)
{
	struct norn_error err = {0};
	struct norn_event e;
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < norn_trace_threads(trace); i++) {
		struct norn_cursor *cursor;
		r = norn_cursor_new(trace, i, &cursor);
		if (r != 0)
			break;
		while ((r = norn_cursor_event(cursor, &e, &err)) > 0)
			*(uint32_t *)norn_must_map_put(uses, (uint64_t)e.site << 32 | i) |= BIT(e.kind);
		norn_cursor_free(cursor);
	}
	return r == 0;
}

struct place_search {
	const struct norn_trace *trace;
	const struct norn_schedule_file_place *place;
	const struct norn_map *uses;
	struct norn_map *threads; /* that came by a place */
};

static enum place_state look_at_site(const struct place_search *s, uint32_t site)
{
	struct norn_site_info info;
	enum place_state state = PLACE_NOT_EXECUTED;
	norn_trace_site(s->trace, site, &info);
	if (!info.site || strcmp(info.function, s->place->function) != 0)
		return PLACE_NO_FUNCTION;
	if (is_named(s->place) && !has_name(s->place, &info))
		return PLACE_NO_VARIABLE;
	for (uint32_t i = 0; i < norn_trace_threads(s->trace); i++) {
		const uint32_t *kinds = norn_map_get(s->uses, (uint64_t)site << 32 | i);
		if (kinds && (*kinds & kinds_of(s->place))) {
			norn_must_map_put(s->threads, i);
			state = PLACE_EXECUTED;
		}
	}
	return state;
}

static enum place_state look_for_place(const struct place_search *s)
{
	enum place_state best = PLACE_NO_FUNCTION;
	const struct norn_site_table *table;
	const char *path;
	uint32_t base;
	for (unsigned k = 0; norn_trace_module(s->trace, k, &base, &path, &table); k++)
		for (uint32_t i = 0; i < table->sites; i++) {
			enum place_state state = look_at_site(s, base + i);
			best = state > best ? state : best;
		}
	return best;
}

/* The least of the places' states; *ret_place is one in it. */
static enum place_state look_for_all(
        const struct norn_schedule_file *schedule, struct norn_trace *trace, const struct norn_schedule_file_place **ret_place)
{
	struct norn_map uses, threads;
	enum place_state least = PLACE_EXECUTED;
	norn_map_init(&uses, sizeof(uint32_t));
	norn_map_init(&threads, 1);
	*ret_place = schedule->places.items;
	if (!find_uses(trace, &uses))
		least = PLACE_NOT_EXECUTED;
	for (uint32_t i = 0; i < schedule->places.count; i++) {
		struct place_search search = {trace, &schedule->places.items[i], &uses, &threads};
		enum place_state state = look_for_place(&search);
		if (state < least) {
			least = state;
			*ret_place = &schedule->places.items[i];
		}
	}
	if (least == PLACE_EXECUTED && threads.count < schedule->error_threads)
		least = PLACE_FEW_THREADS;
	norn_map_done(&uses);
	norn_map_done(&threads);
	return least;
}

static char *reason_text(enum place_state state, const struct norn_schedule_file_place *p)
{
	switch (state) {
	case PLACE_NO_FUNCTION:
		return norn_must_format("the program has no function %s any more", p->function);
	case PLACE_NO_VARIABLE:
		return norn_must_format("the function %s has nothing to do with %s any more", p->function, p->what);
	case PLACE_NOT_EXECUTED:
		return norn_must_format("this run did not reach one of its places: %s%s%s in %s", p->event, *p->what ? " " : "",
		        p->what, p->function);
	case PLACE_FEW_THREADS:
		return norn_must_format("fewer threads reached its places in this run than the error needs");
	case PLACE_EXECUTED:
		break;
	}
	return NULL;
}

char *norn_regression_places_missing(const struct norn_schedule_file *schedule, const char *trace)
{
	struct norn_trace_set set = {0};
	enum place_state best = PLACE_NO_FUNCTION;
	const struct norn_schedule_file_place *place = schedule->places.items, *at;
	if (schedule->places.count == 0)
		return norn_must_format("the schedule does not say of which places its error is");
	norn_trace_set_add(&set, trace);
	for (uint32_t i = 0; i < set.paths.count && best != PLACE_EXECUTED; i++) {
		struct norn_trace *one;
		struct norn_error err = {0};
		if (norn_trace_open(set.paths.items[i], true, &one, &err) != 0)
			continue;
		norn_trace_set_add_processes(&set, one);
		enum place_state state = look_for_all(schedule, one, &at);
		if (state >= best) {
			best = state;
			place = at;
		}
		norn_trace_close(one);
	}
	norn_trace_set_done(&set);
	return reason_text(best, place);
}
