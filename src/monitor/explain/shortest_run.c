#include "monitor/explain/shortest_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/map.h"
#include "monitor/eval.h"
#include "monitor/explain/try.h"

#define VARIABLES_MAX 12u
#define CANDIDATES_MAX 24u
#define ASSIGNMENTS_MAX 4096u
#define NODES_MAX 200000u
#define WORK_MAX 4000000u
#define EVENT_SETS_MAX 512u

struct candidates {
	__int128 values[CANDIDATES_MAX];
	uint32_t count;
	uint32_t variable; /* place, or place_count + ghost */
	bool bare; /* used only as a truth value: written without a number */
	bool several; /* stands in an expression with other variables */
};

/* A set of at most two events that can happen at once. */
struct event_set {
	uint32_t count, events[2];
};

struct run_node {
	uint64_t state;
	uint32_t parent; /* of the nodes */
	uint16_t assignment, events;
};

struct run_search {
	const struct norn_spec *spec;
	const struct norn_property *property;
	const struct norn_monitor *monitor;
	struct candidates variables[VARIABLES_MAX];
	uint32_t variable_count;
	bool too_many, one_by_one;
	uint32_t assignments;
	uint8_t digits[ASSIGNMENTS_MAX][VARIABLES_MAX]; /* per assignment and variable: the number of its value */
	struct event_set sets[EVENT_SETS_MAX];
	uint32_t set_count;
	/* read by leaf */
	uint32_t assignment, set;
	struct run_node *nodes;
	uint32_t node_count;
	uint32_t work; /* steps of the search */
	struct norn_map seen;
};

/* ---- variables and their values ---- */

static void add_value(struct candidates *c, __int128 value)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->values[i] == value)
			return;
	if (c->count < CANDIDATES_MAX)
		c->values[c->count++] = value;
}

static struct candidates *find_variable(struct run_search *s, uint32_t variable)
{
	for (uint32_t i = 0; i < s->variable_count; i++)
		if (s->variables[i].variable == variable)
			return &s->variables[i];
	if (s->variable_count == VARIABLES_MAX) {
		s->too_many = true;
		return NULL;
	}
	struct candidates *c = &s->variables[s->variable_count++];
	*c = (struct candidates){.variable = variable, .bare = true};
	return c;
}

static bool is_variable(const struct norn_expr *expr)
{
	return expr->op == NORN_EXPR_PLACE || expr->op == NORN_EXPR_GHOST;
}

static uint32_t variable_of(const struct run_search *s, const struct norn_expr *expr)
{
	return expr->op == NORN_EXPR_PLACE ? expr->index : s->spec->place_count + expr->index;
}

/* Applies to every node of an expression. Expressions are no deeper than forms are. */
static void walk(struct run_search *s, const struct norn_expr *expr, bool truth,
        void (*visit)(struct run_search *, const struct norn_expr *, bool, void *), void *context)
{
	bool logical = expr->op >= NORN_EXPR_NOT && expr->op <= NORN_EXPR_OR && expr->op != NORN_EXPR_NEGATE &&
	               expr->op != NORN_EXPR_INVERT;
	visit(s, expr, truth, context);
	if (expr->a)
		walk(s, expr->a, truth && logical, visit, context);
	if (expr->b)
		walk(s, expr->b, truth && logical, visit, context);
}

static void note_variable(struct run_search *s, const struct norn_expr *expr, bool truth, void *variables)
{
	struct candidates *c = is_variable(expr) ? find_variable(s, variable_of(s, expr)) : NULL;
	if (!c)
		return;
	c->bare &= truth;
	*(uint64_t *)variables |= UINT64_C(1) << (c - s->variables);
}

/* context: which variables the expression has */
static void note_constant(struct run_search *s, const struct norn_expr *expr, bool truth, void *variables)
{
	(void)truth;
	double real = expr->op == NORN_EXPR_REAL ? norn_real_of(expr->number) : 0;
	if ((expr->op != NORN_EXPR_INT && expr->op != NORN_EXPR_REAL) || real < -1e18 || real > 1e18)
		return;
	__int128 number = expr->op == NORN_EXPR_REAL ? (__int128)real : expr->number;
	for (uint64_t rest = *(uint64_t *)variables; rest != 0; rest &= rest - 1)
		for (int delta = 0; delta < 3; delta++)
			add_value(&s->variables[__builtin_ctzll(rest)], number + (const int[]){0, 1, -1}[delta]);
}

static bool fits(const struct run_search *s, const struct candidates *c, __int128 value)
{
	const struct norn_type *type = c->variable < s->spec->place_count ? s->spec->places[c->variable].type : NULL;
	if (!type)
		return true;
	if (type->kind == NORN_TYPE_BOOL)
		return value == 0 || value == 1;
	return value >= 0 || (type->kind != NORN_TYPE_UNSIGNED && type->kind != NORN_TYPE_POINTER);
}

static void find_values(struct run_search *s)
{
	for (uint32_t i = 0; i < s->property->atom_count; i++) {
		const struct norn_atom *atom = &s->property->atoms[i];
		uint64_t variables = 0;
		if (atom->kind != NORN_ATOM_PREDICATE)
			continue;
		walk(s, atom->predicate, true, note_variable, &variables);
		for (uint64_t rest = variables; rest != 0; rest &= rest - 1) {
			struct candidates *c = &s->variables[__builtin_ctzll(rest)];
			c->several |= (variables & (variables - 1)) != 0;
			add_value(c, 0);
			add_value(c, 1);
		}
		walk(s, atom->predicate, false, note_constant, &variables);
	}
	s->one_by_one = true;
	for (uint32_t i = 0; i < s->variable_count; i++) {
		struct candidates *c = &s->variables[i];
		uint32_t kept = 0;
		if (c->bare)
			c->count = 2;
		if (c->several && !c->bare) {
			add_value(c, 2);
			add_value(c, -1);
		}
		for (uint32_t v = 0; v < c->count; v++)
			if (fits(s, c, c->values[v]))
				c->values[kept++] = c->values[v];
		c->count = kept;
		if (c->variable < s->spec->place_count && s->spec->places[c->variable].kind == NORN_PLACE_FREE)
			s->one_by_one = false;
	}
}

/* Fewer values for those that have the most, until all combinations can be tried. */
static void count_assignments(struct run_search *s)
{
	for (;;) {
		uint64_t product = 1;
		struct candidates *longest = NULL;
		for (uint32_t i = 0; i < s->variable_count; i++) {
			struct candidates *c = &s->variables[i];
			product *= c->count;
			longest = !longest || c->count > longest->count ? c : longest;
		}
		s->assignments = (uint32_t)product;
		if (product <= ASSIGNMENTS_MAX || !longest || longest->count <= 2)
			return;
		longest->count--;
	}
}

/* An assignment's number is one with mixed radix. */
static void number_assignments(struct run_search *s)
{
	for (uint32_t assignment = 0; assignment < s->assignments; assignment++)
		for (uint32_t v = 0, rest = assignment; v < s->variable_count; v++) {
			s->digits[assignment][v] = (uint8_t)(rest % s->variables[v].count);
			rest /= s->variables[v].count;
		}
}

static __int128 value_in(const struct run_search *s, uint32_t assignment, uint32_t v)
{
	return s->variables[v].values[s->digits[assignment][v]];
}

static uint32_t changes(const struct run_search *s, uint32_t a, uint32_t b)
{
	uint32_t count = 0;
	for (uint32_t v = 0; v < s->variable_count; v++)
		count += s->digits[a][v] != s->digits[b][v];
	return count;
}

/* ---- letters ---- */

static void note_event(struct run_search *s, const struct norn_expr *expr, bool truth, void *used)
{
	(void)s;
	(void)truth;
	if (expr->op == NORN_EXPR_EVENT)
		((uint8_t *)used)[expr->index] = 1;
}

static void add_set(struct run_search *s, struct event_set set)
{
	if (s->set_count < EVENT_SETS_MAX)
		s->sets[s->set_count++] = set;
}

static void find_events(struct run_search *s)
{
	uint8_t *used = norn_must_calloc(s->spec->event_count, 1);
	for (uint32_t i = 0; i < s->property->atom_count; i++) {
		const struct norn_atom *atom = &s->property->atoms[i];
		if (atom->kind == NORN_ATOM_EVENT)
			used[atom->event] = 1;
		else
			walk(s, atom->predicate, true, note_event, used);
	}
	add_set(s, (struct event_set){0}); /* number 0 is the empty one */
	for (uint32_t a = 0; a < s->spec->event_count; a++)
		if (used[a])
			add_set(s, (struct event_set){1, {a, 0}});
	for (uint32_t a = 0; a < s->spec->event_count; a++)
		for (uint32_t b = a + 1; used[a] && b < s->spec->event_count; b++)
			if (used[b] && norn_events_may_coincide(s->spec, a, b))
				add_set(s, (struct event_set){2, {a, b}});
	free(used);
}

static bool happens(const struct run_search *s, uint32_t event)
{
	const struct event_set *set = &s->sets[s->set];
	return (set->count > 0 && set->events[0] == event) || (set->count > 1 && set->events[1] == event);
}

static struct norn_value leaf(void *context, const struct norn_expr *expr)
{
	const struct run_search *s = context;
	if (expr->op == NORN_EXPR_EVENT)
		return norn_value_integer(happens(s, expr->index));
	for (uint32_t v = 0; is_variable(expr) && v < s->variable_count; v++)
		if (s->variables[v].variable == variable_of(s, expr))
			return norn_value_integer(value_in(s, s->assignment, v));
	return norn_value_unknown();
}

/* false: some atom has no value. */
static bool letter_of(struct run_search *s, uint32_t assignment, uint32_t set, uint64_t *ret_letter)
{
	const struct norn_eval_env env = {leaf, s};
	s->assignment = assignment;
	s->set = set;
	*ret_letter = 0;
	for (uint32_t i = 0; i < s->property->atom_count; i++) {
		const struct norn_atom *atom = &s->property->atoms[i];
		enum norn_truth holds =
		        atom->kind == NORN_ATOM_EVENT ? happens(s, atom->event) : norn_expr_holds(atom->predicate, &env);
		if (holds == NORN_TRUTH_UNKNOWN)
			return false;
		*ret_letter |= (uint64_t)holds << i;
	}
	return norn_monitor_possible(s->monitor, *ret_letter);
}

/* ---- breadth-first ---- */

static uint64_t node_key(const struct run_search *s, uint64_t state, uint32_t assignment)
{
	return s->one_by_one ? norn_monitor_hash(state) ^ norn_monitor_hash(assignment + 1) : state;
}

/* True: a node with the wanted verdict was added, it is the last. */
static bool try_edge(struct run_search *s, uint32_t parent, uint32_t assignment, uint32_t set, enum norn_verdict wanted)
{
	uint64_t letter;
	s->work++;
	if (!letter_of(s, assignment, set, &letter))
		return false;
	uint64_t state = norn_monitor_step(s->monitor, s->nodes[parent].state, letter);
	if (norn_map_get(&s->seen, node_key(s, state, assignment)) || s->node_count == NODES_MAX)
		return false;
	norn_must_map_put(&s->seen, node_key(s, state, assignment));
	s->nodes[s->node_count++] =
	        (struct run_node){.state = state, .parent = parent, .assignment = (uint16_t)assignment, .events = (uint16_t)set};
	return norn_monitor_verdict(s->monitor, state) == wanted;
}

/* All edges of a node, those with few changes first. */
static bool expand(struct run_search *s, uint32_t node, enum norn_verdict wanted)
{
	bool first = node == 0, states = s->property->states;
	uint32_t from = s->nodes[node].assignment;
	uint32_t most = first || !s->one_by_one ? s->variable_count : 1;
	for (uint32_t changed = 0; changed <= most; changed++)
		for (uint32_t assignment = 0; assignment < s->assignments && s->work < WORK_MAX; assignment++) {
			s->work++;
			if (changes(s, from, assignment) != changed)
				continue;
			/* Without variables there is an event at every position; with them, none at the first: that is the initial
			 * valuation. */
			uint32_t begin = states || s->set_count == 1 ? 0 : 1, end = first && states ? 1 : s->set_count;
			for (uint32_t set = begin; set < end; set++)
				if (try_edge(s, node, assignment, set, wanted))
					return true;
		}
	return false;
}

/* ---- as steps ---- */

static const char *variable_name(const struct run_search *s, uint32_t variable)
{
	return variable < s->spec->place_count ? norn_try_place_name(&s->spec->places[variable])
	                                       : s->spec->ghosts[variable - s->spec->place_count].name;
}

static void write_step(const struct run_search *s, const struct run_node *node, const struct run_node *before, FILE *to)
{
	const char *comma = "";
	for (uint32_t i = 0; i < s->sets[node->events].count; i++, comma = ",")
		fprintf(to, "%s%s", comma, s->spec->events[s->sets[node->events].events[i]].name);
	for (uint32_t v = 0; v < s->variable_count; v++) {
		const struct candidates *c = &s->variables[v];
		__int128 value = value_in(s, node->assignment, v), last = before ? value_in(s, before->assignment, v) : 0;
		bool ghost = c->variable >= s->spec->place_count;
		char text[48];
		norn_value_text(norn_value_integer(value), text, sizeof text);
		if (c->bare && !ghost ? value == 0 : value == last && (before || !ghost))
			continue;
		fprintf(to, c->bare && !ghost ? "%s%s" : "%s%s=%s", comma, variable_name(s, c->variable), text);
		comma = ",";
	}
	if (!*comma)
		fputc('-', to);
}

/* True if the steps make the letters that lead to the last node. */
static bool plays(const struct run_search *s, const char *steps, enum norn_verdict wanted)
{
	struct norn_try try;
	if (norn_try_init(&try, s->spec, s->property, steps, NULL) != 0)
		return false;
	uint64_t state = norn_monitor_start(s->monitor);
	for (uint32_t i = 0; i < try.count; i++)
		state = norn_monitor_step(s->monitor, state, try.letters[i]);
	norn_try_done(&try);
	return norn_monitor_verdict(s->monitor, state) == wanted;
}

static struct norn_shortest_run make_steps(const struct run_search *s, enum norn_verdict wanted)
{
	uint32_t length = 0;
	for (uint32_t i = s->node_count - 1; i != 0; i = s->nodes[i].parent)
		length++;
	uint32_t *path = norn_must_alloc(length, sizeof *path), at = length;
	char *steps = NULL;
	size_t bytes;
	FILE *to = norn_must(open_memstream(&steps, &bytes));
	for (uint32_t i = s->node_count - 1; i != 0; i = s->nodes[i].parent)
		path[--at] = i;
	for (uint32_t i = 0; i < length; i++) {
		fputs(i > 0 ? " " : "", to);
		write_step(s, &s->nodes[path[i]], i > 0 ? &s->nodes[path[i - 1]] : NULL, to);
	}
	free(path);
	norn_must_close(to);
	if (plays(s, steps, wanted))
		return (struct norn_shortest_run){steps, length};
	free(steps);
	return (struct norn_shortest_run){0};
}

static struct norn_shortest_run search(struct run_search *s, enum norn_verdict wanted)
{
	find_values(s);
	count_assignments(s);
	find_events(s);
	s->nodes = norn_must_alloc(NODES_MAX, sizeof *s->nodes);
	if (s->too_many || s->assignments > ASSIGNMENTS_MAX)
		return (struct norn_shortest_run){0};
	number_assignments(s);
	s->nodes[s->node_count++] = (struct run_node){.state = norn_monitor_start(s->monitor)};
	bool found = norn_monitor_verdict(s->monitor, s->nodes[0].state) == wanted;
	if (!s->one_by_one)
		norn_must_map_put(&s->seen, s->nodes[0].state);
	for (uint32_t i = 0; !found && i < s->node_count && s->work < WORK_MAX; i++)
		found = expand(s, i, wanted);
	return found ? make_steps(s, wanted) : (struct norn_shortest_run){0};
}

struct norn_shortest_run norn_shortest_run_find(const struct norn_spec *spec, const struct norn_property *property,
        const struct norn_monitor *monitor, enum norn_verdict wanted)
{
	struct run_search *s = norn_must_calloc(1, sizeof *s);
	s->spec = spec;
	s->property = property;
	s->monitor = monitor;
	norn_map_init(&s->seen, 1);
	struct norn_shortest_run run = search(s, wanted);
	free(s->nodes);
	norn_map_done(&s->seen);
	free(s);
	return run;
}
