#include "cli/cc/driver.h"

#include <errno.h>
#include <string.h>

#include "cli/cc/arguments.h"

struct driver_state {
	bool stops; /* an earlier phase than linking is the last, or the link is relocatable */
	bool asks; /* clang answers a question and does nothing else */
	bool no_library, freestanding, foreign; /* foreign: for another machine than x86-64 Linux */
	bool thread_sanitizer, memory_sanitizer;
	bool debug, assembles;
	bool inputs, headers_only;
	const char *language; /* of -x, NULL: by the file's name */
	const char *static_option;
};

static bool starts(const char *word, const char *start)
{
	return strncmp(word, start, strlen(start)) == 0;
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

/* Options that end before linking. */
static const char *const stopping[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--compile", "--assemble",
        "--preprocess", "--dependencies", "--user-dependencies", "--precompile", "-emit-ast", "--analyze", "-Wl,-r",
        "-Wl,--relocatable", "-verify-pch", "-extract-api", "-emit-interface-stubs", "-module-file-info", "-rewrite-objc", NULL};

static const char *const asking[] = {"--version", "-dumpversion", "-dumpmachine", "--help", "-help", "--help-hidden", "-cc1",
        "-cc1as", "-cc1gen-reproducer", NULL};

/* Options whose argument is the next word, which is then no input file. */
static const char *const separate[] = {"-o", "-I", "-L", "-D", "-U", "-F", "-include", "-imacros", "-isystem", "-idirafter",
        "-iquote", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-iwithsysroot", "-isysroot", "-iframework", "-cxx-isystem",
        "-stdlib++-isystem", "-include-pch", "-ivfsoverlay", "--sysroot", "-MF", "-MT", "-MQ", "-MJ", "-Xclang", "-Xassembler",
        "-Xpreprocessor", "-Xanalyzer", "-Xopenmp-target", "-mllvm", "-mmlir", "--param", "-A", "-B", "-T", "-b", "-e", "-u", "-z",
        "-arch", "-G", "--config", "-dumpdir", "-working-directory", "-serialize-diagnostics", "--serialize-diagnostics",
        "-framework", "-fplugin-arg", "--output", "--include-directory", "--library-directory", "--define-macro",
        "--undefine-macro", "--entry", NULL};

static void sanitize(struct driver_state *s, const char *list, bool on)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		bool all = length == 3 && memcmp(list, "all", 3) == 0 && !on;
		if (all || (length == 6 && memcmp(list, "thread", 6) == 0))
			s->thread_sanitizer = on;
		if (all || (length == 6 && memcmp(list, "memory", 6) == 0))
			s->memory_sanitizer = on;
		list += length + (list[length] == ',');
	}
}

static void target(struct driver_state *s, const char *triple)
{
	s->foreign = !(starts(triple, "x86_64") || starts(triple, "amd64")) || !strstr(triple, "linux") || strstr(triple, "x32");
}

static void language_of(struct driver_state *s, const char *file)
{
	static const char *const assembler[] = {"s", "S", "sx", "asm", NULL};
	static const char *const headers[] = {"h", "H", "hh", "hp", "hpp", "hxx", "h++", "tcc", NULL};
	const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
	const char *extension = dot ? dot + 1 : "";
	bool header = s->language ? strstr(s->language, "-header") != NULL : is_one_of(extension, headers);
	s->assembles |= s->language ? starts(s->language, "assembler") : is_one_of(extension, assembler);
	s->headers_only = header && (s->headers_only || !s->inputs);
	s->inputs = true;
}

/* One option; next is the word after it (NULL if none). Returns whether it uses that word up. */
static bool read_option(struct driver_state *s, const char *word, const char *next)
{
	if (is_one_of(word, stopping))
		s->stops = true;
	else if (is_one_of(word, asking) || starts(word, "-print-") || starts(word, "--print-") || starts(word, "--help="))
		s->asks = true;
	else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0 || strcmp(word, "-static-pie") == 0)
		s->static_option = word;
	else if (strcmp(word, "-nostdlib") == 0 || strcmp(word, "--no-standard-libraries") == 0)
		s->no_library = true;
	else if (strcmp(word, "-ffreestanding") == 0 || strcmp(word, "-fhosted") == 0)
		s->freestanding = word[3] == 'r';
	else if (starts(word, "-fsanitize=") || starts(word, "-fno-sanitize="))
		sanitize(s, strchr(word, '=') + 1, word[2] == 's');
	else if (strcmp(word, "-m32") == 0 || strcmp(word, "-m16") == 0 || strcmp(word, "-mx32") == 0 || strcmp(word, "-m64") == 0)
		s->foreign = strcmp(word, "-m64") != 0;
	else if (starts(word, "--target="))
		target(s, word + 9);
	else if (starts(word, "-l") || starts(word, "-Wl,"))
		s->inputs = true, s->headers_only = false;
	else if (starts(word, "-x") && word[2])
		s->language = word + 2;
	else if (starts(word, "-g") && !starts(word, "-gcc-") && !starts(word, "-gno-") && !starts(word, "-gz"))
		s->debug = true;
	else if (starts(word, "-save-temps") || starts(word, "--save-temps"))
		s->debug = true; /* clang 19 would warn of the debug information that it made itself */
	if (!next)
		return false;
	if (strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0)
		s->language = next;
	else if (strcmp(word, "-target") == 0)
		target(s, next);
	else if (strcmp(word, "-l") == 0 || strcmp(word, "-Xlinker") == 0)
		s->stops |= strcmp(next, "-r") == 0 || strcmp(next, "--relocatable") == 0, s->inputs = true;
	else
		return is_one_of(word, separate) || starts(word, "-Xarch_");
	if (s->language && strcmp(s->language, "none") == 0)
		s->language = NULL;
	return true;
}

static void read_words(struct driver_state *s, const struct norn_arguments *words)
{
	bool only_files = false;
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		if (only_files || word[0] != '-' || !word[1])
			language_of(s, word);
		else if (strcmp(word, "--") == 0)
			only_files = true;
		else if (read_option(s, word, i + 1 < words->count ? words->items[i + 1] : NULL))
			i++;
	}
}

static int conclude(const struct driver_state *s, struct norn_driver *ret_driver, struct norn_error *err)
{
	struct norn_driver driver = {.debug = s->debug, .assembles = s->assembles};
	if (!s->asks && !s->foreign) {
		driver.compiles = !s->freestanding;
		driver.links =
		        s->inputs && !s->stops && !s->headers_only && !(s->no_library && (s->freestanding || s->static_option));
	}
	if (driver.links && s->static_option)
		return norn_error_set(err, -ENOTSUP,
		        "Norn's runtime is a shared library and cannot be linked with %s: link without it", s->static_option);
	if ((driver.compiles || driver.links) && (s->thread_sanitizer || s->memory_sanitizer))
		return norn_error_set(err, -ENOTSUP,
		        "-fsanitize=%s and Norn both want to see every access: compile with one or the other",
		        s->thread_sanitizer ? "thread" : "memory");
	*ret_driver = driver;
	return 0;
}

int norn_driver_read(int count, char *const *args, struct norn_driver *ret_driver, struct norn_error *err)
{
	struct norn_arguments words = {0};
	struct driver_state s = {0};
	for (int i = 0; i < count; i++)
		norn_arguments_expand(&words, args[i]);
	read_words(&s, &words);
	int r = conclude(&s, ret_driver, err);
	norn_arguments_done(&words);
	return r;
}
