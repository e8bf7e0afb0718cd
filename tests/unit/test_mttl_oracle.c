/* Knowledge vectors against the definition: Table 1 of the DAME paper, evaluated naively on whole computations.
 *
 * Random computations of a few threads, which are created, end and are joined, and random formulas. At every event the
 * local_monitors' verdicts must be those of the definition, and what they know of variables the predicted state (Lemma 1). Then the
 * same computation in other orders that are consistent with it must give the same verdicts (robustness).
 *
 * What a mind does not compute again since nothing that it depends on has changed, it must find the same if it does. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"
#include "local_monitors.h"

#define CASES 10000u
#define VARIABLES 3u
#define SHUFFLES 3u

static const char *const names[] = {"x", "y", "m", NULL};

static uint64_t seed;

static unsigned chance(unsigned below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % below;
}

/* ---- computations ---- */

struct computation {
	struct step steps[STEPS_MAX];
	uint64_t before[STEPS_MAX]; /* per step: those that it comes after, and itself */
	uint32_t index[STEPS_MAX]; /* position within its thread, from 1 */
	uint32_t count, threads, begun;
	uint32_t fork[THREADS_MAX]; /* per thread: 1 + the step that created it, 0: there from the start */
	uint64_t types[THREADS_MAX];
};

static bool conflicts(const struct step *a, const struct step *b)
{
	bool access = (a->kind == STEP_READ || a->kind == STEP_WRITE) && (b->kind == STEP_READ || b->kind == STEP_WRITE);
	return access && a->variable == b->variable && (a->kind == STEP_WRITE || b->kind == STEP_WRITE);
}

/* Whether b, which is later, comes after a at once: by its thread, by a variable, by creation, or by a join. */
static bool precedes(const struct step *a, const struct step *b)
{
	if (a->thread == b->thread || conflicts(a, b))
		return true;
	if (a->kind == STEP_FORK && b->thread == a->variable)
		return true;
	return b->kind == STEP_JOIN && a->thread == b->variable;
}

static void order(struct computation *c)
{
	uint32_t positions[THREADS_MAX] = {0};
	for (uint32_t i = 0; i < c->count; i++) {
		c->before[i] = UINT64_C(1) << i;
		c->index[i] = ++positions[c->steps[i].thread];
		for (uint32_t k = 0; k < i; k++)
			if (precedes(&c->steps[k], &c->steps[i]))
				c->before[i] |= c->before[k];
	}
}

static struct step random_access(uint32_t thread)
{
	struct step s = {.thread = thread, .variable = chance(VARIABLES), .value = (int)chance(3)};
	unsigned kind = chance(10);
	s.kind = kind < 4 ? STEP_READ : kind < 8 ? STEP_WRITE : kind == 8 ? STEP_NOTE : STEP_INTERNAL;
	if (s.kind == STEP_NOTE)
		s.variable = chance(2);
	return s;
}

static void random_computation(struct computation *c)
{
	bool alive[THREADS_MAX] = {false}, ended[THREADS_MAX] = {false};
	uint32_t last = 2 + chance(3), next;
	memset(c, 0, sizeof *c);
	c->begun = chance(2) ? (1u << last) - 1 : 1;
	next = c->begun == 1 ? 1 : last;
	for (uint32_t t = 0; t < THREADS_MAX; t++) {
		alive[t] = c->begun >> t & 1;
		c->types[t] = chance(2);
	}
	uint32_t length = 4 + chance(20);
	while (c->count < length) {
		uint32_t t = chance(next), other = chance(next);
		if (!alive[t] || ended[t])
			continue;
		struct step s = random_access(t);
		unsigned kind = chance(12);
		if (kind == 0 && next < 5) {
			s = (struct step){.kind = STEP_FORK, .thread = t, .variable = next};
			c->fork[next] = c->count + 1;
			alive[next++] = true;
		} else if (kind == 1 && t != 0) {
			s = (struct step){.kind = STEP_END, .thread = t};
			ended[t] = true;
		} else if (kind == 2 && ended[other]) {
			s = (struct step){.kind = STEP_JOIN, .thread = t, .variable = other};
		}
		c->steps[c->count++] = s;
	}
	c->threads = next;
	order(c);
}

/* ---- formulas ---- */

struct writer {
	char text[4096];
	size_t length;
	unsigned bound; /* thread variables that are there: i, j, k */
	bool rich; /* there are the ghost k, and the name s that norn_set gives values to */
};

static void say(struct writer *w, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, list);
	va_end(list);
}

static char some_thread(const struct writer *w)
{
	return "ijk"[chance(w->bound)];
}

static void expression(struct writer *w, unsigned depth)
{
	switch (chance(depth ? 8 : 4)) {
	case 0:
		say(w, "%u", chance(3));
		break;
	case 1:
		say(w, "x");
		break;
	case 2:
		say(w, "y");
		break;
	case 3:
		say(w, "%c", w->rich ? "gks"[chance(3)] : 'g');
		break;
	case 4:
		say(w, "(");
		expression(w, depth - 1);
		say(w, chance(2) ? " + " : " - ");
		expression(w, depth - 1);
		say(w, ")");
		break;
	default:
		say(w, "@%c ", some_thread(w));
		expression(w, depth - 1);
	}
}

static void formula(struct writer *w, unsigned depth);

static void leaf(struct writer *w)
{
	static const char *const leaves[] = {"read(x)", "write(x)", "access(y)", "write(y)", "e", "f"};
	unsigned kind = chance(9);
	if (kind < 6) {
		say(w, "%s", leaves[kind]);
		return;
	}
	say(w, "(");
	expression(w, 2);
	say(w, kind == 6 ? " == " : kind == 7 ? " < " : " >= ");
	expression(w, 2);
	say(w, ")");
}

static void quantifier(struct writer *w, unsigned depth)
{
	char name = "ijk"[w->bound];
	say(w, "(%s %c", chance(2) ? "forall" : "exists", name);
	if (chance(2))
		say(w, " != %c", some_thread(w));
	say(w, "%s. ", chance(3) == 0 ? ": t" : "");
	w->bound++;
	formula(w, depth - 1);
	w->bound--;
	say(w, ")");
}

static void formula(struct writer *w, unsigned depth)
{
	static const char *const unary[] = {"!", "prev ", "once ", "hist ", "start", "end"};
	static const char *const binary[] = {"&&", "||", "->", "S", "SW", "xor"};
	unsigned kind = depth ? chance(12) : 0;
	if (kind <= 1) {
		leaf(w);
	} else if (kind <= 3) {
		say(w, "%s(", unary[chance(6)]);
		formula(w, depth - 1);
		say(w, ")");
	} else if (kind <= 6) {
		say(w, "(");
		formula(w, depth - 1);
		say(w, " %s ", binary[chance(6)]);
		formula(w, depth - 1);
		say(w, ")");
	} else if (kind <= 7) {
		say(w, "[");
		formula(w, depth - 1);
		say(w, ", ");
		formula(w, depth - 1);
		say(w, ")%s", chance(2) ? " weak" : "");
	} else if (kind <= 9 && w->bound < 3) {
		quantifier(w, depth);
	} else {
		say(w, "@%c (", some_thread(w));
		formula(w, depth - 1);
		say(w, ")");
	}
}

static void random_formula(struct writer *w)
{
	w->length = 0;
	w->bound = 1;
	w->rich = false;
	say(w,
	        "thread t = named \"t\"; event e = note \"e\"; event f = note \"f\"; "
	        "ghost g = 0 { e: fresh; f: %s; } property p { mttl for i: %s",
	        chance(2) ? "0" : "x + g", chance(4) == 0 ? "t: " : "");
	say(w, "g >= 0 && "); /* so that notes are positions */
	formula(w, 4);
	say(w, "; }");
}

/* ---- the definition ---- */

#define STRANGER UINT32_MAX

struct oracle {
	const struct computation *c;
	const struct norn_spec *spec;
	const struct norn_property *p;
	uint32_t assigned[NORN_THREAD_VARIABLES_MAX];
};

/* A state: that of a thread after its position-th event; of a stranger position 0 is the only one. */
struct where {
	uint32_t thread, position;
};

static uint32_t step_at(const struct computation *c, struct where s)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->steps[i].thread == s.thread && c->index[i] == s.position)
			return i;
	fail();
	return 0;
}

/* ↓e: the steps that happened in this state. */
static uint64_t past_of(const struct computation *c, struct where s)
{
	if (s.thread == STRANGER)
		return 0;
	if (s.position)
		return c->before[step_at(c, s)];
	return c->fork[s.thread] ? c->before[c->fork[s.thread] - 1] : 0;
}

static long variable_at(const struct computation *c, struct where s, uint32_t variable)
{
	uint64_t past = past_of(c, s);
	for (uint32_t i = c->count; i-- > 0;)
		if (past >> i & 1 && c->steps[i].kind == STEP_WRITE && c->steps[i].variable == variable)
			return c->steps[i].value;
	return 0;
}

/* The ghost g: fresh at e, at f what its update says; and the greatest value that it had. */
static long ghost_at(struct oracle *o, struct where s, long *ret_greatest)
{
	long value = 0, greatest = 0;
	bool sum = o->spec->ghosts[0].updates[1].value->op != NORN_EXPR_INT;
	for (uint32_t k = 1; s.thread != STRANGER && k <= s.position; k++) {
		const struct step *step = &o->c->steps[step_at(o->c, (struct where){s.thread, k})];
		if (step->kind != STEP_NOTE)
			continue;
		value = step->variable == 0 ? greatest + 1 : sum ? variable_at(o->c, (struct where){s.thread, k}, 0) + value : 0;
		greatest = value > greatest ? value : greatest;
	}
	if (ret_greatest)
		*ret_greatest = greatest;
	return value;
}

static uint32_t latest_of(const struct computation *c, struct where s, uint32_t thread)
{
	uint64_t past = past_of(c, s);
	uint32_t latest = 0;
	for (uint32_t i = 0; i < c->count; i++)
		if (past >> i & 1 && c->steps[i].thread == thread)
			latest = c->index[i];
	return latest;
}

/* @_j(s_i) */
static struct where known_state(const struct oracle *o, struct where s, uint32_t thread)
{
	if (thread == s.thread)
		return s;
	uint32_t latest = thread == STRANGER ? 0 : latest_of(o->c, s, thread);
	return latest ? (struct where){thread, latest} : (struct where){STRANGER, 0};
}

static bool in_range(const struct oracle *o, struct where s, uint32_t variable, uint32_t thread)
{
	const struct norn_thread_name *v = &o->p->threads[variable];
	uint64_t past = past_of(o->c, s);
	if (s.thread == STRANGER || (thread != s.thread && !latest_of(o->c, s, thread)))
		return false;
	for (uint32_t i = 0; i < o->c->count; i++)
		if (past >> i & 1 && o->c->steps[i].thread == thread && o->c->steps[i].kind == STEP_END && thread != s.thread)
			return false;
	if (v->type != NORN_SLOT_NONE && !(o->c->types[thread] >> v->type & 1))
		return false;
	return v->other == NORN_SLOT_NONE || o->assigned[v->other] != thread;
}

static long value_of(struct oracle *o, const struct norn_expr *e, struct where s)
{
	switch (e->op) {
	case NORN_EXPR_INT:
		return (long)e->number;
	case NORN_EXPR_PLACE:
		return variable_at(o->c, s, o->spec->places[e->index].text[0] == 'x' ? 0 : 1);
	case NORN_EXPR_GHOST:
		return ghost_at(o, s, NULL);
	case NORN_EXPR_AT:
		return value_of(o, e->a, known_state(o, s, o->assigned[e->index]));
	case NORN_EXPR_ADD:
		return value_of(o, e->a, s) + value_of(o, e->b, s);
	case NORN_EXPR_SUB:
		return value_of(o, e->a, s) - value_of(o, e->b, s);
	case NORN_EXPR_EQ:
		return value_of(o, e->a, s) == value_of(o, e->b, s);
	case NORN_EXPR_LT:
		return value_of(o, e->a, s) < value_of(o, e->b, s);
	case NORN_EXPR_LE:
		return value_of(o, e->a, s) <= value_of(o, e->b, s);
	default:
		fail_msg("operator %d", (int)e->op);
		return 0;
	}
}

static bool atom_holds(struct oracle *o, const struct norn_atom *a, struct where s)
{
	const struct step *step = s.thread != STRANGER && s.position ? &o->c->steps[step_at(o->c, s)] : NULL;
	if (a->kind == NORN_ATOM_PREDICATE)
		return value_of(o, a->predicate, s) != 0;
	if (a->kind == NORN_ATOM_EVENT)
		return step && step->kind == STEP_NOTE && o->spec->events[a->event].name[0] == "ef"[step->variable];
	if (!step || (step->kind != STEP_READ && step->kind != STEP_WRITE) ||
	        names[step->variable][0] != o->spec->places[a->place].text[0])
		return false;
	return a->word == NORN_WORD_ACCESS || (a->word == NORN_WORD_READ) == (step->kind == STEP_READ);
}

static bool holds(struct oracle *o, uint32_t node, struct where s);

static bool quantified(struct oracle *o, const struct norn_node *n, struct where s)
{
	bool all = n->op == NORN_OP_FORALL, result = all;
	uint32_t before = o->assigned[n->b];
	for (uint32_t t = 0; t < o->c->threads; t++) {
		o->assigned[n->b] = before;
		if (!in_range(o, s, n->b, t))
			continue;
		o->assigned[n->b] = t;
		bool one = holds(o, n->a, s);
		result = all ? result && one : result || one;
	}
	o->assigned[n->b] = before;
	return result;
}

/* p holds at some earlier or this position, and from there on (behind it, or with it) q does. */
static bool since(struct oracle *o, uint32_t p, uint32_t q, struct where s, bool weak)
{
	for (uint32_t k = s.position + 1; k-- > 0;) {
		if (holds(o, p, (struct where){s.thread, k}))
			return true;
		if (!holds(o, q, (struct where){s.thread, k}))
			return false;
	}
	return weak;
}

/* p held at some position, and q at none since then, that position included. */
static bool interval(struct oracle *o, uint32_t p, uint32_t q, struct where s, bool weak)
{
	for (uint32_t k = s.position + 1; k-- > 0;) {
		if (holds(o, q, (struct where){s.thread, k}))
			return false;
		if (holds(o, p, (struct where){s.thread, k}))
			return true;
	}
	return weak;
}

/* Table 1. */
static bool holds(struct oracle *o, uint32_t node, struct where s)
{
	const struct norn_node *n = &o->p->nodes[node];
	struct where before = {s.thread, s.position ? s.position - 1 : 0};
	switch (n->op) {
	case NORN_OP_TRUE:
	case NORN_OP_FALSE:
		return n->op == NORN_OP_TRUE;
	case NORN_OP_ATOM:
		return atom_holds(o, &o->p->atoms[n->a], s);
	case NORN_OP_NOT:
		return !holds(o, n->a, s);
	case NORN_OP_AND:
		return holds(o, n->a, s) && holds(o, n->b, s);
	case NORN_OP_OR:
		return holds(o, n->a, s) || holds(o, n->b, s);
	case NORN_OP_PREV:
		return holds(o, n->a, before);
	case NORN_OP_START:
		return holds(o, n->a, s) && !holds(o, n->a, before);
	case NORN_OP_END:
		return !holds(o, n->a, s) && holds(o, n->a, before);
	case NORN_OP_ONCE:
		for (uint32_t k = 0; k <= s.position; k++)
			if (holds(o, n->a, (struct where){s.thread, k}))
				return true;
		return false;
	case NORN_OP_HIST:
		for (uint32_t k = 0; k <= s.position; k++)
			if (!holds(o, n->a, (struct where){s.thread, k}))
				return false;
		return true;
	case NORN_OP_SINCE:
	case NORN_OP_WEAK_SINCE:
		return since(o, n->b, n->a, s, n->op == NORN_OP_WEAK_SINCE);
	case NORN_OP_INTERVAL:
	case NORN_OP_WEAK_INTERVAL:
		return interval(o, n->a, n->b, s, n->op == NORN_OP_WEAK_INTERVAL);
	case NORN_OP_AT:
		return holds(o, n->a, known_state(o, s, o->assigned[n->b]));
	case NORN_OP_FORALL:
	case NORN_OP_EXISTS:
		return quantified(o, n, s);
	default:
		fail_msg("operator %d", (int)n->op);
		return false;
	}
}

static bool definition(struct oracle *o, uint32_t step)
{
	struct where s = {o->c->steps[step].thread, o->c->index[step]};
	for (uint32_t i = 0; i < NORN_THREAD_VARIABLES_MAX; i++)
		o->assigned[i] = STRANGER;
	if (o->p->threads[0].type != NORN_SLOT_NONE && !(o->c->types[s.thread] & 1))
		return true;
	o->assigned[0] = s.thread;
	return holds(o, o->p->node_count - 1, s);
}

/* ---- the comparison ---- */

static void print_run(const struct computation *c, const uint32_t *sequence)
{
	static const char *const kinds[] = {"internal", "read", "write", "note", "set", "fork", "end", "join"};
	for (uint32_t k = 0; k < c->count; k++) {
		const struct step *s = &c->steps[sequence[k]];
		print_message("# %2u: thread %u (type %u) %s %u value %d\n", sequence[k], s->thread, (unsigned)c->types[s->thread],
		        kinds[s->kind], s->variable, s->value);
	}
}

/* Lemma 1. */
static void expect_predicted_state(const struct play *play, const struct computation *c, uint32_t step)
{
	struct where s = {c->steps[step].thread, c->index[step]};
	const struct norn_local_monitor *m = play->local_monitor[s.thread];
	for (uint32_t v = 0; v < VARIABLES; v++) {
		uint32_t place = play->place[v];
		if (place == NORN_SLOT_NONE || place >= play->local_monitors.program.valued)
			continue;
		assert_true(m->now->places[place].value.known);
		assert_int_equal((long)m->now->places[place].value.integer, variable_at(c, s, v));
	}
}

static void compare(const struct checked *checked, const struct computation *c, const bool *expected, const uint32_t *sequence,
        const char *text)
{
	struct play play;
	play_open(&play, checked->sources, checked->spec, names, c->types, c->threads, c->begun);
	for (uint32_t k = 0; k < c->count; k++) {
		uint64_t wrong, unknown;
		uint32_t step = sequence[k];
		play_step(&play, &c->steps[step], &wrong, &unknown);
		if (!wrong != expected[step] || unknown) {
			print_run(c, sequence);
			fail_msg("event %u: %s by definition, %s by knowledge vectors: %s", step, expected[step] ? "true" : "false",
			        unknown ? "unknown"
			        : wrong ? "false"
			                : "true",
			        text);
		}
		expect_predicted_state(&play, c, step);
	}
	play_close(&play);
}

/* Another order that is consistent with the computation. */
static void shuffle(const struct computation *c, uint32_t *sequence)
{
	uint64_t done = 0;
	for (uint32_t k = 0; k < c->count; k++) {
		uint32_t ready[STEPS_MAX], count = 0;
		for (uint32_t i = 0; i < c->count; i++)
			if (!(done >> i & 1) && !(c->before[i] & ~done & ~(UINT64_C(1) << i)))
				ready[count++] = i;
		sequence[k] = ready[chance(count)];
		done |= UINT64_C(1) << sequence[k];
	}
}

/* Too many threads at once, or constant. */
static bool is_useless(const struct checked *checked)
{
	struct norn_mttl program;
	struct norn_error err = {0};
	int r = norn_mttl_compile(checked->sources, checked->spec, &program, &err);
	if (r != 0)
		return r == -E2BIG;
	bool constant = !program.event_properties[0];
	norn_mttl_done(&program);
	return constant;
}

/* Verdicts that are not all the same: the others test little. */
static bool try_definition(struct writer *w, struct computation *c)
{
	uint32_t sequence[STEPS_MAX];
	bool expected[STEPS_MAX], some = false, all = true;
	random_formula(w);
	struct checked checked = check_text(w->text, NULL);
	if (!checked.spec->property_count || is_useless(&checked)) {
		check_done(&checked);
		return false;
	}
	random_computation(c);
	struct oracle o = {.c = c, .spec = checked.spec, .p = &checked.spec->properties[0]};
	for (uint32_t i = 0; i < c->count; i++) {
		expected[i] = definition(&o, i);
		some |= expected[i];
		all &= expected[i];
		sequence[i] = i;
	}
	compare(&checked, c, expected, sequence, w->text);
	for (unsigned n = 0; n < SHUFFLES; n++) {
		shuffle(c, sequence);
		compare(&checked, c, expected, sequence, w->text);
	}
	check_done(&checked);
	return some && !all;
}

/* ---- the shortcuts ---- */

/* Several properties, each with positions of its own. */
static void rich_formulas(struct writer *w)
{
	static const char *const begin[] = {"property p { mttl for i: g >= 0 && ", "property q { mttl for i: k >= 1 || ",
	        "property r { mttl for i: t: s <= 1 -> ", "property u { mttl for i: "};
	w->length = 0;
	w->rich = true;
	say(w,
	        "thread t = named \"t\"; event e = note \"e\"; event f = note \"f\"; "
	        "ghost g = 0 { e: fresh; f: x + g; } ghost k = 0 { f: k + %u; } ",
	        chance(2));
	for (unsigned i = 0, count = 1 + chance(4), first = chance(4); i < count; i++) {
		w->bound = 1;
		say(w, "%s", begin[(first + i) % 4]);
		formula(w, 2 + chance(3));
		say(w, "; } ");
	}
}

/* No program tells that s is what norn_set gives. */
static uint32_t make_set(const struct norn_spec *spec)
{
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (strcmp(spec->places[i].text, "s") == 0) {
			((struct norn_place *)(uintptr_t)&spec->places[i])->kind = NORN_PLACE_SET;
			return i;
		}
	return NORN_SLOT_NONE;
}

static struct norn_value any_value(void)
{
	switch (chance(8)) {
	case 0:
		return norn_value_unknown();
	case 1:
		return norn_value_real(chance(3) / 2.0);
	case 2:
		return norn_value_integer((__int128)INT64_MIN + chance(3));
	case 3:
		return norn_value_integer((__int128)INT64_MAX + chance(3) - 1);
	default:
		return norn_value_integer(chance(3));
	}
}

/* From now on it computes everything at its next event. */
static void make_thorough(struct play *play)
{
	for (uint32_t t = 0; t < THREADS_MAX; t++)
		if (play->local_monitor[t]) {
			play->local_monitor[t]->whole = true;
			play->local_monitor[t]->usual = false;
			play->local_monitor[t]->unpublished = UINT64_MAX;
		}
}

/* What no computation has: other types, values that are no small integers, events that may be there, or bring news. */
static void disturb(struct play plays[2], uint32_t thread, uint32_t set)
{
	const struct norn_occurrence maybe = {.event = chance(2), .holds = NORN_TRUTH_UNKNOWN};
	const struct norn_setting setting = {.place = set, .value = any_value()};
	struct norn_monitor_input call = {.call = true};
	unsigned kind = chance(4), types = chance(2), other = chance(THREADS_MAX);
	if (kind == 1 || kind == 3) {
		call.occurrences = &maybe;
		call.occurrence_count = 1;
	} else if (kind == 2 && set != NORN_SLOT_NONE) {
		call.settings = &setting;
		call.setting_count = 1;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct norn_local_monitor *m = plays[i].local_monitor[thread];
		if (!m || m->ended)
			return;
		if (kind == 3 && plays[i].local_monitor[other])
			norn_local_monitor_learn(m, plays[i].local_monitor[other]->now, (struct norn_knowledge_origin){0});
		if (kind == 0)
			norn_local_monitor_retype(m, types);
		else
			norn_local_monitor_think(m, &call);
	}
}

static bool same_value(struct norn_value a, struct norn_value b)
{
	return a.known == b.known &&
	       (!a.known || (a.is_float == b.is_float && (a.is_float ? a.real == b.real : a.integer == b.integer)));
}

static bool same_entry(const struct norn_mttl *p, const struct norn_known_thread *a, const struct norn_known_thread *b)
{
	if (!a || !b)
		return a == b;
	bool same = a->number == b->number && a->width == b->width && a->types == b->types && a->ended == b->ended;
	for (size_t i = 0; same && i < norn_known_count(p, a->width); i++)
		same = same_value(norn_brief_value(norn_known_values(a)[i], norn_known_longs(p, a) + i),
		        norn_brief_value(norn_known_values(b)[i], norn_known_longs(p, b) + i));
	return same && !memcmp(norn_known_who(a), norn_known_who(b), a->width * sizeof(uint32_t));
}

static bool same_reasons(struct norn_local_monitor *a, struct norn_local_monitor *b, uint32_t property)
{
	const struct norn_monitor_input nothing = {0};
	struct norn_evidence x, y;
	norn_local_monitor_explain(a, &nothing, property, &x);
	norn_local_monitor_explain(b, &nothing, property, &y);
	bool same = x.count == y.count;
	for (uint32_t i = 0; same && i < x.count; i++)
		same = x.items[i].remote == y.items[i].remote && x.items[i].number == y.items[i].number &&
		       same_value(x.items[i].value, y.items[i].value);
	return same;
}

static bool same_minds(struct norn_local_monitor *a, struct norn_local_monitor *b)
{
	bool same = a->violated == b->violated && a->unknown == b->unknown &&
	            norn_knowledge_seats(a->now) == norn_knowledge_seats(b->now);
	for (uint32_t i = 0; same && i < norn_knowledge_seats(a->now); i++)
		same = same_entry(&a->world->program, norn_knowledge_of(a->now, i), norn_knowledge_of(b->now, i));
	for (uint32_t i = 0; same && i < a->world->program.property_count; i++)
		same = same_reasons(a, b, i);
	return same;
}

static bool try_shortcuts(struct writer *w, struct computation *c)
{
	struct play plays[2];
	struct norn_mttl program;
	struct norn_error err = {0};
	uint64_t ever = 0;
	rich_formulas(w);
	struct checked checked = check_text(w->text, NULL);
	uint32_t set = make_set(checked.spec);
	if (!checked.spec->property_count || norn_mttl_compile(checked.sources, checked.spec, &program, &err) != 0) {
		check_done(&checked);
		return false;
	}
	norn_mttl_done(&program);
	random_computation(c);
	for (unsigned i = 0; i < 2; i++)
		play_open(&plays[i], checked.sources, checked.spec, names, c->types, c->threads, c->begun);
	for (uint32_t k = 0; k < c->count; k++) {
		uint64_t wrong[2], unknown[2], new[2];
		const struct step *s = &c->steps[k];
		make_thorough(&plays[1]);
		if (chance(3) == 0)
			disturb(plays, s->thread, set);
		make_thorough(&plays[1]);
		for (unsigned i = 0; i < 2; i++)
			new[i] = play_step(&plays[i], s, &wrong[i], &unknown[i]);
		ever |= new[0];
		if (new[0] != new[1] || !same_minds(plays[0].local_monitor[s->thread], plays[1].local_monitor[s->thread])) {
			uint32_t sequence[STEPS_MAX];
			for (uint32_t i = 0; i < c->count; i++)
				sequence[i] = i;
			print_run(c, sequence);
			fail_msg("event %u: verdicts %" PRIx64 " and %" PRIx64 ", unknown %" PRIx64 " and %" PRIx64 ": %s", k,
			        wrong[0], wrong[1], unknown[0], unknown[1], w->text);
		}
	}
	for (unsigned i = 0; i < 2; i++)
		play_close(&plays[i]);
	check_done(&checked);
	return ever != 0;
}

/* ---- all cases ---- */

/* Each case has a formula and a computation of its own, and says whether it tells anything. NORN_CASES and NORN_SEED: how many, and
 * which. */
static void try_cases(
        bool try(struct writer *, struct computation *), unsigned cases, uint64_t first_seed, const char *telling_what)
{
	struct writer w;
	struct computation c;
	unsigned telling = 0;
	const char *wanted = getenv("NORN_CASES"), *start = getenv("NORN_SEED");
	seed = start ? strtoull(start, NULL, 0) : first_seed;
	cases = wanted ? (unsigned)atoi(wanted) : cases;
	for (unsigned i = 0; i < cases; i++)
		telling += try(&w, &c);
	assert_true(telling > cases / 4);
	print_message("# %u cases, %u of them with %s\n", cases, telling, telling_what);
}

static void test_definition(void **state)
{
	try_cases(try_definition, CASES, UINT64_C(0x6d74746c), "different verdicts");
}

static void test_shortcuts(void **state)
{
	try_cases(try_shortcuts, CASES / 2, UINT64_C(0x6d696e64), "violations");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_definition),
	        cmocka_unit_test(test_shortcuts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
