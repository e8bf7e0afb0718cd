/* Machines, ranges and the ring under ThreadSanitizer: many threads make events, look for ranges that others add, and say what they
 * found. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/checked.h"
#include "judge/live_monitors.h"
#include "engine/watch_message.h"

#define THREADS 6
#define ROUNDS 3000

static const char text[] =
        "event a(k) = call f(k); event b(k) = call g(k); event tick = note \"tick\"; event never = note \"never\";\n"
        "ghost depth = 0 { tick: depth + 1; }\n"
        "property turns { per k; ere: (a b)*; on fail: report, reset; }\n"
        "property calm { ltl: G !never; }\n"
        "property low { ptltl: level < 1000 && depth >= 0; }\n";

static struct norn_live_monitors *machines;
static struct norn_event_match event_match;
static struct norn_watch_ring *ring;
static _Atomic unsigned violations;

static bool no_memory(const void *context, uint64_t address, void *to, size_t bytes)
{
	(void)context;
	(void)address;
	memset(to, 0, bytes);
	return false;
}

static void take_verdicts(struct norn_online_thread *self)
{
	struct norn_watch_message m = {.magic = NORN_WATCH_MAGIC, .thread = self->number};
	for (uint32_t i = 0; i < self->verdicts->count; i++) {
		violations++;
		while (!norn_watch_ring_put(ring, &m))
			;
	}
	self->verdicts->count = 0;
}

static void tell(
        struct norn_online_thread *self, struct norn_judge_scratch *scratch, uint32_t event, uint64_t key, struct norn_look *look)
{
	struct norn_event e = {.kind = NORN_EVENT_ENTER, .known = true, .thread = self->number, .value = key};
	look->count = 1;
	look->bitfield = NULL;
	look->hits[0] =
	        (struct norn_online_hit){.event = event, .holds = NORN_TRUTH_YES, .place = NORN_SLOT_NONE, .slots = look->slots};
	look->slots[0] = norn_value_integer((__int128)key);
	if (event == NORN_SLOT_NONE) {
		e.kind = NORN_EVENT_MARK;
		look->hits[0].place = 0;
	}
	norn_live_monitors_event(machines, self, scratch, &e, look);
	take_verdicts(self);
}

static void *work(void *arg)
{
	uint32_t number = (uint32_t)(uintptr_t)arg;
	struct norn_verdict_queue *queue = calloc(1, sizeof *queue);
	struct norn_online_hit hits[1];
	struct norn_value slots[NORN_HIT_SLOTS] = {0};
	struct norn_look all = {.room = 1, .hits = hits, .slots = slots, .slots_each = NORN_HIT_SLOTS}, *look = &all;
	struct norn_online_thread self = {
	        .number = number, .path = "main", .name = "", .verdicts = queue, .event_match = &event_match};
	struct norn_judge_scratch *scratch = norn_live_monitors_begin(machines, &self);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t key = number * 100 + i % 7, ranges;
		tell(&self, scratch, 0, key, look);
		tell(&self, scratch, 2, 0, look);
		tell(&self, scratch, 1, key, look);
		tell(&self, scratch, NORN_SLOT_NONE, i % 900, look);
		norn_place_index_find(&event_match.place_index, 0x1000 + i % 64 * 8, 8, (uint32_t *)&ranges, 1);
		if (i % 500 == 499) {
			struct norn_event freed = {.kind = NORN_EVENT_FREE, .thread = number, .addr = key, .size = 4};
			norn_live_monitors_block(machines, &self, scratch, &freed);
		}
	}
	tell(&self, scratch, 1, number * 100, look); /* b without a: a violation each */
	norn_live_monitors_end(machines, &self, scratch);
	take_verdicts(&self);
	free(queue);
	return NULL;
}

static bool try(enum norn_watch_mode mode, const char *name, int test)
{
	struct checked c = check_text(text, NULL);
	struct norn_error err = {0};
	struct norn_monitor *monitors[8] = {0};
	struct norn_plan plan = {.mode = mode};
	struct norn_plan_props props = {.spec = *c.spec, .monitors = monitors};
	static struct norn_modules modules;
	pthread_t threads[THREADS];
	uint64_t tail = 0;
	unsigned heard = 0;
	struct norn_watch_message m;
	violations = 0;
	for (uint32_t i = 0; i < c.spec->property_count; i++)
		if (norn_monitor_new(c.spec, &c.spec->properties[i], NULL, &monitors[i], &err) != 0)
			return false;
	memset(ring, 0, sizeof *ring);
	norn_watch_ring_init(ring);
	if (norn_modules_init(&modules) != 0 || norn_event_match_init(&event_match, &plan, &props.spec, &modules) != 0 ||
	        norn_live_monitors_new(&props, mode, &event_match, no_memory, &machines) != 0)
		return false;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	while (heard < THREADS)
		heard += norn_watch_ring_get(ring, &tail, &m);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	struct norn_live_monitors_counts counts;
	norn_live_monitors_count(machines, &counts);
	bool good = violations == THREADS && counts.complete && counts.relevant == THREADS * (4 * ROUNDS + 1u);
	printf("%s %d - %s\n", good ? "ok" : "not ok", test, name);
	if (!good)
		printf("# %u violations, %llu positions\n", violations, (unsigned long long)counts.relevant);
	norn_live_monitors_free(machines);
	for (unsigned i = 0; i < 8; i++)
		norn_monitor_free(monitors[i]);
	check_done(&c);
	return good;
}

int main(void)
{
	ring = calloc(1, sizeof *ring);
	bool good = try(NORN_WATCH_GLOBAL, "one monitor for all", 1);
	good &= try(NORN_WATCH_THREAD, "a monitor for each thread", 2);
	free(ring);
	printf("1..2\n");
	return !good;
}
