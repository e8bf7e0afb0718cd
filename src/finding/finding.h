/* Findings: what is wrong with the run, or could be, ready to be shown.
 *
 * A finding is made of texts: showing it needs neither the trace nor the property. Findings of the same kind at the same
 * place are one, with a count. The order is that in which they were found, which is the same for the same trace and properties. The
 * set owns all texts. */
#ifndef NORN_FINDING_FINDING_H
#define NORN_FINDING_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "finding/verdict.h"

struct norn_decl;
struct norn_sources;

enum norn_finding_kind {
	NORN_FINDING_RACE,
	NORN_FINDING_DEADLOCK,
	NORN_FINDING_ATOMICITY,
	NORN_FINDING_USE_AFTER_FREE,
	NORN_FINDING_PROPERTY,
	NORN_FINDING_LIVENESS,
	NORN_FINDING_CRASH,
	NORN_FINDING_ASSERTION,
	NORN_FINDING_KINDS
};
const char *norn_finding_kind_name(enum norn_finding_kind kind); /* "race", … */

/* One event, as people read it. All texts are "" if there is nothing to say, never NULL. */
struct norn_step_text {
	const char *thread; /* path */
	const char *thread_name; /* given by the program */
	const char *event; /* "write", "call", … */
	const char *what; /* variable, or declared event with its arguments */
	const char *before, *after; /* values; after is that of the event */
	const char *file, *function; /* of a call or return: where it is called from, if that is known */
	const char *called; /* of a call or return: the function; NULL or "": unknown, or none */
	unsigned line;
	uint64_t number; /* in the observed order; 0: the start of the run */
};

struct norn_named_value {
	const char *name, *value;
};

/* What a thread of a built-in error is doing there. Frames: who called, from the inside out, without the place itself, and at last
 * who created the thread; event says which: "called", "called back" (through code without hooks: only the function is known, and
 * file and line are where it begins) or "created". */
struct norn_side {
	const struct norn_step_text *frames, *locks; /* locks held: what is the lock's name, event how it was taken, and where */
	uint32_t frame_count, lock_count;
};

/* What a suspected error rests on: this function, which has no hooks, does not synchronise, and does not touch the memory in
 * question, when it is called there. */
struct norn_assumption {
	const char *function; /* "": it was called through a pointer */
	const char *file;
	unsigned line;
	const char *model; /* a line for --model by which it would be settled; "" */
};

struct norn_finding {
	enum norn_finding_kind kind;
	const char *id; /* the same in every run that has this finding */
	const char *identity; /* of built-in errors: what the id is made of; NULL: not known */
	/* status: observed, predicted, or (liveness) potential: what was not recorded might end the loop; suspected: it rests on
	 * assumptions; confirmed: the program itself was made to do it */
	const char *property, *variable, *status, *causality, *message;
	const char *key; /* of the instance: "c = 0x55…" */
	const char *definition_file, *definition; /* the property as it is written */
	unsigned definition_line;
	uint32_t part, part_length; /* of the definition: the part that failed, as bytes; length 0: not known */
	uint64_t part_number; /* the step where it failed, as the step's number */
	const char *outcome; /* what happened, in words: "violated", "violated at the end of the run" */
	const char *extent; /* of a prediction: how many runs violate the property */
	const char *actions; /* what the property would do about it inside the program */
	bool acted; /* and did: the program was watched */
	const struct norn_step_text *where;
	const struct norn_side *sides; /* of built-in errors: one for each of where; else NULL */
	uint32_t where_count;
	const struct norn_step_text *witness;
	uint32_t witness_count;
	uint32_t loop; /* LIVENESS: the first step of the witness that is repeated */
	const uint32_t *
	        /* under sliced causality: all events of the predicted run after the first run_base observed ones; NULL: not
	         * known */
	        run;
	uint32_t run_base, run_count;
	const struct norn_step_text *missed; /* observed before the last step, but not yet in this run; NULL: none */
	uint64_t witness_cut; /* steps that came before those, and were not kept */
	const struct norn_named_value *values; /* after the last step */
	uint32_t value_count;
	const struct norn_named_value *atoms; /* the property's atoms there: yes, no, unknown */
	uint32_t atom_count;
	const char *const *knowledge; /* MTTL: sentences, who knew what that led to this, and how it came here */
	uint32_t knowledge_count;
	uint64_t count; /* how often */
	uint32_t processes; /* in so many of them, where several were judged; 0: that was not asked */
	/* Built-in errors; NULL or none otherwise. */
	const char *atomic; /* ATOMICITY: the block or function that is broken, "" if that is a guess */
	const char *block; /* where the memory comes from, "" if that is no block */
	const char *advice; /* what might be done about it */
	const char *ending; /* what the last steps come to, as a sentence; NULL: what errors of this kind come to */
	const char *suppression; /* a line for norn.supp */
	const struct norn_assumption *assumptions;
	uint32_t assumption_count;
	const char *const *swaps; /* sentences: which regions come in another order than the one that was seen */
	uint32_t swap_count;
	bool sourceless; /* lines are not those of a source file (RAPID's locations) */
	uint32_t stop_count; /* the last so many steps of the witness are the error itself */
	/* What came of re-enactment: sentences; and, if it came true, the command that brings it about again, else "". NULL: it was
	 * not tried. */
	const char *const *enacted;
	uint32_t enacted_count, enacted_tries;
	const char *replay;
	bool own_error; /* it did not come true for a reason that the prediction should have known */
	bool doubted; /* it was violated in the merged order, which may not be the one that happened */
};

struct norn_findings {
	struct norn_arena arena;
	struct norn_finding *list;
	uint32_t count, room;
	const char **notes; /* sentences: what is worth knowing beside the findings, and what handlers reported */
	uint32_t note_count, note_room;
	struct norn_reason *reasons; /* why not all was judged, by weight; none: it was */
	uint32_t reason_count, reason_room;
	struct norn_finding_stats {
		uint64_t events, relevant, lost, cuts;
		uint64_t refused; /* predictions that the checker did not accept: Norn's own errors */
		uint32_t own_errors; /* findings that did not come true for a reason that their prediction should have known */
		uint32_t threads, processes;
		bool complete; /* there is no reason why not (verdict.h) */
		bool loops_cut; /* the search for loops, which is apart from this, was cut short */
		double seconds;
		uint64_t memory; /* most bytes that the process had, 0: not known */
	} stats;
};

void norn_findings_init(struct norn_findings *findings);
void norn_findings_done(struct norn_findings *findings);
/* A finding of this id, if there is one. */
struct norn_finding *norn_findings_get(struct norn_findings *findings, const char *id);
/* A copy of it, with the same texts. NULL: out of memory. */
struct norn_finding *norn_findings_add(struct norn_findings *findings, const struct norn_finding *finding);
/* Adds those of another process, or run: the same ones are counted. from must live as long as into, which points to its texts. */
void norn_findings_merge(struct norn_findings *into, const struct norn_findings *from);
int norn_findings_note(struct norn_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts those that are only suspected after all others. */
void norn_findings_suspected_last(struct norn_findings *findings);
/* Text in the arena; "" if memory is short. */
/* The finding's definition: the text of a declaration in the sources. Nothing if either is NULL. */
void norn_finding_define(struct norn_finding *finding, const struct norn_sources *sources, const struct norn_decl *decl,
        struct norn_findings *findings);
const char *norn_findings_text(struct norn_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
