/* Claims of an engine about a recorded run, judged by running the program: is this what would happen? */
#ifndef NORN_ORACLE_JUDGE_H
#define NORN_ORACLE_JUDGE_H

#include <stdio.h>

#include "explore.h"
#include "witness/sliced_witness.h"
#include "record.h"

enum judgement {
	JUDGED_TRUE,
	JUDGED_REFUSED, /* it would happen, but the checker refuses the claim */
	JUDGED_DIVERGES, /* an event of the sequence does not happen */
	JUDGED_ELSEWHERE, /* a thread does not stand before its stop */
	JUDGED_HARMLESS, /* they stand there, but that is no such error */
	JUDGED_UNREACHED, /* it happened, but the explorer did not see it: a bug of the oracle */
	JUDGED_ACCEPTED, /* the checker takes something that does not happen */
	JUDGED_DETAILS, /* it happens, but what is said beside it is wrong: observed or not, which bytes */
	JUDGEMENTS
};

struct judgement_details {
	char message[600];
	unsigned at; /* DIVERGES: place in the sequence */
	bool refused; /* by the checker */
	bool unjudged; /* TRUE up to a malloc for which the machine has no block left */
};

struct trial {
	const struct code *code;
	const struct recording *recording;
	const struct flow *flow; /* NULL: nothing is known, everything is listed */
	const struct reachable *reachable, *along; /* along the recorded branches */
	struct norn_sliced_checker *checker;
};

enum judgement judge(const struct trial *trial, const struct norn_sliced_claim *claim, struct judgement_details *ret_details);
/* The event happens, after whatever its thread may do before that is not listed: accesses that are controlled. False if it does
 * not. */
/* Lets the event's thread, which has just done it, do what is not listed before its next event of the claim, which is looked for
 * from this place on. */
void judge_come_on(
        const struct trial *trial, const struct norn_sliced_claim *claim, uint32_t from, uint32_t event, struct state *state);
bool judge_replay(const struct trial *trial, uint32_t event, struct state *state);
/* The run alone, without the checker: TRUE, DIVERGES, ELSEWHERE or HARMLESS. What is not listed happens as late, and as early, as
 * it can. A run that the machine's memory does not suffice for is not judged: TRUE. */
enum judgement judge_run(const struct trial *trial, const struct norn_sliced_claim *claim, struct judgement_details *ret_details);

const char *judgement_name(enum judgement judgement);
const char *claim_name(enum norn_sliced_kind kind);
void claim_print(FILE *out, const struct trial *trial, const struct norn_sliced_claim *claim);

/* Is the error that is claimed among those seen? */
bool claim_among(const struct trial *trial, const struct norn_sliced_claim *claim, const struct reachable *seen);
/* Adds it there. */
void claim_note(const struct trial *trial, const struct norn_sliced_claim *claim, struct reachable *seen);

#endif
