/* Random executions with random monitors, and what is true of them, found by making every run one by one. */
#ifndef NORN_TESTS_SCENARIOS_H
#define NORN_TESTS_SCENARIOS_H

#include "computations.h"
#include "lattice/lattice.h"
#include "records.h"

static inline const uint64_t *observed_of(const struct norn_computation *c, uint64_t *places)
{
	for (uint64_t i = 0; i < c->total; i++)
		places[i] = c->payloads[i];
	return places;
}

enum { MONITORS = 3, STATES = 5, LETTERS = 8, EVENTS_MAX = 12 };

struct automaton {
	uint32_t states, atoms;
	uint8_t next[STATES][LETTERS];
	bool violated[STATES], settled[STATES], final[STATES][LETTERS];
	bool ends, knows_settled;
};

struct scenario {
	uint64_t seed;
	struct execution execution;
	struct norn_computation *computation;
	struct automaton automata[MONITORS];
	uint32_t monitors;
	unsigned unknown; /* in how many of 16 letters some atoms are not known */
	unsigned positions; /* how many of 4 events are a monitor's */
	unsigned kinds; /* 0: each event its own */
	uint64_t places[256];
};

static inline uint64_t mixed(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t h = a;
	h = (h ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	h = ((h ^ h >> 29) ^ c) * UINT64_C(0xbf58476d1ce4e5b9);
	h = ((h ^ h >> 32) ^ d) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

static inline uint32_t place_of(const struct scenario *s, struct norn_lattice_event event)
{
	return event.thread == NORN_LATTICE_BEGIN ? 1000 : norn_computation_payload(s->computation, event.thread, event.k);
}

static inline uint32_t write_to(uint32_t valuation, const struct operation *operation)
{
	if (operation->writes < 0)
		return valuation;
	return (valuation & ~(3u << 2 * operation->writes)) | operation->value << 2 * operation->writes;
}

static inline enum norn_lattice_position scenario_letter(
        const struct scenario *s, uint32_t monitor, uint32_t valuation, uint32_t place, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	uint64_t mask = (UINT64_C(1) << s->automata[monitor].atoms) - 1;
	if (mixed(s->seed, monitor, place, 1) % 4 >= s->positions)
		return NORN_LATTICE_NO_POSITION;
	*ret_letter = mixed(s->seed, monitor + 100, valuation, place) & mask;
	*ret_unknown = 0;
	if (mixed(s->seed, monitor + 200, valuation, place) % 16 < s->unknown)
		*ret_unknown = mixed(s->seed, monitor + 300, valuation, place) & mask;
	return mixed(s->seed, monitor + 400, valuation, place) % 32 < s->unknown ? NORN_LATTICE_MAYBE : NORN_LATTICE_POSITION;
}

static inline int model_apply(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	struct scenario *s = context;
	*ret_valuation = write_to(valuation, &s->execution.operations[place_of(s, event)]);
	return 0;
}

static inline enum norn_lattice_position model_letter(void *context, uint32_t monitor, uint32_t before, uint32_t valuation,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	struct scenario *s = context;
	return scenario_letter(s, monitor, valuation, place_of(s, event), ret_letter, ret_unknown);
}

static inline uint64_t kind_at(const struct scenario *s, uint32_t place)
{
	return s->kinds ? place % s->kinds : place;
}

static inline uint64_t model_kind(void *context, uint32_t monitor, struct norn_lattice_event event)
{
	(void)monitor;
	return kind_at(context, place_of(context, event));
}

static inline uint64_t auto_start(const void *context)
{
	(void)context;
	return 0;
}

static inline uint64_t auto_step(const void *context, uint64_t state, uint64_t letter)
{
	return ((const struct automaton *)context)->next[state][letter];
}

static inline bool auto_violated(const void *context, uint64_t state)
{
	return ((const struct automaton *)context)->violated[state];
}

static inline bool auto_settled(const void *context, uint64_t state)
{
	return ((const struct automaton *)context)->settled[state];
}

static inline bool auto_final(const void *context, uint64_t state, uint64_t last)
{
	return ((const struct automaton *)context)->final[state][last];
}

/* Settled: no violated state can be reached, nor one that the end violates. */
static inline void find_settled(struct automaton *a)
{
	bool can[STATES] = {false}, more = true;
	for (uint32_t q = 0; q < a->states; q++) {
		can[q] = a->violated[q];
		for (uint32_t l = 0; l < 1u << a->atoms; l++)
			can[q] |= a->ends && a->final[q][l];
	}
	while (more) {
		more = false;
		for (uint32_t q = 0; q < a->states; q++)
			for (uint32_t l = 0; l < 1u << a->atoms; l++)
				if (!can[q] && can[a->next[q][l]])
					can[q] = more = true;
	}
	for (uint32_t q = 0; q < a->states; q++)
		a->settled[q] = !can[q];
}

static inline void random_automaton(struct automaton *a, uint64_t *random)
{
	*a = (struct automaton){.states = 2 + random_below(random, STATES - 1), .atoms = 1 + random_below(random, 3)};
	unsigned rare = 2 + random_below(random, 4), stay = random_below(random, 4);
	for (uint32_t q = 0; q < a->states; q++) {
		a->violated[q] = q > 0 ? random_below(random, rare) == 0 : random_below(random, 40) == 0;
		for (uint32_t l = 0; l < 1u << a->atoms; l++) {
			a->next[q][l] = random_below(random, 4) < stay ? q : random_below(random, a->states);
			a->final[q][l] = random_below(random, 3) == 0;
		}
	}
	a->ends = random_below(random, 4) == 0;
	a->knows_settled = random_below(random, 2);
	find_settled(a);
}

static inline void random_execution(struct execution *x, uint64_t *random, uint32_t threads, uint32_t events, unsigned conflicts)
{
	uint32_t k[THREADS_MAX] = {0};
	*x = (struct execution){.threads = threads, .count = events, .operations = calloc(events, sizeof *x->operations)};
	for (uint32_t i = 0; i < events; i++) {
		uint32_t thread = i < threads ? i : random_below(random, threads);
		struct operation *o = &x->operations[i];
		*o = (struct operation){.thread = thread, .reads = -1, .writes = -1, .value = random_below(random, 4)};
		if (random_below(random, 8) < conflicts)
			o->reads = (int)random_below(random, VARIABLES);
		if (random_below(random, 8) < conflicts)
			o->writes = (int)random_below(random, VARIABLES);
	}
	for (uint32_t i = events; i-- > 1;) { /* threads begin in any order */
		uint32_t j = random_below(random, i + 1);
		struct operation o = x->operations[i];
		x->operations[i] = x->operations[j];
		x->operations[j] = o;
	}
	for (uint32_t i = 0; i < events; i++)
		x->operations[i].k = k[x->operations[i].thread]++;
	execution_close(x);
}

static inline void scenario_init(struct scenario *s, uint64_t seed, uint32_t threads, uint32_t events, unsigned conflicts)
{
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	for (unsigned i = 0; i < 8; i++)
		random_next(&random);
	memset(s, 0, sizeof *s);
	s->seed = random_next(&random);
	random_execution(&s->execution, &random, threads, events, conflicts);
	s->computation = execution_computation(&s->execution);
	s->monitors = 1 + random_below(&random, MONITORS);
	for (uint32_t m = 0; m < s->monitors; m++)
		random_automaton(&s->automata[m], &random);
	s->unknown = random_below(&random, 2) ? 0 : random_below(&random, 6);
	s->positions = 2 + random_below(&random, 3);
	s->kinds = random_below(&random, 4);
	observed_of(s->computation, s->places);
}

static inline void scenario_done(struct scenario *s)
{
	execution_done(&s->execution);
	norn_computation_free(s->computation);
}

static inline struct norn_lattice_result scenario_search(struct scenario *s, const struct norn_lattice_options *options)
{
	struct norn_stepper steppers[MONITORS];
	struct norn_lattice_result result;
	struct norn_lattice_model model = {.context = s,
	        .apply = model_apply,
	        .letter = model_letter,
	        .kind = model_kind,
	        .observed = s->places,
	        .concurrent = s->seed % 2};
	for (uint32_t m = 0; m < s->monitors; m++)
		steppers[m] = (struct norn_stepper){
		        .context = &s->automata[m],
		        .start = auto_start,
		        .step = auto_step,
		        .violated = auto_violated,
		        .settled = s->automata[m].knows_settled ? auto_settled : NULL,
		        .final = s->automata[m].ends ? auto_final : NULL,
		};
	assert_int_equal(norn_lattice_search(s->computation, &model, steppers, s->monitors, options, &result), 0);
	return result;
}

/* ---- The truth ---- */

/* A run's state for one monitor: which (state, last letter) are possible, and whether some completion has violated. */
struct possible {
	uint64_t live;
	bool bad;
};

static inline struct possible step_naively(
        const struct scenario *s, uint32_t monitor, struct possible p, uint32_t valuation, uint32_t place)
{
	const struct automaton *a = &s->automata[monitor];
	uint64_t letter, unknown;
	enum norn_lattice_position position = scenario_letter(s, monitor, valuation, place, &letter, &unknown);
	struct possible after = {position == NORN_LATTICE_POSITION ? 0 : p.live, p.bad};
	if (position == NORN_LATTICE_NO_POSITION)
		return p;
	for (uint32_t q = 0; q < a->states; q++)
		for (uint32_t last = 0; last < LETTERS; last++)
			for (uint32_t l = 0; l < 1u << a->atoms; l++) {
				if (!(p.live >> (q * LETTERS + last) & 1) || ((l ^ letter) & ~unknown))
					continue;
				if (a->violated[a->next[q][l]])
					after.bad = true;
				else
					after.live |= UINT64_C(1) << (a->next[q][l] * LETTERS + l);
			}
	return after;
}

static inline struct possible start_naively(const struct scenario *s, uint32_t monitor)
{
	struct possible p = {1, false};
	if (s->automata[monitor].violated[0])
		return (struct possible){0, true};
	return step_naively(s, monitor, p, 0, 1000);
}

static inline struct possible end_naively(const struct automaton *a, struct possible p)
{
	if (!a->ends)
		return p;
	for (uint32_t q = 0; q < a->states; q++)
		for (uint32_t last = 0; last < LETTERS; last++)
			if (p.live >> (q * LETTERS + last) & 1 && a->final[q][last]) {
				p.bad = true;
				p.live &= ~(UINT64_C(1) << (q * LETTERS + last));
			}
	return p;
}

#define AT_END UINT64_MAX /* also: at the beginning */
struct truth {
	uint64_t runs, violating[MONITORS], uncertain[MONITORS];
	uint32_t shortest[MONITORS][EVENTS_MAX + 2]; /* per kind, the last two for the beginning and the end; UINT32_MAX: none */
};

struct prefix {
	uint32_t length, valuation;
	bool done[EVENTS_MAX];
	struct possible possible[MONITORS];
};

static inline void note_shortest(uint32_t *shortest, uint32_t length)
{
	if (length < *shortest)
		*shortest = length;
}

static inline void end_of_run(const struct scenario *s, const struct prefix *prefix, struct truth *truth)
{
	truth->runs++;
	for (uint32_t m = 0; m < s->monitors; m++) {
		struct possible p = prefix->possible[m], end = end_naively(&s->automata[m], p);
		truth->violating[m] += end.bad && !end.live;
		truth->uncertain[m] += end.bad && end.live;
		if (p.live && !end.live)
			note_shortest(&truth->shortest[m][EVENTS_MAX + 1], prefix->length);
	}
}

static inline void extend(const struct scenario *s, const struct prefix *prefix, struct truth *truth)
{
	const struct execution *x = &s->execution;
	if (prefix->length == x->count)
		end_of_run(s, prefix, truth);
	for (uint32_t e = 0; e < x->count; e++) {
		struct prefix next = *prefix;
		bool enabled = !prefix->done[e];
		for (uint32_t i = 0; i < x->count; i++)
			enabled &= prefix->done[i] || !x->before[i * x->count + e];
		if (!enabled)
			continue;
		next.done[e] = true;
		next.length++;
		next.valuation = write_to(prefix->valuation, &x->operations[e]);
		for (uint32_t m = 0; m < s->monitors; m++) {
			next.possible[m] = step_naively(s, m, prefix->possible[m], next.valuation, e);
			if (prefix->possible[m].live && !next.possible[m].live)
				note_shortest(&truth->shortest[m][kind_at(s, e)], next.length);
		}
		extend(s, &next, truth);
	}
}

static inline struct truth find_truth(const struct scenario *s)
{
	struct truth truth = {0};
	struct prefix prefix = {0};
	memset(truth.shortest, 0xff, sizeof truth.shortest);
	for (uint32_t m = 0; m < s->monitors; m++) {
		prefix.possible[m] = start_naively(s, m);
		if (!prefix.possible[m].live)
			truth.shortest[m][EVENTS_MAX] = 0;
	}
	extend(s, &prefix, &truth);
	return truth;
}

/* Sets of events that hold the causes of their events. */
static inline uint64_t count_cuts(const struct execution *x, uint64_t *widths)
{
	uint64_t cuts = 0;
	for (uint32_t set = 0; set < 1u << x->count; set++) {
		bool good = true;
		for (uint32_t j = 0; j < x->count && good; j++)
			for (uint32_t i = 0; i < x->count && good; i++)
				good = !(set >> j & 1) || set >> i & 1 || !x->before[i * x->count + j];
		cuts += good;
		widths[__builtin_popcount(set)] += good;
	}
	return cuts;
}

/* The events respect the order, and the monitor violates with the last one (or at the end) and not before. */
static inline void assert_violates(const struct scenario *s, const struct norn_lattice_violation *v)
{
	const struct execution *x = &s->execution;
	const struct automaton *a = &s->automata[v->monitor];
	struct possible p = start_naively(s, v->monitor);
	bool done[256] = {false};
	uint32_t valuation = 0;
	for (uint64_t i = 0; i < v->length; i++) {
		uint32_t e = operation_at(x, v->events[i].thread, v->events[i].k);
		assert_true(p.live);
		assert_false(done[e]);
		for (uint32_t j = 0; j < x->count; j++)
			assert_true(done[j] || !x->before[(size_t)j * x->count + e]);
		done[e] = true;
		valuation = write_to(valuation, &x->operations[e]);
		p = step_naively(s, v->monitor, p, valuation, e);
		if (i + 1 == v->length && !v->at_end)
			assert_int_equal(v->kind, kind_at(s, e));
	}
	if (v->at_end) {
		assert_int_equal(v->length, x->count);
		assert_true(p.live);
		p = end_naively(a, p);
	}
	assert_true(p.bad && !p.live);
}

#endif
