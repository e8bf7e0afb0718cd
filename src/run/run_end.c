#include "run/run_end.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/must.h"
#include "trace/record.h"

#define BETWEEN '\x1f' /* texts of an assertion */
#define USER_ADDRESSES (UINT64_C(1) << 47)

static const char *const enders[] = {"itself", "user", "timeout", "hang"};

/* ---- writing ---- */

/* Words of the stack that may be addresses. */
static char *crash_text(const struct norn_crash *crash)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	if (!to)
		norn_out_of_memory();
	fprintf(to, "crash=%u %d %u %u %" PRIx64 " %" PRIx64, atomic_load(&crash->signal), crash->code, crash->access,
	        crash->thread, crash->address, crash->pc);
	for (uint32_t i = 0; i < crash->words && i < NORN_CRASH_STACK; i++)
		if (crash->stack[i] >= 4096 && crash->stack[i] < USER_ADDRESSES)
			fprintf(to, " %" PRIx64, crash->stack[i]);
	if (fclose(to) != 0)
		norn_out_of_memory();
	return text;
}

static char *assertion_text(const struct norn_assertion *a)
{
	return norn_must_format("assertion=%u %u %u %.*s%c%.*s%c%.*s", a->thread, a->site, atomic_load(&a->line),
	        (int)sizeof a->file - 1, a->file, BETWEEN, (int)sizeof a->function - 1, a->function, BETWEEN,
	        (int)sizeof a->expression - 1, a->expression);
}

static char *waits_text(const struct norn_session *session)
{
	uint32_t used = atomic_load(&session->used_slots);
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	if (!to)
		norn_out_of_memory();
	fputs("waits=", to);
	for (uint32_t i = 0; i < used && i < session->slots; i++) {
		const struct norn_slot *slot = &session->slot[i];
		if (slot->thread != NORN_NO_THREAD && slot->wait.waiting)
			fprintf(to, "%u %u %u %" PRIx64 " %" PRIx64 ";", slot->thread, slot->wait.waiting, slot->wait.site,
			        slot->wait.object, slot->wait.argument);
	}
	if (fclose(to) != 0)
		norn_out_of_memory();
	return text;
}

char **norn_run_end_info(const struct norn_session *session, enum norn_ended_by ended_by, uint32_t number)
{
	char **info = norn_must_calloc(5, sizeof *info);
	unsigned count = 0;
	if (ended_by != NORN_ENDED_BY_ITSELF)
		info[count++] = norn_must_format("ended=%s %u", enders[ended_by], number);
	if (atomic_load(&session->crash.signal))
		info[count++] = crash_text(&session->crash);
	if (atomic_load(&session->assertion.line))
		info[count++] = assertion_text(&session->assertion);
	info[count++] = waits_text(session);
	return info;
}

/* ---- reading ---- */

static void read_ended(const char *text, struct norn_run_end *end)
{
	for (unsigned i = 1; i < sizeof enders / sizeof *enders; i++) {
		size_t length = strlen(enders[i]);
		if (strncmp(text, enders[i], length) == 0 && sscanf(text + length, "%u", &end->ended_number) == 1)
			end->ended_by = i;
	}
}

static void read_crash(const char *text, struct norn_run_end *end)
{
	struct norn_crash *c = &end->crash;
	uint32_t signal;
	int length = 0;
	if (sscanf(text, "%u %d %u %u %" SCNx64 " %" SCNx64 "%n", &signal, &c->code, &c->access, &c->thread, &c->address, &c->pc,
	            &length) != 6 ||
	        signal == 0 || signal > 64)
		return;
	atomic_store(&c->signal, signal);
	end->crashed = true;
	uint64_t word;
	int more;
	for (text += length; c->words < NORN_CRASH_STACK && sscanf(text, " %" SCNx64 "%n", &word, &more) == 1; text += more)
		c->stack[c->words++] = word;
}

static void read_assertion(const char *text, struct norn_run_end *end)
{
	struct norn_assertion *a = &end->assertion;
	uint32_t line;
	int length = 0;
	if (sscanf(text, "%u %u %u%n", &a->thread, &a->site, &line, &length) != 3 || text[length] != ' ')
		return;
	const char *file = text + length + 1, *function = strchr(file, BETWEEN),
	           *expression = function ? strchr(function + 1, BETWEEN) : NULL;
	if (!expression)
		return;
	snprintf(a->file, sizeof a->file, "%.*s", (int)(function - file), file);
	snprintf(a->function, sizeof a->function, "%.*s", (int)(expression - function - 1), function + 1);
	snprintf(a->expression, sizeof a->expression, "%s", expression + 1);
	atomic_store(&a->line, line);
	end->asserted = true;
}

static void read_waits(const char *text, struct norn_run_end *end)
{
	struct norn_end_wait w;
	int length;
	for (; sscanf(text, "%u %u %u %" SCNx64 " %" SCNx64 ";%n", &w.thread, &w.wait.waiting, &w.wait.site, &w.wait.object,
	               &w.wait.argument, &length) == 5;
	        text += length)
		if (w.wait.waiting > NORN_WAITING_NOT && w.wait.waiting <= NORN_WAITING_JOIN)
			norn_must_push(&end->waits, w);
}

void norn_run_end_read(const struct norn_trace *trace, struct norn_run_end *end)
{
	*end = (struct norn_run_end){.status = norn_trace_header(trace)->exit_status};
	const char *ended = norn_trace_info(trace, "ended"), *crash = norn_trace_info(trace, "crash"),
	           *assertion = norn_trace_info(trace, "assertion"), *waits = norn_trace_info(trace, "waits");
	if (ended)
		read_ended(ended, end);
	if (crash)
		read_crash(crash, end);
	if (assertion)
		read_assertion(assertion, end);
	if (waits)
		read_waits(waits, end);
	if (end->status != -1)
		end->signal = WIFSIGNALED(end->status) ? (uint32_t)WTERMSIG(end->status) : 0;
	else if (end->crashed)
		end->signal = atomic_load(&end->crash.signal);
}

void norn_run_end_done(struct norn_run_end *end)
{
	norn_vector_done(&end->waits);
}
