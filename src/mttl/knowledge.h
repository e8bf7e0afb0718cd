/* Knowledge vectors (DAME, section 2.3): what a thread knows of the others, and of the values of variables.
 *
 * A vector has an entry for each thread that is heard of and that some formula can ask about: the values of the remotes (mttl.h) in
 * the newest state of that thread that could have an influence; and an entry for each variable whose value formulas need. Of two
 * entries the one with the greater sequence number is newer. A vector's size depends on the formulas, not on how many threads the
 * program has: threads that no `@` and no quantifier can mean have no entry.
 *
 * Vectors and entries are immutable, counted by references and shared by threads and variables. A thread's vector is replaced when
 * it learns something, or when its own values change, and its own sequence number grows in the latter case; then (thread, number)
 * names a vector, and whether another one knows all that it does is one comparison. Such a vector and the entry that it came with
 * are one block; the other entries are a list, which the thread's next vector has, too, as long as it hears nothing new. Events
 * that bring nothing cost nothing.
 *
 * Each thread has a *seat*: its place in vectors. A seat is given again only by a thread that knows that its last owner has ended,
 * and numbers go on where that one stopped, so that newer entries of a seat are never taken for older ones.
 *
 * Many threads may use the same vector; one vector pointer may not be changed by several at once: that is the caller's lock. */
#ifndef NORN_MTTL_KNOWLEDGE_H
#define NORN_MTTL_KNOWLEDGE_H

#include <assert.h>
#include <stdatomic.h>

#include "mttl/vector_ids.h"
#include "mttl/mttl.h"

#define NORN_SEATS_MAX 4096u
#define NORN_SEAT_NONE UINT32_MAX
#define NORN_KNOWN_NAME 24u

/* A value in eight bytes, as most are small integers; the two least numbers say that it is unknown, or that it is kept whole
 * elsewhere. */
#define NORN_BRIEF_UNKNOWN INT64_MIN
#define NORN_BRIEF_LONG (INT64_MIN + 1)

static inline int64_t norn_brief(const struct norn_value *value)
{
	if (!value->known)
		return NORN_BRIEF_UNKNOWN;
	bool small = !value->is_float && value->integer > NORN_BRIEF_LONG && value->integer <= INT64_MAX;
	return small ? (int64_t)value->integer : NORN_BRIEF_LONG;
}

static inline struct norn_value norn_brief_value(int64_t brief, const struct norn_value *whole)
{
	return brief > NORN_BRIEF_LONG ? norn_value_integer(brief) : brief == NORN_BRIEF_LONG ? *whole : norn_value_unknown();
}

/* Of a thread. */
struct norn_known_thread {
	_Atomic uint32_t refs;
	uint32_t seat, number; /* number: of the thread, never used again */
	uint32_t site; /* of the event that made it */
	uint32_t width; /* of its tables */
	uint32_t before, bytes; /* the block that it is in: what is before it there, and all */
	bool ended;
	char name[NORN_KNOWN_NAME]; /* for people: its path, perhaps cut short */
	uint64_t sequence, types;
	/* Per seat below width 1 + the number of the thread that was meant; values of the remotes, in brief; and, if one is long,
	 * all whole. */
	int64_t room[];
};

/* Of a variable. */
struct norn_known_place {
	uint64_t sequence; /* writes */
	struct norn_value value;
};

/* A thread's entry in a vector. */
struct norn_known {
	struct norn_known_thread *thread; /* NULL: not heard of */
	uint64_t sequence; /* of thread: here, since vectors are compared by it all the time */
};

/* By seats. */
struct norn_others {
	_Atomic uint32_t refs;
	uint32_t count;
	struct norn_known threads[];
};

struct norn_knowledge {
	_Atomic uint32_t refs;
	uint32_t owner; /* seat of the thread whose new values it came with, NORN_SEAT_NONE: a mixture */
	uint32_t bytes; /* of all this */
	uint32_t id; /* by which words refer to it; 0: no word can, since there are too many */
	uint64_t sequence; /* of own */
	struct norn_known_thread *own; /* the owner's entry; NULL: there is no owner */
	struct norn_others *others; /* all other entries; NULL: none */
	struct norn_known_place places[];
};

static inline uint32_t norn_knowledge_id(const struct norn_knowledge *knowledge)
{
	return knowledge ? knowledge->id : NORN_ID_NONE;
}

/* A vector with these others, whose reference it takes in any case, and no owner; places are the caller's to set. NULL: no
 * memory. */
struct norn_knowledge *norn_knowledge_new(const struct norn_mttl *program, struct norn_others *others);
/* The same with an owner, whose entry has tables of this width, with room for long values. */
struct norn_knowledge *norn_knowledge_new_of(
        const struct norn_mttl *program, struct norn_others *others, uint32_t owner, uint32_t width, bool longs);
struct norn_knowledge *norn_knowledge_keep(struct norn_knowledge *knowledge);
void norn_knowledge_drop(struct norn_knowledge *knowledge); /* NULL is fine */
void norn_knowledge_drop_many(struct norn_knowledge *knowledge, uint32_t count); /* so many references at once, at least one */

struct norn_others *norn_others_new(uint32_t count); /* of no thread; NULL: no memory */
static inline struct norn_others *norn_others_keep(struct norn_others *others)
{
	assert(!others || atomic_load_explicit(&others->refs, memory_order_relaxed) > 0);
	if (others)
		atomic_fetch_add_explicit(&others->refs, 1, memory_order_relaxed);
	return others;
}

static inline struct norn_known_thread *norn_known_thread_keep(struct norn_known_thread *thread)
{
	assert(!thread || atomic_load_explicit(&thread->refs, memory_order_relaxed) > 0);
	if (thread)
		atomic_fetch_add_explicit(&thread->refs, 1, memory_order_relaxed);
	return thread;
}

/* Seats that it may have an entry for. */
static inline uint32_t norn_knowledge_seats(const struct norn_knowledge *k)
{
	uint32_t count = k->others ? k->others->count : 0;
	return k->own && k->owner >= count ? k->owner + 1 : count;
}

static inline struct norn_known norn_knowledge_at(const struct norn_knowledge *k, uint32_t seat)
{
	if (seat == k->owner && k->own)
		return (struct norn_known){k->own, k->sequence};
	return k->others && seat < k->others->count ? k->others->threads[seat] : (struct norn_known){0};
}

static inline struct norn_known_thread *norn_knowledge_of(const struct norn_knowledge *k, uint32_t seat)
{
	return norn_knowledge_at(k, seat).thread;
}

static inline uint64_t norn_knowledge_sequence(const struct norn_knowledge *k, uint32_t seat)
{
	return norn_knowledge_at(k, seat).sequence;
}

/* Of a vector, without the entry behind it. */
static inline size_t norn_knowledge_bytes(const struct norn_mttl *p)
{
	return sizeof(struct norn_knowledge) + p->valued * sizeof(struct norn_known_place);
}

static inline size_t norn_known_count(const struct norn_mttl *p, uint32_t width)
{
	return norn_mttl_offset(p->remotes_of, width);
}

static inline uint32_t *norn_known_who(const struct norn_known_thread *t)
{
	return (uint32_t *)(void *)(uintptr_t)t->room;
}

static inline int64_t *norn_known_values(const struct norn_known_thread *t)
{
	assert(t->width % 2 == 0);
	return (int64_t *)(uintptr_t)t->room + t->width / 2;
}

/* The offset of whole values, in bytes. */
static inline size_t norn_known_before_longs(const struct norn_mttl *p, uint32_t width)
{
	size_t bytes = sizeof(struct norn_known_thread) + (width / 2 + norn_known_count(p, width)) * sizeof(int64_t);
	return (bytes + 15) & ~(size_t)15;
}

static inline struct norn_value *norn_known_longs(const struct norn_mttl *p, const struct norn_known_thread *t)
{
	return (struct norn_value *)(void *)((char *)(uintptr_t)t + norn_known_before_longs(p, t->width));
}

bool norn_knowledge_covers_slowly(const struct norn_mttl *program, const struct norn_knowledge *a, const struct norn_knowledge *b);

/* True if a knows all that b does. NULL knows nothing. */
static inline bool norn_knowledge_covers(
        const struct norn_mttl *program, const struct norn_knowledge *a, const struct norn_knowledge *b)
{
	if (!b || a == b)
		return true;
	if (!a)
		return false;
	if (b->owner != NORN_SEAT_NONE)
		return norn_knowledge_sequence(a, b->owner) >= b->sequence;
	return norn_knowledge_covers_slowly(program, a, b);
}

/* Gives back what the calling thread has kept for vectors to come: at its end. */
void norn_knowledge_relax(void);

/* The maximum of both, entry by entry: a mixture, or one of them; a reference for the caller. NULL: no memory. */
struct norn_knowledge *norn_knowledge_join(const struct norn_mttl *program, struct norn_knowledge *a, struct norn_knowledge *b);

#endif
