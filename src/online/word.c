#include "online/word.h"

#include <stdlib.h>
#include <string.h>

struct part {
	uint32_t mask;
	struct norn_knowledge *write, *access;
};

struct parts {
	uint32_t count;
	struct part list[8];
};

#define SPLIT UINT64_C(2)

static uint64_t load_a(const struct norn_online_word *word)
{
	return atomic_load_explicit(&word->a, memory_order_relaxed);
}

static void *pointer_of(uint64_t a)
{
	return (void *)(uintptr_t)(a >> 16);
}

/* The lock bit stays as it is. */
static void set_a(struct norn_online_word *word, const void *pointer, uint32_t mask, uint64_t flags)
{
	uint64_t a = (uint64_t)(uintptr_t)pointer << 16 | (uint64_t)mask << 8 | flags;
	atomic_store_explicit(&word->a, a | (load_a(word) & 1), memory_order_relaxed);
}

/* The parts as a list, whatever the word looks like. */
static uint32_t parts_of(const struct norn_online_word *word, struct part *ret_list)
{
	uint64_t a = load_a(word);
	if (a & SPLIT) {
		const struct parts *parts = pointer_of(a);
		memcpy(ret_list, parts->list, parts->count * sizeof *ret_list);
		return parts->count;
	}
	uint64_t b = atomic_load_explicit(&word->b, memory_order_relaxed);
	ret_list[0] = (struct part){.mask = (uint32_t)(a >> 8 & 0xff), .write = pointer_of(a), .access = (void *)(uintptr_t)b};
	return ret_list[0].mask ? 1 : 0;
}

/* The word gets these parts; references move. */
static bool set_parts(struct norn_online_word *word, const struct part *list, uint32_t count)
{
	uint64_t a = load_a(word);
	struct parts *parts = a & SPLIT ? pointer_of(a) : NULL;
	if (count > 1) {
		if (!parts && !(parts = malloc(sizeof *parts)))
			return false;
		parts->count = count;
		memcpy(parts->list, list, count * sizeof *list);
		atomic_store_explicit(&word->b, 0, memory_order_relaxed);
		set_a(word, parts, 0, SPLIT);
		return true;
	}
	free(parts);
	atomic_store_explicit(&word->b, count ? (uintptr_t)list->access : 0, memory_order_relaxed);
	set_a(word, count ? list->write : NULL, count ? list->mask : 0, 0);
	return true;
}

void norn_word_clear(struct norn_online_word *word)
{
	struct part list[8];
	uint32_t count = parts_of(word, list);
	for (uint32_t i = 0; i < count; i++) {
		norn_knowledge_drop(list[i].write);
		norn_knowledge_drop(list[i].access);
	}
	set_parts(word, NULL, 0);
}

void norn_word_learn(
        struct norn_mind *mind, const struct norn_online_word *word, uint32_t mask, bool writes, struct norn_lesson lesson)
{
	struct part list[8];
	uint32_t count = parts_of(word, list);
	for (uint32_t i = 0; i < count; i++)
		if (list[i].mask & mask)
			norn_mind_learn(mind, writes ? list[i].access : list[i].write, lesson);
}

/* ---- teaching ---- */

/* The one part is exactly what is written, or less. */
static void write_plainly(struct norn_mind *m, struct norn_online_word *word, uint32_t mask)
{
	struct norn_knowledge *write = pointer_of(load_a(word));
	struct norn_knowledge *access = (void *)(uintptr_t)atomic_load_explicit(&word->b, memory_order_relaxed);
	if (write != m->now || access != m->now) {
		atomic_fetch_add_explicit(&m->now->refs, 2, memory_order_relaxed);
		norn_knowledge_drop(write);
		norn_knowledge_drop(access);
	}
	atomic_store_explicit(&word->b, (uintptr_t)m->now, memory_order_relaxed);
	set_a(word, m->now, mask, 0);
}

static void read_plainly(struct norn_mind *m, struct norn_online_word *word)
{
	struct norn_knowledge *write = pointer_of(load_a(word));
	struct norn_knowledge *access = (void *)(uintptr_t)atomic_load_explicit(&word->b, memory_order_relaxed);
	struct norn_knowledge *joined = norn_mind_join(m, access);
	if (!joined)
		return;
	atomic_store_explicit(&word->b, (uintptr_t)joined, memory_order_relaxed);
	norn_mind_befriend(m, write, joined);
	norn_knowledge_drop(access);
}

/* Takes the bytes of mask out of all parts; what is left of them. */
static uint32_t cut(struct part *list, uint32_t count, uint32_t mask)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < count; i++) {
		list[i].mask &= ~mask;
		if (list[i].mask) {
			list[left++] = list[i];
			continue;
		}
		norn_knowledge_drop(list[i].write);
		norn_knowledge_drop(list[i].access);
	}
	return left;
}

static void write_parts(struct norn_mind *m, struct norn_online_word *word, uint32_t mask)
{
	struct part list[9];
	uint32_t count = cut(list, parts_of(word, list), mask);
	list[count++] = (struct part){mask, norn_knowledge_keep(m->now), norn_knowledge_keep(m->now)};
	if (!set_parts(word, list, count)) { /* rather too much knowledge than a word without any */
		norn_knowledge_drop(m->now);
		norn_knowledge_drop(m->now);
		list[0].mask |= mask;
		set_parts(word, list, 1);
	}
}

/* Divides the parts that mask covers in part. */
static void read_parts(struct norn_mind *m, struct norn_online_word *word, uint32_t mask)
{
	struct part list[17];
	uint32_t count = parts_of(word, list), known = count, left = mask;
	for (uint32_t i = 0; i < known; i++) {
		uint32_t both = list[i].mask & mask, rest = list[i].mask & ~mask;
		left &= ~both;
		if (!both)
			continue;
		struct norn_knowledge *joined = norn_mind_join(m, list[i].access);
		if (!joined)
			continue;
		if (rest)
			list[count++] =
			        (struct part){rest, norn_knowledge_keep(list[i].write), norn_knowledge_keep(list[i].access)};
		norn_knowledge_drop(list[i].access);
		list[i].mask = both;
		list[i].access = joined;
	}
	if (left)
		list[count++] = (struct part){left, NULL, norn_knowledge_keep(m->now)};
	if (!set_parts(word, list, count)) {
		for (uint32_t i = 1; i < count; i++) {
			norn_knowledge_drop(list[i].write);
			norn_knowledge_drop(list[i].access);
			list[0].mask |= list[i].mask;
		}
		set_parts(word, list, 1);
	}
}

void norn_word_teach(struct norn_mind *mind, struct norn_online_word *word, uint32_t mask, bool writes)
{
	uint64_t a = load_a(word);
	uint32_t own = (uint32_t)(a >> 8 & 0xff);
	bool plain = !(a & SPLIT) && own;
	if (writes && !(a & SPLIT) && !(own & ~mask))
		write_plainly(mind, word, mask);
	else if (writes)
		write_parts(mind, word, mask);
	else if (plain && own == mask)
		read_plainly(mind, word);
	else
		read_parts(mind, word, mask);
}
