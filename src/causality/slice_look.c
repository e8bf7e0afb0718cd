#include <stdlib.h>
#include <string.h>

#include "causality/slice_state.h"
#include "trace/record.h"

void norn_slice_free(struct norn_slice *slice)
{
	if (!slice)
		return;
	free(slice->events);
	free(slice->threads);
	free(slice->helds);
	free(slice->numbers);
	for (uint32_t i = 0; i < slice->mark_count; i++)
		free(slice->marks[i].last);
	free(slice->marks);
	norn_lists_done(&slice->lists);
	norn_flow_free(slice->flow);
	norn_map_done(&slice->words);
	norn_map_done(&slice->noticed);
	free(slice->masked_words);
	free(slice);
}

/* ---- what callees and objects are ---- */

bool norn_slice_waits(const char *callee)
{
	/* Waits for a condition with a limit get their mutex back without one. */
	static const char *const functions[] = {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	        "pthread_spin_lock", "mtx_lock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
	        "cnd_wait", "cnd_timedwait", "pthread_join", "thrd_join"};
	for (unsigned i = 0; callee && i < sizeof functions / sizeof *functions; i++)
		if (strcmp(callee, functions[i]) == 0)
			return true;
	return false;
}

unsigned norn_slice_object_bytes(const struct norn_event *e)
{
	static const unsigned bytes[] = {
	        [NORN_LOCK_MUTEX] = 40,
	        [NORN_LOCK_RWLOCK] = 56,
	        [NORN_LOCK_SPIN] = 4,
	        [NORN_LOCK_COND] = 48,
	        [NORN_LOCK_SEM] = 32,
	        [NORN_LOCK_BARRIER] = 32,
	        [NORN_LOCK_ONCE] = 4,
	};
	uint64_t kind = NORN_LOCK_MUTEX;
	if (e->op <= NORN_SYNC_TRY_FAILED || e->op == NORN_SYNC_CREATE || e->op == NORN_SYNC_DESTROY)
		kind = e->argument;
	else if (e->op <= NORN_SYNC_BROADCAST)
		kind = NORN_LOCK_COND;
	else if (e->op <= NORN_SYNC_SEM_TRY_FAILED)
		kind = NORN_LOCK_SEM;
	else if (e->op <= NORN_SYNC_BARRIER_LEAVE)
		kind = NORN_LOCK_BARRIER;
	else if (e->op <= NORN_SYNC_ONCE_PASS)
		kind = NORN_LOCK_ONCE;
	return kind < sizeof bytes / sizeof *bytes ? bytes[kind] : 4;
}

/* ---- looking ---- */

uint32_t norn_slice_count(const struct norn_slice *slice)
{
	return slice->count;
}

uint32_t norn_slice_carried(const struct norn_slice *slice)
{
	return slice->carried;
}

uint64_t norn_slice_number(const struct norn_slice *slice, uint32_t event)
{
	return event > slice->carried ? event - slice->carried + slice->before : event ? slice->numbers[event - 1] : 0;
}

uint64_t norn_slice_until(const struct norn_slice *slice, uint32_t base)
{
	return base - slice->carried + slice->before;
}

uint32_t norn_slice_threads(const struct norn_slice *slice)
{
	return slice->thread_count;
}

uint32_t norn_slice_objects(const struct norn_slice *slice)
{
	return slice->object_count;
}

uint32_t norn_slice_first(const struct norn_slice *slice, uint32_t thread)
{
	return slice->threads[thread].first;
}

uint32_t norn_slice_last(const struct norn_slice *slice, uint32_t thread)
{
	return slice->threads[thread].last;
}

uint32_t norn_slice_after(const struct norn_slice *slice, uint32_t thread, uint32_t base)
{
	uint32_t low = 0, high = slice->mark_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (slice->marks[middle].event <= base)
			low = middle + 1;
		else
			high = middle;
	}
	const struct mark *mark = low ? &slice->marks[low - 1] : NULL;
	uint32_t event = mark && thread < mark->threads ? mark->last[thread] : 0;
	if (event == 0)
		event = norn_slice_first(slice, thread);
	while (event && event <= base)
		event = slice->events[event].next;
	return event;
}

bool norn_slice_cut(const struct norn_slice *slice)
{
	return slice->cut;
}

bool norn_slice_lost(const struct norn_slice *slice)
{
	return slice->lost;
}

bool norn_slice_object(const struct norn_slice *slice, uint64_t addr)
{
	return norn_map_get(&slice->words, addr / 8);
}

uint64_t norn_slice_bytes(const struct norn_slice *slice)
{
	return sizeof *slice + (uint64_t)slice->room * sizeof *slice->events +
	       (uint64_t)slice->thread_room * sizeof *slice->threads + (uint64_t)slice->held_room * sizeof *slice->helds +
	       norn_lists_bytes(&slice->lists) + norn_flow_bytes(slice->flow) + slice->words.capacity * slice->words.slot_bytes +
	       slice->noticed.capacity * slice->noticed.slot_bytes;
}

const struct norn_slice_event *norn_slice_events(const struct norn_slice *slice)
{
	return slice->events;
}

uint32_t norn_slice_list(const struct norn_slice *slice, const uint32_t *link, const uint32_t **ret_events)
{
	return norn_lists_get(&slice->lists, link, ret_events);
}

enum norn_slice_node norn_slice_node(const struct norn_slice *slice, uint32_t node, uint32_t *ret_a, uint32_t *ret_b)
{
	*ret_b = 0;
	if (!(node & NORN_SLICE_LIST)) {
		*ret_a = node;
		return node ? NORN_NODE_READ : NORN_NODE_NONE;
	}
	uint32_t count;
	const struct norn_flow_pair *pair = norn_flow_pairs(slice->flow, &count) + (node & ~NORN_SLICE_LIST);
	*ret_a = pair->a;
	if (pair->b == NORN_FLOW_BEFORE)
		return NORN_NODE_BEFORE;
	*ret_b = pair->b;
	return NORN_NODE_UNION;
}

uint32_t norn_slice_nodes(const struct norn_slice *slice)
{
	uint32_t count;
	norn_flow_pairs(slice->flow, &count);
	return count;
}

uint32_t norn_slice_masks(const struct norn_slice *slice, uint32_t site, const struct norn_slice_range **ret_ranges)
{
	return norn_flow_masks(slice->flow, site, ret_ranges);
}

const uint64_t *norn_slice_masked_words(const struct norn_slice *slice, uint32_t *ret_count)
{
	*ret_count = slice->masked_count;
	return slice->masked_words;
}

uint32_t norn_slice_control(const struct norn_slice *slice, uint32_t event)
{
	const struct norn_slice_event *e = slice->events + event;
	while (e->kind == NORN_EVENT_EXTERNAL && e->next) {
		uint32_t number = (uint32_t)(e - slice->events);
		const uint32_t *noticed = number % NORN_SLICE_SKIP ? NULL : norn_map_get(&slice->noticed, number);
		e = slice->events + (noticed && *noticed != number ? *noticed : e->next);
	}
	return e->kind == NORN_EVENT_READ ? e->other : e->kind == NORN_EVENT_WRITE ? e->link : 0;
}

uint32_t norn_slice_held(const struct norn_slice *slice, uint32_t held, uint32_t *ret_rest)
{
	*ret_rest = slice->helds[held].rest;
	return slice->helds[held].acquire;
}

void norn_slice_site(const struct norn_slice *slice, uint32_t site, struct norn_slice_site *ret_site)
{
	const struct norn_slice_site *known = norn_flow_known(slice->flow, site);
	*ret_site = known ? *known : (struct norn_slice_site){0};
}

uint32_t norn_slice_place(const struct norn_slice *slice, uint32_t site)
{
	const struct norn_slice_site *known = norn_flow_known(slice->flow, site);
	return known && known->place ? known->place : site;
}
