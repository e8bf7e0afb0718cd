#include "judge/recorded/report_message.h"

#include "monitor/report_format.h"

const char *norn_report_message(const struct norn_queued_action *a, struct norn_findings *f)
{
	if (a->kind != NORN_ACTION_REPORT || !a->format)
		return "";
	size_t bytes = norn_message_put(NULL, 0, a->format, a->arguments, a->argument_count) + 1;
	char *text = norn_arena_alloc(&f->arena, bytes);
	if (!text)
		return "";
	norn_message_put(text, bytes, a->format, a->arguments, a->argument_count);
	return text;
}

void norn_finding_respond(
        struct norn_finding *finding, const struct norn_queued_action *actions, uint32_t count, struct norn_findings *f)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *between = *finding->actions ? ", " : "";
		if (actions[i].kind == NORN_ACTION_REPORT && !*finding->message)
			finding->message = norn_report_message(&actions[i], f);
		else if (actions[i].kind == NORN_ACTION_ABORT)
			finding->actions = norn_findings_text(f, "%s%sabort", finding->actions, between);
		else if (actions[i].kind == NORN_ACTION_CALL)
			finding->actions = norn_findings_text(f, "%s%scall %s()", finding->actions, between, actions[i].function);
	}
}
