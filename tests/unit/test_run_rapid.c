/* RAPID's text format: what goes in comes out again, what is no event is refused with its line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/rapid.h"
#include "trace/verify.h"
#include "trace_builder.h"

static char path[80];

static int import(const char *text, struct norn_rapid_import *result, struct norn_error *err)
{
	FILE *from = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	assert_non_null(from);
	*err = (struct norn_error){0};
	int r = norn_rapid_import(from, "in.txt", path, result, err);
	fclose(from);
	return r;
}

/* The trace at path as text; free it. */
static char *export(struct norn_rapid_export *result)
{
	struct norn_trace *trace;
	struct norn_error err = {0};
	char *text = NULL;
	size_t bytes;
	if (norn_trace_open(path, false, &trace, &err) != 0)
		fail_msg("%s", err.message);
	FILE *to = open_memstream(&text, &bytes);
	assert_int_equal(norn_rapid_export(trace, to, result, &err), 0);
	fclose(to);
	norn_trace_close(trace);
	return text;
}

static void complain(void *arg, const char *sentence)
{
	fail_msg("%s", sentence);
}

static void verify(void)
{
	struct norn_trace *trace;
	struct norn_error err = {0};
	struct norn_verify_result verdict;
	assert_int_equal(norn_trace_open(path, false, &trace, &err), 0);
	assert_int_equal(norn_verify(trace, 1, complain, NULL, &verdict, &err), 0);
	norn_trace_close(trace);
}

static void becomes(const char *in, const char *out)
{
	struct norn_rapid_import imported;
	struct norn_rapid_export exported;
	struct norn_error err;
	if (import(in, &imported, &err) != 0)
		fail_msg("%s", err.message);
	verify();
	char *text = export(&exported);
	assert_string_equal(text, out);
	free(text);
	for (unsigned kind = 0; kind < NORN_EVENT_KINDS; kind++)
		assert_int_equal(exported.left_out[kind], 0);
}

static const char whole[] =
        "T0|begin(T0)|0\nT0|w(x)|1\nT0|fork(T1)|2\nT1|begin(T1)|10\nT1|acq(l)|11\nT1|r(x)|12\nT1|w(x.y[3])|main.c:13\n"
        "T1|rel(l)|14\nT1|end(T1)|15\nT0|join(T1)|3\nT0|acq(l)|4\nT0|r(x)|5\nT0|rel(l)|6\nT0|end(T0)|7\n";

static void test_round_trip(void **state)
{
	becomes(whole, whole);
	/* The same name may be a variable and a lock. */
	becomes("T3|w(a)|1\nT3|acq(a)|1\nT3|rel(a)|1\n", "T3|w(a)|1\nT3|acq(a)|1\nT3|rel(a)|1\n");
	becomes("T0|join(T4)|1\nT0|w(x)|2\n", "T0|join(T4)|1\nT0|w(x)|2\n");
	/* Threads that are not forked, and one that is forked and has no events. */
	becomes("T5|w(x)|1\nT7|r(x)|2\nT5|fork(T9)|3\nT7|w(x)|4\n", "T5|w(x)|1\nT7|r(x)|2\nT5|fork(T9)|3\nT7|w(x)|4\n");
}

static void test_spellings(void **state)
{
	/* Threads with and without T, CRLF, blank lines, spaces, no end of line at the end. */
	becomes("T0|fork(1)|1\r\n\r\n 0|w(x)|2 \r\n\n1 | r( x ) | 3\nT0|join(T1)|4",
	        "T0|fork(T1)|1\nT0|w(x)|2\nT1|r(x)|3\nT0|join(T1)|4\n");
	becomes("0|fork(1)|12\n1|w(v)|13\n", "T0|fork(T1)|12\nT1|w(v)|13\n");
	becomes("main|fork(worker)|a:1\nworker|w(v)|b c\n", "main|fork(worker)|a:1\nworker|w(v)|b c\n");
	becomes("T0|w(f(x))|1\n", "T0|w(f(x))|1\n");
}

static void test_inner_acquires_are_left_out(void **state)
{
	struct norn_rapid_import result;
	struct norn_error err;
	assert_int_equal(import("T0|acq(l)|1\nT0|acq(l)|2\nT0|rel(l)|3\nT0|rel(l)|4\n", &result, &err), 0);
	assert_int_equal(result.events, 4);
	assert_int_equal(result.reentrant, 2);
	verify();
	struct norn_rapid_export exported;
	char *text = export(&exported);
	assert_string_equal(text, "T0|acq(l)|1\nT0|rel(l)|4\n");
	free(text);
}

static void refuses(const char *text, unsigned line, const char *part)
{
	struct norn_rapid_import result;
	struct norn_error err;
	unlink(path);
	assert_int_equal(import(text, &result, &err), -EINVAL);
	assert_int_equal(err.line, line);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" does not say \"%s\"", err.message, part);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void test_refuses_bad_lines(void **state)
{
	refuses("T0|r(x)|1\nnonsense\n", 2, "thread|op(target)|location");
	refuses("T0|read(x)|1\n", 1, "there is no operation read");
	refuses("T0|r(x|1\n", 1, "no closing parenthesis");
	refuses("T0|r|1\n", 1, "needs a target");
	refuses("T0|r()|1\n", 1, "needs a target");
	refuses("|r(x)|1\n", 1, "the thread is missing");
	refuses("T0|rel(l)|1\n", 1, "does not hold it");
	refuses("T0|acq(l)|1\n\nT1|acq(l)|2\n", 3, "lock l is acquired while thread 0 holds it, since line 1");
	refuses("T0|acq(l)|1\nT1|rel(l)|2\n", 2, "does not hold it");
	refuses("T0|fork(T1)|1\nT1|w(x)|1\nT0|join(T1)|2\nT1|w(x)|3\n", 4, "thread 1 acts after its end");
	refuses("T1|w(x)|1\nT0|fork(T1)|1\n", 2, "forked after it began");
	refuses("T0|fork(T0)|1\n", 1, "forked after it began");
	refuses("T0|fork(T1)|1\nT0|join(T1)|1\nT0|join(T1)|1\n", 3, "for the second time");
	refuses("T0|join(T0)|1\n", 1, "joins itself");
	refuses("T0|w(x)|1\nT0|end|2\n", 2, "ends a transaction that it has not begun");
	refuses("T0|begin(T0)|1\nT0|begin|2\nT0|end|3\nT0|end|3\n", 4, "ends a transaction that it has not begun");
	refuses("\n\n", 0, "has no events");
}

static void test_second_forks_are_left_out(void **state)
{
	struct norn_rapid_import result;
	struct norn_error err;
	assert_int_equal(import("T0|fork(T1)|1\nT0|fork(T1)|2\nT1|w(x)|3\nT0|fork(T1)|2\nT1|w(x)|3\n", &result, &err), 0);
	assert_int_equal(result.forked_again, 2);
	verify();
	struct norn_rapid_export exported;
	char *text = export(&exported);
	assert_string_equal(text, "T0|fork(T1)|1\nT1|w(x)|3\nT1|w(x)|3\n");
	free(text);
}

static void test_transactions(void **state)
{
	struct norn_rapid_import result;
	struct norn_error err;
	const char *given =
	        "T0|begin(T0)|1\nT0|begin(a)|2\nT0|w(x)|3\nT0|begin|4\nT0|end(T0)|5\nT0|end|6\nT1|begin|7\nT1|r(x)|8\nT1|end|9\n"
	        "T0|end(T0)|10\n";
	assert_int_equal(import(given, &result, &err), 0);
	verify();
	struct norn_rapid_export exported;
	char *text = export(&exported);
	assert_string_equal(text,
	        "T0|begin(T0)|1\nT0|begin(transaction)|2\nT0|w(x)|3\nT0|begin(transaction)|4\nT0|end()|5\nT0|end()|6\n"
	        "T1|begin(transaction)|7\nT1|r(x)|8\nT1|end()|9\nT0|end(T0)|10\n");
	assert_int_equal(import(text, &result, &err), 0);
	free(text);
}

static void test_export_of_what_rapid_has_no_word_for(void **state)
{
	struct norn_writer *w;
	struct norn_error err = {0};
	assert_int_equal(norn_writer_new(path, &w, &err), 0);
	put_sites(w, 2, "f", NORN_SITE_ENTER);
	put_enter(w, 0, NORN_SITE_FIRST);
	put_write(w, 0, 0x1000, 8, 1, 1); /* in two parts, because of the next one */
	put_read(w, 0, 0x1004, 4, 1);
	put_rmw(w, 0, 0x2000, 8, 1, 1);
	put_external(w, 0, 0x2000, 2, 1);
	put_sync(w, 0, NORN_SYNC_ACQUIRE, 0x3000, 1, 0);
	put_sync(w, 0, NORN_SYNC_RELEASE, 0x3000, 2, 0);
	put_sync(w, 0, NORN_SYNC_ACQUIRE_SHARED, 0x3000, 3, 0);
	put_leave(w, 0, NORN_SITE_FIRST);
	assert_int_equal(finish_trace(w), 0);
	struct norn_rapid_export result;
	char *text = export(&result);
	assert_string_equal(text, "T0|w(V1000)|0\nT0|w(V1004)|0\nT0|r(V1004)|0\nT0|r(V2000)|0\nT0|w(V2000)|0\n"
	                          "T0|acq(L3000)|0\nT0|rel(L3000)|0\n");
	free(text);
	assert_int_equal(result.lines, 7);
	assert_int_equal(result.left_out[NORN_EVENT_ENTER], 1);
	assert_int_equal(result.left_out[NORN_EVENT_LEAVE], 1);
	assert_int_equal(result.left_out[NORN_EVENT_EXTERNAL], 1);
	assert_int_equal(result.left_out[NORN_EVENT_SYNC], 1);
}

/* Out and in again: the same text, for any run. */
static void test_random_runs_are_stable(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct run run;
		struct norn_rapid_export exported;
		struct norn_rapid_import imported;
		struct norn_error err;
		run_simulate(&(struct run_options){.seed = seed, .threads = 3, .steps = 500, .words = 4, .stamps = seed % 2}, &run);
		assert_int_equal(run_write(&run, path, 0), 0);
		run_done(&run);
		char *first = export(&exported);
		if (import(first, &imported, &err) != 0)
			fail_msg("line %u: %s", err.line, err.message);
		verify();
		char *second = export(&exported);
		assert_string_equal(first, second);
		free(first);
		free(second);
	}
}

static int make_path(void **state)
{
	snprintf(path, sizeof path, "%s/norn-rapid-%d.trace", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	return 0;
}

static int remove_path(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_round_trip),
	        cmocka_unit_test(test_spellings),
	        cmocka_unit_test(test_inner_acquires_are_left_out),
	        cmocka_unit_test(test_refuses_bad_lines),
	        cmocka_unit_test(test_second_forks_are_left_out),
	        cmocka_unit_test(test_transactions),
	        cmocka_unit_test(test_export_of_what_rapid_has_no_word_for),
	        cmocka_unit_test(test_random_runs_are_stable),
	};
	return cmocka_run_group_tests(tests, make_path, remove_path);
}
