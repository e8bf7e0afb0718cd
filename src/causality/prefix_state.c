#include "causality/prefix_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

#define PAGE_BYTES UINT64_C(4096)
#define PAGE_WORDS (PAGE_BYTES / 8)

/* An event that is carried; [0] is none. next: of a list, or of those that are spare. */
struct kept {
	struct norn_prefix_event carried; /* number 0: spare */
	uint32_t next;
};

/* Numbers are of events that are carried, 0: none. Lists begin with the newest. */
struct prefix_thread {
	uint32_t fork, begin, end;
	uint32_t frames, marks, locks;
	uint32_t changes; /* of resources, by the call that it is in */
	uint32_t wait, asleep; /* a wait for a condition, and the release that follows it */
	uint64_t mutex; /* of the wait */
	uint32_t last; /* the thread's last event, if it tells what comes next: a call, or the end of a function … */
	uint32_t left; /* … and the beginning of that */
	uint32_t stack; /* the first of two STACK records */
};

struct norn_prefix {
	NORN_VECTOR(struct kept) kept;
	uint32_t spare, alive;
	NORN_VECTOR(struct prefix_thread) threads;
	struct norn_map blocks; /* address → the alloc */
	uint32_t max_blocks;
	struct norn_map freed; /* page + 1 → a bit for each word */
	uint64_t number;
};

struct norn_prefix *norn_prefix_new(uint32_t max_blocks)
{
	struct norn_prefix *prefix = norn_must_calloc(1, sizeof *prefix);
	prefix->max_blocks = max_blocks;
	norn_map_init(&prefix->blocks, sizeof(uint32_t));
	norn_map_init(&prefix->freed, PAGE_WORDS / 8);
	norn_must_add(&prefix->kept);
	return prefix;
}

void norn_prefix_free(struct norn_prefix *prefix)
{
	if (!prefix)
		return;
	norn_map_done(&prefix->blocks);
	norn_map_done(&prefix->freed);
	norn_vector_done(&prefix->kept);
	norn_vector_done(&prefix->threads);
	free(prefix);
}

uint32_t norn_prefix_kept(const struct norn_prefix *prefix)
{
	return prefix->alive;
}

/* ---- what is kept ---- */

static uint32_t keep(struct norn_prefix *prefix, const struct norn_event *e, uint32_t next)
{
	uint32_t i = prefix->spare;
	if (i) {
		prefix->spare = prefix->kept.items[i].next;
	} else {
		i = prefix->kept.count;
		norn_must_add(&prefix->kept);
	}
	struct kept *k = prefix->kept.items + i;
	*k = (struct kept){.carried = {*e, prefix->number}, .next = next};
	k->carried.event.data = NULL;
	k->carried.event.versions = NULL;
	k->carried.event.args = NULL;
	prefix->alive++;
	return i;
}

static void drop(struct norn_prefix *prefix, uint32_t *kept)
{
	if (*kept == 0)
		return;
	prefix->kept.items[*kept].carried.number = 0;
	prefix->kept.items[*kept].next = prefix->spare;
	prefix->spare = *kept;
	prefix->alive--;
	*kept = 0;
}

static void set(struct norn_prefix *prefix, const struct norn_event *e, uint32_t *kept)
{
	drop(prefix, kept);
	*kept = keep(prefix, e, 0);
}

static void push(struct norn_prefix *prefix, const struct norn_event *e, uint32_t *list)
{
	*list = keep(prefix, e, *list);
}

/* The newest of a list leaves it. */
static uint32_t pop(struct norn_prefix *prefix, uint32_t *list)
{
	uint32_t i = *list;
	if (i)
		*list = prefix->kept.items[i].next;
	return i;
}

static void drop_all(struct norn_prefix *prefix, uint32_t *list)
{
	while (*list) {
		uint32_t i = pop(prefix, list);
		drop(prefix, &i);
	}
}

static struct prefix_thread *get_thread(struct norn_prefix *prefix, uint32_t thread)
{
	while (prefix->threads.count <= thread)
		norn_must_add(&prefix->threads);
	return prefix->threads.items + thread;
}

/* ---- locks, resources ---- */

/* The newest carried event of this object in a list. */
static void drop_of(struct norn_prefix *prefix, uint32_t *list, uint64_t addr)
{
	for (uint32_t *place = list; *place; place = &prefix->kept.items[*place].next)
		if (prefix->kept.items[*place].carried.event.addr == addr) {
			uint32_t i = pop(prefix, place);
			drop(prefix, &i);
			return;
		}
}

/* The mutex of a wait: its acquire, the wait, its release and the acquire at the end are all carried until the wait ends. */
static void sync_event(struct norn_prefix *prefix, struct prefix_thread *t, const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		push(prefix, e, &t->locks);
		break;
	case NORN_SYNC_RELEASE:
		if (t->wait && t->mutex == e->addr && !t->asleep) {
			set(prefix, e, &t->asleep);
			break;
		}
		/* fall through */
	case NORN_SYNC_RELEASE_SHARED:
		drop_of(prefix, &t->locks, e->addr);
		break;
	case NORN_SYNC_WAIT_BEGIN:
		t->mutex = e->argument;
		drop(prefix, &t->asleep);
		set(prefix, e, &t->wait);
		break;
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		drop(prefix, &t->wait);
		if (t->asleep) {
			/* Acquired again without a recorded release: the older acquire is over. */
			drop(prefix, &t->asleep);
			uint32_t newest = pop(prefix, &t->locks);
			bool again = newest && prefix->kept.items[newest].carried.event.addr == t->mutex;
			if (again)
				drop_of(prefix, &t->locks, t->mutex);
			if (newest) {
				prefix->kept.items[newest].next = t->locks;
				t->locks = newest;
			}
		}
		break;
	case NORN_SYNC_SEND:
		if (e->argument == NORN_SEND_CHANGES)
			push(prefix, e, &t->changes);
		break;
	case NORN_SYNC_RECEIVE:
		if (e->argument == NORN_RECEIVE_CHANGED)
			drop_of(prefix, &t->changes, e->addr);
	}
}

/* ---- memory ---- */

static void set_freed(struct norn_prefix *prefix, uint64_t addr, uint64_t size, bool freed)
{
	uint64_t end = addr + size;
	for (uint64_t next; addr < end; addr = next) {
		next = addr - addr % PAGE_BYTES + PAGE_BYTES;
		next = next > end ? end : next;
		void *page = norn_map_get(&prefix->freed, addr / PAGE_BYTES + 1);
		if (!page && freed)
			page = norn_must_map_put(&prefix->freed, addr / PAGE_BYTES + 1);
		uint8_t *bits = page;
		for (uint64_t a = addr & ~UINT64_C(7); bits && a < next; a += 8) {
			unsigned word = a % PAGE_BYTES / 8;
			bits[word / 8] = (uint8_t)((bits[word / 8] & ~(1u << word % 8)) | (unsigned)freed << word % 8);
		}
	}
}

static bool is_freed(const struct norn_prefix *prefix, uint64_t addr, uint64_t size)
{
	for (uint64_t a = addr & ~UINT64_C(7); prefix->freed.count && a < addr + size; a += 8) {
		const uint8_t *bits = norn_map_get(&prefix->freed, a / PAGE_BYTES + 1);
		unsigned word = a % PAGE_BYTES / 8;
		if (bits && bits[word / 8] >> word % 8 & 1)
			return true;
	}
	return false;
}

static void alloc_event(struct norn_prefix *prefix, const struct norn_event *e)
{
	set_freed(prefix, e->addr, e->size, false);
	if (prefix->blocks.count < prefix->max_blocks || norn_map_get(&prefix->blocks, e->addr))
		set(prefix, e, norn_must_map_put(&prefix->blocks, e->addr));
}

static void free_event(struct norn_prefix *prefix, const struct norn_event *e)
{
	if (e->pieces & 2)
		return;
	uint32_t *block = norn_map_get(&prefix->blocks, e->addr);
	if (block) {
		drop(prefix, block);
		norn_map_remove(&prefix->blocks, e->addr);
	}
	set_freed(prefix, e->addr, e->size, true);
}

/* ---- threads ---- */

/* The thread is joined: no later event refers to it. Locks that it never released stay held. */
static void forget(struct norn_prefix *prefix, struct prefix_thread *t)
{
	drop(prefix, &t->fork);
	drop(prefix, &t->begin);
	drop(prefix, &t->wait);
	drop(prefix, &t->asleep);
	drop(prefix, &t->last);
	drop(prefix, &t->left);
	drop(prefix, &t->stack);
	drop_all(prefix, &t->frames);
	drop_all(prefix, &t->marks);
	drop_all(prefix, &t->changes);
}

static void thread_event(struct norn_prefix *prefix, struct prefix_thread *t, const struct norn_event *e)
{
	struct prefix_thread *other;
	switch (e->op) {
	case NORN_THREAD_FORK:
		if (e->value < NORN_GRAPH_THREADS_MAX)
			set(prefix, e, &get_thread(prefix, (uint32_t)e->value)->fork);
		break;
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		other = e->value < prefix->threads.count ? prefix->threads.items + e->value : NULL;
		if (other && (e->op == NORN_THREAD_JOIN || !other->begin)) {
			forget(prefix, other);
			drop(prefix, &other->end);
		}
		break;
	case NORN_THREAD_BEGIN:
		set(prefix, e, &t->begin);
		break;
	case NORN_THREAD_END:
		forget(prefix, t);
		set(prefix, e, &t->end);
		break;
	case NORN_THREAD_CALL:
		set(prefix, e, &t->last);
		break;
	case NORN_THREAD_STACK:
		if (t->stack)
			drop(prefix, &t->stack);
		else
			set(prefix, e, &t->stack);
	}
}

/* ---- events ---- */

static void kind_event(struct norn_prefix *prefix, struct prefix_thread *t, const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_SYNC:
		sync_event(prefix, t, e);
		break;
	case NORN_EVENT_THREAD:
		thread_event(prefix, t, e);
		break;
	case NORN_EVENT_ENTER:
		push(prefix, e, &t->frames);
		break;
	case NORN_EVENT_LEAVE:
		t->left = pop(prefix, &t->frames);
		set(prefix, e, &t->last);
		break;
	case NORN_EVENT_MARK:
		if (e->op == NORN_MARK_ATOMIC_BEGIN)
			push(prefix, e, &t->marks);
		if (e->op == NORN_MARK_ATOMIC_END) {
			uint32_t begin = pop(prefix, &t->marks);
			drop(prefix, &begin);
		}
		break;
	case NORN_EVENT_ALLOC:
		alloc_event(prefix, e);
		break;
	case NORN_EVENT_FREE:
		free_event(prefix, e);
	}
}

bool norn_prefix_event(struct norn_prefix *prefix, const struct norn_event *e)
{
	struct prefix_thread *t = get_thread(prefix, e->thread);
	prefix->number++;
	if (t->last) {
		drop(prefix, &t->last);
		drop(prefix, &t->left);
	}
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL)
		return is_freed(prefix, e->addr, e->kind == NORN_EVENT_EXTERNAL ? 1 : e->size);
	if (e->kind != NORN_EVENT_WRITE)
		kind_event(prefix, t, e);
	return false;
}

/* ---- beginning anew ---- */

static int by_number(const void *a, const void *b)
{
	const struct norn_prefix_event *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

struct norn_prefix_event *norn_prefix_list(const struct norn_prefix *prefix, uint32_t *ret_count)
{
	struct norn_prefix_event *list = norn_must_alloc(prefix->alive, sizeof *list);
	uint32_t count = 0;
	for (uint32_t i = 1; i < prefix->kept.count; i++)
		if (prefix->kept.items[i].carried.number)
			list[count++] = prefix->kept.items[i].carried;
	qsort(list, count, sizeof *list, by_number);
	*ret_count = count;
	return list;
}

int norn_prefix_begin(const struct norn_prefix_event *list, uint32_t count, uint64_t before, struct norn_graph_builder *builder)
{
	uint64_t *numbers = norn_must_alloc(count, sizeof *numbers);
	int r = 0;
	for (uint32_t i = 0; i < count && r == 0; i++) {
		numbers[i] = list[i].number;
		r = norn_graph_add(builder, &list[i].event);
	}
	if (r == 0)
		norn_graph_carry(builder, before, numbers);
	free(numbers);
	return r;
}
