#include "recorder/complete.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "trace/codec/block.h"
#include "trace/record.h"

/* More than what all threads can have reserved and not written: a file_end further away than that is not to be believed. */
#define RESERVED_MOST (UINT64_C(4) << 30)
#define PAD_MOST (UINT64_C(1) << 30)

struct completion {
	const struct norn_session *session;
	const struct norn_completion_info *info;
	int fd;
	uint64_t end; /* offset of the next block */
	NORN_VECTOR(struct norn_footer_block) blocks; /* all that are in the file, by offset */
	struct norn_workspace *workspace;
	void *memory; /* of the workspace */
	uint64_t *copy; /* room for a buffer and one more record */
	uint8_t *payload; /* of a block that is being checked */
	size_t payload_bytes;
	bool *placed; /* slots whose block in flight is where it was to be */
	uint64_t lost; /* events that could not be saved here */
	int failed; /* negative errno of the first thing that went wrong: the trace is CUT */
};

static void fail(struct completion *c, int error)
{
	if (!c->failed)
		c->failed = error;
}

static int write_at(int fd, const void *data, size_t bytes, uint64_t offset)
{
	const char *from = data;
	while (bytes) {
		ssize_t n = pwrite(fd, from, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static void note(struct completion *c, uint64_t offset, const struct norn_block_header *header)
{
	norn_must_push(&c->blocks, (struct norn_footer_block){.offset = offset,
	                                   .sequence = header->sequence,
	                                   .thread = header->thread,
	                                   .kind = header->kind,
	                                   .records = header->records,
	                                   .stored = header->stored});
}

static uint64_t records_of(const uint64_t *raw, unsigned units)
{
	uint64_t records = 0;
	for (unsigned i = 0, n; i < units && (n = norn_record_units(raw + i, units - i)); i += n)
		records++;
	return records;
}

/* ---- windows ---- */

/* Writes what was put into windows but not into the file. Space that was reserved and never filled has zeros. */
static void write_windows(struct completion *c)
{
	for (uint32_t i = 0; i < NORN_WINDOWS; i++) {
		const struct norn_window *window = &c->session->window[i];
		uint64_t w = atomic_load(&window->turn) - 1, offset = w * NORN_WINDOW_BYTES;
		uint32_t first = w ? 0 : NORN_HEADER_BYTES;
		if (w >= c->end / NORN_WINDOW_BYTES + 1 || w % NORN_WINDOWS != i || atomic_load(&window->filled) == 0)
			continue;
		uint64_t bytes = c->end - offset < NORN_WINDOW_BYTES ? c->end - offset : NORN_WINDOW_BYTES;
		if (bytes <= first)
			continue;
		int r = write_at(c->fd, norn_session_window(c->session, i) + first, bytes - first, offset + first);
		if (r < 0) {
			fail(c, r);
			c->lost += atomic_load(&window->records);
		}
	}
}

/* ---- finding blocks ---- */

/* Not by mmap: reading a hole of a mapped file on a full tmpfs kills. */
static bool read_at(const struct completion *c, void *to, size_t bytes, uint64_t offset)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = pread(c->fd, (char *)to + done, bytes - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0) { /* past the end of the file, which is as good as a hole */
			memset((char *)to + done, 0, bytes - done);
			break;
		}
		done += (size_t)n;
	}
	return true;
}

static bool payload_valid(struct completion *c, uint64_t offset, const struct norn_block_header *header)
{
	size_t bytes = header->kind == NORN_BLOCK_PAD ? 0 : header->stored;
	if (bytes > c->payload_bytes) {
		uint8_t *more = realloc(c->payload, bytes); /* a damaged length may ask for any size */
		if (!more)
			return false;
		c->payload = more;
		c->payload_bytes = bytes;
	}
	return (bytes == 0 || read_at(c, c->payload, bytes, offset + sizeof *header)) &&
	       header->checksum == norn_block_checksum(header, c->payload, bytes, NULL, 0);
}

/* True if a whole block stands at offset. Unless sure is set, an EVENTS block with a header is taken to be whole: if it were not
 * written to its end it would be one of those in flight, as long as no write failed. */
static bool block_at(struct completion *c, uint64_t offset, bool sure, struct norn_block_header *ret_header)
{
	struct norn_block_header header;
	if (c->end - offset < sizeof header || !read_at(c, &header, sizeof header, offset))
		return false;
	if (header.magic != NORN_BLOCK_MAGIC || header.kind == 0 || header.kind >= NORN_BLOCK_FOOTER ||
	        norn_block_span(&header) > c->end - offset)
		return false;
	if ((sure || c->failed || header.kind != NORN_BLOCK_EVENTS) && !payload_valid(c, offset, &header))
		return false;
	*ret_header = header;
	return true;
}

/* The first whole block after offset, c->end if there is none. */
static uint64_t next_block(struct completion *c, uint64_t offset, struct norn_block_header *ret_header)
{
	uint8_t chunk[8192];
	for (offset += 8; offset < c->end;) {
		size_t bytes = c->end - offset < sizeof chunk ? c->end - offset : sizeof chunk;
		if (!read_at(c, chunk, bytes, offset))
			return c->end;
		for (size_t i = 0; i + 8 <= bytes; i += 8) {
			uint32_t magic;
			memcpy(&magic, chunk + i, sizeof magic);
			if (magic == NORN_BLOCK_MAGIC && block_at(c, offset + i, true, ret_header))
				return offset + i;
		}
		offset += bytes;
	}
	return c->end;
}

/* ---- what was being written when the program died ---- */

/* True if flush_offset can be believed: inside the file, and no other thread's block stands there. */
static bool place_is_ours(struct completion *c, const struct norn_slot *slot, uint64_t offset, size_t bytes, bool *ret_written)
{
	struct norn_block_header header;
	*ret_written = false;
	if (offset < NORN_HEADER_BYTES || offset % 8 || offset > c->end || bytes > c->end - offset)
		return false;
	if (!block_at(c, offset, true, &header))
		return true;
	*ret_written =
	        header.kind == NORN_BLOCK_EVENTS && header.thread == slot->flush_thread && header.sequence == slot->flush_sequence;
	return *ret_written;
}

static size_t build_flushed(struct completion *c, uint32_t i, const uint8_t **ret_block)
{
	const struct norn_slot *slot = &c->session->slot[i];
	const struct norn_block_id id = {.thread = slot->flush_thread,
	        .parent = slot->flush_parent,
	        .ordinal = slot->flush_ordinal,
	        .sequence = slot->flush_sequence};
	if (slot->flush_units > norn_session_units(c->session->slot_units, i))
		return 0;
	return norn_block_events(c->workspace, &id, norn_session_buffer(c->session, i), slot->flush_units, ret_block);
}

/* Writes again what a thread was writing to a place that it had reserved. If it had not, append_buffer does. */
static void redo(struct completion *c, uint32_t i)
{
	const struct norn_slot *slot = &c->session->slot[i];
	const uint8_t *block;
	bool written;
	uint64_t offset = atomic_load(&slot->flush_offset);
	size_t bytes = build_flushed(c, i, &block);
	if (bytes == 0 || !place_is_ours(c, slot, offset, bytes, &written))
		return;
	int r = written ? 0 : write_at(c->fd, block, bytes, offset);
	if (r < 0)
		fail(c, r);
	c->placed[i] = r == 0;
}

/* ---- gaps ---- */

static int pad(struct completion *c, uint64_t from, uint64_t to)
{
	while (from < to) {
		struct norn_block_header header;
		uint64_t bytes = to - from <= PAD_MOST ? to - from : PAD_MOST / 2;
		norn_block_pad(bytes, &header);
		int r = write_at(c->fd, &header, sizeof header, from);
		if (r < 0)
			return r;
		note(c, from, &header);
		from += bytes;
	}
	return 0;
}

/* Ends the file at offset: there is no room even to mark a gap. */
static void give_up_rest(struct completion *c, uint64_t offset, int error)
{
	struct norn_block_header header;
	for (uint64_t at = offset; (at = next_block(c, at, &header)) < c->end; at += norn_block_span(&header) - 8)
		c->lost += header.records;
	fail(c, error);
	c->end = offset;
}

/* The end of the gap at offset. A gap is made of whole reserved places, so a PAD block fits; if it does not, the program wrote
 * where it had no business, and the block after the gap is given up, too. */
static uint64_t gap_end(struct completion *c, uint64_t offset)
{
	struct norn_block_header header;
	uint64_t next = next_block(c, offset, &header);
	while (next < c->end && next - offset < sizeof header) {
		fail(c, -EBADMSG);
		c->lost += header.records;
		next = next_block(c, next, &header);
	}
	return next;
}

/* Lists all whole blocks and covers what lies between them. */
static void close_gaps(struct completion *c)
{
	struct norn_block_header header;
	uint64_t at = NORN_HEADER_BYTES;
	while (at < c->end) {
		if (block_at(c, at, false, &header)) {
			note(c, at, &header);
			at += norn_block_span(&header);
			continue;
		}
		uint64_t next = gap_end(c, at);
		int r = next - at < sizeof header ? -EBADMSG : pad(c, at, next);
		if (r < 0)
			give_up_rest(c, at, r);
		at = next;
	}
}

/* ---- what is appended ---- */

static void append(struct completion *c, const uint8_t *block, size_t bytes)
{
	struct norn_block_header header;
	memcpy(&header, block, sizeof header);
	int r = write_at(c->fd, block, bytes, c->end);
	if (r < 0) {
		fail(c, r);
		c->lost += header.records;
		return;
	}
	note(c, c->end, &header);
	c->end += bytes;
}

/* Writes a block of another kind at c->end, which it moves. */
static int write_other(struct completion *c, enum norn_block_kind kind, const void *a, size_t a_bytes, const void *b,
        size_t b_bytes, struct norn_block_header *ret_header)
{
	const uint8_t *block;
	int whole;
	size_t bytes = norn_block_other(c->workspace, kind, a, a_bytes, b, b_bytes, &block, &whole);
	memcpy(ret_header, block, sizeof *ret_header);
	int r = write_at(c->fd, block, bytes, c->end);
	if (!whole) {
		static const uint8_t zeros[8];
		uint64_t span = norn_block_span(ret_header);
		if (r == 0)
			r = write_at(c->fd, a, a_bytes, c->end + bytes);
		if (r == 0)
			r = write_at(c->fd, b, b_bytes, c->end + bytes + a_bytes);
		if (r == 0)
			r = write_at(c->fd, zeros, span - bytes - a_bytes - b_bytes, c->end + bytes + a_bytes + b_bytes);
	}
	if (r == 0)
		c->end += norn_block_span(ret_header);
	return r;
}

/* The records of a thread that were not written yet; at their end a LOST record if it could not keep everything. */
static void append_buffer(struct completion *c, uint32_t i)
{
	const struct norn_slot *slot = &c->session->slot[i];
	const uint8_t *block;
	size_t bytes;
	if (atomic_load(&slot->flushing)) {
		bytes = build_flushed(c, i, &block);
		if (bytes && !c->placed[i])
			append(c, block, bytes);
		else if (bytes == 0)
			fail(c, -EBADMSG);
		return;
	}
	/* Addresses of another process: only their difference means anything. */
	uint64_t units = ((uint64_t)(uintptr_t)slot->pos - (uint64_t)(uintptr_t)slot->base) / sizeof(uint64_t);
	if (slot->thread == NORN_NO_THREAD || (units == 0 && slot->lost == 0))
		return;
	if (units > norn_session_units(c->session->slot_units, i)) {
		fail(c, -EBADMSG);
		return;
	}
	memcpy(c->copy, norn_session_buffer(c->session, i), units * sizeof(uint64_t));
	if (slot->lost)
		c->copy[units++] = slot->lost << 8 | NORN_TAG_LOST;
	const struct norn_block_id id = {
	        .thread = slot->thread, .parent = slot->parent, .ordinal = slot->ordinal, .sequence = slot->sequence};
	bytes = norn_block_events(c->workspace, &id, c->copy, units, &block);
	if (bytes)
		append(c, block, bytes);
	else
		c->lost += records_of(c->copy, units);
}

static size_t add_text(char *to, size_t at, const char *key, const char *text)
{
	size_t n = strlen(key) + strlen(text) + 1;
	if (to) {
		memcpy(to + at, key, strlen(key));
		memcpy(to + at + strlen(key), text, strlen(text) + 1);
	}
	return at + n;
}

/* The INFO block's strings; to may be NULL: returns how many bytes they are. */
static size_t list_info(const struct norn_completion_info *info, char *to)
{
	size_t at = 0;
	if (info->command)
		at = add_text(to, at, "command=", info->command);
	for (size_t i = 0; info->more && info->more[i]; i++)
		at = add_text(to, at, "", info->more[i]);
	return at;
}

static void append_info(struct completion *c)
{
	size_t bytes = list_info(c->info, NULL);
	struct norn_block_header header;
	if (bytes == 0)
		return;
	char *text = norn_must_alloc(bytes, 1);
	list_info(c->info, text);
	uint64_t at = c->end;
	int r = write_other(c, NORN_BLOCK_INFO, text, bytes, NULL, 0, &header);
	if (r < 0)
		fail(c, r);
	else
		note(c, at, &header);
	free(text);
}

/* ---- footer and header ---- */

/* Writes the footer; on a full disk gives up the last blocks for it. */
static int write_footer(struct completion *c, uint64_t *ret_footer)
{
	for (;;) {
		const struct norn_footer footer = {.blocks = c->blocks.count};
		struct norn_block_header header;
		*ret_footer = c->end;
		int r = write_other(c, NORN_BLOCK_FOOTER, &footer, sizeof footer, c->blocks.items,
		        c->blocks.count * sizeof *c->blocks.items, &header);
		if (r == 0)
			return ftruncate(c->fd, (off_t)c->end) < 0 ? -errno : 0;
		fail(c, r);
		if (c->blocks.count == 0)
			return r;
		const struct norn_footer_block *last = &c->blocks.items[--c->blocks.count];
		c->lost += last->records;
		c->end = last->offset;
		if (ftruncate(c->fd, (off_t)c->end) < 0)
			return -errno;
	}
}

static uint64_t lost_events(const struct completion *c)
{
	uint64_t lost = atomic_load(&c->session->lost_events) + c->lost;
	uint32_t used = atomic_load(&c->session->used_slots);
	for (uint32_t i = 0; i < used && i < c->session->slots; i++)
		lost += c->session->slot[i].lost;
	return lost;
}

static int write_header(struct completion *c, uint64_t footer, struct norn_completion *ret)
{
	uint8_t page[NORN_HEADER_BYTES] = {0};
	struct norn_file_header header = {
	        .magic = NORN_FILE_MAGIC,
	        .version = NORN_FILE_VERSION,
	        .state = c->failed ? NORN_STATE_CUT : NORN_STATE_COMPLETE,
	        .file_bytes = c->end,
	        .footer = footer,
	        .lost_events = lost_events(c),
	        .threads = atomic_load(&c->session->threads),
	        .lost_threads = atomic_load(&c->session->lost_threads),
	        .tsc_hz = c->session->tsc_hz,
	        .tsc_start = c->session->tsc_start,
	        .start_seconds = c->info->start_seconds,
	        .pid = c->session->pid,
	        .exit_status = c->info->exit_status,
	};
	for (size_t i = 0; i < c->blocks.count; i++)
		header.events += c->blocks.items[i].records;
	header.checksum = norn_header_checksum(&header);
	memcpy(page, &header, sizeof header);
	*ret = (struct norn_completion){.state = header.state,
	        .events = header.events,
	        .lost_events = header.lost_events,
	        .bytes = header.file_bytes,
	        .threads = header.threads,
	        .lost_threads = header.lost_threads};
	return write_at(c->fd, page, sizeof page, 0);
}

/* ---- all of it ---- */

static int begin(struct completion *c, struct norn_error *err)
{
	const struct norn_session *s = c->session;
	struct stat status;
	c->fd = open(s->trace, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (c->fd < 0 || fstat(c->fd, &status) < 0)
		return norn_error_set(err, -errno, "cannot open %s: %s", s->trace, strerror(errno));
	size_t bytes = (norn_workspace_bytes(s->slot_units + 1) + 63) & ~(size_t)63;
	c->memory = norn_must(aligned_alloc(64, bytes));
	c->copy = norn_must_alloc((size_t)s->slot_units + 1, sizeof *c->copy);
	c->placed = norn_must_calloc(s->slots, sizeof *c->placed);
	memset(c->memory, 0, bytes);
	c->workspace = norn_workspace_init(c->memory, bytes);
	assert(c->workspace); /* of the size that it asks for */
	c->end = atomic_load(&s->file_end);
	if (c->end < NORN_HEADER_BYTES)
		c->end = NORN_HEADER_BYTES;
	if (c->end % 8 || c->end > (uint64_t)status.st_size + RESERVED_MOST) {
		fail(c, -EBADMSG);
		c->end = ((uint64_t)status.st_size + 7) & ~UINT64_C(7);
	}
	return 0;
}

static int complete(struct completion *c, struct norn_completion *ret, struct norn_error *err)
{
	const struct norn_session *s = c->session;
	uint32_t used = atomic_load(&s->used_slots);
	int r = begin(c, err);
	if (r < 0)
		return r;
	if (atomic_load(&s->failed))
		fail(c, -atomic_load(&s->failed));
	write_windows(c);
	for (uint32_t i = 0; i < used && i < s->slots; i++) {
		if (atomic_load(&s->slot[i].flushing))
			redo(c, i);
	}
	close_gaps(c);
	for (uint32_t i = 0; i < used && i < s->slots && !s->discard; i++)
		append_buffer(c, i);
	append_info(c);
	uint64_t footer = 0;
	r = write_footer(c, &footer);
	if (r == 0)
		r = write_header(c, footer, ret);
	if (r < 0)
		return norn_error_set(err, r, "cannot complete %s: %s", s->trace, strerror(-r));
	return 0;
}

static bool session_valid(const struct norn_session *s, size_t bytes)
{
	return bytes >= sizeof *s && s->magic == NORN_SESSION_MAGIC && s->slots > 0 && s->slots <= 1u << 20 && s->slot_units > 0 &&
	       s->slot_units <= NORN_BLOCK_UNITS && norn_session_file_bytes(s->slots, s->slot_units) <= bytes &&
	       memchr(s->trace, 0, sizeof s->trace);
}

int norn_complete(const struct norn_session *session, size_t bytes, const struct norn_completion_info *info, const char *final_path,
        struct norn_completion *ret_completion, struct norn_error *err)
{
	struct completion c = {.session = session, .info = info, .fd = -1};
	*ret_completion = (struct norn_completion){.state = NORN_STATE_RECORDING};
	if (!session_valid(session, bytes))
		return norn_error_set(err, -EBADMSG, "the session's memory is damaged, nothing can be recovered from it");
	int r = complete(&c, ret_completion, err);
	if (r == 0 && c.failed)
		r = norn_error_set(err, c.failed, "recording failed: %s; %llu events are lost, the rest is in %s",
		        c.failed == -EBADMSG ? "the program overwrote norn's memory" : strerror(-c.failed),
		        (unsigned long long)ret_completion->lost_events, session->trace);
	if (r == 0 && final_path && rename(session->trace, final_path) < 0)
		r = norn_error_set(err, -errno, "cannot rename %s to %s: %s", session->trace, final_path, strerror(errno));
	if (c.fd >= 0)
		close(c.fd);
	norn_vector_done(&c.blocks);
	free(c.memory);
	free(c.copy);
	free(c.payload);
	free(c.placed);
	return r;
}
