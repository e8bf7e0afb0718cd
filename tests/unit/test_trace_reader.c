#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "trace/codec/codec.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "records.h"
#include "sample.h"

/* Four threads with blocks of their own, a module, names, information. */
static void make(struct sample *s)
{
	static const uint32_t origins[4][2] = {{0, 0}, {0, 1}, {1, 3}, {0, 0}};
	uint64_t seed = 21, records[60];
	sample_begin(s);
	sample_module(s, NORN_SITE_FIRST + 10, &sample_sites, sizeof sample_sites);
	sample_name(s, 0, NORN_NO_THREAD, "request");
	sample_name(s, 1, NORN_NO_THREAD, "reply");
	sample_name(s, 2, 1, "worker");
	for (uint32_t i = 0; i < 4; i++)
		sample_thread(s, i, i, origins[i][0], origins[i][1]);
	for (unsigned k = 0; k < 3; k++) {
		for (uint32_t i = 0; i < 4; i++) {
			sample_add(s, i, records, random_records(&seed, records, 60));
			if (k < 2)
				sample_flush(s, i, STOP_NEVER);
		}
	}
	struct norn_completion completion;
	struct norn_error err;
	assert_int_equal(sample_complete(s, &completion, &err), 0);
}

static uint64_t mix(uint64_t digest, const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		digest = (digest ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
	return digest;
}

static uint64_t mix_text(uint64_t digest, const char *text)
{
	return text ? mix(digest, text, strlen(text) + 1) : mix(digest, "-", 1);
}

static uint64_t mix_site(uint64_t digest, const struct norn_trace *trace, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(trace, site, &info);
	digest = mix_text(mix_text(mix_text(digest, info.function), info.file), info.name);
	digest = mix(mix_text(mix_text(digest, info.type), info.module), &info.line, sizeof info.line);
	if (!info.site)
		return digest;
	uint32_t frame = info.site->inlined_at;
	const char *function, *file;
	unsigned line;
	while (norn_trace_frame(&info, &frame, &function, &file, &line))
		digest = mix(mix_text(mix_text(digest, function), file), &line, sizeof line);
	return digest;
}

static int mix_thread(uint64_t *digest, struct norn_trace *trace, uint32_t thread, struct norn_error *err)
{
	const struct norn_thread_info *info = norn_trace_thread(trace, thread);
	struct norn_cursor *cursor;
	const uint64_t *record;
	unsigned units;
	int r;
	*digest = mix_text(mix_text(*digest, info->path), info->name);
	*digest = mix(*digest, &info->records, sizeof info->records);
	if (norn_cursor_new(trace, thread, &cursor) < 0)
		return -ENOMEM;
	while ((r = norn_cursor_next(cursor, &record, &units, err)) > 0)
		*digest = mix(*digest, record, units * 8);
	norn_cursor_free(cursor);
	return r;
}

/* A digest of all that can be asked of a trace; negative errno if it is refused. */
static int read_all(const char *path, bool partial, uint64_t *ret_digest, struct norn_error *err)
{
	struct norn_trace *trace;
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	err->message[0] = 0;
	int r = norn_trace_open(path, partial, &trace, err);
	if (r < 0)
		return r;
	const struct norn_file_header *header = norn_trace_header(trace);
	digest = mix(digest, &header->events, sizeof header->events);
	digest = mix(digest, &header->exit_status, sizeof header->exit_status);
	for (uint32_t i = 0; i < norn_trace_threads(trace) && i < 100 && r == 0; i++)
		r = mix_thread(&digest, trace, i, err);
	for (uint32_t i = 0; i < 4; i++)
		digest = mix_text(digest, norn_trace_name(trace, i));
	for (uint32_t i = 0; i < 20; i++)
		digest = mix_site(digest, trace, NORN_SITE_FIRST + i);
	digest = mix_text(mix_text(digest, norn_trace_info(trace, "command")), norn_trace_info(trace, "directory"));
	norn_trace_close(trace);
	*ret_digest = digest;
	return r;
}

static void a_trace_can_be_read(void **state)
{
	(void)state;
	struct sample s;
	struct norn_trace *trace;
	struct norn_error err;
	make(&s);
	assert_int_equal(norn_trace_open(s.path, false, &trace, &err), 0);
	assert_int_equal(norn_trace_threads(trace), 4);
	assert_string_equal(norn_trace_thread(trace, 2)->path, "main/1/3");
	assert_string_equal(norn_trace_thread(trace, 1)->path, "main/1");
	assert_string_equal(norn_trace_thread(trace, 0)->path, "main");
	assert_string_equal(norn_trace_thread(trace, 3)->path, "main/?3");
	assert_int_equal(norn_trace_thread(trace, 3)->parent, NORN_NO_THREAD);
	assert_int_equal(norn_trace_thread(trace, 2)->parent, 1);
	assert_int_equal(norn_trace_thread(trace, 2)->blocks, 3);
	assert_null(norn_trace_thread(trace, 4));
	assert_string_equal(norn_trace_thread(trace, 1)->name, "worker");
	assert_null(norn_trace_thread(trace, 0)->name);
	assert_string_equal(norn_trace_name(trace, 1), "reply");
	assert_string_equal(norn_trace_name(trace, 7), "");
	assert_string_equal(norn_trace_info(trace, "command"), "./prog 1 2");
	assert_string_equal(norn_trace_info(trace, "empty"), "");
	assert_null(norn_trace_info(trace, "comm"));
	assert_int_equal(norn_trace_header(trace)->exit_status, 256);
	norn_trace_close(trace);
	sample_end(&s);
}

static void sites_are_found(void **state)
{
	(void)state;
	struct sample s;
	struct norn_trace *trace;
	struct norn_error err;
	struct norn_site_info info;
	make(&s);
	assert_int_equal(norn_trace_open(s.path, false, &trace, &err), 0);
	norn_trace_site(trace, NORN_SITE_FIRST + 9, &info);
	assert_null(info.site);
	assert_string_equal(info.function, "");
	norn_trace_site(trace, NORN_SITE_FIRST + 13, &info);
	assert_null(info.site);
	norn_trace_site(trace, NORN_SITE_FIRST + 11, &info);
	assert_int_equal(info.line, 11);
	assert_string_equal(info.name, "total");
	assert_string_equal(info.type, "long");
	assert_string_equal(info.module, "/bin/prog");
	uint32_t frame = info.site->inlined_at;
	const char *function, *file;
	unsigned line;
	assert_true(norn_trace_frame(&info, &frame, &function, &file, &line));
	assert_int_equal(line, 21);
	assert_true(norn_trace_frame(&info, &frame, &function, &file, &line));
	assert_string_equal(function, "main");
	assert_false(norn_trace_frame(&info, &frame, &function, &file, &line));
	norn_trace_close(trace);
	sample_end(&s);
}

/* A read of two words comes as the range that it is, also where the reader looked at it already: for arguments after an ENTER. */
static void a_span_is_read_as_a_range(void **state)
{
	(void)state;
	struct sample s;
	struct norn_completion completion;
	struct norn_error err;
	struct norn_trace *trace;
	struct norn_cursor *cursor;
	struct norn_event event;
	const uint64_t records[] = {5 << 8 | NORN_TAG_ENTER, UINT64_C(0x1005) << 16 | (NORN_READ_SPAN | 3) << 4 | NORN_TAG_READ,
	        UINT64_C(7) << 32 | 9, 4, 5 << 8 | NORN_TAG_LEAVE};
	sample_begin(&s);
	sample_thread(&s, 0, 0, 0, 0);
	sample_add(&s, 0, records, sizeof records / sizeof *records);
	assert_int_equal(sample_complete(&s, &completion, &err), 0);
	assert_int_equal(completion.events, 3);
	assert_int_equal(norn_trace_open(s.path, false, &trace, &err), 0);
	assert_int_equal(norn_cursor_new(trace, 0, &cursor), 0);
	assert_int_equal(norn_cursor_event(cursor, &event, &err), 1);
	assert_int_equal(event.kind, NORN_EVENT_ENTER);
	assert_int_equal(norn_cursor_event(cursor, &event, &err), 1);
	assert_int_equal(event.kind, NORN_EVENT_READ);
	assert_int_equal(event.op, NORN_RANGE_READ);
	assert_int_equal(event.addr, 0x1005);
	assert_int_equal(event.size, 8);
	assert_int_equal(event.count, 2);
	assert_int_equal(event.versions[0], 7);
	assert_int_equal(event.versions[1], 9);
	assert_int_equal(norn_cursor_event(cursor, &event, &err), 1);
	assert_int_equal(event.kind, NORN_EVENT_LEAVE);
	assert_int_equal(norn_cursor_event(cursor, &event, &err), 0);
	norn_cursor_free(cursor);
	norn_trace_close(trace);
	sample_end(&s);
}

static void expect_refusal(const char *path, const char *part)
{
	struct norn_error err;
	uint64_t digest;
	assert_int_equal(read_all(path, false, &digest, &err), -EBADMSG);
	assert_non_null(strstr(err.message, part));
}

static void foreign_files_are_refused(void **state)
{
	(void)state;
	struct sample s;
	struct norn_error err;
	uint64_t digest;
	make(&s);
	int fd = open(s.path, O_RDWR);
	const uint32_t version = 99;
	assert_int_equal(pwrite(fd, &version, sizeof version, 8), sizeof version);
	expect_refusal(s.path, "version 99");
	assert_int_equal(pwrite(fd, "ELF", 3, 0), 3);
	expect_refusal(s.path, "no trace");
	assert_int_equal(ftruncate(fd, 0), 0);
	expect_refusal(s.path, "too short");
	close(fd);
	assert_int_equal(read_all(s.directory, false, &digest, &err), -EINVAL);
	assert_int_equal(read_all("/nonexistent/trace", false, &digest, &err), -ENOENT);
	sample_end(&s);
}

/* Cut anywhere, the trace is refused with a sentence; read as a partial one it does not crash either. */
static void a_cut_trace_is_refused(void **state)
{
	(void)state;
	struct sample s;
	struct norn_error err;
	struct stat status;
	uint64_t digest;
	make(&s);
	assert_int_equal(stat(s.path, &status), 0);
	for (off_t bytes = status.st_size - 1; bytes >= 0; bytes--) {
		assert_int_equal(truncate(s.path, bytes), 0);
		assert_int_equal(read_all(s.path, false, &digest, &err), -EBADMSG);
		assert_true(err.message[0]);
	}
	sample_end(&s);
}

static void flip(int fd, off_t at, unsigned bit)
{
	uint8_t byte;
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1u << bit;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void a_flipped_bit_is_refused_or_changes_nothing(void **state)
{
	(void)state;
	struct sample s;
	struct norn_error err;
	struct stat status;
	uint64_t expected, digest;
	unsigned refused = 0;
	make(&s);
	assert_int_equal(read_all(s.path, false, &expected, &err), 0);
	int fd = open(s.path, O_RDWR);
	assert_int_equal(fstat(fd, &status), 0);
	for (off_t at = 0; at < status.st_size; at++) {
		/* Between the header and the first block nothing is read. */
		bool sampled = at > 256 && at < NORN_HEADER_BYTES;
		for (unsigned bit = sampled ? at % 8 : 0; bit < 8; bit += sampled ? 8 : 1) {
			flip(fd, at, bit);
			int r = read_all(s.path, false, &digest, &err);
			if (r < 0) {
				assert_int_equal(r, -EBADMSG);
				assert_true(err.message[0]);
				refused++;
			} else {
				assert_true(digest == expected);
			}
			flip(fd, at, bit);
		}
	}
	assert_true(refused > 8 * (unsigned)(status.st_size - NORN_HEADER_BYTES) * 9 / 10);
	close(fd);
	sample_end(&s);
}

/* A small file that speaks of a million threads does not get memory for them. */
static void threads_that_are_not_there_are_refused(void **state)
{
	(void)state;
	struct sample s;
	struct norn_file_header header;
	make(&s);
	int fd = open(s.path, O_RDWR);
	assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
	header.threads = 1000000;
	header.checksum = norn_header_checksum(&header);
	assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
	close(fd);
	expect_refusal(s.path, "1000000 threads");
	sample_end(&s);
}

/* A trace whose recorder died: refused, but what is there can be read if asked for. */
static void an_incomplete_trace_is_read_if_asked_for(void **state)
{
	(void)state;
	struct sample s;
	struct norn_error err;
	struct norn_trace *trace;
	uint64_t seed = 31, records[60], digest;
	sample_begin(&s);
	sample_thread(&s, 0, 0, 0, 0);
	sample_thread(&s, 1, 1, 0, 1);
	for (unsigned k = 0; k < 5; k++) {
		sample_add(&s, 0, records, random_records(&seed, records, 60));
		sample_flush(&s, 0, STOP_NEVER);
		sample_add(&s, 1, records, random_records(&seed, records, 60));
		sample_flush(&s, 1, k == 2 ? STOP_PLACED : STOP_NEVER);
		s.session->slot[1].sequence = k + 1;
	}
	assert_int_equal(read_all(s.session->trace, false, &digest, &err), -EBADMSG);
	assert_non_null(strstr(err.message, "never completed"));
	assert_int_equal(read_all(s.session->trace, true, &digest, &err), 0);
	assert_int_equal(norn_trace_open(s.session->trace, true, &trace, &err), 0);
	assert_int_equal(norn_trace_thread(trace, 0)->blocks, 5);
	assert_int_equal(norn_trace_thread(trace, 1)->blocks, 2); /* up to the one that is missing */
	norn_trace_close(trace);
	sample_end(&s);
}

/* Blocks with right checksums and wrong contents, as a malicious file would have. */
static void bad_site_tables_are_refused(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 9; k++) {
		struct sample s;
		struct norn_completion completion;
		struct norn_error err;
		uint64_t digest;
		struct sample_table t = sample_sites;
		sample_begin(&s);
		switch (k) {
		case 0:
			t.table.sites = 1u << 30;
			break;
		case 1:
			t.table.strings = UINT32_MAX;
			break;
		case 2:
			t.strings[sizeof t.strings - 1] = 'x';
			break;
		case 3:
			t.sites[1].name = sizeof t.strings;
			break;
		case 4:
			t.sites[2].inlined_at = 3;
			break;
		case 5:
			t.frames[0].inlined_at = 2; /* a circle */
			break;
		case 6:
			t.frames[1].file = 1000;
			break;
		case 7:
			t.table.version = 7;
			break;
		case 8:
			t.sites[0].entry = 3;
			break;
		}
		sample_module(&s, NORN_SITE_FIRST, &t, sizeof t);
		assert_int_equal(sample_complete(&s, &completion, &err), 0);
		assert_int_equal(read_all(s.path, false, &digest, &err), -EBADMSG);
		sample_end(&s);
	}
}

static void overlapping_modules_are_refused(void **state)
{
	(void)state;
	struct sample s;
	struct norn_completion completion;
	struct norn_error err;
	uint64_t digest;
	sample_begin(&s);
	sample_module(&s, NORN_SITE_FIRST + 2, &sample_sites, sizeof sample_sites);
	sample_module(&s, NORN_SITE_FIRST, &sample_sites, sizeof sample_sites);
	assert_int_equal(sample_complete(&s, &completion, &err), 0);
	assert_int_equal(read_all(s.path, false, &digest, &err), -EBADMSG);
	sample_end(&s);
}

/* Each thread made by the one before: paths grow, then are abbreviated; nothing takes quadratic memory. */
static void long_chains_of_threads_have_paths(void **state)
{
	(void)state;
	enum { THREADS = 20000 };
	struct sample s;
	struct norn_completion completion;
	struct norn_error err;
	struct norn_trace *trace;
	const uint64_t record = 5 << 8 | NORN_TAG_ENTER;
	sample_begin(&s);
	for (uint32_t i = 0; i < THREADS; i++) {
		sample_thread(&s, 0, i, i - 1, i ? 1 : 0);
		sample_add(&s, 0, &record, 1);
		sample_flush(&s, 0, STOP_NEVER);
	}
	assert_int_equal(sample_complete(&s, &completion, &err), 0);
	assert_int_equal(norn_trace_open(s.path, false, &trace, &err), 0);
	for (uint32_t i = THREADS; i-- > 0;)
		assert_true(strlen(norn_trace_thread(trace, i)->path) <= NORN_PATH_TEXT);
	assert_string_equal(norn_trace_thread(trace, 3)->path, "main/1/1/1");
	norn_trace_close(trace);
	sample_end(&s);
}

static struct norn_writer *begin(char *path)
{
	struct norn_writer *w;
	struct norn_error err;
	strcpy(path, "/tmp/norn-reader-XXXXXX");
	close(mkstemp(path));
	assert_int_equal(norn_writer_new(path, &w, &err), 0);
	return w;
}

static int end(struct norn_writer *w, const char *path, struct norn_trace **ret_trace, struct norn_error *err)
{
	const struct norn_file_header header = {.tsc_hz = 1};
	assert_int_equal(norn_writer_finish(w, &header, err), 0);
	norn_writer_free(w);
	int r = norn_trace_open(path, false, ret_trace, err);
	unlink(path);
	return r;
}

/* Text that shrinks to nothing: a small file must not take much memory. */
static void names_that_grow_are_refused(void **state)
{
	enum { NAMES = 6000, BYTES = 60 << 10 };
	char path[64], *name = norn_must_calloc(BYTES + 1, 1);
	struct norn_writer *w = begin(path);
	struct norn_trace *trace;
	struct norn_error err;
	struct rusage before, after;
	(void)state;
	memset(name, 'a', BYTES);
	getrusage(RUSAGE_SELF, &before);
	for (uint32_t i = 0; i < NAMES; i++)
		assert_int_equal(norn_writer_name(w, i, NORN_NO_THREAD, name), 0);
	assert_int_equal(end(w, path, &trace, &err), -EBADMSG);
	assert_non_null(strstr(err.message, "more memory than a file of"));
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 128 << 10); /* in KiB */
	free(name);
}

static void many_names_can_be_read(void **state)
{
	char path[64], name[32];
	struct norn_writer *w = begin(path);
	struct norn_trace *trace;
	struct norn_error err;
	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		snprintf(name, sizeof name, "event %u", i);
		assert_int_equal(norn_writer_name(w, i, NORN_NO_THREAD, name), 0);
	}
	assert_int_equal(end(w, path, &trace, &err), 0);
	assert_string_equal(norn_trace_name(trace, 199999), "event 199999");
	norn_trace_close(trace);
}

/* Whoever goes through the names goes through those that are there. */
static void numbers_of_names_may_be_any(void **state)
{
	char path[64];
	struct norn_writer *w = begin(path);
	struct norn_trace *trace;
	struct norn_error err;
	(void)state;
	assert_int_equal(norn_writer_name(w, UINT32_MAX, NORN_NO_THREAD, "last"), 0);
	assert_int_equal(norn_writer_name(w, 1, NORN_NO_THREAD, "first"), 0);
	assert_int_equal(end(w, path, &trace, &err), 0);
	assert_string_equal(norn_trace_name(trace, UINT32_MAX), "last");
	assert_string_equal(norn_trace_name_at(trace, 0), "first");
	assert_string_equal(norn_trace_name_at(trace, 1), "last");
	assert_null(norn_trace_name_at(trace, 2));
	norn_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_trace_can_be_read),
	        cmocka_unit_test(sites_are_found),
	        cmocka_unit_test(a_span_is_read_as_a_range),
	        cmocka_unit_test(foreign_files_are_refused),
	        cmocka_unit_test(a_cut_trace_is_refused),
	        cmocka_unit_test(a_flipped_bit_is_refused_or_changes_nothing),
	        cmocka_unit_test(threads_that_are_not_there_are_refused),
	        cmocka_unit_test(an_incomplete_trace_is_read_if_asked_for),
	        cmocka_unit_test(bad_site_tables_are_refused),
	        cmocka_unit_test(overlapping_modules_are_refused),
	        cmocka_unit_test(long_chains_of_threads_have_paths),
	        cmocka_unit_test(names_that_grow_are_refused),
	        cmocka_unit_test(many_names_can_be_read),
	        cmocka_unit_test(numbers_of_names_may_be_any),
	};
	return cmocka_run_group_tests_name("trace reader", tests, NULL, NULL);
}
