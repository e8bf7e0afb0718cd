#include "jobs/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <sys/wait.h>

#include "base/files.h"
#include "base/text/printable.h"
#include "recorder/recorder.h"

static void say(const char *colour, const char *format, va_list arguments)
{
	bool coloured = norn_colour(stderr);
	fflush(stdout);
	fprintf(stderr, "%snorn:%s ", coloured ? colour : "", coloured ? "\033[0m" : "");
	char *text = NULL, *shown = vasprintf(&text, format, arguments) < 0 ? NULL : norn_printable(text, false);
	fprintf(stderr, "%s\n", shown ? shown : format);
	free(text);
	free(shown);
}

void norn_finish_output(void)
{
	bool failed = ferror(stdout);
	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return;
	if (errno != EPIPE)
		norn_fail("standard output cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
	_exit(NORN_EXIT_USAGE);
}

int norn_fail(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("\033[1;31m", format, arguments);
	va_end(arguments);
	return NORN_EXIT_USAGE;
}

/* True if it gets rights that its caller does not have. */
static bool is_privileged(const char *program)
{
	char file[PATH_MAX];
	struct stat st;
	return norn_find_program(program, file) && stat(file, &st) == 0 &&
	       ((st.st_mode & (S_ISUID | S_ISGID)) || getxattr(file, "security.capability", NULL, 0) > 0);
}

int norn_fail_unrecorded(const char *program)
{
	if (is_privileged(program))
		return norn_fail(
		        "%s made no events: it gets rights of its own (setuid, setgid, capabilities), and such programs are "
		        "neither recorded nor watched; run a copy without these rights",
		        program);
	return norn_fail("%s made no events: it was not built by norn (build it with `norn cc`, or CC=\"norn cc\" "
	                 "./configure && make)",
	        program);
}

int norn_fail_outdated(const char *program)
{
	return norn_fail(
	        "%s was built by another version of norn cc than this one, so it cannot be recorded or watched: build it again "
	        "with `norn cc`",
	        program);
}

void norn_say_full(const struct norn_recording *recording, int error)
{
	norn_note("no more can be written to %s: %s; the program goes on, and what it did so far is kept", recording->part,
	        strerror(error));
}

void norn_say_name(const struct norn_recording *recording)
{
	if (strcmp(recording->name, recording->trace) != 0)
		norn_note("another recording has written %s meanwhile: this one is %s (-o FILE gives each a name of its own)",
		        recording->trace, recording->name);
}

int norn_fail_error(const struct norn_error *err)
{
	if (err->file[0] && err->line && err->column)
		return norn_fail("%s:%u:%u: %s", err->file, err->line, err->column, err->message);
	if (err->file[0] && err->line)
		return norn_fail("%s:%u: %s", err->file, err->line, err->message);
	if (err->file[0])
		return norn_fail("%s: %s", err->file, err->message);
	return norn_fail("%s", err->message);
}

void norn_note(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("\033[1m", format, arguments);
	va_end(arguments);
}

void norn_say_status(const char *program, int status, bool with_zero)
{
	if (WIFSIGNALED(status))
		norn_note("%s was ended by signal %d (%s)", program, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (with_zero || WEXITSTATUS(status))
		norn_note("%s exited with status %d", program, WEXITSTATUS(status));
}

bool norn_colour(FILE *stream)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

unsigned norn_width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
	if (width == 0 && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	return width < 1000 ? (unsigned)width : 0;
}
