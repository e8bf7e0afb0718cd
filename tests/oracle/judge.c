#include "judge.h"

#include <string.h>

#include "orders.h"
#include "serial.h"
#include "trace/record.h"

static const struct norn_event *event_of(const struct trial *trial, uint32_t number)
{
	return &trial->recording->events[number - 1];
}

static unsigned statement(const struct trial *trial, uint32_t number)
{
	return statement_of_site(event_of(trial, number)->site);
}

const char *judgement_name(enum judgement judgement)
{
	static const char *const names[] = {"true", "refused by the checker", "an event does not happen", "a stop is not reached",
	        "no such error there", "not seen by the explorer", "accepted by the checker, but false",
	        "true, but not its details"};
	return names[judgement];
}

const char *claim_name(enum norn_sliced_kind kind)
{
	static const char *const names[] = {"race", "deadlock", "use after free", "double free", "use after return", "atomicity",
	        "assertion", "null dereference"};
	return names[kind];
}

static bool overlap(const struct next *a, const struct next *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static unsigned bits(const struct next *n)
{
	return n->kind == NORN_EVENT_READ ? READS : n->kind == NORN_EVENT_WRITE ? WRITES : READS | WRITES;
}

static bool run_race(const struct next *a, const struct next *b)
{
	return a->kind <= NORN_EVENT_RMW && b->kind <= NORN_EVENT_RMW && overlap(a, b) && (a->write || b->write) &&
	       !(a->atomic && b->atomic);
}

/* The threads wait, and will for ever. The end of the process may end that. */
static bool run_deadlock(const struct trial *trial, const struct state *state, const struct norn_sliced_claim *claim)
{
	unsigned threads = 0;
	for (unsigned i = 0; i < claim->stop_count; i++)
		threads |= 1u << event_of(trial, claim->stops[i])->thread;
	return explore_stuck(trial->code, state, threads, 100000);
}

/* Events of a claim whose errors need a step that may have been made: the free or foreign access, and what comes next. */
static uint32_t done_of(const struct norn_sliced_claim *claim)
{
	if (claim->stop_count > 1 || claim->kind == NORN_SLICED_DEADLOCK)
		return claim->stops[0];
	return claim->kind == NORN_SLICED_ATOMICITY ? claim->cycle[claim->cycle_count - 2] : claim->first;
}

static uint32_t last_of(const struct norn_sliced_claim *claim)
{
	return claim->stops[claim->stop_count - 1];
}

static bool run_free(const struct trial *trial, const struct state *state, const struct norn_sliced_claim *claim)
{
	struct next n;
	state_next(trial->code, state, event_of(trial, last_of(claim))->thread, &n);
	bool twice = claim->kind == NORN_SLICED_DOUBLE_FREE;
	return n.slot >= 0 && state->life[n.slot] == 2 && (twice ? n.kind == NORN_EVENT_FREE : n.kind <= NORN_EVENT_RMW) &&
	       state->freed[n.slot] == statement(trial, done_of(claim)) && n.statement == statement(trial, last_of(claim));
}

/* Of guessed blocks, which the machine does not know. */
static bool run_guess(const struct trial *trial, const struct state *state, const struct norn_sliced_claim *claim,
        const struct next *foreign, const struct next *last)
{
	const struct norn_event *e = event_of(trial, claim->cycle[0]);
	struct next first = {.kind = e->kind, .addr = address_now(state, e), .size = (uint8_t)e->size};
	return overlap(&first, foreign) && overlap(foreign, last) && overlap(&first, last) && foreign->kind <= NORN_EVENT_RMW &&
	       last->kind <= NORN_EVENT_RMW && unserializable(bits(&first), bits(foreign), bits(last));
}

/* The errors that need a step: the free, or the foreign access. */
static bool run_last_step(const struct trial *trial, struct state *state, const struct norn_sliced_claim *claim, struct next *nexts)
{
	const struct norn_event *e = event_of(trial, done_of(claim));
	struct next last, foreign = {.kind = e->kind, .addr = address_now(state, e), .size = (uint8_t)e->size};
	if (claim->stop_count > 1) {
		foreign = nexts[0];
		if (!foreign.enabled)
			return false;
		state_step(trial->code, state, e->thread, &foreign, 0);
	}
	if (claim->kind != NORN_SLICED_ATOMICITY)
		return run_free(trial, state, claim);
	if (!stands_before(trial->code, state, event_of(trial, last_of(claim)), &last))
		return false;
	return claim->block ? serial_closes(state, event_of(trial, last_of(claim))->thread, &last)
	                    : run_guess(trial, state, claim, &foreign, &last);
}

static bool run_error(const struct trial *trial, struct state *state, const struct norn_sliced_claim *claim, struct next *nexts)
{
	switch (claim->kind) {
	case NORN_SLICED_RACE:
		return run_race(&nexts[0], &nexts[1]);
	case NORN_SLICED_DEADLOCK:
		return run_deadlock(trial, state, claim);
	default:
		return run_last_step(trial, state, claim, nexts);
	}
}

/* Lets the event's thread do what is not listed. */
static void come_to(const struct trial *trial, uint32_t number, struct state *state)
{
	const struct norn_event *e = event_of(trial, number);
	struct next n;
	for (unsigned i = 0; i < EVENTS && trial->flow && e->kind != NORN_EVENT_EXTERNAL; i++) {
		if (stands_before(trial->code, state, e, &n) || !n.exists || n.trap || n.kind > NORN_EVENT_WRITE ||
		        !trial->flow->controlled[n.statement])
			return;
		state_step(trial->code, state, e->thread, &n, 0);
	}
}

bool judge_replay(const struct trial *trial, uint32_t event, struct state *state)
{
	come_to(trial, event, state);
	return replay(trial->code, trial->recording, event - 1, state);
}

/* The next one of the claim, from here on, that is of this thread; 0: none. */
static uint32_t next_of(const struct trial *trial, const struct norn_sliced_claim *claim, uint32_t from, unsigned thread)
{
	for (uint32_t i = from; i < claim->count; i++)
		if (event_of(trial, claim->events[i])->thread == thread)
			return claim->events[i];
	for (uint32_t i = 0; i < claim->stop_count; i++)
		if (event_of(trial, claim->stops[i])->thread == thread)
			return claim->stops[i];
	return 0;
}

void judge_come_on(
        const struct trial *trial, const struct norn_sliced_claim *claim, uint32_t from, uint32_t event, struct state *state)
{
	uint32_t next = next_of(trial, claim, from, event_of(trial, event)->thread);
	if (next)
		come_to(trial, next, state);
}

/* The thread stands before the read that it comes right after, or right behind that event: then it fails. */
static enum judgement run_assertion(
        const struct trial *trial, const struct norn_sliced_claim *claim, struct state *state, struct judgement_details *details)
{
	struct next n;
	unsigned thread = event_of(trial, claim->stops[0])->thread;
	details->at = claim->stops[0];
	if (claim->stops[0] == claim->first) {
		come_to(trial, claim->stops[0], state);
		if (!stands_before(trial->code, state, event_of(trial, claim->stops[0]), &n))
			return JUDGED_ELSEWHERE;
		state_step(trial->code, state, thread, &n, 0);
	}
	state_next(trial->code, state, thread, &n);
	bool fails = n.exists && n.kind == NORN_EVENT_THREAD && n.op == NORN_THREAD_EXIT && n.argument;
	return fails && n.statement == statement_of_site(claim->site) ? JUDGED_TRUE : JUDGED_HARMLESS;
}

/* This event does not happen. */
static enum judgement missing(
        const struct trial *trial, uint32_t number, const struct state *state, struct judgement_details *details)
{
	details->at = number;
	details->unjudged = lacks_memory(trial->code, state, event_of(trial, number));
	return details->unjudged ? JUDGED_TRUE : JUDGED_DIVERGES;
}

static enum judgement run_claim(
        const struct trial *trial, const struct norn_sliced_claim *claim, bool early, struct judgement_details *details)
{
	struct state state;
	struct next nexts[THREADS] = {{0}};
	state_start(trial->code, &state);
	for (uint32_t i = 0; i < claim->base + claim->count; i++) {
		uint32_t number = i < claim->base ? i + 1 : claim->events[i - claim->base];
		bool happens = i < claim->base ? replay(trial->code, trial->recording, number - 1, &state)
		                               : judge_replay(trial, number, &state);
		if (!happens)
			return missing(trial, number, &state, details);
		if (early && i >= claim->base)
			judge_come_on(trial, claim, i - claim->base + 1, number, &state);
	}
	if (claim->kind == NORN_SLICED_ASSERTION)
		return run_assertion(trial, claim, &state, details);
	for (uint32_t i = 0; i < claim->stop_count; i++)
		come_to(trial, claim->stops[i], &state);
	for (uint32_t i = 0; i < claim->stop_count && i < THREADS; i++) {
		details->at = claim->stops[i];
		if (claim->kind == NORN_SLICED_DOUBLE_FREE && i + 1 == claim->stop_count)
			continue; /* it would trap */
		if (!stands_before(trial->code, &state, event_of(trial, claim->stops[i]), &nexts[i]))
			return JUDGED_ELSEWHERE;
	}
	return run_error(trial, &state, claim, nexts) ? JUDGED_TRUE : JUDGED_HARMLESS;
}

/* A race of two accesses that come one after the other, by memory orders. */
static enum judgement run_orders(
        const struct trial *trial, const struct norn_sliced_claim *claim, struct judgement_details *details)
{
	struct state state;
	struct next n;
	state_start(trial->code, &state);
	for (uint32_t i = 0; i < claim->base + claim->count; i++) {
		uint32_t number = i < claim->base ? i + 1 : claim->events[i - claim->base];
		const struct norn_event *e = event_of(trial, number);
		details->at = number;
		if (i >= claim->base)
			come_to(trial, number, &state);
		state_next(trial->code, &state, e->thread, &n);
		if (!replay(trial->code, trial->recording, number - 1, &state))
			return missing(trial, number, &state, details);
		if (number == claim->first)
			orders_choose(trial->code, &state, e->thread, &n);
		else if (e->kind != NORN_EVENT_EXTERNAL)
			orders_step(trial->code, &state, e->thread, &n);
	}
	details->at = claim->stops[0];
	come_to(trial, claim->stops[0], &state);
	if (!stands_before(trial->code, &state, event_of(trial, claim->stops[0]), &n))
		return JUDGED_ELSEWHERE;
	return orders_unordered(trial->code, &state, event_of(trial, claim->stops[0])->thread, &n) ? JUDGED_TRUE : JUDGED_HARMLESS;
}

enum judgement judge_run(const struct trial *trial, const struct norn_sliced_claim *claim, struct judgement_details *details)
{
	details->unjudged = false;
	if (claim->kind == NORN_SLICED_RACE && claim->stop_count == 1)
		return run_orders(trial, claim, details);
	enum judgement late = run_claim(trial, claim, false, details);
	return late == JUDGED_TRUE && !details->unjudged ? run_claim(trial, claim, true, details) : late;
}

/* Of threads that wait for each other's locks, or ends; others are not looked for by the explorer. */
static bool is_circle(const struct trial *trial, const struct norn_sliced_claim *claim)
{
	for (uint32_t i = 0; i < claim->stop_count; i++) {
		unsigned kind = trial->code->program->statements[statement(trial, claim->stops[i])].kind;
		if (kind != S_LOCK && kind != S_RDLOCK && kind != S_JOIN)
			return false;
	}
	return claim->stop_count > 1;
}

enum judgement judge(const struct trial *trial, const struct norn_sliced_claim *claim, struct judgement_details *details)
{
	struct norn_error err = {.message = ""};
	memset(details, 0, sizeof(*details));
	enum judgement run = judge_run(trial, claim, details);
	details->refused = norn_sliced_check(trial->checker, claim, &err) != 0;
	snprintf(details->message, sizeof(details->message), "%s", err.message);
	if (run != JUDGED_TRUE)
		return run;
	if (details->refused)
		return JUDGED_REFUSED;
	bool looked_for = !details->unjudged && (claim->kind != NORN_SLICED_DEADLOCK || is_circle(trial, claim));
	return trial->reachable->complete && looked_for && !claim_among(trial, claim, trial->reachable) ? JUDGED_UNREACHED
	                                                                                                : JUDGED_TRUE;
}

static void deadlock_set(const struct trial *trial, const struct norn_sliced_claim *claim, struct statements *ret_set)
{
	memset(ret_set, 0, sizeof(*ret_set));
	for (uint32_t i = 0; i < claim->stop_count; i++)
		ret_set->bits[statement(trial, claim->stops[i]) / 64] |= 1ull << statement(trial, claim->stops[i]) % 64;
}

static bool deadlock_among(const struct trial *trial, const struct norn_sliced_claim *claim, const struct reachable *seen)
{
	struct statements set;
	deadlock_set(trial, claim, &set);
	for (unsigned i = 0; i < seen->deadlock_count; i++)
		if (!memcmp(&set, &seen->deadlocks[i], sizeof(set)))
			return true;
	return false;
}

/* The statement that begins the block, 0: it is a function. */
static unsigned begin_of(const struct trial *trial, const struct norn_sliced_claim *claim)
{
	bool mark = claim->block && event_of(trial, claim->block)->kind == NORN_EVENT_MARK;
	return mark ? statement(trial, claim->block) : 0;
}

bool claim_among(const struct trial *trial, const struct norn_sliced_claim *claim, const struct reachable *seen)
{
	bool pair = claim->kind != NORN_SLICED_ASSERTION;
	unsigned a = pair ? statement(trial, done_of(claim)) : 0, b = pair ? statement(trial, last_of(claim)) : 0;
	switch (claim->kind) {
	case NORN_SLICED_RACE:
		return claim->stop_count == 1 ? seen->order[a][b] : seen->race[a][b];
	case NORN_SLICED_USE_AFTER_FREE:
		return seen->use_after_free[a][b];
	case NORN_SLICED_DOUBLE_FREE:
		return seen->double_free[a][b];
	case NORN_SLICED_DEADLOCK:
		return deadlock_among(trial, claim, seen);
	case NORN_SLICED_ASSERTION:
		return seen->assertion[statement_of_site(claim->site)];
	default:
		return seen->broken[begin_of(trial, claim)];
	}
}

void claim_note(const struct trial *trial, const struct norn_sliced_claim *claim, struct reachable *seen)
{
	bool pair = claim->kind != NORN_SLICED_ASSERTION;
	unsigned a = pair ? statement(trial, done_of(claim)) : 0, b = pair ? statement(trial, last_of(claim)) : 0;
	for (uint32_t i = 0; i < claim->stop_count && claim->kind == NORN_SLICED_DEADLOCK; i++)
		seen->stuck[statement(trial, claim->stops[i])] = true;
	if (claim_among(trial, claim, seen))
		return;
	switch (claim->kind) {
	case NORN_SLICED_RACE:
		if (claim->stop_count == 1)
			seen->order[a][b] = seen->order[b][a] = true;
		seen->race[a][b] = seen->race[b][a] = true;
		break;
	case NORN_SLICED_USE_AFTER_FREE:
		seen->use_after_free[a][b] = true;
		break;
	case NORN_SLICED_DOUBLE_FREE:
		seen->double_free[a][b] = true;
		break;
	case NORN_SLICED_DEADLOCK:
		if (seen->deadlock_count < DEADLOCKS)
			deadlock_set(trial, claim, &seen->deadlocks[seen->deadlock_count++]);
		break;
	case NORN_SLICED_ASSERTION:
		seen->assertion[statement_of_site(claim->site)] = true;
		break;
	default:
		seen->broken[begin_of(trial, claim)] = true;
	}
}

void claim_print(FILE *out, const struct trial *trial, const struct norn_sliced_claim *claim)
{
	const struct program *p = trial->code->program;
	fprintf(out, "claim: %s after the first %u events of\n", claim_name(claim->kind), claim->base);
	for (uint32_t i = 1; i <= trial->recording->count; i++) {
		fprintf(out, "  %3u ", i);
		event_print(out, p, event_of(trial, i));
	}
	fputs("then", out);
	for (uint32_t i = 0; i < claim->count; i++)
		fprintf(out, " %u", claim->events[i]);
	fputs("; stops", out);
	for (uint32_t i = 0; i < claim->stop_count; i++)
		fprintf(out, " %u", claim->stops[i]);
	if (claim->kind == NORN_SLICED_ATOMICITY)
		fprintf(out, "; block %u, cycle", claim->block);
	for (uint32_t i = 0; i < claim->cycle_count; i++)
		fprintf(out, " %u", claim->cycle[i]);
	fputc('\n', out);
}
