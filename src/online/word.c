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

#define SPLIT NORN_WORD_SPLIT
#define REST NORN_WORD_REST

static uint64_t load_a(const struct norn_online_word *word)
{
	return atomic_load_explicit(&word->a, memory_order_relaxed);
}

static void *pointer_of(uint64_t a)
{
	return (void *)(uintptr_t)(a >> 16);
}

/* The lock, and that it is named, stay as they are. */
static void set_a(struct norn_online_word *word, const void *pointer, uint32_t mask, uint64_t flags)
{
	uint64_t a = (uint64_t)(uintptr_t)pointer << 16 | (uint64_t)mask << 8 | flags;
	atomic_store_explicit(&word->a, a | (load_a(word) & (NORN_WORD_LOCK | NORN_WORD_NAMED)), memory_order_relaxed);
}

static struct norn_knowledge *load_b(const struct norn_online_word *word)
{
	return (void *)(uintptr_t)atomic_load_explicit(&word->b, memory_order_relaxed);
}

static uint32_t bytes_of(uint64_t a)
{
	return (uint32_t)(a >> 8 & 0xff);
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
	ret_list[0] = (struct part){.mask = bytes_of(a), .write = pointer_of(a), .access = load_b(word)};
	if (a & REST)
		ret_list[1] = (struct part){.mask = ~bytes_of(a) & 0xff, .write = pointer_of(a), .access = pointer_of(a)};
	return a & REST ? 2 : ret_list[0].mask != 0;
}

/* The same, each with references of its own. */
static uint32_t take_parts(const struct norn_online_word *word, struct part *ret_list)
{
	uint32_t count = parts_of(word, ret_list);
	if (load_a(word) & REST) {
		norn_knowledge_keep(ret_list[1].write);
		norn_knowledge_keep(ret_list[1].access);
	}
	return count;
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
	uint32_t count = take_parts(word, list);
	for (uint32_t i = 0; i < count; i++) {
		norn_knowledge_drop(list[i].write);
		norn_knowledge_drop(list[i].access);
	}
	set_parts(word, NULL, 0);
}

void norn_word_peek(
        const struct norn_online_word *word, uint32_t byte, struct norn_knowledge **ret_write, struct norn_knowledge **ret_access)
{
	struct part list[8];
	uint32_t count = parts_of(word, list);
	*ret_write = *ret_access = NULL;
	for (uint32_t i = 0; i < count; i++)
		if (list[i].mask >> byte & 1) {
			*ret_write = list[i].write;
			*ret_access = list[i].access;
		}
}

void norn_word_name(struct norn_online_word *word)
{
	atomic_store_explicit(&word->a, load_a(word) | NORN_WORD_NAMED, memory_order_relaxed);
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

/* Nothing but what is written is left of the word. */
static void write_plainly(struct norn_mind *m, struct norn_online_word *word, uint32_t mask)
{
	struct norn_knowledge *write = pointer_of(load_a(word)), *access = load_b(word);
	if (write != m->now || access != m->now) {
		norn_mind_lend(m);
		norn_mind_lend(m);
		norn_mind_take_back(m, write);
		norn_mind_take_back(m, access);
	}
	atomic_store_explicit(&word->b, (uintptr_t)m->now, memory_order_relaxed);
	set_a(word, m->now, mask, 0);
}

/* The bytes of mask get joined, of which there is a reference, as their access vector; so have the others that are in bytes. */
static void set_access(
        struct norn_mind *m, struct norn_online_word *word, uint32_t bytes, uint64_t flags, struct norn_knowledge *joined)
{
	struct norn_knowledge *write = pointer_of(load_a(word)), *access = load_b(word);
	atomic_store_explicit(&word->b, (uintptr_t)joined, memory_order_relaxed);
	set_a(word, write, bytes, bytes == 0xff ? 0 : flags);
	norn_mind_befriend(m, write, joined);
	norn_mind_take_back(m, access);
}

/* A read of a word with one part, or of one that is being read piece by piece after it was written as a whole; false: it must be divided. */
static bool read_plainly(struct norn_mind *m, struct norn_online_word *word, uint32_t mask)
{
	uint64_t a = load_a(word);
	uint32_t own = bytes_of(a);
	struct norn_knowledge *write = pointer_of(a), *access = load_b(word), *joined;
	bool fresh = own == 0xff && access == write;
	if (a & SPLIT || !own || !(a & REST || own == mask || fresh))
		return false;
	if (!(joined = norn_mind_join(m, fresh && own != mask ? write : access)))
		return true;
	if (own == mask) {
		set_access(m, word, own, a & REST, joined);
	} else if (fresh && !(a & REST)) {
		set_access(m, word, mask, REST, joined);
	} else if (access == m->now) { /* which knows what write does, since it has read: so the other bytes get the same */
		set_access(m, word, own | mask, REST, joined);
	} else {
		norn_mind_take_back(m, joined);
		return false;
	}
	return true;
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
	uint32_t count = cut(list, take_parts(word, list), mask);
	list[count++] = (struct part){mask, norn_knowledge_keep(m->now), norn_knowledge_keep(m->now)};
	if (!set_parts(word, list, count)) { /* rather too much knowledge than a word without any */
		norn_knowledge_drop(m->now);
		norn_knowledge_drop(m->now);
		list[0].mask |= mask;
		set_parts(word, list, 1);
	}
}

/* Parts that are alike are one. */
static uint32_t unite(struct part *list, uint32_t count)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = 0;
		while (k < left && (list[k].write != list[i].write || list[k].access != list[i].access))
			k++;
		if (k == left) {
			list[left++] = list[i];
			continue;
		}
		list[k].mask |= list[i].mask;
		norn_knowledge_drop(list[i].write);
		norn_knowledge_drop(list[i].access);
	}
	return left;
}

/* Divides the parts that mask covers in part. */
static void read_parts(struct norn_mind *m, struct norn_online_word *word, uint32_t mask)
{
	struct part list[17];
	uint32_t count = take_parts(word, list), known = count, left = mask;
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
	count = unite(list, count);
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
	bool whole = !(a & SPLIT) && (mask == 0xff || (!(a & REST) && !(bytes_of(a) & ~mask)));
	if (writes && whole)
		write_plainly(mind, word, mask);
	else if (writes)
		write_parts(mind, word, mask);
	else if (!read_plainly(mind, word, mask))
		read_parts(mind, word, mask);
}
