#include "report/builtin_error_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/own_place.h"
#include "report/advice.h"
#include "report/witness_columns.h"

__attribute__((format(printf, 3, 4))) static void put(const struct norn_text_printer *p, unsigned indent, const char *format, ...)
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

static void show_locks(const struct norn_text_printer *p, const struct norn_side *side)
{
	fputs(side->lock_count ? ", holding " : ", holding no lock", p->to);
	for (uint32_t i = 0; i < side->lock_count; i++) {
		const struct norn_step_text *lock = &side->locks[i];
		bool shared = strcmp(lock->event, "acquire-shared") == 0;
		fprintf(p->to, "%s%s%s (%s:%u)", i ? ", " : "", lock->what, shared ? " shared" : "", basename(lock->file),
		        lock->line);
	}
}

/* Code of the C++ library that was inlined, or instantiated: between std::thread and the function that it runs there are five
 * frames that tell a reader nothing. */
static bool is_of_library(const struct norn_step_text *frame)
{
	return norn_is_library_file(frame->file);
}

static bool is_created(const struct norn_step_text *frame)
{
	return strcmp(frame->event, "created") == 0;
}

/* They are left out where there are frames of the program's own; of the thread's creation the first is shown at least. */
bool norn_frame_is_shown(const struct norn_step_text *at, const struct norn_side *side, uint32_t i)
{
	bool created = is_created(&side->frames[i]), own = !created && !is_of_library(at);
	if (!is_of_library(&side->frames[i]))
		return true;
	for (uint32_t k = 0; k < side->frame_count && !own; k++)
		own = is_created(&side->frames[k]) == created && !is_of_library(&side->frames[k]);
	return !own && (!created || i == 0 || !is_created(&side->frames[i - 1]));
}

const char *norn_frame_words(const struct norn_step_text *at, const struct norn_side *side, uint32_t i)
{
	const char *event = side->frames[i].event, *before = "called";
	for (uint32_t k = i; k-- > 0;)
		if (norn_frame_is_shown(at, side, k)) {
			before = side->frames[k].event;
			break;
		}
	if (strcmp(event, "called back") == 0)
		return "called by code without hooks, which was called after";
	return strcmp(event, "created") == 0 && strcmp(before, "created") != 0 ? "thread created at" : "called at";
}

static void show_side(const struct norn_text_printer *p, struct norn_source_cache *cache, const struct norn_finding *f,
        const struct norn_step_text *w, const struct norn_side *side)
{
	char folded[NORN_FOLDED];
	bool fails = f->kind == NORN_FINDING_CRASH || (f->kind == NORN_FINDING_ASSERTION && !f->operands);
	fprintf(p->to, "\n  %s%s %s by %s%s%s%s", fails && w != f->where ? "meanwhile: " : "", w->event,
	        norn_folded(w->what, folded), w->thread, *w->thread_name ? " \"" : "", w->thread_name, *w->thread_name ? "\"" : "");
	show_locks(p, side);
	if (!*w->file) {
		fputs("\n    where is not known\n", p->to);
		return;
	}
	fprintf(p->to, "\n    at %s:%u%s%s\n", w->file, w->line, *w->function ? ", " : "", norn_folded(w->function, folded));
	const char *text = f->sourceless ? NULL : norn_source_line(cache, w->file, w->line);
	if (text)
		fprintf(p->to, "  %5u | %s\n", w->line, text);
	for (uint32_t i = 0; i < side->frame_count; i++) {
		const struct norn_step_text *frame = &side->frames[i];
		if (norn_frame_is_shown(w, side, i))
			fprintf(p->to, "    %s %s:%u, %s\n", norn_frame_words(w, side, i), frame->file, frame->line,
			        norn_folded(frame->function, folded));
	}
}

const char *norn_error_ending(const struct norn_finding *f)
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
	case NORN_FINDING_NULL:
		return "the pointer is null when the last step comes";
	case NORN_FINDING_USE_AFTER_RETURN:
		return "the variable is gone when the last step comes";
	case NORN_FINDING_DOUBLE_FREE:
	case NORN_FINDING_USE_AFTER_FREE:
		return "the block is gone when the last step comes";
	default:
		return "no order of whole blocks gives the same";
	}
}

void norn_show_replayed(const struct norn_text_printer *p, const struct norn_finding *f)
{
	if (!f->replayed)
		return;
	if (strcmp(f->status, "confirmed") == 0)
		put(p, 2, "confirmed: the program itself did it%s", f->replayed_count ? ":" : "");
	else if (f->replay_tries == 0)
		put(p, 2, "not confirmed:");
	else
		put(p, 2, "%s (tried %u time%s):", f->own_error ? "not confirmed, by an error of Norn's own" : "not confirmed",
		        f->replay_tries, f->replay_tries == 1 ? "" : "s");
	for (uint32_t i = 0; i < f->replayed_count; i++)
		put(p, 4, "%s", f->replayed[i]);
	if (*f->replay)
		fprintf(p->to, "  to reproduce it: %s\n", f->replay);
}

const char *norn_schedule_word(const struct norn_finding *f)
{
	return strcmp(f->status, "observed") == 0 || strcmp(f->status, "confirmed") == 0 ? f->status : "predicted";
}

void norn_show_error(const struct norn_text_printer *p, struct norn_source_cache *cache, const struct norn_finding *f)
{
	char folded[NORN_FOLDED];
	fprintf(p->to, "%s%s%s (%s): %s  [%s]\n", norn_red(p), norn_folded(f->outcome, folded), norn_plain(p), f->status,
	        f->message, f->id);
	for (uint32_t i = 0; i < f->where_count; i++)
		show_side(p, cache, f, &f->where[i], &f->sides[i]);
	if (*f->block) {
		fputc('\n', p->to);
		put(p, 2, "the memory is part of %s", f->block);
	}
	for (uint32_t i = 0; i < f->operand_count; i++) {
		const struct norn_operand *o = &f->operands[i];
		fputs(i ? "" : "\n", p->to);
		put(p, 2, "%s: %s in the run, %s in the schedule below%s%s", o->name, o->recorded, o->predicted,
		        *o->writer ? ", written by " : "", o->writer);
	}
	bool happened = strcmp(f->status, "confirmed") == 0;
	for (uint32_t i = 0; i < f->assumption_count; i++) {
		const struct norn_assumption *a = &f->assumptions[i];
		fputs(i ? "" : "\n", p->to);
		char *text = norn_assumption_text(a);
		put(p, 2, "%s %s%s%s",
		        i          ? happened ? "and" : "and if"
		        : happened ? "the program did it; it was predicted on the assumption that"
		                   : "it is only suspected: it holds if",
		        text, *a->model && !happened ? "; if that is so, write into a file for --model: " : "",
		        happened ? "" : a->model);
		free(text);
	}
	fprintf(p->to, "\n  %s schedule:\n", norn_schedule_word(f));
	norn_show_witness(p, f);
	put(p, 2, "%s", norn_error_ending(f));
	if (f->consequence)
		put(p, 2, "%s", f->consequence);
	if (f->before_set)
		put(p, 2, "%s", f->before_set);
	if (f->witness_cut)
		put(p, 2, "%" PRIu64 " other events of this run, before or between these, are not shown", f->witness_cut);
	for (uint32_t i = 0; i < f->swap_count; i++)
		put(p, 2, "%s", f->swaps[i]);
	if (f->order)
		put(p, 2, "%s", f->order);
	if (f->also_count) {
		char *also = norn_advice_also(f);
		put(p, 2, "%s", also);
		free(also);
	}
	if (f->count > 1)
		put(p, 2, "these places met %" PRIu64 " times in the run%s; this is one of them", f->count,
		        f->processes > 1 ? "s" : "");
	char *processes = norn_advice_processes(f);
	if (*processes)
		put(p, 2, "%s", processes);
	free(processes);
	norn_show_replayed(p, f);
	if (f->fix)
		put(p, 2,
		        "what helps: %s. With this in the recorded run, the finding is gone, and no new deadlock can be predicted",
		        f->fix);
	else
		put(p, 2, "what might help: %s", f->advice);
	fprintf(p->to, "  to suppress it, in norn.supp: %s\n\n", f->suppression);
}
