#include "errors/mvc/hb_races.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/page_set.h"
#include "base/slab.h"
#include "causality/happens_before.h"
#include "trace/record.h"
#include "trace/site.h"

#define BLOCK_BYTES UINT64_C(2048)
#define WORDS (BLOCK_BYTES / 8)
#define RECENT 4096u
#define SITE_PAGE 4096u
#define SITE_PAGES ((1u << NORN_SITE_BITS) / SITE_PAGE)

enum access_kind { WRITES = 1, ATOMIC = 2, UNSURE = 4 }; /* UNSURE: a compare-and-swap, which may not write */
#define KINDS 7u
#define ORDER_SHIFT 4 /* of what is known of a site: its memory order, and that of a failure */
#define FAILURE_SHIFT 8

/* number 0: none. */
struct race_access {
	uint64_t number : 44, slot : 20;
	uint32_t site;
	uint8_t bytes; /* a bit for each byte of the word */
	uint8_t kind;
	uint16_t half; /* of the number of the word's table, the low half with the write */
};

/* The latest write and the latest read; what they do not stand for is in a table. */
struct race_cell {
	struct race_access write, read;
};

struct race_block {
	struct race_cell cells[WORDS];
};

/* Further accesses of a word: by slot, with linear probing. Most are reads by threads that do not know of each other. */
struct race_table {
	struct race_access *list;
	uint32_t capacity, count, writes; /* a power of two */
	uint32_t spare; /* next that is free */
};

struct norn_hb_races {
	struct norn_hb *hb;
	norn_graph_lookup *lookup;
	void *sites;
	norn_hb_races_found *found;
	void *context;
	struct norn_map blocks; /* addr / BLOCK_BYTES + 1 → struct race_block * */
	struct norn_page_set present; /* the same */
	struct norn_slab slab; /* of blocks */
	struct {
		uint64_t key;
		struct race_block *block;
	} recent[RECENT];
	NORN_VECTOR(struct race_table) tables; /* [0] is none */
	uint32_t table_spare;
	uint64_t table_bytes;
	uint16_t **site_kinds; /* pages: 1 + kind + orders */
	struct norn_map objects; /* words of objects of synchronization */
	uint64_t *stacks; /* per thread: what its first STACK record said */
	uint32_t stack_room;
	/* The event that is being looked at: */
	const struct norn_event *event;
	const struct norn_hb_clock *thread;
	uint64_t number;
};

/* ---- making and freeing ---- */

struct norn_hb_races *norn_hb_races_new(norn_graph_lookup *lookup, void *sites, norn_hb_races_found *found, void *context)
{
	struct norn_hb_races *u = norn_must_calloc(1, sizeof *u);
	norn_map_init(&u->blocks, sizeof(struct race_block *));
	norn_map_init(&u->objects, 0);
	norn_page_set_init(&u->present);
	u->slab = (struct norn_slab){.bytes = sizeof(struct race_block), .large = true};
	u->lookup = lookup;
	u->sites = sites;
	u->found = found;
	u->context = context;
	u->site_kinds = lookup ? norn_must_calloc(SITE_PAGES, sizeof *u->site_kinds) : NULL;
	u->hb = norn_hb_new();
	norn_must_add(&u->tables);
	return u;
}

void norn_hb_races_free(struct norn_hb_races *u)
{
	if (!u)
		return;
	norn_slab_done(&u->slab);
	for (uint32_t i = 1; i < u->tables.count; i++)
		free(u->tables.items[i].list);
	for (uint32_t i = 0; u->site_kinds && i < SITE_PAGES; i++)
		free(u->site_kinds[i]);
	norn_hb_free(u->hb);
	norn_map_done(&u->blocks);
	norn_map_done(&u->objects);
	norn_page_set_done(&u->present);
	norn_vector_done(&u->tables);
	free(u->site_kinds);
	free(u->stacks);
	free(u);
}

uint64_t norn_hb_races_bytes(const struct norn_hb_races *u)
{
	return sizeof *u + norn_hb_bytes(u->hb) + u->slab.allocated + u->blocks.capacity * u->blocks.slot_bytes +
	       norn_page_set_bytes(&u->present) + u->table_bytes + (uint64_t)u->tables.room * sizeof *u->tables.items;
}

/* ---- cells ---- */

static struct race_block *find_block(struct norn_hb_races *u, uint64_t addr)
{
	struct race_block **block = norn_must_map_put(&u->blocks, addr / BLOCK_BYTES + 1);
	if (!*block) {
		*block = norn_slab_alloc(&u->slab);
		norn_page_set_add(&u->present, addr / BLOCK_BYTES);
	}
	return *block;
}

static inline unsigned recent_slot(uint64_t key)
{
	return (key ^ key >> 13) % RECENT;
}

static inline struct race_cell *get_cell(struct norn_hb_races *u, uint64_t addr)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = recent_slot(key);
	if (u->recent[slot].key != key) {
		u->recent[slot].block = find_block(u, addr);
		u->recent[slot].key = key;
	}
	return u->recent[slot].block->cells + addr % BLOCK_BYTES / 8;
}

/* ---- tables ---- */

static inline uint32_t table_of(const struct race_cell *cell)
{
	return (uint32_t)cell->read.half << 16 | cell->write.half;
}

static void set_table(struct race_cell *cell, uint32_t table)
{
	cell->write.half = (uint16_t)table;
	cell->read.half = (uint16_t)(table >> 16);
}

static uint32_t new_table(struct norn_hb_races *u)
{
	uint32_t table = u->table_spare;
	if (table) {
		u->table_spare = u->tables.items[table].spare;
		return table;
	}
	norn_must_add(&u->tables);
	return u->tables.count - 1;
}

/* The table keeps its memory for the next use. */
static void drop_table(struct norn_hb_races *u, struct race_cell *cell)
{
	uint32_t number = table_of(cell);
	if (number == 0)
		return;
	struct race_table *t = u->tables.items + number;
	if (t->capacity)
		memset(t->list, 0, t->capacity * sizeof *t->list);
	t->count = t->writes = 0;
	t->spare = u->table_spare;
	u->table_spare = number;
	set_table(cell, 0);
}

static uint32_t home(const struct race_table *t, uint32_t slot)
{
	return slot * 0x9e3779b1u >> 7 & (t->capacity - 1);
}

const void *norn_hb_races_expect(struct norn_hb_races *u, const struct norn_event *e)
{
	uint64_t key = e->addr / BLOCK_BYTES + 1;
	unsigned slot = recent_slot(key);
	if (e->kind > NORN_EVENT_RMW || u->recent[slot].key != key)
		return NULL;
	const struct race_cell *cell = u->recent[slot].block->cells + e->addr % BLOCK_BYTES / 8;
	__builtin_prefetch(cell, 1);
	return cell;
}

void norn_hb_races_expect_more(struct norn_hb_races *u, const void *expected, uint32_t thread, bool again)
{
	const struct race_table *t = expected && table_of(expected) ? u->tables.items + table_of(expected) : NULL;
	if (t && !again)
		__builtin_prefetch(t);
	const struct norn_hb_clock *knows = t && again && t->capacity ? norn_hb_thread(u->hb, thread) : NULL;
	if (knows)
		__builtin_prefetch(t->list + home(t, knows->slot), 1);
}

static void put(struct race_table *t, const struct race_access *a)
{
	uint32_t i = home(t, a->slot);
	while (t->list[i].number)
		i = (i + 1) & (t->capacity - 1);
	t->list[i] = *a;
	t->count++;
	t->writes += a->kind & WRITES;
}

static void rebuild(struct norn_hb_races *u, struct race_table *t, uint32_t capacity)
{
	struct race_access *old = t->list, *list = norn_must_calloc(capacity, sizeof *list);
	uint32_t old_capacity = t->capacity;
	u->table_bytes += ((uint64_t)capacity - old_capacity) * sizeof *list;
	t->list = list;
	t->capacity = capacity;
	t->count = t->writes = 0;
	for (uint32_t i = 0; i < old_capacity; i++)
		if (old[i].number)
			put(t, &old[i]);
	free(old);
}

/* Stands for an access of the same kind, of the same thread and bytes, or is added. */
static void add(struct norn_hb_races *u, struct race_cell *cell, const struct race_access *a)
{
	uint32_t number = table_of(cell);
	if (number == 0) {
		number = new_table(u);
		set_table(cell, number);
	}
	struct race_table *t = u->tables.items + number;
	for (uint32_t i = t->capacity ? home(t, a->slot) : 0; t->capacity && t->list[i].number; i = (i + 1) & (t->capacity - 1)) {
		struct race_access *x = t->list + i;
		if (x->slot == a->slot && x->bytes == a->bytes && x->kind == a->kind) {
			*x = *a;
			return;
		}
	}
	if (t->count + 1 > t->capacity / 4 * 3)
		rebuild(u, t, t->capacity ? t->capacity * 2 : 8);
	put(t, a);
}

/* ---- pairs ---- */

static bool is_object(const struct norn_hb_races *u, uint64_t word)
{
	return u->objects.count && norn_map_get(&u->objects, word / 8);
}

static int tell(struct norn_hb_races *u, const struct race_access *x, uint64_t word, bool frees)
{
	if (is_object(u, word))
		return 0;
	const struct norn_hb_races_pair pair = {
	        .first = x->number, .second = u->number, .site = x->site, .other = u->event->site, .frees = frees};
	return u->found(u->context, &pair);
}

static inline bool precedes(const struct norn_hb_races *u, const struct race_access *x)
{
	return norn_hb_precedes(u->thread, x->slot, x->number);
}

static bool surely(unsigned kind)
{
	return (kind & (WRITES | UNSURE)) == WRITES;
}

/* Reports the pair if x, an earlier access, is not ordered with this one. *ret_settled: x need not be kept beside this access. */
static inline int compare(
        struct norn_hb_races *u, const struct race_access *x, const struct race_access *a, uint64_t word, bool *ret_settled)
{
	*ret_settled = true;
	if (!x->number || !(x->bytes & a->bytes) || precedes(u, x))
		return 0;
	if (x->kind & a->kind & ATOMIC || !(surely(x->kind) || surely(a->kind))) {
		*ret_settled = false; /* both are needed: others may conflict with the one, or with the other */
		return 0;
	}
	return tell(u, x, word, false);
}

/* a stands for what it covers of x, if x precedes it: an atomic access not for one that is not. */
static bool covers(const struct race_access *a, const struct race_access *x)
{
	return !(a->kind & ATOMIC) || x->kind & ATOMIC;
}

static int write_table(struct norn_hb_races *u, struct race_cell *cell, const struct race_access *a, uint64_t word)
{
	struct race_table *t = u->tables.items + table_of(cell);
	uint32_t left = 0;
	for (uint32_t i = 0; i < t->capacity; i++) {
		struct race_access *x = t->list + i;
		bool settled;
		int r = compare(u, x, a, word, &settled);
		if (r != 0)
			return r;
		if (x->number && settled && covers(a, x))
			x->bytes &= (uint8_t)~a->bytes;
		left += x->number && x->bytes;
	}
	if (left == 0) {
		drop_table(u, cell);
	} else if (left < t->count) {
		for (uint32_t i = 0; i < t->capacity; i++)
			if (!t->list[i].bytes)
				t->list[i].number = 0;
		rebuild(u, t, t->capacity);
	}
	return 0;
}

static int write_word(struct norn_hb_races *u, struct race_cell *cell, const struct race_access *a, uint64_t word)
{
	bool settled;
	struct race_access old = cell->write;
	int r = compare(u, &cell->write, a, word, &settled);
	if (r == 0 && old.number && settled && covers(a, &old))
		old.bytes &= (uint8_t)~a->bytes;
	if (r == 0 && cell->read.number) {
		r = compare(u, &cell->read, a, word, &settled);
		if (settled && covers(a, &cell->read))
			cell->read.bytes &= (uint8_t)~a->bytes;
		if (!cell->read.bytes)
			cell->read.number = 0;
	}
	if (r == 0 && table_of(cell))
		r = write_table(u, cell, a, word);
	uint16_t half = cell->write.half;
	cell->write = *a;
	cell->write.half = half;
	if (r == 0 && old.number && old.bytes)
		add(u, cell, &old);
	return r;
}

static int read_table(struct norn_hb_races *u, const struct race_cell *cell, const struct race_access *a, uint64_t word)
{
	const struct race_table *t = u->tables.items + table_of(cell);
	int r = 0;
	bool settled;
	for (uint32_t i = 0; i < t->capacity && r == 0; i++)
		if (t->list[i].number && t->list[i].kind & WRITES)
			r = compare(u, &t->list[i], a, word, &settled);
	return r;
}

static int read_word(struct norn_hb_races *u, struct race_cell *cell, const struct race_access *a, uint64_t word)
{
	bool settled;
	int r = compare(u, &cell->write, a, word, &settled);
	uint32_t table = table_of(cell);
	if (r == 0 && table && u->tables.items[table].writes)
		r = read_table(u, cell, a, word);
	if (r != 0)
		return r;
	struct race_access *x = &cell->read;
	bool stands = !x->number || ((x->bytes & ~a->bytes) == 0 && covers(a, x) && precedes(u, x));
	if (!stands) {
		add(u, cell, a);
		return 0;
	}
	uint16_t half = x->half;
	*x = *a;
	x->half = half;
	return 0;
}

/* ---- accesses ---- */

static uint16_t site_kind(struct norn_hb_races *u, uint32_t site)
{
	if (!u->lookup || site / SITE_PAGE >= SITE_PAGES)
		return 0;
	uint16_t **page = &u->site_kinds[site / SITE_PAGE];
	if (!*page)
		*page = norn_must_calloc(SITE_PAGE, sizeof **page);
	uint16_t *kind = *page + site % SITE_PAGE;
	if (*kind == 0) {
		struct norn_graph_site known;
		u->lookup(u->sites, site, &known);
		*kind = (uint16_t)(1 + (known.order ? ATOMIC : 0) + (known.kind == NORN_SITE_CMPXCHG ? UNSURE : 0) +
		                   (known.order << ORDER_SHIFT) + (known.order_failure << FAILURE_SHIFT));
	}
	return (uint16_t)(*kind - 1);
}

/* An unknown order is taken as the strongest. */
static enum norn_site_order order_of(unsigned site_kind, bool failed)
{
	unsigned order = site_kind >> (failed ? FAILURE_SHIFT : ORDER_SHIFT) & 15;
	return order ? (enum norn_site_order)order : NORN_ORDER_SEQ_CST;
}

static int access_words(struct norn_hb_races *u, struct race_access *a)
{
	const struct norn_event *e = u->event;
	uint64_t end = e->addr + e->size;
	int r = 0;
	for (uint64_t word = e->addr & ~UINT64_C(7); word < end && r == 0; word += 8) {
		unsigned first = e->addr > word ? (unsigned)(e->addr - word) : 0;
		struct race_cell *cell = get_cell(u, word);
		a->bytes = (uint8_t)((0xffu << first) & (end - word < 8 ? (1u << (end - word)) - 1 : 0xffu));
		r = a->kind & WRITES ? write_word(u, cell, a, word) : read_word(u, cell, a, word);
	}
	return r;
}

static int access_event(struct norn_hb_races *u)
{
	const struct norn_event *e = u->event;
	uint16_t site = site_kind(u, e->site);
	uint8_t kind = site & KINDS;
	enum norn_site_order order = order_of(site, kind & UNSURE && e->kind == NORN_EVENT_READ);
	int r = 0;
	if (e->kind == NORN_EVENT_RMW)
		kind |= ATOMIC | WRITES;
	else if (e->kind == NORN_EVENT_WRITE)
		kind = (uint8_t)((kind & ATOMIC) | WRITES);
	else
		kind &= ATOMIC;
	struct race_access a = {.number = u->number, .slot = u->thread->slot, .site = e->site, .kind = kind};
	/* A read comes after the write that it saw, if both are atomic: then it is compared. */
	if (kind & ATOMIC && e->kind != NORN_EVENT_WRITE)
		r = norn_hb_atomic(u->hb, e, order, u->number);
	if (r == 0)
		r = access_words(u, &a);
	if (r == 0 && kind & ATOMIC && e->kind == NORN_EVENT_WRITE)
		r = norn_hb_atomic(u->hb, e, order, u->number);
	return r;
}

static int fence_event(struct norn_hb_races *u)
{
	return norn_hb_fence(u->hb, u->event->thread, order_of(site_kind(u, u->event->site), false), u->number);
}

/* ---- memory ---- */

static int free_word(struct norn_hb_races *u, const struct race_cell *cell, uint64_t word)
{
	const struct race_table *t = table_of(cell) ? u->tables.items + table_of(cell) : NULL;
	int r = cell->write.number && !precedes(u, &cell->write) ? tell(u, &cell->write, word, true) : 0;
	if (r == 0 && cell->read.number && !precedes(u, &cell->read))
		r = tell(u, &cell->read, word, true);
	for (uint32_t i = 0; t && i < t->capacity && r == 0; i++)
		if (t->list[i].number && !precedes(u, &t->list[i]))
			r = tell(u, &t->list[i], word, true);
	return r;
}

static int forget(struct norn_hb_races *u, uint64_t addr, uint64_t size, bool frees)
{
	uint64_t end = addr + size, last = (end + BLOCK_BYTES - 1) / BLOCK_BYTES;
	int r = 0;
	addr &= ~UINT64_C(7);
	for (uint64_t n = addr / BLOCK_BYTES; r == 0 && (n = norn_page_set_next(&u->present, n, last)) < last; n++) {
		struct race_block **block = norn_map_get(&u->blocks, n + 1);
		uint64_t from = n * BLOCK_BYTES < addr ? addr : n * BLOCK_BYTES, to = (n + 1) * BLOCK_BYTES;
		for (to = to > end ? end : to; from < to && r == 0; from += 8) {
			struct race_cell *cell = (*block)->cells + from % BLOCK_BYTES / 8;
			if (frees)
				r = free_word(u, cell, from);
			drop_table(u, cell);
			*cell = (struct race_cell){0};
		}
	}
	return r;
}

static int take_stack(struct norn_hb_races *u, const struct norn_event *e)
{
	uint32_t old = u->stack_room;
	norn_must_grow(&u->stacks, e->thread + UINT64_C(1), &u->stack_room, sizeof *u->stacks);
	memset(u->stacks + old, 0, (u->stack_room - old) * sizeof *u->stacks);
	uint64_t low = u->stacks[e->thread];
	u->stacks[e->thread] = low ? 0 : e->argument;
	return low ? forget(u, low, e->argument, false) : 0;
}

static void note_object(struct norn_hb_races *u, const struct norn_event *e)
{
	uint64_t end = e->addr + norn_graph_object_bytes(e);
	for (uint64_t word = e->addr / 8; word <= (end - 1) / 8; word++)
		norn_must_map_put(&u->objects, word);
}

/* ---- events ---- */

int norn_hb_races_event(struct norn_hb_races *u, const struct norn_event *e, uint64_t number)
{
	u->event = e;
	u->number = number;
	u->thread = norn_hb_thread(u->hb, e->thread);
	if (!u->thread)
		return -EOVERFLOW;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		return access_event(u);
	case NORN_EVENT_ALLOC:
		return forget(u, e->addr, e->size, false);
	case NORN_EVENT_FREE:
		return e->pieces & 2 ? 0 : forget(u, e->addr, e->size, true);
	case NORN_EVENT_THREAD: {
		/* A pair that only the return of a call orders is asked for, too: it may be suspected (X9). */
		if (e->op == NORN_THREAD_BACK && e->argument == NORN_BACK_RETURNED)
			return 0;
		if (e->op == NORN_THREAD_FENCE)
			return fence_event(u);
		int r = norn_hb_event(u->hb, e, number);
		return r == 0 && e->op == NORN_THREAD_STACK ? take_stack(u, e) : r;
	}
	case NORN_EVENT_SYNC:
		if (u->lookup)
			note_object(u, e);
		return norn_hb_event(u->hb, e, number);
	}
	return 0;
}
