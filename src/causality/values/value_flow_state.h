/* The inside of the flow of values (value_flow.h), for the files that it is made of: site_plans.c (the facts of sites, unpacked),
 * late_reads.c, value_flow.c (nodes, frames, accesses and calls). */
#ifndef NORN_CAUSALITY_VALUE_FLOW_STATE_H
#define NORN_CAUSALITY_VALUE_FLOW_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vector.h"
#include "causality/values/value_flow.h"

#define SITE_PAGE 1024u
#define UNION_CACHE 4096u
#define ALIKE 1024u

/* The sources of a value, as items of facts. */
struct flow_sources {
	const uint32_t *items;
	uint32_t count;
};

struct argument {
	uint32_t number;
	struct flow_sources sources;
};

/* A site, and its facts unpacked. */
struct norn_site_plan {
	struct norn_graph_site site;
	uint32_t number;
	bool facts; /* it has some */
	bool decides, masked;
	bool own; /* READ of errno: all that may have set it decides */
	bool ignored; /* CALL: a try or timed wait, and its result decides nothing */
	struct flow_sources tests; /* READ, CALL: decides no more than these, or as a pointer; none: it does */
	struct flow_sources yields; /* ENTER */
	struct flow_sources makes; /* WRITE, RMW */
	uint32_t waits; /* READ: for so many sites after it it decides nothing */
	bool later; /* READ, CALL: otherwise than by assertions it decides only after one */
	struct flow_sources later_parameters; /* ENTER: numbers of those that do so */
	bool loose; /* READ, CALL: decides no more than assertions, and: */
	struct flow_sources loose_tests; /* ENTER: numbers of the parameters that decide only by assertions */
	struct flow_sources asserts, branches;
	bool doubts; /* READ, RMW, CALL: assertions that are not told go by it */
	struct flow_sources doubted_parameters; /* ENTER: numbers of those that such assertions go by */
	bool pointer; /* READ, CALL: decides as a pointer */
	struct flow_sources pointers; /* ENTER: parameters that do */
	struct flow_sources address; /* accesses: what the address is made of */
	struct argument *passes; /* CALL: what arguments are made of, if they are pointers */
	uint32_t pass_count;
	struct argument *gives; /* CALL: arguments as expressions (facts.h), from how many sources these have */
	uint32_t give_count;
	const uint32_t *composed; /* the expression that was made last of one of its assertions, and what calls have given */
	uint32_t composed_count;
	uint32_t frame[2]; /* bytes accessed, and to the end of the local variable of its own frame; 0: it is none */
	bool numeric; /* the value read, or the result of the call, is used as a number */
	uint32_t slot; /* 1 + place in the frames of its function, 0: it has not happened yet */
	uint32_t slots; /* ENTER: how many sites of this function have happened */
	struct flow_sources value; /* ENTER: of the result */
	struct flow_sources parameters, numbers; /* ENTER: numbers of those that decide, and that are used as numbers */
	struct argument *arguments; /* CALL */
	uint32_t argument_count, argument_end; /* end: 1 + the highest number */
	struct flow_sources control; /* READ, WRITE */
	struct flow_sources place; /* READ, WRITE, RMW, CMPXCHG, COPY, SET, CALL */
	struct norn_graph_range *masks; /* READ, RMW */
	uint32_t mask_count;
	unsigned skips; /* READ with masks: 1 + the outcome for which it skips what it controls; 0: there is none */
};

struct flow_slot {
	uint32_t latest, all;
	uint32_t read; /* the latest read, or the one that the latest result was made of; 0: not known */
	const struct norn_site_plan *yields; /* of a result: the function that made it */
	uint32_t origin, origin_all; /* of the latest, of all (below), if it happened */
	bool happened;
};

struct flow_parameter {
	uint32_t node, origin;
	uint32_t pointer; /* the read that it is an address of, 0: none */
};

struct flow_frame {
	const struct norn_site_plan *function;
	const struct norn_site_plan *call; /* of the frame below; NULL: the caller is not known */
	uint32_t enter;
	uint32_t slots, slot_count; /* in the thread's slots */
	uint32_t parameters, parameter_count; /* in the thread's parameters, those that are not there are constants */
	bool anything; /* the parameters may come from all that was read before: */
	uint32_t everything;
	uint32_t argument; /* the same, of the thread's first frame: origin of its argument */
	bool carried; /* it began before the events that are known */
	bool outermost; /* what its thread was created to run, called by nothing else */
};

/* A read whose thread has not come to what it decides, as long as its frame passes no other sites than these. */
struct flow_wait {
	uint32_t read, depth; /* of its frame */
	uint32_t function, first, last; /* sites: of the ENTER; after the first, up to the last */
};

struct flow_thread {
	struct flow_frame *frames;
	uint32_t depth, frame_room;
	struct flow_slot *slots;
	uint32_t slot_used, slot_room;
	struct flow_parameter *parameters;
	uint32_t argument; /* origin of what it was created with, 0: not known */
	bool created; /* by a call that says what it runs, and nothing else has begun to run in it */
	bool returned; /* its outermost function has, and no other thread has taken its result: */
	uint32_t result, result_origin;
	uint32_t parameter_used, parameter_room;
	uint32_t begin; /* an event before all its reads, 0: none yet */
	uint32_t marked, numbered; /* all reads up to this event decide; are used as numbers */
	uint32_t doubted; /* the same: assertions that are not told go by them */
	uint32_t free; /* its last read that did not decide, as far as was known then */
	uint32_t everything, everything_free; /* a node for all it had read when that one was the last */
	uint32_t copied; /* node of what the last copy has read so far */
	uint32_t last; /* its last range: for records that go on where the last one ended */
	NORN_VECTOR(struct flow_wait) waits;
};

struct called_tests {
	const struct norn_site_plan *function, *call;
	uint32_t next; /* 1 + index, 0: none */
};

struct flow_condition {
	uint32_t number, next;
};

struct norn_value_flow {
	norn_graph_lookup *lookup;
	void *context;
	struct norn_arena arena;
	struct norn_site_plan ***pages; /* of SITE_PAGE plans each */
	uint32_t page_count;
	struct norn_site_plan *alike[ALIKE]; /* plans that several sites have */
	uint64_t *bare; /* a bit per site of which there is a plan, which says nothing */
	uint32_t bare_room; /* in words */
	bool says; /* some plan says something */
	bool weak; /* some site is atomic, with another memory order than seq_cst */
	struct flow_thread *threads;
	uint32_t thread_count;
	struct norn_value_flow_pair *pairs;
	uint32_t pair_count, pair_room;
	/* Tests that reads have from calls whose result they are: each refers to the next one of the same read, from 1. */
	NORN_VECTOR(struct called_tests) called_tests;
	NORN_VECTOR(struct norn_graph_assertion) assertions;
	uint32_t branch_count; /* of those that are branches */
	struct norn_numbers doubts; /* events that read what assertions go by which cannot be evaluated */
	/* Which of them a read is in: each refers to the next one of the same read, from 1. */
	NORN_VECTOR(struct flow_condition) conditions;
	struct norn_map condition_of; /* read → its last one, 1 + index */
	NORN_VECTOR(struct norn_graph_dereference) dereferences;
	struct norn_map pointers; /* word → struct held_pointer (pointer_origins.c) */
	uint32_t now; /* the event that is being added */
	NORN_VECTOR(struct norn_graph_decision) decisions; /* of late reads, by event */
	struct norn_map decision_of; /* late read → the event that finds it decided */
	struct norn_map free_until; /* read → event: up to the assertions after that it decides nothing but assertions */
	struct norn_map called; /* read → its last one, 1 + index */
	uint8_t *marked; /* per pair: flags that its reads have */
	struct norn_numbers stack;
	struct {
		uint32_t a, b, node;
	} cache[UNION_CACHE];
};

static inline struct norn_site_plan *norn_site_plan_known(const struct norn_value_flow *flow, uint32_t site)
{
	uint32_t page = site / SITE_PAGE;
	return page < flow->page_count && flow->pages[page] ? flow->pages[page][site % SITE_PAGE] : NULL;
}

/* site_plans.c. The plan of a site, made; it lasts as long as the flow. */
struct norn_site_plan *norn_site_plan_make(struct norn_value_flow *flow, uint32_t site);
static inline struct norn_site_plan *norn_site_plan_get(struct norn_value_flow *flow, uint32_t site)
{
	struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	return plan ? plan : norn_site_plan_make(flow, site);
}

static inline bool norn_site_plan_is_bare(const struct norn_value_flow *flow, uint32_t site)
{
	return site / 64 < flow->bare_room && flow->bare[site / 64] >> site % 64 & 1;
}

/* May it come before an assertion, or a branch that is told as one? */
static inline bool norn_site_plan_asserts(const struct norn_site_plan *plan)
{
	return plan->asserts.count || plan->branches.count;
}

/* value_flow.c. The sources of a value of the innermost frame, at event number. */
uint32_t norn_value_flow_resolve(struct norn_value_flow *flow, struct flow_thread *t, const struct norn_site_plan *plan,
        const struct flow_sources *sources, uint32_t number);
struct flow_thread *norn_value_flow_thread(struct norn_value_flow *flow, uint32_t thread); /* made, if it is new */
/* The slot of a site in the innermost frame, whose function it is in. */
struct flow_slot *norn_value_flow_slot(struct norn_value_flow *flow, struct flow_thread *t, struct norn_site_plan *plan);

/* As a flag of reads that a node comes from: see norn_assertions_doubt. */
#define NORN_FLOW_DOUBTED 2u
/* Every read that node comes from gets these flags. */
void norn_value_flow_mark(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t node, unsigned flags);

/* late_reads.c. The read, at this site of the innermost frame, decides nothing for some sites. */
void norn_late_reads_wait(struct flow_thread *t, const struct norn_site_plan *plan, uint32_t read, uint32_t site);
/* It turns out that the read decides, by the event that is being added at the latest. */
void norn_late_reads_decide(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t read);

/* asserted_values.c. An assertion that cannot be evaluated goes by what this event read. */
void norn_assertions_doubt(struct norn_value_flow *flow, uint32_t event);
/* The assertions and branches that come right after this event, by the facts of a site of the innermost frame's
 * function. */
void norn_assertions_note(struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t,
        struct norn_site_plan *plan, uint32_t number);
/* A parameter of the innermost frame that decides only by assertions, which can be evaluated: so do the reads that it is made of.
 * False: they decide. */
bool norn_assertions_give(
        struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t, uint32_t parameter);

/* This read decides, but nothing before an assertion that says so. False: it has decided already. */
bool norn_assertions_later(struct norn_graph_event *events, uint32_t read);
/* The same of a parameter that decides otherwise, too, but not before an assertion of the function that says so. */
bool norn_assertions_give_later(
        struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t, uint32_t parameter);

/* pointer_origins.c. The *origin* of a value is the allocation whose block it points into. */
#define NORN_ORIGIN_UNKNOWN 0u
#define NORN_ORIGIN_NUMBER UINT32_MAX /* it is no pointer */
uint32_t norn_origin_join(uint32_t a, uint32_t b);
/* Of a value of the innermost frame; of what this event read. */
uint32_t norn_origin_of(struct norn_value_flow *flow, const struct flow_thread *t, const struct norn_site_plan *plan,
        const struct flow_sources *sources);
uint32_t norn_origin_read(const struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t read);
/* Takes note of what it writes. */
void norn_origin_write(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t write,
        const struct flow_thread *t, const struct norn_site_plan *plan);
/* An ALLOC; false: who gets its address is not known. */
bool norn_origin_allocated(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t number);
/* A value of this origin decides, is used as a number, or both (flags). */
void norn_origin_used(struct norn_graph_event *events, uint32_t origin, unsigned flags);

/* May the call at this site have entered this function? */
bool norn_site_plan_fits(const struct norn_site_plan *call, const struct norn_site_plan *enter);

#endif
