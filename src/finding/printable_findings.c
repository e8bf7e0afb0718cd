#include "finding/printable_findings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/text/printable.h"
#include "finding/finding.h"
#include "finding/judged_pairs.h"

static void clean_text(struct norn_findings *f, const char **text, bool lines)
{
	if (!*text || norn_is_printable(*text, lines))
		return;
	char *copy = norn_printable(*text, lines);
	*text = norn_findings_text(f, "%s", copy);
	free(copy);
}

/* The texts of a structure: offsets of its members, each a const char *. */
static bool is_clean(const void *of, const size_t *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = *(const char *const *)((const char *)of + members[i]);
		if (text && !norn_is_printable(text, false))
			return false;
	}
	return true;
}

static void clean_members(struct norn_findings *f, void *of, const size_t *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		clean_text(f, (const char **)((char *)of + members[i]), false);
}

/* An array of such structures: itself, or a copy in the arena if a text must be changed. */
static const void *clean_array(
        struct norn_findings *f, const void *array, uint32_t count, size_t bytes, const size_t *members, size_t member_count)
{
	bool clean = true;
	for (uint32_t i = 0; i < count && clean; i++)
		clean = is_clean((const char *)array + i * bytes, members, member_count);
	if (clean)
		return array;
	char *copy = norn_must_arena_alloc(&f->arena, count * bytes);
	memcpy(copy, array, count * bytes);
	for (uint32_t i = 0; i < count; i++)
		clean_members(f, copy + i * bytes, members, member_count);
	return copy;
}

#define STEP(member) offsetof(struct norn_step_text, member)
static const size_t step_members[] = {STEP(thread), STEP(thread_name), STEP(event), STEP(what), STEP(before), STEP(after),
        STEP(recorded), STEP(file), STEP(function), STEP(called)};
#define FINDING(member) offsetof(struct norn_finding, member)
static const size_t finding_members[] = {FINDING(property), FINDING(variable), FINDING(message), FINDING(key),
        FINDING(definition_file), FINDING(outcome), FINDING(extent), FINDING(actions), FINDING(atomic), FINDING(block),
        FINDING(advice), FINDING(ending), FINDING(consequence), FINDING(before_set), FINDING(fix), FINDING(aftermath),
        FINDING(suppression), FINDING(order), FINDING(replay)};
static const size_t value_members[] = {offsetof(struct norn_named_value, name), offsetof(struct norn_named_value, value)};
static const size_t operand_members[] = {offsetof(struct norn_operand, name), offsetof(struct norn_operand, recorded),
        offsetof(struct norn_operand, predicted), offsetof(struct norn_operand, writer)};
static const size_t assumption_members[] = {offsetof(struct norn_assumption, function), offsetof(struct norn_assumption, file),
        offsetof(struct norn_assumption, model)};
static const size_t process_members[] = {offsetof(struct norn_finding_process, trace),
        offsetof(struct norn_finding_process, command), offsetof(struct norn_finding_process, directory)};
static const size_t text_itself[] = {0};
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CLEAN(f, array, count, members) ((array) = clean_array(f, array, count, sizeof *(array), members, COUNT(members)))

static void clean_judged(struct norn_findings *f, struct norn_judged_pairs *j)
{
	static const size_t place[] = {offsetof(struct norn_judged_place, file), offsetof(struct norn_judged_place, function)},
	                    function[] = {offsetof(struct norn_judged_function, name), offsetof(struct norn_judged_function, file)};
	for (uint32_t i = 0; i < j->list.count; i++) {
		clean_text(f, &j->list.items[i].variable, false);
		for (unsigned k = 0; k < 2; k++)
			clean_members(f, &j->list.items[i].places[k], place, COUNT(place));
	}
	for (uint32_t i = 0; i < j->variables.count; i++)
		clean_text(f, &j->variables.items[i].name, false);
	for (uint32_t i = 0; i < j->functions.count; i++)
		clean_members(f, &j->functions.items[i], function, COUNT(function));
}

static void clean_sides(struct norn_findings *f, struct norn_finding *finding)
{
	if (!finding->sides)
		return;
	struct norn_side *sides = norn_must_arena_alloc(&f->arena, finding->where_count * sizeof *sides);
	for (uint32_t i = 0; i < finding->where_count; i++) {
		sides[i] = finding->sides[i];
		CLEAN(f, sides[i].frames, sides[i].frame_count, step_members);
		CLEAN(f, sides[i].locks, sides[i].lock_count, step_members);
	}
	finding->sides = sides;
}

static void clean_others(struct norn_findings *f, struct norn_finding *finding)
{
	if (!finding->others)
		return;
	struct norn_other_run *runs = norn_must_arena_alloc(&f->arena, finding->other_count * sizeof *runs);
	for (uint32_t i = 0; i < finding->other_count; i++) {
		runs[i] = finding->others[i];
		CLEAN(f, runs[i].witness, runs[i].witness_count, step_members);
	}
	finding->others = runs;
}

void norn_finding_printable(struct norn_findings *f, struct norn_finding *finding)
{
	clean_members(f, finding, finding_members, COUNT(finding_members));
	clean_text(f, &finding->definition, true);
	CLEAN(f, finding->where, finding->where_count, step_members);
	CLEAN(f, finding->also, finding->also_count, step_members);
	CLEAN(f, finding->witness, finding->witness_count, step_members);
	CLEAN(f, finding->missed, finding->missed ? 1 : 0, step_members);
	CLEAN(f, finding->values, finding->value_count, value_members);
	CLEAN(f, finding->atoms, finding->atom_count, value_members);
	CLEAN(f, finding->operands, finding->operand_count, operand_members);
	for (uint32_t i = 0; i < finding->in_count; i++)
		clean_members(f, &finding->in[i], process_members, COUNT(process_members));
	CLEAN(f, finding->assumptions, finding->assumption_count, assumption_members);
	CLEAN(f, finding->knowledge, finding->knowledge_count, text_itself);
	CLEAN(f, finding->swaps, finding->swap_count, text_itself);
	CLEAN(f, finding->replayed, finding->replayed_count, text_itself);
	clean_sides(f, finding);
	clean_others(f, finding);
}

void norn_findings_printable(struct norn_findings *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		norn_finding_printable(f, &f->list[i]);
	if (f->judged)
		clean_judged(f, f->judged);
	if (f->command)
		clean_text(f, &f->command, false);
	for (uint32_t i = 0; i < f->note_count; i++)
		clean_text(f, &f->notes[i], false);
	for (uint32_t i = 0; i < f->reason_count; i++)
		clean_text(f, &f->reasons[i].what, false);
}
