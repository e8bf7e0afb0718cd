/* The oracle: random small programs, one recorded schedule each; whatever the engine predicts must happen when the program is run
 * that way.
 *
 *   oracle [-n PROGRAMS] [-s SEED]     known shapes, then so many programs; prints TAP
 *   oracle -p FILE                     one program, with all claims about it
 *   oracle -m KIND [-n …] [-s …]       programs in which an error of this kind (enum norn_sliced_kind; from its end on: violation
 *                                      of a property, stuck thread, race by memory orders) along the recorded branches is missed;
 *                                      -k N of them
 *   oracle -b [-n …] [-s …]            how many programs notice that a rule is left out
 *   … -e EFFORT                        nodes of the search for each candidate (300)
 *   … -o                               only programs with memory orders
 *   … -a                               only programs with many marks, for properties
 *   … -t                               only programs with atomic blocks of several variables
 *
 * A false claim is printed with the smallest program that still has it. The floors of what must be found keep a silent engine from
 * passing.
 *
 * Errors are counted by their statements, of those that some run of the program has:
 *
 *   reachable   on any branch
 *   covered     all statements of the error ran when recorded. That says little: many of these errors need another outcome of a
 *               branch, after which a thread does what nobody recorded (the law, section 2)
 *   along       each thread does what it did when recorded, as far as it goes, with any values and in any order: what one recording
 *               can tell at most, and what the rules of the law claim
 *
 * The floors are for *along*: what is only covered can be claimed by no rule. Of two kinds less can be claimed than that: of
 * deadlocks (print_stuck), and of assertions, which facts say enough of only where the condition is an expression of reads that
 * decide nothing else, and where no code without hooks may have written meanwhile (X6). Both figures are printed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "property.h"
#include "random.h"
#include "run.h"
#include "shapes.h"
#include "text.h"
#include "trace/record.h"

static unsigned points, failures;
static unsigned effort = 300;
static bool only_orders, only_marks, only_blocks;

static void point(bool good, const char *name)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++points, name);
	failures += !good;
}

static struct run_options defaults(void)
{
	return (struct run_options){.max_states = 40000, .out = stdout, .effort = effort};
}

/* ---- shapes ---- */

static bool on_variable(const struct statement *s, char variable)
{
	static const char names[] = "fgpwxyzab";
	return (s->kind == S_WRITE || s->kind == S_READ) && names[s->place.variable] == variable;
}

static bool race_on(const struct program *program, const struct reachable *found, char variable)
{
	for (unsigned i = 1; i <= program->count; i++)
		for (unsigned j = 1; j <= program->count; j++)
			if (found->race[i][j] && on_variable(&program->statements[i], variable))
				return true;
	return false;
}

static unsigned races_of(const struct reachable *found)
{
	unsigned n = 0;
	for (unsigned i = 0; i < STATEMENTS; i++)
		for (unsigned j = 0; j <= i; j++)
			n += found->race[i][j];
	return n;
}

static void test_shape(const struct shape *shape)
{
	static struct program program;
	static struct outcome outcome;
	char name[100];
	struct run_options options = defaults();
	const char *error = program_parse(shape->text, &program);
	if (error) {
		printf("# %s is not understood: %s\n", shape->name, error);
		point(false, shape->name);
		return;
	}
	run_program(&program, &options, NULL, &outcome);
	bool real = !shape->without_flow && !shape->without_closure,
	     silent = !strcmp(shape->name, "H22") || !strcmp(shape->name, "H23");
	snprintf(name, sizeof(name), "%s: %s", shape->name, real ? "found" : "no false race, but the real one");
	point(outcome.worst == JUDGED_TRUE && race_on(&program, &outcome.found, shape->variable) == real &&
	                (silent ? !races_of(&outcome.found) : races_of(&outcome.found)),
	        name);
	if (real)
		return;
	options.without_flow = shape->without_flow;
	options.without_closure = shape->without_closure;
	options.out = NULL;
	run_program(&program, &options, NULL, &outcome);
	snprintf(name, sizeof(name), "%s: without the rule, a false claim", shape->name);
	point(outcome.worst != JUDGED_TRUE && outcome.worst != JUDGED_REFUSED, name);
}

static void test_order_shape(const struct order_shape *shape)
{
	static struct program program;
	static struct outcome outcome;
	char name[100];
	struct run_options options = defaults();
	bool good = !program_parse(shape->text, &program);
	run_program(&program, &options, NULL, &outcome);
	snprintf(name, sizeof(name), "%s: %s", shape->name, shape->race ? "found" : "no race");
	point(good && outcome.worst == JUDGED_TRUE && race_on(&program, &outcome.found, 'x') == shape->race &&
	                races_of(&outcome.found) == shape->race,
	        name);
}

static void test_property_shape(const struct property_shape *shape)
{
	static struct program program;
	static struct outcome outcome;
	char name[100];
	struct run_options options = defaults();
	options.monitor = forbid_abc;
	bool good = !program_parse(shape->text, &program);
	run_program(&program, &options, NULL, &outcome);
	snprintf(name, sizeof(name), "%s: %s", shape->name, shape->violated ? "violated" : "not violated");
	point(good && outcome.worst == JUDGED_TRUE && outcome.violation == shape->violated, name);
	if (!shape->without)
		return;
	options.without_flow = shape->without;
	options.out = NULL;
	run_program(&program, &options, NULL, &outcome);
	snprintf(name, sizeof(name), "%s: without the rule, a false violation", shape->name);
	point(outcome.worst != JUDGED_TRUE && outcome.worst != JUDGED_REFUSED && outcome.violation, name);
}

static bool race_on_block(const struct program *program, const struct reachable *found)
{
	for (unsigned i = 1; i <= program->count; i++)
		for (unsigned j = 1; j <= program->count; j++)
			if (found->race[i][j] &&
			        (program->statements[i].place.kind == PLACE_BLOCK || program->statements[i].kind == S_FREE))
				return true;
	return false;
}

static bool has_error(const struct program *program, const struct reachable *found, const struct counterexample *c)
{
	bool stuck = false, twice = false, fails = false;
	for (unsigned i = 0; i < STATEMENTS; i++) {
		fails |= found->assertion[i];
		stuck |= found->stuck[i];
		for (unsigned j = 0; j < STATEMENTS; j++)
			twice |= found->double_free[i][j];
	}
	switch (c->kind) {
	case RACE:
		return c->variable == '*' ? race_on_block(program, found) : race_on(program, found, c->variable);
	case STUCK:
		return stuck;
	case CIRCLE:
		return found->deadlock_count > 0;
	case ASSERTION:
		return fails;
	default:
		return twice;
	}
}

static void test_counterexample(const struct counterexample *c)
{
	static struct program program;
	static struct outcome outcome;
	char name[100];
	struct run_options options = defaults();
	bool good = !program_parse(c->text, &program);
	run_program(&program, &options, NULL, &outcome);
	snprintf(name, sizeof(name), "%s: %s", c->name, c->found ? "found" : "not claimed");
	point(good && outcome.worst == JUDGED_TRUE && has_error(&program, &outcome.found, c) == c->found, name);
	if (!c->without)
		return;
	options.without_closure = c->without;
	options.out = NULL;
	run_program(&program, &options, NULL, &outcome);
	snprintf(name, sizeof(name), "%s: without the rule, a false claim", c->name);
	point(outcome.worst != JUDGED_TRUE && outcome.worst != JUDGED_REFUSED, name);
}

/* ---- programs ---- */

static void make_program(struct random *random, unsigned long number, struct program *ret_program)
{
	if (only_orders || number % 8 == 7) {
		random_orders(random, ret_program);
		return;
	}
	if (only_blocks || number % 8 == 5) {
		random_blocks(random, ret_program);
		return;
	}
	if (only_marks || number % 8 == 3) {
		random_marks(random, ret_program);
		return;
	}
	if (number % 3 || program_parse(shapes[random_below(random, shape_count)].text, ret_program)) {
		random_program(random, ret_program);
		return;
	}
	for (unsigned changes = 1 + random_below(random, 4); changes; changes--)
		random_change(random, ret_program);
}

/* The statement of the assertion that fails when the program is recorded; 0: none does. */
static unsigned failing_assertion(const struct program *program)
{
	static struct code code;
	static struct recording recording;
	if (!code_make(program, &code))
		return 0;
	record(&code, false, &recording);
	for (unsigned i = recording.count; i > 0; i--) {
		const struct norn_event *e = &recording.events[i - 1];
		if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_EXIT && e->argument)
			return statement_of_site(e->site);
	}
	return 0;
}

/* Where an assertion fails when recorded nothing is left to predict, so most are turned round. */
static void turn_assertions(struct program *program)
{
	static const uint8_t opposites[] = {[E_CONST] = E_CONST,
	        [E_LOCAL] = E_NOT,
	        [E_ADD] = E_EQ,
	        [E_SUB] = E_EQ,
	        [E_AND] = E_NE,
	        [E_XOR] = E_EQ,
	        [E_EQ] = E_NE,
	        [E_NE] = E_EQ,
	        [E_LT] = E_NE,
	        [E_NOT] = E_LOCAL};
	for (unsigned i = 0, failing; i < 8 && (failing = failing_assertion(program)); i++) {
		struct expression *e = &program->statements[failing].e;
		e->c = e->op == E_CONST ? 1 : e->c;
		e->op = opposites[e->op];
	}
}

static void some_program(struct random *random, unsigned long number, struct program *ret_program)
{
	make_program(random, number, ret_program);
	ret_program->maps = number % 4 == 1;
	if (number % 2)
		turn_assertions(ret_program);
}

/* States 0 … 2 go anywhere, the last one is the violation. */
static void some_monitor(struct random *random, uint8_t monitor[MONITOR_STATES][MONITOR_LETTERS])
{
	for (unsigned i = 0; i < MONITOR_STATES; i++)
		for (unsigned j = 0; j < MONITOR_LETTERS; j++)
			monitor[i][j] = (uint8_t)(i == MONITOR_STATES - 1 ? i : random_below(random, MONITOR_STATES - 1));
	for (unsigned i = random_below(random, 3); i < 3; i++)
		monitor[1 + random_below(random, 2)][random_below(random, MONITOR_LETTERS)] = MONITOR_STATES - 1;
	if (random_below(random, 3) == 0)
		memcpy(monitor, forbid_abc, sizeof(forbid_abc));
}

static void explain(unsigned long seed, struct program *program, struct run_options *options, unsigned missed)
{
	static struct outcome outcome;
	options->out = stdout;
	run_shrink(program, options, missed);
	printf("# seed %lu%s%s\n", seed,
	        options->no_facts ? ", without facts"
	        : options->weaken ? ", with weak facts"
	                          : "",
	        options->externals ? ", with external writes" : "");
	program_print(stdout, program);
	run_program(program, options, NULL, &outcome);
}

/* Only what rules R1 to R22 were first tried on: no uninstrumented code, no compare-and-swap, of objects only mutexes and
 * conditions. */
static bool is_basic(const struct program *program)
{
	static const bool others[STATEMENT_KINDS] = {[S_CAS] = true,
	        [S_RDLOCK] = true,
	        [S_TRYRDLOCK] = true,
	        [S_INIT] = true,
	        [S_POST] = true,
	        [S_TAKE] = true,
	        [S_TRYTAKE] = true,
	        [S_ARRIVE] = true,
	        [S_ONCE] = true,
	        [S_RAND] = true,
	        [S_RESOURCE] = true,
	        [S_OPAQUE] = true,
	        [S_COPY] = true,
	        [S_SET] = true,
	        [S_TIMEDWAIT] = true,
	        [S_CREATE] = true,
	        [S_DESTROY] = true,
	        [S_FENCE] = true};
	for (unsigned i = 1; i <= program->count; i++)
		if (others[program->statements[i].kind])
			return false;
	return true;
}

/* Calls of unknown code are in no window (X1). */
static bool is_seen(const struct program *program)
{
	for (unsigned i = 1; i <= program->count; i++)
		if (program->statements[i].kind == S_OPAQUE)
			return false;
	return true;
}

static double percent(unsigned long of, unsigned long all)
{
	return all ? 100.0 * (double)of / (double)all : 0;
}

static void print_recall(const struct tally *tally)
{
	for (unsigned k = 0; k < NORN_SLICED_KINDS; k++)
		printf("# %-15s %9lu %9lu %9lu %9lu %9lu %9lu %9lu %7.1f%% %7.1f%%\n", claim_name(k), tally->reachable[k],
		        tally->covered[k], tally->along[k], tally->found[k], tally->closed[k], tally->observed[k],
		        tally->unordered[k], percent(tally->found[k], tally->covered[k]),
		        percent(tally->found_along[k], tally->along[k]));
}

/* Of runs of which S17 can be said. */
static void print_stuck(const struct tally *tally)
{
	printf("# deadlocks of locks and joins, along the recorded branches: %lu, found %lu (%.1f%%)\n", tally->circles_along,
	        tally->circles_found, percent(tally->circles_found, tally->circles_along));
	printf("# waits that are never over, along the recorded branches: %lu, found %lu (%.1f%%)\n", tally->stuck_along,
	        tally->stuck_found, percent(tally->stuck_found, tally->stuck_along));
}

static void print_tally(const struct tally *tally)
{
	printf("# %lu programs, %lu events, %lu claims, %lu refused by the checker; %lu states, %lu programs had too many\n",
	        tally->programs, tally->events, tally->claims, tally->refused, tally->states, tally->incomplete);
	printf("# checker: took %lu of %lu changed claims, and random sequences of %lu events; not judged, for lack of blocks: "
	       "%lu\n",
	        tally->changed_accepted, tally->changed, tally->walked, tally->unjudged);
	printf("# properties: %lu, violated when recorded %lu, else violable %lu, of these found %lu; along the recorded branches "
	       "%lu, "
	       "%lu (%.1f%%)\n",
	        tally->properties, tally->violated, tally->violable, tally->violations_found, tally->violable_along,
	        tally->violations_found_along, percent(tally->violations_found_along, tally->violable_along));
	printf("# from the middle, and by happens-before: %lu races, %lu programs with claims that the checker refuses\n",
	        tally->proved, tally->refused_parts);
	printf("# %-15s %9s %9s %9s %9s %9s %9s %9s %8s %8s\n", "kind", "reachable", "covered", "along", "norn", "closures",
	        "observed", "unordered", "covered", "along");
	print_recall(tally);
	printf("# races of programs with memory orders, along the recorded branches: %lu, found %lu (%.1f%%)\n",
	        tally->orders_along, tally->orders_found, percent(tally->orders_found, tally->orders_along));
	printf("# of the uses after free those after an unmapping, along the recorded branches: %lu, found %lu (%.1f%%)\n",
	        tally->unmaps_along, tally->unmaps_found, percent(tally->unmaps_found, tally->unmaps_along));
	print_stuck(tally);
}

/* Of failures with one reason, the first one is enough. */
static bool is_new_reason(const char *reason)
{
	static char known[20][200];
	static unsigned count;
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(known[i], reason))
			return false;
	if (count == 20)
		return false;
	snprintf(known[count++], sizeof(known[0]), "%s", reason);
	return true;
}

/* So much of what can be reached along the recorded branches must be found, in percent. A silent engine must not pass. */
static const unsigned floors[NORN_SLICED_KINDS] = {
        [NORN_SLICED_RACE] = 94,
        [NORN_SLICED_USE_AFTER_FREE] = 95,
        [NORN_SLICED_DOUBLE_FREE] = 90,
        [NORN_SLICED_ATOMICITY] = 93,
        [NORN_SLICED_ASSERTION] = 75,
};
static const unsigned atomicity_floor = 96, assertion_floor = 86, claimable_floor = 91, property_floor = 95, circle_floor = 88,
                      stuck_floor = 88, orders_floor = 96;

static void test_floor(const char *what, unsigned floor, unsigned long found, unsigned long of)
{
	char name[100];
	if (of < 100) /* of so few, chance finds fewer */
		floor = floor * (of < 20 ? 2 : 3) / 4;
	snprintf(name, sizeof(name), "%s: at least %u %% are found", what, floor);
	point(found && found * 100 >= floor * of, name);
}

static void test_floors(const struct tally *tally)
{
	for (unsigned k = 0; k < NORN_SLICED_KINDS; k++)
		if (floors[k])
			test_floor(claim_name(k), floors[k], tally->found_along[k], tally->along[k]);
	test_floor("race, with memory orders", orders_floor, tally->orders_found, tally->orders_along);
	test_floor("deadlock of locks and joins", circle_floor, tally->circles_found, tally->circles_along);
	test_floor("wait that is never over", stuck_floor, tally->stuck_found, tally->stuck_along);
	test_floor("property", property_floor, tally->violations_found_along, tally->violable_along);
}

static void test_programs(unsigned long count, unsigned long seed)
{
	static struct program program;
	static struct outcome outcome;
	struct tally tally = {0}, basic = {0}, factual = {0}, seen = {0};
	unsigned long wrong = 0;
	for (unsigned long i = 0; i < count; i++) {
		struct random random = {.state = seed + i};
		struct run_options options = defaults();
		some_program(&random, i, &program);
		options.no_facts = random_below(&random, 8) == 0;
		options.externals = random_below(&random, 2);
		options.weaken = random_below(&random, 4) ? 0 : seed + i + 1;
		options.walk = seed + i + 1;
		uint8_t monitor[MONITOR_STATES][MONITOR_LETTERS];
		some_monitor(&random, monitor);
		options.monitor = monitor;
		options.out = NULL;
		struct tally one = {0};
		run_program(&program, &options, &one, &outcome);
		tally_add(&tally, &one);
		if (!options.no_facts && !options.weaken)
			tally_add(&factual, &one);
		if (is_basic(&program) && !options.no_facts && !options.weaken && !options.externals)
			tally_add(&basic, &one);
		if (is_seen(&program) && !options.no_facts && !options.weaken)
			tally_add(&seen, &one);
		if (outcome.worst == JUDGED_TRUE)
			continue;
		wrong++;
		if (is_new_reason(outcome.reason))
			explain(seed + i, &program, &options, RUN_NOT_MISSED);
		else
			printf("# seed %lu: likewise\n", seed + i);
	}
	print_tally(&tally);
	printf("# of these, %lu with all facts:\n", factual.programs);
	print_stuck(&factual);
	printf("# of these, %lu with all facts and of the language that R1 to R22 were first tried on:\n", basic.programs);
	print_recall(&basic);
	printf("# of these, %lu with all facts and without calls of unknown code:\n", seen.programs);
	print_recall(&seen);
	printf("# assertions that can be claimed (conditions of known reads that decide nothing else): %lu, found %lu (%.1f%%)\n",
	        seen.stated_along, seen.stated_found, percent(seen.stated_found, seen.stated_along));
	printf("# %lu programs have a false claim, or one that the checker refuses, or one that it should have\n", wrong);
	point(wrong == 0, "every claim comes true");
	if (count >= 1000 && !only_orders && !only_marks)
		test_floor("atomicity, with all facts and no unknown code", atomicity_floor,
		        seen.found_along[NORN_SLICED_ATOMICITY], seen.along[NORN_SLICED_ATOMICITY]);
	if (count >= 1000 && !only_orders && !only_marks && !only_blocks) {
		test_floor("assertion, with all facts and no unknown code", assertion_floor,
		        seen.found_along[NORN_SLICED_ASSERTION], seen.along[NORN_SLICED_ASSERTION]);
		test_floor("assertion that can be claimed", claimable_floor, seen.stated_found, seen.stated_along);
	}
	if (count >= 1000 && only_marks)
		test_floor("property", property_floor, tally.violations_found_along, tally.violable_along);
	else if (count >= 1000 && !only_orders && !only_blocks)
		test_floors(&tally);
}

/* Programs in which an error of this kind is missed: what there is to gain. */
static int show_missed(unsigned long count, unsigned long seed, unsigned kind, unsigned limit)
{
	static struct program program;
	static struct outcome outcome;
	unsigned shown = 0;
	for (unsigned long i = 0; i < count && shown < limit; i++) {
		struct random random = {.state = seed + i};
		struct run_options options = defaults();
		some_program(&random, i, &program);
		uint8_t monitor[MONITOR_STATES][MONITOR_LETTERS];
		some_monitor(&random, monitor);
		options.monitor = monitor;
		options.out = NULL;
		if (!is_seen(&program))
			continue;
		run_program(&program, &options, NULL, &outcome);
		if (!outcome.missed[kind])
			continue;
		shown++;
		explain(seed + i, &program, &options, kind);
	}
	return 0;
}

/* How many of the programs have a false claim when a rule is left out: whether this language bites. */
static unsigned long bitten(unsigned long count, unsigned long seed, unsigned without_flow, unsigned without_closure)
{
	static struct program program;
	static struct outcome outcome;
	unsigned long wrong = 0;
	for (unsigned long i = 0; i < count; i++) {
		struct random random = {.state = seed + i};
		struct run_options options = defaults();
		some_program(&random, i, &program);
		options.externals = random_below(&random, 2);
		options.without_flow = without_flow;
		options.without_closure = without_closure;
		options.out = NULL;
		run_program(&program, &options, NULL, &outcome);
		wrong += outcome.worst != JUDGED_TRUE && outcome.worst != JUDGED_REFUSED;
	}
	return wrong;
}

static int show_bites(unsigned long count, unsigned long seed)
{
	static const char *const flow_names[] = {"sync", "exit", "loop", "jump", "trap", "address", "lock", "call", "access", "phi",
	        "result", "all", "argument", "cas", "mask", "control"};
	static const char *const closure_names[] = {"keep", "known", "lock", "begin", "join", "try", "ordered", "life", "call",
	        "external", "end", "mask", "certain", "list"};
	printf("programs of %lu with a false claim, without a rule of facts:\n", count);
	for (unsigned i = 0; i < sizeof(flow_names) / sizeof(flow_names[0]); i++)
		printf("  %-10s %5lu\n", flow_names[i], bitten(count, seed, 1u << i, 0));
	printf("of the closure:\n");
	for (unsigned i = 0; i < sizeof(closure_names) / sizeof(closure_names[0]); i++)
		printf("  %-10s %5lu\n", closure_names[i], bitten(count, seed, 0, 1u << i));
	return 0;
}

static int one_program(const char *path)
{
	static struct program program;
	static struct outcome outcome;
	static char text[20000];
	struct run_options options = defaults();
	struct tally tally = {0};
	FILE *in = fopen(path, "r");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
	text[n] = 0;
	const char *error = in ? program_parse(text, &program) : path;
	if (in)
		fclose(in);
	if (error) {
		fprintf(stderr, "oracle: not understood: %s\n", error);
		return 2;
	}
	options.verbose = true;
	run_program(&program, &options, &tally, &outcome);
	print_tally(&tally);
	return outcome.worst != JUDGED_TRUE;
}

int main(int argc, char **argv)
{
	unsigned long count = 10000, seed = 1, limit = 10;
	int option, missed = -1;
	bool bites = false;
	while ((option = getopt(argc, argv, "tabe:k:n:os:p:m:")) != -1) {
		if (option == 'n')
			count = strtoul(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoul(optarg, NULL, 0);
		else if (option == 'e')
			effort = (unsigned)strtoul(optarg, NULL, 0);
		else if (option == 'k')
			limit = strtoul(optarg, NULL, 0);
		else if (option == 'm')
			missed = atoi(optarg);
		else if (option == 'o')
			only_orders = true;
		else if (option == 't')
			only_blocks = true;
		else if (option == 'a')
			only_marks = true;
		else if (option == 'b')
			bites = true;
		else if (option == 'p')
			return one_program(optarg);
		else
			return 2;
	}
	if (bites)
		return show_bites(count, seed);
	if (missed >= 0 && missed < (int)RUN_NOT_MISSED)
		return show_missed(count, seed, (unsigned)missed, (unsigned)limit);
	for (unsigned i = 0; i < shape_count; i++)
		test_shape(&shapes[i]);
	for (unsigned i = 0; i < order_shape_count; i++)
		test_order_shape(&order_shapes[i]);
	for (unsigned i = 0; i < property_shape_count; i++)
		test_property_shape(&property_shapes[i]);
	for (unsigned i = 0; i < counterexample_count; i++)
		test_counterexample(&counterexamples[i]);
	test_programs(count, seed);
	printf("1..%u\n", points);
	return failures != 0;
}
