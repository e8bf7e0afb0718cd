/* The synchronizing actions that would make a good scope for a property (what the opportunistic paper leaves for later, section
 * 3.2, remark 1).
 *
 * A run shows what threads synchronize by: acquisitions of locks, calls, notes, joins. Each sort of them is a candidate, and so are
 * the property's own events all together, which make a region of each. They are tried on the run:
 *   - its actions are totally ordered by happens-before (relevant_happens_before.h);
 *   - every event of the property happened after the action that begins its region and before the one that ends it;
 *   - its actions are no events of the property, or all that matter to each other: an action is in the region that it begins, so
 *     that its order with what comes after it would be lost, whether or not this run has such a region;
 *   - no region has two events, of different threads, whose order the property cares about. Of a formula, an expression or an
 *     automaton these are events that do not commute in its monitor; of a scope, events of different locals.
 * Of a nested scope all that is asked of each thread that acts and of those that it made, by themselves. The best are those for
 * which all that holds, with the fewest regions: the wider regions are, the less monitoring costs. A verdict comes the later for
 * it, which is told. */
#ifndef NORN_SCOPE_SCOPE_SUGGESTION_H
#define NORN_SCOPE_SCOPE_SUGGESTION_H

#include "base/arena.h"
#include "property/property.h"
#include "trace/reader.h"

enum norn_suggestion_kind { NORN_SUGGEST_LOCK, NORN_SUGGEST_JOIN, NORN_SUGGEST_NOTE, NORN_SUGGEST_CALL, NORN_SUGGEST_OWN };

/* Two events, as people read them: "rd of thread main/2 (rw.c:33)". */
struct norn_suggestion_pair {
	uint64_t count; /* how many such there are; 0: none, and no texts */
	const char *first, *second;
};

struct norn_suggestion {
	enum norn_suggestion_kind kind;
	const char *name; /* of its subject, as properties spell it */
	const char *declared; /* the file's own event that is just this; NULL: none */
	uint64_t actions;
	uint64_t regions; /* with events in them */
	uint64_t widest;
	double width, delay; /* on average: events of a region; seconds from an event to the action that tells the verdict */
	struct norn_suggestion_pair unordered; /* actions */
	struct norn_suggestion_pair loose; /* events and actions */
	struct norn_suggestion_pair mixed; /* regions: events whose order matters, in one */
	const char *begins,
	        *after; /* its actions are this event of the property, and the order with that event, which begins no region,
	                               is lost: both would be in one; NULL: it is not so */
	bool fits;
};

/* The subject of the property, or scope, in this run. */
struct norn_suggested_event {
	const char *name, *type; /* declared event; thread type of the file that all its threads are of, or NULL */
	const char *started; /* else the function that they were started with, "" if they differ */
	uint64_t count;
};

struct norn_suggestions {
	struct norn_arena arena;
	const char *subject; /* name of the property or scope */
	bool is_scope, nested, trusted; /* as the scope has it */
	struct norn_suggestion *list; /* the best first */
	uint32_t count;
	struct norn_suggested_event *events;
	uint32_t event_count;
	struct norn_suggestion_pair
	        racing; /* events whose order matters to the property, and nothing orders them: no scope helps */
};

/* subject: name of a property with a monitor, or of a scope. Fails with a sentence if there is none. */
int norn_suggest(const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace, const char *subject,
        struct norn_suggestions *ret_suggestions, struct norn_error *err);
void norn_suggestions_done(struct norn_suggestions *suggestions);

#endif
