#include "report/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/witness_columns.h"

#define NONE UINT32_MAX

/* Two steps of different threads, first before second in the run that is shown. */
struct advice_pair {
	uint32_t first, second;
};

static bool is_predicted(const struct norn_finding *f)
{
	return (strcmp(f->status, "predicted") == 0 || strcmp(f->status, "confirmed") == 0) && f->kind == NORN_FINDING_PROPERTY;
}

static bool is_write(const struct norn_step_text *s)
{
	return strcmp(s->event, "write") == 0;
}

static bool same_thread(const struct norn_finding *f, uint32_t a, uint32_t b)
{
	return strcmp(f->witness[a].thread, f->witness[b].thread) == 0;
}

/* The latest step that another one overtook, and the nearest of those; none: NONE. */
static struct advice_pair find_swap(const struct norn_finding *f)
{
	for (uint32_t b = f->witness_count; b-- > 0;)
		for (uint32_t a = b; a-- > 0;)
			if (f->witness[b].number && f->witness[a].number > f->witness[b].number)
				return (struct advice_pair){a, b};
	return (struct advice_pair){NONE, NONE};
}

/* Of an observed run: the last step, and the nearest one before it of another thread. */
static struct advice_pair find_last(const struct norn_finding *f)
{
	uint32_t b = f->witness_count - 1;
	for (uint32_t a = b; f->witness_count && a-- > 0;)
		if (f->witness[a].number && f->witness[b].number && !same_thread(f, a, b))
			return (struct advice_pair){a, b};
	return (struct advice_pair){NONE, NONE};
}

static struct advice_pair find_pair(const struct norn_finding *f)
{
	return is_predicted(f) ? find_swap(f) : find_last(f);
}

/* "`write radio` (landing.c:43)" */
static void name_step(const struct norn_step_text *s, char *to, size_t room)
{
	if (*s->file && s->line)
		snprintf(to, room, "`%s %s` (%s:%u)", s->event, s->what, basename(s->file), s->line);
	else
		snprintf(to, room, "`%s %s`", s->event, s->what);
}

/* Under sliced causality steps may come in the order that was seen, without others that came before them then. */
static bool is_in_seen_order(const struct norn_finding *f, uint32_t begin)
{
	for (uint32_t i = begin + 1; i < f->witness_count; i++)
		if (f->witness[i].number <= f->witness[i - 1].number)
			return false;
	return true;
}

char *norn_advice_orders(const struct norn_finding *f)
{
	char *text = NULL;
	size_t bytes;
	uint32_t begin = f->witness_count && f->witness[0].number == 0;
	if (f->doubted && is_predicted(f))
		return norn_must_text("the program may have run in this very order: its steps were too near in time to tell");
	if (!is_predicted(f) || f->missed || f->witness_count - begin > NORN_STEPS_SHOWN || f->witness_cut)
		return norn_must_text("");
	if (is_in_seen_order(f, begin))
		return norn_must_text("when the program ran, other events came before or between these, which need not come first");
	FILE *to = norn_must(open_memstream(&text, &bytes));
	fputs("predicted order:", to);
	for (uint32_t i = begin; i < f->witness_count; i++)
		fprintf(to, " %u", norn_step_number(f, i));
	fputs("; observed order:", to);
	for (uint64_t after = 0, next = 0;; after = next) {
		uint32_t which = 0;
		next = UINT64_MAX;
		for (uint32_t i = begin; i < f->witness_count; i++)
			if (f->witness[i].number > after && f->witness[i].number < next) {
				next = f->witness[i].number;
				which = norn_step_number(f, i);
			}
		if (next == UINT64_MAX)
			break;
		fprintf(to, " %u", which);
	}
	norn_must_close(to);
	return text;
}

char *norn_advice_change(const struct norn_finding *f)
{
	char a[256], b[256];
	struct advice_pair p = find_pair(f);
	if (is_predicted(f) && f->missed && f->witness_count) {
		name_step(f->missed, a, sizeof a);
		name_step(&f->witness[f->witness_count - 1], b, sizeof b);
		return norn_must_format(
		        "when the program ran, %s in %s came before %s; nothing makes sure of that", a, f->missed->thread, b);
	}
	if (!is_predicted(f) || p.first == NONE)
		return norn_must_text("");
	name_step(&f->witness[p.first], a, sizeof a);
	name_step(&f->witness[p.second], b, sizeof b);
	return norn_must_format("when the program ran, %s came before %s; nothing makes sure of that", b, a);
}

/* A step of the second one's thread before the first one: what lies between should be one piece. */
static uint32_t begin_of(const struct norn_finding *f, struct advice_pair p)
{
	for (uint32_t k = p.first; k-- > 0;)
		if (f->witness[k].number && same_thread(f, k, p.second))
			return k;
	return NONE;
}

static uint32_t end_of(const struct norn_finding *f, struct advice_pair p)
{
	for (uint32_t k = p.second + 1; k < f->witness_count; k++)
		if (same_thread(f, k, p.first))
			return k;
	return NONE;
}

/* from and to are steps of one thread, between is one of another that came between them. */
static char *advise_lock(const struct norn_finding *f, uint32_t from, uint32_t between, uint32_t to)
{
	char a[256], b[256], c[256], again[300] = "";
	name_step(&f->witness[from], a, sizeof a);
	name_step(&f->witness[between], b, sizeof b);
	name_step(&f->witness[to], c, sizeof c);
	if (is_write(&f->witness[between]))
		snprintf(again, sizeof again, "; or look at %s once more under that lock, right before %s",
		        f->witness[between].what, c);
	return norn_must_format("hold one lock from %s to %s in %s, and the same lock at %s in %s%s", a, c, f->witness[to].thread,
	        b, f->witness[between].thread, again);
}

static char *advise_loop(const struct norn_finding *f)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = norn_must(open_memstream(&text, &bytes));
	if (f->part_length && f->part + f->part_length <= strlen(f->definition))
		fprintf(to, "see to it that `%.*s` comes true in", (int)f->part_length, f->definition + f->part);
	else
		fputs("see to it that something ends", to);
	fputs(" the loop of", to);
	for (uint32_t i = f->loop, shown = 0; i < f->witness_count && shown < 4; i++) {
		bool known = false;
		char name[256];
		for (uint32_t k = f->loop; k < i; k++)
			known |= f->witness[k].line == f->witness[i].line && strcmp(f->witness[k].file, f->witness[i].file) == 0;
		name_step(&f->witness[i], name, sizeof name);
		if (!known)
			fprintf(to, "%s %s", shown++ ? " and" : "", name);
	}
	fputs(", or that what ends it, if anything does, is seen by Norn: a shared variable, not a local one", to);
	norn_must_close(to);
	return text;
}

char *norn_advice_help(const struct norn_finding *f)
{
	char a[256], b[256];
	if (f->kind == NORN_FINDING_LIVENESS)
		return advise_loop(f);
	struct advice_pair p = find_pair(f);
	if (is_predicted(f) && f->missed && f->witness_count) {
		const struct norn_step_text *last = &f->witness[f->witness_count - 1];
		name_step(f->missed, a, sizeof a);
		name_step(last, b, sizeof b);
		return norn_must_format("let %s wait before %s until %s has done %s: by a condition, a semaphore or a join",
		        last->thread, b, f->missed->thread, a);
	}
	if (p.first == NONE)
		return norn_must_text("");
	uint32_t begin = begin_of(f, p), end = end_of(f, p);
	name_step(&f->witness[p.first], a, sizeof a);
	name_step(&f->witness[p.second], b, sizeof b);
	/* Of a run that was observed it is not known whether another order was possible, nor whether a lock could be held for so
	 * long. */
	if (!is_predicted(f))
		return begin != NONE && is_write(&f->witness[p.first])
		               ? norn_must_format("look at %s once more right before %s: %s changes it in between, by %s",
		                         f->witness[p.first].what, b, f->witness[p.first].thread, a)
		               : norn_must_text("");
	if (begin != NONE)
		return advise_lock(f, begin, p.first, p.second);
	if (end != NONE)
		return advise_lock(f, p.first, p.second, end);
	return norn_must_format("let %s wait before %s until %s has done %s: by a condition, a semaphore or a join",
	        f->witness[p.first].thread, a, f->witness[p.second].thread, b);
}

#define ALSO_SHOWN 4u

char *norn_advice_also(const struct norn_finding *f)
{
	char *text = norn_must_format("the same at %u other place%s: ", f->also_count, f->also_count == 1 ? "" : "s");
	uint32_t shown = f->also_count > ALSO_SHOWN + 1 ? ALSO_SHOWN : f->also_count;
	for (uint32_t i = 0; i < shown; i++) {
		const struct norn_step_text *a = &f->also[i];
		char *longer = norn_must_format("%s%s%s:%u (%s)", text, i ? ", " : "", basename(a->file), a->line, a->what);
		free(text);
		text = longer;
	}
	if (shown == f->also_count)
		return text;
	char *longer = norn_must_format("%s and %u more", text, f->also_count - shown);
	free(text);
	return longer;
}

/* ---- processes ---- */

#define PROCESSES_SHOWN 3u

/* "process 4711 (norn.trace.4711): ./test 8" */
static char *process_text(const struct norn_finding_process *p)
{
	return norn_must_format("process %u (%s)%s%s", p->pid, basename(p->trace), *p->command ? ": " : "", p->command);
}

char *norn_advice_processes(const struct norn_finding *f)
{
	uint32_t shown = f->in_count > PROCESSES_SHOWN + 1 ? PROCESSES_SHOWN : f->in_count;
	if (f->in_count < 2 && f->processes > 1)
		return norn_must_format("%u processes have it", f->processes);
	char *text = f->in_count > 1 ? norn_must_format("%u processes have it: ", f->in_count)
	                             : norn_must_text(f->in_count ? "found in " : "");
	for (uint32_t i = 0; i < shown; i++) {
		char *one = process_text(&f->in[i]), *longer = norn_must_format("%s%s%s", text, i ? "; " : "", one);
		free(text);
		free(one);
		text = longer;
	}
	if (shown == f->in_count)
		return text;
	char *longer = norn_must_format("%s; and %u more", text, f->in_count - shown);
	free(text);
	return longer;
}

/* ---- assumptions ---- */

char *norn_assumption_text(const struct norn_assumption *a)
{
	if (a->job)
		return norn_must_format("another thread of its pool may run the job %s() of %s:%u at that time, which here %s ran "
		                        "after another job",
		        a->function, basename(a->file), a->line, a->job);
	return norn_must_format("%s%s (no hooks, called at %s:%u) does not synchronise, nor touch this memory",
	        norn_assumption_name(a), norn_assumption_brackets(a), basename(a->file), a->line);
}
