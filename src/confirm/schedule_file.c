#include "confirm/schedule_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

void norn_schedule_file_init(struct norn_schedule_file *s)
{
	*s = (struct norn_schedule_file){.id = "",
	        .title = "",
	        .command = "",
	        .property = "",
	        .first = NORN_REPLAY_AREA_NONE,
	        .second = NORN_REPLAY_AREA_NONE};
}

void norn_schedule_file_done(struct norn_schedule_file *s)
{
	norn_arena_done(&s->arena);
	free(s->units);
	free(s->sites);
	free(s->roles);
	free(s->nodes);
	free(s->acts);
	free(s->afters);
	norn_schedule_file_init(s);
}

/* ---- adding ---- */

#define GROW(s, name) norn_must_grow(&(s)->name##s, (s)->name##_count + UINT64_C(1), &(s)->name##_room, sizeof *(s)->name##s)

static const char *keep(struct norn_schedule_file *s, const char *text)
{
	return norn_must_arena_text(&s->arena, text, strlen(text));
}

uint32_t norn_schedule_file_add_unit(struct norn_schedule_file *s, const struct norn_schedule_file_unit *unit)
{
	GROW(s, unit);
	struct norn_schedule_file_unit *added = &s->units[s->unit_count];
	*added = *unit;
	added->source = keep(s, unit->source);
	added->library = keep(s, unit->library ? unit->library : "");
	return s->unit_count++;
}

uint32_t norn_schedule_file_add_site(struct norn_schedule_file *s, const struct norn_schedule_file_site *site)
{
	GROW(s, site);
	struct norn_schedule_file_site *added = &s->sites[s->site_count];
	*added = *site;
	added->file = keep(s, site->file);
	added->function = keep(s, site->function);
	return s->site_count++;
}

static bool find_parent(const struct norn_schedule_file *s, const char *path, uint32_t *ret_parent, uint32_t *ret_ordinal)
{
	const char *slash = strrchr(path, '/');
	char *end;
	*ret_parent = *ret_ordinal = NORN_REPLAY_AREA_NONE;
	if (!slash)
		return strcmp(path, "main") == 0 && s->role_count == 0;
	unsigned long ordinal = strtoul(slash + 1, &end, 10);
	size_t length = (size_t)(slash - path);
	for (uint32_t i = 0;
	        i < s->role_count && slash[1] >= '1' && slash[1] <= '9' && *end == 0 && ordinal < NORN_REPLAY_AREA_NONE; i++)
		if (strlen(s->roles[i].path) == length && strncmp(s->roles[i].path, path, length) == 0) {
			*ret_parent = i;
			*ret_ordinal = (uint32_t)ordinal;
			return true;
		}
	return false;
}

int norn_schedule_file_add_role(struct norn_schedule_file *s, const char *path, uint32_t *ret_number)
{
	uint32_t parent, ordinal;
	if (!find_parent(s, path, &parent, &ordinal) || s->node_count != s->role_count)
		return -EINVAL;
	GROW(s, role);
	GROW(s, node);
	s->roles[s->role_count] = (struct norn_schedule_file_role){keep(s, path), parent, ordinal};
	s->nodes[s->node_count++] = (struct norn_schedule_file_node){.role = s->role_count, .parent = NORN_REPLAY_AREA_NONE};
	*ret_number = s->role_count++;
	return 0;
}

uint32_t norn_schedule_file_add_call(struct norn_schedule_file *s, const struct norn_schedule_file_node *node)
{
	GROW(s, node);
	s->nodes[s->node_count] = *node;
	return s->node_count++;
}

void norn_schedule_file_add_after(struct norn_schedule_file *s, uint32_t act)
{
	GROW(s, after);
	s->afters[s->after_count++] = act;
}

uint32_t norn_schedule_file_add_act(struct norn_schedule_file *s, const struct norn_schedule_file_act *act)
{
	GROW(s, act);
	const struct norn_schedule_file_act *last = s->act_count ? &s->acts[s->act_count - 1] : NULL;
	struct norn_schedule_file_act *added = &s->acts[s->act_count];
	*added = *act;
	added->what = keep(s, act->what);
	added->after = last ? last->after + last->after_count : 0;
	added->after_count = s->after_count - added->after;
	return s->act_count++;
}

void norn_schedule_file_describe(const struct norn_schedule_file *s, uint32_t number, char *text, size_t room)
{
	const struct norn_schedule_file_act *act = &s->acts[number];
	const char *path = s->roles[act->role].path, *gap = *act->what ? " " : "";
	if (!act->site) {
		snprintf(text, room, "%s: %s%s%s", path, norn_deed_name(act->deed), gap, act->what);
		return;
	}
	const struct norn_schedule_file_site *site = &s->sites[act->site - 1];
	char where[320], times[32] = "";
	if (act->time > 1)
		snprintf(times, sizeof times, ", time %u", act->time);
	if (*site->file && site->line)
		snprintf(where, sizeof where, "%s:%u", basename(site->file), site->line);
	else
		snprintf(where, sizeof where, "%s", *site->file ? basename(site->file) : "a place that is not known");
	snprintf(text, room, "%s: %s%s%s at %s (%s%s)", path, norn_deed_name(act->deed), gap, act->what, where, site->function,
	        times);
}

/* ---- the stage ---- */

struct entry {
	uint32_t node, site, deed, other, time, what;
};

static int by_cue(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	for (unsigned i = 0; i < 5; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static void list_entries(const struct norn_schedule_file *s, struct entry *entries)
{
	uint32_t count = 0;
	for (uint32_t i = s->role_count; i < s->node_count; i++) {
		const struct norn_schedule_file_node *n = &s->nodes[i];
		entries[count++] = (struct entry){n->parent, n->call, NORN_DEED_ENTER, n->entry, n->time, i};
	}
	for (uint32_t i = 0; i < s->act_count; i++) {
		const struct norn_schedule_file_act *a = &s->acts[i];
		entries[count++] = (struct entry){a->node, a->site, a->deed, 0, a->time, i};
	}
}

static bool same_cue(const struct entry *a, const struct entry *b)
{
	return a->node == b->node && a->site == b->site && a->deed == b->deed && a->other == b->other;
}

static void put_cues(const struct norn_replay_area_parts *p, const struct entry *entries, uint32_t count)
{
	uint32_t cues = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct entry *e = &entries[i];
		if (i == 0 || !same_cue(e, e - 1)) {
			uint32_t slot = norn_replay_area_hash(e->node, e->site, e->deed, e->other) & (p->stage->slots - 1);
			while (p->slots[slot])
				slot = (slot + 1) & (p->stage->slots - 1);
			p->slots[slot] = cues + 1;
			p->cues[cues++] = (struct norn_replay_area_cue){
			        .node = e->node, .site = e->site, .deed = e->deed, .other = e->other, .first = i};
		}
		p->cues[cues - 1].count++;
		p->members[i] = (struct norn_replay_area_member){e->time, e->what};
		p->nodes[e->node]++;
	}
}

static void put_acts(const struct norn_schedule_file *s, const struct norn_replay_area_parts *p)
{
	for (uint32_t i = 0; i < s->after_count; i++)
		p->acts[s->afters[i]].count++;
	uint32_t used = 0;
	for (uint32_t i = 0; i < s->act_count; i++) {
		struct norn_replay_area_act *act = &p->acts[i];
		act->first = used;
		used += act->count;
		act->count = 0;
		act->role = s->acts[i].role;
		atomic_store(&act->waits, s->acts[i].hold ? NORN_REPLAY_AREA_HOLD : s->acts[i].after_count);
		p->roles[act->role].acts++;
	}
	for (uint32_t i = 0; i < s->act_count; i++)
		for (uint32_t k = 0; k < s->acts[i].after_count; k++) {
			struct norn_replay_area_act *before = &p->acts[s->afters[s->acts[i].after + k]];
			p->followers[before->first + before->count++] = i;
		}
	for (uint32_t i = 0; i < s->stop_count; i++) {
		p->stage->stop[i] = s->stops[i];
		p->acts[s->stops[i]].stop = i + 1;
		atomic_store(&p->acts[s->stops[i]].closed, 1);
	}
}

/* Sites of the script are in any order, those of a stage together by their unit: places[] says where each is. */
static void put_sites(const struct norn_schedule_file *s, const struct norn_replay_area_parts *p, uint32_t *places)
{
	uint32_t used = 0;
	for (uint32_t u = 0; u < s->unit_count; u++) {
		p->units[u] = (struct norn_replay_area_unit){.hash = s->units[u].hash, .first = used};
		for (uint32_t i = 0; i < s->site_count; i++)
			if (s->sites[i].unit == u) {
				places[i] = used;
				p->sites[used++] = (struct norn_replay_area_site){u, s->sites[i].index};
			}
		p->units[u].count = used - p->units[u].first;
	}
}

static void renumber(struct entry *entries, uint32_t count, const uint32_t *places)
{
	for (uint32_t i = 0; i < count; i++) {
		struct entry *e = &entries[i];
		e->site = e->site ? places[e->site - 1] + 1 : 0;
		if (e->deed == NORN_DEED_ENTER)
			e->other = e->other ? places[e->other - 1] + 1 : 0;
	}
	qsort(entries, count, sizeof *entries, by_cue);
}

void norn_schedule_file_stage(const struct norn_schedule_file *s, struct norn_replay_area_parts *ret_parts)
{
	uint32_t count = s->act_count + s->node_count - s->role_count;
	struct norn_replay_area head = {.magic = NORN_REPLAY_AREA_MAGIC,
	        .units = s->unit_count,
	        .sites = s->site_count,
	        .roles = s->role_count,
	        .nodes = s->node_count,
	        .cues = count,
	        .members = count,
	        .acts = s->act_count,
	        .followers = s->after_count,
	        .slots = 16,
	        .end = s->end,
	        .stops = s->stop_count};
	while (head.slots < 2 * count)
		head.slots *= 2;
	struct norn_replay_area_parts parts;
	head.bytes = norn_replay_area_lay_out(&head, &parts);
	struct norn_replay_area *stage = norn_must_calloc(1, head.bytes);
	struct entry *entries = norn_must_calloc(count, sizeof *entries);
	uint32_t *places = norn_must_calloc(s->site_count, sizeof *places);
	*stage = head;
	norn_replay_area_lay_out(stage, &parts);
	put_sites(s, &parts, places);
	for (uint32_t i = 0; i < s->role_count; i++)
		parts.roles[i] =
		        (struct norn_replay_area_role){.parent = s->roles[i].parent, .ordinal = s->roles[i].ordinal, .node = i};
	list_entries(s, entries);
	renumber(entries, count, places);
	put_cues(&parts, entries, count);
	put_acts(s, &parts);
	free(entries);
	free(places);
	*ret_parts = parts;
}
