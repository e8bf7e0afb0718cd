/* Fuzzing `norn check` as a whole: reader, merge, dependence graph, prediction, witnesses, findings and all reports, on traces with
 * right checksums, and on RAPID's text (any input that does not begin as a trace does); with a file of properties before it, if
 * the first byte says so, for the program that NORN_FUZZ_PROGRAM names.
 *
 * It must end, with an exit status of its own; what it writes as JSON must be JSON, in UTF-8; and on a text, which is a whole run
 * whatever it says, no prediction may be refused by the checker of witnesses. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs/checker.h"
#include "trace/format.h"
#include "trace_bytes.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define PROPERTY 64u /* of the first byte: a text with a NUL behind it comes before the run */

static char directory[64], input[96], property[96], files[NORN_OUTPUTS][96];
static const char *program;

static void name_files(void)
{
	snprintf(directory, sizeof directory, "%s/norn-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	snprintf(input, sizeof input, "%s.trace", directory);
	snprintf(property, sizeof property, "%s.prop", directory);
	program = getenv("NORN_FUZZ_PROGRAM");
	for (unsigned i = 0; i < NORN_OUTPUTS; i++)
		snprintf(files[i], sizeof files[i], "%s.%u", directory, i);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	name_files();
	if (!freopen("/dev/null", "w", stdout))
		abort();
	return 0;
}

/* ---- JSON ---- */

struct text {
	const uint8_t *at, *end;
};

static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_check: %s\n", what);
	abort();
}

static void skip_space(struct text *t)
{
	while (t->at < t->end && strchr(" \n\r\t", *t->at))
		t->at++;
}

/* One character of a string: printable, in UTF-8. */
static void take_character(struct text *t)
{
	uint8_t first = *t->at++;
	unsigned more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 4;
	expect(first >= 0x20 && more < 4, "a control character, or no UTF-8, in JSON");
	if (first == '\\') {
		expect(t->at < t->end && strchr("\"\\/bfnrtu", *t->at), "a wrong escape in JSON");
		t->at++;
	}
	for (; more; more--)
		expect(t->at < t->end && *t->at++ >> 6 == 2, "no UTF-8 in JSON");
}

static void take_string(struct text *t)
{
	expect(t->at < t->end && *t->at == '"', "no string where JSON needs one");
	for (t->at++; t->at < t->end && *t->at != '"';)
		take_character(t);
	expect(t->at++ < t->end, "a string of JSON without its end");
}

static void take_value(struct text *t, unsigned depth);

static void take_list(struct text *t, uint8_t closing, unsigned depth)
{
	t->at++;
	for (skip_space(t); t->at < t->end && *t->at != closing; skip_space(t)) {
		if (closing == '}') {
			take_string(t);
			skip_space(t);
			expect(t->at < t->end && *t->at++ == ':', "no colon in JSON");
		}
		take_value(t, depth + 1);
		skip_space(t);
		expect(t->at < t->end && (*t->at == ',' || *t->at == closing), "a list of JSON goes wrong");
		if (*t->at == ',')
			t->at++;
	}
	expect(t->at++ < t->end, "a list of JSON without its end");
}

static void take_value(struct text *t, unsigned depth)
{
	skip_space(t);
	expect(t->at < t->end && depth < 100, "no value where JSON needs one");
	if (*t->at == '{' || *t->at == '[') {
		take_list(t, *t->at == '{' ? '}' : ']', depth);
	} else if (*t->at == '"') {
		take_string(t);
	} else {
		const uint8_t *from = t->at;
		while (t->at < t->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *t->at))
			t->at++;
		expect(t->at > from, "what is no value in JSON");
	}
}

static char *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	*ret_size = (size_t)ftell(file);
	rewind(file);
	char *text = calloc(1, *ret_size + 1);
	expect(fread(text, 1, *ret_size, file) == *ret_size, "a file that cannot be read");
	fclose(file);
	return text;
}

static void check_json(const char *path, bool whole_run)
{
	size_t size;
	char *text = read_file(path, &size);
	expect(text != NULL, "a report that was not written");
	struct text t = {(const uint8_t *)text, (const uint8_t *)text + size};
	take_value(&t, 0);
	skip_space(&t);
	expect(t.at == t.end, "more than one value in a file of JSON");
	/* Quotes that come from the input are escaped. */
	expect(!whole_run || !strstr(text, "\"reason\":\"refused\""), "a prediction that the checker of witnesses refuses");
	free(text);
}

/* ---- one input: a byte of options, and the file ---- */

static bool is_trace(const uint8_t *data, size_t size)
{
	return size >= 8 && memcmp(data, "NORNTRC\n", 8) == 0;
}

static void write_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	FILE *file = fopen(input, "wb");
	expect(file && copy, "no room for the input");
	memcpy(copy, data, size);
	if (is_trace(data, size))
		trace_repair(copy, size);
	fwrite(copy, 1, size, file);
	fclose(file);
	free(copy);
}

/* Where the run begins. */
static size_t run_at(const uint8_t *data, size_t size)
{
	const uint8_t *end = data[0] & PROPERTY ? memchr(data + 1, 0, size - 1) : NULL;
	return end ? (size_t)(end + 1 - data) : 1;
}

static bool includes(const uint8_t *text, size_t size)
{
	return memmem(text, size, "include", 7) != NULL; /* what is on this machine is not the fuzzer's business */
}

static void write_property(const uint8_t *text, size_t size)
{
	FILE *file = fopen(property, "wb");
	expect(file != NULL, "no room for the properties");
	fwrite(text, 1, size, file);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	size_t at = run_at(data, size);
	if (at > 1 && includes(data + 1, at - 2))
		return 0;
	bool trace = is_trace(data + at, size - at);
	struct norn_checking checking;
	norn_checker_init(&checking, 1);
	checking.trace = input;
	checking.max_memory = 64 << 20;
	checking.max_cuts = 10000;
	checking.effort = 1 + (data[0] & 1 ? 20 : 300);
	checking.infer = data[0] & 2;
	checking.all = data[0] & 4;
	checking.causality = data[0] >> 3 & 3;
	checking.partial = trace;
	checking.quiet = data[0] & 32;
	for (unsigned i = 0; i < NORN_OUTPUTS; i++)
		checking.outputs.paths[i] = files[i];
	if (at > 1) {
		write_property(data + 1, at - 2);
		checking.props[checking.prop_count++] = property;
		checking.program = program;
	}
	write_input(data + at, size - at);
	int status = norn_checker_run(&checking);
	norn_checker_done(&checking);
	expect(status >= 0 && status <= 3, "an exit status that does not exist");
	for (unsigned i = 0; i < NORN_OUTPUTS; i++) {
		if (status != 2 && i != NORN_OUTPUT_HTML && i != NORN_OUTPUT_JUNIT)
			check_json(files[i], !trace);
		unlink(files[i]);
	}
	unlink(input);
	return 0;
}

/* The properties become others; the run stays. */
static size_t mutate_property(uint8_t *data, size_t size, size_t most, size_t at)
{
	static uint8_t text[1 << 14];
	size_t length = at - 2;
	if (length > sizeof text / 2)
		return 0;
	memcpy(text, data + 1, length);
	size_t now = LLVMFuzzerMutate(text, length, sizeof text);
	if (memchr(text, 0, now) || size - length + now > most)
		return 0;
	memmove(data + 1 + now, data + 1 + length, size - 1 - length);
	memcpy(data + 1, text, now);
	return size - length + now;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	size_t at = size > 1 ? run_at(data, size) : 1, mutated = 0;
	if (at > 2 && seed % 8 > 2)
		mutated = mutate_property(data, size, most, at);
	else if (size > at && is_trace(data + at, size - at) && seed % 8)
		mutated = trace_mutate(data + at, size - at, most - at, seed);
	if (!mutated)
		return LLVMFuzzerMutate(data, size, most);
	if (at > 2 && seed % 8 > 2)
		return mutated;
	if (seed % 16 == 1)
		LLVMFuzzerMutate(data, 1, 1);
	return at + mutated;
}
