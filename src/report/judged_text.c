#include "report/judged_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/judged_pairs.h"
#include "report/layout.h"

#define SHOWN 20u /* of each list; of more their number is told, and of what was proved of a library's own */

const char *norn_judged_variable_text(const char *name)
{
	return *name ? name : "(memory without a name)";
}

static char *place_text(const struct norn_judged_place *place)
{
	char folded[NORN_FOLDED];
	if (norn_judged_place_is_later(place))
		return norn_must_text("other places, later");
	if (!*place->file)
		return norn_must_text("a place that is not known");
	return norn_must_format(
	        "%s:%u%s%s", basename(place->file), place->line, *place->function ? " " : "", norn_folded(place->function, folded));
}

char *norn_judged_places_text(const struct norn_judged_pair *pair)
{
	char *a = place_text(&pair->places[0]), *b = place_text(&pair->places[1]);
	char *both = norn_must_format("%s - %s", a, b);
	free(a);
	free(b);
	return both;
}

char *norn_judged_sentence(const struct norn_judged_pairs *j)
{
	uint32_t pairs = j->list.count, variables = j->variables.count;
	if (pairs == 0)
		return norn_must_text("no variable was accessed by two threads, one of them to write");
	return norn_must_format(
	        "%u pair%s of places access%s %u variable%s that threads share: %u proved, %u unjudged, %u with a finding", pairs,
	        pairs == 1 ? "" : "s", pairs == 1 ? "es" : "", variables, variables == 1 ? "" : "s", j->totals[NORN_PAIR_IS_PROVED],
	        j->totals[NORN_PAIR_IS_UNJUDGED], j->totals[NORN_PAIR_IS_FOUND]);
}

static void put_rest(const struct norn_text_printer *p, const char *indent, uint32_t rest, bool libraries)
{
	if (rest)
		fprintf(p->to, "%sand %u more%s (--json FILE has all)\n", indent, rest,
		        libraries ? ", inside of the standard library" : "");
}

/* Those of a list that are shown. */
static uint32_t variables_shown(const struct norn_judged_pairs *j)
{
	uint32_t shown = 0;
	while (shown < j->variables.count && shown < SHOWN &&
	        (j->variables.items[shown].own || norn_judged_variable_verdict(&j->variables.items[shown]) != NORN_PAIR_IS_PROVED))
		shown++;
	return shown;
}

static uint32_t pairs_shown(const struct norn_judged_pairs *j, uint32_t at, uint32_t end)
{
	uint32_t shown = at;
	while (shown < end && shown - at < SHOWN &&
	        (norn_pair_verdict_of(j->list.items[shown].reason) != NORN_PAIR_IS_PROVED ||
	                !norn_judged_pair_is_library(&j->list.items[shown])))
		shown++;
	return shown;
}

static void put_variables(const struct norn_text_printer *p, const struct norn_judged_pairs *j)
{
	static const char *const words[NORN_PAIR_VERDICTS] = {"proved", "unjudged", "with a finding"};
	uint32_t shown = variables_shown(j);
	fputs("Shared variables:\n", p->to);
	for (uint32_t i = 0; i < shown; i++) {
		const struct norn_judged_variable *v = &j->variables.items[i];
		uint32_t pairs = v->pairs[0] + v->pairs[1] + v->pairs[2];
		fprintf(p->to, "  %s: %u pair%s", norn_judged_variable_text(v->name), pairs, pairs == 1 ? "" : "s");
		const char *before = ", ";
		for (unsigned k = NORN_PAIR_VERDICTS; k-- > 0; before = v->pairs[k] ? ", " : before)
			if (v->pairs[k] == pairs)
				fprintf(p->to, "%s%s%s", before, pairs > 1 ? "all " : "", words[k]);
			else if (v->pairs[k])
				fprintf(p->to, "%s%u %s", before, v->pairs[k], words[k]);
		fputc('\n', p->to);
	}
	put_rest(p, "  ", j->variables.count - shown, shown < j->variables.count && !j->variables.items[shown].own);
}

/* Those of one reason, from at on. Returns the first of another one. */
static uint32_t put_pairs(const struct norn_text_printer *p, const struct norn_judged_pairs *j, uint32_t at)
{
	enum norn_pair_reason reason = j->list.items[at].reason;
	enum norn_pair_verdict verdict = norn_pair_verdict_of(reason);
	uint32_t end = at;
	while (end < j->list.count && j->list.items[end].reason == reason)
		end++;
	char *heading = norn_must_format("%s%s%s (%u):", norn_pair_verdict_name(verdict), verdict == NORN_PAIR_IS_FOUND ? "" : ", ",
	        verdict == NORN_PAIR_IS_FOUND ? "" : norn_pair_reason_text(reason), end - at);
	fprintf(p->to, "  %s\n", heading);
	free(heading);
	uint32_t shown = pairs_shown(j, at, end);
	for (uint32_t i = at; i < shown; i++) {
		const struct norn_judged_pair *pair = &j->list.items[i];
		char *places = norn_judged_places_text(pair);
		fprintf(p->to, "    %s: %s%s%s%s\n", norn_judged_variable_text(pair->variable), places, *pair->finding ? "  [" : "",
		        pair->finding, *pair->finding ? "]" : "");
		free(places);
	}
	put_rest(p, "    ", end - shown, shown < end && norn_judged_pair_is_library(&j->list.items[shown]));
	return end;
}

static void put_alone(const struct norn_text_printer *p, const struct norn_judged_pairs *j)
{
	char *names = norn_must_text("  ");
	if (j->alone == 0 || j->functions.count == 0) {
		free(names);
		return;
	}
	norn_put_wrapped(p, 0, NORN_JUDGED_ALONE);
	uint32_t shown = 0;
	for (; shown < j->alone && shown < SHOWN && !norn_judged_function_is_library(&j->functions.items[shown]); shown++) {
		const struct norn_judged_function *f = &j->functions.items[shown];
		char *more = norn_must_format("%s%s%s (%s)", names, shown ? ", " : "", f->name, basename(f->file));
		free(names);
		names = more;
	}
	if (shown)
		norn_put_wrapped(p, 2, names);
	free(names);
	put_rest(p, "  ", j->alone - shown, shown < j->alone && norn_judged_function_is_library(&j->functions.items[shown]));
}

void norn_report_judged(const struct norn_findings *findings, bool colour, unsigned width, FILE *to)
{
	const struct norn_text_printer p = {to, colour, width};
	const struct norn_judged_pairs *j = findings->judged;
	if (!j)
		return;
	char *sentence = norn_judged_sentence(j), *head = norn_must_format("COVERAGE: %s", sentence);
	fputs(norn_bold(&p), to);
	norn_put_wrapped(&p, 0, head);
	fputs(norn_plain(&p), to);
	free(sentence);
	free(head);
	if (j->list.count) {
		put_variables(&p, j);
		fputs("Pairs of places:\n", to);
	}
	for (uint32_t i = 0; i < j->list.count;)
		i = put_pairs(&p, j, i);
	put_alone(&p, j);
	fputc('\n', to);
}
