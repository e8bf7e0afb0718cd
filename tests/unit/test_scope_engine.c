/* Scopes as an engine inside the program: through a plan, fed by hand with hits; order that is followed through objects; nests;
 * both modes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "scope/scope_engine.h"
#include "judge/verdict_queue.h"

#define RW                                                                                                                         \
	"thread reader = spawn(r); thread writer = spawn(w); event acq = note \"L\"; event rd = note \"r\" by reader;"             \
	"event wr = note \"w\" by writer;"                                                                                         \
	"scope res sync acq { local did_read for reader: ltl F rd; local did_write for writer: ltl F wr;"                          \
	" atom r = some(did_read); atom w = some(did_write); check rw: ltl G (r xor w); on violation: report, reset; }"

struct program {
	struct checked checked;
	struct norn_pack pack;
	void *engine;
	struct norn_online_thread threads[8];
	struct norn_verdict_queue queues[8];
	char said[2000];
};

static void open_engine(struct program *p, const char *text)
{
	struct norn_error err = {0};
	memset(p, 0, sizeof *p);
	p->checked = check_text(text, NULL);
	assert_string_equal(p->checked.diagnostics, "");
	assert_int_equal(norn_scope_plan(p->checked.sources, p->checked.spec, &p->pack, &err), 0);
	struct norn_unpack in = {p->pack.bytes, p->pack.bytes + p->pack.length, false};
	if (norn_scope_engine.open(p->checked.spec, &in, &p->engine, &err) != 0)
		fail_msg("%s", err.message);
	assert_false(in.failed);
	assert_ptr_equal(in.at, in.end);
}

static void close_engine(struct program *p)
{
	for (uint32_t i = 0; i < 8; i++)
		if (p->threads[i].own[NORN_ENGINE_SCOPE])
			norn_scope_engine.end(p->engine, &p->threads[i]);
	norn_scope_engine.close(p->engine);
	norn_pack_done(&p->pack);
	check_done(&p->checked);
}

static void begin(struct program *p, uint32_t number, uint64_t types, const char *path)
{
	p->threads[number] = (struct norn_online_thread){
	        .number = number, .types = types, .path = path, .name = "", .verdicts = &p->queues[number]};
	norn_scope_engine.begin(p->engine, &p->threads[number]);
}

static void end(struct program *p, uint32_t number)
{
	norn_scope_engine.end(p->engine, &p->threads[number]);
}

/* A note by a thread; hits are those of its events, as matching would find them. */
static void happen(struct program *p, uint32_t number, const char *note, uint64_t lock)
{
	struct norn_online_hit hits[4];
	uint32_t count = 0;
	const struct norn_spec *spec = p->checked.spec;
	struct norn_event event = {.kind = lock ? NORN_EVENT_SYNC : NORN_EVENT_MARK,
	        .op = lock ? NORN_SYNC_ACQUIRE : NORN_MARK_EVENT,
	        .site = 10 + number,
	        .addr = lock};
	memset(hits, 0, sizeof hits);
	for (uint32_t i = 0; i < spec->event_count; i++) {
		const struct norn_checked_selector *s = spec->events[i].selectors;
		if (!spec->events[i].selector_count || strcmp(s->note, note) != 0 ||
		        (s->thread_type != NORN_SLOT_NONE && !(p->threads[number].types >> s->thread_type & 1)))
			continue;
		hits[count].event = i;
		hits[count++].holds = NORN_TRUTH_YES;
	}
	norn_scope_engine.event(p->engine, &p->threads[number], &event, hits, count);
}

static void order(struct program *p, uint32_t number, uint64_t key, unsigned op)
{
	norn_scope_engine.sync(p->engine, &p->threads[number], key, op);
}

/* What a thread has said since: "res.rw" for a verdict, "withdraw res" and the like. */
static const char *said(struct program *p, uint32_t number)
{
	static const char *const kinds[] = {"", "note ", "doubt ", "withdraw "};
	struct norn_verdict_queue *q = &p->queues[number];
	p->said[0] = 0;
	for (uint32_t i = 0; i < q->count; i++) {
		strcat(p->said, i ? ", " : "");
		strcat(p->said, kinds[q->list[i].kind]);
		strcat(p->said, q->list[i].property);
	}
	q->count = 0;
	return p->said;
}

static void play_readers_writers(struct program *p)
{
	begin(p, 1, 1, "main/1");
	begin(p, 2, 2, "main/2");
	for (int i = 0; i < 3; i++) {
		happen(p, 2, "L", 77);
		happen(p, 2, "w", 0);
		happen(p, 1, "L", 77);
		happen(p, 1, "r", 0);
	}
	assert_string_equal(said(p, 1), "");
	assert_string_equal(said(p, 2), "");
	for (int i = 0; i < 2; i++) { /* reset: it goes on */
		happen(p, 2, "L", 77);
		happen(p, 2, "w", 0);
		happen(p, 1, "r", 0);
		happen(p, 1, "L", 77);
		/* Nothing orders that reading after the action of the other thread, which is said once. */
		assert_string_equal(said(p, 1), i == 0 ? "doubt res, res.rw" : "res.rw");
		assert_string_equal(said(p, 2), "");
		happen(p, 1, "r", 0);
	}
	happen(p, 1, "w", 0); /* not by a writer */
	end(p, 2);
	norn_scope_engine.finish(p->engine, &p->threads[1]);
	assert_string_equal(said(p, 1), "");
	end(p, 1);
}

static void test_modes(void **state)
{
	for (int global = 0; global < 2; global++) {
		struct program p;
		norn_scope_plan_global = global;
		open_engine(&p, RW);
		norn_scope_plan_global = false;
		play_readers_writers(&p);
		close_engine(&p);
	}
}

/* Order through objects: a lock, a fork and a join, a semaphore; not through a lock that is shared. */
static void test_order(void **state)
{
	static const struct {
		unsigned first, second; /* operations of thread 1 after its action, and of thread 2 before its own */
		bool ordered;
	} ways[] = {{NORN_SYNC_RELEASE, NORN_SYNC_ACQUIRE, true}, {NORN_SYNC_SEM_POST, NORN_SYNC_SEM_WAIT, true},
	        {NORN_ONLINE_FORK, NORN_ONLINE_BEGIN, true}, {NORN_ONLINE_END, NORN_ONLINE_JOIN, true},
	        {NORN_SYNC_SIGNAL, NORN_SYNC_WAIT_END, true}, {NORN_SYNC_RELEASE_SHARED, NORN_SYNC_ACQUIRE, true},
	        {NORN_SYNC_RELEASE, NORN_SYNC_ACQUIRE_SHARED, true}, {NORN_SYNC_RELEASE_SHARED, NORN_SYNC_ACQUIRE_SHARED, false},
	        {NORN_SYNC_ACQUIRE_SHARED, NORN_SYNC_ACQUIRE_SHARED, false}};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct program p;
		open_engine(&p, RW);
		begin(&p, 1, 1, "main/1");
		begin(&p, 2, 2, "main/2");
		happen(&p, 1, "L", 0);
		order(&p, 1, NORN_KEY_THREAD + 5, ways[i].first);
		order(&p, 2, NORN_KEY_THREAD + 5, ways[i].second);
		happen(&p, 2, "L", 0);
		assert_string_equal(said(&p, 1), "");
		assert_string_equal(said(&p, 2), ways[i].ordered ? "" : "withdraw res");
		close_engine(&p);
	}
}

static void test_withdrawn(void **state)
{
	struct program p;
	open_engine(&p, RW);
	begin(&p, 1, 1, "main/1");
	begin(&p, 2, 2, "main/2");
	happen(&p, 1, "L", 0);
	happen(&p, 2, "L", 0);
	assert_non_null(
	        strstr(p.queues[2].list[0].details, "that of thread main/1 at {site:11} and that of thread main/2 at {site:12}"));
	assert_string_equal(said(&p, 2), "withdraw res");
	happen(&p, 1, "r", 0);
	happen(&p, 2, "w", 0);
	happen(&p, 1, "L", 0);
	assert_string_equal(said(&p, 1), "");
	close_engine(&p);
	/* Whom the user trusts. */
	open_engine(&p, "event acq = note \"L\"; thread t = main; event e = note \"e\"; scope s sync acq trusted { local l for t: "
	                "ltl F e; atom a = "
	                "some(l); check : ltl G !a; }");
	begin(&p, 1, 1, "main");
	begin(&p, 2, 0, "main/1");
	happen(&p, 1, "L", 0);
	happen(&p, 2, "L", 0);
	happen(&p, 1, "e", 0);
	happen(&p, 2, "L", 0);
	assert_string_equal(said(&p, 2), "s");
	close_engine(&p);
}

/* A channel for each thread that forks: 1 has 2 and 3, of whom 2 has 4. */
static void test_nested(void **state)
{
	struct program p;
	open_engine(&p, "thread t = spawn(f); event merge = note \"m\"; event good = note \"g\"; event bad = note \"b\"; scope s "
	                "sync merge nested {"
	                "local ok for t: ltl F good; local wrong for t: ltl F bad; atom fine = count(ok) == 2 && none(wrong); "
	                "check : ptltl fine; }");
	begin(&p, 1, 1, "main/1");
	for (uint32_t child = 2; child <= 3; child++) {
		order(&p, 1, NORN_KEY_THREAD + child, NORN_ONLINE_FORK);
		begin(&p, child, 1, "main/1/x");
	}
	order(&p, 2, NORN_KEY_THREAD + 4, NORN_ONLINE_FORK);
	begin(&p, 4, 1, "main/1/1/1");
	happen(&p, 4, "g", 0);
	end(&p, 4);
	happen(&p, 2, "m", 0); /* only one has come to a result there */
	assert_string_equal(said(&p, 2), "s");
	happen(&p, 2, "g", 0);
	happen(&p, 3, "g", 0);
	end(&p, 2);
	end(&p, 3);
	happen(&p, 1, "m", 0);
	assert_string_equal(said(&p, 1), "");
	happen(&p, 3 - 2, "g", 0); /* it was not forked */
	end(&p, 1);
	close_engine(&p);
}

/* A thread is there as soon as its parent has made it, with the types that are known by then; not if it could not be made. */
static void test_size(void **state)
{
	struct program p;
	open_engine(&p, "thread r = spawn(f); thread m = main; event acq = note \"L\"; event e = note \"e\"; scope s sync acq {"
	                "local l for m: ltl F e; atom two = size(r) == 2; check : ptltl two; on violation: report; }");
	begin(&p, 1, 2, "main");
	for (uint32_t child = 2; child <= 4; child++) {
		p.threads[1].child_types = child == 4 ? 0 : 1;
		order(&p, 1, NORN_KEY_THREAD + child, NORN_ONLINE_FORK);
	}
	happen(&p, 1, "L", 77);
	happen(&p, 1, "e", 0);
	happen(&p, 1, "L", 77);
	assert_string_equal(said(&p, 1), "");
	begin(&p, 4, 1, "main/3"); /* it turns out to be one, too */
	happen(&p, 1, "L", 77);
	happen(&p, 1, "e", 0);
	happen(&p, 1, "L", 77);
	assert_string_equal(said(&p, 1), "s");
	order(&p, 1, NORN_KEY_THREAD + 3, NORN_ONLINE_JOIN); /* it never began */
	begin(&p, 2, 1, "main/1");
	happen(&p, 1, "L", 77);
	happen(&p, 1, "e", 0);
	happen(&p, 1, "L", 77);
	assert_string_equal(said(&p, 1), "");
	close_engine(&p);
}

/* Whatever the bytes are, open does not read beyond them. */
static void test_damaged(void **state)
{
	struct program p;
	open_engine(&p, RW);
	for (size_t i = 0; i < p.pack.length; i++) {
		struct norn_error err = {0};
		uint8_t *bytes = malloc(i + 1);
		void *engine;
		memcpy(bytes, p.pack.bytes, i);
		struct norn_unpack in = {bytes, bytes + i, false};
		assert_true(norn_scope_engine.open(p.checked.spec, &in, &engine, &err) != 0);
		free(bytes);
	}
	close_engine(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_modes),
	        cmocka_unit_test(test_order),
	        cmocka_unit_test(test_withdrawn),
	        cmocka_unit_test(test_nested),
	        cmocka_unit_test(test_size),
	        cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
