#include "predict/letter_cache.h"

#include <stdlib.h>
#include <string.h>

enum { UNSEEN, NO_POSITION, POSITION };

static bool is_plain_expr(const struct norn_expr *e)
{
	if (!e)
		return true;
	bool leaf = e->op == NORN_EXPR_INT || e->op == NORN_EXPR_PLACE;
	return (leaf || e->op >= NORN_EXPR_NOT) && is_plain_expr(e->a) && is_plain_expr(e->b);
}

/* Whether a write is one of the property's, and what its atoms are, is known from the written place and the values: no events, no
 * pointers, no bits of a word that has others, no ghosts, which each thread has its own of. */
static bool is_plain(const struct norn_view *view)
{
	const struct norn_spec *spec = view->binding->spec;
	const struct norn_property *property = view->topic.property;
	if (view->topic.event_atoms || property->key_count)
		return false;
	for (uint32_t i = 0; i < property->atom_count; i++)
		if (!is_plain_expr(property->atoms[i].predicate))
			return false;
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (view->topic.places[i] &&
		        (spec->places[i].kind != NORN_PLACE_OBJECT || spec->places[i].hops > 1 || spec->places[i].bit_size))
			return false;
	return true;
}

void norn_letter_cache_init(struct norn_letter_cache *s, const struct norn_view *view, uint32_t payloads)
{
	*s = (struct norn_letter_cache){.payload_count = payloads, .kinds = calloc(payloads + 1ul, 1)};
	s->plain = s->kinds && is_plain(view);
}

void norn_letter_cache_done(struct norn_letter_cache *s)
{
	free(s->letters);
	free(s->kinds);
	*s = (struct norn_letter_cache){0};
}

size_t norn_letter_cache_bytes(const struct norn_letter_cache *s)
{
	return s->count * sizeof *s->letters + s->payload_count;
}

enum norn_letter_cache_entry_answer norn_letter_cache_get(
        const struct norn_letter_cache *s, uint32_t payload, uint32_t world, struct norn_letter *ret_letter)
{
	if (!s->plain || s->kinds[payload] == UNSEEN)
		return NORN_LETTER_CACHE_ENTRY_UNKNOWN;
	if (s->kinds[payload] == NO_POSITION)
		return NORN_LETTER_CACHE_ENTRY_NONE;
	if (world >= s->count || !s->letters[world].known)
		return NORN_LETTER_CACHE_ENTRY_UNKNOWN;
	*ret_letter = (struct norn_letter){s->letters[world].yes, s->letters[world].unknown, true};
	return NORN_LETTER_CACHE_ENTRY_LETTER;
}

void norn_letter_cache_put(struct norn_letter_cache *s, const struct norn_position *position, uint32_t payload, uint32_t world,
        const struct norn_letter *letter)
{
	/* What fades is in the letter still, but not in the world. */
	if (!s->plain || position->fade_count || position->lost || (letter && !letter->sure))
		return;
	s->kinds[payload] = letter ? POSITION : NO_POSITION;
	if (!letter)
		return;
	if (world >= s->count) {
		uint32_t count = world + world / 2 + 64;
		struct norn_letter_cache_entry *letters = realloc(s->letters, count * sizeof *letters);
		if (!letters)
			return;
		memset(letters + s->count, 0, (count - s->count) * sizeof *letters);
		s->letters = letters;
		s->count = count;
	}
	s->letters[world] = (struct norn_letter_cache_entry){letter->yes, letter->unknown, true};
}
