/* Files that findings are written to, beside what people read on standard output. */
#ifndef NORN_JOBS_OUTPUTS_H
#define NORN_JOBS_OUTPUTS_H

#include <stdbool.h>

#include "jobs/options.h"

enum norn_output {
	NORN_OUTPUT_JSON,
	NORN_OUTPUT_SARIF,
	NORN_OUTPUT_HTML,
	NORN_OUTPUT_PERFETTO,
	NORN_OUTPUT_JUNIT,
	NORN_OUTPUT_CODE_QUALITY,
	NORN_OUTPUTS
};

struct norn_outputs {
	const char *paths[NORN_OUTPUTS]; /* - is standard output, instead of the text; NULL: not wanted */
};

/* Ids of the options, in the order of the kinds. */
#define NORN_OUTPUT_OPTION 620
#define NORN_JSON_OPTION                                                                                                           \
	{NORN_OUTPUT_OPTION + NORN_OUTPUT_JSON, "json", "FILE",                                                                    \
	        "Write the findings to FILE as JSON, too; - is standard output, instead of the text.", NULL}
#define NORN_OTHER_OUTPUT_OPTIONS                                                                                                  \
	{NORN_OUTPUT_OPTION + NORN_OUTPUT_SARIF, "sarif", "FILE",                                                                  \
	        "The same as SARIF, which code hosts and editors show beside the source.", NULL},                                  \
	        {NORN_OUTPUT_OPTION + NORN_OUTPUT_HTML, "html", "FILE", "The same as a page for a browser.", NULL},                \
	        {NORN_OUTPUT_OPTION + NORN_OUTPUT_PERFETTO, "perfetto", "FILE",                                                    \
	                "The runs that lead to them, for the viewer of Perfetto: a track for each thread.", NULL},                 \
	        {NORN_OUTPUT_OPTION + NORN_OUTPUT_JUNIT, "junit", "FILE",                                                          \
	                "The same as a report of JUnit, which CI services show as tests: each finding is one that fails.", NULL},  \
	{                                                                                                                          \
		NORN_OUTPUT_OPTION + NORN_OUTPUT_CODE_QUALITY, "code-quality", "FILE",                                             \
		        "The same as GitLab's code-quality report.", NULL                                                          \
	}

/* Takes an option of the above; false if id is none of them. */
bool norn_outputs_option(struct norn_outputs *outputs, int id, const char *value);
/* True if standard output is wanted; and if anything is wanted at all. */
bool norn_outputs_take_stdout(const struct norn_outputs *outputs);
bool norn_outputs_wanted(const struct norn_outputs *outputs);
/* A sentence and NORN_EXIT_USAGE if one of them cannot be written, or two are the same: before the program is run. Leaves no
 * file behind. */
int norn_outputs_ready(const struct norn_outputs *outputs);

/* 0, or why (errno) a file of this name cannot be written; - always can. Leaves no file behind. */
int norn_outputs_writable(const char *path);

/* Writes them; trace: what was judged, "" if that was no file. Returns the exit status. */
struct norn_findings;
int norn_outputs_write(const struct norn_outputs *outputs, const struct norn_findings *findings, const char *trace);

/* The exit status that they mean: findings (but for those that are only suspected), a partial verdict, or nothing. */
int norn_exit_of(const struct norn_findings *findings);
/* Notes, and, unless the text that people read has them, the reasons why not all was judged. */
void norn_outputs_say(const struct norn_findings *findings, bool reasons);

#endif
