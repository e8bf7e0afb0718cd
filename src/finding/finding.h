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
#include "finding/completeness.h"

struct norn_decl;
struct norn_lattice_picture;
struct norn_judged_pairs;
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
	NORN_FINDING_DOUBLE_FREE,
	NORN_FINDING_USE_AFTER_RETURN,
	NORN_FINDING_NULL,
	NORN_FINDING_KINDS
};
const char *norn_finding_kind_name(enum norn_finding_kind kind); /* "race", … */

/* The consequence of a race, as far as the recorded run tells. */
enum norn_consequence_kind {
	NORN_CONSEQUENCE_UNKNOWN, /* in ascending order of severity */
	NORN_CONSEQUENCE_NOTHING, /* both orders leave, or show, the same */
	NORN_CONSEQUENCE_VALUE, /* another value is read, or left */
	NORN_CONSEQUENCE_DECISION, /* and a test of it has another result */
	NORN_CONSEQUENCE_LOST_UPDATE, /* a write comes between another thread's read and its write that is made of what was read */
	NORN_CONSEQUENCE_ASSERTION, /* another value is read, and the assertion fails */
};
const char *norn_consequence_name(enum norn_consequence_kind kind); /* "lost-update", … */

/* Whether a baseline has a finding. */
enum norn_baseline { NORN_BASELINE_NONE /* there is no baseline */, NORN_BASELINE_NEW, NORN_BASELINE_KNOWN };

/* One event, as people read it. All texts are "" if there is nothing to say, never NULL. */
struct norn_step_text {
	const char *thread; /* path */
	const char *thread_name; /* given by the program */
	const char *event; /* "write", "call", … */
	const char *what; /* variable, or declared event with its arguments */
	const char *before, *after; /* values; after is that of the event */
	const char *recorded; /* NULL, or what it was in the recorded run: in the order that is shown it may be another */
	const char *file, *function; /* of a call or return: where it is called from, if that is known */
	const char *called; /* of a call or return: the function; NULL or "": unknown, or none */
	unsigned line;
	uint64_t number; /* in the observed order; 0: the start of the run */
};

struct norn_named_value {
	const char *name, *value;
};

/* Two steps of a witness, by their places in it: first had to come before second, which is another thread's. */
struct norn_step_pair {
	uint32_t first, second;
};

/* The operation of a thread in a built-in error. Frames: the callers, from the inside out, without the place itself, and at last
 * the creator of the thread; event says which: "called", "called back" (through code without hooks: only the function is known, and
 * file and line are where it begins) or "created". */
struct norn_side {
	const struct norn_step_text *frames, *locks; /* locks held: what is the lock's name, event how it was taken, and where */
	uint32_t frame_count, lock_count;
};

/* The assumption of a suspected error: this function, which has no hooks, does not synchronise, and does not touch the memory in
 * question, when it is called there. */
struct norn_assumption {
	const char *function; /* "": it was called through a pointer; or inline assembly */
	const char *file;
	unsigned line;
	const char *model; /* a line for --model by which it would be settled; "": it has no name */
	/* NULL, or the thread that ran this function as a job: then it is assumed that another thread of its pool may run it at
	 * that time */
	const char *job;
};

/* The function as it is printed: a name, and what stands behind it. */
static inline const char *norn_assumption_name(const struct norn_assumption *a)
{
	return *a->function ? a->function : "a function called through a pointer";
}

static inline const char *norn_assumption_brackets(const struct norn_assumption *a)
{
	return *a->model ? "()" : "";
}

/* A process that a finding is of. */
struct norn_finding_process {
	uint32_t pid;
	const char *trace; /* its path */
	const char *command, *directory; /* what it was begun with, and where; "": not known */
};

/* A part of an expression that fails. */
struct norn_operand {
	const char *name, *recorded, *predicted; /* a variable, and its value in the run and in the schedule */
	const char *writer; /* of the latter: "main/1 at x.c:12"; "": none that is known */
	bool changed;
};

/* Lines of a function. */
struct norn_fix_place {
	const char *file, *function;
	unsigned first, last;
};

/* Of a property, where all runs that violate it were asked for: another one that does so at the same place. */
struct norn_other_run {
	const struct norn_step_text *witness;
	uint32_t witness_count;
};

struct norn_finding {
	enum norn_finding_kind kind;
	const char *id; /* the same in every run that has this finding */
	const char *fingerprint; /* the same when lines have moved (fingerprint.h); NULL: it has none so far */
	const char *identity; /* of built-in errors: what the id is made of; NULL: not known */
	/* status: observed, predicted, or (liveness) potential: what was not recorded might end the loop; suspected: it rests on
	 * assumptions; confirmed: the program itself was made to do it */
	const char *property, *variable, *status, *causality, *message;
	const char *key; /* of the instance: "c = 0x55…" */
	const char *definition_file, *definition; /* the property as it is written */
	unsigned definition_line;
	uint32_t part, part_length; /* of the definition: the part that failed, as bytes; length 0: not known */
	uint64_t part_number; /* the step where it failed, as the step's number */
	const char *outcome; /* in words: "violated", "violated at the end of the run" */
	const char *extent; /* of a prediction: how many runs violate the property */
	const char *actions; /* of the property, were it judged inside the program */
	bool acted; /* and did: the program was watched */
	uint64_t fault; /* NULL: the address that would be accessed, */
	uint64_t fault_bytes; /* or one of so many from there on */
	bool by_function; /* ASSERTION: a function that the user names says that it failed, and may return then */
	const struct norn_step_text *where;
	const struct norn_side *sides; /* of built-in errors: one for each of where; else NULL */
	uint32_t where_count;
	/* Other places of the same cause: one place of where accesses a whole object, the other and these access parts of it. */
	const struct norn_step_text *also;
	uint32_t also_count, also_room;
	const struct norn_step_text *witness;
	uint32_t witness_count;
	const struct norn_step_pair *must; /* of built-in errors: the order across threads; some pairs, not all */
	uint32_t must_count;
	uint32_t loop; /* LIVENESS: the first step of the witness that is repeated */
	/* under sliced causality: all events of the predicted run after the first run_base observed ones; NULL: not known */
	const uint32_t *run;
	uint32_t run_base, run_count;
	const struct norn_step_text *missed; /* observed before the last step, but not yet in this run; NULL: none */
	uint64_t witness_cut; /* steps that came before those, and were not kept */
	const struct norn_other_run *others;
	uint32_t other_count;
	const struct norn_named_value *values; /* after the last step */
	uint32_t value_count;
	const struct norn_named_value *atoms; /* the property's atoms there: yes, no, unknown */
	uint32_t atom_count;
	const char *const *knowledge; /* MTTL: sentences, the knowledge that led to this, and how it came here */
	uint32_t knowledge_count;
	uint64_t count; /* how often */
	const uint32_t *variables; /* RACE: numbers of variables that properties name, on whose memory it comes about */
	uint32_t variable_count;
	uint32_t processes; /* in so many of them, where several were judged; 0: that was not asked */
	struct norn_finding_process *in; /* these, in the order in which they were judged; none where only one was */
	uint32_t in_count, in_room;
	/* Built-in errors; NULL or none otherwise. */
	const char *atomic; /* ATOMICITY: the block or function that is broken, "" if that is a guess */
	const char *block; /* the origin of the memory, "" if that is no block */
	const char *advice; /* a way to correct it */
	const char *fix; /* one that was put into the recorded run, where the finding is gone then; NULL: none is known */
	const struct norn_fix_place *fix_places; /* where a lock is held */
	uint32_t fix_place_count;
	const char *ending; /* the outcome of the last steps, as a sentence; NULL: that of errors of this kind */
	const char *consequence; /* RACE: what it leads to, as a sentence; NULL: that is not known */
	enum norn_consequence_kind consequence_kind;
	const char *before_set; /* RACE: a sentence: the memory may be used before it is set; NULL: that is not known */
	const char *suppression; /* a line for norn.supp */
	const struct norn_assumption *assumptions;
	uint32_t assumption_count;
	const struct norn_operand *operands; /* ASSERTION that is predicted */
	uint32_t operand_count;
	const char *const *swaps; /* sentences: which regions come in another order than the one that was seen */
	uint32_t swap_count;
	const char *order; /* a sentence: which of two came first when recorded, and that it need not; NULL: nothing to say */
	bool sourceless; /* lines are not those of a source file (RAPID's locations) */
	/* a deadlock in which all threads that have not ended wait: its identity is made of the places at which they do */
	bool all_stopped;
	uint32_t stop_count; /* the last so many steps of the witness are the error itself */
	/* The result of replay: sentences; and, if it was reproduced, the command that reproduces it, else "". NULL: it was
	 * not tried. */
	const char *const *replayed;
	uint32_t replayed_count, replay_tries;
	const char *replay;
	const char *aftermath; /* what became of the program after it had done it, as a sentence; NULL: not known */
	const char *aftermath_kind; /* "crash", "assertion", "status" (another one), "hang", "none"; NULL with it */
	enum norn_baseline baseline;
	bool own_error; /* replay failed for a reason that the prediction should have taken into account */
	const struct norn_lattice_picture *lattice; /* PROPERTY: the small lattice that it was found in; NULL: none is kept */
	bool doubted; /* it was violated in the merged order, which may not be the one that happened */
};

/* A source file: the name that findings have, and its path. */
struct norn_source_path {
	const char *file, *path;
};

struct norn_findings {
	struct norn_arena arena;
	struct norn_finding *list;
	uint32_t count, room;
	const char *command; /* that started the program; NULL: not known */
	struct norn_finding_process process; /* that was judged; its texts are NULL if it is none: a text, or a sum */
	struct norn_source_path *paths;
	uint32_t path_count, path_room;
	const char **notes; /* sentences: what is worth knowing beside the findings, and what handlers reported */
	uint32_t note_count, note_room;
	struct norn_reason *reasons; /* why not all was judged, by weight; none: it was */
	uint32_t reason_count, reason_room;
	struct norn_judged_pairs *judged; /* what was judged and what was not (judged_pairs.h); NULL: that was not asked for */
	struct norn_finding_stats {
		uint64_t events, relevant, lost, cuts;
		uint64_t refused; /* predictions that the checker did not accept: Norn's own errors */
		uint32_t own_errors; /* findings that did not come true for a reason that their prediction should have known */
		uint32_t threads, processes;
		uint32_t left_out; /* findings of which no harm is known, which were not to be shown */
		bool lost_unknown; /* lost is what is known of; how much more there was is not */
		bool complete; /* there is no reason why not (completeness.h) */
		bool loops_cut; /* the search for loops, which is apart from this, was cut short */
		double seconds;
		/* Of the largest part of a run that a property was searched in under sliced causality: its events, and the steps
		 * that slicing left of them. 0: there was none. */
		uint64_t slice_events, slice_steps;
		uint64_t memory; /* most bytes that the process had, 0: not known */
	} stats;
};

void norn_findings_init(struct norn_findings *findings);
void norn_findings_done(struct norn_findings *findings);

/* An observed finding of this kind: its texts are empty, those of built-in errors NULL. */
struct norn_finding norn_finding_new(enum norn_finding_kind kind);
struct norn_finding norn_finding_of_property(struct norn_findings *findings, const char *id, const char *property);

/* A place of the finding as its reader knows it: if it lies in a library's header (std::string), the first caller that does not. */
struct norn_step_text norn_finding_own_where(const struct norn_finding *finding, uint32_t where);

/* A finding of this id, if there is one. */
struct norn_finding *norn_findings_get(struct norn_findings *findings, const char *id);
/* A copy of it, with the same texts. */
struct norn_finding *norn_findings_add(struct norn_findings *findings, const struct norn_finding *finding);
/* Adds those of another process, or run: the same ones are counted. Each is told the processes that it is of (in) if from has one.
 * from must live as long as into, which points to its texts. */
void norn_findings_merge(struct norn_findings *into, const struct norn_findings *from);
void norn_findings_note(struct norn_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The path of a source file, the name itself if it is not known; and one that is. Of a name with two paths none is known. */
const char *norn_findings_path(const struct norn_findings *findings, const char *file);
void norn_findings_add_path(struct norn_findings *findings, const char *file, const char *path);
/* The finding's definition: the text of a declaration in the sources. Nothing if either is NULL. */
void norn_finding_define(struct norn_finding *finding, const struct norn_sources *sources, const struct norn_decl *decl,
        struct norn_findings *findings);
/* Text in the arena; "" if memory is short. */
const char *norn_findings_text(struct norn_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
