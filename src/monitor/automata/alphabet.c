/* Asking for letters: apart from finding them, so that a watched program carries no more than it needs. */
#include <stdlib.h>
#include <string.h>

#include "monitor/automata/letters.h"

bool norn_alphabet_has(const struct norn_alphabet *alphabet, uint64_t word)
{
	if (word == 0)
		return alphabet->empty;
	if (word & ~alphabet->all)
		return false;
	for (uint64_t rest = word; rest != 0; rest &= rest - 1)
		if (word & ~alphabet->together[__builtin_ctzll(rest)])
			return false;
	return true;
}

void norn_letters_done(struct norn_letters *letters)
{
	free(letters->words);
	free(letters->classes);
	free(letters->direct);
	norn_map_done(&letters->map);
	memset(letters, 0, sizeof *letters);
}

int norn_letters_classify(struct norn_letters *letters, const uint16_t *classes, uint32_t class_count)
{
	letters->class_count = class_count;
	memmove(letters->classes, classes, letters->count * sizeof *classes); /* they may be the same */
	if (letters->direct) {
		memset(letters->direct, 0xff, (sizeof *letters->direct) << letters->atoms);
		for (uint32_t i = 0; i < letters->count; i++)
			letters->direct[letters->words[i]] = classes[i];
		return 0;
	}
	for (uint32_t i = 0; i < letters->count; i++) {
		void *value;
		int r = norn_map_put(&letters->map, letters->words[i], &value);
		if (r != 0)
			return r;
		memcpy(value, &classes[i], sizeof classes[i]);
	}
	return 0;
}

uint16_t norn_letters_search(const struct norn_letters *letters, uint64_t word)
{
	uint16_t class = NORN_LETTER_NONE;
	const void *value = norn_map_get(&letters->map, word);
	if (value)
		memcpy(&class, value, sizeof class);
	return class;
}
