#include "predict/projection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "monitor/monitor.h"

#define NOWHERE UINT32_MAX

struct list {
	uint32_t *payloads;
	uint32_t count, room;
};

struct member {
	struct norn_value *keys;
	struct list own;
	bool ended;
	uint32_t chain; /* 1 + the next one of the same hash */
};

struct norn_projections {
	const struct norn_view *view;
	const struct norn_computation *all;
	struct member *members;
	uint32_t count, room;
	struct norn_map index; /* hash of keys -> 1 + the newest of its members */
	struct list common; /* what concerns all instances */
	struct list merged; /* of the one given out last */
	const uint32_t *seats;
	uint32_t *threads; /* per seat */
};

static int append(struct list *list, uint32_t payload)
{
	if (list->count && list->payloads[list->count - 1] == payload)
		return 0;
	if (list->count == list->room) {
		uint32_t room = list->room ? 2 * list->room : 8;
		uint32_t *payloads = realloc(list->payloads, room * sizeof *payloads);
		if (!payloads)
			return -ENOMEM;
		list->payloads = payloads;
		list->room = room;
	}
	list->payloads[list->count++] = payload;
	return 0;
}

static int add_member(struct norn_projections *p, const struct norn_value *keys)
{
	uint32_t key_count = p->view->topic.property->key_count;
	if (p->count == p->room) {
		uint32_t room = p->room ? 2 * p->room : 8;
		struct member *members = realloc(p->members, room * sizeof *members);
		if (!members)
			return -ENOMEM;
		p->members = members;
		p->room = room;
	}
	struct member *m = &p->members[p->count];
	*m = (struct member){0};
	if (keys) {
		m->keys = aligned_alloc(_Alignof(struct norn_value), key_count * sizeof *keys);
		if (!m->keys)
			return -ENOMEM;
		memcpy(m->keys, keys, key_count * sizeof *keys);
	}
	p->count++;
	return 0;
}

static bool same_keys(const struct norn_projections *p, const struct norn_value *a, const struct norn_value *b)
{
	for (uint32_t k = 0; k < p->view->topic.property->key_count; k++)
		if (norn_value_equal(a[k], b[k]) != NORN_TRUTH_YES)
			return false;
	return true;
}

static uint64_t hash_keys(const struct norn_projections *p, const struct norn_value *keys)
{
	uint64_t h = 0;
	for (uint32_t k = 0; k < p->view->topic.property->key_count; k++)
		h = norn_monitor_hash(h ^ (keys[k].is_float ? (uint64_t)keys[k].real : (uint64_t)keys[k].integer));
	return h;
}

static struct member *find_member(struct norn_projections *p, const struct norn_value *keys)
{
	void *value;
	if (norn_map_put(&p->index, hash_keys(p, keys), &value) != 0)
		return NULL;
	uint32_t *newest = value;
	for (uint32_t i = *newest; i; i = p->members[i - 1].chain)
		if (!p->members[i - 1].ended && same_keys(p, p->members[i - 1].keys, keys))
			return &p->members[i - 1];
	if (add_member(p, keys) != 0)
		return NULL;
	p->members[p->count - 1].chain = *newest;
	*newest = p->count;
	return &p->members[p->count - 1];
}

static void end_members(struct norn_projections *p, const struct norn_position *at)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = 0; k < p->view->topic.property->key_count; k++) {
			struct norn_value key = p->members[i].keys[k];
			p->members[i].ended |= key.known && !key.is_float && key.integer >= at->address &&
			                       key.integer < (__int128)at->address + at->size;
		}
}

/* To the instances that its events name; to all if one of its events, or a write, names none. */
static int distribute(
        struct norn_projections *p, const struct norn_influence *concern, const struct norn_position *position, uint32_t payload)
{
	struct norn_value keys[NORN_KEYS_MAX];
	bool common = position->write_count || position->fade_count;
	for (uint32_t h = 0; h < position->hit_count; h++) {
		const struct norn_online_hit *hit = &position->hits[h];
		if (!concern->events[hit->event])
			continue;
		if (!norn_view_keys(p->view, hit, keys)) {
			common = true;
			continue;
		}
		for (uint32_t k = 0; k < p->view->topic.property->key_count; k++)
			if (!keys[k].known)
				return -EINVAL;
		struct member *m = find_member(p, keys);
		if (!m || append(&m->own, payload) != 0)
			return -ENOMEM;
	}
	return common ? append(&p->common, payload) : 0;
}

uint32_t *norn_projections_seats(const struct norn_computation *all, uint32_t payload_count)
{
	uint32_t *seats = malloc((payload_count + 1ul) * sizeof *seats);
	if (!seats)
		return NULL;
	memset(seats, 0xff, payload_count * sizeof *seats);
	for (uint32_t at = 0; at < all->total; at++)
		seats[all->payloads[at]] = at;
	return seats;
}

static int find_threads(struct norn_projections *p)
{
	const struct norn_computation *all = p->all;
	p->threads = malloc((all->total + 1) * sizeof *p->threads);
	if (!p->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->threads; i++)
		for (uint32_t k = 0; k < all->events[i]; k++)
			p->threads[all->first[i] + k] = i;
	return 0;
}

int norn_projections_new(const struct norn_view *view, const struct norn_influence *concern, const struct norn_computation *all,
        const uint32_t *seats, const struct norn_position *const *kept, uint32_t kept_count,
        struct norn_projections **ret_projections)
{
	struct norn_projections *p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	*p = (struct norn_projections){.view = view, .all = all, .seats = seats};
	norn_map_init(&p->index, sizeof(uint32_t));
	bool keyed = view->topic.property->key_count > 0;
	int r = find_threads(p);
	if (r == 0 && !keyed)
		r = add_member(p, NULL);
	for (uint32_t i = 0; r == 0 && i < kept_count; i++) {
		if (p->seats[i] != NOWHERE && norn_influence_has(concern, kept[i]))
			r = keyed ? distribute(p, concern, kept[i], i) : append(&p->common, i);
		if (r == 0 && keyed && kept[i]->kind == NORN_EVENT_FREE)
			end_members(p, kept[i]);
	}
	if (r != 0) {
		norn_projections_free(p);
		return r;
	}
	*ret_projections = p;
	return 0;
}

void norn_projections_free(struct norn_projections *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->count; i++) {
		free(p->members[i].keys);
		free(p->members[i].own.payloads);
	}
	free(p->members);
	norn_map_done(&p->index);
	free(p->common.payloads);
	free(p->merged.payloads);
	free(p->threads);
	free(p);
}

uint32_t norn_projections_count(const struct norn_projections *p)
{
	return p->count;
}

int norn_projections_get(struct norn_projections *p, uint32_t i, struct norn_projection *ret_projection)
{
	const struct list *own = &p->members[i].own, *common = &p->common;
	uint32_t a = 0, b = 0, threads = 0, first = NOWHERE;
	p->merged.count = 0;
	while (a < own->count || b < common->count) {
		bool take = b == common->count || (a < own->count && own->payloads[a] <= common->payloads[b]);
		uint32_t payload = take ? own->payloads[a++] : common->payloads[b++], thread = p->threads[p->seats[payload]];
		if (append(&p->merged, payload) != 0)
			return -ENOMEM;
		threads = first == NOWHERE ? 1 : thread != first ? 2 : threads;
		first = first == NOWHERE ? thread : first;
	}
	*ret_projection = (struct norn_projection){.keys = p->members[i].keys,
	        .payloads = p->merged.payloads,
	        .count = p->merged.count,
	        .several = threads > 1,
	        .all = p->all,
	        .seats = p->seats,
	        .threads = p->threads};
	return 0;
}

/* ---- a computation of its own ---- */

/* Its events per thread of the whole, as numbers within that thread, ascending. */
struct columns {
	uint32_t *starts; /* threads + 1 of them */
	uint32_t *numbers;
};

static int make_columns(const struct norn_projection *p, struct columns *ret_columns)
{
	uint32_t threads = p->all->threads;
	uint32_t *starts = calloc(threads + 2ul, sizeof *starts), *numbers = malloc((p->count + 1ul) * sizeof *numbers);
	if (!starts || !numbers) {
		free(starts);
		free(numbers);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < p->count; i++)
		starts[p->threads[p->seats[p->payloads[i]]] + 2]++;
	for (uint32_t t = 2; t <= threads; t++)
		starts[t] += starts[t - 1];
	for (uint32_t i = 0; i < p->count; i++) {
		uint32_t at = p->seats[p->payloads[i]], t = p->threads[at];
		numbers[starts[t + 1]++] = (uint32_t)(at - p->all->first[t]);
	}
	*ret_columns = (struct columns){starts, numbers};
	return 0;
}

/* How many of thread t's events in the projection are among its first `among` events of all. */
static uint32_t rank(const struct columns *c, uint32_t t, uint32_t among)
{
	uint32_t low = c->starts[t], high = c->starts[t + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (c->numbers[middle] < among)
			low = middle + 1;
		else
			high = middle;
	}
	return low - c->starts[t];
}

int norn_projection_computation(const struct norn_projection *p, struct norn_computation **ret_computation, struct norn_error *err)
{
	const struct norn_computation *all = p->all;
	struct norn_computation_builder *builder = NULL;
	struct columns columns = {0};
	uint32_t *clock = malloc((all->threads + 1ul) * sizeof *clock);
	int r = clock ? make_columns(p, &columns) : -ENOMEM;
	if (r == 0)
		r = norn_computation_builder_new(&builder);
	for (uint32_t i = 0; r == 0 && i < p->count; i++) {
		uint32_t at = p->seats[p->payloads[i]], t = p->threads[at];
		const uint32_t *whole = all->clocks + (size_t)at * all->threads;
		for (uint32_t j = 0; j < all->threads; j++)
			clock[j] = rank(&columns, j, whole[j]);
		r = norn_computation_add(builder, t, clock, all->threads, p->payloads[i]);
	}
	if (r == 0)
		r = norn_computation_finish(builder, ret_computation, err);
	else
		norn_error_set(err, r, "there is not enough memory");
	norn_computation_builder_free(builder);
	free(columns.starts);
	free(columns.numbers);
	free(clock);
	return r;
}
