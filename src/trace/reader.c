#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/must.h"
#include "base/text/printable.h"
#include "trace/codec/block.h"
#include "trace/trace_state.h"
#include "trace/codec/codec.h"
#include "trace/record.h"
#include "trace/scan.h"

int norn_trace_damaged(const struct norn_trace *trace, struct norn_error *err, const char *format, ...)
{
	if (!err)
		return -EBADMSG;
	va_list args;
	va_start(args, format);
	vsnprintf(err->message, sizeof err->message, format, args);
	va_end(args);
	snprintf(err->file, sizeof err->file, "%s", trace->path);
	return -EBADMSG;
}

/* ---- blocks ---- */

/* No payload is larger, so that a small file does not take all memory. */
static uint64_t most_bytes(const struct norn_block_header *header)
{
	return header->kind == NORN_BLOCK_EVENTS ? norn_codec_bound(header->units) : (1u << 20) + UINT64_C(1024) * header->stored;
}

/* Limits of what stays in memory while a trace is open: this much, and this much for each byte of the file. Blocks that are all
 * alike, and shrink to nothing, are in no trace that was recorded. */
#define KEPT_BYTES (UINT64_C(64) << 20)
#define KEPT_TIMES 64u
#define ENTRY_BYTES 48u /* of an entry in a list, and of its text's place in memory */

int norn_trace_keep(struct norn_trace *t, uint64_t bytes, struct norn_error *err)
{
	t->kept += bytes;
	if (t->kept <= KEPT_BYTES + KEPT_TIMES * t->bytes)
		return 0;
	return norn_trace_damaged(t, err, "its names and modules would take more memory than a file of %llu bytes can need",
	        (unsigned long long)t->bytes);
}

static int decompress(const struct norn_trace *trace, uint64_t offset, const struct norn_block_header *header,
        const uint8_t *stored, uint8_t **buffer, size_t *buffer_bytes, struct norn_error *err)
{
	if (header->bytes > most_bytes(header) || ZSTD_getFrameContentSize(stored, header->stored) != header->bytes)
		return norn_trace_damaged(trace, err, "the block at offset %llu has a wrong length", (unsigned long long)offset);
	if (*buffer_bytes < header->bytes) {
		*buffer = norn_must_realloc(*buffer, header->bytes, 1);
		*buffer_bytes = header->bytes;
	}
	if (ZSTD_decompress(*buffer, header->bytes, stored, header->stored) != header->bytes)
		return norn_trace_damaged(
		        trace, err, "the block at offset %llu cannot be decompressed", (unsigned long long)offset);
	return 0;
}

int norn_trace_unpack(const struct norn_trace *trace, uint64_t offset, struct norn_block_header *ret_header, uint8_t **buffer,
        size_t *buffer_bytes, const uint8_t **ret_payload, struct norn_error *err)
{
	struct norn_block_header header;
	if (!norn_scan_valid(trace->data, trace->bytes, offset, &header))
		return norn_trace_damaged(trace, err, "the block at offset %llu is damaged", (unsigned long long)offset);
	const uint8_t *stored = trace->data + offset + sizeof header;
	*ret_header = header;
	*ret_payload = stored;
	if (header.flags & NORN_BLOCK_ZSTD) {
		int r = decompress(trace, offset, &header, stored, buffer, buffer_bytes, err);
		*ret_payload = *buffer;
		return r;
	}
	if (header.bytes != header.stored)
		return norn_trace_damaged(trace, err, "the block at offset %llu has a wrong length", (unsigned long long)offset);
	return 0;
}

/* As norn_trace_unpack, into memory of its own with a NUL after it. */
static int unpack_copy(
        const struct norn_trace *trace, uint64_t offset, uint8_t **ret_payload, size_t *ret_bytes, struct norn_error *err)
{
	uint8_t *buffer = NULL;
	size_t buffer_bytes = 0;
	struct norn_block_header header;
	const uint8_t *payload;
	int r = norn_trace_unpack(trace, offset, &header, &buffer, &buffer_bytes, &payload, err);
	if (r < 0) {
		free(buffer);
		return r;
	}
	*ret_payload = (uint8_t *)norn_must_text_n((const char *)payload, header.bytes);
	free(buffer);
	*ret_bytes = header.bytes;
	return 0;
}

/* True if an entry of the index is possible at its offset; the payload is checked when it is read. */
static bool entry_plausible(
        const struct norn_trace *trace, const struct norn_block_entry *entry, const struct norn_block_header *header)
{
	if (header->kind != entry->kind || header->thread != entry->thread || header->records != entry->records ||
	        header->sequence != entry->sequence || header->flags & ~NORN_BLOCK_ZSTD)
		return false;
	if (header->kind != NORN_BLOCK_EVENTS)
		return header->thread == 0 && header->records == 0 && header->units == 0;
	return header->thread < trace->header.threads && header->units > 0 && header->units <= NORN_BLOCK_UNITS &&
	       header->records <= header->units;
}

static int by_place(const void *a, const void *b)
{
	const struct norn_block_entry *x = a, *y = b;
	bool x_other = x->kind != NORN_BLOCK_EVENTS, y_other = y->kind != NORN_BLOCK_EVENTS;
	if (x_other != y_other)
		return x_other ? 1 : -1;
	if (x_other)
		return x->offset < y->offset ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return 0;
}

/* ---- the index: from the footer, or by looking ---- */

static int read_footer_block(struct norn_trace *t, uint64_t *at, const struct norn_footer_block *f, struct norn_block_entry *entry,
        struct norn_error *err)
{
	struct norn_block_header header;
	if (f->offset != *at || t->header.footer - *at < sizeof header)
		return norn_trace_damaged(
		        t, err, "the index names a block at offset %llu, but there is none", (unsigned long long)f->offset);
	memcpy(&header, t->data + *at, sizeof header);
	*entry = (struct norn_block_entry){
	        .offset = f->offset, .sequence = f->sequence, .thread = f->thread, .records = f->records, .kind = f->kind};
	if (header.magic != NORN_BLOCK_MAGIC || header.kind == 0 || header.kind >= NORN_BLOCK_FOOTER ||
	        header.stored != f->stored || norn_block_span(&header) > t->header.footer - *at ||
	        !entry_plausible(t, entry, &header))
		return norn_trace_damaged(t, err, "the block at offset %llu is damaged", (unsigned long long)f->offset);
	*at += norn_block_span(&header);
	return 0;
}

static int read_footer(struct norn_trace *t, struct norn_error *err)
{
	uint8_t *payload;
	size_t bytes;
	struct norn_block_header header;
	if (t->header.footer % 8 || t->header.footer < NORN_HEADER_BYTES ||
	        !norn_scan_valid(t->data, t->bytes, t->header.footer, &header) || header.kind != NORN_BLOCK_FOOTER ||
	        t->header.footer + norn_block_span(&header) != t->bytes)
		return norn_trace_damaged(t, err, "the trace's index is damaged");
	if (header.bytes > sizeof(struct norn_footer) + t->bytes / sizeof header * sizeof(struct norn_footer_block))
		return norn_trace_damaged(t, err, "the trace's index is damaged");
	int r = unpack_copy(t, t->header.footer, &payload, &bytes, err);
	if (r < 0)
		return r;
	struct norn_footer footer = {0};
	if (bytes >= sizeof footer)
		memcpy(&footer, payload, sizeof footer);
	if (bytes < sizeof footer || (bytes - sizeof footer) % sizeof(struct norn_footer_block) ||
	        footer.blocks != (bytes - sizeof footer) / sizeof(struct norn_footer_block)) {
		free(payload);
		return norn_trace_damaged(t, err, "the trace's index is damaged");
	}
	uint64_t at = NORN_HEADER_BYTES;
	norn_must_reserve(&t->blocks, footer.blocks);
	for (size_t i = 0; i < footer.blocks && r == 0; i++) {
		struct norn_footer_block f;
		memcpy(&f, payload + sizeof footer + i * sizeof f, sizeof f);
		r = read_footer_block(t, &at, &f, norn_must_add(&t->blocks), err);
	}
	free(payload);
	if (r == 0 && at != t->header.footer)
		return norn_trace_damaged(t, err, "the trace's index is damaged: it misses blocks");
	return r;
}

/* A trace that was never completed: takes every whole block that there is. */
static void find_blocks(struct norn_trace *t)
{
	uint64_t at = NORN_HEADER_BYTES;
	struct norn_block_header header;
	t->header.threads = 0;
	t->header.events = 0;
	while ((at = norn_scan_next(t->data, t->bytes, at, &header)) < t->bytes) {
		if (header.kind == NORN_BLOCK_EVENTS && header.thread < NORN_THREADS && header.thread >= t->header.threads)
			t->header.threads = header.thread + 1;
		struct norn_block_entry entry = {.offset = at,
		        .sequence = header.sequence,
		        .thread = header.thread,
		        .records = header.records,
		        .kind = header.kind};
		if (header.kind < NORN_BLOCK_FOOTER && entry_plausible(t, &entry, &header)) {
			norn_must_push(&t->blocks, entry);
			t->header.events += header.records;
		}
		at += norn_block_span(&header);
	}
}

/* ---- threads ---- */

/* The thread that blocks[i] begins, up to where its blocks end; blocks that come after a gap are left out. */
static int index_thread(struct norn_trace *t, size_t *i, struct norn_error *err)
{
	const struct norn_block_entry *first = &t->blocks.items[*i];
	struct norn_thread_entry *thread = &t->threads[first->thread];
	struct norn_block_header header;
	thread->first = *i;
	bool gap = false;
	for (; *i < t->blocks.count && t->blocks.items[*i].kind == NORN_BLOCK_EVENTS && t->blocks.items[*i].thread == first->thread;
	        ++*i) {
		gap |= t->blocks.items[*i].sequence != thread->info.blocks;
		if (gap)
			continue;
		thread->info.blocks++;
		thread->info.records += t->blocks.items[*i].records;
	}
	if (gap && t->header.state == NORN_STATE_COMPLETE)
		return norn_trace_damaged(t, err, "a block of thread %u is missing, or there twice", first->thread);
	if (thread->info.blocks == 0)
		return 0;
	if (!norn_scan_valid(t->data, t->bytes, first->offset, &header))
		return norn_trace_damaged(t, err, "the block at offset %llu is damaged", (unsigned long long)first->offset);
	if (header.ordinal && header.parent >= first->thread)
		return norn_trace_damaged(t, err, "thread %u has an impossible parent", first->thread);
	thread->ordinal = header.ordinal;
	thread->info.parent = header.ordinal ? header.parent : NORN_NO_THREAD;
	return 0;
}

/* Memory is taken for each thread of a trace: so it must have them. A thread that was killed at once may have left no block. */
static bool threads_plausible(const struct norn_trace *t)
{
	uint64_t count = 0;
	for (size_t i = 0; i < t->blocks.count && t->blocks.items[i].kind == NORN_BLOCK_EVENTS; i++)
		count += i == 0 || t->blocks.items[i].thread != t->blocks.items[i - 1].thread;
	return t->header.threads <= 64 + 4 * count;
}

static int index_threads(struct norn_trace *t, struct norn_error *err)
{
	if (!threads_plausible(t))
		return norn_trace_damaged(t, err, "it speaks of %u threads, but has not their events", t->header.threads);
	t->threads = norn_must_calloc((size_t)t->header.threads + 1, sizeof *t->threads);
	for (uint32_t i = 0; i < t->header.threads; i++)
		t->threads[i].info.parent = NORN_NO_THREAD;
	uint64_t records = 0;
	size_t i = 0;
	while (i < t->blocks.count && t->blocks.items[i].kind == NORN_BLOCK_EVENTS) {
		uint32_t thread = t->blocks.items[i].thread;
		int r = index_thread(t, &i, err);
		if (r < 0)
			return r;
		records += t->threads[thread].info.records;
	}
	if (t->header.state == NORN_STATE_COMPLETE && records != t->header.events)
		return norn_trace_damaged(t, err, "the blocks hold %llu events, the header says %llu", (unsigned long long)records,
		        (unsigned long long)t->header.events);
	return 0;
}

/* Parents have lower numbers (index_thread checked that), so this ends. Iterative, since chains of threads can be long: finds the
 * nearest ancestor with a path, then names its descendants one by one. */
static const char *path_of(struct norn_thread_entry *threads, uint32_t thread)
{
	while (!threads[thread].path) {
		uint32_t at = thread, parent = threads[at].info.parent;
		while (parent != NORN_NO_THREAD && !threads[parent].path) {
			at = parent;
			parent = threads[at].info.parent;
		}
		if (at == 0)
			threads[at].path = norn_must_text("main");
		else if (parent == NORN_NO_THREAD || strlen(threads[parent].path) > NORN_PATH_TEXT - 12)
			threads[at].path = norn_must_format("main/?%u", at);
		else
			threads[at].path = norn_must_format("%s/%u", threads[parent].path, threads[at].ordinal);
	}
	return threads[thread].path;
}

const struct norn_thread_info *norn_trace_thread(const struct norn_trace *trace, uint32_t thread)
{
	if (thread >= trace->header.threads)
		return NULL;
	struct norn_thread_entry *entry = &trace->threads[thread];
	if (!entry->info.path)
		entry->info.path = path_of(trace->threads, thread);
	entry->info.name = entry->name;
	return &entry->info;
}

uint32_t norn_trace_threads(const struct norn_trace *trace)
{
	return trace->header.threads;
}

/* ---- names, information, modules ---- */

static int add_module(struct norn_trace *t, uint8_t *payload, size_t bytes, struct norn_error *err)
{
	struct norn_module_entry entry;
	int r = norn_module_check(t, &payload, bytes, &entry, err);
	if (r < 0)
		free(payload);
	else
		norn_must_push(&t->modules, entry);
	return r;
}

static int add_name(struct norn_trace *t, uint8_t *payload, size_t bytes, struct norn_error *err)
{
	struct norn_name_block block;
	if (bytes <= sizeof block || payload[bytes - 1] != 0)
		return norn_trace_damaged(t, err, "a name's block is damaged");
	memcpy(&block, payload, sizeof block);
	int r = norn_trace_keep(t, ENTRY_BYTES + UINT64_C(4) * bytes, err); /* a byte may take four to be shown */
	if (r < 0)
		return r;
	char *text = norn_printable((const char *)payload + sizeof block, false); /* the program may have given any */
	if (block.thread == NORN_NO_THREAD) {
		norn_must_push(&t->names, (struct norn_name_entry){block.number, text});
	} else if (block.thread < t->header.threads) {
		free(t->threads[block.thread].name);
		t->threads[block.thread].name = text;
	} else if (t->header.state == NORN_STATE_RECORDING) {
		free(text); /* the thread's first events are among what is missing */
	} else {
		free(text);
		return norn_trace_damaged(
		        t, err, "a name is given to thread %u, but there are %u", block.thread, t->header.threads);
	}
	return 0;
}

static int add_info(struct norn_trace *t, uint8_t *payload, size_t bytes, struct norn_error *err)
{
	if (bytes && payload[bytes - 1] != 0)
		return norn_trace_damaged(t, err, "the trace's information block is damaged");
	int r = 0;
	for (size_t at = 0, length; r == 0 && at < bytes; at += length) {
		length = strlen((char *)payload + at) + 1;
		if ((r = norn_trace_keep(t, ENTRY_BYTES + length, err)) == 0)
			norn_must_push(&t->infos, norn_must_text((char *)payload + at));
	}
	return r;
}

static int add_other(struct norn_trace *t, const struct norn_block_entry *block, struct norn_error *err)
{
	uint8_t *payload;
	size_t bytes;
	struct norn_block_header header;
	if (block->kind == NORN_BLOCK_PAD)
		return norn_scan_valid(t->data, t->bytes, block->offset, &header)
		               ? 0
		               : norn_trace_damaged(
		                         t, err, "the block at offset %llu is damaged", (unsigned long long)block->offset);
	int r = unpack_copy(t, block->offset, &payload, &bytes, err);
	if (r == 0 && block->kind == NORN_BLOCK_MODULE && (r = norn_trace_keep(t, bytes, err)) < 0)
		free(payload);
	if (r < 0)
		return r;
	if (block->kind == NORN_BLOCK_MODULE)
		return add_module(t, payload, bytes, err);
	r = block->kind == NORN_BLOCK_NAME ? add_name(t, payload, bytes, err) : add_info(t, payload, bytes, err);
	free(payload);
	return r;
}

static int by_base(const void *a, const void *b)
{
	const struct norn_module_entry *x = a, *y = b;
	return x->base < y->base ? -1 : x->base > y->base;
}

static int by_number(const void *a, const void *b)
{
	const struct norn_name_entry *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int index_others(struct norn_trace *t, struct norn_error *err)
{
	size_t first = 0;
	while (first < t->blocks.count && t->blocks.items[first].kind == NORN_BLOCK_EVENTS)
		first++;
	for (size_t i = first; i < t->blocks.count; i++) {
		int r = add_other(t, &t->blocks.items[i], err);
		if (r < 0)
			return r;
	}
	if (t->modules.count)
		qsort(t->modules.items, t->modules.count, sizeof *t->modules.items, by_base);
	if (t->names.count)
		qsort(t->names.items, t->names.count, sizeof *t->names.items, by_number);
	for (size_t i = 1; i < t->modules.count; i++) {
		if (t->modules.items[i].base - t->modules.items[i - 1].base < t->modules.items[i - 1].table->sites)
			return norn_trace_damaged(t, err, "the sites of two modules overlap: %s and %s",
			        t->modules.items[i - 1].path, t->modules.items[i].path);
	}
	return 0;
}

const char *norn_trace_name_at(const struct norn_trace *trace, uint32_t i)
{
	return i < trace->names.count ? trace->names.items[i].text : NULL;
}

const char *norn_trace_name(const struct norn_trace *trace, uint32_t name)
{
	const struct norn_name_entry key = {.number = name};
	const struct norn_name_entry *found =
	        trace->names.count ? bsearch(&key, trace->names.items, trace->names.count, sizeof key, by_number) : NULL;
	return found ? found->text : "";
}

const char *norn_trace_info_next(const struct norn_trace *trace, const char *key, uint32_t *cursor)
{
	size_t length = strlen(key);
	while (*cursor < trace->infos.count) {
		const char *info = trace->infos.items[(*cursor)++];
		if (strncmp(info, key, length) == 0 && info[length] == '=')
			return info + length + 1;
	}
	return NULL;
}

const char *norn_trace_info(const struct norn_trace *trace, const char *key)
{
	uint32_t cursor = 0;
	return norn_trace_info_next(trace, key, &cursor);
}

const char *norn_trace_path(const struct norn_trace *trace)
{
	return trace->path;
}

const struct norn_file_header *norn_trace_header(const struct norn_trace *trace)
{
	return &trace->header;
}

/* ---- opening ---- */

static int map_file(struct norn_trace *t, struct norn_error *err)
{
	struct stat status;
	int fd = open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return norn_error_set(err, -errno, "cannot open %s: %s", t->path, strerror(errno));
	int r = 0;
	if (fstat(fd, &status) < 0)
		r = norn_error_set(err, -errno, "cannot read %s: %s", t->path, strerror(errno));
	else if (!S_ISREG(status.st_mode))
		r = norn_error_set(err, -EINVAL, "%s is no regular file", t->path);
	else if (status.st_size < (off_t)sizeof t->header)
		r = norn_trace_damaged(t, err, "this is no trace: it is too short");
	if (r == 0) {
		t->bytes = status.st_size;
		void *data = mmap(NULL, t->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED)
			r = norn_error_set(err, -errno, "cannot map %s: %s", t->path, strerror(errno));
		else
			t->data = data;
	}
	close(fd);
	return r;
}

static int check_header(struct norn_trace *t, bool partial, struct norn_error *err)
{
	struct norn_file_header *h = &t->header;
	memcpy(h, t->data, sizeof *h);
	if (memcmp(h->magic, NORN_FILE_MAGIC, sizeof h->magic) != 0)
		return norn_trace_damaged(t, err, "this is no trace of norn");
	if (h->version != NORN_FILE_VERSION)
		return norn_trace_damaged(t, err, "this trace has format version %u, this norn reads version %u: record it again",
		        h->version, NORN_FILE_VERSION);
	/* The recorder fills the header in at the end: until then only its beginning is valid. */
	if (h->state == NORN_STATE_RECORDING) {
		h->file_bytes = t->bytes; /* so far */
		if (partial)
			return 0;
		return norn_trace_damaged(t, err,
		        "the trace was never completed, as norn record is still running or was killed: --partial shows what there "
		        "is");
	}
	if (h->checksum != norn_header_checksum(h))
		return norn_trace_damaged(t, err, "the trace's header is damaged");
	if (h->state == NORN_STATE_CUT && !partial)
		return norn_trace_damaged(t, err, "recording was cut short and %llu events are lost: --partial shows what there is",
		        (unsigned long long)h->lost_events);
	if (h->state != NORN_STATE_COMPLETE && h->state != NORN_STATE_CUT)
		return norn_trace_damaged(t, err, "the trace's header is damaged");
	if (h->file_bytes > t->bytes && partial) {
		h->file_bytes = t->bytes;
		h->state = NORN_STATE_RECORDING; /* its end, which has the index, is gone: as if it had never been written */
		return 0;
	}
	if (h->file_bytes > t->bytes)
		return norn_trace_damaged(t, err,
		        "the trace is %llu bytes long but should be %llu: it was cut, --partial shows what there is",
		        (unsigned long long)t->bytes, (unsigned long long)h->file_bytes);
	if (h->file_bytes < t->bytes)
		return norn_trace_damaged(t, err, "the trace is %llu bytes long but should be %llu: something was added to it",
		        (unsigned long long)t->bytes, (unsigned long long)h->file_bytes);
	if (h->threads > NORN_THREADS)
		return norn_trace_damaged(t, err, "the trace's header is damaged");
	return 0;
}

static int load(struct norn_trace *t, bool partial, struct norn_error *err)
{
	int r = map_file(t, err);
	if (r < 0 || (r = check_header(t, partial, err)) < 0)
		return r;
	if (t->header.state == NORN_STATE_RECORDING)
		find_blocks(t);
	else if ((r = read_footer(t, err)) < 0)
		return r;
	if (t->blocks.count)
		qsort(t->blocks.items, t->blocks.count, sizeof *t->blocks.items, by_place);
	r = index_threads(t, err);
	return r < 0 ? r : index_others(t, err);
}

int norn_trace_open(const char *path, bool partial, struct norn_trace **ret_trace, struct norn_error *err)
{
	struct norn_trace *t = norn_must_calloc(1, sizeof *t);
	t->path = norn_must_text(path);
	int r = load(t, partial, err);
	if (r < 0) {
		norn_trace_close(t);
		return r;
	}
	*ret_trace = t;
	return 0;
}

void norn_trace_rest(const struct norn_trace *t)
{
	if (t->data)
		madvise((void *)t->data, t->bytes, MADV_DONTNEED);
}

void norn_trace_close(struct norn_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->modules.count; i++)
		free(t->modules.items[i].payload);
	for (size_t i = 0; i < t->names.count; i++)
		free(t->names.items[i].text);
	for (size_t i = 0; i < t->infos.count; i++)
		free(t->infos.items[i]);
	for (uint32_t i = 0; t->threads && i < t->header.threads; i++) {
		free(t->threads[i].path);
		free(t->threads[i].name);
	}
	norn_vector_done(&t->modules);
	norn_vector_done(&t->names);
	norn_vector_done(&t->infos);
	norn_vector_done(&t->blocks);
	free(t->threads);
	if (t->data)
		munmap((void *)t->data, t->bytes);
	free(t->path);
	free(t);
}
