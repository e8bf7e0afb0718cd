/* JSON, read value by value: enough to get a few fields out of a file that Norn wrote, and to refuse any other.
 *
 * Whatever makes no sense sets bad; from then on there is nothing more to be read. */
#ifndef NORN_JOBS_RESULTS_JSON_READER_H
#define NORN_JOBS_RESULTS_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>

struct norn_json {
	const char *at, *end;
	bool bad;
};

/* Begins an object ('{') or an array ('['); false: it is none, which is bad. */
bool norn_json_enter(struct norn_json *json, char bracket);
/* The next member of the object that was entered, its name in name (cut off if it is longer): the value is to be read or skipped.
 * False: that was the last. *first begins as true. */
bool norn_json_member(struct norn_json *json, bool *first, char *name, size_t room);
bool norn_json_item(struct norn_json *json, bool *first); /* the same of an array */
/* A string, to be freed; NULL: it is none, which is bad. */
char *norn_json_string(struct norn_json *json);
void norn_json_skip(struct norn_json *json); /* any value */
bool norn_json_at_end(struct norn_json *json); /* nothing follows */

#endif
