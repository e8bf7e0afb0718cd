/* norn convert: between Norn's traces and RAPID's text. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "cli/commands.h"
#include "jobs/say.h"
#include "run/rapid.h"

enum { OPT_FROM = 256, OPT_TO };

static const struct norn_option options[] = {
        {OPT_FROM, "from", "FORMAT", "Format of IN: norn (the default) or rapid.", NULL},
        {OPT_TO, "to", "FORMAT", "Format of OUT: norn or rapid; the other one by default.", NULL},
        {0},
};

static int run(int argc, char **argv);

const struct norn_command norn_command_convert = {
        .name = "convert",
        .run = run,
        .operands = "IN OUT",
        .summary = "Convert a trace from or to RAPID's text format",
        .description =
                "RAPID's format has one event per line, thread|op(target)|location, where op is one of r, w, acq, rel, fork, join, "
                "begin and end. OUT may be - for standard output if it is text, IN may be - for standard input if it is.\n\n"
                "Events that RAPID has no word for are left out, and counted.",
        .options = options,
};

/* A device, say, which must be neither removed nor replaced. */
static bool is_special(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int import(const char *in, const char *out)
{
	struct norn_error err = {0};
	struct norn_rapid_import result;
	if (strcmp(out, "-") == 0)
		return norn_fail("a Norn trace cannot be written to standard output; name a file");
	if (is_special(out))
		return norn_fail("%s cannot be written: it is no regular file", out);
	bool standard = strcmp(in, "-") == 0;
	FILE *from = standard ? stdin : fopen(in, "re");
	if (!from)
		return norn_fail("%s cannot be read: %s", in, strerror(errno));
	int r = norn_rapid_import(from, standard ? "standard input" : in, out, &result, &err);
	if (!standard)
		fclose(from);
	if (r != 0)
		return norn_fail_error(&err);
	if (result.reentrant)
		norn_note("%" PRIu64 " acquires and releases of locks that their thread held already were left out",
		        result.reentrant);
	if (result.forked_again)
		norn_note("%" PRIu64 " forks of threads that had been forked already were left out", result.forked_again);
	return NORN_EXIT_OK;
}

static void tell_left_out(const struct norn_rapid_export *result)
{
	uint64_t all = 0;
	char list[400] = "";
	for (unsigned kind = 0; kind < NORN_EVENT_KINDS; kind++) {
		if (!result->left_out[kind])
			continue;
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%" PRIu64 " %s", all ? ", " : "", result->left_out[kind],
		        norn_event_kind_name(kind));
		all += result->left_out[kind];
	}
	if (all)
		norn_note("%" PRIu64 " events have no counterpart in RAPID's format and were left out: %s", all, list);
}

static int export(const char *in, const char *out)
{
	struct norn_error err = {0};
	struct norn_trace *trace;
	struct norn_rapid_export result;
	if (norn_trace_open(in, false, &trace, &err) != 0)
		return norn_fail_error(&err);
	bool standard = strcmp(out, "-") == 0;
	char *part = NULL;
	FILE *to = standard ? stdout : norn_output_begin(out, &part);
	int status = NORN_EXIT_OK;
	if (!to) {
		status = norn_fail("%s cannot be written: %s", out, strerror(errno));
	} else {
		int r = norn_rapid_export(trace, to, &result, &err);
		int why = standard ? 0 : norn_output_end(to, out, part, r == 0);
		if (why && r == 0)
			r = norn_error_set(&err, -why, "%s cannot be written: %s", out, strerror(why));
		if (r != 0) {
			status = norn_fail_error(&err);
		} else {
			tell_left_out(&result);
		}
	}
	norn_trace_close(trace);
	return status;
}

/* 1 rapid, 0 norn. */
static int format_of(const char *name)
{
	return strcmp(name, "rapid") == 0 ? 1 : strcmp(name, "norn") == 0 ? 0 : -1;
}

static int run(int argc, char **argv)
{
	const char *files[2] = {NULL, NULL};
	unsigned count = 0;
	int from = -1, to = -1;
	struct norn_args args;
	norn_args_init(&args, &norn_command_convert, argc, argv);
	for (int id; (id = norn_args_next(&args));) {
		if (id == OPT_FROM || id == OPT_TO) {
			int format = format_of(args.value);
			if (format < 0)
				return norn_fail("%s is not a format: it is norn or rapid", args.value);
			*(id == OPT_FROM ? &from : &to) = format;
		} else if (count < 2) {
			files[count++] = args.value;
		} else {
			return norn_fail("convert takes two files, IN and OUT");
		}
	}
	if (count < 2)
		return norn_fail("convert takes two files, IN and OUT");
	if (from < 0)
		from = to < 0 ? 0 : !to;
	if (to < 0)
		to = !from;
	if (from == to)
		return norn_fail("IN and OUT have the same format: nothing to convert");
	if (norn_same_file(files[0], files[1]))
		return norn_fail("IN and OUT are the same file");
	return from ? import(files[0], files[1]) : export(files[0], files[1]);
}
