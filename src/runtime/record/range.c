/* Ranges: accesses that are not one word, as one record each. Long ones are cut into pieces, whose cells lie side by side and are
 * locked from the lowest up; two ranges that overlap therefore never wait for each other in a circle. A range that writes holds all
 * its cells while it copies; one that reads holds none, so a copy cannot deadlock with its inverse. */
#include "runtime/record/access.h"

#include <ctype.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/watch/watch.h"
#include "runtime/sys.h"
#include "trace/site.h"

/* Pieces are short, since they are held on the stack of the program's thread, which may be a signal handler's small one. */
#define PIECE_BYTES NORN_RANGE_PIECE
#define WORDS (PIECE_BYTES / 8)

/* One piece: the words that [addr, addr + bytes) touches, between two multiples of PIECE_BYTES. */
struct range_piece {
	char *addr;
	size_t bytes;
	unsigned words;
	struct norn_cell *cell;
	bool shared; /* the cells must be locked */
	uint32_t versions[WORDS];
	uint64_t contents[WORDS]; /* of the whole words; a write: as they will be */
};

static unsigned words_of(const void *addr, size_t bytes)
{
	return (unsigned)((((uintptr_t)addr & 7) + bytes + 7) / 8);
}

/* The greatest length of a piece that starts at addr. */
static size_t room_after(const void *addr)
{
	return PIECE_BYTES - ((uintptr_t)addr & (PIECE_BYTES - 1));
}

/* The greatest length of a piece that ends before end. */
static size_t room_before(const void *end)
{
	size_t offset = (uintptr_t)end & (PIECE_BYTES - 1);
	return offset ? offset : PIECE_BYTES;
}

static void piece_init(struct range_piece *p, const void *addr, size_t bytes)
{
	p->addr = (char *)addr;
	p->bytes = bytes;
	p->words = words_of(addr, bytes);
}

/* The right to touch the cells, until the next claim. */
static bool claim(struct norn_slot *self, struct range_piece *p)
{
	p->cell = norn_cell_claim(self, p->addr);
	p->shared = norn_page_shared(self, p->addr);
	return p->cell;
}

static char *word_at(const struct range_piece *p, unsigned i)
{
	return (char *)((uintptr_t)p->addr & ~(uintptr_t)7) + i * 8ul;
}

/* Room for the record of a write with all different versions and its data. */
static bool room(struct norn_slot *self, const struct range_piece *p)
{
	return norn_room(self, 2 * p->words + NORN_ROOM);
}

static void append(struct norn_slot *self, const struct range_piece *p, enum norn_range_sub sub, uint32_t site, const void *data,
        size_t data_bytes)
{
	uint64_t *r = self->pos;
	unsigned runs = 0, data_units = (unsigned)((data_bytes + 7) / 8);
	r[0] = (uintptr_t)p->addr << 16 | (unsigned)sub << 4 | NORN_TAG_RANGE;
	r[1] = (uint64_t)p->bytes << 32 | site;
	/* Each word puts down the run that it is in so far, without a branch: what begins a run is hard to guess. */
	for (unsigned i = 0, start = 0; i < p->words; i++) {
		bool begins = i == 0 || p->versions[i] != p->versions[i - 1];
		runs += begins;
		start = begins ? i : start;
		r[2 + runs] = (uint64_t)(i - start + 1) << 32 | p->versions[i];
	}
	r[2] = (uint64_t)runs << 32 | data_units;
	if (data_units) {
		r[3 + runs + data_units - 1] = 0;
		memcpy(&r[3 + runs], data, data_bytes);
	}
	norn_append(self, 3 + runs + data_units);
}

/* The bits of word i that the piece has: at its ends it may have some bytes of it only, and others are none of its matter. */
static uint64_t bits_of(const struct range_piece *p, unsigned i)
{
	size_t offset = (uintptr_t)p->addr & 7, end = offset + p->bytes - i * 8ul;
	uint64_t mask = i ? ~0ull : ~0ull << 8 * offset;
	return end < 8 ? mask & ~(~0ull << 8 * end) : mask;
}

/* The word's value if no write is under way and no uninstrumented code has written it; otherwise the result of norn_cell_read. */
static inline uint64_t read_word(
        struct norn_slot *self, const struct range_piece *p, unsigned i, uint32_t site, uint64_t *ret_version)
{
	struct norn_cell *cell = &p->cell[i];
	const char *word = word_at(p, i);
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_acquire);
	uint64_t data = *norn_word(word), value = *(volatile uint64_t *)&cell->value;
	*ret_version = v;
	bool settled = !(v & 1) && data == value && v == atomic_load_explicit(&cell->version, memory_order_acquire);
	return __builtin_expect(settled, 1) ? data : norn_cell_read(self, cell, word, bits_of(p, i), site, ret_version);
}

/* Reads all words of p, which then has units units of room for its record. An external write that is noticed on the way is logged
 * before the range; the words read before it are then read again, or the trace would tell that they were read after it, which other
 * threads that wrote them meanwhile can belie. Memory that is written all the time, by the kernel say, is read a word at a time:
 * the piece then shrinks to its first word. */
static bool read_words(struct norn_slot *self, struct range_piece *p, unsigned units, bool may_shrink, uint32_t site)
{
	const uint64_t *start;
	unsigned tries = 0;
	do {
		if (tries++ == 4 && may_shrink)
			piece_init(p, p->addr, 8 - ((uintptr_t)p->addr & 7));
		if (!norn_room(self, 4 * p->words + units + NORN_ROOM) || !claim(self, p))
			return false;
		start = self->pos;
		for (unsigned i = 0; i < p->words; i++) {
			uint64_t v;
			p->contents[i] = read_word(self, p, i, site, &v);
			p->versions[i] = (uint32_t)(v >> 1);
		}
	} while (p->shared && p->words > 1 && self->pos != start && tries < 8);
	return true;
}

/* Locks all cells of p, and sets contents to what the words at its ends hold: those that it covers only in part. */
static void lock_words(struct norn_slot *self, struct range_piece *p)
{
	for (unsigned i = 0; p->shared && i < p->words; i++) {
		norn_cell_lock(&p->cell[i]);
		norn_hold(self, p->cell, i + 1);
	}
	p->contents[0] = p->cell[0].value;
	p->contents[p->words - 1] = p->cell[p->words - 1].value;
}

static void number_words(struct range_piece *p)
{
	for (unsigned i = 0; i < p->words; i++) {
		uint64_t v = atomic_load_explicit(&p->cell[i].version, memory_order_relaxed) | 1;
		p->versions[i] = (uint32_t)((v + 1) >> 1);
	}
}

static void publish_words(struct norn_slot *self, struct range_piece *p, bool values)
{
	for (unsigned i = 0; i < p->words; i++) {
		struct norn_cell *cell = &p->cell[i];
		if (values)
			cell->value = p->contents[i];
		norn_cell_publish(cell, (atomic_load_explicit(&cell->version, memory_order_relaxed) | 1) + 1);
	}
	norn_release(self);
}

/* Writes from (private memory) to the piece and logs it. there: it has been written already. */
static void write_words(
        struct norn_slot *self, struct range_piece *p, enum norn_range_sub sub, const void *from, bool there, uint32_t site)
{
	lock_words(self, p);
	const uint64_t *before = self->pos;
	uint64_t sequence = self->sequence;
	if (!there)
		memcpy(p->addr, from, p->bytes);
	/* A handler that repaired a fault of this has logged, too: a would-be copy no longer stands beside what it copies. */
	if (sub == NORN_RANGE_COPY_TO && (*(uint64_t *volatile *)&self->pos != before || self->sequence != sequence))
		sub = NORN_RANGE_WRITE;
	memcpy((char *)p->contents + ((uintptr_t)p->addr & 7), from, p->bytes);
	number_words(p);
	if (sub == NORN_RANGE_WRITE)
		append(self, p, sub, site, from, p->bytes);
	else
		append(self, p, sub, site, from, sub == NORN_RANGE_SET ? 1 : 0);
	publish_words(self, p, true);
}

/* These do the first part of it at least, and say how many bytes. */
static size_t read_piece(void *to, const void *from, size_t bytes, enum norn_range_sub sub, uint32_t site)
{
	norn_bring(from, bytes);
	struct norn_slot *self = norn_busy_or_attach();
	struct range_piece p;
	piece_init(&p, from, bytes);
	if (self && read_words(self, &p, p.words, true, site)) {
		append(self, &p, sub, site, NULL, 0);
		if (to)
			memcpy(to, (char *)p.contents + ((uintptr_t)from & 7), p.bytes);
	} else if (to) {
		memcpy(to, from, p.bytes);
	}
	norn_idle(self);
	return p.bytes;
}

static void write_piece(void *to, const void *from, size_t bytes, enum norn_range_sub sub, uint32_t site)
{
	norn_bring(to, bytes);
	struct norn_slot *self = norn_busy_or_attach();
	struct range_piece p;
	piece_init(&p, to, bytes);
	if (self && room(self, &p) && claim(self, &p))
		write_words(self, &p, sub, from, false, site);
	else
		memcpy(to, from, bytes);
	norn_idle(self);
}

/* careful: the memory may be gone by now; then nothing is noted. */
static void note_written(const void *at, size_t bytes, bool careful, uint32_t site)
{
	if (norn_watching) {
		norn_watch_filled(at, bytes, site);
		return;
	}
	struct norn_slot *self = norn_busy_or_attach();
	struct range_piece p;
	char held[PIECE_BYTES];
	piece_init(&p, at, bytes);
	bool there = !careful || norn_sys_copy(held, at, bytes);
	if (!careful)
		memcpy(held, at, bytes);
	if (there && self && room(self, &p) && claim(self, &p))
		write_words(self, &p, NORN_RANGE_WRITE, held, true, site);
	norn_idle(self);
}

/* The source is read and logged before the target is claimed: two copies that cross cannot wait for each other. */
static size_t copy_piece(void *to, const void *from, size_t bytes, bool may_shrink, uint32_t site)
{
	norn_bring(from, bytes);
	norn_bring(to, bytes);
	struct norn_slot *self = norn_busy_or_attach();
	struct range_piece source, target;
	piece_init(&source, from, bytes);
	if (self && read_words(self, &source, 3 * source.words + 2 * NORN_ROOM, may_shrink, site)) {
		piece_init(&target, to, source.bytes);
		const char *held = (char *)source.contents + ((uintptr_t)from & 7);
		if (claim(self, &target)) {
			append(self, &source, NORN_RANGE_COPY_FROM, site, NULL, 0);
			write_words(self, &target, NORN_RANGE_COPY_TO, held, false, site);
		} else {
			memcpy(to, held, source.bytes);
		}
	} else {
		memmove(to, from, source.bytes);
	}
	norn_idle(self);
	return source.bytes;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static NORN_COLD void read_range(char *to, const char *from, size_t bytes, enum norn_range_sub sub, uint32_t site)
{
	if (norn_watching) {
		norn_watch_read_range(to, from, bytes, site);
		return;
	}
	while (bytes) {
		size_t n = read_piece(to, from, least(bytes, room_after(from)), sub, site);
		from += n;
		to += to ? n : 0;
		bytes -= n;
	}
}

/* Replay: a range is one step, whatever it is recorded as; a copy is two, its source's and its target's, of which either may
 * be listed. */
static uint32_t begin_step(enum norn_operation operation, uint32_t site, const void *addr, size_t bytes)
{
	if (__builtin_expect(!norn_replaying, 1))
		return 0;
	norn_bring(addr, bytes);
	return norn_replay_step(operation, site, addr, bytes);
}

void __norn_readn(void *to, const void *from, size_t bytes, uint32_t site)
{
	uint32_t step = begin_step(NORN_OPERATION_READ, site, from, bytes);
	read_range(to, from, bytes, NORN_RANGE_READ, site);
	norn_step_end(step);
}

void __norn_touch(const void *from, size_t bytes, uint32_t site)
{
	if (!norn_self)
		return;
	uint32_t step = begin_step(NORN_OPERATION_READ, site, from, bytes);
	read_range(NULL, from, bytes, NORN_RANGE_READ, site);
	norn_step_end(step);
}

/* ---- memory that is passed to libc ---- */

static size_t same(const unsigned char *a, const unsigned char *b, size_t limit, uint32_t extent)
{
	size_t n = 0;
	while (n < limit) {
		bool differs = extent == NORN_EXTENT_SAME_CASE ? tolower(a[n]) != tolower(b[n]) : a[n] != b[n];
		bool ends = extent != NORN_EXTENT_SAME_BYTES && a[n] == 0;
		n++;
		if (differs || ends)
			break;
	}
	return n;
}

static size_t number(const unsigned char *text)
{
	size_t n = 0;
	while (isspace(text[n]))
		n++;
	while (isalnum(text[n]) || (text[n] && strchr("+-._()", text[n])))
		n++;
	return n + 1;
}

static size_t until(const unsigned char *at, unsigned char byte, size_t limit, bool text)
{
	size_t n = 0;
	while (n < limit) {
		unsigned char found = at[n++];
		if (found == byte || (text && found == 0))
			break;
	}
	return n;
}

static size_t measure(const void *at, const void *other, size_t limit, uint32_t extent)
{
	size_t n;
	switch (extent) {
	case NORN_EXTENT_BYTES:
	case NORN_EXTENT_SCANNED:
		return limit;
	case NORN_EXTENT_KERNEL:
		return norn_sys_readable(at, limit) ? limit : 0;
	case NORN_EXTENT_TEXT:
		n = strnlen(at, limit);
		return n < limit ? n + 1 : n;
	case NORN_EXTENT_NUMBER:
		return number(at);
	case NORN_EXTENT_UNTIL:
	case NORN_EXTENT_UNTIL_BYTES:
		return until(at, (unsigned char)(uintptr_t)other, limit, extent == NORN_EXTENT_UNTIL);
	case NORN_EXTENT_WIDE_TEXT:
		n = wcsnlen(at, limit / sizeof(wchar_t)) * sizeof(wchar_t);
		return n + sizeof(wchar_t) <= limit ? n + sizeof(wchar_t) : n;
	case NORN_EXTENT_LIST:
	case NORN_EXTENT_TEXTS:
		for (n = 0; ((void *const *)at)[n];)
			n++;
		return (n + 1) * sizeof(void *);
	case NORN_EXTENT_IOVEC:
		return norn_sys_readable(at, limit * sizeof(struct iovec)) ? limit * sizeof(struct iovec) : 0;
	default:
		return same(at, other, limit, extent);
	}
}

/* Is it decided by the bytes themselves how many are read? */
static bool scans(uint32_t extent)
{
	return extent != NORN_EXTENT_BYTES && extent != NORN_EXTENT_KERNEL && extent != NORN_EXTENT_IOVEC;
}

/* The environment as the process began: what the program does not write. */
static const char *first_text, *last_text;

__attribute__((constructor(102))) static void note_environment(void)
{
	for (char **text = environ; text && *text; text++) {
		first_text = !first_text || *text < first_text ? *text : first_text;
		last_text = *text > last_text ? *text : last_text;
	}
}

static void read_step(const void *at, size_t bytes, enum norn_range_sub sub, uint32_t site)
{
	uint32_t step = begin_step(NORN_OPERATION_READ, site, at, bytes);
	read_range(NULL, at, bytes, sub, site);
	norn_step_end(step);
}

/* The memory behind the pointers of a list: each a step of its own. */
static void read_behind(const void *at, size_t bytes, uint32_t extent, uint32_t site)
{
	if (extent == NORN_EXTENT_TEXTS)
		for (char *const *text = at; *text; text++)
			if (*text < first_text || *text > last_text)
				read_step(*text, strlen(*text) + 1, NORN_RANGE_SCAN, site);
	const struct iovec *part = at;
	for (size_t i = 0; extent == NORN_EXTENT_IOVEC && i < bytes / sizeof *part; i++)
		if (part[i].iov_len && norn_sys_readable(part[i].iov_base, part[i].iov_len))
			read_step(part[i].iov_base, part[i].iov_len, NORN_RANGE_READ, site);
}

static size_t limit_behind(size_t limit, uint32_t extent)
{
	if (!(extent & NORN_EXTENT_BEHIND) || !limit)
		return limit;
	return norn_sys_readable((const void *)limit, 4) ? *(const uint32_t *)limit : 0;
}

/* The part of the memory that the kernel will read, or has written, that is mapped. */
static size_t what_is_there(const char *at, size_t limit, uint32_t extent)
{
	if (extent == NORN_EXTENT_BYTES)
		return norn_sys_readable(at, limit) ? limit : 0;
	for (size_t n = 0; n < limit;) {
		size_t page = 4096 - ((uintptr_t)(at + n) & 4095);
		size_t some = least(page, limit - n);
		if (!norn_sys_readable(at + n, 1))
			return 0;
		if (extent == NORN_EXTENT_TEXT && memchr(at + n, 0, some))
			return limit;
		if (extent != NORN_EXTENT_TEXT) /* its first page must do */
			return limit;
		n += some;
	}
	return limit;
}

#define PLAIN 255u /* of an extent, without what is in addition */

size_t __norn_passed_memory(const void *at, const void *other, size_t limit, uint32_t extent, uint32_t site)
{
	limit = limit_behind(limit, extent);
	if (at && limit && extent & NORN_EXTENT_CAREFUL)
		limit = what_is_there(at, limit, extent & PLAIN);
	extent &= PLAIN;
	if (!at || !limit)
		return 0;
	size_t bytes = measure(at, other, limit, extent);
	uint32_t step = begin_step(NORN_OPERATION_READ, site, at, bytes);
	if (norn_self)
		read_range(NULL, at, bytes, scans(extent) ? NORN_RANGE_SCAN : NORN_RANGE_READ, site);
	norn_step_end(step);
	if (norn_self && extent >= NORN_EXTENT_TEXTS)
		read_behind(at, bytes, extent, site);
	return bytes;
}

static NORN_COLD void note_range(const char *at, size_t bytes, bool careful, uint32_t site)
{
	while (bytes) {
		size_t n = least(bytes, room_after(at));
		note_written(at, n, careful, site);
		at += n;
		bytes -= n;
	}
}

void __norn_filled(void *at, size_t limit, uint32_t extent, uint32_t site)
{
	bool careful = extent & NORN_EXTENT_CAREFUL;
	limit = limit_behind(limit, extent);
	if (at && limit && careful)
		limit = what_is_there(at, limit, extent & PLAIN);
	extent &= PLAIN;
	if (!norn_self || !at || !limit)
		return;
	size_t bytes = measure(at, NULL, limit, extent);
	uint32_t step = begin_step(NORN_OPERATION_WRITE, site, at, bytes);
	note_range(at, bytes, careful, site);
	norn_step_end(step);
}

static NORN_COLD void write_range(char *to, const char *from, size_t bytes, uint32_t site)
{
	if (norn_watching) {
		norn_watch_write_range(to, from, bytes, site);
		return;
	}
	while (bytes) {
		size_t n = least(bytes, room_after(to));
		write_piece(to, from, n, NORN_RANGE_WRITE, site);
		to += n;
		from += n;
		bytes -= n;
	}
}

void __norn_writen(void *to, const void *from, size_t bytes, uint32_t site)
{
	uint32_t step = begin_step(NORN_OPERATION_WRITE, site, to, bytes);
	write_range(to, from, bytes, site);
	norn_step_end(step);
}

static NORN_COLD void copy_range(char *to, const char *from, size_t bytes, uint32_t site)
{
	if (!norn_self) {
		memmove(to, from, bytes);
		return;
	}
	if (norn_watching) {
		norn_watch_copy(to, from, bytes, site);
		return;
	}
	bool backwards = to > from && to < from + bytes;
	while (bytes) {
		size_t n;
		if (backwards) {
			n = least(bytes, least(room_before(to + bytes), room_before(from + bytes)));
			copy_piece(to + bytes - n, from + bytes - n, n, false, site);
		} else {
			n = copy_piece(to, from, least(bytes, least(room_after(to), room_after(from))), true, site);
			to += n;
			from += n;
		}
		bytes -= n;
	}
}

void __norn_copy(void *to, const void *from, size_t bytes, uint32_t site)
{
	uint32_t source = begin_step(NORN_OPERATION_READ, site, from, bytes),
	         target = begin_step(NORN_OPERATION_WRITE, site, to, bytes);
	copy_range(to, from, bytes, site);
	norn_step_end(source);
	norn_step_end(target);
}

static NORN_COLD void set_range(char *to, int byte, size_t bytes, uint32_t site)
{
	if (!norn_self) {
		memset(to, byte, bytes);
		return;
	}
	if (norn_watching) {
		norn_watch_set(to, byte, bytes, site);
		return;
	}
	char pattern[PIECE_BYTES];
	memset(pattern, byte, least(bytes, sizeof pattern));
	while (bytes) {
		size_t n = least(bytes, room_after(to));
		write_piece(to, pattern, n, NORN_RANGE_SET, site);
		to += n;
		bytes -= n;
	}
}

void __norn_set(void *to, int byte, size_t bytes, uint32_t site)
{
	uint32_t step = begin_step(NORN_OPERATION_WRITE, site, to, bytes);
	set_range(to, byte, bytes, site);
	norn_step_end(step);
}

/* The record of a free, written word by word into the buffer. */
static void free_words(struct norn_slot *self, const void *block, size_t stamped, size_t bytes, uint32_t site)
{
	struct norn_cell *cell = norn_cell_claim(self, block);
	bool shared = norn_page_shared(self, block);
	unsigned words = words_of(block, stamped), runs = 0;
	uint64_t *r = self->pos;
	for (unsigned i = 0; cell && i < words; i++) {
		uint64_t v = (shared ? norn_cell_lock(&cell[i]) : atomic_load_explicit(&cell[i].version, memory_order_relaxed)) + 2;
		if (runs && (uint32_t)r[2 + runs] == (uint32_t)(v >> 1))
			r[2 + runs] += 1ull << 32;
		else
			r[3 + runs++] = 1ull << 32 | (uint32_t)(v >> 1);
	}
	r[0] = (uintptr_t)block << 16 | NORN_RANGE_FREE << 4 | NORN_TAG_RANGE;
	r[1] = (uint64_t)stamped << 32 | site;
	r[2] = (uint64_t)runs << 32 | 1;
	r[3 + runs] = bytes;
	norn_append(self, cell ? 4 + runs : 0);
	for (unsigned i = 0; cell && i < words; i++)
		norn_cell_publish(&cell[i], (atomic_load_explicit(&cell[i].version, memory_order_relaxed) & ~1ull) + 2);
}

void norn_log_free(const void *block, size_t bytes, uint32_t site)
{
	if (norn_watching) {
		norn_watch_block(true, NORN_RANGE_FREE, block, bytes, site);
		return;
	}
	struct norn_slot *self = norn_busy();
	/* Beyond these words, the order of a free and of unsynchronised uses is not recorded. */
	size_t stamped = least(bytes, NORN_RANGE_BYTES);
	if (((uintptr_t)block ^ ((uintptr_t)block + stamped - 1)) >> NORN_PAGE_SHIFT)
		stamped = room_after(block); /* the cells must lie on one page of the shadow */
	if (stamped < bytes)
		norn_log_large_free();
	if (self && stamped && norn_room(self, words_of(block, stamped) + NORN_ROOM))
		free_words(self, block, stamped, bytes, site);
	norn_idle(self);
}
