/* Scope channels under ThreadSanitizer: readers and writers with locks of their own, threads that come and go, and actions that
 * nothing orders. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/checked.h"
#include "scope/scope_channel.h"

#define READERS 4
#define ROUNDS 3000

static const char text[] =
        "thread reader = spawn(r); thread writer = spawn(w); event acq = note \"L\"; event rd = note \"r\"; event wr = note \"w\";"
        "scope res sync acq { local did_read for reader: ltl F rd; local did_write for writer keep: ere (wr | sync)*;"
        " atom activereader = some(did_read); atom activewriter = some(did_write); atom all = count(did_read) == size(reader);"
        " check rw: ltl G (activewriter xor activereader); check all: ltl G (activereader -> all); }";

static struct norn_scope_channel *channel;
static pthread_rwlock_t resource = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t turn;
static unsigned failures;

static struct norn_region act(uint32_t thread, uint64_t lock)
{
	struct norn_scope_action action = {.thread = thread, .lock = lock};
	struct norn_region region;
	norn_scope_channel_sync(channel, &action, &region);
	return region;
}

static void judge(struct norn_region region)
{
	if (region.violated || region.doubt)
		__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

/* All readers read in each round, between two writes. */
static void *reader(void *arg)
{
	struct norn_seat *seat = norn_scope_channel_join(channel, (uint32_t)(uintptr_t)arg, 1);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&turn);
		for (int k = 0; k < 5; k++)
			norn_seat_event(channel, seat, 0, 1);
		pthread_barrier_wait(&turn);
	}
	norn_scope_channel_leave(channel, seat);
	return NULL;
}

static void *writer(void *arg)
{
	struct norn_seat *seat = norn_scope_channel_join(channel, 100, 2);
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_wrlock(&resource);
		judge(act(100, 1));
		norn_seat_event(channel, seat, 1, 1);
		judge(act(100, 1));
		pthread_rwlock_unlock(&resource);
		pthread_barrier_wait(&turn); /* the readers' turn */
		pthread_barrier_wait(&turn);
	}
	norn_scope_channel_leave(channel, seat);
	return NULL;
}

/* Threads that come, do something or not, and go, while others act. */
static void *passer(void *arg)
{
	for (int i = 0; i < 300; i++) {
		struct norn_seat *seat = norn_scope_channel_join(channel, 200 + (uint32_t)(uintptr_t)arg, 1);
		if (i % 2)
			norn_seat_event(channel, seat, 0, 1);
		norn_seat_retype(channel, seat, 3);
		norn_scope_channel_leave(channel, seat);
	}
	return NULL;
}

static void *actor(void *arg)
{
	for (int i = 0; i < 20000 && !norn_scope_channel_is_withdrawn(channel); i++)
		act((uint32_t)(uintptr_t)arg, 0);
	return NULL;
}

static void run(unsigned count, void *(*const *starts)(void *))
{
	pthread_t threads[16];
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, starts[i], (void *)(uintptr_t)i);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void expect(bool fine, unsigned number, const char *what)
{
	printf("%sok %u - %s\n", fine ? "" : "not ", number, what);
}

int main(void)
{
	struct checked checked = check_text(text, NULL);
	struct norn_scope_machines *scoping;
	struct norn_error err = {0};
	if (norn_scope_machines_new(checked.spec, &checked.spec->scopes[0], &scoping, &err) != 0 ||
	        norn_scope_channel_new(scoping, &channel) != 0)
		return 1;
	pthread_barrier_init(&turn, NULL, READERS + 1);
	run(READERS + 1, (void *(*[])(void *)){reader, reader, reader, reader, writer});
	expect(failures == 0, 1, "readers and writers hold, without a doubt");
	norn_scope_channel_free(channel);

	norn_scope_channel_new(scoping, &channel);
	channel->trusted = true;
	run(6, (void *(*[])(void *)){passer, passer, passer, actor, passer, passer});
	expect(!norn_scope_channel_is_withdrawn(channel), 2, "threads may come and go while one acts");
	norn_scope_channel_free(channel);

	norn_scope_channel_new(scoping, &channel);
	run(4, (void *(*[])(void *)){actor, actor, passer, passer});
	expect(norn_scope_channel_is_withdrawn(channel), 3, "actions that nothing orders are noticed");
	norn_scope_channel_free(channel);
	norn_scope_machines_free(scoping);
	check_done(&checked);
	puts("1..3");
	return 0;
}
