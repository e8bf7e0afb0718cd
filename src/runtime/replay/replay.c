#include "runtime/replay/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>

#include "runtime/hooks.h"
#include "runtime/interpose/interpose.h"
#include "runtime/sys.h"
#include "trace/site.h"

#define DEPTH 8192u /* of calls in which steps are found */
#define STAMP 3000000u /* cycles between time stamps of a thread that listens */

bool norn_replaying, norn_replay_began;

static struct norn_replay_area_parts area;

/* Numbers of sites to the area's, by open addressing. A slot is site << 32 | 1 + area site. Written while translation units are
 * loaded. */
static _Atomic uint64_t *numbers;
static uint32_t number_slots;

static __thread struct {
	uint32_t thread; /* 1 + number; 0: none */
	uint32_t *nodes; /* by depth: 1 + node; 0: nothing of it is listed */
	uint64_t stamped;
} own __attribute__((tls_model("initial-exec")));

/* ---- the beginning ---- */

void norn_replay_start(const char *directory)
{
	char path[NORN_PATH_BYTES + 16];
	strcpy(path, directory);
	strcat(path, "/" NORN_REPLAY_AREA_FILE);
	int fd = norn_sys_open_own(path, O_RDWR);
	if (fd < 0)
		return;
	struct norn_replay_area *head = norn_sys_map(fd, sizeof *head);
	uint64_t bytes = head && head->magic == NORN_REPLAY_AREA_MAGIC ? head->bytes : 0;
	if (head)
		norn_sys_unmap(head, sizeof *head);
	struct norn_replay_area *whole = bytes ? norn_sys_map(fd, bytes) : NULL;
	norn_sys_close(fd);
	if (!whole)
		return;
	norn_replay_area_lay_out(whole, &area);
	for (number_slots = 64; number_slots < 4 * whole->sites; number_slots *= 2)
		;
	numbers = norn_sys_memory(number_slots * sizeof *numbers);
	if (!numbers)
		return;
	atomic_store(&whole->pid, (uint32_t)norn_sys_pid());
	atomic_store(&whole->state, NORN_REPLAY_AREA_RUNNING);
	norn_replaying = norn_replay_began = true;
}

void norn_replay_fork_child(void)
{
	norn_replaying = norn_replay_began = false; /* the waiting threads are not in this process */
	own.thread = 0;
}

static uint32_t spot(uint32_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 40) & (number_slots - 1);
}

static void learn(uint32_t number, uint32_t site)
{
	for (uint32_t i = spot(number);; i = (i + 1) & (number_slots - 1)) {
		uint64_t none = 0, entry = (uint64_t)number << 32 | (site + 1);
		if (atomic_compare_exchange_strong(&numbers[i], &none, entry) || none >> 32 == number)
			return;
	}
}

/* 1 + the area's number of a site; 0: it is not listed. */
static uint32_t listed(uint32_t number)
{
	for (uint32_t i = spot(number);; i = (i + 1) & (number_slots - 1)) {
		uint64_t entry = atomic_load_explicit(&numbers[i], memory_order_relaxed);
		if (entry >> 32 == number || entry == 0)
			return (uint32_t)entry;
	}
}

void norn_replay_module(uint32_t base, const struct norn_site_table *table, size_t table_bytes)
{
	uint64_t hash = norn_replay_area_table_hash(table, table_bytes);
	for (uint32_t u = 0; u < area.head->units; u++) {
		struct norn_replay_area_unit *unit = &area.units[u];
		/* Loaded again: its old numbers go out of use, but stay. There is room for a few of those. */
		if (unit->hash != hash || atomic_load(&unit->loaded) > 1)
			continue;
		for (uint32_t i = unit->first; i < unit->first + unit->count; i++)
			learn(base + area.sites[i].index, i);
		atomic_fetch_add(&unit->loaded, 1);
	}
}

/* ---- threads ---- */

uint32_t norn_replay_child(void)
{
	for (uint32_t i = 0; own.thread && i < area.head->threads; i++)
		if (area.threads[i].parent == own.thread - 1 && area.threads[i].ordinal == norn_self->children)
			return i + 1;
	return 0;
}

static void take_thread(uint32_t thread)
{
	own.nodes = thread ? norn_sys_memory(DEPTH * sizeof *own.nodes) : NULL;
	own.thread = own.nodes ? thread : 0;
	if (!own.thread)
		return;
	own.nodes[0] = area.threads[thread - 1].node + 1;
	atomic_store(&area.threads[thread - 1].tid, (uint32_t)norn_thread_tid());
}

void norn_replay_main(void)
{
	for (uint32_t i = 0; i < area.head->threads; i++)
		if (area.threads[i].parent == NORN_REPLAY_AREA_NONE)
			take_thread(i + 1);
}

void norn_replay_begin(uint32_t thread)
{
	take_thread(thread);
	if (thread)
		norn_replay_step_done(norn_replay_step(NORN_OPERATION_BEGIN, 0, NULL, 0));
}

void norn_replay_end(void)
{
	if (!own.thread)
		return;
	atomic_store(&area.threads[own.thread - 1].ended, 1);
	own.thread = 0;
	norn_sys_unmap(own.nodes, DEPTH * sizeof *own.nodes);
	own.nodes = NULL;
}

/* ---- points ---- */

static uint32_t node_now(void)
{
	uint32_t depth = norn_self ? norn_self->depth : 0;
	return own.thread && depth < DEPTH ? own.nodes[depth] : 0;
}

static struct norn_replay_area_point *find_point(uint32_t node, uint32_t site, uint32_t operation, uint32_t other)
{
	uint32_t mask = area.head->slots - 1;
	for (uint32_t i = norn_replay_area_hash(node, site, operation, other) & mask; area.slots[i]; i = (i + 1) & mask) {
		struct norn_replay_area_point *point = &area.points[area.slots[i] - 1];
		if (point->node == node && point->site == site && point->operation == operation && point->other == other)
			return point;
	}
	return NULL;
}

/* Counts, and gives 1 + what is listed for this time. */
static uint32_t come_to(uint32_t node, uint32_t site, uint32_t operation, uint32_t other)
{
	struct norn_replay_area_point *point = find_point(node, site, operation, other);
	if (!point)
		return 0;
	struct norn_replay_area_thread *thread = &area.threads[own.thread - 1];
	atomic_store_explicit(&thread->seen, site, memory_order_relaxed);
	uint32_t time = ++point->come;
	if (point->taken == point->count)
		return 0;
	atomic_store_explicit(&thread->met, atomic_load_explicit(&thread->met, memory_order_relaxed) + 1, memory_order_relaxed);
	if (area.members[point->first + point->taken].time != time)
		return 0;
	area.nodes[node]--;
	return area.members[point->first + point->taken++].what + 1;
}

uint32_t norn_replay_count(enum norn_operation operation, uint32_t site)
{
	uint32_t node = node_now();
	if (!node || atomic_load_explicit(&area.head->over, memory_order_relaxed)) {
		if (atomic_load_explicit(&area.head->over, memory_order_relaxed))
			norn_replaying = false;
		return 0;
	}
	uint32_t place = site ? listed(site) : 0;
	return site && !place ? 0 : come_to(node - 1, place, operation, 0);
}

bool norn_replay_wants_accesses(const struct norn_slot *self)
{
	if (!own.thread || self->depth >= DEPTH || atomic_load_explicit(&area.head->over, memory_order_relaxed))
		return false;
	uint32_t node = own.nodes[self->depth];
	return node && area.nodes[node - 1] > 0;
}

bool norn_replay_stamp(uint64_t now)
{
	if (now - own.stamped < STAMP)
		return false;
	own.stamped = now;
	return true;
}

/* The hot path is open only where nothing is listed. */
static void attend(struct norn_slot *self)
{
	if (norn_replay_wants_accesses(self))
		atomic_store_explicit(&self->limit, NULL, memory_order_relaxed);
}

void norn_replay_enter(struct norn_slot *self, uint32_t call_site, uint32_t site)
{
	if (!own.thread || self->depth + 1 >= DEPTH)
		return;
	uint32_t node = own.nodes[self->depth], within = 0;
	if (node && area.nodes[node - 1] > 0) {
		uint32_t call = listed(call_site), entry = listed(site);
		if (entry)
			within = come_to(node - 1, call, NORN_OPERATION_ENTER, entry);
	}
	own.nodes[self->depth + 1] = within;
	if (within && area.nodes[within - 1] > 0)
		atomic_store_explicit(&self->limit, NULL, memory_order_relaxed); /* if nothing is listed, norn_room sets it */
}

void norn_replay_leave(struct norn_slot *self)
{
	attend(self);
}

/* ---- steps ---- */

static struct norn_replay_area_thread *own_thread(void)
{
	return &area.threads[own.thread - 1];
}

static void sleep_until_zero(_Atomic uint32_t *word)
{
	struct norn_replay_area_thread *thread = own_thread();
	uint32_t value;
	while ((value = atomic_load(word)) != 0 && !atomic_load(&area.head->over)) {
		atomic_store(&thread->parked, 1);
		norn_syscall(SYS_futex, (long)word, FUTEX_WAIT, value, 0, 0, 0);
	}
	atomic_store(&thread->parked, 0);
}

static void wake(_Atomic uint32_t *word)
{
	norn_syscall(SYS_futex, (long)word, FUTEX_WAKE, 0x7fffffff, 0, 0, 0);
}

/* gdb stops here. */
__attribute__((visibility("default"), noinline)) void norn_replay_stop(void);
void norn_replay_stop(void)
{
	__asm__ volatile("" ::: "memory");
}

static void open_stop(uint32_t place)
{
	_Atomic uint32_t *closed = &area.steps[area.head->stop[place]].closed;
	atomic_store(closed, 0);
	wake(closed);
}

/* All stops are reached, by the caller as the last one. */
static void all_there(void)
{
	struct norn_replay_area *s = area.head;
	atomic_store(&s->state, NORN_REPLAY_AREA_ALL_REACHED);
	bool before_error = s->end == NORN_REPLAY_END_USE;
	if (s->gdb && !before_error)
		norn_replay_stop();
	for (uint32_t i = 0; i < (s->end == NORN_REPLAY_END_DEADLOCK ? s->stops : 1); i++)
		open_stop(i);
}

static void wait_at_stop(struct norn_replay_area_step *step)
{
	struct norn_replay_area *s = area.head;
	if (atomic_load(&s->over))
		return;
	if (atomic_fetch_add(&s->arrived, 1) + 1 == s->stops)
		all_there();
	sleep_until_zero(&step->closed);
	if (s->end != NORN_REPLAY_END_USE || step->stop != s->stops || atomic_load(&s->over))
		return;
	atomic_store(&s->state, NORN_REPLAY_AREA_BEFORE_ERROR);
	if (s->gdb) {
		norn_replay_stop();
		norn_replay_area_release(&area, NORN_REPLAY_AREA_REPRODUCED);
		return;
	}
	atomic_store(&step->closed, 1); /* the command ends the program, or lets it go */
	sleep_until_zero(&step->closed);
}

static bool look(const struct norn_replay_area_step *step, uint64_t *ret_value)
{
	if (!step->addr || !step->bytes || step->bytes > 8 || !norn_sys_readable((const void *)step->addr, step->bytes))
		return false;
	*ret_value = 0;
	memcpy(ret_value, (const void *)step->addr, step->bytes);
	return true;
}

/* The caller's next record gets a time stamp: calls have no versions, so that their order in the trace is that of their stamps. */
static void ask_for_stamp(void)
{
	own.stamped = 0;
	if (norn_self)
		atomic_store_explicit(&norn_self->limit, NULL, memory_order_relaxed);
}

void norn_replay_wait(uint32_t number, const void *addr, size_t bytes)
{
	if (!number)
		return;
	struct norn_replay_area_step *step = &area.steps[number - 1];
	struct norn_replay_area_thread *thread = own_thread();
	int saved = errno;
	step->addr = (uintptr_t)addr;
	step->bytes = bytes;
	atomic_store(&thread->at, number);
	sleep_until_zero(&step->waits);
	if (step->stop && !step->sleeps)
		wait_at_stop(step);
	if (look(step, &step->before))
		step->seen |= 1;
	atomic_store(&thread->at, 0);
	ask_for_stamp();
	if (!atomic_load(&area.head->over)) {
		atomic_fetch_add(&thread->passed, 1);
		atomic_store(&step->passed, atomic_fetch_add(&area.head->ticks, 1) + 1);
	}
	errno = saved;
}

uint32_t norn_replay_step(enum norn_operation operation, uint32_t site, const void *addr, size_t bytes)
{
	uint32_t step = norn_replay_count(operation, site);
	norn_replay_wait(step, addr, bytes);
	return step;
}

bool norn_replay_may_pass(uint32_t step)
{
	return !step || atomic_load(&area.head->over) || (!atomic_load(&area.steps[step - 1].waits) && !area.steps[step - 1].stop);
}

bool norn_replay_is_stuck(uint32_t step)
{
	return step && area.steps[step - 1].stop && area.head->end == NORN_REPLAY_END_DEADLOCK && !atomic_load(&area.head->over);
}

bool norn_replay_blocks(uint32_t step)
{
	bool stop = norn_replay_is_stuck(step);
	if (stop)
		atomic_store(&own_thread()->blocking, step);
	if (stop && area.steps[step - 1].sleeps && atomic_fetch_add(&area.head->arrived, 1) + 1 == area.head->stops)
		all_there();
	return stop;
}

static void stop_passed(struct norn_replay_area_step *step)
{
	struct norn_replay_area *s = area.head;
	if (s->end == NORN_REPLAY_END_DEADLOCK) {
		atomic_store(&own_thread()->blocking, 0);
		atomic_store(&s->state, NORN_REPLAY_AREA_FREE_LOCK);
	} else if (step->stop < s->stops && s->end == NORN_REPLAY_END_USE && step->stop + 1 == s->stops) {
		atomic_store(&s->state, NORN_REPLAY_AREA_BEFORE_ERROR);
		atomic_store(&step->closed, 1); /* the caller goes no further either: it might end the program */
		open_stop(step->stop);
		sleep_until_zero(&step->closed);
	} else if (step->stop < s->stops) {
		open_stop(step->stop);
	} else {
		atomic_store(&s->state, NORN_REPLAY_AREA_DONE);
		norn_replay_area_release(&area, NORN_REPLAY_AREA_REPRODUCED);
	}
}

void norn_replay_step_done(uint32_t number)
{
	if (!number)
		return;
	struct norn_replay_area_step *step = &area.steps[number - 1];
	int saved = errno;
	if (!atomic_load(&area.head->over)) {
		if (look(step, &step->after))
			step->seen |= 2;
		atomic_store(&step->done, atomic_fetch_add(&area.head->ticks, 1) + 1);
		for (uint32_t i = 0; i < step->count; i++) {
			_Atomic uint32_t *waits = &area.steps[area.followers[step->first + i]].waits;
			if (atomic_fetch_sub(waits, 1) == 1)
				wake(waits);
		}
		if (step->stop && !step->sleeps)
			stop_passed(step);
	}
	errno = saved;
}

void norn_replay_woken(uint32_t step)
{
	if (step && area.steps[step - 1].stop && !atomic_load(&area.head->over))
		stop_passed(&area.steps[step - 1]);
}
