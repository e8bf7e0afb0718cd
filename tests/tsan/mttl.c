/* Knowledge vectors under ThreadSanitizer: threads that come and go, words that change hands, vectors that are made and freed all
 * the time. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/checked.h"
#include "mttl/knowledge_fast_path.h"

#define THREADS 6u
#define WORDS 24u
#define ROUNDS 12000u
#define GENERATIONS 3u

static const char text[] = "event enter = note \"in\"; event leave = note \"out\"; ghost atomic = 0 { enter: fresh; leave: 0; }"
                           "property p { mttl for i: atomic > 0 -> !(exists j != i. (atomic == @j @i atomic)); }";

static struct norn_local_monitors local_monitors;
static struct norn_knowledge_cell words[WORDS];
static uint64_t values[WORDS]; /* each under the lock of its word */
static struct norn_knowledge *first; /* what every thread begins with */
static _Atomic uint32_t numbers = 1, familiar_steps, quick_steps, origins, mistakes, thefts;

static void lock(struct norn_knowledge_cell *word)
{
	uint64_t bits = atomic_load_explicit(&word->bits, memory_order_relaxed) & ~NORN_WORD_LOCK;
	while (!atomic_compare_exchange_strong_explicit(
	        &word->bits, &bits, bits | NORN_WORD_LOCK, memory_order_acquire, memory_order_relaxed)) {
		bits &= ~NORN_WORD_LOCK;
		sched_yield();
	}
}

static void unlock(struct norn_knowledge_cell *word, uint64_t bits)
{
	atomic_store_explicit(&word->bits, bits & ~NORN_WORD_LOCK, memory_order_release);
}

/* The lock is held; long enough now and then for others to come. */
static void hold(const struct norn_knowledge_cell *word)
{
	uint64_t bits = atomic_load_explicit(&word->bits, memory_order_relaxed);
	if (++values[word - words] % 16 == 0)
		sched_yield();
	thefts += atomic_load_explicit(&word->bits, memory_order_relaxed) != bits;
}

/* As the runtime's hooks (runtime/watch/watch_step.h): a read by one exchange, a write by taking the lock. */
static bool cell_step(
        struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint64_t bits, uint32_t mask, bool writes, bool quick)
{
	uint64_t after, expected = bits;
	if (!(quick ? norn_cell_step_quickly(m->knowledge_cache, bits, mask, writes, &after)
	            : norn_cell_step(m->knowledge_cache, bits, mask, writes, &after)) ||
	        !atomic_compare_exchange_strong_explicit(
	                &word->bits, &expected, writes ? bits | NORN_WORD_LOCK : after, memory_order_acq_rel, memory_order_relaxed))
		return false;
	if (writes) {
		hold(word);
		unlock(word, after);
	}
	norn_cell_step_count(m, bits, after, writes);
	quick_steps++;
	return true;
}

static void access_word(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask, bool writes)
{
	const struct norn_monitor_input nothing = {0};
	uint64_t bits = atomic_load_explicit(&word->bits, memory_order_acquire);
	if (norn_knowledge_cache_accepts(m->knowledge_cache, bits, mask, writes)) {
		familiar_steps++;
		norn_knowledge_cache_remember(m->knowledge_cache, bits, (uint32_t)__builtin_ctz(mask),
		        (uint32_t)__builtin_popcount(mask), writes, (uint32_t)bits);
		return;
	}
	if (cell_step(m, word, bits, mask, writes, true) || cell_step(m, word, bits, mask, writes, false))
		return;
	lock(word);
	hold(word);
	if (!norn_word_pass(m, word, mask, writes)) {
		struct norn_knowledge *before = m->now;
		norn_word_learn(m, word, mask, writes, (struct norn_knowledge_origin){0});
		norn_local_monitor_think(m, &nothing);
		norn_word_teach(m, word, mask, writes);
		origins += m->now != before;
	}
	struct norn_knowledge *write, *access;
	norn_word_peek(&local_monitors, word, (uint32_t)__builtin_ctz(mask), &write, &access);
	mistakes += !norn_knowledge_covers(&local_monitors.program, access, m->now) || (writes && write != m->now);
	norn_knowledge_drop(write);
	norn_knowledge_drop(access);
	unlock(word, atomic_load_explicit(&word->bits, memory_order_relaxed));
}

static void note(struct norn_local_monitor *m, uint32_t event)
{
	const struct norn_occurrence o = {.event = event, .holds = NORN_TRUTH_YES};
	norn_local_monitor_think(m, &(struct norn_monitor_input){.occurrences = &o, .occurrence_count = 1, .call = true});
}

static void *work(void *seed)
{
	unsigned random = (unsigned)(uintptr_t)seed * 7919 + 1;
	struct norn_local_monitor *m = norn_local_monitor_new(&local_monitors, numbers++, "t", 0, first);
	for (unsigned i = 0; m && i < ROUNDS; i++) {
		random = random * 1664525 + 1013904223;
		bool halves = i % 4 < 2; /* of a few words, so that threads meet there */
		unsigned size = halves ? 4 : 1u << (random >> 9) % 4, at = (random >> 12) % 8 / size * size;
		access_word(m, &words[(random >> 16) % (halves ? 2 : WORDS)], ((1u << size) - 1) << at, (random >> 24) % 4 == 0);
		if ((random >> 26) % 16 == 0)
			note(m, i % 2);
		if ((random >> 20) % 256 == 0) { /* freed, and used again */
			struct norn_knowledge_cell *word = &words[(random >> 8) % WORDS];
			lock(word);
			norn_word_clear(word);
			unlock(word, atomic_load_explicit(&word->bits, memory_order_relaxed));
		}
	}
	if (m)
		norn_local_monitor_end(m);
	norn_local_monitor_free(m);
	return NULL;
}

static void expect(bool fine, unsigned number, const char *what)
{
	printf("%sok %u - %s\n", fine ? "" : "not ", number, what);
}

int main(void)
{
	struct checked checked = check_text(text, NULL);
	struct norn_mttl program;
	struct norn_error err = {0};
	pthread_t threads[THREADS];
	if (norn_mttl_compile(checked.sources, checked.spec, &program, &err) != 0 ||
	        norn_local_monitors_init(&local_monitors, checked.spec, &program) != 0)
		return 1;
	norn_local_monitors_ready(&local_monitors);
	struct norn_local_monitor *parent = norn_local_monitor_new(&local_monitors, 0, "main", 0, NULL);
	first = norn_knowledge_keep(parent->now);
	for (unsigned g = 0; g < GENERATIONS; g++) {
		for (unsigned i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(g * THREADS + i));
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	expect(mistakes == 0, 1, "a thread that accesses a word leaves its knowledge there");
	expect(familiar_steps > 100 && quick_steps > 100 && origins > 100, 2, "by all ways");
	expect(local_monitors.dropped == 0, 3, "nothing is lost");
	expect(thefts == 0, 4, "no thread touches a word that another one has locked");
	for (unsigned i = 0; i < WORDS; i++)
		norn_word_clear(&words[i]);
	norn_knowledge_drop(first);
	norn_local_monitor_free(parent);
	norn_local_monitors_done(&local_monitors);
	norn_knowledge_relax();
	check_done(&checked);
	puts("1..4");
	return 0;
}
