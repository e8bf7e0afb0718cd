/* norn cc and norn c++: clang with Norn's pass and runtime.
 *
 * They add options before the user's own, and a library after them, and then become clang, so diagnostics and exit status are
 * clang's. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/cc/cc_only.h"
#include "cli/cc/clang.h"
#include "cli/commands.h"
#include "cli/cc/driver.h"
#include "jobs/paths.h"
#include "jobs/say.h"

#define ADDED 16 /* options that Norn adds before the user's, at most */
#define LAST 6 /* and after them */

static int cmd_cc(int argc, char **argv);
static int cmd_cxx(int argc, char **argv);

static const struct norn_option options[] = {
        {1, "level", "LEVEL",
                "Instructions that become events: shared (accesses to memory that threads may share, locks, threads, calls, marks: "
                "the "
                "default) or "
                "sync (all but the accesses). The environment's NORN_LEVEL says the same.",
                NULL},
        {2, "prop", "FILE",
                "The program is to be watched (norn watch) by the properties in FILE: only what they name becomes an event. May be "
                "given several times. Functions that they "
                "name are not inlined.",
                NULL},
        {3, "assert-function", "NAME",
                "A call of the function NAME means that something is wrong, as one of abort does: the condition that leads to it "
                "is an "
                "assertion, and is predicted to fail (norn check). NAME:N: argument N of the function, from 1, is the condition, "
                "as that of assert is. Names of C++ may be qualified; such functions are not inlined. A name that no function has "
                "means nothing. May be given several times. The environment's NORN_ASSERT_FUNCTIONS, "
                "a list with blanks between, says the same.",
                NULL},
        {0},
};

const struct norn_command norn_command_cc = {
        .name = "cc",
        .run = cmd_cc,
        .operands = "ARG…",
        .summary = "Compile and link C as clang does, for recording (also: norn-cc)",
        .description = "Takes every option of clang and does what clang does, and has it insert Norn's hooks into what it compiles "
                       "and link "
                       "Norn's runtime into what it links. Defines __NORN__, and finds <norn.h>. Unless a -g option (also -g0) is "
                       "given, adds "
                       "-g, which "
                       "names lines and fields in the trace and does not change the code."
                       "\n\n"
                       "The runtime is a shared library: a link with -static is refused, and so are -fsanitize=thread and "
                       "-fsanitize=memory. "
                       "Code "
                       "for another machine than x86-64 Linux (-m32, --target=…) and code compiled with -ffreestanding get no "
                       "hooks; a link "
                       "with both -nostdlib and "
                       "-ffreestanding or -static gets no runtime.",
        .options = options,
        .leading = true,
};

const struct norn_command norn_command_cxx = {
        .name = "c++",
        .run = cmd_cxx,
        .operands = "ARG…",
        .summary = "Compile and link C++ as clang++ does, for recording (also: norn-c++)",
        .description = "All that `norn cc` says of itself holds here, too.",
        .options = options,
        .leading = true,
};

/* The value of option at argv[*i], in one word or two; NULL: it is another. */
static const char *take(const char *option, int argc, char **argv, int *i)
{
	size_t length = strlen(option);
	if (strcmp(argv[*i], option) == 0 && *i + 1 < argc)
		return argv[++*i];
	return strncmp(argv[*i], option, length) == 0 && argv[*i][length] == '=' ? argv[*i] + length + 1 : NULL;
}

/* One more function whose calls are failures: the pass reads the list. */
static int add_assert_function(const char *name)
{
	const char *list = getenv("NORN_ASSERT_FUNCTIONS");
	char *longer;
	const char *colon = strrchr(name, ':');
	bool numbered = colon && (colon == name || colon[-1] != ':');
	if (!*name || strpbrk(name, " \t\n") || colon == name)
		return norn_fail("--assert-function: \"%s\" is no name of a function", name);
	if (numbered && (strspn(colon + 1, "0123456789") != strlen(colon + 1) || strtoul(colon + 1, NULL, 10) == 0))
		return norn_fail("--assert-function: \"%s\" is no number of an argument; the first one is %.*s:1", colon + 1,
		        (int)(colon - name), name);
	if (asprintf(&longer, "%s%s%s", list ? list : "", list && *list ? " " : "", name) < 0)
		return norn_fail("out of memory");
	int r = setenv("NORN_ASSERT_FUNCTIONS", longer, 1);
	free(longer);
	return r < 0 ? norn_fail("cannot set NORN_ASSERT_FUNCTIONS: %s", strerror(errno)) : NORN_EXIT_OK;
}

/* Takes --level, --prop and --assert-function out of the arguments, wherever they stand, so that they can be given in CFLAGS. */
static int take_own(int *argc, char **argv)
{
	const char *level = NULL;
	const char **props = norn_must_calloc((size_t)*argc + 1, sizeof *props);
	int kept = 0, status = NORN_EXIT_OK;
	unsigned count = 0;
	for (int i = 0; status == NORN_EXIT_OK && i < *argc; i++) {
		const char *value;
		if ((value = take("--level", *argc, argv, &i)))
			level = value;
		else if ((value = take("--prop", *argc, argv, &i)))
			props[count++] = value;
		else if ((value = take("--assert-function", *argc, argv, &i)))
			status = add_assert_function(value);
		else
			argv[kept++] = argv[i];
	}
	argv[kept] = NULL;
	*argc = kept;
	if (status == NORN_EXIT_OK && count)
		status = norn_cc_only(props, count);
	free(props);
	if (status != NORN_EXIT_OK)
		return status;
	if (level && setenv("NORN_LEVEL", level, 1) < 0)
		return norn_fail("cannot set NORN_LEVEL: %s", strerror(errno));
	level = getenv("NORN_LEVEL");
	if (level && *level && strcmp(level, "sync") != 0 && strcmp(level, "shared") != 0)
		return norn_fail("there is no level %s: it is sync or shared", level);
	return 0;
}

struct added {
	char plugin[PATH_MAX + 32];
	char key[64];
	struct norn_paths paths;
};

/* Clang warns of options that a use of it has no use for, unless they stand between these two. */
#define QUIET_BEGIN "--start-no-unused-arguments"
#define QUIET_END "--end-no-unused-arguments"

static uint64_t hash(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3); /* FNV-1a */
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

/* An argument that clang takes and does not use. A cache of compilations (ccache) asks for equal arguments, but knows neither the
 * environment that the pass reads nor that the pass is another one now. */
static void make_key(struct added *a)
{
	static const char *const read[] = {"NORN_LEVEL", "NORN_VALUES", "NORN_ONLY", "NORN_ASSERT_FUNCTIONS"};
	struct stat st = {0};
	char plugin[96];
	stat(a->paths.plugin, &st);
	snprintf(plugin, sizeof plugin, "%lld %lld %ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	uint64_t h = hash(UINT64_C(0xcbf29ce484222325), plugin);
	for (unsigned i = 0; i < sizeof read / sizeof *read; i++)
		h = hash(h, getenv(read[i]));
	snprintf(a->key, sizeof a->key, "-frandom-seed=norn-%016" PRIx64, h);
}

static unsigned add(const struct norn_driver *driver, struct added *a, char **to)
{
	unsigned n = 0;
	to[n++] = QUIET_BEGIN;
	if (driver->compiles) {
		snprintf(a->plugin, sizeof a->plugin, "-fpass-plugin=%s", a->paths.plugin);
		to[n++] = a->plugin;
		make_key(a);
		to[n++] = a->key;
		to[n++] = "-D__NORN__=1";
		to[n++] = "-idirafter";
		to[n++] = a->paths.include;
		if (!driver->debug && !driver->assembles)
			to[n++] = "-g";
	}
	/* First among the libraries, so that its symbols come before those of libc. */
	if (driver->links) {
		to[n++] = "-Wl,--push-state,--no-as-needed";
		to[n++] = a->paths.runtime;
		to[n++] = "-Wl,--pop-state";
		/* Not by -Wl, which would take a comma in the path for its own. */
		to[n++] = "-Xlinker";
		to[n++] = "-rpath";
		to[n++] = "-Xlinker";
		to[n++] = a->paths.runtime_dir;
	}
	to[n++] = QUIET_END;
	return n;
}

/* Last, so that it serves all that the link has: functions of the C++ library that have hooks (src/cxx). */
static void add_last(struct added *a, char *const *from, size_t count, char **to)
{
	size_t before = 0; /* "--": files follow, and nothing else */
	while (before < count && strcmp(from[before], "--") != 0)
		before++;
	memcpy(to, from, before * sizeof *to);
	memcpy(to + before + LAST, from + before, (count - before) * sizeof *to);
	char *const words[LAST] = {
	        QUIET_BEGIN, "-Wl,--push-state,--no-whole-archive", "-Xlinker", a->paths.cxx, "-Wl,--pop-state", QUIET_END};
	memcpy(to + before, words, sizeof words);
}

static int become_clang(bool cxx, int argc, char **argv)
{
	static struct added added;
	struct norn_driver driver;
	struct norn_error err = {0};
	struct norn_clang clang;
	if (norn_driver_read(argc, argv, &driver, &err) < 0)
		return norn_fail_error(&err);
	if ((driver.compiles || driver.links) && norn_paths_find(&added.paths, &err) < 0)
		return norn_fail_error(&err);
	char **command = norn_must_calloc(NORN_CLANG_WORDS + ADDED + LAST + (size_t)argc + 1, sizeof *command);
	norn_clang_find(cxx, &clang);
	unsigned n = norn_clang_words(&clang, command);
	if (driver.compiles || driver.links)
		n += add(&driver, &added, command + n);
	if (driver.links && access(added.paths.cxx, R_OK) == 0)
		add_last(&added, argv, (size_t)argc, command + n);
	else
		memcpy(command + n, argv, (size_t)argc * sizeof *argv);
	execvp(command[0], command);
	int code = errno;
	free(command);
	if (code == ENOENT)
		return norn_fail("%s is not in PATH: install clang 19 (apt-get install clang-19), or name it in %s", clang.text,
		        cxx ? "NORN_CXX" : "NORN_CC");
	return norn_fail("%s cannot be started: %s", clang.text, strerror(code));
}

static int compile(const struct norn_command *command, int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		norn_help(stdout, command);
		return NORN_EXIT_OK;
	}
	argc--, argv++;
	int r = take_own(&argc, argv);
	return r ? r : become_clang(command == &norn_command_cxx, argc, argv);
}

static int cmd_cc(int argc, char **argv)
{
	return compile(&norn_command_cc, argc, argv);
}

static int cmd_cxx(int argc, char **argv)
{
	return compile(&norn_command_cxx, argc, argv);
}
