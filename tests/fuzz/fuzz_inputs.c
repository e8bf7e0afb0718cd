/* Fuzzing smaller inputs, told apart by the first byte: suppressions (s), models of effects (m), messages of the observer's
 * protocol (w, and the type), ELF files (e), results and baselines (b). What is refused is refused with a sentence; what is a
 * message is one again when it is put anew, and findings that were read are the same when they were written and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "effects/user_model.h"
#include "finding/suppress.h"
#include "jobs/results/known_findings.h"
#include "observer/wire.h"
#include "program/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void read_suppressions(const uint8_t *data, size_t size)
{
	struct norn_suppressions suppressions = {0};
	struct norn_error err = {0};
	FILE *from = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	if (!from)
		return;
	int r = norn_suppressions_read(&suppressions, from, "input", &err);
	expect(r == 0 || err.message[0]);
	for (uint32_t i = 0; r == 0 && i < suppressions.count; i++)
		expect(suppressions.list[i].line > 0 && suppressions.list[i].text);
	fclose(from);
	norn_suppressions_done(&suppressions);
}

static void read_model(const uint8_t *data, size_t size)
{
	struct norn_effects_model *model;
	struct norn_error err = {0};
	char *text = strndup((const char *)data, size);
	if (norn_effects_model_parse(text, "input", &model, &err) == 0)
		norn_effects_model_free(model);
	else
		expect(err.message[0]);
	free(text);
}

static void read_message(const uint8_t *data, size_t size)
{
	union {
		struct norn_wire_hello hello;
		struct norn_wire_refused refused;
		struct norn_wire_module module;
		struct norn_wire_ready ready;
		struct norn_wire_thread thread;
		struct norn_wire_lost lost;
		struct norn_wire_end end;
		struct norn_wire_bye bye;
		struct norn_wire_wait wait;
	} first, second;
	static struct norn_wire_event event;
	static char frame[1 << 20];
	enum norn_wire_type type = data[0] % NORN_WIRE_TYPES;
	struct norn_wire_text payload = {(const char *)data + 1, size - 1};
	if (type == NORN_WIRE_EVENT) {
		norn_wire_get_event(payload, &event);
		return;
	}
	if (type == 0 || type == NORN_WIRE_WELCOME || type == NORN_WIRE_FILTER || norn_wire_get(payload, type, &first) != 0)
		return;
	size_t length = norn_wire_put(frame, sizeof frame, type, &first);
	expect(length >= NORN_WIRE_OVERHEAD && length <= sizeof frame);
	struct norn_wire_text again = {frame + NORN_WIRE_HEADER, length - NORN_WIRE_OVERHEAD};
	expect(norn_wire_get(again, type, &second) == 0);
}

static const char *put_file(const uint8_t *data, size_t size)
{
	static char path[64];
	if (!path[0])
		snprintf(path, sizeof path, "%s/norn-fuzz-%d", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", getpid());
	FILE *file = fopen(path, "wb");
	expect(file != NULL);
	fwrite(data, 1, size, file);
	fclose(file);
	return path;
}

static void read_known(const uint8_t *data, size_t size)
{
	struct norn_known_findings known = {0}, again = {0};
	struct norn_error err = {0};
	char *text = NULL;
	size_t length;
	if (norn_known_findings_read(put_file(data, size), &known, &err) != 0) {
		expect(err.message[0]);
		return;
	}
	FILE *to = open_memstream(&text, &length);
	norn_known_findings_write(&known, to);
	fclose(to);
	expect(norn_known_findings_read(put_file((const uint8_t *)text, length), &again, &err) == 0);
	expect(again.count == known.count);
	for (uint32_t i = 0; i < known.count; i++) {
		const struct norn_known_finding *same = norn_known_findings_get(&again, known.items[i].fingerprint);
		expect(same && strcmp(same->id, known.items[i].id) == 0);
	}
	norn_known_findings_done(&known);
	norn_known_findings_done(&again);
	free(text);
}

static void read_program(const uint8_t *data, size_t size)
{
	struct norn_error err = {0};
	const char *path = put_file(data, size);
	struct norn_program *program = norn_program_new();
	expect(norn_program_add(program, path, 0, &err) == 0 || err.message[0]);
	norn_program_free(program);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	switch (data[0]) {
	case 's':
		read_suppressions(data + 1, size - 1);
		break;
	case 'm':
		read_model(data + 1, size - 1);
		break;
	case 'w':
		read_message(data + 1, size - 1);
		break;
	case 'e':
		read_program(data + 1, size - 1);
		break;
	case 'b':
		read_known(data + 1, size - 1);
		break;
	}
	return 0;
}
