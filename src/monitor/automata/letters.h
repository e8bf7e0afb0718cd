/* The alphabet of a property: which sets of its atoms can hold at one position.
 *
 * A predicate goes with everything; two event atoms only if one event can be both. So the letters are the cliques of a graph, the
 * empty one included (nothing holds), rather than all 2^n sets. An automaton's steps take letters by number; letters between which
 * the automaton does not distinguish share a class. */
#ifndef NORN_MONITOR_LETTERS_H
#define NORN_MONITOR_LETTERS_H

#include "base/map.h"
#include "monitor/monitor.h"

#define NORN_LETTERS_MAX 4096u
#define NORN_LETTERS_DIRECT 12u /* up to this many atoms, a class is found by one load */
#define NORN_LETTER_NONE UINT16_MAX

/* The atoms that go together. */
struct norn_alphabet {
	uint64_t together[NORN_ATOMS_MAX]; /* per atom: those that may hold with it; itself too */
	uint64_t all; /* every atom */
	uint32_t atoms;
	bool empty; /* the empty set is a letter */
};

void norn_alphabet_init(struct norn_alphabet *alphabet, const struct norn_spec *spec, const struct norn_property *property,
        const struct norn_monitor_options *options);
bool norn_alphabet_has(const struct norn_alphabet *alphabet, uint64_t word);

struct norn_letters {
	uint64_t *words; /* ascending */
	uint16_t *classes; /* per letter */
	uint32_t count, class_count;
	uint32_t atoms;
	uint16_t *direct; /* class of a word; NULL beyond NORN_LETTERS_DIRECT atoms */
	struct norn_map map; /* the same for more atoms */
};

/* At first every letter is a class of its own. -E2BIG: too many letters. */
int norn_letters_init(struct norn_letters *letters, const struct norn_alphabet *alphabet, struct norn_error *err);
void norn_letters_done(struct norn_letters *letters);
/* classes: per letter, numbered from 0 without gaps. */
int norn_letters_classify(struct norn_letters *letters, const uint16_t *classes, uint32_t class_count);
/* The class of a set of atoms, NORN_LETTER_NONE if it is no letter. */
uint16_t norn_letters_search(const struct norn_letters *letters, uint64_t word);

static inline uint16_t norn_letters_class(const struct norn_letters *letters, uint64_t word)
{
	if (!letters->direct)
		return norn_letters_search(letters, word);
	return word >> letters->atoms ? NORN_LETTER_NONE : letters->direct[word];
}

#endif
