#include "judge/verdict_queue.h"

#include <string.h>

static void copy_text(char *to, size_t room, const char *from)
{
	size_t length = from ? strnlen(from, room - 1) : 0;
	if (length)
		memcpy(to, from, length);
	to[length] = 0;
}

/* ---- handlers ---- */

static bool fits(const struct norn_checked_handler *h, uint32_t outcomes, uint32_t state)
{
	return outcomes >> h->outcome & 1 && (h->outcome != NORN_OUTCOME_STATE || h->state == state);
}

static struct norn_value unknown_leaf(void *context, const struct norn_expr *leaf)
{
	(void)context;
	(void)leaf;
	return norn_value_unknown();
}

static void evaluate(
        const struct norn_checked_action *action, const struct norn_eval_env *env, struct norn_queued_action *ret_action)
{
	static const struct norn_eval_env nothing = {unknown_leaf, NULL}; /* but for constants */
	ret_action->kind = action->kind;
	ret_action->format = action->format;
	ret_action->function = action->function;
	ret_action->argument_count = 0;
	for (uint32_t i = 0; i < action->argument_count && i < NORN_VERDICT_ARGUMENTS; i++)
		ret_action->arguments[ret_action->argument_count++] = norn_expr_eval(action->arguments[i], env ? env : &nothing);
}

void norn_handlers_actions(const struct norn_property *p, uint32_t outcomes, uint32_t state, const struct norn_eval_env *env,
        struct norn_queued_action *ret_actions, uint32_t *ret_count)
{
	*ret_count = 0;
	for (uint32_t i = 0; i < p->handler_count; i++)
		for (uint32_t k = 0; fits(&p->handlers[i], outcomes, state) && k < p->handlers[i].action_count; k++)
			if (*ret_count < NORN_VERDICT_ACTIONS)
				evaluate(&p->handlers[i].actions[k], env, &ret_actions[(*ret_count)++]);
}

static bool has_handler(const struct norn_property *p, uint32_t outcomes, uint32_t state)
{
	for (uint32_t i = 0; i < p->handler_count; i++)
		if (fits(&p->handlers[i], outcomes, state))
			return true;
	return false;
}

bool norn_handlers_reset(const struct norn_property *p, uint32_t outcomes, uint32_t state)
{
	for (uint32_t i = 0; i < p->handler_count; i++)
		for (uint32_t k = 0; fits(&p->handlers[i], outcomes, state) && k < p->handlers[i].action_count; k++)
			if (p->handlers[i].actions[k].kind == NORN_ACTION_RESET)
				return true;
	return false;
}

/* ---- the queue ---- */

static struct norn_queued_verdict *enqueue(struct norn_verdict_queue *queue, enum norn_queued_kind kind)
{
	if (queue->count == NORN_VERDICTS_QUEUED) {
		queue->lost++;
		return NULL;
	}
	struct norn_queued_verdict *v = &queue->list[queue->count++];
	v->kind = kind;
	v->action_count = 0;
	return v;
}

void norn_online_say(
        struct norn_online_thread *self, enum norn_queued_kind kind, const char *property, uint32_t site, const char *sentence)
{
	struct norn_queued_verdict *v = enqueue(self->verdicts, kind);
	if (!v)
		return;
	v->property = property;
	v->index = UINT32_MAX;
	v->site = site;
	v->outcome = NORN_OUTCOME_INCONCLUSIVE;
	v->what[0] = 0;
	v->step_count = 0;
	v->event_kind = v->event_op = 0;
	v->at_end = false;
	v->call_site = 0;
	v->key[0] = v->values[0] = 0;
	copy_text(v->details, sizeof v->details, sentence);
}

static enum norn_judged_by judged_by(const struct norn_raise *r)
{
	if (r->index == UINT32_MAX)
		return NORN_BY_SCOPE;
	return r->property->logic == NORN_LOGIC_MTTL ? NORN_BY_KNOWLEDGE : NORN_BY_MACHINE;
}

bool norn_online_raise(struct norn_online_thread *self, const struct norn_raise *raise)
{
	uint32_t outcomes = 1u << raise->outcome | raise->also;
	if (raise->outcome != NORN_OUTCOME_VIOLATION && !has_handler(raise->property, outcomes, raise->state))
		return false;
	bool resets = norn_handlers_reset(raise->property, outcomes, raise->state);
	struct norn_queued_verdict *v = enqueue(self->verdicts, NORN_QUEUED_VERDICT);
	if (!v)
		return resets;
	v->property = raise->property->name;
	v->source = raise->property->source;
	v->by = judged_by(raise);
	v->index = raise->index;
	v->site = raise->site;
	v->state = raise->state;
	v->call_site = raise->call_site;
	v->event_kind = raise->event_kind;
	v->event_op = raise->event_op;
	v->at_end = raise->at_end;
	v->outcome = raise->outcome;
	copy_text(v->what, sizeof v->what, raise->what);
	v->step_count = raise->step_count < NORN_VERDICT_STEPS ? raise->step_count : NORN_VERDICT_STEPS;
	if (v->step_count)
		memcpy(v->steps, raise->steps, v->step_count * sizeof *v->steps);
	copy_text(v->key, sizeof v->key, raise->key);
	copy_text(v->details, sizeof v->details, raise->details);
	copy_text(v->values, sizeof v->values, raise->values);
	norn_handlers_actions(raise->property, outcomes, raise->state, raise->env, v->actions, &v->action_count);
	return resets;
}
