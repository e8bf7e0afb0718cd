#include "cli/man.h"

#include <string.h>

#include "cli/commands.h"
#include "jobs/say.h"

/* A character beyond ASCII (valid UTF-8 of up to three bytes, as our own texts are) in roff's notation. Returns its last byte. */
static const char *beyond_ascii(FILE *to, const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	bool three = u[0] >= 0xe0;
	unsigned code = three ? (u[0] & 15u) << 12 | (u[1] & 63u) << 6 | (u[2] & 63u) : (u[0] & 31u) << 6 | (u[1] & 63u);
	fprintf(to, "\\[u%04X]", code);
	return s + (three ? 2 : 1);
}

/* Text as roff prints it: dashes stay dashes, a leading dot or quote is no request, an empty line starts a paragraph. */
static void text(FILE *to, const char *s)
{
	for (bool start = true; *s; s++) {
		if (s[0] == '\n' && s[1] == '\n') {
			fputs("\n.PP\n", to);
			s++;
			start = true;
			continue;
		}
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", to);
		if (*s == '-')
			fputs("\\-", to);
		else if (*s == '\\')
			fputs("\\e", to);
		else if (*s & 0x80)
			s = beyond_ascii(to, s);
		else
			fputc(*s, to);
		start = *s == '\n';
	}
}

static void option(FILE *to, const struct norn_option *o)
{
	fputs(".TP\n\\fB", to);
	if (norn_option_letter(o))
		fprintf(to, "\\-%c\\fR, \\fB", o->id);
	text(to, "--");
	text(to, o->name);
	fputs("\\fR", to);
	if (o->argument) {
		fputs(" \\fI", to);
		text(to, o->argument);
		fputs("\\fR", to);
	}
	fputc('\n', to);
	text(to, o->help);
	fputc('\n', to);
}

static void command(FILE *to, const struct norn_command *c)
{
	fprintf(to, ".SS \"norn %s ", c->name);
	text(to, c->options ? "[OPTION…] " : "");
	text(to, c->operands);
	fputs("\"\n", to);
	text(to, c->summary);
	fputs(".\n", to);
	if (c->description) {
		fputs(".PP\n", to);
		text(to, c->description);
		fputc('\n', to);
	}
	const struct norn_option *o;
	for (unsigned i = 0; c->options && (o = norn_option_at(c, i)); i++)
		option(to, o);
	for (unsigned i = 0; c->commands && c->commands[i]; i++)
		command(to, c->commands[i]);
}

struct man_entry {
	const char *term, *meaning;
};

static void entries(FILE *to, const char *heading, const struct man_entry *e)
{
	fprintf(to, ".SH %s\n", heading);
	for (; e->term; e++) {
		fputs(".TP\n\\fB", to);
		text(to, e->term);
		fputs("\\fR\n", to);
		text(to, e->meaning);
		fputc('\n', to);
	}
}

static const struct man_entry statuses[] = {
        {"0", "Success."},
        {"1", "Something was found: norn prop fmt --check knows a file that is not well formatted."},
        {"2", "Bad usage or input; one sentence on standard error says what, and how to put it right."},
        {NULL, NULL},
};

static const struct man_entry environment[] = {
        {"NORN_CC, NORN_CXX", "The clang 19 that norn cc and norn c++ run; clang-19 and clang++-19 unless set."},
        {"NORN_LEVEL", "The level at which norn cc instruments, unless its option --level says: sync or shared."},
        {"NORN_VALUES", "If 0, norn cc leaves out the arguments and results of functions, which makes traces smaller."},
        {"NO_COLOR", "If not empty, nothing is coloured."},
        {NULL, NULL},
};

static const struct man_entry files[] = {
        {"norn.trace", "The trace that norn record writes, and that the other commands read, unless told otherwise."},
        {"norn.trace.old", "The one before."},
        {"norn.trace.part",
                "A trace in the making, or one that could not be completed; norn.trace.RANDOM.part if there is one already."},
        {NULL, NULL},
};

static const struct man_entry examples[] = {
        {"norn cc -g -O1 -pthread prog.c -o prog", "Compiles a program for recording."},
        {"CC=\"norn cc\" ./configure && make", "Does the same for a program with a build system of its own."},
        {"cmake -DCMAKE_C_COMPILER=norn-cc .", "And for one that uses CMake."},
        {"norn prop check --program ./prog safe.prop", "Looks for mistakes in properties of a program."},
        {"norn record ./prog && norn dump --verify && norn stats", "Records a run, checks the trace, and sums it up."},
        {NULL, NULL},
};

int norn_man_command(FILE *to, const struct norn_command *c)
{
	fputs(".TH NORN\\-", to);
	for (const char *s = c->name; *s; s++)
		fputc(*s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s, to);
	fprintf(to, " 1 \"\" \"norn " NORN_VERSION "\" \"User commands\"\n.SH NAME\nnorn\\-%s \\- ", c->name);
	text(to, c->summary);
	fprintf(to, "\n.SH SYNOPSIS\n\\fBnorn %s\\fR ", c->name);
	text(to, c->options ? "[OPTION…] " : "");
	text(to, c->operands);
	fputs("\n.SH DESCRIPTION\n", to);
	text(to, c->description ? c->description : c->summary);
	fputs(c->options ? "\n.SH OPTIONS\n" : "\n", to);
	const struct norn_option *o;
	for (unsigned i = 0; c->options && (o = norn_option_at(c, i)); i++)
		option(to, o);
	fputs(c->commands ? ".SH COMMANDS\n" : "", to);
	for (unsigned i = 0; c->commands && c->commands[i]; i++)
		command(to, c->commands[i]);
	fputs(".SH \"SEE ALSO\"\nnorn(1)\n", to);
	return NORN_EXIT_OK;
}

int norn_man(FILE *to)
{
	fputs(".TH NORN 1 \"\" \"norn " NORN_VERSION "\" \"User commands\"\n.SH NAME\nnorn \\- ", to);
	text(to, "record what the threads of a C program do");
	fputs("\n.SH SYNOPSIS\n", to);
	for (unsigned i = 0; norn_commands[i]; i++) {
		fprintf(to, "%s\\fBnorn %s\\fR ", i ? ".br\n" : "", norn_commands[i]->name);
		text(to, norn_commands[i]->operands);
		fputc('\n', to);
	}
	fputs(".SH DESCRIPTION\n", to);
	text(to, NORN_ABOUT);
	fputs(".\n.SH COMMANDS\n", to);
	for (unsigned i = 0; norn_commands[i]; i++)
		command(to, norn_commands[i]);
	entries(to, "\"EXIT STATUS\"", statuses);
	entries(to, "ENVIRONMENT", environment);
	entries(to, "FILES", files);
	entries(to, "EXAMPLES", examples);
	return NORN_EXIT_OK;
}
