/* norn scope: which synchronizing actions would make a good scope. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/checker.h"
#include "cli/commands.h"
#include "jobs/open_run.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "scope/scope_suggestion.h"

#define SHOWN 3u

enum { OPT_PROP = 256, OPT_PROGRAM, OPT_PROPERTY, OPT_ALL, OPT_LINES };

static const struct norn_option options[] = {
        {OPT_PROP, "prop", "FILE", "The file with the property, or with a scope whose actions are in question.", NULL},
        {OPT_PROPERTY, "property", "NAME", "Which property or scope of the file. Without it: each of them.", NULL},
        {OPT_PROGRAM, "program", "FILE", "The program that was recorded, if it is not where it was.", NULL},
        {OPT_LINES, "lines", NULL, "Print only the lines of the best suggestion, to be put into a file.", NULL},
        {OPT_ALL, "all", NULL, "Show all candidates, also those that are not fit, with the reason.", NULL},
        {0},
};

struct scope_request {
	struct norn_checking checking;
	const char *prop, *property;
	bool all, lines;
};

/* ---- lines for a file ---- */

static const char *event_name(const struct norn_suggestion *n)
{
	return n->declared ? n->declared : "region_begins";
}

static void print_event(const struct norn_suggestion *n, const char *indent)
{
	static const char *const points[] = {"lock ", "join ", "note \"", "call "};
	static const char *const ends[] = {"", "", "\"", "(...)"};
	if (!n->declared)
		printf("%sevent %s = %s%s%s;\n", indent, event_name(n), points[n->kind], n->name, ends[n->kind]);
}

/* The type of the threads that have an event; one is declared if the file has none. */
static const char *type_of(const struct norn_suggestions *s, uint32_t i, char name[80])
{
	if (s->events[i].type)
		return s->events[i].type;
	snprintf(name, 80, "%s_thread", *s->events[i].started ? s->events[i].started : "a");
	return name;
}

static void print_types(const struct norn_suggestions *s, const char *indent)
{
	for (uint32_t i = 0; i < s->event_count; i++) {
		char name[80];
		bool known = s->events[i].type || s->events[i].count == 0;
		for (uint32_t k = 0; k < i && !known; k++)
			known = !s->events[k].type && s->events[k].count && strcmp(s->events[k].started, s->events[i].started) == 0;
		if (known)
			continue;
		if (*s->events[i].started && strcmp(s->events[i].started, "main") != 0)
			printf("%sthread %s = spawn(%s);\n", indent, type_of(s, i, name), s->events[i].started);
		else if (*s->events[i].started)
			printf("%sthread %s = main;\n", indent, type_of(s, i, name));
		else
			printf("%s// threads of different kinds do %s: name their start routines\n%sthread %s = spawn(…);\n",
			        indent, s->events[i].name, indent, type_of(s, i, name));
	}
}

static bool is_event(const struct norn_suggestions *s, const char *name, size_t length)
{
	for (uint32_t i = 0; i < s->event_count; i++)
		if (strlen(s->events[i].name) == length && strncmp(s->events[i].name, name, length) == 0)
			return true;
	return false;
}

/* The formula with atoms in place of events: what held at an event holds of a region. */
static void print_check(const struct norn_suggestions *s, const struct norn_property *p, const char *indent)
{
	bool formula = p && p->logic <= NORN_LOGIC_LTL && p->key_count == 0 && p->decl;
	for (uint32_t i = 0; formula && i < p->atom_count; i++)
		formula = p->atoms[i].kind == NORN_ATOM_EVENT && !p->atoms[i].arguments;
	char *text = formula ? norn_form_text(p->decl->logic.form) : NULL;
	if (!text) {
		printf("%s\t// check: %s over regions, with these atoms in place of its events\n", indent, s->subject);
		return;
	}
	printf("%s\t// a position is a region now, with all that happened in it\n%s\tcheck %s: %s ", indent, indent, s->subject,
	        p->logic == NORN_LOGIC_LTL ? "ltl" : "ptltl");
	for (const char *at = text; *at;) {
		size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
		if (is_event(s, at, length))
			printf("some_");
		printf("%.*s", (int)(length ? length : 1), at);
		at += length ? length : 1;
	}
	printf(";\n");
	free(text);
}

/* A scope as it stands keeps its parts; for a property they are made. */
static void print_lines(
        const struct norn_suggestions *s, const struct norn_property *p, const struct norn_suggestion *n, const char *indent)
{
	print_event(n, indent);
	if (s->is_scope) {
		printf("%sscope %s sync %s%s%s {\n", indent, s->subject, event_name(n), s->nested ? " nested" : "",
		        s->trusted ? " trusted" : "");
		return;
	}
	print_types(s, indent);
	if (n->kind >= NORN_SUGGEST_NOTE)
		printf("%s// if nothing but atomic operations orders these, norn watch must be told: say `trusted` behind the "
		       "event\n",
		        indent);
	printf("%sscope %s_regions sync %s {\n", indent, s->subject, event_name(n));
	for (uint32_t i = 0; i < s->event_count; i++) {
		char name[80];
		if (s->events[i].count)
			printf("%s\tlocal did_%s for %s: ltl F %s;\n", indent, s->events[i].name, type_of(s, i, name),
			        s->events[i].name);
	}
	for (uint32_t i = 0; i < s->event_count; i++)
		if (s->events[i].count)
			printf("%s\tatom some_%s = some(did_%s);\n", indent, s->events[i].name, s->events[i].name);
	print_check(s, p, indent);
	printf("%s}\n", indent);
}

/* ---- for people ---- */

static void print_duration(double seconds)
{
	if (seconds < 1e-3)
		printf("%.1f us", seconds * 1e6);
	else if (seconds < 1)
		printf("%.1f ms", seconds * 1e3);
	else
		printf("%.1f s", seconds);
}

static void print_flaw(const char *sentence, const char *what, const struct norn_suggestion_pair *pair)
{
	if (pair->count)
		printf("     %s: %s, %s (%" PRIu64 " %s)\n", sentence, pair->first, pair->second, pair->count, what);
}

static void print_suggestion(
        const struct norn_suggestions *s, const struct norn_property *p, const struct norn_suggestion *n, unsigned number)
{
	static const char *const kinds[] = {
	        "acquisitions of lock", "joins of", "notes", "calls of", "its own events, a region for each:"};
	const char *declared = n->declared && n->kind != NORN_SUGGEST_OWN ? n->declared : NULL;
	printf("%3u. %s %s%s%s%s\n", number, kinds[n->kind], n->name, declared ? " (" : "", declared ? declared : "",
	        declared ? ")" : "");
	printf("     %" PRIu64 " actions, %" PRIu64 " regions with events, %.1f events wide (at most %" PRIu64
	       "); a verdict comes ",
	        n->actions, n->regions, n->width, n->widest);
	print_duration(n->delay);
	printf(" after an event\n");
	if (n->fits)
		printf("     totally ordered%s; every event lies between two of them; no region mixes events whose order matters\n",
		        s->nested ? " in each thread that makes others" : "");
	if (n->begins)
		printf("     each is an event %s, which is in the region that it begins: its order with %s there would be lost\n",
		        n->begins, n->after);
	print_flaw("not totally ordered", "such pairs", &n->unordered);
	print_flaw("events that nothing orders with an action", "such events", &n->loose);
	print_flaw("events whose order matters in one region", "such regions", &n->mixed);
	if (n->fits)
		print_lines(s, p, n, "     | ");
}

static void print_suggestions(const struct scope_request *r, const struct norn_property *p, const struct norn_suggestions *s)
{
	uint32_t fit = 0;
	while (fit < s->count && s->list[fit].fits)
		fit++;
	if (r->lines) {
		if (fit)
			print_lines(s, p, &s->list[0], "");
		return;
	}
	uint32_t shown = r->all ? s->count : fit ? (fit < SHOWN ? fit : SHOWN) : (s->count < SHOWN ? s->count : SHOWN);
	printf("%s %s: %u of %u sorts of actions delimit what its order depends on\n", s->is_scope ? "scope" : "property",
	        s->subject, fit, s->count);
	if (!fit && s->racing.count)
		printf("  nothing in the program orders %s and %s, whose order matters: no scope can (%" PRIu64 " such pairs)\n",
		        s->racing.first, s->racing.second, s->racing.count);
	else if (!fit && shown)
		printf("  the nearest are:\n");
	for (uint32_t i = 0; i < shown; i++)
		print_suggestion(s, p, &s->list[i], i + 1);
}

/* ---- all of it ---- */

static int suggest_one(const struct scope_request *r, const struct norn_spec *spec, const struct norn_program *program,
        struct norn_trace *trace, const char *name, uint32_t *fit)
{
	struct norn_suggestions s;
	struct norn_error err = {0};
	if (norn_suggest(spec, program, trace, name, &s, &err) != 0)
		return norn_fail("%s: %s", name, err.message);
	print_suggestions(r, norn_spec_property(spec, name), &s);
	*fit += s.count && s.list[0].fits;
	norn_suggestions_done(&s);
	return NORN_EXIT_OK;
}

static int suggest_all(
        const struct scope_request *r, const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace)
{
	int status = NORN_EXIT_OK;
	uint32_t tried = 0, fit = 0;
	if (r->property)
		return suggest_one(r, spec, program, trace, r->property, &fit);
	for (uint32_t i = 0; status == NORN_EXIT_OK && i < spec->property_count; i++)
		if (spec->properties[i].logic <= NORN_LOGIC_FSM && ++tried)
			status = suggest_one(r, spec, program, trace, spec->properties[i].name, &fit);
	for (uint32_t i = 0; status == NORN_EXIT_OK && i < spec->scope_count; i++, tried++)
		status = suggest_one(r, spec, program, trace, spec->scopes[i].name, &fit);
	if (tried == 0)
		return norn_fail("%s has no property that a scope could check", r->prop);
	return status;
}

static int suggest(struct scope_request *r)
{
	struct norn_trace *trace;
	struct norn_program *program;
	struct norn_prop_file file;
	int status = norn_open(r->checking.trace, false, &trace);
	if (status != NORN_EXIT_OK)
		return status;
	status = norn_checker_program(&r->checking, trace, &program);
	if (status == NORN_EXIT_OK) {
		status = norn_prop_load_for(&file, r->prop, program);
		if (status == NORN_EXIT_OK)
			status = suggest_all(r, file.spec, program, trace);
		norn_prop_unload(&file);
		norn_program_free(program);
	}
	norn_trace_close(trace);
	return status;
}

static const struct norn_command suggest_command;

static int run_suggest(int argc, char **argv)
{
	struct scope_request r = {0};
	struct norn_args args;
	norn_checker_init(&r.checking, argc);
	norn_args_init(&args, &suggest_command, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		switch (id) {
		case OPT_PROP:
			r.prop = args.value;
			break;
		case OPT_PROPERTY:
			r.property = args.value;
			break;
		case OPT_PROGRAM:
			r.checking.program = args.value;
			break;
		case OPT_ALL:
			r.all = true;
			break;
		case OPT_LINES:
			r.lines = true;
			break;
		default:
			if (r.checking.trace)
				return norn_fail("scope suggest takes one trace, not both %s and %s", r.checking.trace, args.value);
			r.checking.trace = args.value;
		}
	r.checking.trace = r.checking.trace ? r.checking.trace : "norn.trace";
	int status = r.prop ? suggest(&r) : norn_fail("a scope for what? Name a file of properties: --prop FILE");
	norn_checker_done(&r.checking);
	return status;
}

static const struct norn_command suggest_command = {
        .name = "scope suggest",
        .run = run_suggest,
        .operands = "--prop FILE [TRACE]",
        .summary = "Propose synchronizing actions for a scope, from a recorded run",
        .description =
                "Tries all acquisitions of a lock, calls of a function, joins and notes that the run has as synchronizing actions "
                "of a "
                "scope. Good ones are totally ordered by what the program itself does to synchronize, and stand between events "
                "whose "
                "order the property depends on. Among those the ones with the fewest and so widest regions come first, since "
                "monitoring costs the less; how many regions there are, how wide they are, and how long after an event a verdict "
                "comes is told, with lines that are ready to be put into a file.",
        .options = options,
};

static const struct norn_command *const scope_commands[] = {&suggest_command, NULL};

static int run(int argc, char **argv)
{
	struct norn_args args;
	norn_args_init(&args, &norn_command_scope, argc, argv);
	norn_args_next(&args);
	if (args.index < argc && strcmp(argv[args.index], "suggest") == 0)
		return run_suggest(argc - args.index, argv + args.index);
	return norn_fail("%s", "what about scopes? `norn scope suggest --prop FILE TRACE` proposes one");
}

const struct norn_command norn_command_scope = {
        .name = "scope",
        .run = run,
        .operands = "COMMAND …",
        .summary = "Work with scopes",
        .commands = scope_commands,
        .leading = true,
};
