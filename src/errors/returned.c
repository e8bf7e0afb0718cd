#include "errors/returned.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "trace/record.h"

#define TRIES 16u /* of a function's return with uses in another function */
#define STACK_LEAST 16384u /* bytes (PTHREAD_STACK_MIN) */
#define LOOK_BACK 16u /* for a use that is alike */
#define FRAMES 64u /* of the main thread, the innermost, in which uses by others are looked for */

struct activation {
	uint32_t enter;
	uint64_t end; /* of its frame, as far as it is known; 0: not at all */
	uint64_t begin; /* of the main thread's: the lowest of its locals that is known */
};

/* A thread, as the owner of its stack. */
struct owner {
	NORN_VECTOR(struct activation) frames;
	struct norn_numbers uses; /* by other threads, of frames that are there */
	uint32_t left; /* its last event: a LEAVE, or its END; 0: it has done something else since */
	uint64_t left_end;
	/* Of the main thread: the frame that it left last, by this event, if it has entered none since; 0: it has */
	struct activation last_frame;
	uint32_t last_left;
	bool given; /* its stack is memory of the program's own, which may be used for anything when its frames are gone */
};

struct search_of_uses {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_fork_order *order;
	struct owner *owners; /* per thread */
	struct norn_map groups; /* of a LEAVE's place and a use's function → struct group */
	uint32_t group_count;
	NORN_VECTOR(struct norn_attempt) attempts;
	struct norn_numbers blocks; /* allocations that are large enough for a stack */
};

struct group {
	uint32_t number, count;
};

static bool uses_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || norn_graph_uses_object(e);
}

/* Is the address among the locals that are known of the main thread's open frames, or of the last one? */
static bool is_near(const struct search_of_uses *s, uint64_t addr)
{
	const struct owner *main_thread = s->owners;
	if (main_thread->last_left && addr >= main_thread->last_frame.begin && addr < main_thread->last_frame.end)
		return true;
	for (uint32_t i = main_thread->frames.count, n = 0; i > 0 && n < FRAMES; i--, n++)
		if (addr >= main_thread->frames.items[i - 1].begin && addr < main_thread->frames.items[i - 1].end)
			return true;
	return false;
}

/* The thread whose stack the event uses; UINT32_MAX: none's. Memory whose life no record tells may lie on the main thread's stack,
 * which is not recorded: there only a local itself tells. */
static uint32_t owner_of(const struct search_of_uses *s, uint32_t event)
{
	const struct norn_graph_event *e = s->events + event, *life = s->events + norn_graph_memory(s->graph, event);
	uint64_t word;
	if (!norn_graph_memory(s->graph, event) && !norn_graph_initial(s->graph, e->addr, &word))
		return (e->thread ? is_near(s, e->addr) : norn_graph_local_end(s->graph, event) != 0) ? 0 : UINT32_MAX;
	bool of_stack = life->kind == NORN_EVENT_THREAD && life->op == NORN_THREAD_STACK;
	return of_stack && !s->owners[life->thread].given ? life->thread : UINT32_MAX;
}

static bool lies_in_block(const struct search_of_uses *s, uint64_t addr)
{
	uint64_t word;
	for (uint32_t i = 0; i < s->blocks.count; i++)
		if (addr - s->events[s->blocks.items[i]].addr < s->events[s->blocks.items[i]].size)
			return true;
	return norn_graph_initial(s->graph, addr, &word); /* static memory */
}

/* Memory that may become a stack: pthread_attr_setstack. */
static void note_block(struct search_of_uses *s, uint32_t event)
{
	const struct norn_graph_event *e = s->events + event;
	if (e->kind == NORN_EVENT_ALLOC && e->op != NORN_ALLOC_UNMAP && e->size >= STACK_LEAST)
		norn_must_push(&s->blocks, event);
	else if (norn_graph_frees(e))
		for (uint32_t i = s->blocks.count; i > 0; i--)
			if (s->events[s->blocks.items[i - 1]].addr == e->addr)
				s->blocks.items[i - 1] = s->blocks.items[--s->blocks.count];
}

/* end: the event by which the frame is gone. before: the use came after it when recorded. */
static void add_attempt(struct search_of_uses *s, uint32_t end, uint32_t use, bool before)
{
	if (!before && s->order && norn_fork_order_before(s->order, use, end))
		return;
	struct norn_graph_site site;
	norn_graph_site(s->graph, s->events[use].site, &site);
	uint64_t key =
	        (uint64_t)norn_graph_place(s->graph, s->events[end].site) << 32 | (site.entry ? site.entry : s->events[use].site);
	struct group *group = norn_must_map_put(&s->groups, key);
	if (group->count == TRIES)
		return;
	if (group->count++ == 0)
		group->number = s->group_count++;
	struct norn_attempt attempt = {.group = group->number};
	if (before)
		attempt.includes[1] = end;
	else
		attempt.stops[attempt.count++] = end;
	attempt.stops[attempt.count++] = use;
	norn_must_push(&s->attempts, attempt);
}

/* Does the use lie in a local of this frame of the main thread? */
static bool is_local(const struct search_of_uses *s, uint32_t use, const struct activation *frame, uint32_t leave)
{
	uint64_t addr = s->events[use].addr;
	for (uint32_t i = s->events[frame->enter].next; i && i < leave; i = s->events[i].next)
		if (uses_memory(s->events + i) && s->events[i].addr <= addr && norn_graph_local_end(s->graph, i) > addr &&
		        !norn_graph_memory(s->graph, i))
			return true;
	return false;
}

/* A use of the owner's stack by another thread. Of those that are alike, the latest stands for all. */
static void add_use(struct search_of_uses *s, struct owner *owner, uint32_t event)
{
	const struct norn_graph_event *e = s->events + event;
	if (owner->last_left && is_local(s, event, &owner->last_frame, owner->last_left)) {
		add_attempt(s, owner->last_left, event, false);
		return;
	}
	if (owner->left && e->addr < owner->left_end && owner != s->owners) {
		add_attempt(s, owner->left, event, true);
		return;
	}
	for (uint32_t i = owner->uses.count, n = 0; i > 0 && n < LOOK_BACK; i--, n++) {
		const struct norn_graph_event *other = s->events + owner->uses.items[i - 1];
		if (other->site == e->site && other->thread == e->thread && other->addr == e->addr) {
			owner->uses.items[i - 1] = event;
			return;
		}
	}
	norn_must_push(&owner->uses, event);
}

/* The main thread leaves this frame. */
static void end_main_frame(struct search_of_uses *s, const struct activation *frame, uint32_t event)
{
	struct owner *owner = s->owners;
	uint32_t kept = 0;
	owner->last_left = event;
	owner->last_frame = *frame;
	for (uint32_t i = 0; i < owner->uses.count; i++) {
		uint32_t use = owner->uses.items[i];
		bool near = s->events[use].addr >= frame->begin && s->events[use].addr < frame->end;
		if (near && use > frame->enter && is_local(s, use, frame, event))
			add_attempt(s, event, use, false);
		else if (use > frame->enter || s->events[use].addr >= frame->end)
			owner->uses.items[kept++] = use;
	}
	owner->uses.count = kept;
}

/* Below this address the owner's stack is gone by the event. */
static void end_frame(struct search_of_uses *s, struct owner *owner, uint32_t event, uint64_t end)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < owner->uses.count; i++) {
		uint32_t use = owner->uses.items[i];
		if (s->events[use].addr < end)
			add_attempt(s, event, use, false);
		else
			owner->uses.items[kept++] = use;
	}
	owner->uses.count = kept;
	owner->left = event;
	owner->left_end = end;
}

/* The locals of main are there as long as the process. */
static bool is_main(const struct search_of_uses *s, uint32_t enter)
{
	return s->events[enter].thread == 0 && s->events[enter].other == 0;
}

static void leave(struct search_of_uses *s, struct owner *owner, uint32_t event)
{
	uint32_t enter = s->events[event].link;
	while (enter && owner->frames.count && owner->frames.items[owner->frames.count - 1].enter > enter)
		owner->frames.count--;
	if (!enter || !owner->frames.count || owner->frames.items[owner->frames.count - 1].enter != enter)
		return;
	const struct activation frame = owner->frames.items[--owner->frames.count];
	if (!frame.end || is_main(s, enter))
		return;
	if (s->events[event].thread == 0)
		end_main_frame(s, &frame, event);
	else
		end_frame(s, owner, event, frame.end);
}

/* An event that tells how far the innermost frame of its thread reaches. */
static void note_local(struct search_of_uses *s, struct owner *self, uint32_t event)
{
	uint64_t end = norn_graph_local_end(s->graph, event), begin = s->events[event].addr;
	struct activation *frame = self->frames.count ? self->frames.items + self->frames.count - 1 : NULL;
	if (!end || !frame)
		return;
	if (!frame->end || begin < frame->begin)
		frame->begin = begin;
	if (end > frame->end)
		frame->end = end;
}

static void visit(struct search_of_uses *s, uint32_t event)
{
	const struct norn_graph_event *e = s->events + event;
	struct owner *self = s->owners + e->thread;
	note_block(s, event);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK && e->addr)
		self->given = lies_in_block(s, e->addr);
	if (e->kind == NORN_EVENT_LEAVE) {
		leave(s, self, event);
		return;
	}
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END) {
		if (e->thread)
			end_frame(s, self, event, UINT64_MAX);
		return;
	}
	self->left = 0;
	if (e->kind == NORN_EVENT_ENTER) {
		self->last_left = 0;
		norn_must_push(&self->frames, (struct activation){.enter = event});
	} else if (uses_memory(e)) {
		uint32_t owner = owner_of(s, event);
		if (owner == e->thread)
			note_local(s, self, event);
		else if (owner != UINT32_MAX)
			add_use(s, s->owners + owner, event);
	}
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct norn_graph_event *use = norn_graph_event(context, attempt->stops[attempt->count - 1]);
	predicted->kind = NORN_PREDICTED_USE_AFTER_RETURN;
	predicted->observed = false; /* nothing records whether a function returned before or after what another thread does */
	predicted->first = attempt->includes[1];
	predicted->pairs = 1;
	predicted->addr = use->addr;
	predicted->size = use->kind == NORN_EVENT_SYNC ? 8 : use->size;
}

void norn_returned_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph)
{
	struct search_of_uses s = {
	        .graph = graph, .events = norn_graph_events(graph), .order = norn_attempt_runner_order(attempt_runner)};
	uint32_t threads = norn_graph_threads(graph);
	s.owners = norn_must_calloc(threads + UINT64_C(1), sizeof *s.owners);
	norn_map_init(&s.groups, sizeof(struct group));
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++)
		visit(&s, i);
	bool *found = norn_must_calloc(s.group_count + UINT64_C(1), sizeof *found);
	if (s.attempts.count)
		norn_attempt_runner_try(attempt_runner, s.attempts.items, s.attempts.count, found, fill, (void *)(uintptr_t)graph);
	free(found);
	norn_vector_done(&s.attempts);
	norn_vector_done(&s.blocks);
	norn_map_done(&s.groups);
	for (uint32_t i = 0; i < threads; i++) {
		norn_vector_done(&s.owners[i].frames);
		norn_vector_done(&s.owners[i].uses);
	}
	free(s.owners);
}
