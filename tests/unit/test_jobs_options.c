/* The option tables: what they accept, and what help and the nearest name make of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "jobs/options.h"
#include "base/text/nearest_word.h"
#include "jobs/say.h"

static const struct norn_option options[] = {
        {'o', "output", "FILE", "Where to write.", NULL},
        {'v', "verify", NULL, "Check.", NULL},
        {1000, "limit", "N", "How many.", "Selection"},
        {0},
};
static const struct norn_command permuting = {.name = "sample", .operands = "[FILE]", .summary = "Sample", .options = options};
static const struct norn_command leading = {
        .name = "sample", .operands = "PROG", .summary = "Sample", .options = options, .leading = true};

/* The ids and values that a command line gives, as text: "o=x v -=operand". */
static void parse(const struct norn_command *command, int argc, char **argv, char *text)
{
	struct norn_args args;
	norn_args_init(&args, command, argc, argv);
	*text = 0;
	for (int id; (id = norn_args_next(&args));) {
		if (id == NORN_OPERAND)
			text += sprintf(text, "-");
		else
			text += sprintf(text, id < 128 ? "%c" : "%d", id);
		text += sprintf(text, "%s%s ", args.value ? "=" : "", args.value ? args.value : "");
	}
	if (command->leading && args.index < argc)
		sprintf(text, "then %s", argv[args.index]);
}

#define GIVES(command, text, ...)                                                                                                  \
	do {                                                                                                                       \
		char *argv[] = {"sample", __VA_ARGS__, NULL}, result[256];                                                         \
		parse(command, sizeof argv / sizeof *argv - 1, argv, result);                                                      \
		assert_string_equal(result, text);                                                                                 \
	} while (0)

static void accepted(void **state)
{
	GIVES(&permuting, "o=x v ", "-o", "x", "-v");
	GIVES(&permuting, "o=x v ", "-ox", "--verify");
	GIVES(&permuting, "v o=x ", "-vox");
	GIVES(&permuting, "o= 1000=7 ", "--output=", "--limit", "7");
	GIVES(&permuting, "-=a v -=b ", "a", "-v", "b");
	GIVES(&permuting, "-=- -=-v ", "-", "--", "-v");
	GIVES(&leading, "v then prog", "-v", "prog", "-v");
	GIVES(&leading, "then -prog", "--", "-prog");
}

/* Parses in a child; gives its exit status and the first line that it said. */
static int child(const char *word, char *line, size_t bytes)
{
	int out[2];
	assert_int_equal(pipe(out), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		char copy[64], *argv[] = {"sample", copy, NULL}, result[256];
		snprintf(copy, sizeof copy, "%s", word);
		dup2(out[1], 1), dup2(out[1], 2);
		parse(&permuting, 2, argv, result);
		_exit(99);
	}
	close(out[1]);
	FILE *f = fdopen(out[0], "r");
	if (!fgets(line, (int)bytes, f))
		line[0] = 0;
	char rest[256];
	while (fgets(rest, sizeof rest, f))
		;
	fclose(f);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

static void refused(void **state)
{
	char line[256];
	assert_int_equal(child("--verfy", line, sizeof line), 2);
	assert_string_equal(line, "norn: sample has no option --verfy: did you mean --verify?\n");
	assert_int_equal(child("--wholly-else", line, sizeof line), 2);
	assert_non_null(strstr(line, "`norn sample --help` lists them"));
	assert_int_equal(child("-q", line, sizeof line), 2);
	assert_int_equal(child("-o", line, sizeof line), 2);
	assert_string_equal(line, "norn: -o needs an argument: FILE\n");
	assert_int_equal(child("--verify=yes", line, sizeof line), 2);
	assert_string_equal(line, "norn: --verify takes no argument\n");
	assert_int_equal(child("--help", line, sizeof line), 0);
	assert_string_equal(line, "Usage: norn sample [OPTION…] [FILE]\n");
}

static void help(void **state)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	norn_help(f, &permuting);
	fclose(f);
	assert_string_equal(text, "Usage: norn sample [OPTION…] [FILE]\n\nSample.\n\nOptions:\n"
	                          "  -o, --output FILE         Where to write.\n"
	                          "  -v, --verify              Check.\n\nSelection:\n"
	                          "      --limit N             How many.\n"
	                          "  -h, --help                Show this help and exit.\n");
	free(text);
}

static const char *name_of(const void *names, unsigned i)
{
	return ((const char *const *)names)[i];
}

static void nearest(void **state)
{
	static const char *const names[] = {"record", "dump", "stats"};
	assert_string_equal(norn_nearest("recrod", 3, name_of, names), "record");
	assert_string_equal(norn_nearest("dum", 3, name_of, names), "dump");
	assert_null(norn_nearest("xyzzy", 3, name_of, names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(accepted),
	        cmocka_unit_test(refused),
	        cmocka_unit_test(help),
	        cmocka_unit_test(nearest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
