#include "runtime/watch_words.h"

#include <string.h>

#include "runtime/access.h"

__thread struct norn_sight norn_sight __attribute__((tls_model("initial-exec")));

/* The one engine that is told of accesses; set before the first thread. */
static const struct norn_online_engine *table;
static void *engine;
static uint32_t law;

void norn_watch_words_open(void)
{
	for (uint32_t l = norn_watch.law_count; l-- > 0;)
		for (unsigned i = 0; i < NORN_ENGINES; i++)
			if (norn_watch.laws[l].engines[i] && norn_online_engines[i]->access) {
				table = norn_online_engines[i];
				engine = norn_watch.laws[l].engines[i];
				law = l;
			}
}

void norn_watch_words_begin(struct norn_watcher *w)
{
	/* Where accesses are declared events, too, all go the long way. */
	norn_sight.pages = norn_self->pages;
	norn_sight.glance = table && !norn_watch.wants_memory ? w->laws[law].glance : NULL;
}

void norn_watch_words_end(void)
{
	norn_sight.glance = NULL;
}

/* ---- one word ---- */

/* The bit is set in any case: who glances looks for it, and does not care whose page it is. */
static void lock_word(struct norn_slot *self, struct norn_cell *cell, const void *addr)
{
	if (norn_page_shared(self, addr))
		norn_cell_lock(cell);
	else
		atomic_store_explicit(&cell->version, atomic_load_explicit(&cell->version, memory_order_relaxed) | NORN_WORD_LOCK,
		        memory_order_relaxed);
	norn_hold(self, cell, 1);
}

static void unlock_word(struct norn_slot *self, struct norn_cell *cell)
{
	norn_cell_publish(cell, atomic_load_explicit(&cell->version, memory_order_relaxed) & ~NORN_WORD_LOCK);
	norn_release(self);
}

static uint64_t perform(unsigned kind, void *addr, uint64_t value, unsigned bytes)
{
	if (kind != NORN_EVENT_WRITE) {
		value = 0;
		if (bytes == 8)
			value = *(const volatile uint64_t *)addr;
		else if (bytes == 4)
			value = *(const volatile uint32_t *)addr;
		else
			memcpy(&value, addr, bytes);
		return value;
	}
	if (bytes == 8)
		*(volatile uint64_t *)addr = value;
	else if (bytes == 4)
		*(volatile uint32_t *)addr = (uint32_t)value;
	else
		memcpy(addr, &value, bytes);
	return value;
}

uint64_t norn_watch_word(unsigned kind, void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_self ? norn_busy() : norn_busy_or_attach();
	struct norn_watcher *w = norn_watcher;
	if (self && table && (!w || !w->begun))
		w = norn_watcher_ready();
	const struct norn_page *page = self && w ? norn_page_peek(self, addr) : NULL;
	struct norn_cell *cell = page ? norn_cell_in(page, addr) : self && w && table ? norn_cell_claim(self, addr) : NULL;
	if (!cell) {
		value = perform(kind, addr, value, bytes);
		norn_idle(self);
		return value;
	}
	lock_word(self, cell, addr);
	value = perform(kind, addr, value, bytes);
	const struct norn_event event = {.kind = (uint8_t)kind,
	        .known = true,
	        .thread = w->number,
	        .site = site,
	        .addr = (uintptr_t)addr,
	        .size = bytes,
	        .value = value};
	table->access(engine, &w->laws[law], (struct norn_online_word *)cell, &event, 0, NULL, 0);
	unlock_word(self, cell);
	norn_watch_settle(self, w);
	norn_idle(self);
	return value;
}

/* ---- ranges ---- */

static unsigned left_in_word(uintptr_t addr, size_t bytes)
{
	unsigned room = 8 - (addr & 7);
	return bytes < room ? (unsigned)bytes : room;
}

void norn_watch_words_read(void *to, const void *from, size_t bytes, uint32_t site)
{
	for (size_t done = 0, n; done < bytes; done += n) {
		char *at = (char *)(uintptr_t)from + done;
		n = left_in_word((uintptr_t)at, bytes - done);
		uint64_t value = perform(NORN_EVENT_READ, at, 0, (unsigned)n);
		if (!norn_sight.glance || !norn_watch_is_nothing(at, (unsigned)n, false))
			value = norn_watch_word(NORN_EVENT_READ, at, 0, (unsigned)n, site);
		if (to)
			memcpy((char *)to + done, &value, n);
	}
}

void norn_watch_words_write(void *to, const void *from, size_t bytes, uint32_t site)
{
	for (size_t done = 0, n; done < bytes; done += n) {
		uint64_t value = 0;
		char *at = (char *)to + done;
		n = left_in_word((uintptr_t)at, bytes - done);
		memcpy(&value, (const char *)from + done, n);
		if (norn_sight.glance && norn_watch_is_nothing(at, (unsigned)n, true))
			perform(NORN_EVENT_WRITE, at, value, (unsigned)n);
		else
			norn_watch_word(NORN_EVENT_WRITE, at, value, (unsigned)n, site);
	}
}

/* ---- atomics ---- */

struct norn_cell *norn_watch_word_begin(struct norn_slot *self, void *addr, unsigned bytes)
{
	struct norn_cell *cell = table && ((uintptr_t)addr & 7) + bytes <= 8 ? norn_cell_claim(self, addr) : NULL;
	/* Not held in the slot, whose cell the hooks would take for a recorded one's: the word has just been read, so a fault is as good as ruled out. */
	if (cell)
		norn_cell_lock(cell);
	return cell;
}

void norn_watch_word_end(struct norn_slot *self, struct norn_watcher *w, struct norn_cell *cell, const struct norn_event *event)
{
	table->access(engine, &w->laws[law], (struct norn_online_word *)cell, event, 0, NULL, 0);
	norn_cell_publish(cell, atomic_load_explicit(&cell->version, memory_order_relaxed) & ~NORN_WORD_LOCK);
	(void)self;
}

/* ---- freed memory ---- */

void norn_watch_words_drop(const void *block, size_t bytes)
{
	struct norn_slot *self = norn_busy();
	struct norn_watcher *w = self && table ? norn_watcher_ready() : NULL;
	uintptr_t at = ((uintptr_t)block + 7) & ~(uintptr_t)7, end = (uintptr_t)block + bytes;
	while (w && at + 8 <= end) {
		/* Pages that nobody touched have no cells, and get none. */
		uintptr_t next = (at | ((1u << NORN_PAGE_SHIFT) - 1)) + 1;
		if (!norn_page_known((const void *)at)) {
			at = next;
			continue;
		}
		struct norn_cell *cell = norn_cell_claim(self, (const void *)at);
		for (; cell && at + 8 <= end && at < next; at += 8, cell++) {
			if (!NORN_PLAIN(uint64_t, cell->version) && !NORN_PLAIN(uint64_t, cell->value))
				continue;
			lock_word(self, cell, (const void *)at);
			table->drop(engine, &w->laws[law], (struct norn_online_word *)cell);
			unlock_word(self, cell);
		}
		if (!cell)
			break;
	}
	norn_idle(self);
}
