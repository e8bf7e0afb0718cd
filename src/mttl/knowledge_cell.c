#include "mttl/knowledge_cell.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/cell_readers.h"
#include "mttl/knowledge_fast_path.h"

struct cell_part {
	uint32_t mask;
	struct norn_knowledge *write, *access;
};

struct cell_parts {
	uint32_t id, count;
	struct cell_part list[8];
};

#define SPLIT NORN_WORD_SPLIT
#define REST NORN_WORD_REST
#define STAYS (NORN_WORD_LOCK | NORN_WORD_NAMED)

static uint64_t load(const struct norn_knowledge_cell *word)
{
	return atomic_load_explicit(&word->bits, memory_order_relaxed);
}

/* The lock, and that it is named, stay as they are. */
static void set(struct norn_knowledge_cell *word, uint64_t bits)
{
	assert(!(bits & STAYS));
	atomic_store_explicit(&word->bits, bits | (load(word) & STAYS), memory_order_relaxed);
}

static void *object_of(uint64_t id)
{
	return norn_id_objects[id];
}

/* There is a list of parts. */
static bool is_listed(uint64_t bits)
{
	return bits & SPLIT && !norn_word_is_halves(bits);
}

static struct norn_knowledge *write_of(uint64_t bits)
{
	return object_of((uint32_t)bits >> NORN_WORD_WRITE_SHIFT);
}

static struct norn_knowledge *access_of(uint64_t bits)
{
	return object_of(bits >> NORN_WORD_ACCESS_SHIFT);
}

static bool is_empty(uint64_t bits)
{
	return !(bits & ~STAYS);
}

static uint32_t bytes_of(uint64_t bits)
{
	return is_empty(bits) ? 0 : ~bits >> NORN_WORD_OTHERS_SHIFT & 0xff;
}

/* One part; its references move. Vectors without a number cannot be told of: the word is left without any, and the loss counted. */
static void set_whole(struct norn_local_monitor *m, struct norn_knowledge_cell *word, const struct cell_part *part, uint64_t flags)
{
	assert(part->mask && part->mask <= NORN_WORD_ALL);
	assert(!norn_cell_readers_are(part->write));
	assert(!flags || flags == REST);
	uint64_t write = norn_knowledge_id(part->write), access = norn_knowledge_id(part->access);
	if (write && access) {
		set(word, access << NORN_WORD_ACCESS_SHIFT | write << NORN_WORD_WRITE_SHIFT |
		                  (uint64_t)(~part->mask & 0xff) << NORN_WORD_OTHERS_SHIFT | flags);
		return;
	}
	norn_knowledge_drop(part->write);
	norn_knowledge_drop(part->access);
	norn_local_monitors_drop(m->world);
	set(word, 0);
}

/* ---- halves ---- */

/* The vectors of a half, as numbers; 0: none. */
struct half {
	uint32_t write, access;
};

static void halves_of(uint64_t bits, struct half ret_halves[2])
{
	uint32_t write = norn_cell_step_write_id(bits), access = norn_cell_step_access_id(bits);
	uint32_t code = bits >> NORN_WORD_OTHERS_SHIFT & 0xff;
	assert(norn_word_is_halves(bits));
	for (unsigned i = 0; i < 2; i++) {
		bool newer = code >> NORN_HALF_NEW >> i & 1, read = code >> NORN_HALF_READ >> i & 1;
		ret_halves[i] = (struct half){newer ? access : write, newer || read ? access : write};
	}
}

/* ---- steps without a lock ---- */

static bool step_write(const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t these = (uint64_t)bytes << NORN_WORD_OTHERS_SHIFT, flags = bits & NORN_WORD_FLAGS;
	/* More bytes with the same vectors. */
	if ((bits & ~NORN_WORD_OTHERS) == g->now) {
		*ret_bits = bits & ~these;
		return true;
	}
	/* Bytes of its part that stay as they are would be another part, as would the rest. */
	if (bits && (~flags & NORN_WORD_OTHERS & ~these || flags & ~NORN_WORD_OTHERS ||
	                    !norn_cell_step_knows(g, norn_cell_step_access_id(bits))))
		return false;
	*ret_bits = g->now | norn_cell_step_others(bytes);
	return true;
}

static bool step_read(const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t these = (uint64_t)bytes << NORN_WORD_OTHERS_SHIFT, rest = bits & NORN_WORD_REST;
	uint64_t now = g->now >> NORN_WORD_ACCESS_SHIFT << NORN_WORD_ACCESS_SHIFT, others = norn_cell_step_others(bytes);
	uint32_t write = norn_cell_step_write_id(bits), access = norn_cell_step_access_id(bits);
	if (!bits) {
		*ret_bits = now | (uint64_t)NORN_ID_NONE << NORN_WORD_WRITE_SHIFT | others;
		return true;
	}
	if (bits & (NORN_WORD_LOCK | NORN_WORD_SPLIT | NORN_WORD_NAMED) || !norn_cell_step_knows(g, write))
		return false;
	if (!(bits & these) && norn_knowledge_cache_entry(g->familiar, access)) {
		*ret_bits = bits;
		return true;
	}
	/* Piece by piece: other bytes that have no vectors but the write vector as well, or none at all. */
	if (access == now >> NORN_WORD_ACCESS_SHIFT && (rest || write == NORN_ID_NONE)) {
		*ret_bits = bits & ~these;
		if (!(*ret_bits & NORN_WORD_OTHERS))
			*ret_bits &= ~NORN_WORD_REST;
		return true;
	}
	bool same = (bits & NORN_WORD_OTHERS) == others, whole = !(bits & NORN_WORD_OTHERS) && access == write;
	if (!(same || whole) || !norn_cell_step_knows(g, access))
		return false;
	*ret_bits = now | (uint64_t)write << NORN_WORD_WRITE_SHIFT | others | (same ? rest : NORN_WORD_REST);
	return true;
}

bool norn_cell_step_open(struct norn_local_monitor *m, uint64_t bits)
{
	if (bits & STAYS || is_listed(bits))
		return false;
	if (bits && !(norn_local_monitor_is_known(m, norn_cell_step_write_id(bits)) &&
	                    norn_local_monitor_is_known(m, norn_cell_step_access_id(bits))))
		return false;
	return norn_local_monitor_tell(m) && m->knowledge_cache->now != NORN_KNOWLEDGE_CACHE_CLOSED;
}

bool norn_cell_step(const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits)
{
	if (g->now == NORN_KNOWLEDGE_CACHE_CLOSED && !norn_cell_step_open(g->local_monitor, bits))
		return false;
	bool done = writes ? step_write(g, bits, bytes, ret_bits) : step_read(g, bits, bytes, ret_bits);
	assert(!done || (!(*ret_bits & STAYS) && !is_listed(*ret_bits) && norn_cell_step_access_id(*ret_bits)));
	return done;
}

/* ---- parts ---- */

/* The parts as a list, whatever the word looks like. */
static uint32_t parts_of(const struct norn_knowledge_cell *word, struct cell_part *ret_list)
{
	uint64_t bits = load(word);
	if (is_empty(bits))
		return 0;
	if (norn_word_is_halves(bits)) {
		struct half halves[2];
		halves_of(bits, halves);
		for (uint32_t i = 0; i < 2; i++)
			ret_list[i] = (struct cell_part){0x0fu << i * 4, object_of(halves[i].write), object_of(halves[i].access)};
		return 2;
	}
	if (bits & SPLIT) {
		const struct cell_parts *parts = object_of(bits >> NORN_WORD_ACCESS_SHIFT);
		memcpy(ret_list, parts->list, parts->count * sizeof *ret_list);
		return parts->count;
	}
	ret_list[0] = (struct cell_part){.mask = bytes_of(bits), .write = write_of(bits), .access = access_of(bits)};
	if (bits & REST)
		ret_list[1] = (struct cell_part){.mask = ~bytes_of(bits) & 0xff, .write = write_of(bits), .access = write_of(bits)};
	return bits & REST ? 2 : 1;
}

/* The same, each with references of its own. */
static uint32_t take_parts(const struct norn_knowledge_cell *word, struct cell_part *ret_list)
{
	uint32_t count = parts_of(word, ret_list);
	uint64_t bits = load(word);
	for (uint32_t i = 0; i < count && bits & REST; i++) {
		norn_knowledge_keep(ret_list[i].write);
		norn_knowledge_keep(ret_list[i].access);
	}
	if (bits & REST) {
		norn_knowledge_drop(write_of(bits));
		norn_knowledge_drop(access_of(bits));
	}
	return count;
}

static void free_parts(struct cell_parts *parts)
{
	if (parts)
		norn_id_give(parts->id);
	free(parts);
}

static struct cell_parts *new_parts(void)
{
	struct cell_parts *parts = malloc(sizeof *parts);
	if (parts && !(parts->id = norn_id_take(parts))) {
		free(parts);
		return NULL;
	}
	return parts;
}

/* Each has bytes, and no byte is in two of them. */
__attribute__((unused)) static bool are_apart(const struct cell_part *list, uint32_t count)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!list[i].mask || list[i].mask & (all | ~NORN_WORD_ALL))
			return false;
		all |= list[i].mask;
	}
	return true;
}

/* The word gets these parts; references move. m may be NULL if there are none. */
static bool set_parts(struct norn_local_monitor *m, struct norn_knowledge_cell *word, const struct cell_part *list, uint32_t count)
{
	assert(are_apart(list, count));
	uint64_t bits = load(word);
	struct cell_parts *parts = is_listed(bits) ? object_of(bits >> NORN_WORD_ACCESS_SHIFT) : NULL;
	if (count > 1) {
		if (!parts && !(parts = new_parts()))
			return false;
		parts->count = count;
		memcpy(parts->list, list, count * sizeof *list);
		set(word, (uint64_t)parts->id << NORN_WORD_ACCESS_SHIFT | SPLIT);
		return true;
	}
	free_parts(parts);
	if (count)
		set_whole(m, word, list, 0);
	else
		set(word, 0);
	return true;
}

void norn_word_clear(struct norn_knowledge_cell *word)
{
	struct cell_part list[8];
	uint32_t count = take_parts(word, list);
	for (uint32_t i = 0; i < count; i++) {
		norn_knowledge_drop(list[i].write);
		norn_knowledge_drop(list[i].access);
	}
	set_parts(NULL, word, NULL, 0);
}

void norn_word_peek(struct norn_local_monitors *local_monitors, const struct norn_knowledge_cell *word, uint32_t byte,
        struct norn_knowledge **ret_write, struct norn_knowledge **ret_access)
{
	struct cell_part list[8];
	uint32_t count = parts_of(word, list);
	*ret_write = *ret_access = NULL;
	for (uint32_t i = 0; i < count; i++)
		if (list[i].mask >> byte & 1) {
			struct norn_knowledge *access = list[i].access;
			*ret_write = norn_knowledge_keep(list[i].write);
			*ret_access = norn_cell_readers_are(access) ? norn_cell_readers_unite(access, local_monitors)
			                                            : norn_knowledge_keep(access);
		}
}

void norn_word_name(struct norn_knowledge_cell *word)
{
	atomic_store_explicit(&word->bits, load(word) | NORN_WORD_NAMED, memory_order_relaxed);
}

void norn_word_learn(struct norn_local_monitor *local_monitor, const struct norn_knowledge_cell *word, uint32_t mask, bool writes,
        struct norn_knowledge_origin origin)
{
	struct cell_part list[8];
	uint32_t count = parts_of(word, list);
	for (uint32_t i = 0; i < count; i++) {
		struct norn_knowledge *from = writes ? list[i].access : list[i].write;
		if (!(list[i].mask & mask))
			continue;
		if (norn_cell_readers_are(from))
			norn_cell_readers_teach(from, local_monitor, origin);
		else
			norn_local_monitor_learn(local_monitor, from, origin);
	}
}

/* ---- teaching ---- */

/* Nothing but what is written is left of the word. */
static void write_plainly(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask)
{
	uint64_t bits = load(word);
	if (!is_empty(bits)) {
		norn_local_monitor_take_back(m, write_of(bits));
		norn_local_monitor_take_back(m, access_of(bits));
	}
	norn_local_monitor_share(m);
	norn_local_monitor_share(m);
	set_whole(m, word, &(struct cell_part){mask, m->now, m->now}, 0);
}

/* The bytes of mask get joined, of which there is a reference, as their access vector; so have the others that are in bytes. */
static void set_access(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t bytes, uint64_t flags,
        struct norn_knowledge *joined)
{
	uint64_t bits = load(word);
	struct norn_knowledge *write = write_of(bits), *access = access_of(bits);
	set_whole(m, word, &(struct cell_part){bytes, write, joined}, bytes == 0xff ? 0 : flags);
	if (!is_empty(load(word)))
		norn_local_monitor_befriend(m, write, joined);
	norn_local_monitor_take_back(m, access);
}

/* One of several readers. */
static void join_readers(struct norn_local_monitor *m, uint64_t bits)
{
	norn_cell_readers_join(m, access_of(bits));
	norn_local_monitor_befriend(m, write_of(bits), access_of(bits));
}

/* In place of the readers of a word that is to be divided, their maximum. */
static void unite_readers(struct norn_local_monitor *m, struct norn_knowledge_cell *word)
{
	uint64_t bits = load(word);
	struct norn_knowledge *readers = access_of(bits);
	if (is_listed(bits) || !norn_cell_readers_are(readers))
		return;
	struct norn_knowledge *all = norn_cell_readers_unite(readers, m->world);
	set_whole(m, word, &(struct cell_part){bytes_of(bits), write_of(bits), all}, bits & REST);
	norn_local_monitor_take_back(m, readers);
}

/* The word is about to get a mixture: rather a list of readers than one mixture after the other. Other words that get the same
 * mixture share it, as code in the program sees them all by the cache. The mixture's reference moves; NULL: it does not. */
static struct norn_knowledge *list_readers(struct norn_joined *mixture)
{
	if (mixture->given)
		return NULL;
	mixture->given = true;
	return norn_cell_readers_new(mixture->result);
}

/* A read of a word with one part, or of one that is being read piece by piece after it was written as a whole; false: it must be
 * divided. */
static bool read_plainly(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask)
{
	uint64_t bits = load(word);
	uint32_t own = bytes_of(bits);
	if (is_empty(bits)) {
		set_whole(m, word, &(struct cell_part){mask, NULL, norn_local_monitor_share(m)}, 0);
		return true;
	}
	if (bits & SPLIT)
		return false;
	struct norn_knowledge *write = write_of(bits), *access = access_of(bits), *joined;
	bool fresh = own == 0xff && access == write;
	if (norn_cell_readers_are(access)) {
		join_readers(m, bits);
		return true;
	}
	if (!(bits & REST || own == mask || fresh))
		return false;
	if (!(joined = norn_local_monitor_join(m, fresh && own != mask ? write : access)))
		return true;
	if (own == mask) {
		struct norn_joined *mixture = &m->joined[norn_knowledge_id(access) % NORN_JOINS];
		struct norn_knowledge *readers = joined == mixture->result ? list_readers(mixture) : NULL;
		set_access(m, word, own, bits & REST, readers ? readers : joined);
	} else if (fresh && !(bits & REST)) {
		set_access(m, word, mask, REST, joined);
	} else if (access == m->now) { /* which knows what write does, since it has read: so the other bytes get the same */
		set_access(m, word, own | mask, REST, joined);
	} else {
		norn_local_monitor_take_back(m, joined);
		return false;
	}
	return true;
}

/* Takes the bytes of mask out of all parts; what is left of them. */
static uint32_t cut(struct cell_part *list, uint32_t count, uint32_t mask)
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

void norn_word_cut(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask)
{
	struct cell_part list[8];
	unite_readers(m, word);
	set_parts(m, word, list, cut(list, take_parts(word, list), mask));
}

/* There is no memory to divide the word: rather too much knowledge than a word without any. */
static void set_first(struct norn_local_monitor *m, struct norn_knowledge_cell *word, struct cell_part *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		norn_knowledge_drop(list[i].write);
		norn_knowledge_drop(list[i].access);
		list[0].mask |= list[i].mask;
	}
	norn_local_monitors_drop(m->world);
	set_parts(m, word, list, 1);
}

/* Parts that are alike are one. */
static uint32_t unite(struct cell_part *list, uint32_t count)
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

static void write_parts(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask)
{
	struct cell_part list[9];
	uint32_t count = cut(list, take_parts(word, list), mask);
	list[count++] = (struct cell_part){mask, norn_knowledge_keep(m->now), norn_knowledge_keep(m->now)};
	count = unite(list, count);
	if (!set_parts(m, word, list, count))
		set_first(m, word, list, count);
}

/* Divides the parts that mask covers in part. */
static void read_parts(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask)
{
	struct cell_part list[17];
	uint32_t count = take_parts(word, list), known = count, left = mask;
	for (uint32_t i = 0; i < known; i++) {
		uint32_t both = list[i].mask & mask, rest = list[i].mask & ~mask;
		left &= ~both;
		if (!both)
			continue;
		struct norn_knowledge *joined = norn_local_monitor_join(m, list[i].access);
		if (!joined)
			continue;
		if (rest)
			list[count++] =
			        (struct cell_part){rest, norn_knowledge_keep(list[i].write), norn_knowledge_keep(list[i].access)};
		norn_knowledge_drop(list[i].access);
		list[i].mask = both;
		list[i].access = joined;
	}
	if (left)
		list[count++] = (struct cell_part){left, NULL, norn_knowledge_keep(m->now)};
	count = unite(list, count);
	if (!set_parts(m, word, list, count))
		set_first(m, word, list, count);
}

void norn_word_teach(struct norn_local_monitor *local_monitor, struct norn_knowledge_cell *word, uint32_t mask, bool writes)
{
	uint64_t bits = load(word);
	bool whole = !(bits & (SPLIT | REST)) && !(bytes_of(bits) & ~mask);
	if (writes ? !whole : bytes_of(bits) != mask || !local_monitor->now->id)
		unite_readers(local_monitor, word);
	if (writes && whole)
		write_plainly(local_monitor, word, mask);
	else if (writes)
		write_parts(local_monitor, word, mask);
	else if (!read_plainly(local_monitor, word, mask))
		read_parts(local_monitor, word, mask);
}

/* ---- both at once ---- */

/* A word of several parts, one of which is accessed as a whole: it stays in its place. */
static bool pass_part(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask, bool writes)
{
	struct cell_parts *parts = object_of(load(word) >> NORN_WORD_ACCESS_SHIFT);
	struct cell_part *p = parts->list;
	while (p < parts->list + parts->count && p->mask != mask)
		p++;
	if (p == parts->list + parts->count || !norn_knowledge_covers(&m->world->program, m->now, p->access) ||
	        (p->write && !p->write->id) || !p->access->id)
		return false;
	if (m->knowledge_cache->now == NORN_KNOWLEDGE_CACHE_CLOSED && !(norn_local_monitor_tell(m) && m->now->id))
		return false;
	if (p->access != m->now) {
		norn_local_monitor_take_back(m, p->access);
		p->access = norn_local_monitor_share(m);
	}
	if (writes && p->write != m->now) {
		norn_local_monitor_take_back(m, p->write);
		p->write = norn_local_monitor_share(m);
	}
	return true;
}

/* A read of a word that has several readers. */
static bool pass_reader(struct norn_local_monitor *m, uint64_t bits, uint32_t mask)
{
	uint32_t write = norn_cell_step_write_id(bits);
	if (bytes_of(bits) != mask || !(norn_local_monitor_is_known(m, write) || norn_word_knows(m, write)))
		return false;
	if (m->knowledge_cache->now == NORN_KNOWLEDGE_CACHE_CLOSED && !(norn_local_monitor_tell(m) && m->now->id))
		return false;
	join_readers(m, bits);
	return true;
}

bool norn_word_pass(struct norn_local_monitor *m, struct norn_knowledge_cell *word, uint32_t mask, bool writes)
{
	uint64_t bits = load(word), after;
	if (bits & NORN_WORD_NAMED)
		return false;
	if (is_listed(bits))
		return pass_part(m, word, mask, writes);
	bits &= ~NORN_WORD_LOCK;
	if (!writes && norn_cell_readers_are(access_of(bits)))
		return pass_reader(m, bits, mask);
	if (bits && !norn_local_monitor_is_known(m, writes ? norn_cell_step_access_id(bits) : norn_cell_step_write_id(bits)))
		return false; /* it learns */
	if (!norn_cell_step(m->knowledge_cache, bits, mask, writes, &after))
		return false;
	norn_cell_step_count(m, bits, after, writes);
	set(word, after);
	return true;
}

bool norn_word_knows(struct norn_local_monitor *m, uint32_t id)
{
	struct norn_knowledge *k = norn_id_objects[id];
	if (!norn_knowledge_covers(&m->world->program, m->now, k))
		return false;
	norn_local_monitor_recognize(m, k);
	return true;
}
