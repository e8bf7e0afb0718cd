/* What `norn cc` makes of a compiler's command line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/cc/driver.h"
#include "cli/cc/arguments.h"

static int read_line(const char *line, struct norn_driver *ret_driver, struct norn_error *err)
{
	char copy[512], *args[64], *rest = NULL;
	int count = 0;
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		args[count++] = word;
	return norn_driver_read(count, args, ret_driver, err);
}

static void does(const char *line, bool compiling, bool linking)
{
	struct norn_driver d;
	assert_int_equal(read_line(line, &d, NULL), 0);
	if (d.compiles != compiling || d.links != linking)
		fail_msg("%s: compiles %d links %d", line, d.compiles, d.links);
}

static void phases(void **state)
{
	does("a.c", true, true);
	does("a.c b.c -o prog -lm", true, true);
	does("-c a.c", true, false);
	does("-c a.c b.c", true, false);
	does("a.c -S", true, false);
	does("-E a.c", true, false);
	does("-M a.c", true, false);
	does("-MM a.c", true, false);
	does("-MD -MF a.d a.c", true, true);
	does("-fsyntax-only a.c", true, false);
	does("a.o b.o -o prog", true, true);
	does("-shared -fPIC a.o -o liba.so", true, true);
	does("-r a.o b.o -o c.o", true, false);
	does("-Wl,-r a.o -o c.o", true, false);
	does("-Xlinker -r a.o -o c.o", true, false);
	does("-x c -", true, true);
	does("-xc - -c", true, false);
	does("-lm", true, true);
	does("-x c-header a.h", true, false);
	does("a.hpp", true, false);
	does("a.h a.c", true, true);
}

static void questions(void **state)
{
	does("--version", false, false);
	does("-dumpmachine", false, false);
	does("-print-file-name=libc.a a.c", false, false);
	does("--print-search-dirs", false, false);
	does("-v", true, false);
	does("-v -I include", true, false);
	does("-E -o out", true, false);
	does("-cc1 -emit-obj a.c", false, false);
	does("", true, false);
}

static void arguments_are_no_inputs(void **state)
{
	does("-v -o a.c", true, false);
	does("-v -include a.h -isystem dir -MF file -Xclang word -mllvm word -u symbol -T script", true, false);
	does("-v -- a.c", true, true);
	does("-o -c a.c", true, true); /* as clang takes it: the output is named -c */
}

static void other_machines(void **state)
{
	does("-m32 a.c", false, false);
	does("-m32 -m64 a.c", true, true);
	does("--target=bpf -c a.c", false, false);
	does("-target aarch64-linux-gnu a.c", false, false);
	does("--target=x86_64-pc-linux-gnu a.c", true, true);
	does("--target=x86_64-w64-mingw32 a.c", false, false);
}

static void freestanding(void **state)
{
	does("-ffreestanding -c a.c", false, false);
	does("-ffreestanding -fhosted -c a.c", true, false);
	does("-ffreestanding -nostdlib a.c", false, false);
	does("-nostdlib -shared crti.o a.o -lc", true, true); /* libtool's way to link C++ */
	does("-static -nostdlib a.o", true, false);
}

static void refused(const char *line, const char *reason)
{
	struct norn_driver d;
	struct norn_error err = {0};
	assert_int_equal(read_line(line, &d, &err), -ENOTSUP);
	assert_non_null(strstr(err.message, reason));
}

static void refusals(void **state)
{
	refused("-static a.c", "-static");
	refused("a.o --static", "--static");
	refused("-static-pie a.c", "-static-pie");
	refused("-fsanitize=thread -c a.c", "thread");
	refused("-fsanitize=undefined,memory a.c", "memory");
	does("-static -c a.c", true, false);
	does("-fsanitize=thread -fno-sanitize=thread a.c", true, true);
	does("-fsanitize=thread -fno-sanitize=all a.c", true, true);
	does("-fsanitize=address,undefined a.c", true, true);
}

static void debug_information(void **state)
{
	static const struct {
		const char *line;
		bool debug, assembles;
	} cases[] = {
	        {"-c a.c", false, false},
	        {"-g a.c", true, false},
	        {"-g0 a.c", true, false},
	        {"-ggdb3 a.c", true, false},
	        {"-gz a.c", false, false},
	        {"a.c b.S", false, true},
	        {"-x assembler -", false, true},
	        {"-x assembler a -x none b.c", false, true},
	        {"-x c a.s", false, false},
	        {"dir.s/a.c", false, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct norn_driver d;
		assert_int_equal(read_line(cases[i].line, &d, NULL), 0);
		if (d.debug != cases[i].debug || d.assembles != cases[i].assembles)
			fail_msg("%s: debug %d assembles %d", cases[i].line, d.debug, d.assembles);
	}
}

/* Writes text to a temporary file whose name ends up in path. */
static void response(char *path, const char *text)
{
	strcpy(path, "/tmp/norn-response-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void response_files(void **state)
{
	char inner[64], outer[64], line[128];
	response(inner, "-c 'a file.c'\n-DX=\\\"y\\ z\\\"\t\"quoted \\\" one\"");
	snprintf(line, sizeof line, "-O2 @%s", inner);
	response(outer, line);
	snprintf(line, sizeof line, "@%s", outer);

	struct norn_arguments words = {0};
	norn_arguments_expand(&words, line);
	static const char *const expected[] = {"-O2", "-c", "a file.c", "-DX=\"y z\"", "quoted \" one"};
	assert_int_equal(words.count, 5);
	for (size_t i = 0; i < words.count; i++)
		assert_string_equal(words.items[i], expected[i]);
	norn_arguments_done(&words);
	does(line, true, false);
	does("@/nonexistent/file", true, true);

	FILE *f = fopen(outer, "w");
	fputs(line, f);
	fclose(f);
	does(line, true, true); /* a file that names itself ends */
	unlink(inner);
	unlink(outer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(phases),
	        cmocka_unit_test(questions),
	        cmocka_unit_test(arguments_are_no_inputs),
	        cmocka_unit_test(other_machines),
	        cmocka_unit_test(freestanding),
	        cmocka_unit_test(refusals),
	        cmocka_unit_test(debug_information),
	        cmocka_unit_test(response_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
