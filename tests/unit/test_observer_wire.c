#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/record.h"
#include "observer/wire.h"

enum { ROUNDS = 400, ROOM = 64 * 1024 };

static uint64_t seed = 1;

static uint64_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Of any length, short ones as often as long ones. */
static uint64_t number(void)
{
	return draw() >> draw() % 64;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(draw() % n);
}

static struct norn_wire_text text(char *buffer, size_t most)
{
	size_t length = below((uint32_t)most + 1);
	for (size_t i = 0; i < length; i++)
		buffer[i] = (char)draw();
	return (struct norn_wire_text){buffer, length};
}

static void assert_text(struct norn_wire_text a, struct norn_wire_text b)
{
	assert_int_equal(a.length, b.length);
	if (a.length)
		assert_memory_equal(a.bytes, b.bytes, a.length);
}

static struct norn_wire_text unframe(const void *frame, size_t bytes, unsigned type)
{
	unsigned found;
	struct norn_wire_text payload;
	assert_true(bytes > 0);
	assert_int_equal(norn_wire_frame(frame, bytes, NORN_WIRE_MAX, &found, &payload), (long)bytes);
	assert_int_equal(found, type);
	return payload;
}

/* ---- one of each ---- */

static uint8_t frame[ROOM];

static void hellos_come_back(void **state)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		char token[NORN_WIRE_TOKEN], program[300], directory[300];
		struct norn_wire_hello m = {.version = (uint32_t)number(), .pid = (uint32_t)number(), .session = number()}, again;
		m.role = 1 + below(2);
		m.lanes = 1 + below(9);
		m.lane = below(m.lanes);
		m.token = text(token, sizeof token);
		m.program = text(program, sizeof program);
		m.directory = text(directory, sizeof directory);
		size_t bytes = norn_wire_put_hello(frame, sizeof frame, &m);
		assert_int_equal(norn_wire_get_hello(unframe(frame, bytes, NORN_WIRE_HELLO), &again), 0);
		assert_text(m.token, again.token);
		assert_text(m.program, again.program);
		assert_text(m.directory, again.directory);
		assert_true(m.version == again.version && m.pid == again.pid && m.session == again.session);
		assert_true(m.role == again.role && m.lane == again.lane && m.lanes == again.lanes);
	}
}

static void short_messages_come_back(void **state)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct norn_wire_lost lost = {below(NORN_THREADS), 1 + below(INT32_MAX), 1 + below(INT32_MAX)}, lost_again;
		size_t bytes = norn_wire_put_lost(frame, sizeof frame, &lost);
		assert_int_equal(norn_wire_get_lost(unframe(frame, bytes, NORN_WIRE_LOST), &lost_again), 0);
		assert_true(lost.thread == lost_again.thread && lost.first == lost_again.first && lost.count == lost_again.count);

		struct norn_wire_wait wait = {1 + below(100), 200 + below(100), below(INT32_MAX)}, wait_again;
		bytes = norn_wire_put_wait(frame, sizeof frame, &wait);
		assert_int_equal(norn_wire_get_wait(unframe(frame, bytes, NORN_WIRE_WAIT), &wait_again), 0);
		assert_true(wait.thread == wait_again.thread && wait.joined == wait_again.joined && wait.count == wait_again.count);

		struct norn_wire_end end = {below(NORN_THREADS), below(INT32_MAX), (uint32_t)number()}, end_again;
		bytes = norn_wire_put_end(frame, sizeof frame, &end);
		assert_int_equal(norn_wire_get_end(unframe(frame, bytes, NORN_WIRE_END), &end_again), 0);
		assert_true(end.thread == end_again.thread && end.count == end_again.count && end.entered == end_again.entered);

		struct norn_wire_bye bye = {number(), number(), number(), number(), number(), (uint32_t)number(), -1, number()},
		                     bye_again;
		bytes = norn_wire_put_bye(frame, sizeof frame, &bye);
		assert_int_equal(norn_wire_get_bye(unframe(frame, bytes, NORN_WIRE_BYE), &bye_again), 0);
		assert_memory_equal(&bye, &bye_again, sizeof bye);

		struct norn_wire_ready ready = {(uint32_t)number()}, ready_again;
		bytes = norn_wire_put_ready(frame, sizeof frame, &ready);
		assert_int_equal(norn_wire_get_ready(unframe(frame, bytes, NORN_WIRE_READY), &ready_again), 0);
		assert_int_equal(ready.modules, ready_again.modules);

		char why[200];
		struct norn_wire_refused refused = {text(why, sizeof why)}, refused_again;
		bytes = norn_wire_put_refused(frame, sizeof frame, &refused);
		assert_int_equal(norn_wire_get_refused(unframe(frame, bytes, NORN_WIRE_REFUSED), &refused_again), 0);
		assert_text(refused.why, refused_again.why);
	}
	assert_int_equal(unframe(frame, norn_wire_put_welcome(frame, sizeof frame), NORN_WIRE_WELCOME).length, 0);
}

static void modules_and_threads_come_back(void **state)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		char path[500], table[5000], name[120];
		struct norn_wire_module m = {(uint32_t)number(), number(), text(path, sizeof path), text(table, sizeof table)},
		                        m_again;
		size_t bytes = norn_wire_put_module(frame, sizeof frame, &m);
		assert_int_equal(norn_wire_get_module(unframe(frame, bytes, NORN_WIRE_MODULE), &m_again), 0);
		assert_true(m.base == m_again.base && m.load == m_again.load);
		assert_text(m.path, m_again.path);
		assert_text(m.table, m_again.table);

		struct norn_wire_thread t = {
		        below(NORN_THREADS), (uint32_t)number(), (uint32_t)number(), (uint32_t)number(), text(name, sizeof name)};
		struct norn_wire_thread t_again;
		bytes = norn_wire_put_thread(frame, sizeof frame, &t);
		assert_int_equal(norn_wire_get_thread(unframe(frame, bytes, NORN_WIRE_THREAD), &t_again), 0);
		assert_true(t.number == t_again.number && t.parent == t_again.parent && t.ordinal == t_again.ordinal);
		assert_int_equal(t.entered, t_again.entered);
		assert_text(t.name, t_again.name);
	}
}

/* ---- filters ---- */

static void assert_filter(const struct norn_wire_filter *m, struct norn_wire_filter *again)
{
	struct norn_wire_range range;
	struct norn_wire_text name;
	uint32_t site = 0, i;
	assert_int_equal(m->modules, again->modules);
	assert_true(m->all == again->all && m->kinds == again->kinds && m->sync_ops == again->sync_ops);
	assert_true(m->thread_ops == again->thread_ops && m->mark_ops == again->mark_ops);
	for (i = 0; norn_wire_next_site(&again->site_bytes, &site); i++)
		assert_int_equal(site, m->sites[i]);
	assert_int_equal(i, m->site_count);
	for (i = 0; norn_wire_next_range(&again->range_bytes, &range); i++) {
		assert_true(range.address == m->ranges[i].address && range.size == m->ranges[i].size);
		assert_int_equal(range.kinds, m->ranges[i].kinds);
	}
	assert_int_equal(i, m->range_count);
	for (i = 0; norn_wire_next_name(&again->name_bytes, &name); i++)
		assert_text(name, m->names[i]);
	assert_int_equal(i, m->name_count);
}

static void filters_come_back(void **state)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t sites[50], site = 0;
		struct norn_wire_range ranges[20];
		struct norn_wire_text names[10];
		char letters[10][40];
		struct norn_wire_filter m = {.modules = (uint32_t)number(), .all = draw() & 1, .kinds = (uint32_t)number()}, again;
		m.sync_ops = (uint32_t)number();
		m.thread_ops = (uint32_t)number();
		m.mark_ops = (uint32_t)number();
		m.sites = sites;
		m.ranges = ranges;
		m.names = names;
		for (m.site_count = below(50); site < m.site_count; site++)
			sites[site] = (site ? sites[site - 1] : 0) + 1 + below(1 << 22);
		for (m.range_count = below(20), site = 0; site < m.range_count; site++)
			ranges[site] = (struct norn_wire_range){number() >> 1, number() >> 1, (uint32_t)number()};
		for (m.name_count = below(10), site = 0; site < m.name_count; site++)
			names[site] = text(letters[site], sizeof letters[site]);
		size_t bytes = norn_wire_put_filter(frame, sizeof frame, &m);
		assert_int_equal(norn_wire_get_filter(unframe(frame, bytes, NORN_WIRE_FILTER), &again), 0);
		assert_filter(&m, &again);
	}
}

/* ---- events ---- */

struct sample {
	struct norn_wire_event message;
	struct norn_wire_clock clock[100];
	uint64_t args[NORN_DECODE_ARGS];
	uint8_t data[4096];
	char name[100];
};

static void sample_op(struct norn_event *e)
{
	static const unsigned ops[NORN_EVENT_KINDS] = {
	        [NORN_EVENT_SYNC] = NORN_SYNC_OPS,
	        [NORN_EVENT_THREAD] = NORN_THREAD_OPS,
	        [NORN_EVENT_ALLOC] = NORN_ALLOC_OPS,
	        [NORN_EVENT_MARK] = NORN_MARK_OPS,
	};
	e->op = (uint8_t)below(ops[e->kind] ? ops[e->kind] : NORN_RANGE_SUBS);
}

static void sample_clock(struct sample *s)
{
	uint32_t thread = 0, entries = 1 + below(100);
	for (uint32_t i = 0; i < entries; i++) {
		thread += below(i ? 100 : 2) + (i ? 1 : 0);
		s->clock[i] = (struct norn_wire_clock){thread, 1 + (uint32_t)(number() % INT32_MAX)};
	}
	s->message.clock = s->clock;
	s->message.entries = entries;
	s->message.event.thread = s->clock[below(entries)].thread;
}

static void make_sample(struct sample *s)
{
	memset(s, 0, sizeof *s);
	struct norn_event *e = &s->message.event;
	e->kind = (uint8_t)(1 + below(NORN_EVENT_KINDS - 1));
	sample_op(e);
	e->site = (uint32_t)number();
	e->call_site = (uint32_t)number();
	e->addr = number();
	e->value = number();
	e->argument = number();
	e->time = number();
	e->index = number();
	e->known = true;
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	e->size = access ? 1 + below(sizeof s->data) : number();
	for (size_t i = 0; access && i < e->size; i++)
		s->data[i] = (uint8_t)draw();
	e->data = access && e->size > 8 ? s->data : NULL;
	if (e->kind == NORN_EVENT_ENTER || e->kind == NORN_EVENT_LEAVE) {
		e->count = below(NORN_DECODE_ARGS + 1);
		for (uint32_t i = 0; i < e->count; i++)
			s->args[i] = number();
		e->args = e->count ? s->args : NULL;
	}
	s->message.number = number();
	s->message.depth = (uint32_t)number();
	s->message.name = text(s->name, sizeof s->name);
	sample_clock(s);
}

static void assert_event(const struct norn_wire_event *m, struct norn_wire_event *again)
{
	const struct norn_event *a = &m->event, *b = &again->event;
	assert_true(a->kind == b->kind && a->op == b->op && a->thread == b->thread && a->site == b->site);
	assert_true(a->call_site == b->call_site && a->addr == b->addr && a->size == b->size && a->value == b->value);
	assert_true(a->argument == b->argument && a->time == b->time && a->index == b->index && b->known);
	assert_true(m->number == again->number && m->depth == again->depth && a->count == b->count);
	for (uint32_t i = 0; i < a->count; i++)
		assert_true(a->args[i] == b->args[i]);
	assert_int_equal(!a->data, !b->data);
	if (a->data)
		assert_memory_equal(a->data, b->data, a->size);
	assert_text(m->name, again->name);
	struct norn_wire_clock entry = {0};
	uint32_t n = 0;
	for (; norn_wire_next_clock(&again->clock_bytes, &entry); n++)
		assert_true(entry.thread == m->clock[n].thread && entry.count == m->clock[n].count);
	assert_true(n == m->entries && n == again->entries);
}

static void events_come_back(void **state)
{
	static struct sample s;
	for (unsigned i = 0; i < ROUNDS; i++) {
		make_sample(&s);
		struct norn_wire_event again;
		size_t bytes = norn_wire_put_event(frame, sizeof frame, &s.message);
		assert_int_equal(norn_wire_get_event(unframe(frame, bytes, NORN_WIRE_EVENT), &again), 0);
		assert_event(&s.message, &again);
	}
}

static void a_clock_must_be_one(void **state)
{
	const struct norn_wire_clock none[] = {{1, 1}}, zero[] = {{0, 0}}, twice[] = {{0, 1}, {0, 2}};
	const struct {
		const struct norn_wire_clock *clock;
		uint32_t entries;
	} wrong[] = {{none, 0}, {none, 1}, {zero, 1}, {twice, 2}};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct norn_wire_event m = {
		        .event = {.kind = NORN_EVENT_WRITE}, .clock = wrong[i].clock, .entries = wrong[i].entries};
		size_t bytes = norn_wire_put_event(frame, sizeof frame, &m);
		assert_int_equal(norn_wire_get_event(unframe(frame, bytes, NORN_WIRE_EVENT), &m), -EBADMSG);
	}
}

/* ---- damage ---- */

/* Any decoder on any bytes: it may refuse them, but not read elsewhere (the build with sanitizers looks). */
static int decode_any(unsigned type, struct norn_wire_text payload)
{
	union {
		struct norn_wire_hello hello;
		struct norn_wire_refused refused;
		struct norn_wire_module module;
		struct norn_wire_ready ready;
		struct norn_wire_filter filter;
		struct norn_wire_thread thread;
		struct norn_wire_event event;
		struct norn_wire_lost lost;
		struct norn_wire_end end;
		struct norn_wire_bye bye;
		struct norn_wire_wait wait;
	} any;
	switch (type) {
	case NORN_WIRE_HELLO:
		return norn_wire_get_hello(payload, &any.hello);
	case NORN_WIRE_REFUSED:
		return norn_wire_get_refused(payload, &any.refused);
	case NORN_WIRE_MODULE:
		return norn_wire_get_module(payload, &any.module);
	case NORN_WIRE_READY:
		return norn_wire_get_ready(payload, &any.ready);
	case NORN_WIRE_FILTER:
		return norn_wire_get_filter(payload, &any.filter);
	case NORN_WIRE_THREAD:
		return norn_wire_get_thread(payload, &any.thread);
	case NORN_WIRE_EVENT:
		return norn_wire_get_event(payload, &any.event);
	case NORN_WIRE_LOST:
		return norn_wire_get_lost(payload, &any.lost);
	case NORN_WIRE_END:
		return norn_wire_get_end(payload, &any.end);
	case NORN_WIRE_BYE:
		return norn_wire_get_bye(payload, &any.bye);
	case NORN_WIRE_WAIT:
		return norn_wire_get_wait(payload, &any.wait);
	default:
		return 0;
	}
}

/* In memory of its own, so that a byte too far is noticed. */
static int decode_copy(unsigned type, const void *bytes, size_t length)
{
	char *copy = malloc(length ? length : 1);
	memcpy(copy, bytes, length);
	int r = decode_any(type, (struct norn_wire_text){copy, length});
	free(copy);
	return r;
}

static void payloads_cut_short_are_refused(void **state)
{
	static struct sample s;
	for (unsigned i = 0; i < ROUNDS / 8; i++) {
		do
			make_sample(&s);
		while (s.message.event.size > 100);
		size_t bytes = norn_wire_put_event(frame, sizeof frame, &s.message);
		struct norn_wire_text payload = unframe(frame, bytes, NORN_WIRE_EVENT);
		for (size_t length = 0; length < payload.length; length++)
			assert_int_equal(decode_copy(NORN_WIRE_EVENT, payload.bytes, length), -EBADMSG);
		assert_int_equal(decode_copy(NORN_WIRE_EVENT, payload.bytes, payload.length), 0);
	}
}

static void frames_cut_short_are_awaited(void **state)
{
	const struct norn_wire_end end = {3, 70000, 9};
	size_t bytes = norn_wire_put_end(frame, sizeof frame, &end);
	unsigned type;
	struct norn_wire_text payload;
	for (size_t length = 0; length < bytes; length++) {
		char *copy = malloc(length ? length : 1);
		memcpy(copy, frame, length);
		assert_int_equal(norn_wire_frame(copy, length, NORN_WIRE_MAX, &type, &payload), 0);
		free(copy);
	}
	for (size_t room = 0; room < bytes; room++)
		assert_int_equal(norn_wire_put_end(frame, room, &end), 0);
	assert_int_equal(norn_wire_put_end(frame, bytes, &end), bytes);
}

static void any_wrong_bit_is_noticed(void **state)
{
	const struct norn_wire_end end = {3, 70000, 9};
	size_t bytes = norn_wire_put_end(frame, sizeof frame, &end);
	unsigned type;
	struct norn_wire_text payload;
	for (size_t bit = 0; bit < bytes * 8; bit++) {
		frame[bit / 8] ^= 1 << bit % 8;
		/* A wrong length may ask for more bytes; then there are some. */
		memset(frame + bytes, 0, sizeof frame - bytes);
		assert_int_equal(norn_wire_frame(frame, sizeof frame, NORN_WIRE_SMALL - 16, &type, &payload), -EBADMSG);
		frame[bit / 8] ^= 1 << bit % 8;
	}
}

static void a_limit_is_kept(void **state)
{
	const struct norn_wire_end end = {3, 70000, 9};
	size_t bytes = norn_wire_put_end(frame, sizeof frame, &end);
	unsigned type;
	struct norn_wire_text payload;
	assert_int_equal(norn_wire_frame(frame, bytes, 3, &type, &payload), -EBADMSG);
	static char table[NORN_WIRE_SMALL + 1], room[2 * NORN_WIRE_SMALL];
	const struct norn_wire_refused refused = {{table, sizeof table}};
	assert_int_equal(norn_wire_put_refused(room, sizeof room, &refused), 0);
	const struct norn_wire_module module = {.table = {table, sizeof table}};
	assert_true(norn_wire_put_module(room, sizeof room, &module) > sizeof table);
}

static void garbage_does_no_harm(void **state)
{
	uint8_t garbage[200];
	unsigned accepted = 0;
	for (unsigned i = 0; i < 100 * ROUNDS; i++) {
		size_t length = below(sizeof garbage);
		for (size_t k = 0; k < length; k++)
			garbage[k] = (uint8_t)(draw() & (i & 1 ? 0xff : 7));
		accepted += decode_copy(1 + below(NORN_WIRE_TYPES - 1), garbage, length) == 0;
		unsigned type;
		struct norn_wire_text payload;
		assert_true(norn_wire_frame(garbage, length, NORN_WIRE_MAX, &type, &payload) <= 0);
	}
	assert_true(accepted < 60 * ROUNDS);
}

/* One change in what was a message. */
static void mutants_do_no_harm(void **state)
{
	static struct sample s;
	for (unsigned i = 0; i < 10 * ROUNDS; i++) {
		make_sample(&s);
		size_t bytes = norn_wire_put_event(frame, sizeof frame, &s.message);
		struct norn_wire_text payload = unframe(frame, bytes, NORN_WIRE_EVENT);
		frame[NORN_WIRE_HEADER + below((uint32_t)payload.length)] = (uint8_t)draw();
		decode_copy(NORN_WIRE_EVENT, payload.bytes, payload.length);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(hellos_come_back),
	        cmocka_unit_test(short_messages_come_back),
	        cmocka_unit_test(modules_and_threads_come_back),
	        cmocka_unit_test(filters_come_back),
	        cmocka_unit_test(events_come_back),
	        cmocka_unit_test(a_clock_must_be_one),
	        cmocka_unit_test(payloads_cut_short_are_refused),
	        cmocka_unit_test(frames_cut_short_are_awaited),
	        cmocka_unit_test(any_wrong_bit_is_noticed),
	        cmocka_unit_test(a_limit_is_kept),
	        cmocka_unit_test(garbage_does_no_harm),
	        cmocka_unit_test(mutants_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
