#include "causality/prefix_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "trace/record.h"

#define PAGE_BYTES UINT64_C(4096)
#define PAGE_WORDS (PAGE_BYTES / 8)

/* An event that is carried; [0] is none. next: of a list, or of those that are spare. */
struct kept {
	struct norn_prefix_event carried; /* number 0: spare */
	uint32_t next;
};

/* Numbers are of events that are carried, 0: none. Lists begin with the newest. */
struct thread {
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
	struct kept *kept;
	uint32_t count, room, spare, alive;
	struct thread *threads;
	uint32_t thread_count, thread_room;
	struct norn_map blocks; /* address → the alloc */
	uint32_t max_blocks;
	struct norn_map freed; /* page + 1 → a bit for each word */
	uint64_t number;
};

int norn_prefix_new(uint32_t max_blocks, struct norn_prefix **ret_carry)
{
	struct norn_prefix *carry = calloc(1, sizeof *carry);
	if (!carry)
		return -ENOMEM;
	carry->max_blocks = max_blocks;
	norn_map_init(&carry->blocks, sizeof(uint32_t));
	norn_map_init(&carry->freed, PAGE_WORDS / 8);
	*ret_carry = carry;
	return 0;
}

void norn_prefix_free(struct norn_prefix *carry)
{
	if (!carry)
		return;
	norn_map_done(&carry->blocks);
	norn_map_done(&carry->freed);
	free(carry->kept);
	free(carry->threads);
	free(carry);
}

uint64_t norn_prefix_count(const struct norn_prefix *carry)
{
	return carry->number;
}

uint32_t norn_prefix_kept(const struct norn_prefix *carry)
{
	return carry->alive;
}

/* ---- what is kept ---- */

static int keep(struct norn_prefix *carry, const struct norn_event *e, uint32_t next, uint32_t *ret_kept)
{
	uint32_t i = carry->spare;
	if (i) {
		carry->spare = carry->kept[i].next;
	} else {
		if (carry->count + 1 >= carry->room) {
			uint32_t room = carry->room ? carry->room * 2 : 256;
			struct kept *bigger = realloc(carry->kept, room * sizeof *bigger);
			if (!bigger)
				return -ENOMEM;
			carry->kept = bigger;
			carry->room = room;
		}
		i = ++carry->count;
	}
	struct kept *k = carry->kept + i;
	*k = (struct kept){.carried = {*e, carry->number}, .next = next};
	k->carried.event.data = NULL;
	k->carried.event.versions = NULL;
	k->carried.event.args = NULL;
	carry->alive++;
	*ret_kept = i;
	return 0;
}

static void drop(struct norn_prefix *carry, uint32_t *kept)
{
	if (*kept == 0)
		return;
	carry->kept[*kept].carried.number = 0;
	carry->kept[*kept].next = carry->spare;
	carry->spare = *kept;
	carry->alive--;
	*kept = 0;
}

static int set(struct norn_prefix *carry, const struct norn_event *e, uint32_t *kept)
{
	drop(carry, kept);
	return keep(carry, e, 0, kept);
}

static int push(struct norn_prefix *carry, const struct norn_event *e, uint32_t *list)
{
	return keep(carry, e, *list, list);
}

/* The newest of a list leaves it. */
static uint32_t pop(struct norn_prefix *carry, uint32_t *list)
{
	uint32_t i = *list;
	if (i)
		*list = carry->kept[i].next;
	return i;
}

static void drop_all(struct norn_prefix *carry, uint32_t *list)
{
	while (*list) {
		uint32_t i = pop(carry, list);
		drop(carry, &i);
	}
}

static struct thread *get_thread(struct norn_prefix *carry, uint32_t thread)
{
	if (thread >= carry->thread_room) {
		uint32_t room = thread + thread / 2 + 16;
		struct thread *bigger = realloc(carry->threads, room * sizeof *bigger);
		if (!bigger)
			return NULL;
		memset(bigger + carry->thread_room, 0, (room - carry->thread_room) * sizeof *bigger);
		carry->threads = bigger;
		carry->thread_room = room;
	}
	if (thread >= carry->thread_count)
		carry->thread_count = thread + 1;
	return carry->threads + thread;
}

/* ---- locks, resources ---- */

/* The newest of a list that is about this object. */
static void drop_of(struct norn_prefix *carry, uint32_t *list, uint64_t addr)
{
	for (uint32_t *place = list; *place; place = &carry->kept[*place].next)
		if (carry->kept[*place].carried.event.addr == addr) {
			uint32_t i = pop(carry, place);
			drop(carry, &i);
			return;
		}
}

/* The mutex of a wait is taken, waited with, given up and taken again: all of that is carried until the wait ends. */
static int sync_event(struct norn_prefix *carry, struct thread *t, const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		return push(carry, e, &t->locks);
	case NORN_SYNC_RELEASE:
		if (t->wait && t->mutex == e->addr && !t->asleep)
			return set(carry, e, &t->asleep);
		/* fall through */
	case NORN_SYNC_RELEASE_SHARED:
		drop_of(carry, &t->locks, e->addr);
		return 0;
	case NORN_SYNC_WAIT_BEGIN:
		t->mutex = e->argument;
		drop(carry, &t->asleep);
		return set(carry, e, &t->wait);
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		drop(carry, &t->wait);
		if (t->asleep) {
			/* Taken twice: the older one is over. */
			drop(carry, &t->asleep);
			uint32_t newest = pop(carry, &t->locks);
			bool again = newest && carry->kept[newest].carried.event.addr == t->mutex;
			if (again)
				drop_of(carry, &t->locks, t->mutex);
			if (newest) {
				carry->kept[newest].next = t->locks;
				t->locks = newest;
			}
		}
		return 0;
	case NORN_SYNC_SEND:
		return e->argument == NORN_SEND_CHANGES ? push(carry, e, &t->changes) : 0;
	case NORN_SYNC_RECEIVE:
		if (e->argument == NORN_RECEIVE_CHANGED)
			drop_of(carry, &t->changes, e->addr);
	}
	return 0;
}

/* ---- memory ---- */

static int set_freed(struct norn_prefix *carry, uint64_t addr, uint64_t size, bool freed)
{
	uint64_t end = addr + size;
	for (uint64_t next; addr < end; addr = next) {
		next = addr - addr % PAGE_BYTES + PAGE_BYTES;
		next = next > end ? end : next;
		void *page = norn_map_get(&carry->freed, addr / PAGE_BYTES + 1);
		if (!page && freed && norn_map_put(&carry->freed, addr / PAGE_BYTES + 1, &page) < 0)
			return -ENOMEM;
		uint8_t *bits = page;
		for (uint64_t a = addr & ~UINT64_C(7); bits && a < next; a += 8) {
			unsigned word = a % PAGE_BYTES / 8;
			bits[word / 8] = (uint8_t)((bits[word / 8] & ~(1u << word % 8)) | (unsigned)freed << word % 8);
		}
	}
	return 0;
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

static int alloc_event(struct norn_prefix *carry, const struct norn_event *e)
{
	void *place;
	int r = set_freed(carry, e->addr, e->size, false);
	if (r < 0 || (carry->blocks.count >= carry->max_blocks && !norn_map_get(&carry->blocks, e->addr)))
		return r;
	r = norn_map_put(&carry->blocks, e->addr, &place);
	return r < 0 ? r : set(carry, e, place);
}

static int free_event(struct norn_prefix *carry, const struct norn_event *e)
{
	if (e->pieces & 2)
		return 0;
	uint32_t *block = norn_map_get(&carry->blocks, e->addr);
	if (block) {
		drop(carry, block);
		norn_map_remove(&carry->blocks, e->addr);
	}
	return set_freed(carry, e->addr, e->size, true);
}

/* ---- threads ---- */

/* No later event refers to it; locks that it never gave up stay its own. */
static void forget(struct norn_prefix *carry, struct thread *t)
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

static int thread_event(struct norn_prefix *carry, struct thread *t, const struct norn_event *e)
{
	struct thread *other;
	switch (e->op) {
	case NORN_THREAD_FORK:
		other = e->value < NORN_GRAPH_THREADS_MAX ? get_thread(carry, (uint32_t)e->value) : NULL;
		return other ? set(carry, e, &other->fork) : 0;
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		other = e->value < carry->thread_count ? carry->threads + e->value : NULL;
		if (other && (e->op == NORN_THREAD_JOIN || !other->begin)) {
			forget(carry, other);
			drop(carry, &other->end);
		}
		return 0;
	case NORN_THREAD_BEGIN:
		return set(carry, e, &t->begin);
	case NORN_THREAD_END:
		forget(carry, t);
		return set(carry, e, &t->end);
	case NORN_THREAD_CALL:
		return set(carry, e, &t->last);
	case NORN_THREAD_STACK:
		if (!t->stack)
			return set(carry, e, &t->stack);
		drop(carry, &t->stack);
	}
	return 0;
}

/* ---- events ---- */

static int kind_event(struct norn_prefix *carry, struct thread *t, const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_SYNC:
		return sync_event(carry, t, e);
	case NORN_EVENT_THREAD:
		return thread_event(carry, t, e);
	case NORN_EVENT_ENTER:
		return push(carry, e, &t->frames);
	case NORN_EVENT_LEAVE:
		t->left = pop(carry, &t->frames);
		return set(carry, e, &t->last);
	case NORN_EVENT_MARK:
		if (e->op == NORN_MARK_ATOMIC_BEGIN)
			return push(carry, e, &t->marks);
		if (e->op == NORN_MARK_ATOMIC_END) {
			uint32_t begin = pop(carry, &t->marks);
			drop(carry, &begin);
		}
		return 0;
	case NORN_EVENT_ALLOC:
		return alloc_event(carry, e);
	case NORN_EVENT_FREE:
		return free_event(carry, e);
	}
	return 0;
}

int norn_prefix_event(struct norn_prefix *carry, const struct norn_event *e, bool *ret_odd)
{
	struct thread *t = e->thread < carry->thread_count ? carry->threads + e->thread : get_thread(carry, e->thread);
	if (!t)
		return -ENOMEM;
	carry->number++;
	*ret_odd = false;
	if (t->last) {
		drop(carry, &t->last);
		drop(carry, &t->left);
	}
	if (e->kind == NORN_EVENT_WRITE)
		return 0;
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL) {
		*ret_odd = is_freed(carry, e->addr, e->kind == NORN_EVENT_EXTERNAL ? 1 : e->size);
		return 0;
	}
	return kind_event(carry, t, e);
}

/* ---- beginning anew ---- */

static int by_number(const void *a, const void *b)
{
	const struct norn_prefix_event *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

int norn_prefix_list(const struct norn_prefix *carry, struct norn_prefix_event **ret_list, uint32_t *ret_count)
{
	struct norn_prefix_event *list = malloc((carry->alive + UINT64_C(1)) * sizeof *list);
	uint32_t count = 0;
	if (!list)
		return -ENOMEM;
	for (uint32_t i = 1; i <= carry->count; i++)
		if (carry->kept[i].carried.number)
			list[count++] = carry->kept[i].carried;
	qsort(list, count, sizeof *list, by_number);
	*ret_list = list;
	*ret_count = count;
	return 0;
}

int norn_prefix_begin(const struct norn_prefix_event *list, uint32_t count, uint64_t before, struct norn_graph_builder *builder)
{
	uint64_t *numbers = malloc((count + UINT64_C(1)) * sizeof *numbers);
	int r = numbers ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < count && r == 0; i++) {
		numbers[i] = list[i].number;
		r = norn_graph_add(builder, &list[i].event);
	}
	if (r == 0)
		r = norn_graph_carry(builder, before, numbers);
	free(numbers);
	return r;
}
