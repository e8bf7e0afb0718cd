/* norn effects: what Norn assumes of functions without hooks, in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text/nearest_word.h"
#include "cli/commands.h"
#include "effects/job_functions.h"
#include "effects/user_model.h"
#include "jobs/say.h"

enum { OPT_MODEL = 256, OPT_RESOURCES };

static const struct norn_option options[] = {
        {OPT_MODEL, "model", "FILE",
                "Ask this model first, as norn check --model does. May be given several times: later ones win.", NULL},
        {OPT_RESOURCES, "resources", NULL, "List the resources that effects name.", NULL},
        {0},
};

static int run(int argc, char **argv);

const struct norn_command norn_command_effects = {
        .name = "effects",
        .run = run,
        .operands = "FUNCTION…",
        .summary = "Show what Norn assumes of functions without hooks, and why",
        .description =
                "Which memory a function reads and writes, which resources of the process, what it waits for, calls and keeps. "
                "docs/effects.md explains the words; the table itself is installed in share/norn/effects.",
        .options = options,
};

/* ---- words ---- */

/* Names of arguments, from the declaration. */
struct argument_words {
	char text[1024];
	const char *names[32];
	unsigned count;
};

static bool is_name(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The last name of a parameter, or the one in (*name). */
static void add_name(struct argument_words *w, char *begin, char *end)
{
	char *function = strstr(begin, "(*");
	if (function && function < end) {
		begin = function + 2;
		for (end = begin; is_name(*end);)
			end++;
	} else {
		char *bracket = memchr(begin, '[', (size_t)(end - begin));
		end = bracket ? bracket : end;
		while (end > begin && !is_name(end[-1]))
			end--;
		char *name = end;
		while (name > begin && is_name(name[-1]))
			name--;
		begin = name;
	}
	*end = 0;
	if (w->count < sizeof w->names / sizeof *w->names)
		w->names[w->count++] = begin;
}

static void find_names(struct argument_words *w, const char *declaration)
{
	snprintf(w->text, sizeof w->text, "%s", declaration);
	w->count = 0;
	char *open = strchr(w->text, '('), *close = strrchr(w->text, ')');
	unsigned depth = 0;
	for (char *t = open ? open + 1 : NULL, *from = t; t && t <= close; t++) {
		if (*t == '(')
			depth++;
		else if (*t == ')' && depth)
			depth--;
		else if ((*t == ',' && depth == 0) || t == close) {
			add_name(w, from, t);
			from = t + 1;
		}
	}
}

static const char *name_of(const struct argument_words *w, unsigned argument)
{
	return argument == NORN_EFFECTS_RESULT ? "its result" : argument < w->count ? w->names[argument] : "an argument";
}

static void print_limit(const struct argument_words *w, const struct norn_effects_part *p)
{
	const char *between = "";
	if (p->limit != NORN_EFFECTS_NONE) {
		printf("%s%s", p->limit_behind ? "*" : "", p->limit == NORN_EFFECTS_RESULT ? "result" : name_of(w, p->limit));
		between = " × ";
	}
	if (p->times != NORN_EFFECTS_NONE)
		printf("%s%s", between, name_of(w, p->times));
	if (p->bytes)
		printf("%s%u", between, p->bytes);
}

static bool has_limit(const struct norn_effects_part *p)
{
	return p->limit != NORN_EFFECTS_NONE || p->times != NORN_EFFECTS_NONE || p->bytes;
}

static void print_extent(const struct argument_words *w, const struct norn_effects_part *p)
{
	static const char *const texts[] = {[NORN_EFFECTS_TEXT] = "the text",
	        [NORN_EFFECTS_NUMBER] = "the number in text",
	        [NORN_EFFECTS_SAME] = "the text, as far as it is the same as",
	        [NORN_EFFECTS_SAME_CASE] = "the text, as far as it is the same but for case as",
	        [NORN_EFFECTS_SAME_BYTES] = "the bytes, as far as they are the same as",
	        [NORN_EFFECTS_UNTIL] = "the text up to",
	        [NORN_EFFECTS_UNTIL_BYTES] = "the bytes up to",
	        [NORN_EFFECTS_WIDE_TEXT] = "the wide text",
	        [NORN_EFFECTS_LIST] = "the list of pointers, up to a null one,",
	        [NORN_EFFECTS_TEXTS] = "the list of texts, up to a null pointer,",
	        [NORN_EFFECTS_FORMAT] = "the format, and what it says of the arguments that follow (%n is written),",
	        [NORN_EFFECTS_SCAN] = "the format, which says what is written through the arguments that follow,",
	        [NORN_EFFECTS_WIDE_FORMAT] = "the wide format, and what it says of the arguments that follow (%n is written),",
	        [NORN_EFFECTS_WIDE_SCAN] = "the wide format, which says what is written through the arguments that follow,",
	        [NORN_EFFECTS_WHOLE] = "whatever can be reached"};
	if (p->extent <= NORN_EFFECTS_KERNEL) {
		print_limit(w, p);
		printf(" bytes");
	} else if (p->extent == NORN_EFFECTS_IOVEC) {
		print_limit(w, p);
		printf(" parts of memory that are listed");
	} else {
		fputs(texts[p->extent], stdout);
	}
	if (p->extent >= NORN_EFFECTS_SAME && p->extent <= NORN_EFFECTS_UNTIL_BYTES)
		printf(" %s,", name_of(w, p->other));
	if (p->extent >= NORN_EFFECTS_TEXT && p->extent <= NORN_EFFECTS_WIDE_TEXT && has_limit(p)) {
		printf(" of at most ");
		print_limit(w, p);
		printf(" bytes");
	}
}

static void print_condition(const struct argument_words *w, const struct norn_effects_part *p)
{
	static const char *const words[] = {
	        [NORN_EFFECTS_IF_AT_LEAST] = "is at least", [NORN_EFFECTS_IF_IS] = "is", [NORN_EFFECTS_IF_NOT] = "is not"};
	if (p->condition != NORN_EFFECTS_ALWAYS)
		printf(", if %s %s %d", name_of(w, p->subject), words[p->condition], p->value);
}

static void print_part(const struct argument_words *w, const struct norn_effects_part *p)
{
	static const char *const does[] = {[NORN_EFFECTS_READS] = "reads",
	        [NORN_EFFECTS_WRITES] = "writes",
	        [NORN_EFFECTS_READS | NORN_EFFECTS_WRITES] = "reads and writes"};
	static const char *const may[] = {[NORN_EFFECTS_READS] = "may read",
	        [NORN_EFFECTS_WRITES] = "may write",
	        [NORN_EFFECTS_READS | NORN_EFFECTS_WRITES] = "may read and write"};
	printf("  %s ", p->maybe ? may[p->how] : does[p->how]);
	print_extent(w, p);
	if (p->pointer == NORN_EFFECTS_GLOBAL)
		printf(" %s the variable %s", p->behind ? "behind" : "of", p->global);
	else if (p->pointer == NORN_EFFECTS_RESULT)
		printf(" that its result points to");
	else
		printf(" %s %s", p->behind ? "behind the pointer at" : p->after ? "at the end of" : "at", name_of(w, p->pointer));
	print_condition(w, p);
	printf("\n");
}

static void print_use(const struct argument_words *w, const struct norn_effects_use *u)
{
	const char *does = u->how & NORN_EFFECTS_ADDS                             ? "adds to"
	                   : u->how == (NORN_EFFECTS_READS | NORN_EFFECTS_WRITES) ? "reads and writes"
	                   : u->how & NORN_EFFECTS_WRITES                         ? "writes"
	                                                                          : "reads";
	printf("  %s %s", does, norn_effects_resource_name(u->resource));
	if (u->key != NORN_EFFECTS_NONE)
		printf(", that of %s", u->key == NORN_EFFECTS_GLOBAL ? u->global : name_of(w, u->key));
	printf(" (%s)\n", norn_effects_resource_text(u->resource));
}

static void print_arguments(const struct argument_words *w, const char *what, unsigned arguments)
{
	const char *between = what;
	for (unsigned i = 0; arguments >> i; i++)
		if (arguments >> i & 1) {
			printf("%s%s", between, name_of(w, i));
			between = ", ";
		}
	if (arguments)
		printf("\n");
}

static void print_waits(unsigned waits)
{
	static const char *const words[] = {
	        "a child process", "input", "a lock", "room for output", "a signal", "the end of a thread", "time to pass"};
	const char *between = "  can wait for ";
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (waits >> i & 1) {
			printf("%s%s", between, words[i]);
			between = ", ";
		}
	if (waits)
		printf("\n");
}

static void print_entry(const struct norn_effects *e, const char *source)
{
	static const struct {
		unsigned flag;
		const char *text;
	} flags[] = {{NORN_EFFECTS_OPAQUE, "may do more than is said here: what its thread does after it keeps its recorded order"},
	        {NORN_EFFECTS_HOOKED, "Norn's runtime stands in its place, and records what it does to other threads"},
	        {NORN_EFFECTS_HOOKED_MEMORY, "and the memory that it reads and writes"},
	        {NORN_EFFECTS_HOOKED_CALL, "where code that norn cc built calls it by its name"},
	        {NORN_EFFECTS_ENDS, "never returns"}, {NORN_EFFECTS_TWICE, "may return more than once"},
	        {NORN_EFFECTS_ERRNO, "may set errno, which is the thread's own"},
	        {NORN_EFFECTS_ALLOCATES, "its result is memory of malloc"},
	        {NORN_EFFECTS_OUTSIDE, "its result comes from outside the program, whatever its threads do"}};
	struct argument_words w;
	find_names(&w, e->declaration);
	if (strstr(e->declaration, e->name))
		printf("%s\n", e->declaration);
	else
		printf("%s, as %s\n", e->name, e->declaration);
	if (norn_effects_is_pure(e))
		printf("  a value of its arguments, or of the machine: touches no memory of the program\n");
	for (unsigned i = 0; i < e->part_count; i++)
		print_part(&w, e->parts + i);
	for (unsigned i = 0; i < e->use_count; i++)
		print_use(&w, e->uses + i);
	print_waits(e->waits);
	print_arguments(&w, "  calls ", e->calls);
	print_arguments(&w, "  keeps a pointer to ", e->keeps);
	print_arguments(&w, "  frees ", e->frees);
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++)
		if (e->flags & flags[i].flag)
			printf("  %s\n", flags[i].text);
	if (e->reason)
		printf("  why: %s\n", e->reason);
	printf("  from %s%s:%u: %s\n", source, e->file, e->line, e->text);
}

static const char *table_name(const void *table, unsigned i)
{
	return ((const struct norn_effects *)table)[i].name;
}

/* A function by which a program has other threads run its own. name: NULL if it was printed. */
static void print_job(const char *name, const struct norn_job_function *job)
{
	static const char *const places[] = {"1st", "2nd", "3rd", "4th", "5th", "6th"};
	if (name)
		printf("%s\n", name);
	if (job->job != NORN_JOB_NONE)
		printf("  its %s argument is a function that other threads run: such a job comes after the call that handed it "
		       "over, and\n"
		       "  no job after another one because that ran earlier\n",
		        places[job->job]);
	else if (job->begins)
		printf("  a new thread runs a function of the program's: that comes after this call\n");
	else if (job->limit == NORN_JOB_NONE)
		printf("  hands over a job to other threads: that comes after this call, and no job after another one because that "
		       "ran "
		       "earlier\n");
	if (job->limit != NORN_JOB_NONE)
		printf("  its %s argument says how many of the jobs may run at once: if that is 1, they come one after another\n",
		        places[job->limit]);
	if (job->submits)
		printf("  waits for nothing that other threads do\n");
	printf("  from Norn's list of functions that hand over jobs (X11 of docs/prediction.md)\n");
}

static void print_unknown(const char *name)
{
	const char *near = norn_nearest(name, norn_effects_table_count, table_name, norn_effects_table);
	printf("%s\n  nothing is known of it%s%s%s\n", name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	printf("  If it has no hooks, Norn assumes that it may read, write and lock anything: what its thread does after a call of "
	       "it\n"
	       "  keeps its recorded order, and errors may be missed. If it does less, one of these lines in a file for --model "
	       "says so:\n"
	       "    %s : nothing         # a value of its arguments\n"
	       "    %s : adds files      # prints; the program does not read that\n"
	       "    %s : updates statics # has a state of its own, which all threads share\n",
	        name, name, name);
}

static int run(int argc, char **argv)
{
	struct norn_args args;
	NORN_VECTOR(struct norn_effects_model *) models = {0};
	NORN_VECTOR(const char *) names = {0};
	bool resources = false;
	norn_args_init(&args, &norn_command_effects, argc, argv);
	for (int id; (id = norn_args_next(&args));) {
		struct norn_error err = {0};
		struct norn_effects_model *model;
		if (id == OPT_RESOURCES)
			resources = true;
		else if (id == NORN_OPERAND)
			norn_must_push(&names, args.value);
		else if (norn_effects_model_read(args.value, &model, &err) < 0)
			return norn_fail_error(&err);
		else
			norn_must_push(&models, model);
	}
	if (!names.count && !resources)
		return norn_fail("say which function: norn effects getenv");
	for (unsigned i = 0; resources && i < NORN_EFFECTS_RESOURCES; i++)
		printf("%-12s %s\n", norn_effects_resource_name(i), norn_effects_resource_text(i));
	for (uint32_t i = 0; i < names.count; i++) {
		const struct norn_effects *e = NULL;
		const struct norn_job_function *job = norn_job_function_find(names.items[i]);
		for (uint32_t m = models.count; m > 0 && !e; m--)
			e = norn_effects_model_find(models.items[m - 1], names.items[i]);
		if (i || resources)
			printf("\n");
		if (e)
			print_entry(e, "");
		else if ((e = norn_effects_find(names.items[i], NULL)))
			print_entry(e, "Norn's table, ");
		else if (!job)
			print_unknown(names.items[i]);
		if (job)
			print_job(e ? NULL : names.items[i], job);
	}
	for (uint32_t m = 0; m < models.count; m++)
		norn_effects_model_free(models.items[m]);
	norn_vector_done(&models);
	norn_vector_done(&names);
	return 0;
}
