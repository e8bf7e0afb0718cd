/* A session and its trace file for tests, filled by hand in the steps of trace/session.h, as the runtime does it. */
#ifndef NORN_TESTS_SAMPLE_H
#define NORN_TESTS_SAMPLE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/codec/block.h"
#include "recorder/complete.h"
#include "trace/record.h"
#include "trace/session.h"
#include "trace/site.h"

enum { SAMPLE_SLOTS = 4, SAMPLE_UNITS = 2048 };

/* Where a thread dies while it writes its buffer. */
enum stop {
	STOP_MARKED, /* flushing is set, nothing reserved */
	STOP_RESERVED, /* file_end moved, flush_offset not set */
	STOP_PLACED,
	STOP_HALF_WRITTEN,
	STOP_WRITTEN,
	STOP_EMPTIED, /* pos is base again */
	STOP_COUNTED, /* and sequence the next */
	STOP_NEVER
};

struct sample {
	struct norn_session *session;
	size_t bytes;
	char directory[64], path[128];
	int fd;
	struct norn_workspace *workspace;
	size_t written; /* STOP_HALF_WRITTEN: so many bytes */
	bool windows; /* blocks go into windows, as the runtime's do; else to the file at once */
};

static inline void sample_begin(struct sample *s)
{
	memset(s, 0, sizeof *s);
	strcpy(s->directory, "/dev/shm/norn-test-XXXXXX");
	if (!mkdtemp(s->directory))
		abort();
	s->bytes = norn_session_file_bytes(SAMPLE_SLOTS, SAMPLE_UNITS);
	s->session = calloc(1, s->bytes);
	struct norn_session *n = s->session;
	n->magic = NORN_SESSION_MAGIC;
	n->bytes = sizeof *n;
	n->slots = SAMPLE_SLOTS;
	n->slot_units = SAMPLE_UNITS;
	n->pid = 42;
	n->tsc_hz = 1000000000;
	n->file_end = NORN_HEADER_BYTES;
	snprintf(s->path, sizeof s->path, "%s/trace", s->directory);
	snprintf(n->trace, sizeof n->trace, "%s.part", s->path);
	s->fd = open(n->trace, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct norn_file_header header = {.magic = NORN_FILE_MAGIC, .version = NORN_FILE_VERSION, .state = NORN_STATE_RECORDING};
	header.checksum = norn_header_checksum(&header);
	if (s->fd < 0 || pwrite(s->fd, &header, sizeof header, 0) != sizeof header || ftruncate(s->fd, NORN_HEADER_BYTES) != 0)
		abort();
	size_t bytes = (norn_workspace_bytes(SAMPLE_UNITS) + 63) & ~(size_t)63;
	void *memory = aligned_alloc(64, bytes);
	memset(memory, 0, bytes);
	s->workspace = norn_workspace_init(memory, bytes);
}

static inline void sample_end(struct sample *s)
{
	unlink(s->session->trace);
	unlink(s->path);
	rmdir(s->directory);
	close(s->fd);
	free(s->workspace);
	free(s->session);
}

/* Thread begins to use slot i. Its pointers are those of another process. */
static inline void sample_thread(struct sample *s, uint32_t i, uint32_t thread, uint32_t parent, uint32_t ordinal)
{
	struct norn_slot *slot = &s->session->slot[i];
	slot->base = slot->pos = (uint64_t *)(uintptr_t)(0x7fff00000000 + 0x1000000 * i);
	slot->sequence = 0;
	slot->parent = parent;
	slot->ordinal = ordinal;
	slot->thread = thread;
	if (s->session->used_slots <= i)
		s->session->used_slots = i + 1;
	if (s->session->threads <= thread)
		s->session->threads = thread + 1;
}

static inline void sample_add(struct sample *s, uint32_t i, const uint64_t *record, unsigned units)
{
	struct norn_slot *slot = &s->session->slot[i];
	uint64_t used = ((uintptr_t)slot->pos - (uintptr_t)slot->base) / 8;
	memcpy(norn_session_buffer(s->session, i) + used, record, units * 8);
	slot->pos += units;
}

/* The part of a block that was put before its thread died, up to all of it. */
static inline void sample_put(struct sample *s, const uint8_t *block, size_t bytes, uint64_t offset)
{
	if (!s->windows && pwrite(s->fd, block, bytes, (off_t)offset) != (ssize_t)bytes)
		abort();
	for (size_t i = 0; s->windows && i < bytes; i++, offset++) {
		uint64_t w = offset / NORN_WINDOW_BYTES, place = w % NORN_WINDOWS, first = w ? 0 : NORN_HEADER_BYTES;
		struct norn_window *window = &s->session->window[place];
		char *memory = norn_session_window(s->session, (uint32_t)place);
		memory[offset % NORN_WINDOW_BYTES] = (char)block[i];
		window->turn = 1 + w;
		if (++window->filled + first < NORN_WINDOW_BYTES)
			continue;
		size_t full = NORN_WINDOW_BYTES - first;
		if (pwrite(s->fd, memory + first, full, (off_t)(w * NORN_WINDOW_BYTES + first)) != (ssize_t)full)
			abort();
		window->filled = 0;
		memset(memory, 0, NORN_WINDOW_BYTES);
		window->turn = 1 + w + NORN_WINDOWS;
	}
}

static inline void sample_flush(struct sample *s, uint32_t i, enum stop stop)
{
	struct norn_slot *slot = &s->session->slot[i];
	const struct norn_block_id id = {slot->thread, slot->parent, slot->ordinal, slot->sequence};
	unsigned units = ((uintptr_t)slot->pos - (uintptr_t)slot->base) / 8;
	const uint8_t *block;
	size_t bytes = norn_block_events(s->workspace, &id, norn_session_buffer(s->session, i), units, &block);
	slot->flush_units = units;
	slot->flush_thread = id.thread;
	slot->flush_parent = id.parent;
	slot->flush_ordinal = id.ordinal;
	slot->flush_sequence = id.sequence;
	slot->flush_offset = 0;
	slot->flushing = 1;
	if (stop == STOP_MARKED)
		return;
	uint64_t offset = s->session->file_end;
	s->session->file_end += bytes;
	if (stop == STOP_RESERVED)
		return;
	slot->flush_offset = offset;
	if (stop == STOP_PLACED)
		return;
	size_t write = stop == STOP_HALF_WRITTEN && s->written < bytes ? s->written : bytes;
	sample_put(s, block, write, offset);
	if (stop == STOP_HALF_WRITTEN || stop == STOP_WRITTEN)
		return;
	slot->pos = slot->base;
	if (stop == STOP_EMPTIED)
		return;
	slot->sequence++;
	if (stop == STOP_COUNTED)
		return;
	slot->flushing = 0;
}

static inline void sample_block(
        struct sample *s, enum norn_block_kind kind, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	const uint8_t *block;
	int whole;
	size_t bytes = norn_block_other(s->workspace, kind, a, a_bytes, b, b_bytes, &block, &whole);
	if (!whole)
		abort();
	sample_put(s, block, bytes, s->session->file_end);
	s->session->file_end += bytes;
}

static inline void sample_name(struct sample *s, uint32_t number, uint32_t thread, const char *name)
{
	const struct norn_name_block block = {number, thread};
	sample_block(s, NORN_BLOCK_NAME, &block, sizeof block, name, strlen(name) + 1);
}

struct sample_table {
	struct norn_site_table table;
	struct norn_site sites[3];
	struct norn_frame frames[2];
	char strings[40];
};

static const struct sample_table sample_sites = {
        .table = {.magic = NORN_SITE_MAGIC,
                .version = NORN_SITE_VERSION,
                .level = NORN_INSTRUMENT_LEVEL_SHARED,
                .sites = 3,
                .frames = 2,
                .strings = sizeof sample_sites.strings,
                .source = 1},
        .sites = {{.kind = NORN_SITE_ENTER, .function = 5, .file = 1, .line = 10, .name = 5},
                {.kind = NORN_SITE_READ, .size = 8, .function = 5, .file = 1, .line = 11, .name = 10, .type = 16, .inlined_at = 2},
                {.kind = NORN_SITE_WRITE, .size = 8, .function = 5, .file = 1, .line = 12, .name = 10, .type = 16}},
        .frames = {{.function = 21, .file = 1, .line = 20}, {.function = 5, .file = 1, .line = 21, .inlined_at = 1}},
        .strings = "\0a.c\0work\0total\0long\0main",
};

static inline void sample_module(struct sample *s, uint32_t base, const void *table, size_t bytes)
{
	struct {
		struct norn_module_block block;
		char path[16];
	} head = {.block = {.base = base, .path_bytes = 16}, .path = "/bin/prog"};
	sample_block(s, NORN_BLOCK_MODULE, &head, sizeof head, table, bytes);
}

static inline int sample_complete(struct sample *s, struct norn_completion *ret_completion, struct norn_error *err)
{
	static const char *const more[] = {"directory=/tmp", "empty=", NULL};
	const struct norn_completion_info info = {.exit_status = 256, .start_seconds = 1000, .command = "./prog 1 2", .more = more};
	return norn_complete(s->session, s->bytes, &info, s->path, ret_completion, err);
}

#endif
