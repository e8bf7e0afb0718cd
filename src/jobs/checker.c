#include "jobs/checker.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/must.h"
#include "jobs/open_run.h"
#include "jobs/progress.h"
#include "jobs/results/known_findings.h"
#include "jobs/results/process.h"
#include "jobs/results/regression.h"
#include "jobs/results/source_paths.h"
#include "jobs/run_ending.h"
#include "jobs/say.h"
#include "jobs/suppressions.h"
#include "jobs/unhooked.h"
#include "jobs/processes/trace_set.h"
#include "jobs/prop_load.h"
#include "judge/recorded/judge.h"
#include "errors/builtin_property.h"
#include "finding/fingerprint.h"
#include "finding/printable_findings.h"
#include "finding/coverage.h"
#include "finding/harm.h"
#include "finding/judged_pairs.h"
#include "errors/builtin_driver.h"
#include "jobs/initial_memory.h"
#include "jobs/processes/judged_early.h"
#include "property/property.h"
#include "report/dot.h"
#include "report/finding_text.h"
#include "report/judged_text.h"
#include "trace/site_table.h"

#define MAX_CUTS 2000000u
#define MAX_MEMORY (UINT64_C(2) << 30)
#define NEED_MIB 256u /* less memory is not worth a word */
#define EFFORT 300u

/* ---- properties ---- */

/* The program and the property files, read once: for the run that is checked, and for those that confirm what was found. */
struct opened {
	struct norn_program *program; /* NULL: not yet */
	struct norn_prop_file *files;
	unsigned count;
};

static void close_opened(struct opened *opened)
{
	for (unsigned i = 0; i < opened->count; i++)
		norn_prop_unload(&opened->files[i]);
	free(opened->files);
	norn_program_free(opened->program);
	*opened = (struct opened){0};
}

static int open_all(const struct norn_checking *c, struct norn_trace *trace, struct opened *opened)
{
	if (opened->program && norn_checker_is_loaded_by(c, trace, opened->program))
		return NORN_EXIT_OK;
	close_opened(opened);
	int status = norn_checker_program(c, trace, &opened->program);
	if (status != NORN_EXIT_OK)
		return status;
	opened->files = norn_must_calloc(c->prop_count, sizeof *opened->files);
	opened->count = c->prop_count;
	for (unsigned i = 0; status == NORN_EXIT_OK && i < c->prop_count; i++)
		status = norn_prop_load_for(&opened->files[i], c->props[i], opened->program);
	if (status != NORN_EXIT_OK)
		close_opened(opened);
	return status;
}

static bool predicts(const struct norn_spec *spec, enum norn_predict predict)
{
	for (uint32_t i = 0; i < spec->property_count; i++)
		if (spec->properties[i].predict == predict)
			return true;
	return false;
}

/* Is a property predicted under sliced causality, as all are that say nothing? */
static bool wants_sliced(const struct norn_spec *spec)
{
	return predicts(spec, NORN_PREDICT_SLICED) || predicts(spec, NORN_PREDICT_DEFAULT);
}

static void draw(void *to, const struct norn_lattice_picture *picture)
{
	norn_report_dot(picture, to);
}

static void predict(const struct norn_checking *c, const struct norn_graph *graph, FILE *dot, struct norn_judge *judge)
{
	struct norn_property_search_options options = {
	        .every = c->causality != NORN_ASKED_DEFAULT,
	        .all = c->all,
	        .finite = c->finite,
	        .graph = graph,
	        .sliced = c->causality == NORN_ASKED_SLICED,
	        .max_cuts = c->max_cuts ? c->max_cuts : MAX_CUTS,
	        .max_memory = c->max_memory ? c->max_memory : MAX_MEMORY,
	        .beam = c->beam,
	        .keep = c->outputs.paths[NORN_OUTPUT_HTML] != NULL,
	        .draw = dot ? draw : NULL,
	        .context = dot,
	};
	if (c->causality != NORN_ASKED_OBSERVED)
		norn_judge_predict(judge, &options);
}

static int make_judges(const struct norn_checking *c, const struct opened *opened, struct norn_trace *trace,
        struct norn_judge **judges, bool *ret_sliced)
{
	*ret_sliced = c->causality == NORN_ASKED_SLICED;
	for (unsigned i = 0; i < opened->count; i++) {
		const struct norn_prop_file *file = &opened->files[i];
		struct norn_error err = {0};
		if (norn_judge_new(file->sources, file->spec, opened->program, trace, &judges[i], &err) != 0)
			return norn_fail_error(&err);
		*ret_sliced |= c->causality == NORN_ASKED_DEFAULT && wants_sliced(file->spec);
	}
	return NORN_EXIT_OK;
}

/* ---- results ---- */

/* Marks the findings that the baseline has. */
static int hold_against_baseline(const struct norn_checking *c, struct norn_findings *findings)
{
	struct norn_known_findings known;
	struct norn_error err = {0};
	if (!c->baseline)
		return NORN_EXIT_OK;
	if (norn_known_findings_read(c->baseline, &known, &err) != 0)
		return norn_fail_error(&err);
	uint32_t missing = norn_known_findings_mark(&known, findings);
	if (missing)
		norn_note("%u of the %u findings in %s %s not found in this run; norn diff and norn baseline tell which", missing,
		        known.count, c->baseline, missing == 1 ? "was" : "were");
	norn_known_findings_done(&known);
	return NORN_EXIT_OK;
}

/* The exit status is that of all findings: one of which no harm is known is an error all the same. */
static void leave_out(struct norn_findings *f)
{
	uint32_t count = f->stats.left_out = norn_findings_only_harmful(f);
	if (count)
		norn_findings_note(f,
		        "%u finding%s left out, as no harm is known of %s (--only-harmful); the exit status counts %s", count,
		        count == 1 ? " was" : "s were", count == 1 ? "it" : "them", count == 1 ? "it" : "them");
}

static void put_text(const struct norn_checking *c, const struct norn_findings *findings)
{
	bool colour = norn_colour(stdout);
	unsigned width = norn_width(stdout);
	if (!c->judged_only)
		norn_report_findings(findings, c->max_findings ? c->max_findings : UINT32_MAX, colour, width, stdout);
	norn_report_judged(findings, colour, width, stdout);
	norn_report_summary(findings, colour, width, stdout);
}

static int report(const struct norn_checking *c, struct norn_findings *findings)
{
	norn_findings_sort(findings);
	norn_findings_say_suspected(findings);
	norn_findings_fingerprint(findings);
	norn_judged_pairs_sum(findings);
	norn_findings_printable(findings);
	if (c->keep) {
		c->keep(c->keep_context, findings);
		return NORN_EXIT_OK;
	}
	if (hold_against_baseline(c, findings) != NORN_EXIT_OK)
		return NORN_EXIT_USAGE;
	int status = norn_exit_of(findings);
	if (status == NORN_EXIT_OK && c->program_failed)
		status = NORN_EXIT_PROGRAM;
	if (c->only_harmful)
		leave_out(findings);
	bool text = !(c->quiet && norn_outputs_wanted(&c->outputs)) && !norn_outputs_take_stdout(&c->outputs);
	if (text)
		put_text(c, findings);
	norn_outputs_say(findings, !text);
	if (c->confirm.save && norn_regression_save(c, findings) != NORN_EXIT_OK)
		status = NORN_EXIT_USAGE;
	return norn_outputs_write(&c->outputs, findings, c->trace) == NORN_EXIT_OK ? status : NORN_EXIT_USAGE;
}

/* ---- checking ---- */

/* A trace being checked. */
struct check {
	const struct norn_checking *c;
	struct norn_run *run;
	struct norn_trace *trace; /* of it; NULL: it is a text */
	struct norn_builtin_driver_options options;
	struct norn_initial_words initial;
	struct opened *opened;
	struct norn_graph *graph; /* NULL: not needed so far */
	struct norn_units units;
	struct norn_builtin_properties builtin_properties;
	struct norn_findings findings;
	struct norn_replay_jobs replay_jobs;
	struct norn_described told;
};

/* After ^C nothing more is begun: what was found so far is shown. */
static bool goes_on(int status)
{
	return status == NORN_EXIT_OK && !norn_interrupted();
}

/* The error of the run: a line of a text, or the trace. */
static int fail_run(const struct check *k, const struct norn_error *err)
{
	return err->line ? norn_fail_error(err) : norn_fail("%s: %s", k->c->trace, err->message);
}

/* NORN_EXIT_OK without a graph: it was interrupted. */
static int get_graph(struct check *k)
{
	struct norn_error err = {0};
	if (k->graph)
		return NORN_EXIT_OK;
	norn_progress_begin();
	int r = norn_builtin_driver_graph(k->run, &k->options, &k->graph, &err);
	norn_progress_end();
	return r == 0 || r == -ECANCELED ? NORN_EXIT_OK : fail_run(k, &err);
}

/* Says what cannot be seen of what the properties speak of. */
static void look_for_hooks(struct check *k)
{
	for (unsigned i = 0; i < k->opened->count; i++) {
		struct norn_needs needs = {0};
		norn_needs_add(&needs, k->opened->files[i].spec);
		norn_units_say_missing(&k->units, &needs, k->c->props[i], &k->findings);
		norn_units_say_loose(&k->units, &needs, k->c->props[i], &k->findings);
		norn_needs_done(&needs);
	}
}

/* Says which calls of unseen code stand in the way of what is predicted of properties: no search passes them. */
static void look_for_calls(struct check *k)
{
	struct norn_unseen unseen;
	bool asked = k->c->causality == NORN_ASKED_SLICED;
	for (unsigned i = 0; i < k->opened->count; i++)
		asked |= k->c->causality == NORN_ASKED_DEFAULT && predicts(k->opened->files[i].spec, NORN_PREDICT_SLICED);
	if (!k->graph || !asked)
		return;
	norn_unseen_init(&unseen);
	norn_unseen_count(&unseen, k->graph);
	norn_unseen_say(&unseen, k->trace, true, &k->findings);
	norn_unseen_done(&unseen);
}

static int judge(struct check *k, struct norn_judge **judges, bool sliced, FILE *dot)
{
	const struct norn_checking *c = k->c;
	struct norn_error err = {0};
	int status = sliced ? get_graph(k) : NORN_EXIT_OK;
	if (!goes_on(status))
		return status;
	for (unsigned i = 0; i < c->prop_count; i++)
		predict(c, sliced ? k->graph : NULL, dot, judges[i]);
	int r = norn_judge_run(judges, c->prop_count, k->trace, &k->findings, &err);
	if (r != 0 && r != -ECANCELED)
		return norn_fail("%s: %s", c->trace, err.message);
	look_for_calls(k);
	return NORN_EXIT_OK;
}

/* Thread-local variables have no one address. */
static uint64_t variable_address(const void *context, const struct norn_place *place)
{
	const struct norn_symbol *base = place->base;
	if (!base || base->is_thread_local || !base->address)
		return 0;
	return base->address + norn_program_bias(context, base->module);
}

static int check_properties(struct check *k)
{
	const struct norn_checking *c = k->c;
	struct norn_trace *trace = k->trace;
	bool sliced;
	const char *source = trace ? norn_trace_info(trace, "source") : "rapid";
	if (source && strcmp(source, "rapid") == 0)
		return norn_fail("%s %s RAPID's text format, which has no variables by name and no values: properties cannot be "
		                 "judged on it",
		        c->trace, trace ? "was converted from" : "is in");
	int status = open_all(c, trace, k->opened);
	if (status != NORN_EXIT_OK)
		return status;
	struct norn_judge **judges = norn_must_calloc(c->prop_count, sizeof *judges);
	FILE *dot = c->dot ? norn_open_output(c->dot) : NULL;
	if (c->dot && !dot)
		status = norn_fail("cannot write %s: %s", c->dot, strerror(errno));
	else
		status = make_judges(c, k->opened, trace, judges, &sliced);
	for (unsigned i = 0; status == NORN_EXIT_OK && i < c->prop_count; i++)
		norn_builtin_properties_add(&k->builtin_properties, k->opened->files[i].spec, variable_address, k->opened->program);
	if (status == NORN_EXIT_OK)
		status = judge(k, judges, sliced, dot);
	if (status == NORN_EXIT_OK)
		look_for_hooks(k);
	if (dot && (ferror(dot) | fclose(dot)) != 0)
		status = norn_fail("cannot write %s", c->dot);
	for (unsigned i = 0; i < c->prop_count; i++)
		norn_judge_free(judges[i]);
	free(judges);
	return status;
}

/* models has room for all. */
static int read_models(const struct norn_checking *c, struct norn_effects_model **models)
{
	struct norn_error err = {0};
	for (unsigned i = 0; i < c->model_count; i++)
		if (norn_effects_model_read(c->models[i], &models[i], &err) != 0)
			return norn_fail_error(&err);
	return NORN_EXIT_OK;
}

static void free_models(struct norn_effects_model **models, unsigned count)
{
	for (unsigned i = 0; models && i < count; i++)
		norn_effects_model_free(models[i]);
	free(models);
}

int norn_checker_ready(const struct norn_checking *c)
{
	struct norn_suppressions suppressions;
	if (c->prop_count == 0 && c->only_props)
		return norn_fail("what is to be checked? Name a file of properties: --prop FILE");
	if (c->judged && (c->only_props || c->causality == NORN_ASKED_MVC))
		return norn_fail(
		        "what was judged of pairs of places is known of the search for built-in errors under sliced causality: "
		        "leave out %s",
		        c->only_props ? "--only-props" : "--causality mvc");
	if (c->prop_count == 0 && c->dot)
		norn_note("--dot draws the lattices of properties, and there is none: name a file of them, --prop FILE");
	for (unsigned i = 0; i < c->prop_count; i++)
		if (access(c->props[i], R_OK) != 0)
			return norn_fail("cannot read %s: %s", c->props[i], strerror(errno));
	if (c->baseline && access(c->baseline, R_OK) != 0)
		return norn_fail("cannot read %s: %s; norn baseline writes it", c->baseline, strerror(errno));
	int status = norn_checker_outputs_ready(c);
	if (status == NORN_EXIT_OK && c->confirm.wanted)
		status = norn_confirmer_ready(&c->confirm);
	if (status == NORN_EXIT_OK)
		status = norn_suppressions_find(c->suppressions, c->suppression_count, NULL, &suppressions);
	if (status != NORN_EXIT_OK)
		return status;
	norn_suppressions_done(&suppressions);
	struct norn_effects_model **models = norn_must_calloc(c->model_count, sizeof *models);
	status = read_models(c, models);
	free_models(models, c->model_count);
	return status;
}

/* Races by happens-before are shown without a graph of the whole run; schedules need one. So they are those of the same
 * errors by slices, which finds all of these, and nothing else is made of what it finds. */
static int find_replay_jobs(struct check *k, struct norn_error *err)
{
	struct norn_findings sliced;
	norn_findings_init(&sliced);
	int r = norn_builtin_driver(k->run, k->graph, &k->options, &sliced, err);
	norn_findings_done(&sliced);
	k->options.told = NULL;
	return r;
}

/* Before it is taken. */
static void say_need(const struct check *k)
{
	uint64_t need = norn_builtin_driver_need(k->run, &k->options) >> 20;
	if (need >= NEED_MIB)
		norn_note("looking for built-in errors takes up to %" PRIu64 " MiB of memory (--max-memory)", need);
}

static int look_for_errors(struct check *k)
{
	struct norn_error err = {0};
	k->options.atomic = k->builtin_properties.atomic.items;
	k->options.atomic_count = k->builtin_properties.atomic.count;
	k->options.variables = k->builtin_properties.variables.items;
	k->options.variable_count = k->builtin_properties.variables.count;
	bool mvc = k->c->causality == NORN_ASKED_MVC;
	int status = k->c->confirm.wanted ? get_graph(k) : NORN_EXIT_OK;
	if (!goes_on(status))
		return status;
	if (k->c->confirm.wanted) {
		k->replay_jobs.trace = k->trace;
		k->replay_jobs.graph = k->graph;
		k->told = (struct norn_described){norn_replay_jobs_take, norn_replay_jobs_keep, &k->replay_jobs};
		k->options.told = &k->told;
	}
	if (!mvc && !k->graph)
		say_need(k);
	norn_progress_begin();
	int r = mvc && k->c->confirm.wanted ? find_replay_jobs(k, &err) : 0;
	if (r == 0)
		r = mvc ? norn_builtin_driver_mvc(k->run, &k->options, &k->findings, &err)
		        : norn_builtin_driver(k->run, k->graph, &k->options, &k->findings, &err);
	norn_progress_end();
	norn_builtin_properties_assign(&k->builtin_properties, !k->c->only_props, !mvc, &k->findings);
	return r == 0 || r == -ECANCELED ? NORN_EXIT_OK : fail_run(k, &err);
}

/* ---- confirming ---- */

/* Another trace of the same program, judged by the same properties in the order that was seen. */
static int judge_again(void *context, const char *path, const struct norn_finding *finding, bool *ret_violated)
{
	const struct check *k = context;
	struct norn_checking again = *k->c;
	struct check other = {.c = &again, .opened = k->opened};
	again.trace = path;
	again.causality = NORN_ASKED_OBSERVED;
	again.dot = NULL;
	*ret_violated = false;
	int status = norn_open_run(path, true, &other.run);
	if (status != NORN_EXIT_OK)
		return status;
	other.trace = norn_run_recorded(other.run);
	norn_findings_init(&other.findings);
	norn_builtin_properties_init(&other.builtin_properties);
	status = check_properties(&other);
	for (uint32_t i = 0; i < other.findings.count; i++)
		*ret_violated |= strcmp(other.findings.list[i].property, finding->property) == 0;
	norn_findings_done(&other.findings);
	norn_builtin_properties_done(&other.builtin_properties);
	norn_close_run(other.run);
	return status;
}

static int confirm(struct check *k)
{
	int status = get_graph(k);
	k->replay_jobs.trace = k->trace;
	k->replay_jobs.graph = k->graph;
	if (goes_on(status))
		norn_replay_jobs_take_properties(&k->replay_jobs, &k->findings);
	return !goes_on(status) ? status : norn_confirmer_run(&k->c->confirm, &k->replay_jobs, judge_again, k, &k->findings);
}

static void say_what_is_missing(struct check *k)
{
	if (!k->trace || norn_trace_header(k->trace)->state == NORN_STATE_COMPLETE)
		return;
	norn_judged_pairs_doubt(&k->findings, NORN_PAIR_TRACE);
	k->findings.stats.lost_unknown = norn_trace_header(k->trace)->state == NORN_STATE_RECORDING;
	norn_findings_partial(&k->findings, NORN_REASON_TRACE, 1, "record the run to its end",
	        "the trace is not whole: what happened later in this run is not judged, nor what was lost, which is not known");
}

/* A run of a program with fewer hooks is judged as it is: its threads may depend on memory that was not recorded. */
static void look_at_units(struct check *k, struct norn_checking *c)
{
	if (k->trace) {
		norn_units_of_trace(&k->units, k->trace);
		norn_unhooked_say(k->trace, k->options.models, k->options.model_count, &k->findings);
	}
	if (c->causality != NORN_ASKED_OBSERVED && !norn_units_are_whole(&k->units)) {
		c->causality = NORN_ASKED_OBSERVED;
		k->options.observed = true;
		norn_units_say_partial(&k->units, &k->findings);
	}
}

/* NORN_UNSOUND, for tests: rules of prediction that are switched off (enum norn_rule_switch), so that confirming has something to
 * refute; followed by ",checked", the checker of witnesses has it to refuse. */
static void leave_rules_out(struct norn_builtin_driver_options *o)
{
	const char *told = getenv("NORN_UNSOUND");
	char *rest = NULL;
	o->without = told ? (unsigned)strtoul(told, &rest, 10) : 0;
	o->checked = told && strcmp(rest, ",checked") == 0;
	if (o->without)
		norn_note("NORN_UNSOUND is set: rules of prediction are left out, and what is found may be false");
}

/* Memory that entries name is only recorded by the runtime. */
static void say_unrecorded_memory(const struct norn_checking *c, struct norn_effects_model **models, const struct norn_trace *trace)
{
	for (unsigned i = 0; trace && !norn_trace_info(trace, "model") && i < c->model_count; i++)
		if (norn_effects_model_names_memory(models[i]))
			norn_note("entries of %s that name memory have no effect here: the run was recorded without them; record "
			          "it by "
			          "norn record --model %s, or use norn run --model %s",
			        c->models[i], c->models[i], c->models[i]);
}

static int check_run(const struct norn_checking *asked, struct norn_run *run, struct norn_suppressions *suppressions,
        struct norn_findings *ret_findings)
{
	struct norn_checking own = *asked, *c = &own;
	struct norn_effects_model **models = norn_must_calloc(c->model_count, sizeof *models);
	struct opened opened = {0};
	own.confirm.checking = &own;
	int status = read_models(c, models);
	struct check k = {.c = c,
	        .run = run,
	        .opened = &opened,
	        .trace = norn_run_recorded(run),
	        .options = {.observed = c->causality == NORN_ASKED_OBSERVED,
	                .infer = c->infer,
	                .judged = c->judged,
	                .fixes = !c->no_fixes && c->causality != NORN_ASKED_OBSERVED,
	                .effort = c->effort ? c->effort - 1 : EFFORT,
	                .max_memory = c->max_memory ? c->max_memory : MAX_MEMORY,
	                .models = (const struct norn_effects_model *const *)models,
	                .model_count = c->model_count,
	                .progress = norn_progress}};
	leave_rules_out(&k.options);
	if (status == NORN_EXIT_OK)
		say_unrecorded_memory(c, models, k.trace);
	norn_findings_init(&k.findings);
	if (k.trace && norn_trace_info(k.trace, "command"))
		k.findings.command = norn_findings_text(&k.findings, "%s", norn_trace_info(k.trace, "command"));
	if (k.trace)
		k.findings.process = norn_process_of(k.trace, &k.findings);
	norn_builtin_properties_init(&k.builtin_properties);
	k.initial = (struct norn_initial_words){.checking = c, .trace = k.trace};
	k.options.initial = k.trace ? norn_initial_words_get : NULL;
	k.options.initial_context = &k.initial;
	if (status == NORN_EXIT_OK)
		look_at_units(&k, c);
	if (status == NORN_EXIT_OK && c->prop_count)
		status = check_properties(&k);
	if (goes_on(status) && (!c->only_props || k.builtin_properties.count))
		status = look_for_errors(&k);
	if (!norn_units_are_whole(&k.units))
		norn_judged_pairs_doubt(&k.findings, NORN_PAIR_HOOKS);
	if (status == NORN_EXIT_OK && k.trace)
		status = norn_judge_run_end(c, k.trace, &k.findings);
	if (status == NORN_EXIT_OK)
		say_what_is_missing(&k);
	if (status == NORN_EXIT_OK)
		norn_suppressions_apply(suppressions, &k.findings);
	if (status == NORN_EXIT_OK && k.trace)
		norn_source_paths_find(c, k.trace, &k.findings);
	if (goes_on(status) && c->confirm.wanted)
		status = k.trace ? confirm(&k) : norn_fail("%s is a text, not a trace: there is no program to run", c->trace);
	norn_replay_jobs_done(&k.replay_jobs);
	*ret_findings = k.findings;
	norn_builtin_properties_done(&k.builtin_properties);
	norn_graph_free(k.graph);
	norn_initial_words_done(&k.initial);
	norn_units_done(&k.units);
	close_opened(&opened);
	free_models(models, c->model_count);
	return status;
}

/* ---- several processes ---- */

/* Traces that are judged together. */
struct together {
	const struct norn_checking *c;
	struct norn_trace_set traces;
	NORN_VECTOR(struct norn_findings) all; /* of each: they own the texts of the sum */
	struct norn_findings sum;
	uint32_t named; /* the first so many traces were named, the others found by them */
	char *executable; /* of the first */
	uint32_t missing, damaged, unrecorded, other_programs, interrupted; /* processes */
	bool found; /* the finding that is to be confirmed */
};

/* Properties speak of the program that was run; a process of another one has other names. Only the first is drawn; others are
 * replayed if they can be begun by themselves. */
static void prepare(struct together *t, uint32_t i, bool other, struct norn_checking *c)
{
	c->trace = t->traces.paths.items[i];
	c->confirm.found = &t->found;
	if (i == 0)
		return;
	c->dot = NULL;
	if (i < t->named)
		c->confirm.wanted = false;
	c->confirm.child = true;
	c->confirm.program = NULL;
	t->other_programs += other;
	if (other)
		c->prop_count = 0;
}

/* True if it is none that the properties speak of. */
static bool is_other(struct together *t, uint32_t i, const char *executable)
{
	if (i == 0)
		t->executable = norn_must_text(executable);
	return i >= t->named && t->c->prop_count && *executable && strcmp(executable, t->executable) != 0;
}

/* True if it was judged before, by the same properties. */
static bool take_early(struct together *t, uint32_t i)
{
	struct norn_early_trace *early = norn_judged_early_get(t->c->early, t->traces.paths.items[i]);
	if (!early || i < t->named || early->by_properties != (t->c->prop_count && !is_other(t, i, early->executable)))
		return false;
	t->other_programs += is_other(t, i, early->executable);
	fflush(stdout);
	fputs(early->said, stderr);
	early->findings.process.trace = norn_findings_text(&early->findings, "%s", t->traces.paths.items[i]);
	norn_must_push(&t->all, early->findings);
	norn_findings_init(&early->findings);
	return true;
}

static const char *executable_of(const struct norn_trace *trace)
{
	const char *executable = trace ? norn_checker_executable(trace) : NULL;
	return executable ? executable : "";
}

/* By the suppressions of where it is. */
static int check_opened(const struct norn_checking *c, struct norn_run *run, struct norn_findings *ret_findings)
{
	struct norn_suppressions suppressions;
	int status = norn_suppressions_find(c->suppressions, c->suppression_count, c->trace, &suppressions);
	if (status != NORN_EXIT_OK) {
		norn_findings_init(ret_findings);
		return status;
	}
	status = check_run(c, run, &suppressions, ret_findings);
	norn_suppressions_done(&suppressions);
	return status;
}

static int check_one(struct together *t, uint32_t i)
{
	struct norn_checking c = *t->c;
	struct norn_run *run;
	int status = norn_open_run(t->traces.paths.items[i], c.partial, &run);
	if (status != NORN_EXIT_OK)
		return status;
	const struct norn_trace *trace = norn_run_recorded(run);
	const char *unrecorded = trace ? norn_trace_info(trace, "unrecorded") : NULL;
	struct norn_findings findings;
	if (trace)
		t->missing += norn_trace_set_add_processes(&t->traces, trace);
	t->unrecorded += unrecorded ? (uint32_t)strtoul(unrecorded, NULL, 10) : 0;
	bool other = is_other(t, i, executable_of(trace));
	prepare(t, i, other, &c);
	if (!other || !c.only_props) {
		status = check_opened(&c, run, &findings);
		if (status == NORN_EXIT_OK)
			norn_must_push(&t->all, findings);
		else
			norn_findings_done(&findings);
	}
	norn_close_run(run);
	return status;
}

/* Whether the properties speak of its program is a guess, as the first trace is not there: they speak of that which comes first
 * here. If it is wrong, norn_checker_run does not take this. */
bool norn_checker_early(
        const struct norn_checking *asked, const struct norn_judged_early *early, const char *path, struct norn_early_trace *ret)
{
	struct norn_checking c = *asked;
	struct norn_run *run;
	c.trace = path;
	c.dot = NULL;
	if (norn_open_run(path, c.partial, &run) != NORN_EXIT_OK)
		return false;
	const char *executable = executable_of(norn_run_recorded(run));
	bool other = early->traces.count && *executable && strcmp(early->traces.items[0].executable, executable) != 0;
	c.prop_count = other ? 0 : c.prop_count;
	ret->by_properties = c.prop_count != 0;
	ret->executable = norn_must_text(executable);
	int status = check_opened(&c, run, &ret->findings);
	if (status != NORN_EXIT_OK)
		norn_findings_done(&ret->findings);
	norn_close_run(run);
	return status == NORN_EXIT_OK;
}

static void say_unjudged(struct together *t)
{
	if (norn_interrupted())
		norn_judged_pairs_doubt(&t->sum, NORN_PAIR_INTERRUPTED);
	if (norn_interrupted())
		norn_findings_partial(&t->sum, NORN_REASON_INTERRUPTED, 1, "let it end",
		        "it was interrupted: what was found until then is shown");
	if (t->interrupted)
		norn_findings_partial(&t->sum, NORN_REASON_PROCESS, t->interrupted, "let it end",
		        "%u process%s unjudged: it was interrupted before", t->interrupted, t->interrupted == 1 ? " is" : "es are");
	if (t->missing)
		norn_findings_partial(&t->sum, NORN_REASON_PROCESS, t->missing,
		        "record the program again, and keep its traces together", "%u process%s unjudged: %s not there any more",
		        t->missing, t->missing == 1 ? " is" : "es are", t->missing == 1 ? "its trace is" : "their traces are");
	if (t->damaged)
		norn_findings_partial(&t->sum, NORN_REASON_PROCESS, t->damaged, "record the program again",
		        "%u process%s unjudged: what is wrong with %s was said", t->damaged, t->damaged == 1 ? " is" : "es are",
		        t->damaged == 1 ? "its trace" : "their traces");
	if (t->unrecorded)
		norn_findings_partial(&t->sum, NORN_REASON_PROCESS, t->unrecorded,
		        "see that they may write to /dev/shm and to where the trace is",
		        "%u process%s unjudged: %s could not be recorded", t->unrecorded, t->unrecorded == 1 ? " is" : "es are",
		        t->unrecorded == 1 ? "it" : "they");
	if (t->other_programs)
		norn_findings_partial(&t->sum, NORN_REASON_PROCESS, t->other_programs,
		        "judge their traces separately, with properties of their own",
		        "%u process%s of another program %s not judged by the properties", t->other_programs,
		        t->other_programs == 1 ? "" : "es", t->other_programs == 1 ? "is" : "are");
}

int norn_checker_run(const struct norn_checking *c)
{
	struct together t = {.c = c};
	int status = norn_trace_set_add(&t.traces, c->trace);
	for (unsigned i = 0; status == NORN_EXIT_OK && i < c->more_count; i++)
		status = norn_trace_set_add(&t.traces, c->more_traces[i]);
	t.named = t.traces.paths.count;
	norn_interrupt_begin();
	if (c->early && c->early->interrupted)
		norn_interrupt_note();
	for (uint32_t i = 0; status == NORN_EXIT_OK && i < t.traces.paths.count; i++) {
		if (take_early(&t, i))
			continue;
		if (norn_interrupted()) {
			t.interrupted++;
			continue;
		}
		status = check_one(&t, i);
		if (status != NORN_EXIT_OK && i >= t.named) { /* it has said why: the others are judged all the same */
			t.damaged++;
			status = NORN_EXIT_OK;
		}
	}
	norn_interrupt_end();
	norn_findings_init(&t.sum);
	if (t.all.count == 1)
		t.all.items[0].process = (struct norn_finding_process){0}; /* which it is goes without saying */
	for (uint32_t i = 0; i < t.all.count; i++)
		norn_findings_merge(&t.sum, &t.all.items[i]);
	if (status == NORN_EXIT_OK && c->confirm.wanted && c->confirm.id && !t.found && !norn_interrupted())
		status = norn_fail("there is no finding %s", c->confirm.id);
	if (status == NORN_EXIT_OK) {
		say_unjudged(&t);
		status = report(c, &t.sum);
	}
	norn_findings_done(&t.sum);
	for (uint32_t i = 0; i < t.all.count; i++)
		norn_findings_done(&t.all.items[i]);
	norn_vector_done(&t.all);
	norn_trace_set_done(&t.traces);
	free(t.executable);
	return status;
}

int norn_checker_command(struct norn_checking *c, const struct norn_command *command, int argc, char **argv)
{
	struct norn_args args;
	int status = NORN_EXIT_OK;
	norn_args_init(&args, command, argc, argv);
	for (int id; status == NORN_EXIT_OK && (id = norn_args_next(&args));) {
		if (norn_checker_option(c, id, &args) || norn_confirmer_option(&c->confirm, id, &args))
			continue;
		if (c->trace && c->confirm.wanted)
			status = norn_fail("%s takes one trace, not both %s and %s; the program comes after --", command->name,
			        c->trace, args.value);
		else if (c->trace)
			c->more_traces[c->more_count++] = args.value;
		else
			c->trace = args.value;
	}
	c->trace = c->trace ? c->trace : "norn.trace";
	if (status == NORN_EXIT_OK)
		status = norn_checker_ready(c);
	if (status == NORN_EXIT_OK)
		status = norn_checker_run(c);
	norn_checker_done(c);
	return status;
}
