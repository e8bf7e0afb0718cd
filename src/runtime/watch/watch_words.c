#include "runtime/watch/watch_words.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sys.h"
#include "runtime/watch/watch_lock.h"
#include "runtime/watch/watch_step.h"

/* For threads that are not watched: a word that the fast path never takes. */
static const struct norn_knowledge_cell blind_word = {NORN_WORD_SPLIT};
static uint8_t blind_table[2 * NORN_KNOWLEDGE_CACHE_KNOWN]; /* looked into in any case, at whatever number; zero */
static struct norn_seen blind_seen = {.entries = {[0 ... NORN_SEEN - 1] = NORN_KNOWLEDGE_CACHE_CLOSED}};
#define BLIND {.seen = &blind_seen, .familiar = blind_table, .now = NORN_KNOWLEDGE_CACHE_CLOSED}

__thread struct norn_knowledge_cache __norn_knowledge_cache __attribute__((tls_model("initial-exec"))) = BLIND;
struct norn_knowledge_cache_words __norn_words = {.base = (uintptr_t)&blind_word};

/* The one engine that is told of accesses; set before the first thread. */
static const struct norn_online_engine *table;
static void *engine;
static uint32_t props;
bool norn_lock_words;

static bool map_words(void)
{
	static const size_t bytes = NORN_WORDS_SKEW + NORN_WORDS_BYTES + NORN_LOCKS_BYTES;
	long at = norn_syscall(SYS_mmap, NORN_WORDS_MAP, bytes, PROT_READ | PROT_WRITE,
	        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (at != (long)NORN_WORDS_MAP)
		return false;
	norn_syscall(SYS_madvise, at, bytes, MADV_DONTDUMP, 0, 0, 0);
	norn_syscall(SYS_madvise, at, bytes, MADV_NOHUGEPAGE, 0, 0, 0); /* few words of a huge page would be used */
	return true;
}

int norn_watch_words_open(void)
{
	for (uint32_t l = norn_watch.props_count; l-- > 0;)
		for (unsigned i = 0; i < NORN_ENGINES; i++)
			if (norn_watch.props[l].engines[i] && norn_online_engines[i]->access) {
				table = norn_online_engines[i];
				engine = norn_watch.props[l].engines[i];
				props = l;
			}
	if (!table)
		return 0;
	if (!map_words())
		return -ENOMEM;
	norn_lock_words = !norn_watch.wants_locks && !norn_watch.wants_unlocks && !norn_watch.wants_orders;
	*(volatile uint64_t *)&__norn_words.base = NORN_WORDS_BASE;
	*(volatile uint64_t *)&__norn_words.mask = NORN_WORDS_MASK;
	return 0;
}

void norn_watch_words_begin(struct norn_watcher *w)
{
	/* If accesses are declared events, too, all take the slow path. */
	if (table && !norn_watch.wants_memory)
		w->props[props].knowledge_cache = &__norn_knowledge_cache;
}

void norn_watch_words_retype(const struct norn_watcher *w)
{
	if (__norn_knowledge_cache.local_monitor)
		norn_local_monitor_retype(__norn_knowledge_cache.local_monitor, w->props[props].types);
}

void norn_watch_words_end(void)
{
	__norn_knowledge_cache = (struct norn_knowledge_cache)BLIND;
}

/* ---- one word ---- */

static void unlock_word(struct norn_knowledge_cell *word)
{
	atomic_store_explicit(
	        &word->bits, atomic_load_explicit(&word->bits, memory_order_relaxed) & ~NORN_WORD_LOCK, memory_order_release);
}

/* Of 1 to 8 bytes within a word, the pieces of ranges among them. */
static uint64_t perform(unsigned kind, void *addr, uint64_t value, unsigned bytes)
{
	bool odd = bytes & (bytes - 1);
	if (kind == NORN_EVENT_WRITE && odd) {
		memcpy(addr, &value, bytes);
	} else if (kind == NORN_EVENT_WRITE) {
		norn_store(addr, value, bytes);
	} else if (odd) {
		value = 0;
		memcpy(&value, addr, bytes);
	} else {
		value = norn_load(addr, bytes);
	}
	return value;
}

/* The access has been made; what it does to its word, whose lock is held, and let go of. */
static void tell_engine(struct norn_watcher *w, struct norn_knowledge_cell *word, unsigned kind, const void *addr, uint64_t value,
        unsigned bytes, uint32_t site)
{
	const struct norn_event event = {.kind = (uint8_t)kind,
	        .known = true,
	        .thread = w->number,
	        .site = site,
	        .addr = (uintptr_t)addr,
	        .size = bytes,
	        .value = value};
	table->access(engine, &w->props[props], word, &event, 0, NULL, 0);
	norn_watch_settle(norn_self, w);
	unlock_word(word);
}

void norn_watch_word_written(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	tell_engine(norn_watcher, norn_word_at(addr), NORN_EVENT_WRITE, addr, value, bytes, site);
}

/* The thread is not watched yet, or its accesses are declared events. */
static NORN_COLD uint64_t watch_word(unsigned kind, void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_busy_or_attach();
	struct norn_watcher *w = self && table ? norn_watcher_ready() : NULL;
	struct norn_knowledge_cell *word = norn_word_at(addr);
	if (w) {
		norn_cell_lock(norn_word_cell(word));
		norn_hold(self, norn_word_cell(word), 1);
	}
	value = perform(kind, addr, value, bytes);
	if (w) {
		norn_release(self);
		tell_engine(w, word, kind, addr, value, bytes, site);
	}
	norn_idle(self);
	return value;
}

uint64_t norn_watch_word(unsigned kind, void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_self;
	struct norn_local_monitor *local_monitor = __norn_knowledge_cache.local_monitor;
	struct norn_knowledge_cell *word = norn_word_at(addr);
	uint64_t v;
	if (!self || !local_monitor)
		return watch_word(kind, addr, value, bytes, site);
	norn_busy();
	if (!norn_cell_try(norn_word_cell(word), &v))
		norn_cell_lock(norn_word_cell(word));
	norn_hold(self, norn_word_cell(word), 1);
	value = perform(kind, addr, value, bytes);
	norn_release(self);
	/* The first access to a word that holds a variable of a formula must be told of. If the access has faulted, others had the
	 * word meanwhile. */
	if (atomic_load_explicit(&word->bits, memory_order_relaxed) & ~NORN_WORD_LOCK &&
	        norn_word_pass(local_monitor, word, norn_word_bytes(addr, bytes), kind == NORN_EVENT_WRITE))
		unlock_word(word);
	else
		tell_engine(norn_watcher, word, kind, addr, value, bytes, site);
	norn_idle(self);
	return value;
}

/* ---- ranges ---- */

static unsigned left_in_word(uintptr_t addr, size_t bytes)
{
	unsigned room = 8 - (addr & 7);
	return bytes < room ? (unsigned)bytes : room;
}

/* The number of these bytes, from the first on, that can be accessed without any effect on monitors. */
static size_t familiar_bytes(const char *at, size_t bytes, bool writes)
{
	size_t done = 0;
	while (__norn_knowledge_cache.local_monitor && done < bytes) {
		unsigned n = left_in_word((uintptr_t)at + done, bytes - done);
		uint64_t bits = atomic_load_explicit(&norn_word_at(at + done)->bits, memory_order_acquire);
		if (!norn_knowledge_cache_accepts(&__norn_knowledge_cache, bits, norn_word_bytes(at + done, n), writes))
			break;
		/* Words that follow are mostly like it. */
		for (done += n; n == 8 && bytes - done >= 8; done += 8)
			if (atomic_load_explicit(&norn_word_at(at + done)->bits, memory_order_acquire) != bits)
				break;
	}
	return done;
}

/* A range is accessed inside of one hook. */
static void read_words(void *to, const char *from, size_t bytes, uint32_t site)
{
	for (size_t done = 0, n; done < bytes; done += n) {
		uint64_t value;
		if ((n = familiar_bytes(from + done, bytes - done, false)))
			continue;
		n = left_in_word((uintptr_t)from + done, bytes - done);
		if (!(n == 8 && __norn_knowledge_cache.local_monitor && norn_step_read(from + done, 8, &value)))
			value = norn_watch_word(NORN_EVENT_READ, (char *)(uintptr_t)from + done, 0, (unsigned)n, site);
		if (to)
			memcpy((char *)to + done, &value, n);
	}
}

void norn_watch_words_read(void *to, const void *from, size_t bytes, uint32_t site)
{
	if (to)
		memcpy(to, from, bytes);
	struct norn_slot *self = norn_self ? norn_busy() : norn_busy_or_attach();
	read_words(to, from, bytes, site);
	norn_idle(self);
}

static void write_words(struct norn_slot *self, char *to, const char *from, size_t bytes, uint32_t site)
{
	for (size_t done = 0, n; done < bytes; done += n) {
		uint64_t value = 0;
		if ((n = familiar_bytes(to + done, bytes - done, true))) {
			memcpy(to + done, from + done, n);
			continue;
		}
		n = left_in_word((uintptr_t)to + done, bytes - done);
		memcpy(&value, from + done, n);
		if (!(n == 8 && __norn_knowledge_cache.local_monitor && norn_step_write(self, to + done, value, 8, site)))
			norn_watch_word(NORN_EVENT_WRITE, to + done, value, (unsigned)n, site);
	}
}

void norn_watch_words_write(void *to, const void *from, size_t bytes, uint32_t site)
{
	struct norn_slot *self = norn_self ? norn_busy() : norn_busy_or_attach();
	write_words(self, to, from, bytes, site);
	norn_idle(self);
}

/* ---- atomics ---- */

struct norn_knowledge_cell *norn_watch_word_begin(void *addr, unsigned bytes)
{
	struct norn_knowledge_cell *word = table && ((uintptr_t)addr & 7) + bytes <= 8 ? norn_word_at(addr) : NULL;
	/* Not held in the slot, whose cell the hooks would take for a recorded one's: the word has just been read, so a fault is as
	 * good as ruled out. */
	if (word)
		norn_cell_lock(norn_word_cell(word));
	return word;
}

void norn_watch_word_end(struct norn_watcher *w, struct norn_knowledge_cell *word, const struct norn_event *event)
{
	table->access(engine, &w->props[props], word, event, 0, NULL, 0);
	unlock_word(word);
}

/* ---- locks ---- */

NORN_STEP bool step_lock(struct norn_knowledge_cell *word, uint64_t bits, uint32_t byte, bool writes)
{
	const struct norn_knowledge_cache *g = &__norn_knowledge_cache;
	struct norn_slot *self = g->local_monitor ? norn_busy() : NULL;
	uint64_t after;
	if (!self)
		return false;
	bool done = norn_cell_step_quickly(g, bits, byte, writes, &after) && norn_step_exchange(word, bits, after);
	if (done)
		norn_cell_step_count(g->local_monitor, bits, after, writes);
	norn_idle(self);
	return done;
}

bool norn_lock_step_exclusive(struct norn_knowledge_cell *word, uint64_t bits, uint32_t byte)
{
	return step_lock(word, bits, byte, true);
}

bool norn_lock_step_shared(struct norn_knowledge_cell *word, uint64_t bits, uint32_t byte)
{
	return step_lock(word, bits, byte, false);
}

void norn_watch_lock(struct norn_watcher *w, enum norn_sync_op op, const void *lock, uint32_t site)
{
	struct norn_knowledge_cell *word = norn_lock_at(lock);
	const struct norn_event event = {.kind = NORN_EVENT_SYNC,
	        .op = (uint8_t)op,
	        .known = true,
	        .thread = w->number,
	        .site = site,
	        .addr = (uintptr_t)lock};
	if (!table || (op == NORN_SYNC_DESTROY && !atomic_load_explicit(&word->bits, memory_order_relaxed)))
		return;
	norn_cell_lock(norn_word_cell(word));
	if (op == NORN_SYNC_DESTROY)
		table->drop(engine, &w->props[props], word, norn_word_lock(event.addr));
	else
		table->access(engine, &w->props[props], word, &event, 0, NULL, 0);
	unlock_word(word);
}

/* ---- freed memory ---- */

void norn_watch_words_drop(const void *block, size_t bytes)
{
	struct norn_slot *self = norn_busy();
	struct norn_watcher *w = self && table ? norn_watcher_ready() : NULL;
	uintptr_t at = ((uintptr_t)block + 7) & ~(uintptr_t)7, end = (uintptr_t)block + bytes;
	for (; w && at + 8 <= end; at += 8) {
		struct norn_knowledge_cell *word = norn_word_at((const void *)at);
		uint64_t bits = atomic_load_explicit(&word->bits, memory_order_relaxed);
		if (!bits)
			continue;
		/* A thread that looks at it meanwhile uses freed memory. */
		if (__norn_knowledge_cache.local_monitor && norn_cell_step_forgets(bits) && norn_step_exchange(word, bits, 0)) {
			norn_cell_step_forget(__norn_knowledge_cache.local_monitor, bits);
			continue;
		}
		norn_cell_lock(norn_word_cell(word));
		table->drop(engine, &w->props[props], word, NORN_WORD_ALL);
		unlock_word(word);
	}
	norn_idle(self);
}
