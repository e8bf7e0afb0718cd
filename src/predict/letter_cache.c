#include "predict/letter_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "lattice/stepper.h"

bool norn_stepped_letter(const struct norn_view *view, const struct norn_moment *moment, const struct norn_value *keys,
        struct norn_letter *ret_letter)
{
	if (keys && moment->position->kind == NORN_EVENT_FREE) {
		const struct norn_position *p = moment->position;
		*ret_letter = (struct norn_letter){.yes = NORN_STEPPER_ENDS, .sure = true};
		return norn_keys_in(keys, view->terms.property->key_count, p->address, p->size);
	}
	if (!norn_view_letter(view, moment, keys, ret_letter))
		return false;
	if (!norn_moment_makes(moment, &view->terms, keys))
		ret_letter->yes |= NORN_STEPPER_UNMADE;
	return true;
}

enum { UNSEEN, NO_POSITION, POSITION };

static bool is_plain_expr(const struct norn_expr *e)
{
	if (!e)
		return true;
	bool leaf = e->op == NORN_EXPR_INT || e->op == NORN_EXPR_REAL || e->op == NORN_EXPR_PLACE;
	return (leaf || e->op >= NORN_EXPR_NOT) && is_plain_expr(e->a) && is_plain_expr(e->b);
}

/* The written place and the values tell if a write is one of the property's, and its atoms: no events, no pointers, no bits of a
 * word that has others, no ghosts, of which each thread has its own. */
static bool is_plain(const struct norn_view *view)
{
	const struct norn_spec *spec = view->binding->spec;
	const struct norn_property *property = view->terms.property;
	if (view->terms.event_atoms || property->key_count)
		return false;
	for (uint32_t i = 0; i < property->atom_count; i++)
		if (!is_plain_expr(property->atoms[i].predicate))
			return false;
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (view->terms.places[i] &&
		        (spec->places[i].kind != NORN_PLACE_OBJECT || spec->places[i].hops > 1 || spec->places[i].bit_size))
			return false;
	return true;
}

void norn_letter_cache_init(struct norn_letter_cache *c, const struct norn_view *view)
{
	*c = (struct norn_letter_cache){.plain = is_plain(view)};
}

void norn_letter_cache_done(struct norn_letter_cache *c)
{
	free(c->letters);
	free(c->kinds);
	*c = (struct norn_letter_cache){0};
}

size_t norn_letter_cache_bytes(const struct norn_letter_cache *c)
{
	return c->letter_count * sizeof *c->letters + c->kind_count;
}

void norn_letter_cache_forget(struct norn_letter_cache *c)
{
	if (c->letter_count)
		memset(c->letters, 0, c->letter_count * sizeof *c->letters);
}

enum norn_letter_cache_answer norn_letter_cache_get(
        const struct norn_letter_cache *c, uint32_t kept, uint32_t valuation, struct norn_letter *ret_letter)
{
	if (kept >= c->kind_count || c->kinds[kept] == UNSEEN)
		return NORN_LETTER_CACHE_UNKNOWN;
	if (c->kinds[kept] == NO_POSITION)
		return NORN_LETTER_CACHE_NONE;
	if (valuation >= c->letter_count || !c->letters[valuation].known)
		return NORN_LETTER_CACHE_UNKNOWN;
	*ret_letter = (struct norn_letter){c->letters[valuation].yes, c->letters[valuation].unknown, true};
	return NORN_LETTER_CACHE_LETTER;
}

/* Room for an entry, with zero bytes in all new ones. */
static void reserve(void *array, uint32_t entry, uint32_t *count, size_t bytes)
{
	uint32_t before = *count;
	if (entry < before)
		return;
	norn_must_grow(array, entry + UINT64_C(1), count, bytes);
	memset(*(char **)array + before * bytes, 0, (*count - before) * bytes);
}

void norn_letter_cache_put(struct norn_letter_cache *c, const struct norn_position *position, uint32_t kept, uint32_t valuation,
        const struct norn_letter *letter)
{
	/* A value that fades is in the letter still, but not in the valuation after it. */
	if (!c->plain || position->fade_count || position->lost || (letter && !letter->sure))
		return;
	reserve(&c->kinds, kept, &c->kind_count, sizeof *c->kinds);
	c->kinds[kept] = letter ? POSITION : NO_POSITION;
	if (!letter)
		return;
	reserve(&c->letters, valuation, &c->letter_count, sizeof *c->letters);
	c->letters[valuation] = (struct norn_letter_cache_entry){letter->yes, letter->unknown, true};
}
