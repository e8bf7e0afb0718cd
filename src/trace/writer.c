#include "trace/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/must.h"
#include "trace/codec/block.h"
#include "trace/record.h"

#define BUFFER_UNITS 8192u

struct writer_stream {
	uint64_t *units;
	unsigned used;
	uint32_t parent, ordinal;
	uint64_t sequence;
};

struct norn_writer {
	FILE *file;
	char *path, *part;
	int failed;
	void *memory;
	struct norn_workspace *workspace;
	NORN_VECTOR(struct writer_stream) streams;
	NORN_VECTOR(struct norn_footer_block) index;
	uint64_t end, events;
	NORN_VECTOR(char) info;
};

static int fail(struct norn_writer *w, int code)
{
	if (!w->failed)
		w->failed = code;
	return w->failed;
}

static void write_bytes(struct norn_writer *w, const void *bytes, size_t count)
{
	if (!w->failed && count && fwrite(bytes, 1, count, w->file) != count)
		fail(w, errno ? -errno : -EIO);
}

int norn_writer_new(const char *path, struct norn_writer **ret_writer, struct norn_error *err)
{
	struct norn_writer *w = norn_must_calloc(1, sizeof *w);
	size_t bytes = (norn_workspace_bytes(BUFFER_UNITS) + 63) / 64 * 64;
	w->path = norn_must_text(path);
	w->memory = norn_must(aligned_alloc(64, bytes));
	w->workspace = norn_workspace_init(memset(w->memory, 0, bytes), bytes);
	int fd = norn_make_part(path, &w->part), code = -errno;
	w->file = fd < 0 ? NULL : norn_must(fdopen(fd, "wb"));
	if (!w->file) {
		norn_error_set(err, code, "%s cannot be written: %s", w->part, strerror(-code));
		free(w->part);
		w->part = NULL;
		norn_writer_free(w);
		return code;
	}
	static const char blank[NORN_HEADER_BYTES];
	write_bytes(w, blank, sizeof blank);
	w->end = sizeof blank;
	*ret_writer = w;
	return 0;
}

void norn_writer_free(struct norn_writer *writer)
{
	if (!writer)
		return;
	if (writer->file) {
		fclose(writer->file);
		remove(writer->part);
	}
	for (uint32_t i = 0; i < writer->streams.count; i++)
		free(writer->streams.items[i].units);
	norn_vector_done(&writer->streams);
	norn_vector_done(&writer->index);
	norn_vector_done(&writer->info);
	free(writer->memory);
	free(writer->path);
	free(writer->part);
	free(writer);
}

/* A block was written: notes it for the footer. */
static int note_block(struct norn_writer *w, const struct norn_block_header *header)
{
	norn_must_push(&w->index, (struct norn_footer_block){.offset = w->end,
	                                  .sequence = header->sequence,
	                                  .thread = header->thread,
	                                  .kind = header->kind,
	                                  .records = header->records,
	                                  .stored = header->stored});
	w->events += header->records;
	w->end += norn_block_span(header);
	return w->failed;
}

static int write_other(
        struct norn_writer *w, enum norn_block_kind kind, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
	static const char zeros[8];
	const uint8_t *block;
	int whole;
	struct norn_block_header header;
	size_t bytes = norn_block_other(w->workspace, kind, a, a_bytes, b, b_bytes, &block, &whole);
	memcpy(&header, block, sizeof header);
	write_bytes(w, block, bytes);
	if (!whole) {
		write_bytes(w, a, a_bytes);
		write_bytes(w, b, b_bytes);
		write_bytes(w, zeros, norn_block_span(&header) - sizeof header - header.stored);
	}
	if (kind == NORN_BLOCK_FOOTER) {
		w->end += norn_block_span(&header);
		return w->failed;
	}
	return note_block(w, &header);
}

static struct writer_stream *stream_of(struct norn_writer *w, uint32_t thread)
{
	while (thread >= w->streams.count)
		norn_must_add(&w->streams);
	return &w->streams.items[thread];
}

int norn_writer_thread(struct norn_writer *writer, uint32_t thread, uint32_t parent, uint32_t ordinal)
{
	struct writer_stream *s = stream_of(writer, thread);
	s->parent = parent;
	s->ordinal = ordinal;
	return writer->failed;
}

int norn_writer_flush(struct norn_writer *writer, uint32_t thread)
{
	struct writer_stream *s = stream_of(writer, thread);
	if (!s->used)
		return writer->failed;
	const struct norn_block_id id = {.thread = thread, .parent = s->parent, .ordinal = s->ordinal, .sequence = s->sequence++};
	const uint8_t *block;
	size_t bytes = norn_block_events(writer->workspace, &id, s->units, s->used, &block);
	struct norn_block_header header;
	memcpy(&header, block, sizeof header);
	write_bytes(writer, block, bytes);
	s->used = 0;
	return note_block(writer, &header);
}

int norn_writer_record(struct norn_writer *writer, uint32_t thread, const uint64_t *record, unsigned units)
{
	struct writer_stream *s = stream_of(writer, thread);
	if (!s->units)
		s->units = norn_must_alloc(BUFFER_UNITS, sizeof *s->units);
	if (s->used + units > BUFFER_UNITS)
		norn_writer_flush(writer, thread);
	memcpy(&s->units[s->used], record, units * sizeof *record);
	s->used += units;
	return writer->failed;
}

int norn_writer_module(
        struct norn_writer *writer, uint32_t base, const char *path, const struct norn_site_table *table, size_t table_bytes)
{
	size_t path_bytes = (strlen(path) + 8) / 8 * 8;
	struct norn_module_block head = {.base = base, .path_bytes = path_bytes};
	char *first = norn_must_calloc(1, sizeof head + path_bytes);
	memcpy(first, &head, sizeof head);
	memcpy(first + sizeof head, path, strlen(path));
	int r = write_other(writer, NORN_BLOCK_MODULE, first, sizeof head + path_bytes, table, table_bytes);
	free(first);
	return r;
}

int norn_writer_name(struct norn_writer *writer, uint32_t number, uint32_t thread, const char *name)
{
	struct norn_name_block head = {.number = number, .thread = thread};
	return write_other(writer, NORN_BLOCK_NAME, &head, sizeof head, name, strlen(name) + 1);
}

void norn_writer_info(struct norn_writer *writer, const char *key_value)
{
	do {
		norn_must_push(&writer->info, *key_value);
	} while (*key_value++);
}

static void write_end(struct norn_writer *w, const struct norn_file_header *given)
{
	for (uint32_t i = 0; i < w->streams.count; i++)
		norn_writer_flush(w, i);
	if (w->info.count)
		write_other(w, NORN_BLOCK_INFO, w->info.items, w->info.count, NULL, 0);
	struct norn_footer footer = {.blocks = w->index.count};
	uint64_t at = w->end;
	write_other(w, NORN_BLOCK_FOOTER, &footer, sizeof footer, w->index.items, w->index.count * sizeof *w->index.items);
	struct norn_file_header header = *given;
	memcpy(header.magic, NORN_FILE_MAGIC, sizeof header.magic);
	header.version = NORN_FILE_VERSION;
	header.state = NORN_STATE_COMPLETE;
	header.file_bytes = w->end;
	header.footer = at;
	header.events = w->events;
	header.threads = w->streams.count;
	header.checksum = norn_header_checksum(&header);
	if (!w->failed && fseek(w->file, 0, SEEK_SET) != 0)
		fail(w, -errno);
	write_bytes(w, &header, sizeof header);
}

int norn_writer_finish(struct norn_writer *writer, const struct norn_file_header *header, struct norn_error *err)
{
	write_end(writer, header);
	if (fclose(writer->file) != 0)
		fail(writer, -errno);
	writer->file = NULL;
	if (!writer->failed && rename(writer->part, writer->path) != 0)
		fail(writer, -errno);
	if (!writer->failed)
		return 0;
	remove(writer->part);
	return norn_error_set(err, writer->failed, "%s cannot be written: %s", writer->path, strerror(-writer->failed));
}
