#include "causality/happens_before.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "causality/sync_rules.h"
#include "trace/record.h"

#define ATOMIC (UINT64_C(1) << 63) /* of an object's key: a word that is accessed by atomics */
#define LOOK 8u /* slots that are tried for a new thread */

struct vector {
	uint64_t *known;
	uint32_t width, room;
};

struct object {
	struct vector all, shared; /* what was published: by all, or by readers that released */
	struct vector full; /* a barrier: what was when the last round became full */
	uint64_t size, arrived; /* the same: of a round, 0: unknown; in the round that fills */
	/* all is what one event knew, which a thread need not compare that knows of it: */
	uint32_t slot;
	uint64_t number; /* 0: it is not */
};

struct thread {
	struct norn_hb_clock knows;
	bool begun, ended;
	uint64_t last; /* event */
};

struct free_slot {
	uint32_t slot;
	uint64_t end; /* last event of the thread that had it */
};

struct norn_hb {
	struct thread *threads;
	uint32_t thread_count, thread_room;
	struct norn_map numbers; /* address → 1 + index */
	struct object *objects;
	uint32_t object_count, object_room;
	uint32_t slots;
	struct free_slot *spare;
	uint32_t spare_count, spare_room;
	uint64_t bytes;
};

/* ---- making and freeing ---- */

int norn_hb_new(struct norn_hb **ret_hb)
{
	struct norn_hb *p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	norn_map_init(&p->numbers, sizeof(uint32_t));
	*ret_hb = p;
	return 0;
}

void norn_hb_free(struct norn_hb *hb)
{
	if (!hb)
		return;
	for (uint32_t i = 0; i < hb->thread_count; i++)
		free(hb->threads[i].knows.known);
	for (uint32_t i = 0; i < hb->object_count; i++) {
		free(hb->objects[i].all.known);
		free(hb->objects[i].shared.known);
		free(hb->objects[i].full.known);
	}
	free(hb->threads);
	free(hb->objects);
	free(hb->spare);
	norn_map_done(&hb->numbers);
	free(hb);
}

static int grow(struct norn_hb *p, void *array, uint32_t *room, uint64_t wanted, size_t size)
{
	if (wanted <= *room)
		return 0;
	uint64_t more = *room + *room / 2 + UINT64_C(8);
	more = more < wanted ? wanted : more;
	char *bigger = more > UINT32_MAX ? NULL : realloc(*(void **)array, more * size);
	if (!bigger)
		return -ENOMEM;
	memset(bigger + *room * size, 0, (more - *room) * size);
	p->bytes += (more - *room) * size;
	*(void **)array = bigger;
	*room = (uint32_t)more;
	return 0;
}

uint64_t norn_hb_bytes(const struct norn_hb *hb)
{
	return hb->bytes + hb->numbers.capacity * hb->numbers.slot_bytes;
}

/* ---- vectors ---- */

/* Entries beyond the width are zero. */
static int widen(struct norn_hb *p, uint64_t **known, uint32_t *width, uint32_t *room, uint32_t wanted)
{
	if (wanted <= *width)
		return 0;
	if (grow(p, known, room, wanted, sizeof **known) < 0)
		return -ENOMEM;
	*width = wanted;
	return 0;
}

static int learn(struct norn_hb *p, struct norn_hb_clock *k, const struct vector *from)
{
	if (widen(p, &k->known, &k->width, &k->room, from->width) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->width; i++)
		if (from->known[i] > k->known[i])
			k->known[i] = from->known[i];
	return 0;
}

static int teach(struct norn_hb *p, struct vector *to, const struct norn_hb_clock *k, uint64_t number)
{
	uint32_t width = k->width > k->slot ? k->width : k->slot + 1;
	if (widen(p, &to->known, &to->width, &to->room, width) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < k->width; i++)
		if (k->known[i] > to->known[i])
			to->known[i] = k->known[i];
	to->known[k->slot] = number;
	return 0;
}

/* Forgets what was there. */
static int replace(struct norn_hb *p, struct vector *to, const struct norn_hb_clock *k, uint64_t number)
{
	if (to->width)
		memset(to->known, 0, to->width * sizeof *to->known);
	return teach(p, to, k, number);
}

/* Everything up to this number has happened. */
static int learn_all(struct norn_hb *p, struct norn_hb_clock *k, uint64_t number)
{
	if (widen(p, &k->known, &k->width, &k->room, p->slots) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->slots; i++)
		k->known[i] = number;
	return 0;
}

/* ---- threads ---- */

static struct thread *get_thread(struct norn_hb *p, uint32_t thread)
{
	if (thread >= NORN_HB_SLOTS || grow(p, &p->threads, &p->thread_room, thread + UINT64_C(1), sizeof *p->threads) < 0)
		return NULL;
	if (thread >= p->thread_count)
		p->thread_count = thread + 1;
	return p->threads + thread;
}

/* A slot that is new, or was that of a thread all of which precedes what is known here. */
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

static int begin(struct norn_hb *p, struct thread *t, const struct norn_hb_clock *parent)
{
	t->begun = true;
	return take_slot(p, parent, &t->knows.slot);
}

const struct norn_hb_clock *norn_hb_thread(struct norn_hb *p, uint32_t thread)
{
	struct thread *t = thread < p->thread_count ? p->threads + thread : get_thread(p, thread);
	if (!t || (!t->begun && begin(p, t, NULL) < 0))
		return NULL;
	return &t->knows;
}

static int fork_thread(struct norn_hb *p, uint32_t parent, uint32_t child, uint64_t number)
{
	struct thread *c = get_thread(p, child);
	if (!c)
		return child >= NORN_HB_SLOTS ? 0 : -ENOMEM;
	const struct norn_hb_clock *k = &p->threads[parent].knows;
	if (c->begun)
		return 0;
	int r = begin(p, c, k);
	struct vector known = {c->knows.known, c->knows.width, c->knows.room};
	if (r == 0)
		r = teach(p, &known, k, number);
	c->knows.known = known.known;
	c->knows.width = known.width;
	c->knows.room = known.room;
	return r;
}

static int join_thread(struct norn_hb *p, uint32_t thread, uint32_t child, uint64_t number)
{
	if (child >= p->thread_count || !p->threads[child].begun)
		return 0;
	struct thread *c = p->threads + child;
	struct norn_hb_clock *k = &p->threads[thread].knows;
	int r = learn(p, k, &(struct vector){c->knows.known, c->knows.width, 0});
	if (r == 0)
		r = widen(p, &k->known, &k->width, &k->room, c->knows.slot + 1);
	/* Whose end was not recorded did all that it did before this. */
	uint64_t last = c->ended ? c->last : number;
	if (r == 0 && k->known[c->knows.slot] < last)
		k->known[c->knows.slot] = last;
	if (r == 0 && c->ended && c->knows.slot != k->slot) {
		r = grow(p, &p->spare, &p->spare_room, p->spare_count + UINT64_C(1), sizeof *p->spare);
		if (r == 0)
			p->spare[p->spare_count++] = (struct free_slot){c->knows.slot, c->last};
		p->bytes -= c->knows.room * sizeof *c->knows.known;
		free(c->knows.known);
		*c = (struct thread){.ended = true, .knows.slot = c->knows.slot};
	}
	return r;
}

/* ---- objects ---- */

static struct object *get_object(struct norn_hb *p, uint64_t key)
{
	void *found;
	if (norn_map_put(&p->numbers, key, &found) < 0)
		return NULL;
	uint32_t *number = found;
	if (*number == 0) {
		if (grow(p, &p->objects, &p->object_room, p->object_count + UINT64_C(1), sizeof *p->objects) < 0)
			return NULL;
		*number = ++p->object_count;
	}
	return p->objects + *number - 1;
}

static int acquire(struct norn_hb *p, struct norn_hb_clock *k, const struct object *o, bool shared)
{
	int r = 0;
	if (!o->number || !norn_hb_precedes(k, o->slot, o->number))
		r = learn(p, k, &o->all);
	if (r == 0 && !shared && o->shared.width)
		r = learn(p, k, &o->shared);
	return r;
}

/* By the thread that has acquired it: what was published before is known, and need not be kept. */
static int release(struct norn_hb *p, const struct norn_hb_clock *k, struct object *o, uint64_t number)
{
	o->slot = k->slot;
	o->number = number;
	if (o->shared.width)
		memset(o->shared.known, 0, o->shared.width * sizeof *o->shared.known);
	return replace(p, &o->all, k, number);
}

static int publish(struct norn_hb *p, const struct norn_hb_clock *k, struct object *o, uint64_t number)
{
	o->number = 0;
	return teach(p, &o->all, k, number);
}

/* A leave comes after the arrivals of its round, not after those for the next one (C4). */
static int at_barrier(
        struct norn_hb *p, struct norn_hb_clock *k, struct object *o, enum norn_sync_rule rule, uint64_t size, uint64_t number)
{
	if (rule == NORN_SYNC_RULE_LEAVE)
		return learn(p, k, &o->full);
	int r = publish(p, k, o, number);
	if (rule == NORN_SYNC_RULE_BARRIER) {
		o->size = size;
		o->arrived = 0;
	}
	/* Of how many a round is may be unknown: then each completes one. */
	if (r < 0 || (rule == NORN_SYNC_RULE_ARRIVE && ++o->arrived < o->size))
		return r;
	o->arrived = 0;
	r = widen(p, &o->full.known, &o->full.width, &o->full.room, o->all.width);
	if (r == 0 && o->all.width)
		memcpy(o->full.known, o->all.known, o->all.width * sizeof *o->full.known);
	return r;
}

static int sync_event(struct norn_hb *p, struct norn_hb_clock *k, const struct norn_event *e, uint64_t number)
{
	enum norn_sync_rule rule = norn_rule_sync(e->kind, e->op, e->argument);
	uint64_t where = e->kind == NORN_EVENT_THREAD ? NORN_JOBS_OBJECT : e->addr;
	struct object *o = rule == NORN_SYNC_RULE_NONE ? NULL : get_object(p, where);
	if (!o)
		return rule == NORN_SYNC_RULE_NONE ? 0 : -ENOMEM;
	switch (rule) {
	case NORN_SYNC_RULE_ACQUIRE:
		return acquire(p, k, o, false);
	case NORN_SYNC_RULE_ACQUIRE_SHARED:
		return acquire(p, k, o, true);
	case NORN_SYNC_RULE_RELEASE:
		return release(p, k, o, number);
	case NORN_SYNC_RULE_RELEASE_SHARED:
		return teach(p, &o->shared, k, number);
	case NORN_SYNC_RULE_PUBLISH:
		return publish(p, k, o, number);
	case NORN_SYNC_RULE_BARRIER:
	case NORN_SYNC_RULE_ARRIVE:
	case NORN_SYNC_RULE_LEAVE:
		return at_barrier(p, k, o, rule, e->argument, number);
	default:
		return 0;
	}
}

int norn_hb_atomic(struct norn_hb *p, const struct norn_event *e, uint64_t number)
{
	struct norn_hb_clock *k = (struct norn_hb_clock *)(uintptr_t)norn_hb_thread(p, e->thread);
	struct object *o = k ? get_object(p, ATOMIC | e->addr) : NULL;
	if (!o)
		return -ENOMEM;
	int r = e->kind == NORN_EVENT_WRITE ? 0 : acquire(p, k, o, false);
	if (r == 0 && e->kind == NORN_EVENT_WRITE)
		r = release(p, k, o, number);
	else if (r == 0 && e->kind == NORN_EVENT_RMW)
		r = publish(p, k, o, number);
	return r;
}

int norn_hb_event(struct norn_hb *p, const struct norn_event *e, uint64_t number)
{
	struct norn_hb_clock *k = (struct norn_hb_clock *)(uintptr_t)norn_hb_thread(p, e->thread);
	if (!k)
		return p->slots >= NORN_HB_SLOTS || e->thread >= NORN_HB_SLOTS ? -EOVERFLOW : -ENOMEM;
	p->threads[e->thread].last = number;
	if (e->kind == NORN_EVENT_SYNC)
		return sync_event(p, k, e, number);
	if (e->kind != NORN_EVENT_THREAD)
		return 0;
	switch (norn_rule_sync(e->kind, e->op, e->argument)) {
	case NORN_SYNC_RULE_AFTER_ALL:
		return learn_all(p, k, number);
	case NORN_SYNC_RULE_PUBLISH:
	case NORN_SYNC_RULE_ACQUIRE:
		return sync_event(p, k, e, number);
	case NORN_SYNC_RULE_FORK:
		return e->value < NORN_HB_SLOTS ? fork_thread(p, e->thread, (uint32_t)e->value, number) : 0;
	case NORN_SYNC_RULE_JOIN:
		return e->value < NORN_HB_SLOTS ? join_thread(p, e->thread, (uint32_t)e->value, number) : 0;
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
