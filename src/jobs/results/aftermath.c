#include "jobs/results/aftermath.h"

#include <string.h>
#include <sys/wait.h>

#include "jobs/run_ending.h"
#include "jobs/say.h"
#include "run/run_end.h"

static int recorded_status(const struct norn_trace *trace)
{
	struct norn_run_end end;
	norn_run_end_read(trace, &end);
	int status = end.status;
	norn_run_end_done(&end);
	return status;
}

/* "SIGSEGV: main/1 reads the null address at x.c:40; called at x.c:52, main" */
static const char *failure_text(struct norn_findings *f, const struct norn_finding *failed)
{
	static const char by[] = "crash by ";
	const char *outcome = failed->outcome + (strncmp(failed->outcome, by, strlen(by)) == 0 ? strlen(by) : 0);
	const char *text = norn_findings_text(f, "%s: %s", outcome, failed->message);
	const struct norn_side *side = failed->sides && failed->where_count ? failed->sides : NULL;
	for (uint32_t i = 0; side && i < side->frame_count; i++)
		text = norn_findings_text(f, "%s%s %s:%u, %s", text, i ? "," : "; called at", basename(side->frames[i].file),
		        side->frames[i].line, side->frames[i].function);
	return text;
}

static void failed(struct norn_findings *f, const struct norn_finding *how, struct norn_finding *finding)
{
	bool crash = how->kind == NORN_FINDING_CRASH;
	finding->aftermath_kind = crash ? "crash" : "assertion";
	finding->aftermath = norn_findings_text(f, "then the program %s: %s", crash ? "crashed" : "failed", failure_text(f, how));
}

static void ended(struct norn_findings *f, int status, int before, struct norn_finding *finding)
{
	bool same = status == before;
	finding->aftermath_kind = same ? "none" : "status";
	if (WIFEXITED(status) && same)
		finding->aftermath = norn_findings_text(
		        f, "then the program ended with status %d, as it did when it was recorded", WEXITSTATUS(status));
	else if (WIFEXITED(status) && before >= 0 && WIFEXITED(before))
		finding->aftermath = norn_findings_text(f, "then the program ended with status %d; it was %d when it was recorded",
		        WEXITSTATUS(status), WEXITSTATUS(before));
	else if (WIFEXITED(status))
		finding->aftermath = norn_findings_text(f, "then the program ended with status %d", WEXITSTATUS(status));
	else
		finding->aftermath = norn_findings_text(f, "then the program was ended by SIG%s", sigabbrev_np(WTERMSIG(status)));
}

void norn_aftermath_find(const struct norn_checking *checking, const char *path, const struct norn_trace *recorded,
        const struct norn_replayed *done, struct norn_findings *f, struct norn_finding *finding)
{
	struct norn_findings how;
	struct norn_trace *trace;
	struct norn_error err = {0};
	if (done->ended) {
		finding->aftermath_kind = "hang";
		finding->aftermath = "then the program did not go on, and was ended";
		return;
	}
	if (norn_trace_open(path, true, &trace, &err) != 0)
		return;
	norn_findings_init(&how);
	bool known = norn_judge_run_end(checking, trace, &how) == NORN_EXIT_OK && how.count;
	if (known && (how.list[0].kind == NORN_FINDING_CRASH || how.list[0].kind == NORN_FINDING_ASSERTION))
		failed(f, &how.list[0], finding);
	else
		ended(f, done->status, recorded_status(recorded), finding);
	norn_findings_done(&how);
	norn_trace_close(trace);
}
