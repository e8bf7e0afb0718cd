#include "errors/hb_races.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
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

enum kind { WRITES = 1, ATOMIC = 2, UNSURE = 4 }; /* UNSURE: a compare-and-swap, which may not write */

/* number 0: none. */
struct access {
	uint64_t number : 44, slot : 20;
	uint32_t site;
	uint8_t bytes; /* a bit for each byte of the word */
	uint8_t kind;
	uint16_t half; /* of the number of the word's table, the low half with the write */
};

/* The latest write and the latest read; what they do not stand for is in a table. */
struct cell {
	struct access write, read;
};

struct block {
	struct cell cells[WORDS];
};

/* Further accesses of a word: by slot, with linear probing. Most are reads by threads that do not know of each other. */
struct table {
	struct access *list;
	uint32_t capacity, count, writes; /* a power of two */
	uint32_t spare; /* next that is free */
};

struct norn_hb_races {
	struct norn_hb *hb;
	norn_graph_lookup *lookup;
	void *sites;
	norn_hb_races_found *found;
	void *context;
	struct norn_map blocks; /* addr / BLOCK_BYTES + 1 → struct block * */
	struct norn_page_set present; /* the same */
	struct norn_slab slab; /* of blocks */
	struct {
		uint64_t key;
		struct block *block;
	} recent[RECENT];
	struct table *tables; /* [0] is none */
	uint32_t table_count, table_room, table_spare;
	uint64_t table_bytes;
	uint8_t **site_kinds; /* pages: 1 + kind */
	struct norn_map objects; /* words of objects of synchronization */
	uint64_t *stacks; /* per thread: what its first STACK record said */
	uint32_t stack_room;
	/* The event that is being looked at: */
	const struct norn_event *event;
	const struct norn_hb_clock *thread;
	uint64_t number;
};

/* ---- making and freeing ---- */

int norn_hb_races_new(
        norn_graph_lookup *lookup, void *sites, norn_hb_races_found *found, void *context, struct norn_hb_races **ret_unordered)
{
	struct norn_hb_races *u = calloc(1, sizeof *u);
	if (!u)
		return -ENOMEM;
	norn_map_init(&u->blocks, sizeof(struct block *));
	norn_map_init(&u->objects, 0);
	norn_page_set_init(&u->present);
	u->slab = (struct norn_slab){.bytes = sizeof(struct block), .large = true};
	u->lookup = lookup;
	u->sites = sites;
	u->found = found;
	u->context = context;
	u->site_kinds = lookup ? calloc(SITE_PAGES, sizeof *u->site_kinds) : NULL;
	if ((lookup && !u->site_kinds) || norn_hb_new(&u->hb) < 0) {
		norn_hb_races_free(u);
		return -ENOMEM;
	}
	*ret_unordered = u;
	return 0;
}

void norn_hb_races_free(struct norn_hb_races *u)
{
	if (!u)
		return;
	norn_slab_done(&u->slab);
	for (uint32_t i = 1; i < u->table_count; i++)
		free(u->tables[i].list);
	for (uint32_t i = 0; u->site_kinds && i < SITE_PAGES; i++)
		free(u->site_kinds[i]);
	norn_hb_free(u->hb);
	norn_map_done(&u->blocks);
	norn_map_done(&u->objects);
	norn_page_set_done(&u->present);
	free(u->tables);
	free(u->site_kinds);
	free(u->stacks);
	free(u);
}

uint64_t norn_hb_races_bytes(const struct norn_hb_races *u)
{
	return sizeof *u + norn_hb_bytes(u->hb) + u->slab.allocated + u->blocks.capacity * u->blocks.slot_bytes +
	       norn_page_set_bytes(&u->present) + u->table_bytes + (uint64_t)u->table_room * sizeof *u->tables;
}

/* ---- cells ---- */

static int find_block(struct norn_hb_races *u, uint64_t addr, struct block **ret_block)
{
	void *place;
	int r = norn_map_put(&u->blocks, addr / BLOCK_BYTES + 1, &place);
	if (r < 0)
		return r;
	struct block **block = place;
	if (!*block) {
		*block = norn_slab_alloc(&u->slab);
		norn_page_set_add(&u->present, addr / BLOCK_BYTES);
	}
	*ret_block = *block;
	return r;
}

static inline unsigned recent_slot(uint64_t key)
{
	return (key ^ key >> 13) % RECENT;
}

static inline int get_cell(struct norn_hb_races *u, uint64_t addr, struct cell **ret_cell)
{
	uint64_t key = addr / BLOCK_BYTES + 1;
	unsigned slot = recent_slot(key);
	if (u->recent[slot].key != key) {
		struct block *block;
		int r = find_block(u, addr, &block);
		if (r < 0)
			return r;
		u->recent[slot].key = key;
		u->recent[slot].block = block;
	}
	*ret_cell = u->recent[slot].block->cells + addr % BLOCK_BYTES / 8;
	return 0;
}

/* ---- tables ---- */

static inline uint32_t table_of(const struct cell *cell)
{
	return (uint32_t)cell->read.half << 16 | cell->write.half;
}

static void set_table(struct cell *cell, uint32_t table)
{
	cell->write.half = (uint16_t)table;
	cell->read.half = (uint16_t)(table >> 16);
}

static int new_table(struct norn_hb_races *u, uint32_t *ret_table)
{
	if (u->table_spare) {
		*ret_table = u->table_spare;
		u->table_spare = u->tables[*ret_table].spare;
		return 0;
	}
	if (u->table_count == 0)
		u->table_count = 1;
	if (u->table_count >= u->table_room) {
		uint32_t room = u->table_room ? u->table_room * 2 : 256;
		struct table *tables = room ? realloc(u->tables, room * sizeof *tables) : NULL;
		if (!tables)
			return -ENOMEM;
		u->tables = tables;
		u->table_room = room;
	}
	u->tables[u->table_count] = (struct table){0};
	*ret_table = u->table_count++;
	return 0;
}

/* Its memory stays with it. */
static void drop_table(struct norn_hb_races *u, struct cell *cell)
{
	uint32_t number = table_of(cell);
	if (number == 0)
		return;
	struct table *t = u->tables + number;
	if (t->capacity)
		memset(t->list, 0, t->capacity * sizeof *t->list);
	t->count = t->writes = 0;
	t->spare = u->table_spare;
	u->table_spare = number;
	set_table(cell, 0);
}

static uint32_t home(const struct table *t, uint32_t slot)
{
	return slot * 0x9e3779b1u >> 7 & (t->capacity - 1);
}

const void *norn_hb_races_expect(struct norn_hb_races *u, const struct norn_event *e)
{
	uint64_t key = e->addr / BLOCK_BYTES + 1;
	unsigned slot = recent_slot(key);
	if (e->kind > NORN_EVENT_RMW || u->recent[slot].key != key)
		return NULL;
	const struct cell *cell = u->recent[slot].block->cells + e->addr % BLOCK_BYTES / 8;
	__builtin_prefetch(cell, 1);
	return cell;
}

void norn_hb_races_expect_more(struct norn_hb_races *u, const void *expected, uint32_t thread, bool again)
{
	const struct table *t = expected && table_of(expected) ? u->tables + table_of(expected) : NULL;
	if (t && !again)
		__builtin_prefetch(t);
	const struct norn_hb_clock *knows = t && again && t->capacity ? norn_hb_thread(u->hb, thread) : NULL;
	if (knows)
		__builtin_prefetch(t->list + home(t, knows->slot), 1);
}

static void put(struct table *t, const struct access *a)
{
	uint32_t i = home(t, a->slot);
	while (t->list[i].number)
		i = (i + 1) & (t->capacity - 1);
	t->list[i] = *a;
	t->count++;
	t->writes += a->kind & WRITES;
}

static int rebuild(struct norn_hb_races *u, struct table *t, uint32_t capacity)
{
	struct access *old = t->list, *list = calloc(capacity, sizeof *list);
	uint32_t old_capacity = t->capacity;
	if (!list)
		return -ENOMEM;
	u->table_bytes += ((uint64_t)capacity - old_capacity) * sizeof *list;
	t->list = list;
	t->capacity = capacity;
	t->count = t->writes = 0;
	for (uint32_t i = 0; i < old_capacity; i++)
		if (old[i].number)
			put(t, &old[i]);
	free(old);
	return 0;
}

/* Stands for an access of the same kind, of the same thread and bytes, or is added. */
static int add(struct norn_hb_races *u, struct cell *cell, const struct access *a)
{
	uint32_t number = table_of(cell);
	if (number == 0) {
		int r = new_table(u, &number);
		if (r < 0)
			return r;
		set_table(cell, number);
	}
	struct table *t = u->tables + number;
	for (uint32_t i = t->capacity ? home(t, a->slot) : 0; t->capacity && t->list[i].number; i = (i + 1) & (t->capacity - 1)) {
		struct access *x = t->list + i;
		if (x->slot == a->slot && x->bytes == a->bytes && x->kind == a->kind) {
			*x = *a;
			return 0;
		}
	}
	if (t->count + 1 > t->capacity / 4 * 3) {
		int r = rebuild(u, t, t->capacity ? t->capacity * 2 : 8);
		if (r < 0)
			return r;
	}
	put(t, a);
	return 0;
}

/* ---- pairs ---- */

static bool is_object(const struct norn_hb_races *u, uint64_t word)
{
	return u->objects.count && norn_map_get(&u->objects, word / 8);
}

static int tell(struct norn_hb_races *u, const struct access *x, uint64_t word, bool frees)
{
	if (is_object(u, word))
		return 0;
	const struct norn_hb_races_pair pair = {
	        .first = x->number, .second = u->number, .site = x->site, .other = u->event->site, .frees = frees};
	return u->found(u->context, &pair);
}

static inline bool precedes(const struct norn_hb_races *u, const struct access *x)
{
	return norn_hb_precedes(u->thread, x->slot, x->number);
}

static bool surely(unsigned kind)
{
	return (kind & (WRITES | UNSURE)) == WRITES;
}

/* Is x, an earlier access, not ordered with this one, so that there is no need to keep it beyond this? Tells of the pair. */
static inline int compare(struct norn_hb_races *u, const struct access *x, const struct access *a, uint64_t word, bool *ret_settled)
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
static bool covers(const struct access *a, const struct access *x)
{
	return !(a->kind & ATOMIC) || x->kind & ATOMIC;
}

static int write_table(struct norn_hb_races *u, struct cell *cell, const struct access *a, uint64_t word)
{
	struct table *t = u->tables + table_of(cell);
	uint32_t left = 0;
	for (uint32_t i = 0; i < t->capacity; i++) {
		struct access *x = t->list + i;
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
		return rebuild(u, t, t->capacity);
	}
	return 0;
}

static int write_word(struct norn_hb_races *u, struct cell *cell, const struct access *a, uint64_t word)
{
	bool settled;
	struct access old = cell->write;
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
	return r == 0 && old.number && old.bytes ? add(u, cell, &old) : r;
}

static int read_table(struct norn_hb_races *u, const struct cell *cell, const struct access *a, uint64_t word)
{
	const struct table *t = u->tables + table_of(cell);
	int r = 0;
	bool settled;
	for (uint32_t i = 0; i < t->capacity && r == 0; i++)
		if (t->list[i].number && t->list[i].kind & WRITES)
			r = compare(u, &t->list[i], a, word, &settled);
	return r;
}

static int read_word(struct norn_hb_races *u, struct cell *cell, const struct access *a, uint64_t word)
{
	bool settled;
	int r = compare(u, &cell->write, a, word, &settled);
	uint32_t table = table_of(cell);
	if (r == 0 && table && u->tables[table].writes)
		r = read_table(u, cell, a, word);
	if (r != 0)
		return r;
	struct access *x = &cell->read;
	bool stands = !x->number || ((x->bytes & ~a->bytes) == 0 && covers(a, x) && precedes(u, x));
	if (!stands)
		return add(u, cell, a);
	uint16_t half = x->half;
	*x = *a;
	x->half = half;
	return 0;
}

/* ---- accesses ---- */

static int site_kind(struct norn_hb_races *u, uint32_t site, uint8_t *ret_kind)
{
	*ret_kind = 0;
	if (!u->lookup || site / SITE_PAGE >= SITE_PAGES)
		return 0;
	uint8_t **page = &u->site_kinds[site / SITE_PAGE];
	if (!*page && !(*page = calloc(SITE_PAGE, 1)))
		return -ENOMEM;
	uint8_t *kind = *page + site % SITE_PAGE;
	if (*kind == 0) {
		struct norn_graph_site known;
		u->lookup(u->sites, site, &known);
		*kind = (uint8_t)(1 + (known.order ? ATOMIC : 0) + (known.kind == NORN_SITE_CMPXCHG ? UNSURE : 0));
	}
	*ret_kind = *kind - 1;
	return 0;
}

static int access_words(struct norn_hb_races *u, struct access *a)
{
	const struct norn_event *e = u->event;
	uint64_t end = e->addr + e->size;
	int r = 0;
	for (uint64_t word = e->addr & ~UINT64_C(7); word < end && r == 0; word += 8) {
		unsigned first = e->addr > word ? (unsigned)(e->addr - word) : 0;
		struct cell *cell;
		a->bytes = (uint8_t)((0xffu << first) & (end - word < 8 ? (1u << (end - word)) - 1 : 0xffu));
		r = get_cell(u, word, &cell);
		if (r == 0)
			r = a->kind & WRITES ? write_word(u, cell, a, word) : read_word(u, cell, a, word);
	}
	return r;
}

static int access_event(struct norn_hb_races *u)
{
	const struct norn_event *e = u->event;
	uint8_t kind;
	int r = site_kind(u, e->site, &kind);
	if (r < 0)
		return r;
	if (e->kind == NORN_EVENT_RMW)
		kind |= ATOMIC | WRITES;
	else if (e->kind == NORN_EVENT_WRITE)
		kind = (uint8_t)((kind & ATOMIC) | WRITES);
	else
		kind &= ATOMIC;
	struct access a = {.number = u->number, .slot = u->thread->slot, .site = e->site, .kind = kind};
	/* What it reads orders it after who wrote that, if both are atomic: then it is compared. */
	if (kind & ATOMIC && e->kind != NORN_EVENT_WRITE)
		r = norn_hb_atomic(u->hb, e, u->number);
	if (r == 0)
		r = access_words(u, &a);
	if (r == 0 && kind & ATOMIC && e->kind == NORN_EVENT_WRITE)
		r = norn_hb_atomic(u->hb, e, u->number);
	return r;
}

/* ---- memory ---- */

static int free_word(struct norn_hb_races *u, const struct cell *cell, uint64_t word)
{
	const struct table *t = table_of(cell) ? u->tables + table_of(cell) : NULL;
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
		struct block **block = norn_map_get(&u->blocks, n + 1);
		uint64_t from = n * BLOCK_BYTES < addr ? addr : n * BLOCK_BYTES, to = (n + 1) * BLOCK_BYTES;
		for (to = to > end ? end : to; from < to && r == 0; from += 8) {
			struct cell *cell = (*block)->cells + from % BLOCK_BYTES / 8;
			if (frees)
				r = free_word(u, cell, from);
			drop_table(u, cell);
			*cell = (struct cell){0};
		}
	}
	return r;
}

static int take_stack(struct norn_hb_races *u, const struct norn_event *e)
{
	uint32_t old = u->stack_room;
	if (e->thread >= old) {
		uint32_t room = e->thread + e->thread / 2 + 16;
		uint64_t *stacks = realloc(u->stacks, room * sizeof *stacks);
		if (!stacks)
			return -ENOMEM;
		memset(stacks + old, 0, (room - old) * sizeof *stacks);
		u->stacks = stacks;
		u->stack_room = room;
	}
	uint64_t low = u->stacks[e->thread];
	u->stacks[e->thread] = low ? 0 : e->argument;
	return low ? forget(u, low, e->argument, false) : 0;
}

static int note_object(struct norn_hb_races *u, const struct norn_event *e)
{
	uint64_t end = e->addr + norn_graph_object_bytes(e);
	int r = 0;
	for (uint64_t word = e->addr / 8; word <= (end - 1) / 8 && r == 0; word++) {
		void *nothing;
		r = norn_map_put(&u->objects, word, &nothing);
	}
	return r;
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
		int r = norn_hb_event(u->hb, e, number);
		return r == 0 && e->op == NORN_THREAD_STACK ? take_stack(u, e) : r;
	}
	case NORN_EVENT_SYNC: {
		int r = norn_hb_event(u->hb, e, number);
		return r == 0 && u->lookup ? note_object(u, e) : r;
	}
	}
	return 0;
}
