/* The checker: judges a trace by property files, looks for built-in errors, and shows what it finds. Behind both `norn check` and
 * `norn run`. */
#ifndef NORN_JOBS_CHECKER_H
#define NORN_JOBS_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jobs/confirmer.h"
#include "jobs/options.h"
#include "jobs/outputs.h"

struct norn_early_trace;
struct norn_findings;
struct norn_judged_early;
enum norn_asked { NORN_ASKED_DEFAULT, NORN_ASKED_OBSERVED, NORN_ASKED_MVC, NORN_ASKED_SLICED };

struct norn_checking {
	const char *trace; /* or a directory of traces */
	const char **more_traces; /* to be judged together with it; room for as many as there are arguments */
	unsigned more_count;
	const char **props; /* paths; room for as many as there are arguments */
	unsigned prop_count;
	const char **suppressions; /* files; the same room */
	unsigned suppression_count;
	const char **models; /* files that say what functions do; the same room */
	unsigned model_count;
	const char *program; /* in place of the executable that the trace names, or NULL */
	const char *dot; /* file for pictures of lattices, NULL: none */
	struct norn_outputs outputs; /* files for others than people */
	const char *baseline; /* file of findings that are known, NULL: none */
	unsigned max_findings; /* shown in full, 0: all */
	enum norn_asked causality;
	uint64_t max_cuts, max_memory, beam;
	unsigned effort; /* 1 + what was asked for; 0: the default */
	bool all, infer, finite;
	bool no_fixes; /* are not tried on the recorded run */
	bool only_harmful; /* findings of which no harm is known are counted only */
	bool only_props, partial;
	bool judged; /* tell what was judged and what was not, too; */
	bool judged_only; /* as text, nothing else but the summary */
	bool program_failed; /* the program that was run failed by itself: NORN_EXIT_PROGRAM if there is nothing else to say */
	struct norn_judged_early *early; /* traces that are judged already, NULL: none */
	/* Gets the findings instead of showing them; NULL: they are shown. */
	void (*keep)(void *context, const struct norn_findings *findings);
	void *keep_context;
	bool quiet; /* no text for people if there are files for others */
	struct norn_confirming confirm;
};

enum {
	NORN_CHECK_PROP = 512,
	NORN_CHECK_CAUSALITY,
	NORN_CHECK_ONLY_PROPS,
	NORN_CHECK_PROGRAM,
	NORN_CHECK_MAX_CUTS,
	NORN_CHECK_MAX_MEMORY,
	NORN_CHECK_BEAM,
	NORN_CHECK_ALL,
	NORN_CHECK_LIVENESS,
	NORN_CHECK_DOT,
	NORN_CHECK_EFFORT,
	NORN_CHECK_INFER,
	NORN_CHECK_MODEL,
	NORN_CHECK_SUPPRESSIONS,
	NORN_CHECK_PARTIAL,
	NORN_CHECK_DEBUG,
	NORN_CHECK_BASELINE,
	NORN_CHECK_MAX_FINDINGS,
	NORN_CHECK_ONLY_HARMFUL,
	NORN_CHECK_NO_FIXES,
	NORN_CHECK_COVERAGE,
};

/* Rows of an option table: what norn observe has, too, and the rest. */
#define NORN_CHECK_SEARCH_OPTIONS                                                                                                  \
	{NORN_CHECK_PROP, "prop", "FILE", "Judge by the properties in FILE. May be given several times.", "Checking"},             \
	        {NORN_CHECK_ALL, "all", NULL,                                                                                      \
	                "Show predicted violations at different places of one property, not only the first, and also where the "   \
	                "observed order violates it; of a small lattice all runs that violate it at such a place, up to 16.",      \
	                NULL},                                                                                                     \
	        {NORN_CHECK_MAX_CUTS, "max-cuts", "N", "Look at N cuts at most in the search for each property (2000000).", NULL}, \
	        {NORN_CHECK_MAX_MEMORY, "max-memory", "MIB", "Use so much memory at most for each search (2048).", NULL},          \
	        {NORN_CHECK_BEAM, "beam", "N", "Keep N cuts of each level at most, those nearest to the observed order. 0: all.",  \
	                NULL},                                                                                                     \
	        NORN_JSON_OPTION,                                                                                                  \
	{                                                                                                                          \
		NORN_CHECK_PROGRAM, "program", "FILE",                                                                             \
		        "The program as it was when it was recorded, if it is not where the trace says.", NULL                     \
	}

#define NORN_CHECK_OPTIONS                                                                                                         \
	NORN_CHECK_SEARCH_OPTIONS, NORN_OTHER_OUTPUT_OPTIONS,                                                                      \
	        {NORN_CHECK_CAUSALITY, "causality", "NAME",                                                                        \
	                "Which orders of the run to judge: observed (the one that was seen, only), mvc (all that keep the order "  \
	                "of "                                                                                                      \
	                "conflicting accesses, too), or sliced (all that keep what each thread's steps depend on). Built-in "      \
	                "errors "                                                                                                  \
	                "are predicted by sliced, properties by both unless they say otherwise (predict=…); this overrides it. "   \
	                "mvc finds the data races and uses after free that happens-before leaves open: fewer, but fast.",          \
	                NULL},                                                                                                     \
                                                                                                                                   \
	        {NORN_CHECK_LIVENESS, "no-liveness", NULL,                                                                         \
	                "Do not search for loops that could go on for ever and violate an ltl property then. Such findings are "   \
	                "potential: what was not recorded might end the loop.",                                                    \
	                NULL},                                                                                                     \
	        {NORN_CHECK_DOT, "dot", "FILE", "Draw the lattice of each property that is predicted into FILE, for Graphviz.",    \
	                NULL},                                                                                                     \
	        {NORN_CHECK_EFFORT, "effort", "N",                                                                                 \
	                "Search among N states at most for each suspected built-in error that needs it (300). 0: none.", NULL},    \
	        {NORN_CHECK_INFER, "infer-atomicity", NULL,                                                                        \
	                "Guess which accesses of a thread belong together, and look for what may come between them.", NULL},       \
	        {NORN_CHECK_BASELINE, "baseline", "FILE",                                                                          \
	                "Fail only on findings that FILE, which norn baseline wrote, does not have; those are listed only.",       \
	                NULL},                                                                                                     \
	        {NORN_CHECK_MAX_FINDINGS, "max-findings", "N", "Show N findings in full at most, and list the others.", NULL},     \
	        {NORN_CHECK_COVERAGE, "coverage", NULL,                                                                            \
	                "Tell, too, which pairs of places that access shared variables were proved ordered, which are not judged " \
	                "and why, and which functions one thread alone ran (see norn coverage).",                                  \
	                NULL},                                                                                                     \
	        {NORN_CHECK_NO_FIXES, "no-fixes", NULL, "Do not try fixes of findings on the recorded run.", NULL},                \
	        {NORN_CHECK_ONLY_HARMFUL, "only-harmful", NULL,                                                                    \
	                "Leave out findings of which no harm is known: races that lose no update, for example. They are counted, " \
	                "and the exit status is the same as without this option.",                                                 \
	                NULL},                                                                                                     \
	        {NORN_CHECK_DEBUG, "debug", "WHAT",                                                                                \
	                "Print what the searches under sliced causality work on, on standard error: closure (each set of events "  \
	                "that is tried), "                                                                                         \
	                "steps (each transition system that is searched), or closure,steps.",                                      \
	                NULL},                                                                                                     \
	        {NORN_CHECK_MODEL, "model", "FILE",                                                                                \
	                "Effects of functions without instrumentation, for prediction. May be given several times.", NULL},        \
	        {NORN_CHECK_SUPPRESSIONS, "suppressions", "FILE",                                                                  \
	                "Do not show findings that FILE names, instead of norn.supp here or beside the trace. May be given "       \
	                "several times.",                                                                                          \
	                NULL},                                                                                                     \
	{                                                                                                                          \
		NORN_CHECK_ONLY_PROPS, "only-props", NULL, "Look for violations of the properties only, not for built-in errors.", \
		        NULL                                                                                                       \
	}

/* Makes room for as many files as there are arguments. */
void norn_checker_init(struct norn_checking *checking, int argc);
void norn_checker_done(struct norn_checking *checking);

/* Takes an option of the above; false if id is none of them. Ends the process if its argument is wrong. */
bool norn_checker_option(struct norn_checking *checking, int id, const struct norn_args *args);

/* A sentence and NORN_EXIT_USAGE if there is nothing to check by, or a file is missing: before the program is run. */
int norn_checker_ready(const struct norn_checking *checking);
/* The same if what is to be written cannot be, or is something that is read. */
int norn_checker_outputs_ready(const struct norn_checking *checking);

/* For other ways to judge; all return the exit status, and have said what is wrong. The program that a trace is of. */
struct norn_program;
struct norn_trace;
int norn_checker_program(const struct norn_checking *checking, struct norn_trace *trace, struct norn_program **ret_program);
/* The executable: the module that the command begins with. Libraries may come before it, since their constructors do. */
const char *norn_checker_executable(const struct norn_trace *trace);
/* True if another run of the same program made the trace: each module is one of the program's. Its addresses are that run's. */
bool norn_checker_is_loaded_by(const struct norn_checking *c, struct norn_trace *trace, struct norn_program *program);

/* The file of a module that the trace names, wherever it is now; place has room for its name. */
const char *norn_checker_module(
        const struct norn_checking *checking, const struct norn_trace *trace, const char *path, char place[4096]);

/* Returns the exit status. */
int norn_checker_run(const struct norn_checking *checking);

/* Judges a trace before the others are there; early: those that were. True, and all of ret but said, which is the caller's, and the
 * file's identity; else the executable is the caller's to free, if there is one. */
bool norn_checker_early(const struct norn_checking *checking, const struct norn_judged_early *early, const char *path,
        struct norn_early_trace *ret);

/* All of a command that checks traces, norn.trace unless told otherwise: options, the trace, the check. checking is initialised
 * by the caller, and done with afterwards. Returns the exit status. */
int norn_checker_command(struct norn_checking *checking, const struct norn_command *command, int argc, char **argv);

#endif
