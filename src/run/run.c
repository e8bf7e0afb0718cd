#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "trace/merge.h"
#include "trace/record.h"
#include "run/rapid.h"
#include "run/two_addresses.h"

#define REST_EVENTS (UINT64_C(1) << 20)
#define LINE_BYTES 12u /* of a text: shorter lines are rare */

struct norn_run {
	struct norn_trace *trace; /* NULL: it is a text */
	struct norn_merge *merge;
	struct norn_rapid_text *text;
	NORN_VECTOR(struct norn_trace *)
	names; /* of the text, as far as it was read each time: findings may point to any of them */
	uint64_t estimate, done;
	bool until_loss, over; /* norn_run_until_loss; the loss was met, or what has no known place */
	bool unplaced; /* norn_run_unplaced */
	struct norn_two_addresses two;
	uint64_t named; /* bytes of the text that the last names are of */
};

static struct norn_run *make(struct norn_trace *trace, struct norn_rapid_text *text)
{
	struct norn_run *run = norn_must_calloc(1, sizeof *run);
	run->trace = trace;
	run->text = text;
	for (uint32_t i = 0; trace && i < norn_trace_threads(trace); i++)
		run->estimate += norn_trace_thread(trace, i)->records;
	if (text)
		run->estimate = norn_rapid_text_bytes(text) / LINE_BYTES;
	return run;
}

struct norn_run *norn_run_of_trace(struct norn_trace *trace)
{
	return make(trace, NULL);
}

struct norn_run *norn_run_of_text(struct norn_rapid_text *text)
{
	return make(NULL, text);
}

void norn_run_free(struct norn_run *run)
{
	if (!run)
		return;
	norn_merge_free(run->merge);
	norn_rapid_text_free(run->text);
	for (uint32_t i = 0; i < run->names.count; i++)
		norn_trace_close(run->names.items[i]);
	norn_vector_done(&run->names);
	norn_two_addresses_done(&run->two);
	free(run);
}

void norn_run_begin(struct norn_run *run, unsigned patience)
{
	run->done = 0;
	run->over = false;
	norn_two_addresses_done(&run->two);
	if (run->text) {
		norn_rapid_text_rewind(run->text);
		return;
	}
	norn_merge_free(run->merge);
	run->merge = norn_merge_new(run->trace, patience);
}

void norn_run_until_loss(struct norn_run *run, bool until_loss)
{
	run->until_loss = until_loss;
}

/* Is this event past a loss, or right after one? */
static bool is_after_loss(const struct norn_run *run, const struct norn_event *e)
{
	struct norn_merge_losses losses;
	norn_merge_losses(run->merge, &losses);
	return e->kind == NORN_EVENT_LOST || norn_merge_is_torn(run->merge) || losses.lost || losses.skipped || losses.late ||
	       losses.cut_off || losses.unforked;
}

/* A thread begins of which there are no records. */
static bool begins_unseen(const struct norn_run *run, const struct norn_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK &&
	       (e->value >= norn_trace_threads(run->trace) || norn_trace_thread(run->trace, (uint32_t)e->value)->records == 0);
}

static int next_until_loss(struct norn_run *run, struct norn_event *ret_event, struct norn_error *err)
{
	int r = norn_merge_next(run->merge, ret_event, err);
	if (r == -ESTALE) /* more patience may heal it */
		return r;
	run->over = r < 0 || (r == 1 && is_after_loss(run, ret_event));
	if (run->over)
		return 0;
	run->over = r == 1 && begins_unseen(run, ret_event);
	return r;
}

int norn_run_next(struct norn_run *run, struct norn_event *ret_event, struct norn_error *err)
{
	/* Pages of a file that were read would stay in memory. */
	if (++run->done % REST_EVENTS == 0 && run->trace)
		norn_trace_rest(run->trace);
	if (run->text)
		return norn_rapid_text_next(run->text, ret_event, err);
	if (run->over)
		return 0;
	int r = run->until_loss ? next_until_loss(run, ret_event, err) : norn_merge_next(run->merge, ret_event, err);
	if (r == 1 && !norn_two_addresses_step(&run->two, ret_event)) {
		run->over = run->unplaced = true;
		return 0;
	}
	return r;
}

bool norn_run_unplaced(const struct norn_run *run)
{
	return run->unplaced;
}

void norn_run_rest(struct norn_run *run)
{
	norn_merge_free(run->merge);
	run->merge = NULL;
	if (run->trace)
		norn_trace_rest(run->trace);
	if (run->text)
		norn_rapid_text_rest(run->text);
	malloc_trim(0); /* the allocator would keep most of it: a tenth of what the analysis of a long run takes */
}

struct norn_trace *norn_run_recorded(const struct norn_run *run)
{
	return run->trace;
}

const struct norn_rapid_text *norn_run_text(const struct norn_run *run)
{
	return run->text;
}

/* A file that has no name any more once it is open. */
static int open_names(struct norn_run *run, const uint64_t *wanted, struct norn_trace **ret_trace, struct norn_error *err)
{
	char directory[PATH_MAX], path[PATH_MAX + 16];
	const char *place = getenv("TMPDIR");
	snprintf(directory, sizeof directory, "%s/norn-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(directory))
		return norn_error_set(err, -errno, "there is no room for the names of %s: %s: %s", norn_rapid_text_name(run->text),
		        directory, strerror(errno));
	snprintf(path, sizeof path, "%s/trace", directory);
	int r = norn_rapid_tables(run->text, wanted, path, err);
	malloc_trim(0);
	if (r == 0)
		r = norn_trace_open(path, false, ret_trace, err);
	if (r == 0)
		norn_trace_rest(*ret_trace);
	unlink(path);
	rmdir(directory);
	return r;
}

int norn_run_names(struct norn_run *run, const uint64_t *wanted, struct norn_trace **ret_trace, struct norn_error *err)
{
	*ret_trace = run->trace;
	if (!run->text)
		return 0;
	if (!wanted && run->named == norn_rapid_text_read(run->text) && run->names.count) {
		*ret_trace = run->names.items[run->names.count - 1];
		return 0;
	}
	int r = open_names(run, wanted, ret_trace, err);
	if (r != 0)
		return r;
	run->named = wanted ? 0 : norn_rapid_text_read(run->text);
	norn_must_push(&run->names, *ret_trace);
	return 0;
}

uint32_t norn_run_threads(const struct norn_run *run)
{
	return run->text ? norn_rapid_text_threads(run->text) : norn_trace_threads(run->trace);
}

uint64_t norn_run_estimate(const struct norn_run *run)
{
	return run->estimate;
}

double norn_run_progress(const struct norn_run *run)
{
	if (run->text)
		return (double)norn_rapid_text_read(run->text) / (double)(norn_rapid_text_bytes(run->text) + 1);
	return run->done < run->estimate ? (double)run->done / (double)run->estimate : 1;
}
