#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "parts.h"
#include "property.h"
#include "random.h"
#include "text.h"
#include "trace/record.h"

struct run {
	struct trial trial;
	const struct run_options *options;
	struct outcome *outcome;
	struct tally *tally;
	const struct norn_graph *graph;
	bool bare;
	struct random random;
};

static void fail(const char *what)
{
	fprintf(stderr, "oracle: %s\n", what);
	exit(2);
}

/* A site of which everything is known but the flow of values. */
static void lookup_without_facts(void *context, uint32_t site, struct norn_graph_site *ret_site)
{
	flow_lookup(context, site, ret_site);
	ret_site->facts = (struct norn_facts){NULL, NULL};
}

static struct norn_graph *slice_of(const struct recording *recording, struct flow *flow, bool no_facts)
{
	struct norn_graph_builder *builder = norn_graph_builder_new(no_facts ? lookup_without_facts : flow_lookup, flow, NULL);
	norn_graph_initial_memory(builder, flow_initial_word, flow);
	for (unsigned i = 0; i < recording->count; i++)
		if (norn_graph_add(builder, &recording->events[i]) < 0)
			fail("the slice refuses an event");
	struct norn_graph *graph = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	return graph;
}

static void set_reason(struct run *run, enum norn_sliced_kind kind, enum judgement judgement, const char *message)
{
	char *to = run->outcome->reason;
	snprintf(to, sizeof(run->outcome->reason), "%s: %s: %s", claim_name(kind), judgement_name(judgement), message);
	for (const char *from = to; *from; from++)
		if (*from < '0' || *from > '9')
			*to++ = *from;
	*to = 0;
}

/* ---- what the checker takes must happen ---- */

static void blame(struct run *run, const struct norn_sliced_claim *claim, enum judgement judgement, unsigned at, const char *what)
{
	FILE *out = run->options->out;
	if (out && run->outcome->worst == JUDGED_TRUE) {
		claim_print(out, &run->trial, claim);
		fprintf(out, "=> the checker takes %s: %s (event %u)\n", what, judgement_name(judgement), at);
	}
	if (run->outcome->worst != JUDGED_ACCEPTED)
		set_reason(run, claim->kind, judgement, "accepted by the checker");
	run->outcome->worst = JUDGED_ACCEPTED;
}

static void count_unjudged(struct run *run)
{
	if (run->tally)
		run->tally->unjudged++;
}

/* One small change: an event left out, moved, or added; a stop moved. */
static void change_claim(struct run *run, struct norn_sliced_claim *claim, uint32_t *events, uint32_t *stops)
{
	uint32_t i = claim->count ? random_below(&run->random, claim->count) : 0, moved;
	switch (claim->count ? random_below(&run->random, 4) : 3) {
	case 0:
		memmove(events + i, events + i + 1, (claim->count - i - 1) * sizeof(*events));
		claim->count--;
		break;
	case 1:
		moved = events[i];
		memmove(events + i, events + i + 1, (claim->count - i - 1) * sizeof(*events));
		i = random_below(&run->random, claim->count);
		memmove(events + i + 1, events + i, (claim->count - i - 1) * sizeof(*events));
		events[i] = moved;
		break;
	case 2:
		claim->count -= random_below(&run->random, claim->count);
		break;
	default:
		i = random_below(&run->random, claim->stop_count);
		moved = norn_graph_event(run->graph, stops[i])->next;
		if (moved && random_below(&run->random, 2) && claim->count < EVENTS) {
			events[claim->count++] = stops[i];
			stops[i] = moved;
		} else {
			stops[i] = 1 + random_below(&run->random, run->trial.recording->count);
		}
	}
}

static void try_change(struct run *run, const struct norn_sliced_claim *claim)
{
	uint32_t events[EVENTS + 2], stops[8];
	struct norn_sliced_claim changed = *claim;
	struct judgement_details details;
	if (claim->stop_count > 8 || claim->count > EVENTS)
		return;
	for (uint32_t i = 0; i < claim->count; i++)
		events[i] = claim->events[i];
	memcpy(stops, claim->stops, claim->stop_count * sizeof(*stops));
	changed.events = events;
	changed.stops = stops;
	change_claim(run, &changed, events, stops);
	bool accepted = norn_sliced_check(run->trial.checker, &changed, NULL) == 0;
	if (run->tally) {
		run->tally->changed++;
		run->tally->changed_accepted += accepted;
	}
	enum judgement judgement = accepted ? judge_run(&run->trial, &changed, &details) : JUDGED_TRUE;
	if (judgement != JUDGED_TRUE)
		blame(run, &changed, judgement, details.at, "a changed claim");
	else if (accepted && details.unjudged)
		count_unjudged(run);
}

/* From somewhere in the recorded run on, any thread goes on that may, as the checker sees it. */
static void walk(struct run *run)
{
	const struct recording *recording = run->trial.recording;
	uint32_t events[EVENTS + 2], next[THREADS] = {0}, refused = 0;
	struct norn_sliced_claim claim = {.base = random_below(&run->random, recording->count + 1), .events = events};
	struct state state;
	state_start(run->trial.code, &state);
	for (uint32_t t = 0; t < norn_graph_threads(run->graph); t++)
		next[t] = norn_graph_first(run->graph, t);
	for (uint32_t i = 1; i <= claim.base; i++) {
		replay(run->trial.code, recording, i - 1, &state);
		next[norn_graph_event(run->graph, i)->thread] = norn_graph_event(run->graph, i)->next;
	}
	while (refused < 12 && claim.count < 60) {
		uint32_t thread = random_below(&run->random, THREADS);
		if (!next[thread]) {
			refused++;
			continue;
		}
		events[claim.count++] = next[thread];
		if (norn_sliced_check_sequence(run->trial.checker, &claim, NULL) < 0) {
			claim.count--;
			refused++;
			/* Perhaps it may happen or not, and what follows it is taken. */
			if (norn_graph_control(run->graph, next[thread]) && random_below(&run->random, 2))
				next[thread] = norn_graph_event(run->graph, next[thread])->next;
			continue;
		}
		if (!judge_replay(&run->trial, next[thread], &state)) {
			if (lacks_memory(run->trial.code, &state, &recording->events[next[thread] - 1]))
				count_unjudged(run);
			else
				blame(run, &claim, JUDGED_DIVERGES, next[thread], "a sequence");
			return;
		}
		next[thread] = norn_graph_event(run->graph, next[thread])->next;
		if (run->tally)
			run->tally->walked++;
	}
}

/* Is what is said beside the claim true? */
static bool details_true(const struct run *run, const struct norn_sliced_claim *claim, const struct norn_predicted *predicted)
{
	if (predicted->observed && claim->count)
		return false;
	for (unsigned i = 0; i < 2 && claim->kind == NORN_SLICED_RACE; i++) {
		uint32_t number = i < claim->stop_count ? claim->stops[i] : claim->first;
		const struct norn_event *e = &run->trial.recording->events[number - 1];
		if (!predicted->size || predicted->addr < e->addr || predicted->addr + predicted->size > e->addr + e->size)
			return false;
	}
	return predicted->pairs > 0 || claim->kind != NORN_SLICED_RACE;
}

static void on_claim(void *context, const struct norn_sliced_claim *claim, const struct norn_predicted *predicted)
{
	struct run *run = context;
	struct judgement_details details;
	enum judgement judgement = judge(&run->trial, claim, &details);
	if (judgement == JUDGED_TRUE && predicted && !details_true(run, claim, predicted))
		judgement = JUDGED_DETAILS;
	if (run->tally) {
		run->tally->claims++;
		run->tally->refused += details.refused;
	}
	if (details.unjudged)
		count_unjudged(run);
	for (unsigned i = 0; i < 3 && run->options->walk; i++)
		try_change(run, claim);
	if (judgement == JUDGED_TRUE)
		claim_note(&run->trial, claim, run->bare ? &run->outcome->closed : &run->outcome->found);
	FILE *out = run->options->out;
	if (out && (run->options->verbose || (judgement != JUDGED_TRUE && run->outcome->worst == JUDGED_TRUE))) {
		claim_print(out, &run->trial, claim);
		fprintf(out, "=> %s (event %u); the checker says: %s\n", judgement_name(judgement), details.at,
		        details.refused ? details.message : "good");
	}
	if (judgement != JUDGED_TRUE && (run->outcome->worst == JUDGED_TRUE || run->outcome->worst == JUDGED_REFUSED)) {
		set_reason(run, claim->kind, judgement, details.message);
		run->outcome->worst = judgement;
	}
}

/* What could be seen in the recorded run itself. */
static void observe(const struct code *code, const struct recording *recording, struct reachable *ret_seen)
{
	struct state state;
	memset(ret_seen, 0, sizeof(*ret_seen));
	state_start(code, &state);
	for (unsigned i = 0; i < recording->count; i++) {
		explore_state(code, &state, ret_seen);
		replay(code, recording, i, &state);
	}
	explore_state(code, &state, ret_seen);
}

/* Happens-before: program order, forks and joins, every object of synchronization passed on as recorded. Races that it leaves
 * unordered. */
static void happens_before(const struct recording *recording, struct reachable *ret_seen)
{
	unsigned clocks[EVENTS + 2][THREADS] = {{0}}, threads[THREADS][THREADS] = {{0}}, ends[THREADS][THREADS] = {{0}};
	struct {
		uint64_t addr;
		unsigned clock[THREADS];
	} objects[16] = {{0}};
	memset(ret_seen, 0, sizeof(*ret_seen));
	for (unsigned i = 0; i < recording->count; i++) {
		const struct norn_event *e = &recording->events[i];
		unsigned *own = threads[e->thread], o = 0;
		own[e->thread]++;
		if (e->kind == NORN_EVENT_SYNC) {
			while (objects[o].addr && objects[o].addr != e->addr && o < 15)
				o++;
			objects[o].addr = e->addr;
			for (unsigned t = 0; t < THREADS; t++)
				objects[o].clock[t] = own[t] = own[t] > objects[o].clock[t] ? own[t] : objects[o].clock[t];
		} else if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK) {
			memcpy(threads[e->value], own, sizeof(threads[0]));
		} else if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN) {
			for (unsigned t = 0; t < THREADS; t++)
				own[t] = own[t] > ends[e->value][t] ? own[t] : ends[e->value][t];
		}
		memcpy(clocks[i], own, sizeof(clocks[0]));
		memcpy(ends[e->thread], own, sizeof(ends[0]));
		if (e->kind > NORN_EVENT_RMW)
			continue;
		unsigned a = statement_of_site(e->site);
		for (unsigned j = 0; j < i; j++) {
			const struct norn_event *d = &recording->events[j];
			if (d->kind <= NORN_EVENT_RMW && d->thread != e->thread && own[d->thread] < clocks[j][d->thread] &&
			        d->addr < e->addr + e->size && e->addr < d->addr + d->size)
				ret_seen->race[a][statement_of_site(d->site)] = ret_seen->race[statement_of_site(d->site)][a] =
				        true;
		}
	}
}

/* One error: is it reachable, by whom was it found? */
static void count_error(
        struct tally *tally, enum norn_sliced_kind kind, bool covered, bool along, bool found, bool closed, bool observed)
{
	tally->reachable[kind]++;
	tally->covered[kind] += covered;
	tally->along[kind] += along;
	tally->found[kind] += found;
	tally->found_along[kind] += found && along;
	tally->closed[kind] += closed;
	tally->observed[kind] += observed;
}

static bool either(const bool seen[STATEMENTS][STATEMENTS], unsigned i, unsigned j)
{
	return seen[i][j] || seen[j][i];
}

static void count_pairs(const struct trial *trial, const struct outcome *out, const struct reachable *observed,
        const struct reachable *unordered, const bool *ran, struct tally *tally)
{
	const struct reachable *all = trial->reachable, *along = trial->along;
	for (unsigned i = 0; i < STATEMENTS; i++)
		for (unsigned j = 0; j < STATEMENTS; j++) {
			bool covered = ran[i] && ran[j];
			if (all->race[i][j] && i <= j) {
				count_error(tally, NORN_SLICED_RACE, covered, along->race[i][j], out->found.race[i][j],
				        out->closed.race[i][j], observed->race[i][j]);
				tally->unordered[NORN_SLICED_RACE] += unordered->race[i][j];
			}
			if ((along->order[i][j] || along->race[i][j]) && i <= j && trial->code->weak) {
				tally->orders_along++;
				tally->orders_found += out->found.race[i][j];
			}
			tally->unmaps_along += along->use_after_free[i][j] && trial->code->program->maps;
			tally->unmaps_found +=
			        along->use_after_free[i][j] && trial->code->program->maps && out->found.use_after_free[i][j];
			if (all->use_after_free[i][j])
				count_error(tally, NORN_SLICED_USE_AFTER_FREE, covered, along->use_after_free[i][j],
				        out->found.use_after_free[i][j], out->closed.use_after_free[i][j],
				        observed->use_after_free[i][j]);
			/* The two frees of one error may come in either order. */
			if (i <= j && either(all->double_free, i, j))
				count_error(tally, NORN_SLICED_DOUBLE_FREE, covered, either(along->double_free, i, j),
				        either(out->found.double_free, i, j), either(out->closed.double_free, i, j),
				        either(observed->double_free, i, j));
		}
}

/* Those that the run did not fail itself. Without all facts an assertion is a branch. */
static void count_assertions(
        const struct trial *trial, const struct outcome *out, const struct reachable *observed, struct tally *tally)
{
	bool quiet = true; /* there is no call after which memory is not known (X6) */
	for (unsigned i = 0; i < trial->recording->count; i++) {
		const struct norn_event *e = &trial->recording->events[i];
		unsigned kind = trial->code->program->statements[statement_of_site(e->site)].kind;
		quiet &= e->kind != NORN_EVENT_THREAD || (kind != S_RAND && kind != S_OPAQUE);
	}
	for (unsigned i = 0; i < STATEMENTS && trial->flow && !trial->flow->weaken; i++) {
		if (!trial->reachable->assertion[i] || observed->assertion[i])
			continue;
		bool along = trial->along->assertion[i], stated = along && trial->flow->stated[i] && quiet;
		count_error(tally, NORN_SLICED_ASSERTION, along, along, out->found.assertion[i], false, false);
		tally->stated_along += stated;
		tally->stated_found += stated && out->found.assertion[i];
	}
}

static bool all_ran(const struct statements *set, const bool *ran)
{
	for (unsigned i = 0; i < STATEMENTS; i++)
		if ((set->bits[i / 64] >> i % 64 & 1) && !ran[i])
			return false;
	return true;
}

static bool deadlock_in(const struct reachable *seen, const struct statements *set)
{
	for (unsigned i = 0; i < seen->deadlock_count; i++)
		if (!memcmp(&seen->deadlocks[i], set, sizeof(*set)))
			return true;
	return false;
}

/* Can S17 be said of the run: are semaphores and barriers known from their beginnings on, and is there no unknown code? */
static bool is_known(const struct recording *recording)
{
	bool semaphore = false, barrier = false;
	for (unsigned i = 0; i < recording->count; i++) {
		const struct norn_event *e = &recording->events[i];
		if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL)
			return false;
		if (e->kind != NORN_EVENT_SYNC)
			continue;
		semaphore |= e->op == NORN_SYNC_SEM_INIT;
		barrier |= e->op == NORN_SYNC_BARRIER_INIT;
		if ((!semaphore && e->op >= NORN_SYNC_SEM_POST && e->op <= NORN_SYNC_SEM_TRY_FAILED) ||
		        (!barrier && (e->op == NORN_SYNC_BARRIER_ARRIVE || e->op == NORN_SYNC_BARRIER_LEAVE)))
			return false;
	}
	return true;
}

static void count_sets(const struct trial *trial, const struct outcome *out, const struct reachable *observed, const bool *ran,
        struct tally *tally)
{
	count_assertions(trial, out, observed, tally);
	const struct reachable *all = trial->reachable, *along = trial->along;
	for (unsigned i = 0; i < all->deadlock_count; i++) {
		const struct statements *d = &all->deadlocks[i];
		count_error(tally, NORN_SLICED_DEADLOCK, all_ran(d, ran), deadlock_in(along, d), deadlock_in(&out->found, d),
		        deadlock_in(&out->closed, d), deadlock_in(observed, d));
	}
	bool known = is_known(trial->recording);
	for (unsigned i = 0; i < STATEMENTS && known; i++) {
		tally->stuck_along += along->stuck[i];
		tally->stuck_found += along->stuck[i] && out->found.stuck[i];
	}
	for (unsigned i = 0; i < all->deadlock_count && known; i++) {
		bool reachable = deadlock_in(along, &all->deadlocks[i]);
		tally->circles_along += reachable;
		tally->circles_found += reachable && deadlock_in(&out->found, &all->deadlocks[i]);
	}
	for (unsigned i = 0; i < STATEMENTS; i++)
		if (all->broken[i])
			count_error(tally, NORN_SLICED_ATOMICITY, i == 0 || ran[i], along->broken[i], out->found.broken[i],
			        out->closed.broken[i], observed->broken[i]);
}

static void count(const struct run *run, struct tally *tally)
{
	static struct reachable observed, unordered;
	const struct recording *recording = run->trial.recording;
	bool ran[STATEMENTS] = {false};
	for (unsigned i = 0; i < recording->count; i++)
		if (recording->events[i].site)
			ran[statement_of_site(recording->events[i].site)] = true;
	tally->programs++;
	tally->states += run->trial.reachable->states;
	tally->events += recording->count;
	if (!run->trial.reachable->complete || !run->trial.along->complete) {
		tally->incomplete++;
		return;
	}
	observe(run->trial.code, recording, &observed);
	happens_before(recording, &unordered);
	count_pairs(&run->trial, run->outcome, &observed, &unordered, ran, tally);
	count_sets(&run->trial, run->outcome, &observed, ran, tally);
}

/* Guessed blocks: the explorer does not know them. */
static void infer(struct run *run, const struct engine_options *engine)
{
	static struct outcome other;
	static const struct reachable unknown;
	if (run->options->walk % 4)
		return;
	struct run guess = *run;
	struct engine_options options = *engine;
	memset(&other, 0, sizeof(other));
	guess.outcome = &other;
	guess.trial.reachable = &unknown;
	options.infer = true;
	if (engine_builtin(run->graph, &options, on_claim, &guess) < 0)
		fail("the engine fails");
	/* Guesses that the checker refuses are only a pity. */
	if (other.worst != JUDGED_TRUE && other.worst != JUDGED_REFUSED && run->outcome->worst == JUDGED_TRUE) {
		run->outcome->worst = other.worst;
		memcpy(run->outcome->reason, other.reason, sizeof(other.reason));
	}
}

/* From somewhere in the middle on, and by happens-before: what is claimed then must come true, too. */
static void in_parts(struct run *run, struct flow *flow, const struct engine_options *engine)
{
	static struct outcome other;
	struct run part = *run;
	const struct recording *recording = run->trial.recording;
	norn_graph_lookup *lookup = run->options->no_facts ? lookup_without_facts : flow_lookup;
	memset(&other, 0, sizeof(other));
	part.outcome = &other;
	part.tally = NULL;
	uint32_t before = recording->count ? (uint32_t)(run->options->walk / 4 % recording->count) : 0;
	int r = parts_window(recording, before, lookup, flow, engine, on_claim, &part);
	if (r == 0 || r == -EINVAL)
		r = parts_mvc(recording, lookup, flow, run->graph, on_claim, &part) < 0 ? -ENOMEM : r;
	if (r < 0 && r != -EINVAL)
		fail("an engine fails");
	if (run->tally) {
		for (unsigned i = 0; i < STATEMENTS; i++)
			for (unsigned j = i; j < STATEMENTS; j++)
				run->tally->proved += other.found.race[i][j];
		run->tally->refused_parts += r == -EINVAL;
	}
	if (r == -EINVAL && other.worst == JUDGED_TRUE) {
		other.worst = JUDGED_REFUSED;
		snprintf(other.reason, sizeof(other.reason), "refused by the checker in a part of the run");
	}
	if (other.worst != JUDGED_TRUE && run->outcome->worst == JUDGED_TRUE) {
		run->outcome->worst = other.worst;
		memcpy(run->outcome->reason, other.reason, sizeof(other.reason));
	}
}

/* From base on: what is claimed must come true. */
static void judge_property_from(struct run *run, uint32_t base, struct property_result *result)
{
	property_search(&run->trial, run->graph, base, run->outcome->worst == JUDGED_TRUE ? run->options->out : NULL, result);
	run->outcome->violation |= result->found;
	if (result->judgement != JUDGED_TRUE && run->outcome->worst == JUDGED_TRUE) {
		set_reason(run, NORN_SLICED_ATOMICITY, result->judgement, result->message);
		memcpy(run->outcome->reason, "property  ", 10);
		run->outcome->worst = result->judgement;
	}
	if (run->tally)
		run->tally->refused += result->judgement == JUDGED_REFUSED;
}

/* What is found is counted from the beginning on. */
static void judge_property(struct run *run)
{
	struct property_result result;
	if (run->options->walk % 2)
		judge_property_from(run, (uint32_t)(run->options->walk / 2 % (run->trial.recording->count + 1)), &result);
	judge_property_from(run, 0, &result);
	bool along = run->trial.along->violation && !result.observed;
	run->outcome->missed[NORN_SLICED_KINDS] = along && !result.found;
	if (!run->tally)
		return;
	run->tally->violable_along += along;
	run->tally->violations_found_along += along && result.found;
	run->tally->properties++;
	run->tally->violable += run->trial.reachable->violation && !result.observed;
	run->tally->violated += result.observed;
	run->tally->violations_found += result.found && !result.observed;
}

/* All counters are of one type. */
void tally_add(struct tally *tally, const struct tally *more)
{
	unsigned long *to = (unsigned long *)tally;
	const unsigned long *from = (const unsigned long *)more;
	for (size_t i = 0; i < sizeof(*tally) / sizeof(*to); i++)
		to[i] += from[i];
}

void run_program(const struct program *program, const struct run_options *options, struct tally *tally, struct outcome *ret_outcome)
{
	static struct code code;
	static struct recording recording;
	static struct reachable reachable, along;
	static struct flow flow;
	memset(ret_outcome, 0, sizeof(*ret_outcome));
	if (!code_make(program, &code))
		return;
	if (options->monitor) {
		code.monitored = true;
		memcpy(code.monitor, options->monitor, sizeof(code.monitor));
	}
	flow_make(program, options->without_flow, options->weaken, &flow);
	record(&code, options->externals, &recording);
	explore(&code, options->max_states, &reachable);
	explore_along(&code, &recording, options->max_states, &along);
	struct run run = {.trial = {.code = &code,
	                          .recording = &recording,
	                          .flow = options->no_facts ? NULL : &flow,
	                          .reachable = &reachable,
	                          .along = &along},
	        .options = options,
	        .outcome = ret_outcome,
	        .tally = tally};
	struct norn_graph *graph = slice_of(&recording, &flow, options->no_facts);
	run.trial.checker = norn_sliced_checker_new(graph);
	run.graph = graph;
	run.random.state = options->walk;
	for (unsigned i = 0; i < 4 && options->walk; i++)
		walk(&run);
	struct engine_options engine = {.without = options->without_closure,
	        .atomic_site = program->atomic ? site_of_body(THREADS) : 0,
	        .effort = options->effort};
	if (engine_builtin(graph, &engine, on_claim, &run) < 0)
		fail("the engine fails");
	infer(&run, &engine);
	if (!options->without_closure)
		in_parts(&run, &flow, &engine);
	if (options->monitor)
		judge_property(&run);
	run.bare = true;
	if (engine_closures(graph, options->without_closure, on_claim, &run) < 0)
		fail("the closure fails");
	norn_sliced_checker_free(run.trial.checker);
	norn_graph_free(graph);
	struct tally own = {0};
	count(&run, &own);
	for (unsigned k = 0; k < NORN_SLICED_KINDS; k++)
		ret_outcome->missed[k] = (unsigned)(own.along[k] - own.found_along[k]);
	ret_outcome->missed[NORN_SLICED_DEADLOCK] = (unsigned)(own.circles_along - own.circles_found);
	ret_outcome->missed[NORN_SLICED_ASSERTION] = (unsigned)(own.stated_along - own.stated_found);
	ret_outcome->missed[RUN_ORDERS] = (unsigned)(own.orders_along - own.orders_found);
	ret_outcome->missed[RUN_STUCK] = (unsigned)(own.stuck_along - own.stuck_found);
	if (tally)
		tally_add(tally, &own);
}

/* ---- smaller programs ---- */

struct goal {
	enum judgement how;
	unsigned missed;
};

static bool still_fails(const struct program *program, const struct run_options *options, const struct goal *goal)
{
	static struct outcome outcome;
	if (!program_valid(program))
		return false;
	run_program(program, options, NULL, &outcome);
	return goal->missed < RUN_NOT_MISSED ? outcome.missed[goal->missed] > 0 : outcome.worst == goal->how;
}

static bool shrink_statements(struct program *program, const struct run_options *options, const struct goal *goal)
{
	bool smaller = false;
	for (unsigned i = 1; i <= program->count; i++) {
		struct program less = *program;
		if (program_remove(&less, i) && still_fails(&less, options, goal)) {
			*program = less;
			smaller = true;
		}
	}
	return smaller;
}

static bool shrink_schedule(struct program *program, const struct run_options *options, const struct goal *goal)
{
	bool smaller = false;
	for (unsigned i = 0; i < program->steps;) {
		struct program less = *program;
		memmove(less.schedule + i, less.schedule + i + 1, less.steps - i - 1);
		less.steps--;
		if (still_fails(&less, options, goal)) {
			*program = less;
			smaller = true;
		} else {
			i++;
		}
	}
	return smaller;
}

static bool shrink_values(struct program *program, const struct run_options *options, const struct goal *goal)
{
	bool smaller = false;
	for (unsigned v = 0; v < VARIABLES; v++) {
		struct program less = *program;
		less.initial[v] = 0;
		if (program->initial[v] && still_fails(&less, options, goal)) {
			*program = less;
			smaller = true;
		}
	}
	return smaller;
}

void run_shrink(struct program *program, const struct run_options *options, unsigned missed)
{
	static struct outcome outcome;
	struct run_options quiet = *options;
	quiet.out = NULL;
	run_program(program, &quiet, NULL, &outcome);
	struct goal goal = {outcome.worst, missed};
	if (goal.how == JUDGED_TRUE && missed == RUN_NOT_MISSED)
		return;
	bool smaller = true;
	while (smaller) {
		smaller = shrink_statements(program, &quiet, &goal);
		smaller |= shrink_schedule(program, &quiet, &goal);
		smaller |= shrink_values(program, &quiet, &goal);
	}
}
