/* The verdict on a run: *complete* only if nothing stood in the way of judging it, otherwise *partial*, with the reasons.
 *
 * Code that leaves something unjudged says so here, and nowhere else: what it was, how often, and what the user can do about it.
 * There is no other way for a result to be partial. Reasons are kept in the order of their weight, which is that of their kinds. */
#ifndef NORN_FINDING_COMPLETENESS_H
#define NORN_FINDING_COMPLETENESS_H

#include <stdbool.h>
#include <stdint.h>

struct norn_findings;

enum norn_reason_kind {
	NORN_REASON_INTERRUPTED, /* the user wanted to see what there was */
	NORN_REASON_PROCESS, /* a process of the program was not judged */
	NORN_REASON_TRACE, /* the run was not recorded to its end, or what came of it makes no sense */
	NORN_REASON_LOST, /* events are missing */
	NORN_REASON_REFUSED, /* the checker refused what was predicted: an error of Norn's */
	NORN_REASON_HOOKS, /* code without hooks, or with fewer than a judgement needs */
	NORN_REASON_CALL, /* only a call of code without hooks keeps an error from being predicted */
	NORN_REASON_PROPERTY, /* a property was not judged, or not for sure */
	NORN_REASON_MEMORY, /* the run was not looked at as a whole, or a search ended, for lack of memory */
	NORN_REASON_LIMIT, /* a search was ended by an option that bounds it */
	NORN_REASON_ORDER, /* a rule orders more than the law asks */
	NORN_REASONS
};
const char *norn_reason_name(enum norn_reason_kind kind); /* "process", … */

struct norn_reason {
	enum norn_reason_kind kind;
	uint64_t count; /* how often */
	const char *what; /* a sentence: what was not judged, with an example of where */
	const char *remedy; /* advice; "": nothing can be done */
};

/* The result is partial, for this reason, count times. The same words count as the same reason. remedy lives as long as the
 * findings (a literal, or norn_findings_text). */
void norn_findings_partial(struct norn_findings *findings, enum norn_reason_kind kind, uint64_t count, const char *remedy,
        const char *format, ...) __attribute__((format(printf, 5, 6)));

/* stats.lost events are missing, and all of so many threads; nothing is said if there are none. */
void norn_findings_lost(struct norn_findings *findings, uint64_t threads);
/* How many events were lost, before that word. */
#define NORN_LOST_TEXT 40u
void norn_findings_lost_text(const struct norn_findings *findings, char to[NORN_LOST_TEXT]);
#define NORN_REMEDY_LOST "record it again: norn record says why events are missing"

/* A search met a rule that orders more than the law asks (causality/rules.h), and so is not complete. */
void norn_findings_inexact(struct norn_findings *findings, const char *rule);

/* The reason as one sentence, with its remedy. To be freed. */
char *norn_reason_sentence(const struct norn_reason *reason);

/* Findings that are more than suspected, and that no baseline has: they are what exit status 1 speaks of. */
uint32_t norn_findings_sure(const struct norn_findings *findings);

/* Errors that rest on assumptions leave the verdict open: says which. */
void norn_findings_say_suspected(struct norn_findings *findings);

#endif
