/* Fuzzing the trace: any bytes as a file, through reader, merge and verifier. Checksums would keep nearly all inputs out, so the
 * harness puts them right first: header, and every block whose header can be found.
 *
 * With the bytes "RECORDS" in front the input is taken as raw records instead, dealt out to four threads, and written to a valid
 * file: that leads past the codec straight into the merge. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/merge.h"
#include "run/rapid.h"
#include "trace/record.h"
#include "trace/verify.h"
#include "trace/writer.h"
#include "trace_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *arg, const char *sentence)
{
	if (!*sentence)
		abort();
}

/* Whatever it is, it must be read, checked and converted without a crash, and what is refused is refused with a sentence. */
static void read_all(const char *path, bool partial)
{
	struct norn_trace *trace;
	struct norn_error err = {0};
	struct norn_verify_result verdict;
	struct norn_rapid_export exported;
	if (norn_trace_open(path, partial, &trace, &err) != 0) {
		ignore(NULL, err.message);
		return;
	}
	if (norn_trace_threads(trace) <= 10000) {
		if (norn_verify(trace, 3, ignore, NULL, &verdict, &err) != 0)
			ignore(NULL, err.message);
		FILE *sink = fopen("/dev/null", "w");
		if (norn_rapid_export(trace, sink, &exported, &err) != 0)
			ignore(NULL, err.message);
		fclose(sink);
	}
	norn_trace_close(trace);
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		abort();
	uint8_t *copy = malloc(size + 1);
	memcpy(copy, data, size);
	trace_repair(copy, size);
	fwrite(copy, 1, size, file);
	fclose(file);
	free(copy);
}

/* Each record: a byte for the thread, then units as far as they make a record. */
static bool write_records(const char *path, const uint8_t *data, size_t size)
{
	struct norn_writer *writer;
	struct norn_error err = {0};
	struct norn_file_header header = {.tsc_hz = 1000000000u};
	if (size < 2 || norn_writer_new(path, &writer, &err) != 0)
		return false;
	header.exit_status = data[0] & 1 ? 9 : 0;
	header.lost_events = data[0] >> 1 & 1;
	bool forks = data[0] & 4;
	data++;
	size--;
	for (uint32_t t = 1; t < 4; t++)
		norn_writer_thread(writer, t, forks ? 0 : NORN_NO_THREAD, forks ? t : 0);
	while (size > 8) {
		uint64_t record[64] = {0};
		uint32_t thread = data[0] & 3;
		size_t bytes = size - 1 < sizeof record ? (size - 1) & ~(size_t)7 : sizeof record;
		memcpy(record, data + 1, bytes);
		/* Few addresses and small versions, or hardly any two records would ever meet. */
		if (!(data[0] & 4) && norn_record_tag(record[0]) != NORN_TAG_THREAD)
			record[0] = (record[0] & 0xffff) | (record[0] & 0x380000) << 3 | UINT64_C(0x1000) << 16;
		unsigned units = norn_record_units(record, (unsigned)(bytes / 8));
		if (units && norn_record_tag(record[0]) != NORN_TAG_RANGE && units > 1 && !(data[0] & 8))
			record[1] &= UINT64_C(0x0000000fffffffff);
		if (units)
			norn_writer_record(writer, thread, record, units);
		size -= 1 + (units ? units * 8 : 8);
		data += 1 + (units ? units * 8 : 8);
	}
	bool whole = norn_writer_finish(writer, &header, &err) == 0;
	norn_writer_free(writer);
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	if (!path[0])
		snprintf(path, sizeof path, "%s/norn-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	if (size > 7 && memcmp(data, "RECORDS", 7) == 0) {
		if (write_records(path, data + 7, size - 7))
			read_all(path, false);
	} else {
		write_bytes(path, data, size);
		read_all(path, false);
		read_all(path, true);
	}
	unlink(path);
	return 0;
}
