#include "causality/happens_before.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "causality/sync_rules.h"
#include "trace/record.h"

#define LOOK 8u /* slots that are tried for a new thread */

/* A vector clock: for each slot the number of the last event that is known. */
struct hb_vector {
	uint64_t *known;
	uint32_t width, room;
};

struct hb_object {
	struct hb_vector all, shared; /* published clocks: of all threads, or of readers that released */
	struct hb_vector full; /* a barrier: what was when the last round became full */
	uint64_t size, arrived; /* the same: of a round, 0: unknown; in the round that fills */
	/* `all` is the clock of one event: a thread that knows this event needs no join with it: */
	uint32_t slot;
	uint64_t number; /* 0: `all` is not of one event */
};

/* The head of a release sequence: the clock that side effects of one thread on these bytes pass on to a thread that acquires them,
 * which is that of its release operation or, where that stores without, of its release fence. All that the thread stores there
 * later belongs to the same release sequence. */
struct hb_head {
	struct hb_vector known;
	uint32_t thread, slot;
	uint64_t number; /* of the operation or fence */
	uint8_t bytes; /* a bit for each byte of the word; 0: none */
};

/* A word that is accessed by atomics: the release sequences that its present values belong to. */
struct atomic_word {
	struct hb_head *heads; /* those beyond count have memory, and mean nothing */
	uint32_t count, room;
};

struct hb_thread {
	struct norn_hb_clock knows;
	bool begun, ended;
	uint64_t last; /* event */
	struct hb_vector fenced; /* its clock at its last release fence; number of that, 0: none */
	uint64_t fence;
	struct hb_vector seen; /* clocks seen by its atomic reads that do not acquire: known after an acquire fence */
};

struct free_slot {
	uint32_t slot;
	uint64_t end; /* last event of the thread that had it */
};

struct norn_hb {
	struct hb_thread *threads;
	uint32_t thread_count, thread_room;
	struct norn_map numbers; /* address → 1 + index */
	struct hb_object *objects;
	uint32_t object_count, object_room;
	struct norn_map word_numbers; /* address / 8 → 1 + index */
	struct atomic_word *words;
	uint32_t word_count, word_room;
	uint32_t slots;
	struct free_slot *spare;
	uint32_t spare_count, spare_room;
	uint64_t bytes;
};

/* ---- making and freeing ---- */

struct norn_hb *norn_hb_new(void)
{
	struct norn_hb *p = norn_must_calloc(1, sizeof *p);
	norn_map_init(&p->numbers, sizeof(uint32_t));
	norn_map_init(&p->word_numbers, sizeof(uint32_t));
	return p;
}

static void free_thread(struct hb_thread *t)
{
	free(t->knows.known);
	free(t->fenced.known);
	free(t->seen.known);
}

void norn_hb_free(struct norn_hb *hb)
{
	if (!hb)
		return;
	for (uint32_t i = 0; i < hb->thread_count; i++)
		free_thread(&hb->threads[i]);
	for (uint32_t i = 0; i < hb->word_count; i++) {
		for (uint32_t k = 0; k < hb->words[i].room; k++)
			free(hb->words[i].heads[k].known.known);
		free(hb->words[i].heads);
	}
	for (uint32_t i = 0; i < hb->object_count; i++) {
		free(hb->objects[i].all.known);
		free(hb->objects[i].shared.known);
		free(hb->objects[i].full.known);
	}
	free(hb->threads);
	free(hb->objects);
	free(hb->words);
	free(hb->spare);
	norn_map_done(&hb->numbers);
	norn_map_done(&hb->word_numbers);
	free(hb);
}

/* A new entry is all zero bytes. Most vectors are short: they begin with fewer items than norn_grow gives. */
static void grow(struct norn_hb *p, void *array, uint32_t *room, uint64_t wanted, size_t size)
{
	if (wanted <= *room)
		return;
	uint64_t more = *room + *room / 2 + UINT64_C(8);
	more = more < wanted ? wanted : more;
	char *bigger = norn_must_realloc(*(void **)array, more, size);
	memset(bigger + *room * size, 0, (more - *room) * size);
	p->bytes += (more - *room) * size;
	*(void **)array = bigger;
	*room = (uint32_t)more;
}

uint64_t norn_hb_bytes(const struct norn_hb *hb)
{
	return hb->bytes + hb->numbers.capacity * hb->numbers.slot_bytes + hb->word_numbers.capacity * hb->word_numbers.slot_bytes;
}

/* ---- vectors ---- */

/* Entries beyond the width are zero. */
static void widen(struct norn_hb *p, uint64_t **known, uint32_t *width, uint32_t *room, uint32_t wanted)
{
	if (wanted <= *width)
		return;
	grow(p, known, room, wanted, sizeof **known);
	*width = wanted;
	assert(*width <= *room);
}

static void learn(struct norn_hb *p, struct norn_hb_clock *k, const struct hb_vector *from)
{
	widen(p, &k->known, &k->width, &k->room, from->width);
	for (uint32_t i = 0; i < from->width; i++)
		if (from->known[i] > k->known[i])
			k->known[i] = from->known[i];
}

static void teach(struct norn_hb *p, struct hb_vector *to, const struct norn_hb_clock *k, uint64_t number)
{
	assert(k->slot < p->slots);
	uint32_t width = k->width > k->slot ? k->width : k->slot + 1;
	widen(p, &to->known, &to->width, &to->room, width);
	for (uint32_t i = 0; i < k->width; i++)
		if (k->known[i] > to->known[i])
			to->known[i] = k->known[i];
	to->known[k->slot] = number;
}

/* As teach, but forgets the vector's present contents. */
static void replace(struct norn_hb *p, struct hb_vector *to, const struct norn_hb_clock *k, uint64_t number)
{
	if (to->width)
		memset(to->known, 0, to->width * sizeof *to->known);
	teach(p, to, k, number);
}

/* All events up to this number precede. */
static void learn_all(struct norn_hb *p, struct norn_hb_clock *k, uint64_t number)
{
	widen(p, &k->known, &k->width, &k->room, p->slots);
	for (uint32_t i = 0; i < p->slots; i++) {
		assert(k->known[i] <= number); /* clocks only grow */
		k->known[i] = number;
	}
}

/* ---- threads ---- */

static struct hb_thread *get_thread(struct norn_hb *p, uint32_t thread)
{
	if (thread >= NORN_HB_SLOTS)
		return NULL;
	grow(p, &p->threads, &p->thread_room, thread + UINT64_C(1), sizeof *p->threads);
	if (thread >= p->thread_count)
		p->thread_count = thread + 1;
	return p->threads + thread;
}

/* A new slot, or that of an ended thread whose events all precede the new thread's first. */
static int take_slot(struct norn_hb *p, const struct norn_hb_clock *parent, uint32_t *ret_slot)
{
	for (uint32_t i = 0; parent && i < p->spare_count && i < LOOK; i++) {
		struct free_slot *s = &p->spare[p->spare_count - 1 - i];
		if (!norn_hb_precedes(parent, s->slot, s->end))
			continue;
		*ret_slot = s->slot;
		*s = p->spare[--p->spare_count];
		return 0;
	}
	if (p->slots >= NORN_HB_SLOTS)
		return -EOVERFLOW;
	*ret_slot = p->slots++;
	return 0;
}

static int begin(struct norn_hb *p, struct hb_thread *t, const struct norn_hb_clock *parent)
{
	t->begun = true;
	return take_slot(p, parent, &t->knows.slot);
}

const struct norn_hb_clock *norn_hb_thread(struct norn_hb *p, uint32_t thread)
{
	struct hb_thread *t = thread < p->thread_count ? p->threads + thread : get_thread(p, thread);
	if (!t || (!t->begun && begin(p, t, NULL) < 0))
		return NULL;
	return &t->knows;
}

static int fork_thread(struct norn_hb *p, uint32_t parent, uint32_t child, uint64_t number)
{
	struct hb_thread *c = get_thread(p, child);
	if (!c || c->begun)
		return 0;
	const struct norn_hb_clock *k = &p->threads[parent].knows;
	int r = begin(p, c, k);
	if (r < 0)
		return r;
	struct hb_vector known = {c->knows.known, c->knows.width, c->knows.room};
	teach(p, &known, k, number);
	c->knows.known = known.known;
	c->knows.width = known.width;
	c->knows.room = known.room;
	return 0;
}

static void join_thread(struct norn_hb *p, uint32_t thread, uint32_t child, uint64_t number)
{
	if (child >= p->thread_count || !p->threads[child].begun)
		return;
	struct hb_thread *c = p->threads + child;
	struct norn_hb_clock *k = &p->threads[thread].knows;
	learn(p, k, &(struct hb_vector){c->knows.known, c->knows.width, 0});
	widen(p, &k->known, &k->width, &k->room, c->knows.slot + 1);
	/* No end of the child was recorded: all its events so far precede the join. */
	uint64_t last = c->ended ? c->last : number;
	if (k->known[c->knows.slot] < last)
		k->known[c->knows.slot] = last;
	if (c->ended && c->knows.slot != k->slot) {
		grow(p, &p->spare, &p->spare_room, p->spare_count + UINT64_C(1), sizeof *p->spare);
		p->spare[p->spare_count++] = (struct free_slot){c->knows.slot, c->last};
		p->bytes -= (UINT64_C(1) * c->knows.room + c->fenced.room + c->seen.room) * sizeof *c->knows.known;
		free_thread(c);
		*c = (struct hb_thread){.ended = true, .knows.slot = c->knows.slot};
	}
}

/* ---- objects ---- */

static struct hb_object *get_object(struct norn_hb *p, uint64_t key)
{
	uint32_t *number = norn_must_map_put(&p->numbers, key);
	if (*number == 0) {
		grow(p, &p->objects, &p->object_room, p->object_count + UINT64_C(1), sizeof *p->objects);
		*number = ++p->object_count;
	}
	return p->objects + *number - 1;
}

static void acquire(struct norn_hb *p, struct norn_hb_clock *k, const struct hb_object *o, bool shared)
{
	if (!o->number || !norn_hb_precedes(k, o->slot, o->number))
		learn(p, k, &o->all);
	if (!shared && o->shared.width)
		learn(p, k, &o->shared);
}

/* A release by the thread that has acquired the object: its clock has all that was published before, and replaces that. */
static void release(struct norn_hb *p, const struct norn_hb_clock *k, struct hb_object *o, uint64_t number)
{
	o->slot = k->slot;
	o->number = number;
	if (o->shared.width)
		memset(o->shared.known, 0, o->shared.width * sizeof *o->shared.known);
	replace(p, &o->all, k, number);
}

static void publish(struct norn_hb *p, const struct norn_hb_clock *k, struct hb_object *o, uint64_t number)
{
	o->number = 0;
	teach(p, &o->all, k, number);
}

/* A leave comes after the arrivals of its round, not after those for the next one (C4). */
static void at_barrier(
        struct norn_hb *p, struct norn_hb_clock *k, struct hb_object *o, enum norn_sync_rule rule, uint64_t size, uint64_t number)
{
	if (rule == NORN_SYNC_RULE_LEAVE) {
		learn(p, k, &o->full);
		return;
	}
	publish(p, k, o, number);
	if (rule == NORN_SYNC_RULE_BARRIER) {
		o->size = size;
		o->arrived = 0;
	}
	/* If the size of a round is unknown, each arrival completes one. */
	if (rule == NORN_SYNC_RULE_ARRIVE && ++o->arrived < o->size)
		return;
	o->arrived = 0;
	widen(p, &o->full.known, &o->full.width, &o->full.room, o->all.width);
	if (o->all.width)
		memcpy(o->full.known, o->all.known, o->all.width * sizeof *o->full.known);
}

static void sync_event(struct norn_hb *p, struct norn_hb_clock *k, const struct norn_event *e, uint64_t number)
{
	enum norn_sync_rule rule = norn_rule_sync(e->kind, e->op, e->argument);
	if (rule == NORN_SYNC_RULE_NONE)
		return;
	struct hb_object *o = get_object(p, e->kind == NORN_EVENT_THREAD ? NORN_JOBS_OBJECT : e->addr);
	switch (rule) {
	case NORN_SYNC_RULE_ACQUIRE:
	case NORN_SYNC_RULE_ACQUIRE_SHARED:
		acquire(p, k, o, rule == NORN_SYNC_RULE_ACQUIRE_SHARED);
		break;
	case NORN_SYNC_RULE_RELEASE:
		release(p, k, o, number);
		break;
	case NORN_SYNC_RULE_RELEASE_SHARED:
		teach(p, &o->shared, k, number);
		break;
	case NORN_SYNC_RULE_PUBLISH:
		publish(p, k, o, number);
		break;
	case NORN_SYNC_RULE_BARRIER:
	case NORN_SYNC_RULE_ARRIVE:
	case NORN_SYNC_RULE_LEAVE:
		at_barrier(p, k, o, rule, e->argument, number);
		break;
	default:
		break;
	}
}

/* ---- memory orders (C17 5.1.2.4) ---- */

static struct atomic_word *get_word(struct norn_hb *p, uint64_t word)
{
	uint32_t *number = norn_must_map_put(&p->word_numbers, word);
	if (*number == 0) {
		grow(p, &p->words, &p->word_room, p->word_count + UINT64_C(1), sizeof *p->words);
		*number = ++p->word_count;
	}
	return p->words + *number - 1;
}

static void join(struct norn_hb *p, struct hb_vector *to, const struct hb_vector *from)
{
	widen(p, &to->known, &to->width, &to->room, from->width);
	for (uint32_t i = 0; i < from->width; i++)
		if (from->known[i] > to->known[i])
			to->known[i] = from->known[i];
}

/* An acquire knows what the heads of the sequences that it reads from knew; another read only after a fence. */
static void read_bytes(struct norn_hb *p, struct hb_thread *t, const struct atomic_word *w, uint8_t bytes, bool acquires)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct hb_head *h = w->heads + i;
		if (!(h->bytes & bytes) || norn_hb_precedes(&t->knows, h->slot, h->number))
			continue;
		if (acquires)
			learn(p, &t->knows, &h->known);
		else
			join(p, &t->seen, &h->known);
	}
}

static void drop_head(struct atomic_word *w, uint32_t i)
{
	struct hb_head last = w->heads[--w->count];
	w->heads[w->count] = w->heads[i];
	w->heads[i] = last;
}

/* A store ends the release sequences of other threads at these bytes. */
static void end_sequences(struct atomic_word *w, uint32_t thread, uint8_t bytes)
{
	for (uint32_t i = w->count; i > 0; i--) {
		struct hb_head *h = w->heads + i - 1;
		if (h->thread == thread)
			continue;
		h->bytes &= (uint8_t)~bytes;
		if (!h->bytes)
			drop_head(w, i - 1);
	}
}

/* A thread's clock only grows, so of its release heads at a byte the latest covers the others. */
static void end_earlier(struct atomic_word *w, uint32_t thread, uint64_t number, uint8_t *bytes)
{
	for (uint32_t i = w->count; i > 0; i--) {
		struct hb_head *h = w->heads + i - 1;
		if (h->thread != thread)
			continue;
		if (h->number >= number)
			*bytes &= (uint8_t)~h->bytes;
		else
			h->bytes &= (uint8_t)~*bytes;
		if (!h->bytes)
			drop_head(w, i - 1);
	}
}

/* The thread's store or read-modify-write heads a sequence: by its own order, or that of the fence before it. */
static void write_bytes(struct norn_hb *p, uint32_t thread, struct atomic_word *w, uint8_t bytes, bool releases, uint64_t number)
{
	struct hb_thread *t = p->threads + thread;
	if (!releases && !t->fence)
		return;
	number = releases ? number : t->fence;
	end_earlier(w, thread, number, &bytes);
	if (!bytes)
		return;
	grow(p, &w->heads, &w->room, w->count + UINT64_C(1), sizeof *w->heads);
	struct hb_head *h = w->heads + w->count++;
	h->thread = thread;
	h->slot = t->knows.slot;
	h->number = number;
	h->bytes = bytes;
	if (releases) {
		replace(p, &h->known, &t->knows, number);
		return;
	}
	if (h->known.width)
		memset(h->known.known, 0, h->known.width * sizeof *h->known.known);
	join(p, &h->known, &t->fenced);
}

/* The bytes of the word that the access touches, a bit each. */
static uint8_t bytes_of(const struct norn_event *e, uint64_t word)
{
	uint64_t end = e->addr + e->size;
	unsigned first = e->addr > word ? (unsigned)(e->addr - word) : 0;
	return (uint8_t)((0xffu << first) & (end - word < 8 ? (1u << (end - word)) - 1 : 0xffu));
}

int norn_hb_atomic(struct norn_hb *p, const struct norn_event *e, enum norn_site_order order, uint64_t number)
{
	unsigned rule = norn_rule_order(e->kind, order);
	uint64_t end = e->addr + e->size;
	if (!norn_hb_thread(p, e->thread))
		return -EOVERFLOW;
	for (uint64_t word = e->addr & ~UINT64_C(7); word < end; word += 8) {
		struct atomic_word *w = get_word(p, word / 8);
		if (e->kind != NORN_EVENT_WRITE)
			read_bytes(p, p->threads + e->thread, w, bytes_of(e, word), rule & NORN_ORDER_RULE_ACQUIRES);
		else
			end_sequences(w, e->thread, bytes_of(e, word));
	}
	/* All its words are read before any is written: what it acquires from one is published with each. */
	for (uint64_t word = e->addr & ~UINT64_C(7); e->kind != NORN_EVENT_READ && word < end; word += 8)
		write_bytes(p, e->thread, get_word(p, word / 8), bytes_of(e, word), rule & NORN_ORDER_RULE_RELEASES, number);
	return 0;
}

int norn_hb_fence(struct norn_hb *p, uint32_t thread, enum norn_site_order order, uint64_t number)
{
	unsigned rule = norn_rule_order(NORN_EVENT_THREAD, order);
	if (!norn_hb_thread(p, thread))
		return -EOVERFLOW;
	struct hb_thread *t = p->threads + thread;
	if (rule & NORN_ORDER_RULE_ACQUIRES)
		learn(p, &t->knows, &t->seen);
	if (rule & NORN_ORDER_RULE_RELEASES) {
		replace(p, &t->fenced, &t->knows, number);
		t->fence = number;
	}
	return 0;
}

int norn_hb_event(struct norn_hb *p, const struct norn_event *e, uint64_t number)
{
	struct norn_hb_clock *k = (struct norn_hb_clock *)(uintptr_t)norn_hb_thread(p, e->thread);
	if (!k)
		return -EOVERFLOW;
	p->threads[e->thread].last = number;
	if (e->kind == NORN_EVENT_SYNC)
		sync_event(p, k, e, number);
	if (e->kind != NORN_EVENT_THREAD)
		return 0;
	switch (norn_rule_sync(e->kind, e->op, e->argument)) {
	case NORN_SYNC_RULE_AFTER_ALL:
		learn_all(p, k, number);
		return 0;
	case NORN_SYNC_RULE_PUBLISH:
	case NORN_SYNC_RULE_ACQUIRE:
		sync_event(p, k, e, number);
		return 0;
	case NORN_SYNC_RULE_FORK:
		return e->value < NORN_HB_SLOTS ? fork_thread(p, e->thread, (uint32_t)e->value, number) : 0;
	case NORN_SYNC_RULE_JOIN:
		if (e->value < NORN_HB_SLOTS)
			join_thread(p, e->thread, (uint32_t)e->value, number);
		return 0;
	case NORN_SYNC_RULE_END:
		p->threads[e->thread].ended = true;
		return 0;
	default:
		return 0;
	}
}

bool norn_hb_before(struct norn_hb *p, uint32_t other, uint64_t number, uint32_t thread)
{
	const struct norn_hb_clock *k = norn_hb_thread(p, thread);
	return other == thread || (k && other < p->thread_count && norn_hb_precedes(k, p->threads[other].knows.slot, number));
}

bool norn_hb_before_all(const struct norn_hb *p, uint32_t thread, uint64_t number)
{
	for (uint32_t t = 0; t < p->thread_count; t++)
		if (t != thread && p->threads[t].begun && !p->threads[t].ended &&
		        !norn_hb_precedes(&p->threads[t].knows, p->threads[thread].knows.slot, number))
			return false;
	return true;
}
