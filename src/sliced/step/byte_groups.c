#include "sliced/step/byte_groups.h"

#include <assert.h>

#include "base/must.h"

#define SEVERAL UINT32_MAX

void norn_byte_groups_init(struct norn_byte_groups *c)
{
	*c = (struct norn_byte_groups){0};
	norn_map_init(&c->blocks, sizeof(struct norn_byte_groups_users));
	norn_map_init(&c->words, sizeof(struct norn_byte_groups_word));
	norn_map_init(&c->index, sizeof(uint32_t));
}

void norn_byte_groups_done(struct norn_byte_groups *c)
{
	norn_map_done(&c->blocks);
	norn_map_done(&c->words);
	norn_vector_done(&c->values);
	norn_map_done(&c->index);
}

/* ---- users ---- */

static void also(uint32_t *who, uint32_t thread)
{
	*who = *who == 0 || *who == thread + 1 ? thread + 1 : SEVERAL;
}

static void use(struct norn_byte_groups_users *users, uint32_t thread, bool reads, bool writes)
{
	if (reads)
		also(&users->reader, thread);
	if (writes)
		also(&users->writer, thread);
}

static bool matters(const struct norn_byte_groups_users *u)
{
	return u->reader && u->writer && (u->reader != u->writer || u->reader == SEVERAL);
}

void norn_byte_groups_expect(struct norn_byte_groups *c, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes)
{
	for (uint64_t b = addr / NORN_BYTE_GROUPS_BLOCK; size && b <= (addr + size - 1) / NORN_BYTE_GROUPS_BLOCK; b++) {
		use(norn_must_map_put(&c->blocks, b), thread, reads, writes);
		c->steps++;
	}
}

/* The first word from *word on, of the access, in a block that matters. False: there is none. */
static bool skip_blocks(const struct norn_byte_groups *c, uint64_t addr, uint64_t size, uint64_t *word)
{
	const uint64_t words = NORN_BYTE_GROUPS_BLOCK / 8;
	while (size && *word <= (addr + size - 1) / 8) {
		const struct norn_byte_groups_users *users = norn_map_get(&c->blocks, *word / words);
		if (users && matters(users))
			return true;
		*word = (*word / words + 1) * words;
	}
	return false;
}

/* The last word of the access in the block of this one. */
static uint64_t last_of_block(uint64_t addr, uint64_t size, uint64_t word)
{
	uint64_t block = word | (NORN_BYTE_GROUPS_BLOCK / 8 - 1), last = (addr + size - 1) / 8;
	return block < last ? block : last;
}

void norn_byte_groups_note(struct norn_byte_groups *c, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes)
{
	for (uint64_t w = addr / 8; skip_blocks(c, addr, size, &w);)
		for (uint64_t last = last_of_block(addr, size, w); w <= last; w++) {
			struct norn_byte_groups_word *word = norn_must_map_put(&c->words, w);
			use(&word->users, thread, reads, writes);
			c->steps++;
		}
}

bool norn_byte_groups_matter(const struct norn_byte_groups *c, uint64_t addr, uint64_t size)
{
	for (uint64_t w = addr / 8; skip_blocks(c, addr, size, &w); w++) {
		const struct norn_byte_groups_word *word = norn_map_get(&c->words, w);
		if (word && matters(&word->users))
			return true;
	}
	return false;
}

void norn_byte_groups_choose(struct norn_byte_groups *c)
{
	struct norn_map chosen;
	size_t cursor = 0;
	uint64_t key;
	norn_map_init(&chosen, sizeof(struct norn_byte_groups_word));
	for (const struct norn_byte_groups_word *w; (w = norn_map_next(&c->words, &cursor, &key)) != NULL;)
		if (matters(&w->users)) {
			struct norn_byte_groups_word *copy = norn_must_map_put(&chosen, key);
			*copy = *w;
		}
	norn_map_done(&c->words);
	c->words = chosen;
}

static uint8_t mask_of(uint64_t addr, uint64_t size, uint64_t word)
{
	assert(addr < word * 8 + 8 && addr + size > word * 8); /* it touches the word */
	uint64_t from = addr > word * 8 ? addr - word * 8 : 0, to = addr + size - word * 8;
	return (uint8_t)((to >= 8 ? 255u : (1u << to) - 1u) & ~((1u << from) - 1u));
}

static void shape(struct norn_byte_groups_word *word, uint8_t mask)
{
	unsigned i = 0;
	while (i < word->mask_count && i < NORN_BYTE_GROUPS_MASKS && word->masks[i] != mask)
		i++;
	if (i == NORN_BYTE_GROUPS_MASKS)
		word->mask_count = NORN_BYTE_GROUPS_MASKS + 1;
	else if (i == word->mask_count)
		word->masks[word->mask_count++] = mask;
}

void norn_byte_groups_shape(struct norn_byte_groups *c, uint64_t addr, uint64_t size)
{
	for (uint64_t w = addr / 8; c->words.count && skip_blocks(c, addr, size, &w);)
		for (uint64_t last = last_of_block(addr, size, w); w <= last; w++) {
			struct norn_byte_groups_word *word = norn_map_get(&c->words, w);
			if (word)
				shape(word, mask_of(addr, size, w));
			c->steps++;
		}
}

/* Bytes that are in the same masks are one group. */
static void cut(struct norn_byte_groups_word *w)
{
	uint16_t kinds[8];
	bool each = w->mask_count > NORN_BYTE_GROUPS_MASKS;
	for (unsigned byte = 0; byte < 8; byte++) {
		uint16_t kind = each ? (uint16_t)(byte + 1) : 0;
		for (unsigned i = 0; !each && i < w->mask_count; i++)
			kind |= (uint16_t)((w->masks[i] >> byte & 1) << i);
		unsigned group = 0;
		while (group < w->count && kinds[group] != kind)
			group++;
		kinds[group] = kind;
		assert(group < 8 && group <= w->count);
		w->count += group == w->count;
		w->group[byte] = (uint8_t)group;
	}
}

void norn_byte_groups_cut(struct norn_byte_groups *c)
{
	size_t cursor = 0;
	uint64_t key;
	struct norn_byte_groups_word *w;
	while ((w = norn_map_next(&c->words, &cursor, &key)) != NULL) {
		cut(w);
		w->first = c->count;
		c->count += w->count;
	}
}

bool norn_byte_groups_next(
        const struct norn_byte_groups *c, uint64_t addr, uint64_t size, uint64_t *word, uint32_t *ret_first, uint8_t *ret_touched)
{
	const struct norn_byte_groups_word *w = NULL;
	while (!w && c->words.count && skip_blocks(c, addr, size, word))
		for (uint64_t last = last_of_block(addr, size, *word); *word <= last && !w; ++*word)
			w = norn_map_get(&c->words, *word);
	if (!w)
		return false;
	uint8_t mask = mask_of(addr, size, *word - 1);
	*ret_touched = 0;
	for (unsigned byte = 0; byte < 8; byte++)
		if (mask >> byte & 1)
			*ret_touched |= (uint8_t)(1u << w->group[byte]);
	*ret_first = w->first;
	return true;
}

bool norn_byte_groups_covered(const struct norn_byte_groups *c, uint64_t word, uint32_t group, uint64_t addr, uint64_t size)
{
	const struct norn_byte_groups_word *w = norn_map_get(&c->words, word);
	for (unsigned byte = 0; byte < 8; byte++)
		if (w->first + w->group[byte] == group && (word * 8 + byte < addr || word * 8 + byte >= addr + size))
			return false;
	return true;
}

uint32_t norn_byte_groups_content(
        struct norn_byte_groups *c, uint64_t word, uint32_t group, uint64_t addr, uint64_t value, uint32_t life)
{
	const struct norn_byte_groups_word *w = norn_map_get(&c->words, word);
	uint64_t bytes = 0;
	for (unsigned byte = 0; byte < 8; byte++)
		if (w->first + w->group[byte] == group)
			bytes = bytes << 8 | (value >> 8 * (word * 8 + byte - addr) & 255);
	uint64_t key = (bytes ^ ((uint64_t)life << 32 | group) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
	uint32_t *head = norn_must_map_put(&c->index, key), i = *head;
	const struct norn_byte_groups_value *values = c->values.items;
	while (i && (values[i - 1].bytes != bytes || values[i - 1].group != group || values[i - 1].life != life))
		i = values[i - 1].next;
	if (i)
		return i;
	norn_must_push(&c->values, (struct norn_byte_groups_value){.bytes = bytes, .group = group, .life = life, .next = *head});
	return *head = c->values.count;
}

bool norn_byte_groups_see(const struct norn_byte_groups *c, uint64_t word, uint32_t group, uint32_t content, uint64_t addr,
        uint64_t size, uint32_t life, uint64_t *value)
{
	const struct norn_byte_groups_word *w = norn_map_get(&c->words, word);
	assert(content && content <= c->values.count);
	const struct norn_byte_groups_value *v = &c->values.items[content - 1];
	if (v->group != group || v->life != life)
		return false;
	uint64_t bytes = v->bytes;
	for (unsigned byte = 8; byte-- > 0;) {
		uint64_t at = word * 8 + byte - addr;
		if (w->first + w->group[byte] != group)
			continue;
		if (word * 8 + byte >= addr && at < size)
			*value = (*value & ~(UINT64_C(255) << 8 * at)) | (bytes & 255) << 8 * at;
		bytes >>= 8;
	}
	return true;
}
