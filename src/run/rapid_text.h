/* RAPID's text as a run: line after line becomes events (rapid.h says how), without a trace file between.
 *
 * Threads, variables, locks and locations are numbered in the order in which they appear; numbers and sites stay the same when the
 * text is read again. The text is mapped where that is possible, and what was read is given back: it takes no memory but for names,
 * and sites. Memory: 24 to 48 bytes per name, 20 per variable, 30 to 60 per site. */
#ifndef NORN_RUN_RAPID_TEXT_H
#define NORN_RUN_RAPID_TEXT_H

#include <stdio.h>

#include "base/error.h"
#include "trace/event.h"

enum norn_rapid_op {
	NORN_RAPID_READ,
	NORN_RAPID_WRITE,
	NORN_RAPID_ACQUIRE,
	NORN_RAPID_RELEASE,
	NORN_RAPID_FORK,
	NORN_RAPID_JOIN,
	NORN_RAPID_BEGIN,
	NORN_RAPID_END,
	NORN_RAPID_OPS
};
#define NORN_RAPID_TRANSACTION 1u /* number of the name of all atomic blocks */
extern const char *const norn_rapid_op_names[NORN_RAPID_OPS];

/* The meaning of a site: names are those of a variable, a lock or a thread, by the operation. */
struct norn_rapid_site {
	enum norn_rapid_op op;
	const char *name, *location;
	uint32_t name_number, location_number;
};

struct norn_rapid_thread {
	const char *name; /* without T, if that is T and a number */
	uint32_t parent, ordinal; /* NORN_NO_THREAD, 0: not forked */
};

struct norn_rapid_text;

/* Reads from the beginning to the end, as often as wanted; the file may be closed then. name: for messages. */
int norn_rapid_text_new(FILE *from, const char *name, struct norn_rapid_text **ret_text, struct norn_error *err);
void norn_rapid_text_free(struct norn_rapid_text *text);

/* The next event: 1, 0 at the end. time is the number of the line's event, the same for all events that one line becomes. -EINVAL
 * and err has the line. */
int norn_rapid_text_next(struct norn_rapid_text *text, struct norn_event *ret_event, struct norn_error *err);
void norn_rapid_text_rest(
        struct norn_rapid_text *text); /* gives back memory that is only for going on; it can go on all the same */
void norn_rapid_text_rewind(struct norn_rapid_text *text);

const char *norn_rapid_text_name(const struct norn_rapid_text *text); /* of the file */
uint64_t norn_rapid_text_bytes(const struct norn_rapid_text *text); /* of the whole text */
uint64_t norn_rapid_text_read(const struct norn_rapid_text *text); /* of it that were read */
uint64_t norn_rapid_text_events(const struct norn_rapid_text *text); /* lines that became events, so far */
uint64_t norn_rapid_text_reentrant(const struct norn_rapid_text *text); /* left out: see rapid.h */
uint64_t norn_rapid_text_forked_again(const struct norn_rapid_text *text); /* the same */

/* As far as it was read. Sites are numbered from NORN_SITE_FIRST on. */
uint32_t norn_rapid_text_threads(const struct norn_rapid_text *text);
void norn_rapid_text_thread(const struct norn_rapid_text *text, uint32_t thread, struct norn_rapid_thread *ret_thread);
uint32_t norn_rapid_text_sites(const struct norn_rapid_text *text);
void norn_rapid_text_site(const struct norn_rapid_text *text, uint32_t site, struct norn_rapid_site *ret_site);
bool norn_rapid_text_is_line(const char *location); /* a location that is a plain number is a line */

#endif
