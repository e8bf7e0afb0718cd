/* The order that the steps of a witness had to come in: which of them had to come before which, across threads. */
#include <stdlib.h>

#include "base/must.h"
#include "base/vector.h"
#include "causality/rules.h"
#include "finding/error_context.h"
#include "trace/record.h"

#define EVENTS_MAX 20000u /* of a schedule: a longer one is shown without this order */
#define THREADS_MAX 64u /* of the steps that are shown */
#define LOOK_BACK 64u /* events of an object, in search of the release or post before the base */
#define NONE UINT32_MAX

/* A lock or semaphore, as far as the schedule has been looked at. */
struct step_object {
	uint32_t given; /* the last release or post; 0: none, or not known */
	bool met;
	int64_t value; /* of a semaphore */
};

struct step_order {
	const struct norn_error_context *s;
	const struct norn_predicted *p;
	struct norn_rule_walk walk;
	struct norn_map shown; /* number of an event to uint32_t: its place in the witness */
	struct norn_map objects; /* its number to struct step_object */
	uint32_t threads[THREADS_MAX], thread_count;
	uint32_t last[THREADS_MAX][2]; /* the steps of each thread that were shown last: place, and number of the event */
	uint32_t pending[THREADS_MAX][THREADS_MAX]; /* the step of one thread that the next one of another comes after; NONE */
	uint32_t thread; /* of the event that is looked at, as a place in threads */
	NORN_VECTOR(struct norn_step_pair) pairs;
};

static uint32_t thread_of(const struct step_order *o, uint32_t number)
{
	uint32_t thread = norn_graph_event(o->s->graph, number)->thread, i = 0;
	while (i < o->thread_count && o->threads[i] != thread)
		i++;
	return i < o->thread_count ? i : NONE;
}

static void add_thread(struct step_order *o, uint32_t number)
{
	if (thread_of(o, number) != NONE || o->thread_count == THREADS_MAX)
		return;
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		o->pending[o->thread_count][i] = NONE;
	o->last[o->thread_count][0] = NONE;
	o->threads[o->thread_count++] = norn_graph_event(o->s->graph, number)->thread;
}

/* The event that is looked at comes after this one, and so after the last step that its thread shows before it. */
static void comes_after(void *context, uint32_t number)
{
	struct step_order *o = context;
	uint32_t other = number ? thread_of(o, number) : NONE;
	if (other != NONE && other != o->thread && o->last[other][0] != NONE && o->last[other][1] <= number)
		o->pending[o->thread][other] = o->last[other][0];
}

/* A read that decides what its thread does sees what it saw. */
static void look_at_writers(struct step_order *o, const struct norn_graph_event *e)
{
	const uint32_t *writers;
	bool reads = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
	if (!reads || (e->flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED)) != NORN_GRAPH_DECIDES)
		return;
	uint32_t count = norn_graph_list(o->s->graph, &e->link, &writers);
	for (uint32_t i = 0; i < count; i++)
		comes_after(o, writers[i]);
}

static bool gives(const struct norn_graph_event *e)
{
	return e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED || e->op == NORN_SYNC_SEM_POST;
}

/* The state of the object of this event at the base: a value that is not known counts for much. */
static void find_state(const struct step_order *o, uint32_t number, struct step_object *object)
{
	const struct norn_graph *graph = o->s->graph;
	uint32_t at = norn_graph_event(graph, number)->other;
	while (at > o->p->schedule.base)
		at = norn_graph_event(graph, at)->other;
	const struct norn_graph_event *last = norn_graph_event(graph, at);
	object->met = true;
	object->value = !at ? 0 : last->flags & NORN_GRAPH_COUNTED ? (int64_t)last->link : INT32_MAX;
	for (unsigned i = 0; at && !object->given && i < LOOK_BACK; i++, at = norn_graph_event(graph, at)->other)
		object->given = gives(norn_graph_event(graph, at)) ? at : 0;
}

/* A wait that only the last post lets pass comes after it. */
static void look_at_semaphore(struct step_order *o, struct step_object *object, const struct norn_graph_event *e)
{
	if (e->op == NORN_SYNC_SEM_INIT) {
		object->value = (int64_t)e->value;
	} else if (e->op == NORN_SYNC_SEM_POST) {
		object->value++;
	} else if (e->op == NORN_SYNC_SEM_WAIT) {
		if (object->value == 1)
			comes_after(o, object->given);
		object->value--;
	}
}

/* Of regions that come in this order: the lock is free only after the release. */
static void look_at_object(struct step_order *o, uint32_t number, const struct norn_graph_event *e)
{
	struct step_object *object = norn_must_map_put(&o->objects, e->size);
	if (!object->met)
		find_state(o, number, object);
	if (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED)
		comes_after(o, object->given);
	else
		look_at_semaphore(o, object, e);
	if (gives(e))
		object->given = number;
}

static void show(struct step_order *o, uint32_t number, uint32_t place)
{
	for (uint32_t i = 0; i < o->thread_count; i++) {
		if (o->pending[o->thread][i] != NONE)
			norn_must_push(&o->pairs, ((struct norn_step_pair){o->pending[o->thread][i], place}));
		o->pending[o->thread][i] = NONE;
	}
	o->last[o->thread][0] = place;
	o->last[o->thread][1] = number;
}

static void look_at(struct step_order *o, uint32_t number, uint32_t place, bool stop)
{
	const struct norn_graph_event *e = norn_graph_event(o->s->graph, number);
	o->thread = thread_of(o, number);
	if (o->thread == NONE)
		return;
	if (number > o->p->schedule.base) {
		norn_rule_needs_each(&o->walk, number, norn_rule_of(o->s->graph, number), comes_after, o);
		look_at_writers(o, e);
		if (e->kind == NORN_EVENT_SYNC && !stop)
			look_at_object(o, number, e);
	}
	if (place != NONE)
		show(o, number, place);
}

/* numbers: of the steps of the witness that are in the schedule; stops come after them. */
void norn_error_context_step_order(const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers,
        uint32_t count, struct norn_finding *finding)
{
	if (p->schedule.count > EVENTS_MAX)
		return;
	struct step_order *o = norn_must_calloc(1, sizeof *o);
	o->s = s;
	o->p = p;
	o->walk = (struct norn_rule_walk){.graph = s->graph, .base = p->schedule.base};
	for (uint32_t i = 0; i < count; i++) /* what comes before all that is shown is of no interest */
		o->walk.base = numbers[i] <= o->walk.base ? numbers[i] - 1 : o->walk.base;
	norn_map_init(&o->shown, sizeof(uint32_t));
	norn_map_init(&o->objects, sizeof(struct step_object));
	for (uint32_t i = 0; i < count; i++) {
		add_thread(o, numbers[i]);
		*(uint32_t *)norn_must_map_put(&o->shown, numbers[i]) = i;
	}
	for (uint32_t i = 0; i < p->stop_count; i++)
		add_thread(o, p->stops[i]);
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i] <= p->schedule.base)
			look_at(o, numbers[i], i, false);
	for (uint32_t i = 0; i < p->schedule.count; i++) {
		const uint32_t *place = norn_map_get(&o->shown, p->schedule.events[i]);
		look_at(o, p->schedule.events[i], place ? *place : NONE, false);
	}
	for (uint32_t i = 0; i < p->stop_count; i++)
		look_at(o, p->stops[i], count + i, true);
	struct norn_step_pair *pairs = norn_must_arena_alloc(&s->findings->arena, o->pairs.count * sizeof *pairs);
	for (uint32_t i = 0; i < o->pairs.count; i++)
		pairs[i] = o->pairs.items[i];
	finding->must = pairs;
	finding->must_count = o->pairs.count;
	norn_vector_done(&o->pairs);
	norn_map_done(&o->shown);
	norn_map_done(&o->objects);
	free(o);
}
