/* A step model (step_model.h) while it is made: step_needs.c finds what each event of the part needs, step_model.c makes the
 * steps. */
#ifndef NORN_SLICED_STEP_DRAFT_H
#define NORN_SLICED_STEP_DRAFT_H

#include "base/map.h"
#include "sliced/step/byte_groups.h"
#include "sliced/step/step_model.h"

#define NORN_STEP_SEVERAL UINT32_MAX

/* An object of synchronization in this part. */
struct norn_step_object {
	uint32_t thread; /* thread + 1 that uses it, or NORN_STEP_SEVERAL */
	uint32_t first; /* event */
	uint32_t fence; /* the last event that needs the object's history: later ones come after it */
	uint32_t last; /* of a channel that is received from: the last event */
	uint32_t index, condition; /* 1 + number of its state, as a condition */
	bool received; /* a channel with receives */
};

/* A group of its own for reads of these bytes that have the same tests: its content is how these come out. */
struct norn_step_class {
	uint64_t addr;
	uint32_t size, read; /* one of the reads */
	uint32_t group;
	uint32_t next; /* 1 + that of the next one in the same word, 0: none */
};

/* While a model is made, steps are in the observed order, and needs name events. */
struct norn_step_draft {
	const struct norn_fixed_reads *fixed;
	const struct norn_graph_event *events;
	struct norn_step_model *model;
	struct norn_byte_groups byte_groups;
	NORN_VECTOR(struct norn_step_class) classes;
	struct norn_map classed; /* word → 1 + its first class */
	NORN_VECTOR(struct norn_step_outcome {
		uint64_t value;
		uint32_t group;
	})
	outcomes; /* one of each: its content is 1 + its place */
	struct norn_map objects; /* number → struct norn_step_object */
	struct norn_map accesses; /* life << 32 | thread → last event that accesses memory of that life */
	struct norn_map looks; /* object << 32 | thread → its last look at that resource */
	struct norn_rule_walk walk;
	uint32_t world; /* the last event that needs all input, output and calls before it */
	uint32_t world_step; /* the last of these that comes before its thread stops */
	uint32_t placed; /* allocations and frees up to this event keep their order, and come before later ones (V4) */
	uint32_t last_placed; /* the last of them that was met */
	uint32_t written; /* the last external write: a later call, be it taken for harmless, may be what would write it; 0: none */
	uint32_t *first_need; /* per event of the part, and one more: what it needs begins there in model->needs */
	uint64_t *needed, *never; /* a bit each */
	uint64_t *aimed; /* a bit for each that is a step in any case */
	bool *over; /* per thread of the run: it never comes beyond a step that is there already */
	uint32_t needing; /* the event whose needs are being found */
	uint32_t *need_of, *need_at; /* per thread: the last event that needed something of it, and where that stands */
	uint32_t *index; /* per thread of the run: 1 + its number in the model */
	uint32_t *content; /* per group: as observed, so far */
	struct norn_step_model_step *steps;
	uint32_t *threads; /* per step */
	uint32_t step_count, step_room, need_count, need_room, access_count, access_room;
	bool unseen; /* code without hooks may write in this part: equal values need not stay equal */
	struct norn_map externals; /* words that it wrote, for all that was noticed: the same of these */
	bool sleepers_unknown; /* a thread's wait was cut short */
	bool *begun; /* per group: something of this part was written there */
	uint32_t called; /* the last call of code without hooks before this part: older values need not be there any more */
	const struct norn_step_model_target *target; /* NULL: none */
	const struct norn_step_model_property *property; /* NULL: none; then there is a target */
	uint64_t *soft; /* of a property: a bit for each event that is a soft read (step_flow.h) */
	uint32_t *stops; /* per thread of the run, 0: none */
};

/* Is it left out: a stop, or later than that of its thread? */
static inline bool norn_step_draft_is_out(const struct norn_step_draft *d, uint32_t i)
{
	uint32_t stop = d->stops[d->events[i].thread];
	return stop && i >= stop;
}

/* Is all that can be said of the event whether it happens? */
static inline bool norn_step_draft_quiet(const struct norn_step_draft *d, uint32_t i)
{
	uint32_t at = i - d->model->base;
	return norn_fixed_reads_quiet(d->fixed, i) && !(d->aimed[at / 64] >> at % 64 & 1);
}

/* An external write leaves some of its word's bytes as they were: as if it had read them. */
static inline bool norn_step_draft_reads(const struct norn_step_draft *d, uint32_t i)
{
	uint8_t kind = d->events[i].kind;
	return kind == NORN_EVENT_EXTERNAL ||
	       ((kind == NORN_EVENT_READ || kind == NORN_EVENT_RMW) && norn_fixed_reads_has(d->fixed, i));
}

static inline bool norn_step_draft_writes(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
}

static inline bool norn_step_draft_is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || norn_step_draft_writes(e);
}

static inline struct norn_step_object *norn_step_draft_object(const struct norn_step_draft *d, uint32_t number)
{
	return number ? norn_map_get(&d->objects, number) : NULL;
}

static inline bool norn_step_draft_contended(const struct norn_step_draft *d, uint32_t number)
{
	const struct norn_step_object *o = norn_step_draft_object(d, number);
	return o && o->thread == NORN_STEP_SEVERAL;
}

/* The condition that the event makes its thread sleep on, or wakes it from; 0: none. */
uint32_t norn_step_draft_slept_on(const struct norn_step_draft *d, uint32_t event);

/* May code without hooks write the word, unnoticed so far? Its values are not known then. */
static inline bool norn_step_draft_unseen(const struct norn_step_draft *d, uint64_t word)
{
	return d->unseen || norn_map_get(&d->externals, word);
}

/* Is what this read saw known to be there in the recorded run only: in freed memory, which depends on all that was freed before, or
 * in fresh memory, which depends on its last owner (V5)? */
bool norn_step_draft_odd(const struct norn_step_draft *d, uint32_t read);

/* Goes through the part: which threads use which objects and which bytes. */
void norn_step_draft_note(struct norn_step_draft *d);
/* step_tests.c. Makes the classes of the part's reads; their groups come after the others. */
void norn_step_draft_classify(struct norn_step_draft *d);
/* The class of this read; NULL: it is to see what it saw. */
const struct norn_step_class *norn_step_draft_class(const struct norn_step_draft *d, uint32_t read);
/* How the tests of a class come out for a value of its bytes, as a content. */
uint32_t norn_step_draft_outcome(struct norn_step_draft *d, const struct norn_step_class *c, uint64_t value);
/* Fills model->needs and first_need, needed and never. */
void norn_step_draft_find_needs(struct norn_step_draft *d);

#endif
