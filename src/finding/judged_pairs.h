/* The judged and the unjudged of a run: pairs of places at which two threads accessed the same variable, at least one of them
 * to write, each with one verdict and the reason for it; and functions that one thread alone ran.
 *
 * Noted only where that is asked for (norn_findings.judged), by the searches that judge (errors/judged_places.h). Pairs are told
 * apart by the variable's name and the files, functions and lines of both places, so that those of several processes and windows
 * are merged: the reason that weighs most holds. So each pair has exactly one verdict, and all verdicts together are the pairs. */
#ifndef NORN_FINDING_JUDGED_PAIRS_H
#define NORN_FINDING_JUDGED_PAIRS_H

#include "base/table.h"
#include "base/vector.h"
#include "causality/dependence_graph.h"
#include "finding/finding.h"
#include "trace/reader.h"

enum norn_pair_verdict {
	NORN_PAIR_IS_PROVED, /* in no order of the run that Norn knows to be possible can both come at once */
	NORN_PAIR_IS_UNJUDGED,
	NORN_PAIR_IS_FOUND, /* it has a finding */
	NORN_PAIR_VERDICTS
};
const char *norn_pair_verdict_name(enum norn_pair_verdict verdict); /* "proved", … */

/* Each is of one verdict; the later, the more it weighs. */
enum norn_pair_reason {
	NORN_PAIR_NONE,
	NORN_PAIR_ATOMIC, /* proved: both accesses are atomic, in all meetings */
	NORN_PAIR_LOCK, /* or under a common lock */
	NORN_PAIR_FORK_JOIN, /* or ordered by forks and joins */
	NORN_PAIR_SEARCHED, /* other orders were searched for, and refuted */
	NORN_PAIR_NOT_ASKED, /* unjudged: only the observed order was asked for */
	NORN_PAIR_INTERRUPTED, /* the user wanted to see what there was */
	NORN_PAIR_TRACE, /* the run was not recorded to its end */
	NORN_PAIR_LOST, /* events are missing */
	NORN_PAIR_HOOKS, /* code of the program has fewer hooks than that takes */
	NORN_PAIR_MEMORY, /* the run was looked at in parts */
	NORN_PAIR_ORDER, /* a rule orders more than the law asks */
	NORN_PAIR_FORGOTTEN, /* accesses of memory that is used at many places were not compared with all others */
	NORN_PAIR_SAMPLED, /* the places met more often than was tried */
	NORN_PAIR_GIVEN_UP, /* a search was given up */
	NORN_PAIR_CALL, /* calls of code without hooks: an error is only suspected, or may be missed */
	NORN_PAIR_REFUSED, /* the checker refused what was predicted */
	NORN_PAIR_FINDING, /* found */
	NORN_PAIR_REASONS
};
const char *norn_pair_reason_name(enum norn_pair_reason reason); /* "common-lock", … */
const char *norn_pair_reason_text(enum norn_pair_reason reason); /* "under a common lock", … */
enum norn_pair_verdict norn_pair_verdict_of(enum norn_pair_reason reason);

struct norn_judged_place {
	const char *file, *function; /* "": not known; NULL: of the second of a pair, it stands for all that came later */
	unsigned line;
};

/* As the second of a pair: it stands for all that came later. */
bool norn_judged_place_is_later(const struct norn_judged_place *place);

struct norn_judged_pair {
	struct norn_judged_place places[2];
	const char *variable; /* "": it has no name */
	const char *finding; /* its id, "" */
	uint64_t meetings; /* how often they met */
	enum norn_pair_reason reason;
};

/* Both places are in headers of the system: inside of what a library keeps for itself. */
bool norn_judged_pair_is_library(const struct norn_judged_pair *pair);

/* A name, and the gravest verdict of the pairs that access it. */
struct norn_judged_variable {
	const char *name;
	bool own; /* a place of the program accesses it; if not: those of a library alone */
	uint32_t pairs[NORN_PAIR_VERDICTS]; /* how many have it */
};
enum norn_pair_verdict norn_judged_variable_verdict(const struct norn_judged_variable *variable);

struct norn_judged_function {
	const char *name, *file;
	uint32_t thread; /* the only one that ran it, if not: several */
	bool several;
};
bool norn_judged_function_is_library(const struct norn_judged_function *function);

struct norn_judged_pairs {
	struct norn_table by_name; /* of pairs: variable and places */
	NORN_VECTOR(struct norn_judged_pair) list;
	struct norn_table by_function;
	NORN_VECTOR(struct norn_judged_function) functions; /* all that ran */
	uint32_t totals[NORN_PAIR_VERDICTS];
	NORN_VECTOR(struct norn_judged_variable) variables; /* norn_judged_pairs_sum: gravest first */
	uint32_t alone; /* the same: of the functions the first so many, by name, are those that one thread alone ran */
};

/* From now on it is noted. */
void norn_judged_pairs_begin(struct norn_findings *findings);
void norn_judged_pairs_free(struct norn_judged_pairs *judged);

/* Variable and places of two accesses; the second may be 0. */
void norn_judged_pair_name(const struct norn_trace *trace, const struct norn_graph *graph, const uint32_t events[2],
        struct norn_findings *findings, struct norn_judged_pair *ret_pair);
/* One more, or more of one; its texts live as long as the findings. Nothing if it is not asked for. */
void norn_judged_pairs_add(struct norn_findings *findings, const struct norn_judged_pair *pair);
/* The functions of this graph's events. */
void norn_judged_pairs_ran(struct norn_findings *findings, const struct norn_trace *trace, const struct norn_graph *graph);
/* Takes back what was proved, for this reason: not all of the run was looked at. */
void norn_judged_pairs_doubt(struct norn_findings *findings, enum norn_pair_reason reason);
/* Those of another process or run, which must live as long. */
void norn_judged_pairs_merge(struct norn_findings *into, const struct norn_judged_pairs *from);
/* When all is there: sorts it, the most important first, and sums it up. */
void norn_judged_pairs_sum(struct norn_findings *findings);

#endif
