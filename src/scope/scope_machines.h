/* A scope, ready to run: the monitors of its locals and checks, and what makes a scope state of them (opportunistic monitoring,
 * section 3.2).
 *
 * Immutable once made, so that threads may share it. It points into the spec, which must live longer. */
#ifndef NORN_SCOPE_SCOPE_MACHINES_H
#define NORN_SCOPE_SCOPE_MACHINES_H

#include "monitor/monitor.h"

#define NORN_SCOPE_LOCALS_MAX 64u
#define NORN_SCOPE_ATOMS_MAX 64u
#define NORN_SCOPE_TALLIES_MAX 64u
#define NORN_SCOPE_FIRSTS 4u

struct norn_scope_machines_local {
	struct norn_monitor *monitor;
	uint64_t type; /* bit of the thread type */
	uint64_t start; /* state of a region's first event, unless it is kept */
	uint64_t sync; /* letter of a synchronizing action; 0: the local does not speak of them */
	struct norn_scope_machines_first {
		uint64_t state;
		enum norn_verdict verdict;
	} first[NORN_SCOPE_FIRSTS]; /* by letter: after a region's first event, unless it is kept */
	bool keep;
	bool idle; /* a thread that had no event counts as true: the verdict on the empty trace is true */
	bool idle_false; /* it is false */
};

struct norn_scope_machines {
	const struct norn_scope *scope;
	struct norn_scope_machines_local *locals;
	struct norn_monitor **checks;
	uint64_t types; /* thread types that locals or sizes speak of */
	/* All actions are acquisitions of one variable's lock: as long as that is one exclusive lock, it keeps them in order. */
	bool one_lock;
};

/* Fails with a sentence if a monitor is too large, or if there are more locals, atoms or tallies than the maximum. */
int norn_scope_machines_new(const struct norn_spec *spec, const struct norn_scope *scope, struct norn_scope_machines **ret_offline,
        struct norn_error *err);
void norn_scope_machines_free(struct norn_scope_machines *scoping);

/* The inside of making one: after the local's monitor, or all else, is there. */
void norn_scope_machines_local(struct norn_scope_machines *scoping, uint32_t local);
void norn_scope_machines_finish(struct norn_scope_machines *scoping);

/* The counts of a region: per tally of the scope. */
struct norn_scope_state {
	uint64_t atoms; /* a bit for each that holds */
	uint64_t unknown; /* those that cannot be computed (overflow, division by zero) */
};
struct norn_scope_state norn_scope_machines_state(const struct norn_scope_machines *scoping, const uint64_t *counts);
/* The letter that a state is to one of the checks. */
uint64_t norn_scope_machines_letter(const struct norn_scope_machines *scoping, uint32_t check, uint64_t atoms);

/* True if a verdict counts for all, some, none and count. */
static inline bool norn_verdict_counts(enum norn_verdict verdict)
{
	return verdict == NORN_VERDICT_TRUE || verdict == NORN_VERDICT_MATCH;
}

#endif
