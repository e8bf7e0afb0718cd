#include "report/error_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "report/witness_columns.h"

__attribute__((format(printf, 3, 4))) static void put(const struct norn_painter *p, unsigned indent, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		norn_out_of_memory();
	va_end(arguments);
	norn_put_wrapped(p, indent, text);
	free(text);
}

static void show_locks(const struct norn_painter *p, const struct norn_side *side)
{
	fputs(side->lock_count ? ", holding " : ", holding no lock", p->to);
	for (uint32_t i = 0; i < side->lock_count; i++) {
		const struct norn_step_text *lock = &side->locks[i];
		bool shared = strcmp(lock->event, "acquire-shared") == 0;
		fprintf(p->to, "%s%s%s (%s:%u)", i ? ", " : "", lock->what, shared ? " shared" : "", basename(lock->file),
		        lock->line);
	}
}

static void show_side(const struct norn_painter *p, struct norn_source_cache *cache, const struct norn_finding *f,
        const struct norn_step_text *w, const struct norn_side *side)
{
	bool fails = f->kind == NORN_FINDING_CRASH || f->kind == NORN_FINDING_ASSERTION;
	fprintf(p->to, "\n  %s%s %s by %s%s%s%s", fails && w != f->where ? "meanwhile: " : "", w->event, w->what, w->thread,
	        *w->thread_name ? " \"" : "", w->thread_name, *w->thread_name ? "\"" : "");
	show_locks(p, side);
	if (!*w->file) {
		fputs("\n    where is not known\n", p->to);
		return;
	}
	fprintf(p->to, "\n    at %s:%u%s%s\n", w->file, w->line, *w->function ? ", " : "", w->function);
	const char *text = f->sourceless ? NULL : norn_source_line(cache, w->file, w->line);
	if (text)
		fprintf(p->to, "  %5u | %s\n", w->line, text);
	const char *before = "called";
	for (uint32_t i = 0; i < side->frame_count; i++) {
		const struct norn_step_text *frame = &side->frames[i];
		const char *how;
		if (strcmp(frame->event, "called back") == 0)
			how = "called by code without hooks, which was called after";
		else if (strcmp(frame->event, "created") == 0 && strcmp(before, "created") != 0)
			how = "thread created at";
		else
			how = "called at";
		fprintf(p->to, "    %s %s:%u, %s\n", how, frame->file, frame->line, frame->function);
		before = frame->event;
	}
}

static const char *ending(const struct norn_finding *f)
{
	if (f->ending)
		return f->ending;
	switch (f->kind) {
	case NORN_FINDING_RACE:
		return "then both are about to happen, and nothing orders them";
	case NORN_FINDING_CRASH:
	case NORN_FINDING_ASSERTION:
		return "then the process ended";
	case NORN_FINDING_DEADLOCK:
		return "then each waits for the next, for ever";
	case NORN_FINDING_USE_AFTER_FREE:
		return "the block is gone when the last step comes";
	default:
		return "no order of whole blocks gives the same";
	}
}

void norn_show_enacted(const struct norn_painter *p, const struct norn_finding *f)
{
	if (!f->enacted)
		return;
	if (strcmp(f->status, "confirmed") == 0)
		put(p, 2, "confirmed: the program itself did it%s", f->enacted_count ? ":" : "");
	else
		put(p, 2, "%s (tried %u time%s):", f->own_error ? "not confirmed, by an error of Norn's own" : "not confirmed",
		        f->enacted_tries, f->enacted_tries == 1 ? "" : "s");
	for (uint32_t i = 0; i < f->enacted_count; i++)
		put(p, 4, "%s", f->enacted[i]);
	if (*f->replay)
		fprintf(p->to, "  to bring it about again: %s\n", f->replay);
}

void norn_show_error(const struct norn_painter *p, struct norn_source_cache *cache, const struct norn_finding *f)
{
	fprintf(p->to, "%s%s%s (%s): %s  [%s]\n", norn_red(p), f->outcome, norn_plain(p), f->status, f->message, f->id);
	for (uint32_t i = 0; i < f->where_count; i++)
		show_side(p, cache, f, &f->where[i], &f->sides[i]);
	if (*f->block) {
		fputc('\n', p->to);
		put(p, 2, "the memory is part of %s", f->block);
	}
	for (uint32_t i = 0; i < f->assumption_count; i++) {
		const struct norn_assumption *a = &f->assumptions[i];
		fputs(i ? "" : "\n", p->to);
		put(p, 2, "%s %s%s (no hooks, called at %s:%u) does not synchronise, nor touch this memory%s%s%s",
		        i ? "and if" : "it is only suspected: it holds if",
		        *a->function ? a->function : "a function called through a pointer", *a->function ? "()" : "",
		        basename(a->file), a->line, *a->model ? "; that is said by a line for --model: " : "", a->model, "");
	}
	fprintf(p->to, "\n  %s:\n",
	        strcmp(f->status, "observed") == 0 || strcmp(f->status, "confirmed") == 0 ? "it came to this"
	                                                                                  : "it can come to this");
	norn_show_witness(p, f);
	put(p, 2, "%s", ending(f));
	if (f->witness_cut)
		put(p, 2, "%" PRIu64 " other events of this run, before or between these, are not shown", f->witness_cut);
	for (uint32_t i = 0; i < f->swap_count; i++)
		put(p, 2, "%s", f->swaps[i]);
	if (f->count > 1)
		put(p, 2, "these places met %" PRIu64 " times in the run%s; this is one of them", f->count,
		        f->processes > 1 ? "s" : "");
	if (f->processes > 1)
		put(p, 2, "%u processes have it", f->processes);
	norn_show_enacted(p, f);
	put(p, 2, "what might help: %s", f->advice);
	fprintf(p->to, "  to suppress it, in norn.supp: %s\n\n", f->suppression);
}
