#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/prop/prop.h"
#include "jobs/prop_load.h"
#include "jobs/say.h"
#include "property/ast.h"

static int run(int argc, char **argv);

enum { OPT_CHECK = 256 };

static const struct norn_option options[] = {
        {'i', "in-place", NULL, "Write the files instead of standard output. Those that are well formatted are not touched.", NULL},
        {OPT_CHECK, "check", NULL,
                "Write nothing; name the files that are not well formatted. The exit status is 1 if there are any.", NULL},
        {0},
};

const struct norn_command norn_command_prop_fmt = {
        .name = "prop fmt",
        .run = run,
        .operands = "FILE…",
        .summary = "Format property files",
        .description =
                "Writes the files to standard output in the one layout that all property files share: only white space changes, "
                "and comments stay where they are. Files with mistakes in their syntax are not formatted.",
        .options = options,
};

/* Through a file beside it, so that no reader ever sees half of it. A link stays a link. */
static int replace(const char *path, const char *text)
{
	char *real = realpath(path, NULL), *part = NULL;
	struct stat st;
	int fd = -1, r = -1;
	if (real && stat(real, &st) == 0 && asprintf(&part, "%s.XXXXXX", real) >= 0)
		fd = mkstemp(part);
	if (fd >= 0) {
		FILE *to = fdopen(fd, "w");
		r = to && fputs(text, to) >= 0 && fchmod(fd, st.st_mode & 07777) == 0 ? 0 : -1;
		if (to)
			r |= fclose(to);
		else
			close(fd);
		r = r == 0 ? rename(part, real) : r;
	}
	int status = r == 0 ? NORN_EXIT_OK : norn_fail("%s cannot be written: %s", path, strerror(errno));
	if (fd >= 0 && r != 0)
		unlink(part);
	free(real);
	free(part);
	return status;
}

static int handle(const char *path, const char *before, const char *after, bool in_place, bool check)
{
	bool same = strcmp(before, after) == 0;
	if (check && !same)
		puts(path);
	if (check)
		return same ? NORN_EXIT_OK : NORN_EXIT_FINDINGS;
	if (in_place)
		return same ? NORN_EXIT_OK : replace(path, after);
	fputs(after, stdout);
	return NORN_EXIT_OK;
}

static int format_file(const char *path, bool in_place, bool check)
{
	struct norn_error err = {0};
	struct norn_sources *sources = norn_sources_new();
	char *text = NULL;
	uint32_t file;
	int r = norn_sources_read(sources, path, &file, &err), status;
	if (r == 0)
		r = norn_tree_format(sources, file, &text, &err);
	if (r == -EINVAL) { /* once more, for its mistakes */
		norn_tree_free(norn_tree_parse(sources, file));
		status = norn_prop_show_diagnostics(sources);
	} else {
		status = r == 0 ? handle(path, norn_sources_text(sources, file, NULL), text, in_place, check)
		                : norn_fail("%s", err.message);
	}
	free(text);
	norn_sources_free(sources);
	return status;
}

static int run(int argc, char **argv)
{
	bool in_place = false, check = false;
	int files = 0, status = NORN_EXIT_OK;
	struct norn_args args;
	norn_args_init(&args, &norn_command_prop_fmt, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		switch (id) {
		case 'i':
			in_place = true;
			break;
		case OPT_CHECK:
			check = true;
			break;
		default:
			argv[files++] = (char *)args.value;
		}
	if (files == 0)
		return norn_fail("which file? `norn prop fmt FILE` formats it");
	if (in_place && check)
		return norn_fail("--in-place writes and --check does not: give one of them");
	for (int i = 0; i < files; i++) {
		int one = format_file(argv[i], in_place, check);
		if (one > status)
			status = one;
	}
	return status;
}
