/* The inside of must-order (must_order.h): what there is in a part (must_order_part.c), what holds in every order of it
 * (must_order_saturate.c), and the order that is being tried (must_order.c). For these files only. */
#ifndef NORN_SLICED_MUST_ORDER_STATE_H
#define NORN_SLICED_MUST_ORDER_STATE_H

#include "base/vector.h"
#include "sliced/search/must_order.h"

#define NONE NORN_STEP_MODEL_NONE
#define OUTSIDE UINT32_MAX

/* The uses of an object or a group by one thread, in its order. */
struct norn_must_region {
	uint32_t take, give; /* steps; take NONE: held from before the part; give NONE: never released in it */
	bool shared;
	uint32_t exclusive; /* of this one and those before it in the list: the last that is not shared, 1 + its place; 0: none */
	uint32_t followed_at; /* round */
};
struct norn_must_change {
	uint32_t step;
	bool up;
};
struct norn_must_write {
	uint32_t step, content;
};
struct norn_must_source { /* a write, to be found by what it wrote */
	uint32_t group, content, step;
};

/* Lists by thread of one thing: those of thread t and thing x are items[first[x * threads + t]] … */
struct norn_must_lists {
	uint32_t *first;
	uint32_t count;
};

/* Step `before` comes before step `after`. */
struct norn_must_edge {
	uint32_t before, after;
	uint32_t next; /* 1 + the next edge to the same step; 0: none */
};

struct norn_must_undo {
	uint32_t *at, value;
};

struct norn_must_object {
	bool counted; /* a semaphore whose value is known: `start` before the first change of it */
	bool binary; /* a semaphore that is a lock: its value is 1 while no thread is between a wait and its post */
	uint32_t start;
	bool set, changed; /* it is initialised in this part; waits and posts were met */
	bool plain; /* a lock whose regions do not overlap within a thread */
	uint32_t outside; /* state that remains if all that is held from before the part, and released in it, is */
};

struct norn_must_state {
	const struct norn_step_model *part;
	const struct norn_must_order_goal *goal;
	uint32_t threads, total;
	uint32_t *owner; /* per step */
	uint32_t *observed; /* steps in the observed order */
	uint32_t *limit; /* per thread: steps before the first that cannot be made */
	NORN_VECTOR(uint32_t) notifies; /* steps, as observed */
	struct norn_must_object *objects;
	struct norn_must_lists region_lists, change_lists, write_lists;
	uint32_t *region_ends; /* the ends of the lists of regions */
	struct norn_must_region *regions;
	struct norn_must_change *changes;
	struct norn_must_write *writes;
	struct norn_must_source *sources; /* sorted */
	/* The order that every schedule to the goal has: */
	uint32_t *cone; /* per thread: so many steps are made */
	uint32_t *clocks; /* [steps × threads]: so many steps of the thread come before the step */
	uint32_t *edges_to; /* per step: 1 + its first edge */
	NORN_VECTOR(struct norn_must_edge) edges;
	NORN_VECTOR(struct norn_must_undo) trail;
	bool changed;
	/* Saturation goes in rounds, from 1 on. The following is the last round in which something happened. A thread that was
	 * followed in a later round than that need not be again: undoing leads back to where all had been followed. */
	uint32_t round;
	uint32_t *changed_at, *entered_at; /* per step: its clock changed; it became one of the cone */
	uint32_t *joined_at, *read_at; /* the same: its clock was computed; its reads were followed */
	uint32_t (*two_sources)[2]; /* per access of the part that is a read: two writes that it may see; the same: not known */
	uint32_t *group_at; /* per group: one of these happened to a write of it */
	uint32_t *object_at, *object_entered_at; /* per object: to a step of it; only the latter */
	uint32_t *object_followed_at; /* its waits were followed */
	uint32_t condition_at, conditions_followed_at; /* to a step of any condition, or the cone of a thread changed */
	/* The order that is being tried: */
	uint32_t *awaits; /* per thread: another one that its next step may have to wait for */
	uint32_t *node; /* step_model.h */
	uint32_t *writer; /* per group: 1 + the step that wrote it last */
	uint32_t *woke; /* per step, a signal: 1 + the thread that it woke, OUTSIDE: one that has no part in this, 0: none */
	uint32_t *made, made_count;
	unsigned branches; /* left */
	bool open; /* a failure that proves nothing */
	uint64_t cost;
};

struct norn_must_view {
	uint32_t read, group, content;
};

/* A thread that sleeps on a condition: by which step (NONE: before the part), and which step it makes when it is woken (NONE:
 * it is to have been woken at the end). */
struct norn_must_sleep {
	uint32_t thread, condition, asleep, awake;
};

static inline uint32_t index_of(const struct norn_must_state *m, uint32_t step)
{
	return step - m->part->first[m->owner[step]];
}

static inline uint32_t *clock_of(const struct norn_must_state *m, uint32_t step)
{
	return m->clocks + (uint64_t)step * m->threads;
}

static inline bool in_cone(const struct norn_must_state *m, uint32_t step)
{
	return index_of(m, step) < m->cone[m->owner[step]];
}

/* Is it certain that a comes before b, which is in the cone? */
static inline bool is_before(const struct norn_must_state *m, uint32_t a, uint32_t b)
{
	return m->owner[a] == m->owner[b] ? a < b : clock_of(m, b)[m->owner[a]] > index_of(m, a);
}

static inline bool is_effect(const struct norn_step_model_step *s, enum norn_effect effect)
{
	return s->object != NONE && s->rule->effect == effect;
}

static inline bool takes(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_LOCK) || is_effect(s, NORN_EFFECT_SHARE);
}

static inline bool gives(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_UNLOCK) || is_effect(s, NORN_EFFECT_UNSHARE);
}

static inline bool counts(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_UP) || is_effect(s, NORN_EFFECT_DOWN);
}

static inline bool notifies(const struct norn_step_model_step *s)
{
	return s->condition != NONE && (s->rule->wait == NORN_WAIT_SIGNAL || s->rule->wait == NORN_WAIT_BROADCAST);
}

static inline const struct norn_step_model_step *step_at(const struct norn_must_state *m, uint32_t step)
{
	return m->part->steps + step;
}

static inline struct norn_must_region *regions_of(
        const struct norn_must_state *m, uint32_t object, uint32_t thread, uint32_t *ret_count)
{
	const uint32_t *first = m->region_lists.first + (uint64_t)object * m->threads + thread;
	*ret_count = m->region_ends[(uint64_t)object * m->threads + thread] - first[0];
	return m->regions + first[0];
}

static inline struct norn_must_change *changes_of(
        const struct norn_must_state *m, uint32_t object, uint32_t thread, uint32_t *ret_count)
{
	const uint32_t *first = m->change_lists.first + (uint64_t)object * m->threads + thread;
	*ret_count = first[1] - first[0];
	return m->changes + first[0];
}

static inline struct norn_must_write *writes_of(
        const struct norn_must_state *m, uint32_t group, uint32_t thread, uint32_t *ret_count)
{
	const uint32_t *first = m->write_lists.first + (uint64_t)group * m->threads + thread;
	*ret_count = first[1] - first[0];
	return m->writes + first[0];
}

/* Begins or ends a region of a lock, or of a semaphore that is one. */
static inline bool begins(const struct norn_must_state *m, const struct norn_step_model_step *s)
{
	return takes(s) || (is_effect(s, NORN_EFFECT_DOWN) && m->objects[s->object].binary);
}

static inline bool ends(const struct norn_must_state *m, const struct norn_step_model_step *s)
{
	return gives(s) || (is_effect(s, NORN_EFFECT_UP) && m->objects[s->object].binary);
}

static inline bool conflict(const struct norn_must_region *a, const struct norn_must_region *b)
{
	return !(a->shared && b->shared);
}

/* must_order_part.c */
void norn_must_order_init(struct norn_must_state *m);
void norn_must_order_done(struct norn_must_state *m);
int norn_must_order_by_content(const void *a, const void *b);

/* must_order_saturate.c. False: the goal cannot be reached. */
bool norn_must_order_need_steps(
        struct norn_must_state *m, uint32_t thread, uint32_t count); /* so many steps of the thread are made */
/* a comes before b, if b is made. *ret_new (which may be NULL) is set if that was not known. */
bool norn_must_order_add_edge(struct norn_must_state *m, uint32_t a, uint32_t b, bool *ret_new);
bool norn_must_order_saturate(struct norn_must_state *m);
void norn_must_order_undo(struct norn_must_state *m, uint32_t trail, uint32_t edges);
/* The writes that the read may see, NONE for what was there when the part began: as many as there is room for. */
uint32_t norn_must_order_sources(
        const struct norn_must_state *m, const struct norn_must_view *v, uint32_t *ret_sources, uint32_t room);
uint32_t norn_must_order_sleep_before(const struct norn_must_state *m, uint32_t thread, uint32_t end);
bool norn_must_order_may_wake(const struct norn_must_state *m, const struct norn_must_sleep *sleep, uint32_t notify);

#endif
