#include "judge/recorded/recent_positions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

void norn_recent_positions_done(struct norn_recent_positions *recent)
{
	free(recent->ring);
	*recent = (struct norn_recent_positions){0};
}

void norn_recent_positions_add(struct norn_recent_positions *h, const struct norn_past *past)
{
	if (h->count == h->room && h->room < NORN_RECENT_POSITIONS_MAX) {
		uint32_t room = h->room ? h->room * 2 : 64;
		room = room < NORN_RECENT_POSITIONS_MAX ? room : NORN_RECENT_POSITIONS_MAX;
		struct norn_past *ring = norn_must(aligned_alloc(_Alignof(struct norn_past), room * sizeof *ring));
		if (h->count)
			memcpy(ring, h->ring, h->count * sizeof *ring);
		free(h->ring);
		h->ring = ring;
		h->room = room;
	}
	if (h->count < h->room) {
		h->ring[h->count++] = *past;
		return;
	}
	h->ring[h->first] = *past;
	h->first = (h->first + 1) % h->room;
	h->dropped++;
}

/* ---- what a position is about ---- */

/* Of several places that a position writes, one that it changes tells more, and of these the first that the property names. */
static void consider(const struct norn_moment *m, uint32_t place, uint32_t write, struct norn_past *past, bool *changed)
{
	struct norn_value after = norn_moment_variable(m, place), before = norn_moment_before(m, place, write);
	bool changes = norn_value_equal(before, after) != NORN_TRUTH_YES;
	if (past->place != NORN_SLOT_NONE && (changes == *changed ? place >= past->place : *changed))
		return;
	past->place = place;
	past->after = after;
	past->before = before;
	*changed = changes;
}

/* The place of the property that the position writes, and its values; else past->place stays NORN_SLOT_NONE. */
static void find_written_place(const struct norn_view *view, const struct norn_moment *m, struct norn_past *past)
{
	const struct norn_place_index *index = view->binding->place_index;
	bool changed = false;
	for (uint32_t i = 0; i < m->position->write_count; i++) {
		const struct norn_spot_write *w = &m->position->writes[i];
		if (w->silent)
			continue;
		for (uint32_t z = index->spots[w->spot].ranges; z; z = index->list[z - 1].of_spot)
			if (view->terms.places[index->list[z - 1].place])
				consider(m, index->list[z - 1].place, i, past, &changed);
		if (past->place != NORN_SLOT_NONE)
			continue;
		for (uint32_t place = 0; place < index->spec->place_count; place++)
			if (view->terms.places[place] && index->last_written[place] == w->spot)
				consider(m, place, i, past, &changed);
	}
}

static bool speaks_of(const struct norn_view *view, uint32_t event)
{
	return norn_property_terms_is_atom(&view->terms, event) || view->terms.events[event];
}

static bool is_pointer(const struct norn_type *type)
{
	return type && type->kind == NORN_TYPE_POINTER;
}

static void about_hit(const struct norn_view *view, const struct norn_moment *m, uint32_t i, struct norn_past *past)
{
	const struct norn_online_hit *hit = &m->hits[i];
	past->event = hit->event;
	past->after = hit->value;
	past->before = hit->old;
	const struct norn_checked_selector *s = &view->binding->spec->events[hit->event].selectors[hit->selector];
	past->pointer = s->types && s->result < s->slots_total && is_pointer(s->types[s->result]);
	for (uint32_t k = 0; k < 2 && k < view->binding->spec->events[hit->event].parameter_count; k++)
		past->keys[k] = hit->slots[k];
}

void norn_past_of(const struct norn_view *view, const struct norn_moment *m, uint32_t instance, struct norn_past *ret_past)
{
	const struct norn_position *p = m->position;
	*ret_past = (struct norn_past){.number = p->number,
	        .thread = p->thread,
	        .site = p->caller ? p->caller : p->site,
	        .instance = instance,
	        .kind = p->kind,
	        .op = p->op,
	        .place = NORN_SLOT_NONE,
	        .event = NORN_SLOT_NONE};
	find_written_place(view, m, ret_past);
	for (uint32_t i = 0; i < m->hit_count && ret_past->place == NORN_SLOT_NONE; i++) {
		if (m->hits[i].holds == NORN_TRUTH_NO || !speaks_of(view, m->hits[i].event))
			continue;
		about_hit(view, m, i, ret_past);
		return;
	}
	/* Only a ghost was set. */
	for (uint32_t i = 0; i < m->hit_count && ret_past->place == NORN_SLOT_NONE; i++)
		if (m->hits[i].holds != NORN_TRUTH_NO && ret_past->event == NORN_SLOT_NONE)
			about_hit(view, m, i, ret_past);
}

/* ---- texts ---- */

static const char *value_text(struct norn_findings *f, struct norn_value value, bool pointer)
{
	char text[48];
	norn_value_text(value, text, sizeof text);
	if (pointer && value.known && !value.is_float && value.integer > 0 && value.integer <= UINT64_MAX)
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)value.integer);
	return norn_findings_text(f, "%s", text);
}

const char *norn_place_shown(struct norn_findings *f, const char *text)
{
	static const char pointer[] = "._M_dataplus._M_p"; /* of a std::string, to its characters */
	const char *at = strstr(text, pointer);
	return at ? norn_findings_text(f, "%.*s%s", (int)(at - text), text, at + strlen(pointer))
	          : norn_findings_text(f, "%s", text);
}

/* "suspend(c=0x5581)" */
static const char *event_text(struct norn_findings *f, const struct norn_checked_event *event, const struct norn_past *past)
{
	const char *text = norn_findings_text(f, "%s", event->name);
	const struct norn_checked_selector *s = event->selector_count ? &event->selectors[0] : NULL;
	for (uint32_t k = 0; k < 2 && k < event->parameter_count; k++) {
		bool pointer = s && s->types && k < s->slots_total && is_pointer(s->types[k]);
		text = norn_findings_text(
		        f, "%s%s%s=%s", text, k ? ", " : "(", event->parameters[k], value_text(f, past->keys[k], pointer));
	}
	return event->parameter_count ? norn_findings_text(f, "%s%s)", text, event->parameter_count > 2 ? ", ..." : "") : text;
}

void norn_past_text(const struct norn_binding *b, const struct norn_past *past, struct norn_findings *f, struct norn_step_text *t)
{
	struct norn_site_info site;
	const struct norn_thread_info *thread = norn_trace_thread(b->trace, past->thread);
	norn_trace_site(b->trace, past->site, &site);
	*t = (struct norn_step_text){.number = past->number, .what = "", .before = "", .after = "", .line = site.line};
	t->thread = thread ? norn_findings_text(f, "%s", thread->path) : "?";
	t->thread_name = thread && thread->name ? norn_findings_text(f, "%s", thread->name) : "";
	t->event = norn_event_word(past->kind, past->op);
	t->file = norn_findings_text(f, "%s", site.file);
	t->function = norn_findings_text(f, "%s", site.function);
	if (past->kind == NORN_EVENT_ENTER || past->kind == NORN_EVENT_LEAVE)
		t->called = norn_findings_text(f, "%s", site.name);
	if (past->place != NORN_SLOT_NONE) {
		const struct norn_place *p = &b->spec->places[past->place];
		bool pointer = is_pointer(p->type);
		t->what = norn_place_shown(f, p->text);
		t->before = value_text(f, past->before, pointer);
		t->after = value_text(f, past->after, pointer);
	} else if (past->event != NORN_SLOT_NONE) {
		t->what = event_text(f, &b->spec->events[past->event], past);
		t->after = past->after.known ? value_text(f, past->after, past->pointer) : "";
	}
}

const struct norn_step_text *norn_recent_positions_texts(const struct norn_recent_positions *h, const struct norn_binding *b,
        uint32_t instance, struct norn_findings *f, uint32_t *ret_count, uint64_t *ret_dropped)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < h->count; i++)
		count += h->ring[i].instance == instance || h->ring[i].instance == NORN_INSTANCE_ALL;
	struct norn_step_text *texts = norn_must_arena_alloc(&f->arena, (count + 1ul) * sizeof *texts);
	*ret_count = 0;
	*ret_dropped = h->dropped;
	for (uint32_t i = 0; i < h->count; i++) {
		const struct norn_past *past = &h->ring[(h->first + i) % h->count];
		if (past->instance == instance || past->instance == NORN_INSTANCE_ALL)
			norn_past_text(b, past, f, &texts[(*ret_count)++]);
	}
	return texts;
}

bool norn_recent_positions_letters(const struct norn_recent_positions *h, uint32_t instance, uint64_t **ret_letters,
        uint64_t **ret_unknown, uint32_t *ret_count)
{
	if (h->dropped)
		return false;
	uint64_t *letters = norn_must_alloc(h->count, sizeof *letters), *unknown = norn_must_alloc(h->count, sizeof *unknown);
	*ret_count = 0;
	for (uint32_t i = 0; i < h->count; i++) {
		const struct norn_past *past = &h->ring[i];
		if (past->instance != instance && past->instance != NORN_INSTANCE_ALL)
			continue;
		letters[*ret_count] = past->letter.yes;
		unknown[(*ret_count)++] = past->letter.unknown;
	}
	*ret_letters = letters;
	*ret_unknown = unknown;
	return true;
}
