/* The nearest existing word, for messages that suggest one. */
#ifndef NORN_BASE_NEAREST_WORD_H
#define NORN_BASE_NEAREST_WORD_H

/* The name of names (count of them, by way of name_of) that is nearest to word, or NULL if none is near. */
const char *norn_nearest(const char *word, unsigned count, const char *(*name_of)(const void *, unsigned), const void *names);

#endif
