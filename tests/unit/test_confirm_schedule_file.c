/* Schedules: as text and back, and as a replay area. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "confirm/schedule_file.h"

/* Two threads: main/1 writes x twice in a call, main/2 locks after the second time, main is held. */
static void make(struct norn_schedule_file *s)
{
	uint32_t n;
	norn_schedule_file_init(s);
	s->id = "R1";
	s->title = "race on \"x\"\\\n";
	s->command = "./prog";
	norn_schedule_file_add_unit(s, &(struct norn_schedule_file_unit){"q.c", 0x23456789abcdef01, 3, "libq.so"});
	uint32_t unit = norn_schedule_file_add_unit(s, &(struct norn_schedule_file_unit){"p.c", 0x123456789abcdef0, 9, ""});
	assert_int_equal(unit, 1);
	s->pace = (struct norn_schedule_file_pace){412, 30, 20};
	s->fingerprint = "0123abcd";
	s->kind = "race";
	s->variable = "x";
	s->error_threads = 2;
	s->infer = true;
	norn_schedule_file_add_place(s, &(struct norn_schedule_file_place){"write", "x", "f"});
	norn_schedule_file_add_place(s, &(struct norn_schedule_file_place){"acquire", "m #2", "g"});
	norn_schedule_file_add_source(s, "property p {\tltl: \"a\"; # b");
	norn_schedule_file_add_source(s, "");
	uint32_t a = norn_schedule_file_add_site(s, &(struct norn_schedule_file_site){unit, 7, "p.c", "f", 10, 3});
	uint32_t b = norn_schedule_file_add_site(s, &(struct norn_schedule_file_site){unit, 2, "p.c", "g", 20, 0});
	uint32_t entry = norn_schedule_file_add_site(s, &(struct norn_schedule_file_site){unit, 0, "p.c", "f", 9, 0});
	assert_int_equal(norn_schedule_file_add_thread(s, "main", &n), 0);
	assert_int_equal(norn_schedule_file_add_thread(s, "main/1", &n), 0);
	assert_int_equal(norn_schedule_file_add_thread(s, "main/2", &n), 0);
	uint32_t call = norn_schedule_file_add_call(s, &(struct norn_schedule_file_node){1, 1, 0, entry + 1, 1});
	struct norn_schedule_file_step step = {1, call, a + 1, NORN_OPERATION_WRITE, 1, false, "x", 0, 0};
	norn_schedule_file_add_step(s, &step);
	step.time = 2;
	norn_schedule_file_add_step(s, &step);
	norn_schedule_file_add_after(s, 0);
	norn_schedule_file_add_after(s, 1);
	step = (struct norn_schedule_file_step){2, 2, b + 1, NORN_OPERATION_LOCK, 1, false, "m", 0, 0};
	norn_schedule_file_add_step(s, &step);
	step = (struct norn_schedule_file_step){0, 0, b + 1, NORN_OPERATION_JOIN, 1, true, "", 0, 0};
	norn_schedule_file_add_step(s, &step);
	s->end = NORN_REPLAY_END_RACE;
	s->stops[0] = 2;
	s->stops[1] = 1;
	s->stop_count = 2;
	s->first = 0;
}

static char *text_of(const struct norn_schedule_file *s)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	norn_schedule_file_write(s, to);
	fclose(to);
	return text;
}

static int read_text(const char *text, struct norn_schedule_file *s, struct norn_error *err)
{
	char path[] = "/tmp/norn-schedule-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	int r = norn_schedule_file_read(path, s, err);
	unlink(path);
	return r;
}

static void test_text(void **unused)
{
	struct norn_schedule_file s, again;
	struct norn_error err = {0};
	make(&s);
	char *text = text_of(&s);
	assert_int_equal(read_text(text, &again, &err), 0);
	char *second = text_of(&again);
	assert_string_equal(text, second);
	assert_string_equal(again.title, s.title);
	assert_int_equal(again.steps.items[2].after_count, 2);
	assert_int_equal(again.steps.items[3].hold, true);
	assert_int_equal(again.first, 0);
	assert_true(again.infer && again.error_threads == 2 && again.places.count == 2 && again.sources.count == 2);
	assert_string_equal(again.kind, "race");
	assert_string_equal(again.places.items[1].what, "m #2");
	assert_string_equal(again.places.items[1].function, "g");
	assert_string_equal(again.sources.items[0], "property p {\tltl: \"a\"; # b");
	assert_int_equal(again.second, NORN_REPLAY_AREA_NONE);
	char words[100];
	norn_schedule_file_describe(&again, 1, words, sizeof words);
	assert_string_equal(words, "main/1: write x at p.c:10 (f, time 2)");
	free(text);
	free(second);
	norn_schedule_file_done(&s);
	norn_schedule_file_done(&again);
}

/* Every beginning of the text is refused, with the line that is at fault. */
static void test_cut(void **unused)
{
	struct norn_schedule_file s, again;
	make(&s);
	char *text = text_of(&s);
	for (size_t length = 0; length < strlen(text) - 4; length++) {
		struct norn_error err = {0};
		char *part = strndup(text, length);
		assert_int_not_equal(read_text(part, &again, &err), 0);
		assert_true(err.message[0]);
		norn_schedule_file_done(&again);
		free(part);
	}
	free(text);
	norn_schedule_file_done(&s);
}

static void test_roles(void **unused)
{
	struct norn_schedule_file s;
	uint32_t n;
	norn_schedule_file_init(&s);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main/1", &n), -EINVAL);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main", &n), 0);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main/0", &n), -EINVAL);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main/?3", &n), -EINVAL);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main/2/1", &n), -EINVAL);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main/2", &n), 0);
	assert_int_equal(norn_schedule_file_add_thread(&s, "main/2/1", &n), 0);
	assert_int_equal(s.threads.items[2].parent, 1);
	assert_int_equal(s.threads.items[2].ordinal, 1);
	norn_schedule_file_done(&s);
}

static void test_stage(void **unused)
{
	struct norn_schedule_file s;
	struct norn_replay_area_parts p;
	make(&s);
	norn_schedule_file_lay_out(&s, &p);
	assert_int_equal(atomic_load(&p.steps[0].waits), 0);
	assert_int_equal(atomic_load(&p.steps[2].waits), 2);
	assert_int_equal(atomic_load(&p.steps[3].waits), NORN_REPLAY_AREA_HOLD);
	assert_int_equal(p.steps[1].stop, 2);
	assert_int_equal(p.steps[2].stop, 1);
	assert_int_equal(p.nodes[1], 1); /* main/1 itself: the call */
	assert_int_equal(p.nodes[3], 2); /* the call: both writes */
	/* The writes are one point with two members. */
	uint32_t site = 0, mask = p.head->slots - 1, slot;
	for (uint32_t i = 0; i < p.head->sites; i++)
		site = p.sites[i].index == 7 ? i + 1 : site;
	for (slot = norn_replay_area_hash(3, site, NORN_OPERATION_WRITE, 0) & mask; p.slots[slot]; slot = (slot + 1) & mask)
		if (p.points[p.slots[slot] - 1].operation == NORN_OPERATION_WRITE)
			break;
	assert_true(p.slots[slot]);
	const struct norn_replay_area_point *point = &p.points[p.slots[slot] - 1];
	assert_int_equal(point->count, 2);
	assert_int_equal(p.members[point->first].time, 1);
	assert_int_equal(p.members[point->first + 1].time, 2);
	norn_replay_area_release(&p, NORN_REPLAY_AREA_RELEASED);
	assert_int_equal(atomic_load(&p.steps[3].waits), 0);
	free(p.head);
	norn_schedule_file_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_cut), cmocka_unit_test(test_roles),
	        cmocka_unit_test(test_stage)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
