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
	struct norn_prefix *carry = norn_must_calloc(1, sizeof *carry);
	carry->max_blocks = max_blocks;
	norn_map_init(&carry->blocks, sizeof(uint32_t));
	norn_map_init(&carry->freed, PAGE_WORDS / 8);
	norn_must_add(&carry->kept);
	return carry;
}

void norn_prefix_free(struct norn_prefix *carry)
{
	if (!carry)
		return;
	norn_map_done(&carry->blocks);
	norn_map_done(&carry->freed);
	norn_vector_done(&carry->kept);
	norn_vector_done(&carry->threads);
	free(carry);
}

uint32_t norn_prefix_kept(const struct norn_prefix *carry)
{
	return carry->alive;
}

/* ---- what is kept ---- */

static uint32_t keep(struct norn_prefix *carry, const struct norn_event *e, uint32_t next)
{
	uint32_t i = carry->spare;
	if (i) {
		carry->spare = carry->kept.items[i].next;
	} else {
		i = carry->kept.count;
		norn_must_add(&carry->kept);
	}
	struct kept *k = carry->kept.items + i;
	*k = (struct kept){.carried = {*e, carry->number}, .next = next};
	k->carried.event.data = NULL;
	k->carried.event.versions = NULL;
	k->carried.event.args = NULL;
	carry->alive++;
	return i;
}

static void drop(struct norn_prefix *carry, uint32_t *kept)
{
	if (*kept == 0)
		return;
	carry->kept.items[*kept].carried.number = 0;
	carry->kept.items[*kept].next = carry->spare;
	carry->spare = *kept;
	carry->alive--;
	*kept = 0;
}

static void set(struct norn_prefix *carry, const struct norn_event *e, uint32_t *kept)
{
	drop(carry, kept);
	*kept = keep(carry, e, 0);
}

static void push(struct norn_prefix *carry, const struct norn_event *e, uint32_t *list)
{
	*list = keep(carry, e, *list);
}

/* The newest of a list leaves it. */
static uint32_t pop(struct norn_prefix *carry, uint32_t *list)
{
	uint32_t i = *list;
	if (i)
		*list = carry->kept.items[i].next;
	return i;
}

static void drop_all(struct norn_prefix *carry, uint32_t *list)
{
	while (*list) {
		uint32_t i = pop(carry, list);
		drop(carry, &i);
	}
}

static struct prefix_thread *get_thread(struct norn_prefix *carry, uint32_t thread)
{
	while (carry->threads.count <= thread)
		norn_must_add(&carry->threads);
	return carry->threads.items + thread;
}

/* ---- locks, resources ---- */

/* The newest of a list that is about this object. */
static void drop_of(struct norn_prefix *carry, uint32_t *list, uint64_t addr)
{
	for (uint32_t *place = list; *place; place = &carry->kept.items[*place].next)
		if (carry->kept.items[*place].carried.event.addr == addr) {
			uint32_t i = pop(carry, place);
			drop(carry, &i);
			return;
		}
}

/* The mutex of a wait is taken, waited with, given up and taken again: all of that is carried until the wait ends. */
static void sync_event(struct norn_prefix *carry, struct prefix_thread *t, const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		push(carry, e, &t->locks);
		break;
	case NORN_SYNC_RELEASE:
		if (t->wait && t->mutex == e->addr && !t->asleep) {
			set(carry, e, &t->asleep);
			break;
		}
		/* fall through */
	case NORN_SYNC_RELEASE_SHARED:
		drop_of(carry, &t->locks, e->addr);
		break;
	case NORN_SYNC_WAIT_BEGIN:
		t->mutex = e->argument;
		drop(carry, &t->asleep);
		set(carry, e, &t->wait);
		break;
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		drop(carry, &t->wait);
		if (t->asleep) {
			/* Taken twice: the older one is over. */
			drop(carry, &t->asleep);
			uint32_t newest = pop(carry, &t->locks);
			bool again = newest && carry->kept.items[newest].carried.event.addr == t->mutex;
			if (again)
				drop_of(carry, &t->locks, t->mutex);
			if (newest) {
				carry->kept.items[newest].next = t->locks;
				t->locks = newest;
			}
		}
		break;
	case NORN_SYNC_SEND:
		if (e->argument == NORN_SEND_CHANGES)
			push(carry, e, &t->changes);
		break;
	case NORN_SYNC_RECEIVE:
		if (e->argument == NORN_RECEIVE_CHANGED)
			drop_of(carry, &t->changes, e->addr);
	}
}

/* ---- memory ---- */

static void set_freed(struct norn_prefix *carry, uint64_t addr, uint64_t size, bool freed)
{
	uint64_t end = addr + size;
	for (uint64_t next; addr < end; addr = next) {
		next = addr - addr % PAGE_BYTES + PAGE_BYTES;
		next = next > end ? end : next;
		void *page = norn_map_get(&carry->freed, addr / PAGE_BYTES + 1);
		if (!page && freed)
			page = norn_must_map_put(&carry->freed, addr / PAGE_BYTES + 1);
		uint8_t *bits = page;
		for (uint64_t a = addr & ~UINT64_C(7); bits && a < next; a += 8) {
			unsigned word = a % PAGE_BYTES / 8;
			bits[word / 8] = (uint8_t)((bits[word / 8] & ~(1u << word % 8)) | (unsigned)freed << word % 8);
		}
	}
}

static bool is_freed(const struct norn_prefix *carry, uint64_t addr, uint64_t size)
{
	for (uint64_t a = addr & ~UINT64_C(7); carry->freed.count && a < addr + size; a += 8) {
		const uint8_t *bits = norn_map_get(&carry->freed, a / PAGE_BYTES + 1);
		unsigned word = a % PAGE_BYTES / 8;
		if (bits && bits[word / 8] >> word % 8 & 1)
			return true;
	}
	return false;
}

static void alloc_event(struct norn_prefix *carry, const struct norn_event *e)
{
	set_freed(carry, e->addr, e->size, false);
	if (carry->blocks.count < carry->max_blocks || norn_map_get(&carry->blocks, e->addr))
		set(carry, e, norn_must_map_put(&carry->blocks, e->addr));
}

static void free_event(struct norn_prefix *carry, const struct norn_event *e)
{
	if (e->pieces & 2)
		return;
	uint32_t *block = norn_map_get(&carry->blocks, e->addr);
	if (block) {
		drop(carry, block);
		norn_map_remove(&carry->blocks, e->addr);
	}
	set_freed(carry, e->addr, e->size, true);
}

/* ---- threads ---- */

/* No later event refers to it; locks that it never gave up stay its own. */
static void forget(struct norn_prefix *carry, struct prefix_thread *t)
{
	drop(carry, &t->fork);
	drop(carry, &t->begin);
	drop(carry, &t->wait);
	drop(carry, &t->asleep);
	drop(carry, &t->last);
	drop(carry, &t->left);
	drop(carry, &t->stack);
	drop_all(carry, &t->frames);
	drop_all(carry, &t->marks);
	drop_all(carry, &t->changes);
}

static void thread_event(struct norn_prefix *carry, struct prefix_thread *t, const struct norn_event *e)
{
	struct prefix_thread *other;
	switch (e->op) {
	case NORN_THREAD_FORK:
		if (e->value < NORN_GRAPH_THREADS_MAX)
			set(carry, e, &get_thread(carry, (uint32_t)e->value)->fork);
		break;
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		other = e->value < carry->threads.count ? carry->threads.items + e->value : NULL;
		if (other && (e->op == NORN_THREAD_JOIN || !other->begin)) {
			forget(carry, other);
			drop(carry, &other->end);
		}
		break;
	case NORN_THREAD_BEGIN:
		set(carry, e, &t->begin);
		break;
	case NORN_THREAD_END:
		forget(carry, t);
		set(carry, e, &t->end);
		break;
	case NORN_THREAD_CALL:
		set(carry, e, &t->last);
		break;
	case NORN_THREAD_STACK:
		if (t->stack)
			drop(carry, &t->stack);
		else
			set(carry, e, &t->stack);
	}
}

/* ---- events ---- */

static void kind_event(struct norn_prefix *carry, struct prefix_thread *t, const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_SYNC:
		sync_event(carry, t, e);
		break;
	case NORN_EVENT_THREAD:
		thread_event(carry, t, e);
		break;
	case NORN_EVENT_ENTER:
		push(carry, e, &t->frames);
		break;
	case NORN_EVENT_LEAVE:
		t->left = pop(carry, &t->frames);
		set(carry, e, &t->last);
		break;
	case NORN_EVENT_MARK:
		if (e->op == NORN_MARK_ATOMIC_BEGIN)
			push(carry, e, &t->marks);
		if (e->op == NORN_MARK_ATOMIC_END) {
			uint32_t begin = pop(carry, &t->marks);
			drop(carry, &begin);
		}
		break;
	case NORN_EVENT_ALLOC:
		alloc_event(carry, e);
		break;
	case NORN_EVENT_FREE:
		free_event(carry, e);
	}
}

bool norn_prefix_event(struct norn_prefix *carry, const struct norn_event *e)
{
	struct prefix_thread *t = get_thread(carry, e->thread);
	carry->number++;
	if (t->last) {
		drop(carry, &t->last);
		drop(carry, &t->left);
	}
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL)
		return is_freed(carry, e->addr, e->kind == NORN_EVENT_EXTERNAL ? 1 : e->size);
	if (e->kind != NORN_EVENT_WRITE)
		kind_event(carry, t, e);
	return false;
}

/* ---- beginning anew ---- */

static int by_number(const void *a, const void *b)
{
	const struct norn_prefix_event *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

struct norn_prefix_event *norn_prefix_list(const struct norn_prefix *carry, uint32_t *ret_count)
{
	struct norn_prefix_event *list = norn_must_alloc(carry->alive, sizeof *list);
	uint32_t count = 0;
	for (uint32_t i = 1; i < carry->kept.count; i++)
		if (carry->kept.items[i].carried.number)
			list[count++] = carry->kept.items[i].carried;
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
