#include "judge.h"

#include <string.h>

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
	static const char *const names[] = {"race", "deadlock", "use after free", "double free", "atomicity"};
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

/* Does next want a lock, in vain, that this thread holds, or its end? */
static bool waits_for(const struct state *state, const struct next *n, unsigned thread)
{
	if (n->kind == NORN_EVENT_THREAD && n->op == NORN_THREAD_JOIN)
		return !n->enabled && n->value == thread;
	if (n->enabled || n->kind != NORN_EVENT_SYNC || (n->op != NORN_SYNC_ACQUIRE && n->op != NORN_SYNC_ACQUIRE_SHARED))
		return false;
	unsigned lock = (unsigned)(n->addr - ADDRESS_LOCKS) / 64;
	return state->owner[lock] == thread + 1 || (n->op == NORN_SYNC_ACQUIRE && state->readers[lock] >> thread & 1);
}

static bool run_deadlock(const struct trial *trial, const struct state *state, const struct norn_sliced_claim *claim)
{
	for (unsigned i = 0; i < claim->stop_count; i++) {
		const struct norn_event *e = event_of(trial, claim->stops[i]);
		struct next n;
		state_next(trial->code, state, e->thread, &n);
		unsigned kind = trial->code->program->statements[n.statement].kind;
		if (kind == S_TRYLOCK || kind == S_TRYRDLOCK || sleeps(trial->code, state, e->thread, &n))
			return false;
		if (!waits_for(state, &n, event_of(trial, claim->stops[(i + 1) % claim->stop_count])->thread))
			return false;
	}
	return true;
}

/* Events of a claim whose errors need a step that may have been made: the free or foreign access, and what comes next. */
static uint32_t done_of(const struct norn_sliced_claim *claim)
{
	if (claim->stop_count > 1)
		return claim->stops[0];
	return claim->kind == NORN_SLICED_ATOMICITY ? claim->second : claim->first;
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

static bool run_atomicity(
        const struct trial *trial, const struct norn_sliced_claim *claim, const struct next *foreign, const struct next *last)
{
	const struct norn_event *e = event_of(trial, claim->first);
	struct next first = {.kind = e->kind, .addr = e->addr, .size = (uint8_t)e->size};
	return overlap(&first, foreign) && overlap(foreign, last) && overlap(&first, last) && foreign->kind <= NORN_EVENT_RMW &&
	       last->kind <= NORN_EVENT_RMW && unserializable(bits(&first), bits(foreign), bits(last));
}

/* The errors that need a step: the free, or the foreign access. */
static bool run_last_step(const struct trial *trial, struct state *state, const struct norn_sliced_claim *claim, struct next *nexts)
{
	const struct norn_event *e = event_of(trial, done_of(claim));
	struct next last, foreign = {.kind = e->kind, .addr = e->addr, .size = (uint8_t)e->size};
	if (claim->stop_count > 1) {
		foreign = nexts[0];
		if (!foreign.enabled)
			return false;
		state_step(trial->code, state, e->thread, &foreign, 0);
	}
	if (claim->kind != NORN_SLICED_ATOMICITY)
		return run_free(trial, state, claim);
	return stands_before(trial->code, state, event_of(trial, last_of(claim)), &last) &&
	       run_atomicity(trial, claim, &foreign, &last);
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
		if (!happens) {
			details->at = number;
			return JUDGED_DIVERGES;
		}
		uint32_t next =
		        early && i >= claim->base ? next_of(trial, claim, i - claim->base + 1, event_of(trial, number)->thread) : 0;
		if (next)
			come_to(trial, next, &state);
	}
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

enum judgement judge_run(const struct trial *trial, const struct norn_sliced_claim *claim, struct judgement_details *details)
{
	enum judgement late = run_claim(trial, claim, false, details);
	return late == JUDGED_TRUE ? run_claim(trial, claim, true, details) : late;
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
	return trial->reachable->complete && !claim_among(trial, claim, trial->reachable) ? JUDGED_UNREACHED : JUDGED_TRUE;
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

static void triple_of(const struct trial *trial, const struct norn_sliced_claim *claim, uint8_t *ret_triple)
{
	ret_triple[0] = (uint8_t)statement(trial, claim->first);
	ret_triple[1] = (uint8_t)statement(trial, done_of(claim));
	ret_triple[2] = (uint8_t)statement(trial, last_of(claim));
}

static bool triple_among(const struct trial *trial, const struct norn_sliced_claim *claim, const struct reachable *seen)
{
	uint8_t triple[3];
	triple_of(trial, claim, triple);
	for (unsigned i = 0; i < seen->triple_count; i++)
		if (!memcmp(triple, seen->triples[i], 3))
			return true;
	return false;
}

bool claim_among(const struct trial *trial, const struct norn_sliced_claim *claim, const struct reachable *seen)
{
	unsigned a = statement(trial, done_of(claim)), b = statement(trial, last_of(claim));
	switch (claim->kind) {
	case NORN_SLICED_RACE:
		return seen->race[a][b];
	case NORN_SLICED_USE_AFTER_FREE:
		return seen->use_after_free[a][b];
	case NORN_SLICED_DOUBLE_FREE:
		return seen->double_free[a][b];
	case NORN_SLICED_DEADLOCK:
		return deadlock_among(trial, claim, seen);
	default:
		return triple_among(trial, claim, seen);
	}
}

void claim_note(const struct trial *trial, const struct norn_sliced_claim *claim, struct reachable *seen)
{
	unsigned a = statement(trial, done_of(claim)), b = statement(trial, last_of(claim));
	if (claim_among(trial, claim, seen))
		return;
	switch (claim->kind) {
	case NORN_SLICED_RACE:
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
	default:
		if (seen->triple_count < TRIPLES)
			triple_of(trial, claim, seen->triples[seen->triple_count++]);
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
		fprintf(out, "; first %u, block %u", claim->first, claim->block);
	fputc('\n', out);
}
