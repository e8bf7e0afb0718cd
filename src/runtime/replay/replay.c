#include "runtime/replay/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>

#include "runtime/hooks.h"
#include "runtime/interpose/interpose.h"
#include "runtime/sys.h"
#include "trace/site.h"

#define DEPTH 8192u /* of calls in which acts are found */
#define STAMP 3000000u /* cycles between time stamps of a thread that listens */

bool norn_replaying, norn_staged;

static struct norn_replay_area_parts stage;

/* Numbers of sites to the stage's, by open addressing. A slot is site << 32 | 1 + stage site. Written while translation units are
 * loaded. */
static _Atomic uint64_t *numbers;
static uint32_t number_slots;

static __thread struct {
	uint32_t role; /* 1 + number; 0: none */
	uint32_t *nodes; /* by depth: 1 + node; 0: nothing of it is listed */
	uint64_t stamped;
} own __attribute__((tls_model("initial-exec")));

/* ---- the beginning ---- */

void norn_replay_start(const char *directory)
{
	char path[NORN_PATH_BYTES + 16];
	strcpy(path, directory);
	strcat(path, "/" NORN_REPLAY_AREA_FILE);
	int fd = norn_sys_open(path, O_RDWR, 0);
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
	norn_replay_area_lay_out(whole, &stage);
	for (number_slots = 64; number_slots < 4 * whole->sites; number_slots *= 2)
		;
	numbers = norn_sys_memory(number_slots * sizeof *numbers);
	if (!numbers)
		return;
	atomic_store(&whole->pid, (uint32_t)norn_sys_pid());
	atomic_store(&whole->state, NORN_REPLAY_AREA_PLAYS);
	norn_replaying = norn_staged = true;
}

void norn_replay_fork_child(void)
{
	norn_replaying = norn_staged = false; /* the waiting threads are not in this process */
	own.role = 0;
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

/* 1 + the stage's number of a site; 0: it is not listed. */
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
	for (uint32_t u = 0; u < stage.stage->units; u++) {
		struct norn_replay_area_unit *unit = &stage.units[u];
		/* Loaded again: its old numbers go out of use, but stay. There is room for a few of those. */
		if (unit->hash != hash || atomic_load(&unit->loaded) > 1)
			continue;
		for (uint32_t i = unit->first; i < unit->first + unit->count; i++)
			learn(base + stage.sites[i].index, i);
		atomic_fetch_add(&unit->loaded, 1);
	}
}

/* ---- threads ---- */

uint32_t norn_replay_child(void)
{
	for (uint32_t i = 0; own.role && i < stage.stage->roles; i++)
		if (stage.roles[i].parent == own.role - 1 && stage.roles[i].ordinal == norn_self->children)
			return i + 1;
	return 0;
}

static void take_role(uint32_t role)
{
	own.nodes = role ? norn_sys_memory(DEPTH * sizeof *own.nodes) : NULL;
	own.role = own.nodes ? role : 0;
	if (!own.role)
		return;
	own.nodes[0] = stage.roles[role - 1].node + 1;
	atomic_store(&stage.roles[role - 1].tid, (uint32_t)norn_thread_tid());
}

void norn_replay_main(void)
{
	for (uint32_t i = 0; i < stage.stage->roles; i++)
		if (stage.roles[i].parent == NORN_REPLAY_AREA_NONE)
			take_role(i + 1);
}

void norn_replay_begin(uint32_t role)
{
	take_role(role);
	if (role)
		norn_replay_did(norn_replay_do(NORN_DEED_BEGIN, 0, NULL, 0));
}

void norn_replay_end(void)
{
	if (!own.role)
		return;
	atomic_store(&stage.roles[own.role - 1].ended, 1);
	own.role = 0;
	norn_sys_unmap(own.nodes, DEPTH * sizeof *own.nodes);
	own.nodes = NULL;
}

/* ---- cues ---- */

static uint32_t node_now(void)
{
	uint32_t depth = norn_self ? norn_self->depth : 0;
	return own.role && depth < DEPTH ? own.nodes[depth] : 0;
}

static struct norn_replay_area_cue *find_cue(uint32_t node, uint32_t site, uint32_t deed, uint32_t other)
{
	uint32_t mask = stage.stage->slots - 1;
	for (uint32_t i = norn_replay_area_hash(node, site, deed, other) & mask; stage.slots[i]; i = (i + 1) & mask) {
		struct norn_replay_area_cue *cue = &stage.cues[stage.slots[i] - 1];
		if (cue->node == node && cue->site == site && cue->deed == deed && cue->other == other)
			return cue;
	}
	return NULL;
}

/* Counts, and gives 1 + what is listed for this time. */
static uint32_t come_to(uint32_t node, uint32_t site, uint32_t deed, uint32_t other)
{
	struct norn_replay_area_cue *cue = find_cue(node, site, deed, other);
	if (!cue)
		return 0;
	struct norn_replay_area_role *role = &stage.roles[own.role - 1];
	atomic_store_explicit(&role->seen, site, memory_order_relaxed);
	uint32_t time = ++cue->come;
	if (cue->taken == cue->count)
		return 0;
	atomic_store_explicit(&role->met, atomic_load_explicit(&role->met, memory_order_relaxed) + 1, memory_order_relaxed);
	if (stage.members[cue->first + cue->taken].time != time)
		return 0;
	stage.nodes[node]--;
	return stage.members[cue->first + cue->taken++].what + 1;
}

uint32_t norn_replay_come(enum norn_deed deed, uint32_t site)
{
	uint32_t node = node_now();
	if (!node || atomic_load_explicit(&stage.stage->over, memory_order_relaxed)) {
		if (atomic_load_explicit(&stage.stage->over, memory_order_relaxed))
			norn_replaying = false;
		return 0;
	}
	uint32_t place = site ? listed(site) : 0;
	return site && !place ? 0 : come_to(node - 1, place, deed, 0);
}

bool norn_replay_listens(const struct norn_slot *self)
{
	if (!own.role || self->depth >= DEPTH || atomic_load_explicit(&stage.stage->over, memory_order_relaxed))
		return false;
	uint32_t node = own.nodes[self->depth];
	return node && stage.nodes[node - 1] > 0;
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
	if (norn_replay_listens(self))
		atomic_store_explicit(&self->limit, NULL, memory_order_relaxed);
}

void norn_replay_enter(struct norn_slot *self, uint32_t call_site, uint32_t site)
{
	if (!own.role || self->depth + 1 >= DEPTH)
		return;
	uint32_t node = own.nodes[self->depth], within = 0;
	if (node && stage.nodes[node - 1] > 0) {
		uint32_t call = listed(call_site), entry = listed(site);
		if (entry)
			within = come_to(node - 1, call, NORN_DEED_ENTER, entry);
	}
	own.nodes[self->depth + 1] = within;
	if (within && stage.nodes[within - 1] > 0)
		atomic_store_explicit(&self->limit, NULL, memory_order_relaxed); /* if nothing is listed, norn_room sets it */
}

void norn_replay_leave(struct norn_slot *self)
{
	attend(self);
}

/* ---- acts ---- */

static struct norn_replay_area_role *own_role(void)
{
	return &stage.roles[own.role - 1];
}

static void sleep_until_zero(_Atomic uint32_t *word)
{
	struct norn_replay_area_role *role = own_role();
	uint32_t value;
	while ((value = atomic_load(word)) != 0 && !atomic_load(&stage.stage->over)) {
		atomic_store(&role->parked, 1);
		norn_syscall(SYS_futex, (long)word, FUTEX_WAIT, value, 0, 0, 0);
	}
	atomic_store(&role->parked, 0);
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
	_Atomic uint32_t *closed = &stage.acts[stage.stage->stop[place]].closed;
	atomic_store(closed, 0);
	wake(closed);
}

/* All stops are reached, by the caller as the last one. */
static void all_there(void)
{
	struct norn_replay_area *s = stage.stage;
	atomic_store(&s->state, NORN_REPLAY_AREA_THERE);
	bool brink = s->end == NORN_SCENE_USE;
	if (s->gdb && !brink)
		norn_replay_stop();
	for (uint32_t i = 0; i < (s->end == NORN_SCENE_DEADLOCK ? s->stops : 1); i++)
		open_stop(i);
}

static void wait_at_stop(struct norn_replay_area_act *act)
{
	struct norn_replay_area *s = stage.stage;
	if (atomic_load(&s->over))
		return;
	if (atomic_fetch_add(&s->arrived, 1) + 1 == s->stops)
		all_there();
	sleep_until_zero(&act->closed);
	if (s->end != NORN_SCENE_USE || act->stop != s->stops || atomic_load(&s->over))
		return;
	atomic_store(&s->state, NORN_REPLAY_AREA_BRINK);
	if (s->gdb) {
		norn_replay_stop();
		norn_replay_area_let_go(&stage, NORN_REPLAY_AREA_CAME_TRUE);
		return;
	}
	atomic_store(&act->closed, 1); /* the command ends the program, or lets it go */
	sleep_until_zero(&act->closed);
}

static bool look(const struct norn_replay_area_act *act, uint64_t *ret_value)
{
	if (!act->addr || !act->bytes || act->bytes > 8 || !norn_sys_readable((const void *)act->addr, act->bytes))
		return false;
	*ret_value = 0;
	memcpy(ret_value, (const void *)act->addr, act->bytes);
	return true;
}

void norn_replay_wait(uint32_t number, const void *addr, size_t bytes)
{
	if (!number)
		return;
	struct norn_replay_area_act *act = &stage.acts[number - 1];
	struct norn_replay_area_role *role = own_role();
	int saved = errno;
	act->addr = (uintptr_t)addr;
	act->bytes = bytes;
	atomic_store(&role->at, number);
	sleep_until_zero(&act->waits);
	if (act->stop)
		wait_at_stop(act);
	if (look(act, &act->before))
		act->seen |= 1;
	atomic_store(&role->at, 0);
	if (!atomic_load(&stage.stage->over)) {
		atomic_fetch_add(&role->passed, 1);
		atomic_store(&act->passed, atomic_fetch_add(&stage.stage->steps, 1) + 1);
	}
	errno = saved;
}

uint32_t norn_replay_do(enum norn_deed deed, uint32_t site, const void *addr, size_t bytes)
{
	uint32_t act = norn_replay_come(deed, site);
	norn_replay_wait(act, addr, bytes);
	return act;
}

bool norn_replay_may(uint32_t act)
{
	return !act || atomic_load(&stage.stage->over) || (!atomic_load(&stage.acts[act - 1].waits) && !stage.acts[act - 1].stop);
}

bool norn_replay_blocks(uint32_t act)
{
	bool stop = act && stage.acts[act - 1].stop && stage.stage->end == NORN_SCENE_DEADLOCK && !atomic_load(&stage.stage->over);
	if (stop)
		atomic_store(&own_role()->blocking, act);
	return stop;
}

static void stop_passed(struct norn_replay_area_act *act)
{
	struct norn_replay_area *s = stage.stage;
	if (s->end == NORN_SCENE_DEADLOCK) {
		atomic_store(&own_role()->blocking, 0);
		atomic_store(&s->state, NORN_REPLAY_AREA_FREE_LOCK);
	} else if (act->stop < s->stops && s->end == NORN_SCENE_USE && act->stop + 1 == s->stops) {
		atomic_store(&s->state, NORN_REPLAY_AREA_BRINK);
		atomic_store(&act->closed, 1); /* the caller goes no further either: it might end the program */
		open_stop(act->stop);
		sleep_until_zero(&act->closed);
	} else if (act->stop < s->stops) {
		open_stop(act->stop);
	} else {
		atomic_store(&s->state, NORN_REPLAY_AREA_DONE);
		norn_replay_area_let_go(&stage, NORN_REPLAY_AREA_CAME_TRUE);
	}
}

void norn_replay_did(uint32_t number)
{
	if (!number)
		return;
	struct norn_replay_area_act *act = &stage.acts[number - 1];
	int saved = errno;
	if (!atomic_load(&stage.stage->over)) {
		if (look(act, &act->after))
			act->seen |= 2;
		atomic_store(&act->done, atomic_fetch_add(&stage.stage->steps, 1) + 1);
		for (uint32_t i = 0; i < act->count; i++) {
			_Atomic uint32_t *waits = &stage.acts[stage.followers[act->first + i]].waits;
			if (atomic_fetch_sub(waits, 1) == 1)
				wake(waits);
		}
		if (act->stop)
			stop_passed(act);
	}
	errno = saved;
}
