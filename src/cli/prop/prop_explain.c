/* norn prop explain: what a property means. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/must.h"
#include "cli/prop/prop.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "monitor/explain/explain.h"
#include "mttl/mttl_text.h"

enum { OPT_DOT = 256, OPT_PNG };

static int run(int argc, char **argv);

static const struct norn_option options[] = {
        {'p', "program", "PROG", "The program that the property is about: names and types are looked up in it.", NULL},
        {OPT_DOT, "dot", "FILE", "Write the automaton as Graphviz text to FILE; - is standard output, in place of the explanation.",
                NULL},
        {OPT_PNG, "png", "FILE", "Write the automaton as a picture to FILE. Needs graphviz.", NULL},
        {0},
};

const struct norn_command norn_command_prop_explain = {
        .name = "prop explain",
        .run = run,
        .operands = "FILE NAME",
        .summary = "Say what a property means, in words and as a picture",
        .description =
                "Shows the property in words; the events that it is about; its monitor, as equations of bits or as an automaton; a "
                "shortest run that violates it and one that satisfies it, ready for `norn prop try`; and warns if it can never be "
                "violated or never be satisfied. Of an mttl property: the formula that is monitored, and what threads publish and "
                "know "
                "for it.",
        .options = options,
};

static int write_dot(const struct norn_spec *spec, const struct norn_property *property, const char *path)
{
	struct norn_error err = {0};
	bool standard = strcmp(path, "-") == 0;
	FILE *to = standard ? stdout : norn_open_output(path);
	if (!to)
		return norn_fail("%s cannot be written: %s", path, strerror(errno));
	int r = norn_explain_dot(spec, property, to, &err);
	bool failed = ferror(to);
	if (!standard && fclose(to) != 0)
		failed = true;
	if (r != 0)
		return norn_fail("%s", err.message);
	return failed && !standard ? norn_fail("%s cannot be written: %s", path, strerror(errno)) : NORN_EXIT_OK;
}

/* Runs `dot -Tpng -o path` on the text. */
static int draw(const char *text, size_t length, const char *path)
{
	int ends[2];
	if (pipe(ends) != 0)
		return norn_fail("no pipe to dot: %s", strerror(errno));
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		execlp("dot", "dot", "-Tpng", "-o", path, (char *)NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(ends[0]);
	void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* dot may be gone before it has read anything, or never have been there */
	FILE *to = fdopen(ends[1], "w");
	if (to) {
		fwrite(text, 1, length, to);
		fclose(to);
	}
	signal(SIGPIPE, before);
	int status = 0;
	if (child < 0 || waitpid(child, &status, 0) != child)
		return norn_fail("dot cannot be run: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return norn_fail("pictures need Graphviz's dot, which is not here: install the package graphviz, or use --dot");
	return status == 0 ? NORN_EXIT_OK : norn_fail("dot could not draw %s", path);
}

static int write_png(const struct norn_spec *spec, const struct norn_property *property, const char *path)
{
	struct norn_error err = {0};
	char *text = NULL;
	size_t length;
	FILE *memory = norn_must(open_memstream(&text, &length));
	int r = norn_explain_dot(spec, property, memory, &err);
	norn_must_close(memory);
	int status = r == 0 ? draw(text, length, path) : norn_fail_error(&err);
	free(text);
	return status;
}

static int explain_mttl(const struct norn_prop_file *file, const struct norn_property *property, bool draws)
{
	struct norn_error err = {0};
	if (draws)
		return norn_fail("%s is an mttl formula, which has no automaton that could be drawn", property->name);
	if (norn_mttl_explain(file->sources, file->spec, property, stdout, &err) != 0)
		return norn_fail("%s", err.message);
	return NORN_EXIT_OK;
}

static int explain(const struct norn_prop_file *file, const char *path, const char *name, const char *dot, const char *png)
{
	const struct norn_property *property = norn_spec_property(file->spec, name);
	struct norn_error err = {0};
	int status = NORN_EXIT_OK;
	if (property && property->logic == NORN_LOGIC_MTTL)
		return explain_mttl(file, property, dot || png);
	property = norn_prop_find(file, path, name, "explained");
	if (!property)
		return NORN_EXIT_USAGE;
	if (!(dot && strcmp(dot, "-") == 0) && norn_explain_text(file->spec, property, path, stdout, &err) != 0)
		return norn_fail("%s: %s", name, err.message);
	if (dot)
		status = write_dot(file->spec, property, dot);
	if (png && status == NORN_EXIT_OK)
		status = write_png(file->spec, property, png);
	return status;
}

static int run(int argc, char **argv)
{
	const char *operands[2] = {0}, *program = NULL, *dot = NULL, *png = NULL;
	int count = 0;
	struct norn_args args;
	norn_args_init(&args, &norn_command_prop_explain, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		if (id == 'p')
			program = args.value;
		else if (id == OPT_DOT)
			dot = args.value;
		else if (id == OPT_PNG)
			png = args.value;
		else if (count < 2)
			operands[count++] = args.value;
		else
			return norn_fail(
			        "%s is one too many: norn prop explain takes a file and the name of a property in it", args.value);
	if (count < 2)
		return norn_fail("norn prop explain needs a file and the name of a property in it: norn prop explain FILE NAME");
	struct norn_prop_file file;
	int status = norn_prop_load(&file, operands[0], program);
	if (status == NORN_EXIT_OK) {
		status = explain(&file, operands[0], operands[1], dot, png);
		norn_prop_unload(&file);
	}
	return status;
}
