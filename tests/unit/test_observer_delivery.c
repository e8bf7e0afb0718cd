/* Delivery: whatever order messages arrive in, each event comes once, after its causes; and what lacks a cause does not come. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios.h"
#include "observer/causal_delivery.h"

enum { MESSAGES = 256, BYTES = 400 };

struct post {
	const struct norn_computation *computation;
	uint32_t delivered[THREADS_MAX], ends, total;
	bool deaf; /* no thread is ready */
};

static int take_event(void *context, const struct norn_wire_event *e, const uint32_t *clock, uint32_t width)
{
	struct post *p = context;
	uint32_t t = e->event.thread;
	assert_true(t < width && clock[t] == p->delivered[t] + 1);
	for (uint32_t j = 0; j < width; j++)
		assert_true(j == t || clock[j] <= p->delivered[j]);
	assert_int_equal(e->event.value, p->delivered[t]);
	p->delivered[t]++;
	p->total++;
	return 0;
}

static int take_wait(void *context, uint32_t thread, uint32_t joined)
{
	(void)context;
	(void)thread;
	(void)joined;
	return 0;
}

static int take_end(void *context, uint32_t thread)
{
	struct post *p = context;
	assert_int_equal(p->delivered[thread], p->computation->events[thread]);
	p->ends++;
	return 0;
}

static bool is_ready(void *context, uint32_t thread)
{
	(void)thread;
	return !((struct post *)context)->deaf;
}

struct message {
	uint32_t thread, k; /* k = events: its end */
	char frame[BYTES];
	struct norn_wire_text payload;
};

static void encode(const struct norn_computation *c, struct message *m)
{
	struct norn_wire_clock clock[THREADS_MAX];
	struct norn_wire_event e = {
	        .event = {.kind = NORN_EVENT_WRITE, .known = true, .thread = m->thread, .size = 4, .value = m->k}, .clock = clock};
	const uint32_t *row = norn_computation_clock(c, m->thread, m->k);
	unsigned type;
	for (uint32_t j = 0; j < c->threads; j++)
		if (row[j])
			clock[e.entries++] = (struct norn_wire_clock){j, row[j]};
	size_t length = norn_wire_put_event(m->frame, sizeof m->frame, &e);
	assert_true(length > 0);
	assert_int_equal(norn_wire_frame(m->frame, length, NORN_WIRE_SMALL, &type, &m->payload), length);
}

static uint32_t write_all(const struct norn_computation *c, struct message *messages, uint64_t *random)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < c->threads; t++)
		for (uint32_t k = 0; k <= c->events[t]; k++) {
			messages[count] = (struct message){.thread = t, .k = k};
			count++;
		}
	for (uint32_t i = count; i-- > 1;) {
		uint32_t j = random_below(random, i + 1);
		struct message m = messages[i];
		messages[i] = messages[j];
		messages[j] = m;
	}
	for (uint32_t i = 0; i < count; i++)
		if (messages[i].k < c->events[messages[i].thread])
			encode(c, &messages[i]);
	return count;
}

static void send(struct norn_delivery *d, const struct norn_computation *c, const struct message *m)
{
	struct norn_wire_end end = {.thread = m->thread, .count = m->k};
	int r = m->k < c->events[m->thread] ? norn_delivery_event(d, m->payload) : norn_delivery_end(d, &end);
	assert_int_equal(r, 0);
}

static void any_order_is_made_a_causal_one(void **state)
{
	(void)state;
	static struct message messages[MESSAGES];
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct scenario s;
		uint64_t random = seed;
		scenario_init(&s, seed, 2 + seed % 7, 10 + seed % 60, seed % 5);
		const struct norn_computation *c = s.computation;
		struct post post = {.computation = c, .deaf = seed % 3 == 0};
		struct norn_delivery_sink sink = {&post, take_event, take_wait, take_end, is_ready};
		struct norn_delivery *d;
		struct norn_delivery_counts counts;
		d = norn_delivery_new(&sink, 1 << 20);
		uint32_t count = write_all(c, messages, &random), twice = 0;
		/* Every fourth run lacks a message: what follows it must not come. */
		uint32_t missing = seed % 4 == 1 ? random_below(&random, count) : UINT32_MAX;
		for (uint32_t i = 0; i < count; i++) {
			if (i == missing)
				continue;
			if (post.deaf && random_below(&random, count) == 0) {
				post.deaf = false;
				for (uint32_t t = 0; t < c->threads; t++)
					assert_int_equal(norn_delivery_retry(d, t), 0);
			}
			send(d, c, &messages[i]);
			/* Some come twice, as long as their thread has not ended. */
			if (messages[i].k < c->events[messages[i].thread] && random_below(&random, 10) == 0) {
				send(d, c, &messages[i]);
				twice++;
			}
		}
		post.deaf = false;
		for (uint32_t t = 0; t < c->threads; t++)
			assert_int_equal(norn_delivery_retry(d, t), 0);
		norn_delivery_count(d, &counts);
		if (missing == UINT32_MAX) {
			assert_int_equal(post.total, c->total);
			assert_int_equal(post.ends, c->threads);
			assert_int_equal(counts.waiting, 0);
			assert_int_equal(counts.unfinished, 0);
			assert_int_equal(counts.twice, twice);
		} else {
			assert_true(post.ends < c->threads);
			assert_true(counts.unfinished > 0);
		}
		norn_delivery_free(d);
		scenario_done(&s);
	}
}

static void bounds_hold(void **state)
{
	(void)state;
	struct scenario s;
	static struct message messages[MESSAGES];
	uint64_t random = 5;
	scenario_init(&s, 5, 3, 60, 2);
	struct post post = {.computation = s.computation, .deaf = true};
	struct norn_delivery_sink sink = {&post, take_event, take_wait, take_end, is_ready};
	struct norn_delivery *d;
	d = norn_delivery_new(&sink, 500);
	uint32_t count = write_all(s.computation, messages, &random);
	int r = 0;
	for (uint32_t i = 0; i < count && r == 0; i++)
		if (messages[i].k < s.computation->events[messages[i].thread])
			r = norn_delivery_event(d, messages[i].payload);
	assert_int_equal(r, -ENOBUFS);
	assert_int_equal(norn_delivery_event(d, (struct norn_wire_text){"nonsense", 8}), -EBADMSG);
	struct norn_wire_end end = {.thread = 1u << 20};
	assert_int_equal(norn_delivery_end(d, &end), -EOVERFLOW);
	norn_delivery_free(d);
	scenario_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(any_order_is_made_a_causal_one),
	        cmocka_unit_test(bounds_hold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
