/* The options of the checker. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/must.h"
#include "jobs/checker.h"
#include "jobs/say.h"
#include "sliced/debug.h"

void norn_checker_init(struct norn_checking *c, int argc)
{
	size_t room = (size_t)argc + 1;
	*c = (struct norn_checking){.props = norn_must_calloc(room, sizeof(char *)),
	        .suppressions = norn_must_calloc(room, sizeof(char *)),
	        .models = norn_must_calloc(room, sizeof(char *)),
	        .more_traces = norn_must_calloc(room, sizeof(char *))};
}

void norn_checker_done(struct norn_checking *c)
{
	free(c->props);
	free(c->suppressions);
	free(c->models);
	free(c->more_traces);
}

static void set_debug(const struct norn_args *args)
{
	char words[64];
	snprintf(words, sizeof words, "%s", args->value);
	char *rest = NULL;
	for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (strcmp(word, "closure") == 0)
			norn_sliced_debug.closures = stderr;
		else if (strcmp(word, "steps") == 0)
			norn_sliced_debug.steps = stderr;
		else
			exit(norn_fail(
			        "there is nothing called %s to print: --debug takes closure, steps, or closure,steps", word));
	}
}

bool norn_checker_option(struct norn_checking *c, int id, const struct norn_args *args)
{
	static const char *const names[] = {"observed", "mvc", "sliced"};
	switch (id) {
	case NORN_CHECK_PROP:
		c->props[c->prop_count++] = args->value;
		return true;
	case NORN_CHECK_CAUSALITY:
		for (unsigned i = 0; i < 3; i++)
			if (strcmp(args->value, names[i]) == 0) {
				c->causality = NORN_ASKED_OBSERVED + i;
				return true;
			}
		exit(norn_fail("there is no causality %s: it is observed, mvc or sliced", args->value));
	case NORN_CHECK_DOT:
		c->dot = args->value;
		return true;
	case NORN_CHECK_ALL:
		c->all = true;
		return true;
	case NORN_CHECK_LIVENESS:
		c->finite = true;
		return true;
	case NORN_CHECK_MAX_CUTS:
		c->max_cuts = norn_args_number(args, 1, UINT64_MAX);
		return true;
	case NORN_CHECK_MAX_MEMORY:
		c->max_memory = norn_args_number(args, 1, UINT32_MAX) << 20;
		return true;
	case NORN_CHECK_BEAM:
		c->beam = norn_args_number(args, 0, UINT32_MAX);
		return true;
	case NORN_CHECK_ONLY_PROPS:
		c->only_props = true;
		return true;
	case NORN_CHECK_EFFORT:
		c->effort = 1 + (unsigned)norn_args_number(args, 0, 1000000000);
		return true;
	case NORN_CHECK_DEBUG:
		set_debug(args);
		return true;
	case NORN_CHECK_INFER:
		c->infer = true;
		return true;
	case NORN_CHECK_MODEL:
		c->models[c->model_count++] = args->value;
		return true;
	case NORN_CHECK_PARTIAL:
		c->partial = true;
		return true;
	case NORN_CHECK_SUPPRESSIONS:
		c->suppressions[c->suppression_count++] = args->value;
		return true;
	case NORN_CHECK_BASELINE:
		c->baseline = args->value;
		return true;
	case NORN_CHECK_COVERAGE:
		c->judged = true;
		return true;
	case NORN_CHECK_NO_FIXES:
		c->no_fixes = true;
		return true;
	case NORN_CHECK_ONLY_HARMFUL:
		c->only_harmful = true;
		return true;
	case NORN_CHECK_MAX_FINDINGS:
		c->max_findings = (unsigned)norn_args_number(args, 1, UINT32_MAX);
		return true;
	case NORN_CHECK_PROGRAM:
		c->program = args->value;
		return true;
	default:
		return norn_outputs_option(&c->outputs, id, args->value);
	}
}

static bool is_one_of(const char *path, const char *const *inputs, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (inputs[i] && norn_same_file(path, inputs[i]))
			return true;
	return false;
}

static bool is_read(const struct norn_checking *c, const char *path)
{
	const char *const others[] = {c->trace, c->program, c->baseline};
	return is_one_of(path, others, 3) || is_one_of(path, c->more_traces, c->more_count) ||
	       is_one_of(path, c->props, c->prop_count) || is_one_of(path, c->suppressions, c->suppression_count) ||
	       is_one_of(path, c->models, c->model_count);
}

int norn_checker_outputs_ready(const struct norn_checking *c)
{
	const char *const others[] = {c->dot, c->confirm.output, c->confirm.save};
	int status = norn_outputs_ready(&c->outputs);
	for (unsigned i = 0; i < NORN_OUTPUTS + 3 && status == NORN_EXIT_OK; i++) {
		const char *path = i < NORN_OUTPUTS ? c->outputs.paths[i] : others[i - NORN_OUTPUTS];
		if (path && is_read(c, path))
			status = norn_fail("%s is read, and would be lost: name another file to be written", path);
	}
	return status;
}
