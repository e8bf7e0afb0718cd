#include "monitor/automata/letters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static bool go_together(const struct norn_spec *spec, const struct norn_atom *a, const struct norn_atom *b)
{
	if (a->kind == NORN_ATOM_PREDICATE || b->kind == NORN_ATOM_PREDICATE || a->event == b->event)
		return true;
	return norn_events_may_coincide(spec, a->event, b->event);
}

void norn_alphabet_init(struct norn_alphabet *alphabet, const struct norn_spec *spec, const struct norn_property *property,
        const struct norn_monitor_options *options)
{
	uint32_t n = property->atom_count;
	bool words = property->logic == NORN_LOGIC_ERE || property->logic == NORN_LOGIC_FORBID || property->logic == NORN_LOGIC_FSM;
	memset(alphabet, 0, sizeof *alphabet);
	alphabet->atoms = n;
	alphabet->all = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
	alphabet->empty = !words || options->other;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			if (i == j || options->any_letter || go_together(spec, &property->atoms[i], &property->atoms[j]))
				alphabet->together[i] |= UINT64_C(1) << j;
}

/* All cliques that extend word by atoms of candidates; false: too many. The candidates are those above word's highest atom that go
 * with all of it, so the depth is at most the number of atoms. */
static bool add_cliques(struct norn_letters *letters, const struct norn_alphabet *alphabet, uint64_t word, uint64_t candidates)
{
	if (word != 0 || alphabet->empty) {
		if (letters->count == NORN_LETTERS_MAX)
			return false;
		letters->words[letters->count++] = word;
	}
	for (; candidates != 0; candidates &= candidates - 1) {
		unsigned atom = (unsigned)__builtin_ctzll(candidates);
		uint64_t above = candidates & (candidates - 1);
		if (!add_cliques(letters, alphabet, word | UINT64_C(1) << atom, above & alphabet->together[atom]))
			return false;
	}
	return true;
}

static int by_word(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

int norn_letters_init(struct norn_letters *letters, const struct norn_alphabet *alphabet, struct norn_error *err)
{
	memset(letters, 0, sizeof *letters);
	letters->atoms = alphabet->atoms;
	norn_map_init(&letters->map, sizeof(uint16_t));
	letters->words = norn_must_alloc(NORN_LETTERS_MAX, sizeof *letters->words);
	letters->classes = norn_must_alloc(NORN_LETTERS_MAX, sizeof *letters->classes);
	if (alphabet->atoms <= NORN_LETTERS_DIRECT)
		letters->direct = norn_must_alloc(UINT64_C(1) << alphabet->atoms, sizeof *letters->direct);
	int r = 0;
	if (!add_cliques(letters, alphabet, 0, alphabet->all)) {
		r = norn_error_set(err, -E2BIG,
		        "the property's %u atoms can hold in more than %u combinations; such a property may have %u atoms that are "
		        "independent of each other",
		        alphabet->atoms, NORN_LETTERS_MAX, NORN_LETTERS_DIRECT);
	} else {
		uint16_t identity[NORN_LETTERS_MAX];
		qsort(letters->words, letters->count, sizeof *letters->words, by_word);
		for (uint32_t i = 0; i < letters->count; i++)
			identity[i] = (uint16_t)i;
		r = norn_letters_classify(letters, identity, letters->count);
	}
	if (r != 0)
		norn_letters_done(letters);
	return r;
}
