#include "base/text/nearest_word.h"

#include <string.h>

/* Edit distance (insert, delete, replace), over words short enough for one row on the stack. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[64];
	size_t length = strlen(b);
	if (length >= 64)
		return 64;
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; *a; i++, a++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			unsigned best = diagonal + (*a != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length];
}

const char *norn_nearest(const char *word, unsigned count, const char *(*name_of)(const void *, unsigned), const void *names)
{
	const char *nearest = NULL;
	unsigned least = strlen(word) / 3 + 2; /* further than this is another word, not a slip */
	for (unsigned i = 0; i < count; i++) {
		const char *name = name_of(names, i);
		unsigned d = distance(word, name);
		if (d < least) {
			least = d;
			nearest = name;
		}
	}
	return nearest;
}
