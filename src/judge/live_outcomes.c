/* The outcomes of properties inside the program: verdicts and sentences in the queue of the thread whose event caused them. */
#include <stdio.h>
#include <string.h>

#include "judge/live_monitors_state.h"

static const struct norn_property_machine *machine_of(const struct norn_now *now)
{
	return &now->machines->list[now->i];
}

static void append(char *to, size_t room, const char *name, const char *value, const char *between)
{
	size_t used = strlen(to);
	snprintf(to + used, room - used, "%s%s = %s", used ? between : "", name, value);
}

static void key_text(const struct norn_property *p, const struct norn_value *keys, char *to, size_t room)
{
	to[0] = 0;
	for (uint32_t k = 0; keys && k < p->key_count; k++) {
		char value[48];
		norn_key_text(keys[k], value, sizeof value);
		append(to, room, p->keys[k], value, ", ");
	}
}

static void values_text(const struct norn_property_terms *t, const struct norn_moment *m, char *to, size_t room)
{
	char value[48];
	to[0] = 0;
	for (uint32_t p = 0; p < m->spec->place_count; p++)
		if (t->places[p]) {
			norn_value_text(norn_moment_variable(m, p), value, sizeof value);
			append(to, room, m->spec->places[p].text, value, "\n");
		}
	for (uint32_t g = 0; g < m->spec->ghost_count; g++)
		if (t->ghosts[g]) {
			norn_value_text(m->ghosts[(size_t)2 * g], value, sizeof value);
			append(to, room, m->spec->ghosts[g].name, value, "\n");
		}
}

/* True if a handler asks for a reset. */
static bool raise(
        struct norn_now *now, const struct norn_instance *i, enum norn_outcome outcome, uint32_t also, enum norn_when when)
{
	static const char *const words[] = {[NORN_WHEN_START] = "violated at the start of the run",
	        [NORN_WHEN_FREED] = "violated when the object was freed",
	        [NORN_WHEN_END] = "violated at the end of the run"};
	char key[120], values[512];
	const struct norn_property_machine *m = machine_of(now);
	const struct norn_value *keys = norn_instance_keys(&now->instances[now->i], i);
	struct norn_leaf_context leaf_context = {now->moment, norn_moment_hit(now->moment), keys};
	const struct norn_eval_env env = {norn_moment_leaf, &leaf_context};
	key_text(m->terms.property, keys, key, sizeof key);
	values_text(&m->terms, now->moment, values, sizeof values);
	const struct norn_raise r = {.property = m->terms.property,
	        .index = m->index,
	        .outcome = outcome,
	        .also = also,
	        .state = i->fsm_state,
	        .what = words[when],
	        .at_end = when == NORN_WHEN_FREED || when == NORN_WHEN_END,
	        .env = &env,
	        .key = key,
	        .values = values,
	        .site = now->event->site,
	        .call_site = now->event->call_site,
	        .event_kind = now->event->kind,
	        .event_op = now->event->op};
	return norn_online_raise(now->self, &r);
}

static bool violation(void *context, struct norn_instance *i, enum norn_when when)
{
	struct norn_now *now = context;
	return raise(now, i, NORN_OUTCOME_VIOLATION, norn_outcomes_also(machine_of(now)->terms.property, i->fsm_state), when);
}

static bool outcome(void *context, const struct norn_instance *i, enum norn_outcome outcome)
{
	return raise(context, i, outcome, 0, NORN_WHEN_EVENT);
}

static void doubt(void *context, const struct norn_instance *i)
{
	struct norn_now *now = context;
	(void)i;
	atomic_store(&now->machines->incomplete, true);
	norn_online_say(now->self, NORN_QUEUED_DOUBT, machine_of(now)->terms.property->name, now->event->site,
	        now->moment->starts
	                ? "values are not known there, as a pointer leads nowhere yet, or code that is not instrumented may "
	                  "have written them"
	                : "values are not known there, as code that is not instrumented may have written them");
}

static void give_up(void *context, const struct norn_instance *i, const char *why)
{
	struct norn_now *now = context;
	const char *name = machine_of(now)->terms.property->name;
	char sentence[256];
	(void)i;
	atomic_store(&now->machines->incomplete, true);
	snprintf(sentence, sizeof sentence, "property %s is not judged to the end: %s", name, why);
	norn_online_say(now->self, NORN_QUEUED_NOTE, name, now->event->site, sentence);
}

const struct norn_outcomes norn_live_outcomes = {.violation = violation, .outcome = outcome, .doubt = doubt, .give_up = give_up};

void norn_live_no_memory(struct norn_now *now)
{
	struct norn_instances *n = &now->instances[now->i];
	n->keys_unknown = true;
	if (!n->gave_up)
		give_up(now, n->only, "there is not enough memory for its instances");
	n->gave_up = true;
}
