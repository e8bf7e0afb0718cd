#include "witness/last_values.h"

#include "base/must.h"

struct last_word {
	uint8_t bytes[8];
	uint8_t known; /* mask */
};

void norn_last_values_init(struct norn_last_values *values)
{
	norn_map_init(&values->words, sizeof(struct last_word));
}

void norn_last_values_done(struct norn_last_values *values)
{
	norn_map_done(&values->words);
}

/* The bytes of an access that lie in one word: from is the first one's place in it. */
struct value_part {
	uint64_t word;
	unsigned from, count, offset; /* offset: of the first one within the access */
};

static bool next_part(const struct norn_event *e, uint64_t *at, struct value_part *ret_part)
{
	if (*at >= e->size)
		return false;
	uint64_t address = e->addr + *at, rest = e->size - *at;
	unsigned from = address & 7, count = 8 - from < rest ? 8 - from : (unsigned)rest;
	*ret_part = (struct value_part){address / 8, from, count, (unsigned)*at};
	*at += count;
	return true;
}

static uint8_t mask_of(const struct value_part *p)
{
	return (uint8_t)(((1u << p->count) - 1) << p->from);
}

static void learn(struct norn_last_values *c, const struct norn_event *e)
{
	struct value_part p;
	for (uint64_t at = 0; next_part(e, &at, &p);) {
		struct last_word *w = norn_must_map_put(&c->words, p.word);
		for (unsigned i = 0; i < p.count; i++)
			w->bytes[p.from + i] = (uint8_t)(e->value >> 8 * (p.offset + i));
		w->known |= mask_of(&p);
	}
}

static void forget(struct norn_last_values *c, const struct norn_event *e)
{
	struct value_part p;
	for (uint64_t at = 0; next_part(e, &at, &p);) {
		struct last_word *w = norn_map_get(&c->words, p.word);
		if (w)
			w->known &= (uint8_t)~mask_of(&p);
	}
}

static bool recall(const struct norn_last_values *c, const struct norn_event *e, uint64_t *ret_value)
{
	struct value_part p;
	uint64_t value = 0;
	for (uint64_t at = 0; next_part(e, &at, &p);) {
		const struct last_word *w = norn_map_get(&c->words, p.word);
		if (!w || (mask_of(&p) & ~w->known))
			return false;
		for (unsigned i = 0; i < p.count; i++)
			value |= (uint64_t)w->bytes[p.from + i] << 8 * (p.offset + i);
	}
	*ret_value = value;
	return true;
}

bool norn_last_values_event(struct norn_last_values *c, const struct norn_event *e, uint64_t *ret_before)
{
	bool small = e->size <= 8 && e->known;
	bool found = false;
	switch (e->kind) {
	case NORN_EVENT_RMW:
		found = small && recall(c, e, ret_before);
		break;
	case NORN_EVENT_READ:
		if (!small)
			return false;
		break;
	case NORN_EVENT_WRITE:
		break;
	case NORN_EVENT_EXTERNAL:
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		small = false;
		break;
	default:
		return false;
	}
	if (small)
		learn(c, e);
	else
		forget(c, e);
	return small && found;
}
