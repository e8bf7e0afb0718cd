#include "judge/recorded/recorded_property.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/recorded/recorded_property_state.h"
#include "trace/record.h"

/* ---- life ---- */

int norn_recorded_property_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_property *property, struct norn_recorded_property **ret_recorded, struct norn_error *err)
{
	struct norn_recorded_property *c = calloc(1, sizeof *c);
	if (!c)
		return norn_error_no_memory(err);
	c->sources = sources;
	c->property = property;
	int r = norn_monitor_new(binding->spec, property, NULL, &c->monitor, err);
	if (r != 0) {
		norn_recorded_property_free(c);
		return r;
	}
	if (norn_view_new(binding, property, &c->view) != 0 ||
	        norn_instances_init(&c->instances, &c->view->topic, c->monitor) != 0) {
		norn_recorded_property_free(c);
		return norn_error_no_memory(err);
	}
	*ret_recorded = c;
	return 0;
}

void norn_recorded_property_free(struct norn_recorded_property *c)
{
	if (!c)
		return;
	norn_instances_done(&c->instances);
	norn_view_free(c->view);
	norn_monitor_free(c->monitor);
	norn_recent_positions_done(&c->history);
	free(c);
}

/* ---- the run ---- */

void norn_recorded_property_predicts(struct norn_recorded_property *recorded_property, const char *causality, const char *extent)
{
	recorded_property->causality = causality;
	recorded_property->extent = extent;
}

const struct norn_property *norn_recorded_property_property(const struct norn_recorded_property *recorded_property)
{
	return recorded_property->property;
}

bool norn_recorded_property_violated(const struct norn_recorded_property *recorded_property)
{
	return recorded_property->violated;
}

int norn_recorded_property_position(struct norn_recorded_property *recorded_property, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant)
{
	const struct norn_position *p = moment->position;
	if (p->number == 0 && !recorded_property->property->states)
		return 0;
	struct norn_recorded_step at = {.recorded_property = recorded_property, .moment = moment, .findings = findings};
	const struct norn_judging judging = {moment, p->number, &norn_recorded_outcomes, &at};
	if (p->lost)
		return norn_instances_lost(
		        &recorded_property->instances, &judging, "events were lost while recording, perhaps some of its own");
	if (p->kind == NORN_EVENT_FREE && recorded_property->property->key_count)
		return norn_instances_freed(&recorded_property->instances, &judging, p->address, p->size);
	if (!norn_moment_concerns(moment, &recorded_property->view->topic))
		return 0;
	int r = norn_instances_position(&recorded_property->instances, &judging);
	*relevant += r > 0 && p->number;
	return r < 0 ? r : 0;
}

int norn_recorded_property_repeats(struct norn_recorded_property *recorded_property, const struct norn_value *keys,
        const struct norn_moment *moment, const struct norn_position *first, struct norn_findings *findings)
{
	struct norn_instance *i = keys && recorded_property->property->key_count
	                                  ? norn_instance_of(&recorded_property->instances, keys)
	                                  : recorded_property->instances.only;
	return i ? norn_violated_by_loop(recorded_property, i, moment, first, findings) : -ENOMEM;
}

int norn_recorded_property_end(struct norn_recorded_property *c, const struct norn_moment *moment, struct norn_findings *f)
{
	struct norn_recorded_step at = {.recorded_property = c, .moment = moment, .findings = f};
	const struct norn_judging judging = {moment, 0, &norn_recorded_outcomes, &at};
	int r = norn_instances_end(&c->instances, &judging);
	if (r == 0 && c->instances.doubts > 1)
		r = norn_findings_note(f, "property %s may be violated for %u instances more, in the same way", c->property->name,
		        c->instances.doubts - 1);
	if (r == 0 && c->notes_left_out)
		r = norn_findings_note(
		        f, "property %s reported %llu times more", c->property->name, (unsigned long long)c->notes_left_out);
	return r;
}
